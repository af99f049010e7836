#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: survived.py BEFORE AFTER

What a reader of a trace had seen when the machine crashed must be in what was found
afterwards, byte for byte: of each CPU and channel, from the first line that was found on, as
older ones were overwritten, and nothing in between. Lines that were found are in order.
Prints how many there are of what.
"""

import collections
import re
import sys

LINE = re.compile(rb'(\d+)\.(\d{9}) \[(\d+)\] ([^.]+)\.')


def lines(name):
    """Of each CPU and channel, and the times of all. The last line may be incomplete."""
    found, times = collections.defaultdict(list), []
    with open(name, 'rb') as f:
        for line in f:
            if line.startswith(b'#') or not line.endswith(b'\n'):
                continue
            match = LINE.match(line)
            if not match:
                sys.exit(f'{name}: not a line: {line!r}')
            times.append(int(match[1] + match[2]))
            found[match[3], match[4]].append(line)
    if times != sorted(times):
        sys.exit(f'{name}: not in order')
    return found


def main():
    before, after = lines(sys.argv[1]), lines(sys.argv[2])
    same = later = 0
    for key, seen in sorted(before.items()):
        what = f'CPU {int(key[0])} channel {key[1].decode()}'
        there = after[key]
        if not there:
            sys.exit(f'{what}: nothing left of {len(seen)} lines')
        # Later than all that was seen?
        start = seen.index(there[0]) if there[0] in seen else len(seen)
        if start == len(seen) and float(there[0].split()[0]) <= float(seen[-1].split()[0]):
            sys.exit(f'{what}: not seen before: {there[0]!r}')
        for old, new in zip(seen[start:], there):
            if old != new:
                sys.exit(f'{what}: was {old!r}, is {new!r}')
        missing = len(seen) - start - len(there)
        if missing > 0:
            sys.exit(f'{what}: the last {missing} lines are missing')
        same += len(seen) - start
        later += len(there) - len(seen) + start
    if not same:
        sys.exit('nothing to compare')
    print(f'{same} lines that were seen before are the same, {later} follow')


if __name__ == '__main__':
    main()
