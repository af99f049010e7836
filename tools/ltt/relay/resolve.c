// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the addresses of a host.
 *
 * What looks names up is in shared libraries. So the static command takes numbers only; it is
 * linked with a variant of this file.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "address.h"
#include "relay.h"

#ifdef LTT_STATIC
struct numeric {
	struct addrinfo info;
	union {
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	};
};

static int resolve(const char *host, const char *port, int family, struct addrinfo **found)
{
	struct numeric *n = calloc(1, sizeof(*n));
	in_port_t number = htons(atoi(port));

	if (!n)
		return EAI_MEMORY;
	n->info.ai_socktype = SOCK_STREAM;
	n->info.ai_addr = (struct sockaddr *)&n->v4;
	if (family != AF_INET6 && inet_pton(AF_INET, host, &n->v4.sin_addr) == 1) {
		n->v4.sin_family = AF_INET;
		n->info.ai_addrlen = sizeof(n->v4);
		n->v4.sin_port = number;
	} else if (inet_pton(AF_INET6, host, &n->v6.sin6_addr) == 1) {
		n->v6.sin6_family = AF_INET6;
		n->info.ai_addrlen = sizeof(n->v6);
		n->v6.sin6_port = number;
	} else {
		free(n);
		return EAI_NONAME;
	}
	n->info.ai_family = n->v4.sin_family;
	*found = &n->info;
	return 0;
}

static void release(struct addrinfo *found)
{
	free(found);
}

static const char *reason(int error)
{
	return error == EAI_NONAME ? "no IP address, and this ltt is a static one, which cannot look names up"
				   : strerror(ENOMEM);
}
#else
static int resolve(const char *host, const char *port, int family, struct addrinfo **found)
{
	const struct addrinfo hints = {
		.ai_family = family,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICSERV,
	};

	return getaddrinfo(host, port, &hints, found);
}

static void release(struct addrinfo *found)
{
	freeaddrinfo(found);
}

static const char *reason(int error)
{
	return error == EAI_SYSTEM ? strerror(errno) : gai_strerror(error);
}
#endif

/**
 * relay_resolve() - look the host up
 * @relay:	the connection
 * @port:	port there
 * @found:	returns addresses, for relay_release()
 *
 * Return: 0, or a negative errno.
 */
int relay_resolve(struct relay *relay, const char *port, struct addrinfo **found)
{
	const struct relay_address *address = relay->address;
	int error = resolve(address->host, port, address->family, found);

	return error ? relay_fail(relay, -EHOSTUNREACH, "host '%s': %s", address->host,
				  reason(error)) : 0;
}

/**
 * relay_release() - free addresses
 * @found:	those of relay_resolve(), NULL: none
 */
void relay_release(struct addrinfo *found)
{
	if (found)
		release(found);
}
