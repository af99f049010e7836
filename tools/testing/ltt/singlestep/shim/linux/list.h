/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's header, as far as the ring buffer needs it. */
#ifndef _SS_LINUX_LIST_H
#define _SS_LINUX_LIST_H

#include <linux/kernel.h>

static inline void INIT_LIST_HEAD(struct list_head *head)
{
	head->next = head;
	head->prev = head;
}

static inline void list_add_tail(struct list_head *entry, struct list_head *head)
{
	entry->next = head;
	entry->prev = head->prev;
	head->prev->next = entry;
	head->prev = entry;
}

static inline void list_del(struct list_head *entry)
{
	entry->prev->next = entry->next;
	entry->next->prev = entry->prev;
}

#define list_for_each_entry(pos, head, member)				\
	for (pos = container_of((head)->next, typeof(*pos), member);	\
	     &pos->member != (head);					\
	     pos = container_of(pos->member.next, typeof(*pos), member))

#endif /* _SS_LINUX_LIST_H */
