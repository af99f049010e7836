// SPDX-License-Identifier: GPL-2.0
/*
 * What ltt record tells its user: the sums are right, and what they cost does not depend
 * on the number of streams.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../../ltt/capture/capture.h"
#include "../../../ltt/capture/control.h"
#include "../../../ltt/capture/progress.h"
#include "ktap.h"

#define CHANNELS	100
#define CPUS		512

static struct capture capture;
static unsigned int asked;

/* The tracer's file of a channel; each has events of its own. */
int control_stats(const char *trace, const char *channel, struct control_stats *stats)
{
	(void)trace;
	asked++;
	*stats = (struct control_stats) { .events = atoi(channel + 1) };
	return 0;
}

/* All streams of all channels, in the order in which the kernel may list them. */
static void fill(void)
{
	unsigned int cpu, id, nr = 0;
	struct channel *channel;
	char name[32];
	bool is_new;

	for (cpu = 0; cpu < CPUS; cpu++) {
		for (id = 0; id < CHANNELS; id++) {
			snprintf(name, sizeof(name), "c%u_%u", id, cpu);
			channel = channel_get(&capture, id, name, strchr(name, '_') - name,
					      &is_new);
			EXPECT(channel && is_new == !cpu, "%s", name);
			channel_add(channel, 1000, id == 7 ? 2 : 0);
			nr++;
		}
	}
	capture.nr_streams = nr;
}

static void test_sums(void)
{
	char *text = NULL;
	size_t size;
	FILE *old = stderr;

	EXPECT(capture.nr_channels == CHANNELS, "%u channels", capture.nr_channels);
	EXPECT_STR(capture.channels[99]->name, "c99");
	EXPECT(progress_events(&capture) == CHANNELS * (CHANNELS - 1) / 2, "events");
	stderr = open_memstream(&text, &size);
	progress_summary(&capture, "dir", 5);
	progress_summary(&capture, "dir", 0);
	progress_summary(&capture, "dir", PROGRESS_UNKNOWN);
	fclose(stderr);
	stderr = old;
	EXPECT_STR(text, "dir: 51200000 bytes in 51200 packets, 5 events, 1024 lost\n"
		   "dir: channel c7: 1024 events lost\n"
		   "dir: 51200000 bytes in 51200 packets, 0 events, 1024 lost\n"
		   "dir: channel c7: 1024 events lost\n"
		   "dir: 51200000 bytes in 51200 packets, 1024 lost\n"
		   "dir: channel c7: 1024 events lost\n");
	free(text);
}

/* A look at any stream ends the test: none can be read. */
static void test_cost(void)
{
	struct progress progress;
	char *text = NULL;
	size_t size;
	FILE *old = stderr;

	capture.streams = mmap(NULL, capture.nr_streams * sizeof(*capture.streams), PROT_NONE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stderr = open_memstream(&text, &size);
	progress_begin(&progress);
	asked = 0;
	progress_show(&progress, &capture);
	fclose(stderr);
	stderr = old;
	EXPECT(asked == CHANNELS, "%u channels were asked", asked);
	EXPECT(strstr(text, "1024 lost"), "%s", text);
	free(text);
}

static const struct ktap_case cases[] = {
	{ "sums", test_sums },
	{ "what the line costs", test_cost },
};

int main(void)
{
	int status;

	fill();
	status = ktap_run(cases, sizeof(cases) / sizeof(*cases));
	capture.streams = NULL;
	channels_free(&capture);
	return status;
}
