// SPDX-License-Identifier: GPL-2.0
/*
 * LTT test: filters on demand.
 *
 * Files in debugfs ltt_test_filter/:
 *
 *	control	define N PRIORITY TEST
 *		add N TRACE CHANNEL MARKER
 *		remove N TRACE CHANNEL MARKER
 *	counts	a line for each filter, "filter N seen S accepted A malformed M"; since
 *		it was defined
 *
 * N is from 0 to 7. A TEST is one of
 *
 *	all			accept everything
 *	none			accept nothing
 *	mod FIELD DIVISOR REST	integers
 *	prefix FIELD TEXT	strings
 *
 * A filter that cannot find its field accepts nothing. The errors are those of
 * ltt_filter_add() and ltt_filter_remove(), and -EBUSY: a filter that is in use
 * cannot be defined anew.
 */

#include <linux/debugfs.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/ltt/filter.h>
#include <linux/ltt/unaligned.h>
#include <linux/ltt/trace.h>

#define WORD	32

enum test { ALL, NOTHING, MOD, PREFIX };

struct counts {
	unsigned long seen;
	unsigned long accepted;
	unsigned long malformed;
};

/* @uses: struct use, protected by lock; the others are constant while there are any */
struct test_filter {
	struct ltt_filter filter;
	enum test test;
	char field[WORD];
	unsigned long divisor, rest;
	char prefix[WORD];
	struct counts __percpu *counts;
	struct list_head uses;
};

/* An event whose chain the filter is in; holds a reference to the trace. */
struct use {
	struct list_head node;
	struct ltt_trace *trace;
	char channel[WORD];
	char marker[WORD];
};

static struct test_filter filters[8];
static DEFINE_MUTEX(lock);
static struct dentry *dir;

/* ---- in the context of the marker ----------------------------------------------- */

/* The field called @name and its place, as long as all before it are simple. */
static const struct ltt_field *find(const struct ltt_format *format, const char *name,
				    const u8 **payload)
{
	const struct ltt_field *field = format->fields;
	const struct ltt_field *end = field + format->nr_fields;

	for (; field < end; field++) {
		if (!strcmp(field->name, name))
			return field;
		if (field->store == LTT_STORE_INT)
			*payload += field->size;
		else if (field->store == LTT_STORE_STR)
			*payload += strlen((const char *)*payload) + 1;
		else
			break;
	}
	return NULL;
}

static bool check(const struct test_filter *test, const struct ltt_format *format,
		  const u8 *payload)
{
	const struct ltt_field *field;

	if (test->test == ALL || test->test == NOTHING)
		return test->test == ALL;
	field = find(format, test->field, &payload);
	if (!field)
		return false;
	if (test->test == MOD)
		return field->store == LTT_STORE_INT &&
		       ltt_load_int(payload, field->size, false, false) % test->divisor ==
		       test->rest;
	return field->store == LTT_STORE_STR &&
	       str_has_prefix((const char *)payload, test->prefix);
}

static bool accept(struct ltt_filter *filter, const struct ltt_event *event,
		   const u8 *payload, size_t size)
{
	struct test_filter *test = container_of(filter, struct test_filter, filter);
	bool good = ltt_payload_size(event->format, payload, size, false) == (long)size;
	bool accepted = good && check(test, event->format, payload);

	this_cpu_inc(test->counts->seen);
	if (accepted)
		this_cpu_inc(test->counts->accepted);
	if (!good)
		this_cpu_inc(test->counts->malformed);
	return accepted;
}

/* ---- on demand ------------------------------------------------------------------- */

static int define(struct test_filter *test, const char *text)
{
	struct test_filter new = { .filter.accept = accept };
	char kind[WORD], third[WORD] = "", fourth[WORD] = "";
	int words, cpu;

	if (!list_empty(&test->uses))
		return -EBUSY;
	words = sscanf(text, "%d %31s %31s %31s %31s", &new.filter.priority, kind,
		       new.field, third, fourth);
	if (words == 2 && !strcmp(kind, "all"))
		new.test = ALL;
	else if (words == 2 && !strcmp(kind, "none"))
		new.test = NOTHING;
	else if (words == 5 && !strcmp(kind, "mod"))
		new.test = MOD;
	else if (words == 4 && !strcmp(kind, "prefix"))
		new.test = PREFIX;
	else
		return -EINVAL;
	if (new.test == MOD && (kstrtoul(third, 0, &new.divisor) || !new.divisor ||
				kstrtoul(fourth, 0, &new.rest)))
		return -EINVAL;

	test->filter = new.filter;
	test->test = new.test;
	test->divisor = new.divisor;
	test->rest = new.rest;
	strscpy(test->field, new.field, WORD);
	strscpy(test->prefix, third, WORD);
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(test->counts, cpu), 0, sizeof(*test->counts));
	return 0;
}

static int add(struct test_filter *test, const char *name, const char *channel,
	       const char *marker)
{
	struct use *use;
	int err;

	if (!test->filter.accept)
		return -EINVAL;
	use = kzalloc(sizeof(*use), GFP_KERNEL);
	if (!use)
		return -ENOMEM;
	err = -ESRCH;
	use->trace = ltt_trace_find(name);
	if (!use->trace)
		goto free;
	strscpy(use->channel, channel, WORD);
	strscpy(use->marker, marker, WORD);
	err = ltt_filter_add(use->trace, channel, marker, &test->filter);
	if (err)
		goto put;
	list_add_tail(&use->node, &test->uses);
	return 0;

put:
	ltt_trace_put(use->trace);
free:
	kfree(use);
	return err;
}

static int remove_use(struct test_filter *test, struct use *use)
{
	int err = ltt_filter_remove(use->trace, use->channel, use->marker, &test->filter);

	ltt_trace_put(use->trace);
	list_del(&use->node);
	kfree(use);
	return err;
}

static int remove(struct test_filter *test, const char *name, const char *channel,
		  const char *marker)
{
	struct ltt_trace *trace;
	struct use *use;
	int err = -ESRCH;

	list_for_each_entry(use, &test->uses, node) {
		if (!strcmp(use->trace->name, name) && !strcmp(use->channel, channel) &&
		    !strcmp(use->marker, marker))
			return remove_use(test, use);
	}
	/* Not ours: what does the core say? */
	trace = ltt_trace_find(name);
	if (trace) {
		err = ltt_filter_remove(trace, channel, marker, &test->filter);
		ltt_trace_put(trace);
	}
	return err;
}

static int command(const char *text)
{
	char verb[WORD], trace[WORD], channel[WORD], marker[WORD];
	unsigned int nr;
	int rest = 0;

	if (sscanf(text, "%31s %u %n", verb, &nr, &rest) < 2 || nr >= ARRAY_SIZE(filters))
		return -EINVAL;
	text += rest;
	if (!strcmp(verb, "define"))
		return define(&filters[nr], text);
	if (sscanf(text, "%31s %31s %31s", trace, channel, marker) != 3)
		return -EINVAL;
	if (!strcmp(verb, "add"))
		return add(&filters[nr], trace, channel, marker);
	if (!strcmp(verb, "remove"))
		return remove(&filters[nr], trace, channel, marker);
	return -EINVAL;
}

static ssize_t control_write(struct file *file, const char __user *user, size_t size,
			     loff_t *pos)
{
	char text[192];
	int err;

	if (size >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, user, size))
		return -EFAULT;
	text[size] = '\0';

	mutex_lock(&lock);
	err = command(text);
	mutex_unlock(&lock);
	return err ?: size;
}

static const struct file_operations control_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= control_write,
	.llseek	= noop_llseek,
};

static int counts_show(struct seq_file *m, void *unused)
{
	unsigned int i, cpu;

	for (i = 0; i < ARRAY_SIZE(filters); i++) {
		struct counts sum = { };

		for_each_possible_cpu(cpu) {
			const struct counts *counts = per_cpu_ptr(filters[i].counts, cpu);

			sum.seen += counts->seen;
			sum.accepted += counts->accepted;
			sum.malformed += counts->malformed;
		}
		seq_printf(m, "filter %u seen %lu accepted %lu malformed %lu\n", i,
			   sum.seen, sum.accepted, sum.malformed);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counts);

static void free_filters(void)
{
	struct use *use, *next;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(filters); i++) {
		list_for_each_entry_safe(use, next, &filters[i].uses, node)
			remove_use(&filters[i], use);
		free_percpu(filters[i].counts);
	}
}

static int __init ltt_test_filter_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(filters); i++)
		INIT_LIST_HEAD(&filters[i].uses);
	for (i = 0; i < ARRAY_SIZE(filters); i++) {
		filters[i].counts = alloc_percpu(struct counts);
		if (!filters[i].counts) {
			free_filters();
			return -ENOMEM;
		}
	}
	dir = debugfs_create_dir("ltt_test_filter", NULL);
	debugfs_create_file("control", 0200, dir, NULL, &control_fops);
	debugfs_create_file("counts", 0400, dir, NULL, &counts_fops);
	return 0;
}

static void __exit ltt_test_filter_exit(void)
{
	debugfs_remove(dir);
	free_filters();
}

module_init(ltt_test_filter_init);
module_exit(ltt_test_filter_exit);

MODULE_DESCRIPTION("LTT test: filters on demand");
MODULE_LICENSE("GPL");
