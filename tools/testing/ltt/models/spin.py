#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: spin.py [--full] BUILD-DIRECTORY [MODEL...]

Search the Promela models beside this file exhaustively with spin. Of each, no assertion
may fail as it is, and one must with each of its mistakes: the numbers M_* that are
defined, with a comment, in the model or in what it includes. Most of the time goes into a
few of the sets of constants and of the mistakes: they are searched with LTT_LONG in the
environment only. --full takes larger constants, and no mistakes: hours, and gigabytes. Prints
KTAP.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

# Name, numbers of its mistakes, sets of constants, another one with those mistakes which
# only that shows, as there are too many states to search all, and how the search is built
# that finds them soon (REVERSE: last branches first), larger constants.
MODELS = [
    # In three units an event can fill a sub-buffer exactly; of all sizes, two fit behind
    # one that nests; and while a writer has not closed its packet yet, if more were written.
    ('discard', range(1, 30), [['-DFLUSHES'], ['-DSIZE=3'], ['-DALL_SIZES'],
                               ['-DWITH_TOO_LONG']],
     (['-DSIZE=3', '-DALL_SIZES', '-DOPS0=3'], [28], ['-DREVERSE', '-DT_REVERSE']),
     ['-DFLUSHES', '-DALL_SIZES', '-DOPS1=2']),
    # Events of two units, or two in a sub-buffer; laps within a task's one step.
    ('overwrite', range(30, 60), [['-DSIZE=3', '-DOPS0=3', '-DOPS2=0'],
                                  ['-DSIZE=3', '-DONLY_SHORT', '-DOPS0=4', '-DOPS2=0']],
     (['-DSIZE=2', '-DONLY_SHORT', '-DOPS0=1', '-DOPS1=5', '-DOPS2=0'],
      [32, 34, 39, 40], []),
     ['-DSIZE=2', '-DONLY_SHORT', '-DOPS0=3']),
    # Two CPUs, or one with a writer that nests.
    ('watermark', range(60, 80), [['-DIRQ0_OPS=0'], ['-DTASK1_OPS=0']], ([], [], []),
     ['-DTASK1_OPS=2', '-DROUNDS=2', '-DTICKS=4']),
    # One reader's grace periods, and another one that dozes.
    ('rest', range(80, 100), [['-DIRQ_OPS=0'], ['-DTASK_OPS=2']], ([], [], []),
     ['-DTASK_OPS=2', '-DIRQ_OPS=2', '-DROUNDS=3', '-DOTHERS=2']),
    # Clocks in step and nothing that nests, all, and the other proof, which has a mistake of
    # its own.
    ('stuck', range(100, 120), [['-DNMI0_OPS=0', '-DMARGIN=0'], [],
                                ['-DMOVES', '-DNMI0_OPS=0', '-DMARGIN=0']],
     (['-DMOVES', '-DNMI0_OPS=0', '-DMARGIN=0'], [102], []),
     ['-DTASK0_OPS=2', '-DROUNDS=2', '-DPERIODS=2']),
]
# The set of constants that comes first for a mistake which shows with that one only.
FIRST = {15: 3, 26: 2, 27: 2, 105: 1}
# With LTT_LONG only: sets of constants, and mistakes that take millions of states.
LONG = os.environ.get('LTT_LONG')
LONG_SETS = {('discard', 0), ('discard', 2), ('discard', 3), ('rest', 1),
             ('stuck', 1), ('stuck', 2)}
LONG_MISTAKES = {1, 15, 26, 27, 28, 32, 39, 92}
FILES = ('writers.pml',)

# Every state is kept as a whole; "provided" forbids partial-order reduction. With the larger
# constants, they are kept in a quarter of the memory, which takes half as long again.
PAN_CFLAGS = ['-O2', '-w', '-DSAFETY', '-DNOREDUCE', '-DMEMLIM=16000']
PAN_CFLAGS_FULL = ['-DCOLLAPSE']
MISTAKE = re.compile(r'^#define\s+(M_\w+)\s+(\d+)\s+/\* (.*) \*/$', re.M)


def mistakes(name, numbers):
    found = []
    for path in (*FILES, name + '.pml'):
        with open(os.path.join(HERE, path)) as file:
            text = file.read()
        if path == name + '.pml' or f'#include "{path}"' in open(
                os.path.join(HERE, name + '.pml')).read():
            found += [(int(n), what) for _, n, what in MISTAKE.findall(text)
                      if int(n) in numbers]
    return found


def build(where, name, defines, cflags=()):
    """Return: None, or what went wrong."""
    shutil.rmtree(where, ignore_errors=True)
    os.makedirs(where)
    for path in (*FILES, name + '.pml'):
        shutil.copy(os.path.join(HERE, path), where)
    for command in (['spin', '-a', *defines, name + '.pml'],
                    [os.environ.get('CC', 'gcc'), *PAN_CFLAGS, *cflags, '-o', 'pan', 'pan.c']):
        ran = subprocess.run(command, cwd=where, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True)
        if ran.returncode:
            return f'{command[0]}: {ran.stdout}'
    return None


def search(where, mistake):
    """Return: ('holds', states), (what failed, states), or (None, what went wrong)."""
    ran = subprocess.run(['./pan', '-m100000'], cwd=where, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         env={**os.environ, 'MUTANT': str(mistake)})
    errors = re.search(r'errors: (\d+)', ran.stdout)
    states = re.search(r'(\S+) states, stored', ran.stdout)
    if ran.returncode or not errors or not states or 'too small' in ran.stdout or \
       'Search not completed' in ran.stdout and errors[1] == '0':
        return None, ran.stdout[-500:]
    states = int(float(states[1]))
    if errors[1] == '0':
        return 'holds', states
    failed = re.search(r'^pan:1: (.*) \(at depth', ran.stdout, re.M)
    return (failed[1], states) if failed else (None, ran.stdout[-500:])


class Results:
    def __init__(self):
        self.number = self.bad = 0

    def add(self, good, what, why=''):
        self.number += 1
        self.bad += not good
        for line in why.splitlines():
            print('# ' + line)
        print(f'{"ok" if good else "not ok"} {self.number} {what}', flush=True)


def try_mistake(results, what, number, places):
    why = 'nothing was searched'
    for where in places:
        verdict, states = search(where, number)
        why = f'{states} states, {verdict}' if verdict else states
        if verdict not in (None, 'holds'):
            break
    results.add(places and verdict not in (None, 'holds'), what, why)


def try_model(results, top, model, full):
    name, numbers, small, (partial, only_there, order), large = model
    places = []
    left_out = 0
    for number, defines in enumerate([large] if full else small):
        if not full and not LONG and (name, number) in LONG_SETS:
            left_out += 1
            continue
        where = os.path.join(top, 'models', f'{name}-{number}')
        what = ' '.join([name, *defines])
        trouble = build(where, name, defines, PAN_CFLAGS_FULL if full else ())
        if trouble:
            results.add(False, what, trouble)
            continue
        places.append(where)
        verdict, states = search(where, 0)
        results.add(verdict == 'holds', f'{what}: {states} states, {verdict}'
                    if verdict else what, '' if verdict else states)
    if full:
        return
    beside = [os.path.join(top, 'models', f'{name}-partial')]
    trouble = build(beside[0], name, partial, order) if only_there else None
    if trouble:
        results.add(False, ' '.join([name, *partial]), trouble)
        beside = []
    for number, what in mistakes(name, numbers):
        if not LONG and number in LONG_MISTAKES:
            left_out += 1
            continue
        first = FIRST.get(number, 0)
        try_mistake(results, f'{name}: {what}', number,
                    beside if number in only_there else places[first:] + places[:first])
    if left_out:
        print(f'# {name}: {left_out} searches more with LTT_LONG')


def main():
    parser = argparse.ArgumentParser(description='Search the models with spin.')
    parser.add_argument('--full', action='store_true', help='larger constants')
    parser.add_argument('build', help='directory to build in')
    parser.add_argument('model', nargs='*', help='only these models')
    args = parser.parse_args()
    results = Results()
    print('KTAP version 1')
    for model in MODELS:
        if not args.model or model[0] in args.model:
            try_model(results, args.build, model, args.full)
    print(f'1..{results.number}')
    return results.bad != 0


if __name__ == '__main__':
    sys.exit(main())
