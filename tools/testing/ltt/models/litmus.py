# SPDX-License-Identifier: GPL-2.0
"""Litmus tests as herd7 reads them, as far as those here need it: see litmus/.

One statement a line. A line with labels, "// LMM(function:letter)", holds the barrier
that has these names in the sources; weakened() is that line without it.
"""
import re

LABEL = re.compile(r'LMM\([a-z_]+:[A-Z]\)')

# What a line becomes without its barrier.
WEAKER = [
    (r'smp_store_release\((\w+), (.*)\);', r'WRITE_ONCE(*\1, \2);'),
    (r'rcu_assign_pointer\((.*)\);', r'WRITE_ONCE(\1);'),
    (r'smp_load_acquire\((\w+)\)', r'READ_ONCE(*\1)'),
    (r'rcu_dereference\((.*)\)', r'\1'),
    (r'atomic_read_acquire\(', r'atomic_read('),
    (r'atomic_inc_return\(', r'atomic_inc_return_relaxed('),
    (r'cmpxchg\(', r'load_then_store('),
    (r'READ_ONCE\((.*)\)', r'\1'),
    (r'(smp_[rw]?mb|synchronize_rcu)\(\);', r''),
]


class Unsupported(Exception):
    """What those tests do that are not ours."""


def weakened(code):
    for pattern, instead in WEAKER:
        weak, found = re.subn(pattern, instead, code)
        if found:
            return weak
    raise ValueError(f'there is no barrier in "{code}"')


class Event:
    """An access or a fence; thread -1 stores the initial values."""

    def __init__(self, thread, index, kind, tag, loc=None, value=None):
        self.thread, self.index, self.kind, self.tag = thread, index, kind, tag
        self.loc, self.value = loc, value
        self.addr, self.data, self.ctrl = frozenset(), frozenset(), frozenset()
        self.rmw = None         # of a store: the load that it belongs to


class Path:
    """One way through a thread."""

    def __init__(self, thread, old=None):
        self.thread = thread
        self.events = list(old.events) if old else []
        self.registers = dict(old.registers) if old else {}
        self.ctrl = old.ctrl if old else frozenset()

    def add(self, kind, tag, loc=None, value=None, addr=frozenset(), data=frozenset()):
        event = Event(self.thread, len(self.events), kind, tag, loc, value)
        event.addr, event.data, event.ctrl = addr, data, self.ctrl
        self.events.append(event)
        return event


class Litmus:
    def __init__(self, path):
        with open(path) as file:
            text = file.read()
        self.result = re.search(r'Result: (\w+)', text)[1]
        text = re.sub(r'\(\*\s.*?\*\)', '', text, flags=re.S)
        self.name = re.match(r'C (\S+)', text)[1]
        self.init = dict(re.findall(r'^(\w+)=(\w+);', text, re.M))
        self.threads = []
        self.params = []
        for params, body in re.findall(r'^P\d+\((.*?)\)[^\n]*\n\{\n(.*?)^\}', text,
                                       re.M | re.S):
            self.params.append([tuple(re.match(r'(.*[ *])(\w+)$', p.strip()).groups())
                                for p in params.split(',')])
            self.threads.append([line.strip() for line in body.split('\n') if line.strip()])
        condition = re.search(r'^exists\s+\((.*)\)', text, re.M | re.S)[1]
        self.condition = [re.fullmatch(r'(?:(\d+):)?(\w+)=(\w+)', part.strip()).groups()
                          for part in condition.split('/\\')]
        self.locs = sorted({name for params in self.params for _, name in params} |
                           {value for value in self.init.values() if not value.isdigit()})

    def labelled(self):
        """The lines with labels, as (thread, line), and their labels."""
        return [((t, l), LABEL.findall(text)) for t, body in enumerate(self.threads)
                for l, text in enumerate(body) if LABEL.search(text)]

    def code(self, weak):
        """The threads' statements, without the barrier of line "weak"."""
        code = [[line.partition('//')[0].strip() for line in body] for body in self.threads]
        if weak:
            code[weak[0]][weak[1]] = weakened(code[weak[0]][weak[1]])
        return code

    def exists(self, registers, final):
        """Does it come true with these registers, and values in the end?"""
        return all(value == str(registers[int(thread)].get(name, (0,))[0] if thread
                                else final[name])
                   for thread, name, value in self.condition)

    # ---- what can be read -----------------------------------------------------

    def number(self, text):
        return int(text) if text.isdigit() else text

    def candidates(self, weak):
        """All that the threads may do if loads return what anybody may store there."""
        start = [Event(-1, -1, 'W', 'once', loc, self.number(self.init.get(loc, '0')))
                 for loc in self.locs]
        code = self.code(weak)
        values = {loc: {event.value} for loc, event in zip(self.locs, start)}
        while True:
            paths = [self.run(t, body, values) for t, body in enumerate(code)]
            more = {loc: set(known) for loc, known in values.items()}
            for path in (path for thread in paths for path in thread):
                for event in path.events:
                    if event.kind == 'W':
                        more[event.loc].add(event.value)
            if more == values:
                break
            values = more
        yield from self.joined(paths, start)

    @staticmethod
    def joined(paths, start, chosen=()):
        if len(chosen) == len(paths):
            yield (start + [event for path in chosen for event in path.events],
                   [path.registers for path in chosen])
            return
        for path in paths[len(chosen)]:
            yield from Litmus.joined(paths, start, chosen + (path,))

    def run(self, thread, body, values):
        paths = [(Path(thread), 0)]
        done = []
        while paths:
            path, at = paths.pop()
            if at == len(body):
                done.append(path)
                continue
            for new, to in self.step(path, body, at, values):
                paths.append((new, to))
        return done

    def place(self, path, text):
        """What "*x" or "x" names: (place, loads that it depends on)."""
        name = text.lstrip('*')
        return path.registers.get(name, (name, frozenset()))

    def value(self, path, text):
        if text in path.registers:
            return path.registers[text]
        return self.number(text), frozenset()

    def step(self, path, body, at, values):
        text = body[at]
        if not text or text == '}' or text.startswith('int '):
            return [(path, at + 1)]
        if branch := re.fullmatch(r'if \((\w+)(?: == (\w+))?\)( \{)?', text):
            register, wanted, block = branch.groups()
            found, loads = path.registers[register]
            path.ctrl |= loads
            if str(found) == wanted or (wanted is None and found):
                return [(path, at + 1)]
            return [(path, body.index('}', at) + 1 if block else at + 2)]
        if load := re.fullmatch(r'(r\d+) = (.*);', text):
            return [(new, at + 1) for new in self.load(path, *load.groups(), values)]
        if store := re.fullmatch(r'(?:(\*\w+) = (\w+)|(\w+)\((\*?\w+), (\w+)\));', text):
            plain, stored, how, where, what = store.groups()
            tag = {None: 'plain', 'WRITE_ONCE': 'once', 'smp_store_release': 'release',
                   'rcu_assign_pointer': 'release'}[how]
            loc, addr = self.place(path, plain or where)
            number, data = self.value(path, stored or what)
            path.add('W', tag, loc, number, addr, data)
            return [(path, at + 1)]
        fence = {'smp_mb();': 'mb', 'smp_rmb();': 'rmb', 'smp_wmb();': 'wmb',
                 'synchronize_rcu();': 'sync-rcu', 'rcu_read_lock();': 'rcu-lock',
                 'rcu_read_unlock();': 'rcu-unlock'}.get(text)
        if not fence:
            raise Unsupported(text)
        path.add('F', fence)
        return [(path, at + 1)]

    def load(self, path, register, what, values):
        if swap := re.fullmatch(r'(cmpxchg|load_then_store)\((\w+), (\w+), (\w+)\)', what):
            how, where, old, new = swap.groups()
            return [self.change(path, register, where, value, self.number(new),
                                value == self.number(old), how == 'cmpxchg')
                    for value in values[where]]
        if add := re.fullmatch(r'atomic_(inc|dec)_return(_relaxed)?\((\w+)\)', what):
            by = 1 if add[1] == 'inc' else -1
            return [self.change(path, register, add[3], value, value + by, True, not add[2],
                                True) for value in values[add[3]] if abs(value) < 2]
        how, where = re.fullmatch(r'(?:(\w+)\()?(\*?\w+)\)?', what).groups()
        tag = {None: 'plain', 'READ_ONCE': 'once', 'rcu_dereference': 'once',
               'atomic_read': 'once', 'smp_load_acquire': 'acquire',
               'atomic_read_acquire': 'acquire'}[how]
        loc, addr = self.place(path, where)
        paths = []
        for value in values[loc]:
            new = Path(path.thread, path)
            event = new.add('R', tag, loc, value, addr)
            new.registers[register] = (value, frozenset([event]))
            paths.append(new)
        return paths

    @staticmethod
    def change(path, register, loc, old, new, stores, full, returns_new=False):
        """An atomic operation; a full one that stores has full barriers around it."""
        path = Path(path.thread, path)
        if full and stores:
            path.add('F', 'mb')
        load = path.add('R', 'once', loc, old)
        if stores:
            store = path.add('W', 'once', loc, new, data=frozenset([load]))
            store.rmw = load if full or returns_new else None
        if full and stores:
            path.add('F', 'mb')
        path.registers[register] = (new if returns_new else old, frozenset([load]))
        return path
