/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: stage 5, a function that stores the fields of the record, one behind the
 * other, as the generated format says.
 */
#undef __field
#define __field(type, item)						\
	__builtin_memcpy(__ltt_p, &entry->item, sizeof(entry->item));	\
	__ltt_p += sizeof(entry->item);
#undef __array
#define __array(type, item, len)					\
	if (LTT_BRIDGE_IS_STR(type, item, len)) {			\
		__ltt_p = ltt_bridge_put_str(__ltt_p, (const char *)entry->item, \
					     __ltt_sizes->item[0]);	\
	} else {							\
		__builtin_memcpy(__ltt_p, entry->item, sizeof(entry->item)); \
		__ltt_p += sizeof(entry->item);				\
	}
#undef __dynamic_array
#define __dynamic_array(type, item, len)				\
{									\
	u32 __ltt_bytes = __get_dynamic_array_len(item);		\
	u32 __ltt_count = __ltt_bytes / LTT_BRIDGE_ELEMENT(type);	\
									\
	__builtin_memcpy(__ltt_p, &__ltt_count, sizeof(__ltt_count));	\
	__ltt_p += sizeof(__ltt_count);					\
	memcpy(__ltt_p, __get_dynamic_array(item), __ltt_bytes);	\
	__ltt_p += __ltt_bytes;						\
}
#undef LTT_STRING
#define LTT_STRING(item, src)						\
	__ltt_p = ltt_bridge_put_dyn(__ltt_p, __get_str(item), __ltt_sizes->item);

#undef LTT_CLASS
#define LTT_CLASS(call, proto, args, tstruct, assign, print)		\
static __always_inline void ltt_bridge_put_##call(u8 *__ltt_p,		\
	struct trace_event_raw_##call *entry,				\
	const struct trace_event_data_offsets_##call *__ltt_sizes)	\
{									\
	tstruct								\
}
