// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: events of system calls.
 *
 * All of this runs in the task that calls, at the edge of the kernel. Before Linux 6.13
 * preemption is disabled there, later it is not; we want it disabled from the first
 * look at the taps to the commit, which is also what keeps the strings of an event ours
 * (struct strings).
 *
 * No probe faults, also where the kernel would allow it. Removing this module, or any
 * other with probes, waits for the probes of all tracepoints that are running, and a fault
 * can take for ever: the page may be that of a file system in user space, or left to
 * userfaultfd. So a string whose page is not in memory is not recorded.
 */

#include <linux/nospec.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/ltt/ring_buffer.h>
#include <asm/syscall.h>
#include <asm/unistd.h>

#include "syscalls.h"

/**
 * struct strings - the strings of an event while it is made
 * @len:	bytes of each, with its NUL
 * @text:	the strings
 *
 * Read once from user memory, which can change at any time, so that what is reserved is
 * what is stored. Only one event is made at a time on a CPU: interrupts make no
 * system calls.
 */
struct strings {
	u16 len[LTT_SYS_STRINGS];
	char text[LTT_SYS_STRINGS][LTT_MAX_STR];
};

static struct strings __percpu *all_strings;

/**
 * ltt_sys_record_init() - get ready to record
 *
 * Context: task; may sleep.
 * Return: 0 or -ENOMEM.
 */
int ltt_sys_record_init(void)
{
	all_strings = alloc_percpu(struct strings);
	return all_strings ? 0 : -ENOMEM;
}

/**
 * ltt_sys_record_exit() - undo ltt_sys_record_init()
 *
 * Context: task; no probe is running.
 */
void ltt_sys_record_exit(void)
{
	free_percpu(all_strings);
}

/* Where the program has a string that is argument number @i. */
static const char __user *string_at(const struct ltt_sys_call *call,
				    const unsigned long *args, unsigned int i)
{
	/* The caller of a 32-bit system call may have left data in the upper half. */
	return (const char __user *)(call->is_32bit ? (u32)args[i] : args[i]);
}

/*
 * A string of the program, or why there is none. A page that is not in memory is not
 * brought in.
 */
static unsigned int get_string(char *text, const char __user *user)
{
	long len = -EFAULT;

	if (user) {
		pagefault_disable();
		len = strncpy_from_user(text, user, LTT_MAX_STR - 1);
		pagefault_enable();
	}
	if (unlikely(len < 0))
		len = strscpy(text, user ? "(fault)" : "(null)", LTT_MAX_STR);
	text[len] = '\0';
	return len + 1;
}

/* All strings among @args; returns their bytes. */
static noinline size_t get_strings(struct strings *strings, const struct ltt_sys_call *call,
				   const unsigned long *args)
{
	unsigned int i, nr = 0;
	size_t sum = 0;

	for (i = 0; i < call->nr_fields; i++) {
		if (call->size[i])
			continue;
		strings->len[nr] = get_string(strings->text[nr],
					      string_at(call, args, i));
		sum += strings->len[nr++];
	}
	return sum;
}

static __always_inline u8 *put_fields(u8 *p, const struct ltt_sys_call *call,
				      const unsigned long *args,
				      const struct strings *strings)
{
	unsigned int i, nr = 0;

	for (i = 0; i < call->nr_fields; i++) {
		if (likely(call->size[i])) {
			p = __ltt_put_int(&call->enter, i, p, args[i], call->size[i]);
			continue;
		}
		memcpy(p, strings->text[nr], strings->len[nr]);
		p += strings->len[nr++];
	}
	return p;
}

/*
 * The taps of a call's entry which has a filter. What strings are is known only when they have
 * been copied: that is for the filter behind the taps.
 */
static noinline const struct ltt_tap *ask_enter(const struct ltt_sys_call *call,
						const unsigned long *args)
{
	const struct ltt_gate *gate = rcu_dereference_raw(call->enter.gate);
	u64 values[LTT_SYS_FIELDS];
	unsigned int i;

	for (i = 0; i < call->nr_fields; i++)
		values[i] = call->size[i] ? args[i] : 0;
	return gate ? gate->decide(gate, values) : NULL;
}

static noinline const struct ltt_tap *ask_exit(const struct ltt_sys_call *call, int nr, long ret)
{
	const struct ltt_gate *gate = rcu_dereference_raw(call->exit.gate);
	const u64 values[] = { nr, ret };

	return gate ? gate->decide(gate, values + !call->has_nr) : NULL;
}

static void record_enter(const struct ltt_sys_call *call, const unsigned long *args)
{
	size_t len = LTT_HEADER_COMPACT + call->fixed;
	struct strings *strings = NULL;
	const struct ltt_tap *tap;
	struct ltt_slot slot;

	preempt_disable_notrace();
	tap = rcu_dereference_raw(call->enter.taps);
	if (unlikely(!tap))
		tap = ask_enter(call, args);
	if (!tap)
		goto out;
	if (call->nr_strings) {
		strings = this_cpu_ptr(all_strings);
		len += get_strings(strings, call, args);
	}
	for (; tap->reserve; tap++) {
		slot = ltt_reserve(tap, len);
		if (!slot.p)
			continue;
		put_fields(slot.p, call, args, strings);
		ltt_commit(tap, slot);
	}
out:
	preempt_enable_notrace();
}

static void record_exit(const struct ltt_sys_call *call, int nr, long ret)
{
	size_t len = LTT_HEADER_COMPACT + sizeof(ret) + (call->has_nr ? sizeof(nr) : 0);
	const struct ltt_tap *tap;
	struct ltt_slot slot;
	u8 *p;

	preempt_disable_notrace();
	tap = rcu_dereference_raw(call->exit.taps);
	if (unlikely(!tap))
		tap = ask_exit(call, nr, ret);
	if (!tap)
		goto out;
	for (; tap->reserve; tap++) {
		slot = ltt_reserve(tap, len);
		p = slot.p;
		if (!p)
			continue;
		if (call->has_nr)
			p = __ltt_put_int(&call->exit, 0, p, nr, sizeof(nr));
		__ltt_put_int(&call->exit, 1, p, ret, sizeof(ret));
		ltt_commit(tap, slot);
	}
out:
	preempt_enable_notrace();
}

/* User-mode Linux does not declare in_ia32_syscall(). */
static __always_inline bool is_ia32_syscall(void)
{
#ifdef CONFIG_IA32_EMULATION
	return in_ia32_syscall();
#else
	return false;
#endif
}

/* The call that @nr means to the current task. */
static __always_inline const struct ltt_sys_call *find_call(unsigned int nr)
{
	const struct ltt_sys_abi *abi = &ltt_sys_native_abi;

	if (is_ia32_syscall())
		abi = &ltt_sys_compat_abi;
#ifdef CONFIG_X86_X32_ABI
	else if (nr & __X32_SYSCALL_BIT && ltt_sys_x32_abi.nr) {
		abi = &ltt_sys_x32_abi;
		nr &= ~__X32_SYSCALL_BIT;
	}
#endif
	if (unlikely(nr >= abi->nr))
		return &abi->calls[abi->nr_calls - 1];
	return abi->by_nr[array_index_nospec(nr, abi->nr)];
}

/**
 * ltt_sys_probe_enter() - probe of the tracepoint sys_enter
 * @data:	not used
 * @regs:	the caller's
 * @id:		number of the call
 */
void ltt_sys_probe_enter(void *data, struct pt_regs *regs, long id)
{
	const struct ltt_sys_call *call = find_call(id);
	unsigned long args[LTT_SYS_FIELDS];

	if (!ltt_marker_is_recorded(&call->enter))
		return;
	args[0] = id;
	if (call->nr_fields)
		syscall_get_arguments(current, regs, args + call->has_nr);
	record_enter(call, args);
}

/**
 * ltt_sys_probe_exit() - probe of the tracepoint sys_exit
 * @data:	not used
 * @regs:	the caller's
 * @ret:	what the call returns
 *
 * The number is taken from where the entry had it. A signal handler's return has
 * restored the registers of what was interrupted, which tell of no call.
 */
void ltt_sys_probe_exit(void *data, struct pt_regs *regs, long ret)
{
	int nr = syscall_get_nr(current, regs);
	const struct ltt_sys_call *call;

	if (nr < 0)
		return;
	call = find_call(nr);
	if (ltt_marker_is_recorded(&call->exit))
		record_exit(call, nr, ret);
}
