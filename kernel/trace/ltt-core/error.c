// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: fetching requests, refusing them, and error logs.
 *
 * Each trace has a log, and there is one for requests that belong to no trace. A log
 * keeps the last LTT_LOG_LINES errors. The control layer creates the files that show them.
 */

#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>

#include "error.h"

DEFINE_MUTEX(ltt_log_lock);	/* see error.h */
struct ltt_error_log ltt_root_log = { .open = true };

/**
 * ltt_fail() - say why a request failed
 * @error:	receives the message; may be NULL
 * @err:	negative errno
 * @fmt:	format as for printk(), one line without a newline
 *
 * Context: any.
 * Return: @err.
 */
int ltt_fail(struct ltt_error *error, int err, const char *fmt, ...)
{
	va_list args;

	if (error) {
		va_start(args, fmt);
		vscnprintf(error->text, sizeof(error->text), fmt, args);
		va_end(args);
	}
	return err;
}
EXPORT_SYMBOL_GPL(ltt_fail);

/**
 * ltt_request_fetch() - take a request from user space
 * @ubuf:	what was written
 * @count:	its bytes
 * @max:	maximum bytes of a request
 * @request:	receives a copy, with leading but without trailing blanks; NULL if there is
 *		none. The caller must kfree() it, whatever is returned
 * @error:	says what is wrong; may be NULL
 *
 * A request may be empty. One with a NUL byte is copied all the same, so that the part
 * before the NUL can be shown.
 *
 * Context: task, may sleep.
 * Return: 0; -E2BIG if there are more than @max bytes, -EINVAL if there is a NUL byte,
 * -EFAULT, -ENOMEM.
 */
int ltt_request_fetch(const char __user *ubuf, size_t count, size_t max, char **request,
		      struct ltt_error *error)
{
	const char *nul;
	char *copy;

	*request = NULL;
	if (count > max)
		return ltt_fail(error, -E2BIG, "request of %zu bytes, maximum is %zu", count, max);
	copy = memdup_user_nul(ubuf, count);
	if (IS_ERR(copy))
		return ltt_fail(error, PTR_ERR(copy), "cannot copy the request");
	*request = copy;
	nul = memchr(copy, '\0', count);
	if (nul)
		return ltt_fail(error, -EINVAL, "column %td: NUL byte", nul - copy + 1);
	strim(copy);
	return 0;
}

/**
 * ltt_log_create() - create an error log
 *
 * Until ltt_log_open() its lines go to ltt_root_log.
 *
 * Context: task, may sleep.
 * Return: the log, for ltt_log_free(); NULL if there is no memory.
 */
struct ltt_error_log *ltt_log_create(void)
{
	return kzalloc(sizeof(struct ltt_error_log), GFP_KERNEL);
}

/**
 * ltt_log_free() - free an error log
 * @log:	the log; no longer in use; or NULL
 *
 * Context: task, may sleep.
 */
void ltt_log_free(struct ltt_error_log *log)
{
	if (!log)
		return;
	ltt_log_clear(log);
	kfree(log);
}

/**
 * ltt_log_open() - an error log has a file now
 * @log:	the log
 *
 * Context: task, may sleep; with or without ltt_mutex held.
 */
void ltt_log_open(struct ltt_error_log *log)
{
	mutex_lock(&ltt_log_lock);
	log->open = true;
	mutex_unlock(&ltt_log_lock);
}

/**
 * ltt_log_close() - an error log has no file any more
 * @log:	the log
 *
 * Context: task, may sleep; with or without ltt_mutex held.
 */
void ltt_log_close(struct ltt_error_log *log)
{
	mutex_lock(&ltt_log_lock);
	log->open = false;
	mutex_unlock(&ltt_log_lock);
	ltt_log_clear(log);
}

/**
 * ltt_log_error() - add a line to an error log
 * @log:	the log: ltt_trace.log; NULL: that of requests that belong to no trace,
 *		which also takes the lines of traces that have no files
 * @fmt:	the message, without a newline; may hold any bytes
 * @...:	its arguments
 *
 * If there is no memory for the message, the log still records that there was one.
 *
 * Context: task, may sleep; with or without ltt_mutex held.
 */
void ltt_log_error(struct ltt_error_log *log, const char *fmt, ...)
{
	unsigned int i;
	va_list args;
	char *text;

	va_start(args, fmt);
	text = kvasprintf(GFP_KERNEL, fmt, args);
	va_end(args);

	mutex_lock(&ltt_log_lock);
	if (!log || !log->open)
		log = &ltt_root_log;
	i = log->count++ % LTT_LOG_LINES;
	kfree(log->line[i].text);
	log->line[i].text = text;
	log->line[i].ns = ktime_get_ns();
	mutex_unlock(&ltt_log_lock);
}
EXPORT_SYMBOL_GPL(ltt_log_error);

/**
 * ltt_log_clear() - forget all errors
 * @log:	the log
 *
 * Context: task, may sleep; with or without ltt_mutex held.
 */
void ltt_log_clear(struct ltt_error_log *log)
{
	unsigned int i;

	mutex_lock(&ltt_log_lock);
	log->count = 0;
	for (i = 0; i < LTT_LOG_LINES; i++) {
		kfree(log->line[i].text);
		log->line[i].text = NULL;
	}
	mutex_unlock(&ltt_log_lock);
}

/**
 * ltt_seq_time() - print a time, as the text of events does
 * @m:		where
 * @ns:		the time
 *
 * Context: any.
 */
void ltt_seq_time(struct seq_file *m, u64 ns)
{
	u32 rest;
	u64 sec = div_u64_rem(ns, NSEC_PER_SEC, &rest);

	seq_printf(m, "%llu.%09u", sec, rest);
}
