// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: ltt crash: dumps of all memory, as kdump, makedumpfile and hypervisors write them.
 *
 * libkdumpfile knows their formats. Only physical addresses are read, so neither the
 * kernel's symbols nor its debug information are needed.
 */

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/err.h>
#include <linux/kernel.h>

#include "crash.h"

/* Formats that we can tell from memory as it is, but not read. */
static const struct {
	const char *magic;
	size_t size;
	const char *why;
} others[] = {
#ifndef LTT_HAVE_KDUMPFILE
	{ "\177ELF", 4, "a dump: ltt was built without libkdumpfile" },
	{ "KDUMP   ", 8, "a dump: ltt was built without libkdumpfile" },
#endif
	{ "makedumpfile\0\0\0", 16, "a flattened dump: makedumpfile -R makes another one of it" },
};

/* Return: 0, or -EINVAL if it is a dump all the same; says so. */
static int check_other(const struct crash *crash, int fd)
{
	char begin[16];
	size_t i;

	if (pread(fd, begin, sizeof(begin), 0) != sizeof(begin))
		return 0;
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		if (memcmp(begin, others[i].magic, others[i].size))
			continue;
		crash_say(crash, "%s", others[i].why);
		return -EINVAL;
	}
	return 0;
}

#ifdef LTT_HAVE_KDUMPFILE

#include <libkdumpfile/kdumpfile.h>

/* A file of which less is left is not worth the time to look through what it says it has. */
#define LEAST_PART	256u

/**
 * struct vmcore - a dump
 * @ctx:	libkdumpfile's
 * @pages:	which pages there are
 * @page:	bytes of a page
 * @room:	bytes of the machine's memory, at most
 * @most:	bytes of it that the file may say it has
 */
struct vmcore {
	kdump_ctx_t *ctx;
	kdump_bmp_t *pages;
	u64 page;
	u64 room;
	u64 most;
};

/*
 * Pages that are not compressed take place in the file, unless most of it was cut off; a bitmap
 * of the others does.
 */
static u64 most_of(int fd)
{
	char begin[SELFMAG];
	off_t size = lseek(fd, 0, SEEK_END);

	lseek(fd, 0, SEEK_SET);
	if (size <= 0 || pread(fd, begin, SELFMAG, 0) != SELFMAG || memcmp(begin, ELFMAG, SELFMAG))
		return U64_MAX;
	return min((u64)size, U64_MAX / LEAST_PART) * LEAST_PART;
}

static kdump_status ask(struct vmcore *vmcore)
{
	kdump_attr_t attr = { .type = KDUMP_BITMAP };
	kdump_num_t page, nr;
	kdump_status status;

	status = kdump_get_number_attr(vmcore->ctx, KDUMP_ATTR_PAGE_SIZE, &page);
	if (status != KDUMP_OK)
		return status;
	vmcore->page = page;
	if (kdump_get_number_attr(vmcore->ctx, "max_pfn", &nr) != KDUMP_OK ||
	    __builtin_mul_overflow(nr, page, &vmcore->room))
		vmcore->room = U64_MAX;
	status = kdump_get_typed_attr(vmcore->ctx, KDUMP_ATTR_FILE_PAGEMAP, &attr);
	if (status == KDUMP_OK) {
		vmcore->pages = attr.val.bitmap;
		kdump_bmp_incref(vmcore->pages);
	}
	return status;
}

/**
 * vmcore_open() - read a file as a dump
 * @crash:	the file, for messages
 * @fd:		the same, open; stays so while the dump is used
 *
 * Says what is wrong.
 *
 * Return: the dump, to be closed by vmcore_close(); NULL if it is none; an ERR_PTR().
 */
struct vmcore *vmcore_open(const struct crash *crash, int fd)
{
	struct vmcore *vmcore = calloc(1, sizeof(*vmcore));
	kdump_status status;
	int err;

	if (vmcore)
		vmcore->ctx = kdump_new();
	if (!vmcore || !vmcore->ctx) {
		free(vmcore);
		return ERR_PTR(-ENOMEM);
	}
	/* Where a file is too short, mapped memory would end the program. */
	status = kdump_set_number_attr(vmcore->ctx, KDUMP_ATTR_FILE_MMAP_POLICY,
				       KDUMP_MMAP_NEVER);
	if (status == KDUMP_OK)
		status = kdump_open_fd(vmcore->ctx, fd);
	if (status == KDUMP_OK)
		status = ask(vmcore);
	if (status == KDUMP_OK) {
		vmcore->most = most_of(fd);
		return vmcore;
	}
	err = check_other(crash, fd);
	/* Neither is what it does not know, nor what is shorter than any dump. */
	if (!err && status != KDUMP_ERR_NOTIMPL && status != KDUMP_ERR_EOF) {
		crash_say(crash, "%s", kdump_get_err(vmcore->ctx));
		err = -EINVAL;
	}
	vmcore_close(vmcore);
	return err ? ERR_PTR(err) : NULL;
}

/* Of pages between two that are there, libkdumpfile may think that they are all zeros. */
static bool has_page(const struct vmcore *vmcore, u64 address)
{
	kdump_addr_t nr = address / vmcore->page;

	return kdump_bmp_find_set(vmcore->pages, &nr) == KDUMP_OK && nr == address / vmcore->page;
}

/**
 * vmcore_read() - read from a dump
 * @vmcore:	the dump
 * @address:	a physical address
 * @to:		where to put what is there
 * @size:	bytes, which do not cross a multiple of LTT_AREA_PAGE
 *
 * Return: whether all of it is there.
 */
bool vmcore_read(const struct vmcore *vmcore, u64 address, void *to, size_t size)
{
	return has_page(vmcore, address) &&
	       kdump_read(vmcore->ctx, KDUMP_MACHPHYSADDR, address, to, &size) == KDUMP_OK;
}

/**
 * vmcore_next_page() - look for a page in a dump
 * @vmcore:	the dump
 * @address:	physical address, a multiple of LTT_AREA_PAGE; receives that of the first such
 *		piece there or after that is in the dump
 *
 * Return: whether there is any.
 */
bool vmcore_next_page(const struct vmcore *vmcore, u64 *address)
{
	kdump_addr_t nr = *address / vmcore->page;

	if (kdump_bmp_find_set(vmcore->pages, &nr) != KDUMP_OK)
		return false;
	if (nr != *address / vmcore->page)
		*address = nr * vmcore->page;
	return true;
}

/**
 * vmcore_room() - how much memory the machine had
 * @vmcore:	the dump
 *
 * Return: bytes, at most; some of them are not memory.
 */
u64 vmcore_room(const struct vmcore *vmcore)
{
	return vmcore->room;
}

/**
 * vmcore_most() - how much memory a dump may say that it has
 * @vmcore:	the dump
 *
 * Return: bytes; U64_MAX if that is not known.
 */
u64 vmcore_most(const struct vmcore *vmcore)
{
	return vmcore->most;
}

/**
 * vmcore_close() - close a dump
 * @vmcore:	the dump
 */
void vmcore_close(struct vmcore *vmcore)
{
	if (vmcore->pages)
		kdump_bmp_decref(vmcore->pages);
	kdump_free(vmcore->ctx);
	free(vmcore);
}

#else /* !LTT_HAVE_KDUMPFILE */

struct vmcore *vmcore_open(const struct crash *crash, int fd)
{
	int err = check_other(crash, fd);

	return err ? ERR_PTR(err) : NULL;
}

bool vmcore_read(const struct vmcore *vmcore __maybe_unused, u64 address __maybe_unused,
		 void *to __maybe_unused, size_t size __maybe_unused)
{
	return false;
}

bool vmcore_next_page(const struct vmcore *vmcore __maybe_unused, u64 *address __maybe_unused)
{
	return false;
}

u64 vmcore_room(const struct vmcore *vmcore __maybe_unused)
{
	return 0;
}

u64 vmcore_most(const struct vmcore *vmcore __maybe_unused)
{
	return 0;
}

void vmcore_close(struct vmcore *vmcore __maybe_unused)
{
}

#endif /* !LTT_HAVE_KDUMPFILE */
