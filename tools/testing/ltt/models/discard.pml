/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Discard mode: nested writers, and a reader on another CPU that gives back what it has
 * read. The reader is ltt_cursor_window() of kernel/trace/ltt-core/relay/cursor.c, one step for
 * each access to what writers store.
 *
 * Shown for all ways to interleave them: the reader gets each event that was recorded once,
 * whole, in the order of time; and all others are counted as lost, neither later than
 * the events of a writer that began when they had been lost, nor before they were lost.
 * WITH_TOO_LONG: interrupts have events that no sub-buffer has room for, too. They are told
 * before the events of the next writer that nothing is below of.
 */

#define M_TAKE_FROM_READER	20	/* a slot is taken that was not given back */
#define M_READ_WRITE		21	/* write is taken for frontier */
#define M_GIVE_EARLY		22	/* a sub-buffer is given back when it is entered */
#define M_LOSSES_ANYWHERE	23	/* losses are told without a look where write is */
#define M_OTHER_LAP		24	/* the end of contents of another lap is believed */
#define M_TOLD_TWICE		25	/* the header's losses are added to those told before */

byte pos;		/* ltt_cursor.mark.pos */

/* In the step that opens the sub-buffer at "begin". */
#define g_opened(begin)	assert(begin < RING || pos >= begin - RING + SIZE)

#include "writers.pml"

byte told;		/* ltt_cursor.mark.lost */
byte g_read;		/* events taken */
byte g_last_ts;

/* Take the event at pos. That nobody changes it meanwhile is asserted by g_opened(). */
inline take()
{
	id = cell[CELL(pos)];
	assert(id != 0 && g_at[id - 1] == pos);
	assert(!g_two[id - 1] || cell[CELL(pos + 1)] == id);
	assert(g_ts[id - 1] > g_last_ts);
	assert(told >= g_lost_before[id - 1]);
	assert(told <= g_lost_then[id - 1]);
	g_last_ts = g_ts[id - 1];
	g_read++;
	pos = pos + 1 + g_two[id - 1];
	assert(pos <= end);
	id = 0
}

/* look_for_losses(), when lost has been read, into "value" */
inline look_for_losses()
{
	if
	:: atomic { write_pos == pos || mutant == M_LOSSES_ANYWHERE ->
		    told = value }
	:: write_pos != pos && mutant != M_LOSSES_ANYWHERE
	fi
}

proctype reader()
{
	byte limit, end, id, value;
	bit last;

	do
	:: atomic {
		last = (ended == LEVELS);	/* then what is read now is all */
		limit = (mutant == M_READ_WRITE -> write_pos : frontier)
	   }
	   do
	   :: atomic { pos == limit && INSIDE(pos) != 0 -> break }
	   :: atomic { pos == limit && INSIDE(pos) == 0 -> value = lost }
	      look_for_losses();
	      break
	   :: atomic { pos != limit ->
		end = content_end[SLOT(pos)];
		if
		:: end > pos - INSIDE(pos) && end < NEXT(pos)
		:: mutant == M_OTHER_LAP && end != 0 && end < NEXT(pos)
		:: else -> end = NEXT(pos)
		fi;
		end = (end > limit -> limit : end)
	      }
	      if
	      :: atomic { INSIDE(pos) == 0 ->
		   /* enter_packet() */
		   assert(packet_seq[SLOT(pos)] == pos / SIZE);
		   told = (mutant == M_TOLD_TWICE -> told + packet_lost[SLOT(pos)] :
			   (packet_lost[SLOT(pos)] > told -> packet_lost[SLOT(pos)] : told));
		   pos++;
		   if
		   :: mutant == M_GIVE_EARLY -> consumed = pos - 1 + SIZE
		   :: else
		   fi
		 }
	      :: INSIDE(pos) != 0
	      fi;
	      do
	      :: atomic { pos < end -> take() }
	      :: atomic { pos >= end -> break }
	      od;
	      if
	      :: atomic { limit < pos - INSIDE(pos) + SIZE && INSIDE(pos) != 0 -> break }
	      :: atomic { limit >= pos - INSIDE(pos) + SIZE || INSIDE(pos) == 0 ->
		   /* give_back() */
		   pos = (INSIDE(pos) == 0 -> pos : NEXT(pos));
		   consumed = pos
		 }
	      fi;
	      end = 0
	   od;
	   if
	   :: atomic { last -> break }
	   :: atomic { !last -> end = 0; limit = 0; value = 0 }
	   fi
	od;

	/* ltt_cursor_last_losses() */
	assert(frontier == write_pos && pos == frontier);
	assert(told <= lost);
	assert(g_read + lost == g_begun)
}

init
{
	START(reader)
}
