/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: stage 9, the probe, and the description of each event.
 *
 * TP_fast_assign() fills a record. One of fixed size lies on the stack, where the
 * compiler can do away with it: it forwards what was assigned to where it is
 * stored. One with dynamic parts lies in memory of the CPU. Both are cleared first, since
 * not all classes assign all of their fields, and what the stack holds is nobody's
 * business: the compiler drops the zeros that are overwritten or not stored.
 *
 * Most events have plain fields only and go to one trace, which wants nothing but the
 * event: the probe itself does that, without a call or a stack frame: what it seldom does, it
 * jumps to at its end. It assigns when it has a reservation, so that values need not be kept
 * across that, unless they fit into a register. But TP_fast_assign() may oops, and a reservation
 * that is never committed costs other events, too (see ring_buffer.c): in shared buffers those of
 * all channels. For these there is another function of the same kind, which assigns before.
 * Where the event has the bytes of the record, and all of them are assigned, the record is in the
 * buffer, aligned or not. All other cases have a function of their own, which assigns first,
 * asks the gate, and enables preemption again, too.
 *
 * If the event has a few integers only, they go on in registers from there: to the gate, and from
 * there, or at once if there is none, to a function that makes a record of them again. So
 * what is decided is what is recorded, and what is rejected was never in memory.
 *
 * RCU is watching where a probe runs: the kernel sees to that before it calls the
 * probes of tracepoints in idle code. Probes may be preempted on newer kernels, those
 * of system calls since Linux 6.13, all since 7.0, so preemption is disabled here.
 */
#include "aliases.h"

#undef LTT_RECORD
#define LTT_RECORD entry

#undef __field
#define __field(type, item)
#undef __array
#define __array(type, item, len)
#undef __dynamic_array
#define __dynamic_array(type, item, len)				\
	entry->__data_loc_##item = __data_offsets->item;
#undef LTT_STRING
#define LTT_STRING(item, src)						\
	entry->__data_loc_##item = __data_offsets->item;

/*
 * Newer kernels take the source from __string(), older ones from here. What has
 * grown since it was measured is cut.
 */
#undef __assign_str
#define __assign_str(item, src...)					\
	ltt_bridge_assign_str(__get_str(item), __get_dynamic_array_len(item), \
			      (const char *)(__data_offsets->item##_ptr_, ##src))
#undef __assign_str_len
#define __assign_str_len(item, src, len)				\
	ltt_bridge_assign_len(__get_str(item), __get_dynamic_array_len(item), \
			      (const char *)(src), len)
#undef __assign_vstr
#define __assign_vstr(item, fmt, va)					\
	ltt_bridge_assign_vstr(__get_str(item), __get_dynamic_array_len(item), fmt, va)
#undef __get_bitmask
#define __get_bitmask(item)	((char *)__get_dynamic_array(item))
#undef __assign_bitmask
#define __assign_bitmask(item, src, nr_bits)				\
	memcpy(__get_bitmask(item), (src),				\
	       LTT_BITMASK_LONGS(nr_bits) * sizeof(long))
#undef __get_cpumask
#define __get_cpumask(item)	((char *)__get_dynamic_array(item))
#undef __assign_cpumask
#define __assign_cpumask(item, src)					\
	__assign_bitmask(item, src, nr_cpumask_bits)
#undef __assign_sockaddr
#define __assign_sockaddr(item, src, len)				\
	memcpy(__get_dynamic_array(item), (src), len)

#undef LTT_CLASS
#define LTT_CLASS(call, proto, args, tstruct, assign, print)		\
typedef struct trace_event_raw_##call ltt_bridge_anywhere_##call __attribute__((__aligned__(1))); \
									\
static __always_inline void ltt_bridge_assign_##call(			\
	ltt_bridge_anywhere_##call *entry,				\
	const struct trace_event_data_offsets_##call *__data_offsets, proto) \
{									\
	tstruct								\
	{ assign; }							\
}									\
									\
static __always_inline void						\
ltt_bridge_write_##call(const struct ltt_tap *__ltt_tap,		\
	struct trace_event_raw_##call *__ltt_record,			\
	struct trace_event_data_offsets_##call *__ltt_sizes)		\
{									\
	size_t __ltt_len = ltt_bridge_length_##call(__ltt_record, __ltt_sizes); \
	struct ltt_slot __ltt_slot;					\
									\
	do {								\
		__ltt_slot = ltt_reserve(__ltt_tap, __ltt_len);		\
		if (likely(__ltt_slot.p)) {				\
			ltt_bridge_put_##call(__ltt_slot.p, __ltt_record, \
					      __ltt_sizes);		\
			ltt_commit(__ltt_tap, __ltt_slot);		\
		}							\
	} while (unlikely((++__ltt_tap)->reserve));			\
}									\
									\
static noinline notrace void __maybe_unused				\
ltt_bridge_few_##call(const struct ltt_tap *__ltt_tap, u64 __ltt_a0,	\
		      u64 __ltt_a1, u64 __ltt_a2, u64 __ltt_a3)		\
{									\
	u64 __ltt_args[LTT_BRIDGE_ASK] = { __ltt_a0, __ltt_a1, __ltt_a2, __ltt_a3 }; \
	struct trace_event_data_offsets_##call __ltt_sizes;		\
	struct trace_event_raw_##call __ltt_record = {};		\
									\
	ltt_bridge_give_##call(__ltt_args, &__ltt_record, LTT_BRIDGE_TAKE); \
	ltt_bridge_write_##call(__ltt_tap, &__ltt_record, &__ltt_sizes); \
	preempt_enable_notrace();					\
}									\
									\
static __always_inline void						\
ltt_bridge_hand_on_##call(const struct ltt_gate *__ltt_gate, proto)	\
{									\
	struct trace_event_data_offsets_##call __ltt_sizes;		\
	struct trace_event_raw_##call __ltt_record = {};		\
	u64 __ltt_args[LTT_BRIDGE_ASK] = {};				\
									\
	ltt_bridge_assign_##call(&__ltt_record, &__ltt_sizes, args);	\
	ltt_bridge_give_##call(__ltt_args, &__ltt_record, LTT_BRIDGE_GIVE); \
	if (unlikely(__ltt_gate->decides))				\
		__ltt_gate->ask_then(__ltt_gate, __ltt_args[0], __ltt_args[1], \
				     __ltt_args[2], __ltt_args[3], ltt_bridge_few_##call); \
	else								\
		ltt_bridge_few_##call(__ltt_gate->taps, __ltt_args[0], __ltt_args[1], \
				      __ltt_args[2], __ltt_args[3]);	\
}									\
									\
static __ltt_bridge_jump void						\
ltt_bridge_record_##call(const struct ltt_marker *__ltt_marker, proto)	\
{									\
	struct trace_event_data_offsets_##call __ltt_sizes;		\
	struct trace_event_raw_##call __ltt_stack, *__ltt_record;	\
	const struct ltt_gate *__ltt_gate;				\
	u64 __ltt_args[LTT_BRIDGE_ASK];					\
	const struct ltt_tap *__ltt_tap;				\
	bool __ltt_on_stack;						\
	int __ltt_dynamic;						\
									\
	__ltt_gate = rcu_dereference_raw(__ltt_marker->gate);		\
	if (unlikely(!__ltt_gate))					\
		goto __ltt_out;						\
	if (LTT_BRIDGE_JUMPS && ltt_bridge_give_##call(NULL, NULL, LTT_BRIDGE_FEW)) { \
		ltt_bridge_hand_on_##call(__ltt_gate, args);		\
		return;							\
	}								\
	__ltt_dynamic = ltt_bridge_sizes_##call(&__ltt_sizes, args);	\
	__ltt_on_stack = __builtin_constant_p(__ltt_dynamic) && !__ltt_dynamic && \
			 sizeof(__ltt_stack) <= LTT_BRIDGE_STACK;	\
	if (__ltt_on_stack) {						\
		__builtin_memset(&__ltt_stack, 0, sizeof(__ltt_stack));	\
		__ltt_record = &__ltt_stack;				\
	} else {							\
		__ltt_record = ltt_bridge_get(sizeof(__ltt_stack) + __ltt_dynamic); \
		if (unlikely(!__ltt_record)) {				\
			ltt_bridge_lost(__ltt_gate->taps);		\
			goto __ltt_out;					\
		}							\
	}								\
	ltt_bridge_assign_##call(__ltt_record, &__ltt_sizes, args);	\
	__ltt_tap = __ltt_gate->taps;					\
	if (unlikely(__ltt_gate->decides) &&				\
	    likely(ltt_bridge_give_##call(__ltt_args, __ltt_record, LTT_BRIDGE_GIVE))) { \
		__ltt_tap = __ltt_gate->decide(__ltt_gate, __ltt_args);	\
		if (!__ltt_tap)						\
			goto __ltt_put;					\
	}								\
	ltt_bridge_write_##call(__ltt_tap, __ltt_record, &__ltt_sizes);	\
__ltt_put:								\
	if (!__ltt_on_stack)						\
		ltt_bridge_put();					\
__ltt_out:								\
	preempt_enable_notrace();					\
}									\
									\
static __always_inline bool ltt_bridge_quick_##call(void)			\
{									\
	struct trace_event_data_offsets_##call __ltt_sizes;		\
	struct trace_event_raw_##call __ltt_record = {};		\
									\
	/* Whatever may have no constant size needs room in there. */	\
	return !sizeof(__ltt_sizes) &&					\
	       ltt_bridge_length_##call(&__ltt_record, &__ltt_sizes) <= LTT_BRIDGE_FAST; \
}									\
									\
static __always_inline enum ltt_bridge_way				\
ltt_bridge_fast_##call(const struct ltt_tap *__ltt_tap, const bool __ltt_shared, proto) \
{									\
	struct trace_event_data_offsets_##call __ltt_sizes;		\
	struct trace_event_raw_##call __ltt_record = {};		\
	struct ltt_slot __ltt_slot;					\
	struct ltt_buf *__ltt_buf;					\
	bool __ltt_done, __ltt_early;					\
	size_t __ltt_len;						\
									\
	if (!ltt_bridge_quick_##call())				\
		return LTT_BRIDGE_SLOW;					\
	__ltt_len = ltt_bridge_length_##call(&__ltt_record, &__ltt_sizes); \
	__ltt_early = !LTT_BRIDGE_IN_PLACE(__ltt_record, __ltt_len) &&	\
		      (__ltt_shared || __ltt_len <= LTT_HEADER_COMPACT + LTT_BRIDGE_EARLY); \
	if (__ltt_early)						\
		ltt_bridge_assign_##call(&__ltt_record, &__ltt_sizes, args); \
	__ltt_buf = this_cpu_ptr(__ltt_tap->buf);			\
	if (__ltt_shared)						\
		__ltt_done = ltt_reserve_shared_fast(__ltt_tap, __ltt_buf, __ltt_len, \
						     ltt_clock_tsc_try, &__ltt_slot); \
	else								\
		__ltt_done = ltt_reserve_fast(__ltt_tap, __ltt_buf, __ltt_len, \
					      ltt_clock_tsc_try, &__ltt_slot); \
	if (unlikely(!__ltt_done))					\
		return LTT_BRIDGE_SLOW;					\
	if (LTT_BRIDGE_IN_PLACE(__ltt_record, __ltt_len)) {		\
		ltt_bridge_assign_##call(				\
			(void *)(__ltt_slot.p - sizeof(struct trace_entry)), &__ltt_sizes, \
			args);						\
	} else {							\
		if (!__ltt_early)					\
			ltt_bridge_assign_##call(&__ltt_record, &__ltt_sizes, args); \
		ltt_bridge_put_##call(__ltt_slot.p, &__ltt_record, &__ltt_sizes); \
	}								\
	return ltt_commit_only(NULL, __ltt_buf, __ltt_slot) ?		\
	       LTT_BRIDGE_DONE : LTT_BRIDGE_PUBLISH;			\
}									\
									\
static __ltt_bridge_jump void						\
ltt_bridge_shared_##call(const struct ltt_marker *__ltt_marker, proto)	\
{									\
	enum ltt_bridge_way __ltt_way = LTT_BRIDGE_SLOW;		\
	const struct ltt_tap *__ltt_tap;				\
									\
	__ltt_tap = rcu_dereference_raw(__ltt_marker->taps);		\
	if (likely(__ltt_tap) && likely(ltt_bridge_plain_shared(__ltt_tap))) \
		__ltt_way = ltt_bridge_fast_##call(__ltt_tap, true, args); \
	if (likely(__ltt_way == LTT_BRIDGE_DONE))			\
		ltt_bridge_preempt_enable();				\
	else if (unlikely(__ltt_way == LTT_BRIDGE_PUBLISH))		\
		ltt_bridge_publish(__ltt_tap);				\
	else								\
		ltt_bridge_record_##call(__ltt_marker, args);		\
}									\
									\
static notrace void ltt_bridge_probe_##call(void *__ltt_data, proto)	\
{									\
	const struct ltt_marker *__ltt_marker = __ltt_data;		\
	enum ltt_bridge_way __ltt_way = LTT_BRIDGE_SLOW;		\
	const struct ltt_tap *__ltt_tap;				\
									\
	preempt_disable_notrace();					\
	__ltt_tap = rcu_dereference_raw(__ltt_marker->taps);		\
	if (likely(__ltt_tap) && likely(ltt_bridge_plain(__ltt_tap)))	\
		__ltt_way = ltt_bridge_fast_##call(__ltt_tap, false, args); \
	if (likely(__ltt_way == LTT_BRIDGE_DONE))			\
		ltt_bridge_preempt_enable();				\
	else if (unlikely(__ltt_way == LTT_BRIDGE_PUBLISH))		\
		ltt_bridge_publish(__ltt_tap);				\
	else if (ltt_bridge_quick_##call() && __ltt_tap)		\
		ltt_bridge_shared_##call(__ltt_marker, args);		\
	else								\
		ltt_bridge_record_##call(__ltt_marker, args);		\
}

#define LTT_DESC(template, call, words_function, print_function)	\
static const struct ltt_bridge_desc ltt_bridge_desc_##call = {		\
	.system = __stringify(TRACE_SYSTEM),				\
	.channel = __stringify(TRACE_SYSTEM_VAR),			\
	.name = #call,							\
	.probe = ltt_bridge_probe_##template,				\
	.fields = ltt_bridge_fields_##template,				\
	.words = words_function,					\
	.print = print_function,					\
	.size = offsetof(struct trace_event_raw_##template, __data),	\
};									\
									\
static const struct ltt_bridge_desc *const ltt_bridge_entry_##call	\
	__used __section("ltt_bridge") = &ltt_bridge_desc_##call;	\
									\
static inline void __maybe_unused ltt_bridge_check_##call(void)		\
{									\
	check_trace_callback_type_##call(ltt_bridge_probe_##template);	\
}

#undef LTT_EVENT
#define LTT_EVENT(template, call, proto, args)				\
	LTT_DESC(template, call, ltt_bridge_print_words_##template,	\
		 LTT_PICK(LTT_NOFUNCTION_##template, ltt_bridge_print_##template))

#undef LTT_EVENT_PRINT
#define LTT_EVENT_PRINT(template, call, proto, args, print)		\
	LTT_DESC(template, call, ltt_bridge_print_words_event_##call,	\
		 LTT_PICK(LTT_NOFUNCTION_##call, ltt_bridge_print_event_##call))
