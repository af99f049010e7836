/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: where an lttng-relayd listens.
 */
#ifndef _LTT_TOOL_RELAY_ADDRESS_H
#define _LTT_TOOL_RELAY_ADDRESS_H

#include <stdbool.h>

/**
 * struct relay_address - an address as LTTng writes it: net://HOST[:PORT[:PORT]][/PATH]
 * @text:	all of it, as it was given
 * @host:	name or number
 * @control:	port of the control connection, a number
 * @data:	of the data connection
 * @path:	below relayd's directory of the host, empty: nothing in between
 * @family:	AF_UNSPEC or AF_INET6
 */
struct relay_address {
	const char *text;
	char host[256];
	char control[6];
	char data[6];
	char path[1024];
	int family;
};

bool relay_is_address(const char *text);
const char *relay_parse_address(struct relay_address *address, const char *text);
const char *relay_parse_viewer(struct relay_address *address, const char *text);

#endif /* _LTT_TOOL_RELAY_ADDRESS_H */
