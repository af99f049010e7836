// SPDX-License-Identifier: GPL-2.0
/*
 * LTT test: single operations on a stream of the binary output.
 *
 *	stream-api errors STREAM	what is refused, and how; the stream is empty
 *	stream-api signal STREAM	a read that waits is interrupted; the same
 *	stream-api poll STREAM [epoll]	prints "waiting", then waits for a packet
 *	stream-api hold STREAM		GET and PUT; the stream has two packets
 *	stream-api failed STREAM	calls that fail take nothing; the stream has two packets
 *	stream-api nomem STREAM		the same with each allocation, and copy to user
 *					space, failing in turn
 *	stream-api end - < STREAM	an ended stream with nothing left
 *
 * What goes on at SIGUSR1, having printed "ready":
 *
 *	stream-api lend STREAM OUTPUT	a packet in a pipe, the stream closed
 *	stream-api part STREAM OUTPUT	the same with the first 5000 bytes of it
 *	stream-api socket STREAM OUTPUT	a packet in a socket, pipe and stream closed
 *	stream-api map STREAM OUTPUT	a packet held in a mapping
 *	stream-api peek STREAM OUTPUT	a packet that was looked at
 *
 * The packet is written to OUTPUT. map and peek print how the next call ends.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../../../include/uapi/linux/ltt.h"

static int fd = -1, failed;
static int pipe_fd[2];

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(2);
}

/* @ret is that of a call that must fail with @err, 0: must succeed. */
static void expect(const char *what, long ret, int err)
{
	int found = ret < 0 ? errno : 0;

	if (found == err)
		return;
	printf("%s: wanted %s, found %s\n", what, strerrorname_np(err),
	       strerrorname_np(found));
	failed = 1;
}

static void ready(void)
{
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	puts("ready");
	fflush(stdout);
	sigwait(&set, &sig);
}

static void save(const char *path, const void *data, size_t size)
{
	int out = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (out < 0 || write(out, data, size) != (ssize_t)size || close(out))
		die(path);
}

static void save_from(const char *path, int from, size_t size)
{
	char *data = malloc(size);
	size_t have = 0;
	ssize_t got;

	if (!data)
		die("memory");
	while (have < size && (got = read(from, data + have, size - have)) > 0)
		have += got;
	save(path, data, have);
	free(data);
}

static struct ltt_packet_info peek(void)
{
	struct ltt_packet_info packet;

	if (ioctl(fd, LTT_IOC_PEEK_PACKET, &packet))
		die("LTT_IOC_PEEK_PACKET");
	return packet;
}

static long try_map(const struct ltt_stream_info *info, size_t size, int prot, int flags)
{
	void *map = mmap(NULL, size ?: info->mmap_size, prot, flags, fd, 0);

	if (map == MAP_FAILED)
		return -1;
	munmap(map, size ?: info->mmap_size);
	return 0;
}

/* A time that is not known yet is a matter of one grace period. Return: of the last call. */
static int ask_for_watermark(__u64 *time)
{
	int ret, i;

	for (i = 0; i < 20000; i++) {
		ret = ioctl(fd, LTT_IOC_WATERMARK, time);
		if (!ret || errno != EAGAIN)
			break;
		usleep(1000);
	}
	return ret;
}

static void errors(const char *path)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	struct ltt_packet_info packet;
	struct ltt_stream_info info;
	char data[100];
	void *map;

	if (fcntl(fd, F_SETFL, O_NONBLOCK))
		die("O_NONBLOCK");
	expect("open for writing", open(path, O_RDWR), EACCES);
	expect("info", ioctl(fd, LTT_IOC_INFO, &info), 0);
	expect("info to nowhere", ioctl(fd, LTT_IOC_INFO, NULL), EFAULT);
	expect("read", read(fd, data, sizeof(data)), EAGAIN);
	expect("read of nothing", read(fd, data, 0), 0);
	expect("splice", splice(fd, NULL, pipe_fd[1], NULL, 100, 0), EAGAIN);
	expect("peek", ioctl(fd, LTT_IOC_PEEK_PACKET, &packet), EAGAIN);
	expect("get", ioctl(fd, LTT_IOC_GET_PACKET, &packet), EAGAIN);
	expect("put", ioctl(fd, LTT_IOC_PUT_PACKET), EINVAL);
	expect("watermark to nowhere", ask_for_watermark(NULL), EFAULT);
	expect("another ioctl", ioctl(fd, _IO(LTT_IOC_TYPE, 0x90)), ENOTTY);
	expect("lseek", lseek(fd, 0, SEEK_SET), ESPIPE);
	expect("pread", pread(fd, data, sizeof(data), 0), ESPIPE);
	expect("write", write(fd, data, 1), EBADF);
	if (poll(&pfd, 1, 0) || poll(&pfd, 1, 100)) {
		puts("poll: an empty stream is ready");
		failed = 1;
	}
	expect("map", try_map(&info, 0, PROT_READ, MAP_SHARED), 0);
	expect("map a part", try_map(&info, getpagesize(), PROT_READ, MAP_SHARED), 0);
	expect("map, private", try_map(&info, 0, PROT_READ, MAP_PRIVATE), 0);
	expect("map, writable", try_map(&info, 0, PROT_READ | PROT_WRITE, MAP_PRIVATE),
	       EACCES);
	expect("map, executable", try_map(&info, 0, PROT_READ | PROT_EXEC, MAP_SHARED),
	       EACCES);
	expect("map too much", try_map(&info, info.mmap_size + getpagesize(), PROT_READ,
				       MAP_SHARED), EINVAL);
	map = mmap(NULL, info.mmap_size, PROT_READ, MAP_PRIVATE, fd, 0);
	expect("mprotect", mprotect(map, getpagesize(), PROT_READ | PROT_WRITE), EACCES);
	printf("subbuf_size %u subbuf_num %u stream_id %u cpu %u overwrite %u\n",
	       info.subbuf_size, info.subbuf_num, info.stream_id, info.cpu, info.overwrite);
}

static void nothing(int sig)
{
	(void)sig;
}

/* Whoever asks does not wait for somebody who reads; the latter waits until the former says so. */
static void ask_beside_reader(void)
{
	char data[100];
	__u64 time;
	int status;
	pid_t pid;

	expect("watermark", ask_for_watermark(&time), 0);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		int i;

		for (i = 0; i < 20000 && !ioctl(fd, LTT_IOC_WATERMARK, &time); i++)
			usleep(1000);
		expect("watermark beside a reader", i < 20000 ? -1 : 0, EAGAIN);
		kill(getppid(), SIGALRM);
		fflush(stdout);
		_exit(failed);
	}
	alarm(10);
	expect("read", read(fd, data, sizeof(data)), EINTR);
	if (!alarm(0))
		puts("the watermark was waited for"), failed = 1;
	if (waitpid(pid, &status, 0) != pid || status)
		failed = 1;
}

static void interrupted(void)
{
	struct sigaction action = { .sa_handler = nothing };
	struct ltt_packet_info packet;
	char data[100];

	sigaction(SIGALRM, &action, NULL);
	alarm(1);
	expect("read", read(fd, data, sizeof(data)), EINTR);
	alarm(1);
	expect("splice", splice(fd, NULL, pipe_fd[1], NULL, 100, 0), EINTR);
	alarm(1);
	expect("peek", ioctl(fd, LTT_IOC_PEEK_PACKET, &packet), EINTR);
	ask_beside_reader();
}

static void wait_by_poll(void)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	puts("waiting");
	fflush(stdout);
	if (poll(&pfd, 1, 20000) != 1)
		die("poll");
	printf("revents %s%s\n", pfd.revents & POLLIN ? "IN" : "", pfd.revents & POLLHUP ?
	       " HUP" : "");
}

/* Edge-triggered: told of each packet that comes after everything was read. */
static void wait_by_epoll(void)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	char data[1 << 16];
	int ep = epoll_create1(0);
	unsigned int i;

	if (ep < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) || epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event))
		die("epoll");
	for (i = 0; i < 2; i++) {
		puts("waiting");
		fflush(stdout);
		if (epoll_wait(ep, &event, 1, 20000) != 1)
			die("epoll_wait");
		while (read(fd, data, sizeof(data)) > 0)
			;
		expect("read until", -1, EAGAIN);
	}
	puts("revents IN");
}

static void hold(void)
{
	struct ltt_packet_info first, second, again;
	struct ltt_stream_info info;
	char data[100];

	if (ioctl(fd, LTT_IOC_INFO, &info))
		die("LTT_IOC_INFO");
	second = peek();
	expect("get", ioctl(fd, LTT_IOC_GET_PACKET, &first), 0);
	if (memcmp(&first, &second, sizeof(first)))
		puts("GET differs from PEEK"), failed = 1;
	expect("get again", ioctl(fd, LTT_IOC_GET_PACKET, &again), EBUSY);
	expect("peek while held", ioctl(fd, LTT_IOC_PEEK_PACKET, &again), EBUSY);
	expect("read while held", read(fd, data, sizeof(data)), EBUSY);
	expect("splice while held", splice(fd, NULL, pipe_fd[1], NULL, 100, 0), EBUSY);
	expect("put", ioctl(fd, LTT_IOC_PUT_PACKET), 0);
	expect("put again", ioctl(fd, LTT_IOC_PUT_PACKET), EINVAL);

	second = peek();
	if (second.seq != first.seq + 1 || second.size != second.packet_size)
		puts("PUT did not move on"), failed = 1;
	if (!info.overwrite && second.offset == first.offset)
		puts("both in one place"), failed = 1;
	if (read(fd, data, sizeof(data)) != sizeof(data))
		die("read");
	again = peek();
	if (again.seq != second.seq || again.size != second.size - sizeof(data))
		puts("a part was not taken"), failed = 1;
	expect("get the rest", ioctl(fd, LTT_IOC_GET_PACKET, &again), EBUSY);
}

/* All that is in the stream, by a reader of its own, that is still there. */
static char *everything(const char *path)
{
	int all = open(path, O_RDONLY | O_NONBLOCK);
	char *data = malloc(1 << 20);
	ssize_t got, have = 0;

	if (all < 0 || !data)
		die(path);
	while ((got = read(all, data + have, (1 << 20) - have)) > 0)
		have += got;
	if (errno != EAGAIN || !have)
		die("nothing in the stream");
	return data;
}

static const char *mapped(struct ltt_stream_info *info)
{
	char *data;

	if (ioctl(fd, LTT_IOC_INFO, info))
		die("LTT_IOC_INFO");
	data = mmap(NULL, info->mmap_size, PROT_READ, MAP_SHARED, fd, 0);
	if (data == MAP_FAILED)
		die("map");
	return data;
}

/* The next packet, @now, is in the mapping, and holds what is at @data. */
static void get_and_put(const char *what, const struct ltt_packet_info *now, const char *data)
{
	struct ltt_packet_info packet = {};
	struct ltt_stream_info info;
	const char *map = mapped(&info);

	expect(what, ioctl(fd, LTT_IOC_GET_PACKET, &packet), 0);
	if (memcmp(now, &packet, sizeof(packet))) {
		printf("%s: GET finds another packet, at %#llx, not %#llx\n", what,
		       packet.offset, now->offset);
		failed = 1;
	} else if (packet.offset > info.mmap_size ||
		   packet.size > info.mmap_size - packet.offset ||
		   memcmp(map + packet.offset, data, packet.size)) {
		printf("%s: the packet is not at %#llx of the mapping\n", what, packet.offset);
		failed = 1;
	}
	munmap((void *)map, info.mmap_size);
	expect(what, ioctl(fd, LTT_IOC_PUT_PACKET), 0);
	if (peek().seq != now->seq + 1)
		printf("%s: PUT did not move on\n", what), failed = 1;
}

/* What is left of the packet after @taken bytes; in no mapping. */
static void take_rest(const char *what, size_t taken, const char *data, size_t size)
{
	struct ltt_packet_info packet = peek();
	char *rest = malloc(size);

	expect(what, ioctl(fd, LTT_IOC_GET_PACKET, &packet), EBUSY);
	if (packet.offset != LTT_OFFSET_NONE || packet.size != size - taken)
		printf("%s: %llu bytes left at %#llx\n", what, packet.size, packet.offset),
		failed = 1;
	if (read(fd, rest, size - taken) != (ssize_t)(size - taken))
		die("read");
	if (memcmp(rest, data + taken, size - taken))
		printf("%s: the rest is something else\n", what), failed = 1;
	free(rest);
}

static void failed_calls(const char *path)
{
	struct ltt_packet_info first = peek(), second;
	const int page = getpagesize();
	int full[2], broken[2];
	char *all = everything(path), *data;

	data = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (data == MAP_FAILED || mprotect(data + page, page, PROT_NONE) || pipe(full) ||
	    pipe(broken) || fcntl(full[1], F_SETPIPE_SZ, page) < 0 ||
	    write(full[1], data, page) != page)
		die("set-up");
	close(broken[0]);
	signal(SIGPIPE, SIG_IGN);

	expect("read of a part", read(fd, data + page, 100), EFAULT);
	expect("read of all", read(fd, data + page, first.size), EFAULT);
	expect("splice to a full pipe",
	       splice(fd, NULL, full[1], NULL, 100, SPLICE_F_NONBLOCK), EAGAIN);
	expect("splice to a broken pipe", splice(fd, NULL, broken[1], NULL, 100, 0), EPIPE);
	expect("peek to nowhere", ioctl(fd, LTT_IOC_PEEK_PACKET, NULL), EFAULT);
	expect("get to nowhere", ioctl(fd, LTT_IOC_GET_PACKET, NULL), EFAULT);
	get_and_put("after calls that failed", &first, all);

	second = peek();
	if (read(fd, data + page - 50, 100) != 50)
		die("read up to a page that is not there");
	if (memcmp(data + page - 50, all + first.size, 50))
		puts("a part is something else"), failed = 1;
	expect("read of the rest", read(fd, data + page, 100), EFAULT);
	take_rest("after 50 bytes", 50, all + first.size, second.size);
}

static int nth_fd;

/*
 * The @nth allocation, or copy to user space, is to fail, 0: none. Return: whether the last
 * one ordered has.
 */
static bool fail_nth(unsigned int nth)
{
	char left[16] = "1", text[16];
	int len = sprintf(text, "%u", nth);

	/* If this fails, here was the one. */
	if (pread(nth_fd, left, sizeof(left) - 1, 0) < 0 && errno != EFAULT)
		die("reading fail-nth");
	if (pwrite(nth_fd, text, len, 0) != len && pwrite(nth_fd, text, len, 0) != len)
		die("writing fail-nth");
	return !atoi(left);
}

/* Take up to @size bytes, with the @nth of all that can fail failing. Return: did one? */
static bool short_of_memory(unsigned int nth, bool by_read, size_t size, const char *all)
{
	const char *what = by_read ? "read" : "splice";
	struct ltt_packet_info packet = peek();
	char *data = malloc(1 << 20);
	int lent[2], copies[2];
	ssize_t got;
	bool fault;

	if (!data || pipe(lent) || pipe(copies))
		die("set-up");
	if (!by_read) {
		/* What comes next is not lent as long as this is out. */
		got = splice(fd, NULL, lent[1], NULL, packet.size, 0);
		if (got != (ssize_t)packet.size)
			die("splice");
		all += got;
		packet = peek();
	}
	if (size > packet.size)
		size = packet.size;
	fail_nth(nth);
	got = by_read ? read(fd, data, size) : splice(fd, NULL, copies[1], NULL, size, 0);
	fault = fail_nth(0);
	if (got < 0) {
		expect(what, fault ? got : 0, errno == EFAULT && by_read ? EFAULT : ENOMEM);
		get_and_put(what, &packet, all);
	} else {
		if (!by_read && read(copies[0], data, got) != got)
			die("pipe");
		if (memcmp(data, all, got))
			printf("%s: something else\n", what), failed = 1;
		if (got < (ssize_t)packet.size)
			take_rest(what, got, all, packet.size);
	}
	close(lent[0]), close(lent[1]), close(copies[0]), close(copies[1]);
	free(data);
	return fault;
}

static void no_memory(const char *path)
{
	enum { SIZES = 3 };
	static const size_t sizes[SIZES] = { 100, 5000, 1 << 20 };
	char *all = everything(path);
	unsigned int i, nth, faults = 0;

	nth_fd = open("/proc/thread-self/fail-nth", O_RDWR);
	if (nth_fd < 0)
		die("fail-nth");
	for (i = 0; i < 2 * SIZES; i++) {
		/* Each time another reader, from the beginning; the first one waits there. */
		for (nth = 1; ; nth++) {
			fd = open(path, O_RDONLY);
			if (!short_of_memory(nth, i % 2, sizes[i / 2], all))
				break;
			close(fd);
			faults++;
		}
		close(fd);
	}
	printf("%u faults\n", faults);
	if (faults < 8)
		puts("too few"), failed = 1;
}

static void at_end(void)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	struct ltt_packet_info packet;
	char data[1 << 16];
	__u64 time;

	expect("watermark before a packet", ioctl(fd, LTT_IOC_WATERMARK, &time), EAGAIN);
	/* Nothing else looks beyond the last packet. */
	while (ioctl(fd, LTT_IOC_WATERMARK, &time) && errno == EAGAIN) {
		if (read(fd, data, peek().size) < 0)
			die("read");
	}
	expect("watermark", -1, ENODATA);
	if (read(fd, data, sizeof(data)) || splice(fd, NULL, pipe_fd[1], NULL, 100, 0))
		puts("no end of file"), failed = 1;
	expect("peek", ioctl(fd, LTT_IOC_PEEK_PACKET, &packet), ENODATA);
	expect("get", ioctl(fd, LTT_IOC_GET_PACKET, &packet), ENODATA);
	if (poll(&pfd, 1, 0) != 1 || pfd.revents != (POLLIN | POLLHUP))
		printf("poll: %#x\n", pfd.revents), failed = 1;
}

static void lend(const char *output, size_t part)
{
	size_t size = peek().size;

	if (part && part < size)
		size = part;
	if (splice(fd, NULL, pipe_fd[1], NULL, size, 0) != (ssize_t)size)
		die("splice");
	close(fd);
	close(pipe_fd[1]);
	ready();
	save_from(output, pipe_fd[0], size);
}

static void through_socket(const char *output)
{
	size_t size = peek().size, room = 4 << 20;
	int sock[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sock))
		die("socketpair");
	setsockopt(sock[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	if (splice(fd, NULL, pipe_fd[1], NULL, size, 0) != (ssize_t)size)
		die("splice");
	if (splice(pipe_fd[0], NULL, sock[1], NULL, size, 0) != (ssize_t)size)
		die("splice to the socket");
	close(fd);
	close(pipe_fd[0]);
	close(pipe_fd[1]);
	close(sock[1]);
	ready();
	save_from(output, sock[0], size);
}

static void map(const char *output)
{
	struct ltt_packet_info packet;
	struct ltt_stream_info info;
	char *data;
	int ret;

	if (ioctl(fd, LTT_IOC_INFO, &info))
		die("LTT_IOC_INFO");
	data = mmap(NULL, info.mmap_size, PROT_READ, MAP_SHARED, fd, 0);
	if (data == MAP_FAILED || ioctl(fd, LTT_IOC_GET_PACKET, &packet))
		die("map");
	ready();
	save(output, data + packet.offset, packet.size);
	ret = ioctl(fd, LTT_IOC_PUT_PACKET);
	printf("put %s\n", strerrorname_np(ret ? errno : 0));
}

static void look(const char *output)
{
	size_t size = peek().size;
	char *data = malloc(size);
	ssize_t got;

	ready();
	got = read(fd, data, size);
	printf("read %s\n", strerrorname_np(got < 0 ? errno : 0));
	size = peek().size;
	data = realloc(data, size);
	got = read(fd, data, size);
	if (got < 0)
		die("read");
	save(output, data, got);
	free(data);
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	const char *output = argc > 3 ? argv[3] : NULL;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (argc > 2)
		fd = strcmp(argv[2], "-") ? open(argv[2], O_RDONLY) : 0;
	if (fd < 0)
		die("stream");
	if (pipe(pipe_fd) || fcntl(pipe_fd[1], F_SETPIPE_SZ, 1 << 20) < 0)
		die("pipe");

	if (!strcmp(what, "errors"))
		errors(argv[2]);
	else if (!strcmp(what, "signal"))
		interrupted();
	else if (!strcmp(what, "poll") && output)
		wait_by_epoll();
	else if (!strcmp(what, "poll"))
		wait_by_poll();
	else if (!strcmp(what, "hold"))
		hold();
	else if (!strcmp(what, "failed"))
		failed_calls(argv[2]);
	else if (!strcmp(what, "nomem"))
		no_memory(argv[2]);
	else if (!strcmp(what, "end"))
		at_end();
	else if (!strcmp(what, "lend") && output)
		lend(output, 0);
	else if (!strcmp(what, "part") && output)
		lend(output, 5000);
	else if (!strcmp(what, "socket") && output)
		through_socket(output);
	else if (!strcmp(what, "map") && output)
		map(output);
	else if (!strcmp(what, "peek") && output)
		look(output);
	else
		return 2;
	return failed;
}
