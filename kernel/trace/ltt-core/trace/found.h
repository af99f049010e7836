/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: private header of ltt-core: traces that were found in areas.
 */
#ifndef _LTT_FOUND_H
#define _LTT_FOUND_H

struct ltt_error;

int ltt_found_destroy(const char *name, struct ltt_error *error);
void ltt_found_init(void);
void ltt_found_show(void);
void ltt_found_exit(void);

#endif /* _LTT_FOUND_H */
