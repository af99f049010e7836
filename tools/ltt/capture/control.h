/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: the tracer's files in debugfs, as the subcommands use them.
 *
 * Paths are relative to the tracer's directory. Functions that say what is wrong do
 * so on standard error.
 */
#ifndef _LTT_TOOL_CONTROL_H
#define _LTT_TOOL_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The directory of the files; the environment may override it. */
#define LTT_DEBUGFS	"/sys/kernel/debug/ltt"
#define LTT_ROOT_ENV	"LTT_ROOT"

/* Bytes of a request, a NUL included: PAGE_SIZE, which is 4096 at least. */
#define LTT_REQUEST_MAX	4096

int control_open(void);
void control_forget(void);
int control_fd(void);
void control_explain(int code);

__attribute__((format(printf, 1, 2))) char *control_read(const char *format, ...);
__attribute__((format(printf, 2, 3))) int control_write(const char *text,
							const char *format, ...);
char *control_cut_line(char *line);
int control_check_trace(const char *name);
int control_each(const char *path, int (*call)(const char *name, void *data), void *data);

/**
 * struct control_stats - what the buffers of a channel hold and have lost
 * @buffers:	CPUs that have one
 * @events:	recorded, also those overwritten
 * @lost:	events lost because a buffer was full
 * @overwritten: events
 * @bytes:	written
 * @shared:	it is recorded in shared buffers: only @events and @lost are its own
 */
struct control_stats {
	unsigned int buffers;
	uint64_t events;
	uint64_t lost;
	uint64_t overwritten;
	uint64_t bytes;
	bool shared;
};

int control_stats(const char *trace, const char *channel, struct control_stats *sum);

#endif /* _LTT_TOOL_CONTROL_H */
