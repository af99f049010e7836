#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# LTT-VM: SMP=2 MEM=1G TIMEOUT=240 APPEND=no_hash_pointers UML=1 RACES=1
#
# Channels that share buffers: what is theirs, what is the buffers', and what is refused.

. "$(dirname "$0")/lib.sh"

cpus=$(getconf _NPROCESSORS_ONLN)

# shared_trace NAME [PATTERN...]: its channels share buffers; nothing else was changed
shared_trace()
{
	local name=$1

	shift
	echo "$name" > $ltt/setup_trace
	echo shared > "$ltt/traces/$name/buffers"
	[ $# -eq 0 ] || printf '%s\n' "$@" > "$ltt/traces/$name/markers"
}

# sum TRACE CHANNEL COLUMN: of its statistics
sum()
{
	awk -v c="$3" '!/^#/ { n += $c } END { print n + 0 }' "$ltt/traces/$1/channels/$2/stats"
}

# refused ERROR FILE TEXT
refused()
{
	local before after

	before=$(wc -l < "$ltt/traces/refuse/error_log")
	none bash -c "echo '$3' > $ltt/traces/refuse/$2" 2> "$tmp/error"
	grep -q "$1" "$tmp/error" || fail "$2: $(cat "$tmp/error")"
	after=$(wc -l < "$ltt/traces/refuse/error_log")
	expect "lines for '$3' in $2" 1 $((after - before))
	tail -n 1 "$ltt/traces/refuse/error_log"
}

# All that there is, in the memory that a trace may take if nobody says more.
everything()
{
	local taken channels

	shared_trace all '*'
	taken=$(awk '$3 == "taken" { print $2 }' $ltt/traces/all/budget)
	channels=$(find $ltt/traces/all/text -type f ! -name ALL ! -name shared | wc -l)
	echo "$channels channels take $((taken / 1024 / cpus)) KiB a CPU"
	expect "channels" "$(grep -vc '^#\|^shared	' $ltt/channels)" "$channels"
	[ "$channels" -ge 40 ]
	[ $((taken / cpus)) -le $((3 << 19)) ]
	expect "files" "metadata $(seq -s ' ' -f 'shared_%g' 0 $((cpus - 1)))" \
		"$(ls $ltt/traces/all/binary | xargs)"
	# As the command says before.
	ltt plan -e '*' | tee "$tmp/plan"
	grep -q "^bytes	$taken\$" "$tmp/plan"
	start_trace all
	for i in $(seq 20); do /bin/true; done
	stop_trace all
	destroy_trace all
}

# The text of each channel is its part of all, and statistics are those of the text.
each_channel()
{
	local channel all=$ltt/traces/each

	shared_trace each
	echo 1M > $all/channels/shared/subbuf_size
	printf '%s\n' 'sched.*' 'raw_syscalls.*' 'irq.*' 'timer.*' 'task.*' 'signal.*' > $all/markers
	reader each ALL "$tmp/each.ALL"
	for channel in sched raw_syscalls signal; do
		reader each $channel "$tmp/each.$channel"
	done
	start_trace each
	for i in $(seq 30); do /bin/true; done
	stop_trace each
	for channel in sched raw_syscalls irq timer task signal shared; do
		echo "$channel $(sum each $channel 2) $(sum each $channel 3)"
	done | tee "$tmp/each.stats"
	destroy_trace each
	wait
	none grep '^# lost' "$tmp/each.ALL"
	for channel in sched raw_syscalls signal; do
		events < "$tmp/each.$channel" > "$tmp/each.part"
		[ -s "$tmp/each.part" ]
		events < "$tmp/each.ALL" | grep -F "] $channel." | cmp - "$tmp/each.part"
	done
	events < "$tmp/each.ALL" | sed -E 's/^[^]]*] ([a-z_]*)\..*/\1/' | sort | uniq -c |
		awk '{ print $2, $1, 0; n += $1 } END { print "shared", n, 0 }' |
		sort | diff <(sort "$tmp/each.stats") -
}

# Losses are counted for each channel, and told of the buffers.
losses()
{
	local generated text

	load_test_module
	shared_trace lose
	echo 4096 > $ltt/traces/lose/channels/shared/subbuf_size
	echo 4 > $ltt/traces/lose/channels/shared/subbuf_num
	echo "$1" > $ltt/traces/lose/channels/shared/mode
	printf '%s\n' 'ltt_test_short.*' 'ltt_test_other.*' > $ltt/traces/lose/markers
	start_trace lose
	generate 2000 17
	generated
	stop_trace lose
	for channel in ltt_test_short ltt_test_other shared; do
		echo "$channel $(sum lose $channel 2) $(sum lose $channel 3) $(sum lose $channel 4)"
	done | tee "$tmp/stats"
	reader lose ALL "$tmp/lose"
	text=$!
	reader lose ltt_test_other "$tmp/lose.other"
	destroy_trace lose
	wait $text $!
	# shellcheck disable=SC2046 # four words
	set -- $(awk '{ sum[$1 == "shared"] += $2; lost[$1 == "shared"] += $3; over += $4 }
		END { print sum[0], sum[1], lost[0], lost[1], over }' "$tmp/stats")
	expect "recorded" "$2" "$1"
	expect "lost" "$4" "$3"
	[ $(($3 + $5)) -gt $((500 * cpus)) ]
	expect "generated" $((2000 * cpus)) $(($1 + $3))
	expect "lines" $(($1 - $5)) "$(events < "$tmp/lose" | wc -l)"
	expect "told" $(($3 + $5)) "$(awk '/^# lost/ { n += $3 } END { print n + 0 }' "$tmp/lose")"
	grep -q '^# lost .* channel shared ' "$tmp/lose"
	events < "$tmp/lose" | grep -F '] ltt_test_other.' | cmp - <(events < "$tmp/lose.other")
}

# Taken out by a word, by parameters, by contexts; and what was registered with its own.
own_buffers()
{
	local dir=$ltt/traces/own/channels

	modprobe ltt-bench channels=2
	shared_trace own
	echo channel > $dir/irq/buffers
	echo 8192 > $dir/timer/subbuf_size
	echo tid > $dir/signal/contexts
	echo tid > $dir/task/contexts
	echo shared > $dir/task/buffers
	echo 16384 > $dir/sched/subbuf_size
	echo shared > $dir/sched/buffers
	printf '%s\n' 'sched.*' 'irq.*' 'timer.*' 'signal.*' 'task.*' 'ltt_bench1.*' > $ltt/traces/own/markers
	for channel in sched irq timer signal task ltt_bench0 ltt_bench1 shared power; do
		echo "$channel $(cat $dir/$channel/buffers)"
	done | xargs | tee "$tmp/buffers"
	expect "buffers" "sched shared irq channel timer channel signal channel task shared \
ltt_bench0 channel ltt_bench1 channel shared channel power shared" "$(cat "$tmp/buffers")"
	expect "contexts" "tid 0 0" "$(for channel in signal task shared; do
		grep -v '^#' $dir/$channel/contexts || echo 0; done | xargs)"
	expect "sizes" "8192 65536 65536" "$(cat $dir/{timer,sched,shared}/subbuf_size | xargs)"
	expect "files" "irq_0 ltt_bench1_0 shared_0 signal_0 timer_0" \
		"$(cd $ltt/traces/own/binary && ls -- *_0 | xargs)"
	start_trace own
	echo 1 > /sys/kernel/debug/ltt_bench/ping
	for i in $(seq 5); do (kill -9 $BASHPID) || true; done
	stop_trace own
	ltt status own
	destroy_trace own
	rmmod ltt-bench
}

refusals()
{
	shared_trace refuse 'sched.*'
	refused 'Invalid argument' buffers both
	refused 'Invalid argument' channels/irq/buffers own
	refused 'Device or resource busy' channels/sched/buffers channel
	refused 'Device or resource busy' channels/sched/subbuf_size 8192
	refused 'Device or resource busy' channels/sched/contexts tid
	refused 'Invalid argument' channels/shared/buffers shared
	refused 'Device or resource busy' channels/shared/mode overwrite
	# A request that fails decides nothing.
	echo 1 > $ltt/traces/refuse/channels/irq/enable
	echo channel > $ltt/traces/refuse/buffers
	echo 8M > $ltt/traces/refuse/budget
	refused 'Disk quota exceeded' markers '*'
	echo shared > $ltt/traces/refuse/buffers
	echo 'irq.*' > $ltt/traces/refuse/markers
	expect "irq" shared "$(cat $ltt/traces/refuse/channels/irq/buffers)"
	destroy_trace refuse
}

# A context of the shared buffers is one of all their events.
contexts()
{
	local reader

	shared_trace context
	echo 'tid comm' > $ltt/traces/context/channels/shared/contexts
	printf '%s\n' 'sched.*' 'raw_syscalls.*' > $ltt/traces/context/markers
	reader context raw_syscalls "$tmp/context"
	reader=$!
	ltt record -q -t context -o "$tmp/context.ctf" 2> "$tmp/record.err" &
	wait_for 10 test -s "$tmp/context.ctf/metadata"
	start_trace context
	/bin/true
	stop_trace context
	destroy_trace context
	wait
	events < "$tmp/context" > "$tmp/lines"
	[ -s "$tmp/lines" ]
	none grep -v ' tid [0-9]* comm ' "$tmp/lines"
	host ltt view -m 'raw_syscalls.*' "$tmp/context.ctf" | events | cmp - "$tmp/lines"
}

# poll(2) does not say that there is something to read of a channel in which nothing happens,
# and a read does not return.
quiet_channel()
{
	load_test_module
	shared_trace quiet 'raw_syscalls.*' 'ltt_test.*'
	start_trace quiet
	cat > "$tmp/poll.py" << 'EOM'
import os, select, sys
fd = os.open(sys.argv[1], os.O_RDONLY | os.O_NONBLOCK)
os.read(fd, 4096)       # the header
poll = select.poll()
poll.register(fd, select.POLLIN)
print(len(poll.poll(2000)))
try:
    print(len(os.read(fd, 4096)))
except BlockingIOError:
    print('blocks')
EOM
	expect "quiet" "0 blocks" \
		"$(python3 "$tmp/poll.py" $ltt/traces/quiet/text/ltt_test | xargs)"
	generate 1 1
	expect "not quiet" 1 "$(python3 "$tmp/poll.py" $ltt/traces/quiet/text/ltt_test | head -n 1)"
	destroy_trace quiet

}

# A request that fails leaves nothing decided.
nothing_decided()
{
	local dir=$ltt/traces/fail

	shared_trace fail 'sched.*'
	echo 4M > $dir/channels/timer/subbuf_size
	echo 8M > $dir/budget
	none bash -c "echo 'irq.* timer.*' > $dir/markers" 2> "$tmp/error"
	grep -q 'Disk quota exceeded' "$tmp/error"
	none grep -q . <(grep -v '^#' $dir/channels/irq/stats)
	echo channel > $dir/channels/irq/buffers
	echo tid > $dir/channels/irq/contexts
	echo 0 > $dir/channels/timer/switch_timer
	echo 64K > $dir/channels/timer/subbuf_size
	echo 'irq.*' > $dir/markers
	expect "irq" channel "$(cat $dir/channels/irq/buffers)"
	destroy_trace fail
}

run_test "everything, in one set of buffers" everything
run_test "the text of each channel" each_channel
run_test "losses, newest events lost" losses discard
run_test "losses, oldest events lost" losses overwrite
run_test "channels with buffers of their own" own_buffers
run_test "what is refused" refusals
run_test "contexts" contexts
run_test "a channel in which nothing happens" quiet_channel
run_test "a request that fails decides nothing" nothing_decided
finish
