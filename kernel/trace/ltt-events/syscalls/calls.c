// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: a marker for the entry of each system call, and one for its return.
 *
 * They are found by number from two probes, of the tracepoints sys_enter and sys_exit,
 * each of which is attached while a trace wants any of its markers.
 */

#include <linux/err.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/ltt/event.h>
#include <trace/events/syscalls.h>

#include "syscalls.h"

#define CHANNEL	"syscalls"

static bool compat = true;
module_param(compat, bool, 0444);
MODULE_PARM_DESC(compat, "Provide markers for the system calls of 32-bit programs (default: 1)");

static bool x32;
module_param(x32, bool, 0444);
MODULE_PARM_DESC(x32, "Provide markers for the system calls of x32 programs (default: 0)");

struct ltt_sys_abi ltt_sys_native_abi = { .prefix = "" };
struct ltt_sys_abi ltt_sys_compat_abi = { .prefix = "compat_", .is_32bit = true };
struct ltt_sys_abi ltt_sys_x32_abi = { .prefix = "x32_" };

/* ---- probes ------------------------------------------------------------------ */

/**
 * struct hook - a probe and its tracepoint
 * @name:	of the tracepoint
 * @probe:	the probe
 * @tracepoint:	set once
 * @users:	markers that are on; the probe is attached while there are any. Needs no
 *		lock, as markers are connected one at a time
 */
struct hook {
	const char *name;
	void *probe;
	struct tracepoint *tracepoint;
	unsigned int users;
};

static struct hook enter_hook = { .name = "sys_enter", .probe = ltt_sys_probe_enter };
static struct hook exit_hook = { .name = "sys_exit", .probe = ltt_sys_probe_exit };

/* Lets the compiler compare the probes with the tracepoints' prototypes. */
static inline void __maybe_unused check_probes(void)
{
	check_trace_callback_type_sys_enter(ltt_sys_probe_enter);
	check_trace_callback_type_sys_exit(ltt_sys_probe_exit);
}

static void note_tracepoint(struct tracepoint *tracepoint, void *priv)
{
	struct hook *hook = priv;

	if (!strcmp(tracepoint->name, hook->name))
		hook->tracepoint = tracepoint;
}

static int hook_init(struct hook *hook)
{
	for_each_kernel_tracepoint(note_tracepoint, hook);
	return hook->tracepoint ? 0 : -ENODEV;
}

static int hook_get(struct hook *hook)
{
	int err = 0;

	if (!hook->users)
		err = tracepoint_probe_register(hook->tracepoint, hook->probe, NULL);
	if (!err)
		hook->users++;
	return err;
}

static void hook_put(struct hook *hook)
{
	if (!--hook->users)
		tracepoint_probe_unregister(hook->tracepoint, hook->probe, NULL);
}

static int connect_enter(struct ltt_marker *marker)
{
	return hook_get(&enter_hook);
}

static void disconnect_enter(struct ltt_marker *marker)
{
	hook_put(&enter_hook);
}

static int connect_exit(struct ltt_marker *marker)
{
	return hook_get(&exit_hook);
}

static void disconnect_exit(struct ltt_marker *marker)
{
	hook_put(&exit_hook);
}

/* ---- markers ----------------------------------------------------------------- */

static int marker_add(struct ltt_marker *marker, const char *name, const char *format,
		      const u32 *types, unsigned int nr)
{
	int err;

	marker->key = STATIC_KEY_FALSE_INIT;
	marker->magic = LTT_MARKER_MAGIC;
	marker->self = marker;
	marker->channel = CHANNEL;
	marker->name = name;
	marker->format = format;
	marker->types = types;
	marker->nr_args = nr;
	err = ltt_marker_register(marker, THIS_MODULE);
	/* The registry has a copy, and keeps it for as long as the marker is known. */
	if (!err)
		marker->format = marker->event->format_text;
	return err;
}

/* @entry: NULL for the calls without a name. @format: room for one. */
static int call_add(struct ltt_sys_call *call, const struct ltt_sys_abi *abi,
		    const struct ltt_sys_entry *entry, char *format)
{
	int err;

	call->has_nr = !entry;
	call->is_32bit = abi->is_32bit;
	call->enter.connect = connect_enter;
	call->enter.disconnect = disconnect_enter;
	call->exit.connect = connect_exit;
	call->exit.disconnect = disconnect_exit;
	snprintf(call->name, sizeof(call->name), "%s%s", abi->prefix,
		 entry ? entry->name : "unknown");
	snprintf(call->exit_name, sizeof(call->exit_name), "%.*s_exit",
		 (int)(sizeof(call->exit_name) - sizeof("_exit")), call->name);

	ltt_sys_describe_entry(call, entry, format);
	err = marker_add(&call->enter, call->name, format, call->types, call->nr_fields);
	if (err)
		return err;
	ltt_sys_describe_return(call, entry, format);
	return marker_add(&call->exit, call->exit_name, format, call->exit_types,
			  1 + call->has_nr);
}

/* Make room for the calls of an ABI; all numbers are without a name yet. */
static int abi_prepare(struct ltt_sys_abi *abi, const struct ltt_sys_entry *entries,
		       unsigned int nr_entries)
{
	unsigned int nr = 0, i;

	for (i = 0; i < nr_entries; i++)
		nr = max(nr, entries[i].nr + 1);
	abi->calls = kvcalloc(nr_entries + 1, sizeof(*abi->calls), GFP_KERNEL);
	abi->by_nr = kvcalloc(nr + 1, sizeof(*abi->by_nr), GFP_KERNEL);
	if (!abi->calls || !abi->by_nr)
		return -ENOMEM;

	abi->entries = entries;
	abi->nr_calls = nr_entries + 1;
	for (i = 0; i < nr; i++)
		abi->by_nr[i] = &abi->calls[nr_entries];
	for (i = 0; i < nr_entries; i++)
		abi->by_nr[entries[i].nr] = &abi->calls[i];
	abi->nr = nr;
	return 0;
}

static int abi_add(struct ltt_sys_abi *abi, char *format)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < abi->nr_calls && !err; i++)
		err = call_add(&abi->calls[i], abi,
			       i + 1 < abi->nr_calls ? &abi->entries[i] : NULL, format);
	return err;
}

static struct ltt_sys_abi *const abis[] = {
	&ltt_sys_native_abi, &ltt_sys_compat_abi, &ltt_sys_x32_abi,
};

/* All markers go, one wait for their writers is enough. */
static void remove_all(void)
{
	struct ltt_sys_abi *abi;
	bool hooked = false;
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(abis); i++) {
		abi = abis[i];
		for (j = 0; j < abi->nr_calls; j++) {
			hooked |= ltt_marker_unregister_nosync(&abi->calls[j].enter);
			hooked |= ltt_marker_unregister_nosync(&abi->calls[j].exit);
		}
	}
	/* Also if all are off by now: nobody has waited for the probes yet. */
	if (hooked)
		tracepoint_synchronize_unregister();
	for (i = 0; i < ARRAY_SIZE(abis); i++) {
		kvfree(abis[i]->calls);
		kvfree(abis[i]->by_nr);
	}
	ltt_sys_record_exit();
}

/*
 * The probes may be attached as soon as the first marker is known, and then they look
 * for calls of every kind.
 */
static int add_all(char *format)
{
	unsigned int i;
	int err;

	err = abi_prepare(&ltt_sys_native_abi, ltt_sys_native, ltt_sys_nr_native);
	if (!err && IS_ENABLED(CONFIG_IA32_EMULATION))
		err = abi_prepare(&ltt_sys_compat_abi, ltt_sys_compat,
				  compat ? ltt_sys_nr_compat : 0);
	if (!err && IS_ENABLED(CONFIG_X86_X32_ABI) && x32)
		err = abi_prepare(&ltt_sys_x32_abi, ltt_sys_x32, ltt_sys_nr_x32);
	for (i = 0; i < ARRAY_SIZE(abis) && !err; i++)
		err = abi_add(abis[i], format);
	return err;
}

static int __init ltt_syscalls_init(void)
{
	char *format;
	int err;

	err = hook_init(&enter_hook) ?: hook_init(&exit_hook);
	if (err)
		return err;
	err = ltt_sys_record_init();
	if (err)
		return err;
	format = kmalloc(LTT_SYS_FORMAT, GFP_KERNEL);
	err = ltt_sys_describe_init();
	if (!err)
		err = format ? add_all(format) : -ENOMEM;
	ltt_sys_describe_exit();
	kfree(format);
	if (err)
		remove_all();
	return err;
}

static void __exit ltt_syscalls_exit(void)
{
	remove_all();
}

module_init(ltt_syscalls_init);
module_exit(ltt_syscalls_exit);

MODULE_DESCRIPTION("LTT: markers for system calls, by name");
MODULE_LICENSE("GPL");
