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

# overwrite NAME BYTE COMMAND...: NAME becomes a copy of bench, with what COMMAND prints at this byte of
# irq_1
overwrite()
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
	overwrite damaged 0 printf nonsense
}

# The CPU of the first packet, in its header, is one that no machine has.
impossible_cpu()
{
	overwrite cpu 72 printf '\xff\xff\xff\0'
}

# add_long_line DIRECTORY: a channel with an event of 20480 values, as wide as they can
# be, and two short ones around it
add_long_line()
{
	cat >> "$1/metadata" << 'EOF'

stream {
	id = 9;
	// ltt-channel "long"
};

event {
	id = 0;
	name = "long.line";
	stream_id = 9;
	// ltt-types 0x301 0x301 0x301 0x301 0x301
	// ltt-format "a %4096u[4096] b %4096u[4096] c %4096u[4096] d %4096u[4096] e %4096u[4096]"
};

event {
	id = 1;
	name = "long.short";
	stream_id = 9;
	// ltt-types
	// ltt-format "short"
};
EOF
	python3 - "$1" << 'EOF'
import re, struct, sys

with open(sys.argv[1] + '/metadata') as f:
	uuid = re.search('uuid = "([-0-9a-f]*)"', f.read()).group(1).replace('-', '')
events = struct.pack('<I', 1) + struct.pack('<I', 0) + bytes(20480) + struct.pack('<I', 1)
bits = 8 * (80 + len(events))
with open(sys.argv[1] + '/long_0', 'wb') as f:
	f.write(struct.pack('<I16sIQQQQQQQ', 0xc1fc1fc1, bytes.fromhex(uuid), 9, 0, 0, bits, bits,
			    0, 0, 0) + events)
EOF
}
