/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The writers of one ring buffer: kernel/trace/ltt-core/relay/ring_buffer.c and ltt_commit() of
 * <linux/ltt/tap.h>, step by step. A step is one access to what others look at, or
 * one local compare-and-exchange; what is done with values in registers belongs to it.
 *
 * Process 1 is a task, process 2 an interrupt, process 3 an NMI, all on one CPU. A process
 * begins an operation at any step of those below it, which then stand still until it has
 * ended. A handler that records several events is one that begins anew at the same place.
 *
 * Positions are counted in units: a packet header takes one, an event one or two. The
 * event's header is stored in its first unit, its payload in the second, by steps of their
 * own. What is stored is the event's number, which is never used twice.
 *
 * "mutant" puts in one mistake; 0 is the code as it is. Variables that begin with g_ are
 * known to nobody but the assertions.
 */

/* Units of a sub-buffer, sub-buffers, and operations that each level may begin. */
#ifndef SIZE
#define SIZE	4
#endif
#ifndef NR
#define NR	2
#endif
#ifndef OPS0
#define OPS0	2
#endif
#ifndef OPS1
#define OPS1	1
#endif
#ifndef OPS2
#define OPS2	1
#endif

/* Which events may take one unit, or two. */
#ifdef ALL_SIZES
#define MAY_BE_SHORT(id) true
#define MAY_BE_LONG(id)	true
#elif defined(ONLY_SHORT)
#define MAY_BE_SHORT(id) true
#define MAY_BE_LONG(id)	false
#else
#define MAY_BE_SHORT(id) ((id) == 2)
#define MAY_BE_LONG(id)	true
#endif

/* What is no event, and what no sub-buffer has room for. */
#define FLUSH		0
#define TOO_LONG	SIZE

#define RING		(SIZE * NR)
#define LEVELS		3
#define ALL		(OPS0 + OPS1 + OPS2)
#define UNSET		255

#define SLOT(pos)	(((pos) / SIZE) % NR)
#define CELL(pos)	((pos) % RING)
#define INSIDE(pos)	((pos) % SIZE)
#define NEXT(pos)	(((pos) / SIZE + 1) * SIZE)
/* reserve_slow(): an event from old to new needs the next sub-buffer */
#define CROSSES(old, new) \
	((INSIDE(old) == 0 && mutant != M_BOUNDARY) || \
	 ((old) != 0 && INSIDE(old) != 0 && ((old) - 1) / SIZE != ((new) - 1) / SIZE))

/* reserve(): it ends at or before the end of cur */
#define END_OF_CUR	lap_end[(mutant == M_END_APART -> 0 : cur)]
#define FITS(old, size)	(old + (mutant == M_END_UNNOTICED -> 1 : size) <= END_OF_CUR)

#define FIRST_OF(pid)	(pid == 1 -> 0 : (pid == 2 -> OPS0 : OPS0 + OPS1))
#define OPS_OF(pid)	(pid == 1 -> OPS0 : (pid == 2 -> OPS1 : OPS2))

/* Mistakes in what both modes have in common; see also the models that include this. */
#define M_STORE_FRONTIER	1	/* publishing stores frontier, whatever it has become */
#define M_PUBLISH_ONCE		2	/* publishing does not look at write again */
#define M_ALL_PUBLISH		3	/* nested writers publish, too */
#define M_NO_SECOND_LOOK	4	/* a commit does not see what nested into it */
#define M_REST_UNCOMMITTED	5	/* the rest of a closed sub-buffer is not committed */
#define M_NOTE_LATE		6	/* the end of contents is noted after the commit */
#define M_NOT_NOTED		7	/* a loss or flush does not note the end of contents */
#define M_REST_NOT_NOTED	8	/* nor does the event that opens the next one */
#define M_LOSS_UNCOUNTED	9	/* a loss is not counted */
#define M_COUNT_IN_TWO		10	/* it is, by a load and a store */
#define M_LOSS_CLOSES_NOTHING	11	/* the open sub-buffer stays open after a loss */
#define M_OLD_TIME		13	/* a failed cmpxchg does not read the clock again */
#define M_LOST_LATE		14	/* the header tells losses as of after the cmpxchg */
#define M_LEAVE_OPEN		15	/* losses nested into opening do not close the packet */
#define M_COMMIT_EARLY		16	/* committed before all is stored */
#define M_PLAIN_WRITE		17	/* write is moved by a load and a store */
#define M_BOUNDARY		18	/* write on a boundary goes unnoticed */
#define M_END_UNNOTICED		19	/* the fast path looks only whether it begins before end */
#define M_ORIGIN_LATE		26	/* origin is stored behind end */
#define M_END_APART		27	/* end is one word for all sub-buffers, beside cur */
#define M_LOST_EARLY		28	/* the header tells losses as of before there was room */

/* Those that only overwrite mode shows: else readers protect interrupted writers, too. */
#define M_TAKE_FROM_WRITER	30	/* a slot is taken in which a writer was interrupted */
#define M_STORE_HORIZON		40	/* horizon is stored whatever it has become */

c_decl {
\#include <stdlib.h>
};

byte mutant;		/* from the environment, so that one compilation is for all */

/* struct ltt_buf */
byte write_pos, frontier, horizon, consumed, lost;
/* struct ltt_subbuf */
byte content_end[NR], events[NR], events_open[NR], first[NR];
/* The fast path's: cur is a number here, UNSET for ltt_subbuf_none; origin is begin. */
byte cur = UNSET, lap_end[NR], origin[NR];
/* Memory of the sub-buffers, and of the packet headers in it what is looked at. */
byte cell[RING], packet_seq[NR] = UNSET, packet_lost[NR];

/*
 * The time: it goes on when something has been reserved. A finer clock would not tell
 * more about the order of events, and make states differ by it.
 */
byte clock = 1;
byte level = UNSET;		/* the process that the CPU runs, UNSET: none */
byte ended;			/* processes that will not begin any more */

/* Of each attempt to record an event, by number less one. */
byte g_at[ALL] = UNSET;		/* position of its header, UNSET: it has none */
byte g_ts[ALL];
bit g_two[ALL];			/* takes two units */
byte g_lost_before[ALL];	/* losses that must have been reported before it */
byte g_lost_then[ALL];		/* those that may have been */
byte g_begun;			/* attempts */
byte g_done;			/* losses whose writer has ended */
byte g_section_done;		/* those before the outermost operation began */

/* It never steps back. */
inline set_frontier(to)
{
	d_step { assert(to >= frontier); frontier = to }
}

/* ltt_buf_publish() */
inline publish()
{
	do
	:: seen = frontier;
	   new = write_pos;
	   if
	   :: atomic { seen == new -> break }
	   :: atomic { seen != new && (frontier == seen || mutant == M_STORE_FRONTIER) ->
			set_frontier(new) }
	   :: seen != new && frontier != seen && mutant != M_STORE_FRONTIER
	   fi;
	   if
	   :: atomic { mutant == M_PUBLISH_ONCE -> break }
	   :: mutant != M_PUBLISH_ONCE
	   fi
	od
}

/* ltt_commit(); commit() of what is no event looks but once, and then always publishes */
inline commit(start)
{
	if
	:: frontier == start || mutant == M_ALL_PUBLISH ->
	   new = write_pos;
	   set_frontier(new);
	   if
	   :: write_pos != new && mutant != M_NO_SECOND_LOOK -> publish()
	   :: write_pos == new || mutant == M_NO_SECOND_LOOK
	   fi
	:: frontier != start && mutant != M_ALL_PUBLISH
	fi
}

inline commit_rest(start)
{
	if
	:: frontier == start && mutant != M_REST_UNCOMMITTED -> publish()
	:: frontier != start || mutant == M_REST_UNCOMMITTED
	fi
}

/* close_open(), when write has been read, into "close_old" */
inline close_from()
{
	do
	:: atomic { INSIDE(close_old) == 0 -> break }
	:: INSIDE(close_old) != 0 ->
	   if
	   :: atomic { write_pos == close_old -> write_pos = NEXT(close_old) }
	      if
	      :: mutant == M_NOTE_LATE ->
		 commit_rest(close_old);
		 content_end[SLOT(close_old)] = close_old
	      :: mutant != M_NOTE_LATE ->
		 if
		 :: mutant == M_NOT_NOTED
		 :: atomic { mutant != M_NOT_NOTED ->
			     content_end[SLOT(close_old)] = close_old }	/* note_close() */
		 fi;
		 commit_rest(close_old)
	      fi;
	      break
	   :: atomic { write_pos != close_old -> close_old = write_pos }
	   fi
	od;
	close_old = 0
}

inline close_open()
{
	close_old = write_pos;
	close_from()
}

/* drop() */
inline drop()
{
	if
	:: mutant == M_LOSS_UNCOUNTED
	:: mutant == M_COUNT_IN_TWO -> seen = lost; lost = seen + 1
	:: atomic { mutant != M_LOSS_UNCOUNTED && mutant != M_COUNT_IN_TWO -> lost++ }
	fi;
	if
	:: mutant == M_LOSS_CLOSES_NOTHING
	:: mutant != M_LOSS_CLOSES_NOTHING -> close_open()
	fi
}

/*
 * may_open() of a lap that is not the slot's first, of which the one before ends at
 * "begin - RING + SIZE": "may" tells whether frontier allows it, and returns whether
 * the readers do, too.
 */
inline may_open()
{
#ifdef OVERWRITE
	skip
#else
	if
	:: atomic { may && consumed < begin - RING + SIZE && mutant != M_TAKE_FROM_READER ->
		    may = false }
	:: !may || consumed >= begin - RING + SIZE || mutant == M_TAKE_FROM_READER
	fi
#endif
}

/*
 * open_slot(); "again" returns whether the caller must start anew. What it stores is for
 * readers in overwrite mode only, and left out of the model of the other one.
 */
inline open_slot()
{
	again = false;
#ifdef OVERWRITE
	old_events = events[SLOT(begin)];
	if
	:: begin < RING
	:: begin >= RING ->
	   before = first[SLOT(begin + SIZE)];
	   d_step { upto = first[SLOT(begin)] + old_events }
	   d_step { upto = upto - events_open[SLOT(begin)] }
	   if
	   :: atomic { write_pos != old && mutant != M_FIRST_UNCHECKED -> again = true }
	   :: write_pos == old || mutant == M_FIRST_UNCHECKED ->
	      if
	      :: atomic { mutant == M_HORIZON_BEFORE_FIRST && horizon < begin - RING + SIZE ->
			  horizon = begin - RING + SIZE }
	      :: mutant != M_HORIZON_BEFORE_FIRST || horizon >= begin - RING + SIZE
	      fi;
	      atomic {
		if
		:: first[SLOT(begin + SIZE)] == before || mutant == M_STORE_FIRST ->
		   first[SLOT(begin + SIZE)] = upto
		:: first[SLOT(begin + SIZE)] != before && mutant != M_STORE_FIRST
		fi
	      }
	      seen = horizon;
	      do
	      :: atomic { seen >= begin - RING + SIZE || mutant == M_HORIZON_STAYS -> break }
	      :: atomic { seen < begin - RING + SIZE && mutant != M_HORIZON_STAYS &&
			  (horizon == seen || mutant == M_STORE_HORIZON) ->
			  horizon = begin - RING + SIZE; break }
	      :: atomic { seen < begin - RING + SIZE && mutant != M_HORIZON_STAYS &&
			  horizon != seen && mutant != M_STORE_HORIZON -> seen = horizon }
	      od
	   fi
	fi
#endif
}

/*
 * reserve() and reserve_slow() of event number "id"; "p" returns where its header goes,
 * "start" what the commit wants to know; p is UNSET if the event is lost. Write has been
 * read already, into "old", as has been what reserve_slow() reads first: nothing lies in
 * between that others could see.
 */
inline reserve()
{
	atomic {
		ts = clock;
		may = cur != UNSET && FITS(old, size);
		begin = cur;
		open = false
	}
	if
	:: atomic { may && write_pos == old ->
		    write_pos = old + size;
		    assert(begin == SLOT(old) && origin[begin] == old - INSIDE(old));
		    reserved(old) }
	:: atomic { !may || write_pos != old -> old = write_pos }
	   reserve_slow();
	   /* use(); if the sub-buffer is new, when it has been opened */
	   if
	   :: atomic { p != UNSET && !open -> cur = SLOT(p) }
	   :: p == UNSET || open
	   fi
	fi
}

/* What the assertions want to know of a successful reservation, in the same step. */
inline reserved(where)
{
	p = where;
	start = old;
	clock++;
	g_at[id - 1] = p;
	g_ts[id - 1] = ts;
	g_two[id - 1] = size - 1;
#ifdef WITH_TOO_LONG
	g_lost_before[id - 1] = g_section_done;
#else
	g_lost_before[id - 1] = g_done_before;
#endif
	g_lost_then[id - 1] = lost;
	if
	:: open -> g_opened(begin)
	:: else
	fi
}

inline reserve_slow()
{
#ifdef WITH_TOO_LONG
	if
	:: size == TOO_LONG -> drop()
	:: size != TOO_LONG ->
#endif
	do
	:: if
	   :: atomic { mutant != M_OLD_TIME -> ts = clock }
	   :: mutant == M_OLD_TIME
	   fi;
	   atomic {
		was_lost = (mutant == M_LOST_EARLY -> lost : was_lost);
		open = CROSSES(old, old + size);
		begin = (INSIDE(old) == 0 -> old : NEXT(old));
		new = (open -> begin + 1 + size : old + size)
	   }
	   if
	   :: atomic { open && begin >= RING ->
		       may = frontier >= begin - RING + SIZE || mutant == M_TAKE_FROM_WRITER }
	      may_open()
	   :: atomic { !open || begin < RING -> may = true }
	   fi;
	   if
	   :: !may -> drop(); break
	   :: atomic { may && open -> was_lost = (mutant == M_LOST_EARLY -> was_lost : lost) }
	      open_slot()
	   :: atomic { may && !open -> again = false }
	   fi;
	   if
	   :: mutant == M_PLAIN_WRITE && !again && write_pos == old ->
	      atomic { write_pos = new; reserved(new - size); break }
	   :: atomic { mutant != M_PLAIN_WRITE && !again && write_pos == old ->
		       write_pos = new; reserved(new - size); break }
	   :: atomic { again || write_pos != old -> old = write_pos }
	   fi
	od
#ifdef WITH_TOO_LONG
	fi
#endif
}

/* The rest of reserve_slow() after a reservation that opens a sub-buffer. */
inline opened()
{
	if
	:: atomic { old != begin && mutant != M_REST_NOT_NOTED ->
		    content_end[SLOT(old)] = old }	/* note_close() */
	:: old == begin || mutant == M_REST_NOT_NOTED
	fi;
	atomic {
		/* put_packet() */
		packet_seq[SLOT(begin)] = begin / SIZE;
		packet_lost[SLOT(begin)] = (mutant == M_LOST_LATE -> lost : was_lost)
	}
#ifdef OVERWRITE
	if
	:: mutant == M_NO_EVENTS_OPEN
	:: atomic { mutant != M_NO_EVENTS_OPEN -> events_open[SLOT(begin)] = old_events }
	fi;
#endif
	if
	:: atomic { mutant != M_ORIGIN_LATE -> origin[SLOT(begin)] = begin }
	:: mutant == M_ORIGIN_LATE
	fi;
	if
	:: atomic { mutant != M_END_APART -> lap_end[SLOT(begin)] = begin + SIZE }
	:: mutant == M_END_APART -> cur = SLOT(begin); lap_end[0] = begin + SIZE
	fi;
	if
	:: atomic { mutant == M_ORIGIN_LATE -> origin[SLOT(begin)] = begin }
	:: mutant != M_ORIGIN_LATE
	fi;
	if
	:: atomic { mutant != M_END_APART -> cur = SLOT(begin) }	/* use() */
	:: mutant == M_END_APART
	fi
}

/* The end of reserve(), and of reserve_slow(). */
inline put_header()
{
#ifdef OVERWRITE
	if
	:: mutant == M_EVENTS_IN_TWO -> seen = events[SLOT(p)]; events[SLOT(p)] = seen + 1
	:: atomic { mutant != M_EVENTS_IN_TWO -> events[SLOT(p)] = events[SLOT(p)] + 1 }
	fi;
#endif
	if
	:: open && lost != was_lost && mutant != M_LEAVE_OPEN ->
	   close_open();
	   cell[CELL(p)] = id
	:: atomic { open && (lost == was_lost || mutant == M_LEAVE_OPEN) -> skip }
	   cell[CELL(p)] = id
	:: atomic { !open -> cell[CELL(p)] = id }
	fi
}

inline record()
{
	reserve();
	if
	:: p != UNSET ->
	   if
	   :: open -> opened()
	   :: !open
	   fi;
	   put_header();
	   if
	   :: atomic { size == 2 && mutant != M_COMMIT_EARLY -> cell[CELL(p + 1)] = id }
	   :: size == 1 || mutant == M_COMMIT_EARLY
	   fi;
	   commit(start);
	   if
	   :: atomic { mutant == M_COMMIT_EARLY && size == 2 -> cell[CELL(p + 1)] = id }
	   :: mutant != M_COMMIT_EARLY || size == 1
	   fi
	:: p == UNSET
	fi
}

proctype writer() provided (level == UNSET || level <= _pid)
{
	byte ops, interrupted, id, size, ts, start, p;
	byte old, new, begin, was_lost, seen, close_old, g_done_before;
	bit open, may, again;
#ifdef OVERWRITE
	byte old_events, before, upto;
#endif

	do
	:: atomic {
		ops < OPS_OF(_pid) && level != _pid ->
		ops++;
		interrupted = level;
		g_section_done = (level == UNSET -> g_done : g_section_done);
		g_done_before = g_done;
		level = _pid;
		p = UNSET;
		if
		:: MAY_BE_SHORT(FIRST_OF(_pid) + ops) -> size = 1
		:: MAY_BE_LONG(FIRST_OF(_pid) + ops) -> size = 2
#ifdef FLUSHES
		:: _pid <= 2 -> size = FLUSH
#endif
#ifdef WITH_TOO_LONG
		:: _pid >= 2 -> size = TOO_LONG
#endif
		fi;
		if
		:: size != FLUSH ->
		   id = FIRST_OF(_pid) + ops;
		   g_begun++;
		   old = write_pos
		:: size == FLUSH -> close_old = write_pos
		fi
	   }
	   if
	   :: size != FLUSH -> record()
	   :: size == FLUSH -> close_from()
	   fi;
	   d_step {
		/* A loss lies between two packets. */
		assert(interrupted != UNSET || INSIDE(write_pos) == 0 ||
		       packet_lost[SLOT(write_pos)] == lost);
		g_done = (size != FLUSH && p == UNSET -> g_done + 1 : g_done);
		level = interrupted;
		interrupted = 0; id = 0; size = 0; ts = 0; start = 0; p = 0;
		old = 0; new = 0; begin = 0; was_lost = 0; seen = 0;
		g_done_before = 0; open = 0; may = 0; again = 0;
#ifdef OVERWRITE
		old_events = 0; before = 0; upto = 0;
#endif
	   }
	:: atomic { ops == OPS_OF(_pid) && level != _pid -> ended++; break }
	od
}

#define START(reader)							\
	atomic {							\
		c_code {						\
			if (getenv("MUTANT"))				\
				now.mutant = atoi(getenv("MUTANT"));	\
		};							\
		run writer();						\
		run writer();						\
		run writer();						\
		run reader()						\
	}
