#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: test_expr_random.py TEST_EXPR CC

Random expressions over random events: "TEST_EXPR serve" and a naive evaluator, which knows
nothing but the tree that the text was made from, must agree. Prints KTAP.

A tree is printed with as few parentheses as precedence allows, and sometimes more. Its
nodes have a list of values each, one for every event. These are integers without limits, cut to
64 bits by operators only.

LTT_SEED: repeats the run that printed it. LTT_LONG=1: thirty times as many expressions.
"""

import os
import random
import re
import subprocess
import sys
import tempfile

LONG = bool(os.environ.get('LTT_LONG'))
SEED = int(os.environ.get('LTT_SEED') or int.from_bytes(os.urandom(4), 'little'))
FORMATS = 30 * (30 if LONG else 1)
EXPRESSIONS = 220
EVENTS = 50
C_EXPRESSIONS = 1000
C_EVENTS = 20
# What serve's context is.
CONTEXT = {'pid': 17, 'comm': b'bash'}

LEVEL = {'||': 1, '&&': 2, '|': 3, '^': 4, '&': 5, '==': 6, '!=': 6, '~': 6, 'in': 6,
         '<': 7, '<=': 7, '>': 7, '>=': 7, '<<': 8, '>>': 8, '+': 9, '-': 9, '*': 10}
UNARY, PRIMARY = 11, 12
COMPARISONS = ['==', '!=', '<', '<=', '>', '>=']
ARITHMETIC = ['|', '^', '&', '<<', '>>', '+', '-', '*']

rng = random.Random(SEED)


def chance(percent):
    return rng.random() * 100 < percent


def cut(value, unsigned, bits=64):
    """To an integer of so many bits, as C converts it."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if not unsigned and value >> (bits - 1) else value


def interesting(bits, unsigned):
    kind = rng.random()
    if kind < 0.1:
        value = rng.choice((0, -1, 1 << (bits - 1), (1 << (bits - 1)) - 1))
    elif kind < 0.4:
        value = rng.randint(-3, 9)
    elif kind < 0.7:
        value = (1 << rng.randint(0, bits)) + rng.randint(-1, 1)
    else:
        value = rng.getrandbits(bits)
    return cut(value, unsigned, bits)


# ---- trees ---------------------------------------------------------------------------------


class Node:
    """level: how tightly it binds. values: one for every event. table: the field whose names
    may stand beside it. const: the parser knows its value."""
    unsigned = False
    table = None
    const = False
    level = PRIMARY

    def tokens(self):
        raise NotImplementedError

    def at(self, level):
        """The tokens as an operand that must bind so tightly."""
        if self.level < level or chance(3):
            return ['(', *self.tokens(), ')']
        return self.tokens()


class Leaf(Node):
    def __init__(self, tokens, values, unsigned=False, table=None):
        self.text = tokens
        self.values = values
        self.unsigned = unsigned
        self.table = table

    def tokens(self):
        return self.text


class Const(Leaf):
    """Not negative: those have a minus before them."""
    const = True

    def __init__(self, value, nr, style=None):
        forms = [str(value), str(value), hex(value), f'0X{value:X}', f'0{value:o}']
        if value < 256:
            forms.append(f"'\\x{value:02x}'")
        if 32 <= value < 127:
            forms.append("'" + re.sub(r"(['\\])", r'\\\1', chr(value)) + "'")
        super().__init__([style or rng.choice(forms)], [value] * nr, value >> 63 == 1)


class Unary(Node):
    level = UNARY

    def __init__(self, op, a):
        self.op, self.a = op, a
        self.const = a.const and op != '!'
        self.unsigned = a.unsigned and op != '!'
        if op == '-' and a.const and a.values[0] == 1 << 63:
            self.unsigned = False
        if op == '~':
            self.table = a.table
        if op == '!':
            self.values = [int(not x) for x in a.values]
        elif op == '-':
            self.values = [cut(-x, self.unsigned) for x in a.values]
        else:
            self.values = [cut(-1 - x, self.unsigned) for x in a.values]

    def tokens(self):
        return [self.op, *self.a.at(UNARY)]


def shift(op, x, count, unsigned):
    count &= (1 << 64) - 1
    if count >= 64:
        return -1 if op == '>>' and x < 0 else 0
    return cut(x << count, unsigned) if op == '<<' else x >> count


def operate(op, xs, ys, unsigned):
    pairs = zip(xs, ys)
    match op:
        case '||': return [int(x != 0 or y != 0) for x, y in pairs]
        case '&&': return [int(x != 0 and y != 0) for x, y in pairs]
        case '|': return [cut(x | y, unsigned) for x, y in pairs]
        case '^': return [cut(x ^ y, unsigned) for x, y in pairs]
        case '&': return [cut(x & y, unsigned) for x, y in pairs]
        case '==': return [int(x == y) for x, y in pairs]
        case '!=': return [int(x != y) for x, y in pairs]
        case '<': return [int(x < y) for x, y in pairs]
        case '<=': return [int(x <= y) for x, y in pairs]
        case '>': return [int(x > y) for x, y in pairs]
        case '>=': return [int(x >= y) for x, y in pairs]
        case '+': return [cut(x + y, unsigned) for x, y in pairs]
        case '-': return [cut(x - y, unsigned) for x, y in pairs]
        case '*': return [cut(x * y, unsigned) for x, y in pairs]
        case _: return [shift(op, x, y, unsigned) for x, y in pairs]


class Binary(Node):
    """Of integers, or == and != of strings, whose values are bytes."""

    def __init__(self, op, a, b):
        self.op, self.a, self.b = op, a, b
        self.level = LEVEL[op]
        if op in ('<<', '>>'):
            self.unsigned = a.unsigned
        elif op in ARITHMETIC:
            self.unsigned = a.unsigned or b.unsigned
        if op in ('&', '|', '^'):
            self.table = a.table or b.table
        self.values = operate(op, a.values, b.values, self.unsigned)

    def tokens(self):
        return [*self.a.at(self.level), self.op, *self.b.at(self.level + 1)]


class Match(Node):
    level = LEVEL['~']

    def __init__(self, field, pattern):
        self.field, self.pattern = field, pattern
        regex = b''.join({b'*': b'.*', b'?': b'.'}.get(c) or re.escape(c)
                         for c in (pattern.values[0][i:i + 1]
                                   for i in range(len(pattern.values[0]))))
        matches = re.compile(regex, re.S).fullmatch
        self.values = [int(bool(matches(text))) for text in field.values]

    def tokens(self):
        return [*self.field.at(self.level), '~', *self.pattern.at(self.level + 1)]


class In(Node):
    """items: pairs of constants, or of strings that are the same."""
    level = LEVEL['in']

    def __init__(self, a, items):
        self.a, self.items = a, items
        ends = [(low.values[0], high.values[0]) for low, high in items]
        self.values = [int(any(low <= x <= high for low, high in ends)) for x in a.values]

    def tokens(self):
        out = [*self.a.at(self.level), 'in', '{']
        for low, high in self.items:
            out += low.at(UNARY)
            if high is not low:
                out += ['-', *high.at(UNARY)]
            out.append(',')
        return out[:-1] + ['}']


def text_of(tokens, in_c=False):
    out = ''
    for token in tokens:
        together = re.search(r'\w$', out) and re.match(r'[\w$]', token)
        if in_c and out.endswith('-') and token == '-':
            together = True
        out += rng.choice((' ', ' ', '  ', '\t') if together else ('', ' ', ' ', '  ')) + token
    return out.strip(' \t') if chance(90) else out + ' '


# ---- events --------------------------------------------------------------------------------


class Field:
    """kind: int, array, seq, str, chars or blob. size: of an element. table: values of names."""

    def __init__(self, name, kind, size=1, signed=False, be=False, count=0):
        self.name, self.kind = name, kind
        self.size, self.signed, self.be, self.count = size, signed, be and size > 1, count
        self.unsigned = not signed and size == 8
        self.table = {}
        self.values = []
        shown = rng.choice([s for s in (1, 2, 4, 8) if max(s, 4) >= size])
        if kind in ('str', 'chars'):
            self.conversion = '%s'
        elif kind == 'blob':
            self.conversion = '%pW'
        else:
            self.conversion = '%' + {1: 'hh', 2: 'h', 4: '', 8: 'll'}[shown] + rng.choice('dux')
        if kind in ('array', 'chars'):
            self.conversion += f'[{count}]'
        if kind in ('int', 'array', 'seq') and chance(40):
            self.make_table(shown)

    def make_table(self, shown):
        """As text converts the field's values to the type of the conversion, in either sign."""
        flags = chance(50)
        entries = []
        for name in rng.sample(['A', 'B', 'C.d', 'in_use', 'a-b', 'x+'], rng.randint(1, 4)):
            value = interesting(8 * self.size, not self.signed)
            if flags and chance(80):
                value = cut(1 << rng.randrange(8 * self.size), not self.signed)
            written = cut(value, chance(50), 8 * shown)
            if cut(written, not self.signed, 8 * self.size) != value:
                continue
            number = hex(written) if chance(50) and written >= 0 else str(written)
            entries.append(f'{number}={name}')
            self.table[name] = value
        if entries:
            self.conversion += '{' + ('|' + '|'.join(entries) if flags else ','.join(entries)) + '}'

    def type(self):
        bits = 8 * self.size
        sign = 'i' if self.signed else ''
        match self.kind:
            case 'int': return f'b{sign}{bits}' if self.be else f'{sign or "u"}{bits}'
            case 'array' | 'seq' | 'chars': return f's{sign}{bits}'
            case 'blob': return 'p'
            case _: return 'c'

    def add(self, value, order):
        """The next event's value. Returns how it is stored."""
        self.values.append(value)
        if self.kind == 'str':
            return value + b'\0'
        if self.kind == 'chars':
            # Behind a NUL, anything.
            rest = self.count - len(value)
            return (value + (b'\0' + rng.randbytes(rest))[:rest])[:self.count]
        if self.kind == 'blob':
            return b'\0' + value
        if self.kind == 'int':
            return value.to_bytes(self.size, 'big' if self.be else order, signed=self.signed)
        out = len(value).to_bytes(4, order) if self.kind == 'seq' else b''
        return out + b''.join(x.to_bytes(self.size, order, signed=self.signed) for x in value)


def random_text():
    kind = rng.random()
    letters = b'ab' if kind < 0.7 else b'abz*?/"\\\'{}\n\t\x01\x7f\x80\xff'
    return bytes(rng.choices(letters, k=rng.choice((0, 1, 2, 3, 6, 7, 8, 9, 15, 16, 17, 25))))


class Format:
    def __init__(self, nr, swap):
        self.nr = nr
        self.order = sys.byteorder
        if swap:
            self.order = 'little' if self.order == 'big' else 'big'
        # The context is always in this machine's order.
        self.context = not swap
        self.fields = []
        for i in range(rng.randint(1, 12)):
            self.add_field(f'f{i}')
        self.texts = [random_text() for _ in range(4)]
        self.payloads = [self.payload() for _ in range(nr)]
        self.ints = [f for f in self.fields if f.kind in ('int', 'array', 'seq')]
        self.strings = [f for f in self.fields if f.kind in ('str', 'chars')]
        self.with_table = [f for f in self.ints if f.table]
        self.without_table = [f for f in self.ints if not f.table]

    def add_field(self, name):
        kind = rng.choice(['int'] * 6 + ['array', 'chars', 'seq', 'str', 'blob'])
        size, signed, be = rng.choice((1, 2, 4, 8)), chance(50), chance(25)
        if kind == 'blob':
            self.fields.append(Field(name + 'n', 'int', size, False, be))
            size, signed = 1, False
        elif kind in ('chars', 'str'):
            size, signed = 1, False
        self.fields.append(Field(name, kind, size, signed, be, rng.choice((1, 3, 8, 16, 20))))

    def value(self, field, length):
        if field.kind == 'int':
            return interesting(8 * field.size, not field.signed)
        if field.kind == 'blob':
            return rng.randbytes(length)
        if field.kind in ('str', 'chars'):
            text = rng.choice(self.texts) if chance(70) else random_text()
            return text if field.kind == 'str' else text[:field.count]
        return [interesting(8 * field.size, not field.signed)
                for _ in range(field.count if field.kind == 'array' else rng.randint(0, 4))]

    def payload(self):
        out, length = b'', 0
        for i, field in enumerate(self.fields):
            value = self.value(field, length)
            if i + 1 < len(self.fields) and self.fields[i + 1].kind == 'blob':
                value = length = rng.randint(0, 5)
            out += field.add(value, self.order)
        return out

    def commands(self):
        text = ' '.join(f'{field.name} {field.conversion}' for field in self.fields)
        yield f'swap {int(self.order != sys.byteorder)}'
        yield f'format {",".join(field.type() for field in self.fields)} {text}'
        for payload in self.payloads:
            yield f'payload {payload.hex()}'


# ---- random trees --------------------------------------------------------------------------


class Generator:
    def __init__(self, events):
        self.events = events
        self.nr = events.nr

    def const(self, near=None):
        """Often a value that is there, or one beside it, or one of the same bits."""
        if near is None or chance(30):
            value = interesting(64, chance(50))
        else:
            value = rng.choice(near.values) + rng.choice((0, 0, 0, 0, 1, -1))
            if chance(30):
                value = cut(value, chance(50), rng.choice((8, 16, 32, 64, 64, 64)))
        node = self.literal(value)
        return node if chance(95) else Unary(rng.choice('-~'), node)

    def literal(self, value):
        if value < 0:
            return Unary('-', Const(-value, self.nr)) if chance(60) else \
                Unary('~', Const(-1 - value, self.nr))
        return Const(min(value, (1 << 64) - 1), self.nr)

    def field(self, field):
        table = field if field.table else None
        if field.kind == 'int':
            return Leaf([field.name], field.values, field.unsigned, table)
        index = rng.randrange(field.count if field.kind == 'array' else 6)
        if field.kind == 'seq' and chance(5):
            index = 4095
        values = [v[index] if index < len(v) else 0 for v in field.values]
        return Leaf([field.name, '[', Const(index, 1).tokens()[0] if index > 255 else str(index),
                     ']'], values, field.unsigned, table)

    def length(self, field):
        if field.kind in ('array', 'seq', 'str', 'chars', 'blob'):
            return Leaf(['len', '(', field.name, ')'], [len(v) for v in field.values])
        return self.field(field)

    def leaf(self):
        kind = rng.random()
        if kind < 0.6 and self.events.ints:
            return self.field(rng.choice(self.events.ints))
        if kind < 0.7:
            return self.length(rng.choice(self.events.fields)) if self.events.ints or \
                self.events.strings else self.const()
        if kind < 0.75 and self.events.context:
            return Leaf(['$pid'], [CONTEXT['pid']] * self.nr)
        return self.const()

    def name(self, field, alone=False):
        """One of the table of @field; in quotes only without an operator."""
        names = [n for n in field.table if alone or re.fullmatch(r'[\w.]+', n)]
        if not names:
            return Const(rng.choice((0, 1)), self.nr)
        name = rng.choice(names)
        quoted = alone and (chance(20) or not re.fullmatch(r'[\w.]+', name))
        return Leaf([f'"{name}"' if quoted else name], [field.table[name]] * self.nr,
                    field.unsigned)

    def names(self, field, depth):
        """Beside @field: names, constants, and fields without names."""
        kind = rng.random()
        if depth <= 0 or kind < 0.4:
            return self.name(field)
        if kind < 0.5:
            return Unary(rng.choice('-~!'), self.names(field, depth - 1))
        if kind < 0.9:
            return Binary(rng.choice(ARITHMETIC + ['|'] * 8 + COMPARISONS + ['&&', '||']),
                          self.names(field, depth - 1), self.names(field, depth - 1))
        if kind < 0.95 and self.events.without_table:
            return self.field(rng.choice(self.events.without_table))
        items = [(item, item) for item in (self.name(field), self.const(), self.name(field))]
        return In(self.name(field), items)

    def tabled(self, depth):
        """Something that names can be beside, and its field; never a name itself."""
        field = rng.choice(self.events.with_table)
        node = self.field(field)
        while depth > 0 and chance(40):
            depth -= 1
            if chance(20):
                node = Unary('~', node)
            else:
                pair = [node, self.names(field, depth)]
                rng.shuffle(pair)
                node = Binary(rng.choice('&&&|^'), *pair)
        return node, field

    def beside_names(self, op, depth):
        node, field = self.tabled(depth)
        if op == 'in':
            return In(node, [self.item(lambda: self.name(field, alone=True))
                             for _ in range(rng.randint(1, 4))])
        alone = chance(50)
        pair = [node, self.name(field, True) if alone else self.names(field, depth - 1)]
        rng.shuffle(pair)
        return Binary(op, *pair)

    def item(self, make):
        low = make()
        return (low, make()) if chance(40) else (low, low)

    def chain(self, make, operators):
        """Longer than other trees are deep: of operators of one level."""
        node = make()
        for _ in range(rng.randint(20, 80)):
            node = Binary(rng.choice(operators), node, make())
        return node

    def integer(self, depth):
        if depth <= 0:
            return self.leaf()
        if chance(1):
            return self.chain(self.leaf, rng.choice((['+', '-'], ['*'], ['|'], ['^'], ['&'])))
        if chance(1) and self.events.with_table:
            node, field = self.tabled(0)
            pair = [node, self.chain(lambda: self.name(field), ['|'])]
            rng.shuffle(pair)
            return Binary(rng.choice('&|^'), *pair)
        kind = rng.random()
        if kind < 0.15:
            return self.leaf()
        if kind < 0.3:
            return Unary(rng.choice('-~!'), self.integer(depth - 1))
        if kind < 0.4:
            return self.boolean(depth)
        if kind < 0.5 and self.events.with_table:
            return self.beside_names(rng.choice(ARITHMETIC), depth)
        a, op = self.integer(depth - 1), rng.choice(ARITHMETIC)
        if op in ('<<', '>>') and chance(80):
            return Binary(op, a, Const(rng.choice((0, 1, 8, 31, 32, 63, 64, 65)), self.nr))
        return Binary(op, a, self.const(a) if chance(30) else self.integer(depth - 1))

    def comparison(self, depth):
        """Half of them of a field and a constant, as most are."""
        op = rng.choice(COMPARISONS + ['in', 'in'])
        if self.events.with_table and chance(20):
            return self.beside_names(op, depth)
        a = self.leaf() if chance(60) else self.integer(depth - 1)
        if op == 'in':
            return In(a, [self.item(lambda: self.const(a)) for _ in range(rng.randint(1, 6))])
        if chance(25):
            return self.bits()
        pair = [a, self.const(a) if chance(60) else self.integer(depth - 1)]
        if chance(20):
            pair.reverse()
        return Binary(op, *pair)

    def text(self, pattern=False):
        text = bytearray(rng.choice(self.events.texts) if chance(80) else random_text())
        for _ in range(rng.randint(1, 4) if pattern else chance(30)):
            i = rng.randint(0, len(text))
            text[i:i + rng.choice((0, 1, 1, 3, 8))] = rng.choice(
                (b'*', b'?', b'*a', b'**', b'') if pattern else (b'', b'a', b'b'))
        written = ''
        for c in bytes(text):
            if c == 10 or (c != 127 and chance(5)):
                written += {10: '\\n', 34: '\\"', 92: '\\\\'}.get(c, f'\\x{c:02X}')
            else:
                written += ('\\' if c in b'"\\' else '') + chr(c)
        return Leaf([f'"{written}"'], [bytes(text)] * self.nr)

    def string(self):
        if self.events.context and chance(10):
            return Leaf(['$comm'], [CONTEXT['comm']] * self.nr)
        if not self.events.strings:
            return None
        field = rng.choice(self.events.strings)
        return Leaf([field.name], field.values)

    def bits(self):
        """Those of a field are compared; often with their value in the other sign."""
        field = self.leaf()
        mask = rng.choice((1 << rng.randrange(64), -1 << rng.randrange(64), 1 << 63, None))
        a = Binary('&', field, self.const(field) if mask is None else self.literal(mask))
        value = cut(rng.choice(a.values), chance(50))
        return Binary(rng.choice(('==', '!=')), a,
                      self.literal(value) if chance(70) else self.const(a))

    def comparison_of_strings(self):
        field = self.string()
        kind = rng.random()
        if field and kind < 0.4:
            return Match(field, self.text(pattern=True))
        if not field or kind > 0.98:
            field = self.text()
        if kind < 0.6:
            return In(field, [(t, t) for t in (self.text() for _ in range(rng.randint(1, 5)))])
        pair = [field, self.string() if chance(15) else None]
        if not pair[1]:
            pair[1] = self.text()
        rng.shuffle(pair)
        return Binary(rng.choice(('==', '!=')), *pair)

    def boolean(self, depth):
        if depth > 0 and chance(1):
            return self.chain(lambda: self.comparison(0), [rng.choice(('&&', '||'))])
        kind = rng.random()
        if depth <= 0 or kind < 0.35:
            return self.comparison(depth)
        if kind < 0.45:
            return self.comparison_of_strings()
        if kind < 0.55:
            return Unary('!', self.boolean(depth - 1))
        if kind < 0.6:
            return self.integer(depth - 1)
        return Binary(rng.choice(('&&', '||')), self.boolean(depth - 1), self.boolean(depth - 1))


# ---- tests: each yields what is wrong ------------------------------------------------------


def serve(inputs):
    """Feed the lines to the program; the output as lines."""
    with tempfile.TemporaryFile() as file:
        for line in inputs:
            file.write(line.encode('latin-1') + b'\n')
        file.seek(0)
        done = subprocess.run([sys.argv[1], 'serve'], stdin=file, stdout=subprocess.PIPE,
                              check=False)
    return done.stdout.decode('latin-1').split('\n')[:-1], done.returncode


def the_same_as_a_naive_evaluator():
    asked = []

    def inputs():
        for number in range(FORMATS):
            events = Format(EVENTS, swap=number % 3 == 2)
            commands = list(events.commands())
            yield from commands
            generator = Generator(events)
            for _ in range(EXPRESSIONS):
                tree = generator.boolean(rng.choice((0, 1, 2, 2, 3, 3, 4, 5)))
                text = text_of(tree.tokens())
                if len(text) > 1000:
                    continue
                asked.append((text, ''.join('01'[x != 0] for x in tree.values), commands))
                yield f'expr {text}'
        yield 'decided'

    answers, status = serve(inputs())
    decided = int(answers.pop()) if not status else 0
    if status or len(answers) != len(asked):
        yield f'status {status} after {len(answers)} of {len(asked)} expressions'
        if len(answers) < len(asked):
            text, _, commands = asked[len(answers)]
            yield from [f'expr {text}', 'for these or some of them:', *commands]
    constant = 0
    for (text, want, commands), got in zip(asked, answers):
        constant += len(set(want)) == 1
        if got == f'= {want}':
            continue
        yield f'expr {text}'
        if got.startswith('= ') and len(got) == len(want) + 2:
            i = next(i for i in range(len(want)) if want[i] != got[i + 2])
            yield f'is {got[i + 2]}, expected {want[i]}, for'
            yield from [*commands[:2], commands[i + 2]]
        else:
            yield from [f'{got}, expected {want}, for', *commands[:2]]
    pairs = len(asked) * EVENTS
    print(f'# {len(asked)} expressions, {pairs} results; {len(asked) - constant} expressions '
          'are true for some events only')
    print(f'# {decided} results were also those of arguments')
    if decided < 1000 * FORMATS or pairs < 10000 * FORMATS or constant > len(asked) * 0.75:
        yield 'these are too few'


def bounded(node):
    """Does C know all values of the tree, were it all int?"""
    if any(abs(x) > 1 << 30 for x in node.values):
        return False
    if isinstance(node, Unary):
        return bounded(node.a)
    if isinstance(node, Binary):
        if node.op in ('<<', '>>') and not (all(x >= 0 for x in node.a.values) and
                                            all(0 <= x < 31 for x in node.b.values)):
            return False
        return bounded(node.a) and bounded(node.b)
    return True


class PlainGenerator(Generator):
    """What C has, too, of the same values."""

    def const(self, near=None):
        value = rng.choice((0, 1, 2, 3, 4, 7, 8, 15, 100, 255, 1000))
        return Const(value, self.nr, str(value) if value >= 128 else None)

    def leaf(self):
        return self.const() if chance(30) else self.field(rng.choice(self.events.ints))

    def tree(self, depth):
        if depth <= 0 or chance(5):
            return self.leaf()
        if chance(20):
            return Unary(rng.choice('-~!'), self.tree(depth - 1))
        op = rng.choice([op for op in LEVEL if op not in ('~', 'in')])
        b = self.tree(depth - 1 if chance(60) else 0)
        if op in ('<<', '>>') and chance(70):
            b = Const(rng.randint(0, 9), self.nr)
        pair = [self.tree(depth - 1), b]
        if op not in ('<<', '>>') and chance(50):
            pair.reverse()
        return Binary(op, *pair)


def plain_events():
    events = Format(0, swap=False)
    events.nr = C_EVENTS
    events.fields = [Field(f'f{i}', 'int', 8, True) for i in range(5)]
    for field in events.fields:
        field.table = {}
        field.conversion = '%lld'
    events.payloads = [b''.join(f.add(rng.choice((rng.randint(-4, 4), rng.randint(-300, 300))),
                                      events.order) for f in events.fields)
                       for _ in range(C_EVENTS)]
    events.ints = events.fields
    return events


def the_same_as_the_c_compiler():
    events = plain_events()
    generator = PlainGenerator(events)
    texts = []
    while len(texts) < C_EXPRESSIONS:
        tree = generator.tree(rng.choice((2, 3, 3, 4, 5)))
        if bounded(tree):
            texts.append(text_of(tree.tokens(), in_c=True))
    rows = ',\n'.join('{' + ','.join(str(f.values[i]) for f in events.fields) + '}'
                      for i in range(events.nr))
    lines = ['#include <stdio.h>',
             f'static const long long v[][{len(events.fields)}] = {{{rows}}};',
             *(f'#define {f.name} v[i][{n}]' for n, f in enumerate(events.fields))]
    lines += [f'static int e{n}(int i)\n{{\n\treturn !!(i * 0LL + ({text}));\n}}'
              for n, text in enumerate(texts)]
    lines += ['int main(void)', '{', 'int i;']
    lines += [f'for (i = 0; i < {events.nr}; i++) putchar(\'0\' + e{n}(i)); putchar(\'\\n\');'
              for n in range(len(texts))]
    with tempfile.TemporaryDirectory() as folder:
        program = f'{folder}/expressions'
        with open(f'{program}.c', 'w', encoding='latin-1') as file:
            file.write('\n'.join([*lines, 'return 0;', '}', '']))
        # What C does not define ends it.
        subprocess.run([*sys.argv[2].split(), '-w', '-O0', '-fsanitize=undefined',
                        '-fno-sanitize-recover=all', '-o', program, f'{program}.c'], check=True)
        wants = subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True)
    answers, status = serve([*events.commands(), *(f'expr {text}' for text in texts)])
    wants = wants.stdout.split('\n')[:-1]
    if status or len(answers) != len(texts) or len(wants) != len(texts):
        yield f'status {status}, {len(answers)} results; in C {len(wants)}'
    for text, want, got in zip(texts, wants, answers):
        if got != f'= {want}':
            yield from [f'expr {text}', f'{got}, in C {want}']
    print(f'# {len(texts)} expressions, {len(set(wants))} different results')


TESTS = [
    the_same_as_a_naive_evaluator,
    the_same_as_the_c_compiler,
]


def main():
    failed = False
    case = os.environ.get('LTT_CASE', '')
    print('KTAP version 1')
    print(f'1..{len(TESTS)}')
    print(f'# LTT_SEED={SEED}', flush=True)
    for number, test in enumerate(TESTS, 1):
        what = test.__name__.replace('_', ' ')
        if case not in ('', str(number)) and (case.isdigit() or not re.search(case, what)):
            print(f'ok {number} {what} # SKIP not asked for')
            continue
        # Whichever cases run.
        rng.seed(SEED)
        wrong = list(test())
        for line in wrong[:40]:
            print('# ' + line.encode('latin-1').decode('ascii', 'backslashreplace'))
        print(f'{"not " if wrong else ""}ok {number} {what}', flush=True)
        failed |= bool(wrong)
    return failed


if __name__ == '__main__':
    sys.exit(main())
