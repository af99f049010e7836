// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: passing by a CPU that holds up grace periods.
 */

/**
 * DOC: a stuck CPU
 *
 * A CPU that does not leave the kernel holds up grace periods, and with them the watermark,
 * for all CPUs. That is when people look at traces. So when a grace period has taken longer
 * than the patience, the reader asks the CPUs one by one:
 *
 *	T = clock;  have each CPU answer;  W = T - margin - 1
 *
 * A CPU answers by showing that a moment after T has come at which it was in no writer. A writer
 * runs with preemption disabled from its reading of the clock to its commit. So in an interrupt
 * that finds the interrupted code preemptible there is no writer below, and what has nested into
 * that code before is over. All writers of this CPU that began before have committed, and
 * those that begin later read a clock that is not before T: the proof of the watermark
 * (reader.c) for this CPU alone. It does not matter to which buffers they write, or how many
 * there are.
 *
 * An idle CPU is not interrupted. If its idle time has grown since T, it has been in
 * the idle loop meanwhile, outside of interrupts. The idle loop has writers of its own,
 * those of its tracepoints, with preemption disabled like all others. They may have read the
 * clock before T only if the CPU, or the processor that a hypervisor makes of it, has not made a
 * step since; then their events come late, like those of CPUs that do not answer.
 *
 * CPUs that have not answered in time are silent: the watermark moves to W without them, and
 * stays a promise for the others only. The owner of the reader tells its users, and looks
 * whether an event is earlier than those before it. Silent CPUs are asked again in each
 * round, but not waited for. When a grace period that began after the last round has ended, no
 * CPU is silent any more.
 *
 * A CPU that loops with preemption disabled takes the interrupt, but is silent. It would be
 * possible to prove more, by moving the write position of each buffer, so that a writer below
 * starts anew: but that takes a sub-buffer of each one that is at a boundary, and time in the
 * interrupt for each channel. A CPU with interrupts disabled is silent, too: modules have no way
 * to send an NMI to a CPU. The others soon wait for it themselves, to flush a TLB or to change
 * code, and a reader that sleeps by a timer of that CPU does not wake up.
 *
 * Where the kernel does not count how deep preemption is disabled (CONFIG_PREEMPT_COUNT), only
 * interrupts of user space prove anything.
 *
 * The interrupt
 * -------------
 * Each CPU has one request (struct ask), which all readers share. It is sent when it is not
 * under way. rounds counts the rounds of all readers. The interrupt notes the value that it
 * sees, so that it answers every reader whose round began before.
 *
 * Memory barriers
 * ---------------
 *   begin_round:A / answer:A
 *	If the interrupt sees a round, it comes after the round's T was read: so do clock
 *	readings of later writers. Full barrier of begin_round:A pairs with ACQUIRE of answer:A.
 *
 *   answer:B / has_answered:A
 *	If the reader sees an answer, it sees what the CPU stored before: events, their
 *	frontiers, announcements of new buffers, stirs. RELEASE pairs with ACQUIRE.
 *
 *   was_idle:A
 *	If the reader sees that a CPU has gone idle, it sees what the CPU stored before. RMB pairs
 *	with the WMB of write_seqcount_begin() in tick_nohz_start_idle(); where that has none,
 *	with the order in which x86 stores (LTT_IDLE_IS_ORDERED).
 *
 * ask.busy is a lock of one bit, which the interrupt gives back.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/kernel_stat.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/tick.h>
#include <asm/irq_regs.h>
#include <linux/ltt/compat.h>

#include "reader_pass.h"
#include "../trace/core.h"

static unsigned int patience = 1000;
module_param(patience, uint, 0644);
MODULE_PARM_DESC(patience, "Milliseconds for which text waits for a CPU that is stuck in the kernel, 0: for ever (default: 1000)");

/* How long a round waits for answers, ns. */
#define ANSWER_TIME	(100 * NSEC_PER_MSEC)

/**
 * struct ask - a CPU's request
 * @csd:	the interrupt
 * @busy:	bit 0: it is under way
 * @answered:	the last round that the CPU has answered
 */
struct ask {
	call_single_data_t csd;
	unsigned long busy;
	unsigned long answered;
};

static DEFINE_PER_CPU(struct ask, asks);
static atomic_long_t rounds;

/**
 * struct ltt_pass - a reader's view of CPUs that are stuck
 * @running:	a round is under way
 * @round:	its number
 * @began:	ns, when it began
 * @watermark:	of this round
 * @reached:	of the last round that was taken
 * @since:	ns, time in the trace since when the silent ones have not answered
 * @waiting:	have not answered in this round
 * @silent:	had not answered at the end of the last one
 * @idle:	us, idle time of each CPU when the round began
 */
struct ltt_pass {
	bool running;
	unsigned long round;
	u64 began;
	u64 watermark;
	u64 reached;
	u64 since;
	cpumask_var_t waiting;
	cpumask_var_t silent;
	u64 idle[];
};

/* In an interrupt, or where the idle loop looks for requests: is there no writer below? */
static bool no_writer_below(void)
{
	struct pt_regs *regs = get_irq_regs();
	unsigned int depth = preempt_count() & ~HARDIRQ_MASK;

	if (!IS_ENABLED(CONFIG_PREEMPT_COUNT))
		return in_hardirq() && regs && user_mode(regs);
	/* The idle loop runs with preemption disabled, once. */
	return depth <= (is_idle_task(current) ? PREEMPT_OFFSET : 0);
}

static void answer(void *info)
{
	unsigned long round = atomic_long_read_acquire(&rounds);	/* LMM(answer:A) */
	struct ask *ask = info;

	if (no_writer_below())
		smp_store_release(&ask->answered, round);		/* LMM(answer:B) */
	clear_bit_unlock(0, &ask->busy);
}

static void ask_cpu(unsigned int cpu)
{
	struct ask *ask = per_cpu_ptr(&asks, cpu);

	if (test_and_set_bit_lock(0, &ask->busy))
		return;
	/* It may have gone offline. */
	if (smp_call_function_single_async(cpu, &ask->csd))
		clear_bit_unlock(0, &ask->busy);
}

static bool has_answered(const struct ltt_pass *pass, unsigned int cpu)
{
	const struct ask *ask = per_cpu_ptr(&asks, cpu);
	unsigned long answered = smp_load_acquire(&ask->answered);	/* LMM(has_answered:A) */

	return (long)(answered - pass->round) >= 0;
}

/*
 * us, also of when tasks that sleep there wait for I/O, which may begin or end meanwhile: what is
 * counted twice or not at all then is time in which the CPU is idle now. 0: idle CPUs have ticks.
 */
static u64 idle_time(unsigned int cpu)
{
	u64 idle = get_cpu_idle_time_us(cpu, NULL);

	return idle == (u64)-1 ? 0 : idle + get_cpu_iowait_time_us(cpu, NULL);
}

static bool was_idle(const struct ltt_pass *pass, unsigned int cpu)
{
	if (!LTT_IDLE_IS_ORDERED || idle_time(cpu) <= pass->idle[cpu])
		return false;
	smp_rmb();						/* LMM(was_idle:A) */
	return true;
}

/* Preemption is enabled, so this CPU has no writer under way. */
static bool is_here(unsigned int cpu)
{
	return cpu == raw_smp_processor_id();
}

static void begin_round(struct ltt_pass *pass, enum ltt_clock_id clock)
{
	unsigned int cpu;

	pass->watermark = ltt_clock_settled(clock);
	pass->round = atomic_long_inc_return(&rounds);			/* LMM(begin_round:A) */
	pass->began = ktime_get_ns();
	/* A CPU that comes later comes after T. */
	cpumask_copy(pass->waiting, cpu_online_mask);
	for_each_cpu(cpu, pass->waiting)
		pass->idle[cpu] = idle_time(cpu);
	pass->running = true;
}

/* Look for answers, and ask those that are busy. Return: CPUs that are worth waiting for. */
static bool ask_all(struct ltt_pass *pass)
{
	bool wait = false;
	unsigned int cpu;

	for_each_cpu(cpu, pass->waiting) {
		if (has_answered(pass, cpu) || was_idle(pass, cpu) || is_here(cpu) ||
		    !cpu_online(cpu)) {
			cpumask_clear_cpu(cpu, pass->waiting);
			continue;
		}
		ask_cpu(cpu);
		wait |= !cpumask_test_cpu(cpu, pass->silent);
	}
	return wait;
}

/**
 * ltt_pass_is_due() - has a grace period taken too long?
 * @gp_began:	ns, when it began
 *
 * Context: any.
 */
bool ltt_pass_is_due(u64 gp_began)
{
	unsigned int ms = READ_ONCE(patience);

	return ms && ktime_get_ns() - gp_began > (u64)ms * NSEC_PER_MSEC;
}

/**
 * ltt_pass_poll() - go on with a round, or begin one
 * @pass:	the reader's
 * @clock:	of the trace
 * @since:	ns, time in the trace before which all CPUs are known to have answered
 *
 * Each call but the first of a round interrupts the busy CPUs that have not answered.
 *
 * Context: task.
 * Return: true if the round has ended, see ltt_pass_take().
 */
bool ltt_pass_poll(struct ltt_pass *pass, enum ltt_clock_id clock, u64 since)
{
	if (!pass->running) {
		begin_round(pass, clock);
		if (cpumask_empty(pass->silent))
			pass->since = since;
		return false;
	}
	return !ask_all(pass) || ktime_get_ns() - pass->began > ANSWER_TIME;
}

/**
 * ltt_pass_take() - the watermark of a round that has ended
 * @pass:	the reader's, ltt_pass_poll() has returned true; the reader has looked for new
 *		buffers, and for what was stirred, since then
 *
 * Context: task.
 * Return: ns.
 */
u64 ltt_pass_take(struct ltt_pass *pass)
{
	cpumask_copy(pass->silent, pass->waiting);
	pass->reached = pass->watermark;
	pass->running = false;
	return pass->watermark;
}

/**
 * ltt_pass_forget() - a grace period has ended: nobody is stuck
 * @pass:	the reader's
 * @watermark:	ns, that of the grace period
 *
 * Context: task.
 */
void ltt_pass_forget(struct ltt_pass *pass, u64 watermark)
{
	pass->running = false;
	if (watermark >= pass->reached)
		cpumask_clear(pass->silent);
}

/**
 * ltt_pass_silent() - which CPUs do not answer?
 * @pass:	the reader's
 * @since:	receives since when, ns in the trace
 *
 * Context: task.
 * Return: the CPUs; changes in ltt_pass_take() and ltt_pass_forget().
 */
const struct cpumask *ltt_pass_silent(const struct ltt_pass *pass, u64 *since)
{
	*since = pass->since;
	return pass->silent;
}

/**
 * ltt_pass_alloc() - get ready
 *
 * Context: task; may sleep.
 * Return: a reader's struct ltt_pass; NULL: no memory.
 */
struct ltt_pass *ltt_pass_alloc(void)
{
	struct ltt_pass *pass = kvzalloc(struct_size(pass, idle, nr_cpu_ids), GFP_KERNEL_ACCOUNT);

	if (!pass)
		return NULL;
	if (!zalloc_cpumask_var(&pass->waiting, GFP_KERNEL))
		goto free;
	if (!zalloc_cpumask_var(&pass->silent, GFP_KERNEL))
		goto free_waiting;
	return pass;

free_waiting:
	free_cpumask_var(pass->waiting);
free:
	kvfree(pass);
	return NULL;
}

/**
 * ltt_pass_free() - undo ltt_pass_alloc()
 * @pass:	the reader's, or NULL
 *
 * Context: task; may sleep.
 */
void ltt_pass_free(struct ltt_pass *pass)
{
	if (!pass)
		return;
	free_cpumask_var(pass->silent);
	free_cpumask_var(pass->waiting);
	kvfree(pass);
}

/**
 * ltt_pass_init() - prepare the requests
 *
 * Context: task.
 */
void ltt_pass_init(void)
{
	struct ask *ask;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		ask = per_cpu_ptr(&asks, cpu);
		INIT_CSD(&ask->csd, answer, ask);
	}
}

/**
 * ltt_pass_exit() - wait for requests that are under way
 *
 * Context: task; sleeps until each CPU that was asked has taken the interrupt. There are no
 * readers.
 */
void ltt_pass_exit(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		while (test_bit_acquire(0, &per_cpu_ptr(&asks, cpu)->busy))
			msleep(20);
	}
	/* The interrupt that has cleared the bit has left our code. */
	synchronize_rcu();
}
