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
	local log said mark shown line rest

	echo > $ltt/error_log
	sed 's/ # .*//' $file > "$tmp/before"
	expect_errno "$1" $file "$3"
	sed 's/ # .*//' $file | cmp "$tmp/before"
	log=$(cat $ltt/error_log)
	# Kernels without CONFIG_SYMBOLIC_ERRNAME give its number.
	[[ $log = *"dynamic_markers: "*"column $2: $4 (-"*"): \""* ]] || fail "$log"
	# What follows the place in the request is what is shown above the mark.
	mapfile -t said < $ltt/error_log
	expect "lines in the log" 2 ${#said[@]}
	mark=${said[1]#* }
	mark=${mark%%^*}
	shown=${said[0]#* }
	shown=${shown:${#mark}}
	printf -v line %b "$3"
	line=${line##*$'\n'}
	line=${line//$'\t'/ }
	rest=${line:$2 - 1:10}
	rest=${rest//[![:print:]]/?}
	[ ${#rest} -eq 10 ] || rest+='"'
	[[ ${shown//\\\\/\\} = "$rest"* ]] || fail "not at $rest: ${said[*]}"
}
