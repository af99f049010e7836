// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the directory of windows, and what is remembered there. See flight.h.
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
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../common/ondisk.h"
#include "../lib/private.h"
#include "flight.h"

#define DIR_DEFAULT	"/var/lib/ltt"

#define PRIVATE		".ltt-flight"
#define STATE		PRIVATE "/state"
#define STATE_NEW	PRIVATE "/state.new"
#define TMP		PRIVATE "/tmp"

/* The first line of the state: nobody else has such a file. */
static const char state_begin[] = "# Written by ltt flight, to know its own again\n";

static char *path_in(const struct store *store, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", store->path, name) < 0 ? NULL : path;
}

static int no_memory(const struct store *store)
{
	error(0, ENOMEM, "%s", store->path);
	return -ENOMEM;
}

/**
 * store_sync() - have a file or a directory on disk
 * @path:	its name
 *
 * Return: 0, or a negative errno.
 */
int store_sync(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (fsync(fd))
		ret = -errno;
	/* A disk may tell only now that it is full. */
	if (close(fd) && !ret)
		ret = -errno;
	return ret;
}

/**
 * store_tmp() - the name of a directory while it is not to be seen
 * @store:	the store
 * @name:	which it will have, or had
 *
 * Return: the path, to be freed; NULL: no memory, which has been said.
 */
char *store_tmp(const struct store *store, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/" TMP "/%s", store->path, name) >= 0)
		return path;
	no_memory(store);
	return NULL;
}

/* Remove what is in a directory of ours, whatever it is, but not the directory. */
static int empty(char *path)
{
	char *const paths[] = { path, NULL };
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	FTSENT *entry;
	int ret = 0;

	if (!fts)
		return -errno;
	while ((entry = fts_read(fts))) {
		if (entry->fts_info == FTS_D || entry->fts_level == FTS_ROOTLEVEL)
			continue;
		if (entry->fts_info == FTS_DP ? rmdir(entry->fts_path) : unlink(entry->fts_path))
			ret = -errno;
	}
	fts_close(fts);
	return ret;
}

/**
 * store_clean() - remove a directory that is not to be seen
 * @store:	the store
 * @name:	of the directory in tmp/, NULL: all of them
 *
 * Says what is wrong.
 *
 * Return: 0, or a negative errno.
 */
int store_clean(const struct store *store, const char *name)
{
	char *path = store_tmp(store, name ?: "");
	int ret;

	if (!path)
		return -ENOMEM;
	ret = empty(path);
	if (!ret && name && rmdir(path))
		ret = -errno;
	if (ret)
		error(0, -ret, "%s", path);
	free(path);
	return ret;
}

/* ---- the state ---------------------------------------------------------------- */

/**
 * store_save() - remember what is known
 * @store:	the store
 *
 * Says what is wrong; then the old state is still there.
 *
 * Return: 0, or a negative errno.
 */
int store_save(const struct store *store)
{
	char *new = path_in(store, STATE_NEW), *path = path_in(store, STATE), *text = NULL;
	int fd = -1, ret = -ENOMEM, len;

	if (!new || !path)
		goto out;
	len = asprintf(&text, "%srecorder %s\nnext %" PRIu64 "\n", state_begin, store->id,
		       store->next);
	if (len >= 0 && *store->trace) {
		free(text);
		len = asprintf(&text,
			       "%srecorder %s\nnext %" PRIu64 "\ntrace %s %s %s %016" PRIx64 "\n",
			       state_begin, store->id, store->next, store->uuid, store->trace,
			       store->unarmed ? "unarmed" : store->ready ? "ready" : "new",
			       store->settings);
	}
	if (len < 0) {
		text = NULL;
		goto out;
	}
	fd = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	ret = fd < 0 ? -errno : ondisk_write(fd, text, len);
	if (!ret && fsync(fd))
		ret = -errno;
	if (fd >= 0 && close(fd) && !ret)
		ret = -errno;
	if (!ret && rename(new, path))
		ret = -errno;
	if (!ret && fsync(store->lock))
		ret = -errno;
out:
	if (ret)
		error(0, -ret, "%s/" STATE, store->path);
	free(text);
	free(new);
	free(path);
	return ret;
}

static int parse_state(struct store *store, const char *text)
{
	char how[8];
	int end = 0;

	if (strncmp(text, state_begin, strlen(state_begin)))
		return -EBADMSG;
	text += strlen(state_begin);
	if (sscanf(text, "recorder %36[-0-9a-f] next %" SCNu64 "%n", store->id, &store->next,
		   &end) != 2 || !end || strlen(store->id) != SESSION_UUID_SIZE - 1)
		return -EBADMSG;
	text += end;
	if (!strcmp(text, "\n"))
		return 0;
	if (sscanf(text, " trace %36[-0-9a-f] %63[^ ] %7[a-z] %" SCNx64 "%n", store->uuid,
		   store->trace, how, &store->settings, &end) != 4 || strcmp(text + end, "\n"))
		return -EBADMSG;
	store->unarmed = !strcmp(how, "unarmed");
	store->ready = store->unarmed || !strcmp(how, "ready");
	return 0;
}

/* What a recorder that was killed at once may have left. */
static bool is_fresh(const char *path)
{
	struct dirent *entry;
	DIR *list = opendir(path);
	bool fresh = list;

	while (fresh && (entry = readdir(list))) {
		fresh = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
			!strcmp(entry->d_name, "tmp") || !strcmp(entry->d_name, "state.new");
	}
	if (list)
		closedir(list);
	return fresh;
}

static int new_id(struct store *store)
{
	FILE *f = fopen("/proc/sys/kernel/random/uuid", "re");
	int ret = f && fscanf(f, "%36[-0-9a-f]", store->id) == 1 ? 0 : -EIO;

	if (f)
		fclose(f);
	if (ret)
		warn("/proc/sys/kernel/random/uuid");
	return ret;
}

static int load(struct store *store, const char *private)
{
	struct libltt_problem problem = { };
	char *path = path_in(store, STATE), *text;
	size_t size;
	int ret;

	if (!path)
		return no_memory(store);
	if (faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) && errno == ENOENT &&
	    is_fresh(private)) {
		free(path);
		store->next = 1;
		return new_id(store) ?: store_save(store);
	}
	ret = lib_file_load(path, 4096, &text, &size, &problem);
	if (!ret) {
		ret = parse_state(store, text);
		free(text);
	}
	if (ret == -EBADMSG || ret == -ENOENT)
		warnx("%s: not made by ltt flight", private);
	else if (ret)
		warnx("%s", problem.text);
	free(path);
	return ret;
}

/* ---- the directory ------------------------------------------------------------ */

static int make(const char *path)
{
	int ret;

	if (!mkdir(path, 0700) || errno == EEXIST)
		return 0;
	ret = -errno;
	warn("%s", path);
	return ret;
}

/*
 * Nobody else may write to a directory, or what is there would prove nothing, and could be a link
 * to what they cannot write to.
 */
static int check(const char *path, int fd)
{
	struct stat st;
	int ret;

	if (fd < 0 || fstat(fd, &st)) {
		ret = -errno;
		warn("%s", path);
		return ret;
	}
	if (st.st_uid == geteuid() && !(st.st_mode & 022))
		return 0;
	warnx("%s: others may write to it", path);
	return -EPERM;
}

static int check_path(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret = check(path, fd);

	if (fd >= 0)
		close(fd);
	return ret;
}

static int lock(struct store *store, const char *private)
{
	int ret;

	store->lock = open(private, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	ret = check(private, store->lock);
	if (ret)
		return ret;
	if (flock(store->lock, LOCK_EX | LOCK_NB)) {
		ret = -errno;
		if (ret == -EWOULDBLOCK)
			warnx("%s: in use by another ltt flight", store->path);
		else
			warn("%s", private);
		return ret;
	}
	return 0;
}

static int prepare(struct store *store)
{
	char *private = path_in(store, PRIVATE), *tmp = path_in(store, TMP);
	int ret = private && tmp ? 0 : no_memory(store);

	ret = ret ?: make(store->path) ?: check_path(store->path) ?: make(private) ?:
	      lock(store, private) ?: load(store, private) ?: make(tmp) ?:
	      kept_finish(store) ?: store_clean(store, NULL);
	free(private);
	free(tmp);
	return ret;
}

/**
 * store_open() - get at the directory of windows
 * @store:	the store
 * @options:	whose it is
 *
 * Makes it, if it is not there; removes what a recorder that was killed has left in tmp/. Nobody
 * else uses it until store_close(). Says what is wrong.
 *
 * Return: 0, or a negative errno; store_close() is right in both cases.
 */
int store_open(struct store *store, const struct flight_options *options)
{
	*store = (struct store) { .lock = -1 };
	if (options->dir)
		store->path = strdup(options->dir);
	else if (asprintf(&store->path, DIR_DEFAULT "/%s", options->name) < 0)
		store->path = NULL;
	if (!store->path) {
		error(0, ENOMEM, "%s", options->name);
		return -ENOMEM;
	}
	return (options->dir ? 0 : make(DIR_DEFAULT)) ?: prepare(store);
}

/**
 * store_close() - let others use the directory
 * @store:	the store
 */
void store_close(struct store *store)
{
	if (store->lock >= 0)
		close(store->lock);
	free(store->path);
}
