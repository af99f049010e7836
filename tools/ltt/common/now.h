/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: the time by which we wait.
 */
#ifndef _LTT_TOOL_NOW_H
#define _LTT_TOOL_NOW_H

#include <stdint.h>
#include <time.h>

/**
 * now_ns() - the current time
 *
 * Return: ns of CLOCK_MONOTONIC.
 */
static inline uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * UINT64_C(1000000000) + now.tv_nsec;
}

#endif /* _LTT_TOOL_NOW_H */
