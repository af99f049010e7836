// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: dynamic_markers, the file of markers on kprobes and tracepoints, and the list of
 * them.
 *
 * A write is one request of several lines, carried out as a whole or not at all:
 * first all lines are parsed, then all new probes are registered, disabled, and
 * their markers made known; removals, which cannot fail, come last.
 */

#include <linux/dcache.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/ltt/control.h>
#include <linux/ltt/trace.h>

#include "file.h"

/* Most bytes of a request. */
#define REQUEST_MAX	65535u

/* Most bytes of a line that error_log repeats. */
#define QUOTE_MAX	80u

struct ltt_scratch __percpu *ltt_scratch;

/* The definitions, in the order in which they were added, and their lock. */
static LIST_HEAD(probes);
static DEFINE_MUTEX(list_mutex);

static struct ltt_control_file *file;

/* A line of a request. */
struct line {
	struct list_head node;
	unsigned int number;
	const char *text;
	struct ltt_kprobe_def *def;	/* NULL once it is a probe's */
	struct ltt_kprobe *probe;	/* new, or to be removed */
};

/* ---- errors ------------------------------------------------------------------- */

/* How many columns error_log needs for the first @n bytes of @text. */
static unsigned int width(const char *text, unsigned int n)
{
	unsigned int i, columns = n;

	for (i = 0; i < n; i++)
		columns += text[i] == '\\';
	return columns;
}

/*
 * Two lines in error_log: what is wrong with the line, which is shown, and a ^ below
 * the place.
 */
static int complain(unsigned int number, const char *text, int err,
		    const struct ltt_kprobe_error *error)
{
	unsigned int at = error->column - 1, len = strlen(text), from;
	char head[240], where[40] = "";
	int n;

	from = at > QUOTE_MAX - 10 ? at - (QUOTE_MAX - 10) : 0;
	if (number > 1)
		snprintf(where, sizeof(where), "line %u, ", number);
	n = scnprintf(head, sizeof(head), LTT_KPROBES_FILE ": %scolumn %u: %s (%pe): \"%s",
		      where, error->column, error->text, ERR_PTR(err), from ? "..." : "");
	ltt_log_error(NULL, "%s%.*s\"%s", head, (int)min(len - from, QUOTE_MAX), text + from,
		      len - from > QUOTE_MAX ? "..." : "");
	n = width(head, n) + width(text + from, at - from) - strlen(LTT_KPROBES_FILE ":");
	ltt_log_error(NULL, LTT_KPROBES_FILE ":%*s^", n, "");
	return err;
}

/* The same for what has no place. */
static int complain_all(int err, const char *why)
{
	ltt_log_error(NULL, LTT_KPROBES_FILE ": %s (%pe)", why, ERR_PTR(err));
	return err;
}

/* ---- a request ---------------------------------------------------------------- */

/* A tab counts as a blank; other control characters and non-ASCII are invalid. */
static int check_chars(char *text, struct ltt_kprobe_error *error)
{
	char *p;

	for (p = text; *p; p++) {
		if (*p == '\t')
			*p = ' ';
		if (*p >= ' ' && *p <= '~')
			continue;
		error->column = p - text + 1;
		strscpy(error->text, "unprintable character", sizeof(error->text));
		*p = '?';
		return -EINVAL;
	}
	return 0;
}

static int add_line(struct list_head *lines, unsigned int number, char *text)
{
	struct ltt_kprobe_error error;
	struct line *line;
	int err;

	err = check_chars(text, &error);
	if (err)
		return complain(number, text, err, &error);
	line = kzalloc(sizeof(*line), GFP_KERNEL);
	if (!line)
		return complain_all(-ENOMEM, "out of memory");
	err = ltt_kprobe_parse(text, &line->def, &error);
	if (err) {
		kfree(line);
		return complain(number, text, err, &error);
	}
	line->number = number;
	line->text = text;
	list_add_tail(&line->node, lines);
	return 0;
}

/* Split @text, in place. What follows a # at the beginning of a word is a comment. */
static int parse_lines(char *text, struct list_head *lines)
{
	unsigned int number = 0;
	char *line, *hash;
	int err;

	while ((line = strsep(&text, "\n"))) {
		number++;
		for (hash = strchr(line, '#'); hash; hash = strchr(hash + 1, '#')) {
			if (hash == line || ltt_kprobe_is_blank(hash[-1])) {
				*hash = '\0';
				break;
			}
		}
		if (!line[strspn(line, " \t")])
			continue;
		err = add_line(lines, number, line);
		if (err)
			return err;
	}
	return 0;
}

static void free_lines(struct list_head *lines)
{
	struct line *line, *next;

	list_for_each_entry_safe(line, next, lines, node) {
		ltt_kprobe_def_free(line->def);
		kfree(line);
	}
}

static bool same_name(const struct ltt_kprobe_def *a, const struct ltt_kprobe_def *b)
{
	return !strcmp(a->channel, b->channel) && !strcmp(a->name, b->name);
}

static struct ltt_kprobe *find(const struct ltt_kprobe_def *def)
{
	struct ltt_kprobe *probe;

	list_for_each_entry(probe, &probes, node) {
		if (same_name(probe->def, def))
			return probe;
	}
	return NULL;
}

/*
 * Is there a marker of this name when all lines before @line have been carried out?
 * The line that made it, if one did; NULL and *@probe if it was there before.
 */
static bool exists(struct list_head *lines, const struct line *line,
		   struct line **maker, struct ltt_kprobe **probe)
{
	struct line *before;

	*maker = NULL;
	*probe = find(line->def);
	list_for_each_entry(before, lines, node) {
		if (before == line)
			break;
		if (!same_name(before->def, line->def))
			continue;
		*maker = before->def->kind == '-' ? NULL : before;
		*probe = NULL;
	}
	return *maker || *probe;
}

/* Does each line make sense after those before it? Nothing is done yet. */
static int check_names(struct list_head *lines)
{
	struct ltt_kprobe_error error = { .column = 1 };
	struct ltt_kprobe *probe;
	struct line *line, *maker;
	bool there;

	list_for_each_entry(line, lines, node) {
		there = exists(lines, line, &maker, &probe);
		if (there == (line->def->kind == '-')) {
			line->probe = there ? probe : NULL;
			continue;
		}
		snprintf(error.text, sizeof(error.text), there ?
			 "marker %s/%s already exists" : "no such marker: %s/%s",
			 line->def->channel, line->def->name);
		return complain(line->number, line->text, there ? -EEXIST : -ENOENT, &error);
	}
	return 0;
}

/* A definition that a later line takes back is only parsed. */
static bool taken_back(struct list_head *lines, const struct line *line)
{
	const struct line *later = line;

	list_for_each_entry_continue(later, lines, node) {
		if (same_name(later->def, line->def))
			return later->def->kind == '-';
	}
	return false;
}

/* The lines keep their definitions, which are compared, until all are carried out. */
static int create(struct list_head *lines)
{
	struct ltt_kprobe_error error;
	struct ltt_kprobe *probe;
	struct line *line;
	int err;

	list_for_each_entry(line, lines, node) {
		if (line->def->kind == '-')
			continue;
		/* The file may have been open since before the kernel was locked down. */
		err = security_locked_down(LOCKDOWN_KPROBES);
		if (err) {
			error.column = 1;
			strscpy(error.text, "the kernel is locked down", sizeof(error.text));
			return complain(line->number, line->text, err, &error);
		}
		if (taken_back(lines, line))
			continue;
		probe = ltt_kprobe_create(line->def, line->text, &error);
		if (IS_ERR(probe)) {
			line->def = NULL;
			return complain(line->number, line->text, PTR_ERR(probe), &error);
		}
		line->probe = probe;
	}
	return 0;
}

static int publish(struct list_head *lines)
{
	struct ltt_kprobe_error error;
	struct line *line;
	int err;

	list_for_each_entry(line, lines, node) {
		if (line->def->kind == '-' || !line->probe)
			continue;
		err = ltt_kprobe_publish(line->probe, &error);
		if (err)
			return complain(line->number, line->text, err, &error);
	}
	return 0;
}

/* None of the request: its new probes go. */
static void undo(struct list_head *lines, struct ltt_kprobe_batch *batch)
{
	struct line *line;

	list_for_each_entry(line, lines, node) {
		if (line->probe && (!line->def || line->def->kind != '-')) {
			line->def = NULL;
			ltt_kprobe_end(line->probe, batch);
		}
	}
}

/* All of it: new probes into the list, old ones out of it. */
static void commit(struct list_head *lines, struct ltt_kprobe_batch *batch)
{
	struct line *line;

	list_for_each_entry(line, lines, node) {
		if (!line->probe)
			continue;
		if (line->def->kind == '-') {
			list_del(&line->probe->node);
			ltt_kprobe_end(line->probe, batch);
		} else {
			list_add_tail(&line->probe->node, &probes);
			line->def = NULL;
		}
	}
}

static int carry_out(char *text)
{
	struct ltt_kprobe_batch batch = LTT_KPROBE_BATCH(batch);
	LIST_HEAD(lines);
	int err;

	/* Who parses what is said of tracepoints stays as long. */
	mutex_lock(&list_mutex);
	err = parse_lines(text, &lines) ?: check_names(&lines);
	if (!err) {
		err = create(&lines) ?: publish(&lines);
		if (err)
			undo(&lines, &batch);
		else
			commit(&lines, &batch);
	}
	mutex_unlock(&list_mutex);
	/* A wait for grace periods, which is to be nobody else's. */
	ltt_kprobe_batch_end(&batch);
	free_lines(&lines);
	return err;
}

/* ---- the file ----------------------------------------------------------------- */

/* What is wrong with which line needs more than one line of error_log: @error stays empty. */
static int file_store(void *unused, const char *text, struct ltt_error *error)
{
	char *copy = kstrdup(text, GFP_KERNEL);
	int err;

	if (!copy)
		return complain_all(-ENOMEM, "out of memory");
	err = carry_out(copy);
	kfree(copy);
	return err;
}

static void *list_start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&list_mutex);
	return seq_list_start_head(&probes, *pos);
}

static void *list_next(struct seq_file *m, void *v, loff_t *pos)
{
	return seq_list_next(v, &probes, pos);
}

static void list_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&list_mutex);
}

static int list_show(struct seq_file *m, void *v)
{
	struct ltt_kprobe_state state;
	struct ltt_kprobe *probe;

	if (v == &probes) {
		seq_puts(m, "# definition # on, off or waiting for its module; hits and misses\n");
		return 0;
	}
	probe = list_entry(v, struct ltt_kprobe, node);
	ltt_kprobe_state(probe, &state);
	seq_printf(m, "%s # %s hits %lu missed %lu\n", probe->text,
		   !state.there ? "waiting" : state.wanted ? "on" : "off", state.hits,
		   state.missed);
	return 0;
}

static const struct seq_operations list_ops = {
	.start = list_start,
	.next = list_next,
	.stop = list_stop,
	.show = list_show,
};

static const struct ltt_control_ops file_ops = {
	.owner = THIS_MODULE,
	.path = LTT_KPROBES_FILE,
	.seq = &list_ops,
	.store = file_store,
	.max = REQUEST_MAX,
	.logs = true,
};

/* ---- tracepoints -------------------------------------------------------------- */

/**
 * ltt_kprobes_set_tracepoints() - set the functions for tracepoints
 * @ops:	somebody, nobody did before; NULL: nobody does any more, and all
 *		definitions on tracepoints are removed
 *
 * Context: task, waits for grace periods.
 */
void ltt_kprobes_set_tracepoints(const struct ltt_tracepoint_ops *ops)
{
	struct ltt_kprobe *probe, *next;
	struct ltt_kprobe_batch batch = LTT_KPROBE_BATCH(batch);

	mutex_lock(&list_mutex);
	list_for_each_entry_safe(probe, next, &probes, node) {
		if (probe->def->kind != 't')
			continue;
		list_del(&probe->node);
		ltt_kprobe_end(probe, &batch);
	}
	ltt_kprobe_tracepoints(ops);
	mutex_unlock(&list_mutex);
	/* Somebody else may be waiting for the last calls of definitions that he removed. */
	batch.tracepoints |= !ops;
	ltt_kprobe_batch_end(&batch);
}
EXPORT_SYMBOL_GPL(ltt_kprobes_set_tracepoints);

/* ---- start and end ------------------------------------------------------------ */

static int module_changes(struct notifier_block *nb, unsigned long state, void *data)
{
	struct ltt_kprobe *probe;

	mutex_lock(&list_mutex);
	if (state == MODULE_STATE_COMING) {
		list_for_each_entry(probe, &probes, node)
			ltt_kprobe_coming(probe, data);
	} else {
		ltt_kprobes_gone(&probes);
	}
	mutex_unlock(&list_mutex);
	return NOTIFY_DONE;
}

/* After those of kprobes and jump labels. */
static struct notifier_block module_nb = {
	.notifier_call = module_changes,
};

static int __init ltt_kprobes_init(void)
{
	struct dentry *root = debugfs_lookup("ltt", NULL);
	int err;

	if (!root)
		return -ENODEV;
	ltt_scratch = alloc_percpu(struct ltt_scratch);
	if (!ltt_scratch) {
		err = -ENOMEM;
		goto out_root;
	}
	err = register_module_notifier(&module_nb);
	if (err)
		goto out_scratch;
	file = ltt_control_file_create(&file_ops, root, NULL, NULL);
	if (!IS_ERR(file)) {
		dput(root);
		return 0;
	}
	err = PTR_ERR(file);
	unregister_module_notifier(&module_nb);
out_scratch:
	free_percpu(ltt_scratch);
out_root:
	dput(root);
	return err;
}

static void __exit ltt_kprobes_exit(void)
{
	struct ltt_kprobe *probe, *next;
	struct ltt_kprobe_batch batch = LTT_KPROBE_BATCH(batch);

	ltt_control_file_remove(file);
	unregister_module_notifier(&module_nb);
	mutex_lock(&list_mutex);
	list_for_each_entry_safe(probe, next, &probes, node) {
		list_del(&probe->node);
		ltt_kprobe_end(probe, &batch);
	}
	mutex_unlock(&list_mutex);
	ltt_kprobe_batch_end(&batch);
	free_percpu(ltt_scratch);
}

module_init(ltt_kprobes_init);
module_exit(ltt_kprobes_exit);

MODULE_DESCRIPTION("LTT: markers on kprobes and kretprobes");
MODULE_LICENSE("GPL");
