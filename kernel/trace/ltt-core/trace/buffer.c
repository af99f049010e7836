// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the memory of the ring buffers, and CPU hotplug.
 *
 * Each possible CPU has a struct ltt_buf; only those that were ever online have
 * sub-buffers. A CPU that comes online gets them before it runs; if that fails it
 * comes online all the same, and its events are counted as lost. Allocation is tried
 * again when the trace is started, and when the CPU comes online again. A CPU that goes
 * offline leaves its sub-buffers and their contents to the readers, and reuses them
 * later.
 *
 * Sub-buffers are pages of the kernel's linear mapping, which uses large pages: writers
 * take no TLB misses and no faults, as they would with vmap(). Those of a trace in an area that
 * survives a reset are there, see persist.c. The memory for windows is in buffer_spares.c.
 *
 * Lock order
 * ----------
 *	added_mutex (trace_event.c) -> ltt_trace.request -> ltt_alloc_mutex
 *		-> CPU hotplug lock -> ltt_buffer_mutex -> ltt_offline_mutex
 *	ltt_trace.request, ltt_switch_mutex -> ltt_mutex
 *
 * A request allocates its buffers with ltt_alloc_mutex alone, which may take long on a large
 * machine: then what was found to fit still fits. Tasks that wait for it can be killed.
 *
 * CPU hotplug callbacks run with the hotplug lock held for writing. They take
 * ltt_buffer_mutex, and never ltt_mutex, ltt_switch_mutex or a trace's request mutex: holders
 * of the latter two may be waiting for cpus_read_lock(), here or in static_key_enable().
 *
 * Inside ltt_switch_mutex, but not inside ltt_mutex, are the locks of modules that connect
 * markers, and those of the kernel for jump labels and kernel text, tracepoints, kprobes
 * and ftrace. Their holders may wait for RCU grace periods, or for each CPU to respond. Code
 * inside ltt_mutex waits only for small pieces of memory and for directories of debugfs: see
 * switch.c and trace.c.
 *
 * Memory barriers
 * ---------------
 *   ltt_buffer_publish:A / for_new_buffers:A (reader_streams.c), close_packets:A and :B (trace.c),
 *   ltt_trace_channel_buf:A (<linux/ltt/trace.h>)
 *	Who sees tchan->buf sees the initialised buffers.
 *
 *   install:A / for_new_buffers:B
 *	If the reader sees buf->sb, it sees the table of the sub-buffers.
 *
 *   ltt_buffer_announce:A / ltt_reader_rescan:A
 *	The increment of layout is ordered after what it announces, and before
 *	anything that lets a writer in: taps of the channel, the start of the CPU.
 *	If a reader sees it, it sees the new buffers; reader.c says why it does
 *	see it before it must.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <linux/ltt/ring_buffer.h>

#include "buffer_private.h"
#include "core.h"

/*
 * Channels of traces that have buffers, published or not. The channels of a trace are
 * adjacent.
 */
static LIST_HEAD(tchans);
DEFINE_MUTEX(ltt_buffer_mutex);	/* protects tchans, and ltt_buf.sb of those on it */

/* Its holder allocates buffers for a request. */
DEFINE_MUTEX(ltt_alloc_mutex);

static enum cpuhp_state hotplug_state;

/* Not in an area, and not all of them need be there. */
static void free_memory(const struct ltt_buf *buf, struct ltt_subbuf *sb)
{
	unsigned int order = get_order(buf->off_mask + 1);
	unsigned int i;

	for (i = 0; i <= buf->sb_mask && sb[i].base; i++)
		free_pages((unsigned long)sb[i].base, order);
	kvfree(sb);
}

static void free_subbufs(const struct ltt_trace_channel *tchan, unsigned int cpu,
			 struct ltt_subbuf *sb)
{
	if (ltt_persist_has(tchan)) {
		ltt_persist_give_back(tchan, cpu, sb);
		return;
	}
	ltt_persist_forget(tchan, cpu, sb);
	free_memory(per_cpu_ptr(tchan->mem, cpu), sb);
}

/* The budget: memory is given back. ltt_buffer_mutex is held. */
static void give_back(struct ltt_trace *trace, u64 bytes)
{
	lockdep_assert_held(&ltt_buffer_mutex);
	WRITE_ONCE(trace->taken, trace->taken - bytes);
}

/* The memory that a CPU has. */
static u64 bytes_of(const struct ltt_trace_channel *tchan, const struct ltt_buf *buf)
{
	u64 bytes = buf->sb ? ltt_budget_cpu(&tchan->params) : 0;

	return bytes + ltt_budget_subbuf(&tchan->params) * ltt_spares_count(buf);
}

/* ---- buffers of a CPU ----------------------------------------------------------- */

/*
 * The sub-buffers for a CPU, on its node. @killable: on behalf of the current task. A CPU
 * that is brought up gets its buffers even if the task that does it is being killed.
 * Return: an ERR_PTR() of -ENOMEM, or -EINTR when the task is being killed.
 */
static struct ltt_subbuf *alloc_subbufs(const struct ltt_trace_channel *tchan, unsigned int cpu,
					bool killable)
{
	const struct ltt_buf *buf = per_cpu_ptr(tchan->mem, cpu);
	unsigned int order = get_order(buf->off_mask + 1);
	int node = cpu_to_node(cpu);
	struct ltt_subbuf *sb;
	struct page *page;
	unsigned int i;

	if (ltt_persist_has(tchan))
		return ltt_persist_alloc(tchan, cpu);
	sb = kvmalloc_node(array_size(buf->sb_mask + 1, sizeof(*sb)), LTT_GFP, node);
	if (!sb)
		return ERR_PTR(-ENOMEM);
	for (i = 0; i <= buf->sb_mask; i++) {
		page = alloc_pages_node(node, LTT_GFP_SUBBUF, order);
		if (!page || (killable && fatal_signal_pending(current))) {
			if (page)
				__free_pages(page, order);
			free_memory(buf, sb);
			return ERR_PTR(page ? -EINTR : -ENOMEM);
		}
		sb[i].base = page_address(page);
		local_set(&sb[i].events, 0);
		cond_resched();
	}
	if (ltt_persist_tell(tchan, cpu, sb)) {
		free_memory(buf, sb);
		return ERR_PTR(-ENOMEM);
	}
	return sb;
}

/*
 * Give a CPU the sub-buffers that it lacks. If there is no memory for windows as well, it goes
 * without; they say so. ltt_buffer_mutex is held.
 */
static void install(struct ltt_trace_channel *tchan, unsigned int cpu, struct ltt_subbuf *sb)
{
	struct ltt_buf *buf = per_cpu_ptr(tchan->mem, cpu);

	ltt_buffer_take(tchan->trace, ltt_budget_cpu(&tchan->params));
	smp_store_release(&buf->sb, sb);			/* LMM(install:A) */
	ltt_spares_add_cpu(tchan, cpu);
}

/**
 * ltt_buffer_init_cpu() - initialise a buffer
 * @tchan:	the channel in the trace; its params are set
 * @cpu:	whose buffer it is
 *
 * Context: any; nobody uses the buffer.
 */
void ltt_buffer_init_cpu(struct ltt_trace_channel *tchan, unsigned int cpu)
{
	const struct ltt_channel_params *params = &tchan->params;
	struct ltt_buf *buf = per_cpu_ptr(tchan->mem, cpu);

	buf->sb_order = params->subbuf_order;
	buf->off_mask = (1ul << params->subbuf_order) - 1;
	buf->sb_mask = params->subbuf_num - 1;
	buf->overwrite = params->overwrite;
	buf->cur = &ltt_subbuf_none;
	local_set(&buf->lost, 0);
	buf->packet.magic = LTT_PACKET_MAGIC;
	memcpy(buf->packet.uuid, tchan->trace->uuid, sizeof(buf->packet.uuid));
	buf->packet.stream_id = tchan->stream_id;
	buf->packet.cpu_id = cpu;
	buf->stir = per_cpu_ptr(tchan->trace->stir, cpu);
	if (ltt_has_windows(tchan))
		buf->keep = &tchan->trace->keep;
	spin_lock_init(&buf->read_lock);
	INIT_LIST_HEAD(&buf->cursors);
}

static void free_all(struct ltt_trace_channel *tchan)
{
	struct ltt_buf *buf;
	unsigned int cpu;

	ltt_flush_stop(tchan);
	for_each_possible_cpu(cpu) {
		buf = per_cpu_ptr(tchan->mem, cpu);
		if (buf->sb)
			free_subbufs(tchan, cpu, buf->sb);
		ltt_spares_free(buf, buf->spares);
	}
	free_percpu(tchan->mem);
	tchan->mem = NULL;
}

/* ---- buffers of a request ------------------------------------------------------- */

/* Does it get buffers from the current request? */
static bool wants_buffers(const struct ltt_trace_channel *tchan)
{
	return tchan->wanted && !tchan->buf && tchan->home == tchan;
}

/* CPUs that are online and lack buffers of a channel that wants some. */
static unsigned int nr_lacking(const struct ltt_trace_channel *tchan)
{
	unsigned int cpu, nr = 0;

	for_each_online_cpu(cpu)
		nr += !tchan->mem || !per_cpu_ptr(tchan->mem, cpu)->sb;
	return nr;
}

/* Does what the request still lacks fit as a whole? */
static int check_request(const struct ltt_trace *trace, struct ltt_error *error)
{
	const struct ltt_trace_channel *tchan;
	struct ltt_need need = {};

	/* Only requests add channels. */
	list_for_each_entry_rcu(tchan, &trace->tchans, node, true) {
		if (!wants_buffers(tchan))
			continue;
		need.cpus = nr_lacking(tchan);
		ltt_need_add(&need, tchan);
	}
	return ltt_budget_check(trace, &need, error);
}

/**
 * ltt_buffer_stir_alloc() - prepare a trace for buffers that rest
 * @trace:	the trace, new
 *
 * Context: task; may sleep.
 * Return: 0 or -ENOMEM.
 */
int ltt_buffer_stir_alloc(struct ltt_trace *trace)
{
	struct ltt_stir *stir;
	unsigned int cpu;

	trace->stir = alloc_percpu(struct ltt_stir);
	if (!trace->stir)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		stir = per_cpu_ptr(trace->stir, cpu);
		stir->cpu = cpu;
		stir->last = &trace->stirred;
	}
	return 0;
}

/**
 * ltt_buffer_stir_free() - undo ltt_buffer_stir_alloc()
 * @trace:	the trace, which has no buffers any more; need not have been prepared
 *
 * Context: task; may sleep.
 */
void ltt_buffer_stir_free(struct ltt_trace *trace)
{
	free_percpu(trace->stir);
}

/* Next to the other channels of its trace. */
static void enlist(struct ltt_trace_channel *tchan)
{
	struct list_head *before = tchans.prev;
	struct ltt_trace_channel *other;

	list_for_each_entry(other, &tchans, mem_node) {
		if (other->trace == tchan->trace)
			before = &other->mem_node;
	}
	list_add(&tchan->mem_node, before);
}

/* Everything except the sub-buffers. */
static int alloc_bufs(struct ltt_trace_channel *tchan, struct ltt_error *error)
{
	unsigned int cpu;

	tchan->mem = alloc_percpu_gfp(struct ltt_buf, GFP_KERNEL | __GFP_NOWARN);
	if (!tchan->mem)
		return ltt_fail(error, -ENOMEM, "out of memory");
	for_each_possible_cpu(cpu)
		ltt_buffer_init_cpu(tchan, cpu);
	if (ltt_flush_start(tchan))
		return ltt_fail(error, -ENOMEM, "out of memory");
	return ltt_persist_stream(tchan, error);
}

/* For a CPU, unless it has them. ltt_alloc_mutex is held. */
static int alloc_cpu(struct ltt_trace_channel *tchan, unsigned int cpu, struct ltt_error *error)
{
	struct ltt_need need = { .cpus = num_online_cpus() };
	struct ltt_subbuf *sb;

	if (per_cpu_ptr(tchan->mem, cpu)->sb)
		return 0;
	sb = alloc_subbufs(tchan, cpu, true);
	if (sb == ERR_PTR(-EINTR))
		return ltt_fail(error, -EINTR, "channel %s: interrupted", tchan->channel->name);
	if (sb == ERR_PTR(-ENOSPC))
		return ltt_fail(error, -ENOSPC,
				"channel %s: no contiguous room in area %s, or none for declaring it",
				tchan->channel->name, ltt_trace_area(tchan->trace));
	if (IS_ERR(sb) && ltt_persist_has(tchan))
		return ltt_fail(error, PTR_ERR(sb), "out of memory");
	if (IS_ERR(sb)) {
		/* The size was checked before: memory is fragmented. */
		ltt_need_add(&need, tchan);
		return ltt_fail(error, PTR_ERR(sb),
				"channel %s: no memory for %u contiguous sub-buffers of %lu bytes on each CPU: %llu KiB needed, %llu KiB available",
				tchan->channel->name, tchan->params.subbuf_num,
				1ul << tchan->params.subbuf_order,
				DIV_ROUND_UP_ULL(need.bytes, 1024),
				ltt_budget_available() >> 10);
	}
	mutex_lock(&ltt_buffer_mutex);
	install(tchan, cpu, sb);
	mutex_unlock(&ltt_buffer_mutex);
	return 0;
}

/*
 * For all channels of a request, on all CPUs that are online. One that comes meanwhile may be
 * missed. ltt_alloc_mutex is held.
 */
static int alloc_online(struct ltt_trace *trace, struct ltt_error *error)
{
	struct ltt_trace_channel *tchan;
	unsigned int cpu;
	int err;

	err = check_request(trace, error);
	if (err)
		return err;
	list_for_each_entry_rcu(tchan, &trace->tchans, node, true) {
		if (!wants_buffers(tchan))
			continue;
		for_each_online_cpu(cpu) {
			err = READ_ONCE(trace->dying) ?
			      ltt_fail(error, -ENODEV, "trace %s has been destroyed", trace->name) :
			      alloc_cpu(tchan, cpu, error);
			if (err)
				return err;
		}
	}
	return 0;
}

/* Has each online CPU all buffers of the request? The CPU hotplug lock is held. */
static bool is_complete(const struct ltt_trace *trace)
{
	const struct ltt_trace_channel *tchan;

	list_for_each_entry_rcu(tchan, &trace->tchans, node, true) {
		if (wants_buffers(tchan) && nr_lacking(tchan))
			return false;
	}
	return true;
}

/* From now on, CPUs that come get them, too. Return: false if some came before that. */
static bool enlist_all(struct ltt_trace *trace)
{
	struct ltt_trace_channel *tchan;
	bool complete;

	cpus_read_lock();
	complete = is_complete(trace);
	mutex_lock(&ltt_buffer_mutex);
	list_for_each_entry_rcu(tchan, &trace->tchans, node, true) {
		if (complete && wants_buffers(tchan))
			enlist(tchan);
	}
	mutex_unlock(&ltt_buffer_mutex);
	cpus_read_unlock();
	return complete;
}

/**
 * ltt_buffers_alloc() - allocate the buffers of all channels that a request needs
 * @trace:	the trace; channels that are @wanted and have no buffers get some; their
 *		params have been checked
 * @error:	why it failed; may be NULL
 *
 * Neither writers nor readers see them before ltt_buffer_publish(). After a failure, some
 * may have been allocated: the caller calls ltt_buffer_free() for all that are not
 * published.
 *
 * Context: task, the trace's request mutex held, ltt_mutex not; waits for requests of other
 * traces that allocate, takes the CPU hotplug lock, sleeps; can be killed.
 * Return: 0; -EDQUOT, -ENOMEM, -ENOSPC, see ltt_budget_check(); -EINTR when the task is being
 * killed; -ENODEV when the trace is being destroyed, which waits for us.
 */
int ltt_buffers_alloc(struct ltt_trace *trace, struct ltt_error *error)
{
	struct ltt_trace_channel *tchan;
	int err;

	lockdep_assert_held(&trace->request);
	list_for_each_entry_rcu(tchan, &trace->tchans, node, true) {
		if (wants_buffers(tchan))
			ltt_persist_choose(tchan);
	}
	err = check_request(trace, error);
	list_for_each_entry_rcu(tchan, &trace->tchans, node, true) {
		if (!err && wants_buffers(tchan))
			err = alloc_bufs(tchan, error);
	}
	if (err)
		return err;

	if (mutex_lock_killable(&ltt_alloc_mutex))
		return ltt_fail(error, -EINTR, "interrupted");
	do {
		err = alloc_online(trace, error);
	} while (!err && !enlist_all(trace));
	mutex_unlock(&ltt_alloc_mutex);
	return err;
}

/**
 * ltt_buffer_announce() - let readers look for buffers that they should have
 * @trace:	the trace, which has new ones, or another channel that uses those it has
 *
 * Context: task.
 */
void ltt_buffer_announce(struct ltt_trace *trace)
{
	atomic_inc_return(&trace->layout);			/* LMM(ltt_buffer_announce:A) */
	wake_up_all(&trace->wait);
}

/**
 * ltt_buffer_publish() - make new buffers visible to readers
 * @tchan:	the channel in the trace, after ltt_buffers_alloc()
 *
 * Writers may be let in afterwards.
 *
 * Context: task, ltt_mutex held.
 */
void ltt_buffer_publish(struct ltt_trace_channel *tchan)
{
	lockdep_assert_held(&ltt_mutex);
	smp_store_release(&tchan->buf, tchan->mem);	/* LMM(ltt_buffer_publish:A) */
	ltt_buffer_announce(tchan->trace);
}

/**
 * ltt_buffer_free() - free the buffers of a channel in a trace
 * @tchan:	the channel in the trace; need not have buffers
 *
 * Context: task; sleeps. No writer or reader is, or will ever be, in the buffers.
 */
void ltt_buffer_free(struct ltt_trace_channel *tchan)
{
	unsigned int cpu;

	if (!tchan->mem)
		return;
	mutex_lock(&ltt_buffer_mutex);
	list_del_init(&tchan->mem_node);
	for_each_possible_cpu(cpu) {
		give_back(tchan->trace, bytes_of(tchan, per_cpu_ptr(tchan->mem, cpu)));
	}
	mutex_unlock(&ltt_buffer_mutex);
	tchan->buf = NULL;
	free_all(tchan);
}

/* A slow path that has not seen this yet may set cur again between the two stores. */
static void stop_recording(struct ltt_buf *buf)
{
	WRITE_ONCE(buf->cur, &ltt_subbuf_none);
	WRITE_ONCE(buf->recording, false);
	smp_mb();	/* LMM(stop_recording:A) */
	WRITE_ONCE(buf->cur, &ltt_subbuf_none);
}

/**
 * ltt_buffers_halt() - stop the buffers of a CPU, in a hurry
 * @trace:	the trace, which does not let them record any more: see trigger_act.c
 * @cpu:	the CPU
 *
 * Writers that are under way may still record.
 *
 * Context: any, NMI included; preemption disabled.
 */
void ltt_buffers_halt(const struct ltt_trace *trace, unsigned int cpu)
{
	const struct ltt_trace_channel *tchan;
	struct ltt_buf __percpu *bufs;
	struct ltt_buf *buf;

	list_for_each_entry_rcu(tchan, &trace->tchans, node, true) {
		bufs = smp_load_acquire(&tchan->buf);	/* as ltt_trace_channel_buf() */
		if (!bufs)
			continue;
		buf = per_cpu_ptr(bufs, cpu);
		WRITE_ONCE(buf->wanted, false);
		stop_recording(buf);
	}
}

/**
 * ltt_buffer_set_recording() - switch recording on or off
 * @tchan:	the channel in the trace, with buffers
 * @recording:	whether to record
 *
 * When it was switched off, writers may still record for one RCU grace period.
 *
 * The fast path checks only cur; &ltt_subbuf_none sends it to the slow path, which works
 * with either value of recording, and sets cur again. So cur is cleared first and set
 * last: no event takes the fast path while its neighbours are refused in the slow one.
 * If stores or loads are reordered nevertheless, an event more or less is recorded at the
 * edge, which does no harm. A slow path that has not yet seen that the buffer is stopped
 * may set cur after the first store here, but not after the second.
 *
 * Context: task, ltt_mutex held.
 */
void ltt_buffer_set_recording(struct ltt_trace_channel *tchan, bool recording)
{
	struct ltt_buf *buf;
	unsigned int cpu;

	lockdep_assert_held(&ltt_mutex);
	for_each_possible_cpu(cpu) {
		buf = per_cpu_ptr(tchan->buf, cpu);
		WRITE_ONCE(buf->wanted, recording);
		if (recording && likely(!READ_ONCE(buf->broken))) {
			WRITE_ONCE(buf->recording, true);
			smp_mb();	/* ltt_buf_break() stores broken, then recording */
			if (likely(!READ_ONCE(buf->broken)))
				continue;
		}
		stop_recording(buf);
	}
}

/* ---- CPUs come and go ----------------------------------------------------------- */

/**
 * struct made - sub-buffers that were allocated for a CPU, but not given to it yet
 * @next:	others for the same CPU
 * @tchan:	the channel in the trace
 * @sb:		the sub-buffers
 */
struct made {
	struct made *next;
	struct ltt_trace_channel *tchan;
	struct ltt_subbuf *sb;
};

static bool lacks_buffer(const struct ltt_trace_channel *tchan, unsigned int cpu)
{
	return !list_empty(&tchan->mem_node) && !READ_ONCE(per_cpu_ptr(tchan->mem, cpu)->sb);
}

static int make(struct ltt_trace_channel *tchan, unsigned int cpu, bool killable,
		struct made **made)
{
	struct made *new = kmalloc(sizeof(*new), GFP_KERNEL);

	if (!new)
		return -ENOMEM;
	new->sb = alloc_subbufs(tchan, cpu, killable);
	if (IS_ERR(new->sb)) {
		int err = PTR_ERR(new->sb);

		kfree(new);
		return err;
	}
	new->tchan = tchan;
	new->next = *made;
	*made = new;
	return 0;
}

/* Give them to the CPU, unless @err, or it got others meanwhile. ltt_buffer_mutex is held. */
static void install_all(struct made *made, unsigned int cpu, int err)
{
	struct made *next;

	for (; made; made = next) {
		next = made->next;
		if (!err && lacks_buffer(made->tchan, cpu))
			install(made->tchan, cpu, made->sb);
		else
			free_subbufs(made->tchan, cpu, made->sb);
		kfree(made);
	}
}

/*
 * Make the buffers that a CPU lacks in a trace: all of them or none. The trace's channels that
 * have buffers do not change meanwhile.
 * Return: 0; -EDQUOT, -ENOMEM, or -EINTR when the task is being killed.
 */
static int make_all(struct ltt_trace *trace, unsigned int cpu, bool killable,
		    struct made **made)
{
	struct ltt_need need = { .cpus = 1 };
	struct ltt_trace_channel *tchan;
	struct ltt_error error;
	int err;

	list_for_each_entry_rcu(tchan, &trace->tchans, node, true) {
		if (lacks_buffer(tchan, cpu))
			ltt_need_add(&need, tchan);
	}
	if (!need.channels)
		return 0;
	err = ltt_budget_check(trace, &need, &error);
	list_for_each_entry_rcu(tchan, &trace->tchans, node, true) {
		if (err || !lacks_buffer(tchan, cpu))
			continue;
		err = make(tchan, cpu, killable, made);
		if (err)
			ltt_fail(&error, err, "no memory for contiguous sub-buffers");
	}
	if (err && err != -EINTR) {
		pr_warn("trace %s: events of CPU %u are lost: %s\n", trace->name, cpu,
			error.text);
		ltt_log_error(trace->log, "events of CPU %u are lost: %s", cpu, error.text);
	}
	return err;
}

/**
 * ltt_buffers_complete() - give CPUs the buffers that could not be allocated before
 * @trace:	the trace; it is stopped
 *
 * Failures are logged. Writers from before the stop may still be under way: either they do not
 * see buf->sb and lose their event, as before, or they see it with all it points to, see
 * install:A.
 *
 * Context: task, the trace's request mutex held, ltt_mutex not; waits for requests of other
 * traces that allocate, takes the CPU hotplug lock, sleeps; can be killed.
 * Return: 0, also after failures; -EINTR when the task is being killed.
 */
int ltt_buffers_complete(struct ltt_trace *trace)
{
	unsigned int cpu;
	int err = 0;

	lockdep_assert_held(&trace->request);
	if (mutex_lock_killable(&ltt_alloc_mutex))
		return -EINTR;
	for_each_online_cpu(cpu) {
		struct made *made = NULL;

		/* Nobody needs them any more, and somebody waits for us. */
		if (READ_ONCE(trace->dying))
			break;
		err = make_all(trace, cpu, true, &made);
		if (made) {
			mutex_lock(&ltt_buffer_mutex);
			install_all(made, cpu, err);
			mutex_unlock(&ltt_buffer_mutex);
			ltt_buffer_announce(trace);
		}
		if (err == -EINTR)
			break;
	}
	mutex_unlock(&ltt_alloc_mutex);
	return err == -EINTR ? err : 0;
}

/* A CPU is about to come online. Called on another one, hotplug lock held for writing. */
static int prepare_cpu(unsigned int cpu)
{
	struct ltt_trace_channel *tchan;
	struct ltt_trace *last = NULL;
	struct made *made = NULL;
	int err;

	mutex_lock(&ltt_buffer_mutex);
	list_for_each_entry(tchan, &tchans, mem_node) {
		if (tchan->trace == last)
			continue;
		last = tchan->trace;
		/* Nothing more will be recorded there. */
		if (READ_ONCE(last->dead))
			continue;
		err = make_all(last, cpu, false, &made);
		install_all(made, cpu, err);
		made = NULL;
		ltt_buffer_announce(last);
	}
	mutex_unlock(&ltt_buffer_mutex);
	return 0;	/* the machine needs the CPU more than we do */
}

/* A CPU has gone offline. Called on another one, hotplug lock held for writing. */
static int dead_cpu(unsigned int cpu)
{
	struct ltt_trace_channel *tchan;

	mutex_lock(&ltt_buffer_mutex);
	list_for_each_entry(tchan, &tchans, mem_node)
		ltt_flush_dead_cpu(tchan, cpu);
	mutex_unlock(&ltt_buffer_mutex);
	return 0;
}

/**
 * ltt_buffer_init() - register for CPU hotplug
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
