/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: what the files of ltt-syscalls share.
 *
 * table.c knows what the kernel's headers say, describe.c makes of it what each call
 * records and how that is shown, calls.c has the markers and decides when the
 * tracepoints are probed, record.c is what the probes do.
 */
#ifndef _LTT_SYSCALLS_H
#define _LTT_SYSCALLS_H

#include <linux/types.h>
#include <linux/ltt/channel.h>
#include <linux/ltt/format.h>
#include <linux/ltt/marker.h>

struct pt_regs;

/* ---- table.c: made by generate.awk ------------------------------------------- */

/* How an argument is shown, see show.map; UNKNOWN: as its type says. */
enum ltt_sys_how {
	LTT_SYS_UNKNOWN,
	LTT_SYS_DEC,
	LTT_SYS_HEX,
	LTT_SYS_OCT,
	LTT_SYS_INT,
	LTT_SYS_STR,
	LTT_SYS_ENUM,
	LTT_SYS_FLAGS,
	LTT_SYS_BOTH,
};

enum ltt_sys_kind {
	LTT_SYS_SCALAR,
	LTT_SYS_POINTER,	/* to anything but characters */
	LTT_SYS_CHARS,
};

/**
 * struct ltt_sys_param - a parameter of a system call
 * @name:	NULL if the prototype does not say
 * @kind:	enum ltt_sys_kind
 * @type:	LTT_TYPE() of an integer, of a pointer's value
 */
struct ltt_sys_param {
	const char *name;
	u8 kind;
	u32 type;
};

/**
 * struct ltt_sys_proto - what a system call takes
 * @sym:	the function behind it
 * @nr:		entries of @params
 * @params:	the parameters
 */
struct ltt_sys_proto {
	const char *sym;
	unsigned int nr;
	const struct ltt_sys_param *params;
};

/* A type other than a pointer, as spelled in prototypes. */
struct ltt_sys_type {
	const char *name;
	u32 type;
};

/**
 * struct ltt_sys_entry - a system call in a table of the kernel
 * @nr:		its number
 * @name:	what users call it
 * @sym:	the function behind it
 */
struct ltt_sys_entry {
	unsigned int nr;
	const char *name;
	const char *sym;
};

struct ltt_sys_sym {
	const char *name;
	s64 value;
};

/**
 * struct ltt_sys_rule - how arguments are shown
 * @calls:	glob of calls
 * @args:	glob of arguments
 * @how:	enum ltt_sys_how
 * @syms:	names of values
 * @nr_syms:	entries of @syms
 */
struct ltt_sys_rule {
	const char *calls;
	const char *args;
	u8 how;
	const struct ltt_sys_sym *syms;
	unsigned int nr_syms;
};

extern const struct ltt_sys_proto ltt_sys_protos[];
extern const unsigned int ltt_sys_nr_protos;
extern const struct ltt_sys_type ltt_sys_types[];
extern const unsigned int ltt_sys_nr_types;
extern const struct ltt_sys_entry ltt_sys_native[], ltt_sys_compat[], ltt_sys_x32[];
extern const unsigned int ltt_sys_nr_native, ltt_sys_nr_compat, ltt_sys_nr_x32;
extern const struct ltt_sys_sym ltt_sys_errnos[];
extern const unsigned int ltt_sys_nr_errnos;
extern const struct ltt_sys_rule ltt_sys_rules[];
extern const unsigned int ltt_sys_nr_rules;

/* ---- the calls --------------------------------------------------------------- */

/* Most arguments of a call, and one more: the number of a call without a name. */
#define LTT_SYS_ARGS	6
#define LTT_SYS_FIELDS	(LTT_SYS_ARGS + 1)

/* Most strings of a call; what is beyond is recorded as a pointer. */
#define LTT_SYS_STRINGS	4

/**
 * struct ltt_sys_call - a system call and its two markers
 * @enter:	marker of the entry
 * @exit:	marker of the return
 * @is_32bit:	registers and the type long have 32 bits in its ABI
 * @has_nr:	it stands for all calls without a name: its first field is the number
 * @nr_fields:	fields of @enter
 * @nr_strings:	how many of them are strings
 * @fixed:	bytes of those that are none
 * @size:	bytes of each, 0 for a string
 * @types:	LTT_TYPE() of each
 * @exit_types:	of the fields of @exit
 * @name:	of @enter
 * @exit_name:	of @exit
 *
 * Constant once its markers are registered.
 */
struct ltt_sys_call {
	struct ltt_marker enter;
	struct ltt_marker exit;
	bool is_32bit;
	bool has_nr;
	u8 nr_fields;
	u8 nr_strings;
	u8 fixed;
	u8 size[LTT_SYS_FIELDS];
	u32 types[LTT_SYS_FIELDS];
	u32 exit_types[2];
	char name[LTT_NAME_MAX + 1];
	char exit_name[LTT_NAME_MAX + 1];
};

/**
 * struct ltt_sys_abi - a way to call the kernel, with numbers of its own
 * @prefix:	of the markers' names
 * @is_32bit:	registers and the type long have 32 bits there
 * @entries:	the kernel's table
 * @calls:	one for each of @entries, and the last for all calls without a name
 * @nr_calls:	entries of @calls
 * @nr:		entries of @by_nr
 * @by_nr:	calls by their numbers, none is NULL
 */
struct ltt_sys_abi {
	const char *prefix;
	bool is_32bit;
	const struct ltt_sys_entry *entries;
	struct ltt_sys_call *calls;
	unsigned int nr_calls;
	unsigned int nr;
	struct ltt_sys_call **by_nr;
};

extern struct ltt_sys_abi ltt_sys_native_abi;
extern struct ltt_sys_abi ltt_sys_compat_abi;
extern struct ltt_sys_abi ltt_sys_x32_abi;

/* Room for the format of any marker. */
#define LTT_SYS_FORMAT	(LTT_MAX_FORMAT + 1)

/* describe.c */
int ltt_sys_describe_init(void);
void ltt_sys_describe_exit(void);
void ltt_sys_describe_entry(struct ltt_sys_call *call, const struct ltt_sys_entry *entry,
			    char *format);
void ltt_sys_describe_return(struct ltt_sys_call *call, const struct ltt_sys_entry *entry,
			     char *format);

/* record.c */
int ltt_sys_record_init(void);
void ltt_sys_record_exit(void);
void ltt_sys_probe_enter(void *data, struct pt_regs *regs, long id);
void ltt_sys_probe_exit(void *data, struct pt_regs *regs, long ret);

#endif /* _LTT_SYSCALLS_H */
