#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: kselftest.sh [TEST...]
#
# The selftests as those have them who build a kernel with LTT in it: laid over the kernel's
# kselftest, packed by its makefile, unpacked, and run by its run_kselftest.sh, in a kernel in which
# no module is loaded. Prints KTAP. Each test passes or says why it is skipped; nothing is left
# behind; and where somebody uses LTT, `make run_tests` skips all, and his trace goes on.
#
# In user-mode Linux, or with VEHICLE=qemu in QEMU, which takes an hour.
set -euo pipefail
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

here=$ltt_root/tools/testing/ltt
vehicle=${VEHICLE:-uml}
out=$ltt_root/build/kselftest-$vehicle
tree=$out/linux
installed=$out/installed

# What kselftest needs of a kernel's source, and what tree.py changes.
files()
{
	(cd "$here/intree" &&
	 PYTHONDONTWRITEBYTECODE=1 python3 -c 'import tree; print("Makefile", *tree.EDITS, sep="\n")')
	printf '%s\n' tools/testing/selftests/*.{sh,mk,h} tools/testing/selftests/kselftest scripts/subarch.include
}

install()
{
	local source packed=$out/packed

	source=$("$here/debian/source" 6.1)
	rm -rf "$out"
	mkdir -p "$tree"
	(cd "$source" && files | xargs cp -r --parents -t "$tree")
	PYTHONDONTWRITEBYTECODE=1 "$here/intree/tree.py" "$tree"
	make -s -C "$tree/tools/testing/selftests" TARGETS=ltt "O=$out/obj" "INSTALL_PATH=$packed" gen_tar
	mkdir "$installed"
	tar -C "$installed" -xf "$packed/kselftest-packages"/*.tar.*
}

# results LOG: a line of KTAP for each test, after what it has printed if it fails. What is skipped
# must say why.
results()
{
	awk '
		/^# # *1\.\.0 # SKIP |^# 1\.\.0 # SKIP / { why = $0; sub(/.*# SKIP /, "", why) }
		/^# / { said = said $0 "\n" }
		/^(not )?ok [0-9]+ selftests: ltt: / {
			name = $0
			sub(/^(not )?ok [0-9]+ selftests: ltt: /, "", name)
			rest = name
			sub(/ .*/, "", name)
			sub(/^[^ ]* ?/, "", rest)
			if (/^not /)
				printf "%snot ok %d %s %s\n", said, ++n, name, rest
			else if (rest !~ /SKIP/)
				printf "ok %d %s\n", ++n, name
			else if (why)
				printf "ok %d %s # SKIP %s\n", ++n, name, why
			else
				printf "not ok %d %s # skipped, and nobody knows why\n", ++n, name
			why = said = ""
		}' "$1"
}

# Cases about the machine, after those of the tests.
number=0
failed=0
report()
{
	local what=$1
	shift

	number=$((number + 1))
	if "$@" > "$out/said"; then
		echo "ok $number $what"
	else
		sed 's/^/# /' "$out/said"
		echo "not ok $number $what"
		failed=1
	fi
}

# As many as the makefile lists.
all_ran()
{
	local listed results

	listed=$(wc -l < "$installed/kselftest-list.txt")
	(($# == 0)) || listed=$#
	results=$(grep -cE '^(not )?ok ' "$out/results") || true
	echo "$listed tests, $results results"
	((listed == results))
}

# The trace has seen each test start.
recorded()
{
	local executed

	! grep '^# lost' "$out/out/text" || return
	executed=$(grep -c 'sched_process_exec: filename ./test-' "$out/out/text") || true
	echo "$executed tests were executed"
	((executed == $(wc -l < "$out/beside")))
}

# The command, and the modules for the kernel that is booted.
modules()
{
	local kdir args=()

	case $vehicle in
	uml)	kdir=$("$here/uml/kernel") && args=(ARCH=um) ;;
	qemu)	kdir=$(kernel_headers "${KVER:=$(default_kver)}") && export KVER ;;
	*)	die "unknown vehicle: $vehicle" ;;
	esac && make -s -C "$ltt_root" tools && MODULE_TREE=1 "$here/build.sh" "$kdir" "${args[@]}" -s
}

boot()
{
	local machine=uml

	[[ $vehicle = uml ]] || machine=vm
	LTT_LOAD='' OUT=$out/out LOG=$out/log MEM=4G TIMEOUT=14400 "$here/$machine/run" "$@"
}

all_skipped()
{
	[[ -s $out/beside ]] &&
		! grep -v ' # SKIP LTT is in use, destroy trace somebodys first$' "$out/beside"
}

"$here/debian/setup.sh"
{ modules && install; } >&2
mkdir "$out/out"
status=0
boot "$here/intree/kselftest-guest.sh $out $*" > "$out/console" 2>&1 || status=$?
echo "KTAP version 1"
if [[ ! -e $out/out/done ]]; then
	tail -n 40 "$out/console" | sed 's/^/# /'
	echo "Bail out! $vehicle ended with status $status"
	exit 1
fi
results "$out/out/results" | tee "$out/results"
number=$(grep -cE '^(not )?ok ' "$out/results") || true
! grep -q '^not ok' "$out/results" || failed=1
results "$out/out/beside" | grep -E '^(not )?ok ' > "$out/beside" || true
report "all have run" all_ran "$@"
report "nothing is left behind" diff "$out/out/before" "$out/out/after"
report "where LTT is in use, all are skipped" all_skipped
report "and nothing changes there" diff "$out/out/trace-before" "$out/out/trace-after"
report "and nothing is lost" recorded
report "the kernel has no complaints" test "$status" = 0
echo "1..$number"
exit $failed
