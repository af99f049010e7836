// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the connections of viewers, and all that is waited for.
 *
 * One thread does what is to be done, a little for each descriptor that is ready. Nobody is
 * waited for.
 */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../capture/capture.h"
#include "../capture/child.h"
#include "say.h"
#include "serve.h"
#include "viewer.h"

/* At once. */
#define CONNECTIONS_MAX	256

/* s, before a viewer is accepted after that has failed. */
#define REST		1

/* Commands of one viewer before others have their turn. */
#define TURN		64

TAILQ_HEAD(connections, connection);

/**
 * struct server - a server
 * @kernel:	what it serves
 * @listeners:	struct listener
 * @nr_listeners: how many
 * @connections: viewers, those that came first at the head
 * @nr_connections: how many
 * @spare:	a descriptor to close when there are no more; -1: it could not be opened again
 * @rested:	listeners that have rested are to go on
 * @timer:	when
 */
struct server {
	struct kernel kernel;
	struct listener *listeners;
	int nr_listeners;
	struct connections connections;
	unsigned int nr_connections;
	int spare;
	struct handler rested;
	int timer;
};

/**
 * struct listener - where viewers come from
 * @handler:	one has come
 * @server:	where they come to
 * @socket:	where
 */
struct listener {
	struct handler handler;
	struct server *server;
	struct listening socket;
};

/**
 * struct connection - a viewer that has come
 * @node:	in server.connections
 * @handler:	it says something, or can take something
 * @server:	where it is
 * @fd:		its socket
 * @sending:	it is to take something
 * @peer:	its name
 * @viewer:	the viewer
 */
struct connection {
	TAILQ_ENTRY(connection) node;
	struct handler handler;
	struct server *server;
	int fd;
	bool sending;
	char *peer;
	struct viewer viewer;
};

static void disconnect(struct connection *c)
{
	struct server *server = c->server;

	if (c->viewer.wrong)
		say(SAY_STRANGER, "%s: %s", c->peer, c->viewer.wrong);
	TAILQ_REMOVE(&server->connections, c, node);
	server->nr_connections--;
	close(c->fd);
	viewer_free(&c->viewer);
	free(c->peer);
	free(c);
}

/* Return: 1; 0: it cannot take more now; -1: it has gone. */
static int send_reply(struct connection *c)
{
	const void *from;
	size_t size;
	ssize_t n;

	while ((size = viewer_reply(&c->viewer, &from))) {
		n = send(c->fd, from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0)
			return errno == EAGAIN || errno == EINTR ? 0 : -1;
		viewer_sent(&c->viewer, n);
	}
	return 1;
}

/* Return: 1; 0: it does not say more now; -1: it has gone, or is to go. */
static int get_command(struct connection *c)
{
	size_t size;
	ssize_t n;
	void *to;

	size = viewer_want(&c->viewer, &to);
	if (!size)
		return -1;
	n = recv(c->fd, to, size, MSG_DONTWAIT);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	if (!n) {
		if (c->viewer.in_len)
			c->viewer.wrong = "disconnected in mid-command";
		return -1;
	}
	viewer_got(&c->viewer, n);
	return c->viewer.wrong ? -1 : 1;
}

static void wait_for(struct connection *c, bool sending)
{
	struct epoll_event event = {
		.events = sending ? EPOLLOUT : EPOLLIN,
		.data.ptr = &c->handler,
	};

	if (sending == c->sending)
		return;
	c->sending = sending;
	epoll_ctl(c->server->kernel.epoll, EPOLL_CTL_MOD, c->fd, &event);
}

static void connection_ready(void *data)
{
	struct connection *c = data;
	unsigned int i;
	int ret = 1;

	for (i = 0; ret > 0 && i < TURN; i++) {
		ret = send_reply(c);
		wait_for(c, !ret);
		if (ret > 0)
			ret = get_command(c);
	}
	/* The reply to the last command. */
	if (ret > 0) {
		ret = send_reply(c);
		wait_for(c, !ret);
	}
	if (ret < 0)
		disconnect(c);
}

/* The oldest of those that see nothing makes room. Return: whether there is room. */
static bool make_room(struct server *server)
{
	struct connection *c;

	if (server->nr_connections < CONNECTIONS_MAX)
		return true;
	TAILQ_FOREACH(c, &server->connections, node) {
		if (SLIST_EMPTY(&c->viewer.traces)) {
			c->viewer.wrong = "closed: too many connections";
			disconnect(c);
			return true;
		}
	}
	return false;
}

static void add_connection(struct server *server, int fd)
{
	struct connection *c = calloc(1, sizeof(*c));
	struct epoll_event event = { .events = EPOLLIN };
	const int yes = 1;

	if (c)
		c->peer = listen_peer(fd);
	if (!c || !c->peer)
		goto fail;
	c->handler = (struct handler) { .ready = connection_ready, .data = c };
	c->server = server;
	c->fd = fd;
	event.data.ptr = &c->handler;
	if (epoll_ctl(server->kernel.epoll, EPOLL_CTL_ADD, fd, &event))
		goto fail;
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof(yes));
	/* Replies are short, and waited for. */
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	viewer_init(&c->viewer, &server->kernel.store, c->peer);
	TAILQ_INSERT_TAIL(&server->connections, c, node);
	server->nr_connections++;
	return;

fail:
	say(SAY_STRANGER, "a viewer is refused: %s", strerror(errno));
	if (c)
		free(c->peer);
	free(c);
	close(fd);
}

static void open_spare(struct server *server)
{
	server->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/*
 * There are no more descriptors: the viewer is to know, and not to be waited for. Return: false:
 * not even that can be done.
 */
static bool refuse(struct server *server, int listener)
{
	int fd;

	if (server->spare < 0)
		return false;
	close(server->spare);
	fd = accept(listener, NULL, NULL);
	if (fd >= 0)
		close(fd);
	open_spare(server);
	return fd >= 0;
}

static void wait_for_viewers(struct listener *listener, bool wait)
{
	struct epoll_event event = {
		.events = wait ? EPOLLIN : 0, .data.ptr = &listener->handler,
	};

	epoll_ctl(listener->server->kernel.epoll, EPOLL_CTL_MOD, listener->socket.fd, &event);
}

static void listeners_rested(void *data)
{
	struct server *server = data;
	uint64_t times;
	int i;

	if (read(server->timer, &times, sizeof(times)) < 0)
		return;
	if (server->spare < 0)
		open_spare(server);
	for (i = 0; i < server->nr_listeners; i++)
		wait_for_viewers(&server->listeners[i], true);
}

/* It stays ready, but asking again at once is of no use. */
static void rest(struct listener *listener)
{
	const struct itimerspec then = { .it_value.tv_sec = REST };

	wait_for_viewers(listener, false);
	timerfd_settime(listener->server->timer, 0, &then, NULL);
}

static void accept_failed(struct listener *listener, int error)
{
	bool refused;

	switch (error) {
	case EMFILE:
	case ENFILE:
	case ENOBUFS:
	case ENOMEM:
		refused = (error == EMFILE || error == ENFILE) &&
			  refuse(listener->server, listener->socket.fd);
		say(SAY_STRANGER, "%s: %s", refused ? "a viewer is refused" : "viewers have to wait",
		    strerror(error));
		if (!refused)
			rest(listener);
	}
}

static void listener_ready(void *data)
{
	struct listener *listener = data;
	struct server *server = listener->server;
	int fd;

	fd = accept4(listener->socket.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0) {
		accept_failed(listener, errno);
		return;
	}
	if (make_room(server)) {
		add_connection(server, fd);
	} else {
		say(SAY_STRANGER, "a viewer is refused: there are %u", CONNECTIONS_MAX);
		close(fd);
	}
}

/* Its socket is there. */
static int add_listener(struct server *server, struct listener *listener)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = &listener->handler };

	listener->handler = (struct handler) { .ready = listener_ready, .data = listener };
	listener->server = server;
	server->nr_listeners++;
	if (!epoll_ctl(server->kernel.epoll, EPOLL_CTL_ADD, listener->socket.fd, &event))
		return 0;
	warn("epoll");
	return -errno;
}

/* Return: 0, or a negative errno after an error, which has been said. */
static int listen_everywhere(struct server *server, const struct serve_options *options)
{
	static const char *const loopback[] = { "127.0.0.1", "::1" };
	const char *const *listen = options->nr_listen ? options->listen : loopback;
	int nr = options->nr_listen ?: 2, given = options->nr_listen ? 0 : listen_count();
	struct listener *next;
	int i, ret = 0;

	if (given)
		nr = given;
	server->listeners = calloc(nr, sizeof(*server->listeners));
	if (!server->listeners) {
		warn("listeners");
		return -ENOMEM;
	}
	for (i = 0; !ret && i < nr; i++) {
		next = &server->listeners[server->nr_listeners];
		ret = given ? listen_inherited(&next->socket, i)
			    : listen_on(&next->socket, listen[i], listen != loopback || !i);
		if (!ret)
			ret = add_listener(server, next);
		else if (ret == -EADDRNOTAVAIL && listen == loopback && i)
			/* Not each machine has IPv6. */
			ret = 0;
	}
	return ret;
}

static int serve(struct server *server, int signals)
{
	struct epoll_event event = { .events = EPOLLIN };
	struct epoll_event timer = { .events = EPOLLIN, .data.ptr = &server->rested };
	struct child nobody = { };
	struct handler *handler;

	server->rested = (struct handler) { .ready = listeners_rested, .data = server };
	if (epoll_ctl(server->kernel.epoll, EPOLL_CTL_ADD, signals, &event) ||
	    epoll_ctl(server->kernel.epoll, EPOLL_CTL_ADD, server->timer, &timer)) {
		warn("epoll");
		return -errno;
	}
	for (;;) {
		/* One at a time: a handler may free others. */
		if (epoll_wait(server->kernel.epoll, &event, 1, -1) < 0) {
			if (errno == EINTR)
				continue;
			warn("epoll");
			return -errno;
		}
		handler = event.data.ptr;
		if (handler)
			handler->ready(handler->data);
		else if (child_signal(&nobody, signals) == CHILD_INTERRUPT)
			return 0;
	}
}

/**
 * server_run() - serve traces until a signal comes
 * @options:	which, and where
 * @signals:	from child_signals()
 *
 * Says what is wrong.
 *
 * Return: 0, or a negative errno.
 */
int server_run(const struct serve_options *options, int signals)
{
	struct server server = {
		.kernel.patterns = options->names,
		.kernel.nr_patterns = options->nr_names,
		.kernel.timer = options->timer,
	};
	struct utsname host;
	int i, ret;

	capture_raise_limit();
	uname(&host);
	TAILQ_INIT(&server.connections);
	store_init(&server.kernel.store, &kernel_source, options->memory);
	server.kernel.store.priv = &server.kernel;
	server.kernel.store.host = host.nodename;
	open_spare(&server);
	server.timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	server.kernel.epoll = epoll_create1(EPOLL_CLOEXEC);
	if (server.kernel.epoll < 0 || server.timer < 0 || server.spare < 0) {
		ret = -errno;
		warn("epoll");
	} else {
		ret = listen_everywhere(&server, options) ?: serve(&server, signals);
	}
	while (!TAILQ_EMPTY(&server.connections))
		disconnect(TAILQ_FIRST(&server.connections));
	for (i = 0; i < server.nr_listeners; i++)
		listen_close(&server.listeners[i].socket);
	free(server.listeners);
	store_free(&server.kernel.store);
	if (server.kernel.epoll >= 0)
		close(server.kernel.epoll);
	if (server.timer >= 0)
		close(server.timer);
	if (server.spare >= 0)
		close(server.spare);
	say_left_out();
	return ret;
}
