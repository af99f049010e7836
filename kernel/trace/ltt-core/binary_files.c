// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the binary output: traces/NAME/binary/ and what is in it.
 *
 * A file for each CPU that is present, of each channel that the trace uses. CPUs can be
 * plugged in later: a work item makes their files, since what is told of CPUs
 * must not take ltt_mutex.
 */

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/ltt/output.h>

#include "binary.h"
#include "core.h"

static enum cpuhp_state hotplug_state;

static void complain(struct ltt_trace *trace, const char *name, int err)
{
	ltt_log_error(trace->log, "binary/%s: not available (%pe)", name, ERR_PTR(err));
}

/* Make the files that a channel lacks. */
static void make_files(struct ltt_tchan *tchan, struct dentry *dir)
{
	struct ltt_binary_file *which;
	char name[LTT_NAME_MAX + 16];
	struct dentry *file;
	unsigned int cpu;

	for_each_present_cpu(cpu) {
		which = &tchan->files[cpu];
		if (which->made)
			continue;
		which->tchan = tchan;
		which->cpu = cpu;
		snprintf(name, sizeof(name), "%s_%u", tchan->channel->name, cpu);
		file = debugfs_create_file_unsafe(name, 0400, dir, which, &ltt_stream_fops);
		if (IS_ERR(file))
			complain(tchan->trace, name, PTR_ERR(file));
		which->made = true;	/* one complaint is enough */
	}
}

static void new_cpus(struct work_struct *work)
{
	struct ltt_trace *trace;
	struct ltt_tchan *tchan;

	mutex_lock(&ltt_mutex);
	list_for_each_entry(trace, &ltt_traces, node) {
		if (!trace->binary || !trace->binary->dir)
			continue;
		list_for_each_entry(tchan, &trace->tchans, node) {
			if (tchan->files)
				make_files(tchan, trace->binary->dir);
		}
	}
	mutex_unlock(&ltt_mutex);
}

static DECLARE_WORK(new_cpus_work, new_cpus);

/* On the CPU, in its hotplug thread. */
static int cpu_came(unsigned int cpu)
{
	queue_work(ltt_binary_wq, &new_cpus_work);
	return 0;
}

static int add_trace(struct ltt_trace *trace, struct dentry *parent, struct dentry *dir)
{
	struct ltt_binary *binary = kzalloc(sizeof(*binary), GFP_KERNEL);
	struct dentry *metadata;

	if (!binary)
		return -ENOMEM;
	ltt_binary_watch_init(binary, trace);
	binary->dir = dir;
	trace->binary = binary;
	metadata = ltt_metadata_file_create(trace, dir);
	return PTR_ERR_OR_ZERO(metadata);
}

static void add_channel(struct ltt_tchan *tchan, struct dentry *dir)
{
	if (!tchan->trace->binary)
		return;
	tchan->files = kcalloc(nr_cpu_ids, sizeof(*tchan->files), GFP_KERNEL);
	if (tchan->files)
		make_files(tchan, dir);
	else
		complain(tchan->trace, tchan->channel->name, -ENOMEM);
}

static void remove_trace(struct ltt_trace *trace)
{
	if (trace->binary)
		trace->binary->dir = NULL;
}

static struct ltt_output binary_output = {
	.owner = THIS_MODULE,
	.name = "binary",
	.add_trace = add_trace,
	.add_channel = add_channel,
	.remove_trace = remove_trace,
};

/**
 * ltt_binary_free() - free what the binary output has of a trace
 * @trace:	the trace, to which nobody has a reference any more
 *
 * Context: task.
 */
void ltt_binary_free(struct ltt_trace *trace)
{
	struct ltt_tchan *tchan;

	list_for_each_entry(tchan, &trace->tchans, node)
		kfree(tchan->files);
	kfree(trace->binary);
}

/**
 * ltt_binary_init() - add the binary output
 *
 * Context: task; takes ltt_mutex and the CPU hotplug lock, sleeps.
 * Return: 0 or a negative errno.
 */
int ltt_binary_init(void)
{
	int err;

	ltt_binary_wq = alloc_workqueue("ltt_binary", WQ_UNBOUND, 0);
	if (!ltt_binary_wq)
		return -ENOMEM;
	err = ltt_output_register(&binary_output);
	if (err)
		goto free_wq;
	err = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "trace/ltt:files", cpu_came,
					NULL);
	if (err < 0)
		goto unregister;
	hotplug_state = err;
	return 0;

unregister:
	ltt_output_unregister(&binary_output);
free_wq:
	destroy_workqueue(ltt_binary_wq);
	return err;
}

/**
 * ltt_binary_exit() - undo ltt_binary_init()
 *
 * Context: task; takes ltt_mutex and the CPU hotplug lock, sleeps. No file is open.
 */
void ltt_binary_exit(void)
{
	cpuhp_remove_state_nocalls(hotplug_state);
	ltt_output_unregister(&binary_output);
	destroy_workqueue(ltt_binary_wq);
}
