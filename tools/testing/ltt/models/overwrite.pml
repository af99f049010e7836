/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Overwrite mode: nested writers that wait for nobody, and a reader on another CPU that copies
 * a sub-buffer, then looks whether it was overtaken. The reader is ltt_cursor_window() of
 * kernel/trace/ltt-core/relay/cursor.c, with copy() and ltt_cursor_overtaken(); each unit is
 * copied by a step of its own.
 *
 * Shown for all ways to interleave them: what the reader takes from a copy that it trusts is
 * whole and in order, and it learns exactly how many events it missed, each time, beside
 * those that writers dropped.
 */

#define M_FIRST_UNCHECKED	31	/* "first" is made of values of different times */
#define M_STORE_FIRST		32	/* it is stored whatever it has become */
#define M_HORIZON_STAYS		33	/* horizon is not raised */
#define M_NO_EVENTS_OPEN	34	/* the lap's first event is not noted */
#define M_EVENTS_IN_TWO		35	/* events are counted by a load and a store */
#define M_HORIZON_BEFORE_FIRST	36	/* horizon is raised before "first" is stored */
#define M_COPY_UNCHECKED	37	/* the copy is trusted */
#define M_CHECK_FIRST		38	/* horizon is looked at before the copy is made */
#define M_FIRST_OF_LATER	39	/* "first" is not read again when horizon has moved */

/* In the step that opens the sub-buffer at "begin": no writer is left in it. */
#define g_opened(begin)	assert(begin < RING || frontier >= begin - RING + SIZE)

#define OVERWRITE
#include "writers.pml"

byte pos, told, mark_events, missed, g_read, g_last_ts;
byte shadow[SIZE], shadow_seq, shadow_lost;

/* ltt_cursor_overtaken() */
inline overtaken()
{
	do
	:: at = horizon;
	   value = first[SLOT(at)];
	   if
	   :: atomic { horizon == at || mutant == M_FIRST_OF_LATER -> break }
	   :: horizon != at && mutant != M_FIRST_OF_LATER
	   fi
	od;
	atomic {
		/* As many as have been reserved below. */
		i = 0;
		id = 0;
		do
		:: i < ALL -> id = id + (g_at[i] != UNSET && g_at[i] < at); i++
		:: i == ALL -> break
		od;
		assert(value == id);
		missed = missed + value - mark_events;
		mark_events = value;
		pos = at;
		limit = (limit < at -> at : limit);
		i = 0; id = 0; at = 0; value = 0
	}
}

/* copy(), from pos up to end; "good" returns whether the cursor was not overtaken */
inline copy()
{
	if
	:: atomic { mutant == M_CHECK_FIRST -> good = horizon <= pos - INSIDE(pos) }
	:: mutant != M_CHECK_FIRST
	fi;
	at = pos;
	do
	:: atomic { at < end ->
		    shadow[INSIDE(at)] = cell[CELL(at)];
		    if
		    :: INSIDE(at) == 0 ->
		       shadow_seq = packet_seq[SLOT(at)];
		       shadow_lost = packet_lost[SLOT(at)]
		    :: INSIDE(at) != 0
		    fi;
		    at++ }
	:: atomic { at >= end -> at = 0; break }
	od;
	if
	:: mutant == M_CHECK_FIRST
	:: atomic { mutant == M_COPY_UNCHECKED -> good = true }
	:: atomic { mutant != M_CHECK_FIRST && mutant != M_COPY_UNCHECKED ->
		    good = horizon <= pos - INSIDE(pos) }
	fi
}

/* Take all of the copy: nobody else can see it. */
inline take()
{
	if
	:: INSIDE(pos) == 0 ->
	   /* enter_packet() */
	   assert(shadow_seq == pos / SIZE);
	   told = (shadow_lost > told -> shadow_lost : told);
	   pos++
	:: INSIDE(pos) != 0
	fi;
	do
	:: pos < end ->
	   id = shadow[INSIDE(pos)];
	   assert(id != 0 && g_at[id - 1] == pos);
	   assert(!g_two[id - 1] || shadow[INSIDE(pos) + 1] == id);
	   assert(g_ts[id - 1] > g_last_ts);
	   assert(told >= g_lost_before[id - 1]);
	   assert(told <= g_lost_then[id - 1]);
	   g_last_ts = g_ts[id - 1];
	   g_read++;
	   mark_events++;
	   pos = pos + 1 + g_two[id - 1];
	   assert(pos <= end)
	:: pos >= end -> break
	od;
	pos = (limit >= sb_end -> sb_end : pos);
	i = 0;
	do
	:: i < SIZE -> shadow[i] = 0; i++
	:: i == SIZE -> break
	od;
	shadow_seq = 0; shadow_lost = 0; id = 0; i = 0; end = 0; sb_end = 0; good = 0
}

proctype reader()
{
	byte limit, end, sb_end, id, value, at, i;
	bit last, good;

	do
	:: atomic {
		last = (ended == LEVELS);	/* then what is read now is all */
		limit = (frontier > limit -> frontier : limit)
	   }
	   do
	   :: horizon > pos -> overtaken()
	   :: atomic { horizon <= pos && pos == limit -> value = lost }
	      /* look_for_losses() */
	      atomic {
		told = (INSIDE(pos) == 0 && write_pos == pos -> value : told);
		value = 0;
		break
	      }
	   :: atomic { horizon <= pos && pos != limit ->
		sb_end = NEXT(pos);
		end = content_end[SLOT(pos)];
		end = (end > pos - INSIDE(pos) && end < sb_end -> end : sb_end);
		end = (end > limit -> limit : end)
	      }
	      if
	      :: end > pos -> copy()
	      :: atomic { end <= pos -> good = true }
	      fi;
	      if
	      :: d_step { good -> take() }
	      :: atomic { !good -> end = 0; sb_end = 0 }
	      fi
	   od;
	   if
	   :: atomic { last -> break }
	   :: !last
	   fi
	od;

	/* ltt_cursor_last_losses() */
	assert(frontier == write_pos && pos == frontier);
	assert(told <= lost);
	assert(g_read + missed + lost == g_begun)
}

init
{
	START(reader)
}
