// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: function.entry, recorded by a callback of the kernel's ftrace.
 *
 * A struct ftrace_ops is made anew for each change of the globs, never changed
 * while it is registered: ftrace takes one glob at a time, and a filter half made
 * selects other functions than anybody wanted - all of them, while it is empty.
 * The callback records only for the ops that is in force; the new one is
 * registered first, then it takes over by one store, then the old one leaves. So
 * a function that both select is recorded without a gap; only a call in whose entry
 * the store falls may be recorded by neither of them.
 */

#include <linux/ftrace.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_recursion.h>
#include <linux/ltt/marker.h>
#include <linux/ltt/trace.h>

#include "function.h"

static LIST_HEAD(filter);
static LIST_HEAD(notrace_list);

static struct list_head *const lists[] = {
	[LTT_FUNCTION_FILTER] = &filter,
	[LTT_FUNCTION_NOTRACE] = &notrace_list,
};

/* The ops in force, NULL if none; written under ltt_function_mutex. */
static struct ftrace_ops *in_force;

/* ---- the marker ------------------------------------------------------------- */

static int connect(struct ltt_marker *marker);
static void disconnect(struct ltt_marker *marker);

/*
 * Called at the entry of each function selected, in any context, from anywhere but
 * what is marked notrace or noinstr. Preemption is disabled behind the trylock, which
 * refuses the entries of functions that we call ourselves, one level deep excepted:
 * an interrupt that has not been accounted for yet would look the same. Those
 * nest into our event as an interrupt's would.
 */
static void notrace function_entry(unsigned long ip, unsigned long parent_ip,
				   struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	int bit;

	if (unlikely(ops != READ_ONCE(in_force)))
		return;
	/* What nests leaves the task's bits as they were: read and written plainly. */
	bit = data_race(ftrace_test_recursion_trylock(ip, parent_ip));
	if (unlikely(bit < 0)) {
		this_cpu_inc(ltt_function_stats.recursion);
		return;
	}
	if (ltt_function_recordable())
		trace_mark_hook(function, entry, connect, disconnect,
				"ip %ps parent_ip %pS", (void *)ip, (void *)parent_ip);
	/* As above. */
	data_race((ftrace_test_recursion_unlock(bit), 0));
}

/* ---- ftrace ----------------------------------------------------------------- */

static void ops_free(struct ftrace_ops *ops)
{
	if (!ops)
		return;
	ftrace_free_filter(ops);
	kfree(ops);
}

typedef int (*set_func_t)(struct ftrace_ops *ops, unsigned char *buf, int len, int reset);

/*
 * Add one glob, "!" included if @negate, to a hash of @ops. ftrace writes into what it
 * is given. Return: 0, -ENOENT if there is no such function, or another negative errno.
 */
static int ops_add(struct ftrace_ops *ops, set_func_t set, bool negate, const char *glob)
{
	char *text = kasprintf(GFP_KERNEL, "%s%s", negate ? "!" : "", glob);
	int err;

	if (!text)
		return -ENOMEM;
	err = set(ops, text, strlen(text), 0);
	kfree(text);
	return err == -EINVAL ? -ENOENT : err;
}

/*
 * Globs that are older than the request may select nothing any more: modules go. Such
 * a one is as if it were not there.
 */
static int glob_failed(const struct ltt_function_glob *glob, int err, struct ltt_error *error)
{
	if (err == -ENOENT) {
		if (!glob->column)
			return 0;
		return ltt_fail(error, err, "column %u: no such function, or it cannot be traced",
				glob->column);
	}
	return ltt_fail(error, err, "ftrace rejects the glob %s",
			glob->text);
}

/* Returns whether anything is selected, or a negative errno. */
static int add_selected(struct ftrace_ops *ops, const struct list_head *globs,
			struct ltt_error *error)
{
	const struct ltt_function_glob *glob;
	bool all = false;
	int err, any = 0;

	/* An empty hash is ftrace's way to say "all", those of later modules too. */
	list_for_each_entry(glob, globs, node) {
		if (!glob->negate && !strcmp(glob->text, "*"))
			all = true;
	}
	list_for_each_entry(glob, globs, node) {
		/* It does no harm to try all new ones: they are checked. */
		if (glob->negate || (all && !glob->column))
			continue;
		err = ops_add(ops, ftrace_set_filter, false, glob->text);
		if (!err) {
			any = 1;
			continue;
		}
		err = glob_failed(glob, err, error);
		if (err)
			return err;
	}
	if (!all)
		return any;
	return ftrace_set_filter(ops, NULL, 0, 1) ?: 1;
}

static int add_excluded(struct ftrace_ops *ops, const struct list_head *globs,
			struct ltt_error *error)
{
	const struct ltt_function_glob *glob;
	int err;

	list_for_each_entry(glob, globs, node) {
		err = ops_add(ops, ftrace_set_notrace, glob->negate, glob->text);
		if (err)
			err = glob_failed(glob, err, error);
		if (err)
			return err;
	}
	return 0;
}

/* "!glob" in the filter excludes, regardless of what follows. */
static int add_negated(struct ftrace_ops *ops, const struct list_head *globs,
		       struct ltt_error *error)
{
	const struct ltt_function_glob *glob;
	int err;

	list_for_each_entry(glob, globs, node) {
		if (!glob->negate)
			continue;
		err = ops_add(ops, ftrace_set_notrace, false, glob->text);
		if (err)
			err = glob_failed(glob, err, error);
		if (err)
			return err;
	}
	return 0;
}

/*
 * The ops that the lists ask for. Return: the ops, not registered; NULL if no function
 * is selected; or an ERR_PTR.
 */
static struct ftrace_ops *ops_make(const struct list_head *selected,
				   const struct list_head *excluded,
				   struct ltt_error *error)
{
	struct ftrace_ops *ops = kzalloc(sizeof(*ops), GFP_KERNEL);
	int any, err;

	if (!ops)
		return ERR_PTR(ltt_fail(error, -ENOMEM, "out of memory"));
	/*
	 * No FTRACE_OPS_FL_RECURSION, no FTRACE_OPS_FL_RCU: ftrace would refuse
	 * entries before function_entry() could count them.
	 */
	ops->func = function_entry;

	any = add_selected(ops, selected, error);
	err = any < 0 ? any : add_excluded(ops, excluded, error);
	if (!err)
		err = add_negated(ops, selected, error);
	if (!err && any)
		return ops;
	ops_free(ops);
	return err ? ERR_PTR(err) : NULL;
}

/*
 * Let @ops, NULL for none, take over. When this returns 0 nobody is in the callback
 * for the one before, which is freed; else nothing has changed.
 */
static int switch_to(struct ftrace_ops *ops)
{
	struct ftrace_ops *old = in_force;
	int err;

	if (ops) {
		err = register_ftrace_function(ops);
		if (err)
			return err;
	}
	WRITE_ONCE(in_force, ops);
	if (!old)
		return 0;
	if (WARN_ON_ONCE(unregister_ftrace_function(old))) {
		/* ftrace has failed and may never stop calling us. */
		__module_get(THIS_MODULE);
		return 0;
	}
	ops_free(old);
	return 0;
}

/*
 * What a trace that records everything enables is nothing, until someone writes to
 * the filter.
 */
static int attach(void)
{
	struct ftrace_ops *ops = ops_make(&filter, &notrace_list, NULL);
	int err = PTR_ERR_OR_ZERO(ops);

	if (err)
		return err;
	err = switch_to(ops);
	if (err)
		ops_free(ops);
	return err;
}

static void detach(void)
{
	switch_to(NULL);
}

static struct ltt_function_hook hook = {
	.attach = attach,
	.detach = detach,
};

static int connect(struct ltt_marker *marker)
{
	return ltt_function_connect(&hook);
}

static void disconnect(struct ltt_marker *marker)
{
	ltt_function_disconnect(&hook);
}

/* ---- control ---------------------------------------------------------------- */

/**
 * ltt_function_entry_set() - change which functions are traced
 * @which:	the list
 * @request:	see globs.c
 * @error:	what is wrong, and where
 *
 * Takes effect at once if a trace wants function.entry. On failure nothing changes.
 *
 * Context: task, may sleep; takes ltt_function_mutex, waits for grace periods.
 * Return: 0; -ENOENT if a glob of the request selects no function; errors of
 * ltt_function_globs_change(); what ftrace says.
 */
int ltt_function_entry_set(enum ltt_function_list which, const char *request,
			   struct ltt_error *error)
{
	struct ftrace_ops *ops;
	LIST_HEAD(changed);
	int err;

	mutex_lock(&ltt_function_mutex);
	err = ltt_function_globs_change(lists[which], request, &changed, error);
	if (err)
		goto free;
	if (which == LTT_FUNCTION_FILTER)
		ops = ops_make(&changed, &notrace_list, error);
	else
		ops = ops_make(&filter, &changed, error);
	err = PTR_ERR_OR_ZERO(ops);
	if (err)
		goto free;
	if (hook.wanted) {
		err = switch_to(ops);
		if (err) {
			ops_free(ops);
			ltt_fail(error, err, "ftrace refuses to trace these functions");
			goto free;
		}
	} else {
		ops_free(ops);
	}
	ltt_function_globs_adopt(lists[which], &changed);
free:
	ltt_function_globs_free(&changed);
	mutex_unlock(&ltt_function_mutex);
	return err;
}

/**
 * ltt_function_entry_show() - print a list
 * @which:	the list
 * @m:		where
 *
 * Context: task, may sleep; takes ltt_function_mutex.
 */
void ltt_function_entry_show(enum ltt_function_list which, struct seq_file *m)
{
	mutex_lock(&ltt_function_mutex);
	ltt_function_globs_show(m, lists[which]);
	mutex_unlock(&ltt_function_mutex);
}

/**
 * ltt_function_entry_stats() - print whether the kernel calls us
 * @m:		where
 *
 * Context: task, ltt_function_mutex held.
 */
void ltt_function_entry_stats(struct seq_file *m)
{
	lockdep_assert_held(&ltt_function_mutex);
	seq_printf(m, "attached %d\n", !!in_force);
}

/**
 * ltt_function_entry_exit() - unregister from ftrace for good
 *
 * When this returns the callback is not running.
 *
 * Context: task, ltt_function_mutex held, ltt_function_closing set.
 */
void ltt_function_entry_exit(void)
{
	lockdep_assert_held(&ltt_function_mutex);
	switch_to(NULL);
	ltt_function_globs_free(&filter);
	ltt_function_globs_free(&notrace_list);
}
