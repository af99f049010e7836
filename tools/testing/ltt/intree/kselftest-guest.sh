#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: kselftest-guest.sh DIRECTORY [TEST...]
#
# The part of kselftest.sh in the guest: run what is installed in DIRECTORY, and then what the
# kernel's tree there has, beside somebody else's trace. Results, and what the machine is like
# before and afterwards, go to /out.
set -uo pipefail

ltt=/sys/kernel/debug/ltt
dir=$1
shift
cd / || exit
# The host's changes meanwhile, unless we are in there.
[[ $dir = /tmp/* ]] || mount -t tmpfs -o mode=1777 tmpfs /tmp

# What tests could leave: of LTT, of ftrace, of the kernel's settings, files and processes.
machine()
{
	# Others stay, as the kernel loads them on demand.
	echo "modules:" && grep -o '^ltt[^ ]*' /proc/modules | sort
	echo "mounts:" && cut -d' ' -f2,3 /proc/mounts
	echo "files:" && ls -A /tmp /var/tmp /dev/shm
	echo "processes:" && ps --ppid 2 -p 2 --deselect -o args= | grep -v '^ps '
	echo "settings:" && grep -rsH . /proc/sys/kernel/{printk,panic*,threads-max,pid_max,kptr_restrict,core_pattern}
	# ftrace rounds the size of its buffers up.
	echo "ftrace:" && ls /sys/kernel/tracing/instances &&
		grep -sH . /sys/kernel/tracing/{current_tracer,trace_clock,set_event,tracing_on} &&
		sed 's/.*expanded: \([0-9]*\).*/\1/' /sys/kernel/tracing/buffer_size_kb | awk '{ print int($0 / 16) }'
	echo "cgroups:" && find /sys/fs/cgroup -mindepth 1 -type d
	echo "network:" && ip -br link
}

# What a trace is like, but for what it has recorded.
trace()
{
	(cd $ltt/traces/somebodys && grep -H . enabled markers filters triggers tasks text_style channels/sched/{mode,subbuf_*})
	ls $ltt/traces
	cut -d' ' -f1 /proc/modules | sort
}

# To a pipe: it opens its standard output again, to append.
run()
{
	"$dir/installed/run_kselftest.sh" "${chosen[@]}" 2>&1 | cat
}

run_tests()
{
	make -s -C "$dir/linux/tools/testing/selftests" TARGETS=ltt "O=$dir/obj" \
		${1:+TEST_PROGS="$*"} run_tests 2>&1 | cat
}

chosen=()
for test; do
	chosen+=(-t "ltt:$test")
done
((${#chosen[@]})) || chosen=(-c ltt)

machine > /out/before
run > /out/results
machine > /out/after

modprobe -a ltt-core ltt-textout ltt-tracepoints
echo somebodys > $ltt/setup_trace
echo 4M > $ltt/traces/somebodys/channels/sched/subbuf_size
echo 16 > $ltt/traces/somebodys/channels/sched/subbuf_num
echo 'sched.*' > $ltt/traces/somebodys/markers || exit
echo 1 > $ltt/traces/somebodys/enabled || exit
trace > /out/trace-before
run_tests "$@" > /out/beside
trace > /out/trace-after
# All of it, from the first event on: the tests were started, and nothing was lost.
timeout 10 cat $ltt/traces/somebodys/text/ALL > /out/text
echo somebodys > $ltt/destroy_trace
touch /out/done
