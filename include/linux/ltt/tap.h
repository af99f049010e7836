/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Not for drivers: what trace_mark() compiles into its callers to record an event.
 *
 * A call site finds its taps, reserves room through each of them, stores the event and
 * commits it. It needs no symbol of ltt-core: a tap has pointers to the functions. All
 * else about the buffers is in <linux/ltt/ring_buffer.h>.
 */
#ifndef _LINUX_LTT_TAP_H
#define _LINUX_LTT_TAP_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include <asm/barrier.h>
#include <linux/ltt/local.h>
#include <linux/ltt/packet.h>

struct ltt_buf;
struct ltt_context;
struct ltt_counts;
struct ltt_filter_chain;
struct ltt_tasks;

/**
 * struct ltt_buf_head - the start of a struct ltt_buf, all that a commit needs of it
 * @write:	position after the last reservation; writers of this CPU only
 * @frontier:	everything below is committed; written by the outermost writer
 */
struct ltt_buf_head {
	unsigned long write;
	unsigned long frontier;
};

/**
 * struct ltt_slot - a reservation
 * @p:		where the payload goes; NULL if there is no room, or the event is not wanted
 * @start:	position of the reservation, for ltt_commit()
 */
struct ltt_slot {
	u8 *p;
	unsigned long start;
};

/**
 * struct ltt_tap - one marker's way into one trace
 * @reserve:	reserves room for an event of @len bytes, compact header included;
 *		NULL ends an array of taps
 * @buf:	buffers of the marker's channel in the trace
 * @filter:	runs before anything is written, NULL if there is none
 * @id:		event id in the channel of the trace
 * @filtered:	how an event with a filter gets into the buffer
 * @direct:	@reserve of the same tap without the filter
 * @publish:	ltt_buf_publish()
 * @context:	what @direct records before each event, NULL if nothing
 * @plain:	@direct without the context
 * @counts:	counts the events of the marker's channel in shared buffers, else NULL
 * @tasks:	whose events are recorded, NULL: everybody's
 * @everybody:	@reserve of the same tap without @tasks
 * @hits:	events that a filter let pass before they were reserved, else NULL. @reserve takes
 *		one back that is not recorded, but not lost either
 *
 * Replaced as a whole under RCU. Constant while writers can see it, except @reserve, which
 * may be replaced with a function that refuses all events.
 */
struct ltt_tap {
	struct ltt_slot (*reserve)(const struct ltt_tap *tap, size_t len);
	struct ltt_buf __percpu *buf;
	struct ltt_filter_chain *filter;
	u32 id;
	void (*filtered)(const struct ltt_tap *tap, struct ltt_slot slot);
	struct ltt_slot (*direct)(const struct ltt_tap *tap, size_t len);
	void (*publish)(struct ltt_buf *buf);
	const struct ltt_context *context;
	struct ltt_slot (*plain)(const struct ltt_tap *tap, size_t len);
	struct ltt_counts __percpu *counts;
	const struct ltt_tasks *tasks;
	struct ltt_slot (*everybody)(const struct ltt_tap *tap, size_t len);
	unsigned long __percpu *hits;
};

/**
 * ltt_tap_stopped() - an event is not recorded, since the trace is stopped
 * @tap:	its tap
 *
 * Context: any, NMI included; preemption disabled.
 */
static __always_inline void ltt_tap_stopped(const struct ltt_tap *tap)
{
	if (tap->hits)
		this_cpu_dec(*tap->hits);
}

/* Start of a reservation that is in no buffer yet. */
#define LTT_START_NONE	(~0ul)

/**
 * ltt_commit_only() - make a reserved event readable, but not what nested writers left
 * @tap:	as given to its reserve function; NULL: it has no filter
 * @buf:	the tap's buffer on this CPU
 * @slot:	what that returned; @slot.p is not NULL
 *
 * As ltt_commit_to(), which calls this.
 *
 * Return: false if the publish function of the tap must be called, with @buf.
 */
static __always_inline bool ltt_commit_only(const struct ltt_tap *tap, struct ltt_buf *buf,
					    struct ltt_slot slot)
{
	struct ltt_buf_head *head = (struct ltt_buf_head *)buf;
	unsigned long write;

	if (likely(ltt_read_local(head->frontier) == slot.start)) {
		/*
		 * Outermost: whatever was reserved after this event was nested
		 * into it and is committed as well.
		 */
		write = READ_ONCE(head->write);
		smp_store_release(&head->frontier, write);	/* LMM(ltt_commit_only:A) */
		barrier();	/* look at write again */
		/* A writer that nested in between left its event to us. */
		return likely(write == ltt_read_local(head->write));
	}
	if (tap && unlikely(tap->filter))
		tap->filtered(tap, slot);
	return true;
}

/**
 * ltt_commit_to() - make a reserved event readable, where the buffer is known
 * @tap:	as given to its reserve function
 * @buf:	the tap's buffer on this CPU
 * @slot:	what that returned; @slot.p is not NULL
 *
 * The payload must be complete. Preemption stays disabled from the reservation to this
 * call; nested writers commit before the writers they interrupted.
 *
 * Context: any, NMI included; preemption disabled.
 */
static __always_inline void ltt_commit_to(const struct ltt_tap *tap, struct ltt_buf *buf,
					  struct ltt_slot slot)
{
	if (unlikely(!ltt_commit_only(tap, buf, slot)))
		tap->publish(buf);
}

/**
 * ltt_commit() - make a reserved event readable
 * @tap:	as given to its reserve function
 * @slot:	what that returned; @slot.p is not NULL
 *
 * As ltt_commit_to().
 */
static __always_inline void ltt_commit(const struct ltt_tap *tap, struct ltt_slot slot)
{
	struct ltt_buf_head *head = this_cpu_ptr((struct ltt_buf_head __percpu *)tap->buf);

	ltt_commit_to(tap, (struct ltt_buf *)head, slot);
}

#endif /* _LINUX_LTT_TAP_H */
