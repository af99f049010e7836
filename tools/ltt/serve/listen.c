// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: where viewers come from: sockets that we make, or that systemd has made.
 */

#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "../capture/session.h"
#include "../common/printable.h"
#include "protocol.h"
#include "serve.h"

/* The first descriptor that systemd passes, see sd_listen_fds(3). */
#define INHERITED	3

/* After the name of a socket: who has it. */
#define LOCK_SUFFIX	".lock"

union address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_un un;
	/* A path may fill all of its place. */
	char terminated[sizeof(struct sockaddr_un) + 1];
};

static bool parse_port(const char *text, in_port_t *port)
{
	uint64_t n;

	if (session_number(text, "", &n) || n > UINT16_MAX)
		return false;
	*port = htons((uint16_t)n);
	return true;
}

/* ADDR, ADDR:PORT, [ADDR]:PORT, or the path of a socket. Return: its size, 0: it is none. */
static socklen_t parse(const char *text, union address *a)
{
	in_port_t port = htons(LIVE_PORT);
	char host[INET6_ADDRSTRLEN];
	const bool bracket = *text == '[';
	const char *end, *rest;

	memset(a, 0, sizeof(*a));
	if (*text == '/') {
		a->un.sun_family = AF_UNIX;
		if (strlen(text) >= sizeof(a->un.sun_path))
			return 0;
		strcpy(a->un.sun_path, text);
		return sizeof(a->un);
	}
	if (bracket) {
		end = strchr(++text, ']');
		rest = end ? end + 1 : NULL;
	} else {
		end = strchr(text, ':');
		/* Several: an IPv6 address without a port. */
		if (!end || strchr(end + 1, ':'))
			end = strchr(text, '\0');
		rest = end;
	}
	if (!end || (size_t)(end - text) >= sizeof(host) ||
	    (*rest && (*rest != ':' || !parse_port(rest + 1, &port))))
		return 0;
	memcpy(host, text, end - text);
	host[end - text] = '\0';
	if (!bracket && inet_pton(AF_INET, host, &a->in.sin_addr) == 1) {
		a->in.sin_family = AF_INET;
		a->in.sin_port = port;
		return sizeof(a->in);
	}
	if (inet_pton(AF_INET6, host, &a->in6.sin6_addr) == 1) {
		a->in6.sin6_family = AF_INET6;
		a->in6.sin6_port = port;
		return sizeof(a->in6);
	}
	return 0;
}

static bool is_private(const union address *a)
{
	switch (a->any.sa_family) {
	case AF_INET:
		return ntohl(a->in.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	case AF_INET6:
		return IN6_IS_ADDR_LOOPBACK(&a->in6.sin6_addr);
	default:
		return true;
	}
}

/* Say who could see traces, and need not be root. */
static void warn_of(const char *address, const union address *a)
{
	static bool said;

	if (!is_private(a)) {
		warnx("%s: whoever can connect can read the traces", address);
	} else if (a->any.sa_family != AF_UNIX && !said) {
		warnx("every user of this machine can read the traces");
		said = true;
	}
}

/* Allocated; NULL: no memory. */
static char *name_of(const union address *a)
{
	char host[INET6_ADDRSTRLEN], *name = NULL;
	int ret;

	switch (a->any.sa_family) {
	case AF_INET:
		inet_ntop(AF_INET, &a->in.sin_addr, host, sizeof(host));
		ret = asprintf(&name, "%s:%u", host, ntohs(a->in.sin_port));
		break;
	case AF_INET6:
		inet_ntop(AF_INET6, &a->in6.sin6_addr, host, sizeof(host));
		ret = asprintf(&name, "[%s]:%u", host, ntohs(a->in6.sin6_port));
		break;
	default:
		return *a->un.sun_path ? printable(a->un.sun_path) : strdup("local viewer");
	}
	return ret < 0 ? NULL : name;
}

/**
 * listen_check() - is that an address?
 * @address:	the address
 *
 * Return: whether it is.
 */
bool listen_check(const char *address)
{
	union address a;

	return parse(address, &a);
}

/**
 * listen_peer() - name the other end of a connection
 * @fd:		a socket
 *
 * Return: its address, allocated; NULL: no memory.
 */
char *listen_peer(int fd)
{
	union address a = { };
	socklen_t size = sizeof(a);

	return getpeername(fd, &a.any, &size) ? strdup("viewer") : name_of(&a);
}

/* Return: the file, new or not, or a negative errno. */
static int open_lock(const char *path, bool *is_new)
{
	const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	int fd;

	for (;;) {
		fd = open(path, flags | O_CREAT | O_EXCL, 0600);
		*is_new = fd >= 0;
		if (*is_new || errno != EEXIST)
			return fd < 0 ? -errno : fd;
		fd = open(path, flags);
		if (fd >= 0 || errno != ENOENT)
			return fd < 0 ? -errno : fd;
	}
}

/*
 * While a server has a path, it has the file of that name with .lock after it. Another one that
 * comes at the same time cannot take the socket for one that is left over. Other programs use the
 * same name, and write into the file: that is not ours.
 */
static int lock(const union address *a, bool *is_new)
{
	char path[sizeof(a->un.sun_path) + sizeof(LOCK_SUFFIX)];
	struct stat st;
	int fd, ret;

	snprintf(path, sizeof(path), "%s" LOCK_SUFFIX, a->un.sun_path);
	for (;;) {
		fd = open_lock(path, is_new);
		if (fd < 0)
			return fd;
		ret = flock(fd, LOCK_EX | LOCK_NB) || fstat(fd, &st) ? -errno : 0;
		if (!ret && st.st_nlink && S_ISREG(st.st_mode) && !st.st_size &&
		    st.st_uid == geteuid())
			return fd;
		close(fd);
		if (ret)
			return ret == -EWOULDBLOCK ? -EADDRINUSE : ret;
		/* Unless the one before has just removed it. */
		if (st.st_nlink)
			return -EADDRINUSE;
	}
}

static void unlock(const union address *a, int fd)
{
	char path[sizeof(a->un.sun_path) + sizeof(LOCK_SUFFIX)];
	struct stat st, held;

	snprintf(path, sizeof(path), "%s" LOCK_SUFFIX, a->un.sun_path);
	if (!fstat(fd, &held) && !lstat(path, &st) && st.st_dev == held.st_dev &&
	    st.st_ino == held.st_ino)
		unlink(path);
	close(fd);
}

/* A socket that a server has left, which was killed. */
static void remove_stale(const union address *a, socklen_t size)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	struct stat st;

	if (fd >= 0 && !lstat(a->un.sun_path, &st) && S_ISSOCK(st.st_mode) &&
	    connect(fd, &a->any, size) && errno == ECONNREFUSED)
		unlink(a->un.sun_path);
	if (fd >= 0)
		close(fd);
}

/* Return: a socket that listens, or a negative errno. */
static int make(const union address *a, socklen_t size)
{
	const int yes = 1;
	mode_t mask;
	int fd, ret;

	fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (a->any.sa_family == AF_UNIX)
		remove_stale(a, size);
	else
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (a->any.sa_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof(yes));
	/* Only for its owner. */
	mask = umask(0177);
	ret = bind(fd, &a->any, size) || listen(fd, SOMAXCONN) ? -errno : 0;
	umask(mask);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

/* The same with a path, which is ours then. */
static int make_at_path(struct listening *listening, const union address *a, socklen_t size)
{
	struct stat st;
	bool is_new;
	int fd, held = lock(a, &is_new);

	if (held < 0)
		return held;
	fd = make(a, size);
	if (fd < 0 || lstat(a->un.sun_path, &st)) {
		/* One that was there may be another program's, which has the path. */
		if (is_new)
			unlock(a, held);
		else
			close(held);
		return fd;
	}
	listening->lock = held;
	listening->dev = st.st_dev;
	listening->ino = st.st_ino;
	return fd;
}

/**
 * listen_on() - let viewers come to an address
 * @listening:	returns the socket
 * @address:	the address
 * @must:	say so if the machine has no such address
 *
 * Says what is wrong, and where it listens.
 *
 * Return: 0; a negative errno: -EADDRNOTAVAIL if it has none.
 */
int listen_on(struct listening *listening, const char *address, bool must)
{
	union address a;
	socklen_t size = parse(address, &a);
	int fd = a.any.sa_family == AF_UNIX ? make_at_path(listening, &a, size) : make(&a, size);
	char *name;

	if (fd == -EAFNOSUPPORT)
		fd = -EADDRNOTAVAIL;
	if (fd < 0) {
		errno = -fd;
		if (must || fd != -EADDRNOTAVAIL)
			warn("%s", address);
		return fd;
	}
	listening->fd = fd;
	size = sizeof(a);
	getsockname(fd, &a.any, &size);
	name = name_of(&a);
	warnx("listening on %s", name ?: address);
	free(name);
	warn_of(address, &a);
	return 0;
}

/**
 * listen_count() - how many sockets has systemd made for us?
 *
 * Return: how many.
 */
int listen_count(void)
{
	const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");

	if (!pid || !fds || strtol(pid, NULL, 10) != getpid())
		return 0;
	return strtol(fds, NULL, 10) > 0 ? strtol(fds, NULL, 10) : 0;
}

/**
 * listen_inherited() - get one of these
 * @listening:	returns the socket
 * @nr:		its number, from 0
 *
 * Return: 0; -EINVAL: it is none that listens.
 */
int listen_inherited(struct listening *listening, int nr)
{
	int fd = INHERITED + nr, listens = 0;
	socklen_t size = sizeof(listens);

	if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) || !listens) {
		warnx("LISTEN_FDS: descriptor %d is not a listening socket", fd);
		return -EINVAL;
	}
	if (fcntl(fd, F_SETFD, FD_CLOEXEC) || fcntl(fd, F_SETFL, O_NONBLOCK))
		return -errno;
	listening->fd = fd;
	return 0;
}

/**
 * listen_close() - no viewers come any more
 * @listening:	a socket
 *
 * What is in the file system is removed if we made it.
 */
void listen_close(const struct listening *listening)
{
	union address a = { };
	socklen_t size = sizeof(a);
	struct stat st;

	if (listening->ino && !getsockname(listening->fd, &a.any, &size)) {
		if (!lstat(a.un.sun_path, &st) && st.st_dev == listening->dev &&
		    st.st_ino == listening->ino)
			unlink(a.un.sun_path);
		unlock(&a, listening->lock);
	}
	close(listening->fd);
}
