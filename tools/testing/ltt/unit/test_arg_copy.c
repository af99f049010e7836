// SPDX-License-Identifier: GPL-2.0
/*
 * Strings of markers: sizes and bytes against strnlen(), at every distance from the end of
 * what can be read, for strings that change in between, too.
 *
 * The code under test is included; of the kernel it gets what is defined here.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/ltt/format.h>
#include <linux/ltt/packet.h>
#include <linux/ltt/reserve.h>
#include <linux/ltt/types.h>

#include "ktap.h"

#define _LTT_REGISTRY_H		/* we are all of it, and of <linux/ltt/marker.h> */

enum {
	LTT_CAPTURE_VALUE,
	LTT_CAPTURE_STR,
	LTT_CAPTURE_COPY,
	LTT_CAPTURE_BLOB,
	LTT_CAPTURE_SEQ,
	LTT_CAPTURE_ARRAY,
};

struct ltt_capture {
	u16 mode;
	u16 n;
};

struct ltt_marker {
	const struct ltt_capture *capture;
	const u32 *types;
};

struct ltt_marker_ops {
	size_t (*size)(const struct ltt_marker *marker, unsigned int arg, const void *ptr,
		       u64 prev);
	void (*put)(const struct ltt_marker *marker, unsigned int arg, u8 *p, const void *ptr,
		    size_t size);
};

#define LTT_FAULT_SIZE	sizeof("(fault)")

#define U16_MAX			((u16)~0u)
#define LTT_LEN_NEVER		BIT(32)
#define kcalloc(n, size, flags)	calloc(n, size)
#define notrace

#include "../../../../kernel/trace/ltt-core/marker/arg_copy.c"
#include "../../../../kernel/trace/ltt-core/marker/short_string.h"

bool simple_addresses;

/* The last page that can be read. */
static char *page;
/* The string's: no other page may be touched, but for faults. */
static const char *only;
static unsigned int touched_other;
/* What is recorded. */
static u64 event[(LTT_MAX_STR + 64) / 8];

bool readable(const void *p, size_t size)
{
	const char *begin = p, *own = (const char *)event;
	bool stray = only && (begin < only || begin + size > only + PAGE_SIZE);

	if (begin >= own && begin + size <= own + sizeof(event))
		return true;
	touched_other += stray;
	return begin >= page && begin + size <= page + PAGE_SIZE;
}

static struct ltt_capture capture = { .mode = LTT_CAPTURE_STR };
static const struct ltt_marker marker = { .capture = &capture };

static size_t size_of(const char *string)
{
	return ltt_capture_ops.size(&marker, 0, string, 0);
}

/* Where it is stored, with guards around. */
static u8 *place(void)
{
	memset(event, 0x55, sizeof(event));
	return (u8 *)event + 16 + (unsigned int)rand() % 8;
}

/* What is in the event then? */
static const char *checked(const u8 *p, size_t size)
{
	EXPECT(p[-1] == 0x55 && p[size] == 0x55, "bytes around the string were written");
	EXPECT(p[size - 1] == '\0', "no NUL at the end");
	EXPECT(strlen((char *)p) == size - 1, "a NUL within");
	return (const char *)p;
}

static const char *stored(const char *string, size_t size)
{
	u8 *p = place();

	ltt_capture_ops.put(&marker, 0, p, string, size);
	return checked(p, size);
}

static void fill(char *p, size_t len, bool ascii)
{
	while (len--)
		*p++ = ascii ? 1 + rand() % 127 : 1 + rand() % 255;
}

/* A string of @len bytes whose NUL is @left bytes before the end of what can be read. */
static void check_one(size_t len, size_t left, bool ascii)
{
	char *string = page + PAGE_SIZE - left - len - 1;
	size_t size, want = (len < capture.n ? len : capture.n) + 1;

	fill(page, PAGE_SIZE, ascii);
	string[len] = '\0';
	only = page;
	touched_other = 0;
	size = size_of(string);
	if (!EXPECT(size == want, "%zu bytes, %zu left, at most %u: %zu instead of %zu", len,
		    left, capture.n, size, want))
		return;
	EXPECT(!memcmp(stored(string, size), string, size - 1), "%zu bytes, %zu left: differ",
	       len, left);
	EXPECT(!touched_other, "%zu bytes, %zu left: another page was touched", len, left);
	only = NULL;
}

static void all_lengths(unsigned int max)
{
	size_t len, left;

	capture.n = max;
	for (len = 0; len <= 150; len++)
		for (left = 0; left <= 80; left++)
			check_one(len, left, left & 1);
	check_one(2000, 3, true);
	check_one(2000, 3, false);
}

static void test_lengths(void)
{
	all_lengths(LTT_MAX_STR - 1);
	all_lengths(64);
	all_lengths(63);
	all_lengths(7);
	all_lengths(1);
	all_lengths(0);
	simple_addresses = false;
	all_lengths(LTT_MAX_STR - 1);
	all_lengths(7);
	simple_addresses = true;
	capture.n = LTT_MAX_STR - 1;
}

/* No NUL up to the end of what can be read. */
static void test_fault(void)
{
	size_t len;

	for (len = 0; len <= 200; len++) {
		char *string = page + PAGE_SIZE - len;
		size_t size;

		fill(page, PAGE_SIZE, len & 1);
		size = size_of(string);
		EXPECT(size == sizeof("(fault)"), "%zu bytes: size %zu", len, size);
		EXPECT_STR(stored(string, size), "(fault)");
	}
	simple_addresses = false;
	EXPECT_STR(stored(NULL, size_of(NULL)), "(null)");
	simple_addresses = true;
}

/* Shorter, longer or gone when it is stored. */
static void test_changes(void)
{
	char want[200];
	size_t len, now;

	for (len = 1; len < sizeof(want); len++)
		for (now = 0; now < len; now++) {
			char *string = page + (unsigned int)rand() % 1000;
			size_t size;

			fill(string, sizeof(want), rand() & 1);
			string[len] = '\0';
			size = size_of(string);
			string[now] = '\0';
			memset(want, '#', len);
			memcpy(want, string, now);
			want[len] = '\0';
			/* What cannot be told from one that could not be read */
			if (len == sizeof("(fault)") - 1)
				continue;
			EXPECT_STR(stored(string, size), want);
			string[len] = 'x';
			string[now] = 'y';
			EXPECT(!memcmp(stored(string, size), string, len), "a longer string");
		}
	EXPECT_STR(stored(page + PAGE_SIZE, 4), "(fa");
	EXPECT_STR(stored(page + PAGE_SIZE, 11), "(fault)###");
}

/* Of what is longer, or reaches over the page, or is not ASCII, nothing may be believed. */
static void check_short(size_t len, size_t left, bool ascii)
{
	char *string = page + PAGE_SIZE - left - len - 1, before[100];
	bool fits = simple_addresses && len + 1 + left >= 64, plain = true;
	enum ltt_string_kind want, kind;
	struct ltt_short_string copy;
	size_t i, found = 0;
	u8 *p;

	fill(page, PAGE_SIZE, ascii);
	string[len] = '\0';
	for (i = 0; i < len && i < 64; i++)
		plain &= !(string[i] & 0x80);
	want = !fits || !plain ? LTT_STRING_OTHER : len < 64 ? LTT_STRING_SHORT : LTT_STRING_LONG;
	only = page;
	touched_other = 0;
	kind = ltt_short_string_load(&copy, string, &found);
	only = NULL;
	EXPECT(!touched_other, "%zu bytes, %zu left: another page was touched", len, left);
	if (!EXPECT(kind == want, "%zu bytes, %zu left, ASCII %d: %d, wanted %d", len, left,
		    plain, kind, want))
		return;
	if (kind == LTT_STRING_LONG) {
		p = place();
		ltt_short_string_store_full(p, &copy);
		EXPECT(!memcmp(p, string, 64) && p[-1] == 0x55 && p[64] == 0x55,
		       "how a long string begins");
	}
	if (kind != LTT_STRING_SHORT)
		return;
	EXPECT(found == len, "%zu bytes, %zu left: length %zu", len, left, found);

	/* It does not matter any more what becomes of it. */
	memcpy(before, string, len + 1);
	fill(page, PAGE_SIZE, ascii);
	p = place();
	ltt_short_string_store(p, &copy, len);
	EXPECT_STR(checked(p, len + 1), before);
}

static void test_short(void)
{
	size_t len, left;

	for (len = 0; len <= 70; len++)
		for (left = 0; left <= 70; left++) {
			check_short(len, left, true);
			check_short(len, left, false);
		}
	simple_addresses = false;
	check_short(10, 100, true);
	simple_addresses = true;
}

static void test_short_fault(void)
{
	struct ltt_short_string copy;
	size_t len;

	EXPECT(ltt_short_string_load(&copy, page + PAGE_SIZE, &len) == LTT_STRING_OTHER,
	       "another page was read");
}

int main(void)
{
	static const struct ktap_case cases[] = {
		{ "all lengths, at all distances from the end of a page", test_lengths },
		{ "strings that cannot be read", test_fault },
		{ "strings that change", test_changes },
		{ "short strings at all distances from the end of a page", test_short },
		{ "a short string that cannot be read", test_short_fault },
	};

	simple_addresses = true;
	page = mmap(NULL, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return 1;
	return ktap_run(cases, ARRAY_SIZE(cases));
}
