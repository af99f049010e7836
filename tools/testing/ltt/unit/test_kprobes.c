// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the parser of dynamic_markers: what is understood, what is refused and
 * where, and hostile input.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/ltt/format.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "ktap.h"
#include "parse.h"

static const char *const registers[] = { "ax", "di", "si", "dx", "r15" };

int ltt_kprobe_register(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(registers); i++) {
		if (strlen(registers[i]) == len && !memcmp(registers[i], name, len))
			return 8 * i;
	}
	return -ENOENT;
}

/* Parses @line; its format, if it has one, is one that markers may have. */
static int parse(const char *line, struct ltt_kprobe_def **def,
		 struct ltt_kprobe_error *error)
{
	char *exact = strdup(line), format[LTT_MAX_FORMAT + 1], why[LTT_FORMAT_ERROR];
	struct ltt_format *parsed;
	__u32 types[LTT_KPROBE_ARGS];
	unsigned int nr;
	int err;

	memset(error, 'E', sizeof(*error));
	err = ltt_kprobe_parse(exact, def, error);
	free(exact);
	if (err) {
		EXPECT(memchr(error->text, '\0', sizeof(error->text)), "'%s'", line);
		EXPECT(error->column >= 1 && error->column <= strlen(line) + 1,
		       "'%s': column %u", line, error->column);
		return err;
	}
	if ((*def)->kind == '-')
		return 0;
	nr = ltt_kprobe_types(*def, types);
	EXPECT(nr <= LTT_KPROBE_ARGS, "'%s': %u types", line, nr);
	EXPECT(ltt_kprobe_format(*def, format, sizeof(format)) < (int)sizeof(format), "'%s'",
	       line);
	parsed = ltt_format_parse(format, types, nr, why);
	if (EXPECT(!IS_ERR(parsed), "'%s': format '%s': %s", line, format, why)) {
		unsigned int i, fixed = nr - (*def)->nr_args;

		for (i = fixed; i < nr; i++)
			EXPECT_STR(parsed->fields[i].name, (*def)->arg[i - fixed].name);
		ltt_format_free(parsed);
	}
	return 0;
}

/* @line is understood: as @again, with @format. */
static void good(const char *line, const char *again, const char *format)
{
	struct ltt_kprobe_error error;
	struct ltt_kprobe_def *def;
	char buf[4096];
	int err, round;

	for (round = 0; round < 2; round++) {
		err = parse(line, &def, &error);
		if (!EXPECT(!err, "'%s': %d, column %u: %s", line, err, error.column,
			    error.text))
			return;
		ltt_kprobe_format(def, buf, sizeof(buf));
		EXPECT_STR(buf, format);
		ltt_kprobe_print(def, line, buf, sizeof(buf));
		EXPECT_STR(buf, again);
		ltt_kprobe_def_free(def);
		/* What is printed means the same. */
		line = again;
	}
}

static void places(void)
{
	good("p vfs_open", "p:kprobes/p_vfs_open_0 vfs_open", "ip %pS");
	good("p:open vfs_open", "p:kprobes/open vfs_open", "ip %pS");
	good("p:fs/open vfs_open", "p:fs/open vfs_open", "ip %pS");
	good("p:fs/ vfs_open+0x1f", "p:fs/p_vfs_open_31 vfs_open+0x1f", "ip %pS");
	good("  p:a\text4:f.isra.0+010 ", "p:kprobes/a ext4:f.isra.0+010", "ip %pS");
	good("p ext4:g.cold", "p:kprobes/p_ext4_g_cold_0 ext4:g.cold", "ip %pS");
	good("p 0xffffffff81000000", "p:kprobes/p_0xffffffff81000000 0xffffffff81000000",
	     "ip %pS");
	good("r vfs_open", "r:kprobes/r_vfs_open_0 vfs_open", "func %ps from %pS");
	good("r20:x vfs_open+0", "r20:kprobes/x vfs_open+0", "func %ps from %pS");
	good("r4096 m:f", "r4096:kprobes/r_m_f_0 m:f", "func %ps from %pS");
}

static void arguments(void)
{
	good("p:a f %di", "p:kprobes/a f %di", "ip %pS arg1 0x%llx");
	good("p:a f  x=%di:u8   y=%si:s32", "p:kprobes/a f x=%di:u8 y=%si:s32",
	     "ip %pS x %llu y %lld");
	good("p:a f $stack $stack3:symbol $comm $arg2:x16",
	     "p:kprobes/a f $stack $stack3:symbol $comm $arg2:x16",
	     "ip %pS arg1 0x%llx arg2 %pS arg3 %s arg4 0x%llx");
	good("r:a f ret=$retval:s64", "r:kprobes/a f ret=$retval:s64",
	     "func %ps from %pS ret %lld");
	good("p:a f @jiffies:u64 @linux_banner:string @x-0x10 @0xffff:char",
	     "p:kprobes/a f @jiffies:u64 @linux_banner:string @x-0x10 @0xffff:char",
	     "ip %pS arg1 %llu arg2 %s arg3 0x%llx arg4 %c");
	good("p:a f \\42 \\-1:s8 i=\\+0x10", "p:kprobes/a f \\42 \\-1:s8 i=\\+0x10",
	     "ip %pS arg1 0x%llx arg2 %lld i 0x%llx");
	good("p:a f +0(%si):string +u0(%si):string n=+0(%si):ustring",
	     "p:kprobes/a f +0(%si):string +u0(%si):string n=+0(%si):ustring",
	     "ip %pS arg1 %s arg2 %s n %s");
	good("p:a f +8(-0x10(+u4(%di))):x32[4] c=+0(%si):char[8] s=+0(%si):s16[2]",
	     "p:kprobes/a f +8(-0x10(+u4(%di))):x32[4] c=+0(%si):char[8] s=+0(%si):s16[2]",
	     "ip %pS arg1 %#llx[4] c %c[8] s %lld[2]");
	good("p:a f %di:b4@2/32 +0(%di):b8@0/8[3] f=%ax:symstr",
	     "p:kprobes/a f %di:b4@2/32 +0(%di):b8@0/8[3] f=%ax:symstr",
	     "ip %pS arg1 %llu arg2 %llu[3] f %s");
}

/* The programs themselves. */
static void programs(void)
{
	struct ltt_kprobe_error error;
	struct ltt_kprobe_def *def;
	const struct ltt_fetch *arg;

	if (!EXPECT(!parse("p f +8(-0x10(+u4(%si))):b4@2/16 @sym-3:ustring \\-2", &def, &error),
		    "%s", error.text))
		return;
	arg = &def->arg[0];
	EXPECT(arg->from == LTT_FROM_REG && arg->where == 16 && arg->nr_steps == 3, "start");
	EXPECT(arg->step[0].offset == 4 && arg->step[0].user, "inner");
	EXPECT(arg->step[1].offset == -16 && !arg->step[1].user, "middle");
	EXPECT(arg->step[2].offset == 8 && !arg->step[2].user, "outer");
	EXPECT(arg->size == 2 && arg->left == 10 && arg->right == 12, "bits %u %u %u",
	       arg->size, arg->left, arg->right);
	arg = &def->arg[1];
	EXPECT(arg->from == LTT_FROM_SYMBOL && !strcmp(arg->symbol, "sym"), "symbol");
	EXPECT(arg->nr_steps == 1 && arg->step[0].offset == -3 && arg->step[0].user, "user");
	EXPECT(arg->column == 33, "column %u", arg->column);
	arg = &def->arg[2];
	EXPECT(arg->from == LTT_FROM_VALUE && arg->where == -2ul && !arg->nr_steps, "value");
	ltt_kprobe_def_free(def);
}

static void removals(void)
{
	struct ltt_kprobe_error error;
	struct ltt_kprobe_def *def;

	if (!EXPECT(!parse("-:a/b ", &def, &error), "%s", error.text))
		return;
	EXPECT(def->kind == '-', "kind %c", def->kind);
	EXPECT_STR(def->channel, "a");
	EXPECT_STR(def->name, "b");
	ltt_kprobe_def_free(def);
	if (!EXPECT(!parse("-:b", &def, &error), "%s", error.text))
		return;
	EXPECT_STR(def->channel, "kprobes");
	ltt_kprobe_def_free(def);
}

#define NAME64	"a23456789012345678901234567890123456789012345678901234567890abcd"

static const struct {
	const char *line;
	int err;
	unsigned int column;
	const char *text;
} refusals[] = {
	{ "x", -EINVAL, 1, "a definition must begin with p, r, t or -" },
	{ "p", -EINVAL, 2, "expected a symbol or an address" },
	{ "p8 f", -EINVAL, 2, "expected a colon or a blank" },
	{ "r0 f", -ERANGE, 2, "MAXACTIVE must be at least 1" },
	{ "r4097 f", -ERANGE, 2, "greater than 4096" },
	{ "r19x f", -EINVAL, 4, "expected a colon or a blank" },
	{ "p: f", -EINVAL, 3, "expected the name of a marker" },
	{ "p:/b f", -EINVAL, 3, "expected the name of a channel" },
	{ "p:a.b f", -EINVAL, 4, "names consist of letters, digits and _" },
	{ "p:a/b/c f", -EINVAL, 6, "names consist of letters, digits and _" },
	{ "p:" NAME64 " f", -ENAMETOOLONG, 3, "marker name longer than 63 characters" },
	{ "p " NAME64, -ENAMETOOLONG, 3,
	  "the symbol is too long to name the marker after, give a name" },
	{ "-", -EINVAL, 2, "expected a colon and a name" },
	{ "-:", -EINVAL, 3, "expected the name of a marker" },
	{ "-:a/", -EINVAL, 5, "expected the name of a marker" },
	{ "-:a b", -EINVAL, 5, "unexpected text after the name" },
	{ "p:a f+", -EINVAL, 7, "expected a number" },
	{ "p:a f+4294967296", -ERANGE, 7, "greater than 4294967295" },
	{ "p:a f-4", -EINVAL, 6, "expected an offset or a blank" },
	{ "p:a f%return", -EINVAL, 6, "expected an offset or a blank" },
	{ "r:a f+4", -EINVAL, 7, "a return probe must be on a function's entry" },
	{ "p:a m:", -EINVAL, 7, "expected a symbol" },
	{ "p:a m:n:f", -EINVAL, 8, "expected an offset or a blank" },
	{ "p:a 0", -ERANGE, 5, "invalid address" },
	{ "p:a 0x10000000000000000", -ERANGE, 5, "greater than 18446744073709551615" },
	{ "p:a 12x", -EINVAL, 7, "expected a blank" },
	{ "p:a f %foo", -ENOENT, 7, "no such register" },
	{ "p:a f %", -ENOENT, 7, "no such register" },
	{ "p:a f x", -EINVAL, 7, "expected one of %$@\\+-" },
	{ "p:a f =%di", -EINVAL, 7, "a field name must begin with a letter or _" },
	{ "p:a f 1a=%di", -EINVAL, 7, "a field name must begin with a letter or _" },
	{ "p:a f " NAME64 "=%di", -ENAMETOOLONG, 7,
	  "field name longer than 63 characters" },
	{ "p:a f ip=%di", -EEXIST, 7, "duplicate field ip" },
	{ "r:a f func=%di", -EEXIST, 7, "duplicate field func" },
	{ "p:a f a=%di a=%si", -EEXIST, 13, "duplicate field a" },
	{ "p:a f $retval", -EINVAL, 7, "$retval is only available in a return probe" },
	{ "r:a f $arg1", -EINVAL, 7, "$argN is only available on a function's entry" },
	{ "p:a f+4 $arg1", -EINVAL, 9, "$argN is only available on a function's entry" },
	{ "p:a f $arg0", -ERANGE, 7, "the first argument is $arg1" },
	{ "p:a f $arg65", -ERANGE, 11, "greater than 64" },
	{ "p:a f $stack2049", -ERANGE, 13, "greater than 2048" },
	{ "p:a f $foo", -EINVAL, 7, "expected $retval, $comm, $stack, $stackN or $argN" },
	{ "p:a f +0($comm)", -EINVAL, 7, "$comm is a string, not an address" },
	{ "p:a f $comm:u8", -EINVAL, 13, "$comm is a string" },
	{ "p:a f +(%di)", -EINVAL, 8, "expected a number" },
	{ "p:a f +0%di", -EINVAL, 9, "expected (" },
	{ "p:a f +0(%di", -EINVAL, 13, "expected )" },
	{ "p:a f +0(%di:u8)", -EINVAL, 13, "expected )" },
	{ "p:a f +0(%di))", -EINVAL, 14, "unexpected text after the argument" },
	{ "p:a f +9223372036854775808(%di)", -ERANGE, 8, "greater than 9223372036854775807" },
	{ "p:a f @", -EINVAL, 8, "expected a symbol" },
	{ "p:a f @x+", -EINVAL, 10, "expected a number" },
	{ "p:a f \\", -EINVAL, 8, "expected a number" },
	{ "p:a f %di:", -EINVAL, 11, "no such type" },
	{ "p:a f %di:u9", -EINVAL, 11, "no such type" },
	{ "p:a f %di:u321", -EINVAL, 11, "no such type" },
	{ "p:a f %di:strings", -EINVAL, 11, "no such type" },
	{ "p:a f %di:string", -EINVAL, 11, "a string must be in memory: use +0(...)" },
	{ "p:a f %di:u8[2]", -EINVAL, 11, "an array must be in memory" },
	{ "p:a f +0(%di):u8[0]", -ERANGE, 18, "an array must have at least 1 element" },
	{ "p:a f +0(%di):u8[65]", -ERANGE, 18, "greater than 64" },
	{ "p:a f +0(%di):u8[2", -EINVAL, 19, "expected ]" },
	{ "p:a f +0(%di):u8[2]x", -EINVAL, 20, "unexpected text after the argument" },
	{ "p:a f +0(%di):string[2]", -EINVAL, 15, "an array must be of integers or char" },
	{ "p:a f %di:b4", -EINVAL, 13, "expected @" },
	{ "p:a f %di:b4@2", -EINVAL, 15, "expected /" },
	{ "p:a f %di:b4@2/24", -EINVAL, 11, "integers of 24 bits are not supported" },
	{ "p:a f %di:b4@30/32", -ERANGE, 11, "4 bits at bit 30 do not fit in 32 bits" },
	{ "p:a f %di:b0@0/8", -ERANGE, 11, "0 bits at bit 0 do not fit in 8 bits" },
};

static void bad(void)
{
	struct ltt_kprobe_error error;
	struct ltt_kprobe_def *def;
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(refusals); i++) {
		err = parse(refusals[i].line, &def, &error);
		if (!EXPECT(err == refusals[i].err, "'%s': %d", refusals[i].line, err)) {
			if (!err)
				ltt_kprobe_def_free(def);
			continue;
		}
		EXPECT(error.column == refusals[i].column, "'%s': column %u",
		       refusals[i].line, error.column);
		EXPECT_STR(error.text, refusals[i].text);
	}
}

/* As many as there may be, and one more, of whatever is counted. */
static void limits(void)
{
	static const struct {
		const char *begin, *piece, *end;
		unsigned int most;
	} cases[] = {
		{ "p:a f", " %di", "", 15 },
		{ "r:a f", " %di", "", 14 },
		{ "p:a f ", "+0(", "%di))))))))))))))))", 11 },
		{ "p:a ", "s", " @sym", 511 },
	};
	struct ltt_kprobe_error error;
	struct ltt_kprobe_def *def;
	unsigned int i, n, k;
	char line[1024];
	int err;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		for (n = cases[i].most; n <= cases[i].most + 1; n++) {
			strcpy(line, cases[i].begin);
			for (k = 0; k < n; k++)
				strcat(line, cases[i].piece);
			strcat(line, cases[i].end);
			/* Only as many ) as there are (. */
			if (strchr(line, '('))
				line[strlen(line) - strlen(cases[i].end) + 3 + n] = '\0';
			err = parse(line, &def, &error);
			if (n == cases[i].most)
				EXPECT(!err, "'%s': %s", line, error.text);
			else
				EXPECT(err == -E2BIG || err == -ENAMETOOLONG, "'%s': %d",
				       line, err);
			if (!err)
				ltt_kprobe_def_free(def);
		}
	}
}

/*
 * Lines of pieces that belong into lines, in any order, some bytes changed. What is
 * understood is understood again when it is printed.
 */
static void nonsense(void)
{
	static const char *const pieces[] = {
		"p", "r", "-", ":", "/", " ", " ", " ", "a", "b=", "vfs_open", "ext4:", "+",
		"-", "u", "0", "8", "0x10", "(", "(", ")", ")", "%di", "%si", "$arg1",
		"$stack", "$retval", "$comm", "@", "sym", "\\", ":u8", ":x32", ":string",
		":ustring", ":symbol", ":b4@2/32", "[4]", "[", "]", "99999999999999999999",
		"+0(%di)", "p:a/b f ", "r:a f ", " x=%di:s32",
	};
	unsigned long long seed = 4711;
	struct ltt_kprobe_error error;
	struct ltt_kprobe_def *def;
	unsigned int i, n, ok = 0;
	char line[512], again[1024];

	for (i = 0; i < 300000; i++) {
		strcpy(line, ktap_random(&seed) % 2 ? "p:a f " : "");
		for (n = ktap_random(&seed) % 12; n; n--)
			strcat(line, pieces[ktap_random(&seed) % ARRAY_SIZE(pieces)]);
		if (line[0] && ktap_random(&seed) % 4 == 0)
			line[ktap_random(&seed) % strlen(line)] = ktap_random(&seed) % 255 + 1;
		if (parse(line, &def, &error))
			continue;
		ok++;
		if (def->kind != '-') {
			ltt_kprobe_print(def, line, again, sizeof(again));
			ltt_kprobe_def_free(def);
			if (!EXPECT(!parse(again, &def, &error), "'%s': '%s': %s", line,
				    again, error.text))
				continue;
		}
		ltt_kprobe_def_free(def);
	}
	EXPECT(ok > 3000, "only %u lines made sense", ok);
}

static const struct ktap_case cases[] = {
	{ "probes, names and places", places },
	{ "arguments and types", arguments },
	{ "fetch programs", programs },
	{ "removals", removals },
	{ "refusals name errno, column and reason", bad },
	{ "limits", limits },
	{ "nonsense", nonsense },
};

int main(void)
{
	return ktap_run(cases, ARRAY_SIZE(cases));
}
