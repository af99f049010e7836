// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: what it makes of traces in which all is well, and of parts of them.
 */
#include <errno.h>
#include <inttypes.h>

#include "view_trace.h"

/* Of a time in a line, in ns. */
static u64 line_time(const char *line)
{
	const char *before = strstr(line, "before "), *end = strchr(line, '\n');
	unsigned long long sec, ns;

	if (*line == '#' && before && before < end)
		line = before + strlen("before ");
	if (sscanf(line, "%llu.%9llu", &sec, &ns) != 2)
		return U64_MAX;
	return sec * VT_SEC + ns;
}

/* Those lines of @text that are in the range, and of events that contain @name. */
static char *filter(const char *text, u64 begin, u64 end, const char *name)
{
	char *out = calloc(1, strlen(text) + 1), *pos = out, line[256];
	const char *next;
	u64 ts;

	for (; *text; text = next) {
		next = strchr(text, '\n') + 1;
		memcpy(line, text, next - text);
		line[next - text] = '\0';
		ts = line_time(line);
		if (ts < begin || ts > end || !strstr(line, name))
			continue;
		pos = stpcpy(pos, line);
	}
	return out;
}

static void test_text(void)
{
	static const size_t steps[] = { 1, 160, 500, 4096, 1 << 20 };
	struct vt_ask ask = vt_everything;
	struct vt_result result;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		ask.step = steps[i];
		result = vt_read(&ask);
		EXPECT_STR(result.text, vt_text);
		EXPECT(!result.errors && !result.notes, "%s", result.last.text);
		vt_done(&result);
	}
}

static void test_header(void)
{
	struct libltt *ltt = vt_open();
	char buf[1024];
	long len = 0, size;

	for (size = 0; size < (long)sizeof(buf) && len <= 0; size++)
		len = libltt_header(ltt, buf, size);
	EXPECT(len > 0 && len < size, "%ld of %ld", len, size);
	EXPECT_STR(buf, VT_HEADER);
	libltt_close(ltt);
}

/* Event by event it is the same. */
static void test_events(void)
{
	struct libltt *ltt = vt_open();
	char text[sizeof(vt_text) + 1024] = "", *pos = text;
	unsigned int events = 0, notices = 0;
	struct libltt_event event;
	u64 last = 0;
	long len;

	while (libltt_next(ltt, &event) > 0) {
		len = libltt_line(ltt, &event, pos, text + sizeof(text) - pos);
		if (!EXPECT(len > 0, "line: %ld", len))
			break;
		EXPECT(event.time >= last, "out of order");
		EXPECT(event.time == line_time(pos), "time %" PRIu64, event.time);
		EXPECT(!event.lost == !!event.kind, "neither event nor notice");
		EXPECT(event.channel[0] == 'a' || event.channel[0] == 'b', "channel");
		EXPECT(!event.kind || !strcmp(event.kind->channel, event.channel), "channel");
		last = event.time;
		pos += len;
		if (event.lost)
			notices++;
		else
			events++;
	}
	*pos = '\0';
	EXPECT_STR(text, vt_text);
	EXPECT(events == 12 && notices == 3, "%u events, %u notices", events, notices);
	EXPECT(!libltt_next(ltt, &event), "something behind the end");
	libltt_close(ltt);
}

/* Lines and values can be taken in turn. */
static void test_mixed(void)
{
	struct libltt *ltt = vt_open();
	char text[sizeof(vt_text) + 1024] = "", *pos = text;
	struct libltt_event event;
	long len;

	for (;;) {
		if (libltt_next(ltt, &event) <= 0)
			break;
		pos += libltt_line(ltt, &event, pos, text + sizeof(text) - pos);
		len = libltt_text(ltt, pos, 200);
		if (!EXPECT(len >= 0 || len == -ENOSPC, "text: %ld", len))
			break;
		pos += max(len, 0l);
	}
	*pos = '\0';
	EXPECT_STR(text, vt_text);
	libltt_close(ltt);
}

static void expect_value(const struct libltt_event *event)
{
	struct libltt_value value[2];

	if (!strcmp(event->kind->marker, "int") && event->time == 5 * VT_SEC) {
		EXPECT(!libltt_field(event, 0, &value[0]), "no field");
		EXPECT_STR(value[0].name, "v");
		EXPECT(value[0].type == LIBLTT_SIGNED && value[0].i == -1, "value");
		EXPECT(libltt_field(event, 1, &value[1]) == -EINVAL, "a second field");
	} else if (!strcmp(event->kind->marker, "blob")) {
		EXPECT(!libltt_field(event, 0, &value[0]) && value[0].u == 2, "size");
		EXPECT(value[0].type == LIBLTT_UNSIGNED, "type of a size");
		EXPECT(!libltt_field(event, 1, &value[1]), "no field");
		EXPECT(value[1].type == LIBLTT_BYTES && value[1].count == 2 &&
		       !memcmp(value[1].bytes, "\xde\xad", 2), "data");
	} else if (!strcmp(event->kind->marker, "str") && event->cpu == 0) {
		EXPECT(!libltt_field(event, 0, &value[0]), "no field");
		EXPECT(value[0].type == LIBLTT_STRING && value[0].count == 9, "type");
		EXPECT_STR(value[0].text, "two\nlines");
		EXPECT(!libltt_field(event, 1, &value[1]) && value[1].u == 1, "n");
		EXPECT_STR(value[1].name, "n");
	}
}

static void test_values(void)
{
	struct libltt *ltt = vt_open();
	struct libltt_event event;

	while (libltt_next(ltt, &event) > 0)
		if (event.kind)
			expect_value(&event);
	libltt_close(ltt);
}

static void test_lists(void)
{
	struct libltt *ltt = vt_open();
	const struct libltt_class *class = NULL;
	const char *first = NULL;
	unsigned int nr = 0;

	while ((class = libltt_class(ltt, class))) {
		EXPECT(class->stream < 2 && class->id < VT_NR_B, "class");
		if (nr == VT_STR) {
			EXPECT_STR(class->marker, "str");
			EXPECT_STR(class->format, "s %s n %u");
			EXPECT(class->nr_fields == 2, "%u fields", class->nr_fields);
		}
		/* Declared once, there once. */
		if (class->stream == 1 && !(class->id & 1)) {
			first = first ?: class->format;
			EXPECT(class->format == first, "%s has a copy", class->marker);
		}
		nr++;
	}
	EXPECT(nr == VT_NR_A + VT_NR_B, "%u classes", nr);
	EXPECT(libltt_nr_traces(ltt) == 1 && !libltt_trace(ltt, 1), "traces");
	EXPECT_STR(libltt_trace(ltt, 0)->name, "small");
	EXPECT_STR(libltt_trace(ltt, 0)->clock, "mono");
	EXPECT_STR(libltt_trace(ltt, 0)->hostname, "here");
	EXPECT(!memcmp(libltt_trace(ltt, 0)->uuid, tw_uuid, sizeof(tw_uuid)), "uuid");
	EXPECT(!memcmp(libltt_trace(ltt, 0)->boot_id, tw_uuid, sizeof(tw_uuid)), "boot ID");
	EXPECT(libltt_trace(ltt, 0)->real_offset == 1700000000ull * VT_SEC, "offset");
	EXPECT(libltt_nr_streams(ltt) == 3 && !libltt_stream(ltt, 3), "streams");
	EXPECT(libltt_stream(ltt, 1)->cpu == 1 && libltt_stream(ltt, 1)->stream == 0, "order");
	EXPECT_STR(libltt_stream(ltt, 2)->channel, "b");
	EXPECT_STR(libltt_stream(ltt, 2)->file, vt_path("b_0"));
	libltt_close(ltt);
}

/* Times at which something changes, and those around them. */
static const u64 times[] = {
	0, 1, 5 * VT_SEC - 1, 5 * VT_SEC, 5 * VT_SEC + 1, 5 * VT_SEC + 10, 5 * VT_SEC + 11,
	5 * VT_SEC + 20, 5 * VT_SEC + 25, 5 * VT_SEC + 26, 5 * VT_SEC + 500, 6 * VT_SEC,
	6 * VT_SEC + 1, 7 * VT_SEC, 7 * VT_SEC + 1, 8 * VT_SEC, 8 * VT_SEC + 1, 9 * VT_SEC,
	9 * VT_SEC + 1, 9 * VT_SEC + 2, 1005 * VT_SEC, 1005 * VT_SEC + 1, U64_MAX - 1, U64_MAX,
};

/* A range is the text that lies in it, whatever the index says. */
static void expect_ranges(unsigned long notes)
{
	struct vt_ask ask = vt_everything;
	struct vt_result result;
	unsigned int i, j;
	char *want;

	for (i = 0; i < ARRAY_SIZE(times); i++) {
		for (j = i; j < ARRAY_SIZE(times); j++) {
			ask.begin = times[i];
			ask.end = times[j];
			result = vt_read(&ask);
			want = filter(vt_text, ask.begin, ask.end, "");
			EXPECT_STR(result.text, want);
			EXPECT(!result.errors, "%s", result.last.text);
			EXPECT(result.notes <= notes, "note: %s: %s", result.last.file,
			       result.last.text);
			free(want);
			vt_done(&result);
		}
	}
}

static void test_ranges(void)
{
	expect_ranges(0);
}

static void test_index_missing(void)
{
	char away[128];

	snprintf(away, sizeof(away), "%s/.index", vt_dir);
	if (rename(vt_path("index"), away))
		err(1, "rename");
	expect_ranges(0);
	if (rename(away, vt_path("index")))
		err(1, "rename");
}

/* Each way to spoil the indexes, for all streams at once. */
static void spoil(void (*how)(char *data, size_t *size, unsigned int nr), unsigned int nr,
		  unsigned long notes)
{
	static const char *const names[] = {
		"index/a_0.idx", "index/a_1.idx", "index/b_0.idx",
	};
	char *data[ARRAY_SIZE(names)], *copy;
	size_t size[ARRAY_SIZE(names)], spoilt;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		data[i] = vt_load(names[i], &size[i]);
		copy = malloc(size[i]);
		memcpy(copy, data[i], size[i]);
		spoilt = size[i];
		how(copy, &spoilt, nr);
		vt_save(names[i], copy, spoilt);
		free(copy);
	}
	expect_ranges(notes);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		vt_save(names[i], data[i], size[i]);
		free(data[i]);
	}
}

static void shorten(char *data, size_t *size, unsigned int nr)
{
	(void)data;
	*size = min_t(size_t, *size, nr);
}

static void test_index_short(void)
{
	unsigned int len;

	for (len = 0; len < 16 + 4 * sizeof(struct ltt_index_entry); len += 31)
		spoil(shorten, len, 3);
}

/* Word @nr of each entry is what it is in the entry before, or nothing. */
static void shift_word(char *data, size_t *size, unsigned int nr)
{
	size_t entry = sizeof(struct ltt_index_entry), pos;

	for (pos = *size - entry; pos > sizeof(struct ltt_index_header); pos -= entry)
		memcpy(data + pos + 8 * nr, data + pos + 8 * nr - entry, 8);
	memset(data + pos + 8 * nr, 0, 8);
}

static void random_word(char *data, size_t *size, unsigned int nr)
{
	unsigned long long state = nr + 1;
	size_t pos;

	for (pos = sizeof(struct ltt_index_header); pos < *size; pos++)
		if (ktap_random(&state) >> 61 == 0)
			data[pos] = ktap_random(&state) >> 32;
}

static void test_index_lies(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(struct ltt_index_entry) / 8; i++)
		spoil(shift_word, i, 3);
	for (i = 0; i < 8; i++)
		spoil(random_word, i, 3);
}

static void test_patterns(void)
{
	static const struct {
		const char *pattern;
		const char *name;	/* of what is left */
	} cases[] = {
		{ "*", "" }, { "*.*", "" }, { "a.*", " a" }, { "b.*", "b.k" },
		{ "b.k0", "b.k0" }, { "b.k3?", "b.k3" }, { "?.k*", "b.k" },
		{ "*.k*2", "b.k32" }, { "b.**3*1", "b.k31" }, { "c.*", "no such" },
		{ "b.k", "no such" }, { "*.?", "no such" },
	};
	struct vt_ask ask = vt_everything;
	struct vt_result result;
	unsigned int i;
	char *want;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		ask.pattern = cases[i].pattern;
		result = vt_read(&ask);
		want = filter(vt_text, 0, U64_MAX, cases[i].name);
		EXPECT_STR(result.text, want);
		free(want);
		vt_done(&result);
	}
}

static void test_bad_patterns(void)
{
	static const char *const bad[] = {
		"", "a", "a.", ".b", "a.b.c", "a.b-c", "!", "!a", "a b.c", "a.[bc]", "**",
	};
	struct libltt *ltt = vt_open();
	struct libltt_problem problem;
	unsigned int i;
	char text[sizeof(vt_text) + 512];
	long len;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT(libltt_select(ltt, bad[i], &problem) == -EINVAL, "'%s'", bad[i]);
		EXPECT(libltt_pattern(bad[i], NULL) == -EINVAL, "'%s'", bad[i]);
	}
	EXPECT(!libltt_pattern("!*", NULL) && !libltt_pattern("b.*", NULL), "good patterns");
	/* The last one decides. */
	EXPECT(!libltt_select(ltt, "!*", NULL) && !libltt_select(ltt, "b.*", NULL) &&
	       !libltt_select(ltt, "!b.k0", NULL), "patterns");
	len = libltt_text(ltt, text, sizeof(text) - 1);
	text[max(len, 0l)] = '\0';
	EXPECT_STR(text, "5.000000000 [000] b.k32: x 1\n5.000000010 [000] b.k31: value -3\n");
	libltt_close(ltt);
}

static const struct ktap_case cases[] = {
	{ "the text is what it has to be", test_text },
	{ "the header", test_header },
	{ "events one by one", test_events },
	{ "lines and events in turn", test_mixed },
	{ "values of fields", test_values },
	{ "traces, streams, classes", test_lists },
	{ "ranges of time", test_ranges },
	{ "ranges without an index", test_index_missing },
	{ "ranges with short indexes", test_index_short },
	{ "ranges with indexes that lie", test_index_lies },
	{ "patterns", test_patterns },
	{ "what is no pattern", test_bad_patterns },
};

int main(void)
{
	return vt_run(cases, ARRAY_SIZE(cases));
}
