// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: ltt crash: the traces in an image or dump.
 *
 * Halves of areas and roots begin with a page, wherever that is. Those that have ended do not
 * count. Whoever made the dump may have taken it from any machine, and written anything into it.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/err.h>
#include <linux/kernel.h>

#include "crash.h"

/* Traces that are looked for, at most, and bytes that it may take to tell what they are. */
#define TRACES_MAX	4096
#define DESCRIBED_MAX	((u64)1 << 30)

/* Found at some place, but it cannot be read. */
static void say_why(struct crash *crash, u64 at, const char *why)
{
	crash_say_at(crash, at, why);
	crash->damaged = true;
}

/*
 * Does @a come before @b? The newer one does, but windows come last. In the halves of an area,
 * generations tell for sure.
 */
static bool is_first(const struct crash_trace *a, const struct crash_trace *b)
{
	if (a->is_window != b->is_window)
		return b->is_window;
	if (!a->is_root && !b->is_root)
		return a->head.generation > b->head.generation;
	return a->created > b->created;
}

/* It will be that of a directory. */
static bool is_name(const char *name)
{
	return strcmp(name, ".") && strcmp(name, "..");
}

/* As DIRECTORY of ltt crash --output has it. Return: NULL if there is no memory. */
static char *name_of(const struct ltt_found *found)
{
	char *name;

	if (!found->window)
		return strdup(found->name);
	return asprintf(&name, "%s.snapshot-%u", found->name, found->window->number) < 0 ?
	       NULL : name;
}

/* Return: 0 or -ENOMEM. */
static int learn(struct crash_trace *trace, const struct ltt_found *found)
{
	const u8 *boot_id = ltt_area_boot_id(found);

	trace->created = found->trace.real_offset +
			 (found->window ? found->window->taken : found->trace.created);
	trace->is_dated = found->trace.real_offset;
	trace->knows_boot = boot_id;
	if (boot_id)
		memcpy(trace->boot_id, boot_id, sizeof(trace->boot_id));
	if (!is_name(found->name))
		return 0;
	trace->name = name_of(found);
	return trace->name ? 0 : -ENOMEM;
}

/* Which trace is it? What cannot be told is said when it is looked at. */
static int describe(struct crash *crash, struct crash_trace *trace)
{
	char why[LTT_AREA_ERROR];
	struct ltt_found *found;
	struct crash_half half;
	int ret;

	ret = crash_compose(crash, trace, true, &half);
	crash->described += half.size;
	if (!ret) {
		found = ltt_area_describe(half.base, &half.head, why);
		if (!IS_ERR(found)) {
			ret = learn(trace, found);
			ltt_area_found_free(found);
		}
	}
	crash_decompose(&half);
	return ret == -EINVAL ? 0 : ret;
}

/* Would it take for ever? What all traces have together is not much more than the memory. */
static bool is_enough(struct crash *crash)
{
	if (crash->nr < TRACES_MAX && crash->described <= DESCRIBED_MAX + 4 * crash->size)
		return false;
	crash_say(crash, "more traces than memory can hold; the others are left out");
	crash->damaged = true;
	return true;
}

/* The newest trace becomes the first. Return: 0; -ENOMEM; -E2BIG: enough, which has been said. */
static int add(struct crash *crash, struct crash_trace *trace)
{
	struct crash_trace *traces;
	unsigned int i;
	int ret;

	if (is_enough(crash))
		return -E2BIG;
	ret = describe(crash, trace);
	traces = reallocarray(crash->traces, crash->nr + 1, sizeof(*traces));
	if (traces)
		crash->traces = traces;
	if (ret || !traces) {
		free(trace->name);
		return -ENOMEM;
	}
	for (i = crash->nr; i && is_first(trace, &traces[i - 1]); i--)
		traces[i] = traces[i - 1];
	traces[i] = *trace;
	crash->nr++;
	return 0;
}

/* Is there the trace of a window? Says why not, if it was not destroyed. */
static bool check_window(struct crash *crash, u64 at, const struct ltt_area_root *root)
{
	struct ltt_area_window window;
	struct ltt_area_root of;
	int ret = crash_window_trace(crash, root, &window, &of);

	if (ret == -EINVAL)
		say_why(crash, at, "a window whose trace is not known");
	return !ret;
}

/* Is the page at @at that of a root? Says why one cannot be read. */
static bool check_root(struct crash *crash, u64 at, const struct ltt_area_root *root,
		       bool *is_window)
{
	const char *magic;

	*is_window = crash_has_magic(root, LTT_WINDOW_MAGIC);
	magic = *is_window ? LTT_WINDOW_MAGIC : LTT_ROOT_MAGIC;
	if (!crash_has_magic(root, magic))
		return false;
	if (root->order != LTT_AREA_ORDER) {
		say_why(crash, at, "written in another byte order");
		return false;
	}
	if (!crash_is_root(root, at, magic))
		return false;
	if (root->version != LTT_ROOT_VERSION || root->page < LTT_AREA_PAGE ||
	    root->page > LTT_ROOT_PAGE_MAX || root->page & (root->page - 1)) {
		say_why(crash, at, "another version of the format");
		return false;
	}
	return !*is_window || check_window(crash, at, root);
}

/* Does a half begin with this page? Says why one cannot be read. */
static bool check_half(struct crash *crash, u64 at, const void *page, struct ltt_area_head *head)
{
	u64 size = crash->vmcore ? LTT_AREA_HALF_MAX : crash->size - at;
	char why[LTT_AREA_ERROR];
	int ret = ltt_area_check(page, size, head, why);

	if (ret == -EINVAL)
		say_why(crash, at, why);
	return !ret;
}

/*
 * Look at the page at @at. Return: bytes after which the next one is to be looked at, or a
 * negative errno. In a dump, what looks like a half may be a copy of its beginning.
 */
static s64 look_at(struct crash *crash, u64 at)
{
	union {
		unsigned char bytes[LTT_AREA_PAGE];
		struct ltt_area_root root;
	} page;
	struct crash_trace trace = { .at = at };
	int ret;

	if (!crash_read(crash, at, &page, sizeof(page)))
		return LTT_AREA_PAGE;
	if (check_root(crash, at, &page.root, &trace.is_window)) {
		trace.is_root = true;
		trace.root = page.root;
		crash->is_dump = true;
	} else if (!check_half(crash, at, &page, &trace.head)) {
		return LTT_AREA_PAGE;
	}
	ret = add(crash, &trace);
	if (ret)
		return ret;
	return trace.is_root || crash->vmcore ? LTT_AREA_PAGE : (s64)trace.head.size;
}

/*
 * A reset may leave the roots of an earlier kernel where this one has not needed the memory yet.
 * The kernel that was dumped is that of the newest root.
 */
static void drop_earlier(struct crash *crash)
{
	const u8 *boot_id = NULL;
	struct crash_trace *trace;
	unsigned int i, nr = 0;
	bool tells;

	for (i = 0; i < crash->nr; i++) {
		trace = &crash->traces[i];
		/* Of others it is not known when they were begun, or by which kernel. */
		tells = trace->is_root && trace->knows_boot && trace->is_dated;
		if (tells && boot_id && memcmp(trace->boot_id, boot_id, LTT_UUID_SIZE)) {
			crash_say(crash, "trace %s is left out: it is of an earlier boot",
				  trace->name ?: "-");
			free(trace->name);
			continue;
		}
		crash->traces[nr] = *trace;
		if (tells)
			boot_id = crash->traces[nr].boot_id;
		nr++;
	}
	crash->nr = nr;
}

static bool has_name(const struct crash *crash, const char *name)
{
	unsigned int i;

	for (i = 0; i < crash->nr; i++) {
		if (crash->traces[i].name && !strcmp(crash->traces[i].name, name))
			return true;
	}
	return false;
}

/* Another name, with the first number from @nr on that makes it one. Return: 0 or -ENOMEM. */
static int rename_trace(const struct crash *crash, struct crash_trace *trace, unsigned int nr)
{
	char *name;

	for (;; nr++) {
		if (asprintf(&name, "%s.%u", trace->name, nr) < 0)
			return -ENOMEM;
		if (!has_name(crash, name))
			break;
		free(name);
	}
	free(trace->name);
	trace->name = name;
	return 0;
}

/* Of several with the same name, the newest has it alone. Return: 0 or -ENOMEM. */
static int number_names(struct crash *crash)
{
	unsigned int i, j, nr;
	int ret = 0;

	for (i = crash->nr; i-- > 1 && !ret;) {
		for (j = 0, nr = 1; crash->traces[i].name && j < i; j++)
			nr += crash->traces[j].name &&
			      !strcmp(crash->traces[j].name, crash->traces[i].name);
		if (nr > 1)
			ret = rename_trace(crash, &crash->traces[i], nr);
	}
	return ret;
}

/*
 * How much memory is there? A file that was cut off has less than it says. One that says far more
 * was made to keep us busy.
 */
static void count(struct crash *crash)
{
	u64 at = 0, most;

	crash->room = crash->size;
	if (!crash->vmcore)
		return;
	crash->room = vmcore_room(crash->vmcore);
	most = vmcore_most(crash->vmcore);
	for (; crash_next_page(crash, &at); at += LTT_AREA_PAGE) {
		if (crash->size >= most) {
			crash_say(crash, "claims more memory than the file can hold; only the first part is searched");
			crash->damaged = true;
			break;
		}
		crash->size += LTT_AREA_PAGE;
		/* There may be a page at the end of all addresses. */
		if (at > U64_MAX - LTT_AREA_PAGE)
			break;
	}
}

/**
 * crash_find() - find the traces in an image or dump
 * @crash:	it; receives them
 *
 * Says why one that was found cannot be read.
 *
 * Return: 0, also if there are none; -ENOMEM.
 */
int crash_find(struct crash *crash)
{
	u64 at = 0, seen;
	s64 step;

	count(crash);
	for (seen = 0; seen < crash->size && crash_next_page(crash, &at); seen += step) {
		step = look_at(crash, at);
		if (step == -E2BIG)
			break;
		if (step < 0)
			return step;
		if (__builtin_add_overflow(at, (u64)step, &at))
			break;
	}
	drop_earlier(crash);
	return number_names(crash);
}
