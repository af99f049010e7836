#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: test_user.sh
#
# README's two commands work for an ordinary user, who has no /usr/sbin in PATH, on a
# machine where the packages are installed: `make demo`, and `make check` for a test of
# user space and a selftest. In a copy of this tree, with a copy of what the cache has of
# Debian's packages; the rest of it is made anew.
set -euo pipefail
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

shopt -s nullglob
tmp=$(mktemp -d -p /var/tmp)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp"/{tree,cache,home}
tar -C "$ltt_root" --exclude=./build --exclude=./.git -c . | tar -C "$tmp/tree" -x

# Nothing is written to these. Links, where the cache is on the same file system.
for what in "$ltt_cache"/linux-image-"$(default_kver)" "$ltt_cache"/qemu; do
	[[ ! -d $what ]] || cp -al "$what" "$tmp/cache" 2> /dev/null || cp -a "$what" "$tmp/cache"
done
for what in "$ltt_cache"/bridge-* "$ltt_cache"/accel; do
	[[ ! -e $what ]] || cp -r "$what" "$tmp/cache"
done

as_user=()
if ((EUID == 0)); then
	# Not what may be a link.
	chown -R 65534:65534 "$tmp"/{tree,home} "$tmp"/cache/bridge-*
	chown 65534:65534 "$tmp" "$tmp/cache"
	as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi

# What Debian's /etc/profile gives to users.
user_make()
{
	"${as_user[@]}" env -i PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games \
		HOME="$tmp/home" LTT_CACHE="$tmp/cache" TMPDIR="$tmp" \
		make -s -C "$tmp/tree" "$@" < /dev/null
}

user_make demo DURATION=1 > "$tmp/demo"
grep -q '^[0-9.]* \[00[0-9]\] sched\.' "$tmp/demo" || { head "$tmp/demo"; die "make demo showed no events"; }
# User-mode Linux would have to be built first: its tree knows where in the cache it is.
user_make check VEHICLE=qemu T='test_format:1 types:1' > "$tmp/check" || true
tail -n 1 "$tmp/check" | grep -qE '^[1-9][0-9]* passed, 0 failed, ' ||
	{ cat "$tmp/check"; die "make check failed"; }
