// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: reading and writing control files.
 *
 * The files of ltt-core share one struct file_operations; the directory's table has the
 * functions for each file, by name. The files of other modules share another one, at the
 * end of this file. control.h has the rules of locks and lifetimes.
 *
 * A write is one request, carried out as a whole or not at all: the file offset does not
 * matter and does not change, so a later read is not affected.
 */

#include <linux/ctype.h>
#include <linux/dcache.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/poll.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/ltt/control.h>
#include <linux/ltt/escape.h>

#include "control.h"

/* Maximum bytes of a request. */
#define REQUEST_MAX	(PAGE_SIZE - 1)

/* Maximum bytes of a request that error_log quotes. */
#define QUOTE_MAX	80

/*
 * What is read
 */

/**
 * ltt_seq_dir() - the directory of a file that is being read
 * @m:	as given to the functions of struct ltt_file
 *
 * Return: the directory.
 */
struct ltt_dir *ltt_seq_dir(const struct seq_file *m)
{
	return file_inode(m->file)->i_private;
}

/**
 * ltt_seq_begin() - start to print
 * @m:	the file
 *
 * Context: task, may sleep. Takes ltt_mutex, also if it fails.
 * Return: 0; -ENODEV if the trace is being destroyed.
 */
int ltt_seq_begin(struct seq_file *m)
{
	const struct ltt_dir *dir = ltt_seq_dir(m);

	mutex_lock(&ltt_mutex);
	return dir->trace && dir->trace->dying ? -ENODEV : 0;
}

/**
 * ltt_seq_end() - undo ltt_seq_begin(); a stop operation
 * @m:	the file
 * @v:	not used
 *
 * Context: task.
 */
void ltt_seq_end(struct seq_file *m, void *v)
{
	mutex_unlock(&ltt_mutex);
}

/**
 * ltt_seq_escape() - print a string that could forge a line
 * @m:		where
 * @text:	the string
 *
 * Context: task.
 */
void ltt_seq_escape(struct seq_file *m, const char *text)
{
	size_t left = strlen(text);
	char shown[LTT_ESCAPE_MAX];
	unsigned int len, used;

	for (; left; left -= used, text += used) {
		len = ltt_escape_char(shown, text, left, &used);
		seq_write(m, shown, len);
	}
}

/**
 * ltt_seq_log() - print an error log, the oldest line first
 * @m:		where
 * @log:	the log
 *
 * Context: task, may sleep; with or without ltt_mutex held.
 */
void ltt_seq_log(struct seq_file *m, struct ltt_error_log *log)
{
	unsigned long n;
	unsigned int i;

	mutex_lock(&ltt_log_lock);
	n = log->count - min_t(unsigned long, log->count, LTT_LOG_LINES);
	if (n)
		seq_printf(m, "# %lu older lines dropped\n", n);
	for (; n < log->count; n++) {
		i = n % LTT_LOG_LINES;
		ltt_seq_time(m, log->line[i].ns);
		seq_putc(m, ' ');
		ltt_seq_escape(m, log->line[i].text ?: "(no memory for the message)");
		seq_putc(m, '\n');
	}
	mutex_unlock(&ltt_log_lock);
}

static int file_show(struct seq_file *m, void *v)
{
	const struct ltt_file *desc = m->private;
	int ret;

	if (desc->news)
		m->poll_event = desc->news(ltt_seq_dir(m));
	ret = ltt_seq_begin(m);
	if (!ret)
		ret = desc->show(m, ltt_seq_dir(m));
	ltt_seq_end(m, v);
	return ret;
}

/*
 * What is written
 */

/**
 * ltt_seq_buffers() - print whose buffers are used
 * @m:		where
 * @shared:	the shared ones, else those of the channel
 *
 * Context: any.
 */
void ltt_seq_buffers(struct seq_file *m, bool shared)
{
	seq_puts(m, shared ? "shared\n" : "channel\n");
}

/**
 * ltt_parse_buffers() - read what ltt_seq_buffers() prints
 * @text:	what was written, without blanks around it
 * @shared:	receives the value
 * @error:	why it failed
 *
 * Context: any.
 * Return: 0 or -EINVAL.
 */
int ltt_parse_buffers(const char *text, bool *shared, struct ltt_error *error)
{
	*shared = !strcmp(text, "shared");
	if (!*shared && strcmp(text, "channel"))
		return ltt_fail(error, -EINVAL, "column 1: expected channel or shared");
	return 0;
}

/**
 * ltt_parse_bool() - read 0 or 1
 * @text:	the request
 * @value:	receives it
 * @error:	says what is wrong
 *
 * Return: 0, or -EINVAL.
 */
int ltt_parse_bool(const char *text, bool *value, struct ltt_error *error)
{
	if ((text[0] != '0' && text[0] != '1') || text[1])
		return ltt_fail(error, -EINVAL, "column %d: expected 0 or 1",
				text[0] == '0' || text[0] == '1' ? 2 : 1);
	*value = text[0] == '1';
	return 0;
}

/*
 * Decimal digits, then perhaps one of @suffixes, for 2^10, 2^20, ... Return: -EINVAL if there
 * is no such number, -ERANGE if it is greater than @max.
 */
static int parse_number(const char *text, const char *suffixes, u64 max, u64 *value,
			struct ltt_error *error)
{
	const char *p = text, *suffix = NULL;
	bool huge = false;
	u64 n = 0;

	for (; isdigit(*p); p++)
		huge |= check_mul_overflow(n, (u64)10, &n) ||
			check_add_overflow(n, (u64)(*p - '0'), &n);
	if (p > text && *p)
		suffix = strchr(suffixes, *p);
	if (suffix) {
		huge |= check_mul_overflow(n, 1ull << (10 * (suffix - suffixes + 1)), &n);
		p++;
	}
	if (p == text || *p)
		return ltt_fail(error, -EINVAL, "column %td: not a number", p - text + 1);
	if (huge || n > max)
		return ltt_fail(error, -ERANGE, "column 1: greater than %llu", max);
	*value = n;
	return 0;
}

/**
 * ltt_parse_uint() - read a number
 * @text:	the request: decimal digits, then perhaps K or M, for 2^10 and 2^20
 * @value:	receives it
 * @error:	says what is wrong
 *
 * Return: 0; -EINVAL if there is no such number, -ERANGE if it is greater than
 * UINT_MAX.
 */
int ltt_parse_uint(const char *text, unsigned int *value, struct ltt_error *error)
{
	u64 n;
	int err = parse_number(text, "KM", UINT_MAX, &n, error);

	if (!err)
		*value = n;
	return err;
}

/**
 * ltt_parse_size() - read an amount of memory
 * @text:	the request: decimal digits, then perhaps K, M, G or T, for 2^10 to 2^40
 * @value:	receives it, in bytes
 * @error:	says what is wrong
 *
 * Return: 0; -EINVAL if there is no such number, -ERANGE if it does not fit.
 */
int ltt_parse_size(const char *text, u64 *value, struct ltt_error *error)
{
	return parse_number(text, "KMGT", U64_MAX, value, error);
}

/* Log which file it was, what is wrong, and with which request. */
static void complain(struct ltt_trace *trace, const char *name, int err,
		     const struct ltt_error *error, const char *text)
{
	struct ltt_error_log *log = trace ? trace->log : NULL;
	const char *why = error->text[0] ? error->text : "failed";
	size_t len;

	if (!text) {
		ltt_log_error(log, "%s: %s (%pe)", name, why, ERR_PTR(err));
		return;
	}
	len = strlen(text);
	ltt_log_error(log, "%s: %s (%pe): \"%.*s\"%s", name, why, ERR_PTR(err),
		      (int)min_t(size_t, len, QUOTE_MAX), text,
		      len > QUOTE_MAX ? "..." : "");
}

/* The name of our files in error_log: their path in the trace. */
static void name_of(const struct ltt_dir *dir, const struct dentry *file, char *name,
		    size_t size)
{
	if (!dir->up)
		snprintf(name, size, "%pd", file);
	else if (!dir->up->up)
		snprintf(name, size, "%pd3", file);
	else
		snprintf(name, size, "%pd2/%pd3", dir->up->dentry, file);
}

/*
 * Fetch a request. Return: 0 and the text to be carried out, a part of *@request; or a
 * negative errno. The caller must kfree() *@request in any case.
 */
static int take_request(const char __user *ubuf, size_t count, size_t max, bool may_be_empty,
			char **request, const char **text, struct ltt_error *error)
{
	int err = ltt_request_fetch(ubuf, count, max, request, error);

	*text = err ? *request : skip_spaces(*request);
	if (!err && !**text && !may_be_empty)
		err = ltt_fail(error, -EINVAL, "empty request");
	return err;
}

static ssize_t file_write(struct file *file, const char __user *ubuf, size_t count,
			  loff_t *ppos)
{
	const struct ltt_file *desc = ((struct seq_file *)file->private_data)->private;
	struct ltt_dir *dir = file_inode(file)->i_private;
	char name[2 * LTT_NAME_MAX + 40];
	struct ltt_error error = {};
	const char *text;
	char *request;
	int ret;

	if (desc->discard) {
		desc->discard(dir);
		return count;
	}
	ret = take_request(ubuf, count, REQUEST_MAX, false, &request, &text, &error) ?:
	      desc->store(dir, text, &error);
	if (ret) {
		name_of(dir, file->f_path.dentry, name, sizeof(name));
		complain(dir->trace, name, ret, &error, text);
	}
	kfree(request);
	return ret ?: count;
}

/*
 * Files and directories
 *
 * debugfs checks lockdown for files that can be written, mapped or have an ioctl(), and
 * refuses them in any lockdown mode. Read-only files show data of the kernel, for which
 * each of our open functions checks lockdown, as those of tracefs do. Files that are
 * already open stay open, as in tracefs.
 */

/* @desc has the functions that print the file, and carry out what is written to it. */
static int open_file(struct file *file, bool writable,
		     int (*show)(struct seq_file *m, void *v),
		     const struct seq_operations *seq, const void *desc)
{
	int ret = security_locked_down(LOCKDOWN_TRACEFS);

	if (ret)
		return ret;
	/* A file's mode does not stop processes that may override modes. */
	if ((file->f_mode & FMODE_WRITE) && !writable)
		return -EACCES;
	if (!seq)
		return single_open(file, show, (void *)desc);
	ret = seq_open(file, seq);
	if (!ret)
		((struct seq_file *)file->private_data)->private = (void *)desc;
	return ret;
}

static int file_open(struct inode *inode, struct file *file)
{
	const struct ltt_dir *dir = inode->i_private;
	const struct ltt_file *desc = dir->files;
	int ret;

	/* It was created from this table, and is never renamed. */
	while (strcmp(desc->name, file->f_path.dentry->d_name.name))
		desc++;
	ret = open_file(file, desc->store || desc->discard, file_show, desc->seq, desc);
	if (!ret && desc->news)
		((struct seq_file *)file->private_data)->poll_event = desc->news(inode->i_private);
	return ret;
}

/*
 * The queue outlives all traces: nobody is told when a file is removed, and poll() may go on
 * sleeping in it.
 */
static __poll_t file_poll(struct file *file, poll_table *pt)
{
	struct seq_file *m = file->private_data;
	const struct ltt_file *desc = m->private;
	unsigned int news;

	if (!desc->news)
		return DEFAULT_POLLMASK;
	poll_wait(file, &ltt_control_wait, pt);
	smp_mb();	/* the queue before the news: see ltt_trigger_act() */
	news = desc->news(ltt_seq_dir(m));
	if (READ_ONCE(m->poll_event) == news)
		return DEFAULT_POLLMASK;
	WRITE_ONCE(m->poll_event, news);
	return DEFAULT_POLLMASK | EPOLLPRI | EPOLLERR;
}

/* The directory may have been removed already; the table is part of this module. */
static int file_release(struct inode *inode, struct file *file)
{
	const struct ltt_file *desc = ((struct seq_file *)file->private_data)->private;

	return desc->seq ? seq_release(inode, file) : single_release(inode, file);
}

static const struct file_operations file_fops = {
	.owner = THIS_MODULE,
	.open = file_open,
	.read = seq_read,
	.write = file_write,
	.llseek = seq_lseek,
	.poll = file_poll,
	.release = file_release,
};

/**
 * ltt_dir_init() - create a directory
 * @dir:	the directory, @dir->files and @dir->trace filled in
 * @name:	its name
 * @parent:	where
 *
 * ltt_dir_fill() creates its files.
 *
 * Context: task, may sleep.
 * Return: 0 or a negative errno; then @dir->dentry is an ERR_PTR.
 */
int ltt_dir_init(struct ltt_dir *dir, const char *name, struct dentry *parent)
{
	INIT_LIST_HEAD(&dir->below);
	dir->sub = ERR_PTR(-ENOENT);	/* NULL would be the root of debugfs */
	dir->dentry = ltt_mkdir(name, parent);
	return PTR_ERR_OR_ZERO(dir->dentry);
}

/**
 * ltt_dir_fill() - create the files of a directory
 * @dir:	the directory
 *
 * Context: task, may sleep.
 * Return: 0; or a negative errno, and some of the files may exist.
 */
int ltt_dir_fill(struct ltt_dir *dir)
{
	const struct ltt_file *desc;
	struct dentry *dentry;

	for (desc = dir->files; desc->name; desc++) {
		dentry = debugfs_create_file(desc->name,
					     desc->store || desc->discard ? 0600 : 0400,
					     dir->dentry, dir, &file_fops);
		if (IS_ERR(dentry))
			return PTR_ERR(dentry);
	}
	return 0;
}

/**
 * ltt_dir_add() - create a directory one level deeper, with its files
 * @up:		the directory in whose @sub it is created
 * @name:	its name
 * @files:	table of its files
 * @result:	receives the directory if not NULL
 *
 * Context: task, may sleep; ltt_mutex held.
 * Return: 0; -ENOMEM, and some of the files may exist, until @up is removed.
 */
int ltt_dir_add(struct ltt_dir *up, const char *name, const struct ltt_file *files,
		struct ltt_dir **result)
{
	struct ltt_dir *dir;
	int ret;

	dir = kzalloc(sizeof(*dir), GFP_KERNEL);
	if (!dir)
		return -ENOMEM;
	dir->files = files;
	dir->trace = up->trace;
	dir->up = up;
	ret = ltt_dir_init(dir, name, up->sub);
	if (ret) {
		kfree(dir);
		return ret;
	}
	list_add_tail(&dir->node, &up->below);
	if (result)
		*result = dir;
	return ltt_dir_fill(dir);
}

/**
 * ltt_dir_free_below() - free the data of all directories below one
 * @dir:	the directory; debugfs_remove() of it has returned
 *
 * Context: task.
 */
void ltt_dir_free_below(struct ltt_dir *dir)
{
	struct ltt_dir *below, *tmp;

	list_for_each_entry_safe(below, tmp, &dir->below, node) {
		ltt_dir_free_below(below);
		kfree(below);
	}
}

/**
 * ltt_dir_name() - a directory's name
 * @dir:	the directory
 *
 * Return: the name; lives as long as the directory.
 */
const char *ltt_dir_name(const struct ltt_dir *dir)
{
	return dir->dentry->d_name.name;
}

/*
 * Files of other modules
 */

/**
 * struct ltt_control_file - a control file that a module has added
 * @ops:	its functions
 * @trace:	whose error_log gets the complaints; NULL: the global one
 * @data:	of the module
 * @dentry:	the file
 *
 * Lives until debugfs_remove() has returned: then no function that uses it is running.
 */
struct ltt_control_file {
	const struct ltt_control_ops *ops;
	struct ltt_trace *trace;
	void *data;
	struct dentry *dentry;
};

static int module_file_show(struct seq_file *m, void *unused)
{
	const struct ltt_control_file *control = file_inode(m->file)->i_private;

	return control->ops->show(m, control->data);
}

static ssize_t module_file_write(struct file *file, const char __user *ubuf, size_t count,
				 loff_t *ppos)
{
	const struct ltt_control_file *control = file_inode(file)->i_private;
	const struct ltt_control_ops *ops = control->ops;
	struct ltt_error error = {};
	const char *text;
	char *request;
	bool log;
	int ret;

	ret = take_request(ubuf, count, ops->max ?: REQUEST_MAX, ops->may_be_empty, &request,
			   &text, &error);
	log = ret || !ops->logs;
	ret = ret ?: ops->store(control->data, text, &error);
	if (ret && log)
		complain(control->trace, ops->path, ret, &error, text);
	kfree(request);
	return ret ?: count;
}

static int module_file_open(struct inode *inode, struct file *file)
{
	const struct ltt_control_file *control = inode->i_private;
	const struct ltt_control_ops *ops = control->ops;
	int ret;

	if (!try_module_get(ops->owner))
		return -ENODEV;
	ret = open_file(file, ops->store, module_file_show, ops->seq, ops);
	if (ret)
		module_put(ops->owner);
	return ret;
}

/* The file may have been removed already, but not the module with its functions. */
static int module_file_release(struct inode *inode, struct file *file)
{
	const struct ltt_control_ops *ops = ((struct seq_file *)file->private_data)->private;
	bool is_seq = ops->seq;

	module_put(ops->owner);
	return is_seq ? seq_release(inode, file) : single_release(inode, file);
}

static const struct file_operations module_file_fops = {
	.owner = THIS_MODULE,
	.open = module_file_open,
	.read = seq_read,
	.write = module_file_write,
	.llseek = seq_lseek,
	.release = module_file_release,
};

/**
 * ltt_control_file_create() - add a control file
 * @ops:	its functions; must stay
 * @dir:	where
 * @trace:	whose error_log gets the complaints; NULL: the one for requests that belong to
 *		no trace
 * @data:	for the functions
 *
 * Only root can access it. Its name is the last component of @ops->path.
 *
 * Context: task, may sleep.
 * Return: the file, to be removed by ltt_control_file_remove(), or an ERR_PTR().
 */
struct ltt_control_file *ltt_control_file_create(const struct ltt_control_ops *ops,
						 struct dentry *dir, struct ltt_trace *trace,
						 void *data)
{
	struct ltt_control_file *control = kzalloc(sizeof(*control), GFP_KERNEL);
	int err;

	if (!control)
		return ERR_PTR(-ENOMEM);
	control->ops = ops;
	control->trace = trace;
	control->data = data;
	control->dentry = debugfs_create_file(kbasename(ops->path), ops->store ? 0600 : 0400,
					      dir, control, &module_file_fops);
	if (!IS_ERR(control->dentry))
		return control;
	err = PTR_ERR(control->dentry);
	kfree(control);
	return ERR_PTR(err);
}
EXPORT_SYMBOL_GPL(ltt_control_file_create);

/**
 * ltt_control_file_remove() - remove a control file
 * @control:	the file; an ERR_PTR() or NULL is ignored
 *
 * Waits for its functions: none runs when this returns. So no lock that they take may be
 * held. Call this before the file's directory is removed.
 *
 * Context: task, may sleep.
 */
void ltt_control_file_remove(struct ltt_control_file *control)
{
	if (IS_ERR_OR_NULL(control))
		return;
	debugfs_remove(control->dentry);
	kfree(control);
}
EXPORT_SYMBOL_GPL(ltt_control_file_remove);
