// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the last events of traces in the kernel's log.
 */

/**
 * DOC: the last N events
 *
 * Events can only be decoded forward, from the beginning of a packet. So each buffer is searched
 * for those of its events that may be among the last N of all: from the newest packets that
 * together hold N events, or that begin before the earliest of the N that are known so far,
 * up to the frontier. The last N of the buffer come out in order, and are merged with those of
 * the buffers before it; N of both are kept. In the end the list holds for each line of
 * text where its event is, and the events are rendered one by one.
 *
 * That takes memory for 3 N entries, however many buffers there are, and time for each buffer
 * that depends on the size of its sub-buffers. How many events a packet holds is known from
 * the counters of its slot; they only say where to begin.
 *
 * Nothing is read in place, and nothing is changed: bytes are copied, and count only if
 * horizon says afterwards that writers have not got there (see open_slot:B in ring_buffer.c; it
 * moves in discard mode, too). Neither cursors nor what others have read matter. An event that
 * is overwritten while the list is being made, or before it is rendered, is missing in the text,
 * which is told. At a panic there are no writers, and that does not happen.
 *
 * Behind the frontier there may be events of writers that have been interrupted, and of those
 * that nested into them: these are not shown, and told, too.
 *
 * What is read may be anything if memory has been damaged: sizes are checked, loops have an end.
 */

#include <linux/err.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/nmi.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/ltt/context.h>
#include <linux/ltt/decode.h>
#include <linux/ltt/dump.h>
#include <linux/ltt/ring_buffer.h>
#include <linux/ltt/symbol.h>
#include <linux/ltt/trace.h>

#include "lib/style.h"
#include "textout.h"

/* Bytes that are copied at a time; larger events are not shown. */
#define WINDOW		(64u * 1024)

/* Most bytes of a line, and as many again for what rendering needs. */
#define LINE		(16u * 1024)

/* What printk() takes as one line on all kernels. */
#define PRINTK_LINE	960u

/* Programs that render kinds of events: bytes, and log2 of how many. */
#define PROGRAMS	(64u * 1024)
#define KINDS_BITS	6

/* Notices of one sort. */
#define NOTICES		16u

/**
 * struct entry - an event
 * @ts:		ns
 * @pos:	position of its header
 * @tchan:	the channel that has the buffer
 * @cpu:	whose buffer it is
 * @id:		kind of event
 * @header:	bytes of the header
 * @size:	bytes after that
 * @lost:	events that were lost right before
 */
struct entry {
	u64 ts;
	unsigned long pos;
	struct ltt_trace_channel *tchan;
	u32 cpu;
	u32 id;
	u32 header;
	u32 size;
	unsigned long lost;
};

/**
 * struct kind - a program that renders a kind of event
 * @tevent:	the kind of event; NULL: no program
 * @text:	the program
 */
struct kind {
	const struct ltt_trace_event *tevent;
	struct ltt_event_text *text;
};

/**
 * struct memory - all that a dump needs
 * @best:	the last events of the buffers so far, in order
 * @run:	those of the buffer that is being searched, a ring
 * @spare:	room for merging both
 * @window:	a copy of what is being decoded
 * @line:	a line
 * @programs:	memory of programs
 * @kinds:	programs, by a hash
 */
struct memory {
	struct entry *best;
	struct entry *run;
	struct entry *spare;
	u8 *window;
	char *line;
	u8 *programs;
	struct kind kinds[1u << KINDS_BITS];
};

/**
 * struct stream - the buffer that is being searched
 * @buf:	the buffer
 * @tchan:	its channel
 * @cpu:	its CPU
 * @frontier:	frontier as it was in the beginning
 * @lost:	events lost before the packet that was last seen
 * @first:	no packet was seen
 * @id:		kind of event that was last looked up
 * @tevent:	the kind
 * @nr:		events that were put into memory.run
 * @next:	where the next one goes
 */
struct stream {
	const struct ltt_buf *buf;
	struct ltt_trace_channel *tchan;
	unsigned int cpu;
	unsigned long frontier;
	unsigned long lost;
	bool first;
	u32 id;
	const struct ltt_trace_event *tevent;
	unsigned long nr;
	unsigned int next;
};

/**
 * struct state - a dump that is under way
 * @dump:	what is wanted
 * @memory:	its memory
 * @out:	the line that is being made
 * @cpu:	CPU of the event in the line
 * @ts:		ns, time of the event in the line, for its symbols
 * @nr:		entries of memory.best
 * @programs:	bytes of memory.programs in use
 * @deadline:	ns, when it has to end
 * @here:	events that are in the buffers
 * @unseen:	buffers that were not searched for lack of time
 * @told:	notices about buffers
 * @overwritten: events that were chosen, but overwritten
 * @unfit:	events that could not be shown
 * @shown:	events that were shown
 */
struct state {
	const struct ltt_dump *dump;
	struct memory *memory;
	struct ltt_textbuf out;
	struct ltt_cpu_text cpu;
	u64 ts;
	unsigned int nr;
	size_t programs;
	u64 deadline;
	unsigned long here;
	unsigned long unseen;
	unsigned int told;
	unsigned long overwritten;
	unsigned long unfit;
	unsigned long shown;
};

/* Of modules as they are now, in any context: see struct ltt_textbuf. */
static const u64 atomically = LTT_SYMBOL_ATOMIC;

/* At a crash, consoles show every level. */
#define say(fmt, ...)	pr_notice("# " fmt "\n", ##__VA_ARGS__)

static bool late(const struct state *state)
{
	touch_nmi_watchdog();
	if (state->dump->may_sleep)
		cond_resched();
	return ktime_get_mono_fast_ns() >= state->deadline;
}

/* A notice about a buffer: there may be many. */
#define tell(state, stream, fmt, ...)						\
do {										\
	if ((state)->told++ < NOTICES)						\
		say("cpu %u channel %s: " fmt, (stream)->cpu,			\
		    (stream)->tchan->channel->name, ##__VA_ARGS__);		\
} while (0)

/* ---- packets ---------------------------------------------------------------------- */

static unsigned long size_of_subbuf(const struct ltt_buf *buf)
{
	return buf->off_mask + 1;
}

/* Copy [@from, @end), which lie in one packet. Return: false if a writer has got there. */
static bool copy(const struct ltt_buf *buf, unsigned long from, unsigned long end, void *to)
{
	/* Races with a writer that overtakes us; then the copy is not used. */
	data_race(memcpy(to, ltt_buf_sb(buf, from)->base + (from & buf->off_mask), end - from));
	smp_rmb();	/* the copy before horizon, as in cursor.c; pairs with WMB of open_slot:B */
	return READ_ONCE(buf->horizon) <= from;
}

/* Return: false if the packet that begins at @begin is not there any more, or damaged. */
static bool copy_header(const struct ltt_buf *buf, unsigned long begin, struct ltt_packet *packet)
{
	return copy(buf, begin, begin + sizeof(*packet), packet) &&
	       packet->magic == LTT_PACKET_MAGIC &&
	       packet->packet_seq_num == begin >> buf->sb_order;
}

/* Events in the packet that begins at @begin, below frontier. */
static unsigned long events_of(const struct ltt_buf *buf, unsigned long begin)
{
	const struct ltt_subbuf *sb = ltt_buf_sb(buf, begin);

	return local_read(&sb->events) - READ_ONCE(sb->events_open);
}

/* Where the committed part of the packet that begins at @begin ends. */
static unsigned long end_of(const struct stream *stream, unsigned long begin)
{
	return min(ltt_buf_packet_end(stream->buf, begin), stream->frontier);
}

/* ---- search ----------------------------------------------------------------------- */

/* Earlier events than this are not among the last ones. */
static u64 earliest(const struct state *state)
{
	return state->nr == state->dump->events ? state->memory->best[0].ts : 0;
}

/*
 * The packet to begin with: together with those after it, it holds as many events as are
 * wanted, as far as the counters can be believed. Of the newest packet they count events that
 * are not committed, or later than what is wanted.
 */
static unsigned long first_packet(const struct state *state, const struct stream *stream)
{
	const struct ltt_buf *buf = stream->buf;
	unsigned long begin = (stream->frontier - 1) & ~buf->off_mask;
	bool whole = READ_ONCE(buf->write) == stream->frontier && state->dump->until == U64_MAX;
	unsigned long events = 0;
	struct ltt_packet packet;

	for (;;) {
		if (!copy_header(buf, begin, &packet))
			return begin;
		if (whole)
			events += events_of(buf, begin);
		whole = packet.timestamp_begin <= state->dump->until;
		if (events >= state->dump->events || packet.timestamp_begin < earliest(state) ||
		    begin <= READ_ONCE(buf->horizon))
			return begin;
		begin -= size_of_subbuf(buf);
	}
}

static void keep(struct state *state, struct stream *stream, const struct entry *entry)
{
	state->memory->run[stream->next] = *entry;
	stream->nr++;
	if (++stream->next == state->dump->events)
		stream->next = 0;
}

/* Find out the size of an event. Return: bytes after its header, or -EBADMSG. */
static long measure(struct stream *stream, u32 id, const u8 *p, size_t avail)
{
	const struct ltt_context *context = stream->tchan->context;

	if (id != stream->id || !stream->tevent) {
		stream->tevent = ltt_trace_channel_event(stream->tchan, id);
		stream->id = id;
	}
	if (!stream->tevent)
		return -EBADMSG;
	return ltt_event_size(context ? context->format : NULL, stream->tevent->event->format,
			      p, avail, false);
}

/*
 * Decode what is in the window, from @entry->pos on; the window's end is at position @end.
 * Return: false if the rest of the packet is later than what is wanted.
 */
static bool decode(struct state *state, struct stream *stream, struct entry *entry,
		   unsigned long end)
{
	const u8 *p = state->memory->window, *last = p + (end - entry->pos);
	const u64 from = earliest(state), until = state->dump->until;
	u64 ts = entry->ts;
	long header, size;

	while (p < last) {
		header = ltt_decode_header(p, last - p, &ts, &entry->id, false);
		if (header < 0)
			break;
		size = measure(stream, entry->id, p + header, last - p - header);
		if (size < 0)
			break;
		if (ts > until)
			return false;
		entry->ts = ts;
		entry->header = header;
		entry->size = size;
		if (ts >= from)
			keep(state, stream, entry);
		entry->lost = 0;
		entry->pos += header + size;
		p += header + size;
	}
	return true;
}

/* Return: false if nothing that is wanted follows, or writers have got here. */
static bool search_packet(struct state *state, struct stream *stream, unsigned long begin)
{
	const struct ltt_buf *buf = stream->buf;
	const unsigned long end = end_of(stream, begin);
	struct entry entry = { .tchan = stream->tchan, .cpu = stream->cpu };
	struct ltt_packet packet;
	unsigned long stop, before;

	if (!copy_header(buf, begin, &packet)) {
		if (READ_ONCE(buf->horizon) <= begin)
			tell(state, stream, "packet %lu is damaged", begin >> buf->sb_order);
		return true;
	}
	if (!stream->first && (long)(packet.events_discarded - stream->lost) > 0)
		entry.lost = packet.events_discarded - stream->lost;
	stream->lost = packet.events_discarded;
	stream->first = false;
	entry.ts = packet.timestamp_begin;
	entry.pos = begin + sizeof(packet);
	while (entry.pos < end) {
		stop = min(end, entry.pos + WINDOW);
		if (!copy(buf, entry.pos, stop, state->memory->window))
			return true;
		before = entry.pos;
		if (!decode(state, stream, &entry, stop))
			return false;
		if (entry.pos == before) {
			tell(state, stream, "packet %lu, from offset %lu on, is damaged or too long",
			     begin >> buf->sb_order, entry.pos & buf->off_mask);
			break;
		}
	}
	return true;
}

/* In the order of lines, equal ones in the order in which buffers are searched. */
static bool comes_after(const struct entry *a, const struct entry *b)
{
	return a->ts != b->ts ? a->ts > b->ts : a->cpu > b->cpu;
}

/* Merge the run into the best, from the last event on. */
static void merge(struct state *state, const struct stream *stream)
{
	struct memory *memory = state->memory;
	const unsigned int max = state->dump->events;
	unsigned int run = min_t(unsigned long, stream->nr, max), best = state->nr;
	unsigned int n = min(max, best + run), at = stream->next;
	struct entry *from;

	state->nr = n;
	while (n--) {
		from = &memory->run[(at ?: max) - 1];
		if (!run || (best && comes_after(&memory->best[best - 1], from))) {
			memory->spare[n] = memory->best[--best];
		} else {
			memory->spare[n] = *from;
			at = (at ?: max) - 1;
			run--;
		}
	}
	swap(memory->best, memory->spare);
}

/* Count what is there. */
static unsigned long count(const struct stream *stream)
{
	const struct ltt_buf *buf = stream->buf;
	unsigned long begin = READ_ONCE(buf->horizon), events = 0;

	for (; begin < stream->frontier; begin += size_of_subbuf(buf))
		events += events_of(buf, begin);
	return events;
}

/* Between frontier and write. */
static void tell_uncommitted(struct state *state, const struct stream *stream)
{
	const struct ltt_buf *buf = stream->buf;
	unsigned long write = READ_ONCE(buf->write);

	if (write > stream->frontier)
		tell(state, stream, "%lu bytes are not committed, and not shown",
		     write - stream->frontier);
}

static void search(struct state *state, struct ltt_trace_channel *tchan, unsigned int cpu,
		   const struct ltt_buf *buf)
{
	struct stream stream = { .buf = buf, .tchan = tchan, .cpu = cpu, .first = true };
	unsigned long begin, lost;

	stream.frontier = smp_load_acquire(&buf->frontier);	/* as ltt_cursor_window:A */
	if (READ_ONCE(buf->broken)) {
		tell(state, &stream, "broken, not shown");
		return;
	}
	tell_uncommitted(state, &stream);
	if (stream.frontier <= READ_ONCE(buf->horizon))
		return;
	state->here += count(&stream);
	begin = first_packet(state, &stream);
	for (; begin < stream.frontier; begin += size_of_subbuf(buf)) {
		if (!search_packet(state, &stream, begin))
			break;
	}
	if (stream.nr)
		merge(state, &stream);
	lost = local_read(&buf->lost) - stream.lost;
	if (begin >= stream.frontier && !stream.first && (long)lost > 0)
		tell(state, &stream, "lost %lu events after the last one", lost);
}

static void search_channel(struct state *state, struct ltt_trace_channel *tchan)
{
	struct ltt_buf __percpu *bufs = smp_load_acquire(&tchan->buf); /* as for_new_buffers:A */
	const struct ltt_buf *buf;
	unsigned int cpu;

	if (!bufs || tchan->channel->flags & LTT_CHANNEL_PRIVATE)
		return;
	for_each_possible_cpu(cpu) {
		buf = per_cpu_ptr(bufs, cpu);
		if (!smp_load_acquire(&buf->sb))	/* as for_new_buffers:B */
			continue;
		if (late(state))
			state->unseen++;
		else
			search(state, tchan, cpu, buf);
	}
}

/* ---- text ------------------------------------------------------------------------- */

static void *find_room(struct state *state, size_t size)
{
	struct memory *memory = state->memory;
	void *room;

	size = ALIGN(size, sizeof(u64));
	if (size > PROGRAMS)
		return NULL;
	if (size > PROGRAMS - state->programs) {
		memset(memory->kinds, 0, sizeof(memory->kinds));
		state->programs = 0;
	}
	room = memory->programs + state->programs;
	memset(room, 0, size);
	state->programs += size;
	return room;
}

/* The program that renders a kind of event. NULL: it is too long. */
static const struct ltt_event_text *program(struct state *state, const struct entry *entry,
					    const struct ltt_trace_event *tevent)
{
	struct kind *kind = &state->memory->kinds[hash_ptr(tevent, KINDS_BITS)];
	const struct ltt_context *context = entry->tchan->context;
	const struct ltt_text_kind wanted = {
		.channel = tevent->tchan->channel->name,
		.marker = tevent->event->name,
		.format = tevent->event->format,
		.context = context ? context->format : NULL,
		.event = tevent->event,
	};
	struct ltt_text_builder plan;
	struct ltt_event_text *text;

	if (kind->tevent == tevent)
		return kind->text;
	text = find_room(state, ltt_event_text_prepare(&plan, &ltt_style_format, &wanted));
	if (!text)
		return NULL;
	ltt_event_text_init(text, &plan, &ltt_style_format, &wanted);
	kind->tevent = tevent;
	kind->text = text;
	return text;
}

/* Put the line into the log. */
static void print(struct state *state)
{
	char *line = state->memory->line;
	size_t len = state->out.pos - line - 1, shown = min_t(size_t, len, PRINTK_LINE);

	pr_notice("%.*s\n", (int)shown, line);
	if (shown < len)
		say("the line above is too long, %zu more bytes are not shown", len - shown);
	state->out.pos = line;
}

static void print_header(struct state *state)
{
	const struct ltt_trace *trace;
	unsigned int i;

	for (i = 0; i < state->dump->nr; i++) {
		trace = state->dump->traces[i];
		say("LTT trace %s, clock %s", trace->name, ltt_clock_name(trace->clock));
	}
	say("seconds [cpu] channel.marker: values");
}

static void print_lost(struct state *state, const struct entry *entry)
{
	const struct ltt_text_place place = {
		.cpu = entry->cpu,
		.channel = entry->tchan->channel->name,
		.ts = entry->ts,
	};

	if (!ltt_style_lost(&state->out, &place, entry->lost))
		print(state);
}

/* Return: false if the event is not there any more. */
static bool print_event(struct state *state, const struct entry *entry)
{
	const struct ltt_buf *buf = per_cpu_ptr(entry->tchan->buf, entry->cpu);
	const unsigned long from = entry->pos + entry->header;
	const struct ltt_trace_event *tevent;
	const struct ltt_event_text *text;
	u8 *payload = state->memory->window;

	if (!copy(buf, from, from + entry->size, payload))
		return false;
	tevent = ltt_trace_channel_event(entry->tchan, entry->id);
	text = tevent ? program(state, entry, tevent) : NULL;
	if (state->cpu.cpu != entry->cpu)
		ltt_cpu_text_init(&state->cpu, entry->cpu);
	state->ts = entry->ts;
	if (!text || ltt_render_event(&state->out, text, &state->cpu, entry->ts, payload,
				      entry->size, false) < 0) {
		say("not shown: an event of %u bytes cpu %u channel %s at %llu ns", entry->size,
		    entry->cpu, entry->tchan->channel->name, entry->ts);
		state->unfit++;
		return true;
	}
	print(state);
	state->shown++;
	return true;
}

static void print_events(struct state *state)
{
	const struct entry *entry = state->memory->best, *end = entry + state->nr;

	for (; entry < end; entry++) {
		if (late(state)) {
			say("LTT dump (%s): the %tu latest are not shown, %u ms are over",
			    state->dump->why, end - entry, state->dump->ms);
			break;
		}
		if (entry->lost)
			print_lost(state, entry);
		if (!print_event(state, entry))
			state->overwritten++;
	}
}

static void search_all(struct state *state)
{
	struct ltt_trace_channel *tchan;
	unsigned int i;

	for (i = 0; i < state->dump->nr; i++) {
		list_for_each_entry_rcu(tchan, &state->dump->traces[i]->tchans, node, true)
			search_channel(state, tchan);
	}
}

static void print_end(const struct state *state)
{
	const char *why = state->dump->why;

	if (state->told > NOTICES)
		say("LTT dump (%s): %u more notices about buffers are not shown", why,
		    state->told - NOTICES);
	if (state->dump->left_out)
		say("LTT dump (%s): %u more traces are not shown", why, state->dump->left_out);
	if (state->unseen)
		say("LTT dump (%s): %lu buffers are not shown, %u ms are over", why,
		    state->unseen, state->dump->ms);
	if (state->overwritten)
		say("LTT dump (%s): %lu events were overwritten meanwhile", why,
		    state->overwritten);
	say("LTT dump (%s): end, %lu events", why, state->shown);
}

static void dump_now(const struct ltt_dump *dump, void *data)
{
	struct memory *memory = data;
	struct state state = {
		.dump = dump,
		.memory = memory,
		.deadline = dump->ms ? ktime_get_mono_fast_ns() + dump->ms * (u64)NSEC_PER_MSEC :
				       U64_MAX,
	};

	/* Programs of an earlier dump may be those of events that are gone. */
	memset(memory->kinds, 0, sizeof(memory->kinds));
	ltt_textbuf_init(&state.out, memory->line, LINE + LTT_RENDER_SPARE);
	state.out.style = &ltt_style_format;
	ltt_cpu_text_init(&state.cpu, 0);
	state.out.ts = dump->may_sleep ? &state.ts : &atomically;

	say("LTT dump (%s): begin", dump->why);
	search_all(&state);
	say("LTT dump (%s): the last %u of %lu events that are in the buffers", dump->why,
	    state.nr, max_t(unsigned long, state.here, state.nr));
	print_header(&state);
	print_events(&state);
	print_end(&state);
}

/* ---- memory ----------------------------------------------------------------------- */

static void free_memory(void *data)
{
	struct memory *memory = data;

	kvfree(memory->best);
	kvfree(memory->run);
	kvfree(memory->spare);
	kvfree(memory->window);
	kvfree(memory->line);
	kvfree(memory->programs);
	kfree(memory);
}

static void *alloc_memory(unsigned int events)
{
	struct memory *memory = kzalloc(sizeof(*memory), GFP_KERNEL);

	if (!memory)
		return NULL;
	memory->best = kvmalloc_array(events, sizeof(struct entry), GFP_KERNEL);
	memory->run = kvmalloc_array(events, sizeof(struct entry), GFP_KERNEL);
	memory->spare = kvmalloc_array(events, sizeof(struct entry), GFP_KERNEL);
	memory->window = kvmalloc(WINDOW, GFP_KERNEL);
	memory->line = kvmalloc(LINE + LTT_RENDER_SPARE, GFP_KERNEL);
	memory->programs = kvmalloc(PROGRAMS, GFP_KERNEL);
	if (memory->best && memory->run && memory->spare && memory->window && memory->line &&
	    memory->programs)
		return memory;
	free_memory(memory);
	return NULL;
}

/* For ltt_dumper_register(). */
const struct ltt_dumper ltt_text_dumper = {
	.alloc = alloc_memory,
	.free = free_memory,
	.dump = dump_now,
};
