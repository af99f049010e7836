# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # what lib.sh sets
#
# Traces in dumps of all memory: recording what is to be there, and looking for it.

# crash_trace NAME [AREA]: a flight recorder, of which one channel goes round and one does not.
# Functions, which queued work has, are numbers in a dump.
crash_trace()
{
	new_trace "$1"
	[ $# -eq 1 ] || echo "$2" > "$ltt/traces/$1/persist"
	channel_buffers "$1" sched 4096 16 overwrite
	channel_buffers "$1" irq 65536 8 overwrite
	printf '%s\n' 'sched.*' '!sched.sched_kthread_work_*' 'irq.irq_*' > "$ltt/traces/$1/markers"
	start_trace "$1"
}

# crash_traces STATE [AREA]: traces of several kinds, and readers that write before.NAME there.
# What is in crash_names and crash_others must be found in a dump, and nothing else. The others
# have no readers: windows, and a private channel.
crash_names=(own shared)
crash_others=(own.snapshot-{1,2,3} sample_private)
crash_load=()
crash_traces()
{
	local name

	# As nothing but their pages would be left.
	crash_trace gone
	destroy_trace gone
	crash_trace own
	echo 3 > "$ltt/traces/own/snapshot_max"
	wait_for 60 all_record own || fail "not all CPUs have events"
	# Packets are open, and few events follow.
	crash_window "$1" 1
	# Its slots take several pages.
	LTT_SHARED=1 new_trace shared
	LTT_SHARED=1 channel_buffers shared sched 4096 128 overwrite
	printf '%s\n' 'sched.*' '!sched.sched_kthread_work_*' 'irq.*' > "$ltt/traces/shared/markers"
	start_trace shared
	if [ $# -gt 1 ]; then
		crash_trace area "$2"
		crash_names+=(area)
	fi
	for name in "${crash_names[@]}"; do
		reader "$name" ALL "$1/before.$name"
	done
	for name in $(seq "$(nproc)"); do
		( while :; do /bin/true; done ) &
		crash_load+=($!)
	done
	for name in "${crash_names[@]}"; do
		wait_for 120 follow "$name" || fail "the reader of $name sees nothing"
	done
	crash_window "$1" 2
	# Of a few packets only, of buffers that have gone round.
	crash_window "$1" 3 'on sched.sched_switch count 1 do snapshot before 1ms'
	modprobe ltt-sample-reader
	wait_for 60 ticks 20 || fail "the private channel has no events"
}

# all_record TRACE: has each CPU recorded something?
all_record()
{
	[ "$(grep -c '^[0-9]*[[:space:]][1-9]' "$ltt/traces/$1/channels/sched/stats")" = "$(nproc)" ]
}

# crash_window STATE NUMBER [TRIGGER]: it is taken, by hand or by that; what it is goes to STATE
crash_window()
{
	local window=$ltt/traces/own/snapshots/$2

	if [ $# -gt 2 ]; then
		echo "$3" > $ltt/traces/own/triggers
		wait_for 60 test -e "$window"
	else
		echo 1 > "$ltt/traces/own/snapshot"
	fi
	cat "$window/text/ALL" > "$1/before.own.snapshot-$2"
	cat "$window/info" > "$1/before.$2.info"
}

# ticks NR: have so many events of the private channel been read?
ticks()
{
	(($(cat /sys/module/ltt_sample_reader/parameters/events) >= $1))
}

# readers_catch_up: while nothing else goes on, as on a slow machine buffers go round between
# what a reader has seen and what happens
readers_catch_up()
{
	kill -STOP "${crash_load[@]}"
	wait_for 300 follow "${crash_names[@]}" || fail "not all readers catch up"
	kill -CONT "${crash_load[@]}"
}

# follow NAME...: do these readers see what has just happened? The host looks: that makes no
# interrupts, which would be recorded.
marks=0
follow()
{
	local mark=ltt-mark-$((++marks)). name

	( exec -a x bash -c 'printf %s "$1" > /proc/self/comm; for ((i = 0; i < 20; i++)); do /bin/true; done' x "$mark" )
	for name; do
		wait_for 30 host grep -qF "$mark" "$LTT_ON_HOST/before.$name" || return
	done
}

# seen DUMP: what readers have written until now goes to DUMP.NAME
seen()
{
	local name

	for name in "${crash_names[@]}"; do
		host cp "$LTT_ON_HOST/before.$name" "$LTT_ON_HOST/$1.$name"
	done
}

# look_for_window STATE DUMP NUMBER: it is what it was, and all that is known of it is told
look_for_window()
{
	local name=own.snapshot-$3

	host ltt crash "$2" -t $name > "$1/$name.txt"
	[ -s "$1/$name.txt" ]
	cmp "$1/before.$name" "$1/$name.txt"
	same_capture events "$LTT_ON_HOST/ctf/$name" "$LTT_ON_HOST/$name.txt"
	sed -n "/^snapshot $3\$/,/^\$/p" "$1/info" > "$tmp/window"
	expect "why" "$(grep ^why "$1/before.$3.info")" "$(grep ^why "$tmp/window")"
	expect "events" "$(grep ^events "$1/before.$3.info")" "$(grep ^events "$tmp/window")"
}

# look_for_private STATE DUMP: each of its numbers
look_for_private()
{
	host ltt crash "$2" -t sample_private > "$1/private.txt"
	grep -v '^#' "$1/private.txt" > "$tmp/ticks"
	awk 'NR > 1 && $NF != n + 1 { print "after " n ": " $0; exit 1 }
	     { n = $NF }' "$tmp/ticks"
	(($(wc -l < "$tmp/ticks") >= 20))
}

# look_for STATE DUMP: what was seen by the readers is in the dump, as text and as CTF
look_for()
{
	local name dump=$LTT_ON_HOST/$2

	host ltt crash "$dump" --info > "$1/info" || { cat "$1/info"; fail "ltt crash --info"; }
	grep -v '^buffer' "$1/info"
	host ltt crash "$dump" -o "$LTT_ON_HOST/ctf" > "$tmp/written"
	expect "traces" "$(printf '%s\n' "${crash_names[@]}" "${crash_others[@]}" | sort)" \
		"$(ls "$1/ctf" | sort)"
	expect "damaged packets" 0 "$(awk '$1 == "damaged" { n += $2 } END { print n + 0 }' "$1/info")"
	none grep '^#' "$1/info"
	cmp "$tmp/written" "$1/info"
	for name in "${crash_names[@]}"; do
		host ltt crash "$dump" -t "$name" > "$1/$name.txt"
		host "$here/compare/survived.py" "$dump.$name" "$LTT_ON_HOST/$name.txt"
		same_capture events "$LTT_ON_HOST/ctf/$name" "$LTT_ON_HOST/$name.txt"
	done
	look_for_window "$1" "$dump" 1
	look_for_window "$1" "$dump" 2
	look_for_window "$1" "$dump" 3
	look_for_private "$1" "$dump"
	rm -rf "$1/ctf"
}

# No trace is shown if several could be meant, and none that is not there.
choice()
{
	none host ltt crash "$1" 2> "$tmp/err"
	grep -q 'traces found; choose one' "$tmp/err"
	grep -q ': own$' "$tmp/err"
	none host ltt crash "$1" -t gone 2> "$tmp/err"
	grep -q 'there is no trace gone' "$tmp/err"
}
