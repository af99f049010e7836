/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT test: are the packets of a stream of ltt_test.event what was generated?
 *
 * Written from the description of the format alone (include/linux/ltt/packet.h), for the
 * byte order of this machine.
 */
#ifndef PACKETS_H
#define PACKETS_H

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTEXTS	4

struct packet_header {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t stream_id;
	uint64_t timestamp_begin;
	uint64_t timestamp_end;
	uint64_t content_size;
	uint64_t packet_size;
	uint64_t seq;
	uint64_t discarded;
	uint32_t cpu;
	uint32_t reserved;
};

/**
 * struct checker - what is known of a stream so far
 * @first:	header of the first packet
 * @packets:	how many there were
 * @events:	in them
 * @bytes:	of them
 * @gaps:	packets that were skipped
 * @last:	header of the last packet
 * @last_events: events in it
 * @missing:	numbers skipped in all contexts
 * @late:	the reader came late, or others had read from the buffer before
 * @before:	@late: events that others took before the first packet
 * @next:	number that comes next
 * @errors:	things that are wrong
 */
struct checker {
	struct packet_header first;
	uint64_t packets;
	uint64_t events;
	uint64_t bytes;
	uint64_t gaps;
	struct packet_header last;
	uint64_t last_events;
	uint64_t missing;
	bool late;
	uint64_t before;
	uint64_t next[CONTEXTS];
	uint64_t errors;
};

static inline void __attribute__((format(printf, 2, 3)))
wrong(struct checker *c, const char *fmt, ...)
{
	va_list args;

	if (++c->errors > 10)
		return;
	fprintf(stderr, "cpu %u packet %" PRIu64 ": ", c->last.cpu, c->last.seq);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}

/* One event: context (8 bits), seq (64 bits), tail (a string). Return: bytes, 0: bad. */
static inline size_t check_event(struct checker *c, const uint8_t *p, size_t size, uint64_t *ts)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
	uint32_t word, id, low;
	const uint8_t *begin = p, *end = p + size, *nul;
	uint64_t seq, full;
	uint8_t context;

	if (size < 4)
		return 0;
	memcpy(&word, p, 4);
	p += 4;
	id = word & 31;
	low = word >> 5;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	id = word >> 27;
	low = word & 0x7ffffff;
#endif
	if (id == 31) {
		if (end - p < 12)
			return 0;
		memcpy(&id, p, 4);
		memcpy(&full, p + 4, 8);
		p += 12;
	} else {
		full = (*ts & ~0x7ffffffull) | low;
		if (full < *ts)
			full += 0x8000000;
	}
	if (full < *ts)
		wrong(c, "time goes back by %" PRIu64, *ts - full);
	*ts = full;
	if (end - p < 10)
		return 0;
	context = *p++;
	memcpy(&seq, p, 8);
	p += 8;
	nul = memchr(p, 0, end - p);
	if (!nul || context >= CONTEXTS)
		return 0;
	if (strcmp((const char *)p, letters + seq % sizeof(letters)))
		wrong(c, "torn: context %u seq %" PRIu64 " tail %s", context, seq, p);
	if (seq < c->next[context]) {
		wrong(c, "context %u seq %" PRIu64 " repeated or out of order", context, seq);
	} else {
		c->missing += seq - c->next[context];
		c->next[context] = seq + 1;
	}
	return nul + 1 - begin;
}

static inline void check_header(struct checker *c, const struct packet_header *h, size_t size)
{
	if (h->magic != 0xc1fc1fc1)
		wrong(c, "magic %#x", h->magic);
	if (h->content_size != size * 8 || h->packet_size != size * 8)
		wrong(c, "content %" PRIu64 " and packet size %" PRIu64 " bits in %zu bytes",
		      h->content_size, h->packet_size, size);
	if (h->timestamp_end < h->timestamp_begin)
		wrong(c, "ends before it begins");
	if (h->reserved)
		wrong(c, "reserved word is %#x", h->reserved);
}

static inline void check_next(struct checker *c, const struct packet_header *last,
			      const struct packet_header *h)
{
	if (memcmp(h->uuid, c->first.uuid, 16) || h->stream_id != c->first.stream_id ||
	    h->cpu != c->first.cpu)
		wrong(c, "uuid, stream or cpu has changed");
	if (h->timestamp_begin < last->timestamp_end)
		wrong(c, "begins %" PRIu64 " ns before the last one ended",
		      last->timestamp_end - h->timestamp_begin);
	if (h->seq <= last->seq)
		wrong(c, "comes after %" PRIu64, last->seq);
	else
		c->gaps += h->seq - last->seq - 1;
	if (h->discarded < last->discarded)
		wrong(c, "fewer events discarded than before");
}

/* A packet as a whole. */
static inline void check_packet(struct checker *c, const void *data, size_t size)
{
	struct packet_header last = c->last;
	size_t pos = sizeof(last), len;
	uint64_t ts;

	if (size < sizeof(last)) {
		wrong(c, "cut off after %zu bytes", size);
		return;
	}
	memcpy(&c->last, data, sizeof(last));
	check_header(c, &c->last, size);
	if (c->packets)
		check_next(c, &last, &c->last);
	else
		c->first = c->last;
	c->packets++;
	c->bytes += size;
	c->last_events = 0;
	ts = c->last.timestamp_begin;
	while (pos < size) {
		len = check_event(c, (const uint8_t *)data + pos, size - pos, &ts);
		if (!len) {
			wrong(c, "malformed event at %zu", pos);
			break;
		}
		pos += len;
		c->last_events++;
	}
	c->events += c->last_events;
	if (ts > c->last.timestamp_end)
		wrong(c, "ends %" PRIu64 " ns before its last event",
		      ts - c->last.timestamp_end);
	if (c->late && c->packets == 1)
		c->before = c->missing - c->last.discarded;
	/* Numbers that are missing were discarded, as far as headers know yet. */
	if (c->missing > c->before + c->last.discarded)
		wrong(c, "%" PRIu64 " events missing, %" PRIu64 " before, %" PRIu64 " discarded",
		      c->missing, c->before, c->last.discarded);
}

/* All packets that lie in @size bytes; @size bytes are whole packets. */
static inline void check_packets(struct checker *c, const void *data, size_t size)
{
	struct packet_header h;
	size_t len;

	while (size) {
		if (size < sizeof(h)) {
			wrong(c, "%zu bytes left at the end", size);
			return;
		}
		memcpy(&h, data, sizeof(h));
		len = h.packet_size / 8;
		if (len < sizeof(h) || len > size) {
			wrong(c, "packet of %zu bytes, %zu are left", len, size);
			return;
		}
		check_packet(c, data, len);
		data = (const uint8_t *)data + len;
		size -= len;
	}
}

/* @path: a copy of debugfs ltt_test/generated, from after the run. */
static inline void check_generated(struct checker *c, unsigned int cpu, const char *path)
{
	FILE *file = fopen(path, "r");
	uint64_t all = 0, events;
	unsigned int other, context;

	if (!file) {
		wrong(c, "%s: %s", path, strerror(errno));
		return;
	}
	while (fscanf(file, "cpu %u context %u events %" SCNu64 "\n", &other, &context,
		      &events) == 3) {
		if (other == cpu)
			all += events;
	}
	fclose(file);
	/* Who came too late for any packet knows nothing of those before. */
	if (c->late && !c->packets)
		return;
	if (all != c->before + c->events + c->last.discarded)
		wrong(c, "%" PRIu64 " generated, %" PRIu64 " before, %" PRIu64
		      " in packets + %" PRIu64 " discarded", all, c->before, c->events,
		      c->last.discarded);
}

static inline void print_checker(const struct checker *c)
{
	printf("packets %" PRIu64 " events %" PRIu64 " discarded %" PRIu64 " gaps %" PRIu64
	       " bytes %" PRIu64 " last %" PRIu64 " errors %" PRIu64 "\n", c->packets, c->events,
	       c->last.discarded, c->gaps, c->bytes, c->last_events, c->errors);
}

#endif /* PACKETS_H */
