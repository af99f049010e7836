// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the values of events that make them a pair.
 *
 * An encoded value is a byte that tells its kind, then
 *
 *	n	8 bytes, a negative number
 *	s	4 bytes and as many as they say, a string
 *	u	8 bytes, a number that is not negative
 *
 * all big-endian: so groups are shown in the order of numbers.
 */
#include <endian.h>
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/ltt/escape.h>

#include "../common/printable.h"
#include "pair.h"

/* ---- names ------------------------------------------------------------------- */

static bool is_name(const char *text)
{
	size_t len;

	text += *text == '$';
	len = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.");
	return len && !text[len];
}

/* One name, or with @both two with "=" between. */
static int add_name(struct pair_names *names, char *text, bool both)
{
	char *equals = both ? strchr(text, '=') : NULL;
	char *end = equals ? equals + 1 : text;

	if (equals)
		*equals = '\0';
	if (!is_name(text) || !is_name(end))
		return -EINVAL;
	names->begin[names->nr] = strdup(text);
	names->end[names->nr] = strdup(end);
	names->nr++;
	return names->begin[names->nr - 1] && names->end[names->nr - 1] ? 0 : -ENOMEM;
}

/**
 * pair_names_parse() - read a list of fields
 * @names:	receives them, to be freed by pair_names_free(), also on failure; none before
 * @text:	names with commas between
 * @both:	a name can be BEGIN=END
 *
 * Return: 0; -EINVAL: that is no such list; -ENOMEM.
 */
int pair_names_parse(struct pair_names *names, const char *text, bool both)
{
	char *copy = strdup(text), *rest = copy, *name;
	size_t room = 1;
	int err = 0;

	for (; *text; text++)
		room += *text == ',';
	names->begin = calloc(room, sizeof(*names->begin));
	names->end = calloc(room, sizeof(*names->end));
	if (!copy || !names->begin || !names->end)
		err = -ENOMEM;
	while (!err && (name = strsep(&rest, ",")))
		err = add_name(names, name, both);
	free(copy);
	return err;
}

/**
 * pair_names_free() - free a list of fields
 * @names:	the fields
 */
void pair_names_free(struct pair_names *names)
{
	unsigned int i;

	for (i = 0; i < names->nr; i++) {
		free(names->begin[i]);
		free(names->end[i]);
	}
	free(names->begin);
	free(names->end);
	memset(names, 0, sizeof(*names));
}

static bool is_cpu(const char *name)
{
	return !strcmp(name, "cpu") || !strcmp(name, "$cpu");
}

/**
 * pair_names_cpu() - is the CPU of both events among the fields?
 * @names:	the fields
 *
 * Unless one of the events has a field of that name.
 */
bool pair_names_cpu(const struct pair_names *names)
{
	unsigned int i;

	for (i = 0; i < names->nr; i++) {
		if (is_cpu(names->begin[i]) && is_cpu(names->end[i]))
			return true;
	}
	return false;
}

/* Number of a field, PAIR_CPU, or -ENOENT. */
static int find(const struct libltt_class *class, const char *name)
{
	unsigned int context = class->nr_fields - class->nr_context;
	unsigned int i = *name == '$' ? context : 0;
	unsigned int end = *name == '$' ? class->nr_fields : context;
	struct libltt_value value;

	for (; i < end; i++) {
		if (!libltt_class_field(class, i, &value) &&
		    !strcmp(value.name, name + (*name == '$')))
			return i;
	}
	return is_cpu(name) ? PAIR_CPU : -ENOENT;
}

/**
 * pair_names_find() - find fields of a kind of event
 * @names:	their names
 * @nr:		how many
 * @class:	the kind of event
 * @found:	returns their numbers, allocated
 *
 * Says what is wrong.
 *
 * Return: 0 or a negative errno.
 */
int pair_names_find(char *const *names, unsigned int nr, const struct libltt_class *class,
		    int **found)
{
	struct libltt_value value;
	unsigned int i;

	*found = calloc(nr ?: 1, sizeof(**found));
	if (!*found) {
		warnx("out of memory");
		return -ENOMEM;
	}
	for (i = 0; i < nr; i++) {
		(*found)[i] = find(class, names[i]);
		if ((*found)[i] == -ENOENT) {
			printable_say(program_invocation_short_name, "%s.%s has no %s '%s'",
				      class->channel, class->marker,
				      *names[i] == '$' ? "context" : "field", names[i]);
			return -ENOENT;
		}
		if ((*found)[i] == PAIR_CPU)
			continue;
		libltt_class_field(class, (*found)[i], &value);
		if (value.type == LIBLTT_ARRAY || value.type == LIBLTT_DOUBLE ||
		    value.type == LIBLTT_DOUBLES) {
			printable_say(program_invocation_short_name, "%s.%s: '%s' is %s",
				      class->channel, class->marker, names[i],
				      value.type == LIBLTT_DOUBLE ? "a floating-point number" :
				      "an array");
			return -EINVAL;
		}
	}
	return 0;
}

/* ---- values ------------------------------------------------------------------ */

static uint8_t *more(struct pair_bytes *bytes, size_t len)
{
	size_t room = bytes->room;
	uint8_t *data;

	if (bytes->len + len > room) {
		room = 2 * (bytes->len + len);
		data = realloc(bytes->data, room);
		if (!data)
			return NULL;
		bytes->data = data;
		bytes->room = room;
	}
	bytes->len += len;
	return bytes->data + bytes->len - len;
}

static int put_number(struct pair_bytes *bytes, uint64_t value, bool negative)
{
	uint64_t big = htobe64(value);
	uint8_t *to = more(bytes, 1 + sizeof(big));

	if (!to)
		return -ENOMEM;
	*to = negative ? 'n' : 'u';
	memcpy(to + 1, &big, sizeof(big));
	return 0;
}

static int put_string(struct pair_bytes *bytes, const void *data, size_t len)
{
	uint32_t big = htobe32(len);
	uint8_t *to = more(bytes, 1 + sizeof(big) + len);

	if (!to)
		return -ENOMEM;
	*to = 's';
	memcpy(to + 1, &big, sizeof(big));
	memcpy(to + 1 + sizeof(big), data, len);
	return 0;
}

static int put_value(struct pair_bytes *bytes, const struct libltt_value *value)
{
	switch (value->type) {
	case LIBLTT_UNSIGNED:
		return put_number(bytes, value->u, false);
	case LIBLTT_SIGNED:
		return put_number(bytes, value->u, value->i < 0);
	case LIBLTT_STRING:
		return put_string(bytes, value->text, value->count);
	case LIBLTT_BYTES:
		return put_string(bytes, value->bytes, value->count);
	default:
		return -EINVAL;
	}
}

/**
 * pair_encode() - encode values of an event
 * @bytes:	receives them, and nothing else
 * @event:	the event
 * @fields:	numbers of the fields
 * @nr:		how many
 *
 * Return: 0; -EINVAL: it does not have them; -ENOMEM.
 */
int pair_encode(struct pair_bytes *bytes, const struct pair_event *event, const int *fields,
		unsigned int nr)
{
	struct libltt_value value;
	unsigned int i;
	int err = 0;

	bytes->len = 0;
	for (i = 0; i < nr && !err; i++) {
		if (fields[i] == PAIR_CPU)
			err = put_number(bytes, event->cpu, false);
		else
			err = event->field(event, fields[i], &value) ?: put_value(bytes, &value);
	}
	return err;
}

static void show_string(const uint8_t *text, size_t len)
{
	char escaped[LTT_ESCAPE_MAX];
	unsigned int used;

	putchar('"');
	for (; len; len -= used, text += used) {
		if (*text == '"')
			putchar('\\');
		fwrite(escaped, 1, ltt_escape_char(escaped, text, len, &used), stdout);
	}
	putchar('"');
}

/**
 * pair_show_values() - show encoded values with their names
 * @names:	the names
 * @data:	the values
 * @len:	bytes of them
 */
void pair_show_values(const struct pair_names *names, const uint8_t *data, size_t len)
{
	const uint8_t *end = data + len;
	uint64_t number;
	uint32_t count;
	unsigned int i;
	uint8_t kind;

	for (i = 0; i < names->nr && data < end; i++) {
		printf(" %s=", names->begin[i]);
		kind = *data++;
		if (kind == 's') {
			memcpy(&count, data, sizeof(count));
			data += sizeof(count);
			count = be32toh(count);
			show_string(data, count);
			data += count;
			continue;
		}
		memcpy(&number, data, sizeof(number));
		data += sizeof(number);
		number = be64toh(number);
		if (kind == 'n')
			printf("%" PRId64, (int64_t)number);
		else
			printf("%" PRIu64, number);
	}
}
