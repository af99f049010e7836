#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A test, as kselftest has them, that looks at what the kernel does: a shell that sends itself a
# signal gets it, and nobody sends it another one.

# In LTT's tree, or as installed by make install or the package.
for lib in "$(dirname "$0")/../../tools/testing/selftests/ltt/lib" /usr/local/share/ltt /usr/share/ltt; do
	[ ! -e "$lib/expect.sh" ] || break
done
. "$lib/expect.sh"

fail()
{
	echo "not ok 1 signals"
	exit 1
}

echo 1..1
ltt_begin -c pid 'signal.*' || exit
trap ltt_end EXIT

sh -c 'trap : USR1; kill -USR1 $$' &
pid=$!
wait $pid

ltt_expect signal.signal_generate "sig == 10 && pid == $pid" || fail
ltt_expect signal.signal_deliver "sig == 10 && \$pid == $pid" within 2s || fail
ltt_expect_no signal.signal_generate "sig == 12 && pid == $pid" || fail
echo "ok 1 signals"
