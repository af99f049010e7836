// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of markers on tracepoints: BTF is read, definitions are compiled with it, and
 * the programs find what the C compiler has put there. BTF that is cut off or damaged
 * does no harm.
 *
 * With a file of BTF, and a module's, as arguments: prints what it says of tracepoints.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/ltt/format.h>

#include "access.h"
#include "btf_fixture.h"
#include "ktap.h"

int ltt_kprobe_register(const char *name, size_t len)
{
	(void)name;
	(void)len;
	return -ENOENT;
}

/* ---- what ltt-btf does in the kernel ---------------------------------------------- */

static const struct ltt_btf *the_btf;
static struct ltt_btf_event the_event;

static int open_event(struct ltt_kprobe_parser *ps)
{
	int err = ltt_btf_find_event(the_btf, ps->def->symbol, &the_event);

	return err ? ltt_kprobe_refuse(ps, ps->line + ps->def->column - 1, err, "refused") : 0;
}

static int parse_arg(struct ltt_kprobe_parser *ps, struct ltt_fetch *arg)
{
	return ltt_btf_parse_arg(ps, &the_event, arg);
}

static int parse_rest(struct ltt_kprobe_parser *ps)
{
	return ltt_btf_parse_rest(ps, &the_event);
}

static void close_event(struct ltt_kprobe_parser *ps)
{
	(void)ps;
	memset(&the_event, 0, sizeof(the_event));
}

static const struct ltt_tracepoint_parser parser = {
	.open = open_event, .arg = parse_arg, .rest = parse_rest, .close = close_event,
};

/* ---- helpers ---------------------------------------------------------------------- */

static struct child children[3] = {
	{ -7, "one", &children[1] }, { 8, "two", &children[2] }, { 9, NULL, NULL },
};

static struct child *table[] = { &children[2], &children[0] };
static struct thing *thing;
static unsigned long args[6];

static void make_thing(void)
{
	static const struct thing model = {
		.comm = "sixteen letters!", .tid = 4000000001u, .inner = -5, .wide = -2,
		.low = 5, .middle = 4099, .negative = -11, .child = { -3, "own", NULL },
		.first = children, .table = table, .list = { 1, 65535, 3, 4 },
		.several = { { 10, "a", NULL }, { 11, "b", NULL }, { 12, "c", NULL } },
		.sign = MINUS, .bytes = { 1, 2, 3, 4, 5, 255 }, .real = 1.5,
	};

	thing = malloc(sizeof(*thing) + 8);
	*thing = model;
	thing->blob = thing;
	thing->many[99] = ~0ul;
	strcpy(thing->tail, "tail");
	args[0] = (unsigned long)thing;
	/* What is above a narrow argument can be anything. */
	args[1] = 0xdead0000ul | (unsigned short)-9;
	args[2] = 0xffffff01ul;
	args[3] = (unsigned long)"words";
	args[4] = 0xabcd00000000ul | (unsigned int)PLUS;
	args[5] = 0x123456789abcdef0ul;
}

/* The element at @p. */
static __u64 element(const struct ltt_fetch *arg, const void *p)
{
	__u64 value = 0;

	memcpy(&value, p, arg->size);	/* little-endian machines only */
	if (arg->right) {
		value = value << (64 - 8 * arg->size) << arg->left;
		return arg->is_signed ? (__u64)((__s64)value >> (64 - 8 * arg->size + arg->right)) :
					value >> (64 - 8 * arg->size + arg->right);
	}
	if (arg->is_signed)
		value = (__s64)(value << (64 - 8 * arg->size)) >> (64 - 8 * arg->size);
	return value;
}

/* What the program finds, as text. */
static void run(const struct ltt_fetch *arg, char *buf, size_t size)
{
	unsigned long value = args[arg->where];
	unsigned int i, len = 0;
	const char *p;

	for (i = 0; i + 1 < arg->nr_steps; i++)
		value = *(unsigned long *)(value + arg->step[i].offset);
	p = arg->nr_steps ? (const char *)value + arg->step[i].offset : (const char *)&value;
	if (arg->as == LTT_AS_STRING) {
		snprintf(buf, size, "%.*s", arg->most ? arg->most : 1000, p ? p : "(null)");
		return;
	}
	for (i = 0; i < (arg->count ?: 1u); i++, p += arg->size)
		len += snprintf(buf + len, size - len,
				arg->is_signed ? "%s%lld" : "%s%llu", i ? "," : "",
				(unsigned long long)element(arg, p));
}

/* Parses @line; what is understood has a format that markers may have. */
static int parse(const char *line, struct ltt_kprobe_def **def, struct ltt_kprobe_error *error)
{
	char format[LTT_MAX_FORMAT + 1], why[LTT_FORMAT_ERROR], *exact = strdup(line);
	struct ltt_format *parsed;
	__u32 types[LTT_KPROBE_ARGS];
	int err;

	memset(error, 'E', sizeof(*error));
	ltt_tracepoint_parser = &parser;
	err = ltt_kprobe_parse(exact, def, error);
	free(exact);
	if (err) {
		EXPECT(memchr(error->text, '\0', sizeof(error->text)) && error->column >= 1 &&
		       error->column <= strlen(line) + 1, "'%s': column %u", line,
		       error->column);
		return err;
	}
	EXPECT(ltt_kprobe_format(*def, format, sizeof(format)) < (int)sizeof(format), "'%s'",
	       line);
	parsed = ltt_format_parse(format, types, ltt_kprobe_types(*def, types), why);
	if (EXPECT(!IS_ERR(parsed), "'%s': format '%s': %s", line, format, why))
		ltt_format_free(parsed);
	return 0;
}

static void value(const char *access, const char *want)
{
	struct ltt_kprobe_error error;
	struct ltt_kprobe_def *def;
	char line[200], got[400];
	int err;

	snprintf(line, sizeof(line), "t:ch/x thing_done %s", access);
	err = parse(line, &def, &error);
	if (!EXPECT(!err, "'%s': %d, column %u: %s", access, err, error.column, error.text))
		return;
	run(&def->arg[0], got, sizeof(got));
	EXPECT(!strcmp(got, want), "'%s': '%s', not '%s'", access, got, want);
	ltt_kprobe_def_free(def);
}

static void format(const char *rest, const char *want)
{
	struct ltt_kprobe_error error;
	struct ltt_kprobe_def *def;
	char line[200], got[400];
	int err;

	snprintf(line, sizeof(line), "t:ch/x %s", rest);
	err = parse(line, &def, &error);
	if (!EXPECT(!err, "'%s': %d, column %u: %s", rest, err, error.column, error.text))
		return;
	ltt_kprobe_format(def, got, sizeof(got));
	EXPECT_STR(got, want);
	ltt_kprobe_print(def, line, got, sizeof(got));
	EXPECT_STR(got, line);
	ltt_kprobe_def_free(def);
}

static void bad(const char *line, int want, unsigned int column)
{
	struct ltt_kprobe_error error;
	struct ltt_kprobe_def *def;
	int err = parse(line, &def, &error);

	EXPECT(err == want, "'%s': %d, not %d", line, err, want);
	if (!err)
		ltt_kprobe_def_free(def);
	else
		EXPECT(error.column == column, "'%s': column %u, not %u: %s", line,
		       error.column, column, error.text);
}

static void *open_fixture(struct ltt_btf *btf)
{
	struct btf_data data;
	size_t size;
	void *bytes;

	fixture(&data);
	bytes = btf_finish(&data, &size);
	EXPECT(!ltt_btf_open(btf, bytes, size, NULL), "the fixture is refused");
	EXPECT(ltt_btf_end(btf) == data.next_id, "%u types", ltt_btf_end(btf));
	the_btf = btf;
	return bytes;
}

/* ---- tests ------------------------------------------------------------------------ */

static void values(void)
{
	struct ltt_btf btf;
	void *bytes = open_fixture(&btf);
	char address[32];

	make_thing();
	value("code", "-9");
	value("flag", "1");
	value("mode", "1");
	value("where", "1311768467463790320");
	value("text:string", "words");
	value("thing->comm", "sixteen letters!");
	value("thing->comm:string", "sixteen letters!");
	value("thing->comm[3]", "116");
	value("thing->tid", "4000000001");
	value("thing->inner", "-5");
	value("thing->wide", "-2");
	value("thing->narrow", "254");
	value("thing->low", "5");
	value("thing->middle", "4099");
	value("thing->negative", "-11");
	value("thing->child.number", "-3");
	value("thing->child.name:string", "own");
	value("thing->first->number", "-7");
	value("thing->first->name:string", "one");
	value("thing->first->next->next->number", "9");
	value("thing->first->next->name[1]", "119");
	value("thing->first[1].number", "8");
	value("thing->table[0]->number", "9");
	value("thing->table[1]->next->name:string", "two");
	value("thing->list", "1,65535,3,4");
	value("thing->list[1]", "65535");
	value("thing->several[2].number", "12");
	value("thing->several[1].name:string", "b");
	value("thing->many[99]", "18446744073709551615");
	value("thing->sign", "-1");
	value("thing->bytes", "1,2,3,4,5,255");
	value("thing->tail", "tail");
	value("thing->tail[3]", "108");
	value("thing[0].tid", "4000000001");
	snprintf(address, sizeof(address), "%lu", (unsigned long)children);
	value("thing->first", address);
	free(thing);
	ltt_btf_close(&btf);
	free(bytes);
}

static void formats(void)
{
	struct ltt_btf btf;
	void *bytes = open_fixture(&btf);

	format("thing_done", "thing %p code %lld flag %llu text %p mode %lld where %llu");
	format("thing_bare", "arg1 %p arg2 %llu");
	format("thing_bare arg1->tid", "tid %llu");
	format("thing_none", "");
	format("thing_word", "word 0x%llx tid %llu");
	format("thing_word word tid:x32", "word 0x%llx tid 0x%llx");
	format("thing_done thing->first->next->number", "number %lld");
	format("thing_done a=thing->comm b=thing->first->name:string c=thing->tail",
	       "a %.16s b %s c %s");
	format("thing_done a=thing->list thing->list[2]", "a %llu[4] list %llu");
	format("thing_done a=where:x64 b=code:u16 c=where:symbol d=thing->first:symbol",
	       "a 0x%llx b %llu c %pS d %pS");
	format("thing_done thing->negative:u8", "negative %llu");
	ltt_btf_close(&btf);
	free(bytes);
}

static void refused(void)
{
	struct ltt_btf btf;
	void *bytes = open_fixture(&btf);

	bad("t", -EINVAL, 2);
	bad("tx thing_done", -EINVAL, 2);
	bad("t:ch/x", -EINVAL, 7);
	bad("t:ch/x 0x1234", -EINVAL, 8);
	bad("t:ch/x thing_done+8", -EINVAL, 18);
	bad("t:ch/x no_such", -ENOENT, 8);
	bad("t:ch/x thing_by_value", -EOPNOTSUPP, 8);
	bad("t:ch/x thing_word word.wide", -EINVAL, 23);
	bad("t:ch/x thing_word word:string", -EINVAL, 24);
	bad("t:ch/x thing_word word:x32", -EINVAL, 24);
	bad("t:ch/x thing_done nothing", -ENOENT, 19);
	bad("t:ch/x thing_done %di", -EINVAL, 19);
	bad("t:ch/x thing_done a=", -EINVAL, 21);
	bad("t:ch/x thing_done thing.tid", -EINVAL, 24);
	bad("t:ch/x thing_done code->tid", -EINVAL, 23);
	bad("t:ch/x thing_done code.tid", -EINVAL, 23);
	bad("t:ch/x thing_done thing->", -EINVAL, 26);
	bad("t:ch/x thing_done thing->nothing", -ENOENT, 26);
	bad("t:ch/x thing_done thing->ti", -ENOENT, 26);
	bad("t:ch/x thing_done thing->tidy", -ENOENT, 26);
	bad("t:ch/x thing_done thing->child", -EINVAL, 19);
	bad("t:ch/x thing_done a=thing->several", -EINVAL, 21);
	bad("t:ch/x thing_done thing->many", -EINVAL, 19);
	bad("t:ch/x thing_done thing->several[3].number", -ERANGE, 34);
	bad("t:ch/x thing_done thing->several[0x]", -EINVAL, 35);
	bad("t:ch/x thing_done thing->several[1", -EINVAL, 35);
	bad("t:ch/x thing_done thing->first[2147483647].number", -ERANGE, 31);
	bad("t:ch/x thing_done thing->first[99999999999999]", -ERANGE, 32);
	bad("t:ch/x thing_done thing->blob[1]", -EINVAL, 30);
	bad("t:ch/x thing_done thing->blob->x", -EINVAL, 30);
	bad("t:ch/x thing_done thing->low.x", -EINVAL, 29);
	bad("t:ch/x thing_done thing->low[1]", -EINVAL, 29);
	bad("t:ch/x thing_done thing->real", -EOPNOTSUPP, 19);
	bad("t:ch/x thing_done thing->tid:string", -EINVAL, 30);
	bad("t:ch/x thing_done thing->list:string", -EINVAL, 31);
	bad("t:ch/x thing_done thing:string", -EINVAL, 25);
	bad("t:ch/x thing_done thing->tid:u64", -EINVAL, 30);
	bad("t:ch/x thing_done thing:x64", -EINVAL, 25);
	bad("t:ch/x thing_done thing->comm:u8", -EINVAL, 31);
	bad("t:ch/x thing_done thing->tid:symbol", -EINVAL, 30);
	bad("t:ch/x thing_done thing->tid:float", -EINVAL, 30);
	bad("t:ch/x thing_done thing->tid!", -EINVAL, 29);
	bad("t:ch/x thing_done thing->tid-1", -EINVAL, 29);
	bad("t:ch/x thing_done code a=code code", -EEXIST, 31);
	bad("t:ch/x thing_done thing->first->next->next->next->next->next->next->next->next->next->next->next->number",
	    -E2BIG, 19);
	ltt_tracepoint_parser = NULL;
	{
		struct ltt_kprobe_error error;
		struct ltt_kprobe_def *def;

		EXPECT(ltt_kprobe_parse("t thing_done", &def, &error) == -EOPNOTSUPP &&
		       error.column == 1, "without ltt-btf");
	}
	ltt_btf_close(&btf);
	free(bytes);
}

/* A module's types go on where the kernel's end. */
static void modules(void)
{
	struct ltt_btf base, btf;
	void *bytes = open_fixture(&base), *more;
	struct btf_data data;
	__u32 proto, id;
	size_t size;

	btf_start(&data, ltt_btf_end(&base), base.nr_strings);
	/* The pointer to struct thing is that of the kernel. */
	for (id = 1; id < ltt_btf_end(&base); id++) {
		if (!strcmp(ltt_btf_name(&base, ltt_btf_type(&base, id)->name_off), "thing"))
			break;
	}
	proto = btf_add(&data, "", BTF_KIND_FUNC_PROTO, 2, false, 0);
	btf_item(&data, "__data", id + 1);
	btf_item(&data, "it", id + 1);
	btf_add(&data, "__traceiter_module_event", BTF_KIND_FUNC, 0, false, proto);
	more = btf_finish(&data, &size);
	EXPECT(ltt_btf_open(&btf, more, size, NULL) == -EBADMSG, "as the kernel's");
	EXPECT(!ltt_btf_open(&btf, more, size, &base), "the module is refused");
	the_btf = &btf;
	make_thing();
	format("module_event", "it %p");
	format("module_event it->tid", "tid %llu");
	bad("t:ch/x thing_done", -ENOENT, 8);
	free(thing);
	ltt_btf_close(&btf);
	ltt_btf_close(&base);
	free(more);
	free(bytes);
}

static const char *const lines[] = {
	"t thing_done", "t thing_bare", "t thing_by_value", "t thing_none",
	"t thing_done thing->comm thing->low thing->negative thing->child.name:string",
	"t thing_done thing->several[2].next->next->name:string thing->narrow",
	"t thing_done a=thing->table[1]->number thing->bytes thing->tail thing->sign",
	"t thing_done thing->nothing", "t thing_done thing->many[99] thing->list",
};

/* Nothing is expected but that nothing happens. */
static void use(const void *bytes, size_t size)
{
	struct ltt_kprobe_error error;
	struct ltt_kprobe_def *def;
	struct ltt_btf btf;
	unsigned int i;

	if (ltt_btf_open(&btf, bytes, size, NULL))
		return;
	the_btf = &btf;
	ltt_tracepoint_parser = &parser;
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		if (!ltt_kprobe_parse(lines[i], &def, &error))
			ltt_kprobe_def_free(def);
	}
	ltt_btf_close(&btf);
}

static void truncated(void)
{
	struct btf_data data;
	struct ltt_btf btf;
	size_t size, cut;
	void *bytes, *exact;
	int err;

	fixture(&data);
	bytes = btf_finish(&data, &size);
	for (cut = 0; cut < size; cut++) {
		exact = malloc(cut ?: 1);
		memcpy(exact, bytes, cut);
		err = ltt_btf_open(&btf, exact, cut, NULL);
		EXPECT(err == -EBADMSG, "cut to %zu: %d", cut, err);
		if (!err)
			ltt_btf_close(&btf);
		free(exact);
	}
	free(bytes);
}

/* The sections themselves are shorter than what is in them. */
static void shortened(void)
{
	struct btf_header *header;
	struct btf_data data;
	struct ltt_btf btf;
	size_t size;
	__u32 len;

	fixture(&data);
	header = btf_finish(&data, &size);
	len = header->type_len;
	for (header->type_len = 0; header->type_len < len; header->type_len++) {
		use(header, size);
		if (header->type_len % 4)
			EXPECT(ltt_btf_open(&btf, header, size, NULL), "%u bytes of types",
			       header->type_len);
	}
	header->type_len = len;
	len = header->str_len;
	for (header->str_len = 0; header->str_len < len; header->str_len++)
		use(header, size);
	free(header);
}

static void damaged(void)
{
	unsigned long long state = 20240229;
	struct btf_data data;
	unsigned char *bytes;
	size_t size, at;
	int round, n;
	void *copy;

	fixture(&data);
	bytes = btf_finish(&data, &size);
	copy = malloc(size);
	for (at = 0; at < size; at++) {
		for (round = 0; round < 10; round++) {
			memcpy(copy, bytes, size);
			((unsigned char *)copy)[at] =
				round < 8 ? bytes[at] ^ 1 << round : round == 8 ? 0 : 255;
			use(copy, size);
		}
	}
	for (round = 0; round < 20000; round++) {
		memcpy(copy, bytes, size);
		for (n = 1 + ktap_random(&state) % 4; n; n--)
			((__u32 *)copy)[ktap_random(&state) % (size / 4)] =
				ktap_random(&state) % 3 ? ktap_random(&state) % 64 :
							  ktap_random(&state);
		use(copy, size);
	}
	free(copy);
	free(bytes);
}

/* Types without an end, or with too many ways through them. */
static void endless(void)
{
	struct ltt_btf_member member;
	struct ltt_btf_value v;
	struct btf_data data;
	struct ltt_btf btf;
	void *bytes;
	__u32 id, i;
	size_t size;

	btf_start(&data, 1, 0);
	btf_ref(&data, "self", BTF_KIND_TYPEDEF, 1);
	btf_ref(&data, "", BTF_KIND_CONST, 3);
	btf_ref(&data, "", BTF_KIND_VOLATILE, 2);
	btf_add(&data, "inside", BTF_KIND_STRUCT, 1, false, 8);
	btf_put_member(&data, "", 4, 0);
	btf_arr(&data, 5, 1, 2);
	id = data.next_id;
	for (i = 0; i < 40; i++) {
		btf_add(&data, "", BTF_KIND_UNION, 2, false, 8);
		btf_put_member(&data, "", i < 39 ? id + i + 1 : id, 0);
		btf_put_member(&data, "", i < 39 ? id + i + 1 : id, 0);
	}
	bytes = btf_finish(&data, &size);
	if (EXPECT(!ltt_btf_open(&btf, bytes, size, NULL), "refused")) {
		EXPECT(ltt_btf_value(&btf, 1, &v) == -EBADMSG, "a typedef of itself");
		EXPECT(ltt_btf_value(&btf, 2, &v) == -EBADMSG, "a circle");
		EXPECT(ltt_btf_member(&btf, 4, "x", 1, &member) == -EBADMSG, "in itself");
		EXPECT(ltt_btf_member(&btf, id, "x", 1, &member) == -EBADMSG, "many ways");
		EXPECT(ltt_btf_value(&btf, 1000, &v) == -EBADMSG, "no such type");
		ltt_btf_close(&btf);
	}
	free(bytes);
}

/* A million ways that end: the search ends before them. */
static void wide(void)
{
	struct ltt_btf_member member;
	struct btf_data data;
	struct ltt_btf btf;
	__u32 i, k, last;
	void *bytes;
	size_t size;

	btf_start(&data, 1, 0);
	last = btf_int(&data, "int", 4, 0);
	for (i = 0; i < 6; i++) {
		last = btf_add(&data, "", BTF_KIND_UNION, 16, false, 4);
		for (k = 0; k < 16; k++)
			btf_put_member(&data, "", last - 1, 0);
	}
	bytes = btf_finish(&data, &size);
	if (EXPECT(!ltt_btf_open(&btf, bytes, size, NULL), "refused")) {
		EXPECT(ltt_btf_member(&btf, last, "x", 1, &member) == -EBADMSG, "searched");
		ltt_btf_close(&btf);
	}
	free(bytes);
}

/* ---- files ------------------------------------------------------------------------ */

static void *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	void *bytes = NULL;
	long end = -1;

	if (file && !fseek(file, 0, SEEK_END))
		end = ftell(file);
	if (end > 0 && !fseek(file, 0, SEEK_SET)) {
		bytes = malloc(end);
		if (bytes && fread(bytes, 1, end, file) != (size_t)end) {
			free(bytes);
			bytes = NULL;
		}
	}
	if (file)
		fclose(file);
	*size = end;
	return bytes;
}

static void print_event(const struct ltt_btf *btf, u32 id, const char *name)
{
	struct ltt_btf_event event;
	struct ltt_fetch arg;
	unsigned int i;
	int err = ltt_btf_event_of(btf, id, &event);

	printf("%s", name);
	for (i = 0; !err && i < event.nr; i++) {
		memset(&arg, 0, sizeof(arg));
		err = ltt_btf_param(&event, i, &arg);
		if (!err)
			printf(" %s:%s%d", arg.name, arg.as == LTT_AS_PTR ? "p" :
			       arg.is_signed ? "s" : "u", arg.size * 8);
	}
	printf(err ? " error %d\n" : "\n", err);
}

static int print_files(char **path)
{
	const struct btf_type *type;
	struct ltt_btf btf[2];
	void *bytes[2] = { };
	const char *name;
	int i, err = 0;
	size_t size;
	u32 id;

	for (i = 0; i < 2 && path[i] && !err; i++) {
		bytes[i] = read_file(path[i], &size);
		err = bytes[i] ? ltt_btf_open(&btf[i], bytes[i], size, i ? &btf[0] : NULL) : -EIO;
		if (err)
			fprintf(stderr, "%s: %s\n", path[i], strerror(-err));
	}
	for (id = err ? ~0u : btf[i - 1].first_id; !err && id < ltt_btf_end(&btf[i - 1]); id++) {
		type = ltt_btf_type(&btf[i - 1], id);
		name = ltt_btf_name(&btf[i - 1], type->name_off);
		if (BTF_INFO_KIND(type->info) == BTF_KIND_FUNC &&
		    !strncmp(name, LTT_BTF_FUNCTION, strlen(LTT_BTF_FUNCTION)))
			print_event(&btf[i - 1], id, name + strlen(LTT_BTF_FUNCTION));
	}
	while (!err && i--)
		ltt_btf_close(&btf[i]);
	free(bytes[0]);
	free(bytes[1]);
	return !!err;
}

int main(int argc, char **argv)
{
	static const struct ktap_case cases[] = {
		{ "values are where the compiler has put them", values },
		{ "formats", formats },
		{ "what is wrong is refused, with its column", refused },
		{ "a module's types", modules },
		{ "cut off", truncated },
		{ "sections cut off", shortened },
		{ "damaged", damaged },
		{ "types without an end", endless },
		{ "too many ways", wide },
	};

	if (argc > 1)
		return print_files(argv + 1);
	return ktap_run(cases, ARRAY_SIZE(cases));
}
