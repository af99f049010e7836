// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the flight recorder's trace, and the loop that waits for windows.
 */

#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../capture/control.h"
#include "../capture/child.h"
#include "../common/now.h"
#include "flight.h"

/* After an error it is tried again, in ms: soon at first. */
#define RETRY_MIN	2000
#define RETRY_MAX	300000

/* How much later than it should, in ns, a window may end. */
#define GRACE		UINT64_C(10000000000)

/**
 * struct recorder - a flight recorder
 * @options:	what the user wants
 * @store:	where windows go
 * @list:	the kernel's file of windows
 * @metadata:	open to learn when the trace is destroyed
 * @signals:	descriptor for signals
 * @child:	no command, but what has come by it
 * @found:	windows that the last list had
 * @skipped:	those of them that were left in the kernel, because of a signal
 * @pending:	windows that were being taken then
 * @missed:	that found no room in the kernel, as far as it has been said
 * @failed:	a window could not be written: it is still in the kernel
 * @gone:	somebody has destroyed the trace
 * @ending:	we have been told to end
 * @aborted:	and that nobody wants to wait
 */
struct recorder {
	const struct flight_options *options;
	struct store store;
	int list;
	int metadata;
	int signals;
	struct child child;
	unsigned int found;
	unsigned int skipped;
	unsigned int pending;
	unsigned int missed;
	bool failed;
	bool gone;
	bool ending;
	bool aborted;
};

/* ---- the trace ----------------------------------------------------------------- */

static void mix(uint64_t *hash, const char *text)
{
	/* FNV-1a; the end of the text counts, too. */
	do {
		*hash = (*hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	} while (*text++);
}

/* Of all that the trace was configured with. */
static uint64_t hash_settings(const struct flight_options *o)
{
	const struct session_options *s = &o->session;
	const char *const single[] = {
		s->size, s->number, s->timer, s->contexts, s->budget,
		o->nr_on ? o->before : NULL, o->nr_on ? o->after : NULL, o->windows,
		s->per_channel ? "per-channel" : NULL,
	};
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	unsigned int i;

	for (i = 0; i < s->nr_patterns; i++)
		mix(&hash, s->patterns[i]);
	mix(&hash, "");
	for (i = 0; i < s->nr_filters; i++)
		mix(&hash, s->filters[i]);
	mix(&hash, "");
	for (i = 0; i < o->nr_on; i++)
		mix(&hash, o->on[i]);
	for (i = 0; i < sizeof(single) / sizeof(*single); i++)
		mix(&hash, single[i] ?: "");
	return hash;
}

/* The trace is there, and we know that it is ours. */
static int make_own(struct recorder *r)
{
	struct store *store = &r->store;
	int ret = control_write(r->options->name, "setup_trace");

	if (ret)
		return ret;
	snprintf(store->trace, sizeof(store->trace), "%s", r->options->name);
	store->settings = hash_settings(r->options);
	store->ready = false;
	store->unarmed = false;
	ret = session_uuid(store->trace, store->uuid);
	if (ret)
		error(0, -ret, "traces/%s/binary/metadata", store->trace);
	ret = ret ?: store_save(store);
	if (ret)
		session_destroy(r->options->name);
	return ret;
}

/*
 * By a process of its own: if we are killed meanwhile, it goes on, so that no trace is left
 * that is not known to be ours.
 */
static int make_trace(struct recorder *r)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0) {
		warn("fork");
		return -EAGAIN;
	}
	if (!pid)
		_exit(make_own(r) ? EXIT_FAILURE : EXIT_SUCCESS);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EIO;
}

static int write_trigger(const struct flight_options *o, const char *on)
{
	char line[LTT_REQUEST_MAX];
	int len;

	len = snprintf(line, sizeof(line), "on %s do snapshot%s%s%s%s", on,
		       o->before ? " before " : "", o->before ?: "", o->after ? " after " : "",
		       o->after ?: "");
	if (len >= (int)sizeof(line)) {
		warnx("trigger too long");
		return -E2BIG;
	}
	return control_write(line, "traces/%s/triggers", o->name);
}

/* Older ones have none. */
static bool has_triggers(const struct flight_options *o)
{
	char path[128];

	snprintf(path, sizeof(path), "traces/%s/triggers", o->name);
	return !faccessat(control_fd(), path, F_OK, 0) || errno != ENOENT;
}

static int remove_triggers(const struct flight_options *o)
{
	return has_triggers(o) ? control_write("none", "traces/%s/triggers", o->name) : 0;
}

static int write_triggers(const struct flight_options *o)
{
	unsigned int i;
	int ret = 0;

	if (!o->nr_on)
		return 0;
	if (!has_triggers(o)) {
		warnx("this kernel's LTT has no triggers: without --on, windows are taken by hand");
		return -EOPNOTSUPP;
	}
	for (i = 0; !ret && i < o->nr_on; i++)
		ret = write_trigger(o, o->on[i]);
	return ret;
}

/* What is written down before says that they may be missing. */
static int disarm(struct recorder *r)
{
	if (r->options->nr_on) {
		r->store.unarmed = true;
		/* A full disk is no reason not to end: see stays(). */
		if (store_save(&r->store))
			r->store.unarmed = false;
	}
	/* There may be others, by hand. */
	return remove_triggers(r->options);
}

/* Those that disarm() may have removed. */
static int arm(struct recorder *r)
{
	const struct flight_options *o = r->options;
	int ret;

	if (!o->nr_on)
		return 0;
	ret = remove_triggers(o) ?: write_triggers(o);
	if (ret)
		return ret;
	r->store.unarmed = false;
	return store_save(&r->store);
}

static void forget_trace(struct store *store)
{
	*store->trace = '\0';
	store_save(store);
}

static int create(struct recorder *r)
{
	const struct flight_options *o = r->options;
	struct store *store = &r->store;
	int ret;

	ret = make_trace(r);
	if (ret)
		return ret;
	/* The other process has not told us. */
	snprintf(store->trace, sizeof(store->trace), "%s", o->name);
	store->settings = hash_settings(o);
	store->unarmed = false;
	ret = session_uuid(o->name, store->uuid);
	if (ret) {
		error(0, -ret, "traces/%s/binary/metadata", o->name);
		session_destroy(o->name);
	} else {
		ret = session_configure(o->name, &o->session);
	}
	if (!ret) {
		ret = control_write(o->windows, "traces/%s/snapshot_max", o->name) ?:
		      write_triggers(o);
		if (!ret) {
			store->ready = true;
			ret = store_save(store);
		}
		if (ret)
			session_destroy(o->name);
	}
	if (ret)
		forget_trace(store);
	return ret ?: session_start(o->name);
}

static bool is_there(const char *trace)
{
	char path[128];

	snprintf(path, sizeof(path), "traces/%s/enabled", trace);
	return !faccessat(control_fd(), path, F_OK, 0);
}

/* Is the trace the one which we made, and there? Return: 1; 0; a negative errno, which is said. */
static int is_ours(const struct store *store)
{
	char uuid[SESSION_UUID_SIZE];
	int ret;

	if (!*store->trace || !is_there(store->trace))
		return 0;
	ret = session_uuid(store->trace, uuid);
	if (!ret)
		return !strcmp(uuid, store->uuid);
	if (ret == -ENOENT || ret == -ENODEV)
		return 0;
	error(0, -ret, "traces/%s/binary/metadata", store->trace);
	return ret;
}

/* ---- windows ------------------------------------------------------------------- */

static void close_trace(struct recorder *r)
{
	if (r->list >= 0)
		close(r->list);
	if (r->metadata >= 0)
		close(r->metadata);
	r->list = -1;
	r->metadata = -1;
}

static int open_one(const char *trace, const char *file)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "traces/%s/%s", trace, file);
	fd = openat(control_fd(), path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		warn("%s", path);
	return fd;
}

static int open_trace(struct recorder *r)
{
	r->list = open_one(r->options->name, "snapshot");
	r->metadata = open_one(r->options->name, "binary/metadata");
	r->missed = 0;
	return r->list < 0 || r->metadata < 0 ? -ENOENT : 0;
}

/* Take one, unless that has been done, and give its memory back to the kernel. */
static int collect(struct recorder *r, char *line)
{
	struct window window = { };
	char request[16];
	int why = 0, ret = 0;

	if (sscanf(line, "%u %*s %n", &window.number, &why) != 1) {
		warnx("traces/%s/snapshot: unexpected line '%s'", r->options->name, line);
		return -EBADMSG;
	}
	window.why = line + (why ?: (int)strlen(line));
	if (!kept_has(&r->store, window.number))
		ret = window_take(&r->store, r->options, &window);
	if (ret)
		return ret;
	snprintf(request, sizeof(request), "!%u", window.number);
	control_write(request, "traces/%s/snapshot", r->options->name);
	kept_limit(&r->store, r->options->keep, r->options->max_size, true);
	return 0;
}

/* "# 1 being taken, 0 missed" */
static void note_counts(struct recorder *r, const char *line)
{
	unsigned int missed;

	if (sscanf(line, "# %u being taken, %u missed", &r->pending, &missed) != 2)
		return;
	if (missed > r->missed)
		warnx("%s: %u windows were not taken, because there was no room in the kernel: see --windows",
		      r->options->name, missed - r->missed);
	r->missed = missed;
}

/* The list, as it is now; NULL: see errno. */
static char *read_list(const struct recorder *r)
{
	char *text = NULL;
	int error = 0;
	size_t size;
	ssize_t n;
	FILE *out = open_memstream(&text, &size);
	char buf[4096];

	if (!out)
		return NULL;
	n = lseek(r->list, 0, SEEK_SET);
	while (n >= 0 && (n = read(r->list, buf, sizeof(buf))) > 0)
		fwrite(buf, 1, n, out);
	if (n < 0)
		error = errno;
	if (fclose(out))
		error = error ?: ENOMEM;
	if (!error)
		return text;
	free(text);
	errno = error;
	return NULL;
}

/* Has somebody destroyed the trace? */
static bool is_destroyed(const struct recorder *r)
{
	struct pollfd fd = { .fd = r->metadata, .events = 0 };
	struct stat st;

	return poll(&fd, 1, 0) > 0 || (!fstat(r->list, &st) && !st.st_nlink);
}

static void interrupt(struct recorder *r)
{
	enum child_event event;

	while ((event = child_signal(&r->child, r->signals)) != CHILD_NOTHING) {
		r->ending = true;
		r->aborted |= event == CHILD_ABORT;
	}
}

/*
 * One window after the other, until *@stop, which a signal sets: the rest is skipped. Those that
 * come meanwhile are told by poll().
 */
static void collect_all(struct recorder *r, const bool *stop)
{
	char *text = read_list(r), *line, *next;
	const int error = errno;

	r->failed = false;
	if (!text) {
		/* Or it is being destroyed. */
		r->gone = error == ENODEV || is_destroyed(r);
		r->failed = !r->gone;
		if (r->failed)
			warnx("traces/%s/snapshot: %s", r->options->name, strerror(error));
		return;
	}
	r->found = 0;
	r->skipped = 0;
	for (line = text; *line; line = next) {
		next = control_cut_line(line);
		if (*line == '#') {
			note_counts(r, line);
			continue;
		}
		r->found++;
		interrupt(r);
		if (*stop)
			r->skipped++;
		else if (collect(r, line))
			r->failed = true;
	}
	free(text);
}

/* Sleep until there is something to do, @timeout ms at most, -1: for ever. */
static void wait_for_news(struct recorder *r, int timeout)
{
	struct pollfd fds[] = {
		{ .fd = r->signals, .events = POLLIN },
		{ .fd = r->list, .events = POLLPRI },
		/* No event but that it has ended. */
		{ .fd = r->metadata, .events = 0 },
	};

	if (poll(fds, 3, child_timeout(&r->child, timeout)) < 0 && errno != EINTR)
		warn("poll");
	interrupt(r);
	if (fds[2].revents)
		r->gone = true;
}

/*
 * All windows, those that are being taken, and those that somebody takes meanwhile: until none is
 * left, or no more can be written, or *@stop; or, for those that are being taken, the deadline.
 * While there was something to write, which takes its time, they may have come.
 */
static void drain(struct recorder *r, const bool *stop, uint64_t deadline)
{
	for (;;) {
		collect_all(r, stop);
		if (r->gone || *stop ||
		    ((r->failed || !r->found) && (!r->pending || now_ns() >= deadline)))
			return;
		wait_for_news(r, r->pending || r->failed ? 1000 : 0);
	}
}

static int say_left(const struct recorder *r)
{
	warnx("%s: windows are left, so the trace stays: start ltt flight again, or ltt destroy %s",
	      r->options->name, r->options->name);
	return -EIO;
}

/* ---- the beginning ------------------------------------------------------------- */

/* Return: 0: it has no window any more; or a negative errno, which is said: it stays. */
static int empty(struct recorder *r)
{
	const char *name = r->options->name;

	collect_all(r, &r->ending);
	if (r->failed) {
		warnx("%s: its windows cannot be written, so it stays as it was", name);
		return -EIO;
	}
	if (r->gone)
		return 0;
	if (r->skipped)
		return say_left(r);
	/* Without triggers it is not what anybody has asked for. */
	r->store.settings = 0;
	if (store_save(&r->store) || remove_triggers(r->options))
		return -EIO;
	drain(r, &r->ending, UINT64_MAX);
	if (r->gone || (!r->failed && !r->found && !r->pending))
		return 0;
	return say_left(r);
}

/* A trace that is not as it is to be now is replaced; its windows are not lost. */
static int replace(struct recorder *r)
{
	int ret = 0;

	if (r->store.ready) {
		if (!r->options->quiet)
			warnx("%s: other options than before, begins anew", r->options->name);
		ret = open_trace(r) ?: empty(r);
		close_trace(r);
	}
	if (!ret && !r->gone)
		ret = session_destroy(r->options->name);
	r->gone = false;
	return ret ?: create(r);
}

static int adopt_or_create(struct recorder *r)
{
	const struct flight_options *o = r->options;
	struct store *store = &r->store;
	int ours = is_ours(store);

	if (ours < 0)
		return ours;
	if (ours && strcmp(store->trace, o->name)) {
		warnx("%s: belongs to trace %s, which is still there", store->path, store->trace);
		return -EBUSY;
	}
	if (!is_there(o->name))
		return create(r);
	if (!ours) {
		warnx("trace %s is there already, and was not made for %s: use another name, or ltt destroy %s",
		      o->name, store->path, o->name);
		return -EEXIST;
	}
	if (!store->ready || store->settings != hash_settings(o))
		return replace(r);
	if (!o->quiet)
		warnx("%s: goes on", o->name);
	return (store->unarmed ? arm(r) : 0) ?: session_start(o->name);
}

static void say_ready(const struct recorder *r)
{
	char *text = control_read("traces/%s/budget", r->options->name);
	uint64_t taken = 0;

	if (text)
		sscanf(text, "%*u\n# %" SCNu64 " taken", &taken);
	free(text);
	fprintf(stderr, "%s: records into %" PRIu64 " KiB, windows go to %s\n", r->options->name,
		taken >> 10, r->store.path);
}

/* ---- the end ------------------------------------------------------------------- */

static void run(struct recorder *r)
{
	int retry = RETRY_MIN;

	while (!r->ending && !r->gone) {
		collect_all(r, &r->ending);
		if (r->gone || r->ending)
			break;
		wait_for_news(r, r->failed ? retry : -1);
		if (!r->failed)
			retry = RETRY_MIN;
		else
			retry = retry < RETRY_MAX / 2 ? 2 * retry : RETRY_MAX;
	}
}

/* The trace is as it was before disarm(), or whoever comes next makes it so. */
static int stays(struct recorder *r, int ret)
{
	if (!r->store.unarmed)
		arm(r);
	return ret;
}

/* Those that have been triggered are waited for. Then our trace records nothing more. */
static int finish(struct recorder *r)
{
	const struct flight_options *o = r->options;
	uint64_t deadline = now_ns() + o->after_ns + GRACE;
	bool lost;

	if (disarm(r))
		return stays(r, -EIO);
	drain(r, &r->aborted, deadline);
	if (r->gone)
		return 0;
	if (r->failed && !r->aborted)
		return stays(r, say_left(r));
	lost = r->failed || r->pending || r->skipped;
	if (lost)
		warnx("%s: windows that were not on disk yet are lost", o->name);
	close_trace(r);
	if (session_destroy(o->name))
		return stays(r, -EIO);
	forget_trace(&r->store);
	return lost ? -EIO : 0;
}

static int record(struct recorder *r)
{
	const struct flight_options *o = r->options;
	int ret;

	ret = adopt_or_create(r) ?: open_trace(r);
	if (ret)
		return ret;
	kept_limit(&r->store, o->keep, o->max_size, false);
	if (!o->quiet)
		say_ready(r);
	run(r);
	if (r->gone) {
		warnx("trace %s was destroyed", o->name);
		return 0;
	}
	return o->stay ? 0 : finish(r);
}

/**
 * flight_record() - record until we are told to end
 * @options:	what the user wants
 *
 * control_open() has been called. Says what is wrong.
 *
 * Return: exit status.
 */
int flight_record(const struct flight_options *options)
{
	struct recorder r = { .options = options, .list = -1, .metadata = -1 };
	int ret;

	r.signals = child_signals();
	ret = r.signals < 0 ? r.signals : store_open(&r.store, options);
	if (!ret)
		ret = record(&r);
	close_trace(&r);
	if (r.signals >= 0) {
		store_close(&r.store);
		close(r.signals);
	}
	if (r.aborted)
		return 128 + SIGINT;
	return ret ? EXIT_FAILURE : EXIT_SUCCESS;
}
