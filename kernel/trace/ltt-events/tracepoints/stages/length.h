/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: stage 4, a function that tells how many bytes the record takes as an event,
 * compact header included, and remembers those of the strings.
 */
#include "aliases.h"

#undef LTT_RECORD
#define LTT_RECORD entry

#undef __field
#define __field(type, item)	__ltt_len += sizeof(entry->item);
#undef __array
#define __array(type, item, len)					\
	if (LTT_BRIDGE_IS_STR(type, item, len)) {			\
		__ltt_sizes->item[0] =					\
			ltt_bridge_str_size((const char *)entry->item,	\
					    sizeof(entry->item));	\
		__ltt_len += __ltt_sizes->item[0];			\
	} else {							\
		__ltt_len += sizeof(entry->item);			\
	}
#undef __dynamic_array
#define __dynamic_array(type, item, len)				\
	__ltt_len += sizeof(u32) + __get_dynamic_array_len(item);
#undef LTT_STRING
#define LTT_STRING(item, src)						\
	__ltt_sizes->item = ltt_bridge_dyn_size(__get_str(item),	\
						__get_dynamic_array_len(item)); \
	__ltt_len += __ltt_sizes->item;

#undef LTT_CLASS
#define LTT_CLASS(call, proto, args, tstruct, assign, print)		\
static __always_inline size_t ltt_bridge_length_##call(			\
	struct trace_event_raw_##call *entry,				\
	struct trace_event_data_offsets_##call *__ltt_sizes)		\
{									\
	size_t __ltt_len = LTT_HEADER_COMPACT;				\
									\
	tstruct								\
	return __ltt_len;						\
}
