#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Does `ltt view` say of traces of other tracers what babeltrace2 says?

usage: compare_foreign.py JSON BABELTRACE2-TEXT [TICK]

These are the outputs of `ltt view --wall --style json` and of `babeltrace2 --clock-seconds
--clock-gmt --no-delta`. Times may differ by TICK ns, if they are rounded; events of
the same time may come in another order. Prints how many events and values were compared.
"""

import collections
import json
import math
import re
import sys

ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "e": "\33", "a": "\a", "b": "\b", "f": "\f",
           "v": "\v", '"': '"', "\\": "\\", "0": "\0"}


class Number(str):
    """A number as it was written."""


class Enum:
    """A value of an enumeration, and the labels that it has."""

    def __init__(self, labels, value):
        self.labels, self.value = labels, value


class Fields(list):
    """Those of a structure, names and values."""


class Values:
    """What babeltrace2 shows of values."""

    def __init__(self, text):
        self.text, self.pos = text, 0

    def take(self, pattern):
        found = re.compile(pattern, re.S).match(self.text, self.pos)
        if found:
            self.pos = found.end()
        return found

    def string(self):
        found = self.take(r'"((?:[^"\\]|\\.)*)"')
        if not found:
            return None
        return re.sub(r"\\(?:x([0-9a-f]{2})|(.))", lambda m: chr(int(m[1], 16)) if m[1] else
                      ESCAPES[m[2]], found[1])

    def enum(self):
        labels = []
        braces = self.take(r"\{ ")
        while not self.take(r" ?\}? : container = "):
            self.take(", ")
            if not self.take("<unknown>"):
                labels.append(self.string())
        value = self.value()
        assert self.take(r" \)"), self.text[self.pos:]
        assert bool(braces) == (len(labels) > 1)
        return Enum(labels, value)

    def structure(self):
        fields = Fields()
        while not self.take(r" ?\}"):
            self.take(", ")
            name = self.take(r" ?(\w+) = ")[1]
            fields.append((name, self.value()))
        return fields

    def value(self):
        text = self.string()
        if text is not None:
            return text
        if self.take(r"\( "):
            return self.enum()
        if self.take(r"\[ ?"):
            values = []
            while not self.take(r" ?\]"):
                assert self.take(r"(?:, )?\[\d+\] = "), self.text[self.pos:]
                values.append(self.value())
            return values
        if self.take(r"\{(?! (?:\w+ =|\}))"):
            # What a variant has chosen.
            self.take(" ")
            value = self.value()
            assert self.take(r" \}"), self.text[self.pos:]
            return value
        if self.take(r"\{"):
            return self.structure()
        return Number(self.take(r"[-+\w.]+")[0])


EVENT = re.compile(r"\[(-?\d+)\.(\d{9})\] (?:\S+ )?([^ ]+): (.*)", re.S)


def number_of(text):
    """An integer, or a floating-point number, as babeltrace2 shows it."""
    if text[:2] == "0b":
        return int(text, 2)
    if text[:2] == "0x":
        return int(text, 16)
    try:
        return int(text, 8 if re.fullmatch("0[0-7]+", text) else 10)
    except ValueError:
        return float(text)


def inner(value):
    """A part of what LTT shows as text."""
    if isinstance(value, Number):
        if value[:2] == "0b":
            return hex(int(value, 2))
        return value.lower()
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, Enum):
        return value.labels[0] if value.labels else inner(value.value)
    if isinstance(value, Fields):
        return "{" + ",".join(f"{name}={inner(v)}" for name, v in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(inner, value)) + "]"
    raise ValueError(value)


def shorten(text):
    """Floating-point numbers in a text: babeltrace2 shows 6 digits, and the last may differ."""
    return re.sub(r"-?\d+(?:\.\d+(?:e[-+]\d+)?|e[-+]\d+)", lambda m: "%.5g" % float(m[0]), text)


def same_number(ours, theirs):
    theirs = number_of(theirs)
    if isinstance(ours, str):
        ours = float(ours)
    if isinstance(theirs, float) or isinstance(ours, float):
        if math.isnan(theirs):
            return math.isnan(ours)
        # It shows no more digits.
        return ours == theirs or math.isclose(ours, theirs, rel_tol=1e-5)
    # Negative ones, in other bases: it shows the sign as well, in a whole number of digits.
    sign = ours ^ theirs
    return not sign or (ours > 0 and sign == (1 << theirs.bit_length()) - (1 << ours.bit_length()))


def same(ours, theirs):
    if isinstance(theirs, Enum):
        if isinstance(ours, str):
            return ours == inner(theirs)
        return same_number(ours, theirs.value)
    if isinstance(ours, dict):
        return bytes.fromhex(ours["bytes"]).decode("latin1") == theirs.encode().decode("latin1")
    if isinstance(theirs, Number):
        return same_number(ours, theirs) if not isinstance(ours, str) or \
            re.fullmatch("[-+]?(inf|nan)", ours) else ours in (inner(theirs), str(theirs))
    if isinstance(theirs, list) and isinstance(ours, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(theirs, str):
        return ours == theirs
    return shorten(ours) == shorten(inner(theirs))


def flatten(fields, before=""):
    for name, value in fields:
        if isinstance(value, Fields):
            yield from flatten(value, f"{before}{name}.")
        else:
            yield before + name, value


def read_theirs(name):
    events = collections.defaultdict(list)
    for line in open(name, encoding="utf-8", errors="surrogateescape"):
        found = EVENT.fullmatch(line.rstrip("\n"))
        values = Values(found[4])
        groups = []
        while values.take(r"(?:, )?\{"):
            groups.append(values.structure())
        # That of the packet; events may have a field that is called so.
        cpu = dict(groups[0]).get("cpu_id")
        if cpu is not None:
            groups[0] = [pair for pair in groups[0] if pair[0] != "cpu_id"]
        fields = [(None, cpu)] + [pair for group in groups for pair in group]
        events[int(found[1]) * 10**9 + int(found[2])].append((found[3], fields))
    return events


def read_ours(name):
    for line in open(name, encoding="utf-8", errors="surrogateescape"):
        event = json.loads(line)
        if "event" in event:
            yield event


def agrees(event, name, fields):
    """Has our event these fields? Returns how many values, or None."""
    if name not in (event["event"], f"{event['channel']}:{event['event']}"):
        return None
    ours = dict(event["fields"])
    for key, value in event.get("context", {}).items():
        ours.setdefault(key, value)
    theirs = {}
    for key, value in fields:
        if key is None:
            if event["cpu"] != int(value or 0):
                return None
            continue
        theirs[key] = value
    # Structures are fields of the event, but those that are text.
    wanted = {}
    for key, value in theirs.items():
        if key in ours:
            wanted[key] = value
        else:
            wanted.update(flatten([(key, value)]))
    if set(wanted) != set(ours):
        return None
    return len(ours) if all(same(ours[key], wanted[key]) for key in ours) else None


def main():
    theirs = read_theirs(sys.argv[2])
    tick = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    last = nr = values = 0

    for event in read_ours(sys.argv[1]):
        found = None
        if event["ts"] < last:
            sys.exit(f"out of order: {event}")
        last = event["ts"]
        for ts in range(last - tick, last + tick + 1):
            for i, (name, fields) in enumerate(theirs.get(ts, [])):
                found = agrees(event, name, fields)
                if found is not None:
                    del theirs[ts][i]
                    break
            if found is not None:
                break
        if found is None:
            sys.exit(f"not so: {event}\n{theirs.get(last)}")
        nr += 1
        values += found
    left = [e for events in theirs.values() for e in events]
    if left:
        sys.exit(f"{len(left)} events are missing, such as {left[0]}")
    if not nr:
        sys.exit("no events")
    print(f"# {nr} events, {values} values")


main()
