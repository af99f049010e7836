// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the declarations in the metadata of a trace.
 *
 * A trace's declarations are a list: first the preamble, for which the list's head
 * stands, then streams and events in the order in which they were first to be
 * recorded. It only grows. Its entries are parts of the trace's channels and events,
 * so that declaring cannot fail, and live as long as the trace does. metadata_file.c
 * turns the list into text.
 *
 * Fields that several events of a channel share (struct ltt_layout) are declared with the
 * first of these events in the trace; the declarations of the others refer to it.
 *
 * An event is declared before its call sites get their taps. A reader that has seen an
 * event, in any way, and then continues to read the metadata finds the declaration.
 *
 * Memory barriers
 * ---------------
 *   append:A / declaration_at:A (metadata_file.c)
 *	If a reader sees an entry, it sees what the entry says. RELEASE pairs with
 *	the address dependency.
 *
 *   append:A / declaration_at:A, the long way
 *	If a reader sees an event in a buffer, it sees the event's declaration. The
 *	entry is stored before taps are published (RELEASE in tap.c); the writer
 *	finds the taps before it commits (RELEASE of ltt_commit_only:A); the reader sees
 *	the event after ACQUIRE of ltt_cursor_window:A, and the list after that.
 */

#include <linux/lockdep.h>
#include <linux/rculist.h>
#include <linux/string.h>
#include <linux/utsname.h>

#include "core.h"

/*
 * The event with which the fields of @tevent are declared. Long formats make long
 * declarations, so it is worth looking for an existing one, which usually is close.
 */
static const struct ltt_trace_event *find_like(const struct ltt_trace_event *tevent)
{
	const struct ltt_layout *layout = tevent->event->layout;
	const struct ltt_declaration *other;

	if (!layout->is_long)
		return NULL;
	list_for_each_entry_reverse(other, &tevent->tchan->trace->declarations, node) {
		if (other->tchan == tevent->tchan->home && other->tevent &&
		    other->tevent->event->layout == layout)
			return other->like;
	}
	return tevent;
}

static void append(struct ltt_declaration *declaration, const struct ltt_trace_channel *tchan,
		   const struct ltt_trace_event *tevent)
{
	declaration->tchan = tchan;
	declaration->tevent = tevent;
	declaration->like = tevent ? find_like(tevent) : NULL;
	list_add_tail_rcu(&declaration->node,
			  &tchan->trace->declarations);		/* LMM(append:A) */
}

/**
 * ltt_declarations_init() - note what the preamble of a new trace says
 * @trace:	the trace; not visible to others yet, and its clock is in use
 *
 * Notes the current host name and calendar time, and the boot ID.
 *
 * Context: task.
 */
void ltt_declarations_init(struct ltt_trace *trace)
{
	trace->real_offset = ltt_clock_realtime_offset();
	ltt_boot_id_init();
	/* Modules cannot take the lock: a name that is being changed may be mixed up. */
	strscpy(trace->hostname, init_utsname()->nodename, sizeof(trace->hostname));
}

/**
 * ltt_declare() - add an event to the metadata of its trace
 * @tevent:	the event in the trace
 *
 * Call this before the event can be recorded. Its stream is declared before it.
 * Does nothing if it is declared already, or if the channel is private. Afterwards
 * wake ltt_trace.wait.
 *
 * Context: task, ltt_mutex held.
 */
void ltt_declare(struct ltt_trace_event *tevent)
{
	struct ltt_trace_channel *tchan = tevent->tchan->home;

	lockdep_assert_held(&ltt_mutex);
	if (tevent->declaration.tchan || tchan->channel->flags & LTT_CHANNEL_PRIVATE)
		return;
	if (!tchan->declaration.tchan)
		append(&tchan->declaration, tchan, NULL);
	append(&tevent->declaration, tchan, tevent);
}
