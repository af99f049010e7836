#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: capture.sh whole|events|lossy|babeltrace2 TRACE-DIRECTORY TEXT-FILE
#
# Do babeltrace2 and ltt view find in a capture what the text of the same trace shows? Prints
# how many events there are of each kind.
#
# whole: each line that ltt view shows is that of the text. events: header and notices may
# differ. babeltrace2: ltt view is not asked, since the text shows pointers that it cannot
# hash. lossy: events were lost, which babeltrace2 tells, too; the same numbers were lost,
# but where no event follows, a notice comes when the loss is found.
set -euo pipefail

usage()
{
	sed -n 's/^# usage/usage/p' "$0" >&2
	exit 2
}

events()
{
	grep -v '^#' "$1" || true
}

notices()
{
	sed -n '/^# lost/s/ before .*//p' "$1" | sort
}

[[ $# = 3 && $1 =~ ^(whole|events|lossy|babeltrace2)$ ]] || usage
what=$1 dir=$2 text=$3
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

babeltrace2 "$dir" 2> "$tmp/warnings" > /dev/null || { cat "$tmp/warnings"; exit 1; }
"$(dirname "$0")/ctf.py" "$dir" "$text" > "$tmp/kinds" || { tail -n 5 "$tmp/kinds"; exit 1; }
[[ $what = babeltrace2 ]] || ltt view "$dir" > "$tmp/view"
case $what in
babeltrace2) ;;
whole)	cmp "$text" "$tmp/view" ;;
*)	cmp <(events "$text") <(events "$tmp/view") ;;
esac
if [[ $what = lossy ]]; then
	told='^WARNING: Tracer \(discarded [0-9]*\|may have discarded\) \(event\|packet\)s\? '
	cmp <(notices "$text") <(notices "$tmp/view")
	grep -q "$told" "$tmp/warnings" || { echo "babeltrace2 tells no loss"; exit 1; }
	sed -i "/$told/d" "$tmp/warnings"
fi
cat "$tmp/warnings" "$tmp/kinds"
[[ ! -s $tmp/warnings ]]
