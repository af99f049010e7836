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

#include "../capture/progress.h"
#include "../cmd/printable.h"
#include "../lib/private.h"
#include "flight.h"

#define MADE		"flight/made"
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
 * @taken:	ns of CLOCK_MONOTONIC, when it was taken
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
	uint64_t number;
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
	when = (real.tv_sec * NSEC_PER_SEC + real.tv_nsec - progress_now() + taken) / NSEC_PER_SEC;
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
		if (!name || !strcmp(name, MADE) || !strcmp(name, "flight"))
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
	fprintf(out, "%srecorder %s\nname %s\ntrace %s\nwindow %u\nd flight\nf " MADE "\n",
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

/* Returns the list of what is in it, to be freed with what it returns in @text. */
static char *read_made(const struct store *store, const char *name, struct kept *kept, char **text)
{
	struct libltt_problem problem = { };
	char *path, id[SESSION_UUID_SIZE], own[NAME_MAX + 1];
	struct stat st;
	size_t size;
	int end = 0;

	*text = NULL;
	if (asprintf(&path, "%s/%s/" MADE, store->path, name) < 0)
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
	own = own && read_made(store, name, kept, &text);
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

/*
 * Is all that is in the directory on the list? Its size is added up; @foreign receives what is
 * not, NULL if even that cannot be said.
 */
static bool is_listed(char *path, char **lines, size_t nr, uint64_t *bytes, char **foreign)
{
	FTS *fts = walk(path);
	FTSENT *entry;
	const char *name;
	bool listed = true;
	char *line;

	if (!fts)
		return false;
	*bytes = 0;
	while (listed && (entry = fts_read(fts))) {
		name = inside(entry, strlen(path) + 1);
		if (!name)
			continue;
		if (asprintf(&line, "%c %s", kind_of(entry), name) < 0)
			line = NULL;
		listed = line && bsearch(&line, lines, nr, sizeof(*lines), compare_lines);
		if (listed)
			*bytes += entry->fts_statp->st_blocks * BLOCK;
		else
			*foreign = strdup(name);
		free(line);
	}
	/* At the end fts_read() sets it to 0. */
	if (listed && errno)
		listed = false;
	fts_close(fts);
	return listed;
}

/* Is all of it ours? Then its size is known. */
static bool is_pure(const struct store *store, struct kept *kept, bool quiet)
{
	char *text, *list = read_made(store, kept->name, kept, &text), *path, *foreign = NULL;
	char **lines = NULL;
	bool pure = false;
	size_t nr;

	path = path_of(store, kept->name);
	if (list && path) {
		nr = sort_lines(list, &lines);
		pure = is_listed(path, lines, nr, &kept->bytes, &foreign);
	}
	if (foreign && !quiet) {
		char *shown = printable(foreign);

		warnx("%s: stays, %s in it is not from ltt flight", path, shown ?: "?");
		free(shown);
	}
	free(foreign);
	free(lines);
	free(path);
	free(text);
	return pure;
}

/* What is half removed is not to be seen. */
static int drop(const struct store *store, const char *name)
{
	char *from = path_of(store, name), *to = store_tmp(store, name);
	int ret = from && to ? 0 : -ENOMEM;

	if (!ret && rename(from, to)) {
		ret = -errno;
		warn("%s", from);
	}
	free(from);
	free(to);
	return ret ?: store_clean(store, name);
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

	if (ret)
		error(0, -ret, "%s", store->path);
	/* From the newest to the oldest. */
	for (i = nr - 1; i >= 0; i--) {
		if (!is_pure(store, &all[i], quiet))
			continue;
		bytes += all[i].bytes;
		left++;
		if (left > 1 && (left > keep || bytes > max_size))
			ret = drop(store, all[i].name) ?: ret;
	}
	free(all);
	return ret;
}
