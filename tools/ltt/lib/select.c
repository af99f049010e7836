// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: which events are wanted.
 *
 * Patterns mean what they mean to the kernel (ltt-core/pattern.c): [!]CHANNEL.MARKER
 * with the wildcards * and ?; the last that matches an event decides; "*" is short
 * for "*.*".
 */
#include <ctype.h>
#include <errno.h>
#include <linux/kernel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"

static bool glob_char(char c)
{
	return isascii(c) && (isalnum(c) || c == '_' || c == '*' || c == '?');
}

static const char *bad_pattern(const char *glob)
{
	const char *dot = NULL, *p;

	if (!strcmp(glob, "*"))
		return NULL;
	for (p = glob; *p; p++) {
		if (*p == '.') {
			if (dot)
				return "second dot in pattern";
			dot = p;
		} else if (!glob_char(*p)) {
			return "invalid character in pattern";
		}
	}
	if (!dot)
		return "no dot in pattern, expected CHANNEL.MARKER";
	if (dot == glob)
		return "no channel before the dot";
	return dot[1] ? NULL : "no marker after the dot";
}

/* Does @glob match all of @text? */
static bool matches(const char *glob, size_t glob_len, const char *text)
{
	return ltt_glob_matches((const u8 *)text, strlen(text), glob, glob_len);
}

/**
 * libltt_matches() - does a pattern match the name of an event?
 * @pattern:	the pattern, which is one, see libltt_pattern(); without !
 * @channel:	name of the channel
 * @marker:	name of the marker; NULL: any one
 */
bool libltt_matches(const char *pattern, const char *channel, const char *marker)
{
	const char *dot = strchr(pattern, '.');

	if (!dot)
		return true;
	return matches(pattern, dot - pattern, channel) &&
	       (!marker || matches(dot + 1, strlen(dot + 1), marker));
}

/**
 * lib_class_matches() - does a pattern match a kind of event?
 * @class:	the kind of event
 * @glob:	the pattern, without !
 */
bool lib_class_matches(const struct lib_class *class, const char *glob)
{
	return libltt_matches(glob, class->pub.channel, class->pub.marker);
}

static void select_in(struct lib_channel *channel, const char *glob, bool wanted)
{
	u32 id;

	channel->selected = false;
	for (id = 0; id < channel->nr; id++) {
		if (!channel->classes[id])
			continue;
		if (lib_class_matches(channel->classes[id], glob))
			channel->classes[id]->selected = wanted;
		channel->selected |= channel->classes[id]->selected;
	}
}

/**
 * libltt_pattern() - check that a pattern is one
 * @pattern:	[!]CHANNEL.MARKER with the wildcards * and ?, or "*"
 * @error:	what is wrong with @pattern; may be NULL
 *
 * Return: 0 or -EINVAL, as libltt_select() would.
 */
int libltt_pattern(const char *pattern, struct libltt_problem *error)
{
	const char *why = bad_pattern(pattern + (*pattern == '!'));

	return why ? lib_fail(error, EINVAL, pattern, LIBLTT_NO_OFFSET, "%s", why) : 0;
}

/**
 * libltt_select() - say which events are wanted
 * @ltt:	the traces
 * @pattern:	[!]CHANNEL.MARKER with the wildcards * and ?, or "*"; NULL: none
 * @error:	what is wrong with @pattern; may be NULL
 *
 * Of the patterns given by successive calls, the last that matches an event decides
 * whether it is wanted. Without any, all events are; so begin with NULL to have
 * some. Notices of losses come for channels that have a wanted event.
 *
 * Takes effect with the next event.
 *
 * Return: 0 or -EINVAL.
 */
int libltt_select(struct libltt *ltt, const char *pattern, struct libltt_problem *error)
{
	bool negate = pattern && *pattern == '!';
	const char *glob = pattern ? pattern + negate : "*";
	unsigned int i;
	u32 id;

	if (pattern && libltt_pattern(pattern, error))
		return -EINVAL;
	for (i = 0; i < ltt->nr_traces; i++) {
		for (id = 0; id < ltt->traces[i].nr_channels; id++)
			if (ltt->traces[i].channels[id])
				select_in(ltt->traces[i].channels[id], glob,
					  pattern && !negate);
	}
	return 0;
}
