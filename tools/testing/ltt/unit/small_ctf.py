#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: small_ctf.py DIRECTORY

Traces of a few packets, as other tracers might leave them, one in each directory:

empty	a packet without events tells that some were lost
names	channels whose names end in numbers
context	a context of more than 64 bytes
nested	a structure in a structure
cut	the size of a packet in the middle is damaged, and reaches past the end of the file
first	that of the first one
magic	the end is missing of a packet whose events have the magic number of packets
pieces	a stream in three files, with losses inside one and between two of them
later	the first of these is missing
whole	the same in one file
"""

import os
import struct
import sys

METADATA = """/* CTF 1.8 */
typealias integer {{ size = 8; align = 8; signed = false; }} := uint8_t;
typealias integer {{ size = 32; align = 8; signed = false; }} := uint32_t;
typealias integer {{ size = 64; align = 8; signed = false; }} := uint64_t;
trace {{
	major = 1; minor = 8; byte_order = le;
	packet.header := struct {{ uint32_t magic; uint32_t stream_id; }};
}};
clock {{ name = "c"; freq = 1000000000; offset = 0; }};
typealias integer {{ size = 64; align = 8; signed = false; map = clock.c.value; }} := time_t;
"""
STREAM = """
stream {{
	id = {id};
	packet.context := struct {{
		time_t timestamp_begin; time_t timestamp_end; uint32_t content_size; uint32_t packet_size;
		uint64_t packet_seq_num; uint64_t events_discarded; uint32_t cpu_id;
	}};
	event.header := struct {{ time_t timestamp; }};
	{context}
}};
event {{ name = "e"; id = 0; stream_id = {id}; fields := struct {{ {fields} }}; }};
"""
HEADER = struct.Struct("<IIQQIIQQI")


def packet(number, discarded, events, begin, end, stream=0, cpu=0):
    """One packet; an event is a time and bytes."""
    body = b"".join(struct.pack("<Q", time) + data for time, data in events)
    bits = 8 * (HEADER.size + len(body))
    return HEADER.pack(0xc1fc1fc1, stream, begin, end, bits, bits, number, discarded, cpu) + body


def word(*values):
    return struct.pack(f"<{len(values)}I", *values)


def write(directory, streams, fields="uint32_t a;", context="", kinds=1):
    os.makedirs(directory)
    with open(f"{directory}/metadata", "w", encoding="ascii") as file:
        file.write(METADATA.format())
        for number in range(kinds):
            file.write(STREAM.format(id=number, fields=fields, context=context))
    for name, data in streams.items():
        with open(f"{directory}/{name}", "wb") as file:
            file.write(data)


def main():
    top = sys.argv[1]
    write(f"{top}/empty", {"chan_0": packet(0, 0, [(100, word(1)), (200, word(2))], 100, 200) +
                                     packet(1, 5, [], 250, 300) +
                                     packet(2, 5, [(400, word(3)), (500, word(4))], 400, 500)})
    write(f"{top}/names", {f"disk_{1 + kind}_{cpu}":
                           packet(0, 0, [(100 + 20 * kind + cpu, word(kind))], 100, 200, kind, cpu)
                           for kind in range(2) for cpu in range(2)}, kinds=2)
    write(f"{top}/context", {"chan_0": packet(0, 0, [
        (100 + i, b"/" + b"x" * 80 + end + b"\0" + bytes([32]) + word(*range(i, i + 32)) + word(i))
        for i, end in enumerate((b"/a", b"/b"))], 100, 200)},
        context="event.context := struct { string path; uint8_t n; uint32_t seq[n]; };")
    write(f"{top}/nested", {"chan_0": packet(0, 0, [(100 + i, word(i // 2)) for i in range(6)], 100, 200)},
          fields="struct { uint32_t x; } s;")

    pieces = [packet(i, (0, 0, 7, 7, 9, 9)[i], [(100 * i + 10, word(i)), (100 * i + 80, word(i))],
                     100 * i, 100 * i + 90) for i in range(6)]
    whole = b"".join(pieces)
    write(f"{top}/whole", {"chan_0": whole})
    write(f"{top}/pieces", {"chan_0_0": b"".join(pieces[:2]), "chan_0_1": b"".join(pieces[2:3]),
                            "chan_0_2": b"".join(pieces[3:])})
    write(f"{top}/later", {"chan_0_1": b"".join(pieces[2:3]), "chan_0_2": b"".join(pieces[3:])})
    for name, begin in (("first", 0), ("cut", len(pieces[0]))):
        cut = bytearray(whole)
        # The highest byte but one of packet_size.
        cut[begin + 28 + 2] ^= 0x10
        write(f"{top}/{name}", {"chan_0": bytes(cut)})
    write(f"{top}/magic", {"chan_0": packet(0, 0, [(100, word(0))], 100, 200) +
                                     packet(1, 0, [(300, word(0xc1fc1fc1)), (310, word(2))], 300, 400)[:-4]})


if __name__ == "__main__":
    main()
