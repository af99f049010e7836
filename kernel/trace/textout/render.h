/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: events as lines of text.
 *
 * Shared by the kernel, the user-space tools and the tests. A line is
 *
 *	1234.567890123 [003] sched.switch: prev_pid 17 next_pid 0 prev_state 1
 *
 * seconds.nanoseconds, CPU, channel.marker, the marker's format with its values, and
 * behind a blank that of the context, if the channel has one.
 */
#ifndef _LTT_RENDER_H
#define _LTT_RENDER_H

#include <linux/ltt/format.h>
#include <linux/ltt/out.h>
#include <linux/types.h>

/* More room than a line has bytes, at most, that is needed to render it. */
#define LTT_RENDER_SPARE	(64 + 20 * LTT_MAX_ARGS)

/**
 * struct ltt_cpu_text - " [003] ", made once per stream
 * @len:	bytes of @text
 * @text:	the text, not terminated
 */
struct ltt_cpu_text {
	u32 len;
	char text[16];
};

/**
 * struct ltt_op - a step in the program that renders an event
 * @code:	enum ltt_op_code of render.c
 * @size:	bytes of the stored integer
 * @shift:	64 less the bits of the stored integer
 * @lit_len:	bytes of @lit
 * @need:	bytes of room that the steps after this one need
 * @lit:	literal text that comes first
 * @field:	what the step shows
 */
struct ltt_op {
	u8 code;
	u8 size;
	u8 shift;
	u32 lit_len;
	u32 need;
	const char *lit;
	const struct ltt_field *field;
};

/**
 * struct ltt_event_text - a program that renders one kind of event
 * @format:	what it was made from
 * @name:	"channel.marker", escaped; not terminated
 * @name_len:	bytes of @name
 * @need:	bytes of room without which no line is tried
 * @context:	format of what was recorded with the event, NULL if nothing was
 * @ops:	one step per field of event and context, and one that ends each of them
 */
struct ltt_event_text {
	const struct ltt_format *format;
	const struct ltt_format *context;
	const char *name;
	u32 name_len;
	u32 need;
	struct ltt_op ops[];
};

void ltt_out_init(struct ltt_out *out, char *buf, size_t size);
void ltt_cpu_text_init(struct ltt_cpu_text *text, u32 cpu);

struct ltt_event_text *ltt_event_text_create(const char *channel, const char *marker,
					     const struct ltt_format *format,
					     const struct ltt_format *context);
void ltt_event_text_free(struct ltt_event_text *text);

long ltt_render_event(struct ltt_out *out, const struct ltt_event_text *text,
		      const struct ltt_cpu_text *cpu, u64 ts,
		      const u8 *payload, size_t avail, bool swap);
int ltt_render_lost(struct ltt_out *out, u64 lost, u32 cpu, const char *channel,
		    u64 ts);

/* render_field.c: a field without the text around it, for any style. */
long ltt_render_field(struct ltt_out *out, const struct ltt_field *field,
		      const u8 *p, size_t avail, bool swap);
int ltt_render_escaped(struct ltt_out *out, const u8 *text, size_t len);

#endif /* _LTT_RENDER_H */
