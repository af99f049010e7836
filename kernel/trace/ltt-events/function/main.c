// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the function tracer's module.
 *
 * The channel is registered when the module is loaded, with larger buffers than
 * others have, as functions are called often; or as a private one, which nobody
 * but profile.c reads.
 */

#include <linux/module.h>
#include <linux/ltt/channel.h>

#include "function.h"

static bool private;
module_param(private, bool, 0444);
MODULE_PARM_DESC(private, "Show a profile instead of recording events in traces (default: 0)");

DEFINE_MUTEX(ltt_function_mutex);	/* see function.h */
bool ltt_function_closing;
DEFINE_PER_CPU(struct ltt_function_stats, ltt_function_stats);

static const struct ltt_channel_params params = {
	.subbuf_order	= 18,
	.subbuf_num	= 16,
};

/**
 * ltt_function_connect() - a trace wants a marker, and none did before
 * @hook:	the marker's
 *
 * Context: task, in a marker's connect or disconnect; may sleep.
 * Return: 0; -ENODEV while the module is being removed; what @hook->attach says.
 */
int ltt_function_connect(struct ltt_function_hook *hook)
{
	int err = -ENODEV;

	mutex_lock(&ltt_function_mutex);
	if (!ltt_function_closing)
		err = hook->attach();
	if (!err)
		hook->wanted = true;
	mutex_unlock(&ltt_function_mutex);
	return err;
}

/**
 * ltt_function_disconnect() - no trace wants a marker any more
 * @hook:	the marker's
 *
 * Context: task, in a marker's connect or disconnect; may sleep.
 */
void ltt_function_disconnect(struct ltt_function_hook *hook)
{
	mutex_lock(&ltt_function_mutex);
	hook->detach();
	hook->wanted = false;
	mutex_unlock(&ltt_function_mutex);
}

/* A trace may have enabled our markers already: the hooks work without us. */
static int __init ltt_function_init(void)
{
	int err;

	err = ltt_channel_register(LTT_FUNCTION_CHANNEL, &params,
				   private ? LTT_CHANNEL_PRIVATE : 0);
	if (err)
		return err;
	if (private) {
		err = ltt_function_profile_init();
		if (err)
			goto fail_channel;
	}
	err = ltt_function_files_init(private);
	if (err)
		goto fail_profile;
	return 0;

fail_profile:
	if (private)
		ltt_function_profile_exit();
fail_channel:
	ltt_channel_unregister(LTT_FUNCTION_CHANNEL);
	return err;
}

/*
 * Traces that want our markers still do; from now on that leads to nothing. The
 * markers themselves go when this function has returned.
 */
static void __exit ltt_function_exit(void)
{
	ltt_function_files_exit();
	mutex_lock(&ltt_function_mutex);
	ltt_function_closing = true;
	ltt_function_entry_exit();
	ltt_function_returns_exit();
	mutex_unlock(&ltt_function_mutex);
	if (private)
		ltt_function_profile_exit();
	ltt_channel_unregister(LTT_FUNCTION_CHANNEL);
}

module_init(ltt_function_init);
module_exit(ltt_function_exit);

MODULE_DESCRIPTION("LTT: function tracer");
MODULE_LICENSE("GPL");
