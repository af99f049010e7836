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
