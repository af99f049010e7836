// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: a marker for every tracepoint that BTF describes and that no other marker is made
 * of: its arguments as integers and addresses, under the names they have in the kernel.
 *
 * A tracepoint is another marker's if there is one of the same channel and name that was
 * not defined through dynamic_markers: such a marker comes from the kernel's headers,
 * and knows more. Those may come later, and go; then it is looked at again.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bsearch.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/ltt/channel.h>
#include <linux/ltt/event.h>
#include <linux/ltt/trace.h>

#include "ltt-btf.h"

/**
 * struct automatic - a tracepoint that could be a marker
 * @marker:	the marker
 * @registered:	it is one
 * @refused:	it cannot be one; the log says why
 * @nr:		arguments
 * @tracepoint:	the tracepoint
 * @module:	its module, NULL for the kernel's image
 * @node:	in the list of them
 * @types:	of @marker; behind them its channel, name and format
 */
struct automatic {
	struct ltt_marker marker;
	bool registered;
	bool refused;
	unsigned int nr;
	struct tracepoint *tracepoint;
	const struct module *module;
	struct list_head node;
	u32 types[];
};

/* Protected by ltt_btf_mutex. */
static LIST_HEAD(automatics);

/* A tracepoint, and what BTF has of it. */
struct candidate {
	struct tracepoint *tracepoint;
	u32 function;
	u32 type;
};

struct candidates {
	unsigned int nr;
	unsigned int room;
	struct candidate *candidate;
};

/* ---- an event ------------------------------------------------------------------- */

/**
 * ltt_btf_automatic_record() - a tracepoint was met
 * @data:	struct automatic
 * @values:	the tracepoint's arguments
 *
 * Context: any, NMI included.
 */
notrace void ltt_btf_automatic_record(void *data, const unsigned long *values)
{
	struct ltt_arg args[LTT_BTF_PARAMS];
	const struct automatic *it = data;
	unsigned int i;

	for (i = 0; i < it->nr; i++)
		args[i].value = values[i];
	ltt_marker_record(&it->marker, args);
}

static int connect(struct ltt_marker *marker)
{
	struct automatic *it = container_of(marker, struct automatic, marker);

	return tracepoint_probe_register(it->tracepoint, ltt_btf_automatic_probe[it->nr], it);
}

static void disconnect(struct ltt_marker *marker)
{
	struct automatic *it = container_of(marker, struct automatic, marker);

	tracepoint_probe_unregister(it->tracepoint, ltt_btf_automatic_probe[it->nr], it);
}

/* ---- is it a marker, or somebody else's? ------------------------------------------ */

static bool somebody_elses(const struct automatic *it)
{
	const struct ltt_channel *channel;
	const struct ltt_marker *marker;
	const struct ltt_event *event;
	bool found = false;

	mutex_lock(&ltt_mutex);
	list_for_each_entry(channel, &ltt_channels, node) {
		if (strcmp(channel->name, it->marker.channel))
			continue;
		list_for_each_entry(event, &channel->events, node) {
			if (strcmp(event->name, it->marker.name))
				continue;
			list_for_each_entry(marker, &event->markers, node) {
				if (marker != &it->marker && !ltt_btf_is_defined(marker))
					found = true;
			}
		}
	}
	mutex_unlock(&ltt_mutex);
	return found;
}

/* Return: whether its tracepoint may be calling it. */
static bool unregister(struct automatic *it)
{
	bool hooked = it->registered && ltt_marker_unregister_nosync(&it->marker);

	it->registered = false;
	return hooked;
}

/* Return: whether it is no marker any more, and its tracepoint may be calling it. */
static bool review(struct automatic *it)
{
	bool elses = somebody_elses(it);

	if (it->registered && elses)
		return unregister(it);
	if (!it->registered && !elses && !it->refused) {
		it->registered = !ltt_marker_register(&it->marker, THIS_MODULE);
		it->refused = !it->registered;
	}
	return false;
}

/**
 * ltt_btf_automatic_review() - other markers were added or removed
 *
 * Context: task, waits for a grace period; ltt_btf_mutex is held.
 */
void ltt_btf_automatic_review(void)
{
	struct automatic *it;
	bool any = false;

	list_for_each_entry(it, &automatics, node)
		any |= review(it);
	if (any)
		tracepoint_synchronize_unregister();
}

/* ---- a marker is made of a tracepoint ---------------------------------------------- */

/* All arguments as they are, into @def, which was free of arguments. */
static int describe(const struct ltt_btf *btf, const struct candidate *candidate,
		    struct ltt_kprobe_def *def)
{
	struct ltt_btf_event event;
	unsigned int i;
	int err;

	err = ltt_btf_event_of(btf, candidate->function ?: candidate->type, &event);
	for (i = 0; !err && i < event.nr; i++)
		err = ltt_btf_param(&event, i, &def->arg[def->nr_args++]);
	return err;
}

static struct automatic *make(const struct ltt_kprobe_def *def, const char *channel,
			      struct tracepoint *tracepoint)
{
	size_t format = ltt_kprobe_format(def, NULL, 0) + 1;
	size_t name = strlen(tracepoint->name) + 1, len = strlen(channel) + 1;
	u32 types[LTT_KPROBE_ARGS];
	unsigned int nr = ltt_kprobe_types(def, types);
	struct automatic *it;
	char *text;

	it = kzalloc(struct_size(it, types, nr) + format + name + len, GFP_KERNEL);
	if (!it)
		return NULL;
	memcpy(it->types, types, nr * sizeof(types[0]));
	text = (char *)&it->types[nr];
	it->marker = (struct ltt_marker) {
		.key = STATIC_KEY_FALSE_INIT,
		.magic = LTT_MARKER_MAGIC,
		.nr_args = nr,
		.self = &it->marker,
		.channel = memcpy(text, channel, len),
		.name = memcpy(text + len, tracepoint->name, name),
		.format = text + len + name,
		.types = it->types,
		.connect = connect,
		.disconnect = disconnect,
	};
	/* Systems are free in their names, channels are not. */
	strreplace(text, '-', '_');
	ltt_kprobe_format(def, text + len + name, format);
	it->nr = nr;
	it->tracepoint = tracepoint;
	return it;
}

/* Only what is there for lack of memory is worth a word; more has no marker. */
static void add(const struct ltt_btf *btf, const struct candidate *candidate,
		const char *channel, const struct module *module, struct ltt_kprobe_def *def)
{
	struct automatic *it;

	memset(def, 0, sizeof(*def));
	def->kind = 't';
	if (describe(btf, candidate, def))
		return;
	it = make(def, channel, candidate->tracepoint);
	if (!it) {
		pr_warn("no marker for tracepoint %s: out of memory\n",
			candidate->tracepoint->name);
		return;
	}
	it->module = module;
	list_add_tail(&it->node, &automatics);
	review(it);
}

/* ---- tracepoints in BTF ------------------------------------------------------------ */

static int by_name(const void *a, const void *b)
{
	const struct candidate *candidate_a = a, *candidate_b = b;

	return strcmp(candidate_a->tracepoint->name, candidate_b->tracepoint->name);
}

static int compare_name(const void *name, const void *candidate)
{
	return strcmp(name, ((const struct candidate *)candidate)->tracepoint->name);
}

/* The candidate whose name follows @prefix in @text. */
static struct candidate *find(const struct candidates *all, const char *text,
			      const char *prefix)
{
	size_t len = strlen(prefix);

	if (strncmp(text, prefix, len))
		return NULL;
	return bsearch(text + len, all->candidate, all->nr, sizeof(*all->candidate),
		       compare_name);
}

static void look_up(struct candidates *all, const struct ltt_btf *btf)
{
	const struct btf_type *type;
	struct candidate *candidate;
	const char *text;
	u32 id;

	sort(all->candidate, all->nr, sizeof(*all->candidate), by_name, NULL);
	for (id = btf->first_id; id < ltt_btf_end(btf); id++) {
		type = ltt_btf_type(btf, id);
		text = ltt_btf_name(btf, type->name_off);
		if (BTF_INFO_KIND(type->info) == BTF_KIND_FUNC) {
			candidate = find(all, text, LTT_BTF_FUNCTION);
			if (candidate)
				candidate->function = id;
		} else if (BTF_INFO_KIND(type->info) == BTF_KIND_TYPEDEF) {
			candidate = find(all, text, LTT_BTF_TYPEDEF);
			if (candidate)
				candidate->type = id;
		}
	}
}

/* ---- of the kernel's image, and of modules ------------------------------------------ */

static void count(struct tracepoint *tracepoint, void *priv)
{
	unsigned int *nr = priv;

	++*nr;
}

static void note(struct tracepoint *tracepoint, void *priv)
{
	struct candidates *all = priv;

	if (all->nr < all->room)
		all->candidate[all->nr++].tracepoint = tracepoint;
}

/**
 * ltt_btf_automatic_kernel() - make markers of the tracepoints of the kernel's image
 * @btf:	the kernel's BTF
 *
 * Context: task, may sleep; ltt_btf_mutex is held.
 * Return: 0 or -ENOMEM.
 */
int ltt_btf_automatic_kernel(const struct ltt_btf *btf)
{
	struct ltt_btf_systems *systems;
	struct candidates all = { };
	const struct candidate *it;
	struct ltt_kprobe_def *def;
	int err = -ENOMEM;

	for_each_kernel_tracepoint(count, &all.room);
	all.candidate = kvcalloc(all.room ?: 1, sizeof(*all.candidate), GFP_KERNEL);
	def = kmalloc(sizeof(*def), GFP_KERNEL);
	if (!all.candidate || !def)
		goto free;
	for_each_kernel_tracepoint(note, &all);
	look_up(&all, btf);
	systems = ltt_btf_systems_read();
	if (IS_ERR(systems))
		pr_warn("cannot tell which systems tracepoints belong to (%pe): all are in channel "
			LTT_TRACEPOINT_CHANNEL "\n", systems);
	for (it = all.candidate; it < all.candidate + all.nr; it++) {
		if (it->function || it->type)
			add(btf, it, ltt_btf_system(systems, it->tracepoint), NULL, def);
	}
	ltt_btf_systems_free(systems);
	err = 0;
free:
	kfree(def);
	kvfree(all.candidate);
	return err;
}

static void module_candidates(struct module *module, const struct ltt_btf *btf)
{
	struct candidates all = { .room = module->num_tracepoints };
	struct ltt_kprobe_def *def;
	struct candidate *it;
	unsigned int i;

	all.candidate = kvcalloc(all.room, sizeof(*all.candidate), GFP_KERNEL);
	def = kmalloc(sizeof(*def), GFP_KERNEL);
	if (!all.candidate || !def) {
		pr_warn("no markers for the tracepoints of module %s: out of memory\n",
			module->name);
		goto free;
	}
	for (i = 0; i < module->num_tracepoints; i++)
		note(tracepoint_ptr_deref(&module->tracepoints_ptrs[i]), &all);
	look_up(&all, btf);
	for (it = all.candidate; it < all.candidate + all.nr; it++) {
		if (it->function || it->type)
			add(btf, it, ltt_btf_module_system(module, it->tracepoint), module, def);
	}
free:
	kfree(def);
	kvfree(all.candidate);
}

/**
 * ltt_btf_automatic_module() - make markers of the tracepoints of a module
 * @module:	the module, which has some
 *
 * A module without BTF has none.
 *
 * Context: task, may sleep; ltt_btf_mutex is held.
 */
void ltt_btf_automatic_module(struct module *module)
{
	struct ltt_btf_source source;
	int err;

	err = ltt_btf_source_open(&source, module->name);
	if (!err) {
		module_candidates(module, source.btf);
		ltt_btf_source_close(&source);
	} else if (err != -ENOENT) {
		pr_warn("no markers for the tracepoints of module %s: cannot read BTF (%pe)\n",
			module->name, ERR_PTR(err));
	}
}

/**
 * ltt_btf_automatic_remove() - automatic markers are none any more
 * @module:	those of this module, or all if it is NULL
 *
 * Context: task, may sleep; ltt_btf_mutex is held.
 * Return: whether any was ever connected: probes may be running until
 * tracepoint_synchronize_unregister() has returned, and ltt_btf_automatic_free() may be
 * called only then.
 */
bool ltt_btf_automatic_remove(const struct module *module)
{
	struct automatic *it;
	bool any = false;

	list_for_each_entry(it, &automatics, node) {
		if (module && it->module != module)
			continue;
		any |= unregister(it);
	}
	return any;
}

/**
 * ltt_btf_automatic_free() - forget automatic markers
 * @module:	as for ltt_btf_automatic_remove()
 *
 * Context: task; ltt_btf_mutex is held.
 */
void ltt_btf_automatic_free(const struct module *module)
{
	struct automatic *it, *next;

	list_for_each_entry_safe(it, next, &automatics, node) {
		if (module && it->module != module)
			continue;
		list_del(&it->node);
		kfree(it);
	}
}
