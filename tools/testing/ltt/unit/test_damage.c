// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: traces in which something is wrong. Nothing may crash, hang or take memory
 * without end; what can be read is read; and what is wrong is said, with its place.
 */
#include <errno.h>
#include <inttypes.h>

#include <linux/ltt/packet.h>

#include "overtake.h"
#include "view_trace.h"

static const char *const streams[] = { "a_0", "a_1", "b_0" };

/* What a line of the stream has in it, from the CPU on. */
static bool is_line_of(const char *line, size_t len, const char *stream)
{
	char event[32], notice[64];

	snprintf(event, sizeof(event), "[00%c] %c.", stream[2], stream[0]);
	snprintf(notice, sizeof(notice), "cpu %c channel %c ", stream[2], stream[0]);
	return memmem(line, len, event, strlen(event)) ||
	       memmem(line, len, notice, strlen(notice));
}

/* Is it an event's line, no notice, of @stream? */
static bool is_event_of(const char *line, size_t len, const char *stream)
{
	return *line != '#' && is_line_of(line, len, stream);
}

static bool is_other(const char *line, size_t len, const char *stream)
{
	return !is_line_of(line, len, stream);
}

static char *filter(const char *text, const char *stream,
		    bool (*wanted)(const char *line, size_t len, const char *stream))
{
	char *out = calloc(1, strlen(text) + 1), *pos = out;
	const char *next;

	for (; *text; text = next) {
		next = strchrnul(text, '\n');
		next += *next == '\n';
		if (wanted(text, next - text, stream))
			pos = mempcpy(pos, text, next - text);
	}
	return out;
}

/* Lines of @text that are not of @stream. */
static char *others(const char *text, const char *stream)
{
	return filter(text, stream, is_other);
}

/* Lines of @text that are, without notices. */
static char *only(const char *text, const char *stream)
{
	return filter(text, stream, is_event_of);
}

static void expect_others(const struct vt_result *result, const char *stream)
{
	char *got = others(result->text, stream), *want = others(vt_text, stream);

	EXPECT_STR(got, want);
	free(got);
	free(want);
}

/* Problems name the file, and a place in it. */
static void expect_place(const struct vt_result *result, const char *name, size_t size)
{
	EXPECT_STR(result->last.file, vt_path(name));
	EXPECT(result->last.offset == LIBLTT_NO_OFFSET || result->last.offset <= size,
	       "offset %" PRIu64 " of %zu: %s", result->last.offset, size, result->last.text);
}

/* How many whole packets are in the first @size bytes of @data? */
static unsigned int whole_packets(const char *data, size_t size, size_t *end)
{
	struct ltt_packet packet;
	unsigned int nr = 0;

	for (*end = 0; size - *end >= sizeof(packet); nr++) {
		memcpy(&packet, data + *end, sizeof(packet));
		if (packet.packet_size / 8 > size - *end)
			break;
		*end += packet.packet_size / 8;
	}
	return nr;
}

/* A stream that ends too early: all whole packets are read, and it is noted. */
static void cut_stream(const char *stream)
{
	size_t size, len, end;
	char *data = vt_load(stream, &size), *got, *all = only(vt_text, stream);
	struct vt_result result;
	unsigned int before = 0, nr;
	size_t shown = 0;

	for (len = 0; len <= size; len++) {
		vt_save(stream, data, len);
		result = vt_read(&vt_everything);
		expect_others(&result, stream);
		got = only(result.text, stream);
		nr = whole_packets(data, len, &end);
		EXPECT(!strncmp(got, all, strlen(got)), "%s cut to %zu: '%s'", stream, len, got);
		/* A packet is shown when it is whole, and not before. */
		EXPECT(nr == before ? strlen(got) == shown : strlen(got) >= shown,
		       "%s cut to %zu: '%s'", stream, len, got);
		EXPECT(!result.errors, "%s", result.last.text);
		EXPECT(result.notes == (end != len), "%lu notes at %zu", result.notes, len);
		if (result.notes) {
			expect_place(&result, stream, len);
			EXPECT(result.last.offset == end, "offset");
		}
		before = nr;
		shown = strlen(got);
		free(got);
		vt_done(&result);
	}
	EXPECT(shown == strlen(all), "not all of %s", stream);
	vt_save(stream, data, size);
	free(all);
	free(data);
}

static void hide_index(bool hide)
{
	char away[128];

	snprintf(away, sizeof(away), "%s/.index", vt_dir);
	if (rename(hide ? vt_path("index") : away, hide ? away : vt_path("index")))
		err(1, "rename");
}

static void test_cut_streams(void)
{
	unsigned int i;

	hide_index(true);
	for (i = 0; i < ARRAY_SIZE(streams); i++)
		cut_stream(streams[i]);
	hide_index(false);
}

/* The metadata ends too early: a note, if declarations are missing; else an error. */
static void test_cut_metadata(void)
{
	size_t size, len, shown = 0;
	char *data = vt_load("metadata", &size);
	struct vt_result result;

	for (len = 0; len <= size; len++) {
		vt_save("metadata", data, len);
		result = vt_read(&vt_everything);
		if (!result.opened) {
			EXPECT(!shown, "opened with less");
			expect_place(&result, "metadata", len);
		}
		EXPECT(result.len >= shown, "less text with more metadata, at %zu", len);
		EXPECT(len < size || !strcmp(result.text, vt_text), "%s", result.text);
		shown = result.len;
		vt_done(&result);
	}
	vt_save("metadata", data, size);
	free(data);
}

/* Bytes of a packet header that nobody but the reader could miss. */
static bool matters(size_t offset)
{
	return offset < offsetof(struct ltt_packet, timestamp_begin) ||
	       (offset >= offsetof(struct ltt_packet, content_size) &&
		offset < offsetof(struct ltt_packet, packet_seq_num)) ||
	       offset >= offsetof(struct ltt_packet, cpu_id);
}

/* Where something could not be read there is a notice; only of losses nobody knows more. */
static void expect_notice(const struct vt_result *result, const char *stream)
{
	bool read = !result->errors || strstr(result->last.text, "lost events") ||
		    strstr(result->last.text, "the previous packet");
	char notice[64];

	snprintf(notice, sizeof(notice), "# corrupt cpu %c channel %c packet ", stream[2],
		 stream[0]);
	EXPECT(read == !strstr(result->corrupt, notice), "%s: %s", result->last.text,
	       result->corrupt);
}

/* Byte @pos of the stream was made something else. */
static void read_corrupt(const char *stream, const char *data, size_t size, size_t pos)
{
	struct vt_result result = vt_read(&vt_everything);
	size_t end = 0, next;
	struct ltt_packet packet;

	for (next = 0; next <= pos; next += packet.packet_size / 8) {
		end = next;
		memcpy(&packet, data + next, sizeof(packet));
	}
	expect_others(&result, stream);
	if (pos - end < sizeof(packet) && matters(pos - end)) {
		EXPECT(result.errors, "%s: nothing is said of byte %zu", stream, pos);
		expect_place(&result, stream, size);
	}
	expect_notice(&result, stream);
	vt_done(&result);
}

static void corrupt_stream(const char *stream)
{
	static const u8 masks[] = { 0x01, 0x80, 0xff };
	size_t size, pos;
	char *data = vt_load(stream, &size), *copy = malloc(size);
	unsigned int i;

	for (pos = 0; pos < size; pos++) {
		for (i = 0; i < ARRAY_SIZE(masks); i++) {
			memcpy(copy, data, size);
			copy[pos] ^= masks[i];
			vt_save(stream, copy, size);
			read_corrupt(stream, data, size, pos);
		}
	}
	vt_save(stream, data, size);
	free(copy);
	free(data);
}

static void test_corrupt_streams(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(streams); i++)
		corrupt_stream(streams[i]);
}

/* After a bad packet it goes on with the next one, also if it is the first. */
static void test_resume(void)
{
	struct vt_result result;
	size_t size;
	char *data = vt_load("a_0", &size), *got;

	data[0] ^= 1;
	vt_save("a_0", data, size);
	result = vt_read(&vt_everything);
	EXPECT(result.errors == 1, "%lu errors", result.errors);
	expect_place(&result, "a_0", 0);
	got = only(result.text, "a_0");
	EXPECT(!strstr(got, "v 7") && strstr(got, "v 8"), "%s", got);
	free(got);
	vt_done(&result);
	data[0] ^= 1;

	data[((struct ltt_packet *)data)->packet_size / 8] ^= 1;
	vt_save("a_0", data, size);
	result = vt_read(&vt_everything);
	EXPECT(result.errors == 1, "%lu errors", result.errors);
	got = only(result.text, "a_0");
	EXPECT(strstr(got, "v 7") && !strstr(got, "v 8"), "%s", got);
	free(got);
	vt_done(&result);
	data[((struct ltt_packet *)data)->packet_size / 8] ^= 1;
	vt_save("a_0", data, size);
	free(data);

	data = vt_load("a_1", &size);
	data[((struct ltt_packet *)data)->packet_size / 8 + 4] ^= 1;
	vt_save("a_1", data, size);
	result = vt_read(&vt_everything);
	EXPECT(result.errors == 1, "%lu errors", result.errors);
	/* What the bad packet would have said of losses, the next one says. */
	EXPECT_STR(result.text, vt_text);
	vt_done(&result);
	data[((struct ltt_packet *)data)->packet_size / 8 + 4] ^= 1;
	vt_save("a_1", data, size);
	free(data);
}

/* ---- each bit of a header ---------------------------------------------------- */

#define MANY		11u
#define MANY_EVENTS	3u

/* Packet @nr of the stream a_2: of a third of a second, losses before some of them. */
static u64 many_time(unsigned int nr, unsigned int event)
{
	return (20 + nr) * VT_SEC + nr * 1000003 + event * VT_SEC / 9;
}

static void many_make(void)
{
	struct tw_stream s;
	unsigned int nr, i;

	tw_open(&s, vt_dir, "a", 0, 2);
	for (nr = 0; nr < MANY; nr++) {
		s.header.events_discarded += nr % 3 == 2 ? nr : 0;
		tw_begin(&s, many_time(nr, 0));
		for (i = 0; i < MANY_EVENTS; i++)
			vt_int(&s, many_time(nr, i), 10 * nr + i);
		tw_end(&s, 0);
	}
	tw_close(&s);
}

/* How many of its events are shown, with the right time? */
static unsigned int many_shown(const char *text, unsigned int nr)
{
	unsigned int i, shown = 0;
	char line[80];
	u64 ts;

	for (i = 0; i < MANY_EVENTS; i++) {
		ts = many_time(nr, i);
		snprintf(line, sizeof(line), "%llu.%09llu [002] a.int: v %u\n", ts / VT_SEC,
			 ts % VT_SEC, 10 * nr + i);
		shown += !!strstr(text, line);
	}
	return shown;
}

/* All losses that are told. */
static unsigned long long many_lost(const char *text)
{
	unsigned long long sum = 0;

	while ((text = strstr(text, "# lost "))) {
		text += strlen("# lost ");
		sum += strtoull(text, NULL, 10);
	}
	return sum;
}

static bool from_time(const char *line, size_t len, const char *begin)
{
	const char *before = *line == '#' ? memmem(line, len, "before ", 7) + 7 : line;

	return strtod(before, NULL) >= strtod(begin, NULL);
}

static char *many_of(const struct vt_result *result)
{
	return filter(result->text, "a_2", is_line_of);
}

/* Could packet @nr be between the others, for all that can be known? */
static bool many_plausible(const char *data, const size_t *at, unsigned int nr)
{
	struct ltt_packet packet[3];
	unsigned int i;
	bool good;

	memset(packet, 0, sizeof(packet));
	/* Before the first one. */
	packet[0].packet_seq_num = U64_MAX;
	for (i = nr ? 0 : 1; i < 3 && nr + i <= MANY; i++)
		memcpy(&packet[i], data + at[nr + i - 1], sizeof(packet[i]));
	good = packet[1].magic == LTT_PACKET_MAGIC &&
	       !memcmp(packet[1].uuid, tw_uuid, sizeof(tw_uuid)) && !packet[1].stream_id &&
	       packet[1].cpu_id == 2 && packet[1].content_size == packet[1].packet_size &&
	       packet[1].packet_size / 8 == at[nr + 1] - at[nr] &&
	       packet[1].timestamp_begin <= packet[1].timestamp_end;
	good = good && packet[0].timestamp_end <= packet[1].timestamp_begin &&
	       packet[0].packet_seq_num + 1 <= packet[1].packet_seq_num &&
	       packet[0].events_discarded <= packet[1].events_discarded;
	if (nr + 1 == MANY)
		return good && packet[1].events_discarded < 1ull << 48;
	return good && packet[1].timestamp_end <= packet[2].timestamp_begin &&
	       packet[1].packet_seq_num < packet[2].packet_seq_num &&
	       packet[1].events_discarded <= packet[2].events_discarded;
}

/* A bit of packet @nr was flipped: at most one other packet is lost, one beside it. */
static void many_check(const char *data, const size_t *at, unsigned int nr, unsigned int bit,
		       const char *all)
{
	struct vt_result result = vt_read(&vt_everything), part;
	struct vt_ask ask = vt_everything;
	char *got = many_of(&result), *want, *seek, begin[32];
	unsigned int i, shown, missing = 0;
	bool last = nr + 1 == MANY;

	expect_others(&result, "a_2");
	for (i = 0; i < MANY; i++) {
		shown = many_shown(got, i);
		if (i == nr || shown == MANY_EVENTS)
			continue;
		missing++;
		EXPECT(!shown && i + 1 >= nr && i <= nr + 1, "header %u bit %u: packet %u: %s",
		       nr, bit, i, got);
	}
	EXPECT(missing <= 1, "header %u bit %u: %s", nr, bit, got);
	EXPECT(last || many_lost(got) == many_lost(all), "header %u bit %u: %s", nr, bit, got);
	EXPECT(many_lost(got) < 1ull << 48, "header %u bit %u: %s", nr, bit, got);
	if (!many_plausible(data, at, nr)) {
		EXPECT(result.errors + (last ? result.notes : 0), "header %u bit %u: not a word",
		       nr, bit);
		expect_place(&result, "a_2", at[MANY]);
	}
	vt_done(&result);

	/* From the time of any packet: the same. */
	i = (nr + bit) % MANY;
	ask.begin = many_time(i, bit % MANY_EVENTS);
	snprintf(begin, sizeof(begin), "%llu.%09llu", ask.begin / VT_SEC, ask.begin % VT_SEC);
	part = vt_read(&ask);
	seek = many_of(&part);
	want = filter(got, begin, from_time);
	EXPECT(!strcmp(seek, want), "header %u bit %u from %s: '%s', not '%s'", nr, bit, begin,
	       seek, want);
	vt_done(&part);
	free(want);
	free(seek);
	free(got);
}

/* The stream, and where its packets begin. */
static char *many_load(size_t *size, size_t at[MANY + 1])
{
	struct ltt_packet packet;
	unsigned int i;
	char *data;

	many_make();
	data = vt_load("a_2", size);
	for (at[0] = 0, i = 0; i < MANY; i++) {
		memcpy(&packet, data + at[i], sizeof(packet));
		at[i + 1] = at[i] + packet.packet_size / 8;
	}
	EXPECT(at[MANY] == *size, "the stream");
	return data;
}

static void many_remove(char *data)
{
	remove(vt_path("a_2"));
	remove(vt_path("index/a_2.idx"));
	free(data);
}

static void test_header_bits(void)
{
	static const unsigned int damaged[] = { 0, 1, 4, MANY - 2, MANY - 1 };
	size_t size, at[MANY + 1];
	char *data = many_load(&size, at), *all;
	struct vt_result result;
	unsigned int i, bit;

	result = vt_read(&vt_everything);
	all = many_of(&result);
	EXPECT(!result.errors && many_lost(all) == 2 + 5 + 8, "%s", all);
	vt_done(&result);
	for (i = 0; i < ARRAY_SIZE(damaged); i++) {
		for (bit = 0; bit < 8 * sizeof(struct ltt_packet); bit++) {
			data[at[damaged[i]] + bit / 8] ^= 1 << bit % 8;
			vt_save("a_2", data, size);
			many_check(data, at, damaged[i], bit, all);
			data[at[damaged[i]] + bit / 8] ^= 1 << bit % 8;
		}
		if (ktap_failures)
			break;
	}
	free(all);
	many_remove(data);
}

/* Flip bit @bit of header @nr, break the next ones; all else is shown. */
static void many_flip(char *data, size_t size, const size_t *at, unsigned int nr, size_t bit,
		      unsigned int broken, unsigned long long lost)
{
	/* Where the next one begins is known, or has to be searched for. */
	const size_t other = broken == 1 ? 0 : offsetof(struct ltt_packet, cpu_id);
	struct vt_result result;
	unsigned int i;

	data[at[nr] + bit / 8] ^= 1 << bit % 8;
	for (i = 1; i <= broken; i++)
		data[at[nr + i] + other] ^= 1;
	vt_save("a_2", data, size);
	result = vt_read(&vt_everything);
	for (i = 0; i < MANY; i++) {
		EXPECT(many_shown(result.text, i) == MANY_EVENTS || (i >= nr && i <= nr + broken),
		       "bit %zu, %u broken: packet %u: %s", bit, broken, i, result.text);
	}
	/* The small trace has 10. */
	EXPECT(many_lost(result.text) == 10 + lost, "bit %zu, %u broken: %s", bit, broken,
	       result.text);
	/* One that was taken at its word is found out behind those that are broken. */
	EXPECT(result.errors == 1u + broken, "bit %zu, %u broken: %lu errors", bit, broken,
	       result.errors);
	vt_done(&result);
	data[at[nr] + bit / 8] ^= 1 << bit % 8;
	for (i = 1; i <= broken; i++)
		data[at[nr + i] + other] ^= 1;
}

/* All times of a packet are too high, and those behind it are broken: time goes on all the same. */
static void many_late(char *data, size_t size, const size_t *at)
{
	const size_t cpu = offsetof(struct ltt_packet, cpu_id);
	const size_t begin = offsetof(struct ltt_packet, timestamp_begin);
	const size_t end = offsetof(struct ltt_packet, timestamp_end);
	struct vt_result result;
	double time, last = 0;
	const char *line;
	unsigned int i;

	data[at[3] + begin + 5] ^= 1;
	data[at[3] + end + 5] ^= 1;
	for (i = 4; i < 8; i++)
		data[at[i] + cpu] ^= 1;
	vt_save("a_2", data, size);
	result = vt_read(&vt_everything);
	EXPECT(strstr(result.text, "[002] a.int: v 30\n"), "%s", result.text);
	for (line = result.text; *line; line = strchr(line, '\n') + 1) {
		time = strtod(*line == '#' ? strstr(line, "before ") + 7 : line, NULL);
		EXPECT(time >= last, "%f after %f", time, last);
		last = time;
	}
	vt_done(&result);
	data[at[3] + begin + 5] ^= 1;
	data[at[3] + end + 5] ^= 1;
	for (i = 4; i < 8; i++)
		data[at[i] + cpu] ^= 1;
}

/* What is right behind the packet does not say that it is wrong. */
static void test_two_headers(void)
{
	const size_t end = 8 * offsetof(struct ltt_packet, timestamp_end);
	const size_t number = 8 * offsetof(struct ltt_packet, packet_seq_num);
	const size_t lost = 8 * offsetof(struct ltt_packet, events_discarded);
	size_t size, at[MANY + 1];
	char *data = many_load(&size, at);
	unsigned int broken;

	for (broken = 1; broken <= 5; broken++) {
		many_flip(data, size, at, 3, end + 60, broken, 2 + 5 + 8);
		many_flip(data, size, at, 3, number + 60, broken, 2 + 5 + 8);
	}
	many_flip(data, size, at, 3, lost + 46, 1, 2 + 5 + 8);
	many_flip(data, size, at, 3, lost + 46, 2, 2 + 5 + 8);
	/* Too many are broken to tell what was lost among them. */
	many_flip(data, size, at, 3, lost + 46, 5, 2 + (1ull << 46));
	/* The last number, 10, becomes 2: the one before it is right all the same. */
	many_flip(data, size, at, MANY - 1, number + 3, 0, 2 + 5 + 8);
	many_late(data, size, at);
	many_remove(data);
}

/* A file of another name is of the channel and CPU that two packets agree on. */
static void test_renamed(void)
{
	struct vt_result result;
	char *data, name[128];
	size_t size;

	data = vt_load("a_1", &size);
	data[offsetof(struct ltt_packet, cpu_id) + 1] ^= 1;
	vt_save("renamed", data, size);
	strcpy(name, vt_path(".a_1"));
	if (rename(vt_path("a_1"), name))
		err(1, "%s", name);
	result = vt_read(&vt_everything);
	expect_others(&result, "a_1");
	EXPECT(result.errors == 1, "%lu errors", result.errors);
	expect_place(&result, "renamed", 0);
	EXPECT(strstr(result.text, "[001] a.str: s  n 0"), "%s", result.text);
	vt_done(&result);
	if (rename(name, vt_path("a_1")))
		err(1, "%s", name);
	remove(vt_path("renamed"));
	free(data);
}

/* Each byte of the metadata, and of an index, is something else. */
static void corrupt_file(const char *name)
{
	static const u8 masks[] = { 0x01, 0x80 };
	size_t size, pos;
	char *data = vt_load(name, &size), *copy = malloc(size);
	struct vt_ask ask = vt_everything;
	struct vt_result result;
	unsigned int i;

	ask.begin = 5 * VT_SEC + 11;
	for (pos = 0; pos < size; pos++) {
		for (i = 0; i < ARRAY_SIZE(masks); i++) {
			memcpy(copy, data, size);
			copy[pos] ^= masks[i];
			vt_save(name, copy, size);
			result = vt_read(&ask);
			if (!result.opened)
				expect_place(&result, name, size);
			vt_done(&result);
		}
	}
	vt_save(name, data, size);
	free(copy);
	free(data);
}

static void test_corrupt_metadata(void)
{
	corrupt_file("metadata");
}

static void test_corrupt_index(void)
{
	corrupt_file("index/a_0.idx");
	corrupt_file("index/a_1.idx");
}

/* Metadata that ask for too much, or never end. */
static void test_hostile_metadata(void)
{
	static const char *const texts[] = {
		"", "event {", "stream { id = 4294967295; // ltt-channel \"c\"\n };",
		"stream { id = 65536; // ltt-channel \"c\"\n };",
		"event { id = 4294967295; stream_id = 0; name = \"a.x\"; // ltt-types\n // ltt-format \"x\"\n };",
		"event { id = 1000; stream_id = 0; name = \"a.x\"; // ltt-types\n // ltt-format \"x\"\n };",
		"event { id = 9; stream_id = 7; name = \"a.x\"; // ltt-types\n // ltt-format \"x\"\n };",
		"event { id = 9; stream_id = 0; name = \"b.x\"; // ltt-types\n // ltt-format \"x\"\n };",
		"event { id = 9; stream_id = 0; name = \"ax\"; // ltt-types\n // ltt-format \"x\"\n };",
		"event { id = 9; stream_id = 0; name = \"a.x\"; // ltt-types 0x1004\n // ltt-format \"x\"\n };",
		"event { id = 9; stream_id = 0; name = \"a.x\"; // ltt-types 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n };",
		"event { id = 9; stream_id = 0; name = \"a.x\"; };",
		"event { id = 9; stream_id = 0; name = \"a.x\"; fields := struct nothing; };",
		"struct fields_1_0 { // ltt-types\n // ltt-format \"x\"\n };",
		"struct f { // ltt-types\n };", "struct f { // ltt-format \"x\"\n };",
		"struct f { // ltt-types\n // ltt-format \"x\"\n", "struct f { x = 1; };",
		"struct f { // ltt-types 0x1004\n // ltt-format \"x\"\n };\n"
		"event { id = 9; stream_id = 0; name = \"a.x\"; fields := struct f; };",
		"event { id = 99999999999999999999; };", "event { id = -1; };",
		"event { name = \"\\400\"; };", "event { name = \"\\q\"; };",
		"event { name = \"a", "event { name = \"a\nb\"; };", "clock { freq = 1; };",
		"clock { };", "trace { major = 2; };", "env { tracer_name = \"other\"; };",
		"typealias x := {{{{{{{{{{{{{{{{{{{{{", "};", "}", "/*", "struct {{{}};",
		"event { id = 09; };", "event { id = 0x; };", "event { id = 1a; };", "\1", "$",
		"trace { uuid = \"zz\"; };", "trace { byte_order = middle; };",
		"// ltt-future 1\n", "event { // ltt-future 1\n };",
		"env { a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w.x.y.z.a.b.c.d.e.f.g.h.i.j = 1; };",
	};
	size_t size, len;
	char *data = vt_load("metadata", &size), *text = malloc(size + 1024);
	struct vt_result result;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		memcpy(text, data, size);
		len = strlen(texts[i]);
		memcpy(text + size, texts[i], len);
		vt_save("metadata", text, size + len);
		result = vt_read(&vt_everything);
		if (result.opened) {
			/* What came before is good. */
			EXPECT_STR(result.text, vt_text);
			EXPECT(!len || result.errors + result.notes == 1, "'%s'", texts[i]);
		}
		if (len) {
			expect_place(&result, "metadata", size + len);
			EXPECT(result.last.offset >= size, "'%s'", texts[i]);
		}
		vt_done(&result);
	}
	vt_save("metadata", data, size);
	free(text);
	free(data);
}

/* A long format, and many short declarations of events that have it. */
static void test_expanded(void)
{
	enum { EVENTS = 20000, LONG = 3900 };
	char *data, *text = NULL, fill[LONG + 1];
	struct vt_result result;
	size_t size, len;
	FILE *out = open_memstream(&text, &len);
	unsigned int i;

	data = vt_load("metadata", &size);
	tw_put(out, data, size);
	memset(fill, 'x', LONG);
	fill[LONG] = '\0';
	fprintf(out, "stream { id = 2;\n// ltt-channel \"c\"\n};\n");
	fprintf(out, "struct f {\n// ltt-types 4\n// ltt-format \"%s %%u\"\n};\n", fill);
	for (i = 0; i < EVENTS; i++)
		fprintf(out, "event { id = %u; stream_id = 2; name = \"c.x\"; fields := struct f; };\n",
			i);
	fclose(out);
	vt_save("metadata", text, len);
	result = vt_read(&vt_everything);
	EXPECT_STR(result.text, vt_text);
	EXPECT(result.errors == 1 && strstr(result.last.text, "in common"), "%lu errors, '%s'",
	       result.errors, result.last.text);
	expect_place(&result, "metadata", len);
	vt_done(&result);
	vt_save("metadata", data, size);
	free(text);
	free(data);
}

/* Files that are none of a trace's. */
static void test_strange_files(void)
{
	struct vt_result result;
	size_t len;

	vt_save("empty", "", 0);
	result = vt_read(&vt_everything);
	EXPECT_STR(result.text, vt_text);
	EXPECT(!result.errors && !result.notes, "%s", result.last.text);
	vt_done(&result);
	remove(vt_path("empty"));

	for (len = 9; len <= 99; len += 90) {
		vt_save("notes.txt", vt_text, len);
		result = vt_read(&vt_everything);
		EXPECT_STR(result.text, vt_text);
		EXPECT(result.errors == 1, "%lu errors", result.errors);
		expect_place(&result, "notes.txt", 0);
		vt_done(&result);
	}
	remove(vt_path("notes.txt"));

	/* Nobody will ever write to it. */
	if (mkfifo(vt_path("fifo"), 0600))
		err(1, "fifo");
	result = vt_read(&vt_everything);
	EXPECT_STR(result.text, vt_text);
	EXPECT(result.errors == 1, "%lu errors", result.errors);
	expect_place(&result, "fifo", 0);
	vt_done(&result);
	remove(vt_path("fifo"));
}

/* ---- a recorder at work ------------------------------------------------------ */

/* Events that the recorder has declared and written so far; it writes while there is a range. */
static unsigned int recorded;
static bool recording;

static FILE *append_to(const char *name)
{
	FILE *file = fopen(vt_path(name), "ab");

	if (!file)
		err(1, "%s", name);
	return file;
}

/* As ltt record does it: the declaration, the packet, its entry in the index. */
static void record_one(void)
{
	const u32 id = VT_NR_A + recorded;
	struct tw_stream s = {
		.file = append_to("a_0"), .index = append_to("index/a_0.idx"),
		.packet = malloc(TW_PACKET_MAX), .offset = 1u << 20,
	};
	FILE *metadata = append_to("metadata");

	fprintf(metadata, "\nevent {\n\tid = %u;\n\tname = \"a.live%u\";\n\tstream_id = 0;\n"
		"\t// ltt-types\n\t// ltt-format \"live\"\n};\n", id, id);
	fclose(metadata);
	s.offset = ftell(s.file);
	s.header = (struct ltt_packet) {
		.magic = LTT_PACKET_MAGIC, .packet_seq_num = 100 + recorded,
	};
	memcpy(s.header.uuid, tw_uuid, sizeof(tw_uuid));
	tw_begin(&s, (2000 + recorded) * VT_SEC);
	tw_event(&s, id, (2000 + recorded) * VT_SEC, "", 0);
	tw_end(&s, 0);
	tw_close(&s);
	recorded++;
}

/* The library can be overtaken by the recorder before and after anything that it does. */
static void overtake(void)
{
	if (!recording)
		return;
	recording = false;
	record_one();
	recording = true;
}

int __wrap_open(const char *name, int flags, ...)
{
	int fd;

	overtake();
	fd = __real_open(name, flags);
	overtake();
	return fd;
}

/* What the recorder writes into its empty index once its size has been looked at; NULL: nothing. */
static const char *index_begins;

int __wrap_fstat(int fd, struct stat *st)
{
	int ret;

	overtake();
	ret = __real_fstat(fd, st);
	if (index_begins && !ret && !st->st_size) {
		vt_save("index/a_0.idx", index_begins, sizeof(struct ltt_index_header));
		index_begins = NULL;
	}
	overtake();
	return ret;
}

ssize_t __wrap_pread(int fd, void *buf, size_t size, off_t offset)
{
	ssize_t n;

	overtake();
	n = __real_pread(fd, buf, size, offset);
	overtake();
	return n;
}

/* What is being written is not damaged: not a word, and all that was there is shown. */
static void test_live(void)
{
	struct { char *data; size_t size; } saved[3];
	static const char *const names[] = { "metadata", "a_0", "index/a_0.idx" };
	struct vt_ask ask = vt_everything;
	struct vt_result result;
	unsigned int i, before;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		saved[i].data = vt_load(names[i], &saved[i].size);
	for (i = 0; i < 20; i++) {
		/* With a range, the index is asked, which knows more than the stream had. */
		ask.begin = i & 1 ? 1999 * VT_SEC : 0;
		before = recorded;
		recording = true;
		result = vt_read(&ask);
		recording = false;
		EXPECT(recorded > before, "nothing was recorded");
		EXPECT(result.opened && !result.errors && !result.notes, "%s", result.last.text);
		if (before) {
			char line[64];

			snprintf(line, sizeof(line), "%u.000000000 [000] a.live%u: live\n",
				 2000 + before - 1, VT_NR_A + before - 1);
			EXPECT(strstr(result.text, line), "no %s", line);
		}
		vt_done(&result);
	}
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		vt_save(names[i], saved[i].data, saved[i].size);
		free(saved[i].data);
	}
}

/* An index whose header comes when its size, 0, is known. */
static void test_new_index(void)
{
	struct vt_ask ask = vt_everything;
	struct vt_result result;
	size_t size;
	char *index = vt_load("index/a_0.idx", &size);

	vt_save("index/a_0.idx", "", 0);
	index_begins = index;
	ask.begin = 1;
	result = vt_read(&ask);
	EXPECT(!index_begins, "nobody has looked at it");
	EXPECT(result.opened && !result.errors && !result.notes, "%s", result.last.text);
	vt_done(&result);
	vt_save("index/a_0.idx", index, size);
	free(index);
}

static void test_no_trace(void)
{
	const char *dir = "/nonexistent", *file = "/dev/null";
	struct vt_result result;

	result = vt_read_dirs(&dir, 1, &vt_everything);
	EXPECT(!result.opened && result.last.code == ENOENT, "%s", result.last.text);
	EXPECT_STR(result.last.file, "/nonexistent/metadata");
	vt_done(&result);
	result = vt_read_dirs(&file, 1, &vt_everything);
	EXPECT(!result.opened && result.last.code == ENOTDIR, "%s", result.last.text);
	vt_done(&result);
}

static const struct ktap_case cases[] = {
	{ "streams cut at every byte", test_cut_streams },
	{ "metadata cut at every byte", test_cut_metadata },
	{ "streams with every byte made something else", test_corrupt_streams },
	{ "going on behind a bad packet", test_resume },
	{ "headers with every bit flipped", test_header_bits },
	{ "two headers that are wrong", test_two_headers },
	{ "a first header that is wrong in a file of another name", test_renamed },
	{ "metadata with every byte made something else", test_corrupt_metadata },
	{ "an index with every byte made something else", test_corrupt_index },
	{ "metadata that ask for too much", test_hostile_metadata },
	{ "many events with one long format", test_expanded },
	{ "files that do not belong there", test_strange_files },
	{ "a trace that is being recorded", test_live },
	{ "an index that has just been made", test_new_index },
	{ "no trace at all", test_no_trace },
};

int main(void)
{
	return vt_run(cases, ARRAY_SIZE(cases));
}
