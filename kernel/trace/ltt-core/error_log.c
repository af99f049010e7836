// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: error_log: what was wrong with a request, and where.
 *
 * Each trace has a log, and there is one for requests that belong to no trace.
 * A log keeps the last LTT_LOG_LINES errors.
 */

#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "control.h"

DEFINE_MUTEX(ltt_log_lock);	/* see control.h */
struct ltt_error_log ltt_root_log;

/**
 * ltt_log_error() - add a line to an error log
 * @trace:	whose log; NULL: that of requests that belong to no trace, which
 *		also takes the lines of traces that have no files
 * @fmt:	the message, without a newline; may hold any bytes
 * @...:	its arguments
 *
 * Without memory for the message, the log says that there was one.
 *
 * Context: task, may sleep; with or without ltt_mutex held.
 */
void ltt_log_error(struct ltt_trace *trace, const char *fmt, ...)
{
	struct ltt_error_log *log = &ltt_root_log;
	struct ltt_control *control;
	unsigned int i;
	va_list args;
	char *text;

	va_start(args, fmt);
	text = kvasprintf(GFP_KERNEL, fmt, args);
	va_end(args);

	mutex_lock(&ltt_log_lock);
	control = trace ? trace->priv : NULL;
	if (control)
		log = &control->log;
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
 * ltt_log_show() - print a log, the oldest line first
 * @m:		where
 * @log:	the log
 *
 * Context: task, may sleep; with or without ltt_mutex held.
 * Return: 0.
 */
int ltt_log_show(struct seq_file *m, struct ltt_error_log *log)
{
	unsigned long n;
	unsigned int i;
	u32 rest;
	u64 sec;

	mutex_lock(&ltt_log_lock);
	n = log->count - min_t(unsigned long, log->count, LTT_LOG_LINES);
	if (n)
		seq_printf(m, "# %lu older lines left out\n", n);
	for (; n < log->count; n++) {
		i = n % LTT_LOG_LINES;
		sec = div_u64_rem(log->line[i].ns, NSEC_PER_SEC, &rest);
		seq_printf(m, "%llu.%09u ", sec, rest);
		ltt_seq_escape(m, log->line[i].text ?: "an error for which there was no memory");
		seq_putc(m, '\n');
	}
	mutex_unlock(&ltt_log_lock);
	return 0;
}
