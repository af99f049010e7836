#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=4 MEM=2G TIMEOUT=600
#
# Nonsense to every file: a documented errno, a line in error_log, no change, and a
# running trace goes on undisturbed.

. "$(dirname "$0")/lib.sh"

# What Documentation/ABI/testing/debugfs-ltt allows a bad write to say.
documented='EINVAL|ENOENT|EEXIST|EBUSY|ENOMEM|ENAMETOOLONG|E2BIG|ERANGE|ENODEV|EPERM'

head -c 100000 /dev/zero | tr '\0' 'x' > "$tmp/overlong"
head -c 300 /dev/urandom > "$tmp/binary"
printf 'sched.*\0irq.*' > "$tmp/nul"
printf '\xff\xfe\x80' > "$tmp/bytes"
printf '   \n\t ' > "$tmp/blank"
: > "$tmp/empty"
printf -- '-1' > "$tmp/negative"
printf '99999999999999999999999' > "$tmp/huge"
printf '1 2 3' > "$tmp/several"
printf '%%n%%s%%s' > "$tmp/percent"
printf '../../../etc/passwd' > "$tmp/path"
inputs="overlong binary nul bytes blank empty negative huge several percent path"

# All files that can be written, but for those to which anything may be written.
writable()
{
	find $ltt -type f -perm /200 ! -name error_log ! -name flush
}

# State that nonsense must not change.
state()
{
	local file

	find $ltt -type f ! -name error_log ! -name stats ! -path '*/text/*' | sort |
		while read -r file; do
			echo "== $file"
			cat "$file"
		done
}

log_of()
{
	local dir=$1

	while [ ! -e "$dir/error_log" ]; do
		dir=$(dirname "$dir")
	done
	echo "$dir/error_log"
}

nonsense()
{
	local file input said bad=0 log before
	local -i writes=0

	state > "$tmp/before"
	while read -r file; do
		log=$(log_of "$(dirname "$file")")
		for input in $inputs; do
			echo > "$log"
			said=$(write-errno -f "$file" "$tmp/$input")
			((writes += 1))
			# A write of no bytes is no write.
			[ "$input" != empty ] || continue
			if ! [[ $said =~ ^($documented)$ ]]; then
				echo "$file: $input: $said"
				bad=1
			elif ! grep -q . "$log"; then
				echo "$file: $input: nothing in $log"
				bad=1
			fi
		done
	done < <(writable)
	state > "$tmp/after"
	diff -u "$tmp/before" "$tmp/after" || bad=1
	echo "$writes writes"
	return $bad
}

concurrent()
{
	local i

	for i in 1 2 3 4; do
		while read -r file; do
			for input in binary several nul; do
				write-errno -f "$file" "$tmp/$input" > /dev/null
			done
		done < <(writable | shuf) &
	done
	wait $(jobs -p)
}

churn()
{
	local i j

	for i in 1 2 3 4; do
		for j in $(seq 15); do
			echo "churn$j" > $ltt/setup_trace
			echo 'sched.*' > $ltt/traces/churn$j/markers
			echo 1 > $ltt/traces/churn$j/enabled
			echo "churn$j" > $ltt/destroy_trace
		done 2> /dev/null &
	done
	wait
	for j in $(seq 15); do
		[ ! -d $ltt/traces/churn$j ] || destroy_trace churn$j
	done
}

readable()
{
	local file

	while read -r file; do
		case $file in
		*/text/*) timeout 0.2 cat "$file" > /dev/null || [ $? -eq 124 ] ;;
		*) cat "$file" > /dev/null ;;
		esac || fail "$file: not readable"
	done < <(find $ltt -type f ! -name flush)
}

# A trace that records all the while.
load_test_module
new_trace steady
channel_buffers steady ltt_test 65536 8
echo 'ltt_test.*' > $ltt/traces/steady/markers
start_trace steady
checker steady ALL "$tmp/steady"
checker=$!
( while [ ! -e "$tmp/stop" ]; do echo "200 1 100" > /sys/kernel/debug/ltt_test/run; sleep 0.05; done ) &
generator=$!

undisturbed()
{
	cat "$tmp/steady"
	[ "$checker_status" -eq 0 ]
}

new_trace victim 'sched.sched_switch'
run_test "every file can be read" readable
run_test "nonsense to every file" nonsense
run_test "nonsense from four writers at once" concurrent
run_test "traces of the same names made and destroyed from four sides" churn

touch "$tmp/stop"
wait $generator
cat /sys/kernel/debug/ltt_test/generated > "$tmp/generated"
destroy_trace steady
wait $checker
checker_status=$?
run_test "a running trace is undisturbed" undisturbed
finish
