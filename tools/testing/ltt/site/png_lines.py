#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""How many different lines a picture has: few if nothing is in it.

usage: png_lines.py FILE.png
"""
import struct
import sys
import zlib


def lines(data):
    """Of a PNG. They are compared as the file has them, each with its filter."""
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        sys.exit("png_lines.py: not a PNG")
    height, = struct.unpack(">I", data[20:24])
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += size + 12
    raw = zlib.decompress(packed)
    step = len(raw) // height
    return len({raw[i * step:(i + 1) * step] for i in range(height)})


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    with open(sys.argv[1], "rb") as file:
        print(lines(file.read()))
