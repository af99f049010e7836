#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: test_remote.py BUILD-DIRECTORY LTT

`ltt view net://` and `ltt text net://` show what `ltt view` shows of the directory, whatever the
connection does meanwhile; what is missing is told, and a server that does not keep to the protocol
gets neither memory nor time. LTT has sanitizers, and little patience (libltt.mk). The servers are
live_server.py and, if it is installed, lttng-relayd. Prints KTAP.
"""

import array
import fcntl
import os
import random
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time
import traceback

from live_server import (ATTACH, CONNECT, CREATE, INDEX, LIST, METADATA, PACKET, STREAMS, Fault,
                         Last, Server, Trace)

BUILD, LTT = sys.argv[1:]
# Seconds, for all that is to happen.
MOST = 120
# How many replies are random bytes.
NOISES = 150 if os.environ.get("LTT_LONG") else 60


def view(*args, command="view", limit=MOST):
    """Status, text and messages."""
    done = subprocess.run([LTT, command, *args], check=False, capture_output=True, timeout=limit)
    return done.returncode, done.stdout, done.stderr


STARTED = []


def start(*args, out=subprocess.PIPE):
    # pylint: disable=consider-using-with # whoever starts it waits
    process = subprocess.Popen([LTT, *args], stdout=out, stderr=subprocess.PIPE)
    STARTED.append(process)
    return process


def end_all():
    """End those that a test which failed has left running."""
    for process in STARTED:
        process.kill()
        process.wait()
    STARTED.clear()


def wait_for(true):
    end = time.monotonic() + MOST
    while not true():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.02)


def close(_):
    """A fault: no reply."""


def half(reply):
    """A fault: the connection breaks in the middle of a reply."""
    return Last(reply[:len(reply) // 2])


def lines(text):
    return [line for line in text.split(b"\n") if line and not line.startswith(b"#")]


class Tests:
    """Each method is a test, and returns what is wrong."""

    def __init__(self, tmp):
        self.tmp = tmp
        self.le, self.be, self.busy = (tmp + name for name in ("/le", "/be", "/busy"))
        for command in ([BUILD + "/make_trace", self.le],
                        ["qemu-s390x", BUILD + "/make_trace_s390x", self.be],
                        [BUILD + "/make_bench", self.busy, "30000"]):
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def same_text(self):
        """all of a trace, as it grows: what its directory has, byte for byte"""
        for args in ([], ["--wall"], ["--style", "json"], ["--style", "kv"], ["-m", "many.*"],
                     ["-m", "* !loss.*"], ["-b", "5.1"], ["-b", "5.05", "-e", "9"],
                     ["-e", "5.02"], ["--filter", "many.*: $cpu != 1"],
                     ["-m", "loss.*", "--filter", "loss.*: $cpu == 2"]):
            for path in self.le, self.be:
                trace = Trace(path, pieces=3, late=2)
                trace.tells = path == self.le
                with Server([trace], part=5000) as server:
                    got = view(*args, server.address())
                    wanted = view(*args, path)
                    if got != wanted or got[0] or server.wrong or not got[1]:
                        return f"{args} {path}: {got[0]} {got[2]} {server.wrong}"
        return None

    def busy_text(self):
        """large packets"""
        with Server([Trace(self.busy, step=1)]) as server:
            got = view(server.address())
        return None if got == view(self.busy) else f"{got[0]} {got[2]}"

    def as_it_comes(self):
        """what is complete is shown, and nothing else"""
        trace = Trace(self.le, step=60)
        trace.stays = True
        trace.grow()
        known = min(stream.known for stream in trace.streams)
        complete = [line for line in lines(view(self.le)[1])
                    if int(line.split()[0].replace(b".", b"")) < known]
        with Server([trace], grows=False) as server, \
                open(self.tmp + "/shown", "wb") as out:
            process = start("view", server.address(), out=out)

            def shown():
                # Not by the file that it writes to: where that is read, it would go on.
                with open(out.name, "rb") as text:
                    return lines(text.read())

            wait_for(lambda: len(shown()) >= len(complete))
            # Somebody's child has ended: nothing to us.
            process.send_signal(signal.SIGCHLD)
            # All streams are asked several times more.
            asked = server.viewers[0].counts[INDEX]
            wait_for(lambda: server.viewers[0].counts[INDEX] > asked + 5 * len(trace.streams) or
                     process.poll() is not None)
            wrong = process.poll() is not None
            process.send_signal(signal.SIGTERM)
            messages = process.communicate(timeout=MOST)[1]
            wrong = wrong or shown() != complete or process.returncode or messages
        return f"{process.returncode} {messages}" if wrong or len(complete) < 100 else None

    def from_now_on(self):
        """`ltt text`: events from now on; -e, -c and --filter choose some"""
        trace = Trace(self.le, step=60)
        trace.grow()
        for args, kept in (([], b"."), (["-c", "many"], b" many\\."),
                           (["-e", "many.* loss.one"], b" (many\\.|loss\\.one)"),
                           (["-e", "*", "-e", "!many.*"], b" (?!many)[a-z]+\\."),
                           (["-e", "many.*", "--filter", "many.*: $cpu != 1"],
                            b"(?<!\\[001\\]) many\\.")):
            trace.at = 0
            for stream in trace.streams:
                stream.there = 0
            trace.grow()
            first = {i: stream.there for i, stream in enumerate(trace.streams)}
            with Server([trace]) as server:
                status, text, messages = view(*args, server.address(), command="text")
                if server.attached != [("live", 2)]:
                    return f"attached: {server.attached}"
            wanted = self.after(first, kept)
            if status or messages or lines(text) != wanted or not wanted:
                return f"{args}: {status} {messages} {len(lines(text))} {len(wanted)}"
        return None

    def from_then_on(self):
        """`ltt text`: the connection breaks before anything has come: nothing from before comes"""
        trace = Trace(self.le, step=60)
        trace.grow()
        first = {i: stream.there for i, stream in enumerate(trace.streams)}
        with Server([trace], [Fault(close, INDEX, len(trace.streams))]) as server:
            status, text, messages = view(server.address(), command="text")
            if [seek for _, seek in server.attached] != [2, 1]:
                return f"attached: {server.attached}"
        wanted = self.after(first, b".")
        if status or lines(text) != wanted or b"too late: 0, " not in messages:
            return f"{status} {messages} {len(lines(text))} {len(wanted)}"
        return None

    def after(self, first, kept):
        """The events of self.le after these packets of its streams."""
        path = self.tmp + "/after"
        shutil.rmtree(path, ignore_errors=True)
        os.mkdir(path)
        shutil.copy(self.le + "/metadata", path)
        for i, stream in enumerate(Trace(self.le).streams):
            with open(f"{path}/{stream.name}", "wb") as file:
                file.write(b"".join(packet.data for packet in stream.packets[first[i]:]))
        return [line for line in lines(view(path)[1]) if re.search(kept, line)]

    def several(self):
        """sessions of several servers as one text"""
        with Server([Trace(self.le, "a"), Trace(self.be, "c", number=9)]) as one, \
                Server([Trace(self.busy, "b")]) as two:
            addresses = [one.address(), two.address(), one.address(one.traces[1])]
            got = view("--wall", *addresses)
            if got != view("--wall", self.le, self.busy, self.be) or got[0]:
                return f"{got[0]} {got[2]}"
            status, text, messages = view(*addresses)
        if status != 1 or text or b"timestamps cannot be compared" not in messages:
            return f"{status} {messages}"
        return None

    def broken(self):
        """the connection breaks at any reply: nothing is missing, nothing comes twice"""
        wanted = view(self.le)[1]
        rng = random.Random(1)
        for command, at in [(INDEX, 0), (INDEX, 40), (INDEX, 170), (PACKET, 0), (PACKET, 30),
                            (PACKET, 150), (METADATA, 1), (STREAMS, 0)]:
            for what in close, half:
                faults = [Fault(what, command, at),
                          Fault(close, rng.choice((CONNECT, CREATE, LIST, ATTACH)), 0, 1)]
                with Server([Trace(self.le, pieces=2, late=1)], faults) as server:
                    status, text, messages = view(server.address())
                if command == METADATA:
                    # Nothing has been shown yet, and nobody waits for that.
                    if status != 1 or text or b"closed by peer during" not in messages:
                        return f"{command} {at}: {status} {messages}"
                    continue
                if status or text != wanted:
                    return f"{command} {at} {what.__name__}: {status} {messages}"
                for message in (b"connection lost: ",
                                b"trying again: ", b"connected again after ",
                                b"connections lost: 1, "
                                b"packets missing: 0, too late: 0, events lost in the kernel: "):
                    if message not in messages:
                        return f"{command} {at} {what.__name__}: {messages}"
                if (b"until then, events up to " in messages) != (at > 0) or \
                        b" up to 0.000000000 " in messages:
                    return f"{command} {at} {what.__name__}: {messages}"
        return None

    def untaken(self):
        """the connection breaks at what the reply with a packet asks for: it is not missing"""
        wanted = view(self.le)[1]
        for flag, command in (1, METADATA), (2, STREAMS):
            with Server([Trace(self.le)]) as server:

                def ask(reply, server=server, flag=flag, command=command):
                    at = server.viewers[0].counts.get(command, 0)
                    server.faults.append(Fault(close, command, at))
                    return reply[:8] + struct.pack(">I", flag) + reply[12:]

                server.faults.append(Fault(ask, PACKET, 30))
                status, text, messages = view(server.address())
            if status or text != wanted or b"connection lost: " not in messages:
                return f"{command}: {status} {messages}"
        return None

    def missing(self):
        """packets that have gone meanwhile are told, in the text, too"""
        trace = Trace(self.le, step=60)

        def lose(reply):
            trace.first_packet = {stream.name: len(stream.packets) - 2
                                  for stream in trace.streams if stream.name == "many_1"}
            return reply

        faults = [Fault(close, PACKET, 100), Fault(lose, LIST, 0, 1)]
        with Server([trace], faults) as server:
            status, text, messages = view(server.address())
        stream = next(stream for stream in trace.streams if stream.name == "many_1")
        notice = re.findall(rb"^# corrupt cpu 1 channel many packet (\d+) offset 0 at ", text,
                            re.M)
        told = re.search(rb"/many_1: packets from number (\d+) on did not come: (\d+)", messages)
        if status != 1 or len(notice) != 1 or not told:
            return f"{status} {notice} {messages}"
        first, gone = int(told[1]), int(told[2])
        if int(notice[0]) != first or first + gone != stream.packets[-2].number or \
                b"packets missing: %d, " % gone not in messages:
            return f"{notice} {messages}"
        whole = set(lines(view(self.le)[1]))
        shown = set(lines(text))
        rest = whole - shown
        if shown - whole or not rest or \
                any(b"[001] many." not in line for line in rest):
            return f"{len(rest)} lines missing"
        return None

    def missing_at_end(self):
        """the last packet of a stream cannot be got, or never: that is told"""
        for status in 3, 2:
            trace = Trace(self.le).all()
            with Server([trace]) as server:
                for at in range(250):
                    server.faults.append(Fault(
                        lambda reply, status=status: struct.pack(">III", status, 0, 0), PACKET,
                        at + sum(len(stream.packets) for stream in trace.streams) - 1))
                code, _, messages = view(server.address())
            if code != 1 or b"packets missing: 1, " not in messages:
                return f"{status}: {code} {messages}"
        return None

    def late(self):
        """a packet with events before those that the server said are complete is told"""
        trace = Trace(self.le).all()
        nr, stream = min(enumerate(trace.streams), key=lambda one: one[1].packets[0].begin)
        with Server([trace]) as server:

            def lie(_):
                server.viewers[0].places[nr] -= 1
                return struct.pack(">7QII", 0, 0, 0, 0, stream.packets[0].end, 0,
                                   stream.packets[0].stream_id, 5, 0)

            server.faults.append(Fault(lie, INDEX, nr))
            status, text, messages = view(server.address())
        gone = len(lines(view(self.le)[1])) - len(lines(text))
        if status != 1 or gone < 1 or b"too late: 1, " not in messages:
            return f"{status} {gone} {messages}"
        return None

    def absent(self):
        """a session that does not come back, another one of its name, and no server"""
        for other, why in ((None, b"gave up: it has no such session"),
                           (self.busy, b"gave up: the trace has gone; there is another one")):
            trace = Trace(self.le)
            with Server([trace], [Fault(close, PACKET, 30)]) as server:

                def leave(reply, server=server, other=other):
                    server.traces = [Trace(other)] if other else []
                    return reply

                server.faults.append(Fault(leave, PACKET, 29))
                status, text, messages = view(server.address())
            if status != 1 or why not in messages or not text:
                return f"{other}: {status} {messages}"
            # All that has come, in order.
            rest = iter(lines(view(self.le)[1]))
            if not all(line in rest for line in lines(text)):
                return f"{other}: out of order"
        status, text, messages = view(server.address())
        if status != 1 or text or b"port " not in messages or b"refused" not in messages:
            return f"no server: {status} {messages}"
        return None

    def nonsense(self):
        """replies that cannot be are refused at once, and in little memory"""
        huge = struct.pack(">I", 0xffffffff)

        def at(offset, value):
            return lambda reply: reply[:offset] + value + reply[offset + len(value):]

        keep = b"it does not keep to the protocol"
        for command, number, what, why in (
                (CONNECT, 0, at(8, huge), b"4294967295.4 of the protocol, which is not"),
                (CREATE, 0, at(0, huge), keep),
                (LIST, 0, at(0, huge), keep),
                (LIST, 0, at(0, bytes(4)), b"it has no such session"),
                (ATTACH, 0, at(0, huge), b"refuses ATTACH_SESSION, status 4294967295"),
                (ATTACH, 0, at(0, struct.pack(">I", 4)), b"the session is not live"),
                (ATTACH, 0, at(0, struct.pack(">I", 2)), b"another viewer looks at it"),
                (ATTACH, 0, at(4, huge), keep),
                (ATTACH, 0, at(16 + 4371, b"\x99"), b"more than one trace in the session"),
                (ATTACH, 0, at(8 + 2 * 4371 - 255, b"a/b"), b"a bad name of one"),
                (METADATA, 0, at(0, b"\xff" * 8), keep),
                (METADATA, 0, at(12, b"x"), b"metadata, offset 0: not the metadata of an LTT"),
                (INDEX, 5, at(8, b"\xff" * 8), b"a packet of 18446744073709551615 bits"),
                (INDEX, 5, at(8, struct.pack(">Q", 33 << 20)), b"a packet of 34603008 bits"),
                (PACKET, 5, at(4, huge), keep),
                (PACKET, 5, at(4, bytes(4)), keep),
                (PACKET, 5, at(0, struct.pack(">I", 3)), keep)):
            with Server([Trace(self.le).all()], [Fault(what, command, number)]) as server:
                before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
                status, _, messages = view(server.address())
                after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
            if status != 1 or why not in messages or messages.count(b"\n") > 3:
                return f"{command} {number}: {status} {messages}"
            if after > before + (32 << 10) and before > 64 << 10:
                return f"{command} {number}: {after} kB"
        return None

    def many_streams(self):
        """what many streams take grows with their number only"""
        wanted = view(self.le)[:2]
        took = []
        for nr in 5000, 20000:
            # Made beforehand: the viewer waits for it.
            reply = Last(struct.pack(">II", 1, nr) + b"".join(
                struct.pack(">QQI4096s255s", 7 << 32 | i, 7, 0, b"x", b"channel_%d" % i)
                for i in range(1, nr + 1)))
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            with Server([Trace(self.le)], [Fault(lambda _, reply=reply: reply, ATTACH)]) as server:
                got = view(server.address())
            took.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
            # They are not there any more when it connects again.
            if got[:2] != wanted or b"connected again" not in got[2]:
                return f"{nr}: {got[0]} {got[2]}"
        few, many = took
        return None if many < 6 * few + 0.3 else f"{few} s, but of four times as many {many} s"

    def with_packet(self):
        """many streams, of which the reply with a packet tells"""
        many = struct.pack(">II", 1, 500) + b"".join(
            struct.pack(">QQI4096s255s", 7 << 32 | i, 7, 0, b"x", b"channel_%d" % i)
            for i in range(100, 600))
        for number in 0, 5:
            told = []

            def tell(reply, told=told):
                told.append(reply)
                return reply[:8] + struct.pack(">I", 2) + reply[12:]

            def more(reply, told=told):
                if len(told) != 1:
                    return reply
                told.append(many)
                return many

            faults = [Fault(tell, PACKET, number), *(Fault(more, STREAMS, i) for i in range(200))]
            with Server([Trace(self.le)], faults) as server:
                got = view(server.address())
            # Asked for one of them, the server goes.
            if got[:2] != view(self.le)[:2] or len(told) != 2 or b"connected again" not in got[2]:
                return f"{number}: {got[0]} {got[2]} {len(told)}"
        return None

    def final(self):
        """what another connection does not help against ends it"""
        faults = [Fault(lambda reply: reply[:56] + struct.pack(">II", 4, 0), INDEX, 0, i)
                  for i in range(50)]
        with Server([Trace(self.le)], faults) as server:
            status, _, messages = view(server.address())
        if status != 1 or messages.count(b"connection lost: ") != 1 or \
                messages.count(b"refuses GET_NEXT_INDEX, status 4") != 2:
            return f"refused: {status} {messages}"
        with Server([Trace(self.le)]) as server:
            done = subprocess.run(["sh", "-c", 'ulimit -n 9; exec "$@"', "sh", LTT, "view",
                                   server.address()], check=False, capture_output=True,
                                  timeout=MOST)
        if done.returncode != 1 or b"connection lost" in done.stderr or \
                b"a packet: Too many open files" not in done.stderr:
            return f"files: {done.returncode} {done.stderr}"
        return None

    def silent(self):
        """a server that says nothing"""
        for command, at in ((CONNECT, 0), (ATTACH, 0)):
            with Server([Trace(self.le)], [Fault(lambda reply: b"", command, at)]) as server:
                status, _, messages = view(server.address())
            if status != 1 or b"no reply to " not in messages:
                return f"{command}: {status} {messages}"
        return None

    def undeclared(self):
        """a session that ends before its metadata are there holds up no others"""
        wrong = (self.cut_metadata(Trace(self.le, "a").all(), []) or
                 self.cut_metadata(Trace(self.le, "a").all(), [Trace(self.le, "b", number=8)]))
        return wrong

    @staticmethod
    def cut_metadata(trace, others):
        trace.metadata = trace.metadata[:100]
        trace.streams, trace.order, trace.at = [], [], 0
        for other in others:
            other.stays = True
        with Server([trace, *others]) as server:
            addresses = [server.address(one) for one in server.traces]
            status, text, messages = view(*addresses)
        if status != 1 or text or b"/a: it ended before its metadata were there" not in messages:
            return f"{len(others)}: {status} {messages}"
        return None

    def interrupted(self):
        """Ctrl-C while a server says nothing is the end, not an error"""
        for command in ATTACH, METADATA, INDEX:
            with Server([Trace(self.le)], [Fault(lambda reply: b"", command, 0)]) as server:
                process = start("view", server.address())
                wait_for(lambda server=server, command=command: server.viewers and
                         server.viewers[0].counts.get(command))
                process.send_signal(signal.SIGINT)
                text, messages = process.communicate(timeout=MOST)
            if process.returncode or lines(text) or messages:
                return f"{command}: {process.returncode} {messages}"
        return None

    def unread(self):
        """SIGTERM while nobody reads the text is the end, too"""
        with Server([Trace(self.busy, step=1000)]) as server:
            process = start("view", server.address())
            room = fcntl.fcntl(process.stdout, fcntl.F_GETPIPE_SZ)

            def is_full():
                unread = array.array("i", [0])
                fcntl.ioctl(process.stdout, termios.FIONREAD, unread)
                return unread[0] > room // 2

            wait_for(is_full)
            process.send_signal(signal.SIGTERM)
            try:
                status = process.wait(MOST)
            except subprocess.TimeoutExpired:
                process.kill()
                status = "it does not end"
            messages = process.communicate()[1]
        return None if not status and not messages else f"{status} {messages}"

    def noise(self):
        """random bytes in place of any reply, many times"""
        rng = random.Random(int(os.environ.get("SEED", "1")))
        for i in range(NOISES):
            def spoil(reply, rng=rng):
                reply = bytearray(reply)
                for _ in range(rng.choice((1, 1, 3, 20))):
                    reply[rng.randrange(len(reply))] = rng.randrange(256)
                return bytes(reply)

            command = rng.choice((CONNECT, LIST, ATTACH, METADATA, INDEX, PACKET, STREAMS))
            fault = Fault(spoil, command, rng.randrange(4) if command in (INDEX, PACKET) else 0)
            with Server([Trace(self.le).all()], [fault]) as server:
                process = start("view", server.address(), out=subprocess.DEVNULL)
                # What follows the wrong length of a reply can be anything, and last for ever.
                try:
                    messages = process.communicate(timeout=5)[1]
                except subprocess.TimeoutExpired:
                    # It is at its end, or no longer at its beginning.
                    wait_for(lambda server=server, process=process:
                             server.viewers or process.poll() is not None)
                    process.send_signal(signal.SIGTERM)
                    messages = process.communicate(timeout=MOST)[1]
                status = process.returncode
            if status not in (0, 1) or b"Sanitizer" in messages or b"runtime error" in messages:
                return f"{i}: command {command}: {status} {messages}"
        return None

    def reader_goes(self):
        """whoever reads the text goes away"""
        trace = Trace(self.le)
        trace.stays = True
        with Server([trace]) as server:
            process = start("view", server.address())
            process.stdout.read(10000)
            process.stdout.close()
            messages = process.stderr.read()
            process.wait(MOST)
        return f"{process.returncode} {messages}" if process.returncode or messages else None

    def listed(self):
        """the list of sessions"""
        traces = [Trace(self.le, "one"), Trace(self.le, "a b\n", "h\x1b", number=8)]
        with Server(traces) as server:
            base = f"net://127.0.0.1:{server.port}"
            for command in "view", "text":
                for end in "", "/":
                    status, text, messages = view(base + end, command=command)
                    wanted = (f"{base}/host/box/one streams 12 viewers 0\n"
                              f"{base}/host/h\\x1b/a b\\n streams 12 viewers 0\n").encode()
                    if status or text != wanted or messages:
                        return f"{command}: {status} {text} {messages}"
        status, text, messages = view(base)
        return None if status == 1 and not text and b"refused" in messages else f"{status}"

    def usage(self):
        """wrong usage"""
        there = "net://h/host/a/b"
        for args, why in ((["view", "net://h", self.le], b"cannot be shown together"),
                          (["view", "net://h", there], b"expected net://HOST"),
                          (["view", "net://"], b"no host"),
                          (["view", "http://h"], b"expected net://, net6://"),
                          (["view", "net://h:1:2/host/a/b"], b"expected HOST[:PORT]"),
                          (["view", "net://h/host/a"], b"expected net://HOST[:PORT]/host/"),
                          (["view", "net://h/host/a/b/c"], b"expected net://HOST[:PORT]/host/"),
                          (["view", "net://h/hosts/a/b"], b"expected net://HOST[:PORT]/host/"),
                          (["view", "-m", "x", there], b"no dot in pattern"),
                          (["text", "net://h", "name"], b"extra argument 'name'"),
                          (["text", there, "--", "ls"], b"extra argument 'ls'"),
                          (["text", "--follow", there], b"parameters of traces that are elsewhere"),
                          (["text", "--size", "8K", there], b"parameters of traces"),
                          (["text", "-e", "x", there], b"no dot in pattern"),
                          (["text", "-c", "a", "-e", "a.b", there], b"cannot be used together"),
                          (["text", "-c", "a.b", there], b"invalid channel"),
                          (["text", "--style", "ftrace", there], b"needs the running kernel"),
                          (["text", "--style", "x", there], b"no such style"),
                          (["text", "--filter", "a.b", there], b"expected PATTERN: EXPR")):
            status, text, messages = view(*args[1:], command=args[0])
            if status != 2 or text or why not in messages:
                return f"{args}: {status} {messages}"
        with Server([Trace(self.le)]) as server:
            status, text, messages = view("--filter", "many.*: nothing == 1", server.address())
        return None if status == 1 and b"many." in messages and not lines(text) else \
            f"{status} {messages}"

    def relayd(self):
        """what lttng-relayd has been sent"""
        if not shutil.which("lttng-relayd"):
            return "SKIP lttng-relayd is not installed"
        ports = [port for _, port in zip(range(3), free_ports())]
        os.mkdir(self.tmp + "/relayd")
        flags = [f"-{letter}tcp://127.0.0.1:{port}" for letter, port in zip("CDL", ports)]
        with subprocess.Popen(["lttng-relayd", "-o", self.tmp + "/relayd", *flags],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as relayd:
            try:
                wait_for(lambda: all(answers(port) for port in ports))
                return self.through_relayd(ports)
            finally:
                relayd.terminate()

    def through_relayd(self, ports):
        address = f"net://127.0.0.1:{ports[2]}/host/box/live"
        for path in self.le, self.be:
            wanted = view(path)[1]
            with Sender(ports, path) as sender, open(self.tmp + "/relayd.text", "w+b") as out:
                process = start("view", address, out=out)
                wait_for(lambda: re.search(rb"viewers 1$", view(address.split("/host")[0])[1],
                                           re.M))
                sender.send_all()
                # Of closed streams, lttng-relayd 2.13 gives viewers nothing any more.
                wait_for(lambda: os.path.getsize(out.name) >= len(wanted) or
                         process.poll() is not None)
                sender.close_streams()
                messages = process.communicate(timeout=MOST)[1]
                out.seek(0)
                text = out.read()
            if process.returncode or messages or text != wanted:
                return f"{path}: {process.returncode} {messages} {len(text)} {len(wanted)}"
        return None


def free_ports():
    """Ports that nobody uses."""
    taken = []
    while True:
        taken.append(socket.create_server(("127.0.0.1", 0)))
        if len(taken) == 3:
            numbers = [sock.getsockname()[1] for sock in taken]
            for sock in taken:
                sock.close()
            yield from numbers


def answers(port):
    try:
        socket.create_connection(("127.0.0.1", port)).close()
        return True
    except OSError:
        return False


class Sender:
    """Sends a trace to lttng-relayd, as LTTng 2.10 would."""

    def __init__(self, ports, path):
        self.control, self.data = (socket.create_connection(("127.0.0.1", port))
                                   for port in ports[:2])
        with open(path + "/metadata", "rb") as file:
            text = file.read()
        self.trace = Trace(path)
        self.ask(5, struct.pack(">II", 2, 10), 8)
        self.ask(2, struct.pack(">255s64sII", b"live", b"box", 100000, 0), 12)
        metadata = self.add_stream("metadata")
        self.say(6, struct.pack(">QI", metadata, 0) + text)
        self.handles = [self.add_stream(stream.name) for stream in self.trace.streams]
        self.ask(16, b"", 4)

    def say(self, command, payload):
        self.control.sendall(struct.pack(">QQII", 0, len(payload), command, 0) + payload)

    def ask(self, command, payload, size):
        self.say(command, payload)
        reply = b""
        while len(reply) < size:
            reply += self.control.recv(size - len(reply))
        return reply

    def add_stream(self, name):
        return struct.unpack_from(">Q", self.ask(1, struct.pack(
            ">264s4096sQQ", name.encode(), b"box/live/kernel", 0, 0), 12))[0]

    def index(self, handle, number, *values):
        self.ask(13, struct.pack(">QQQQQQQQQQ", handle, number, *values), 4)

    def send_all(self):
        """In the order in which packets end, with what is known of the others."""
        sent = [0] * len(self.handles)
        for end, i in self.trace.order:
            stream, handle = self.trace.streams[i], self.handles[i]
            packet = stream.packets[sent[i]]
            self.data.sendall(struct.pack(">QQQII", 0, handle, sent[i], len(packet.data), 0) +
                              packet.data)
            self.index(handle, sent[i], packet.size, packet.content, packet.begin, packet.end,
                       packet.discarded, packet.stream_id, 0, packet.number)
            sent[i] += 1
        for stream, handle in zip(self.trace.streams, self.handles):
            last = struct.pack(">QQ", handle, len(stream.packets) - 1)
            # Until then, it would forget what it is told about what does not come.
            while self.ask(8, last, 4) != bytes(4):
                time.sleep(0.01)
            self.index(handle, 0, 0, 0, 0, end + 1, 0, stream.packets[0].stream_id, 0, 0)

    def close_streams(self):
        for stream, handle in zip(self.trace.streams, self.handles):
            self.ask(7, struct.pack(">QQ", handle, len(stream.packets) - 1), 4)
        self.control.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.control.close()
        self.data.close()


def main():
    failed = 0
    # A shell's background commands ignore it, and so would the viewers.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as tmp:
        tests = Tests(tmp)
        names = os.environ.get("CASES", "same_text busy_text as_it_comes from_now_on "
                               "from_then_on several broken untaken missing missing_at_end late "
                               "absent nonsense final many_streams with_packet unread silent noise reader_goes "
                               "listed undeclared interrupted usage relayd").split()
        print(f"KTAP version 1\n1..{len(names)}")
        for number, name in enumerate(names, 1):
            test = getattr(tests, name)
            try:
                wrong = test() or ""
            except Exception:   # pylint: disable=broad-exception-caught # the others go on
                wrong = traceback.format_exc()
            end_all()
            skip = wrong.startswith("SKIP ")
            if wrong and not skip:
                print("# " + wrong.replace("\n", "\n# "))
            failed += bool(wrong) and not skip
            print(f"{'not ok' if wrong and not skip else 'ok'} {number} remote.{name}: "
                  f"{test.__doc__}{' # ' + wrong if skip else ''}", flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
