/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests that print KTAP (Documentation/dev-tools/ktap.rst of the kernel).
 *
 * A test case is a function; ktap_run() runs a list of them and returns the status to
 * exit with. EXPECT() notes a failure and goes on; a case with a failure is "not ok".
 * With LTT_CASE in the environment, a number or a regular expression for names, the other
 * cases are skipped.
 */
#ifndef _LTT_KTAP_H
#define _LTT_KTAP_H

#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/compiler.h>

struct ktap_case {
	const char *name;
	void (*run)(void);
};

#define KTAP_MAX_COMPLAINTS	10

static unsigned int ktap_failures;

static inline __printf(3, 4)
void ktap_fail(const char *file, int line, const char *format, ...)
{
	va_list args;

	if (++ktap_failures > KTAP_MAX_COMPLAINTS)
		return;
	printf("# %s:%d: ", strrchr(file, '/') ? strrchr(file, '/') + 1 : file, line);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

/* Like assert(), but goes on; the rest is a message for printf(). */
#define EXPECT(condition, ...) \
	((condition) ? 1 : (ktap_fail(__FILE__, __LINE__, __VA_ARGS__), 0))

static inline void ktap_expect_str(const char *file, int line, const char *got,
				   const char *want)
{
	if (strcmp(got, want))
		ktap_fail(file, line, "got '%s', want '%s'", got, want);
}

#define EXPECT_STR(got, want)	ktap_expect_str(__FILE__, __LINE__, got, want)

static inline int ktap_wanted(unsigned int number, const char *name)
{
	const char *wanted = getenv("LTT_CASE");
	regex_t regex;
	int no_match;

	if (!wanted || !*wanted)
		return 1;
	if (!wanted[strspn(wanted, "0123456789")])
		return strtoul(wanted, NULL, 10) == number;
	if (regcomp(&regex, wanted, REG_EXTENDED | REG_NOSUB)) {
		printf("Bail out! LTT_CASE is no regular expression\n");
		exit(1);
	}
	no_match = regexec(&regex, name, 0, NULL, 0);
	regfree(&regex);
	return !no_match;
}

static inline int ktap_run(const struct ktap_case *cases, unsigned int nr)
{
	unsigned int i, bad = 0;

	/* Line by line, so that a crash leaves what came before it. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("KTAP version 1\n1..%u\n", nr);
	for (i = 0; i < nr; i++) {
		if (!ktap_wanted(i + 1, cases[i].name)) {
			printf("ok %u %s # SKIP not asked for\n", i + 1, cases[i].name);
			continue;
		}
		ktap_failures = 0;
		cases[i].run();
		bad += !!ktap_failures;
		printf("%s %u %s\n", ktap_failures ? "not ok" : "ok", i + 1, cases[i].name);
	}
	return !!bad;
}

/* Numbers that are the same in every run (xorshift64*, Marsaglia and Vigna). */
static inline unsigned long long ktap_random(unsigned long long *state)
{
	unsigned long long x = *state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*state = x;
	return x * 0x2545f4914f6cdd1dull;
}

#endif /* _LTT_KTAP_H */
