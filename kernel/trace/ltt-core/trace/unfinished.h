/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: writers that never commit; for readers and trace.c.
 */
#ifndef _LTT_UNFINISHED_H
#define _LTT_UNFINISHED_H

#include <linux/ltt/reader.h>

void ltt_unfinished_init(struct ltt_unfinished *unfinished);
void ltt_unfinished_look(struct ltt_unfinished *unfinished, struct ltt_trace_channel *tchan,
			 unsigned int cpu, unsigned long *seen);
void ltt_unfinished_cancel(struct ltt_unfinished *unfinished);
void ltt_unfinished_end(struct ltt_trace *trace);

#endif /* _LTT_UNFINISHED_H */
