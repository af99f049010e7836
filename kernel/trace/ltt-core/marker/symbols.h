/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: what module_symbols.c tells those who remember the symbols that it finds.
 */
#ifndef _LTT_SYMBOLS_H
#define _LTT_SYMBOLS_H

#include <linux/types.h>

/**
 * struct ltt_symbol_valid - when an address is shown as this symbol
 * @from:	ns, for events of this time and later
 * @to:		ns, and until this time; for none if it is before @from
 * @changes:	as long as this is ltt_symbol_changes
 */
struct ltt_symbol_valid {
	u64 from;
	u64 to;
	unsigned int changes;
};

extern unsigned int ltt_symbol_changes;
int ltt_symbol_find(char *buf, size_t size, unsigned long addr, const char *letters, u64 ts,
		    struct ltt_symbol_valid *valid);
int ltt_symbol_number(char *buf, size_t size, unsigned long addr, bool may_see);

#endif /* _LTT_SYMBOLS_H */
