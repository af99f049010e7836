#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Whatever the text of a trace shows is declared in its metadata at that time.

usage: declared.py TRACE-DIRECTORY

Reads the text until the trace is destroyed. For each marker that is seen for the
first time, the metadata are read on. Prints how many markers there were.
"""

import os
import sys


def main():
    trace = sys.argv[1]
    metadata = os.open(f"{trace}/binary/metadata", os.O_RDONLY)
    declared = b""
    seen = set()
    with open(f"{trace}/text/ALL", "rb", buffering=0) as text:
        print("reading", flush=True)
        rest = b""
        while data := text.read(128 * 1024):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                if line.startswith(b"#"):
                    continue
                marker = line.split(b" ", 3)[2][:-1]
                if marker in seen:
                    continue
                seen.add(marker)
                while more := os.read(metadata, 65536):
                    declared += more
                if b'\tname = "%s";\n' % marker not in declared:
                    return f"{marker.decode()} is not declared"
    print(len(seen), "markers")
    return 0 if seen else 1


sys.exit(main())
