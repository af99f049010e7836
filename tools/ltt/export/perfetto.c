// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: export: the packets of a trace.
 *
 * A file is a sequence of packets, in the order of time. Successive events of a CPU are in one
 * packet, a bundle. System calls with decoded arguments are slices of their threads, in packets
 * of their own.
 *
 * Perfetto takes the times of events as those of CLOCK_BOOTTIME. Ours are of CLOCK_MONOTONIC, and
 * are written as they are: the file says that both clocks were the same. They differ by the
 * time that the machine was suspended.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/ondisk.h"
#include "export.h"

/* Bytes that are written at once, and those of a bundle. */
#define WRITE_SIZE	(1024u << 10)
#define BUNDLE_SIZE	(64u << 10)

#define LINE_SIZE	(64u << 10)

/* Numbers of fields. */
enum {
	TRACE_PACKET = 1,

	PACKET_BUNDLE = 1,		/* struct ftrace_events */
	PACKET_PROCESSES = 2,
	PACKET_CLOCKS = 6,
	PACKET_TIME = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_SYSTEM = 45,
	PACKET_TRACK = 60,

	BUNDLE_CPU = 1,
	BUNDLE_EVENT = 2,
	BUNDLE_LOST = 3,
	BUNDLE_DESCRIPTION = 11,

	EVENT_TIME = 1,
	EVENT_PID = 2,

	TRACK_EVENT_ANNOTATION = 4,
	TRACK_EVENT_TYPE = 9,
	TRACK_EVENT_TRACK = 11,
	TRACK_EVENT_NAME = 23,

	ANNOTATION_STRING = 6,
	ANNOTATION_NAME = 10,
};

enum {
	CLOCK_ID_REALTIME = 1,
	CLOCK_ID_MONOTONIC = 3,
	CLOCK_ID_BOOTTIME = 6,
};

enum {
	SLICE_BEGIN = 1,
	SLICE_END = 2,
};

/**
 * struct export - a file that is being written
 * @options:	what the user asked for
 * @ltt:	the traces
 * @kinds:	their kinds of events
 * @threads:	who runs
 * @out:	what has not been written yet
 * @fd:		the file
 * @packet:	the packet that is open, if @bundle is not 0
 * @bundle:	the bundle that is open; 0: none
 * @cpu:	its CPU
 * @lost:	by CPU: events were lost before the next one
 * @values:	fields of an event
 * @line:	of an event, in the style kv
 * @line_size:	bytes there
 * @started:	the first packets have been written
 */
struct export {
	struct export_options *options;
	struct libltt *ltt;
	struct kinds *kinds;
	struct threads threads;
	struct proto out;
	int fd;
	size_t packet;
	size_t bundle;
	uint32_t cpu;
	bool *lost;
	struct libltt_value *values;
	char *line;
	size_t line_size;
	bool started;
};

static size_t begin_packet(struct export *export)
{
	size_t packet = proto_begin(&export->out, TRACE_PACKET);

	proto_uint(&export->out, PACKET_SEQUENCE, 1);
	return packet;
}

static void end_packet(struct export *export, size_t packet)
{
	proto_end(&export->out, packet);
}

static void end_bundle(struct export *export)
{
	if (!export->bundle)
		return;
	proto_end(&export->out, export->bundle);
	end_packet(export, export->packet);
	export->bundle = 0;
}

/* A bundle to which an event of this CPU can be added. */
static void begin_bundle(struct export *export, uint32_t cpu)
{
	struct proto *out = &export->out;

	if (export->bundle && export->cpu == cpu && out->len - export->bundle < BUNDLE_SIZE &&
	    !export->lost[cpu])
		return;
	end_bundle(export);
	export->packet = begin_packet(export);
	export->bundle = proto_begin(out, PACKET_BUNDLE);
	export->cpu = cpu;
	proto_uint(out, BUNDLE_CPU, cpu);
	if (export->lost[cpu])
		proto_uint(out, BUNDLE_LOST, 1);
	export->lost[cpu] = false;
}

/* Return: 0 or a negative errno. */
static int flush(struct export *export, size_t at_least)
{
	int err;

	if (export->out.failed)
		return -ENOMEM;
	if (export->out.len < at_least)
		return 0;
	end_bundle(export);
	err = ondisk_write(export->fd, export->out.data, export->out.len);
	export->out.len = 0;
	return err;
}

/* ---- what the trace begins with ------------------------------------------------- */

static void put_clock(struct proto *out, unsigned int id, uint64_t time)
{
	size_t clock = proto_begin(out, 1);

	proto_uint(out, 1, id);
	proto_uint(out, 2, time);
	proto_end(out, clock);
}

static void put_clocks(struct export *export, uint64_t time)
{
	const struct libltt_trace *trace = libltt_trace(export->ltt, 0);
	size_t packet = begin_packet(export);
	size_t clocks = proto_begin(&export->out, PACKET_CLOCKS);

	put_clock(&export->out, CLOCK_ID_BOOTTIME, time);
	put_clock(&export->out, CLOCK_ID_MONOTONIC, time);
	put_clock(&export->out, CLOCK_ID_REALTIME, time + trace->real_offset);
	proto_end(&export->out, clocks);
	end_packet(export, packet);
}

/* The machine's name chooses Perfetto's names of system calls, the release how states are read. */
static void put_system(struct export *export, const char *machine)
{
	size_t packet = begin_packet(export);
	size_t system = proto_begin(&export->out, PACKET_SYSTEM);
	size_t utsname = proto_begin(&export->out, 1);

	proto_string(&export->out, 1, "Linux");
	proto_string(&export->out, 3, libltt_trace(export->ltt, 0)->release);
	proto_string(&export->out, 4, machine);
	proto_end(&export->out, utsname);
	proto_end(&export->out, system);
	end_packet(export, packet);
}

/* ---- threads and their system calls --------------------------------------------- */

/* What the state dump says of a thread. Return: 0 or -ENOMEM. */
static int put_process(struct export *export, const struct libltt_event *event)
{
	const struct libltt_class *class = event->kind;
	int32_t tid = kind_integer(export->values, kind_field(class, "tid", false));
	int32_t tgid = kind_integer(export->values, kind_field(class, "pid", false));
	int field = kind_field(class, "comm", false);
	struct proto *out = &export->out;
	size_t packet, processes, one;
	struct libltt_value comm;
	struct thread *thread;

	if (tid <= 0 || tgid <= 0 || field < 0)
		return 0;
	comm = export->values[field];
	if (comm.type != LIBLTT_STRING && comm.type != LIBLTT_BYTES)
		return 0;
	thread = threads_find(&export->threads, tid);
	if (!thread)
		return -ENOMEM;
	thread->tgid = tgid;
	end_bundle(export);
	packet = begin_packet(export);
	proto_uint(out, PACKET_TIME, event->time);
	processes = proto_begin(out, PACKET_PROCESSES);
	one = proto_begin(out, tid == tgid ? 1 : 2);
	proto_uint(out, 1, tid);
	if (tid == tgid) {
		proto_uint(out, 2, kind_integer(export->values, kind_field(class, "ppid", false)));
		kind_put_text(out, 3, comm.bytes, comm.count);
	} else {
		proto_uint(out, 3, tgid);
		kind_put_text(out, 2, comm.bytes, comm.count);
	}
	proto_end(out, one);
	proto_end(out, processes);
	end_packet(export, packet);
	return 0;
}

/* Numbers of tracks: of anything else there are none. */
static uint64_t track_of(int32_t tid)
{
	return (UINT64_C(1) << 32) + (uint32_t)tid;
}

/* Return: 0 or -ENOMEM. */
static int put_thread_track(struct export *export, int32_t tid)
{
	struct thread *thread = threads_find(&export->threads, tid);
	struct proto *out = &export->out;
	size_t packet, track, of;

	if (!thread)
		return -ENOMEM;
	if (thread->described)
		return 0;
	thread->described = true;
	packet = begin_packet(export);
	track = proto_begin(out, PACKET_TRACK);
	proto_uint(out, 1, track_of(tid));
	of = proto_begin(out, 4);
	proto_uint(out, 1, thread->tgid);
	proto_uint(out, 2, tid);
	proto_end(out, of);
	proto_end(out, track);
	end_packet(export, packet);
	return 0;
}

/* The fields of an event; none if there is no room for its line, which is told. */
static struct kind_line line_of(struct export *export, const struct libltt_event *event)
{
	long len = directory_line(export->ltt, event, &export->line, &export->line_size);
	const char *fields = len < 0 ? NULL : memmem(export->line, len, ": ", 2);

	if (len < 0)
		directory_left_out(&export->options->in, event, export->line_size);
	if (!fields)
		return (struct kind_line){ export->line, export->line };
	return (struct kind_line){ fields + 1, export->line + len - 1 };
}

/* With the names that flags and errors have. */
static void put_annotations(struct proto *out, struct kind_line line)
{
	struct libltt_word word;
	size_t annotation;

	while (kind_next(&line, &word)) {
		annotation = proto_begin(out, TRACK_EVENT_ANNOTATION);
		proto_bytes(out, ANNOTATION_NAME, word.name, word.name_len);
		proto_bytes(out, ANNOTATION_STRING, word.value, word.len);
		proto_end(out, annotation);
	}
}

/* A system call begins or ends a slice of its thread. Return: 0 or a negative errno. */
static int put_call(struct export *export, const struct kind *kind,
		    const struct libltt_event *event, int32_t tid)
{
	struct proto *out = &export->out;
	size_t packet, slice;
	struct kind_line line = line_of(export, event);
	int err;

	end_bundle(export);
	err = put_thread_track(export, tid);
	if (err)
		return err;
	packet = begin_packet(export);
	proto_uint(out, PACKET_TIME, event->time);
	slice = proto_begin(out, PACKET_TRACK_EVENT);
	proto_uint(out, TRACK_EVENT_TYPE, kind->of == KIND_CALL ? SLICE_BEGIN : SLICE_END);
	proto_uint(out, TRACK_EVENT_TRACK, track_of(tid));
	if (kind->of == KIND_CALL)
		proto_string(out, TRACK_EVENT_NAME, kind->class->marker);
	put_annotations(out, line);
	proto_end(out, slice);
	end_packet(export, packet);
	return 0;
}

/* ---- events ---------------------------------------------------------------------- */

static void put_in_bundle(struct export *export, struct kind *kind,
			  const struct libltt_event *event, int32_t tid)
{
	struct kind_line line = { };
	struct proto *out = &export->out;
	size_t message, inner;

	if (kind->has_text)
		line = line_of(export, event);
	begin_bundle(export, event->cpu);
	if (kind->of != KIND_KNOWN && !kind->described) {
		message = proto_begin(out, BUNDLE_DESCRIPTION);
		kind_describe(out, kind);
		proto_end(out, message);
		kind->described = true;
	}
	message = proto_begin(out, BUNDLE_EVENT);
	/* Perfetto is quick with this order. */
	proto_uint(out, EVENT_TIME, event->time);
	proto_uint(out, EVENT_PID, (uint32_t)tid);
	inner = proto_begin(out, kind->number);
	kind_put(out, kind, event, export->values, line);
	proto_end(out, inner);
	proto_end(out, message);
}

/* Return: 0 or a negative errno. */
static int put_event(struct export *export, const struct libltt_event *event)
{
	struct kind *kind = kinds_find(export->kinds, event->kind);
	int32_t *running = &export->threads.running[event->cpu];
	int32_t tid = *running;

	if (libltt_fields(event, export->values))
		return 0;
	if (kind->tid != KIND_NO_FIELD)
		tid = kind_integer(export->values, kind->tid);
	else if (kind->is_switch)
		tid = kind_integer(export->values, kind->prev);
	if (kind->is_switch)
		*running = kind_integer(export->values, kind->next);
	if (kind->hidden)
		return 0;
	if (kind->of == KIND_PROCESS)
		return put_process(export, event);
	/* A slice must have a thread. */
	if ((kind->of == KIND_CALL || kind->of == KIND_RETURN) && tid)
		return put_call(export, kind, event, tid);
	put_in_bundle(export, kind, event, tid);
	return 0;
}

/* Return: 0 or a negative errno. */
static int put_all(struct export *export, const struct export_options *options)
{
	struct libltt_event event;
	int status, err = 0;
	uint32_t cpu;

	while (!err && (status = libltt_next(export->ltt, &event)) > 0) {
		if (!export->started) {
			put_clocks(export, event.time);
			put_system(export, options->machine);
			export->started = true;
		}
		if (!threads_know_cpu(&export->threads, &event))
			continue;
		if (event.kind)
			err = put_event(export, &event);
		else
			export->lost[event.cpu] = true;
		err = err ?: flush(export, WRITE_SIZE);
	}
	/* What is lost after the last event of a CPU. */
	for (cpu = 0; export->started && !err && cpu < export->threads.nr_cpus; cpu++) {
		if (export->lost[cpu])
			begin_bundle(export, cpu);
	}
	end_bundle(export);
	return err ?: status ?: flush(export, 1);
}

static int export_open(struct export *export, struct export_options *options)
{
	options->in.style = "kv";
	export->ltt = directory_open(&options->in);
	if (!export->ltt)
		return -1;
	export->kinds = kinds_create(export->ltt, options);
	if (!export->kinds || threads_init(&export->threads, export->ltt, options))
		return -1;
	export->lost = calloc(export->threads.nr_cpus + 1, sizeof(*export->lost));
	export->line_size = LINE_SIZE;
	export->line = malloc(LINE_SIZE);
	export->values = calloc(kinds_most_fields(export->kinds) + 1, sizeof(*export->values));
	return export->lost && export->line && export->values ? 0 : -1;
}

/**
 * export_perfetto() - write a trace for Perfetto
 * @options:	what the user asked for
 * @fd:		the file
 *
 * Says what is wrong.
 *
 * Return: how much of it was written.
 */
enum export_result export_perfetto(struct export_options *options, int fd)
{
	struct export export = { .options = options, .fd = fd };
	int err = export_open(&export, options);
	bool complete;

	if (!err) {
		err = put_all(&export, options);
		if (err)
			fprintf(stderr, "%s: %s: %s\n", options->in.command,
				options->output ?: "standard output", strerror(-err));
	}
	complete = export.ltt && directory_close(export.ltt, &options->in);
	complete &= !export.threads.left_out;
	kinds_free(export.kinds);
	threads_free(&export.threads);
	proto_free(&export.out);
	free(export.lost);
	free(export.values);
	free(export.line);
	return err ? EXPORT_FAILED : complete ? EXPORT_ALL : EXPORT_PART;
}
