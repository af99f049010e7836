#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: BUSY=1 SMP=64 MEM=4G TIMEOUT=1800
#
# All markers on 64 CPUs, while text is read and a capture is made: of each channel on each
# CPU, all that was recorded is in the text and in the capture, in order, and all that was
# lost is reported in both.
#
# Not for QEMU, which would take hours: see tools/testing/ltt/uml/smp.sh.

. "$(dirname "$0")/lib.sh"
needs smp
. "$here/lib/record.sh"

# Three files a channel and CPU; the first process of a kernel may open 4096.
ulimit -n 65536

# Whoever is kept waiting by the host is not stuck.
echo 0 > $patience

# The sum of each channel and CPU: "CHANNEL CPU recorded N lost N"
stats()
{
	local file channel

	for file in "$ltt/traces/$1"/channels/*/stats; do
		channel=${file%/stats}
		awk -F '\t' -v channel="${channel##*/}" '!/^#/ && ($2 || $3) {
			print channel, $1, "recorded", $2, "lost", $3 }' "$file"
	done | sort
}

# The same of a text; times never decrease.
counted()
{
	awk '/^# lost / { lost[$8 " " $6] += $3; next }
		/^#/ { next }
		{ split($3, name, "."); cpu = substr($2, 2, 3) + 0 }
		$1 + 0 < last { print "out of order: " $0; exit }
		{ last = $1 + 0; n[name[1] " " cpu]++ }
		END {
			for (key in lost) if (!(key in n)) n[key] = 0
			for (key in n) print key, "recorded", n[key], "lost", lost[key] + 0
		}' | sort
}

# What processes do that come and go on all CPUs.
workload()
{
	local cpu

	for ((cpu = 0; cpu < $(nproc --all); cpu++)); do
		taskset -c $cpu /bin/true
	done
	generate "$1" 7 "$2"
}

# all_opened PID: it reads all buffers
all_opened()
{
	[ "$(ls /proc/$1/fd | wc -l)" -gt "$(ls $ltt/traces/many/binary | wc -l)" ]
}

# add_up SIZE NUMBER EVENTS GAP, of sub-buffers; and of each CPU in each context
add_up()
{
	local dir=$tmp/capture text=$tmp/text reader capture channel

	rmmod ltt-test 2> /dev/null || true
	load_test_module
	rm -rf "$dir" "$text"
	new_trace many
	for channel in "$ltt"/traces/many/channels/*/; do
		[ "$(basename "$channel")" != shared ] || continue
		echo "$1" > "$channel/subbuf_size"
		echo "$2" > "$channel/subbuf_num"
	done
	echo '*' > $ltt/traces/many/markers
	# Whoever comes later sees nothing of what another one has read.
	reader many ALL "$text"
	reader=$!
	record_background -t many -o "$dir"
	capture=$!
	wait_for 60 all_opened $capture
	start_trace many
	workload "$3" "$4"
	stop_trace many
	stats many > "$tmp/stats"
	generated
	destroy_trace many
	wait $reader
	wait $capture || fail "record: $(cat "$tmp/record.err")"
	ltt view "$dir" > "$tmp/view" 2> "$tmp/err"
	expect "what view says" "" "$(head -n 3 "$tmp/err")"
	counted < "$text" > "$tmp/in-text"
	counted < "$tmp/view" > "$tmp/in-view"
	awk '{ n += $4; lost += $6; cpus[$2] } END {
		print n, "recorded,", lost, "lost, on", length(cpus), "CPUs" }' "$tmp/stats"
	same
	# What the module counted itself.
	expect "events of ltt_test" "$(awk '{ n += $NF } END { print n }' "$tmp/generated")" \
		"$(awk '$1 == "ltt_test" { n += $4 + $6 } END { print n }' "$tmp/stats")"
	expect "CPUs" "$(nproc --all)" "$(cut -d ' ' -f 2 "$tmp/stats" | sort -u | wc -l)"
}

same()
{
	diff "$tmp/stats" "$tmp/in-text" || fail "the text differs"
	diff "$tmp/stats" "$tmp/in-view" || fail "the capture differs"
}

run_test "all markers on all CPUs, buffers of their own" add_up 65536 8 1000 2000
run_test "all markers on all CPUs, many are lost" add_up 4096 2 3000 0
finish
