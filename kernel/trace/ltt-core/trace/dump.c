// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: when the last events go to the kernel's log, those of which traces, and how many.
 *
 * DOC: panic dump
 *
 * At a panic the CPU that panics is alone: the others have been stopped anywhere, with any
 * locks held, in the middle of events. It may have been in the middle of one itself, or hold
 * the lock of a list that it was changing. It may be in an NMI. So what is needed then is
 * there before:
 *
 *   memory	is allocated when the parameter dump is written, or the dumper registers itself.
 *		Oops and panic have memory of their own each, as a CPU that dumps because of an
 *		oops may be stopped by a panic on another one, or panic itself.
 *   traces	are in a list that is walked under RCU. A trace is added when it gets its first
 *		buffers, and leaves the list a grace period before the trace may be freed.
 *   the dumper	is found under RCU, too, together with the memory.
 *
 * A panic is dumped once: a second one on the same CPU, in the dump, goes on without.
 *
 * ltt_dump() can be called by writers, with locks of the scheduler or of the console held, where
 * printk() might deadlock. It asks an irq_work to queue a work item, which dumps with memory
 * of its own what was recorded before the call.
 *
 * Parameters are written under dump_mutex, and read without a lock by whoever dumps.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/irq_work.h>
#include <linux/kdebug.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/panic_notifier.h>
#include <linux/printk.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <linux/ltt/client.h>
#include <linux/ltt/dump.h>

#include "core.h"

/* Those that find the machine in an unknown state. */
enum cause { OOPS, PANIC, CAUSES };

/**
 * struct readiness - all that a dump needs
 * @dumper:	the dumper
 * @events:	how many events there is memory for
 * @memory:	that of ltt_dumper.alloc()
 * @traces:	room for the traces of a dump
 */
struct readiness {
	const struct ltt_dumper *dumper;
	unsigned int events;
	void *memory[CAUSES];
	struct ltt_trace *traces[CAUSES][LTT_DUMP_TRACES_MAX];
};

/**
 * struct source - a trace that can be dumped
 * @trace:	the trace
 * @listed:	it has, or had, buffers, and is in sources
 * @node:	in sources
 */
struct source {
	struct ltt_trace *trace;
	bool listed;
	struct list_head node;
};

/* Written under dump_mutex. */
static DEFINE_MUTEX(dump_mutex);
static const struct ltt_dumper *the_dumper;	/* a crash looks whether there is one */
static struct readiness __rcu *ready;

static LIST_HEAD(sources);	/* changed under ltt_mutex, walked under RCU */
static unsigned long under_way;	/* bit per cause: there is such a dump */

static unsigned int dump_events;
static bool dump_on_oops;
static char dump_trace[LTT_NAME_MAX + 1];
static unsigned int dump_ms = 10000;

/* ---- memory ----------------------------------------------------------------------- */

static void free_readiness(struct readiness *all)
{
	unsigned int i;

	if (!all)
		return;
	for (i = 0; i < CAUSES; i++) {
		if (all->memory[i])
			all->dumper->free(all->memory[i]);
	}
	kfree(all);
}

static struct readiness *get_ready(const struct ltt_dumper *dumper, unsigned int events)
{
	struct readiness *all = kzalloc(sizeof(*all), GFP_KERNEL);
	unsigned int i;

	if (!all)
		return ERR_PTR(-ENOMEM);
	all->dumper = dumper;
	all->events = events;
	for (i = 0; i < CAUSES; i++) {
		all->memory[i] = dumper->alloc(events);
		if (!all->memory[i]) {
			free_readiness(all);
			return ERR_PTR(-ENOMEM);
		}
	}
	return all;
}

/* Be ready for dumps of so many events by that dumper; for none if there are none of either. */
static int prepare(const struct ltt_dumper *dumper, unsigned int events)
{
	struct readiness *old, *new = NULL;

	lockdep_assert_held(&dump_mutex);
	if (dumper && events) {
		new = get_ready(dumper, events);
		if (IS_ERR(new))
			return PTR_ERR(new);
	}
	old = rcu_replace_pointer(ready, new, lockdep_is_held(&dump_mutex));
	if (old) {
		synchronize_rcu();
		free_readiness(old);
	}
	return 0;
}

/* ---- parameters ------------------------------------------------------------------- */

static int set_events(const char *value, const struct kernel_param *param)
{
	unsigned int events;
	int err = kstrtouint(value, 0, &events);

	if (err)
		return err;
	if (events > LTT_DUMP_EVENTS_MAX)
		return -EINVAL;
	mutex_lock(&dump_mutex);
	err = prepare(the_dumper, events);
	if (!err)
		WRITE_ONCE(dump_events, events);
	mutex_unlock(&dump_mutex);
	return err;
}

static const struct kernel_param_ops events_ops = {
	.set = set_events,
	.get = param_get_uint,
};
module_param_cb(dump, &events_ops, &dump_events, 0644);
MODULE_PARM_DESC(dump, "Number of last events that a panic puts into the kernel's log, at most 65536 (default: 0)");

module_param(dump_on_oops, bool, 0644);
MODULE_PARM_DESC(dump_on_oops, "An oops does so, too (default: 0)");

/* A reader without a lock may see part of either name, but not beyond the end. */
static int set_trace(const char *value, const struct kernel_param *param)
{
	char name[LTT_NAME_MAX + 2];

	if (strscpy(name, skip_spaces(value), sizeof(name)) < 0)
		return -EINVAL;
	strim(name);
	if (strlen(name) > LTT_NAME_MAX)
		return -EINVAL;
	strscpy(dump_trace, name, sizeof(dump_trace));
	return 0;
}

static int get_trace(char *buffer, const struct kernel_param *param)
{
	return scnprintf(buffer, PAGE_SIZE, "%s\n", dump_trace);
}

static const struct kernel_param_ops trace_ops = {
	.set = set_trace,
	.get = get_trace,
};
module_param_cb(dump_trace, &trace_ops, NULL, 0644);
MODULE_PARM_DESC(dump_trace, "Name of the only trace to dump, recording or not (default: all that are recording)");

module_param(dump_ms, uint, 0644);
MODULE_PARM_DESC(dump_ms, "Milliseconds that a dump may take, 0: any number (default: 10000)");

/* ---- traces ----------------------------------------------------------------------- */

static void *add_trace(struct ltt_trace *trace)
{
	struct source *source = kzalloc(sizeof(*source), GFP_KERNEL);

	if (!source)
		return ERR_PTR(-ENOMEM);
	source->trace = trace;
	return source;
}

static void add_channel(void *data, struct ltt_trace_channel *tchan, struct dentry *dir)
{
	struct source *source = data;

	if (source->listed)
		return;
	source->listed = true;
	list_add_tail_rcu(&source->node, &sources);
}

static void remove_trace(void *data)
{
	struct source *source = data;

	if (source->listed)
		list_del_rcu(&source->node);
}

static void release_trace(void *data)
{
	struct source *source = data;

	if (source->listed)
		synchronize_rcu();
	kfree(source);
}

static struct ltt_client client = {
	.name = "dump",
	.add_trace = add_trace,
	.add_channel = add_channel,
	.remove_trace = remove_trace,
	.release_trace = release_trace,
};

static bool is_wanted(const struct ltt_trace *trace)
{
	return dump_trace[0] ? !strcmp(trace->name, dump_trace) : READ_ONCE(trace->started);
}

static void add_wanted(struct ltt_dump *dump, struct ltt_trace **traces, struct ltt_trace *trace)
{
	if (dump->nr < LTT_DUMP_TRACES_MAX)
		traces[dump->nr++] = trace;
	else
		dump->left_out++;
}

/*
 * A dump beside writers stops here, or they would be chased. Stamps of other CPUs may be ahead a
 * little.
 */
static u64 latest(enum ltt_clock_id clock)
{
	return ltt_clock_now(clock) + ltt_clock_margin(clock);
}

static void say_no_trace(const char *why)
{
	if (dump_trace[0])
		pr_notice("dump (%s): there is no trace %s with events\n", why, dump_trace);
	else
		pr_notice("dump (%s): no trace is recording\n", why);
}

static void say_not_ready(const char *why)
{
	pr_notice("dump (%s): %s\n", why,
		  READ_ONCE(the_dumper) ? "out of memory" : "ltt-textout is not loaded");
}

/* ---- oops and panic ---------------------------------------------------------------- */

static void dump_crash(struct readiness *all, const char *why, enum cause cause)
{
	struct ltt_dump dump = {
		.why = why,
		.traces = all->traces[cause],
		.events = all->events,
		.until = U64_MAX,
		.ms = READ_ONCE(dump_ms),
	};
	struct source *source;

	list_for_each_entry_rcu(source, &sources, node) {
		if (is_wanted(source->trace))
			add_wanted(&dump, all->traces[cause], source->trace);
	}
	if (dump.nr && cause != PANIC)
		dump.until = latest(dump.traces[0]->clock);
	if (dump.nr)
		all->dumper->dump(&dump, all->memory[cause]);
	else
		say_no_trace(why);
}

static void crash(const char *why, enum cause cause)
{
	struct readiness *all;

	if (test_and_set_bit(cause, &under_way))
		return;
	rcu_read_lock();
	all = rcu_dereference(ready);
	if (all)
		dump_crash(all, why, cause);
	else if (READ_ONCE(dump_events))
		say_not_ready(why);
	rcu_read_unlock();
	if (cause != PANIC)
		clear_bit(cause, &under_way);
}

static int panic_event(struct notifier_block *nb, unsigned long event, void *message)
{
	crash("panic", PANIC);
	return NOTIFY_DONE;
}

static int die_event(struct notifier_block *nb, unsigned long event, void *args)
{
	if (event == DIE_OOPS && READ_ONCE(dump_on_oops) && !test_bit(PANIC, &under_way))
		crash("oops", OOPS);
	return NOTIFY_DONE;
}

/* As ftrace's: before those that may not return. */
static struct notifier_block panic_block = {
	.notifier_call = panic_event,
	.priority = INT_MAX - 1,
};

static struct notifier_block die_block = {
	.notifier_call = die_event,
	.priority = INT_MAX - 1,
};

/* ---- on request -------------------------------------------------------------------- */

/**
 * struct request - a request of ltt_dump()
 * @pending:	bit 0: it has not been carried out, and owns the fields below
 * @trace:	its trace, with a reference; NULL: all that are wanted
 * @events:	how many events
 * @until:	ns, when it was made
 * @missed:	requests that were made while this one was pending
 * @irq_work:	queues @work
 * @work:	carries it out
 */
struct request {
	unsigned long pending;
	struct ltt_trace *trace;
	unsigned int events;
	u64 until;
	atomic_t missed;
	struct irq_work irq_work;
	struct work_struct work;
};

static struct request request;

/**
 * ltt_dump() - put the last events into the kernel's log
 * @trace:	the trace, to which the caller has a reference, or in which it is recording an
 *		event; NULL: those of parameter dump_trace, or all that are recording
 * @events:	how many events; 0 or more than LTT_DUMP_EVENTS_MAX count as 1, or as that
 *
 * Events that were recorded before the call, the latest of them, as at a panic. They are put
 * there soon after, by a task, so that the caller may hold any lock; until then a buffer in
 * which much is recorded may have overwritten them. The parameter dump need not be set. One
 * request at a time: those made before it has been carried out are only counted, which the
 * log tells.
 *
 * Context: any, NMI included; preemption disabled, unless the caller has a reference.
 */
void ltt_dump(struct ltt_trace *trace, unsigned int events)
{
	if (test_and_set_bit(0, &request.pending)) {
		atomic_inc(&request.missed);
		return;
	}
	if (trace)
		ltt_trace_get(trace);
	request.trace = trace;
	request.events = clamp(events, 1u, LTT_DUMP_EVENTS_MAX);
	request.until = latest(ltt_clock_current());
	irq_work_queue(&request.irq_work);
}
EXPORT_SYMBOL_GPL(ltt_dump);

static void kick(struct irq_work *irq_work)
{
	queue_work(ltt_wq, &request.work);
}

/* Take references to the traces. */
static void find_traces(struct ltt_dump *dump, struct ltt_trace **traces)
{
	struct ltt_trace *trace;
	unsigned int i;

	mutex_lock(&ltt_mutex);
	if (request.trace) {
		add_wanted(dump, traces, request.trace);
	} else {
		list_for_each_entry(trace, &ltt_traces, node) {
			if (is_wanted(trace))
				add_wanted(dump, traces, trace);
		}
	}
	for (i = 0; i < dump->nr; i++)
		ltt_trace_get(traces[i]);
	mutex_unlock(&ltt_mutex);
}

static void dump_traces(const struct ltt_dump *dump)
{
	void *memory;

	mutex_lock(&dump_mutex);
	memory = the_dumper ? the_dumper->alloc(dump->events) : NULL;
	if (memory) {
		the_dumper->dump(dump, memory);
		the_dumper->free(memory);
	} else {
		say_not_ready(dump->why);
	}
	mutex_unlock(&dump_mutex);
}

static void dump_request(struct work_struct *work)
{
	struct ltt_trace *traces[LTT_DUMP_TRACES_MAX];
	struct ltt_dump dump = {
		.why = "request",
		.traces = traces,
		.events = request.events,
		.until = request.until,
		.ms = READ_ONCE(dump_ms),
		.may_sleep = true,
	};
	unsigned int i, missed;

	find_traces(&dump, traces);
	if (dump.nr)
		dump_traces(&dump);
	else
		say_no_trace(dump.why);
	for (i = 0; i < dump.nr; i++)
		ltt_trace_put(traces[i]);
	if (request.trace)
		ltt_trace_put(request.trace);
	missed = atomic_xchg(&request.missed, 0);
	if (missed)
		pr_notice("dump (%s): %u more were requested meanwhile\n", dump.why, missed);
	clear_bit_unlock(0, &request.pending);
}

/* ---- the dumper --------------------------------------------------------------------- */

/**
 * ltt_dumper_register() - be the one that shows events
 * @dumper:	describes it; must stay valid until it is unregistered
 *
 * If there is no memory for what parameter dump asks for, the log says so, and there are no
 * dumps at a crash until the parameter is written.
 *
 * Context: task; may sleep, and waits for a grace period of RCU.
 * Return: 0, or -EBUSY: there is one.
 */
int ltt_dumper_register(const struct ltt_dumper *dumper)
{
	int err = -EBUSY;

	mutex_lock(&dump_mutex);
	if (!the_dumper) {
		WRITE_ONCE(the_dumper, dumper);
		err = prepare(dumper, dump_events);
		if (err)
			pr_err("dump: no memory for %u events\n", dump_events);
		err = 0;
	}
	mutex_unlock(&dump_mutex);
	return err;
}
EXPORT_SYMBOL_GPL(ltt_dumper_register);

/**
 * ltt_dumper_unregister() - undo ltt_dumper_register()
 * @dumper:	as registered; afterwards its functions are not called
 *
 * Context: task; may sleep, waits for a grace period of RCU, and for a dump.
 */
void ltt_dumper_unregister(const struct ltt_dumper *dumper)
{
	mutex_lock(&dump_mutex);
	if (the_dumper == dumper) {
		prepare(NULL, 0);
		WRITE_ONCE(the_dumper, NULL);
	}
	mutex_unlock(&dump_mutex);
}
EXPORT_SYMBOL_GPL(ltt_dumper_unregister);

/**
 * ltt_dump_init() - be called at an oops, and at a panic
 *
 * Context: task, when the module is loaded, after ltt_control_init(); ltt_mutex not held.
 * Return: 0 or a negative errno.
 */
int ltt_dump_init(void)
{
	int err;

	init_irq_work(&request.irq_work, kick);
	INIT_WORK(&request.work, dump_request);
	err = ltt_client_register(&client);
	if (err)
		return err;
	err = register_die_notifier(&die_block);
	if (err)
		goto unregister;
	err = atomic_notifier_chain_register(&panic_notifier_list, &panic_block);
	if (err)
		goto unregister_die;
	return 0;

unregister_die:
	unregister_die_notifier(&die_block);
unregister:
	ltt_client_unregister(&client);
	return err;
}

/**
 * ltt_dump_exit() - undo ltt_dump_init()
 *
 * Context: task, ltt_mutex not held; there are neither traces nor a dumper any more.
 */
void ltt_dump_exit(void)
{
	atomic_notifier_chain_unregister(&panic_notifier_list, &panic_block);
	unregister_die_notifier(&die_block);
	irq_work_sync(&request.irq_work);
	flush_work(&request.work);
	ltt_client_unregister(&client);
}
