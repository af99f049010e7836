#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
fields.py EVENTS-DIRECTORY EVENTS PRESENT < ltt/tracepoints

Compare the fields of every bridged event that is present with the format file that
tracefs has of it: names, types, offsets, sizes, signs. Prints the number of events of
each system. There must be at least EVENTS events, PRESENT of them present.
"""

import collections
import os
import re
import sys

FIELD = re.compile(r"\tfield:(.*);\toffset:(\d+);\tsize:(\d+);\tsigned:([01]);")


def field(line):
    """(type without blanks and lengths, name, offset, size, sign) of a line."""
    what, offset, size, sign = FIELD.match(line).groups()
    # tracefs puts the length of an array behind the name, and so the brackets.
    length = re.search(r"\[[^]]*\]$", what)
    if length:
        what = what[:length.start()]
    kind, name = what.rsplit(None, 1)
    if length or kind.endswith("[]"):
        kind = kind.removesuffix("[]") + "[]"
    return kind.replace(" ", ""), name, int(offset), int(size), sign


def read_bridge(lines):
    """State and fields of all events, by (system, name)."""
    events = {}
    fields = None
    for line in lines:
        if line.startswith("\t"):
            fields.append(field(line))
            continue
        words = line.split()
        fields = []
        events[tuple(words[0].split("."))] = (words[1], fields)
    return events


def read_format(path):
    """The fields in a format file, without those that all events have."""
    with open(path, encoding="utf-8") as file:
        found = [field(line) for line in file if line.startswith("\tfield:")]
    return [f for f in found if not f[1].startswith("common_")]


def main():
    """Compare all."""
    events = read_bridge(sys.stdin)
    # Channels have no other characters.
    directory = {system.replace("-", "_"): system for system in os.listdir(sys.argv[1])}
    systems = collections.Counter(system for system, _ in events)
    compared = fields = wrong = 0
    for (system, name), (state, ours) in sorted(events.items()):
        if state != "present":
            continue
        try:
            theirs = read_format("%s/%s/%s/format" % (sys.argv[1], directory.get(system), name))
        except FileNotFoundError:
            print("%s.%s: not in tracefs" % (system, name))
            wrong += 1
            continue
        compared += 1
        fields += len(theirs)
        if ours != theirs:
            wrong += 1
            print("%s.%s:\n  LTT    %s\n  ftrace %s" % (system, name, ours, theirs))
    print(" ".join("%s:%u" % item for item in sorted(systems.items())))
    print("%u events of %u systems, %u of them present and compared, %u fields, %u differ" %
          (len(events), len(systems), compared, fields, wrong))
    sys.exit(wrong > 0 or len(events) < int(sys.argv[2]) or compared < int(sys.argv[3]))


if __name__ == "__main__":
    main()
