#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# usage: mutants.py MAKE-DIRECTORY BUILD [NAME...]
#
# Does the single-step test bite? Put one mistake after the other into a copy of
# the ring buffer; the test must fail every time. Prints KTAP. A mistake that can't
# be made any more, because the source has changed, is a failure too: adapt it.

import os
import subprocess
import sys

RING = 'kernel/trace/ltt-core/ring_buffer.c'
CURSOR = 'kernel/trace/ltt-core/cursor.c'
HEADER = 'include/linux/ltt/ring_buffer.h'
LOCAL = 'include/linux/ltt/local.h'

# name, file, what is there, what shall be there
MUTANTS = [
    ('cmpxchg in three instructions', LOCAL,
     '''	asm volatile("cmpxchgq %[new], %[ptr]"
		     : "=@ccz" (done), [ptr] "+m" (*ptr), "+a" (*old)
		     : [new] "r" (new)
		     : "memory");
	return done;
''',
     '''	unsigned long seen = *(volatile unsigned long *)ptr;

	done = seen == *old;
	if (done)
		*(volatile unsigned long *)ptr = new;
	*old = seen;
	return done;
'''),
    ('count of events in three instructions', RING,
     'local_inc(&sb->events);\n	p = sb->base',
     'WRITE_ONCE(sb->events.counter, READ_ONCE(sb->events.counter) + 1);\n'
     '	p = sb->base'),
    ('every writer publishes', HEADER,
     'if (likely(READ_ONCE(buf->frontier) == slot.start)) {',
     'if (1) {'),
    ('commit does not look again', HEADER,
     'if (unlikely(write != READ_ONCE(buf->write)))',
     'if (0)'),
    ('publishing looks once', RING,
     '		ltt_try_cmpxchg_local(&buf->frontier, &frontier, write);\n',
     '		ltt_try_cmpxchg_local(&buf->frontier, &frontier, write);\n'
     '		return;\n'),
    ('boundary unnoticed', RING,
     '((new - 1) ^ (old - 1))', '(new ^ old)'),
    # Not so in the fast path: last_ts sends that into the slow one.
    ('clock read before write', RING,
     '		old = READ_ONCE(buf->write);\n'
     '		last = READ_ONCE(buf->last_ts);\n'
     '		ts = clock();\n',
     '		ts = clock();\n'
     '		old = READ_ONCE(buf->write);\n'
     '		last = READ_ONCE(buf->last_ts);\n'),
    ('same timestamp after a failed cmpxchg', RING,
     '	if (unlikely(!ltt_try_cmpxchg_local(&buf->write, &old, new)))\n'
     '		return slow(tap, len);\n',
     '	while (!ltt_try_cmpxchg_local(&buf->write, &old, new)) {\n'
     '		new = old + len;\n'
     '		if (((new - 1) ^ (old - 1)) & READ_ONCE(buf->cross_mask))\n'
     '			return slow(tap, len);\n'
     '	}\n'),
    ('time does not fit, unnoticed', RING,
     'extended = wide || (ts - last) >> LTT_TIME_BITS;', 'extended = wide;'),
    ('last timestamp leads', RING,
     '			ts = last;	/* clamp */\n',
     '			ts = last;	/* clamp */\n'
     '		WRITE_ONCE(buf->last_ts, ts + 1000);\n'),
    ('slot taken from an interrupted writer', RING,
     '	if (READ_ONCE(buf->frontier) < end_before)\n		return false;\n', ''),
    ('slot taken from a reader', RING,
     '	return smp_load_acquire(&buf->consumed) >= end_before;',
     '	return true;'),
    ('horizon not raised', RING,
     'while (horizon < dead) {', 'while (0) {'),
    ('horizon lowered', RING,
     '''		if (ltt_try_cmpxchg_local(&buf->horizon, &horizon, dead)) /* LMM(open_slot:A) */
			break;
''',
     '''		WRITE_ONCE(buf->horizon, dead);
		break;
'''),
    ('events before the oldest: no second look', RING,
     '	if (READ_ONCE(buf->write) != old)\n		return false;\n', ''),
    ('events before the oldest: a store', RING,
     'ltt_try_cmpxchg_local(&oldest->first, &before, first);',
     'WRITE_ONCE(oldest->first, first); (void)before;'),
    ('end of contents not noted', RING,
     '	WRITE_ONCE(sb->content_end, old);\n', ''),
    ('end of contents noted late', RING,
     '	note_close(buf, old, ts);\n	commit(buf, old);\n',
     '	commit(buf, old);\n	note_close(buf, old, ts);\n'),
    ('closing is not committed', RING,
     '	note_close(buf, old, ts);\n	commit(buf, old);\n',
     '	note_close(buf, old, ts);\n'),
    ('a loss closes nothing', RING,
     '	if (buf->sb)\n		close_open(buf, clock);\n', ''),
    ('a loss is not counted', RING,
     '	local_inc(&buf->lost);\n', ''),
    ('losses read after the reservation', RING,
     'packet->events_discarded = lost;',
     '(void)lost; packet->events_discarded = local_read(&buf->lost);'),
    ('copy not checked', CURSOR,
     '	if (READ_ONCE(buf->horizon) > begin)			/* LMM(ltt_cursor_window:C) */\n'
     '		return false;\n', ''),
    ('events of the lap not noted', RING,
     '		sb->events_open = events;\n', ''),
    ('end of contents of another lap', CURSOR,
     'end = content > begin && content < sb_end', 'end = content && content < sb_end'),
    ('losses found anywhere', CURSOR,
     '	if (READ_ONCE(buf->write) != cursor->mark.pos)\n		return;\n', ''),
    ('losses reported twice', CURSOR,
     '		cursor->mark.lost += lost;\n', ''),
    ('room given back early', CURSOR,
     '	smp_store_release(&buf->consumed, buf->tail.pos);',
     '	smp_store_release(&buf->consumed, READ_ONCE(buf->frontier));'),
    ('write instead of frontier', CURSOR,
     'smp_load_acquire(&buf->frontier);		/* LMM(ltt_cursor_window:A) */',
     'smp_load_acquire(&buf->write);'),
]


def try_mutant(make_dir, build, mutant):
    name, path, old, new = mutant
    top = os.path.abspath(os.path.join(make_dir, '../../..'))
    here = os.path.join(build, 'mutants', name.replace(' ', '_').replace(':', ''))
    for source in (RING, CURSOR, HEADER, LOCAL):
        with open(os.path.join(top, source)) as file:
            text = file.read()
        if source == path:
            if text.count(old) != 1:
                return 'the source has changed, adapt the mistake'
            text = text.replace(old, new)
        copy = os.path.join(here, os.path.basename(source)
                            if source.startswith('kernel') else source)
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        with open(copy, 'w') as file:
            file.write(text)
    made = subprocess.run(['make', '-s', '-C', make_dir, 'BUILD=' + here,
                           'MUTANT=' + here, here + '/test_singlestep'],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if made.returncode:
        return 'does not compile: ' + made.stdout.replace('\n', ' ')[-300:]
    try:
        ran = subprocess.run([here + '/test_singlestep', '--first'],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return 'no end'
    if ran.returncode != 1 or 'not ok' not in ran.stdout:
        return f'not found (status {ran.returncode})'
    for line in ran.stdout.splitlines():
        if line.startswith('#'):
            print(line)
    return None


def main():
    make_dir, build, *names = sys.argv[1:]
    mutants = [m for m in MUTANTS if not names or m[0] in names]
    bad = 0
    print(f'KTAP version 1\n1..{len(mutants)}')
    for number, mutant in enumerate(mutants, 1):
        trouble = try_mutant(make_dir, build, mutant)
        if trouble:
            print('# ' + trouble)
            bad += 1
        print(f'{"not ok" if trouble else "ok"} {number} {mutant[0]}', flush=True)
    return bad != 0


if __name__ == '__main__':
    sys.exit(main())
