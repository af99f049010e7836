// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: which channel and CPU a stream is of.
 *
 * A file's name says it, and its packets' headers do. Files may be renamed, and a header may be
 * damaged, so it takes two of them that agree.
 */
#include <ctype.h>
#include <linux/kernel.h>
#include <stdlib.h>
#include <string.h>

#include "stream.h"

/* Headers that are looked at. */
#define HEADERS_MAX	64u

/**
 * struct owner - whose a packet is
 * @stream:	number of the channel
 * @cpu:	number of the CPU
 */
struct owner {
	u64 stream;
	u64 cpu;
};

static bool same(const struct owner *a, const struct owner *b)
{
	return a->stream == b->stream && a->cpu == b->cpu;
}

static void become(struct lib_stream *s, const struct owner *owner)
{
	s->channel = lib_channel_find(s->trace, owner->stream);
	s->pub.stream = owner->stream;
	s->pub.cpu = owner->cpu;
}

/* CHANNEL_CPU, of a channel that is declared? */
static bool by_name(const struct lib_trace *trace, const char *name, struct owner *owner)
{
	const char *cpu = strrchr(name, '_');
	const struct lib_channel *channel;
	char *end;

	if (!cpu || !isdigit((unsigned char)cpu[1]))
		return false;
	owner->cpu = strtoul(cpu + 1, &end, 10);
	if (*end)
		return false;
	for (owner->stream = 0; owner->stream < trace->nr_channels; owner->stream++) {
		channel = trace->channels[owner->stream];
		if (channel && channel->name && !strncmp(channel->name, name, cpu - name) &&
		    !channel->name[cpu - name])
			return true;
	}
	return false;
}

/**
 * lib_stream_named() - take a file's name for what is in it
 * @s:		the stream; the metadata of its trace are known
 * @name:	of the file, without its directory
 *
 * Return: false if it is not that of a stream of the trace.
 */
bool lib_stream_named(struct lib_stream *s, const char *name)
{
	struct owner owner;

	if (!by_name(s->trace, name, &owner))
		return false;
	become(s, &owner);
	return true;
}

/* The first one of a channel that is declared; of two that agree, if there are such. */
static const struct owner *choose(const struct lib_stream *s, const struct owner *owners,
				  unsigned int nr)
{
	const struct owner *first = NULL;
	unsigned int i, j;

	for (i = 0; i < nr; i++) {
		if (!lib_channel_find(s->trace, owners[i].stream))
			continue;
		first = first ?: &owners[i];
		for (j = 0; j < i; j++) {
			if (same(&owners[j], &owners[i]))
				return &owners[i];
		}
	}
	return first ?: &owners[0];
}

/**
 * lib_stream_owner() - find out from the first packets which channel and CPU a stream is of
 * @s:		the stream; the metadata of its trace are known
 * @name:	of the file, without its directory
 *
 * What the name says, if a packet says the same; else what two packets say; else what
 * one says.
 *
 * Return: 1: @s->channel is the channel, NULL if it is not declared; 0: there is no whole packet
 * of the trace; or a negative errno.
 */
int lib_stream_owner(struct lib_stream *s, const char *name)
{
	struct owner named, owners[HEADERS_MAX];
	bool has_name = by_name(s->trace, name, &named);
	struct ltt_packet packet;
	unsigned int nr = 0;
	u64 at = 0;
	int ret = 1;

	/* Packets of all channels and CPUs will do. */
	s->channel = NULL;
	while (nr < HEADERS_MAX && at < s->pub.size) {
		if (!lib_packet_whole(s, at, &packet)) {
			ret = lib_packet_search(s, at + 1, &at);
			if (ret <= 0)
				break;
			continue;
		}
		owners[nr] = (struct owner){ packet.stream_id, packet.cpu_id };
		if (has_name && same(&owners[nr], &named)) {
			become(s, &named);
			return 1;
		}
		at += packet.packet_size / 8;
		nr++;
	}
	if (ret < 0 || !nr)
		return min(ret, 0);
	become(s, choose(s, owners, nr));
	return 1;
}
