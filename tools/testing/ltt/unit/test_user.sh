#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: test_user.sh
#
# README's two commands work for an ordinary user, who has no /usr/sbin in PATH, on a
# machine where the packages are installed: `make demo`, and `make check` for a test of
# user space and a selftest. In a copy of this tree, with a copy of what the cache has of
# Debian's packages; the rest of it is made anew. For root, the copy takes the tree's place in
# a mount namespace, with the objects that are there, which are linked again: compiling them
# would take a minute or two.
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

as_user=() tree=$tmp/tree in_tree=()
if ((EUID == 0)); then
	as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	build=build/$(default_kver)
	# A user may not get to root's files.
	if [[ -d $ltt_root/$build ]] && "${as_user[@]}" test -x "$ltt_root" &&
	   unshare --mount true 2> /dev/null; then
		mkdir "$tmp/tree/build"
		cp -a "$ltt_root/$build" "$tmp/tree/build"
		rm -rf "$tmp/tree/$build/root"
		find "$tmp/tree/$build" \( -name '*.ko' -o -name '*.mod' -o -name '*.mod.*' \) -delete
		for what in build/tools/{obj,pic,static}; do
			mkdir -p "$tmp/tree/build/tools"
			[[ ! -d $ltt_root/$what ]] || cp -a "$ltt_root/$what" "$tmp/tree/build/tools"
		done
		tree=$ltt_root
		in_tree=(unshare --mount sh -c 'mount --bind "$0" "$1" && shift && exec "$@"'
			"$tmp/tree" "$tree")
	fi
	# Not what may be a link.
	chown -R 65534:65534 "$tmp"/{tree,home} "$tmp"/cache/bridge-*
	chown 65534:65534 "$tmp" "$tmp/cache"
fi

# What Debian's /etc/profile gives to users.
user_make()
{
	"${in_tree[@]}" "${as_user[@]}" env -i HOME="$tmp/home" LTT_CACHE="$tmp/cache" TMPDIR="$tmp" \
		PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games \
		make -s -C "$tree" "$@" < /dev/null
}

user_make demo DURATION=1 > "$tmp/demo"
grep -q '^[0-9.]* \[00[0-9]\] sched\.' "$tmp/demo" || { head "$tmp/demo"; die "make demo showed no events"; }
# User-mode Linux would have to be built first: its tree knows where in the cache it is.
user_make check VEHICLE=qemu T='test_format:1 types:1' > "$tmp/check" || true
tail -n 1 "$tmp/check" | grep -qE '^[1-9][0-9]* passed, 0 failed, ' ||
	{ cat "$tmp/check"; die "make check failed"; }
