// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: lists of globs that select functions.
 *
 * A request is one or several words, each of them a glob, perhaps with a "!"
 * before it. A word that is on the list, with or without "!", leaves its place
 * there. Then a glob goes to the end; so does !glob, unless the glob was on the
 * list and is taken back by that.
 */

#include <linux/ctype.h>
#include <linux/kallsyms.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/ltt/trace.h>

#include "function.h"

/* What is in names of functions, and what a glob has besides. */
static bool glob_char(char c)
{
	return isascii(c) && (isalnum(c) || strchr("_.$*?[]-", c));
}

/*
 * Check a word without its "!". ftrace takes a word that begins with a digit for a
 * number in its table of functions.
 */
static int check(const char *glob, size_t len, unsigned int column,
		 struct ltt_error *error)
{
	size_t i;

	if (!len)
		return ltt_fail(error, -EINVAL, "column %u: no glob after the !", column);
	if (isdigit(glob[0]))
		return ltt_fail(error, -EINVAL,
				"column %u: function names do not begin with a digit",
				column);
	for (i = 0; i < len; i++) {
		if (!glob_char(glob[i]))
			return ltt_fail(error, -EINVAL, "column %zu: invalid character %#04x in glob",
					column + i, (u8)glob[i]);
	}
	if (len >= KSYM_NAME_LEN)
		return ltt_fail(error, -ENAMETOOLONG,
				"column %u: glob of %zu characters, maximum is %u",
				column, len, KSYM_NAME_LEN - 1);
	return 0;
}

static struct ltt_function_glob *glob_make(const char *text, size_t len)
{
	struct ltt_function_glob *glob;

	glob = kzalloc(struct_size(glob, text, len + 1), GFP_KERNEL);
	if (glob)
		memcpy(glob->text, text, len);
	return glob;
}

/* Take the word off the list; returns whether it stood there without a "!". */
static bool take_off(struct list_head *globs, const char *text)
{
	struct ltt_function_glob *glob, *next;
	bool selected = false;

	list_for_each_entry_safe(glob, next, globs, node) {
		if (strcmp(glob->text, text))
			continue;
		selected = !glob->negate;
		list_del(&glob->node);
		kfree(glob);
	}
	return selected;
}

static int apply(struct list_head *globs, const char *word, size_t len,
		 unsigned int column, struct ltt_error *error)
{
	bool negate = word[0] == '!';
	struct ltt_function_glob *glob;
	int err;

	err = check(word + negate, len - negate, column + negate, error);
	if (err)
		return err;
	glob = glob_make(word + negate, len - negate);
	if (!glob)
		return ltt_fail(error, -ENOMEM, "out of memory");
	glob->negate = negate;
	glob->column = column;
	if (take_off(globs, glob->text) && negate)
		kfree(glob);
	else
		list_add_tail(&glob->node, globs);
	return 0;
}

static int copy(const struct list_head *globs, struct list_head *copies)
{
	const struct ltt_function_glob *glob;
	struct ltt_function_glob *new;

	list_for_each_entry(glob, globs, node) {
		new = glob_make(glob->text, strlen(glob->text));
		if (!new)
			return -ENOMEM;
		new->negate = glob->negate;
		list_add_tail(&new->node, copies);
	}
	return 0;
}

/**
 * ltt_function_globs_change() - what would a list be after a request?
 * @globs:	the list; not changed
 * @request:	words, separated by white space; none clears the list
 * @changed:	an empty list; receives the result, to be given to
 *		ltt_function_globs_adopt() or _free(), whatever is returned
 * @error:	what is wrong, and where
 *
 * Does not check whether the globs select any function.
 *
 * Context: task, may sleep.
 * Return: 0; -EINVAL, -ENAMETOOLONG, -ENOSPC or -ENOMEM, and then @error says more.
 */
int ltt_function_globs_change(const struct list_head *globs, const char *request,
			      struct list_head *changed, struct ltt_error *error)
{
	const char *word = skip_spaces(request), *end;
	const struct ltt_function_glob *glob;
	unsigned int nr = 0;
	int err;

	if (!*word)
		return 0;
	err = copy(globs, changed);
	if (err)
		return ltt_fail(error, err, "out of memory");
	for (; *word; word = skip_spaces(end)) {
		end = word;
		while (*end && !isspace(*end))
			end++;
		err = apply(changed, word, end - word, word - request + 1, error);
		if (err)
			return err;
	}
	list_for_each_entry(glob, changed, node)
		nr++;
	if (nr > LTT_FUNCTION_GLOBS_MAX)
		return ltt_fail(error, -ENOSPC, "more than %u globs",
				LTT_FUNCTION_GLOBS_MAX);
	return 0;
}

/**
 * ltt_function_globs_adopt() - a request was carried out
 * @globs:	the list
 * @changed:	what it is now; empty afterwards
 *
 * Context: task.
 */
void ltt_function_globs_adopt(struct list_head *globs, struct list_head *changed)
{
	struct ltt_function_glob *glob;

	ltt_function_globs_free(globs);
	list_for_each_entry(glob, changed, node)
		glob->column = 0;
	list_splice_init(changed, globs);
}

/**
 * ltt_function_globs_free() - empty a list
 * @globs:	the list
 *
 * Context: task.
 */
void ltt_function_globs_free(struct list_head *globs)
{
	struct ltt_function_glob *glob, *next;

	list_for_each_entry_safe(glob, next, globs, node) {
		list_del(&glob->node);
		kfree(glob);
	}
}

/**
 * ltt_function_globs_show() - print a list, a glob a line
 * @m:		where
 * @globs:	the list
 *
 * Context: task.
 */
void ltt_function_globs_show(struct seq_file *m, const struct list_head *globs)
{
	const struct ltt_function_glob *glob;

	list_for_each_entry(glob, globs, node)
		seq_printf(m, "%s%s\n", glob->negate ? "!" : "", glob->text);
}
