/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: triggers, for the files that they are made of and for the other files of the traces.
 *
 *	trigger_lines.c		what a line says
 *	trigger_request.c	requests, and which events have which triggers
 *	trigger.c		whether one acts
 *	trigger_act.c		what it does
 *	trigger_notice.c	what is no event: losses, silence, oopses, warnings, a panic
 */
#ifndef _LTT_TRIGGER_H
#define _LTT_TRIGGER_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/ltt/ring_buffer.h>

#include "spot.h"
#include "window.h"

struct ltt_event;
struct ltt_event_filter;
struct ltt_trace;
struct ltt_trace_channel;
struct ltt_trace_event;

/* Maximum lines of a trace, and actions of a line. */
#define LTT_TRIGGERS_MAX	64u
#define LTT_TRIGGER_ACTIONS	8u

/* The channel of marks and stacks. */
#define LTT_TRIGGERS_CHANNEL	"ltt"

/* What a line waits for. */
enum ltt_trigger_on {
	LTT_ON_EVENT,
	LTT_ON_TIMEOUT,		/* the event did not come */
	LTT_ON_LOST,
	LTT_ON_OOPS,
	LTT_ON_PANIC,
	LTT_ON_WARN,
};

enum ltt_trigger_do {
	LTT_DO_SNAPSHOT,
	LTT_DO_START,
	LTT_DO_STOP,
	LTT_DO_ENABLE,
	LTT_DO_DISABLE,
	LTT_DO_STACK,
	LTT_DO_MARK,
	LTT_DO_DUMP,
};

/**
 * struct ltt_trigger_action - something that a trigger does
 * @what:	what
 * @before:	snapshot: ns before the event; 0: all that there is
 * @after:	snapshot: ns after it
 * @events:	dump: how many
 * @text:	mark: the text; enable, disable: the pattern, with its "!"
 */
struct ltt_trigger_action {
	enum ltt_trigger_do what;
	u64 before;
	u64 after;
	unsigned int events;
	char *text;
};

/**
 * struct ltt_trigger_line - what a line says
 * @text:	all of it
 * @why:	its beginning, for the windows that it takes
 * @on:		what it waits for
 * @glob:	LTT_ON_EVENT, LTT_ON_TIMEOUT: CHANNEL.MARKER with * and ?; else NULL
 * @expr:	the condition, with as many blanks before it as there are characters in the
 *		line, so that its columns are those of the line; NULL if there is none
 * @timeout:	LTT_ON_TIMEOUT: ns
 * @count:	how many times it acts at most; 0: always
 * @every:	acts each time that the condition has held so often
 * @nr:		entries of @action
 * @action:	what it does, in this order
 */
struct ltt_trigger_line {
	char *text;
	char why[LTT_WINDOW_WHY];
	enum ltt_trigger_on on;
	char *glob;
	char *expr;
	u64 timeout;
	unsigned int count;
	unsigned int every;
	unsigned int nr;
	struct ltt_trigger_action action[LTT_TRIGGER_ACTIONS];
};

/**
 * struct ltt_trigger - a trigger
 * @line:	its line
 * @ref:	held by the list of lines, and by the events that have it
 * @free:	drops the reference of the list when nobody finds it there any more
 * @trace:	its trace
 * @number:	of the line in the request that wrote it
 * @starts:	it starts the trace, so it acts also while that is stopped
 * @fresh:	being written: an event that it does not suit is an error
 * @removed:	it does not act any more
 * @spent:	it has acted as often as it may
 * @left:	how often it may still act, if there is a limit
 * @turn:	how often the condition has held since it last was its turn
 * @held:	how often the condition has held
 * @fired:	how often it has acted
 * @skipped:	how often it was not its turn, or it was spent, or a trigger acted already in
 *		this context of this CPU
 * @failed:	actions that failed
 * @pending:	a bit for each action that is left to the work item
 * @seen:	LTT_ON_TIMEOUT: jiffies of the last event, or of the start of the trace
 * @silent:	LTT_ON_TIMEOUT: it has acted since
 * @watch:	LTT_ON_TIMEOUT: looks at @seen
 */
struct ltt_trigger {
	struct ltt_trigger_line line;
	struct kref ref;
	struct rcu_work free;
	struct ltt_trace *trace;
	unsigned int number;
	bool starts;
	bool fresh;
	bool removed;
	bool spent;
	atomic_t left;
	atomic_t turn;
	atomic_long_t held;
	atomic_long_t fired;
	atomic_long_t skipped;
	atomic_long_t failed;
	unsigned long pending;
	unsigned long seen;
	bool silent;
	struct delayed_work watch;
};

/**
 * struct ltt_trigger_list - the triggers of a trace
 * @rcu:	frees it
 * @nr:		entries of @trigger
 * @trigger:	in the order in which they were written
 */
struct ltt_trigger_list {
	struct rcu_head rcu;
	unsigned int nr;
	struct ltt_trigger *trigger[LTT_TRIGGERS_MAX];
};

/**
 * struct ltt_triggers - what a trace has that ever had triggers
 * @trace:	the trace
 * @list:	its triggers, replaced as a whole under RCU
 * @node:	in the list of all of these, walked under RCU
 * @asked:	what triggers last asked for: low bit: to start the trace, else to stop it; the
 *		others: a number
 * @done:	what of @asked was carried out, or overruled by the user; ltt_mutex
 * @acted:	how often triggers have acted
 * @want_work:	@irq_work is to queue @work
 * @halt:	@irq_work is to stop the buffers of all CPUs
 * @irq_work:	continues where all interrupts are served
 * @work:	continues in a task
 * @lost:	called when an event is lost
 * @own:	the channel of marks and stacks in the trace, NULL until a trigger needs it
 */
struct ltt_triggers {
	struct ltt_trace *trace;
	struct ltt_trigger_list __rcu *list;
	struct list_head node;
	atomic_t asked;
	unsigned int done;
	atomic_t acted;
	unsigned int want_work;		/* not bool: for xchg() */
	unsigned int halt;
	struct irq_work irq_work;
	struct work_struct work;
	struct ltt_subbuf_notifier lost;
	struct ltt_trace_channel *own;
};

/**
 * struct ltt_trigger_entry - a trigger of an event
 * @trigger:	the trigger
 * @condition:	its expression, made for this event; NULL if it has none
 */
struct ltt_trigger_entry {
	struct ltt_trigger *trigger;
	struct ltt_event_filter *condition;
};

/**
 * struct ltt_trigger_set - the triggers of an event in a trace
 * @work:	frees it
 * @starts:	one of them starts the trace
 * @nr:		entries of @entry
 * @entry:	in the order of the lines
 */
struct ltt_trigger_set {
	struct rcu_work work;
	bool starts;
	unsigned int nr;
	struct ltt_trigger_entry entry[];
};

/**
 * struct ltt_trigger_needs - what lines need that is not there until somebody wants it
 * @own:	the markers of triggers
 * @warn:	that we are told of warnings
 * @windows:	so many windows at a time
 */
struct ltt_trigger_needs {
	bool own;
	bool warn;
	unsigned int windows;
};

/* trigger_lines.c */
bool ltt_trigger_does(const struct ltt_trigger_line *line, enum ltt_trigger_do what);
int ltt_trigger_parse(struct ltt_trigger_line *line, const char *text,
		      const struct ltt_spot *place);
void ltt_trigger_line_free(struct ltt_trigger_line *line);

/* trigger.c */
void ltt_trigger_set_fire(const struct ltt_trigger_set *set, bool recording,
			  const struct ltt_event *event, const u8 *payload, size_t size);
void ltt_trigger_fire(struct ltt_trigger *trigger, const struct ltt_event *event);
void ltt_triggers_oopsed(void);
bool ltt_trigger_is_on(const struct ltt_trigger *trigger);

/* trigger_act.c */
void ltt_trigger_act(struct ltt_trigger *trigger, const struct ltt_event *event);
void ltt_triggers_init_work(struct ltt_triggers *triggers);
void ltt_triggers_end_work(struct ltt_triggers *triggers);
void ltt_trigger_needs(const struct ltt_trigger_line *line, struct ltt_trigger_needs *needs);
int ltt_triggers_own_get(struct ltt_error *error);
bool ltt_triggers_own_known(void);

/* trigger_notice.c */
int ltt_trigger_notice_check(const struct ltt_trigger_line *line, const struct ltt_spot *place,
			     const char *at);
int ltt_triggers_warn_get(struct ltt_error *error);
bool ltt_triggers_warn_known(void);
void ltt_trigger_watch(struct ltt_trigger *trigger);
void ltt_trigger_watch_init(struct ltt_trigger *trigger);
void ltt_triggers_notice_update(struct ltt_triggers *triggers);
void ltt_triggers_notice_add(struct ltt_triggers *triggers);
void ltt_triggers_notice_remove(struct ltt_triggers *triggers);
int ltt_triggers_init(void);
void ltt_triggers_exit(void);

/* trigger_request.c */
void ltt_trigger_put(struct ltt_trigger *trigger);
struct ltt_trigger_set *ltt_trigger_set_new(const struct ltt_trace *trace,
					    const struct ltt_event *event);
void ltt_trigger_set_free(struct ltt_trigger_set *set);
void ltt_triggers_end(struct ltt_trace *trace);
void ltt_triggers_free(struct ltt_trace *trace);
const struct ltt_trigger *ltt_trace_trigger(const struct ltt_trace *trace, unsigned int nr,
					    unsigned int *markers);
unsigned int ltt_trace_triggers_acted(const struct ltt_trace *trace);

/* trigger_act.c, for trace.c: what triggers ask for */
unsigned int ltt_triggers_asked(const struct ltt_trace *trace);
bool ltt_triggers_pending(const struct ltt_trace *trace, unsigned int asked);
bool ltt_triggers_halted(const struct ltt_trace *trace);
void ltt_triggers_settle(struct ltt_trace *trace, unsigned int asked);

/* trigger_notice.c, for trace.c */
void ltt_triggers_watch(struct ltt_trace *trace);

#endif /* _LTT_TRIGGER_H */
