// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: text style "json", one object per line.
 *
 *	{"ltt":1,"traces":[{"name":"t","uuid":"...","host":"h","boot_id":"...","clock":"mono",...}]}
 *	{"ts":1234567890123,"cpu":3,"channel":"sched","event":"sched_switch","fields":{...}}
 *	{"notice":"lost","ts":1234567890123,"cpu":3,"channel":"sched","events":12}
 *
 * If there are several traces, "trace":N comes after the CPU: which of "traces" it is, from 0.
 *
 * Documentation/trace/ltt/text.rst describes it, and the schema beside it. A change that is
 * more than another key needs another number after "ltt".
 *
 * Strings keep all the bytes of what style "format" shows: one that is not UTF-8 becomes
 * {"bytes":"HEX"}, which is the only object among values. Control characters never are in the
 * text, C1 and DEL included.
 *
 * Shared by the kernel, the user-space tools and the tests.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ltt/escape.h>
#include <linux/ltt/types.h>
#include <linux/ltt/unaligned.h>
#include <linux/string.h>

#include "render_private.h"
#include "style.h"

/* Most bytes of escape(). */
#define ESCAPE_MAX	6

/* ---- strings ------------------------------------------------------------------- */

/* A character of @len bytes, well-formed. Return: bytes of @shown. */
static unsigned int escape(char shown[ESCAPE_MAX], const u8 *in, unsigned int len)
{
	bool c1 = len > 1 && ltt_is_c1(in);
	u8 c = c1 ? in[1] : in[0];

	if (c == '"' || c == '\\') {
		shown[0] = '\\';
		shown[1] = c;
		return 2;
	}
	if (c >= ' ' && c != 0x7f && !c1) {
		memcpy(shown, in, len);
		return len;
	}
	memcpy(shown, "\\u00", 4);
	ltt_put_hex2(shown + 4, c);
	return ESCAPE_MAX;
}

static int put_bytes(struct ltt_textbuf *out, const u8 *p, size_t count)
{
	return ltt_render_text(out, "{\"bytes\":\"") ?: ltt_render_hex(out, p, count) ?:
	       ltt_render_text(out, "\"}");
}

/* @len of the @avail bytes that may be read. Return: 0 or -ENOSPC. */
static int put_string(struct ltt_textbuf *out, const u8 *text, size_t len, size_t avail)
{
	const u8 *p = text, *end = text + len;
	char *start = out->pos;
	unsigned int used;
	size_t nr;

	if (ltt_render_text(out, "\""))
		return -ENOSPC;
	for (;;) {
		nr = ltt_copy_plain(out->pos, out->end, p, avail - (p - text), '"');
		nr = min_t(size_t, nr, end - p);
		out->pos += nr;
		p += nr;
		if (p == end)
			return ltt_render_text(out, "\"");
		used = ltt_utf8_length(p, end - p);
		if (!used) {
			out->pos = start;
			return put_bytes(out, text, len);
		}
		if (ltt_textbuf_room(out) < ESCAPE_MAX)
			return -ENOSPC;
		out->pos += escape(out->pos, p, used);
		p += used;
	}
}

static int put_text(struct ltt_textbuf *out, const char *text)
{
	size_t len = strlen(text);

	return put_string(out, (const u8 *)text, len, len);
}

static bool is_utf8(const char *text)
{
	size_t len = strlen(text);
	unsigned int used = 1;

	for (; len && used; text += used, len -= used)
		used = ltt_utf8_length((const u8 *)text, len);
	return used;
}

/* The same as put_text(). */
static void build_string(struct ltt_text_builder *b, const char *text)
{
	bool utf8 = is_utf8(text);
	size_t len = strlen(text);
	char shown[ESCAPE_MAX];
	unsigned int used, nr;

	ltt_build_text(b, utf8 ? "\"" : "{\"bytes\":\"");
	for (; len; text += used, len -= used) {
		used = utf8 ? ltt_utf8_length((const u8 *)text, len) : 1;
		nr = utf8 ? escape(shown, (const u8 *)text, used) :
			    ltt_put_hex2(shown, *text) - shown;
		ltt_build_literal(b, shown, nr);
	}
	ltt_build_text(b, utf8 ? "\"" : "\"}");
}

/* ---- fields -------------------------------------------------------------------- */

static int put_integer(struct ltt_textbuf *out, u64 value, bool is_signed)
{
	if (is_signed && (s64)value < 0) {
		value = -value;
		if (ltt_render_text(out, "-"))
			return -ENOSPC;
	}
	return ltt_render_number(out, value);
}

static long show_integer(struct ltt_textbuf *out, const struct ltt_field *field, const u8 *p,
			 size_t avail, bool swap)
{
	bool is_signed = ltt_field_is_signed(field);

	if (field->flags & LTT_FIELD_BE)
		swap = !LTT_HOST_BE;
	if (field->size > avail)
		return -EBADMSG;
	return put_integer(out, ltt_load_int(p, field->size, is_signed, swap), is_signed) ?:
	       field->size;
}

/* That of a blob, which comes next. */
static long show_length(struct ltt_textbuf *out, const struct ltt_field *field, const u8 *p,
			size_t avail, bool swap)
{
	long size = ltt_field_size(field, p, avail, swap, &out->value);
	unsigned int shift = 64 - 8 * field->size;

	if (size < 0)
		return size;
	return ltt_render_number(out, out->value << shift >> shift) ?: size;
}

static long show_char(struct ltt_textbuf *out, const struct ltt_field *field, const u8 *p,
		      size_t avail, bool swap)
{
	long size = ltt_field_size(field, p, avail, swap, &out->value);
	u8 c = out->value;

	if (size < 0)
		return size;
	return put_string(out, &c, 1, 1) ?: size;
}

/* What JSON has no number for is a string. */
static long show_float(struct ltt_textbuf *out, const struct ltt_field *field, const u8 *p,
		       size_t avail, bool swap)
{
	u64 value = 0, top;
	long size = ltt_field_size(field, p, avail, swap, &value);

	if (size < 0)
		return size;
	/* The exponent of infinity and NaN. */
	top = field->size == sizeof(u32) ? 0x7f800000ull : 0x7ffull << 52;
	if ((value & top) == top)
		return ltt_render_field_quoted(out, field, p, avail, swap);
	return ltt_render_field(out, field, p, avail, swap);
}

static long show_string(struct ltt_textbuf *out, const struct ltt_field *field, const u8 *p,
			size_t avail, bool swap)
{
	long size = ltt_field_size(field, p, avail, swap, &out->value);
	size_t count = size;

	if (size < 0)
		return size;
	if (field->store == LTT_STORE_STR) {
		count--;
	} else if (field->store == LTT_STORE_SEQ) {
		count -= sizeof(u32);
		avail -= sizeof(u32);
		p += sizeof(u32);
	}
	return put_string(out, p, ltt_text_length(field, p, count), avail) ?: size;
}

static long show_array(struct ltt_textbuf *out, const struct ltt_field *field, const u8 *p,
		       size_t avail, bool swap)
{
	long size = ltt_field_size(field, p, avail, swap, &out->value);
	ltt_render_fn *show = ltt_field_is_number(field) ? show_integer :
			      field->show == LTT_SHOW_FLOAT ? show_float : ltt_render_field_quoted;
	struct ltt_field element = *field;
	u32 count = field->count, i;

	if (size < 0)
		return size;
	if (field->store == LTT_STORE_SEQ) {
		count = ltt_load32(p, swap);
		p += sizeof(u32);
	}
	element.store = LTT_STORE_INT;
	if (ltt_render_text(out, "["))
		return -ENOSPC;
	for (i = 0; i < count; i++, p += element.size) {
		if ((i && ltt_render_text(out, ",")) ||
		    show(out, &element, p, element.size, swap) < 0)
			return -ENOSPC;
	}
	return ltt_render_text(out, "]") ?: size;
}

static ltt_render_fn *choose(const struct ltt_field *field)
{
	bool is_array = field->store == LTT_STORE_ARRAY || field->store == LTT_STORE_SEQ;

	switch (field->show) {
	case LTT_SHOW_CHAR:
	case LTT_SHOW_STR:
		return field->store == LTT_STORE_INT ? show_char : show_string;
	case LTT_SHOW_DEC:
	case LTT_SHOW_HEX:
	case LTT_SHOW_OCT:
		return is_array ? show_array : show_integer;
	case LTT_SHOW_PTR:
	case LTT_SHOW_PTR_RAW:
	case LTT_SHOW_SYM:
		return is_array ? show_array : ltt_render_field_quoted;
	case LTT_SHOW_FLOAT:
		return is_array ? show_array : show_float;
	}
	return ltt_render_field_quoted;
}

static void build_field(struct ltt_text_builder *b, const struct ltt_format *format,
			unsigned int nr)
{
	const struct ltt_field *field = &format->fields[nr];

	if (ltt_field_is_length(format, nr))
		ltt_build_own_field(b, format, nr, show_length);
	else if (field->store == LTT_STORE_INT && ltt_field_is_number(field) &&
		 !(field->flags & LTT_FIELD_BE))
		ltt_build_integer(b, format, nr);
	else
		ltt_build_own_field(b, format, nr, choose(field));
}

/* Names of fields are words of letters, digits, "_" and ".". */
static void build_object(struct ltt_text_builder *b, const struct ltt_format *format)
{
	unsigned int i;

	for (i = 0; i < format->nr_fields; i++) {
		ltt_build_text(b, i ? ",\"" : "{\"");
		ltt_build_text(b, format->fields[i].name);
		ltt_build_text(b, "\":");
		build_field(b, format, i);
	}
	ltt_build_text(b, i ? "}" : "{}");
}

/* Which of several traces it is of. */
static void build_trace(struct ltt_text_builder *b, const struct ltt_text_kind *kind)
{
	char text[20];

	if (kind->nr_traces <= 1)
		return;
	ltt_build_text(b, ",\"trace\":");
	ltt_build_literal(b, text, ltt_put_dec(text, kind->trace) - text);
}

static void json_program(struct ltt_text_builder *b, const struct ltt_text_kind *kind)
{
	ltt_build_text(b, "{\"ts\":");
	ltt_build_nanoseconds(b);
	ltt_build_text(b, ",\"cpu\":");
	ltt_build_cpu(b);
	build_trace(b, kind);
	ltt_build_text(b, ",\"channel\":");
	build_string(b, kind->channel);
	ltt_build_text(b, ",\"event\":");
	build_string(b, kind->marker);
	ltt_build_text(b, ",\"fields\":");
	build_object(b, kind->format);
	if (kind->context) {
		ltt_build_context(b);
		ltt_build_text(b, ",\"context\":");
		build_object(b, kind->context);
	}
	ltt_build_text(b, "}\n");
}

/* ---- header and notices --------------------------------------------------------- */

static int put_uuid(struct ltt_textbuf *out, const u8 *uuid)
{
	if (!uuid)
		return ltt_render_text(out, "null");
	if (ltt_textbuf_room(out) < LTT_NET_TEXT + 2)
		return -ENOSPC;
	*out->pos++ = '"';
	out->pos = ltt_put_uuid(out->pos, uuid, "Ub");
	*out->pos++ = '"';
	return 0;
}

/* What is missing to nanoseconds since 1970. */
static int put_offset(struct ltt_textbuf *out, const struct ltt_text_trace *trace)
{
	s64 offset = trace->wall ? 0 : trace->real_offset;

	if (!trace->real_offset)
		return ltt_render_text(out, "null");
	if (offset >= 0)
		return ltt_render_number(out, offset);
	return ltt_render_text(out, "-") ?: ltt_render_number(out, -(u64)offset);
}

static int put_trace(struct ltt_textbuf *out, const struct ltt_text_trace *trace)
{
	return ltt_render_text(out, "{\"name\":") ?:
	       put_text(out, trace->name) ?:
	       ltt_render_text(out, ",\"uuid\":") ?:
	       put_uuid(out, trace->uuid) ?:
	       ltt_render_text(out, ",\"host\":") ?:
	       put_text(out, trace->host) ?:
	       ltt_render_text(out, ",\"boot_id\":") ?:
	       put_uuid(out, trace->boot_id) ?:
	       ltt_render_text(out, ",\"clock\":") ?:
	       put_text(out, trace->clock) ?:
	       ltt_render_text(out, ",\"offset\":") ?:
	       put_offset(out, trace) ?:
	       ltt_render_text(out, "}");
}

static int put_header(struct ltt_textbuf *out, const struct ltt_text_trace *traces,
		      unsigned int nr)
{
	unsigned int i;
	int err;

	err = ltt_render_text(out, "{\"ltt\":1,\"traces\":[");
	for (i = 0; i < nr && !err; i++)
		err = (i ? ltt_render_text(out, ",") : 0) ?: put_trace(out, &traces[i]);
	return err ?: ltt_render_text(out, "]}\n");
}

static int put_trace_number(struct ltt_textbuf *out, const struct ltt_text_place *place)
{
	if (place->nr_traces <= 1)
		return 0;
	return ltt_render_text(out, ",\"trace\":") ?: ltt_render_number(out, place->trace);
}

/* {"notice":"@what","ts":1234567890123,"cpu":3,"channel":"sched" */
static int put_place(struct ltt_textbuf *out, const char *what,
		     const struct ltt_text_place *place)
{
	return ltt_render_text(out, "{\"notice\":\"") ?:
	       ltt_render_text(out, what) ?:
	       ltt_render_text(out, "\",\"ts\":") ?:
	       ltt_render_number(out, place->ts) ?:
	       ltt_render_text(out, ",\"cpu\":") ?:
	       ltt_render_number(out, place->cpu) ?:
	       put_trace_number(out, place) ?:
	       ltt_render_text(out, ",\"channel\":") ?:
	       put_text(out, place->channel);
}

static int put_lost(struct ltt_textbuf *out, const struct ltt_text_place *place, u64 lost)
{
	return put_place(out, "lost", place) ?:
	       ltt_render_text(out, ",\"events\":") ?:
	       ltt_render_number(out, lost) ?:
	       ltt_render_text(out, "}\n");
}

static int put_unfinished(struct ltt_textbuf *out, const struct ltt_text_place *place)
{
	return put_place(out, "unfinished", place) ?: ltt_render_text(out, "}\n");
}

static int put_corrupt(struct ltt_textbuf *out, const struct ltt_text_place *place,
		       unsigned long packet, unsigned long offset)
{
	return put_place(out, "corrupt", place) ?:
	       ltt_render_text(out, ",\"packet\":") ?:
	       ltt_render_number(out, packet) ?:
	       ltt_render_text(out, ",\"offset\":") ?:
	       ltt_render_number(out, offset) ?:
	       ltt_render_text(out, "}\n");
}

static int put_silent(struct ltt_textbuf *out, u32 cpu, u64 since)
{
	return ltt_render_text(out, "{\"notice\":\"silent\",\"cpu\":") ?:
	       ltt_render_number(out, cpu) ?:
	       ltt_render_text(out, ",\"since\":") ?:
	       ltt_render_number(out, since) ?:
	       ltt_render_text(out, "}\n");
}

static int put_late(struct ltt_textbuf *out, u32 cpu)
{
	return ltt_render_text(out, "{\"notice\":\"late\",\"cpu\":") ?:
	       ltt_render_number(out, cpu) ?:
	       ltt_render_text(out, "}\n");
}

static const struct ltt_text_notices notices = {
	.header = put_header,
	.lost = put_lost,
	.unfinished = put_unfinished,
	.corrupt = put_corrupt,
	.silent = put_silent,
	.late = put_late,
};

const struct ltt_text_style ltt_style_json = {
	.name = "json",
	.program = json_program,
	.notices = &notices,
	.event = ltt_render_line,
};
