/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: private header of ltt-core: windows, what a trace's overwrite buffers held at some time.
 */
#ifndef _LTT_WINDOW_H
#define _LTT_WINDOW_H

#include <linux/types.h>

struct ltt_error;
struct ltt_trace;
struct seq_file;

/* Most windows that a trace can have at a time. */
#define LTT_WINDOWS_MAX		256u

/* Room for the reason of a window, with the 0 at its end. */
#define LTT_WINDOW_WHY		64

bool ltt_window_take(struct ltt_trace *trace, const char why[LTT_WINDOW_WHY], u64 before_ns,
		     u64 after_ns);
unsigned int ltt_windows_max(const struct ltt_trace *trace);
int ltt_windows_want(struct ltt_trace *trace, unsigned int windows, struct ltt_error *error);
int ltt_windows_set_max(struct ltt_trace *trace, unsigned int windows, struct ltt_error *error);
int ltt_windows_set_keep(struct ltt_trace *trace, bool last, struct ltt_error *error);
bool ltt_windows_keep_last(const struct ltt_trace *trace);
int ltt_windows_request(struct ltt_trace *trace, const char *text, struct ltt_error *error);
void ltt_windows_show(struct seq_file *m, const struct ltt_trace *trace);
unsigned int ltt_windows_news(const struct ltt_trace *trace);
void ltt_windows_end(struct ltt_trace *trace);
void ltt_windows_free(struct ltt_trace *trace);

#endif /* _LTT_WINDOW_H */
