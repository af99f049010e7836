// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: which signals are somebody's wish not to wait (child.c), by a clock of our own.
 */

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "ktap.h"

#include "../../../ltt/capture/child.h"

#define SECOND	1000000000ll

static long long now;
static int signals;

/* The linker has child.c use this one. */
int __wrap_clock_gettime(clockid_t clock __attribute__((unused)), struct timespec *ts)
{
	ts->tv_sec = now / SECOND;
	ts->tv_nsec = now % SECOND;
	return 0;
}

/* A number is a signal, which comes at once; 0: all are taken, then half a second passes. */
struct sequence {
	const char *name;
	int steps[12];
	unsigned int interrupts;
	unsigned int aborts;
};

#define END	-1

static const struct sequence sequences[] = {
	{ "Ctrl-C", { SIGINT, 0, END }, 1, 0 },
	{ "Ctrl-C twice", { SIGINT, 0, SIGINT, 0, END }, 1, 1 },
	{ "three times", { SIGINT, 0, SIGINT, 0, SIGINT, 0, END }, 1, 2 },
	{ "systemd", { SIGTERM, SIGHUP, 0, END }, 2, 0 },
	{ "systemd, as it may be seen", { SIGTERM, 0, SIGHUP, 0, END }, 2, 0 },
	{ "timeout", { SIGTERM, 0, SIGTERM, 0, END }, 2, 0 },
	{ "a closed terminal", { SIGHUP, 0, 0, 0, 0, SIGHUP, 0, 0, 0, SIGHUP, 0, END }, 3, 0 },
	{ "SIGTERM late", { SIGTERM, 0, 0, 0, SIGTERM, 0, END }, 1, 1 },
	{ "SIGTERM late, and at once again",
	  { SIGTERM, 0, 0, 0, SIGTERM, 0, SIGTERM, 0, END }, 2, 1 },
	{ "SIGTERM late, twice", { SIGTERM, 0, 0, 0, SIGTERM, 0, 0, 0, SIGTERM, 0, END }, 1, 2 },
	{ "SIGTERM after SIGHUP", { SIGHUP, 0, 0, 0, SIGTERM, 0, END }, 1, 1 },
	{ "SIGTERM after Ctrl-C", { SIGINT, 0, SIGTERM, 0, 0, SIGTERM, 0, END }, 2, 1 },
	{ "Ctrl-C after SIGTERM", { SIGTERM, 0, 0, 0, SIGINT, 0, END }, 2, 0 },
	{ "Ctrl-C twice after SIGHUP", { SIGHUP, 0, 0, 0, SIGINT, 0, SIGINT, 0, END }, 2, 1 },
};

/* Take all there are. */
static void take(struct child *child, unsigned int *interrupts, unsigned int *aborts)
{
	enum child_event event;

	while ((event = child_signal(child, signals)) != CHILD_NOTHING) {
		*interrupts += event == CHILD_INTERRUPT;
		*aborts += event == CHILD_ABORT;
		EXPECT(event != CHILD_ENDED, "a command");
	}
}

static void test_sequences(void)
{
	unsigned int i, interrupts, aborts;
	const int *step;

	for (i = 0; i < sizeof(sequences) / sizeof(*sequences); i++) {
		struct child child = { };

		interrupts = 0;
		aborts = 0;
		for (step = sequences[i].steps; *step != END; step++) {
			if (*step) {
				kill(getpid(), *step);
				continue;
			}
			take(&child, &interrupts, &aborts);
			now += SECOND / 2;
		}
		EXPECT(interrupts == sequences[i].interrupts && aborts == sequences[i].aborts,
		       "%s: %u times to end, %u not to wait", sequences[i].name, interrupts,
		       aborts);
	}
}

/* When it has come is not known: it may be one of those that came together. */
static void test_busy(void)
{
	unsigned int interrupts = 0, aborts = 0;
	struct child child = { };

	kill(getpid(), SIGTERM);
	EXPECT(child_signal(&child, signals) == CHILD_INTERRUPT, "the first");
	kill(getpid(), SIGTERM);
	now += 10 * SECOND;
	take(&child, &interrupts, &aborts);
	EXPECT(interrupts == 1 && !aborts, "%u, %u", interrupts, aborts);
	kill(getpid(), SIGTERM);
	take(&child, &interrupts, &aborts);
	EXPECT(interrupts == 1 && aborts == 1, "%u, %u", interrupts, aborts);
}

/* Before the command is started, too. */
static void test_cancel(void)
{
	unsigned int interrupts = 0, aborts = 0;
	struct child child = { };

	EXPECT(!child_cancel(&child, signals), "nothing");
	kill(getpid(), SIGINT);
	EXPECT(child_cancel(&child, signals) && child.status == 128 + SIGINT, "%d", child.status);
	kill(getpid(), SIGINT);
	take(&child, &interrupts, &aborts);
	EXPECT(!interrupts && aborts == 1, "%u, %u", interrupts, aborts);
}

/* Who sleeps is awake when a second has passed. */
static void test_timeout(void)
{
	unsigned int interrupts = 0, aborts = 0;
	struct child child = { };

	EXPECT(child_timeout(&child, -1) == -1 && child_timeout(&child, 7) == 7, "no signal");
	kill(getpid(), SIGTERM);
	take(&child, &interrupts, &aborts);
	now += SECOND / 2;
	EXPECT(child_timeout(&child, -1) >= 500 && child_timeout(&child, -1) < 510, "%d",
	       child_timeout(&child, -1));
	EXPECT(child_timeout(&child, 5000) < 510 && child_timeout(&child, 7) == 7, "limit");
	now += child_timeout(&child, -1) * (SECOND / 1000);
	EXPECT(!child_timeout(&child, -1), "%d", child_timeout(&child, -1));
	take(&child, &interrupts, &aborts);
	EXPECT(child_timeout(&child, -1) == -1 && child_timeout(&child, 7) == 7, "settled");
	kill(getpid(), SIGTERM);
	take(&child, &interrupts, &aborts);
	EXPECT(interrupts == 1 && aborts == 1, "%u, %u", interrupts, aborts);
}

static const struct ktap_case cases[] = {
	{ "what comes together is one", test_sequences },
	{ "signals that came while we were busy", test_busy },
	{ "before the command", test_cancel },
	{ "how long to sleep", test_timeout },
};

int main(void)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
	unsigned int i;

	now = 1000 * SECOND;
	/* Those that are ignored are not waited for. */
	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		signal(ends[i], SIG_DFL);
	signals = child_signals();
	if (signals < 0)
		return 1;
	return ktap_run(cases, sizeof(cases) / sizeof(*cases));
}
