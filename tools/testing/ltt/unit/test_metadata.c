// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the metadata: what is declared for every type of field, and what hostile
 * names, formats and sizes of the buffer make of it. That others accept the text is
 * tested in test_ctf.sh.
 */
#include <stdlib.h>

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/ltt/metadata.h>
#include <linux/ltt/textbuf.h>
#include <linux/string.h>

#include "ktap.h"

#define ROOM	200000

#define S	LTT_TYPE_SIGNED
#define BE	LTT_TYPE_BE
#define INT(size, flags)	LTT_TYPE(LTT_KIND_INT, size, flags)
#define SEQ(size, flags)	LTT_TYPE(LTT_KIND_SEQ, size, flags)
#define PTR			LTT_TYPE(LTT_KIND_PTR, 8, 0)
#define CPTR			LTT_TYPE(LTT_KIND_CPTR, 8, 0)
/* Of a blob. */
#define STATE(name) \
	"enum : uint8 { \"read\" = 0, \"null\" = 1, \"fault\" = 2 } " name ";"

static const u8 uuid[LTT_UUID_SIZE] = {
	0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0, 1, 2, 3, 4, 5, 6, 0xff,
};

static const struct ltt_metadata plain = {
	.name = "t", .uuid = uuid, .clock = "mono", .real_offset = 1700000000000000042ull,
	.hostname = "h", .boot_id = uuid, .release = "6.1.0", .version = "0.1",
};

static char text[ROOM];

static struct ltt_textbuf out_of(char *buf, size_t size)
{
	return (struct ltt_textbuf){ .pos = buf, .end = buf + size };
}

/* What was put, as a string. */
static void end(const struct ltt_textbuf *out)
{
	*out->pos = '\0';
}

static struct ltt_format *parse(const char *format, const u32 *types, unsigned int nr)
{
	char error[LTT_FORMAT_ERROR];
	struct ltt_format *parsed = ltt_format_parse(format, types, nr, error);

	if (!EXPECT(!IS_ERR(parsed), "'%s': %s", format, error))
		exit(1);
	return parsed;
}

/* The declaration of an event, in text[]. */
static void declare(const char *format, const u32 *types, unsigned int nr)
{
	struct ltt_format *parsed = parse(format, types, nr);
	struct ltt_textbuf out = out_of(text, ROOM);

	EXPECT(!ltt_metadata_event(&out, 3, 4, "chan", "mark", format, types, parsed),
	       "'%s': does not fit", format);
	end(&out);
	ltt_format_free(parsed);
}

/* What of text[] lies between two marks; NULL if they are not there. */
static const char *between(const char *from, const char *to)
{
	static char part[ROOM];
	char *begin = strstr(text, from), *stop;

	if (!begin)
		return NULL;
	begin += strlen(from);
	stop = strstr(begin, to);
	if (!stop)
		return NULL;
	memcpy(part, begin, stop - begin);
	part[stop - begin] = '\0';
	return part;
}

/* ---- golden texts --------------------------------------------------------------- */

static void preamble(const struct ltt_metadata *trace)
{
	struct ltt_textbuf out = out_of(text, ROOM);

	EXPECT(!ltt_metadata_preamble(&out, trace), "does not fit");
	end(&out);
}

static void test_preamble(void)
{
	preamble(&plain);
	EXPECT(!strncmp(text, LTT_METADATA_SIGNATURE, strlen(LTT_METADATA_SIGNATURE)),
	       "no signature");
	EXPECT_STR(strstr(text, "\ntrace {") ?: "",
		   "\ntrace {\n"
		   "\tmajor = 1;\n"
		   "\tminor = 8;\n"
		   "\tuuid = \"01234567-89ab-cdef-0001-0203040506ff\";\n"
		   "\tbyte_order = le;\n"
		   "\tpacket.header := struct {\n"
		   "\t\tuint32_x magic;\n"
		   "\t\tuint8_x uuid[16];\n"
		   "\t\tuint32 stream_id;\n"
		   "\t};\n"
		   "};\n"
		   "\n"
		   "env {\n"
		   "\thostname = \"h\";\n"
		   "\tboot_id = \"01234567-89ab-cdef-0001-0203040506ff\";\n"
		   "\tdomain = \"kernel\";\n"
		   "\tsysname = \"Linux\";\n"
		   "\tkernel_release = \"6.1.0\";\n"
		   "\ttracer_name = \"ltt\";\n"
		   "\ttracer_major = 0;\n"
		   "\ttracer_minor = 1;\n"
		   "\ttrace_name = \"t\";\n"
		   "\tclock_name = \"mono\";\n"
		   "};\n"
		   "\n"
		   "clock {\n"
		   "\tname = \"mono\";\n"
		   "\tfreq = 1000000000;\n"
		   "\toffset_s = 1700000000;\n"
		   "\toffset = 42;\n"
		   "\tabsolute = true;\n"
		   "};\n"
		   "\n"
		   "typealias integer { size = 27; align = 1; signed = false; map = clock.mono.value; } := time27;\n"
		   "typealias integer { size = 64; align = 1; signed = false; map = clock.mono.value; } := time64;\n"
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
		   "\tenum : uint5 { compact = 0 ... 29, wide = 30, extended = 31 } id;\n"
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
		   "};\n");
}

static void test_other_preambles(void)
{
	struct ltt_metadata trace = plain;
	struct ltt_textbuf out = out_of(text, ROOM);

	trace.big_endian = true;
	trace.clock = "counter";
	trace.real_offset = 0;
	trace.boot_id = NULL;
	trace.version = "12.345.6";
	preamble(&trace);
	EXPECT(strstr(text, "\n\tbyte_order = be;\n"), "byte order");
	EXPECT(!strstr(text, "boot_id"), "a boot ID");
	EXPECT(strstr(text, "\n\ttracer_major = 12;\n\ttracer_minor = 345;\n"), "version");
	EXPECT_STR(between("\nclock {", "};") ?: "",
		   "\n\tname = \"counter\";\n\tfreq = 1000000000;\n\toffset_s = 0;\n\toffset = 0;\n");

	trace.version = "one";
	EXPECT(ltt_metadata_preamble(&out, &trace) == -EINVAL, "a strange version");
	EXPECT(out.pos == text, "something was put");
}

/* struct ltt_packet and the metadata say the same. */
static void test_packet_layout(void)
{
	static const struct {
		const char *name;
		unsigned int offset, size;
	} members[] = {
#define MEMBER(name)	{ #name, offsetof(struct ltt_packet, name),	\
			  sizeof(((struct ltt_packet *)0)->name) }
		MEMBER(timestamp_begin), MEMBER(timestamp_end), MEMBER(content_size),
		MEMBER(packet_size), MEMBER(packet_seq_num), MEMBER(events_discarded),
		MEMBER(cpu_id),
	};
	unsigned int offset = 4 + 16 + 4, bits, i;	/* of packet.header */
	char *line, name[32], sign;

	preamble(&plain);
	_Static_assert(offsetof(struct ltt_packet, uuid) == 4 &&
		       offsetof(struct ltt_packet, stream_id) == 20, "packet.header");
	line = strstr(text, "struct packet_context {\n");
	for (i = 0; i < ARRAY_SIZE(members) && line; i++) {
		line = strchr(line, '\n') + 1;
		if (sscanf(line, "\ttime%u %31[a-z_]", &bits, name) != 2 &&
		    sscanf(line, "\t%cint%u %31[a-z_]", &sign, &bits, name) != 3)
			break;
		EXPECT_STR(name, members[i].name);
		EXPECT(offset == members[i].offset && bits == 8 * members[i].size,
		       "%s: at %u, %u bits", name, offset, bits);
		offset += bits / 8;
	}
	EXPECT(i == ARRAY_SIZE(members), "%u fields", i);
	EXPECT(offset == sizeof(struct ltt_packet), "%u bytes", offset);
}

static void test_stream(void)
{
	struct ltt_textbuf out = out_of(text, ROOM);

	EXPECT(!ltt_metadata_stream(&out, 4294967295u, "sched", NULL), "no stream");
	end(&out);
	EXPECT_STR(text,
		   "\n"
		   "stream {\n"
		   "\tid = 4294967295;\n"
		   "\t// ltt-channel \"sched\"\n"
		   "\tevent.header := struct event_header;\n"
		   "\tpacket.context := struct packet_context;\n"
		   "};\n");
}

static void test_context(void)
{
	static const u32 types[] = { INT(4, S), LTT_TYPE(LTT_KIND_SEQ, 8, 0) };
	char error[LTT_FORMAT_ERROR];
	const struct ltt_context context = {
		.text = "tid %d kstack %pS",
		.nr_types = 2,
		.types = types,
		.format = ltt_format_parse("tid %d kstack %pS", types, 2, error),
	};
	struct ltt_textbuf out = out_of(text, ROOM);

	EXPECT(!ltt_metadata_stream(&out, 1, "sched", &context), "no stream");
	end(&out);
	EXPECT_STR(text,
		   "\n"
		   "stream {\n"
		   "\tid = 1;\n"
		   "\t// ltt-channel \"sched\"\n"
		   "\tevent.header := struct event_header;\n"
		   "\tpacket.context := struct packet_context;\n"
		   "\t// ltt-types 0x1004 0x308\n"
		   "\t// ltt-format \"tid %d kstack %pS\"\n"
		   "\tevent.context := struct {\n"
		   "\t\tint32 _tid;\n"
		   "\t\tuint32 __kstack_length;\n"
		   "\t\tuint64_x _kstack[__kstack_length];\n"
		   "\t};\n"
		   "};\n");
	ltt_format_free(context.format);
}

static void test_event(void)
{
	declare("prev %d \"next\"\t%lu\n", (u32 []){ INT(4, S), INT(8, 0) }, 2);
	EXPECT_STR(text,
		   "\n"
		   "event {\n"
		   "\tid = 4;\n"
		   "\tname = \"chan.mark\";\n"
		   "\tstream_id = 3;\n"
		   "\t// ltt-types 0x1004 0x8\n"
		   "\t// ltt-format \"prev %d \\\"next\\\"\\011%lu\\012\"\n"
		   "\tfields := struct {\n"
		   "\t\tint32 _prev;\n"
		   "\t\tuint64 _next;\n"
		   "\t};\n"
		   "};\n");
	declare("", NULL, 0);
	EXPECT_STR(text,
		   "\n"
		   "event {\n"
		   "\tid = 4;\n"
		   "\tname = \"chan.mark\";\n"
		   "\tstream_id = 3;\n"
		   "\t// ltt-types\n"
		   "\t// ltt-format \"\"\n"
		   "\tfields := struct {\n"
		   "\t};\n"
		   "};\n");
}

/* Fields that several events have, and one of those. */
static void test_shared_fields(void)
{
	static const u32 types[] = { INT(8, S), SEQ(4, 0) };
	static const char format[] = "ret %ld{-1=EPERM} all %u";
	struct ltt_format *parsed = parse(format, types, 2);
	struct ltt_textbuf out = out_of(text, ROOM);

	EXPECT(!ltt_metadata_fields(&out, 3, 7, format, types, parsed), "no fields");
	EXPECT(!ltt_metadata_event_like(&out, 3, 7, "chan", "mark", 7), "no event");
	EXPECT(!ltt_metadata_event_like(&out, 3, 4294967295u, "chan", "more", 7), "no event");
	end(&out);
	EXPECT_STR(text,
		   "\n"
		   "struct fields_3_7 {\n"
		   "\t// ltt-types 0x1008 0x304\n"
		   "\t// ltt-format \"ret %ld{-1=EPERM} all %u\"\n"
		   "\tenum : int64 { \"EPERM\" = -1 } _ret;\n"
		   "\tuint32 __all_length;\n"
		   "\tuint32 _all[__all_length];\n"
		   "};\n"
		   "\n"
		   "event {\n"
		   "\tid = 7;\n"
		   "\tname = \"chan.mark\";\n"
		   "\tstream_id = 3;\n"
		   "\tfields := struct fields_3_7;\n"
		   "};\n"
		   "\n"
		   "event {\n"
		   "\tid = 4294967295;\n"
		   "\tname = \"chan.more\";\n"
		   "\tstream_id = 3;\n"
		   "\tfields := struct fields_3_7;\n"
		   "};\n");
	ltt_format_free(parsed);
}

/* What is declared of a format's fields. */
static const struct {
	const char *format;
	u32 types[LTT_MAX_ARGS];
	const char *fields;
} goldens[] = {
	/* sizes and signs */
	{ "a %d b %d c %d d %lld", { INT(1, S), INT(2, S), INT(4, S), INT(8, S) },
	  "int8 _a;int16 _b;int32 _c;int64 _d;" },
	{ "a %u b %u c %u d %llu", { INT(1, 0), INT(2, 0), INT(4, 0), INT(8, 0) },
	  "uint8 _a;uint16 _b;uint32 _c;uint64 _d;" },
	/* as it is shown, if it has the size of what is shown; else as it is stored */
	{ "a %u b %d c %lu d %ld", { INT(4, S), INT(4, 0), INT(8, S), INT(8, 0) },
	  "uint32 _a;int32 _b;uint64 _c;int64 _d;" },
	{ "a %u b %d c %hhd d %hhu", { INT(1, S), INT(2, 0), INT(4, 0), INT(4, S) },
	  "int8 _a;uint16 _b;uint32 _c;int32 _d;" },
	/* bases */
	{ "a %x b %#X c %o d %hx", { INT(4, S), INT(2, 0), INT(4, 0), INT(2, S) },
	  "uint32_x _a;uint16_x _b;uint32_o _c;uint16_x _d;" },
	{ "a %lx b %lo", { INT(4, S), INT(8, S) }, "int32_x _a;uint64_o _b;" },
	/* byte order; a byte has none */
	{ "a %u b %d c %llx d %u e %o",
	  { INT(2, BE), INT(4, BE | S), INT(8, BE), INT(1, BE), INT(4, BE) },
	  "uint16_be _a;int32_be _b;uint64_x_be _c;uint8 _d;uint32_o_be _e;" },
	/* characters and strings */
	{ "a %c b %c c %s d %.3s", { INT(1, S), INT(4, S), CPTR, CPTR },
	  "char8 _a;int32 _b;string _c;string _d;" },
	{ "a %s[16] b %.4s[8]", { SEQ(1, S), SEQ(1, 0) }, "char8 _a[16];char8 _b[8];" },
	{ "a %c[16] b %c", { SEQ(1, S), SEQ(1, 0) },
	  "char8 _a[16];uint32 __b_length;char8 _b[__b_length];" },
	/* arrays and sequences */
	{ "a %u[3] b %llx[4096] c %d[1]", { SEQ(2, 0), SEQ(8, BE), SEQ(1, S) },
	  "uint16 _a[3];uint64_x_be _b[4096];int8 _c[1];" },
	{ "a %d b %llx", { SEQ(4, S), SEQ(8, BE) },
	  "uint32 __a_length;int32 _a[__a_length];uint32 __b_length;uint64_x_be _b[__b_length];" },
	/* pointers */
	{ "a %p b %pK c %px d %pS e %ps f %pB", { PTR, PTR, CPTR, PTR, PTR, PTR },
	  "uint64_x _a;uint64_x _b;uint64_x _c;uint64_x _d;uint64_x _e;uint64_x _f;" },
	{ "a %pI4 b %pi4 c %pI6c d %pM e %pUb", { PTR, PTR, CPTR, PTR, PTR },
	  "uint8 _a[4];uint8 _b[4];uint8_x _c[16];uint8_x _d[6];uint8_x _e[16];" },
	/* blobs: whatever the length is, it is declared as an unsigned integer */
	{ "n %d b %pW", { INT(4, S), PTR }, "uint32 _n;" STATE("__b_state") "uint8_x _b[_n];" },
	{ "n %lx b %pW m %c d %pW", { INT(8, BE), PTR, INT(1, S), PTR },
	  "uint64_x_be _n;" STATE("__b_state") "uint8_x _b[_n];"
	  "uint8 _m;" STATE("__d_state") "uint8_x _d[_m];" },
	{ "n %u{0=none,1=some} b %pW", { INT(2, 0), PTR },
	  "uint16 _n;" STATE("__b_state") "uint8_x _b[_n];" },
	{ "_b_state %d b %pW", { INT(4, S), PTR },
	  "uint32 __b_state;" STATE("__b_state_") "uint8_x _b[__b_state];" },
	/* names of values */
	{ "a %d{0=x,-1=y.+-,0x10=z}", { INT(4, S) },
	  "enum : int32 { \"x\" = 0, \"y.+-\" = -1, \"z\" = 16 } _a;" },
	{ "a %x{|1=r|2=w|0x80000000=top}", { INT(4, 0) },
	  "enum : uint32_x { \"r\" = 1, \"w\" = 2, \"top\" = 2147483648 } _a;" },
	{ "a %lld{-9223372036854775808=min,9223372036854775807=max}", { INT(8, S) },
	  "enum : int64 { \"min\" = -9223372036854775808, \"max\" = 9223372036854775807 } _a;" },
	{ "a %llu{18446744073709551615=max}", { INT(8, BE) },
	  "enum : uint64_be { \"max\" = 18446744073709551615 } _a;" },
	/* -1 in another sign, in a narrower field, and where no value is shown so */
	{ "a %u{-1=x} b %d{0xffffffff=x}", { INT(4, S), INT(4, 0) },
	  "enum : uint32 { \"x\" = 4294967295 } _a;enum : int32 { \"x\" = -1 } _b;" },
	{ "a %x{0xffffffff=x} b %d{-1=x,255=y}", { INT(1, S), INT(1, 0) },
	  "enum : int8_x { \"x\" = -1 } _a;enum : uint8 { \"y\" = 255 } _b;" },
	{ "a %d{-1=x} b %d{256=x}", { INT(1, 0), INT(1, S) }, "uint8 _a;int8 _b;" },
	{ "a %hhd{-1=x} b %hhu{-1=x}", { INT(4, S), INT(4, 0) },
	  "enum : int32 { \"x\" = -1 } _a;enum : uint32 { \"x\" = 255 } _b;" },
	{ "a %d[2]{1=x} b %d{2=y}", { SEQ(4, S), SEQ(2, S) },
	  "enum : int32 { \"x\" = 1 } _a[2];"
	  "uint32 __b_length;enum : int16 { \"y\" = 2 } _b[__b_length];" },
	/* names of fields */
	{ "%d %d event %d event %d", { INT(4, S), INT(4, S), INT(4, S), INT(4, S) },
	  "int32 _arg1;int32 _arg2;int32 _event;int32 _event_2;" },
	{ "Bool %d Complex %d Imaginary %d Boolean %d",
	  { INT(4, S), INT(4, S), INT(4, S), INT(4, S) },
	  "int32 _Bool_;int32 _Complex_;int32 _Imaginary_;int32 _Boolean;" },
	{ "Bool_ %d Bool %u binary %pW _Bool %d",
	  { INT(4, S), INT(4, 0), PTR, INT(4, S) },
	  "int32 _Bool_;uint32 _Bool__;" STATE("__binary_state") "uint8_x _binary[_Bool__];"
	  "int32 __Bool;" },
	{ "x %d _x_length %d _x_length__ %d",
	  { SEQ(4, S), INT(4, S), INT(4, S) },
	  "uint32 __x_length___;int32 _x[__x_length___];int32 __x_length;int32 __x_length__;" },
	{ "x %d x_length %d", { SEQ(4, S), SEQ(4, S) },
	  "uint32 __x_length;int32 _x[__x_length];"
	  "uint32 __x_length_length;int32 _x_length[__x_length_length];" },
};

static unsigned int nr_types(const u32 *types)
{
	unsigned int nr = 0;

	while (nr < LTT_MAX_ARGS && types[nr])
		nr++;
	return nr;
}

/* The members are the same, but for a tab, where they are declared for several events. */
static void expect_same_shared(const char *format, const u32 *types, const char *want)
{
	struct ltt_format *parsed = parse(format, types, nr_types(types));
	struct ltt_textbuf out = out_of(text, ROOM);
	char fewer[4096], *p = fewer;

	for (; *want; want++) {
		if (want[0] != '\t' || want[1] != '\t')
			*p++ = *want;
	}
	*p = '\0';
	EXPECT(!ltt_metadata_fields(&out, 3, 4, format, types, parsed), "no fields");
	end(&out);
	EXPECT_STR(strchr(between("// ltt-format", "};\n") ?: "\n", '\n') + 1, fewer);
	ltt_format_free(parsed);
}

static void test_fields(void)
{
	unsigned int i;
	char want[4096], *p;
	const char *c;

	for (i = 0; i < ARRAY_SIZE(goldens); i++) {
		declare(goldens[i].format, goldens[i].types, nr_types(goldens[i].types));
		p = stpcpy(want, "\t\t");
		for (c = goldens[i].fields; *c; c++) {
			*p++ = *c;
			if (*c == ';')
				p = stpcpy(p, c[1] ? "\n\t\t" : "\n");
		}
		*p = '\0';
		EXPECT_STR(between("\tfields := struct {\n", "\t};\n};\n") ?: "", want);
		expect_same_shared(goldens[i].format, goldens[i].types, want);
	}
}

/* Every type that an event can name is in the preamble, once. */
static void test_types_declared(void)
{
	static const char *const convs[] = { "a %lld", "a %llu", "a %llx", "a %llo",
					     "a %hhd", "a %hhx" };
	char name[64], want[80];
	unsigned int conv, type;
	const char *found;
	u32 types[1];

	for (conv = 0; conv < ARRAY_SIZE(convs); conv++) {
		for (type = 0; type < 16; type++) {
			types[0] = INT(1u << (type & 3), type >> 2);
			if (conv > 3 && LTT_TYPE_SIZE(*types) > 4)
				continue;
			declare(convs[conv], types, 1);
			if (!EXPECT(sscanf(between("struct {\n", "};"), " %63s _a;", name) == 1,
				    "%s: no field", convs[conv]))
				return;
			snprintf(want, sizeof(want), " := %s;\n", name);
			preamble(&plain);
			found = strstr(text, want);
			if (EXPECT(found, "%s is not declared", name))
				EXPECT(!strstr(found + 1, want), "%s is declared twice", name);
		}
	}
}

/* ---- hostile texts --------------------------------------------------------------- */

/* The literal at @p, behind its quote, decoded; returns what is behind its end. */
static const char *unescape(const char *p, char *to)
{
	unsigned int octal;

	for (; *p != '"'; p++) {
		if (!EXPECT(*p >= 0x20 && *p <= 0x7e, "byte %#x in a literal", (u8)*p))
			break;
		if (*p != '\\') {
			*to++ = *p;
		} else if (p[1] == '"' || p[1] == '\\') {
			*to++ = *++p;
		} else if (EXPECT(sscanf(p + 1, "%3o", &octal) == 1, "escape '%.4s'", p)) {
			*to++ = octal;
			p += 3;
		}
	}
	*to = '\0';
	return p + 1;
}

/* All bytes but NUL, in an order that puts digits behind what is escaped. */
static void all_bytes(char all[3 * 256])
{
	unsigned int i;

	for (i = 1; i < 256; i++) {
		*all++ = i;
		*all++ = '7';
		*all++ = '%';
	}
	*all = '\0';
}

static void expect_literal(const char *before, const char *want)
{
	const char *found = strstr(text, before);
	char got[4 * 256];

	if (!EXPECT(found, "'%s' is not there", before))
		return;
	found = unescape(found + strlen(before), got);
	EXPECT_STR(got, want);
	EXPECT(*found == ';' || *found == '\n', "'%c' behind the literal", *found);
}

static void test_escapes(void)
{
	struct ltt_format *none = parse("", NULL, 0);
	struct ltt_metadata trace = plain;
	char all[3 * 256], both[6 * 256];
	struct ltt_textbuf out = out_of(text, ROOM);

	all_bytes(all);
	trace.name = all;
	trace.hostname = all;
	trace.release = all;
	preamble(&trace);
	expect_literal("\thostname = \"", all);
	expect_literal("\tkernel_release = \"", all);
	expect_literal("\ttrace_name = \"", all);

	EXPECT(!ltt_metadata_stream(&out, 0, all, NULL), "no stream");
	end(&out);
	expect_literal("// ltt-channel \"", all);

	out = out_of(text, ROOM);
	EXPECT(!ltt_metadata_event(&out, 0, 0, all, "\"", all, NULL, none), "no event");
	end(&out);
	expect_literal("// ltt-format \"", all);
	snprintf(both, sizeof(both), "%s.\"", all);
	expect_literal("\tname = \"", both);
	ltt_format_free(none);
}

/* A parser that let such names through would not be enough. */
static void test_hostile_value_names(void)
{
	char all[3 * 256];
	const struct ltt_sym syms[] = { { 1, all }, { 2, "\" = 1 } _x; };" } };
	struct ltt_format *parsed = parse("a %d{1=x,2=y}", (u32 []){ INT(4, S) }, 1);
	struct ltt_textbuf out = out_of(text, ROOM);

	all_bytes(all);
	parsed->fields[0].syms = syms;
	EXPECT(!ltt_metadata_event(&out, 0, 0, "c", "m", "", (u32 []){ INT(4, S) }, parsed),
	       "no event");
	end(&out);
	EXPECT(strstr(text, ", \"\\\" = 1 } _x; };\" = 2 } _a;\n"), "not escaped");
	ltt_format_free(parsed);
}

/* Names of the fields in text[]; returns how many. */
static unsigned int names(char found[][256])
{
	const char *line = strstr(text, "struct {\n") + strlen("struct {\n");
	unsigned int nr = 0;
	const char *name;

	for (; !strncmp(line, "\t\t", 2); line = strchr(line, '\n') + 1) {
		/* What comes last but for an array's bracket. */
		name = strstr(line, " _") + 1;
		snprintf(found[nr++], 256, "%.*s", (int)strcspn(name, "[;"), name);
	}
	return nr;
}

/* Whatever the names are, those declared differ, and none is a word of TSDL. */
static void test_names_differ(void)
{
	static const char *const words[] = {
		"x", "_x", "x_", "x_length", "_x_length", "_x_length_", "__x_length",
		"x_length_length", "_x_length_length", "Bool", "Bool_", "_Bool", "__Bool_length",
		"Complex", "Imaginary", "length",
	};
	static const u32 kinds[] = { INT(4, S), SEQ(4, S) };
	char format[512], found[2 * LTT_MAX_ARGS][256];
	unsigned long long state = 1;
	unsigned int run, i, j, nr;
	u32 types[LTT_MAX_ARGS];
	int len;

	for (run = 0; run < 5000; run++) {
		for (i = 0, len = 0; i < 8; i++) {
			len += snprintf(format + len, sizeof(format) - len, "%s %%d ",
					words[ktap_random(&state) % ARRAY_SIZE(words)]);
			types[i] = kinds[ktap_random(&state) >> 20 & 1];
		}
		declare(format, types, 8);
		nr = names(found);
		for (i = 0; i < nr; i++) {
			EXPECT(strcmp(found[i], "_Bool") && strcmp(found[i], "_Complex") &&
			       strcmp(found[i], "_Imaginary"), "'%s' in '%s'", found[i], format);
			for (j = 0; j < i; j++)
				EXPECT(strcmp(found[i], found[j]), "'%s' twice in '%s'",
				       found[i], format);
		}
		if (ktap_failures)
			return;
	}
}

/* ---- sizes ----------------------------------------------------------------------- */

static int put_preamble(struct ltt_textbuf *out)
{
	return ltt_metadata_preamble(out, &plain);
}

static int put_stream(struct ltt_textbuf *out)
{
	return ltt_metadata_stream(out, 1, "ch\"an", NULL);
}

static const struct ltt_format *event_format;
static const char *event_text;
static const u32 *event_types;

static int put_event(struct ltt_textbuf *out)
{
	return ltt_metadata_event(out, 1, 2, "chan", "mark", event_text, event_types,
				  event_format);
}

static int put_fields(struct ltt_textbuf *out)
{
	return ltt_metadata_fields(out, 1, 2, event_text, event_types, event_format);
}

static int put_event_like(struct ltt_textbuf *out)
{
	return ltt_metadata_event_like(out, 1, 4, "chan", "ma\"rk", 2);
}

/* Whole, or nothing; never beyond the end (the sanitizer looks). */
static void try_sizes(int (*put)(struct ltt_textbuf *out))
{
	struct ltt_textbuf out = out_of(text, ROOM);
	size_t len, size;
	char *buf;

	EXPECT(!put(&out), "no room");
	len = out.pos - text;
	for (size = 0; size <= len + 2; size++) {
		buf = malloc(size ?: 1);
		out = out_of(buf, size);
		if (size > len) {
			EXPECT(!put(&out) && (size_t)(out.pos - buf) == len &&
			       !memcmp(buf, text, len), "%zu bytes in %zu", len, size);
		} else {
			EXPECT(put(&out) == -ENOSPC && out.pos == buf, "%zu bytes in %zu", len,
			       size);
		}
		free(buf);
		if (ktap_failures)
			return;
	}
}

static void test_sizes(void)
{
	struct ltt_format *parsed;
	unsigned int i;

	try_sizes(put_preamble);
	try_sizes(put_stream);
	try_sizes(put_event_like);
	for (i = 0; i < ARRAY_SIZE(goldens); i++) {
		event_text = goldens[i].format;
		event_types = goldens[i].types;
		parsed = parse(event_text, event_types, nr_types(event_types));
		event_format = parsed;
		try_sizes(put_event);
		try_sizes(put_fields);
		ltt_format_free(parsed);
	}
}

/* The largest format that there can be. */
static void test_long_format(void)
{
	char format[LTT_MAX_FORMAT + 1], got[LTT_MAX_FORMAT + 1];
	const char *found;

	memset(format, '\377', LTT_MAX_FORMAT);
	memcpy(format, "%d{", 3);
	memset(format + 3, 'x', 2000);
	memcpy(format + 3, "1=", 2);
	format[2003] = '}';
	format[LTT_MAX_FORMAT] = '\0';
	declare(format, (u32 []){ INT(4, S) }, 1);
	found = strstr(text, "// ltt-format \"");
	if (EXPECT(found, "no format")) {
		unescape(found + strlen("// ltt-format \""), got);
		EXPECT(!strcmp(got, format), "not the format");
	}
}

int main(void)
{
	static const struct ktap_case cases[] = {
		{ "the preamble", test_preamble },
		{ "other clocks, byte orders, versions", test_other_preambles },
		{ "what is declared of packets is their layout", test_packet_layout },
		{ "a stream", test_stream },
		{ "a stream with a context", test_context },
		{ "an event", test_event },
		{ "fields that several events have", test_shared_fields },
		{ "every type of field", test_fields },
		{ "every type is declared once", test_types_declared },
		{ "no text ends a literal", test_escapes },
		{ "names of values are escaped", test_hostile_value_names },
		{ "names of fields differ", test_names_differ },
		{ "all or nothing at every size", test_sizes },
		{ "the longest format", test_long_format },
	};

	return ktap_run(cases, ARRAY_SIZE(cases));
}
