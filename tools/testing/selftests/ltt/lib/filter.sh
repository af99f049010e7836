# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # $all is for its users, $ltt is lib.sh's
#
# Traces of the test module's events, for filters. Sourced after lib.sh.

all=15	# contexts: task, softirq, hard interrupt, NMI

# begin TRACE...: each with room for all the events of a test; numbers begin at 0
begin()
{
	local trace

	rmmod ltt-test 2> /dev/null || true
	load_test_module
	for trace; do
		new_trace "$trace"
		channel_buffers "$trace" ltt_test 4194304 2
		echo 'ltt_test.*' > "$ltt/traces/$trace/markers"
		start_trace "$trace"
	done
}
