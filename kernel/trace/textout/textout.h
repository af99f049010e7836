/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: what the files of the text output in the kernel share.
 *
 *	main.c	the module; files come and go with traces
 *	pipe.c	an open file: waiting, seq_file, poll
 *	text.c	events of a trace, merged, as lines in a buffer
 *	merge_stream.c	where the lines come from: buffers, and what renders them
 *	dump.c	the last lines of traces in the kernel's log
 *
 * Shared with user space: <linux/ltt/decode.h>, merge, render, style.
 */
#ifndef _LTT_TEXTOUT_H
#define _LTT_TEXTOUT_H

#include <linux/fs.h>
#include <linux/list.h>
#include <linux/types.h>

struct ltt_dumper;
struct ltt_text;
struct ltt_text_style;
struct ltt_trace;
struct text_trace;

/**
 * struct ltt_text_file - a file in the directory text: its i_private
 * @text:	private to main.c
 * @trace:	the trace
 * @channel:	name of the only channel it shows; NULL: all
 * @node:	private to main.c
 */
struct ltt_text_file {
	struct text_trace *text;
	struct ltt_trace *trace;
	const char *channel;
	struct list_head node;
};

/* dump.c */
extern const struct ltt_dumper ltt_text_dumper;

/* pipe.c */
extern const struct file_operations ltt_text_fops;

/* main.c */
const struct ltt_text_style *ltt_text_style_of(const struct ltt_text_file *file);

/* text.c */
struct ltt_text *ltt_text_open(const struct ltt_text_file *file, bool fast);
void ltt_text_close(struct ltt_text *text);
int ltt_text_wait(struct ltt_text *text, bool nonblock);
ssize_t ltt_text_fill(struct ltt_text *text, char *buf, size_t size);

#endif /* _LTT_TEXTOUT_H */
