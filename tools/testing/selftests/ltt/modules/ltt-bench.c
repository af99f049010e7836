// SPDX-License-Identifier: GPL-2.0
/*
 * LTT benchmark: what does recording an event cost?
 *
 * Writing "WHAT LOOPS [BYTES]" to debugfs ltt_bench/run runs one of
 *
 *	empty		the loop alone
 *	tracepoint	power:cpu_idle, whoever listens to it
 *	sched_switch	sched:sched_switch, of a task to itself
 *	marker		a trace_mark() with 8 bytes of payload
 *	marker_off	the same with interrupts disabled, so that what is left to one is not
 *			counted
 *	tracepoint_off	the same of tracepoint
 *	string		a trace_mark() with a string of BYTES bytes with its NUL: 64
 *			unless told, at most 256
 *	function	calls of ltt_bench_function(), whoever traces it
 *	line		a line in the kernel's log, BYTES long with its newline
 *
 * LOOPS times, else with interrupts on, as in real life, and ltt_bench/result then
 * holds "WHAT LOOPS NANOSECONDS", of the last that has ended. Where the machine's
 * clock counts instructions (QEMU with -icount shift=0), nanoseconds are
 * instructions.
 *
 * With the parameter channels=N, there are N channels ltt_bench0, ltt_bench1 and so on with
 * buffers of 8 KiB, each with the marker "event". Writing a number to ltt_bench/ping
 * records an event in the channel of that number. Writing a number to ltt_bench/dump asks for a
 * dump of so many events.
 */

#include <linux/debugfs.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/tracepoint.h>
#include <trace/events/power.h>
#include <trace/events/sched.h>
#include <linux/ltt/channel.h>
#include <linux/ltt/dump.h>
#include <linux/ltt/marker.h>

static DEFINE_MUTEX(mutex);
static struct dentry *dir;
static char what[16] = "none";
static unsigned long loops;
static unsigned int bytes = 64;
static char letters[256];
static u64 result;
static struct tracepoint *switch_tracepoint;

static noinline void empty(unsigned long n)
{
	unsigned long i;

	for (i = 0; i < n; i++)
		barrier();
}

/*
 * A marker at power:cpu_idle, for kernels without the module that makes them for all. It
 * alone leads to the probe, which the compiler does not see.
 */
static void idle_probe(void *data, unsigned int state, unsigned int cpu_id);

static int idle_connect(struct ltt_marker *marker)
{
	return register_trace_cpu_idle(idle_probe, NULL);
}

static void idle_disconnect(struct ltt_marker *marker)
{
	unregister_trace_cpu_idle(idle_probe, NULL);
}

static void __used idle_probe(void *data, unsigned int state, unsigned int cpu_id)
{
	trace_mark_hook(ltt_bench, cpu_idle, idle_connect, idle_disconnect,
			"state %u cpu_id %u", state, cpu_id);
}

static noinline void tracepoint(unsigned long n)
{
	unsigned long i;

	for (i = 0; i < n; i++)
		trace_cpu_idle(i, 0);
}

/* The kernel does not export it: what its probes cost, called as it calls them. */
static noinline void sched_switch(unsigned long n)
{
	void (*probe)(void *data, bool preempt, struct task_struct *prev,
		      struct task_struct *next, unsigned int prev_state);
	struct tracepoint_func *func;
	unsigned long i;

	for (i = 0; i < n; i++) {
		preempt_disable_notrace();
		func = rcu_dereference_sched(switch_tracepoint->funcs);
		for (; func && func->func; func++) {
			probe = func->func;
			check_trace_callback_type_sched_switch(probe);
			probe(func->data, false, current, current, TASK_RUNNING);
		}
		preempt_enable_notrace();
	}
}

static noinline void marker(unsigned long n)
{
	unsigned long i;

	for (i = 0; i < n; i++)
		trace_mark(ltt_bench, marker, "value %lu", i);
}

/* Never called: markers that take the ids for which event headers are short. */
#define FILLER(n)	trace_mark(ltt_bench, filler##n, "value %lu", i)
#define FILLERS(n)							\
do {									\
	FILLER(n##0); FILLER(n##1); FILLER(n##2); FILLER(n##3); FILLER(n##4); \
	FILLER(n##5); FILLER(n##6); FILLER(n##7); FILLER(n##8); FILLER(n##9); \
} while (0)

static noinline void __used fillers(unsigned long i)
{
	FILLERS(1);
	FILLERS(2);
	FILLERS(3);
}

static noinline void string(unsigned long n)
{
	const char *text = letters + sizeof(letters) - READ_ONCE(bytes);
	unsigned long i;

	for (i = 0; i < n; i++)
		trace_mark(ltt_bench, string, "text %s", text);
}

static noinline void ltt_bench_function(unsigned long i)
{
	asm volatile("" : : "r" (i));
}

static noinline void function(unsigned long n)
{
	unsigned long i;

	for (i = 0; i < n; i++)
		ltt_bench_function(i);
}

static noinline void line(unsigned long n)
{
	const int length = READ_ONCE(bytes) - 1;
	unsigned long i;

	for (i = 0; i < n; i++)
		pr_notice("%.*s\n", length, letters);
}

static const struct {
	const char *name;
	void (*func)(unsigned long n);
	bool irqs_off;
} benches[] = {
	{ "empty",		empty },
	{ "tracepoint",		tracepoint },
	{ "sched_switch",	sched_switch },
	{ "marker",		marker },
	{ "marker_off",		marker, true },
	{ "tracepoint_off",	tracepoint, true },
	{ "string",		string },
	{ "function",		function },
	{ "line",		line },
};

static ssize_t run_write(struct file *file, const char __user *user, size_t size,
			 loff_t *pos)
{
	char text[48], name[16];
	unsigned int length = 64;
	unsigned long n, flags;
	u64 start, ns;
	size_t i;

	if (size >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, user, size))
		return -EFAULT;
	text[size] = '\0';
	if (sscanf(text, "%15s %lu %u", name, &n, &length) < 2 || !length ||
	    length > sizeof(letters))
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(benches); i++) {
		if (strcmp(name, benches[i].name))
			continue;
		WRITE_ONCE(bytes, length);
		benches[i].func(64);	/* caches, first sub-buffer */
		local_irq_save(flags);
		if (!benches[i].irqs_off)
			local_irq_restore(flags);
		start = ktime_get_ns();
		benches[i].func(n);
		ns = ktime_get_ns() - start;
		if (benches[i].irqs_off)
			local_irq_restore(flags);
		mutex_lock(&mutex);
		result = ns;
		strscpy(what, name, sizeof(what));
		loops = n;
		mutex_unlock(&mutex);
		return size;
	}
	return -ENOENT;
}

static const struct file_operations run_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= run_write,
	.llseek	= noop_llseek,
};

/**
 * struct many - a channel of many
 * @marker:	its marker
 * @name:	of the channel
 */
struct many {
	struct ltt_marker marker;
	char name[24];
};

static unsigned int channels;
module_param(channels, uint, 0444);
MODULE_PARM_DESC(channels, "Channels ltt_bench0, ltt_bench1, ... (default: 0)");
static struct many *many;

static const u32 many_types[] = { LTT_TYPE(LTT_KIND_INT, sizeof(long), 0) };
static const struct ltt_channel_params many_params = { .subbuf_order = 12, .subbuf_num = 2 };

static int add_many(struct many *one, unsigned int i)
{
	int err;

	snprintf(one->name, sizeof(one->name), "ltt_bench%u", i);
	err = ltt_channel_register(one->name, &many_params, 0);
	if (err)
		return err;
	one->marker = (struct ltt_marker){
		.magic = LTT_MARKER_MAGIC,
		.nr_args = 1,
		.self = &one->marker,
		.channel = one->name,
		.name = "event",
		.format = "value %lu",
		.types = many_types,
	};
	err = ltt_marker_register(&one->marker, THIS_MODULE);
	if (err)
		ltt_channel_unregister(one->name);
	return err;
}

/* The first @nr. */
static void remove_many(unsigned int nr)
{
	while (nr--) {
		ltt_marker_unregister(&many[nr].marker);
		ltt_channel_unregister(many[nr].name);
	}
	kvfree(many);
}

static int create_many(void)
{
	unsigned int i;
	int err;

	if (!channels)
		return 0;
	many = kvcalloc(channels, sizeof(*many), GFP_KERNEL);
	if (!many)
		return -ENOMEM;
	for (i = 0; i < channels; i++) {
		err = add_many(&many[i], i);
		if (err) {
			remove_many(i);
			return err;
		}
	}
	return 0;
}

static ssize_t ping_write(struct file *file, const char __user *user, size_t size,
			  loff_t *pos)
{
	struct ltt_arg arg = { .value = size };
	unsigned int i;
	int err;

	err = kstrtouint_from_user(user, size, 0, &i);
	if (err)
		return err;
	if (i >= channels)
		return -ENOENT;
	ltt_marker_record(&many[i].marker, &arg);
	return size;
}

static const struct file_operations ping_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= ping_write,
	.llseek	= noop_llseek,
};

static int dump_set(void *unused, u64 events)
{
	ltt_dump(NULL, events);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(dump_fops, NULL, dump_set, "%llu\n");

static int result_show(struct seq_file *m, void *unused)
{
	mutex_lock(&mutex);
	seq_printf(m, "%s %lu %llu\n", what, loops, result);
	mutex_unlock(&mutex);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(result);

static void find_tracepoint(struct tracepoint *tracepoint, void *unused)
{
	if (!strcmp(tracepoint->name, "sched_switch"))
		switch_tracepoint = tracepoint;
}

static int __init ltt_bench_init(void)
{
	int err;

	memset(letters, 'x', sizeof(letters) - 1);
	for_each_kernel_tracepoint(find_tracepoint, NULL);
	if (!switch_tracepoint)
		return -ENOENT;
	err = create_many();
	if (err)
		return err;
	dir = debugfs_create_dir("ltt_bench", NULL);
	debugfs_create_file("run", 0200, dir, NULL, &run_fops);
	debugfs_create_file_unsafe("dump", 0200, dir, NULL, &dump_fops);
	debugfs_create_file("result", 0400, dir, NULL, &result_fops);
	debugfs_create_file("ping", 0200, dir, NULL, &ping_fops);
	return 0;
}

static void __exit ltt_bench_exit(void)
{
	debugfs_remove(dir);
	remove_many(channels);
}

module_init(ltt_bench_init);
module_exit(ltt_bench_exit);

MODULE_DESCRIPTION("LTT benchmark: what recording an event costs");
MODULE_LICENSE("GPL");
