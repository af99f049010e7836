// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: a profile of functions, from a private channel.
 *
 * With the parameter private=1 no file shows the channel and no pattern of a trace
 * selects it. We have a trace of our own then, read it inside the kernel, and
 * count the entries of each function.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/hash.h>
#include <linux/hashtable.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/ltt/unaligned.h>
#include <linux/ltt/reader.h>
#include <linux/ltt/symbol.h>
#include <linux/ltt/trace.h>

#include "function.h"

#define NAME	"function_profile"

/* A function; in hits until the module goes. */
struct hit {
	struct hlist_node node;
	unsigned long ip;
	unsigned long count;
};

static DEFINE_MUTEX(profile_mutex);	/* protects the fields below, except trace and thread */
static DEFINE_HASHTABLE(hits, 12);
static unsigned long events, lost, unnamed;

static struct ltt_trace *trace;
static struct task_struct *thread;

/* Returns false if there is no memory for a new function. */
static bool count_hit(unsigned long ip)
{
	struct hit *hit;

	hash_for_each_possible(hits, hit, node, ip) {
		if (hit->ip == ip) {
			hit->count++;
			return true;
		}
	}
	hit = kmalloc(sizeof(*hit), GFP_KERNEL);
	if (!hit)
		return false;
	hit->ip = ip;
	hit->count = 1;
	hash_add(hits, &hit->node, ip);
	return true;
}

/* Only function.entry is enabled; the function comes first. */
static int take(const struct ltt_reader_event *event, void *arg)
{
	events++;
	if (!count_hit(ltt_load64(event->fields, false)))
		unnamed++;
	return 0;
}

static int read_all(void *data)
{
	struct ltt_reader *reader = data;
	int err = 0;

	while (!err && !ltt_reader_finished(reader)) {
		err = ltt_reader_wait(reader, false);
		/* Nothing has changed; there may be memory later. */
		if (err == -ENOMEM && !kthread_should_stop()) {
			schedule_timeout_interruptible(HZ / 10);
			err = 0;
			continue;
		}
		if (err)
			break;
		mutex_lock(&profile_mutex);
		err = ltt_reader_for_each(reader, take, NULL, &lost);
		mutex_unlock(&profile_mutex);
	}
	if (err)
		pr_err(NAME ": reading stopped with error %d\n", err);
	ltt_reader_close(reader);

	/* Somebody destroyed the trace; the module will ask for us. */
	set_current_state(TASK_INTERRUPTIBLE);
	while (!kthread_should_stop()) {
		schedule();
		set_current_state(TASK_INTERRUPTIBLE);
	}
	__set_current_state(TASK_RUNNING);
	return err;
}

/**
 * ltt_function_profile_init() - record into the private channel, and read it
 *
 * Context: task, may sleep; the channel is registered.
 * Return: 0 or a negative errno.
 */
int ltt_function_profile_init(void)
{
	struct ltt_reader *reader;
	struct ltt_error error;
	int err;

	trace = ltt_trace_create(NAME, &error);
	if (IS_ERR(trace))
		return PTR_ERR(trace);
	err = ltt_trace_set_event(trace, LTT_FUNCTION_CHANNEL, "entry", true, &error);
	if (!err)
		err = ltt_trace_start(trace, &error);
	if (err)
		goto fail;
	reader = ltt_reader_open(trace, LTT_FUNCTION_CHANNEL);
	err = PTR_ERR_OR_ZERO(reader);
	if (err)
		goto fail;
	thread = kthread_run(read_all, reader, NAME);
	if (!IS_ERR(thread))
		return 0;
	err = PTR_ERR(thread);
	ltt_reader_close(reader);
fail:
	ltt_trace_destroy(trace);
	ltt_trace_put(trace);
	return err;
}

/**
 * ltt_function_profile_exit() - end the trace and its reader, and forget the counts
 *
 * Context: task, may sleep.
 */
void ltt_function_profile_exit(void)
{
	struct hlist_node *next;
	unsigned int bucket;
	struct hit *hit;

	/* The reader takes the rest, then reaches the end. */
	ltt_trace_destroy(trace);
	kthread_stop(thread);
	ltt_trace_put(trace);
	hash_for_each_safe(hits, bucket, next, hit, node)
		kfree(hit);
}

/**
 * ltt_function_profile_show() - print how often each function was entered
 * @m:		where
 *
 * Context: task, may sleep.
 */
void ltt_function_profile_show(struct seq_file *m)
{
	char name[LTT_SYMBOL_ROOM];
	unsigned int bucket;
	struct hit *hit;

	mutex_lock(&profile_mutex);
	seq_printf(m, "# %lu entries, %lu lost, %lu of functions left out\n", events, lost,
		   unnamed);
	hash_for_each(hits, bucket, hit, node) {
		ltt_symbol_print(name, sizeof(name), hit->ip, "s", LTT_SYMBOL_NOW);
		seq_printf(m, "%lu %s\n", hit->count, name);
	}
	mutex_unlock(&profile_mutex);
}
