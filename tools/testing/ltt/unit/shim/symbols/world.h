/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What module_symbols.c wants of the kernel: modules that a test makes, a time that it sets,
 * and no other task. In place of compat.h, registry.h and module_list.h, too.
 */
#ifndef _LTT_SYMBOLS_WORLD_H
#define _LTT_SYMBOLS_WORLD_H

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <linux/compiler.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/types.h>

#define _LINUX_LTT_COMPAT_H
#define _LINUX_LTT_MODULE_LIST_H
#define _LTT_REGISTRY_H

#define GFP_KERNEL_ACCOUNT	GFP_KERNEL
#define __GFP_NOWARN		0
#define Elf_Sym			Elf64_Sym
#define MODULE_NAME_LEN		56
#define LTT_MODULE_PIECES	2
#define MODULES_VADDR		0xffffffffa0000000ul
#define MODULES_END		0xffffffffff000000ul
#define PAGE_OFFSET		0xffff888000000000ul
#define is_vmalloc_addr(p)	((void)(p), false)

/* Few places, so that addresses get into each other's way. */
#define hash_long(value, bits)	((void)(bits), (unsigned long)(value) & 3)

struct list_head {
	struct list_head *next, *prev;
};

#define LIST_HEAD(name) struct list_head name = { &(name), &(name) }

static inline void list_add(struct list_head *node, struct list_head *head)
{
	node->prev = head;
	node->next = head->next;
	head->next->prev = node;
	head->next = node;
}

static inline void list_add_tail(struct list_head *node, struct list_head *head)
{
	list_add(node, head->prev);
}

static inline void list_del(struct list_head *node)
{
	node->prev->next = node->next;
	node->next->prev = node->prev;
}

#define list_entry container_of
#define list_for_each_entry(p, head, member)				\
	for (p = list_entry((head)->next, typeof(*p), member);		\
	     &p->member != (head);					\
	     p = list_entry(p->member.next, typeof(*p), member))
#define list_for_each_entry_reverse(p, head, member)			\
	for (p = list_entry((head)->prev, typeof(*p), member);		\
	     &p->member != (head);					\
	     p = list_entry(p->member.prev, typeof(*p), member))
#define list_for_each_entry_safe(p, n, head, member)			\
	for (p = list_entry((head)->next, typeof(*p), member),		\
	     n = list_entry(p->member.next, typeof(*p), member);	\
	     &p->member != (head);					\
	     p = n, n = list_entry(n->member.next, typeof(*n), member))

#define DECLARE_RWSEM(name)	int name
#define down_read(sem)		((void)(sem))
#define up_read(sem)		((void)(sem))
#define down_write(sem)		((void)(sem))
#define up_write(sem)		((void)(sem))
#define rcu_read_lock()		((void)0)
#define rcu_read_unlock()	((void)0)
#define rcu_dereference_raw(p)	(p)
#define cond_resched()		((void)0)
#define strscpy(to, from, size)	snprintf(to, size, "%s", from)
#define strnchr(s, n, c)	((void)(n), strchr(s, c))
#ifndef scnprintf
#define scnprintf		snprintf
#endif
#define sort(base, nr, size, compare, swap)	qsort(base, nr, size, compare)

struct mod_kallsyms {
	const Elf_Sym *symtab;
	unsigned int num_symtab;
	const char *strtab;
};

struct ltt_module_piece {
	unsigned long begin;
	unsigned long end;
	unsigned long symbols_end;
	bool init;
};

struct module {
	char name[MODULE_NAME_LEN];
	const struct mod_kallsyms *kallsyms;
	struct ltt_module_piece piece[LTT_MODULE_PIECES];
};

static inline void ltt_module_piece(const struct module *mod, unsigned int i,
				    struct ltt_module_piece *piece)
{
	*piece = mod->piece[i];
}

/* Those that were there before us, the newest first; NULL ends them. */
extern struct module *world_modules[4];

#define ltt_each_module(each)						\
do {									\
	struct module **world_module;					\
									\
	for (world_module = world_modules; *world_module; world_module++) \
		each(*world_module);					\
} while (0)

enum { MODULE_STATE_LIVE, MODULE_STATE_COMING, MODULE_STATE_GOING };
#define NOTIFY_DONE	0

struct notifier_block {
	int (*notifier_call)(struct notifier_block *nb, unsigned long state, void *mod);
	int priority;
};

#define register_module_notifier(nb)	((void)(nb), 0)
#define unregister_module_notifier(nb)	((void)(nb))

extern u64 world_time;
#define ltt_clock_current()	0
#define ltt_clock_now(clock)	((void)(clock), world_time)

struct seq_file {
	char *buf;
	size_t size;
	size_t count;
};

struct seq_operations {
	void *(*start)(struct seq_file *m, loff_t *pos);
	void *(*next)(struct seq_file *m, void *v, loff_t *pos);
	void (*stop)(struct seq_file *m, void *v);
	int (*show)(struct seq_file *m, void *v);
};

#define SEQ_START_TOKEN		((void *)1)
#define seq_has_overflowed(m)	((m)->count >= (m)->size)
#define seq_commit(m, n)	((m)->count = (m)->size)
#define seq_printf(m, ...)						\
	((m)->count += snprintf((m)->buf + (m)->count, (m)->size - (m)->count, __VA_ARGS__))
#define seq_puts(m, text)	seq_printf(m, "%s", text)

int ltt_symbols_init(void);
void ltt_symbols_exit(void);
void ltt_symbols_get(void);
void ltt_symbols_put(void);

#endif /* _LTT_SYMBOLS_WORLD_H */
