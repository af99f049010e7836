/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: the writer's side of a half of an area. Shared by the kernel and the tests.
 */
#ifndef _LTT_AREA_LOG_H
#define _LTT_AREA_LOG_H

#include <linux/ltt/area.h>
#include <linux/ltt/context.h>

/**
 * struct ltt_area_log - a half that is being written
 * @base:	where it is
 * @head:	its head
 */
struct ltt_area_log {
	void *base;
	struct ltt_area_head head;
};

/**
 * struct ltt_area_names - what a trace's record has as strings
 * @name:	of the trace
 * @hostname:	of the machine
 * @release:	of the kernel
 * @build:	which build of that: utsname's version
 * @version:	of LTT
 * @clock:	of the trace
 */
struct ltt_area_names {
	const char *name;
	const char *hostname;
	const char *release;
	const char *build;
	const char *version;
	const char *clock;
};

void ltt_area_begin(struct ltt_area_log *log, void *base, u64 size, u64 generation);
void ltt_area_end(struct ltt_area_log *log);
int ltt_area_add_trace(struct ltt_area_log *log, const struct ltt_area_trace *trace,
		       const struct ltt_area_names *names);
int ltt_area_add_stream(struct ltt_area_log *log, u32 stream_id, const char *channel,
			const struct ltt_context *context);
int ltt_area_add_event(struct ltt_area_log *log, u32 stream_id, u32 id, const char *channel,
		       const char *marker, const char *text, const u32 *types, u32 nr_types);
int ltt_area_add_event_like(struct ltt_area_log *log, u32 stream_id, u32 id,
			    const char *channel, const char *marker, u32 like);
int ltt_area_add_window(struct ltt_area_log *log, const struct ltt_area_window *window,
			const char *why);
int ltt_area_add_buffer(struct ltt_area_log *log, enum ltt_area_type type,
			const struct ltt_area_buffer *buffer);

#endif /* _LTT_AREA_LOG_H */
