/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libltt: parts of the traces that are read apart from each other.
 */
#ifndef _LTT_LIB_SLICES_H
#define _LTT_LIB_SLICES_H

#include "private.h"

/*
 * Bytes of the streams' files in a slice. Tests have less of all of these, and so more of what
 * happens between slices.
 */
#ifndef LIB_SLICE_MIN
#define LIB_SLICE_MIN	(4u << 20)
#define LIB_SLICE_MAX	(16u << 20)
#endif

/**
 * struct lib_sample - a part of a stream
 * @ts:		ns, its end
 * @bytes:	how many it has
 */
struct lib_sample {
	u64 ts;
	u64 bytes;
};

/**
 * struct lib_samples - what is known of where the bytes of the streams are
 * @nr:		entries of @table
 * @room:	entries allocated
 * @table:	the parts
 */
struct lib_samples {
	size_t nr;
	size_t room;
	struct lib_sample *table;
};

/* index.c */
u64 lib_index_packet_size(struct libltt *ltt, struct lib_stream *s);
bool lib_index_sample(struct libltt *ltt, struct lib_stream *s, u64 bytes,
		      struct lib_samples *samples);
int lib_index_share(struct lib_stream *s, const struct lib_stream *of);

/* slices.c */
int lib_slices(struct libltt *ltt, u64 **ends, size_t *nr);

/* copy.c */
struct lib_place;
struct libltt *lib_copy_create(const struct libltt *ltt, const struct libltt_options *options,
			       unsigned int nr);
void lib_copy_free(struct libltt *copy);
void lib_copy_adopt(struct libltt *ltt, struct libltt *copy);
struct lib_place *lib_places(const struct libltt *ltt);
bool lib_places_equal(const struct libltt *ltt, const struct lib_place *places);

#endif /* _LTT_LIB_SLICES_H */
