/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: stage 3, a function that finds room for the dynamic parts in the record. It
 * returns the bytes of all of them; 0, a constant, for classes that have none. If a
 * length is none, as one below 0, that is more than there is room for.
 */
#undef __field
#define __field(type, item)
#undef __array
#define __array(type, item, len)

#undef __dynamic_array
#define __dynamic_array(type, item, len)				\
	__item_length = ltt_bridge_bytes(len, sizeof(type));		\
	__data_offsets->item = __data_size + offsetof(typeof(*entry), __data); \
	__data_offsets->item |= __item_length << 16;			\
	__data_size += __item_length;

#undef LTT_STRING
#undef __string
#define __string(item, src)						\
	__data_offsets->item##_ptr_ = (src) ?: (void *)"(null)";	\
	__dynamic_array(char, item,					\
			strlen((const char *)__data_offsets->item##_ptr_) + 1)
#undef __string_len
#define __string_len(item, src, len)					\
	__data_offsets->item##_ptr_ = (src) ?: (void *)"(null)";	\
	__dynamic_array(char, item, (len) + 1)
#undef __vstring
#define __vstring(item, fmt, ap)					\
	__dynamic_array(char, item, ltt_bridge_vstr_size(fmt, ap))

#define LTT_BITMASK_LONGS(nr_bits)	DIV_ROUND_UP(nr_bits, BITS_PER_LONG)
#undef __bitmask
#define __bitmask(item, nr_bits)					\
	__dynamic_array(unsigned long, item, LTT_BITMASK_LONGS(nr_bits))
#undef __cpumask
#define __cpumask(item)		__bitmask(item, nr_cpumask_bits)

#undef LTT_CLASS
#define LTT_CLASS(call, proto, args, tstruct, assign, print)		\
static __always_inline int ltt_bridge_sizes_##call(			\
	struct trace_event_data_offsets_##call *__data_offsets, proto)	\
{									\
	int __data_size = 0;						\
	int __maybe_unused __item_length;				\
	struct trace_event_raw_##call __maybe_unused *entry;		\
									\
	tstruct								\
	return __data_size;						\
}
