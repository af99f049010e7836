// SPDX-License-Identifier: GPL-2.0
/*
 * LTT test: writers in task, softirq, hard interrupt and NMI on every CPU.
 *
 * Files in debugfs ltt_test/:
 *
 *	run		"EVENTS CONTEXTS [GAP]": one thread a CPU records EVENTS
 *			events, waiting GAP loops between two; CONTEXTS is a sum
 *			of 1 task, 2 softirq, 4 hard interrupt, 8 NMI. What nests
 *			goes on as long as the threads do. 16 more: every other event of
 *			a context goes to the channel ltt_test_other, the rest to ltt_test_short.
 *			Returns when all is over.
 *	hold_cpus	reading it keeps CPUs from coming and going until a signal comes
 *	cpus		"change" if who asks for the CPUs to stay has to wait, else "stay"
 *	hold		"CPU [1]": a thread takes it and does not let go, with preemption
 *			disabled, until "-1" is written; with 1 in the middle of an event of
 *			ltt_test_other
 *	freeze		"0" or "1": the same is done by the task that writes, to the CPU that it
 *			runs on, with interrupts disabled; reads as "1" meanwhile. That CPU does
 *			not answer when others flush their TLBs, but for this task's memory nobody
 *			asks it.
 *	abandon		whatever is written: an event is reserved on this CPU, in the channel
 *			ltt_test_other, and never committed, as if its writer had died
 *	warn		whatever is written: the tracepoint that is hit at the end of each warning,
 *			without a warning
 *	dump		"EVENTS": asks for a dump of so many events, in a hard interrupt
 *	crash		"oops", or a panic: "event" in the middle of one of ltt_test_other, "nmi"
 *			in an NMI that has interrupted one
 *	generated	a line a CPU and context, "cpu C context X events N"; what
 *			was generated since the module was loaded
 *	counted		with counts=ADDRESS: "cpu C context X begun N committed N", what those
 *			in that memory were when the module was loaded: what an earlier
 *			boot had generated when it ended. The memory is reserved, of one page
 *			at least, and nobody else's.
 *
 * Each event says which context it is from and its number there, and drags a
 * string along whose length and letters follow from the number, so that lost,
 * repeated, reordered and torn events all show.
 */

#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <trace/events/error_report.h>
#include <linux/ltt/compat.h>
#include <linux/ltt/dump.h>
#include <linux/ltt/marker.h>

#include "compat.h"

enum context { TASK, SOFTIRQ, HARDIRQ, NMI, CONTEXTS };
#define OTHER_CHANNEL	BIT(CONTEXTS)

/*
 * Period of the hard interrupts; every fourth sends an NMI to its own CPU. Those of user-mode
 * Linux are signals: if they come that often, there is time for nothing else.
 */
#define PERIOD_NS	((IS_ENABLED(CONFIG_UML) ? 1000 : 50) * NSEC_PER_USEC)

struct writer {
	unsigned long seq[CONTEXTS];
	struct hrtimer timer;
	struct tasklet_struct tasklet;
	struct completion done;
	unsigned int ticks;
};

static DEFINE_PER_CPU(struct writer, writers);
static DEFINE_MUTEX(run_mutex);
static struct dentry *dir;

/* What the run in progress is to do. */
static unsigned long run_events;
static unsigned int run_contexts;
static unsigned int run_gap;

static const char letters[] = "abcdefghijklmnopqrstuvwxyz";

/* Plain stores, as any that a reset may come after. */
struct counts {
	u64 begun[CONTEXTS];
	u64 committed[CONTEXTS];
};

#define COUNTED_CPUS	(PAGE_SIZE / sizeof(struct counts))

static unsigned long counts_at;
module_param_named(counts, counts_at, ulong, 0444);
MODULE_PARM_DESC(counts, "address of memory for counts that survive a reset");

static struct counts *counts, *counts_before;

static __always_inline void count(u64 *count, unsigned long nr)
{
	barrier();
	WRITE_ONCE(*count, nr);
	barrier();
}

/*
 * Numbers belong to the CPU that the event is recorded on, also when hotplug has
 * moved threads and timers. Preemption is disabled.
 */
static __always_inline void event(enum context context)
{
	unsigned long seq = __this_cpu_inc_return(writers.seq[context]) - 1;
	struct counts *mine = counts ? &counts[smp_processor_id()] : NULL;

	if (mine)
		count(&mine->begun[context], seq + 1);
	/* Short, so that one comes soon after the other. */
	if (run_contexts & OTHER_CHANNEL && seq % 2)
		trace_mark(ltt_test_other, event, "context %u seq %lu", (u8)context, seq);
	else if (run_contexts & OTHER_CHANNEL)
		trace_mark(ltt_test_short, event, "context %u seq %lu", (u8)context, seq);
	else
		trace_mark(ltt_test, event, "context %u seq %lu tail %s",
			   (u8)context, seq, letters + seq % sizeof(letters));
	if (mine)
		count(&mine->committed[context], seq + 1);
}

static bool crash_in_nmi;

static void nmi_writer(void)
{
	if (READ_ONCE(crash_in_nmi))
		panic("ltt_test: in an NMI");
	event(NMI);
}

static void softirq_writer(struct tasklet_struct *tasklet)
{
	event(SOFTIRQ);
}

static enum hrtimer_restart hardirq_writer(struct hrtimer *timer)
{
	struct writer *writer = container_of(timer, struct writer, timer);

	if (run_contexts & BIT(HARDIRQ))
		event(HARDIRQ);
	if (run_contexts & BIT(SOFTIRQ))
		tasklet_schedule(&writer->tasklet);
	if (run_contexts & BIT(NMI) && !(++writer->ticks % 4))
		ltt_test_nmi_send(smp_processor_id());
	hrtimer_forward_now(timer, ns_to_ktime(PERIOD_NS));
	return HRTIMER_RESTART;
}

static int task_writer(void *data)
{
	struct writer *writer = data;
	bool nest = run_contexts & (BIT(SOFTIRQ) | BIT(HARDIRQ) | BIT(NMI));
	unsigned long i;
	unsigned int gap;

	if (nest)
		hrtimer_start(&writer->timer, ns_to_ktime(PERIOD_NS),
			      HRTIMER_MODE_REL_PINNED_HARD);
	for (i = 0; i < run_events; i++) {
		if (run_contexts & BIT(TASK)) {
			preempt_disable();
			event(TASK);
			preempt_enable();
		}
		for (gap = 0; gap < run_gap; gap++)
			cpu_relax();
		/* Readers wait for RCU, and RCU for us. */
		if (run_gap || !(i % 64))
			cond_resched();
	}
	if (nest) {
		hrtimer_cancel(&writer->timer);
		tasklet_kill(&writer->tasklet);
	}
	/* Not a line of ours runs behind this: the module may go. */
	kthread_complete_and_exit(&writer->done, 0);
}

static int run(void)
{
	struct writer *writer;
	struct task_struct *thread;
	cpumask_var_t started;
	int cpu, err = 0;

	if (!zalloc_cpumask_var(&started, GFP_KERNEL))
		return -ENOMEM;
	/* Threads stay on their CPU for as long as it is there. */
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		writer = per_cpu_ptr(&writers, cpu);
		thread = kthread_create_on_cpu(task_writer, writer, cpu, "ltt_test/%u");
		if (IS_ERR(thread)) {
			err = PTR_ERR(thread);
			break;
		}
		reinit_completion(&writer->done);
		cpumask_set_cpu(cpu, started);
		wake_up_process(thread);
	}
	cpus_read_unlock();
	for_each_cpu(cpu, started)
		wait_for_completion(&per_cpu(writers, cpu).done);
	free_cpumask_var(started);
	return err;
}

static ssize_t run_write(struct file *file, const char __user *user, size_t size,
			 loff_t *pos)
{
	unsigned int contexts, gap = 0;
	unsigned long events;
	char text[64];
	int err;

	if (size >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, user, size))
		return -EFAULT;
	text[size] = '\0';
	if (sscanf(text, "%lu %u %u", &events, &contexts, &gap) < 2 ||
	    !(contexts & (OTHER_CHANNEL - 1)) || contexts >= 2 * OTHER_CHANNEL)
		return -EINVAL;
	if (contexts & BIT(NMI) && !ltt_test_nmi_there())
		return -EOPNOTSUPP;

	mutex_lock(&run_mutex);
	run_events = events;
	run_contexts = contexts;
	run_gap = gap;
	err = run();
	mutex_unlock(&run_mutex);
	return err ?: size;
}

static const struct file_operations run_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= run_write,
	.llseek	= noop_llseek,
};

static ssize_t hold_cpus_read(struct file *file, char __user *user, size_t size, loff_t *pos)
{
	DECLARE_COMPLETION_ONSTACK(never);

	cpus_read_lock();
	wait_for_completion_interruptible(&never);
	cpus_read_unlock();
	return -EINTR;
}

static const struct file_operations hold_cpus_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.read	= hold_cpus_read,
	.llseek	= noop_llseek,
};

static int cpus_show(struct seq_file *seq, void *unused)
{
	bool stay = cpus_read_trylock();

	if (stay)
		cpus_read_unlock();
	seq_puts(seq, stay ? "stay\n" : "change\n");
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(cpus);

/* What trace_mark() makes, by hand. */
static const u32 abandoned_types[] = { LTT_TYPE(LTT_KIND_INT, 4, 0) };

static struct ltt_marker abandoned = {
	.key		= STATIC_KEY_FALSE_INIT,
	.magic		= LTT_MARKER_MAGIC,
	.nr_args	= ARRAY_SIZE(abandoned_types),
	.self		= &abandoned,
	.channel	= "ltt_test_other",
	.name		= "abandoned",
	.format		= "value %u",
	.types		= abandoned_types,
};

/* As __warn() does. */
static ssize_t warn_write(struct file *file, const char __user *user, size_t size, loff_t *pos)
{
	trace_error_report_end(ERROR_DETECTOR_WARN, _THIS_IP_);
	return size;
}

static const struct file_operations warn_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= warn_write,
	.llseek	= noop_llseek,
};

static struct task_struct *holder;
static DECLARE_COMPLETION(holding);
static DEFINE_MUTEX(hold_mutex);

/* A CPU is held; the order to a task that freezes one to end that. */
static bool held, thaw;

static bool must_let_go(void)
{
	return current->flags & PF_KTHREAD ? kthread_should_stop() : READ_ONCE(thaw);
}

static void hold_this_cpu(bool in_event)
{
	const struct ltt_tap *tap;
	struct ltt_slot slot = {};

	preempt_disable();
	tap = rcu_dereference_raw(abandoned.taps);
	if (in_event && tap)
		slot = tap->reserve(tap, LTT_HEADER_COMPACT + sizeof(u32));
	WRITE_ONCE(held, true);
	complete(&holding);
	while (!must_let_go())
		cpu_relax();
	WRITE_ONCE(held, false);
	if (slot.p) {
		memset(slot.p, 0, sizeof(u32));
		ltt_commit(tap, slot);
	}
	preempt_enable();
}

static int hold_cpu(void *in_event)
{
	hold_this_cpu(in_event);
	return 0;
}

static int hold_begin(unsigned int cpu, unsigned long in_event)
{
	struct task_struct *thread;

	if (holder)
		return -EBUSY;
	if (cpu >= nr_cpu_ids || !cpu_online(cpu))
		return -EINVAL;
	thread = kthread_create_on_cpu(hold_cpu, (void *)in_event, cpu, "ltt_hold/%u");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	holder = thread;
	reinit_completion(&holding);
	wake_up_process(thread);
	wait_for_completion(&holding);
	return 0;
}

static void hold_end(void)
{
	WRITE_ONCE(thaw, true);
	if (holder)
		kthread_stop(holder);
	holder = NULL;
}

static ssize_t hold_write(struct file *file, const char __user *user, size_t size,
			  loff_t *pos)
{
	unsigned long in_event = 0;
	char text[32] = "";
	int cpu, err = 0;

	if (size >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, user, size))
		return -EFAULT;
	if (sscanf(text, "%d %lu", &cpu, &in_event) < 1)
		return -EINVAL;
	mutex_lock(&hold_mutex);
	if (cpu < 0)
		hold_end();
	else
		err = hold_begin(cpu, in_event);
	mutex_unlock(&hold_mutex);
	return err ?: size;
}

static const struct file_operations hold_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= hold_write,
	.llseek	= noop_llseek,
};

static int freeze_set(void *unused, u64 in_event)
{
	unsigned long flags;

	WRITE_ONCE(thaw, false);
	local_irq_save(flags);
	hold_this_cpu(in_event);
	local_irq_restore(flags);
	return 0;
}

static int freeze_get(void *unused, u64 *value)
{
	*value = READ_ONCE(held);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(freeze_fops, freeze_get, freeze_set, "%llu\n");

static ssize_t abandon_write(struct file *file, const char __user *user, size_t size,
			     loff_t *pos)
{
	const struct ltt_tap *tap;

	if (!static_branch_unlikely(&abandoned.key))
		return -ENOENT;
	preempt_disable();
	tap = rcu_dereference_raw(abandoned.taps);
	for (; tap && tap->reserve; tap++)
		tap->reserve(tap, LTT_HEADER_COMPACT + sizeof(u32));
	preempt_enable();
	return size;
}

static const struct file_operations abandon_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= abandon_write,
	.llseek	= noop_llseek,
};

/* Not a symbol of this module's: it is there before and after ltt-core, too. */
static int dump_set(void *unused, u64 events)
{
	void (*dump)(struct ltt_trace *trace, unsigned int events) = symbol_get(ltt_dump);
	unsigned long flags;

	if (!dump)
		return -ENOENT;
	local_irq_save(flags);
	dump(NULL, events);
	local_irq_restore(flags);
	symbol_put(ltt_dump);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(dump_fops, NULL, dump_set, "%llu\n");

static int *nowhere;

static void crash_in_event(void)
{
	const struct ltt_tap *tap;

	preempt_disable();
	tap = rcu_dereference_raw(abandoned.taps);
	if (tap)
		tap->reserve(tap, LTT_HEADER_COMPACT + sizeof(u32));
	if (!crash_in_nmi)
		panic("ltt_test: in an event");
	ltt_test_nmi_send(smp_processor_id());
	while (true)
		cpu_relax();
}

static ssize_t crash_write(struct file *file, const char __user *user, size_t size, loff_t *pos)
{
	char text[8] = "";

	if (size >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, user, size))
		return -EFAULT;
	strim(text);
	if (!strcmp(text, "oops"))
		WRITE_ONCE(*READ_ONCE(nowhere), 1);
	else if (!strcmp(text, "nmi"))
		WRITE_ONCE(crash_in_nmi, true);
	else if (strcmp(text, "event"))
		return -EINVAL;
	crash_in_event();
	return size;
}

static const struct file_operations crash_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= crash_write,
	.llseek	= noop_llseek,
};

static int generated_show(struct seq_file *m, void *unused)
{
	int cpu, context;

	for_each_possible_cpu(cpu) {
		for (context = 0; context < CONTEXTS; context++)
			seq_printf(m, "cpu %d context %d events %lu\n", cpu, context,
				   per_cpu(writers, cpu).seq[context]);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(generated);

static int counted_show(struct seq_file *m, void *unused)
{
	int cpu, context;

	for (cpu = 0; counts && cpu < nr_cpu_ids; cpu++) {
		for (context = 0; context < CONTEXTS; context++)
			seq_printf(m, "cpu %d context %d begun %llu committed %llu\n", cpu, context,
				   counts_before[cpu].begun[context],
				   counts_before[cpu].committed[context]);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counted);

static void counts_exit(void)
{
	if (counts)
		ltt_unmap_memory(counts);
	kfree(counts_before);
}

static int counts_init(void)
{
	if (!counts_at)
		return 0;
	if (nr_cpu_ids > COUNTED_CPUS)
		return -EINVAL;
	counts_before = kzalloc(PAGE_SIZE, GFP_KERNEL);
	counts = counts_before ? ltt_map_memory(counts_at, PAGE_SIZE) : NULL;
	if (!counts) {
		counts_exit();
		return -ENOMEM;
	}
	memcpy(counts_before, counts, PAGE_SIZE);
	memset(counts, 0, PAGE_SIZE);
	return 0;
}

static int __init ltt_test_init(void)
{
	struct writer *writer;
	int cpu, err;

	for_each_possible_cpu(cpu) {
		writer = per_cpu_ptr(&writers, cpu);
		ltt_test_hrtimer_setup(&writer->timer, hardirq_writer);
		tasklet_setup(&writer->tasklet, softirq_writer);
		init_completion(&writer->done);
	}
	err = counts_init();
	if (err)
		return err;
	err = ltt_test_nmi_init(nmi_writer);
	if (err) {
		counts_exit();
		return err;
	}
	dir = debugfs_create_dir("ltt_test", NULL);
	debugfs_create_file("run", 0200, dir, NULL, &run_fops);
	debugfs_create_file("hold_cpus", 0400, dir, NULL, &hold_cpus_fops);
	debugfs_create_file("cpus", 0400, dir, NULL, &cpus_fops);
	debugfs_create_file("hold", 0200, dir, NULL, &hold_fops);
	debugfs_create_file_unsafe("freeze", 0600, dir, NULL, &freeze_fops);
	debugfs_create_file("abandon", 0200, dir, NULL, &abandon_fops);
	debugfs_create_file_unsafe("dump", 0200, dir, NULL, &dump_fops);
	debugfs_create_file("crash", 0200, dir, NULL, &crash_fops);
	debugfs_create_file("warn", 0200, dir, NULL, &warn_fops);
	debugfs_create_file("generated", 0400, dir, NULL, &generated_fops);
	debugfs_create_file("counted", 0400, dir, NULL, &counted_fops);
	return 0;
}

static void __exit ltt_test_exit(void)
{
	debugfs_remove(dir);
	hold_end();
	ltt_test_nmi_exit();
	counts_exit();
}

module_init(ltt_test_init);
module_exit(ltt_test_exit);

MODULE_DESCRIPTION("LTT test: writers in every context");
MODULE_LICENSE("GPL");
