// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: the metadata of other tracers as one text, and places in it.
 *
 * They are a text, or packets with parts of one, in either byte order.
 */
#include <errno.h>
#include <linux/kernel.h>
#include <linux/ltt/unaligned.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctf.h"

/**
 * struct metadata_packet - begins a packet of the metadata
 * @magic:		CTF_METADATA_MAGIC
 * @uuid:		of the trace
 * @checksum:		0, or unused
 * @content_size:	bits, this struct included
 * @packet_size:	bits
 * @compression_scheme:	0: none
 * @encryption_scheme:	0: none
 * @checksum_scheme:	0: none
 * @major:		1
 * @minor:		8
 */
struct metadata_packet {
	__u32 magic;
	__u8 uuid[LTT_UUID_SIZE];
	__u32 checksum;
	__u32 content_size;
	__u32 packet_size;
	__u8 compression_scheme;
	__u8 encryption_scheme;
	__u8 checksum_scheme;
	__u8 major;
	__u8 minor;
} __attribute__((packed));

/**
 * ctf_fail() - say what is wrong with the metadata
 * @trace:	the trace
 * @place:	where, bytes from the beginning of the text
 * @format:	what is wrong
 *
 * Return: -EBADMSG.
 */
int ctf_fail(struct ctf_trace *trace, u32 place, const char *format, ...)
{
	const char *p, *line = trace->text;
	unsigned long nr = 1;
	char text[160];
	va_list args;

	for (p = line; p < trace->text + place; p++) {
		if (*p == '\n') {
			line = p + 1;
			nr++;
		}
	}
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return lib_fail(trace->error, EBADMSG, trace->lib->metadata, LIBLTT_NO_OFFSET,
			"line %lu, column %lu: %s", nr, (unsigned long)(p - line) + 1, text);
}

/* The packet at @p, of @left bytes. Return: bytes of its text, or -1: it is none. */
static long packet_text(const char *p, size_t left, size_t *size, const char **why)
{
	struct metadata_packet packet;
	size_t content;
	bool swap;

	*why = "no packet of metadata begins here";
	if (left < sizeof(packet))
		return -1;
	memcpy(&packet, p, sizeof(packet));
	if (!ctf_is_packed(packet.magic))
		return -1;
	swap = packet.magic != CTF_METADATA_MAGIC;
	*why = "not version 1.8 of the Common Trace Format";
	if (packet.major != 1 || packet.minor != 8)
		return -1;
	*why = "compressed, encrypted or checksummed metadata cannot be read";
	if (packet.compression_scheme || packet.encryption_scheme || packet.checksum_scheme)
		return -1;
	content = ltt_load32(&packet.content_size, swap);
	*size = ltt_load32(&packet.packet_size, swap);
	*why = "invalid size of a packet of metadata";
	if (content % 8 || *size % 8 || content > *size || content / 8 < sizeof(packet))
		return -1;
	*size /= 8;
	*why = "the metadata are truncated";
	return *size > left ? -1 : (long)(content / 8 - sizeof(packet));
}

/**
 * ctf_text_unpack() - make one text of the metadata
 * @file:	their name
 * @text:	the metadata, allocated with one byte more; becomes the text, terminated
 * @size:	their bytes; becomes those of the text
 * @error:	what is wrong
 *
 * Return: 0 or -EBADMSG.
 */
int ctf_text_unpack(const char *file, char *text, size_t *size, struct libltt_problem *error)
{
	size_t at = 0, used = 0, packet;
	u32 magic = 0;
	const char *why;
	long len;

	if (*size >= sizeof(magic))
		memcpy(&magic, text, sizeof(magic));
	if (!ctf_is_packed(magic))
		return 0;
	/* What is kept is shorter than what it comes from. */
	while (at < *size) {
		len = packet_text(text + at, *size - at, &packet, &why);
		if (len < 0)
			return lib_fail(error, EBADMSG, file, at, "%s", why);
		memmove(text + used, text + at + sizeof(struct metadata_packet), len);
		used += len;
		at += packet;
	}
	text[used] = '\0';
	*size = used;
	return 0;
}
