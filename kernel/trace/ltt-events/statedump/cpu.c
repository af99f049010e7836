// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the state dump's processors.
 */

#include <linux/cpufreq.h>
#include <linux/cpumask.h>
#include <linux/topology.h>
#ifdef CONFIG_X86
#include <asm/processor.h>
#include <asm/tsc.h>
#endif

#include "statedump.h"

static const char *model_of(unsigned int cpu)
{
#ifdef CONFIG_X86
	return cpu_data(cpu).x86_model_id;
#else
	return "";
#endif
}

/* kHz, as far as known: current, maximum, nominal. */
static unsigned int frequency_of(unsigned int cpu)
{
	unsigned int khz = cpufreq_quick_get(cpu) ?: cpufreq_quick_get_max(cpu);

#ifdef CONFIG_X86
	khz = khz ?: cpu_khz;
#endif
	return khz;
}

/**
 * ltt_state_cpus() - record all processors that are present, including offline ones
 * @dump:	the dump
 *
 * Context: task, sleeps.
 */
void ltt_state_cpus(struct state_dump *dump)
{
	unsigned int cpu;

	if (!ltt_state_wants(dump, STATE_CPU))
		return;
	for_each_present_cpu(cpu)
		state_mark(dump, STATE_CPU, cpu_topology,
			   "cpu %u online %u node %d package %d die %d core %d khz %u model %s",
			   cpu, cpu_online(cpu), cpu_to_node(cpu),
			   topology_physical_package_id(cpu), topology_die_id(cpu),
			   topology_core_id(cpu), frequency_of(cpu), model_of(cpu));
}
