#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
printk.py FTRACE LTT KINDS [preemptible]

FTRACE is what tracefs' trace file says, LTT a text file of style ftrace, of the same
events. For each kind of event and CPU, what LTT has must be a piece of what ftrace
has, which started before and stopped after it. An interrupt may come between the
two probes of a tracepoint: then an event comes before those of the interrupt in one and
behind them in the other. At least KINDS kinds must have been seen; they are printed.

preemptible: since Linux 7.0 a task may be preempted between the two probes, and go on
later or on another CPU. Then a few of a kind may be elsewhere in one than in the other;
but each is in both, with the same text.

A task may be renamed between the two probes, by itself or, if it is a new thread of the
kernel, by its maker: LTT may have the old name where ftrace has the new one.
"""

import collections
import re
import sys

FTRACE = re.compile(r"^.*-(?:\d+)\s+(?:\(.{7}\)\s+)?\[(\d+)\]\s+\S+\s+(\d+\.\d{6}): (\w+): (.*)$")
LTT = re.compile(r"^(\d+\.\d{9}) \[(\d+)\] \w+\.(\w+): (.*)$")
# What is not in the event, or is looked at by each probe for itself: the age is what the
# clock says when the line is printed, the timeout that when the probe runs, and so are
# the jiffies of timer_expire_entry, and the references to a 9p file, which other CPUs
# take and put meanwhile; a task that leaves is a zombie until its parent, on another CPU,
# has seen it; a socket has a cookie from when the first probe of ftrace asks for it.
OWN = re.compile(r"\b(age|timeout)=-?\d+|\bnow=\d+(?= baseclk=)|\brefcount \d+|"
                 r"\bprev_state=[XZ](?= )|\bsock_cookie=[0-9a-f]+")
# The same, of one kind: the flags of a request, which its collector sets and clears.
OWN_OF = {"netfs_rreq": re.compile(r"\bf=[0-9a-f]+$")}
# Of an address in a module ftrace names what is there when it is asked, if anything is; LTT
# what was there. test-record.sh sees to that.
IN_MODULE = re.compile(r"[\w.$]+(\+0x[0-9a-f]+/0x[0-9a-f]+)? \[\w+\]|0xf[0-9a-f]{15}\b")
# ftrace's times are rounded to microseconds, by half of one.
ROUNDED = 0.5e-6
# Most events of an interrupt, and the one that it came between. RCU may free hundreds of objects.
RUN_MAX = 1000
# Both probes run within a moment; a virtual CPU may be away for some time.
NEAR = 0.5
# Most events of a kind that may be elsewhere, and when one of them is: later than this.
ELSEWHERE_MAX = 20
APART = 0.01
ODD = re.compile(r"[^ -\[\]-~]")
RENAMED = re.compile(r"\boldcomm=(.*) newcomm=(.*) oom_score_adj=")
# Old and new names of tasks that were renamed.
renamed = set()


def read(path, regex, cpu, time):
    """Texts of the events by (kind, CPU), in order."""
    found = collections.defaultdict(list)
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            match = regex.match(line.rstrip("\n"))
            if match:
                key = (match.group(3), int(match.group(cpu)))
                # Nothing but letters is compared where escapes begin.
                text = IN_MODULE.sub("module", match.group(4))
                text = OWN.sub("", ODD.split(text)[0].rstrip())
                if match.group(3) in OWN_OF:
                    text = OWN_OF[match.group(3)].sub("", text)
                found[key].append((float(match.group(time)), text))
    return found


def texts(events, begin, end):
    return [event[1] for event in events[begin:end]]


def moved(ours, theirs, at):
    """
    Length of a run from @at in which the first event of one is the last of the other
    and all else is the same; 0 if there is none.
    """
    for end in range(at + 1, min(at + RUN_MAX, len(ours))):
        if ((ours[at][1] == theirs[end][1] and
             texts(ours, at + 1, end + 1) == texts(theirs, at, end)) or
                (theirs[at][1] == ours[end][1] and
                 texts(theirs, at + 1, end + 1) == texts(ours, at, end))):
            return end + 1 - at
    return 0


def same(ours, theirs):
    """Are the texts equal, but for a name that the task had before?"""
    return ours == theirs or any(re.sub(r"comm=%s(?= )" % re.escape(old), "comm=" + new, ours) ==
                                 theirs for old, new in renamed)


def differs(ours, theirs):
    """Where the two sequences, of the same length, part; None if they do not."""
    i = 0
    while i < len(ours):
        step = 1 if same(ours[i][1], theirs[i][1]) else moved(ours, theirs, i)
        if not step:
            return i
        for k in range(i, i + step):
            if theirs[k][0] + ROUNDED < ours[k][0]:
                return k
        i += step
    return None


def mistaken(event, theirs, at):
    """Is the event before @theirs[@at] behind @event, too, and has its text?"""
    time, text = theirs[at - 1]
    return at > 0 and text == event[1] and time - ROUNDED > event[0]


def find(ours, theirs):
    """
    None if @ours is a piece of @theirs, else what the best attempt stumbles over.

    Where texts repeat, they do not tell which event one has and the other has not. But
    LTT's probe is the first, since it was registered before ftrace's: each of ftrace's
    events is behind its partner. Interrupts between the probes do not change that: if
    each of LTT's has its own behind it, so have the first, the second, ... of both.
    That catches an event that LTT lost, and mistaken(), of the last, one too many.
    """
    best = (-1, None)
    last = len(ours) - 1
    for start in range(len(theirs) - last):
        if abs(theirs[start][0] - ours[0][0]) > NEAR or mistaken(ours[0], theirs, start):
            continue
        at = differs(ours, theirs[start:start + len(ours)])
        if at is None and not mistaken(ours[last], theirs, start + last):
            return None
        if at is None:
            at = last
        if at > best[0]:
            best = (at, (ours[at], theirs[start + at]))
    return best[1] or ("%u events" % len(ours), "%u events" % len(theirs))


def times_by_place(found, kind):
    """Times of the events of a kind, in order, by (text, CPU)."""
    places = collections.defaultdict(list)
    for (name, cpu), events in found.items():
        if name == kind:
            for time, text in events:
                places[text, cpu].append(time)
    return places


def lonely(times, i, partner):
    """Is @times[@i] too long before @partner, or the next one nearer to it?"""
    apart = partner - times[i]
    return apart > 0 and (apart >= APART or
                          (i + 1 < len(times) and abs(partner - times[i + 1]) <= apart))


def alone(ours, theirs):
    """Those of both times that have no partner among the other's, the nearest one."""
    mine, other, i, j = [], [], 0, 0
    while i < len(ours) and j < len(theirs):
        if lonely(theirs, j, ours[i]):
            other.append(theirs[j])
            j += 1
        elif lonely(ours, i, theirs[j]):
            mine.append(ours[i])
            i += 1
        else:
            i += 1
            j += 1
    return mine + ours[i:], other + theirs[j:]


def elsewhere(kind, ours, theirs):
    """Is each event of the kind in both, and all but a few in the same place?"""
    ours, theirs = times_by_place(ours, kind), times_by_place(theirs, kind)
    first, last = min(map(min, ours.values())), max(map(max, ours.values()))
    mine, other, count = [], [], 0
    for text, cpu in sorted({*ours, *theirs}):
        only = alone(ours.get((text, cpu), []), theirs.get((text, cpu), []))
        mine += [(time, text, cpu) for time in only[0]]
        other += [(time, text, cpu) for time in only[1]]
    for event in mine[:]:
        partner = min((o for o in other if o[1] == event[1]),
                      key=lambda o, time=event[0]: abs(o[0] - time), default=event)
        apart = abs(partner[0] - event[0])
        if partner is event or apart >= NEAR:
            continue
        mine.remove(event)
        other.remove(partner)
        if partner[2] != event[2] or apart >= APART:
            print("%s elsewhere: %s, ftrace at %.6f on CPU %u" %
                  (kind, event, partner[0], partner[2]))
            count += 1
    # ftrace starts before LTT, and stops after it.
    other = [event for event in other if first <= event[0] <= last]
    for who, events in (("LTT", mine), ("ftrace", other)):
        for event in events[:ELSEWHERE_MAX]:
            print("%s: only %s has %s" % (kind, who, event))
    return not mine and not other and count <= ELSEWHERE_MAX


def main():
    """Compare all."""
    theirs = read(sys.argv[1], FTRACE, 1, 2)
    ours = read(sys.argv[2], LTT, 2, 1)
    preemptible = sys.argv[4:] == ["preemptible"]
    for key, events in ours.items():
        if key[0] == "task_rename":
            found = [RENAMED.search(text) for _, text in events]
            renamed.update(match.groups() for match in found if match)
    kinds = collections.Counter()
    wrong = set()
    for key in sorted(ours):
        why = find(ours[key], theirs.get(key, []))
        if why:
            wrong.add(key[0])
            print("%s on CPU %u:\n  LTT    %s\n  ftrace %s" % (key + tuple(why)))
        kinds[key[0]] += len(ours[key])
    if preemptible:
        wrong = {kind for kind in sorted(wrong) if not elsewhere(kind, ours, theirs)}
    print(" ".join("%s:%u" % item for item in sorted(kinds.items())))
    print("%u kinds, %u events, %u kinds differ" %
          (len(kinds), sum(kinds.values()), len(wrong)))
    sys.exit(bool(wrong) or len(kinds) < int(sys.argv[3]))


if __name__ == "__main__":
    main()
