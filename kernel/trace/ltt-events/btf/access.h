/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: arguments of a definition on a tracepoint, compiled.
 *
 * access.c is also built in user space, for the tests.
 */
#ifndef _LTT_BTF_ACCESS_H
#define _LTT_BTF_ACCESS_H

#include "../dynamic/parse.h"
#include "btf.h"

/* Most arguments of a tracepoint that its probes pass on. */
#define LTT_BTF_PARAMS		14u

/* Bytes of all arrays of an event together: they are copied to the stack first. */
#define LTT_BTF_ROOM		256u

/* Longest name of a parameter whose name is not known. */
#define LTT_BTF_ARG_NAME	8u

/**
 * struct ltt_btf_event - a tracepoint, as BTF describes it
 * @btf:	the types
 * @nr:		its arguments
 * @param:	them, without the pointer that belongs to the probe
 */
struct ltt_btf_event {
	const struct ltt_btf *btf;
	unsigned int nr;
	const struct btf_param *param;
};

int ltt_btf_find_event(const struct ltt_btf *btf, const char *name,
		       struct ltt_btf_event *event);
int ltt_btf_event_of(const struct ltt_btf *btf, u32 id, struct ltt_btf_event *event);
const char *ltt_btf_param_name(const struct ltt_btf_event *event, unsigned int i,
			       char buf[LTT_BTF_ARG_NAME]);
int ltt_btf_param(const struct ltt_btf_event *event, unsigned int i, struct ltt_fetch *arg);
int ltt_btf_parse_arg(struct ltt_kprobe_parser *ps, const struct ltt_btf_event *event,
		      struct ltt_fetch *arg);
int ltt_btf_parse_rest(struct ltt_kprobe_parser *ps, const struct ltt_btf_event *event);

/*
 * What the kernel's compiler made of every tracepoint NAME: a function, whose
 * parameters have names, and a type, whose parameters have none.
 */
#define LTT_BTF_FUNCTION	"__traceiter_"
#define LTT_BTF_TYPEDEF		"btf_trace_"

#endif /* _LTT_BTF_ACCESS_H */
