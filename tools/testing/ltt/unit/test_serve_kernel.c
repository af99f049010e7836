// SPDX-License-Identifier: GPL-2.0
/*
 * How ltt serve takes packets from the tracer, for which files and FIFOs stand in: what it does
 * when that fails, and what is counted then.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <search.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/ltt/packet.h>

#include "../../../ltt/capture/capture.h"
#include "../../../ltt/capture/control.h"
#include "../../../ltt/serve/serve.h"
#include "ktap.h"

#define PACKET_SIZE	1024
#define STREAMS		8

static char top[32];
static struct kernel kernel;
static struct store_trace *trace;

/* The ends of the FIFOs to which packets are written, in the order in which these are made. */
static int writers[STREAMS];
static unsigned int nr_writers;

/* ---- the stand-ins ----------------------------------------------------------- */

/**
 * struct broken - what fails
 * @info:	LTT_IOC_INFO of the stream of that name, for want of descriptors
 * @epoll:	waiting for it
 * @metadata:	reading them
 * @malloc:	as large as a packet
 * @calloc:	what the store needs beside
 */
static struct broken {
	const char *info;
	const char *epoll;
	bool metadata;
	bool malloc;
	bool calloc;
} broken;

static bool is_file(int fd, const char *name)
{
	char link[32], path[256];
	const char *base;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < 0)
		return false;
	path[n] = '\0';
	base = strrchr(path, '/');
	return name && base && !strcmp(base + 1, name);
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	char packet[PACKET_SIZE];
	va_list args;
	int there = 0;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	switch (request) {
	case LTT_IOC_INFO:
		if (is_file(fd, broken.info)) {
			errno = EMFILE;
			return -1;
		}
		*(struct ltt_stream_info *)arg = (struct ltt_stream_info) {
			.subbuf_size = PACKET_SIZE, .subbuf_num = 2,
		};
		return 0;
	case LTT_IOC_PEEK_PACKET:
	case LTT_IOC_GET_PACKET:
		if (syscall(SYS_ioctl, fd, FIONREAD, &there) || there < PACKET_SIZE) {
			errno = EAGAIN;
			return -1;
		}
		*(struct ltt_packet_info *)arg = (struct ltt_packet_info) { .size = PACKET_SIZE };
		return 0;
	case LTT_IOC_PUT_PACKET:
		return read(fd, packet, sizeof(packet)) == sizeof(packet) ? 0 : -1;
	default:
		errno = EAGAIN;
		return -1;
	}
}

int __wrap_epoll_ctl(int epoll, int op, int fd, struct epoll_event *event)
{
	if (op == EPOLL_CTL_ADD && is_file(fd, broken.epoll)) {
		errno = ENOSPC;
		return -1;
	}
	return syscall(SYS_epoll_ctl, epoll, op, fd, event);
}

ssize_t __wrap_read(int fd, void *data, size_t size)
{
	if (broken.metadata && is_file(fd, "metadata")) {
		errno = EIO;
		return -1;
	}
	return syscall(SYS_read, fd, data, size);
}

/* How often the directory of streams was read. */
static unsigned int scans;

/* Nothing is created here. */
int __wrap_openat(int dir, const char *path, int flags, ...)
{
	scans += !strcmp(path, ".");
	return syscall(SYS_openat, dir, path, flags, 0);
}

void *__wrap_malloc(size_t size)
{
	return broken.malloc && size >= PACKET_SIZE ? NULL : reallocarray(NULL, size, 1);
}

void *__wrap_calloc(size_t nr, size_t size)
{
	void *data = broken.calloc ? NULL : reallocarray(NULL, nr, size);

	return data ? memset(data, 0, nr * size) : NULL;
}

/* ---- a trace ----------------------------------------------------------------- */

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	return path;
}

static void add_to(const char *name, const char *text)
{
	FILE *f = fopen(path_of(name), "a");

	if (!f || fputs(text, f) < 0 || fclose(f)) {
		perror(name);
		exit(1);
	}
}

static void make_dir(const char *name)
{
	if (mkdir(path_of(name), 0700)) {
		perror(name);
		exit(1);
	}
}

static void add_stream(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "traces/live/binary/%s", name);
	if (mkfifo(path_of(path), 0600))
		exit(1);
	writers[nr_writers] = open(path_of(path), O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (writers[nr_writers++] < 0)
		exit(1);
}

static void add_packet(unsigned int writer, unsigned int seq)
{
	union {
		struct ltt_packet packet;
		char bytes[PACKET_SIZE];
	} u = {
		.packet = {
			.magic = LTT_PACKET_MAGIC,
			.content_size = 8 * PACKET_SIZE,
			.packet_size = 8 * PACKET_SIZE,
			.packet_seq_num = seq,
			.timestamp_begin = seq,
			.timestamp_end = seq,
		},
	};

	if (write(writers[writer], &u, sizeof(u)) != sizeof(u))
		exit(1);
}

static int remove_one(const char *name, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(name);
}

/* What is said meanwhile is kept. */
static FILE *old_stderr;
static char *said;
static size_t said_size;

/* How often it has been said. */
static unsigned int times_said(const char *text)
{
	const char *at;
	unsigned int n = 0;

	fflush(stderr);
	for (at = said; (at = strstr(at, text)); at += strlen(text))
		n++;
	return n;
}

/* A trace with the stream c_0, which a viewer is attached to. */
static void begin(void)
{
	static char *patterns[1];

	patterns[0] = (char *)"live";
	snprintf(top, sizeof(top), "/tmp/test_serve.XXXXXX");
	if (!mkdtemp(top))
		exit(1);
	make_dir("traces");
	make_dir("traces/live");
	make_dir("traces/live/binary");
	add_to("setup_trace", "");
	add_to("traces/live/binary/metadata", "/* CTF 1.8 */\n");
	add_stream("c_0");
	setenv(LTT_ROOT_ENV, top, 1);
	kernel = (struct kernel) {
		.patterns = patterns, .nr_patterns = 1, .epoll = epoll_create1(EPOLL_CLOEXEC),
	};
	if (control_open() || kernel.epoll < 0)
		exit(1);
	store_init(&kernel.store, &kernel_source, 1 << 20);
	kernel.store.priv = &kernel;
	old_stderr = stderr;
	stderr = open_memstream(&said, &said_size);
	kernel_source.scan(&kernel.store);
	trace = TAILQ_FIRST(&kernel.store.traces);
	if (!EXPECT(trace && !store_attach(trace) && trace->nr_streams == 1, "no trace"))
		exit(1);
}

static void end(void)
{
	broken = (struct broken) { };
	store_detach(trace);
	store_free(&kernel.store);
	close(kernel.epoll);
	control_forget();
	while (nr_writers)
		close(writers[--nr_writers]);
	nftw(top, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	fclose(stderr);
	stderr = old_stderr;
	free(said);
}

/* ---- cases -------------------------------------------------------------------- */

/* It is told once, keeps nobody from the others, and is not tried over and over again. */
static void test_refused(void)
{
	unsigned int i;

	begin();
	add_stream("d_0");
	add_stream("e_0");
	add_stream("f_0");
	add_stream("g_0");
	broken.info = "e_0";
	broken.epoll = "f_0";
	for (i = 0; i < 5; i++)
		kernel_source.scan(&kernel.store);
	EXPECT(trace->nr_streams == 3, "%u streams", trace->nr_streams);
	EXPECT(times_said("live/e_0: not served: Too many open files\n") == 1, "%s", said);
	EXPECT(times_said("live/f_0: not served: No space left on device\n") == 1, "%s", said);
	EXPECT(times_said("\n") == 2, "%s", said);
	end();
}

/* Look at the first stream. Return: when its next packet for a viewer began, UINT64_MAX: none. */
static uint64_t look(uint64_t *next, uint64_t *lost)
{
	struct store_stream *stream = trace->streams[0];
	struct store_packet *packet;
	uint64_t time = UINT64_MAX;

	kernel_source.look(stream);
	packet = store_hold(stream, next, lost);
	if (packet) {
		time = packet->begin;
		store_drop(packet);
	}
	return time;
}

/* A packet for which there is none is lost, and counted; the kernel does not keep it either. */
static void test_memory(void)
{
	uint64_t next = 0, lost = 0;

	begin();
	add_packet(0, 0);
	EXPECT(look(&next, &lost) == 0, "the first packet");
	broken.malloc = true;
	add_packet(0, 1);
	EXPECT(look(&next, &lost) == UINT64_MAX && lost == 1, "it is not counted");
	EXPECT(times_said("live/c_0: packet lost: Cannot allocate memory\n") == 1, "%s", said);
	broken.malloc = false;
	add_packet(0, 2);
	EXPECT(look(&next, &lost) == 2 && lost == 1, "the third packet");
	broken.calloc = true;
	add_packet(0, 3);
	EXPECT(look(&next, &lost) == UINT64_MAX && lost == 2, "it is not counted");
	EXPECT(times_said("live/c_0: packet lost: Cannot allocate memory\n") == 2, "%s", said);
	broken.calloc = false;
	add_packet(0, 4);
	EXPECT(look(&next, &lost) == 4 && lost == 2, "the fifth packet");
	end();
}

/* Neither packets that have come since, nor any later ones. A viewer can begin anew. */
static void test_metadata(void)
{
	uint64_t next = 0, lost = 0;
	struct store_trace *again;

	begin();
	add_packet(0, 0);
	EXPECT(look(&next, &lost) == 0, "the first packet");
	add_packet(0, 1);
	broken.metadata = true;
	EXPECT(look(&next, &lost) == UINT64_MAX && lost == 1, "there is a packet, or it is not counted");
	EXPECT(trace->gone && trace->broken && trace->streams[0]->ended, "it goes on");
	EXPECT(times_said("live/metadata: Input/output error\n") == 1, "%s", said);
	add_packet(0, 2);
	EXPECT(look(&next, &lost) == UINT64_MAX && lost == 1, "there is another packet");
	kernel_source.scan(&kernel.store);
	again = TAILQ_NEXT(trace, node);
	EXPECT(again && store_attach(again), "it is there without its metadata");
	broken.metadata = false;
	EXPECT(again && !store_attach(again) && again->metadata_size == trace->metadata_size,
	       "it is not there once more");
	if (again)
		store_detach(again);
	end();
}

/* A viewer asks often when there is nothing: the directory is not read each time. */
static void test_looks(void)
{
	uint64_t next = 0, lost = 0;
	unsigned int i;

	begin();
	look(&next, &lost);
	scans = 0;
	for (i = 0; i < 10; i++)
		look(&next, &lost);
	EXPECT(scans == 0, "%u times for nothing", scans);
	add_stream("d_0");
	add_packet(0, 0);
	EXPECT(look(&next, &lost) == 0 && trace->nr_streams == 2, "after a packet");
	add_stream("e_0");
	add_to("traces/live/binary/metadata", "event {};\n");
	look(&next, &lost);
	EXPECT(trace->nr_streams == 3, "after declarations");
	look(&next, &lost);
	EXPECT(scans == 2, "%u times", scans);
	end();
}

/* A viewer learns only that it cannot see the trace: why is said here. */
static void test_unseen(void)
{
	begin();
	store_detach(trace);
	broken.calloc = true;
	EXPECT(store_attach(trace), "without memory");
	EXPECT(times_said("live: Cannot allocate memory\n") == 1, "%s", said);
	broken.calloc = false;
	broken.info = "c_0";
	EXPECT(store_attach(trace), "without streams");
	EXPECT(times_said("live: cannot be seen: Too many open files\n") == 1, "%s", said);
	broken.info = NULL;
	EXPECT(!store_attach(trace), "with all");
	store_detach(trace);
	remove(path_of("traces/live/binary/metadata"));
	EXPECT(store_attach(trace), "without metadata");
	EXPECT(times_said("live/metadata: No such file or directory\n") == 1, "%s", said);
	add_to("traces/live/binary/metadata", "/* CTF 1.8 */\n");
	EXPECT(!store_attach(trace), "with new metadata");
	end();
}

int main(void)
{
	static const struct ktap_case cases[] = {
		{ "streams that cannot be opened", test_refused },
		{ "no memory for packets", test_memory },
		{ "metadata that cannot be read", test_metadata },
		{ "when new streams are looked for", test_looks },
		{ "a trace that cannot be seen", test_unseen },
	};

	return ktap_run(cases, sizeof(cases) / sizeof(*cases));
}
