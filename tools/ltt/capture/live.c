// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the text of a running trace, for the subcommands that read it.
 */

#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../common/ondisk.h"
#include "child.h"
#include "control.h"
#include "guard.h"
#include "live.h"

/* While we follow the trace. */
struct show {
	struct live *live;
	struct child child;
	struct guard guard;
	int signals;
	bool own;		/* the trace is ours */
	bool running;		/* and records; afterwards it is destroyed */
	bool left;		/* that failed */
	bool unread;		/* the reader of our output has gone */
	bool aborted;
};

/**
 * live_open() - open the text of a trace
 * @name:	its name
 * @channel:	of this channel; NULL: of all
 *
 * Says what is wrong.
 *
 * Return: the file, or -1.
 */
int live_open(const char *name, const char *channel)
{
	char *path;
	int fd;

	if (asprintf(&path, "traces/%s/text/%s", name, channel ?: "ALL") < 0)
		error(EXIT_FAILURE, ENOMEM, "%s", name);
	fd = openat(control_fd(), path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		warn("%s", path);
		control_explain(errno);
		if (errno == ENOENT && channel)
			warnx("trace %s has not used channel %s", name, channel);
		else if (errno == ENOENT)
			warnx("is the text output loaded? Try: modprobe ltt-textout");
	}
	free(path);
	return fd;
}

/* The style in brackets, which is that of files opened now; allocated. */
static char *current_style(const char *styles)
{
	const char *begin = strchr(styles, '['), *end = begin ? strchr(begin, ']') : NULL;

	return end ? strndup(begin + 1, end - begin - 1) : NULL;
}

/*
 * Under the lock, with signals blocked: nothing but SIGKILL leaves the other style. What somebody
 * else has selected meanwhile stays.
 */
static int open_styled(const char *name, const char *path, const char *style)
{
	char *styles = control_read("%s", path), *before, *now;
	int fd = -1;

	before = styles ? current_style(styles) : NULL;
	free(styles);
	if (!before)
		return -1;
	if (strcmp(before, style) && control_write(style, "%s", path))
		goto out;
	fd = live_open(name, NULL);
	styles = control_read("%s", path);
	now = styles ? current_style(styles) : NULL;
	free(styles);
	if (now && strcmp(before, style) && !strcmp(now, style) &&
	    control_write(before, "%s", path) && fd >= 0) {
		close(fd);
		fd = -1;
	}
	free(now);
out:
	free(before);
	return fd;
}

/**
 * live_open_style() - open the text of a trace in a style, whatever the trace's style is
 * @name:	its name
 * @style:	the style
 *
 * The trace's style is another one for a moment: what others open then has it, too. Of two
 * processes that do this, one waits for the other. Says what is wrong.
 *
 * Return: the file, or -1.
 */
int live_open_style(const char *name, const char *style)
{
	sigset_t all, before;
	int lock, fd = -1;
	char *path;

	if (asprintf(&path, "traces/%s/text_style", name) < 0)
		error(EXIT_FAILURE, ENOMEM, "%s", name);
	lock = openat(control_fd(), path, O_RDONLY | O_CLOEXEC);
	if (lock < 0 || flock(lock, LOCK_EX)) {
		warn("%s", path);
	} else {
		sigfillset(&all);
		sigprocmask(SIG_BLOCK, &all, &before);
		fd = open_styled(name, path, style);
		sigprocmask(SIG_SETMASK, &before, NULL);
	}
	if (lock >= 0)
		close(lock);
	free(path);
	return fd;
}

/* The remaining events follow, up to the end of the file. */
static void end_trace(struct show *show)
{
	if (!show->running)
		return;
	show->running = false;
	show->left = session_is_left(session_destroy(show->live->name));
}

/* Return: whether to go on: somebody wants to wait for the end, and there is one. */
static bool handle_signal(struct show *show)
{
	enum child_event event;

	while ((event = child_signal(&show->child, show->signals)) != CHILD_NOTHING) {
		if (event == CHILD_ABORT || (event == CHILD_INTERRUPT && !show->own)) {
			show->aborted = true;
			return false;
		}
		end_trace(show);
	}
	return !show->left;
}

/* Does nobody read it any more? Then there is no pipe, or the terminal has hung up. */
static bool is_unread(int err)
{
	struct stat status;

	return err == -EPIPE || (err == -EIO && !fstat(STDOUT_FILENO, &status) &&
				 S_ISCHR(status.st_mode));
}

/**
 * live_write() - write to standard output
 * @live:	in its @read
 * @data:	what to write
 * @size:	bytes
 *
 * Signals are seen also while nobody reads that.
 *
 * Return: 0; -ECANCELED: a signal has come, and there is nothing to wait for; or another
 * negative errno.
 */
int live_write(struct live *live, const char *data, size_t size)
{
	ssize_t n;

	for (; size; size -= n, data += n) {
		n = ondisk_write_some(STDOUT_FILENO, live->show->signals,
				      child_timeout(&live->show->child, -1), data, size);
		if (n < 0 && is_unread(n))
			live->show->unread = true;
		if (n < 0)
			return n;
		if (!n && !handle_signal(live->show))
			return -ECANCELED;
	}
	return 0;
}

/* Up to the end of the file, or until there is a reason not to go on. */
static int follow(struct show *show, int fd)
{
	struct live *live = show->live;
	struct pollfd fds[] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = show->signals, .events = POLLIN },
		{ .fd = STDOUT_FILENO },
	};
	int timeout, ret = 1;

	while (ret > 0) {
		timeout = child_timeout(&show->child, live->wait ? live->wait(live) : -1);
		if (poll(fds, 3, timeout) < 0 && errno != EINTR) {
			warn("poll");
			return -1;
		}
		/* A pipe whose reader has gone. */
		if (fds[2].revents & POLLERR) {
			show->unread = true;
			return 0;
		}
		if (!handle_signal(show))
			return show->left ? -1 : 0;
		if (fds[0].revents)
			ret = live->read(fd, live);
	}
	return ret;
}

/**
 * live_follow() - read the text of a trace that is not ours
 * @live:	what to do with it
 * @fd:		its text
 *
 * Until a signal comes, the text or the interest in it ends.
 *
 * Return: exit status.
 */
int live_follow(struct live *live, int fd)
{
	struct show show = { .live = live, .signals = child_signals() };
	int ret;

	if (show.signals < 0)
		return EXIT_FAILURE;
	live->show = &show;
	ret = live->prepare ? live->prepare(live) : 0;
	if (!ret)
		ret = follow(&show, fd);
	close(show.signals);
	return ret ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* The kernel knows which styles there are. */
static int set_style(const char *name, const char *style)
{
	int err = control_write(style, "traces/%s/text_style", name);
	char *styles;

	if (err != -EINVAL)
		return err;
	styles = control_read("traces/%s/text_style", name);
	if (styles)
		warnx("styles: %s", strtok(styles, "\n") ?: "");
	free(styles);
	return err;
}

static int run(struct show *show)
{
	struct live *live = show->live;
	int fd, ret;

	if (live->style && set_style(live->name, live->style))
		return EXIT_FAILURE;
	fd = live_open(live->name, NULL);
	if (fd < 0)
		return EXIT_FAILURE;
	ret = live->prepare ? live->prepare(live) : 0;
	if (!ret && live->follow)
		ret = child_follow(&show->child, live->name);
	if (!ret)
		ret = session_start(live->name);
	if (!ret && live->command)
		ret = child_start(&show->child, live->command, show->signals);
	if (!ret)
		ret = follow(show, fd);
	close(fd);
	end_trace(show);
	fflush(stdout);
	/* The command's exit status is ours. If our output has no reader any more, do not wait. */
	if (!show->aborted && !show->unread &&
	    !child_wait(&show->child, show->signals, STDOUT_FILENO))
		show->aborted = true;
	if (show->aborted)
		return 128 + SIGINT;
	return show->child.status ?: ret ? EXIT_FAILURE : EXIT_SUCCESS;
}

/**
 * live_run() - read the text of a trace of our own
 * @live:	what to record, and what to do with the text; gets a name
 *
 * The trace ends with the command, at a signal, or when there is no interest in its text any
 * more.
 *
 * Return: exit status.
 */
int live_run(struct live *live)
{
	struct show show = { .live = live, .own = true, .running = true };
	int ret;

	session_own_name(live->name, sizeof(live->name), live->prefix);
	show.signals = child_signals();
	if (show.signals < 0)
		return EXIT_FAILURE;
	if (guard_start(&show.guard, live->name, NULL))
		return EXIT_FAILURE;
	ret = EXIT_FAILURE;
	if (!session_create(live->name, live->session)) {
		live->show = &show;
		ret = run(&show);
		end_trace(&show);
		if (show.left)
			ret = ret ?: EXIT_FAILURE;
	}
	guard_end(&show.guard, show.left);
	return ret;
}
