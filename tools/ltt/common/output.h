/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: a file that is there as a whole, or not at all.
 */
#ifndef _LTT_TOOL_OUTPUT_H
#define _LTT_TOOL_OUTPUT_H

/**
 * struct output - a file that is being written
 * @path:	its name, when it is complete
 * @fd:		the file
 * @temporary:	its name until then; NULL: it has none
 */
struct output {
	const char *path;
	int fd;
	char *temporary;
};

int output_open(struct output *output, const char *path);
int output_keep(struct output *output);
void output_drop(struct output *output);

#endif /* _LTT_TOOL_OUTPUT_H */
