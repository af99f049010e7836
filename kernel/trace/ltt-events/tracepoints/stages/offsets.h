/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: stage 2, a structure for what has no fixed size: where dynamic parts are in
 * the record and where strings come from, later how many bytes they take in the
 * event. An array of fixed size has none of its elements.
 */
#undef __field
#define __field(type, item)
#undef __array
#define __array(type, item, len)		u32 item[LTT_BRIDGE_IS_STR(type, item, len)];
#undef __dynamic_array
#define __dynamic_array(type, item, len)	u32 item; const void *item##_ptr_;
#undef LTT_STRING
#define LTT_STRING(item, src)			u32 item; const void *item##_ptr_;

#undef LTT_CLASS
#define LTT_CLASS(call, proto, args, tstruct, assign, print)		\
	struct trace_event_data_offsets_##call {			\
		tstruct							\
	};
