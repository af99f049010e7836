/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: subcommands that take operands and no options of their own.
 */
#ifndef _LTT_TOOL_OPERANDS_H
#define _LTT_TOOL_OPERANDS_H

#include <argp.h>
#include <stddef.h>

void *operands_more(void *array, unsigned int nr, size_t size, const struct argp_state *state);
int operands_parse(int argc, char **argv, const char *what, const char *args_doc,
		   const char *doc);

#endif /* _LTT_TOOL_OPERANDS_H */
