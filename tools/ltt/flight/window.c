// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: a window out of the kernel, into a directory as ltt record writes it.
 */

#include <endian.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../capture/capture.h"
#include "../capture/control.h"
#include "../common/ondisk.h"
#include "../capture/progress.h"
#include "../lib/ctf_index.h"
#include "flight.h"

#define NSEC_PER_SEC	UINT64_C(1000000000)

/**
 * struct facts - what the kernel says of a window
 * @text:	its file info
 * @taken:	ns, when it was
 * @end:	ns
 * @events:	in it
 */
struct facts {
	char *text;
	uint64_t taken;
	uint64_t end;
	uint64_t events;
};

/* The value of a line "NAME SECONDS.NANOSECONDS", or "NAME NUMBER". */
static bool find_number(const char *text, const char *name, uint64_t *value)
{
	size_t len = strlen(name);
	uint64_t ns;
	int n;

	for (; *text; text = strchrnul(text, '\n'), text += *text == '\n') {
		if (strncmp(text, name, len) || text[len] != ' ')
			continue;
		n = sscanf(text + len, " %" SCNu64 ".%9" SCNu64, value, &ns);
		if (n == 2)
			*value = *value * NSEC_PER_SEC + ns;
		return n >= 1;
	}
	return false;
}

static int read_facts(struct facts *facts, const char *trace)
{
	int ret;

	facts->text = control_read("traces/%s/info", trace);
	if (!facts->text) {
		ret = -errno;
		error(0, -ret, "traces/%s/info", trace);
		return ret;
	}
	if (find_number(facts->text, "taken", &facts->taken) &&
	    find_number(facts->text, "end", &facts->end) &&
	    find_number(facts->text, "events", &facts->events))
		return 0;
	warnx("traces/%s/info: unexpected contents", trace);
	return -EBADMSG;
}

static int write_info(const struct capture *capture, const struct facts *facts)
{
	int fd, ret;

	if (mkdirat(capture->dir, "flight", 0700))
		return -errno;
	fd = openat(capture->dir, "flight/info", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	ret = ondisk_write(fd, facts->text, strlen(facts->text));
	if (close(fd) && !ret)
		ret = -errno;
	return ret;
}

/* All that can be taken is there: the window has ended. Says what is wrong. */
static int take_all(struct capture *capture)
{
	int ret = capture_scan(capture, NULL);

	if (ret == -ENOENT)
		error(0, -ret, "traces/%s", capture->trace);
	capture_end(capture, ret ? CAPTURE_ABORT : CAPTURE_DRAIN);
	ret = capture_join(capture) ?: ret;
	if (!ret)
		ret = metadata_update(&capture->metadata);
	if (!ret && atomic_load(&capture->metadata.symbols))
		ret = symbols_update(&capture->symbols, capture->dir, true);
	return ret;
}

/* ---- is it long enough? --------------------------------------------------------- */

/**
 * struct reach - how far back the buffers reach
 * @trace:	name of the trace of which it is a window
 * @wanted:	ns, when it should have begun
 * @begin:	ns, when the shortest stream does
 * @name:	of that
 * @number:	sub-buffers of that
 */
struct reach {
	const char *trace;
	uint64_t wanted;
	uint64_t begin;
	const char *name;
	unsigned int number;
};

/*
 * A stream that has as many packets as there are sub-buffers had more, which were overwritten.
 * One of them may be empty.
 */
static void look_at(struct reach *reach, const struct capture *capture,
		    const struct capture_stream *stream)
{
	struct ltt_index_entry first;
	char name[NAME_MAX + 1], *number;
	unsigned int wanted;
	struct stat st;
	int fd;

	number = control_read("traces/%s/channels/%s/subbuf_num", reach->trace,
			      stream->channel->name);
	wanted = number ? strtoul(number, NULL, 10) : 0;
	free(number);
	snprintf(name, sizeof(name), "%s" LTT_INDEX_SUFFIX, stream->name);
	fd = wanted ? openat(capture->index, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1;
	if (fd < 0)
		return;
	if (!fstat(fd, &st) &&
	    (st.st_size - sizeof(struct ltt_index_header)) / sizeof(first) + 1 >= wanted &&
	    pread(fd, &first, sizeof(first), sizeof(struct ltt_index_header)) == sizeof(first) &&
	    be64toh(first.timestamp_begin) > reach->begin) {
		reach->begin = be64toh(first.timestamp_begin);
		reach->name = stream->name;
		reach->number = wanted;
	}
	close(fd);
}

/* Say how large the buffers should be, if they are too small for what was wanted. */
static void check_reach(const struct capture *capture, const struct flight_options *options,
			const struct facts *facts, const char *name)
{
	uint64_t wanted = facts->taken > options->before_ns ? facts->taken - options->before_ns : 0;
	struct reach reach = { .trace = options->name, .wanted = wanted, .begin = wanted };
	uint64_t number;
	unsigned int i;

	for (i = 0; i < capture->nr_streams; i++)
		look_at(&reach, capture, capture->streams[i]);
	if (!reach.name)
		return;
	number = reach.number;
	/* What it would take at this rate, as the next power of two. */
	while (number < UINT_MAX &&
	       (double)number * (facts->end - reach.begin) <
	       (double)reach.number * (facts->end - wanted))
		number *= 2;
	warnx("%s: %s begins %.3f s before it was taken, not %s: try --number=%" PRIu64, name,
	      reach.name, ((double)facts->taken - reach.begin) / NSEC_PER_SEC, options->before,
	      number);
}

/* ---- from there to here ---------------------------------------------------------- */

/* @dir: a new directory. */
static int fill(const char *dir, const char *trace, const char *name,
		const struct flight_options *options, const struct facts *facts)
{
	struct capture capture;
	int ret;

	/* What was lost before it is not the window's. */
	ret = capture_open(&capture, trace, false, false, &sink_directory, dir, -1, 1);
	if (!ret) {
		ret = take_all(&capture);
	} else {
		capture_end(&capture, CAPTURE_ABORT);
		capture_join(&capture);
	}
	if (!ret) {
		ret = write_info(&capture, facts);
		if (ret)
			error(0, -ret, "%s/flight/info", dir);
	}
	if (!ret && options->before)
		check_reach(&capture, options, facts, name);
	if (!ret && !options->quiet)
		progress_summary(&capture, name, facts->events);
	capture_close(&capture);
	return ret ?: atomic_load(&capture.failed);
}

/**
 * window_take() - write a window to disk
 * @store:	where
 * @options:	what the user wants
 * @window:	the window
 *
 * It is not removed from the kernel. Says what is wrong; then nothing of it is on disk.
 *
 * Return: 0, or a negative errno.
 */
int window_take(struct store *store, const struct flight_options *options,
		const struct window *window)
{
	char trace[FLIGHT_NAME_SIZE + 32], name[NAME_MAX + 1], *dir = NULL;
	struct facts facts = { };
	int ret;

	snprintf(trace, sizeof(trace), "%s/snapshots/%u", options->name, window->number);
	ret = read_facts(&facts, trace);
	if (!ret)
		ret = kept_name(store, facts.taken, name);
	if (!ret) {
		dir = store_tmp(store, name);
		ret = dir ? 0 : -ENOMEM;
	}
	if (!ret && mkdir(dir, 0700)) {
		ret = -errno;
		warn("%s", dir);
	} else if (!ret) {
		if (!options->quiet)
			fprintf(stderr, "%s: window %u, %s\n", name, window->number, window->why);
		ret = fill(dir, trace, name, options, &facts) ?:
		      kept_seal(store, name, window->number);
		if (ret)
			store_clean(store, name);
	}
	if (!ret) {
		store->next++;
		/* If it fails, the number is found by what is in the directory. */
		store_save(store);
	}
	free(dir);
	free(facts.text);
	return ret;
}
