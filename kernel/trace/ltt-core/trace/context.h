/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: the values that a context may have.
 */
#ifndef _LTT_CORE_CONTEXT_H
#define _LTT_CORE_CONTEXT_H

#include <linux/types.h>

/* Maximum entries of a call stack. */
#define LTT_STACK_MAX		32u

enum ltt_context_id {
	LTT_CONTEXT_PID,
	LTT_CONTEXT_TID,
	LTT_CONTEXT_COMM,
	LTT_CONTEXT_PRIO,
	LTT_CONTEXT_NICE,
	LTT_CONTEXT_PPID,
	LTT_CONTEXT_CGROUP_ID,
	LTT_CONTEXT_CGROUP_NS,
	LTT_CONTEXT_IPC_NS,
	LTT_CONTEXT_MNT_NS,
	LTT_CONTEXT_NET_NS,
	LTT_CONTEXT_PID_NS,
	LTT_CONTEXT_TIME_NS,
	LTT_CONTEXT_USER_NS,
	LTT_CONTEXT_UTS_NS,
	LTT_CONTEXT_IRQ_STATE,
	LTT_CONTEXT_PREEMPT_COUNT,
	LTT_CONTEXT_KSTACK,
	LTT_CONTEXT_USTACK,
	LTT_NR_CONTEXTS
};

/**
 * struct ltt_context_value - a value that can be recorded
 * @name:	for users
 * @format:	its part of the context's format
 * @type:	type code
 * @room:	bytes it takes at most
 * @missing:	this kernel does not have it
 */
struct ltt_context_value {
	const char *name;
	const char *format;
	u32 type;
	u16 room;
	bool missing;
};

extern const struct ltt_context_value ltt_context_values[LTT_NR_CONTEXTS];

u8 *ltt_context_put(u8 *p, enum ltt_context_id id);

#endif /* _LTT_CORE_CONTEXT_H */
