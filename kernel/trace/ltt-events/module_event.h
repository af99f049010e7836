/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: finds the trace event of a module's tracepoint.
 */
#ifndef _LTT_MODULE_EVENT_H
#define _LTT_MODULE_EVENT_H

#include <linux/module.h>
#include <linux/trace_events.h>

/**
 * ltt_module_event() - the trace event of a tracepoint in a module
 * @module:	the module
 * @tracepoint:	the tracepoint
 *
 * Context: task; the module does not go meanwhile.
 * Return: the first such event, NULL if there is none.
 */
static inline const struct trace_event_call *
ltt_module_event(const struct module *module, const struct tracepoint *tracepoint)
{
	const struct trace_event_call *call;
	unsigned int i;

	for (i = 0; i < module->num_trace_events; i++) {
		call = module->trace_events[i];
		if (call->flags & TRACE_EVENT_FL_TRACEPOINT && call->tp == tracepoint)
			return call;
	}
	return NULL;
}

#endif /* _LTT_MODULE_EVENT_H */
