#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Does babeltrace2 find in a binary trace what lines of text style "json" say of it?

usage: json_values.py TRACE-DIRECTORY LINES

Number, order, times, CPUs, names and all values, contexts included, must be those that
libbabeltrace2 reads; see ctf.py for ties. Symbols of addresses are compared in form only. Prints
how many events there were, and how many values.
"""

import ipaddress
import itertools
import json
import re
import sys
import uuid

import bt2
from ctf import ties_by_stream

SYMBOL = re.compile(r"\[?[A-Za-z_][^ ]*(?: \[\w+\])?")


def same_bytes(text, raw):
    """Text of a network address or of a UUID."""
    if re.fullmatch(r"[0-9.]+", text):
        address = ipaddress.IPv4Address(text).packed
        return raw in (address, address[::-1])
    if re.fullmatch(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", text):
        return raw in (uuid.UUID(text).bytes, uuid.UUID(text).bytes_le)
    if len(raw) == 6:
        return raw.hex(":") == text
    return ipaddress.IPv6Address(text).packed == raw


def bytes_of(value):
    """A string's."""
    if isinstance(value, str):
        return value.encode("utf-8")
    raw = bytes.fromhex(value["bytes"])
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw
    raise ValueError(f"{value}: this is UTF-8")


def same(value, field, state, cut):
    """Is a value of the line that of a field? @cut: strings may have been cut."""
    if isinstance(field, bt2._StringFieldConst) or \
            isinstance(value, dict) and not isinstance(field, bt2._IntegerFieldConst):
        # babeltrace2 2.0.4 leaves the string before in place of an empty one.
        want = str(field).encode("utf-8", "surrogateescape") if len(field) else b""
        got = bytes_of(value).split(b"\0")[0]
        return want.startswith(got) if cut else want == got
    if isinstance(field, bt2._ArrayFieldConst):
        if isinstance(value, list):
            return len(value) == len(field) and \
                all(same(one, part, None, cut) for one, part in zip(value, field))
        if state:
            return value == {1: "(null)", 2: "(fault)"}[state]
        raw = bytes(int(part) for part in field)
        if state is not None:
            return value == raw.hex()
        return same_bytes(value, raw)
    number = int(field)
    if isinstance(value, int):
        return value == number
    if isinstance(value, dict) or len(value) == 1:
        return bytes_of(value) == bytes([number % 256])
    if re.fullmatch(r"(0x)?[0-9a-f]{8,}", value):
        return int(value, 16) == number
    return bool(SYMBOL.fullmatch(value))


def compare(values, fields, cut):
    """An object of a line with a structure of the trace. Return: what is wrong, or None."""
    members = iter(fields.items())
    for name, value in values.items():
        state = None
        for member, field in members:
            # "Bool" and the like have a "_" at their end.
            if member == name or member.rstrip("_") == name:
                break
            if not re.fullmatch(r"_\w+_(length|state)_*", member):
                return f"no {member}"
            if "_state" in member:
                state = int(field)
        else:
            return f"{name} is of no field"
        if not same(value, field, state, cut):
            return f"{name}: {value!r} is not {field!r}"
    return next((f"no {member}" for member, _ in members), None)


def cutting_formats(directory):
    """Names of events with a "%.5s"; what cuts contexts cuts all."""
    names, name = set(), None
    with open(f"{directory}/metadata", encoding="ascii") as metadata:
        for line in metadata:
            found = re.match(r'\s*name = "(\w+\.\w+)";|(?:struct) (fields_\w+)', line)
            if found:
                name = found[1] or found[2]
            elif line.strip().startswith("// ltt-format ") and re.search(r"%-?\d*\.\d+s", line):
                names.add(name)
            elif "fields := struct" in line and line.split()[-1][:-1] in names:
                names.add(name)
    return names


def start_of(ts, cpu, name):
    return f"{ts // 10**9}.{ts % 10**9:09} [{cpu:03}] {name}:"


def captured(directory):
    for message in bt2.TraceCollectionMessageIterator(directory):
        if isinstance(message, bt2._EventMessageConst):
            event = message.event
            yield start_of(message.default_clock_snapshot.value,
                           int(event.packet.context_field["cpu_id"]), event.name), event


def shown(path):
    with open(path, encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            if "event" in line:
                yield start_of(line["ts"], line["cpu"],
                               f"{line['channel']}.{line['event']}"), line


def main():
    directory, path = sys.argv[1:]
    cutting = cutting_formats(directory)
    events = values = 0
    for (start, event), (line_start, line) in itertools.zip_longest(
            ties_by_stream(captured(directory)), ties_by_stream(shown(path)),
            fillvalue=("the end", None)):
        if start != line_start:
            return f"JSON: {line_start} {line}\nCTF:  {start}"
        cut = event.name in cutting
        context = event.common_context_field
        wrong = compare(line["fields"], event.payload_field, cut)
        if not wrong and (context is None) != ("context" not in line):
            wrong = "a context on one side only"
        if not wrong and context is not None:
            wrong = compare(line["context"], context, cut)
        if wrong:
            return f"{start} {line}: {wrong}"
        events += 1
        values += len(line["fields"]) + len(line.get("context", {}))
    print(f"{events} events, {values} values")
    return None if values else "nothing to compare"


if __name__ == "__main__":
    sys.exit(main())
