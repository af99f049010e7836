#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: test_tree.sh
#
# LTT is laid over the source of a kernel, and put into patches: what others have made stays, the
# kernel's own files get each line once, and the patches give the same tree. Of the kernel, only the
# files that are changed are looked at.
# shellcheck disable=SC2317 # tests are called by name
set -uo pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../lib.sh
. "$here/lib.sh"
set +e
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# shellcheck source=ktap.sh
. "$here/unit/ktap.sh"

tree=$here/intree/tree.py
export PYTHONDONTWRITEBYTECODE=1

# What is changed of the kernel.
changed()
{
	(cd "$here/intree" && python3 -c 'import tree; print("Makefile", *tree.EDITS, sep="\n")')
}

kernel()
{
	local source

	source=$("$here/debian/source" 6.1) || return
	mkdir "$tmp/kernel"
	(cd "$source" && changed | xargs cp --parents -t "$tmp/kernel")
}

# fresh: the kernel without LTT, in $tmp/linux
fresh()
{
	rm -rf "$tmp/linux"
	cp -r "$tmp/kernel" "$tmp/linux"
}

# same A B: two trees
same()
{
	diff -r --no-dereference -x .git "$1" "$2" | head
	diff -rq --no-dereference -x .git "$1" "$2" > /dev/null
}

laid()
{
	local file

	fresh
	"$tree" "$tmp/linux" || return
	[[ -f $tmp/linux/kernel/trace/Kconfig.ltt && -x $tmp/linux/tools/testing/selftests/ltt/test-ctf.sh ]] || return
	[[ ! -e $tmp/linux/tools/testing/ltt && ! -e $tmp/linux/README.md ]] || return
	# Of the kernel's own, nothing is gone, and little is new.
	while read -r file; do
		diff "$tmp/kernel/$file" "$tmp/linux/$file" > "$tmp/diff"
		if grep '^<' "$tmp/diff"; then echo "$file: lines are gone"; return 1; fi
		[[ $file = Makefile || -s $tmp/diff ]] || { echo "$file: as before"; return 1; }
		(($(wc -l < "$tmp/diff") <= 20)) || { echo "$file"; cat "$tmp/diff"; return 1; }
	done < <(changed)
	cp -r "$tmp/linux" "$tmp/once"
	"$tree" "$tmp/linux" && same "$tmp/once" "$tmp/linux"
}

# Entries and rows are where the alphabet, or the number, wants them.
in_order()
{
	grep -B 1 -A 1 '^TARGETS += ltt$' "$tmp/once/tools/testing/selftests/Makefile" |
		LC_ALL=C sort -c || return
	grep -oE '^0x[0-9A-F]{2} ' "$tmp/once/Documentation/userspace-api/ioctl/ioctl-number.rst" |
		grep -B 1 -A 1 0xF7 | sort -c || return
	awk '/^$/ { blank = 1; next } blank && /^L[A-Z]* / { print $1 } { blank = 0 }' \
		"$tmp/once/MAINTAINERS" | grep -B 1 -A 1 '^LTT$' | LC_ALL=C sort -c
}

# An older LTT is there: what is gone goes, what is old is replaced.
newer()
{
	local old=$tmp/linux/kernel/trace/ltt-core

	fresh
	"$tree" "$tmp/linux" || return
	echo old > "$old/main.c"
	echo gone > "$old/gone.c"
	for file in main.c gone.c; do
		sed -i "\|  kernel/trace/ltt-core/$file\$|d" "$tmp/linux/.ltt-tree"
		(cd "$tmp/linux" && sha256sum "kernel/trace/ltt-core/$file") >> "$tmp/linux/.ltt-tree"
	done
	"$tree" "$tmp/linux" && same "$tmp/once" "$tmp/linux"
}

# refused TEXT DIRECTORY: nothing is changed
refused()
{
	cp -a "$2" "$tmp/before"
	expect 1 "$1" "$tree" "$2" && same "$tmp/before" "$2"
	local status=$?
	rm -rf "$tmp/before"
	return "$status"
}

others()
{
	fresh
	mkdir -p "$tmp/linux/kernel/trace/ltt-core"
	echo mine > "$tmp/linux/kernel/trace/ltt-core/main.c"
	refused 'kernel/trace/ltt-core/main.c exists already, and is not ours' "$tmp/linux" || return
	rm -r "$tmp/linux/kernel/trace/ltt-core"
	mkdir -p "$tmp/linux/tools/ltt"
	ln -s /etc/passwd "$tmp/linux/tools/ltt/Makefile"
	refused 'tools/ltt/Makefile is not a file' "$tmp/linux" || return
	fresh
	"$tree" "$tmp/linux" || return
	echo mine >> "$tmp/linux/include/linux/ltt/marker.h"
	refused 'include/linux/ltt/marker.h has been changed since it was copied' "$tmp/linux" || return
	fresh
	: > "$tmp/linux/MAINTAINERS"
	refused 'MAINTAINERS: no entries' "$tmp/linux" || return
	rm "$tmp/linux/samples/Makefile"
	refused 'samples/Makefile: No such file' "$tmp/linux" || return
	mkdir "$tmp/empty"
	refused 'Makefile' "$tmp/empty" || return
	echo 'all:' > "$tmp/empty/Makefile"
	refused "is not a kernel's source" "$tmp/empty"
}

# Killed at any time, it is completed the next time.
killed()
{
	local n last runs=0

	# Each file that is copied is renamed once, and then each of the kernel's that is changed.
	last=$(cd "$here/intree" && python3 -c 'import tree; print(len(tree.sources()) + len(tree.EDITS))') || return
	for n in 1 100 $(amount '' "2 $((last - 8)) $((last - 5))") $((last - 7)) $((last - 6)) $last; do
		fresh
		strace -f -o /dev/null -e trace=rename -e "inject=rename:signal=KILL:when=$n" \
			"$tree" "$tmp/linux" > /dev/null 2>&1 && continue
		runs=$((runs + 1))
		"$tree" "$tmp/linux" > /dev/null || return
		find "$tmp/linux" -name '*.ltt-new' -delete
		same "$tmp/once" "$tmp/linux" || { echo "killed at $n"; return 1; }
	done
	((runs >= 5)) || { echo "killed $runs times"; return 1; }
}

patches()
{
	"$here/intree/series.py" "$tmp/kernel" "$tmp/series" || return
	fresh
	git -C "$tmp/linux" init -q
	git -C "$tmp/linux" add -A
	git -C "$tmp/linux" -c user.name=a -c user.email=a commit -qm kernel
	git -C "$tmp/linux" -c user.name=a -c user.email=a am -q "$tmp"/series/00*[1-9]-*.patch \
		"$tmp"/series/0010-*.patch 2>&1 | head -n 3
	rm -f "$tmp/once/.ltt-tree"
	same "$tmp/once" "$tmp/linux" || return
	grep -q '^Subject: \[PATCH 00/' "$tmp"/series/0000-* || return
	expect 1 'has patches already' "$here/intree/series.py" "$tmp/kernel" "$tmp/series" || return
	# Figures that cannot be had.
	echo '{' > "$tmp/bad.json"
	expect 1 'bad.json: Expecting' "$here/intree/series.py" "$tmp/kernel" "$tmp/more" "$tmp/bad.json" &&
		expect 1 'none.json' "$here/intree/series.py" "$tmp/kernel" "$tmp/more" "$tmp/none.json" &&
		[[ ! -e $tmp/more ]]
}

echo "KTAP version 1"
set_up kernel
run_test "laid over a kernel, and again" laid
run_test "in order" in_order
run_test "over an older one" newer
run_test "what is not ours stays" others
run_test "killed at any time" killed
run_test "as patches" patches
echo "1..$number"
exit $failed
