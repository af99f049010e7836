/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Passing by a CPU that is stuck: kernel/trace/ltt-core/reader/reader_pass.c, pass_by() of
 * reader.c, put_silent() and put_late() of kernel/trace/textout/text.c.
 *
 * Two CPUs with a buffer each, and a task on each that records. On CPU 0 the interrupt that asks
 * comes at any step of the task, or too late, and a writer nests, as an NMI would, at any step
 * of both; and the task may stop for ever in the middle of an event. CPU 1 takes the
 * interrupt at once. The reader takes a time, waits for a grace period, has the CPUs asked, and
 * merges; a round ends at any time, whoever has answered. Another reader has asked before.
 * Clocks and grace periods as in watermark.pml. An idle CPU, and that of the reader, answer as one
 * whose task is in no event when it is asked.
 *
 * Shown for all ways to interleave them: an event earlier than one that was emitted has a
 * notice before it; and before that other event, something tells that the CPU does not answer.
 * When nothing moves any more, all that is committed is out, and only a CPU
 * that was stopped in the middle of an event has not answered.
 *
 * With MOVES the interrupt proves more, in a way that the code does not use: where frontier is
 * write, it moves write, so that a writer that has read the clock, but has not reserved yet,
 * starts anew.
 */

#ifndef MARGIN
#define MARGIN	1
#endif
#ifndef TASK0_OPS
#define TASK0_OPS	1
#endif
#ifndef NMI0_OPS
#define NMI0_OPS	1
#endif
#ifndef TASK1_OPS
#define TASK1_OPS	1
#endif
#ifndef ROUNDS
#define ROUNDS	1		/* in which CPUs are asked while writers are there */
#endif
#ifndef PERIODS
#define PERIODS	1		/* grace periods */
#endif
#ifndef TICKS
#define TICKS	2
#endif

#define M_ANY			100	/* the interrupt answers whatever it finds */
#define M_NOT_MOVED		101	/* it answers where frontier is write, and moves nothing */
#define M_UNDER_WAY		102	/* it moves write, and answers, where frontier is not write */
#define M_T_LATE		103	/* the time is taken after the round has begun */
#define M_ANY_ROUND		104	/* the answer to the round before is taken for one */
#define M_NO_MARGIN		105	/* W = T */
#define M_NO_TIE		106	/* W = T - margin */
#define M_CLOCK_OUTSIDE		107	/* writers read the clock before their section */
#define M_COMMIT_OUTSIDE	108	/* writers commit after their section */
#define M_NO_NOTICE		109	/* nothing stands before late events */
#define M_NOT_TOLD		110	/* nothing tells of a CPU that does not answer */
#define M_TOLD_LATE		111	/* what tells of it comes after the events */
#define M_FORGET_ANY		112	/* a grace period older than the round ends silence */
#define M_NOT_AGAIN		113	/* an interrupt that proves nothing is the last one */
#define M_WAIT_FOR_ALL		114	/* a round ends when all have answered */

#define TASK0	1		/* processes, in the order in which they are started */
#define NMI0	2
#define TASK1	3
#define WRITERS	3
#define EVENTS	6		/* at most, of a CPU, with what moves write */
#define CPU_OF(pid)	(pid == TASK1)
#define EVENT(cpu, pos)	((cpu) * EVENTS + (pos))
#define KEY(ts, cpu)	((ts) * 2 + (cpu))
#define LAST	100		/* a time after all others */

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
bit moved[2 * EVENTS];		/* no event, write was moved */
bit done[WRITERS + 1];		/* writers that will not begin any more */
bit stopped;			/* the task of CPU 0 is, for ever */

bit in_nmi;			/* CPU 0 runs the process NMI0 */
bit in_ask;			/* CPU 0 is in the interrupt that asks */
bit section[WRITERS + 1];	/* with preemption disabled */
bit waited_for[WRITERS + 1];	/* by the grace period */

byte rounds;
byte answered;			/* struct ask of CPU 0 */
bit busy = true;		/* another reader has asked */

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

/* The outermost one publishes all that nested into it: ltt_commit(), in writers.pml step by step. */
inline commit(cpu)
{
	frontier[cpu] = (frontier[cpu] == old -> write_pos[cpu] : frontier[cpu])
}

/* reserve(), ltt_commit(); what nobody can tell apart is one step */
inline record(cpu)
{
	if
	:: atomic { mutant == M_CLOCK_OUTSIDE -> read_clock(cpu, ts) }
	   atomic { enter_section(); old = write_pos[cpu] }
	:: atomic { mutant != M_CLOCK_OUTSIDE ->
		    enter_section();
		    old = write_pos[cpu];
		    read_clock(cpu, ts) }
	fi;
	do
	:: atomic { write_pos[cpu] == old ->
		    stamp[EVENT(cpu, old)] = ts;
		    write_pos[cpu] = old + 1;
		    ts = 0;
		    break }
	:: atomic { write_pos[cpu] != old -> old = write_pos[cpu]; read_clock(cpu, ts) }
	od;
	if
	:: atomic { mutant == M_COMMIT_OUTSIDE -> leave_section() }
	   d_step { commit(cpu) }
	:: atomic { mutant != M_COMMIT_OUTSIDE -> commit(cpu); leave_section() }
	fi
}

proctype writer(byte ops) provided (_pid != TASK0 || !(in_ask || in_nmi || stopped))
{
	byte ts, old;

	do
	:: atomic { ops > 0 ->
		    ops--;
		    in_nmi = (_pid == NMI0 -> true : in_nmi) }
	   record(CPU_OF(_pid));
	   d_step { in_nmi = (_pid == NMI0 -> false : in_nmi); old = 0 }
	:: atomic { ops == 0 -> done[_pid] = true; break }
	od
}

/* CPU 0 never leaves the kernel again, in the middle of an event; elsewhere nobody minds. */
proctype fate()
{
end:	section[TASK0] -> stopped = true
}

/* no_writer_below() */
#ifdef MOVES
#define NO_WRITER_BELOW	(frontier[0] == write_pos[0] || mutant == M_UNDER_WAY)
#else
#define NO_WRITER_BELOW \
	(mutant == M_NOT_MOVED -> frontier[0] == write_pos[0] : !section[TASK0] || mutant == M_ANY)
#endif

/* close_open(), or what opens a sub-buffer and closes it */
inline move()
{
	do
	:: atomic { write_pos[0] == old ->
		    moved[EVENT(0, old)] = true;
		    write_pos[0] = old + 1;
		    break }
	:: atomic { write_pos[0] != old -> old = write_pos[0] }
	od;
	commit(0)
}

/* answer() */
proctype asked() provided (!in_nmi)
{
	byte round, old;
	bit proven;

end:	do
	:: atomic { busy ->
		    in_ask = true;
		    round = rounds;
		    old = write_pos[0];
		    proven = NO_WRITER_BELOW }
#ifdef MOVES
	   if
	   :: proven && mutant != M_NOT_MOVED -> move()
	   :: !proven || mutant == M_NOT_MOVED
	   fi;
#endif
	   d_step {
		answered = (proven -> round : answered);
		busy = (mutant == M_NOT_AGAIN && !proven);
		in_ask = false;
		round = 0;
		old = 0;
		proven = false
	   }
	   mutant != M_NOT_AGAIN || !busy
	od
}

/* ltt_clock_now() less the margin */
inline read_time(to)
{
	if
	:: dead -> to = LAST
	:: !dead -> read_clock(1, to)
	fi;
	if
	:: mutant == M_NO_MARGIN
	:: mutant == M_NO_TIE -> to = to - MARGIN
	:: mutant != M_NO_MARGIN && mutant != M_NO_TIE -> to = to - MARGIN - 1
	fi
}

/* begin_round() */
inline begin_round()
{
	if
	:: mutant == M_T_LATE ->
	   atomic { rounds++; round = rounds; running = true }
	   read_time(pass_watermark)
	:: atomic { mutant != M_T_LATE ->
		    read_time(pass_watermark);
		    rounds++;
		    round = rounds;
		    running = true }
	fi;
	atomic { waiting[0] = true; waiting[1] = true }
}

#define HAS_ANSWERED (answered >= round || (mutant == M_ANY_ROUND && answered + 1 >= round))

/* ask_all(); CPU 1 takes the interrupt at once */
inline ask()
{
	waiting[0] = waiting[0] && !HAS_ANSWERED;
	busy = busy || waiting[0];
	waiting[1] = waiting[1] && section[TASK1]
}

/* In the end there is time to ask until CPU 0, too, has taken the interrupt. */
inline ask_in_the_end()
{
	if
	:: mutant == M_WAIT_FOR_ALL
	:: mutant != M_WAIT_FOR_ALL ->
	   atomic { !busy -> ask() }	/* it may have been of an earlier round */
	   atomic { !busy -> ask(); busy = false }
	fi
}

/* ltt_pass_take(); watermark is that of both functions */
inline take()
{
	d_step {
		silent[0] = waiting[0];
		silent[1] = waiting[1];
		waiting[0] = false;
		waiting[1] = false;
		reached = pass_watermark;
		watermark = (pass_watermark > watermark -> pass_watermark : watermark);
		running = false;
		round = 0;
		pass_watermark = 0
	}
}

/* poll_grace_period(), ltt_pass_forget() */
inline forget()
{
	d_step {
		if
		:: next_watermark >= reached || mutant == M_FORGET_ANY ->
		   silent[0] = false;
		   silent[1] = false
		:: else
		fi;
		watermark = (next_watermark > watermark -> next_watermark : watermark);
		running = false;
		waiting[0] = false;
		waiting[1] = false;
		round = 0;
		pass_watermark = 0;
		gp_running = false;
		next_watermark = 0
	}
}

/* put_silent() */
inline tell()
{
	told[0] = silent[0] && mutant != M_NOT_TOLD;
	told[1] = silent[1] && mutant != M_NOT_TOLD
}

#define IS_DUE(cpu) \
	(pos[cpu] < frontier[cpu] && !moved[EVENT(cpu, pos[cpu])] && \
	 stamp[EVENT(cpu, pos[cpu])] <= watermark)

/* The user reads: the event stands where it may. */
inline check()
{
	assert(ts >= g_ts || g_late == cpu + 1);
	assert(KEY(ts, cpu) >= g_untold[cpu]);
	g_late = (ts >= g_ts -> 0 : g_late);
	g_ts = (ts > g_ts -> ts : g_ts);
	g_untold[0] = (!told[0] && KEY(ts, cpu) > g_untold[0] -> KEY(ts, cpu) : g_untold[0]);
	g_untold[1] = (!told[1] && KEY(ts, cpu) > g_untold[1] -> KEY(ts, cpu) : g_untold[1])
}

/* put_late() and its caller */
inline note_late()
{
	if
	:: ts >= text_ts -> late = 0
	:: ts < text_ts && late != cpu + 1 ->
	   late = cpu + 1;
	   g_late = (mutant == M_NO_NOTICE -> g_late : late)
	:: ts < text_ts && late == cpu + 1
	fi;
	text_ts = (ts > text_ts -> ts : text_ts)
}

/* emit(): merge what is in the buffers up to the watermark. What comes meanwhile waits. */
inline emit()
{
	do
	:: pos[0] < frontier[0] && moved[EVENT(0, pos[0])] -> pos[0]++
	:: pos[1] < frontier[1] && moved[EVENT(1, pos[1])] -> pos[1]++
	:: else ->
	   if
	   :: !IS_DUE(0) && !IS_DUE(1) -> break
	   :: IS_DUE(0) && (!IS_DUE(1) ||
			    stamp[EVENT(0, pos[0])] <= stamp[EVENT(1, pos[1])]) -> cpu = 0
	   :: IS_DUE(1) && (!IS_DUE(0) ||
			    stamp[EVENT(0, pos[0])] > stamp[EVENT(1, pos[1])]) -> cpu = 1
	   fi;
	   ts = stamp[EVENT(cpu, pos[cpu])];
	   note_late();
	   check();
	   stamp[EVENT(cpu, pos[cpu])] = 0;
	   pos[cpu]++;
	   cpu = 0;
	   ts = 0
	od
}

/* ltt_text_fill() */
inline put_lines()
{
	if
	:: mutant == M_TOLD_LATE -> emit(); tell()
	:: mutant != M_TOLD_LATE -> tell(); emit()
	fi
}

proctype reader()
{
	byte periods, next_watermark, watermark, round, pass_watermark, reached;
	byte cpu, ts, text_ts, late, g_ts, g_late;
	byte pos[2], g_untold[2];
	bit dead, gp_running, running;
	bit waiting[2], silent[2], told[2];

	do
	/* start_grace_period() */
	:: atomic { !gp_running && periods < PERIODS ->
		    periods++;
		    read_time(next_watermark);
		    waited_for[TASK0] = section[TASK0];
		    waited_for[NMI0] = section[NMI0];
		    waited_for[TASK1] = section[TASK1];
		    gp_running = true }
	/* poll_grace_period() */
	:: atomic { gp_running && !waited_for[TASK0] && !waited_for[NMI0] && !waited_for[TASK1] ->
		    forget();
		    put_lines() }
	/* pass_by() */
	:: gp_running && !running && rounds < ROUNDS -> begin_round()
	:: atomic { running && (waiting[0] || waiting[1]) -> ask() }
	:: atomic { running && (mutant != M_WAIT_FOR_ALL || !(waiting[0] || waiting[1])) ->
		    take();
		    put_lines() }
	/* Nobody will record any more. */
	:: atomic { (done[TASK0] || stopped) && done[NMI0] && done[TASK1] && !running ->
		    dead = true; break }
	od;
	begin_round();
	ask_in_the_end();
	atomic {
		mutant != M_WAIT_FOR_ALL || !(waiting[0] || waiting[1]) ->
		take();
		put_lines()
	}
#ifdef MOVES
	assert(!silent[1] && (!silent[0] || frontier[0] != write_pos[0]));
#else
	assert(!silent[1] && (!silent[0] || section[TASK0]));
#endif
	assert(pos[0] == frontier[0] && pos[1] == frontier[1]);
	assert(stopped || pos[0] == write_pos[0]);
	stopped = false		/* all processes end */
}

init
{
	atomic {
		c_code {
			if (getenv("MUTANT"))
				now.mutant = atoi(getenv("MUTANT"));
		};
		run writer(TASK0_OPS);
		run writer(NMI0_OPS);
		run writer(TASK1_OPS);
		run fate();
		run asked();
		run reader()
	}
}
