// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: types in the metadata of other tracers.
 *
 * parse.h says how functions here are called.
 */
#include <errno.h>
#include <linux/kernel.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"

static bool is(const struct ctf_parser *ps, const char *word)
{
	return lib_lexer_is(&ps->lexer, word);
}

/* Is @text one of @nr words? */
static bool is_one(const char *text, const char *const words[], unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!strcmp(text, words[i]))
			return true;
	}
	return false;
}

#define IS_ONE(text, ...) ({							\
	static const char *const _words[] = { __VA_ARGS__ };			\
	is_one(text, _words, ARRAY_SIZE(_words));				\
})

static struct ctf_type *new_type(struct ctf_parser *ps, enum ctf_kind kind)
{
	struct ctf_type *type = ctf_alloc(ps->trace, sizeof(*type));

	if (!type) {
		ctf_no_memory(ps->trace);
		return NULL;
	}
	type->kind = kind;
	type->place = ctf_place(ps);
	type->align = 1;
	type->base = 10;
	return type;
}

/* ---- attributes ------------------------------------------------------------------ */

typedef int (*attribute_fn)(struct ctf_parser *ps, struct ctf_type *type, const char *name,
			    const struct ctf_value *value);

static int bad_attribute(struct ctf_parser *ps, const struct ctf_value *value)
{
	return ctf_bad(ps, value, "unknown attribute of a type");
}

/* Of alignments. */
static int take_align(struct ctf_parser *ps, const struct ctf_value *value, u32 *align)
{
	u64 bits = value->number;

	if (value->token != TOKEN_NUMBER || value->negative || !bits || bits & (bits - 1) ||
	    bits > 1u << 15)
		return ctf_bad(ps, value, "expected an alignment, a power of 2");
	*align = bits;
	return 0;
}

/**
 * ctf_parse_order() - take the value of "byte_order"
 * @ps:		where
 * @value:	the value
 * @order:	returns an enum ctf_order
 */
int ctf_parse_order(struct ctf_parser *ps, const struct ctf_value *value, u8 *order)
{
	if (value->token != TOKEN_NAME)
		return ctf_bad(ps, value, "expected a byte order");
	if (!strcmp(value->text, "native"))
		*order = CTF_NATIVE;
	else if (!strcmp(value->text, "le"))
		*order = CTF_LE;
	else if (IS_ONE(value->text, "be", "network"))
		*order = CTF_BE;
	else
		return ctf_bad(ps, value, "expected a byte order");
	return 0;
}

static int take_bool(struct ctf_parser *ps, const struct ctf_value *value, bool *yes)
{
	if (value->token == TOKEN_NUMBER && !value->negative && value->number <= 1)
		*yes = value->number;
	else if (value->token == TOKEN_NAME && IS_ONE(value->text, "true", "TRUE"))
		*yes = true;
	else if (value->token == TOKEN_NAME && IS_ONE(value->text, "false", "FALSE"))
		*yes = false;
	else
		return ctf_bad(ps, value, "expected true or false");
	return 0;
}

static int take_encoding(struct ctf_parser *ps, const struct ctf_value *value, bool *is_text)
{
	if (value->token == TOKEN_NAME && IS_ONE(value->text, "UTF8", "utf8", "ASCII", "ascii"))
		*is_text = true;
	else if (value->token == TOKEN_NAME && IS_ONE(value->text, "none", "NONE"))
		*is_text = false;
	else
		return ctf_bad(ps, value, "expected the encoding none, UTF8 or ASCII");
	return 0;
}

static int take_base(struct ctf_parser *ps, const struct ctf_value *value, u8 *base)
{
	const char *text = value->token == TOKEN_NAME ? value->text : "";

	if (value->token == TOKEN_NUMBER && !value->negative &&
	    (value->number == 2 || value->number == 8 || value->number == 10 ||
	     value->number == 16))
		*base = value->number;
	else if (IS_ONE(text, "decimal", "dec", "d", "i", "u"))
		*base = 10;
	else if (IS_ONE(text, "hexadecimal", "hex", "x", "X", "p"))
		*base = 16;
	else if (IS_ONE(text, "octal", "oct", "o"))
		*base = 8;
	else if (IS_ONE(text, "binary", "b"))
		*base = 2;
	else
		return ctf_bad(ps, value, "expected a base, one of 2, 8, 10, 16");
	return 0;
}

/* "clock.NAME.value" */
static int take_clock(struct ctf_parser *ps, const struct ctf_value *value, const char **clock)
{
	static const char before[] = "clock.", after[] = ".value";
	const size_t begin = sizeof(before) - 1, end = sizeof(after) - 1;
	size_t len = value->token == TOKEN_NAME ? strlen(value->text) : 0;
	char name[CTF_NAME_MAX + 1];

	if (len <= begin + end || memcmp(value->text, before, begin) ||
	    strcmp(value->text + len - end, after))
		return ctf_bad(ps, value, "expected clock.NAME.value");
	memcpy(name, value->text + begin, len - begin - end);
	name[len - begin - end] = '\0';
	*clock = ctf_keep(ps, name);
	return *clock ? 0 : ctf_no_memory(ps->trace);
}

static int integer_attribute(struct ctf_parser *ps, struct ctf_type *type, const char *name,
			     const struct ctf_value *value)
{
	if (!strcmp(name, "size")) {
		if (value->token != TOKEN_NUMBER || value->negative || !value->number ||
		    value->number > 64)
			return ctf_bad(ps, value, "expected a size of 1 to 64 bits");
		type->bits = value->number;
		return 0;
	}
	if (!strcmp(name, "align"))
		return take_align(ps, value, &type->align);
	if (!strcmp(name, "signed"))
		return take_bool(ps, value, &type->is_signed);
	if (!strcmp(name, "byte_order"))
		return ctf_parse_order(ps, value, &type->order);
	if (!strcmp(name, "base"))
		return take_base(ps, value, &type->base);
	if (!strcmp(name, "encoding"))
		return take_encoding(ps, value, &type->is_text);
	if (!strcmp(name, "map"))
		return take_clock(ps, value, &type->clock);
	return bad_attribute(ps, value);
}

static int float_attribute(struct ctf_parser *ps, struct ctf_type *type, const char *name,
			   const struct ctf_value *value)
{
	if (IS_ONE(name, "exp_dig", "mant_dig")) {
		if (value->token != TOKEN_NUMBER || value->negative || value->number > 64)
			return ctf_bad(ps, value, "expected a number of bits");
		/* The sign is counted with the mantissa, which has a bit that is not stored. */
		type->bits += value->number;
		return 0;
	}
	if (!strcmp(name, "align"))
		return take_align(ps, value, &type->align);
	if (!strcmp(name, "byte_order"))
		return ctf_parse_order(ps, value, &type->order);
	return bad_attribute(ps, value);
}

static int string_attribute(struct ctf_parser *ps, struct ctf_type *type, const char *name,
			    const struct ctf_value *value)
{
	if (!strcmp(name, "encoding"))
		return take_encoding(ps, value, &type->is_text);
	return bad_attribute(ps, value);
}

/* "{ NAME = VALUE; ... }" */
static int parse_attributes(struct ctf_parser *ps, struct ctf_type *type, attribute_fn set)
{
	char name[CTF_NAME_MAX + 1];
	struct ctf_value value;
	int err = ctf_want(ps, '{', "'{'");

	while (!err && ps->lexer.token != '}') {
		err = ctf_parse_path(ps);
		if (err)
			break;
		strcpy(name, ps->text);
		err = ctf_want(ps, '=', "'='") ?: ctf_parse_value(ps, &value) ?:
		      set(ps, type, name, &value) ?: ctf_want(ps, ';', "';'");
	}
	return err ?: ctf_want(ps, '}', "'}'");
}

static int parse_integer(struct ctf_parser *ps, const struct ctf_type **out)
{
	struct ctf_type *type = new_type(ps, CTF_INT);
	int err;

	if (!type)
		return -ENOMEM;
	lib_lexer_next(&ps->lexer);
	type->align = 0;
	err = parse_attributes(ps, type, integer_attribute);
	if (err)
		return err;
	if (!type->bits)
		return ctf_fail(ps->trace, type->place, "integer without a size");
	if (!type->align)
		type->align = type->bits % 8 ? 1 : 8;
	*out = type;
	return 0;
}

static int parse_float(struct ctf_parser *ps, const struct ctf_type **out)
{
	struct ctf_type *type = new_type(ps, CTF_FLOAT);
	int err;

	if (!type)
		return -ENOMEM;
	lib_lexer_next(&ps->lexer);
	err = parse_attributes(ps, type, float_attribute);
	if (err)
		return err;
	if (type->bits != 32 && type->bits != 64)
		return ctf_fail(ps->trace, type->place,
				"floating_point of other than 32 or 64 bits");
	*out = type;
	return 0;
}

static int parse_string(struct ctf_parser *ps, const struct ctf_type **out)
{
	struct ctf_type *type = new_type(ps, CTF_STRING);

	if (!type)
		return -ENOMEM;
	lib_lexer_next(&ps->lexer);
	type->align = 8;
	*out = type;
	return ps->lexer.token == '{' ? parse_attributes(ps, type, string_attribute) : 0;
}

/* ---- names ----------------------------------------------------------------------- */

static bool at_c_word(const struct ctf_parser *ps)
{
	static const char *const words[] = {
		"void", "char", "short", "int", "long", "float", "double", "signed",
		"unsigned", "_Bool", "_Complex", "_Imaginary",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (is(ps, words[i]))
			return true;
	}
	return false;
}

/* "uint32_t", "unsigned long", "void *", to ps->text. */
static int parse_type_name(struct ctf_parser *ps)
{
	int err = 0;

	ps->len = 0;
	while (ctf_skip_word(ps, "const"))
		;
	if (ps->lexer.token != TOKEN_NAME)
		return ctf_unexpected(ps, "a type");
	if (!at_c_word(ps)) {
		err = ctf_append(ps, '\0');
		lib_lexer_next(&ps->lexer);
	}
	while (!err && at_c_word(ps)) {
		err = ctf_append(ps, ' ');
		lib_lexer_next(&ps->lexer);
		while (ctf_skip_word(ps, "const"))
			;
	}
	while (!err && ps->lexer.token == '*') {
		err = ctf_append(ps, ' ');
		lib_lexer_next(&ps->lexer);
		while (ctf_skip_word(ps, "const"))
			;
	}
	return err;
}

static int find_type(struct ctf_parser *ps, const char *name, u32 place,
		     const struct ctf_type **out)
{
	*out = ctf_find(ps, name);
	return *out ? 0 : ctf_fail(ps->trace, place, "unknown type '%s'", name);
}

static int parse_named(struct ctf_parser *ps, const struct ctf_type **out)
{
	u32 place = ctf_place(ps);

	return parse_type_name(ps) ?: find_type(ps, ps->text, place, out);
}

/* ---- structures and variants ------------------------------------------------------ */

/* The word "struct", "variant" or "enum", and a name, if there is one: both to @name. */
static int parse_tag(struct ctf_parser *ps, char name[CTF_NAME_MAX + 1], bool *has_name)
{
	int err;

	ps->len = 0;
	err = ctf_append(ps, '\0');
	lib_lexer_next(&ps->lexer);
	*has_name = ps->lexer.token == TOKEN_NAME;
	if (!err && *has_name) {
		err = ctf_append(ps, ' ');
		lib_lexer_next(&ps->lexer);
	}
	strcpy(name, ps->text);
	return err;
}

/* "[3]" or "[length]" after a name; in "a[2][3]", the first is the outermost. */
static int parse_dimensions(struct ctf_parser *ps, const struct ctf_type *element,
			    const struct ctf_type **out)
{
	struct ctf_type *type;
	int err;

	*out = element;
	if (ps->lexer.token != '[')
		return 0;
	if (ps->depth >= CTF_DEPTH_MAX)
		return ctf_fail(ps->trace, ctf_place(ps), "types are nested too deeply");
	type = new_type(ps, CTF_ARRAY);
	if (!type)
		return -ENOMEM;
	lib_lexer_next(&ps->lexer);
	if (ps->lexer.token == TOKEN_NUMBER) {
		if (ps->lexer.number > U32_MAX)
			return ctf_fail(ps->trace, ctf_place(ps), "array of too many elements");
		type->count = ps->lexer.number;
		lib_lexer_next(&ps->lexer);
	} else {
		type->kind = CTF_SEQUENCE;
		err = ctf_parse_path(ps);
		if (err)
			return err;
		type->path = ctf_keep(ps, ps->text);
		if (!type->path)
			return ctf_no_memory(ps->trace);
	}
	ps->depth++;
	err = ctf_want(ps, ']', "']'") ?: parse_dimensions(ps, element, &type->element);
	ps->depth--;
	if (err)
		return err;
	type->align = type->element->align;
	*out = type;
	return 0;
}

/* No two have the same name, and no more are declared than can be used. */
static int check_member(struct ctf_parser *ps, const struct ctf_type *type, const char *name,
			u32 place)
{
	const struct ctf_member *other;
	unsigned int nr = 0;

	for (other = type->members; other; other = other->next) {
		if (!strcmp(other->name, name))
			return ctf_fail(ps->trace, place, "duplicate field '%s'", name);
		nr++;
	}
	return nr < CTF_FIELDS_MAX ? 0 :
	       ctf_fail(ps->trace, place, "more than %u fields", CTF_FIELDS_MAX);
}

static int add_member(struct ctf_parser *ps, struct ctf_type *type, struct ctf_member ***last,
		      const struct ctf_type *of)
{
	struct ctf_member *member;
	u32 place = ctf_place(ps);
	int err;

	if (ps->lexer.token != TOKEN_NAME)
		return ctf_unexpected(ps, "the name of a field");
	member = ctf_alloc(ps->trace, sizeof(*member));
	if (!member)
		return ctf_no_memory(ps->trace);
	ps->len = 0;
	err = ctf_append(ps, '\0') ?: check_member(ps, type, ps->text, place);
	if (err)
		return err;
	member->name = ctf_keep(ps, ps->text);
	if (!member->name)
		return ctf_no_memory(ps->trace);
	lib_lexer_next(&ps->lexer);
	err = parse_dimensions(ps, of, &member->type);
	if (err)
		return err;
	if (member->type->kind == CTF_VARIANT && !member->type->path)
		return ctf_fail(ps->trace, place, "variant without a tag");
	if (type->kind == CTF_STRUCT)
		type->align = max(type->align, member->type->align);
	**last = member;
	*last = &member->next;
	return 0;
}

static int parse_members(struct ctf_parser *ps, struct ctf_type *type)
{
	struct ctf_member **last = &type->members;
	const struct ctf_type *of;
	int err = ctf_want(ps, '{', "'{'");

	while (!err && ps->lexer.token != '}') {
		if (is(ps, "typedef") || is(ps, "typealias")) {
			err = ctf_parse_declaration(ps);
			continue;
		}
		err = ctf_parse_type(ps, &of);
		/* "struct name { ... };" declares no member. */
		if (err || ps->lexer.token == ';') {
			err = err ?: ctf_want(ps, ';', "';'");
			continue;
		}
		do {
			err = add_member(ps, type, &last, of);
		} while (!err && ps->lexer.token == ',' && lib_lexer_next(&ps->lexer));
		err = err ?: ctf_want(ps, ';', "';'");
	}
	return err ?: ctf_want(ps, '}', "'}'");
}

static int parse_body(struct ctf_parser *ps, struct ctf_type *type)
{
	struct ctf_scope_names names;
	int err;

	ctf_enter(ps, &names);
	err = parse_members(ps, type);
	ctf_leave(ps);
	return err;
}

/* "align(8)" after a structure */
static int parse_struct_align(struct ctf_parser *ps, struct ctf_type *type)
{
	struct ctf_value value;
	u32 align = 0;
	int err;

	if (!ctf_skip_word(ps, "align"))
		return 0;
	err = ctf_want(ps, '(', "'('") ?: ctf_parse_value(ps, &value) ?:
	      take_align(ps, &value, &align) ?: ctf_want(ps, ')', "')'");
	if (!err)
		type->align = max(type->align, align);
	return err;
}

static int parse_struct(struct ctf_parser *ps, const struct ctf_type **out)
{
	struct ctf_type *type = new_type(ps, CTF_STRUCT);
	char name[CTF_NAME_MAX + 1];
	bool has_name;
	int err;

	if (!type)
		return -ENOMEM;
	err = parse_tag(ps, name, &has_name);
	if (err)
		return err;
	if (has_name && ps->lexer.token != '{')
		return find_type(ps, name, type->place, out);
	err = parse_body(ps, type) ?: parse_struct_align(ps, type);
	if (!err && has_name)
		err = ctf_declare(ps, name, type, type->place);
	*out = type;
	return err;
}

/* "variant NAME <TAG> { ... }", of which one or the other may be missing. */
static int parse_variant(struct ctf_parser *ps, const struct ctf_type **out)
{
	struct ctf_type *type = new_type(ps, CTF_VARIANT);
	const struct ctf_type *known;
	char name[CTF_NAME_MAX + 1];
	const char *path = NULL;
	bool has_name;
	int err;

	if (!type)
		return -ENOMEM;
	err = parse_tag(ps, name, &has_name);
	if (!err && ps->lexer.token == '<') {
		lib_lexer_next(&ps->lexer);
		err = ctf_parse_path(ps);
		path = err ? NULL : ctf_keep(ps, ps->text);
		if (!err && !path)
			err = ctf_no_memory(ps->trace);
		err = err ?: ctf_want(ps, '>', "'>'");
	}
	if (err)
		return err;
	if (ps->lexer.token == '{' || !has_name) {
		err = parse_body(ps, type);
		if (!err && has_name)
			err = ctf_declare(ps, name, type, type->place);
	} else {
		err = find_type(ps, name, type->place, &known);
		if (!err)
			type->members = known->members;
	}
	type->path = path;
	*out = type;
	return err;
}

/* ---- enumerations ----------------------------------------------------------------- */

/* The largest number that the container can hold. */
static u64 largest(const struct ctf_type *type)
{
	u64 max = ~0ull >> (64 - type->bits);

	return type->is_signed ? max >> 1 : max;
}

/* A number that the container can hold. */
static int parse_label_value(struct ctf_parser *ps, const struct ctf_type *type, u64 *number)
{
	struct ctf_value value;
	u64 max = largest(type);
	int err = ctf_parse_value(ps, &value);

	if (err)
		return err;
	if (value.token != TOKEN_NUMBER)
		return ctf_bad(ps, &value, "expected a number");
	*number = value.negative ? -value.number : value.number;
	if (value.negative ? !type->is_signed || value.number > max + 1 : value.number > max)
		return ctf_bad(ps, &value, "the enumeration's integer cannot have this value");
	return 0;
}

/* @before: NULL for the first one */
static int parse_label(struct ctf_parser *ps, const struct ctf_type *type,
		       const struct ctf_label *before, struct ctf_label *label)
{
	bool is_string = ps->lexer.token == TOKEN_STRING;
	u32 place = ctf_place(ps);
	int err = 0, i;

	ps->len = 0;
	if (!is_string && ps->lexer.token != TOKEN_NAME)
		return ctf_unexpected(ps, "a label");
	if (!is_string)
		err = ctf_append(ps, '\0');
	if (err)
		return err;
	label->name = ctf_keep(ps, is_string ? ps->lexer.string : ps->text);
	if (!label->name)
		return ctf_no_memory(ps->trace);
	lib_lexer_next(&ps->lexer);
	if (ps->lexer.token != '=') {
		if (before && before->high == largest(type))
			return ctf_fail(ps->trace, place,
					"the enumeration's integer has no value after the last one");
		label->low = before ? before->high + 1 : 0;
		label->high = label->low;
		return 0;
	}
	lib_lexer_next(&ps->lexer);
	err = parse_label_value(ps, type, &label->low);
	label->high = label->low;
	if (err || ps->lexer.token != '.')
		return err;
	for (i = 0; i < 3 && !err; i++)
		err = ctf_want(ps, '.', "'...'");
	err = err ?: parse_label_value(ps, type, &label->high);
	if (!err && (type->is_signed ? (s64)label->low > (s64)label->high :
				       label->low > label->high))
		return ctf_fail(ps->trace, place, "the range of the label ends before it begins");
	return err;
}

static int parse_labels(struct ctf_parser *ps, struct ctf_type *type)
{
	struct ctf_label **last = &type->labels, *before = NULL, *label;
	int err = ctf_want(ps, '{', "'{'");

	while (!err && ps->lexer.token != '}') {
		label = ctf_alloc(ps->trace, sizeof(*label));
		if (!label)
			return ctf_no_memory(ps->trace);
		err = parse_label(ps, type, before, label);
		before = label;
		*last = label;
		last = &label->next;
		if (ps->lexer.token != ',')
			break;
		lib_lexer_next(&ps->lexer);
	}
	return err ?: ctf_want(ps, '}', "'}'");
}

/* "enum NAME : INTEGER { ... }" */
static int parse_enum(struct ctf_parser *ps, const struct ctf_type **out)
{
	struct ctf_type *type = new_type(ps, CTF_ENUM);
	const struct ctf_type *of = NULL;
	char name[CTF_NAME_MAX + 1];
	u32 place;
	bool has_name;
	int err;

	if (!type)
		return -ENOMEM;
	place = type->place;
	err = parse_tag(ps, name, &has_name);
	if (err)
		return err;
	if (has_name && ps->lexer.token != '{' && ps->lexer.token != ':')
		return find_type(ps, name, place, out);
	if (ps->lexer.token == ':') {
		lib_lexer_next(&ps->lexer);
		err = ctf_parse_type(ps, &of);
	} else {
		err = find_type(ps, "int", place, &of);
	}
	if (err)
		return err;
	if (of->kind != CTF_INT)
		return ctf_fail(ps->trace, place, "enumeration of what is no integer");
	*type = *of;
	type->kind = CTF_ENUM;
	type->place = place;
	err = parse_labels(ps, type);
	if (!err && has_name)
		err = ctf_declare(ps, name, type, place);
	*out = type;
	return err;
}

/* ---- all -------------------------------------------------------------------------- */

static int parse_any(struct ctf_parser *ps, const struct ctf_type **out)
{
	if (is(ps, "integer"))
		return parse_integer(ps, out);
	if (is(ps, "floating_point"))
		return parse_float(ps, out);
	if (is(ps, "string"))
		return parse_string(ps, out);
	if (is(ps, "struct"))
		return parse_struct(ps, out);
	if (is(ps, "variant"))
		return parse_variant(ps, out);
	if (is(ps, "enum"))
		return parse_enum(ps, out);
	return parse_named(ps, out);
}

/**
 * ctf_parse_type() - parse a type, without the name of what has it
 * @ps:		where
 * @type:	returns the type
 */
int ctf_parse_type(struct ctf_parser *ps, const struct ctf_type **type)
{
	int err;

	while (ctf_skip_word(ps, "const"))
		;
	if (ps->depth >= CTF_DEPTH_MAX)
		return ctf_fail(ps->trace, ctf_place(ps), "types are nested too deeply");
	ps->depth++;
	err = parse_any(ps, type);
	ps->depth--;
	return err;
}

/* "typealias TYPE := NAME" */
static int parse_typealias(struct ctf_parser *ps)
{
	const struct ctf_type *type;
	u32 place;
	int err = ctf_parse_type(ps, &type) ?: ctf_want(ps, TOKEN_TYPE, "':='");

	place = ctf_place(ps);
	return err ?: parse_type_name(ps) ?: ctf_declare(ps, ps->text, type, place);
}

/* "typedef TYPE NAME[3], NAME" */
static int parse_typedef(struct ctf_parser *ps)
{
	const struct ctf_type *of, *type;
	char name[CTF_NAME_MAX + 1];
	u32 place;
	int err = ctf_parse_type(ps, &of);

	while (!err) {
		place = ctf_place(ps);
		err = parse_type_name(ps);
		if (err)
			break;
		strcpy(name, ps->text);
		err = parse_dimensions(ps, of, &type) ?: ctf_declare(ps, name, type, place);
		if (ps->lexer.token != ',')
			break;
		lib_lexer_next(&ps->lexer);
	}
	return err;
}

/**
 * ctf_at_declaration() - is it the first word of a declaration of types?
 * @ps:		where
 */
bool ctf_at_declaration(const struct ctf_parser *ps)
{
	return is(ps, "typealias") || is(ps, "typedef") || is(ps, "struct") ||
	       is(ps, "variant") || is(ps, "enum");
}

/**
 * ctf_parse_declaration() - parse a declaration of types, up to its ";"
 * @ps:		where
 */
int ctf_parse_declaration(struct ctf_parser *ps)
{
	const struct ctf_type *type;
	int err;

	if (ctf_skip_word(ps, "typealias"))
		err = parse_typealias(ps);
	else if (ctf_skip_word(ps, "typedef"))
		err = parse_typedef(ps);
	else
		err = ctf_parse_type(ps, &type);
	return err ?: ctf_want(ps, ';', "';'");
}
