// SPDX-License-Identifier: GPL-2.0
/*
 * The bridge's stages, which make probes of the kernel's trace events: what of a class
 * is recorded that does not behave.
 *
 * Built so that the stack is full of a pattern, and with headers from singlestep/shim.
 */
#include <linux/ltt/reserve.h>
#include <linux/ltt/gate.h>
#include <linux/ltt/unaligned.h>

#include "test_ring.h"
#include "../../../../kernel/trace/ltt-events/tracepoints/bytes.h"

#define PARAMS(args...)		args
#define TP_PROTO(args...)	args
#define TP_ARGS(args...)	args
#define TP_printk(args...)	args
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define rcu_dereference_raw(p)	(p)
#define preempt_disable_notrace() do { } while (0)
#define preempt_enable_notrace() do { } while (0)
#define __ltt_bridge_jump	noinline
#define LTT_BRIDGE_JUMPS	true
#define LTT_BRIDGE_ELEMENT(type) sizeof(type)

struct trace_entry {
	u64 none_of_ours;
};

struct ltt_marker {
	const struct ltt_tap *taps;
	const struct ltt_gate *gate;
};

struct three {
	u8 byte[3];
};

static bool plain, shared;
static unsigned long refused;
/* Where the record of a complete event was assigned. */
static const u8 *assigned_at;
static u8 scratch[LTT_BRIDGE_SCRATCH];

/* Only these events are complete. */
#undef LTT_BRIDGE_ASSIGNS_ALL
#define LTT_BRIDGE_ASSIGNS_ALL(_longs)					\
	(sizeof(__ltt_record) == sizeof(struct trace_event_raw_complete))

static bool ltt_bridge_plain(const struct ltt_tap *tap)
{
	return plain;
}

static bool ltt_bridge_plain_shared(const struct ltt_tap *tap)
{
	return shared;
}

static void *ltt_bridge_get(size_t size)
{
	if (size > sizeof(scratch))
		return NULL;
	return memset(scratch, 0, size);
}

static void ltt_bridge_put(void)
{
}

static u32 ltt_bridge_str_size(const char *s, u32 max)
{
	return strnlen(s, max) + 1;
}

static u8 *ltt_bridge_put_str(u8 *p, const char *s, u32 size)
{
	memcpy(p, s, size - 1);
	p[size - 1] = '\0';
	return p + size;
}

static void ltt_bridge_lost(const struct ltt_tap *tap)
{
	refused++;
}

static void ltt_bridge_preempt_enable(void)
{
}

static void ltt_bridge_publish(const struct ltt_tap *tap)
{
	tap->publish(this_cpu_ptr(tap->buf));
}

#define CLASSES								\
DECLARE_EVENT_CLASS(forgetful,						\
	TP_PROTO(u64 value),						\
	TP_ARGS(value),							\
	TP_STRUCT__entry(						\
		__field(u64, assigned)					\
		__field(u64, forgotten)					\
		__field(u16, also)					\
	),								\
	TP_fast_assign(__entry->assigned = value;),			\
	TP_printk()							\
)									\
DECLARE_EVENT_CLASS(complete,						\
	TP_PROTO(const u64 *value),					\
	TP_ARGS(value),							\
	TP_STRUCT__entry(						\
		__field(u64, first)					\
		__array(u64, other, 4)					\
	),								\
	TP_fast_assign(							\
		__entry->first = value[0];				\
		memcpy(__entry->other, value + 1, sizeof(__entry->other)); \
		assigned_at = (const u8 *)&__entry->first;		\
	),								\
	TP_printk()							\
)									\
DECLARE_EVENT_CLASS(careless,						\
	TP_PROTO(int len, const u16 *from),				\
	TP_ARGS(len, from),						\
	TP_STRUCT__entry(						\
		__field(u32, before)					\
		__dynamic_array(u16, array, len)			\
	),								\
	TP_fast_assign(							\
		__entry->before = 7;					\
		memcpy(__get_dynamic_array(array), from, len * sizeof(u16)); \
	),								\
	TP_printk()							\
)									\
DECLARE_EVENT_CLASS(named,						\
	TP_PROTO(const char *name, u16 n),				\
	TP_ARGS(name, n),						\
	TP_STRUCT__entry(						\
		__array(char, comm, 16)					\
		__field(u16, n)						\
		__array(u8, uuid, 2)					\
	),								\
	TP_fast_assign(							\
		memcpy(__entry->comm, name, 16);			\
		__entry->n = n;						\
	),								\
	TP_printk()							\
)									\
DECLARE_EVENT_CLASS(mixed,						\
	TP_PROTO(u8 small, const char *name),				\
	TP_ARGS(small, name),						\
	TP_STRUCT__entry(						\
		__field(u8, small)					\
		__array(u32, none, 0)					\
		__array(char, name, 17)					\
		__dynamic_array(u16, array, 1)				\
		__field(s32, number)					\
	),								\
	TP_fast_assign(							\
		__entry->small = small;					\
		memcpy(__entry->name, name, 17);			\
		*(u16 *)__get_dynamic_array(array) = 5;			\
		__entry->number = -7;					\
	),								\
	TP_printk()							\
)									\
DECLARE_EVENT_CLASS(four,						\
	TP_PROTO(u8 a, s16 b, u32 c, const void *d),			\
	TP_ARGS(a, b, c, d),						\
	TP_STRUCT__entry(						\
		__field(u8, a)						\
		__array(u32, none, 0)					\
		__field(s16, b)						\
		__field(u32, c)						\
		__field(const void *, d)				\
	),								\
	TP_fast_assign(							\
		__entry->a = a;						\
		__entry->b = b;						\
		__entry->c = c;						\
		__entry->d = d;						\
	),								\
	TP_printk()							\
)									\
DECLARE_EVENT_CLASS(five,						\
	TP_PROTO(u8 n),							\
	TP_ARGS(n),							\
	TP_STRUCT__entry(						\
		__field(u8, a) __field(u8, b) __field(u8, c) __field(u8, d) \
		__field(u8, e)						\
	),								\
	TP_fast_assign(__entry->e = n;),				\
	TP_printk()							\
)									\
DECLARE_EVENT_CLASS(odd,						\
	TP_PROTO(u8 n),							\
	TP_ARGS(n),							\
	TP_STRUCT__entry(						\
		__field_struct(struct three, three)			\
		__field(u8, n)						\
	),								\
	TP_fast_assign(							\
		__entry->three = (struct three){ { n, n, n } };		\
		__entry->n = n;						\
	),								\
	TP_printk()							\
)									\
DECLARE_EVENT_CLASS(sixteen,						\
	TP_PROTO(u8 n),							\
	TP_ARGS(n),							\
	TP_STRUCT__entry(						\
		__field(u8, a) __field(u8, b) __field(u8, c) __field(u8, d) \
		__field(u8, e) __field(u8, f) __field(u8, g) __field(u8, h) \
		__field(u8, i) __field(u8, j) __field(u8, k) __field(u8, l) \
		__field(u8, m) __field(u8, n) __field(u8, o) __field(u8, p) \
	),								\
	TP_fast_assign(__entry->p = n;),				\
	TP_printk()							\
)									\
DECLARE_EVENT_CLASS(seventeen,						\
	TP_PROTO(u8 n),							\
	TP_ARGS(n),							\
	TP_STRUCT__entry(						\
		__field(u8, a) __field(u8, b) __field(u8, c) __field(u8, d) \
		__field(u8, e) __field(u8, f) __field(u8, g) __field(u8, h) \
		__field(u8, i) __field(u8, j) __field(u8, k) __field(u8, l) \
		__field(u8, m) __field(u8, n) __field(u8, o) __field(u8, p) \
		__field(u8, q)						\
	),								\
	TP_fast_assign(__entry->q = n;),				\
	TP_printk()							\
)									\
DECLARE_EVENT_CLASS(long_named,						\
	TP_PROTO(const char *name, u16 n),				\
	TP_ARGS(name, n),						\
	TP_STRUCT__entry(						\
		__array(char, name, 17)					\
		__field(u16, n)						\
	),								\
	TP_fast_assign(							\
		memcpy(__entry->name, name, 17);			\
		__entry->n = n;						\
	),								\
	TP_printk()							\
)

#include "../../../../kernel/trace/ltt-events/tracepoints/stages/common.h"
#include "../../../../kernel/trace/ltt-events/tracepoints/stages/record.h"
CLASSES
#undef LTT_CLASS
#include "../../../../kernel/trace/ltt-events/tracepoints/stages/offsets.h"
CLASSES
#include "../../../../kernel/trace/ltt-events/tracepoints/stages/sizes.h"
CLASSES
#include "../../../../kernel/trace/ltt-events/tracepoints/stages/length.h"
CLASSES
#include "../../../../kernel/trace/ltt-events/tracepoints/stages/put.h"
CLASSES
#include "../../../../kernel/trace/ltt-events/tracepoints/stages/give.h"
CLASSES
#include "../../../../kernel/trace/ltt-events/tracepoints/stages/probe.h"
CLASSES

static struct ltt_counts counts;
static struct ltt_tap taps[] = {
	{ .reserve = ltt_reserve_tsc, .buf = &buf, .id = 1, .publish = ltt_buf_publish },
	{ }
};

static const struct ltt_gate gate = { .taps = taps };
static struct ltt_marker marker = { .taps = taps, .gate = &gate };

/* The payload of the only event. */
static const u8 *payload(void)
{
	return buf.sb[0].base + HEADER + LTT_HEADER_COMPACT;
}

static void test_forgotten(void)
{
	static const u8 zero[10];
	u64 value = 0x123456789abcdef;

	/* The first event of a packet does not take the fast path. */
	for (plain = false; ; plain = true) {
		setup(8, 2, false);
		ltt_bridge_probe_forgetful(&marker, 1);
		buf.write = HEADER;
		buf.frontier = HEADER;
		ltt_bridge_probe_forgetful(&marker, value);
		EXPECT(buf.frontier == HEADER + LTT_HEADER_COMPACT + 18, "frontier %lu",
		       buf.frontier);
		EXPECT(!memcmp(payload(), &value, 8), "not the value");
		EXPECT(!memcmp(payload() + 8, zero, 10), "%02x of what the stack held",
		       payload()[8]);
		teardown();
		if (plain)
			break;
	}
}

/* With a header of @header bytes; @fast: the second event, since the first of a packet is not. */
static void check_complete(size_t header, bool fast)
{
	const u64 value[] = { 1, 2, 3ull << 40, ~0ull, 5 };
	const u8 *at;

	setup(8, 2, false);
	taps[0].counts = shared ? &counts : NULL;
	ltt_bridge_probe_complete(&marker, value);
	memset(&counts, 0, sizeof(counts));
	buf.write = HEADER;
	buf.frontier = HEADER;
	ltt_bridge_probe_complete(&marker, value);
	at = buf.sb[0].base + HEADER + header;
	EXPECT(buf.frontier == HEADER + header + sizeof(value), "frontier %lu", buf.frontier);
	EXPECT(!memcmp(at, value, sizeof(value)), "not the values");
	EXPECT((assigned_at == at) == fast, "assigned in the buffer: %d", assigned_at == at);
	EXPECT(local_read(&counts.events) == shared, "%ld counted", local_read(&counts.events));
	taps[0].counts = NULL;
	teardown();
}

static void test_complete(void)
{
	plain = false;
	check_complete(LTT_HEADER_COMPACT, false);
	plain = true;
	check_complete(LTT_HEADER_COMPACT, true);
	plain = false;
	shared = true;
	check_complete(LTT_HEADER_COMPACT, true);
	taps[0].id = LTT_ID_WIDE;
	check_complete(LTT_HEADER_WIDE, true);
	taps[0].id = 1;
	shared = false;
}

static void test_length(void)
{
	static const u16 from[5000] = { 1, 2, 3 };
	static const int none[] = { -1, -2, -22, -32768, -65536, INT_MIN, 5000, 4096, INT_MAX };
	u32 head[2];
	size_t i;

	plain = false;
	setup(8, 2, false);
	ltt_bridge_probe_careless(&marker, 3, from);
	memcpy(head, payload(), sizeof(head));
	EXPECT(head[0] == 7 && head[1] == 3 && !memcmp(payload() + 8, from, 6), "not the array");
	EXPECT(!refused, "refused");
	for (i = 0; i < ARRAY_SIZE(none); i++) {
		refused = 0;
		ltt_bridge_probe_careless(&marker, none[i], from);
		EXPECT(refused == 1, "length %d was not refused", none[i]);
	}
	EXPECT(ltt_bridge_bytes((u64)-1, 1) > LTT_BRIDGE_SCRATCH &&
	       ltt_bridge_bytes((u32)-1, 8) > LTT_BRIDGE_SCRATCH &&
	       ltt_bridge_bytes(LTT_BRIDGE_SCRATCH, 1) == LTT_BRIDGE_SCRATCH &&
	       ltt_bridge_bytes(0, 4) == 0, "bytes");
	teardown();
}

/* A short array as it is, at the same place in all events; a long one up to its NUL. */
static void test_arrays(void)
{
	static const char name[17] = "sh\0as it was";
	u16 n = 0x1234;

	EXPECT(!sizeof(struct trace_event_data_offsets_named), "it has no constant size");
	for (plain = false; ; plain = true) {
		setup(8, 2, false);
		ltt_bridge_probe_named(&marker, name, n);
		buf.write = HEADER;
		buf.frontier = HEADER;
		ltt_bridge_probe_named(&marker, name, n);
		EXPECT(buf.frontier == HEADER + LTT_HEADER_COMPACT + 20, "frontier %lu",
		       buf.frontier);
		EXPECT(!memcmp(payload(), name, 16) && !memcmp(payload() + 16, &n, 2),
		       "not the array and the number");
		buf.write = HEADER;
		buf.frontier = HEADER;
		ltt_bridge_probe_long_named(&marker, name, n);
		EXPECT(buf.frontier == HEADER + LTT_HEADER_COMPACT + 5, "frontier %lu",
		       buf.frontier);
		EXPECT(!memcmp(payload(), "sh", 3) && !memcmp(payload() + 3, &n, 2),
		       "not the string and the number");
		teardown();
		if (plain)
			break;
	}
}

static u64 asked[LTT_BRIDGE_ASK];
static unsigned int times;
static bool with_name;
static char name_asked[18];
static const struct ltt_tap *answer;

static const struct ltt_tap *ask(const struct ltt_gate *self, const u64 *args)
{
	(void)self;
	times++;
	memcpy(asked, args, sizeof(asked));
	if (with_name)
		memcpy(name_asked, (const char *)asked[1], 17);
	return answer;
}

/* A gate sees the arguments of what is recorded then, if it lets it through. */
static void test_asked(void)
{
	static const char name[17] = "sh", full[18] = "seventeen letters";
	const struct ltt_gate with_filter = {
		.taps = taps, .decide = ask, .decides = true,
	};
	struct ltt_marker filtered = { .gate = &with_filter };

	setup(8, 2, false);
	answer = NULL;
	with_name = true;
	ltt_bridge_probe_mixed(&filtered, 200, name);
	EXPECT(times == 1, "asked %u times", times);
	EXPECT((u8)asked[0] == 200 && (s32)asked[3] == -7 && !strcmp(name_asked, "sh"),
	       "asked about %u '%s' %d", (u8)asked[0], name_asked, (s32)asked[3]);
	EXPECT(!buf.write || buf.frontier == buf.write, "recorded");
	answer = taps;
	ltt_bridge_probe_mixed(&filtered, 201, name);
	EXPECT(times == 2 && payload()[0] == 201, "not recorded");

	/* Not all can be handed over: the taps decide. */
	answer = NULL;
	ltt_bridge_probe_mixed(&filtered, 1, full);
	EXPECT(times == 2, "asked about a string without an end");
	times = 0;
	with_name = false;
	ltt_bridge_probe_seventeen(&filtered, 1);
	EXPECT(!times, "asked about 17 fields");
	ltt_bridge_probe_sixteen(&filtered, 99);
	EXPECT(times == 1 && (u8)asked[15] == 99, "asked %u times, about %u", times,
	       (u8)asked[15]);
	teardown();
}

static u64 few[LTT_ASK_FEW];

static void ask_then(__LTT_PARAMS4, ltt_then_fn *then)
{
	(void)gate;
	times++;
	memcpy(few, (u64[]){ a0, a1, a2, a3 }, sizeof(few));
	if (answer)
		then(answer, a0, a1, a2, a3);
}

/* A few integers go through a gate, and are what is recorded. */
static void test_few(void)
{
	const struct ltt_gate with_filter = {
		.taps = taps, .decide = ask, .ask_then = ask_then, .decides = true,
	};
	struct ltt_marker filtered = { .gate = &with_filter };
	struct __packed { u8 a; s16 b; u32 c; const void *d; } want = { 200, -3, 1u << 31, &buf };

	setup(8, 2, false);
	with_name = false;
	times = 0;
	answer = NULL;
	ltt_bridge_probe_four(&filtered, 199, -3, 1u << 31, &buf);
	EXPECT(times == 1, "asked %u times", times);
	EXPECT((u8)few[0] == 199 && (s16)few[1] == -3 && (u32)few[2] == 1u << 31 &&
	       few[3] == (unsigned long)&buf, "asked about something else");
	EXPECT(!buf.write || buf.frontier == buf.write, "recorded");
	answer = taps;
	ltt_bridge_probe_four(&filtered, 200, -3, 1u << 31, &buf);
	EXPECT(times == 2 && !memcmp(payload(), &want, sizeof(want)), "not recorded as it was");

	/* The same without a gate that has a filter. */
	buf.write = HEADER;
	buf.frontier = HEADER;
	want.a = 201;
	ltt_bridge_probe_four(&marker, 201, -3, 1u << 31, &buf);
	EXPECT(times == 2 && !memcmp(payload(), &want, sizeof(want)), "not recorded as it was");

	/* Not few, or not all of them integers. */
	answer = NULL;
	memset(few, 0, sizeof(few));
	ltt_bridge_probe_five(&filtered, 99);
	EXPECT(times == 3 && (u8)asked[4] == 99, "asked %u times, about %u", times, (u8)asked[4]);
	ltt_bridge_probe_odd(&filtered, 98);
	EXPECT(times == 4 && (u8)asked[1] == 98, "asked %u times, about %u", times, (u8)asked[1]);
	EXPECT(!few[0] && !few[1], "handed on");
	teardown();
}

static const struct ktap_case cases[] = {
	{ "fields that are not assigned are 0", test_forgotten },
	{ "records in the buffer, which may be shared", test_complete },
	{ "lengths that are none", test_length },
	{ "arrays of characters", test_arrays },
	{ "what a gate is asked", test_asked },
	{ "a few integers through a gate", test_few },
};

int main(void)
{
	return ktap_run(cases, ARRAY_SIZE(cases));
}
