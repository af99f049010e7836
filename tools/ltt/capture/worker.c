// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the threads that take packets out of streams.
 */

#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "capture.h"

/* Packets from one stream before the others have their turn. */
#define TURN	16

/* Bytes of the pipe, at least: less would split most packets. */
#define PIPE_MIN	(64 << 10)

/* A worker looks up at least as often, in ms. */
#define LOOK_UP	1000

/* So often if others look at the capture. */
#define LOOK_UP_LIVE	200

static void kick(int fd)
{
	if (eventfd_write(fd, 1))
		warn("eventfd");
}

/* All packets of @streams should fit; otherwise they are taken in parts. */
static void fit_pipe(struct worker *worker, size_t size)
{
	int got = -1;

	if (size <= worker->pipe_size)
		return;
	got = fcntl(worker->pipe[1], F_SETPIPE_SZ, (int)size);
	if (got < 0)
		return;
	worker->pipe_size = got;
	/* It was for less. */
	free(worker->buf);
	worker->buf = NULL;
}

/**
 * struct view - what the thread knows of its streams
 * @streams:	copy of the worker's
 * @fds:	for poll(), one for each stream, and before them the worker's wake
 * @nr:		streams
 * @mode:	what to do
 */
struct view {
	struct capture_stream **streams;
	struct pollfd *fds;
	unsigned int nr;
	enum capture_mode mode;
};

/* Take over what the main thread has said. Return: 0 or -ENOMEM. */
static int look_up(struct worker *worker, struct view *view)
{
	enum capture_mode mode = atomic_load(&worker->capture->mode);
	struct capture_stream **streams;
	struct pollfd *fds;
	unsigned int i;
	int ret = 0;

	pthread_mutex_lock(&worker->lock);
	if (worker->nr != view->nr) {
		streams = reallocarray(view->streams, worker->nr, sizeof(*streams));
		if (streams)
			view->streams = streams;
		fds = reallocarray(view->fds, worker->nr + 1, sizeof(*fds));
		if (fds)
			view->fds = fds;
		if (!streams || !fds)
			ret = -ENOMEM;
		for (i = view->nr; !ret && i < worker->nr; i++) {
			streams[i] = worker->streams[i];
			fds[i + 1] = (struct pollfd) { .fd = streams[i]->in, .events = POLLIN };
			fit_pipe(worker, streams[i]->info.subbuf_size);
		}
		if (!ret)
			view->nr = worker->nr;
	}
	pthread_mutex_unlock(&worker->lock);
	if (mode == CAPTURE_FLUSHED && view->mode != mode) {
		/* As many as the buffer holds were complete then, at most. */
		for (i = 0; i < view->nr; i++)
			view->streams[i]->left = view->streams[i]->info.subbuf_num;
	}
	view->mode = mode;
	return ret;
}

/* Return: > 0 if there may be more at once, 0, or a negative errno. */
static int take_turn(struct worker *worker, struct view *view, struct capture_stream *stream)
{
	unsigned int i;
	int ret;

	for (i = 0; i < TURN && !stream->ended; i++) {
		ret = stream_take(stream, worker);
		if (ret < 0)
			return ret;
		if (view->mode == CAPTURE_FLUSHED && (!ret || !--stream->left))
			stream->ended = true;
		if (!ret)
			return 0;
	}
	return !stream->ended;
}

/* One turn for each stream, or for those that poll() reports as readable. */
static int take_turns(struct worker *worker, struct view *view, bool all)
{
	unsigned int i;
	int ret, busy = 0;

	for (i = 0; i < view->nr; i++) {
		if (view->fds[i + 1].fd < 0 || (!all && !view->fds[i + 1].revents))
			continue;
		ret = take_turn(worker, view, view->streams[i]);
		if (ret < 0)
			return ret;
		busy |= ret;
		if (view->streams[i]->ended)
			view->fds[i + 1].fd = -1;
		if (atomic_load(&worker->capture->mode) == CAPTURE_ABORT)
			return 0;
	}
	return busy;
}

static bool all_ended(const struct view *view)
{
	unsigned int i;

	for (i = 0; i < view->nr; i++) {
		if (!view->streams[i]->ended)
			return false;
	}
	return true;
}

static int work(struct worker *worker, struct view *view)
{
	const int look_up_every = worker->capture->live ? LOOK_UP_LIVE : LOOK_UP;
	eventfd_t count;
	int busy = 1, ret;

	for (;;) {
		enum capture_mode mode = view->mode;
		unsigned int nr = view->nr;

		ret = look_up(worker, view);
		if (ret) {
			error(0, -ret, "capture");
			return ret;
		}
		if (view->mode == CAPTURE_ABORT)
			return 0;
		ret = take_turns(worker, view, busy || mode != view->mode || nr != view->nr);
		if (ret < 0)
			return ret;
		busy = ret;
		if (view->mode != CAPTURE_RUN && all_ended(view))
			return 0;
		if (!busy && worker->capture->sink->idle)
			worker->capture->sink->idle(worker->capture, worker);
		if (poll(view->fds, view->nr + 1, busy ? 0 : look_up_every) < 0 && errno != EINTR) {
			ret = -errno;
			warn("poll");
			return ret;
		}
		if (view->fds[0].revents)
			eventfd_read(worker->wake, &count);
	}
}

static void fail(struct capture *capture, int error)
{
	int none = 0;

	atomic_compare_exchange_strong(&capture->failed, &none, error);
}

/* The last one turns the light off. */
static void finish(struct capture *capture)
{
	int ret;

	if (atomic_fetch_sub(&capture->taking, 1) != 1 || !capture->sink->finish)
		return;
	ret = capture->sink->finish(capture);
	if (ret)
		fail(capture, ret);
}

static void *worker_main(void *data)
{
	struct worker *worker = data;
	struct capture *capture = worker->capture;
	struct view view = { .mode = CAPTURE_RUN };
	int ret = -ENOMEM;

	view.fds = malloc(sizeof(*view.fds));
	if (view.fds) {
		view.fds[0] = (struct pollfd) { .fd = worker->wake, .events = POLLIN };
		ret = work(worker, &view);
	} else {
		error(0, ENOMEM, "capture");
	}
	if (ret)
		fail(capture, ret);
	free(view.streams);
	free(view.fds);
	finish(capture);
	atomic_fetch_sub(&capture->busy, 1);
	kick(capture->wake);
	return NULL;
}

/**
 * worker_start() - start a thread
 * @worker:	the thread, all zero
 * @capture:	the capture
 *
 * Says what is wrong.
 *
 * Return: 0, or a negative errno; worker_stop() is right in both cases.
 */
int worker_start(struct worker *worker, struct capture *capture)
{
	int ret;

	worker->capture = capture;
	worker->pipe[0] = -1;
	worker->pipe[1] = -1;
	pthread_mutex_init(&worker->lock, NULL);
	worker->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (worker->wake < 0 || pipe2(worker->pipe, O_CLOEXEC)) {
		ret = -errno;
		warn("capture");
		return ret;
	}
	worker->pipe_size = fcntl(worker->pipe[1], F_GETPIPE_SZ);
	fit_pipe(worker, PIPE_MIN);
	atomic_fetch_add(&capture->busy, 1);
	atomic_fetch_add(&capture->taking, 1);
	ret = pthread_create(&worker->thread, NULL, worker_main, worker);
	if (ret) {
		atomic_fetch_sub(&capture->busy, 1);
		atomic_fetch_sub(&capture->taking, 1);
		error(0, ret, "capture");
		return -ret;
	}
	worker->started = true;
	return 0;
}

/**
 * worker_add() - give a stream to a thread
 * @worker:	the thread
 * @stream:	the stream
 *
 * Return: 0, or -ENOMEM.
 */
int worker_add(struct worker *worker, struct capture_stream *stream)
{
	struct capture_stream **streams;

	pthread_mutex_lock(&worker->lock);
	streams = reallocarray(worker->streams, worker->nr + 1, sizeof(*streams));
	if (streams) {
		worker->streams = streams;
		streams[worker->nr++] = stream;
	}
	pthread_mutex_unlock(&worker->lock);
	kick(worker->wake);
	return streams ? 0 : -ENOMEM;
}

/**
 * worker_wake() - let a thread see that the mode has changed
 * @worker:	the thread
 */
void worker_wake(struct worker *worker)
{
	kick(worker->wake);
}

/**
 * worker_stop() - wait for a thread that was told to end, and free its memory
 * @worker:	the thread
 */
void worker_stop(struct worker *worker)
{
	if (worker->started)
		pthread_join(worker->thread, NULL);
	if (worker->wake >= 0)
		close(worker->wake);
	if (worker->pipe[0] >= 0) {
		close(worker->pipe[0]);
		close(worker->pipe[1]);
	}
	free(worker->buf);
	free(worker->packet);
	free(worker->streams);
	pthread_mutex_destroy(&worker->lock);
}
