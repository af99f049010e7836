// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: attaching probes to tracepoints.
 *
 * Tracepoints are looked up by name among those of the kernel image, so that
 * they need not be exported.
 */

#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/string.h>

#include "tracepoint.h"

static struct ltt_probe *const tables[] = {
	ltt_sched_probes,
	ltt_irq_probes,
	ltt_timer_probes,
	ltt_power_probes,
	ltt_syscall_probes,
};

/* Protects attached, and closing. Taken inside of ltt_mutex. */
static DEFINE_MUTEX(probe_mutex);
static bool closing;

static struct ltt_probe *probe_find(const char *name)
{
	struct ltt_probe *probe;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		for (probe = tables[i]; probe->name; probe++) {
			if (!strcmp(probe->name, name))
				return probe;
		}
	}
	return NULL;
}

static void note_tracepoint(struct tracepoint *tracepoint, void *priv)
{
	struct ltt_probe *probe = probe_find(tracepoint->name);

	if (probe)
		probe->tracepoint = tracepoint;
}

/*
 * A trace may want our markers as soon as the module comes, before its init
 * function runs: the first who asks looks the tracepoints up.
 */
static void find_tracepoints(void)
{
	static bool found;

	if (!found)
		for_each_kernel_tracepoint(note_tracepoint, NULL);
	found = true;
}

/**
 * ltt_probe_connect() - attach the probe that holds a marker
 * @marker:	named like the tracepoint
 *
 * Context: task, may sleep.
 * Return: 0; -ENOENT if this kernel has no such tracepoint; -ENODEV while the
 * module is being removed; what tracepoint_probe_register() returns.
 */
int ltt_probe_connect(struct ltt_marker *marker)
{
	struct ltt_probe *probe = probe_find(marker->name);
	int err = 0;

	if (!probe)
		return -ENOENT;
	mutex_lock(&probe_mutex);
	find_tracepoints();
	if (closing)
		err = -ENODEV;
	else if (!probe->tracepoint)
		err = -ENOENT;
	else if (!probe->attached)
		err = tracepoint_probe_register(probe->tracepoint, probe->func, NULL);
	if (!err)
		probe->attached = true;
	mutex_unlock(&probe_mutex);
	return err;
}

static void detach(struct ltt_probe *probe)
{
	if (probe->attached)
		tracepoint_probe_unregister(probe->tracepoint, probe->func, NULL);
	probe->attached = false;
}

/**
 * ltt_probe_disconnect() - detach the probe that holds a marker
 * @marker:	as for ltt_probe_connect()
 *
 * The probe may still be running when this returns.
 *
 * Context: task, may sleep.
 */
void ltt_probe_disconnect(struct ltt_marker *marker)
{
	struct ltt_probe *probe = probe_find(marker->name);

	if (!probe)
		return;
	mutex_lock(&probe_mutex);
	detach(probe);
	mutex_unlock(&probe_mutex);
}

static int __init ltt_events_init(void)
{
	return 0;
}

/* All probes off for good, none running any more. */
static void __exit ltt_events_exit(void)
{
	struct ltt_probe *probe;
	size_t i;

	mutex_lock(&probe_mutex);
	closing = true;
	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		for (probe = tables[i]; probe->name; probe++)
			detach(probe);
	}
	mutex_unlock(&probe_mutex);
	tracepoint_synchronize_unregister();
}

module_init(ltt_events_init);
module_exit(ltt_events_exit);

MODULE_DESCRIPTION("LTT: markers on the kernel's tracepoints");
MODULE_LICENSE("GPL");
