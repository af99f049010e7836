/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: the function tracer, a client of LTT's channels.
 *
 *	main.c		the module, its channel, and what its markers' hooks have in common
 *	entry.c		function.entry: the kernel's ftrace calls us
 *	return.c	function.return: kretprobes call us
 *	symbols.c	which functions of the kernel image a glob selects
 *	globs.c		lists of globs
 *	files.c		/sys/kernel/debug/ltt/function/
 *	profile.c	the private channel, and its reader
 *
 * Nothing is attached to the kernel unless a trace wants the marker and somebody
 * has said which functions are meant: a trace that records "*" does not slow
 * down every call in the kernel by that.
 *
 * Locks: those of the registry of markers > ltt_function_mutex > those of ftrace and
 * kprobes. The hooks of the markers are called with one of the first, but not with
 * ltt_mutex, for ftrace waits for long; writes to our files take the second only.
 */
#ifndef _LTT_FUNCTION_H
#define _LTT_FUNCTION_H

#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>

struct ltt_error;
struct seq_file;

/* Protects the lists of globs and everything attached because of them. */
extern struct mutex ltt_function_mutex;

/* The module is being removed: nothing is attached any more. Protected by the same. */
extern bool ltt_function_closing;

/**
 * struct ltt_function_stats - what was not recorded, and why; counted by each CPU
 * @recursion:	entries of functions that recording an entry calls itself
 * @no_rcu:	entries and returns where RCU does not watch, or on a CPU that is not
 *		online: the order of events and the lifetime of buffers rest on RCU
 */
struct ltt_function_stats {
	unsigned long recursion;
	unsigned long no_rcu;
};

DECLARE_PER_CPU(struct ltt_function_stats, ltt_function_stats);

/*
 * May an event be recorded here? While a CPU comes up or goes down, RCU takes no
 * notice of it although rcu_is_watching() says it would; that time is a part of
 * the time when it is not online.
 */
static __always_inline bool ltt_function_recordable(void)
{
	if (likely(rcu_is_watching() && cpu_online(raw_smp_processor_id())))
		return true;
	this_cpu_inc(ltt_function_stats.no_rcu);
	return false;
}

/**
 * struct ltt_function_hook - what happens when traces begin and cease to want a marker
 * @attach:	let the kernel call us for the functions that are chosen, if there are
 *		any; returns 0 or a negative errno, and then nothing has changed
 * @detach:	let it not call us any more
 * @wanted:	a trace wants the marker
 *
 * Both functions are called with ltt_function_mutex held, which protects @wanted.
 */
struct ltt_function_hook {
	int (*attach)(void);
	void (*detach)(void);
	bool wanted;
};

/* main.c */
int ltt_function_connect(struct ltt_function_hook *hook);
void ltt_function_disconnect(struct ltt_function_hook *hook);

/* globs.c */
#define LTT_FUNCTION_GLOBS_MAX	256u	/* of one list */

/**
 * struct ltt_function_glob - one glob of a list
 * @node:	in the list
 * @column:	where it began in the request that is being carried out, from 1; 0: it
 *		is older
 * @negate:	it began with "!"
 * @found:	selects something; private to return.c
 * @text:	what follows
 */
struct ltt_function_glob {
	struct list_head node;
	unsigned int column;
	bool negate;
	bool found;
	char text[];
};

int ltt_function_globs_change(const struct list_head *globs, const char *request,
			      struct list_head *changed, struct ltt_error *error);
void ltt_function_globs_adopt(struct list_head *globs, struct list_head *changed);
void ltt_function_globs_free(struct list_head *globs);
void ltt_function_globs_show(struct seq_file *m, const struct list_head *globs);

/* entry.c */
enum ltt_function_list {
	LTT_FUNCTION_FILTER,
	LTT_FUNCTION_NOTRACE,
};

int ltt_function_entry_set(enum ltt_function_list which, const char *request,
			   struct ltt_error *error);
void ltt_function_entry_show(enum ltt_function_list which, struct seq_file *m);
void ltt_function_entry_stats(struct seq_file *m);
void ltt_function_entry_exit(void);

/* return.c */
int ltt_function_returns_set(const char *request, struct ltt_error *error);
void ltt_function_returns_show(struct seq_file *m);
void ltt_function_returns_stats(struct seq_file *m);
void ltt_function_returns_exit(void);

/* symbols.c */
int ltt_function_each_symbol(int (*each)(unsigned long addr, const char *name, void *data),
			     void *data);

/* files.c */
int ltt_function_files_init(bool profile);
void ltt_function_files_exit(void);

/* profile.c */
#define LTT_FUNCTION_CHANNEL	"function"

int ltt_function_profile_init(void);
void ltt_function_profile_exit(void);
void ltt_function_profile_show(struct seq_file *m);

#endif /* _LTT_FUNCTION_H */
