// SPDX-License-Identifier: GPL-2.0
/*
 * What a line of text costs: decoding the event's header and rendering it.
 *
 * The event is the scheduler's switch; its line has 81 bytes.
 */
#include <stdlib.h>

#include <linux/err.h>
#include <linux/kernel.h>

#include <linux/ltt/decode.h>
#include "../../../../kernel/trace/textout/lib/style.h"
#include "bench.h"

#define LINES	2000000

struct sample {
	const char *name;
	const char *format;
	__u32 types[5];
	unsigned int nr;
	const char *payload;
	size_t size;
};

#define SINT(size)	LTT_TYPE(LTT_KIND_INT, size, LTT_TYPE_SIGNED)
#define INT(size)	LTT_TYPE(LTT_KIND_INT, size, 0)
#define CPTR		LTT_TYPE(LTT_KIND_CPTR, 8, 0)

static const struct sample samples[] = {
	{ "render_line", "pid %d state %ld comm %s next %d prio %d",
	  { SINT(4), SINT(8), CPTR, SINT(4), SINT(4) }, 5,
	  "\xd2\x04\0\0\1\0\0\0\0\0\0\0bash\0\x2e\x16\0\0\x78\0\0\0", 25 },
	{ "render_line_1", "value %llu", { INT(8) }, 1, "\x15\xcd\x5b\7\0\0\0\0", 8 },
};

static void run(const struct sample *sample)
{
	struct ltt_text_kind kind = { .channel = "sched", .marker = "switch" };
	char error[LTT_FORMAT_ERROR], buf[256];
	struct ltt_event_text *text;
	struct ltt_format *format;
	struct ltt_cpu_text cpu;
	struct ltt_textbuf out;
	u8 event[64] = {};
	struct bench b;
	unsigned int i;
	u64 ts = 1234567890123ull, bytes = 0;
	u32 id;

	format = ltt_format_parse(sample->format, sample->types, sample->nr, error);
	if (IS_ERR(format)) {
		fprintf(stderr, "%s\n", error);
		exit(1);
	}
	kind.format = format;
	text = ltt_event_text_create(&ltt_style_format, &kind);
	ltt_cpu_text_init(&cpu, 3);
	ltt_textbuf_init(&out, buf, sizeof(buf));
	if (ltt_style_open(&out, &ltt_style_format))
		exit(1);
	memcpy(event + 4, sample->payload, sample->size);

	bench_start(&b);
	for (i = 0; i < LINES; i++) {
		u32 word = 5 | (u32)(ts + 3000) << 5;

		memcpy(event, &word, 4);
		out.pos = buf;
		if (ltt_decode_header(event, sizeof(event), &ts, &id, false) != 4 ||
		    out.style->event(&out, text, &cpu, ts, event + 4, sizeof(event) - 4, false) < 0)
			exit(1);
		bytes += out.pos - buf;
	}
	bench_stop(&b);
	bench_print(sample->name, &b, LINES);
	printf("bench %s_bytes %.1f bytes\n", sample->name, (double)bytes / LINES);
	printf("# %.*s", (int)(out.pos - buf), buf);
	ltt_event_text_free(text);
	ltt_format_free(format);
}

int main(int argc, char **argv)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(samples); i++)
		if (argc < 2 || !strcmp(argv[1], samples[i].name))
			run(&samples[i]);
	return 0;
}
