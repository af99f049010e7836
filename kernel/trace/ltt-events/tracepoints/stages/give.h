/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: stage 6, a function that hands the fields of a record to a gate, as far as gates look at
 * them: integers and strings. It returns false if they cannot be handed over: there are too many,
 * or a string has no NUL at the end of its room.
 *
 * The same function tells whether the fields are few and integers, and if so, takes them back: see
 * enum ltt_bridge_give.
 */
#include "aliases.h"

#undef __field
#define __field(type, item)						\
	if (!LTT_BRIDGE_IS_WORD(entry->item))				\
		__ltt_few &= !sizeof(entry->item);			\
	else if (__ltt_how == LTT_BRIDGE_TAKE && __ltt_nr < LTT_BRIDGE_ASK) \
		__builtin_memcpy((void *)&entry->item, (u8 *)&__ltt_args[__ltt_nr] + \
				 (LTT_HOST_BE ? sizeof(u64) - sizeof(entry->item) : 0), \
				 sizeof(entry->item));			\
	else if (__ltt_how == LTT_BRIDGE_GIVE && __ltt_nr < LTT_BRIDGE_ASK) \
		__ltt_args[__ltt_nr] = ltt_load_int((const void *)&entry->item, \
						    sizeof(entry->item), false, false); \
	__ltt_nr += !!sizeof(entry->item);
#undef __array
#define __array(type, item, len)					\
	if (__ltt_how == LTT_BRIDGE_GIVE && LTT_BRIDGE_IS_STR(type, item, len) && \
	    ((const char *)entry->item)[sizeof(entry->item) - 1])	\
		__ltt_whole = false;					\
	if (__ltt_how == LTT_BRIDGE_GIVE && LTT_BRIDGE_IS_TEXT(type, item) && \
	    __ltt_nr < LTT_BRIDGE_ASK)					\
		__ltt_args[__ltt_nr] = (unsigned long)entry->item;	\
	__ltt_few &= !sizeof(entry->item);				\
	__ltt_nr += !!sizeof(entry->item);
#undef __dynamic_array
#define __dynamic_array(type, item, len)				\
	__ltt_few = false;						\
	__ltt_nr++;
#undef LTT_STRING
#define LTT_STRING(item, src)						\
	if (__ltt_how == LTT_BRIDGE_GIVE &&				\
	    (!__get_dynamic_array_len(item) ||				\
	     __get_str(item)[__get_dynamic_array_len(item) - 1]))	\
		__ltt_whole = false;					\
	if (__ltt_how == LTT_BRIDGE_GIVE && __ltt_nr < LTT_BRIDGE_ASK)	\
		__ltt_args[__ltt_nr] = (unsigned long)__get_str(item);	\
	__ltt_few = false;						\
	__ltt_nr++;

#undef LTT_CLASS
#define LTT_CLASS(call, proto, args, tstruct, assign, print)		\
static __always_inline bool ltt_bridge_give_##call(u64 *__ltt_args,	\
	struct trace_event_raw_##call *entry,				\
	const enum ltt_bridge_give __ltt_how)				\
{									\
	bool __ltt_whole = true, __ltt_few = true;			\
	unsigned int __ltt_nr = 0;					\
									\
	tstruct								\
	if (__ltt_how == LTT_BRIDGE_GIVE)				\
		return __ltt_whole && __ltt_nr <= LTT_BRIDGE_ASK;	\
	return __ltt_few && __ltt_nr <= LTT_ASK_FEW;			\
}
