// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: signals, and the command that is run while a trace records.
 *
 * Signals are taken from a descriptor, so that they come only where they are waited
 * for. Those that were ignored when we were started (nohup) stay so.
 */

#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/kernel.h>

#include "../common/now.h"
#include "../common/signals.h"
#include "child.h"
#include "control.h"

/* As shells have it. */
#define STATUS_NOT_FOUND	127
#define STATUS_NOT_STARTED	126
#define STATUS_SIGNAL		128

/* How much later, in ns, than the first signal SIGTERM comes if somebody does not want to wait. */
#define AGAIN			UINT64_C(1000000000)

/*
 * The signal mask and dispositions for the command, and how many files it may open: those we
 * started with.
 */
static sigset_t mask_before, changed;
static struct rlimit files_before;

static void ignore(int sig)
{
	struct sigaction action;

	sigaction(sig, NULL, &action);
	if (action.sa_handler != SIG_IGN) {
		sigaddset(&changed, sig);
		signal(sig, SIG_IGN);
	}
}

/**
 * child_signals() - receive signals through a descriptor from now on
 *
 * To be called while there is one thread, before the limit of open files is raised: what the
 * command is to have is remembered, too. A closed pipe and a file that grows too
 * large are errors from now on, not signals.
 *
 * Return: the descriptor, or a negative errno.
 */
int child_signals(void)
{
	sigset_t mask;
	int fd;

	signals_that_end(&mask);
	sigaddset(&mask, SIGCHLD);
	sigemptyset(&changed);
	ignore(SIGPIPE);
	ignore(SIGXFSZ);
	/* An ignored SIGCHLD would also make the command's status unknown. */
	signal(SIGCHLD, SIG_DFL);
	getrlimit(RLIMIT_NOFILE, &files_before);
	sigprocmask(SIG_BLOCK, &mask, &mask_before);
	fd = signalfd(-1, &mask, SFD_NONBLOCK | SFD_CLOEXEC);
	if (fd < 0) {
		int error = errno;

		warn("signalfd");
		return -error;
	}
	return fd;
}

/*
 * A single request may arrive as several signals: systemd sends SIGTERM and SIGHUP, timeout sends
 * SIGTERM twice, and when a terminal closes, both the shell and the kernel send SIGHUP. Each Ctrl-C
 * is a request of its own.
 */
static enum child_event note(struct child *child, int sig)
{
	bool again = sig == SIGINT ? child->interrupted : sig == SIGTERM && child->settled;

	if (sig == SIGINT)
		child->interrupted = true;
	if (!child->asked || again) {
		child->asked = now_ns();
		child->settled = false;
	}
	return again ? CHILD_ABORT : CHILD_INTERRUPT;
}

/* No signal is pending. While we were busy, it is not known when one has come. */
static void settle(struct child *child)
{
	if (child->asked && now_ns() - child->asked >= AGAIN)
		child->settled = true;
}

/**
 * child_timeout() - how long may poll() wait for signals?
 * @child:	the command
 * @timeout:	in ms, apart from that; -1: for ever
 *
 * Whatever poll() says, child_signal() is to be called then.
 *
 * Return: ms, or -1.
 */
int child_timeout(const struct child *child, int timeout)
{
	uint64_t passed;
	int left;

	if (!child->asked || child->settled)
		return timeout;
	passed = now_ns() - child->asked;
	left = passed < AGAIN ? (AGAIN - passed) / 1000000 + 1 : 0;
	return timeout < 0 || left < timeout ? left : timeout;
}

/* The number of a signal that asks us to end; 0: there is none. */
static int pending_signal(struct child *child, int signals)
{
	struct signalfd_siginfo info;

	while (read(signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		note(child, info.ssi_signo);
		return info.ssi_signo;
	}
	return 0;
}

/**
 * child_follow() - let a trace record the command, and what it starts, only
 * @child:	the command, which is not started yet
 * @trace:	name of the trace, which is not started either: nothing is recorded before the
 *		command is
 *
 * Says what is wrong.
 *
 * Return: 0, or a negative errno.
 */
int child_follow(struct child *child, const char *trace)
{
	int ret = control_write("follow", "traces/%s/tasks", trace);
	char *path;

	if (ret)
		return ret;
	if (asprintf(&path, "traces/%s/tasks", trace) < 0) {
		error(0, ENOMEM, "%s", trace);
		return -ENOMEM;
	}
	child->tasks = openat(control_fd(), path, O_WRONLY | O_CLOEXEC);
	if (child->tasks < 0) {
		ret = -errno;
		warn("%s", path);
		child->tasks = 0;
	}
	free(path);
	return ret;
}

/* In the new process, where nothing but system calls is safe. */
__attribute__((noreturn))
static void become(char **argv, int tasks, int report)
{
	static const char self[] = "pid self";
	int sig, code;

	for (sig = 1; sig < NSIG; sig++) {
		if (sigismember(&changed, sig) == 1)
			signal(sig, SIG_DFL);
	}
	if (files_before.rlim_max)
		setrlimit(RLIMIT_NOFILE, &files_before);
	sigprocmask(SIG_SETMASK, &mask_before, NULL);
	if (tasks && write(tasks, self, strlen(self)) < 0) {
		code = -errno;
	} else {
		execvp(argv[0], argv);
		code = errno;
	}
	if (write(report, &code, sizeof(code)) != sizeof(code))
		code = 0;
	_exit(STATUS_NOT_STARTED);
}

/*
 * posix_spawn() would do, but for the limit: our other threads need the raised one.
 * Return: 0, or the errno of what failed; negative: it cannot write to @tasks.
 */
static int spawn(pid_t *pid, char **argv, int tasks)
{
	int fds[2], code = 0;
	ssize_t n;

	/* Closed when the command has begun. */
	if (pipe2(fds, O_CLOEXEC))
		return errno;
	*pid = fork();
	if (!*pid)
		become(argv, tasks, fds[1]);
	if (*pid < 0)
		code = errno;
	close(fds[1]);
	if (!code) {
		do {
			n = read(fds[0], &code, sizeof(code));
		} while (n < 0 && errno == EINTR);
		if (code)
			waitpid(*pid, NULL, 0);
	}
	close(fds[0]);
	return code;
}

/**
 * child_cancel() - has a signal come before the command is started?
 * @child:	the command
 * @signals:	the descriptor
 *
 * Then the status is as if it had ended the command.
 *
 * Return: whether one has.
 */
bool child_cancel(struct child *child, int signals)
{
	int sig = pending_signal(child, signals);

	if (sig)
		child->status = STATUS_SIGNAL + sig;
	return sig;
}

/**
 * child_start() - start the command
 * @child:	the command
 * @argv:	its arguments
 * @signals:	the descriptor
 *
 * Not if a signal has come while we prepared: see child_cancel(). Says what is wrong.
 *
 * Return: 0; 1: a signal has come; or a negative errno: the status is what a shell's would
 * be.
 */
int child_start(struct child *child, char **argv, int signals)
{
	struct pollfd pending = { .fd = signals, .events = POLLIN };
	int ret;

	if (child_cancel(child, signals))
		return 1;
	ret = spawn(&child->pid, argv, child->tasks);
	if (child->tasks)
		close(child->tasks);
	child->tasks = 0;
	if (ret) {
		error(0, abs(ret), ret < 0 ? "%s cannot be followed" : "%s", argv[0]);
		child->pid = 0;
		child->status = ret == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_STARTED;
		return -abs(ret);
	}
	child->running = true;
	/* It may have come between our look and the command's beginning. */
	child->missed = poll(&pending, 1, 0) > 0;
	return 0;
}

/* Has the command ended? */
static bool reap(struct child *child)
{
	int status;

	if (!child->running || waitpid(child->pid, &status, WNOHANG) != child->pid)
		return false;
	child->running = false;
	child->status = WIFEXITED(status) ? WEXITSTATUS(status)
					  : STATUS_SIGNAL + WTERMSIG(status);
	return true;
}

/**
 * child_signal() - take what the descriptor has
 * @child:	the command
 * @signals:	the descriptor
 *
 * A signal that ends us goes on to the command, unless it has got it, too: those
 * from the keyboard do. When in doubt it gets it twice. May be called when there is nothing.
 *
 * Return: what happened, one thing at a time.
 */
enum child_event child_signal(struct child *child, int signals)
{
	struct signalfd_siginfo info;
	bool missed;

	while (read(signals, &info, sizeof(info)) == sizeof(info)) {
		missed = child->missed;
		child->missed = false;
		if (info.ssi_signo == SIGCHLD) {
			if (reap(child))
				return CHILD_ENDED;
			continue;
		}
		if (child->running && (missed || info.ssi_code != SI_KERNEL))
			kill(child->pid, info.ssi_signo);
		return note(child, info.ssi_signo);
	}
	settle(child);
	return CHILD_NOTHING;
}

/**
 * child_wait() - wait until the command has ended, for its status
 * @child:	the command, if there is one
 * @signals:	the descriptor
 * @out:	if nobody reads any more what is written there, that is no reason to wait; or -1
 *
 * Return: true; false: nobody wants to wait.
 */
bool child_wait(struct child *child, int signals, int out)
{
	struct pollfd fd[] = { { .fd = signals, .events = POLLIN }, { .fd = out } };

	while (child->running && !(fd[1].revents & POLLERR)) {
		if (poll(fd, ARRAY_SIZE(fd), child_timeout(child, -1)) < 0 && errno != EINTR) {
			warn("poll");
			break;
		}
		if (child_signal(child, signals) == CHILD_ABORT)
			return false;
	}
	return true;
}
