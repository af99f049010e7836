// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: names of types in the metadata of other tracers.
 *
 * A structure, variant or enumeration has its word before the name, as where it is used, so that
 * it may have the name of another type.
 */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"

/**
 * struct name - a name of a type
 * @text:	the name
 * @type:	the type
 */
struct name {
	const char *text;
	const struct ctf_type *type;
};

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

/* The memory is the trace's. */
static void keep(void *name)
{
	(void)name;
}

/**
 * ctf_declare() - give a type a name, up to the end of the braces
 * @ps:		where
 * @name:	the name
 * @type:	the type
 * @place:	of the name, for the message
 *
 * Return: 0; -EBADMSG: there is such a name in these braces; -ENOMEM.
 */
int ctf_declare(struct ctf_parser *ps, const char *name, const struct ctf_type *type, u32 place)
{
	struct name *new = ctf_alloc(ps->trace, sizeof(*new)), **found;

	if (!new)
		return ctf_no_memory(ps->trace);
	new->text = ctf_keep(ps, name);
	new->type = type;
	if (!new->text)
		return ctf_no_memory(ps->trace);
	found = tsearch(new, &ps->names->tree, compare);
	if (!found)
		return ctf_no_memory(ps->trace);
	return *found == new ? 0 : ctf_fail(ps->trace, place, "duplicate type '%s'", name);
}

/**
 * ctf_find() - look up a name of a type
 * @ps:		where
 * @name:	the name
 *
 * Return: the type, or NULL.
 */
const struct ctf_type *ctf_find(const struct ctf_parser *ps, const char *name)
{
	const struct name key = { .text = name };
	const struct ctf_scope_names *names;
	struct name **found;

	for (names = ps->names; names; names = names->up) {
		found = tfind(&key, &names->tree, compare);
		if (found)
			return (*found)->type;
	}
	return NULL;
}

/**
 * ctf_enter() - begin with a pair of braces
 * @ps:		where
 * @names:	for the names in it
 */
void ctf_enter(struct ctf_parser *ps, struct ctf_scope_names *names)
{
	names->tree = NULL;
	names->up = ps->names;
	ps->names = names;
}

/**
 * ctf_leave() - forget the names in a pair of braces
 * @ps:		where
 */
void ctf_leave(struct ctf_parser *ps)
{
	tdestroy(ps->names->tree, keep);
	ps->names = ps->names->up;
}
