// SPDX-License-Identifier: GPL-2.0
/*
 * LTT sample: a marker of every type.
 *
 * Where modprobe does not find the sample, insmod the file that was built, see the Makefile.
 *
 *	# cd /sys/kernel/debug/ltt
 *	# echo types > setup_trace
 *	# echo 'sample_types.*' > traces/types/markers
 *	# echo 1 > traces/types/enabled
 *	# modprobe ltt-sample-types
 *	# cat traces/types/text/ALL
 *
 * The markers fire once when the module is loaded, and once more each time
 * something is written to /sys/module/ltt_sample_types/parameters/fire. Nothing
 * of LTT is linked to: the module loads with and without ltt-core.
 */

#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/ltt/marker.h>

enum fruit { APPLE, PEAR, QUINCE };

static void fire_integers(void)
{
	struct { unsigned int three : 3; int five : 5; } bits = { 5, -3 };

	trace_mark(sample_types, narrow, "u8 %u s8 %d u16 %u s16 %d bool %d",
		   (u8)255, (s8)-128, (u16)65535, (s16)-32768, true);
	trace_mark(sample_types, wide, "int %d uint %u long %ld ulong %lu s64 %lld u64 %llu",
		   INT_MIN, UINT_MAX, LONG_MIN, ULONG_MAX, S64_MIN, U64_MAX);
	trace_mark(sample_types, bases, "hex %x HEX %#X oct %o zero %08x left %-6d| plus %+d",
		   0xbeefu, 0xcafeu, 0755u, 0x1234u, 42, 42);
	trace_mark(sample_types, bits, "three %u five %d", bits.three, bits.five);
	trace_mark(sample_types, network, "be16 %u be32 %#x be64 %llx",
		   ltt_be16(htons(443)), ltt_be32(htonl(0x0a000001)),
		   ltt_be64(cpu_to_be64(0x0123456789abcdefull)));
}

/* Neither user nor kernel: reading it faults. */
static const void *const unreadable = (const void *)0xdead000000000000ul;

static void fire_names(void)
{
	trace_mark(sample_types, names, "fruit %d{0=apple,1=pear,2=quince} mode %x{|1=read|2=write|4=exec}",
		   PEAR, 5u);
	trace_mark(sample_types, unnamed, "fruit %d{0=apple} mode %x{|1=read}", 7, 9u);
}

static void fire_strings(void)
{
	static const char raw[4] = { 'r', 'a', 'w', '!' };	/* no NUL */

	trace_mark(sample_types, strings, "char %c string %s empty '%s' bounded %.4s",
		   'x', "hello", "", raw);
	trace_mark(sample_types, faults, "null %s fault %s", (char *)NULL,
		   (const char *)unreadable);
	trace_mark(sample_types, escapes, "text %s",
		   "line\nforged 1.0 [000] a.b: tab\t back\\slash bell\a esc\033[1m");
}

static void fire_pointers(void)
{
	static const u8 ip4[4] = { 192, 168, 1, 20 };
	static const u8 ip6[16] = { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 };
	static const u8 mac[6] = { 0x52, 0x54, 0x00, 0x12, 0x34, 0x56 };
	static const u8 uuid[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };

	trace_mark(sample_types, addresses, "ip4 %pI4 ip6 %pI6c full %pI6 mac %pM uuid %pUb",
		   ip4, ip6, ip6, mac, uuid);
	trace_mark(sample_types, symbols, "func %ps offset %pS", schedule, schedule);
	trace_mark(sample_types, pointer, "null %p", (void *)NULL);
}

static void fire_many(void)
{
	static const u16 three[3] = { 1, 2, 3 };
	static const s32 some[] = { -1, 0, 1 };
	static const u8 bytes[] = { 0xde, 0xad, 0x00, 0xbe, 0xef };

	trace_mark(sample_types, array, "three %u[3]", ltt_array(three));
	trace_mark(sample_types, sequence, "some %d none %x",
		   ltt_seq(some, ARRAY_SIZE(some)), ltt_seq(bytes, 0));
	trace_mark(sample_types, blob, "size %lu binary %pW", sizeof(bytes), bytes);
	trace_mark(sample_types, be_blob, "len %u data %pW", ltt_be16(cpu_to_be16(3)), bytes);
	trace_mark(sample_types, no_blob, "size %lu null %pW size %d fault %pW",
		   sizeof(bytes), (void *)NULL, 2, unreadable);
	trace_mark(sample_types, nothing, "no argument, 100%% text");
}

static void fire_all(void)
{
	fire_integers();
	fire_names();
	fire_strings();
	fire_pointers();
	fire_many();
}

static int fire_set(const char *value, const struct kernel_param *param)
{
	fire_all();
	return 0;
}

static const struct kernel_param_ops fire_ops = { .set = fire_set };

module_param_cb(fire, &fire_ops, NULL, 0200);
MODULE_PARM_DESC(fire, "Write anything to fire every marker once");

static int __init ltt_sample_types_init(void)
{
	fire_all();
	return 0;
}

static void __exit ltt_sample_types_exit(void)
{
}

module_init(ltt_sample_types_init);
module_exit(ltt_sample_types_exit);

MODULE_DESCRIPTION("LTT sample: a marker of every type");
MODULE_LICENSE("GPL");
