// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the main thread's part of a capture: finds streams, and says how to end.
 */

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture.h"
#include "control.h"
#include "session.h"

/**
 * capture_raise_limit() - let us have as many open files as possible
 *
 * Some for each channel and CPU may be many.
 */
void capture_raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/**
 * capture_open_kernel() - open the kernel's directory
 * @capture:	the capture, of which @trace is valid; @binary gets so
 *
 * Says what is wrong.
 *
 * Return: 0, or a negative errno.
 */
int capture_open_kernel(struct capture *capture)
{
	char path[128];
	int ret;

	snprintf(path, sizeof(path), "traces/%s/binary", capture->trace);
	capture->binary = openat(control_fd(), path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (capture->binary < 0) {
		ret = -errno;
		warn("%s", path);
		return ret;
	}
	return 0;
}

static int start_workers(struct capture *capture, unsigned int nr)
{
	int ret = 0;

	capture->workers = calloc(nr, sizeof(*capture->workers));
	capture->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (!capture->workers || capture->wake < 0) {
		ret = -errno;
		warn("capture");
	}
	while (!ret && capture->nr_workers < nr)
		ret = worker_start(&capture->workers[capture->nr_workers++], capture);
	return ret;
}

/**
 * capture_open() - begin to capture a trace
 * @capture:	the capture
 * @trace:	name of the trace
 * @whole:	it has not been started yet
 * @live:	others look at it meanwhile
 * @sink:	where it goes
 * @where:	the place there, see struct sink
 * @stop:	a descriptor that becomes readable when this shall fail; -1: none
 * @nr_workers:	threads
 *
 * All streams that are there are open when it returns. Says what is wrong.
 *
 * Return: 0, or a negative errno, -ECANCELED because of @stop; capture_close() is right in all
 * cases.
 */
int capture_open(struct capture *capture, const char *trace, bool whole, bool live,
		 const struct sink *sink, const char *where, int stop, unsigned int nr_workers)
{
	memset(capture, 0, sizeof(*capture));
	pthread_mutex_init(&capture->scan_lock, NULL);
	pthread_cond_init(&capture->scan_done, NULL);
	capture->live = live;
	capture->trace = trace;
	capture->whole = whole;
	capture->sink = sink;
	capture->stop = stop;
	capture->binary = -1;
	capture->dir = -1;
	capture->index = -1;
	capture->wake = -1;
	capture->metadata.in = -1;
	capture->declarations = -1;
	capture->symbols = (struct symbols)SYMBOLS_INIT;
	capture_raise_limit();
	return capture_open_kernel(capture) ?:
	       sink->open(capture, where) ?:
	       metadata_open(&capture->metadata, capture) ?:
	       start_workers(capture, nr_workers);
}

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* From now on we know the stream; capture_close() frees it. */
static int adopt(struct capture *capture, struct capture_stream *stream)
{
	struct capture_stream **streams;
	int ret;

	streams = reallocarray(capture->streams, capture->nr_streams + 1, sizeof(*streams));
	if (!streams)
		return -ENOMEM;
	capture->streams = streams;
	ret = capture_know(capture, stream->name);
	if (ret)
		return ret;
	ret = worker_add(&capture->workers[stream->info.cpu % capture->nr_workers], stream);
	if (ret)
		capture_unknow(capture, stream->name);
	else
		streams[capture->nr_streams++] = stream;
	return ret;
}

/* A look for new streams. */
struct scan {
	const char *timer;	/* for their channels, NULL: they stay as they are */
	int failed;		/* one of them was not to be opened, which has been said */
};

static int add_stream(struct capture *capture, const char *name, const char *timer)
{
	struct capture_stream *stream;
	bool is_new;
	int ret;

	stream = stream_open(capture, name);
	if (!stream) {
		ret = -errno;
		if (ret == -EINVAL || ret == -ENOENT)
			return 0;
		warn("binary/%s", name);
		control_explain(-ret);
		return ret;
	}
	stream->channel = channel_get(capture, stream->info.stream_id, name,
				      stream_channel_len(stream), &is_new);
	/* Without one, the channel is captured all the same, only later. */
	if (timer && is_new && stream->channel)
		session_set_timer(capture->trace, stream->channel->name, timer);
	ret = stream->channel ? adopt(capture, stream) : -ENOMEM;
	if (ret) {
		error(0, -ret, "%s", name);
		stream_close(stream, capture);
	}
	return ret;
}

static int see_stream(struct capture *capture, const char *name, void *data)
{
	struct scan *scan = data;

	scan->failed = add_stream(capture, name, scan->timer);
	return scan->failed;
}

/**
 * capture_each_new() - call a function for each file of the kernel's directory that is not known
 * @capture:	the capture; the function adds what it gets to know to @names
 * @call:	the function; what it returns, other than 0, ends the loop
 * @data:	for @call
 *
 * Return: 0, what @call returned, or a negative errno; -ENOENT: the trace is destroyed.
 */
int capture_each_new(struct capture *capture,
		     int (*call)(struct capture *capture, const char *name, void *data),
		     void *data)
{
	struct dirent *entry;
	struct stat st;
	int fd, ret = 0;
	DIR *list;

	if (fstat(capture->binary, &st) || !st.st_nlink)
		return -ENOENT;
	fd = openat(capture->binary, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	list = fdopendir(fd);
	if (!list) {
		ret = -errno;
		close(fd);
		return ret;
	}
	while (!ret && (entry = readdir(list))) {
		if (!tfind(entry->d_name, &capture->names, compare))
			ret = call(capture, entry->d_name, data);
	}
	capture->looked |= !ret;
	closedir(list);
	return ret;
}

/**
 * capture_know() - a file of the kernel's directory is known from now on
 * @capture:	the capture
 * @name:	its name, which stays the caller's
 *
 * Return: 0, or -ENOMEM.
 */
int capture_know(struct capture *capture, const char *name)
{
	return tsearch(name, &capture->names, compare) ? 0 : -ENOMEM;
}

/**
 * capture_unknow() - it is not
 * @capture:	the capture
 * @name:	its name
 */
void capture_unknow(struct capture *capture, const char *name)
{
	tdelete(name, &capture->names, compare);
}

/**
 * capture_scan() - look for new streams
 * @capture:	the capture
 * @timer:	switch timer that new channels are to have, NULL: as they are
 *
 * Says what is wrong.
 *
 * Return: 0, or a negative errno; -ENOENT: the trace is destroyed, this can not be
 * done any more.
 */
int capture_scan(struct capture *capture, const char *timer)
{
	struct scan scan = { .timer = timer };
	int ret = capture_each_new(capture, see_stream, &scan);

	if (ret && ret != -ENOENT && !scan.failed)
		error(0, -ret, "traces/%s/binary", capture->trace);
	return ret;
}

/**
 * capture_end() - tell the threads to end
 * @capture:	the capture
 * @mode:	how
 */
void capture_end(struct capture *capture, enum capture_mode mode)
{
	unsigned int i;

	atomic_store(&capture->mode, mode);
	capture_scan_done(capture, 0);
	if (capture->sink->ending)
		capture->sink->ending(capture, mode);
	for (i = 0; i < capture->nr_workers; i++)
		worker_wake(&capture->workers[i]);
}

/**
 * capture_symbols() - copy symbols that the trace needs
 * @capture:	the capture
 * @last:	for the last time
 *
 * Only a directory has a place for them. Says what is wrong.
 *
 * Return: 0, or a negative errno.
 */
int capture_symbols(struct capture *capture, bool last)
{
	if (capture->dir < 0 || !atomic_load(&capture->metadata.symbols))
		return 0;
	return symbols_update(&capture->symbols, capture->dir, last);
}

/**
 * capture_join() - wait for the threads, which have been told to end
 * @capture:	the capture
 *
 * Return: 0, or the first error of any thread.
 */
int capture_join(struct capture *capture)
{
	unsigned int i;

	for (i = 0; i < capture->nr_workers; i++)
		worker_stop(&capture->workers[i]);
	free(capture->workers);
	capture->workers = NULL;
	capture->nr_workers = 0;
	return atomic_load(&capture->failed);
}

/**
 * capture_forget() - no file is known any more
 * @capture:	the capture
 */
void capture_forget(struct capture *capture)
{
	tdestroy(capture->names, free_nothing);
	capture->names = NULL;
}

/**
 * capture_close() - free everything
 * @capture:	the capture; its threads have ended
 */
void capture_close(struct capture *capture)
{
	unsigned int i;

	capture_forget(capture);
	for (i = 0; i < capture->nr_streams; i++)
		stream_close(capture->streams[i], capture);
	free(capture->streams);
	channels_free(capture);
	metadata_close(&capture->metadata);
	symbols_free(&capture->symbols);
	pthread_cond_destroy(&capture->scan_done);
	pthread_mutex_destroy(&capture->scan_lock);
	if (capture->wake >= 0)
		close(capture->wake);
	capture->sink->close(capture);
	if (capture->binary >= 0)
		close(capture->binary);
}
