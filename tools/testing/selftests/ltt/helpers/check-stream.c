// SPDX-License-Identifier: GPL-2.0
/*
 * LTT test: is the text of ltt_test.event what was generated?
 *
 *	check-stream [-m] [-g GENERATED] < TEXT
 *
 * Every line is looked at: times never decrease; in each CPU and context numbers
 * grow by one but for events that are reported lost on that CPU; each event's
 * string is the one its number asks for. With -g, a copy of debugfs
 * ltt_test/generated from after the run: all that was generated was printed or
 * reported lost, nothing else. With -m, the text begins in the middle of what was
 * generated. Prints one line of figures; says what is wrong
 * on standard error and exits with 1.
 *
 * Written from the documented line format alone.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_CPUS	256
#define CONTEXTS	4

struct counts {
	uint64_t next[CONTEXTS];	/* number that comes next, without losses */
	bool begun[CONTEXTS];
	uint64_t seen;			/* lines */
	uint64_t missing;		/* numbers skipped so far */
	uint64_t lost;			/* reported lost */
};

static struct counts cpus[MAX_CPUS];
static uint64_t line_nr, errors;
static bool from_middle;

static void __attribute__((format(printf, 1, 2))) wrong(const char *fmt, ...)
{
	va_list args;

	if (++errors > 20)
		return;
	fprintf(stderr, "line %" PRIu64 ": ", line_nr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}

/* A decimal number at *p, which moves behind it. */
static bool number(const char **p, uint64_t *value)
{
	const char *start = *p;

	for (*value = 0; **p >= '0' && **p <= '9'; (*p)++)
		*value = *value * 10 + (**p - '0');
	return *p != start;
}

static bool literal(const char **p, const char *text)
{
	size_t len = strlen(text);

	if (strncmp(*p, text, len))
		return false;
	*p += len;
	return true;
}

/* # lost 12 events cpu 3 channel ltt_test before 1234.567890123; or of the shared buffers */
static void take_notice(const char *p)
{
	uint64_t lost, cpu;

	if (!strncmp(p, "# corrupt", 9)) {
		wrong("%s", p);
		return;
	}
	if (!literal(&p, "# lost "))
		return;
	if (!number(&p, &lost) || !literal(&p, " events cpu ") || !number(&p, &cpu) ||
	    (!literal(&p, " channel ltt_test ") && !literal(&p, " channel shared ")) ||
	    cpu >= MAX_CPUS) {
		wrong("malformed notice");
		return;
	}
	cpus[cpu].lost += lost;
}

static bool tail_right(const char *p, uint64_t seq)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz";

	return !strcmp(p, letters + seq % sizeof(letters));
}

/* 1234.567890123 [003] ltt_test.event: context 0 seq 17 tail rstuvwxyz */
static void take_event(const char *line)
{
	static uint64_t last_sec, last_nsec;
	uint64_t sec, nsec, cpu, context, seq;
	const char *p = line;
	struct counts *c;

	if (!number(&p, &sec) || !literal(&p, ".") || strcspn(p, " ") != 9 ||
	    !number(&p, &nsec) || !literal(&p, " [") || !number(&p, &cpu) ||
	    !literal(&p, "] ltt_test.event: context ") || !number(&p, &context) ||
	    !literal(&p, " seq ") || !number(&p, &seq) || !literal(&p, " tail ") ||
	    cpu >= MAX_CPUS || context >= CONTEXTS) {
		wrong("malformed line: %.120s", line);
		return;
	}
	if (sec < last_sec || (sec == last_sec && nsec < last_nsec))
		wrong("time goes back from %" PRIu64 ".%09" PRIu64 ": %.60s", last_sec,
		      last_nsec, line);
	last_sec = sec;
	last_nsec = nsec;
	if (!tail_right(p, seq))
		wrong("torn: %.120s", line);

	c = &cpus[cpu];
	c->seen++;
	if (from_middle && !c->begun[context])
		c->next[context] = seq;
	c->begun[context] = true;
	if (seq < c->next[context]) {
		wrong("repeated or out of order, %" PRIu64 " is next: %.120s",
		      c->next[context], line);
		return;
	}
	c->missing += seq - c->next[context];
	c->next[context] = seq + 1;
	/* A loss is reported before what follows it. */
	if (c->missing > c->lost)
		wrong("%" PRIu64 " missing, %" PRIu64 " reported lost: %.120s",
		      c->missing, c->lost, line);
}

static void compare(const char *path)
{
	FILE *file = fopen(path, "r");
	uint64_t all[MAX_CPUS] = { 0 }, events;
	unsigned int cpu, context;

	if (!file) {
		wrong("%s: %s", path, strerror(errno));
		return;
	}
	while (fscanf(file, "cpu %u context %u events %" SCNu64 "\n", &cpu, &context,
		      &events) == 3) {
		if (cpu < MAX_CPUS)
			all[cpu] += events;
	}
	fclose(file);
	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (all[cpu] != cpus[cpu].seen + cpus[cpu].lost)
			wrong("cpu %u: %" PRIu64 " generated, %" PRIu64 " printed + %"
			      PRIu64 " lost", cpu, all[cpu], cpus[cpu].seen,
			      cpus[cpu].lost);
	}
}

int main(int argc, char **argv)
{
	uint64_t seen = 0, lost = 0;
	const char *generated = NULL;
	size_t size = 0, cpu;
	char *line = NULL;
	ssize_t len;
	int opt;

	while ((opt = getopt(argc, argv, "g:m")) != -1) {
		if (opt == 'g')
			generated = optarg;
		else if (opt == 'm')
			from_middle = true;
		else
			return 2;
	}
	while ((len = getline(&line, &size, stdin)) > 0) {
		line_nr++;
		if (line[len - 1] != '\n')
			wrong("the last line is cut off");
		line[len - 1] = '\0';
		if (*line == '#')
			take_notice(line);
		else
			take_event(line);
	}
	free(line);
	if (generated)
		compare(generated);
	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		seen += cpus[cpu].seen;
		lost += cpus[cpu].lost;
	}
	printf("lines %" PRIu64 " printed %" PRIu64 " lost %" PRIu64 " errors %" PRIu64 "\n",
	       line_nr, seen, lost, errors);
	return errors ? 1 : 0;
}
