// SPDX-License-Identifier: GPL-2.0
/*
 * A trace in a dump: what is there is found, and what is not is told of, whatever the dump says.
 *
 * usage: test_vmcore DIRECTORY	where dumps may be written
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <elf.h>

#include <linux/ltt/textbuf.h>

#include "../../../ltt/crash/crash.h"
#include "ktap.h"
#include "vmcore_image.h"

#define ROUNDS	2000
#define UNUSED_SUBBUFS	32u

static struct memory good, other;
/* Of this machine; 0: as many as it has. */
static long physical_pages;
static u64 events_left;
static const char *directory;

/* What was found, all traces together. */
struct sums {
	unsigned int traces;
	unsigned int failed;
	u64 events;
	u64 lost;
	unsigned long notes;
};

static void add_found(struct sums *sums, const struct ltt_found *found)
{
	u32 i;

	for (i = 0; i < found->nr_buffers; i++) {
		sums->events += found->buffers[i].events;
		sums->lost += found->buffers[i].lost;
	}
	sums->notes += found->nr_notes;
}

/* As ltt crash does. */
static struct sums look_at_all(struct crash *crash)
{
	struct sums sums = { .traces = crash->nr, .failed = crash->damaged };
	char why[LTT_AREA_ERROR];
	struct ltt_found *found;
	struct crash_half half;
	unsigned int i;

	for (i = 0; i < crash->nr; i++) {
		found = NULL;
		if (!crash_compose(crash, &crash->traces[i], false, &half))
			found = ltt_area_scan_holes(half.base, &half.head, half.holes,
						    half.nr_holes, why);
		if (IS_ERR_OR_NULL(found)) {
			sums.failed++;
		} else {
			add_found(&sums, found);
			ltt_area_found_free(found);
		}
		crash_decompose(&half);
	}
	return sums;
}

/* In memory as it is. */
static struct sums look(const u8 *bytes, u64 size)
{
	struct crash crash = { .path = "memory", .fd = -1, .size = size };
	struct sums sums;

	crash.bytes = malloc(size);
	if (!crash.bytes)
		err(1, "memory");
	memcpy(crash.bytes, bytes, size);
	EXPECT(!crash_find(&crash), "out of memory");
	sums = look_at_all(&crash);
	crash_free(&crash);
	return sums;
}

/* To be changed; its bytes are to be freed. */
static struct memory copy_of(const struct memory *memory)
{
	struct memory copy = *memory;

	copy.bytes = malloc(MEMORY_SIZE);
	if (!copy.bytes)
		err(1, "memory");
	memcpy(copy.bytes, memory->bytes, MEMORY_SIZE);
	return copy;
}

static struct sums look_changed(void (*change)(struct memory *memory))
{
	struct memory copy = copy_of(&good);
	struct sums sums;

	change(&copy);
	sums = look(copy.bytes, MEMORY_SIZE);
	free(copy.bytes);
	return sums;
}

static void none(struct memory *memory)
{
	(void)memory;
}

static void expect_all(struct sums sums)
{
	EXPECT(sums.traces == 1 && !sums.failed, "%u traces, %u failed", sums.traces, sums.failed);
	EXPECT(sums.events == events_left && !sums.lost && !sums.notes,
	       "%llu events of %llu, %llu lost, %lu notes", (unsigned long long)sums.events,
	       (unsigned long long)events_left, (unsigned long long)sums.lost, sums.notes);
}

static void all_is_found(void)
{
	expect_all(look_changed(none));
}

/* ---- roots that do not count ----------------------------------------------------- */

static void end(struct memory *memory)
{
	memory_root(memory)->state = LTT_AREA_ENDED;
}

static void break_sum(struct memory *memory)
{
	memory_root(memory)->linear++;
}

static void move(struct memory *memory)
{
	u8 *root = (u8 *)memory_root(memory);

	memcpy(root + LTT_AREA_PAGE, root, LTT_AREA_PAGE);
	memset(root, 0, LTT_AREA_PAGE);
}

static void copy(struct memory *memory)
{
	u8 *root = (u8 *)memory_root(memory);

	memcpy(root + LTT_AREA_PAGE, root, LTT_AREA_PAGE);
}

static void other_version(struct memory *memory)
{
	memory_root(memory)->version++;
	memory_sum(memory);
}

static void odd_page(struct memory *memory)
{
	memory_root(memory)->page = LTT_AREA_PAGE + 8;
	memory_sum(memory);
}

static void roots(void)
{
	struct sums sums;

	sums = look_changed(end);
	EXPECT(!sums.traces && !sums.failed, "one that has ended");
	sums = look_changed(break_sum);
	EXPECT(!sums.traces && !sums.failed, "one whose checksum is wrong");
	sums = look_changed(move);
	EXPECT(!sums.traces && !sums.failed, "one that says that it is elsewhere");
	expect_all(look_changed(copy));
	sums = look_changed(other_version);
	EXPECT(!sums.traces && sums.failed, "another version");
	sums = look_changed(odd_page);
	EXPECT(!sums.traces && sums.failed, "pages of no size");
}

/* ---- two roots --------------------------------------------------------------------- */

static struct ltt_area_trace *trace_at(struct memory *memory, u64 at)
{
	struct ltt_area_record *record = (struct ltt_area_record *)(memory->bytes + at);

	return record->magic == LTT_AREA_RECORD && record->type == LTT_AREA_TRACE ?
	       (struct ltt_area_trace *)(record + 1) : NULL;
}

/* The other one was created later, and in another boot if @boot says so. */
static struct sums look_at_both(bool boot, bool unknown)
{
	struct ltt_area_trace *trace;
	struct sums sums;
	u8 *both = malloc(2 * MEMORY_SIZE);
	struct memory later = other;
	u64 at;

	if (!both)
		err(1, "memory");
	memcpy(both, good.bytes, MEMORY_SIZE);
	memcpy(both + MEMORY_SIZE, other.bytes, MEMORY_SIZE);
	later.bytes = both + MEMORY_SIZE;
	for (at = 0; at < MEMORY_SIZE; at += 8) {
		trace = trace_at(&later, at);
		if (!trace)
			continue;
		trace->created++;
		trace->boot_id[0] ^= boot;
		if (unknown)
			memset(trace->boot_id, 0, sizeof(trace->boot_id));
	}
	memory_sums(&later);
	sums = look(both, 2 * MEMORY_SIZE);
	free(both);
	return sums;
}

static void two_roots(void)
{
	struct sums sums = look_at_both(false, false);

	EXPECT(sums.traces == 2 && !sums.failed && sums.events == 2 * events_left,
	       "%u traces of one boot", sums.traces);
	expect_all(look_at_both(true, false));
	sums = look_at_both(false, true);
	EXPECT(sums.traces == 2, "%u traces if a boot is unknown", sums.traces);
}

/* ---- where they lead to ----------------------------------------------------------- */

/* All pages of the log are the first one. */
static void same_pages(struct memory *memory)
{
	u64 *list = (u64 *)(memory->bytes + MEMORY_LIST * LTT_AREA_PAGE);
	u32 i;

	for (i = 0; i < LTT_AREA_PAGE / sizeof(*list); i++)
		list[i] = MEMORY_LOG * LTT_AREA_PAGE;
	memory_root(memory)->log_used = 512 * LTT_AREA_PAGE;
}

/* The list is its own first page, and so on. */
static void circle(struct memory *memory)
{
	u64 *list = (u64 *)(memory->bytes + MEMORY_LIST * LTT_AREA_PAGE);

	list[0] = MEMORY_LIST * LTT_AREA_PAGE;
}

static void long_log(struct memory *memory)
{
	memory_root(memory)->log_used = ~0ull;
}

static void far_list(struct memory *memory)
{
	memory_root(memory)->lists[0] = ~0ull - LTT_AREA_PAGE + 1;
}

static void far_buffers(struct memory *memory)
{
	memory_root(memory)->linear = 0;
	memory_sum(memory);
}

static void no_log(struct memory *memory)
{
	memory_root(memory)->log_used = 0;
}

static void many_subbufs(struct memory *memory)
{
	memory_first_buffer(memory)->subbuf_num = LTT_SUBBUF_NUM_MAX;
	memory_sums(memory);
}

static void large_subbufs(struct memory *memory)
{
	memory_first_buffer(memory)->subbuf_order = LTT_SUBBUF_ORDER_MAX;
	memory_sums(memory);
}

static void no_order(struct memory *memory)
{
	memory_first_buffer(memory)->subbuf_order = 200;
	memory_sums(memory);
}

/* Whoever says that more was there is not believed, but said to be wrong. */
static void told(const char *what, void (*change)(struct memory *memory))
{
	struct sums sums = look_changed(change);

	EXPECT(sums.failed || sums.notes, "%s: no word of it", what);
	EXPECT(sums.events < events_left, "%s: %llu events", what,
	       (unsigned long long)sums.events);
}

static void leads(void)
{
	told("all pages are the same", same_pages);
	told("a circle", circle);
	told("a log without end", long_log);
	told("a list that is nowhere", far_list);
	told("buffers that are nowhere", far_buffers);
	told("no log", no_log);
	told("too many sub-buffers", many_subbufs);
	told("too large sub-buffers", large_subbufs);
	told("no size", no_order);
}

/* ---- windows ----------------------------------------------------------------------- */

/* Of the first buffer; what goes for a trace goes for it, too. */
static void with_window(struct memory *memory)
{
	memory_window(memory, memory_first_buffer(memory));
}

static struct ltt_area_record *window_record(const struct memory *memory)
{
	return (struct ltt_area_record *)(memory->bytes + (MEMORY_WINDOW + 2) * LTT_AREA_PAGE);
}

static void window_ended(struct memory *memory)
{
	with_window(memory);
	memory_window_root(memory)->state = LTT_AREA_ENDED;
}

static void trace_ended(struct memory *memory)
{
	with_window(memory);
	memory_root(memory)->state = LTT_AREA_ENDED;
}

/* Where its trace was there is another one now. */
static void other_trace(struct memory *memory)
{
	struct ltt_area_window *window;

	with_window(memory);
	window = (struct ltt_area_window *)(window_record(memory) + 1);
	window->generation++;
	memory_sums(memory);
}

static void far_trace(struct memory *memory)
{
	struct ltt_area_window *window;

	with_window(memory);
	window = (struct ltt_area_window *)(window_record(memory) + 1);
	window->root = ~0ull - LTT_AREA_PAGE + 1;
	memory_sums(memory);
}

static void no_trace(struct memory *memory)
{
	with_window(memory);
	window_record(memory)->magic = 0;
}

/* One packet more than the buffer had room for; the table of slots is twice as long. */
static void large_window(struct memory *memory)
{
	struct ltt_area_buffer *buffer;

	with_window(memory);
	buffer = (struct ltt_area_buffer *)
		((u8 *)window_record(memory) + ltt_area_record_bytes(window_record(memory)->size) +
		 sizeof(struct ltt_area_record));
	buffer->subbuf_num = 2 * LTT_SUBBUF_NUM_MAX;
	memory_sums(memory);
}

static void windows(void)
{
	struct sums sums = look_changed(with_window);

	EXPECT(sums.traces == 2 && !sums.failed && !sums.notes && !sums.lost &&
	       sums.events > events_left && sums.events < 2 * events_left,
	       "%u traces, %u failed, %lu notes, %llu events of %llu", sums.traces, sums.failed,
	       sums.notes, (unsigned long long)sums.events, (unsigned long long)events_left);
	expect_all(look_changed(window_ended));
	expect_all(look_changed(other_trace));
	sums = look_changed(trace_ended);
	EXPECT(!sums.traces && !sums.failed, "of a trace that has ended");
	sums = look_changed(far_trace);
	EXPECT(sums.traces == 1 && sums.failed, "a trace that is nowhere: no word of it");
	sums = look_changed(no_trace);
	EXPECT(sums.traces == 1 && sums.failed, "a window of nothing: no word of it");
	sums = look_changed(large_window);
	EXPECT(sums.traces == 2 && sums.notes && sums.events == events_left,
	       "%llu events of a window that is not there", (unsigned long long)sums.events);
}

/* It has the name and the events of the trace, and says why it was taken. */
static void window_info(void)
{
	static const char lines[] =
		"\nsnapshot 7\nwhy test\ntaken 0.000000001\nuntil 0.000000002\n";
	struct crash crash = { .path = "memory", .fd = -1, .size = MEMORY_SIZE };
	struct ltt_found *found = ERR_PTR(-EINVAL);
	char why[LTT_AREA_ERROR], text[8192] = "";
	struct ltt_textbuf out = { .pos = text, .end = text + sizeof(text) - 1 };
	struct memory copy = copy_of(&good);
	struct crash_half half;
	unsigned int i;

	with_window(&copy);
	crash.bytes = copy.bytes;
	EXPECT(!crash_find(&crash) && crash.nr == 2, "%u traces", crash.nr);
	for (i = 0; i < crash.nr && !crash.traces[i].is_window; i++)
		;
	if (i < crash.nr && !crash_compose(&crash, &crash.traces[i], false, &half))
		found = ltt_area_scan_holes(half.base, &half.head, half.holes, half.nr_holes, why);
	EXPECT(!IS_ERR(found), "no window");
	if (!IS_ERR(found)) {
		EXPECT(!ltt_area_info(found, &out) && strstr(text, lines), "%s", text);
		EXPECT(crash.traces[i].created == found->trace.real_offset + 1, "taken at %llu",
		       (unsigned long long)crash.traces[i].created);
		ltt_area_found_free(found);
		EXPECT(strstr(crash.traces[i].name, ".snapshot-7"), "%s", crash.traces[i].name);
		crash_decompose(&half);
	}
	crash_free(&crash);
}

/* ---- memory as it is ------------------------------------------------------------ */

typeof(sysconf) __real_sysconf;

/* The linker has image.c use this one. */
long __wrap_sysconf(int name)
{
	return name == _SC_PHYS_PAGES && physical_pages ? physical_pages : __real_sysconf(name);
}

/* From a file, or from a pipe; @copied: returns whether there is a copy. */
static struct sums look_at_file(bool is_pipe, bool *copied)
{
	struct crash crash = { .fd = -1 };
	struct sums sums = { };
	pid_t writer = 0;
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/image.%d", directory, getpid());
	unlink(path);
	if (is_pipe && mkfifo(path, 0600))
		err(1, "%s", path);
	if (is_pipe)
		writer = fork();
	if (!writer) {
		fd = open(path, O_WRONLY | O_CREAT, 0600);
		/* A pipe's reader may not want all of it. */
		if (write(fd, good.bytes, MEMORY_SIZE) != MEMORY_SIZE && !is_pipe)
			err(1, "%s", path);
		close(fd);
		if (is_pipe)
			_exit(0);
	}
	crash.path = path;
	if (!crash_load(&crash))
		sums = look_at_all(&crash);
	*copied = crash.bytes;
	crash_free(&crash);
	if (is_pipe)
		waitpid(writer, NULL, 0);
	unlink(path);
	return sums;
}

/* A file may be larger than memory; what is copied may not. */
static void large_image(void)
{
	long page = sysconf(_SC_PAGESIZE);
	struct sums sums;
	bool copied;

	expect_all(look_at_file(true, &copied));
	EXPECT(copied, "a pipe that is read by parts");
	physical_pages = 2 * (MEMORY_SIZE / page);
	expect_all(look_at_file(true, &copied));
	physical_pages -= 2;
	sums = look_at_file(true, &copied);
	EXPECT(!sums.traces, "more than half of memory");
	expect_all(look_at_file(false, &copied));
	EXPECT(!copied, "a file that is copied");
	physical_pages = 0;
}

/* ---- dumps ------------------------------------------------------------------------ */

static void put(int fd, const void *data, size_t size)
{
	if (write(fd, data, size) != (ssize_t)size)
		err(1, "dump");
}

/* The pages that @has; the file has @less bytes less than it says. */
static struct sums look_at_pages(const u8 *bytes, const bool *has, u64 less)
{
	Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     LTT_HOST_BE ? ELFDATA2MSB : ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_CORE, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
		.e_phoff = sizeof(header), .e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
	};
	Elf64_Phdr load[MEMORY_PAGES] = { }, *segment;
	struct crash crash = { .fd = -1 };
	u64 at = sizeof(header) + sizeof(load);
	struct sums sums = { };
	char path[256];
	u32 page;
	int fd;

	snprintf(path, sizeof(path), "%s/vmcore.%d", directory, getpid());
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || lseek(fd, at, SEEK_SET) < 0)
		err(1, "%s", path);
	for (page = 0; page < MEMORY_PAGES; page++) {
		if (!has[page])
			continue;
		segment = &load[header.e_phnum++];
		segment->p_type = PT_LOAD;
		segment->p_offset = at;
		segment->p_paddr = page * LTT_AREA_PAGE;
		segment->p_filesz = LTT_AREA_PAGE;
		segment->p_memsz = LTT_AREA_PAGE;
		put(fd, bytes + page * LTT_AREA_PAGE, LTT_AREA_PAGE);
		at += LTT_AREA_PAGE;
	}
	if (ftruncate(fd, at - less) || lseek(fd, 0, SEEK_SET))
		err(1, "%s", path);
	put(fd, &header, sizeof(header));
	put(fd, load, sizeof(load));
	close(fd);
	crash.path = path;
	if (!crash_load(&crash))
		sums = look_at_all(&crash);
	crash_free(&crash);
	unlink(path);
	return sums;
}

/* Without the page @without; the file has @less bytes less. */
static struct sums look_at_dump_of(const struct memory *memory, u32 without, u64 less)
{
	bool has[MEMORY_PAGES];
	u32 page;

	for (page = 0; page < MEMORY_PAGES; page++)
		has[page] = page != without;
	return look_at_pages(memory->bytes, has, less);
}

static struct sums look_at_dump(u32 without, u64 less)
{
	return look_at_dump_of(&good, without, less);
}

static void whole_dump(void)
{
	expect_all(look_at_dump(MEMORY_PAGES, 0));
}

/* Each that is used in turn. */
static void missing_pages(void)
{
	u64 most = 0, least = ~0ull;
	struct sums sums;
	u32 page;

	for (page = 1; page < good.next; page++) {
		sums = look_at_dump(page, 0);
		if (page == MEMORY_ROOT) {
			EXPECT(!sums.traces, "a trace without root");
			continue;
		}
		EXPECT(sums.traces == 1, "page %u: %u traces", page, sums.traces);
		EXPECT(sums.events == events_left || sums.notes || sums.failed,
		       "page %u: nothing is told of %llu events", page,
		       (unsigned long long)(events_left - sums.events));
		if (page > MEMORY_BUFFERS && sums.lost)
			EXPECT(sums.events + sums.lost == events_left,
			       "page %u: %llu events, %llu lost, of %llu", page,
			       (unsigned long long)sums.events, (unsigned long long)sums.lost,
			       (unsigned long long)events_left);
		most = max(most, sums.events);
		least = min(least, sums.events);
	}
	EXPECT(most == events_left && least < events_left, "no page matters");
}

/* Its root, the list of the pages of its log, the log, and the slots. */
static void missing_window(void)
{
	struct memory copy = copy_of(&good);
	struct sums sums;
	u32 page;

	with_window(&copy);
	expect_all(look_at_dump_of(&copy, MEMORY_WINDOW, 0));
	for (page = MEMORY_WINDOW + 1; page <= MEMORY_WINDOW + 3; page++) {
		sums = look_at_dump_of(&copy, page, 0);
		EXPECT(sums.events == events_left && (sums.failed || sums.notes),
		       "page %u: %llu events, %u failed, %lu notes", page,
		       (unsigned long long)sums.events, sums.failed, sums.notes);
	}
	/* It is of no use without what its trace declares. */
	for (page = 1; page < copy.next; page++) {
		sums = look_at_dump_of(&copy, page, 0);
		EXPECT(page == MEMORY_ROOT || page == MEMORY_WINDOW || sums.failed ||
		       sums.notes || sums.events > events_left,
		       "page %u: nothing is told of it", page);
	}
	free(copy.bytes);
}

static void short_file(void)
{
	struct sums sums = look_at_dump(MEMORY_PAGES, MEMORY_SIZE - 30 * LTT_AREA_PAGE);

	EXPECT(sums.traces == 1 && sums.notes && sums.events && sums.events < events_left,
	       "%u traces, %lu notes, %llu events", sums.traces, sums.notes,
	       (unsigned long long)sums.events);
}

/* The buffer of a CPU that has recorded nothing. */
static void add_unused(struct memory *memory, u32 cpu)
{
	struct {
		struct ltt_area_buffer buffer;
		u64 page;
	} payload = {
		.buffer = {
			.cpu = cpu, .subbuf_order = IMAGE_ORDER, .subbuf_num = UNUSED_SUBBUFS,
			.overwrite = 1,
		},
		.page = memory->next++ * LTT_AREA_PAGE,
	};
	struct ltt_area_slot *slot = (struct ltt_area_slot *)(memory->bytes + payload.page);
	u32 i;

	payload.buffer.slots = payload.page;
	for (i = 0; i < UNUSED_SUBBUFS; i++)
		slot[i].base = MEMORY_LINEAR + i * LTT_AREA_PAGE;
	memory_record(memory, LTT_AREA_BUFFER, &payload, sizeof(payload));
}

/* What has never been used is left out, and is more than all that the dump has. */
static void no_zeros(void)
{
	static const u8 zeros[LTT_AREA_PAGE];
	struct memory copy = copy_of(&good);
	bool has[MEMORY_PAGES];
	u32 page, nr = 0;

	add_unused(&copy, 2);
	/* Where memory ends. */
	copy.bytes[MEMORY_SIZE - 1] = 1;
	for (page = 0; page < MEMORY_PAGES; page++) {
		has[page] = memcmp(copy.bytes + page * LTT_AREA_PAGE, zeros, LTT_AREA_PAGE);
		nr += has[page];
	}
	EXPECT(nr < UNUSED_SUBBUFS, "%u pages", nr);
	expect_all(look_at_pages(copy.bytes, has, 0));
	free(copy.bytes);
}

/* ---- anything ---------------------------------------------------------------------- */

static u32 seed = 1;

static u32 random_below(u32 limit)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 8) % limit;
}

static void scramble(struct memory *memory)
{
	static const u32 places[] = {
		MEMORY_ROOT, MEMORY_LIST, MEMORY_LOG, MEMORY_BUFFERS, MEMORY_BUFFERS + 1,
		MEMORY_WINDOW, MEMORY_WINDOW + 1, MEMORY_WINDOW + 2, MEMORY_WINDOW + 3,
	};
	u32 nr = 1 + random_below(8), page;

	with_window(memory);
	for (; nr; nr--) {
		page = places[random_below(ARRAY_SIZE(places))];
		memory->bytes[page * LTT_AREA_PAGE + random_below(random_below(2) ? 128 :
								  LTT_AREA_PAGE)] ^=
			1u << random_below(8);
	}
	memory_sums(memory);
}

/* Whatever it is, it does no harm; and no events appear. */
static void random_bits(void)
{
	struct sums sums;
	u32 i;

	for (i = 0; i < ROUNDS; i++) {
		sums = look_changed(scramble);
		/* A window may have been led to another buffer. */
		EXPECT(sums.events <= 2 * events_left, "round %u: %llu events", i,
		       (unsigned long long)sums.events);
	}
}

int main(int argc, char **argv)
{
	static const struct ktap_case cases[] = {
		{ "all is found", all_is_found },
		{ "roots that do not count", roots },
		{ "two of one boot, and of two boots", two_roots },
		{ "where they lead to", leads },
		{ "windows", windows },
		{ "what is known of a window", window_info },
		{ "a file, a pipe, and what is too large", large_image },
		{ "a dump", whole_dump },
		{ "pages are missing", missing_pages },
		{ "pages of a window are missing", missing_window },
		{ "without pages of zeros", no_zeros },
		{ "a file that is too short", short_file },
		{ "random bits", random_bits },
	};
	struct image image;
	unsigned int i;
	int status;

	directory = argc > 1 ? argv[1] : ".";
	/* Thousands that cannot be read are told of. */
	if (!getenv("VERBOSE") && !freopen("/dev/null", "w", stderr))
		err(1, "/dev/null");
	image_make(&image);
	memory_make(&good, 0, &image);
	for (i = 0; i < IMAGE_RINGS; i++)
		events_left += image_left(&image, &image.ring[i]);
	memory_make(&other, MEMORY_SIZE, &image);
	free(image.base);
	status = ktap_run(cases, ARRAY_SIZE(cases));
	free(good.bytes);
	free(other.bytes);
	return status;
}
