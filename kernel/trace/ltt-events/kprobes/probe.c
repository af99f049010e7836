// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: a definition's probe, and its marker.
 *
 * The probe is registered, disabled, when it is defined, so that a place where there
 * can be none is refused. Traces that want the marker enable it. A probe in a
 * module goes with the module and is registered again when that comes back.
 *
 * The end comes to many at once (struct ltt_kprobe_batch), in three steps: their markers are
 * unregistered, which disables the probes; then the probes, all together, which waits for
 * the handlers, and for the callers of tracepoints; then they are freed. The list's mutex
 * is held in the first step only: the module notifier takes it, and loading a module must
 * not wait for a grace period of RCU for each probe.
 */

#include <linux/err.h>
#include <linux/export.h>
#include <linux/kallsyms.h>
#include <linux/ltt/channel.h>
#include <linux/ltt/trace.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "../dynamic/file.h"
#include "probe.h"

static_assert(LTT_KPROBE_NAME_MAX == LTT_NAME_MAX);

/* See struct ltt_kprobe. */
static DEFINE_MUTEX(probe_mutex);

/* Stays as long as there are definitions on tracepoints; protected by the list's mutex. */
static const struct ltt_tracepoint_ops *tracepoint_ops;

/* ---- handlers ----------------------------------------------------------------- */

/*
 * Kprobes keep handlers of one CPU from nesting. Should they ever, whoever comes
 * second is counted as missed.
 */
static void record(struct ltt_kprobe *probe, struct pt_regs *regs, unsigned long from)
{
	const struct ltt_kprobe_def *def = probe->def;
	unsigned int fixed = LTT_KPROBE_FIXED;
	struct ltt_arg args[LTT_KPROBE_ARGS];
	struct ltt_scratch *scratch;

	preempt_disable_notrace();
	this_cpu_inc(probe->count->hits);
	/*
	 * Where RCU is not watching, events may be out of order. For a part of the time when a
	 * CPU is not online, RCU takes no notice of it although rcu_is_watching() says it would:
	 * all of that time is left out.
	 */
	if (unlikely(!rcu_is_watching() || !cpu_online(smp_processor_id()))) {
		this_cpu_inc(probe->count->missed);
		goto out;
	}
	scratch = this_cpu_ptr(ltt_scratch);
	if (unlikely(scratch->depth)) {
		this_cpu_inc(probe->count->missed);
		goto out;
	}
	scratch->depth = 1;
	barrier();	/* A: an interrupt sees depth before room is used; pairs with B */
	args[0].ptr = probe->rp.kp.addr;
	if (def->kind == 'r') {
		args[1].value = from;
		fixed = LTT_KRETPROBE_FIXED;
	}
	ltt_fetch(def, regs, scratch->room, args + fixed);
	ltt_marker_record(&probe->marker, args);
	barrier();	/* B: and room is used no more when depth is 0; pairs with A */
	scratch->depth = 0;
out:
	preempt_enable_notrace();
}

NOKPROBE_SYMBOL(record);

static int entry_handler(struct kprobe *kp, struct pt_regs *regs)
{
	record(container_of(kp, struct ltt_kprobe, rp.kp), regs, 0);
	return 0;
}

NOKPROBE_SYMBOL(entry_handler);

static int return_handler(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(instance);

	if (likely(rp)) {
		/* Of several return probes, only the first has the real address. */
		record(container_of(rp, struct ltt_kprobe, rp), regs,
		       instruction_pointer(regs));
	}
	return 0;
}

NOKPROBE_SYMBOL(return_handler);

/* ---- the probe ---------------------------------------------------------------- */

/*
 * Address of a symbol of any kind, 0 if there is none. The table of symbols is not
 * for modules, but kprobes look into it, and tell what they find before they
 * find that it is no code.
 */
static unsigned long symbol_address(const struct module *coming, const char *symbol)
{
	struct kprobe kp = { .symbol_name = symbol, .flags = KPROBE_FLAG_DISABLED };
	char name[KSYM_SYMBOL_LEN], *plus;
	unsigned long addr, offset;

	if (ltt_kprobe_unsafe(coming, symbol, 0, 0))
		return 0;
	if (!register_kprobe(&kp))
		unregister_kprobe(&kp);
	addr = (unsigned long)kp.addr;
	if (!(kp.flags & KPROBE_FLAG_ON_FUNC_ENTRY))
		return addr;
	/* The probe may be after an instruction that marks the entry. */
	sprint_symbol(name, addr);
	plus = strrchr(name, '+');
	return plus && sscanf(plus, "+0x%lx/", &offset) == 1 ? addr - offset : addr;
}

/* Symbols in arguments; they may be in a module, and change when it is loaded again. */
static const struct ltt_fetch *resolve(struct ltt_kprobe_def *def, const struct module *coming)
{
	const struct ltt_fetch *missing = NULL;
	struct ltt_fetch *arg;

	for (arg = def->arg; arg < def->arg + def->nr_args; arg++) {
		if (arg->from != LTT_FROM_SYMBOL)
			continue;
		arg->where = symbol_address(coming, arg->symbol);
		if (!arg->where && !missing)
			missing = arg;
	}
	return missing;
}

/* The probe is not there any more, or about to be unregistered. */
static void forget(struct ltt_kprobe *probe)
{
	probe->there = false;
	probe->missed += probe->rp.kp.nmissed + probe->rp.nmissed;
	probe->rp.kp.nmissed = 0;
	probe->rp.nmissed = 0;
}

static void unregister(struct ltt_kprobe *probe)
{
	if (probe->def->kind == 'r')
		unregister_kretprobe(&probe->rp);
	else
		unregister_kprobe(&probe->rp.kp);
	forget(probe);
}

/*
 * Unregister those of a kind that are there, or, if @gone, those that kprobes have given up;
 * with one wait for the handlers of all.
 */
static void unregister_kind(struct list_head *probes, bool gone, bool returns)
{
	void *few[16], **all, **together;
	struct ltt_kprobe *probe;
	size_t room = 0, nr = 0;

	list_for_each_entry(probe, probes, node)
		room++;
	all = kvmalloc_array(room, sizeof(*all), GFP_KERNEL);
	if (!all)
		room = ARRAY_SIZE(few);
	together = all ?: few;

	list_for_each_entry(probe, probes, node) {
		if (probe->there && probe->def->kind == (returns ? 'r' : 'p') &&
		    (!gone || kprobe_gone(&probe->rp.kp))) {
			forget(probe);
			together[nr++] = returns ? (void *)&probe->rp : &probe->rp.kp;
		}
		if (!nr || (nr < room && !list_is_last(&probe->node, probes)))
			continue;
		if (returns)
			unregister_kretprobes((struct kretprobe **)together, nr);
		else
			unregister_kprobes((struct kprobe **)together, nr);
		nr = 0;
	}
	kvfree(all);
}

/*
 * -ESRCH: $argN, but this is not the function's entry. -EFAULT: the kernel might crash.
 * @coming is a module that is being loaded, or NULL.
 */
static int register_probe(struct ltt_kprobe *probe, const struct module *coming)
{
	const struct ltt_kprobe_def *def = probe->def;
	struct kprobe *kp = &probe->rp.kp;
	unsigned int i;
	int err;

	lockdep_assert_held(&probe_mutex);
	if (ltt_kprobe_unsafe(coming, def->symbol, def->addr, def->offset))
		return -EFAULT;
	memset(&probe->rp, 0, sizeof(probe->rp));
	kp->symbol_name = def->symbol;
	kp->offset = def->offset;
	kp->addr = (kprobe_opcode_t *)def->addr;
	kp->flags = probe->wanted ? 0 : KPROBE_FLAG_DISABLED;
	if (def->kind == 'r') {
		probe->rp.handler = return_handler;
		probe->rp.maxactive = def->maxactive;
		err = register_kretprobe(&probe->rp);
	} else {
		kp->pre_handler = entry_handler;
		err = register_kprobe(kp);
	}
	if (err)
		return err;
	probe->there = true;
	for (i = 0; i < def->nr_args; i++) {
		if (def->arg[i].from == LTT_FROM_ARG &&
		    !(kp->flags & KPROBE_FLAG_ON_FUNC_ENTRY)) {
			unregister(probe);
			return -ESRCH;
		}
	}
	return 0;
}

__printf(4, 5)
static int refuse(struct ltt_kprobe_error *error, unsigned int column, int err,
		  const char *fmt, ...)
{
	va_list args;

	error->column = column;
	va_start(args, fmt);
	vsnprintf(error->text, sizeof(error->text), fmt, args);
	va_end(args);
	return err;
}

/* The kernel's reason for refusing a probe, for the user. */
static int explain(const struct ltt_kprobe_def *def, int err, struct ltt_kprobe_error *error)
{
	switch (err) {
	case -ENOENT:
		return refuse(error, def->column, err, def->symbol ? "no such function" :
			      "no function at this address");
	case -EILSEQ:
		return refuse(error, def->column, -EINVAL,
			      "not at the start of an instruction");
	case -ESRCH:
		return refuse(error, def->column, -EINVAL,
			      "$argN is only available on a function's entry");
	case -EINVAL:
		return refuse(error, def->column, -EPERM, "the kernel does not allow a probe here");
	case -EFAULT:
		return refuse(error, def->column, -EPERM,
			      "the kernel would read past the end of the module's code here");
	case -ENOMEM:
		return refuse(error, def->column, err, "out of memory");
	default:
		return refuse(error, def->column, err, "cannot register the probe");
	}
}

/* The first time. A probe in a module that is not there yet waits for it. */
static int define(struct ltt_kprobe *probe, struct ltt_kprobe_error *error)
{
	const struct ltt_fetch *missing = resolve(probe->def, NULL);
	const struct ltt_kprobe_def *def = probe->def;
	int err;

	err = register_probe(probe, NULL);
	if (err == -ENOENT && def->module && !ltt_kprobe_module_loaded(def->module))
		return 0;
	if (err)
		return explain(def, err, error);
	if (missing) {
		unregister(probe);
		return refuse(error, missing->column, -ENOENT, "no such symbol");
	}
	return 0;
}

static int define_tracepoint(struct ltt_kprobe *probe, struct ltt_kprobe_error *error)
{
	int err = tracepoint_ops->create(probe);

	return err ? refuse(error, probe->def->column, err, "no such tracepoint") : 0;
}

/* A module was loaded that may have what the probe waits for. */
static void module_comes(struct ltt_kprobe *probe, const struct module *mod)
{
	const struct ltt_kprobe_def *def = probe->def;
	const struct ltt_fetch *missing = NULL;
	int err;

	if (probe->there || !def->symbol || (def->module && strcmp(def->module, mod->name)))
		return;
	/* It may be waiting since before the kernel was locked down. */
	err = security_locked_down(LOCKDOWN_KPROBES);
	if (!err) {
		missing = resolve(probe->def, mod);
		err = register_probe(probe, mod);
	}
	if (err && (err != -ENOENT || def->module))
		ltt_log_error(NULL, LTT_KPROBES_FILE ": %s/%s: cannot register the probe in module %s (%pe)",
			      def->channel, def->name, mod->name, ERR_PTR(err));
	if (!err && missing)
		ltt_log_error(NULL, LTT_KPROBES_FILE ": %s/%s: no symbol %s after loading module %s",
			      def->channel, def->name, missing->symbol, mod->name);
}

/**
 * ltt_kprobe_coming() - a module is being loaded
 * @probe:	a definition
 * @mod:	the module; kprobes have handled it already
 *
 * Context: task, may sleep; the list's mutex is held.
 */
void ltt_kprobe_coming(struct ltt_kprobe *probe, const struct module *mod)
{
	/* Those on tracepoints are handled when tracepoints are added and removed. */
	if (probe->def->kind == 't')
		return;
	mutex_lock(&probe_mutex);
	module_comes(probe, mod);
	mutex_unlock(&probe_mutex);
}

/**
 * ltt_kprobes_gone() - forget probes that are in a module, or part of one, that goes
 * @probes:	the definitions; those of these probes wait for the module to come again
 *
 * Kprobes have been told already: they have given up the probes in a module that is GOING,
 * and those in the init functions of one that is LIVE.
 *
 * Context: task, waits for a grace period if there are any; the list's mutex is held.
 */
void ltt_kprobes_gone(struct list_head *probes)
{
	mutex_lock(&probe_mutex);
	unregister_kind(probes, true, false);
	unregister_kind(probes, true, true);
	mutex_unlock(&probe_mutex);
}

/* ---- the marker --------------------------------------------------------------- */

static int enable(struct ltt_kprobe *probe)
{
	if (!probe->there)
		return 0;
	if (probe->def->kind == 't') {
		probe->attached = true;
		return tracepoint_ops->attach(probe);
	}
	/* One that was removed is back with its module. */
	return kprobe_gone(&probe->rp.kp) ? 0 : enable_kprobe(&probe->rp.kp);
}

static int disable(struct ltt_kprobe *probe)
{
	if (!probe->there)
		return 0;
	if (probe->def->kind == 't') {
		tracepoint_ops->detach(probe);
		return 0;
	}
	return kprobe_gone(&probe->rp.kp) ? 0 : disable_kprobe(&probe->rp.kp);
}

static int connect(struct ltt_marker *marker)
{
	struct ltt_kprobe *probe = container_of(marker, struct ltt_kprobe, marker);
	int err;

	mutex_lock(&probe_mutex);
	err = enable(probe);
	probe->wanted = !err;
	mutex_unlock(&probe_mutex);
	return err;
}

static void disconnect(struct ltt_marker *marker)
{
	struct ltt_kprobe *probe = container_of(marker, struct ltt_kprobe, marker);
	int err;

	mutex_lock(&probe_mutex);
	err = disable(probe);
	probe->wanted = false;
	mutex_unlock(&probe_mutex);
	/* It is still hit, and records nothing. */
	if (err)
		ltt_log_error(NULL, LTT_KPROBES_FILE ": %s/%s: cannot disable the probe (%pe)",
			      probe->def->channel, probe->def->name, ERR_PTR(err));
}

static void probe_free(struct ltt_kprobe *probe)
{
	if (!probe)
		return;
	free_percpu(probe->count);
	ltt_kprobe_def_free(probe->def);
	kfree(probe->text);
	kfree(probe);
}

static const struct static_key_false key_off = STATIC_KEY_FALSE_INIT;

/* Everything except the probe itself. Takes over @def unless it fails. */
static struct ltt_kprobe *probe_alloc(struct ltt_kprobe_def *def, const char *line)
{
	size_t format = ltt_kprobe_format(def, NULL, 0) + 1;
	size_t text = ltt_kprobe_print(def, line, NULL, 0) + 1;
	struct ltt_kprobe *probe;

	probe = kzalloc(struct_size(probe, format, format), GFP_KERNEL);
	if (!probe)
		return NULL;
	probe->text = kmalloc(text, GFP_KERNEL);
	probe->count = alloc_percpu(struct ltt_kprobe_count);
	if (!probe->text || !probe->count) {
		probe_free(probe);
		return NULL;
	}
	ltt_kprobe_print(def, line, probe->text, text);
	ltt_kprobe_format(def, probe->format, format);
	probe->def = def;
	probe->marker.key = key_off;
	probe->marker.magic = LTT_MARKER_MAGIC;
	probe->marker.nr_args = ltt_kprobe_types(def, probe->types);
	probe->marker.self = &probe->marker;
	probe->marker.channel = def->channel;
	probe->marker.name = def->name;
	probe->marker.format = probe->format;
	probe->marker.types = probe->types;
	probe->marker.connect = connect;
	probe->marker.disconnect = disconnect;
	ltt_fetch_layout(def);
	return probe;
}

/**
 * ltt_kprobe_create() - make the probe of a definition
 * @def:	the definition; it is the probe's from now on, also if this fails
 * @line:	the line it was made from
 * @error:	says what is wrong, and where in @line
 *
 * The probe is disabled, and its marker not yet known. A tracepoint needs no probe.
 *
 * Context: task, may sleep; the list's mutex is held.
 * Return: the probe, or an ERR_PTR(): -ENOENT if there is no such function or
 * symbol, -EPERM if the kernel allows no probe there, -EINVAL if no instruction
 * begins there or it is not the entry that the arguments suppose, -ENOMEM, or what
 * register_kprobe() returns.
 */
struct ltt_kprobe *ltt_kprobe_create(struct ltt_kprobe_def *def, const char *line,
				     struct ltt_kprobe_error *error)
{
	struct ltt_kprobe *probe = probe_alloc(def, line);
	int err;

	if (!probe) {
		ltt_kprobe_def_free(def);
		return ERR_PTR(refuse(error, 1, -ENOMEM, "out of memory"));
	}
	if (def->kind == 't') {
		err = define_tracepoint(probe, error);
	} else {
		mutex_lock(&probe_mutex);
		err = define(probe, error);
		mutex_unlock(&probe_mutex);
	}
	if (err) {
		probe_free(probe);
		return ERR_PTR(err);
	}
	return probe;
}

/**
 * ltt_kprobe_publish() - make a probe's marker known
 * @probe:	the probe
 * @error:	says what is wrong
 *
 * Traces that want it, want it from now on.
 *
 * Context: task, may sleep; the list's mutex is held.
 * Return: what ltt_marker_register() returns.
 */
int ltt_kprobe_publish(struct ltt_kprobe *probe, struct ltt_kprobe_error *error)
{
	int err = ltt_marker_register(&probe->marker, probe->def->kind == 't' ?
				      tracepoint_ops->owner : THIS_MODULE);

	if (err)
		return refuse(error, 1, err, "marker refused, see the kernel log");
	probe->published = true;
	return 0;
}

/* ---- the end ------------------------------------------------------------------ */

/**
 * ltt_kprobe_end() - begin the end of a definition
 * @probe:	not in the list of definitions; in that of the batch from now on
 * @batch:	the batch
 *
 * Recording stops, except for handlers under way, and the definition's name is free.
 * What remains to be done is ltt_kprobe_batch_end().
 *
 * Context: task, may sleep, waits for no grace period; the list's mutex is held.
 */
void ltt_kprobe_end(struct ltt_kprobe *probe, struct ltt_kprobe_batch *batch)
{
	bool hooked = probe->published && ltt_marker_unregister_nosync(&probe->marker);

	if (probe->def->kind == 't') {
		batch->tracepoints |= hooked;
		tracepoint_ops->destroy(probe);
		probe->there = false;
	}
	list_add_tail(&probe->node, &batch->probes);
}

/**
 * ltt_kprobe_batch_end() - end what ltt_kprobe_end() has begun
 * @batch:	the definitions; gone when this returns
 *
 * They are not reachable any more, so no lock is needed.
 *
 * Context: task, waits for grace periods: one for all kprobes, one for all kretprobes, one
 * for all definitions on tracepoints, as far as there are any that may be met; the list's
 * mutex is not held.
 */
void ltt_kprobe_batch_end(struct ltt_kprobe_batch *batch)
{
	struct ltt_kprobe *probe, *next;

	unregister_kind(&batch->probes, false, false);
	unregister_kind(&batch->probes, false, true);
	if (batch->tracepoints)
		tracepoint_synchronize_unregister();
	list_for_each_entry_safe(probe, next, &batch->probes, node)
		probe_free(probe);
}

/* ---- for ltt-btf -------------------------------------------------------------- */

/**
 * ltt_kprobe_found() - the tracepoint of a definition was added
 * @probe:	the definition
 * @tracepoint:	its tracepoint
 *
 * Context: task, may sleep.
 * Return: 0; if a trace wants the marker, what @attach returns, and then the
 * tracepoint is not believed to be there.
 */
int ltt_kprobe_found(struct ltt_kprobe *probe, struct tracepoint *tracepoint)
{
	int err = 0;

	mutex_lock(&probe_mutex);
	probe->tracepoint = tracepoint;
	probe->there = true;
	if (probe->wanted)
		err = enable(probe);
	if (err) {
		probe->there = false;
		probe->tracepoint = NULL;
	}
	mutex_unlock(&probe_mutex);
	return err;
}
EXPORT_SYMBOL_GPL(ltt_kprobe_found);

/**
 * ltt_kprobe_lost() - the tracepoint of a definition goes
 * @probe:	the definition; it waits for the tracepoint to come again
 *
 * Context: task, may sleep.
 * Return: whether the tracepoint has ever called the definition's probe, and may still do so
 * until tracepoint_synchronize_unregister() has returned.
 */
bool ltt_kprobe_lost(struct ltt_kprobe *probe)
{
	bool attached;

	mutex_lock(&probe_mutex);
	if (probe->wanted)
		disable(probe);
	probe->there = false;
	probe->tracepoint = NULL;
	attached = probe->attached;
	probe->attached = false;
	mutex_unlock(&probe_mutex);
	return attached;
}
EXPORT_SYMBOL_GPL(ltt_kprobe_lost);

/**
 * ltt_kprobe_tracepoints() - set the functions for tracepoints
 * @ops:	the functions; NULL to remove them, when there are no definitions left
 *
 * Context: task; the list's mutex is held.
 */
void ltt_kprobe_tracepoints(const struct ltt_tracepoint_ops *ops)
{
	tracepoint_ops = ops;
	ltt_tracepoint_parser = ops ? &ops->parser : NULL;
}

/**
 * ltt_kprobe_state() - how does it stand with a probe?
 * @probe:	the probe
 * @state:	receives the answer
 *
 * Context: task, may sleep; the list's mutex is held.
 */
void ltt_kprobe_state(struct ltt_kprobe *probe, struct ltt_kprobe_state *state)
{
	const struct ltt_kprobe_count *count;
	int cpu;

	mutex_lock(&probe_mutex);
	state->there = probe->there;
	state->wanted = probe->wanted;
	state->hits = 0;
	state->missed = probe->missed;
	if (probe->there)
		state->missed += probe->rp.kp.nmissed + probe->rp.nmissed;
	mutex_unlock(&probe_mutex);
	for_each_possible_cpu(cpu) {
		count = per_cpu_ptr(probe->count, cpu);
		state->hits += READ_ONCE(count->hits);
		state->missed += READ_ONCE(count->missed);
	}
}
