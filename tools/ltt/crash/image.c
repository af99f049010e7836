// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: ltt crash: the file: the image of an area, or of memory in which there is one, or a dump.
 */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/err.h>
#include <linux/kernel.h>

#include "../common/printable.h"
#include "crash.h"

/* More at once than is usual for a pipe, less than matters. */
#define CHUNK	(1024u * 1024)

/**
 * crash_say() - say what is wrong with an image
 * @crash:	the image
 * @format:	the message, as for printf()
 */
void crash_say(const struct crash *crash, const char *format, ...)
{
	char *path = printable(crash->path), *shown;
	va_list args;

	va_start(args, format);
	shown = printable_message(format, args);
	va_end(args);
	warnx("%s: %s", path ?: "?", shown ?: "out of memory");
	free(path);
	free(shown);
}

/**
 * crash_say_at() - say what is wrong at a place
 * @crash:	the image or dump
 * @at:		where: in an image, the offset; in a dump, a physical address
 * @what:	the message
 */
void crash_say_at(const struct crash *crash, u64 at, const char *what)
{
	crash_say(crash, crash->vmcore ? "address %#llx: %s" : "offset %llu: %s",
		  (unsigned long long)at, what);
}

/* What a copy may take, so that the machine has enough left. */
static u64 most_memory(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	return pages > 0 && size > 0 ? (u64)pages * size / 2 : U64_MAX;
}

/*
 * A copy of a pipe, or of a device.
 * Return: 0 or a negative errno; -EINVAL: what is wrong was said.
 */
static int read_all(struct crash *crash, int fd)
{
	u64 most = most_memory();
	size_t room = 0;
	void *more;
	ssize_t n;

	for (;;) {
		if (crash->size > most) {
			crash_say(crash, "more than half of this machine's memory: copy it to a file, which is read by parts");
			return -EINVAL;
		}
		if (room - crash->size < CHUNK) {
			room = 2 * room + CHUNK;
			more = realloc(crash->bytes, room);
			if (!more)
				return -ENOMEM;
			crash->bytes = more;
		}
		n = read(fd, crash->bytes + crash->size, CHUNK);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : 0;
		crash->size += n;
	}
}

/* Return: 0 or a negative errno; -EINVAL: what is wrong was said. */
static int load(struct crash *crash, int fd)
{
	struct vmcore *vmcore = NULL;
	struct stat st;

	/* A dump is not read from its beginning to its end. */
	if (lseek(fd, 0, SEEK_SET) == 0)
		vmcore = vmcore_open(crash, fd);
	if (IS_ERR(vmcore))
		return PTR_ERR(vmcore);
	crash->vmcore = vmcore;
	crash->is_dump = vmcore;
	crash->fd = fd;
	if (vmcore)
		return 0;
	/* Some that the kernel makes up have a size of 0. */
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return read_all(crash, fd);
	crash->size = st.st_size;
	return 0;
}

/* Return: whether all of it is there: the file may have become shorter. */
static bool read_file(int fd, u64 offset, void *to, size_t size)
{
	ssize_t n;

	for (; size; size -= n, offset += n, to += n) {
		n = pread(fd, to, size, offset);
		if (n < 0 && errno == EINTR)
			n = 0;
		else if (n <= 0)
			return false;
	}
	return true;
}

/**
 * crash_load() - read an image, or open a dump, and find the traces in it
 * @crash:	its path is set, and the rest zero
 *
 * Says what is wrong.
 *
 * Return: 0 if there are any, else a negative errno.
 */
int crash_load(struct crash *crash)
{
	int fd = open(crash->path, O_RDONLY | O_CLOEXEC);
	int ret;

	crash->fd = -1;
	if (fd < 0)
		ret = -errno;
	else
		ret = load(crash, fd);
	ret = ret ?: crash_find(crash);
	if (ret && ret != -EINVAL) {
		crash_say(crash, "%s", strerror(-ret));
	} else if (!ret && !crash->nr) {
		crash_say(crash, "no trace found");
		ret = -ENODATA;
	}
	return ret;
}

/**
 * crash_read() - read memory
 * @crash:	the image or dump
 * @address:	in an image, the offset; in a dump, a physical address
 * @to:		where to put what is there
 * @size:	bytes, which do not cross a multiple of LTT_AREA_PAGE
 *
 * Return: whether all of it is there.
 */
bool crash_read(const struct crash *crash, u64 address, void *to, size_t size)
{
	if (crash->vmcore)
		return vmcore_read(crash->vmcore, address, to, size);
	if (address > crash->size || size > crash->size - address)
		return false;
	if (!crash->bytes)
		return read_file(crash->fd, address, to, size);
	memcpy(to, crash->bytes + address, size);
	return true;
}

/**
 * crash_next_page() - look for a page that is there
 * @crash:	the image or dump
 * @address:	a multiple of LTT_AREA_PAGE; receives that of the page
 *
 * Return: whether there is any, at this address or after it.
 */
bool crash_next_page(const struct crash *crash, u64 *address)
{
	if (crash->vmcore)
		return vmcore_next_page(crash->vmcore, address);
	return *address <= crash->size && crash->size - *address >= LTT_AREA_PAGE;
}

/**
 * crash_free() - forget an image or dump
 * @crash:	it
 */
void crash_free(struct crash *crash)
{
	unsigned int i;

	for (i = 0; i < crash->nr; i++)
		free(crash->traces[i].name);
	free(crash->traces);
	free(crash->bytes);
	if (crash->vmcore)
		vmcore_close(crash->vmcore);
	if (crash->fd >= 0)
		close(crash->fd);
}
