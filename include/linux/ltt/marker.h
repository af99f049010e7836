/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: markers, the instrumentation in the code.
 *
 *	trace_mark(net, retransmit, "saddr %pI4 sport %u seq %u",
 *		   &inet->inet_saddr, ntohs(inet->inet_sport), ltt_be32(th->seq));
 *
 * Nothing else is needed: no registration, no symbol of any LTT module. A
 * disabled marker is a single no-op, and its arguments are not evaluated.
 */
#ifndef _LINUX_LTT_MARKER_H
#define _LINUX_LTT_MARKER_H

#include <linux/jump_label.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <linux/ltt/gate.h>
#include <linux/ltt/tap.h>
#include <linux/ltt/types.h>

struct ltt_event;
struct ltt_marker;
struct module;

#define LTT_MARKER_MAGIC	0x4d545403u	/* layout 3 of struct ltt_marker */
#define LTT_MARKER_LAYOUT	0xffu		/* these bits say which layout */

/* What is recorded of a pointer argument; follows from the format. */
enum ltt_capture_mode {
	LTT_CAPTURE_VALUE,	/* the pointer itself */
	LTT_CAPTURE_STR,	/* the string, at most n bytes and a NUL */
	LTT_CAPTURE_COPY,	/* the n bytes it points to */
	LTT_CAPTURE_BLOB,	/* as many bytes as the integer before it says */
	LTT_CAPTURE_SEQ,	/* element count and elements */
	LTT_CAPTURE_ARRAY,	/* n elements */
};

struct ltt_capture {
	u16 mode;
	u16 n;
};

/**
 * struct ltt_marker_ops - functions of ltt-core that call sites use
 * @size:	bytes that pointer argument number @arg will take in the event;
 *		@prev is the integer argument before it
 * @put:	stores exactly that many bytes; never faults
 *
 * Context: any, NMI included.
 */
struct ltt_marker_ops {
	size_t (*size)(const struct ltt_marker *marker, unsigned int arg,
		       const void *ptr, u64 prev);
	void (*put)(const struct ltt_marker *marker, unsigned int arg,
		    u8 *p, const void *ptr, size_t size);
};

/**
 * struct ltt_marker - a call site
 * @key:	on while any trace has a tap here
 * @magic:	LTT_MARKER_MAGIC
 * @nr_args:	arguments
 * @self:	this marker: tells a marker from other users of static keys
 * @taps:	ways into the traces that record this marker, ended by one with
 *		reserve == NULL; NULL if there is none, or @gate is to be asked
 * @gate:	says which taps are to be used where @taps is NULL; NULL if nothing records
 *		the marker
 * @ops:	set by the registry
 * @capture:	one per argument; set by the registry, in its memory
 * @channel:	channel's name
 * @name:	marker's name
 * @format:	format string
 * @types:	one code per argument, see <linux/ltt/types.h>
 * @connect:	if not NULL, called when the marker goes from disabled to
 *		enabled: attaches its caller, e.g. a tracepoint probe; task
 *		context, may sleep; a negative errno refuses
 * @disconnect:	the reverse
 * @hooked:	@connect has succeeded since the marker was registered
 * @event:	the registry's record; NULL while unknown or refused
 * @node:	in @event's list of call sites
 *
 * The registry calls @connect and @disconnect without ltt_mutex, one at a time for all
 * markers. They must not register or unregister markers. @disconnect need not wait for
 * running calls of the marker: see ltt_marker_unregister().
 */
struct ltt_marker {
	struct static_key_false key;
	u32 magic;
	u32 nr_args;
	struct ltt_marker *self;
	const struct ltt_tap __rcu *taps;
	const struct ltt_gate __rcu *gate;
	const struct ltt_marker_ops *ops;
	const struct ltt_capture *capture;
	const char *channel;
	const char *name;
	const char *format;
	const u32 *types;
	int (*connect)(struct ltt_marker *marker);
	void (*disconnect)(struct ltt_marker *marker);
	bool hooked;
	struct ltt_event *event;
	struct list_head node;
};

/* Integers in network byte order are recorded as they are, and marked as such. */
typedef struct { __be16 v; } ltt_be16_t;
typedef struct { __be32 v; } ltt_be32_t;
typedef struct { __be64 v; } ltt_be64_t;

static __always_inline ltt_be16_t ltt_be16(__be16 v) { return (ltt_be16_t){ v }; }
static __always_inline ltt_be32_t ltt_be32(__be32 v) { return (ltt_be32_t){ v }; }
static __always_inline ltt_be64_t ltt_be64(__be64 v) { return (ltt_be64_t){ v }; }

/*
 * ltt_seq(ptr, n): the @n integers at @ptr. The format shows each as its
 * conversion says: "%u" is a sequence of any length, "%u[4]" an array of exactly
 * four (missing ones are 0, others are left out).
 */
#define __LTT_SEQ(_name, _type)						\
typedef struct { const _type *ptr; size_t n; } ltt_seq_##_name##_t;	\
static __always_inline ltt_seq_##_name##_t				\
__ltt_seq_##_name(const _type *ptr, size_t n)				\
{									\
	return (ltt_seq_##_name##_t){ ptr, n };				\
}

__LTT_SEQ(s8, signed char)
__LTT_SEQ(u8, unsigned char)
__LTT_SEQ(s16, short)
__LTT_SEQ(u16, unsigned short)
__LTT_SEQ(s32, int)
__LTT_SEQ(u32, unsigned int)
__LTT_SEQ(long, long)
__LTT_SEQ(ulong, unsigned long)
__LTT_SEQ(s64, long long)
__LTT_SEQ(u64, unsigned long long)

#define __LTT_PTR_CASE(_type, _f)	_type * : _f, const _type * : _f

#define ltt_seq(ptr, n)							\
	_Generic((ptr),							\
		__LTT_PTR_CASE(signed char, __ltt_seq_s8),		\
		__LTT_PTR_CASE(unsigned char, __ltt_seq_u8),		\
		__LTT_PTR_CASE(short, __ltt_seq_s16),			\
		__LTT_PTR_CASE(unsigned short, __ltt_seq_u16),		\
		__LTT_PTR_CASE(int, __ltt_seq_s32),			\
		__LTT_PTR_CASE(unsigned int, __ltt_seq_u32),		\
		__LTT_PTR_CASE(long, __ltt_seq_long),			\
		__LTT_PTR_CASE(unsigned long, __ltt_seq_ulong),		\
		__LTT_PTR_CASE(long long, __ltt_seq_s64),		\
		__LTT_PTR_CASE(unsigned long long, __ltt_seq_u64))(ptr, n)

/* ltt_array(a): all elements of the array @a. */
#define ltt_array(a)	ltt_seq(&(a)[0], ARRAY_SIZE(a))

#include <linux/ltt/marker_args.h>

/**
 * trace_mark() - record an event if some trace wants it
 * @_channel:	name of the channel, a bare word
 * @_name:	name of the marker in the channel, a bare word
 * @_format:	format string, as for printk(), with names: "pid %d comm %s".
 *		See Documentation/trace/ltt/markers.rst for what it may say.
 * @...:	at most 16 arguments
 *
 * A string that is NULL or not readable is recorded as "(null)" or "(fault)".
 * A mismatch of format and arguments is a compile error where the compiler can see
 * it; otherwise ltt-core refuses the marker, with a message.
 *
 * Context: any, NMI included, where RCU is watching. Does not sleep.
 */
#define trace_mark(_channel, _name, _format, ...)			\
	__trace_mark(#_channel, #_name, NULL, NULL, _format, ##__VA_ARGS__)

/**
 * trace_mark_hook() - trace_mark() that must be connected to its caller
 * @_channel:		as for trace_mark()
 * @_name:		as for trace_mark()
 * @_connect:		see struct ltt_marker
 * @_disconnect:	see struct ltt_marker
 * @_format:		as for trace_mark()
 * @...:		as for trace_mark()
 */
#define trace_mark_hook(_channel, _name, _connect, _disconnect, _format, ...) \
	__trace_mark(#_channel, #_name, _connect, _disconnect, _format,	\
		     ##__VA_ARGS__)

/*
 * With jump labels, the registry finds call sites through them. Without, it finds those in
 * the kernel image through a list, and none in modules.
 */
#if defined(CONFIG_JUMP_LABEL) || defined(MODULE)
#define __LTT_LIST(_marker)
#else
#define __LTT_LIST(_marker)						\
	static struct ltt_marker *const __ltt_listed __used		\
		__section("__ltt_markers") = (_marker)
#endif

#define __trace_mark(_channel, _name, _connect, _disconnect, _format, ...) \
do {									\
	static const u32 __ltt_types[] = {				\
		__LTT_MAP(__LTT_TYPE, ##__VA_ARGS__) 0			\
	};								\
	static struct ltt_marker __ltt_marker = {			\
		.key = STATIC_KEY_FALSE_INIT,				\
		.magic = LTT_MARKER_MAGIC,				\
		.nr_args = __LTT_COUNT(__VA_ARGS__),			\
		.self = &__ltt_marker,					\
		.channel = (_channel),					\
		.name = (_name),					\
		.format = (_format),					\
		.types = __ltt_types,					\
		.connect = (_connect),					\
		.disconnect = (_disconnect),				\
	};								\
	__LTT_LIST(&__ltt_marker);					\
									\
	__LTT_CHECK_FORMAT(_format, ##__VA_ARGS__);			\
	if (static_branch_unlikely(&__ltt_marker.key)) {		\
		__LTT_RECORD(&__ltt_marker, ##__VA_ARGS__);		\
	}								\
} while (0)

/**
 * ltt_marker_is_recorded() - does any trace record a marker now?
 * @marker:	the marker
 *
 * Context: any.
 */
static __always_inline bool ltt_marker_is_recorded(const struct ltt_marker *marker)
{
	return rcu_access_pointer(marker->gate);
}

int ltt_marker_register(struct ltt_marker *marker, struct module *owner);
void ltt_marker_unregister(struct ltt_marker *marker);
bool ltt_marker_unregister_nosync(struct ltt_marker *marker);

/**
 * struct ltt_arg - an argument of ltt_marker_record(), by the kind of its type
 * @value:	an integer; in network byte order if its type says so
 * @ptr:	a pointer; where the elements of a sequence are
 * @n:		elements of a sequence
 */
struct ltt_arg {
	union {
		u64 value;
		const void *ptr;
	};
	size_t n;
};

void ltt_marker_record(const struct ltt_marker *marker, const struct ltt_arg *args);
int ltt_marker_record_one(const struct ltt_marker *marker,
			  const struct ltt_buf __percpu *only,
			  const struct ltt_arg *args, bool patient);

#endif /* _LINUX_LTT_MARKER_H */
