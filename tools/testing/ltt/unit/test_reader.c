// SPDX-License-Identifier: GPL-2.0
/*
 * The reader over as many streams as a thousand CPUs have, most of them at rest: its own
 * source, and the ring buffer's. Writers record between its steps. (What it means to be
 * interrupted is the matter of singlestep/, of models/ and of litmus tests.)
 *
 * usage: test_reader [ROUNDS]
 */

#include <linux/ltt/decode.h>
#include <linux/ltt/reader.h>
#include "../../../../kernel/trace/ltt-core/reader/reader_pass.h"

#include "../../../../kernel/trace/ltt-core/trace/unfinished.h"
#include "../../../../kernel/trace/textout/lib/merge.h"
#include "ktap.h"

#define ORDER		8		/* sub-buffers of 256 bytes */
#define SUBBUFS		4
#define MANY_CPUS	1024u
#define MANY_CHANNELS	100u

u64 ss_clock;
unsigned long ss_jiffies;
unsigned int test_cpus;

static struct ltt_trace trace;
static struct ltt_trace_channel *tchans;
static struct ltt_channel a_channel = { .name = "channel" }, sched = { .name = "sched" };
static unsigned int nr_channels;

/* What was recorded. */
static u64 *times;
static unsigned int recorded, dropped;

/* What was read. */
static unsigned int taken;
static unsigned long lost;
static u64 *last_ts;			/* by stream */

struct ltt_trace_channel *ltt_trace_channel_named(const struct ltt_trace *trace,
						  const char *channel)
{
	(void)trace;
	(void)channel;
	return NULL;
}

/* The reader is the first of them. */
struct task_struct test_tasks[] = {
	{ .pid = 100, .comm = "cat" }, { .pid = 200, .comm = "rcu_preempt" },
	{ .pid = 300, .comm = "rcu_preempt", .flags = PF_KTHREAD }, { },
};

/* What can be recorded: a number of this name, and one that names nothing. Their IDs start at 1. */
enum { A_NUMBER, A_PID, PREV_PID, NEXT_PID, A_CPU, FOREIGN_PID, NR_TYPES };

static struct ltt_trace_event types[NR_TYPES];

static void define(unsigned int type, struct ltt_channel *channel, const char *name)
{
	static struct ltt_event events[NR_TYPES];
	struct ltt_format *format;

	format = calloc(1, sizeof(*format) + 2 * sizeof(*format->fields));
	format->nr_fields = 2;
	format->fields[0] = (struct ltt_field) { .name = name, .store = LTT_STORE_INT };
	format->fields[1] = (struct ltt_field) { .name = "count", .store = LTT_STORE_INT };
	events[type] = (struct ltt_event) { .channel = channel, .format = format };
	types[type].event = &events[type];
}

static void define_all(void)
{
	define(A_NUMBER, &a_channel, "number");
	define(A_PID, &sched, "pid");
	define(PREV_PID, &sched, "prev_pid");
	define(NEXT_PID, &sched, "next_pid");
	define(A_CPU, &sched, "cpu");
	define(FOREIGN_PID, &a_channel, "pid");
}

struct ltt_trace_event *ltt_trace_channel_event(const struct ltt_trace_channel *tchan, u32 id)
{
	(void)tchan;
	return id && id <= NR_TYPES ? &types[id - 1] : NULL;
}

long ltt_field_size(const struct ltt_field *field, const void *payload, size_t avail, bool swap,
		    u64 *value)
{
	u32 number;

	(void)field;
	(void)swap;
	if (avail < sizeof(number))
		return -EBADMSG;
	memcpy(&number, payload, sizeof(number));
	*value = number;
	return sizeof(number);
}

long ltt_payload_size(const struct ltt_format *format, const void *payload, size_t avail,
		      bool swap)
{
	(void)format;
	(void)payload;
	(void)swap;
	return avail < 8 ? -EBADMSG : 8;
}

void ltt_unfinished_init(struct ltt_unfinished *unfinished)
{
	(void)unfinished;
}

void ltt_unfinished_look(struct ltt_unfinished *unfinished, struct ltt_trace_channel *tchan,
			 unsigned int cpu, unsigned long *seen)
{
	(void)unfinished;
	(void)tchan;
	(void)cpu;
	(void)seen;
}

void ltt_unfinished_cancel(struct ltt_unfinished *unfinished)
{
	(void)unfinished;
}

/* No CPU is ever stuck. */
bool ltt_pass_is_due(u64 gp_began)
{
	(void)gp_began;
	return false;
}

bool ltt_pass_poll(struct ltt_pass *pass, enum ltt_clock_id clock, u64 since)
{
	(void)pass;
	(void)clock;
	(void)since;
	return false;
}

u64 ltt_pass_take(struct ltt_pass *pass)
{
	(void)pass;
	return 0;
}

void ltt_pass_forget(struct ltt_pass *pass, u64 watermark)
{
	(void)pass;
	(void)watermark;
}

const struct cpumask *ltt_pass_silent(const struct ltt_pass *pass, u64 *since)
{
	(void)pass;
	(void)since;
	return NULL;
}

struct ltt_pass *ltt_pass_alloc(void)
{
	return NULL;
}

void ltt_pass_free(struct ltt_pass *pass)
{
	(void)pass;
}

static struct ltt_buf *buf_of(unsigned int stream)
{
	return &tchans[stream / test_cpus].buf[stream % test_cpus];
}

static unsigned int stream_of(const struct ltt_reader_stream *stream)
{
	return stream->tchan->stream_id * test_cpus + stream->cpu;
}

static void init_buf(struct ltt_buf *buf, u32 stream_id, unsigned int cpu, bool overwrite)
{
	unsigned int i;

	buf->off_mask = (1ul << ORDER) - 1;
	buf->sb_mask = SUBBUFS - 1;
	buf->sb_order = ORDER;
	buf->cur = &ltt_subbuf_none;
	buf->recording = true;
	buf->wanted = true;
	buf->overwrite = overwrite;
	buf->packet.magic = LTT_PACKET_MAGIC;
	buf->packet.stream_id = stream_id;
	buf->packet.cpu_id = cpu;
	buf->stir = &trace.stir[cpu];
	spin_lock_init(&buf->read_lock);
	INIT_LIST_HEAD(&buf->cursors);
	buf->sb = aligned_alloc(64, SUBBUFS * sizeof(*buf->sb));
	memset(buf->sb, 0, SUBBUFS * sizeof(*buf->sb));
	buf->sb[0].base = calloc(SUBBUFS, 1 << ORDER);
	for (i = 1; i < SUBBUFS; i++)
		buf->sb[i].base = buf->sb[0].base + (i << ORDER);
}

static void setup(unsigned int cpus, unsigned int channels, bool overwrite, unsigned int events)
{
	unsigned int i, cpu;

	test_cpus = cpus;
	nr_channels = channels;
	memset(&trace, 0, sizeof(trace));
	trace.layout = 1;
	trace.clock = LTT_CLOCK_COUNTER;
	INIT_LIST_HEAD(&trace.tchans);
	trace.stir = calloc(cpus, sizeof(*trace.stir));
	tchans = calloc(channels, sizeof(*tchans));
	for (cpu = 0; cpu < cpus; cpu++) {
		trace.stir[cpu].cpu = cpu;
		trace.stir[cpu].last = &trace.stirred;
	}
	for (i = 0; i < channels; i++) {
		tchans[i].trace = &trace;
		tchans[i].channel = &a_channel;
		tchans[i].stream_id = i;
		tchans[i].buf = aligned_alloc(64, cpus * sizeof(struct ltt_buf));
		memset(tchans[i].buf, 0, cpus * sizeof(struct ltt_buf));
		for (cpu = 0; cpu < cpus; cpu++)
			init_buf(&tchans[i].buf[cpu], i, cpu, overwrite);
		list_add_tail(&tchans[i].node, &trace.tchans);
	}
	ss_clock = 1000;
	times = calloc(events, sizeof(*times));
	last_ts = calloc(channels * cpus, sizeof(*last_ts));
	recorded = 0;
	dropped = 0;
	taken = 0;
	lost = 0;
}

static void teardown(void)
{
	unsigned int i;

	for (i = 0; i < nr_channels * test_cpus; i++) {
		free(buf_of(i)->sb[0].base);
		free(buf_of(i)->sb);
	}
	for (i = 0; i < nr_channels; i++)
		free(tchans[i].buf);
	free(tchans);
	free(trace.stir);
	free(times);
	free(last_ts);
}

static void record_as(unsigned int stream, unsigned int type, u32 number)
{
	const struct ltt_tap tap = {
		.reserve = ltt_reserve_counter, .buf = buf_of(stream), .id = type + 1,
		.publish = ltt_buf_publish,
	};
	struct ltt_slot slot = tap.reserve(&tap, 8 + LTT_HEADER_COMPACT);
	u32 payload[2] = { number, recorded };

	if (!slot.p) {
		dropped++;
		return;
	}
	/* A time not before that of the event, nor after that of the next one. */
	times[recorded++] = ss_clock;
	memcpy(slot.p, payload, sizeof(payload));
	ltt_commit(&tap, slot);
}

static void record(unsigned int stream)
{
	record_as(stream, A_NUMBER, stream);
}

static int take(const struct ltt_reader_event *event, void *arg)
{
	u32 payload[2];

	(void)arg;
	memcpy(payload, event->fields, sizeof(payload));
	EXPECT(payload[0] < nr_channels * test_cpus && payload[1] < recorded, "torn");
	EXPECT(event->ts >= last_ts[payload[0]], "stream %u steps back", payload[0]);
	EXPECT(event->ts <= times[payload[1]], "another time");
	last_ts[payload[0]] = event->ts;
	taken++;
	return 0;
}

/* How many of those recorded must have been read by now. */
static unsigned int due(const struct ltt_reader *reader)
{
	unsigned int n = recorded;

	while (n && times[n - 1] > reader->watermark)
		n--;
	return n;
}

static bool ordered(const struct ltt_reader_stream *a, const struct ltt_reader_stream *b)
{
	if (a->tchan != b->tchan)
		return a->tchan->stream_id < b->tchan->stream_id;
	return a->cpu < b->cpu;
}

/* One look of the reader; takes what there is. */
static void look(struct ltt_reader *reader)
{
	unsigned int i;
	int err;

	err = ltt_reader_wait(reader, true);
	if (err != -EAGAIN && !err)
		err = ltt_reader_for_each(reader, take, NULL, &lost);
	EXPECT(!err || err == -EAGAIN, "error %d", err);
	for (i = 1; i < reader->nr_active; i++)
		EXPECT(ordered(reader->active[i - 1], reader->active[i]), "out of order");
}

static void check_taken(const struct ltt_reader *reader)
{
	if (ktap_failures)
		return;
	EXPECT(taken + lost >= due(reader), "%u taken, %lu lost, %u are due", taken, lost,
	       due(reader));
}

static void settle(struct ltt_reader *reader)
{
	unsigned int i;

	for (i = 0; i < 40 && reader->nr_active; i++)
		look(reader);
	EXPECT(!reader->nr_active, "%u streams are never at rest", reader->nr_active);
	for (i = 0; i < reader->nr; i++)
		EXPECT(!reader->streams[i]->cursor.pinned, "still pinned");
	EXPECT(taken + lost == recorded + dropped, "%u taken, %lu lost of %u", taken, lost,
	       recorded + dropped);
}

/* The trace has ended: all that is left. */
static void finish(struct ltt_reader *reader)
{
	unsigned int i;

	trace.dead = true;
	for (i = 0; i < 10 && !ltt_reader_finished(reader); i++)
		look(reader);
	EXPECT(ltt_reader_finished(reader), "no end");
	EXPECT(taken + lost == recorded + dropped, "%u taken, %lu lost of %u", taken, lost,
	       recorded + dropped);
	ltt_reader_close(reader);
}

/* A few streams have most of the events, all have some; with silence now and then. */
static void random_streams(unsigned int cpus, unsigned int channels, bool overwrite,
			   unsigned int rounds)
{
	unsigned long long state = 7 + overwrite;
	struct ltt_reader *reader, *second;
	unsigned int streams = cpus * channels, i, n;

	setup(cpus, channels, overwrite, rounds * 8 + 1);
	reader = ltt_reader_open(&trace, NULL);
	second = ltt_reader_open(&trace, NULL);	/* lets them rest as well */
	EXPECT(reader->nr == streams, "%u streams", reader->nr);
	for (i = 0; i < rounds && !ktap_failures; i++) {
		n = ktap_random(&state) % 8;
		while (n--)
			record(ktap_random(&state) & 3 ? ktap_random(&state) % 8 * 31 % streams :
			       ktap_random(&state) % streams);
		look(reader);
		check_taken(reader);
		if (!(ktap_random(&state) % 4)) {
			unsigned int before = taken;
			unsigned long lost_before = lost;
			u64 *keep = last_ts;

			last_ts = calloc(streams, sizeof(*last_ts));
			look(second);
			free(last_ts);
			last_ts = keep;
			taken = before;
			lost = lost_before;
		}
		if (!(ktap_random(&state) % 200) && !overwrite)
			settle(reader);
	}
	ltt_reader_close(second);
	finish(reader);
	teardown();
}

static void few_streams(void)
{
	random_streams(2, 3, false, 100000);
}

static void few_streams_overwrite(void)
{
	random_streams(2, 3, true, 100000);
}

static void many_streams(void)
{
	random_streams(MANY_CPUS, MANY_CHANNELS, false, 3000);
}

/* An event now and then, each time in another one of many streams. */
static void trickle(void)
{
	unsigned int streams = MANY_CPUS * MANY_CHANNELS, i, k, most = 0;
	struct ltt_reader *reader;

	setup(MANY_CPUS, MANY_CHANNELS, true, 1000);
	reader = ltt_reader_open(&trace, NULL);
	settle(reader);
	for (i = 0; i < 1000 && !ktap_failures; i++) {
		record((i * 61799u) % streams);
		for (k = 0; k < 4; k++) {
			look(reader);
			most = max(most, reader->nr_active);
		}
		check_taken(reader);
	}
	EXPECT(most <= 8, "%u streams are active", most);
	printf("# at most %u of %u streams are active\n", most, reader->nr);
	settle(reader);
	/* Their copies of sub-buffers have gone. */
	for (i = 0; i < reader->nr; i++)
		EXPECT(!reader->streams[i]->cursor.shadow, "memory of a stream at rest");
	finish(reader);
	teardown();
}

static u64 merged_ts;			/* of the last event */

/* Take the next event of an active stream. Return: false if there is none before the watermark. */
static bool fetch(struct ltt_reader *reader, unsigned int i)
{
	struct ltt_reader_event event;
	int ret = ltt_reader_next_event(reader, reader->active[i], &event);

	EXPECT(ret >= 0, "error %d", ret);
	if (ret <= 0)
		return false;
	take(&event, NULL);
	return true;
}

/* As the text does it: a merge of the active streams, up to the watermark. */
static void look_merged(struct ltt_reader *reader, struct ltt_merge *merge)
{
	unsigned int i, cpu;
	int err, top;

	err = ltt_reader_wait(reader, true);
	EXPECT(!err || err == -EAGAIN, "error %d", err);
	if (err)
		return;
	EXPECT(!ltt_merge_reset(merge, reader->nr_active), "no memory");
	for (i = 0; i < reader->nr_active; i++) {
		cpu = reader->active[i]->cpu;
		if (fetch(reader, i))
			ltt_merge_set(merge, i, cpu, last_ts[stream_of(reader->active[i])]);
	}
	ltt_merge_build(merge);
	while ((top = ltt_merge_top(merge)) >= 0 && !ktap_failures) {
		EXPECT(merge->top.ts >= merged_ts, "the merged events step back");
		merged_ts = merge->top.ts;
		if (fetch(reader, top))
			ltt_merge_update(merge, last_ts[stream_of(reader->active[top])]);
		else
			ltt_merge_exhaust(merge);
	}
	ltt_reader_release(reader);
}

/* Events anywhere, in bursts, and silence: one order, and as many matches as streams move. */
static void merged(void)
{
	unsigned int streams = MANY_CPUS * MANY_CHANNELS, i, k, n, most = 0;
	unsigned long long state = 11;
	struct ltt_reader *reader;
	struct ltt_merge merge;

	setup(MANY_CPUS, MANY_CHANNELS, false, 200000);
	merged_ts = 0;
	EXPECT(!ltt_merge_init(&merge, 1), "init");
	reader = ltt_reader_open(&trace, NULL);
	/* Each stream has some, and those that are full lose the rest. */
	for (i = 0; i < streams; i++)
		record(ktap_random(&state) % streams);
	for (i = 0; i < 40 && reader->nr_active; i++)
		look_merged(reader, &merge);
	EXPECT(!reader->nr_active && taken == recorded, "%u active, %u of %u taken",
	       reader->nr_active, taken, recorded);
	for (i = 0; i < 1000 && !ktap_failures; i++) {
		for (n = ktap_random(&state) % 32; n; n--)
			record(i * 61799u % streams / 8 * 8 + ktap_random(&state) % 8);
		for (k = 0; k < 4; k++) {
			look_merged(reader, &merge);
			most = max(most, reader->nr_active);
		}
	}
	for (i = 0; i < 40 && reader->nr_active; i++)
		look_merged(reader, &merge);
	EXPECT(taken == recorded && !dropped, "%u of %u taken, %u lost", taken, recorded, dropped);
	EXPECT(most <= 64, "a merge of %u streams", most);
	printf("# %u events in order, merges of at most %u streams\n", taken, most);
	finish(reader);
	ltt_merge_destroy(&merge);
	teardown();
}

/* All that is left is lost; but that is told. */
static void losses(void)
{
	struct ltt_reader *reader, *second;
	unsigned int i;

	setup(4, 4, false, 1000);
	reader = ltt_reader_open(&trace, NULL);
	second = ltt_reader_open(&trace, NULL);		/* reads nothing, and is in the way */
	for (i = 0; i < 200; i++)
		record(5);
	for (i = 0; i < 40; i++)
		look(reader);
	EXPECT(!reader->nr_active && dropped && lost == dropped, "%u active, %lu lost of %u",
	       reader->nr_active, lost, dropped);
	for (i = 0; i < 10; i++) {
		record(5);
		look(reader);
		look(reader);
		look(reader);
		EXPECT(lost == dropped, "%lu lost of %u", lost, dropped);
		if (i & 1)
			settle(reader);
	}
	ltt_reader_close(second);
	finish(reader);
	teardown();
}

/* The reader's own events, and others: the former are not hurried. */
static const struct own_case {
	const char *what;
	struct {
		unsigned int stream, type;
		u32 number;
	} events[3];
	bool own;
} own_cases[] = {
	{ "the reader", { { 0, A_PID, 100 } }, true },
	{ "the thread of grace periods", { { 0, A_PID, 300 } }, true },
	{ "a task of its name", { { 0, A_PID, 200 } }, false },
	{ "to an idle task", { { 0, PREV_PID, 100 }, { 0, NEXT_PID, 0 } }, true },
	{ "from an idle task", { { 0, PREV_PID, 0 }, { 1, NEXT_PID, 300 } }, true },
	{ "no task", { { 0, A_PID, 0 } }, false },
	{ "somebody else", { { 0, NEXT_PID, 7 } }, false },
	{ "somebody else later", { { 0, A_PID, 100 }, { 0, A_PID, 300 }, { 0, A_PID, 7 } }, false },
	{ "somebody else elsewhere", { { 0, A_PID, 100 }, { 1, A_PID, 7 } }, false },
	{ "a CPU after the reader", { { 0, A_PID, 100 }, { 0, A_CPU, 1 } }, true },
	{ "a CPU after nobody", { { 0, A_CPU, 1 } }, false },
	{ "a CPU before the reader", { { 0, A_CPU, 1 }, { 0, A_PID, 100 } }, false },
	{ "another channel", { { 0, FOREIGN_PID, 100 } }, false },
};

/* Without them time is only what the reader's own looks take. */
#define HURRIED		(200 * NSEC_PER_MSEC)
#define OWN_MAX		(500 * NSEC_PER_MSEC)

static int count_event(const struct ltt_reader_event *event, void *arg)
{
	(void)event;
	(void)arg;
	taken++;
	return 0;
}

/* Look until all has been taken. Return: how long that has taken, ns. */
static u64 time_to_take(struct ltt_reader *reader)
{
	const u64 begin = ss_clock;
	int err;

	while (taken < recorded && ss_clock - begin < 4 * OWN_MAX) {
		err = ltt_reader_wait(reader, true) ?:
		      ltt_reader_for_each(reader, count_event, NULL, &lost);
		EXPECT(!err || err == -EAGAIN, "error %d", err);
	}
	return ss_clock - begin;
}

static void expect_time(const char *what, u64 time, bool own)
{
	const u64 least = own ? OWN_MAX : 0;

	EXPECT(time >= least && time < least + HURRIED, "%s: after %llu ns", what, time);
}

static void own_events(bool overwrite)
{
	struct ltt_reader *reader;
	unsigned int i, k;

	setup(2, 1, overwrite, 1000);
	reader = ltt_reader_open(&trace, NULL);
	for (i = 0; i < ARRAY_SIZE(own_cases); i++) {
		const struct own_case *c = &own_cases[i];

		for (k = 0; k < ARRAY_SIZE(c->events) && c->events[k].type; k++)
			record_as(c->events[k].stream, c->events[k].type, c->events[k].number);
		expect_time(c->what, time_to_take(reader), c->own);
	}

	/* A worker is not only the reader. */
	test_tasks[0].flags = PF_WQ_WORKER;
	record_as(0, A_PID, 100);
	expect_time("a worker", time_to_take(reader), false);
	test_tasks[0].flags = 0;
	EXPECT(!lost && !dropped, "%lu lost", lost);
	finish(reader);
	teardown();
}

static void own_events_discard(void)
{
	own_events(false);
}

static void own_events_overwrite(void)
{
	own_events(true);
}

/* More of them while they wait: the first one is neither late nor hurried. */
static void more_own_events(bool overwrite)
{
	struct ltt_reader *reader;
	u64 begin;

	setup(2, 1, overwrite, 1000);
	reader = ltt_reader_open(&trace, NULL);
	record_as(0, A_PID, 100);
	begin = ss_clock;
	while (!taken && ss_clock - begin < 4 * OWN_MAX) {
		if (recorded < 8)
			record_as(0, A_PID, recorded & 1 ? 100 : 300);
		if (!ltt_reader_wait(reader, true))
			ltt_reader_for_each(reader, count_event, NULL, &lost);
	}
	expect_time("the first", ss_clock - begin, true);
	time_to_take(reader);
	finish(reader);
	teardown();
}

static void more_own_discard(void)
{
	more_own_events(false);
}

static void more_own_overwrite(void)
{
	more_own_events(true);
}

int main(void)
{
	static const struct ktap_case tests[] = {
		{ "events and silence in six streams", few_streams },
		{ "the same, in overwrite mode", few_streams_overwrite },
		{ "losses in streams at rest", losses },
		{ "the reader's own events", own_events_discard },
		{ "the same, in overwrite mode", own_events_overwrite },
		{ "more of them while they wait", more_own_discard },
		{ "the same, in overwrite mode", more_own_overwrite },
		{ "102,400 streams", many_streams },
		{ "a trickle in 102,400 streams", trickle },
		{ "102,400 streams, merged", merged },
	};

	define_all();
	return ktap_run(tests, ARRAY_SIZE(tests));
}
