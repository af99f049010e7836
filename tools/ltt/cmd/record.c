// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: ltt record: a trace into a directory.
 */

#include <argp.h>
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
#include <sys/eventfd.h>
#include <unistd.h>

#include "../capture/capture.h"
#include "../capture/child.h"
#include "../capture/control.h"
#include "../capture/guard.h"
#include "ltt.h"
#include "../common/now.h"
#include "../common/ondisk.h"
#include "../capture/progress.h"
#include "../relay/address.h"
#include "../capture/session.h"
#include "../names/names.h"
#include "names.h"

/* How late, in ms, events of a quiet CPU are on disk, unless the user says otherwise. */
#define DEFAULT_TIMER	"200"

/* How often, in ms, we look for new channels and tell how it goes. */
#define PERIOD		1000

#define MAX_THREADS	1024

/**
 * struct arguments - what the user wants
 * @output:	where the capture goes
 * @dir:	the same if it is a directory, NULL if it is lttng-relayd
 */
struct arguments {
	struct session_options session;
	const char *output;
	const char *dir;
	const char *trace;
	unsigned int threads;
	bool live;
	bool quiet;
	bool follow;
	const struct names_scheme *names;
	char **command;
};

enum { KEY_FOLLOW = 0x200, KEY_NAMES, KEY_LIVE };

/**
 * struct record - a recording
 * @args:	what the user wants
 * @own:	the trace is ours
 * @name:	of the trace
 * @capture:	the packets
 * @child:	the command
 * @guard:	cleans up after us
 * @progress:	how it goes
 * @signals:	descriptor for signals
 * @live:	our trace is there
 * @left:	it still is: we could not destroy it
 * @ending:	the end has begun
 * @failed:	an error occurred, and was reported
 * @aborted:	the user did not want to wait
 * @grown:	the metadata whose streams and symbols have been looked for
 * @events:	recorded, of our own trace; or PROGRESS_UNKNOWN
 */
struct record {
	const struct arguments *args;
	bool own;
	char name[64];
	struct capture capture;
	struct child child;
	struct guard guard;
	struct progress progress;
	int signals;
	bool live;
	bool left;
	bool ending;
	bool failed;
	bool aborted;
	unsigned long grown;
	uint64_t events;
};

static const struct argp_option options[] = {
	{ "output", 'o', "DIRECTORY", 0,
	  "Directory for the trace, new or empty; or net://HOST[:CONTROL-PORT[:DATA-PORT]][/PATH]: send it to lttng-relayd there",
	  0 },
	{ "trace", 't', "NAME", 0, "Capture an existing trace, without changing it", 0 },
	{ "follow", KEY_FOLLOW, NULL, 0, "Record only COMMAND and what it starts", 0 },
	{ "names", KEY_NAMES, "SCHEME", 0,
	  "At the end, give the trace the names of perf or lttng (see ltt-names(1))", 0 },
	{ "live", KEY_LIVE, NULL, 0,
	  "Let viewers of lttng-relayd see a new trace while it is recorded (net:// only)", 0 },
	{ "threads", 'j', "N", 0, "Number of threads that write data (default: 1)", 3 },
	{ "quiet", 'q', NULL, 0, "Show neither progress nor a summary", 3 },
	{ }
};

static void set_output(struct argp_state *state, struct arguments *a, const char *output)
{
	struct relay_address address;
	const char *wrong;

	a->output = output;
	a->dir = output;
	if (!relay_is_address(output))
		return;
	a->dir = NULL;
	wrong = relay_parse_address(&address, output);
	if (wrong)
		argp_error(state, "invalid address '%s': %s", output, wrong);
}

static void check_arguments(struct argp_state *state, const struct arguments *a)
{
	const struct session_options *s = &a->session;

	if (!a->output)
		argp_error(state, "missing output directory (-o DIRECTORY)");
	if (a->trace && s->nr_patterns)
		argp_error(state, "-t (an existing trace) and -e (a new one) cannot be used together");
	if (!a->trace && !s->nr_patterns)
		argp_error(state, "nothing to record: use -e PATTERN or -t NAME");
	if (a->trace && session_has_parameters(s))
		argp_error(state, "cannot change the parameters of the existing trace '%s'",
			   a->trace);
	if (a->follow && a->trace)
		argp_error(state, "cannot change whom the existing trace '%s' records", a->trace);
	if (a->live && (a->dir || a->trace))
		argp_error(state, "--live is for a new trace (-e) that goes to lttng-relayd (-o net://)");
	if (a->live && a->threads != 1)
		argp_error(state, "--live and -j cannot be used together");
	if (a->follow && !a->command)
		argp_error(state, "nobody to follow: --follow needs a COMMAND");
	if (a->names && !a->dir)
		argp_error(state, "--names needs a directory, not '%s'", a->output);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	unsigned long threads;
	char *end;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->session;
		return 0;
	case 'o':
		set_output(state, a, arg);
		return 0;
	case 't':
		a->trace = arg;
		return 0;
	case KEY_NAMES:
		a->names = names_option(arg, state);
		return 0;
	case 'j':
		threads = strtoul(arg, &end, 10);
		if (*end || end == arg || !threads || threads > MAX_THREADS)
			argp_error(state, "invalid number of threads: '%s'", arg);
		a->threads = threads;
		return 0;
	case 'q':
		a->quiet = true;
		return 0;
	case KEY_LIVE:
		a->live = true;
		return 0;
	case KEY_FOLLOW:
		a->follow = true;
		return 0;
	case ARGP_KEY_ARGS:
		a->command = state->argv + state->next;
		return 0;
	case ARGP_KEY_END:
		check_arguments(state, a);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void fail(struct record *r)
{
	r->failed = true;
}

/* Our trace records nothing more, and all of it is known and on its way. */
static void end_own(struct record *r, enum capture_mode mode)
{
	int ret;

	if (!r->live)
		return;
	if (mode == CAPTURE_DRAIN) {
		if (session_stop(r->name))
			fail(r);
		/* The last data: nothing new follows. */
		if (capture_scan(&r->capture, NULL))
			fail(r);
		r->events = progress_events(&r->capture);
	}
	r->live = false;
	ret = session_destroy(r->name);
	if (ret) {
		r->left = session_is_left(ret);
		/* Its streams may not end: take what is available. */
		mode = mode == CAPTURE_ABORT ? mode : CAPTURE_FLUSHED;
		fail(r);
	}
	capture_end(&r->capture, mode);
}

/* A trace of someone else continues; we take what it has so far. */
static void end_other(struct record *r, enum capture_mode mode)
{
	if (mode == CAPTURE_DRAIN) {
		if (capture_scan(&r->capture, NULL) ||
		    control_write("1", "traces/%s/flush", r->name))
			fail(r);
		mode = CAPTURE_FLUSHED;
	}
	capture_end(&r->capture, mode);
}

/* DRAIN: regularly, ABORT: at once. */
static void end(struct record *r, enum capture_mode mode)
{
	if (r->ending && mode != CAPTURE_ABORT)
		return;
	progress_clear(&r->progress);
	r->ending = true;
	if (r->own && r->live)
		end_own(r, mode);
	else if (r->own)
		capture_end(&r->capture, mode);
	else
		end_other(r, mode);
}

/* Somebody has destroyed the trace: there is an end to its streams. */
static void trace_gone(struct record *r)
{
	if (r->ending)
		return;
	progress_clear(&r->progress);
	warnx("trace %s was destroyed", r->name);
	if (r->grown != atomic_load(&r->capture.metadata.grown))
		warnx("the last events of new channels may be missing");
	r->ending = true;
	r->live = false;
	capture_end(&r->capture, CAPTURE_DRAIN);
}

/* New channels, CPUs and modules. */
static void look_round(struct record *r)
{
	unsigned long wanted = capture_scan_wanted(&r->capture);
	unsigned long grown = atomic_load(&r->capture.metadata.grown);
	int ret;

	ret = capture_scan(&r->capture, r->own ? r->args->session.timer : NULL);
	if (ret == -ENOENT) {
		trace_gone(r);
		return;
	}
	r->grown = grown;
	capture_scan_done(&r->capture, wanted);
	if (!ret)
		ret = capture_symbols(&r->capture, false);
	if (ret) {
		fail(r);
		end(r, CAPTURE_ABORT);
	}
}

static void handle_signal(struct record *r)
{
	switch (child_signal(&r->child, r->signals)) {
	case CHILD_NOTHING:
		return;
	case CHILD_ENDED:
	case CHILD_INTERRUPT:
		end(r, CAPTURE_DRAIN);
		return;
	case CHILD_ABORT:
		/* Not even that: the guard does the rest. */
		if (r->aborted)
			_exit(128 + SIGINT);
		r->aborted = true;
		warnx("aborted: data not written yet is lost");
		end(r, CAPTURE_ABORT);
		return;
	}
}

/* Until all remaining packets have been taken. */
static void run(struct record *r)
{
	bool show = !r->args->quiet && isatty(STDERR_FILENO);
	struct pollfd fds[] = {
		{ .fd = r->signals, .events = POLLIN },
		{ .fd = r->capture.wake, .events = POLLIN },
		{ .fd = r->capture.metadata.in, .events = POLLIN },
	};
	uint64_t next = now_ns() + PERIOD * 1000000ull, now;
	eventfd_t count;
	int timeout;

	while (atomic_load(&r->capture.busy)) {
		now = now_ns();
		timeout = next > now ? (next - now) / 1000000 + 1 : 0;
		if (poll(fds, 3, child_timeout(&r->child, timeout)) < 0 && errno != EINTR) {
			warn("poll");
			fail(r);
			end(r, CAPTURE_ABORT);
		}
		handle_signal(r);
		if (fds[1].revents)
			eventfd_read(r->capture.wake, &count);
		if (fds[2].revents & POLLIN && metadata_update(&r->capture.metadata)) {
			/* It stays so: there is nothing to wait for. */
			fds[2].fd = -1;
			fail(r);
			end(r, CAPTURE_ABORT);
		}
		if (fds[2].revents & (POLLHUP | POLLERR)) {
			fds[2].fd = -1;
			trace_gone(r);
		}
		if (atomic_load(&r->capture.failed) && !r->failed) {
			fail(r);
			end(r, CAPTURE_ABORT);
		}
		now = now_ns();
		if (!r->ending && (now >= next || capture_scan_wanted(&r->capture) ||
				   r->grown != atomic_load(&r->capture.metadata.grown)))
			look_round(r);
		if (now >= next) {
			if (show)
				progress_show(&r->progress, &r->capture);
			next = now + PERIOD * 1000000ull;
		}
	}
	/* All threads have failed while we were looking round. */
	if (!r->ending) {
		fail(r);
		end(r, CAPTURE_ABORT);
	}
	progress_clear(&r->progress);
}

static int capture_trace(struct record *r)
{
	struct capture *c = &r->capture;
	int ret;

	ret = capture_open(c, r->name, r->own, r->args->live,
			   r->args->dir ? &sink_directory : &sink_relay, r->args->output,
			   r->signals, r->args->threads);
	if (ret == -ECANCELED)
		child_cancel(&r->child, r->signals);
	if (!ret) {
		r->grown = atomic_load(&c->metadata.grown);
		ret = capture_scan(c, r->own ? r->args->session.timer : NULL);
	}
	if (!ret && r->args->follow)
		ret = child_follow(&r->child, r->name);
	if (!ret && r->own)
		ret = session_start(r->name);
	if (!ret && r->args->command)
		ret = child_start(&r->child, r->args->command, r->signals);
	progress_begin(&r->progress);
	if (ret > 0) {
		/* As if it had come later. */
		end(r, CAPTURE_DRAIN);
		ret = 0;
	} else if (ret) {
		fail(r);
		end(r, CAPTURE_ABORT);
	} else if (capture_symbols(c, false)) {
		fail(r);
		end(r, CAPTURE_ABORT);
	}
	run(r);
	if (capture_join(c))
		fail(r);
	/* Modules that were loaded last. */
	if (!r->failed && (metadata_update(&c->metadata) || capture_symbols(c, true)))
		fail(r);
	if (!r->args->quiet && !ret) {
		progress_summary(c, r->args->output, r->events);
		if (c->sink->summary)
			c->sink->summary(c);
	}
	capture_close(c);
	if (atomic_load(&c->failed))
		fail(r);
	if (!ret && r->args->names && names_directory(r->args->dir, r->args->names))
		fail(r);
	return ret;
}

static int record(const struct arguments *a)
{
	struct record r = { .args = a, .own = !a->trace, .events = PROGRESS_UNKNOWN };
	int made;

	/* Of lttng-relayd there is nothing to undo. */
	made = a->dir ? ondisk_make(a->dir) : 1;
	if (made < 0) {
		error(0, -made, "%s", a->dir);
		return EXIT_FAILURE;
	}
	if (r.own)
		session_own_name(r.name, sizeof(r.name), "record");
	else
		snprintf(r.name, sizeof(r.name), "%s", a->trace);
	r.signals = child_signals();
	if (r.signals < 0 || guard_start(&r.guard, r.own ? r.name : NULL, a->dir)) {
		if (!made)
			rmdir(a->dir);
		return EXIT_FAILURE;
	}
	if (r.own && session_create(r.name, &a->session)) {
		fail(&r);
		if (!made)
			rmdir(a->dir);
	} else {
		r.live = r.own;
		capture_trace(&r);
		/* We exit with its status. */
		if (!r.aborted && !child_wait(&r.child, r.signals, -1))
			r.aborted = true;
	}
	guard_end(&r.guard, r.left);
	close(r.signals);
	if (r.aborted)
		return 128 + SIGINT;
	return r.child.status ?: r.failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/**
 * ltt_cmd_record() - ltt record
 * @argc:	number of arguments
 * @argv:	the arguments, see ltt.h
 *
 * Return: exit status.
 */
int ltt_cmd_record(int argc, char **argv)
{
	static const struct argp_child children[] = { { .argp = &session_argp }, { } };
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "-o DIRECTORY -e PATTERN... [[--follow] -- COMMAND [ARGUMENT...]]\n"
			    "-o DIRECTORY -t NAME [-- COMMAND [ARGUMENT...]]",
		.doc = "Capture a trace into a directory, for `ltt view' and other programs that read\n"
		       "CTF.\vWith patterns, a trace is created, and destroyed at the end. Recording ends\n"
		       "when COMMAND exits, at Ctrl-C, or when the trace is destroyed. A second Ctrl-C\n"
		       "ends it at once; data not written yet is lost then. With COMMAND, the exit\n"
		       "status is that of COMMAND.",
		.children = children,
	};
	struct arguments a = { .threads = 1 };
	int ret;

	/* In order: options of the command are its own. */
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &a);
	if (!a.trace && !a.session.timer)
		a.session.timer = DEFAULT_TIMER;
	ret = control_open() || (a.trace && control_check_trace(a.trace)) ? EXIT_FAILURE
									 : record(&a);
	free(a.session.patterns);
	free(a.session.filters);
	return ret;
}
