#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Markers on tracepoints through BTF against other witnesses.

usage: btf.py values FTRACE LTT COMM [preemptible]
       btf.py counts FTRACE LTT SYSTEM [preemptible]
       btf.py arguments MARKERS MODULE BTF

values: FTRACE is tracefs' trace file, LTT the text pipe, of one workload. The events of
the tracepoints below, in which somebody called COMM takes part, must be the same on each
CPU: number, order, and the values that both show.
counts: each event of SYSTEM happened as often in both, on each CPU.
arguments: of each marker of ltt-btf in MARKERS, the arguments have the names, signs and
sizes that bpftool finds in BTF of MODULE, or of the kernel if that is vmlinux: files in the
directory BTF, as /sys/kernel/btf.

preemptible: since Linux 7.0 a task may be preempted between the two probes of a tracepoint,
and go on later or on another CPU. So a few events may be at another place in one than in
the other; but both have the same ones.
"""

import collections
import difflib
import re
import subprocess
import sys

LINE = re.compile(r"\s*(.*)-\d+\s+\[(\d+)\] \S+ +\d+\.\d{6}: (\w+): ?(.*)$")
LTT = re.compile(r"\d+\.\d{9} \[(\d+)\] (\w+)\.(\w+): ?(.*)$")
# Most events that may be at another place.
ELSEWHERE_MAX = 10
# Tracepoint: what ftrace shows, what is asked of LTT, in the same order.
PAIRS = {
    "sched_process_fork": (r"comm=(.*) pid=(\d+) child_comm=(.*) child_pid=(\d+)$",
                           r"comm (.*) pid (\d+) child_comm (.*) child_pid (\d+)$"),
    "sched_process_exec": (r"filename=(.*) pid=(\d+) old_pid=(\d+)$",
                           r"filename (.*) pid (\d+) old_pid (\d+)$"),
    "sched_process_exit": (r"comm=(.*) pid=(\d+) prio=(\d+)(?: group_dead=\w+)?$",
                           r"comm (.*) pid (\d+) prio (\d+)$"),
    "ext4_unlink_enter": (r"dev \d+,\d+ ino (\d+) size (-?\d+) parent (\d+)$",
                          r"ino (\d+) size (-?\d+) parent (\d+)$"),
    "ext4_sync_file_enter": (r"dev \d+,\d+ ino (\d+) parent (\d+) datasync (\d+) $",
                             r"ino (\d+) parent (\d+) datasync (\d+)$"),
    "ext4_da_write_begin": (r"dev \d+,\d+ ino (\d+) pos (-?\d+) len (\d+)$",
                            r"ino (\d+) pos (-?\d+) len (\d+)$"),
    "ext4_allocate_inode": (r"dev (\d+),(\d+) ino (\d+) dir (\d+) mode 0(\d+)$",
                            r"dev (\d+) ino (\d+) dir (\d+) mode (\d+)$"),
}


def inode_allocated(event):
    """A device and a mode as they are in the kernel."""
    major, minor, ino, parent, mode = event
    return str(int(major) << 20 | int(minor)), ino, parent, str(int(mode, 8))


def elsewhere(ftrace, ltt):
    """Of the events of both, lists by CPU, only a few may be at another place."""
    together = [collections.Counter(event for events in found.values() for event in events)
                for found in (ftrace, ltt)]
    for event in together[0] | together[1]:
        if together[0][event] != together[1][event]:
            sys.exit(f"{event}: {together[0][event]} in ftrace, {together[1][event]} in ltt")
    moved = sum(together[0].values())
    for cpu in ftrace:
        same = difflib.SequenceMatcher(None, ftrace[cpu], ltt[cpu], autojunk=False)
        moved -= sum(block.size for block in same.get_matching_blocks())
    if moved:
        print(f"{moved} events at another place")
    if moved > ELSEWHERE_MAX:
        sys.exit("too many of them")


def in_order(ftrace, ltt):
    """On each CPU the events must be the same."""
    for cpu in sorted(set(ftrace) | set(ltt)):
        one, other = ftrace[cpu], ltt[cpu]
        for i, (a, b) in enumerate(zip(one, other)):
            if a != b:
                sys.exit(f"cpu {cpu}, event {i}: ftrace {a}, ltt {b}")
        if len(one) != len(other):
            sys.exit(f"cpu {cpu}: {len(one)} events in ftrace, {len(other)} in ltt")


def values(ftrace, ltt, comm, compare):
    found = [collections.defaultdict(list), collections.defaultdict(list)]
    seen = collections.Counter()
    for line in open(ftrace, errors="replace"):
        match = LINE.match(line.rstrip("\n"))
        if not match or match[3] not in PAIRS:
            continue
        event = re.match(PAIRS[match[3]][0], match[4])
        if not event:
            sys.exit(f"ftrace: {line}")
        shown = event.groups()
        if match[3] == "ext4_allocate_inode":
            shown = inode_allocated(shown)
        row = (match[3], *shown)
        if match[3].startswith("ext4") or any(comm in word for word in event.groups()):
            found[0][int(match[2])].append(row)
            seen[match[3]] += 1
    for line in open(ltt, errors="replace"):
        match = LTT.match(line.rstrip("\n"))
        if not match or match[2] != "btf" or match[3] not in PAIRS:
            continue
        event = re.match(PAIRS[match[3]][1], match[4])
        if not event:
            sys.exit(f"ltt: {line}")
        row = (match[3], *event.groups())
        if match[3].startswith("ext4") or any(comm in word for word in event.groups()):
            found[1][int(match[1])].append(row)
    compare(*found)
    for name, count in sorted(seen.items()):
        print(f"{name}: {count} equal")
    if sum(seen.values()) < 20 or len(seen) < 3:
        sys.exit("too few events")


def counts(ftrace, ltt, system, compare):
    found = [collections.defaultdict(list), collections.defaultdict(list)]
    for line in open(ftrace, errors="replace"):
        match = LINE.match(line.rstrip("\n"))
        if match and match[3].startswith(f"{system}_"):
            found[0][int(match[2])].append(match[3])
    for line in open(ltt, errors="replace"):
        match = LTT.match(line.rstrip("\n"))
        if match and match[2] == system:
            found[1][int(match[1])].append(match[3])
    # Not in which order: an interrupt may come between two probes.
    for events in [*found[0].values(), *found[1].values()]:
        events.sort()
    compare(*found)
    names = {name for events in found[1].values() for name in events}
    print(f"{len(names)} kinds, {sum(map(len, found[0].values()))} events")
    if len(names) < 10:
        sys.exit("too few kinds of events")


def dump(module, btf):
    """Types by number: kind, name, the rest of the line, what is listed below it."""
    types = {0: ("VOID", "", "", [])}
    last = 0
    for name in ["vmlinux"] + ([module] if module != "vmlinux" else []):
        base = ["-B", f"{btf}/vmlinux"] if name != "vmlinux" else []
        text = subprocess.run(["bpftool", *base, "btf", "dump", "file", f"{btf}/{name}"],
                              check=True, capture_output=True, text=True).stdout
        first = last
        for line in text.splitlines():
            match = re.match(r"\[(\d+)\] (\w+) '([^']*)'(.*)", line)
            if match:
                last = int(match[1])
                types[last] = (match[2], match[3], match[4], [])
            else:
                types[last][3].append(line.strip())
    return types, first


def describe(types, number):
    while types[number][0] in ("TYPEDEF", "CONST", "VOLATILE", "RESTRICT", "TYPE_TAG"):
        number = int(re.search(r"type_id=(\d+)", types[number][2])[1])
    kind, _, rest, below = types[number]
    if kind == "PTR":
        return "%p"
    size = int(re.search(r"size=(\d+)", rest)[1])
    if kind in ("INT", "ENUM", "ENUM64") and size <= 8:
        # bpftool of some versions says SIGNED of enumerations, others do not.
        signed = re.search(r"encoding=SIGNED", rest) or any(
            re.search(r"val=-", line) for line in below)
        return "%lld" if signed else "%llu"
    if kind in ("STRUCT", "UNION") and size in (1, 2, 4, 8):
        return "0x%llx"
    return None


def arguments(markers, module, btf):
    types, first = dump(module, btf)
    shown = {}
    for line in open(markers):
        words = line.rstrip("\n").split("\t")
        if len(words) == 4 and words[1] == "ltt_btf" and words[2] in ("on", "off"):
            name = words[0].split(".")[1]
            shown[name] = words[3]
    compared = 0
    for number, (kind, name, rest, _) in types.items():
        if kind != "FUNC" or not name.startswith("__traceiter_") or number <= first:
            continue
        name = name[len("__traceiter_"):]
        if name not in shown:
            continue
        proto = types[int(re.search(r"type_id=(\d+)", rest)[1])]
        parts = [re.match(r"'(\w+)' type_id=(\d+)", line).groups() for line in proto[3][1:]]
        parts = [(arg, describe(types, int(number))) for arg, number in parts]
        if any(what is None for _, what in parts):
            sys.exit(f"{name} has a structure among its arguments: {parts}")
        want = " ".join(f"{arg} {what}" for arg, what in parts)
        if want != shown[name]:
            sys.exit(f"{name}: '{shown[name]}', not '{want}'")
        compared += 1
    print(f"{module}: {compared} compared")
    if not compared:
        sys.exit("nothing to compare")


def main():
    compare = in_order
    if len(sys.argv) == 6 and sys.argv[5] == "preemptible":
        compare = elsewhere
        sys.argv.pop()
    if len(sys.argv) == 5 and sys.argv[1] == "values":
        values(*sys.argv[2:], compare)
    elif len(sys.argv) == 5 and sys.argv[1] == "counts":
        counts(*sys.argv[2:], compare)
    elif len(sys.argv) == 5 and sys.argv[1] == "arguments":
        arguments(*sys.argv[2:])
    else:
        sys.exit(__doc__)


main()
