// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: module init and exit of ltt-core.
 */

#include <linux/init.h>
#include <linux/module.h>

#include "area/area.h"
#include "trace/core.h"
#include "trace/found.h"
#include "trace/tasks.h"
#include "trace/trigger.h"

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
	err = ltt_areas_init();
	if (err)
		goto exit_filter;
	err = ltt_triggers_init();
	if (err)
		goto exit_areas;
	err = ltt_buffer_init();
	if (err)
		goto exit_triggers;
	err = ltt_symbols_init();
	if (err)
		goto exit_buffer;
	ltt_traces_init();
	ltt_pass_init();
	err = ltt_trace_channels_init();
	if (err)
		goto exit_symbols;
	err = ltt_marker_init();
	if (err)
		goto exit_channels;
	/* The first client: the files of the others are in its directories. */
	err = ltt_control_init();
	if (err)
		goto exit_marker;
	err = ltt_binary_init();
	if (err)
		goto exit_control;
	err = ltt_dump_init();
	if (err)
		goto exit_binary;
	ltt_found_init();
	/* Users may appear from now on. */
	err = ltt_control_open();
	if (err)
		goto exit_found;
	ltt_found_show();
	ltt_boot_trace();
	return 0;

exit_found:
	ltt_found_exit();
	ltt_dump_exit();
exit_binary:
	ltt_binary_exit();
exit_control:
	ltt_control_exit();
exit_marker:
	ltt_marker_exit();
exit_channels:
	ltt_trace_channels_exit();
exit_symbols:
	ltt_symbols_exit();
exit_buffer:
	ltt_buffer_exit();
exit_triggers:
	ltt_triggers_exit();
exit_areas:
	ltt_areas_exit();
exit_filter:
	ltt_filter_exit();
exit_clock:
	ltt_clock_exit();
exit_switch:
	ltt_switch_exit();
	return err;
}

/*
 * Modules that call us, and open files, hold references to this module. So only the
 * list of traces still refers to traces, and none can be created, as the files of a
 * module that is being removed cannot be opened. Traces that users have forgotten
 * do not prevent the removal: they are destroyed.
 */
static void __exit ltt_exit(void)
{
	ltt_found_exit();
	ltt_traces_exit();
	ltt_dump_exit();
	ltt_tasks_exit();
	ltt_pass_exit();
	ltt_binary_exit();
	ltt_control_exit();
	ltt_marker_exit();
	ltt_trace_channels_exit();
	ltt_symbols_exit();
	ltt_buffer_exit();
	ltt_triggers_exit();
	ltt_areas_exit();
	ltt_filter_exit();
	ltt_clock_exit();
	ltt_switch_exit();
}

module_init(ltt_init);
module_exit(ltt_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("LTT: markers, ring buffers, traces and their control files");
MODULE_VERSION(LTT_VERSION);
