// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: threads of a capture that wait until the main thread has looked for new streams.
 */

#include <sys/eventfd.h>

#include "capture.h"

/**
 * capture_want_scan() - have new streams looked for
 * @capture:	the capture
 *
 * For a thread: when it returns, all streams are known that were there when it was called, unless
 * the capture is to end.
 */
void capture_want_scan(struct capture *capture)
{
	unsigned long mine;

	pthread_mutex_lock(&capture->scan_lock);
	mine = ++capture->wanted;
	eventfd_write(capture->wake, 1);
	while (capture->scanned < mine && atomic_load(&capture->mode) == CAPTURE_RUN)
		pthread_cond_wait(&capture->scan_done, &capture->scan_lock);
	pthread_mutex_unlock(&capture->scan_lock);
}

/**
 * capture_scan_wanted() - are new streams to be looked for?
 * @capture:	the capture
 *
 * Return: for capture_scan_done(); 0: no.
 */
unsigned long capture_scan_wanted(struct capture *capture)
{
	unsigned long wanted;

	pthread_mutex_lock(&capture->scan_lock);
	wanted = capture->wanted > capture->scanned ? capture->wanted : 0;
	pthread_mutex_unlock(&capture->scan_lock);
	return wanted;
}

/**
 * capture_scan_done() - they have been looked for
 * @capture:	the capture
 * @wanted:	what capture_scan_wanted() returned before
 */
void capture_scan_done(struct capture *capture, unsigned long wanted)
{
	pthread_mutex_lock(&capture->scan_lock);
	if (wanted > capture->scanned)
		capture->scanned = wanted;
	pthread_cond_broadcast(&capture->scan_done);
	pthread_mutex_unlock(&capture->scan_lock);
}
