// SPDX-License-Identifier: GPL-2.0
/*
 * The floating-point numbers in a trace of another tracer, as libltt has them: for each event that
 * has some, its name and the numbers.
 *
 * usage: foreign_values DIRECTORY
 */
#include <stdio.h>

#include "../../../ltt/lib/libltt.h"

static bool print(const struct libltt_value *value, bool first)
{
	size_t i;

	if (value->type == LIBLTT_DOUBLE) {
		printf("%s%.6g", first ? "" : ",", value->d);
		return true;
	}
	if (value->type != LIBLTT_DOUBLES)
		return false;
	for (i = 0; i < value->count; i++)
		printf("%s%.6g", first && !i ? "" : ",", libltt_double(value, i));
	return value->count;
}

int main(int argc, char **argv)
{
	struct libltt_problem error;
	struct libltt_value value, kind;
	struct libltt_event event;
	struct libltt *ltt;
	unsigned int i;
	bool any;

	if (argc != 2)
		return 2;
	ltt = libltt_open((const char *const *)argv + 1, 1, NULL, &error);
	if (!ltt) {
		fprintf(stderr, "%s: %s\n", error.file, error.text);
		return 1;
	}
	while (libltt_next(ltt, &event) > 0) {
		for (i = 0, any = false; event.kind && !libltt_field(&event, i, &value); i++) {
			/* The type is known before there is an event. */
			if (libltt_class_field(event.kind, i, &kind) ||
			    (value.type >= LIBLTT_DOUBLE && kind.type != value.type))
				return 1;
			any |= print(&value, !any);
		}
		if (any)
			puts("");
	}
	i = libltt_errors(ltt) != 0;
	libltt_close(ltt);
	return i;
}
