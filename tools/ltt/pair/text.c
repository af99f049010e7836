// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: pairs in the text of a running trace.
 *
 * The kernel has put its lines in order, and tells where events were lost. In style "kv" each
 * value can be found whatever strings there are. What type it has, the trace's metadata tell.
 */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../capture/capture.h"
#include "../capture/control.h"
#include "../common/ondisk.h"
#include "../capture/live.h"
#include "pair.h"

/* The kernel returns half of that at most, but for a longer line. */
#define ROOM	(256u << 10)

/* The longest line that we have room for. */
#define ROOM_MAX	(256u << 20)

/**
 * struct named - a kind of event
 * @name:	CHANNEL.MARKER, as in lines
 * @wanted:	it is for us
 * @kind:	the kind, if it is
 */
struct named {
	char *name;
	bool wanted;
	struct pair_kind kind;
};

/**
 * struct declared - metadata that were read
 * @ltt:	what they declare; no events
 * @next:	those read before
 */
struct declared {
	struct libltt *ltt;
	struct declared *next;
};

/**
 * struct pair_text - text that is read
 * @pair:	what is looked for
 * @names:	kinds of events by name: a tree, see tsearch()
 * @declared:	the metadata
 * @buf:	lines, the last one not whole
 * @len:	bytes of them
 * @room:	bytes allocated
 * @line:	the line of the event
 * @end:	its end, without the newline
 * @fields:	its fields
 * @values:	room for a string of it, twice as long as it is
 * @values_room: bytes allocated
 * @next:	ns, CLOCK_MONOTONIC, when the next summary is due
 */
struct pair_text {
	struct pair *pair;
	void *names;
	struct declared *declared;
	char *buf;
	size_t len;
	size_t room;
	const char *line;
	char *end;
	const char *fields;
	char *values;
	size_t values_room;
	uint64_t next;
};

/* ---- kinds of events --------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static void free_named(void *node)
{
	struct named *named = node;

	if (named->wanted)
		pair_kind_free(&named->kind);
	free(named->name);
	free(named);
}

/* Add one, if it is new. Return: 0 or a negative errno. */
static int add_name(struct pair_text *text, const char *name, const struct libltt_class *class)
{
	struct named *named = calloc(1, sizeof(*named)), **found;
	int err = 0;

	if (named)
		named->name = strdup(name);
	found = named && named->name ? tsearch(named, &text->names, compare) : NULL;
	if (!found) {
		if (named)
			free_named(named);
		warnx("out of memory");
		return -ENOMEM;
	}
	if (*found != named) {
		free_named(named);
	} else if (class) {
		err = pair_kind_init(text->pair, &named->kind, class);
		named->wanted = true;
	}
	return err;
}

static int add_class(struct pair_text *text, const struct libltt_class *class)
{
	char *name;
	int err;

	if (!pair_wants(text->pair, class->channel, class->marker))
		return 0;
	if (asprintf(&name, "%s.%s", class->channel, class->marker) < 0)
		error(EXIT_FAILURE, ENOMEM, "%s", class->marker);
	err = add_name(text, name, class);
	free(name);
	return err;
}

/* The metadata, as they are now. */
static int copy_metadata(const char *trace, const char *file)
{
	struct capture capture = { .sink = &sink_directory };
	char *path;
	int err;

	if (asprintf(&path, "traces/%s/binary", trace) < 0)
		error(EXIT_FAILURE, ENOMEM, "%s", trace);
	capture.binary = openat(control_fd(), path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (capture.binary < 0) {
		err = -errno;
		warn("%s", path);
		free(path);
		return err;
	}
	free(path);
	capture.declarations = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (capture.declarations < 0) {
		err = -errno;
		warn("%s", file);
	} else {
		err = metadata_open(&capture.metadata, &capture);
		metadata_close(&capture.metadata);
		close(capture.declarations);
	}
	close(capture.binary);
	return err;
}

static struct libltt *open_metadata(const char *trace)
{
	const char *tmp = getenv("TMPDIR");
	struct libltt *ltt = NULL;
	struct libltt_problem problem;
	char *dir, *file;

	if (asprintf(&dir, "%s/ltt-pair-XXXXXX", tmp && *tmp ? tmp : "/tmp") < 0)
		error(EXIT_FAILURE, ENOMEM, "%s", trace);
	if (!mkdtemp(dir)) {
		warn("%s", dir);
		free(dir);
		return NULL;
	}
	if (asprintf(&file, "%s/" ONDISK_METADATA, dir) < 0)
		error(EXIT_FAILURE, ENOMEM, "%s", trace);
	if (!copy_metadata(trace, file)) {
		ltt = libltt_open((const char *[]){ dir }, 1, NULL, &problem);
		if (!ltt)
			warnx("metadata: %s", problem.text);
	}
	unlink(file);
	rmdir(dir);
	free(file);
	free(dir);
	return ltt;
}

/* Read what is declared now. Return: 0, or -1: something is wrong, which has been said. */
static int learn(struct pair_text *text, const char *trace)
{
	struct declared *declared = calloc(1, sizeof(*declared));
	const struct libltt_class *class = NULL;

	if (!declared) {
		warnx("out of memory");
		return -1;
	}
	declared->ltt = open_metadata(trace);
	if (!declared->ltt) {
		free(declared);
		return -1;
	}
	declared->next = text->declared;
	text->declared = declared;
	while ((class = libltt_class(declared->ltt, class))) {
		if (add_class(text, class))
			return -1;
	}
	return 0;
}

static struct named *find_name(const struct pair_text *text, char *name)
{
	const struct named key = { .name = name };
	struct named **found = tfind(&key, &text->names, compare);

	return found ? *found : NULL;
}

/* The kind of event with a name that we have not seen. */
static struct named *new_name(struct pair_text *text, char *name, const char *trace)
{
	char *dot = strchr(name, '.');
	struct named *named;
	bool wanted;

	if (dot) {
		*dot = '\0';
		wanted = pair_wants(text->pair, name, dot + 1);
		*dot = '.';
		/* It is declared before it is recorded. */
		if (wanted && learn(text, trace))
			return NULL;
		named = wanted ? find_name(text, name) : NULL;
		if (named)
			return named;
		if (wanted)
			warnx("%s is not in the metadata, its events are left out", name);
	}
	if (add_name(text, name, NULL))
		return NULL;
	return find_name(text, name);
}

/* ---- lines ------------------------------------------------------------------- */

static int field(const struct pair_event *event, unsigned int nr, struct libltt_value *value)
{
	const struct pair_text *text = event->data;

	return libltt_scan(event->kind->class, nr, text->fields, text->end - text->fields,
			   text->values, value);
}

static const char *line(const struct pair_event *event, size_t *len)
{
	const struct pair_text *text = event->data;

	*len = text->end + 1 - text->line;
	return text->line;
}

/* "# lost 12 events cpu 3 channel sched before 1234.567890123", or another notice */
static void take_notice(struct pair_text *text)
{
	char channel[256];
	unsigned int cpu;

	if (sscanf(text->line, "# lost %*u events cpu %u channel %255s before ", &cpu,
		   channel) == 2 ||
	    sscanf(text->line, "# corrupt cpu %u channel %255s packet ", &cpu, channel) == 2)
		pair_lost(text->pair, cpu, channel);
	else if (!strncmp(text->line, "# late events cpu ", 18))
		pair_late(text->pair);
}

/* Room for the values of the line. */
static int make_room(struct pair_text *text, size_t size)
{
	char *more;

	if (size <= text->values_room)
		return 0;
	more = realloc(text->values, 2 * size);
	if (!more) {
		warnx("out of memory");
		return -1;
	}
	text->values = more;
	text->values_room = 2 * size;
	return 0;
}

static int take_event(struct pair_text *text, const char *trace)
{
	struct pair_event event = { .field = field, .line = line, .data = text };
	uint64_t seconds, ns;
	struct named *named;
	char name[512];
	int at = 0;

	if (sscanf(text->line, "%" SCNu64 ".%" SCNu64 " [%" SCNu32 "] %511[^: ]:%n", &seconds, &ns,
		   &event.cpu, name, &at) != 4 || !at) {
		warnx("unexpected line: %.*s", (int)(text->end - text->line), text->line);
		return -1;
	}
	*text->end = '\n';
	text->fields = text->line + at;
	event.time = seconds * NSEC + ns;
	named = find_name(text, name) ?: new_name(text, name, trace);
	if (!named)
		return -1;
	if (!named->wanted)
		return 1;
	if (make_room(text, text->end - text->fields + 1))
		return -1;
	event.kind = &named->kind;
	return pair_event(text->pair, &event);
}

/* Take all whole lines. Return: as pair_event(). */
static int take_lines(struct pair_text *text, const char *trace)
{
	char *pos = text->buf, *end = text->buf + text->len, *newline;
	int ret = 1;

	while (ret > 0 && (newline = memchr(pos, '\n', end - pos))) {
		/* For sscanf(). */
		*newline = '\0';
		text->line = pos;
		text->end = newline;
		if (*pos == '#')
			take_notice(text);
		else
			ret = take_event(text, trace);
		pos = newline + 1;
	}
	text->len = end - pos;
	memmove(text->buf, pos, text->len);
	return ret;
}

/* ---- the file ---------------------------------------------------------------- */

/**
 * pair_text_create() - begin to look for pairs in text
 * @pair:	the pairs
 *
 * Return: for live.data, or NULL: no memory, which has been said.
 */
struct pair_text *pair_text_create(struct pair *pair)
{
	struct pair_text *text = calloc(1, sizeof(*text));

	if (text)
		text->buf = malloc(ROOM);
	if (!text || !text->buf) {
		warnx("out of memory");
		free(text);
		return NULL;
	}
	text->room = ROOM;
	text->pair = pair;
	return text;
}

/**
 * pair_text_free() - forget what was read
 * @text:	what pair_text_create() returned
 */
void pair_text_free(struct pair_text *text)
{
	struct declared *declared;

	tdestroy(text->names, free_named);
	while ((declared = text->declared)) {
		text->declared = declared->next;
		libltt_close(declared->ltt);
		free(declared);
	}
	free(text->values);
	free(text->buf);
	free(text);
}

/* It may be declared later; but it may be wrong as well. */
static void check_pattern(const struct pair_text *text, const char *pattern)
{
	const struct libltt_class *class = NULL;

	while ((class = libltt_class(text->declared->ltt, class))) {
		if (libltt_matches(pattern, class->channel, class->marker))
			return;
	}
	warnx("no event of the trace matches '%s' so far", pattern);
}

/**
 * pair_text_prepare() - see whether the events have what is asked for
 * @live:	the trace
 *
 * Return: 0, or -1: something is wrong, which has been said.
 */
int pair_text_prepare(struct live *live)
{
	const struct pair_text *text = live->data;

	if (learn(live->data, live->name))
		return -1;
	check_pattern(text, text->pair->options->begin);
	check_pattern(text, text->pair->options->end);
	return 0;
}

/**
 * pair_text_read() - take what can be read
 * @fd:		the trace's text
 * @live:	the trace
 *
 * Return: 1; 0 at the end, or if there are as many pairs as the user wants; -1: something is
 * wrong, which has been said.
 */
int pair_text_read(int fd, struct live *live)
{
	struct pair_text *text = live->data;
	ssize_t n;
	char *more;

	if (text->len > text->room / 2) {
		more = text->room < ROOM_MAX ? realloc(text->buf, 2 * text->room) : NULL;
		if (!more) {
			warnx("out of memory");
			return -1;
		}
		text->buf = more;
		text->room *= 2;
	}
	n = read(fd, text->buf + text->len, text->room - text->len);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 1;
	if (n < 0) {
		warn("text");
		return -1;
	}
	text->len += n;
	return n ? take_lines(text, live->name) : 0;
}

/**
 * pair_text_wait() - show what there is to show before we wait
 * @live:	the trace
 *
 * Return: for how many ms we may wait, -1: for ever.
 */
int pair_text_wait(struct live *live)
{
	struct pair_text *text = live->data;
	uint64_t every = text->pair->options->every, now, left;
	struct timespec time;

	if (!every) {
		fflush(stdout);
		return -1;
	}
	clock_gettime(CLOCK_MONOTONIC, &time);
	now = time.tv_sec * NSEC + time.tv_nsec;
	if (!text->next)
		text->next = now + every;
	if (text->next <= now) {
		pair_interval(text->pair, now);
		text->next += (now - text->next) / every * every + every;
	}
	fflush(stdout);
	left = (text->next - now + 999999) / 1000000;
	return left < INT_MAX ? left : INT_MAX;
}
