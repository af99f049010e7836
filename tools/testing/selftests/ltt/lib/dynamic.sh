# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # $tmp and $ltt are lib.sh's
#
# What the tests of dynamic_markers share. Sourced after lib.sh.

file=$ltt/dynamic_markers
tracefs=/sys/kernel/tracing

# All traces, definitions, and enabled events of ftrace go.
forget_definitions()
{
	local trace

	for trace in "$ltt"/traces/*/; do
		destroy_trace "$(basename "$trace")"
	done
	echo 0 > $tracefs/events/enable
	sed -n 's/^[prt][0-9]*\(:[^ ]*\) .*/-\1/p' $file > "$tmp/removals"
	[ ! -s "$tmp/removals" ] || expect "removals" OK "$(write-errno -f $file "$tmp/removals")"
}

# refused ERRNO COLUMN STRING MESSAGE: and the ^ is below the column
refused()
{
	local log

	echo > $ltt/error_log
	sed 's/ # .*//' $file > "$tmp/before"
	expect_errno "$1" $file "$3"
	sed 's/ # .*//' $file | cmp "$tmp/before"
	log=$(cat $ltt/error_log)
	# Kernels without CONFIG_SYMBOLIC_ERRNAME give its number.
	[[ $log = *"dynamic_markers: "*"column $2: $4 (-"*"): \""* ]] || fail "$log"
	python3 - "$2" "$3" $ltt/error_log <<-'EOP'
		import sys
		column, request, log = int(sys.argv[1]), sys.argv[2], open(sys.argv[3])
		said, mark = (l.rstrip("\n").split(" ", 1)[1] for l in log)
		line = request.encode().decode("unicode_escape").split("\n")[-1].replace("\t", " ")
		line = "".join(c if " " <= c <= "~" else "?" for c in line)
		at = mark.index("^")
		# What follows the place is what is shown above the mark.
		shown = said[at:].replace("\\\\", "\\")
		rest = line[column - 1:column + 9]
		assert shown.startswith(rest + '"' if len(rest) < 10 else rest), (said, mark, rest)
	EOP
}
