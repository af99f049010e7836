// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the state dump's memory maps.
 *
 * A process that changes its map waits for readers of the map. So the lock is taken anew
 * for each area, and never waited for.
 */

#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/sched/mm.h>
#include <linux/ltt/compat.h>

#include "statedump.h"

/* How often to try to get the lock, a millisecond apart. */
#define TRIES	100

/**
 * struct area - what is recorded of a memory area
 * @start:	first address
 * @end:	first address after it
 * @flags:	VM_*
 * @pgoff:	pages, where in the file it begins
 * @file:	what is mapped, with a reference; or NULL
 * @name:	of an area without a file
 */
struct area {
	unsigned long start;
	unsigned long end;
	unsigned long flags;
	unsigned long pgoff;
	struct file *file;
	const char *name;
};

static const char *name_of(struct vm_area_struct *vma, const struct mm_struct *mm)
{
	const char *name = NULL;

	if (vma->vm_ops && vma->vm_ops->name)
		name = vma->vm_ops->name(vma);
	if (name)
		return name;
	if (vma->vm_start < mm->brk && vma->vm_end > mm->start_brk)
		return "[heap]";
	if (vma->vm_start <= mm->start_stack && vma->vm_end >= mm->start_stack)
		return "[stack]";
	return "";
}

/* Return: true if there is an area at @addr or after it. */
static bool get_area(struct mm_struct *mm, unsigned long addr, struct area *area)
{
	struct vm_area_struct *vma = find_vma(mm, addr);

	if (!vma)
		return false;
	area->start = vma->vm_start;
	area->end = vma->vm_end;
	area->flags = vma->vm_flags;
	area->pgoff = vma->vm_file ? vma->vm_pgoff : 0;
	area->file = vma->vm_file ? get_file(vma->vm_file) : NULL;
	area->name = area->file ? NULL : name_of(vma, mm);
	return true;
}

/* Return: 1, 0 if there is no further area, -EBUSY. */
static int next_area(struct state_dump *dump, struct task_struct *task, unsigned long addr,
		     struct area *area)
{
	struct mm_struct *mm;
	unsigned int i;
	int ret;

	for (i = 0; i < TRIES && !ltt_state_cancelled(dump); i++) {
		ret = -EBUSY;
		mm = get_task_mm(task);
		if (!mm)
			return 0;
		if (mmap_read_trylock(mm)) {
			ret = get_area(mm, addr, area);
			mmap_read_unlock(mm);
		}
		/* The last one tears down the map, which may call arbitrary code. */
		mmput_async(mm);
		if (ret >= 0)
			return ret;
		ltt_state_sleep(dump, 1);
	}
	return -EBUSY;
}

/**
 * ltt_state_maps() - record the memory map of a process
 * @dump:	the dump
 * @task:	one of its threads; the caller has a reference
 *
 * Context: task, sleeps.
 */
void ltt_state_maps(struct state_dump *dump, struct task_struct *task)
{
	struct area area = { .end = 0 };
	const char *path;
	int ret;

	while (!ltt_state_cancelled(dump)) {
		ret = next_area(dump, task, area.end, &area);
		if (ret < 0)
			ltt_state_skip(dump);
		if (ret <= 0)
			return;
		path = area.name;
		if (area.file) {
			path = d_path(ltt_file_path(area.file), dump->text, PATH_MAX);
			fput(area.file);
			if (IS_ERR(path))
				path = "(too long)";
		}
		state_mark(dump, STATE_MAP, vm_map,
			   "pid %d start %lx end %lx flags %lx{|1=r|2=w|4=x|8=s} pgoff %lu path %s",
			   task->tgid, area.start, area.end, area.flags, area.pgoff, path);
	}
}
