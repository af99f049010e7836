#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Does a trace of LTT that another program has written anew show what LTT's own shows?

usage: compare_foreign_copy.py OWN-JSON COPY-JSON

All events, with their times, CPUs, names and values. CTF knows no addresses and no conversions, so
that values may be written in another way. Names that CTF cannot have keep the "_" after them, and
the state of a blob is a field.
"""

import ipaddress
import itertools
import json
import re
import sys
import uuid


def is_text(value):
    return isinstance(value, str) or isinstance(value, dict)


def text_bytes(value):
    return value.encode() if isinstance(value, str) else bytes.fromhex(value["bytes"])


def is_same(own, copy):
    if own == copy:
        return True
    if is_text(own) and is_text(copy):
        # babeltrace2 2.0.4 ends text at a NUL, and leaves the end of a longer one before.
        return text_bytes(copy).startswith(text_bytes(own).split(b"\0")[0])
    if isinstance(own, int):
        # Declared as stored, and shown as converted.
        return isinstance(copy, int) and (own - copy) % (1 << 8) == 0
    if is_text(own) and isinstance(copy, int):
        char = text_bytes(own)
        return copy == (char[0] if len(char) == 1 else int(own, 16))
    if isinstance(own, list):
        return len(own) == len(copy) and all(map(is_same, own, copy))
    if isinstance(own, str) and isinstance(copy, list):
        # A blob that could not be read.
        if own in ("(null)", "(fault)"):
            return True
        data = bytes(copy)
        forms = [data.hex(), data.hex(":")]
        if len(data) == 16:
            forms += [str(uuid.UUID(bytes=data)), str(uuid.UUID(bytes_le=data))]
        return own in forms or ipaddress.ip_address(own) == ipaddress.ip_address(data)
    return False


def take_values(event):
    """All fields, without what is LTT's own."""
    fields = {**event.pop("context", {}), **event.pop("fields", {})}
    return {name[:-1] if name.endswith("_") else name: value for name, value in fields.items()
            if not re.fullmatch("_.*_(state|length_)", name)}


def main():
    events = values = 0
    with open(sys.argv[1]) as own, open(sys.argv[2]) as copy:
        for a, b in itertools.zip_longest(map(json.loads, own), map(json.loads, copy), fillvalue={}):
            if "ltt" in a:
                continue
            found, want = take_values(b), take_values(a)
            if a != b or list(found) != list(want) or \
               not all(is_same(want[name], found[name]) for name in want):
                sys.exit(f"{a} {want}\nbut {b} {found}")
            events += 1
            values += len(want)
    print(f"{events} events, {values} values")
    return not events


sys.exit(main())
