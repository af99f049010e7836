// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: packets of a stream of another tracer.
 *
 * Of a stream, a part is in memory. It may have many packets, if they are small, or a part of one,
 * of which what is looked at begins at a multiple of all alignments in the packet. Nothing tells
 * packets from other bytes as surely as in LTT's traces: where one cannot be believed about where
 * it ends, the stream ends.
 */
#include <ctype.h>
#include <errno.h>
#include <linux/kernel.h>
#include <stdlib.h>
#include <string.h>

#include "ctf.h"

/* Bytes that are in memory, if no event has more; and most of an event. Tests have fewer. */
#ifndef CTF_ROOM
#define CTF_ROOM	(128u << 10)
#endif
#define ROOM		CTF_ROOM
#define ROOM_MAX	(64u << 20)

/* Bytes of what a packet's context adds to each event, at first. */
#define PREFIX		256u

/* What is looked at begins at a multiple of this in the packet: no type has a larger alignment. */
#define STEP		4096u

/* More events than can be lost between two packets, see lib/packet.c. */
#define LOST_MAX	(65536ull * U32_MAX)

/* Of places that have a packet's magic number. */
#define LOOKS_MAX	16u

/* The name of a file ends in so many numbers, at most: of CPUs and pieces. */
#define NUMBERS_MAX	4

/* ---- memory ------------------------------------------------------------------------- */

/* As large as the window, if there is one already. */
static int have_buffer(const struct lib_stream *s, struct ctf_stream *c)
{
	if (c->buf)
		return 0;
	c->room = min_t(size_t, max_t(size_t, s->room, STEP), ROOM);
	c->len = 0;
	c->buf = malloc(c->room);
	return c->buf ? 0 : -ENOMEM;
}

/* Bytes that can be looked at. */
static size_t in_memory(const struct ctf_stream *c)
{
	return c->len - (c->r.data - c->buf);
}

/* Bytes of the packet that are not in memory, and those of packets after it, do not count. */
static void set_end(struct ctf_stream *c)
{
	c->r.end = min_t(u64, 8 * in_memory(c), c->content - 8 * c->base);
}

/* Have as much in memory as there is room for. Return: 0 or a negative errno. */
static int fill(struct lib_stream *s, struct ctf_stream *c)
{
	u64 at = c->at + c->len, rest = s->pub.size - at;
	long len = lib_file_read(s->fd, c->buf + c->len, min_t(u64, c->room - c->len, rest), at);

	if (len < 0)
		return len;
	c->len += len;
	set_end(c);
	return len ? 0 : -ENODATA;
}

/* Forget what cannot be looked at, to have room. */
static void make_room(struct ctf_stream *c)
{
	size_t skip = c->r.data - c->buf;

	c->at += skip;
	c->len -= skip;
	memmove(c->buf, c->r.data, c->len);
	c->r.data = c->buf;
}

/**
 * ctf_packet_more() - have more of the packet in memory
 * @s:		the stream, of which an event ends behind what is there
 *
 * Return: 0; -ENODATA: there is no more; -E2BIG: no event is that large; or another negative
 * errno.
 */
int ctf_packet_more(struct lib_stream *s)
{
	struct ctf_stream *c = s->ctf;
	size_t skip = min_t(u64, c->r.at / 8, in_memory(c)) / STEP * STEP;
	u8 *larger;

	if (8 * (c->base + in_memory(c)) >= c->content)
		return -ENODATA;
	c->r.data += skip;
	c->base += skip;
	c->r.at -= 8 * skip;
	if (c->r.data == c->buf && c->len == c->room) {
		if (c->room >= ROOM_MAX)
			return -E2BIG;
		larger = realloc(c->buf, 2 * c->room);
		if (!larger)
			return -ENOMEM;
		c->buf = larger;
		c->r.data = larger;
		c->room *= 2;
	}
	make_room(c);
	return fill(s, c);
}

/* Have the begin of the packet in memory. Return: 0 or a negative errno. */
static int begin(struct lib_stream *s, struct ctf_stream *c)
{
	c->r.data = c->buf;
	if (c->begin >= c->at && c->begin - c->at < c->len) {
		c->r.data += c->begin - c->at;
		set_end(c);
		return 0;
	}
	c->at = c->begin;
	c->len = 0;
	return fill(s, c);
}

/* Run the steps of the packet's context until there is room for what they make. */
static int run_context(struct ctf_stream *c, const struct ctf_op *ops)
{
	u64 at = c->r.at;
	u8 *larger;
	int err;

	for (;;) {
		c->r.at = at;
		c->r.out = c->prefix;
		c->r.out_end = c->prefix + c->prefix_room;
		err = ctf_run(&c->r, ops);
		c->prefix_len = c->r.out - c->prefix;
		if (err != -ENOSPC || c->prefix_room >= ROOM)
			return err;
		larger = realloc(c->prefix, 2 * c->prefix_room);
		if (!larger)
			return -ENOMEM;
		c->prefix = larger;
		c->prefix_room *= 2;
	}
}

/* ---- a packet ------------------------------------------------------------------------ */

static struct ctf_stream_class *find_class(const struct ctf_trace *trace, u64 id)
{
	return ctf_has(trace->roles, CTF_STREAM_ID) ? ctf_class_find(trace, id) : trace->streams;
}

/* The packet's header. Return: NULL, or what is wrong; *@err is set if it cannot be read. */
static const char *read_header(const struct ctf_trace *trace, struct ctf_reader *r, int *err)
{
	memset(r->slots, 0, CTF_FIRST_SLOT * sizeof(*r->slots));
	*err = ctf_run(r, trace->header);
	if (*err)
		return "not the header of a packet";
	if (ctf_has(trace->roles, CTF_MAGIC) && r->slots[CTF_MAGIC] != LTT_PACKET_MAGIC)
		return "no packet begins here";
	if (ctf_has(trace->roles, CTF_UUID) && trace->has_uuid &&
	    (r->slots[CTF_UUID] % 8 ||
	     memcmp(r->data + r->slots[CTF_UUID] / 8, trace->uuid, LTT_UUID_SIZE)))
		return "packet of another trace";
	return NULL;
}

/* Where it ends. Return: NULL, or what is wrong. */
static const char *set_sizes(struct ctf_stream *c, u64 rest)
{
	const u64 *slots = c->r.slots;
	u32 roles = c->class->roles;
	u64 content = 8 * rest, packet = 8 * rest;

	if (ctf_has(roles, CTF_PACKET_SIZE))
		packet = slots[CTF_PACKET_SIZE];
	else if (ctf_has(roles, CTF_CONTENT_SIZE))
		packet = slots[CTF_CONTENT_SIZE];
	content = ctf_has(roles, CTF_CONTENT_SIZE) ? slots[CTF_CONTENT_SIZE] : packet;
	if (!packet || packet % 8)
		return "invalid packet size";
	if (content > packet || content < c->r.at)
		return "invalid content size";
	c->content = content;
	c->next = packet / 8;
	return NULL;
}

/* Its times. */
static void set_times(struct ctf_stream *c)
{
	const struct ctf_stream_class *class = c->class;
	u64 begin;

	c->end = 0;
	if (class->begin_bits)
		ctf_set_time(&c->r, c->r.slots[CTF_BEGIN], class->begin_bits);
	begin = c->r.time;
	if (class->end_bits) {
		ctf_set_time(&c->r, c->r.slots[CTF_END], class->end_bits);
		c->end = ctf_clock_ns(class->clock, c->r.time);
	}
	c->r.time = begin;
}

/* What there is before the events, if it is in memory. Return: as read_header(). */
static const char *read_begin(const struct lib_stream *s, struct ctf_stream *c, int *err)
{
	struct ctf_stream_class *class;
	const char *why;

	c->r.at = 0;
	c->r.credit = CTF_CREDIT(8 * ROOM);
	c->r.why = NULL;
	why = read_header(s->trace->ctf, &c->r, err);
	if (!*err && why)
		*err = -EBADMSG;
	if (*err)
		return why;
	*err = -EBADMSG;
	class = find_class(s->trace->ctf, c->r.slots[CTF_STREAM_ID]);
	if (!class)
		return "packet of a stream that the metadata do not declare";
	if (c->class && class != c->class)
		return "packet of another stream";
	c->class = class;
	*err = run_context(c, class->packet);
	return *err ? c->r.why ?: "not the context of a packet" : NULL;
}

/* The same, and have it in memory. @rest: bytes up to the end of the file. */
static const char *read_whole_begin(struct lib_stream *s, struct ctf_stream *c, u64 rest, int *err)
{
	const char *why = NULL;

	*err = have_buffer(s, c) ?: begin(s, c);
	while (!*err) {
		why = read_begin(s, c, err);
		if (*err != -ENODATA || in_memory(c) >= rest)
			return why;
		if (in_memory(c) == c->room) {
			*err = -E2BIG;
			return "header of too many bytes";
		}
		make_room(c);
		*err = fill(s, c);
	}
	return strerror(-*err);
}

/**
 * ctf_packet_read() - read the header and context of the next packet
 * @s:		the stream
 * @c:		how to read it: @s->ctf, or another one; of @c->next
 * @err:	returns 0; -ENODATA, the file ends before the packet does; or another negative errno
 *
 * Return: what is wrong, or NULL.
 */
const char *ctf_packet_read(struct lib_stream *s, struct ctf_stream *c, int *err)
{
	u64 rest = s->pub.size - c->next;
	const char *why;

	c->begin = c->next;
	c->next = s->pub.size;
	c->content = 8 * rest;
	c->base = 0;
	why = read_whole_begin(s, c, rest, err);
	if (*err)
		return why;
	*err = -EBADMSG;
	why = set_sizes(c, rest);
	if (why)
		return why;
	*err = c->next > rest ? -ENODATA : 0;
	c->next += c->begin;
	set_end(c);
	c->r.credit = CTF_CREDIT(c->content);
	set_times(c);
	return NULL;
}

/**
 * ctf_packet_number() - which number does a packet have?
 * @c:		at the packet
 * @before:	packets before it, which is its number if it has none
 */
u64 ctf_packet_number(const struct ctf_stream *c, u64 before)
{
	return ctf_has(c->class->roles, CTF_NUMBER) ? c->r.slots[CTF_NUMBER] : before;
}

/* What was lost before it. */
static void count_lost(struct libltt *ltt, struct lib_stream *s, struct ctf_stream *c)
{
	const u64 *slots = c->r.slots;
	u64 lost;

	if (ctf_has(c->class->roles, CTF_DISCARDED)) {
		lost = slots[CTF_DISCARDED] - c->discarded;
		if (lost < LOST_MAX)
			s->lost += lost;
		else
			lib_report(ltt, LIBLTT_ERROR, EBADMSG, s->pub.file, c->begin,
				   "invalid number of lost events, ignored");
		c->discarded = slots[CTF_DISCARDED];
	}
	if (!ctf_has(c->class->roles, CTF_NUMBER))
		return;
	if (s->packets && slots[CTF_NUMBER] - s->packet.packet_seq_num != 1)
		lib_report(ltt, LIBLTT_NOTE, EBADMSG, s->pub.file, c->begin,
			   "packet %llu follows packet %llu",
			   (unsigned long long)slots[CTF_NUMBER],
			   (unsigned long long)s->packet.packet_seq_num);
}

static void set_cpu(struct lib_stream *s, struct ctf_stream *c)
{
	u32 cpu = ctf_has(c->class->roles, CTF_CPU) ? c->r.slots[CTF_CPU] : 0;

	if (cpu == s->pub.cpu && s->cpu.len)
		return;
	s->pub.cpu = cpu;
	ltt_cpu_text_init(&s->cpu, cpu);
}

/* Is all of it before the range? Its end need not be a time that can be shown. */
static bool is_before(const struct libltt *ltt, const struct lib_stream *s,
		      const struct ctf_stream *c)
{
	return c->end && c->latest + s->shift < ltt->begin;
}

/* Is there a packet, all of it? */
static bool is_packet(const struct lib_stream *s, u64 at)
{
	struct lib_stream reader = *s;
	struct ctf_stream *c;
	bool is = false;
	int err;

	/* With a small buffer. */
	reader.room = 0;
	c = ctf_stream_create(&reader);
	if (c) {
		c->class = s->ctf->class;
		c->next = at;
		is = !ctf_packet_read(&reader, c, &err) && !err;
		ctf_stream_free(c);
	}
	return is;
}

/*
 * Is there another packet, by its magic number, in the rest of the file that this one claims? Then
 * the file was not cut off. That far, and of so many, it is looked at.
 */
static bool has_another(const struct lib_stream *s, const struct ctf_stream *c)
{
	u64 at = c->begin + sizeof(u32), most = at + ROOM_MAX;
	u8 magic[sizeof(u32)], bytes[STEP], *found;
	unsigned int looks = LOOKS_MAX;
	long len;

	if (!ctf_has(s->trace->ctf->roles, CTF_MAGIC) ||
	    lib_file_read(s->fd, magic, sizeof(magic), c->begin) != sizeof(magic))
		return false;
	while (looks && at < most) {
		len = lib_file_read(s->fd, bytes, sizeof(bytes), at);
		if (len < (long)sizeof(magic))
			return false;
		found = memmem(bytes, len, magic, sizeof(magic));
		if (!found) {
			at += len - sizeof(magic) + 1;
			continue;
		}
		at += found - bytes;
		if (is_packet(s, at++))
			return true;
		looks--;
	}
	return false;
}

/**
 * ctf_packet_enter() - advance to the next packet that may hold wanted events
 * @ltt:	for the range that is wanted, and for reports
 * @s:		the stream
 *
 * Return: false if there are no more packets.
 */
bool ctf_packet_enter(struct libltt *ltt, struct lib_stream *s)
{
	struct ctf_stream *c = s->ctf;
	const char *why;
	int err;

	while (c->next < s->pub.size) {
		why = ctf_packet_read(s, c, &err);
		if (!why && !err) {
			count_lost(ltt, s, c);
			set_cpu(s, c);
			s->packet.packet_seq_num = ctf_packet_number(c, s->packets);
			s->packet.packet_size = 8 * (c->next - c->begin);
			s->packet_end = c->next;
			s->packets++;
			c->made = 0;
			c->fresh = true;
			c->latest = c->end ? min(max(c->end, c->least), c->most) : c->most;
			/* One without events may tell what was lost before the next one. */
			if (c->r.at >= c->content || !is_before(ltt, s, c))
				return true;
			/* Notices here are out of the range, too. */
			s->lost = 0;
			s->corrupt = false;
			continue;
		}
		if (err == -ENODATA && has_another(s, c)) {
			err = -EBADMSG;
			why = "packet does not end where its size says";
		}
		if (err == -ENODATA) {
			lib_report(ltt, LIBLTT_NOTE, EBADMSG, s->pub.file, c->begin,
				   "the last packet is truncated");
		} else {
			lib_report(ltt, LIBLTT_ERROR, -err, s->pub.file, c->begin, "%s", why);
			lib_packet_no_header(s);
		}
		c->next = s->pub.size;
	}
	return false;
}

/* ---- a stream ------------------------------------------------------------------------- */

/* The name of its channel: without "_NUMBER" at the end, as often as there is one, @most times. */
static size_t name_length(const char *base, unsigned int most)
{
	size_t len = strlen(base), digits;

	for (; most; most--) {
		for (digits = len; digits && isdigit((unsigned char)base[digits - 1]); digits--)
			;
		if (digits == len || digits < 2 || base[digits - 1] != '_')
			break;
		len = digits - 1;
	}
	return len;
}

/* Which stream a file is of, as far as its first bytes tell. */
static const struct ctf_stream_class *class_of_file(const struct ctf_trace *trace,
						    const struct lib_stream *s, u64 *slots)
{
	struct ctf_reader r = { .slots = slots };
	u8 begin[STEP];
	long len = s->fd < 0 ? 0 : lib_file_read(s->fd, begin, sizeof(begin), 0);
	int err;

	if (len <= 0)
		return NULL;
	r.data = begin;
	r.end = 8 * len;
	r.credit = CTF_CREDIT(r.end);
	return read_header(trace, &r, &err) ? NULL : find_class(trace, slots[CTF_STREAM_ID]);
}

/**
 * ctf_stream_owners() - see of which kind the files of a trace are
 * @trace:	the trace, packets' headers of which can be read
 *
 * Return: 0 or -ENOMEM.
 */
int ctf_stream_owners(struct ctf_trace *trace)
{
	u64 *slots = calloc(trace->nr_slots, sizeof(*slots));
	unsigned int i;

	trace->owners = ctf_alloc(trace, trace->nr_files * sizeof(*trace->owners));
	for (i = 0; slots && trace->owners && i < trace->nr_files; i++)
		trace->owners[i] = class_of_file(trace, &trace->files[i], slots);
	free(slots);
	return slots && trace->owners ? 0 : ctf_no_memory(trace);
}

static const char *base_of(const struct lib_stream *file)
{
	const char *base = strrchr(file->pub.file, '/');

	return base ? base + 1 : file->pub.file;
}

/*
 * What the names of the files of a kind of streams begin with, without @numbers numbers at their
 * ends. Return: its length; 0 if that is not one name, or one that another kind has, too.
 */
static size_t common_name(const struct ctf_trace *trace, const struct ctf_stream_class *stream,
			  unsigned int numbers, const char **name)
{
	const char *base;
	bool same, ours;
	size_t len = 0;
	unsigned int i;

	*name = NULL;
	for (i = 0; i < trace->nr_files && !*name; i++) {
		if (trace->owners[i] == stream)
			*name = base_of(&trace->files[i]);
	}
	if (*name)
		len = name_length(*name, numbers);
	for (i = 0; len && i < trace->nr_files; i++) {
		if (!trace->owners[i])
			continue;
		base = base_of(&trace->files[i]);
		same = name_length(base, numbers) == len && !memcmp(base, *name, len);
		ours = trace->owners[i] == stream;
		if (same != ours)
			return 0;
	}
	return len;
}

/**
 * ctf_stream_name() - find a name for the channel of streams
 * @trace:	the trace, with files
 * @stream:	the kind of streams
 *
 * That of its files, without the numbers at the end, of which there may be NUMBERS_MAX, and as far
 * as others have not the same then; if that is not one name, "stream" and its id.
 *
 * Return: the name, to be freed by free(), or NULL: no memory.
 */
char *ctf_stream_name(const struct ctf_trace *trace, const struct ctf_stream_class *stream)
{
	unsigned int numbers;
	const char *name;
	size_t len = 0;
	char *copy;

	for (numbers = NUMBERS_MAX; numbers && !len; numbers--)
		len = common_name(trace, stream, numbers, &name);
	if (len)
		return strndup(name, len);
	return asprintf(&copy, "stream%llu", (unsigned long long)stream->id) < 0 ? NULL : copy;
}

/**
 * ctf_stream_rewind() - begin to read at the beginning
 * @s:		the stream
 */
void ctf_stream_rewind(struct lib_stream *s)
{
	struct ctf_stream *c = s->ctf;

	c->inside = false;
	c->next = 0;
	c->last = 0;
	c->discarded = c->before;
	c->end = 0;
	c->r.time = 0;
}

/* Times that can be shown. */
static void set_limits(struct lib_stream *s, struct ctf_stream *c)
{
	if ((s64)s->shift < 0)
		c->least = -s->shift;
	c->most = (s64)s->shift < 0 ? U64_MAX - 1 : U64_MAX - 1 - s->shift;
}

/**
 * ctf_stream_create() - make what reads a stream
 * @s:		the stream
 *
 * Return: it, at the beginning, to be freed by ctf_stream_free(), or NULL: no memory.
 */
struct ctf_stream *ctf_stream_create(const struct lib_stream *s)
{
	struct ctf_stream *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->prefix_room = PREFIX;
	c->prefix = malloc(c->prefix_room);
	c->r.slots = calloc(s->trace->ctf->nr_slots, sizeof(*c->r.slots));
	if (c->prefix && c->r.slots)
		return c;
	ctf_stream_free(c);
	return NULL;
}

/**
 * ctf_stream_free() - free what reads a stream
 * @c:		what ctf_stream_create() returned, NULL included
 */
void ctf_stream_free(struct ctf_stream *c)
{
	if (!c)
		return;
	if (!c->shared)
		ctf_index_free(c->index);
	free(c->buf);
	free(c->prefix);
	free(c->r.slots);
	free(c);
}

/**
 * ctf_stream_share() - let another reader read a stream
 * @s:		the stream of that reader, which has nothing to read it with
 * @of:		the stream, which stays open for as long
 *
 * Return: 0 or -ENOMEM.
 */
int ctf_stream_share(struct lib_stream *s, const struct lib_stream *of)
{
	if (!of->ctf)
		return 0;
	s->ctf = ctf_stream_create(s);
	if (!s->ctf)
		return -ENOMEM;
	s->ctf->class = of->ctf->class;
	s->ctf->before = of->ctf->before;
	s->ctf->discarded = of->ctf->before;
	s->ctf->index = of->ctf->index;
	s->ctf->shared = true;
	set_limits(s, s->ctf);
	return 0;
}

/**
 * ctf_stream_swap_index() - let the one have the index that belongs to the other
 * @a:		a stream, not necessarily one of another tracer
 * @b:		the same of another reader
 */
void ctf_stream_swap_index(struct lib_stream *a, struct lib_stream *b)
{
	if (!a->ctf)
		return;
	swap(a->ctf->index, b->ctf->index);
	swap(a->ctf->shared, b->ctf->shared);
}

/* Of which kind is it? Only for that, a part of the first packet is read. */
static int open_stream(struct lib_stream *s, const char **why)
{
	int err;

	*why = "out of memory";
	s->ctf = ctf_stream_create(s);
	if (!s->ctf)
		return -ENOMEM;
	/* There is no window yet, and as much of a header is read as with one. */
	s->ctf->room = ROOM;
	s->ctf->buf = malloc(ROOM);
	if (!s->ctf->buf)
		return -ENOMEM;
	*why = ctf_packet_read(s, s->ctf, &err);
	free(s->ctf->buf);
	s->ctf->buf = NULL;
	return err;
}

/**
 * ctf_stream_identify() - find out of which kind a stream is
 * @ltt:	for reports
 * @s:		the stream; the metadata of its trace are known
 *
 * Return: as lib_stream_identify().
 */
bool ctf_stream_identify(struct libltt *ltt, struct lib_stream *s)
{
	const char *why = NULL;
	s64 base = 0;
	int err = s->fd < 0 ? s->fd : 0;

	if (err) {
		why = err == -EINVAL ? "not a regular file" : strerror(-err);
		lib_report(ltt, LIBLTT_ERROR, -err, s->pub.file, LIBLTT_NO_OFFSET, "%s", why);
		return false;
	}
	if (!s->pub.size)
		return false;
	err = open_stream(s, &why);
	if (err == -ENODATA && has_another(s, s->ctf)) {
		err = -EBADMSG;
		why = "packet does not end where its size says";
	}
	if (err == -ENODATA) {
		lib_report(ltt, LIBLTT_NOTE, EBADMSG, s->pub.file, 0,
			   "the only packet is truncated");
		return false;
	}
	if (err) {
		lib_report(ltt, LIBLTT_ERROR, -err, s->pub.file, 0, "%s", why);
		return false;
	}
	s->channel = s->ctf->class->channel;
	s->pub.channel = s->channel->name;
	s->pub.stream = s->ctf->class->id;
	s->compact = LTT_ID_WIDE;
	if (ltt->options.flags & LIBLTT_WALL) {
		ctf_clock_base(s->ctf->class->clock, &base);
		s->shift = base;
	}
	set_limits(s, s->ctf);
	set_cpu(s, s->ctf);
	return true;
}

/**
 * ctf_stream_close() - free what a stream has
 * @s:		the stream, not necessarily one of another tracer
 */
void ctf_stream_close(struct lib_stream *s)
{
	ctf_stream_free(s->ctf);
	s->ctf = NULL;
}
