#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Nonsense, made by the grammar of definitions, to the file of kprobe markers.

usage: nonsense-kprobes.py FILE [tracepoints]

Each write is accepted or gets an errno that is documented, a line in error_log, and
then changes nothing. What was accepted is listed, and can be removed.
"""

import errno
import os
import random
import sys

from debugfs import write

DOCUMENTED = {errno.EINVAL, errno.ENOENT, errno.EEXIST, errno.EPERM, errno.ERANGE,
              errno.E2BIG, errno.ENAMETOOLONG, errno.ENOMEM, errno.EOPNOTSUPP}
# The latter read BTF. A third of them without LTT_LONG.
WRITES = {"kprobes": 1500, "tracepoints": 250}


def pick(rng, sense, nonsense):
    """Mostly sense, so that a line with many parts has some chance."""
    return rng.choice(nonsense if rng.randrange(25) == 0 else sense)


def number(rng):
    return pick(rng, [0, 8, "0x10", "020"], ["", 1 << 70, "08", "x", -1])


def fetch(rng, kind):
    value = "$arg1" if kind == "p" else "$retval"
    text = pick(rng, ["%di", "%si", value, value, "$stack", "$stack5", "@jiffies",
                      "@linux_banner+3", "@0xffffffff81000000", "\\5", "\\-5", "$comm"],
                ["%foo", "%", "$arg0", "$arg99", "$retval", "$stack99999", "$nothing",
                 "@no_such_symbol", "\\x", "", "+", "("])
    depth = 0 if text == "$comm" else pick(rng, [0, 0, 1, 1, 2, 3], [11, 12, 40])
    for _ in range(depth):
        text = f"{rng.choice('+-')}{rng.choice(['', 'u'])}{number(rng)}({text})"
    types = ["", ":u8", ":s64", ":x32", ":symbol", ":symstr", ":char", ":b3@2/8"]
    if depth:
        types += [":string", ":ustring", ":u8[4]", ":x64[64]", ":b3@2/8[9]", ":char[9]"]
    if text == "$comm":
        types = ["", ":string"]
    return text + pick(rng, types, [":b9@0/8", ":u8[99]", ":u8[", ":float", ":", ":string[2]",
                                    ":u8[0]", ")"])


def access(rng):
    text = pick(rng, ["prev", "next", "next", "preempt", "prev_state"], ["p", "", "$comm", "->"])
    for _ in range(pick(rng, [0, 1, 1, 1, 2, 3], [12, 14])):
        text += pick(rng, ["->", "->", "->", "."], ["-", ">", "", "->->"])
        text += pick(rng, ["pid", "comm", "mm", "real_parent", "signal", "in_iowait", "se",
                           "thread_info", "group_leader", "cpus_mask", "comm[3]", "mm[0]"],
                     ["piddle", "", "comm[16]", "comm[", "comm[x]", "pid[0]", "1", "[0]"])
    return text + pick(rng, ["", "", "", ":string", ":u32", ":x64", ":symbol", ":s32"],
                       [":u33", ":", ":ustring", ":b1@1/8", "]", ":string[2]"])


def tracepoint_line(rng):
    if rng.randrange(3) == 0:
        return f"-:tracepoints/n{rng.randrange(9)}"
    text = "t" + pick(rng, [f":tracepoints/n{rng.randrange(9)}"],
                      ["", ":c/", ":/", "3", ":n.n", ":"])
    text += " " + pick(rng, ["sched_switch"],
                       ["sched_wakeup", "no_such", "", "0x1", "a:b", "x+1"])
    for i in range(pick(rng, [0, 1, 1, 2], [20])):
        text += " " + pick(rng, ["", f"a{i}=", f"b{i}="], ["1=", "=", "a0="]) + access(rng)
    if rng.randrange(30) == 0:
        at = rng.randrange(len(text))
        text = text[:at] + chr(rng.randrange(1, 256)) + text[at + 1:]
    return text


def line(rng):
    if len(sys.argv) > 2:
        return tracepoint_line(rng)
    kind = pick(rng, ["p", "p", "p", "r", "r3", "-"], ["r0", "r99999", "x", "", "p3"])
    name = pick(rng, [f":n{rng.randrange(9)}", f":c/n{rng.randrange(9)}"],
                ["", ":c/", ":/", ":" + "n" * 70, ":n.n", ":", ":a/b/c"])
    text = kind + name
    if kind != "-":
        text += " " + pick(rng, ["vfs_open", "vfs_read", "do_sys_openat2", "nomodule:f",
                                 "ltt_core:ltt_marker_record"],
                           ["vfs_open+1", "no_such_function", "0xffffffff81000000", "0", "",
                            "vfs_open+99999999", "exc_int3", "jiffies", "a:b:c", "+"])
        for i in range(pick(rng, [0, 1, 2, 3, 14], [20])):
            text += " " + pick(rng, ["", f"a{i}=", f"b{i}="], ["ip=", "1=", "=", "a0="])
            text += fetch(rng, kind[:1])
    if rng.randrange(30) == 0 and text:
        at = rng.randrange(len(text))
        text = text[:at] + chr(rng.randrange(1, 256)) + text[at + 1:]
    return text


def listing(path):
    """The definitions, without what is counted."""
    return [l.split(" # ")[0] for l in open(path).read().splitlines() if l[0] != "#"]


def names(lines):
    return ["-:" + l.split()[0].split(":", 1)[1] for l in lines]


def main():
    path = sys.argv[1]
    log = os.path.dirname(path) + "/error_log"
    rng = random.Random(1)
    before = listing(path)
    bad = accepted = 0
    writes = WRITES[sys.argv[2] if len(sys.argv) > 2 else "kprobes"]
    if not os.environ.get("LTT_LONG"):
        writes //= 3
    for _ in range(writes):
        text = "\n".join(line(rng) for _ in range(rng.choice([1, 1, 1, 2, 3])))
        write(log, b"\n")
        said = write(path, text.encode("latin-1"))
        after = listing(path)
        if said == 0:
            accepted += 1
        elif said not in DOCUMENTED:
            print(f"{text!r}: {errno.errorcode.get(said, said)}")
            bad += 1
        elif after != before:
            print(f"{text!r}: refused, but changed {before} to {after}")
            bad += 1
        elif "dynamic_markers: " not in open(log).read():
            print(f"{text!r}: nothing in error_log")
            bad += 1
        before = after
    if before and write(path, "\n".join(names(before)).encode("latin-1")):
        print("what was accepted cannot be removed")
        bad += 1
    if listing(path):
        print(f"left: {listing(path)}")
        bad += 1
    print(f"{writes} writes, {accepted} accepted, {len(before)} left to remove")
    sys.exit(bool(bad or accepted < writes // 20))


main()
