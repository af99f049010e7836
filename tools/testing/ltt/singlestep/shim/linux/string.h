/* SPDX-License-Identifier: GPL-2.0 */
/*
 * In the stepped build, copies of unknown length are string instructions like the
 * kernel's, not calls that leave the code under test.
 */
#ifndef _SS_LINUX_STRING_H
#define _SS_LINUX_STRING_H

#include_next <linux/string.h>

#ifdef SS_STEPPED
static __always_inline void *ss_memcpy(void *to, const void *from, size_t n)
{
	size_t words = n / 8;
	size_t bytes = n % 8;
	void *ret = to;

	asm volatile("rep movsq\n\t"
		     "mov %3, %%rcx\n\t"
		     "rep movsb"
		     : "+D" (to), "+S" (from), "+c" (words)
		     : "r" (bytes)
		     : "memory");
	return ret;
}

#define memcpy(to, from, n)						\
	(__builtin_constant_p(n) ? __builtin_memcpy(to, from, n) :	\
	 ss_memcpy(to, from, n))
#endif

#endif /* _SS_LINUX_STRING_H */
