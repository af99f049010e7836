/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: private header of the state dump.
 *
 *	main.c		traces/NAME/statedump, requests for dumps
 *	dump.c		a dump from beginning to end; recording its events
 *	process.c	threads; for each of them files.c and vm.c
 *	irq.c modules.c net.c block.c cpu.c
 *
 * A dump is made by a work item of its trace. It holds no lock and no reference to
 * anything but its trace and a task while it records an event, because that may wait for
 * readers.
 */
#ifndef _LTT_STATEDUMP_H
#define _LTT_STATEDUMP_H

#include <linux/bits.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/ltt/marker.h>

struct dentry;
struct ltt_trace;
struct task_struct;

#define STATE_CHANNEL	"statedump"

/* Kinds of state, one for each marker; names are in dump.c. */
enum state_kind {
	STATE_START,
	STATE_PROCESS,
	STATE_NAMESPACES,
	STATE_CGROUP,
	STATE_FILE,
	STATE_MAP,
	STATE_IRQ,
	STATE_MODULE,
	STATE_INTERFACE,
	STATE_IPV4,
	STATE_IPV6,
	STATE_BLOCK,
	STATE_CPU,
	STATE_END,
	STATE_KINDS
};

/* Why a dump was made, as the marker start shows it. */
enum state_reason {
	STATE_REASON_START,	/* the trace was started */
	STATE_REASON_REQUEST,	/* a user asked for it */
	STATE_REASON_LOAD,	/* the module was loaded while the trace was recording */
};

enum state_progress {
	STATE_NONE,
	STATE_RUNNING,		/* or about to */
	STATE_COMPLETE,
	STATE_CANCELLED,
};

/**
 * struct state_trace - the state dump of a trace
 * @trace:	the trace, with a reference
 * @file:	the file statedump
 * @work:	makes the dumps
 * @free_work:	waits for @work, and frees all this
 * @wait:	where a dump sleeps; woken when it is cancelled
 * @lock:	protects the fields up to @reason
 * @started:	the trace records, dumps may be requested
 * @requested:	number of the last requested dump, from 1
 * @cancelled:	dumps up to this number are cancelled
 * @progress:	of dump number @requested
 * @reason:	of dump number @requested
 * @count:	events recorded by the last dump, by kind; written by @work, as are
 *		the fields below
 * @lost:	its events that were lost for lack of room
 * @skipped:	items that could not be read without waiting too long for others
 * @text:	PATH_MAX bytes in which @work builds strings
 */
struct state_trace {
	struct ltt_trace *trace;
	struct ltt_control_file *file;
	struct work_struct work;
	struct work_struct free_work;
	wait_queue_head_t wait;

	spinlock_t lock;	/* see above */
	bool started;
	unsigned int requested;
	unsigned int cancelled;
	enum state_progress progress;
	enum state_reason reason;

	unsigned long count[STATE_KINDS];
	unsigned long lost;
	unsigned long skipped;
	char *text;
};

/**
 * struct state_dump - a dump that is being made
 * @state:	of the trace
 * @number:	its number
 * @buf:	buffers of the channel in the trace
 * @wanted:	a bit for each kind that the trace records
 * @patience:	remaining jiffies to wait for readers
 * @text:	that of @state
 */
struct state_dump {
	struct state_trace *state;
	unsigned int number;
	struct ltt_buf __percpu *buf;
	unsigned long wanted;
	unsigned long patience;
	char *text;
};

/* dump.c */
extern const char *const ltt_state_names[STATE_KINDS];
unsigned long ltt_state_wanted(const struct ltt_trace *trace, struct ltt_buf __percpu **buf);
bool ltt_state_cancelled(const struct state_dump *dump);
void ltt_state_sleep(struct state_dump *dump, unsigned int ms);
void ltt_state_skip(struct state_dump *dump);
void ltt_state_record(struct state_dump *dump, enum state_kind kind,
		      const struct ltt_marker *marker, const struct ltt_arg *args);
void ltt_state_work(struct work_struct *work);

/* Does the trace record this? If not, it need not be looked up. */
static inline bool ltt_state_wants(const struct state_dump *dump, enum state_kind kind)
{
	return dump->wanted & BIT(kind);
}

/* The parts of a dump. Context of all: task, may sleep, may wait for readers. */
void ltt_state_processes(struct state_dump *dump);
void ltt_state_files(struct state_dump *dump, struct task_struct *task);
void ltt_state_maps(struct state_dump *dump, struct task_struct *task);
void ltt_state_irqs(struct state_dump *dump);
void ltt_state_modules(struct state_dump *dump);
void ltt_state_net(struct state_dump *dump);
void ltt_state_block(struct state_dump *dump);
void ltt_state_cpus(struct state_dump *dump);

#define __STATE_ARG(_i, a)	{ .value = (u64)(unsigned long)(a) },

/*
 * As trace_mark(), in one trace, and may wait. Arguments are integers and
 * pointers; they are evaluated only if some trace records the marker.
 */
#define state_mark(_dump, _kind, _name, _format, ...)			\
do {									\
	static const u32 __ltt_types[] = {				\
		__LTT_MAP(__LTT_TYPE, ##__VA_ARGS__)			\
	};								\
	static struct ltt_marker __ltt_marker = {			\
		.key = STATIC_KEY_FALSE_INIT,				\
		.magic = LTT_MARKER_MAGIC,				\
		.nr_args = __LTT_COUNT(__VA_ARGS__),			\
		.self = &__ltt_marker,					\
		.channel = STATE_CHANNEL,				\
		.name = #_name,						\
		.format = (_format),					\
		.types = __ltt_types,					\
	};								\
									\
	__LTT_CHECK_FORMAT(_format, ##__VA_ARGS__);			\
	if (static_branch_unlikely(&__ltt_marker.key)) {		\
		const struct ltt_arg __args[] = {			\
			__LTT_MAP(__STATE_ARG, ##__VA_ARGS__)		\
		};							\
									\
		ltt_state_record(_dump, _kind, &__ltt_marker, __args);	\
	}								\
} while (0)

#endif /* _LTT_STATEDUMP_H */
