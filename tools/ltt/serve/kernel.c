// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the kernel's traces, as they are served.
 *
 * A trace is open while a viewer is attached to it: otherwise we would take packets that
 * nobody wants, and later readers of the trace would not find them.
 */

#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../capture/capture.h"
#include "../capture/control.h"
#include "../common/ondisk.h"
#include "../capture/session.h"
#include "say.h"
#include "serve.h"

/* Packets from one stream before others have their turn. */
#define TURN	16

/**
 * struct kernel_trace - a trace that is open
 * @kernel:	whose it is
 * @trace:	in the store
 * @capture:	the kernel's directory, and what is known of it
 * @refused:	names of streams that could not be opened: a tree
 * @said:	why new streams could not be looked for, as it was told; 0: they could
 * @metadata:	the kernel's file, -1 after an error
 * @seen:	new streams were looked for after this watermark had been found
 * @changed:	a packet has been taken, or metadata read, since they were looked for
 */
struct kernel_trace {
	struct kernel *kernel;
	struct store_trace *trace;
	struct capture capture;
	void *refused;
	int said;
	int metadata;
	uint64_t seen;
	bool changed;
};

/**
 * struct kernel_stream - a stream that is open
 * @handler:	there are packets
 * @kt:		whose it is
 * @stream:	in the store
 * @in:		the kernel's file
 */
struct kernel_stream {
	struct handler handler;
	struct kernel_trace *kt;
	struct store_stream *stream;
	struct capture_stream *in;
};

/* Nothing more is wanted of it, or nothing will come. */
static void end(struct kernel_stream *ks)
{
	ks->stream->ended = true;
	epoll_ctl(ks->kt->kernel->epoll, EPOLL_CTL_DEL, ks->in->in, NULL);
}

/* Return: as take_packet(), after @error. */
static int failed(struct kernel_stream *ks, int error)
{
	/* We have been so slow that the packet has gone; another one is next. */
	if (error == ESTALE || error == EAGAIN || error == EINTR)
		return error == ESTALE;
	if (error != ENODATA)
		say(SAY_TRACE, "%s/%s: %s", ks->kt->trace->name, ks->stream->name, strerror(error));
	end(ks);
	return 0;
}

static void say_lost(const struct kernel_stream *ks, int error)
{
	say(SAY_TRACE, "%s/%s: packet lost: %s", ks->kt->trace->name, ks->stream->name,
	    strerror(error));
}

/* Were there packets before the first one of a stream that has come after us? */
static void see_first(struct kernel_stream *ks, const void *data)
{
	uint64_t missing = stream_begin(ks->in, data);

	if (missing)
		say(SAY_TRACE, "%s/%s: packets before the first that was taken: %" PRIu64,
		    ks->kt->trace->name, ks->stream->name, missing);
}

/* There is no memory for a packet: others may need less. Return: as take_packet(). */
static int leave_out(struct kernel_stream *ks)
{
	struct ltt_packet_info info;

	if (ioctl(ks->in->in, LTT_IOC_GET_PACKET, &info))
		return failed(ks, errno);
	/* Whether it was overwritten meanwhile is the same to us. */
	ioctl(ks->in->in, LTT_IOC_PUT_PACKET);
	ks->in->begun = true;
	store_lose(ks->stream);
	say_lost(ks, ENOMEM);
	return 1;
}

/* Return: 1; 0: there is none now, or, if the stream has ended, none will come. */
static int take_packet(struct kernel_stream *ks)
{
	struct ltt_packet_info info;
	ssize_t n;
	void *data;
	int ret;

	if (ioctl(ks->in->in, LTT_IOC_PEEK_PACKET, &info))
		return failed(ks, errno);
	ks->kt->changed = true;
	data = malloc(info.size);
	if (!data)
		return leave_out(ks);
	n = read(ks->in->in, data, info.size);
	if (n != (ssize_t)info.size) {
		free(data);
		return failed(ks, n < 0 ? errno : EIO);
	}
	if ((size_t)n >= sizeof(struct ltt_packet))
		see_first(ks, data);
	ret = store_add_packet(ks->stream, data, n);
	if (ret)
		say_lost(ks, -ret);
	return 1;
}

static void take_packets(struct kernel_stream *ks)
{
	unsigned int i;

	for (i = 0; i < TURN && !ks->stream->ended && take_packet(ks); i++)
		;
}

static void stream_ready(void *data)
{
	/* Viewers look for new streams themselves. */
	take_packets(data);
}

static void set_timer(struct kernel_trace *kt, const struct capture_stream *in)
{
	const struct channel *channel;
	bool is_new;

	if (!kt->kernel->timer)
		return;
	channel = channel_get(&kt->capture, in->info.stream_id, in->name, stream_channel_len(in),
			      &is_new);
	/* Without one, all the same is served, only later. */
	if (channel && is_new)
		session_set_timer(kt->trace->name, channel->name, kt->kernel->timer);
}

/* From now on the stream is known, and in the store, which is closed with it; or neither. */
static int adopt(struct kernel_stream *ks, const char *name)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = &ks->handler };
	struct kernel_trace *kt = ks->kt;
	int ret;

	set_timer(kt, ks->in);
	if (epoll_ctl(kt->kernel->epoll, EPOLL_CTL_ADD, ks->in->in, &event))
		return -errno;
	ret = capture_know(&kt->capture, ks->in->name);
	if (ret)
		return ret;
	ks->stream = store_add_stream(kt->trace, name, ks->in->info.stream_id);
	if (!ks->stream) {
		capture_unknow(&kt->capture, ks->in->name);
		return -ENOMEM;
	}
	ks->stream->source = ks;
	return 0;
}

static int add_stream(struct capture *capture, const char *name, void *data)
{
	struct kernel_stream *ks = calloc(1, sizeof(*ks));
	int ret;

	if (!ks)
		return -ENOMEM;
	ks->handler = (struct handler) { .ready = stream_ready, .data = ks };
	ks->kt = data;
	ks->in = stream_open(capture, name);
	if (ks->in) {
		ret = adopt(ks, name);
		if (!ret)
			return 0;
		/* It is not waited for any more, either. */
		stream_close(ks->in, capture);
	} else {
		ret = errno == EINVAL || errno == ENOENT ? 0 : -errno;
		control_explain(-ret);
	}
	if (ret)
		say(SAY_TRACE, "%s/%s: not served: %s", ks->kt->trace->name, name, strerror(-ret));
	free(ks);
	return ret;
}

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* One that cannot be opened is not tried again, and does not keep us from the others. */
static int add_new_stream(struct capture *capture, const char *name, void *data)
{
	struct kernel_trace *kt = data;
	char *copy;

	if (tfind(name, &kt->refused, compare) || !add_stream(capture, name, kt))
		return 0;
	copy = strdup(name);
	if (copy && tsearch(copy, &kt->refused, compare))
		return 0;
	free(copy);
	return -ENOMEM;
}

static void scan_streams(struct kernel_trace *kt)
{
	int ret;

	if (kt->trace->gone)
		return;
	kt->changed = false;
	ret = capture_each_new(&kt->capture, add_new_stream, kt);
	if (ret == -ENOENT)
		store_forget_trace(kt->trace);
	else if (ret && ret != kt->said)
		say(SAY_TRACE, "%s: new streams: %s", kt->trace->name, strerror(-ret));
	kt->said = ret;
}

/* Return: 0 or a negative errno, which is said: some of the metadata are lost. */
static int read_metadata(struct kernel_trace *kt)
{
	struct store_trace *trace = kt->trace;
	ssize_t n;

	if (kt->metadata < 0)
		return 0;
	n = metadata_read(kt->metadata, &trace->metadata, &trace->metadata_room,
			  trace->metadata_size);
	if (n >= 0) {
		kt->changed |= (size_t)n > trace->metadata_size;
		trace->metadata_size = n;
		return 0;
	}
	say(SAY_TRACE, "%s/" ONDISK_METADATA ": %s", trace->name, strerror(-n));
	close(kt->metadata);
	kt->metadata = -1;
	return n;
}

/*
 * Nothing follows of which there may be no declarations: its viewers get errors. New ones find
 * another of that name, of which all metadata are read.
 */
static void give_up(struct kernel_trace *kt)
{
	unsigned int i;

	for (i = 0; i < kt->trace->nr_streams; i++) {
		store_empty(kt->trace->streams[i]);
		end(kt->trace->streams[i]->source);
	}
	kt->trace->broken = true;
	store_forget_trace(kt->trace);
}

static void close_trace(struct store_trace *trace)
{
	struct kernel_trace *kt = trace->source;
	unsigned int i;

	if (!kt)
		return;
	capture_forget(&kt->capture);
	channels_free(&kt->capture);
	tdestroy(kt->refused, free);
	for (i = 0; i < trace->nr_streams; i++) {
		struct kernel_stream *ks = trace->streams[i]->source;

		stream_close(ks->in, &kt->capture);
		free(ks);
	}
	if (kt->metadata >= 0)
		close(kt->metadata);
	if (kt->capture.binary >= 0)
		close(kt->capture.binary);
	free(kt);
	trace->source = NULL;
}

/* Says what is wrong. Return: 0 or a negative errno. */
static int open_metadata(struct kernel_trace *kt)
{
	int ret;

	kt->metadata = openat(kt->capture.binary, ONDISK_METADATA,
			      O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (kt->metadata >= 0)
		return 0;
	ret = -errno;
	say(SAY_TRACE, "%s/" ONDISK_METADATA ": %s", kt->trace->name, strerror(-ret));
	return ret;
}

/* Says what is wrong. Return: 0 or a negative errno. */
static int open_streams(struct kernel_trace *kt)
{
	int ret = capture_each_new(&kt->capture, add_stream, kt);

	/* What is wrong with one of them has been said. */
	if (ret)
		say(SAY_TRACE, "%s: cannot be seen: %s", kt->trace->name, strerror(-ret));
	return ret;
}

static int open_trace(struct store_trace *trace)
{
	struct kernel_trace *kt = calloc(1, sizeof(*kt));
	int ret;

	if (!kt) {
		say(SAY_TRACE, "%s: %s", trace->name, strerror(ENOMEM));
		return -ENOMEM;
	}
	trace->source = kt;
	kt->kernel = trace->store->priv;
	kt->trace = trace;
	kt->metadata = -1;
	kt->capture.trace = trace->name;
	kt->capture.binary = -1;
	ret = capture_open_kernel(&kt->capture) ?:
	      open_metadata(kt) ?: open_streams(kt) ?: read_metadata(kt);
	if (ret) {
		control_explain(-ret);
		close_trace(trace);
	}
	return ret;
}

/* Metadata after packets, so that all their events are declared. */
static void look(struct store_stream *stream)
{
	struct kernel_stream *ks = stream->source;

	take_packets(ks);
	if (read_metadata(ks->kt))
		give_up(ks->kt);
	if (ks->kt->changed)
		scan_streams(ks->kt);
}

static int watermark(struct store_stream *stream, uint64_t *time)
{
	struct kernel_stream *ks = stream->source;
	struct kernel_trace *kt = ks->kt;
	static bool said;
	__u64 found;

	if (ioctl(ks->in->in, LTT_IOC_WATERMARK, &found)) {
		if (errno == ENOTTY && !said)
			warnx("the kernel's modules are too old: quiet streams hold up others");
		said |= errno == ENOTTY;
		return -errno;
	}
	*time = found;
	if (found > kt->seen) {
		scan_streams(kt);
		kt->seen = found;
	}
	return 0;
}

static bool is_wanted(const struct kernel *kernel, const char *name)
{
	unsigned int i;

	for (i = 0; i < kernel->nr_patterns; i++) {
		if (!fnmatch(kernel->patterns[i], name, FNM_PERIOD))
			return true;
	}
	return false;
}

static int is_stream(const char *name, void *unused)
{
	(void)unused;
	return strcmp(name, ONDISK_METADATA) != 0;
}

/* Babeltrace 2.0 dies of a trace that gets its first stream later: until then, there is none. */
static bool has_streams(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "traces/%s/binary", name);
	return control_each(path, is_stream, NULL) > 0;
}

static int see_trace(const char *name, void *data)
{
	struct kernel *kernel = data;
	struct store_trace *trace;

	if (!is_wanted(kernel, name))
		return 0;
	TAILQ_FOREACH(trace, &kernel->store.traces, node) {
		if (!trace->gone && !strcmp(trace->name, name))
			return 0;
	}
	if (!has_streams(name))
		return 0;
	return store_add_trace(&kernel->store, name) ? 0 : -ENOMEM;
}

/* One that is open may have been made again meanwhile. */
static bool is_there(const struct store_trace *trace)
{
	const struct kernel_trace *kt = trace->source;
	char path[128];
	struct stat st;

	if (kt)
		return !fstat(kt->capture.binary, &st) && st.st_nlink;
	snprintf(path, sizeof(path), "traces/%s", trace->name);
	return !faccessat(control_fd(), path, F_OK, 0);
}

static void scan(struct store *store)
{
	struct store_trace *trace, *next;
	int ret;

	for (trace = TAILQ_FIRST(&store->traces); trace; trace = next) {
		struct kernel_trace *kt = trace->source;

		next = TAILQ_NEXT(trace, node);
		if (trace->gone)
			continue;
		if (!is_there(trace))
			store_forget_trace(trace);
		else if (kt)
			scan_streams(kt);
	}
	ret = control_each("traces", see_trace, store->priv);
	if (ret)
		error(0, -ret, "traces");
}

const struct store_source kernel_source = {
	.scan = scan,
	.open = open_trace,
	.close = close_trace,
	.look = look,
	.watermark = watermark,
};
