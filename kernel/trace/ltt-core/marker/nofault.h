/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: loads through arbitrary pointers, in any context, which fail instead of faulting.
 */
#ifndef _LTT_NOFAULT_H
#define _LTT_NOFAULT_H

#include <linux/compiler.h>
#include <linux/kcsan-checks.h>
#include <linux/mm.h>
#include <linux/types.h>
#include <linux/uaccess.h>
#include <linux/ltt/types.h>

#define LTT_SIMPLE_BEGIN	0xffff800000000000ul

/**
 * ltt_is_simple() - is a pointer in the range of almost all kernel pointers?
 * @ptr:	the pointer
 *
 * That is the upper half, less the fixed mappings at its end. Loads there, and up to
 * LTT_MAX_STR bytes behind, may fault, which the exception table handles, but are neither in
 * user space nor at a non-canonical address. Everything else is left to
 * copy_from_kernel_nofault(), which knows all the rules but takes more instructions for
 * one word than a whole short string should.
 *
 * Context: any, NMI included.
 */
static __always_inline bool ltt_is_simple(const void *ptr)
{
#ifdef CONFIG_X86
	return (unsigned long)ptr - LTT_SIMPLE_BEGIN <
	       MODULES_END - LTT_SIMPLE_BEGIN - LTT_MAX_STR;
#else
	return false;
#endif
}

/**
 * ltt_is_simple_in_page() - is it such a pointer, and to bytes of one page?
 * @ptr:	the pointer
 * @size:	how many bytes, less than a page
 *
 * Context: any, NMI included.
 */
static __always_inline bool ltt_is_simple_in_page(const void *ptr, size_t size)
{
#ifdef CONFIG_X86
	unsigned long at = (unsigned long)ptr - LTT_SIMPLE_BEGIN;

	/* Also where it is in its page. gcc would compute that anew. */
	OPTIMIZER_HIDE_VAR(at);
	return likely(at < MODULES_END - LTT_SIMPLE_BEGIN - LTT_MAX_STR) &&
	       likely(offset_in_page(at) <= PAGE_SIZE - size);
#else
	return false;
#endif
}

/**
 * ltt_copy_nofault() - copy_from_kernel_nofault() that may interrupt another
 * @to:		where to
 * @from:	where from, any address
 * @size:	how many bytes
 *
 * Both write current->pagefault_disabled, and the one in the interrupt leaves it as it was: a data
 * race that does no harm. What is written to @to is checked for races all the same.
 *
 * Context: any, NMI included.
 * Return: 0, or a negative error: @to may be anything then.
 */
static __always_inline long ltt_copy_nofault(void *to, const void *from, size_t size)
{
	kcsan_check_write(to, size);
	/* The count, as above. */
	return data_race(copy_from_kernel_nofault(to, from, size));
}

#define LTT_LOAD_NOFAULT(_bits)						\
static __always_inline bool						\
ltt_load_##_bits##_nofault(u##_bits value[1], const void *ptr, bool simple) \
{									\
	if (!simple)							\
		return !ltt_copy_nofault(value, ptr, (_bits) / 8);	\
	__get_kernel_nofault(value, ptr, u##_bits, fault);		\
	return true;							\
fault:									\
	return false;							\
}

/* @simple: by ltt_is_simple(). Return: false if it cannot be read; @value may be anything then. */
LTT_LOAD_NOFAULT(8)
LTT_LOAD_NOFAULT(16)
LTT_LOAD_NOFAULT(32)
LTT_LOAD_NOFAULT(64)

#endif /* _LTT_NOFAULT_H */
