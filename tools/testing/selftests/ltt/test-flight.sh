#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G TIMEOUT=2400 UML=1 DEBUG=0
#
# ltt flight: each window becomes a directory that shows the same, whatever is killed when;
# nothing of others is removed.

. "$(dirname "$0")/lib.sh"
. "$here/lib/record.sh"

# flight OPTIONS...: in the background; returns when it records. Its PID is $pid, or that of strace,
# whose child it is, if $under says so.
under=()
flight()
{
	rm -f "$tmp/flight.err"
	"${under[@]}" env --default-signal=INT,TERM,HUP ltt flight "$@" 2> "$tmp/flight.err" &
	pid=$!
	wait_for 30 begun
	flying || fail "it does not start: $(< "$tmp/flight.err")"
}

flying()
{
	local said=

	[ ! -e "$tmp/flight.err" ] || read -rd '' said < "$tmp/flight.err" || true
	[[ $said = *': records into '*', windows go to '* ]]
}

begun()
{
	flying || has_ended "$pid"
}

# lands STATUS: SIGTERM
lands()
{
	kill -TERM "$pid"
	ended "$pid" "$1"
	cat "$tmp/flight.err"
}

crashes()
{
	kill -KILL "$pid"
	wait "$pid" || true
}

# window TRACE: take one by hand
window()
{
	echo 1 > "$ltt/traces/$1/snapshot"
}

has_triggers()
{
	local status=0

	new_trace probe
	[ -e $ltt/traces/probe/triggers ] || status=1
	destroy_trace probe
	return $status
}

# kept DIR: names of the windows there, in order
kept()
{
	find "$1" -mindepth 1 -maxdepth 1 -name '[0-9]*-*Z' -printf '%f\n' | sort -n
}

# has DIR N: for wait_for
has()
{
	local windows=("$1"/[0-9]*-*Z)

	[ ${#windows[@]} -eq "$2" ]
}

# collected TRACE: the kernel has no window that is not on disk
collected()
{
	local windows=("$ltt/traces/$1/snapshots"/*)

	[ ${#windows[@]} -eq 0 ] && grep -q '^# 0 being taken' "$ltt/traces/$1/snapshot"
}

# windows_there TRACE N: the kernel has so many
windows_there()
{
	local windows=("$ltt/traces/$1/snapshots"/*)

	[ ${#windows[@]} -eq "$2" ]
}

# number DIR WINDOW: that of the kernel
number()
{
	local name value

	while read -r name value; do
		[ "$name" != number ] || echo "$value"
	done < "$1/$2/flight/info"
}

uuid()
{
	grep -m 1 -o '^	uuid = .*' "$ltt/traces/$1/binary/metadata"
}

# While the recorder sleeps, what the window shows is still there.
same_text()
{
	local dir=$tmp/same name

	load_test_module
	modprobe ltt-sample-types
	flight -o "$dir" --size 16K --number 4 -e 'ltt_test.* sample_types.*' same
	generate 5000 15
	rmmod ltt-sample-types
	modprobe ltt-sample-types
	kill -STOP "$pid"
	window same
	cat $ltt/traces/same/snapshots/1/text/ALL > "$tmp/text"
	cat $ltt/traces/same/snapshots/1/info > "$tmp/info"
	generate 5000 15
	kill -CONT "$pid"
	wait_for 30 collected same
	name=$(kept "$dir")
	expect "first name" 1 "${name%%-*}"
	expect "a minute off" "" "$(find "$dir/$name" -maxdepth 0 -not -name "*-$(date -u +%Y%m%d)T*")"
	cmp "$tmp/info" "$dir/$name/flight/info"
	[ "$(grep -c ' ltt_test.event: ' "$tmp/text")" -gt 500 ]
	grep -q ' sample_types.symbols: func schedule offset schedule+0x0/' "$tmp/text"
	grep -q '^module ltt_sample_types ' "$dir/$name/symbols/modules"
	ltt view "$dir/$name" > "$tmp/view"
	cmp "$tmp/text" "$tmp/view"
	check_trace "$dir/$name" lossy
	expect "events" "$(sed -n 's/^events //p' "$tmp/info")" "$(events < "$tmp/view" | wc -l)"
	lands 0
	grep -q "^$name: .* packets, $(events < "$tmp/view" | wc -l) events, 0 lost$" "$tmp/flight.err"
	rmmod ltt-sample-types
	nothing_left
}

triggered()
{
	local dir=$tmp/triggered status=0

	# Its events are numbered from 0.
	rmmod ltt-test 2> /dev/null || true
	load_test_module
	if ! has_triggers; then
		ltt flight -o "$dir" -e 'ltt_test.*' --on 'ltt_test.event' 2> "$tmp/err" || status=$?
		expect "status" 1 $status
		grep -q "this kernel's LTT has no triggers" "$tmp/err"
		nothing_left
		return
	fi
	flight -o "$dir" -e 'ltt_test.*' --on 'ltt_test.event if seq == 700 count 1' \
		--before 20s --after 500ms trig
	grep -qx 'on ltt_test.event if seq == 700 count 1 do snapshot before 20s after 500ms' \
		$ltt/traces/trig/triggers
	generate 600 1
	expect "too soon" "" "$(kept "$dir")"
	generate 600 1
	wait_for 30 has "$dir" 1
	ltt view "$dir"/1-* > "$tmp/view"
	grep -q ' ltt_test.event: .*seq 700 ' "$tmp/view"
	grep -q ' ltt_test.event: .*seq 1 ' "$tmp/view"
	lands 0
	nothing_left
}

# Those that are pending when it is told to end are waited for.
pending()
{
	local dir=$tmp/pending

	load_test_module
	has_triggers || { echo "no triggers"; return 4; }
	flight -o "$dir" -e 'ltt_test.*' --on 'ltt_test.event count 1' --after 3s pending
	generate 10 1
	grep -q '^# 1 being taken' $ltt/traces/pending/snapshot
	lands 0
	expect "windows" 1 "$(kept "$dir" | wc -l)"
	nothing_left
}

# stamp MS: the time so much later, as windows have it in their names
stamp()
{
	date -u -d "@$((($(date +%s%3N) + $1) / 1000))" +%Y%m%dT%H%M%SZ
}

limits()
{
	local dir=$tmp/limits i two name before after

	load_test_module
	flight -o "$dir" --keep 3 -e 'ltt_test.*' limits
	for i in 1 2 3 4 5; do
		generate 100 1
		before=$(stamp -10)
		window limits
		after=$(stamp 10)
		wait_for 30 collected limits
		name=$(kept "$dir" | tail -n 1)
		[[ ! ${name#*-} < $before && ! ${name#*-} > $after ]] ||
			fail "$name was taken between $before and $after"
	done
	expect "kept" "3 4 5" "$(kept "$dir" | cut -d- -f1 | xargs)"
	lands 0
	# The limit is for all of them, without what is ours alone.
	two=$(du -sB1 "$dir"/[45]-* | awk '{ n += $1 } END { print n }')
	flight -o "$dir" --max-size "$two" -e 'ltt_test.*' limits
	wait_for 30 has "$dir" 2 || fail "not two of $two bytes: $(du -sB1 "$dir"/*)"
	generate 100 1
	window limits
	wait_for 30 collected limits
	wait_for 30 has "$dir" 2
	expect "kept" "5 6" "$(kept "$dir" | cut -d- -f1 | xargs)"
	lands 0
	# The newest stays, however small the limit is. Numbers go on when all are gone.
	flight -o "$dir" --max-size 1 -e 'ltt_test.*' limits
	wait_for 30 has "$dir" 1
	rm -r "$dir"/6-*
	window limits
	wait_for 30 collected limits
	expect "kept" "7" "$(kept "$dir" | cut -d- -f1 | xargs)"
	lands 0
	expect "what is not to be seen" "" "$(ls "$dir/.ltt-flight/tmp")"
	nothing_left
}

# listing DIR: all that is there, and what is in it
listing()
{
	( cd "$1" && find . -path ./.ltt-flight -prune -o -printf '%y %p %l\n' -type f -exec cksum {} + |
		sort )
}

# What looks like a window, but was not made here by ltt flight, or is more than that.
foreign()
{
	local dir=$tmp/foreign name i

	load_test_module
	flight -o "$dir" -e 'ltt_test.*' foreign
	for i in 1 2 3 4 5 6; do
		window foreign
		wait_for 30 collected foreign
	done
	lands 0
	mkdir "$tmp/aside" "$dir/1-19990101T000000Z" "$dir/notes"
	# Renamed, copied, added to, behind a link, with a file that has become a link.
	mv "$dir"/1-2* "$dir/1-saved"
	name=$(basename "$dir"/2-*)
	cp -r "$dir/$name" "$dir/9-copy"
	mv "$dir/$name" "$tmp/aside"
	ln -s "$tmp/aside/$name" "$dir/$name"
	echo precious > "$(echo "$dir"/3-*)/notes"
	mkdir "$(echo "$dir"/4-*)/index/more"
	name=$(basename "$dir"/5-*)
	mv "$dir/$name/metadata" "$tmp/aside"
	ln -s "$tmp/aside/metadata" "$dir/$name/metadata"
	# Of another directory.
	flight -o "$dir.other" -e 'ltt_test.*' foreign
	window foreign
	wait_for 30 collected foreign
	lands 0
	cp -r "$dir.other"/1-* "$dir"
	echo precious > "$dir/10-file"
	name=$(basename "$dir"/6-*)
	mv "$dir/$name" "$tmp/last"
	listing "$dir" > "$tmp/before"
	listing "$tmp/aside" > "$tmp/before.aside"
	mv "$tmp/last" "$dir/$name"
	flight -o "$dir" --keep 1 --max-size 1 -e 'ltt_test.*' foreign
	window foreign
	wait_for 30 collected foreign
	lands 0
	[ ! -e "$dir/$name" ]
	expect "the new one" "11-" "$(basename "$dir"/11-* | cut -c 1-3)"
	expect "said" 3 "$(grep -c ' in it is not from ltt flight$' "$tmp/flight.err")"
	mv "$dir"/11-* "$tmp/last"
	listing "$dir" | diff "$tmp/before" -
	listing "$tmp/aside" | diff "$tmp/before.aside" -
	# A directory with such a name, which it did not make.
	mkdir -p "$tmp/not/.ltt-flight"
	echo precious > "$tmp/not/.ltt-flight/file"
	says_no 1 'not made by ltt flight' -o "$tmp/not" -e 'ltt_test.*'
	echo precious > "$tmp/not/.ltt-flight/state"
	says_no 1 'not made by ltt flight' -o "$tmp/not" -e 'ltt_test.*'
	expect "left alone" "file state" "$(ls "$tmp/not/.ltt-flight" | paste -sd ' ')"
	nothing_left
}

# two_windows DIR TRACE: two are on disk; the name of the older one is in $name
two_windows()
{
	flight -o "$1" -e 'ltt_test.*' "$2"
	generate 100
	window "$2"
	wait_for 30 collected "$2"
	window "$2"
	wait_for 30 collected "$2"
	lands 0
	name=$(kept "$1" | head -n 1)
}

# What somebody puts into a window that is just being removed, having opened it before that.
added_late()
{
	local dir=$tmp/late name

	load_test_module
	two_windows "$dir" late
	# It stops when the window has gone from there.
	strace -f -o /dev/null -P "$dir/$name" -e trace=rename \
		-e inject=rename:signal=STOP:when=1 \
		ltt flight -o "$dir" --keep 1 -e 'ltt_test.*' late 2> "$tmp/flight.err" &
	pid=$!
	wait_for 60 test -e "$dir/.ltt-flight/tmp/$name" || fail "it is not removed"
	echo precious > "$dir/.ltt-flight/tmp/$name/notes"
	pkill -CONT -P "$pid"
	wait_for 60 begun
	pkill -TERM -P "$pid"
	ended "$pid" 0
	expect "what was put there" precious "$(< "$dir/$name/notes")"
	grep -q "/$name: stays, notes in it is not from ltt flight" "$tmp/flight.err"
	# The rest of it, too.
	rm "$dir/$name/notes"
	expect "events" $((100 * $(nproc))) "$(ltt view "$dir/$name" | grep -c ' ltt_test.event: ')"
	expect "what is not to be seen" "" "$(ls "$dir/.ltt-flight/tmp")"
	nothing_left
}

# The same, and the recorder is killed in the middle: the next one removes the rest, but not that.
added_to_the_rest()
{
	local dir=$tmp/rest call name

	load_test_module
	for call in unlink rmdir; do
		rm -rf "$dir"
		two_windows "$dir" rest
		strace -f -o /dev/null -e trace=$call -e inject=$call:signal=KILL:when=1 \
			ltt flight -o "$dir" --keep 1 -e 'ltt_test.*' rest 2> "$tmp/flight.err" &
		wait $! || expect "status" 137 $?
		[ ! -e "$dir/$name" ]
		[ -e "$dir/.ltt-flight/tmp/$name" ] || fail "it is not being removed"
		[ ! -e $ltt/traces/rest ] || destroy_trace rest
		echo precious > "$dir/.ltt-flight/tmp/$name/notes"
		flight -o "$dir" --keep 1 -e 'ltt_test.*' rest
		lands 0
		expect "what was put there" precious "$(< "$dir/$name/notes")"
		grep -q "/$name: stays, notes in it is not from ltt flight" "$tmp/flight.err"
		expect "what is not to be seen" "" "$(ls "$dir/.ltt-flight/tmp")"
	done
	nothing_left
}

# Who may write to the directory could replace what is in it.
others()
{
	local dir=$tmp/others

	mkdir "$dir"
	chmod 775 "$dir"
	says_no 1 "$dir: others may write to it" -o "$dir" -e 'ltt_test.*'
	chmod 700 "$dir"
	chown nobody "$dir"
	says_no 1 "$dir: others may write to it" -o "$dir" -e 'ltt_test.*'
	expect "left alone" "" "$(ls -A "$dir")"
	nothing_left
}

# says_no STATUS TEXT ARGUMENTS...
says_no()
{
	local wanted=$1 text=$2 status=0

	shift 2
	timeout 60 ltt flight "$@" < /dev/null > "$tmp/out" 2>&1 || status=$?
	expect "status of '$*'" "$wanted" $status
	grep -qe "$text" "$tmp/out" || fail "'$*' says: $(< "$tmp/out")"
}

# struck DIR CALL N: it is killed at the Nth CALL of its main thread; fails if there are less
struck()
{
	local status=0 left

	rm -f "$tmp/flight.err"
	strace -f -o /dev/null -e trace="$2" -e inject="$2":signal=KILL:when="$3" \
		ltt flight --stay -o "$1" -e 'ltt_test.*' struck 2> "$tmp/flight.err" &
	pid=$!
	# Without other programs: these would take more time than the recorder.
	until has_ended "$pid"; do
		left=("$ltt"/traces/struck/snapshots/*)
		! flying || ((${#left[@]})) || pkill -TERM -P "$pid" || true
		nap 0.05
	done
	wait "$pid" || status=$?
	[ $status -eq 137 ] || expect "status" 0 $status
	[ $status -eq 137 ]
}

# all_right DIR: each window that there was is in the kernel, or on disk and complete
all_right()
{
	local name there=0 n left

	for name in $(kept "$1"); do
		n=$(number "$1" "$name")
		ltt view "$1/$name" | cmp "$tmp/text.$n" -
		[ ! -e $ltt/traces/struck/snapshots/"$n" ] || continue
		((++there))
	done
	left=("$ltt"/traces/struck/snapshots/*)
	((there += ${#left[@]}))
	expect "windows" "$windows" "$there"
}

# Wherever it is when it is killed: before or after it has asked the kernel for something. A
# window is whole, or not there but still in the kernel; and the trace goes on.
killed_step_by_step()
{
	local dir=$tmp/steps before call n windows=0 strikes=0 step

	# Not at each of them in a short run.
	step=$(amount 3 1)

	load_test_module
	# From its first step on, with nothing there yet.
	for call in mkdir fsync rename; do
		for ((n = 1; ; n += step)); do
			rm -rf "$dir"
			[ ! -e $ltt/traces/struck ] || destroy_trace struck
			struck "$dir" "$call" $n || break
			((++strikes))
			# The trace that it was about to make, or no trace, but not one of nobody.
			flight --stay -o "$dir" -e 'ltt_test.*' struck
			kill -TERM "$pid"
			ended "$pid" 0
		done
	done
	echo "$strikes strikes while it begins"
	[ "$strikes" -ge "$(amount 3 7)" ]
	before=$(uuid struck)
	strikes=0
	for call in mkdir mkdirat fsync rename renameat2 unlink rmdir; do
		for ((n = 1; ; n += step)); do
			if [ -z "$(ls $ltt/traces/struck/snapshots)" ]; then
				generate 100 1
				window struck
				((++windows))
				cat $ltt/traces/struck/snapshots/$windows/text/ALL > "$tmp/text.$windows"
			fi
			struck "$dir" $call $n || break
			((++strikes))
			all_right "$dir"
		done
	done
	echo "$strikes strikes while windows are written, of which there were $windows"
	[ "$strikes" -ge "$(amount 7 16)" ]
	all_right "$dir"
	expect "trace" "$before" "$(uuid struck)"
	flight -o "$dir" -e 'ltt_test.*' struck
	grep -q '^ltt: struck: goes on$' "$tmp/flight.err"
	wait_for 30 collected struck
	all_right "$dir"
	lands 0
	expect "what is not to be seen" "" "$(ls "$dir/.ltt-flight/tmp")"
	nothing_left
}

# One at a random moment after another, while windows are taken all the time.
killed_anytime()
{
	local dir=$tmp/anytime taken=0 i name

	load_test_module
	for ((i = $(amount 3 100); i > 0 || taken < 3; i--)); do
		# Not waiting until it records.
		ltt flight -o "$dir" --size 64K --number 4 --keep 1000 --windows 3 -e 'ltt_test.*' \
			anytime 2>> "$tmp/anytime.err" &
		pid=$!
		sleep 0.$((RANDOM % 10))
		generate 2000 1
		if [ "$(cat $ltt/traces/anytime/enabled 2> /dev/null)" = 1 ] &&
		   echo 1 2> /dev/null > $ltt/traces/anytime/snapshot; then
			((++taken))
		fi
		sleep 0.0$((RANDOM % 10))
		crashes
	done
	flight -o "$dir" --size 64K --number 4 --keep 1000 --windows 3 -e 'ltt_test.*' anytime
	wait_for 60 collected anytime
	none grep -v -e 'goes on$' -e 'records into' -e ': window [0-9]*, user$' \
		-e ' packets, [0-9]* events, [0-9]* lost$' -e 'see --windows$' "$tmp/anytime.err"
	expect "windows" "$taken" "$(kept "$dir" | wc -l)"
	# Each once.
	for name in $(kept "$dir"); do
		number "$dir" "$name" >> "$tmp/numbers"
		check_trace "$dir/$name" lossy
		rm "$dir/$name".*
	done
	expect "numbers" "$taken" "$(sort -u "$tmp/numbers" | wc -l)"
	lands 0
	nothing_left
}

# With --stay it leaves its trace, which its next life goes on with; windows are collected.
stays()
{
	local dir=$tmp/stays before

	load_test_module
	flight --stay -o "$dir" -e 'ltt_test.*' stays
	before=$(uuid stays)
	lands 0
	expect "recording" 1 "$(< $ltt/traces/stays/enabled)"
	generate 100 1
	window stays
	window stays
	flight --stay -o "$dir" -e 'ltt_test.*' stays
	wait_for 30 collected stays
	expect "windows" 2 "$(kept "$dir" | wc -l)"
	# What was recorded while there was nobody.
	expect "events" $((100 * $(nproc))) "$(ltt view "$dir"/1-* | events | wc -l)"
	expect "trace" "$before" "$(uuid stays)"
	# Other options: a new trace, but no window is lost.
	kill -STOP "$pid"
	window stays
	crashes
	flight --stay -o "$dir" -e 'ltt_test.*' --size 64K stays
	grep -q ': other options than before, begins anew$' "$tmp/flight.err"
	expect "windows" 3 "$(kept "$dir" | wc -l)"
	[ "$(uuid stays)" != "$before" ]
	window stays
	wait_for 30 collected stays
	expect "windows" 4 "$(kept "$dir" | wc -l)"
	# Destroyed by somebody.
	destroy_trace stays
	ended "$pid" 0
	grep -q '^ltt: trace stays was destroyed$' "$tmp/flight.err"
	nothing_left
}

# SIGTERM and nothing else: what has been taken is on disk, no trace is left.
ends()
{
	local dir=$tmp/ends

	load_test_module
	flight -o "$dir" --windows 5 -e 'ltt_test.*' ends
	kill -STOP "$pid"
	window ends
	window ends
	window ends
	kill -TERM "$pid"
	kill -CONT "$pid"
	ended "$pid" 0
	expect "windows" 3 "$(kept "$dir" | wc -l)"
	nothing_left
}

# end_with_window DIR NAME: a recorder, whose strace $under says, is told to end while it has a window to write
end_with_window()
{
	load_test_module
	flight -o "$1" -e 'ltt_test.*' "$2"
	pkill -STOP -P "$pid"
	window "$2"
	pkill -TERM -P "$pid"
	pkill -CONT -P "$pid"
}

# Windows that are taken, or being taken, while it is busy with others.
taken_meanwhile()
{
	local dir=$tmp/meanwhile
	# It stops when the first window is on disk.
	local under=(strace -f -o /dev/null -e trace=renameat2
		     -e inject=renameat2:signal=STOP:when=1)

	end_with_window "$dir" meanwhile
	wait_for 30 has "$dir" 1
	window meanwhile
	pkill -CONT -P "$pid"
	ended "$pid" 0
	expect "windows" 2 "$(kept "$dir" | wc -l)"
	nothing_left
}

# Writing one takes longer than those may take that are waited for: 10 s.
taken_late()
{
	local dir=$tmp/taken
	local under=(strace -f -o /dev/null -e trace=renameat2
		     -e inject=renameat2:delay_enter=12s:when=1)

	end_with_window "$dir" taken
	wait_for 30 sealed "$dir"
	window taken
	ended "$pid" 0
	expect "windows" 2 "$(kept "$dir" | wc -l)"
	nothing_left
}

# A second Ctrl-C while it writes one window is the end of the others.
abandoned()
{
	local dir=$tmp/abandoned
	local under=(strace -f -o /dev/null -e trace=renameat2
		     -e inject=renameat2:signal=STOP:when=1)

	load_test_module
	flight -o "$dir" --windows 5 -e 'ltt_test.*' abandoned
	pkill -STOP -P "$pid"
	window abandoned
	window abandoned
	window abandoned
	pkill -INT -P "$pid"
	pkill -CONT -P "$pid"
	wait_for 30 has "$dir" 1
	pkill -INT -P "$pid"
	pkill -CONT -P "$pid"
	ended "$pid" 130
	expect "windows" 1 "$(kept "$dir" | wc -l)"
	grep -q '^ltt: abandoned: windows that were not on disk yet are lost$' "$tmp/flight.err"
	nothing_left
}

# sealed DIR: a window is on disk, but for its name
sealed()
{
	[ -n "$(find "$1/.ltt-flight/tmp" -name made)" ]
}

# It is killed while it ends, and has removed its triggers.
killed_at_the_end()
{
	local dir=$tmp/unarmed options

	load_test_module
	has_triggers || { echo "no triggers"; return 4; }
	options=(-o "$dir" -e 'ltt_test.*' --on 'ltt_test.event count 2' --after 1000s unarmed)
	flight "${options[@]}"
	generate 1 1
	grep -q '^# [1-9].* being taken' $ltt/traces/unarmed/snapshot
	kill -TERM "$pid"
	wait_for 30 has_no_trigger unarmed
	crashes
	flight "${options[@]}"
	grep -q ': goes on$' "$tmp/flight.err"
	grep -q '^on ltt_test.event ' $ltt/traces/unarmed/triggers
	# Whoever comes next does not begin to count again.
	cp $ltt/traces/unarmed/triggers "$tmp/triggers"
	crashes
	flight "${options[@]}"
	cmp "$tmp/triggers" $ltt/traces/unarmed/triggers
	kill -TERM "$pid"
	wait_for 30 has_no_trigger unarmed
	wait_for 30 again "$pid"
	ended "$pid" 130
	nothing_left
}

# What systemd and terminals send besides is no reason not to wait; nor is one Ctrl-C.
told_twice()
{
	local dir=$tmp/told

	load_test_module
	has_triggers || { echo "no triggers"; return 4; }
	flight -o "$dir" -e 'ltt_test.*' --on 'ltt_test.event count 1' --after 10s told
	generate 10 1
	kill -HUP "$pid"
	wait_for 30 has_no_trigger told
	kill -HUP "$pid"
	kill -INT "$pid"
	ended "$pid" 0
	expect "windows" 1 "$(kept "$dir" | wc -l)"
	nothing_left
}

has_no_trigger()
{
	! grep -q '^on ' "$ltt/traces/$1/triggers"
}

# The trace is replaced when they have been taken.
replaced_meanwhile()
{
	local dir=$tmp/replaced

	load_test_module
	has_triggers || { echo "no triggers"; return 4; }
	flight --stay -o "$dir" -e 'ltt_test.*' --on 'ltt_test.event count 1' --after 5s replaced
	generate 10 1
	crashes
	grep -q '^# 1 being taken' $ltt/traces/replaced/snapshot
	flight -o "$dir" -e 'ltt_test.*' --size 64K replaced
	expect "windows" 1 "$(kept "$dir" | wc -l)"
	lands 0
	nothing_left
}

# The list cannot be read: that is not the end.
unreadable()
{
	local dir=$tmp/unreadable
	local under=(strace -f -o /dev/null -P "$ltt/traces/unreadable/snapshot" -e trace=lseek
		     -e inject=lseek:error=ENOMEM:when=1)

	load_test_module
	flight -o "$dir" -e 'ltt_test.*' unreadable
	wait_for 30 grep -q '^ltt: traces/unreadable/snapshot: Cannot allocate memory$' "$tmp/flight.err"
	window unreadable
	wait_for 30 has "$dir" 1
	pkill -TERM -P "$pid"
	ended "$pid" 0
	nothing_left
}

several()
{
	local dir=$tmp/several first

	load_test_module
	flight -o "$dir.1" -e 'ltt_test.*' one
	first=$pid
	says_no 1 'trace one is there already, and was not made for' -o "$dir.2" -e 'ltt_test.*' one
	says_no 1 'in use by another ltt flight' -o "$dir.1" -e 'ltt_test.*' one
	says_no 1 'in use by another ltt flight' -o "$dir.1" -e 'ltt_test.*' two
	flight -o "$dir.2" -e 'ltt_test.*' two
	window one
	window two
	window two
	wait_for 30 has "$dir.1" 1
	wait_for 30 has "$dir.2" 2
	lands 0
	pid=$first
	crashes
	says_no 1 'belongs to trace one, which is still there' -o "$dir.1" -e 'ltt_test.*' two
	destroy_trace one
	# A trace of that name that is somebody else's.
	new_trace one
	says_no 1 'trace one is there already, and was not made for' -o "$dir.1" -e 'ltt_test.*' one
	destroy_trace one
	nothing_left
}

full_disk()
{
	local dir=$tmp/full

	load_test_module
	mkdir "$dir"
	mount -t tmpfs -o size=2m small "$dir"
	(
		trap 'kill_jobs; umount "$dir"' EXIT
		flight -o "$dir/windows" --size 64K --number 8 -e 'ltt_test.*' full
		generate 20000 1
		dd if=/dev/zero of="$dir/ballast" bs=64K 2> /dev/null || true
		rm -rf "$tmp/text"
		window full
		wait_for 30 grep -q 'No space left on device' "$tmp/flight.err"
		cat "$ltt/traces/full/snapshots/1/text/ALL" > "$tmp/text"
		expect "windows" "" "$(kept "$dir/windows")"
		windows_there full 1
		# It does not end before that is safe.
		kill -TERM "$pid"
		ended "$pid" 1
		grep -q 'windows are left, so the trace stays' "$tmp/flight.err"
		flight -o "$dir/windows" --size 64K --number 8 -e 'ltt_test.*' full
		wait_for 30 grep -q 'No space left on device' "$tmp/flight.err"
		rm "$dir/ballast"
		wait_for 60 collected full
		ltt view "$dir/windows"/1-* | cmp "$tmp/text" -
		lands 0
	)
	nothing_left
}

too_small()
{
	local dir=$tmp/small

	load_test_module
	flight -o "$dir" --size 4K --number 4 --before 100s -e 'ltt_test.*' small
	generate 10 1
	window small
	wait_for 30 has "$dir" 1
	none grep -q 'try --number' "$tmp/flight.err"
	generate 5000 1
	window small
	wait_for 30 has "$dir" 2
	grep -qE ': shared_[0-9]+ begins [0-9.]+ s before it was taken, not 100s: try --number=[0-9]+$' \
		"$tmp/flight.err"
	lands 0
	nothing_left
}

config()
{
	local dir=$tmp/config

	load_test_module
	cat > "$tmp/conf" <<-EOM
		# comment
		event = ltt_test.*
		output=$dir

		  size = 8K
		number = 4
		keep = 7
		filter = ltt_test.event: seq > 3
		stay
	EOM
	flight --config "$tmp/conf" --number 2 config
	expect "size" 8192 "$(< $ltt/traces/config/channels/shared/subbuf_size)"
	expect "number" 2 "$(< $ltt/traces/config/channels/shared/subbuf_num)"
	expect "mode" overwrite "$(< $ltt/traces/config/channels/shared/mode)"
	grep -q '^ltt_test.event: seq > 3' $ltt/traces/config/filters
	lands 0
	destroy_trace config
	echo 'evnt = x' > "$tmp/conf"
	says_no 2 'conf:1: unknown option .evnt' --config "$tmp/conf"
	printf '\nkeep =\n' > "$tmp/conf"
	says_no 2 'conf:2: missing value: keep = N' --config "$tmp/conf"
	printf 'stay = yes\n' > "$tmp/conf"
	says_no 2 'conf:1: option .stay. takes no value' --config "$tmp/conf"
	printf 'keep = x\n' > "$tmp/conf"
	says_no 2 'invalid number of windows to keep' --config "$tmp/conf"
	printf 'event = ltt_test.*\nconfig = %s\n' "$tmp/nosuch" > "$tmp/conf"
	says_no 2 'only one --config' --config "$tmp/conf"
	says_no 2 'nosuch: No such file' --config "$tmp/nosuch"
	says_no 2 'nothing to record' -o "$tmp/new"
	says_no 2 'mode=discard is impossible' -e 'ltt_test.*' --mode discard
	says_no 2 'invalid --before' -e 'ltt_test.*' --before 10
	says_no 2 'invalid --after' -e 'ltt_test.*' --after 86401s
	says_no 2 'invalid trace name' -e 'ltt_test.*' ../x
	says_no 2 'invalid number of windows' -e 'ltt_test.*' --windows 0
	says_no 2 'invalid size' -e 'ltt_test.*' --max-size 5X
	says_no 1 'column 4' -o "$tmp/new" -e 'sch[d.*'
	says_no 1 'No such file' -o "$tmp/none/new" -e 'ltt_test.*'
	nothing_left
}

run_test "a directory shows what the window does" same_text
run_test "an event triggers a window" triggered
run_test "windows that were triggered are waited for" pending
run_test "the oldest are removed" limits
run_test "what is not ours is not" foreign
run_test "what comes while a window is removed" added_late
run_test "what comes into what a killed recorder has half removed" added_to_the_rest
run_test "a directory of others" others
run_test "kill -9 at each step" killed_step_by_step
run_test "kill -9 at any time" killed_anytime
run_test "its next life goes on, with other options begins anew" stays
run_test "SIGTERM" ends
run_test "windows that are taken during the end" taken_meanwhile
run_test "windows that are taken while the end takes long" taken_late
run_test "windows that nobody wants to wait for" abandoned
run_test "it is killed while it ends" killed_at_the_end
run_test "it is told twice to end" told_twice
run_test "windows that are being taken when it begins anew" replaced_meanwhile
run_test "the list cannot be read" unreadable
run_test "several recorders" several
run_test "a full disk" full_disk
run_test "it says that buffers are too small" too_small
run_test "a file of options, bad arguments" config
finish
