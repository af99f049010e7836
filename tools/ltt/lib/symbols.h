/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libltt: names of kernel addresses.
 */
#ifndef _LTT_LIB_SYMBOLS_H
#define _LTT_LIB_SYMBOLS_H

#include "private.h"

/* Where a trace has its copy of /proc/kallsyms. */
#define LIB_SYMBOLS_FILE	"symbols/kallsyms"

/* And that of module_symbols. */
#define LIB_MODULES_FILE	"symbols/modules"

int lib_symbols_load(const char *file, const char *modules, struct lib_symbols **symbols,
		     struct libltt_problem *error);
void lib_symbols_free(struct lib_symbols *symbols);

/* modules.c */
struct lib_modules;
struct ltt_symbol;

int lib_grow(void **array, size_t nr, size_t *room, size_t size);
int lib_each_line(char *text, int (*add_line)(void *data, char *line, u32 nr), void *data,
		  const char *file, const char *wanted, struct libltt_problem *error);
int lib_modules_load(const char *file, struct lib_modules **modules,
		     struct libltt_problem *error);
void lib_modules_free(struct lib_modules *modules);
bool lib_modules_find(const struct lib_modules *modules, u64 address, u64 time,
		      struct ltt_symbol *symbol);

#endif /* _LTT_LIB_SYMBOLS_H */
