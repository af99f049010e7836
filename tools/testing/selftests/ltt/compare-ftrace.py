#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# compare-ftrace.py FTRACE LTT FROM
#
# FTRACE is what `trace-cmd report -R -t` prints, LTT the text pipe, of the same
# sched_switch and sys_enter events, FROM the monotonic time in ns at which both
# recorded everything. On each CPU the two must be the same sequence from there on,
# but for events at the end that only the one that stopped last has. Both probes run
# with preemption disabled and neither event can happen in an interrupt, so that not
# even neighbours may be swapped.

import re
import struct
import sys

from align import NEAR_NS, align

ALIKE = 50                  # an idle CPU does the same again and again
APART_NS = 1_000_000        # 99 of 100 are nearer; between two probes a virtual CPU
                            # may be taken away

# Bits of prev_state.
DEAD, ZOMBIE = 16, 32


def settled(state):
    # A task that leaves for good is a zombie until its parent, on another CPU,
    # has seen it: that may happen between the two probes.
    return DEAD if state == ZOMBIE else state


def read_ftrace(path):
    line_re = re.compile(r'\[(\d+)\]\s+(\d+)\.(\d{9}): +(\w+): +(.*)')
    cpus = {}
    for line in open(path):
        m = line_re.search(line)
        if not m:
            continue
        cpu, sec, nsec, name, rest = m.groups()
        time = int(sec) * 10**9 + int(nsec)
        if name == 'sched_switch':
            # Commands may hold blanks: values reach up to the next name.
            f = re.search(r'prev_comm=(.*?) prev_pid=(\d+) prev_prio=(\d+) '
                          r'prev_state=(0x)?([0-9a-f]+) next_comm=(.*?) '
                          r'next_pid=(\d+) next_prio=(\d+)', rest).groups()
            state = settled(int(f[4], 16 if f[3] else 10))
            key = ('switch', f[0], int(f[1]), int(f[2]), state, f[5], int(f[6]),
                   int(f[7]))
        elif name == 'sys_enter':
            f = re.search(r'id=(-?\w+) args=(.*)', rest).groups()
            # Six words, shown as an array of bytes.
            data = bytes(int(a, 16) for a in re.findall(r'\b[0-9a-f]+\b', f[1]))
            key = ('enter', int(f[0], 0), struct.unpack('=6Q', data))
        else:
            continue
        cpus.setdefault(int(cpu), []).append((time, key))
    return cpus


def read_ltt(path):
    line_re = re.compile(r'(\d+)\.(\d{9}) \[(\d+)\] (\S+): (.*)')
    cpus = {}
    for line in open(path):
        m = line_re.match(line)
        if not m:
            continue
        sec, nsec, cpu, name, rest = m.groups()
        time = int(sec) * 10**9 + int(nsec)
        if name == 'sched.sched_switch':
            f = re.match(r'prev_comm (.*) prev_pid (\d+) prev_prio (\d+) '
                         r'prev_state (\d+) next_comm (.*) next_pid (\d+) '
                         r'next_prio (\d+)$', rest).groups()
            key = ('switch', f[0], int(f[1]), int(f[2]), settled(int(f[3])), f[4],
                   int(f[5]), int(f[6]))
        elif name == 'raw_syscalls.sys_enter':
            f = re.match(r'id (-?\d+) args \[(.*)\]$', rest).groups()
            key = ('enter', int(f[0]), tuple(int(a) for a in f[1].split(',')))
        else:
            continue
        cpus.setdefault(int(cpu), []).append((time, key))
    return cpus


def main():
    ftrace, ltt, start = read_ftrace(sys.argv[1]), read_ltt(sys.argv[2]), int(sys.argv[3])
    bad = total = edges = 0
    apart = []
    for cpu in sorted(set(ftrace) | set(ltt)):
        f = ftrace.get(cpu, [])
        l = [event for event in ltt.get(cpu, []) if event[0] >= start]
        if not f or not l:
            print(f'cpu {cpu}: ftrace {len(f)}, LTT {len(l)}')
            bad += 1
            continue
        skip = align(l, f, ALIKE)
        if skip is None:
            print(f'cpu {cpu}: nothing in common')
            bad += 1
            continue
        pairs = list(zip(f[skip:], l))
        rest = len(f) - skip + len(l) - 2 * len(pairs)
        for (ft, fk), (lt, lk) in pairs:
            apart.append(abs(ft - lt))
            if fk != lk or apart[-1] >= NEAR_NS:
                print(f'cpu {cpu}: ftrace {ft} {fk}\n       LTT    {lt} {lk}')
                bad += 1
                break
        # Left over may only be what came after the other had stopped.
        longer, end = (f, l[-1][0]) if len(f) - skip > len(l) else (l, f[-1][0])
        inside = sum(1 for time, _ in longer[len(longer) - rest:] if time < end - NEAR_NS)
        if rest and inside:
            print(f'cpu {cpu}: {inside} events missing before the end')
            bad += 1
        print(f'cpu {cpu}: {len(pairs)} compared, at the edges {skip + rest}')
        total += len(pairs)
        edges += skip + rest
    apart.sort()
    p99 = apart[len(apart) * 99 // 100]
    print(f'{total} events compared, {edges} at the edges, times differ by {p99} ns or '
          f'less (99 of 100), by {apart[-1]} ns at most')
    sys.exit(1 if bad or total < 1000 or edges > total / 10 or p99 > APART_NS else 0)


main()
