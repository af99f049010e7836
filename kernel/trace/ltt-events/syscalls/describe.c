// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: what is recorded of a system call, and how it is shown.
 *
 * Names and types of a call's arguments come from the kernel's own description of it,
 * which is there for the sake of ftrace; where there is none, as for calls of 32-bit
 * programs, from the prototype in its headers; where there is none either,
 * six words are recorded.
 */

#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/glob.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <trace/syscall.h>

#include "syscalls.h"

#define WORD	LTT_TYPE(LTT_KIND_INT, sizeof(long), 0)
#define SIGNED	LTT_TYPE(LTT_KIND_INT, sizeof(long), LTT_TYPE_SIGNED)
#define INT	LTT_TYPE(LTT_KIND_INT, sizeof(int), LTT_TYPE_SIGNED)

/* ---- text -------------------------------------------------------------------- */

/* A format that grows in LTT_SYS_FORMAT bytes; @len beyond that: it did not fit. */
struct text {
	char *buf;
	size_t len;
};

static __printf(2, 3) void put(struct text *text, const char *fmt, ...)
{
	size_t room = text->len < LTT_SYS_FORMAT ? LTT_SYS_FORMAT - text->len : 0;
	va_list args;

	va_start(args, fmt);
	text->len += vsnprintf(text->buf + min_t(size_t, text->len, LTT_SYS_FORMAT), room,
			       fmt, args);
	va_end(args);
}

static bool fits(const struct text *text)
{
	return text->len < LTT_SYS_FORMAT;
}

/* Forget what was put since the text had @len bytes. */
static void take_back(struct text *text, size_t len)
{
	text->len = len;
	text->buf[len] = '\0';
}

/* ---- names of values --------------------------------------------------------- */

/* Is @sym the first with its value? Another name for it would never be shown. */
static bool is_first(const struct ltt_sys_sym *syms, const struct ltt_sys_sym *sym)
{
	const struct ltt_sys_sym *other;

	for (other = syms; other < sym; other++) {
		if (other->value == sym->value)
			return false;
	}
	return true;
}

/* A value that no integer of @size bytes has must not be in its table. */
static bool has_room(s64 value, unsigned int size)
{
	unsigned int shift = 64 - 8 * size;

	return (s64)((u64)value << shift) >> shift == value ||
	       ((u64)value << shift) >> shift == (u64)value;
}

static void put_enum(struct text *text, const struct ltt_sys_rule *rule, unsigned int size)
{
	const struct ltt_sys_sym *sym;
	char separator = '{';

	for (sym = rule->syms; sym < rule->syms + rule->nr_syms; sym++) {
		if (!has_room(sym->value, size) || !is_first(rule->syms, sym))
			continue;
		put(text, "%c%lld=%s", separator, sym->value, sym->name);
		separator = ',';
	}
	if (separator != '{')
		put(text, "}");
}

/*
 * Names for several bits come first, as they are shown if all of their bits are set; else
 * only names for some of these would ever be seen.
 */
static void put_flags(struct text *text, const struct ltt_sys_rule *rule, unsigned int size)
{
	const struct ltt_sys_sym *sym;
	bool any = false;
	int bits;

	for (bits = 64; bits >= 0; bits--) {
		for (sym = rule->syms; sym < rule->syms + rule->nr_syms; sym++) {
			u64 value = (u64)sym->value & ~0ull >> (64 - 8 * size);

			if (hweight64(value) != bits || !has_room(sym->value, size) ||
			    !is_first(rule->syms, sym))
				continue;
			put(text, "%s%#llx=%s", any ? "|" : "{|", value, sym->name);
			any = true;
		}
	}
	if (any)
		put(text, "}");
}

/* The names of all errors, as a table of an enumeration; sorted, which is searched fast. */
static char *errno_table;

static int compare_values(const void *a, const void *b)
{
	s64 x = ((const struct ltt_sys_sym *)a)->value;
	s64 y = ((const struct ltt_sys_sym *)b)->value;

	return x < y ? -1 : x > y;
}

/**
 * ltt_sys_describe_init() - to be called before anything is described
 *
 * Context: task; may sleep.
 * Return: 0 or -ENOMEM.
 */
int ltt_sys_describe_init(void)
{
	struct ltt_sys_sym *syms;
	struct text text = {};
	unsigned int nr = 0, i;

	errno_table = kmalloc(LTT_SYS_FORMAT, GFP_KERNEL);
	syms = kcalloc(ltt_sys_nr_errnos, sizeof(*syms), GFP_KERNEL);
	if (!errno_table || !syms) {
		kfree(syms);
		ltt_sys_describe_exit();
		return -ENOMEM;
	}
	for (i = 0; i < ltt_sys_nr_errnos; i++) {
		if (is_first(ltt_sys_errnos, &ltt_sys_errnos[i]))
			syms[nr++] = ltt_sys_errnos[i];
	}
	sort(syms, nr, sizeof(*syms), compare_values, NULL);

	text.buf = errno_table;
	for (i = 0; i < nr; i++)
		put(&text, "%c%lld=%s", i ? ',' : '{', syms[i].value, syms[i].name);
	put(&text, "}");
	kfree(syms);
	/* The marker's own words have to fit as well. */
	if (WARN_ON_ONCE(text.len > LTT_MAX_FORMAT - 32))
		errno_table[0] = '\0';
	return 0;
}

/**
 * ltt_sys_describe_exit() - undo ltt_sys_describe_init()
 *
 * What was described stays valid.
 *
 * Context: task.
 */
void ltt_sys_describe_exit(void)
{
	kfree(errno_table);
	errno_table = NULL;
}

/* ---- parameters -------------------------------------------------------------- */

static const struct ltt_sys_proto *find_proto(const char *sym)
{
	unsigned int i;

	for (i = 0; i < ltt_sys_nr_protos; i++) {
		if (!strcmp(ltt_sys_protos[i].sym, sym))
			return &ltt_sys_protos[i];
	}
	return NULL;
}

#ifdef CONFIG_FTRACE_SYSCALLS
/* What the kernel knows of the function @sym; it stays. NULL: nothing. */
static const struct syscall_metadata *find_metadata(const char *sym)
{
	const struct syscall_metadata *metadata;
	struct trace_event_file *file;
	char name[LTT_NAME_MAX + 1];

	if (strncmp(sym, "sys_", 4))
		return NULL;
	snprintf(name, sizeof(name), "sys_enter_%s", sym + 4);
	file = trace_get_event_file(NULL, "syscalls", name);
	if (IS_ERR(file))
		return NULL;
	metadata = file->event_call->data;
	trace_put_event_file(file);
	return metadata;
}

static void set_type(struct ltt_sys_param *param, const char *type,
		     const struct ltt_sys_param *fallback)
{
	unsigned int i;

	param->type = WORD;
	if (strchr(type, '*')) {
		param->kind = !strcmp(type, "const char *") || !strcmp(type, "char *") ?
			      LTT_SYS_CHARS : LTT_SYS_POINTER;
		return;
	}
	for (i = 0; i < ltt_sys_nr_types; i++) {
		if (strcmp(ltt_sys_types[i].name, type))
			continue;
		param->kind = LTT_SYS_SCALAR;
		param->type = ltt_sys_types[i].type;
		return;
	}
	/* All that is known is that it was passed in a register. */
	param->kind = LTT_SYS_POINTER;
	if (fallback) {
		param->kind = fallback->kind;
		param->type = fallback->type;
	}
}

static int params_of_metadata(const char *sym, struct ltt_sys_param *params)
{
	const struct syscall_metadata *metadata = find_metadata(sym);
	const struct ltt_sys_proto *proto = find_proto(sym);
	int i;

	if (!metadata || metadata->nb_args > LTT_SYS_ARGS)
		return -ENOENT;
	if (proto && proto->nr != metadata->nb_args)
		proto = NULL;
	for (i = 0; i < metadata->nb_args; i++) {
		params[i].name = metadata->args[i];
		set_type(&params[i], metadata->types[i], proto ? &proto->params[i] : NULL);
	}
	return i;
}
#else
static int params_of_metadata(const char *sym, struct ltt_sys_param *params)
{
	return -ENOENT;
}
#endif

static int params_of_proto(const char *sym, struct ltt_sys_param *params)
{
	const struct ltt_sys_proto *proto = find_proto(sym);

	/* What is not implemented has taken arguments once. */
	if (!proto || proto->nr > LTT_SYS_ARGS || !strcmp(sym, "sys_ni_syscall"))
		return -ENOENT;
	memcpy(params, proto->params, proto->nr * sizeof(*params));
	return proto->nr;
}

static int params_known(const char *sym, struct ltt_sys_param *params)
{
	int nr = params_of_metadata(sym, params);

	return nr < 0 ? params_of_proto(sym, params) : nr;
}

/* The arguments of the call behind @sym; returns their number. */
static unsigned int params_of(const char *sym, struct ltt_sys_param *params)
{
	static const char compat[] = "compat_";
	struct ltt_sys_param twin[LTT_SYS_ARGS];
	int nr = params_known(sym, params), i;

	if (nr < 0) {
		for (i = 0; i < LTT_SYS_ARGS; i++)
			params[i] = (struct ltt_sys_param){ NULL, LTT_SYS_POINTER, WORD };
		return LTT_SYS_ARGS;
	}
	/* The call that this one stands for may have names for the same things. */
	if (!strncmp(sym, compat, strlen(compat)) &&
	    params_known(sym + strlen(compat), twin) == nr) {
		for (i = 0; i < nr; i++)
			params[i].name = params[i].name ?: twin[i].name;
	}
	return nr;
}

/* ---- fields ------------------------------------------------------------------ */

static bool glob(const char *pattern, const char *name)
{
	/* Most say no at once. */
	if (*pattern != *name && *pattern != '*' && *pattern != '?' && *pattern != '[')
		return false;
	return glob_match(pattern, name);
}

static const struct ltt_sys_rule *find_rule(const char *call, const char *name, u8 kind)
{
	static const struct ltt_sys_rule as_type = { .how = LTT_SYS_UNKNOWN };
	const struct ltt_sys_rule *rule = ltt_sys_rules;

	for (; rule < ltt_sys_rules + ltt_sys_nr_rules; rule++) {
		if (kind == (rule->how == LTT_SYS_STR ? LTT_SYS_CHARS : LTT_SYS_SCALAR) &&
		    glob(rule->args, name) && glob(rule->calls, call))
			return rule;
	}
	return &as_type;
}

static const char *length_of(unsigned int size)
{
	switch (size) {
	case 1:
		return "hh";
	case 2:
		return "h";
	case 4:
		return "";
	default:
		return "l";
	}
}

static void put_conversion(struct text *text, const struct ltt_sys_rule *rule, u8 kind,
			   u32 type)
{
	unsigned int size = LTT_TYPE_SIZE(type);
	char number = LTT_TYPE_FLAGS(type) & LTT_TYPE_SIGNED ? 'd' : 'u';
	const char *length = length_of(size);
	size_t len;

	if (kind != LTT_SYS_SCALAR) {
		put(text, "%%#%sx", length);
		return;
	}
	switch (rule->how) {
	case LTT_SYS_HEX:
	case LTT_SYS_FLAGS:
		put(text, "%%#%sx", length);
		break;
	case LTT_SYS_OCT:
		put(text, "%%#%so", length);
		break;
	default:
		put(text, "%%%s%c", length, number);
		break;
	}

	len = text->len;
	if (rule->how == LTT_SYS_FLAGS)
		put_flags(text, rule, size);
	else if (rule->how == LTT_SYS_ENUM || rule->how == LTT_SYS_BOTH)
		put_enum(text, rule, size);
	/* Rather numbers without names than no marker. */
	if (text->len > LTT_SYS_FORMAT - 1 - 80 * LTT_SYS_ARGS)
		take_back(text, len);
}

static void add_field(struct ltt_sys_call *call, u32 type)
{
	unsigned int i = call->nr_fields++;

	call->types[i] = type;
	if (LTT_TYPE_KIND(type) == LTT_KIND_CPTR) {
		call->nr_strings++;
		return;
	}
	call->size[i] = LTT_TYPE_SIZE(type);
	call->fixed += call->size[i];
}

static void add_param(struct ltt_sys_call *call, const struct ltt_sys_entry *entry,
		      const struct ltt_sys_param *param, struct text *text)
{
	const struct ltt_sys_rule *rule;
	u32 type = param->type;
	char name[16];

	snprintf(name, sizeof(name), "arg%u", call->nr_fields + !call->has_nr);
	put(text, "%s%s ", text->len ? " " : "", param->name ?: name);
	rule = find_rule(entry ? entry->name : "", param->name ?: name, param->kind);
	if (rule->how == LTT_SYS_STR && call->nr_strings < LTT_SYS_STRINGS) {
		put(text, "%%s");
		add_field(call, LTT_TYPE(LTT_KIND_CPTR, sizeof(void *), 0));
		return;
	}
	if (rule->how == LTT_SYS_INT)
		type = INT;
	if (call->is_32bit && LTT_TYPE_SIZE(type) > sizeof(u32))
		type = LTT_TYPE(LTT_KIND_INT, sizeof(u32), LTT_TYPE_FLAGS(type));
	put_conversion(text, rule, param->kind, type);
	add_field(call, type);
}

/**
 * ltt_sys_describe_entry() - find out what to record when a call is entered
 * @call:	filled in: what is said of fields; zeroed, but for is_32bit and has_nr
 * @entry:	the call; NULL for all that have no name
 * @format:	gets the marker's format: LTT_SYS_FORMAT bytes
 *
 * Context: task; may sleep.
 */
void ltt_sys_describe_entry(struct ltt_sys_call *call, const struct ltt_sys_entry *entry,
			    char *format)
{
	struct ltt_sys_param params[LTT_SYS_ARGS];
	struct text text = { .buf = format };
	unsigned int nr, i;

	format[0] = '\0';
	if (call->has_nr) {
		put(&text, "nr %%d");
		add_field(call, INT);
	}
	nr = params_of(entry ? entry->sym : "", params);
	for (i = 0; i < nr; i++)
		add_param(call, entry, &params[i], &text);
	WARN_ON_ONCE(!fits(&text));
}

/**
 * ltt_sys_describe_return() - find out what to record when a call returns
 * @call:	filled in: exit_types
 * @entry:	the call; NULL for all that have no name
 * @format:	gets the marker's format: LTT_SYS_FORMAT bytes
 *
 * What is negative and the number of an error is shown as its name.
 *
 * Context: task.
 */
void ltt_sys_describe_return(struct ltt_sys_call *call, const struct ltt_sys_entry *entry,
			     char *format)
{
	const struct ltt_sys_rule *rule;
	struct text text = { .buf = format };

	rule = find_rule(entry ? entry->name : "", "ret", LTT_SYS_SCALAR);
	put(&text, "%sret %s%s", call->has_nr ? "nr %d " : "",
	    rule->how == LTT_SYS_HEX ? "%#lx" : "%ld", errno_table);
	WARN_ON_ONCE(!fits(&text));
	call->exit_types[0] = call->has_nr ? INT : SIGNED;
	call->exit_types[1] = SIGNED;
}
