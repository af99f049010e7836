/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: markers on the kernel's tracepoints.
 *
 * A probe is a function with the tracepoint's arguments behind a void *. It
 * says one trace_mark_hook() with the tracepoint's name, and is attached to the
 * tracepoint only while a trace wants that marker.
 */
#ifndef _LTT_EVENTS_TRACEPOINT_H
#define _LTT_EVENTS_TRACEPOINT_H

#include <linux/tracepoint.h>
#include <linux/ltt/marker.h>

/**
 * struct ltt_probe - a probe and its tracepoint
 * @name:	of the tracepoint, and of the marker
 * @func:	the probe
 * @tracepoint:	NULL if this kernel has none of that name
 * @attached:	@func is registered; protected by the mutex of tracepoint.c
 */
struct ltt_probe {
	const char *name;
	void *func;
	struct tracepoint *tracepoint;
	bool attached;
};

/* An entry of a table of probes. */
#define LTT_PROBE(_name) { .name = #_name, .func = probe_##_name }

/* Lets the compiler compare the probe with the tracepoint's prototype. */
#define LTT_PROBE_CHECK(_name)						\
static inline void __maybe_unused check_##_name(void)			\
{									\
	check_trace_callback_type_##_name(probe_##_name);		\
}

/* The marker in a probe: LTT_TRACEPOINT(system, tracepoint, format, ...) */
#define LTT_TRACEPOINT(_system, _name, _format, ...)			\
	trace_mark_hook(_system, _name, ltt_probe_connect,		\
			ltt_probe_disconnect, _format, ##__VA_ARGS__)

int ltt_probe_connect(struct ltt_marker *marker);
void ltt_probe_disconnect(struct ltt_marker *marker);

extern struct ltt_probe ltt_sched_probes[];
extern struct ltt_probe ltt_irq_probes[];
extern struct ltt_probe ltt_timer_probes[];
extern struct ltt_probe ltt_power_probes[];
extern struct ltt_probe ltt_syscall_probes[];

#endif /* _LTT_EVENTS_TRACEPOINT_H */
