// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: durations, as subcommands take them.
 */

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "duration.h"

/**
 * duration_parse() - read a duration
 * @text:	a number, perhaps with a decimal point, and its unit: ns, us, ms or s
 * @ns:		returns it, in ns; exact up to 2^53
 *
 * Return: is it one?
 */
bool duration_parse(const char *text, uint64_t *ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	double value;
	size_t i;
	char *end;

	/* Neither signs nor what else strtod() knows. */
	if (strspn(text, "0123456789.") == 0)
		return false;
	value = strtod(text, &end);
	if (end != text + strspn(text, "0123456789."))
		return false;
	for (i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(end, units[i].name))
			continue;
		value *= units[i].ns;
		if (value >= 9e18)
			return false;
		*ns = value + 0.5;
		return true;
	}
	return false;
}
