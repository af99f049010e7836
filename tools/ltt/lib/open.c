// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: trace directories, and errors about them.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/kernel.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctf/ctf.h"
#include "jobs.h"
#include "live.h"
#include "stream.h"
#include "symbols.h"

#define METADATA	"metadata"

/* Offsets of one machine's clock from real time, of traces made at different times. */
#define SAME_BOOT_NS	2000000000ull

static __printf(6, 0)
void describe(struct libltt_problem *problem, enum libltt_severity severity, int code,
	      const char *file, u64 offset, const char *format, va_list args)
{
	problem->severity = severity;
	problem->code = code;
	snprintf(problem->file, sizeof(problem->file), "%s", file);
	problem->offset = offset;
	vsnprintf(problem->text, sizeof(problem->text), format, args);
}

/**
 * lib_fail() - say what went wrong
 * @error:	where, may be NULL
 * @code:	positive errno
 * @file:	name of the file
 * @offset:	in the file, or LIBLTT_NO_OFFSET
 * @format:	what went wrong
 *
 * Return: -@code.
 */
int lib_fail(struct libltt_problem *error, int code, const char *file, u64 offset,
	     const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (error)
		describe(error, LIBLTT_ERROR, code, file, offset, format, args);
	va_end(args);
	return -code;
}

/**
 * lib_report() - tell the user of a problem
 * @ltt:	whose user
 * @severity:	of the problem
 * @code:	positive errno
 * @file:	name of the file
 * @offset:	in the file, or LIBLTT_NO_OFFSET
 * @format:	what is wrong
 */
void lib_report(struct libltt *ltt, enum libltt_severity severity, int code,
		const char *file, u64 offset, const char *format, ...)
{
	struct libltt_problem problem;
	va_list args;

	if (severity == LIBLTT_ERROR)
		ltt->errors++;
	if (!ltt->options.report)
		return;
	va_start(args, format);
	describe(&problem, severity, code, file, offset, format, args);
	va_end(args);
	ltt->options.report(&problem, ltt->options.data);
}

static char *path(const char *dir, const char *name)
{
	char *text;

	return asprintf(&text, "%s/%s", dir, name) < 0 ? NULL : text;
}

/* ---- a trace ----------------------------------------------------------------- */

/**
 * lib_trace_complete() - do the metadata declare what is needed at least?
 * @trace:	the trace; strings that are not declared become empty
 * @error:	what went wrong if there is no memory
 *
 * Return: 0; -EBADMSG: they do not; -ENOMEM.
 */
int lib_trace_complete(struct lib_trace *trace, struct libltt_problem *error)
{
	const char **strings[] = {
		&trace->pub.name, &trace->pub.clock, &trace->pub.hostname,
		&trace->pub.release,
	};
	unsigned int i;

	if (!trace->order_known || !trace->clock_known)
		return -EBADMSG;
	for (i = 0; i < ARRAY_SIZE(strings); i++) {
		if (!*strings[i])
			*strings[i] = strdup("");
		if (!*strings[i])
			return lib_fail(error, ENOMEM, trace->metadata, LIBLTT_NO_OFFSET,
					"out of memory");
	}
	return 0;
}

static int read_metadata(struct libltt *ltt, struct lib_trace *trace, int fd,
			 unsigned int first, struct libltt_problem *error)
{
	size_t size;
	char *text;
	int err;

	err = lib_file_load_fd(fd, trace->metadata, LIB_METADATA_MAX, &text, &size, error);
	if (err)
		return err;
	if (ctf_is_other(text, size)) {
		err = ctf_trace_open(ltt, trace, text, size, first, error) ?:
		      lib_trace_complete(trace, error);
		free(text);
		return err;
	}
	err = lib_metadata_parse(trace, text, size, error);
	free(text);
	if (!err && (!trace->order_known || !trace->clock_known))
		err = lib_fail(error, EBADMSG, trace->metadata, size,
			       "byte order or clock not declared");
	if (err == -ENOMEM || lib_trace_complete(trace, error)) {
		error->severity = LIBLTT_ERROR;
		return -error->code;
	}
	/* What was declared before it can be read. */
	if (err)
		lib_report(ltt, error->severity, error->code, error->file, error->offset,
			   "%s", error->text);
	return 0;
}

/**
 * lib_trace_free() - free what was declared
 * @trace:	the trace; whatever is not known of it is zero
 */
void lib_trace_free(struct lib_trace *trace)
{
	lib_channels_free(trace);
	ctf_trace_free(trace->ctf);
	lib_symbols_free(trace->symbols);
	free((void *)trace->pub.name);
	free((void *)trace->pub.clock);
	free((void *)trace->pub.hostname);
	free((void *)trace->pub.release);
	free(trace->dir);
	free(trace->metadata);
}

/**
 * lib_is_same_boot() - have two traces been recorded between the same two starts of a machine?
 * @a:		a trace
 * @b:		another one
 *
 * By its name, and when their clocks were 0, which is when it was started.
 */
bool lib_is_same_boot(const struct libltt_trace *a, const struct libltt_trace *b)
{
	u64 apart = a->real_offset - b->real_offset;

	if ((s64)apart < 0)
		apart = -apart;
	return !strcmp(a->hostname, b->hostname) && apart < SAME_BOOT_NS;
}

/**
 * lib_clocks_check() - can times of traces be compared?
 * @ltt:	the traces, the metadata of which are known
 * @error:	which cannot
 *
 * Of one clock of one machine, or as wall-clock time.
 *
 * Return: 0 or -EINVAL.
 */
int lib_clocks_check(const struct libltt *ltt, struct libltt_problem *error)
{
	const struct libltt_trace *first = &ltt->traces[0].pub, *other;
	unsigned int i;

	for (i = 1; i < ltt->nr_traces; i++) {
		other = &ltt->traces[i].pub;
		if (ltt->options.flags & LIBLTT_WALL) {
			/* A clock of no time can't be shown as one. */
			if (!first->real_offset == !other->real_offset)
				continue;
		} else {
			if (!strcmp(first->clock, other->clock) && lib_is_same_boot(first, other))
				continue;
		}
		return lib_fail(error, EINVAL, ltt->traces[i].dir, LIBLTT_NO_OFFSET,
				"timestamps cannot be compared with those of %s",
				ltt->traces[0].dir);
	}
	return 0;
}

/* ---- streams ----------------------------------------------------------------- */

/**
 * lib_streams_grow() - have room for another stream
 * @ltt:	the traces
 * @room:	entries of @ltt->streams
 *
 * Return: 0 or -ENOMEM.
 */
int lib_streams_grow(struct libltt *ltt, unsigned int *room)
{
	unsigned int more = *room ? 2 * *room : 16;
	struct lib_stream *streams;

	if (ltt->nr_streams < *room)
		return 0;
	/* realloc() knows nothing of cache lines. */
	streams = aligned_alloc(__alignof__(*streams), more * sizeof(*streams));
	if (!streams)
		return -ENOMEM;
	if (ltt->nr_streams)
		memcpy(streams, ltt->streams, ltt->nr_streams * sizeof(*streams));
	free(ltt->streams);
	ltt->streams = streams;
	*room = more;
	return 0;
}

static int add_stream(struct libltt *ltt, struct lib_trace *trace, const char *name,
		      unsigned int *room)
{
	char *file;

	if (lib_streams_grow(ltt, room))
		return -ENOMEM;
	file = path(trace->dir, name);
	if (!file)
		return -ENOMEM;
	lib_stream_open(trace, file, &ltt->streams[ltt->nr_streams++]);
	return 0;
}

/* All files except the metadata, hidden files and directories. */
static bool is_stream(DIR *dir, const char *name)
{
	struct stat st;

	if (name[0] == '.' || !strcmp(name, METADATA))
		return false;
	return fstatat(dirfd(dir), name, &st, 0) || !S_ISDIR(st.st_mode);
}

static int open_streams(struct libltt *ltt, struct lib_trace *trace, unsigned int *room,
			struct libltt_problem *error)
{
	DIR *dir = opendir(trace->dir);
	struct dirent *entry;
	int err = 0;

	if (!dir) {
		err = errno;
		return lib_fail(error, err, trace->dir, LIBLTT_NO_OFFSET, "%s",
				strerror(err));
	}
	while (!err) {
		errno = 0;
		entry = readdir(dir);
		if (!entry) {
			err = -errno;
			break;
		}
		if (is_stream(dir, entry->d_name))
			err = add_stream(ltt, trace, entry->d_name, room);
	}
	closedir(dir);
	if (err)
		lib_fail(error, -err, trace->dir, LIBLTT_NO_OFFSET, "%s", strerror(-err));
	return err;
}

/*
 * Streams first, then the metadata: a recorder writes a packet after the metadata that it
 * needs. So all that is in what the streams have now is declared in what is read then.
 */
static int open_trace(struct libltt *ltt, struct lib_trace *trace, const char *dir,
		      unsigned int *room, struct libltt_problem *error)
{
	unsigned int first = ltt->nr_streams;
	int err, fd;
	u64 size;

	trace->number = trace - ltt->traces;
	trace->of = ltt->nr_traces;
	trace->style = ltt->out.style;
	trace->dir = strdup(dir);
	trace->metadata = path(dir, METADATA);
	if (!trace->dir || !trace->metadata)
		return lib_fail(error, ENOMEM, dir, LIBLTT_NO_OFFSET, "out of memory");
	/* Without metadata it is not a trace: its files are not touched. */
	fd = lib_file_open(trace->metadata, &size, error);
	if (fd < 0)
		return fd;
	err = open_streams(ltt, trace, room, error) ?: read_metadata(ltt, trace, fd, first, error);
	close(fd);
	if (!err && ltt->options.flags & LIBLTT_WALL)
		trace->shift = trace->pub.real_offset;
	return err;
}

/* Those in which there is something to read. */
static void identify_streams(struct libltt *ltt)
{
	unsigned int i, nr = 0;

	for (i = 0; i < ltt->nr_streams; i++) {
		if (!lib_stream_identify(ltt, &ltt->streams[i]))
			lib_stream_close(&ltt->streams[i]);
		else if (nr++ != i)
			ltt->streams[nr - 1] = ltt->streams[i];
	}
	ltt->nr_streams = nr;
}

/**
 * lib_streams_compare() - which of two streams comes first, for qsort()
 * @a:		a struct lib_stream
 * @b:		another one
 *
 * Events of one time and CPU come in the order of their streams.
 *
 * Return: less than 0 if @a does.
 */
int lib_streams_compare(const void *a, const void *b)
{
	const struct libltt_stream *x = &((const struct lib_stream *)a)->pub;
	const struct libltt_stream *y = &((const struct lib_stream *)b)->pub;

	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	if (x->trace != y->trace)
		return x->trace < y->trace ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return strcmp(x->file, y->file);
}

/**
 * lib_style_open() - choose the style of the lines
 * @ltt:	traces of which no kind of event is known yet
 * @name:	name of the style, NULL: the default
 * @error:	what is wrong with it
 *
 * Return: 0; -EINVAL: there is none; -EOPNOTSUPP: it needs the running kernel; -ENOMEM.
 */
int lib_style_open(struct libltt *ltt, const char *name, struct libltt_problem *error)
{
	const struct ltt_text_style *style = ltt_text_styles[0];

	if (name)
		style = ltt_style_find(name);
	if (!style)
		return lib_fail(error, EINVAL, name, LIBLTT_NO_OFFSET, "no such text style");
	if (style->live)
		return lib_fail(error, EOPNOTSUPP, name, LIBLTT_NO_OFFSET,
				"a text style that needs the running kernel");
	/* Each call brings its own buffer. */
	ltt_textbuf_init(&ltt->out, (char *)ltt, 0);
	if (ltt_style_open(&ltt->out, style))
		return lib_fail(error, ENOMEM, style->name, LIBLTT_NO_OFFSET, "out of memory");
	return 0;
}

static int open_all(struct libltt *ltt, const char *const dirs[],
		    struct libltt_problem *error)
{
	unsigned int i, room = 0;
	int err;

	err = lib_style_open(ltt, ltt->options.style, error);
	for (i = 0; i < ltt->nr_traces && !err; i++)
		err = open_trace(ltt, &ltt->traces[i], dirs[i], &room, error);
	if (!err)
		err = lib_clocks_check(ltt, error);
	if (err)
		return err;
	identify_streams(ltt);
	if (ltt->nr_streams)
		qsort(ltt->streams, ltt->nr_streams, sizeof(*ltt->streams), lib_streams_compare);
	ctf_chain(ltt);
	if (lib_stream_windows(ltt, 1) ||
	    ltt_merge_init(&ltt->merge, max(ltt->nr_streams, 1u)))
		return lib_fail(error, ENOMEM, dirs[0], LIBLTT_NO_OFFSET, "out of memory");
	return 0;
}

/**
 * libltt_open() - open traces
 * @dirs:	names of their directories
 * @nr:		how many, at least one
 * @options:	how to read, may be NULL
 * @error:	what is wrong if this fails
 *
 * All events of all the traces are read as one sequence, in the order of time, CPU,
 * number of the channel. Traces of different clocks or machines need LIBLTT_WALL.
 *
 * Each stream needs an open file.
 *
 * Return: the traces, to be closed by libltt_close(), or NULL.
 */
struct libltt *libltt_open(const char *const dirs[], unsigned int nr,
			   const struct libltt_options *options,
			   struct libltt_problem *error)
{
	struct libltt_problem ignored;
	struct libltt *ltt;

	if (!error)
		error = &ignored;
	if (!nr) {
		lib_fail(error, EINVAL, "", LIBLTT_NO_OFFSET, "no trace given");
		return NULL;
	}
	ltt = calloc(1, sizeof(*ltt));
	if (ltt)
		ltt->traces = calloc(nr, sizeof(*ltt->traces));
	if (!ltt || !ltt->traces) {
		free(ltt);
		lib_fail(error, ENOMEM, dirs[0], LIBLTT_NO_OFFSET, "out of memory");
		return NULL;
	}
	ltt->nr_traces = nr;
	ltt->end = U64_MAX;
	if (options)
		ltt->options = *options;
	if (open_all(ltt, dirs, error)) {
		libltt_close(ltt);
		return NULL;
	}
	return ltt;
}

/**
 * libltt_close() - close traces
 * @ltt:	what libltt_open() returned, NULL included
 */
void libltt_close(struct libltt *ltt)
{
	unsigned int i;

	if (!ltt)
		return;
	lib_jobs_stop(ltt);
	lib_live_close(ltt);
	for (i = 0; i < ltt->nr_streams; i++)
		lib_stream_close(&ltt->streams[i]);
	for (i = 0; i < ltt->nr_traces; i++)
		lib_trace_free(&ltt->traces[i]);
	if (ltt->out.style)
		ltt_style_close(&ltt->out);
	ltt_merge_destroy(&ltt->merge);
	free(ltt->streams);
	free(ltt->traces);
	free(ltt);
}
