// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: slices of the traces as lines, by several threads.
 *
 * DOC: slices
 *
 * The range is divided into slices of time. Each worker has a reader of its own, takes the next
 * slice that nobody has taken, finds its place with the indexes, and makes lines of it. The user
 * gets the lines of one slice after the other.
 *
 * They have to be the same as if one reader had read everything. What a reader does next depends
 * on how far it has read each stream, on the header of the packet there, and on whether something
 * was lost or damaged since the last event: see struct lib_place. So whoever has finished a slice
 * compares where it is with where the next slice was begun. If that is the same, the next slice is
 * right if its own was; as is the first, all are. If the next slice has not been taken yet, it
 * just goes on with that one, without having to find the place.
 *
 * It is not the same if the indexes or the packets are not what they should be: begun in the
 * middle, such a stream reads differently. Then threads are of no use any more. The reader that
 * has finished its slice is where it should be: it becomes the user's reader, and everything after
 * that is read by it alone. The same happens at a line that is too long for the threads, and at
 * the end of the range.
 *
 * Problems that a worker has are told with the lines, in their order, by the user's thread. While
 * a worker finds its place, it tells of none: whoever reads the slice before comes across them.
 *
 * A slice's lines are kept until it is its turn, up to a limit; then its worker waits. That of the
 * slice whose turn it is never waits for others, only for the user.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "jobs.h"
#include "merge.h"
#include "slices.h"

/*
 * Bytes of text that are made at once, and that are kept of a slice. Few wake-ups of the user
 * are worth more than a text that is still in the cache.
 */
#ifndef LIB_CHUNK
#define LIB_CHUNK	(1024u << 10)
#define LIB_KEPT	(32u << 20)
#endif

#define PAGE		4096u

/* Memory that is used for the windows of all readers, if each window is as small as can be. */
#define WINDOWS_MAX	(256u << 20)
#define WINDOW		(16u << 10)

/**
 * struct note - a problem that is to be reported
 * @next:	the one after it
 * @severity:	of struct libltt_problem
 * @code:	of struct libltt_problem
 * @offset:	of struct libltt_problem
 * @text:	of struct libltt_problem
 * @file:	of struct libltt_problem
 */
struct note {
	struct note *next;
	enum libltt_severity severity;
	int code;
	uint64_t offset;
	char *text;
	char file[];
};

/**
 * struct chunk - lines
 * @next:	those after them
 * @notes:	what is to be reported before them
 * @untold:	problems for which there was no memory
 * @len:	bytes
 * @text:	the lines
 */
struct chunk {
	struct chunk *next;
	struct note *notes;
	unsigned long untold;
	size_t len;
	char text[LIB_CHUNK];
};

/**
 * enum state - what has become of a slice
 * @WAITING:	nobody has taken it
 * @TAKEN:	somebody is looking for where it begins
 * @BEGUN:	@places are known
 * @DONE:	all of its lines have been made that will be
 */
enum state { WAITING, TAKEN, BEGUN, DONE };

/**
 * struct slice - a slice of time, protected by lib_jobs.lock
 * @end:	ns, its last
 * @state:	what has become of it
 * @places:	where its reader has begun; NULL if that was where the slice before has ended
 * @heir:	whose reader is to go on alone when its lines have been shown; NULL: nobody's, the
 *		next slice is right
 * @first:	lines that have not been shown
 * @last:	where to append others
 * @kept:	bytes of @first and what follows
 */
struct slice {
	u64 end;
	enum state state;
	struct lib_place *places;
	struct worker *heir;
	struct chunk *first;
	struct chunk **last;
	size_t kept;
};

/**
 * struct worker - a thread that makes lines
 * @jobs:	what it belongs to
 * @reader:	its reader
 * @thread:	the thread
 * @slice:	what it reads
 * @quiet:	problems that the reader has are told by another worker
 * @notes:	problems since the last chunk
 * @last:	where to append others
 * @untold:	of struct chunk
 */
struct worker {
	struct lib_jobs *jobs;
	struct libltt *reader;
	pthread_t thread;
	struct slice *slice;
	bool quiet;
	struct note *notes;
	struct note **last;
	unsigned long untold;
};

/**
 * struct lib_jobs - threads that make lines of a struct libltt
 * @lock:	protects what follows
 * @shown:	signalled when there may be something for the user
 * @moved:	signalled when a worker that waits may go on
 * @slices:	all of them
 * @nr:		entries of @slices
 * @taken:	how many have been taken
 * @current:	the one whose lines are shown
 * @ahead:	how many after that may be taken
 * @stop:	threads shall end
 * @unused:	chunks that nobody uses
 * @lent:	the one that the user has
 * @nr_workers:	entries of @workers
 * @running:	how many of them are threads that have not been joined
 * @workers:	the threads
 */
struct lib_jobs {
	pthread_mutex_t lock;
	pthread_cond_t shown;
	pthread_cond_t moved;
	struct slice *slices;
	size_t nr;
	size_t taken;
	size_t current;
	size_t ahead;
	bool stop;
	struct chunk *unused;
	struct chunk *lent;
	unsigned int nr_workers;
	unsigned int running;
	struct worker *workers;
};

/* ---- a worker ------------------------------------------------------------------ */

/* A libltt_report. */
static void take_note(const struct libltt_problem *problem, void *data)
{
	size_t size = strlen(problem->file) + 1;
	struct worker *worker = data;
	struct note *note;

	if (worker->quiet)
		return;
	note = malloc(sizeof(*note) + size);
	if (!note) {
		worker->untold++;
		return;
	}
	note->next = NULL;
	note->severity = problem->severity;
	note->code = problem->code;
	note->offset = problem->offset;
	note->text = strdup(problem->text);
	memcpy(note->file, problem->file, size);
	*worker->last = note;
	worker->last = &note->next;
}

static void free_notes(struct note *note)
{
	struct note *next;

	for (; note; note = next) {
		next = note->next;
		free(note->text);
		free(note);
	}
}

/* With all of its pages at once, if the kernel can: one after the other takes longer. */
static struct chunk *alloc_chunk(void)
{
	const size_t size = (sizeof(struct chunk) + PAGE - 1) / PAGE * PAGE;
	struct chunk *chunk = aligned_alloc(PAGE, size);

#ifdef MADV_POPULATE_WRITE
	if (chunk)
		madvise(chunk, size, MADV_POPULATE_WRITE);
#endif
	return chunk;
}

static struct chunk *get_chunk(struct lib_jobs *jobs)
{
	struct chunk *chunk;

	pthread_mutex_lock(&jobs->lock);
	chunk = jobs->unused;
	if (chunk)
		jobs->unused = chunk->next;
	pthread_mutex_unlock(&jobs->lock);
	return chunk ?: alloc_chunk();
}

/* Give lines to the user, now or later. Return: false if threads shall end. */
static bool put_chunk(struct worker *worker, struct chunk *chunk, size_t len)
{
	struct lib_jobs *jobs = worker->jobs;
	struct slice *slice = worker->slice;
	bool go_on;

	chunk->next = NULL;
	chunk->len = len;
	chunk->notes = worker->notes;
	chunk->untold = worker->untold;
	worker->untold = 0;
	worker->notes = NULL;
	worker->last = &worker->notes;

	pthread_mutex_lock(&jobs->lock);
	*slice->last = chunk;
	slice->last = &chunk->next;
	slice->kept += len;
	if (slice == &jobs->slices[jobs->current])
		pthread_cond_signal(&jobs->shown);
	while (slice->kept >= LIB_KEPT && !jobs->stop)
		pthread_cond_wait(&jobs->moved, &jobs->lock);
	go_on = !jobs->stop;
	pthread_mutex_unlock(&jobs->lock);
	return go_on;
}

/* Nobody makes further lines of the slice. */
static void finish(struct worker *worker, struct worker *heir)
{
	worker->slice->heir = heir;
	worker->slice->state = DONE;
	pthread_cond_signal(&worker->jobs->shown);
}

/* All lines of the slice. Return: false if its end was not reached. */
static bool make_lines(struct worker *worker)
{
	struct chunk *chunk;
	long len;

	do {
		chunk = get_chunk(worker->jobs);
		len = chunk ? libltt_text(worker->reader, chunk->text, sizeof(chunk->text)) :
			      -ENOMEM;
		if (chunk && !put_chunk(worker, chunk, max(len, 0l)))
			return false;
	} while (len > 0);
	if (!len)
		return true;

	pthread_mutex_lock(&worker->jobs->lock);
	finish(worker, worker);
	pthread_mutex_unlock(&worker->jobs->lock);
	return false;
}

static bool may_take(const struct lib_jobs *jobs)
{
	return jobs->taken <= jobs->current + jobs->ahead;
}

/*
 * After the end of a slice. Return: true to go on with worker->slice; if that is NULL, with another
 * one. False: there is nothing more to do.
 */
static bool hand_over(struct worker *worker)
{
	struct lib_jobs *jobs = worker->jobs;
	struct slice *slice = worker->slice, *next = slice + 1;
	bool equal, go_on = false;

	pthread_mutex_lock(&jobs->lock);
	if (next == jobs->slices + jobs->nr) {
		finish(worker, worker);
		goto out;
	}
	while (!jobs->stop && (next->state == TAKEN || (next->state == WAITING && !may_take(jobs))))
		pthread_cond_wait(&jobs->moved, &jobs->lock);
	if (jobs->stop)
		goto out;
	go_on = true;
	if (next->state == WAITING) {
		jobs->taken++;
		next->state = BEGUN;
		worker->slice = next;
		slice->state = DONE;
		pthread_cond_signal(&jobs->shown);
		goto out;
	}
	/* Nobody else looks at them. */
	pthread_mutex_unlock(&jobs->lock);
	equal = next->places && lib_places_equal(worker->reader, next->places);
	free(next->places);
	next->places = NULL;
	pthread_mutex_lock(&jobs->lock);
	finish(worker, equal ? NULL : worker);
	worker->slice = NULL;
	go_on = equal;
out:
	pthread_mutex_unlock(&jobs->lock);
	return go_on;
}

/* Find where the slice begins. */
static void begin(struct worker *worker)
{
	struct lib_jobs *jobs = worker->jobs;
	struct slice *slice = worker->slice;
	struct lib_place *places = NULL;

	worker->quiet = slice > jobs->slices;
	lib_merge_start(worker->reader);
	if (worker->quiet)
		places = lib_places(worker->reader);
	worker->quiet = false;

	pthread_mutex_lock(&jobs->lock);
	slice->places = places;
	slice->state = BEGUN;
	pthread_cond_broadcast(&jobs->moved);
	pthread_mutex_unlock(&jobs->lock);
}

/* Return: false if there is none left. */
static bool take_slice(struct worker *worker, u64 *first)
{
	struct lib_jobs *jobs = worker->jobs;
	struct slice *slice = NULL;

	pthread_mutex_lock(&jobs->lock);
	while (!jobs->stop && jobs->taken < jobs->nr && !may_take(jobs))
		pthread_cond_wait(&jobs->moved, &jobs->lock);
	if (!jobs->stop && jobs->taken < jobs->nr) {
		slice = &jobs->slices[jobs->taken++];
		slice->state = TAKEN;
	}
	pthread_mutex_unlock(&jobs->lock);
	worker->slice = slice;
	if (slice > jobs->slices)
		*first = slice[-1].end + 1;
	return slice;
}

static void *work(void *data)
{
	struct worker *worker = data;
	u64 first = worker->reader->begin;

	while (take_slice(worker, &first)) {
		libltt_range(worker->reader, first, worker->slice->end);
		begin(worker);
		do {
			worker->reader->end = worker->slice->end;
			if (!make_lines(worker) || !hand_over(worker))
				return NULL;
		} while (worker->slice);
	}
	return NULL;
}

/* ---- the user ------------------------------------------------------------------- */

static void free_chunks(struct chunk *chunk)
{
	struct chunk *next;

	for (; chunk; chunk = next) {
		next = chunk->next;
		free_notes(chunk->notes);
		free(chunk);
	}
}

static void end_threads(struct lib_jobs *jobs)
{
	unsigned int i;

	pthread_mutex_lock(&jobs->lock);
	jobs->stop = true;
	pthread_cond_broadcast(&jobs->moved);
	pthread_mutex_unlock(&jobs->lock);
	for (i = 0; i < jobs->running; i++)
		pthread_join(jobs->workers[i].thread, NULL);
	jobs->running = 0;
}

static void free_jobs(struct lib_jobs *jobs)
{
	unsigned int i;
	size_t nr;

	for (i = 0; jobs->workers && i < jobs->nr_workers; i++) {
		lib_copy_free(jobs->workers[i].reader);
		free_notes(jobs->workers[i].notes);
	}
	for (nr = 0; jobs->slices && nr < jobs->nr; nr++) {
		free_chunks(jobs->slices[nr].first);
		free(jobs->slices[nr].places);
	}
	free_chunks(jobs->unused);
	free_chunks(jobs->lent);
	pthread_cond_destroy(&jobs->moved);
	pthread_cond_destroy(&jobs->shown);
	pthread_mutex_destroy(&jobs->lock);
	free(jobs->slices);
	free(jobs->workers);
	free(jobs);
}

/* Of the last times of slices. Return: NULL if there is no memory. */
static struct lib_jobs *create_jobs(const u64 *ends, size_t nr, unsigned int nr_workers)
{
	struct lib_jobs *jobs = calloc(1, sizeof(*jobs));
	size_t i;

	if (!jobs)
		return NULL;
	pthread_mutex_init(&jobs->lock, NULL);
	pthread_cond_init(&jobs->shown, NULL);
	pthread_cond_init(&jobs->moved, NULL);
	jobs->nr = nr;
	/* One of the workers may be late by half a slice. */
	jobs->ahead = nr_workers + nr_workers / 2;
	jobs->nr_workers = nr_workers;
	jobs->slices = calloc(nr, sizeof(*jobs->slices));
	jobs->workers = calloc(nr_workers, sizeof(*jobs->workers));
	if (!jobs->slices || !jobs->workers) {
		free_jobs(jobs);
		return NULL;
	}
	for (i = 0; i < nr; i++) {
		jobs->slices[i].end = ends[i];
		jobs->slices[i].last = &jobs->slices[i].first;
	}
	return jobs;
}

static int start_threads(struct libltt *ltt, struct lib_jobs *jobs)
{
	struct libltt_options options = ltt->options;
	struct worker *worker;
	unsigned int i;

	options.report = take_note;
	for (i = 0; i < jobs->nr_workers; i++) {
		worker = &jobs->workers[i];
		worker->jobs = jobs;
		worker->last = &worker->notes;
		options.data = worker;
		worker->reader = lib_copy_create(ltt, &options, jobs->nr_workers);
		if (!worker->reader)
			return -ENOMEM;
	}
	for (i = 0; i < jobs->nr_workers; i++) {
		worker = &jobs->workers[i];
		if (pthread_create(&worker->thread, NULL, work, worker))
			break;
		jobs->running++;
	}
	return jobs->running ? 0 : -EAGAIN;
}

/**
 * lib_jobs_start() - let threads make the lines
 * @ltt:	the traces, of which nothing has been read; what is wanted has been said
 * @nr:		how many threads
 *
 * There are fewer threads, or none, if the range is small, there are too many streams, or there are
 * no indexes; none if there is no memory.
 *
 * From now on until lib_jobs_text() returns 0, the only other function to be called for @ltt is
 * libltt_close().
 *
 * Return: how many threads there are.
 */
unsigned int lib_jobs_start(struct libltt *ltt, unsigned int nr)
{
	struct lib_jobs *jobs = NULL;
	size_t nr_slices = 0;
	u64 *ends = NULL;
	unsigned int i;

	if (ltt->nr_streams)
		nr = min_t(u64, nr, WINDOWS_MAX / WINDOW / ltt->nr_streams);
	if (nr < 2 || lib_slices(ltt, &ends, &nr_slices) || nr_slices < 2 ||
	    !lib_symbols_prepare(ltt))
		goto out;
	jobs = create_jobs(ends, nr_slices, min_t(size_t, nr, nr_slices));
	if (jobs && start_threads(ltt, jobs)) {
		free_jobs(jobs);
		jobs = NULL;
	}
out:
	free(ends);
	/* One reader does not need them, but may need other files. */
	for (i = 0; i < ltt->nr_streams && !jobs; i++)
		lib_index_close(&ltt->streams[i]);
	ltt->jobs = jobs;
	return jobs ? jobs->running : 0;
}

/* The user is done with the lines it has got last. Return: the next, NULL: there are none. */
static struct chunk *next_chunk(struct lib_jobs *jobs, struct worker **heir)
{
	struct chunk *chunk = NULL;
	struct slice *slice;
	bool full;

	pthread_mutex_lock(&jobs->lock);
	if (jobs->lent) {
		jobs->lent->next = jobs->unused;
		jobs->unused = jobs->lent;
		jobs->lent = NULL;
	}
	for (;;) {
		slice = &jobs->slices[jobs->current];
		chunk = slice->first;
		*heir = slice->heir;
		if (chunk || (slice->state == DONE && slice->heir))
			break;
		if (slice->state == DONE) {
			jobs->current++;
			pthread_cond_broadcast(&jobs->moved);
		} else {
			pthread_cond_wait(&jobs->shown, &jobs->lock);
		}
	}
	if (chunk) {
		full = slice->kept >= LIB_KEPT;
		slice->kept -= chunk->len;
		if (full && slice->kept < LIB_KEPT)
			pthread_cond_broadcast(&jobs->moved);
		slice->first = chunk->next;
		if (!slice->first)
			slice->last = &slice->first;
		chunk->next = NULL;
		jobs->lent = chunk;
	}
	pthread_mutex_unlock(&jobs->lock);
	return chunk;
}

static void report_notes(struct libltt *ltt, struct chunk *chunk)
{
	const struct note *note;

	for (note = chunk->notes; note; note = note->next)
		lib_report(ltt, note->severity, note->code, note->file, note->offset, "%s",
			   note->text ?: "");
	ltt->errors += chunk->untold;
	free_notes(chunk->notes);
	chunk->notes = NULL;
}

/**
 * lib_jobs_text() - take lines that threads have made
 * @ltt:	the traces
 * @text:	returns the lines, valid until the next call
 *
 * Reports problems as libltt_text() does.
 *
 * Return: bytes of the lines; 0: there are no more of them, or there are no threads. Then
 * libltt_text() goes on after them, with what is left of the range.
 */
long lib_jobs_text(struct libltt *ltt, const char **text)
{
	struct lib_jobs *jobs = ltt->jobs;
	struct worker *heir;
	struct chunk *chunk;

	if (!jobs)
		return 0;
	do {
		chunk = next_chunk(jobs, &heir);
		if (!chunk) {
			end_threads(jobs);
			lib_copy_adopt(ltt, heir->reader);
			free_jobs(jobs);
			ltt->jobs = NULL;
			return 0;
		}
		report_notes(ltt, chunk);
	} while (!chunk->len);
	*text = chunk->text;
	return chunk->len;
}

/**
 * lib_jobs_stop() - end the threads, if there are any
 * @ltt:	the traces
 */
void lib_jobs_stop(struct libltt *ltt)
{
	if (!ltt->jobs)
		return;
	end_threads(ltt->jobs);
	free_jobs(ltt->jobs);
	ltt->jobs = NULL;
}
