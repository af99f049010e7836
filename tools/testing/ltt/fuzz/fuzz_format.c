// SPDX-License-Identifier: GPL-2.0
/*
 * libFuzzer: a marker's format, and all that is made with it, from what the fuzzer writes.
 *
 * The input is a byte of flags, the room for the text (two bytes), the number of arguments
 * and a byte for the type of each, the format up to a NUL, and a payload. What the parser
 * accepts has a size and a text that agree, and metadata from which libltt makes the same
 * text of the same payload.
 */
#include <errno.h>
#include <unistd.h>

#include "../../../../kernel/trace/textout/lib/style.h"
#include "../../../ltt/lib/libltt.h"
#include "../unit/trace_writer.h"

#define FLAG_SWAP	0x01u
/* Any type code, instead of one that there is. */
#define ANY_TYPE	0xffu

#define METADATA_MAX	(1024u * 1024)
#define TEXT_MAX	(1024u * 1024)
#define TIME		1234567890123ull
#define CPU		3

#define REQUIRE(what)	do { if (!(what)) fail(#what, __LINE__); } while (0)

/* What a payload is, the format in front of it, and how it is to be tried. */
struct input {
	bool swap;
	size_t room;
	unsigned int nr;
	__u32 types[LTT_MAX_ARGS];
	char text[LTT_MAX_FORMAT + 2];
	const u8 *payload;
	size_t avail;
};

static char dir[64];

static void fail(const char *what, int line)
{
	fprintf(stderr, "line %d: not so: %s\n", line, what);
	abort();
}

static __u32 type_of(u8 byte)
{
	static const u8 sizes[] = { 1, 2, 4, 8 };
	__u32 flags = (byte & 4 ? LTT_TYPE_SIGNED : 0) | (byte & 8 ? LTT_TYPE_BE : 0);

	switch (byte >> 4 & 3) {
	case 0:
		return LTT_TYPE(LTT_KIND_INT, sizes[byte & 3], flags);
	case 1:
		return LTT_TYPE(LTT_KIND_SEQ, sizes[byte & 3], flags);
	case 2:
		return LTT_TYPE(LTT_KIND_PTR, 8, 0);
	default:
		return LTT_TYPE(LTT_KIND_CPTR, 8, 0);
	}
}

/* Take the input apart; false if it is too short. */
static bool take(struct input *in, const u8 *data, size_t size)
{
	const u8 *end = data + size;
	unsigned int i;
	size_t len;

	if (size < 4)
		return false;
	in->swap = data[0] & FLAG_SWAP;
	in->room = data[1] | data[2] << 8;
	in->nr = data[3] % (LTT_MAX_ARGS + 1);
	data += 4;
	for (i = 0; i < in->nr; i++) {
		if (end - data < 5)
			return false;
		if (*data == ANY_TYPE) {
			memcpy(&in->types[i], data + 1, 4);
			data += 4;
		} else {
			in->types[i] = type_of(*data);
		}
		data++;
	}
	len = strnlen((const char *)data, end - data);
	if (data + len == end || len > LTT_MAX_FORMAT + 1)
		return false;
	memcpy(in->text, data, len + 1);
	in->payload = data + len + 1;
	in->avail = end - in->payload;
	return true;
}

/* ---- size and text ------------------------------------------------------------ */

static long size_of(const struct ltt_format *format, const u8 *payload, size_t avail, bool swap)
{
	u8 *copy = malloc(avail ?: 1);
	long size;

	memcpy(copy, payload, avail);
	size = ltt_payload_size(format, copy, avail, swap);
	free(copy);
	return size;
}

static void try_size(const struct input *in, const struct ltt_format *format, long size)
{
	if (format->fixed_size >= 0)
		REQUIRE(size == (in->avail < (size_t)format->fixed_size ? -EBADMSG :
				 format->fixed_size));
	if (size < 0) {
		REQUIRE(size == -EBADMSG);
		return;
	}
	REQUIRE((size_t)size <= in->avail);
	REQUIRE(size_of(format, in->payload, size, in->swap) == size);
	if (size)
		REQUIRE(size_of(format, in->payload, size - 1, in->swap) == -EBADMSG);
}

/* Into @room bytes, from @size bytes, neither of which has anything behind it. */
static long show(const struct ltt_event_text *text, const u8 *payload, size_t size, bool swap,
		 size_t room, char *got, size_t *len)
{
	char *buf = malloc(room ?: 1);
	u8 *copy = malloc(size ?: 1);
	struct ltt_cpu_text cpu;
	struct ltt_textbuf out;
	size_t i;
	long ret;

	memcpy(copy, payload, size);
	ltt_cpu_text_init(&cpu, CPU);
	ltt_textbuf_init(&out, buf, room);
	ret = ltt_render_event(&out, text, &cpu, TIME, copy, size, swap);
	*len = out.pos - buf;
	if (ret < 0)
		REQUIRE(!*len);
	else
		REQUIRE(*len && buf[*len - 1] == '\n');
	for (i = 0; i + 1 < *len; i++)
		REQUIRE((u8)buf[i] >= 32 && buf[i] != 127);
	memcpy(got, buf, *len);
	free(copy);
	free(buf);
	return ret;
}

/* ---- metadata ------------------------------------------------------------------ */

/* A declaration takes as much room as it needs, with a byte that stays unused, or none. */
static void try_room(const struct input *in, const struct ltt_format *format, size_t len)
{
	char *buf = malloc(len + 1);
	struct ltt_textbuf out = { .pos = buf, .end = buf + len + 1 };

	REQUIRE(!ltt_metadata_event(&out, 0, 0, "c", "m", in->text, in->types, format));
	REQUIRE(out.pos == buf + len);
	out = (struct ltt_textbuf){ .pos = buf, .end = buf + len };
	REQUIRE(ltt_metadata_event(&out, 0, 0, "c", "m", in->text, in->types, format) == -ENOSPC);
	REQUIRE(out.pos == buf);
	free(buf);
}

static void write_metadata(const struct input *in, const struct ltt_format *format)
{
	static char text[METADATA_MAX];
	struct ltt_textbuf out = { .pos = text, .end = text + sizeof(text) };
	const char *event;
	FILE *file;

	tw_metadata(&out, "fuzz", "mono", 0);
	REQUIRE(!ltt_metadata_stream(&out, 0, "c", NULL));
	event = out.pos;
	REQUIRE(!ltt_metadata_event(&out, 0, 0, "c", "m", in->text, in->types, format));
	try_room(in, format, out.pos - event);
	file = tw_create(dir, "metadata");
	tw_put(file, text, out.pos - text);
	if (fclose(file))
		err(1, "metadata");
}

static void write_packet(const u8 *payload, size_t size)
{
	struct tw_stream s;

	tw_open(&s, dir, "c", 0, CPU);
	tw_begin(&s, TIME - 1);
	tw_event(&s, 0, TIME, payload, size);
	tw_end(&s, 0);
	tw_close(&s);
}

static void remove_files(void)
{
	static const char *const names[] = { "metadata", "c_3", "index/c_3.idx", "index", "" };
	char path[128];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		remove(path);
	}
}

static void setup(void)
{
	snprintf(dir, sizeof(dir), "%s/ltt-fuzz.XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	if (!mkdtemp(dir))
		err(1, "%s", dir);
	/* tw_mkdir() makes it, and what is in it. */
	if (rmdir(dir))
		err(1, "%s", dir);
	tw_mkdir(dir);
	atexit(remove_files);
}

/* libltt makes the line @want of the event. */
static void read_back(const char *want, size_t len)
{
	static char got[TEXT_MAX];
	struct libltt_problem error;
	struct libltt_event event;
	const char *name = dir;
	struct libltt *ltt = libltt_open(&name, 1, NULL, &error);

	if (!ltt)
		fprintf(stderr, "%s\n", error.text);
	REQUIRE(ltt);
	REQUIRE(libltt_next(ltt, &event) == 1);
	REQUIRE(event.time == TIME);
	REQUIRE(libltt_line(ltt, &event, got, sizeof(got)) == (long)len);
	REQUIRE(!memcmp(got, want, len));
	REQUIRE(libltt_next(ltt, &event) == 0);
	libltt_close(ltt);
}

/* ---- one input ----------------------------------------------------------------- */

static void try_payload(const struct input *in, const struct ltt_format *format)
{
	static char all[TEXT_MAX], part[TEXT_MAX];
	const struct ltt_text_kind kind = { .channel = "c", .marker = "m", .format = format };
	struct ltt_event_text *text = ltt_event_text_create(&ltt_style_format, &kind);
	long size = size_of(format, in->payload, in->avail, in->swap);
	size_t len, part_len;
	long ret;

	REQUIRE(text);
	try_size(in, format, size);
	ret = show(text, in->payload, in->avail, in->swap, sizeof(all), all, &len);
	REQUIRE(ret == size || ret == -ENOSPC);
	/* In as little room as there may be, the same or nothing. */
	ret = show(text, in->payload, in->avail, in->swap, in->room, part, &part_len);
	REQUIRE(ret == size || ret == -ENOSPC);
	if (ret >= 0)
		REQUIRE(part_len == len && !memcmp(part, all, len));

	/* In this machine's byte order, it is an event. */
	size = size_of(format, in->payload, in->avail, false);
	if (size >= 0 && show(text, in->payload, size, false, sizeof(all), all, &len) >= 0) {
		write_metadata(in, format);
		write_packet(in->payload, size);
		read_back(all, len);
	}
	ltt_event_text_free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char error[LTT_FORMAT_ERROR] = "";
	static struct input in;
	struct ltt_format *format;

	if (!dir[0])
		setup();
	if (!take(&in, data, size))
		return 0;
	format = ltt_format_parse(in.text, in.types, in.nr, error);
	if (IS_ERR(format)) {
		REQUIRE(error[0] && strnlen(error, sizeof(error)) < sizeof(error));
		return 0;
	}
	try_payload(&in, format);
	ltt_format_free(format);
	return 0;
}
