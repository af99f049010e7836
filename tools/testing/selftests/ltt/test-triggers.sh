#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G TIMEOUT=600 UML=1
#
# traces/NAME/triggers: which events make them act, what they do, and how often. What was
# recorded, and what ltt-test has generated, tells what is right.

. "$(dirname "$0")/lib.sh"
. "$here/lib/filter.sh"

# triggers TRACE: its file
triggers()
{
	echo "$ltt/traces/$1/triggers"
}

# write_triggers TRACE LINE...: in one write, as bash's own commands do not
write_triggers()
{
	local file

	file=$(triggers "$1")
	shift
	printf '%s\n' "$@" | cat > "$file"
}

# count_of TRACE LINE WHAT: fired, held, skipped, failed or markers of a line
count_of()
{
	local line found=

	while IFS= read -r line; do
		if [ "$found" ] && [[ "$line " =~ " $3 "([0-9]+)" " ]]; then
			echo "${BASH_REMATCH[1]}"
		fi
		found=
		[ "$line" != "$2" ] || found=1
	done < "$ltt/traces/$1/triggers"
}

# counts TRACE LINE: all of them, without their names
counts()
{
	local what all=

	for what in fired held skipped failed; do
		all+=" $(count_of "$1" "$2" $what)"
	done
	echo "${all# }"
}

# begin_with SIZE NUMBER [MODE]: as "begin some", with such buffers
begin_with()
{
	begin
	new_trace some
	channel_buffers some ltt_test "$@"
	echo 'ltt_test.*' > $ltt/traces/some/markers
	start_trace some
}

# end TRACE: $tmp/TRACE has the text of all that was recorded
end()
{
	reader "$1" ALL "$tmp/$1"
	destroy_trace "$1"
	wait $!
	none grep '^# lost' "$tmp/$1"
	generated
}

# events_of MARKER < TEXT: "CPU the-rest" of its events
events_of()
{
	events | sed -nE "s/^[^ ]+ \[0*([0-9]+)\] $1: (.*)/\1 \2/p"
}

# after_each MARKER WHICH < TEXT: for each event of ltt_test that WHICH (of awk) selects, what
# comes next on its CPU, without values
after_each()
{
	events | awk -v marker="$1" '{ cpu = $2 }
		waits[cpu] && $3 != "ltt_test.event:" { if ($3 == marker ":") found++; waits[cpu] = 0 }
		'"$2"' { waits[cpu] = 1; wanted++ }
		END { print wanted + 0, found + 0 }'
}

marks_and_stacks()
{
	local line='on ltt_test.event if seq == 5 do mark "five \"5\" \\ ; do"; stack'

	begin some
	write_triggers some "$line"
	expect "line" "$line" "$(grep -v '^#' "$(triggers some)")"
	expect "markers" 1 "$(count_of some "$line" markers)"
	generate 20 $all 2000
	stop_trace some
	n=$(awk '$6 > 5' <(cat /sys/kernel/debug/ltt_test/generated) | wc -l)
	expect "counts" "$n $n 0 0" "$(counts some "$line")"
	end some
	expect "events" "$n" "$(events_of ltt_test.event < "$tmp/some" | grep -c ' seq 5 ')"
	expect "marks" "$n" "$(events_of ltt.mark < "$tmp/some" | grep -cF 'text five "5" \\ ; do')"
	expect "stacks" "$n" "$(events_of ltt.stack < "$tmp/some" | grep -c 'event ltt_test.event kstack ')"
	# They begin with the event's own function or its caller. Deeper, an interrupt may show us.
	machine_has x86 || return 0
	events_of ltt.stack < "$tmp/some" | head -n 3
	none grep 'kstack \[\([^],]*\[ltt_core\]\|ltt_trigger\|filter_commit\|ltt_context\)' "$tmp/some"
}

# The event is recorded before what it makes a trigger do, on the same CPU.
in_order()
{
	begin some
	write_triggers some 'on ltt_test.event if seq % 10 == 3 do mark "three"' 2> /dev/null &&
		fail "there is no %"
	write_triggers some 'on ltt_test.event if seq & 7 == 3 || seq == 3 do mark "three"'
	generate 100
	end some
	expect "marks come next" "$(nproc) $(nproc)" "$(after_each ltt.mark '$7 == 3' < "$tmp/some")"
}

limits()
{
	local all_lines=('on ltt_test.event every 4 do mark "a"'
		'on ltt_test.event count 3 do mark "b"'
		'on ltt_test.event if seq >= 10 count 2 every 5 do mark "c"'
		'on ltt_test.event if seq > 1000000 do mark "d"'
		'on ltt_test.event every 7 count 1000 do mark "e"') n

	begin some
	write_triggers some 'on ltt_test.event if seq > 2000000 do mark "f"' "${all_lines[@]}"
	generate 100 $all
	stop_trace some
	n=$(awk '{ n += $6 } END { print n }' /sys/kernel/debug/ltt_test/generated)
	cat "$(triggers some)"
	expect "every 4" "$((n / 4)) $n $((n - n / 4)) 0" "$(counts some "${all_lines[0]}")"
	expect "count 3" 3 "$(count_of some "${all_lines[1]}" fired)"
	expect "count 2 every 5" 2 "$(count_of some "${all_lines[2]}" fired)"
	expect "never" "0 0 0 0" "$(counts some "${all_lines[3]}")"
	expect "every 7" $((n / 7)) "$(count_of some "${all_lines[4]}" fired)"
	end some
	expect "marks" "$((n / 4)) 3 2 0 $((n / 7))" "$(events_of ltt.mark < "$tmp/some" |
		awk '{ n[$NF]++ } END { print n["a"] + 0, n["b"] + 0, n["c"] + 0, n["d"] + 0, n["e"] + 0 }')"
}

# stops_in CONTEXTS CONTEXT: these record, and nothing that this one (a pattern) does after the event
# is recorded on its CPU, in none of the channels
stops_in()
{
	local line='on ltt_test_short.event if seq == 50 && context == 0 count 1 do stop' cpu last

	begin some
	echo 'ltt_test_other.* ltt_test_short.*' > $ltt/traces/some/markers
	write_triggers some "$line"
	generate 2000 $(($1 | 16)) 100
	expect "counts" "1 1 0 0" "$(counts some "$line")"
	wait_for 30 grep -qx 0 $ltt/traces/some/enabled || fail "it has not stopped"
	end some
	cpu=$(events_of ltt_test_short.event < "$tmp/some" | awk '$3 == 0 && $5 == 50 { print $1; exit }')
	[ "$cpu" ] || fail "the event was not recorded"
	last=$(events < "$tmp/some" | sed -nE "s/^[^ ]+ \[0*$cpu\] ([^:]+): context ($2) seq ([0-9]+).*/\1 \2 \3/p" | tail -n 1)
	expect "the last event of its CPU" "ltt_test_short.event 0 50" "$last"
	# The others have stopped, too.
	[ "$(events < "$tmp/some" | wc -l)" -lt "$(awk '{ n += $6 } END { print n }' "$tmp/generated")" ]
}

# What interrupts the event's own call comes after it and before the trigger has acted.
stops()
{
	stops_in 1 '[0-9]+'
	stops_in $all 0
}

starts()
{
	local start='on ltt_test.event if seq == 3 do start' stop='on ltt_test.event if seq == 1000000 do stop'

	begin some
	stop_trace some
	write_triggers some "$start" "$stop" 'on ltt_test.event if seq < 3 do mark "none"'
	generate 3
	expect "enabled" 0 "$(< $ltt/traces/some/enabled)"
	expect "no event" "0 0 0 0" "$(counts some "$start")"
	generate 1
	wait_for 30 grep -qx 1 $ltt/traces/some/enabled || fail "it has not started"
	expect "not in a stopped trace" "0 0 0 0" "$(counts some 'on ltt_test.event if seq < 3 do mark "none"')"
	generate 5
	end some
	# On other CPUs the fourth event may have come after that.
	expect "events" "$((5 * $(nproc)))" "$(events_of ltt_test.event < "$tmp/some" | awk '$5 > 3' | wc -l)"
	expect "earlier events" 0 "$(events_of ltt_test.event < "$tmp/some" | awk '$5 < 3' | wc -l)"
}

# What the user writes overrules what triggers have asked for, and the reverse.
starts_and_stops()
{
	local i

	# Each stop ends a sub-buffer.
	begin_with 4096 1024
	write_triggers some 'on ltt_test.event if seq & 1 do stop' 'on ltt_test.event if !(seq & 1) do start'
	for i in $(seq 20); do
		generate $((2 + i % 2)) $all
		case $((i % 3)) in
		0) start_trace some ;;
		1) stop_trace some ;;
		esac
	done
	write_triggers some none
	start_trace some
	expect "enabled" 1 "$(< $ltt/traces/some/enabled)"
	sleep 0.2
	expect "enabled" 1 "$(< $ltt/traces/some/enabled)"
	generate 10
	end some
	[ "$(events < "$tmp/some" | wc -l)" -ge $((10 * $(nproc))) ]
}

# recorded: events of ltt-test that each CPU has recorded
recorded()
{
	awk '$1 ~ /^[0-9]+$/ { print $1, $2 }' $ltt/traces/some/channels/ltt_test/stats
}

# all_record: for wait_for; so many CPUs do: $record
all_record()
{
	local before

	before=$(recorded)
	generate 1
	record=$(join <(echo "$before") <(recorded) | awk '$2 != $3 { n++ } END { print n + 0 }')
	[ "$record" -eq "$(nproc)" ]
}

# is VALUE FILE: that is its only line; without another program
is()
{
	local line=

	read -r line < "$2"
	[ "$line" = "$1" ]
}

held=/sys/module/ltt_test_halt/parameters/held

# The user overrules a stop while the buffers are being stopped, one CPU's after the other's.
overruled()
{
	local last=$(($(nproc) - 1))

	begin some
	write_triggers some "on ltt_test.event if \$cpu == $last count 1 do stop"
	modprobe ltt-test-halt
	trap 'echo 0 > $held; kill_jobs' EXIT
	# That CPU does not answer, and must not be asked to forget this task's memory.
	taskset -p -c 0-$((last - 1)) $BASHPID > /dev/null
	taskset -c $last true
	generate 10 &
	wait_for 20 is Y $held || fail "no trigger stops the trace"
	is 0 $ltt/traces/some/enabled
	echo 1 > $ltt/traces/some/enabled
	echo 0 > $held
	taskset -p -c 0-$last $BASHPID > /dev/null
	wait $!
	wait_for 20 all_record || fail "$record CPUs record"
	expect "enabled" 1 "$(< $ltt/traces/some/enabled)"
	destroy_trace some
	trap kill_jobs EXIT
	rmmod ltt-test-halt
}

selects()
{
	begin some
	write_triggers some 'on ltt_test.event if seq == 3 count 1 do enable ltt_test_short.*; disable ltt_test.event'
	generate 10
	wait_for 30 grep -q '^- ltt_test.event' $ltt/traces/some/markers || fail "still recorded"
	wait_for 30 grep -q '^+ ltt_test_short.event' $ltt/traces/some/markers || fail "not recorded"
	generate 10 17
	end some
	[ "$(events_of ltt_test_short.event < "$tmp/some" | wc -l)" -gt 0 ]
}

# With filters, of all kinds, and tasks: what they reject does not make a trigger act.
with_filters()
{
	local line='on ltt_test.event if seq < 8 do mark "x"' none='on ltt_test.event if seq == 9 do mark "y"'

	begin some
	echo 'ltt_test.event: seq in {2-4, 20}' > $ltt/traces/some/filters
	write_triggers some "$line" "$none"
	generate 30 1
	expect "filter of the marker" "$((3 * $(nproc))) 0" \
		"$(count_of some "$line" fired) $(count_of some "$none" fired)"
	echo '$tid == 0' > $ltt/traces/some/filter
	generate 30 1
	expect "filter of the trace" "$((3 * $(nproc)))" "$(count_of some "$line" fired)"
	echo none > $ltt/traces/some/filter
	echo 'ltt_test.event: none' > $ltt/traces/some/filters
	echo 'comm nobody' > $ltt/traces/some/tasks
	generate 30 1
	expect "tasks" "$((3 * $(nproc)))" "$(count_of some "$line" fired)"
	printf '%s\n' none 'comm *' | cat > $ltt/traces/some/tasks
	write_triggers some "on ltt_test.event if seq in {90, 91} do mark \"z\""
	generate 30 1
	expect "tasks" "$((2 * $(nproc)))" "$(count_of some 'on ltt_test.event if seq in {90, 91} do mark "z"' fired)"
	echo none > $ltt/traces/some/tasks
	end some
	expect "events" "0" "$(events_of ltt_test.event < "$tmp/some" | awk '$5 > 4 && $5 < 20' | wc -l)"
	expect "marks" "$((5 * $(nproc)))" "$(events_of ltt.mark < "$tmp/some" | wc -l)"
}

# Each has its own, for the same event.
two_traces()
{
	local even='on ltt_test.event if !(seq & 1) do mark "even"' n
	local three='on ltt_test.event if seq == 3 && context == 0 do mark "three"'

	begin even three plain
	write_triggers even "$even"
	generate 10 $all
	write_triggers three "$three"
	generate 10 $all
	generated
	n=$(awk '{ n += int(($6 + 1) / 2) } END { print n }' "$tmp/generated")
	expect "even" "$n" "$(count_of even "$even" fired)"
	write_triggers even none
	rmmod ltt-test
	load_test_module
	generate 5 1
	end even
	expect "marks" "$n" "$(events_of ltt.mark < "$tmp/even" | wc -l)"
	end three
	expect "marks" "$(nproc)" "$(events_of ltt.mark < "$tmp/three" | wc -l)"
	end plain
	expect "marks" 0 "$(events_of ltt.mark < "$tmp/plain" | wc -l)"
}

nmis_generated()
{
	awk '$4 == 3 { n += $6 } END { print n + 0 }' /sys/kernel/debug/ltt_test/generated
}

# nmis: for wait_for, which tries again: machines that are kept waiting have few
nmis()
{
	generate 500 $all 200
	[ "$(nmis_generated)" -gt 0 ]
}

nmi()
{
	local line='on ltt_test.event if context == 3 do mark "nmi"; stack'

	begin some
	write_triggers some "$line"
	wait_for 120 nmis || fail "there are no NMIs"
	stop_trace some
	n=$(nmis_generated)
	expect "counts" "$n $n 0 0" "$(counts some "$line")"
	end some
	expect "marks" "$n" "$(events_of ltt.mark < "$tmp/some" | wc -l)"
	expect "stacks" "$n" "$(events_of ltt.stack < "$tmp/some" | wc -l)"
	rmmod ltt-test
	begin more
	write_triggers more 'on ltt_test.event if context == 3 count 1 do stop'
	wait_for 120 nmis || fail "there are no NMIs"
	wait_for 30 grep -qx 0 $ltt/traces/more/enabled || fail "it has not stopped"
	destroy_trace more
}

losses()
{
	begin
	new_trace some
	channel_buffers some ltt_test 4096 2 discard
	echo 'ltt_test.*' > $ltt/traces/some/markers
	write_triggers some 'on lost count 1 do mark "lost"; stop' 'on lost every 10 do mark "again"'
	start_trace some
	generate 10
	expect "before" "0 0 0 0" "$(counts some 'on lost every 10 do mark "again"')"
	generate 2000 $all
	wait_for 30 grep -qx 0 $ltt/traces/some/enabled || fail "it has not stopped"
	expect "lost" 1 "$(count_of some 'on lost count 1 do mark "lost"; stop' fired)"
	reader some ALL "$tmp/some"
	destroy_trace some
	wait $!
	expect "marks" 1 "$(events_of ltt.mark < "$tmp/some" | grep -c 'text lost$')"
}

# fired TRACE LINE N: for wait_for
fired()
{
	[ "$(count_of "$1" "$2" fired)" -ge "$3" ]
}

silence()
{
	local line='on timeout 300ms ltt_test.event if context == 0 do mark "silent"' before

	begin some
	write_triggers some "$line"
	wait_for 30 fired some "$line" 1 || fail "it has not acted"
	# Once for each silence.
	sleep 1
	expect "silences" 1 "$(count_of some "$line" fired)"
	generate 1
	wait_for 30 fired some "$line" 2 || fail "it has not acted again"
	# An event that does not meet the condition does not count.
	[ "${without}" = 0 ] && generate 1 8
	before=$(count_of some "$line" fired)
	expect "silences" 2 "$before"
	stop_trace some
	sleep 0.6
	expect "a stopped trace" 2 "$(count_of some "$line" fired)"
	start_trace some
	wait_for 30 fired some "$line" 3 || fail "it has not acted after a start"
	echo 0 > $ltt/enable
	sleep 0.6
	echo 1 > $ltt/enable
	wait_for 30 fired some "$line" 4 || fail "it has not acted after all were stopped"
	end some
	expect "marks" 4 "$(events_of ltt.mark < "$tmp/some" | grep -c 'text silent$')"
}

# While events come, there is no silence. How often they can come, the machine says. Each time takes
# a thread for each CPU.
no_silence()
{
	local line begun=${EPOCHREALTIME/./} patience end

	begin some
	generate 1
	patience=$((2000 + (${EPOCHREALTIME/./} - begun) / 250))
	line="on timeout ${patience}ms ltt_test.event do mark \"silent\""
	write_triggers some "$line"
	end=$((${EPOCHREALTIME/./} + 2000 * patience))
	while ((${EPOCHREALTIME/./} < end)); do
		generate 1
		nap 0.1
	done
	expect "silences" 0 "$(count_of some "$line" fired)"
	destroy_trace some
}

warnings()
{
	local line='on warn do mark "warned"; stack'

	begin some
	if ! write_triggers some "$line" 2> /dev/null; then
		tail -n 1 $ltt/traces/some/error_log
		tail -n 1 $ltt/traces/some/error_log | grep 'line 1, column 1: this kernel tells of no warnings' || return 1
		destroy_trace some
		exit 4
	fi
	expect "counts" "0 0 0 0" "$(counts some "$line")"
	echo 1 > /sys/kernel/debug/ltt_test/warn
	expect "counts" "1 1 0 0" "$(counts some "$line")"
	end some
	expect "marks" 1 "$(events_of ltt.mark < "$tmp/some" | grep -c 'text warned$')"
	events_of ltt.stack < "$tmp/some" | grep 'event on warn do '
}

# windows TRACE: their numbers
windows()
{
	grep -v '^#' "$ltt/traces/$1/snapshot" | awk '{ print $1 }'
}

# has_windows TRACE N: for wait_for
has_windows()
{
	[ "$(windows "$1" | wc -l)" -ge "$2" ]
}

# window_text TRACE NUMBER: all of it
window_text()
{
	cat "$ltt/traces/$1/snapshots/$2/text/ALL"
}

# The event that makes a trigger take one is in it, and none that came later on its CPU.
snapshots()
{
	local line='on ltt_test.event if seq in {50, 100, 150, 200} && context == 0 count 3 do snapshot; mark "taken"' n

	begin_with 65536 16 overwrite
	write_triggers some "$line"
	expect "set aside" 1 "$(($(< $ltt/traces/some/snapshot_max) >= 3))"
	generate 300 $all 100
	wait_for 60 has_windows some 3 || fail "$(< $ltt/traces/some/snapshot)"
	cat $ltt/traces/some/snapshot
	expect "counts" "3 0" "$(count_of some "$line" fired) $(count_of some "$line" failed)"
	expect "why" 3 "$(grep -c ' on ltt_test.event if seq in ' $ltt/traces/some/snapshot)"
	for n in $(windows some); do
		window_text some "$n" > "$tmp/window"
		none grep '^# lost' "$tmp/window"
		[ "$(events < "$tmp/window" | grep -c 'ltt_test.event')" -gt 0 ]
		# The last event of a task on one of the CPUs is what it was taken at.
		events < "$tmp/window" | awk '$5 == 0 { last[$2] = $0 }
			END { for (cpu in last) print last[cpu] }' > "$tmp/last"
		grep 'ltt_test.event: context 0 seq \(50\|100\|150\|200\) ' "$tmp/last" ||
			fail "window $n does not end with the event: $(< "$tmp/last")"
	done
	destroy_trace some
}

before_and_after()
{
	local line='on ltt_test.event if seq == 20 && context == 0 count 1 do snapshot before 10s after 300ms'

	begin_with 65536 16 overwrite
	write_triggers some "$line"
	generate 30
	wait_for 60 has_windows some 1 || fail "$(< $ltt/traces/some/snapshot)"
	expect "time after the event" 0.300 \
		"$(awk '$1 == "taken" { taken = $2 }
			$1 == "end" { printf "%.3f", $2 - taken }' $ltt/traces/some/snapshots/1/info)"
	window_text some 1 > "$tmp/window"
	expect "events" $((30 * $(nproc))) "$(events < "$tmp/window" | wc -l)"
	destroy_trace some
}

# Actions that find no room are counted.
no_room()
{
	local line='on ltt_test.event every 2 do snapshot after 60s'

	begin_with 4096 2 overwrite
	write_triggers some "$line"
	generate 20
	expect "counts" "$((10 * $(nproc))) $((10 * $(nproc) - $(< $ltt/traces/some/snapshot_max)))" \
		"$(count_of some "$line" fired) $(count_of some "$line" failed)"
	destroy_trace some
}

# dumped MARK: for wait_for: there was a dump after that
dumped()
{
	dmesg | sed "1,/$1/d" > "$tmp/log"
	grep -q '# LTT dump (request): end' "$tmp/log"
}

# What the log gets is the end of the text, up to the event that makes the trigger act.
dumps()
{
	local mark="test-triggers $BASHPID"

	begin some
	write_triggers some 'on ltt_test.event if seq == 30 && context == 0 count 1 do dump 10'
	echo "$mark" > /dev/kmsg
	generate 40
	wait_for 60 dumped "$mark" || fail "there is no dump"
	sed 's/^\[[^]]*\] //' "$tmp/log" | grep ' ltt_test.event: ' > "$tmp/dumped"
	end some
	expect "events" 10 "$(wc -l < "$tmp/dumped")"
	grep -qF "$(tail -n 1 "$tmp/dumped")" "$tmp/some"
	grep ' seq 30 ' "$tmp/dumped"
}

# refused ERRNO TEXT MESSAGE: and nothing has changed
refused()
{
	local file=$ltt/traces/wrong/triggers before after

	mapfile before < "$file"
	expect_errno "$1" "$file" "$2"
	refused_for wrong "$3"
	mapfile after < "$file"
	expect "triggers" "${before[*]}" "${after[*]}"
}

wrong()
{
	local line='on ltt_test.event do stop' i

	load_test_module
	new_trace wrong 'ltt_test.*'
	refused EINVAL 'x' 'line 1, column 1: expected on, !on or none'
	refused EINVAL 'on' 'column 3: expected a pattern'
	refused EINVAL 'on ltt_test do stop' 'column 12: no dot in pattern'
	refused EINVAL 'on ltt.mark do stop' 'column 4: the events of triggers have no triggers'
	refused EINVAL 'on ltt_test.event' 'column 18: expected do'
	refused EINVAL 'on ltt_test.event do' 'column 21: expected snapshot, start'
	refused EINVAL 'on ltt_test.event do jump' 'column 22: expected snapshot, start'
	refused EINVAL 'on ltt_test.event do stop;' 'column 27: expected snapshot, start'
	refused EINVAL 'on ltt_test.event do stop start' 'column 27: expected ; or the end'
	refused EINVAL 'on ltt_test.event do enable' 'column 28: expected '
	refused EINVAL 'on ltt_test.event do disable a.b.c' 'column 33: second dot'
	refused EINVAL 'on ltt_test.event do mark five' 'column 27: expected a text'
	refused EINVAL 'on ltt_test.event do mark "five' 'column 27: the text does not end'
	refused EINVAL 'on ltt_test.event do mark "\\q"' 'column 28: expected '
	refused ENAMETOOLONG "on ltt_test.event do mark \"$(printf '%0129d' 0)\"" 'column 27: more than 128'
	refused EINVAL 'on ltt_test.event do snapshot before 10' 'column 38: expected a time'
	refused ERANGE 'on ltt_test.event do snapshot before 86401s' 'column 38: expected a time from'
	refused ERANGE 'on ltt_test.event do snapshot after 0s' 'column 37: expected a time from'
	refused EINVAL 'on ltt_test.event do snapshot after 1s after 2s' 'column 40: duplicate after'
	refused EINVAL 'on ltt_test.event do dump 0' 'column 27: expected a number from 1 to 65536'
	refused EINVAL 'on ltt_test.event count 0 do stop' 'column 25: expected a number'
	refused EINVAL 'on ltt_test.event count 1 every 2 count 3 do stop' 'column 19: duplicate count'
	refused EINVAL 'on ltt_test.event when 3 do stop' 'column 19: expected if'
	refused EINVAL 'on ltt_test.event if do stop' 'column 21: empty expression'
	refused EINVAL 'on ltt_test.event if seq == do stop' 'column 28: the expression ends too early'
	refused EINVAL 'on ltt_test.event if sequence == 1 do stop' \
		'line 1, ltt_test.event: column 22: no such field: sequence'
	refused EINVAL 'on lost if seq == 1 do stop' 'column 9: only an event'
	refused EINVAL 'on timeout 5 ltt_test.event do stop' 'column 12: expected a time'
	refused EINVAL 'on timeout 5s do stop' 'column 17: no dot in pattern'
	refused EINVAL 'on timeout 5s ltt_test.event do stack' 'column 33: there is no call stack'
	refused E2BIG "on lost do $(printf 'stop; %.0s' $(seq 8))stop" 'column 60: more than 8 actions'
	refused ENOENT '!on ltt_test.event do start' 'line 1, column 2: there is no such line'
	refused EINVAL $'on ltt_test.event do mark "\001"' 'column 28: not a printable character'
	# All or nothing: the fourth of these.
	refused EINVAL "$(printf '%s\n' "$line" '# a comment' 'on lost do stop' \
		'on ltt_test.event if nothing do mark "n"')" 'line 4, ltt_test.event: column 22: no such field: nothing'
	expect "nothing" "" "$(cat "$(triggers wrong)")"
	# Nor is what marks need there.
	none grep '^+ ltt\.' $ltt/traces/wrong/markers
	write_triggers wrong "$line" 'on lost do stop'
	refused EINVAL "$(printf '%s\n' none 'on oops do stop' 'on x')" 'line 3, column 5: no dot'
	for i in $(seq 62); do
		echo "on ltt_test.event if seq == $i do stop"
	done | cat > "$(triggers wrong)"
	refused E2BIG 'on ltt_test.event if seq == 0 do stop' 'more than 64 lines'
	write_triggers wrong none
	expect "none" "" "$(cat "$(triggers wrong)")"
	destroy_trace wrong
}

# Lines are added, removed, and begin anew; what is shown can be written back.
lines()
{
	local a='on ltt_test.event if seq == 0 do mark "a"' b='on *.* if $pid > 0 count 5 do mark "b"' shown

	begin some
	write_triggers some "$a" "$b"
	write_triggers some 'on lost do stop' '  on oops do stop  '
	expect "lines" "$a,$b,on lost do stop,on oops do stop" "$(grep -v '^#' "$(triggers some)" | paste -sd,)"
	generate 1
	expect "a" "$(nproc)" "$(count_of some "$a" fired)"
	shown=$(grep -v '^#' "$(triggers some)")
	# The counts of those that stay go on.
	write_triggers some '!on lost do stop' 'on panic do stop'
	expect "a" "$(nproc)" "$(count_of some "$a" fired)"
	cat "$(triggers some)" > "$tmp/shown"
	cat "$tmp/shown" > "$(triggers some)"
	expect "written back" "$(grep -v '^#' "$tmp/shown")" "$(grep -v '^#' "$(triggers some)")"
	expect "begins anew" "0 0 0 0" "$(counts some "$a")"
	echo "$shown"
	write_triggers some none
	expect "none" "" "$(cat "$(triggers some)")"
	destroy_trace some
}

# Modules that come later, and one whose marker the condition does not suit.
later()
{
	local init='on ltt_late.init if number == 3 do mark "third"'

	load_test_module
	rmmod ltt-test-late 2> /dev/null || true
	new_trace late 'ltt_late.*'
	write_triggers late "$init" 'on ltt_late.* if nothing == 1 do stop'
	start_trace late
	modprobe ltt-test-late events=7
	grep 'triggers: line 2, ltt_late.init: column 18: no such field: nothing' \
		"$ltt/traces/late/error_log" || fail "it was not refused: $(< $ltt/traces/late/error_log)"
	expect "counts" "1 1 0 0" "$(counts late "$init")"
	expect "markers" 1 "$(count_of late "$init" markers)"
	expect "markers" 0 "$(count_of late 'on ltt_late.* if nothing == 1 do stop' markers)"
	rmmod ltt-test-late
	modprobe ltt-test-late events=7
	expect "counts" "2 2 0 0" "$(counts late "$init")"
	rmmod ltt-test-late
	end late
	expect "marks" 2 "$(events_of ltt.mark < "$tmp/late" | grep -c third)"
	expect "events" 14 "$(events_of ltt_late.init < "$tmp/late" | wc -l)"
}

# The events of triggers have none, nor has what a trigger does in a context where one acts.
no_loop()
{
	begin some
	write_triggers some 'on *.* do mark "all"'
	generate 10
	expect "fired" "$((10 * $(nproc)))" "$(count_of some 'on *.* do mark "all"' fired)"
	end some
	expect "marks" "$((10 * $(nproc)))" "$(events_of ltt.mark < "$tmp/some" | wc -l)"
}

# poll_file FILE: says when it waits, and then what it was woken with
poll_file()
{
	python3 - "$1" <<-'END'
		import select, sys
		file = open(sys.argv[1])
		poll = select.poll()
		poll.register(file, select.POLLPRI)
		file.read()
		print("waits", poll.poll(0), flush=True)
		(_, events), = poll.poll(60000)
		print("woken", bool(events & select.POLLPRI), flush=True)
		file.seek(0)
		print(file.read().count("fired 1 "), flush=True)
		print("waits", poll.poll(0), flush=True)
	END
}

polled()
{
	begin some
	write_triggers some 'on ltt_test.event if seq == 3 count 1 do mark "x"'
	poll_file "$(triggers some)" > "$tmp/polled" &
	wait_for 30 grep -q waits "$tmp/polled" || fail "it does not wait"
	generate 3
	expect "waits" 'waits []' "$(< "$tmp/polled")"
	generate 1
	wait $!
	expect "woken" 'waits [],woken True,1,waits []' "$(paste -sd, "$tmp/polled")"
	destroy_trace some
}

# Traces that are destroyed, and lines that are replaced, while triggers act at full speed.
full_speed()
{
	local i

	begin some
	repeat generate 2000 $all
	for i in $(seq "$(amount 8 20)"); do
		echo x$i > $ltt/setup_trace
		channel_buffers x$i ltt_test 4096 2 overwrite
		echo 'ltt_test.*' > $ltt/traces/x$i/markers
		echo 1 > $ltt/traces/x$i/enabled
		write_triggers x$i 'on ltt_test.event do mark "x"; stack' \
			'on ltt_test.event every 50 do stop' 'on ltt_test.event every 51 do start' \
			'on ltt_test.event every 52 do enable ltt_test_other.*; disable ltt_test_other.*' \
			'on ltt_test.event every 40 do snapshot' 'on ltt_test.event every 41 do snapshot after 10ms' \
			'on ltt_test.event if tail ~ "*xyz" do mark "glob"' 'on timeout 1ms ltt_test.event do mark "t"'
		write_triggers some 'on ltt_test.event if seq == 5 do mark "five"' "on *.* every $i do stack"
		write_triggers x$i none 'on ltt_test.event if seq & 1 do mark "odd"' 'on lost do mark "lost"'
		destroy_trace x$i
		write_triggers some '!on ltt_test.event if seq == 5 do mark "five"' "!on *.* every $i do stack"
	done
	expect "lines" "" "$(cat "$(triggers some)")"
	repeat_end
	destroy_trace some
}

modprobe ltt-test-late 2> /dev/null; rmmod ltt-test-late
run_test "marks and call stacks" marks_and_stacks
run_test "they come after the event" in_order
run_test "count and every" limits
run_test "stop, at once" stops
run_test "start, in a stopped trace" starts
run_test "start and stop, of triggers and users" starts_and_stops
run_test --needs smp,kprobes "a stop that is overruled" overruled
run_test "enable and disable" selects
run_test "what filters and tasks reject" with_filters
run_test "two traces" two_traces
run_test --needs nmi "in NMIs" nmi
run_test "events are lost" losses
run_test "an event that does not come" silence
run_test "an event that comes in time" no_silence
run_test "a warning" warnings
run_test "snapshots" snapshots
run_test "snapshots of what comes before and after" before_and_after
run_test "snapshots without room" no_room
run_test "a dump" dumps
run_test "wrong lines change nothing" wrong
run_test "lines come and go" lines
run_test "markers that come later" later
run_test "triggers do not make themselves act" no_loop
run_test "poll" polled
run_test --needs smp "traces and lines that go at full speed" full_speed
finish
