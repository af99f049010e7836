// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: waiting for writers on behalf of a user.
 *
 * synchronize_rcu() cannot be interrupted, and a CPU that is stuck in the kernel makes it
 * last for as long as it is stuck.
 */

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "wait.h"

/* The longest polling interval, in ms. */
#define LONGEST_PAUSE	20u

/**
 * ltt_wait_writers() - wait for all current writers
 * @give_up:	do not wait while this is true; may be NULL
 *
 * Context: task, no lock held that others need; waits for a grace period of RCU.
 * Return: 0, also if it gave up; -EINTR if the caller is being killed: writers may still be
 * under way.
 */
int ltt_wait_writers(const bool *give_up)
{
	struct rcu_gp_oldstate gp;
	unsigned int pause = 1;

	might_sleep();
	start_poll_synchronize_rcu_full(&gp);
	while (!poll_state_synchronize_rcu_full(&gp)) {
		if (fatal_signal_pending(current))
			return -EINTR;
		if (give_up && READ_ONCE(*give_up))
			return 0;
		schedule_timeout_killable(msecs_to_jiffies(pause));
		pause = min(pause * 2, LONGEST_PAUSE);
	}
	return 0;
}
