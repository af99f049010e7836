// SPDX-License-Identifier: GPL-2.0
/*
 * LTT sample: a channel with parameters of its own.
 *
 * The channel "heartbeat" is a flight recorder: four small sub-buffers a CPU,
 * the oldest is overwritten. Delayed work records one event each 100 ms.
 *
 * Where modprobe does not find the sample, insmod the file that was built, see the Makefile.
 *
 *	# modprobe ltt-sample-channel
 *	# cd /sys/kernel/debug/ltt
 *	# echo beat > setup_trace
 *	# echo 'heartbeat.*' > traces/beat/markers
 *	# echo 1 > traces/beat/enabled
 *	# cat traces/beat/text/heartbeat
 */

#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/workqueue.h>
#include <linux/ltt/channel.h>
#include <linux/ltt/marker.h>

static const struct ltt_channel_params params = {
	.subbuf_order	= 12,
	.subbuf_num	= 4,
	.overwrite	= true,
};

static void beat(struct work_struct *work);
static DECLARE_DELAYED_WORK(beat_work, beat);
static unsigned long beats;

static void beat(struct work_struct *work)
{
	trace_mark(heartbeat, beat, "number %lu jiffies %lu", ++beats, jiffies);
	schedule_delayed_work(&beat_work, HZ / 10);
}

static int __init ltt_sample_channel_init(void)
{
	int err = ltt_channel_register("heartbeat", &params, 0);

	if (err)
		return err;
	schedule_delayed_work(&beat_work, 0);
	return 0;
}

static void __exit ltt_sample_channel_exit(void)
{
	cancel_delayed_work_sync(&beat_work);
	ltt_channel_unregister("heartbeat");
}

module_init(ltt_sample_channel_init);
module_exit(ltt_sample_channel_exit);

MODULE_DESCRIPTION("LTT sample: a channel with parameters of its own");
MODULE_LICENSE("GPL");
