/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: making a trace, for the subcommands that do.
 */
#ifndef _LTT_TOOL_SESSION_H
#define _LTT_TOOL_SESSION_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * struct session_options - what the user wants of a trace
 *
 * What is not NULL is something that the kernel's file takes, sizes and modes that a trace can
 * have.
 *
 * @patterns:		what is recorded, in the order it was said; not terminated
 * @nr_patterns:	how many
 * @filters:		as the trace's file filters takes them; not terminated
 * @nr_filters:		how many
 * @size:		as the kernel's file subbuf_size takes it, NULL: its default
 * @number:		subbuf_num
 * @mode:		mode
 * @timer:		switch_timer
 * @contexts:		contexts
 * @budget:		the trace's budget
 * @per_channel:	each channel has buffers of its own
 */
struct session_options {
	char **patterns;
	unsigned int nr_patterns;
	char **filters;
	unsigned int nr_filters;
	const char *size;
	const char *number;
	const char *mode;
	const char *timer;
	const char *contexts;
	const char *budget;
	bool per_channel;
};

/* ms of a switch timer, LTT_SWITCH_MS_MAX of the kernel. */
#define SESSION_TIMER_MAX	3600000

/* Bytes of a UUID as text, with its NUL. */
#define SESSION_UUID_SIZE	37

/* The options; their input is a struct session_options. */
extern const struct argp session_argp;
/* Without -e, for those who know what to record. */
extern const struct argp session_parameters_argp;

int session_number(const char *text, const char *suffixes, uint64_t *value);
bool session_has_parameters(const struct session_options *options);
void session_own_name(char *name, size_t size, const char *prefix);
bool session_wants(const struct session_options *options, const char *marker);
int session_create(const char *name, const struct session_options *options);
int session_configure(const char *name, const struct session_options *options);
int session_uuid(const char *name, char uuid[SESSION_UUID_SIZE]);
int session_set_timer(const char *name, const char *channel, const char *timer);
int session_start(const char *name);
int session_stop(const char *name);
int session_destroy(const char *name);
bool session_is_left(int ret);

#endif /* _LTT_TOOL_SESSION_H */
