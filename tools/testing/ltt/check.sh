#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: check.sh [TEST...]
#
# All tests as one KTAP stream, and a last line that counts them: the build
# without a warning, sparse, checkpatch, the user-space tests, and the selftests
# in virtual machines. With names of selftests, only those.
#
# DEBUG=1: the selftests alone, on the debug kernel.
#
# A selftest may ask for its machine in a line near its top,
#	# LTT-VM: SMP=2 MEM=1G TIMEOUT=120 APPEND='nohz_full=1'
# where TIMEOUT is the test's own, in seconds. Those with equal lines share one
# boot. If one takes the kernel down, the rest go on in a new one.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
here=$ltt_root/tools/testing/ltt
selftests=$ltt_root/tools/testing/selftests/ltt
cd "$ltt_root"

number=0
hangs=0

# stage NAME COMMAND...: a test of ours, whose output is shown when it fails.
stage()
{
	local name=$1 log status=0
	shift
	number=$((number + 1))
	log=$(mktemp)
	if "$@" > "$log" 2>&1 < /dev/null; then
		echo "ok $number $name"
	else
		grep -vE '^  (CC|CHECK|LD|MODPOST|BTF)' "$log" | sed 's/^/# /'
		echo "not ok $number $name"
		status=1
	fi
	rm "$log"
	return $status
}

# Fail on the first word of a warning, too.
without_warning()
{
	local output

	output=$("$@" 2>&1) || { echo "$output"; return 1; }
	! grep -E 'warning:|WARNING:|error:' <<< "$output"
}

# Only a build from nothing shows every warning.
fresh_build()
{
	rm -rf "$ltt_root/build/check"
	without_warning env BUILD_DIR="$ltt_root/build/check" "$here/build.sh" "$kdir" W=1
}

sparse_build()
{
	without_warning env BUILD_DIR="$ltt_root/build/check" "$here/build.sh" "$kdir" W=1 C=2
}

# user_tests NAME DIRECTORY: a make check that prints KTAP.
user_tests()
{
	local status=0

	number=$((number + 1))
	make -s -j"$(nproc)" -C "$1" check 2>&1 < /dev/null | sed -u 's/^/  /' || status=$?
	if ((status)); then echo "not ok $number $1"; else echo "ok $number $1"; fi
}

# The tests that the selftests' makefile lists.
listed_tests()
{
	make -s --no-print-directory -C "$selftests" -f - ltt-list <<-'EOM'
		include Makefile
		ltt-list: ; @echo $(TEST_PROGS)
	EOM
}

# What test $1 asks for; a default timeout.
needs_of()
{
	local needs

	needs=$(sed -n '1,30s/^[#* /]*LTT-VM: *//p' "$selftests/$1" | head -n 1)
	[[ $needs = *TIMEOUT=* ]] || needs="${needs:+$needs }TIMEOUT=300"
	echo "$needs"
}

# boot NEEDS TEST...: run them in one machine, and in further ones as they die.
#
# While the kernel patches its code, processors that an old QEMU emulates may take the
# same breakpoint for ever (see vm/qemu). So a test gets a second chance, once in a run,
# if all of its machine hung; the log is shown all the same.
boot()
{
	local needs=$1 out limit status finished
	shift
	while (($#)); do
		out=$(mktemp -d)
		status=0
		(
			eval "export $needs"
			# The checkers of the debug kernel take their time.
			limit=$TIMEOUT
			[[ ! ${DEBUG:-} ]] || limit=$((TIMEOUT * 4))
			export OUT=$out LOG=$out/log TIMEOUT=$((limit * $# + 120))
			# A test that is out of time is ended, which makes a line.
			export SILENCE=$((limit + 60))
			"$here/vm/run" "$here/guest-tests.sh $((number + 1)) $limit $*" \
				2> "$out/stderr" < /dev/null
		) || status=$?
		touch "$out/done"
		finished=$(wc -l < "$out/done")
		number=$((number + finished))
		shift "$finished"
		if (($#)) || { ((status)) && [[ ! -e $out/complained ]]; }; then
			sed 's/^/# /' "$out/stderr"
			if (($#)) && ((status == 98 && !hangs++)); then
				echo "# the machine hung, $1 once more"
				rm -rf "$out"
				continue
			fi
			number=$((number + 1))
			echo "not ok $number ${1:-kernel-log} # the machine ended with status $status"
			(($#)) && shift
		fi
		rm -rf "$out"
	done
}

guests()
{
	local test needs
	local -A groups=()

	for test; do
		needs=$(needs_of "$test")
		groups[$needs]+=" $test"
	done
	for needs in "${!groups[@]}"; do
		# shellcheck disable=SC2086 # a list of names
		boot "$needs" ${groups[$needs]} ${DEBUG:+kmemleak}
	done
}

# What needs no guest. Each is a test; they do not depend on each other.
static_checks()
{
	stage build fresh_build || true
	stage sparse sparse_build || true
	stage checkpatch "$here/checkpatch.sh" || true
	stage shell-syntax bash -n "$here"/*.sh "$selftests"/*.sh || true
	[[ ! -f $here/Makefile ]] || user_tests tools/testing/ltt
}

everything()
{
	local tests=("$@")

	echo 'KTAP version 1'
	[[ ${DEBUG:-} ]] || (($#)) || static_checks
	if stage modules env MODULE_TREE=1 "$here/build.sh" "$kdir" -s &&
	   stage tools make -s tools &&
	   stage test-programs make -s -C "$selftests" OUTPUT="$ltt_root/build/selftests" all; then
		(($#)) || read -ra tests <<< "$(listed_tests)"
		guests "${tests[@]}"
	fi
	echo "1..$number"
}

"$here/setup.sh" ${KVER:+"$KVER"}
if [[ ${DEBUG:-} ]]; then
	kdir=$("$here/vm/debug-kernel")
else
	KVER=${KVER:-$(default_kver)}
	export KVER
	kdir=/lib/modules/$KVER/build
fi
everything "$@" | "$here/ktap-sum"
