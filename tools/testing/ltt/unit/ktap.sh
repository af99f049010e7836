# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# KTAP of the user-space tests that are shell scripts, which source this. They print the
# first line and the plan, and exit with $failed.

number=0
failed=0

# run_test WHAT COMMAND...: what the command prints says why it fails. With LTT_CASE, only the
# one of that number.
run_test()
{
	local what=$1 output

	shift
	number=$((number + 1))
	if [[ ${LTT_CASE:-$number} != "$number" ]]; then
		echo "ok $number $what # SKIP not asked for"
		return
	fi
	if output=$("$@" 2>&1); then
		echo "ok $number $what"
	else
		head -n 20 <<< "$output" | sed 's/^/# /'
		echo "not ok $number $what"
		failed=1
	fi
}
