// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: patterns, which select what a trace records, including markers that do not exist yet.
 *
 *	[!]CHANNEL.MARKER
 *
 * with letters, digits, underscores, and the wildcards * and ?. For a marker that is
 * added later, the last pattern that matches decides: it is not recorded if that begins
 * with ! or if there is none. "*" is short for "*.*".
 */

#include <linux/ctype.h>
#include <linux/glob.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "core.h"

/* CHANNEL.MARKER */
#define GLOB_MAX	(2 * LTT_NAME_MAX + 1)

static const char everything[] = "*.*";

static bool glob_char(char c)
{
	return isascii(c) && (isalnum(c) || strchr("_*?", c));
}

/**
 * ltt_pattern_check() - is this a pattern?
 * @glob:	the pattern, without its "!"
 * @len:	its bytes
 * @column:	where it begins in the request, from 1
 * @error:	what is wrong, and where; may be NULL
 *
 * Context: task.
 * Return: 0; -EINVAL, -ENAMETOOLONG.
 */
int ltt_pattern_check(const char *glob, size_t len, size_t column, struct ltt_error *error)
{
	const char *dot = NULL;
	size_t i;

	for (i = 0; i < len; i++) {
		if (glob[i] == '.') {
			if (dot)
				return ltt_fail(error, -EINVAL,
						"column %zu: second dot in pattern",
						column + i);
			dot = &glob[i];
		} else if (!glob_char(glob[i])) {
			return ltt_fail(error, -EINVAL,
					"column %zu: invalid character %#04x in pattern",
					column + i, (u8)glob[i]);
		}
	}
	if (!dot && len == 1 && glob[0] == '*')
		return 0;
	if (!dot)
		return ltt_fail(error, -EINVAL,
				"column %zu: no dot in pattern, expected CHANNEL.MARKER",
				column + len);
	if (dot == glob)
		return ltt_fail(error, -EINVAL, "column %zu: no channel before the dot",
				column);
	if (dot == glob + len - 1)
		return ltt_fail(error, -EINVAL, "column %zu: no marker after the dot",
				column + len);
	if (len > GLOB_MAX)
		return ltt_fail(error, -ENAMETOOLONG,
				"column %zu: pattern of %zu characters, names have at most %u",
				column, len, LTT_NAME_MAX);
	return 0;
}

static int parse_one(const char *word, size_t len, size_t column,
		     struct list_head *patterns, struct ltt_error *error)
{
	bool negate = word[0] == '!';
	struct ltt_pattern *pattern;
	const char *glob = word + negate;
	int err;

	len -= negate;
	err = ltt_pattern_check(glob, len, column + negate, error);
	if (err)
		return err;
	if (len == 1) {
		glob = everything;
		len = strlen(everything);
	}
	pattern = kmalloc(struct_size(pattern, glob, len + 1), GFP_KERNEL);
	if (!pattern)
		return ltt_fail(error, -ENOMEM, "out of memory");
	pattern->negate = negate;
	memcpy(pattern->glob, glob, len);
	pattern->glob[len] = '\0';
	list_add_tail(&pattern->node, patterns);
	return 0;
}

/**
 * ltt_pattern_parse() - parse patterns
 * @text:	one or several patterns, separated by white space
 * @patterns:	the patterns are added to this list, all or none; free it by
 *		ltt_pattern_free()
 * @error:	what is wrong, and where; may be NULL
 *
 * Context: task; may sleep.
 * Return: 0; -EINVAL, -ENAMETOOLONG or -ENOMEM, and @error has the details.
 */
int ltt_pattern_parse(const char *text, struct list_head *patterns,
		      struct ltt_error *error)
{
	const char *word = text, *end;
	LIST_HEAD(parsed);
	int err;

	for (;;) {
		word = skip_spaces(word);
		if (!*word)
			break;
		end = word;
		while (*end && !isspace(*end))
			end++;
		err = parse_one(word, end - word, word - text + 1, &parsed, error);
		if (err) {
			ltt_pattern_free(&parsed);
			return err;
		}
		word = end;
	}
	if (list_empty(&parsed))
		return ltt_fail(error, -EINVAL, "no pattern");
	list_splice_tail(&parsed, patterns);
	return 0;
}

/**
 * ltt_pattern_match() - find the pattern that decides about an event
 * @patterns:	list of patterns
 * @event:	the event
 *
 * Context: task, ltt_mutex held.
 * Return: the last that matches, NULL if none does.
 */
const struct ltt_pattern *ltt_pattern_match(const struct list_head *patterns,
					    const struct ltt_event *event)
{
	const struct ltt_pattern *pattern;
	char name[GLOB_MAX + 1];

	lockdep_assert_held(&ltt_mutex);
	/* No name has a dot in it: the two dots can only match each other. */
	scnprintf(name, sizeof(name), "%s.%s", event->channel->name, event->name);
	list_for_each_entry_reverse(pattern, patterns, node) {
		if (glob_match(pattern->glob, name))
			return pattern;
	}
	return NULL;
}

/**
 * ltt_pattern_wants() - do the patterns of a trace select an event?
 * @trace:	the trace
 * @event:	the event
 *
 * Context: task, ltt_mutex held.
 * Return: true if so; false for an event of a private channel, to which patterns do not
 * apply.
 */
bool ltt_pattern_wants(const struct ltt_trace *trace, const struct ltt_event *event)
{
	const struct ltt_pattern *pattern;

	if (event->channel->flags & LTT_CHANNEL_PRIVATE)
		return false;
	pattern = ltt_pattern_match(&trace->patterns, event);
	return pattern && !pattern->negate;
}

static void drop(struct ltt_pattern *pattern)
{
	list_del(&pattern->node);
	kfree(pattern);
}

/*
 * Drop patterns that have no effect any more once a pattern with this @glob is the last, so
 * that repeated writes of the same patterns do not make the list longer.
 */
static void drop_overruled(struct list_head *patterns, const char *glob)
{
	struct ltt_pattern *pattern, *next;

	if (!strcmp(glob, everything)) {
		ltt_pattern_free(patterns);
		return;
	}
	list_for_each_entry_safe(pattern, next, patterns, node) {
		if (!strcmp(pattern->glob, glob))
			drop(pattern);
	}
}

/**
 * ltt_pattern_adopt() - add patterns to those of a trace
 * @trace:	the trace
 * @patterns:	from ltt_pattern_parse(); empty afterwards
 *
 * Context: task, ltt_mutex held.
 */
void ltt_pattern_adopt(struct ltt_trace *trace, struct list_head *patterns)
{
	struct ltt_pattern *pattern, *next;

	lockdep_assert_held(&ltt_mutex);
	list_for_each_entry_safe(pattern, next, patterns, node) {
		drop_overruled(&trace->patterns, pattern->glob);
		list_move_tail(&pattern->node, &trace->patterns);
	}
	/* By default nothing is recorded: a "!" pattern at the beginning has no effect. */
	list_for_each_entry_safe(pattern, next, &trace->patterns, node) {
		if (!pattern->negate)
			break;
		drop(pattern);
	}
}

/**
 * ltt_pattern_free() - free a list of patterns
 * @patterns:	the list; empty afterwards
 *
 * Context: task.
 */
void ltt_pattern_free(struct list_head *patterns)
{
	struct ltt_pattern *pattern, *next;

	list_for_each_entry_safe(pattern, next, patterns, node)
		drop(pattern);
}
