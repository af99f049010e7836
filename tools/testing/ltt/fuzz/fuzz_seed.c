// SPDX-License-Identifier: GPL-2.0
/*
 * Inputs for the fuzzer to begin with: the small trace of the tests, whole and in parts.
 *
 * usage: fuzz_seed DIRECTORY
 */
#include "../unit/view_trace.h"

static const char *const names[] = {
	"metadata", "a_0", "a_1", "b_0", "index/a_0.idx", "index/a_1.idx", "index/b_0.idx",
};

int main(int argc, char **argv)
{
	unsigned int last, i;
	char name[4096], *data;
	size_t size;
	FILE *file;

	if (argc != 2)
		errx(2, "usage: fuzz_seed DIRECTORY");
	vt_make();
	for (last = 0; last < ARRAY_SIZE(names); last++) {
		snprintf(name, sizeof(name), "%s/seed-%u", argv[1], last);
		file = fopen(name, "wb");
		if (!file)
			err(1, "%s", name);
		for (i = 0; i <= last; i++) {
			data = vt_load(names[i], &size);
			tw_put(file, (u8 []){ i, size, size >> 8, size >> 16 }, 4);
			tw_put(file, data, size);
			free(data);
		}
		if (fclose(file))
			err(1, "%s", name);
	}
	vt_remove();
	return 0;
}
