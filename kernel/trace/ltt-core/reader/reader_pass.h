/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: what readers do about CPUs that hold up grace periods; for reader.c only.
 */
#ifndef _LTT_READER_PASS_H
#define _LTT_READER_PASS_H

#include <linux/types.h>
#include <linux/ltt/clock.h>

struct cpumask;
struct ltt_pass;

struct ltt_pass *ltt_pass_alloc(void);
void ltt_pass_free(struct ltt_pass *pass);
bool ltt_pass_is_due(u64 gp_began);
bool ltt_pass_poll(struct ltt_pass *pass, enum ltt_clock_id clock, u64 since);
u64 ltt_pass_take(struct ltt_pass *pass);
void ltt_pass_forget(struct ltt_pass *pass, u64 watermark);
const struct cpumask *ltt_pass_silent(const struct ltt_pass *pass, u64 *since);

#endif /* _LTT_READER_PASS_H */
