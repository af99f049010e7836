/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Not for drivers: the per-CPU ring buffer, as writers see it.
 *
 * The algorithm, its states, its invariants and its barriers are described at
 * the top of kernel/trace/ltt-core/relay/ring_buffer.c. Readers use <linux/ltt/cursor.h>.
 */
#ifndef _LINUX_LTT_RING_BUFFER_H
#define _LINUX_LTT_RING_BUFFER_H

#include <linux/build_bug.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/indirect_call_wrapper.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <asm/local.h>
#include <linux/ltt/clock.h>
#include <linux/ltt/local.h>
#include <linux/ltt/packet.h>
#include <linux/ltt/tap.h>

/**
 * struct ltt_subbuf - a sub-buffer
 * @base:	its memory, physically contiguous
 * @events:	events ever written to this slot, all laps together
 * @events_open: @events when the lap that is in the slot now was opened
 * @first:	events in the buffer before this lap; valid for the oldest one,
 *		the one at ltt_buf.horizon
 * @content_end: position after the last event if the slot was closed before
 *		it was full; stale from an earlier lap otherwise
 * @ts_end:	ns, not before the last event; valid with @content_end
 * @end:	position after the lap that is in the slot now; 0 before the first
 * @origin:	where position 0 would lie; positions of this lap added to it are addresses
 */
struct ltt_subbuf {
	u8 *base;
	local_t events;
	unsigned long events_open;
	unsigned long first;
	unsigned long content_end;
	u64 ts_end;
	unsigned long end;
	unsigned long origin;
} __aligned(64);

extern struct ltt_subbuf ltt_subbuf_none, ltt_subbuf_stirred;

/**
 * struct ltt_mark - how far something has read a buffer
 * @pos:	position of the next byte to read
 * @ts:		ns, timestamp of the event before @pos
 * @events:	events before @pos, overwritten ones included
 * @lost:	value of ltt_buf.lost accounted for before @pos
 */
struct ltt_mark {
	unsigned long pos;
	u64 ts;
	unsigned long events;
	unsigned long lost;
};

/**
 * struct ltt_counts - events of a channel in shared buffers, on one CPU
 * @events:	that were ever recorded
 * @lost:	that found no room, or a broken buffer
 *
 * Those that ltt_buf_give_up() gives up stay in @events: it does not know whose they are.
 */
struct ltt_counts {
	local_t events;
	local_t lost;
};

/**
 * struct ltt_subbuf_notifier - called when a sub-buffer is opened
 * @notify:	called by the writer that opened it, between its reservation and its
 *		commit. Context: any, NMI included; preemption disabled, on the
 *		buffer's CPU
 *
 * May be freed one RCU grace period after it was removed from the buffer.
 */
struct ltt_subbuf_notifier {
	void (*notify)(struct ltt_subbuf_notifier *opened);
};

/* Groups of a CPU's buffers, so that readers need not look at all of them. */
#define LTT_STIR_GROUPS	16u

/**
 * struct ltt_stir - tells readers which buffers of a CPU were stirred
 * @count:	how often a buffer at rest, of one trace, was stirred on this CPU
 * @group:	the same for those in one group, see ltt_stir_group(); incremented before @count
 * @broken:	a buffer of this CPU is broken
 * @dropped:	called when an event found no room on this CPU, or NULL; see @notify of
 *		struct ltt_subbuf_notifier
 * @cpu:	the CPU
 * @last:	shared by all CPUs: a value that was not there before, each time that a buffer
 *		was stirred, or has broken
 *
 * See "Rest" at the top of kernel/trace/ltt-core/relay/ring_buffer.c.
 */
struct ltt_stir {
	local_t count;
	local_t group[LTT_STIR_GROUPS];
	bool broken;
	struct ltt_subbuf_notifier *dropped;
	unsigned int cpu;
	unsigned long *last;
};

/**
 * struct ltt_keep - which packets are kept when their sub-buffers are reused (overwrite mode)
 * @until:	ns; those that begin at or before it, 0: none
 */
struct ltt_keep {
	u64 until;
};

/* struct ltt_spare.seq of those that hold no packet which others may look for */
#define LTT_SPARE_FREE		ULONG_MAX
#define LTT_SPARE_BUSY		(ULONG_MAX - 1)

/**
 * struct ltt_spare - memory for a packet that is kept
 * @seq:	the packet's number; or LTT_SPARE_FREE: anybody may take it;
 *		or LTT_SPARE_BUSY: it is in somebody's hands
 * @base:	the memory, as large as a sub-buffer; that of the packet if there is one
 * @users:	those that refer to the packet; private to window.c
 */
struct ltt_spare {
	unsigned long seq;
	u8 *base;
	unsigned int users;
};

/**
 * struct ltt_spares - memory for packets that are kept
 * @next:	more of it, or NULL
 * @nr:		entries of @spare
 * @spare:	one for each packet
 */
struct ltt_spares {
	struct ltt_spares *next;
	unsigned int nr;
	struct ltt_spare spare[];
};

/**
 * struct ltt_buf - the ring buffer of one channel, in one trace, on one CPU
 *
 * A position counts the bytes that were ever reserved; it never wraps (64-bit
 * machines only). Its low @sb_order bits are the offset in a sub-buffer, the
 * bits above are the sequence number of the packet.
 *
 * @write:	position after the last reservation; writers of this CPU only
 * @frontier:	everything below is committed; written by the outermost writer
 * @last_ts:	ns, a timestamp not after that of the last event, or of the last close
 * @sb:		the sub-buffers
 * @cur:	the sub-buffer that the fast path may write to, up to its @end; usually
 *		the open one. &ltt_subbuf_none while the buffer is stopped, before the
 *		first event, and after a reader has let it rest
 * @off_mask:	bytes in a sub-buffer, less one
 * @sb_mask:	sub-buffers, less one
 * @sb_order:	log2 of the bytes in a sub-buffer
 * @recording:	events are recorded
 * @overwrite:	the oldest sub-buffer is reused when no other is free
 * @wanted:	events should be recorded; same as @recording, unless @broken
 * @broken:	an invariant was violated: from then on nothing is recorded or read
 * @horizon:	everything below may be overwritten at any time (overwrite mode)
 * @lost:	events dropped for lack of room or because of @broken, and events given up
 * @unfinished:	how many times events were given up because a writer never committed
 * @packet:	constant part of the packet header
 * @opened:	called when a sub-buffer was opened, or NULL
 * @stir:	the first event, or loss, after a rest is told to it; NULL: the buffer never rests
 * @stirs:	how many there were
 * @keep:	which packets are to be kept; NULL: none ever
 * @spares:	memory for them, NULL: there is none
 * @unkept:	packets that should have been kept, but no entry of @spares was free
 * @unkept_told: @unkept when a window said so last
 * @frozen:	nothing is written any more, and every reader begins at @tail
 * @read_lock:	protects the fields below it; never taken by writers
 * @cursors:	open cursors
 * @tail:	where the slowest reader is, discard mode; the beginning if @frozen
 * @consumed:	@tail.pos, as writers see it
 */
struct ltt_buf {
	unsigned long write;
	unsigned long frontier;
	u64 last_ts;
	struct ltt_subbuf *cur;
	struct ltt_subbuf *sb;
	unsigned long off_mask;
	u32 sb_mask;
	u8 sb_order;
	bool recording;
	bool overwrite;
	bool wanted;
	bool broken;

	unsigned long horizon ____cacheline_aligned;
	local_t lost;
	unsigned long unfinished;
	struct ltt_packet packet;
	struct ltt_subbuf_notifier *opened;
	struct ltt_stir *stir;
	local_t stirs;
	const struct ltt_keep *keep;
	struct ltt_spares *spares;
	unsigned long unkept;
	unsigned long unkept_told;
	bool frozen;

	spinlock_t read_lock ____cacheline_aligned;
	struct list_head cursors;
	struct ltt_mark tail;
	unsigned long consumed;
} ____cacheline_aligned;

static_assert(offsetof(struct ltt_buf, write) == offsetof(struct ltt_buf_head, write));
static_assert(offsetof(struct ltt_buf, frontier) == offsetof(struct ltt_buf_head, frontier));

/**
 * ltt_stir_group() - the group of a buffer
 * @stream_id:	its number in the trace
 *
 * Context: any.
 */
static __always_inline unsigned int ltt_stir_group(u32 stream_id)
{
	return stream_id % LTT_STIR_GROUPS;
}

/**
 * ltt_buf_sb() - the sub-buffer that a position lies in
 * @buf:	the buffer; has sub-buffers
 * @pos:	a position, in any lap of the slot
 *
 * Context: any.
 */
static __always_inline struct ltt_subbuf *ltt_buf_sb(const struct ltt_buf *buf, unsigned long pos)
{
	return &buf->sb[(pos >> buf->sb_order) & buf->sb_mask];
}

/**
 * ltt_buf_packet_end() - where the events of a packet end
 * @buf:	the buffer; has sub-buffers
 * @begin:	position at which the packet begins; its lap is in the slot
 *
 * Context: any.
 * Return: the position after the last event if the sub-buffer was closed before it was full, else
 * that after the sub-buffer.
 */
static __always_inline unsigned long ltt_buf_packet_end(const struct ltt_buf *buf,
							unsigned long begin)
{
	unsigned long end = begin + buf->off_mask + 1;
	unsigned long content = READ_ONCE(ltt_buf_sb(buf, begin)->content_end);

	return content > begin && content < end ? content : end;
}

struct ltt_slot ltt_reserve_tsc(const struct ltt_tap *tap, size_t len);
struct ltt_slot ltt_reserve_mono(const struct ltt_tap *tap, size_t len);
struct ltt_slot ltt_reserve_counter(const struct ltt_tap *tap, size_t len);
struct ltt_slot ltt_reserve_wide_tsc(const struct ltt_tap *tap, size_t len);
struct ltt_slot ltt_reserve_wide_mono(const struct ltt_tap *tap, size_t len);
struct ltt_slot ltt_reserve_wide_counter(const struct ltt_tap *tap, size_t len);
struct ltt_slot ltt_reserve_shared_tsc(const struct ltt_tap *tap, size_t len);
struct ltt_slot ltt_reserve_shared_mono(const struct ltt_tap *tap, size_t len);
struct ltt_slot ltt_reserve_shared_counter(const struct ltt_tap *tap, size_t len);
struct ltt_slot ltt_reserve_slow_tsc(const struct ltt_tap *tap, size_t len);
struct ltt_slot ltt_reserve_slow_mono(const struct ltt_tap *tap, size_t len);
struct ltt_slot ltt_reserve_slow_counter(const struct ltt_tap *tap, size_t len);
void ltt_buf_publish(struct ltt_buf *buf);
void ltt_buf_close(struct ltt_buf *buf, enum ltt_clock_id clock);
bool ltt_buf_give_up(struct ltt_buf *buf, unsigned long from, unsigned long before,
		     enum ltt_clock_id clock);

/**
 * ltt_reserve() - reserve room for an event
 * @tap:	a marker's way into a trace; not the end of an array
 * @len:	bytes that the event needs, compact header included
 *
 * The common reserve functions are called directly where the kernel uses retpolines for
 * indirect calls. For modules that depend on ltt-core anyway; those that merely have
 * markers do not.
 *
 * Context: any, NMI included; preemption disabled until ltt_commit().
 * Return: where the payload goes; @p is NULL if the event is lost, which has been
 * counted, or is not to be recorded.
 */
static __always_inline struct ltt_slot ltt_reserve(const struct ltt_tap *tap, size_t len)
{
	return INDIRECT_CALL_2(tap->reserve, ltt_reserve_tsc, ltt_reserve_shared_tsc, tap, len);
}

/**
 * ltt_put_header() - store a compact event header, or the first word of a wide one
 * @p:		where
 * @form:	event id, below LTT_ID_WIDE, or that
 * @ts:		ns
 */
static __always_inline void ltt_put_header(u8 *p, u32 form, u64 ts)
{
	u32 word;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = form << LTT_TIME_BITS | (u32)(ts & LTT_TIME_MASK);
#else
	word = form | (u32)ts << LTT_ID_BITS;
#endif
	__builtin_memcpy(p, &word, sizeof(word));
}

/**
 * ltt_put_wide_header() - store a wide event header
 * @p:		where
 * @id:		event id, at most LTT_ID_WIDE_MAX
 * @ts:		ns
 */
static __always_inline void ltt_put_wide_header(u8 *p, u16 id, u64 ts)
{
	ltt_put_header(p, LTT_ID_WIDE, ts);
	__builtin_memcpy(p + LTT_HEADER_COMPACT, &id, sizeof(id));
}

#endif /* _LINUX_LTT_RING_BUFFER_H */
