/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: durations, as subcommands take them.
 */
#ifndef _LTT_TOOL_DURATION_H
#define _LTT_TOOL_DURATION_H

#include <stdbool.h>
#include <stdint.h>

bool duration_parse(const char *text, uint64_t *ns);

#endif /* _LTT_TOOL_DURATION_H */
