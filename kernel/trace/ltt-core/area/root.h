/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: the log of a trace in ordinary memory, for dumps of all memory.
 */
#ifndef _LTT_ROOT_H
#define _LTT_ROOT_H

#include <linux/types.h>

#include "log.h"

struct ltt_root;
struct ltt_subbuf;

struct ltt_root *ltt_root_create(const struct ltt_area_trace *trace,
				 const struct ltt_area_names *names);
struct ltt_root *ltt_root_create_window(const struct ltt_root *of,
					const struct ltt_area_window *window, const char *why);
void ltt_root_set_ended(struct ltt_root *root, bool ended);
void ltt_root_free(struct ltt_root *root);
struct ltt_area_log *ltt_root_begin(const struct ltt_root *root);
int ltt_root_add(struct ltt_root *root, int err);
int ltt_root_add_buffer(struct ltt_root *root, const struct ltt_area_buffer *buffer,
			const struct ltt_subbuf *sb);
void ltt_root_remove_buffer(struct ltt_root *root, const struct ltt_area_buffer *buffer,
			    const struct ltt_subbuf *sb);

#endif /* _LTT_ROOT_H */
