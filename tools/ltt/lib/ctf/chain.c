// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: streams of another tracer that are in several files.
 *
 * Packets tell how many events have been lost since their stream began, and that may have been in
 * another file, as tracers that limit the size of files begin new ones. Its last packet has the
 * number before that of the first one here.
 */
#include "ctf.h"

static bool counts_losses(const struct ctf_stream *c)
{
	return ctf_has(c->class->roles, CTF_NUMBER) && ctf_has(c->class->roles, CTF_DISCARDED);
}

/* Is @nr that of a file with packets of the same stream? They are next to each other. */
static bool is_piece(const struct libltt *ltt, const struct lib_stream *s, unsigned int nr)
{
	const struct lib_stream *other = &ltt->streams[nr];

	return nr < ltt->nr_streams && other->trace == s->trace &&
	       other->ctf->class == s->ctf->class && other->pub.cpu == s->pub.cpu;
}

/* Look for the packet before packet @number. Return: whether it is there. */
static bool find_before(const struct libltt *ltt, struct lib_stream *s, u64 number, u64 *lost)
{
	unsigned int here = s - ltt->streams, nr = here;
	u64 last;

	while (nr && is_piece(ltt, s, nr - 1))
		nr--;
	for (; is_piece(ltt, s, nr); nr++) {
		if (nr == here || !ctf_index_last(&ltt->streams[nr], &last, lost))
			continue;
		if (last + 1 == number)
			return true;
	}
	return false;
}

/**
 * ctf_chain() - see what had been lost before each file begins
 * @ltt:	the traces, whose streams were identified and are in order; nothing else was read
 */
void ctf_chain(struct libltt *ltt)
{
	struct ctf_stream *c;
	unsigned int i;
	u64 number;

	for (i = 0; i < ltt->nr_streams; i++) {
		c = ltt->streams[i].ctf;
		number = c && counts_losses(c) ? c->r.slots[CTF_NUMBER] : 0;
		if (!number)
			continue;
		if (!find_before(ltt, &ltt->streams[i], number, &c->before)) {
			c->before = c->r.slots[CTF_DISCARDED];
			if (c->before)
				lib_report(ltt, LIBLTT_NOTE, ENODATA, ltt->streams[i].pub.file, 0,
					   "packet %llu is the first that is found; what was lost before is not known",
					   (unsigned long long)number);
		}
		c->discarded = c->before;
	}
}
