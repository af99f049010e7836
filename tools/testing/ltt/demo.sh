#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: [DURATION=SECONDS] demo.sh
#
# In the guest: trace the kernel while it works, and print the trace until
# interrupted or for DURATION seconds. What it does by hand is all there is to
# using LTT.
set -euo pipefail

ltt=/sys/kernel/debug/ltt
trace=$ltt/traces/demo
jobs=()

# Processes, pipes and timers, on every processor.
work()
{
	local cpu

	for cpu in $(seq 0 $(($(nproc) - 1))); do
		taskset -c "$cpu" bash -c '
			while :; do
				seq 1 100 | sort -n | tail -n 1 > /dev/null
				sleep 0.05
			done' &
		jobs+=($!)
	done
}

finish()
{
	trap - EXIT INT
	((${#jobs[@]} == 0)) || kill "${jobs[@]}" 2> /dev/null || true
	if [[ -d $trace ]]; then
		echo 0 > "$trace/enabled"
		# Ends the reader with the last event.
		echo demo > $ltt/destroy_trace
	fi
	wait 2> /dev/null || true
	[[ -s $count ]] || return 0
	read -r lines lost < "$count"
	echo "demo: $lines lines, $lost events lost" >&2
}

count=$(mktemp)
trap finish EXIT
# The reader goes on until the trace is gone.
trap 'exit 0' INT

echo demo > $ltt/setup_trace
for pattern in 'sched.*' 'irq.*' 'timer.*' 'raw_syscalls.*'; do
	echo "$pattern" > "$trace/markers"
done
echo 1 > "$trace/enabled"

# awk copies and counts; Ctrl-C is for this script.
(
	trap '' INT
	awk -v count="$count" '
		{ print }
		/^# lost / { lost += $3; next }
		!/^#/ { lines++ }
		END { print lines + 0, lost + 0 > count }' "$trace/text/ALL"
) &
work
if [[ ${DURATION:-} ]]; then
	sleep "$DURATION"
else
	sleep infinity &
	jobs+=($!)
	wait $!
fi
