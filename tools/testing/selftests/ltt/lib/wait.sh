# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Waiting for a condition; also for guests of the tests of user space.

# Nothing is ever written there.
exec {nothing}<> <(:)

# nap SECONDS: sleep, without a process for it
nap()
{
	read -rt "$1" -u "$nothing" || true
}

# wait_for SECONDS COMMAND...: until the command succeeds; LTT_PATIENCE times as long where all is slow
wait_for()
{
	local end=$((SECONDS + $1 * ${LTT_PATIENCE:-1}))

	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		nap 0.1
	done
}
