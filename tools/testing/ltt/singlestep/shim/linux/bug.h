/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel warns of fails a test. */
#ifndef _SS_LINUX_BUG_H
#define _SS_LINUX_BUG_H

#include <stdio.h>
#include <linux/compiler.h>

/* Told what holds and must not; NULL: the program ends. */
__attribute__((__weak__)) void (*ss_warned)(const char *what);

static __attribute__((__noinline__, __cold__, __unused__)) void ss_warn(const char *what)
{
	if (ss_warned) {
		ss_warned(what);
		return;
	}
	fprintf(stderr, "warning: %s\n", what);
	__builtin_trap();
}

#define WARN_ON_ONCE(cond)		\
({					\
	const _Bool _warn = !!(cond);	\
					\
	if (unlikely(_warn))		\
		ss_warn(#cond);		\
	_warn;				\
})

#endif /* _SS_LINUX_BUG_H */
