/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: channels, the named groups of markers that share buffers in a trace.
 *
 * A channel is created with its first marker. A module that needs other parameters or a
 * private channel registers one at run time.
 */
#ifndef _LINUX_LTT_CHANNEL_H
#define _LINUX_LTT_CHANNEL_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/ltt/packet.h>

/**
 * struct ltt_channel_params - how a channel's buffers are made
 * @subbuf_order:	log2 of the bytes in a sub-buffer, LTT_SUBBUF_ORDER_MIN to _MAX
 * @subbuf_num:		sub-buffers of each CPU, a power of two, at least 2
 * @overwrite:		reuse the oldest sub-buffer when there is no room, instead
 *			of dropping the new event
 * @switch_ms:		period of the flush in milliseconds, 0: none
 */
struct ltt_channel_params {
	u8 subbuf_order;
	unsigned int subbuf_num;
	bool overwrite;
	unsigned int switch_ms;
};

#define LTT_SWITCH_MS_MAX	3600000u	/* an hour */

#define LTT_CHANNEL_PRIVATE	1u	/* only in-kernel readers: no files, no patterns */

#define LTT_NAME_MAX		63	/* characters of a channel's, marker's or trace's name */

/**
 * struct ltt_channel - a channel
 * @name:	``[A-Za-z0-9_]+``, unique
 * @flags:	LTT_CHANNEL_*
 * @params:	defaults for new traces
 * @registered:	by ltt_channel_register(), not only through a marker
 * @users:	its events, the traces that use it, and the module that registered it
 * @events:	struct ltt_event of the channel, in the order in which they were added
 * @node:	in ltt_channels
 *
 * All protected by ltt_mutex. Never freed while it has events, or traces that
 * use it.
 */
struct ltt_channel {
	const char *name;
	unsigned int flags;
	struct ltt_channel_params params;
	bool registered;
	unsigned int users;
	struct list_head events;
	struct list_head node;
};

/* Protects the lists of traces and channels, and whatever is marked as protected by it. */
extern struct mutex ltt_mutex;
extern struct list_head ltt_channels;

int ltt_channel_register(const char *name, const struct ltt_channel_params *params,
			 unsigned int flags);
int ltt_channel_unregister(const char *name);
int ltt_channel_check(const struct ltt_channel_params *params);
bool ltt_name_valid(const char *name);

#endif /* _LINUX_LTT_CHANNEL_H */
