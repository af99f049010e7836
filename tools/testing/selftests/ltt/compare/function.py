#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# function.py FTRACE LTT
#
# FTRACE is tracefs' trace file of the function tracer with the option sym-offset,
# LTT the text pipe, of the entries of the same functions. LTT recorded while ftrace
# did: on each CPU, what LTT has must be an unbroken part of what ftrace has, of
# the same functions with the same callers, at the same times but for the
# microseconds between two callbacks.

import re
import sys

from align import NEAR_NS, align

APART_NS = 1_000_000        # 99 of 100 are nearer; between two callbacks a virtual CPU
                            # may be taken away
BEGIN = 20                  # so many in a row tell where LTT begins


def read_ftrace(path):
    line_re = re.compile(r'\[(\d+)\] \S+ +(\d+)\.(\d{6}): ([^ +]+)\S*( \[\w+\])? <-(.*)')
    cpus = {}
    for line in open(path, errors='replace'):
        if line.startswith('#'):
            m = re.match(r'# entries-in-buffer/entries-written: (\d+)/(\d+)', line)
            if m and m[1] != m[2]:
                sys.exit(f'ftrace lost entries: {line}')
            continue
        m = line_re.search(line)
        if not m:
            sys.exit(f'no entry of a function: {line}')
        cpu, sec, usec, function, module, parent = m.groups()
        cpus.setdefault(int(cpu), []).append(
            (int(sec) * 10**9 + int(usec) * 1000, (function + (module or ''), parent)))
    return cpus


def read_ltt(path):
    line_re = re.compile(r'(\d+)\.(\d{9}) \[(\d+)\] function\.entry: ip (\S+(?: \[\w+\])?) '
                         r'parent_ip (.*)')
    cpus = {}
    for line in open(path):
        if line.startswith('#'):
            if line.startswith('# lost'):
                sys.exit(f'LTT lost entries: {line}')
            continue
        m = line_re.match(line)
        if not m:
            sys.exit(f'no entry of a function: {line}')
        sec, nsec, cpu, function, parent = m.groups()
        cpus.setdefault(int(cpu), []).append(
            (int(sec) * 10**9 + int(nsec), (function, parent)))
    return cpus


def main():
    ftrace, ltt = read_ftrace(sys.argv[1]), read_ltt(sys.argv[2])
    bad = total = 0
    apart = []
    seen = set()
    for cpu in sorted(ltt):
        l, f = ltt[cpu], ftrace.get(cpu, [])
        at = align(l, f, BEGIN)
        if at is None:
            print(f'cpu {cpu}: LTT {len(l)} and ftrace {len(f)} have nothing in common')
            bad += 1
            continue
        if len(f) - at < len(l):
            print(f'cpu {cpu}: ftrace ends before LTT')
            bad += 1
        for (ft, fk), (lt, lk) in zip(f[at:], l):
            apart.append(abs(ft - lt))
            seen.add(lk)
            if fk != lk or apart[-1] >= NEAR_NS:
                print(f'cpu {cpu}: ftrace {ft} {fk}\n       LTT    {lt} {lk}')
                bad += 1
                break
        rest = f[at + len(l):]
        print(f'cpu {cpu}: {len(l)} entries compared, ftrace has {at} before and '
              f'{len(rest)} behind them')
        total += len(l)
    # What ftrace saw while LTT was recording on some CPU, on one where LTT saw nothing.
    if ltt:
        begin = max(l[0][0] for l in ltt.values()) + NEAR_NS
        end = min(l[-1][0] for l in ltt.values()) - NEAR_NS
        for cpu in set(ftrace) - set(ltt):
            missing = sum(1 for time, _ in ftrace[cpu] if begin < time < end)
            if missing:
                print(f'cpu {cpu}: LTT misses all of {missing} entries')
                bad += 1
    apart.sort()
    p99 = apart[len(apart) * 99 // 100] if apart else 0
    print(f'{total} entries of {len({k[0] for k in seen})} functions with '
          f'{len(seen)} callers, times differ by {p99} ns or less (99 of 100)')
    sys.exit(1 if bad or total < 1000 or len(seen) < 20 or p99 > APART_NS else 0)


main()
