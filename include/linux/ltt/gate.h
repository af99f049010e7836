/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Not for drivers: gates, which call sites ask about an event before they do anything else.
 *
 * A marker with a filter has no taps but a gate. A call site hands over its arguments, in
 * registers as far as there are some, and gets the taps to record the event with. So a rejected
 * event costs a call, and an array of arguments is not on the stack of those who have markers,
 * whose functions would have to protect it.
 */
#ifndef _LINUX_LTT_GATE_H
#define _LINUX_LTT_GATE_H

#include <linux/percpu.h>
#include <linux/types.h>

struct ltt_buf;
struct ltt_event_filter;
struct ltt_expr_test;
struct ltt_filter_counts;
struct ltt_gate;
struct ltt_tap;
struct ltt_trigger_set;

/* Parameters of a function that gets so many arguments. */
#define __LTT_PARAMS0	const struct ltt_gate *gate
#define __LTT_PARAMS1	__LTT_PARAMS0, u64 a0
#define __LTT_PARAMS2	__LTT_PARAMS1, u64 a1
#define __LTT_PARAMS3	__LTT_PARAMS2, u64 a2
#define __LTT_PARAMS4	__LTT_PARAMS3, u64 a3
#define __LTT_PARAMS5	__LTT_PARAMS4, u64 a4
#define __LTT_PARAMS6	__LTT_PARAMS5, u64 a5
#define __LTT_PARAMS7	__LTT_PARAMS6, u64 a6
#define __LTT_PARAMS8	__LTT_PARAMS7, u64 a7
#define __LTT_PARAMS9	__LTT_PARAMS8, u64 a8
#define __LTT_PARAMS10	__LTT_PARAMS9, u64 a9
#define __LTT_PARAMS11	__LTT_PARAMS10, u64 a10
#define __LTT_PARAMS12	__LTT_PARAMS11, u64 a11
#define __LTT_PARAMS13	__LTT_PARAMS12, u64 a12
#define __LTT_PARAMS14	__LTT_PARAMS13, u64 a13
#define __LTT_PARAMS15	__LTT_PARAMS14, u64 a14
#define __LTT_PARAMS16	__LTT_PARAMS15, u64 a15

/* For each number of arguments that a call site can have, and _end after each. */
#define __LTT_NOTHING
#define LTT_ASK_MAX	16
#define __LTT_FOR_ALL_NUMBERS(m, _end)					\
	m(0) _end m(1) _end m(2) _end m(3) _end m(4) _end m(5) _end	\
	m(6) _end m(7) _end m(8) _end m(9) _end m(10) _end m(11) _end	\
	m(12) _end m(13) _end m(14) _end m(15) _end m(16) _end

#define __LTT_ASK(_n)	const struct ltt_tap *(*ask##_n)(__LTT_PARAMS##_n)

/**
 * union ltt_gate_ask - the same function for each number of arguments
 *
 * See struct ltt_gate. Calls are made with the type of what is called.
 */
union ltt_gate_ask {
	__LTT_FOR_ALL_NUMBERS(__LTT_ASK, ;)
};

/*
 * Records an event of at most four arguments with these taps; ends with
 * preempt_enable_notrace().
 */
#define LTT_ASK_FEW	4
typedef void ltt_then_fn(const struct ltt_tap *taps, u64 a0, u64 a1, u64 a2, u64 a3);

/* See struct ltt_gate. */
typedef void ltt_ask_then_fn(__LTT_PARAMS4, ltt_then_fn *then);

/**
 * struct ltt_gate - decides about an event before there is anything of it but its arguments
 * @ask:	returns the taps that record an event with these arguments, NULL if none does,
 *		or if it has recorded the event itself, as it may if that is one string.
 *		An argument is an integer, in network byte order if its type says so, and what is
 *		above its size does not matter; or a pointer, NULL if it is to an array that
 *		has fewer elements than are recorded
 * @decide:	the same, with the arguments in an array; it records nothing
 * @ask_then:	the same, for at most four arguments; jumps to @then with the taps and them, so
 *		that nobody keeps the arguments meanwhile. If no tap records the event, it ends as
 *		@then does. NULL if it decides nothing
 * @taps:	all taps; those with filters decide for themselves
 * @decides:	there is a @filter, or there are @triggers, so it is to be asked
 * @filter:	of the only tap, if nothing else decides; else NULL
 * @buf:	buffers of the only tap
 * @counts:	what it decided
 * @test:	its first test, or NULL
 * @mask:	bits of an integer that it looks at
 * @lo:		the smallest value that passes
 * @span:	by how much others may be greater
 * @triggers:	of the only tap, if there is no filter; else NULL
 *
 * Where @decides is true, call sites have no taps, and look here; those whose only argument is a
 * string always do. Replaced with the taps.
 * What passed must be reserved: see struct ltt_tap.hits.
 *
 * Context of functions: that of the marker, NMI included; preemption disabled.
 */
struct ltt_gate {
	union ltt_gate_ask ask;
	const struct ltt_tap *(*decide)(const struct ltt_gate *self, const u64 *args);
	ltt_ask_then_fn *ask_then;
	const struct ltt_tap *taps;
	bool decides;
	const struct ltt_event_filter *filter;
	struct ltt_buf __percpu *buf;
	struct ltt_filter_counts __percpu *counts;
	const struct ltt_expr_test *test;
	u64 mask;
	u64 lo;
	u64 span;
	const struct ltt_trigger_set *triggers;
};

#endif /* _LINUX_LTT_GATE_H */
