/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: messages in the encoding of protocol buffers.
 *
 * A message is a sequence of fields: a number and a type, then a value. What is needed of
 * https://protobuf.dev/programming-guides/encoding/ is little: integers, and bytes with their
 * length, which strings and other messages are.
 */
#ifndef _LTT_PROTO_H
#define _LTT_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct proto - what is being written
 * @data:	the bytes
 * @len:	how many
 * @room:	bytes allocated
 * @failed:	there was no memory; @data lacks something
 */
struct proto {
	uint8_t *data;
	size_t len;
	size_t room;
	bool failed;
};

void proto_uint(struct proto *proto, unsigned int field, uint64_t value);
void proto_bytes(struct proto *proto, unsigned int field, const void *data, size_t len);
void proto_string(struct proto *proto, unsigned int field, const char *text);
size_t proto_begin(struct proto *proto, unsigned int field);
void proto_end(struct proto *proto, size_t began);
void proto_free(struct proto *proto);

#endif /* _LTT_PROTO_H */
