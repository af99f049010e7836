#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
addresses.py EVENTS-DIRECTORY FIELDS < ltt/markers

What the text of an event in tracefs ("print fmt") shows as the symbol of an address
(%pS, %ps, %pB) is shown so by LTT's format, too, and no other integer or pointer is.
There must be at least FIELDS such fields.
"""

import os
import re
import sys

CONVERSION = re.compile(r"%(%|[-+ #0-9.*hlLqjzt]*(?:p[A-Za-z0-9]*|[a-zA-Z]))")
PRINT = re.compile(r'^print fmt: "((?:[^"\\]|\\.)*)"(?:, (.*))?$', re.MULTILINE)
FIELD = re.compile(r"^\(*(?:\((?:const )?(?:void|unsigned long) ?\*?\))?\(*REC->(\w+)\)*$")


def split(text):
    """The arguments of a call."""
    depth, quote, found = 0, None, [""]
    for char in text or "":
        if quote:
            quote = None if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == "," and not depth:
            found.append("")
            continue
        found[-1] += char
    return [arg.strip() for arg in found]


def wanted(path):
    """Letters of %p by the field that is shown so, for an event's format file."""
    with open(path, encoding="utf-8") as file:
        match = PRINT.search(file.read())
    found = {}
    if not match:
        return found
    arguments = iter(split(match.group(2)))
    for conversion in CONVERSION.findall(match.group(1)):
        if conversion == "%":
            continue
        for _ in range(conversion.count("*")):
            next(arguments, None)
        field = FIELD.match(next(arguments, "").replace("( ", "("))
        symbol = re.search(r"p([SsB])", conversion)
        if field and symbol:
            found[field.group(1)] = "p" + symbol.group(1)
    return found


def main():
    """Compare all."""
    seen = wrong = 0
    for line in sys.stdin:
        words = line.rstrip("\n").split("\t")
        if len(words) < 4 or words[1] != "ltt_tracepoints":
            continue
        system, event = words[0].split(".")
        path = next((path for path in (f"{sys.argv[1]}/{name}/{event}/format"
                                       for name in (system, system.replace("_", "-")))
                     if os.path.exists(path)), None)
        if not path:
            continue
        ours = {name: kind for name, kind in re.findall(r"(\w+) %(p[SsB]?)\b", words[3])
                if kind != "p"}
        theirs = wanted(path)
        for field in sorted(set(ours) | set(theirs)):
            seen += 1
            if ours.get(field) != theirs.get(field):
                print(f"{words[0]}: {field}: {ours.get(field)}, tracefs {theirs.get(field)}")
                wrong += 1
    print(f"{seen} fields that are addresses")
    sys.exit(wrong or seen < int(sys.argv[2]))


main()
