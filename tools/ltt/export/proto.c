// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: messages in the encoding of protocol buffers.
 */
#include <stdlib.h>
#include <string.h>

#include "proto.h"

enum {
	VARINT = 0,
	BYTES = 2,
};

#define VARINT_MAX	10u	/* bytes of an integer */

/* Of a message's length, which is known only when it ends: enough for 256 MiB. */
#define LENGTH_SIZE	4u

/* Room for @size more bytes; NULL: there is no memory. */
static uint8_t *room(struct proto *proto, size_t size)
{
	size_t wanted = proto->len + size;
	uint8_t *data;

	if (proto->room < wanted) {
		wanted = wanted < 4096 ? 4096 : 2 * wanted;
		data = realloc(proto->data, wanted);
		if (!data) {
			proto->failed = true;
			return NULL;
		}
		proto->data = data;
		proto->room = wanted;
	}
	return proto->data + proto->len;
}

/* Seven bits a byte, the lowest ones first; the top bit says that there are more. */
static uint8_t *put_varint(uint8_t *p, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*p++ = value | 0x80;
	*p++ = value;
	return p;
}

static uint8_t *put_tag(uint8_t *p, unsigned int field, unsigned int type)
{
	return put_varint(p, (uint64_t)field << 3 | type);
}

/**
 * proto_uint() - write an integer
 * @proto:	the message
 * @field:	number of the field
 * @value:	its value; negative ones as two's complement of 64 bits
 */
void proto_uint(struct proto *proto, unsigned int field, uint64_t value)
{
	uint8_t *p = room(proto, 2 * VARINT_MAX);

	if (p)
		proto->len = put_varint(put_tag(p, field, VARINT), value) - proto->data;
}

/**
 * proto_bytes() - write bytes, a string, or a whole message
 * @proto:	the message
 * @field:	number of the field
 * @data:	the bytes
 * @len:	how many
 */
void proto_bytes(struct proto *proto, unsigned int field, const void *data, size_t len)
{
	uint8_t *p = room(proto, 2 * VARINT_MAX + len);

	if (!p)
		return;
	p = put_varint(put_tag(p, field, BYTES), len);
	memcpy(p, data, len);
	proto->len = p + len - proto->data;
}

/**
 * proto_string() - write a string
 * @proto:	the message
 * @field:	number of the field
 * @text:	the string
 */
void proto_string(struct proto *proto, unsigned int field, const char *text)
{
	proto_bytes(proto, field, text, strlen(text));
}

/**
 * proto_begin() - begin a message in a message
 * @proto:	the outer one
 * @field:	number of the field that it is
 *
 * Return: for proto_end().
 */
size_t proto_begin(struct proto *proto, unsigned int field)
{
	uint8_t *p = room(proto, VARINT_MAX + LENGTH_SIZE);

	if (!p)
		return 0;
	p = put_tag(p, field, BYTES);
	proto->len = p + LENGTH_SIZE - proto->data;
	return proto->len;
}

/**
 * proto_end() - a message in a message is complete
 * @proto:	the outer one
 * @began:	what proto_begin() returned
 */
void proto_end(struct proto *proto, size_t began)
{
	size_t len = proto->len - began;
	unsigned int i;
	uint8_t *p;

	if (proto->failed)
		return;
	/* Longer than it must be, which is allowed. */
	p = proto->data + began - LENGTH_SIZE;
	for (i = 0; i < LENGTH_SIZE; i++, len >>= 7)
		p[i] = (len & 0x7f) | (i < LENGTH_SIZE - 1 ? 0x80 : 0);
	if (len)
		proto->failed = true;
}

/**
 * proto_free() - forget all
 * @proto:	the message
 */
void proto_free(struct proto *proto)
{
	free(proto->data);
	*proto = (struct proto){ };
}
