// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: plot: what the parts of the page are made of.
 *
 *	events	time since the one before, CPU, thread; of each event, loss or damage
 *	lines	their text, a line each
 *	runs	who runs: end since that of the one before, duration, CPU, thread
 *	irqs	interrupts, likewise, with the number of a name
 *	losses	times in which events were lost, likewise, with how many
 *	meta	JSON: names, and numbers of what else there is
 *
 * A thread's number is its place in meta.threads; in events it is one more, and 0: none.
 */
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/ltt/escape.h>

#include "../common/output.h"
#include "../export/export.h"
#include "../lib/private.h"
#include "plot.h"

#define NAME_SIZE	32u	/* of a thread, with its terminating NUL */
#define LINE_SIZE	(64u << 10)
#define NO_TIME		UINT64_MAX

/**
 * struct shown - a thread that is shown
 * @tid:	its number
 * @name:	its last one
 */
struct shown {
	int32_t tid;
	char name[NAME_SIZE];
};

/**
 * struct cpu - what a CPU does
 * @since:	ns, when the thread that runs began to; NO_TIME: not known
 * @irq:	ns, when the outermost interrupt that runs began; NO_TIME: none does
 * @is_softirq:	it is a softirq, which interrupts may interrupt
 * @seen:	there was an event, or a loss
 */
struct cpu {
	uint64_t since;
	uint64_t irq;
	bool is_softirq;
	bool seen;
};

/**
 * struct source - a stream, of which events may be lost
 * @origin:	of its events
 * @last:	ns, of its last event
 */
struct source {
	const void *origin;
	uint64_t last;
};

/* The parts; the lines are behind all others. */
enum { EVENTS, RUNS, IRQS, LOSSES, LINES, NR_PARTS };

static const char *const part_names[] = { "events", "runs", "irqs", "losses", "lines" };

/**
 * struct plot - a page that is being made
 * @options:	what the user asked for
 * @ltt:	the traces
 * @kinds:	their kinds of events
 * @threads:	who runs
 * @cpus:	the same, of each CPU
 * @sources:	the streams that had events, by origin: a tree, see tsearch()
 * @channels:	names of channels that have events: a tree, too
 * @shown:	the threads
 * @nr_shown:	how many
 * @part:	the parts
 * @ended:	ns, where the last interval of each part ends
 * @begin:	ns, of the first event
 * @last:	ns, of the last event
 * @nr:		events
 * @values:	fields of an event
 * @line:	of an event
 * @line_size:	bytes there
 */
struct plot {
	struct plot_options *options;
	struct libltt *ltt;
	struct kinds *kinds;
	struct threads threads;
	struct cpu *cpus;
	void *sources;
	void *channels;
	struct shown *shown;
	size_t nr_shown;
	struct pack part[NR_PARTS];
	uint64_t ended[NR_PARTS];
	uint64_t begin;
	uint64_t last;
	uint64_t nr;
	struct libltt_value *values;
	char *line;
	size_t line_size;
};

/* ---- threads --------------------------------------------------------------------- */

/* The number of a thread on the page, from 1 on; 0: no memory. */
static size_t shown_thread(struct plot *plot, int32_t tid)
{
	struct thread *thread = threads_find(&plot->threads, tid);
	struct shown *more;

	if (!thread)
		return 0;
	if (thread->nr)
		return thread->nr;
	more = reallocarray(plot->shown, plot->nr_shown + 1, sizeof(*more));
	if (!more)
		return 0;
	plot->shown = more;
	more[plot->nr_shown] = (struct shown){ .tid = tid };
	thread->nr = ++plot->nr_shown;
	return thread->nr;
}

/* @field: its name. Return: 0 or -ENOMEM. */
static int name_thread(struct plot *plot, int32_t tid, int field)
{
	const struct libltt_value *name;
	size_t nr;

	if (!tid || field == KIND_NO_FIELD)
		return 0;
	name = &plot->values[field];
	if (name->type != LIBLTT_STRING && name->type != LIBLTT_BYTES)
		return 0;
	nr = shown_thread(plot, tid);
	if (!nr)
		return -ENOMEM;
	snprintf(plot->shown[nr - 1].name, NAME_SIZE, "%.*s",
		 (int)strnlen(name->text, name->count), name->text);
	return 0;
}

/* ---- intervals -------------------------------------------------------------------- */

static void put_interval(struct plot *plot, unsigned int part, uint64_t begin, uint64_t end,
			 uint32_t cpu, uint64_t what)
{
	struct pack *pack = &plot->part[part];

	pack_number(pack, end - plot->ended[part]);
	pack_number(pack, end - begin);
	pack_number(pack, cpu);
	pack_number(pack, what);
	plot->ended[part] = end;
}

/* What ran there runs no more. Return: 0 or -ENOMEM. */
static int end_run(struct plot *plot, uint32_t cpu, int32_t tid, uint64_t time)
{
	struct cpu *of = &plot->cpus[cpu];
	size_t nr;

	if (tid && of->since != NO_TIME) {
		nr = shown_thread(plot, tid);
		if (!nr)
			return -ENOMEM;
		put_interval(plot, RUNS, of->since, time, cpu, nr - 1);
	}
	of->since = time;
	return 0;
}

/* Return: 0 or -ENOMEM. */
static int take_switch(struct plot *plot, const struct kind *kind, const struct libltt_event *event)
{
	int32_t prev = kind_integer(plot->values, kind->prev);
	int32_t next = kind_integer(plot->values, kind->next);
	int err;

	/* Not all switches may have been recorded. */
	if (plot->threads.running[event->cpu] != prev)
		plot->cpus[event->cpu].since = NO_TIME;
	err = end_run(plot, event->cpu, prev, event->time) ?:
	      name_thread(plot, prev, kind->prev_comm) ?:
	      name_thread(plot, next, kind->next_comm);
	plot->threads.running[event->cpu] = next;
	return err;
}

/* One can interrupt another: what is shown is the outermost. */
static void take_interrupt(struct plot *plot, const struct libltt_event *event)
{
	struct cpu *cpu = &plot->cpus[event->cpu];
	const char *marker = event->kind->marker;
	bool is_softirq = !strncmp(marker, "softirq_", 8);

	if (strcmp(event->kind->channel, "irq"))
		return;
	if (!strcmp(marker, "irq_handler_entry") || !strcmp(marker, "softirq_entry")) {
		if (cpu->irq == NO_TIME) {
			cpu->irq = event->time;
			cpu->is_softirq = is_softirq;
		}
	} else if ((!strcmp(marker, "irq_handler_exit") || !strcmp(marker, "softirq_exit")) &&
		   cpu->irq != NO_TIME && cpu->is_softirq == is_softirq) {
		put_interval(plot, IRQS, cpu->irq, event->time, event->cpu, 0);
		cpu->irq = NO_TIME;
	}
}

/* ---- losses ------------------------------------------------------------------------ */

static int compare_sources(const void *a, const void *b)
{
	const struct source *x = a, *y = b;

	return x->origin < y->origin ? -1 : x->origin > y->origin;
}

/* Return: NULL: it has had no event. */
static struct source *find_source(const struct plot *plot, const struct libltt_event *event)
{
	const struct source key = { .origin = event->origin };
	struct source **found = tfind(&key, &plot->sources, compare_sources);

	return found ? *found : NULL;
}

/* The stream of an event has had one. Return: 0 or -ENOMEM. */
static int note_source(struct plot *plot, const struct libltt_event *event)
{
	struct source *source = find_source(plot, event);

	if (!source) {
		source = malloc(sizeof(*source));
		if (!source)
			return -ENOMEM;
		source->origin = event->origin;
		if (!tsearch(source, &plot->sources, compare_sources)) {
			free(source);
			return -ENOMEM;
		}
	}
	source->last = event->time;
	return 0;
}

/* When the stream that lacks events had the last one. */
static uint64_t last_before(const struct plot *plot, const struct libltt_event *loss)
{
	const struct source *source = find_source(plot, loss);

	return source ? source->last : plot->begin;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void keep_name(void *name)
{
	/* It belongs to a kind of event. */
	(void)name;
}

/* Return: 0; -1: no memory. */
static int find_channels(struct plot *plot)
{
	const struct libltt_class *class = NULL;

	while ((class = libltt_class(plot->ltt, class))) {
		if (!tsearch(class->channel, &plot->channels, compare_names))
			return -1;
	}
	return 0;
}

/*
 * Could events of this channel be among those that were lost? If no event is of the stream's
 * channel, it has several: "shared", and whatever other tracers call theirs.
 */
static bool may_lack(const struct plot *plot, const struct libltt_event *loss, const char *channel)
{
	return !strcmp(loss->channel, channel) || !strcmp(loss->channel, "shared") ||
	       !tfind(loss->channel, &plot->channels, compare_names);
}

/* What happened meanwhile is not known. */
static void take_loss(struct plot *plot, const struct libltt_event *event)
{
	struct cpu *cpu = &plot->cpus[event->cpu];

	put_interval(plot, LOSSES, last_before(plot, event), event->time, event->cpu, event->lost);
	if (may_lack(plot, event, "sched"))
		cpu->since = NO_TIME;
	if (may_lack(plot, event, "irq"))
		cpu->irq = NO_TIME;
	cpu->seen = true;
}

/* ---- events ----------------------------------------------------------------------- */

static void put_line(struct plot *plot, const struct libltt_event *event)
{
	long len = directory_line(plot->ltt, event, &plot->line, &plot->line_size);
	char *end;

	if (len <= 0) {
		directory_left_out(&plot->options->in, event, plot->line_size);
		len = snprintf(plot->line, plot->line_size, "(no line: %s)\n", strerror(-len));
	}
	/* Of several only the first one has a place on the page. */
	end = memchr(plot->line, '\n', len);
	pack_bytes(&plot->part[LINES], plot->line, (end ?: plot->line + len) - plot->line);
	pack_bytes(&plot->part[LINES], "\n", 1);
}

static void put_event(struct plot *plot, const struct libltt_event *event, uint64_t thread)
{
	struct pack *pack = &plot->part[EVENTS];

	pack_number(pack, event->time - plot->last);
	pack_number(pack, event->cpu);
	pack_number(pack, thread);
	put_line(plot, event);
	plot->last = event->time;
	plot->nr++;
}

/* Whose event is it? @nr: the thread's number; 0: nobody's. Return: 0 or -ENOMEM. */
static int thread_of(struct plot *plot, const struct kind *kind, const struct libltt_event *event,
		     size_t *nr)
{
	int32_t tid = plot->threads.running[event->cpu];

	*nr = 0;
	if (kind->tid != KIND_NO_FIELD)
		tid = kind_integer(plot->values, kind->tid);
	else if (kind->is_switch)
		tid = kind_integer(plot->values, kind->prev);
	else if (plot->cpus[event->cpu].since == NO_TIME)
		return 0;
	if (!tid)
		return 0;
	*nr = shown_thread(plot, tid);
	return *nr ? 0 : -ENOMEM;
}

/* Return: 0 or -ENOMEM. */
static int take_event(struct plot *plot, const struct libltt_event *event)
{
	struct kind *kind = kinds_find(plot->kinds, event->kind);
	struct cpu *cpu = &plot->cpus[event->cpu];
	size_t thread;
	int err = note_source(plot, event);

	if (err)
		return err;
	if (!cpu->seen)
		cpu->since = event->time;
	cpu->seen = true;
	if (libltt_fields(event, plot->values)) {
		put_event(plot, event, 0);
		return 0;
	}
	err = thread_of(plot, kind, event, &thread);
	if (!err && kind->is_switch)
		err = take_switch(plot, kind, event);
	if (err)
		return err;
	take_interrupt(plot, event);
	if (!kind->hidden)
		put_event(plot, event, thread);
	return 0;
}

static void first_event(struct plot *plot, uint64_t time)
{
	int part;

	plot->begin = time;
	plot->last = time;
	for (part = 0; part < NR_PARTS; part++)
		plot->ended[part] = time;
}

/* Return: 0 or a negative errno. */
static int take_all(struct plot *plot)
{
	struct libltt_event event;
	bool started = false;
	uint64_t end = 0;
	int status, err = 0;
	uint32_t cpu;

	while (!err && (status = libltt_next(plot->ltt, &event)) > 0) {
		if (!started)
			first_event(plot, event.time);
		started = true;
		end = event.time;
		if (!threads_know_cpu(&plot->threads, &event))
			continue;
		if (event.kind) {
			err = take_event(plot, &event);
			continue;
		}
		take_loss(plot, &event);
		put_event(plot, &event, 0);
	}
	for (cpu = 0; started && !err && cpu < plot->threads.nr_cpus; cpu++)
		err = end_run(plot, cpu, plot->threads.running[cpu], end);
	plot->last = started ? end : plot->begin;
	return err ?: status;
}

/* ---- the page ---------------------------------------------------------------------- */

/* In HTML, nothing may look like the end of the script. */
static void put_json_string(FILE *to, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t len;

	putc('"', to);
	for (; *p; p += len) {
		len = ltt_utf8_length(p, strlen((const char *)p));
		if (!len || *p < 0x20 || *p == '"' || *p == '\\' || *p == '<') {
			fprintf(to, "\\u%04x", len ? *p : 0xfffd);
			len = 1;
		} else {
			fwrite(p, 1, len, to);
		}
	}
	putc('"', to);
}

static void put_meta(struct plot *plot, FILE *to)
{
	const struct libltt_trace *trace;
	char *what = NULL;
	size_t size, i;
	FILE *text = open_memstream(&what, &size);

	for (i = 0; text && (trace = libltt_trace(plot->ltt, i)); i++)
		fprintf(text, "%s%s on %s, Linux %s", i ? "; " : "", trace->name ?: "-",
			trace->hostname ?: "-", trace->release ?: "-");
	if (text)
		fclose(text);
	fputs("<script type=\"application/json\" id=\"data-meta\">\n{\"what\": ", to);
	put_json_string(to, what ?: "");
	free(what);
	/* More than 53 bits, as a string. */
	fprintf(to, ", \"packed\": %s, \"begin\": \"%" PRIu64 "\", \"end\": %" PRIu64
		", \"events\": %" PRIu64 ", \"cpus\": %" PRIu32 ",\n\"threads\": [",
		pack_is_packed() ? "true" : "false", plot->begin, plot->last - plot->begin,
		plot->nr, plot->threads.nr_cpus);
	for (i = 0; i < plot->nr_shown; i++) {
		fprintf(to, "%s\n[%" PRId32 ", ", i ? "," : "", plot->shown[i].tid);
		put_json_string(to, plot->shown[i].name);
		putc(']', to);
	}
	fputs("]}\n</script>\n", to);
}

/* Return: 0 or a negative errno. */
static int put_page(struct plot *plot, FILE *to)
{
	int part;

	for (part = 0; part < NR_PARTS; part++) {
		pack_end(&plot->part[part]);
		if (plot->part[part].failed)
			return -ENOMEM;
	}
	errno = 0;
	page_put(0, to);
	put_meta(plot, to);
	for (part = 0; part < LINES; part++)
		pack_write(&plot->part[part], part_names[part], to);
	page_put(1, to);
	pack_write(&plot->part[LINES], part_names[LINES], to);
	page_put(2, to);
	fflush(to);
	return ferror(to) ? -(errno ?: EIO) : 0;
}

static bool knows_boot(const struct libltt_trace *trace)
{
	static const uint8_t unknown[sizeof(trace->boot_id)];

	return memcmp(trace->boot_id, unknown, sizeof(unknown));
}

static bool is_same_boot(const struct libltt_trace *a, const struct libltt_trace *b)
{
	if (knows_boot(a) && knows_boot(b))
		return !memcmp(a->boot_id, b->boot_id, sizeof(a->boot_id));
	return lib_is_same_boot(a, b);
}

/*
 * Numbers of CPUs and threads mean something on one machine, until it is started again. One trace
 * that does not know its boot may go with each of two that don't go together.
 */
static bool is_one_machine(const struct plot *plot)
{
	unsigned int nr = libltt_nr_traces(plot->ltt), i, j;

	for (i = 1; i < nr; i++) {
		for (j = 0; j < i; j++) {
			if (is_same_boot(libltt_trace(plot->ltt, i), libltt_trace(plot->ltt, j)))
				continue;
			fprintf(stderr, "%s: the traces are of different machines or boots\n",
				plot->options->in.command);
			return false;
		}
	}
	return true;
}

/* All switches are read, and shown, whatever the user filters. */
static int unfilter(struct plot *plot)
{
	struct libltt_problem problem;

	if (!plot->options->in.nr_filters)
		return 0;
	return libltt_filter(plot->ltt, "sched.sched_switch", NULL, &problem);
}

/* Return: 0; -1: no memory; -2: said. */
static int plot_open(struct plot *plot)
{
	struct export_options export = { };
	uint32_t cpu;
	int part;

	for (part = 0; part < NR_PARTS; part++)
		pack_begin(&plot->part[part]);
	plot->ltt = directory_open(&plot->options->in);
	if (!plot->ltt || !is_one_machine(plot))
		return -2;
	export.in = plot->options->in;
	plot->kinds = kinds_create(plot->ltt, &export);
	if (!plot->kinds || unfilter(plot) || find_channels(plot))
		return -1;
	if (threads_init(&plot->threads, plot->ltt, &export))
		return -2;
	plot->cpus = calloc(plot->threads.nr_cpus + 1, sizeof(*plot->cpus));
	plot->line_size = LINE_SIZE;
	plot->line = malloc(LINE_SIZE);
	plot->values = calloc(kinds_most_fields(plot->kinds) + 1, sizeof(*plot->values));
	if (!plot->cpus || !plot->line || !plot->values)
		return -1;
	for (cpu = 0; cpu < plot->threads.nr_cpus; cpu++)
		plot->cpus[cpu] = (struct cpu){ .since = NO_TIME, .irq = NO_TIME };
	return 0;
}

static void plot_close(struct plot *plot)
{
	int part;

	for (part = 0; part < NR_PARTS; part++)
		pack_free(&plot->part[part]);
	kinds_free(plot->kinds);
	threads_free(&plot->threads);
	free(plot->cpus);
	tdestroy(plot->sources, free);
	tdestroy(plot->channels, keep_name);
	free(plot->shown);
	free(plot->values);
	free(plot->line);
}

/* Return: 0 or a negative errno. */
static int put_file(struct plot *plot, int fd)
{
	int copy = dup(fd), err;
	FILE *to = copy < 0 ? NULL : fdopen(copy, "w");

	if (!to) {
		err = -errno;
		if (copy >= 0)
			close(copy);
		return err;
	}
	err = put_page(plot, to);
	return fclose(to) && !err ? -errno : err;
}

/* Return: 0, or a negative errno; then there is no file. */
static int put_all_or_nothing(struct plot *plot, struct output *output)
{
	int err = take_all(plot) ?: put_file(plot, output->fd);

	if (!err)
		return output_keep(output);
	output_drop(output);
	return err;
}

static void say(const struct plot_options *options, int err)
{
	fprintf(stderr, "%s: %s: %s\n", options->in.command, options->output, strerror(-err));
}

/**
 * plot_write() - write traces as a page
 * @options:	what the user asked for
 *
 * Says what is wrong.
 *
 * Return: exit status.
 */
int plot_write(struct plot_options *options)
{
	struct plot plot = { .options = options };
	struct output output;
	int err = output_open(&output, options->output);
	bool complete;

	if (err) {
		say(options, err);
		return EXIT_FAILURE;
	}
	err = plot_open(&plot);
	if (err == -1)
		fprintf(stderr, "%s: out of memory\n", options->in.command);
	if (err) {
		output_drop(&output);
	} else {
		err = put_all_or_nothing(&plot, &output);
		if (err)
			say(options, err);
	}
	complete = plot.ltt && directory_close(plot.ltt, &options->in);
	complete &= !plot.threads.left_out;
	plot_close(&plot);
	return !err && complete ? EXIT_SUCCESS : EXIT_FAILURE;
}
