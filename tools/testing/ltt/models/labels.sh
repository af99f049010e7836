#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: labels.sh
#
# Each barrier that has a label in the sources, LMM(function:letter), is in that function and
# has a litmus test that needs it, and no test has a label that is not in the sources. Prints
# KTAP.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../../../..

# labels FILE-OR-DIRECTORY...
labels()
{
	grep -rhoE --include='*.[ch]' --include='*.litmus' 'LMM\([a-z_]+:[A-Z]\)' "$@" | sort -u
}

# report NUMBER WHAT LABELS
report()
{
	if [[ -z $3 ]]; then
		echo "ok $1 $2"
	else
		tr '\n' ' ' <<< "$3" | sed 's/^/# /; s/ $/\n/'
		echo "not ok $1 $2"
	fi
	[[ -z $3 ]]
}

sources=$(labels "$top/kernel" "$top/include")
tests=$(labels "$here/litmus")
# Nothing to compare with is no success.
[[ $sources && $tests ]] || { echo 'Bail out! no labels'; exit 1; }
status=0
echo 'KTAP version 1'
echo '1..5'
# A label of another form would not be found at all.
odd=$(grep -rn --include='*.[ch]' 'LMM(' "$top/kernel" "$top/include" |
	grep -vE 'LMM\([a-z_]+:[A-Z]\)' || true)
report 1 'labels have the form function:letter' "$odd" || status=1
report 2 'labels that no litmus test has' "$(comm -23 <(echo "$sources") <(echo "$tests"))" ||
	status=1
report 3 'labels of litmus tests that are nowhere' \
	"$(comm -13 <(echo "$sources") <(echo "$tests"))" || status=1
# One line a label, with the tests that have it.
missing=$(grep -oE 'LMM\([a-z_]+:[A-Z]\)' "$here"/litmus/*.litmus | sort -u |
	sed -E 's|.*/([^/]*)\.litmus:LMM\((.*)\)|\2 \1|' | while read -r label test; do
		grep -F "\`\`$label\`\`" "$top/Documentation/trace/ltt/models.rst" |
			grep -qwF -- "$test" || echo "$label $test"
	done)
report 4 'labels and tests are in models.rst' "$missing" || status=1
# A function begins where something with parentheses does in the first column. Comments that
# explain a label are outside of functions; "as LMM()" is a reference to another one.
astray=$(grep -rlF --include='*.[ch]' 'LMM(' "$top/kernel" "$top/include" | xargs awk '
	FNR == 1 { name = "" }
	/^[A-Za-z_].*\(/ && !/;$/ {
		name = $0
		sub(/\(.*/, "", name)
		sub(/.*[ *]/, "", name)
	}
	/^ \*/ || /as LMM\(/ { next }
	{
		for (rest = $0; match(rest, /LMM\([a-z_]+:[A-Z]\)/); ) {
			label = substr(rest, RSTART + 4, RLENGTH - 5)
			rest = substr(rest, RSTART + RLENGTH)
			split(label, part, ":")
			if (part[1] != name)
				print label " is in " name "()"
		}
	}')
report 5 'labels are in the functions that they name' "$astray" || status=1
exit $status
