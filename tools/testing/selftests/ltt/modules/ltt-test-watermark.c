// SPDX-License-Identifier: GPL-2.0
/*
 * LTT test: is an event that is stamped before T visible after a wait?
 *
 * Writers in task, softirq, hard interrupt and NMI on every CPU dawdle between
 * reservation, which stamps the event, and commit. An observer takes the time T,
 * waits, and notes how far each buffer is committed. An event behind that place with
 * a timestamp not later than T is late: a merge would have shown a later
 * one already.
 *
 * Files in debugfs ltt_test_watermark/:
 *
 *	run	"METHOD EVENTS ROUNDS": observes until there were so many of both, but
 *		not longer than TIMEOUT; -ETIME then
 *	result	of the last run: "method M rounds R events E late L lost N"
 *
 * METHOD is how the observer waits:
 *
 *	none		not at all
 *	sleep		5 ms
 *	normal		grace period of RCU, synchronize_rcu()
 *	polled		the same, polled
 *	expedited	expedited grace period
 *	reader		ltt_reader_wait(); T is the reader's watermark
 *	fast		the same, in a hurry
 */

#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/prandom.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <linux/ltt/channel.h>
#include <linux/ltt/decode.h>
#include <linux/ltt/marker.h>
#include <linux/ltt/reader.h>
#include <linux/ltt/trace.h>

#include "compat.h"

#define NAME		"ltt_test_watermark"
#define PERIOD_NS	(2 * NSEC_PER_MSEC)	/* of the hard interrupts */
#define TIMEOUT		(40 * HZ)

/* ---- writers ----------------------------------------------------------------- */

enum context { TASK, SOFTIRQ, HARDIRQ, NMI, CONTEXTS };

/* Longest delay, ns: usual, and of each RARE-th event. NMIs must not take long. */
#define RARE	16u
static const u32 short_delay[CONTEXTS] = { 100000, 50000, 50000, 50000 };
static const u32 long_delay[CONTEXTS] = { 20000000, 10000000, 5000000, 200000 };

struct writer {
	struct rnd_state random[CONTEXTS];
	struct hrtimer timer;
	struct tasklet_struct tasklet;
	struct completion done;
	unsigned int ticks;
};

static DEFINE_PER_CPU(struct writer, writers);
static bool stop;

static const u32 types[] = {
	LTT_TYPE(LTT_KIND_INT, 4, 0), LTT_TYPE(LTT_KIND_INT, 4, 0),
};

/* What trace_mark() makes, by hand. */
static struct ltt_marker marker = {
	.key		= STATIC_KEY_FALSE_INIT,
	.magic		= LTT_MARKER_MAGIC,
	.nr_args	= ARRAY_SIZE(types),
	.self		= &marker,
	.channel	= NAME,
	.name		= "slow",
	.format		= "context %u delay %u",
	.types		= types,
};

static void wait_ns(u32 ns)
{
	u64 end = ktime_get_mono_fast_ns() + ns;

	while (ktime_get_mono_fast_ns() < end)
		cpu_relax();
}

/* trace_mark() with a wait in the middle; preemption is disabled. */
static void event(enum context context)
{
	struct rnd_state *random = this_cpu_ptr(&writers.random[context]);
	const struct ltt_tap *tap;
	struct ltt_slot slot;
	u32 delay;
	u8 *p;

	delay = prandom_u32_state(random) % short_delay[context];
	if (!(prandom_u32_state(random) % RARE))
		delay = prandom_u32_state(random) % long_delay[context];

	if (!static_branch_unlikely(&marker.key))
		return;
	for (tap = rcu_dereference_raw(marker.taps); tap && tap->reserve; tap++) {
		slot = tap->reserve(tap, LTT_HEADER_COMPACT + 2 * sizeof(u32));
		if (!slot.p)
			continue;
		wait_ns(delay);
		p = __ltt_put_int(&marker, 0, slot.p, context, sizeof(u32));
		__ltt_put_int(&marker, 1, p, delay, sizeof(u32));
		ltt_commit(tap, slot);
	}
}

static void nmi_writer(void)
{
	event(NMI);
}

static void softirq_writer(struct tasklet_struct *tasklet)
{
	event(SOFTIRQ);
}

static enum hrtimer_restart hardirq_writer(struct hrtimer *timer)
{
	struct writer *writer = container_of(timer, struct writer, timer);

	event(HARDIRQ);
	tasklet_schedule(&writer->tasklet);
	if (ltt_test_nmi_there() && !(++writer->ticks % 4))
		ltt_test_nmi_send(smp_processor_id());
	hrtimer_forward_now(timer, ns_to_ktime(PERIOD_NS));
	return HRTIMER_RESTART;
}

static int task_writer(void *data)
{
	struct writer *writer = data;

	hrtimer_start(&writer->timer, ns_to_ktime(PERIOD_NS),
		      HRTIMER_MODE_REL_PINNED_HARD);
	while (!READ_ONCE(stop)) {
		preempt_disable();
		event(TASK);
		preempt_enable();
		/* Not a busy machine: grace periods would take too much time. */
		usleep_range(200, 400);
	}
	hrtimer_cancel(&writer->timer);
	tasklet_kill(&writer->tasklet);
	kthread_complete_and_exit(&writer->done, 0);
}

static void stop_writers(const struct cpumask *started)
{
	int cpu;

	WRITE_ONCE(stop, true);
	for_each_cpu(cpu, started)
		wait_for_completion(&per_cpu(writers, cpu).done);
}

static int start_writers(struct cpumask *started)
{
	struct task_struct *thread;
	struct writer *writer;
	int cpu, err = 0;

	WRITE_ONCE(stop, false);
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		writer = per_cpu_ptr(&writers, cpu);
		thread = kthread_create_on_cpu(task_writer, writer, cpu, NAME "/%u");
		if (IS_ERR(thread)) {
			err = PTR_ERR(thread);
			break;
		}
		reinit_completion(&writer->done);
		cpumask_set_cpu(cpu, started);
		wake_up_process(thread);
	}
	cpus_read_unlock();
	if (err)
		stop_writers(started);
	return err;
}

/* ---- observer ----------------------------------------------------------------- */

enum method { NONE, SLEEP, NORMAL, POLLED, EXPEDITED, READER, FAST };

static const char *const methods[] = {
	[NONE] = "none", [SLEEP] = "sleep", [NORMAL] = "normal", [POLLED] = "polled",
	[EXPEDITED] = "expedited", [READER] = "reader", [FAST] = "fast",
};

/* @limit: ns, nothing up to here should be behind what was read; at first 0 */
struct observer {
	struct ltt_reader *reader;
	enum method method;
	u64 limit;
	unsigned long rounds, events, late, lost;
};

static struct observer last;		/* protected by run_mutex */
static DEFINE_MUTEX(run_mutex);

/*
 * Read a stream up to @end. What is read lies behind the frontier of the last round:
 * nothing of it may be as early as that round's limit.
 */
static int take(struct observer *observer, struct ltt_reader_stream *stream,
		unsigned long end)
{
	struct ltt_mark *mark = &stream->cursor.mark;
	const u8 *p;
	size_t avail;

	while (mark->pos < end && (avail = ltt_cursor_window(&stream->cursor, &p)) &&
	       mark->pos < end) {
		u64 ts = mark->ts;
		int header;
		u32 id;

		header = ltt_decode_header(p, avail, &ts, &id, false);
		if (header < 0)
			return header;
		observer->events++;
		if (ts <= observer->limit)
			observer->late++;
		mark->ts = ts;
		mark->events++;
		mark->pos += header + 2 * sizeof(u32);
	}
	observer->lost += stream->cursor.lost;
	stream->cursor.lost = 0;
	return 0;
}

static void wait_polled(void)
{
	unsigned long cookie = start_poll_synchronize_rcu();

	while (!poll_state_synchronize_rcu(cookie))
		usleep_range(500, 1000);
}

/* Wait. Return: the time up to which everything should be visible; 0: an error. */
static u64 watermark(struct observer *observer)
{
	struct ltt_reader *reader = observer->reader;
	enum ltt_clock_id clock = reader->trace->clock;
	u64 now = ltt_clock_now(clock);

	switch (observer->method) {
	case NONE:
		break;
	case SLEEP:
		fsleep(5 * USEC_PER_MSEC);
		break;
	case NORMAL:
		synchronize_rcu();
		break;
	case POLLED:
		wait_polled();
		break;
	case EXPEDITED:
		synchronize_rcu_expedited();
		break;
	case READER:
	case FAST:
		reader->fast = observer->method == FAST;
		return ltt_reader_wait(reader, false) ? 0 : reader->watermark;
	}
	return now - ltt_clock_margin(clock) - 1;
}

static int observe_once(struct observer *observer)
{
	struct ltt_reader *reader = observer->reader;
	u64 limit = watermark(observer);
	struct ltt_reader_stream *stream;
	unsigned long end;
	unsigned int i;
	int err;

	if (!limit)
		return -EINTR;
	for (i = 0; i < reader->nr_active; i++) {
		stream = reader->active[i];
		/* Pairs with the RELEASE of ltt_commit_only:A, as in cursor.c. */
		end = smp_load_acquire(&stream->cursor.buf->frontier);
		/* Compared with the limit of the last round. */
		err = take(observer, stream, end);
		if (err)
			return err;
	}
	/* From now on, what follows was not committed when the wait was over. */
	observer->limit = limit;
	observer->rounds++;
	ltt_reader_release(reader);
	return 0;
}

static int observe(struct observer *observer, unsigned long events, unsigned long rounds)
{
	unsigned long end = jiffies + TIMEOUT;
	int err;

	do {
		if (time_after(jiffies, end))
			return -ETIME;
		err = observe_once(observer);
		fsleep(200);
	} while (!err && (observer->events < events || observer->rounds < rounds));
	return err;
}

/* A trace of our own, writers, and an observer. */
static int run(struct observer *observer, unsigned long events, unsigned long rounds)
{
	struct ltt_trace *trace;
	cpumask_var_t started;
	int err;

	if (!zalloc_cpumask_var(&started, GFP_KERNEL))
		return -ENOMEM;
	trace = ltt_trace_create(NAME, NULL);
	if (IS_ERR(trace)) {
		err = PTR_ERR(trace);
		goto free;
	}
	err = ltt_trace_set_event(trace, NAME, "slow", true, NULL) ?:
	      ltt_trace_start(trace, NULL);
	if (err)
		goto destroy;
	observer->reader = ltt_reader_open(trace, NAME);
	if (IS_ERR(observer->reader)) {
		err = PTR_ERR(observer->reader);
		goto destroy;
	}
	err = start_writers(started);
	if (!err) {
		err = observe(observer, events, rounds);
		stop_writers(started);
	}
	ltt_reader_close(observer->reader);
destroy:
	ltt_trace_destroy(trace);
	ltt_trace_put(trace);
free:
	free_cpumask_var(started);
	return err;
}

/* ---- files -------------------------------------------------------------------- */

static ssize_t run_write(struct file *file, const char __user *user, size_t size,
			 loff_t *pos)
{
	struct observer observer = { };
	unsigned long events, rounds;
	char text[64], name[16];
	int method, err;

	if (size >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, user, size))
		return -EFAULT;
	text[size] = '\0';
	if (sscanf(text, "%15s %lu %lu", name, &events, &rounds) != 3)
		return -EINVAL;
	method = match_string(methods, ARRAY_SIZE(methods), name);
	if (method < 0)
		return method;

	observer.method = method;
	mutex_lock(&run_mutex);
	err = run(&observer, events, rounds);
	last = observer;
	mutex_unlock(&run_mutex);
	return err ?: size;
}

static const struct file_operations run_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= run_write,
	.llseek	= noop_llseek,
};

static int result_show(struct seq_file *m, void *unused)
{
	mutex_lock(&run_mutex);
	seq_printf(m, "method %s rounds %lu events %lu late %lu lost %lu\n",
		   methods[last.method], last.rounds, last.events, last.late, last.lost);
	mutex_unlock(&run_mutex);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(result);

static struct dentry *dir;

static int __init ltt_test_watermark_init(void)
{
	static const struct ltt_channel_params params = {
		.subbuf_order	= 16,
		.subbuf_num	= 8,
	};
	struct writer *writer;
	int cpu, context, err;

	for_each_possible_cpu(cpu) {
		writer = per_cpu_ptr(&writers, cpu);
		ltt_test_hrtimer_setup(&writer->timer, hardirq_writer);
		tasklet_setup(&writer->tasklet, softirq_writer);
		init_completion(&writer->done);
		for (context = 0; context < CONTEXTS; context++)
			prandom_seed_state(&writer->random[context],
					   cpu * CONTEXTS + context + 1);
	}
	err = ltt_channel_register(NAME, &params, LTT_CHANNEL_PRIVATE);
	if (err)
		return err;
	err = ltt_test_nmi_init(nmi_writer);
	if (err) {
		ltt_channel_unregister(NAME);
		return err;
	}
	dir = debugfs_create_dir(NAME, NULL);
	debugfs_create_file("run", 0200, dir, NULL, &run_fops);
	debugfs_create_file("result", 0400, dir, NULL, &result_fops);
	return 0;
}

static void __exit ltt_test_watermark_exit(void)
{
	debugfs_remove(dir);
	ltt_test_nmi_exit();
	ltt_channel_unregister(NAME);
}

module_init(ltt_test_watermark_init);
module_exit(ltt_test_watermark_exit);

MODULE_DESCRIPTION("LTT test: events that dawdle, and who misses them");
MODULE_LICENSE("GPL");
