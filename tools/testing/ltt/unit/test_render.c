// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the renderer, against the C library's snprintf() and inet_ntop(), fixed
 * lines, and hostile input.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/ltt/context.h>
#include <linux/ltt/unaligned.h>

#include "../../../../kernel/trace/textout/lib/style.h"
#include "ktap.h"
#include "type_codes.h"

struct data {
	const void *p;
	size_t size;
};

/* A string literal without its NUL. */
#define DATA(text)	((struct data){ text, sizeof(text) - 1 })

/* Integers of 8 bytes. */
#define WORDS(...)	((struct data){ (u64[]){ __VA_ARGS__ }, sizeof((u64[]){ __VA_ARGS__ }) })

#define START		"1234.567890123 [003] c.m: "
#define TS		1234567890123ull

static struct ltt_event_text *program(const char *channel, const char *marker,
				      const struct ltt_format *format,
				      const struct ltt_format *context)
{
	const struct ltt_text_kind kind = {
		.channel = channel, .marker = marker, .format = format, .context = context,
	};

	return ltt_event_text_create(&ltt_style_format, &kind);
}

static int put_lost(struct ltt_textbuf *out, u64 lost, u32 cpu, const char *channel, u64 ts)
{
	const struct ltt_text_place place = { .cpu = cpu, .channel = channel, .ts = ts };

	out->style = &ltt_style_format;
	return ltt_style_lost(out, &place, lost);
}

/*
 * Show one event. Payload and output are exactly as large as said, so that accesses
 * beyond them are found. @margin bytes follow the payload.
 */
static long show(char *got, size_t size, const char *format, struct types types,
		 struct data data, size_t margin, bool swap)
{
	char error[LTT_FORMAT_ERROR];
	struct ltt_event_text *text;
	struct ltt_cpu_text cpu;
	struct ltt_format *f;
	struct ltt_textbuf out;
	char *buf = malloc(size ?: 1);
	size_t avail = data.size + margin;
	u8 *payload = malloc(avail ?: 1);
	long ret;

	memset(payload, 0xa5, avail);
	memcpy(payload, data.p, data.size);
	f = ltt_format_parse(format, types.type, types.nr, error);
	if (!EXPECT(!IS_ERR(f), "'%s': %s", format, error))
		return -EINVAL;
	text = program("c", "m", f, NULL);
	ltt_cpu_text_init(&cpu, 3);
	ltt_textbuf_init(&out, buf, size);
	ret = ltt_render_event(&out, text, &cpu, TS, payload, avail, swap);
	if (ret >= 0)
		EXPECT(ret == ltt_payload_size(f, payload, avail, swap), "'%s': %ld bytes",
		       format, ret);
	else
		EXPECT(out.pos == buf, "moved after an error");
	memcpy(got, buf, out.pos - buf);
	got[out.pos - buf] = '\0';
	ltt_event_text_free(text);
	ltt_format_free(f);
	free(buf);
	free(payload);
	return ret;
}

/* With nothing behind the payload, and with something. */
static void line(const char *format, struct types types, struct data data, bool swap,
		 const char *want)
{
	char got[8192], all[8192];
	size_t margin;
	long ret;

	snprintf(all, sizeof(all), START "%s\n", want);
	for (margin = 0; margin <= 9; margin += 3) {
		ret = show(got, sizeof(got), format, types, data, margin, swap);
		EXPECT(ret == (long)data.size, "'%s': %ld of %zu bytes", format, ret, data.size);
		EXPECT_STR(got, all);
	}
}

static void test_line(void)
{
	line("prev_pid %d next_pid %d prev_state %ld", TYPES(SINT(4), SINT(4), SINT(8)),
	     DATA("\x11\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0"), LTT_HOST_BE,
	     "prev_pid 17 next_pid 0 prev_state 1");
	line("nothing\n", TYPES(), DATA(""), false, "nothing");
	line("", TYPES(), DATA(""), false, "");
	line("100%% \x1b[2J %d", TYPES(SINT(1)), DATA("\xff"), false, "100% \\x1b[2J -1");
}

/* An event with a context, of which @avail bytes may be read. */
static long with_context(const char *format, struct types types, const char *context,
			 struct types context_types, struct data data, size_t avail,
			 size_t room, char *got)
{
	char error[LTT_FORMAT_ERROR];
	struct ltt_format *f = ltt_format_parse(format, types.type, types.nr, error);
	struct ltt_format *c = ltt_format_parse(context, context_types.type,
						context_types.nr, error);
	struct ltt_event_text *text = program("c", "m", f, c);
	u8 *payload = malloc(avail ?: 1);
	char *buf = malloc(room ?: 1);
	struct ltt_cpu_text cpu;
	struct ltt_textbuf out;
	long ret;

	memcpy(payload, data.p, avail);
	ltt_cpu_text_init(&cpu, 3);
	ltt_textbuf_init(&out, buf, room);
	ret = ltt_render_event(&out, text, &cpu, TS, payload, avail, LTT_HOST_BE);
	EXPECT(ret < 0 || ret == ltt_event_size(c, f, payload, avail, LTT_HOST_BE), "size");
	EXPECT(ret >= 0 || out.pos == buf, "moved after an error");
	memcpy(got, buf, out.pos - buf);
	got[out.pos - buf] = '\0';
	ltt_event_text_free(text);
	ltt_format_free(f);
	ltt_format_free(c);
	free(buf);
	free(payload);
	return ret;
}

/* It is stored before the fields and shown behind them. */
static void test_context(void)
{
	const struct data both = DATA("\7\0\0\0bash\0*\0text\0");
	const struct data alone = DATA("\x02\0\0\0\x10\0\0\0\0\0\0\0\x20\0\0\0\0\0\0\0");
	const char *want = START "x 42 s text! tid 7 comm bash\n";
	char got[8192];
	size_t n;
	long ret;

	for (n = 0; n <= both.size; n++) {
		ret = with_context("x %u s %s!", TYPES(INT(2), CPTR), "tid %d comm %s",
				   TYPES(SINT(4), CPTR), both, n, sizeof(got), got);
		EXPECT(ret == (n < both.size ? -EBADMSG : (long)both.size), "%zu: %ld", n, ret);
	}
	EXPECT_STR(got, want);
	for (n = 0; n < strlen(want) + LTT_RENDER_SPARE; n++) {
		ret = with_context("x %u s %s!", TYPES(INT(2), CPTR), "tid %d comm %s",
				   TYPES(SINT(4), CPTR), both, both.size, n, got);
		EXPECT(ret == -ENOSPC || (ret == (long)both.size && !strcmp(got, want)),
		       "%zu bytes of room: %ld", n, ret);
	}
	EXPECT(ret == (long)both.size, "the room is enough");
	EXPECT(with_context("", TYPES(), "stack %#lx", TYPES(SEQ(8)), alone, alone.size,
			    sizeof(got), got) == (long)alone.size, "no fields");
	EXPECT_STR(got, START "stack [0x10,0x20]\n");
	EXPECT(!with_context("text", TYPES(), "nothing", TYPES(), alone, 0, sizeof(got), got),
	       "no bytes");
	EXPECT_STR(got, START "text nothing\n");
}

static void time_line(u64 ts, u32 cpu_nr, const char *want)
{
	char error[LTT_FORMAT_ERROR], buf[256];
	struct ltt_format *f = ltt_format_parse("", NULL, 0, error);
	struct ltt_event_text *text = program("c\n", "m\\", f, NULL);
	struct ltt_cpu_text cpu;
	struct ltt_textbuf out;

	ltt_cpu_text_init(&cpu, cpu_nr);
	ltt_textbuf_init(&out, buf, sizeof(buf));
	EXPECT(!ltt_render_event(&out, text, &cpu, ts, (u8 *)"", 0, false), "time");
	EXPECT(out.pos[-1] == '\n', "no newline");
	out.pos[-1] = '\0';
	EXPECT_STR(buf, want);
	ltt_event_text_free(text);
	ltt_format_free(f);
}

static void test_time(void)
{
	unsigned long long state = 3;
	char buf[256], want[128];
	struct ltt_textbuf out;
	unsigned int i;

	time_line(0, 0, "0.000000000 [000] c\\n.m\\\\: ");
	time_line(999999999, 12, "0.999999999 [012] c\\n.m\\\\: ");
	time_line(1000000000, 999, "1.000000000 [999] c\\n.m\\\\: ");
	time_line(~0ull, ~0u, "18446744073.709551615 [4294967295] c\\n.m\\\\: ");

	/* Forwards and backwards, within and across seconds. */
	ltt_textbuf_init(&out, buf, sizeof(buf));
	for (i = 0; i < 200000; i++) {
		u64 ts = ktap_random(&state) >> ktap_random(&state) % 40;

		out.pos = buf;
		EXPECT(!put_lost(&out, i, 3, "sched", ts), "room");
		*out.pos = '\0';
		snprintf(want, sizeof(want),
			 "# lost %u events cpu 3 channel sched before %llu.%09llu\n", i,
			 (unsigned long long)ts / 1000000000, (unsigned long long)ts % 1000000000);
		EXPECT_STR(buf, want);
	}

	for (i = 0; i < sizeof(buf); i++) {
		ltt_textbuf_init(&out, buf, i);
		if (put_lost(&out, 12, 3, "a\nb", TS))
			EXPECT(out.pos == buf, "moved after an error");
		else
			break;
	}
	*out.pos = '\0';
	EXPECT_STR(buf, "# lost 12 events cpu 3 channel a\\nb before 1234.567890123\n");
}

/*
 * Random conversions and values against snprintf(), where the kernel does the same:
 * see ltt_put_number() for where it does not.
 */
static void test_integers(void)
{
	static const struct {
		const char *length;
		unsigned int size;
	} lengths[] = { { "hh", 1 }, { "h", 2 }, { "", 4 }, { "l", 8 }, { "ll", 8 }, { "z", 8 } };
	unsigned long long state = 77;
	unsigned int i;

	for (i = 0; i < 40000; i++) {
		unsigned int l = ktap_random(&state) % ARRAY_SIZE(lengths);
		unsigned int most = max(lengths[l].size, 4u), size;
		bool is_signed = ktap_random(&state) % 2, be, swap, prec = false;
		char conv = "diuxXo"[ktap_random(&state) % 6];
		u64 v = ktap_random(&state) >> ktap_random(&state) % 64, promoted;
		char spec[32] = "%", format[40], want[8200], got[8300];
		u8 data[8];
		unsigned int j;

		do
			size = 1 << ktap_random(&state) % 4;
		while (size > most);
		if (ktap_random(&state) % 8 == 0)
			v = ktap_random(&state) % 3 - 1;

		/* Stored in any order; read as what it was stored as. */
		be = ktap_random(&state) % 2;
		swap = ktap_random(&state) % 2;
		for (j = 0; j < size; j++) {
			bool big = size > 1 && be ? true : swap != LTT_HOST_BE;

			data[big ? size - 1 - j : j] = v >> 8 * j;
		}
		promoted = v << (64 - 8 * size);
		promoted = is_signed ? (u64)((s64)promoted >> (64 - 8 * size)) :
				       promoted >> (64 - 8 * size);

		if (ktap_random(&state) % 3) {
			if (ktap_random(&state) % 4 == 0)
				strcat(spec, "-");
			if (ktap_random(&state) % 4 == 0 && strchr("di", conv))
				strcat(spec, "+");
			if (ktap_random(&state) % 4 == 0 && strchr("di", conv))
				strcat(spec, " ");
			if (ktap_random(&state) % 4 == 0 && strchr("xX", conv) &&
			    promoted << (64 - 8 * lengths[l].size))
				strcat(spec, "#");
			prec = ktap_random(&state) % 3 == 0;
			if (ktap_random(&state) % 4 == 0 && !prec)
				strcat(spec, "0");
			if (ktap_random(&state) % 2)
				sprintf(strchr(spec, '\0'), "%u",
					(unsigned int)(ktap_random(&state) % 40 + 1));
			if (prec)
				sprintf(strchr(spec, '\0'), ".%u",
					(unsigned int)(ktap_random(&state) % 40 + 1));
		}
		strcat(spec, lengths[l].length);
		sprintf(strchr(spec, '\0'), "%c", conv);
		snprintf(format, sizeof(format), "v %s", spec);

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		strcpy(want, START "v ");
		if (lengths[l].size == 8)
			snprintf(strchr(want, '\0'), 4096, spec, promoted);
		else
			snprintf(strchr(want, '\0'), 4096, spec, (unsigned int)promoted);
#pragma GCC diagnostic pop
		strcat(want, "\n");
		show(got, sizeof(got), format,
		     TYPES(LTT_TYPE(LTT_KIND_INT, size, (is_signed ? LTT_TYPE_SIGNED : 0) |
				    (be ? LTT_TYPE_BE : 0))),
		     (struct data){ data, size }, ktap_random(&state) % 2 * 8, swap);
		if (!EXPECT(!strcmp(got, want), "'%s' of %u bytes: got '%s', want '%s'", spec,
			    size, got, want))
			break;
	}
}

/* Every number of digits, at its edges. */
static void test_digits(void)
{
	u64 edge = 1;
	int i, d;

	for (i = 0; i < 20; i++, edge *= 10) {
		for (d = -1; d <= 1; d++) {
			u64 v = edge + d;
			char want[64];

			snprintf(want, sizeof(want), "%llu %llx", (unsigned long long)v,
				 (unsigned long long)v);
			line("%llu %llx", TYPES(INT(8), INT(8)), WORDS(v, v), false, want);
			snprintf(want, sizeof(want), "%lld", (long long)v);
			line("%lld", TYPES(SINT(8)), WORDS(v), false, want);
		}
	}
	for (i = 0; i < 64; i++) {
		u64 v = 1ull << i;
		char want[64];

		snprintf(want, sizeof(want), "%llx %#llx", (unsigned long long)v,
			 (unsigned long long)(v - 1) ?: 0x0);
		if (v == 1)
			strcpy(want, "1 0x0");
		line("%llx %#llx", TYPES(INT(8), INT(8)), WORDS(v, v - 1), false, want);
	}
}

/*
 * Where printk() differs from the C library. The text is what snprintf() wrote for
 * these formats and values when it was called in Linux 6.1.
 */
static void test_kernel_integers(void)
{
	line("%#x %#X %#o", TYPES(INT(1), INT(1), INT(1)), DATA("\0\0\0"), false, "0x0 0X0 0");
	line("%.0d|%.0x", TYPES(INT(1), INT(1)), DATA("\0\0"), false, "0|0");
	line("%08.3d|%#.3o", TYPES(INT(1), INT(1)), DATA("\5\5"), false, "00000005|0005");
	line("%#10x|%#-10x|%#010x", TYPES(INT(1), INT(1), INT(1)), DATA("\1\1\1"), false,
	     "       0x1|0x1       |0x00000001");
	line("%#.0x|%5.0d|%+.0d|% .0d", TYPES(INT(1), INT(1), INT(1), INT(1)),
	     DATA("\0\0\0\0"), false, "0x0|    0|+0| 0");
	line("%#08x|%-#8x", TYPES(INT(1), INT(1)), DATA("\0\0"), false, "0x000000|0x0     ");
}

static void test_strings(void)
{
	line("%s", TYPES(CPTR), DATA("systemd\0"), false, "systemd");
	line("%s.", TYPES(CPTR), DATA("\0"), false, ".");
	line("%s|%s|%s", TYPES(CPTR, CPTR, CPTR), DATA("abcdefgh\0abcdefg\0abcdefghijklmnopq\0"),
	     false, "abcdefgh|abcdefg|abcdefghijklmnopq");
	line("%8s|%-8s|%2s|%.3s|%-5.2s|", TYPES(CPTR, CPTR, CPTR, CPTR, CPTR),
	     DATA("abc\0abc\0abc\0abcdef\0abc\0"), false, "     abc|abc     |abc|abc|ab   |");
	line("%s", TYPES(CPTR), DATA("a\nb\tc\\d\x1b[0m\x7f\r\1\0"), false,
	     "a\\nb\\tc\\\\d\\x1b[0m\\x7f\\x0d\\x01");
	line("%s", TYPES(CPTR), DATA("h\xc3\xb6he \xe2\x82\xac \xf0\x9f\x90\xa7\0"), false,
	     "h\xc3\xb6he \xe2\x82\xac \xf0\x9f\x90\xa7");
	/* C1 control, lone bytes, overlong, surrogate, too large, cut off */
	line("%s", TYPES(CPTR), DATA("\xc2\x9b.\xff\x80\xc0\xaf\xed\xa0\x80\0"), false,
	     "\\xc2\\x9b.\\xff\\x80\\xc0\\xaf\\xed\\xa0\\x80");
	line("%s", TYPES(CPTR), DATA("\xf4\x90\x80\x80\xe2\x82\0"), false,
	     "\\xf4\\x90\\x80\\x80\\xe2\\x82");
	line("%.4s", TYPES(CPTR), DATA("12\xe2\x82\xac\0"), false, "12\\xe2\\x82");
	line("%s", TYPES(CPTR), DATA("1.0 [000] x.y: z\n2.0 [001] forged.event: 1\0"), false,
	     "1.0 [000] x.y: z\\n2.0 [001] forged.event: 1");
}

/* Every byte at every place of a word. */
static void test_string_bytes(void)
{
	unsigned int at, byte;

	for (at = 0; at < 18; at++) {
		for (byte = 1; byte < 256; byte++) {
			char data[20] = "abcdefghijklmnopqr", want[32];

			data[at] = byte;
			snprintf(want, sizeof(want), "%.*s", at, data);
			if (byte == '\n')
				strcat(want, "\\n");
			else if (byte == '\t')
				strcat(want, "\\t");
			else if (byte == '\\')
				strcat(want, "\\\\");
			else if (byte < 32 || byte > 126)
				sprintf(strchr(want, '\0'), "\\x%02x", byte);
			else
				sprintf(strchr(want, '\0'), "%c", byte);
			strcat(want, data + at + 1);
			line("%s", TYPES(CPTR), (struct data){ data, 19 }, false, want);
		}
	}
}

static void test_chars(void)
{
	line("%c|%3c|%-3c|%c", TYPES(SINT(1), INT(1), INT(1), INT(1)), DATA("abc\n"), false,
	     "a|  b|c  |\\n");
	line("%c%c", TYPES(INT(4), INT(1)), DATA("\x41\1\0\0\x9b"), LTT_HOST_BE, "A\\x9b");
	line("%c|%5c|", TYPES(SEQ(1), SEQ(1)), DATA("\3\0\0\0a\0\n\2\0\0\0xy"), LTT_HOST_BE,
	     "a\\x00\\n|   xy|");
	line("comm %c[8]", TYPES(SEQ(1)), DATA("a\0b\n\0\0\0\0"), false, "comm a\\x00b\\n");
	/* What is after a string in an array is nobody's business. */
	line("comm %s[8] n %u", TYPES(SEQ(1), INT(1)), DATA("a\nb\0\nxyz\1"), false,
	     "comm a\\nb n 1");
	line("comm %s[4]|%5.2s[4]|%-3s[2]|", TYPES(SEQ(1), SSEQ(1), SEQ(1)), DATA("full\0oldxy"),
	     false, "comm full|     |xy |");
	line("comm %5.2s[4]|", TYPES(SEQ(1)), DATA("full"), false, "comm    fu|");
}

static void test_arrays(void)
{
	line("%d %x", TYPES(SSEQ(2), SEQ(1)), DATA("\2\0\0\0\1\0\xff\xff\3\0\0\0\x0a\x0b\xff"),
	     LTT_HOST_BE, "[1,-1] [a,b,ff]");
	line("%d", TYPES(SSEQ(2)), DATA("\0\0\0\2\0\1\xff\xff"), !LTT_HOST_BE, "[1,-1]");
	line("%d", TYPES(SEQ(4)), DATA("\0\0\0\0"), false, "[]");
	line("%02x[4]", TYPES(SEQ(1)), DATA("\1\2\3\4"), false, "[01,02,03,04]");
	line("%d[2]{1=A,2=B}", TYPES(SEQ(1)), DATA("\1\3"), false, "[A,3]");
	line("%u", TYPES(LTT_TYPE(LTT_KIND_SEQ, 2, LTT_TYPE_BE)), DATA("\1\0\0\0\1\2"), LTT_HOST_BE,
	     "[258]");
}

/* Arrays of up to 20 integers, each against snprintf(). */
static void test_array_integers(void)
{
	static const char *const specs[] = { "%u", "%llu", "%lld", "%x", "%llx", "%5lld" };
	unsigned long long state = 11, v;
	unsigned int i, j, nr;
	char format[16], want[1024], *pos;
	const char *spec;
	u8 data[4 + 20 * 8];
	size_t size;

	for (i = 0; i < 5000; i++) {
		spec = specs[ktap_random(&state) % ARRAY_SIZE(specs)];
		size = strstr(spec, "ll") ? 8 : 4;
		nr = ktap_random(&state) % 21;
		memcpy(data, &nr, 4);
		pos = want + sprintf(want, "v [");
		for (j = 0; j < nr; j++) {
			v = ktap_random(&state) >> ktap_random(&state) % 64;
			if (size == 4)
				v = (u32)v;
			else if (ktap_random(&state) % 2)
				v = -v;
			memcpy(data + 4 + j * size, (u8 *)&v + (LTT_HOST_BE ? 8 - size : 0), size);
			if (j)
				*pos++ = ',';
			pos += size == 4 ? sprintf(pos, spec, (u32)v) : sprintf(pos, spec, v);
		}
		strcpy(pos, "]");
		snprintf(format, sizeof(format), "v %s", spec);
		line(format, TYPES(LTT_TYPE(LTT_KIND_SEQ, size, LTT_TYPE_SIGNED)),
		     (struct data){ data, 4 + nr * size }, false, want);
	}
}

/* Of several names of a value, the first one is shown. */
static void test_first_name(void)
{
	char format[4096], *pos = stpcpy(format, "%hhu{-1=first");
	int i;

	line("%d{5=A,7=B,7=C} %d[2]{5=A,7=B,7=C}", TYPES(INT(1), SEQ(1)), DATA("\7\7\5"), false,
	     "B [B,A]");
	line("%d{0=A,1=B,3=C,3=D,4=E} %d[2]{0=A,1=B,3=C,3=D,4=E}", TYPES(INT(1), SEQ(1)),
	     DATA("\4\3\1"), false, "E [C,B]");
	line("%d{0=A,2=B,1=C,0=D,4=E,4=F} %d{0=A,2=B,1=C,3=D,4=E,3=F,6=G}", TYPES(INT(1), INT(1)),
	     DATA("\4\3"), false, "E D");
	for (i = 0; i < 256; i++)
		pos += sprintf(pos, ",%d=n%d", i, i);
	strcpy(pos, "}");
	line(format, TYPES(INT(1)), DATA("\xff"), false, "first");
	line("%lld{0x7fffffffffffffff=most,-9223372036854775808=least}", TYPES(SINT(8)),
	     WORDS(1ull << 63), false, "least");
	line(format, TYPES(INT(1)), DATA("\xfe"), false, "n254");
}

static void test_tables(void)
{
	char name[64], format[128];
	unsigned int len;

	/* Names of all lengths, at the end of what holds the format. */
	for (len = 1; len < sizeof(name); len++) {
		memset(name, 'a' + len % 26, len);
		name[len] = '\0';
		snprintf(format, sizeof(format), "%%d{3=B,4=%s}", name);
		line(format, TYPES(SINT(1)), DATA("\4"), false, name);
	}
	line("%d{0=R,1=S,-1=D} %d{0=R,1=S,-1=D} %d{5=x} %u{-1=all}",
	     TYPES(SINT(1), SINT(1), SINT(1), SINT(4)), DATA("\1\xff\4\xff\xff\xff\xff"), false,
	     "S D 4 all");
	line("%-5d{0=R}|%5d{0=R}|%03d{0=R}", TYPES(INT(1), INT(1), INT(1)), DATA("\0\0\7"), false,
	     "R    |    R|007");
	line("%x{|1=READ|2=WRITE} %x{|1=READ|2=WRITE} %x{|1=READ} %x{|1=READ}",
	     TYPES(INT(1), INT(1), INT(1), INT(1)), DATA("\3\xf1\x10\0"), false,
	     "READ|WRITE READ|0xf0 0x10 0");
	line("%x{|0=NONE|1=READ} %x{|0=NONE|1=READ}", TYPES(INT(1), INT(1)), DATA("\0\1"), false,
	     "NONE READ");
	line("%x{|3=RW|1=R|2=W} %x{|3=RW|1=R|2=W}", TYPES(INT(1), INT(1)), DATA("\3\2"), false,
	     "RW W");
	/* Values that ascend, which are searched for in another way. */
	line("%lld{-9=C,-5=B,0=Z,7=S} %lld{-9=C,-5=B,0=Z,7=S} %lld{-9=C,-5=B,0=Z,7=S}",
	     TYPES(SINT(8), SINT(8), SINT(1)),
	     DATA("\xf7\xff\xff\xff\xff\xff\xff\xff\x07\0\0\0\0\0\0\0\xfa"), LTT_HOST_BE,
	     "C S -6");
	line("%llu{1=a,3=b,0xffffffffffffffff=all} %lld{1=a,3=b,5=c}", TYPES(INT(8), SINT(8)),
	     DATA("\xff\xff\xff\xff\xff\xff\xff\xff\x05\0\0\0\0\0\0\0"), LTT_HOST_BE, "all c");
	line("%#llx{-2=B,-1=A} %#llx{-2=B,-1=A}", TYPES(INT(8), INT(8)),
	     DATA("\xfe\xff\xff\xff\xff\xff\xff\xff\xfd\xff\xff\xff\xff\xff\xff\xff"),
	     LTT_HOST_BE, "B 0xfffffffffffffffd");
	line("%llx{|0x8000000000000000=top}", TYPES(INT(8)), DATA("\x80\0\0\0\0\0\0\1"),
	     !LTT_HOST_BE, "top|0x1");
	line("%d{0=A}{{%d{{%d{{{", TYPES(INT(1), INT(1), INT(1)), DATA("\0\1\2"), false,
	     "A{{1{2{{");
}

static void test_blobs(void)
{
	line("size %lu binary %pW.", TYPES(INT(8), PTR), DATA("\3\0\0\0\0\0\0\0\0\x00\xab\x7f"),
	     LTT_HOST_BE, "size 3 binary 00ab7f.");
	line("%u %pW", TYPES(INT(1), CPTR), DATA("\0\0"), false, "0 ");
	line("%d %pW %d", TYPES(BE(2), PTR, INT(1)), DATA("\0\2\0xy\1"), false, "2 7879 1");
	line("%d %6pW|%d %-6pW|", TYPES(INT(1), PTR, INT(1), PTR), DATA("\2\0xy\2\0xy"), false,
	     "2   7879|2 7879  |");
	/* What could not be read is no data, and has a size all the same. */
	line("%d %pW %d", TYPES(INT(1), PTR, INT(1)), DATA("\2\1\0\0\3"), false, "2 (null) 3");
	line("%d %pW %d", TYPES(INT(1), PTR, INT(1)), DATA("\2\2\0\0\3"), false, "2 (fault) 3");
	line("%d %8pW|%d %-9pW|", TYPES(INT(1), PTR, INT(1), PTR), DATA("\0\1\1\2x"), false,
	     "0   (null)|1 (fault)  |");
}

static void test_net(void)
{
	u8 bytes[16];
	const struct data data = { bytes, sizeof(bytes) };
	unsigned int i;

	line("%pI4 %pi4 %pI4l %pi4b %pI4n", TYPES(PTR, PTR, PTR, PTR, PTR),
	     DATA("\x7f\0\0\1\x7f\0\0\1\x7f\0\0\1\x0a\xff\x64\x09\1\2\3\4"), false,
	     "127.0.0.1 127.000.000.001 1.0.0.127 010.255.100.009 1.2.3.4");
	line("%pI4h", TYPES(PTR), DATA("\1\0\0\x7f"), LTT_HOST_BE, "127.0.0.1");
	line("%pI4h", TYPES(PTR), DATA("\x7f\0\0\1"), !LTT_HOST_BE, "127.0.0.1");
	line("%16pI4|%-16pI4|", TYPES(PTR, PTR), DATA("\1\2\3\4\1\2\3\4"), false,
	     "         1.2.3.4|1.2.3.4         |");

	line("%pM", TYPES(PTR), DATA("\0\1\2\3\4\xff"), false, "00:01:02:03:04:ff");
	line("%pMF", TYPES(PTR), DATA("\0\1\2\3\4\xff"), false, "00-01-02-03-04-ff");
	line("%pMR", TYPES(PTR), DATA("\0\1\2\3\4\xff"), false, "ff:04:03:02:01:00");
	line("%pm", TYPES(PTR), DATA("\0\1\2\3\4\xff"), false, "0001020304ff");
	line("%pmR", TYPES(PTR), DATA("\0\1\2\3\4\xff"), false, "ff0403020100");

	for (i = 0; i < 16; i++)
		bytes[i] = i;
	line("%pU", TYPES(PTR), data, false, "00010203-0405-0607-0809-0a0b0c0d0e0f");
	line("%pUb", TYPES(PTR), data, false, "00010203-0405-0607-0809-0a0b0c0d0e0f");
	line("%pUB", TYPES(PTR), data, false, "00010203-0405-0607-0809-0A0B0C0D0E0F");
	line("%pUl", TYPES(PTR), data, false, "03020100-0504-0706-0809-0a0b0c0d0e0f");
	line("%pUL", TYPES(PTR), data, false, "03020100-0504-0706-0809-0A0B0C0D0E0F");
	line("%40pU|", TYPES(PTR), data, false, "    00010203-0405-0607-0809-0a0b0c0d0e0f|");

	line("%pI6", TYPES(PTR), data, false, "0001:0203:0405:0607:0809:0a0b:0c0d:0e0f");
	line("%pi6", TYPES(PTR), data, false, "000102030405060708090a0b0c0d0e0f");
	line("%pI6c", TYPES(PTR), data, false, "1:203:405:607:809:a0b:c0d:e0f");
	/* ISATAP: RFC 5214 */
	line("%pI6c", TYPES(PTR), DATA("\xfe\x80\0\0\0\0\0\0\2\0\x5e\xfe\xc0\0\2\1"), false,
	     "fe80::200:5efe:192.0.2.1");
	line("%pI6c", TYPES(PTR), DATA("\xfe\x80\0\0\0\0\0\0\0\0\x5e\xfe\xc0\0\2\1"), false,
	     "fe80::5efe:192.0.2.1");
	line("%pI6c", TYPES(PTR), DATA("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"), false, "::");
	line("%pI6c", TYPES(PTR), DATA("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1"), false, "::1");
	line("%pI6c", TYPES(PTR), DATA("\0\0\0\0\0\0\0\0\0\0\xff\xff\x7f\0\0\1"), false,
	     "::ffff:127.0.0.1");
}

static void test_ip6_random(void)
{
	unsigned long long state = 6;
	unsigned int i, j;

	for (i = 0; i < 100000; i++) {
		char got[256], want[128], addr_text[INET6_ADDRSTRLEN];
		static const u8 zero[12];
		u8 addr[16] = {};

		for (j = 0; j < 8; j++) {
			if (ktap_random(&state) % 3)
				continue;
			addr[2 * j] = ktap_random(&state) >> ktap_random(&state) % 8 * 8;
			addr[2 * j + 1] = ktap_random(&state);
		}
		if (i % 10 == 0)
			memcpy(addr, "\0\0\0\0\0\0\0\0\0\0\xff\xff", 12);
		/* inet_ntop() takes ::1.2.3.4 for IPv4, and knows no ISATAP. */
		else if (!memcmp(addr, zero, 12) || !memcmp(addr + 9, "\0\x5e\xfe", 3))
			continue;
		inet_ntop(AF_INET6, addr, addr_text, sizeof(addr_text));
		snprintf(want, sizeof(want), START "%s\n", addr_text);
		show(got, sizeof(got), "%pI6c", TYPES(PTR), (struct data){ addr, 16 }, 0, false);
		EXPECT_STR(got, want);
	}
}

static void test_pointers(void)
{
	/* Written out, as tools complain about this one. */
	static const char px[] = { '%', 'p', 'x', '\0' };

	line("%p %pK", TYPES(PTR, PTR), WORDS(0xffff888001234567ull, 0x1234), false,
	     "ffff888001234567 0000000000001234");
	line(px, TYPES(CPTR), WORDS(0), false, "0000000000000000");
	line("%20p|%-6p|", TYPES(PTR, PTR), WORDS(0x1234, 0x1234), false,
	     "                1234|1234  |");
	line("%pS %ps", TYPES(PTR, PTR), WORDS(0xffffffff81000000ull, 0), false,
	     "0xffffffff81000000 0x0000000000000000");
	line("%pB", TYPES(PTR), WORDS(1), false, "0x0000000000000001");
}

static const struct {
	const char *format;
	struct types types;
	struct data data;
} samples[] = {
	{ "a %d b %s c %llx", { 3, { SINT(4), CPTR, INT(8) } },
	  { "\1\0\0\0xyz\n\0abcdefgh", 17 } },
	{ "a %5d b %pI6c c %d{0=x}", { 3, { SINT(4), PTR, INT(1) } },
	  { "\1\0\0\0ABCDEFGHIJKLMNOP\0", 21 } },
	{ "a %u b %pW c %d", { 3, { BE(2), PTR, SEQ(2) } },
	  { "\0\3\0abc\2\0\0\0abcd", 14 } },
	{ "a %c b %x{|1=b|2=c}", { 2, { SEQ(1), INT(4) } },
	  { "\2\0\0\0a\1\3\0\0\0", 10 } },
	{ "a %-30s b %p c %40u", { 3, { CPTR, PTR, INT(1) } },
	  { "x\0abcdefgh\1", 11 } },
};

/* The longest numbers in the least room. */
static void test_room(void)
{
	char format[LTT_MAX_ARGS * 4 + 1] = "", full[2048], got[2048];
	struct types types = { .nr = LTT_MAX_ARGS };
	u64 values[LTT_MAX_ARGS];
	unsigned int i;
	size_t size;

	for (i = 0; i < LTT_MAX_ARGS; i++) {
		strcat(format, i % 2 ? "%lld" : "%llu");
		types.type[i] = SINT(8);
		values[i] = i % 2 ? 1ull << 63 : ~0ull;
	}
	show(full, sizeof(full), format, types, (struct data){ values, sizeof(values) }, 0, false);
	for (size = strlen(full) - 1; size < strlen(full) + LTT_RENDER_SPARE; size++)
		if (show(got, size, format, types, (struct data){ values, sizeof(values) }, 0,
			 false) >= 0)
			break;
	EXPECT_STR(got, full);
}

/* The same of an array, which has no known limit: any buffer that is too short is refused. */
static void test_array_room(void)
{
	struct types types = TYPES(LTT_TYPE(LTT_KIND_SEQ, 8, LTT_TYPE_SIGNED));
	u64 values[1 + 30] = { 0 };
	struct data data = { (u8 *)values + 4, sizeof(values) - 4 };
	char full[2048], got[sizeof(full) + LTT_RENDER_SPARE];
	unsigned int nr = ARRAY_SIZE(values) - 1, i;
	size_t size, len;

	memcpy((u8 *)values + 4, &nr, 4);
	for (i = 1; i <= nr; i++)
		values[i] = 1ull << 63;
	show(full, sizeof(full), "%lld", types, data, 0, false);
	len = strlen(full);
	for (size = 0; size < len + LTT_RENDER_SPARE; size++) {
		if (show(got, size, "%lld", types, data, 0, false) < 0)
			continue;
		EXPECT(size >= len, "%zu bytes in %zu", len, size);
		EXPECT_STR(got, full);
	}
}

/* Too little payload, too little room: an error, never half a line. */
static void test_cut(void)
{
	char full[512], got[512];
	unsigned int i;
	size_t size;
	long ret;

	for (i = 0; i < ARRAY_SIZE(samples); i++) {
		const char *format = samples[i].format;
		struct types types = samples[i].types;
		struct data data = samples[i].data;

		ret = show(full, sizeof(full), format, types, data, 0, LTT_HOST_BE);
		EXPECT(ret == (long)data.size, "'%s': %ld", format, ret);
		for (data.size = 0; data.size < samples[i].data.size; data.size++) {
			ret = show(got, sizeof(got), format, types, data, 0, LTT_HOST_BE);
			EXPECT(ret == -EBADMSG, "'%s' cut to %zu: %ld", format, data.size, ret);
		}
		for (size = 0; size < strlen(full) + 130; size++) {
			ret = show(got, size, format, types, data, 0, LTT_HOST_BE);
			if (ret == -ENOSPC)
				EXPECT(size < strlen(full) + 100, "room to spare");
			else
				EXPECT_STR(got, full);
		}
	}
}

/* Whatever the payload: no access out of bounds, and one printable line or an error. */
static void test_fuzz(void)
{
	static const char * const pieces[] = {
		"%d ", "%s ", "%llx ", "%x{|1=A|6=B} ", "%hhd{0=R,-1=S} ", "%c ", "%pI4h ",
		"%pI6c ", "%p ", "%u", "%pW ", "%-8.3s|", "%.3d", "%20u", "\xff", "%pUL", "%pMR",
		"%d[3] ", "%c[5] ", "%s[4] ", "%4.1s[2] ",
	};
	static const __u32 types[] = {
		INT(1), SINT(2), INT(4), SINT(4), INT(8), BE(4), PTR, CPTR, CPTR, PTR, SEQ(1),
		SEQ(2),
	};
	unsigned long long state = 8;
	unsigned int i, shown = 0;

	for (i = 0; i < 200000; i++) {
		unsigned int nr = ktap_random(&state) % 4 + 1, j, tries;
		char text[128], error[LTT_FORMAT_ERROR];
		struct ltt_event_text *prog;
		struct ltt_cpu_text cpu;
		struct ltt_format *f;
		struct ltt_textbuf out;
		u64 head;

		text[0] = '\0';
		for (j = 0; j < nr; j++)
			strcat(text, pieces[ktap_random(&state) % ARRAY_SIZE(pieces)]);
		for (tries = 0, f = ERR_PTR(-EINVAL); tries < 20 && IS_ERR(f); tries++) {
			__u32 args[4];

			for (nr = 0, j = 0; text[j]; j++)
				if (text[j] == '%')
					args[nr++] = types[ktap_random(&state) % ARRAY_SIZE(types)];
			f = ltt_format_parse(text, args, nr, error);
		}
		if (IS_ERR(f))
			continue;
		prog = program("chan", "mark", f, NULL);
		ltt_cpu_text_init(&cpu, i);

		for (tries = 0; tries < 4; tries++) {
			size_t len = ktap_random(&state) % 48, size = ktap_random(&state) % 512;
			u8 *data = malloc(len ?: 1);
			char *buf = malloc(size ?: 1);
			long ret, want;

			for (j = 0; j < len; j++)
				data[j] = ktap_random(&state) % 4 ? ktap_random(&state) % 4 :
								    ktap_random(&state);
			ltt_textbuf_init(&out, buf, size);
			ret = ltt_render_event(&out, prog, &cpu, ktap_random(&state), data, len,
					       i & 1);
			want = ltt_payload_size(f, data, len, i & 1);
			EXPECT(ret == want || ret == -ENOSPC, "'%s': %ld, size is %ld", text, ret,
			       want);
			if (ret >= 0) {
				shown++;
				head = out.pos - buf;
				EXPECT(buf[head - 1] == '\n', "no newline");
				for (j = 0; j + 1 < head; j++)
					EXPECT((u8)buf[j] >= 32 && buf[j] != 127, "a control");
			}
			free(data);
			free(buf);
		}
		ltt_event_text_free(prog);
		ltt_format_free(f);
	}
	EXPECT(shown > 50000, "only %u lines", shown);
	printf("# %u lines\n", shown);
}

static const struct ktap_case cases[] = {
	{ "render.line", test_line },
	{ "render.context", test_context },
	{ "render.time", test_time },
	{ "render.integers", test_integers },
	{ "render.digits", test_digits },
	{ "render.kernel_integers", test_kernel_integers },
	{ "render.strings", test_strings },
	{ "render.string_bytes", test_string_bytes },
	{ "render.chars", test_chars },
	{ "render.arrays", test_arrays },
	{ "render.array_integers", test_array_integers },
	{ "render.tables", test_tables },
	{ "render.first_name", test_first_name },
	{ "render.blobs", test_blobs },
	{ "render.net", test_net },
	{ "render.ip6_random", test_ip6_random },
	{ "render.pointers", test_pointers },
	{ "render.room", test_room },
	{ "render.array_room", test_array_room },
	{ "render.cut", test_cut },
	{ "render.fuzz", test_fuzz },
};

int main(void)
{
	return ktap_run(cases, ARRAY_SIZE(cases));
}
