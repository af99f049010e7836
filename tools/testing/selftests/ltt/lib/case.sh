# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Which cases of a test run; also for the tests of user space.

# case_wanted NUMBER "description": LTT_CASE is a number, or a regular expression for
# descriptions.
case_wanted()
{
	[[ ! ${LTT_CASE:-} || $LTT_CASE = "$1" || $LTT_CASE = *[!0-9]* && $2 =~ $LTT_CASE ]]
}
