// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: fetch programs are run.
 *
 * Memory is only ever read by functions that do not fault: what cannot be read is 0,
 * or the string "(fault)".
 */
#include <linux/export.h>
#include <linux/kallsyms.h>
#include <linux/kcsan-checks.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "../kprobes/probe.h"

static const char fault_text[] = "(fault)";

/* User strings are read in pieces that do not cross a boundary of this. */
#define PIECE	64u

static bool is_user_string(const struct ltt_fetch *arg)
{
	return arg->as == LTT_AS_STRING && arg->nr_steps &&
	       arg->step[arg->nr_steps - 1].user;
}

/**
 * ltt_fetch_layout() - distribute the scratch memory to the arguments
 * @def:	the definition
 *
 * Strings in user memory get what the others leave, in equal parts.
 *
 * Context: task.
 */
void ltt_fetch_layout(struct ltt_kprobe_def *def)
{
	unsigned int at = 0, strings = 0, share = 0;
	struct ltt_fetch *arg, *end = def->arg + def->nr_args;

	for (arg = def->arg; arg < end; arg++) {
		if (is_user_string(arg))
			strings++;
		else if (arg->as == LTT_AS_SYMSTR)
			arg->room = ALIGN(KSYM_SYMBOL_LEN, 8);
		else
			arg->room = ALIGN(arg->count * arg->size, 8);
		at += arg->room;
	}
	/* All the others together take less than two thirds. */
	BUILD_BUG_ON(LTT_KPROBE_ARGS * ALIGN(KSYM_SYMBOL_LEN, 8) > LTT_SCRATCH_SIZE * 2 / 3);
	BUILD_BUG_ON(LTT_FETCH_ELEMENTS * 8 > KSYM_SYMBOL_LEN);
	if (strings)
		share = min_t(unsigned int, LTT_MAX_STR,
			      round_down((LTT_SCRATCH_SIZE - at) / strings, 8));
	for (at = 0, arg = def->arg; arg < end; arg++) {
		if (is_user_string(arg))
			arg->room = share;
		arg->at = at;
		at += arg->room;
	}
}
EXPORT_SYMBOL_GPL(ltt_fetch_layout);

static nokprobe_inline bool read_memory(void *to, unsigned long addr, size_t size, bool user)
{
	kcsan_check_write(to, size);
	if (user)
		/* Each copy may interrupt another one, see ltt_copy_nofault(). */
		return !data_race(copy_from_user_nofault(to, (const void __user *)addr, size));
	/* As above. */
	return !data_race(copy_from_kernel_nofault(to, (const void *)addr, size));
}

/*
 * Entry @n of the stack, 0 outside of it: what regs_get_kernel_stack_nth() does, which is
 * not for modules where it is no inline function, as on arm64.
 */
static nokprobe_inline unsigned long stack_entry(struct pt_regs *regs, unsigned int n)
{
	unsigned long sp = kernel_stack_pointer(regs), value;
	unsigned long addr = sp + n * sizeof(value);

	if ((addr ^ sp) & ~(THREAD_SIZE - 1) || !read_memory(&value, addr, sizeof(value), false))
		return 0;
	return value;
}

static nokprobe_inline unsigned long first_value(const struct ltt_fetch *arg,
						 struct pt_regs *regs)
{
	switch (arg->from) {
	case LTT_FROM_REG:
		return regs_get_register(regs, arg->where);
	case LTT_FROM_STACK:
		return stack_entry(regs, arg->where);
	case LTT_FROM_SP:
		return kernel_stack_pointer(regs);
	case LTT_FROM_RETVAL:
		return regs_return_value(regs);
	case LTT_FROM_ARG:
		return regs_get_kernel_argument(regs, arg->where);
	case LTT_FROM_COMM:
		return (unsigned long)current->comm;
	default:
		return arg->where;
	}
}

static nokprobe_inline u64 bits_of(const struct ltt_fetch *arg, u64 value)
{
	if (!arg->right)
		return value;
	value <<= 64 - 8 * arg->size + arg->left;
	if (arg->is_signed)
		return (s64)value >> (64 - 8 * arg->size + arg->right);
	return value >> (64 - 8 * arg->size + arg->right);
}

static u64 read_int(const struct ltt_fetch *arg, unsigned long addr, bool user)
{
	union {
		u8 v8;
		u16 v16;
		u32 v32;
		u64 v64;
	} v;

	if (!read_memory(&v, addr, arg->size, user))
		return 0;
	switch (arg->size) {
	case 1:
		return bits_of(arg, v.v8);
	case 2:
		return bits_of(arg, v.v16);
	case 4:
		return bits_of(arg, v.v32);
	default:
		return bits_of(arg, v.v64);
	}
}

NOKPROBE_SYMBOL(read_int);

static void read_array(const struct ltt_fetch *arg, unsigned long addr, bool user, char *to)
{
	unsigned int i;
	u64 value;

	for (i = 0; i < arg->count; i++, addr += arg->size, to += arg->size) {
		value = read_int(arg, addr, user);
		switch (arg->size) {
		case 1:
			*(u8 *)to = value;
			break;
		case 2:
			*(u16 *)to = value;
			break;
		case 4:
			*(u32 *)to = value;
			break;
		default:
			*(u64 *)to = value;
			break;
		}
	}
}

NOKPROBE_SYMBOL(read_array);

static void read_user_string(char *to, size_t room, unsigned long addr)
{
	size_t len = 0, n, found;

	do {
		n = min_t(size_t, room - 1 - len, PIECE - (addr + len) % PIECE);
		if (!read_memory(to + len, addr + len, n, true)) {
			memcpy(to, fault_text, sizeof(fault_text));
			return;
		}
		found = strnlen(to + len, n);
		len += found;
	} while (found == n && len < room - 1);
	to[len] = '\0';
}

NOKPROBE_SYMBOL(read_user_string);

/*
 * Whoever may read the text is not known yet: what has no symbol is what %p says, a hash, and
 * not the address, as sprint_symbol() has it.
 */
static void symbol_text(char *to, unsigned long addr)
{
	sprint_symbol(to, addr);
	if (!strncmp(to, "0x", 2))
		snprintf(to, KSYM_SYMBOL_LEN, "%p", (void *)addr);
}

NOKPROBE_SYMBOL(symbol_text);

/* What the last memory access gives, or the first value if there is none. */
static void fetch_result(const struct ltt_fetch *arg, unsigned long value, char *to,
			 struct ltt_arg *result)
{
	bool memory = arg->nr_steps, user = false;

	if (memory) {
		value += arg->step[arg->nr_steps - 1].offset;
		user = arg->step[arg->nr_steps - 1].user;
	}
	switch (arg->as) {
	case LTT_AS_STRING:
		if (user) {
			read_user_string(to, arg->room, value);
			result->ptr = to;
		} else {
			result->ptr = (const void *)value;
		}
		break;
	case LTT_AS_SYMSTR:
		if (memory)
			value = read_int(arg, value, user);
		symbol_text(to, value);
		result->ptr = to;
		break;
	default:
		if (arg->count) {
			read_array(arg, value, user, to);
			result->ptr = to;
			result->n = arg->count;
		} else {
			result->value = memory ? read_int(arg, value, user) :
						 bits_of(arg, value);
		}
		break;
	}
}

NOKPROBE_SYMBOL(fetch_result);

/* An address on the way could not be read. */
static void fetch_fault(const struct ltt_fetch *arg, char *to, struct ltt_arg *result)
{
	if (arg->as == LTT_AS_STRING || arg->as == LTT_AS_SYMSTR) {
		result->ptr = fault_text;
	} else if (arg->count) {
		memset(to, 0, arg->room);
		result->ptr = to;
		result->n = arg->count;
	} else {
		result->value = 0;
	}
}

NOKPROBE_SYMBOL(fetch_fault);

/**
 * ltt_fetch_from() - fetch an argument
 * @arg:	its program
 * @value:	where that starts
 * @to:		arg->room bytes of scratch memory
 * @result:	receives the argument; may point to @to
 *
 * Context: any, NMI included. Does not fault.
 */
void ltt_fetch_from(const struct ltt_fetch *arg, unsigned long value, char *to,
		    struct ltt_arg *result)
{
	unsigned int k;

	for (k = 0; k + 1 < arg->nr_steps; k++) {
		if (!read_memory(&value, value + arg->step[k].offset, sizeof(value),
				 arg->step[k].user)) {
			fetch_fault(arg, to, result);
			return;
		}
	}
	fetch_result(arg, value, to, result);
}
EXPORT_SYMBOL_GPL(ltt_fetch_from);

NOKPROBE_SYMBOL(ltt_fetch_from);

/**
 * ltt_fetch() - fetch all arguments
 * @def:	the definition, after ltt_fetch_layout()
 * @regs:	registers at the probe
 * @room:	LTT_SCRATCH_SIZE bytes of scratch memory
 * @args:	receives the arguments; may point into @room
 *
 * Context: any, NMI included, preemption disabled. Does not fault.
 */
void ltt_fetch(const struct ltt_kprobe_def *def, struct pt_regs *regs, char *room,
	       struct ltt_arg *args)
{
	const struct ltt_fetch *arg;
	unsigned int i;

	for (i = 0; i < def->nr_args; i++) {
		arg = &def->arg[i];
		ltt_fetch_from(arg, first_value(arg, regs), room + arg->at, &args[i]);
	}
}

NOKPROBE_SYMBOL(ltt_fetch);
