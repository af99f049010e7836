/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Not for drivers: what differs between the kernels that LTT supports. No other file asks
 * for the kernel's version.
 */
#ifndef _LINUX_LTT_COMPAT_H
#define _LINUX_LTT_COMPAT_H

#include <linux/atomic.h>
#include <linux/blkdev.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/io.h>
#include <linux/irqnr.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/ns_common.h>
#include <linux/rcupdate.h>
#include <linux/syscore_ops.h>
#include <linux/tracepoint.h>
#include <linux/version.h>

struct mnt_namespace;

/* atomic64_inc_return() without sanitizer instrumentation, for code that runs anywhere. */
static __always_inline s64 ltt_raw_atomic64_inc_return(atomic64_t *v)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
	return raw_atomic64_inc_return(v);
#else
	return arch_atomic64_inc_return(v);
#endif
}

/*
 * Are a CPU's stores seen by whoever sees its idle time (get_cpu_idle_time_us()) that began after
 * them? Before 6.4 the kernel has no barrier there.
 */
#define LTT_IDLE_IS_ORDERED	\
	(IS_ENABLED(CONFIG_X86) || LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0))

/* A snapshot of the clocks and of the counter that they are derived from. */
#ifdef LTT_HAVE_SNAPSHOT_ID
#define ltt_get_snapshot(snap)	ktime_get_snapshot_id(CLOCK_MONOTONIC, snap)
#else
#define ltt_get_snapshot(snap)	ktime_get_snapshot(snap)
#endif

/*
 * Callbacks for suspend and resume, called by the last CPU that runs. The newer interface
 * was backported to older stable series, so the version does not tell: the Makefile looks
 * for it.
 */
#ifdef LTT_HAVE_SYSCORE_DATA
#define LTT_SYSCORE_ARGS	void *data
#define LTT_DEFINE_SYSCORE(name, suspend_function, resume_function)		\
	static const struct syscore_ops name##_ops = {				\
		.suspend	= suspend_function,				\
		.resume		= resume_function,				\
	};									\
	static struct syscore name = { .ops = &name##_ops }
#define ltt_register_syscore	register_syscore
#define ltt_unregister_syscore	unregister_syscore
#else
#define LTT_SYSCORE_ARGS	void
#define LTT_DEFINE_SYSCORE(name, suspend_function, resume_function)		\
	static struct syscore_ops name = {					\
		.suspend	= suspend_function,				\
		.resume		= resume_function,				\
	}
#define ltt_register_syscore	register_syscore_ops
#define ltt_unregister_syscore	unregister_syscore_ops
#endif

/* Does [@addr, @addr + @size) lie in the module's data, other than its init data? */
static inline bool ltt_module_data(const struct module *mod, const void *addr,
				   size_t size)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
	const void *base = mod->mem[MOD_DATA].base;
	size_t room = mod->mem[MOD_DATA].size;
#else
	const void *base = mod->core_layout.base;
	size_t room = mod->core_layout.size;
#endif
	return addr >= base && size <= room && addr - base <= room - size;
}

/* Are expedited grace periods normal ones? Exported, but not declared for us. */
#ifdef CONFIG_TINY_RCU
static inline bool rcu_gp_is_normal(void) { return true; }
#else
bool rcu_gp_is_normal(void);
#endif

/* A timer that fires in a hard interrupt of the CPU that arms it, on PREEMPT_RT too. */
static inline void
ltt_hrtimer_setup(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *timer))
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(timer, function, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer->function = function;
#endif
}

/* For files that have only read_iter(). */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
#define ltt_splice_read copy_splice_read
#else
#define ltt_splice_read generic_file_splice_read
#endif

/* Change the flags of a mapping while it is being created. */
static inline void ltt_vm_flags_mod(struct vm_area_struct *vma, unsigned long set,
				    unsigned long clear)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	vm_flags_mod(vma, set, clear);
#else
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
#endif
}

/* Where a module's code begins, and the module's total size, as in /proc/modules. */
static inline void *ltt_module_span(const struct module *mod, unsigned long *size)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
	unsigned long sum = 0;

	for_each_mod_mem_type(type)
		sum += mod->mem[type].size;
	*size = sum;
	return mod->mem[MOD_TEXT].base;
#else
	*size = mod->core_layout.size + mod->init_layout.size;
	return mod->core_layout.base;
#endif
}

/**
 * struct ltt_module_piece - a piece of a module's memory
 * @begin:	where it begins
 * @end:	and ends; the same if the module has no such piece
 * @symbols_end: where its last symbol ends, for kallsyms
 * @init:	freed when the module's init function has run
 */
struct ltt_module_piece {
	unsigned long begin;
	unsigned long end;
	unsigned long symbols_end;
	bool init;
};

/* Piece number @i, the first of them is code; LTT_MODULE_PIECES of them. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
#define LTT_MODULE_PIECES	MOD_MEM_NUM_TYPES
static inline void ltt_module_piece(const struct module *mod, unsigned int i,
				    struct ltt_module_piece *piece)
{
	piece->begin = (unsigned long)mod->mem[i].base;
	piece->end = piece->begin + mod->mem[i].size;
	piece->symbols_end = piece->end;
	piece->init = mod_mem_type_is_init(i);
}
#else
#define LTT_MODULE_PIECES	2
static inline void ltt_module_piece(const struct module *mod, unsigned int i,
				    struct ltt_module_piece *piece)
{
	const struct module_layout *layout = i ? &mod->init_layout : &mod->core_layout;

	piece->begin = (unsigned long)layout->base;
	piece->end = piece->begin + layout->size;
	piece->symbols_end = piece->begin + layout->text_size;
	piece->init = i;
}
#endif

/* The next open file, from descriptor *@fd on, with a reference; sets *@fd to its descriptor. */
static inline struct file *ltt_task_next_file(struct task_struct *task, unsigned int *fd)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	return fget_task_next(task, fd);
#else
	struct file *file;

	rcu_read_lock();
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
	file = task_lookup_next_fdget_rcu(task, fd);
#else
	while ((file = task_lookup_next_fd_rcu(task, fd)) && !get_file_rcu(file))
		++*fd;	/* just being closed */
#endif
	rcu_read_unlock();
	return file;
#endif
}

/*
 * The path that users see of a file that may stand for another one, as overlayfs files in
 * memory maps do.
 */
static inline const struct path *ltt_file_path(const struct file *file)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
	return file_user_path(file);
#else
	return &file->f_path;
#endif
}

/* Number of a mount namespace; only fs/ knows its structure beyond the first member. */
static inline unsigned int ltt_mnt_ns_number(const struct mnt_namespace *ns)
{
	return ((const struct ns_common *)ns)->inum;
}

/* Interrupts are numbered from 0 to this, exclusive. */
static inline unsigned int ltt_nr_irqs(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	return irq_get_nr_irqs();
#else
	return nr_irqs;
#endif
}

/* The type of the flags with which the tracepoint task_newtask tells of a new task. */
#ifdef LTT_HAVE_CLONE_U64
#define LTT_CLONE_FLAGS	u64
#else
#define LTT_CLONE_FLAGS	unsigned long
#endif

/* A disk that is never registered; NULL if there is no memory. */
static inline struct gendisk *ltt_disk_alloc(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
	struct gendisk *disk = blk_alloc_disk(NULL, NUMA_NO_NODE);

	return IS_ERR(disk) ? NULL : disk;
#else
	return blk_alloc_disk(NUMA_NO_NODE);
#endif
}

/*
 * Wait for all writers, in tracepoint probes and elsewhere. In newer kernels
 * tracepoint_synchronize_unregister() waits only for the former.
 */
static inline void ltt_synchronize_probes(void)
{
	tracepoint_synchronize_unregister();
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
	synchronize_rcu();
#endif
}

/* Memory that was reserved by a name on the kernel's command line. */
static inline int ltt_reserve_mem_find(const char *name, phys_addr_t *start, u64 *size)
{
#ifdef LTT_HAVE_RESERVE_MEM
	phys_addr_t bytes = 0;
	int found = reserve_mem_find_by_name(name, start, &bytes);

	*size = bytes;
	return found ? 0 : -ENOENT;
#else
	return -EOPNOTSUPP;
#endif
}

/* Memory that is not the kernel's, cached. */
static inline void *ltt_map_memory(phys_addr_t start, u64 size)
{
#ifdef CONFIG_HAS_IOMEM
	return memremap(start, size, MEMREMAP_WB);
#else
	return NULL;
#endif
}

static inline void ltt_unmap_memory(void *base)
{
#ifdef CONFIG_HAS_IOMEM
	memunmap(base);
#endif
}

#endif /* _LINUX_LTT_COMPAT_H */
