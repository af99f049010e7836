/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: error logs, for their owners and for the files that show them.
 */
#ifndef _LTT_ERROR_H
#define _LTT_ERROR_H

#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/ltt/error.h>

struct seq_file;

#define LTT_LOG_LINES	64u	/* capacity of a log */

/**
 * struct ltt_error_log - the last errors
 * @open:	it has a file; without one its lines go to ltt_root_log
 * @count:	errors so far, or since the log was cleared
 * @line:	the last of them; number i is in entry i modulo LTT_LOG_LINES
 * @line.ns:	when, CLOCK_MONOTONIC as the events' timestamps
 * @line.text:	NULL if there was no memory for it
 *
 * Protected by ltt_log_lock.
 */
struct ltt_error_log {
	bool open;
	unsigned long count;
	struct {
		u64 ns;
		char *text;
	} line[LTT_LOG_LINES];
};

/* Protects all logs. May be taken with ltt_mutex held; nothing is taken inside of it. */
extern struct mutex ltt_log_lock;

/* For requests that belong to no trace. */
extern struct ltt_error_log ltt_root_log;

struct ltt_error_log *ltt_log_create(void);
void ltt_log_free(struct ltt_error_log *log);
void ltt_log_open(struct ltt_error_log *log);
void ltt_log_close(struct ltt_error_log *log);
void ltt_log_clear(struct ltt_error_log *log);

void ltt_seq_time(struct seq_file *m, u64 ns);

int ltt_request_fetch(const char __user *ubuf, size_t count, size_t max, char **request,
		      struct ltt_error *error);

#endif /* _LTT_ERROR_H */
