// SPDX-License-Identifier: GPL-2.0
/*
 * libFuzzer: expressions over events, both from what the fuzzer writes.
 *
 * The input is a byte of flags, an expression up to a NUL, and a payload. What the parser
 * accepts is a program whose tests and steps are within its room, and whose stack is within
 * bounds; it ends with 0, 1 or -EBADMSG, whatever the payload is. For a whole one, what is behind
 * it makes no difference.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/err.h>
#include <linux/kernel.h>

#include "../../../../kernel/trace/ltt-core/expr/expr.h"
#include "../unit/type_codes.h"

#define FLAG_SWAP	0x01u
#define FLAG_CONTEXT	0x02u
/* The others say which of the formats it is. */
#define FLAGS_FORMAT	2

#define REQUIRE(what)	do { if (!(what)) fail(#what, __LINE__); } while (0)

/* Of each kind of field, at places that are known and not. */
static const struct {
	const char *text;
	struct types types;
} sources[] = {
	{ "a %hhd b %hu c %d{0=R,1=S,-1=dead,7=a-b} d %llx{|1=lo|0x8000000000000000=hi} e %lld f %x t %s[9] r %u[3]{|1=lo|2=mid} s %s n %hhu w %pW q %hd{5=five}[2] u %s v %llx",
	  TYPES(SINT(1), INT(2), SINT(4), INT(8), SINT(8), BE(4), SEQ(1), SEQ(4), CPTR, INT(1), PTR,
		SSEQ(2), CPTR, BE(8)) },
	{ "q %u s %s a %d{-1=dead,3=S} b %llu t %s[20] d %lld",
	  TYPES(SEQ(1), CPTR, INT(4), INT(8), SEQ(1), SINT(8)) },
	{ "a %lld b %llu", TYPES(SINT(8), INT(8)) },
	{ "t %s[2] i %pI6 d %hhx{|1=lo|0x80=hi}", TYPES(SEQ(1), PTR, SINT(1)) },
};

static const char context_text[] = "pid %d comm %s[16] stack %llx name %s";
static const struct types context_types = TYPES(SINT(4), SEQ(1), SEQ(8), CPTR);

static struct ltt_format *formats[ARRAY_SIZE(sources)], *context;

static void fail(const char *what, int line)
{
	fprintf(stderr, "line %d: not so: %s\n", line, what);
	abort();
}

static struct ltt_format *parse_format(const char *text, const struct types *types)
{
	char error[LTT_FORMAT_ERROR];
	struct ltt_format *format = ltt_format_parse(text, types->type, types->nr, error);

	if (IS_ERR(format)) {
		fprintf(stderr, "%s: %s\n", text, error);
		exit(1);
	}
	return format;
}

static void setup(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sources); i++)
		formats[i] = parse_format(sources[i].text, &sources[i].types);
	context = parse_format(context_text, &context_types);
}

/* ---- programs ------------------------------------------------------------------ */

/* By how much a step changes the size of the stack; it needs as many values. */
static int pushed(const struct ltt_expr_step *step, int *needed)
{
	*needed = 0;
	switch (step->op) {
	case LTT_OP_CONST:
	case LTT_OP_LOAD:
	case LTT_OP_LEN:
	case LTT_OP_STR_EQ:
	case LTT_OP_STR_MATCH:
	case LTT_OP_FIELDS_EQ:
		return 1;
	case LTT_OP_NOT:
	case LTT_OP_MINUS:
	case LTT_OP_COMPLEMENT:
		*needed = 1;
		return 0;
	case LTT_OP_IN_BEGIN:
		*needed = 1;
		return 1;
	case LTT_OP_IN_ITEM:
		*needed = 2;
		return 0;
	default:
		*needed = 2;
		return -1;
	}
}

static void check_steps(const struct ltt_expr_step *step, unsigned int nr)
{
	int size = 0, needed, change;

	for (; nr; nr--, step++) {
		change = pushed(step, &needed);
		REQUIRE(size >= needed);
		size += change;
		REQUIRE(size <= LTT_EXPR_DEPTH);
	}
	REQUIRE(size == 1);
}

static void check_successor(unsigned int next, unsigned int nr, bool *reached)
{
	if (next >= LTT_TEST_NO)
		return;
	REQUIRE(next < nr);
	reached[next] = true;
}

static void check_program(const struct ltt_expr *expr)
{
	size_t tests = ((u8 *)expr->step - (u8 *)expr->test) / sizeof(*expr->test);
	size_t steps = ((u8 *)expr->text - (u8 *)expr->step) / sizeof(*expr->step);
	static bool reached[LTT_TEST_NO];
	const struct ltt_expr_test *test;
	unsigned int nr;

	REQUIRE(tests <= LTT_TEST_NO);
	memset(reached, 0, tests * sizeof(*reached));
	check_successor(expr->start, tests, reached);
	for (nr = tests; nr--;) {
		test = &expr->test[nr];
		if (!reached[nr])
			continue;
		check_successor(test->yes, nr, reached);
		check_successor(test->no, nr, reached);
		if (test->place != LTT_PLACE_STEPS)
			continue;
		REQUIRE(test->at + test->skip <= steps);
		check_steps(expr->step + test->at, test->skip);
	}
}

/* ---- one input ----------------------------------------------------------------- */

static int get_context(const struct ltt_expr_event *event, unsigned int field, u8 *to,
		       const u8 **p)
{
	static const u64 stack[] = { 2, 1 };

	(void)event;
	(void)p;
	switch (field) {
	case 0:
		return memcpy(to, &(int){ 17 }, 4), 4;
	case 1:
		return memcpy(to, "bash\0\0\0\0\0\0\0\0\0\0\0", 16), 16;
	case 2:
		return memcpy(to, &(u32){ 2 }, 4), memcpy(to + 4, stack, 16), 20;
	default:
		return memcpy(to, "true", 5), 5;
	}
}

/* Of @size bytes, with @slack more that may be read. */
static int eval(const struct ltt_expr *expr, const u8 *payload, size_t size, size_t slack, u8 fill)
{
	u8 *copy = malloc(size + slack ?: 1);
	const struct ltt_expr_event event = {
		.payload = copy,
		.size = size,
		.avail = size + slack,
		.context = get_context,
	};
	int got;

	memcpy(copy, payload, size);
	memset(copy + size, fill, slack);
	got = ltt_expr_eval(expr, &event);
	free(copy);
	REQUIRE(got == 0 || got == 1 || got == -EBADMSG);
	return got;
}

static void try_payload(const struct ltt_expr *expr, const struct ltt_format *format, bool swap,
			const u8 *payload, size_t avail)
{
	long size = ltt_payload_size(format, payload, avail, swap);
	int got;

	got = eval(expr, payload, avail, 0, 0);
	eval(expr, payload, avail, LTT_EXPR_SLACK, 0xff);
	if (size < 0)
		return;
	REQUIRE(got >= 0);
	REQUIRE(eval(expr, payload, size, 0, 0) == got);
	REQUIRE(eval(expr, payload, size, LTT_EXPR_SLACK, 0) == got);
	REQUIRE(eval(expr, payload, size, LTT_EXPR_SLACK, 0xff) == got);
	REQUIRE(eval(expr, payload, size, 3, 1) == got);
}

/* What arguments point to. */
static const u8 *texts;
static size_t texts_size;

static bool load_text(u64 *bytes, const u8 *from)
{
	REQUIRE(from >= texts);
	if ((size_t)(from - texts) + sizeof(*bytes) > texts_size)
		return false;
	memcpy(bytes, from, sizeof(*bytes));
	return true;
}

/* The same expression for the arguments of a marker: nothing behind them is read. */
static void try_args(const char *text, const struct ltt_format *format, const u8 *data,
		     size_t size)
{
	const struct ltt_expr_layout layout = {
		.fields = format, .context = context, .args = true,
	};
	char error[LTT_EXPR_ERROR];
	struct ltt_expr *expr = ltt_expr_parse_for(text, &layout, error);
	u64 *args = calloc(format->nr_fields ?: 1, sizeof(*args));
	unsigned int i;

	REQUIRE(!IS_ERR(expr));
	check_program(expr);
	texts = data;
	texts_size = size;
	for (i = 0; i < format->nr_fields; i++) {
		if (format->fields[i].store != LTT_STORE_INT)
			args[i] = (unsigned long)texts;
		else if (size >= sizeof(*args))
			memcpy(&args[i], data + i % (size - sizeof(*args) + 1), sizeof(*args));
	}
	ltt_expr_try(expr, (const u8 *)args, NULL, load_text);
	free(args);
	ltt_expr_free(expr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t len = size ? strnlen((const char *)data + 1, size - 1) : 0;
	const struct ltt_format *format;
	char error[LTT_EXPR_ERROR];
	struct ltt_expr *expr;
	bool swap;
	char *text;

	if (!context)
		setup();
	/* No NUL. */
	if (size < len + 2)
		return 0;
	format = formats[(data[0] >> FLAGS_FORMAT) % ARRAY_SIZE(formats)];
	swap = data[0] & FLAG_SWAP;
	text = malloc(len + 1);
	memcpy(text, data + 1, len + 1);
	memset(error, 'E', sizeof(error));
	expr = ltt_expr_parse(text, format, data[0] & FLAG_CONTEXT ? context : NULL, swap, error);
	if (!IS_ERR(expr))
		try_args(text, format, data + len + 2, size - len - 2);
	/* It needs the text no longer. */
	free(text);
	REQUIRE(memchr(error, '\0', sizeof(error)));
	REQUIRE(IS_ERR(expr) == !!error[0]);
	if (IS_ERR(expr)) {
		REQUIRE(PTR_ERR(expr) == (len > LTT_EXPR_MAX ? -E2BIG : -EINVAL));
		return 0;
	}
	check_program(expr);
	try_payload(expr, format, swap, data + len + 2, size - len - 2);
	ltt_expr_free(expr);
	return 0;
}
