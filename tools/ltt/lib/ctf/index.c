// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: where the packets of a stream of another tracer are.
 *
 * All headers are read, once. If anything is odd about them, or if what a packet means depends on
 * the one before it, there is no index: the stream is read from its beginning.
 */
#include <errno.h>
#include <linux/kernel.h>
#include <stdlib.h>
#include <string.h>

#include "../slices.h"
#include "../symbols.h"
#include "ctf.h"

/* Places that are known of a stream, at most; a power of 2. Tests have fewer. */
#ifndef CTF_PLACES
#define CTF_PLACES	(1024u << 10)
#endif

/**
 * struct place - a packet, or several, if there are many
 * @begin:	offset in the file
 * @end:	ns, of its last event at the latest
 * @discarded:	events lost up to there
 * @number:	of the last one
 * @empty:	it has no events
 */
struct place {
	u64 begin;
	u64 end;
	u64 discarded;
	u64 number;
	bool empty;
};

/**
 * struct ctf_index - the packets of a stream
 * @at:		the packets, in the order of their times
 * @nr:		entries of @at, 0 if they are of no use
 * @room:	entries that are allocated
 * @step:	packets of an entry, of which the last one may have fewer
 * @packets:	all packets
 */
struct ctf_index {
	struct place *at;
	size_t nr;
	size_t room;
	u64 step;
	u64 packets;
};

/* Packets that are in @more, too, which are after the others. */
static void extend(struct place *place, const struct place *more)
{
	place->end = more->end;
	place->discarded = more->discarded;
	place->number = more->number;
	place->empty = place->empty && more->empty;
}

/* Two of the entries become one, to have room. */
static void halve(struct ctf_index *index)
{
	size_t i;

	index->nr /= 2;
	for (i = 0; i < index->nr; i++) {
		index->at[i] = index->at[2 * i];
		extend(&index->at[i], &index->at[2 * i + 1]);
	}
	index->step *= 2;
}

static bool add(struct ctf_index *index, const struct ctf_stream *c)
{
	const struct place place = {
		.begin = c->begin,
		.end = c->end,
		.discarded = c->r.slots[CTF_DISCARDED],
		.number = ctf_packet_number(c, index->packets),
		.empty = c->r.at >= c->content,
	};

	if (!c->end || (index->nr && c->end < index->at[index->nr - 1].end))
		return false;
	if (index->packets++ % index->step) {
		extend(&index->at[index->nr - 1], &place);
		return true;
	}
	if (index->nr == CTF_PLACES)
		halve(index);
	if (lib_grow((void **)&index->at, index->nr, &index->room, sizeof(place)))
		return false;
	index->at[index->nr++] = place;
	return true;
}

/* The last packet may be truncated. */
static bool add_all(struct lib_stream *s, struct ctf_index *index, struct ctf_stream *c)
{
	int err;

	c->class = s->ctf->class;
	while (c->next < s->pub.size) {
		if (ctf_packet_read(s, c, &err))
			return false;
		if (err)
			return err == -ENODATA;
		if (!add(index, c))
			return false;
	}
	return true;
}

/* Return: NULL if there is no memory. */
static const struct ctf_index *get(struct lib_stream *s)
{
	struct lib_stream reader = *s;
	struct ctf_index *index = s->ctf->index;
	struct ctf_stream *c;

	if (index)
		return index;
	index = calloc(1, sizeof(*index));
	if (index)
		index->step = 1;
	/* With a small buffer: little of each packet is read. */
	reader.room = 0;
	c = index ? ctf_stream_create(&reader) : NULL;
	if (!c) {
		free(index);
		return NULL;
	}
	if (s->ctf->class->begin_bits != 64 || !add_all(&reader, index, c))
		index->nr = 0;
	ctf_stream_free(c);
	s->ctf->index = index;
	return index;
}

/**
 * ctf_index_free() - free an index
 * @index:	the index, or NULL
 */
void ctf_index_free(struct ctf_index *index)
{
	if (!index)
		return;
	free(index->at);
	free(index);
}

/* The first packet that does not end before @ts. */
static size_t search(const struct ctf_index *index, u64 ts)
{
	size_t low = 0, high = index->nr, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (index->at[mid].end < ts)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/**
 * ctf_index_seek() - lib_index_seek() for a stream of another tracer
 * @s:		the stream, at its beginning
 * @ts:		ns, raw
 */
void ctf_index_seek(struct lib_stream *s, u64 ts)
{
	const struct ctf_index *index = get(s);
	struct ctf_stream *c = s->ctf;
	size_t nr = index ? search(index, ts) : 0;

	/* Losses before an event are told by the headers since the last event. */
	while (nr && index->at[nr - 1].empty)
		nr--;
	if (!nr)
		return;
	c->next = nr < index->nr ? index->at[nr].begin : s->pub.size;
	c->discarded = index->at[nr - 1].discarded;
	s->packets = min(nr * index->step, index->packets);
	s->packet.packet_seq_num = index->at[nr - 1].number;
}

/**
 * ctf_index_last() - what does the last packet of a stream of another tracer tell?
 * @s:		the stream
 * @number:	receives its number
 * @discarded:	receives how many events have been lost up to its end
 *
 * Return: whether there is an index.
 */
bool ctf_index_last(struct lib_stream *s, u64 *number, u64 *discarded)
{
	const struct ctf_index *index = get(s);

	if (!index || !index->nr)
		return false;
	*number = index->at[index->nr - 1].number;
	*discarded = index->at[index->nr - 1].discarded;
	return true;
}

/**
 * ctf_index_packet_size() - lib_index_packet_size() for a stream of another tracer
 * @s:		the stream
 *
 * Return: as that.
 */
u64 ctf_index_packet_size(struct lib_stream *s)
{
	const struct ctf_index *index = get(s);

	return index && index->nr ? max_t(u64, s->pub.size / index->packets, 1) : 0;
}

/**
 * ctf_index_sample() - lib_index_sample() for a stream of another tracer
 * @ltt:	for the range
 * @s:		the stream, for which ctf_index_packet_size() is not 0
 * @step:	packets that are not told apart
 * @samples:	get one for each of these
 *
 * Return: false if there is no memory.
 */
bool ctf_index_sample(const struct libltt *ltt, struct lib_stream *s, u64 step,
		      struct lib_samples *samples)
{
	const struct ctf_index *index = s->ctf->index;
	u64 size = ctf_index_packet_size(s);
	struct lib_sample *sample;
	size_t nr = 0;

	/* In entries, from here on. */
	size *= index->step;
	step = max_t(u64, step / index->step, 1);
	if (ltt->begin > s->shift)
		nr = search(index, ltt->begin - s->shift);
	for (; nr < index->nr; nr += step) {
		step = min_t(u64, step, index->nr - nr);
		if (lib_grow((void **)&samples->table, samples->nr, &samples->room,
			     sizeof(*sample)))
			return false;
		sample = &samples->table[samples->nr++];
		sample->ts = index->at[nr + step - 1].end + s->shift;
		sample->bytes = step * size;
		if (sample->ts > ltt->end)
			break;
	}
	return true;
}
