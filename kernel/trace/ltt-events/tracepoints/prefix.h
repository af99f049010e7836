/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: what all headers of trace events are compiled behind. discover.py has the
 * compiler read this only once.
 */
#ifndef _LTT_BRIDGE_PREFIX_H
#define _LTT_BRIDGE_PREFIX_H

#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/stringify.h>
#include <linux/trace_events.h>
#include <linux/trace_seq.h>
#include <linux/tracepoint.h>
#include "events.h"

#endif /* _LTT_BRIDGE_PREFIX_H */
