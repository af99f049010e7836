/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: what kind of pages a page lies among, which the kernel keeps a function for to
 * itself. Macros: where they know nothing of the bits that the kernel keeps, only the
 * events that ask for them are left out.
 */
#ifdef CONFIG_SPARSEMEM
#if defined(PAGEBLOCK_MIGRATETYPE_MASK) && defined(CONFIG_MEMORY_ISOLATION)
#define LTT_MIGRATETYPE(_bits)						\
	((_bits) & PAGEBLOCK_ISO_MASK ? MIGRATE_ISOLATE :		\
	 (_bits) & PAGEBLOCK_MIGRATETYPE_MASK)
#elif defined(PAGEBLOCK_MIGRATETYPE_MASK)
#define LTT_MIGRATETYPE(_bits)	((_bits) & PAGEBLOCK_MIGRATETYPE_MASK)
#else
#define LTT_MIGRATETYPE(_bits)	((_bits) & ((2UL << PB_migrate_end) - 1))
#endif
#undef get_pageblock_migratetype
#define get_pageblock_migratetype(_page)				\
({									\
	const unsigned long __pfn = page_to_pfn(_page);			\
	const unsigned long *__map = section_to_usemap(__pfn_to_section(__pfn)); \
	const unsigned long __bit = NR_PAGEBLOCK_BITS *			\
		((__pfn & (PAGES_PER_SECTION - 1)) >> pageblock_order);	\
									\
	LTT_MIGRATETYPE(READ_ONCE(__map[__bit / BITS_PER_LONG]) >>	\
			__bit % BITS_PER_LONG);				\
})
#endif
