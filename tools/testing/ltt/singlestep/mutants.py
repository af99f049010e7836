#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# usage: mutants.py MAKE-DIRECTORY BUILD [NAME...]	(or their beginnings)
#
# Does the single-step test bite? Put one mistake after the other into a copy of
# the ring buffer; the test must fail every time. For what is decided under a lock, the
# tests that go one step after the other must. Prints KTAP. A mistake that can't
# be made any more, because the source has changed, is a failure too: adapt it.

import os
import re
import subprocess
import sys

RING = 'kernel/trace/ltt-core/relay/ring_buffer.c'
CURSOR = 'kernel/trace/ltt-core/relay/cursor.c'
TAP = 'include/linux/ltt/tap.h'
RESERVE = 'include/linux/ltt/reserve.h'
LOCAL = 'include/linux/ltt/local.h'
PACKETS = 'kernel/trace/ltt-core/relay/packet_reader.c'
PACKETS_H = 'kernel/trace/ltt-core/relay/packet_reader.h'
TAIL = 'kernel/trace/ltt-core/relay/cursor_tail.c'
TAIL_H = 'kernel/trace/ltt-core/relay/cursor_tail.h'
WARN_H = 'kernel/trace/ltt-core/relay/buf_warn.h'
CURSOR_H = 'include/linux/ltt/cursor.h'
KEEP = 'kernel/trace/ltt-core/relay/keep.c'
KEEP_H = 'kernel/trace/ltt-core/relay/keep.h'
PASS = 'kernel/trace/ltt-core/reader/reader_pass.c'

STEPPED = (('test_singlestep', '--first'),)
STEPPED_PACKETS = (('test_singlestep', '--first', '--packets'),)
STEPPED_REST = (('test_singlestep', '--first', '--rest'),)
STEPPED_STUCK = (('test_singlestep', '--first', '--stuck'),)
STEPPED_KEEP = (('test_singlestep', '--first', '--keep'),)
SEQUENTIAL = (('test_ring_stop',), ('test_ring_random',))

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
    ('count of events in three instructions', RESERVE,
     'local_inc(&sb->events);\n	p = (u8 *)',
     'WRITE_ONCE(sb->events.counter, READ_ONCE(sb->events.counter) + 1);\n'
     '	p = (u8 *)'),
    ('every writer publishes', TAP,
     'if (likely(ltt_read_local(head->frontier) == slot.start)) {',
     'if (1) {'),
    ('commit does not look again', TAP,
     'return likely(write == ltt_read_local(head->write));',
     'return true;'),
    ('publishing looks once', RING,
     '		ltt_try_cmpxchg_local(&buf->frontier, &frontier, write);\n',
     '		ltt_try_cmpxchg_local(&buf->frontier, &frontier, write);\n'
     '		return;\n'),
    ('end of the sub-buffer unnoticed', RESERVE,
     'if (unlikely(old + len > ltt_read_local(sb->end)))',
     'if (unlikely(old >= ltt_read_local(sb->end)))'),
    ('end stored before there is room', RING,
     '			if (!open_slot(buf, old, begin, &events))\n',
     '			ltt_buf_sb(buf, begin)->origin = (unsigned long)ltt_buf_sb(buf, begin)->base - begin;\n'
     '			ltt_buf_sb(buf, begin)->end = begin + buf->off_mask + 1;\n'
     '			WRITE_ONCE(buf->cur, ltt_buf_sb(buf, begin));\n'
     '			if (!open_slot(buf, old, begin, &events))\n'),
    ('origin of the lap before', RING,
     '		sb->origin = (unsigned long)sb->base - begin;\n',
     '		if (!sb->origin)\n			sb->origin = (unsigned long)sb->base - begin;\n'),
    # Not so in the fast path: last_ts sends that into the slow one.
    ('clock read before write', RING,
     '		old = READ_ONCE(buf->write);\n'
     '		last = READ_ONCE(buf->last_ts);\n'
     '		ts = clock();\n',
     '		ts = clock();\n'
     '		old = READ_ONCE(buf->write);\n'
     '		last = READ_ONCE(buf->last_ts);\n'),
    ('same timestamp after a failed cmpxchg', RESERVE,
     '	if (unlikely(!ltt_try_cmpxchg_local(&buf->write, &seen, old + len)))\n'
     '		return false;\n',
     '	while (!ltt_try_cmpxchg_local(&buf->write, &seen, old + len)) {\n'
     '		old = seen;\n'
     '		sb = READ_ONCE(buf->cur);\n'
     '		if (old + len > READ_ONCE(sb->end))\n'
     '			return false;\n'
     '	}\n'),
    ('time does not fit, unnoticed', RING,
     'header = (ts - last) >> LTT_TIME_BITS ? LTT_HEADER_EXTENDED : shortest;',
     'header = shortest;'),
    ('no room for a wide header', RESERVE,
     '	len += header - LTT_HEADER_COMPACT;\n', ''),
    ('no room for a wide header in a new sub-buffer', RING,
     'sizeof(struct ltt_packet) + header + len;',
     'sizeof(struct ltt_packet) + LTT_HEADER_COMPACT + len;'),
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
     '	local_add(events, &buf->lost);\n', ''),
    ('losses read after the reservation', RING,
     'seq_num = begin >> buf->sb_order;\n	packet->events_discarded = lost;',
     'seq_num = begin >> buf->sb_order;\n	(void)lost; packet->events_discarded = local_read(&buf->lost);'),
    ('losses read before there is room', RING,
     '''			if (!may_open(buf, begin))
				return drop(buf, clock);
			/*
			 * Not before: who nests from now on finds room, too, and
			 * makes our cmpxchg fail. Not after the reservation: by then
			 * nested writers may have filled packets behind this one
			 * before they lost something.
			 */
			lost = local_read(&buf->lost);
''',
     '''			lost = local_read(&buf->lost);
			if (!may_open(buf, begin))
				return drop(buf, clock);
'''),
    ('a loss that closed nothing is not told next', RING,
     'if (open && unlikely(local_read(&buf->lost) != lost))', 'if (0)'),
    ('copy not checked', CURSOR,
     '	if (READ_ONCE(buf->horizon) > begin)			/* LMM(copy:A) */\n'
     '		return false;\n', ''),
    ('events of the lap not noted', RING,
     '		sb->events_open = events;\n', ''),
    ('end of contents of another lap', CURSOR,
     'end = content > begin && content < sb_end', 'end = content && content < sb_end'),
    ('losses found anywhere', CURSOR,
     '	if (READ_ONCE(buf->write) != cursor->mark.pos)\n		return;\n', ''),
    ('losses reported twice', CURSOR,
     '		cursor->mark.lost += lost;\n', ''),
    ('room given back early', TAIL,
     '	smp_store_release(&buf->consumed, buf->tail.pos);',
     '	smp_store_release(&buf->consumed, READ_ONCE(buf->frontier));'),
    ('write instead of frontier', CURSOR,
     'smp_load_acquire(&buf->frontier);		/* LMM(ltt_cursor_window:A) */',
     'smp_load_acquire(&buf->write);'),
    ('packet: write is taken for frontier', PACKETS,
     'smp_load_acquire(&buf->frontier)', 'READ_ONCE(buf->write)'),
    ('packet: copy not checked', PACKETS,
     '	if (READ_ONCE(buf->horizon) > begin)\n		return false;\n', ''),
    ('packet: looked at without a pin', PACKETS,
     '	pin(packets);\n', ''),
    ('packet: end of contents not looked at', PACKETS,
     '(content > begin && content < end ? content : end)', '(content ? end : end)'),
    ('packet: ends when it begins', PACKETS,
     '		walk(packets, base, sizeof(*header), size, &ts_end);\n', ''),
    ('packet: events of the lap not counted', PACKETS,
     'packets->after.events = packets->at.events + events;',
     'packets->after.events = packets->at.events; (void)events;'),
    ('packet: what was overwritten is not told', PACKETS,
     '	packets->missed += cursor->lost;\n', ''),
    ('packet: what was left behind is not told', PACKETS,
     '		packets->missed += before - *events;\n', ''),
    ('packet: where it rejoined is not where it goes on', PACKETS,
     '	packets->at = *tail;\n', ''),
]

# Those that show only where a buffer rests.
REST_MUTANTS = [
    ('rest: nobody is told', RING,
     '	if (old == &ltt_subbuf_none || sb == &ltt_subbuf_stirred)\n		stir = buf->stir;\n', ''),
    ('rest: nobody is told of a loss', RING,
     '	if (READ_ONCE(buf->cur) == &ltt_subbuf_none)\n'
     '		use(buf, &ltt_subbuf_stirred);\n', ''),
    ('rest: the fast path goes on', CURSOR,
     '	WRITE_ONCE(buf->cur, &ltt_subbuf_none);\n', ''),
    ('rest: a new event is not looked for', CURSOR,
     'return !cursor->lost && READ_ONCE(buf->write) == cursor->mark.pos &&',
     'return !cursor->lost &&'),
    ('rest: a new loss is not looked for', CURSOR,
     '	       !ltt_cursor_lossy(cursor) && ', '	       '),
    ('rest: what others were told is not looked at', CURSOR,
     'at_end(cursor) &&\n	       !ltt_cursor_stirred(cursor);', 'at_end(cursor);'),
]

# And those where a CPU is asked.
STUCK_MUTANTS = [
    ('stuck: an answer whatever is below', PASS,
     '	return depth <= (is_idle_task(current) ? PREEMPT_OFFSET : 0);\n',
     '	return true;\n'),
    ('stuck: a writer in a task is not seen', PASS,
     '	return depth <= (is_idle_task(current) ? PREEMPT_OFFSET : 0);\n',
     '	return depth <= PREEMPT_OFFSET;\n'),
    ('stuck: the time is read when the round has begun', PASS,
     '	pass->watermark = now > margin ? now - margin : 0;\n'
     '	pass->round = atomic_long_inc_return(&rounds);			/* LMM(begin_round:A) */\n',
     '	pass->round = atomic_long_inc_return(&rounds);\n'
     '	now = ltt_clock_now(clock);\n'
     '	pass->watermark = now > margin ? now - margin : 0;\n'),
    ('stuck: an answer to the round before', PASS,
     'return (long)(answered - pass->round) >= 0;', 'return (long)(answered - pass->round) >= -1;'),
    ('stuck: an interrupt that proves nothing is the last', PASS,
     '	if (no_writer_below())\n'
     '		smp_store_release(&ask->answered, round);		/* LMM(answer:B) */\n',
     '	if (!no_writer_below())\n		return;\n'
     '	smp_store_release(&ask->answered, round);\n'),
]

# The same, for test_ring_stop and test_ring_random.
STOP_MUTANTS = [
    ('left behind while pinned', TAIL,
     '} else if (!cursor->pinned && scarce(buf, pos) &&', '} else if (scarce(buf, pos) &&'),
    ('left behind without need', TAIL,
     '!cursor->pinned && scarce(buf, pos) &&', '!cursor->pinned &&'),
    ('left behind while there is room', TAIL,
     'return taken > all - max(all / 8, 1ul);', 'return taken > all - max(all / 4, 1ul);'),
    ('left behind only when none is free', TAIL,
     'return taken > all - max(all / 8, 1ul);', 'return taken >= all;'),
    ('never left behind in small buffers', TAIL,
     'return taken > all - max(all / 8, 1ul);', 'return taken > all - all / 8;'),
    ('left behind at once', TAIL,
     'time_after_eq(jiffies, cursor->watch_since + LTT_STALL)', '1'),
    ('left behind by nobody', TAIL,
     '		if (cursor != self && !cursor->left)\n', '		if (!cursor->left)\n'),
    ('watched without anything to give back', TAIL,
     '	if (!behind(buf, pos)) {', '	if (0) {'),
    ('progress does not count', TAIL,
     ' || pos - cursor->watch_pos >= progress) {', ') {'),
    ('any progress counts', TAIL,
     'pos - cursor->watch_pos >= progress', 'pos != cursor->watch_pos'),
    ('waiting for one left behind', TAIL,
     '		if (cursor->left)\n			continue;\n', ''),
    ('events missed are not counted', CURSOR,
     ', cursor->mark.events - old.events);', ', 0);'),
    ('losses in between are not counted', CURSOR,
     'add_lost(cursor, cursor->mark.lost - old.lost, cursor', 'add_lost(cursor, 0, cursor'),
    ('back to where others are', CURSOR,
     '	if (cursor->buf->tail.pos <= old.pos)\n		return false;\n', ''),
    ('packet header not read', CURSOR,
     '	if (cursor->mark.pos & buf->off_mask)\n		cursor->packet',
     '	if (0)\n		cursor->packet'),
    ('misses are inherited', CURSOR,
     'return cursor->lost - (cursor->missed - cursor->told);', 'return cursor->lost;'),
    ('misses are forgotten too late', CURSOR,
     '	if (!cursor->lost)\n		cursor->told = cursor->missed;\n	cursor->missed += missed;',
     '	cursor->missed += missed;'),
    ('one left behind sets the tail when it closes', CURSOR,
     'if (!buf->overwrite && !cursor->left) {\n		release(cursor);\n'
     '		ltt_cursor_update_tail(buf, cursor);',
     'if (!buf->overwrite) {\n		release(cursor);\n'
     '		cursor->left = false; ltt_cursor_update_tail(buf, cursor);'),
    ('one left behind releases', CURSOR,
     '	if (!cursor->left) {\n		release(cursor);\n		cursor->pinned = false;',
     '	{\n		cursor->left = false;\n		release(cursor);\n		cursor->pinned = false;'),
    ('released, still pinned', CURSOR,
     '		cursor->pinned = false;\n', ''),
    ('windows are not pinned', CURSOR,
     '	if (cursor->mark.pos != cursor->limit)\n		ltt_cursor_pin(cursor);\n', ''),
    ('not told of having moved', CURSOR,
     '	return !moved;', '	return true;'),
    ('waiting does not count', CURSOR_H,
     '	if (READ_ONCE(cursor->watched))\n		WRITE_ONCE(cursor->watched, false);\n', ''),
]

# Windows.
KEEP_MUTANTS = [
    ('kept: what begins when the window ends is not wanted', KEEP,
     'packet->timestamp_begin > READ_ONCE(buf->keep->until)',
     'packet->timestamp_begin >= READ_ONCE(buf->keep->until)'),
    ('kept: collected only if it begins before the window ends', KEEP,
     '|| header.timestamp_begin > until)', '|| header.timestamp_begin >= until)'),
    ('kept: copied after the reservation', RING,
     'if (unlikely(kept))\n			ltt_spare_publish(kept);',
     'if (unlikely(buf->keep)) {\n'
     '			if (kept)\n				ltt_spare_free(kept);\n'
     '			kept = ltt_buf_keep(buf, begin);\n'
     '			if (kept)\n				ltt_spare_publish(kept);\n		}'),
    ('kept: the copy of a slot that was not taken', RING,
     '			ltt_spare_free(kept);\n			kept = NULL;\n',
     '			ltt_spare_publish(kept);\n			kept = NULL;\n'),
    ('kept: a copy is not given back', RING,
     '			ltt_spare_free(kept);\n			kept = NULL;\n',
     '			kept = NULL;\n'),
    ('kept: published after the header was replaced', RING,
     '		if (unlikely(kept))\n			ltt_spare_publish(kept);\n'
     '		LTT_BUF_WARN_ON(buf, READ_ONCE(buf->frontier) > old || !may_open(buf, begin));\n'
     '		if (old != begin)\n			note_close(buf, old, ts);\n'
     '		put_packet(buf, begin, ts, lost);\n',
     '		if (old != begin)\n			note_close(buf, old, ts);\n'
     '		put_packet(buf, begin, ts, lost);\n'
     '		if (unlikely(kept))\n			ltt_spare_publish(kept);\n'),
    ('kept: a spare is taken in two instructions', KEEP,
     'try_cmpxchg(&spare->seq, &seq, LTT_SPARE_BUSY))\n				return',
     '(WRITE_ONCE(spare->seq, LTT_SPARE_BUSY), 1))\n				return'),
    ('kept: horizon is not looked at after the copy', KEEP,
     '	if (READ_ONCE(buf->horizon) > begin) {\n		ltt_spare_free',
     '	if (0) {\n		ltt_spare_free'),
    ('kept: the collector does not wait', KEEP,
     'return ltt_buf_owns(buf, &header, begin) ? ERR_PTR(-EAGAIN) : NULL;', 'return NULL;'),
    ('kept: the collector does not look again', KEEP,
     'return spare ?: ltt_buf_kept(buf, seq);', 'return spare;'),
    ('kept: the newest is in a slot', KEEP,
     'if (seq < LTT_SPARE_BUSY && seq >= next &&', 'if (0 &&'),
    ('kept: a packet ends with its sub-buffer', KEEP,
     'return content > begin && content < end ? content : end;', 'return end;'),
    ('kept: the size is not set', KEEP,
     '	packet->content_size = size * 8ull;\n', ''),
    ('kept: an open packet is found by others', KEEP,
     '	if (frontier < full)\n		return copy(buf, begin, frontier - begin, 0);\n',
     '	if (frontier < full)\n		end = frontier;\n'),
    ('kept: no spares for nested writers', KEEP_H,
     ' + (first ? LTT_KEEP_NESTED : 0)', ' + 0 * first'),
]


def copy_sources(top, here, mutant):
    _, path, old, new = mutant
    for source in (RING, CURSOR, PACKETS, PACKETS_H, TAIL, TAIL_H, WARN_H, TAP, RESERVE, LOCAL,
                   CURSOR_H, PASS, KEEP, KEEP_H):
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
    return None


def try_test(make_dir, here, test):
    made = subprocess.run(['make', '-s', '-C', make_dir, 'BUILD=' + here,
                           'MUTANT=' + here, here + '/' + test[0]],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if made.returncode:
        return 'does not compile: ' + made.stdout.replace('\n', ' ')[-300:]
    try:
        ran = subprocess.run([here + '/' + test[0], *test[1:]],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return 'no end'
    if ran.returncode != 1 or 'not ok' not in ran.stdout:
        return f'not found (status {ran.returncode})'
    for line in ran.stdout.splitlines():
        if line.startswith('#'):
            print(line)
            break
    return None


def try_mutant(make_dir, build, mutant, tests):
    top = os.path.abspath(os.path.join(make_dir, '../../..'))
    here = os.path.join(build, 'mutants', re.sub('[ :,]+', '_', mutant[0]))
    trouble = copy_sources(top, here, mutant)
    if trouble:
        return trouble
    for test in tests:
        trouble = try_test(make_dir, here, test)
        if not trouble:
            return None
    return trouble


def main():
    make_dir, build, *names = sys.argv[1:]
    mutants = [(m, STEPPED_PACKETS if m[1] == PACKETS else STEPPED) for m in MUTANTS]
    mutants += [(m, STEPPED_REST) for m in REST_MUTANTS]
    mutants += [(m, STEPPED_STUCK) for m in STUCK_MUTANTS]
    mutants += [(m, STEPPED_KEEP) for m in KEEP_MUTANTS]
    mutants += [(m, SEQUENTIAL) for m in STOP_MUTANTS]
    mutants = [m for m in mutants if not names or m[0][0].startswith(tuple(names))]
    bad = 0
    print(f'KTAP version 1\n1..{len(mutants)}')
    for number, (mutant, tests) in enumerate(mutants, 1):
        trouble = try_mutant(make_dir, build, mutant, tests)
        if trouble:
            print('# ' + trouble)
            bad += 1
        print(f'{"not ok" if trouble else "ok"} {number} {mutant[0]}', flush=True)
    return bad != 0


if __name__ == '__main__':
    sys.exit(main())
