/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libltt: names of kernel addresses.
 */
#ifndef _LTT_LIB_SYMBOLS_H
#define _LTT_LIB_SYMBOLS_H

#include "lib_private.h"

/* Where a trace has its copy of /proc/kallsyms. */
#define LIB_SYMBOLS_FILE	"symbols/kallsyms"

int lib_symbols_load(const char *file, struct lib_symbols **symbols,
		     struct libltt_problem *error);
void lib_symbols_free(struct lib_symbols *symbols);

#endif /* _LTT_LIB_SYMBOLS_H */
