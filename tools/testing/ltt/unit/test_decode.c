// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of event headers, against a second decoder that takes bits one by one, in
 * the order in which CTF counts them.
 */
#include <stdlib.h>

#include <linux/kernel.h>

#include <linux/ltt/decode.h>
#include "ktap.h"

/*
 * @nr bits from bit @first on. Little-endian: bit 0 is the least significant of
 * byte 0; big-endian: it is the most significant, and comes first in the value.
 */
static u64 bits(const u8 *p, unsigned int first, unsigned int nr, bool big)
{
	unsigned int i, bit;
	u64 v = 0;

	for (i = 0; i < nr; i++) {
		bit = first + i;
		if (big)
			v = v << 1 | (p[bit / 8] >> (7 - bit % 8) & 1);
		else
			v |= (u64)(p[bit / 8] >> bit % 8 & 1) << i;
	}
	return v;
}

/* From the words of packet.h; slow where that is simpler. */
static int naive(const u8 *p, size_t avail, u64 *ts, u32 *id, bool big)
{
	u64 low, t;

	if (avail < 4)
		return -EBADMSG;
	low = bits(p, 5, 27, big);
	if (bits(p, 0, 5, big) != 31) {
		bool wide = bits(p, 0, 5, big) == 30;

		if (wide && avail < 6)
			return -EBADMSG;
		t = *ts - *ts % (1ull << 27) + low;
		if (t < *ts) {
			if (t + (1ull << 27) < t)
				return -EBADMSG;
			t += 1ull << 27;
		}
		*ts = t;
		*id = wide ? bits(p, 32, 16, big) : bits(p, 0, 5, big);
		return wide ? 6 : 4;
	}
	if (avail < 16 || low)
		return -EBADMSG;
	t = bits(p, 64, 64, big);
	if (t < *ts)
		return -EBADMSG;
	*ts = t;
	*id = bits(p, 32, 32, big);
	return 16;
}

static void compare(const u8 *p, size_t avail, u64 before, bool big)
{
	u64 ts = before, want_ts = before;
	u32 id = 12345, want_id = 12345;
	u8 *copy = malloc(avail ?: 1);
	int got, want;

	memcpy(copy, p, avail);
	got = ltt_decode_header(copy, avail, &ts, &id, big != LTT_HOST_BE);
	want = naive(p, avail, &want_ts, &want_id, big);
	EXPECT(got == want && ts == want_ts && id == want_id,
	       "avail %zu before %llu: got %d %llu %u, want %d %llu %u", avail,
	       (unsigned long long)before, got, (unsigned long long)ts, id,
	       want, (unsigned long long)want_ts, want_id);
	free(copy);
}

static void test_known(void)
{
	static const u8 compact[4] = { 3 | 5 << 5, 0, 0, 0 };
	static const u8 compact_be[4] = { 3 << 3, 0, 0, 5 };
	static const u8 wide[6] = { 30 | 5 << 5, 0, 0, 0, 2, 1 };
	static const u8 wide_be[6] = { 30 << 3, 0, 0, 5, 1, 2 };
	static const u8 extended[16] = { 31, 0, 0, 0, 4, 3, 2, 1, 8, 7, 6, 5, 4, 3, 2, 1 };
	static const u8 extended_be[16] = { 31 << 3, 0, 0, 0, 1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 7, 8 };
	const bool swap_be = !LTT_HOST_BE;
	u32 id;
	u64 ts;

	ts = 5;
	EXPECT(ltt_decode_header(compact, 4, &ts, &id, !swap_be) == 4 && ts == 5 && id == 3,
	       "same");
	ts = 6;
	EXPECT(ltt_decode_header(compact, 4, &ts, &id, !swap_be) == 4 && ts == (1 << 27) + 5,
	       "wrap");
	ts = (7ull << 27) + 4;
	EXPECT(ltt_decode_header(compact_be, 4, &ts, &id, swap_be) == 4 &&
	       ts == (7ull << 27) + 5 && id == 3, "big-endian");
	ts = 6;
	EXPECT(ltt_decode_header(wide, 6, &ts, &id, !swap_be) == 6 && ts == (1 << 27) + 5 &&
	       id == 0x102, "wide");
	ts = 5;
	EXPECT(ltt_decode_header(wide_be, 6, &ts, &id, swap_be) == 6 && ts == 5 && id == 0x102,
	       "wide, big-endian");
	EXPECT(ltt_decode_header(wide, 5, &ts, &id, !swap_be) == -EBADMSG, "wide, cut off");
	EXPECT(ltt_decode_header_of(wide, 4, &ts, &id, !swap_be, LTT_ID_EXTENDED) == 4 && ts == 5 &&
	       id == 30, "an id in traces without a wide form");
	ts = 0;
	EXPECT(ltt_decode_header(extended, 16, &ts, &id, !swap_be) == 16 &&
	       ts == 0x0102030405060708ull && id == 0x01020304, "extended");
	ts = 0;
	EXPECT(ltt_decode_header(extended_be, 16, &ts, &id, swap_be) == 16 &&
	       ts == 0x0102030405060708ull && id == 0x01020304, "extended, big-endian");
}

static void test_random(void)
{
	unsigned long long state = 99;
	unsigned int i, j;

	for (i = 0; i < 200000; i++) {
		u64 before = ktap_random(&state) >> ktap_random(&state) % 64;
		bool big = ktap_random(&state) % 2;
		u8 p[20];

		for (j = 0; j < sizeof(p); j++)
			p[j] = ktap_random(&state);
		if (i % 3 == 0) {	/* extended, most often well-formed */
			memset(p, 0, 4);
			p[0] = big ? 31 << 3 : 31;
			p[ktap_random(&state) % 4] |= i % 5 ? 0 : 64;
		}
		if (i % 3 == 1)
			p[0] = big ? 30 << 3 | (p[0] & 7) : 30 | (p[0] & 0xe0);
		if (i % 7 == 0)
			before = ~0ull - ktap_random(&state) % (1 << 28);
		compare(p, ktap_random(&state) % sizeof(p), before, big);
	}
}

/* A run of events: what is put in comes out. */
static void test_sequence(void)
{
	unsigned long long state = 4;
	u64 now = 1ull << 40, ts = now;
	unsigned int i;
	u32 id, want, form;
	u16 wide_id;
	u8 p[6];

	for (i = 0; i < 100000; i++) {
		u64 step = ktap_random(&state) >> (37 + ktap_random(&state) % 27);
		u32 word;

		now += step;
		want = i % 2 ? ktap_random(&state) % 30 : ktap_random(&state) % 65536;
		form = want < 30 ? want : 30;
		wide_id = want;
		if (LTT_HOST_BE)
			word = form << 27 | (now & LTT_TIME_MASK);
		else
			word = form | (u32)now << 5;
		memcpy(p, &word, 4);
		memcpy(p + 4, &wide_id, 2);
		EXPECT(ltt_decode_header(p, 6, &ts, &id, false) == (want < 30 ? 4 : 6) &&
		       ts == now && id == want, "step %llu", (unsigned long long)step);
	}
}

static void test_load(void)
{
	static const u8 p[9] = { 0xaa, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88 };
	static const u8 sizes[] = { 1, 2, 4, 8 };
	unsigned int i, big;

	for (i = 0; i < 4; i++)
		for (big = 0; big < 2; big++) {
			u64 want = bits(p + 1, 0, 8 * sizes[i], big);
			u64 got = ltt_load_int(p + 1, sizes[i], false, big != LTT_HOST_BE);

			EXPECT(got == want, "size %u", sizes[i]);
			if (sizes[i] < 8)
				want |= ~0ull << 8 * sizes[i];
			got = ltt_load_int(p + 1, sizes[i], true, big != LTT_HOST_BE);
			EXPECT(got == want, "size %u, signed", sizes[i]);
		}
}

static const struct ktap_case cases[] = {
	{ "decode.known", test_known },
	{ "decode.random", test_random },
	{ "decode.sequence", test_sequence },
	{ "decode.load", test_load },
};

int main(void)
{
	return ktap_run(cases, ARRAY_SIZE(cases));
}
