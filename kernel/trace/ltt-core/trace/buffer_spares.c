// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: memory for windows, which is set aside: see window.c.
 */

#include <linux/err.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "../error.h"
#include "buffer_private.h"
#include "core.h"

/**
 * ltt_spares_count() - packets of windows that a buffer has memory for
 * @buf:	the buffer
 *
 * Context: task.
 */
unsigned int ltt_spares_count(const struct ltt_buf *buf)
{
	const struct ltt_spares *spares;
	unsigned int nr = 0;

	for (spares = READ_ONCE(buf->spares); spares; spares = spares->next)
		nr += spares->nr;
	return nr;
}

/**
 * ltt_spares_free() - free memory for windows
 * @buf:	the buffer that it is for
 * @spares:	the memory, with all that follows; nobody uses it
 *
 * Context: task.
 */
void ltt_spares_free(const struct ltt_buf *buf, struct ltt_spares *spares)
{
	unsigned int order = get_order(buf->off_mask + 1);
	struct ltt_spares *next;
	unsigned int i;

	for (; spares; spares = next) {
		next = spares->next;
		for (i = 0; i < spares->nr && spares->spare[i].base; i++)
			free_pages((unsigned long)spares->spare[i].base, order);
		kvfree(spares);
	}
}

/* Has a CPU sub-buffers, but not the memory for @windows windows? */
static bool lacks_spares(const struct ltt_trace_channel *tchan, unsigned int cpu,
			 unsigned int windows)
{
	const struct ltt_buf *buf = per_cpu_ptr(tchan->mem, cpu);

	return READ_ONCE(buf->sb) &&
	       ltt_spares_count(buf) < ltt_window_spares(tchan, windows, true);
}

/*
 * What a CPU's buffer lacks of the memory for @windows windows. @killable: on behalf of the current
 * task. Return: NULL if it lacks nothing; an ERR_PTR() of -ENOMEM, or -EINTR when the task is being
 * killed.
 */
static struct ltt_spares *alloc_spares(const struct ltt_trace_channel *tchan, unsigned int cpu,
				       unsigned int windows, bool killable)
{
	const struct ltt_buf *buf = per_cpu_ptr(tchan->mem, cpu);
	unsigned int wanted = ltt_window_spares(tchan, windows, true);
	unsigned int have = ltt_spares_count(buf), nr, i;
	unsigned int order = get_order(buf->off_mask + 1);
	int node = cpu_to_node(cpu);
	struct ltt_spares *spares;
	struct page *page;

	if (wanted <= have)
		return NULL;
	nr = wanted - have;
	spares = kvmalloc_node(struct_size(spares, spare, nr), LTT_GFP, node);
	if (!spares)
		return ERR_PTR(-ENOMEM);
	spares->nr = nr;
	for (i = 0; i < nr; i++) {
		page = alloc_pages_node(node, LTT_GFP_SUBBUF, order);
		if (!page || (killable && fatal_signal_pending(current))) {
			if (page)
				__free_pages(page, order);
			ltt_spares_free(buf, spares);
			return ERR_PTR(page ? -EINTR : -ENOMEM);
		}
		spares->spare[i].base = page_address(page);
		spares->spare[i].seq = LTT_SPARE_FREE;
		cond_resched();
	}
	return spares;
}

/* A CPU gets memory for @spares->nr more packets of windows. ltt_buffer_mutex is held. */
static void install_spares(struct ltt_trace_channel *tchan, unsigned int cpu,
			   struct ltt_spares *spares)
{
	struct ltt_buf *buf = per_cpu_ptr(tchan->mem, cpu);

	ltt_buffer_take(tchan->trace, ltt_budget_subbuf(&tchan->params) * spares->nr);
	spares->next = buf->spares;
	smp_store_release(&buf->spares, spares);	/* writers of the CPU see all of it */
}

/**
 * ltt_spares_add_cpu() - a CPU has got sub-buffers, so that it needs memory for windows
 * @tchan:	the channel in the trace
 * @cpu:	the CPU
 *
 * If there is none, it goes without; windows say so.
 *
 * Context: task, ltt_buffer_mutex held.
 */
void ltt_spares_add_cpu(struct ltt_trace_channel *tchan, unsigned int cpu)
{
	unsigned int windows = tchan->trace->nr_windows;
	struct ltt_spares *spares;

	lockdep_assert_held(&ltt_buffer_mutex);
	if (!windows || !ltt_has_windows(tchan))
		return;
	spares = alloc_spares(tchan, cpu, windows, false);
	if (!IS_ERR_OR_NULL(spares))
		install_spares(tchan, cpu, spares);
}

/* Does the memory for more windows fit, that of all CPUs that lack some? */
static int check_windows(const struct ltt_trace *trace, unsigned int windows,
			 struct ltt_error *error)
{
	const struct ltt_trace_channel *tchan;
	struct ltt_need need = { .windows = windows };
	unsigned int cpu;

	list_for_each_entry_rcu(tchan, &trace->tchans, node, true) {
		if (!tchan->buf || !ltt_has_windows(tchan))
			continue;
		need.cpus = 0;
		for_each_possible_cpu(cpu)
			need.cpus += lacks_spares(tchan, cpu, trace->nr_windows + windows);
		ltt_need_add_windows(&need, tchan);
	}
	return ltt_budget_check(trace, &need, error);
}

static int add_spares(struct ltt_trace_channel *tchan, unsigned int windows,
		      struct ltt_error *error)
{
	struct ltt_spares *spares;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		if (!lacks_spares(tchan, cpu, windows))
			continue;
		if (READ_ONCE(tchan->trace->dying))
			return ltt_fail(error, -ENODEV, "trace %s has been destroyed",
					tchan->trace->name);
		spares = alloc_spares(tchan, cpu, windows, true);
		if (spares == ERR_PTR(-EINTR))
			return ltt_fail(error, -EINTR, "interrupted");
		if (IS_ERR(spares))
			return ltt_fail(error, PTR_ERR(spares),
					"channel %s: no memory for windows: sub-buffers of %lu bytes must be contiguous",
					tchan->channel->name, 1ul << tchan->params.subbuf_order);
		mutex_lock(&ltt_buffer_mutex);
		if (spares)
			install_spares(tchan, cpu, spares);
		mutex_unlock(&ltt_buffer_mutex);
	}
	return 0;
}

static bool any_lacks_spares(const struct ltt_trace *trace, unsigned int windows)
{
	const struct ltt_trace_channel *tchan;
	unsigned int cpu;

	list_for_each_entry_rcu(tchan, &trace->tchans, node, true) {
		if (!tchan->buf || !ltt_has_windows(tchan))
			continue;
		for_each_possible_cpu(cpu) {
			if (lacks_spares(tchan, cpu, windows))
				return true;
		}
	}
	return false;
}

/* From now on, CPUs that come get it all. Return: false if one came before that, with less. */
static bool set_windows(struct ltt_trace *trace, unsigned int windows)
{
	bool complete;

	mutex_lock(&ltt_buffer_mutex);
	complete = !any_lacks_spares(trace, windows);
	if (complete)
		WRITE_ONCE(trace->nr_windows, windows);
	mutex_unlock(&ltt_buffer_mutex);
	return complete;
}

/**
 * ltt_buffer_add_spares() - set aside memory for more windows
 * @trace:	the trace
 * @windows:	how many more
 * @error:	why it failed; may be NULL
 *
 * CPUs and channels that come later get it for trace->nr_windows, to which @windows is added.
 * What was allocated before a failure stays, and is there for the next call.
 *
 * Context: task, the trace's request mutex held, ltt_mutex not; as ltt_buffers_alloc().
 * Return: as there.
 */
int ltt_buffer_add_spares(struct ltt_trace *trace, unsigned int windows, struct ltt_error *error)
{
	unsigned int wanted = trace->nr_windows + windows;
	struct ltt_trace_channel *tchan;
	int err;

	lockdep_assert_held(&trace->request);
	if (mutex_lock_killable(&ltt_alloc_mutex))
		return ltt_fail(error, -EINTR, "interrupted");
	do {
		err = check_windows(trace, windows, error);
		list_for_each_entry_rcu(tchan, &trace->tchans, node, true) {
			if (!err && tchan->buf && ltt_has_windows(tchan))
				err = add_spares(tchan, wanted, error);
		}
	} while (!err && !set_windows(trace, wanted));
	mutex_unlock(&ltt_alloc_mutex);
	return err;
}
