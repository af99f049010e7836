/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: what kind of pages a page lies among, which the kernel keeps a function for to
 * itself. A macro: where PB_migrate_end is unknown the kernel keeps other bits, and
 * only the events that ask for them are left out.
 */
#ifdef CONFIG_SPARSEMEM
#undef get_pageblock_migratetype
#define get_pageblock_migratetype(_page)				\
({									\
	const unsigned long __pfn = page_to_pfn(_page);			\
	const unsigned long *__map = section_to_usemap(__pfn_to_section(__pfn)); \
	const unsigned long __bit = NR_PAGEBLOCK_BITS *			\
		((__pfn & (PAGES_PER_SECTION - 1)) >> pageblock_order);	\
									\
	(READ_ONCE(__map[__bit / BITS_PER_LONG]) >> __bit % BITS_PER_LONG) & \
		((2UL << PB_migrate_end) - 1);				\
})
#endif
