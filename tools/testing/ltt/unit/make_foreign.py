#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""usage: make_foreign.py [--seeds] DIRECTORY

Makes traces in the Common Trace Format 1.8 as other tracers might write them, each in a
subdirectory: with whatever is allowed, which nobody writes at once. Values are random, but the
same each time. It is up to babeltrace2 to say whether it is the format.

With --seeds, small ones are written as fuzz_view.c has them, each a file.
"""

import pathlib
import random
import struct
import sys
import uuid

NSEC = 10**9
UUID = uuid.UUID("01234567-89ab-cdef-0123-456789abcdef")
# babeltrace2 2.0.4 shows the string before in place of an empty one.
WORDS = ["a", "zwei Wörter", 'quo"te', "back\\slash", "tab\there", "x" * 300]


class Bits:
    """Bits of a packet, in both orders."""

    def __init__(self):
        self.data, self.pos = bytearray(), 0

    def align(self, bits):
        self.pos = -(-self.pos // bits) * bits
        self.grow()

    def grow(self):
        missing = -(-self.pos // 8) - len(self.data)
        self.data += bytes(max(missing, 0))

    def put(self, value, bits, big):
        for i in range(bits):
            at = self.pos + i
            bit = value >> (bits - 1 - i if big else i) & 1
            if at // 8 == len(self.data):
                self.data.append(0)
            self.data[at // 8] |= bit << (7 - at % 8 if big else at % 8)
        self.pos += bits


class Int:
    def __init__(self, bits, align=None, signed=False, order=None, base=10, clock=None, text=False):
        self.bits, self.signed, self.order, self.clock = bits, signed, order, clock
        self.align = align or (1 if bits % 8 else 8)
        self.base, self.text = base, text

    def tsdl(self):
        return (f"integer {{ size = {self.bits}; align = {self.align}; signed = {int(self.signed)}; "
                f"base = {self.base}; "
                + (f"byte_order = {self.order}; " if self.order else "")
                + (f"map = clock.{self.clock}.value; " if self.clock else "")
                + ("encoding = UTF8; " if self.text else "") + "}")

    def random(self, _):
        low = -(1 << self.bits - 1) if self.signed else 0
        high = low + (1 << self.bits) - 1
        return random.choice([low, high, 0, random.randint(low, high), random.randint(low, high)])

    def put(self, out, value, big, _):
        out.align(self.align)
        out.put(value & (1 << self.bits) - 1, self.bits, self.order == "be" if self.order else big)


class Float:
    def __init__(self, bits, align=8, order=None):
        self.bits, self.align, self.order = bits, align, order

    def tsdl(self):
        exp, mant = (8, 24) if self.bits == 32 else (11, 53)
        order = f"byte_order = {self.order}; " if self.order else ""
        return f"floating_point {{ exp_dig = {exp}; mant_dig = {mant}; align = {self.align}; {order}}}"

    def random(self, _):
        return random.choice([0.0, -1.5, 1e-9, 3.25e20, float("inf"), random.randrange(-8000, 8000) / 8])

    def put(self, out, value, big, _):
        out.align(self.align)
        kind = "f" if self.bits == 32 else "d"
        out.put(int.from_bytes(struct.pack(">" + kind, value), "big"), self.bits,
                self.order == "be" if self.order else big)


class Enum:
    def __init__(self, of, labels):
        self.of, self.labels, self.align = of, labels, of.align

    def tsdl(self):
        labels = ", ".join(f'"{name}" = {low}' + (f" ... {high}" if high != low else "")
                           for name, low, high in self.labels)
        return f"enum : {self.of.tsdl()} {{ {labels} }}"

    def random(self, _):
        _, low, high = random.choice(self.labels)
        return random.randint(low, high)

    def put(self, out, value, big, _):
        self.of.put(out, value, big, _)

    def label(self, value):
        return next(name for name, low, high in self.labels if low <= value <= high)


class Odd(Enum):
    """One that has values without a label, too."""

    def random(self, _):
        return random.choice([super().random(_), self.of.random(_)])


class String:
    align = 8

    def tsdl(self):
        return "string"

    def random(self, _):
        return random.choice(WORDS)

    def put(self, out, value, *_):
        out.align(8)
        for byte in value.encode() + b"\0":
            out.put(byte, 8, False)


class Struct:
    def __init__(self, members, align=1):
        self.members, self.short = members, False
        self.align = max([align] + [kind.align for _, kind in members])

    def tsdl(self):
        members = " ".join(declare(name, kind) for name, kind in self.members)
        return f"struct {{ {members} }} align({self.align})"

    def random(self, around):
        value = {}
        for name, kind in self.members:
            value[name] = kind.random([value] + around)
        return value

    def put(self, out, value, big, around):
        out.align(self.align)
        for name, kind in self.members:
            kind.put(out, value[name], big, [value] + around)


class Array:
    def __init__(self, of, count):
        self.of, self.count, self.align = of, count, of.align

    def random(self, around):
        count = self.count if isinstance(self.count, int) else lookup(around, self.count)
        if getattr(self.of, "text", False):
            letters = [random.choice(b"abc") for _ in range(count)]
            return letters[:(count + 1) // 2] + [0] * (count // 2)
        return [self.of.random(around) for _ in range(count)]

    def put(self, out, value, big, around):
        out.align(self.align)
        for element in value:
            self.of.put(out, element, big, around)


class Variant:
    align = 1

    def __init__(self, tag, enum, options):
        self.tag, self.enum, self.options = tag, enum, dict(options)

    def tsdl(self):
        options = " ".join(declare(name, kind) for name, kind in self.options.items())
        return f"variant <{self.tag}> {{ {options} }}"

    def chosen(self, around):
        return self.options[self.enum.label(lookup(around, self.tag))]

    def random(self, around):
        return self.chosen(around).random(around)

    def put(self, out, value, big, around):
        self.chosen(around).put(out, value, big, around)


class Length(Int):
    least = 0

    def random(self, _):
        return random.randint(self.least, 5)


class Some(Length):
    least = 1


def lookup(around, path):
    """The value of a field before this one; its scope is one of those that were read."""
    name = path.split(".")[-1]
    return next(fields[name] for fields in around if name in fields)


def declare(name, kind):
    dimensions = ""
    while isinstance(kind, Array):
        dimensions += f"[{kind.count}]"
        kind = kind.of
    return f"{kind.tsdl()} {name}{dimensions};"


class Stream:
    """A kind of stream, and one of it."""

    def __init__(self, number, header, events, packet=(), context=None, clock="main", freq=NSEC,
                 cpu=True, byte=8):
        self.number, self.header, self.events, self.context = number, header, events, context
        word = lambda **more: Int(64, byte, **more)
        members = [("timestamp_begin", word(clock=clock)), ("timestamp_end", word(clock=clock)),
                   ("content_size", word()), ("packet_size", word()),
                   ("packet_seq_num", word()), ("events_discarded", word())]
        if cpu:
            members.append(("cpu_id", Int(32, byte)))
        self.packet = Struct(members + list(packet))
        self.freq = freq

    def tsdl(self):
        text = f"stream {{ id = {self.number}; packet.context := {self.packet.tsdl()};\n"
        text += f"event.header := {self.header.tsdl()};\n"
        if self.context:
            text += f"event.context := {self.context.tsdl()};\n"
        text += "};\n"
        for number, name, fields, context in self.events:
            text += f'event {{ name = "{name}"; id = {number}; stream_id = {self.number};\n'
            if context:
                text += f"context := {context.tsdl()};\n"
            text += f"fields := {fields.tsdl()};\n}};\n"
        return text

    def event(self, out, ticks, number, fields, context, big, around):
        for kind, value in ((self.header, header_value(self.header, number, ticks)),
                            (self.context, None), (context, None), (fields, None)):
            if kind:
                value = value or kind.random(around)
                kind.put(out, value, big, around)
                around = [value] + around

    def packets(self, trace, count, per_packet):
        data, ticks = b"", 1000
        for seq in range(count):
            events = []
            for _ in range(per_packet):
                events.append((ticks, random.choice(self.events)))
                ticks += random.choice([0, 1, 17, 1000, 7000])
            # The sizes are known when all is written.
            state = random.getstate()
            content = None
            for _ in range(2):
                random.setstate(state)
                out = Bits()
                head = {"magic": 0xc1fc1fc1, "uuid": list(UUID.bytes), "stream_id": self.number}
                trace.header.put(out, head, trace.big, [])
                packet = self.packet.random([])
                packet.update(timestamp_begin=events[0][0], timestamp_end=ticks,
                              content_size=content or 0, packet_size=-(-(content or 0) // 512) * 512,
                              packet_seq_num=seq, events_discarded=seq // 3, cpu_id=self.number)
                self.packet.put(out, packet, trace.big, [])
                for when, (number, _, fields, context) in events:
                    self.event(out, when, number, fields, context, trace.big, [packet, head])
                content = out.pos
            data += bytes(out.data) + bytes(packet["packet_size"] // 8 - len(out.data))
        return data


def header_value(header, number, ticks):
    """For headers with an id and a time, or two forms of them."""
    fields = dict(header.members)
    if "v" not in fields:
        bits = fields["timestamp"].bits
        return {"id": number, "timestamp": ticks & (1 << bits) - 1, "unused": 1}
    if "timestamp" in fields:
        tag = fields["id"]
        name, first, _ = random.choice([label for label in tag.labels if number < tag.sizes[label[0]]])
        return {"id": number if name == "compact" else first, "v": {"id": number}, "timestamp": ticks}
    most = fields["id"].labels[1][1]
    bits = fields["v"].options["compact"].members[0][1].bits
    if number < most and (header.short or random.random() < 0.8):
        return {"id": number, "v": {"timestamp": ticks & (1 << bits) - 1}}
    return {"id": most, "v": {"id": number, "timestamp": ticks}}


class Trace:
    def __init__(self, big, streams, clocks=(("main", NSEC, 1600000000, 12345),), byte=8,
                 packed=False):
        self.big, self.streams, self.clocks, self.packed = big, streams, clocks, packed
        self.header = Struct([("magic", Int(32, byte)), ("uuid", Array(Int(8), 16)),
                              ("stream_id", Int(32, byte))])

    def tsdl(self):
        text = ("/* CTF 1.8 */\n"
                "typealias integer { size = 32; align = 8; signed = true; } := int;\n"
                f'trace {{ major = 1; minor = 8; uuid = "{UUID}"; '
                f'byte_order = {"be" if self.big else "le"}; '
                f"packet.header := {self.header.tsdl()}; }};\n"
                'env { hostname = "other"; domain = "test"; tracer_major = 7; };\n')
        for name, freq, seconds, ticks in self.clocks:
            text += (f"clock {{ name = {name}; freq = {freq}; offset_s = {seconds}; "
                     f"offset = {ticks}; }};\n")
        return text + "".join(stream.tsdl() for stream in self.streams)

    def seed(self, path):
        """All files in one: a number, which names a file, and a length before each."""
        files = [self.metadata()] + [stream.packets(self, 2, 4) for stream in self.streams]
        path.write_bytes(b"".join(bytes([nr]) + len(data).to_bytes(3, "little") + data
                                  for nr, data in enumerate(files)))

    def metadata(self):
        metadata = self.tsdl().encode()
        return pack(metadata, self.big) if self.packed else metadata

    def write(self, path, count=6, per_packet=40):
        random.seed(path.name)
        if "--seeds" in sys.argv:
            self.seed(path)
            return
        path.mkdir(parents=True)
        (path / "metadata").write_bytes(self.metadata())
        for stream in self.streams:
            (path / f"chan{stream.number}_{stream.number}").write_bytes(
                stream.packets(self, count, per_packet))


def pack(text, big):
    """Metadata in packets, with something after their contents."""
    packets, order = b"", ">" if big else "<"
    for at in range(0, len(text), 1000):
        part = text[at:at + 1000]
        packets += struct.pack(order + "I16sIIIBBBBB", 0x75d11d57, UUID.bytes, 0,
                               8 * (37 + len(part)), 8 * 2048, 0, 0, 0, 1, 8)
        packets += part + bytes(2048 - 37 - len(part))
    return packets


def plain_header(clock="main", bits=64, id_bits=16, align=8):
    return Struct([("id", Int(id_bits, align)), ("timestamp", Int(bits, align, clock=clock))])


def lttng_header(bits, time_bits, align, clock="main"):
    """LTTng's own, with its two forms."""
    most = (1 << bits) - 1
    tag = Enum(Int(bits, 1 if bits < 8 else align), [("compact", 0, most - 1), ("extended", most, most)])
    compact = Struct([("timestamp", Int(time_bits, 1 if bits < 8 else align, clock=clock))])
    extended = Struct([("id", Int(32, align)), ("timestamp", Int(64, align, clock=clock))])
    return Struct([("id", tag), ("v", Variant("id", tag, [("compact", compact),
                                                          ("extended", extended)]))], 8)


def late_header(clock="main"):
    """With a time after forms that end at different places."""
    forms = [("compact", 0, 61, 62), ("medium", 62, 62, 1 << 10), ("extended", 63, 63, 1 << 26)]
    tag = Enum(Int(6, 1), [form[:3] for form in forms])
    header = Struct([("id", tag), ("v", Variant("id", tag, [
        ("compact", Struct([])), ("medium", Struct([("id", Int(10, 1))])),
        ("extended", Struct([("id", Int(26, 1))]))])), ("timestamp", Int(64, 1, clock=clock))], 8)
    tag.sizes = {form[0]: form[3] for form in forms}
    return header


def far_ids(events):
    """Few of them in a table by id, and one that is not."""
    return [(70000 if number == 5 else 9 * number + 30, *rest) for number, *rest in events]


SIGNED = [("near", -2, 1), ("low", -16, -9), ("three", 3, 3), ("five", -5, -5)]
STATES = [("IDLE", -3, -1), ("RUN", 0, 0), ("a b", 1, 5)]
TAG = Enum(Int(8), [("none", 0, 0), ("number", 1, 3), ("text", 4, 4), ("pair", 5, 5), ("list", 6, 6)])
PAIR = Struct([("a", Int(13, 1, signed=True)), ("_b", String()), ("c", Float(64))])


def plain_events():
    point = Struct([("x", Int(16, signed=True)), ("y", Struct([("z", Int(8)), ("f", Float(32))]))])
    return [
        (0, "ints", Struct([(f"u{bits}", Int(bits, bits)) for bits in (8, 16, 32, 64)] +
                           [(f"i{bits}", Int(bits, 8, signed=True)) for bits in (8, 16, 32, 64)] +
                           [("hex", Int(32, base=16)), ("oct", Int(32, base=8)),
                            ("big", Int(32, order="be")), ("little", Int(64, order="le")),
                            ("_under", Int(24))]), None),
        (1, "app:texts", Struct([("s", String()), ("name", Array(Int(8, text=True), 16)),
                                 ("t", String()), ("_len", Some(32)),
                                 ("chars", Array(Int(8, text=True), "_len"))]), None),
        (2, "nested", Struct([("p", point), ("q", point), ("x", Int(8)),
                              ("d", Float(64)), ("g", Float(32, 32))]), None),
        (3, "arrays", Struct([("a", Array(Int(16, signed=True), 3)), ("n", Length(8)),
                              ("s", Array(Int(32), "n")), ("f", Array(Float(32), 2)),
                              ("m", Array(Array(Int(8), 2), 3)), ("z", Array(Int(8), "n")),
                              ("r", Array(Int(32, order="be"), "n")),
                              ("w", Array(Int(8, 32), 3)), ("e", Int(16))]), None),
        (4, "enums", Struct([("state", Odd(Int(8, signed=True), STATES)),
                             ("one", Odd(Int(32), [("A", 1, 1), ("B", 2, 2), ("C", 4, 4)])),
                             ("all", Array(Odd(Int(8), [("zero", 0, 0), ("few", 1, 9)]), 4))]), None),
        (5, "empty", Struct([]), Struct([("own", Int(32)), ("more", String())])),
    ]


def odd_events():
    nested = Struct([("tag", TAG), ("v", Variant("tag", TAG, [
        ("none", Struct([])), ("number", Int(40)), ("text", String()), ("pair", PAIR),
        ("list", Array(Int(8, base=16), 3))]))])
    return [
        (0, "variants", Struct([("tag", TAG), ("before", Int(3, 1)), ("v", Variant("tag", TAG, [
            ("none", Struct([])), ("number", Int(32, 32, signed=True)), ("text", String()),
            ("pair", PAIR), ("list", Array(Int(16), 2))])), ("after", Int(16))]), None),
        (1, "lists", Struct([("_n", Length(8)), ("pairs", Array(PAIR, "_n")), ("two", Array(PAIR, 2)),
                             ("words", Array(String(), "_n")),
                             ("nested", Array(nested, "_n"))]), None),
        (2, "elsewhere", Struct([("s", Array(Int(16), "stream.event.context.nr")),
                                 ("t", Array(Int(8), "stream.packet.context.width"))]), None),
    ]


def referring_events():
    """With a length that is the id of the header."""
    return plain_events() + [(6, "referring", Struct([
        ("s", Array(Int(8), "stream.event.header.id")), ("t", Int(8))]), None)]


def packed_events():
    return [
        (number, f"bits{number}", Struct(
            [(f"f{i}", Int(random.randint(1, 64), 1, signed=random.random() < 0.5))
             for i in range(12)] +
            # babeltrace2 2.0.4 shows 0 for those of 61 to 63 bits.
            [(f"x{i}", Int(random.randint(1, 60), 1, signed=random.random() < 0.5, base=16))
             for i in range(3)] +
            [("e", Odd(Int(3, 1), [("low", 0, 1), ("high", 6, 7)])),
             ("h", Odd(Int(5, 1, signed=True, base=16), SIGNED)),
             ("o", Odd(Int(8, 1, signed=True, base=8), SIGNED)),
             ("y", Odd(Int(5, 1, signed=True, base=16), SIGNED[2:])),
             ("a", Array(Int(5, 1, signed=True), 7)), ("n", Length(3, 1)),
             ("s", Array(Int(11, 1), "n")), ("f", Float(64, 1)),
             ("wide", Array(Int(4, 16), 3)), ("end", Int(16, 16))]), None)
        for number in range(5)]


def main():
    top = pathlib.Path(sys.argv[-1])
    for big in (False, True):
        order = "be" if big else "le"
        random.seed(order)
        Trace(big, [
            Stream(0, plain_header(), plain_events()),
            Stream(7, plain_header(bits=16, id_bits=8), plain_events(), cpu=False,
                   packet=[("extra", Int(32)), ("label", String())],
                   context=Struct([("vpid", Int(32, signed=True)), ("comm", Array(Int(8, text=True), 16))])),
        ], packed=big).write(top / f"plain-{order}")
        context = Struct([("nr", Length(16)), ("who", String())])
        Trace(big, [Stream(3, plain_header(), odd_events(), context=context,
                           packet=[("width", Length(8))])], packed=not big).write(top / f"odd-{order}")
        Trace(big, [Stream(0, plain_header(bits=27, id_bits=5, align=1), packed_events(), byte=1)],
              byte=1).write(top / f"packed-{order}")
        for name, header in (("compact", lttng_header(5, 27, 8)), ("large", lttng_header(16, 32, 8)),
                             ("aligned", lttng_header(16, 32, 32))):
            Trace(big, [Stream(0, header, plain_events())]).write(top / f"{name}-{order}")
            if name != "aligned":
                # Nothing is as long as the id that stands for others.
                header.short = name == "large"
                Trace(big, [Stream(0, header, referring_events())]).write(top / f"{name}-id-{order}")
        Trace(big, [Stream(0, late_header(), far_ids(plain_events()))]).write(top / f"late-{order}")
    Trace(False, [Stream(0, plain_header(), plain_events())]).write(top / "small", 900, 3)
    Trace(False, [
        Stream(0, plain_header("slow"), plain_events(), clock="slow", freq=8000000),
        Stream(1, plain_header("fast"), plain_events(), clock="fast", freq=3000000001),
    ], clocks=[("slow", 8000000, 1600000000, 4), ("fast", 3000000001, 1599999999, 2999000000)]).write(
        top / "clocks")


main()
