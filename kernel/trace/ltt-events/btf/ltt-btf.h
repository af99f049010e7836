/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: markers on tracepoints whose arguments BTF describes: what the files share.
 *
 *	btf.c, members.c	BTF is read
 *	event.c, access.c	a tracepoint in BTF; an argument becomes a fetch program
 *	source.c		reads BTF
 *	system.c		which system a tracepoint of the kernel's image belongs to
 *	probe.c			the probes
 *	defined.c		markers that were defined through dynamic_markers
 *	automatic.c		a marker for every other tracepoint
 *	main.c			follows tracepoints of modules
 *
 * Locks: the list's mutex of dynamic_markers, or that of the kernel's notifiers for
 * tracepoints of modules, or none > ltt_btf_mutex > that of the list of the tracepoints
 * in modules (main.c), and > those of the registry of markers > that of the probes of
 * dynamic_markers. A marker is connected with one of the registry's held.
 *
 * BTF is megabytes, and is in memory only while something is looked up.
 */
#ifndef _LTT_BTF_H
#define _LTT_BTF_H

#include <linux/mutex.h>
#include <linux/module.h>
#include <linux/tracepoint.h>

#include "../kprobes/probe.h"
#include "access.h"

struct ltt_arg;
struct vfsmount;

/**
 * struct ltt_btf_source - BTF in memory
 * @kernel:	the kernel's, which others also hold
 * @module:	a module's
 * @bytes:	the data of @module; NULL if it is not there
 * @btf:	what to look for tracepoints in
 */
struct ltt_btf_source {
	const struct ltt_btf *kernel;
	struct ltt_btf module;
	void *bytes;
	const struct ltt_btf *btf;
};

/**
 * struct ltt_btf_tracepoint - a tracepoint of a module
 * @tracepoint:	the tracepoint
 * @module:	its module
 * @number:	unique, in order of appearance; never 0
 * @node:	in the list of them
 */
struct ltt_btf_tracepoint {
	struct tracepoint *tracepoint;
	struct module *module;
	unsigned long number;
	struct list_head node;
};

struct ltt_btf_systems;

/* Protects the lists of markers. */
extern struct mutex ltt_btf_mutex;

/* source.c */
struct vfsmount *ltt_btf_mount(const char *name);
int ltt_btf_kernel_get(const struct ltt_btf **btf);
void ltt_btf_kernel_put(void);
int ltt_btf_source_open(struct ltt_btf_source *source, const char *module);
void ltt_btf_source_close(struct ltt_btf_source *source);

/* system.c */
struct ltt_btf_systems *ltt_btf_systems_read(void);
void ltt_btf_systems_free(struct ltt_btf_systems *systems);
const char *ltt_btf_system(struct ltt_btf_systems *systems,
			   const struct tracepoint *tracepoint);
const char *ltt_btf_module_system(const struct module *module,
				  const struct tracepoint *tracepoint);

/* probe.c: those of definitions, and of automatic markers, by the number of arguments */
extern void *const ltt_btf_defined_probe[LTT_BTF_PARAMS + 1];
extern void *const ltt_btf_automatic_probe[LTT_BTF_PARAMS + 1];

/* main.c */
struct tracepoint *ltt_btf_find_tracepoint(const char *name, char module[MODULE_NAME_LEN],
					   unsigned long *number);

/* defined.c */
extern const struct ltt_tracepoint_ops ltt_btf_ops;

void ltt_btf_defined_record(void *data, const unsigned long *values);
void ltt_btf_defined_come(const struct ltt_btf_tracepoint *it);
bool ltt_btf_defined_go(const struct module *module);
bool ltt_btf_is_defined(const struct ltt_marker *marker);

/* automatic.c */
void ltt_btf_automatic_record(void *data, const unsigned long *values);
int ltt_btf_automatic_kernel(const struct ltt_btf *btf);
void ltt_btf_automatic_module(struct module *module);
bool ltt_btf_automatic_remove(const struct module *module);
void ltt_btf_automatic_free(const struct module *module);
void ltt_btf_automatic_review(void);

#endif /* _LTT_BTF_H */
