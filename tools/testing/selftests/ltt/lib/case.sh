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

# amount SHORT LONG: how much of something slow to do: SHORT, or LONG in `make check-long`,
# which sets LTT_LONG.
amount()
{
	if [[ ${LTT_LONG:-} ]]; then echo "$2"; else echo "$1"; fi
}

# too_long OPTION: is it --long, and this a short run? Cases that take long run in `make check-long`,
# and where they are asked for.
too_long()
{
	[[ $1 = --long && ! ${LTT_LONG:-}${LTT_CASE:-} ]]
}
