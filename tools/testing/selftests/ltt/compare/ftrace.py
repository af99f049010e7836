#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# ftrace.py FTRACE LTT FROM [faultable]
#
# FTRACE is what `trace-cmd report -R -t` prints, LTT the text pipe, of the same
# sched_switch and sys_enter events, FROM the monotonic time in ns at which both
# recorded everything. On each CPU the two must be the same sequence from there on,
# but for events at the end that only the one that stopped last has. Both probes run
# with preemption disabled and neither event can happen in an interrupt, so that not
# even neighbours may be swapped.
#
# faultable: since Linux 6.13 a task can be preempted between the two probes of sys_enter.
# So one that LTT has right before the task is preempted, ftrace may have right after the
# task goes on, on whatever CPU that is.

import re
import struct
import sys

from align import NEAR_NS, align

ALIKE = 50                  # an idle CPU does the same again and again
EDGE_NS = 10_000_000        # what ftrace has longer before or after LTT is not looked at
APART_NS = 1_000_000        # 99 of 100 are nearer; between two probes a virtual CPU
                            # may be taken away

# Bits of prev_state.
DEAD, ZOMBIE, PREEMPTED = 16, 32, 256


def settled(state):
    # A task that leaves for good is a zombie until its parent, on another CPU,
    # has seen it: that may happen between the two probes.
    return DEAD if state == ZOMBIE else state


def read(path, line_re, key_of):
    """Events per CPU, (time in ns, key): of the lines that match, if they have a key."""
    cpus = {}
    for line in open(path):
        m = line_re.search(line)
        key = m and key_of(m['name'], m['rest'])
        if key:
            time = int(m['sec']) * 10**9 + int(m['nsec'])
            cpus.setdefault(int(m['cpu']), []).append((time, key))
    return cpus


FTRACE_LINE = re.compile(r'\[(?P<cpu>\d+)\]\s+(?P<sec>\d+)\.(?P<nsec>\d{9}): '
                         r'+(?P<name>\w+): +(?P<rest>.*)')


def ftrace_key(name, rest):
    if name == 'sched_switch':
        # Commands may hold blanks: values reach up to the next name.
        f = re.search(r'prev_comm=(.*?) prev_pid=(\d+) prev_prio=(\d+) '
                      r'prev_state=(0x)?([0-9a-f]+) next_comm=(.*?) '
                      r'next_pid=(\d+) next_prio=(\d+)', rest).groups()
        state = settled(int(f[4], 16 if f[3] else 10))
        return ('switch', f[0], int(f[1]), int(f[2]), state, f[5], int(f[6]), int(f[7]))
    if name == 'sys_enter':
        f = re.search(r'id=(-?\w+) args=(.*)', rest).groups()
        # Six words, shown as an array of bytes.
        data = bytes(int(a, 16) for a in re.findall(r'\b[0-9a-f]+\b', f[1]))
        return ('enter', int(f[0], 0), struct.unpack('=6Q', data))
    return None


LTT_LINE = re.compile(r'^(?P<sec>\d+)\.(?P<nsec>\d{9}) \[(?P<cpu>\d+)\] '
                      r'(?P<name>\S+): (?P<rest>.*)')


def ltt_key(name, rest):
    if name == 'sched.sched_switch':
        f = re.match(r'prev_comm (.*) prev_pid (\d+) prev_prio (\d+) '
                     r'prev_state (\d+) next_comm (.*) next_pid (\d+) '
                     r'next_prio (\d+)$', rest).groups()
        return ('switch', f[0], int(f[1]), int(f[2]), settled(int(f[3])), f[4], int(f[5]),
                int(f[6]))
    if name == 'raw_syscalls.sys_enter':
        f = re.match(r'id (-?\d+) args \[(.*)\]$', rest).groups()
        return ('enter', int(f[0]), tuple(int(a) for a in f[1].split(',')))
    return None


class Cpu:
    """What both have of a CPU, and how far they have been compared."""

    def __init__(self, number, ftrace, ltt, skip):
        self.number, self.ftrace, self.ltt, self.skip = number, ftrace, ltt, skip
        self.f, self.l, self.pairs, self.bad = skip, 0, 0, False

    def left(self):
        return not self.bad and self.f < len(self.ftrace) and self.l < len(self.ltt)

    def time(self):
        return self.ltt[self.l][0]

    def wrong(self, what):
        print(f'cpu {self.number}: {what}')
        self.bad = True

    def preempts(self, key):
        """Is ftrace's next event that a task, or this one, is preempted?"""
        event = self.ftrace[self.f][1] if self.f < len(self.ftrace) else ('none',)
        return event[0] == 'switch' and event[4] == PREEMPTED and key in (None, event[2])

    def step(self, apart, faultable, waiting):
        """One event of LTT's; waiting has sys_enter of preempted tasks, by their number."""
        (ft, fk), (lt, lk) = self.ftrace[self.f], self.ltt[self.l]
        self.l += 1
        if (faultable and lk != fk and lk[0] == 'enter' and self.preempts(None) and
                self.l < len(self.ltt) and self.ltt[self.l][1] == fk):
            waiting[fk[2]] = lk
            return
        if fk != lk or abs(ft - lt) >= NEAR_NS:
            self.wrong(f'ftrace {ft} {fk}\n       LTT    {lt} {lk}')
            return
        apart.append(abs(ft - lt))
        self.pairs += 1
        self.f += 1
        if lk[0] == 'switch' and lk[6] in waiting and self.f < len(self.ftrace):
            if self.ftrace[self.f][1] == waiting[lk[6]]:
                del waiting[lk[6]]
                self.f += 1
            elif not self.preempts(lk[6]):
                self.wrong(f'ftrace lacks {waiting[lk[6]]} before {self.ftrace[self.f]}')


def main():
    ftrace = read(sys.argv[1], FTRACE_LINE, ftrace_key)
    ltt = read(sys.argv[2], LTT_LINE, ltt_key)
    start = int(sys.argv[3])
    faultable = sys.argv[4:] == ['faultable']
    bad = edges = 0
    apart, cpus, waiting = [], [], {}
    stop = max((events[-1][0] for events in ltt.values()), default=0)
    for cpu in sorted(set(ftrace) | set(ltt)):
        f = [event for event in ftrace.get(cpu, [])
             if start - EDGE_NS <= event[0] <= stop + EDGE_NS]
        l = [event for event in ltt.get(cpu, []) if event[0] >= start]
        skip = align(l, f, ALIKE) if f and l else None
        if skip is None:
            print(f'cpu {cpu}: ftrace {len(f)}, LTT {len(l)}, nothing in common')
            bad += 1
            continue
        cpus.append(Cpu(cpu, f, l, skip))
    # In order of time: a task that is preempted on one CPU may go on on another.
    while any(cpu.left() for cpu in cpus):
        min((cpu for cpu in cpus if cpu.left()), key=Cpu.time).step(apart, faultable, waiting)
    for cpu in cpus:
        # Left over may only be what came after the other had stopped.
        end = min(cpu.ftrace[-1][0], cpu.ltt[-1][0]) - NEAR_NS
        rest = cpu.ftrace[cpu.f:] + cpu.ltt[cpu.l:]
        inside = sum(1 for time, _ in rest if time < end)
        if inside and not cpu.bad:
            cpu.wrong(f'{inside} events missing before the end')
        print(f'cpu {cpu.number}: {cpu.pairs} compared, at the edges {cpu.skip + len(rest)}')
        edges += cpu.skip + len(rest)
        bad += cpu.bad
    apart.sort()
    total, p99 = len(apart), apart[len(apart) * 99 // 100] if apart else 0
    print(f'{total} events compared, {edges} at the edges, times differ by {p99} ns or '
          f'less (99 of 100), by {max(apart, default=0)} ns at most')
    sys.exit(1 if bad or total < 1000 or edges > total / 10 or p99 > APART_NS else 0)


main()
