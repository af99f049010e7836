#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: compare_kv.py FORMAT KV

Lines of text style "kv", read as logfmt, have the values of the same lines in style "format".
Only events whose formats are nothing but "name VALUE name VALUE" are compared, the others must be
well-formed.
"""

import re
import sys

LINE = re.compile(r'(\d+\.\d{9} \[\d{3}\] \w+\.\w+):((?: \$?\w+=(?:"(?:[^"\\]|\\.)*"|[^ "=\\]+))*)')
PAIR = re.compile(r' (\$?\w+)=("(?:[^"\\]|\\.)*"|[^ "=\\]+)')
PLAIN = {'loss.one', 'loss.two', 'types.wide', 'types.narrow', 'types.sequences', 'types.network',
         'types.names', 'types.strings', 'types.hostile', 'types.addresses',
         'flight.position'}


def value(text):
    return text[1:-1].replace('\\"', '"') if text.startswith('"') else text


def main():
    compared = {}
    with open(sys.argv[1], encoding='utf-8') as as_format, open(sys.argv[2], encoding='utf-8') as kv:
        for want, line in zip(as_format, kv, strict=True):
            if line.startswith('#'):
                if line != want:
                    return f'{line!r} instead of {want!r}'
                continue
            match = LINE.fullmatch(line.rstrip('\n'))
            if not match:
                return f'malformed: {line!r}'
            name = match[1].split()[-1]
            pairs = ''.join(f' {n.lstrip("$")} {value(v)}' for n, v in PAIR.findall(match[2]))
            # Padding is left out.
            if name in PLAIN and re.sub(' +', ' ', f'{match[1]}:{pairs}').rstrip() != \
                    re.sub(' +', ' ', want).rstrip():
                return f'{line!r} instead of {want!r}'
            compared[name] = compared.get(name, 0) + 1
    missing = PLAIN - compared.keys()
    return f'no {" ".join(missing)}' if missing else None


sys.exit(main())
