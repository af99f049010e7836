# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# KTAP of the user-space tests that are shell scripts, which source this. They print the
# first line and the plan, and exit with $failed.

# shellcheck source=../../selftests/ltt/lib/case.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../selftests/ltt/lib/case.sh"

number=0
failed=0

# set_up COMMAND...: what all cases need. No case runs if it fails.
set_up()
{
	local output

	output=$("$@" 2>&1) && return
	shorten <<< "$output" | sed 's/^/# /'
	echo "Bail out! $*: failed"
	exit 1
}

# The beginning and the end of what is long: why a guest failed comes after its log.
shorten()
{
	awk '{ line[NR] = $0 } END { for (i = 1; i <= NR; i++) {
		if (i <= 20 || i > NR - 20) print line[i]; else if (i == 21) print "[...]" } }'
}

# run_test [--long] WHAT COMMAND...: the command's output says why it fails. --long: see too_long.
run_test()
{
	local what long='' output

	! too_long "$1" || long=1
	[ "$1" != --long ] || shift
	what=$1
	shift
	number=$((number + 1))
	! case_skipped $number "$what" "$long" || return 0
	if output=$("$@" 2>&1); then
		echo "ok $number $what"
	else
		shorten <<< "$output" | sed 's/^/# /'
		echo "not ok $number $what"
		failed=1
	fi
}

# expect STATUS TEXT COMMAND...: this status, and TEXT on standard error. Leaves $tmp/out and
# $tmp/err.
# shellcheck disable=SC2154 # tmp is the script's
expect()
{
	local want=$1 text=$2 status=0
	shift 2
	"$@" > "$tmp/out" 2> "$tmp/err" || status=$?
	[ "$status" = "$want" ] || { echo "status $status: $*"; cat "$tmp/err"; return 1; }
	grep -qF -- "$text" "$tmp/err" || { echo "no '$text': $*"; cat "$tmp/err"; return 1; }
}

# emulated COMMAND...: once more if its emulator has hung or crashed, see vm/run; as check.sh does
emulated()
{
	local status=0

	"$@" || status=$?
	case $status in
	96 | 98)	echo "# again: the emulator hung or crashed"; "$@" ;;
	*)		return $status ;;
	esac
}
