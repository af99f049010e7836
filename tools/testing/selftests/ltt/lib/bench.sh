# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034 # used where it is sourced
# Sourced by the benchmarks, after lib.sh.

bench=/sys/kernel/debug/ltt_bench
tracefs=/sys/kernel/tracing

# figure NAME VALUE UNIT [PEER VALUE]
figure()
{
	local name=$1 value=$2 unit=$3 peer=${4:-} peer_value=${5:-}

	if [ -n "$peer" ]; then
		awk -v n="$name" -v v="$value" -v u="$unit" -v p="$peer" -v w="$peer_value" \
			'BEGIN { printf "bench %s %s %s peer %s %s ratio %.3f\n", n, v, u, p, w, v / w }'
	else
		echo "bench $name $value $unit"
	fi
}

# Rounds of a loop.
loops=20000

# cost LOOP [BYTES]: of one round, less what the loop itself costs
cost()
{
	echo "$1 $loops ${2:-64}" > $bench/run
	awk -v empty="${empty:-0}" '{
		cost = $3 / $2 - empty
		printf "%.1f\n", (cost > 0 ? cost : 0)
	}' $bench/result
}

ltt_on()
{
	local channel=$1

	shift
	new_trace bench
	[ ! "${area:-}" ] || echo "$area" > $ltt/traces/bench/persist
	channel_buffers bench "$channel" 1048576 4 overwrite
	printf '%s\n' "$@" > $ltt/traces/bench/markers
	start_trace bench
}

ltt_off()
{
	stop_trace bench
	destroy_trace bench
}

# ftrace_on [EVENT]
ftrace_on()
{
	local event=${1:-power/cpu_idle}

	echo 0 > $tracefs/tracing_on
	echo 8192 > $tracefs/buffer_size_kb
	echo mono > $tracefs/trace_clock
	echo > $tracefs/trace
	# Names of tasks come from a probe of their own.
	echo 0 > $tracefs/options/record-cmd
	echo 1 > "$tracefs/events/$event/enable"
	echo 1 > $tracefs/tracing_on
}

ftrace_off()
{
	echo 0 > $tracefs/tracing_on
	echo 0 > $tracefs/events/enable
	echo > $tracefs/trace
}

# lttng_insert MODULE...: of those in $LTTNG/modules, after the ones that they need
lttng_insert()
{
	local module dir=$LTTNG/modules

	for module in "$@"; do
		[ -e "$dir/$module.ko" ] && [ ! -e "/sys/module/${module//-/_}" ] || continue
		# shellcheck disable=SC2046 # a list of names
		lttng_insert $(modinfo -F depends "$dir/$module.ko" | tr ',_' ' -')
		insmod "$dir/$module.ko" || return
	done
}

# The LTTng in directory $LTTNG, see tools/testing/ltt/debian/lttng. Its daemon starts by itself.
lttng_begin()
{
	local lib=$LTTNG/usr/lib/x86_64-linux-gnu module

	export PATH=$LTTNG/usr/bin:$PATH LD_LIBRARY_PATH=$lib
	export LTTNG_SESSIOND_PATH=$LTTNG/usr/bin/lttng-sessiond
	export LTTNG_CONSUMERD64_BIN=$lib/lttng/libexec/lttng-consumerd
	export LTTNG_SESSION_CONFIG_XSD_PATH=$LTTNG/usr/share/xml/lttng
	export LTTNG_KMOD_PROBES=power,sched
	for module in "$LTTNG"/modules/lttng-{ring-buffer,counter}-*.ko; do
		lttng_insert "$(basename "$module" .ko)" || return
	done
	lttng_insert lttng-probe-power lttng-probe-sched
}

# lttng_on EVENT: into buffers as large as those of ltt_on, without a reader
lttng_on()
{
	{
		lttng create bench --snapshot &&
		lttng enable-channel --kernel --subbuf-size 1M --num-subbuf 4 events &&
		lttng enable-event --kernel --channel events "$1" && lttng start
	} > /dev/null
}

lttng_off()
{
	{ lttng stop && lttng destroy; } > /dev/null
}

# drain FILE: read text to the end of what is there; what a line costs is in $line
drain()
{
	local lines size ns

	read -r lines size ns < <(read-text drain "$1")
	echo "# ${1#/sys/kernel/}: $lines lines, $size bytes"
	line=$(awk -v n="$lines" -v ns="$ns" 'BEGIN { printf "%.1f\n", ns / n }')
}

# logged FIRST LAST: wait until a line that begins with LAST is in the kernel's log; what it took
# from FIRST to the last of these is in $cost, from the times in there, which are in microseconds
logged()
{
	local lines bytes

	wait_for 60 has_logged "$2" || exit
	dmesg | sed -E 's/^\[ *//' | awk -v first="] $1" -v last="] $2" '
		{ text = substr($0, index($0, "]")) }
		index(text, first) == 1 { begin = $1; n = size = 0; next }
		begin && index(text, last) == 1 { cost = ($1 - begin) * 1e9; lines = n; all = size; next }
		text !~ /^\] #/ { n++; size += length(text) - 1 }
		END { printf "%.0f %d %.1f\n", cost, lines, all / lines }' > "$tmp/logged"
	read -r cost lines bytes < "$tmp/logged"
	echo "# ${1###* } $lines lines of $bytes bytes"
}

has_logged()
{
	dmesg | grep -qF -- "] $1"
}
