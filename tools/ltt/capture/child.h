/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: signals, and the command that is run while a trace records.
 */
#ifndef _LTT_TOOL_CHILD_H
#define _LTT_TOOL_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * struct child - the command
 * @tasks:	where it writes, before it begins, that it is to be recorded; 0: nowhere
 * @pid:	its process, 0 if there is none
 * @running:	it has not ended
 * @status:	exit status, as a shell would have it
 * @missed:	signals are pending that it may have come too late for
 */
struct child {
	int tasks;
	pid_t pid;
	bool running;
	int status;
	bool missed;
};

/**
 * enum child_event - what child_signal() found
 * @CHILD_NOTHING:	nothing that matters
 * @CHILD_ENDED:	the command has ended
 * @CHILD_INTERRUPT:	a signal asks us to end
 */
enum child_event {
	CHILD_NOTHING,
	CHILD_ENDED,
	CHILD_INTERRUPT,
};

int child_signals(void);
int child_follow(struct child *child, const char *trace);
bool child_cancel(struct child *child, int signals);
int child_start(struct child *child, char **argv, int signals);
enum child_event child_signal(struct child *child, int signals);

#endif /* _LTT_TOOL_CHILD_H */
