// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the text styles: the table, each style's lines in any room, and a style of the
 * test's own, which is as far from "format" as one can be.
 */
#include <errno.h>
#include <stdlib.h>

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/ltt/event_printer.h>
#include <linux/ltt/packet.h>
#include <linux/ltt/types.h>

#include "../../../../kernel/trace/textout/lib/render_user.h"
#include "../../../../kernel/trace/textout/lib/style.h"
#include "ktap.h"

#define TS	1234567890123ull
#define TS_TEXT	"1234567890123"
#define START	"1234.567890123 [003] "

/* What any style may need to spare. */
#define SPARE	LTT_RENDER_SPARE

static const u8 uuid[LTT_UUID_SIZE] = {
	0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0, 1, 2, 3, 4, 5, 6, 0xff,
};

#define UUID	"01234567-89ab-cdef-0001-0203040506ff"

static const struct ltt_text_trace traces[] = {
	{ .name = "one", .uuid = uuid, .host = "h", .boot_id = uuid, .clock = "mono",
	  .real_offset = 17 },
	{ .name = "t\nwo", .uuid = uuid, .host = "\xff", .clock = "tsc",
	  .real_offset = 17, .wall = true },
};

static const struct ltt_text_place place = { .cpu = 12, .channel = "sc\thed", .ts = TS };

static void test_table(void)
{
	const struct ltt_text_notices *notices;
	const struct ltt_text_style *style;
	unsigned int i, j;

	for (i = 0; ltt_text_styles[i]; i++) {
		style = ltt_text_styles[i];
		EXPECT(ltt_style_find(style->name) == style, "%s is not found", style->name);
		notices = style->notices;
		EXPECT(style->program && style->event && notices->header && notices->lost &&
		       notices->unfinished && notices->corrupt && notices->silent &&
		       notices->late, "%s lacks something", style->name);
		EXPECT(!strpbrk(style->name, " \t\n[]"), "'%s' is not a word", style->name);
		for (j = 0; j < i; j++)
			EXPECT(strcmp(style->name, ltt_text_styles[j]->name), "%s twice",
			       style->name);
	}
	EXPECT(ltt_text_styles[0] == &ltt_style_format, "another default");
	EXPECT(!ltt_style_find("") && !ltt_style_find("form") && !ltt_style_find("formats"),
	       "found what there is not");
}

/* ---- notices ------------------------------------------------------------------- */

static int header_one(struct ltt_textbuf *out)
{
	return ltt_style_header(out, traces, 1);
}

static int header_two(struct ltt_textbuf *out)
{
	return ltt_style_header(out, traces, 2);
}

static int lost(struct ltt_textbuf *out)
{
	return ltt_style_lost(out, &place, 345);
}

static int unfinished(struct ltt_textbuf *out)
{
	return ltt_style_unfinished(out, &place);
}

static int corrupt(struct ltt_textbuf *out)
{
	return ltt_style_corrupt(out, &place, 67, 890);
}

/* In less room than it takes, nothing is put. */
static void notice(const struct ltt_text_style *style, int (*put)(struct ltt_textbuf *out),
		   const char *want)
{
	char *buf, got[1024] = "";
	struct ltt_textbuf out;
	size_t room;
	int err = -ENOSPC;

	for (room = 0; err && room < strlen(want) + SPARE; room++) {
		buf = malloc(room ?: 1);
		ltt_textbuf_init(&out, buf, room);
		EXPECT(!ltt_style_open(&out, style), "open");
		err = put(&out);
		EXPECT(!err || (err == -ENOSPC && out.pos == buf), "%zu bytes: %d", room, err);
		memcpy(got, buf, out.pos - buf);
		got[out.pos - buf] = '\0';
		ltt_style_close(&out);
		free(buf);
	}
	EXPECT_STR(got, want);
}

static int silent(struct ltt_textbuf *out)
{
	return ltt_style_silent(out, 12, TS);
}

static int late(struct ltt_textbuf *out)
{
	return ltt_style_late(out, 12);
}

/* @columns: the last line of the header */
static void format_notices(const struct ltt_text_style *style, const char *columns)
{
	char want[1024];

	snprintf(want, sizeof(want), "# LTT trace one, clock mono\n%s", columns);
	notice(style, header_one, want);
	snprintf(want, sizeof(want),
		 "# LTT trace one, clock mono\n# LTT trace t\\nwo, clock tsc, since 1970\n%s",
		 columns);
	notice(style, header_two, want);
	notice(style, lost,
	       "# lost 345 events cpu 12 channel sc\\thed before 1234.567890123\n");
	notice(style, unfinished,
	       "# unfinished cpu 12 channel sc\\thed: a writer died in the middle of an event, which is lost, with all that followed until this was found\n");
	notice(style, corrupt,
	       "# corrupt cpu 12 channel sc\\thed packet 67 offset 890 at 1234.567890123\n");
	notice(style, silent,
	       "# cpu 12 does not answer since 1234.567890123, its events may come late\n");
	notice(style, late, "# late events cpu 12\n");
}

#define PLACE	"\"ts\":" TS_TEXT ",\"cpu\":12,\"channel\":\"sc\\u0009hed\""
#define ONE	"{\"name\":\"one\",\"uuid\":\"" UUID "\",\"host\":\"h\",\"boot_id\":\"" UUID \
		"\",\"clock\":\"mono\",\"offset\":17}"
#define TWO	"{\"name\":\"t\\u000awo\",\"uuid\":\"" UUID "\",\"host\":{\"bytes\":\"ff\"}," \
		"\"boot_id\":null,\"clock\":\"tsc\",\"offset\":0}"

static int header_timeless(struct ltt_textbuf *out)
{
	struct ltt_text_trace trace = traces[0];

	trace.real_offset = 0;
	return ltt_style_header(out, &trace, 1);
}

static int lost_of_second(struct ltt_textbuf *out)
{
	struct ltt_text_place second = place;

	second.nr_traces = 2;
	second.trace = 1;
	return ltt_style_lost(out, &second, 345);
}

static void json_notices(void)
{
	const struct ltt_text_style *json = &ltt_style_json;

	notice(json, header_one, "{\"ltt\":1,\"traces\":[" ONE "]}\n");
	notice(json, header_two, "{\"ltt\":1,\"traces\":[" ONE "," TWO "]}\n");
	notice(json, header_timeless, "{\"ltt\":1,\"traces\":[{\"name\":\"one\",\"uuid\":\"" UUID
	       "\",\"host\":\"h\",\"boot_id\":\"" UUID "\",\"clock\":\"mono\",\"offset\":null}]}\n");
	notice(json, lost, "{\"notice\":\"lost\"," PLACE ",\"events\":345}\n");
	notice(json, lost_of_second, "{\"notice\":\"lost\",\"ts\":" TS_TEXT
	       ",\"cpu\":12,\"trace\":1,\"channel\":\"sc\\u0009hed\",\"events\":345}\n");
	notice(json, unfinished, "{\"notice\":\"unfinished\"," PLACE "}\n");
	notice(json, corrupt,
	       "{\"notice\":\"corrupt\"," PLACE ",\"packet\":67,\"offset\":890}\n");
	notice(json, silent, "{\"notice\":\"silent\",\"cpu\":12,\"since\":" TS_TEXT "}\n");
	notice(json, late, "{\"notice\":\"late\",\"cpu\":12}\n");
}

static void test_notices(void)
{
	static const char columns[] = "# seconds [cpu] channel.marker: values\n";

	format_notices(&ltt_style_format, columns);
	format_notices(&ltt_style_ftrace, columns);
	format_notices(&ltt_style_kv, columns);
	format_notices(&ltt_style_lttv, ltt_style_lttv.columns);
	json_notices();
}

/* ---- events -------------------------------------------------------------------- */

static const __u32 types[] = {
	LTT_TYPE(LTT_KIND_INT, 2, 0), LTT_TYPE(LTT_KIND_CPTR, 8, 0),
};

static const __u32 context_types[] = { LTT_TYPE(LTT_KIND_INT, 1, 0) };

/* tid 7, x 0x2a2a in any byte order, s "te\"xt" */
static const u8 payload[] = "\7\x2a\x2ate\"xt";

/* Nobody looks into it. */
static const void *const event = payload;

static struct ltt_format *parse(const char *text, const __u32 *its_types, unsigned int nr)
{
	char error[LTT_FORMAT_ERROR];
	struct ltt_format *format = ltt_format_parse(text, its_types, nr, error);

	EXPECT(!IS_ERR(format), "%s", error);
	return format;
}

/*
 * An event in a style, from @avail bytes; with a context of one byte, or without. In less room
 * than the line takes, nothing is put.
 * Return: what the last attempt did.
 */
static long show(const struct ltt_text_style *style, bool with_context, size_t avail,
		 bool swap, char got[1024])
{
	struct ltt_format *format = parse("x %u s %s.", types, 2);
	struct ltt_format *context = parse("tid %d", context_types, 1);
	const struct ltt_text_kind kind = {
		.channel = "c", .marker = "m", .format = format,
		.context = with_context ? context : NULL, .event = event,
	};
	struct ltt_event_text *text = ltt_event_text_create(style, &kind);
	u8 *copy = malloc(avail ?: 1);
	struct ltt_cpu_text cpu;
	struct ltt_textbuf out;
	long ret = -ENOSPC;
	size_t room;
	char *buf;

	memcpy(copy, payload + !with_context, avail);
	ltt_cpu_text_init(&cpu, 3);
	for (room = 0; ret == -ENOSPC && room < 1023; room++) {
		buf = malloc(room ?: 1);
		ltt_textbuf_init(&out, buf, room);
		EXPECT(!ltt_style_open(&out, style), "open");
		ret = style->event(&out, text, &cpu, TS, copy, avail, swap);
		EXPECT(ret >= 0 || out.pos == buf, "%zu bytes: %ld", room, ret);
		memcpy(got, buf, out.pos - buf);
		got[out.pos - buf] = '\0';
		ltt_style_close(&out);
		free(buf);
	}
	free(copy);
	ltt_event_text_free(text);
	ltt_format_free(format);
	ltt_format_free(context);
	return ret;
}

static void event_line(const struct ltt_text_style *style, bool with_context, bool swap,
		       const char *want)
{
	size_t size = sizeof(payload) - !with_context, avail;
	char got[1024];
	long ret;

	for (avail = 0; avail < size; avail++) {
		ret = show(style, with_context, avail, swap, got);
		EXPECT(ret == -EBADMSG, "%zu of %zu bytes: %ld", avail, size, ret);
	}
	ret = show(style, with_context, size, swap, got);
	EXPECT(ret == (long)size, "%ld of %zu bytes", ret, size);
	EXPECT_STR(got, want);
}

#define FORMATTED	START "c.m: x 10794 s te\"xt."

static void test_format(void)
{
	event_line(&ltt_style_format, false, false, FORMATTED "\n");
	event_line(&ltt_style_format, true, false, FORMATTED " tid 7\n");
	event_line(&ltt_style_format, true, true, FORMATTED " tid 7\n");
}

static void test_kv(void)
{
	event_line(&ltt_style_kv, false, false, START "c.m: x=10794 s=\"te\\\"xt\"\n");
	event_line(&ltt_style_kv, true, false, START "c.m: x=10794 s=\"te\\\"xt\" $tid=7\n");
	event_line(&ltt_style_kv, true, true, START "c.m: x=10794 s=\"te\\\"xt\" $tid=7\n");
}

#define JSON(ctx) \
	"{\"ts\":" TS_TEXT ",\"cpu\":3,\"channel\":\"c\",\"event\":\"m\"," \
	"\"fields\":{\"x\":10794,\"s\":\"te\\\"xt\"}" ctx "}\n"

static void test_json(void)
{
	event_line(&ltt_style_json, false, false, JSON(""));
	event_line(&ltt_style_json, true, false, JSON(",\"context\":{\"tid\":7}"));
	event_line(&ltt_style_json, true, true, JSON(",\"context\":{\"tid\":7}"));
}

#define LTTV(tid) \
	"c.m: 1234.567890123 (/c_3), " tid ", , , , , 0x0, MODE_UNKNOWN { x = 10794, s = \"te\\\"xt\" }\n"

static void test_lttv(void)
{
	event_line(&ltt_style_lttv, false, false, LTTV(""));
	event_line(&ltt_style_lttv, true, false, LTTV("7"));
	event_line(&ltt_style_lttv, true, true, LTTV("7"));
}

/* The line of an event at @ts; with a context, if @context is not NULL. */
static void any_line(const struct ltt_text_style *style, u64 ts, const char *channel,
		     const struct ltt_format *format, const struct ltt_format *context,
		     const void *p, size_t size, char got[4096])
{
	const struct ltt_text_kind kind = {
		.channel = channel, .marker = "m", .format = format, .context = context,
	};
	struct ltt_event_text *text = ltt_event_text_create(style, &kind);
	struct ltt_cpu_text cpu;
	struct ltt_textbuf out;
	u8 *copy = malloc(size ?: 1);
	long ret;

	memcpy(copy, p, size);
	ltt_cpu_text_init(&cpu, 4294967295u);
	ltt_textbuf_init(&out, got, 4095);
	EXPECT(!ltt_style_open(&out, style), "open");
	ret = style->event(&out, text, &cpu, ts, copy, size, false);
	EXPECT(ret == (long)size, "%ld of %zu bytes", ret, size);
	*out.pos = '\0';
	ltt_style_close(&out);
	ltt_event_text_free(text);
	free(copy);
}

/* A string as style "json" has it. */
static void json_string(const char *in, size_t len, char got[4096])
{
	static const __u32 type[] = { LTT_TYPE(LTT_KIND_CPTR, 8, 0) };
	static const char begin[] = "\"fields\":{\"s\":", end[] = "}}\n";
	struct ltt_format *format = parse("s %s", type, 1);
	char line[4096], *value;

	any_line(&ltt_style_json, TS, "c", format, NULL, in, len + 1, line);
	value = strstr(line, begin);
	if (EXPECT(value && strlen(value) >= sizeof(begin) + sizeof(end) - 2, "%s", line)) {
		value += strlen(begin);
		value[strlen(value) - strlen(end)] = '\0';
		strcpy(got, value);
	}
	ltt_format_free(format);
}

static void test_json_strings(void)
{
	static const struct {
		const char *in, *want;
	} strings[] = {
		{ "", "\"\"" },
		{ "plain text, longer than a word", "\"plain text, longer than a word\"" },
		{ "\"\\/", "\"\\\"\\\\/\"" },
		{ "1234567\"89012345\\", "\"1234567\\\"89012345\\\\\"" },
		{ "\1\n\t\x1f\x7f", "\"\\u0001\\u000a\\u0009\\u001f\\u007f\"" },
		{ "\xc2\x80\xc2\x9f\xc2\xa0", "\"\\u0080\\u009f\xc2\xa0\"" },
		{ "\xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80",
		  "\"\xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80\"" },
		{ "a long beginning, then\xff",
		  "{\"bytes\":\"61206c6f6e6720626567696e6e696e672c207468656eff\"}" },
		{ "\xc0\x80", "{\"bytes\":\"c080\"}" },
		{ "\xed\xa0\x80", "{\"bytes\":\"eda080\"}" },
		{ "\xf4\x90\x80\x80", "{\"bytes\":\"f4908080\"}" },
		{ "\xe2\x82", "{\"bytes\":\"e282\"}" },
		{ "{\"bytes\":\"ff\"}", "\"{\\\"bytes\\\":\\\"ff\\\"}\"" },
	};
	char got[4096] = "";
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(strings); i++) {
		json_string(strings[i].in, strlen(strings[i].in), got);
		EXPECT_STR(got, strings[i].want);
	}
}

/* Names, times, CPUs at their limits; characters, blobs and other arrays. */
static void test_json_values(void)
{
	static const __u32 kinds[] = {
		LTT_TYPE(LTT_KIND_INT, 8, 0), LTT_TYPE(LTT_KIND_INT, 8, LTT_TYPE_SIGNED),
		LTT_TYPE(LTT_KIND_INT, 1, 0), LTT_TYPE(LTT_KIND_INT, 2, LTT_TYPE_BE),
		LTT_TYPE(LTT_KIND_SEQ, 1, LTT_TYPE_SIGNED), LTT_TYPE(LTT_KIND_INT, 1, 0),
		LTT_TYPE(LTT_KIND_PTR, 8, 0),
	};
	static const u64 times[] = { 0, 999999999, 1000000000, 18446744073709551615ull };
	struct ltt_format *format = parse("a %#llx b %5lld c %c d %hu e %hhd n %u blob %pW",
					  kinds, ARRAY_SIZE(kinds));
	struct ltt_format *nothing = parse("nothing", NULL, 0);
	u8 p[64] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		     0, 0, 0, 0, 0, 0, 0, 0x80, 0x9b, 0x12, 0x34, };
	char got[4096], want[4096];
	const u32 count = 2;
	unsigned int i;

	memcpy(p + 19, &count, 4);
	memcpy(p + 23, "\x80\x7f\2\0\xde\xad", 6);
	any_line(&ltt_style_json, TS, "ch\"\xff", format, NULL, p, 29, got);
	EXPECT_STR(got, "{\"ts\":" TS_TEXT ",\"cpu\":4294967295,\"channel\":{\"bytes\":\"636822ff\"},\"event\":\"m\",\"fields\":{\"a\":18446744073709551615,\"b\":-9223372036854775808,\"c\":{\"bytes\":\"9b\"},\"d\":4660,\"e\":[-128,127],\"n\":2,\"blob\":\"dead\"}}\n");
	p[26] = LTT_BLOB_FAULT;
	p[16] = 0;
	any_line(&ltt_style_json, TS, "ch\"", format, NULL, p, 29, got);
	EXPECT(strstr(got, "\"ch\\\"\"") && strstr(got, "\"c\":\"\\u0000\"") &&
	       strstr(got, "\"blob\":\"(fault)\"}}"), "%s", got);
	for (i = 0; i < ARRAY_SIZE(times); i++) {
		any_line(&ltt_style_json, times[i], "c", nothing, nothing, "", 0, got);
		snprintf(want, sizeof(want), "{\"ts\":%llu,\"cpu\":4294967295,\"channel\":\"c\",\"event\":\"m\",\"fields\":{},\"context\":{}}\n",
			 (unsigned long long)times[i]);
		EXPECT_STR(got, want);
	}
	ltt_format_free(format);
	ltt_format_free(nothing);
}

/* Contexts in their places, whatever their order. */
static void test_lttv_process(void)
{
	static const __u32 kinds[] = {
		LTT_TYPE(LTT_KIND_INT, 1, 0), LTT_TYPE(LTT_KIND_CPTR, 8, 0),
		LTT_TYPE(LTT_KIND_INT, 1, 0), LTT_TYPE(LTT_KIND_INT, 1, 0),
		LTT_TYPE(LTT_KIND_INT, 1, 0), LTT_TYPE(LTT_KIND_INT, 1, 0),
	};
	static const char *const modes[] = { "MODE_UNKNOWN", "SOFT_IRQ", "IRQ", "MODE_UNKNOWN" };
	struct ltt_format *context =
		parse("irq_state %u{0=task,1=softirq,2=irq,3=nmi} comm %s ppid %d prio %d tid %d pid %d",
		      kinds, ARRAY_SIZE(kinds));
	struct ltt_format *format = parse("x %u", types, 1);
	struct ltt_format *nothing = parse("nothing", NULL, 0);
	u8 p[] = "\2sh, x\0\3\4\5\6\7\0";
	char got[4096], want[4096];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		p[0] = i;
		any_line(&ltt_style_lttv, TS, "c\n", format, context, p, 13, got);
		snprintf(want, sizeof(want), "c\\n.m: 1234.567890123 (/c\\n_4294967295), 5, 6, sh, x, , 3, 0x0, %s { x = 7, $prio = 4 }\n",
			 modes[i]);
		EXPECT_STR(got, want);
		any_line(&ltt_style_lttv, TS, "c", nothing, context, p, 11, got);
		snprintf(want, sizeof(want), "c.m: 1234.567890123 (/c_4294967295), 5, 6, sh, x, , 3, 0x0, %s { $prio = 4 }\n",
			 modes[i]);
		EXPECT_STR(got, want);
	}
	any_line(&ltt_style_lttv, TS, "c", nothing, NULL, "", 0, got);
	/* What a recorded trace may call a channel. */
	any_line(&ltt_style_lttv, TS, "# lost 9#", nothing, NULL, "", 0, got);
	EXPECT_STR(got, "\\x23 lost 9#.m: 1234.567890123 (/# lost 9#_4294967295), , , , , , 0x0, MODE_UNKNOWN\n");
	ltt_format_free(context);
	ltt_format_free(format);
	ltt_format_free(nothing);
}

/* ---- ftrace -------------------------------------------------------------------- */

static long answer;
static int opened;
static bool no_memory;

static void *printer_open(void)
{
	if (no_memory)
		return ERR_PTR(-ENOMEM);
	opened++;
	return &answer;
}

static void printer_close(void *state)
{
	EXPECT(state == &answer, "another state");
	opened--;
}

static long printer_print(void *state, const struct ltt_event *which, u64 ts,
			  const void *p, size_t size, const char **words)
{
	EXPECT(state == &answer && which == event && ts == TS, "arguments");
	EXPECT(size == sizeof(payload) - 1 && !memcmp(p, payload + 1, size), "fields");
	*words = "a: b\n";
	return answer;
}

static const struct ltt_event_printer printer = {
	.open = printer_open, .close = printer_close, .print = printer_print,
};

static void test_ftrace(void)
{
	struct ltt_textbuf out;
	char got[1024];

	/* Nobody knows any words. */
	event_line(&ltt_style_ftrace, false, false, FORMATTED "\n");
	event_line(&ltt_style_ftrace, true, false, FORMATTED " tid 7\n");

	ltt_user_printer = &printer;
	answer = 5;
	event_line(&ltt_style_ftrace, false, false, START "c.m: a: b\\n\n");
	event_line(&ltt_style_ftrace, true, false, START "c.m: a: b\\n tid 7\n");
	event_line(&ltt_style_ftrace, true, true, FORMATTED " tid 7\n");
	answer = 0;
	event_line(&ltt_style_ftrace, true, false, START "c.m:  tid 7\n");
	answer = -ENOENT;
	event_line(&ltt_style_ftrace, true, false, FORMATTED " tid 7\n");
	answer = -EBADMSG;
	EXPECT(show(&ltt_style_ftrace, true, sizeof(payload), false, got) == -EBADMSG,
	       "fields that do not fit");
	EXPECT(!opened, "%d are open", opened);

	no_memory = true;
	ltt_textbuf_init(&out, got, sizeof(got));
	EXPECT(ltt_style_open(&out, &ltt_style_ftrace) == -ENOMEM && !out.style, "no memory");
	no_memory = false;
	ltt_user_printer = NULL;
}

/* ---- a style of our own ---------------------------------------------------------- */

/* A string, with quotes around and within. */
static long own_field(struct ltt_textbuf *out, const struct ltt_field *field, const u8 *p,
		      size_t avail, bool swap)
{
	const u8 *end = memchr(p, '\0', avail), *c;

	(void)field;
	(void)swap;
	if (!end)
		return -EBADMSG;
	if (ltt_render_text(out, "\""))
		return -ENOSPC;
	for (c = p; c < end; c++) {
		if (*c == '"' ? ltt_render_text(out, "\\\"") : ltt_render_escaped(out, c, 1))
			return -ENOSPC;
	}
	return ltt_render_text(out, "\"") ?: end + 1 - p;
}

static void own_fields(struct ltt_text_builder *b, const struct ltt_format *format)
{
	unsigned int i;

	for (i = 0; i < format->nr_fields; i++) {
		ltt_build_literal(b, ",\"", 2);
		ltt_build_literal(b, format->fields[i].name, strlen(format->fields[i].name));
		ltt_build_literal(b, "\":", 2);
		if (format->fields[i].store == LTT_STORE_STR)
			ltt_build_own_field(b, format, i, own_field);
		else
			ltt_build_field(b, format, i);
	}
}

static void own_program(struct ltt_text_builder *b, const struct ltt_text_kind *kind)
{
	ltt_build_literal(b, "\"name\":\"", 8);
	ltt_build_name(b, kind);
	ltt_build_literal(b, "\"", 1);
	own_fields(b, kind->format);
	if (kind->context) {
		ltt_build_context(b);
		own_fields(b, kind->context);
	}
	ltt_build_literal(b, "}\n", 2);
}

static int own_header(struct ltt_textbuf *out, const struct ltt_text_trace *trace, unsigned int nr)
{
	(void)trace;
	return ltt_render_text(out, "{\"traces\":") ?: ltt_render_number(out, nr) ?:
	       ltt_render_text(out, "}\n");
}

static long own_event(struct ltt_textbuf *out, const struct ltt_event_text *text,
		      const struct ltt_cpu_text *cpu, u64 ts, const u8 *p, size_t avail,
		      bool swap)
{
	static const struct ltt_cpu_text comma = { .len = 1, .text = "," };
	char *start = out->pos;
	long len;

	len = ltt_render_text(out, "{\"cpu\":") ?: ltt_render_number(out, cpu->cpu) ?:
	      ltt_render_text(out, ",\"time\":");
	if (!len)
		len = ltt_render_event(out, text, &comma, ts, p, avail, swap);
	if (len < 0)
		out->pos = start;
	return len;
}

static int own_notice(struct ltt_textbuf *out, const char *what, const struct ltt_text_place *where)
{
	return ltt_render_text(out, "{\"notice\":\"") ?: ltt_render_text(out, what) ?:
	       ltt_render_text(out, "\",\"cpu\":") ?: ltt_render_number(out, where->cpu) ?:
	       ltt_render_text(out, ",\"time\":") ?: ltt_render_time(out, where->ts) ?:
	       ltt_render_text(out, "}\n");
}

static int own_lost(struct ltt_textbuf *out, const struct ltt_text_place *where, u64 nr)
{
	(void)nr;
	return own_notice(out, "lost", where);
}

static int own_unfinished(struct ltt_textbuf *out, const struct ltt_text_place *where)
{
	return own_notice(out, "unfinished", where);
}

static int own_corrupt(struct ltt_textbuf *out, const struct ltt_text_place *where,
		       unsigned long packet, unsigned long offset)
{
	(void)packet;
	(void)offset;
	return own_notice(out, "corrupt", where);
}

static const struct ltt_text_notices own_notices = {
	.header = own_header,
	.lost = own_lost,
	.unfinished = own_unfinished,
	.corrupt = own_corrupt,
};

static const struct ltt_text_style own_style = {
	.name = "own",
	.program = own_program,
	.notices = &own_notices,
	.event = own_event,
};

#define OWN(rest) \
	"{\"cpu\":3,\"time\":1234.567890123,\"name\":\"c.m\",\"x\":10794,\"s\":\"te\\\"xt\"" rest "}\n"

static void test_own(void)
{
	event_line(&own_style, false, false, OWN(""));
	event_line(&own_style, true, false, OWN(",\"tid\":7"));
	notice(&own_style, header_two, "{\"traces\":2}\n");
	notice(&own_style, lost, "{\"notice\":\"lost\",\"cpu\":12,\"time\":1234.567890123}\n");
	notice(&own_style, unfinished,
	       "{\"notice\":\"unfinished\",\"cpu\":12,\"time\":1234.567890123}\n");
	notice(&own_style, corrupt,
	       "{\"notice\":\"corrupt\",\"cpu\":12,\"time\":1234.567890123}\n");
}

static const struct ktap_case cases[] = {
	{ "style.table", test_table },
	{ "style.notices", test_notices },
	{ "style.format", test_format },
	{ "style.kv", test_kv },
	{ "style.json", test_json },
	{ "style.json_strings", test_json_strings },
	{ "style.json_values", test_json_values },
	{ "style.lttv", test_lttv },
	{ "style.lttv_process", test_lttv_process },
	{ "style.ftrace", test_ftrace },
	{ "style.own", test_own },
};

int main(void)
{
	return ktap_run(cases, ARRAY_SIZE(cases));
}
