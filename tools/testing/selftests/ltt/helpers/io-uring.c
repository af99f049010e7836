// SPDX-License-Identifier: GPL-2.0
/*
 * LTT test: requests to io_uring, so that its trace events fire.
 *
 *	io-uring
 *
 * Some succeed at once, some wait, some fail; says how many completed.
 */

#include <fcntl.h>
#include <liburing.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

/* An operation that no kernel has. */
#define NO_OPERATION	250

static struct io_uring ring;
static int pending, completed;

/* The next request; its caller sets the arguments that @op has. */
static struct io_uring_sqe *next_request(int op, unsigned int flags)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);

	if (!sqe) {
		fprintf(stderr, "no room for a request\n");
		exit(1);
	}
	io_uring_prep_nop(sqe);
	sqe->opcode = op;
	sqe->flags = flags;
	sqe->user_data = ++pending + completed;
	return sqe;
}

static void wait_all(void)
{
	struct io_uring_cqe *cqe;

	for (; pending; pending--, completed++) {
		int err = io_uring_wait_cqe(&ring, &cqe);

		if (err) {
			fprintf(stderr, "waiting: %s\n", strerror(-err));
			exit(1);
		}
		io_uring_cqe_seen(&ring, cqe);
	}
}

int main(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	int fds[2], epoll = epoll_create1(0), err = io_uring_queue_init(16, &ring, 0);
	struct io_uring_sqe *sqe;
	static char buffer[16];

	if (err) {
		fprintf(stderr, "io_uring: %s\n", strerror(-err));
		return 1;
	}
	if (epoll < 0 || pipe(fds)) {
		perror("io-uring");
		return 1;
	}

	/* At once, and by a worker. */
	next_request(IORING_OP_NOP, 0);
	next_request(IORING_OP_NOP, IOSQE_ASYNC);
	sqe = next_request(IORING_OP_EPOLL_CTL, 0);
	sqe->fd = epoll;
	sqe->addr = (unsigned long)&event;
	sqe->len = EPOLL_CTL_ADD;
	sqe->off = fds[0];
	io_uring_submit(&ring);
	wait_all();

	/* One that waits until the pipe has something, one that waits for that one. */
	sqe = next_request(IORING_OP_POLL_ADD, 0);
	sqe->fd = fds[0];
	sqe->poll32_events = POLLIN;
	next_request(IORING_OP_NOP, IOSQE_IO_DRAIN);
	io_uring_submit(&ring);
	if (write(fds[1], "x", 1) != 1)
		return 1;
	wait_all();

	/* One that fails takes the next with it. */
	sqe = next_request(IORING_OP_READ, IOSQE_IO_LINK);
	sqe->fd = -1;
	sqe->addr = (unsigned long)buffer;
	sqe->len = sizeof(buffer);
	next_request(IORING_OP_NOP, 0);
	io_uring_submit(&ring);
	wait_all();

	/* Found wrong before it begins. */
	next_request(NO_OPERATION, 0);
	io_uring_submit(&ring);
	wait_all();

	printf("%d requests\n", completed);
	io_uring_queue_exit(&ring);
	return 0;
}
