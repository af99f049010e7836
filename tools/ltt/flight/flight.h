/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: the flight recorder: windows of a trace that become directories.
 *
 *	recorder.c	the trace, and the loop that waits for windows
 *	window.c	a window out of the kernel
 *	store.c		the directory of windows, and what is remembered there
 *	kept.c		the windows in it
 *	config.c	a file of options
 *
 * The directory of windows has a subdirectory that is the recorder's alone:
 *
 *	DIR/.ltt-flight/state	whose trace it is that we collect windows of
 *	DIR/.ltt-flight/tmp/	directories that are not complete, or being removed
 *	DIR/N-TIME/		a window, as ltt record would have written it
 *	DIR/N-TIME/flight/info	what the kernel says of the window
 *	DIR/N-TIME/flight/made	proof that it is ours, with a list of all files
 *
 * All in tmp/ can be removed at any time. A window gets its name when all of it is on disk, and
 * is removed from the kernel afterwards, so there is no moment at which it is nowhere. A recorder
 * that is killed leaves its trace, which the next one recognizes by the UUID in the state.
 */
#ifndef _LTT_TOOL_FLIGHT_H
#define _LTT_TOOL_FLIGHT_H

#include <argp.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../capture/session.h"

/* Characters of a trace's name, LTT_NAME_MAX of the kernel, and a NUL. */
#define FLIGHT_NAME_SIZE	64

/**
 * struct flight_options - what the user wants
 * @session:	of the trace
 * @name:	of the trace
 * @dir:	where windows go, NULL: DIR_DEFAULT/NAME
 * @on:		what triggers a window, as between "on" and "do"; not terminated
 * @nr_on:	how many
 * @before:	how much of the time before a trigger a window has, as the kernel takes it; NULL:
 *		all that there is
 * @after:	the same of the time after it, NULL: nothing
 * @before_ns:	the same in ns, 0 if it is NULL
 * @after_ns:	likewise
 * @windows:	that the kernel has room for, until they are on disk
 * @keep:	directories to keep at most
 * @max_size:	bytes that they may have on disk
 * @stay:	leave the trace alone at the end
 * @quiet:	say only what is wrong
 */
struct flight_options {
	struct session_options session;
	const char *name;
	const char *dir;
	char **on;
	unsigned int nr_on;
	const char *before;
	const char *after;
	uint64_t before_ns;
	uint64_t after_ns;
	const char *windows;
	uint64_t keep;
	uint64_t max_size;
	bool stay;
	bool quiet;
};

int flight_config_load(const char *path, const struct argp_option *const tables[], char ***args,
		       int *nr_args);

int flight_record(const struct flight_options *options);

/**
 * struct store - the directory of windows
 * @path:	its name
 * @lock:	its subdirectory that is ours alone, locked
 * @id:		of this directory
 * @next:	number for the next window
 * @trace:	name of our trace, empty if there is none
 * @uuid:	of that
 * @ready:	it has been configured
 * @unarmed:	its triggers may have been removed since, as it was to end
 * @settings:	hash of how
 */
struct store {
	char *path;
	int lock;
	char id[SESSION_UUID_SIZE];
	uint64_t next;
	char trace[FLIGHT_NAME_SIZE];
	char uuid[SESSION_UUID_SIZE];
	bool ready;
	bool unarmed;
	uint64_t settings;
};

int store_open(struct store *store, const struct flight_options *options);
int store_save(const struct store *store);
void store_close(struct store *store);
char *store_tmp(const struct store *store, const char *name);
int store_clean(const struct store *store, const char *name);
int store_sync(const char *path);

/**
 * struct kept - a window on disk that is provably ours
 * @name:	of its directory
 * @number:	with which that begins
 * @uuid:	the trace's
 * @window:	its number in the kernel
 * @bytes:	on disk
 */
struct kept {
	char name[NAME_MAX + 1];
	uint64_t number;
	char uuid[SESSION_UUID_SIZE];
	unsigned int window;
	uint64_t bytes;
};

int kept_name(struct store *store, uint64_t taken, char name[NAME_MAX + 1]);
int kept_seal(const struct store *store, const char *name, unsigned int window);
bool kept_has(const struct store *store, unsigned int window);
int kept_finish(const struct store *store);
int kept_limit(const struct store *store, uint64_t keep, uint64_t max_size, bool quiet);

/**
 * struct window - a window in the kernel
 * @number:	of it
 * @why:	it was taken
 */
struct window {
	unsigned int number;
	const char *why;
};

int window_take(struct store *store, const struct flight_options *options,
		const struct window *window);

#endif /* _LTT_TOOL_FLIGHT_H */
