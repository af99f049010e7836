#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Do ftrace's kprobe events and LTT's kprobe markers show the same values?

usage: kprobes.py FTRACE LTT COMM HALF MOST

FTRACE is tracefs' trace file, LTT the text pipe, of the same definitions and the same
run of COMM, which both saw from its beginning to its end. All its events, which have the
argument comm, must be the same on each CPU: number, order, probe addresses and all values,
half of the times within HALF us, and 95 of 100 within MOST.

One thing ftrace does not tell: of a number in memory that is not there it shows what its
buffer held before. LTT shows 0. So the argument raw, of the memory where uname is, is
compared unless that was found to be "(fault)" and LTT's raw is 0.
"""

import collections
import re
import sys

FTRACE = re.compile(r"\s*(.*)-\d+\s+\[(\d+)\] \S+ +(\d+)\.(\d{6}): (\w+): \((.*?)\)( .*)?$")
LTT = re.compile(r"(\d+)\.(\d{9}) \[(\d+)\] \w+\.(\w+): (.*)$")


def value(text):
    """An integer, a list of them, or other text without quotes."""
    if text[:1] in "{[" and text[-1:] in "}]":
        return [value(item) for item in text[1:-1].split(",")]
    try:
        return int(text, 0)
    except ValueError:
        return text[1:-1] if text[:1] == '"' else text


def read_ftrace(path, comm):
    cpus = collections.defaultdict(list)
    fields = {}
    for line in open(path):
        match = FTRACE.match(line.rstrip("\n"))
        if not match:
            continue
        _, cpu, sec, usec, name, place, rest = match.groups()
        words = re.findall(r' (\w+)=("(?:[^"]*)"|\{[^}]*\}|[^ ]+(?: \[\w+\])?)', rest or "")
        fields[name] = [word for word, _ in words]
        if dict(words).get("comm") != f'"{comm}"':
            continue
        where = place.split(" <- ")[::-1]
        cpus[int(cpu)].append((int(sec) * 10**6 + int(usec),
                               (name, where, [value(v) for _, v in words])))
    return cpus, fields


def read_ltt(path, comm, fields):
    cpus = collections.defaultdict(list)
    for line in open(path):
        match = LTT.match(line.rstrip("\n"))
        if not match or match[4] not in fields:
            continue
        sec, nsec, cpu, name, rest = match.groups()
        begin = "ip (.*?)" if rest.startswith("ip ") else "func (.*?) from (.*?)"
        found = re.match(begin + "".join(f" {field} (.*?)" for field in fields[name]) + "$",
                         rest)
        if not found:
            sys.exit(f"no such fields: {line}")
        values = list(found.groups())
        fixed = len(values) - len(fields[name])
        if values[fixed + fields[name].index("comm")] != comm:
            continue
        cpus[int(cpu)].append((int(sec) * 10**6 + int(nsec) // 1000,
                               (name, values[:fixed], [value(v) for v in values[fixed:]])))
    return cpus


def same(theirs, ours, fields):
    if theirs[0] == ours[0] and "raw" in fields:
        uname, raw = fields.index("uname"), fields.index("raw")
        if theirs[2][uname] == ours[2][uname] == "(fault)" and ours[2][raw] == 0:
            theirs = (*theirs[:2], [*theirs[2][:raw], 0, *theirs[2][raw + 1:]])
    return theirs == ours


def main():
    comm = sys.argv[3]
    half_us, most_us = map(int, sys.argv[4:6])
    ftrace, fields = read_ftrace(sys.argv[1], comm)
    ltt = read_ltt(sys.argv[2], comm, fields)
    bad = 0
    apart = []
    kinds = collections.Counter()
    for cpu in sorted(set(ftrace) | set(ltt)):
        theirs, ours = ftrace[cpu], ltt[cpu]
        if len(theirs) != len(ours):
            print(f"cpu {cpu}: ftrace {len(theirs)} events, LTT {len(ours)}")
            bad += 1
        for (t_time, t_event), (o_time, o_event) in zip(theirs, ours):
            apart.append(abs(t_time - o_time))
            kinds[o_event[0]] += 1
            if not same(t_event, o_event, fields[o_event[0]]):
                print(f"cpu {cpu}: ftrace {t_time} {t_event}\n       LTT    {o_time} {o_event}")
                bad += 1
                break
    apart.sort()
    half, most = (apart[len(apart) * n // 100] if apart else None for n in (50, 95))
    for kind, count in sorted(kinds.items()):
        print(f"{count} {kind} with {len(fields[kind])} arguments")
    print(f"{len(apart)} events compared, times differ by {most} us or less (95 of 100), "
          f"by {half} us (half of them)")
    if set(kinds) != set(fields):
        print(f"nothing compared of {set(fields) - set(kinds)}")
        bad += 1
    sys.exit(bool(bad or len(apart) < 500 or half > half_us or most > most_us))


main()
