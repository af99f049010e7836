#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: litmus_c.py FILE.litmus... > FILE.c

The same tests as a program of threads, for run_litmus.h: each test as it is, and with each
labelled line weakened.

ThreadSanitizer knows what releases and acquires order, but no fences and no dependencies. So a
store behind smp_wmb() is a release there, a load before smp_rmb() an acquire, and so is
a load of a pointer that is followed.
"""
import re
import sys

from litmus import Litmus


def adapted(body):
    """Fences belong to the access beside them, and registers begin with 0."""
    body = [re.sub(r'^int (\*?r\d+);', r'int \1 = 0;', line) for line in body]
    pointers = {m[1] for line in body if (m := re.match(r'int \*(r\d+)', line))}
    out = []
    for line, after in zip(body, body[1:] + ['']):
        load = re.match(r'(r\d+) = READ_ONCE\((.*)\);', line)
        if load and load[1] in pointers:
            line = f'{load[1]} = rcu_dereference({load[2]});'
        elif load and after == 'smp_rmb();':
            line = f'{load[1]} = READ_ONCE_RMB({load[2]});'
        elif out and out[-1] == 'smp_wmb();':
            out.pop()
            line = line.replace('WRITE_ONCE(', 'WMB_WRITE_ONCE(')
        if line and line != 'smp_rmb();':
            out.append(line)
    return out


def has_plain(litmus, body):
    """Is there an access that is not marked, to what others look at?"""
    return any(re.match(r'\*\w+ = |r\d+ = \*?\w+;', line) for line in body)


def emit_variant(litmus, name, weak):
    code = [adapted(body) for body in litmus.code(weak)]
    for t, body in enumerate(code):
        print(f'static void {name}_P{t}(void)\n{{')
        used = set(re.findall(r'\w+', '\n'.join(body)))
        for kind, param in litmus.params[t]:
            if param not in used:
                continue
            print(f'\t{kind}{param} = &{name}_{param};')
        print('\n' + '\n'.join('\t' + line for line in body))
        for register in re.findall(r'int \*?r(\d+) = 0;', '\n'.join(body)):
            print(f'\tSAVE({t}, {register}, r{register});')
        print('}\n')
    print(f'static void {name}_init(void)\n{{')
    for loc in litmus.locs:
        value = litmus.init.get(loc, '0')
        print(f'\t{name}_{loc} = {value if value.isdigit() else f"&{name}_{value}"};')
    print('}\n')
    conditions = []
    for thread, register, value in litmus.condition:
        want = value if value.isdigit() else f'(long)&{name}_{value}'
        # Without a thread: what is there in the end.
        found = f'SAVED({thread}, {register[1:]})' if thread else f'{name}_{register}'
        conditions.append(f'{found} == {want}')
    print(f'static int {name}_exists(void)\n{{\n\treturn {" && ".join(conditions)};\n}}\n')
    return any(has_plain(litmus, body) for body in code)


def main():
    print('/* Made by litmus_c.py. */\n#include "run_litmus.h"\n')
    table = []
    for path in sys.argv[1:]:
        litmus = Litmus(path)
        kinds = {name: kind for params in litmus.params for kind, name in params}
        variants = [(None, 'as it is')]
        variants += [(line, 'without ' + ' '.join(labels)) for line, labels in litmus.labelled()]
        for number, (weak, what) in enumerate(variants):
            name = f'{litmus.name.replace("-", "_")}_{number}'
            for loc in litmus.locs:
                kind = kinds.get(loc, 'int *').rstrip()[:-1]
                print(f'static {kind}{name}_{loc};')
            plain = emit_variant(litmus, name, weak)
            threads = ', '.join(f'{name}_P{t}' for t in range(len(litmus.threads)))
            table.append(f'\t{{ {{ {threads} }}, {name}_init, {name}_exists,\n'
                         f'\t  "{litmus.name}: {what}", {int(weak is not None)}, '
                         f'{int(plain)}, {len(litmus.threads)} }},')
    print('const struct variant variants[] = {')
    print('\n'.join(table))
    print('\t{ { 0 }, 0, 0, 0, 0, 0, 0 }\n};')


if __name__ == '__main__':
    main()
