#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: check.sh [TEST...]
#
# All tests as one KTAP stream, and a last line that counts them: the build
# without a warning, sparse, checkpatch, the user-space tests, and the selftests
# in virtual machines.
#
# TEST: only this one, of user space (test_format) or a selftest (test-filter.sh, or just
# filter). TEST:3 is its third case alone. kmemleak, kcsan: with DEBUG, their reports.
#
# LTT_LONG=1: more rounds of some, and cases that take long, as in `make check-long`.
# WITH='TEST...': these besides what is run anyway. LTT_CASE=REGEX: only the cases whose names
# match; LTT_CASE=3 is the third of each test.
# FUZZ, FUZZ_SEED, SOAK, SOAK_EVENTS, CRASHES: see fuzz.sh, soak.sh and crashes.sh.
# FRESH=1: compile and test again what the cache has.
# DEBUG=1: the selftests alone, on the debug kernel; DEBUG=kcsan: on the one that looks for
# data races.
# KVER=RELEASE, KVER=6.12, KVER=newest: for another kernel than Debian's default one (see
# lib.sh), of what does not need a guest only what depends on the kernel.
#
# A selftest may describe the machine it needs in a line near its top,
#	# LTT-VM: SMP=2 MEM=1G TIMEOUT=120 APPEND='nohz_full=1'
# where TIMEOUT is the test's own, in seconds. Those that differ in memory and time only share
# a boot. If one crashes the kernel, the rest run in a new one. ALONE=1 is
# for a test that measures time: nothing else runs beside it.
#
# UML=1: a machine with one CPU is enough for the test, except for cases that say what else
# they need (run_test --needs). It runs in user-mode Linux, which is much faster, and only those
# cases in QEMU; with LTT_LONG all of them in QEMU, too; for another kernel and with DEBUG=kcsan,
# only there. VEHICLE=qemu: all in QEMU. VEHICLE=uml: all in user-mode Linux.
#
# RACES=1: others of its cases, too, do things at the same time that no other test does, on as many
# CPUs as there are. Without it DEBUG=kcsan runs only what user-mode Linux cannot run, unless the
# test or a case is asked for.
#
# DEBUG=0: the test is about programs, or about time: on the debug kernels it runs only if it is
# asked for, as their checkers would see nothing there that they do not see in other tests.
# DEBUG=1: the same, but only on the KCSAN kernel.
#
# On the debug kernels a machine has two processors, not four, as what each does is slow; with
# LTT_LONG, as many as the test asks for.
#
# LONG=1: the test runs in `make check-long` and on other kernels only, or if it is asked for; then
# without the cases that take long (run_test --long).
#
# RESETS=1: the test resets its machine, and runs again then; what it leaves in $LTT_HOST/kept is there
# even if the machine hangs and another one goes on. Then there is a file "another" beside it.
#
# BUSY=1: the test keeps all of its machine's processors busy. Beside another such machine that
# takes four times as long, as emulated processors wait for those that the host keeps waiting; so
# there is one of them at a time, beside others.
#
# Otherwise as many machines run at a time as there are processors, and twice as many user-mode
# Linuxes, which mostly sleep; QEMU's machines start when all of these have ended, since
# emulated processors that are kept waiting lose timers. What needs no machine gets the time
# that they leave. Output is shown and numbered in the order of the tests. What failed the last
# time comes first.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
here=$ltt_root/tools/testing/ltt
selftests=$ltt_root/tools/testing/selftests/ltt
cd "$ltt_root"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# stage NAME COMMAND...: a test of ours, whose output is shown when it fails.
stage()
{
	local name=$1 log status=0
	shift
	log=$(mktemp -p "$tmp")
	timed "$name" "$@" > "$log" 2>&1 < /dev/null || status=1
	((!status)) || grep -vE '^  (CC|CHECK|LD|MODPOST|BTF)' "$log" | sed '$d; s/^/# /'
	tail -n 1 "$log"
	((status)) && echo "not ok $name" || echo "ok $name"
	rm "$log"
	return $status
}

# Number the results at the left, and count them in a plan. Leaves the names of what failed
# in build/check-failed, besides those of what failed before and did not run now.
numbered()
{
	local n=0 line name
	local -A verdict=() ran=()

	for name in "${failed[@]}"; do
		verdict[$name]=failed
	done
	while IFS= read -r line; do
		# Selftests, and below them those of user space.
		if [[ $line =~ ^(not\ )?ok\ ([^ ]+) || $line =~ ^' '+(not\ )?ok\ [0-9]+\ (test_[^ ]+)(\ #\ cached)?$ ]]; then
			name=${BASH_REMATCH[2]%:*}
			# A test may run in two machines.
			if [[ ${BASH_REMATCH[1]} ]]; then
				verdict[$name]=failed
			elif [[ ! ${ran[$name]:-} ]]; then
				verdict[$name]=passed
			fi
			ran[$name]=1
		fi
		[[ $line != ok\ * && $line != not\ ok\ * ]] || line=${line/ok /ok $((++n)) }
		printf '%s\n' "$line"
	done
	echo "1..$n"
	for name in "${!verdict[@]}"; do
		[[ ${verdict[$name]} != failed ]] || echo "$name"
	done > "$failed_list"
}

# side_by_side COMMAND...: run them, several at a time, and show their output in order.
side_by_side()
{
	local out=() cpus i uml

	cpus=$(nproc)
	for ((i = 1; i <= $#; i++)); do
		out[i]=$(mktemp -p "$tmp")
	done
	lane $((cpus * 2)) uml "$@" &
	uml=$!
	{
		tail --pid=$uml -f /dev/null
		renice -n $(($(nice) + 5)) $BASHPID > /dev/null || true
		lane "$cpus" 'busy qemu' "$@"
	} &
	{
		renice -n $(($(nice) + 15)) $BASHPID > /dev/null || true
		lane "$cpus" other "$@"
	} &
	for i in "${out[@]}"; do
		follow "$i"
	done
	wait
}

# kind_of COMMAND: the lane that it belongs into
kind_of()
{
	case $1 in
	'boot uml '*)	echo uml ;;
	boot\ *BUSY=1*)	echo busy ;;
	'boot '* | 'guest_test '*) echo qemu ;;
	*)		echo other ;;
	esac
}

# job COMMAND: one of those of side_by_side, with the time it took
job()
{
	timed "$1" eval "$1" || echo "not ok $1"
}

# lane NUMBER KINDS COMMAND...: those commands that are of these kinds, one kind after the other,
# NUMBER of them at a time, but of busy ones only one
lane()
{
	local number=$1 kinds=$2 kind i turn turns started=0

	shift 2
	for kind in $kinds; do
		turns=()
		for ((i = 1; i <= $#; i++)); do
			[[ $(kind_of "${!i}") != "$kind" ]] || turns+=("$i")
		done
		[[ $kind != busy || ! ${turns[*]} ]] || turns=("${turns[*]}")
		for turn in "${turns[@]}"; do
			((++started <= number)) || wait -n || true
			for i in $turn; do
				job "${!i}" > "${out[i]}"
				touch "${out[i]}.done"
			done < /dev/null &
		done
	done
	wait
}

# Show file $1 while it grows, until it is done.
follow()
{
	local done=
	exec 3< "$1"
	until [[ $done ]]; do
		[[ ! -e $1.done ]] || done=1
		cat <&3
		[[ $done ]] || sleep 0.5
	done
	exec 3<&-
	rm "$1" "$1.done"
}

# Fail on warnings, too.
without_warning()
{
	local output

	output=$("$@" 2>&1) || { echo "$output"; return 1; }
	! grep -E 'warning:|WARNING:|error:' <<< "$output"
}

# Only a build from nothing shows every warning of the compiler, and of sparse. It is also the
# one that the tests use.
fresh_build()
{
	rm -rf "$ltt_root/build/$KVER"
	without_warning env MODULE_TREE=1 "$here/build.sh" "$kdir" C=1
}

# shell_scripts DIRECTORY...: those in there, whatever they are called.
shell_scripts()
{
	local dir file first

	for dir; do
		for file in "$dir"/*; do
			[[ -f $file ]] || continue
			first=
			[[ $file = *.sh ]] || IFS= read -r first 2> /dev/null < "$file" || true
			[[ $file != *.sh && ! $first =~ ^#!.*[/\ ](ba)?sh( |$) ]] || echo "$file"
		done
	done
}

# bash looks at one file only.
shell_syntax()
{
	local script scripts

	mapfile -t scripts < <(shell_scripts "$here"{,/bench,/debian,/fuzz,/intree,/models,/uml,/unit,/vm} \
		"$selftests"{,/bench,/lib})
	for script in "${scripts[@]}"; do
		bash -O extglob -n "$script" || return
	done
}

# The lines of standard input, those that are names of what failed the last time first.
failed_first()
{
	awk 'NR == FNR { failed[$1]; next }
		$1 in failed { print; next }
		{ rest = rest $0 "\n" }
		END { printf "%s", rest }' <(printf '%s\n' "${failed[@]}") -
}

# as_one NAME COMMAND...: the KTAP that it prints, and one result for all of it.
as_one()
{
	local name=$1 status=0

	shift
	"$@" 2>&1 < /dev/null | sed -u 's/^/  /' || status=$?
	if ((status)); then echo "not ok $name"; else echo "ok $name"; fi
}

# user_tests DIRECTORY [TEST[:CASE]...]: a make check that prints KTAP.
user_tests()
{
	local names=${*:2}

	[[ $names != *:* ]] || export LTT_CASE=${names##*:}
	[[ $names ]] || names=$(grep -vxFf <(user_list list-guest-tests) <(user_list list-tests) |
		failed_first | xargs)
	# Two of these at a time would build the same files.
	as_one "$1" flock "$ltt_root/build/user.lock" make -s -j"$(nproc)" -C "$1" \
		${names:+TESTS="${names%:*}"} check
}

# user_list TARGET: tests of user space that their makefile lists, one in a line
user_list()
{
	make -s --no-print-directory -C "$here" "$1" | tr ' ' '\n'
}

# guest_test NAME: one of user space that boots machines of its own
guest_test()
{
	as_one "$1" "$here/unit/$1.sh"
}

# The tests that the selftests' makefile lists; the long ones only if asked for.
listed_tests()
{
	make -s --no-print-directory -C "$selftests" -f - ltt-list <<-'EOM'
		include Makefile
		ltt-list: ; @echo $(TEST_PROGS) $(if $(LTT_LONG),$(TEST_PROGS_EXTENDED))
	EOM
}

# Is this more than make check, which leaves out what takes long and seldom changes?
every_case()
{
	[[ ${LTT_LONG:-}${DEBUG:-} ]] || ! default_kernel
}

# wanted_tests: those of them that are for this kernel, and this run
wanted_tests()
{
	local test needs

	for test in $(listed_tests); do
		needs=$(needs_of "$test")
		[[ ! ${DEBUG:-} || $needs != *DEBUG=0* ]] || continue
		[[ ${DEBUG:-} != kcsan || $needs != *DEBUG=1* ]] || continue
		[[ $needs != *LONG=1* ]] || every_case || continue
		echo "$test"
	done
}

# The machine that test $1 needs, with a default timeout.
needs_of()
{
	local needs

	needs=$(sed -n '1,30s/^[#* /]*LTT-VM: *//p' "$selftests/${1%%[:@]*}" | head -n 1)
	[[ $needs = *TIMEOUT=* ]] || needs="${needs:+$needs }TIMEOUT=300"
	[[ ! ${DEBUG:-} || ${LTT_LONG:-} ]] || needs=${needs/SMP=4/SMP=2}
	echo "$needs"
}

# Each test's lines when its result is there. What a machine took with it is a comment: its
# result is told by boot, or by the next machine.
whole_tests()
{
	awk '{ held = held $0 "\n" }
		/^(not )?ok / { printf "%s", held; fflush(); held = "" }
		END { n = split(held, line, "\n"); for (i = 1; i < n; i++) print "# " line[i] }'
}

# Variables for the tests in the guest, as assignments for its shell.
guest_variables()
{
	local name

	for name in LTT_LONG LTT_CASE FUZZ FUZZ_SEED SOAK SOAK_EVENTS CRASHES; do
		[[ ! ${!name:-} ]] || printf '%s=%q ' "$name" "${!name}"
	done
	[[ ! ${DEBUG:-} ]] || printf 'LTT_PATIENCE=%d ' $slowness
	! every_case || printf 'LTT_ALL_CASES=1 '
}

# Machines that hang or crash are started again: three, in all, as it is the emulator's doing
# once in a while, and may be ours.
may_try_again()
{
	local n

	for n in 1 2 3; do
		! mkdir "$tmp/hung.$n" 2> /dev/null || return 0
	done
	return 1
}

# asks_for free|needy TEST: does the test have selected cases that run in user-mode Linux,
# or cases that need more?
asks_for()
{
	local which=$1 name names

	case $which in
	free)	which= ;;
	needy)	which='--needs [^ ]+ ' ;;
	esac
	if every_case || [[ ${LTT_CASE:-} ]]; then
		which="(--long )?$which"
	fi
	mapfile -t names < <(grep -oP "^\s*run_test $which\"\K[^\"]*" "$selftests/$2")
	for name in "${names[@]}"; do
		# What a variable stands for is not known here.
		[[ $name != *\$* && ! $name =~ ${LTT_CASE:-} ]] || return 0
	done
	return 1
}

# Is there a user-mode Linux for this run?
user_mode_kernel()
{
	case ${DEBUG:-} in
	'')	default_kernel ;;
	kcsan)	false ;;
	*)	[[ ${SERIES:-6.1} = 6.1 ]] ;;
	esac
}

# vehicles TEST[:CASE]: where it runs: uml, qemu, or rest, for those cases in QEMU that
# user-mode Linux cannot run.
vehicles()
{
	local test=${1%:*} case=${LTT_CASE:-} needs

	needs=$(needs_of "$1")
	[[ $1 != *:* ]] || case=${1##*:}
	if [[ ${VEHICLE:-auto} != auto ]]; then
		echo "$VEHICLE"
	elif [[ $needs != *UML=1* ]]; then
		echo qemu
	elif [[ ${DEBUG:-} = kcsan && ! $case && $needs != *RACES=1* && $named != *" $1 "* ]]; then
		! asks_for needy "$test" || echo rest
	elif ! user_mode_kernel; then
		echo qemu
	elif [[ $case && $case != *[!0-9]* ]]; then
		# Which case has that number is not known here.
		if LTT_CASE='' LTT_LONG=1 asks_for needy "$test"; then echo qemu; else echo uml; fi
	else
		! asks_for free "$test" || echo uml
		if [[ ${LTT_LONG:-} ]]; then
			echo qemu
		elif asks_for needy "$test"; then
			echo rest
		fi
	fi
}

# serve DIRECTORY: do what the tests of a virtual machine ask its host to, see host() in their
# lib.sh. They are ours, as is what they ask for. The file ready stays: it is seen here before
# the guest has done creating it.
serve()
{
	local dir status

	PATH=$ltt_root/build/tools:$PATH
	while sleep 0.2; do
		for dir in "$1"/host.*/; do
			[[ -e $dir/ready && ! -e $dir/taken ]] || continue
			touch "$dir/taken"
			status=0
			(cd "$dir" && exec bash ./command > out 2> err < /dev/null) || status=$?
			echo $status > "$dir/status.new"
			mv "$dir/status.new" "$dir/status"
		done
	done
}

# boot VEHICLE NEEDS TEST[@rest]...: run them in one machine, and in further ones as they die.
#
# While the kernel patches its code, processors that QEMU emulates may take the same
# breakpoint for ever, or die of it (see vm/stale.py). So a test gets a second chance, once
# in a run, if all of its machine hung, or QEMU crashed or ran a breakpoint that is gone; the
# log is shown all the same.
boot()
{
	local vehicle=$1 needs=$2 out limit status finished machine=vm variables server test
	shift 2
	variables=$(guest_variables)
	if [[ $vehicle = uml ]]; then
		machine=uml
	else
		variables+="LTT_HOST=/out "
	fi
	while (($#)); do
		out=$(mktemp -d -p "$tmp")
		status=0
		server=
		if [[ -d $tmp/kept.$BASHPID ]]; then
			mv "$tmp/kept.$BASHPID" "$out/kept"
			touch "$out/kept/another"
		fi
		if [[ $machine = vm ]]; then
			serve "$out" &
			server=$!
		fi
		(
			eval "export $needs"
			limit=$TIMEOUT
			[[ ! ${DEBUG:-} ]] || limit=$((TIMEOUT * slowness))
			export OUT=$out LOG=$out/log TIMEOUT=$((limit * $# + 120))
			# A test that is out of time is ended, which makes a line.
			export SILENCE=$((limit + 60))
			"$here/$machine/run" "$variables$here/guest-tests.sh $limit $*" \
				2> "$out/stderr" < /dev/null | whole_tests
		) || status=$?
		[[ ! $server ]] || kill "$server"
		touch "$out/done"
		finished=$(wc -l < "$out/done")
		shift "$finished"
		if (($#)) || { ((status)) && [[ ! -e $out/complained ]]; }; then
			sed 's/^/# /' "$out/stderr"
			if (($#)) && ((status == 98 || status == 96)) && may_try_again; then
				echo "# the virtual machine hung or crashed, running $1 again"
				[[ ! -d $out/kept ]] || mv "$out/kept" "$tmp/kept.$BASHPID"
				rm -rf "$out"
				continue
			fi
			test=${1:-kernel-log}
			echo "not ok ${test%@rest} # the virtual machine exited with status $status"
			(($#)) && shift
		else
			sed -n 's/^ltt-vm:/# &/p' "$out/stderr"
		fi
		rm -rf "$out"
	done
}

# machine_of NEEDS: the machine without what is the test's own business, and without amounts
# of which more will do
machine_of()
{
	sed -E "s/\<(UML|RACES|DEBUG|LONG|TIMEOUT|MEM)=[^ ']+//g; s/ +/ /g; s/^ | $//g" <<< "$1"
}

# most WHAT: the largest WHAT=NUMBER, or WHAT=512M, of standard input
most()
{
	sed -nE "s/.*\<$1=([0-9]+[MG]?).*/\1/p" | sort -h | tail -n 1
}

# one_boot URGENT VEHICLE STEP TEST...: a line with the call of boot for every STEPth of these
# tests, after how urgent it is, and its timeout. The machine gets as much memory and time as
# the one needs that needs most.
one_boot()
{
	local urgent=$1 vehicle=$2 step=$3 i tests=() needs timeout memory
	shift 3

	for ((i = 1; i <= $#; i += step)); do
		tests+=("${!i}")
	done
	needs=$(for test in "${tests[@]}"; do needs_of "$test"; done)
	timeout=$(most TIMEOUT <<< "$needs")
	memory=$(most MEM <<< "$needs")
	needs="$(machine_of "${needs%%$'\n'*}")${memory:+ MEM=$memory} TIMEOUT=$timeout"
	[[ ${tests[*]} != "${checker:-}" ]] || tests=()
	echo "$urgent" "$timeout" boot "$vehicle" "${needs@Q}" "${tests[@]}" "${checker[@]}"
}

# machines together|alone TEST...: the calls of boot that these tests take; of those
# that want nothing beside them, or of the others. What may take long comes first, so that
# no one has to wait for it in the end.
machines()
{
	local which=$1 test needs asked tests i few vehicle key urgent boots machine
	local -A groups=()
	shift

	for test; do
		# Every machine ends with it.
		[[ $test != "${checker:-}" || $# = 1 ]] || continue
		needs=$(needs_of "$test")
		[[ $needs = *ALONE=1* ]] && asked=alone || asked=together
		[[ $asked = "$which" ]] || continue
		urgent=0
		[[ " ${failed[*]} " != *" ${test%:*} "* ]] || urgent=1
		machine=$(machine_of "$needs")
		for vehicle in $(vehicles "$test"); do
			case $vehicle in
			rest)	groups["$urgent qemu $machine"]+=" $test@rest" ;;
			*)	groups["$urgent $vehicle $machine"]+=" $test" ;;
			esac
		done
	done
	for key in "${!groups[@]}"; do
		read -r urgent vehicle needs <<< "$key"
		read -ra tests <<< "${groups[$key]}"
		# Not too many for each, so that there is something to do for every processor.
		few=6
		# One after the other in any case.
		[[ $needs != *BUSY=1* ]] || few=8
		# The scan for leaks at the end costs the same for one test as for four.
		[[ $vehicle != uml ]] || few=$((${#checker[@]} ? 4 : 1))
		[[ $urgent = 0 ]] || few=1
		boots=$(((${#tests[@]} + few - 1) / few))
		for ((i = 0; i < boots; i++)); do
			one_boot "$urgent" "$vehicle" "$boots" "${tests[@]:i}"
		done
	done | sort -k 1,1rn -k 2,2rn | sed 's/^[0-9]* [0-9]* boot/boot/'
}

# Is this the kernel for which the tests run that depend on none?
default_kernel()
{
	[[ $KVER = "$(default_kver)" ]]
}

# What needs no guest, or guests of its own. Each is a test; they do not depend on each other.
static_checks()
{
	if ! default_kernel; then
		stage other-kernel "$here/unit/test_kernels.sh" || true
		return
	fi
	stage checkpatch "$here/checkpatch.sh" || true
	stage shell-syntax shell_syntax || true
	# Most of it is a guest, and builds as in other tests.
	[[ ! ${LTT_LONG:-} ]] || stage ordinary-user "$here/unit/test_user.sh" || true
	stage vm-doctest python3 -m doctest "$here/vm/stale.py" || true
	stage mutants "$here/mutants/run.py" --table || true
}

# What runs in user-mode Linux. Without it all is still tested.
user_mode()
{
	MODULE_TREE=1 "$here/build.sh" "$("$here/uml/kernel" ${DEBUG:+debug})" ARCH=um -s
}

# Does it run here? Not where a process may not trace others, for one.
user_mode_boots()
{
	TIMEOUT=60 "$here/uml/run" true > "$tmp/uml" 2>&1 < /dev/null && return
	sed 's/^/# /' "$tmp/uml"
	if grep -q '^ltt-vm:.*the kernel complained' "$tmp/uml"; then
		echo "not ok user-mode-linux-boots # the kernel complained, see above"
	else
		echo "ok user-mode-linux-boots # SKIP it does not run on this machine, see above"
	fi
	return 1
}

# Does any of these tests run there?
wants_user_mode()
{
	local test

	for test; do
		[[ $(vehicles "$test") != *uml* ]] || return 0
	done
	return 1
}

# The command and its library, built from cached objects.
tools()
{
	LTT_CC_TREE=$ltt_root LTT_CC_NAMES=$(header_names include kernel tools) \
		make -s -j"$(nproc)" tools CC="$here/cached-cc ${CC:-gcc}"
}

programs()
{
	((asked)) || [[ ${DEBUG:-} ]] || stage build-and-sparse fresh_build || true
	stage tools tools &&
		stage modules env MODULE_TREE=1 "$here/build.sh" "$kdir" -s &&
		stage test-programs make -s -C "$selftests" OUTPUT="$ltt_root/build/selftests" all
}

# The full name of selftest $1; nothing if there is none.
selftest_name()
{
	local name start

	for name in "$1" "$1.sh" "test-$1.sh"; do
		[[ $name != */* && $selftest_list = *" $name "* ]] || continue
		[[ -f $selftests/$name && -x $selftests/$name ]] || continue
		IFS= read -r -n 2 start < "$selftests/$name" || continue
		[[ $start = '#!' ]] || continue
		echo "$name"
		return
	done
}

# sort_out TEST...: fill the arrays user, with tests of user space, and tests, of which each
# is asked for as TEST[:CASE].
sort_out()
{
	local known selftest_list name case test
	local -A debug=([kmemleak]=1 [kcsan]=kcsan)

	known=" $(LTT_LONG=1 user_list list-tests | xargs) "
	selftest_list=" $(LTT_LONG=1 listed_tests) "
	for test; do
		name=${test%:*} case=${test#"${test%:*}"}
		[[ ! $case || $case =~ ^:[1-9][0-9]*$ ]] || die "$test: invalid case number"
		[[ ! $case ]] || some=--some
		[[ $name && $name != *[[:space:]]* ]] || die "no such test: '$name'"
		if [[ $known = *" $name "* ]]; then
			user+=("$test")
			continue
		fi
		# The reports of the debug kernels' checkers are tests, too.
		if [[ $name = kmemleak || $name = kcsan ]]; then
			[[ ! $case ]] || die "$test: $name has no cases"
			[[ $name = "${checker:-}" ]] || die "$name: only with DEBUG=${debug[$name]}"
		else
			name=$(selftest_name "$name")
			[[ $name ]] || die "no such test: '${test%:*}'"
		fi
		tests+=("$name$case")
	done
}

everything()
{
	local jobs=() alone=() listed=() guests=() job

	echo 'KTAP version 1'
	if ((!asked)); then
		if [[ ! ${DEBUG:-} ]]; then
			if default_kernel; then
				# All of them.
				jobs=("user_tests tools/testing/ltt")
				mapfile -t guests < <(user_list list-guest-tests | sed 's/^/guest_test /')
				user=()
			fi
			jobs+=(static_checks)
		fi
		mapfile -t listed < <(wanted_tests)
		tests=("${listed[@]}" "${tests[@]}")
	fi
	for job in "${user[@]}"; do
		jobs+=("user_tests tools/testing/ltt $job")
	done
	if ((${#tests[@]})) && programs; then
		if wants_user_mode "${tests[@]}"; then
			{ stage user-mode-linux user_mode && user_mode_boots; } || VEHICLE=qemu
		fi
		mapfile -t -O ${#jobs[@]} jobs < <(machines together "${tests[@]}")
		jobs+=("${guests[@]}")
		mapfile -t alone < <(machines alone "${tests[@]}")
	fi
	side_by_side "${jobs[@]}"
	for job in "${alone[@]}"; do
		job "$job"
	done
}

# A Ctrl-C does not reach what runs in the background.
trap 'trap - TERM; kill 0' INT

failed_list=$ltt_root/build/check-failed
mkdir -p "${failed_list%/*}"
touch "$failed_list"
mapfile -t failed < "$failed_list"

# How many times as long tests wait on the debug kernels, whose checkers take their time.
slowness=4
# The final report of the kernel's own checkers.
case ${DEBUG:-} in
'')	checker=() ;;
kcsan)	checker=(kcsan) ;;
*)	checker=(kmemleak) ;;
esac
user=() tests=() asked=$# some=
[[ ! ${LTT_CASE:-} ]] || some=--some
read -ra with <<< "${WITH:-}"
((asked)) || set -- "${with[@]}"
sort_out "$@"
named=" ${tests[*]} "
[[ ! ${KVER:-} ]] || KVER=$(kernel_release "$KVER")
"$here/debian/setup.sh" ${KVER:+"$KVER"}
[[ ${DEBUG:-} != kcsan || ${VEHICLE:-} != uml ]] || die "user-mode Linux has no KCSAN"
if [[ ${DEBUG:-} ]]; then
	kdir=$("$here/vm/debug-kernel")
else
	KVER=${KVER:-$(default_kver)}
	export KVER
	kdir=$(kernel_headers "$KVER")
fi
timed 'in all' everything | numbered | "$here/ktap-sum" $some
