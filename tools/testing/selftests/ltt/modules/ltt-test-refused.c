// SPDX-License-Identifier: GPL-2.0
/*
 * LTT test: markers that must be refused, and one beside them that must not.
 *
 * What is wrong here is nothing the compiler can see.
 */

#include <linux/module.h>
#include <linux/ltt/marker.h>

static int __init ltt_test_refused_init(void)
{
	static const u8 bytes[] = { 1, 2, 3 };

	trace_mark(ltt_refused, blob, "binary %pW", bytes);
	trace_mark(ltt_refused, table, "state %d{0=ok,1}", 1);
	trace_mark(ltt_refused, extension, "address %pISpc", bytes);
	trace_mark(ltt_refused, sound, "value %d", 1);
	return 0;
}

static void __exit ltt_test_refused_exit(void)
{
}

module_init(ltt_test_refused_init);
module_exit(ltt_test_refused_exit);

MODULE_DESCRIPTION("LTT test: markers with wrong formats");
MODULE_LICENSE("GPL");
