/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: signals, and the command that is run while a trace records.
 */
#ifndef _LTT_TOOL_CHILD_H
#define _LTT_TOOL_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct child - the command
 * @tasks:	where it writes, before it begins, that it is to be recorded; 0: nowhere
 * @pid:	its process, 0 if there is none
 * @running:	it has not ended
 * @status:	exit status, as a shell would have it
 * @missed:	signals are pending that it may have come too late for
 * @asked:	ns, when a signal first asked us to end; 0: none has
 * @interrupted:	SIGINT has
 * @settled:	what comes now has not come together with that
 */
struct child {
	int tasks;
	pid_t pid;
	bool running;
	int status;
	bool missed;
	uint64_t asked;
	bool interrupted;
	bool settled;
};

/**
 * enum child_event - what child_signal() found
 * @CHILD_NOTHING:	nothing that matters
 * @CHILD_ENDED:	the command has ended
 * @CHILD_INTERRUPT:	a signal asks us to end, or says so once more
 * @CHILD_ABORT:	and this one not to wait: another Ctrl-C, or SIGTERM some time later
 */
enum child_event {
	CHILD_NOTHING,
	CHILD_ENDED,
	CHILD_INTERRUPT,
	CHILD_ABORT,
};

int child_signals(void);
int child_follow(struct child *child, const char *trace);
bool child_cancel(struct child *child, int signals);
int child_start(struct child *child, char **argv, int signals);
enum child_event child_signal(struct child *child, int signals);
int child_timeout(const struct child *child, int timeout);
bool child_wait(struct child *child, int signals, int out);

#endif /* _LTT_TOOL_CHILD_H */
