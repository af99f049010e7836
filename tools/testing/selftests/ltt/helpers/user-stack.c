// SPDX-License-Identifier: GPL-2.0
/*
 * LTT test: a system call with a known call stack.
 *
 *	user-stack NUMBER
 *
 * Makes system call NUMBER, without arguments, in a function inner(), called from
 * outer(), called from main(). Prints the return addresses that the stack must show,
 * innermost first.
 */

#include <stdio.h>
#include <stdlib.h>

static void *stack[3];

static __attribute__((noinline, optimize("O0", "no-omit-frame-pointer"))) long inner(long number)
{
	long ret = number;

	stack[1] = __builtin_return_address(0);
#ifdef __x86_64__
	asm volatile("lea 1f(%%rip), %%rcx\n\t"
		     "mov %%rcx, %1\n\t"
		     "syscall\n"
		     "1:" : "+a" (ret), "=m" (stack[0]) : : "rcx", "r11", "memory");
#endif
	return ret;
}

static __attribute__((noinline, optimize("O0", "no-omit-frame-pointer"))) long outer(long number)
{
	stack[2] = __builtin_return_address(0);
	return inner(number) + 1;
}

__attribute__((optimize("O0", "no-omit-frame-pointer"))) int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	outer(atol(argv[1]));
	printf("0x%lx,0x%lx,0x%lx\n", (long)stack[0], (long)stack[1], (long)stack[2]);
	return 0;
}
