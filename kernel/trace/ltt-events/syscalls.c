// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: markers of system calls, by number.
 */

#include <linux/sched.h>
#include <asm/syscall.h>
#include <trace/events/syscalls.h>

#include "tracepoint.h"

static void probe_sys_enter(void *data, struct pt_regs *regs, long id)
{
	unsigned long args[6];

	syscall_get_arguments(current, regs, args);
	LTT_TRACEPOINT(raw_syscalls, sys_enter, "id %ld args %lx[6]",
		       id, ltt_array(args));
}

LTT_PROBE_CHECK(sys_enter)

static void probe_sys_exit(void *data, struct pt_regs *regs, long ret)
{
	LTT_TRACEPOINT(raw_syscalls, sys_exit, "id %ld ret %ld",
		       (long)syscall_get_nr(current, regs), ret);
}

LTT_PROBE_CHECK(sys_exit)

struct ltt_probe ltt_syscall_probes[] = {
	LTT_PROBE(sys_enter),
	LTT_PROBE(sys_exit),
	{}
};
