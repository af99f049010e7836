/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: the option that chooses names, for the subcommands that have it.
 */
#ifndef _LTT_TOOL_CMD_NAMES_H
#define _LTT_TOOL_CMD_NAMES_H

struct argp_state;
struct names_scheme;

const struct names_scheme *names_option(const char *arg, const struct argp_state *state);

#endif /* _LTT_TOOL_CMD_NAMES_H */
