// SPDX-License-Identifier: GPL-2.0
/*
 * What ltt record writes into its directory, from files that stand in for the tracer's: what
 * it does when a write fails, and whose files it leaves alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/ltt/packet.h>

#include "../../../ltt/capture/capture.h"
#include "../../../ltt/capture/control.h"
#include "ktap.h"

#define PACKET_SIZE	4096
#define DECLARATIONS	"/* CTF 1.8 */\n"

static char top[32];

static const char *path_of(const char *name)
{
	static char path[2][128];
	static unsigned int turn;

	turn ^= 1;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", top, name);
	return path[turn];
}

static void add_to(const char *name, const void *data, size_t size)
{
	FILE *f = fopen(path_of(name), "a");

	if (!f || fwrite(data, 1, size, f) != size || fclose(f)) {
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

/* Bytes in a file, -1: there is none. */
static long size_of(const char *name)
{
	struct stat st;

	return stat(path_of(name), &st) ? -1 : (long)st.st_size;
}

static int remove_one(const char *name, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(name);
}

/* The tracer's directory, that of a trace in it, and an empty one for us. */
static void begin(void)
{
	snprintf(top, sizeof(top), "/tmp/test_capture.XXXXXX");
	if (!mkdtemp(top))
		exit(1);
	make_dir("ltt");
	make_dir("ltt/binary");
	make_dir("dir");
	add_to("ltt/setup_trace", "", 0);
	add_to("ltt/binary/metadata", DECLARATIONS, strlen(DECLARATIONS));
	add_to("ltt/module_symbols", "module a\n0 t b\n", 15);
	setenv(LTT_ROOT_ENV, path_of("ltt"), 1);
	if (control_open())
		exit(1);
}

static void end(void)
{
	control_forget();
	nftw(top, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* What is said meanwhile is kept. */
static FILE *old_stderr;
static char *said;
static size_t said_size;

static void listen(void)
{
	old_stderr = stderr;
	stderr = open_memstream(&said, &said_size);
}

static void understand(const char *text)
{
	fclose(stderr);
	stderr = old_stderr;
	EXPECT(strstr(said, text), "no '%s': %s", text, said);
	free(said);
	said = NULL;
}

/* ---- the stand-ins ----------------------------------------------------------- */

/* A stream's file holds its packets; the reader's place in it is the file's offset. */
int __wrap_ioctl(int fd, unsigned long request, ...)
{
	struct ltt_packet packet;
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (request == LTT_IOC_INFO) {
		*(struct ltt_stream_info *)arg = (struct ltt_stream_info) {
			.subbuf_size = PACKET_SIZE, .subbuf_num = 2,
		};
		return 0;
	}
	if (request != LTT_IOC_PEEK_PACKET) {
		errno = ENOTTY;
		return -1;
	}
	if (pread(fd, &packet, sizeof(packet), lseek(fd, 0, SEEK_CUR)) != sizeof(packet)) {
		errno = ENODATA;
		return -1;
	}
	*(struct ltt_packet_info *)arg = (struct ltt_packet_info) {
		.size = packet.packet_size / 8,
	};
	return 0;
}

static const char shown_kallsyms[] =
	"ffffffff81000000 T _stext\nffffffff81000010 T schedule\n";
static const char *kallsyms = shown_kallsyms;

/* The descriptor of which it fails, once. */
static int close_fails = -1;
typeof(close) __real_close;
int __wrap_close(int fd)
{
	int ret = __real_close(fd);

	if (fd < 0 || fd != close_fails)
		return ret;
	close_fails = -1;
	errno = EDQUOT;
	return -1;
}

/* Not everybody may see the kernel's addresses. */
int __wrap_open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list args;
	int fd;

	if (!strcmp(path, "/proc/kallsyms")) {
		fd = memfd_create("kallsyms", MFD_CLOEXEC);
		if (fd < 0 || pwrite(fd, kallsyms, strlen(kallsyms), 0) < 0)
			exit(1);
		return fd;
	}
	if (flags & O_CREAT) {
		va_start(args, flags);
		mode = va_arg(args, unsigned int);
		va_end(args);
	}
	return openat(AT_FDCWD, path, flags, mode);
}

static void add_packet(const char *name, unsigned int seq)
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
			.events_discarded = 7 * seq,
		},
	};

	add_to(name, &u, sizeof(u));
}

/* ---- a capture, without its threads ------------------------------------------ */

static struct capture capture;
static struct worker worker;
static struct channel channel;
static struct capture_stream *stream;

static int open_dir(const char *name)
{
	return open(path_of(name), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void capture_begin(void)
{
	begin();
	add_packet("ltt/binary/c_0", 0);
	add_packet("ltt/binary/c_0", 1);
	make_dir("dir/index");
	capture = (struct capture) {
		.whole = true,
		.sink = &sink_directory,
		.binary = open_dir("ltt/binary"),
		.dir = open_dir("dir"),
		.index = open_dir("dir/index"),
		.declarations = open(path_of("dir/metadata"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600),
	};
	worker = (struct worker) { .capture = &capture };
	if (pipe2(worker.pipe, O_CLOEXEC))
		exit(1);
	worker.pipe_size = fcntl(worker.pipe[1], F_GETPIPE_SZ);
	channel = (struct channel) { };
	EXPECT(!metadata_open(&capture.metadata, &capture), "metadata_open");
	stream = stream_open(&capture, "c_0");
	if (!EXPECT(stream, "stream_open"))
		exit(1);
	stream->channel = &channel;
}

static void capture_finish(void)
{
	stream_close(stream, &capture);
	metadata_close(&capture.metadata);
	close(worker.pipe[0]);
	close(worker.pipe[1]);
	free(worker.buf);
	sink_directory.close(&capture);
	close(capture.binary);
	end();
}

static void test_packets(void)
{
	capture_begin();
	EXPECT(stream_take(stream, &worker) == 1, "the first packet");
	EXPECT(stream_take(stream, &worker) == 1, "the second packet");
	EXPECT(!stream_take(stream, &worker) && stream->ended, "the end");
	EXPECT(size_of("dir/c_0") == 2 * PACKET_SIZE, "%ld bytes", size_of("dir/c_0"));
	EXPECT(size_of("dir/index/c_0.idx") > 0, "no index");
	EXPECT(channel.packets == 2 && channel.lost == 7, "%llu packets, %llu lost",
	       channel.packets, channel.lost);
	capture_finish();
}

/* What the kernel has told once it does not tell again. */
static void test_metadata_fails(void)
{
	struct rlimit limit, old;
	char text[PACKET_SIZE];
	int ret;

	capture_begin();
	memset(text, ' ', sizeof(text));
	add_to("ltt/binary/metadata", text, sizeof(text));
	getrlimit(RLIMIT_FSIZE, &old);
	limit = old;
	limit.rlim_cur = sizeof(text) / 2;
	signal(SIGXFSZ, SIG_IGN);
	listen();
	setrlimit(RLIMIT_FSIZE, &limit);
	ret = metadata_update(&capture.metadata);
	setrlimit(RLIMIT_FSIZE, &old);
	understand("metadata: File too large");
	EXPECT(ret == -EFBIG, "returns %d", ret);
	EXPECT(size_of("dir/metadata") == (long)strlen(DECLARATIONS), "%ld bytes",
	       size_of("dir/metadata"));

	ret = metadata_update(&capture.metadata);
	EXPECT(ret == -EFBIG, "returns %d, but declarations are missing", ret);
	listen();
	ret = stream_take(stream, &worker);
	EXPECT(ret == -ECANCELED, "a packet is taken: %d", ret);
	/* It was said once, and is nobody else's error. */
	fflush(stderr);
	EXPECT(!said_size, "it says %s", said);
	understand("");
	EXPECT(size_of("dir/c_0") == 0, "%ld bytes of packets", size_of("dir/c_0"));
	capture_finish();
}

/* The kernel has given up the packet: it stays, and counts. */
static void test_index_fails(void)
{
	int full, ret;

	capture_begin();
	EXPECT(stream_take(stream, &worker) == 1, "the first packet");
	full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	EXPECT(full >= 0 && dup3(full, stream->index, O_CLOEXEC) >= 0, "/dev/full");
	close(full);
	listen();
	ret = stream_take(stream, &worker);
	understand("index/c_0.idx: No space left on device");
	EXPECT(ret == -ENOSPC && stream->ended, "returns %d", ret);
	EXPECT(size_of("dir/c_0") == 2 * PACKET_SIZE, "%ld bytes", size_of("dir/c_0"));
	EXPECT(size_of("dir/index/c_0.idx") < 0, "there is an index, which lacks a packet");
	EXPECT(channel.packets == 2 && channel.lost == 7, "%llu packets, %llu lost",
	       channel.packets, channel.lost);
	capture_finish();
}

/* A disk far away says only then that it has no room. */
static void test_close_fails(void)
{
	static const char *const names[] = { "c_0", "index/c_0", "metadata" };
	char text[64];
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		capture_begin();
		EXPECT(stream_take(stream, &worker) == 1, "the first packet");
		close_fails = i == 0 ? stream->out : i == 1 ? stream->index : capture.declarations;
		listen();
		capture_finish();
		snprintf(text, sizeof(text), "%s: Disk quota exceeded", names[i]);
		understand(text);
		EXPECT(atomic_load(&capture.failed) == -EIO, "%s: it has not failed", names[i]);
		EXPECT(close_fails < 0, "%s: not closed", names[i]);
	}
}

/* ---- symbols ----------------------------------------------------------------- */

static void test_symbols(void)
{
	struct symbols symbols = SYMBOLS_INIT;
	long size;
	int dir;

	begin();
	dir = open_dir("dir");
	EXPECT(!symbols_update(&symbols, dir, false), "first");
	size = size_of("dir/symbols/kallsyms");
	EXPECT(size > 0, "kallsyms: %ld bytes", size);
	EXPECT(size_of("dir/symbols/modules") == 15, "modules: %ld bytes",
	       size_of("dir/symbols/modules"));
	add_to("ltt/module_symbols", "module c\n0 t d\n", 15);
	EXPECT(!symbols_update(&symbols, dir, true), "last");
	EXPECT(size_of("dir/symbols/kallsyms") == size, "kallsyms is copied again");
	EXPECT(size_of("dir/symbols/modules") == 30, "modules: %ld bytes",
	       size_of("dir/symbols/modules"));
	symbols_free(&symbols);
	close(dir);
	end();
}

static void test_hidden(void)
{
	struct symbols symbols = SYMBOLS_INIT;
	int dir;

	begin();
	dir = open_dir("dir");
	kallsyms = "0000000000000000 T _stext\n0000000000000000 T schedule\n";
	listen();
	EXPECT(!symbols_update(&symbols, dir, false) && symbols.hidden, "hidden");
	understand("the kernel hides addresses");
	kallsyms = shown_kallsyms;
	EXPECT(size_of("dir/symbols") < 0, "something is left");
	symbols_free(&symbols);
	close(dir);
	end();
}

static void expect_victims(void)
{
	EXPECT(size_of("victim/kallsyms") == 4 && size_of("victim/modules") == 4,
	       "somebody else's files now have %ld and %ld bytes", size_of("victim/kallsyms"),
	       size_of("victim/modules"));
}

/* A directory whose owner is not who records; @link: what is a link, @to: where to. */
static void try_link(const char *link, const char *to)
{
	struct symbols symbols = SYMBOLS_INIT;
	int dir;

	begin();
	make_dir("victim");
	add_to("victim/kallsyms", "mine", 4);
	add_to("victim/modules", "mine", 4);
	if (strchr(link + strlen("dir/"), '/'))
		make_dir("dir/symbols");
	EXPECT(!symlink(to, path_of(link)), "symlink");
	dir = open_dir("dir");
	listen();
	EXPECT(symbols_update(&symbols, dir, false) < 0, "%s: no error", link);
	understand("symbols");
	expect_victims();
	symbols_free(&symbols);
	close(dir);
	end();
}

static void test_links(void)
{
	try_link("dir/symbols", "../victim");
	try_link("dir/symbols/kallsyms", "../../victim/kallsyms");
	try_link("dir/symbols/modules", "../../victim/modules");
}

/* As if a module had come. */
static int update_again(struct symbols *symbols, int dir)
{
	free(symbols->modules);
	symbols->modules = NULL;
	add_to("ltt/module_symbols", "module c\n0 t d\n", 15);
	return symbols_update(symbols, dir, false);
}

/* What took the directory's or a file's place later is left alone, too. */
static void test_links_later(void)
{
	struct symbols symbols = SYMBOLS_INIT;
	int dir;

	begin();
	make_dir("victim");
	add_to("victim/kallsyms", "mine", 4);
	add_to("victim/modules", "mine", 4);
	dir = open_dir("dir");
	EXPECT(!symbols_update(&symbols, dir, false), "first");
	EXPECT(!remove(path_of("dir/symbols/modules")) &&
	       !symlink("../../victim/modules", path_of("dir/symbols/modules")), "a file");
	EXPECT(!update_again(&symbols, dir), "with another file");
	expect_victims();
	EXPECT(!rename(path_of("dir/symbols"), path_of("dir/old")) &&
	       !symlink("../victim", path_of("dir/symbols")), "the directory");
	EXPECT(!update_again(&symbols, dir), "with another directory");
	expect_victims();
	symbols_free(&symbols);
	close(dir);
	end();
}

static const struct ktap_case cases[] = {
	{ "packets, their index, and what is counted", test_packets },
	{ "metadata that could not be written stay an error", test_metadata_fails },
	{ "a packet that the index lacks stays", test_index_fails },
	{ "errors of close()", test_close_fails },
	{ "symbols", test_symbols },
	{ "symbols that are hidden", test_hidden },
	{ "symbols are not written through links", test_links },
	{ "nor through links that come later", test_links_later },
};

int main(void)
{
	return ktap_run(cases, sizeof(cases) / sizeof(*cases));
}
