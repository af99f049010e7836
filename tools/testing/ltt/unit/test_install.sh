#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: test_install.sh
#
# What `make install` of the tools puts where, and that systemd understands the unit.
# shellcheck disable=SC2317 # tests are called by name
set -uo pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
top=$(cd "$here/../../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# shellcheck source=ktap.sh
. "$here/unit/ktap.sh"

install_tools()
{
	make -s -C "$top/tools/ltt" install OUTPUT="$tmp/build" DESTDIR="$tmp/root" INITRAMFS= "$@"
}

files()
{
	(cd "$tmp/root" && find . -type f -printf '%m %P\n' | sort)
}

places()
{
	install_tools || return
	diff - <(files) <<-'EOM' || return
		644 usr/local/include/libltt.h
		644 usr/local/lib/libltt.a
		644 usr/local/lib/systemd/system/ltt-flight@.service
		644 usr/local/share/doc/ltt/flight.conf
		755 usr/local/bin/ltt
	EOM
	[[ -d $tmp/root/etc/ltt/flight.d ]] || return
	# What is there is the administrator's.
	echo mine > "$tmp/root/etc/ltt/flight.d/mine.conf"
	install_tools && [[ $(cat "$tmp/root/etc/ltt/flight.d"/*) = mine ]]
}

elsewhere()
{
	rm -rf "$tmp/root"
	install_tools PREFIX=/usr UNITDIR=/lib/systemd/system || return
	grep -qx 'ExecStart=/usr/bin/ltt flight --stay --config /etc/ltt/flight.d/%i.conf %i' \
		"$tmp/root/lib/systemd/system/ltt-flight@.service"
}

unit()
{
	local file=$tmp/ltt-flight@.service output

	# The program is not where it will be.
	sed "s,^ExecStart=,&$tmp/root," "$tmp/root/lib/systemd/system/ltt-flight@.service" > "$file"
	grep -q "^ExecStart=$tmp/root/usr/bin/ltt" "$file" || return
	output=$(systemd-analyze verify "$file" 2>&1) && [[ ! $output ]] || { echo "$output"; return 1; }
}

# Its options are right: what is missing is the tracer.
example()
{
	local output status=0

	output=$(LTT_ROOT=$tmp/none "$tmp/build/ltt" flight \
		 --config "$tmp/root/usr/share/doc/ltt/flight.conf" name 2>&1) || status=$?
	echo "$status: $output"
	((status == 1)) && [[ $output = *"$tmp/none: No such file"* ]] || return
	# With what is in comments, too.
	sed 's/^#\([a-z-]* = \)/\1/' "$tmp/root/usr/share/doc/ltt/flight.conf" > "$tmp/all.conf"
	grep -q '^before = ' "$tmp/all.conf" || return
	LTT_ROOT=$tmp/none "$tmp/build/ltt" flight --config "$tmp/all.conf" name || status=$?
	((status == 1))
}

echo "KTAP version 1"
run_test "files, and nothing of others" places
run_test "other places" elsewhere
if command -v systemd-analyze > /dev/null; then
	run_test "the unit of the flight recorder" unit
else
	number=$((number + 1))
	echo "ok $number the unit of the flight recorder # SKIP needs systemd-analyze"
fi
run_test "the example of its options" example
echo "1..$number"
exit $failed
