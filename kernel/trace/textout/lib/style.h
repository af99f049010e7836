/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: text styles, the formats of lines.
 *
 *	style.c		the table
 *	style_NAME.c	one style each
 *
 * Shared by the kernel, the user-space tools and the tests.
 *
 * A style is a struct ltt_text_style and a row in the table. For each kind of event its
 * program() defines once what lines consist of (see render.c); its event() makes a line by
 * running that program. Nothing else is called per event, and nothing per field unless
 * the style shows fields in its own way.
 */
#ifndef _LTT_STYLE_H
#define _LTT_STYLE_H

#include "render.h"

/**
 * struct ltt_text_trace - a trace, as shown in a header
 * @name:	of the trace
 * @uuid:	of the trace, LTT_UUID_SIZE bytes
 * @host:	name of the machine
 * @boot_id:	of its kernel's start, LTT_UUID_SIZE bytes; NULL: unknown
 * @clock:	of the times: "tsc", "mono", "counter"
 * @real_offset: ns, what to add to a time of the clock to get the time since 1970; 0: unknown
 * @wall:	times are since 1970, not those of the clock
 *
 * In user space the strings are untrusted.
 */
struct ltt_text_trace {
	const char *name;
	const u8 *uuid;
	const char *host;
	const u8 *boot_id;
	const char *clock;
	u64 real_offset;
	bool wall;
};

/**
 * struct ltt_text_place - the place of a notice
 * @cpu:	the CPU
 * @channel:	name of the channel; untrusted in user space
 * @ts:		ns, its place in the order of lines
 * @nr_traces:	traces that are shown together, if there are several
 * @trace:	then the number of its own in the header, from 0
 */
struct ltt_text_place {
	u32 cpu;
	const char *channel;
	u64 ts;
	unsigned int nr_traces;
	unsigned int trace;
};

/**
 * struct ltt_text_notices - the lines of a style that are not events
 * @header:	the header, for one or more traces
 * @lost:	events are missing before @place
 * @unfinished:	a writer died in the middle of an event, which is lost together with those
 *		after it until that was detected; included in the next @lost
 * @corrupt:	the rest of a packet, from an offset in bytes on, cannot be decoded
 * @silent:	a CPU has not answered since a time in ns; its events may come late
 * @late:	the events of a CPU that follow are earlier than those before
 *
 * They put whole lines and return 0, or -ENOSPC if there is no room. They are called
 * through the functions below, which undo partial output after an error.
 */
struct ltt_text_notices {
	int (*header)(struct ltt_textbuf *out, const struct ltt_text_trace *traces,
		      unsigned int nr);
	int (*lost)(struct ltt_textbuf *out, const struct ltt_text_place *place, u64 lost);
	int (*unfinished)(struct ltt_textbuf *out, const struct ltt_text_place *place);
	int (*corrupt)(struct ltt_textbuf *out, const struct ltt_text_place *place,
		       unsigned long packet, unsigned long offset);
	int (*silent)(struct ltt_textbuf *out, u32 cpu, u64 since);
	int (*late)(struct ltt_textbuf *out, u32 cpu);
};

/**
 * struct ltt_text_style - a style
 * @name:	of the style
 * @live:	needs the running kernel, cannot show recorded traces
 * @open:	prepares for one output, of which it may set out->state; may be NULL.
 *		Returns 0 or a negative errno. Context: task, may sleep
 * @close:	undoes @open; may be NULL. Context: task, may sleep
 * @program:	defines the lines of a kind of event, by calls of ltt_build_*(). Called twice
 *		per kind, must do the same each time
 * @notices:	puts the header and the notices
 * @columns:	what lines are, the last line of the header of ltt_format_notices; NULL: as in
 *		style "format"
 * @event:	makes a line; arguments, room and return value as for ltt_render_event(), which
 *		most styles use, like ltt_render_line(). Context: task, may sleep
 *
 * Only @notices and @event put text.
 */
struct ltt_text_style {
	const char *name;
	bool live;
	int (*open)(struct ltt_textbuf *out);
	void (*close)(struct ltt_textbuf *out);
	void (*program)(struct ltt_text_builder *b, const struct ltt_text_kind *kind);
	const struct ltt_text_notices *notices;
	const char *columns;
	long (*event)(struct ltt_textbuf *out, const struct ltt_event_text *text,
		      const struct ltt_cpu_text *cpu, u64 ts,
		      const u8 *payload, size_t avail, bool swap);
};

/* style.c: all styles; the first is the default, NULL is the end. */
extern const struct ltt_text_style *const ltt_text_styles[];

const struct ltt_text_style *ltt_style_find(const char *name);
int ltt_style_open(struct ltt_textbuf *out, const struct ltt_text_style *style);
void ltt_style_close(struct ltt_textbuf *out);
int ltt_style_header(struct ltt_textbuf *out, const struct ltt_text_trace *traces,
		     unsigned int nr);
int ltt_style_lost(struct ltt_textbuf *out, const struct ltt_text_place *place, u64 lost);
int ltt_style_unfinished(struct ltt_textbuf *out, const struct ltt_text_place *place);
int ltt_style_corrupt(struct ltt_textbuf *out, const struct ltt_text_place *place,
		      unsigned long packet, unsigned long offset);
int ltt_style_silent(struct ltt_textbuf *out, u32 cpu, u64 since);
int ltt_style_late(struct ltt_textbuf *out, u32 cpu);

/* style_NAME.c */
extern const struct ltt_text_style ltt_style_format;
extern const struct ltt_text_style ltt_style_ftrace;
extern const struct ltt_text_style ltt_style_kv;
extern const struct ltt_text_style ltt_style_json;
extern const struct ltt_text_style ltt_style_lttv;

/* style_format.c: also for styles that differ from it only in parts. */
extern const struct ltt_text_notices ltt_format_notices;

void ltt_format_program(struct ltt_text_builder *b, const struct ltt_text_kind *kind);

#endif /* _LTT_STYLE_H */
