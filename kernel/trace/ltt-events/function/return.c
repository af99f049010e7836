// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: function.return, recorded by kretprobes.
 *
 * Of the ways to see a function return, this is the one that all the kernels have
 * for modules. It has to be made for each function, and takes memory and time: so
 * there is a list of its own for it, "returns", and a limit.
 *
 * As with entries, each change of the list makes a new set of probes. They are
 * registered, take over by one store, and then the old ones leave. Calls that are
 * under way at that time are not seen to return.
 */

#include <linux/cache.h>
#include <linux/ftrace.h>
#include <linux/glob.h>
#include <linux/kprobes.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/ltt/marker.h>
#include <linux/ltt/trace.h>

#include "function.h"

static unsigned int max_returns = 256;
module_param(max_returns, uint, 0444);
MODULE_PARM_DESC(max_returns, "Maximum number of functions whose returns can be traced (default: 256)");

static int max_active = 64;
module_param(max_active, int, 0444);
MODULE_PARM_DESC(max_active, "Maximum number of calls in progress per such function (default: 64)");

/**
 * struct probe_set - functions whose returns are traced
 * @nr:		how many
 * @refused:	selected by a glob, but the kernel refuses to probe them
 * @rps:	struct probe.rp of each; room for max_returns
 */
struct probe_set {
	unsigned int nr;
	unsigned int refused;
	struct kretprobe *rps[];
};

/**
 * struct probe - a function whose returns are traced
 * @rp:		what the kernel needs to know
 * @set:	the set it belongs to
 * @asked:	was asked for by name, in the request that is being carried out
 * @name:	of the function
 */
struct probe {
	struct kretprobe rp;
	const struct probe_set *set;
	bool asked;
	char name[];
};

static LIST_HEAD(returns);

/* The set in force, all of it registered; written under ltt_function_mutex. */
static struct probe_set *in_force;

/* ---- the marker ------------------------------------------------------------- */

static int connect(struct ltt_marker *marker);
static void disconnect(struct ltt_marker *marker);

/* The function begins; preemption is disabled. Not 0: do not watch its return. */
static int notrace begin(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct kretprobe *rp = get_kretprobe(ri);

	/* Without rethooks, a probe that is being unregistered leaves none at once. */
	if (!rp || container_of(rp, struct probe, rp)->set != READ_ONCE(in_force))
		return 1;
	*(u64 *)ri->data = ktime_get_mono_fast_ns();
	return 0;
}

NOKPROBE_SYMBOL(begin);

/* It returns, perhaps on another CPU; preemption is disabled. */
static int notrace end(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	u64 now = ktime_get_mono_fast_ns(), then = *(u64 *)ri->data;
	const struct kretprobe *rp = get_kretprobe(ri);

	if (!rp || container_of(rp, struct probe, rp)->set != READ_ONCE(in_force))
		return 0;
	if (!ltt_function_recordable())
		return 0;
	/* The clock may step back a little while it is being updated. */
	trace_mark_hook(function, return, connect, disconnect,
			"ip %ps parent_ip %pS duration %llu", (void *)rp->kp.addr,
			(void *)get_kretprobe_retaddr(ri), now > then ? now - then : 0);
	return 0;
}

NOKPROBE_SYMBOL(end);

/* ---- which functions -------------------------------------------------------- */

static void set_free(struct probe_set *set)
{
	unsigned int i;

	if (!set)
		return;
	for (i = 0; i < set->nr; i++)
		kfree(container_of(set->rps[i], struct probe, rp));
	kvfree(set);
}

/* Find the function by @addr or, if that is 0, by @name. */
static int set_add(struct probe_set *set, unsigned long addr, const char *name, bool asked)
{
	size_t len = strlen(name);
	struct probe *probe;

	if (set->nr == max_returns)
		return -E2BIG;
	probe = kzalloc(struct_size(probe, name, len + 1), GFP_KERNEL);
	if (!probe)
		return -ENOMEM;
	memcpy(probe->name, name, len + 1);
	probe->set = set;
	probe->asked = asked;
	if (addr)
		probe->rp.kp.addr = (kprobe_opcode_t *)addr;
	else
		probe->rp.kp.symbol_name = probe->name;
	probe->rp.entry_handler = begin;
	probe->rp.handler = end;
	probe->rp.data_size = sizeof(u64);
	probe->rp.maxactive = max_active;
	set->rps[set->nr++] = &probe->rp;
	return 0;
}

static bool is_name(const struct ltt_function_glob *glob)
{
	return !glob->negate && !strpbrk(glob->text, "*?[");
}

static bool excluded(const struct list_head *globs, const char *name)
{
	const struct ltt_function_glob *glob;

	list_for_each_entry(glob, globs, node) {
		if (glob->negate && glob_match(glob->text, name))
			return true;
	}
	return false;
}

/*
 * May the function be traced? kprobes would take more than that, such as what kprobes
 * themselves and we are made of; ftrace knows what must not be touched. Returns 1, 0,
 * or a negative errno.
 */
static int traceable(unsigned long addr, const char *name)
{
	struct ftrace_ops *ops = kzalloc(sizeof(*ops), GFP_KERNEL);
	char *text = kstrdup(name, GFP_KERNEL);		/* ftrace may write into it */
	int err = -ENOMEM;

	if (ops && text) {
		err = addr ? ftrace_set_filter_ip(ops, addr, 0, 1) :
			     ftrace_set_filter(ops, text, strlen(text), 1);
		ftrace_free_filter(ops);
	}
	kfree(text);
	kfree(ops);
	return err == -EINVAL ? 0 : err ?: 1;
}

struct search {
	struct list_head *globs;
	struct probe_set *set;
};

/* A symbol of the kernel image: does a glob with wildcards select it? */
static int look_at(unsigned long addr, const char *name, void *data)
{
	struct search *search = data;
	struct ltt_function_glob *glob;
	bool selected = false;
	int ret;

	list_for_each_entry(glob, search->globs, node) {
		if (glob->negate || !glob_match(glob->text, name))
			continue;
		if (is_name(glob))
			return 0;
		selected = true;
	}
	if (!selected)
		return 0;
	ret = traceable(addr, name);
	if (ret <= 0)
		return ret;
	list_for_each_entry(glob, search->globs, node) {
		if (!glob->negate && glob_match(glob->text, name))
			glob->found = true;
	}
	return excluded(search->globs, name) ? 0 : set_add(search->set, addr, name, false);
}

static int fill(struct probe_set *set, struct list_head *globs)
{
	struct search search = { .globs = globs, .set = set };
	struct ltt_function_glob *glob;
	bool wild = false;
	int ret;

	list_for_each_entry(glob, globs, node) {
		glob->found = false;
		if (!is_name(glob)) {
			wild |= !glob->negate;
			continue;
		}
		ret = traceable(0, glob->text);
		glob->found = ret > 0;
		if (ret > 0 && !excluded(globs, glob->text))
			ret = set_add(set, 0, glob->text, glob->column);
		if (ret < 0)
			return ret;
	}
	return wild ? ltt_function_each_symbol(look_at, &search) : 0;
}

/*
 * The probes that a list asks for, not registered. Globs older than the request may
 * select nothing any more. Return: NULL if there are none, or an ERR_PTR.
 */
static struct probe_set *set_make(struct list_head *globs, struct ltt_error *error)
{
	const struct ltt_function_glob *glob;
	struct probe_set *set;
	int err;

	if (list_empty(globs))
		return NULL;
	set = kvzalloc(struct_size(set, rps, max_returns), GFP_KERNEL);
	if (!set)
		return ERR_PTR(ltt_fail(error, -ENOMEM, "out of memory"));
	err = fill(set, globs);
	if (err == -E2BIG)
		ltt_fail(error, err, "more than %u functions, raise the module parameter max_returns",
			 max_returns);
	else if (err)
		ltt_fail(error, err, "cannot look up kernel symbols");
	list_for_each_entry(glob, globs, node) {
		if (!err && !glob->negate && !glob->found && glob->column)
			err = ltt_fail(error, -ENOENT,
				       "column %u: no such function, or it cannot be traced",
				       glob->column);
	}
	if (!err && set->nr)
		return set;
	set_free(set);
	return err ? ERR_PTR(err) : NULL;
}

/* ---- kretprobes ------------------------------------------------------------- */

/*
 * Register all of the set. What a glob selects but the kernel refuses is left out, and
 * counted; what was asked for by name must succeed.
 */
static int set_register(struct probe_set *set, struct ltt_error *error)
{
	unsigned int i, nr = set->nr;
	struct probe *probe;
	int err;

	set->nr = 0;
	for (i = 0; i < nr; i++) {
		probe = container_of(set->rps[i], struct probe, rp);
		err = register_kretprobe(&probe->rp);
		if (!err) {
			set->rps[set->nr++] = &probe->rp;
			continue;
		}
		if (probe->asked || err == -ENOMEM)
			break;
		set->refused++;
		kfree(probe);
	}
	if (i == nr)
		return 0;

	ltt_fail(error, err, "function %s: cannot register a kretprobe", probe->name);
	if (set->nr)
		unregister_kretprobes(set->rps, set->nr);
	/* Those not tried yet follow after a gap. */
	while (i < nr)
		set->rps[set->nr++] = set->rps[i++];
	return err;
}

/*
 * Let @set, NULL for none, take over. When this returns 0 nobody is in the handlers
 * for the one before, which is freed; else nothing has changed.
 */
static int switch_to(struct probe_set *set, struct ltt_error *error)
{
	struct probe_set *old = in_force;
	int err;

	if (set) {
		err = set_register(set, error);
		if (err)
			return err;
	}
	WRITE_ONCE(in_force, set);
	if (old) {
		if (old->nr)
			unregister_kretprobes(old->rps, old->nr);
		set_free(old);
	}
	return 0;
}

static int attach(void)
{
	struct probe_set *set = set_make(&returns, NULL);
	int err = PTR_ERR_OR_ZERO(set);

	if (err)
		return err;
	err = switch_to(set, NULL);
	if (err)
		set_free(set);
	return err;
}

static void detach(void)
{
	switch_to(NULL, NULL);
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
 * ltt_function_returns_set() - change whose returns are traced
 * @request:	see globs.c
 * @error:	what is wrong, and where
 *
 * Takes effect at once if a trace wants function.return. On failure nothing changes.
 *
 * Context: task, may sleep; takes ltt_function_mutex, waits for grace periods.
 * Return: 0; -ENOENT if a glob of the request selects no function; -E2BIG if all of
 * them select too many; errors of ltt_function_globs_change(); what the kernel says
 * to a function that was named.
 */
int ltt_function_returns_set(const char *request, struct ltt_error *error)
{
	struct probe_set *set;
	LIST_HEAD(changed);
	int err;

	mutex_lock(&ltt_function_mutex);
	err = ltt_function_globs_change(&returns, request, &changed, error);
	if (err)
		goto free;
	set = set_make(&changed, error);
	err = PTR_ERR_OR_ZERO(set);
	if (err)
		goto free;
	if (hook.wanted)
		err = switch_to(set, error);
	if (err || !hook.wanted)
		set_free(set);
	if (!err)
		ltt_function_globs_adopt(&returns, &changed);
free:
	ltt_function_globs_free(&changed);
	mutex_unlock(&ltt_function_mutex);
	return err;
}

/**
 * ltt_function_returns_show() - print the list
 * @m:		where
 *
 * Context: task, may sleep; takes ltt_function_mutex.
 */
void ltt_function_returns_show(struct seq_file *m)
{
	mutex_lock(&ltt_function_mutex);
	ltt_function_globs_show(m, &returns);
	mutex_unlock(&ltt_function_mutex);
}

/**
 * ltt_function_returns_stats() - print how many functions are probed, and what is missed
 * @m:		where
 *
 * Context: task, ltt_function_mutex held.
 */
void ltt_function_returns_stats(struct seq_file *m)
{
	const struct probe_set *set = in_force;
	unsigned long missed = 0;
	unsigned int i;

	lockdep_assert_held(&ltt_function_mutex);
	for (i = 0; set && i < set->nr; i++)
		missed += set->rps[i]->nmissed + set->rps[i]->kp.nmissed;
	seq_printf(m, "returns_probed %u\n", set ? set->nr : 0);
	seq_printf(m, "returns_refused %u\n", set ? set->refused : 0);
	seq_printf(m, "returns_missed %lu\n", missed);
}

/**
 * ltt_function_returns_exit() - detach from all functions for good
 *
 * When this returns no handler is running.
 *
 * Context: task, ltt_function_mutex held, ltt_function_closing set.
 */
void ltt_function_returns_exit(void)
{
	lockdep_assert_held(&ltt_function_mutex);
	switch_to(NULL, NULL);
	ltt_function_globs_free(&returns);
}
