// SPDX-License-Identifier: GPL-2.0
/*
 * LTT sample: a trace that a module makes by itself.
 *
 * As a driver could that keeps a record of its last steps, without anybody having to set
 * up a trace first: a flight recorder of its own, which it pauses around work that is of no
 * interest. Nobody needs to read it; but everybody can, like any other trace.
 *
 * Where modprobe does not find the sample, insmod the file that was built, see the Makefile.
 *
 *	# modprobe ltt-sample-trace
 *	# echo 5 > /sys/module/ltt_sample_trace/parameters/run
 *	# cat /sys/kernel/debug/ltt/traces/sample_trace/text/ALL
 *
 * The trace is destroyed when the module is removed.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/ltt/channel.h>
#include <linux/ltt/marker.h>
#include <linux/ltt/trace.h>

/* The trace's name, and that of the only channel in it. */
#define NAME	"sample_trace"

/*
 * NULL until it is set up, and from when the module goes. Protected by kernel_param_lock(), with
 * which parameters are written: also while the module is being loaded, or removed.
 */
static struct ltt_trace *trace;

static void steps(unsigned int nr)
{
	static unsigned int number;

	/* Arguments of a marker that nobody records are not evaluated. */
	while (nr--) {
		number++;
		trace_mark(sample_trace, step, "number %u", number);
	}
}

/* Some steps that are recorded, and one that is not. */
static int run(unsigned int nr, struct ltt_error *error)
{
	int err;

	steps(nr);
	err = ltt_trace_enable_channel(trace, NAME, false, error);
	if (err)
		return err;
	steps(1);
	err = ltt_trace_enable_channel(trace, NAME, true, error);
	if (err)
		return err;
	/* Who reads binary/ gets whole packets only: let there be one now. */
	err = ltt_trace_flush(trace);
	return err ? ltt_fail(error, err, "cannot flush") : 0;
}

static int run_set(const char *value, const struct kernel_param *param)
{
	struct ltt_error error = {};
	unsigned int nr;
	int err;

	err = kstrtouint(value, 0, &nr);
	if (err)
		return err;
	if (!trace)
		return -ENODEV;
	err = run(nr, &error);
	/* No text: the writer was killed. */
	if (err && *error.text)
		pr_err("%s\n", error.text);
	return err;
}

static const struct kernel_param_ops run_ops = { .set = run_set };

module_param_cb(run, &run_ops, NULL, 0200);
MODULE_PARM_DESC(run, "write a number: so many steps are recorded");

/* What is to be recorded, and in which buffers; then begin. */
static int configure(struct ltt_trace *new, struct ltt_error *error)
{
	static const struct ltt_channel_params params = {
		.subbuf_order	= 12,
		.subbuf_num	= 4,
		.overwrite	= true,
	};
	int err;

	err = ltt_trace_set_channel(new, NAME, &params, error);
	if (err)
		return err;
	err = ltt_trace_set_contexts(new, NAME, "pid", error);
	if (err)
		return err;
	err = ltt_trace_pattern(new, NAME ".*", error);
	if (err)
		return err;
	return ltt_trace_start(new, error);
}

static void destroy(struct ltt_trace *old)
{
	/* -ENODEV: somebody else has done it already, by writing to destroy_trace. */
	ltt_trace_stop(old);
	ltt_trace_destroy(old);
	ltt_trace_put(old);
}

/* Let run_set() use another trace, or none. Return: the one before; nobody uses it any more. */
static struct ltt_trace *replace(struct ltt_trace *new)
{
	struct ltt_trace *old;

	kernel_param_lock(THIS_MODULE);
	old = trace;
	trace = new;
	kernel_param_unlock(THIS_MODULE);
	return old;
}

static int __init ltt_sample_trace_init(void)
{
	struct ltt_error error = {};
	struct ltt_trace *new;
	int err;

	new = ltt_trace_create(NAME, &error);
	if (IS_ERR(new)) {
		pr_err("%s\n", error.text);
		return PTR_ERR(new);
	}
	err = configure(new, &error);
	if (err) {
		pr_err("%s\n", error.text);
		destroy(new);
		return err;
	}
	replace(new);
	return 0;
}

static void __exit ltt_sample_trace_exit(void)
{
	destroy(replace(NULL));
}

module_init(ltt_sample_trace_init);
module_exit(ltt_sample_trace_exit);

MODULE_DESCRIPTION("LTT sample: a trace that a module makes by itself");
MODULE_LICENSE("GPL");
