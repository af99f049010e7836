/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The watermark: kernel/trace/ltt-core/reader/reader.c, "DOC: the watermark".
 *
 * Two CPUs with a buffer each. On CPU 0 a task is interrupted, at any step, by a writer that
 * nests; on CPU 1 there is a task, whose buffer is new: it is announced while the reader
 * is at work. What a section with preemption disabled and a grace period of RCU are to each
 * other is taken for granted: a grace period begins at some time after it was asked for,
 * and ends when all sections have ended that were there when it began.
 *
 * The clock of CPU 1 is ahead by MARGIN, and that is where the reader is: so its watermarks are
 * the highest that can be. Between two readings time goes on, or not.
 *
 * Shown for all ways to interleave them: what the reader emits is in the order of (time,
 * CPU, position), nothing comes late, all is whole, and in the end everything has come.
 */

#ifndef MARGIN
#define MARGIN	1
#endif
#ifndef TASK0_OPS
#define TASK0_OPS	1
#endif
#ifndef IRQ0_OPS
#define IRQ0_OPS	1
#endif
#ifndef TASK1_OPS
#define TASK1_OPS	1
#endif
#ifndef ROUNDS
#define ROUNDS	1		/* watermarks while writers are there */
#endif
#ifndef TICKS
#define TICKS	3
#endif

#define M_NO_GRACE_PERIOD	60	/* the reader does not wait */
#define M_T_LATE		61	/* the time is taken when the grace period has ended */
#define M_NO_MARGIN		62	/* W = T */
#define M_NO_TIE		63	/* W = T - margin */
#define M_CLOCK_OUTSIDE		64	/* writers read the clock before their section */
#define M_COMMIT_OUTSIDE	65	/* writers commit after their section */
#define M_OLD_TIME		66	/* a failed cmpxchg does not read the clock again */
#define M_RESCAN_EARLY		67	/* new buffers are looked for before the time is taken */
#define M_BEYOND		68	/* everything that is committed is emitted */
#define M_ANNOUNCE_LATE		69	/* a buffer is announced after writers were let in */

#define TASK0	1		/* processes, in the order in which they are started */
#define IRQ0	2
#define TASK1	3
#define WRITERS	3
#define EVENTS	4		/* at most, of a CPU */
#define CPU_OF(pid)	(pid == TASK1)
#define EVENT(cpu, pos)	((cpu) * EVENTS + (pos))
#define END	255		/* LTT_WATERMARK_END */

c_decl {
\#include <stdlib.h>
};

byte mutant;			/* from the environment, so that one compilation is for all */

byte real = MARGIN + 1;		/* the time */

/* Only readings of it show how much time has gone by. */
inline read_clock(cpu, to)
{
	if
	:: true
	:: real < MARGIN + 1 + TICKS -> real++
	:: real + MARGIN < MARGIN + 1 + TICKS -> real = real + MARGIN + 1
	fi;
	to = real + (cpu == 0 -> 0 : MARGIN)
}

byte write_pos[2], frontier[2];
byte stamp[2 * EVENTS];
bit stored[2 * EVENTS];
bit layout;			/* the buffer of CPU 1 is announced */
bit let_in;			/* and its writers are let in */
byte ended;			/* writers that are done */

bit interrupted;		/* CPU 0 runs the process IRQ0 */
bit section[WRITERS + 1];	/* with preemption disabled */
bit waited_for[WRITERS + 1];	/* by the grace period */

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

/* reserve(), what is stored, ltt_commit() */
inline record(cpu)
{
	if
	:: atomic { mutant == M_CLOCK_OUTSIDE -> read_clock(cpu, ts) }
	   atomic { enter_section(); old = write_pos[cpu] }
	:: atomic { mutant != M_CLOCK_OUTSIDE -> enter_section(); old = write_pos[cpu] }
	fi;
	if
	:: mutant == M_CLOCK_OUTSIDE
	:: atomic { mutant != M_CLOCK_OUTSIDE -> read_clock(cpu, ts) }
	fi;
	do
	:: atomic { write_pos[cpu] == old ->
		    stamp[EVENT(cpu, old)] = ts;
		    write_pos[cpu] = old + 1;
		    break }
	:: atomic { write_pos[cpu] != old -> old = write_pos[cpu] }
	   if
	   :: mutant == M_OLD_TIME
	   :: atomic { mutant != M_OLD_TIME -> read_clock(cpu, ts) }
	   fi
	od;
	atomic {
		stored[EVENT(cpu, old)] = true;
		if
		:: mutant == M_COMMIT_OUTSIDE -> leave_section()
		:: mutant != M_COMMIT_OUTSIDE
		fi
	}
	if
	:: atomic { frontier[cpu] == old ->
		    old = write_pos[cpu] }
	   do
	   :: frontier[cpu] = old;
	      if
	      :: atomic { write_pos[cpu] == old -> break }
	      :: atomic { write_pos[cpu] != old -> old = write_pos[cpu] }
	      fi
	   od
	:: frontier[cpu] != old
	fi;
	leave_section()
}

proctype writer(byte ops) provided (_pid != TASK0 || !interrupted)
{
	byte ts, old;

	do
	:: atomic { ops > 0 && (_pid != TASK1 || let_in) ->
		    ops--;
		    interrupted = (_pid == IRQ0 -> true : interrupted) }
	   record(CPU_OF(_pid));
	   d_step {
		interrupted = (_pid == IRQ0 -> false : interrupted);
		ts = 0;
		old = 0
	   }
	:: atomic { ops == 0 -> ended++; break }
	od
}

/* ltt_buffer_publish(), and what lets writers in after that */
proctype publisher()
{
	if
	:: mutant == M_ANNOUNCE_LATE -> let_in = true; layout = true
	:: atomic { mutant != M_ANNOUNCE_LATE -> layout = true; let_in = true }
	fi
}

/* start_grace_period(), poll_grace_period() */
inline grace_period()
{
	if
	:: mutant == M_NO_GRACE_PERIOD
	:: d_step { mutant != M_NO_GRACE_PERIOD ->
		    waited_for[TASK0] = section[TASK0];
		    waited_for[IRQ0] = section[IRQ0];
		    waited_for[TASK1] = section[TASK1] }
	   !waited_for[TASK0] && !waited_for[IRQ0] && !waited_for[TASK1]
	fi
}

/* Merge what is in the buffers up to the watermark. */
inline emit()
{
	do
	:: limit[0] = frontier[0];
	   limit[1] = (known -> frontier[1] : 0);
	   atomic {
		seen[0] = pos[0] < limit[0] && (stamp[EVENT(0, pos[0])] <= watermark ||
						mutant == M_BEYOND);
		seen[1] = pos[1] < limit[1] && (stamp[EVENT(1, pos[1])] <= watermark ||
						mutant == M_BEYOND);
		if
		:: !seen[0] && !seen[1] -> break
		:: seen[0] && (!seen[1] || stamp[EVENT(0, pos[0])] <=
					   stamp[EVENT(1, pos[1])]) -> cpu = 0
		:: seen[1] && (!seen[0] || stamp[EVENT(0, pos[0])] >
					   stamp[EVENT(1, pos[1])]) -> cpu = 1
		fi;
		assert(stored[EVENT(cpu, pos[cpu])]);
		assert(stamp[EVENT(cpu, pos[cpu])] > last_ts ||
		       (stamp[EVENT(cpu, pos[cpu])] == last_ts && cpu >= last_cpu));
		last_ts = stamp[EVENT(cpu, pos[cpu])];
		last_cpu = cpu;
		pos[cpu]++;
		cpu = 0
	   }
	od
}

proctype reader()
{
	byte rounds, now, watermark, cpu, last_ts, last_cpu;
	byte pos[2], limit[2];
	bit dead, known, seen[2];

	do
	:: atomic { rounds < ROUNDS || ended == WRITERS ->
		    dead = (ended == WRITERS);	/* then what is read now is all */
		    rounds++ }
	   if
	   :: atomic { mutant == M_RESCAN_EARLY -> known = layout }
	      atomic { read_clock(1, now) }
	   :: atomic { mutant != M_RESCAN_EARLY -> read_clock(1, now) }
	   fi;
	   grace_period();
	   if
	   :: atomic { mutant == M_T_LATE -> read_clock(1, now) }
	   :: mutant != M_T_LATE
	   fi;
	   if
	   :: atomic { mutant != M_RESCAN_EARLY || dead -> known = layout }
	   :: mutant == M_RESCAN_EARLY && !dead
	   fi;
	   atomic {
		if
		:: dead -> watermark = END
		:: !dead && mutant == M_NO_MARGIN -> watermark = now
		:: !dead && mutant == M_NO_TIE -> watermark = now - MARGIN
		:: !dead && mutant != M_NO_MARGIN && mutant != M_NO_TIE ->
		   watermark = now - MARGIN - 1
		fi;
		now = 0
	   }
	   emit();
	   if
	   :: atomic { dead -> break }
	   :: atomic { !dead -> watermark = 0; limit[0] = 0; limit[1] = 0;
		       seen[0] = 0; seen[1] = 0 }
	   fi
	od;
	assert(pos[0] == TASK0_OPS + IRQ0_OPS && pos[1] == TASK1_OPS)
}

init
{
	atomic {
		c_code {
			if (getenv("MUTANT"))
				now.mutant = atoi(getenv("MUTANT"));
		};
		run writer(TASK0_OPS);
		run writer(IRQ0_OPS);
		run writer(TASK1_OPS);
		run publisher();
		run reader()
	}
}
