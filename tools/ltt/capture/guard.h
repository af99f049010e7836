/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: a process that tidies up if this one is killed.
 */
#ifndef _LTT_TOOL_GUARD_H
#define _LTT_TOOL_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * struct guard - the process
 * @pid:	it
 * @fd:		as long as we have this open, it waits
 */
struct guard {
	pid_t pid;
	int fd;
};

int guard_start(struct guard *guard, const char *trace, const char *dir);
void guard_end(struct guard *guard, bool left);

#endif /* _LTT_TOOL_GUARD_H */
