// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: what is large, several traces at once, and symbols.
 */
#include <errno.h>
#include <time.h>

#include "../../../../kernel/trace/textout/lib/render_user.h"
#include "../../../ltt/lib/symbols.h"
#include "view_trace.h"

static unsigned long long state = 77;

/* Hexadecimal digits that a blob of @size bytes with this @seed shows as. */
static char *put_dump(char *pos, const u8 *data, size_t size)
{
	while (size--)
		pos += sprintf(pos, "%02x", *data++);
	return pos;
}

/*
 * Events of all sizes, in packets that are as large as packets may be: they lie in
 * all ways across the places where a window ends.
 */
static void test_large(void)
{
	static const u32 sizes[] = { 1, 1000, 131072, 16383, 16384, 700000, 5, 131000, 2000000 };
	char *want = malloc(64 << 20), *pos = want;
	u8 *data = malloc(2000000 + ARRAY_SIZE(sizes));
	struct vt_result result;
	struct tw_stream s;
	unsigned int i, packet;
	u64 ts = 3 * VT_SEC;

	for (i = 0; i < 2000000 + ARRAY_SIZE(sizes); i++)
		data[i] = ktap_random(&state) >> 32;
	tw_open(&s, vt_dir, "large", 0, 9);
	for (packet = 0; packet < 2; packet++) {
		tw_begin(&s, ts);
		for (i = 0; i < ARRAY_SIZE(sizes); i++, ts += 1000) {
			vt_blob(&s, ts, data + i, sizes[i] - i % 2 * packet);
			pos += sprintf(pos, "3.%09llu [009] a.blob: size %u data ",
				       (unsigned long long)(ts - 3 * VT_SEC),
				       sizes[i] - i % 2 * packet);
			pos = put_dump(pos, data + i, sizes[i] - i % 2 * packet);
			*pos++ = '\n';
		}
		tw_end(&s, 0);
	}
	tw_close(&s);
	strcpy(pos, vt_text);

	result = vt_read(&vt_everything);
	EXPECT(!result.errors && !result.notes, "%s", result.last.text);
	EXPECT(!strcmp(result.text, want), "the text differs, %zu bytes, want %zu", result.len,
	       strlen(want));
	vt_done(&result);
	remove(vt_path("large_9"));
	remove(vt_path("index/large_9.idx"));
	free(data);
	free(want);
}

/* A stream of its own, the only packet of which is wrong from some place on. */
static void expect_rest_lost(const char *what, void (*fill)(struct tw_stream *s))
{
	struct vt_result result;
	struct tw_stream s;

	tw_open(&s, vt_dir, "bad", 0, 9);
	tw_begin(&s, 3 * VT_SEC);
	vt_int(&s, 3 * VT_SEC, 42);
	fill(&s);
	tw_end(&s, 4 * VT_SEC);
	/* What comes after is read again. */
	tw_begin(&s, 4 * VT_SEC);
	vt_int(&s, 4 * VT_SEC, 43);
	tw_end(&s, 0);
	tw_close(&s);
	result = vt_read(&vt_everything);
	EXPECT(result.errors == 1, "%s: %lu errors", what, result.errors);
	EXPECT_STR(result.last.file, vt_path("bad_9"));
	EXPECT(result.last.offset == sizeof(struct ltt_packet) + 8, "%s: offset %llu", what,
	       (unsigned long long)result.last.offset);
	EXPECT(!strncmp(result.text, "3.000000000 [009] a.int: v 42\n"
			"4.000000000 [009] a.int: v 43\n", 60), "%s: %.60s", what, result.text);
	EXPECT_STR(result.text + 60, vt_text);
	vt_done(&result);
	remove(vt_path("bad_9"));
	remove(vt_path("index/bad_9.idx"));
}

static void long_blob(struct tw_stream *s)
{
	tw_event(s, VT_BLOB, 3 * VT_SEC, "\xff\xff\xff\xff", 4);
}

static void long_string(struct tw_stream *s)
{
	char *text = malloc(3 << 20);

	memset(text, 'x', 3 << 20);
	tw_event(s, VT_STR, 3 * VT_SEC, text, 3 << 20);
	free(text);
}

static void unknown_event(struct tw_stream *s)
{
	tw_event(s, 0xffffffff, 3 * VT_SEC, "", 0);
}

static void late_event(struct tw_stream *s)
{
	u64 last = s->last;

	tw_event(s, VT_NONE, 4 * VT_SEC + 1, "", 0);
	s->last = last;
}

static void half_header(struct tw_stream *s)
{
	memset(s->packet + s->len, 0, 3);
	s->len += 3;
}

static void test_bad_events(void)
{
	expect_rest_lost("a blob without end", long_blob);
	expect_rest_lost("a string without end", long_string);
	expect_rest_lost("an unknown event", unknown_event);
	expect_rest_lost("an event after the packet", late_event);
	expect_rest_lost("half a header", half_header);
}

/*
 * LTT 0.1 stored no state before the bytes of a blob. Before LTT 0.3, 30 was an id like those
 * below it.
 */
static void test_old(void)
{
	static char metadata[VT_METADATA];
	struct vt_ask ask = vt_everything;
	struct vt_result result;
	struct tw_stream s;
	FILE *file;
	char *minor;
	size_t len;
	char path[sizeof(vt_dir)];

	strcpy(path, vt_dir);
	strncat(vt_dir, "/old", sizeof(vt_dir) - strlen(vt_dir) - 1);
	EXPECT(!mkdir(vt_dir, 0700) && !mkdir(vt_path("index"), 0700), "mkdir");
	vt_metadata("mono", 0);
	file = fopen(vt_path("metadata"), "r");
	len = fread(metadata, 1, sizeof(metadata) - 1, file);
	fclose(file);
	metadata[len] = '\0';
	minor = strstr(metadata, "tracer_minor = 3;");
	if (EXPECT(minor, "no version in the metadata")) {
		minor[strlen("tracer_minor = ")] = '1';
		vt_save("metadata", metadata, len);
	}
	tw_open(&s, vt_dir, "a", 0, 1);
	tw_begin(&s, 3 * VT_SEC);
	tw_event(&s, VT_BLOB, 3 * VT_SEC, "\2\0\0\0\xde\xad", 6);
	tw_event(&s, VT_BLOB, 3 * VT_SEC + 1, "\1\0\0\0", 5);
	tw_event(&s, VT_BLOB, 3 * VT_SEC + 2, "\3\0\0\0\2\1\0", 7);
	tw_end(&s, 4 * VT_SEC);
	tw_close(&s);
	tw_open(&s, vt_dir, "b", 1, 1);
	s.old = true;
	tw_begin(&s, 4 * VT_SEC);
	vt_wide(&s, LTT_ID_WIDE, 4 * VT_SEC, 0x1e);
	vt_wide(&s, LTT_ID_WIDE - 1, 4 * VT_SEC + 1, 29);
	vt_wide(&s, VT_WIDE, 4 * VT_SEC + 2, 0x20);
	tw_end(&s, 0);
	tw_close(&s);
	result = vt_read(&ask);
	EXPECT(!result.errors && !result.notes, "%s", result.last.text);
	EXPECT_STR(result.text, "3.000000000 [001] a.blob: size 2 data dead\n"
		   "3.000000001 [001] a.blob: size 1 data 00\n"
		   "3.000000002 [001] a.blob: size 3 data 020100\n"
		   "4.000000000 [001] b.k30: x 1e\n"
		   "4.000000001 [001] b.k29: value 29\n"
		   "4.000000002 [001] b.k32: x 20\n");
	vt_done(&result);
	remove(vt_path("a_1"));
	remove(vt_path("index/a_1.idx"));
	remove(vt_path("b_1"));
	remove(vt_path("index/b_1.idx"));
	remove(vt_path("index"));
	remove(vt_path("metadata"));
	remove(vt_dir);
	strcpy(vt_dir, path);
}

/* ---- several traces ------------------------------------------------------------- */

/* A directory within that of the trace is no part of it. */
static struct vt_result read_two(unsigned int flags, const char *clock, u64 real_offset)
{
	char first[sizeof(vt_dir)], second[128];
	const char *const dirs[] = { first, second };
	struct vt_ask ask = vt_everything;
	struct vt_result result;
	struct tw_stream s;

	strcpy(first, vt_dir);
	snprintf(second, sizeof(second), "%s/second", vt_dir);
	tw_mkdir(second);
	strcpy(vt_dir + strlen(vt_dir), "/second");
	vt_metadata(clock, real_offset);
	tw_open(&s, vt_dir, "a", 0, 0);
	tw_begin(&s, 5 * VT_SEC);
	vt_int(&s, 5 * VT_SEC, 1111);
	vt_int(&s, 7 * VT_SEC, 2222);
	tw_end(&s, 0);
	tw_close(&s);
	ask.flags = flags;
	result = vt_read_dirs(dirs, 2, &ask);
	vt_remove();
	strcpy(vt_dir, first);
	return result;
}

static unsigned int line_of(const char *text, const char *part)
{
	const char *end = strstr(text, part);
	unsigned int nr = 1;

	if (!end)
		return 0;
	for (; text < end; text++)
		nr += *text == '\n';
	return nr;
}

static void test_two_traces(void)
{
	const u64 offset = 1700000000ull * VT_SEC;
	struct vt_result result;

	result = read_two(0, "mono", offset + 1000);
	EXPECT(line_of(result.text, "5.000000000 [000] a.int: v 1111") == 2, "%s", result.text);
	EXPECT(line_of(result.text, "7.000000000 [000] a.int: v 2222") == 11, "%s", result.text);
	vt_done(&result);

	/* Other clocks, another boot: their times mean nothing to each other. */
	result = read_two(0, "tsc", offset);
	EXPECT(!result.opened && result.last.code == EINVAL, "%s", result.last.text);
	vt_done(&result);
	result = read_two(0, "mono", offset + 100 * VT_SEC);
	EXPECT(!result.opened && result.last.code == EINVAL, "%s", result.last.text);
	vt_done(&result);

	result = read_two(LIBLTT_WALL, "tsc", offset + 3 * VT_SEC);
	EXPECT(line_of(result.text, "1700000005.000000000 [000] a.int: v -1") == 1, "%s",
	       result.text);
	EXPECT(line_of(result.text, "1700000008.000000000 [000] a.int: v 1111") == 12, "%s",
	       result.text);
	vt_done(&result);
	result = read_two(LIBLTT_WALL, "counter", 0);
	EXPECT(!result.opened && result.last.code == EINVAL, "%s", result.last.text);
	vt_done(&result);
}

/* Times that are shown are those that ranges mean. */
static void test_wall_range(void)
{
	struct vt_ask ask = vt_everything;
	struct vt_result result;

	ask.flags = LIBLTT_WALL;
	ask.begin = 1700000005ull * VT_SEC + 20;
	ask.end = 1700000006ull * VT_SEC;
	result = vt_read(&ask);
	EXPECT_STR(result.text,
		   "1700000005.000000020 [000] a.str: s two\\nlines n 1\n"
		   "1700000006.000000000 [000] a.int: v 8\n");
	vt_done(&result);
}

/* ---- symbols -------------------------------------------------------------------- */

static const struct tw_kind sym[] = {
	{ "S", "%pS|%ps|%pB|%20pS|%-20ps|",
	  { TW_PTR, TW_PTR, TW_PTR, TW_PTR, TW_PTR }, 5 },
	{ "raw", "%p %px", { TW_PTR, TW_PTR }, 2 },
};

static const char kallsyms[] =
	"0000000000000000 A fixed_percpu_data\n"
	"0000000000001000 A gdt_page\n"
	"ffffffff81000000 T _stext\n"
	"ffffffff81000000 T _text\n"
	"ffffffff81000100 t do_one\n"
	"ffffffff81000180 t alias_one\n"
	"ffffffff81000180 T alias_two\n"
	"ffffffff81000200 T last\n"
	"ffffffff82000000 B _end\n"
	"ffffffffa0000000 t mod_first\t[mod_a]\n"
	"ffffffffa0000040 t mod_last\t[mod_a]\n"
	"ffffffffa0002000 d mod_data\t[mod_a]\n"
	"ffffffffa0008000 t other\t[mod_b]\n";

static struct vt_result read_symbol(u64 address)
{
	static char text[VT_METADATA];
	struct ltt_textbuf out = { .pos = text, .end = text + sizeof(text) };
	char first[sizeof(vt_dir)];
	u8 payload[40], *p = payload;
	struct vt_result result;
	struct tw_stream s;
	unsigned int i;

	strcpy(first, vt_dir);
	strcpy(vt_dir + strlen(vt_dir), "/sym");
	tw_mkdir(vt_dir);
	tw_metadata(&out, "symbols", "mono", 0);
	tw_channel(&out, 0, "sym", sym, ARRAY_SIZE(sym));
	vt_save("metadata", text, out.pos - text);
	if (mkdir(vt_path("symbols"), 0777))
		err(1, "symbols");
	vt_save("symbols/kallsyms", kallsyms, strlen(kallsyms));
	for (i = 0; i < 5; i++)
		p = tw_u64(p, address);
	tw_open(&s, vt_dir, "sym", 0, 0);
	tw_begin(&s, VT_SEC);
	tw_event(&s, 0, VT_SEC, payload, p - payload);
	tw_event(&s, 1, VT_SEC, payload, 16);
	tw_end(&s, 0);
	tw_close(&s);
	result = vt_read(&vt_everything);
	vt_remove();
	strcpy(vt_dir, first);
	return result;
}

/* What the kernel's sprint_symbol() and its relatives say of such a table. */
static void test_symbols(void)
{
	static const struct {
		u64 address;
		const char *text;
	} cases[] = {
		{
			0xffffffff81000000,
			"_stext+0x0/0x100|_stext|0xffffffff81000000|    _stext+0x0/0x100|_stext              |",
		},
		{
			0xffffffff81000123,
			"do_one+0x23/0x80|do_one|do_one+0x23/0x80|    do_one+0x23/0x80|do_one              |",
		},
		{
			0xffffffff81000180,
			"alias_one+0x0/0x80|alias_one|do_one+0x80/0x80|  alias_one+0x0/0x80|alias_one           |",
		},
		{
			0xffffffff81fffff0,
			"last+0xfffdf0/0xfffe00|last|last+0xfffdf0/0xfffe00|last+0xfffdf0/0xfffe00|last                |",
		},
		{
			0xffffffffa0000001,
			"mod_first+0x1/0x40 [mod_a]|mod_first [mod_a]|mod_first+0x1/0x40 [mod_a]|mod_first+0x1/0x40 [mod_a]|mod_first [mod_a]   |",
		},
		{
			0xffffffffa0000044,
			"mod_last+0x4/0xfc0 [mod_a]|mod_last [mod_a]|mod_last+0x4/0xfc0 [mod_a]|mod_last+0x4/0xfc0 [mod_a]|mod_last [mod_a]    |",
		},
		{
			0xffffffffa0008008,
			"other+0x8/0x1000 [mod_b]|other [mod_b]|other+0x8/0x1000 [mod_b]|other+0x8/0x1000 [mod_b]|other [mod_b]       |",
		},
		{
			0x1234,
			"0x1234|0x1234|0x1234|              0x1234|0x1234              |",
		},
		{
			0,
			"0x0|0x0|0x0|                 0x0|0x0                 |",
		},
		{
			0xffffffff82000000,
			"0xffffffff82000000|0xffffffff82000000|last+0xfffe00/0xfffe00|  0xffffffff82000000|0xffffffff82000000  |",
		},
	};
	struct vt_result result;
	unsigned int i;
	char want[512];

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		result = read_symbol(cases[i].address);
		snprintf(want, sizeof(want),
			 "1.000000000 [000] sym.S: %s\n1.000000000 [000] sym.raw: %016llx %016llx\n",
			 cases[i].text, (unsigned long long)cases[i].address,
			 (unsigned long long)cases[i].address);
		EXPECT_STR(result.text, want);
		EXPECT(!result.errors, "%s", result.last.text);
		vt_done(&result);
	}
}

/*
 * Two modules in the same place, one after the other, the first with an init function that
 * was where the second one is later; a third that is known by name only; what is told of
 * twice; and a line that was cut short.
 */
static const char modules[] =
	"# module NAME NUMBER FROM TO, piece BEGIN END, ADDRESS SIZE SYMBOL\n"
	"module one 7 0 -\n"
	"piece ffffffffa0000000 ffffffffa0001000\n"
	"piece ffffffffa0004000 ffffffffa0005000\n"
	"ffffffffa0000010 20 one_first\n"
	"ffffffffa0000030 fd0 one_last\n"
	"module one 8 1000000000 1500000000\n"
	"piece ffffffffa0008000 ffffffffa0009000\n"
	"ffffffffa0008000 1000 one_init\n"
	"module one 7 0 2000000000\n"
	"piece ffffffffa0000000 ffffffffa0001000\n"
	"piece ffffffffa0004000 ffffffffa0005000\n"
	"ffffffffa0000010 20 one_first\n"
	"ffffffffa0000030 fd0 one_last\n"
	"module two 9 3000000000 -\n"
	"piece ffffffffa0000000 ffffffffa0009000\n"
	"ffffffffa0000000 40 two_first\n"
	"ffffffffa0000040 8fc0 two_last\n"
	"module gone 10 1000000000 2000000000\n"
	"piece ffffffffa0010000 ffffffffa0011000\n"
	"module two 9 3000000000 4000000000\n"
	"piece ffffffffa0000000 ffffffffa0009000\n"
	"ffffffffa0000000 40 two_fir";

static const char more_kallsyms[] =
	"ffffffffa0000000 t mod_first\t[mod_a]\n"
	"ffffffffa0003000 t bpf_prog\t[bpf]\n"
	"ffffffffa0003010 t bpf_other\t[bpf]\n";

/**
 * struct when - what an address is at some time
 * @time:	ns
 * @address:	the address
 * @text:	what %pS shows
 */
struct when {
	u64 time;
	u64 address;
	const char *text;
};

/* A trace, in a directory of its own, with these symbols; %pS shows of addresses what it should. */
static void expect_times(const char *kernel, const char *timed, const struct when *cases,
			 unsigned int nr)
{
	static const struct tw_kind kind[] = { { "S", "%pS", { TW_PTR }, 1 } };
	static char text[VT_METADATA];
	struct ltt_textbuf out = { .pos = text, .end = text + sizeof(text) };
	char want[4096], *pos = want;
	struct vt_result result;
	struct tw_stream s;
	unsigned int i;
	u8 payload[8];

	tw_mkdir(vt_dir);
	tw_metadata(&out, "times", "mono", 0);
	tw_channel(&out, 0, "sym", kind, ARRAY_SIZE(kind));
	vt_save("metadata", text, out.pos - text);
	if (mkdir(vt_path("symbols"), 0777))
		err(1, "symbols");
	vt_save("symbols/kallsyms", kernel, strlen(kernel));
	vt_save("symbols/modules", timed, strlen(timed));
	tw_open(&s, vt_dir, "sym", 0, 0);
	tw_begin(&s, VT_SEC);
	for (i = 0; i < nr; i++) {
		tw_u64(payload, cases[i].address);
		tw_event(&s, 0, cases[i].time, payload, sizeof(payload));
		pos += sprintf(pos, "%llu.%09llu [000] sym.S: %s\n",
			       (unsigned long long)cases[i].time / VT_SEC,
			       (unsigned long long)cases[i].time % VT_SEC, cases[i].text);
	}
	tw_end(&s, 0);
	tw_close(&s);
	result = vt_read(&vt_everything);
	EXPECT_STR(result.text, want);
	EXPECT(!result.errors, "%s", result.last.text);
	vt_done(&result);
}

/* An address is what it was when the event was recorded. */
static void test_symbol_times(void)
{
	static const struct when cases[] = {
		{ VT_SEC, 0xffffffffa0000014, "one_first+0x4/0x20 [one]" },
		{ VT_SEC, 0xffffffffa0000031, "one_last+0x1/0xfd0 [one]" },
		{ VT_SEC, 0xffffffffa0000004, "[one]+0x4" },
		{ VT_SEC, 0xffffffffa0008004, "one_init+0x4/0x1000 [one]" },
		{ VT_SEC, 0xffffffffa0010123, "[gone]+0x123" },
		{ VT_SEC, 0xffffffffa0003004, "bpf_prog+0x4/0x10 [bpf]" },
		{ VT_SEC, 0xffffffff81000123, "do_one+0x23/0x80" },
		{ 15 * VT_SEC / 10, 0xffffffffa0008004, "one_init+0x4/0x1000 [one]" },
		{ 16 * VT_SEC / 10, 0xffffffffa0008004, "0xffffffffa0008004" },
		{ 2 * VT_SEC, 0xffffffffa0000014, "one_first+0x4/0x20 [one]" },
		{ 2 * VT_SEC + 1, 0xffffffffa0000014, "0xffffffffa0000014" },
		{ 3 * VT_SEC - 1, 0xffffffffa0000014, "0xffffffffa0000014" },
		{ 3 * VT_SEC, 0xffffffffa0000014, "two_first+0x14/0x40 [two]" },
		{ 3 * VT_SEC, 0xffffffffa0008004, "two_last+0x7fc4/0x8fc0 [two]" },
		{ 4 * VT_SEC, 0xffffffffa0000040, "two_last+0x0/0x8fc0 [two]" },
		{ 5 * VT_SEC, 0xffffffffa0000014, "0xffffffffa0000014" },
	};
	char text[4096], first[sizeof(vt_dir)];
	struct vt_result result;

	strcpy(first, vt_dir);
	strcpy(vt_dir + strlen(vt_dir), "/times");
	snprintf(text, sizeof(text), "%s%s", kallsyms, more_kallsyms);
	expect_times(text, modules, cases, ARRAY_SIZE(cases));

	/* Nonsense is told, and no symbol is believed. */
	vt_save("symbols/modules", "ffffffffa0000000 10 x\n", 22);
	result = vt_read(&vt_everything);
	EXPECT(result.errors == 1, "errors %u", (unsigned int)result.errors);
	EXPECT(strstr(result.text, "sym.S: 0xffffffff81000123\n"), "%s", result.text);
	vt_done(&result);
	vt_remove();
	strcpy(vt_dir, first);
}

/* What was told last of a module lacks its memory, or some of it: it was where it had been. */
static void test_cut_short(void)
{
	static const char whole[] =
		"module one 7 0 -\n"
		"piece ffffffffa0000000 ffffffffa0001000\n"
		"piece ffffffffa0004000 ffffffffa0005000\n"
		"ffffffffa0000010 20 one_first\n"
		"ffffffffa0000030 fd0 one_last\n";
	static const char *const rest[] = {
		"module one 7 0 2000000000\n",
		"module one 7 0 2000000000\npiece ffffffffa0000000 ffffff",
		"module one 7 0 2000000000\npiece ffffffffa0000000 ffffffffa0001000\n",
		"module one 7 0 -\nmodule one 7 0 2000000000\n",
	};
	static const struct when cases[] = {
		{ VT_SEC, 0xffffffffa0000014, "one_first+0x4/0x20 [one]" },
		{ VT_SEC, 0xffffffffa0004004, "[one]+0x4004" },
		{ 2 * VT_SEC, 0xffffffffa0000014, "one_first+0x4/0x20 [one]" },
		{ 2 * VT_SEC + 1, 0xffffffffa0000014, "0xffffffffa0000014" },
	};
	char text[4096], first[sizeof(vt_dir)];
	unsigned int i;

	strcpy(first, vt_dir);
	for (i = 0; i < ARRAY_SIZE(rest); i++) {
		strcpy(vt_dir + strlen(vt_dir), "/cut");
		snprintf(text, sizeof(text), "%s%s", whole, rest[i]);
		expect_times(kallsyms, text, cases, ARRAY_SIZE(cases));
		vt_remove();
		strcpy(vt_dir, first);
	}
}

/* The last symbol of a table that has room for no other one. */
static void test_full_table(void)
{
	static const struct when cases[] = {
		{ VT_SEC, 0xffffffffb0000004, "prog_0+0x4/0x10 [bpf]" },
		{ VT_SEC, 0xffffffffb0003ff4, "prog_1023+0x4/0x10 [bpf]" },
		{ VT_SEC, 0xffffffffb0004000, "0xffffffffb0004000" },
		{ VT_SEC, 0xffffffffb0006000, "0xffffffffb0006000" },
	};
	char *text = malloc(sizeof(kallsyms) + 1024 * 64), *pos = text, first[sizeof(vt_dir)];
	unsigned int i;

	strcpy(first, vt_dir);
	strcpy(vt_dir + strlen(vt_dir), "/full");
	pos += sprintf(pos, "%s", kallsyms);
	for (i = 0; i < 1024; i++)
		pos += sprintf(pos, "%llx t prog_%u\t[bpf]\n", 0xffffffffb0000000ull + 16 * i, i);
	expect_times(text, modules, cases, ARRAY_SIZE(cases));
	vt_remove();
	strcpy(vt_dir, first);
	free(text);
}

/* Metadata in a new directory @dir: channel c, with @context or NULL, and kinds of events. */
static void put_metadata(const char *dir, const char *name, const struct ltt_context *context,
			 const struct tw_kind *kinds, unsigned int nr)
{
	char text[65536], error[LTT_FORMAT_ERROR];
	struct ltt_textbuf out = { .pos = text, .end = text + sizeof(text) };
	struct ltt_format *format;
	unsigned int i;
	FILE *file;

	tw_mkdir(dir);
	tw_metadata(&out, name, "mono", 0);
	EXPECT(!ltt_metadata_stream(&out, 0, "c", context), "the metadata are too long");
	for (i = 0; i < nr; i++) {
		format = ltt_format_parse(kinds[i].format, kinds[i].types, kinds[i].nr, error);
		EXPECT(!ltt_metadata_event(&out, 0, i, "c", kinds[i].name, kinds[i].format,
					   kinds[i].types, format), "the metadata are too long");
		ltt_format_free(format);
	}
	file = tw_create(dir, "metadata");
	tw_put(file, text, out.pos - text);
	fclose(file);
}

/* ---- contexts ------------------------------------------------------------------- */

/* Two kinds of events, with fields and without, in a channel with a context. */
static void make_context_trace(const char *dir)
{
	static const struct tw_kind kinds[] = {
		{ "pair", "text %s n %u", { TW_STR, TW_INT(2, 0) }, 2 },
		{ "bare", "nothing", { }, 0 },
	};
	static const u32 types[] = { TW_STR, TW_INT(4, TW_S) };
	/* Context, then fields. */
	static const u8 pair[] = {
		'b', 'a', 's', 'h', 0, 0xff, 0xff, 0xff, 0xff,
		'a', 'b', 'c', 0, LTT_HOST_BE ? 0 : 7, LTT_HOST_BE ? 7 : 0,
	};
	char error[LTT_FORMAT_ERROR];
	struct ltt_context context = { "comm %s nice %d", 2, types, NULL, 0 };
	struct tw_stream s;

	context.format = ltt_format_parse(context.text, types, 2, error);
	put_metadata(dir, "context", &context, kinds, ARRAY_SIZE(kinds));
	ltt_format_free(context.format);

	tw_open(&s, dir, "c", 0, 0);
	tw_begin(&s, VT_SEC);
	tw_event(&s, 0, VT_SEC, pair, sizeof(pair));
	tw_event(&s, 1, VT_SEC + 1, pair, 9);
	tw_end(&s, 0);
	tw_close(&s);
}

static void test_contexts(void)
{
	static const char *const names[] = { "text", "n", "comm", "nice" };
	static const char *const lines[] = {
		"1.000000000 [000] c.pair: text abc n 7 comm bash nice -1\n",
		"1.000000001 [000] c.bare: nothing comm bash nice -1\n",
	};
	char first[128], line[1024];
	const char *const dirs[] = { first };
	struct libltt_problem problem;
	struct libltt_value value[4];
	struct libltt_event event;
	struct libltt *ltt;
	unsigned int i;
	long len;

	snprintf(first, sizeof(first), "%s/context", vt_dir);
	make_context_trace(first);
	ltt = libltt_open(dirs, 1, NULL, &problem);
	if (!EXPECT(ltt, "%s", problem.text))
		return;
	EXPECT(libltt_next(ltt, &event) == 1 && event.kind->nr_fields == 4, "the first");
	for (i = 0; i < 4; i++) {
		EXPECT(!libltt_field(&event, i, &value[i]), "field %u", i);
		EXPECT_STR(value[i].name, names[i]);
	}
	EXPECT_STR(value[0].text, "abc");
	EXPECT(value[1].u == 7, "n %llu", (unsigned long long)value[1].u);
	EXPECT_STR(value[2].text, "bash");
	EXPECT(value[3].type == LIBLTT_SIGNED && value[3].i == -1, "nice");
	EXPECT(libltt_field(&event, 4, &value[0]) == -EINVAL, "a fifth field");
	for (i = 0; i < 2; i++) {
		len = libltt_line(ltt, &event, line, sizeof(line));
		EXPECT(len > 0, "no line");
		line[max(len, 0l)] = '\0';
		EXPECT_STR(line, lines[i]);
		if (!i)
			EXPECT(libltt_next(ltt, &event) == 1 && event.kind->nr_fields == 2,
			       "the second");
	}
	EXPECT(!libltt_field(&event, 1, &value[0]) && value[0].i == -1, "of the second");
	EXPECT(!libltt_next(ltt, &event), "a third");
	libltt_close(ltt);
	remove(vt_path("context/c_0"));
	remove(vt_path("context/index/c_0.idx"));
	remove(vt_path("context/index"));
	remove(vt_path("context/metadata"));
	remove(vt_path("context"));
}

/* ---- strings in arrays ------------------------------------------------------------ */

static void make_array_trace(const char *dir)
{
	static const struct tw_kind kind = {
		"names", "a %s[4] b %s[4] c %c[4] d %.2s[4] e %.1s",
		{ TW_SEQ(1, 0), TW_SEQ(1, TW_S), TW_SEQ(1, 0), TW_SEQ(1, 0), TW_STR }, 5,
	};
	struct tw_stream s;

	put_metadata(dir, "arrays", NULL, &kind, 1);
	tw_open(&s, dir, "c", 0, 0);
	tw_begin(&s, VT_SEC);
	tw_event(&s, 0, VT_SEC, (const u8 *)"x\0yzfullc\0d\0cutxtwo", 20);
	tw_end(&s, 0);
	tw_close(&s);
}

/* Values have what is shown; what has no NUL behind that is not said to be terminated. */
static void test_string_arrays(void)
{
	char first[128], line[256];
	const char *const dirs[] = { first };
	struct libltt_problem problem;
	struct libltt_value value;
	struct libltt_event event;
	struct libltt *ltt;
	long len;

	snprintf(first, sizeof(first), "%s/arrays", vt_dir);
	make_array_trace(first);
	ltt = libltt_open(dirs, 1, NULL, &problem);
	if (!EXPECT(ltt, "%s", problem.text))
		return;
	EXPECT(libltt_next(ltt, &event) == 1, "no event");
	len = libltt_line(ltt, &event, line, sizeof(line));
	line[max(len, 0l)] = '\0';
	EXPECT_STR(line, "1.000000000 [000] c.names: a x b full c c\\x00d d cu e t\n");
	EXPECT(!libltt_field(&event, 0, &value) && value.type == LIBLTT_STRING &&
	       value.count == 1, "type %d of %zu bytes", value.type, (size_t)value.count);
	EXPECT_STR(value.text, "x");
	EXPECT(!libltt_field(&event, 1, &value) && value.type == LIBLTT_BYTES &&
	       value.count == 4 && !memcmp(value.bytes, "full", 4), "not the array");
	EXPECT(!libltt_field(&event, 2, &value) && value.type == LIBLTT_BYTES &&
	       value.count == 3 && !memcmp(value.bytes, "c\0d", 3), "characters");
	EXPECT(!libltt_field(&event, 3, &value) && value.type == LIBLTT_BYTES &&
	       value.count == 2 && !memcmp(value.bytes, "cu", 2), "a part of an array");
	EXPECT(!libltt_field(&event, 4, &value) && value.type == LIBLTT_BYTES &&
	       value.count == 1 && *value.bytes == 't', "a part of a string");
	libltt_close(ltt);
	remove(vt_path("arrays/c_0"));
	remove(vt_path("arrays/index/c_0.idx"));
	remove(vt_path("arrays/index"));
	remove(vt_path("arrays/metadata"));
	remove(vt_path("arrays"));
}

/* ---- many modules ------------------------------------------------------------ */

#define MODULES		200000u
#define QUESTIONS	20000u
#define MODULES_AT	0xffffffffa0000000ull

/* A module that was in one piece of memory for some time. */
struct loaded {
	u64 begin;
	u64 end;
	u64 from;
	u64 to;
};

static struct lib_modules *load_modules(const struct loaded *loaded, unsigned int nr)
{
	struct lib_modules *modules = NULL;
	FILE *file = fopen(vt_path("modules"), "w");
	unsigned int i;
	int err;

	for (i = 0; i < nr; i++)
		fprintf(file, "module m%u %u %llu %llu\npiece %llx %llx\n", i, i, loaded[i].from,
			loaded[i].to, loaded[i].begin, loaded[i].end);
	fclose(file);
	err = lib_modules_load(vt_path("modules"), &modules, NULL);
	EXPECT(!err, "error %d", err);
	remove(vt_path("modules"));
	return modules;
}

/* The module that came last; of those at the same time, the one that begins last. */
static unsigned int who(const struct loaded *loaded, unsigned int nr, u64 address, u64 time)
{
	unsigned int i, found = nr;

	for (i = 0; i < nr; i++) {
		if (address >= loaded[i].begin && address < loaded[i].end &&
		    time >= loaded[i].from && time <= loaded[i].to &&
		    (found == nr || loaded[i].from > loaded[found].from ||
		     (loaded[i].from == loaded[found].from &&
		      loaded[i].begin >= loaded[found].begin)))
			found = i;
	}
	return found;
}

/* What is found among modules anywhere is what is found by looking at all of them. */
static void test_any_modules(void)
{
	unsigned long long seed = 88172645463325252ull;
	unsigned int round, i, nr, want;
	struct lib_modules *modules;
	struct loaded loaded[100];
	struct ltt_symbol symbol;
	char name[16];
	bool found;

	for (round = 0; round < 100; round++) {
		nr = 1 + ktap_random(&seed) % ARRAY_SIZE(loaded);
		for (i = 0; i < nr; i++) {
			loaded[i].begin = ktap_random(&seed) % 100;
			loaded[i].end = loaded[i].begin + 1 + ktap_random(&seed) % 30;
			loaded[i].from = ktap_random(&seed) % 20;
			loaded[i].to = loaded[i].from + ktap_random(&seed) % 20;
		}
		modules = load_modules(loaded, nr);
		for (i = 0; i < 130 * 40; i++) {
			want = who(loaded, nr, i % 130, i / 130);
			found = lib_modules_find(modules, i % 130, i / 130, &symbol);
			snprintf(name, sizeof(name), "m%u", want);
			EXPECT(found == (want < nr) && (!found || !strcmp(symbol.module, name)),
			       "%u at %u: not %s of %u", i % 130, i / 130, name, nr);
		}
		lib_modules_free(modules);
	}
}

/* Seconds of this process for QUESTIONS questions. */
static double ask(const struct loaded *loaded)
{
	struct lib_modules *modules = load_modules(loaded, MODULES);
	struct ltt_symbol symbol;
	unsigned int i, nr;
	clock_t begin = clock();
	char name[16];

	for (i = 0; i < QUESTIONS; i++) {
		nr = MODULES - 1 - i;
		snprintf(name, sizeof(name), "m%u", nr);
		EXPECT(lib_modules_find(modules, loaded[nr].begin, loaded[nr].from, &symbol) &&
		       !strcmp(symbol.module, name), "not %s", name);
		EXPECT(!lib_modules_find(modules, loaded[nr].begin, loaded[nr].to + 1, &symbol),
		       "%s has gone", name);
	}
	lib_modules_free(modules);
	return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

/* A large module at another time, or many of them in one place, cost no search. */
static void test_many_modules(void)
{
	static struct loaded loaded[MODULES];
	static const char absurd[] = "module m 1 0 -\npiece 1 ffffffffffffffff\n";
	struct lib_modules *modules = NULL;
	unsigned int i;
	double took;

	for (i = 0; i < MODULES; i++) {
		loaded[i].begin = MODULES_AT + 64ull * i;
		loaded[i].end = loaded[i].begin + 64;
		loaded[i].from = 1000;
		loaded[i].to = 2000;
	}
	loaded[0] = (struct loaded){ MODULES_AT, MODULES_AT + (1u << 30), 1, 2 };
	took = ask(loaded);
	EXPECT(took < 5, "%.1f s with a large one", took);

	for (i = 0; i < MODULES; i++)
		loaded[i] = (struct loaded){ MODULES_AT, MODULES_AT + 64, 10 * i, 10 * i + 5 };
	took = ask(loaded);
	EXPECT(took < 5, "%.1f s in one place", took);

	vt_save("modules", absurd, strlen(absurd));
	EXPECT(lib_modules_load(vt_path("modules"), &modules, NULL) == -EBADMSG, "no module");
	remove(vt_path("modules"));
}

static const struct ktap_case cases[] = {
	{ "large packets and events", test_large },
	{ "contexts", test_contexts },
	{ "strings in arrays", test_string_arrays },
	{ "events that can't be", test_bad_events },
	{ "traces of older versions", test_old },
	{ "two traces", test_two_traces },
	{ "a range of wall-clock times", test_wall_range },
	{ "symbols", test_symbols },
	{ "symbols of modules in the same place", test_symbol_times },
	{ "a module told of a second time, in part", test_cut_short },
	{ "modules anywhere", test_any_modules },
	{ "many modules, found in little time", test_many_modules },
	{ "as many symbols as there is room for", test_full_table },
};

int main(void)
{
	return vt_run(cases, ARRAY_SIZE(cases));
}
