// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: for functions that headers of trace events call, and that the kernel does not
 * export. preamble.h puts these in their place, and macros where that will do.
 */

#include <linux/io_uring.h>
#include <linux/kernel.h>

#include "bridge.h"

/**
 * ltt_bridge_ptr_to_hashval() - what "%p" shows of a pointer
 * @ptr:	the pointer
 * @hash:	receives the number
 *
 * With "no_hash_pointers" on the kernel's command line that is the pointer itself, where
 * ptr_to_hashval() goes on to hide it.
 *
 * Context: any.
 * Return: 0; a negative errno while the kernel has no key to hash with.
 */
notrace int ltt_bridge_ptr_to_hashval(const void *ptr, unsigned long *hash)
{
	char text[2 * sizeof(ptr) + 1];

	snprintf(text, sizeof(text), "%p", ptr);
	return kstrtoul(text, 16, hash);
}

static const char *const io_uring_names[] = {
#include "gen/io_uring_names.h"
};

/**
 * ltt_bridge_io_uring_name() - the name of one of io_uring's operations
 * @op:		its number
 *
 * Context: any.
 * Return: the name, which is the constant's in the kernel's interface.
 */
notrace const char *ltt_bridge_io_uring_name(u8 op)
{
	return op < ARRAY_SIZE(io_uring_names) ? io_uring_names[op] : "INVALID";
}
