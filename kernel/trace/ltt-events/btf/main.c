// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: markers on tracepoints that BTF describes: follows the tracepoints of modules.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "ltt-btf.h"

/* See ltt-btf.h. */
DEFINE_MUTEX(ltt_btf_mutex);

/* Tracepoints in modules, and their lock. */
static LIST_HEAD(tracepoints);
static DEFINE_MUTEX(tracepoints_mutex);

/* Of the last of them. */
static unsigned long last_number;

/* No automatic markers any more; protected by ltt_btf_mutex. */
static bool closing;

/* ---- tracepoints by name ------------------------------------------------------------ */

struct wanted {
	const char *name;
	struct tracepoint *found;
};

static void compare(struct tracepoint *tracepoint, void *priv)
{
	struct wanted *wanted = priv;

	if (!strcmp(tracepoint->name, wanted->name))
		wanted->found = tracepoint;
}

/**
 * ltt_btf_find_tracepoint() - look for a tracepoint
 * @name:	its name
 * @module:	receives the name of its module, nothing if that is the kernel's image;
 *		may be NULL
 * @number:	receives a number that no other tracepoint of this name has or had, 0 for
 *		the kernel's image
 *
 * Context: task, may sleep. Who does not hold ltt_btf_mutex must not use the tracepoint
 * of a module.
 * Return: the tracepoint, the first one if modules have several of this name; NULL.
 */
struct tracepoint *ltt_btf_find_tracepoint(const char *name, char module[MODULE_NAME_LEN],
					   unsigned long *number)
{
	struct wanted wanted = { .name = name };
	struct ltt_btf_tracepoint *it;

	*number = 0;
	for_each_kernel_tracepoint(compare, &wanted);
	if (wanted.found)
		return wanted.found;
	mutex_lock(&tracepoints_mutex);
	list_for_each_entry(it, &tracepoints, node) {
		if (strcmp(it->tracepoint->name, name))
			continue;
		wanted.found = it->tracepoint;
		*number = it->number;
		if (module)
			strscpy(module, it->module->name, MODULE_NAME_LEN);
		break;
	}
	mutex_unlock(&tracepoints_mutex);
	return wanted.found;
}

/* ---- modules ------------------------------------------------------------------------ */

static void note(struct module *module, struct tracepoint *tracepoint)
{
	struct ltt_btf_tracepoint *it = kzalloc(sizeof(*it), GFP_KERNEL);

	/* The kernel reports that there is no memory. */
	if (!it)
		return;
	it->tracepoint = tracepoint;
	it->module = module;
	mutex_lock(&tracepoints_mutex);
	it->number = ++last_number;
	list_add_tail(&it->node, &tracepoints);
	mutex_unlock(&tracepoints_mutex);
	ltt_btf_defined_come(it);
}

static void module_comes(struct module *module)
{
	unsigned int i;

	for (i = 0; i < module->num_tracepoints; i++)
		note(module, tracepoint_ptr_deref(&module->tracepoints_ptrs[i]));
	if (!closing)
		ltt_btf_automatic_module(module);
}

static void module_goes(const struct module *module)
{
	struct ltt_btf_tracepoint *it, *next;
	bool any;

	any = ltt_btf_defined_go(module);
	any |= ltt_btf_automatic_remove(module);
	if (any)
		tracepoint_synchronize_unregister();
	ltt_btf_automatic_free(module);
	mutex_lock(&tracepoints_mutex);
	list_for_each_entry_safe(it, next, &tracepoints, node) {
		if (it->module != module)
			continue;
		list_del(&it->node);
		kfree(it);
	}
	mutex_unlock(&tracepoints_mutex);
}

static int tracepoints_change(struct notifier_block *nb, unsigned long action, void *data)
{
	struct tp_module *tp_module = data;

	mutex_lock(&ltt_btf_mutex);
	if (action == MODULE_STATE_COMING)
		module_comes(tp_module->mod);
	else if (action == MODULE_STATE_GOING)
		module_goes(tp_module->mod);
	mutex_unlock(&ltt_btf_mutex);
	return NOTIFY_OK;
}

/* After the modules that make markers of the tracepoints' headers. */
static struct notifier_block tracepoints_nb = {
	.notifier_call = tracepoints_change,
	.priority = INT_MIN,
};

/* One of our own modules may have made markers of tracepoints. */
static int modules_change(struct notifier_block *nb, unsigned long action, void *data)
{
	const struct module *module = data;

	if ((action != MODULE_STATE_LIVE && action != MODULE_STATE_GOING) ||
	    module == THIS_MODULE || strncmp(module->name, "ltt_", 4))
		return NOTIFY_DONE;
	mutex_lock(&ltt_btf_mutex);
	if (!closing)
		ltt_btf_automatic_review();
	mutex_unlock(&ltt_btf_mutex);
	return NOTIFY_OK;
}

/* After that of ltt-core, which forgets the markers of a module that goes. */
static struct notifier_block modules_nb = {
	.notifier_call = modules_change,
	.priority = INT_MIN,
};

/* ---- start and end -------------------------------------------------------------------- */

static void no_automatic_markers(void)
{
	mutex_lock(&ltt_btf_mutex);
	closing = true;
	if (ltt_btf_automatic_remove(NULL))
		tracepoint_synchronize_unregister();
	ltt_btf_automatic_free(NULL);
	mutex_unlock(&ltt_btf_mutex);
}

static int __init ltt_btf_init(void)
{
	const struct ltt_btf *btf;
	int err;

	err = ltt_btf_kernel_get(&btf);
	if (err) {
		pr_err("cannot read the kernel's BTF (%pe)\n", ERR_PTR(err));
		return err;
	}
	mutex_lock(&ltt_btf_mutex);
	err = ltt_btf_automatic_kernel(btf);
	mutex_unlock(&ltt_btf_mutex);
	if (err)
		goto put;
	/* Tells about the modules that are there. */
	err = register_tracepoint_module_notifier(&tracepoints_nb);
	if (err)
		goto remove;
	err = register_module_notifier(&modules_nb);
	if (err)
		goto unregister;
	ltt_kprobes_set_tracepoints(&ltt_btf_ops);
	ltt_btf_kernel_put();
	return 0;

unregister:
	no_automatic_markers();
	unregister_tracepoint_module_notifier(&tracepoints_nb);
remove:
	no_automatic_markers();
put:
	ltt_btf_kernel_put();
	return err;
}

static void __exit ltt_btf_exit(void)
{
	unregister_module_notifier(&modules_nb);
	ltt_kprobes_set_tracepoints(NULL);
	no_automatic_markers();
	/* Says that the modules that are there go. */
	unregister_tracepoint_module_notifier(&tracepoints_nb);
}

module_init(ltt_btf_init);
module_exit(ltt_btf_exit);

MODULE_DESCRIPTION("LTT: markers on all tracepoints, through BTF");
MODULE_LICENSE("GPL");
MODULE_SOFTDEP("pre: ltt-tracepoints");
