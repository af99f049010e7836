/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: definitions for the generated code of bridged events.
 *
 * The kernel's <trace/events/...> headers are compiled once more, with our own
 * meaning of their macros: see include/trace/define_trace.h. That makes, for each
 * class of events, a probe and a table of its fields, and for each event a struct
 * ltt_bridge_desc. main.c makes a marker of each event whose tracepoint is there.
 */
#ifndef _LTT_BRIDGE_EVENTS_H
#define _LTT_BRIDGE_EVENTS_H

#include <linux/stdarg.h>
#include <linux/ltt/marker.h>
#include <linux/ltt/reserve.h>
#include <linux/ltt/unaligned.h>
#include <asm/word-at-a-time.h>

#include "bytes.h"

struct ltt_symbol_cache;
struct trace_seq;

/*
 * What a probe jumps to when there is more to do. With frame pointers and sanitizers it would
 * be a call; there it is inline, so that a probe is one frame of a call stack, and nothing
 * is handed on through a gate.
 */
#if defined(CONFIG_FRAME_POINTER) || defined(CONFIG_KASAN) || defined(CONFIG_KCSAN)
#define __ltt_bridge_jump	__always_inline
#define LTT_BRIDGE_JUMPS	false
#else
#define __ltt_bridge_jump	noinline notrace
#define LTT_BRIDGE_JUMPS	true
#endif

/* Separates a format of TP_printk() from its arguments, where both are text. */
#define LTT_BRIDGE_ARGS		"\1"

/* What a field is in the record, and how it is stored in LTT's event. */
enum ltt_bridge_kind {
	LTT_BRIDGE_INT,		/* as it is */
	LTT_BRIDGE_PTR,		/* as it is */
	LTT_BRIDGE_BYTES,	/* a structure: array of bytes */
	LTT_BRIDGE_STR,		/* char x[n]: string */
	LTT_BRIDGE_CHARS,	/* the same, of few bytes: string in an array */
	LTT_BRIDGE_ARRAY,	/* array */
	LTT_BRIDGE_DYN_STR,	/* __string() and the like: string */
	LTT_BRIDGE_DYN_ARRAY,	/* __dynamic_array() and the like: sequence */
	LTT_BRIDGE_DYN_CHARS,	/* the same, of char: sequence of characters */
};

/**
 * struct ltt_bridge_field - a field of a class of events
 * @name:	its name
 * @type:	its type as tracefs shows it, without the length of an array
 * @offset:	bytes, where it is in the record
 * @size:	bytes in the record
 * @element:	bytes of an element of arrays, else of the field; 1 for structures
 * @kind:	enum ltt_bridge_kind
 * @is_signed:	as tracefs says
 * @int_signed:	the integer, or the element, is signed
 */
struct ltt_bridge_field {
	const char *name;
	const char *type;
	u16 offset;
	u16 size;
	u16 element;
	u8 kind;
	bool is_signed;
	bool int_signed;
};

/**
 * struct ltt_bridge_print - prints the text of an event
 * @out:	the text
 * @tmp:	for what TP_printk() calls
 * @symbol:	room for the text of an address, LTT_SYMBOL_ROOM bytes
 * @symbols:	those that were shown
 * @ts:		time of the event
 * @record:	the record that is printed
 * @size:	bytes of it, with its dynamic parts
 */
struct ltt_bridge_print {
	struct trace_seq *out;
	struct trace_seq *tmp;
	char *symbol;
	struct ltt_symbol_cache *symbols;
	u64 ts;
	const void *record;
	size_t size;
};

/**
 * struct ltt_bridge_desc - an event
 * @system:	its system
 * @channel:	the marker's: the same but for characters that C names do not have
 * @name:	its name, also that of its tracepoint
 * @probe:	for the tracepoint; its data is the struct ltt_marker
 * @fields:	the table of its fields; receives their number
 * @words:	what TP_printk() says, if that shows pointers: its format, LTT_BRIDGE_ARGS,
 *		and the text of its arguments; else NULL
 * @print:	prints a record; NULL if it could not be compiled
 * @size:	bytes of the record without dynamic parts
 */
struct ltt_bridge_desc {
	const char *system;
	const char *channel;
	const char *name;
	void *probe;
	const struct ltt_bridge_field *(*fields)(unsigned int *nr);
	const char *(*words)(void);
	void (*print)(struct ltt_bridge_print *print, const void *record);
	unsigned int size;
};

/* scratch.c */
void *ltt_bridge_get(size_t size);
void ltt_bridge_put(void);
void ltt_bridge_lost(const struct ltt_tap *tap);
void ltt_bridge_assign_str(char *dst, u32 size, const char *src);
void ltt_bridge_assign_len(char *dst, u32 size, const char *src, size_t len);
u32 ltt_bridge_vstr_size(const char *format, va_list *va);
void ltt_bridge_assign_vstr(char *dst, u32 size, const char *format, va_list *va);
u32 ltt_bridge_dyn_size(const char *str, u32 size);
u8 *ltt_bridge_put_dyn(u8 *p, const char *str, u32 size);

/* standins.c */
int ltt_bridge_ptr_to_hashval(const void *ptr, unsigned long *hash);
const char *ltt_bridge_io_uring_name(u8 op);

/*
 * A table for trace_print_flags_seq() or trace_print_symbols_seq(), and how it is handed
 * over. The Makefile looks which way the kernel wants it.
 */
#ifdef LTT_HAVE_FLAGS_SIZE
#define LTT_BRIDGE_TABLE(entries...)	{ entries }
#define LTT_BRIDGE_FLAGS(table)		table, ARRAY_SIZE(table)
#else
#define LTT_BRIDGE_TABLE(entries...)	{ entries, { -1, NULL } }
#define LTT_BRIDGE_FLAGS(table)		table
#endif

/* print.c */
const char *ltt_bridge_print_bitmask(struct trace_seq *p, const void *mask,
				     unsigned int size);
__printf(2, 3)
void ltt_bridge_printf(struct ltt_bridge_print *print, const char *format, ...);

/* probe.c */
void ltt_bridge_publish(const struct ltt_tap *tap);
void ltt_bridge_preempt(void);

/* preempt_enable_notrace() at the end of a probe, which jumps to what comes then, if anything. */
static __always_inline void ltt_bridge_preempt_enable(void)
{
#ifdef CONFIG_PREEMPTION
	barrier();
	if (unlikely(__preempt_count_dec_and_test()))
		ltt_bridge_preempt();
#else
	preempt_enable_notrace();
#endif
}

/* Is it the only tap, without a filter or context, and with the usual clock? */
static __always_inline bool ltt_bridge_plain(const struct ltt_tap *tap)
{
	return tap[0].reserve == ltt_reserve_tsc && !tap[1].reserve;
}

/* The same in shared buffers. */
static __always_inline bool ltt_bridge_plain_shared(const struct ltt_tap *tap)
{
	return tap[0].reserve == ltt_reserve_shared_tsc && !tap[1].reserve;
}

/* Bytes of the string in the array @s of @max bytes, and one for the NUL. */
static __always_inline u32 ltt_bridge_str_size(const char *s, u32 max)
{
	const struct word_at_a_time constants = WORD_AT_A_TIME_CONSTANTS;
	unsigned long word, zeros;
	u32 n = 0;

	for (; max - n >= sizeof(word); n += sizeof(word)) {
		__builtin_memcpy(&word, s + n, sizeof(word));
		if (has_zero(word, &zeros, &constants)) {
			zeros = prep_zero_mask(word, zeros, &constants);
			return n + find_zero(create_zero_mask(zeros)) + 1;
		}
	}
	while (n < max && s[n])
		n++;
	return n + 1;
}

/*
 * Store a string that takes @size bytes with its NUL. The last integer of a size may
 * overlap the one before it, so that nothing after the string is touched.
 */
static __always_inline u8 *ltt_bridge_put_str(u8 *p, const char *s, u32 size)
{
	u32 len = size - 1, at;

	if (len >= 8) {
		for (at = 0; at + 8 < len; at += 8)
			__builtin_memcpy(p + at, s + at, 8);
		__builtin_memcpy(p + len - 8, s + len - 8, 8);
	} else if (len >= 4) {
		__builtin_memcpy(p, s, 4);
		__builtin_memcpy(p + len - 4, s + len - 4, 4);
	} else if (len >= 2) {
		__builtin_memcpy(p, s, 2);
		__builtin_memcpy(p + len - 2, s + len - 2, 2);
	} else if (len) {
		*p = *s;
	}
	p[len] = '\0';
	return p + size;
}

/* Of a type: classes of __builtin_classify_type(). */
#define LTT_BRIDGE_CLASS(_type)	__builtin_classify_type(*(typeof(_type) *)0)
#define LTT_BRIDGE_IS_INT(_type)					\
	(LTT_BRIDGE_CLASS(_type) >= 1 && LTT_BRIDGE_CLASS(_type) <= 4 &&	\
	 sizeof(_type) <= sizeof(u64))
#define LTT_BRIDGE_IS_PTR(_type)					\
	(LTT_BRIDGE_CLASS(_type) == 5 && sizeof(_type) == sizeof(void *))
#define LTT_BRIDGE_FIELD_KIND(_type)					\
	(LTT_BRIDGE_IS_INT(_type) ? LTT_BRIDGE_INT :			\
	 LTT_BRIDGE_IS_PTR(_type) ? LTT_BRIDGE_PTR : LTT_BRIDGE_BYTES)

/* Elements of dynamic arrays other than integers are stored as bytes. */
#define LTT_BRIDGE_ELEMENT(_type)	(LTT_BRIDGE_IS_INT(_type) ? sizeof(_type) : 1)

#endif /* _LTT_BRIDGE_EVENTS_H */
