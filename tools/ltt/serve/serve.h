/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: serving traces, for the subcommand.
 */
#ifndef _LTT_TOOL_SERVE_H
#define _LTT_TOOL_SERVE_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
#include <sys/types.h>

#include "store.h"

/**
 * struct handler - what to do when a descriptor is ready
 * @ready:	called with @data; may free the handler
 * @data:	whose it is
 */
struct handler {
	void (*ready)(void *data);
	void *data;
};

/**
 * struct kernel - the kernel's traces
 * @store:	filled with them
 * @epoll:	where their descriptors are waited for
 * @patterns:	names of traces, with wildcards
 * @nr_patterns: how many
 * @timer:	switch timer for channels that have none, NULL: they stay without
 */
struct kernel {
	struct store store;
	int epoll;
	char **patterns;
	unsigned int nr_patterns;
	const char *timer;
};

extern const struct store_source kernel_source;

/**
 * struct serve_options - what the user wants
 * @names:	of traces, with wildcards
 * @nr_names:	how many
 * @listen:	addresses, none: loopback
 * @nr_listen:	how many
 * @memory:	bytes for the packets of a trace
 * @timer:	switch timer for channels that have none, NULL: they stay without
 */
struct serve_options {
	char **names;
	unsigned int nr_names;
	const char **listen;
	unsigned int nr_listen;
	uint64_t memory;
	const char *timer;
};

/**
 * struct listening - a socket to which viewers come
 * @fd:		the socket
 * @lock:	if it has a path that we made: keeps others from it
 * @dev:	where that is
 * @ino:	its inode, 0: there is none
 */
struct listening {
	int fd;
	int lock;
	dev_t dev;
	ino_t ino;
};

bool listen_check(const char *address);
int listen_inherited(struct listening *listening, int nr);
int listen_on(struct listening *listening, const char *address, bool must);
int listen_count(void);
void listen_close(const struct listening *listening);
char *listen_peer(int fd);

int server_run(const struct serve_options *options, int signals);

#endif /* _LTT_TOOL_SERVE_H */
