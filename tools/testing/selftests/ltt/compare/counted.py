#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: counted.py COUNTED TEXT BYTES LOST

Of what ltt-test's writers had committed when the machine crashed, how much was found? COUNTED
is what they counted themselves, in memory that LTT does not know: debugfs ltt_test/counted.
TEXT shows what was found. The buffer of a CPU keeps the newest events, BYTES of them at least:
so many must be there, from the oldest that is there to the last one counted. An event that was
being recorded may be anything, as may those of interrupts that came meanwhile, which can be many
if an emulated processor had to wait: not more are missing than there are such lines, and LOST, which
could not be shown. Where there was none, all must be there.

Prints "committed C expected E found F unfinished U share P %": events that were counted, those of
them that must be there, and are; and what comes after them. The status is 1 if anything is wrong.
"""

import collections
import re
import sys

LINE = re.compile(r'\d+\.\d{9} \[(\d+)\] ltt_test\.event: (.*)\n')
FIELDS = re.compile(r'context ([0-3]) seq (\d+) tail ?([a-z]*)$')
COUNTS = re.compile(r'cpu (\d+) context (\d) begun (\d+) committed (\d+)$')
LETTERS = 'abcdefghijklmnopqrstuvwxyz'
# Header, context, number, and half of the letters with their NUL; and a little for headers of
# packets and for what stays free at the ends of these.
EVENT_BYTES = 4 + 1 + 8 + 14 + 0.5


def counts(name):
    """Of each CPU, for each context, how many events were begun, and committed."""
    counted = collections.defaultdict(dict)
    with open(name, encoding='ascii') as f:
        for line in f:
            cpu, context, begun, committed = map(int, COUNTS.match(line).groups())
            # One that is just being counted was committed, or not.
            if not 0 <= begun - committed <= 1:
                sys.exit(f'CPU {cpu} context {context}: {committed} of {begun} were committed')
            counted[cpu][context] = begun, committed
    return counted


def events(name):
    """Of each CPU, its events."""
    found = collections.defaultdict(list)
    with open(name, encoding='latin-1', newline='\n') as f:
        for line in f:
            if line.startswith('#'):
                continue
            match = LINE.match(line)
            if not match:
                sys.exit(f'{name}: not a line: {line!r}')
            found[int(match[1])].append(match[2])
    return found


def is_next(fields, last, counted):
    """Is it an event that was begun, after the last one of its context, with its letters?"""
    match = FIELDS.match(fields)
    if not match:
        return False
    context, seq = int(match[1]), int(match[2])
    if (not last.get(context, -1) < seq < counted[context][0] or
            match[3] != LETTERS[seq % (len(LETTERS) + 1):]):
        return False
    last[context] = seq
    return True


class Cpu:
    """What was found of one."""

    def __init__(self, number, lines, counted, room):
        first, last, good = {}, {}, 0
        for fields in lines:
            if not is_next(fields, last, counted):
                break
            good += 1
            for context in last:
                first.setdefault(context, last[context])
        self.unfinished = len(lines) - good
        self.committed = sum(committed for _, committed in counted.values())
        if not self.committed:
            sys.exit(f'CPU {number} has done nothing')
        # Of those that were begun, the last one may be there, but not have been counted.
        early = sum(seq == counted[context][1] for context, seq in last.items())
        self.found = good - early
        due = sum(counted[context][1] - seq for context, seq in first.items())
        # That is not all if older ones are missing.
        self.expected = max(due, min(room, self.committed))
        if self.found < self.expected:
            print(f'CPU {number}: {self.expected - self.found} of {self.expected} are missing')
            if all(begun == committed for begun, committed in counted.values()):
                sys.exit(f'CPU {number} was not in the middle of any')
        if self.unfinished > 1:
            print(f'CPU {number}: {self.unfinished} are unfinished: {lines[good:][:9]}')


def main():
    counted, found = counts(sys.argv[1]), events(sys.argv[2])
    room, lost = int(int(sys.argv[3]) / EVENT_BYTES), int(sys.argv[4])
    if not counted or set(found) - set(counted):
        sys.exit('counts are missing')
    cpus = [Cpu(cpu, found[cpu], counted[cpu], room) for cpu in sorted(counted)]
    expected = sum(cpu.expected for cpu in cpus)
    recovered = sum(cpu.found for cpu in cpus)
    unfinished = sum(cpu.unfinished for cpu in cpus)
    print(f'committed {sum(cpu.committed for cpu in cpus)} expected {expected} '
          f'found {recovered} unfinished {unfinished} share {100 * recovered / expected:.4f} %')
    sys.exit(expected - recovered > unfinished + lost)


if __name__ == '__main__':
    main()
