/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Not for drivers: words that only one CPU writes, from nested contexts.
 *
 * The kernel's cmpxchg_local() hides the result flag of the instruction, which
 * costs a second comparison; newer kernels have try_cmpxchg_local().
 */
#ifndef _LINUX_LTT_LOCAL_H
#define _LINUX_LTT_LOCAL_H

#include <linux/compiler.h>
#include <linux/types.h>
#ifndef __x86_64__
#include <linux/atomic.h>
#endif

/**
 * ltt_read_local() - read a word that only contexts of this CPU change
 * @x:	the word; its value is to be used once
 *
 * No store of the same CPU can be seen half done, so it need not be READ_ONCE(), which
 * gcc never makes an operand of a comparison or subtraction: one instruction each.
 */
#define ltt_read_local(x)	data_race(x)

/**
 * ltt_try_cmpxchg_local() - replace *@ptr by @new if it is *@old
 * @ptr:	word written by one CPU only, but from nested contexts
 * @old:	expected value; updated to the value found on failure
 * @new:	new value
 *
 * One instruction without LOCK prefix on x86-64: atomic against interrupts and
 * NMIs of this CPU, not against other CPUs. Orders nothing.
 *
 * Return: true if *@ptr was replaced.
 */
static __always_inline bool
ltt_try_cmpxchg_local(unsigned long *ptr, unsigned long *old, unsigned long new)
{
#ifdef __x86_64__
	bool done;

	asm volatile("cmpxchgq %[new], %[ptr]"
		     : "=@ccz" (done), [ptr] "+m" (*ptr), "+a" (*old)
		     : [new] "r" (new)
		     : "memory");
	return done;
#else
	unsigned long seen = cmpxchg_local(ptr, *old, new);
	bool done = seen == *old;

	*old = seen;
	return done;
#endif
}

#endif /* _LINUX_LTT_LOCAL_H */
