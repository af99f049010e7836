// SPDX-License-Identifier: GPL-2.0
/*
 * Expressions over fields: values, types, names, refusals with their columns.
 *
 * usage: test_expr [serve]
 *
 * With serve it is an evaluator for other tests. Commands on standard input:
 *
 *	format TYPES FORMAT	of the events to come; TYPES are those of type_code(), with commas
 *	swap 0|1		whether they are in the other byte order
 *	payload HEX		one more event
 *	expr TEXT		prints "= " and for each event 0 or 1, ? for an error, x if what
 *				is behind it makes a difference, a if the arguments of a marker
 *				have another result; or "! " and what is wrong
 *	decided			prints how many results came of arguments, too
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/ltt/expr.h>
#include <linux/ltt/format.h>
#include <linux/ltt/unaligned.h>

#include "../../../../kernel/trace/ltt-core/expr/expr.h"
#include "ktap.h"
#include "type_codes.h"

static char error[LTT_EXPR_ERROR];

/* The events of most cases. */
static const char text[] =
	"i8 %hhd u8 %hhu i32 %d u32 %d{-294967296=minus} i64 %lld u64 %llu "	/* all integers */
	"state %d{0=R,1=S,2=D,-1=dead,7=a-b} flags %x{|1=read|2=write|0x80000000=top} " /* names */
	"s8 %hhd{246=ten} b8 %hhu{-6=six,250=y} u16 %d{-1=none,65535=all} "	/* of other signs */
	"bits %llx{|1=low|0x8000000000000000=high} "		/* the greatest ones */
	"comm %s[16] regs %u[3] name %s more %d seq %d blob_len %u blob %pW path %s";
static const struct types types = TYPES(SINT(1), INT(1), SINT(4), INT(4), SINT(8), INT(8),
					SINT(4), INT(4), SINT(1), INT(1), INT(2), INT(8),
					SEQ(1), SEQ(4), CPTR, SINT(4), SSEQ(2), INT(1), PTR, CPTR);
static struct ltt_format *fields, *context;
static u8 payload[512];
static size_t size;

static void put(const void *from, size_t bytes)
{
	memcpy(payload + size, from, bytes);
	size += bytes;
}

static void put_int(s64 value, size_t bytes)
{
	u8 byte;
	size_t i;

	for (i = 0; i < bytes; i++) {
		byte = (u64)value >> 8 * (LTT_HOST_BE ? bytes - 1 - i : i);
		put(&byte, 1);
	}
}

static void put_event(void)
{
	size = 0;
	put_int(-5, 1);
	put_int(250, 1);
	put_int(-100000, 4);
	put_int(4000000000u, 4);
	put_int(S64_MIN, 8);
	put_int(-1, 8);
	put_int(1, 4);
	put_int(0x80000002u, 4);
	put_int(-10, 1);
	put_int(250, 1);
	put_int(65535, 2);
	put_int(0x8000000000000001u, 8);
	put("kworker/0:1\0\0\0\0\0", 16);
	put_int(10, 4);
	put_int(20, 4);
	put_int(0xffffffffu, 4);
	put("eth0", 5);
	put_int(42, 4);
	put_int(2, 4);
	put_int(-7, 2);
	put_int(8, 2);
	put_int(3, 1);
	put_int(LTT_BLOB_READ, 1);
	put("abc", 3);
	put("/usr/bin/true", 14);
}

/* The context: $pid and $comm. */
static int get_context(const struct ltt_expr_event *event, unsigned int field, u8 *to,
		       const u8 **p)
{
	(void)event;
	(void)p;
	if (field == 1)
		return memcpy(to, "bash\0\0\0\0\0\0\0\0\0\0\0", 16), 16;
	if (field)
		return -ENOENT;
	return memcpy(to, &(int){ 17 }, 4), 4;
}

static int eval(const struct ltt_expr *expr, const u8 *data, size_t bytes, size_t avail)
{
	const struct ltt_expr_event event = {
		.payload = data,
		.size = bytes,
		.avail = avail,
		.context = get_context,
	};

	return ltt_expr_eval(expr, &event);
}

static bool load_text(u64 *bytes, const u8 *from)
{
	memcpy(bytes, from, sizeof(*bytes));
	return true;
}

/* Behind what is recorded of a string, if something cut it. */
#define CUT	"cut off"

/*
 * The arguments of which an event may have been made. What does not belong to a value is filled
 * with something.
 */
static void make_args(u64 *args, const u8 *data, size_t bytes)
{
	static u8 texts[65536 + LTT_MAX_ARGS * 2 * LTT_EXPR_SLACK];
	const struct ltt_field *field = fields->fields;
	u8 *text = texts;
	__u64 value = 0;
	unsigned int i;
	long len;

	for (i = 0; i < fields->nr_fields; i++, field++, data += len, bytes -= len) {
		len = ltt_field_size(field, data, bytes, false, &value);
		args[i] = 0xa5a5a5a5a5a5a5a5;
		if (field->store == LTT_STORE_INT) {
			memcpy((u8 *)&args[i] + (LTT_HOST_BE ? 8 - len : 0), data, len);
			continue;
		}
		args[i] = (unsigned long)text;
		memcpy(text, data, len);
		text += len;
		if (field->flags & LTT_FIELD_PREC && len == field->prec + 1) {
			memcpy(text - 1, CUT, sizeof(CUT));
			text += sizeof(CUT) - 1;
		}
		memset(text, 0x5a, LTT_EXPR_SLACK);
		text += LTT_EXPR_SLACK;
	}
}

/* Return: 0 or 1, -1 if it cannot be decided by the arguments. */
static int eval_args(const struct ltt_expr *expr, const u8 *data, size_t bytes, const void *task)
{
	u64 args[64];
	unsigned int nr;

	make_args(args, data, bytes);
	nr = ltt_expr_try(expr, (const u8 *)args, task, load_text);
	return nr < LTT_TEST_NO ? -1 : nr == LTT_TEST_YES;
}

static struct ltt_expr *parse(const char *expression)
{
	struct ltt_expr *expr;

	memset(error, 'E', sizeof(error));
	expr = ltt_expr_parse(expression, fields, context, false, error);
	EXPECT(memchr(error, '\0', sizeof(error)), "error not terminated");
	EXPECT(IS_ERR(expr) == !!error[0], "'%s': message '%s'", expression, error);
	return expr;
}

static void is(const char *expression, int want)
{
	struct ltt_expr *expr = parse(expression);
	/* Exactly as large as said, so that a read beyond it is found. */
	u8 *copy = malloc(size);
	int got;

	memcpy(copy, payload, size);
	if (EXPECT(!IS_ERR(expr), "'%s': %s", expression, error)) {
		got = eval(expr, copy, size, size);
		EXPECT(got == want, "'%s': %d", expression, got);
		got = eval(expr, payload, size, sizeof(payload));
		EXPECT(got == want, "'%s', with slack: %d", expression, got);
	}
	ltt_expr_free(expr);
	free(copy);
}

/* A task, as far as it is in the context. */
static const struct {
	u8 other[20];
	int pid;
	char comm[16];
} task = { .pid = 17, .comm = "bash" };

/* The same by arguments. @want: -1 if these are not enough. */
static void is_by_args(const char *expression, int want)
{
	static const int task_at[] = { offsetof(typeof(task), pid), offsetof(typeof(task), comm) };
	const struct ltt_expr_layout layout = {
		.fields = fields, .context = context, .args = true, .task_at = task_at,
	};
	struct ltt_expr *expr = ltt_expr_parse_for(expression, &layout, error);
	int got;

	if (!EXPECT(!IS_ERR(expr), "'%s': %s", expression, error))
		return;
	got = eval_args(expr, payload, size, &task);
	EXPECT(got == want, "'%s' by arguments: %d", expression, got);
	ltt_expr_free(expr);
}

static void refused(const char *expression, const char *want)
{
	struct ltt_expr *expr = parse(expression);

	if (EXPECT(IS_ERR(expr), "'%s' was accepted", expression))
		EXPECT_STR(error, want);
	ltt_expr_free(expr);
}

static void test_integers(void)
{
	is("i8 == -5", 1);
	is("i8 < 0 && u8 > 0", 1);
	is("i8 != -5 || u8 != 250", 0);
	is("u8 == -6", 0);		/* another value, though the same bits */
	is("i8 == 251", 0);
	is("u8 <= 300", 1);
	is("i8 >= -128", 1);
	is("i8 > 127", 0);
	is("i32 < u32", 1);
	is("i64 < u64", 1);
	is("u64 == -1", 0);
	is("u64 == 0xffffffffffffffff", 1);
	is("u64 > 9223372036854775807", 1);
	is("u64 > i64 && !(i64 > u64)", 1);
	is("i64 == -9223372036854775808", 1);
	is("i64 - 1 > 0", 1);		/* it wraps */
	is("i64 < -9223372036854775807", 1);
	is("(i64 & 0x8000000000000000) == 0x8000000000000000", 1);
	is("(i64 & 0x8000000000000000) == -9223372036854775808", 0);
	is("(i64 & -1) == -9223372036854775808", 1);
	is("(i64 & -1) != 0x8000000000000000", 1);
	is("(u64 & -1) == -1", 0);
	is("5 > i8", 1);
	is("-5 == i8", 1);
	is("u32 == 4000000000", 1);
	is("u32 >> 31", 1);
	is("i32 >> 63 == -1", 1);
	is("1 << 64", 0);
	is("u8 * 2 == 500", 1);
	is("~u8 == -251", 1);
	is("'a' == 97 && '\\n' == 10 && 010 == 8", 1);
	is("i8", 1);
	is("!i8", 0);
	is("u8 - 250", 0);
}

static void test_precedence(void)
{
	is("1 | 2 == 2", 1);		/* 1 | (2 == 2) */
	is("(1 | 2) == 2", 0);
	is("4 & 6 == 4", 0);
	is("2 + 3 * 4 == 14", 1);
	is("1 << 2 + 1 == 8", 1);
	is("1 || 0 && 0", 1);
	is("6 ^ 3 & 1 == 7", 1);
	is("10 - 3 - 2 == 5", 1);
	is("1 < 2 == 1", 1);
	is("!0 == 1", 1);
	is("-2 - -3 == 1", 1);
}

static void test_sets(void)
{
	is("u8 in {1, 250}", 1);
	is("u8 in {1, 2, 5-9}", 0);
	is("u8 in {200-255}", 1);
	is("i8 in {-6--4}", 1);
	is("i8 in {251}", 0);
	is("u64 in {-1}", 0);
	is("u64 in {0xfffffffffffffff0-0xffffffffffffffff}", 1);
	is("u8 + 1 in {251}", 1);
	is("u8 + 1 in {1-4, 6-9}", 0);
	is("state in {R, S}", 1);
	is("name in {\"eth1\", \"eth0\"}", 1);
	is("comm in {\"kworker/0:1\"} == 1", 1);
	is("path in {\"a\"} + 1 == 1", 1);
	is("!(u8 in {250})", 0);
	is("\"a\" in {\"b\"}", 0);
	is("\"a\" in {\"b\", \"a\"}", 1);
	is("u8 == 1 || \"a\" in {\"b\"}", 0);
}

static void test_names(void)
{
	is("state == S", 1);
	is("S == state", 1);
	is("state == \"a-b\"", 0);
	is("state != dead", 1);
	is("flags & write", 1);
	is("flags & read", 0);
	is("flags & (read | write)", 1);
	is("(flags & (read | write)) == write", 1);
	is("(flags & (read | top)) == top", 1);
	is("flags & ~write", 1);
	is("flags == write", 0);
	is("flags == (top | write)", 1);
	is("(S in {1}) == (state & 1)", 1);	/* S is known when "in" meets state */
	is("(S in {R, dead}) == (state & 0)", 1);
	is("(u8 in {R, S-S, 250}) == state", 1);
	is("bits == (high | low)", 1);
	is("(bits & ~low) == ~~high", 1);
	is("bits > (high >> 1)", 1);
	is("bits == (low | high - 0)", 1);
	/* As text has them, whatever the signs of field and conversion are. */
	is("s8 == ten && b8 == six && b8 == y && u32 == minus", 1);
	is("u16 == all && u16 != none", 1);
	refused("(u8 in {-S}) == state", "column 9: expected a constant");
	refused("(u8 in {i64-S}) == state", "column 9: expected a constant");
	refused("(u8 in {(S + u8)}) == state", "column 9: expected a constant");
	refused("(u8 in {S-\"x\"}) == state", "column 9: expected a constant");
	refused("state == X", "column 10: state has no value named 'X'");
	refused("state == \"X\"", "column 10: state has no value with this name");
	refused("u8 == S", "column 7: no such field: S");
	refused("none == 1", "column 1: no such field: none");
	refused("u8 && nothing", "column 7: no such field: nothing");
}

static void test_strings(void)
{
	is("comm == \"kworker/0:1\"", 1);
	is("comm == \"kworker/0:\"", 0);
	is("comm == \"kworker/0:12\"", 0);
	is("comm != \"kworker\"", 1);
	is("\"eth0\" == name", 1);
	is("name == \"eth\" || name == \"eth00\"", 0);
	is("name == \"\"", 0);
	is("path == \"/usr/bin/true\"", 1);
	is("path == \"/usr/bin/tru\"", 0);
	is("path ~ \"/usr/*/true\"", 1);
	is("path ~ \"*\"", 1);
	is("path ~ \"/usr/bin/tru\"", 0);
	is("path ~ \"/us?/bin/t*e\"", 1);
	is("comm ~ \"kworker/?:*\"", 1);
	is("comm ~ \"*0:1*\"", 1);
	is("comm ~ \"\"", 0);
	is("name == path", 0);
	is("path == path", 1);
	is("comm == \"this is longer than an array\"", 0);
	is("len(name) == 4 && len(comm) == 11 && len(path) == 13", 1);
	refused("comm == 1", "column 9: expected a string: the other operand is one");
	refused("u8 == \"x\"", "column 1: expected a string: the other operand is one");
	refused("comm < \"x\"", "column 1: expected an integer, not a string");
	refused("comm", "column 1: expected an integer, not a string");
	refused("u8 ~ \"x\"", "column 1: ~ needs a field with text at its left");
	refused("comm ~ name", "column 8: ~ needs a pattern in quotes");
	refused("comm == \"a\\0\"", "column 12: a string of an event has no NUL");
	refused("comm == \"a", "column 11: missing \"");
}

static void test_elements(void)
{
	is("regs[0] == 10 && regs[1] == 20 && regs[2] == 0xffffffff", 1);
	is("regs[1] > regs[0]", 1);
	is("seq[0] == -7 && seq[1] == 8", 1);
	is("seq[2] == 0 && seq[4096] == 0 && seq[67108863] == 0", 1);	/* there are none */
	refused("seq[67108864] == 1", "column 5: seq has no element 67108864");
	is("len(seq) == 2 && len(regs) == 3 && len(blob) == 3", 1);
	is("more == 42", 1);
	refused("regs[3] == 1", "column 6: regs has no element 3");
	refused("regs == 1", "column 1: regs has elements: use regs[N] or len(regs)");
	refused("blob == 1", "column 1: blob is a blob: only len(blob) can be used");
	refused("len(u8)", "column 5: u8 is an integer");
	refused("len(none)", "column 5: len() needs a field, and there is no 'none'");
	refused("regs[u8]", "column 6: expected the number of an element");
}

/* LTT 0.1 stored a blob without its state. */
static void test_old_blobs(void)
{
	const struct types old_types = TYPES(INT(1), PTR, INT(1));
	struct ltt_format *now = fields;

	fields = ltt_format_parse("n %u b %pW after %u", old_types.type, old_types.nr, error);
	if (EXPECT(!IS_ERR(fields), "%s", error)) {
		fields->fields[1].flags |= LTT_FIELD_STATELESS;
		size = 0;
		put("\3abc\7", 5);
		is("len(b) == 3 && after == 7", 1);
		size = 0;
		put("\0\7", 2);
		is("len(b) == 0 && after == 7", 1);
	}
	ltt_format_free(fields);
	fields = now;
	put_event();
}

static void test_context(void)
{
	is("$pid == 17", 1);
	is("$comm == \"bash\"", 1);
	is("$comm == comm", 0);
	is("$pid + 25 == more", 1);
	is("len($comm) == 4", 1);
	refused("$tid == 1", "column 1: no such context: tid");
}

/* Before there is an event: see gate.c. */
static void test_args(void)
{
	is_by_args("i8 == -5 && u8 == 250 && i32 == -100000 && u32 == 4000000000", 1);
	is_by_args("i64 == -9223372036854775808 && u64 == 0xffffffffffffffff", 1);
	is_by_args("state == S && flags & write && more == 42", 1);
	is_by_args("i8 != -5 || more < 42", 0);
	is_by_args("name == \"eth0\" && path == \"/usr/bin/true\"", 1);
	is_by_args("name == \"eth\" || name == \"eth00\" || path == \"/usr/bin/trus\"", 0);
	is_by_args("comm == \"kworker/0:1\" && comm != \"kworker/0:\"", 1);
	is_by_args("comm == \"longer than an array\"", 0);
	is_by_args("name in {\"lo\", \"eth0\"}", 1);
	is_by_args("$pid == 17 && $comm == \"bash\"", 1);
	is_by_args("$pid == 18 || $comm == \"bas\" || $comm == \"bash and more than that\"", 0);
	is_by_args("$pid in {1-16, 18-99} || more == 41", 0);
	/* Only as far as it is easy. */
	is_by_args("more == 41 && path ~ \"*\"", 0);
	is_by_args("more == 42 && path ~ \"*\"", -1);
	is_by_args("regs[1] == 20", -1);
	is_by_args("len(name) == 4", -1);
	is_by_args("u8 + 1 == 251", -1);
	/* This may be recorded for what cannot be read. */
	is_by_args("path == \"(null)\"", -1);
	is_by_args("path in {\"x\", \"(fault)\"}", -1);
}

static void test_refused(void)
{
	char deep[2000] = "";
	int i;

	refused("", "column 1: empty expression");
	refused("  ", "column 1: empty expression");
	refused("u8 ==", "column 6: the expression ends too early");
	refused("u8 == )", "column 7: expected a value");
	refused("(u8 == 1", "column 9: expected ')'");
	refused("u8 u8", "column 4: expected an operator");
	refused("u8 = 1", "column 4: expected an operator");
	refused("u8 == 99999999999999999999",
		"column 7: the number does not fit into 64 bits");
	refused("u8 == 08", "column 7: invalid number");
	refused("u8 == 12x", "column 7: invalid number");
	refused("u8 == ''", "column 7: empty character constant");
	refused("u8 in {}", "column 8: expected a value");
	refused("u8 in {1", "column 9: expected '}'");
	refused("u8 in {u32}", "column 8: expected a constant");
	refused("comm in {1}", "column 10: expected a string in quotes");
	for (i = 0; i < 400; i++)
		strcat(deep, "(");
	EXPECT(IS_ERR(parse(deep)) && strstr(error, "too deep"), "%s", error);
	deep[0] = '\0';
	for (i = 0; i < 20; i++)
		strcat(deep, "1+(2*");
	EXPECT(IS_ERR(parse(deep)) && strstr(error, "too deep"), "%s", error);
	refused("b8 == (y|nosuch|y|none)", "column 10: b8 has no value named 'nosuch'");
	snprintf(deep, sizeof(deep), "name ~ \"%0129d\"", 0);
	refused(deep, "column 8: the pattern is longer than 128 bytes");
	memset(deep, 'x', 1025);
	deep[1025] = '\0';
	EXPECT(parse(deep) == ERR_PTR(-E2BIG), "%s", error);
}

/* @begin, @more as often as it fits, each time followed by @close in the end, and @end. */
static void is_long(const char *begin, const char *more, const char *end, const char *close,
		    size_t longest, int want)
{
	char expression[LTT_EXPR_MAX + 1];
	size_t times = (longest - strlen(begin) - strlen(end)) / (strlen(more) + strlen(close)), i;
	char *p = expression + sprintf(expression, "%s", begin);

	for (i = 0; i < times; i++)
		p += sprintf(p, "%s", more);
	p += sprintf(p, "%s", end);
	for (i = 0; i < times; i++)
		p += sprintf(p, "%s", close);
	is(expression, want);
}

/* As many tests, steps and values on the stack as there can be. */
static void test_limits(void)
{
	is_long("u8 in {", "0,", "250}", "", LTT_EXPR_MAX, 1);
	is_long("u8 in {", "0-9,", "250}", "", LTT_EXPR_MAX, 1);
	is_long("u8+0 in {", "0,", "250}", "", LTT_EXPR_MAX, 1);
	is_long("u8+0 in {", "0-9,", "251}", "", LTT_EXPR_MAX, 0);
	is_long("comm in {", "\"\",", "\"kworker/0:1\"}", "", LTT_EXPR_MAX, 1);
	is_long("comm in {", "\"kworker/\",", "\"kworker/0:1\"}", "", LTT_EXPR_MAX, 1);
	is_long("comm in {", "\"kworker/kworker/\",", "\"kworker/0:1\"}", "", LTT_EXPR_MAX, 1);
	is_long("path in {", "\"\",", "\"/usr/bin/true\"}", "", LTT_EXPR_MAX, 1);
	is_long("\"b\" in {", "\"\",", "\"a\"}", "", LTT_EXPR_MAX, 0);
	is_long("comm != \"", "kworker/", "\"", "", LTT_EXPR_MAX, 1);
	/* Chains. */
	is_long("0", "||0", "||u8", "", LTT_EXPR_MAX, 1);
	is_long("u8", "&&1", "&&0", "", LTT_EXPR_MAX, 0);
	is_long("0", "||i8&&0", "||!0", "", LTT_EXPR_MAX, 1);
	is_long("0", "||name==\"\"", "||1", "", LTT_EXPR_MAX, 1);
	is_long("more", "-1", " == -464", "", LTT_EXPR_MAX, 1);
	is_long("more", "-1", " == 12", "", 70, 1);
	is_long("1", "^1", "", "", LTT_EXPR_MAX, 0);
	is_long("0", "+(path!=name)", "==78", "", LTT_EXPR_MAX, 1);
	is_long("(0", "||0", "||u8)+1==2", "", LTT_EXPR_MAX, 1);
	is_long("b8 == (y", "|y", ")", "", LTT_EXPR_MAX, 1);
	is_long("(y", "|y", ") == b8", "", LTT_EXPR_MAX, 1);
	is_long("0", "+1", "+(1-(1-(1-(1-1))))>0", "", LTT_EXPR_MAX, 1);
	/* 31 operators. */
	is_long("", "-(", "more", ")", 27 + 22, 1);
	is_long("", "1+(", "more == 42", ")", 70, 1);
	is_long("1", "||(0", "", ")", 60, 1);
	is_long("", "1-(1&&0||0|0^0&1==1<1<<0+1*(", "0", "))", 91, 1);
	is_long("path in {\"a\"}", "+((path != name)", "", ")", 170, 1);
}

/* Every field, with what follows it missing. */
static void test_cut(void)
{
	static const char *const last[] = {
		"path == \"/usr/bin/true\"", "len(blob) == 3", "seq[1] == 8",
	};
	struct ltt_expr *expr;
	size_t cut;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(last); i++) {
		expr = parse(last[i]);
		for (cut = 0; !IS_ERR(expr) && cut <= size; cut++) {
			u8 *copy = malloc(cut ?: 1);
			int got;

			memcpy(copy, payload, cut);
			got = eval(expr, copy, cut, cut);
			EXPECT(got == 1 || got == -EBADMSG, "%s: cut to %zu: %d", last[i], cut,
			       got);
			free(copy);
		}
		ltt_expr_free(expr);
	}
}

/* ---- for other tests ------------------------------------------------------------ */

static __u32 type_code(const char *name)
{
	unsigned int bytes = strcspn(name, "0123456789");
	unsigned int n = strtoul(name + bytes, NULL, 10) / 8;

	switch (name[0]) {
	case 'i':
		return SINT(n);
	case 'u':
		return INT(n);
	case 'b':
		return BE(n) | (name[1] == 'i' ? LTT_TYPE(0, 0, LTT_TYPE_SIGNED) : 0);
	case 's':
		return name[1] == 'i' ? SSEQ(n) : SEQ(n);
	case 'p':
		return PTR;
	default:
		return CPTR;
	}
}

static struct {
	u8 *data;
	size_t size;
} *events;
static unsigned int nr_events;
static bool swap_events;

static void serve_format(char *line)
{
	char reason[LTT_FORMAT_ERROR], *list = strsep(&line, " "), *name;
	struct types given = { 0 };

	while ((name = strsep(&list, ",")) && given.nr < LTT_MAX_ARGS)
		given.type[given.nr++] = type_code(name);
	ltt_format_free(fields);
	fields = ltt_format_parse(line, given.type, given.nr, reason);
	if (IS_ERR(fields)) {
		fprintf(stderr, "%s\n", reason);
		exit(2);
	}
	while (nr_events)
		free(events[--nr_events].data);
}

static void serve_payload(const char *hex)
{
	size_t bytes = strlen(hex) / 2, i;
	unsigned int byte;

	events = realloc(events, (nr_events + 1) * sizeof(*events));
	events[nr_events].size = bytes;
	events[nr_events].data = malloc(bytes ?: 1);
	for (i = 0; i < bytes && sscanf(hex + 2 * i, "%2x", &byte) == 1; i++)
		events[nr_events].data[i] = byte;
	nr_events++;
}

static unsigned long decided_by_args;

/* With nothing behind the payload, and with something; by the arguments as well. */
static char serve_eval(const struct ltt_expr *expr, const struct ltt_expr *by_args,
		       const u8 *data, size_t bytes)
{
	static u8 copy[65536 + LTT_EXPR_SLACK];
	int got = eval(expr, data, bytes, bytes), same;

	if (bytes <= sizeof(copy) - LTT_EXPR_SLACK) {
		memcpy(copy, data, bytes);
		memset(copy + bytes, 0xa5, LTT_EXPR_SLACK);
		if (eval(expr, copy, bytes, bytes + LTT_EXPR_SLACK) != got)
			return 'x';
	}
	if (got >= 0 && by_args) {
		same = eval_args(by_args, data, bytes, NULL);
		decided_by_args += same >= 0;
		if (same >= 0 && same != got)
			return 'a';
	}
	return got < 0 ? '?' : '0' + got;
}

static void serve_expr(const char *expression)
{
	const struct ltt_expr_layout layout = {
		.fields = fields, .context = context, .args = true,
	};
	struct ltt_expr *expr = ltt_expr_parse(expression, fields, context, swap_events, error);
	struct ltt_expr *by_args = NULL;
	unsigned int i;

	if (IS_ERR(expr)) {
		printf("! %s\n", error);
		return;
	}
	/* Those of a live marker are in the byte order of the machine. */
	if (!swap_events)
		by_args = ltt_expr_parse_for(expression, &layout, error);
	printf("= ");
	for (i = 0; i < nr_events; i++)
		putchar(serve_eval(expr, by_args, events[i].data, events[i].size));
	putchar('\n');
	ltt_expr_free(expr);
	ltt_expr_free(by_args);
}

static int serve(void)
{
	char *line = NULL, *rest, *command;
	size_t room = 0;
	ssize_t len;

	/* A crash leaves what came before it. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	while ((len = getline(&line, &room, stdin)) > 0) {
		if (line[len - 1] == '\n')
			line[len - 1] = '\0';
		rest = line;
		command = strsep(&rest, " ");
		if (!strcmp(command, "decided")) {
			printf("%lu\n", decided_by_args);
			continue;
		}
		if (!rest)
			return 2;
		if (!strcmp(command, "format"))
			serve_format(rest);
		else if (!strcmp(command, "swap"))
			swap_events = *rest == '1';
		else if (!strcmp(command, "payload"))
			serve_payload(rest);
		else if (!strcmp(command, "expr"))
			serve_expr(rest);
		else
			return 2;
	}
	free(line);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct ktap_case cases[] = {
		{ "integers", test_integers },
		{ "operators bind as in C", test_precedence },
		{ "sets", test_sets },
		{ "names of values", test_names },
		{ "strings", test_strings },
		{ "elements and lengths", test_elements },
		{ "blobs of old traces", test_old_blobs },
		{ "contexts", test_context },
		{ "by arguments", test_args },
		{ "what is refused, and where", test_refused },
		{ "what is as long and deep as can be", test_limits },
		{ "payloads that are cut off", test_cut },
	};
	static const struct types of_context = TYPES(SINT(4), SEQ(1));
	char reason[LTT_FORMAT_ERROR];

	fields = ltt_format_parse(text, types.type, types.nr, reason);
	if (!IS_ERR(fields))
		context = ltt_format_parse("pid %d comm %s[16]", of_context.type, of_context.nr,
					   reason);
	if (IS_ERR(fields) || IS_ERR(context)) {
		printf("Bail out! %s\n", reason);
		return 1;
	}
	if (argc > 1 && !strcmp(argv[1], "serve"))
		return serve();
	put_event();
	return ktap_run(cases, ARRAY_SIZE(cases));
}
