#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: RESETS=1 SMP=4 MEM=2G TIMEOUT=600 APPEND='no_hash_pointers memmap=25M$0x30000000 ltt_core.persist=16M@0x30000000,8M@0x31000000'
#
# Traces that survive: the machine is reset in several ways while all of its processors are busy
# and a trace is read. Writers in task, interrupts and NMI count what they have committed to another
# trace, in memory of their own that survives, too. Whoever runs this test runs it again after each
# reset, see guest-tests.sh; what has been done is remembered in a directory of the host.
#
# CRASHES: how many there are, see crashes.sh.

resets=1
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

area=$(cat /sys/module/ltt_core/parameters/persist 2>/dev/null)
area=${area%%,*}
counts=0x31800000
if [[ $area != *@* || ! ${LTT_HOST:-} ]]; then
	echo "1..0 # SKIP needs memory that is kept, and a virtual machine of check.sh"
	exit 4
fi
# Stays when the machine hangs and another one goes on, see check.sh.
state=$LTT_HOST/kept
mkdir -p "$state"
# The same one as commands of host() see it.
there=../kept

kinds=(sysrq_c reset_button)
# The others in a long run; emulated machines with many NMIs lose timers now and then.
[[ ! ${CRASHES:-}${LTT_LONG:-} ]] || kinds+=(triple_fault reboot_f watchdog panic_in_nmi)
ways=()
for ((i = 0; i < ${CRASHES:-${#kinds[@]}}; i++)); do
	ways+=("${kinds[i % ${#kinds[@]}]}")
done

sysrq_c()
{
	echo c > /proc/sysrq-trigger
}

triple_fault()
{
	echo triple > /sys/kernel/reboot/type
	echo b > /proc/sysrq-trigger
}

reboot_f()
{
	SYSTEMD_IGNORE_CHROOT=1 reboot -f > /dev/null
}

# The host presses it.
reset_button()
{
	host python3 -c '
import json, socket
s = socket.socket(socket.AF_UNIX)
s.connect("../qmp")
f = s.makefile("rw")
f.readline()
for order in ("qmp_capabilities", "system_reset"):
    print(json.dumps({"execute": order}), file=f, flush=True)
    f.readline()
'
}

# A CPU does not answer any more, and nobody tells the watchdog that all is well: it sends an NMI.
watchdog()
{
	echo 1 > /proc/sys/kernel/unknown_nmi_panic
	modprobe i6300esb heartbeat=2
	exec 3> /dev/watchdog
	taskset -c 0 sh -c 'echo 0 > /sys/kernel/debug/ltt_test/freeze'
}

# In the middle of an event, and of others on other CPUs.
panic_in_nmi()
{
	echo nmi > /sys/kernel/debug/ltt_test/crash
}

# persistent_trace NAME: flight recorders in the area, of which one goes round and one does not.
# Names of functions in modules do not survive, and those of tasklets are in ltt-test.
persistent_trace()
{
	new_trace "$1"
	echo 0 > "$ltt/traces/$1/persist"
	channel_buffers "$1" sched 16384 16 overwrite
	channel_buffers "$1" raw_syscalls 16384 16 overwrite
	channel_buffers "$1" irq 65536 8 overwrite
	printf '%s\n' 'sched.*' 'irq.irq_*' 'irq.softirq_*' 'raw_syscalls.*' \
		> "$ltt/traces/$1/markers"
	start_trace "$1"
}

# Does the reader see what has just happened?
reader_follows()
{
	local mark=ltt-mark-$RANDOM

	( exec -a x bash -c 'printf %s "$1" > /proc/self/comm; for ((i = 0; i < 20; i++)); do /bin/true; done' x "$mark" )
	wait_for 200 grep -q "${mark:0:15}" "$1"
}

# On each CPU, more than its buffer holds?
all_write()
{
	awk '$4 == 0 && $6 < 25000 { few = 1 } END { exit few }' /sys/kernel/debug/ltt_test/generated
}

# Writers in all contexts on all CPUs, which go on until the machine is reset, in an area of their
# own.
count_size=65536
count_num=8
counted_trace()
{
	new_trace count
	echo 1 > $ltt/traces/count/persist
	channel_buffers count ltt_test $count_size $count_num overwrite
	echo ltt_test.event > $ltt/traces/count/markers
	start_trace count
	generate 1000000000000 15 &
	wait_for 200 all_write || fail "nothing is written"
}

# crash NUMBER WAY
crash()
{
	local i

	modprobe ltt-test counts=$counts
	persistent_trace black
	cat $ltt/traces/black/text/ALL > "$state/before.$1" &
	for i in $(seq "$(nproc)"); do
		( while :; do /bin/true; done ) &
	done
	reader_follows "$state/before.$1" || fail "the reader sees nothing"
	counted_trace
	# Most of what is read is on the host at once.
	sleep "$((RANDOM % 2)).$RANDOM"
	echo "$1" > "$state/step.new"
	mv "$state/step.new" "$state/step"
	sync
	echo 1 > /proc/sys/kernel/sysrq
	echo "ltt-vm: crash $1, $2" > /dev/kmsg
	"$2"
	sleep 60
	fail "the machine runs on"
}

# number WORD: what info says
number()
{
	awk -v word="$1" '$1 == word { print $2 }' "$found/info"
}

# survived NUMBER: what the crash before this boot has left
survived()
{
	local start size

	found=$ltt/traces/black.boot-1
	[ -d "$found" ] || fail "no trace was found"
	cat "$found/info" > "$state/info.$1"
	grep -v ^buffer "$state/info.$1"
	expect "name" black "$(number trace)"
	expect "kernel" "$(uname -r)" "$(number kernel)"
	none grep -qx "$(cat /proc/sys/kernel/random/boot_id)" <(number boot_id)
	echo json > "$found/text_style"
	expect "boot in JSON" "$(number boot_id)" "$(head -n 1 "$found/text/ALL" | jq -r '.traces[0].boot_id')"
	echo format > "$found/text_style"
	timeout 100 cat "$found/text/ALL" > "$state/after.$1"
	host "$here/compare/survived.py" "$there/before.$1" "$there/after.$1"
	expect "events" "$(events < "$state/after.$1" | wc -l)" "$(number events)"
	expect "damaged packets" 0 "$(number damaged)"

	# The same as binary data, and by the tool, from the memory itself.
	cp -r "$found/binary" "$state/binary.$1"
	host sh -c "babeltrace2 $there/binary.$1 | wc -l" > "$tmp/babeltrace2"
	expect "events of babeltrace2" "$(number events)" "$(cat "$tmp/babeltrace2")"
	# The debug kernel does not show that.
	if [ -c /dev/mem ]; then
		IFS=@ read -r size start <<< "$area"
		dd if=/dev/mem of="$state/image" bs=1M skip=$((start >> 20)) count="${size%M}" 2> /dev/null
		host sh -c "ltt crash $there/image | cmp - $there/after.$1"
	fi

	# The one before is still there, in the other half.
	[ "$1" -eq "$first" ] || cmp <(timeout 100 cat $ltt/traces/black.boot-2/text/ALL) \
		"$state/after.$(($1 - 1))"
}

# recovered NUMBER: of the events that were counted
recovered()
{
	found=$ltt/traces/count.boot-1
	[ -d "$found" ] || fail "no trace was found"
	modprobe ltt-test counts=$counts
	cat /sys/kernel/debug/ltt_test/counted > "$state/counted.$1"
	grep -v ^buffer "$found/info"
	expect "damaged packets" 0 "$(number damaged)"
	timeout 100 cat "$found/text/ALL" > "$state/count.$1"
	host "$here/compare/counted.py" "$there/counted.$1" "$there/count.$1" \
		$(((count_num - 1) * count_size)) "$(number lost)"
}

# result NUMBER CASE: what was found out after an earlier reset
result()
{
	cat "$state/$2.$1"
	return "$(cat "$state/$2.$1.status")"
}

# The figures for the documentation.
totals()
{
	printf '%s\n' "${ways[@]}" | sort | uniq -c
	cat "$state"/survived.* | awk '/ lines that were seen before / { lines += $1 }
		END { printf "%d lines that were seen before are the same\n", lines; exit !lines }'
	cat "$state"/recovered.* | awk '
		$1 == "committed" {
			for (i = 1; i < 9; i += 2)
				sum[$i] += $(i + 1)
		}
		END {
			for (word in sum)
				printf "%s %d\n", word, sum[word]
			if (sum["expected"])
				printf "share %.6f %%\n", 100 * sum["found"] / sum["expected"]
			exit sum["found"] < 0.999 * sum["expected"] || !sum["found"]
		}'
}

runs_longer()
{
	awk -v end="$(number end)" '{ exit $1 < end + 1 }' /proc/uptime
}

# What was lost at the end was lost then, and not when it is read, on this boot's clock. That is most
# of what was being recorded when the machine stopped.
lost_then()
{
	new_trace x
	for found in $ltt/traces/*.boot-*; do
		wait_for 600 runs_longer
		timeout 100 cat "$found/text/ALL" > "$tmp/then"
		awk -v end="$(number end)" -v lost="$(number lost)" '/^# lost / { n++; late += $NF > end }
			END { print lost " lost, " n + 0 " notices, " late + 0 " of them late"; exit late || !n != !lost }
			' "$tmp/then"
		cp -r "$found/binary" "$tmp/then.ctf"
		ltt view "$tmp/then.ctf" | cmp - "$tmp/then"
		rm -r "$tmp/then.ctf"
	done
	destroy_trace x
}

# What may be asked of the file, and when.
persist_file()
{
	local num

	new_trace a
	expect "at first" none "$(cat $ltt/traces/a/persist)"
	expect_errno ENOENT $ltt/traces/a/persist 2
	grep -q 'no such area: 2' $ltt/traces/a/error_log
	echo 0 > $ltt/traces/a/persist
	expect "the area" 0 "$(cat $ltt/traces/a/persist)"
	expect_errno ENOENT $ltt/traces/a/persist 2
	expect "the area, still" 0 "$(cat $ltt/traces/a/persist)"
	echo 0 > $ltt/traces/a/persist
	new_trace b
	expect_errno EBUSY $ltt/traces/b/persist 0
	expect_errno EOPNOTSUPP $ltt/traces/a/snapshot_max 1
	echo none > $ltt/traces/a/persist
	echo 0 > $ltt/traces/b/persist
	echo 'sched.sched_switch' > $ltt/traces/b/markers
	expect_errno EBUSY $ltt/traces/b/persist none
	destroy_trace b
	echo 0 > $ltt/traces/a/persist
	echo 4M > $ltt/traces/a/channels/sched/subbuf_size
	expect_errno ENOSPC $ltt/traces/a/markers 'sched.*'
	# With the slots of each buffer.
	num=$(cat $ltt/traces/a/channels/sched/subbuf_num)
	grep -q "take $(((num * 4096 + 4) * $(nproc))) KiB, but area 0 has" $ltt/traces/a/error_log
	destroy_trace a
}

# `make unload` destroys what could still be recorded, and not the newest of what was found: older
# ones are in memory that was used again since.
unloaded()
{
	local text=$ltt/traces/black.boot-1/text/ALL

	needs_source Makefile
	cat "$text" > "$tmp/before"
	[ -s "$tmp/before" ]
	# The kernel's own words need what pointers led to then.
	echo ftrace > $ltt/traces/black.boot-1/text_style
	cmp <(events < "$tmp/before") <(events < "$text")
	echo format > $ltt/traces/black.boot-1/text_style
	new_trace running 'sched.*'
	start_trace running
	make -s -C "$here/../../../.." unload
	[ ! -e /sys/module/ltt_core ]
	modprobe -a ltt-core ltt-textout
	kernel_events
	cmp "$tmp/before" "$text"
}

# As after a reset: what a trace has left when it was destroyed is not found, nor what was found
# and then destroyed.
forgotten()
{
	local name

	persistent_trace gone
	destroy_trace gone
	for name in "$ltt"/traces/*/; do
		basename "$name" > $ltt/destroy_trace
	done
	expect_errno ENOENT $ltt/destroy_trace black.boot-1
	rmmod ltt-tracepoints ltt-textout ltt-core
	modprobe -a ltt-core ltt-textout
	expect "traces" "" "$(ls $ltt/traces)"
	kernel_events
}

# A trace in an area can be read as others can: in discard mode, by mapping and splicing it.
recorded()
{
	new_trace r
	echo 0 > $ltt/traces/r/persist
	channel_buffers r sched 16384 8
	echo 'sched.*' > $ltt/traces/r/markers
	start_trace r
	ltt record -t r -o "$tmp/recorded" -- sh -c 'for i in 1 2 3 4 5 6 7 8 9; do /bin/true; done'
	host babeltrace2 "$tmp/recorded" > "$tmp/lines"
	[ "$(wc -l < "$tmp/lines")" -gt 20 ] || fail "too few events"
	destroy_trace r
}

# look NUMBER CASE: what a case finds after a crash, for later
look()
{
	( set -e; shopt -s inherit_errexit; "$2" "$1" ) > "$state/$2.$1" 2>&1
	echo $? > "$state/$2.$1.status"
}

# verdict CASE
verdict()
{
	[ "$(cat "$state/$1.$step.status")" = 0 ] && echo "is there" || echo "IS NOT THERE"
}

step=$(cat "$state/step" 2>/dev/null || echo 0)
# The emulator has hung, and this is another machine: the last crash is as if it had not been.
if [ -e "$state/another" ]; then
	rm "$state/another"
	[ -e "$state/recovered.$step.status" ] || ((step == 0)) || ((step--)) || true
	echo "$step" > "$state/step"
	echo $((step + 1)) > "$state/first"
fi
first=$(cat "$state/first" 2>/dev/null || echo 1)
if ((step >= first)) && [ ! -e "$state/recovered.$step.status" ]; then
	look "$step" survived
	look "$step" recovered
	echo "# what was seen: $(verdict survived), what was committed: $(verdict recovered)"
	# What will not be looked at again.
	rm -rf "$state/"{before,binary,count}."$step" "$state/after.$((step - 1))"
fi
# After a failure there are no more.
! grep -qsvx 0 "$state"/*.status || ways=("${ways[@]:0:step}")
if ((step < ${#ways[@]})); then
	echo "# crash $((step + 1)), ${ways[step]}"
	( set -e; crash $((step + 1)) "${ways[step]}" )
	echo "Bail out! the machine was not reset"
	exit 1
fi
echo "KTAP version 1"
for ((i = 1; i <= ${#ways[@]}; i++)); do
	run_test "what was seen before ${ways[i - 1]} ($i) is there afterwards" result $i survived
	run_test "what was committed before ${ways[i - 1]} ($i) is there afterwards" \
		result $i recovered
done
run_test "in all" totals
run_test "losses at the end" lost_then
run_test "where a trace is recorded" persist_file
run_test "make unload leaves it there, and style ftrace does not look around" unloaded
run_test "what was destroyed is not found" forgotten
run_test "a trace in an area is captured as others are" recorded
finish
