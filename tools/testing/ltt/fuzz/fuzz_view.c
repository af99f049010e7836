// SPDX-License-Identifier: GPL-2.0
/*
 * libFuzzer: libltt on traces that the fuzzer writes.
 *
 * The input is a number of files, each a byte that says which and a length of three
 * bytes before its contents. The files lie in memory. Whatever is in them, reading all
 * of it must end, and the events one by one must be the same as the text.
 */
#include <err.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../ltt/lib/libltt.h"

static const char *const names[] = {
	"metadata", "a_0", "a_1", "b_0", "index/a_0.idx", "index/a_1.idx", "index/b_0.idx",
	"symbols/kallsyms", "symbols/modules",
};

#define NR_NAMES	(sizeof(names) / sizeof(*names))

/* More text than any input of the size that is tried can be worth. */
#define TEXT_MAX	(64ul << 20)

static char dir[64];

static void path_of(char path[128], const char *name)
{
	snprintf(path, 128, "%s/%s", dir, name);
}

static void setup(void)
{
	const char *base = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
	char path[128];

	snprintf(dir, sizeof(dir), "%s/ltt-fuzz.XXXXXX", base);
	if (!mkdtemp(dir))
		err(1, "%s", dir);
	path_of(path, "index");
	if (mkdir(path, 0700))
		err(1, "%s", path);
	path_of(path, "symbols");
	if (mkdir(path, 0700))
		err(1, "%s", path);
}

static void cleanup(void)
{
	char path[128];
	size_t i;

	for (i = 0; i < NR_NAMES; i++) {
		path_of(path, names[i]);
		unlink(path);
	}
	path_of(path, "index");
	rmdir(path);
	path_of(path, "symbols");
	rmdir(path);
	rmdir(dir);
}

static void save(const char *name, const uint8_t *data, size_t size)
{
	char path[128];
	FILE *file;

	path_of(path, name);
	file = fopen(path, "wb");
	if (!file || fwrite(data, 1, size, file) != size || fclose(file))
		err(1, "%s", path);
}

static void save_all(const uint8_t *data, size_t size)
{
	size_t len, i;

	for (i = 0; i < NR_NAMES; i++)
		save(names[i], NULL, 0);
	while (size >= 4) {
		len = data[1] | data[2] << 8 | (size_t)data[3] << 16;
		if (len > size - 4)
			len = size - 4;
		save(names[data[0] % NR_NAMES], data + 4, len);
		data += 4 + len;
		size -= 4 + len;
	}
}

static uint64_t hash(uint64_t h, const char *text, long len)
{
	while (len-- > 0)
		h = (h ^ (uint8_t)*text++) * 0x100000001b3ull;
	return h;
}

/* As lines, through a buffer that most lines just fit into. */
static uint64_t read_text(struct libltt *ltt, size_t room, size_t *total)
{
	char *buf = malloc(room);
	uint64_t h = 0;
	long n;

	for (*total = 0; *total < TEXT_MAX; *total += n) {
		n = libltt_text(ltt, buf, room);
		if (n == -ENOSPC) {
			n = 0;
			room *= 2;
			buf = realloc(buf, room);
			continue;
		}
		if (n <= 0)
			break;
		h = hash(h, buf, n);
	}
	free(buf);
	return h;
}

static uint64_t read_events(struct libltt *ltt, size_t *total)
{
	struct libltt_event event;
	struct libltt_value value;
	size_t room = 4096, i, sum = 0;
	char *buf = malloc(room);
	unsigned int field;
	uint64_t h = 0, last = 0;
	long n;

	for (*total = 0; *total < TEXT_MAX && libltt_next(ltt, &event) > 0; *total += n) {
		if (event.time < last)
			abort();
		last = event.time;
		for (field = 0; event.kind && field < event.kind->nr_fields; field++) {
			/* The whole event is there. */
			if (libltt_field(&event, field, &value))
				abort();
			for (i = 0; value.type == LIBLTT_ARRAY && i < value.count; i++)
				sum += libltt_element(&value, i);
			for (i = 0; value.type == LIBLTT_DOUBLES && i < value.count; i++)
				sum += libltt_double(&value, i) > 0;
		}
		while ((n = libltt_line(ltt, &event, buf, room)) == -ENOSPC) {
			room *= 2;
			buf = realloc(buf, room);
		}
		if (n <= 0)
			abort();
		h = hash(h, buf, n);
	}
	free(buf);
	/* So that it is computed. */
	return sum == 1 ? h : h + !h;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *name = dir;
	struct libltt_problem error;
	size_t total[2];
	uint64_t h[2], end;
	struct libltt *ltt;

	if (!dir[0]) {
		setup();
		atexit(cleanup);
	}
	save_all(data, size);
	ltt = libltt_open(&name, 1, NULL, &error);
	if (!ltt) {
		if (!error.code || !error.text[0])
			abort();
		return 0;
	}
	h[0] = read_text(ltt, 600, &total[0]);
	libltt_range(ltt, 0, UINT64_MAX);
	h[1] = read_events(ltt, &total[1]);
	/* What is cut off at TEXT_MAX may differ. */
	if (total[0] < TEXT_MAX && total[1] < TEXT_MAX &&
	    (total[0] != total[1] || h[0] + !h[0] != h[1] + !h[1]))
		abort();

	/* A part of it, through the index. */
	end = 6000000000ull;
	libltt_range(ltt, 5000000011ull, end);
	libltt_select(ltt, "!*.s*", NULL);
	read_text(ltt, 4096, &total[0]);
	libltt_close(ltt);
	return 0;
}
