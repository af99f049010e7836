#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: CALLS STRACE TEXT

Does LTT's text say of a program's system calls what strace says, and what the
program says itself (see known-calls.c)? TEXT has only that program's events.

Each argument must have the value that was passed. Where both show names they must show
the same; where one of them shows a number, it must be the right one, with the right
sign. Strings, results and names of errors must be equal.
"""

import errno
import re
import sys

# What strace calls differently; only one of the two can be chosen.
ALIASES = {"WSTOPPED": "WUNTRACED", "O_ASYNC": "FASYNC", "SCHED_OTHER": "SCHED_NORMAL"}

BEGIN, END = "77", "78"
SENTINEL = "sched_get_priority_max"


def split_arguments(text):
    """Arguments as strace prints them, which may be structures and strings."""
    arguments, depth, quoted, start, i = [], 0, False, 0, 0
    while i < len(text):
        char = text[i]
        if quoted:
            if char == "\\":
                i += 1
            elif char == '"':
                quoted = False
        elif char == '"':
            quoted = True
        elif char in "[{(":
            depth += 1
        elif char in "]})":
            depth -= 1
        elif char == "," and not depth:
            arguments.append(text[start:i].strip())
            start = i + 1
        i += 1
    if text.strip():
        arguments.append(text[start:].strip())
    return arguments


def read_strace(path):
    """(name, arguments, result) of each call between the two sentinels."""
    inside = False
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            line = re.sub(r" */\*.*?\*/", "", line)
            match = re.match(r"(\w+)\((.*)\)\s+= (.*)$", line)
            if not match:
                continue
            name, arguments, result = match.groups()
            if name == SENTINEL and arguments in (hex(int(BEGIN)), hex(int(END))):
                inside = arguments == hex(int(BEGIN))
            elif inside:
                yield name, split_arguments(arguments), result


def read_text(path):
    """(name, {argument: value}, result) of each call between the two sentinels."""
    inside, entered = False, None
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            event, rest = line.rstrip("\n").split(" ", 2)[2].split(":", 1)
            words = rest.split()
            name = event.removeprefix("syscalls.")
            fields = list(zip(words[::2], words[1::2]))
            if name == SENTINEL and fields[0][1] in (BEGIN, END):
                inside, entered = fields[0][1] == BEGIN, None
            elif inside and name.endswith("_exit"):
                if entered:
                    if name != entered[0] + "_exit":
                        raise SystemExit(f"{entered[0]} is followed by {name}")
                    yield entered[0], entered[1], fields[0][1]
                entered = None
            elif inside:
                entered = name, fields


def number(text):
    """The integer that the text is, or None."""
    if text == "NULL":
        return 0
    if re.fullmatch(r"-?(0x[0-9a-f]+|[1-9][0-9]*|0)", text):
        return int(text, 0)
    if re.fullmatch(r"0[0-7]+", text):
        return int(text, 8)
    return None


def names(text):
    """Names and numbers that make up the value."""
    items = re.split(r"[|+]", text)
    if len(items) > 1 and "O_RDONLY" in items:
        items.remove("O_RDONLY")
    return sorted(ALIASES.get(item, item) for item in items)


def same_argument(field, shown, traced, passed):
    """Does LTT show @shown for what strace calls @traced? @passed is its value."""
    value = number(shown)
    if value is not None:
        if value not in (passed, passed % 2**32, passed % 2**64):
            return False
        other = number(traced) if traced is not None else None
        # strace shows ids with a sign, which they do not have.
        if field in ("user", "group") and other == -1:
            other = 2**32 - 1
        return other is None or other == value
    if traced is None:
        return False
    if traced.startswith('"'):
        return traced == f'"{shown}"'
    return names(shown) == names(traced)


def same_result(shown, traced, result):
    """Does LTT show the result as strace and the program know it?"""
    if result < 0:
        return (getattr(errno, shown, 0) == -result and
                traced.startswith(f"-1 {shown} "))
    return number(shown) == result == number(traced.split(" ")[0])


def main():
    with open(sys.argv[1], encoding="utf-8") as lines:
        called = [line.split() for line in lines]
    traced = list(read_strace(sys.argv[2]))
    shown = list(read_text(sys.argv[3]))
    if not len(called) == len(traced) == len(shown):
        print(f"{len(called)} calls, {len(traced)} in strace, {len(shown)} in LTT")
    wrong = 0
    for call, other, ours in zip(called, traced, shown):
        name, result, *passed = call[0], *map(int, call[1:])
        ok = name == other[0] == ours[0] and len(ours[1]) == len(passed)
        ok = ok and same_result(ours[2], other[2], result)
        # strace leaves out arguments that do not matter.
        optional = other[1] + [None] * (len(passed) - len(other[1]))
        ok = ok and all(same_argument(*field, argument, value)
                        for field, argument, value in zip(ours[1], optional, passed))
        if not ok:
            print("called:", *call)
            print("strace:", *other)
            print("LTT:   ", *ours)
            wrong += 1
    kinds = len({call[0] for call in called})
    print(f"{len(called)} calls of {kinds} kinds, {wrong} are shown wrongly")
    return wrong or not len(called) == len(traced) == len(shown) or kinds < 50


sys.exit(1 if main() else 0)
