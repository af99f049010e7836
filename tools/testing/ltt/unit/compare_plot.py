#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Does the page of `ltt plot` have what `ltt view` shows?

usage: compare_plot.py PAGE TEXT AHEAD [--hidden] < JSON

TEXT and JSON are the trace in the default style and in the style json; AHEAD is JSON of all switches from
the same time on. --hidden: sched_switch is in the JSON, but the page does not show its events.

All lines, with times and CPUs, must be there; whose events they are, who runs when on which CPU,
interrupts, and times in which events were lost are found out here again. Prints how many there are.
"""

import base64
import json
import re
import sys
import zlib


def parts(page):
    """What the page is made of: meta, and the bytes of each part"""
    found = dict(re.findall(r'<script type="[a-z/]*" id="data-(\w+)">\s*(.*?)\s*</script>', page, re.S))
    meta = json.loads(found.pop("meta"))
    data = {name: base64.b64decode(text, validate=True) for name, text in found.items()}
    if meta["packed"]:
        data = {name: zlib.decompress(packed) for name, packed in data.items()}
    return meta, data


def numbers(data, nr):
    """Unsigned LEB128, so many in a record"""
    value, shift, record = 0, 0, []
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte & 128:
            continue
        record.append(value)
        value, shift = 0, 0
        if len(record) == nr:
            yield record
            record = []
    assert not shift and not record, "a part ends in the middle of a record"


def intervals(data, begin):
    """(begin, end, cpu, what)"""
    time = begin
    for since, duration, cpu, what in numbers(data, 4):
        time += since
        yield time - duration, time, cpu, what


def name_of(value):
    """A string of JSON, or one that is not UTF-8"""
    if isinstance(value, dict):
        return bytes.fromhex(value["bytes"]).decode("utf-8", "replace")
    return value


class Machine:
    """What the events say of the CPUs"""

    def __init__(self, first, ahead):
        self.first = first
        self.since, self.last, self.irq, self.running, self.names = {}, {}, {}, {}, {}
        self.runs, self.irqs, self.losses, self.seen = [], [], [], set()
        for event in ahead:
            self.running.setdefault(event["cpu"], event["fields"].get("prev_pid", 0) if "event" in event else 0)

    def end_run(self, cpu, tid, time):
        since = self.since.get(cpu)
        if tid and since is not None:
            self.runs.append((since, time, cpu, tid))
        self.since[cpu] = time

    def loss(self, event):
        cpu, time, channel = event["cpu"], event["ts"], event["channel"]
        last = self.last.get((event.get("trace"), channel, cpu), self.first)
        self.losses.append((last, time, cpu, event.get("events", 0)))
        self.seen.add(cpu)
        if channel in ("sched", "shared"):
            self.since[cpu] = None
        if channel in ("irq", "shared"):
            self.irq[cpu] = None

    def interrupt(self, cpu, kind, begins, time):
        if begins and self.irq.get(cpu) is None:
            self.irq[cpu] = (time, kind)
        elif not begins and self.irq.get(cpu) and self.irq[cpu][1] == kind:
            self.irqs.append((self.irq[cpu][0], time, cpu, 0))
            self.irq[cpu] = None

    def take(self, event):
        """Returns whose it is, 0: nobody's"""
        cpu, time, channel, marker = event["cpu"], event["ts"], event["channel"], event["event"]
        fields = event["fields"]
        if cpu not in self.seen:
            self.since[cpu] = time
        self.seen.add(cpu)
        tid = self.running.get(cpu, 0)
        is_switch = (channel, marker) == ("sched", "sched_switch")
        if "tid" in event.get("context", {}):
            tid = event["context"]["tid"]
        elif is_switch:
            tid = fields["prev_pid"]
        elif self.since.get(cpu) is None:
            tid = 0
        if is_switch:
            if self.running.get(cpu, 0) != fields["prev_pid"]:
                self.since[cpu] = None
            self.end_run(cpu, fields["prev_pid"], time)
            for side in "prev", "next":
                if fields[side + "_pid"]:
                    self.names[fields[side + "_pid"]] = name_of(fields[side + "_comm"])
            self.running[cpu] = fields["next_pid"]
        elif channel == "irq" and marker.rsplit("_", 1)[0] in ("irq_handler", "softirq") and not marker.endswith("raise"):
            self.interrupt(cpu, marker.rsplit("_", 1)[0], marker.endswith("_entry"), time)
        # Where the events of several channels are in one stream, any of them.
        for stream in channel, "shared":
            self.last[event.get("trace"), stream, cpu] = time
        return tid


def same(what, found, wanted):
    """The first one that differs is told"""
    found, wanted = list(found), list(wanted)
    for i, (one, other) in enumerate(zip(found, wanted)):
        if one != other:
            sys.exit(f"{what} {i}: the page has {one}, wanted {other}")
    if len(found) != len(wanted):
        sys.exit(f"{what}: the page has {len(found)}, wanted {len(wanted)}")
    print(len(found), what)


def main():
    hidden = "--hidden" in sys.argv
    with open(sys.argv[1], encoding="utf-8") as file:
        page = file.read()
    with open(sys.argv[2], "rb") as file:
        lines = [line for line in file.read().split(b"\n") if line and not line.startswith(b"# LTT trace ")][1:]
    events = [json.loads(line) for line in sys.stdin.buffer][1:]
    meta, data = parts(page)
    assert not re.search(r"https?:|<[^>]*\s(src|href)=", page), "the page refers to another one"
    assert page.count("</script>") == len(data) + 2

    with open(sys.argv[3], "rb") as file:
        machine = Machine(events[0]["ts"], [json.loads(line) for line in file][1:])
    shown = []
    for event in events:
        if "event" not in event:
            machine.loss(event)
            shown.append((event["ts"], event["cpu"], 0))
            continue
        tid = machine.take(event)
        if not (hidden and event["event"] == "sched_switch"):
            shown.append((event["ts"], event["cpu"], tid))
    for cpu in sorted(machine.seen):
        machine.end_run(cpu, machine.running.get(cpu, 0), events[-1]["ts"])

    begin = int(meta["begin"])
    tids = [0] + [tid for tid, _ in meta["threads"]]
    time, found = begin, []
    for since, cpu, thread in numbers(data["events"], 3):
        time += since
        found.append((time, cpu, tids[thread]))
    same("events", found, shown)
    assert meta["events"] == len(shown)
    same("lines", data["lines"].split(b"\n")[:-1], lines)
    same("runs", [(*rest, tids[what + 1]) for *rest, what in intervals(data["runs"], begin)], machine.runs)
    same("interrupts", intervals(data["irqs"], begin), machine.irqs)
    same("losses", intervals(data["losses"], begin), machine.losses)
    names = {tid: name for tid, name in meta["threads"] if name}
    same("threads with names", sorted(names.items()), sorted(machine.names.items()))


main()
