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

# hit SIGNAL N COMMAND...: it comes at the Nth write. Leaves the exit status in $status.
hit()
{
	local how=inject=write:signal=$1:when=$2

	shift 2
	status=0
	env --default-signal=INT --ignore-signal=HUP ASAN_OPTIONS=detect_leaks=0 \
		strace -qq -o "$tmp/strace" -e trace=openat,write -e "$how" "${inject[@]}" \
		"$@" -o "$tmp/hit/file" || status=$?
}

# all_or_nothing FILE WRITES COMMAND...: COMMAND -o writes what FILE has, or nothing if it is interrupted
# at one of WRITES; a signal that is ignored stays so. The same on a file system that has no files
# without a name.
all_or_nothing()
{
	local file=$1 writes=$2 n status nameless inject=()

	shift 2
	mkdir "$tmp/hit"
	hit KILL 1 "$@"
	[ $status = 137 ] && [ ! "$(ls -A "$tmp/hit")" ] ||
		{ echo "killed: $status"; ls -A "$tmp/hit"; return 1; }
	nameless=$(grep openat "$tmp/strace" | grep -n O_TMPFILE | cut -d: -f1)
	for inject in '' "inject=openat:error=EOPNOTSUPP:when=$nameless"; do
		inject=(${inject:+-e "$inject"})
		for n in $writes; do
			hit INT "$n" "$@"
			[ $status = 130 ] && [ ! "$(ls -A "$tmp/hit")" ] ||
				{ echo "write $n: status $status"; ls -A "$tmp/hit"; return 1; }
		done
		hit HUP 1 "$@"
		[ $status = 0 ] && [ "$(ls -A "$tmp/hit")" = file ] && cmp "$file" "$tmp/hit/file" || return
		rm "$tmp/hit/file"
	done
	! grep -q 'O_TMPFILE.* = [0-9]' "$tmp/strace"
}

# make_long DIRECTORY COUNT...: a trace of another tracer, of events with so many bytes in a sequence
make_long()
{
	mkdir "$1"
	cat > "$1/metadata" <<-END
		/* CTF 1.8 */
		trace { major = 1; minor = 8; byte_order = le; };
		clock { name = c; };
		stream { event.header := struct { integer { size = 64; align = 8; map = clock.c.value; } t; }; };
		event {
			name = e;
			fields := struct {
				integer { size = 32; align = 8; } _n;
				integer { size = 8; align = 8; } x[_n];
			};
		};
	END
	python3 - "$@" <<-'END'
		import struct, sys
		with open(sys.argv[1] + "/s", "wb") as file:
		    for i, n in enumerate(map(int, sys.argv[2:])):
		        file.write(struct.pack("<QI", i, n) + (bytes(range(251)) * (n // 251 + 1))[:n])
	END
}

# make_hostile DIRECTORY: the same, of an event whose name would control a terminal
make_hostile()
{
	make_long "$1" 5 && sed -i 's/name = e;/name = "sched:x\\033]0;pwn\\007\\n";/' "$1/metadata"
}

# expect_escaped STATUS TEXT COMMAND...: expect(), in one line that has nothing but what can be printed
expect_escaped()
{
	expect "$@" && [ "$(wc -l < "$tmp/err")" = 1 ] && ! grep '[^ -~]' "$tmp/err"
}

# declare_packets DIRECTORY CONTEXT: the same, of packets that tell how many events were lost before each,
# and have the fields CONTEXT; without its events, which have an id and a time
declare_packets()
{
	mkdir -p "$1"
	cat > "$1/metadata" <<-END
		/* CTF 1.8 */
		typealias integer { size = 32; align = 8; } := u32;
		typealias integer { size = 64; align = 8; } := u64;
		trace { major = 1; minor = 8; byte_order = le; };
		clock { name = c; };
		typealias integer { size = 64; align = 8; map = clock.c.value; } := time;
		stream {
			packet.context := struct { u64 content_size; u64 packet_size; u64 events_discarded; $2 };
			event.header := struct { u32 id; time timestamp; };
		};
	END
}

# make_perf DIRECTORY: a trace as perf has it, of two CPUs: events of several systems are in one stream. Each of
# 10 packets but the first comes after a loss, begins with the end of an interrupt, and ends with the beginning
# of one.
make_perf()
{
	declare_packets "$1" 'u32 cpu_id;'
	python3 - "$1" <<-'END'
		import struct, sys
		switch = "string prev_comm; u32 prev_pid; string next_comm; u32 next_pid;"
		with open(sys.argv[1] + "/metadata", "a") as file:
		    for id, name, fields in ((0, "irq:irq_handler_entry", "u32 irq;"), (1, "irq:irq_handler_exit", "u32 irq;"),
		                             (2, "sched:sched_switch", switch)):
		        file.write(f'event {{ id = {id}; name = "{name}"; fields := struct {{ {fields} }}; }};\n')
		for cpu in range(2):
		    with open(f"{sys.argv[1]}/perf_stream_{cpu}", "wb") as file:
		        for packet in range(10):
		            events = b""
		            for n, id in enumerate((1, 2, 0, 1, 2, 0)):
		                events += struct.pack("<IQ", id, 1000 * packet + 20 * n + cpu)
		                # Between two packets, there was one more.
		                pid = 100 * cpu + 3 * packet + n // 3
		                events += struct.pack("<5sI5sI", b"some", pid, b"next", pid + 1) if id == 2 else struct.pack("<I", n)
		            bits = 8 * (28 + len(events))
		            file.write(struct.pack("<QQQI", bits, bits, packet, cpu) + events)
	END
}
