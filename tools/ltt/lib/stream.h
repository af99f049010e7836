/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libltt: a stream, from its file to its next event.
 */
#ifndef _LTT_LIB_STREAM_H
#define _LTT_LIB_STREAM_H

#include <linux/ltt/decode.h>

#include "private.h"

/* index.c */
void lib_index_close(struct lib_stream *s);
void lib_index_seek(struct libltt *ltt, struct lib_stream *s, u64 ts);

/* Bytes that all packets of a trace begin with: magic number and UUID. */
#define LIB_KEY_SIZE	(sizeof(__u32) + LTT_UUID_SIZE)

/* packet.c */
int lib_packet_header(struct lib_stream *s, u64 offset, struct ltt_packet *packet);
const char *lib_packet_bad_frame(const struct lib_stream *s, const struct ltt_packet *packet);
bool lib_packet_whole(struct lib_stream *s, u64 offset, struct ltt_packet *packet);
const char *lib_packet_judge(struct lib_stream *s, struct ltt_packet *packet, u64 at,
			     const char **odd);
bool lib_packet_between(struct lib_stream *s, const struct ltt_packet *packet, u64 at,
			const struct ltt_packet *before);
bool lib_packet_may_begin(const struct lib_stream *s, const void *p, size_t size);
int lib_packet_search(struct lib_stream *s, u64 offset, u64 *found);
void lib_packet_pass(struct lib_stream *s, const struct ltt_packet *packet, u64 offset);
void lib_packet_leave(struct lib_stream *s);
void lib_packet_damaged(struct lib_stream *s, u64 at);
void lib_packet_no_header(struct lib_stream *s);
bool lib_packet_fill(struct libltt *ltt, struct lib_stream *s, u64 offset, size_t want);
bool lib_packet_next(struct libltt *ltt, struct lib_stream *s);

/* identify.c */
bool lib_stream_named(struct lib_stream *s, const char *name);
int lib_stream_owner(struct lib_stream *s, const char *name);

/* stream.c */
void lib_stream_open(struct lib_trace *trace, const char *name, struct lib_stream *s);
bool lib_stream_identify(struct libltt *ltt, struct lib_stream *s);
int lib_stream_windows(struct libltt *ltt, unsigned int readers);
void lib_stream_close(struct lib_stream *s);
void lib_stream_rewind(struct libltt *ltt, struct lib_stream *s);
bool lib_stream_peek_slow(struct libltt *ltt, struct lib_stream *s);
bool lib_stream_more(struct libltt *ltt, struct lib_stream *s);
void lib_stream_skip(struct libltt *ltt, struct lib_stream *s, const char *why);

/* Is there a notice before the next event, or at the end? */
static __always_inline bool lib_stream_notice(const struct lib_stream *s)
{
	return s->lost || s->corrupt;
}

/**
 * lib_stream_peek() - find a stream's next event
 * @ltt:	for reports
 * @s:		the stream; what was before s->p is done
 *
 * Return: false if nothing follows. Then s->header is 0, and if there is a lib_stream_notice(),
 * it is of the end, at the time s->ts.
 */
static __always_inline bool lib_stream_peek(struct libltt *ltt, struct lib_stream *s)
{
	u64 ts = s->ts;
	int header = ltt_decode_header_of(s->p, s->end - s->p, &ts, &s->id, s->swap, s->compact);

	if (likely(header > 0 && ts <= s->ts_end)) {
		s->class = lib_class_find(s->channel, s->id);
		if (likely(s->class)) {
			s->header = header;
			s->ts = ts;
			return true;
		}
	}
	return lib_stream_peek_slow(ltt, s);
}

/**
 * lib_stream_size() - bytes of the next event's context and fields
 * @ltt:	for reports
 * @s:		the stream
 *
 * All of the event is in the window afterwards.
 *
 * Return: bytes, or -EBADMSG.
 */
static inline long lib_stream_size(struct libltt *ltt, struct lib_stream *s)
{
	long size;

	do {
		size = ltt_event_size(s->class->context, s->class->format, s->p + s->header,
				      s->end - s->p - s->header, s->swap);
	} while (unlikely(size < 0) && lib_stream_more(ltt, s));
	return size;
}

#endif /* _LTT_LIB_STREAM_H */
