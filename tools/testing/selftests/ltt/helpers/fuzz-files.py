#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Requests made by the grammar of LTT's files in debugfs, and damaged ones.

usage: fuzz-files.py DIRECTORY SECONDS SEED [PROCESSES]

A request succeeds, or gets an errno that is documented. With one process, the file then
reads as it did before, and a line is in the error_log next above; and after a success the
file reads as Documentation/ABI/testing/debugfs-ltt says. With more, they only get in each
other's way. Traces are made and destroyed; all are gone in the end.
"""
import collections
import errno
import os
import random
import re
import sys
import time

import debugfs

COMMON = {errno.E2BIG, errno.EINVAL, errno.ENODEV, errno.ENOMEM, errno.EIO}
# Errors of each file beside those.
DOCUMENTED = {
    'clock': {errno.EBUSY},
    'enable': {errno.ENOENT},
    'setup_trace': {errno.ENAMETOOLONG, errno.EEXIST},
    'destroy_trace': {errno.ENOENT},
    'enabled': set(),
    'markers': {errno.ENAMETOOLONG},
    'flush': set(),
    'text_style': set(),
    'mode': {errno.EBUSY, errno.ENOENT},
    'subbuf_size': {errno.ERANGE, errno.EBUSY, errno.ENOENT},
    'subbuf_num': {errno.ERANGE, errno.EBUSY, errno.ENOENT},
    'switch_timer': {errno.ERANGE, errno.ENOENT},
    'contexts': {errno.ENOENT, errno.EOPNOTSUPP, errno.EEXIST, errno.EBUSY},
    'filters': {errno.ENAMETOOLONG},
    'filter': {errno.ENOENT},
}
CONTEXTS = ('pid tid comm prio nice ppid cgroup_id preempt_count interruptible kstack ustack '
            'none mnt_ns net_ns').split()
# Of contexts, for expressions: as in formats.
CONTEXT_FIELDS = [('$pid', 'd'), ('$tid', 'd'), ('$comm', 's'), ('$prio', 'd'), ('$cpu', 'u'),
                  ('$cgroup_id', 'u'), ('$irq_state', 'u')]
# A field of a format: its name and conversion; of an array or a table, that with [ or {.
FIELD = re.compile(r'(\w+) %[-+ #0-9.]*(?:hh|h|ll|l|z)?([a-zA-Z]\w*[\[{]?)')


class Fuzzer:
    def __init__(self, top, seed, alone):
        self.top = top
        self.rng = random.Random(seed)
        self.alone = alone
        self.bad = 0
        self.said = collections.Counter()
        self.fields = {}
        for line in debugfs.read(top + '/markers').decode().splitlines():
            name, *_, marker_format = line.split('\t')
            self.fields[name] = FIELD.findall(marker_format)

    def trouble(self, path, request, what):
        self.bad += 1
        if self.bad <= 20:
            print(f'{path[len(self.top) + 1:]}: {request!r:.200}: {what}')

    def pick(self, sense, nonsense=()):
        if nonsense and self.rng.randrange(12) == 0:
            return self.rng.choice(nonsense)
        return self.rng.choice(sense)

    def channel(self):
        return self.pick(('sched', 'irq', 'timer', 'ltt_test', 'power'))

    def pattern(self):
        text = self.pick(('', '', '!'), ('!!', ' '))
        text += self.pick((self.channel(), self.channel()[:2] + '*', '*', '?' * 5),
                          ('no_such', '', '[a-z]*', 'x' * 70))
        text += self.pick('.', ('', '..', '/'))
        return text + self.pick(('*', 'sched_s*', '*_e*', 'event', 'cpu_idle', '*entry'),
                                ('', '*' * 200, 'no_such', '\xff', '?'))

    def number(self, sense):
        return str(self.pick(sense, (0, 1, 3, -1, '4k', '0x10', 1 << 32, 1 << 70, '', '8 8',
                                     '010', '4096M', 4294967295)))

    def operand(self, fields):
        name, conversion = self.rng.choice(fields) if fields else ('1', 'd')
        if conversion[0] == 's':
            return self.pick((f'{name} == "make"', f'{name} ~ "*a?*"', f'"" != {name}',
                              f'{name} in {{"a", "sh"}}', f'len({name})'),
                             (name, f'{name} < "a"', f'{name} ~ {name}'))
        if conversion[-1] == '[':
            return self.pick((f'{name}[0]', f'len({name})'), (name, f'{name}[99999]'))
        return self.pick((name, name, f'-{name}', f'~{name}', f'!{name}', '0', '1', '0x10', "'a'",
                          f'{name} in {{1, 2-9, {self.rng.randrange(1000)}}}',
                          str(self.rng.randrange(1 << 64))),
                         ('nosuch', '"text"', '08', '1x', '', f'{name}[1]', str(1 << 64)))

    def expression(self, fields, depth=3):
        """Over FIELDS, which has pairs of a name and a conversion."""
        if self.rng.randrange(30) == 0:
            return self.pick('none', ('', '(' * 60, '1' + '+1' * 600, 'x' * 1025))
        if not depth or self.rng.randrange(4) == 0:
            return self.operand(fields)
        if self.rng.randrange(20) == 0:
            # As long as it can be.
            return self.pick(('||', '&&', '+', '|')).join([self.operand(fields)] *
                                                          self.rng.randrange(1, 200))
        text = ' '.join((self.expression(fields, depth - 1),
                         self.pick('|| && | ^ & == != < <= > >= << >> + - *'.split(),
                                   ('=', '/', '~', 'in', '')),
                         self.expression(fields, depth - 1)))
        return self.pick((text, f'({text})', f'!({text})'), (f'({text}', f'{text})'))

    def filter_of(self, path):
        """For the file "filter" of a trace, or of a marker of it."""
        *_, channel, markers, marker, _ = path.split('/')
        fields = self.fields.get(f'{channel}.{marker}', []) if markers == 'markers' else []
        return self.expression(fields + CONTEXT_FIELDS)

    def filters(self):
        name = self.rng.choice(list(self.fields))
        pattern = self.pick((name, name, name[:-1] + '*', name[:-1] + '?', self.pattern()),
                            ('', 'a b', '*', name + ' ' + name))
        return pattern + self.pick((': ', ':', ' : '), ('', ' ', '::')) + \
            self.expression(self.fields[name] + CONTEXT_FIELDS)

    def request(self, path):
        """By the grammar of a file."""
        name = os.path.basename(path)
        if name in ('enable', 'enabled'):
            return self.pick('111110', ('2', '', 'y', '01'))
        if name in ('setup_trace', 'destroy_trace'):
            # Damage makes names, too: so that there are not more and more of them.
            names = os.listdir(f'{self.top}/traces') if name == 'destroy_trace' else None
            return self.pick(names or ['fuzz%d' % self.rng.randrange(4)],
                             ('', '.', '..', 'a/b', 'fuzz 1', 'f' * 64, 'fuzz\n1', 'fuzz9'))
        if name == 'markers':
            return self.pick(' \n').join(self.pattern()
                                         for _ in range(self.pick((1, 1, 2, 5), (0, 300))))
        return {
            'clock': lambda: self.pick(('tsc', 'mono', 'counter'), ('sun', '', 'tsc mono')),
            'flush': lambda: self.pick('1', ('0', '', '11')),
            'text_style': lambda: self.pick(('format', 'ftrace', 'kv', 'json', 'lttv'), ('form', '', 'FORMAT')),
            'mode': lambda: self.pick(('discard', 'overwrite'), ('over', '', 'discard x')),
            'subbuf_size': lambda: self.number((4096, '4K', 8192, '16K', '64K')),
            'subbuf_num': lambda: self.number((2, 4, 8, 16)),
            'switch_timer': lambda: self.number((0, 1, 10, 1000, 3600000, 3600001)),
            'contexts': lambda: self.pick((' ', ',')).join(
                self.rng.choice(CONTEXTS) for _ in range(self.pick((1, 1, 2, 3), (0, 40)))),
            'filters': self.filters,
            'filter': lambda: self.filter_of(path),
        }[name]()

    def damaged(self, request):
        data = bytearray(request.encode('utf-8', 'replace'))
        for _ in range(self.rng.choice((1, 1, 2, 5))):
            at = self.rng.randrange(len(data) + 1)
            data[at:at + self.rng.randrange(3)] = bytes(
                self.rng.randrange(256) for _ in range(self.rng.randrange(3)))
        if self.rng.randrange(20) == 0:
            data *= self.rng.choice((10, 1000, 5000))
        return bytes(data[:1 << 20])

    def read(self, path, most=None):
        """Return: None for what cannot be opened or read, as when others have removed it."""
        try:
            return debugfs.read(path, most)
        except OSError:
            return None

    def target(self):
        """A file to write to."""
        traces = self.top + '/traces'
        names = [n for n in os.listdir(traces) if n.startswith('fuzz')]
        where = self.rng.randrange(12)
        if where == 0 or len(names) < 2:
            return f'{self.top}/setup_trace'
        if where == 1 and self.rng.randrange(4) == 0:
            return self.top + '/' + self.pick(('destroy_trace', 'destroy_trace', 'clock', 'enable'))
        trace = f'{traces}/{self.rng.choice(names)}'
        if where < 6:
            return trace + '/' + self.pick(('enabled', 'markers', 'markers', 'flush', 'text_style',
                                            'filters', 'filters', 'filter'))
        channel = f'{trace}/channels/{self.channel()}'
        if where == 6:
            try:
                marker = self.rng.choice(os.listdir(channel + '/markers'))
            except (OSError, IndexError):
                return trace + '/enabled'
            return f'{channel}/markers/{marker}/' + self.pick(('enable', 'filter', 'filter'))
        return channel + '/' + self.pick(('enable', 'mode', 'subbuf_size', 'subbuf_num',
                                          'switch_timer', 'contexts'))

    def state(self, path):
        """What a file says, without what events change."""
        text = self.read(path)
        return text and re.sub(rb'(?m)^# hits .*\n', b'', text)

    def check_refused(self, path, request, before):
        if self.state(path) != before:
            self.trouble(path, request, 'refused, but it changed something')
        if not debugfs.logged(debugfs.log_above(path)):
            self.trouble(path, request, 'nothing in the error_log')

    def check_accepted(self, path, request):
        """What can be told of what was taken without being LTT."""
        name = os.path.basename(path)
        now = self.read(path)
        words = now.split()
        # The kernel's isspace() knows Latin-1's no-break space, too.
        wanted = request.replace(b'\xa0', b' ').strip()
        right = True
        if name in ('clock', 'text_style'):
            right = b'[' + wanted + b']' in words
        elif name in ('enable', 'enabled', 'mode'):
            right = words == [wanted]
        elif name in ('subbuf_size', 'subbuf_num', 'switch_timer'):
            unit = {b'K': 1 << 10, b'M': 1 << 20}.get(wanted[-1:], 1)
            right = int(words[0]) == int(wanted.rstrip(b'KM')) * unit
        elif name == 'setup_trace':
            right = wanted in words
        elif name == 'destroy_trace':
            right = wanted not in words
        elif name == 'contexts':
            on = [line for line in now.split(b'\n') if line and not line.startswith(b'#')]
            right = on == [w for w in wanted.replace(b',', b' ').split() if w != b'none']
        elif name == 'filters':
            pattern, expression = (part.strip() for part in wanted.split(b':', 1))
            kept = [line.split(b': ', 1)[1] for line in now.split(b'\n')
                    if line.startswith(pattern + b': ')]
            # Without a filter is what all are at first.
            right = kept == [expression] or (expression == b'none' and not kept)
        elif name == 'filter':
            kept = {line for line in now.split(b'\n') if line and not line.startswith(b'#')}
            right = kept <= {wanted}
        elif name == 'markers':
            # One that takes back counts only if there was something to take back.
            last = wanted.split()[-1]
            right = (b'# pattern ' + last in now.split(b'\n') or last == b'*' or
                     last.startswith(b'!'))
        if not right:
            self.trouble(path, request, f'accepted, and reads {now!r:.200}')

    def write(self):
        path = self.target()
        name = os.path.basename(path)
        request = self.request(path)
        request = self.damaged(request) if self.rng.randrange(6) == 0 else request.encode()
        if self.alone:
            before = self.state(path)
            debugfs.write(debugfs.log_above(path), b'\n')
        try:
            said = debugfs.write(path, request)
        except OSError as e:
            if self.alone or e.errno not in (errno.ENOENT, errno.EIO, errno.ENODEV):
                self.trouble(path, request, f'open: {e.strerror}')
            return
        self.said[errno.errorcode[said] if said else 'accepted'] += 1
        if said and said not in DOCUMENTED[name] | COMMON:
            self.trouble(path, request, errno.errorcode[said])
        if self.alone and said:
            self.check_refused(path, request, before)
        elif self.alone:
            self.check_accepted(path, request)

    def look(self):
        """Read any file of a trace: text and streams, too, as far as there is anything. On
        a slow machine there is always more: lines with stacks take longer than interrupts do."""
        found = [os.path.join(where, name)
                 for where, _, names in os.walk(f'{self.top}/traces/fuzz{self.rng.randrange(4)}')
                 if not where.endswith('/markers') for name in names]
        if found:
            self.read(self.rng.choice(found), 1 << 20)

    def run(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.rng.randrange(10) == 0:
                self.look()
            else:
                self.write()
        return self.bad


def main():
    top, seconds, seed = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
    processes = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    clock = debugfs.read(f'{top}/clock').split(b'[')[1].split(b']')[0]
    children = []
    for i in range(processes):
        child = os.fork()
        if not child:
            fuzzer = Fuzzer(top, seed + i, processes == 1)
            bad = fuzzer.run(seconds)
            if not fuzzer.said['accepted'] or len(fuzzer.said) < 3:
                print('not many answers')
                bad += 1
            print(f'{sum(fuzzer.said.values())} writes:', ', '.join(
                f'{key} {n}' for key, n in fuzzer.said.most_common()))
            sys.stdout.flush()
            os._exit(bad != 0)
        children.append(child)
    bad = sum(os.waitpid(child, 0)[1] != 0 for child in children)
    ends = [('destroy_trace', name.encode()) for name in os.listdir(f'{top}/traces')]
    for name, request in (*ends, ('enable', b'1'), ('clock', clock)):
        said = debugfs.write(f'{top}/{name}', request)
        if said:
            print(f'{name}: {request!r}: {errno.errorcode[said]}')
            bad += 1
    sys.exit(bad != 0)


if __name__ == '__main__':
    main()
