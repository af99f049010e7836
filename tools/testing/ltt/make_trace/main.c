// SPDX-License-Identifier: GPL-2.0
/*
 * Make a trace as the kernel would, in a directory as `ltt record` would: with the
 * kernel's ring buffer, its cursors, its formats and its metadata, compiled for
 * whatever machine. On one of the other byte order this makes traces to try readers
 * with.
 *
 *	make_trace DIR		makes DIR with metadata, streams and an index
 *
 * Four channels on three CPUs:
 *
 *	types	events with fields of every type
 *	many	more kinds of events than the short header has room for, and pauses that
 *		its time has no room for
 *	loss	read too late: events are lost, between packets
 *	flight	overwrite mode: the oldest packets are gone; and a context
 */

#include <argp.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/ltt/unaligned.h>
#include <linux/ltt/metadata.h>
#include <linux/ltt/version.h>
#include <linux/ltt/textbuf.h>
#include <linux/string.h>

#include "../unit/ktap.h"
#include "make_trace.h"

#define MADE_CPUS		3u
#define NR_EVENTS	20000u

/* More ids than the short header has. */
#define NR_MANY		40u

#define BEGIN		5000000000ull		/* ns of the clock */
#define REAL_OFFSET	1700000000123456789ull

#define METADATA_MAX	1000000

#define S	LTT_TYPE_SIGNED
#define INT(size, flags)	LTT_TYPE(LTT_KIND_INT, size, flags)
#define SEQ(size, flags)	LTT_TYPE(LTT_KIND_SEQ, size, flags)
#define PTR			LTT_TYPE(LTT_KIND_PTR, 8, 0)
#define CPTR			LTT_TYPE(LTT_KIND_CPTR, 8, 0)

/* A kind of event, and the types of its arguments. */
#define KIND(_name, _format, ...) {					\
	.name = (_name),						\
	.format = (_format),						\
	.nr_types = ARRAY_SIZE(((u32 []){ 0, ##__VA_ARGS__ })) - 1,	\
	.types = { __VA_ARGS__ },					\
}

static struct kind types[] = {
	KIND("narrow", "u8 %u s8 %d u16 %u s16 %d",
	     INT(1, 0), INT(1, S), INT(2, 0), INT(2, S)),
	KIND("wide", "int %d uint %u s64 %lld u64 %llu",
	     INT(4, S), INT(4, 0), INT(8, S), INT(8, 0)),
	KIND("bases", "hex %x HEX %#X oct %o padded %08x left %-6d| plus %+d",
	     INT(4, 0), INT(4, 0), INT(4, 0), INT(4, 0), INT(4, S), INT(4, S)),
	KIND("converted", "minus %u wraps %d cut %hhd",
	     INT(4, S), INT(4, 0), INT(4, S)),
	KIND("network", "be16 %u be32 %#x be64 %llx sbe %d",
	     INT(2, LTT_TYPE_BE), INT(4, LTT_TYPE_BE), INT(8, LTT_TYPE_BE),
	     INT(4, LTT_TYPE_BE | S)),
	KIND("names", "fruit %d{0=apple,1=pear,-1=none} mode %x{|1=read|2=write|0x80000000=top}",
	     INT(4, S), INT(4, 0)),
	KIND("strings", "char %c string %s bounded %.4s",
	     INT(1, 0), CPTR, CPTR),
	KIND("addresses", "ip4 %pI4 net %pI4n ip6 %pI6c full %pI6 mac %pM uuid %pUb guid %pUl",
	     CPTR, CPTR, CPTR, CPTR, CPTR, CPTR, CPTR),
	KIND("pointers", "func %ps offset %pS raw %px plain %p",
	     PTR, PTR, PTR, PTR),
	KIND("arrays", "three %u[3] chars %c[8] flags %x[2]{|1=a|2=b} name %s[8] cut %6.2s[3]|",
	     SEQ(2, 0), SEQ(1, 0), SEQ(4, 0), SEQ(1, S), SEQ(1, 0)),
	KIND("sequences", "some %d bytes %x chars %c big %u",
	     SEQ(4, S), SEQ(1, 0), SEQ(1, 0), SEQ(4, LTT_TYPE_BE)),
	KIND("blob", "size %lu binary %pW again %u more %pW",
	     INT(8, 0), PTR, INT(2, LTT_TYPE_BE), PTR),
	KIND("hostile", "Bool %d list %u _list_length %u event %s",
	     INT(4, S), SEQ(4, 0), INT(4, 0), CPTR),
	KIND("corners", "s64 %lld{-9223372036854775808=min,9223372036854775807=max,0=same,1=same} u64 %llu{18446744073709551615=max} s8 %x{0xffffffff=minus} be %u[3]{1=one} Complex %hhd{-1=minus}",
	     INT(8, S), INT(8, 0), INT(1, S), SEQ(2, LTT_TYPE_BE), INT(4, 0)),
	KIND("nothing", "no argument, 100%% \"text\" \\ \303\274"),
};

/* As the result of a system call. */
#define RETURNED	"ret %lld{-2=ENOENT,-1=EPERM,0=none,9223372036854775807=max}"

static struct kind many[NR_MANY];

static struct kind loss[] = {
	KIND("one", "number %u text %s",
	     INT(4, 0), CPTR),
	KIND("two", "number %llu",
	     INT(8, 0)),
};

static struct kind flight[] = {
	KIND("position", "x %d y %d z %d",
	     INT(4, S), INT(4, S), INT(4, S)),
};

static const u32 context_types[] = { INT(4, S), CPTR, INT(1, 0), SEQ(8, 0) };

static struct ltt_context context = {
	.text = "tid %d comm %s state %u{0=task,1=softirq,2=irq} stack %pS",
	.types = context_types,
	.nr_types = ARRAY_SIZE(context_types),
};

static struct channel {
	const char *name;
	struct kind *kinds;
	unsigned int nr_kinds;
	bool overwrite;
	struct ltt_context *context;
	struct stream streams[MADE_CPUS];
} channels[] = {
	{ "types", types, ARRAY_SIZE(types), false, NULL, {} },
	{ "many", many, ARRAY_SIZE(many), false, NULL, {} },
	{ "loss", loss, ARRAY_SIZE(loss), false, NULL, {} },
	{ "flight", flight, ARRAY_SIZE(flight), true, &context, {} },
};

static const u8 uuid[LTT_UUID_SIZE] = {
	0x4c, 0x54, 0x54, 0x20, 0x6d, 0x61, 0x4b, 0x65,
	0xa0, 0x74, 0x72, 0x61, 0x63, 0x65, 0x21, 0xff,
};

static const char *dir;
static bool apart;

u64 maker_clock = BEGIN;

void die(const char *format, ...)
{
	va_list args;

	fputs("make_trace: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

u64 random_word(void)
{
	static unsigned long long state = 0x4c5454;

	return ktap_random(&state);
}

u32 random_below(u32 limit)
{
	return (random_word() >> 32) % limit;
}

/* ---- before anything is recorded ------------------------------------------------ */

static void name_many(void)
{
	unsigned int i;
	char *name;

	for (i = 0; i < NR_MANY; i++) {
		if (asprintf(&name, "event_%u", i) < 0)
			die("out of memory");
		many[i].name = name;
		many[i].format = i & 1 ? "value %u" : RETURNED;
		many[i].nr_types = 1;
		many[i].types[0] = i & 1 ? INT(4, 0) : INT(8, S);
	}
}

static struct ltt_format *parse(const char *format, const u32 *types, unsigned int nr_types)
{
	char error[LTT_FORMAT_ERROR];
	struct ltt_format *parsed = ltt_format_parse(format, types, nr_types, error);

	if (IS_ERR(parsed))
		die("%s: %s", format, error);
	return parsed;
}

static void parse_formats(struct channel *channel)
{
	struct ltt_context *ctx = channel->context;
	struct kind *kind;
	unsigned int id;

	if (ctx)
		ctx->format = parse(ctx->text, ctx->types, ctx->nr_types);
	for (id = 0; id < channel->nr_kinds; id++) {
		kind = &channel->kinds[id];
		kind->parsed = parse(kind->format, kind->types, kind->nr_types);
	}
}

/* Kinds of events without names of their own: every second one has the same fields. */
static int put_many(struct ltt_textbuf *out, u32 stream_id, const char *channel, u32 id)
{
	const struct kind *kind = &many[id];
	int err = 0;

	if (id < 2)
		err = ltt_metadata_fields(out, stream_id, id, kind->format, kind->types,
					  kind->parsed);
	return err ?: ltt_metadata_event_like(out, stream_id, id, channel, kind->name,
					      id & 1);
}

static int put_metadata(struct ltt_textbuf *out)
{
	const struct ltt_metadata metadata = {
		.name = "made",
		.uuid = uuid,
		.big_endian = LTT_HOST_BE,
		.clock = "mono",
		.real_offset = REAL_OFFSET,
		.hostname = "nowhere",
		.boot_id = uuid,
		.release = "6.1.0",
		.version = LTT_VERSION,
	};
	int err = ltt_metadata_preamble(out, &metadata);
	unsigned int i, id;

	for (i = 0; i < ARRAY_SIZE(channels) && !err; i++) {
		const struct channel *channel = &channels[i];

		err = ltt_metadata_stream(out, i, channel->name, channel->context);
		for (id = 0; id < channel->nr_kinds && !err; id++) {
			const struct kind *kind = &channel->kinds[id];

			if (channel->kinds == many && !apart)
				err = put_many(out, i, channel->name, id);
			else
				err = ltt_metadata_event(out, i, id, channel->name,
							 kind->name, kind->format,
							 kind->types, kind->parsed);
		}
	}
	return err;
}

static void write_metadata(void)
{
	char *text = malloc(METADATA_MAX), *path;
	struct ltt_textbuf out = { .pos = text, .end = text + METADATA_MAX };
	size_t len;
	FILE *file;

	if (!text || asprintf(&path, "%s/metadata", dir) < 0)
		die("out of memory");
	if (put_metadata(&out))
		die("the metadata are too long");
	len = out.pos - text;
	file = fopen(path, "wb");
	if (!file || fwrite(text, 1, len, file) != len || fclose(file))
		die("%s: %s", path, strerror(errno));
	free(path);
	free(text);
}

static void open_streams(struct channel *channel)
{
	struct ltt_packet packet = {
		.magic = LTT_PACKET_MAGIC,
		.stream_id = channel - channels,
	};

	memcpy(packet.uuid, uuid, sizeof(packet.uuid));
	for (; packet.cpu_id < MADE_CPUS; packet.cpu_id++) {
		struct stream *stream = &channel->streams[packet.cpu_id];

		stream->kinds = channel->kinds;
		stream->context = channel->context ? channel->context->format : NULL;
		stream_open(stream, dir, channel->name, &packet, channel->overwrite);
	}
}

static void make_dirs(void)
{
	char *index;

	if (asprintf(&index, "%s/index", dir) < 0)
		die("out of memory");
	if (mkdir(dir, 0777))
		die("%s: %s", dir, strerror(errno));
	if (mkdir(index, 0777))
		die("%s: %s", index, strerror(errno));
	free(index);
}

/* ---- recording ------------------------------------------------------------------ */

/*
 * Time goes on between events, now and then by more than the short header can
 * tell; but some events of a buffer have the same time.
 */
static void pass_time(void)
{
	if (!random_below(200))
		maker_clock += random_word() >> 30;
	else
		maker_clock += 1 + random_below(100000);
}

static void record(struct channel *channel, unsigned int cpu)
{
	struct stream *stream = &channel->streams[cpu];
	unsigned int id = random_below(channel->nr_kinds);
	const struct ltt_tap tap = {
		.reserve = id < LTT_ID_WIDE ? ltt_reserve_mono : ltt_reserve_wide_mono,
		.buf = &stream->buf,
		.id = id,
		.publish = ltt_buf_publish,
	};
	u8 payload[PAYLOAD_MAX];
	struct ltt_slot slot;
	size_t len = 0;

	if (stream->context)
		len = make_payload(stream->context, payload);
	len += make_payload(channel->kinds[id].parsed, payload + len);
	slot = tap.reserve(&tap, len + LTT_HEADER_COMPACT);
	if (!slot.p)
		return;
	memcpy(slot.p, payload, len);
	ltt_commit(&tap, slot);
}

static void record_all(void)
{
	struct channel *channel;
	unsigned int i, cpu;

	for (i = 0; i < NR_EVENTS; i++) {
		pass_time();
		channel = &channels[random_below(ARRAY_SIZE(channels))];
		cpu = random_below(MADE_CPUS);
		record(channel, cpu);
		while (!random_below(20))
			record(channel, cpu);		/* at the same time */
		if (!random_below(500))			/* the switch timer */
			ltt_buf_close(&channel->streams[cpu].buf, LTT_CLOCK_MONO);

		if (channel->overwrite)
			continue;			/* read at the end */
		if (channel->kinds != loss || !random_below(600))
			stream_drain(&channel->streams[cpu]);
	}
}

/* Losses are told by the packet that follows them: let there be one. */
static void record_last(struct channel *channel)
{
	unsigned int cpu;

	for (cpu = 0; cpu < MADE_CPUS && !channel->overwrite; cpu++) {
		pass_time();
		stream_drain(&channel->streams[cpu]);
		record(channel, cpu);
	}
}

static void finish(struct channel *channel)
{
	unsigned int cpu, id;

	for (cpu = 0; cpu < MADE_CPUS; cpu++) {
		struct stream *stream = &channel->streams[cpu];

		stream_close(stream);
		printf("%s events %llu lost %llu bytes %llu\n", stream->name,
		       (unsigned long long)stream->events, (unsigned long long)stream->lost,
		       (unsigned long long)stream->offset);
	}
	for (id = 0; id < channel->nr_kinds; id++)
		ltt_format_free(channel->kinds[id].parsed);
	if (channel->context)
		ltt_format_free(channel->context->format);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 'a':
		apart = true;
		return 0;
	case ARGP_KEY_ARG:
		if (dir)
			argp_usage(state);
		dir = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_usage(state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

int main(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "apart", 'a', NULL, 0,
		  "Declare the fields of each event with it, also those that others have", 0 },
		{ 0 }
	};
	const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.args_doc = "DIR",
		.doc = "Make a trace in the new directory DIR, and say what is in it.",
	};
	unsigned int i;

	if (argp_parse(&argp, argc, argv, 0, NULL, NULL))
		return 2;
	name_many();
	make_dirs();
	for (i = 0; i < ARRAY_SIZE(channels); i++)
		parse_formats(&channels[i]);
	write_metadata();
	for (i = 0; i < ARRAY_SIZE(channels); i++)
		open_streams(&channels[i]);
	record_all();
	for (i = 0; i < ARRAY_SIZE(channels); i++)
		record_last(&channels[i]);
	for (i = 0; i < ARRAY_SIZE(channels); i++)
		finish(&channels[i]);
	for (i = 0; i < NR_MANY; i++)
		free((char *)many[i].name);
	return 0;
}
