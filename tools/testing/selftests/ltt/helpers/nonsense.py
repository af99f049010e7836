#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# nonsense.py read|write|storm DIRECTORY [TIMES]
#
# read:  every file below DIRECTORY, LTT's in debugfs, can be read.
# write: nonsense to every file that can be written gets a documented errno and a
#        line in the error_log next above it, and changes nothing.
# storm: the same from four processes at once, TIMES each, without looking at the logs; 0.5 is
#        half of the files.

import collections
import errno
import math
import os
import random
import sys

from debugfs import log_above, logged, read, write

# What Documentation/ABI/testing/debugfs-ltt allows a bad write to say.
DOCUMENTED = {errno.EINVAL, errno.ENOENT, errno.EEXIST, errno.EBUSY, errno.ENOMEM,
              errno.ENAMETOOLONG, errno.E2BIG, errno.ERANGE, errno.ENODEV,
              errno.EPERM}

INPUTS = {
    'overlong': b'x' * 100000,
    'longer than a name': b'x' * 100,
    'binary': bytes(range(128, 256)) + bytes(range(1, 32)),
    'NUL': b'sched.*\0irq.*',
    'word and NUL': b'format\0junk',
    'digit and NUL': b'1\0junk',
    'not UTF-8': b'\xff\xfe\x80',
    'blanks': b'   \n\t ',
    'newline': b'\n',
    'negative': b'-1',
    'huge': b'99999999999999999999999',
    'several': b'1 2 3',
    'percent': b'%n%s%s',
    'path': b'../../../etc/passwd',
    'fraction': b'4096.5',
    'unit': b'4096Q',
    'glob': b'*.*.*',
    'half of it sense': b'sched.* irq.[',
}


# What every file must say, and a part of the line in its error_log, where kernels without
# CONFIG_SYMBOLIC_ERRNAME have a number.
SAME = {
    'overlong': (errno.E2BIG, '(-E2BIG)'),
    'NUL': (errno.EINVAL, 'column 8: NUL byte (-EINVAL): "sched.*"'),
    'word and NUL': (errno.EINVAL, 'column 7: NUL byte (-EINVAL): "format"'),
    'digit and NUL': (errno.EINVAL, 'column 2: NUL byte (-EINVAL): "1"'),
}

# Odd, but names or patterns.
SENSE = {
    'setup_trace': {'negative', 'huge', 'fraction', 'unit'},
    'markers': {'fraction'},
    # An expression.
    'filter': {'negative'},
    'function/filter': {'blanks', 'newline', 'glob'},
    'function/notrace': {'blanks', 'newline', 'glob'},
    'function/returns': {'blanks', 'newline'},
}


def nonsense(path):
    directory, name = path.split('/')[-2:]
    sense = SENSE.get(f'{directory}/{name}') or SENSE.get(name, set())
    return {name: data for name, data in INPUTS.items() if name not in sense}


def files(top):
    for directory, _, names in os.walk(top):
        for name in sorted(names):
            yield os.path.join(directory, name)


def writable(top):
    """Those that can be written; without LTT_LONG of each trace two of a kind."""
    # Anything may be written to an error_log: it clears it.
    found = [f for f in files(top) if os.stat(f).st_mode & 0o200 and
             os.path.basename(f) not in ('error_log', 'flush')]
    if os.environ.get('LTT_LONG'):
        return found
    kinds = collections.defaultdict(list)
    for path in found:
        parts = os.path.relpath(path, top).split('/')
        trace = parts[1] if parts[0] == 'traces' else ''
        kinds[trace, len(parts), parts[-1]].append(path)
    return [path for paths in kinds.values() for path in {paths[0]: 0, paths[-1]: 0}]


def enough(count):
    """Nothing to look at is nothing that was found to be right."""
    if count < 50:
        print(f'{count} files only')
    return count >= 50


def state(top):
    # What changes by itself: logs, counters, the text.
    return {f: read(f) for f in files(top)
            if os.path.basename(f) not in ('error_log', 'stats') and
            '/text/' not in f and '/binary/' not in f}


def told_as_it_must(log, name, said):
    code, text = SAME.get(name, (said, ''))
    number = text.replace(f'-{errno.errorcode.get(code)}', str(-code))
    told = read(log)
    return said == code and (text.encode() in told or number.encode() in told)


def check_writes(top):
    bad = count = 0
    before = state(top)
    for path in writable(top):
        log = log_above(path)
        for name, data in nonsense(path).items():
            write(log, b'\n')
            said = write(path, data)
            count += 1
            if said not in DOCUMENTED:
                print(f'{path}: {name}: {errno.errorcode.get(said, "accepted")}')
                bad += 1
            elif not logged(log):
                print(f'{path}: {name}: nothing in {log}')
                bad += 1
            elif not told_as_it_must(log, name, said):
                print(f'{path}: {name}: {errno.errorcode[said]}, {read(log)}')
                bad += 1
            # No bytes are no input.
            if write(path, b'') not in DOCUMENTED | {0}:
                print(f'{path}: empty')
                bad += 1
    after = state(top)
    for path in sorted(before.keys() | after.keys()):
        if before.get(path) != after.get(path):
            print(f'{path}: changed from {before.get(path)} to {after.get(path)}'[:300])
            bad += 1
    print(f'{count} writes to {len(writable(top))} files')
    return bad or not enough(len(writable(top)))


def storm(top, times):
    for _ in range(4):
        if os.fork() == 0:
            paths = writable(top) * math.ceil(times)
            random.shuffle(paths)
            paths = paths[:int(len(paths) * times / math.ceil(times))]
            for path in paths:
                for data in nonsense(path).values():
                    write(path, data)
            os._exit(0)
    bad = 0
    for _ in range(4):
        bad += os.wait()[1] != 0
    return bad


def main():
    what, top = sys.argv[1:3]
    if what == 'read':
        count = 0
        for count, path in enumerate(files(top), 1):
            read(path)
        bad = not enough(count)
    else:
        bad = check_writes(top) if what == 'write' else storm(top, float(sys.argv[3]))
    sys.exit(1 if bad else 0)


main()
