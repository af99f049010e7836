// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the flush, which closes sub-buffers that are not full yet.
 *
 * Readers that take whole packets get them at a bounded delay when a channel has a
 * switch timer. The obvious timer fires periodically, looks at the buffers of all
 * CPUs and interrupts those that hold an open sub-buffer: it keeps waking the CPU that
 * it runs on, even if nothing happens on the whole machine. (A deferrable
 * timer would not, but then has no bound: it sleeps as long as its CPU, while
 * others fill their buffers.)
 *
 * Here each buffer has a timer of its own, armed when a sub-buffer is opened, by
 * the writer that opens it (struct ltt_subbuf_notifier), and fires once, on the same CPU,
 * where the sub-buffer can be closed without involving any other:
 *
 *	writer, any context  -> irq_work, on the same CPU -> timer, on the same CPU
 *
 * The irq_work is there because a timer can not be armed in an NMI or under the
 * scheduler's locks. Both run in hard interrupts, on PREEMPT_RT too: a softirq, and
 * with it a struct timer_list, may have to wait for ksoftirqd, which a real-time task
 * keeps from running. So:
 *
 *   - an idle CPU is woken once, and only if it holds unflushed data;
 *   - no CPU is interrupted by another one, except by ltt_trace_flush();
 *   - a sub-buffer that was opened is closed a period later, whatever the CPU is busy
 *     with outside of interrupts, or was filled.
 *
 * The timer has a tick of slack, so that a busy CPU closes its sub-buffers in an
 * interrupt that it takes anyway.
 *
 * However fast sub-buffers fill, there is one irq_work a period: notify() does
 * nothing while the timer is pending.
 *
 * CPUs that go offline
 * --------------------
 * The CPU runs its last irq_works after it is no longer online, and none after
 * that; notify() therefore does nothing in this state. Its hrtimers are given to another
 * CPU, on some kernels before these irq_works run and while it still records events: arm()
 * does nothing from then on, and a callback that finds itself on another CPU leaves the
 * buffer alone. What is left when the CPU is gone - a timer that has not fired, an open
 * sub-buffer - is dealt with by ltt_flush_dead_cpu().
 *
 * Flushes on request
 * ------------------
 * ltt_flush_queue() interrupts the CPUs that have an open sub-buffer, ltt_flush_wait() waits
 * for them. A CPU that keeps interrupts disabled delays the task that waits, which can be
 * killed, but nobody else: no lock is held meanwhile. The interrupt comes all the same, and
 * before the CPU goes offline.
 *
 * Memory barriers
 * ---------------
 *   ltt_flush_update:A
 *	See ring_buffer.c.
 *
 *   ltt_flush_wait:A
 *	If no interrupt is under way any more, the packet is complete. ACQUIRE pairs with
 *	the full barrier of atomic_dec_return() in close_here().
 */

#include <linux/cpu.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/minmax.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>
#include <linux/ltt/compat.h>
#include <linux/ltt/ring_buffer.h>

#include "core.h"

/* Pauses between two looks at a CPU that was interrupted, ns. */
#define PAUSE_MIN	(50u * NSEC_PER_USEC)
#define PAUSE_MAX	(20u * NSEC_PER_MSEC)

/**
 * struct ltt_flush - the switch timer of one buffer
 * @opened:	called when a sub-buffer was opened
 * @work:	arms @timer
 * @timer:	closes the sub-buffer
 * @csd:	closes it now
 * @closing:	calls of @csd that have not ended
 * @period:	ns
 * @buf:	the buffer
 * @cpu:	the buffer's
 * @clock:	of its trace
 */
struct ltt_flush {
	struct ltt_subbuf_notifier opened;
	struct irq_work work;
	struct hrtimer timer;
	call_single_data_t csd;
	atomic_t closing;
	ktime_t period;
	struct ltt_buf *buf;
	unsigned int cpu;
	enum ltt_clock_id clock;
};

static bool has_open(const struct ltt_buf *buf)
{
	return READ_ONCE(buf->write) & buf->off_mask;
}

/* Context: any, NMI included; preemption disabled. */
static notrace void notify(struct ltt_subbuf_notifier *opened)
{
	struct ltt_flush *flush = container_of(opened, struct ltt_flush, opened);
	int cpu = smp_processor_id();

	/*
	 * If the timer fires between this test and the commit, it closes this
	 * sub-buffer, which was opened before. If ltt_flush_update() cancels it, its
	 * caller sees that the sub-buffer is open, and closes it: see B there.
	 */
	smp_mb();	/* open, then is it queued? */
	if (hrtimer_is_queued(&flush->timer))
		return;
	if (unlikely(cpu_dying(cpu) && !cpu_online(cpu)))
		return;
	irq_work_queue(&flush->work);
}

/* On the buffer's CPU, in a hard interrupt. */
static void arm(struct irq_work *work)
{
	struct ltt_flush *flush = container_of(work, struct ltt_flush, work);
	ktime_t period;

	if (unlikely(!cpu_online(flush->cpu)) || hrtimer_is_queued(&flush->timer))
		return;
	/*
	 * Either ltt_flush_update() sees that the timer is queued, and cancels it, or its new
	 * period is seen here: see A there.
	 */
	do {
		period = READ_ONCE(flush->period);
		hrtimer_start_range_ns(&flush->timer, period, TICK_NSEC,
				       HRTIMER_MODE_REL_PINNED_HARD);
		smp_mb();	/* queued, then which period? */
	} while (period != READ_ONCE(flush->period));
}

/* In a hard interrupt, not always on the buffer's CPU: see above. */
static enum hrtimer_restart expire(struct hrtimer *timer)
{
	struct ltt_flush *flush = container_of(timer, struct ltt_flush, timer);

	if (likely(flush->cpu == smp_processor_id()))
		ltt_buf_close(flush->buf, flush->clock);
	return HRTIMER_NORESTART;
}

/* On the buffer's CPU, interrupts disabled. */
static void close_here(void *info)
{
	struct ltt_flush *flush = info;

	ltt_buf_close(flush->buf, flush->clock);
	atomic_dec_return(&flush->closing);
}

/**
 * ltt_flush_start() - prepare the switch timers of new buffers
 * @tchan:	the channel in the trace; its mem is initialised
 *
 * They run if params.switch_ms is not 0.
 *
 * Context: task, the trace's request mutex held; may sleep.
 * Return: 0 or -ENOMEM.
 */
int ltt_flush_start(struct ltt_trace_channel *tchan)
{
	struct ltt_flush *flush;
	unsigned int cpu;

	tchan->flush = alloc_percpu_gfp(struct ltt_flush, GFP_KERNEL | __GFP_NOWARN);
	if (!tchan->flush)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		flush = per_cpu_ptr(tchan->flush, cpu);
		flush->opened.notify = notify;
		flush->work = IRQ_WORK_INIT_HARD(arm);
		ltt_hrtimer_setup(&flush->timer, expire);
		INIT_CSD(&flush->csd, close_here, flush);
		atomic_set(&flush->closing, 0);
		flush->buf = per_cpu_ptr(tchan->mem, cpu);
		flush->cpu = cpu;
		flush->clock = tchan->trace->clock;
	}
	ltt_flush_update(tchan);
	return 0;
}

/**
 * ltt_flush_update() - params.switch_ms has changed
 * @tchan:	the channel in the trace
 *
 * Applies to sub-buffers that are opened from now on. The caller should flush those that
 * are open: their timers are cancelled.
 *
 * Context: task, the trace's request mutex held.
 */
void ltt_flush_update(struct ltt_trace_channel *tchan)
{
	unsigned int ms = tchan->params.switch_ms;
	struct ltt_flush *flush;
	unsigned int cpu;

	lockdep_assert_held(&tchan->trace->request);
	for_each_possible_cpu(cpu) {
		flush = per_cpu_ptr(tchan->flush, cpu);
		WRITE_ONCE(flush->period, ms_to_ktime(ms));
		/* LMM(ltt_flush_update:A) */
		smp_store_release(&flush->buf->opened, ms ? &flush->opened : NULL);
		/*
		 * As long as the timer is queued, with the period of before, none is armed.
		 * hrtimer_cancel() orders nothing if it is not.
		 */
		smp_mb();	/* A: period, then is it queued? Pairs with smp_mb() in arm() */
		hrtimer_cancel(&flush->timer);
	}
	smp_mb();	/* B: cancelled, then what is open? Pairs with smp_mb() in notify() */
}

/**
 * ltt_flush_stop() - undo ltt_flush_start()
 * @tchan:	the channel in the trace; need not have been started
 *
 * Context: task; sleeps. No writer is, or will ever be, in the buffers.
 */
void ltt_flush_stop(struct ltt_trace_channel *tchan)
{
	struct ltt_flush *flush;
	unsigned int cpu;

	if (!tchan->flush)
		return;
	for_each_possible_cpu(cpu) {
		flush = per_cpu_ptr(tchan->flush, cpu);
		WRITE_ONCE(flush->buf->opened, NULL);
		/* In this order: the first arms the second. */
		irq_work_sync(&flush->work);
		hrtimer_cancel(&flush->timer);
		while (atomic_read_acquire(&flush->closing))
			schedule_timeout_uninterruptible(1);
	}
	free_percpu(tchan->flush);
	tchan->flush = NULL;
}

/*
 * Its holder is the only writer of CPUs that are offline, to close their sub-buffers or give
 * up events in them. Inside the CPU hotplug lock.
 */
DEFINE_MUTEX(ltt_offline_mutex);

/* Its CPU is offline and stays so. */
static void close_offline(struct ltt_flush *flush)
{
	mutex_lock(&ltt_offline_mutex);
	preempt_disable();
	ltt_buf_close(flush->buf, flush->clock);
	preempt_enable();
	mutex_unlock(&ltt_offline_mutex);
}

/* Its CPU is online and stays so. */
static void close_online(struct ltt_flush *flush)
{
	atomic_inc(&flush->closing);
	/* Another call that has not begun yet does it for us. */
	if (smp_call_function_single_async(flush->cpu, &flush->csd))
		atomic_dec(&flush->closing);
}

/**
 * ltt_flush_queue() - begin to close the open sub-buffers of a channel
 * @tchan:	the channel in the trace, with buffers
 *
 * CPUs without an open sub-buffer are left alone.
 *
 * Context: task, ltt_mutex not held; takes the CPU hotplug lock, sleeps. The caller has a
 * reference to the trace.
 */
void ltt_flush_queue(struct ltt_trace_channel *tchan)
{
	struct ltt_flush *flush;
	unsigned int cpu;

	lockdep_assert_not_held(&ltt_mutex);
	cpus_read_lock();
	for_each_possible_cpu(cpu) {
		flush = per_cpu_ptr(tchan->flush, cpu);
		if (!has_open(flush->buf))
			continue;
		if (cpu_online(cpu))
			close_online(flush);
		else
			close_offline(flush);
	}
	cpus_read_unlock();
}

/**
 * ltt_flush_wait() - wait until what ltt_flush_queue() began is done
 * @tchan:	the channel in the trace, with buffers
 *
 * Context: task, no lock held that others need; sleeps.
 * Return: 0; -EINTR if the caller is being killed: sub-buffers are closed later.
 */
int ltt_flush_wait(struct ltt_trace_channel *tchan)
{
	struct ltt_flush *flush;
	unsigned int pause, cpu;
	ktime_t timeout;

	for_each_possible_cpu(cpu) {
		flush = per_cpu_ptr(tchan->flush, cpu);
		pause = PAUSE_MIN;
		while (atomic_read_acquire(&flush->closing)) {	/* LMM(ltt_flush_wait:A) */
			if (fatal_signal_pending(current))
				return -EINTR;
			timeout = ns_to_ktime(pause);
			set_current_state(TASK_KILLABLE);
			schedule_hrtimeout_range(&timeout, pause / 4, HRTIMER_MODE_REL);
			pause = min(2 * pause, PAUSE_MAX);
		}
	}
	return 0;
}

/**
 * ltt_flush_tchan() - close the open sub-buffers of a channel now
 * @tchan:	the channel in the trace, with buffers
 *
 * Context: as for ltt_flush_queue() and ltt_flush_wait().
 * Return: 0; -EINTR if the caller is being killed: sub-buffers are closed later.
 */
int ltt_flush_tchan(struct ltt_trace_channel *tchan)
{
	ltt_flush_queue(tchan);
	return ltt_flush_wait(tchan);
}

/**
 * ltt_flush_dead_cpu() - complete the last packet of a CPU that went offline
 * @tchan:	the channel in the trace, with memory
 * @cpu:	the CPU
 *
 * Context: task, in a hotplug callback on another CPU; sleeps.
 */
void ltt_flush_dead_cpu(struct ltt_trace_channel *tchan, unsigned int cpu)
{
	struct ltt_flush *flush = per_cpu_ptr(tchan->flush, cpu);

	hrtimer_cancel(&flush->timer);
	close_offline(flush);
}
