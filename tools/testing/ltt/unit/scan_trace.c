// SPDX-License-Identifier: GPL-2.0
/*
 * Values that libltt_scan() finds in lines of style "kv" are those that libltt_field() takes out
 * of the events, for test_pair.sh.
 *
 *	scan_trace DIR	shows what differs; otherwise how many values were compared
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../ltt/lib/private.h"

#define LINE	65536

static unsigned long numbers, strings, arrays, texts;

static bool same(const struct ltt_field *field, const struct libltt_value *a,
		 const struct libltt_value *b)
{
	bool is_string = b->type == LIBLTT_STRING;
	bool is_text = field->show == LTT_SHOW_CHAR || field->show == LTT_SHOW_STR;

	if (is_string && is_text && a->type == LIBLTT_BYTES) {
		arrays++;
		return a->count == b->count && !memcmp(a->bytes, b->text, a->count);
	}
	/* Text that is no string: a pointer, an address of the network, an array. */
	if (is_string && a->type != LIBLTT_STRING) {
		texts++;
		return true;
	}
	if (is_string) {
		strings++;
		return a->count == b->count && !memcmp(a->text, b->text, a->count);
	}
	numbers++;
	/* corners.s64 has two values with one name: the first is found. */
	return a->type == b->type &&
	       (a->u == b->u || (!strcmp(a->name, "s64") && a->u == 1 && !b->u));
}

static bool scan(const struct libltt_event *event, const char *line, size_t len, char *buf)
{
	struct libltt_value taken, found;
	unsigned int i;

	for (i = 0; !libltt_field(event, i, &taken); i++) {
		if (libltt_scan(event->kind, i, line, len, buf, &found) ||
		    strcmp(found.name, taken.name) ||
		    !same(lib_class_field(event->kind, i), &taken, &found)) {
			printf("%s: field %s: %.*s\n", event->kind->marker, taken.name,
			       (int)len, line);
			return false;
		}
	}
	return libltt_scan(event->kind, i, line, len, buf, &found);
}

int main(int argc, char **argv)
{
	const struct libltt_options options = { .style = "kv" };
	static char line[LINE], buf[LINE];
	struct libltt_problem problem;
	struct libltt_event event;
	unsigned long wrong = 0;
	struct libltt *ltt;
	char *fields;
	long len;

	if (argc != 2)
		errx(2, "usage: scan_trace DIR");
	ltt = libltt_open((const char *const *)argv + 1, 1, &options, &problem);
	if (!ltt)
		errx(1, "%s: %s", problem.file, problem.text);
	while (libltt_next(ltt, &event) > 0) {
		if (event.lost)
			continue;
		len = libltt_line(ltt, &event, line, sizeof(line));
		if (len < 0)
			errx(1, "a line is too long");
		fields = memchr(line, ':', len);
		fields++;
		wrong += !scan(&event, fields, line + len - 1 - fields, buf);
	}
	printf("%lu numbers %lu strings %lu arrays %lu texts\n", numbers, strings, arrays, texts);
	libltt_close(ltt);
	return wrong || !numbers || !strings || !arrays;
}
