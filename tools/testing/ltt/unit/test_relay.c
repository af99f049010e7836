// SPDX-License-Identifier: GPL-2.0
/*
 * What is sent to lttng-relayd, with servers that do what they should not: an error that says
 * what has happened, within the time that there is for it, and a count of what was lost.
 */
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/utsname.h>

#include <linux/ltt/packet.h>

#include "../../../ltt/capture/capture.h"
#include "../../../ltt/capture/session.h"
#include "../../../ltt/relay/address.h"
#include "../../../ltt/relay/relay.h"
#include "ktap.h"
#include "relay_server.h"

#define PACKET_SIZE	4096

static const char address_text[] = "net://a.test";
static const char declarations[] = "/* CTF 1.8 */\n";

/* ---- addresses ------------------------------------------------------------------- */

static void test_addresses(void)
{
	static const struct {
		const char *text, *host, *control, *data, *path;
	} good[] = {
		{ "net://h", "h", "5342", "5343", "" },
		{ "tcp://h.x:1", "h.x", "1", "5343", "" },
		{ "net://10.0.0.1:1:65535/", "10.0.0.1", "1", "65535", "" },
		{ "net6://[::1]:7:8/a/b//", "::1", "7", "8", "a/b" },
		{ "tcp6://[fe80::1]", "fe80::1", "5342", "5343", "" },
		{ "net://h/..a/.b", "h", "5342", "5343", "..a/.b" },
	};
	static const char *const bad[] = {
		"net://", "net:///x", "net://:1", "net://h:", "net://h:0", "net://h:65536",
		"net://h:1:", "net://h:1:2:3", "net://h:1x", "net://[::1", "net://[]", "http://h",
		"net://h/..", "net://h/a/../b", "net://h/./b", "net5://h", "net://h:-1",
		"net://h:123456789012345678901",
	};
	struct relay_address address;
	char longer[2048];
	unsigned int i;

	for (i = 0; i < sizeof(good) / sizeof(*good); i++) {
		EXPECT(relay_is_address(good[i].text) &&
		       !relay_parse_address(&address, good[i].text), "%s", good[i].text);
		EXPECT_STR(address.host, good[i].host);
		EXPECT_STR(address.control, good[i].control);
		EXPECT_STR(address.data, good[i].data);
		EXPECT_STR(address.path, good[i].path);
	}
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		EXPECT(relay_parse_address(&address, bad[i]), "%s is taken", bad[i]);
	snprintf(longer, sizeof(longer), "net://%0300d", 1);
	EXPECT(relay_parse_address(&address, longer), "a long host");
	snprintf(longer, sizeof(longer), "net://h/%0300d", 1);
	EXPECT(relay_parse_address(&address, longer), "a long name in the path");
	EXPECT(!relay_is_address("trace") && !relay_is_address("./net://h") &&
	       !relay_is_address("net:/h") && !relay_is_address("://h"), "a directory");
}

/* ---- a connection ---------------------------------------------------------------- */

static const char *const steps[] = {
	"VERSION", "CREATE_SESSION", "ADD_STREAM", "STREAMS_SENT", "ADD_STREAM", "STREAMS_SENT",
	"SEND_INDEX", "DATA_PENDING", "CLOSE_STREAM",
};

#define STEPS	(sizeof(steps) / sizeof(*steps))

static void set_address(struct relay_address *address, const struct server *s)
{
	char text[64];

	snprintf(text, sizeof(text), "net://127.0.0.1:%u:%u", s->ports[0], s->ports[1]);
	if (relay_parse_address(address, text))
		exit(1);
	address->text = address_text;
}

static const struct ltt_packet *a_packet(unsigned int seq, size_t size)
{
	static union {
		struct ltt_packet packet;
		char bytes[4 << 20];
	} u;

	u.packet = (struct ltt_packet) {
		.magic = LTT_PACKET_MAGIC,
		.content_size = 8 * size,
		.packet_size = 8 * size,
		.packet_seq_num = seq,
	};
	return &u.packet;
}

/* Everything that there is, once. */
static int talk(struct relay *relay, size_t size)
{
	const struct ltt_packet *packet = a_packet(0, size);
	uint64_t metadata, stream;
	int ret;

	ret = relay_connect(relay) ?:
	      relay_create_session(relay, "s", "h", 0) ?:
	      relay_add_stream(relay, "metadata", "h/s", &metadata) ?:
	      relay_send_metadata(relay, metadata, declarations, strlen(declarations)) ?:
	      relay_streams_sent(relay) ?:
	      relay_add_stream(relay, "c_0", "h/s", &stream) ?:
	      relay_streams_sent(relay) ?:
	      relay_send_packet(relay, stream, 0, packet, size) ?:
	      relay_send_index(relay, stream, 0, packet) ?:
	      relay_settle(relay, 0);
	while (!ret && (ret = relay_ask_pending(relay, stream, 0) ?: relay_pending(relay)) > 0)
		ret = relay_sleep(relay, 1);
	return ret ?: relay_close_stream(relay, stream, 0);
}

/* Talk to a server; what is wrong must contain @why. */
static void expect_failure(struct server *s, size_t size, const char *why, const char *what)
{
	struct relay_address address;
	int64_t began = relay_now();
	struct relay relay;
	int ret;

	set_address(&address, s);
	ret = relay_init(&relay, &address, -1) ?: talk(&relay, size);
	EXPECT(ret < 0, "%s, %s: succeeds", what, why);
	EXPECT(strstr(relay.why, why), "%s: no '%s' in '%s'", what, why, relay.why);
	EXPECT(relay_now() - began < 5 * RELAY_TIMEOUT, "%s, %s: takes %lld ms", what, why,
	       (long long)(relay_now() - began));
	relay_free(&relay);
	server_stop(s);
	free(s);
}

static void test_good(void)
{
	struct server *s = server_new();
	struct relay_address address;
	struct relay relay;
	int ret;

	set_address(&address, s);
	ret = relay_init(&relay, &address, -1) ?: talk(&relay, PACKET_SIZE);
	EXPECT(!ret, "%d: %s", ret, relay.why);
	EXPECT(!relay_check(&relay), "%s", relay.why);
	relay_free(&relay);
	server_stop(s);
	EXPECT_STR(s->sessions[0].text, declarations);
	EXPECT_STR(s->sessions[0].name, "s");
	EXPECT_STR(s->sessions[0].host, "h");
	EXPECT(s->sessions[0].packets[1] == 1 && s->sessions[0].indexes[1] == 1, "the packet");
	free(s);
}

static void test_faults(void)
{
	static const char *const names[] = {
		"good", "close", "reset", "short", "silent", "drip", "refuse", "garbage",
	};
	struct server *s;
	enum fault fault;
	unsigned int i;

	for (fault = CLOSE; fault < FAULTS; fault++) {
		for (i = 0; i < STEPS; i++) {
			s = server_new();
			s->fault = fault;
			s->at = i;
			/* A version has nothing but numbers that can be wrong. */
			expect_failure(s, PACKET_SIZE, i || fault < REFUSE ? steps[i] : "version ",
				       names[fault]);
		}
	}
}

static void test_versions(void)
{
	static const uint32_t bad[][2] = { { 1, 13 }, { 3, 0 }, { 2, 7 }, { 0, 0 } };
	struct server *s;
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		s = server_new();
		s->major = bad[i][0];
		s->minor = bad[i][1];
		expect_failure(s, PACKET_SIZE, "is not supported, only 2.8 and later 2.x", "version");
	}
}

static void test_deaf(void)
{
	struct server *s = server_new();

	s->deaf = true;
	expect_failure(s, 4 << 20, "timed out sending a packet", "deaf");
}

static void test_nobody(void)
{
	struct server *s = server_new();
	struct relay_address address;
	struct relay relay;
	int ret;

	server_stop(s);
	set_address(&address, s);
	ret = relay_init(&relay, &address, -1) ?: relay_connect(&relay);
	EXPECT(ret == -ECONNREFUSED && strstr(relay.why, "Connection refused"), "%s", relay.why);
	relay_free(&relay);
	free(s);
}

/* Being told to stop ends every wait. */
static void test_stop(void)
{
	struct server *s = server_new();
	struct relay_address address;
	struct relay relay;
	int ret, stop;

	s->fault = SILENT;
	set_address(&address, s);
	stop = eventfd(1, 0);
	ret = relay_init(&relay, &address, stop) ?: relay_connect(&relay);
	EXPECT(ret == -ECANCELED, "%d: %s", ret, relay.why);
	relay_free(&relay);
	close(stop);
	server_stop(s);
	free(s);
}

/* ---- a capture, without its threads ---------------------------------------------- */

static struct capture capture;
static struct worker worker;
static struct channel channel;
static struct capture_stream stream;
static unsigned int next_seq;
static bool live;

/* What is said meanwhile is kept. */
static FILE *old_stderr;
static char *said;
static size_t said_size;

static void understand(const char *text)
{
	fflush(stderr);
	EXPECT(strstr(said, text), "no '%s': %s", text, said);
}

/* Ours, NULL: that of the machine. */
static const char *hostname;

int __wrap_gethostname(char *name, size_t size)
{
	struct utsname names;

	uname(&names);
	if (snprintf(name, size, "%s", hostname ?: names.nodename) < (int)size)
		return 0;
	errno = ENAMETOOLONG;
	return -1;
}

static int begin(struct server *s)
{
	static char where[64];
	int ret;

	snprintf(where, sizeof(where), "net://127.0.0.1:%u:%u/p", s->ports[0], s->ports[1]);
	capture = (struct capture) {
		.trace = "t", .whole = true, .live = live, .sink = &sink_relay, .dir = -1,
		.stop = -1,
	};
	worker = (struct worker) { .capture = &capture };
	channel = (struct channel) { };
	next_seq = 0;
	capture.metadata.capture = &capture;
	capture.metadata.in = memfd_create("metadata", 0);
	stream = (struct capture_stream) {
		.name = "c_0", .in = memfd_create("c_0", 0), .channel = &channel, .out = -1,
	};
	if (capture.metadata.in < 0 || stream.in < 0 ||
	    pwrite(capture.metadata.in, declarations, strlen(declarations), 0) < 0)
		exit(1);
	old_stderr = stderr;
	stderr = open_memstream(&said, &said_size);
	ret = sink_relay.open(&capture, where);
	return ret ?: metadata_update(&capture.metadata);
}

static void take(unsigned int nr)
{
	while (nr--) {
		if (pwrite(stream.in, a_packet(next_seq, PACKET_SIZE), PACKET_SIZE,
			   (off_t)next_seq * PACKET_SIZE) != PACKET_SIZE)
			exit(1);
		next_seq++;
		EXPECT(!sink_relay.take(&stream, &worker, PACKET_SIZE), "packet %u", next_seq);
	}
}

static int end(enum capture_mode mode)
{
	int ret;

	sink_relay.ending(&capture, mode);
	ret = sink_relay.finish(&capture);
	sink_relay.summary(&capture);
	return ret;
}

static void clean_up(void)
{
	EXPECT(channel.packets == next_seq, "%llu packets counted", channel.packets);
	sink_relay.close(&capture);
	fclose(stderr);
	stderr = old_stderr;
	free(said);
	close(stream.in);
	close(capture.metadata.in);
	free(capture.metadata.buf);
	free(worker.packet);
}

/* A stream that comes when replies of others are to come. */
static void take_other(void)
{
	static struct capture_stream other;
	static struct channel its_channel;

	other = (struct capture_stream) {
		.name = "c_1", .in = memfd_create("c_1", 0), .channel = &its_channel,
	};
	if (write(other.in, a_packet(0, PACKET_SIZE), PACKET_SIZE) != PACKET_SIZE ||
	    lseek(other.in, 0, SEEK_SET))
		exit(1);
	EXPECT(!sink_relay.take(&other, &worker, PACKET_SIZE), "another stream");
	sink_relay.idle(&capture, NULL);
	EXPECT(!other.relayed.packets && its_channel.packets == 1, "it has not arrived");
	close(other.in);
}

static void test_capture(void)
{
	struct server *s = server_new();
	int ret;

	EXPECT(!begin(s), "%s", said);
	take(3);
	if (pwrite(capture.metadata.in, "more;\n", 6, strlen(declarations)) != 6)
		exit(1);
	take(2000);
	take_other();
	ret = end(CAPTURE_DRAIN);
	EXPECT(!ret, "%d", ret);
	fflush(stderr);
	EXPECT(!said_size, "it says %s", said);
	server_stop(s);
	EXPECT(s->nr == 1 && s->sessions[0].packets[1] == 2003 &&
	       s->sessions[0].indexes[1] == 2003 && s->sessions[0].packets[2] == 1 &&
	       s->sessions[0].closed == 3, "%u packets, %u indexes, %u closed",
	       s->sessions[0].packets[1], s->sessions[0].indexes[1], s->sessions[0].closed);
	EXPECT_STR(s->sessions[0].text, "/* CTF 1.8 */\nmore;\n");
	EXPECT(strstr(s->sessions[0].paths[1], "/p/t-"), "%s", s->sessions[0].paths[1]);
	EXPECT(strstr(s->sessions[0].paths[1], "/kernel"), "%s", s->sessions[0].paths[1]);
	EXPECT_STR(s->sessions[0].names[1], "c_0");
	clean_up();
	free(s);
}

/* The longest name that Linux allows is too long for relayd. */
static void test_hostname(void)
{
	static const char longest[] =
		"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
	struct server *s = server_new();

	hostname = longest;
	EXPECT(!begin(s), "%s", said);
	hostname = NULL;
	take(1);
	EXPECT(!end(CAPTURE_DRAIN), "the result");
	server_stop(s);
	EXPECT(strlen(s->sessions[0].host) == strlen(longest) - 1 &&
	       !strncmp(s->sessions[0].host, longest, strlen(longest) - 1), "%s",
	       s->sessions[0].host);
	EXPECT(!strncmp(s->sessions[0].paths[1], longest, strlen(longest) - 1), "%s",
	       s->sessions[0].paths[1]);
	clean_up();
	free(s);
}

/* The number that follows @text. */
static unsigned long told(const char *text)
{
	const char *at;

	fflush(stderr);
	at = strstr(said, text);
	return at ? strtoul(at + strlen(text), NULL, 10) : ~0ul;
}

/* Broken at each step, whatever way: the next session has all metadata, and what follows. */
static void test_broken(void)
{
	unsigned int i, fault, first, second;
	unsigned long missing;
	struct server *s;

	for (i = 2 * STEPS; i-- > 3;) {
		fault = CLOSE + i % 3;
		s = server_new();
		s->fault = fault;
		s->at = i;
		EXPECT(!begin(s), "%s", said);
		take(100);
		EXPECT(end(CAPTURE_DRAIN) == (told("missing: ") ? -EIO : 0), "the result");
		understand("connection lost: ");
		understand("connected again");
		understand("connections lost: 1,");
		understand("packets not sent: 0 ");
		missing = told(", packets that may be missing: ");
		server_stop(s);
		first = s->sessions[0].packets[1];
		second = s->sessions[1].packets[1];
		EXPECT(s->nr == 2 && s->sessions[1].closed == 2, "%u sessions", s->nr);
		EXPECT(first + second <= 100 && first + second + missing >= 100,
		       "reply %u: %u and %u packets, %lu missing", i, first, second, missing);
		EXPECT(s->sessions[1].last == 99 && s->sessions[1].indexes[1] == second, "the last");
		EXPECT_STR(s->sessions[1].text, declarations);
		EXPECT(strstr(s->sessions[1].paths[1], "-2/kernel"), "%s", s->sessions[1].paths[1]);
		clean_up();
		free(s);
	}
}

/* Nobody comes any more: told, and ended. */
static void test_gone(void)
{
	struct server *s = server_new();
	int64_t began;

	EXPECT(!begin(s), "%s", said);
	take(1);
	sink_relay.idle(&capture, NULL);
	server_stop(s);
	sink_relay.idle(&capture, NULL);
	understand("connection lost: connection closed by peer; packets that may be missing: 0 ");
	began = relay_now();
	sink_relay.ending(&capture, CAPTURE_DRAIN);
	take(20);
	EXPECT(end(CAPTURE_DRAIN) == -EIO, "the result");
	EXPECT(relay_now() - began < 5 * PATIENCE, "it takes %lld ms",
	       (long long)(relay_now() - began));
	understand("gave up: port ");
	understand("packets that may be missing: 0 (0 bytes), packets not sent: 20 (81920 bytes)");
	clean_up();
	free(s);
}

/* It breaks every time: nothing for ever. */
static void test_always(void)
{
	/* With 4 and 5 there are sessions, but nothing arrives in them. */
	static const int at[] = { 1, 3, 4, 5, 6, 7 };
	unsigned int i, fault;
	struct server *s;
	int64_t began;

	for (i = 0; i < sizeof(at) / sizeof(*at); i++) {
		for (fault = CLOSE; fault <= REFUSE; fault += REFUSE - CLOSE) {
			s = server_new();
			EXPECT(!begin(s), "%s", said);
			take(1);
			s->fault = fault;
			s->at = at[i];
			s->times = 1000;
			server_stop(s);
			server_start(s);
			began = relay_now();
			sink_relay.ending(&capture, CAPTURE_DRAIN);
			take(5);
			EXPECT(end(CAPTURE_DRAIN) == -EIO, "the result");
			EXPECT(relay_now() - began < 8 * PATIENCE, "%d: it takes %lld ms", at[i],
			       (long long)(relay_now() - began));
			EXPECT(told(", packets that may be missing: ") + told("not sent: ") >= 5,
			       "%s", said);
			server_stop(s);
			clean_up();
			free(s);
		}
	}
}

/* It takes packets, and says that they have not arrived. No more than 8 MB are let go so. */
static void test_never(void)
{
	struct server *s = server_new();

	EXPECT(!begin(s), "%s", said);
	s->never = true;
	take(2200);
	EXPECT(end(CAPTURE_DRAIN) == -EIO, "the result");
	understand("connection lost: no confirmation from lttng-relayd; packets that may be missing: ");
	EXPECT(told("from lttng-relayd; packets that may be missing: ") <= (8 << 20) / PACKET_SIZE,
	       "%s", said);
	EXPECT(told(", packets that may be missing: ") == 2200, "%s", said);
	server_stop(s);
	clean_up();
	free(s);
}

static void test_aborted(void)
{
	struct server *s = server_new();
	int64_t began;

	EXPECT(!begin(s), "%s", said);
	take(1);
	s->deaf = true;
	s->fault = SILENT;
	s->at = 0;
	take(1);
	began = relay_now();
	EXPECT(end(CAPTURE_ABORT) == -EIO, "the result");
	EXPECT(relay_now() - began < RELAY_TIMEOUT, "it waits");
	take(1);
	sink_relay.summary(&capture);
	understand("packets not sent: 1 (4096 bytes)");
	server_stop(s);
	clean_up();
	free(s);
}

static void test_bad_packets(void)
{
	struct server *s = server_new();
	int ret;

	EXPECT(!begin(s), "%s", said);
	if (pwrite(stream.in, declarations, strlen(declarations), 0) < 0 ||
	    ftruncate(stream.in, PACKET_SIZE))
		exit(1);
	ret = sink_relay.take(&stream, &worker, PACKET_SIZE);
	EXPECT(ret == -EBADMSG, "%d", ret);
	if (pwrite(stream.in, a_packet(0, PACKET_SIZE), PACKET_SIZE / 2, 0) < 0 ||
	    ftruncate(stream.in, PACKET_SIZE / 2) || lseek(stream.in, 0, SEEK_SET))
		exit(1);
	ret = sink_relay.take(&stream, &worker, PACKET_SIZE / 2);
	EXPECT(ret == -EBADMSG, "%d", ret);
	lseek(stream.in, 0, SEEK_SET);
	ret = sink_relay.take(&stream, &worker, PACKET_SIZE);
	EXPECT(ret == -EIO, "%d", ret);
	ret = sink_relay.take(&stream, &worker, sizeof(struct ltt_packet) - 1);
	EXPECT(ret == -EBADMSG, "%d", ret);
	server_stop(s);
	clean_up();
	free(s);
}

/* ---- of a live session ------------------------------------------------------------ */

#define LIVE_STREAMS	2

static struct capture_stream live_streams[LIVE_STREAMS];
static struct capture_stream *live_pointers[] = { live_streams, live_streams + 1 };
static uint64_t watermarks[LIVE_STREAMS];

int __wrap_session_uuid(const char *name, char uuid[SESSION_UUID_SIZE])
{
	(void)name;
	strcpy(uuid, "01234567-89ab-cdef-0123-456789abcdef");
	return 0;
}

int __real_ioctl(int fd, unsigned long request, ...);

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	unsigned int i;
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	for (i = 0; request == LTT_IOC_WATERMARK && i < LIVE_STREAMS; i++) {
		if (live_streams[i].in == fd) {
			*(__u64 *)arg = watermarks[i];
			return 0;
		}
	}
	return __real_ioctl(fd, request, arg);
}

/* Nobody looks for new streams, so it is as if the capture were to end. */
static void begin_live(struct server *s)
{
	static const char *const names[LIVE_STREAMS] = { "c_0", "c_1" };
	unsigned int i;

	live = true;
	EXPECT(!begin(s), "%s", said);
	live = false;
	atomic_store(&capture.mode, CAPTURE_DRAIN);
	for (i = 0; i < LIVE_STREAMS; i++) {
		watermarks[i] = 0;
		live_streams[i] = (struct capture_stream) {
			.name = (char *)names[i], .in = memfd_create(names[i], 0),
			.channel = &channel, .out = -1,
		};
	}
	worker.streams = live_pointers;
	worker.nr = LIVE_STREAMS;
}

/* The next packet of a stream; then its watermark is where that ends. */
static void take_live(unsigned int i, uint64_t begins, uint64_t ends, uint64_t seq, uint64_t lost)
{
	struct ltt_packet *packet = (struct ltt_packet *)a_packet(seq, PACKET_SIZE);
	const int in = live_streams[i].in;

	packet->timestamp_begin = begins;
	packet->timestamp_end = ends;
	packet->events_discarded = lost;
	if (pwrite(in, packet, PACKET_SIZE, (off_t)next_seq * PACKET_SIZE) != PACKET_SIZE)
		exit(1);
	lseek(in, (off_t)next_seq++ * PACKET_SIZE, SEEK_SET);
	watermarks[i] = ends;
	EXPECT(!sink_relay.take(&live_streams[i], &worker, PACKET_SIZE), "a packet");
}

static void clean_up_live(void)
{
	unsigned int i;

	clean_up();
	for (i = 0; i < LIVE_STREAMS; i++)
		close(live_streams[i].in);
}

/* Nothing comes before what was said to be known, in a later session neither. */
static void test_live_order(void)
{
	struct server *s = server_new();
	int ret;

	begin_live(s);
	take_live(0, 100, 200, 0, 0);
	take_live(1, 500, 600, 0, 0);
	sink_relay.idle(&capture, &worker);
	server_stop(s);
	server_start(s);
	take_live(0, 300, 400, 1, 0);
	ret = end(CAPTURE_DRAIN);
	EXPECT(!ret, "%s", said);
	server_stop(s);
	EXPECT(s->nr == 2 && s->sessions[1].begin[1] == 300, "%u sessions", s->nr);
	EXPECT(!s->sessions[0].early && !s->sessions[1].early, "%u and %u come too early",
	       s->sessions[0].early, s->sessions[1].early);
	clean_up_live();
	free(s);
}

/* A later session begins where the one before ended. */
static void test_live_numbers(void)
{
	struct server *s = server_new();

	begin_live(s);
	take_live(0, 100, 200, 0, 3);
	take_live(0, 200, 300, 1, 5);
	sink_relay.idle(&capture, &worker);
	server_stop(s);
	server_start(s);
	take_live(0, 300, 400, 2, 5);
	EXPECT(!end(CAPTURE_DRAIN), "%s", said);
	server_stop(s);
	EXPECT(!s->sessions[0].first[1] && !s->sessions[0].lost[1], "the first session");
	EXPECT(s->nr == 2 && s->sessions[1].first[1] == 2 && s->sessions[1].lost[1] == 5 &&
	       !s->sessions[1].first[2], "number %llu, %llu lost",
	       (unsigned long long)s->sessions[1].first[1],
	       (unsigned long long)s->sessions[1].lost[1]);
	EXPECT(s->sessions[1].last == 3, "the last one: %llu",
	       (unsigned long long)s->sessions[1].last);
	clean_up_live();
	free(s);
}

/* It comes again though there are no packets; those without events are not missed. */
static void test_live_quiet(void)
{
	struct server *s = server_new();
	int64_t until = relay_now() + 60000;

	s->never = true;
	begin_live(s);
	sink_relay.idle(&capture, &worker);
	understand("no confirmation from lttng-relayd; packets that may be missing: 0 (0 bytes)");
	s->never = false;
	while (s->nr < 2 && relay_now() < until) {
		sink_relay.idle(&capture, &worker);
		usleep(10000);
	}
	understand("connected again");
	server_stop(s);
	sink_relay.idle(&capture, &worker);
	sink_relay.idle(&capture, &worker);
	understand("trying again: ");
	server_start(s);
	while (s->nr < 3 && relay_now() < until) {
		sink_relay.idle(&capture, &worker);
		usleep(10000);
	}
	EXPECT(!end(CAPTURE_DRAIN), "%s", said);
	server_stop(s);
	EXPECT(s->nr == 3 && s->sessions[2].nr == 3, "%u sessions", s->nr);
	clean_up_live();
	free(s);
}

/* What packets without events said is not taken back at the end. */
static void test_live_end(void)
{
	struct server *s = server_new();

	begin_live(s);
	watermarks[0] = 1000;
	watermarks[1] = 2000;
	sink_relay.idle(&capture, &worker);
	EXPECT(!end(CAPTURE_DRAIN), "%s", said);
	server_stop(s);
	EXPECT(s->sessions[0].indexes[1] == 1 && s->sessions[0].indexes[2] == 1, "the streams");
	EXPECT(!s->sessions[0].early && s->sessions[0].end[1] > 2000, "%u come too early",
	       s->sessions[0].early);
	clean_up_live();
	free(s);
}

/* Metadata that are missing have been told of, and are not due to the connection. */
static void test_live_metadata(void)
{
	struct server *s = server_new();

	begin_live(s);
	sink_relay.idle(&capture, &worker);
	capture.metadata.error = -EIO;
	sink_relay.idle(&capture, &worker);
	fflush(stderr);
	EXPECT(!said_size, "it says %s", said);
	EXPECT(!end(CAPTURE_DRAIN), "%s", said);
	server_stop(s);
	EXPECT(s->nr == 1, "%u sessions", s->nr);
	clean_up_live();
	free(s);
}

static const struct ktap_case cases[] = {
	{ "addresses", test_addresses },
	{ "a server that does what it should", test_good },
	{ "one that does not, at each step", test_faults },
	{ "versions", test_versions },
	{ "one that does not take packets", test_deaf },
	{ "nobody there", test_nobody },
	{ "stop", test_stop },
	{ "a capture", test_capture },
	{ "the longest name of a machine", test_hostname },
	{ "a connection that breaks", test_broken },
	{ "nobody comes again", test_gone },
	{ "each connection breaks", test_always },
	{ "packets never arrive", test_never },
	{ "a capture that is aborted", test_aborted },
	{ "what is no packet", test_bad_packets },
	{ "a live session: the order", test_live_order },
	{ "a live session: numbers", test_live_numbers },
	{ "a live session: no packets", test_live_quiet },
	{ "a live session: the end", test_live_end },
	{ "a live session: metadata are missing", test_live_metadata },
};

int main(void)
{
	/* What waits for ever is killed. */
	alarm(1200);
	return ktap_run(cases, sizeof(cases) / sizeof(*cases));
}
