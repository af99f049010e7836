// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the lines of triggers: what they say.
 *
 *	on WHAT [if EXPRESSION] [count N] [every N] do ACTION[; ACTION]...
 *
 * An expression ends where no expression can go on: before "do", or "count" or "every" with a
 * number. These may also be names of fields.
 */

#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/ltt/dump.h>

#include "core.h"
#include "trigger.h"

/* The longest time that a line may tell: a day. */
#define LONGEST		(86400ull * NSEC_PER_SEC)

/* A dump is of so many events, unless it is told. */
#define DUMP_EVENTS	100u

/* Most characters of a mark. */
#define MARK_MAX	128u

static const char blanks[] = " \t";

static const char *const notices[] = {
	[LTT_ON_TIMEOUT] = "timeout",
	[LTT_ON_LOST] = "lost",
	[LTT_ON_OOPS] = "oops",
	[LTT_ON_PANIC] = "panic",
	[LTT_ON_WARN] = "warn",
};

static const char *const actions[] = {
	[LTT_DO_SNAPSHOT] = "snapshot",
	[LTT_DO_START] = "start",
	[LTT_DO_STOP] = "stop",
	[LTT_DO_ENABLE] = "enable",
	[LTT_DO_DISABLE] = "disable",
	[LTT_DO_STACK] = "stack",
	[LTT_DO_MARK] = "mark",
	[LTT_DO_DUMP] = "dump",
};

/* ---- words -------------------------------------------------------------------- */

/* Bytes of the word that begins here. */
static size_t word_len(const char *at)
{
	return strcspn(at, " \t;");
}

/* Move behind so many bytes, and the blanks after them. */
static void skip(const char **at, size_t len)
{
	*at += len;
	*at += strspn(*at, blanks);
}

static bool is_word(const char *at, size_t len, const char *word)
{
	return strlen(word) == len && !strncmp(at, word, len);
}

/* If @word is next, move behind it and the blanks after it. */
static bool take_word(const char **at, const char *word)
{
	size_t len = word_len(*at);

	if (!is_word(*at, len, word))
		return false;
	skip(at, len);
	return true;
}

/* Which of @nr words is next? -1 if none; else move behind it and the blanks after it. */
static int take_one_of(const char **at, const char *const words[], unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (words[i] && take_word(at, words[i]))
			return i;
	}
	return -1;
}

/* Decimal digits. Return: how many; 0 if there is no number that fits. */
static size_t read_digits(const char *at, u64 *value)
{
	size_t len = 0;

	*value = 0;
	for (; isdigit(at[len]); len++) {
		if (check_mul_overflow(*value, (u64)10, value) ||
		    check_add_overflow(*value, (u64)(at[len] - '0'), value))
			return 0;
	}
	return len;
}

/* "10s". Return: 0 with *@at behind it and the blanks after it. */
static int take_time(const char **at, u64 *ns, const struct ltt_spot *place)
{
	static const struct {
		const char *name;
		u64 ns;
	} units[] = {
		{ "ns", 1 }, { "us", NSEC_PER_USEC },
		{ "ms", NSEC_PER_MSEC }, { "s", NSEC_PER_SEC },
	};
	size_t digits = read_digits(*at, ns), len = word_len(*at);
	unsigned int i;

	for (i = 0; digits && i < ARRAY_SIZE(units); i++) {
		if (!is_word(*at + digits, len - digits, units[i].name))
			continue;
		if (!*ns || check_mul_overflow(*ns, units[i].ns, ns) || *ns > LONGEST)
			return ltt_fail_at(place, *at, -ERANGE, "expected a time from 1ns to 86400s");
		skip(at, len);
		return 0;
	}
	return ltt_fail_at(place, *at, -EINVAL, "expected a time such as 10s, 5ms, 20us or 100ns");
}

/* Return: 0 with a copy of the pattern, and *@at behind it and the blanks after it. */
static int take_pattern(const char **at, const char *prefix, char **glob,
			const struct ltt_spot *place)
{
	size_t len = word_len(*at);
	struct ltt_error error;
	int err;

	if (!len)
		return ltt_fail_at(place, *at, -EINVAL, "expected a pattern CHANNEL.MARKER");
	err = ltt_pattern_check(*at, len, *at - place->begin + 1, &error);
	if (err)
		return ltt_fail(place->error, err, "line %u, %s", place->number, error.text);
	*glob = kasprintf(GFP_KERNEL, "%s%.*s", prefix, (int)len, *at);
	if (!*glob)
		return ltt_fail(place->error, -ENOMEM, "out of memory");
	skip(at, len);
	return 0;
}

/* ---- actions ------------------------------------------------------------------- */

static int parse_snapshot(struct ltt_trigger_action *action, const char **at,
			  const struct ltt_spot *place)
{
	for (;;) {
		const char *word = *at;
		bool before = take_word(at, "before");
		u64 *ns = before ? &action->before : &action->after;
		int err;

		if (!before && !take_word(at, "after"))
			return 0;
		if (*ns)
			return ltt_fail_at(place, word, -EINVAL, "duplicate %s",
					   before ? "before" : "after");
		err = take_time(at, ns, place);
		if (err)
			return err;
	}
}

/* "TEXT", in which \" and \\ are a quote and a backslash. */
static int parse_mark(struct ltt_trigger_action *action, const char **at,
		      const struct ltt_spot *place)
{
	const char *from = *at;
	char *to;

	if (*from != '"')
		return ltt_fail_at(place, from, -EINVAL, "expected a text in double quotes");
	to = kmalloc(strlen(from), GFP_KERNEL);
	if (!to)
		return ltt_fail(place->error, -ENOMEM, "out of memory");
	action->text = to;
	for (from++; *from && *from != '"'; from++) {
		if (*from == '\\' && *++from != '"' && *from != '\\')
			return ltt_fail_at(place, from - 1, -EINVAL,
					   "expected \\\" or \\\\");
		*to++ = *from;
	}
	*to = '\0';
	if (!*from)
		return ltt_fail_at(place, *at, -EINVAL, "the text does not end");
	if (to - action->text > MARK_MAX)
		return ltt_fail_at(place, *at, -ENAMETOOLONG, "more than %u characters", MARK_MAX);
	*at = from;
	skip(at, 1);
	return 0;
}

static int parse_dump(struct ltt_trigger_action *action, const char **at,
		      const struct ltt_spot *place)
{
	size_t len = word_len(*at);
	u64 events;

	action->events = DUMP_EVENTS;
	if (!len)
		return 0;
	if (read_digits(*at, &events) != len || !events || events > LTT_DUMP_EVENTS_MAX)
		return ltt_fail_at(place, *at, -EINVAL, "expected a number from 1 to %u",
				   LTT_DUMP_EVENTS_MAX);
	action->events = events;
	skip(at, len);
	return 0;
}

static int parse_action(struct ltt_trigger_line *line, const char **at,
			const struct ltt_spot *place)
{
	struct ltt_trigger_action *action = &line->action[line->nr];
	const char *begin = *at;
	int what;

	if (line->nr == LTT_TRIGGER_ACTIONS)
		return ltt_fail_at(place, begin, -E2BIG, "more than %u actions",
				   LTT_TRIGGER_ACTIONS);
	what = take_one_of(at, actions, ARRAY_SIZE(actions));
	if (what < 0)
		return ltt_fail_at(place, begin, -EINVAL,
				   "expected snapshot, start, stop, enable, disable, stack, mark or dump");
	if (what == LTT_DO_STACK && line->on == LTT_ON_TIMEOUT)
		return ltt_fail_at(place, begin, -EINVAL, "there is no call stack of silence");
	line->nr++;
	action->what = what;
	switch (action->what) {
	case LTT_DO_SNAPSHOT:
		return parse_snapshot(action, at, place);
	case LTT_DO_ENABLE:
		return take_pattern(at, "", &action->text, place);
	case LTT_DO_DISABLE:
		return take_pattern(at, "!", &action->text, place);
	case LTT_DO_MARK:
		return parse_mark(action, at, place);
	case LTT_DO_DUMP:
		return parse_dump(action, at, place);
	default:
		return 0;
	}
}

static int parse_actions(struct ltt_trigger_line *line, const char *at,
			 const struct ltt_spot *place)
{
	int err;

	for (;;) {
		err = parse_action(line, &at, place);
		if (err)
			return err;
		if (!*at)
			return 0;
		if (*at != ';')
			return ltt_fail_at(place, at, -EINVAL,
					   "expected ; or the end of the line");
		skip(&at, 1);
	}
}

/* ---- conditions ---------------------------------------------------------------- */

/* Where the word "do" is outside of quotes, NULL if nowhere. */
static const char *find_do(const char *at)
{
	char quote = '\0', before = ' ';

	for (; *at; before = *at++) {
		if (quote) {
			if (*at == '\\' && at[1])
				at++;
			else if (*at == quote)
				quote = '\0';
		} else if (*at == '"' || *at == '\'') {
			quote = *at;
		} else if (strchr(blanks, before) && is_word(at, word_len(at), "do")) {
			return at;
		}
	}
	return NULL;
}

/* Without blanks at the end. */
static const char *trim_end(const char *begin, const char *end)
{
	while (end > begin && strchr(blanks, end[-1]))
		end--;
	return end;
}

/* Where the last word of [@begin, @end) begins. */
static const char *last_word(const char *begin, const char *end)
{
	while (end > begin && !strchr(blanks, end[-1]))
		end--;
	return end;
}

/* Take "count N" or "every N" from the end. Return: 1; 0 if there is none, or a negative errno. */
static int take_limit(struct ltt_trigger_line *line, const char *begin, const char **end,
		      const struct ltt_spot *place)
{
	const char *number = last_word(begin, *end);
	const char *stop = trim_end(begin, number);
	const char *word = last_word(begin, stop);
	bool is_count = is_word(word, stop - word, "count");
	unsigned int *limit = is_count ? &line->count : &line->every;
	u64 value;

	if (!isdigit(*number) || (!is_count && !is_word(word, stop - word, "every")))
		return 0;
	if (read_digits(number, &value) != *end - number || !value || value > INT_MAX)
		return ltt_fail_at(place, number, -EINVAL, "expected a number from 1 to %d",
				   INT_MAX);
	if (*limit)
		return ltt_fail_at(place, word, -EINVAL, "duplicate %s",
				   is_count ? "count" : "every");
	*limit = value;
	*end = trim_end(begin, word);
	return 1;
}

/* What is between WHAT and "do". */
static int parse_condition(struct ltt_trigger_line *line, const char *begin, const char *end,
			   const struct ltt_spot *place)
{
	const char *at = begin;
	int ret;

	end = trim_end(begin, end);
	do {
		ret = take_limit(line, begin, &end, place);
		if (ret < 0)
			return ret;
	} while (ret);
	if (!line->every)
		line->every = 1;
	if (end == begin)
		return 0;
	if (!take_word(&at, "if"))
		return ltt_fail_at(place, begin, -EINVAL, "expected if, count N, every N or do");
	if (!line->glob)
		return ltt_fail_at(place, begin, -EINVAL, "only an event can have a condition");
	if (at >= end)
		return ltt_fail_at(place, trim_end(begin, at), -EINVAL, "empty expression");
	line->expr = kasprintf(GFP_KERNEL, "%*s%.*s", (int)(at - place->begin), "",
			       (int)(end - at), at);
	return line->expr ? 0 : ltt_fail(place->error, -ENOMEM, "out of memory");
}

/* ---- lines --------------------------------------------------------------------- */

/**
 * ltt_trigger_does() - is this one of the actions of a line?
 * @line:	the line
 * @what:	the action
 *
 * Context: any.
 */
bool ltt_trigger_does(const struct ltt_trigger_line *line, enum ltt_trigger_do what)
{
	unsigned int i;

	for (i = 0; i < line->nr; i++) {
		if (line->action[i].what == what)
			return true;
	}
	return false;
}

/**
 * ltt_trigger_line_free() - free what a line consists of
 * @line:	the line, as far as it was made
 *
 * Context: task.
 */
void ltt_trigger_line_free(struct ltt_trigger_line *line)
{
	unsigned int i;

	for (i = 0; i < line->nr; i++)
		kfree(line->action[i].text);
	kfree(line->text);
	kfree(line->glob);
	kfree(line->expr);
}

/**
 * ltt_trigger_parse() - parse a line
 * @line:	receives what it says, zeroed; to be freed by ltt_trigger_line_free(), also after
 *		an error
 * @text:	the line, without blanks at either end
 * @place:	where it is
 *
 * Context: task; may sleep.
 * Return: 0; -EINVAL, -ERANGE (a time), -ENAMETOOLONG (a pattern or a mark), -E2BIG (too many
 * actions), -ENOMEM.
 */
int ltt_trigger_parse(struct ltt_trigger_line *line, const char *text,
		      const struct ltt_spot *place)
{
	const char *at = text, *glob, *begin, *end;
	int on, err;

	err = ltt_spot_check_text(place, text);
	if (err)
		return err;
	line->text = kstrdup(text, GFP_KERNEL);
	if (!line->text)
		return ltt_fail(place->error, -ENOMEM, "out of memory");
	strscpy_pad(line->why, text, sizeof(line->why));
	if (!take_word(&at, "on"))
		return ltt_fail_at(place, at, -EINVAL, "expected on, !on or none");
	on = take_one_of(&at, notices, ARRAY_SIZE(notices));
	line->on = on < 0 ? LTT_ON_EVENT : on;
	err = 0;
	if (line->on == LTT_ON_TIMEOUT)
		err = take_time(&at, &line->timeout, place);
	glob = at;
	if (!err && (line->on == LTT_ON_EVENT || line->on == LTT_ON_TIMEOUT))
		err = take_pattern(&at, "", &line->glob, place);
	if (err)
		return err;
	if (line->glob && str_has_prefix(line->glob, LTT_TRIGGERS_CHANNEL "."))
		return ltt_fail_at(place, glob, -EINVAL,
				   "the events of triggers have no triggers");
	begin = at;
	end = find_do(begin);
	if (!end)
		return ltt_fail_at(place, text + strlen(text), -EINVAL,
				   "expected do and what to do");
	err = parse_condition(line, begin, end, place);
	if (err)
		return err;
	take_word(&end, "do");
	return parse_actions(line, end, place);
}
