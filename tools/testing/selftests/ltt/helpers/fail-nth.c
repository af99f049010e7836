// SPDX-License-Identifier: GPL-2.0
/*
 * LTT test: something is done again and again, and each time another one of its
 * allocations (and copies from user space) fails.
 *
 *	fail-nth [OPTION]... write FILE STRING | open FILE | load MODULE.ko [PARAMETERS]
 *
 *	-m PATH		must not exist after a failure
 *	-s FILE		reads the same after a failure as before
 *	-p PATH		must exist after success; a directory always with as many entries
 *			below it
 *	-l FILE		if success has something to say here, -p may be broken
 *	-u FILE STRING	written after each success, to be able to do it again;
 *			-u unload MODULE does what it says
 *
 * Of loading a module, what comes before its memory is there is left out: the kernel
 * warns of failures there, with a trace of the stack.
 *
 * Ends when nothing fails any more, with that done. Prints how often it failed, and
 * how often it succeeded although something failed. All faults at first, then fewer
 * and fewer of them are tried. Exit status 1: a promise was broken.
 *
 * See "fail-nth" in the kernel's Documentation/fault-injection.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX		16
#define TEXT_MAX	1048576

struct list {
	const char *path[MAX];
	const char *text[MAX];
	int entries[MAX];
	int nr;
};

static struct list missing, same, present, undo;
static const char *says;
static char *before[MAX], *after;
static char *module;
static const char *parameters;
static size_t module_size;
static int nth_fd;
static bool broken;

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static void add(struct list *list, const char *path, const char *text)
{
	if (list->nr == MAX)
		die("too many options");
	list->path[list->nr] = path;
	list->text[list->nr++] = text;
}

static void slurp(const char *path, char *text)
{
	int fd = open(path, O_RDONLY);
	size_t len = 0;
	ssize_t n;

	if (fd < 0)
		die(path);
	while ((n = read(fd, text + len, TEXT_MAX - 1 - len)) > 0)
		len += n;
	if (n < 0)
		die(path);
	text[len] = '\0';
	close(fd);
}

static void set_nth(unsigned int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", nth);

	/* The second one cannot fail: the fault has happened in the first. */
	if (pwrite(nth_fd, text, len, 0) != len && pwrite(nth_fd, text, len, 0) != len)
		die("writing fail-nth");
}

/* How many more until the fault that was ordered? 0: it happened. Orders no more. */
static unsigned int left(void)
{
	char text[16] = "1";

	/* If this fails, here was the one that was left. */
	if (pread(nth_fd, text, sizeof(text) - 1, 0) < 0 && errno != EFAULT)
		die("reading fail-nth");
	set_nth(0);
	return atoi(text);
}

static void revert(void)
{
	int i, fd;

	for (i = 0; i < undo.nr; i++) {
		if (!strcmp(undo.path[i], "unload")) {
			if (syscall(SYS_delete_module, undo.text[i], O_NONBLOCK))
				die("delete_module");
			continue;
		}
		fd = open(undo.path[i], O_WRONLY);
		if (fd < 0 || write(fd, undo.text[i], strlen(undo.text[i])) < 0)
			die(undo.path[i]);
		close(fd);
	}
}

/* Return: errno, or 0. */
static int attempt(char **what, unsigned int nth, bool *fault)
{
	bool write_it = !strcmp(what[0], "write");
	int fd = -1, err = 0;

	if (write_it) {
		fd = open(what[1], O_WRONLY);
		if (fd < 0)
			die(what[1]);
	}
	set_nth(nth);
	if (module)
		err = syscall(SYS_init_module, module, module_size, parameters) ? errno : 0;
	else if (write_it)
		err = write(fd, what[2], strlen(what[2])) < 0 ? errno : 0;
	else
		err = (fd = open(what[1], O_RDONLY)) < 0 ? errno : 0;
	*fault = !left();
	if (fd >= 0)
		close(fd);
	return err;
}

/*
 * A module that is there already is refused as soon as the new one has its memory.
 * Return: the first fault to be tried.
 */
static unsigned int prepare_module(const char *path)
{
	const unsigned int many = 1000000;
	int fd = open(path, O_RDONLY);
	unsigned int used;
	struct stat stat;

	if (fd < 0 || fstat(fd, &stat))
		die(path);
	module_size = stat.st_size;
	module = mmap(NULL, module_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (module == MAP_FAILED)
		die(path);
	close(fd);
	if (syscall(SYS_init_module, module, module_size, parameters))
		die(path);
	set_nth(many);
	if (!syscall(SYS_init_module, module, module_size, parameters) || errno != EEXIST)
		die("the same module again");
	used = many - left();
	revert();
	return used + 1;
}

static void wrong(unsigned int nth, const char *why, const char *path)
{
	printf("fault %u: %s: %s\n", nth, why, path);
	broken = true;
}

static void check_failure(unsigned int nth, int err)
{
	int i;

	if (err != ENOMEM && err != EFAULT)
		wrong(nth, "errno", strerrorname_np(err));
	for (i = 0; i < missing.nr; i++) {
		if (!access(missing.path[i], F_OK))
			wrong(nth, "still there", missing.path[i]);
	}
	for (i = 0; i < same.nr; i++) {
		slurp(same.path[i], after);
		if (strcmp(before[i], after)) {
			wrong(nth, "has changed", same.path[i]);
			printf("before:\n%safter:\n%s", before[i], after);
		}
	}
}

static int entries;

static int count_entry(const char *path, const struct stat *stat, int flag)
{
	(void)path, (void)stat, (void)flag;
	entries++;
	return 0;
}

static void check_success(unsigned int nth)
{
	int i;

	if (says) {
		slurp(says, after);
		if (after[0])
			return;
	}
	for (i = 0; i < present.nr; i++) {
		entries = 0;
		ftw(present.path[i], count_entry, 16);
		if (!present.entries[i])
			present.entries[i] = entries;
		if (!entries || present.entries[i] != entries)
			wrong(nth, "not there or not whole, and nobody says so", present.path[i]);
	}
}

static char **options(char **arg)
{
	for (; *arg && arg[0][0] == '-'; arg += 2) {
		if (!strcmp(*arg, "-m"))
			add(&missing, arg[1], NULL);
		else if (!strcmp(*arg, "-s"))
			add(&same, arg[1], NULL);
		else if (!strcmp(*arg, "-p"))
			add(&present, arg[1], NULL);
		else if (!strcmp(*arg, "-l"))
			says = arg[1];
		else if (!strcmp(*arg, "-u"))
			add(&undo, arg[1], arg[2]);
		else
			die(*arg);
		if (!strcmp(*arg, "-u"))
			arg++;
	}
	return arg;
}

int main(int argc, char **argv)
{
	unsigned int nth = 1, failed = 0, survived = 0;
	char **what = options(argv + 1);
	bool fault = true;
	int err, i;

	if (argc < 3 || !what[0] || !what[1])
		die("usage");
	nth_fd = open("/proc/thread-self/fail-nth", O_RDWR);
	if (nth_fd < 0)
		die("fail-nth");
	after = malloc(TEXT_MAX);
	for (i = 0; i < same.nr; i++)
		before[i] = malloc(TEXT_MAX);

	if (!strcmp(what[0], "load")) {
		parameters = what[2] ?: "";
		nth = prepare_module(what[1]);
	}

	for (; !broken; nth += 1 + nth / 24) {
		for (i = 0; i < same.nr; i++)
			slurp(same.path[i], before[i]);
		err = attempt(what, nth, &fault);
		if (err && !fault)
			wrong(nth, "no fault, but", strerrorname_np(err));
		else if (err)
			check_failure(nth, err);
		else
			check_success(nth);
		if (!fault)
			break;
		failed += !!err;
		survived += !err;
		if (!err)
			revert();
	}
	printf("%s %s: %u faults, %u failed, %u succeeded\n", what[0], what[1], nth - 1,
	       failed, survived);
	/* All that is done here needs memory, or a copy from user space. */
	if (!failed && !survived) {
		puts("nothing was made to fail");
		return 1;
	}
	return broken;
}
