/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: subcommands that take operands and no options of their own.
 */
#ifndef _LTT_TOOL_OPERANDS_H
#define _LTT_TOOL_OPERANDS_H

int operands_parse(int argc, char **argv, const char *what, const char *args_doc,
		   const char *doc);

#endif /* _LTT_TOOL_OPERANDS_H */
