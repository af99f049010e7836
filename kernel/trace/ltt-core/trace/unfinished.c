// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: writers that never commit.
 *
 * An oops between reservation and commit kills the writer, and leaves a buffer in which
 * nothing is published any more; see ring_buffer.c. Checking for that would slow down
 * writers. Readers check instead: they see frontier and write. If these differ, and
 * frontier has not moved since the last check, a writer is slow, or dead. A work item on
 * the buffer's CPU finds out: while it runs, no writer there is interrupted. If that CPU
 * goes offline meanwhile, the work runs on another, and the CPU has no writers.
 *
 * Without a reader nothing checks, and in a full buffer all later events of that CPU and
 * channel are lost, even in overwrite mode.
 *
 * A trace that is destroyed has no writers any more, and events that they left behind are
 * given up at once. So every reader finds all losses at the end of a trace.
 */

#include <linux/bitops.h>
#include <linux/cpu.h>
#include <linux/irqflags.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/smp.h>
#include <linux/workqueue.h>
#include "core.h"
#include "../relay/packet_reader.h"
#include "unfinished.h"

/*
 * Events before @from in its sub-buffer. They do not change while frontier is @from;
 * otherwise the result may be arbitrary, and is not used.
 */
static unsigned long events_before(const struct ltt_trace_channel *tchan, const struct ltt_buf *buf,
				   unsigned long from)
{
	const struct ltt_packet_formats formats = ltt_trace_channel_formats(tchan);
	const u8 *base = ltt_buf_sb(buf, from)->base;
	u64 ts = ((const struct ltt_packet *)base)->timestamp_begin;

	return ltt_packet_events(&formats, base, sizeof(struct ltt_packet), from & buf->off_mask,
				 &ts);
}

/* Context: where ltt_buf_give_up() may be called. */
static void give_up(const struct ltt_unfinished *unfinished)
{
	ltt_buf_give_up(per_cpu_ptr(unfinished->tchan->buf, unfinished->cpu),
			unfinished->from, unfinished->before,
			unfinished->tchan->trace->clock);
}

/*
 * Its CPU is offline and stays so. Another reader, or the end of the trace, may do the same:
 * the second one finds that frontier has moved.
 */
static void give_up_offline(const struct ltt_unfinished *unfinished)
{
	unsigned long flags;

	mutex_lock(&ltt_offline_mutex);
	local_irq_save(flags);
	give_up(unfinished);
	local_irq_restore(flags);
	mutex_unlock(&ltt_offline_mutex);
}

static void give_up_here(struct work_struct *work)
{
	struct ltt_unfinished *unfinished = container_of(work, struct ltt_unfinished, work);
	const struct ltt_trace_channel *tchan = unfinished->tchan;
	unsigned int cpu = unfinished->cpu;
	unsigned long flags;

	unfinished->before = events_before(tchan, per_cpu_ptr(tchan->buf, cpu),
					   unfinished->from);
	cpus_read_lock();
	if (cpu_online(cpu)) {
		local_irq_save(flags);
		if (smp_processor_id() == cpu)
			give_up(unfinished);
		local_irq_restore(flags);
	} else {
		give_up_offline(unfinished);
	}
	cpus_read_unlock();
	clear_bit_unlock(0, &unfinished->busy);
}

/**
 * ltt_unfinished_init() - prepare to look for writers that never commit
 * @unfinished:	the reader's
 */
void ltt_unfinished_init(struct ltt_unfinished *unfinished)
{
	INIT_WORK(&unfinished->work, give_up_here);
	unfinished->busy = 0;
}

/**
 * ltt_unfinished_look() - check for a writer that has not committed since the last check
 * @unfinished:	the reader's
 * @tchan:	the channel in the trace, with buffers; the caller has a reference to the trace
 * @cpu:	whose buffer
 * @seen:	state of the last check, LTT_START_NONE at first
 *
 * If there is one, and it turns out to be dead, its event and those after it are given up,
 * and counted as lost, some time after this returns.
 *
 * Context: any but NMI and hard interrupts.
 */
void ltt_unfinished_look(struct ltt_unfinished *unfinished, struct ltt_trace_channel *tchan,
			 unsigned int cpu, unsigned long *seen)
{
	const struct ltt_buf *buf = per_cpu_ptr(tchan->buf, cpu);
	unsigned long frontier = READ_ONCE(buf->frontier);

	/* A broken buffer's writers are never looked for: nobody reads it any more. */
	if (frontier == READ_ONCE(buf->write) || READ_ONCE(buf->broken)) {
		WRITE_ONCE(*seen, LTT_START_NONE);
	} else if (READ_ONCE(*seen) != frontier) {
		WRITE_ONCE(*seen, frontier);
	} else if (!test_and_set_bit_lock(0, &unfinished->busy)) {
		unfinished->tchan = tchan;
		unfinished->cpu = cpu;
		unfinished->from = frontier;
		schedule_work_on(cpu, &unfinished->work);
	}
}

/**
 * ltt_unfinished_cancel() - stop checking
 * @unfinished:	the reader's
 *
 * Context: task; may sleep.
 */
void ltt_unfinished_cancel(struct ltt_unfinished *unfinished)
{
	cancel_work_sync(&unfinished->work);
}

/* On the buffer's CPU, interrupts disabled. */
static void give_up_ipi(void *info)
{
	give_up(info);
}

/**
 * ltt_unfinished_end() - give up unfinished events of a trace that is being destroyed
 * @trace:	the trace; it has no writers any more
 *
 * Context: task; the trace's channels do not change any more. Takes the CPU hotplug lock,
 * interrupts CPUs where a writer has died.
 */
void ltt_unfinished_end(struct ltt_trace *trace)
{
	struct ltt_unfinished unfinished;
	struct ltt_trace_channel *tchan;
	const struct ltt_buf *buf;
	unsigned int cpu;

	cpus_read_lock();
	list_for_each_entry(tchan, &trace->tchans, node) {
		if (!tchan->buf)
			continue;
		for_each_possible_cpu(cpu) {
			buf = per_cpu_ptr(tchan->buf, cpu);
			unfinished.from = READ_ONCE(buf->frontier);
			if (unfinished.from == READ_ONCE(buf->write) || READ_ONCE(buf->broken))
				continue;
			unfinished.tchan = tchan;
			unfinished.cpu = cpu;
			unfinished.before = events_before(tchan, buf, unfinished.from);
			if (cpu_online(cpu))
				smp_call_function_single(cpu, give_up_ipi, &unfinished, true);
			else
				give_up_offline(&unfinished);
		}
	}
	cpus_read_unlock();
}
