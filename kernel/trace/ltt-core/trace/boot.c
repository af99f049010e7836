// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: a trace that is there, and records, as soon as ltt-core is.
 *
 *	ltt-core.trace="sched.* irq.*" ltt-core.trace_options=overwrite,subbuf_num=16
 *
 * It is like one that was made through the control files. Its patterns apply to markers of
 * modules that come later. If something is wrong with a parameter there is no trace, and the
 * kernel's log says why.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/moduleparam.h>
#include <linux/parser.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../error.h"
#include "core.h"

static char *boot_trace;
module_param_named(trace, boot_trace, charp, 0444);
MODULE_PARM_DESC(trace, "Patterns of markers that are recorded at once, separated by blanks or commas (default: no trace)");

static char *boot_options;
module_param_named(trace_options, boot_options, charp, 0444);
MODULE_PARM_DESC(trace_options, "Of that trace, separated by commas: name=NAME, overwrite, discard, subbuf_size=SIZE, subbuf_num=N, contexts=NAME+NAME, budget=SIZE, channel, shared (default: name=boot,discard,shared)");

/**
 * struct options - parameter trace_options
 * @name:	of the trace
 * @contexts:	names of contexts, separated by commas; NULL: none
 * @budget:	bytes, 0: the usual
 * @subbuf_order: of the shared buffers, 0: the usual
 * @subbuf_num:	the same
 * @overwrite:	mode of the shared buffers, if @has_mode
 * @has_mode:	it was given
 * @per_channel: each channel has buffers of its own
 */
struct options {
	char *name;
	char *contexts;
	u64 budget;
	unsigned int subbuf_order;
	unsigned int subbuf_num;
	bool overwrite;
	bool has_mode;
	bool per_channel;
};

enum {
	OPT_NAME, OPT_OVERWRITE, OPT_DISCARD, OPT_SUBBUF_SIZE, OPT_SUBBUF_NUM, OPT_CONTEXTS,
	OPT_BUDGET, OPT_CHANNEL, OPT_SHARED, OPT_ERROR
};

static const match_table_t tokens = {
	{ OPT_NAME, "name=%s" },
	{ OPT_OVERWRITE, "overwrite" },
	{ OPT_DISCARD, "discard" },
	{ OPT_SUBBUF_SIZE, "subbuf_size=%s" },
	{ OPT_SUBBUF_NUM, "subbuf_num=%s" },
	{ OPT_CONTEXTS, "contexts=%s" },
	{ OPT_BUDGET, "budget=%s" },
	{ OPT_CHANNEL, "channel" },
	{ OPT_SHARED, "shared" },
	{ OPT_ERROR, NULL },
};

/* A number of bytes: 65536, 64K, 1M. */
static int parse_size(const char *text, u64 *size)
{
	char *end;

	*size = memparse(text, &end);
	return end == text || *end || !*size ? -EINVAL : 0;
}

static int parse_order(const char *text, unsigned int *order)
{
	u64 size;

	if (parse_size(text, &size) || !is_power_of_2(size))
		return -EINVAL;
	*order = ilog2(size);
	return *order < LTT_SUBBUF_ORDER_MIN || *order > LTT_SUBBUF_ORDER_MAX ? -EINVAL : 0;
}

static int parse_num(const char *text, unsigned int *num)
{
	int err = kstrtouint(text, 10, num);

	if (err || !is_power_of_2(*num) || *num < LTT_SUBBUF_NUM_MIN || *num > LTT_SUBBUF_NUM_MAX)
		return -EINVAL;
	return 0;
}

/* @value is what comes after "=", NULL if nothing may. */
static int parse_option(struct options *options, int token, char *value)
{
	switch (token) {
	case OPT_NAME:
		options->name = value;
		return 0;
	case OPT_OVERWRITE:
	case OPT_DISCARD:
		options->overwrite = token == OPT_OVERWRITE;
		options->has_mode = true;
		return 0;
	case OPT_SUBBUF_SIZE:
		return parse_order(value, &options->subbuf_order);
	case OPT_SUBBUF_NUM:
		return parse_num(value, &options->subbuf_num);
	case OPT_CONTEXTS:
		strreplace(value, '+', ',');
		options->contexts = value;
		return 0;
	case OPT_BUDGET:
		return parse_size(value, &options->budget);
	case OPT_CHANNEL:
	case OPT_SHARED:
		options->per_channel = token == OPT_CHANNEL;
		return 0;
	default:
		return -EINVAL;
	}
}

/* Takes @text apart; @options points into it. */
static int parse_options(char *text, struct options *options, struct ltt_error *error)
{
	substring_t args[MAX_OPT_ARGS];
	char *option, *value;

	while ((option = strsep(&text, ",")) != NULL) {
		option = strim(option);
		if (!*option)
			continue;
		value = strchr(option, '=');
		if (parse_option(options, match_token(option, tokens, args),
				 value ? value + 1 : NULL))
			return ltt_fail(error, -EINVAL, "trace_options: invalid: %s", option);
	}
	if (options->per_channel && (options->has_mode || options->subbuf_order ||
				     options->subbuf_num || options->contexts))
		return ltt_fail(error, -EINVAL,
				"trace_options: channel: mode, sub-buffers and contexts can be chosen for shared buffers only");
	return 0;
}

static void set_overwrite(struct ltt_channel_params *params, unsigned int value)
{
	params->overwrite = value;
}

static void set_order(struct ltt_channel_params *params, unsigned int value)
{
	params->subbuf_order = value;
}

static void set_num(struct ltt_channel_params *params, unsigned int value)
{
	params->subbuf_num = value;
}

static int set_shared(struct ltt_trace *trace, const struct options *options,
		      struct ltt_error *error)
{
	const char *shared = LTT_CHANNEL_SHARED;
	int err = 0;

	if (options->has_mode)
		err = ltt_trace_change_channel(trace, shared, set_overwrite, options->overwrite,
					       error);
	if (!err && options->subbuf_order)
		err = ltt_trace_change_channel(trace, shared, set_order, options->subbuf_order,
					       error);
	if (!err && options->subbuf_num)
		err = ltt_trace_change_channel(trace, shared, set_num, options->subbuf_num, error);
	if (!err && options->contexts)
		err = ltt_trace_set_contexts(trace, shared, options->contexts, error);
	return err;
}

static int set_up(struct ltt_trace *trace, const struct options *options, char *patterns,
		  struct ltt_error *error)
{
	int err = 0;

	if (options->budget)
		err = ltt_trace_set_budget(trace, options->budget, error);
	if (!err)
		err = ltt_trace_set_shared(trace, !options->per_channel, error);
	if (!err)
		err = set_shared(trace, options, error);
	if (!err)
		err = ltt_trace_pattern(trace, patterns, error);
	if (!err)
		err = ltt_trace_start(trace, error);
	return err;
}

static int create(struct options *options, char *text, char *patterns, struct ltt_error *error)
{
	struct ltt_trace *trace;
	int err = parse_options(text, options, error);

	if (err)
		return err;
	strreplace(patterns, ',', ' ');
	trace = ltt_trace_create(options->name, error);
	if (IS_ERR(trace))
		return PTR_ERR(trace);
	err = set_up(trace, options, patterns, error);
	if (err)
		ltt_trace_destroy(trace);
	ltt_trace_put(trace);
	return err;
}

/**
 * ltt_boot_trace() - create the trace that parameter trace asks for
 *
 * Context: task, when all else is ready; ltt_mutex not held, sleeps.
 */
void ltt_boot_trace(void)
{
	struct options options = { .name = "boot" };
	char *patterns, *text;
	struct ltt_error error = {};
	int err = -ENOMEM;

	if (!boot_trace || !*boot_trace) {
		if (boot_options && *boot_options)
			pr_err("trace_options without trace: there is no trace\n");
		return;
	}
	patterns = kstrdup(boot_trace, GFP_KERNEL);
	text = kstrdup(boot_options ?: "", GFP_KERNEL);
	if (patterns && text)
		err = create(&options, text, patterns, &error);
	if (err)
		pr_err("no trace at boot (%pe): %s\n", ERR_PTR(err),
		       error.text[0] ? error.text : "out of memory");
	else
		pr_info("trace %s is recording\n", options.name);
	kfree(patterns);
	kfree(text);
}
