# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# A trace of LTTng-UST. To be sourced; $tmp is a directory that is removed at the end.

# as COMMAND...: the session daemon is our own, and root may have another one; in a shell of its own
as()
{
	if [ "$(id -u)" = 0 ]; then
		exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	fi
	exec "$@"
}

# shellcheck disable=SC2154 # tmp is the caller's
session()
{
	local dir=$1

	shift
	until (as lttng list); do
		kill -0 "$sessiond" || { cat "$tmp/sessiond.log"; return 1; }
		sleep 0.1
	done
	(as lttng create test --output="$dir") &&
	(as lttng enable-channel -u --blocking-timeout=inf --subbuf-size 1M --num-subbuf 4 ch) &&
	(as lttng enable-event -u -c ch 'foreign:*') &&
	(as lttng add-context -u -c ch -t vtid -t procname) &&
	(as lttng start) && (as "$tmp/app" "$@") && (as lttng destroy)
}

# record_foreign DIR NUMBER [kernel]: run foreign_app with these arguments, and print the directory
# of the trace
record_foreign()
{
	local sessiond unit status=0

	unit=$(dirname "${BASH_SOURCE[0]}")
	export LTTNG_HOME=$tmp/lttng HOME=$tmp/lttng LTTNG_UST_REGISTER_TIMEOUT=-1 LTTNG_UST_ALLOW_BLOCKING=1 \
		LTTNG_APP_SOCKET_TIMEOUT=-1
	mkdir -p "$LTTNG_HOME" "$1" &&
	gcc -O2 -I"$unit" -o "$tmp/app" "$unit/foreign_app.c" -llttng-ust -ldl || return
	if [ "$(id -u)" = 0 ]; then
		chmod 755 "$tmp" && chown 65534:65534 "$LTTNG_HOME" "$1" || return
	fi
	# Its process, not that of a shell around it.
	(as lttng-sessiond --no-kernel) > "$tmp/sessiond.log" 2>&1 &
	sessiond=$!
	session "$@" > "$tmp/lttng.log" 2>&1 || status=$?
	kill "$sessiond"
	wait "$sessiond"
	((status == 0)) || { cat "$tmp/lttng.log"; return 1; }
	dirname "$(find "$1" -name metadata)"
}
