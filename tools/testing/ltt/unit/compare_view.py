#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Do the lines of ltt view say what babeltrace2 says of the same trace?

usage: compare_view.py TRACE-DIRECTORY LINES BABELTRACE2-TEXT

The latter two are the outputs of `ltt view --wall` and of `babeltrace2 --clock-seconds
--no-delta`. From the fields that babeltrace2 shows and the format in the metadata each
line is made once more, by code that shares nothing with LTT's. Events of the same time
may come in another order. Prints how many events were compared, field by field.
"""

import collections
import ipaddress
import re
import sys
import uuid

# Whatever is in quotes may have braces, too.
STRUCT = rb'\{ ?((?:[^{}"]|"(?:[^"\\]|\\.)*")*)\}'
EVENT = re.compile(rb"\[(\d+\.\d{9})\] \S* ?([\w.]+): \{ cpu_id = (\d+) \}, (?:" +
                   STRUCT + rb", )?" + STRUCT)
CONVERSION = re.compile(
    r"%(?P<flags>[-+# 0]*)(?P<width>\d*)(?P<prec>\.\d+)?(?P<length>hh|h|ll|l|z|t|j|)"
    r"(?P<kind>[diuxXoc]|s|p(?:I4[hnbl]?|I6c?|M|Ub|Ul|W|x|S|s|))"
    r"(?P<array>\[\d+\])?(?P<names>\{(?!\{)[^}]*\})?")
SIZES = {"hh": 8, "h": 16, "": 32, "l": 64, "ll": 64, "z": 64, "t": 64, "j": 64}
STRING_ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"e": b"\33", b"a": b"\a",
                  b"b": b"\b", b"f": b"\f", b"v": b"\v"}
BIG_ENDIAN = False


class Values:
    """What babeltrace2 shows of an event's fields, one after the other."""

    def __init__(self, text):
        self.text, self.pos = text, 0

    def take(self, pattern):
        found = re.compile(pattern, re.S).match(self.text, self.pos)
        if found:
            self.pos = found.end()
        return found

    def value(self):
        found = self.take(rb'"((?:[^"\\]|\\.)*)"')
        if found:
            return unescape(found[1])
        if self.take(rb"\( "):
            self.take(rb'(?:<unknown>|"[^"]*"(?:, "[^"]*")*) : container = ')
            value = self.value()
            self.take(rb" \)")
            return value
        if self.take(rb"\[ ?"):
            values = []
            while not self.take(rb" ?\]"):
                self.take(rb"(?:, )?\[\d+\] = ")
                values.append(self.value())
            return values
        found = self.take(rb"-?0x[0-9A-F]+|-?\d+")
        if not found:
            raise ValueError(f"no value: {self.text[self.pos:]!r}")
        digits = found[0].decode()
        return int(digits, 8 if re.match("-?0[0-7]", digits) else 0)

    def all(self):
        """Values in order, also what is none of the format's: lengths, states."""
        fields = []
        while self.take(rb"(?:, )?(\w+) = "):
            fields.append(self.value())
        return fields


def unescape(text):
    """Of a string as babeltrace2 shows it."""
    def one(found):
        what = found[1]
        if what[:1] == b"x":
            return bytes([int(what[1:], 16)])
        return STRING_ESCAPES.get(what, what)
    return re.sub(rb"\\(x[0-9a-f]{2}|.)", one, text, flags=re.S)


def escaped(raw):
    """As LTT shows text that somebody else has made."""
    out = ""
    for char in raw.decode("utf-8", "surrogateescape"):
        if char in "\n\t\\":
            out += {"\n": "\\n", "\t": "\\t", "\\": "\\\\"}[char]
        elif " " <= char <= "~" or 0xa0 <= ord(char) and not 0xdc80 <= ord(char) <= 0xdcff:
            out += char
        else:
            code = ord(char)
            raw_char = char.encode("utf-8", "surrogateescape") if code > 0x7f else bytes([code])
            out += "".join(f"\\x{byte:02x}" for byte in raw_char)
    return out


def padded(text, conv):
    width = int(conv["width"] or 0)
    return text.ljust(width) if "-" in conv["flags"] else text.rjust(width)


def integer(value, conv):
    bits, kind = SIZES[conv["length"]], conv["kind"]
    if kind in "di":
        kind = "d"
        value = (value + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)
    else:
        value %= 1 << bits
        kind = "d" if kind == "u" else kind
    if conv["names"]:
        return named(value, conv)
    flags = conv["flags"].replace("#", "")
    prefix = {"x": "0x", "X": "0X", "o": "0", "d": ""}[kind] if "#" in conv["flags"] else ""
    width = max(0, int(conv["width"] or 0) - len(prefix))
    text = f"%{flags}{width or ''}{conv['prec'] or ''}{kind}" % value
    return prefix + text


def named(value, conv):
    flags = conv["names"][1] == "|"
    entries = conv["names"][1:-1].strip("|").split("|" if flags else ",")
    table = [(int(number, 0), name) for number, name in (e.split("=", 1) for e in entries)]
    if not flags:
        plain = dict(conv, names=None)
        return next((name for number, name in table if number == value), None) or \
            padded(integer(value, plain), conv)
    found = [name for number, name in table if value & number == number]
    for number, _ in table:
        if value & number == number:
            value &= ~number
    if value or not found:
        found.append(f"{value:#x}" if value else "0")
    return "|".join(found)


def shown(conv, value):
    kind = conv["kind"]
    if isinstance(value, list) and (conv["array"] or kind in "diuxXopSps"):
        return "[" + ",".join(shown(conv, one) for one in value) + "]"
    if kind == "s":
        prec = conv["prec"]
        return padded(escaped(value[:int(prec[1:])] if prec else value), conv)
    if kind == "c":
        if isinstance(value, int):
            value = bytes([value % 256])
        return padded(escaped(value), conv)
    if kind in ("pI4h", "pI4l"):
        little = kind == "pI4l" or not BIG_ENDIAN
        return str(ipaddress.IPv4Address(bytes(value[::-1] if little else value)))
    if kind.startswith("pI4"):
        return str(ipaddress.IPv4Address(bytes(value)))
    if kind == "pI6":
        return ipaddress.IPv6Address(bytes(value)).exploded
    if kind == "pI6c":
        return str(ipaddress.IPv6Address(bytes(value)))
    if kind == "pM":
        return bytes(value).hex(":")
    if kind == "pUb":
        return str(uuid.UUID(bytes=bytes(value)))
    if kind == "pUl":
        return str(uuid.UUID(bytes_le=bytes(value)))
    if kind == "pW":
        return bytes(value).hex()
    if kind in ("pS", "ps"):
        return f"0x{value:016x}"
    if kind in ("p", "px"):
        return f"{value:016x}"
    return integer(value, conv)


def pieces_of(text):
    pieces, pos = [], 0
    while pos < len(text):
        found = None if text.startswith("%%", pos) else CONVERSION.match(text, pos)
        if found:
            pieces.append(found.groupdict())
            pos = found.end()
        else:
            pieces.append(text[pos])
            pos += 2 if text.startswith(("%%", "{{"), pos) else 1
    return pieces


def kinds(directory):
    """Formats by name, and which arguments have a length before them.

    Those of the contexts are called like their channels.
    """
    table, name, types = {}, None, []
    with open(f"{directory}/metadata", encoding="ascii") as metadata:
        for line in metadata:
            line = line.strip()
            if line.startswith('name = "') and "." in line:
                name = line[len('name = "'):-2]
            elif line.startswith("// ltt-channel"):
                name = line.split('"')[1]
            elif line.startswith("struct fields_"):
                name = line.split()[1]
            elif line.startswith("fields := struct fields_"):
                table[name] = table[line.split()[-1][:-1]]
            elif line.startswith("// ltt-types"):
                types = [int(word, 16) for word in line.split()[2:]]
            elif line.startswith("// ltt-format "):
                raw = re.sub(r"\\([0-7]{3}|.)", lambda m: chr(int(m[1], 8))
                             if len(m[1]) == 3 else m[1], line[len('// ltt-format "'):-1])
                table[name] = (pieces_of(raw.encode("latin-1").decode()), types)
    return table


def stored(value, code):
    """babeltrace2 shows signed integers in hexadecimal as if they were unsigned."""
    if isinstance(value, list):
        return [stored(one, code) for one in value]
    half = 1 << 8 * (code & 0xff) - 1
    if isinstance(value, int) and code >> 12 & 1 and value >= half:
        return value - 2 * half
    return value


def body(pieces, types, text):
    """A regular expression for what the line has behind the name.

    Where a string is empty, babeltrace2 2.0 shows the one that it read there before; for it
    an array of characters is a string, too, and ends before a NUL.
    """
    values, argument, out = iter(Values(text).all()), 0, ""
    for piece in pieces:
        if isinstance(piece, str):
            out += re.escape(escaped(piece.encode()))
            continue
        sequence = types[argument] >> 8 & 15 == 3
        if sequence and not piece["array"]:
            next(values)
        state = next(values) if piece["kind"] == "pW" else 0
        value = stored(next(values), types[argument])
        argument += 1
        if sequence and piece["kind"] == "c":
            out += f"(?:{re.escape(escaped(bytes(value)))})?" + r"(?:\\x00.*)?"
        elif state:
            out += re.escape(padded("(null)" if state == 1 else "(fault)", piece))
        elif piece["kind"] == "s" and value:
            out += f"(?:{re.escape(shown(piece, value))}|{re.escape(shown(piece, b''))})"
        else:
            out += re.escape(shown(piece, value))
    if next(values, None) is not None:
        raise ValueError(f"more fields than conversions: {text!r}")
    return out


def main():
    global BIG_ENDIAN
    directory, ours, theirs = sys.argv[1:]
    with open(f"{directory}/metadata", encoding="ascii") as metadata:
        BIG_ENDIAN = "\n\tbyte_order = be;" in metadata.read()
    table = kinds(directory)
    with open(ours, "rb") as file:
        got = [line for line in file.read().splitlines() if not line.startswith(b"#")]
    left = collections.defaultdict(list)
    for line in got:
        left[line.split()[0]].append(line)
    times, fields = [], 0
    with open(theirs, "rb") as file:
        for line in file.read().splitlines():
            found = EVENT.fullmatch(line)
            if not found:
                print(f"not an event: {line!r}")
                return 1
            name = found[2].decode()
            pieces, types = table[name]
            want = re.escape(f"{found[1].decode()} [{int(found[3]):03}] {name}: ") + \
                body(pieces, types, found[5])
            if found[4] is not None:
                pieces, context_types = table[name.split(".")[0]]
                want += " " + body(pieces, context_types, found[4])
                fields += len(context_types)
            want = want.encode("utf-8", "surrogateescape")
            here = left[found[1]]
            same = next((one for one in here if re.fullmatch(want, one)), None)
            if same is None:
                print(f"ltt view:    {here!r}\nbabeltrace2: {want!r}")
                return 1
            here.remove(same)
            times.append(found[1])
            fields += len(types)
    if [line.split()[0] for line in got] != times:
        print("times or order differ")
        return 1
    print(f"{len(got)} events, {fields} fields")
    return 0 if fields else 1


sys.exit(main())
