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

/* Store it with guards around: what is in the event then? */
static const char *stored(const char *string, size_t size)
{
	u8 *p = (u8 *)event + 16 + (unsigned int)rand() % 8;

	memset(event, 0x55, sizeof(event));
	ltt_capture_ops.put(&marker, 0, p, string, size);
	EXPECT(p[-1] == 0x55 && p[size] == 0x55, "bytes around the string were written");
	EXPECT(p[size - 1] == '\0', "no NUL at the end");
	EXPECT(strlen((char *)p) == size - 1, "a NUL within");
	return (char *)p;
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

int main(void)
{
	static const struct ktap_case cases[] = {
		{ "all lengths, at all distances from the end of a page", test_lengths },
		{ "strings that cannot be read", test_fault },
		{ "strings that change", test_changes },
	};

	simple_addresses = true;
	page = mmap(NULL, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return 1;
	return ktap_run(cases, ARRAY_SIZE(cases));
}
