// SPDX-License-Identifier: GPL-2.0
/*
 * LTT test: take all packets out of a stream, to its end, and check them.
 *
 *	read-packets [-m read|splice|mmap] [-s SIZE] [-o OUTPUT] [-g GENERATED] [-c CPU]
 *		     [-p USECS] [-l] < STREAM
 *
 * -m	how (read)
 * -s	bytes at a time (1 MiB); a pipe of that size
 * -o	where the bytes go; with splice, from the pipe without being looked at before
 * -g	a copy of debugfs ltt_test/generated: all of it was in packets or discarded
 * -c	CPU of the stream, for -g
 * -p	pause after each piece
 * -l	others have taken packets before; one context only
 *
 * With -m read, standard input may be a file made by -o. Prints a line of figures; says
 * what is wrong on standard error and exits with 1.
 */

#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../../../include/uapi/linux/ltt.h"
#include "packets.h"

static struct checker checker;
static unsigned int pause_us;
static int out = -1;

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(2);
}

static void put(const void *data, size_t size)
{
	ssize_t done;

	while (out >= 0 && size) {
		done = write(out, data, size);
		if (done < 0)
			die("write");
		data = (const char *)data + done;
		size -= done;
	}
}

/* Bytes that arrive in pieces of any size. */
static void collect(const uint8_t *data, size_t size)
{
	static uint8_t *all;
	static size_t have, room;
	struct packet_header h;
	size_t len;

	put(data, size);
	if (have + size > room) {
		room = 2 * (have + size);
		all = realloc(all, room);
		if (!all)
			die("memory");
	}
	memcpy(all + have, data, size);
	have += size;
	for (;;) {
		if (have < sizeof(h))
			return;
		memcpy(&h, all, sizeof(h));
		len = h.packet_size / 8;
		if (len < sizeof(h) || len > 1u << 23) {
			wrong(&checker, "packet of %zu bytes", len);
			exit(1);
		}
		if (have < len)
			return;
		check_packet(&checker, all, len);
		have -= len;
		memmove(all, all + len, have);
	}
}

static void by_read(size_t size)
{
	uint8_t *data = malloc(size);
	ssize_t got;

	if (!data)
		die("memory");
	while ((got = read(0, data, size)) > 0) {
		collect(data, got);
		usleep(pause_us);
	}
	if (got < 0)
		die("read");
	free(data);
}

/* What is in the pipe to where it goes. */
static void drain(int fd, ssize_t size, uint8_t *data)
{
	ssize_t done;

	while (size) {
		done = out < 0 ? read(fd, data, size) :
		       splice(fd, NULL, out, NULL, size, SPLICE_F_MOVE);
		if (done <= 0)
			die("out of the pipe");
		if (out < 0)
			collect(data, done);
		size -= done;
	}
}

/* What was written without a look. */
static void check_output(void)
{
	struct stat st;
	void *map;

	if (fstat(out, &st))
		die("output");
	if (!st.st_size)
		return;
	map = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, out, 0);
	if (map == MAP_FAILED)
		die("mapping the output");
	check_packets(&checker, map, st.st_size);
	munmap(map, st.st_size);
}

static void by_splice(size_t size)
{
	uint8_t *data = malloc(size);
	ssize_t got;
	int fd[2];

	if (!data || pipe(fd) || fcntl(fd[1], F_SETPIPE_SZ, size) < 0)
		die("pipe");
	while ((got = splice(0, NULL, fd[1], NULL, size, SPLICE_F_MOVE)) > 0) {
		usleep(pause_us);
		drain(fd[0], got, data);
	}
	if (got < 0)
		die("splice");
	if (out >= 0)
		check_output();
	free(data);
}

static void by_mmap(void)
{
	struct ltt_stream_info info;
	struct ltt_packet_info packet;
	struct packet_header h;
	uint8_t *map, *copy;

	if (ioctl(0, LTT_IOC_INFO, &info))
		die("LTT_IOC_INFO");
	map = mmap(NULL, info.mmap_size, PROT_READ, MAP_SHARED, 0, 0);
	copy = malloc(info.subbuf_size);
	if (map == MAP_FAILED || !copy)
		die("mmap");
	while (!ioctl(0, LTT_IOC_GET_PACKET, &packet)) {
		memcpy(&h, map + packet.offset, sizeof(h));
		if (packet.offset + packet.size > info.mmap_size ||
		    packet.size != packet.packet_size || packet.seq != h.seq ||
		    packet.packet_size * 8 != h.packet_size ||
		    packet.timestamp_begin != h.timestamp_begin ||
		    packet.timestamp_end != h.timestamp_end ||
		    packet.events_discarded < h.discarded)
			wrong(&checker, "the header is not what was said of it");
		/* What this reader alone missed is not in the header that all see. */
		h.discarded = packet.events_discarded;
		memcpy(copy, &h, sizeof(h));
		memcpy(copy + sizeof(h), map + packet.offset + sizeof(h),
		       packet.size - sizeof(h));
		usleep(pause_us);
		if (!ioctl(0, LTT_IOC_PUT_PACKET))
			collect(copy, packet.size);
		else if (errno != ESTALE)	/* it has gone, and counts as missed */
			die("LTT_IOC_PUT_PACKET");
	}
	free(copy);
	if (errno != ENODATA)
		die("LTT_IOC_GET_PACKET");
	munmap(map, info.mmap_size);
}

int main(int argc, char **argv)
{
	const char *mode = "read", *generated = NULL;
	size_t size = 1 << 20;
	unsigned int cpu = 0;
	int opt;

	while ((opt = getopt(argc, argv, "m:s:o:g:c:p:l")) != -1) {
		switch (opt) {
		case 'm':
			mode = optarg;
			break;
		case 's':
			size = strtoul(optarg, NULL, 0);
			break;
		case 'o':
			out = open(optarg, O_RDWR | O_CREAT | O_TRUNC, 0600);
			if (out < 0)
				die(optarg);
			break;
		case 'g':
			generated = optarg;
			break;
		case 'c':
			cpu = strtoul(optarg, NULL, 0);
			break;
		case 'p':
			pause_us = strtoul(optarg, NULL, 0);
			break;
		case 'l':
			checker.late = true;
			break;
		default:
			return 2;
		}
	}
	if (!strcmp(mode, "splice"))
		by_splice(size);
	else if (!strcmp(mode, "mmap"))
		by_mmap();
	else if (!strcmp(mode, "read"))
		by_read(size);
	else
		return 2;
	if (generated)
		check_generated(&checker, cpu, generated);
	print_checker(&checker);
	return checker.errors ? 1 : 0;
}
