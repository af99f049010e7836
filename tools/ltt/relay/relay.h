/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: a connection to lttng-relayd.
 *
 *	wire.h		what goes through it
 *	address.c	where it leads to
 *	resolve.c	what that means
 *	socket.c	bytes, each with a limit of time
 *	client.c	commands
 *
 * Nothing here waits longer than it may, whatever the other side does: see @timeout below. Only
 * looking the host up takes as long as the system's resolver does.
 * Functions that fail leave the reason, for people, in @why; then the only thing to do is
 * relay_disconnect().
 */
#ifndef _LTT_TOOL_RELAY_H
#define _LTT_TOOL_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

struct addrinfo;
struct ltt_packet;
struct relay_address;

/* ms; a test is less patient. */
#ifndef RELAY_TIMEOUT
#define RELAY_TIMEOUT	30000
#endif

/* So many bytes of data may take a ms more than the timeout: 16 kB/s. */
#ifndef RELAY_BYTES_PER_MS
#define RELAY_BYTES_PER_MS	16
#endif

/* Replies to indexes that may be outstanding. */
#define RELAY_DUE_MAX	64

/**
 * struct relay - a connection
 * @address:	whom to connect to
 * @control_at:	what @address means, for the control connection
 * @data_at:	for the data connection
 * @timeout:	ms, in which a reply must be there, or data gone
 * @stop:	a descriptor: when it becomes readable, everything fails with ECANCELED
 * @control:	socket, -1: not connected
 * @data:	likewise
 * @due:	replies to come
 * @why:	what has gone wrong
 */
struct relay {
	const struct relay_address *address;
	struct addrinfo *control_at;
	struct addrinfo *data_at;
	int timeout;
	int stop;
	int control;
	int data;
	unsigned int due;
	char why[256];
};

int relay_init(struct relay *relay, const struct relay_address *address, int stop);
void relay_free(struct relay *relay);

int relay_connect(struct relay *relay);
void relay_disconnect(struct relay *relay);
int relay_check(struct relay *relay);
int relay_create_session(struct relay *relay, const char *name, const char *hostname,
			 unsigned int live_timer);
int relay_add_stream(struct relay *relay, const char *name, const char *path, uint64_t *handle);
int relay_streams_sent(struct relay *relay);
int relay_send_metadata(struct relay *relay, uint64_t handle, const char *text, size_t size);
int relay_send_packet(struct relay *relay, uint64_t handle, uint64_t seq, const void *data,
		      size_t size);
int relay_send_index(struct relay *relay, uint64_t handle, uint64_t seq,
		     const struct ltt_packet *packet);
int relay_send_beacon(struct relay *relay, uint64_t handle, uint64_t stream_id, uint64_t time);
int relay_settle(struct relay *relay, unsigned int max);
int relay_ask_pending(struct relay *relay, uint64_t handle, uint64_t seq);
int relay_pending(struct relay *relay);
int relay_close_stream(struct relay *relay, uint64_t handle, uint64_t seq);

/* resolve.c */
int relay_resolve(struct relay *relay, const char *port, struct addrinfo **found);
void relay_release(struct addrinfo *found);

/* socket.c */
int64_t relay_now(void);
__attribute__((format(printf, 3, 4)))
int relay_fail(struct relay *relay, int error, const char *format, ...);
int relay_wait(struct relay *relay, int fd, short events, int64_t deadline);
int relay_socket(struct relay *relay, const struct addrinfo *at, const char *port);
int relay_write(struct relay *relay, int fd, struct iovec *iov, int nr, const char *what);
int relay_read(struct relay *relay, void *data, size_t size, const char *what);
int relay_sleep(struct relay *relay, int ms);

#endif /* _LTT_TOOL_RELAY_H */
