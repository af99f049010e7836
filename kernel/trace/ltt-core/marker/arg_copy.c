// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: copies what a pointer argument points to into the event.
 *
 * A call site makes two calls: one returns how many bytes the argument will take, the
 * other stores exactly that many. In between, the memory may change or disappear; the
 * size is kept all the same, so that an event is always well-formed.
 *
 * All of this runs in any context, NMI included, with preemption disabled, on
 * arbitrary pointers.
 */

#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/word-at-a-time.h>

#include "nofault.h"
#include "registry.h"

/* No argument can be larger than the largest sub-buffer. */
#define BYTES_MAX	BIT(LTT_SUBBUF_ORDER_MAX)

static_assert(LTT_LEN_NEVER > BYTES_MAX);
static_assert(LTT_MAX_STR <= U16_MAX);

static const char null_text[] = "(null)";
static const char fault_text[] = "(fault)";

static_assert(sizeof(fault_text) == LTT_FAULT_SIZE);

/*
 * Bytes of the string at @ptr, at most @max, and one for the NUL. Aligned words do
 * not cross a page: nothing is touched beyond the page of the NUL.
 */
static __always_inline size_t string_size(const char *ptr, unsigned int max,
					  const bool simple)
{
	const struct word_at_a_time constants = WORD_AT_A_TIME_CONSTANTS;
	unsigned int skip = (unsigned long)ptr % sizeof(u64);
	const char *p = ptr - skip;
	unsigned long zeros;
	long len = -(long)skip;
	u64 word;

	if (unlikely(!max))
		return 1;
	if (unlikely(!ltt_load_64_nofault(&word, p, simple)))
		return LTT_FAULT_SIZE;
	word |= aligned_byte_mask(skip);
	while (!has_zero(word, &zeros, &constants)) {
		len += sizeof(word);
		if (len >= max)
			return max + 1;
		p += sizeof(word);
		if (unlikely(!ltt_load_64_nofault(&word, p, simple)))
			return LTT_FAULT_SIZE;
	}
	zeros = prep_zero_mask(word, zeros, &constants);
	len += find_zero(create_zero_mask(zeros));
	return min_t(long, len, max) + 1;
}

static noinline notrace size_t string_size_simple(const char *ptr, unsigned int max)
{
	return string_size(ptr, max, true);
}

/*
 * The same for most strings, in half of the instructions: unaligned words of what does not
 * leave the page, and a test for a NUL that only ASCII passes.
 */
static __always_inline size_t string_size_ascii(const char *ptr, unsigned int max)
{
	unsigned long minus_ones = -REPEAT_BYTE(0x01), highs = REPEAT_BYTE(0x80);
	const char *p = ptr;
	unsigned int i;
	size_t len;
	u64 word;
	u8 end;

	/* Two registers are better than a load of 64 bits for each word. */
	OPTIMIZER_HIDE_VAR(minus_ones);
	OPTIMIZER_HIDE_VAR(highs);
	do {
		if (unlikely(offset_in_page(p) > PAGE_SIZE - 64))
			return string_size_simple(ptr, max);
#pragma GCC unroll 8
		for (i = 0; i < 64; i += 8) {
			if (unlikely(!ltt_load_64_nofault(&word, p + i, true)))
				return string_size_simple(ptr, max);
			word = (word + minus_ones) & highs;
			if (word)
				goto found;
		}
		p += 64;
	} while (p - ptr < max);
	return max + 1;

found:
	/* The first byte that is NUL, or no ASCII: nothing was borrowed from it. */
	len = p - ptr + i + __ffs(word) / 8;
	if (unlikely(len >= max))
		return max + 1;
	if (unlikely(!ltt_load_8_nofault(&end, ptr + len, true)) || unlikely(end))
		return string_size_simple(ptr, max);
	return len + 1;
}

/* The string is in an unusual place. */
static noinline notrace size_t string_size_any(const char *ptr, unsigned int max)
{
	return ptr ? string_size(ptr, max, false) : sizeof(null_text);
}

/* Store @text in @len bytes and a NUL, cut or padded. */
static noinline notrace void put_text(u8 *p, const char *text, size_t len)
{
	for (; len; len--)
		*p++ = *text ? *text++ : '#';
	*p = '\0';
}

/* The string may have been shortened after its size was taken: pad it. */
static noinline notrace void pad_string(u8 *p, size_t len)
{
	size_t at = string_size((const char *)p, len, true) - 1;

	memset(p + at, '#', len - at);
}

/*
 * Copy one integer of the string at @ptr + @_at. Note what a NUL in it leaves: the highest
 * bit of its byte, as do bytes that are not ASCII.
 */
#define STEP(_bits, _at)						\
do {									\
	const u##_bits ones = (u##_bits)~0ul / 0xff;			\
	size_t at_ = (_at);						\
	u##_bits v;							\
									\
	if (unlikely(!ltt_load_##_bits##_nofault(&v, ptr + at_, simple))) \
		goto fault;						\
	zeros |= (u##_bits)(v - ones);					\
	memcpy(p + at_, &v, sizeof(v));					\
} while (0)

/* Four of them. */
#define STEPS(_bits, _at)						\
do {									\
	STEP(_bits, _at);						\
	STEP(_bits, (_at) + (_bits) / 8);				\
	STEP(_bits, (_at) + (_bits) / 8 * 2);				\
	STEP(_bits, (_at) + (_bits) / 8 * 3);				\
} while (0)

/*
 * Store @len bytes of the string at @ptr, and a NUL. The last integers of a size
 * may overlap those before them, so that no byte behind the string is touched.
 */
static __always_inline void put_string(u8 *p, const char *ptr, size_t len,
				       unsigned int max, const bool simple)
{
	unsigned long zeros = 0;
	size_t at;
	u8 end;

	/* What follows tells a short string from one that cannot be read. */
	if (unlikely(len == LTT_FAULT_SIZE - 1) && len != max &&
	    (!ltt_load_8_nofault(&end, ptr + len, simple) || end))
		goto fault;

	if (len >= 32) {
		for (at = 0; at < len - 32; at += 32)
			STEPS(64, at);
		STEPS(64, len - 32);
		zeros &= REPEAT_BYTE(0x80);
	} else if (len >= 8) {
		STEP(64, 0);
		STEP(64, len - 8);
		if (len > 16) {
			STEP(64, 8);
			STEP(64, len - 16);
		}
		zeros &= REPEAT_BYTE(0x80);
	} else if (len >= 4) {
		STEP(32, 0);
		STEP(32, len - 4);
		zeros &= 0x80808080;
	} else if (len >= 2) {
		STEP(16, 0);
		STEP(16, len - 2);
		zeros &= 0x8080;
	} else if (len) {
		STEP(8, 0);
		zeros &= 0x80;
	}
	p[len] = '\0';
	if (unlikely(zeros))
		pad_string(p, len);
	return;

fault:
	put_text(p, fault_text, len);
}

static noinline notrace void put_string_any(u8 *p, const char *ptr, size_t len,
					    unsigned int max)
{
	if (ptr)
		put_string(p, ptr, len, max, false);
	else
		put_text(p, null_text, len);
}

/* Anything but strings; a function of its own, so that strings save no registers for it. */
static noinline notrace size_t other_size(const struct ltt_marker *marker,
					  unsigned int arg, u64 prev)
{
	const struct ltt_capture capture = marker->capture[arg];
	unsigned int element = LTT_TYPE_SIZE(marker->types[arg]);

	switch (capture.mode) {
	case LTT_CAPTURE_COPY:
		return capture.n;
	case LTT_CAPTURE_BLOB:
		return likely(prev <= BYTES_MAX) ? 1 + prev : LTT_LEN_NEVER;
	case LTT_CAPTURE_SEQ:
		return likely(prev <= BYTES_MAX) ? sizeof(u32) + prev * element :
						   LTT_LEN_NEVER;
	case LTT_CAPTURE_ARRAY:
		return capture.n * element;
	default:
		return sizeof(void *);
	}
}

static noinline notrace void put_other(const struct ltt_marker *marker, unsigned int arg,
				       u8 *p, const void *ptr, size_t size)
{
	u32 count;

	switch (marker->capture[arg].mode) {
	case LTT_CAPTURE_BLOB:
		size--;
		*p = LTT_BLOB_READ;
		if (unlikely(ltt_copy_nofault(p + 1, ptr, size))) {
			*p = ptr ? LTT_BLOB_FAULT : LTT_BLOB_NULL;
			memset(p + 1, 0, size);
		}
		break;
	case LTT_CAPTURE_SEQ:
		size -= sizeof(count);
		count = size / LTT_TYPE_SIZE(marker->types[arg]);
		memcpy(p, &count, sizeof(count));
		p += sizeof(count);
		fallthrough;
	case LTT_CAPTURE_COPY:
	case LTT_CAPTURE_ARRAY:
		if (unlikely(ltt_copy_nofault(p, ptr, size)))
			memset(p, 0, size);
		break;
	default:
		memcpy(p, &ptr, sizeof(ptr));
		break;
	}
}

/**
 * ltt_string_size() - how many bytes a string takes in an event
 * @ptr:	the string; may be anything
 * @max:	most of its characters that are recorded
 *
 * Context: any, NMI included.
 * Return: the bytes, with the NUL.
 */
notrace size_t ltt_string_size(const char *ptr, unsigned int max)
{
	if (unlikely(!ltt_is_simple(ptr)))
		return string_size_any(ptr, max);
	return string_size_ascii(ptr, max);
}

/**
 * ltt_string_put() - store a string in an event
 * @p:		where to
 * @ptr:	the string
 * @size:	what ltt_string_size() returned; exactly that is stored
 * @max:	as given to that
 *
 * Context: any, NMI included.
 */
notrace void ltt_string_put(u8 *p, const char *ptr, size_t size, unsigned int max)
{
	if (unlikely(!ltt_is_simple(ptr)))
		put_string_any(p, ptr, size - 1, max);
	else
		put_string(p, ptr, size - 1, max, true);
}

static notrace size_t capture_size(const struct ltt_marker *marker, unsigned int arg,
				   const void *ptr, u64 prev)
{
	const struct ltt_capture *capture = &marker->capture[arg];

	if (unlikely(capture->mode != LTT_CAPTURE_STR))
		return other_size(marker, arg, prev);
	return ltt_string_size(ptr, capture->n);
}

static notrace void capture_put(const struct ltt_marker *marker, unsigned int arg,
				u8 *p, const void *ptr, size_t size)
{
	const struct ltt_capture *capture = &marker->capture[arg];

	if (unlikely(capture->mode != LTT_CAPTURE_STR))
		put_other(marker, arg, p, ptr, size);
	else
		ltt_string_put(p, ptr, size, capture->n);
}

/*
 * Called by call sites, see struct ltt_marker_ops.
 *
 * A string takes its bytes and a NUL and has no other NUL; NULL is recorded as
 * "(null)", a string that cannot be read as "(fault)". A string that turns out to be
 * shorter than its size is padded with '#'. Anything else that cannot be read is
 * recorded as zeros, and a blob says so (enum ltt_blob). A blob or a sequence that no
 * event can hold gets a size that no event can have, so that the event is counted as lost.
 *
 * Context: any, NMI included. Never faults, never sleeps.
 */
const struct ltt_marker_ops ltt_capture_ops = {
	.size = capture_size,
	.put = capture_put,
};

static void capture_set(struct ltt_capture *capture, const struct ltt_field *field)
{
	switch (field->store) {
	case LTT_STORE_STR:
		capture->mode = LTT_CAPTURE_STR;
		capture->n = LTT_MAX_STR - 1;
		if (field->flags & LTT_FIELD_PREC)
			capture->n = min(capture->n, field->prec);
		break;
	case LTT_STORE_ARRAY:
		capture->n = field->count;
		switch (field->show) {
		case LTT_SHOW_IP4:
		case LTT_SHOW_IP6:
		case LTT_SHOW_MAC:
		case LTT_SHOW_UUID:
			capture->mode = LTT_CAPTURE_COPY;
			capture->n *= field->size;
			break;
		default:
			capture->mode = LTT_CAPTURE_ARRAY;
			break;
		}
		break;
	case LTT_STORE_SEQ:
		capture->mode = LTT_CAPTURE_SEQ;
		break;
	case LTT_STORE_BLOB:
		capture->mode = LTT_CAPTURE_BLOB;
		break;
	default:
		capture->mode = LTT_CAPTURE_VALUE;
		break;
	}
}

/**
 * ltt_capture_alloc() - determine what to record of each argument
 * @format:	the marker's parsed format
 *
 * Context: task; may sleep.
 * Return: one struct ltt_capture for each field, to be freed by kfree(); NULL if
 * there is no memory.
 */
struct ltt_capture *ltt_capture_alloc(const struct ltt_format *format)
{
	struct ltt_capture *capture;
	unsigned int i;

	/* Never of size 0: NULL must mean that there is no memory. */
	capture = kcalloc(format->nr_fields ?: 1, sizeof(*capture), GFP_KERNEL);
	if (!capture)
		return NULL;
	for (i = 0; i < format->nr_fields; i++)
		capture_set(&capture[i], &format->fields[i]);
	return capture;
}
