/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Not for drivers: the metadata of a trace, CTF 1.8 TSDL.
 *
 * Shared by the kernel, the user-space tools and the tests.
 *
 * The text is a sequence of declarations: one preamble (typealiases, trace, env,
 * clock), then streams and events in the order in which they joined the trace; a
 * stream precedes its events. Each function emits one whole declaration, or
 * nothing.
 *
 * An event is declared like this, one line a field:
 *
 *	event {
 *		id = 3;
 *		name = "sched.switch";
 *		stream_id = 0;
 *		// ltt-types 0x1004 0x1004 0x1008
 *		// ltt-format "prev_pid %d next_pid %d prev_state %ld"
 *		fields := struct {
 *			int32 _prev_pid;
 *			...
 *		};
 *	};
 *
 * Where several events of a channel have the same long format, as the system calls'
 * results have, their fields are declared once, before the first of them:
 *
 *	struct fields_0_7 {
 *		// ltt-types 0x1008
 *		// ltt-format "ret %ld{-133=EHWPOISON,...}"
 *		enum : int64 { "EHWPOISON" = -133, ... } _ret;
 *	};
 *
 *	event {
 *		id = 7;
 *		name = "syscalls.read_exit";
 *		stream_id = 0;
 *		fields := struct fields_0_7;
 *	};
 *
 * The comments are what the viewer makes text from (see types.h): the format is
 * written as a C string literal in which " \ and all bytes outside of 0x20..0x7e are
 * escaped as \", \\ and three octal digits. A stream has a comment "ltt-channel" with
 * its channel's name and, if its events have a context, the same two comments for that
 * and "event.context := struct { ... };". All names of fields begin with an underscore,
 * which readers of CTF remove, so no name is a keyword of TSDL; names that would become
 * one (_Bool) also get an underscore at the end.
 *
 * Source: Common Trace Format 1.8.3, section 7 and appendix C.
 */
#ifndef _LINUX_LTT_METADATA_H
#define _LINUX_LTT_METADATA_H

#include <linux/ltt/context.h>
#include <linux/ltt/packet.h>

struct ltt_textbuf;

/* The first bytes of every metadata text, by which the viewer recognizes a trace of LTT. */
#define LTT_METADATA_SIGNATURE	"/* CTF 1.8 */\n"

/**
 * struct ltt_metadata - what the preamble says about a trace
 * @name:		of the trace
 * @uuid:		of the trace
 * @big_endian:		byte order of the machine that writes the packets
 * @clock:		of the timestamps: "tsc", "mono", "counter"
 * @real_offset:	ns, what to add to a timestamp to get the time since 1970
 * @hostname:		of the machine
 * @boot_id:		of its kernel's start, LTT_UUID_SIZE bytes; NULL: unknown
 * @release:		of its kernel
 * @version:		of LTT
 */
struct ltt_metadata {
	const char *name;
	const __u8 *uuid;
	int big_endian;
	const char *clock;
	__u64 real_offset;
	const char *hostname;
	const __u8 *boot_id;
	const char *release;
	const char *version;
};

int ltt_metadata_preamble(struct ltt_textbuf *out, const struct ltt_metadata *trace);
int ltt_metadata_stream(struct ltt_textbuf *out, __u32 stream_id, const char *channel,
			const struct ltt_context *context);
int ltt_metadata_event(struct ltt_textbuf *out, __u32 stream_id, __u32 id,
		       const char *channel, const char *marker, const char *format_text,
		       const __u32 *types, const struct ltt_format *format);
int ltt_metadata_fields(struct ltt_textbuf *out, __u32 stream_id, __u32 id,
			const char *format_text, const __u32 *types,
			const struct ltt_format *format);
int ltt_metadata_event_like(struct ltt_textbuf *out, __u32 stream_id, __u32 id,
			    const char *channel, const char *marker, __u32 like);

#endif /* _LINUX_LTT_METADATA_H */
