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
#include <linux/ltt/types.h>

#include "../../../../kernel/trace/textout/lib/render_user.h"
#include "../../../../kernel/trace/textout/lib/style.h"
#include "ktap.h"

#define TS	1234567890123ull
#define START	"1234.567890123 [003] "

/* What any style may need to spare. */
#define SPARE	(2 * LTT_RENDER_SPARE)

static const struct ltt_text_trace traces[] = {
	{ .name = "one", .clock = "mono" },
	{ .name = "t\nwo", .clock = "tsc", .wall = true },
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

static void format_notices(const struct ltt_text_style *style)
{
	notice(style, header_one,
	       "# LTT trace one, clock mono\n# seconds [cpu] channel.marker: values\n");
	notice(style, header_two,
	       "# LTT trace one, clock mono\n# LTT trace t\\nwo, clock tsc, since 1970\n"
	       "# seconds [cpu] channel.marker: values\n");
	notice(style, lost,
	       "# lost 345 events cpu 12 channel sc\\thed before 1234.567890123\n");
	notice(style, unfinished,
	       "# unfinished cpu 12 channel sc\\thed: a writer died in the middle of an event, which is lost, with all that followed until this was found\n");
	notice(style, corrupt,
	       "# corrupt cpu 12 channel sc\\thed packet 67 offset 890 at 1234.567890123\n");
}

static void test_notices(void)
{
	format_notices(&ltt_style_format);
	format_notices(&ltt_style_ftrace);
	format_notices(&ltt_style_kv);
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
	{ "style.ftrace", test_ftrace },
	{ "style.own", test_own },
};

int main(void)
{
	return ktap_run(cases, ARRAY_SIZE(cases));
}
