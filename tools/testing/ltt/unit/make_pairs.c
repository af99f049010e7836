// SPDX-License-Identifier: GPL-2.0
/*
 * Make a trace whose events are pairs, for test_pair.sh: pairs that nest, cross CPUs, lack an
 * end or a begin, and lost events between them.
 *
 *	make_pairs DIR		makes DIR with metadata, streams and an index
 *	make_pairs DIR NUMBER	with so many begins of one key instead, and no end
 *	make_pairs DIR NUMBER LENGTH NS	with so many pairs instead, each with another name of LENGTH
 *				bytes and of NS ns at least, on CPU 2000000
 */
#include <err.h>
#include <stdlib.h>

#include "../../../ltt/lib/ctf_index.h"
#include "ktap.h"
#include "trace_writer.h"

#define MADE_CPUS	3
#define NR_EVENTS	30000
#define PACKET_EVENTS	25
#define BEGIN		5000000000ull		/* ns */
#define METADATA_MAX	100000
#define NAME_MAX_LEN	100000

enum { WORK_BEGIN, WORK_END, WORK_OTHER, WORK_NR };

/* Keys that are equal have other names and other types. */
static const struct tw_kind work[WORK_NR] = {
	[WORK_BEGIN] = { "begin", "id %d kind %u{0=HI,1=TIMER,2=NET} name %s",
			 { TW_INT(4, TW_S), TW_INT(1, 0), TW_STR }, 3 },
	[WORK_END] = { "end", "number %lld mask %#x name %s",
		       { TW_INT(8, TW_S), TW_INT(4, 0), TW_STR }, 3 },
	[WORK_OTHER] = { "other", "id %u cpu %u big %llu list %u",
			 { TW_INT(4, 0), TW_INT(4, 0), TW_INT(8, 0), TW_SEQ(4, 0) }, 4 },
};

static const struct tw_kind tasks[] = {
	{ "switch", "prev %d next %d", { TW_INT(4, TW_S), TW_INT(4, TW_S) }, 2 },
};

/* As a context would have it. */
static const u32 context_types[] = { TW_INT(4, TW_S) };
static struct ltt_context context = {
	.text = "tid %d", .types = context_types, .nr_types = 1,
};

/* Each channel on each CPU. */
static struct stream {
	struct tw_stream tw;
	unsigned int events;
	u64 lost;
} streams[2][MADE_CPUS];

static u64 now = BEGIN;
static bool loses = true;

static u32 below(u32 limit)
{
	static unsigned long long state = 0x70616972;

	return (ktap_random(&state) >> 32) % limit;
}

static void event(struct stream *s, u32 id, const u8 *payload, const u8 *end)
{
	if (s->tw.len && s->events == PACKET_EVENTS) {
		tw_end(&s->tw, 0);
		s->events = 0;
		/* What was lost is told with the next packet. */
		if (loses && !below(8))
			s->lost += 1 + below(9);
	}
	if (!s->tw.len) {
		s->tw.header.events_discarded = s->lost;
		tw_begin(&s->tw, now);
	}
	tw_event(&s->tw, id, now, payload, end - payload);
	s->events++;
}

static u8 *name(u8 *p)
{
	static const char *const names[] = {
		"disk", "a b", "n\"q\" id=3", "new\nline\\ \x01\xff", "",
	};

	return tw_str(p, names[below(ARRAY_SIZE(names))]);
}

static void record(void)
{
	unsigned int cpu = below(MADE_CPUS);
	s32 id = (s32)below(60) - 20;
	u8 payload[128], *p = payload;

	now += 1 + (below(20) ? below(1000) : below(5000000));
	switch (below(5)) {
	case 0:
	case 1:
		p = tw_u32(p, id);
		*p++ = below(4);
		event(&streams[0][cpu], WORK_BEGIN, payload, name(p));
		break;
	case 2:
		p = tw_u64(p, (s64)id);
		p = tw_u32(p, 1u << below(3));
		event(&streams[0][cpu], WORK_END, payload, name(p));
		break;
	case 3:
		p = tw_u32(p, id);
		p = tw_u32(p, below(MADE_CPUS));
		p = tw_u64(p, (s64)id);
		p = tw_u32(p, 1);
		p = tw_u32(p, 17);
		event(&streams[0][cpu], WORK_OTHER, payload, p);
		break;
	default:
		p = tw_u32(p, below(7));
		p = tw_u32(p, below(30));
		p = tw_u32(p, below(30));
		event(&streams[1][cpu], 0, payload, p);
		break;
	}
}

/* @id in digits with zeros in front. */
static u8 *long_name(u8 *p, u32 id, unsigned int len)
{
	return p + snprintf((char *)p, len + 1, "%0*u", (int)len, id) + 1;
}

static void begin_named(struct stream *s, u32 id, unsigned int len)
{
	static u8 payload[NAME_MAX_LEN + 64];
	u8 *p = tw_u32(payload, id);

	now++;
	*p++ = 0;
	event(s, WORK_BEGIN, payload, long_name(p, id, len));
}

static void end_named(struct stream *s, u32 id)
{
	u8 payload[64], *p = tw_u64(payload, id);

	now++;
	p = tw_u32(p, 1);
	event(s, WORK_END, payload, tw_str(p, ""));
}

static void make_named(const char *dir, unsigned int pairs, unsigned int len, u64 ns)
{
	static struct stream s;
	unsigned int i;

	tw_open(&s.tw, dir, "work", 0, 2000000);
	for (i = 0; i < pairs; i++)
		begin_named(&s, i, len);
	now += ns;
	for (i = 0; i < pairs; i++)
		end_named(&s, i);
	tw_end(&s.tw, 0);
	tw_close(&s.tw);
}

/* All nested. */
static void record_begin(void)
{
	u8 payload[128], *p = tw_u32(payload, 1);

	now++;
	*p++ = 0;
	event(&streams[0][0], WORK_BEGIN, payload, tw_str(p, ""));
}

static int tasks_channel(struct ltt_textbuf *out)
{
	char error[LTT_FORMAT_ERROR];
	struct ltt_format *format = ltt_format_parse(tasks[0].format, tasks[0].types, tasks[0].nr,
						     error);
	int ret;

	context.format = ltt_format_parse(context.text, context.types, 1, error);
	if (IS_ERR(format) || IS_ERR(context.format))
		errx(1, "%s", error);
	ret = ltt_metadata_stream(out, 1, "tasks", &context) ?:
	      ltt_metadata_event(out, 1, 0, "tasks", tasks[0].name, tasks[0].format, tasks[0].types,
				 format);
	ltt_format_free(context.format);
	ltt_format_free(format);
	return ret;
}

int main(int argc, char **argv)
{
	static char text[METADATA_MAX];
	struct ltt_textbuf out = { .pos = text, .end = text + sizeof(text) };
	unsigned int i, cpu, begins;
	FILE *file;

	if (argc < 2 || argc == 4 || argc > 5 || (argc == 5 && atoi(argv[3]) > NAME_MAX_LEN))
		errx(2, "usage: make_pairs DIR [NUMBER [LENGTH NS]]");
	begins = argc > 2 ? atoi(argv[2]) : 0;
	loses = !begins;
	tw_mkdir(argv[1]);
	tw_metadata(&out, "pairs", "mono", 1700000000ull * 1000000000);
	tw_channel(&out, 0, "work", work, WORK_NR);
	if (tasks_channel(&out))
		errx(1, "the metadata are too long");
	file = tw_create(argv[1], "metadata");
	tw_put(file, text, out.pos - text);
	if (fclose(file))
		err(1, "metadata");
	if (argc == 5) {
		make_named(argv[1], begins, atoi(argv[3]), strtoull(argv[4], NULL, 0));
		return 0;
	}
	for (cpu = 0; cpu < MADE_CPUS; cpu++) {
		tw_open(&streams[0][cpu].tw, argv[1], "work", 0, cpu);
		tw_open(&streams[1][cpu].tw, argv[1], "tasks", 1, cpu);
	}
	for (i = 0; i < begins; i++)
		record_begin();
	for (i = 0; i < NR_EVENTS && !begins; i++)
		record();
	for (i = 0; i < 2; i++) {
		for (cpu = 0; cpu < MADE_CPUS; cpu++) {
			tw_end(&streams[i][cpu].tw, 0);
			tw_close(&streams[i][cpu].tw);
		}
	}
	return 0;
}
