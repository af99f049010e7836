// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the memory of the ring buffers, and CPUs that come and go.
 *
 * Each CPU that can ever be has a struct ltt_buf; sub-buffers are there only for
 * those that were online once. A CPU that comes gets them before it runs; if that
 * fails it comes nevertheless, and its events are counted as lost. A CPU that goes
 * leaves its sub-buffers and what is in them to the readers, and finds them again.
 *
 * Sub-buffers are pages of the kernel's linear mapping, which large pages map:
 * writers take no misses of the TLB, and no faults, as they would with vmap().
 *
 * Lock order
 * ----------
 *	ltt_mutex -> CPU hotplug lock -> ltt_buffer_mutex
 *
 * CPU hotplug callbacks run with the hotplug lock held for writing. They take
 * ltt_buffer_mutex, and never ltt_mutex: its holder may be waiting for
 * cpus_read_lock(), here or in static_key_enable().
 *
 * Memory barriers
 * ---------------
 *   ltt_buffer_publish:A / for_new_buffers:A (reader_streams.c)
 *	If the reader sees tchan->buf, it sees the initialised buffers.
 *
 *   alloc_cpu:A / for_new_buffers:B
 *	If the reader sees buf->sb, it sees the table of the sub-buffers.
 *
 *   announce:A / rescan:A
 *	The increment of layout is ordered after what it announces, and before
 *	anything that lets a writer in: taps of the channel, the start of the CPU.
 *	If a reader sees it, it sees the new buffers; reader.c says why it does
 *	see it before it must.
 */

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/topology.h>

#include "core.h"

/*
 * Try hard, but kill no process for it, and say nothing: the caller does. Pages are
 * cleared because readers may be shown whole sub-buffers.
 */
#define LTT_GFP		(GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN | __GFP_ZERO)

/* A reference to any page of a sub-buffer is one to all of it: splice lends pages. */
#define LTT_GFP_SUBBUF	(LTT_GFP | __GFP_COMP)

/* Channels of traces that have buffers, also those not yet published. */
static LIST_HEAD(tchans);
static DEFINE_MUTEX(ltt_buffer_mutex);	/* protects tchans and ltt_buf.sb */

static enum cpuhp_state hotplug_state;

static void free_cpu(struct ltt_buf *buf, struct ltt_sb *sb)
{
	unsigned int order = get_order(buf->off_mask + 1);
	unsigned int i;

	for (i = 0; i <= buf->sb_mask && sb[i].base; i++)
		free_pages((unsigned long)sb[i].base, order);
	kfree(sb);
}

/*
 * Give a CPU its sub-buffers, near to it.
 * Return: 0, -ENOMEM, or -EINTR when the task is being killed.
 */
static int alloc_cpu(struct ltt_buf *buf, unsigned int cpu)
{
	unsigned int order = get_order(buf->off_mask + 1);
	int node = cpu_to_node(cpu);
	struct ltt_sb *sb;
	struct page *page;
	unsigned int i;

	sb = kcalloc_node(buf->sb_mask + 1, sizeof(*sb), LTT_GFP, node);
	if (!sb)
		return -ENOMEM;
	for (i = 0; i <= buf->sb_mask; i++) {
		page = alloc_pages_node(node, LTT_GFP_SUBBUF, order);
		if (!page || fatal_signal_pending(current)) {
			if (page)
				__free_pages(page, order);
			free_cpu(buf, sb);
			return page ? -EINTR : -ENOMEM;
		}
		sb[i].base = page_address(page);
		local_set(&sb[i].events, 0);
		cond_resched();
	}
	smp_store_release(&buf->sb, sb);			/* LMM(alloc_cpu:A) */
	return 0;
}

static void init_cpu(const struct ltt_tchan *tchan, unsigned int cpu)
{
	const struct ltt_channel_params *params = &tchan->params;
	struct ltt_buf *buf = per_cpu_ptr(tchan->mem, cpu);

	buf->sb_order = params->subbuf_order;
	buf->off_mask = (1ul << params->subbuf_order) - 1;
	buf->sb_mask = params->subbuf_num - 1;
	buf->overwrite = params->overwrite;
	buf->cur = &ltt_sb_none;
	local_set(&buf->lost, 0);
	buf->packet.magic = LTT_PACKET_MAGIC;
	memcpy(buf->packet.uuid, tchan->trace->uuid, sizeof(buf->packet.uuid));
	buf->packet.stream_id = tchan->stream_id;
	buf->packet.cpu_id = cpu;
	spin_lock_init(&buf->read_lock);
	INIT_LIST_HEAD(&buf->cursors);
}

/*
 * Without this, a request that is much too large would first take all memory from
 * everybody else, and make them call for the OOM killer. An eighth is left over.
 */
static bool can_fit(const struct ltt_channel_params *params, unsigned int cpus)
{
	u64 bytes = (u64)params->subbuf_num << params->subbuf_order;
	long available = si_mem_available();

	return available > 0 &&
	       bytes * cpus <= (u64)(available - available / 8) << PAGE_SHIFT;
}

static void free_all(struct ltt_tchan *tchan)
{
	struct ltt_buf *buf;
	unsigned int cpu;

	ltt_flush_stop(tchan);
	for_each_possible_cpu(cpu) {
		buf = per_cpu_ptr(tchan->mem, cpu);
		if (buf->sb)
			free_cpu(buf, buf->sb);
	}
	free_percpu(tchan->mem);
	tchan->mem = NULL;
}

/**
 * ltt_buffer_alloc() - make the buffers of a channel in a trace
 * @tchan:	the channel in the trace, without buffers; its params are checked
 *
 * Neither writers nor readers see them before ltt_buffer_publish().
 *
 * Context: task, ltt_mutex held; takes the CPU hotplug lock, sleeps.
 * Return: 0; -ENOMEM, or -EINTR when the task is being killed: nothing has changed.
 */
int ltt_buffer_alloc(struct ltt_tchan *tchan)
{
	unsigned int cpu;
	int err;

	lockdep_assert_held(&ltt_mutex);
	tchan->mem = alloc_percpu_gfp(struct ltt_buf, GFP_KERNEL | __GFP_NOWARN);
	if (!tchan->mem)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		init_cpu(tchan, cpu);
	err = ltt_flush_start(tchan);
	if (err)
		goto fail;

	cpus_read_lock();
	mutex_lock(&ltt_buffer_mutex);
	if (!can_fit(&tchan->params, num_online_cpus()))
		err = -ENOMEM;
	for_each_online_cpu(cpu) {
		if (!err)
			err = alloc_cpu(per_cpu_ptr(tchan->mem, cpu), cpu);
	}
	if (!err)
		list_add_tail(&tchan->mem_node, &tchans);
	mutex_unlock(&ltt_buffer_mutex);
	cpus_read_unlock();
	if (!err)
		return 0;
fail:
	free_all(tchan);
	return err;
}

/* Readers look for new buffers when layout has changed. */
static void announce(struct ltt_trace *trace)
{
	atomic_inc_return(&trace->layout);			/* LMM(announce:A) */
	wake_up_all(&trace->wait);
}

/**
 * ltt_buffer_publish() - show new buffers to readers
 * @tchan:	the channel in the trace, after ltt_buffer_alloc()
 *
 * Writers may be let in afterwards.
 *
 * Context: task, ltt_mutex held.
 */
void ltt_buffer_publish(struct ltt_tchan *tchan)
{
	lockdep_assert_held(&ltt_mutex);
	smp_store_release(&tchan->buf, tchan->mem);	/* LMM(ltt_buffer_publish:A) */
	announce(tchan->trace);
}

/**
 * ltt_buffer_free() - free the buffers of a channel in a trace
 * @tchan:	the channel in the trace; need not have buffers
 *
 * Context: task; sleeps. No writer or reader is, or will ever be, in the buffers.
 */
void ltt_buffer_free(struct ltt_tchan *tchan)
{
	if (!tchan->mem)
		return;
	mutex_lock(&ltt_buffer_mutex);
	list_del(&tchan->mem_node);
	mutex_unlock(&ltt_buffer_mutex);
	tchan->buf = NULL;
	free_all(tchan);
}

/**
 * ltt_buffer_record() - switch recording on or off
 * @tchan:	the channel in the trace, with buffers
 * @recording:	whether to record
 *
 * When it was switched off, writers may still be recording until a grace period
 * of RCU has passed.
 *
 * The fast path asks cur only; with &ltt_sb_none it leads to the slow path, which works
 * with either value of recording, and is the one to set cur again. So cur is the first
 * to go and the last to come: no event takes the fast path while its neighbours are
 * being refused in the slow one. Where stores or loads pass each other
 * nevertheless, an event more or less is recorded at the edge; no harm is done.
 * A slow path that has not seen yet that the buffer is stopped may set cur after the
 * first store here, but not after the second.
 *
 * Context: task, ltt_mutex held.
 */
void ltt_buffer_record(struct ltt_tchan *tchan, bool recording)
{
	struct ltt_buf *buf;
	unsigned int cpu;

	lockdep_assert_held(&ltt_mutex);
	for_each_possible_cpu(cpu) {
		buf = per_cpu_ptr(tchan->buf, cpu);
		if (recording) {
			WRITE_ONCE(buf->recording, true);
		} else {
			WRITE_ONCE(buf->cur, &ltt_sb_none);
			WRITE_ONCE(buf->recording, false);
			smp_mb();	/* LMM(ltt_buffer_record:A) */
			WRITE_ONCE(buf->cur, &ltt_sb_none);
		}
	}
}

/* A CPU is about to come. Called on another one, hotplug lock held for writing. */
static int prepare_cpu(unsigned int cpu)
{
	struct ltt_tchan *tchan;
	struct ltt_buf *buf;
	int err;

	mutex_lock(&ltt_buffer_mutex);
	list_for_each_entry(tchan, &tchans, mem_node) {
		buf = per_cpu_ptr(tchan->mem, cpu);
		if (buf->sb)
			continue;
		err = can_fit(&tchan->params, 1) ? alloc_cpu(buf, cpu) : -ENOMEM;
		if (err)
			pr_warn("ltt: no buffer for CPU %u in channel %s of trace %s (error %d): its events are lost\n",
				cpu, tchan->channel->name, tchan->trace->name, err);
		else
			announce(tchan->trace);
	}
	mutex_unlock(&ltt_buffer_mutex);
	return 0;	/* the machine needs the CPU more than we do */
}

/* A CPU has gone. Called on another one, hotplug lock held for writing. */
static int dead_cpu(unsigned int cpu)
{
	struct ltt_tchan *tchan;

	mutex_lock(&ltt_buffer_mutex);
	list_for_each_entry(tchan, &tchans, mem_node)
		ltt_flush_dead_cpu(tchan, cpu);
	mutex_unlock(&ltt_buffer_mutex);
	return 0;
}

/**
 * ltt_buffer_init() - begin to follow CPUs that come and go
 *
 * Context: task; takes the CPU hotplug lock, sleeps.
 * Return: 0 or a negative errno.
 */
int ltt_buffer_init(void)
{
	int state = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "trace/ltt:prepare",
					      prepare_cpu, dead_cpu);

	if (state < 0)
		return state;
	hotplug_state = state;
	return 0;
}

/**
 * ltt_buffer_exit() - undo ltt_buffer_init()
 *
 * Context: task; takes the CPU hotplug lock, sleeps. All buffers have been freed.
 */
void ltt_buffer_exit(void)
{
	cpuhp_remove_state_nocalls(hotplug_state);
}
