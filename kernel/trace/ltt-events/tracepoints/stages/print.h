/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: stage 8, a function that prints a record as the author of the event wants it.
 */
#undef LTT_RECORD
#define LTT_RECORD field
#undef REC
#define REC field

#undef TP_printk
#define TP_printk(fmt, args...)	fmt, ##args

#undef __get_bitmask
#define __get_bitmask(item)						\
	ltt_bridge_print_bitmask(p, __get_dynamic_array(item),		\
				 __get_dynamic_array_len(item))
#undef __get_cpumask
#define __get_cpumask(item)	__get_bitmask(item)

#undef __get_buf
#define __get_buf(len)		trace_seq_acquire(p, len)

#undef __print_flags
#define __print_flags(flag, delim, flag_array...)			\
	({								\
		static const struct trace_print_flags __flags[] =	\
			LTT_BRIDGE_TABLE(flag_array);			\
		trace_print_flags_seq(p, delim, flag, LTT_BRIDGE_FLAGS(__flags)); \
	})
#undef __print_symbolic
#define __print_symbolic(value, symbol_array...)			\
	({								\
		static const struct trace_print_flags __symbols[] =	\
			LTT_BRIDGE_TABLE(symbol_array);			\
		trace_print_symbols_seq(p, value, LTT_BRIDGE_FLAGS(__symbols)); \
	})
/* LTT is for 64-bit machines. */
#undef __print_flags_u64
#define __print_flags_u64	__print_flags
#undef __print_symbolic_u64
#define __print_symbolic_u64	__print_symbolic
#undef __print_hex
#define __print_hex(buf, len)		trace_print_hex_seq(p, buf, len, false)
#undef __print_hex_str
#define __print_hex_str(buf, len)	trace_print_hex_seq(p, buf, len, true)
#undef __print_array
#define __print_array(array, count, size)				\
	({								\
		BUILD_BUG_ON((size) != 1 && (size) != 2 && (size) != 4 && (size) != 8); \
		trace_print_array_seq(p, array, count, size);		\
	})
#undef __print_dynamic_array
#define __print_dynamic_array(item, size)				\
	__print_array(__get_dynamic_array(item),			\
		      __get_dynamic_array_len(item) / (size), size)
#undef __print_hex_dump
#define __print_hex_dump(prefix, type, rowsize, groupsize, buf, len, ascii) \
	trace_print_hex_dump_seq(p, prefix, type, rowsize, groupsize, buf, len, ascii)
#undef __print_ns_to_secs
#define __print_ns_to_secs(value)	((u64)(value) / NSEC_PER_SEC)
#undef __print_ns_without_secs
#define __print_ns_without_secs(value)	((u32)((u64)(value) % NSEC_PER_SEC))

#define LTT_PRINT_FUNCTION(function, template, print)			\
static void function(struct ltt_bridge_print *__ltt_print, const void *__ltt_record) \
{									\
	struct trace_event_raw_##template *field __maybe_unused = (void *)__ltt_record; \
	struct trace_seq *p __maybe_unused = __ltt_print->tmp;		\
									\
	ltt_bridge_printf(__ltt_print, print);				\
}

#define LTT_PRINT_CLASS(call, print)					\
	LTT_PRINT_FUNCTION(ltt_bridge_print_##call, call, PARAMS(print))
#define LTT_PRINT_EVENT(template, call, print)				\
	LTT_PRINT_FUNCTION(ltt_bridge_print_event_##call, template, PARAMS(print))

#undef LTT_CLASS
#define LTT_CLASS(call, proto, args, tstruct, assign, print)		\
	LTT_PICK(LTT_NOPRINT_##call, LTT_PRINT_CLASS)(call, PARAMS(print))

#undef LTT_EVENT_PRINT
#define LTT_EVENT_PRINT(template, call, proto, args, print)		\
	LTT_PICK(LTT_NOPRINT_##call, LTT_PRINT_EVENT)(template, call, PARAMS(print))
