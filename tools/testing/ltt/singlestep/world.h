/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Everything that a run changes, in one piece of memory that can be copied away
 * and back, and what is known about it from outside (the ghosts).
 */
#ifndef _SS_WORLD_H
#define _SS_WORLD_H

#include "keep.h"
#include "../../../../kernel/trace/ltt-core/relay/packet_reader.h"

#define SS_ORDER	7			/* sub-buffers of 128 bytes: */
#define SS_SIZE		128ul			/* four events of 12 bytes each */
#define SS_ROOM		(SS_SIZE - sizeof(struct ltt_packet))
#define SS_SUBBUFS	4
#define SS_LOG		240
#define SS_ITEMS	480

#define SS_STREAM	11u
#define SS_CPU		3u

/* Forms of event headers; each has an event id that needs it. */
enum ss_form { SS_COMPACT, SS_WIDE, SS_EXTENDED, SS_FORMS };

enum ss_state {
	SS_STARTED,		/* may have reserved, we do not know yet */
	SS_RESERVED,
	SS_COMMITTING,		/* payload complete; commit has begun */
	SS_COMMITTED,
	SS_DROPPED,
};

/**
 * struct ss_ghost - one attempt to write an event
 * @start:	position, as reserved
 * @bound:	highest frontier seen while the event was not committed
 * @room:	position up to which readers and writers had left the ring when the
 *		attempt began
 * @begin:	clock when it began, a reading that nobody else has
 * @end:	clock when it ended, likewise; 0 before
 * @after:	its event is later than this: the CPU had answered a reader
 * @payload:	bytes, a multiple of four
 * @id:		index in the log; also written into the payload
 * @form:	enum ss_form, the one that its event id needs
 * @nest:	the same for a writer and all that were nested into it
 * @state:	enum ss_state
 */
struct ss_ghost {
	unsigned long start;
	unsigned long bound;
	unsigned long room;
	u64 begin;
	u64 end;
	u64 after;
	u16 payload;
	u8 id;
	u8 form;
	u8 nest;
	u32 state;
};

/**
 * struct ss_stream - what one cursor has seen
 * @last_ts:	timestamp of the last event
 * @last_seq:	sequence number of the last packet, plus one
 * @discarded:	number in the header of that packet
 * @nr:		of items
 * @item:	the index of an event in the log; or SS_LOST and a number
 */
#define SS_LOST		0x8000u
struct ss_stream {
	u64 last_ts;
	u64 last_seq;
	u64 discarded;
	u32 nr;
	u16 item[SS_ITEMS];
};

/**
 * struct ss_second - a second reader, of packets
 * @open:	it is there
 * @got:	it has a packet
 * @packets:	the reader
 * @stream:	what it has seen
 * @ts_end:	when the last packet that it took has ended
 * @shadow:	in overwrite mode
 * @copy:	of a packet that it keeps
 */
struct ss_second {
	bool open;
	bool got;
	struct ltt_packet_reader packets;
	struct ss_stream stream;
	u64 ts_end;
	u8 shadow[SS_SIZE];
	u8 copy[SS_SIZE];
};

#define SS_WINDOWS	2
#define SS_SPARES	16

/**
 * struct ss_window - a window
 * @until:	its end
 * @write:	of the buffer when it was taken
 * @nest:	number of the writers that were under way then
 * @running:	there were any
 * @taken:	it has been taken
 * @newest:	the collector knows the newest packet
 * @done:	the collector has come to the end of it
 * @full:	and found no spare
 * @seq:	number of the packet that it looks for next, plus 1
 * @nr:		packets that it has found
 * @packet:	where they are, the newest first
 */
struct ss_window {
	u64 until;
	unsigned long write;
	u32 nest;
	bool running;
	bool taken;
	bool newest;
	bool done;
	bool full;
	unsigned long seq;
	u32 nr;
	struct ltt_spare *packet[SS_SUBBUFS + 1];
};

/**
 * struct ss_kept - windows
 * @open:	there may be some
 * @nr:		how many there is memory for
 * @keep:	as in a trace
 * @window:	those taken, in this order
 * @collecting:	the one that the collector is at
 * @spares:	as in a buffer
 * @mem:	what they point to
 */
struct ss_kept {
	bool open;
	u32 nr;
	struct ltt_keep keep;
	struct ss_window window[SS_WINDOWS];
	struct ss_window *collecting;
	union {
		struct ltt_spares spares;
		u8 room[sizeof(struct ltt_spares) + SS_SPARES * sizeof(struct ltt_spare)];
	};
	u8 mem[SS_SPARES * SS_SIZE] __aligned(64);
};

/**
 * struct ss_stuck - what stuck.c goes back in time with
 * @reader:	the reader's part
 * @busy:	of struct ask
 * @answered:	likewise
 * @rounds:	of all readers
 */
struct ss_stuck {
	u8 reader[128];
	unsigned long busy;
	unsigned long answered;
	long rounds;
};

struct ss_world {
	struct ltt_buf buf;
	struct ltt_subbuf sb[SS_SUBBUFS];
	u8 mem[SS_SUBBUFS * SS_SIZE] __aligned(64);
	u8 shadow[SS_SIZE];
	struct ltt_stir stir;
	unsigned long stirred;
	bool dozed;		/* the first reader lets the buffer rest */
	bool noted;		/* the CPU has answered in its last round */
	u32 preempt;		/* how deep preemption is disabled */
	struct ss_stuck stuck;
	struct ltt_cursor cursor;
	struct ss_stream stream;
	const u8 *window;
	size_t window_len;
	u64 clock;
	unsigned long seen_write;
	unsigned long seen_frontier;
	unsigned long seen_horizon;
	unsigned long seen_consumed;
	u32 nr_before;		/* attempts before the outer operation */
	u32 nr_log;
	u32 nr_running;		/* writers begun and not ended */
	u32 nr_nests;
	/* At the end: of each, only what is used is copied. */
	struct ss_ghost log[SS_LOG];
	struct ss_second second;
	struct ss_kept kept;
};

extern struct ss_world ss_world;
extern const struct ltt_tap ss_tap[SS_FORMS];

/* The words of a payload; the first tells whose it is and how long. */
static inline u32 ss_word(u32 id, u32 payload, u32 i)
{
	return (id | payload << 8 | 0xa5000000u) + i * 0x01f35b07u;
}

/* ops.c: run instruction by instruction */
void ss_op_write(struct ss_ghost *ghost);
void ss_op_mark(struct ss_ghost *ghost);
void ss_op_close(void);
void ss_op_window(void);
void ss_op_release(void);
void ss_op_look(void);
void ss_op_doze(void);
void ss_op_other(void);
void ss_op_next(void);
void ss_op_keep(void);
void ss_op_packets_release(void);
void ss_op_take(void);
void ss_op_collect(void);
const struct ltt_format *ss_format(const void *arg, u32 id);

/* stuck.c: the operations likewise */
void ss_op_begin(void);
void ss_op_answer(void);
bool ss_stuck_answered(u64 *watermark);
void ss_stuck_init(void);
void ss_stuck_save(struct ss_stuck *to);
void ss_stuck_restore(const struct ss_stuck *from);

/* checker.c */
extern bool ss_failed;
extern const char *ss_warning;	/* of an internal error */
void ss_fail(const char *fmt, ...) __attribute__((__format__(printf, 1, 2)));
void ss_take(struct ltt_cursor *cursor, struct ss_stream *stream,
	     const u8 *events, size_t len, bool one);
void ss_take_packet(void);
void ss_observe(void);
void ss_answered(u64 watermark);
void ss_check_attempt(const struct ss_ghost *ghost);
void ss_check_stream(const struct ss_stream *stream, bool late);
void ss_check_memory(void);
void ss_check_window(const struct ss_window *window);

#endif /* _SS_WORLD_H */
