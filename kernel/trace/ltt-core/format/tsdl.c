// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the metadata of a trace, CTF 1.8 TSDL.
 *
 * Shared by the kernel, the user-space tools and the tests. The text is described in
 * <linux/ltt/metadata.h>; packets and events in
 * <linux/ltt/packet.h> and Documentation/trace/ltt/ctf.rst.
 *
 * Only the writer's byte order and its clock depend on the machine, so the same trace has
 * the same text everywhere.
 *
 * tsdl.h has the conventions of these files; events are in tsdl_event.c.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "tsdl.h"

#define NSEC	1000000000u

int ltt_md_put(struct ltt_textbuf *out, const char *format, ...)
{
	size_t room = out->end - out->pos;
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(out->pos, room, format, args);
	va_end(args);
	if (len < 0 || (size_t)len >= room)
		return -ENOSPC;
	out->pos += len;
	return 0;
}

int ltt_md_escaped(struct ltt_textbuf *out, const char *text)
{
	int err = 0;
	__u8 c;

	for (; *text && !err; text++) {
		c = *text;
		if (c < 0x20 || c > 0x7e)
			err = ltt_md_put(out, "\\%03o", c);
		else if (c == '"' || c == '\\')
			err = ltt_md_char(out, '\\') ?: ltt_md_char(out, c);
		else
			err = ltt_md_char(out, c);
	}
	return err;
}

int ltt_md_quoted(struct ltt_textbuf *out, const char *text)
{
	return ltt_md_char(out, '"') ?: ltt_md_escaped(out, text) ?: ltt_md_char(out, '"');
}

/* ---- preamble ---------------------------------------------------------------- */

const struct ltt_md_base ltt_md_bases[] = {
	[LTT_SHOW_DEC] = { "", 10 },
	[LTT_SHOW_HEX] = { "_x", 16 },
	[LTT_SHOW_OCT] = { "_o", 8 },
};

static int put_integer_type(struct ltt_textbuf *out, const struct ltt_md_base *base,
			    unsigned int bits, bool is_signed, bool is_be)
{
	return ltt_md_put(out, "typealias integer { size = %u; align = 8; signed = %s; ",
			  bits, is_signed ? "true" : "false") ?:
	       ltt_md_put(out, "base = %u;%s } := %sint%u%s%s;\n", base->base,
			  is_be ? " byte_order = be;" : "", is_signed ? "" : "u", bits,
			  base->suffix, is_be ? "_be" : "");
}

static int put_integer_types(struct ltt_textbuf *out)
{
	unsigned int bits, i;
	int err = 0, kind;

	for (i = 0; i < ARRAY_SIZE(ltt_md_bases); i++) {
		for (bits = 8; bits <= 64; bits *= 2) {
			/* One byte has no order. */
			for (kind = 0; kind < (bits > 8 ? 4 : 2) && !err; kind++)
				err = put_integer_type(out, &ltt_md_bases[i], bits, kind & 1,
						       kind & 2);
		}
	}
	return err ?: ltt_md_put(out,
		"typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := char8;\n"
		"typealias integer { size = 5; align = 1; signed = false; } := uint5;\n"
		"typealias integer { size = 27; align = 1; signed = false; } := uint27;\n"
		"typealias integer { size = 16; align = 1; signed = false; } := uint16_packed;\n"
		"typealias integer { size = 32; align = 1; signed = false; } := uint32_packed;\n");
}

int ltt_md_uuid(struct ltt_textbuf *out, const __u8 *u)
{
	return ltt_md_put(out,
		"%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
		u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11],
		u[12], u[13], u[14], u[15]);
}

static int put_uuid(struct ltt_textbuf *out, const char *name, const __u8 *uuid)
{
	return ltt_md_put(out, "\t%s = \"", name) ?: ltt_md_uuid(out, uuid) ?:
	       ltt_md_put(out, "\";\n");
}

static int put_trace(struct ltt_textbuf *out, const struct ltt_metadata *trace)
{
	return ltt_md_put(out,
		"\n"
		"trace {\n"
		"\tmajor = 1;\n"
		"\tminor = 8;\n") ?:
	       put_uuid(out, "uuid", trace->uuid) ?:
	       ltt_md_put(out,
			  "\tbyte_order = %s;\n"
			  "\tpacket.header := struct {\n"
			  "\t\tuint32_x magic;\n"
			  "\t\tuint8_x uuid[16];\n"
			  "\t\tuint32 stream_id;\n"
			  "\t};\n"
			  "};\n",
			  trace->big_endian ? "be" : "le");
}

/* One line of the environment. */
static int put_env(struct ltt_textbuf *out, const char *name, const char *value)
{
	return ltt_md_put(out, "\t%s = ", name) ?: ltt_md_quoted(out, value) ?:
	       ltt_md_put(out, ";\n");
}

static int put_environment(struct ltt_textbuf *out, const struct ltt_metadata *trace)
{
	unsigned int major = 0, minor = 0;

	if (sscanf(trace->version, "%u.%u", &major, &minor) != 2)
		return -EINVAL;
	return ltt_md_put(out, "\nenv {\n") ?:
	       put_env(out, "hostname", trace->hostname) ?:
	       (trace->boot_id ? put_uuid(out, "boot_id", trace->boot_id) : 0) ?:
	       put_env(out, "domain", "kernel") ?:
	       put_env(out, "sysname", "Linux") ?:
	       put_env(out, "kernel_release", trace->release) ?:
	       put_env(out, "tracer_name", "ltt") ?:
	       ltt_md_put(out, "\ttracer_major = %u;\n\ttracer_minor = %u;\n", major, minor) ?:
	       put_env(out, "trace_name", trace->name) ?:
	       put_env(out, "clock_name", trace->clock) ?:
	       ltt_md_put(out, "};\n");
}

/* Integers that are timestamps, or their low @bits. */
static int put_time_type(struct ltt_textbuf *out, unsigned int bits, const char *clock)
{
	return ltt_md_put(out, "typealias integer { size = %u; align = 1; signed = false; ",
			  bits) ?:
	       ltt_md_put(out, "map = clock.%s.value; } := time%u;\n", clock, bits);
}

/*
 * A clock that measures time counts from 1970, so that readers can order traces of several
 * machines. Timestamps of other clocks cannot be compared with anything.
 */
static int put_clock(struct ltt_textbuf *out, const struct ltt_metadata *trace)
{
	__u64 offset = trace->real_offset;

	return ltt_md_put(out, "\nclock {\n\tname = \"%s\";\n\tfreq = %u;\n",
			  trace->clock, NSEC) ?:
	       ltt_md_put(out, "\toffset_s = %llu;\n\toffset = %llu;\n",
			  (unsigned long long)offset / NSEC,
			  (unsigned long long)offset % NSEC) ?:
	       ltt_md_put(out, offset ? "\tabsolute = true;\n};\n\n" : "};\n\n") ?:
	       put_time_type(out, LTT_TIME_BITS, trace->clock) ?:
	       put_time_type(out, 64, trace->clock);
}

/*
 * What precedes events, the same in all streams. struct ltt_packet, from
 * timestamp_begin on; and the three forms of an event's header.
 *
 * The extended form begins within a byte, so nothing in it may have an alignment. Readers
 * complain about reserved bits in a header, but not about an id, and a later id replaces
 * an earlier one.
 */
static int put_headers(struct ltt_textbuf *out)
{
	return ltt_md_put(out,
		"\n"
		"struct packet_context {\n"
		"\ttime64 timestamp_begin;\n"
		"\ttime64 timestamp_end;\n"
		"\tuint64 content_size;\n"
		"\tuint64 packet_size;\n"
		"\tuint64 packet_seq_num;\n"
		"\tuint64 events_discarded;\n"
		"\tuint64 cpu_id;\n"
		"};\n"
		"\n"
		"struct event_header {\n"
		"\tenum : uint5 { compact = 0 ... %u, wide = %u, extended = %u } id;\n"
		"\tvariant <id> {\n"
		"\t\tstruct {\n"
		"\t\t\ttime27 timestamp;\n"
		"\t\t} compact;\n"
		"\t\tstruct {\n"
		"\t\t\ttime27 timestamp;\n"
		"\t\t\tuint16_packed id;\n"
		"\t\t} wide;\n"
		"\t\tstruct {\n"
		"\t\t\tstruct { uint27 id; } zero;\n"
		"\t\t\tuint32_packed id;\n"
		"\t\t\ttime64 timestamp;\n"
		"\t\t} extended;\n"
		"\t} v;\n"
		"};\n", LTT_ID_WIDE - 1, LTT_ID_WIDE, LTT_ID_EXTENDED);
}

/**
 * ltt_metadata_preamble() - declare everything that the streams of a trace share
 * @out:	where to put it; at least one byte stays unused
 * @trace:	of the trace; @trace->clock and @trace->version are trusted, the other
 *		strings may be anything
 *
 * Context: any.
 * Return: 0; -ENOSPC if it does not fit, -EINVAL if @trace->version is not
 * MAJOR.MINOR: then nothing was put.
 */
int ltt_metadata_preamble(struct ltt_textbuf *out, const struct ltt_metadata *trace)
{
	char *start = out->pos;
	int err;

	err = ltt_md_put(out, "%s\n", LTT_METADATA_SIGNATURE) ?:
	      put_integer_types(out) ?:
	      put_trace(out, trace) ?:
	      put_environment(out, trace) ?:
	      put_clock(out, trace) ?:
	      put_headers(out);
	return ltt_md_end(out, start, err);
}

/**
 * ltt_metadata_stream() - declare the streams of a channel
 * @out:	where to put it; at least one byte stays unused
 * @stream_id:	number of the channel in the trace
 * @channel:	its name
 * @context:	what is recorded with each event, NULL if nothing is
 *
 * Context: any.
 * Return: 0; -ENOSPC if it does not fit: then nothing was put.
 */
int ltt_metadata_stream(struct ltt_textbuf *out, __u32 stream_id, const char *channel,
			const struct ltt_context *context)
{
	char *start = out->pos;
	int err;

	err = ltt_md_put(out, "\nstream {\n\tid = %u;\n\t// ltt-channel ", stream_id) ?:
	      ltt_md_quoted(out, channel) ?:
	      ltt_md_put(out, "\n\tevent.header := struct event_header;\n") ?:
	      ltt_md_put(out, "\tpacket.context := struct packet_context;\n");
	if (!err && context)
		err = ltt_md_fields(out, "event.context", context->text, context->types,
				    context->format);
	err = err ?: ltt_md_put(out, "};\n");
	return ltt_md_end(out, start, err);
}
