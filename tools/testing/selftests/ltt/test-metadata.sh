#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: BUSY=1 SMP=4 MEM=2G UML=1
#
# binary/metadata: what it declares, when, and that it can be read in any way.

. "$(dirname "$0")/lib.sh"

metadata()
{
	cat "$ltt/traces/$1/binary/metadata"
}

# Names of the events that the text on standard input declares.
declared()
{
	sed -n 's/^\tname = "\(.*\..*\)";$/\1/p'
}

# accepted FILE [STREAM...]: babeltrace2 has nothing to say against it
accepted()
{
	local dir

	dir=$(mktemp -d "$tmp/ctf.XXXXXX")
	cp "$1" "$dir/metadata"
	shift
	(($# == 0)) || (cd "$dir" && touch "$@")
	babeltrace2 "$dir" > "$dir.out" 2>&1 || { cat "$dir.out"; fail "not accepted"; }
	expect "what babeltrace2 says" "" "$(< "$dir.out")"
}

everything()
{
	new_trace all
	metadata all > "$tmp/empty"
	expect "events" "" "$(declared < "$tmp/empty")"
	accepted "$tmp/empty"
	modprobe ltt-sample-types
	echo '*' > $ltt/traces/all/markers
	metadata all > "$tmp/all"
	accepted "$tmp/all"
	accepted "$tmp/all" sched_0 sample_types_0 sample_types_1
	# Each of them once. Nobody uses shared buffers.
	printf '%s\n' $ltt/traces/all/channels/*/ | sed 's,/$,,; s,.*/,,; /^shared$/d' | sort > "$tmp/want"
	sed -n 's,.*// ltt-channel "\([^"]*\)".*,\1,p' "$tmp/all" | sort > "$tmp/found"
	same_lines "$tmp/want" "$tmp/found"
	expect "markers" "$(printf '%s\n' $ltt/traces/all/channels/*/markers/* |
		awk -F/ '{ print $(NF - 2) "." $NF }' | sort)" \
		"$(declared < "$tmp/all" | sort -u)"
	rmmod ltt-sample-types
	metadata all | cmp - "$tmp/all"
	destroy_trace all
}

# The ids in the files of the markers are those in the metadata.
ids()
{
	local id

	# At once: what was recorded for a moment is declared.
	new_trace ids 'sched.* !sched.sched_wakeup*'
	id=$(< $ltt/traces/ids/channels/sched/markers/sched_switch/id)
	metadata ids | grep -B 1 'name = "sched.sched_switch"' | grep -qx $'\t'"id = $id;"
	none grep -q sched_wakeup <(metadata ids)
	echo sched.sched_wakeup > $ltt/traces/ids/markers
	id=$(< $ltt/traces/ids/channels/sched/markers/sched_wakeup/id)
	metadata ids | tail -n 30 | grep -B 1 'name = "sched.sched_wakeup"' |
		grep -qx $'\t'"id = $id;"
	# What was declared once stays so, and is not declared again.
	metadata ids > "$tmp/before"
	echo '!sched.*' > $ltt/traces/ids/markers
	echo 'sched.*' > $ltt/traces/ids/markers
	head -c "$(stat -c %s "$tmp/before")" <(metadata ids) | cmp - "$tmp/before"
	expect "twice" "" "$(metadata ids | declared | sort | uniq -d)"
	destroy_trace ids
}

modules_come_and_go()
{
	new_trace grow 'sample_types.*' 'ltt_late.*'
	exec 8< $ltt/traces/grow/binary/metadata
	cat <&8 > "$tmp/grow.1"
	expect "before" "" "$(declared < "$tmp/grow.1")"
	modprobe ltt-sample-types
	cat <&8 > "$tmp/grow.2"
	expect "with a module" "$(grep -c . "$here/compare/types.expected")" "$(declared < "$tmp/grow.2" | wc -l)"
	modprobe ltt-test-late
	rmmod ltt-sample-types ltt-test-late
	cat <&8 > "$tmp/grow.3"
	declared < "$tmp/grow.3" | grep -qx ltt_late.init
	expect "nothing more" "" "$(cat <&8)"
	# The same kind of event again is no new one.
	modprobe ltt-sample-types
	rmmod ltt-sample-types
	expect "not again" "" "$(cat <&8)"
	exec 8<&-
	cat "$tmp"/grow.[123] > "$tmp/grow"
	metadata grow | cmp - "$tmp/grow"
	accepted "$tmp/grow"
	destroy_trace grow
}

# Names of errors stand where a way to show results is declared, not in each of the calls'
# exit events: that would make some megabytes.
declared_once()
{
	local size

	modprobe ltt-syscalls
	new_trace once 'syscalls.*'
	metadata once > "$tmp/once"
	destroy_trace once
	rmmod ltt-syscalls
	accepted "$tmp/once"
	size=$(stat -c %s "$tmp/once")
	echo "$(declared < "$tmp/once" | wc -l) events, $size bytes"
	awk '
		/^struct fields_/ { known[$2] = 1 }
		/fields := struct fields_/ {
			sub(";", "", $4)
			if (!($4 in known)) { print "not yet", $4; bad++ }
		}
		/"EPERM" = -1/ { tables++ }
		/_exit";$/ { exits++ }
		END {
			print tables, "tables", exits, "exit events"
			exit bad || !(tables >= 1 && tables <= 8 && exits > 300)
		}' "$tmp/once"
	[ "$size" -lt 1000000 ]
}

# In pieces of any size, from any offset, by any call: the same bytes.
reading()
{
	local size some file=$ltt/traces/again/binary/metadata

	new_trace again 'sched.*' 'irq.*'
	metadata again > "$tmp/again"
	some=$(amount 4000 1000000)
	dd if=$file bs=1 count="$some" status=none | cmp - <(head -c "$some" "$tmp/again")
	for size in 7 4096 1000000; do
		dd if=$file bs=$size status=none | cmp - "$tmp/again"
	done
	for size in 1 1000 5000 8191; do
		dd if=$file bs=4096 skip=$size iflag=skip_bytes status=none |
			cmp - <(tail -c "+$((size + 1))" "$tmp/again")
	done
	expect "behind the end" "" "$(dd if=$file bs=1000000 skip=1 status=none)"
	python3 -c 'import os
while os.splice(0, 1, 10000): pass' < $file | cmp - "$tmp/again"
	expect_errno EACCES $file x
	destroy_trace again
}

two_traces()
{
	new_trace one 'sched.*'
	new_trace two 'sched.*'
	metadata one | grep uuid > "$tmp/one"
	metadata two | grep uuid > "$tmp/two"
	grep -qE ' "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";$' "$tmp/one"
	none cmp -s "$tmp/one" "$tmp/two"
	metadata one | grep -qx $'\ttrace_name = "one";'
	metadata one | grep -qx $'\thostname = "'"$(hostname)"'";'
	metadata one | grep -qx $'\tboot_id = "'"$(< /proc/sys/kernel/random/boot_id)"'";'
	metadata one | grep -qx $'\tkernel_release = "'"$(uname -r)"'";'
	destroy_trace one
	destroy_trace two
}

follow()
{
	local pid

	new_trace follow 'ltt_late.*'
	rm -f "$tmp/follow"
	follow-metadata.py $ltt/traces/follow/binary/metadata > "$tmp/follow" &
	pid=$!
	wait_for 10 grep -qs '^struct event_header' "$tmp/follow"
	none grep -q ltt_late "$tmp/follow"
	modprobe ltt-test-late
	wait_for 10 grep -qs ltt_late.init "$tmp/follow"
	echo sched.sched_switch > $ltt/traces/follow/markers
	wait_for 10 grep -qs sched.sched_switch "$tmp/follow"
	rmmod ltt-test-late
	metadata follow > "$tmp/whole"
	[ -d /proc/$pid ]
	destroy_trace follow
	wait $pid
	cmp "$tmp/follow" "$tmp/whole"
}

# An open file needs neither the trace nor its directory.
after_the_end()
{
	new_trace gone 'sched.*'
	metadata gone > "$tmp/gone"
	exec 8< $ltt/traces/gone/binary/metadata
	head -c 100 <&8 > /dev/null
	destroy_trace gone
	[ ! -e $ltt/traces/gone ]
	new_trace gone 'irq.*'
	dd bs=1M status=none <&8 | cmp - <(tail -c +101 "$tmp/gone")
	exec 8<&-
	destroy_trace gone
}

private()
{
	modprobe ltt-sample-reader
	expect "events" "" "$(metadata sample_private | declared)"
	none grep -q ltt-channel <(metadata sample_private)
	new_trace nosy '*'
	none grep -q sample_private <(metadata nosy)
	destroy_trace nosy
	rmmod ltt-sample-reader
}

# Of the time in the text and the offset in the metadata, calendar time is made.
real_time()
{
	local before after

	new_trace when 'sample_types.nothing'
	start_trace when
	reader when ALL "$tmp/when"
	before=$(date +%s.%N)
	modprobe ltt-sample-types
	after=$(date +%s.%N)
	rmmod ltt-sample-types
	metadata when | grep -E $'^\toffset(_s)? = |absolute' > "$tmp/offset"
	destroy_trace when
	wait $!
	events < "$tmp/when" | awk -v before="$before" -v after="$after" '
		/offset_s/ { sub(";", ""); s = $3 }
		/offset =/ { sub(";", ""); ns = $3 }
		/absolute = true;/ { absolute = 1 }
		/nothing/  { n++; at = $1 + s + ns / 1e9 }
		END {
			printf "%.6f %.6f %.6f\n", before, at, after
			exit (n != 1 || !absolute || at < before - 0.01 || at > after + 0.01)
		}' "$tmp/offset" -
}

# The counter is no time.
counter()
{
	local clock

	clock=$(grep -o '\[.*\]' $ltt/clock | tr -d '[]')
	echo counter > $ltt/clock
	new_trace count 'sched.*'
	metadata count > "$tmp/count"
	destroy_trace count
	echo "$clock" > $ltt/clock
	grep -qx $'\tname = "counter";' "$tmp/count"
	grep -qx $'\toffset_s = 0;' "$tmp/count"
	none grep -q absolute "$tmp/count"
	accepted "$tmp/count"
}

before_it_is_read()
{
	local pid i

	new_trace order 'sched.* irq.* timer.* power.* raw_syscalls.* module.*' 'sample_types.*' \
		'ltt_late.*'
	start_trace order
	rm -f "$tmp/order"
	declared.py $ltt/traces/order > "$tmp/order" &
	pid=$!
	wait_for 10 grep -qs reading "$tmp/order"
	for i in $(seq 5); do
		modprobe -a ltt-sample-types ltt-test-late
		rmmod ltt-sample-types ltt-test-late
		[ $i -ne 3 ] || sleep 1
	done
	destroy_trace order
	wait $pid
	cat "$tmp/order"
}

# What is read while the list grows is the beginning of what is read at the end.
many_readers()
{
	local i pids=() pattern

	new_trace grow
	for i in $(seq "$(amount 2 4)"); do
		(
			n=0
			while [ ! -e "$tmp/stop" ]; do
				dd if=$ltt/traces/grow/binary/metadata bs=509 status=none \
					> "$tmp/read.$i.$((n % 50))"
				n=$((n + 1))
			done
			echo "$n" > "$tmp/reads.$i"
		) &
		pids+=($!)
	done
	awk '!/^#/ { print $1 }' $ltt/markers | sort -R | head -n "$(amount 8 50)" > "$tmp/patterns"
	while read -r pattern; do
		echo "$pattern" > $ltt/traces/grow/markers
	done < "$tmp/patterns"
	modprobe -a ltt-sample-types ltt-test-late
	echo 'net.* timer.* writeback.* block.* irq*.* power.* vmscan.* sample_types.* ltt_late.*' \
		> $ltt/traces/grow/markers
	touch "$tmp/stop"
	# For several, wait returns only the status of the last.
	for i in "${pids[@]}"; do
		wait "$i"
	done
	metadata grow > "$tmp/last"
	accepted "$tmp/last"
	python3 - "$tmp/last" "$tmp"/read.* <<-'EOF'
		import sys
		last, *parts = (open(name, 'rb').read() for name in sys.argv[1:])
		odd = [sys.argv[i + 2] for i, part in enumerate(parts) if not last.startswith(part)]
		sys.exit(' '.join(odd + ['differ']) if odd else 0)
	EOF
	head "$tmp"/reads.*
	rmmod ltt-sample-types ltt-test-late
	destroy_trace grow
}

run_test "metadata of everything are CTF, and stay when modules go" everything
run_test "ids are those of the trace" ids
run_test "modules that come are declared, those that went stay so" modules_come_and_go
run_test "what events have in common is declared once" declared_once
run_test "every way to read gives the same" reading
run_test "two traces, two UUIDs; where and what" two_traces
run_test "poll and read follow what is declared" follow
run_test "an open file outlives its trace" after_the_end
run_test "private channels are not declared" private
run_test "timestamps and the offset make calendar time" real_time
run_test "the counter has no offset" counter
run_test --needs smp "what can be read has been declared" before_it_is_read
run_test --needs smp "readers while the metadata grow" many_readers
finish
