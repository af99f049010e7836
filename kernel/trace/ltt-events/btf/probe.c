// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the probes of tracepoints that BTF describes: one for each number of arguments.
 *
 * A tracepoint calls its probes as functions with its own parameters. Integers and
 * pointers are passed as if all of them were as wide as a register: on every machine
 * with registers of 64 bits, each has one of its own, or 8 bytes of the stack. What is
 * above a narrow one can be anything, and is not looked at: only as many bytes are
 * recorded as the type has. Tracepoints with other parameters have no marker.
 *
 * RCU is watching where a probe runs, see the probes of the bridge. Those of some
 * tracepoints may be preempted on newer kernels.
 */
#include <linux/types.h>

#include "ltt-btf.h"

#define P1	unsigned long a1
#define P2	P1, unsigned long a2
#define P3	P2, unsigned long a3
#define P4	P3, unsigned long a4
#define P5	P4, unsigned long a5
#define P6	P5, unsigned long a6
#define P7	P6, unsigned long a7
#define P8	P7, unsigned long a8
#define P9	P8, unsigned long a9
#define P10	P9, unsigned long a10
#define P11	P10, unsigned long a11
#define P12	P11, unsigned long a12
#define P13	P12, unsigned long a13
#define P14	P13, unsigned long a14

#define V1	a1
#define V2	V1, a2
#define V3	V2, a3
#define V4	V3, a4
#define V5	V4, a5
#define V6	V5, a6
#define V7	V6, a7
#define V8	V7, a8
#define V9	V8, a9
#define V10	V9, a10
#define V11	V10, a11
#define V12	V11, a12
#define V13	V12, a13
#define V14	V13, a14

#define PROBE(kind, n)							\
static notrace void kind##_probe_##n(void *data, P##n)			\
{									\
	const unsigned long values[] = { V##n };			\
									\
	ltt_btf_##kind##_record(data, values);				\
}

#define PROBES(kind)							\
static notrace void kind##_probe_0(void *data)				\
{									\
	ltt_btf_##kind##_record(data, NULL);				\
}									\
									\
ALL(PROBE, kind)							\
									\
void *const ltt_btf_##kind##_probe[LTT_BTF_PARAMS + 1] = {		\
	kind##_probe_0, ALL(ENTRY, kind)				\
}

#define ENTRY(kind, n)	kind##_probe_##n,

#define ALL(f, kind)							\
	f(kind, 1) f(kind, 2) f(kind, 3) f(kind, 4) f(kind, 5)		\
	f(kind, 6) f(kind, 7) f(kind, 8) f(kind, 9) f(kind, 10)		\
	f(kind, 11) f(kind, 12) f(kind, 13) f(kind, 14)

PROBES(defined);
PROBES(automatic);
