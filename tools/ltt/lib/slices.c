// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: where to divide traces into slices of time that have about as many bytes.
 *
 * What the indexes say is believed here: no harm is done if it is wrong but that slices have
 * different sizes.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <stdlib.h>

#include "slices.h"
#include "symbols.h"

/*
 * Bytes of a stream that are not told apart. In a stream of more, the place where a slice begins is
 * not found without an index.
 */
#define SAMPLE		(LIB_SLICE_MIN / 8)

/* A slice has as many bytes as this many packets of each stream: a part of them is read twice. */
#define PACKETS		3u

static int compare(const void *a, const void *b)
{
	const struct lib_sample *x = a, *y = b;

	return x->ts < y->ts ? -1 : x->ts > y->ts;
}

static bool sample_all(struct libltt *ltt, struct lib_samples *samples, u64 *slice)
{
	unsigned int i;
	u64 size;

	*slice = 0;
	for (i = 0; i < ltt->nr_streams; i++) {
		size = lib_index_packet_size(ltt, &ltt->streams[i]);
		if (!size && ltt->streams[i].pub.size <= SAMPLE)
			continue;
		if (!size || !lib_index_sample(ltt, &ltt->streams[i], SAMPLE, samples))
			return false;
		*slice += PACKETS * size;
	}
	*slice = min_t(u64, max_t(u64, *slice, LIB_SLICE_MIN), LIB_SLICE_MAX);
	return true;
}

/* The last time of each slice but the last one. */
static size_t cut(const struct libltt *ltt, const struct lib_samples *samples, u64 slice, u64 *ends)
{
	u64 bytes = 0, rest = 0, last = ltt->begin;
	size_t i, nr = 0;

	for (i = 0; i < samples->nr; i++)
		rest += samples->table[i].bytes;
	for (i = 0; i < samples->nr; i++) {
		bytes += samples->table[i].bytes;
		rest -= samples->table[i].bytes;
		if (samples->table[i].ts >= ltt->end || rest < slice / 2)
			break;
		if (bytes < slice || samples->table[i].ts <= last)
			continue;
		bytes = 0;
		last = samples->table[i].ts;
		ends[nr++] = last;
	}
	return nr;
}

/**
 * lib_slices() - divide the range into slices
 * @ltt:	the traces
 * @ends:	returns the last ns of each slice, ascending; the last one is the range's
 * @nr:		returns how many: 1 if the range is small, or nobody knows where to divide it
 *
 * Reports nothing.
 *
 * Return: 0 or -ENOMEM.
 */
int lib_slices(struct libltt *ltt, u64 **ends, size_t *nr)
{
	const struct libltt_options options = ltt->options;
	struct lib_samples samples = {};
	bool good;
	u64 slice;

	ltt->options.report = NULL;
	good = sample_all(ltt, &samples, &slice);
	ltt->options = options;
	if (!good)
		samples.nr = 0;

	*nr = 0;
	*ends = calloc(samples.nr + 1, sizeof(**ends));
	if (*ends) {
		if (samples.nr) {
			qsort(samples.table, samples.nr, sizeof(*samples.table), compare);
			*nr = cut(ltt, &samples, slice, *ends);
		}
		(*ends)[(*nr)++] = ltt->end;
	}
	free(samples.table);
	return *ends ? 0 : -ENOMEM;
}
