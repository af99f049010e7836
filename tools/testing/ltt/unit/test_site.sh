#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: test_site.sh
#
# The documentation as a site: Sphinx and kernel-doc have nothing to complain about, nothing is missing,
# and all links lead somewhere. With LTT_LONG, Chromium shows its pages: pictures are in
# build/site-pictures.
# shellcheck disable=SC2317 # tests are called by name
set -uo pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
top=$(cd "$here/../../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1

# shellcheck source=ktap.sh
. "$here/unit/ktap.sh"

# What kernel-doc says does not become a warning of Sphinx's.
build()
{
	printf 'bench %s\n' 'write_some 75.2 instructions peer ftrace 608 ratio 0.124' 'some_8 1 ns' \
		'some_16 2 ns' 'some_32 4 ns' | "$here/bench/bench_report.py" "$tmp" > /dev/null || return
	"$here/site/build.sh" "$tmp/site" "$tmp/bench.json" > "$tmp/said" 2>&1
}

no_complaints()
{
	cat "$tmp/said"
	[[ -e $tmp/site/index.html && ! -s $tmp/said ]]
}

# Broken links are found.
links()
{
	"$here/site/links.py" "$tmp/site" || return
	cp -r "$tmp/site" "$tmp/broken"
	rm "$tmp/broken/live.html"
	sed -i 's/id="recording"/id="other"/' "$tmp/broken/index.html"
	touch "$tmp/broken/lonely.html"
	"$here/site/links.py" "$tmp/broken" > "$tmp/links" && return 1
	grep -q '^index.html: live.html: no such file$' "$tmp/links" &&
		grep -q '#recording: no such place$' "$tmp/links" &&
		grep -q '^lonely.html: nothing leads there$' "$tmp/links"
}

# What ltt-core exports of what a header for modules declares, is in the page about functions.
functions()
{
	local name n=0 missing=

	while read -r name; do
		n=$((n + 1))
		grep -q "id=\"c\.$name\"" "$tmp/site/api.html" || missing+=" $name"
	done < <(cd "$top" && grep -L 'Not for drivers' include/linux/ltt/*.h |
		 xargs grep -ohE '\bltt_[a-z_]+\(' | sort -u | sed 's/($//' |
		 grep -xFf <(grep -rhoP 'EXPORT_SYMBOL_GPL\(\K\w+' kernel/trace/ltt-core))
	[[ $n -gt 40 && ! $missing ]] || { echo "$n exported, not in the page:$missing"; return 1; }
}

files()
{
	local name n=0 missing=

	while read -r name; do
		n=$((n + 1))
		grep -qF "<strong>$name</strong>" "$tmp/site/abi.html" || missing+=" $name"
	done < <(sed -n 's/^What:\t*//p' "$top/Documentation/ABI/testing/debugfs-ltt")
	[[ $n -gt 40 && ! $missing ]] || { echo "$n files, not in the page:$missing"; return 1; }
}

# Guides of each kind of reader are where the index begins.
guides()
{
	local guide

	sed '/Glossary/,$d' "$tmp/site/index.html" > "$tmp/beginning"
	for guide in live first-marker expect postmortem offline coming; do
		grep -q "<td>.*href=\"$guide.html\"" "$tmp/beginning" || { echo "$guide"; return 1; }
	done
}

# shown PLOT TEXT...: it is well-formed, and has these texts
shown()
{
	local file=$tmp/site/_images/$1.svg text
	shift

	python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$file" || return
	for text; do
		grep -qF ">$text</text>" "$file" || { echo "$file: no '$text'"; return 1; }
	done
}

plots()
{
	shown peers write_some 'LTT 75.2 instructions' 'ftrace 608 instructions' &&
		shown some LTT 8 16 32 ns &&
		grep -q '_images/peers.svg' "$tmp/site/figures.html"
}

pictures()
{
	local page name lines out=$top/build/site-pictures

	rm -rf "$out"
	mkdir -p "$out"
	for page in "$tmp"/site/*.html; do
		name=$(basename "$page" .html)
		[[ ! $name =~ ^(search|genindex)$ ]] || continue
		HOME=$tmp timeout 120 chromium --headless --no-sandbox --disable-gpu --window-size=1280,1800 \
			--user-data-dir="$tmp/chromium" --screenshot="$out/$name.png" "file://$page" \
			> "$tmp/log" 2>&1 || { cat "$tmp/log"; return 1; }
		lines=$("$here/site/png_lines.py" "$out/$name.png") || return
		((lines > 200)) || { echo "$name: $lines different lines"; return 1; }
	done
}

echo "KTAP version 1"
if ! command -v sphinx-build > /dev/null; then
	echo "1..0 # SKIP needs sphinx-build"
	exit 4
fi
build
run_test "Sphinx and kernel-doc are content" no_complaints
run_test "all links lead somewhere, and to each page" links
run_test "each kind of reader finds a guide" guides
run_test "all functions for modules" functions
run_test "all files in debugfs" files
run_test "plots of figures" plots
if [[ ! ${LTT_LONG:-} || ! $(type -P chromium) ]]; then
	number=$((number + 1))
	echo "ok $number each page, as Chromium shows it # SKIP needs LTT_LONG, and chromium"
else
	run_test "each page, as Chromium shows it" pictures
fi
echo "1..$number"
exit $failed
