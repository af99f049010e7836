// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: export: kinds of events: which message they are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>
#include <linux/ltt/escape.h>

#include "../common/printable.h"
#include "export.h"

/* The first number that the trace may give to messages that it describes. */
#define DESCRIBED_FIRST	65536u

/* Perfetto takes this many fields of one. */
#define FIELDS_MAX	32u

/**
 * struct known - an event that Perfetto has a message for
 * @name:	of the marker
 * @number:	of the message in FtraceEvent
 * @fields:	their names, in the order of their numbers from 1 on; "-": none of ours
 */
struct known {
	const char *name;
	unsigned int number;
	const char *fields;
};

static const struct known known[] = {
	{ "sched.sched_switch", 4,
	  "prev_comm prev_pid prev_prio prev_state next_comm next_pid next_prio" },
	{ "sched.sched_wakeup", 17, "comm pid prio success target_cpu" },
	{ "sched.sched_waking", 20, "comm pid prio success target_cpu" },
	{ "sched.sched_wakeup_new", 114, "comm pid prio success target_cpu" },
	{ "sched.sched_process_exec", 237, "filename pid old_pid" },
	{ "sched.sched_process_exit", 238, "comm pid tgid prio" },
	{ "sched.sched_process_fork", 239, "parent_comm parent_pid child_comm child_pid" },
	{ "sched.sched_process_free", 240, "comm pid prio" },
	{ "task.task_newtask", 235, "pid comm clone_flags oom_score_adj" },
	{ "task.task_rename", 236, "pid oldcomm newcomm oom_score_adj" },
	{ "irq.irq_handler_entry", 36, "irq name" },
	{ "irq.irq_handler_exit", 37, "irq ret" },
	{ "irq.softirq_entry", 24, "vec" },
	{ "irq.softirq_exit", 25, "vec" },
	{ "irq.softirq_raise", 26, "vec" },
	{ "raw_syscalls.sys_enter", 329, "id args" },
	{ "raw_syscalls.sys_exit", 330, "id ret" },
	{ "power.cpu_frequency", 11, "state cpu_id" },
	{ "power.cpu_idle", 13, "state cpu_id" },
};

/* Types of fields in descriptions. */
enum {
	TYPE_INT64 = 3,
	TYPE_UINT64 = 4,
	TYPE_STRING = 9,
};

/**
 * struct kinds - all kinds of events
 * @kind:	by trace, stream and id, as libltt_class() goes through them
 * @nr:		how many
 * @most_fields: that any has
 */
struct kinds {
	struct kind *kind;
	size_t nr;
	unsigned int most_fields;
};

/**
 * kind_field() - find a field
 * @class:	the kind of event
 * @name:	the field's name
 * @context:	look among the contexts
 *
 * Return: its number, or KIND_NO_FIELD.
 */
int kind_field(const struct libltt_class *class, const char *name, bool context)
{
	unsigned int own = class->nr_fields - class->nr_context;
	unsigned int end = context ? class->nr_fields : own;
	struct libltt_value value;
	unsigned int i;

	for (i = context ? own : 0; i < end; i++) {
		if (!libltt_class_field(class, i, &value) && !strcmp(value.name, name))
			return i;
	}
	return KIND_NO_FIELD;
}

static bool is_integer(const struct libltt_class *class, int field)
{
	struct libltt_value value;

	return field >= 0 && !libltt_class_field(class, field, &value) &&
	       (value.type == LIBLTT_UNSIGNED || value.type == LIBLTT_SIGNED);
}

/**
 * kind_integer() - an integer of an event
 * @values:	its fields
 * @field:	number of the field
 *
 * Return: its value, 0 if it is none.
 */
uint64_t kind_integer(const struct libltt_value *values, int field)
{
	if (field < 0)
		return 0;
	return values[field].type == LIBLTT_UNSIGNED || values[field].type == LIBLTT_SIGNED ?
	       values[field].u : 0;
}

static const struct known *find_known(const struct libltt_class *class)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		if (libltt_matches(known[i].name, class->channel, class->marker))
			return &known[i];
	}
	return NULL;
}

/* Each field that the message has, by its name. */
static void number_known(struct kind *kind, const struct known *from)
{
	const char *p = from->fields;
	unsigned int number;
	char name[32];
	int field;

	for (number = 1; *p; number++) {
		size_t len = strcspn(p, " ");

		snprintf(name, sizeof(name), "%.*s", (int)len, p);
		field = kind_field(kind->class, name, false);
		if (field >= 0)
			kind->fields[field] = number;
		p += len + (p[len] == ' ');
	}
}

static bool matches(const char *pattern, const struct kind *kind)
{
	return libltt_matches(pattern, kind->class->channel, kind->class->marker);
}

static int track_name(struct kind *kind, const char *name, const char *field)
{
	free(kind->track_name);
	if (asprintf(&kind->track_name, "%s%s%s", name, field ? "." : "", field ?: "") < 0) {
		kind->track_name = NULL;
		return -1;
	}
	return 0;
}

/* Return: 0; -1: no memory, or not as the user says. */
static int find_track(struct kind *kind, const struct export_options *options)
{
	const struct libltt_class *class = kind->class;
	const char *key = NULL;
	unsigned int i;

	for (i = 0; i < options->nr_slices; i++) {
		const struct export_slice *slice = &options->slices[i];

		if (!matches(slice->begin, kind) && !matches(slice->end, kind))
			continue;
		kind->track = matches(slice->begin, kind) ? TRACK_BEGIN : TRACK_END;
		key = slice->key;
		if (track_name(kind, slice->begin, NULL))
			return -1;
	}
	for (i = 0; i < options->nr_counters; i++) {
		const struct export_counter *counter = &options->counters[i];

		if (!matches(counter->pattern, kind))
			continue;
		kind->track = TRACK_COUNTER;
		kind->track_value = kind_field(class, counter->field, false);
		key = counter->key;
		if (track_name(kind, class->marker, counter->field))
			return -1;
		if (!is_integer(class, kind->track_value)) {
			printable_say(options->in.command, "--counter: %s.%s has no integer %s",
				      class->channel, class->marker, counter->field);
			return -1;
		}
	}
	if (!key)
		return 0;
	kind->track_key = kind_field(class, key, false);
	if (is_integer(class, kind->track_key))
		return 0;
	if (!strcmp(key, "cpu")) {
		kind->track_key = KIND_CPU;
		return 0;
	}
	printable_say(options->in.command, "%s.%s has no integer %s", class->channel,
		      class->marker, key);
	return -1;
}

static enum kind_of what_becomes(const struct libltt_class *class)
{
	const char *exit = strrchr(class->marker, '_');

	if (!strcmp(class->channel, "syscalls"))
		return exit && !strcmp(exit, "_exit") ? KIND_RETURN : KIND_CALL;
	if (!strcmp(class->channel, "statedump") && !strcmp(class->marker, "process_state"))
		return KIND_PROCESS;
	return KIND_DESCRIBED;
}

static int init_kind(struct kind *kind, const struct libltt_class *class, unsigned int number,
		     const struct export_options *options)
{
	const struct known *from = find_known(class);
	struct libltt_value value;
	unsigned int i;

	kind->class = class;
	kind->track_key = KIND_NO_FIELD;
	kind->track_value = KIND_NO_FIELD;
	kind->next = KIND_NO_FIELD;
	kind->prev = KIND_NO_FIELD;
	kind->next_comm = KIND_NO_FIELD;
	kind->prev_comm = KIND_NO_FIELD;
	kind->tid = kind_field(class, "tid", true);
	kind->fields = calloc(class->nr_fields + 1, sizeof(*kind->fields));
	kind->as_text = calloc(class->nr_fields + 1, sizeof(*kind->as_text));
	if (!kind->fields || !kind->as_text || find_track(kind, options))
		return -1;
	if (from && !kind->track) {
		kind->of = KIND_KNOWN;
		kind->number = from->number;
		number_known(kind, from);
		kind->is_switch = from == &known[0];
		if (kind->is_switch) {
			kind->prev = kind_field(class, "prev_pid", false);
			kind->next = kind_field(class, "next_pid", false);
			kind->prev_comm = kind_field(class, "prev_comm", false);
			kind->next_comm = kind_field(class, "next_comm", false);
		}
		return 0;
	}
	kind->of = kind->track ? KIND_DESCRIBED : what_becomes(class);
	kind->number = number;
	/* Four more may follow, see put_track(). */
	for (i = 0; i < class->nr_fields && i < FIELDS_MAX - 4; i++) {
		kind->fields[i] = i + 1;
		kind->as_text[i] = !libltt_class_field(class, i, &value) &&
				   (value.type == LIBLTT_BYTES || value.type == LIBLTT_ARRAY ||
				    value.type == LIBLTT_DOUBLE || value.type == LIBLTT_DOUBLES);
		kind->has_text |= kind->as_text[i];
	}
	return 0;
}

/* Is it one that the user wants? */
static bool is_wanted(const struct kind *kind, const struct directory_options *in)
{
	bool wanted = !in->nr_patterns;
	unsigned int i;

	for (i = 0; i < in->nr_patterns; i++) {
		const char *pattern = in->patterns[i];

		if (matches(pattern + (*pattern == '!'), kind))
			wanted = *pattern != '!';
	}
	return wanted;
}

/**
 * kinds_create() - find out what becomes of all kinds of events
 * @ltt:	the traces; who runs is read, too, whatever the user selected
 * @options:	what the user asked for
 *
 * Return: the kinds, or NULL: no memory, or not as @options say, which was said.
 */
struct kinds *kinds_create(struct libltt *ltt, const struct export_options *options)
{
	struct kinds *kinds = calloc(1, sizeof(*kinds));
	const struct libltt_class *class = NULL;
	struct kind *more;

	if (!kinds)
		return NULL;
	while ((class = libltt_class(ltt, class))) {
		more = reallocarray(kinds->kind, kinds->nr + 1, sizeof(*more));
		if (!more)
			goto fail;
		kinds->kind = more;
		more += kinds->nr++;
		memset(more, 0, sizeof(*more));
		if (init_kind(more, class, DESCRIBED_FIRST + kinds->nr, options))
			goto fail;
		if (class->nr_fields > kinds->most_fields)
			kinds->most_fields = class->nr_fields;
		more->hidden = !is_wanted(more, &options->in);
	}
	if (options->in.nr_patterns && libltt_select(ltt, "sched.sched_switch", NULL))
		goto fail;
	return kinds;
fail:
	kinds_free(kinds);
	return NULL;
}

/**
 * kinds_free() - forget all kinds
 * @kinds:	the kinds, or NULL
 */
void kinds_free(struct kinds *kinds)
{
	size_t i;

	if (!kinds)
		return;
	for (i = 0; i < kinds->nr; i++) {
		free(kinds->kind[i].fields);
		free(kinds->kind[i].as_text);
		free(kinds->kind[i].track_name);
	}
	free(kinds->kind);
	free(kinds);
}

/**
 * kinds_most_fields() - the most fields that an event has
 * @kinds:	the kinds
 */
unsigned int kinds_most_fields(const struct kinds *kinds)
{
	return kinds->most_fields;
}

static int compare(const void *key, const void *entry)
{
	const struct libltt_class *a = key, *b = ((const struct kind *)entry)->class;

	if (a->trace != b->trace)
		return a->trace < b->trace ? -1 : 1;
	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/**
 * kinds_find() - what becomes of an event
 * @kinds:	the kinds
 * @class:	the kind of the event
 */
struct kind *kinds_find(const struct kinds *kinds, const struct libltt_class *class)
{
	return bsearch(class, kinds->kind, kinds->nr, sizeof(*kinds->kind), compare);
}

/* ---- messages ------------------------------------------------------------------ */

/**
 * kind_put_text() - write a string
 * @out:	the message
 * @number:	of the field
 * @text:	the string; strings of messages are UTF-8, so each other byte is shown as \xNN
 * @count:	bytes of it
 */
void kind_put_text(struct proto *out, unsigned int number, const uint8_t *text, size_t count)
{
	size_t i, len, done = 0, bad = 0;
	char *escaped, *p;

	for (i = 0; i < count; i += len ?: 1) {
		len = ltt_utf8_length(text + i, count - i);
		bad += !len;
	}
	if (!bad) {
		proto_bytes(out, number, text, count);
		return;
	}
	escaped = malloc(count + 3 * bad + 1);
	if (!escaped) {
		out->failed = true;
		return;
	}
	for (p = escaped; done < count; done += len ?: 1) {
		len = ltt_utf8_length(text + done, count - done);
		if (len)
			p = mempcpy(p, text + done, len);
		else
			p += sprintf(p, "\\x%02x", text[done]);
	}
	proto_bytes(out, number, escaped, p - escaped);
	free(escaped);
}

static void put_value(struct proto *out, unsigned int number, const struct libltt_value *value)
{
	size_t i;

	switch (value->type) {
	case LIBLTT_UNSIGNED:
	case LIBLTT_SIGNED:
		proto_uint(out, number, value->u);
		break;
	case LIBLTT_STRING:
	case LIBLTT_BYTES:
		kind_put_text(out, number, value->bytes, value->count);
		break;
	case LIBLTT_ARRAY:
		for (i = 0; i < value->count; i++)
			proto_uint(out, number, libltt_element(value, i));
		break;
	case LIBLTT_DOUBLE:
	case LIBLTT_DOUBLES:
		/* They are text. */
		break;
	}
}

/* Numbers of what makes slices and counters of events. */
enum {
	TRACK_EVENT = FIELDS_MAX - 3,	/* its type, or the counter's value */
	TRACK_SLICE,
	TRACK_NAME,
	TRACK_SCOPE,
};

static void put_track(struct proto *out, const struct kind *kind,
		      const struct libltt_event *event, const struct libltt_value *values)
{
	if (kind->track == TRACK_COUNTER) {
		proto_uint(out, TRACK_EVENT, kind_integer(values, kind->track_value));
	} else {
		proto_uint(out, TRACK_EVENT, kind->track);
		proto_string(out, TRACK_SLICE, kind->class->marker);
	}
	proto_string(out, TRACK_NAME, kind->track_name);
	if (kind->track_key == KIND_CPU)
		proto_uint(out, TRACK_SCOPE, event->cpu);
	else if (kind->track_key != KIND_NO_FIELD)
		proto_uint(out, TRACK_SCOPE, kind_integer(values, kind->track_key));
}

/**
 * kind_next() - the next field of a line
 * @line:	the fields; becomes the ones that follow
 * @word:	returns it, its value without quotes
 *
 * Return: false if there are no more.
 */
bool kind_next(struct kind_line *line, struct libltt_word *word)
{
	if (!libltt_split(&line->text, line->end, word))
		return false;
	if (word->len >= 2 && *word->value == '"') {
		word->value++;
		word->len -= 2;
	}
	return true;
}

/**
 * kind_put() - write the fields of an event
 * @out:	its message
 * @kind:	what becomes of it
 * @event:	the event
 * @values:	its fields
 * @line:	its fields in the style kv, if @kind->has_text
 */
void kind_put(struct proto *out, const struct kind *kind, const struct libltt_event *event,
	      const struct libltt_value *values, struct kind_line line)
{
	struct libltt_word word;
	unsigned int i;

	for (i = 0; i < kind->class->nr_fields; i++) {
		if (kind->has_text && !kind_next(&line, &word))
			break;
		if (!kind->fields[i])
			continue;
		if (kind->as_text[i])
			proto_bytes(out, kind->fields[i], word.value, word.len);
		else
			put_value(out, kind->fields[i], &values[i]);
	}
	if (kind->track)
		put_track(out, kind, event, values);
}

/* FieldDescriptorProto */
static void describe_field(struct proto *out, const char *prefix, const char *name,
			   unsigned int number, unsigned int type)
{
	size_t field = proto_begin(out, 2);
	char text[128];

	snprintf(text, sizeof(text), "%s%s", prefix, name);
	proto_string(out, 1, text);
	proto_uint(out, 3, number);
	proto_uint(out, 4, 1);		/* optional */
	proto_uint(out, 5, type);
	proto_end(out, field);
}

static void describe_track(struct proto *out, const struct kind *kind)
{
	struct libltt_value value;

	if (kind->track == TRACK_COUNTER) {
		describe_field(out, "", "counter_value", TRACK_EVENT, TYPE_INT64);
	} else {
		describe_field(out, "", "track_event_type", TRACK_EVENT, TYPE_UINT64);
		describe_field(out, "", "slice_name", TRACK_SLICE, TYPE_STRING);
	}
	describe_field(out, "", "track_name", TRACK_NAME, TYPE_STRING);
	if (kind->track_key == KIND_CPU)
		describe_field(out, "scope_", "cpu", TRACK_SCOPE, TYPE_INT64);
	else if (kind->track_key != KIND_NO_FIELD &&
		 !libltt_class_field(kind->class, kind->track_key, &value))
		describe_field(out, "scope_", value.name, TRACK_SCOPE, TYPE_INT64);
}

/**
 * kind_describe() - write the description of a kind of event
 * @out:	a FtraceEventBundle.GenericEventDescriptor
 * @kind:	the kind
 */
void kind_describe(struct proto *out, const struct kind *kind)
{
	const struct libltt_class *class = kind->class;
	struct libltt_value value;
	unsigned int i, type;
	size_t message;

	proto_uint(out, 1, kind->number);
	message = proto_begin(out, 2);
	proto_string(out, 1, class->marker);
	for (i = 0; i < class->nr_fields; i++) {
		if (!kind->fields[i] || libltt_class_field(class, i, &value))
			continue;
		type = value.type == LIBLTT_UNSIGNED ? TYPE_UINT64 :
		       value.type == LIBLTT_SIGNED ? TYPE_INT64 : TYPE_STRING;
		describe_field(out, i < class->nr_fields - class->nr_context ? "" : "$",
			       value.name, kind->fields[i], type);
	}
	if (kind->track)
		describe_track(out, kind);
	proto_end(out, message);
	proto_string(out, 3, class->channel);
}
