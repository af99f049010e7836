/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: the bridge from the kernel's trace events to markers.
 */
#ifndef _LTT_BRIDGE_H
#define _LTT_BRIDGE_H

#include <linux/ltt/event_printer.h>

#include "events.h"

struct tracepoint;

/**
 * struct ltt_bridge - an event in this kernel
 * @marker:	its marker; first, the probe gets a pointer to it
 * @desc:	what was compiled
 * @tracepoint:	its tracepoint while that is there, else NULL
 * @registered:	@marker is known to ltt-core
 *
 * Changed by one thread at a time: the module's init and exit functions, and in between
 * the notifier for tracepoints of modules, which holds a lock of the kernel's. What
 * ltt-core calls sees it between the marker's registration and its end.
 */
struct ltt_bridge {
	struct ltt_marker marker;
	const struct ltt_bridge_desc *desc;
	struct tracepoint *tracepoint;
	bool registered;
};

extern struct ltt_bridge *ltt_bridges;
extern unsigned int ltt_nr_bridges;

/* main.c */
const struct ltt_bridge *ltt_bridge_find(const struct ltt_event *event);

/* first.c, last.c: where the section of events begins and ends */
extern const struct ltt_bridge_desc *const ltt_bridge_first[];
extern const struct ltt_bridge_desc *const ltt_bridge_last[];

/* format.c */
int ltt_bridge_make_format(struct ltt_bridge *bridge);
void ltt_bridge_free_formats(void);

/* files.c */
int ltt_bridge_files_init(void);
void ltt_bridge_files_exit(void);

/* scratch.c */
int ltt_bridge_scratch_init(void);
void ltt_bridge_scratch_exit(void);

/* print.c */
extern const struct ltt_event_printer ltt_bridge_printer;

#endif /* _LTT_BRIDGE_H */
