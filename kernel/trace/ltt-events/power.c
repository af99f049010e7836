// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: markers of power management.
 */

#include <trace/events/power.h>

#include "tracepoint.h"

static void probe_cpu_idle(void *data, unsigned int state, unsigned int cpu_id)
{
	LTT_TRACEPOINT(power, cpu_idle, "state %u cpu_id %u", state, cpu_id);
}

LTT_PROBE_CHECK(cpu_idle)

struct ltt_probe ltt_power_probes[] = {
	LTT_PROBE(cpu_idle),
	{}
};
