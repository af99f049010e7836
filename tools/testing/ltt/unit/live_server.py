# SPDX-License-Identifier: GPL-2.0
"""A server of the viewer protocol of LTTng live, over recorded traces: written from the
protocol's description, not from our own server. It does what it is told to do wrong.

A trace is shown as it grows: a viewer that has been told of nothing new for a while gets more
of it, see Trace.grow().
"""

import os
import socket
import struct
import threading

CONNECT, LIST, ATTACH, INDEX, PACKET, METADATA, STREAMS, CREATE, DETACH = range(1, 10)
NAMES = {CONNECT: "CONNECT", LIST: "LIST", ATTACH: "ATTACH", INDEX: "INDEX", PACKET: "PACKET",
         METADATA: "METADATA", STREAMS: "STREAMS", CREATE: "CREATE", DETACH: "DETACH"}
SIZES = {CONNECT: 20, LIST: 0, ATTACH: 20, INDEX: 8, PACKET: 20, METADATA: 8, STREAMS: 8,
         CREATE: 0, DETACH: 8}
BEGINNING = 1


class Packet:
    """A packet, and what its header says."""

    def __init__(self, data, order):
        self.data = data
        (self.stream_id, self.begin, self.end, self.content, self.size, self.number,
         self.discarded, self.cpu) = struct.unpack_from(order + "IQQQQQQQ", data, 20)


class Stream:
    """A file of packets; @there of them are to be had."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        order = "<" if data[:4] == b"\xc1\x1f\xfc\xc1" else ">"
        self.name = os.path.basename(path)
        self.packets = []
        while data:
            size = struct.unpack_from(order + "Q", data, 48)[0] // 8
            self.packets.append(Packet(data[:size], order))
            data = data[size:]
        self.there = 0
        self.known = 0


class Trace:
    """A trace that grows, by @step packets at a time, in the order in which they end.

    Metadata come in @pieces, cut anywhere. @late streams come when half of it is there; that is
    told with other replies only if it @tells, which lttng-relayd does not always.
    """

    def __init__(self, path, name="live", host="box", step=20, pieces=1, late=0, number=7):
        self.name, self.host, self.step, self.number = name, host, step, number
        with open(path + "/metadata", "rb") as file:
            self.metadata = file.read()
        files = sorted(file for file in os.listdir(path)
                       if os.path.isfile(f"{path}/{file}") and file != "metadata"
                       and os.path.getsize(f"{path}/{file}"))
        self.streams = [Stream(f"{path}/{file}") for file in files]
        self.order = sorted((packet.end, i) for i, stream in enumerate(self.streams)
                            for packet in stream.packets)
        self.at = 0
        self.late = late
        self.pieces = pieces
        self.live = True
        self.stays = False
        self.tells = True
        self.first_packet = {}

    def all(self):
        """All of it is there at once."""
        while self.grow():
            pass
        return self

    def seen(self):
        """Streams that viewers may be told of."""
        return len(self.streams) - (self.late if 2 * self.at < len(self.order) else 0)

    def text(self):
        """The metadata that are there. All are, before the first packet is."""
        return self.metadata

    def grow(self):
        """More comes, and up to when all is known. Return: False: that was all."""
        if self.at == len(self.order):
            return False
        for _ in range(self.step):
            if self.at < len(self.order):
                self.streams[self.order[self.at][1]].there += 1
                self.at += 1
        now = self.order[self.at - 1][0]
        # Nobody knows of these yet.
        now = min([now, *(stream.packets[0].begin for stream in self.streams[self.seen():])])
        for stream in self.streams:
            following = stream.packets[stream.there:]
            stream.known = min(now, following[0].begin) if following else now
        return True


class Fault:
    """What to do instead of reply @at of connection @connection, both from 0."""

    def __init__(self, what, command, at=0, connection=0):
        self.what, self.command, self.at, self.connection = what, command, at, connection


class Last(bytes):
    """A reply after which the connection is closed."""


class Gone(Exception):
    """The connection is to be closed."""


class Viewer:
    """A connection."""

    def __init__(self, server, sock, number):
        self.server, self.sock, self.number = server, sock, number
        self.places, self.told, self.sent = {}, 0, 0
        self.counts = {}
        self.trace = None
        self.piece = 0
        self.quiet = 0

    def get(self, size):
        data = b""
        while len(data) < size:
            more = self.sock.recv(size - len(data))
            if not more:
                raise Gone
            data += more
        return data

    def run(self):
        try:
            while True:
                size, command, _ = struct.unpack(">QII", self.get(16))
                if SIZES.get(command) != size:
                    self.server.wrong.append(f"command {command} of {size} bytes")
                    raise Gone
                reply = getattr(self, "do_" + NAMES[command].lower())(self.get(size))
                self.send(command, reply)
        # A viewer that has got nonsense may say some.
        except (Gone, OSError, IndexError):
            pass
        finally:
            self.sock.close()

    def send(self, command, reply):
        """The reply, or what the fault makes of it."""
        count = self.counts.get(command, 0)
        self.counts[command] = count + 1
        for fault in self.server.faults:
            if (fault.command, fault.at, fault.connection) == (command, count, self.number):
                reply = fault.what(reply)
                if reply is None:
                    raise Gone
        self.sock.sendall(reply)
        if isinstance(reply, Last):
            raise Gone

    def do_connect(self, data):
        number, major, _, kind = struct.unpack(">QIII", data)
        if number != 2 ** 64 - 1 or major != 2 or kind != 1:
            self.server.wrong.append(f"CONNECT {data}")
        return struct.pack(">QIII", 1, 2, 4, 1)

    def do_create(self, _):
        return struct.pack(">I", 1)

    def do_list(self, _):
        there = [trace for trace in self.server.traces if not self.server.hidden]
        return struct.pack(">I", len(there)) + b"".join(
            struct.pack(">QIII64s255s", trace.number, 1000000, 0, trace.seen(),
                        trace.host.encode(), trace.name.encode()) for trace in there)

    def streams(self, first):
        trace, to = self.trace, self.trace.seen()
        self.told = to
        these = [(i + 1, 0, trace.streams[i].name) for i in range(first, to)]
        if not first and to:
            these.insert(0, (0, 1, "metadata"))
        return struct.pack(">II", 1 if these else 2, len(these)) + b"".join(
            struct.pack(">QQI4096s255s", trace.number << 32 | i, trace.number, metadata, b"x",
                        name.encode()) for i, metadata, name in these)

    def do_attach(self, data):
        number, _, seek = struct.unpack(">QQI", data)
        found = [trace for trace in self.server.traces if trace.number == number]
        if not found or not found[0].live:
            return struct.pack(">II", 4 if found else 3, 0)
        self.trace = found[0]
        self.server.attached.append((self.trace.name, seek))
        for i, stream in enumerate(self.trace.streams):
            first = 0 if seek == BEGINNING else stream.there
            self.places[i] = max(first, self.trace.first_packet.get(stream.name, 0))
        reply = self.streams(0)
        return struct.pack(">I", 1) + reply[4:]

    def do_streams(self, _):
        trace = self.trace
        if self.told < trace.seen():
            return self.streams(self.told)
        ended = all(self.places[i] == len(stream.packets)
                    for i, stream in enumerate(trace.streams))
        return struct.pack(">II", 4 if ended and not trace.stays else 2, 0)

    def do_metadata(self, _):
        text, pieces = self.trace.text(), self.trace.pieces
        if self.piece == pieces:
            return struct.pack(">QI", 0, 2)
        cuts = [len(text) * i // pieces for i in range(pieces + 1)]
        part = text[cuts[self.piece]:cuts[self.piece + 1]]
        self.piece += 1
        return struct.pack(">QI", len(part), 1) + part

    def do_index(self, data):
        nr = struct.unpack(">Q", data)[0] & 0xffffffff
        trace, stream = self.trace, self.trace.streams[nr - 1]
        at = self.places[nr - 1]
        flags = 2 if trace.tells and self.told < trace.seen() else 0
        if at == stream.there and not flags:
            # All streams have said so: time goes on.
            self.quiet += 1
            if self.quiet > len(trace.streams) and self.server.grows:
                self.quiet = 0
                trace.grow()
        if at < stream.there:
            packet = stream.packets[at]
            self.places[nr - 1] += 1
            return struct.pack(">7QII", at << 32, packet.size, packet.content, packet.begin,
                               packet.end, packet.discarded, packet.stream_id, 1, flags)
        status, known = 5 if stream.known else 2, stream.known
        if flags:
            status, known = 1, 0
        elif at == len(stream.packets) and not trace.stays:
            status, known = 3, 0
        return struct.pack(">7QII", 0, 0, 0, 0, known, 0, stream.packets[0].stream_id, status,
                           flags)

    def do_packet(self, data):
        nr, offset, size = struct.unpack(">QQI", data)
        packet = self.trace.streams[(nr & 0xffffffff) - 1].packets[offset >> 32]
        at = offset & 0xffffffff
        part = packet.data[at:at + min(size, self.server.part)]
        return struct.pack(">III", 1, len(part), 0) + part

    def do_detach(self, _):
        return struct.pack(">I", 1)


class Server:
    """All connections, each of which is a thread."""

    def __init__(self, traces, faults=(), part=65536, grows=True):
        self.traces, self.faults, self.part, self.grows = traces, list(faults), part, grows
        self.wrong, self.attached, self.hidden, self.connections = [], [], False, 0
        self.viewers = []
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                sock, _ = self.listening.accept()
            except OSError:
                return
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            viewer = Viewer(self, sock, self.connections)
            self.connections += 1
            self.viewers.append(viewer)
            threading.Thread(target=viewer.run, daemon=True).start()

    def cut(self):
        """Close all connections."""
        for viewer in self.viewers:
            try:
                viewer.sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def address(self, trace=None):
        trace = trace or self.traces[0]
        return f"net://127.0.0.1:{self.port}/host/{trace.host}/{trace.name}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listening.shutdown(socket.SHUT_RDWR)
        self.listening.close()
        self.cut()
