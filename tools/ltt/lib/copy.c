// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: several readers of the same traces, each for a thread.
 *
 * What was declared belongs to the one that opened the traces, and so do files; nobody changes
 * them. What depends on how far has been read is in streams and merge, of which each reader
 * has its own.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <stdlib.h>
#include <string.h>

#include "ctf/ctf.h"
#include "slices.h"
#include "stream.h"

/**
 * struct lib_place - how far a stream was read: all on which what follows depends
 * @key:	of its next event or notice in the merge; if there is none, all else is 0
 * @at:		offset of the event in the file; 0 if there is only a notice
 * @ts:		as in struct lib_stream, like all that follow
 * @ts_end:	"
 * @lost:	"
 * @packet_end:	"
 * @content_end: "
 * @corrupt_packet: "
 * @corrupt_offset: "
 * @packet:	"
 * @corrupt:	"
 * @finished:	"
 * @packets:	a packet was entered
 */
struct lib_place {
	struct ltt_merge_key key;
	u64 at;
	u64 ts;
	u64 ts_end;
	u64 lost;
	u64 packet_end;
	u64 content_end;
	u64 corrupt_packet;
	u64 corrupt_offset;
	struct ltt_packet packet;
	bool corrupt;
	bool finished;
	bool packets;
};

static void get_place(const struct libltt *ltt, unsigned int nr, struct lib_place *place)
{
	const struct lib_stream *s = &ltt->streams[nr];

	/* They are compared as bytes. */
	memset(place, 0, sizeof(*place));
	place->key = ltt->merge.nodes[ltt->merge.nr + nr];
	if (place->key.tie == LTT_MERGE_NONE)
		return;
	place->ts = s->ts;
	place->ts_end = s->ts_end;
	place->lost = s->lost;
	place->finished = s->finished;
	place->corrupt = s->corrupt;
	if (s->corrupt) {
		place->corrupt_packet = s->corrupt_packet;
		place->corrupt_offset = s->corrupt_offset;
	}
	if (!s->header)
		return;
	place->at = s->ctf ? ctf_stream_place(s) : s->window_at + (s->p - s->window);
	place->packet_end = s->packet_end;
	place->content_end = s->ctf ? 0 : s->content_end;
	place->packet = s->packet;
	place->packets = s->packets;
}

/**
 * lib_places() - remember how far a reader has got
 * @ltt:	the reader, between two events
 *
 * Return: what to compare others with, to be freed by free(), or NULL.
 */
struct lib_place *lib_places(const struct libltt *ltt)
{
	struct lib_place *places = calloc(ltt->nr_streams, sizeof(*places));
	unsigned int i;

	for (i = 0; places && i < ltt->nr_streams; i++)
		get_place(ltt, i, &places[i]);
	return places;
}

/**
 * lib_places_equal() - has another reader got as far as this one?
 * @ltt:	this one, between two events
 * @places:	what lib_places() has returned for the other one
 *
 * Return: whether all that they will read is the same.
 */
bool lib_places_equal(const struct libltt *ltt, const struct lib_place *places)
{
	struct lib_place place;
	unsigned int i;

	for (i = 0; i < ltt->nr_streams; i++) {
		get_place(ltt, i, &place);
		if (memcmp(&place, &places[i], sizeof(place)))
			return false;
	}
	return true;
}

/* All that a stream's reader has of its own. */
static int copy_streams(const struct libltt *ltt, struct libltt *copy)
{
	struct lib_stream *s;
	unsigned int i;

	copy->streams = aligned_alloc(__alignof__(*s), ltt->nr_streams * sizeof(*s));
	if (!copy->streams)
		return -ENOMEM;
	memcpy(copy->streams, ltt->streams, ltt->nr_streams * sizeof(*s));
	copy->nr_streams = ltt->nr_streams;
	for (i = 0; i < copy->nr_streams; i++) {
		s = &copy->streams[i];
		s->window = NULL;
		s->room = 0;
		s->window_at = 0;
		s->window_len = 0;
		s->index = NULL;
		s->ctf = NULL;
	}
	for (i = 0; i < copy->nr_streams; i++) {
		if (lib_index_share(&copy->streams[i], &ltt->streams[i]) ||
		    ctf_stream_share(&copy->streams[i], &ltt->streams[i]))
			return -ENOMEM;
	}
	return 0;
}

/**
 * lib_copy_create() - make another reader
 * @ltt:	the traces, of which nothing has been read, nor is as long as there is a copy
 * @options:	for the copy
 * @nr:		how many copies there will be: they share the memory for windows
 *
 * Return: the reader, to be freed by lib_copy_free(), or NULL if there is no memory.
 */
struct libltt *lib_copy_create(const struct libltt *ltt, const struct libltt_options *options,
			       unsigned int nr)
{
	struct libltt *copy = calloc(1, sizeof(*copy));

	if (!copy)
		return NULL;
	copy->traces = ltt->traces;
	copy->nr_traces = ltt->nr_traces;
	copy->options = *options;
	copy->begin = ltt->begin;
	copy->end = ltt->end;
	ltt_textbuf_init(&copy->out, (char *)copy, 0);
	if (ltt_style_open(&copy->out, ltt->out.style) || copy_streams(ltt, copy) ||
	    lib_stream_windows(copy, nr) ||
	    ltt_merge_init(&copy->merge, max(copy->nr_streams, 1u))) {
		lib_copy_free(copy);
		return NULL;
	}
	return copy;
}

/**
 * lib_copy_free() - free a reader that is a copy
 * @copy:	what lib_copy_create() returned, NULL included
 */
void lib_copy_free(struct libltt *copy)
{
	unsigned int i;

	if (!copy)
		return;
	for (i = 0; i < copy->nr_streams; i++) {
		lib_index_close(&copy->streams[i]);
		ctf_stream_close(&copy->streams[i]);
		free(copy->streams[i].window);
	}
	if (copy->out.style)
		ltt_style_close(&copy->out);
	ltt_merge_destroy(&copy->merge);
	free(copy->streams);
	free(copy);
}

/**
 * lib_copy_adopt() - go on where a copy has ended
 * @ltt:	the traces
 * @copy:	its copy, between two events, which can only be freed then
 */
void lib_copy_adopt(struct libltt *ltt, struct libltt *copy)
{
	struct ltt_merge merge = ltt->merge;
	struct lib_stream *to, *from, old;
	unsigned int i;

	for (i = 0; i < ltt->nr_streams; i++) {
		to = &ltt->streams[i];
		from = &copy->streams[i];
		old = *to;
		*to = *from;
		to->fd = old.fd;
		to->index = old.index;
		from->window = old.window;
		from->ctf = old.ctf;
		ctf_stream_swap_index(to, from);
	}
	ltt->merge = copy->merge;
	copy->merge = merge;
	ltt->started = true;
	ltt->taken = 0;
}
