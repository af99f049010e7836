/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For tests of libltt: a small trace in which everything occurs, the text that it must
 * give, and a way to read a trace to its end.
 */
#ifndef _LTT_VIEW_TRACE_H
#define _LTT_VIEW_TRACE_H

#include <ftw.h>
#include <unistd.h>

#include "../../../ltt/lib/libltt.h"
#include "ktap.h"
#include "trace_writer.h"

#define VT_METADATA	(1024u * 1024)
#define VT_SEC		1000000000ull

enum { VT_INT, VT_STR, VT_BLOB, VT_NONE, VT_NR_A };
enum { VT_FIRST = 0, VT_WIDE = 32, VT_NR_B = 33 };

static const struct tw_kind vt_a[VT_NR_A] = {
	[VT_INT] = { "int", "v %d", { TW_INT(4, TW_S) }, 1 },
	[VT_STR] = { "str", "s %s n %u", { TW_STR, TW_INT(4, 0) }, 2 },
	[VT_BLOB] = { "blob", "size %u data %pW", { TW_INT(4, 0), TW_PTR }, 2 },
	[VT_NONE] = { "none", "nothing", { }, 0 },
};

static char vt_dir[64];

static inline const char *vt_path(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", vt_dir, name);
	return path;
}

static inline void vt_int(struct tw_stream *s, u64 ts, u32 v)
{
	tw_event(s, VT_INT, ts, &v, sizeof(v));
}

static inline void vt_str(struct tw_stream *s, u64 ts, const char *text, u32 n)
{
	u8 payload[256], *p = tw_u32(tw_str(payload, text), n);

	tw_event(s, VT_STR, ts, payload, p - payload);
}

static inline void vt_blob(struct tw_stream *s, u64 ts, const void *data, u32 size)
{
	u8 *payload = malloc(size + 5), *p = tw_u32(payload, size);

	*p++ = LTT_BLOB_READ;
	p = tw_bytes(p, data, size);

	tw_event(s, VT_BLOB, ts, payload, p - payload);
	free(payload);
}

static inline void vt_wide(struct tw_stream *s, u32 id, u64 ts, u64 v)
{
	tw_event(s, id, ts, &v, sizeof(v));
}

static inline void vt_save(const char *name, const void *data, size_t size)
{
	FILE *file = fopen(vt_path(name), "wb");

	if (!file)
		err(1, "%s", name);
	tw_put(file, data, size);
	if (fclose(file))
		err(1, "%s", name);
}

/* All of a file, with a NUL behind it. */
static inline char *vt_load(const char *name, size_t *size)
{
	FILE *file = fopen(vt_path(name), "rb");
	char *data = NULL;

	*size = 0;
	if (!file)
		err(1, "%s", name);
	for (;;) {
		data = realloc(data, *size + 65536);
		if (!data)
			err(1, "%s", name);
		size_t n = fread(data + *size, 1, 65535, file);

		if (!n)
			break;
		*size += n;
	}
	data[*size] = '\0';
	fclose(file);
	return data;
}

static inline void vt_metadata(const char *clock, u64 real_offset)
{
	static const char *const formats[] = { "x %llx", "value %lld" };
	static char names[VT_NR_B][16], text[VT_METADATA];
	struct ltt_textbuf out = { .pos = text, .end = text + sizeof(text) };
	struct tw_kind b[VT_NR_B];
	unsigned int i;

	for (i = 0; i < VT_NR_B; i++) {
		snprintf(names[i], sizeof(names[i]), "k%u", i);
		b[i] = (struct tw_kind){ names[i], formats[i & 1], { TW_INT(8, 0) }, 1 };
	}
	tw_metadata(&out, "small", clock, real_offset);
	tw_channel(&out, 0, "a", vt_a, VT_NR_A);
	tw_channel(&out, 1, "b", b, VT_NR_B);
	vt_save("metadata", text, out.pos - text);
}

static inline void vt_make(void)
{
	struct tw_stream s;

	strcpy(vt_dir, "/tmp/ltt-view.XXXXXX");
	if (!mkdtemp(vt_dir) || mkdir(vt_path("index"), 0777))
		err(1, "%s", vt_dir);
	vt_metadata("mono", 1700000000ull * VT_SEC);

	tw_open(&s, vt_dir, "a", 0, 0);
	tw_begin(&s, 5 * VT_SEC);
	vt_int(&s, 5 * VT_SEC, -1);
	vt_int(&s, 5 * VT_SEC + 10, 7);
	vt_str(&s, 5 * VT_SEC + 20, "two\nlines", 1);
	tw_end(&s, 5 * VT_SEC + 25);
	tw_begin(&s, 6 * VT_SEC);
	vt_int(&s, 6 * VT_SEC, 8);
	vt_int(&s, 9 * VT_SEC, 9);
	tw_event(&s, VT_NONE, 9 * VT_SEC, "", 0);
	tw_end(&s, 0);
	tw_close(&s);

	tw_open(&s, vt_dir, "a", 0, 1);
	s.header.packet_seq_num = 4;
	s.header.events_discarded = 2;
	tw_begin(&s, 5 * VT_SEC + 10);
	vt_blob(&s, 5 * VT_SEC + 10, "\xde\xad", 2);
	tw_end(&s, 0);
	s.header.events_discarded = 5;
	tw_begin(&s, 5 * VT_SEC + 500);
	tw_end(&s, 0);
	s.header.events_discarded = 6;
	tw_begin(&s, 7 * VT_SEC);
	vt_str(&s, 7 * VT_SEC, "", 0);
	tw_end(&s, 8 * VT_SEC);
	s.header.events_discarded = 10;
	tw_begin(&s, 9 * VT_SEC + 1);
	tw_end(&s, 0);
	tw_close(&s);

	tw_open(&s, vt_dir, "b", 1, 0);
	tw_begin(&s, 5 * VT_SEC);
	vt_wide(&s, VT_FIRST, 5 * VT_SEC, 0xbbc);
	vt_wide(&s, VT_WIDE, 5 * VT_SEC, 1);
	vt_wide(&s, VT_WIDE - 1, 5 * VT_SEC + 10, -3);
	tw_end(&s, 0);
	tw_begin(&s, 1005 * VT_SEC);
	vt_wide(&s, VT_FIRST, 1005 * VT_SEC, 0);
	tw_end(&s, 0);
	tw_close(&s);
}

#define VT_HEADER \
	"# LTT trace small, clock mono\n" \
	"# seconds [cpu] channel.marker: values\n"

static const char vt_text[] =
	"5.000000000 [000] a.int: v -1\n"
	"5.000000000 [000] b.k0: x bbc\n"
	"5.000000000 [000] b.k32: x 1\n"
	"5.000000010 [000] a.int: v 7\n"
	"5.000000010 [000] b.k31: value -3\n"
	"# lost 2 events cpu 1 channel a before 5.000000010\n"
	"5.000000010 [001] a.blob: size 2 data dead\n"
	"5.000000020 [000] a.str: s two\\nlines n 1\n"
	"6.000000000 [000] a.int: v 8\n"
	"# lost 4 events cpu 1 channel a before 7.000000000\n"
	"7.000000000 [001] a.str: s  n 0\n"
	"9.000000000 [000] a.int: v 9\n"
	"9.000000000 [000] a.none: nothing\n"
	"# lost 4 events cpu 1 channel a before 9.000000001\n"
	"1005.000000000 [000] b.k0: x 0\n";

static inline int vt_remove_one(const char *name, const struct stat *st, int flag,
				struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(name);
}

static inline void vt_remove(void)
{
	nftw(vt_dir, vt_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* The small trace; problems are not reported. */
/* Run the cases on the trace. Return: the status to exit with. */
static inline int vt_run(const struct ktap_case *cases, unsigned int nr)
{
	int status;

	vt_make();
	status = ktap_run(cases, nr);
	vt_remove();
	return status;
}

static inline struct libltt *vt_open(void)
{
	const char *dir = vt_dir;
	struct libltt *ltt = libltt_open(&dir, 1, NULL, NULL);

	if (!ltt)
		errx(1, "%s can't be opened", vt_dir);
	return ltt;
}

/**
 * struct vt_result - what became of reading a trace
 * @opened:	it could be opened; else @last says why not
 * @text:	its lines, without those in @corrupt; terminated
 * @len:	bytes of @text
 * @corrupt:	notices that something cannot be read, terminated
 * @errors:	problems of severity LIBLTT_ERROR
 * @notes:	others
 * @last:	the last problem
 */
struct vt_result {
	bool opened;
	char *text;
	size_t len;
	char *corrupt;
	unsigned long errors;
	unsigned long notes;
	struct libltt_problem last;
};

/* How to read. */
struct vt_ask {
	unsigned int flags;
	u64 begin;
	u64 end;
	const char *pattern;
	size_t step;	/* bytes taken at once */
};

static const struct vt_ask vt_everything = { .end = U64_MAX, .step = 4096 };

static inline void vt_report(const struct libltt_problem *problem, void *data)
{
	struct vt_result *result = data;

	result->last = *problem;
	if (problem->severity == LIBLTT_ERROR)
		result->errors++;
	else
		result->notes++;
	EXPECT(strlen(problem->text) && !strchr(problem->text, '\n'), "no text");
	EXPECT(strlen(problem->file), "no file");
}

/* Take the notices that something cannot be read out of @text. */
static inline void vt_split(struct vt_result *result)
{
	char *from = result->text, *to = from, *next;
	char *corrupt = calloc(1, result->len + 1);

	result->corrupt = corrupt;
	for (; *from; from = next) {
		next = strchrnul(from, '\n');
		next += *next == '\n';
		if (!strncmp(from, "# corrupt ", 10)) {
			corrupt = mempcpy(corrupt, from, next - from);
		} else {
			memmove(to, from, next - from);
			to += next - from;
		}
	}
	*to = '\0';
	result->len = to - result->text;
}

static inline struct vt_result vt_read_dirs(const char *const dirs[], unsigned int nr,
					    const struct vt_ask *ask)
{
	struct vt_result result = { .text = calloc(1, 1) };
	const struct libltt_options options = {
		.flags = ask->flags, .report = vt_report, .data = &result,
	};
	size_t room = ask->step;
	struct libltt *ltt;
	long n;

	ltt = libltt_open(dirs, nr, &options, &result.last);
	if (!ltt)
		return result;
	result.opened = true;
	if (ask->pattern) {
		libltt_select(ltt, NULL, NULL);
		EXPECT(!libltt_select(ltt, ask->pattern, NULL), "%s", ask->pattern);
	}
	EXPECT(!libltt_range(ltt, ask->begin, ask->end), "range");
	for (;;) {
		result.text = realloc(result.text, result.len + room + 1);
		if (!result.text)
			err(1, "text");
		n = libltt_text(ltt, result.text + result.len, room);
		if (n == -ENOSPC) {
			room *= 2;
			continue;
		}
		if (n <= 0)
			break;
		result.len += n;
	}
	EXPECT(!n, "error %ld", n);
	EXPECT(libltt_errors(ltt) == result.errors, "errors are not counted");
	result.text[result.len] = '\0';
	vt_split(&result);
	EXPECT(result.errors || !*result.corrupt, "%s", result.corrupt);
	libltt_close(ltt);
	return result;
}

static inline struct vt_result vt_read(const struct vt_ask *ask)
{
	const char *dir = vt_dir;

	return vt_read_dirs(&dir, 1, ask);
}

static inline void vt_done(struct vt_result *result)
{
	free(result->corrupt);
	free(result->text);
}

#endif /* _LTT_VIEW_TRACE_H */
