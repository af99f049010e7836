// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: markers on tracepoints that were defined through dynamic_markers.
 *
 * A definition is compiled when it is made, with the BTF of then. If its tracepoint is
 * in a module, it waits when the module goes, and is compiled again when a tracepoint
 * of that name comes: the module may be another one by now, and its structures may
 * have changed. What the marker looks like cannot change.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/ltt/format.h>
#include <linux/ltt/trace.h>

#include "ltt-btf.h"

/* Definitions on tracepoints; protected by ltt_btf_mutex. */
static LIST_HEAD(definitions);

/* ---- an event ------------------------------------------------------------------- */

/* Most events of a context that are put together at the same time, see below. */
#define NESTED	2

/* How many there are in a task, softirq, interrupt, NMI, on each CPU. */
struct depth {
	u8 of[4];
};

static DEFINE_PER_CPU(struct depth, depths);

/**
 * ltt_btf_defined_record() - the tracepoint of a definition was met
 * @data:	struct ltt_kprobe
 * @values:	the tracepoint's arguments
 *
 * Memory that cannot be read makes a fault, and there are tracepoints in the handling of
 * faults: one that does so for each event of its own would never end. So what comes
 * again in the same context is missed, from the third on: an interrupt may be met
 * before it counts as one.
 *
 * Context: any, NMI included.
 */
notrace void ltt_btf_defined_record(void *data, const unsigned long *values)
{
	char room[LTT_BTF_ROOM] __aligned(8);
	struct ltt_arg args[LTT_KPROBE_ARGS];
	struct ltt_kprobe *probe = data;
	const struct ltt_kprobe_def *def = probe->def;
	const struct ltt_fetch *arg;
	unsigned int i;
	u8 *depth;

	preempt_disable_notrace();
	this_cpu_inc(probe->count->hits);
	depth = &this_cpu_ptr(&depths)->of[interrupt_context_level()];
	if (unlikely(*depth == NESTED)) {
		this_cpu_inc(probe->count->missed);
		goto out;
	}
	++*depth;
	barrier();	/* A: depth counts this event before memory is read; pairs with B */
	for (i = 0; i < def->nr_args; i++) {
		arg = &def->arg[i];
		ltt_fetch_from(arg, values[arg->where], room + arg->at, &args[i]);
	}
	ltt_marker_record(&probe->marker, args);
	barrier();	/* B: and no memory is read when it does no more; pairs with A */
	--*depth;
out:
	preempt_enable_notrace();
}

/* How many arguments the tracepoint has; from the definition's own parser. */
static void *probe_of(const struct ltt_kprobe *probe)
{
	return ltt_btf_defined_probe[probe->def->offset];
}

static int attach(struct ltt_kprobe *probe)
{
	return tracepoint_probe_register(probe->tracepoint, probe_of(probe), probe);
}

static void detach(struct ltt_kprobe *probe)
{
	tracepoint_probe_unregister(probe->tracepoint, probe_of(probe), probe);
}

/* ---- a definition is parsed ------------------------------------------------------ */

/* What a parser needs of the tracepoint. */
struct opened {
	struct ltt_btf_source source;
	struct ltt_btf_event event;
};

static int explain(struct ltt_kprobe_parser *ps, int err, bool module)
{
	const char *at = ps->line + ps->def->column - 1;

	switch (err) {
	case -ENOENT:
		return ltt_kprobe_refuse(ps, at, err, module ?
					 "the tracepoint's module has no BTF for it" :
					 "the kernel has no BTF for this tracepoint");
	case -E2BIG:
		return ltt_kprobe_refuse(ps, at, err,
					 "the tracepoint has more than %u arguments",
					 LTT_BTF_PARAMS);
	case -EOPNOTSUPP:
		return ltt_kprobe_refuse(ps, at, err,
					 "the tracepoint has an argument that is a structure passed by value");
	case -EBADMSG:
		return ltt_kprobe_refuse(ps, at, err, "invalid BTF");
	case -ENOMEM:
		return ltt_kprobe_refuse(ps, at, err, "out of memory");
	default:
		return ltt_kprobe_refuse(ps, at, err, "cannot read BTF");
	}
}

/*
 * A definition on a tracepoint has no place in code. In what describes that, its
 * tracepoint's number and number of arguments are remembered.
 */
static int open_tracepoint(struct ltt_kprobe_parser *ps)
{
	struct ltt_kprobe_def *def = ps->def;
	char module[MODULE_NAME_LEN] = "";
	struct opened *opened;
	int err;

	if (!ltt_btf_find_tracepoint(def->symbol, module, &def->addr))
		return ltt_kprobe_refuse(ps, ps->line + def->column - 1, -ENOENT,
					 "no such tracepoint");
	opened = kmalloc(sizeof(*opened), GFP_KERNEL);
	if (!opened)
		return explain(ps, -ENOMEM, false);
	err = ltt_btf_source_open(&opened->source, *module ? module : NULL);
	if (err)
		goto free;
	err = ltt_btf_find_event(opened->source.btf, def->symbol, &opened->event);
	if (err) {
		ltt_btf_source_close(&opened->source);
		goto free;
	}
	def->offset = opened->event.nr;
	ps->priv = opened;
	return 0;

free:
	kfree(opened);
	return explain(ps, err, *module);
}

static int parse_arg(struct ltt_kprobe_parser *ps, struct ltt_fetch *arg)
{
	struct opened *opened = ps->priv;

	return ltt_btf_parse_arg(ps, &opened->event, arg);
}

static int parse_rest(struct ltt_kprobe_parser *ps)
{
	struct opened *opened = ps->priv;

	return ltt_btf_parse_rest(ps, &opened->event);
}

static void close_tracepoint(struct ltt_kprobe_parser *ps)
{
	struct opened *opened = ps->priv;

	ltt_btf_source_close(&opened->source);
	kfree(opened);
}

/* ---- a definition begins and ends ------------------------------------------------ */

static int create(struct ltt_kprobe *probe)
{
	struct tracepoint *tracepoint;
	unsigned long number;
	int err = -ENOENT;

	mutex_lock(&ltt_btf_mutex);
	tracepoint = ltt_btf_find_tracepoint(probe->def->symbol, NULL, &number);
	/* Not another one that was added since the definition was parsed. */
	if (tracepoint && number == probe->def->addr)
		err = ltt_kprobe_found(probe, tracepoint);
	if (!err)
		list_add_tail(&probe->tracepoints, &definitions);
	mutex_unlock(&ltt_btf_mutex);
	return err;
}

static void destroy(struct ltt_kprobe *probe)
{
	mutex_lock(&ltt_btf_mutex);
	list_del(&probe->tracepoints);
	mutex_unlock(&ltt_btf_mutex);
}

const struct ltt_tracepoint_ops ltt_btf_ops = {
	.owner = THIS_MODULE,
	.parser = {
		.open = open_tracepoint,
		.arg = parse_arg,
		.rest = parse_rest,
		.close = close_tracepoint,
	},
	.create = create,
	.destroy = destroy,
	.attach = attach,
	.detach = detach,
};

/* ---- modules ---------------------------------------------------------------------- */

/* Does it make the events that the marker makes? */
static bool same_events(const struct ltt_kprobe *probe, const struct ltt_kprobe_def *def)
{
	u32 types[LTT_KPROBE_ARGS];
	bool same = false;
	unsigned int nr;
	int len;
	char *text;

	nr = ltt_kprobe_types(def, types);
	if (nr != probe->marker.nr_args || memcmp(types, probe->types, nr * sizeof(types[0])))
		return false;
	len = ltt_kprobe_format(def, NULL, 0);
	text = kmalloc(len + 1, GFP_KERNEL);
	if (text) {
		ltt_kprobe_format(def, text, len + 1);
		same = !strcmp(text, probe->format);
	}
	kfree(text);
	return same;
}

/* The programs as they are now, for the tracepoint @number; nobody runs them. */
static int compile_again(struct ltt_kprobe *probe, unsigned long number,
			 struct ltt_kprobe_error *error)
{
	struct ltt_kprobe_def *def;
	int err;

	err = ltt_kprobe_parse(probe->text, &def, error);
	if (err)
		return err;
	if (def->addr != number) {
		err = -EEXIST;
		snprintf(error->text, sizeof(error->text), "a different tracepoint has this name now");
	} else if (same_events(probe, def)) {
		ltt_fetch_layout(def);
		memcpy(probe->def->arg, def->arg, sizeof(def->arg));
		probe->def->addr = def->addr;
		probe->def->offset = def->offset;
	} else {
		err = -EINVAL;
		snprintf(error->text, sizeof(error->text), "the fields of its events have changed");
	}
	ltt_kprobe_def_free(def);
	return err;
}

/**
 * ltt_btf_defined_come() - a tracepoint was added with its module
 * @it:		the tracepoint
 *
 * Context: task, may sleep; ltt_btf_mutex is held.
 */
void ltt_btf_defined_come(const struct ltt_btf_tracepoint *it)
{
	struct ltt_kprobe_error error;
	struct ltt_kprobe *probe;
	int err;

	list_for_each_entry(probe, &definitions, tracepoints) {
		if (probe->tracepoint || strcmp(probe->def->symbol, it->tracepoint->name))
			continue;
		strscpy(error.text, "cannot register the probe", sizeof(error.text));
		err = compile_again(probe, it->number, &error);
		if (!err)
			err = ltt_kprobe_found(probe, it->tracepoint);
		if (err)
			ltt_log_error(NULL, "dynamic_markers: %s/%s: not recorded after loading module %s: %s (%pe)",
				      probe->def->channel, probe->def->name,
				      it->module->name, error.text, ERR_PTR(err));
	}
}

/**
 * ltt_btf_defined_go() - the tracepoints of a module go
 * @module:	the module
 *
 * Context: task, may sleep; ltt_btf_mutex is held.
 * Return: whether any was ever attached: probes may be running.
 */
bool ltt_btf_defined_go(const struct module *module)
{
	struct ltt_kprobe *probe;
	bool any = false;

	list_for_each_entry(probe, &definitions, tracepoints) {
		if (!probe->tracepoint ||
		    !within_module((unsigned long)probe->tracepoint, module))
			continue;
		any |= ltt_kprobe_lost(probe);
	}
	return any;
}

/**
 * ltt_btf_is_defined() - is a marker that of a definition?
 * @marker:	the marker
 *
 * Context: task; ltt_btf_mutex is held.
 */
bool ltt_btf_is_defined(const struct ltt_marker *marker)
{
	const struct ltt_kprobe *probe;

	list_for_each_entry(probe, &definitions, tracepoints) {
		if (&probe->marker == marker)
			return true;
	}
	return false;
}
