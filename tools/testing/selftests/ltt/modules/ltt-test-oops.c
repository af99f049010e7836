// SPDX-License-Identifier: GPL-2.0
/*
 * LTT test: the task that next calls a function of the kernel, or of a module, oopses there, once
 * for each name that is written to the parameter "function".
 */

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/string.h>

static atomic_t armed;
static int *nowhere;

static notrace void oops_here(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
			      struct ftrace_regs *regs)
{
	if (atomic_dec_if_positive(&armed) >= 0)
		WRITE_ONCE(*READ_ONCE(nowhere), 1);
}

static struct ftrace_ops ops = { .func = oops_here };

static int function_set(const char *text, const struct kernel_param *param)
{
	char name[KSYM_NAME_LEN];
	int err;

	if (strscpy(name, text, sizeof(name)) < 0)
		return -ENAMETOOLONG;
	strim(name);
	err = ftrace_set_filter(&ops, name, strlen(name), 1);
	if (err)
		return err;
	atomic_set(&armed, 1);
	return 0;
}

static const struct kernel_param_ops function_ops = { .set = function_set };

module_param_cb(function, &function_ops, NULL, 0200);
MODULE_PARM_DESC(function, "The next call of this function oopses");

static int __init ltt_test_oops_init(void)
{
	return register_ftrace_function(&ops);
}

static void __exit ltt_test_oops_exit(void)
{
	unregister_ftrace_function(&ops);
}

module_init(ltt_test_oops_init);
module_exit(ltt_test_oops_exit);

MODULE_DESCRIPTION("LTT test: an oops in a function");
MODULE_LICENSE("GPL");
