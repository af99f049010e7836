#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Is what `ltt export --perfetto` wrote what `ltt view --style json` shows?

usage: compare_perfetto.py PERFETTO-FILE [--hidden] < JSON

--hidden: sched_switch is in the JSON, but not in the file.

protoc decodes the file with perfetto.proto, to which the messages that the trace describes are
added. Number, order, times, CPUs, threads, names and values of all events must be the same. Who runs
is found out here from sched_switch, or taken from the context tid. Prints how many packets there
were of each kind.
"""

import collections
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
TYPES = {3: "int64", 4: "uint64", 9: "string"}
SCALAR = re.compile(r'(\w+): (?:"((?:[^"\\]|\\.)*)"|(\S+))$')


def unquote(text):
    """A string of protoc's text format"""
    return re.sub(rb"\\(?:([0-7]{3})|x([0-9a-f]{2})|(.))", lambda m:
                  bytes([int(m[1], 8)]) if m[1] else bytes([int(m[2], 16)]) if m[2] else
                  {b"n": b"\n", b"t": b"\t", b"r": b"\r"}.get(m[3], m[3]),
                  text.encode("latin-1")).decode("utf-8", "surrogateescape")


def parse(lines):
    """protoc's text format: a message is a list of (name, value)"""
    message = []
    for line in lines:
        line = line.strip()
        if line == "}":
            break
        if line.endswith(" {"):
            message.append((line[:-2], parse(lines)))
            continue
        match = SCALAR.match(line)
        if not match:
            sys.exit(f"protoc's output: {line}")
        name, text, word = match.groups()
        message.append((name, unquote(text) if text is not None else
                        word == "true" if word in ("true", "false") else int(word, 0)))
    return message


def all_of(message, name):
    """The values of a field"""
    return [value for key, value in message if key == name]


def one(message, name, default=None):
    """The value of a field"""
    found = all_of(message, name)
    if len(found) > 1:
        sys.exit(f"{name} is there {len(found)} times")
    return found[0] if found else default


def decode(path, extra="", messages=""):
    """The whole file; nothing in it must be unknown unless there are descriptions."""
    with open(os.path.join(HERE, "perfetto.proto"), encoding="utf-8") as file:
        text = file.read()
    with tempfile.TemporaryDirectory() as tmp, open(path, "rb") as data:
        with open(os.path.join(tmp, "p.proto"), "w", encoding="utf-8") as file:
            file.write(text.replace("// DESCRIBED", extra) + messages)
        done = subprocess.run(["protoc", f"-I{tmp}", "--decode=Trace", "p.proto"], stdin=data,
                              cwd=tmp, stdout=subprocess.PIPE, check=True)
    return parse(iter(done.stdout.decode("latin-1").splitlines()))


def bundles(trace):
    """Those of all packets"""
    for packet in all_of(trace, "packet"):
        yield from all_of(packet, "ftrace_events")


def with_descriptions(path):
    """Decode it twice: the second time with what it describes"""
    described, fields, messages = {}, [], []
    for bundle in bundles(decode(path)):
        for entry in all_of(bundle, "generic_event_descriptors"):
            number, message = one(entry, "field_id"), one(entry, "event_descriptor")
            if number in described or number < 65536:
                sys.exit(f"{number} is described twice, or too small")
            names = [one(field, "name") for field in all_of(message, "field")]
            described[number] = (one(entry, "group_name"), one(message, "name"), names)
            fields.append(f"optional D{number} d{number} = {number};")
            # Names of ours may be none of protoc's.
            messages.append(f"message D{number} {{" + " ".join(
                f"optional {TYPES[one(field, 'type')]} f{one(field, 'number')} = {one(field, 'number')};"
                for field in all_of(message, "field")) + "}\n")
            described[number] += ({f"f{one(field, 'number')}": one(field, "name")
                                   for field in all_of(message, "field")},)
    return decode(path, "\n".join(fields), "".join(messages)), described


def same(what, wanted, found):
    """Or it ends"""
    if wanted != found:
        sys.exit(f"{what}:\nwanted {wanted!r}\nfound  {found!r}")


ESCAPE = re.compile(r'\\(?:x([01][0-9a-f]|7f)|([nrt"\\]))')


def unescaped(match):
    """Of the style kv"""
    if match[1]:
        return chr(int(match[1], 16))
    return {"n": "\n", "r": "\r", "t": "\t"}.get(match[2], match[2])


def text_of(value):
    """A string of the JSON, which may be no UTF-8, as the export has it"""
    if isinstance(value, dict):
        return "".join(c if c < "\udc80" or c > "\udcff" else f"\\x{ord(c) - 0xdc00:02x}" for c in
                       bytes.fromhex(value["bytes"]).decode("utf-8", "surrogateescape"))
    return value


class Compare:
    """The events of both, one after the other"""

    def __init__(self, described, first):
        self.described = described
        self.running = first
        self.lost = set()
        self.count = collections.Counter()
        self.tgid = {}
        self.tracks = {}

    def thread(self, event):
        """Who it was"""
        fields, cpu = event["fields"], event["cpu"]
        tid = self.running.get(cpu, 0)
        if event["channel"] == "sched" and event["event"] == "sched_switch":
            tid = fields["prev_pid"]
            self.running[cpu] = fields["next_pid"]
        return event.get("context", {}).get("tid", tid)

    def ftrace(self, event, cpu, found):
        """One in a bundle"""
        tid = self.thread(event)
        same(f"{event} CPU", event["cpu"], cpu)
        same(f"{event} time", event["ts"], one(found, "timestamp"))
        same(f"{event} pid", tid % 2**32, one(found, "pid"))
        [(name, message)] = [entry for entry in found if entry[0] not in ("timestamp", "pid")]
        if re.fullmatch(r"d\d+", name):
            self.generic(event, int(name[1:]), message)
            return
        same("name", event["event"], name)
        known = {key: all_of(message, key) for key, _ in message}
        for key, value in event["fields"].items():
            if key in known:
                same(f"{event} {key}", value if isinstance(value, list) else [value], known.pop(key))
        same(f"{event}: more", {}, known)
        self.count[name] += 1

    def generic(self, event, number, message):
        """One that the trace describes"""
        channel, name, _, names = self.described[number]
        same("name", (event["channel"], event["event"]), (channel, name))
        fields = dict(event["fields"])
        fields.update({"$" + key: value for key, value in event.get("context", {}).items()})
        found = {names[key]: value for key, value in message}
        for key, value in fields.items():
            # Pointers are integers here, and what the kernel shows of them there.
            if key in found and isinstance(value, int) == isinstance(found[key], int):
                # What is neither an integer nor a string is as in the style kv, where numbers may be
                # hexadecimal.
                if isinstance(value, list):
                    items = [item for item in found[key].strip("[]").split(",") if item]
                    same(f"{event} {key}", len(value), len(items))
                    continue
                if isinstance(value, (str, dict)):
                    value = text_of(value)
                    if ESCAPE.sub(unescaped, found[key]) == value:
                        continue
                same(f"{event} {key}", value, found[key])
        same(f"{event}: missing", set(), set(list(fields)[:28]) - set(found))
        extra = set(found) - set(fields)
        for key in extra:
            if not re.fullmatch(r"track_event_type|slice_name|track_name|counter_value|scope_\w+", key):
                sys.exit(f"{event}: {key}")
            self.count[f"{key}={found[key]}"] += 1
        self.count["described"] += 1

    def process(self, event, found):
        """A line of the state dump"""
        fields = event["fields"]
        self.thread(event)
        self.tgid[fields["tid"]] = fields["pid"]
        if fields["tid"] == fields["pid"]:
            wanted = [("processes", [("pid", fields["tid"]), ("ppid", fields["ppid"]),
                                     ("cmdline", fields["comm"])])]
        else:
            wanted = [("threads", [("tid", fields["tid"]), ("name", fields["comm"]),
                                   ("tgid", fields["pid"])])]
        same(f"{event}", [("process_tree", wanted), ("timestamp", event["ts"])],
             [entry for entry in found if entry[0] != "trusted_packet_sequence_id"])
        self.count["process"] += 1

    def call(self, event, found):
        """A system call"""
        slice_ = one(found, "track_event")
        same("time", event["ts"], one(found, "timestamp"))
        tid = self.thread(event)
        same("thread", tid, self.tracks[one(slice_, "track_uuid")])
        same("name", None if event["event"].endswith("_exit") else event["event"], one(slice_, "name"))
        same("type", 2 if event["event"].endswith("_exit") else 1, one(slice_, "type"))
        found = {one(a, "name"): one(a, "string_value") for a in all_of(slice_, "debug_annotations")}
        wanted = list(event["fields"]) + ["$" + key for key in event.get("context", {})]
        same("arguments", wanted, list(found))
        for key, value in event["fields"].items():
            # Numbers may have names; of an error it is the name.
            if isinstance(value, str) and '"' not in value and "\\" not in value:
                same(f"{event} {key}", value, found[key])
        self.count["call"] += 1


def next_event(lines, compare):
    """Of the JSON, notices aside; also the CPUs that lost something before it"""
    lost = set()
    for line in lines:
        event = json.loads(line)
        if "--hidden" in sys.argv and event.get("event") == "sched_switch":
            compare.thread(event)
        elif "event" in event:
            return event, lost
        if event.get("notice") in ("lost", "corrupt"):
            lost.add(event["cpu"])
    return None, lost


def main():
    trace, described = with_descriptions(sys.argv[1])
    events = sys.stdin.read().splitlines()
    first = {}
    for line in events:
        event = json.loads(line)
        if event.get("event") == "sched_switch":
            first.setdefault(event["cpu"], event["fields"]["prev_pid"])
    compare = Compare(described, first)
    lines = iter(events)
    missing, after = set(), set()
    for packet in all_of(trace, "packet"):
        if one(packet, "trusted_packet_sequence_id") != 1:
            sys.exit("a packet without sequence")
        kinds = [key for key, _ in packet
                 if key not in ("trusted_packet_sequence_id", "timestamp")]
        same("one thing in a packet", 1, len(kinds))
        compare.count[kinds[0]] += 1
        if kinds[0] == "track_descriptor":
            track = one(packet, "track_descriptor")
            thread = one(track, "thread")
            tid = one(thread, "tid")
            same("process", compare.tgid.get(tid, tid), one(thread, "pid"))
            compare.tracks[one(track, "uuid")] = tid
        elif kinds[0] == "ftrace_events":
            bundle = one(packet, "ftrace_events")
            cpu = one(bundle, "cpu")
            if not list(all_of(bundle, "event")):
                same("what tells nothing else", 1, one(bundle, "lost_events"))
                after.add(cpu)
            for i, found in enumerate(all_of(bundle, "event")):
                event, lost = next_event(lines, compare)
                missing |= lost
                if not event:
                    sys.exit("more events than there are")
                same("lost", cpu in missing, bool(one(bundle, "lost_events")) and i == 0)
                missing.discard(cpu)
                compare.ftrace(event, cpu, found)
        elif kinds[0] in ("process_tree", "track_event"):
            event, lost = next_event(lines, compare)
            missing |= lost
            (compare.process if kinds[0] == "process_tree" else compare.call)(event, packet)
    event, lost = next_event(lines, compare)
    same("events left", None, event)
    # Of what follows a CPU's last event.
    same("losses at the end", sorted(missing | lost), sorted(after))
    for what, count in sorted(compare.count.items()):
        print(count, what)


main()
