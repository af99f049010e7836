// SPDX-License-Identifier: GPL-2.0
/*
 * The bridge's memory for records: tasks, what interrupts them, and tasks that die.
 *
 * The code under test is included; of the kernel it gets what is defined here.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/ltt/reserve.h>

#include "ktap.h"
#include "../../../../kernel/trace/ltt-events/tracepoints/bytes.h"

#define _LTT_BRIDGE_H		/* we are all of it */
#define TRACE_EVENT_STR_MAX	512
#define BIT(n)			(1ul << (n))
#define WARN_ON_ONCE(x)		(x)
#define __percpu
#define __init
#define strscpy(dst, src, size)	snprintf(dst, size, "%s", src)

#define DEFINE_PER_CPU(type, name)	type name
#define alloc_percpu(type)	((type *)calloc(1, sizeof(type)))
#define free_percpu(p)		free(p)
#define this_cpu_read(x)	(x)
#define this_cpu_write(x, v)	((x) = (v))
#define this_cpu_inc_return(x)	(++(x))

struct task_struct {
	int none_of_ours;
};

static struct task_struct task[2];
static struct task_struct *current;
static unsigned int level;

static unsigned int interrupt_context_level(void)
{
	return level;
}

void ltt_bridge_scratch_exit(void);

#define SIZE	64

#include "../../../../kernel/trace/ltt-events/tracepoints/scratch.c"

static void begin(void)
{
	current = &task[0];
	level = 0;
	EXPECT(!ltt_bridge_scratch_init() && !depth, "not ready");
}

static void end(void)
{
	ltt_bridge_scratch_exit();
	depth = 0;
	owner = NULL;
}

/* What nests has a record of its own, as long as there are any. */
static void test_nested(void)
{
	void *record[LEVELS];
	int i, j;

	begin();
	for (i = 0; i < LEVELS; i++) {
		level = i < 4 ? i : 3;
		record[i] = ltt_bridge_get(SIZE);
		EXPECT(record[i], "none for level %d", i);
		for (j = 0; j < i; j++)
			EXPECT(record[i] != record[j], "%d and %d share one", j, i);
	}
	EXPECT(!ltt_bridge_get(SIZE), "one too many");
	for (i = 0; i < LEVELS; i++)
		ltt_bridge_put();
	level = 0;
	EXPECT(ltt_bridge_get(SIZE) == record[0], "not given back");
	ltt_bridge_put();
	EXPECT(!ltt_bridge_get(LTT_BRIDGE_SCRATCH + 1) && !depth, "too large");
	end();
}

/* A fault, or an interrupt that does not count as one yet, takes no record that is used. */
static void test_same_task(void)
{
	void *outer, *inner;

	begin();
	outer = ltt_bridge_get(SIZE);
	inner = ltt_bridge_get(SIZE);
	EXPECT(outer && inner && outer != inner, "shared");
	ltt_bridge_put();
	ltt_bridge_put();
	current = &task[1];
	EXPECT(ltt_bridge_get(SIZE) == outer, "not given back");
	ltt_bridge_put();
	end();
}

/* However many die, the next task has all records. */
static void test_dead(void)
{
	void *first, *record;
	int i;

	begin();
	first = ltt_bridge_get(SIZE);
	ltt_bridge_put();
	for (i = 0; i < 3 * LEVELS; i++) {
		current = &task[i & 1];
		EXPECT(ltt_bridge_get(SIZE) == first, "death %d", i);
	}

	/* An interrupt does not know yet whether the task that it met uses one. */
	current = &task[i & 1];
	level = 2;
	record = ltt_bridge_get(SIZE);
	EXPECT(record && record != first, "a record that may be used");
	level = 3;
	EXPECT(ltt_bridge_get(SIZE) != record, "a record that is used");
	ltt_bridge_put();
	ltt_bridge_put();

	level = 0;
	EXPECT(ltt_bridge_get(SIZE) == first && depth == 1, "depth %d", depth);
	/* And it is its own from now on. */
	EXPECT(ltt_bridge_get(SIZE) != first && depth == 2, "depth %d", depth);
	ltt_bridge_put();
	ltt_bridge_put();
	EXPECT(!depth, "depth %d", depth);
	end();
}

static const struct ktap_case cases[] = {
	{ "records of what nests", test_nested },
	{ "records of one task", test_same_task },
	{ "tasks that die", test_dead },
};

int main(void)
{
	return ktap_run(cases, ARRAY_SIZE(cases));
}
