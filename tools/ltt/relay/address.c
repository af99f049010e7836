// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: addresses of lttng-relayd.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "address.h"
#include "wire.h"

#define SEPARATOR "://"

/**
 * relay_is_address() - is that meant to be an address, and not a file?
 * @text:	what the user says
 *
 * Return: whether it begins as addresses do, whatever follows.
 */
bool relay_is_address(const char *text)
{
	size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789");

	return len && !strncmp(text + len, SEPARATOR, strlen(SEPARATOR));
}

static bool parse_family(struct relay_address *address, const char *text, size_t len)
{
	static const char *const schemes[] = { "net", "tcp", "net6", "tcp6" };
	unsigned int i;

	for (i = 0; i < sizeof(schemes) / sizeof(*schemes); i++) {
		if (strlen(schemes[i]) == len && !strncmp(schemes[i], text, len)) {
			address->family = i < 2 ? AF_UNSPEC : AF_INET6;
			return true;
		}
	}
	return false;
}

/* Return: what follows; NULL: that is no port. */
static const char *parse_port(char port[6], const char *text)
{
	size_t len = strspn(text, "0123456789");
	unsigned long n = strtoul(text, NULL, 10);

	if (!len || len > 5 || !n || n > 65535)
		return NULL;
	snprintf(port, 6, "%lu", n);
	return text + len;
}

/* Return: what follows; NULL: that is no host. */
static const char *parse_host(struct relay_address *address, const char *text)
{
	bool brackets = *text == '[';
	size_t len;

	text += brackets;
	len = strcspn(text, brackets ? "]" : ":/");
	if (!len || len >= sizeof(address->host) || (brackets && text[len] != ']'))
		return NULL;
	memcpy(address->host, text, len);
	address->host[len] = '\0';
	return text + len + brackets;
}

/* relayd leaves its directory for nobody. */
static const char *parse_path(struct relay_address *address, const char *text)
{
	const char *part;
	size_t len;

	text += strspn(text, "/");
	if (strlen(text) >= sizeof(address->path))
		return "path too long";
	for (part = text; *part; part += len + strspn(part + len, "/")) {
		len = strcspn(part, "/");
		if (len > 255)
			return "name in the path too long";
		if ((len == 1 && !strncmp(part, ".", 1)) || (len == 2 && !strncmp(part, "..", 2)))
			return "the path may contain neither . nor ..";
	}
	strcpy(address->path, text);
	for (len = strlen(text); len && text[len - 1] == '/'; len--)
		address->path[len - 1] = '\0';
	return NULL;
}

static const char *parse(struct relay_address *address, const char *text, const char *control,
			 const char *data)
{
	const char *at = strstr(text, SEPARATOR);

	memset(address, 0, sizeof(*address));
	address->text = text;
	if (!at || !parse_family(address, text, at - text))
		return "expected net://, net6://, tcp:// or tcp6://";
	strcpy(address->control, control);
	strcpy(address->data, data);
	at = parse_host(address, at + strlen(SEPARATOR));
	if (!at)
		return "no host";
	if (*at == ':')
		at = parse_port(address->control, at + 1);
	if (at && *at == ':' && *data)
		at = parse_port(address->data, at + 1);
	if (!at || (*at && *at != '/'))
		return *data ? "expected HOST[:CONTROL-PORT[:DATA-PORT]][/PATH]" :
			       "expected HOST[:PORT][/host/HOSTNAME/NAME]";
	return parse_path(address, at);
}

/**
 * relay_parse_address() - read an address to send to
 * @address:	returns it
 * @text:	the text, which must stay
 *
 * Return: NULL; or what is wrong.
 */
const char *relay_parse_address(struct relay_address *address, const char *text)
{
	return parse(address, text, RELAY_CONTROL_PORT, RELAY_DATA_PORT);
}

/**
 * relay_parse_viewer() - read an address of traces to look at
 * @address:	returns it; there is no data connection
 * @text:	net://HOST[:PORT][/host/HOSTNAME/NAME], which must stay
 *
 * Return: NULL; or what is wrong.
 */
const char *relay_parse_viewer(struct relay_address *address, const char *text)
{
	return parse(address, text, RELAY_VIEWER_PORT, "");
}
