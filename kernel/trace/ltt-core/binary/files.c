// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the binary output: traces/NAME/binary/ and its files.
 *
 * Each channel that the trace uses has a file for each CPU that is present. CPUs can be
 * plugged in later: a work item creates their files, since hotplug callbacks must not
 * take ltt_mutex.
 */

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/ltt/client.h>

#include "binary.h"
#include "../trace/core.h"

static enum cpuhp_state hotplug_state;

/* The binary outputs of all traces; protected by ltt_mutex. */
static LIST_HEAD(binaries);

static void complain(struct ltt_trace *trace, const char *name, int err)
{
	ltt_log_error(trace->log, "binary/%s: creation failed (%pe)", name, ERR_PTR(err));
}

/* Create the files that a channel lacks. */
static void make_files(struct ltt_binary_channel *channel)
{
	struct ltt_trace_channel *tchan = channel->tchan;
	struct ltt_binary_file *which;
	char name[LTT_NAME_MAX + 16];
	struct dentry *file;
	unsigned int cpu;

	for_each_present_cpu(cpu) {
		which = &channel->file[cpu];
		if (which->made)
			continue;
		which->channel = channel;
		which->cpu = cpu;
		snprintf(name, sizeof(name), "%s_%u", tchan->channel->name, cpu);
		file = debugfs_create_file_unsafe(name, 0400, channel->binary->dir, which,
						  &ltt_stream_fops);
		if (IS_ERR(file))
			complain(tchan->trace, name, PTR_ERR(file));
		which->made = true;	/* one complaint is enough */
	}
}

static void new_cpus(struct work_struct *work)
{
	struct ltt_binary_channel *channel;
	struct ltt_binary *binary;

	mutex_lock(&ltt_mutex);
	list_for_each_entry(binary, &binaries, node) {
		list_for_each_entry(channel, &binary->channels, node)
			make_files(channel);
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

static void *add_trace(struct ltt_trace *trace)
{
	struct ltt_binary *binary = ltt_binary_alloc();

	if (!binary)
		return ERR_PTR(-ENOMEM);
	binary->trace = trace;
	list_add_tail(&binary->node, &binaries);
	return binary;
}

static int add_files(void *data, struct dentry *parent, struct dentry *dir)
{
	struct ltt_binary *binary = data;

	binary->dir = dir;
	return PTR_ERR_OR_ZERO(ltt_metadata_file_create(binary->trace, dir));
}

static void add_channel(void *data, struct ltt_trace_channel *tchan, struct dentry *dir)
{
	struct ltt_binary *binary = data;
	struct ltt_binary_channel *channel;

	/* Its packets are in the files of its home. */
	if (tchan->home != tchan)
		return;
	channel = kzalloc(struct_size(channel, file, nr_cpu_ids), GFP_KERNEL);
	if (!channel) {
		complain(tchan->trace, tchan->channel->name, -ENOMEM);
		return;
	}
	channel->binary = binary;
	channel->tchan = tchan;
	list_add_tail(&channel->node, &binary->channels);
	make_files(channel);
}

static void remove_trace(void *data)
{
	struct ltt_binary *binary = data;

	list_del(&binary->node);
}

/* Streams that are open need their reference only. */
static void release_trace(void *data)
{
	struct ltt_binary_channel *channel, *next;
	struct ltt_binary *binary = data;

	list_for_each_entry_safe(channel, next, &binary->channels, node)
		kfree(channel);
	ltt_binary_put(binary);
}

static struct ltt_client client = {
	.name = "binary",
	.dir = "binary",
	.frozen = true,
	.add_trace = add_trace,
	.add_files = add_files,
	.add_channel = add_channel,
	.remove_trace = remove_trace,
	.release_trace = release_trace,
};

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
	err = ltt_client_register(&client);
	if (err)
		goto free_wq;
	err = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "trace/ltt:files", cpu_came,
					NULL);
	if (err < 0)
		goto unregister;
	hotplug_state = err;
	return 0;

unregister:
	ltt_client_unregister(&client);
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
	ltt_client_unregister(&client);
	destroy_workqueue(ltt_binary_wq);
}
