/* SPDX-License-Identifier: GPL-2.0 */
/* A trace as far as readers know it, on a machine of one thread and many CPUs. */
#ifndef _LINUX_LTT_TRACE_H
#define _LINUX_LTT_TRACE_H

#include <stdlib.h>
#include <linux/errno.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/ltt/clock.h>
#include <linux/ltt/format.h>
#include <linux/ltt/packet.h>
#include <linux/ltt/ring_buffer.h>

#define GFP_KERNEL_ACCOUNT	GFP_KERNEL
#define __GFP_NOWARN		0

#define LTT_CHANNEL_PRIVATE	1u

struct ltt_channel {
	const char *name;
	unsigned int flags;
};

struct ltt_context {
	const struct ltt_format *format;
};

struct ltt_event {
	struct ltt_channel *channel;
	const struct ltt_format *format;
};

struct ltt_trace_channel;

struct ltt_trace_event {
	struct ltt_event *event;
	struct ltt_trace_channel *tchan;
};

struct ltt_trace {
	enum ltt_clock_id clock;
	bool dead;
	struct list_head tchans;
	int layout;
	struct ltt_stir *stir;
	unsigned long stirred;
	int wait;
};

struct ltt_trace_channel {
	struct ltt_trace *trace;
	struct ltt_channel *channel;
	u32 stream_id;
	const struct ltt_context *context;
	struct ltt_trace_channel *home;
	struct ltt_buf *buf;
	struct list_head node;
};

struct ltt_trace_channel *ltt_trace_channel_named(const struct ltt_trace *trace,
						  const char *channel);
struct ltt_trace_event *ltt_trace_channel_event(const struct ltt_trace_channel *tchan, u32 id);

static inline void ltt_trace_get(struct ltt_trace *trace) { (void)trace; }
static inline void ltt_trace_put(struct ltt_trace *trace) { (void)trace; }

static inline u64 ltt_clock_margin(enum ltt_clock_id clock) { (void)clock; return 0; }
static inline u64 ltt_clock_now(enum ltt_clock_id clock) { (void)clock; return ltt_clock_counter(); }
static inline u64 ltt_clock_settled(enum ltt_clock_id clock) { return ltt_clock_now(clock) - 1; }

/* ---- what the rest of the kernel does for readers ---- */

#define atomic_read(p)		(*(p))
#define atomic_read_acquire(p)	(*(p))

extern unsigned int test_cpus;

#define nr_cpu_ids		test_cpus
#define for_each_possible_cpu(cpu) for ((cpu) = 0; (cpu) < test_cpus; (cpu)++)
#define cpu_present(cpu)	((void)(cpu), true)
#define per_cpu_ptr(p, cpu)	((p) + (cpu))

#define list_for_each_entry_rcu(pos, head, member, cond) list_for_each_entry(pos, head, member)

#define list_for_each_entry_safe(pos, n, head, member)			\
	for (pos = container_of((head)->next, typeof(*pos), member),	\
	     n = container_of(pos->member.next, typeof(*pos), member);	\
	     &pos->member != (head);					\
	     pos = n, n = container_of(n->member.next, typeof(*n), member))

static inline void list_add(struct list_head *entry, struct list_head *head)
{
	entry->prev = head;
	entry->next = head->next;
	head->next->prev = entry;
	head->next = entry;
}

static inline void cond_resched(void) { }

static inline void sort(void *base, size_t nr, size_t size,
			int (*compare)(const void *a, const void *b), void *swap)
{
	(void)swap;
	qsort(base, nr, size, compare);
}

/* A grace period ends when it has been asked for some times: nobody is in a section. */
struct rcu_gp_oldstate {
	unsigned int polls;
};

static inline void start_poll_synchronize_rcu_full(struct rcu_gp_oldstate *gp)
{
	gp->polls = 2;
}

static inline bool poll_state_synchronize_rcu_full(struct rcu_gp_oldstate *gp)
{
	return !gp->polls || !--gp->polls;
}

static inline void get_completed_synchronize_rcu_full(struct rcu_gp_oldstate *gp)
{
	gp->polls = 0;
}

static inline void start_poll_synchronize_rcu_expedited(void) { }
static inline void synchronize_rcu_expedited(void) { }
static inline bool rcu_gp_is_normal(void) { return false; }

#define NSEC_PER_USEC		1000ull
#define NSEC_PER_MSEC		1000000ull
#define HRTIMER_MODE_REL	0
#define TASK_INTERRUPTIBLE	0
#define DEFINE_WAIT(wait)	int wait = 0

typedef u64 ktime_t;

/* Much time goes by between two looks. */
static inline u64 ktime_get_ns(void) { return ss_clock += 10000000; }
static inline ktime_t ns_to_ktime(u64 ns) { return ns; }
static inline void prepare_to_wait(int *queue, int *wait, int state)
{
	(void)queue;
	(void)wait;
	(void)state;
}

static inline void finish_wait(int *queue, int *wait)
{
	(void)queue;
	(void)wait;
}

static inline void schedule_hrtimeout_range(ktime_t *timeout, u64 slack, int mode)
{
	(void)timeout;
	(void)slack;
	(void)mode;
}

/* The reader, and what runs grace periods. */
struct task_struct {
	unsigned int flags;
	pid_t pid;
	const char *comm;
};

extern struct task_struct test_tasks[];

#define PF_WQ_WORKER		0x20u
#define PF_KTHREAD		0x200000u

#define current			test_tasks
#define for_each_process(task)	for ((task) = test_tasks; (task)->comm; (task)++)

#define rcu_read_lock()		((void)0)
#define rcu_read_unlock()	((void)0)

#define signal_pending(task)	((void)(task), false)
#ifndef ERESTARTSYS
#define ERESTARTSYS		512
#endif

struct work_struct {
	int unused;
};

#endif /* _LINUX_LTT_TRACE_H */
