/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: signals.
 */
#ifndef _LTT_TOOL_SIGNALS_H
#define _LTT_TOOL_SIGNALS_H

#include <signal.h>

void signals_that_end(sigset_t *mask);

#endif /* _LTT_TOOL_SIGNALS_H */
