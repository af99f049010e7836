/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: read in place of the kernel's file of this name, which a header of trace
 * events includes at its end. If CREATE_TRACE_POINTS is defined the header is read
 * again, once for each file stages/ has, which gives its macros another meaning.
 *
 * No include guard: each header of trace events wants it.
 */
#ifdef CREATE_TRACE_POINTS
#undef CREATE_TRACE_POINTS

#undef TRACE_INCLUDE
#undef __TRACE_INCLUDE

#ifndef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE TRACE_SYSTEM
#define LTT_UNDEF_INCLUDE_FILE
#endif

#ifndef TRACE_INCLUDE_PATH
#define __TRACE_INCLUDE(system) <trace/events/system.h>
#define LTT_UNDEF_INCLUDE_PATH
#else
#define __TRACE_INCLUDE(system) __stringify(TRACE_INCLUDE_PATH/system.h)
#endif

#define TRACE_INCLUDE(system) __TRACE_INCLUDE(system)

/* A header says so if its system's name cannot be part of one of C's. */
#ifndef TRACE_SYSTEM_VAR
#define TRACE_SYSTEM_VAR TRACE_SYSTEM
#define LTT_UNDEF_SYSTEM_VAR
#endif

#define TRACE_HEADER_MULTI_READ

#include "stages/common.h"

#include "stages/record.h"
#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)
#include "stages/offsets.h"
#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)
#include "stages/sizes.h"
#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)
#include "stages/length.h"
#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)
#include "stages/put.h"
#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)
#include "stages/give.h"
#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)
#include "stages/fields.h"
#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)
#include "stages/words.h"
#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)
#include "stages/print.h"
#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)
#include "stages/probe.h"
#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)

#undef TRACE_EVENT
#undef TRACE_EVENT_FN
#undef TRACE_EVENT_FN_COND
#undef TRACE_EVENT_CONDITION
#undef TRACE_EVENT_SYSCALL
#undef TRACE_EVENT_NOP
#undef DECLARE_EVENT_NOP
#undef DEFINE_EVENT_NOP
#undef DECLARE_EVENT_CLASS_NOP
#undef DECLARE_EVENT_CLASS
#undef DEFINE_EVENT
#undef DEFINE_EVENT_FN
#undef DEFINE_EVENT_PRINT
#undef DEFINE_EVENT_CONDITION
#undef TRACE_HEADER_MULTI_READ
#undef DECLARE_TRACE
#undef DECLARE_TRACE_CONDITION
#undef DECLARE_TRACE_EVENT
#undef DECLARE_TRACE_EVENT_CONDITION

#ifdef LTT_UNDEF_SYSTEM_VAR
#undef TRACE_SYSTEM_VAR
#undef LTT_UNDEF_SYSTEM_VAR
#endif

#ifdef LTT_UNDEF_INCLUDE_FILE
#undef TRACE_INCLUDE_FILE
#undef LTT_UNDEF_INCLUDE_FILE
#endif
#ifdef LTT_UNDEF_INCLUDE_PATH
#undef TRACE_INCLUDE_PATH
#undef LTT_UNDEF_INCLUDE_PATH
#endif

#define CREATE_TRACE_POINTS
#endif /* CREATE_TRACE_POINTS */
