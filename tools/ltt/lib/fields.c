// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: fields that are declared once, for several events.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "metadata.h"

/**
 * struct fields - "struct NAME { ... };" in the metadata
 * @name:	by which events refer to it
 * @shared:	what those events have
 * @nr_types:	entries of @types
 * @types:	of what is in the format
 */
struct fields {
	char *name;
	struct lib_fields *shared;
	int nr_types;
	u32 types[];
};

/**
 * lib_fields_create() - make fields of a format
 * @text:	the format, allocated; taken, also on failure
 *
 * Return: the fields with one user, or NULL: no memory.
 */
struct lib_fields *lib_fields_create(char *text)
{
	struct lib_fields *fields = calloc(1, sizeof(*fields));

	if (!fields) {
		free(text);
		return NULL;
	}
	fields->users = 1;
	fields->text = text;
	return fields;
}

/**
 * lib_fields_put() - a user of fields has gone
 * @fields:	the fields, or NULL
 */
void lib_fields_put(struct lib_fields *fields)
{
	if (!fields || --fields->users)
		return;
	ltt_format_free(fields->format);
	free(fields->text);
	free(fields);
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct fields *)a)->name, ((const struct fields *)b)->name);
}

static void free_fields(void *node)
{
	struct fields *fields = node;

	free(fields->name);
	lib_fields_put(fields->shared);
	free(fields);
}

/**
 * lib_fields_declare() - keep fields for the events that have them
 * @ps:		what was declared; format and types may be missing: then it is a
 *		structure that has no events
 * @name:	its name, allocated; taken, also on failure
 *
 * Return: 0; -EBADMSG: half of it is missing, or there is such a structure already;
 * -ENOMEM.
 */
int lib_fields_declare(struct lib_parser *ps, char *name)
{
	const size_t size = max(ps->nr_types, 0) * sizeof(ps->types[0]);
	struct fields *fields, **found;

	if (!ps->format && ps->nr_types < 0) {
		free(name);
		return 0;
	}
	fields = calloc(1, sizeof(*fields) + size);
	if (!fields) {
		free(name);
		return lib_parse_no_memory(ps);
	}
	fields->name = name;
	if (!ps->format || ps->nr_types < 0) {
		free_fields(fields);
		return lib_parse_fail(ps, "fields without ltt-types or ltt-format");
	}
	fields->shared = lib_fields_create(ps->format);
	ps->format = NULL;
	if (!fields->shared) {
		free_fields(fields);
		return lib_parse_no_memory(ps);
	}
	fields->nr_types = ps->nr_types;
	memcpy(fields->types, ps->types, size);

	found = tsearch(fields, &ps->fields, compare);
	if (found && *found == fields)
		return 0;
	free_fields(fields);
	return found ? lib_parse_fail(ps, "duplicate structure") :
		       lib_parse_no_memory(ps);
}

/**
 * lib_fields_expand() - count what an event has of a format that is declared elsewhere
 * @ps:		where
 * @len:	bytes of the format
 *
 * Each event has a text of its own to be rendered with. If a few bytes could give it any
 * number of long ones, a small file would need all memory.
 *
 * Return: 0, or -EBADMSG: no kernel has that much.
 */
int lib_fields_expand(struct lib_parser *ps, size_t len)
{
	ps->expanded += len;
	return ps->expanded <= LIB_EXPANDED_MAX ? 0 :
	       lib_parse_fail(ps, "events with too many fields in common");
}

/**
 * lib_fields_use() - give the event that is being declared its fields
 * @ps:		where; fields and types are filled in if there is such a structure
 * @name:	the structure's name, allocated; taken, also on failure
 *
 * Return: 0, or -EBADMSG, see lib_fields_expand().
 */
int lib_fields_use(struct lib_parser *ps, char *name)
{
	const struct fields key = { .name = name };
	struct fields **found = tfind(&key, &ps->fields, compare);

	free(name);
	if (!found)
		return 0;
	free(ps->format);
	ps->format = NULL;
	lib_fields_put(ps->used);
	ps->used = (*found)->shared;
	ps->used->users++;
	ps->nr_types = (*found)->nr_types;
	memcpy(ps->types, (*found)->types, ps->nr_types * sizeof(ps->types[0]));
	return lib_fields_expand(ps, strlen(ps->used->text));
}

/**
 * lib_fields_free() - forget all fields
 * @ps:		where
 */
void lib_fields_free(struct lib_parser *ps)
{
	tdestroy(ps->fields, free_fields);
	ps->fields = NULL;
}
