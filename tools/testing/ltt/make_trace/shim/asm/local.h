/* SPDX-License-Identifier: GPL-2.0 */
/* There is one thread: what is atomic in the kernel need not be. */
#ifndef _MAKER_ASM_LOCAL_H
#define _MAKER_ASM_LOCAL_H

#include <linux/compiler.h>

struct maker_local {
	long counter;
};

#define local_t struct maker_local

#define local_read(l)	READ_ONCE((l)->counter)

static inline void local_inc(local_t *l)
{
	l->counter++;
}

static inline long local_inc_return(local_t *l)
{
	return ++l->counter;
}

static inline void local_add(long n, local_t *l)
{
	l->counter += n;
}

static inline void local_sub(long n, local_t *l)
{
	l->counter -= n;
}

#endif /* _MAKER_ASM_LOCAL_H */
