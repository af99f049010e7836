// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: plot: parts of the page.
 *
 * A part is packed in zlib's format (RFC 1950), which browsers read as "deflate", and is in
 * base64 (RFC 4648). It is packed while it is made: the lines of a large trace would not fit
 * into memory.
 */
#include <stdlib.h>
#include <string.h>

#include "plot.h"

#ifdef LTT_HAVE_ZLIB
#include <zlib.h>
#endif

/* Room for @size more bytes. */
static bool reserve(struct pack *pack, size_t size)
{
	unsigned char *more;
	size_t room = pack->room;

	if (pack->failed)
		return false;
	while (room - pack->len < size)
		room = room ? 2 * room : 1 << 16;
	if (room != pack->room) {
		more = realloc(pack->data, room);
		if (!more) {
			pack->failed = true;
			return false;
		}
		pack->data = more;
		pack->room = room;
	}
	return true;
}

#ifdef LTT_HAVE_ZLIB

bool pack_is_packed(void)
{
	return true;
}

void pack_begin(struct pack *pack)
{
	memset(pack, 0, sizeof(*pack));
	pack->zlib = calloc(1, sizeof(*pack->zlib));
	/* Its higher levels take several times longer, for some percent. */
	if (!pack->zlib || deflateInit(pack->zlib, Z_BEST_SPEED) != Z_OK)
		pack->failed = true;
}

static void put(struct pack *pack, const void *data, size_t size, int flush)
{
	z_stream *zlib = pack->zlib;

	if (pack->failed)
		return;
	zlib->next_in = (void *)data;
	zlib->avail_in = size;
	do {
		if (!reserve(pack, 1 << 14))
			return;
		zlib->next_out = pack->data + pack->len;
		zlib->avail_out = pack->room - pack->len;
		deflate(zlib, flush);
		pack->len = pack->room - zlib->avail_out;
	} while (!zlib->avail_out);
}

static void finish(struct pack *pack)
{
	put(pack, NULL, 0, Z_FINISH);
}

static void release(struct pack *pack)
{
	if (pack->zlib)
		deflateEnd(pack->zlib);
	free(pack->zlib);
}

#define NO_FLUSH	Z_NO_FLUSH

#else /* !LTT_HAVE_ZLIB */

bool pack_is_packed(void)
{
	return false;
}

void pack_begin(struct pack *pack)
{
	memset(pack, 0, sizeof(*pack));
}

static void put(struct pack *pack, const void *data, size_t size, int flush)
{
	(void)flush;
	if (!reserve(pack, size))
		return;
	memcpy(pack->data + pack->len, data, size);
	pack->len += size;
}

static void finish(struct pack *pack)
{
	(void)pack;
}

static void release(struct pack *pack)
{
	(void)pack;
}

#define NO_FLUSH	0

#endif /* !LTT_HAVE_ZLIB */

static void drain(struct pack *pack)
{
	put(pack, pack->waiting, pack->nr_waiting, NO_FLUSH);
	pack->nr_waiting = 0;
}

/**
 * pack_bytes() - add bytes to a part
 * @pack:	the part
 * @data:	the bytes
 * @size:	how many
 */
void pack_bytes(struct pack *pack, const void *data, size_t size)
{
	if (size > sizeof(pack->waiting) - pack->nr_waiting)
		drain(pack);
	if (size > sizeof(pack->waiting)) {
		put(pack, data, size, NO_FLUSH);
		return;
	}
	memcpy(pack->waiting + pack->nr_waiting, data, size);
	pack->nr_waiting += size;
}

/**
 * pack_number() - add a number to a part
 * @pack:	the part
 * @number:	the number, of which the page can use 53 bits; written as unsigned LEB128 (DWARF 5,
 *		7.6)
 */
void pack_number(struct pack *pack, uint64_t number)
{
	unsigned char bytes[10];
	size_t nr = 0;

	do {
		bytes[nr++] = (number & 0x7f) | (number > 0x7f ? 0x80 : 0);
		number >>= 7;
	} while (number);
	pack_bytes(pack, bytes, nr);
}

/**
 * pack_end() - end a part
 * @pack:	the part; now its size is known, or that it has failed
 */
void pack_end(struct pack *pack)
{
	drain(pack);
	finish(pack);
}

/* Multiples of three bytes, but at the end. */
static void write_base64(const unsigned char *data, size_t size, FILE *to)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t i, j, left;
	uint32_t word;
	char out[4];

	for (i = 0; i < size; i += 3) {
		left = size - i;
		word = data[i] << 16 | (left > 1 ? data[i + 1] << 8 : 0) |
		       (left > 2 ? data[i + 2] : 0);
		for (j = 0; j < 4; j++)
			out[j] = left < j ? '=' : digits[word >> (18 - 6 * j) & 63];
		fwrite(out, 1, sizeof(out), to);
	}
}

/**
 * pack_write() - write a part into the page
 * @pack:	the part, which has ended
 * @name:	its name there
 * @to:		the page
 */
void pack_write(const struct pack *pack, const char *name, FILE *to)
{
	fprintf(to, "<script type=\"text/plain\" id=\"data-%s\">", name);
	write_base64(pack->data, pack->len, to);
	fputs("</script>\n", to);
}

/**
 * pack_free() - free a part
 * @pack:	the part
 */
void pack_free(struct pack *pack)
{
	release(pack);
	free(pack->data);
}
