/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: stage 1, the record: the layout that the kernel's own tracer has in its
 * buffer, since TP_fast_assign() and TP_printk() are written for it. But its last member is
 * an array of no elements: with a flexible one, gcc never has a record in registers.
 */
#undef __field
#define __field(type, item)			type item;
#undef __array
#define __array(type, item, len)		type item[len];
#undef __dynamic_array
#define __dynamic_array(type, item, len)	u32 __data_loc_##item;
#define LTT_STRING(item, src)			u32 __data_loc_##item;

#define LTT_CLASS(call, proto, args, tstruct, assign, print)		\
	struct trace_event_raw_##call {					\
		struct trace_entry ent;					\
		tstruct							\
		char __data[0];						\
	};

#define LTT_EVENT(template, name, proto, args)
#define LTT_EVENT_PRINT(template, name, proto, args, print)
