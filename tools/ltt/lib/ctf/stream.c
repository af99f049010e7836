// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: events of a stream of another tracer, as LTT would have recorded them.
 */
#include <errno.h>
#include <linux/kernel.h>
#include <linux/ltt/unaligned.h>
#include <stdlib.h>
#include <string.h>

#include "ctf.h"

/* Bytes of an event, at most. */
#define EVENT_MAX	(64u << 20)

/* ---- headers ------------------------------------------------------------------------ */

/* enum : uint5_t { compact = 0 ... 30, extended = 31 } id and a time of 27 bits */
static __always_inline int read_compact(struct ctf_reader *r, bool swap, u64 *id)
{
	u64 at = (r->at + 7) & -8ull;
	const u8 *p = r->data + at / 8;
	u32 word;

	if (unlikely(r->end < at + 32))
		return -ENODATA;
	word = ltt_load32(p, swap);
	if (swap != LTT_HOST_BE) {
		*id = word >> 27;
		word &= (1u << 27) - 1;
	} else {
		*id = word & 31;
		word >>= 5;
	}
	if (likely(*id != 31)) {
		ctf_set_time(r, word, 27);
		r->at = at + 32;
		return 0;
	}
	if (r->end < at + 8 * 13)
		return -ENODATA;
	*id = ltt_load32(p + 1, swap);
	r->time = ltt_load64(p + 5, swap);
	r->at = at + 8 * 13;
	return 0;
}

/* enum : uint16_t { compact = 0 ... 65534, extended = 65535 } id and a time of 32 bits */
static __always_inline int read_large(struct ctf_reader *r, bool swap, u64 *id)
{
	u64 at = (r->at + 7) & -8ull;
	const u8 *p = r->data + at / 8;

	if (unlikely(r->end < at + 8 * 6))
		return -ENODATA;
	*id = ltt_load16(p, swap);
	if (likely(*id != 65535)) {
		ctf_set_time(r, ltt_load32(p + 2, swap), 32);
		r->at = at + 8 * 6;
		return 0;
	}
	if (r->end < at + 8 * 14)
		return -ENODATA;
	*id = ltt_load32(p + 2, swap);
	r->time = ltt_load64(p + 6, swap);
	r->at = at + 8 * 14;
	return 0;
}

static __always_inline int read_header(struct ctf_reader *r, const struct ctf_stream_class *class,
				       u64 *id)
{
	int err;

	if (class->kind == CTF_COMPACT_HEADER)
		return read_compact(r, class->swap, id);
	if (class->kind == CTF_LARGE_HEADER)
		return read_large(r, class->swap, id);
	/* Without an id there is but one. */
	r->slots[CTF_ID] = class->nr_events ? class->events[0]->id : 0;
	err = ctf_run(r, class->header);
	*id = r->slots[CTF_ID];
	return err;
}

/* As those of LTT, see linux/ltt/packet.h. There is room. @whole: do not depend on the last one. */
static __always_inline void put_header(struct ctf_reader *r, u32 id, u64 ns, u64 last, bool whole)
{
	u32 form = id < LTT_ID_WIDE ? id : LTT_ID_WIDE, word;
	u16 wide = id;

	if (unlikely(id > LTT_ID_WIDE_MAX || ns - last > LTT_TIME_MASK || whole)) {
		form = LTT_ID_EXTENDED;
		word = LTT_HOST_BE ? form << LTT_TIME_BITS : form;
		memcpy(r->out, &word, sizeof(word));
		memcpy(r->out + 4, &id, sizeof(id));
		memcpy(r->out + 8, &ns, sizeof(ns));
		r->out += LTT_HEADER_EXTENDED;
		return;
	}
	word = LTT_HOST_BE ? form << LTT_TIME_BITS | (u32)(ns & LTT_TIME_MASK) :
			     (u32)ns << LTT_ID_BITS | form;
	memcpy(r->out, &word, sizeof(word));
	memcpy(r->out + 4, &wide, sizeof(wide));
	r->out += form == LTT_ID_WIDE ? LTT_HEADER_WIDE : LTT_HEADER_COMPACT;
}

/* ---- events -------------------------------------------------------------------------- */

/* Can the event be shown, at a time that is not one of its packet? */
static noinline int bad_time(struct ctf_stream *c, u64 at, u64 ns)
{
	if (ns < c->last) {
		c->r.why = "an event before the one before it";
		return -EBADMSG;
	}
	if (ns < c->least || ns > c->most) {
		c->r.why = "time out of range";
		return -EBADMSG;
	}
	c->late = true;
	c->late_at = c->begin + c->base + at / 8;
	c->latest = c->most;
	return 0;
}

/* The next event. Return: as functions of decode.c do; after a failure, nothing is of any use. */
static __always_inline int make_event(struct ctf_stream *c)
{
	const struct ctf_stream_class *class = c->class;
	const struct ctf_event *event;
	struct ctf_reader *r = &c->r;
	u64 at = r->at, id, ns;
	int err = read_header(r, class, &id);

	if (unlikely(err))
		return err;
	event = likely(id < class->ids) ? class->by_id[id] : ctf_event_find(class, id);
	if (unlikely(!event)) {
		r->why = "an event that the metadata don't declare";
		return -EBADMSG;
	}
	ns = ctf_clock_ns(class->clock, r->time);
	if (unlikely(ns < c->last || ns < c->least || ns > c->latest)) {
		err = bad_time(c, at, ns);
		if (err)
			return err;
	}
	if (unlikely((size_t)(r->out_end - r->out) < LTT_HEADER_EXTENDED + c->prefix_len))
		return -ENOSPC;
	put_header(r, event->number, ns, c->last, c->fresh);
	if (c->prefix_len) {
		memcpy(r->out, c->prefix, c->prefix_len);
		r->out += c->prefix_len;
	}
	err = ctf_run(r, event->program);
	if (likely(!err)) {
		c->last = ns;
		c->fresh = false;
	}
	return err;
}

/* As many as there is room for, and are in memory. Return: why not more. */
static int make_events(struct lib_stream *s, struct ctf_stream *c)
{
	struct ctf_reader *r = &c->r;
	u64 at, time;
	int err = 0;
	u8 *out;

	r->out = s->window;
	r->out_end = s->window + s->room;
	while (r->at + 8 * c->base < c->content) {
		at = r->at;
		time = r->time;
		out = r->out;
		err = make_event(c);
		if (unlikely(err)) {
			r->at = at;
			r->time = time;
			r->out = out;
			break;
		}
	}
	return err;
}

static int grow(struct lib_stream *s)
{
	u8 *window;

	if (s->room >= EVENT_MAX)
		return -E2BIG;
	window = realloc(s->window, 2 * s->room);
	if (!window)
		return -ENOMEM;
	s->window = window;
	s->room *= 2;
	return 0;
}

/* The rest of the packet cannot be read. */
static void give_up(struct libltt *ltt, struct lib_stream *s, struct ctf_stream *c, int err)
{
	const char *why = "incomplete event";
	u64 at = c->begin + c->base + c->r.at / 8;

	if (err == -EBADMSG)
		why = c->r.why;
	else if (err == -E2BIG)
		why = "event of too many bytes";
	else if (err != -ENODATA)
		why = strerror(-err);
	lib_report(ltt, LIBLTT_ERROR, err == -ENODATA ? EBADMSG : -err, s->pub.file, at,
		   "%s; skipping to offset %llu", why, (unsigned long long)c->next);
	lib_packet_damaged(s, at);
	c->inside = false;
}

/* Nothing is lost, but those who believe the packet's header do not look for the event here. */
static void tell_late(struct libltt *ltt, const struct lib_stream *s, struct ctf_stream *c)
{
	lib_report(ltt, LIBLTT_NOTE, EBADMSG, s->pub.file, c->late_at,
		   "an event after the end of its packet");
	c->late = false;
}

/* Further events of the packet. Return: whether there are any. */
static bool next_events(struct libltt *ltt, struct lib_stream *s, struct ctf_stream *c)
{
	int err;

	while (c->inside) {
		err = make_events(s, c);
		if (unlikely(c->late))
			tell_late(ltt, s, c);
		/* What is wrong is told when those before it are done. */
		if (c->r.out != s->window)
			return true;
		if (err == -ENODATA)
			err = ctf_packet_more(s);
		else if (err == -ENOSPC)
			err = grow(s);
		else if (!err)
			c->inside = false;
		if (err)
			give_up(ltt, s, c, err);
	}
	return false;
}

/**
 * ctf_stream_place() - where in its packet is the next event?
 * @s:		the stream
 *
 * The same bytes are made of a packet whoever reads it, and however many at a time.
 */
u64 ctf_stream_place(const struct lib_stream *s)
{
	return s->ctf->made + (s->p - s->window);
}

/**
 * ctf_stream_next() - lib_packet_next() for a stream of another tracer
 * @ltt:	for the range that is wanted, and for reports
 * @s:		the stream
 *
 * Return: as that.
 */
bool ctf_stream_next(struct libltt *ltt, struct lib_stream *s)
{
	struct ctf_stream *c = s->ctf;

	while (!s->finished) {
		c->made += s->window_len;
		s->window_len = 0;
		if (next_events(ltt, s, c)) {
			s->p = s->window;
			s->end = c->r.out;
			s->window_at = 0;
			s->window_len = s->end - s->p;
			s->content_end = s->window_len;
			s->ts_end = U64_MAX;
			return true;
		}
		if (!ctf_packet_enter(ltt, s))
			break;
		c->inside = true;
	}
	s->finished = true;
	s->ts_end = min(max(max(c->last, c->end), c->least), c->most);
	return false;
}
