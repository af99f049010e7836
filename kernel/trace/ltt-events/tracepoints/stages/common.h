/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: what is the same in all stages: every macro that defines events comes down
 * to LTT_CLASS(), LTT_EVENT() and LTT_EVENT_PRINT(), which the stages define.
 *
 * A class that cannot be compiled is left out by
 *
 *	#define LTT_SKIP_class ~, LTT_NOTHING
 *
 * before the header is included. Only the name of the macro that follows is chosen:
 * were the arguments handed on through one more macro with a variable number
 * of them, the commas that PARAMS() protects would be exposed.
 *
 * LTT_NOPRINT_class does the same for the text of its events alone.
 */
#define LTT_NOTHING(...)
#define LTT_PICK(_skip, _macro)		LTT_PICK_(_skip, _macro, ~)
#define LTT_PICK_(_first, _macro, ...)	_macro

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	LTT_PICK(LTT_SKIP_##name, LTT_CLASS)(name, PARAMS(proto), PARAMS(args), \
		PARAMS(tstruct), PARAMS(assign), PARAMS(print))

#undef DECLARE_EVENT_SYSCALL_CLASS
#define DECLARE_EVENT_SYSCALL_CLASS DECLARE_EVENT_CLASS

#undef DEFINE_EVENT
#define DEFINE_EVENT(template, name, proto, args)			\
	LTT_PICK(LTT_SKIP_##template, LTT_EVENT)(template, name, PARAMS(proto), \
		PARAMS(args))

#undef DEFINE_EVENT_FN
#define DEFINE_EVENT_FN(template, name, proto, args, reg, unreg)	\
	DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))

#undef DEFINE_EVENT_CONDITION
#define DEFINE_EVENT_CONDITION(template, name, proto, args, cond)	\
	DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))

#undef DEFINE_EVENT_PRINT
#define DEFINE_EVENT_PRINT(template, name, proto, args, print)		\
	LTT_PICK(LTT_SKIP_##template, LTT_EVENT_PRINT)(template, name,	\
		PARAMS(proto), PARAMS(args), PARAMS(print))

#undef TRACE_EVENT
#define TRACE_EVENT(name, proto, args, tstruct, assign, print)		\
	DECLARE_EVENT_CLASS(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct), \
			    PARAMS(assign), PARAMS(print))		\
	DEFINE_EVENT(name, name, PARAMS(proto), PARAMS(args))

#undef TRACE_EVENT_SYSCALL
#define TRACE_EVENT_SYSCALL(name, proto, args, tstruct, assign, print, reg, unreg) \
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct),	\
		    PARAMS(assign), PARAMS(print))

#undef TRACE_EVENT_FN
#define TRACE_EVENT_FN(name, proto, args, tstruct, assign, print, reg, unreg) \
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct),	\
		    PARAMS(assign), PARAMS(print))

#undef TRACE_EVENT_CONDITION
#define TRACE_EVENT_CONDITION(name, proto, args, cond, tstruct, assign, print) \
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct),	\
		    PARAMS(assign), PARAMS(print))

#undef TRACE_EVENT_FN_COND
#define TRACE_EVENT_FN_COND(name, proto, args, cond, tstruct, assign, print, reg, unreg) \
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct),	\
		    PARAMS(assign), PARAMS(print))

/* Not events. */
#undef DECLARE_TRACE
#define DECLARE_TRACE(name, proto, args)
#undef DECLARE_TRACE_CONDITION
#define DECLARE_TRACE_CONDITION(name, proto, args, cond)
#undef DECLARE_TRACE_SYSCALL
#define DECLARE_TRACE_SYSCALL(name, proto, args)
#undef DECLARE_TRACE_EVENT
#define DECLARE_TRACE_EVENT(name, proto, args)
#undef DECLARE_TRACE_EVENT_CONDITION
#define DECLARE_TRACE_EVENT_CONDITION(name, proto, args, cond)
#undef DECLARE_TRACE_EVENT_SYSCALL
#define DECLARE_TRACE_EVENT_SYSCALL(name, proto, args)
#undef DECLARE_EVENT_NOP
#define DECLARE_EVENT_NOP(name, proto, args)
#undef TRACE_EVENT_NOP
#define TRACE_EVENT_NOP(name, proto, args, tstruct, assign, print)
#undef DECLARE_EVENT_CLASS_NOP
#define DECLARE_EVENT_CLASS_NOP(name, proto, args, tstruct, assign, print)
#undef DEFINE_EVENT_NOP
#define DEFINE_EVENT_NOP(template, name, proto, args)
#undef TRACE_EVENT_FLAGS
#define TRACE_EVENT_FLAGS(event, flag)
#undef TRACE_EVENT_PERF_PERM
#define TRACE_EVENT_PERF_PERM(event, expr...)
#undef TRACE_DEFINE_ENUM
#define TRACE_DEFINE_ENUM(a)
#undef TRACE_DEFINE_SIZEOF
#define TRACE_DEFINE_SIZEOF(a)

#undef TP_STRUCT__entry
#define TP_STRUCT__entry(args...) args
#undef TP_fast_assign
#define TP_fast_assign(args...) args
#undef __perf_count
#define __perf_count(c) (c)
#undef __perf_task
#define __perf_task(t) (t)

#include "aliases.h"

/* The record, whose name differs from stage to stage. */
#undef __entry
#define __entry LTT_RECORD
#undef __get_dynamic_array
#define __get_dynamic_array(item)					\
	((void *)LTT_RECORD + (LTT_RECORD->__data_loc_##item & 0xffff))
#undef __get_dynamic_array_len
#define __get_dynamic_array_len(item)					\
	(LTT_RECORD->__data_loc_##item >> 16 & 0xffff)
#undef __get_str
#define __get_str(item)		((char *)__get_dynamic_array(item))
#undef __get_sockaddr
#define __get_sockaddr(item)	((struct sockaddr *)__get_dynamic_array(item))
