// SPDX-License-Identifier: GPL-2.0
/*
 * LTT sample: a filter in a module, which remembers what came before.
 *
 * The expressions of Documentation/trace/ltt/filters.rst look at one event. A filter in a
 * module can do more: as a script of SystemTap would, this one measures for how long tasks run
 * before they are switched, counts that, and lets only those switches through that end a
 * long run.
 *
 * Where modprobe does not find the sample, insmod the file that was built, see the Makefile.
 *
 *	# cd /sys/kernel/debug/ltt
 *	# echo runs > setup_trace
 *	# echo sched.sched_switch > traces/runs/markers
 *	# modprobe ltt-sample-filter trace=runs min_us=200
 *	# echo 1 > traces/runs/enabled
 *	# cat traces/runs/text/ALL
 *
 * How many runs took up to 1, 2, 4, ... microseconds is in
 * /sys/module/ltt_sample_filter/parameters/runs.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/ltt/event.h>
#include <linux/ltt/filter.h>
#include <linux/ltt/format.h>
#include <linux/ltt/trace.h>
#include <linux/ltt/unaligned.h>

#define CHANNEL	"sched"
#define MARKER	"sched_switch"

/* Classes of runs by their length: up to 1 us, 2 us, ..., and longer ones. */
#define CLASSES	20

static char *trace = "";
module_param(trace, charp, 0444);
MODULE_PARM_DESC(trace, "Name of the trace, which has " CHANNEL "." MARKER " enabled");

static unsigned int min_us = 1000;
module_param(min_us, uint, 0644);
MODULE_PARM_DESC(min_us, "Record the switches that end a run of so many microseconds, or more");

/**
 * struct state - of a CPU, which alone changes it, in the scheduler: nothing nests
 * @since:	when the current task began to run, ns; 0: not known
 * @runs:	how many there were of each class
 */
struct state {
	u64 since;
	unsigned long runs[CLASSES];
};

static DEFINE_PER_CPU(struct state, state);

/* The integer field @name of an event. Return: false if there is none. */
static bool get_int(const struct ltt_format *format, const char *name, const u8 *payload,
		    size_t size, u64 *value)
{
	const struct ltt_field *field = format->fields;
	const struct ltt_field *end = field + format->nr_fields;
	u64 last = 0;
	long len;

	for (; field < end; field++) {
		len = ltt_field_size(field, payload, size, false, &last);
		if (len < 0)
			return false;
		if (!strcmp(field->name, name)) {
			*value = last;
			return field->store == LTT_STORE_INT;
		}
		payload += len;
		size -= len;
	}
	return false;
}

/* In the context of the marker: with interrupts disabled, and the run queue locked. */
static bool accept(struct ltt_filter *filter, const struct ltt_event *event,
		   const u8 *payload, size_t size)
{
	struct state *here = this_cpu_ptr(&state);
	u64 now = ktime_get_mono_fast_ns(), since = here->since, pid, us;

	here->since = now;
	if (!since || !get_int(event->format, "prev_pid", payload, size, &pid) || !pid)
		return false;
	us = div_u64(now - since, NSEC_PER_USEC);
	here->runs[min(us > 1 ? ilog2(us - 1) + 1 : 0, CLASSES - 1)]++;
	return us >= READ_ONCE(min_us);
}

static struct ltt_filter filter = { .accept = accept };
static struct ltt_trace *filtered;

static int runs_get(char *text, const struct kernel_param *param)
{
	unsigned int class, cpu;
	unsigned long runs;
	int len = 0;

	for (class = 0; class < CLASSES; class++) {
		runs = 0;
		for_each_possible_cpu(cpu)
			runs += READ_ONCE(per_cpu_ptr(&state, cpu)->runs[class]);
		if (runs)
			len += sysfs_emit_at(text, len, "%s %lu us: %lu\n",
					     class < CLASSES - 1 ? "up to" : "longer than",
					     1ul << min(class, CLASSES - 2u), runs);
	}
	return len;
}

static const struct kernel_param_ops runs_ops = { .get = runs_get };

module_param_cb(runs, &runs_ops, NULL, 0444);
MODULE_PARM_DESC(runs, "Number of runs by their length");

static int __init ltt_sample_filter_init(void)
{
	int err;

	filtered = ltt_trace_find(trace);
	if (!filtered) {
		pr_err("no such trace: '%s'\n", trace);
		return -ENOENT;
	}
	err = ltt_filter_add(filtered, CHANNEL, MARKER, &filter);
	if (err) {
		pr_err("trace %s: cannot filter %s.%s: error %d\n", trace, CHANNEL, MARKER, err);
		ltt_trace_put(filtered);
	}
	return err;
}

/* The trace may have been destroyed long ago. */
static void __exit ltt_sample_filter_exit(void)
{
	ltt_filter_remove(filtered, CHANNEL, MARKER, &filter);
	ltt_trace_put(filtered);
}

module_init(ltt_sample_filter_init);
module_exit(ltt_sample_filter_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("LTT sample: a filter that remembers");
