/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: option --style of the commands that show text.
 */
#ifndef _LTT_TEXT_STYLE_H
#define _LTT_TEXT_STYLE_H

#include <stdbool.h>

struct argp_state;

void text_style_help(const char *name, bool live);
void text_style_check(const char *name, const struct argp_state *state);

#endif /* _LTT_TEXT_STYLE_H */
