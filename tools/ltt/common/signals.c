// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: signals.
 */

#include <stddef.h>

#include "signals.h"

/**
 * signals_that_end() - which signals ask us to end?
 * @mask:	set to them, without those that are ignored (nohup)
 */
void signals_that_end(sigset_t *mask)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action;
	size_t i;

	sigemptyset(mask);
	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		sigaction(ends[i], NULL, &action);
		if (action.sa_handler != SIG_IGN)
			sigaddset(mask, ends[i]);
	}
}
