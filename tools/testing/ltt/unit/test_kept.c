// SPDX-License-Identifier: GPL-2.0
/*
 * Names of windows on disk: when they were taken.
 */

#include <err.h>
#include <time.h>
#include <unistd.h>

#include "../../../ltt/common/now.h"
#include "../../../ltt/flight/flight.h"
#include "ktap.h"

#define SECOND	UINT64_C(1000000000)

static struct store store = { .next = 1 };

/* store.c has these; no window is made or removed here. */
char *store_tmp(const struct store *of __attribute__((unused)),
		const char *name __attribute__((unused)))
{
	return NULL;
}

int store_sync(const char *path __attribute__((unused)))
{
	return -1;
}

static time_t present(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec;
}

/* Does the name of one taken then say that it was @ago seconds before now, which began @from? */
static void expect_time(uint64_t taken, time_t from, long ago)
{
	char name[NAME_MAX + 1] = "";
	struct tm tm = { };
	const char *end;
	time_t when;

	EXPECT(!kept_name(&store, taken, name), "no name");
	end = strptime(name, "1-%Y%m%dT%H%M%SZ", &tm);
	when = timegm(&tm) + ago;
	/* It is rounded down. */
	EXPECT(end && !*end && when >= from - 1 && when <= present(), "%s is %lld, not %lld to %lld",
	       name, (long long)when, (long long)from, (long long)present());
}

static void test_past(void)
{
	expect_time(now_ns(), present(), 0);
	expect_time(now_ns() - SECOND / 2, present(), 0);
	if (now_ns() > 40 * SECOND)
		expect_time(now_ns() - 40 * SECOND, present(), 40);
}

/* The trace's clock goes on during suspend-to-idle, and stays ahead. */
static void test_ahead(void)
{
	expect_time(now_ns() + 40 * SECOND, present(), 0);
	expect_time(now_ns() + 100000 * SECOND, present(), 0);
	expect_time(UINT64_MAX, present(), 0);
}

static const struct ktap_case cases[] = {
	{ "when it was taken", test_past },
	{ "a clock that is ahead", test_ahead },
};

int main(void)
{
	char path[] = "/tmp/test_kept.XXXXXX";
	int status;

	store.path = mkdtemp(path);
	if (!store.path)
		err(1, "%s", path);
	status = ktap_run(cases, sizeof(cases) / sizeof(*cases));
	rmdir(path);
	return status;
}
