#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Does babeltrace2 find in a binary trace what the text of the same trace shows?

usage: ctf.py TRACE-DIRECTORY TEXT-FILE

Each event that libbabeltrace2 reads is shown here anew, from its fields and the
marker's format, by code that shares nothing with LTT's. Number, order, times, CPUs,
names and all values must be those of the text. Events of the same nanosecond are in
order by channel and CPU only: between them the two break ties in their own ways. Hashed
pointers and symbols are compared in form only. Prints how many events there were of
each kind.
"""

import collections
import ipaddress
import itertools
import re
import sys
import uuid

import bt2

CONVERSION = re.compile(
    r"%(?P<flags>[-+# 0]*)(?P<width>\d*)(?P<prec>\.\d+)?(?:hh|h|ll|l|z|t|j)?"
    r"(?:(?P<int>[diuxXo])|(?P<char>c)|(?P<str>s)|p(?P<ext>I[46]c?|i[46]|M[FR]?|mR?|m"
    r"|U[bBlL]?|[sSBWxK]R?)?)"
    r"(?P<array>\[\d+\])?(?P<names>\{(?!\{)[^}]*\})?")

class Pattern(str):
    """A regular expression for a text that is not known; others are compared as they are."""


def joined(parts):
    """Texts and patterns, one after the other."""
    if not any(isinstance(part, Pattern) for part in parts):
        return "".join(parts)
    return Pattern("".join(part if isinstance(part, Pattern) else re.escape(part) for part in parts))


ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\"}


def escaped(text):
    """As LTT shows text that somebody else has made."""
    return "".join(ESCAPES.get(c) or (c if " " <= c <= "~" else "".join(
        f"\\x{b:02x}" for b in c.encode("utf-8", "surrogateescape"))) for c in text)


def integer(value, bits, conv):
    """As printk() does."""
    kind = conv["int"]
    if kind in "di":
        value = (value + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)
        kind = "d"
    else:
        value %= 1 << bits
        kind = "d" if kind == "u" else kind
    prefix, flags = "", conv["flags"]
    # Unlike in C, 0 has the prefix of a hexadecimal number, too.
    if "#" in flags and (value or kind in "xX") and kind in "xXo":
        prefix = {"x": "0x", "X": "0X", "o": "0"}[kind]
    width = int(conv["width"] or 0)
    if "-" in flags or "0" not in flags:
        text = prefix + f"%{flags.replace('#', '').replace('0', '')}{conv['prec'] or ''}{kind}" % value
        return text.ljust(width) if "-" in flags else text.rjust(width)
    return prefix + f"%{flags.replace('#', '')}{max(0, width - len(prefix)) or ''}{kind}" % value


def named(value, bits, conv):
    """An enumeration's name, or those of flags."""
    names = conv["names"][1:-1].split("|" if conv["names"][1] == "|" else ",")
    table = [(int(number, 0), name) for number, name in
             (entry.split("=", 1) for entry in names if entry)]
    if conv["names"][1] != "|":
        return next((name for number, name in table if (number - value) % (1 << bits) == 0),
                    None) or integer(value, bits, conv)
    found = []
    for number, name in table:
        # The name of 0 stands for the whole value only.
        if (value & number == number) if number else (not value and not found):
            found.append(name)
            value &= ~number
    if value or not found:
        found.append(f"{value:#x}" if value else "0")
    return "|".join(found)


def address(values, ext):
    """Network addresses and UUIDs, of bytes."""
    raw = bytes(values)
    if ext == "I4":
        return str(ipaddress.IPv4Address(raw))
    if ext == "I6c":
        return str(ipaddress.IPv6Address(raw))
    if ext == "I6":
        return ipaddress.IPv6Address(raw).exploded
    if ext == "M":
        return raw.hex(":")
    if ext in ("U", "Ub"):
        return str(uuid.UUID(bytes=raw))
    raise NotImplementedError(f"%p{ext}")


def bits_of(field):
    return field.cls.field_value_range


def shown(conv, field):
    """What the text has in place of the conversion."""
    ext = conv["ext"]
    if conv["str"]:
        # babeltrace2 2.0.4 leaves the string before in place of an empty one.
        text = escaped(str(field) if len(field) else "")
        width = int(conv["width"] or 0)
        return text.ljust(width) if "-" in conv["flags"] else text.rjust(width)
    if ext and ext[0] in "IiMmU":
        return address([int(byte) for byte in field], ext)
    if ext == "W" and isinstance(field, str):
        return field
    if ext == "W":
        return bytes(int(byte) for byte in field).hex()
    if conv["int"] and not hasattr(field, "__len__"):
        how = named if conv["names"] else integer
        return how(int(field), bits_of(field), conv)
    if conv["int"]:
        return "[" + ",".join(integer(int(one), bits_of(one), conv) for one in field) + "]"
    if conv["char"]:
        return escaped(chr(int(field) % 256))
    if ext and ext[0] in "sSB":
        symbol = r"[\w.]+(\+0x[0-9a-f]+/0x[0-9a-f]+)?( \[\w+\])?"
        if not hasattr(field, "__len__"):
            return Pattern(symbol)
        return Pattern(r"\[" + ",".join([symbol] * len(field)) + r"\]")
    return Pattern(r"[0-9a-f]{16}")


def unread(state, field):
    """A blob, or what is shown in place of one that could not be read."""
    return field if not state else "(null)" if state == 1 else "(fault)"


def expected(pieces, struct):
    """The text of an event, or of its context."""
    members = list(struct.items()) if struct is not None else []
    states = {name: int(field) for name, field in members
              if name.startswith("_") and name.endswith("_state")}
    values = [unread(states.get(f"_{name}_state"), field) for name, field in members
              if not (name.startswith("_") and name.endswith(("_length", "_state")))]
    conversions = [piece for piece in pieces if not isinstance(piece, str)]
    if len(values) != len(conversions):
        raise ValueError(f"{len(values)} fields for {len(conversions)} conversions")
    fields = iter(values)
    return joined([piece if isinstance(piece, str) else shown(piece, next(fields))
                   for piece in pieces])


def pieces_of(text):
    """A format as literal text and conversions."""
    pieces, pos = [], 0
    while pos < len(text):
        if text.startswith(("%%", "{{"), pos):
            pieces.append(text[pos])
            pos += 2
        elif text[pos] == "%":
            found = CONVERSION.match(text, pos)
            if not found:
                raise ValueError(f"what is this: {text[pos:]}")
            pieces.append(found)
            pos = found.end()
        else:
            pieces.append(text[pos])
            pos += 1
    literal = itertools.groupby(pieces, key=lambda piece: isinstance(piece, str))
    return [piece for is_text, some in literal for piece in (["".join(some)] if is_text else some)]


def formats(directory):
    """The markers' formats by stream and id, from the metadata; with id None, the context's."""
    table, event, fields = {}, {}, None
    with open(f"{directory}/metadata", encoding="ascii") as metadata:
        for line in metadata:
            word = line.strip().rstrip(";").split(" = ")
            if line.rstrip() in ("stream {", "event {"):
                event, fields = {}, None
            elif line.startswith("struct "):
                fields = line.split()[1]
            if word[0] in ("id", "stream_id") and len(word) == 2:
                event[word[0]] = int(word[1])
            elif line.strip().startswith("// ltt-format "):
                text = line.strip()[len('// ltt-format "'):-1]
                text = re.sub(r"\\([0-7]{3}|.)", lambda m: chr(int(m[1], 8))
                              if len(m[1]) == 3 else m[1], text)
                ids = fields or ((event["stream_id"], event["id"]) if "stream_id" in event
                                 else (event["id"], None))
                table[ids] = pieces_of(text)
            elif line.startswith("\tfields := struct fields_"):
                name = line.split()[-1].rstrip(";")
                table[event["stream_id"], event["id"]] = table[name]
    return table


def captured(directory):
    """Each event as the start of its line, and the rest."""
    table = formats(directory)
    for message in bt2.TraceCollectionMessageIterator(directory):
        if not isinstance(message, bt2._EventMessageConst):
            continue
        event = message.event
        now = message.default_clock_snapshot.value
        cpu = int(event.packet.context_field["cpu_id"])
        body = expected(table[event.stream.cls.id, event.cls.id], event.payload_field)
        if (event.stream.cls.id, None) in table:
            body = joined([body, " " * bool(body), expected(table[event.stream.cls.id, None],
                                                            event.common_context_field)])
        yield f"{now // 10**9}.{now % 10**9:09} [{cpu:03}] {event.name}:", body


def printed(path):
    """Each event of the text as the start of its line, and the rest."""
    with open(path, encoding="utf-8", errors="surrogateescape") as lines:
        for line in lines:
            if not line.startswith("#"):
                words = line.rstrip("\n").split(" ", 3)
                yield " ".join(words[:3]), "".join(words[3:])


def ties_by_stream(events):
    """Events of the same time sorted by CPU and channel, and else left in their order."""
    for _, tied in itertools.groupby(events, key=lambda event: event[0].split(" ")[0]):
        yield from sorted(tied, key=lambda event: event[0].split(" ")[1:2] +
                          event[0].split(" ")[2].split(".")[:1])


def same(found, line):
    """Is this what was expected?"""
    return re.fullmatch(found, line) if isinstance(found, Pattern) else found == line


def main():
    directory, text = sys.argv[1:]
    kinds = collections.Counter()
    for ctf, line in itertools.zip_longest(ties_by_stream(captured(directory)),
                                           ties_by_stream(printed(text)),
                                           fillvalue=("the end", "")):
        if ctf[0] != line[0] or not same(ctf[1], line[1]):
            print("text:", *line)
            print("CTF: ", *ctf)
            return 1
        kinds[line[0].split(" ")[2].rstrip(":")] += 1
    for name, number in sorted(kinds.items()):
        print(number, name)
    print(sum(kinds.values()), "events")
    return 0 if kinds else 1


if __name__ == "__main__":
    sys.exit(main())
