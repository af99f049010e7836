# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Traces for the user-space tests that are shell scripts, which source this after ktap.sh.
# shellcheck disable=SC2154 # build and tmp are the script's

# make_traces EVENTS: of all types, of both byte orders; so many of the kernel's
make_traces()
{
	"$build/make_trace" "$tmp/le" &&
	qemu-s390x "$build/make_trace_s390x" "$tmp/be" &&
	"$build/make_bench" "$tmp/bench" "$1"
}

# damage NAME BYTE COMMAND...: NAME becomes a copy of bench, with what COMMAND prints at this byte of
# irq_1
damage()
{
	local name=$1 byte=$2

	shift 2
	cp -r "$tmp/bench" "$tmp/$name" &&
	"$@" | dd of="$tmp/$name/irq_1" bs=1 seek="$byte" conv=notrunc status=none &&
	rm -r "$tmp/$name/index"
}

# No packet begins with that.
damaged()
{
	damage damaged 0 printf nonsense
}

# The CPU of the first packet, in its header, is one that no machine has.
impossible_cpu()
{
	damage cpu 72 printf '\xff\xff\xff\0'
}
