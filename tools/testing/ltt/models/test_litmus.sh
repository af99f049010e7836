#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: test_litmus.sh BUILD-DIRECTORY
#
# The litmus tests: labels, the kernel's memory model, threads under ThreadSanitizer,
# threads at their own speed.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1/models
number=0
status=0

# part WHAT COMMAND...: it prints KTAP.
part()
{
	local what=$1
	shift
	number=$((number + 1))
	if "$@" 2> "$build/stderr" | sed 's/^/  /'; then
		echo "ok $number $what"
	else
		sed 's/^/# /' "$build/stderr" | tail -n 100
		echo "not ok $number $what"
		status=1
	fi
}

mkdir -p "$build"
echo 'KTAP version 1'
echo '1..4'
part 'labels' "$here/labels.sh"
part "the kernel's memory model" "$here/lkmm.py" "$here"/litmus/*.litmus
# The sanitizer wants its memory where it expects it.
part 'ThreadSanitizer' setarch -R "$1/litmus_tsan"
part 'threads' "$1/litmus_threads"
exit $status
