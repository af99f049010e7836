/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A fiber runs a function of the code under test one instruction at a time, or
 * to its end. It is plain data: copying it and the memory that the function
 * works on, and copying them back later, goes back in time.
 */
#ifndef _SS_FIBER_H
#define _SS_FIBER_H

#include <linux/types.h>

enum ss_reg {
	SS_RAX, SS_RBX, SS_RCX, SS_RDX, SS_RSI, SS_RDI, SS_RBP, SS_RSP,
	SS_R8, SS_R9, SS_R10, SS_R11, SS_R12, SS_R13, SS_R14, SS_R15,
	SS_RIP, SS_FLAGS, SS_NR_REGS
};

#define SS_STACK_SIZE	768

/**
 * struct ss_fiber - a function that is on its way
 * @reg:	registers between two instructions; no other state is used, as the
 *		code under test is compiled without floating point
 * @stack:	the function's
 */
struct ss_fiber {
	u64 reg[SS_NR_REGS];
	u8 stack[SS_STACK_SIZE] __attribute__((__aligned__(16)));
};

void ss_fiber_setup(void);
void ss_fiber_start(struct ss_fiber *fiber, void *fn, u64 arg);
bool ss_fiber_step(struct ss_fiber *fiber);
void ss_fiber_finish(struct ss_fiber *fiber);

extern unsigned long ss_nr_traps;

/*
 * Assembly in fiber.c. Both return when the function has returned,
 * ss_enter() also when it was trapped.
 */
void ss_enter(const u64 *reg);
void ss_enter_free(const u64 *reg);
void ss_leave(void);
void ss_returned(void);

#endif /* _SS_FIBER_H */
