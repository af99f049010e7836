/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT test: modules that differ in nothing but their names, so that one takes the place of
 * the other. They tell where they are, and where something is that has no symbol.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/stringify.h>
#include <linux/ltt/marker.h>

#define WORK	__PASTE(TWIN, _work)
#define INIT	__PASTE(TWIN, _init)
#define EXIT	__PASTE(TWIN, _exit)

/* That of init remains when init is gone. */
static void *heap, *init;

static noinline void WORK(void)
{
	trace_mark(ltt_twin, work, "name %s work %pS init %ps heap %pS",
		   __stringify(TWIN), WORK, init, heap);
	trace_mark(ltt_twin, place, "name %s at %lx", __stringify(TWIN), (unsigned long)WORK);
}

static int __init INIT(void)
{
	heap = kmalloc(16, GFP_KERNEL);
	if (!heap)
		return -ENOMEM;
	init = INIT;
	WORK();
	trace_mark(ltt_twin, init, "name %s init %pS", __stringify(TWIN), init);
	return 0;
}

static void __exit EXIT(void)
{
	WORK();
	kfree(heap);
}

MODULE_DESCRIPTION("LTT test: takes the place of another module");
MODULE_LICENSE("GPL");
