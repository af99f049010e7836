/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: recorded traces as a page for a browser.
 *
 *	pack.c		parts of the page: packed, in base64
 *	plot.c		what the parts are made of
 *	page.c		the page around them, page.html
 */
#ifndef _LTT_PLOT_H
#define _LTT_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../common/directory.h"

/**
 * struct plot_options - what the user asked for
 * @in:		what is to be read
 * @output:	name of the file
 */
struct plot_options {
	struct directory_options in;
	const char *output;
};

/* ---- pack.c ------------------------------------------------------------------ */

struct z_stream_s;

/**
 * struct pack - a part of the page that is being made
 * @zlib:	packs it, NULL: nothing does
 * @data:	what comes out
 * @len:	its bytes
 * @room:	bytes at @data
 * @waiting:	bytes that go in together
 * @nr_waiting:	how many
 * @failed:	no memory
 */
struct pack {
	struct z_stream_s *zlib;
	unsigned char *data;
	size_t len;
	size_t room;
	unsigned char waiting[4096];
	size_t nr_waiting;
	bool failed;
};

bool pack_is_packed(void);
void pack_begin(struct pack *pack);
void pack_bytes(struct pack *pack, const void *data, size_t size);
void pack_number(struct pack *pack, uint64_t number);
void pack_end(struct pack *pack);
void pack_write(const struct pack *pack, const char *name, FILE *to);
void pack_free(struct pack *pack);

/* ---- page.c ------------------------------------------------------------------ */

/* The text of page.html. */
extern const char plot_page[];

void page_put(unsigned int nr, FILE *to);

/* ---- plot.c ------------------------------------------------------------------ */

int plot_write(struct plot_options *options);

#endif /* _LTT_PLOT_H */
