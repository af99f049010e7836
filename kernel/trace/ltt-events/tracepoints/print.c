// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: bridged events in the words of their authors, by TP_printk().
 *
 * The record is built again from the event's fields. Its struct trace_entry is zeros:
 * what LTT knows of it is not in the event.
 *
 * The kernel's own tracer has TP_printk() print what the record says, pointers to
 * strings included, that may have been freed since. We take nothing for granted:
 * each conversion is printed alone, and strings outside of the record and of the
 * buffers are copied by means that survive a fault.
 */

#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_seq.h>
#include <linux/uaccess.h>
#include <linux/ltt/event.h>
#include <linux/ltt/unaligned.h>
#include <linux/ltt/symbol.h>

#include "bridge.h"

/* Longest conversion, with a NUL. */
#define SPEC_MAX	32

/* Longest string outside of the record, with its NUL. */
#define STRING_MAX	256

/* ---- TP_printk() ------------------------------------------------------------------ */

/* What a conversion takes from the arguments. */
struct spec {
	char text[SPEC_MAX];
	char letter;
	u8 longs;		/* l, ll; z, t and j count as l and ll */
	u8 stars;
};

/* Parse the conversion at @format. Return: what follows it. */
static const char *parse_spec(const char *format, struct spec *spec)
{
	const char *p = format + 1;

	spec->longs = 0;
	spec->stars = 0;
	while (*p && strchr("-+ #0.*123456789", *p))
		spec->stars += *p++ == '*';
	for (; *p && strchr("hlLqjzt", *p); p++)
		spec->longs += *p == 'h' ? 0 : *p == 'l' || *p == 'z' || *p == 't' ? 1 : 2;
	spec->letter = *p;
	if (*p)
		p++;
	if (spec->letter == 'p') {
		while (isalnum(*p))
			p++;
	}
	if (p - format >= SPEC_MAX || spec->stars > 2) {
		spec->stars = 0;
		spec->letter = '\0';
	}
	memcpy(spec->text, format, min_t(size_t, p - format, SPEC_MAX - 1));
	spec->text[min_t(size_t, p - format, SPEC_MAX - 1)] = '\0';
	return p;
}

static bool lies_in(const void *p, const void *start, size_t size)
{
	return p >= start && p < start + size;
}

/* The string at @str, or a copy of as much of it as can be read. */
static const char *safe_string(const struct ltt_bridge_print *print, const char *str,
			       char copy[STRING_MAX])
{
	size_t i;

	if (!str || lies_in(str, print->record, print->size) ||
	    lies_in(str, print->tmp->buffer, sizeof(print->tmp->buffer)))
		return str;
	for (i = 0; i < STRING_MAX - 1; i++) {
		/* Events in interrupts may copy, too, see ltt_copy_nofault(). */
		if (data_race(copy_from_kernel_nofault(&copy[i], str + i, 1)))
			return i ? (copy[i] = '\0', copy) : "(fault)";
		if (!copy[i])
			return copy;
	}
	copy[i] = '\0';
	return copy;
}

/*
 * What is shown of an address. Turns the conversion into one of a string in @text, unless it
 * is one that the kernel knows to hide by itself.
 */
static const void *safe_address(const struct ltt_bridge_print *print, struct spec *spec,
				const void *ptr, char *text)
{
	char *letters = strchr(spec->text, 'p') + 1;

	if (*letters == 'x' && !ltt_may_see((unsigned long)ptr))
		*letters = '\0';
	if (!*letters || !strchr("SsB", *letters))
		return ptr;
	letters[1] = '\0';
	ltt_symbol_print_cached(print->symbols, text, LTT_SYMBOL_ROOM, (unsigned long)ptr, letters,
				print->ts);
	strcpy(letters - 1, "s");
	return text;
}

/**
 * ltt_bridge_print_bitmask() - what __get_bitmask() and __get_cpumask() say in TP_printk()
 * @p:		where to
 * @mask:	the bits
 * @size:	bytes of them
 *
 * The kernel's own function wants to know a reader of its buffer on some kernels.
 *
 * Context: task.
 *
 * Return: the text, with a NUL.
 */
const char *ltt_bridge_print_bitmask(struct trace_seq *p, const void *mask,
				     unsigned int size)
{
	const char *text = trace_seq_buffer_ptr(p);

	trace_seq_bitmask(p, mask, size * BITS_PER_BYTE);
	trace_seq_putc(p, '\0');
	return text;
}

/* Print one conversion with the values for its stars, and its own. */
#define PRINT(_value)							\
do {									\
	switch (spec->stars) {						\
	case 0:								\
		trace_seq_printf(print->out, spec->text, _value);	\
		break;							\
	case 1:								\
		trace_seq_printf(print->out, spec->text, star[0], _value); \
		break;							\
	default:							\
		trace_seq_printf(print->out, spec->text, star[0], star[1], _value); \
		break;							\
	}								\
} while (0)

/**
 * ltt_bridge_printf() - what TP_printk() says
 * @print:	where to
 * @format:	its format
 * @...:	its values
 *
 * From a conversion on that is none of printk()'s the format is shown as it is.
 *
 * Context: task.
 */
void ltt_bridge_printf(struct ltt_bridge_print *print, const char *format, ...)
{
	struct spec parsed, *const spec = &parsed;
	char copy[STRING_MAX];
	const char *end;
	int star[2] = {};
	unsigned int i;
	va_list va;

	va_start(va, format);
	while (*format) {
		end = strchrnul(format, '%');
		if (end != format) {
			trace_seq_putmem(print->out, format, end - format);
			format = end;
			continue;
		}
		end = parse_spec(format, spec);
		for (i = 0; i < spec->stars; i++)
			star[i] = va_arg(va, int);
		switch (spec->letter) {
		case '%':
			trace_seq_putc(print->out, '%');
			break;
		case 's':
			PRINT(safe_string(print, va_arg(va, const char *), copy));
			break;
		case 'p':
			PRINT(safe_address(print, spec, va_arg(va, void *), print->symbol));
			break;
		case 'c':
		case 'd':
		case 'i':
		case 'o':
		case 'u':
		case 'x':
		case 'X':
			if (spec->longs > 1)
				PRINT(va_arg(va, long long));
			else if (spec->longs)
				PRINT(va_arg(va, long));
			else
				PRINT(va_arg(va, int));
			break;
		default:
			trace_seq_puts(print->out, format);
			end = "";
			break;
		}
		format = end;
	}
	va_end(va);
}

/* ---- the record --------------------------------------------------------------------- */

/**
 * struct state - what a reader needs to print events
 * @out:	the text of an event
 * @tmp:	for what TP_printk() calls
 * @symbol:	text of an address
 * @symbols:	those that were shown
 * @record:	the event's record
 */
struct state {
	struct trace_seq out;
	struct trace_seq tmp;
	char symbol[LTT_SYMBOL_ROOM];
	struct ltt_symbol_cache symbols;
	u8 record[LTT_BRIDGE_SCRATCH] __aligned(8);
};

/**
 * struct rebuild - a record that is being built
 * @p:		the next field of the event
 * @avail:	bytes there
 * @record:	the record
 * @used:	bytes of it
 */
struct rebuild {
	const u8 *p;
	size_t avail;
	u8 *record;
	size_t used;
};

/* Move @size bytes of the event to the end of the record, note where @loc says. */
static int add_dynamic(struct rebuild *rb, u8 *loc, size_t size)
{
	u32 where = rb->used | (u32)size << 16;

	if (size > rb->avail || size > LTT_BRIDGE_SCRATCH - rb->used)
		return -EBADMSG;
	memcpy(rb->record + rb->used, rb->p, size);
	memcpy(loc, &where, sizeof(where));
	rb->used += size;
	rb->p += size;
	rb->avail -= size;
	return 0;
}

static int add_field(struct rebuild *rb, const struct ltt_bridge_field *field)
{
	u8 *to = rb->record + field->offset;
	size_t size = field->size, len;
	u32 count;

	switch (field->kind) {
	case LTT_BRIDGE_DYN_STR:
		return add_dynamic(rb, to, strnlen((const char *)rb->p, rb->avail) + 1);
	case LTT_BRIDGE_DYN_ARRAY:
	case LTT_BRIDGE_DYN_CHARS:
		if (rb->avail < sizeof(count))
			return -EBADMSG;
		count = ltt_load32(rb->p, false);
		rb->p += sizeof(count);
		rb->avail -= sizeof(count);
		if (count > LTT_BRIDGE_SCRATCH)
			return -EBADMSG;
		return add_dynamic(rb, to, count * field->element);
	case LTT_BRIDGE_STR:
		len = strnlen((const char *)rb->p, rb->avail);
		if (len == rb->avail || len > size)
			return -EBADMSG;
		memcpy(to, rb->p, len);
		memset(to + len, 0, size - len);
		size = len + 1;
		break;
	default:
		if (size > rb->avail)
			return -EBADMSG;
		memcpy(to, rb->p, size);
		break;
	}
	rb->p += size;
	rb->avail -= size;
	return 0;
}

/* Return: bytes of the record, or -EBADMSG. */
static long rebuild(const struct ltt_bridge_desc *desc, u8 *record,
		    const void *payload, size_t size)
{
	struct rebuild rb = {
		.p = payload, .avail = size, .record = record, .used = desc->size,
	};
	const struct ltt_bridge_field *fields;
	unsigned int nr, i;
	int err;

	memset(record, 0, desc->size);
	fields = desc->fields(&nr);
	for (i = 0; i < nr; i++) {
		err = add_field(&rb, &fields[i]);
		if (err)
			return err;
	}
	return rb.used;
}

/* ---- the printer ---------------------------------------------------------------------- */

static void *state_open(void)
{
	struct state *state = kvmalloc(sizeof(*state), GFP_KERNEL);

	if (!state)
		return ERR_PTR(-ENOMEM);
	state->symbols = (struct ltt_symbol_cache) {};
	return state;
}

static void state_close(void *data)
{
	struct state *state = data;

	ltt_symbol_cache_free(&state->symbols);
	kvfree(state);
}

static long print_event(void *data, const struct ltt_event *event, u64 ts,
			const void *payload, size_t size, const char **text)
{
	const struct ltt_bridge *bridge = ltt_bridge_find(event);
	struct state *state = data;
	struct ltt_bridge_print print = {
		.out = &state->out, .tmp = &state->tmp, .record = state->record,
		.symbol = state->symbol, .symbols = &state->symbols, .ts = ts,
	};
	long used;

	if (!bridge || !bridge->desc->print)
		return -ENOENT;
	used = rebuild(bridge->desc, state->record, payload, size);
	if (used < 0)
		return used;
	print.size = used;
	trace_seq_init(&state->out);
	trace_seq_init(&state->tmp);
	bridge->desc->print(&print, state->record);
	*text = state->out.buffer;
	return trace_seq_used(&state->out);
}

const struct ltt_event_printer ltt_bridge_printer = {
	.owner = THIS_MODULE,
	.open = state_open,
	.close = state_close,
	.print = print_event,
};
