// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: ltt-core comes and goes.
 */

#include <linux/init.h>
#include <linux/module.h>

#include "trace/core.h"

static int __init ltt_init(void)
{
	int err = ltt_switch_init();

	if (err)
		return err;
	err = ltt_clock_init();
	if (err)
		goto exit_switch;
	err = ltt_filter_init();
	if (err)
		goto exit_clock;
	err = ltt_buffer_init();
	if (err)
		goto exit_filter;
	err = ltt_symbols_init();
	if (err)
		goto exit_buffer;
	ltt_traces_init();
	err = ltt_marker_init();
	if (err)
		goto exit_symbols;
	/* The first of the clients: the others' files are in its directories. */
	err = ltt_control_init();
	if (err)
		goto exit_marker;
	err = ltt_binary_init();
	if (err)
		goto exit_control;
	/* Last: from now on there are users. */
	err = ltt_control_open();
	if (err)
		goto exit_binary;
	return 0;

exit_binary:
	ltt_binary_exit();
exit_control:
	ltt_control_exit();
exit_marker:
	ltt_marker_exit();
exit_symbols:
	ltt_symbols_exit();
exit_buffer:
	ltt_buffer_exit();
exit_filter:
	ltt_filter_exit();
exit_clock:
	ltt_clock_exit();
exit_switch:
	ltt_switch_exit();
	return err;
}

/*
 * Modules that call us, and open files, hold references to this module: nobody
 * refers to a trace any more but the list of traces, and nobody can make one, as
 * the files of a module that goes can not be opened. What users have left behind
 * is destroyed for them: a trace that was forgotten is no reason to refuse.
 */
static void __exit ltt_exit(void)
{
	ltt_traces_exit();
	ltt_binary_exit();
	ltt_control_exit();
	ltt_marker_exit();
	ltt_symbols_exit();
	ltt_buffer_exit();
	ltt_filter_exit();
	ltt_clock_exit();
	ltt_switch_exit();
}

module_init(ltt_init);
module_exit(ltt_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("LTT: markers, ring buffers, traces and their control files");
MODULE_VERSION(LTT_VERSION);
