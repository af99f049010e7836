/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: kprobe markers: what the files share, and what they offer to ltt-btf, which has
 * the markers on tracepoints.
 *
 *	parse.c, parse_arg.c	a line becomes a definition, with fetch programs
 *	describe.c		what its marker looks like
 *	regs.c			names of registers
 *	fetch.c			runs the programs, in the probe
 *	probe.c			a definition's probe and marker
 *	module.c		modules, and where in them a probe would be dangerous
 *	file.c			dynamic_markers: the list of definitions
 *	../btf/			tracepoints, a module of its own
 *
 * Locks: the list's mutex (file.c) > those of the registry of markers > the probes'
 * (probe.c) > those of kprobes. A marker is connected with one of the registry's held, so
 * that connect() can not take the list's. Notifiers of modules take the list's mutex inside
 * the lock of their chain: it is not held while definitions that were removed wait for
 * grace periods.
 */
#ifndef _LTT_KPROBES_PROBE_H
#define _LTT_KPROBES_PROBE_H

#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/ltt/marker.h>

#include "../dynamic/parse.h"

struct module;
struct tracepoint;

/* What happened on a CPU. */
struct ltt_kprobe_count {
	unsigned long hits;
	unsigned long missed;
};

/**
 * struct ltt_kprobe - a definition, its probe and its marker
 * @marker:	the marker
 * @def:	the definition
 * @text:	the line that makes it again
 * @rp:		the probe; only @rp.kp is used if it is not a return probe
 * @tracepoint:	instead of @rp, while it is there; ltt-btf's
 * @tracepoints: in the list of ltt-btf
 * @count:	for each CPU
 * @missed:	by probes that were there before: modules come and go
 * @there:	@rp is registered, or there is a @tracepoint
 * @attached:	@tracepoint has ever been told to call us
 * @wanted:	a trace records the marker: @rp is enabled, or @tracepoint calls us
 * @published:	@marker is registered
 * @node:	in the list of definitions, or of a batch that ends
 * @types:	of the marker's arguments
 * @format:	of the marker
 *
 * @rp, @missed, @there, @attached and @wanted are protected by probe.c's mutex, all else by the
 * list's; what the handlers read does not change while they may run.
 */
struct ltt_kprobe {
	struct ltt_marker marker;
	struct ltt_kprobe_def *def;
	char *text;
	struct kretprobe rp;
	struct tracepoint *tracepoint;
	struct list_head tracepoints;
	struct ltt_kprobe_count __percpu *count;
	unsigned long missed;
	bool there;
	bool attached;
	bool wanted;
	bool published;
	struct list_head node;
	u32 types[LTT_KPROBE_ARGS];
	char format[];
};

/**
 * struct ltt_kprobe_batch - definitions whose end has begun
 * @probes:	the definitions
 * @tracepoints: tracepoints may still be calling some of them
 */
struct ltt_kprobe_batch {
	struct list_head probes;
	bool tracepoints;
};

/* An empty one. */
#define LTT_KPROBE_BATCH(name)	{ .probes = LIST_HEAD_INIT((name).probes) }

/* How it stands with a probe, for the list. */
struct ltt_kprobe_state {
	bool there;
	bool wanted;
	unsigned long hits;
	unsigned long missed;
};

/**
 * struct ltt_tracepoint_ops - markers on tracepoints
 * @owner:	of the markers
 * @parser:	understands definitions
 * @create:	finds the tracepoint of a new definition, or -ENOENT
 * @destroy:	the end of the definition; it is detached, but calls may still be running
 * @attach:	@tracepoint is to call; a negative errno if it will not
 * @detach:	the reverse; calls may still be running afterwards
 *
 * All are called in tasks, may sleep, and must not register markers. @create and @destroy
 * are called with the list's mutex held, the others with the probes'.
 */
struct ltt_tracepoint_ops {
	struct module *owner;
	struct ltt_tracepoint_parser parser;
	int (*create)(struct ltt_kprobe *probe);
	void (*destroy)(struct ltt_kprobe *probe);
	int (*attach)(struct ltt_kprobe *probe);
	void (*detach)(struct ltt_kprobe *probe);
};

/* probe.c */
struct ltt_kprobe *ltt_kprobe_create(struct ltt_kprobe_def *def, const char *line,
				     struct ltt_kprobe_error *error);
int ltt_kprobe_publish(struct ltt_kprobe *probe, struct ltt_kprobe_error *error);
void ltt_kprobe_end(struct ltt_kprobe *probe, struct ltt_kprobe_batch *batch);
void ltt_kprobe_batch_end(struct ltt_kprobe_batch *batch);
void ltt_kprobe_coming(struct ltt_kprobe *probe, const struct module *mod);
void ltt_kprobes_gone(struct list_head *probes);
int ltt_kprobe_found(struct ltt_kprobe *probe, struct tracepoint *tracepoint);
bool ltt_kprobe_lost(struct ltt_kprobe *probe);
void ltt_kprobe_tracepoints(const struct ltt_tracepoint_ops *ops);
void ltt_kprobe_state(struct ltt_kprobe *probe, struct ltt_kprobe_state *state);

/* module.c */
bool ltt_kprobe_module_loaded(const char *name);
bool ltt_kprobe_unsafe(const struct module *coming, const char *symbol, unsigned long addr,
		       unsigned long offset);

/* file.c */
void ltt_kprobes_set_tracepoints(const struct ltt_tracepoint_ops *ops);

/* fetch.c */
#define LTT_SCRATCH_SIZE	16384

/**
 * struct ltt_scratch - where an event is put together
 * @depth:	probes that are at it
 * @room:	copies of what is in user memory, and the like
 *
 * One for each CPU; used with preemption disabled.
 */
struct ltt_scratch {
	unsigned int depth;
	char room[LTT_SCRATCH_SIZE] __aligned(8);
};

void ltt_fetch_layout(struct ltt_kprobe_def *def);
void ltt_fetch_from(const struct ltt_fetch *arg, unsigned long value, char *to,
		    struct ltt_arg *result);
void ltt_fetch(const struct ltt_kprobe_def *def, struct pt_regs *regs, char *room,
	       struct ltt_arg *args);

#endif /* _LTT_KPROBES_PROBE_H */
