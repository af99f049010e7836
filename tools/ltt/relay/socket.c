// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: bytes to and from lttng-relayd, each with a limit of time.
 */

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../common/now.h"
#include "address.h"
#include "relay.h"

/**
 * relay_now() - the current time
 *
 * Return: ms of CLOCK_MONOTONIC.
 */
int64_t relay_now(void)
{
	return now_ns() / 1000000;
}

/**
 * relay_fail() - note what has gone wrong
 * @relay:	the connection
 * @error:	a negative errno
 * @format:	what it is, as for printf()
 *
 * Return: @error.
 */
int relay_fail(struct relay *relay, int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(relay->why, sizeof(relay->why), format, args);
	va_end(args);
	return error;
}

/**
 * relay_wait() - wait for a socket
 * @relay:	the connection
 * @fd:		the socket; -1: none, only for the time to pass
 * @events:	as for poll()
 * @deadline:	ms, see relay_now()
 *
 * Return: 0; -ETIMEDOUT; -ECANCELED: we shall stop; or another negative errno. Nothing is noted.
 */
int relay_wait(struct relay *relay, int fd, short events, int64_t deadline)
{
	struct pollfd fds[] = {
		{ .fd = relay->stop, .events = POLLIN },
		{ .fd = fd, .events = events },
	};
	int64_t left;
	int ret;

	do {
		left = deadline - relay_now();
		ret = poll(fds, 2, left > 0 ? left : 0);
	} while (ret < 0 && errno == EINTR);
	if (ret < 0)
		return -errno;
	if (fds[0].revents)
		return -ECANCELED;
	return ret ? 0 : -ETIMEDOUT;
}

/**
 * relay_sleep() - let some time pass
 * @relay:	the connection
 * @ms:		how much
 *
 * Return: 0 or -ECANCELED: we shall stop.
 */
int relay_sleep(struct relay *relay, int ms)
{
	int ret = relay_wait(relay, -1, 0, relay_now() + ms);

	return ret == -ETIMEDOUT ? 0 : relay_fail(relay, ret, "%s", strerror(-ret));
}

/* What the kernel finds out by itself if nobody waits for anything. */
static void set_options(const struct relay *relay, int fd)
{
	unsigned int timeout = relay->timeout;
	int on = 1;

	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout, sizeof(timeout));
}

/* Return: a connected socket, or a negative errno. */
static int try_one(struct relay *relay, const struct addrinfo *at)
{
	socklen_t size = sizeof(int);
	int fd, ret = 0;

	fd = socket(at->ai_family, at->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC,
		    at->ai_protocol);
	if (fd < 0)
		return -errno;
	set_options(relay, fd);
	if (connect(fd, at->ai_addr, at->ai_addrlen))
		ret = -errno;
	if (ret == -EINPROGRESS) {
		ret = relay_wait(relay, fd, POLLOUT, relay_now() + relay->timeout);
		if (!ret && !getsockopt(fd, SOL_SOCKET, SO_ERROR, &ret, &size))
			ret = -ret;
	}
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

/**
 * relay_socket() - connect to a port
 * @relay:	the connection
 * @at:		addresses, of which the first that answers is taken
 * @port:	the port, to be told
 *
 * Return: a socket, or a negative errno.
 */
int relay_socket(struct relay *relay, const struct addrinfo *at, const char *port)
{
	int ret = -EHOSTUNREACH;

	for (; at && ret < 0 && ret != -ECANCELED; at = at->ai_next)
		ret = try_one(relay, at);
	return ret < 0 ? relay_fail(relay, ret, "port %s: %s", port, strerror(-ret)) : ret;
}

static int write_failed(struct relay *relay, int ret, const char *what)
{
	if (ret == -ETIMEDOUT)
		return relay_fail(relay, ret, "timed out sending %s", what);
	return relay_fail(relay, ret, "sending %s: %s", what, strerror(-ret));
}

/**
 * relay_write() - send all of it
 * @relay:	the connection
 * @fd:		the socket
 * @iov:	the pieces, which are changed
 * @nr:		how many
 * @what:	what it is, to be told
 *
 * Return: 0, or a negative errno; then it has not been sent as a whole.
 */
int relay_write(struct relay *relay, int fd, struct iovec *iov, int nr, const char *what)
{
	int64_t deadline = relay_now() + relay->timeout;
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = nr };
	ssize_t n;
	int i, ret;

	for (i = 0; i < nr; i++)
		deadline += iov[i].iov_len / RELAY_BYTES_PER_MS;
	while (msg.msg_iovlen) {
		n = sendmsg(fd, &msg, MSG_NOSIGNAL);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return write_failed(relay, -errno, what);
		for (; n > 0 && msg.msg_iovlen && (size_t)n >= msg.msg_iov->iov_len;
		     msg.msg_iovlen--)
			n -= msg.msg_iov++->iov_len;
		if (!msg.msg_iovlen)
			return 0;
		if (n > 0) {
			msg.msg_iov->iov_base = (char *)msg.msg_iov->iov_base + n;
			msg.msg_iov->iov_len -= n;
		}
		ret = relay_wait(relay, fd, POLLOUT, deadline);
		if (ret)
			return write_failed(relay, ret, what);
	}
	return 0;
}

/**
 * relay_read() - receive a reply
 * @relay:	the connection
 * @data:	returns it
 * @size:	bytes, all of which must come
 * @what:	what it replies to, to be told
 *
 * Return: 0, or a negative errno.
 */
int relay_read(struct relay *relay, void *data, size_t size, const char *what)
{
	const int timeout = relay->timeout + size / RELAY_BYTES_PER_MS;
	int64_t deadline = relay_now() + timeout;
	ssize_t n;
	int ret;

	while (size) {
		n = recv(relay->control, data, size, 0);
		if (!n)
			return relay_fail(relay, -ECONNRESET,
					  "connection closed by peer during %s", what);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return relay_fail(relay, -errno, "%s: %m", what);
		if (n > 0) {
			data = (char *)data + n;
			size -= n;
			continue;
		}
		ret = relay_wait(relay, relay->control, POLLIN, deadline);
		if (ret == -ETIMEDOUT)
			return relay_fail(relay, ret, "no reply to %s within %d s", what,
					  timeout / 1000);
		if (ret)
			return relay_fail(relay, ret, "%s: %s", what, strerror(-ret));
	}
	return 0;
}
