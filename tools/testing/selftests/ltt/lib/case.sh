# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Which cases of a test run, and how much of them; also for the tests of user space.

# case_wanted NUMBER "description": LTT_CASE is a number, or a regular expression for
# descriptions.
case_wanted()
{
	[[ ! ${LTT_CASE:-} || $LTT_CASE = "$1" || $LTT_CASE = *[!0-9]* && $2 =~ $LTT_CASE ]]
}

# case_skipped NUMBER "description" LONG: prints the result of a case that does not run, as it is not
# asked for or, with LONG, takes too long; fails if it is to run
case_skipped()
{
	local why

	if ! case_wanted "$1" "$2"; then
		why="not asked for"
	elif [[ $3 ]]; then
		why="takes long: set LTT_LONG"
	else
		return 1
	fi
	echo "ok $1 $2 # SKIP $why"
}

# amount SHORT LONG: how much of something slow to do: SHORT, or LONG in `make check-long`,
# which sets LTT_LONG.
amount()
{
	if [[ ${LTT_LONG:-} ]]; then echo "$2"; else echo "$1"; fi
}

# too_long OPTION: is it --long, and this a short run? Cases that take long run in `make check-long`,
# on other kernels (LTT_ALL_CASES), and where they are asked for.
too_long()
{
	[[ $1 = --long && ! ${LTT_LONG:-}${LTT_ALL_CASES:-}${LTT_CASE:-} ]]
}
