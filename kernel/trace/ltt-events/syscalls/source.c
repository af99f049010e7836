// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: what generate.awk reads. Preprocessed, with macros kept, and never compiled.
 *
 * An architecture that wraps its system calls hides their prototypes, as none of
 * these functions exist there. We want what they say, not the functions.
 */
#undef CONFIG_ARCH_HAS_SYSCALL_WRAPPER

#include "headers.h"

#define __SYSCALL_NORETURN(nr, sym)	__SYSCALL(nr, sym)

#define __SYSCALL(nr, sym)		ltt_call native nr sym
#include <asm/syscalls_64.h>
#undef __SYSCALL

#ifdef CONFIG_IA32_EMULATION
#define __SYSCALL(nr, sym)		ltt_call compat nr sym
#define __SYSCALL_WITH_COMPAT(nr, sym, csym) ltt_call compat nr csym
#include <asm/syscalls_32.h>
#undef __SYSCALL
#endif

#ifdef CONFIG_X86_X32_ABI
#define __SYSCALL(nr, sym)		ltt_call x32 nr sym
#include <asm/syscalls_x32.h>
#undef __SYSCALL
#endif
