/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A reader that lets a buffer rest, and how it is told of the next event: "Rest" in
 * kernel/trace/ltt-core/relay/ring_buffer.c, ltt_cursor_doze(), ltt_cursor_rests(),
 * ltt_reader_stirred().
 *
 * On the buffer's CPU a task is interrupted, at any step, by a writer that nests; each of their
 * events takes the fast or the slow path, and in the latter it may be lost. What else happens
 * in a buffer does not matter here, so a position is a number of events, and sub-buffers have
 * no end. The reader is on another CPU. A third one, of which nothing is known, stores
 * cur = NONE at any time. Grace periods as in watermark.pml.
 *
 * Shown for all ways to interleave them: if the reader has the buffer at rest, and has not been
 * told of anything when the writers have gone - after any number of events, since none of them
 * must happen - nothing is there that it has not seen. What was reserved or lost before a
 * grace period began it knows of when that has ended and it has looked.
 */

#ifndef TASK_OPS
#define TASK_OPS	3
#endif
#ifndef IRQ_OPS
#define IRQ_OPS		1
#endif
#ifndef ROUNDS
#define ROUNDS		2		/* grace periods */
#endif
#ifndef OTHERS
#define OTHERS		1		/* times that another reader dozes */
#endif

#define M_NOT_TOLD		80	/* a slow path does not increment count */
#define M_LOSS_NOT_TOLD		81	/* nobody is told of a loss */
#define M_NO_GRACE_PERIOD	82	/* the reader does not wait for a grace period */
#define M_DOZE_LATE		83	/* cur is stored after the grace period has begun */
#define M_NO_POS		93	/* events that were read meanwhile are not noticed */
#define M_LOOK_FIRST		84	/* count is read after stirs */
#define M_LOOK_AT_WRITE		85	/* who was told looks at write and lost, not at stirs */
#define M_NO_STIRS		86	/* stirs is not compared */
#define M_CUR_INSTEAD		87	/* instead, cur must be NONE in the end */
#define M_STIRS_LATE		88	/* stirs is noted after cur is stored */
#define M_TOLD_FIRST		89	/* count is incremented before stirs */
#define M_NO_LOSS		90	/* losses are not looked at */
#define M_READ_OUTSIDE		91	/* the fast path reads cur before its section */

#define M_ONLY_NONE		92	/* a loss is told of only if cur still is NONE */

#define TASK	1		/* processes, in the order in which they are started */
#define IRQ	2
#define WRITERS	2

#define NONE	0		/* ltt_subbuf_none */
#define STIRRED	1		/* ltt_subbuf_stirred */
#define OPEN	2		/* a sub-buffer with room */

c_decl {
\#include <stdlib.h>
};

byte mutant;			/* from the environment, so that one compilation is for all */

byte write_pos, frontier, lost;
byte cur = NONE;
byte stirs, count;

bit interrupted;		/* the CPU runs the process IRQ */
bit section[WRITERS + 1];	/* with preemption disabled */
bit waited_for[WRITERS + 1];	/* by the grace period */
byte ended;			/* writers that are done */

inline enter_section()
{
	section[_pid] = true
}

inline leave_section()
{
	d_step {
		section[_pid] = false;
		waited_for[_pid] = false
	}
}

#define TELLS(to) \
	((seen == NONE || (to == STIRRED && mutant != M_ONLY_NONE)) && mutant != M_NOT_TOLD)

/* use() */
inline use(to)
{
	seen = cur;
	if
	:: seen == to
	:: seen != to ->
	   cur = to;
	   if
	   :: TELLS(to) ->
	      if
	      :: mutant == M_TOLD_FIRST -> count++; stirs++
	      :: mutant != M_TOLD_FIRST -> stirs++; count++
	      fi
	   :: !TELLS(to)
	   fi
	fi
}

/* drop() */
inline drop()
{
	lost++;
	if
	:: cur == NONE && mutant != M_LOSS_NOT_TOLD -> use(STIRRED)
	:: cur != NONE || mutant == M_LOSS_NOT_TOLD
	fi
}

/* ltt_commit(): the outermost one publishes all that nested into it */
inline commit()
{
	if
	:: frontier == old ->
	   do
	   :: seen = write_pos;
	      frontier = seen;
	      if
	      :: atomic { write_pos == seen -> break }
	      :: write_pos != seen
	      fi
	   od
	:: frontier != old
	fi
}

/* ltt_reserve_fast(), or reserve_slow(), and what follows */
inline record()
{
	if
	:: atomic { mutant == M_READ_OUTSIDE -> seen = cur }
	   atomic { enter_section(); old = write_pos }
	:: atomic { mutant != M_READ_OUTSIDE -> enter_section(); old = write_pos }
	   seen = cur
	fi;
	if
	:: atomic { seen == OPEN && write_pos == old -> write_pos = old + 1 }
	   commit()
	:: atomic { seen != OPEN || write_pos != old -> seen = 0 }
	   if
	   :: drop()
	   :: do
	      :: old = write_pos;
		 if
		 :: atomic { write_pos == old -> write_pos = old + 1; break }
		 :: write_pos != old
		 fi
	      od;
	      use(OPEN);
	      commit()
	   fi
	fi;
	leave_section()
}

proctype writer(byte ops) provided (_pid != TASK || !interrupted)
{
	byte old, seen;

	do
	/* Who interrupts nobody is like a task. */
	:: atomic { ops > 0 && (_pid == TASK || section[TASK]) ->
		    ops--;
		    interrupted = (_pid == IRQ -> true : interrupted) }
	   record();
	   d_step {
		interrupted = (_pid == IRQ -> false : interrupted);
		old = 0;
		seen = 0
	   }
	:: atomic { ops >= 0 -> ended++; break }
	od
}

/* ltt_cursor_doze() of a reader that had seen nothing to read at some time */
proctype another()
{
	byte times;

	do
	:: atomic { times < OTHERS -> times++; cur = NONE }
	:: atomic { times >= 0 -> break }
	od
}

/* All that is committed, and all losses, if there is nothing behind them */
inline read_all()
{
	atomic { pos = frontier; seen_lost = (write_pos == pos -> lost : seen_lost) }
}

/* ltt_cursor_doze() */
inline doze()
{
	atomic {
		dozing = write_pos == pos && lost == seen_lost;
		noted_pos = pos
	}
	if
	:: !dozing
	:: dozing && mutant == M_STIRS_LATE ->
	   cur = NONE;
	   noted_stirs = stirs
	:: dozing && mutant != M_STIRS_LATE ->
	   noted_stirs = stirs;
	   cur = NONE
	fi
}

/* Of what a reader does between its looks, here is what matters. */
inline grace_period()
{
	d_step {
		waited_for[TASK] = section[TASK];
		waited_for[IRQ] = section[IRQ];
		before = write_pos;
		lost_before = lost
	}
}

inline wait_for_it()
{
	if
	:: mutant == M_NO_GRACE_PERIOD
	:: mutant != M_NO_GRACE_PERIOD ->
	   if
	   :: true
	   :: atomic { !rests -> read_all() }	/* while it waits */
	   fi;
	   !waited_for[TASK] && !waited_for[IRQ]
	fi
}

/* ltt_reader_stirred(), of a buffer at rest */
inline stirred()
{
	if
	:: mutant == M_LOOK_FIRST ->
	   moved = (stirs != noted_stirs);
	   atomic { told = (count != seen_count); seen_count = count }
	:: atomic { mutant != M_LOOK_FIRST -> told = (count != seen_count); seen_count = count }
	   if
	   :: mutant == M_LOOK_AT_WRITE -> moved = (write_pos != pos || lost != seen_lost)
	   :: mutant != M_LOOK_AT_WRITE -> moved = (stirs != noted_stirs)
	   fi
	fi;
	rests = !(told && moved)
}

/* ltt_cursor_rests() */
inline settle()
{
	if
	:: mutant != M_LOOK_FIRST -> seen_count = count
	:: mutant == M_LOOK_FIRST
	fi;
	rests = (write_pos == pos) && (pos == noted_pos || mutant == M_NO_POS);
	rests = rests && (lost == seen_lost || mutant == M_NO_LOSS);
	rests = rests && (stirs == noted_stirs || mutant == M_NO_STIRS ||
			  mutant == M_CUR_INSTEAD);
	rests = rests && (mutant != M_CUR_INSTEAD || cur == NONE);
	if
	:: mutant == M_LOOK_FIRST -> seen_count = count
	:: mutant != M_LOOK_FIRST
	fi
}

proctype reader()
{
	byte rounds, pos, seen_lost, seen_count, noted_pos, noted_stirs, before, lost_before;
	bit dozing, rests, told, moved;

	do
	:: atomic { rounds < ROUNDS -> rounds++ }
	   if
	   :: rests ->
	      grace_period();
	      wait_for_it();
	      stirred()
	   :: !rests ->
	      read_all();
	      if
	      :: mutant == M_DOZE_LATE ->
		 grace_period();
		 doze()
	      :: mutant != M_DOZE_LATE ->
		 doze();
		 grace_period()
	      fi;
	      wait_for_it();
	      if
	      :: dozing -> settle()
	      :: !dozing
	      fi
	   fi;
	   /* The watermark passes what was before the grace period. */
	   assert(!rests || (pos >= before && seen_lost >= lost_before));
	   d_step {
		noted_pos = 0; before = 0; lost_before = 0;
		dozing = 0; told = 0; moved = 0
	   }
	:: atomic { ended == WRITERS -> break }
	od;
	assert(!rests || seen_count != count || (pos == write_pos && seen_lost == lost))
}

init
{
	atomic {
		c_code {
			if (getenv("MUTANT"))
				now.mutant = atoi(getenv("MUTANT"));
		};
		run writer(TASK_OPS);
		run writer(IRQ_OPS);
		run another();
		run reader()
	}
}
