// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: which events a reader causes by reading.
 */

/**
 * DOC: the reader's own events
 *
 * Whoever reads the scheduler's events finds that he went to sleep and woke up, and that the
 * thread of RCU did, which brought the grace period to an end. If he waited for another grace
 * period to read that, there would be more of it to read, and so on, three hundred times a
 * second on a machine where nothing else happens. So while all that is unread are such events,
 * the reader starts no grace period: it shows them with the next event of somebody else, or
 * after OWN_MAX (reader.c).
 *
 * It only matters whether a grace period is started, never what may be emitted. If an event is
 * taken for the reader's own, it and those after it are shown later, and in order.
 *
 * An event that names no task belongs to the one before it on its CPU: where waking up an idle
 * CPU needs no interrupt, sched_wake_idle_without_ipi follows whoever is woken. What follows
 * nothing is somebody else's.
 */

#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/ltt/reader.h>

#include "reader_event.h"
#include "reader_own.h"

/* The name of the thread that runs grace periods depends on the kernel's preemption. */
static bool runs_grace_periods(const struct task_struct *task)
{
	return task->flags & PF_KTHREAD &&
	       (!strcmp(task->comm, "rcu_preempt") || !strcmp(task->comm, "rcu_sched"));
}

/* Tiny RCU has none. */
static pid_t find_gp_task(void)
{
	struct task_struct *task;
	pid_t pid = -1;

	rcu_read_lock();
	for_each_process(task) {
		if (runs_grace_periods(task)) {
			pid = task->pid;
			break;
		}
	}
	rcu_read_unlock();
	return pid;
}

/* Of an idle task, which only switches, the PID is 0. Elsewhere that means something else. */
static bool is_own_task(const struct ltt_reader *reader, const char *field, u64 pid)
{
	if (!pid)
		return !strcmp(field, "prev_pid") || !strcmp(field, "next_pid");
	return pid == current->pid || pid == reader->gp_task;
}

static bool names_task(const struct ltt_field *field)
{
	size_t len = strlen(field->name);

	return field->store == LTT_STORE_INT && len >= 3 && !strcmp(field->name + len - 3, "pid") &&
	       (len == 3 || field->name[len - 4] == '_');
}

/* All tasks that it names are the reader's own; or it names none, and @own is the answer. */
static bool is_own(const struct ltt_reader *reader, const struct ltt_reader_event *event, bool own)
{
	const struct ltt_event *type = event->tevent->event;
	const u8 *p = event->fields, *end = p + event->size;
	const struct ltt_field *field;
	u64 value = 0;
	unsigned int i;
	long size;

	if (strcmp(type->channel->name, "sched"))
		return false;
	for (i = 0; i < type->format->nr_fields; i++) {
		field = &type->format->fields[i];
		size = ltt_field_size(field, p, end - p, false, &value);
		if (size < 0)
			return false;
		if (names_task(field)) {
			if (!is_own_task(reader, field->name, value))
				return false;
			own = true;
		}
		p += size;
	}
	return own;
}

/* Each event is looked at once. */
static bool only_own(struct ltt_reader *reader, struct ltt_reader_stream *stream)
{
	struct ltt_cursor *cursor = &stream->cursor;
	struct ltt_reader_event event = { };
	size_t avail, at = 0;
	unsigned long begin;
	const u8 *p;
	long size;

	/* All of it is lost, which the owner has to find himself. */
	if (READ_ONCE(cursor->buf->broken))
		return false;
	avail = ltt_cursor_window(cursor, &p);
	begin = cursor->mark.pos;
	event.ts = cursor->mark.ts;
	/* Losses; or more than there is in this packet. */
	if (cursor->lost || !avail || begin + avail != READ_ONCE(cursor->buf->write))
		return false;
	if (stream->own.pos - begin <= avail) {
		at = stream->own.pos - begin;
		event.ts = stream->own.ts;
	}
	for (; at < avail; at += size) {
		size = ltt_reader_decode(stream, p + at, avail - at, LTT_WATERMARK_END, &event);
		if (size <= 0 || !is_own(reader, &event, at))
			return false;
	}
	stream->own.pos = begin + at;
	stream->own.ts = event.ts;
	return true;
}

/**
 * ltt_reader_only_own() - has all that is unread been caused by reading?
 * @reader:	the reader; windows of the owner are to be taken anew
 *
 * Context: task, the reader; does not sleep.
 * Return: true if nobody else is to be seen in it.
 */
bool ltt_reader_only_own(struct ltt_reader *reader)
{
	struct ltt_reader_stream *stream;
	bool own, pinned;
	unsigned int i;

	/* In poll(2), the reader is a worker, and all sorts of work may be its own. */
	if (current->flags & PF_WQ_WORKER)
		return false;
	if (!reader->gp_task)
		reader->gp_task = find_gp_task();
	for (i = 0; i < reader->nr_active; i++) {
		stream = reader->active[i];
		if (!ltt_cursor_expecting(&stream->cursor))
			continue;
		/* What the owner has pinned stays so: he may look at it once more. */
		pinned = stream->cursor.pinned;
		own = only_own(reader, stream);
		if (!pinned)
			ltt_cursor_release(&stream->cursor);
		if (!own)
			return false;
	}
	return true;
}
