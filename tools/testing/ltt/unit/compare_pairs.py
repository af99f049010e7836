#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: compare_pairs.py kv|lttv FORMAT LINES

Lines of a text style with names and values have the values of the same lines in style "format".
Only events whose formats are nothing but "name VALUE name VALUE" are compared, the others must be
well-formed.
"""

import re
import sys

QUOTED = r'"(?:[^"\\]|\\.)*"'
KV_LINE = re.compile(rf'(\d+\.\d{{9}} \[\d{{3}}\] \w+\.\w+):((?: \$?\w+=(?:{QUOTED}|[^ "=\\]+))*)')
KV_PAIR = re.compile(rf' (\$?\w+)=({QUOTED}|[^ "=\\]+)')
LTTV_VALUE = rf'{QUOTED}|(?:[^" ,}}]|,(?! ))*'
LTTV_LINE = re.compile(
    r'((\w+)\.\w+): (\d+\.\d{9}) \(/\2_(\d+)\), (-?\d*), , (.*?), , , 0x0, MODE_UNKNOWN'
    rf'(?: \{{( \$?\w+ = (?:{LTTV_VALUE})(?:, \$?\w+ = (?:{LTTV_VALUE}))*) \}})?')
LTTV_PAIR = re.compile(rf' (\$?\w+) = ({LTTV_VALUE})(?:,|$)')
PLAIN = {'loss.one', 'loss.two', 'types.wide', 'types.narrow', 'types.sequences', 'types.network',
         'types.names', 'types.strings', 'types.hostile', 'types.addresses',
         'flight.position'}


def kv(line):
    """Time, CPU and name as in style "format"; names and values in their order."""
    match = KV_LINE.fullmatch(line)
    return match and (match[1], KV_PAIR.findall(match[2]))


def lttv(line):
    match = LTTV_LINE.fullmatch(line)
    if not match:
        return None
    pairs = LTTV_PAIR.findall(match[7] or '')
    if match[2] == 'flight':
        # Its contexts, in their order, are these and others.
        pairs[3:3] = [('tid', match[5]), ('comm', match[6])]
    return f'{match[3]} [{int(match[4]):03}] {match[1]}', pairs


def value(text):
    return text[1:-1].replace('\\"', '"') if text.startswith('"') else text


def main():
    parse = {'kv': kv, 'lttv': lttv}[sys.argv[1]]
    compared = {}
    with open(sys.argv[2], encoding='utf-8') as as_format, open(sys.argv[3], encoding='utf-8') as lines:
        for want, line in zip(as_format, lines, strict=True):
            if line.startswith('#'):
                if line != want and not line.startswith('# channel.event:'):
                    return f'{line!r} instead of {want!r}'
                continue
            parsed = parse(line.rstrip('\n'))
            if not parsed:
                return f'malformed: {line!r}'
            start, pairs = parsed
            name = start.split()[-1]
            pairs = ''.join(f' {n.lstrip("$")} {value(v)}' for n, v in pairs)
            # Padding is left out.
            if name in PLAIN and re.sub(' +', ' ', f'{start}:{pairs}').rstrip() != \
                    re.sub(' +', ' ', want).rstrip():
                return f'{line!r} instead of {want!r}'
            compared[name] = compared.get(name, 0) + 1
    missing = PLAIN - compared.keys()
    return f'no {" ".join(missing)}' if missing else None


sys.exit(main())
