/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: names of addresses, as they were when an event was recorded.
 */
#ifndef _LINUX_LTT_SYMBOL_H
#define _LINUX_LTT_SYMBOL_H

#include <linux/types.h>

/* Instead of a time: look the address up as of now. */
#define LTT_SYMBOL_NOW		U64_MAX

/* The same without a lock, in any context. */
#define LTT_SYMBOL_ATOMIC	(U64_MAX - 1)

/* Room for any text of ltt_symbol_print(). */
#define LTT_SYMBOL_ROOM		1024

/**
 * struct ltt_other_boot - an earlier start of this or another kernel, whose addresses are shown
 * @same_build:	it was the same kernel; symbols in modules are unknown nevertheless
 * @shift:	add this to an address in that kernel to get the same place in this one
 */
struct ltt_other_boot {
	bool same_build;
	unsigned long shift;
};

struct ltt_symbol_text;

/**
 * struct ltt_symbol_cache - symbols that a reader has shown; zeros are an empty one
 * @texts:	internal: the table, NULL as long as there is none
 */
struct ltt_symbol_cache {
	struct ltt_symbol_text *texts;
};

bool ltt_is_kernels(unsigned long addr);
bool ltt_may_see(unsigned long addr);
int ltt_symbol_print(char *buf, size_t size, unsigned long addr, const char *letters, u64 ts);
int ltt_symbol_print_other(char *buf, size_t size, unsigned long addr, const char *letters,
			   const struct ltt_other_boot *boot);
int ltt_symbol_print_cached(struct ltt_symbol_cache *cache, char *buf, size_t size,
			    unsigned long addr, const char *letters, u64 ts);
void ltt_symbol_cache_free(struct ltt_symbol_cache *cache);

struct module;
unsigned long ltt_module_symbol(const struct module *first, const char *symbol);

#endif /* _LINUX_LTT_SYMBOL_H */
