# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the LTT selftests share. A test is a function; run_test reports it in
# KTAP. Everything runs as root; modules that are not loaded are, and are removed in the end.

set -u
shopt -s nullglob

ltt=/sys/kernel/debug/ltt
# Pipes that are opened while this is Y are fast ones.
fast=/sys/module/ltt_textout/parameters/fast
# How long text waits for a CPU that does not answer.
patience=/sys/module/ltt_core/parameters/patience

# skip_script WHY: kselftest's way to say that a machine is not the right one
skip_script()
{
	echo "1..0 # SKIP $*"
	exit 4
}

((EUID == 0)) || skip_script "must be root"
grep -q ' /sys/kernel/debug debugfs ' /proc/mounts || skip_script "debugfs is not mounted"
modules_before=$(sed -n 's/^\(ltt_[^ ]*\) .*/\1/p' /proc/modules)
[ -d $ltt/traces ] || modprobe -qa ltt-core ltt-textout ltt-tracepoints ||
	skip_script "needs the modules of LTT"
# Tests destroy all traces, and unload modules: do not run them while LTT is in use.
others=()
for i in "$ltt"/traces/*/; do
	# Those that an earlier boot has left are nobody's.
	[[ $i = *.boot-[0-9]*/ ]] || others+=("$i")
done
((${#others[@]} == 0)) ||
	skip_script "LTT is in use, destroy trace $(basename -a "${others[@]}" | paste -sd ' ') first"
! grep -qsv '^#' $ltt/dynamic_markers ||
	skip_script "LTT is in use, remove all dynamic_markers first"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=lib/case.sh
. "$here/lib/case.sh"
# shellcheck source=lib/wait.sh
. "$here/lib/wait.sh"
# Programs are beside the scripts, or in the build directory of `make check`.
PATH=$here:$here/helpers:$here/../../../../build/selftests:$PATH
tmp=$(mktemp -d)
trap cleanup EXIT
# To a virtual machine whose processors are kept waiting they look stuck: in order all the same.
usual_patience=$(cat $patience)
echo 0 > $patience
# What tests set of ftrace's, a line each. Of the size of its buffers: what it is, or will be at the
# first use.
ftrace_files=(/sys/kernel/tracing/{current_tracer,trace_clock,buffer_size_kb,tracing_on})
ftrace_settings()
{
	sed 's/.*expanded: \([0-9]*\).*/\1/; s/.*\[\(.*\)\].*/\1/' "${ftrace_files[@]}" 2> /dev/null
}
mapfile -t usual_ftrace < <(ftrace_settings)

restore_ftrace()
{
	local now i

	mapfile -t now < <(ftrace_settings)
	for i in "${!usual_ftrace[@]}"; do
		[ "${usual_ftrace[i]}" = "${now[i]}" ] || echo "${usual_ftrace[i]}" > "${ftrace_files[i]}"
	done
}

declare -i tests_run=0 tests_wanted=0 tests_failed=0

kill_jobs()
{
	local pids

	pids=$(jobs -p)
	# shellcheck disable=SC2086 # several
	[ ! "$pids" ] || kill $pids 2> /dev/null || true
}

# Leave the machine as we found it for the next test script, whatever has failed.
cleanup()
{
	local trace module

	kill_jobs
	for trace in "$ltt"/traces/*/; do
		basename "$trace" > $ltt/destroy_trace
	done
	for module in /sys/module/ltt_{test,sample,bench,tool,function,statedump,btf,kprobes,syscalls}*; do
		rmmod "$(basename "$module")"
	done
	modprobe -a ltt-core ltt-textout
	echo "$usual_patience" > $patience
	kernel_events
	restore_ftrace
	for module in ltt_tracepoints ltt_textout ltt_core; do
		[[ $'\n'$modules_before$'\n' = *$'\n'$module$'\n'* ]] || rmmod $module
	done
	[ ! "$modules_before" ] || modprobe -a $modules_before
	rm -rf "$tmp"
}

# machine_has FACILITY: does this machine have it?
#	smp		two CPUs or more
#	icount		a clock that counts instructions: nothing else makes anything late
#	hotplug		CPU hotplug
#	nmi		NMIs, which ltt-test sends to its own CPU
#	x86		the kernel is an x86 kernel: its addresses, its stacks, its 32-bit calls
#	kprobes		what ltt-kprobes is for
#	function	the function tracer
#	btf		the kernel's type information
#	veth		networks of its own
machine_has()
{
	local tracefs=/sys/kernel/tracing

	case $1 in
	smp)		[ "$(nproc --all)" -gt 1 ] ;;
	icount)		grep -qw icount.shift /proc/cmdline ;;
	hotplug)	[ -w /sys/devices/system/cpu/cpu1/online ] ;;
	nmi|x86)	[[ $(< /proc/cpuinfo) != *'User Mode Linux'* ]] ;;
	kprobes|function)
		[ -d $tracefs/events ] || mount -t tracefs none $tracefs
		case $1 in
		kprobes)  [ -e $tracefs/kprobe_events ] ;;
		function) grep -qw function $tracefs/available_tracers ;;
		esac ;;
	btf)		[ -e /sys/kernel/btf/vmlinux ] ;;
	veth)		ip link add ltt-try type veth 2> /dev/null && ip link del ltt-try ;;
	*)		echo "what is $1?"; exit 1 ;;
	esac
}

# needs FACILITY...: of the whole script, which is skipped where one is missing
needs()
{
	local facility

	for facility; do
		machine_has "$facility" || skip_script "needs $facility"
	done
}

# Of a case: it compares pointers, which the kernel hides from one of those it is shown.
needs_pointers()
{
	grep -qw no_hash_pointers /proc/cmdline || { echo "needs the kernel's no_hash_pointers"; exit 4; }
}

# needs_source FILE...: of a case; of LTT's source, which an installed kselftest lacks.
needs_source()
{
	local file

	for file; do
		[ -e "$here/../../../../$file" ] || { echo "needs $file"; exit 4; }
	done
}

# run_test [--long] [--needs FACILITY[,FACILITY...]] "description" function [arguments]
# What the function prints is shown as comments, and how long it took if that is long. With
# LTT_REST, only cases that need what user-mode Linux lacks. --long: see too_long.
run_test()
{
	local what needs= long= facility began=$SECONDS status

	! too_long "$1" || long=1
	[ "$1" != --long ] || shift
	if [ "$1" = --needs ]; then
		needs=${2//,/ }
		shift 2
	fi
	what=$1
	[ "$needs" ] || [ ! "${LTT_REST:-}" ] || return 0
	shift
	((tests_run++))
	! case_skipped $tests_run "$what" "$long" || return 0
	((tests_wanted++))
	for facility in $needs; do
		if ! machine_has "$facility"; then
			echo "ok $tests_run $what # SKIP needs $facility"
			return
		fi
	done
	# In $(...), too, what fails ends the function.
	( set -e; shopt -s inherit_errexit; trap kill_jobs EXIT; "$@" ) > "$tmp/output" 2>&1
	status=$?
	[ ! -s "$tmp/output" ] || sed 's/^/# /' "$tmp/output"
	((SECONDS - began < 5)) || echo "# $((SECONDS - began)) s"
	if [ $status -eq 4 ]; then
		echo "ok $tests_run $what # SKIP $(tail -n 1 "$tmp/output")"
	elif [ $status -eq 0 ]; then
		echo "ok $tests_run $what"
	else
		echo "not ok $tests_run $what"
		((tests_failed++))
	fi
}

# The last line of every test script.
finish()
{
	if [ $tests_run -eq 0 ]; then
		echo "1..0 # SKIP none is asked for"
		exit 4
	fi
	echo "1..$tests_run"
	[ $tests_wanted -gt 0 ] || exit 4
	exit $((tests_failed > 0))
}

# fail "why": ends the test function
fail()
{
	echo "FAIL: $*"
	exit 1
}

# expect "what" WANTED FOUND
expect()
{
	[ "$2" = "$3" ] || fail "$1: wanted '$2', found '$3'"
}

# take_first TRACE: a channel comes, ltt_test, and somebody reads its first packet on CPU 0
take_first()
{
	channel_buffers "$1" ltt_test 4096 16
	echo 'ltt_test.*' > "$ltt/traces/$1/markers"
	generate 500 1
	dd bs=4096 count=1 status=none < "$ltt/traces/$1/binary/ltt_test_0" > "$tmp/packet"
	[ -s "$tmp/packet" ] || fail "no packet"
}

# same_lines WANTED FOUND: are these texts the same? Shows where they are not.
same_lines()
{
	diff "$1" "$2" > "$tmp/differences" || fail "$(head -n 20 "$tmp/differences")"
}

# kernel_since VERSION: is this kernel VERSION, or newer?
kernel_since()
{
	printf '%s\n' "$1" "$(uname -r)" | sort -VC
}

# What comparisons with ftrace are to be told where a task may be preempted between two
# probes of a tracepoint.
preemptible()
{
	! kernel_since 7.0 || echo preemptible
}

# expect_errno ERRNO FILE STRING: writing STRING must fail so
expect_errno()
{
	local found

	found=$(write-errno "$2" "$3")
	expect "writing '${3:0:40}' to ${2#"$ltt"/}" "$1" "$found"
}

# refused_for TRACE TEXT: that is in the last line of its error_log
refused_for()
{
	local log

	mapfile -t log < "$ltt/traces/$1/error_log"
	echo "${log[*]: -1}"
	[[ ${log[*]: -1} = *"$2"* ]] || fail "expected: $2"
}

# kernel_events [SYSTEM,...]: the kernel's events that are markers; without an argument
# all. In each trace a marker is a directory: a thousand of them take their time.
kernel_events()
{
	local systems=/sys/module/ltt_tracepoints/parameters/systems

	[ -e $systems ] && [ "$(< $systems)" = "${1:-(null)}" ] && return
	[ ! -e $systems ] || rmmod ltt-tracepoints
	modprobe ltt-tracepoints ${1:+"systems=$1"}
}

# new_trace NAME PATTERN...: a trace that may take as much memory as there is; with LTT_SHARED
# its channels share buffers
new_trace()
{
	local name=$1

	shift
	echo "$name" > $ltt/setup_trace
	echo 1T > "$ltt/traces/$name/budget"
	[ ! "${LTT_SHARED:-}" ] || echo shared > "$ltt/traces/$name/buffers"
	[ $# -eq 0 ] || printf '%s\n' "$@" > "$ltt/traces/$name/markers"
}

start_trace()
{
	echo 1 > "$ltt/traces/$1/enabled"
}

stop_trace()
{
	echo 0 > "$ltt/traces/$1/enabled"
}

destroy_trace()
{
	echo "$1" > $ltt/destroy_trace
}

# home CHANNEL: the channel that has its buffers
home()
{
	if [ "${LTT_SHARED:-}" ]; then echo shared; else echo "$1"; fi
}

# Sizes of a channel's buffers, or the shared ones: channel_buffers TRACE CHANNEL SIZE NUMBER
# [MODE]
channel_buffers()
{
	local dir

	dir=$ltt/traces/$1/channels/$(home "$2")

	echo "$3" > "$dir/subbuf_size"
	echo "$4" > "$dir/subbuf_num"
	[ $# -lt 5 ] || echo "$5" > "$dir/mode"
}

load_test_module()
{
	local lines

	[ -e /sys/module/ltt_test ] || modprobe ltt-test
	mapfile lines < /sys/kernel/debug/ltt_test/generated
}

# generate EVENTS [CONTEXTS [GAP]]: by ltt-test's threads, one on each CPU. CONTEXTS is the
# sum of 1 task, 2 softirq, 4 hard interrupt, 8 NMI, where there are any; GAP loops from one
# event to the next.
run_file=/sys/kernel/debug/ltt_test/run
without=0
machine_has nmi || without=8
generate()
{
	echo "$1 $((${2:-1} & ~without)) ${3:-0}" > $run_file
}

# What ltt-test has generated since it was loaded: checker compares with it.
generated()
{
	cat /sys/kernel/debug/ltt_test/generated > "$tmp/generated"
}

# repeat COMMAND...: in the background, again and again until repeat_end; may be called for
# several
repeating=()
repeat()
{
	rm -f "$tmp/repeat_end"
	( until [ -e "$tmp/repeat_end" ]; do "$@"; done ) &
	repeating+=($!)
}

repeat_end()
{
	local job

	touch "$tmp/repeat_end"
	for job in "${repeating[@]}"; do
		wait "$job" || fail "a repeated command failed"
	done
	repeating=()
}

# host COMMAND [ARG...]: run it as it stands there, with its output and exit status; in a
# virtual machine of check.sh, on that machine's host, which is many times faster. For what
# only looks at files: those below $tmp are copied there. Not in a pipe's middle: without input.
host()
{
	local dir arg name words=() status

	[ "${LTT_HOST:-}" ] || { "$@"; return; }
	dir=$(mktemp -d "$LTT_HOST/host.XXXXXX")
	for arg; do
		if [[ $arg = "$tmp"/* ]]; then
			name=${#words[@]}.${arg##*/}
			cp -r "$arg" "$dir/$name"
			arg=$name
		fi
		words+=("$arg")
	done
	printf '%q ' "${words[@]}" > "$dir/command"
	touch "$dir/ready"
	wait_for 600 test -e "$dir/status" || fail "the host does not answer"
	cat "$dir/out"
	cat "$dir/err" >&2
	status=$(cat "$dir/status")
	# Not the directory: over 9p, the next one with its inode number may then not be found.
	rm -rf "$dir"/[0-9]*
	return "$status"
}

# interrupts_on MASK: devices interrupt these CPUs only, as far as the kernel lets us choose
interrupts_on()
{
	local irq

	for irq in /proc/irq/*/smp_affinity; do
		echo "$1" > "$irq" 2> /dev/null || true
	done
}

# has_open PID FILE: for wait_for; what comes later is for a reader to see
has_open()
{
	[ -n "$(find /proc/"$1"/fd -lname "$2")" ]
}

# switches PID...: how often each has gone to sleep, or made way
switches()
{
	local pid

	for pid; do
		awk '/ctxt_switches/ { n += $2 } END { print n }' "/proc/$pid/status"
	done
}

# switch_rates PID SECONDS: for so long, how often in a second it switches, and the thread that runs
# RCU's grace periods: what a reader causes on a machine that is idle otherwise
switch_rates()
{
	local pids before after

	pids=("$1" $(pgrep -x 'rcu_preempt|rcu_sched' | head -n 1))
	before=($(switches "${pids[@]}"))
	sleep "$2"
	after=($(switches "${pids[@]}"))
	[ ${#after[@]} -eq 2 ] || return
	echo $(((after[0] - before[0]) / $2)) $(((after[1] - before[1]) / $2))
}

# has_ended PID: for wait_for; a job that was not waited for yet
has_ended()
{
	local stat

	{ read -r stat < "/proc/$1/stat"; } 2> /dev/null || return 0
	[[ $stat = *') Z '* ]]
}

# reader TRACE FILE OUTPUT: read it in the background, open from now on; its PID is $!
reader()
{
	local fd

	exec {fd}< "$ltt/traces/$1/text/$2"
	cat <&"$fd" > "$3" &
	exec {fd}<&-
}

# checker TRACE FILE OUTPUT: the same through check-stream, which compares with
# $tmp/generated at the end
checker()
{
	local fd

	exec {fd}< "$ltt/traces/$1/text/$2"
	check-stream -g "$tmp/generated" <&"$fd" > "$3" 2>&1 &
	exec {fd}<&-
}

# none COMMAND...: the command must fail; for what "!" would hide from set -e. A grep that
# could not look has found nothing, either.
none()
{
	local status=0

	"$@" || status=$?
	[ $status -ne 0 ] || fail "succeeded unexpectedly: $*"
	[ "$1" != grep ] || [ $status -eq 1 ] || fail "the search failed: $*"
}

# same_capture whole|events|lossy|babeltrace2 DIRECTORY TEXT: what babeltrace2 and ltt view find in
# a capture is what the text of the same trace shows, see compare/capture.sh; its kinds of events go to
# $tmp/kinds
same_capture()
{
	host "$here/compare/capture.sh" "$@" > "$tmp/kinds" || { cat "$tmp/kinds"; fail "capture"; }
	cat "$tmp/kinds"
}

# Events only, without header and notices.
events()
{
	grep -v '^#' || true
}

# Where the test may reset the machine, it prints that itself.
[ "${resets:-}" ] || echo "KTAP version 1"
