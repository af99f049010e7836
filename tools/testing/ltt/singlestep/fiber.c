// SPDX-License-Identifier: GPL-2.0
/*
 * Fibers, stepped with the trap flag of x86-64.
 *
 * IRETQ loads the instruction pointer, the flags and the stack pointer at once, in
 * user mode too: with the trap flag set, exactly one instruction of the fiber
 * runs, then the signal handler keeps the registers and leaves for the runner
 * without sigreturn(). The runner and its stack never see the trap flag.
 */

#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "fiber.h"

#define FLAG_TRAP	0x100ul
#define FLAGS_INIT	0x202ul		/* interrupts on, and the bit that is always set */

/* Used by the assembly below. */
u64 ss_frame[5];	/* as IRETQ wants it: rip, cs, flags, rsp, ss */
u64 ss_home;		/* stack pointer of the runner */

unsigned long ss_nr_traps;

static struct ss_fiber *current;
static u64 segment_cs, segment_ss;
static u8 signal_stack[65536] __attribute__((__aligned__(64)));

/* All but the stack pointer; offsets as in enum ss_reg. */
#define LOAD_REGISTERS							\
	"mov 0(%rdi), %rax; mov 8(%rdi), %rbx; mov 16(%rdi), %rcx\n\t"	\
	"mov 24(%rdi), %rdx; mov 32(%rdi), %rsi; mov 48(%rdi), %rbp\n\t" \
	"mov 64(%rdi), %r8; mov 72(%rdi), %r9; mov 80(%rdi), %r10\n\t"	\
	"mov 88(%rdi), %r11; mov 96(%rdi), %r12; mov 104(%rdi), %r13\n\t" \
	"mov 112(%rdi), %r14; mov 120(%rdi), %r15; mov 40(%rdi), %rdi\n\t"

asm(".text\n"
	".globl ss_enter\n"
	"ss_enter:\n\t"
	"push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n\t"
	"mov %rsp, ss_home(%rip)\n\t"
	LOAD_REGISTERS
	"lea ss_frame(%rip), %rsp\n\t"
	"iretq\n"
	/* The same without the trap flag, and without the slow IRETQ. */
	".globl ss_enter_free\n"
	"ss_enter_free:\n\t"
	"push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n\t"
	"mov %rsp, ss_home(%rip)\n\t"
	"mov 56(%rdi), %rsp\n\t"
	"push 128(%rdi); push 136(%rdi)\n\t"
	LOAD_REGISTERS
	"popfq\n\t"
	"ret\n"
	".globl ss_returned\n"
	"ss_returned:\n"
	".globl ss_leave\n"
	"ss_leave:\n\t"
	"mov ss_home(%rip), %rsp\n\t"
	"pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n\t"
	"cld\n\t"
	"ret\n");

static void on_trap(int sig, siginfo_t *info, void *context)
{
	static const u8 order[] = {
		REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP,
		REG_RSP, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13,
		REG_R14, REG_R15, REG_RIP, REG_EFL,
	};
	const greg_t *reg = ((const ucontext_t *)context)->uc_mcontext.gregs;
	int i;

	(void)info;
	if (!current) {
		fprintf(stderr, "signal %d outside of the code under test\n", sig);
		abort();
	}
	for (i = 0; i < SS_NR_REGS; i++)
		current->reg[i] = reg[order[i]];
	current->reg[SS_FLAGS] &= ~FLAG_TRAP;
	ss_leave();
}

void ss_fiber_setup(void)
{
	stack_t stack = { .ss_sp = signal_stack, .ss_size = sizeof(signal_stack) };
	struct sigaction action = {
		.sa_sigaction = on_trap,
		.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER,
	};

	sigemptyset(&action.sa_mask);
	if (sigaltstack(&stack, NULL) || sigaction(SIGTRAP, &action, NULL)) {
		perror("ss_fiber_setup");
		exit(1);
	}
	asm volatile("mov %%cs, %0" : "=r" (segment_cs));
	asm volatile("mov %%ss, %0" : "=r" (segment_ss));
}

void ss_fiber_start(struct ss_fiber *fiber, void *fn, u64 arg)
{
	u64 *top = (u64 *)(fiber->stack + SS_STACK_SIZE);

	memset(fiber->reg, 0, sizeof(fiber->reg));
	*--top = (u64)ss_returned;	/* the stack was aligned before the "call" */
	fiber->reg[SS_RSP] = (u64)top;
	fiber->reg[SS_RIP] = (u64)fn;
	fiber->reg[SS_RDI] = arg;
	fiber->reg[SS_FLAGS] = FLAGS_INIT;
}

/**
 * ss_fiber_step() - run one instruction
 * @fiber:	not finished
 *
 * Return: true if the function has returned.
 */
bool ss_fiber_step(struct ss_fiber *fiber)
{
	ss_nr_traps++;
	ss_frame[0] = fiber->reg[SS_RIP];
	ss_frame[1] = segment_cs;
	ss_frame[2] = fiber->reg[SS_FLAGS] | FLAG_TRAP;
	ss_frame[3] = fiber->reg[SS_RSP];
	ss_frame[4] = segment_ss;
	current = fiber;
	ss_enter(fiber->reg);
	current = NULL;
	if (fiber->reg[SS_RSP] < (u64)fiber->stack + 64) {
		fprintf(stderr, "stack of a fiber too small\n");
		abort();
	}
	return fiber->reg[SS_RIP] == (u64)ss_returned;
}

/* Run the rest of the function. */
void ss_fiber_finish(struct ss_fiber *fiber)
{
	ss_enter_free(fiber->reg);
}
