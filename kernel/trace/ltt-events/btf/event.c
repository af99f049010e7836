// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: tracepoints in BTF: what their arguments are.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "access.h"

/* Is an argument passed as integers are? Structures that could be one are. */
static bool in_register(const struct ltt_btf_value *value)
{
	return value->kind == LTT_BTF_INT || value->kind == LTT_BTF_PTR ||
	       ltt_btf_is_word(value);
}

/**
 * ltt_btf_event_of() - what is known of a tracepoint
 * @btf:	the types
 * @id:		number of the tracepoint's function or type
 * @event:	receives it
 *
 * Context: any.
 * Return: 0; -EBADMSG: this is no tracepoint's; -E2BIG: it has more arguments than
 * probes have; -EOPNOTSUPP: one of them is not passed as integers are: a structure of
 * another size than those, or more than 8 bytes.
 */
int ltt_btf_event_of(const struct ltt_btf *btf, u32 id, struct ltt_btf_event *event)
{
	struct ltt_btf_value value;
	unsigned int i;
	int err;

	event->btf = btf;
	event->param = ltt_btf_params(btf, id, &event->nr);
	/* The first one is the probe's. */
	if (!event->param || !event->nr ||
	    ltt_btf_value(btf, event->param->type, &value) || value.kind != LTT_BTF_PTR)
		return -EBADMSG;
	event->param++;
	event->nr--;
	if (event->nr > LTT_BTF_PARAMS)
		return -E2BIG;
	for (i = 0; i < event->nr; i++) {
		err = ltt_btf_value(btf, event->param[i].type, &value);
		if (err)
			return err;
		if (!in_register(&value))
			return -EOPNOTSUPP;
	}
	return 0;
}

/**
 * ltt_btf_find_event() - look for a tracepoint
 * @btf:	the types; those of the module if it is a module's
 * @name:	its name
 * @event:	receives what is known of it
 *
 * Context: any.
 * Return: 0; -ENOENT: there is nothing of this name; what ltt_btf_event_of() returns.
 */
int ltt_btf_find_event(const struct ltt_btf *btf, const char *name,
		       struct ltt_btf_event *event)
{
	size_t function = strlen(LTT_BTF_FUNCTION), other = strlen(LTT_BTF_TYPEDEF);
	const struct btf_type *type;
	u32 id, found = 0;
	const char *text;

	for (id = btf->first_id; id < ltt_btf_end(btf); id++) {
		type = ltt_btf_type(btf, id);
		text = ltt_btf_name(btf, type->name_off);
		switch (BTF_INFO_KIND(type->info)) {
		case BTF_KIND_FUNC:
			if (!strncmp(text, LTT_BTF_FUNCTION, function) &&
			    !strcmp(text + function, name))
				return ltt_btf_event_of(btf, id, event);
			break;
		case BTF_KIND_TYPEDEF:
			if (!strncmp(text, LTT_BTF_TYPEDEF, other) &&
			    !strcmp(text + other, name))
				found = id;
			break;
		}
	}
	return found ? ltt_btf_event_of(btf, found, event) : -ENOENT;
}

/**
 * ltt_btf_param_name() - name of an argument
 * @event:	the tracepoint
 * @i:		which argument, from 0
 * @buf:	room for a name that is made up: arg1 is the first one
 *
 * Context: any.
 */
const char *ltt_btf_param_name(const struct ltt_btf_event *event, unsigned int i,
			       char buf[LTT_BTF_ARG_NAME])
{
	const char *name = ltt_btf_name(event->btf, event->param[i].name_off);

	if (*name)
		return name;
	snprintf(buf, LTT_BTF_ARG_NAME, "arg%u", i + 1);
	return buf;
}

/**
 * ltt_btf_param() - record an argument of a tracepoint as it is
 * @event:	the tracepoint
 * @i:		which argument, from 0
 * @arg:	filled with zeros; receives the program
 *
 * Context: any.
 * Return: 0; -ENAMETOOLONG; -EBADMSG.
 */
int ltt_btf_param(const struct ltt_btf_event *event, unsigned int i, struct ltt_fetch *arg)
{
	struct ltt_btf_value value;
	char buf[LTT_BTF_ARG_NAME];
	const char *name;
	int err;

	err = ltt_btf_value(event->btf, event->param[i].type, &value);
	if (err)
		return err;
	name = ltt_btf_param_name(event, i, buf);
	if (strlen(name) > LTT_KPROBE_NAME_MAX)
		return -ENAMETOOLONG;
	snprintf(arg->name, sizeof(arg->name), "%s", name);
	arg->from = LTT_FROM_ARG;
	arg->where = i;
	arg->as = value.kind == LTT_BTF_PTR ? LTT_AS_PTR : LTT_AS_INT;
	arg->size = value.size;
	arg->is_signed = value.is_signed;
	arg->hex = value.kind == LTT_BTF_STRUCT;
	return 0;
}
