// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: a process that tidies up if this one is killed.
 *
 * kill -9 gives a process no chance to end its trace, which would go on recording, or
 * to cut off the packet that it was writing. So a child waits on a pipe whose other end
 * is closed when our process has ended, with all its threads, for whatever reason.
 */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "control.h"
#include "guard.h"
#include "../repair/repair.h"
#include "session.h"

/* The only descriptor that the child has besides the standard ones. */
#define GUARD_FD	3

/* What we say when there is nothing to tidy up, or when we cannot do it. */
static const char all_is_well = '.';
static const char trace_is_left = '!';

/* Nobody else has: we were killed, or could not. */
static void end_trace(const char *trace, bool killed)
{
	char path[128];

	snprintf(path, sizeof(path), "traces/%s", trace);
	if (control_open() || faccessat(control_fd(), path, F_OK, 0))
		return;
	if (!session_destroy(trace))
		warnx("%sdestroyed its trace %s", killed ? "killed, " : "", trace);
}

__attribute__((noreturn))
static void watch(int fd, const char *trace, const char *dir)
{
	sigset_t all;
	ssize_t n;
	char c;

	/* What is meant for those whose terminal or process group this is. */
	setsid();
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	prctl(PR_SET_NAME, "ltt-guard");

	control_forget();
	if (fd != GUARD_FD)
		dup2(fd, GUARD_FD);
	close_range(GUARD_FD + 1, ~0u, 0);
	fd = open("/dev/null", O_RDWR);
	if (fd >= 0) {
		dup2(fd, STDIN_FILENO);
		dup2(fd, STDOUT_FILENO);
		close(fd);
	}

	do {
		n = read(GUARD_FD, &c, 1);
	} while (n < 0 && errno == EINTR);
	if (n == 1 && c == all_is_well)
		_exit(0);
	if (trace)
		end_trace(trace, n != 1);
	if (dir)
		repair_directory(dir, true);
	_exit(0);
}

/**
 * guard_start() - start the process
 * @guard:	the process
 * @trace:	name of the trace to destroy, created or not; NULL: none
 * @dir:	the trace directory to repair; NULL: none
 *
 * To be called while this process has one thread. Says what is wrong.
 *
 * Return: 0, or a negative errno.
 */
int guard_start(struct guard *guard, const char *trace, const char *dir)
{
	int fds[2], error;

	if (pipe2(fds, O_CLOEXEC)) {
		error = errno;
		warn("pipe");
		return -error;
	}
	fflush(NULL);
	guard->pid = fork();
	if (guard->pid < 0) {
		error = errno;
		warn("fork");
		close(fds[0]);
		close(fds[1]);
		return -error;
	}
	if (!guard->pid)
		watch(fds[0], trace, dir);
	close(fds[0]);
	guard->fd = fds[1];
	return 0;
}

/**
 * guard_end() - end the process
 * @guard:	the process
 * @left:	the trace is there, and could not be destroyed, for want of files, say: it tries,
 *		and repairs the directory. Else everything is tidy
 */
void guard_end(struct guard *guard, bool left)
{
	/* It may have ended already. */
	if (write(guard->fd, left ? &trace_is_left : &all_is_well, 1) < 0)
		warn("guard");
	close(guard->fd);
	waitpid(guard->pid, NULL, 0);
}
