// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: how much memory buffers may take.
 *
 * Without a limit, a request that is much too large would first use up all memory, and make
 * other tasks invoke the OOM killer. So the size of a request is added up, and the request is
 * refused before anything is allocated, if
 *
 *   - the trace would have more than its budget. It is an eighth of the machine's memory at
 *     first, and traces/NAME/budget changes it.
 *
 *   - too little memory would be left. An eighth of what is available stays free. That alone
 *     would let many requests, or a module with many channels, take all of it in the end: so
 *     at least FLOOR bytes stay free, or an eighth of the memory of a smaller machine.
 *
 * A trace in an area that survives a reset has what is there, and no budget.
 *
 * Only sub-buffers count. Their tables are less than a hundredth of that; the log for dumps
 * takes some hundred bytes an event, buffer and CPU, and the rest as much a channel and CPU.
 */

#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/math64.h>
#include <linux/ltt/ring_buffer.h>

#include "../area/area.h"
#include "../error.h"
#include "core.h"

#define FLOOR	(128ull << 20)

static u64 machine_bytes(void)
{
	return (u64)totalram_pages() << PAGE_SHIFT;
}

/* How much of @available must be left. */
static u64 left_over(u64 available)
{
	return max(available / 8, min(machine_bytes() / 8, FLOOR));
}

/**
 * ltt_budget_available() - memory that could be allocated
 *
 * Context: any.
 * Return: bytes.
 */
u64 ltt_budget_available(void)
{
	return (u64)max(si_mem_available(), 0l) << PAGE_SHIFT;
}

/**
 * ltt_budget_default() - the budget of a new trace
 *
 * Context: any.
 * Return: bytes, an eighth of the machine's memory.
 */
u64 ltt_budget_default(void)
{
	return machine_bytes() / 8;
}

/**
 * ltt_budget_subbuf() - the memory of a sub-buffer
 * @params:	of the buffers
 *
 * Context: any.
 * Return: bytes, rounded as the allocators do.
 */
u64 ltt_budget_subbuf(const struct ltt_channel_params *params)
{
	return PAGE_SIZE << get_order(1ul << params->subbuf_order);
}

/**
 * ltt_budget_cpu() - the memory that a channel's buffers take on a CPU
 * @params:	of the buffers
 *
 * Context: any.
 * Return: bytes, rounded as the allocators do.
 */
u64 ltt_budget_cpu(const struct ltt_channel_params *params)
{
	return ltt_budget_subbuf(params) * params->subbuf_num;
}

/**
 * ltt_need_add() - a request needs the buffers of a channel
 * @need:	the request; its number of CPUs is set
 * @tchan:	the channel in the trace, after ltt_persist_choose()
 *
 * Context: any.
 */
void ltt_need_add(struct ltt_need *need, const struct ltt_trace_channel *tchan)
{
	const struct ltt_channel_params *params = &tchan->params;

	if (ltt_persist_has(tchan))
		need->area_bytes += need->cpus *
				    ltt_half_bytes(params->subbuf_num, params->subbuf_order);
	else
		need->bytes += need->cpus * ltt_budget_cpu(params);
	need->channels++;
	/* Those that were set aside before. */
	if (tchan->params.overwrite && tchan->trace->nr_windows)
		need->bytes += ltt_budget_subbuf(&tchan->params) * need->cpus *
			       ltt_window_spares(tchan, tchan->trace->nr_windows, true);
}

/**
 * ltt_need_add_windows() - a request needs memory for windows of a channel
 * @need:	the request; its numbers of CPUs and windows are set
 * @tchan:	the channel in the trace
 *
 * Context: any.
 */
void ltt_need_add_windows(struct ltt_need *need, const struct ltt_trace_channel *tchan)
{
	need->bytes += ltt_budget_subbuf(&tchan->params) * need->cpus *
		       ltt_window_spares(tchan, need->windows, !tchan->trace->nr_windows);
	need->channels++;
}

static u64 kib(u64 bytes)
{
	return DIV_ROUND_UP_ULL(bytes, 1024);
}

static int refuse(const struct ltt_trace *trace, const struct ltt_need *need,
		  struct ltt_error *error)
{
	if (need->windows)
		return ltt_fail(error, -EDQUOT,
				"%u window%s of %u channel%s take %llu KiB, but the budget is %llu KiB, of which %llu KiB are taken: write fewer into snapshot_max, record fewer channels, make subbuf_num smaller, or write more into budget",
				need->windows, need->windows == 1 ? "" : "s",
				need->channels, need->channels == 1 ? "" : "s",
				kib(need->bytes), READ_ONCE(trace->budget) >> 10,
				kib(READ_ONCE(trace->taken)));
	return ltt_fail(error, -EDQUOT,
			"buffers of %u channel%s on %u CPU%s take %llu KiB, but the budget is %llu KiB, of which %llu KiB are taken: select fewer channels, let them share buffers, make subbuf_num smaller, or write more into budget",
			need->channels, need->channels == 1 ? "" : "s",
			need->cpus, need->cpus == 1 ? "" : "s", kib(need->bytes),
			READ_ONCE(trace->budget) >> 10, kib(READ_ONCE(trace->taken)));
}

/**
 * ltt_budget_check() - may a request be granted?
 * @trace:	the trace
 * @need:	what the request needs
 * @error:	why not; may be NULL
 *
 * Context: task.
 * Return: 0; -EDQUOT if it is more than the budget has left; -ENOMEM if it is more than the
 * machine can spare; -ENOSPC if it is more than the trace's area has left.
 */
int ltt_budget_check(const struct ltt_trace *trace, const struct ltt_need *need,
		     struct ltt_error *error)
{
	u64 available = ltt_budget_available(), left = left_over(available);
	int err = trace->area ? ltt_persist_check(trace, need, error) : 0;

	if (err || (trace->area && !need->bytes))
		return err;
	/* The budget is not that of an area, beside which there are private channels only. */
	if (!trace->area && need->bytes &&
	    READ_ONCE(trace->taken) + need->bytes > READ_ONCE(trace->budget))
		return refuse(trace, need, error);
	if (available >= left && need->bytes <= available - left)
		return 0;
	return ltt_fail(error, -ENOMEM,
			"no memory for buffers of %u channel%s on %u CPU%s: %llu KiB needed, %llu KiB available, of which %llu KiB must stay free",
			need->channels, need->channels == 1 ? "" : "s",
			need->cpus, need->cpus == 1 ? "" : "s",
			kib(need->bytes), available >> 10, left >> 10);
}

/**
 * ltt_trace_set_budget() - say how much memory the buffers of a trace may take
 * @trace:	the trace; the caller has a reference
 * @bytes:	at most
 * @error:	why it failed; may be NULL
 *
 * Context: task; waits for other requests of the trace, takes ltt_mutex.
 * Return: 0; -EBUSY if its buffers take more already; -ENODEV (destroyed); -EINTR.
 */
int ltt_trace_set_budget(struct ltt_trace *trace, u64 bytes, struct ltt_error *error)
{
	int err = ltt_trace_request(trace, error);

	if (err)
		return err;
	/* CPUs that come online may take more meanwhile; then it ends there. */
	if (bytes < READ_ONCE(trace->taken))
		err = ltt_fail(error, -EBUSY, "the buffers of trace %s take %llu KiB already",
			       trace->name, kib(trace->taken));
	else
		WRITE_ONCE(trace->budget, bytes);
	ltt_trace_request_end(trace);
	return err;
}
EXPORT_SYMBOL_GPL(ltt_trace_set_budget);
