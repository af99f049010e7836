/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LTT_KPROBES_FILE_H
#define _LTT_KPROBES_FILE_H

#include <linux/percpu.h>

#include "../kprobes/probe.h"

#define LTT_KPROBES_FILE	"dynamic_markers"

/* One for each CPU, from the module's start to its end. */
extern struct ltt_scratch __percpu *ltt_scratch;

#endif /* _LTT_KPROBES_FILE_H */
