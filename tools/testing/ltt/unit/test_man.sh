#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: test_man.sh LTT
#
# Man pages: Sphinx and man have nothing to complain about, each command has one, and what a
# command's --help lists is in it.
# shellcheck disable=SC2317 # tests are called by name
set -uo pipefail

ltt=$1
here=$(cd "$(dirname "$0")/.." && pwd)
top=$(cd "$here/../../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C.UTF-8

# shellcheck source=ktap.sh
. "$here/unit/ktap.sh"

commands()
{
	"$ltt" --help | sed -n '/^Commands:/,/^$/s/^  *\([a-z]*\) .*/\1/p'
}

# page NAME: what man shows of that command
page()
{
	(cd "$tmp/man" && MANWIDTH=20000 man -E UTF-8 -l "man1/ltt-$1.1") 2> /dev/null | col -bx | tr -s ' '
}

make_pages()
{
	make -s -C "$top/tools/ltt" man_install OUTPUT="$tmp/build" DESTDIR="$tmp" MANDIR=/man
}

no_complaints()
{
	local file output

	[[ $(find "$tmp/man" -type f | wc -l) -gt 20 ]] || return
	for file in "$tmp"/man/man?/*; do
		output=$(cd "$tmp/man" && MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 "${file#"$tmp/man/"}" 2>&1 > /dev/null |
			 grep -v "can't break line\|cannot adjust line\|above first line discarded")
		[[ ! $output ]] || { echo "$file: $output"; return 1; }
		# What whatis(1) shows of it.
		lexgrog "$file" > /dev/null || { lexgrog "$file"; return 1; }
	done
}

# As `ltt --help` describes it; starting, stopping and destroying are told with creating.
each_command()
{
	local name what

	[[ $(commands | wc -l) -ge 14 ]] || return
	for name in $(commands); do
		what=$("$ltt" --help | sed -n "s/^  $name  *//p")
		[[ ! $name =~ ^(start|stop|destroy)$ ]] || what='create a trace'
		[[ $(page "$name") = *"ltt-"*" - $what"$'\n'* ]] || { echo "$name: $what"; return 1; }
	done
}

options()
{
	local name option text missing=

	for name in $(commands); do
		text=$(page "$name")
		for option in $("$ltt" "$name" --help | grep -oE '^ +(-.,)? *--[a-z-]+' | grep -oE -- '--.*'); do
			case $option in
			--help|--usage|--version) continue ;;
			esac
			[[ $text = *"$option"[^a-z-]* ]] || missing+=" $name:$option"
		done
	done
	[[ ! $missing ]] || { echo "not in the pages:$missing"; return 1; }
}

# What debian/rules installs goes somewhere, once.
packaged()
{
	local page n

	for page in "$tmp"/man/man?/*; do
		page=usr/share/man/${page#"$tmp/man/"}
		n=$(cat "$top"/debian/*.install | grep -cxF -e "$page" -e "${page%/*}")
		((n == 1)) || { echo "$page is in $n packages"; return 1; }
	done
}

removed()
{
	make -s -C "$top/tools/ltt" man_uninstall OUTPUT="$tmp/build" DESTDIR="$tmp" MANDIR=/man || return
	[[ ! $(find "$tmp/man" -type f) ]] || { find "$tmp/man" -type f; return 1; }
}

html()
{
	make -s -C "$top/tools/ltt" html OUTPUT="$tmp/build" || return
	grep -q 'first-marker.html' "$tmp/build/html/index.html"
}

echo "KTAP version 1"
if ! command -v sphinx-build > /dev/null; then
	echo "1..0 # SKIP needs sphinx-build"
	exit 4
fi
set_up make_pages
run_test "Sphinx, man and whatis are content" no_complaints
run_test "each command has a page" each_command
run_test "each option is in the command's page" options
run_test "each page is in a package" packaged
run_test "make uninstall removes them" removed
run_test "the documentation as HTML" html
echo "1..$number"
exit $failed
