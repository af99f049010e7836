// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: fields of events of other tracers, each in its place, and what they depend on.
 *
 * The length of a sequence and the tag of a variant are fields that are read before: of the
 * structures around it, from the innermost, then of the scopes before its own, from the last. If
 * the path begins with the name of a scope it is in that.
 */
#include <errno.h>
#include <linux/kernel.h>
#include <stdlib.h>
#include <string.h>

#include "ctf.h"

/* Choices of a variant: each is an alternative, and a label. */
#define CHOICES_MAX	65536u

static const char *const scope_names[CTF_NR_SCOPES] = {
	[CTF_PACKET_HEADER] = "trace.packet.header.",
	[CTF_PACKET_CONTEXT] = "stream.packet.context.",
	[CTF_EVENT_HEADER] = "stream.event.header.",
	[CTF_STREAM_EVENT_CONTEXT] = "stream.event.context.",
	[CTF_EVENT_CONTEXT] = "event.context.",
	[CTF_EVENT_FIELDS] = "event.fields.",
};

/* ---- what a path leads to ---------------------------------------------------------- */

/* The field of @in with the name that @path begins with. */
static struct ctf_node *find_child(const struct ctf_node *in, const char *path, size_t len)
{
	struct ctf_node *node;

	if (!in || in->type->kind != CTF_STRUCT)
		return NULL;
	for (node = in->child; node; node = node->next) {
		if (strlen(node->name) == len && !memcmp(node->name, path, len))
			return node;
	}
	return NULL;
}

/* Down from @in. @begun: the first name is there. */
static struct ctf_node *descend(const struct ctf_node *in, const char *path, bool *begun)
{
	struct ctf_node *node = NULL;
	size_t len;

	for (;;) {
		len = strcspn(path, ".");
		node = find_child(in, path, len);
		if (!node)
			return NULL;
		*begun = true;
		if (!path[len])
			return node;
		path += len + 1;
		in = node;
	}
}

/* @node is not yet among the fields of what it is in. */
static struct ctf_node *follow(const struct ctf_scopes *scopes, enum ctf_scope scope,
			       const struct ctf_node *node, const char *path)
{
	const struct ctf_node *up;
	struct ctf_node *found;
	bool begun = false;
	size_t len;
	int i;

	for (i = 0; i < CTF_NR_SCOPES; i++) {
		len = strlen(scope_names[i]);
		if (strncmp(path, scope_names[i], len))
			continue;
		/* Later ones are still those of another event. */
		if (i > (int)scope)
			return NULL;
		return descend(scopes->root[i], path + len, &begun);
	}
	for (up = node->up; up; up = up->up) {
		found = descend(up, path, &begun);
		if (begun)
			return found;
	}
	for (i = (int)scope - 1; i >= 0; i--) {
		found = descend(scopes->root[i], path, &begun);
		if (begun)
			return found;
	}
	return NULL;
}

static int refer(struct ctf_scopes *scopes, enum ctf_scope scope, struct ctf_node *node,
		 struct ctf_node **target)
{
	const struct ctf_type *type = node->type;
	struct ctf_node *found;

	/* Only where it is used: a variant of a name gets its tag there. */
	if (!type->path)
		return ctf_fail(scopes->trace, type->place, "variant without a tag");
	found = follow(scopes, scope, node, type->path);
	if (!found)
		return ctf_fail(scopes->trace, type->place, "'%s' is no field before this one",
				type->path);
	if (found->type->kind != CTF_INT && found->type->kind != CTF_ENUM)
		return ctf_fail(scopes->trace, type->place, "'%s' is no integer", type->path);
	found->shared = found->slot;
	if (!found->slot) {
		if (scopes->trace->nr_slots == CTF_SLOTS_MAX)
			return ctf_fail(scopes->trace, type->place,
					"too many lengths and tags");
		found->slot = scopes->trace->nr_slots++;
	}
	node->from = found->slot;
	*target = found;
	return 0;
}

/* ---- variants --------------------------------------------------------------------- */

static const char *bare(const char *name)
{
	return name + (*name == '_');
}

/* Tracers write a "_" before names that they do not before labels. */
static struct ctf_node *find_option(const struct ctf_node *variant, const char *label)
{
	struct ctf_node *option;

	for (option = variant->child; option; option = option->next) {
		if (!strcmp(option->name, label))
			return option;
	}
	for (option = variant->child; option; option = option->next) {
		if (!strcmp(bare(option->name), bare(label)))
			return option;
	}
	return NULL;
}

static int make_choices(struct ctf_scopes *scopes, struct ctf_node *node,
			const struct ctf_node *tag)
{
	const struct ctf_label *label;
	struct ctf_node *option;
	unsigned int nr = 0;

	if (tag->type->kind != CTF_ENUM)
		return ctf_fail(scopes->trace, node->type->place, "the tag '%s' is no enumeration",
				node->type->path);
	for (label = tag->type->labels; label; label = label->next)
		nr++;
	/* Each label looks at each option. */
	if (nr > CHOICES_MAX || (u64)nr * node->nr_choices > (u64)CHOICES_MAX * 16)
		return ctf_fail(scopes->trace, node->type->place, "variant of too many options");
	scopes->trace->expanded += (nr + 1) * sizeof(*node->choices);
	if (scopes->trace->expanded > LIB_EXPANDED_MAX)
		return ctf_fail(scopes->trace, node->type->place,
				"too many options of all variants");
	node->nr_choices = 0;
	node->tag_signed = tag->type->is_signed;
	node->choices = ctf_alloc(scopes->trace, (nr + 1) * sizeof(*node->choices));
	if (!node->choices)
		return ctf_no_memory(scopes->trace);
	for (label = tag->type->labels; label; label = label->next) {
		option = find_option(node, label->name);
		if (option)
			node->choices[node->nr_choices++] = (struct ctf_choice){
				.low = label->low, .high = label->high, .option = option,
			};
	}
	return 0;
}

/**
 * ctf_is_in() - is a value one of a range?
 * @is_signed:	they have signs
 * @value:	the value
 * @low:	the first of the range
 * @high:	the last one
 */
bool ctf_is_in(bool is_signed, u64 value, u64 low, u64 high)
{
	if (is_signed)
		return (s64)low <= (s64)value && (s64)value <= (s64)high;
	return low <= value && value <= high;
}

/* ---- fields ------------------------------------------------------------------------ */

/**
 * ctf_is_number() - is it an integer, enumeration or floating-point number?
 * @type:	the type
 */
bool ctf_is_number(const struct ctf_type *type)
{
	return type->kind == CTF_INT || type->kind == CTF_ENUM || type->kind == CTF_FLOAT;
}

/* LTT's "__NAME_length" before "_NAME", which is not shown. */
static bool is_length(const struct ctf_trace *trace, const struct ctf_node *node)
{
	const size_t len = strlen(node->name), ends = strlen("_length");
	const struct ctf_member *member = node->up->type->members;

	if (!trace->lib->by_ltt || node->type->kind != CTF_INT || len < ends + 2 ||
	    strcmp(node->name + len - ends, "_length"))
		return false;
	while (strcmp(member->name, node->name))
		member = member->next;
	member = member->next;
	return member && strlen(member->name) == len - ends - 1 &&
	       !memcmp(member->name, node->name + 1, len - ends - 1);
}

/* The only clock is that of what is called a time of packets and events. */
static enum ctf_role role_of(const struct ctf_trace *trace, enum ctf_scope scope,
			     const struct ctf_node *node)
{
	static const struct {
		enum ctf_scope scope;
		const char *name;
		enum ctf_role role;
	} known[] = {
		{ CTF_PACKET_HEADER, "magic", CTF_MAGIC },
		{ CTF_PACKET_HEADER, "stream_id", CTF_STREAM_ID },
		{ CTF_PACKET_CONTEXT, "timestamp_begin", CTF_BEGIN },
		{ CTF_PACKET_CONTEXT, "timestamp_end", CTF_END },
		{ CTF_PACKET_CONTEXT, "content_size", CTF_CONTENT_SIZE },
		{ CTF_PACKET_CONTEXT, "packet_size", CTF_PACKET_SIZE },
		{ CTF_PACKET_CONTEXT, "events_discarded", CTF_DISCARDED },
		{ CTF_PACKET_CONTEXT, "packet_seq_num", CTF_NUMBER },
		{ CTF_PACKET_CONTEXT, "cpu_id", CTF_CPU },
		/* As babeltrace2 writes it. */
		{ CTF_PACKET_CONTEXT, "_cpu_id", CTF_CPU },
		{ CTF_EVENT_HEADER, "id", CTF_ID },
	};
	const struct ctf_type *type = node->type;
	unsigned int i;

	if (scope > CTF_EVENT_HEADER && is_length(trace, node))
		return CTF_LENGTH;
	/* Anywhere in the header, but of the packets' only what is not in something else. */
	if (scope > CTF_EVENT_HEADER || (scope < CTF_EVENT_HEADER && node->up->up))
		return CTF_NO_ROLE;
	if (scope == CTF_PACKET_HEADER && type->kind == CTF_ARRAY && !strcmp(node->name, "uuid") &&
	    type->count == LTT_UUID_SIZE && type->element->kind == CTF_INT &&
	    type->element->bits == 8 && type->element->align <= 8)
		return CTF_UUID;
	if (type->kind != CTF_INT && type->kind != CTF_ENUM)
		return CTF_NO_ROLE;
	if (scope == CTF_EVENT_HEADER &&
	    (type->clock || (trace->clocks && !trace->clocks->next &&
			     !strcmp(node->name, "timestamp"))))
		return CTF_TIME;
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		if (known[i].scope == scope && !strcmp(known[i].name, node->name))
			return known[i].role;
	}
	return CTF_NO_ROLE;
}

static int add_node(struct ctf_scopes *scopes, enum ctf_scope scope, struct ctf_node *up,
		    const char *name, const struct ctf_type *type, struct ctf_node **out);

/* The node comes to the others when all in it is there. */
static void append(struct ctf_node *up, struct ctf_node *node)
{
	if (up->last)
		up->last->next = node;
	else
		up->child = node;
	up->last = node;
}

static int add_members(struct ctf_scopes *scopes, enum ctf_scope scope, struct ctf_node *node)
{
	const struct ctf_member *member;
	struct ctf_node *child;
	int err;

	for (member = node->type->members; member; member = member->next) {
		err = add_node(scopes, scope, node, member->name, member->type, &child);
		if (err)
			return err;
		append(node, child);
		node->nr_choices++;
	}
	return 0;
}

static int fill_node(struct ctf_scopes *scopes, enum ctf_scope scope, struct ctf_node *node)
{
	struct ctf_node *target = NULL, *child;
	int err;

	switch (node->type->kind) {
	case CTF_STRUCT:
		return add_members(scopes, scope, node);
	case CTF_VARIANT:
		return refer(scopes, scope, node, &target) ?: add_members(scopes, scope, node) ?:
		       make_choices(scopes, node, target);
	case CTF_SEQUENCE:
		err = refer(scopes, scope, node, &target);
		if (err)
			return err;
		break;
	case CTF_ARRAY:
		break;
	default:
		return 0;
	}
	err = add_node(scopes, scope, node, NULL, node->type->element, &child);
	if (!err)
		append(node, child);
	return err;
}

static int add_node(struct ctf_scopes *scopes, enum ctf_scope scope, struct ctf_node *up,
		    const char *name, const struct ctf_type *type, struct ctf_node **out)
{
	struct ctf_node *node = ctf_alloc(scopes->trace, sizeof(*node));

	if (!node)
		return ctf_no_memory(scopes->trace);
	if (++scopes->nr > CTF_FIELDS_MAX)
		return ctf_fail(scopes->trace, type->place, "more than %u fields",
				CTF_FIELDS_MAX);
	if (++scopes->trace->nr_nodes > CTF_NODES_MAX)
		return ctf_fail(scopes->trace, type->place, "too many fields of all events");
	node->type = type;
	node->name = name;
	node->up = up;
	node->be = type->order == CTF_NATIVE ? scopes->trace->be : type->order == CTF_BE;
	if (name)
		node->role = role_of(scopes->trace, scope, node);
	*out = node;
	return fill_node(scopes, scope, node);
}

/**
 * ctf_resolve() - find out all fields of a scope
 * @scopes:	what is known of those before; gets @scope
 * @scope:	the scope
 * @type:	its type, NULL: there are none
 *
 * Return: 0, -EBADMSG or -ENOMEM.
 */
int ctf_resolve(struct ctf_scopes *scopes, enum ctf_scope scope, const struct ctf_type *type)
{
	scopes->root[scope] = NULL;
	scopes->nr = 0;
	return type ? add_node(scopes, scope, NULL, NULL, type, &scopes->root[scope]) : 0;
}

static u32 roles_in(const struct ctf_node *node)
{
	u32 roles = 1u << node->role;

	for (node = node->child; node; node = node->next)
		roles |= roles_in(node);
	return roles;
}

/**
 * ctf_roles() - which values that mean something are there?
 * @root:	the scope, or NULL
 *
 * Return: a bit for each enum ctf_role.
 */
u32 ctf_roles(const struct ctf_node *root)
{
	return root ? roles_in(root) : 0;
}
