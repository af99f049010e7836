// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: gates, which decide about an event at its call site.
 *
 * A filter that rejects most events should cost less than recording them. So an event that
 * goes to one trace, with an expression as its filter, has no taps at its call sites. They look
 * for its gate then. That gets the arguments of the marker and returns the tap to record the
 * event with: one without a filter, which has been passed.
 *
 * An event with triggers, but no filter, has a gate, too. It has its tap with the triggers, which
 * is as slow as a filter; as long as no trigger can act, the gate returns the bare one.
 *
 * A gate does not know everything. It runs tests of bytes: in integers, in text up to the end of
 * a page, in the current task. If it comes to anything else, or to memory that it does not
 * trust, it returns the taps as they are, with the filter, which decides from the beginning:
 * see filter.c. Both have the same meaning, as both are made of the same expression, and
 * what a gate decides is what the event would have if it were recorded.
 */

#include <linux/container_of.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/ltt/marker.h>
#include <linux/ltt/ring_buffer.h>
#include <asm/current.h>

#include "../marker/nofault.h"
#include "core.h"
#include "event_filter.h"
#include "trigger.h"

/* ---- writers --------------------------------------------------------------- */

/* The only tap, without the filter. */
static __always_inline const struct ltt_tap *bare_of(const struct ltt_gate *gate)
{
	return container_of(gate, struct ltt_taps, gate)->bare;
}

/*
 * While the trace is stopped, nothing is counted. A hit that was counted is taken back by the
 * reserve function, which looks whether the trace records anyway.
 */
static __always_inline void count_hit(const struct ltt_gate *gate)
{
	this_cpu_inc(gate->counts->decided[true]);
}

static __always_inline void count_miss(const struct ltt_gate *gate)
{
	if (likely(raw_cpu_read(gate->buf->recording)) || raw_cpu_read(gate->buf->broken))
		this_cpu_inc(gate->counts->decided[false]);
}

static __always_inline const struct ltt_tap *settle(const struct ltt_gate *gate, bool pass)
{
	if (likely(pass)) {
		count_hit(gate);
		return bare_of(gate);
	}
	count_miss(gate);
	return NULL;
}

/* What cannot be read as it is has another text, see arg_copy.c. */
static __always_inline bool load_text(u64 *bytes, const u8 *from)
{
	return ltt_is_simple_in_page(from, sizeof(*bytes)) &&
	       ltt_load_64_nofault(bytes, from, true);
}

/* Whatever the filter is. */
static noinline notrace const struct ltt_tap *by_tests(const struct ltt_gate *gate,
						       const u64 *args)
{
	unsigned int nr = ltt_expr_try(gate->filter->args, (const u8 *)args,
				       (const u8 *)current, load_text);

	return likely(nr >= LTT_TEST_NO) ? settle(gate, nr == LTT_TEST_YES) : gate->taps;
}

/* All tests are of integers. */
static __always_inline const struct ltt_tap *by_values(const struct ltt_gate *gate,
						       const u64 *args)
{
	const struct ltt_expr_test *first = gate->filter->args->test, *test = gate->test;
	unsigned int nr;

	for (;;) {
		nr = ltt_expr_passes(test, args[test->at / sizeof(*args)]) ? test->yes : test->no;
		if (nr >= LTT_TEST_NO)
			return settle(gate, nr == LTT_TEST_YES);
		test = &first[nr];
	}
}

/* One test of an integer, which passes what the filter does. */
static __always_inline const struct ltt_tap *by_value(const struct ltt_gate *gate, const u64 *args)
{
	const struct ltt_expr_test *test = gate->test;

	return settle(gate, ltt_expr_passes(test, args[test->at / sizeof(*args)]));
}

/* The same of a text. */
static __always_inline const struct ltt_tap *by_text(const struct ltt_gate *gate, const u64 *args)
{
	const struct ltt_expr_test *test = gate->test;
	u64 bytes;

	if (unlikely(!load_text(&bytes, (const u8 *)args[test->at / sizeof(*args)])))
		return gate->taps;
	return settle(gate, ltt_expr_passes(test, bytes));
}

/* Triggers, which are asked again behind the tap. */
static noinline notrace const struct ltt_tap *by_triggers(const struct ltt_gate *gate,
							  const u64 *args)
{
	const struct ltt_trigger_set *set = gate->triggers;
	const struct ltt_event_filter *condition;
	const struct ltt_trigger_entry *entry;

	for (entry = set->entry; entry < set->entry + set->nr; entry++) {
		condition = entry->condition;
		if (READ_ONCE(entry->trigger->spent))
			continue;
		if (!condition || ltt_expr_try(condition->args, (const u8 *)args,
					       (const u8 *)current, load_text) != LTT_TEST_NO)
			return gate->taps;
	}
	return bare_of(gate);
}

/* One trigger, whose condition is one test of an integer. */
static __always_inline const struct ltt_tap *by_trigger(const struct ltt_gate *gate,
							const u64 *args)
{
	const struct ltt_expr_test *test = gate->test;

	if (likely(!ltt_expr_passes(test, args[test->at / sizeof(*args)])) ||
	    READ_ONCE(gate->triggers->entry[0].trigger->spent))
		return bare_of(gate);
	return gate->taps;
}

/* One test of an integer whose place is known. The gate has the constants, too. */
static __always_inline bool this_passes(const struct ltt_gate *gate, u64 value)
{
	const struct ltt_expr_test test = {
		.mask = gate->mask, .lo = gate->lo, .span = gate->span,
	};

	return ltt_expr_passes(&test, value);
}

#define FOR_ALL(m)	__LTT_FOR_ALL_NUMBERS(m, __LTT_NOTHING)

/* What call sites call: the same with arguments one by one, for each number of them. */
#define VALUES0		0
#define VALUES1		a0
#define VALUES2		VALUES1, a1
#define VALUES3		VALUES2, a2
#define VALUES4		VALUES3, a3
#define VALUES5		VALUES4, a4
#define VALUES6		VALUES5, a5
#define VALUES7		VALUES6, a6
#define VALUES8		VALUES7, a7
#define VALUES9		VALUES8, a8
#define VALUES10	VALUES9, a9
#define VALUES11	VALUES10, a10
#define VALUES12	VALUES11, a11
#define VALUES13	VALUES12, a12
#define VALUES14	VALUES13, a13
#define VALUES15	VALUES14, a14
#define VALUES16	VALUES15, a15

#define ASK(_by, _n)							\
static notrace const struct ltt_tap *					\
ask_##_by##_n(__LTT_PARAMS##_n)						\
{									\
	const u64 args[] = { VALUES##_n };				\
									\
	return by_##_by(gate, args);					\
}

#define DECIDE(_by)							\
static notrace const struct ltt_tap *decide_##_by(const struct ltt_gate *gate, const u64 *args) \
{									\
	return by_##_by(gate, args);					\
}

#define THEN(_by)							\
static notrace void then_##_by(__LTT_PARAMS4, ltt_then_fn then)		\
{									\
	const u64 args[] = { VALUES4 };					\
	const struct ltt_tap *tap = by_##_by(gate, args);		\
									\
	if (tap)							\
		then(tap, VALUES4);					\
	else								\
		preempt_enable_notrace();				\
}

/* Apart, so that who does not pass need not move the arguments out of its way. */
static noinline notrace void pass_few(__LTT_PARAMS4, ltt_then_fn then)
{
	count_hit(gate);
	then(bare_of(gate), VALUES4);
}

/* For an integer among the first arguments, which are in registers: no array of them. */
#define ASK_THIS(_nr, _n)						\
static notrace const struct ltt_tap *ask_##_nr##_of_##_n(__LTT_PARAMS##_n) \
{									\
	return settle(gate, this_passes(gate, a##_nr));			\
}

#define THEN_THIS(_nr)							\
static notrace void then_##_nr(__LTT_PARAMS4, ltt_then_fn then)		\
{									\
	if (likely(this_passes(gate, a##_nr))) {			\
		pass_few(gate, VALUES4, then);				\
	} else {							\
		count_miss(gate);					\
		preempt_enable_notrace();				\
	}								\
}

/* For each number of arguments above this one. */
#define ABOVE3(m)	m(4) m(5) m(6) m(7) m(8) m(9) m(10) m(11) m(12) m(13) m(14) m(15) m(16)
#define ABOVE2(m)	m(3) ABOVE3(m)
#define ABOVE1(m)	m(2) ABOVE2(m)
#define ABOVE0(m)	m(1) ABOVE1(m)

#define ASK_0(_n)	ASK_THIS(0, _n)
#define ASK_1(_n)	ASK_THIS(1, _n)
#define ASK_2(_n)	ASK_THIS(2, _n)
#define ASK_3(_n)	ASK_THIS(3, _n)
#define ASK_TESTS(_n)	ASK(tests, _n)
#define ASK_VALUES(_n)	ASK(values, _n)
#define ASK_TEXT(_n)	ASK(text, _n)
#define ASK_TRIGGERS(_n)	ASK(triggers, _n)
#define ASK_TRIGGER(_n)	ASK(trigger, _n)
#define ASK_NOTHING(_n)							\
static notrace const struct ltt_tap *ask_nothing##_n(__LTT_PARAMS##_n)	\
{									\
	return gate->taps;						\
}

FOR_ALL(ASK_TESTS)
FOR_ALL(ASK_VALUES)
ABOVE0(ASK_0)
ABOVE1(ASK_1)
ABOVE2(ASK_2)
ABOVE3(ASK_3)
FOR_ALL(ASK_TEXT)
FOR_ALL(ASK_TRIGGERS)
FOR_ALL(ASK_TRIGGER)
FOR_ALL(ASK_NOTHING)

DECIDE(tests)
DECIDE(values)
DECIDE(value)
DECIDE(text)
DECIDE(triggers)
DECIDE(trigger)

THEN(tests)
THEN(values)
THEN(text)
THEN(triggers)
THEN(trigger)
THEN_THIS(0)
THEN_THIS(1)
THEN_THIS(2)
THEN_THIS(3)

static notrace const struct ltt_tap *decide_nothing(const struct ltt_gate *gate, const u64 *args)
{
	return gate->taps;
}

#define TESTS(_n)	{ .ask##_n = ask_tests##_n },
#define VALUES(_n)	{ .ask##_n = ask_values##_n },
#define THIS(_nr, _n)							\
	[_n] = { .ask##_n = ask_##_nr##_of_##_n },
#define VALUE_0(_n)	THIS(0, _n)
#define VALUE_1(_n)	THIS(1, _n)
#define VALUE_2(_n)	THIS(2, _n)
#define VALUE_3(_n)	THIS(3, _n)
#define TEXT(_n)	{ .ask##_n = ask_text##_n },
#define TRIGGERS(_n)	{ .ask##_n = ask_triggers##_n },
#define TRIGGER(_n)	{ .ask##_n = ask_trigger##_n },
#define NOTHING(_n)	{ .ask##_n = ask_nothing##_n },

/**
 * struct way - a way to decide
 * @ask:	for call sites, by the number of their arguments
 * @decide:	for others
 * @ask_then:	for others that have few
 */
struct way {
	union ltt_gate_ask ask[LTT_ASK_MAX + 1];
	const struct ltt_tap *(*decide)(const struct ltt_gate *gate, const u64 *args);
	ltt_ask_then_fn *ask_then;
};

static const struct way way_tests = { { FOR_ALL(TESTS) }, decide_tests, then_tests };
static const struct way way_values = { { FOR_ALL(VALUES) }, decide_values, then_values };
static const struct way way_text = { { FOR_ALL(TEXT) }, decide_text, then_text };
static const struct way way_triggers = { { FOR_ALL(TRIGGERS) }, decide_triggers, then_triggers };
static const struct way way_trigger = { { FOR_ALL(TRIGGER) }, decide_trigger, then_trigger };
static const struct way way_nothing = { { FOR_ALL(NOTHING) }, decide_nothing };

/* One of the first arguments, by its number; or a later one. */
static const struct way way_value[] = {
	{ { ABOVE0(VALUE_0) }, decide_value, then_0 },
	{ { ABOVE1(VALUE_1) }, decide_value, then_1 },
	{ { ABOVE2(VALUE_2) }, decide_value, then_2 },
	{ { ABOVE3(VALUE_3) }, decide_value, then_3 },
	{ { FOR_ALL(VALUES) }, decide_value, then_values },
};

/* ---- gates ----------------------------------------------------------------- */

/* The first test of an expression; NULL if it decides without any. */
static const struct ltt_expr_test *first_test(const struct ltt_expr *expr)
{
	return expr->start < LTT_TEST_NO ? &expr->test[expr->start] : NULL;
}

static bool all_values(const struct ltt_expr *expr)
{
	unsigned int nr;

	for (nr = 0; nr <= expr->start; nr++) {
		if (expr->test[nr].place != LTT_PLACE_EVENT)
			return false;
	}
	return true;
}

static const struct way *way_of(const struct ltt_expr *expr)
{
	const struct ltt_expr_test *test = first_test(expr);

	if (test && test->yes == LTT_TEST_YES && test->no == LTT_TEST_NO) {
		if (test->place == LTT_PLACE_EVENT)
			return &way_value[min_t(size_t, test->at / sizeof(u64),
						ARRAY_SIZE(way_value) - 1)];
		if (test->place == LTT_PLACE_TEXT && !test->skip)
			return &way_text;
	}
	return test && all_values(expr) ? &way_values : &way_tests;
}

/* Does it decide anything before it needs more than tests of bytes? */
static bool can_begin(const struct ltt_expr *expr)
{
	const struct ltt_expr_test *test = first_test(expr);

	return !test || test->place != LTT_PLACE_STEPS;
}

/* There are triggers behind the only tap. Return: how to ask about them. */
static const struct way *ask_about_triggers(struct ltt_taps *taps)
{
	const struct ltt_trigger_set *set = ltt_filter_triggers(taps->tap[0].filter);
	const struct ltt_event_filter *condition = set->entry[0].condition;
	const struct ltt_expr_test *test;

	taps->bare[0] = taps->tap[0];
	if (!ltt_filter_quiet(&taps->bare[0]))
		return &way_nothing;
	taps->gate.triggers = set;
	taps->gate.decides = true;
	test = set->nr == 1 && condition ? first_test(condition->args) : NULL;
	if (!test || test->place != LTT_PLACE_EVENT || test->yes != LTT_TEST_YES ||
	    test->no != LTT_TEST_NO)
		return &way_triggers;
	taps->gate.test = test;
	return &way_trigger;
}

/**
 * ltt_gate_setup() - make the gate of an event
 * @taps:	its taps, complete but for the gate
 * @event:	the kind of event
 *
 * Context: task, ltt_mutex held.
 */
void ltt_gate_setup(struct ltt_taps *taps, const struct ltt_event *event)
{
	struct ltt_filter_chain *chain = taps->tap[0].filter;
	const struct ltt_event_filter *filter = NULL;
	const struct way *way = &way_nothing;
	struct ltt_gate *gate = &taps->gate;
	struct ltt_tap *bare = taps->bare;

	/* Tasks come first: see ltt_tasks_setup(). */
	if (taps->nr == 1 && chain && !taps->tap[0].tasks)
		filter = ltt_filter_only(chain);
	if (filter && can_begin(filter->args)) {
		bare[0] = taps->tap[0];
		bare[0].reserve = bare[0].direct;
		bare[0].filter = NULL;
		bare[0].hits = &filter->counts->decided[true];
		gate->filter = filter;
		gate->decides = true;
		gate->buf = bare[0].buf;
		gate->counts = filter->counts;
		gate->test = first_test(filter->args);
		if (gate->test) {
			gate->mask = gate->test->mask;
			gate->lo = gate->test->lo;
			gate->span = gate->test->span;
		}
		way = way_of(filter->args);
	} else if (taps->nr == 1 && ltt_filter_triggers(chain)) {
		way = ask_about_triggers(taps);
	}
	gate->taps = taps->tap;
	gate->decide = way->decide;
	gate->ask_then = way->ask_then;
	/* Probes may have more arguments than call sites: they hand them over in an array. */
	gate->ask = way->ask[min_t(unsigned int, event->nr_types, LTT_ASK_MAX)];
	if (way == &way_nothing)
		ltt_gate_record(taps, event);
}
