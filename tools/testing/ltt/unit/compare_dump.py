#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: compare_dump.py WHY LOG TEXT EVENTS [running]

Is the dump in the kernel's LOG, "panic" or "oops", right? TEXT is what a reader of the trace
has seen. The dump must be the last EVENTS lines of it, byte for byte; if the trace was still
running, it must begin so, and go on with events of ltt-test in order, without a gap. Prints
what is wrong.
"""

import re
import sys

PREFIX = re.compile(r'\[ *\d+\.\d{6}\](?:\[ *[TC]\d+\])? ')
EVENT = re.compile(r'(\d+\.\d{9}) \[(\d+)\] ltt_test\.event: context (\d) seq (\d+) tail ([a-z]*)')
LETTERS = 'abcdefghijklmnopqrstuvwxyz'


def fail(why):
    sys.exit('compare_dump.py: ' + why)


def dumped(path, why):
    """The lines of the dump, without what the log has before each."""
    lines, inside = [], False
    with open(path, encoding='utf-8', errors='replace', newline='') as log:
        for line in log.read().split('\n'):
            line = PREFIX.sub('', line.rstrip('\r'), count=1)
            if line == f'# LTT dump ({why}): begin':
                if inside or lines:
                    fail('there are two dumps')
                inside = True
            if inside:
                lines.append(line)
            if line.startswith(f'# LTT dump ({why}): end'):
                inside = False
    if not lines or inside:
        fail('there is no dump, or no end of it')
    return lines


def events(lines):
    """Without notices, and what others put into the log meanwhile."""
    return [line for line in lines if re.match(r'\d+\.\d{9} \[', line)]


def text(path):
    with open(path, encoding='utf-8', newline='') as file:
        # The last line may not have got here as a whole.
        return events(file.read().split('\n')[:-1])


def check_order(lines):
    times = [tuple(map(int, line.split()[0].split('.'))) for line in lines]
    for before, after in zip(times, times[1:]):
        if before > after:
            fail(f'{after} comes after {before}')


def check_numbers(lines):
    """Whole events, and all of those in between."""
    numbers = {}
    for line in lines:
        found = EVENT.fullmatch(line)
        if not found:
            fail(f'not an event: {line}')
        _, cpu, context, number, tail = found.groups()
        number = int(number)
        if tail != LETTERS[number % 27:]:
            fail(f'torn: {line}')
        if numbers.get((cpu, context), number) != number:
            fail(f'{numbers[cpu, context]} is missing before: {line}')
        numbers[cpu, context] = number + 1
    return {cpu for cpu, _ in numbers}


def main():
    why, log, seen, wanted, *running = sys.argv[1:]
    all_lines = dumped(log, why)
    for line in all_lines:
        if line.startswith('#'):
            print('# ' + line)
    lines, seen, wanted = events(all_lines), text(seen), int(wanted)
    if len(lines) != wanted:
        fail(f'{len(lines)} events instead of {wanted}')
    check_order(lines)
    if not running:
        if lines != seen[-wanted:]:
            wrong = next(i for i in range(wanted) if lines[i] != seen[-wanted:][i])
            fail(f'line {wrong} is: {lines[wrong]}\n  instead of: {seen[-wanted:][wrong]}')
        return
    cpus = check_numbers(lines)
    if lines[0] not in seen:
        fail(f'nobody has seen the first: {lines[0]}; the last seen: {seen[-1]}')
    seen = seen[seen.index(lines[0]):]
    if seen != lines[:len(seen)]:
        fail('it does not begin like the text')
    if len(seen) == wanted:
        fail('all had been read: nothing was running')
    print(f'# {len(seen)} of {wanted} lines had been read, CPUs {" ".join(sorted(cpus))}')
    if len(cpus) < 4:
        fail('not all CPUs are in it')


if __name__ == '__main__':
    main()
