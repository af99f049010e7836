/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libltt: events as lines, by several threads. For `ltt view`; the library does not export it.
 */
#ifndef _LTT_LIB_JOBS_H
#define _LTT_LIB_JOBS_H

struct libltt;

unsigned int lib_jobs_start(struct libltt *ltt, unsigned int nr);
long lib_jobs_text(struct libltt *ltt, const char **text);
void lib_jobs_stop(struct libltt *ltt);

#endif /* _LTT_LIB_JOBS_H */
