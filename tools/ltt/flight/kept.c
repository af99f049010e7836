// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: windows on disk.
 *
 * A directory is ours if its file flight/made has the id of the directory of windows, and the
 * name that it still has: one that was copied or renamed is somebody else's. It is removed only
 * if all that is in it is on the list in that file, and is what it was, a file or a directory.
 */

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../common/now.h"
#include "../common/printable.h"
#include "../lib/private.h"
#include "flight.h"

#define MADE_DIR	"flight"
#define MADE		MADE_DIR "/made"
#define MADE_MAX	(64 << 20)

#define NSEC_PER_SEC	UINT64_C(1000000000)

/* What st_blocks counts. */
#define BLOCK		512

static const char made_begin[] =
	"# Made by ltt flight, which removes this directory as long as that is its name, and\n"
	"# nothing else is in it.\n";

static char *path_of(const struct store *store, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", store->path, name) >= 0)
		return path;
	error(0, ENOMEM, "%s", name);
	return NULL;
}

/* The number with which a name begins; 0: none. */
static uint64_t number_of(const char *name)
{
	char *end;
	uint64_t number;

	if (*name < '1' || *name > '9')
		return 0;
	errno = 0;
	number = strtoull(name, &end, 10);
	return errno || *end != '-' ? 0 : number;
}

/**
 * kept_name() - a name for a new window
 * @store:	the store
 * @taken:	ns of the trace's clock, when it was taken: CLOCK_MONOTONIC, or ahead of that if the
 *		machine has slept
 * @name:	returns it
 *
 * It begins with the next number, that nothing in the directory begins with.
 *
 * Return: 0, or a negative errno, which has been said.
 */
int kept_name(struct store *store, uint64_t taken, char name[NAME_MAX + 1])
{
	struct timespec real;
	struct dirent *entry;
	uint64_t number, now;
	struct tm tm;
	time_t when;
	DIR *list;
	int ret;

	list = opendir(store->path);
	if (!list) {
		ret = -errno;
		warn("%s", store->path);
		return ret;
	}
	while ((entry = readdir(list))) {
		number = number_of(entry->d_name);
		if (number >= store->next && number < UINT64_MAX)
			store->next = number + 1;
	}
	closedir(list);
	clock_gettime(CLOCK_REALTIME, &real);
	now = now_ns();
	when = (real.tv_sec * NSEC_PER_SEC + real.tv_nsec - now + (taken < now ? taken : now)) /
	       NSEC_PER_SEC;
	gmtime_r(&when, &tm);
	snprintf(name, NAME_MAX + 1, "%" PRIu64 "-%04d%02d%02dT%02d%02d%02dZ", store->next,
		 tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
	return 0;
}

/* ---- what is in a directory --------------------------------------------------- */

/* Open a directory to walk through it, directories after what is in them. */
static FTS *walk(char *path)
{
	char *const paths[] = { path, NULL };
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);

	if (!fts)
		warn("%s", path);
	return fts;
}

/* What is to be done with an entry: its path in the directory, NULL: nothing. */
static const char *inside(const FTSENT *entry, size_t prefix)
{
	return entry->fts_info == FTS_D || entry->fts_level == FTS_ROOTLEVEL
		? NULL : entry->fts_path + prefix;
}

static char kind_of(const FTSENT *entry)
{
	return entry->fts_info == FTS_F ? 'f' : entry->fts_info == FTS_DP ? 'd' : '?';
}

/* Is it the list, or the directory that has it? */
static bool is_list(const char *name)
{
	return !strcmp(name, MADE) || !strcmp(name, MADE_DIR);
}

static int put_list(FILE *out, char *path)
{
	FTS *fts = walk(path);
	size_t prefix = strlen(path) + 1;
	const char *name;
	FTSENT *entry;
	int ret = 0;

	if (!fts)
		return -errno;
	while (!ret && (entry = fts_read(fts))) {
		name = inside(entry, prefix);
		if (!name || is_list(name))
			continue;
		fprintf(out, "%c %s\n", kind_of(entry), name);
		ret = store_sync(entry->fts_path);
	}
	if (!ret && errno)
		ret = -errno;
	fts_close(fts);
	return ret;
}

static int put_made(const struct store *store, const char *name, unsigned int window, char *path)
{
	char *made;
	FILE *out;
	int ret;

	if (asprintf(&made, "%s/" MADE, path) < 0)
		return -ENOMEM;
	out = fopen(made, "wxe");
	if (!out) {
		ret = -errno;
		free(made);
		return ret;
	}
	fprintf(out, "%srecorder %s\nname %s\ntrace %s\nwindow %u\nd " MADE_DIR "\nf " MADE "\n",
		made_begin, store->id, name, store->uuid, window);
	ret = put_list(out, path);
	if ((fflush(out) || ferror(out) || fsync(fileno(out))) && !ret)
		ret = -errno;
	if (fclose(out) && !ret)
		ret = -errno;
	*strrchr(made, '/') = '\0';
	ret = ret ?: store_sync(made) ?: store_sync(path);
	free(made);
	return ret;
}

/**
 * kept_seal() - let a directory that is complete appear under its name
 * @store:	the store
 * @name:	which it has in tmp/, too
 * @window:	number of the window in the kernel
 *
 * All is on disk then. Says what is wrong.
 *
 * Return: 0, or a negative errno: there is no such name.
 */
int kept_seal(const struct store *store, const char *name, unsigned int window)
{
	char *from = store_tmp(store, name), *to = path_of(store, name);
	int ret = from && to ? 0 : -ENOMEM;

	if (!ret)
		ret = put_made(store, name, window, from);
	/* Not all file systems can; nothing had a name with this number. */
	if (!ret && renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) &&
	    (errno != EINVAL || rename(from, to)))
		ret = -errno;
	if (ret && to)
		error(0, -ret, "%s", to);
	if (!ret && store_sync(store->path))
		warn("%s", store->path);
	free(from);
	free(to);
	return ret;
}

/* ---- windows that are ours ----------------------------------------------------- */

/*
 * The list of what is in a directory, which is a window if that has a name. To be freed with what
 * is returned in @text.
 */
static char *read_made(const struct store *store, const char *dir, const char *name,
		       struct kept *kept, char **text)
{
	struct libltt_problem problem = { };
	char *path, id[SESSION_UUID_SIZE], own[NAME_MAX + 1];
	struct stat st;
	size_t size;
	int end = 0;

	*text = NULL;
	if (asprintf(&path, "%s/" MADE, dir) < 0)
		return NULL;
	/* Whatever is behind a link. */
	if (!lstat(path, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    lib_file_load(path, MADE_MAX, text, &size, &problem))
		*text = NULL;
	free(path);
	if (!*text)
		return NULL;
	if (strncmp(*text, made_begin, strlen(made_begin)) ||
	    sscanf(*text + strlen(made_begin),
		   "recorder %36[-0-9a-f] name %255[^\n] trace %36[-0-9a-f] window %u%n", id, own,
		   kept->uuid, &kept->window, &end) != 4 || strcmp(id, store->id) ||
	    strcmp(own, name))
		return NULL;
	return *text + strlen(made_begin) + end;
}

static bool is_own(const struct store *store, const char *name, struct kept *kept)
{
	char *path, *text = NULL;
	struct stat st;
	bool own;

	kept->number = number_of(name);
	if (!kept->number)
		return false;
	snprintf(kept->name, sizeof(kept->name), "%s", name);
	path = path_of(store, name);
	own = path && !lstat(path, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid();
	own = own && read_made(store, path, name, kept, &text);
	free(path);
	free(text);
	return own;
}

static int compare_numbers(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

/* All that are ours, the oldest first. Return: how many, or a negative errno. */
static ssize_t list_own(const struct store *store, struct kept **all)
{
	struct kept kept = { }, *more;
	struct dirent *entry;
	ssize_t nr = 0;
	DIR *list;

	*all = NULL;
	list = opendir(store->path);
	if (!list)
		return -errno;
	while ((entry = readdir(list))) {
		if (!is_own(store, entry->d_name, &kept))
			continue;
		more = reallocarray(*all, nr + 1, sizeof(**all));
		if (!more) {
			nr = -ENOMEM;
			break;
		}
		*all = more;
		more[nr++] = kept;
	}
	closedir(list);
	if (nr > 0)
		qsort(*all, nr, sizeof(**all), compare_numbers);
	return nr;
}

/**
 * kept_has() - is a window of our trace on disk?
 * @store:	the store
 * @window:	its number in the kernel
 *
 * Return: whether it is there.
 */
bool kept_has(const struct store *store, unsigned int window)
{
	struct kept *all;
	ssize_t nr = list_own(store, &all);
	bool found = false;

	while (nr-- > 0)
		found |= all[nr].window == window && !strcmp(all[nr].uuid, store->uuid);
	free(all);
	return found;
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Cut text into lines, and sort them. Return: how many. */
static size_t sort_lines(char *text, char ***lines)
{
	size_t nr = 0, room = 0;
	char *line, **more;

	*lines = NULL;
	while ((line = strsep(&text, "\n"))) {
		if (!*line)
			continue;
		if (nr == room) {
			room = room ? 2 * room : 64;
			more = reallocarray(*lines, room, sizeof(**lines));
			if (!more)
				return 0;
			*lines = more;
		}
		(*lines)[nr++] = line;
	}
	qsort(*lines, nr, sizeof(**lines), compare_lines);
	return nr;
}

/**
 * struct contents - what is in a directory
 * @lines:	what there should be at most, sorted
 * @nr:		how many
 * @remove:	remove it, but for the list
 * @bytes:	returns how large it is
 * @foreign:	returns what is not in @lines; NULL: nothing, or something else is wrong
 * @err:	returns why something cannot be removed, an errno
 */
struct contents {
	char **lines;
	size_t nr;
	bool remove;
	uint64_t bytes;
	char *foreign;
	int err;
};

/* Return: whether it is what it should be. */
static bool look_at(struct contents *c, const FTSENT *entry, const char *name)
{
	char *line;
	bool listed;

	if (asprintf(&line, "%c %s", kind_of(entry), name) < 0)
		return false;
	listed = bsearch(&line, c->lines, c->nr, sizeof(*c->lines), compare_lines);
	free(line);
	if (!listed)
		c->foreign = strdup(name);
	else
		c->bytes += entry->fts_statp->st_blocks * BLOCK;
	if (listed && c->remove && !is_list(name) && remove(entry->fts_path))
		c->err = errno;
	return listed && !c->err;
}

static bool look_at_all(struct contents *c, char *path)
{
	FTS *fts = walk(path);
	FTSENT *entry;
	const char *name;
	bool good = fts;

	while (good && (entry = fts_read(fts))) {
		name = inside(entry, strlen(path) + 1);
		good = !name || look_at(c, entry, name);
	}
	/* At the end fts_read() sets it to 0. */
	if (good && errno)
		good = false;
	if (fts)
		fts_close(fts);
	return good;
}

/* The list goes last: as long as it is there, it is known what else is ours. */
static bool remove_list(struct contents *c, const char *path)
{
	static const char *const last[] = { "/" MADE, "/" MADE_DIR, "" };
	unsigned int i;
	char *name;

	for (i = 0; i < sizeof(last) / sizeof(*last) && !c->err; i++) {
		if (asprintf(&name, "%s%s", path, last[i]) < 0) {
			c->err = ENOMEM;
			break;
		}
		if (remove(name))
			c->err = errno;
		free(name);
	}
	return !c->err;
}

/*
 * Is all that is in the directory of a window, which has that path now, ours? Then its size is
 * known. @removing: and remove it.
 */
static bool is_pure(const struct store *store, struct kept *kept, char *path, bool removing,
		    bool quiet)
{
	char *text, *list = read_made(store, path, kept->name, kept, &text), *shown;
	struct contents c = { };
	bool pure = false;

	if (list) {
		c.nr = sort_lines(list, &c.lines);
		pure = look_at_all(&c, path);
	}
	kept->bytes = c.bytes;
	if (pure && removing) {
		c.remove = true;
		pure = look_at_all(&c, path) && remove_list(&c, path);
	}
	if (c.err)
		error(0, c.err, "%s", path);
	if (c.foreign && !quiet) {
		shown = printable(c.foreign);
		warnx("%s/%s: stays, %s in it is not from ltt flight", store->path, kept->name,
		      shown ?: "?");
		free(shown);
	}
	free(c.foreign);
	free(c.lines);
	free(text);
	return pure;
}

/*
 * What is half removed is not to be seen. Somebody may have put something into it since we have
 * looked, or be about to: that stays, under its name.
 */
static int drop(const struct store *store, struct kept *kept, char *from)
{
	char *to = store_tmp(store, kept->name);
	int ret = to ? 0 : -ENOMEM;

	if (!ret && rename(from, to)) {
		ret = -errno;
		warn("%s", from);
	} else if (!ret && !is_pure(store, kept, to, true, false) && rename(to, from)) {
		ret = -errno;
		warn("%s", to);
	}
	free(to);
	return ret;
}

/**
 * kept_finish() - go on with what was being removed when a recorder was killed
 * @store:	the store
 *
 * What somebody has put into it stays, under the window's name. Says what is wrong.
 *
 * Return: 0, or a negative errno.
 */
int kept_finish(const struct store *store)
{
	char *tmp = store_tmp(store, ""), *from, *to, *text;
	DIR *list = tmp ? opendir(tmp) : NULL;
	struct kept kept = { };
	struct dirent *entry;
	int ret = 0;

	if (!list) {
		ret = tmp ? -errno : -ENOMEM;
		error(0, -ret, "%s", tmp ?: "");
	}
	while (!ret && (entry = readdir(list))) {
		from = store_tmp(store, entry->d_name);
		to = path_of(store, entry->d_name);
		text = NULL;
		if (!from || !to) {
			ret = -ENOMEM;
		} else if (read_made(store, from, entry->d_name, &kept, &text)) {
			snprintf(kept.name, sizeof(kept.name), "%s", entry->d_name);
			if (!is_pure(store, &kept, from, true, false) && rename(from, to)) {
				ret = -errno;
				warn("%s", from);
			}
		}
		free(text);
		free(from);
		free(to);
	}
	if (list)
		closedir(list);
	free(tmp);
	return ret;
}

/**
 * kept_limit() - remove the oldest windows
 * @store:	the store
 * @keep:	how many there may be, of those that are ours
 * @max_size:	bytes that they may have
 * @quiet:	do not say which others are found: that has been said
 *
 * The newest stays, whatever its size. Says what is wrong.
 *
 * Return: 0, or a negative errno.
 */
int kept_limit(const struct store *store, uint64_t keep, uint64_t max_size, bool quiet)
{
	struct kept *all;
	ssize_t nr = list_own(store, &all), i;
	uint64_t bytes = 0, left = 0;
	int ret = nr < 0 ? nr : 0;
	char *path;

	if (ret)
		error(0, -ret, "%s", store->path);
	/* From the newest to the oldest. */
	for (i = nr - 1; i >= 0; i--) {
		path = path_of(store, all[i].name);
		if (path && is_pure(store, &all[i], path, false, quiet)) {
			bytes += all[i].bytes;
			left++;
			if (left > 1 && (left > keep || bytes > max_size))
				ret = drop(store, &all[i], path) ?: ret;
		}
		free(path);
	}
	free(all);
	return ret;
}
