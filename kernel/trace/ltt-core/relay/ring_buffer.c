// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the writers' side of the per-CPU ring buffer.
 *
 * This file is also compiled in user space, where a test runs a second writer,
 * a flush or a reader at every single instruction of it.
 */

/**
 * DOC: ltt ring buffer
 *
 * Data structure
 * --------------
 * A buffer is a ring of 2^k sub-buffers of equal, power-of-two size. A position
 * counts every byte ever reserved; it only grows. The sub-buffer with sequence
 * number s spans the positions [s * size, (s + 1) * size) and lives in slot
 * s modulo the number of sub-buffers; the occupation of a slot by one s is a lap.
 *
 * Words that move, all of them upwards only:
 *
 *   write      behind the last reservation. Changed by cmpxchg, by writers of
 *              the buffer's CPU, which may nest: task, softirq, irq, NMI.
 *   frontier   behind the last byte that is committed together with everything
 *              before it. Changed by the outermost writer. frontier <= write.
 *   horizon    overwrite mode: bytes below may be overwritten from now on.
 *   consumed   discard mode: bytes below have been read by all readers, those
 *              that have stopped excepted (see cursor_tail.c). Changed by readers.
 *              consumed <= frontier.
 *
 * States of a sub-buffer
 * ----------------------
 *   closed     write <= its first position: nothing of this lap is in the slot
 *   open       first position < write < end; it begins with a packet header
 *   full       write >= end: nothing will be reserved in it any more. Behind
 *              its last event there may be unused bytes; then content_end tells
 *              where they begin.
 *   complete   frontier >= end
 *   reused     horizon >= end, or the slot is open for the next lap
 *
 * "write" resting exactly on a boundary means: the sub-buffer before is full,
 * the one behind it is closed. This is how a buffer starts (write = 0), and what
 * a flush or a loss leave behind. The sub-buffer is opened by the next event.
 *
 * Writers
 * -------
 * Fast path: read write, read the clock, and if the event ends before the end of
 * the current sub-buffer, move write over it by cmpxchg. When another writer
 * nested in between, the cmpxchg fails and the slow path starts anew, with a new
 * timestamp; that is why timestamps do not decrease within a buffer. Then the
 * event is stored, and committed: if frontier is where the event starts, no
 * interrupted writer is below, and everything up to write is committed, because
 * nesting is last-in-first-out; otherwise an interrupted writer will do it.
 *
 * The current sub-buffer (cur) is the one that a slow path was in last. A slow path
 * stores end when it has opened the sub-buffer, and then cur. Between its
 * reservation and these stores writers may nest, and leave a cur that is overtaken by
 * the older one. This costs slow paths, nothing else:
 *
 *   If a writer reads cur = s, end of s = e, and its cmpxchg finds that write has not
 *   moved, then the event that ends at or before e lies in s.
 *
 * For when e was stored, its lap had been opened: write was behind its first
 * position, and still is. That it was stored in s is so until the writer commits, as
 * s cannot be taken meanwhile (a). Origin is stored before end.
 *
 * Slow path: the event needs the next sub-buffer, or the whole timestamp, or the
 * buffer does not record. One cmpxchg closes the open sub-buffer and opens the
 * next with its packet header and the event. The slot may be taken only if
 *
 *   (a) its previous lap is complete: no interrupted writer is still in it, and
 *   (b) discard mode: all readers that count have left it.
 *
 * If it may not, the event is lost: it is counted, then the open sub-buffer is
 * closed, so that a loss always lies between two packets and a reader can say
 * exactly where.
 * One place is inexact: if an event that is too long for any sub-buffer is nested into
 * the slow path of a writer that then opens the next packet, it can be counted in the
 * header after that one. It moves behind events of this writer and of what nested into it,
 * never behind later ones.
 *
 * Rest
 * ----
 * A reader that has read everything would look in vain, again and again, and there may be a
 * hundred thousand buffers. It can let a buffer rest instead. As one reader sees it, the buffer is
 *
 *   awake	the reader looks at it whenever it looks for events
 *   dozing	the reader has found write = pos, where it is itself, so that all is committed
 *		and read, and no loss to report. It has noted pos and stirs, then stored
 *		cur = ltt_subbuf_none: ltt_cursor_doze()
 *   at rest	after a grace period write and the reader are at the same pos, there is no loss
 *		to report, and stirs has not changed: ltt_cursor_rests(). The reader does not
 *		look at it any more.
 *   stirred	a slow path that has reserved, or lost, an event has found
 *		cur = ltt_subbuf_none, replaced it, and then incremented stirs, and count of the
 *		CPU: use(). A reader that finds count changed looks at all buffers of the CPU that
 *		it has at rest: where stirs has changed, the buffer is awake. To have fewer to
 *		look at, buffers form groups. Between stirs and count that of the group is
 *		incremented, and the reader looks at those groups where it has changed.
 *
 * There may be many readers, each with a state of its own; what they share is cur. The fast path
 * is as it was: where cur has no room it leads into the slow path.
 *
 * A reader misses no event and no loss in a buffer that it has at rest:
 *
 *   (1) When the grace period ended, no section was left that began before the doze. Writers
 *	read cur, reserve and commit in one section with preemption disabled.
 *   (2) A writer that replaces cur after the doze without incrementing stirs has reserved an
 *	event, since one that loses an event always increments it. The event was not reserved
 *	before the doze: the reader had read everything by then, but this event is committed only
 *	after cur is replaced. It was reserved after the doze. If the writer's section is over
 *	when the grace period ends, write is no longer pos. If it is not over, it began after the
 *	doze, and found cur already replaced by another writer, which increments stirs.
 *   (3) So while stirs has not changed, either cur is ltt_subbuf_none, or the writer that replaced
 *	it is about to increment stirs, and then count. In the first case the next slow path
 *	replaces cur. In the second it may have interrupted that writer, which tells the reader
 *	a few instructions after it resumes.
 *   (4) The reader reads count, and then that of a group, before it looks at stirs. A change of
 *	stirs that it does not see yet changes both afterwards.
 *
 * Only stirs can decide this. Not lost: the reader may report a loss before the writer tells of
 * it, and would then take the buffer to be at rest although cur has been replaced. Not cur: another
 * reader may have stored ltt_subbuf_none again, while a writer that saw the previous value is about
 * to replace it without telling. Nor is it enough that write is where the reader is: the event of a
 * writer that replaced cur without telling may have been read, too.
 *
 * A reader that wants to move its watermark waits for a grace period anyway. An event that the
 * watermark passes is of a section that is over. If it was not told of in there, the one that it
 * interrupted did that, and its section, which is older, is over as well.
 *
 * A flush of a buffer at rest is nothing that readers are told of: there is nothing to read. A
 * broken buffer does not rest.
 *
 * Writers that die
 * ----------------
 * A writer that oopses between reservation and commit leaves frontier where its event
 * begins. All later ones take themselves for nested, nothing is published any more, and
 * when the ring is full everything is lost. But in a task on the buffer's CPU, with
 * preemption disabled, no writer is interrupted: those in tasks run with preemption
 * disabled from the clock to the commit, and what nests into this task is over when it
 * goes on. If frontier is not write there, then the writer at frontier is dead.
 * ltt_buf_give_up() then makes it look as if all from frontier on had been dropped: the
 * sub-buffer ends where the dead one's event begins, those after it are empty, their
 * events are lost, and the next writer opens a new one. Of the later events, those that were
 * complete are lost as well: nothing tells them from what another dead writer has left.
 * unfinished.c finds out when to do that, as long as anybody reads.
 *
 * Packets that are kept
 * ---------------------
 * A window (window.c) wants what an overwrite buffer held at some time, while writers go on.
 * It stores that time in ltt_keep.until of the trace. A writer that is about to take a slot
 * whose lap began at or before then copies the packet first, into one of ltt_buf.spares. If its
 * cmpxchg on write succeeds, no other writer has been in the slot meanwhile, and the copy is
 * good; else it is dropped. It is published before the header in the slot is replaced: writers
 * that nest in between do not touch that. Which spare it gets is decided by cmpxchg on seq, as
 * other contexts, and the window on another CPU, take some as well.
 *
 * A grace period after until was stored all writers see it. From then on a packet that begins
 * at or before until is in its slot, where horizon is not behind it, or among the spares, or
 * a writer is about to publish it: then horizon is behind it, and its header still there.
 *
 * Counting
 * --------
 * lost counts dropped events; a packet's header holds its value at opening.
 * Each slot counts its events over all laps (events) and keeps what that was when
 * the current lap was opened (events_open). Before a slot is reused, the number of
 * events before the sub-buffer that becomes the oldest is stored with it (first):
 * that of the dying one plus the events of its last lap. So an overtaken reader
 * learns exactly how many events it missed.
 *
 * Clock
 * -----
 * last_ts may lag behind (an interrupted writer stores its older timestamp
 * last), never lead: the only consequence is an extended header too many. Closing a
 * sub-buffer is like an event here: what its packet says when it ended is not after
 * the beginning of the next.
 *
 * Memory barriers
 * ---------------
 * Writers of one buffer share a CPU; among them program order is enough, and
 * only the compiler must be kept in order (cmpxchg and READ_ONCE/WRITE_ONCE).
 * Against readers on other CPUs:
 *
 *   ltt_commit_only:A, ltt_buf_publish:A / ltt_cursor_window:A
 *	If the reader's load of frontier (window:A) reads the store (commit:A),
 *	it sees all bytes, slot fields and packet headers below it.
 *	RELEASE of commit:A or publish:A pairs with ACQUIRE of window:A.
 *
 *   open_slot:B / copy:A
 *	If the reader's copy of a byte (before copy:A) reads what a later lap
 *	stored there (after open_slot:B), its load of horizon (copy:A) sees
 *	the value that declared the byte dead (open_slot:A).
 *	WMB from open_slot:A to the stores of the lap pairs with the RMB
 *	between the copying and copy:A.
 *
 *   open_slot:A / ltt_cursor_overtaken:A
 *	If a reader sees horizon = h, it sees first of the sub-buffer at h, and
 *	if it then still sees h, first was not of a later lap: before that is
 *	stored, horizon has moved at least once.
 *	WMB of open_slot:C pairs with ACQUIRE of ltt_cursor_overtaken:A, WMB of
 *	open_slot:B with RMB of ltt_cursor_overtaken:B.
 *
 *   ltt_buf_keep:A / give_back:A (window_collect.c)
 *	If a writer that sees until finds the packet among the spares, it stays there: who
 *	takes it out afterwards sees until, too. MB pairs with that of the cmpxchg.
 *
 *   ltt_spare_publish:A / ltt_buf_kept:A
 *	If the window sees the number of a packet among the spares, it sees the packet, and
 *	what its header says. RELEASE pairs with ACQUIRE.
 *
 *   ltt_spare_publish:B / ltt_buf_copy_packet:A
 *	If the window finds another header in the slot, it finds the packet among the spares.
 *	WMB pairs with RMB.
 *
 *   ltt_cursor_update_tail:A / may_open:A
 *	If the writer reads a consumed (may_open:A) that frees a slot, its
 *	stores come after the readers' loads from it.
 *	RELEASE of ltt_cursor_update_tail:A pairs with ACQUIRE of may_open:A.
 *
 *   count_lost:A / look_for_losses:A
 *	If a reader sees a value of lost, and then write still on the boundary
 *	up to which it has read, the losses lie there. WMB of count_lost:A (write
 *	before lost) pairs with RMB of look_for_losses:A (lost before write).
 *
 *   use:A / stop_recording:A
 *	If a writer sees that the buffer records, after it has stored cur, who stops
 *	the buffer overwrites that cur. MB from the store of cur to the load of
 *	recording pairs with the MB from the store of recording to that of cur.
 *
 *   use:C / wake_cpu:A
 *	If the reader sees a group's count, it sees stirs as it was before that was incremented.
 *	WMB of use:C pairs with the RMB of wake_cpu:A.
 *
 *   use:D / ltt_reader_stirred:B
 *	If the reader sees a CPU's count, it sees that of the group as it was before that was
 *	incremented. WMB of use:D pairs with the RMB of ltt_reader_stirred:B.
 *
 *   use:A / ltt_reader_stirred:A
 *	If the reader sees a value of last, or one that replaced it, it sees the count that was
 *	incremented before. Full barriers: last is stored by many CPUs, and the reader does not
 *	see each value. MB of use:A pairs with the MB of ltt_reader_stirred:A.
 *
 *   use:B / ltt_cursor_doze:A
 *	If the reader notes a value of stirs, its store to cur comes after that of the writer
 *	that has incremented stirs. WMB of use:B pairs with the MB of ltt_cursor_doze:A.
 *
 *   ltt_flush_update:A / reserve_slow:A
 *	If the writer sees the pointer, it sees what it leads to. RELEASE of
 *	update:A pairs with the address dependency of reserve_slow:A.
 *
 * Internal errors
 * ---------------
 * What is said here must hold whatever writers and readers do:
 *
 *   consumed <= frontier <= write <= frontier + bytes of the ring
 *   when a slot has been taken, (a) and (b) still hold
 *   what a reader has seen of frontier and consumed does not become less
 *   a sub-buffer begins with a packet header that has the sequence number of its lap
 *
 * Where somebody finds that it does not, LTT_BUF_WARN_ON() warns and breaks the buffer, for
 * good; the trace and its other buffers go on. Writers that are under way finish. Those
 * that come later find that the buffer does not record, and count their events as lost.
 * Readers do not look at its memory any more: they count what they had not read as lost,
 * too, as far as the numbers of events of the slots can be believed, and come to the end.
 *
 * Limits: positions are 64 bits wide and do not wrap; 32-bit machines are not
 * supported. A clock that steps back within one CPU is held (see clamp below),
 * but the clocks of <linux/ltt/clock.h> do not.
 *
 * Sources: the layering of reservation and commit follows M. Desnoyers, "Low-
 * Impact Operating System Tracing", PhD thesis, École Polytechnique de Montréal,
 * 2009, chapter 5; the commit by the outermost writer is that of
 * kernel/trace/ring_buffer.c.
 */

#include <linux/compiler.h>
#include <linux/export.h>
#include <linux/string.h>
#include <asm/barrier.h>
#include <linux/ltt/clock.h>
#include <linux/ltt/local.h>
#include <linux/ltt/reserve.h>
#include <linux/ltt/ring_buffer.h>

#include "buf_warn.h"
#include "keep.h"

/* Nothing fits in these. The second one: the buffer does not rest any more. */
struct ltt_subbuf ltt_subbuf_none, ltt_subbuf_stirred;

static const struct ltt_slot no_slot = { .p = NULL, .start = LTT_START_NONE };

/* Room for the number of a CPU in ltt_stir.last. */
#define LTT_STIR_CPU_BITS	16

/* Bytes of the whole ring. */
static inline unsigned long ring_size(const struct ltt_buf *buf)
{
	return ((unsigned long)buf->sb_mask + 1) << buf->sb_order;
}

/**
 * ltt_buf_publish() - publish what nested writers left to the outermost one
 * @buf:	the buffer
 *
 * Called by the outermost writer after it moved frontier, when write has moved
 * on. The cmpxchg lets a nested writer that publishes by itself win, so that
 * frontier never steps back.
 *
 * Context: any, NMI included; preemption disabled, on the buffer's CPU.
 */
notrace void ltt_buf_publish(struct ltt_buf *buf)
{
	unsigned long frontier, write;

	for (;;) {
		frontier = READ_ONCE(buf->frontier);
		write = READ_ONCE(buf->write);
		if (frontier == write)
			return;
		smp_wmb();						/* LMM(ltt_buf_publish:A) */
		ltt_try_cmpxchg_local(&buf->frontier, &frontier, write);
	}
}

/* Commit a reservation that is not an event: the rest of a closed sub-buffer. */
static void commit(struct ltt_buf *buf, unsigned long start)
{
	if (READ_ONCE(buf->frontier) == start)
		ltt_buf_publish(buf);
}

/**
 * ltt_buf_break() - stop a buffer for good
 * @buf:	the buffer, in which an invariant does not hold
 *
 * Context: any, NMI included; on any CPU.
 */
notrace void ltt_buf_break(struct ltt_buf *buf)
{
	/* It may be found again and again. */
	if (READ_ONCE(buf->broken))
		return;
	WRITE_ONCE(buf->broken, true);
	smp_mb();	/* who starts the buffer stores recording, then looks at broken */
	WRITE_ONCE(buf->cur, &ltt_subbuf_none);
	WRITE_ONCE(buf->recording, false);
	smp_mb();	/* as in ltt_buffer_set_recording() */
	WRITE_ONCE(buf->cur, &ltt_subbuf_none);
	if (buf->stir) {
		WRITE_ONCE(buf->stir->broken, true);
		smp_mb();	/* as use:A */
		/*
		 * Not a count, and each buffer breaks but once, or on several CPUs at the
		 * same time.
		 */
		WRITE_ONCE(*buf->stir->last, (unsigned long)buf);
	}
}

/**
 * ltt_buf_events() - how many events have ever been recorded
 * @buf:	the buffer; has sub-buffers
 *
 * Context: any. Writers go on meanwhile.
 */
unsigned long ltt_buf_events(const struct ltt_buf *buf)
{
	unsigned long events = 0;
	u32 i;

	for (i = 0; i <= buf->sb_mask; i++)
		events += local_read(&buf->sb[i].events);
	return events;
}

/*
 * May the slot of the sub-buffer that begins at @begin be taken?
 * Only laps after the first have someone to ask.
 */
static bool may_open(const struct ltt_buf *buf, unsigned long begin)
{
	unsigned long end_before = begin + buf->off_mask + 1 - ring_size(buf);

	if (begin < ring_size(buf))
		return true;
	if (READ_ONCE(buf->frontier) < end_before)
		return false;
	if (buf->overwrite)
		return true;
	return smp_load_acquire(&buf->consumed) >= end_before;	/* LMM(may_open:A) */
}

/*
 * Declare the slot's previous lap dead before any byte of it is overwritten.
 *
 * Runs before the cmpxchg that opens the sub-buffer at @begin; @old is the
 * value of write on which the decision to open was based. A nested writer may
 * do the same at any point, may even go round the whole ring. Then write has
 * moved, our cmpxchg on write is going to fail, and nothing stored here may
 * damage what it stored:
 *
 *   first: made of values that belong together, because write is still @old
 *	after they were read. Doing it twice for the same lap stores the same.
 *	If a nested writer has stored a later one, it has filled the whole ring
 *	since. Laps that ltt_buf_give_up() has emptied hold no event, but it does so
 *	only where no writer is under way: those of nested writers hold one at
 *	least. So the later one is larger than what we read, and our cmpxchg on it
 *	fails. To store what is there already changes nothing.
 *   horizon: only ever raised.
 *
 * @events returns what events_open is to be once the slot is open.
 *
 * Return: false if write has moved and the caller must start anew.
 */
static bool open_slot(struct ltt_buf *buf, unsigned long old,
		      unsigned long begin, unsigned long *events)
{
	struct ltt_subbuf *sb = ltt_buf_sb(buf, begin);
	struct ltt_subbuf *oldest = ltt_buf_sb(buf, begin + buf->off_mask + 1);
	unsigned long first, before, horizon, dead;

	*events = local_read(&sb->events);
	if (begin < ring_size(buf))
		return true;

	before = READ_ONCE(oldest->first);
	first = READ_ONCE(sb->first) + *events - READ_ONCE(sb->events_open);
	if (READ_ONCE(buf->write) != old)
		return false;
	ltt_try_cmpxchg_local(&oldest->first, &before, first);
	smp_wmb();							/* LMM(open_slot:C) */

	dead = begin + buf->off_mask + 1 - ring_size(buf);
	horizon = READ_ONCE(buf->horizon);
	while (horizon < dead) {
		if (ltt_try_cmpxchg_local(&buf->horizon, &horizon, dead)) /* LMM(open_slot:A) */
			break;
	}
	smp_wmb();							/* LMM(open_slot:B) */
	return true;
}

/* The sub-buffer that @old lies in was closed before it was full. */
static void note_close(struct ltt_buf *buf, unsigned long old, u64 ts)
{
	struct ltt_subbuf *sb = ltt_buf_sb(buf, old);

	sb->ts_end = ts;
	WRITE_ONCE(sb->content_end, old);
}

static void put_packet(struct ltt_buf *buf, unsigned long begin, u64 ts,
		       unsigned long lost)
{
	struct ltt_packet *packet = (struct ltt_packet *)ltt_buf_sb(buf, begin)->base;

	*packet = buf->packet;
	packet->timestamp_begin = ts;
	packet->packet_seq_num = begin >> buf->sb_order;
	packet->events_discarded = lost;
}

/* Bytes of a header that has room for this id. */
static __always_inline size_t header_of(u32 id)
{
	if (likely(id < LTT_ID_WIDE))
		return LTT_HEADER_COMPACT;
	return likely(id <= LTT_ID_WIDE_MAX) ? LTT_HEADER_WIDE : LTT_HEADER_EXTENDED;
}

static u8 *put_any_header(u8 *p, u32 id, u64 ts, size_t header)
{
	u32 word[2] = { LTT_ID_EXTENDED, id };

	if (header == LTT_HEADER_COMPACT) {
		ltt_put_header(p, id, ts);
		return p + LTT_HEADER_COMPACT;
	}
	if (header == LTT_HEADER_WIDE) {
		ltt_put_wide_header(p, id, ts);
		return p + LTT_HEADER_WIDE;
	}
	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		word[0] <<= LTT_TIME_BITS;
	memcpy(p, word, sizeof(word));
	memcpy(p + sizeof(word), &ts, sizeof(ts));
	return p + LTT_HEADER_EXTENDED;
}

/* Close the sub-buffer that is open, if one is. */
static void close_open(struct ltt_buf *buf, u64 (*clock)(void))
{
	unsigned long old = READ_ONCE(buf->write);
	unsigned long begin;
	u64 ts, last;

	do {
		if (!(old & buf->off_mask))
			return;
		begin = (old | buf->off_mask) + 1;
		last = READ_ONCE(buf->last_ts);
		ts = clock();
		if (ts < last)
			ts = last;	/* clamp: that of another CPU, see ltt_buf_close() */
	} while (!ltt_try_cmpxchg_local(&buf->write, &old, begin));
	LTT_BUF_WARN_ON(buf, READ_ONCE(buf->frontier) > old);
	WRITE_ONCE(buf->last_ts, ts);	/* the next packet does not begin before */
	note_close(buf, old, ts);
	commit(buf, old);
}

/* Readers that see it look whether write is still on the boundary where they are. */
static void count_lost(struct ltt_buf *buf, unsigned long events)
{
	smp_wmb();							/* LMM(count_lost:A) */
	local_add(events, &buf->lost);
}

/*
 * From now on, the fast path may write to @sb - unless the buffer has been stopped. If it was
 * at rest, tell the readers.
 */
static void use(struct ltt_buf *buf, struct ltt_subbuf *sb)
{
	const struct ltt_subbuf *old = READ_ONCE(buf->cur);
	struct ltt_stir *stir = NULL;
	unsigned long count = 0;

	if (old == sb)
		return;
	WRITE_ONCE(buf->cur, sb);
	/* A loss is told of whatever has become of cur since it was looked at: see "Rest". */
	if (old == &ltt_subbuf_none || sb == &ltt_subbuf_stirred)
		stir = buf->stir;
	if (stir) {
		smp_wmb();						/* LMM(use:B) */
		local_inc(&buf->stirs);
		smp_wmb();						/* LMM(use:C) */
		local_inc(&stir->group[ltt_stir_group(buf->packet.stream_id)]);
		smp_wmb();						/* LMM(use:D) */
		count = local_inc_return(&stir->count);
	}
	smp_mb();							/* LMM(use:A) */
	if (unlikely(!READ_ONCE(buf->recording)))
		WRITE_ONCE(buf->cur, &ltt_subbuf_none);
	if (stir)
		WRITE_ONCE(*stir->last, count << LTT_STIR_CPU_BITS | stir->cpu);
}

/* An event of a channel in shared buffers was recorded, or lost. */
static void count_of_channel(const struct ltt_tap *tap, bool recorded)
{
	struct ltt_counts *counts;

	if (!tap->counts)
		return;
	counts = this_cpu_ptr(tap->counts);
	local_inc(recorded ? &counts->events : &counts->lost);
}

/*
 * An event finds no room. Counting comes first: whatever packet is open then, also
 * one that a nested writer has just opened, is closed, and so the loss is
 * reported before the next event of the context that suffered it.
 */
static struct ltt_slot drop(const struct ltt_tap *tap, struct ltt_buf *buf, u64 (*clock)(void))
{
	struct ltt_subbuf_notifier *dropped;

	count_of_channel(tap, false);
	count_lost(buf, 1);
	if (buf->sb)
		close_open(buf, clock);
	if (READ_ONCE(buf->cur) == &ltt_subbuf_none)
		use(buf, &ltt_subbuf_stirred);
	dropped = buf->stir ? READ_ONCE(buf->stir->dropped) : NULL;
	if (unlikely(dropped))
		dropped->notify(dropped);
	return no_slot;
}

/* The buffer does not record. If that is because it is broken, an event is lost. */
static noinline struct ltt_slot refuse(const struct ltt_tap *tap, struct ltt_buf *buf)
{
	if (READ_ONCE(buf->broken) && READ_ONCE(buf->wanted)) {
		count_of_channel(tap, false);
		count_lost(buf, 1);
	} else {
		ltt_tap_stopped(tap);
	}
	return no_slot;
}

/*
 * @len counts a compact header. A sub-buffer's first event carries its
 * packet's timestamp_begin and so never needs an extended header for its time.
 */
static __always_inline struct ltt_slot
reserve_slow(const struct ltt_tap *tap, size_t len, u64 (*clock)(void))
{
	const size_t shortest = header_of(tap->id);
	struct ltt_buf *buf = this_cpu_ptr(tap->buf);
	unsigned long old, begin, new, lost, events;
	size_t header;
	bool open;
	struct ltt_subbuf_notifier *opened;
	struct ltt_spare *kept = NULL;
	struct ltt_subbuf *sb;
	u64 ts, last;
	u8 *p;

	if (!READ_ONCE(buf->recording))
		return refuse(tap, buf);
	len -= LTT_HEADER_COMPACT;
	if (!buf->sb || len > buf->off_mask + 1 - sizeof(struct ltt_packet) - shortest)
		return drop(tap, buf, clock);

	for (;;) {
		old = READ_ONCE(buf->write);
		last = READ_ONCE(buf->last_ts);
		ts = clock();
		if (ts < last)
			ts = last;	/* clamp */
		header = (ts - last) >> LTT_TIME_BITS ? LTT_HEADER_EXTENDED : shortest;
		begin = old;
		open = !(old & buf->off_mask);
		if (!open) {
			new = old + header + len;
			begin = (old | buf->off_mask) + 1;
			open = new > begin;
		}
		if (open) {
			if (!may_open(buf, begin))
				return drop(tap, buf, clock);
			/*
			 * Not before: who nests from now on finds room, too, and
			 * makes our cmpxchg fail. Not after the reservation: by then
			 * nested writers may have filled packets behind this one
			 * before they lost something.
			 */
			lost = local_read(&buf->lost);
			if (!open_slot(buf, old, begin, &events))
				continue;
			if (unlikely(buf->keep))
				kept = ltt_buf_keep(buf, begin);
			header = shortest;
			new = begin + sizeof(struct ltt_packet) + header + len;
		}
		if (ltt_try_cmpxchg_local(&buf->write, &old, new))
			break;
		if (unlikely(kept)) {
			ltt_spare_free(kept);
			kept = NULL;
		}
	}

	WRITE_ONCE(buf->last_ts, ts);
	if (open) {
		if (unlikely(kept))
			ltt_spare_publish(kept);
		LTT_BUF_WARN_ON(buf, READ_ONCE(buf->frontier) > old || !may_open(buf, begin));
		if (old != begin)
			note_close(buf, old, ts);
		put_packet(buf, begin, ts, lost);
		sb = ltt_buf_sb(buf, begin);
		sb->events_open = events;
		sb->origin = (unsigned long)sb->base - begin;
		barrier();	/* origin before end */
		WRITE_ONCE(sb->end, begin + buf->off_mask + 1);
		opened = READ_ONCE(buf->opened);	/* LMM(reserve_slow:A) */
		if (opened)
			opened->notify(opened);
		p = sb->base + sizeof(struct ltt_packet);
	} else {
		sb = ltt_buf_sb(buf, old);
		p = sb->base + (old & buf->off_mask);
	}
	use(buf, sb);
	local_inc(&sb->events);
	count_of_channel(tap, true);
	/*
	 * A nested writer lost something that this packet's header does not
	 * tell, and may have found nothing to close (what is too long for any
	 * sub-buffer, between two of them): the next header must tell.
	 */
	if (open && unlikely(local_read(&buf->lost) != lost))
		close_open(buf, clock);
	return (struct ltt_slot){
		.p = put_any_header(p, tap->id, ts, header),
		.start = old,
	};
}

/* Of these clocks there is but one way to read them. */
static __always_inline bool ltt_clock_mono_try(u64 *t)
{
	*t = ltt_clock_mono();
	return true;
}

static __always_inline bool ltt_clock_counter_try(u64 *t)
{
	*t = ltt_clock_counter();
	return true;
}

/**
 * ltt_buf_close() - close the sub-buffer that is open, so that its packet is whole
 * @buf:	the buffer
 * @clock:	clock of the trace
 *
 * For a flush: the next event opens the next sub-buffer. Does nothing to a
 * buffer without an open sub-buffer, so that an idle CPU makes no packets.
 *
 * Context: any, NMI included; preemption disabled, on the buffer's CPU - or
 * anywhere if that CPU is offline and cannot come up.
 */
void ltt_buf_close(struct ltt_buf *buf, enum ltt_clock_id clock)
{
	switch (clock) {
	case LTT_CLOCK_TSC:
		close_open(buf, ltt_clock_tsc);
		break;
	case LTT_CLOCK_MONO:
		close_open(buf, ltt_clock_mono);
		break;
	case LTT_CLOCK_COUNTER:
		close_open(buf, ltt_clock_counter);
		break;
	default:
		break;
	}
}

static u64 stamp(enum ltt_clock_id clock)
{
	switch (clock) {
	case LTT_CLOCK_TSC:
		return ltt_clock_tsc();
	case LTT_CLOCK_COUNTER:
		return ltt_clock_counter();
	default:
		return ltt_clock_mono();
	}
}

/*
 * The events of [@from, @end), @before of which lie before @from, are none any more.
 * Return: how many there were.
 */
static unsigned long uncount(struct ltt_buf *buf, unsigned long from, unsigned long end,
			     unsigned long before)
{
	unsigned long begin, events, all = 0;
	struct ltt_subbuf *sb;

	for (begin = from & ~buf->off_mask; begin < end; begin += buf->off_mask + 1) {
		sb = ltt_buf_sb(buf, begin);
		events = local_read(&sb->events) - sb->events_open - before;
		local_sub(events, &sb->events);
		all += events;
		before = 0;
	}
	return all;
}

/**
 * ltt_buf_give_up() - give up what a dead writer holds, and all that follows
 * @buf:	the buffer
 * @from:	what ltt_buf.frontier is: where the event of the dead writer begins
 * @before:	events before @from in its sub-buffer
 * @clock:	clock of the trace
 *
 * Counts the events as lost, and lets writers go on with the next sub-buffer. Does nothing
 * if everything has been committed, or frontier is not @from. Looks at each sub-buffer from
 * @from on, all of the ring at most, with interrupts disabled: the more there are, the longer
 * that takes. It is done once for a writer that has died.
 *
 * Context: task on the buffer's CPU, interrupts disabled; NMIs may write. Or on that CPU,
 * or anywhere if it is offline and cannot come up, when all writers have gone; but by one at
 * a time.
 * Return: true if something was given up.
 */
bool ltt_buf_give_up(struct ltt_buf *buf, unsigned long from, unsigned long before,
		     enum ltt_clock_id clock)
{
	unsigned long old = READ_ONCE(buf->write), begin, end, lost, events;
	struct ltt_packet *packet;
	struct ltt_subbuf *sb;
	u64 ts, last;

	if (READ_ONCE(buf->frontier) != from || old == from || READ_ONCE(buf->broken))
		return false;
	if (LTT_BUF_WARN_ON(buf, old - from > ring_size(buf)))
		return false;
	do {
		end = ((old - 1) | buf->off_mask) + 1;
		lost = local_read(&buf->lost);
		last = READ_ONCE(buf->last_ts);
		ts = stamp(clock);
		if (ts < last)
			ts = last;	/* clamp: see close_open() */
	} while (!ltt_try_cmpxchg_local(&buf->write, &old, end));
	WRITE_ONCE(buf->last_ts, ts);

	/*
	 * NMIs write behind end now, and lead frontier nowhere. They do not get as far as
	 * the slots below: frontier is in the first of them.
	 */
	events = uncount(buf, from, end, before);
	count_lost(buf, events);
	lost += events;
	for (begin = from & ~buf->off_mask; begin < end; begin += buf->off_mask + 1) {
		sb = ltt_buf_sb(buf, begin);
		if (begin < from) {
			WRITE_ONCE(sb->content_end, from);
		} else {
			put_packet(buf, begin, ts, lost);
			WRITE_ONCE(sb->content_end, begin + sizeof(struct ltt_packet));
		}
		sb->ts_end = ts;
	}
	/*
	 * Packets that NMIs opened before the losses were counted lie after them, and tell of
	 * them, too. Those that come from now on see the count.
	 */
	for (begin = end; begin < READ_ONCE(buf->write); begin += buf->off_mask + 1) {
		packet = (struct ltt_packet *)ltt_buf_sb(buf, begin)->base;
		if (packet->events_discarded < lost)
			packet->events_discarded = lost;
	}
	WRITE_ONCE(buf->unfinished, buf->unfinished + 1);
	ltt_buf_publish(buf);
	/* What NMIs have lost themselves, their packets need not tell; the next one must. */
	if (READ_ONCE(buf->write) != end)
		ltt_buf_close(buf, clock);
	return true;
}

/*
 * Four functions a clock, so that reading the clock is inlined:
 *
 * ltt_reserve_CLOCK()		for ids below LTT_ID_WIDE
 * ltt_reserve_wide_CLOCK()	for those from there to LTT_ID_WIDE_MAX
 * ltt_reserve_shared_CLOCK()	for both, in shared buffers
 * ltt_reserve_slow_CLOCK()	for all
 *
 * @tap is the marker's way into the trace, @len the bytes of payload plus
 * LTT_HEADER_COMPACT. Return a slot; its p is NULL if the buffer is stopped, or
 * the event was lost, which is then counted. A slot must be given to ltt_commit().
 * Context: any, NMI included; preemption disabled.
 */
#define LTT_RESERVE_FORM(_name, _clock, _wide)				\
notrace struct ltt_slot							\
_name(const struct ltt_tap *tap, size_t len)				\
{									\
	struct ltt_slot slot;						\
									\
	if (likely(ltt_reserve_form(tap, this_cpu_ptr(tap->buf), len,	\
				    ltt_clock_##_clock##_try, &slot, _wide))) \
		return slot;						\
	/* A jump, so that the fast path needs no stack frame. */	\
	return ltt_reserve_slow_##_clock(tap, len);			\
}									\
EXPORT_SYMBOL_GPL(_name)

#define LTT_RESERVE(_clock)						\
notrace noinline struct ltt_slot					\
ltt_reserve_slow_##_clock(const struct ltt_tap *tap, size_t len)	\
{									\
	return reserve_slow(tap, len, ltt_clock_##_clock);		\
}									\
EXPORT_SYMBOL_GPL(ltt_reserve_slow_##_clock);				\
									\
LTT_RESERVE_FORM(ltt_reserve_##_clock, _clock, false);			\
LTT_RESERVE_FORM(ltt_reserve_wide_##_clock, _clock, true);		\
									\
notrace struct ltt_slot							\
ltt_reserve_shared_##_clock(const struct ltt_tap *tap, size_t len)	\
{									\
	struct ltt_slot slot;						\
									\
	if (likely(ltt_reserve_shared_fast(tap, this_cpu_ptr(tap->buf), len, \
					   ltt_clock_##_clock##_try, &slot))) \
		return slot;						\
	return ltt_reserve_slow_##_clock(tap, len);			\
}									\
EXPORT_SYMBOL_GPL(ltt_reserve_shared_##_clock)

LTT_RESERVE(tsc);
LTT_RESERVE(mono);
LTT_RESERVE(counter);
