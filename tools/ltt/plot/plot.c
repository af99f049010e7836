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
#include <stdlib.h>
#include <string.h>

#include <linux/ltt/escape.h>

#include "../export/export.h"
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
 * struct cpu - what goes on on a CPU
 * @since:	ns, when the thread that runs began to; NO_TIME: not known
 * @last:	ns, of its last event, NO_TIME: none yet
 * @irq:	ns, when the interrupt that runs began; NO_TIME: none does
 */
struct cpu {
	uint64_t since;
	uint64_t last;
	uint64_t irq;
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
 * @shown:	the threads
 * @nr_shown:	how many
 * @part:	the parts
 * @ended:	ns, where the last interval of each part ends
 * @begin:	ns, of the first event
 * @last:	ns, of the last event
 * @nr:		events
 * @values:	fields of an event
 * @line:	of an event
 */
struct plot {
	struct plot_options *options;
	struct libltt *ltt;
	struct kinds *kinds;
	struct threads threads;
	struct cpu *cpus;
	struct shown *shown;
	size_t nr_shown;
	struct pack part[NR_PARTS];
	uint64_t ended[NR_PARTS];
	uint64_t begin;
	uint64_t last;
	uint64_t nr;
	struct libltt_value *values;
	char *line;
};

/* ---- threads --------------------------------------------------------------------- */

/*
 * The number of a thread on the page, from 0 on; -1: no memory. Where it is, is remembered
 * in what Perfetto would have as the process.
 */
static long shown_thread(struct plot *plot, int32_t tid)
{
	struct thread *thread = threads_find(&plot->threads, tid);
	struct shown *more;

	if (!thread)
		return -1;
	if (thread->described)
		return thread->tgid;
	more = reallocarray(plot->shown, plot->nr_shown + 1, sizeof(*more));
	if (!more)
		return -1;
	plot->shown = more;
	more[plot->nr_shown] = (struct shown){ .tid = tid };
	thread->described = true;
	thread->tgid = plot->nr_shown;
	return plot->nr_shown++;
}

/* Return: 0 or -ENOMEM. */
static int name_thread(struct plot *plot, int32_t tid, const struct libltt_value *name)
{
	long nr;

	if (!tid || (name->type != LIBLTT_STRING && name->type != LIBLTT_BYTES))
		return 0;
	nr = shown_thread(plot, tid);
	if (nr < 0)
		return -ENOMEM;
	snprintf(plot->shown[nr].name, NAME_SIZE, "%.*s",
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
	long nr;

	if (tid && of->since != NO_TIME) {
		nr = shown_thread(plot, tid);
		if (nr < 0)
			return -ENOMEM;
		put_interval(plot, RUNS, of->since, time, cpu, nr);
	}
	of->since = time;
	return 0;
}

/* Return: 0 or -ENOMEM. */
static int take_switch(struct plot *plot, const struct kind *kind, const struct libltt_event *event)
{
	int32_t prev = kind_integer(plot->values, kind->prev);
	int32_t next = kind_integer(plot->values, kind->next);
	int prev_comm = kind_field(kind->class, "prev_comm", false);
	int next_comm = kind_field(kind->class, "next_comm", false);
	int err;

	err = end_run(plot, event->cpu, prev, event->time);
	if (!err && prev_comm >= 0)
		err = name_thread(plot, prev, &plot->values[prev_comm]);
	if (!err && next_comm >= 0)
		err = name_thread(plot, next, &plot->values[next_comm]);
	plot->threads.running[event->cpu] = next;
	return err;
}

/* One can interrupt another: what is shown is the outermost. */
static void take_interrupt(struct plot *plot, const struct libltt_event *event)
{
	struct cpu *cpu = &plot->cpus[event->cpu];
	const char *marker = event->kind->marker;

	if (strcmp(event->channel, "irq"))
		return;
	if (!strcmp(marker, "irq_handler_entry") || !strcmp(marker, "softirq_entry")) {
		if (cpu->irq == NO_TIME)
			cpu->irq = event->time;
	} else if ((!strcmp(marker, "irq_handler_exit") || !strcmp(marker, "softirq_exit")) &&
		   cpu->irq != NO_TIME) {
		put_interval(plot, IRQS, cpu->irq, event->time, event->cpu, 0);
		cpu->irq = NO_TIME;
	}
}

/* What happened meanwhile is not known. */
static void take_loss(struct plot *plot, const struct libltt_event *event)
{
	struct cpu *cpu = &plot->cpus[event->cpu];
	uint64_t since = cpu->last == NO_TIME ? plot->begin : cpu->last;

	put_interval(plot, LOSSES, since, event->time, event->cpu, event->lost);
	cpu->since = NO_TIME;
	cpu->irq = NO_TIME;
}

/* ---- events ----------------------------------------------------------------------- */

static void put_line(struct plot *plot, const struct libltt_event *event)
{
	long len = libltt_line(plot->ltt, event, plot->line, LINE_SIZE);
	char *end;

	if (len <= 0)
		len = snprintf(plot->line, LINE_SIZE, "(a line of more than %u bytes)\n", LINE_SIZE);
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

/* Whose event is it? Return: 0: nobody's; -1: no memory; a thread's number, and 1. */
static long thread_of(struct plot *plot, const struct kind *kind, const struct libltt_event *event)
{
	int32_t tid = plot->threads.running[event->cpu];
	long nr;

	if (kind->tid != KIND_NO_FIELD)
		tid = kind_integer(plot->values, kind->tid);
	else if (kind->is_switch)
		tid = kind_integer(plot->values, kind->prev);
	else if (plot->cpus[event->cpu].since == NO_TIME)
		return 0;
	if (!tid)
		return 0;
	nr = shown_thread(plot, tid);
	return nr < 0 ? -1 : nr + 1;
}

/* Return: 0 or -ENOMEM. */
static int take_event(struct plot *plot, const struct libltt_event *event)
{
	struct kind *kind = kinds_find(plot->kinds, event->kind);
	struct cpu *cpu = &plot->cpus[event->cpu];
	long thread;
	int err = 0;

	if (libltt_fields(event, plot->values)) {
		put_event(plot, event, 0);
		return 0;
	}
	thread = thread_of(plot, kind, event);
	if (thread < 0)
		return -ENOMEM;
	if (kind->is_switch)
		err = take_switch(plot, kind, event);
	take_interrupt(plot, event);
	if (!kind->hidden)
		put_event(plot, event, thread);
	cpu->last = event->time;
	return err;
}

static void first_event(struct plot *plot, uint64_t time)
{
	uint32_t cpu;
	int part;

	plot->begin = time;
	plot->last = time;
	for (part = 0; part < NR_PARTS; part++)
		plot->ended[part] = time;
	/* Who ran then is told by the next switch. */
	for (cpu = 0; cpu < plot->threads.nr_cpus; cpu++)
		plot->cpus[cpu].since = time;
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
		if (event.cpu >= plot->threads.nr_cpus)
			continue;
		if (event.kind) {
			err = take_event(plot, &event);
			continue;
		}
		take_loss(plot, &event);
		put_event(plot, &event, 0);
	}
	for (cpu = 0; started && !err && cpu < plot->threads.nr_cpus; cpu++) {
		if (plot->cpus[cpu].last != NO_TIME)
			err = end_run(plot, cpu, plot->threads.running[cpu], end);
	}
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
		pack_is_packed() ? "true" : "false", plot->begin, plot->last - plot->begin, plot->nr,
		plot->threads.nr_cpus);
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

/* Numbers of CPUs and threads mean something on one machine, until it is started again. */
static bool is_one_machine(const struct plot *plot)
{
	const struct libltt_trace *first = libltt_trace(plot->ltt, 0), *other;
	unsigned int i;

	for (i = 1; (other = libltt_trace(plot->ltt, i)); i++) {
		if (!memcmp(first->boot_id, other->boot_id, sizeof(first->boot_id)))
			continue;
		fprintf(stderr, "%s: the traces are of different machines or boots\n",
			plot->options->in.command);
		return false;
	}
	return true;
}

/* Return: 0; -1: said. */
static int plot_open(struct plot *plot)
{
	struct export_options export = { };
	uint32_t cpu;
	int part, ret;

	for (part = 0; part < NR_PARTS; part++)
		pack_begin(&plot->part[part]);
	plot->ltt = directory_open(&plot->options->in);
	if (!plot->ltt || !is_one_machine(plot))
		return -1;
	export.in = plot->options->in;
	plot->kinds = kinds_create(plot->ltt, &export);
	ret = plot->kinds ? threads_init(&plot->threads, plot->ltt, &export) : -1;
	if (ret)
		return -1;
	plot->cpus = calloc(plot->threads.nr_cpus + 1, sizeof(*plot->cpus));
	plot->line = malloc(LINE_SIZE);
	plot->values = calloc(kinds_most_fields(plot->kinds) + 1, sizeof(*plot->values));
	if (!plot->cpus || !plot->line || !plot->values)
		return -1;
	for (cpu = 0; cpu < plot->threads.nr_cpus; cpu++)
		plot->cpus[cpu] = (struct cpu){ NO_TIME, NO_TIME, NO_TIME };
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
	free(plot->shown);
	free(plot->values);
	free(plot->line);
}

/**
 * plot_write() - write traces as a page
 * @options:	what the user asked for
 * @to:		the file
 *
 * Says what is wrong.
 *
 * Return: exit status.
 */
int plot_write(struct plot_options *options, FILE *to)
{
	struct plot plot = { .options = options };
	int err = plot_open(&plot);
	bool complete;

	if (!err) {
		err = take_all(&plot) ?: put_page(&plot, to);
		if (err)
			fprintf(stderr, "%s: %s: %s\n", options->in.command, options->output,
				strerror(-err));
	}
	complete = plot.ltt && directory_close(plot.ltt, &options->in);
	plot_close(&plot);
	return !err && complete ? EXIT_SUCCESS : EXIT_FAILURE;
}
