// SPDX-License-Identifier: GPL-2.0
/*
 * What tracepoints cost that nobody records: while this module is loaded, those that its
 * parameter "events" names have a probe that does nothing.
 */
#include <linux/glob.h>
#include <linux/module.h>
#include <linux/tracepoint.h>

static char *events[16];
static int nr_patterns;
module_param_array(events, charp, &nr_patterns, 0444);
MODULE_PARM_DESC(events, "Patterns of tracepoints");

static unsigned int probed;
module_param(probed, uint, 0444);
MODULE_PARM_DESC(probed, "How many have the probe");

/* Called with the tracepoint's arguments, of which it needs none. */
static notrace void empty_probe(void *data)
{
}

static bool wanted(const char *name)
{
	int i;

	for (i = 0; i < nr_patterns; i++)
		if (glob_match(events[i], name))
			return true;
	return false;
}

static void attach(struct tracepoint *tp, void *unused)
{
	if (wanted(tp->name) && !tracepoint_probe_register(tp, empty_probe, NULL))
		probed++;
}

static void detach(struct tracepoint *tp, void *unused)
{
	if (wanted(tp->name))
		tracepoint_probe_unregister(tp, empty_probe, NULL);
}

static int __init ltt_bench_empty_init(void)
{
	for_each_kernel_tracepoint(attach, NULL);
	return probed ? 0 : -ENOENT;
}

static void __exit ltt_bench_empty_exit(void)
{
	for_each_kernel_tracepoint(detach, NULL);
	tracepoint_synchronize_unregister();
}

module_init(ltt_bench_empty_init);
module_exit(ltt_bench_empty_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("LTT: probes that do nothing");
