// SPDX-License-Identifier: GPL-2.0
/*
 * ltt repair: what is cut off is a tail, and is kept; nothing else is touched.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>

#include <linux/ltt/packet.h>

#include "../../../ltt/repair/repair.h"
#include "view_trace.h"

#define FILES	8
#define ROUNDS	400

/* Random bytes of a damage, at most. */
#define JUNK	100

/* Files of the trace, and one that is none of it. */
static const char *const names[FILES] = {
	"metadata", "a_0", "a_1", "b_0", "index/a_0.idx", "index/a_1.idx", "index/b_0.idx",
	"notes.txt",
};

struct contents {
	char *data;
	size_t size;
};

static struct contents made[FILES];

static void make(void)
{
	unsigned int i;

	vt_make();
	vt_save("notes.txt", "short", 5);
	for (i = 0; i < FILES; i++)
		made[i].data = vt_load(names[i], &made[i].size);
}

static int remove_one(const char *name, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(name);
}

static void restore(void)
{
	unsigned int i;

	nftw(vt_path("repair"), remove_one, 8, FTW_DEPTH | FTW_PHYS);
	for (i = 0; i < FILES; i++)
		vt_save(names[i], made[i].data, made[i].size);
}

static bool exists(const char *name)
{
	return !access(vt_path(name), F_OK);
}

static bool same_file(const char *name, const void *data, size_t size)
{
	struct contents now;
	bool same;

	if (!exists(name))
		return false;
	now.data = vt_load(name, &now.size);
	same = now.size == size && !memcmp(now.data, data, size);
	free(now.data);
	return same;
}

/* Of all files: names and contents. */
static FILE *snapshot_file;

static int snapshot_one(const char *name, const struct stat *st, int flag, struct FTW *ftw)
{
	struct contents file;

	(void)ftw;
	fprintf(snapshot_file, "%s\n", name);
	if (flag == FTW_F && S_ISREG(st->st_mode)) {
		file.data = vt_load(name + strlen(vt_dir) + 1, &file.size);
		fwrite(file.data, 1, file.size, snapshot_file);
		free(file.data);
	}
	return 0;
}

static struct contents snapshot(void)
{
	struct contents all;

	snapshot_file = open_memstream(&all.data, &all.size);
	nftw(vt_dir, snapshot_one, 8, FTW_PHYS);
	fclose(snapshot_file);
	return all;
}

static int repair(void)
{
	return repair_directory(vt_dir, false);
}

/* Repair, which must change nothing. */
static int expect_untouched(void)
{
	struct contents before = snapshot(), after;
	int ret = repair();

	after = snapshot();
	EXPECT(before.size == after.size && !memcmp(before.data, after.data, after.size),
	       "something was touched");
	free(before.data);
	free(after.data);
	return ret;
}

/* Where the last whole packet of a stream of this channel and CPU ends, by trying all offsets. */
static size_t last_end(const struct contents *file, u32 stream_id, u32 cpu)
{
	struct ltt_packet packet;
	size_t at, end = 0;

	for (at = 0; at + sizeof(packet) <= file->size; at++) {
		memcpy(&packet, file->data + at, sizeof(packet));
		if (packet.magic == LTT_PACKET_MAGIC && packet.stream_id == stream_id &&
		    packet.cpu_id == cpu && !memcmp(packet.uuid, tw_uuid, sizeof(tw_uuid)) &&
		    packet.content_size == packet.packet_size &&
		    packet.packet_size >= 8 * sizeof(packet) &&
		    packet.packet_size / 8 <= file->size - at)
			end = max_t(size_t, end, at + packet.packet_size / 8);
	}
	return end;
}

/* All of what was there is there: in the file, and what was cut off beside it. */
static void expect_all(const char *name, const struct contents *before, size_t keep)
{
	struct contents now = { .data = vt_load(name, &now.size) };
	char side[64];

	EXPECT(now.size <= before->size && !memcmp(now.data, before->data, now.size),
	       "%s is another file", name);
	EXPECT(now.size >= keep, "%s: %zu bytes of %zu are whole, %zu are left", name, keep,
	       before->size, now.size);
	if (now.size < before->size) {
		snprintf(side, sizeof(side), "repair/%s.%zu", name, now.size);
		EXPECT(same_file(side, before->data + now.size, before->size - now.size),
		       "%s is not what was cut off", side);
	}
	free(now.data);
}

/* An old index is kept unless the new one has all of it. */
static void expect_index(const char *name, const struct contents *before)
{
	struct contents now = { .data = vt_load(name, &now.size) };
	char side[64];

	snprintf(side, sizeof(side), "repair/%s", strchr(name, '/') + 1);
	EXPECT((now.size >= before->size && !memcmp(now.data, before->data, before->size)) ||
	       same_file(side, before->data, before->size), "%s is lost", name);
	free(now.data);
}

static unsigned long long seed = 88172645463325252ull;

static size_t below(size_t n)
{
	return n ? ktap_random(&seed) % n : 0;
}

static void damage(struct contents *file)
{
	size_t at = below(file->size), n = below(JUNK), i;

	switch (below(6)) {
	case 0:
		file->size = at;
		break;
	case 1:
		if (file->size)
			file->data[at] ^= 1 << below(8);
		break;
	case 2:
		for (i = 0; i < n; i++)
			file->data[file->size++] = below(256);
		break;
	case 3:
		memset(file->data + at, 0, file->size - at < n ? file->size - at : n);
		break;
	case 4:
		/* A packet that is being written, if this is a stream. */
		n = file->size < n ? file->size : n;
		memmove(file->data + file->size, file->data, n);
		file->size += n;
		break;
	case 5:
		/* A header's sizes, both of them or one. */
		for (i = 0; i < below(9) && file->size > sizeof(struct ltt_packet); i++)
			file->data[offsetof(struct ltt_packet, content_size) + below(16)] = 0xff;
		break;
	}
}

static void check_round(const struct contents before[FILES])
{
	EXPECT(same_file("notes.txt", before[7].data, before[7].size), "notes.txt was touched");
	expect_all("metadata", &before[0], 0);
	expect_all("a_0", &before[1], last_end(&before[1], 0, 0));
	expect_all("a_1", &before[2], last_end(&before[2], 0, 1));
	expect_all("b_0", &before[3], last_end(&before[3], 1, 0));
	expect_index(names[4], &before[4]);
	expect_index(names[5], &before[5]);
	expect_index(names[6], &before[6]);
}

/* Any damage: nothing is lost, the viewer sees what it saw, and a second time is no news. */
static void test_random(void)
{
	struct contents before[FILES];
	struct vt_result was, is;
	unsigned int round, i, n;
	int first, second;

	for (round = 0; round < ROUNDS; round++) {
		restore();
		for (i = 0; i < FILES; i++) {
			before[i].data = malloc(made[i].size + 4 * JUNK);
			before[i].size = made[i].size;
			memcpy(before[i].data, made[i].data, made[i].size);
		}
		for (n = 0; n <= below(3); n++)
			damage(&before[below(FILES - 1)]);
		for (i = 0; i < FILES; i++)
			vt_save(names[i], before[i].data, before[i].size);
		was = vt_read(&vt_everything);
		first = repair();
		check_round(before);
		is = vt_read(&vt_everything);
		EXPECT_STR(is.text, was.text);
		vt_done(&was);
		vt_done(&is);
		second = expect_untouched();
		EXPECT(first == second, "%d, then %d", first, second);
		for (i = 0; i < FILES; i++)
			free(before[i].data);
		if (ktap_failures) {
			printf("# round %u\n", round);
			break;
		}
	}
	restore();
}

/* The size of a packet in the middle: told and kept; and the tail is cut all the same. */
static void test_middle(void)
{
	struct contents file = { .size = made[2].size };
	char side[64];

	file.data = malloc(file.size + 10);
	memcpy(file.data, made[2].data, file.size);
	memset(file.data + file.size, 'x', 10);
	file.data[offsetof(struct ltt_packet, packet_size) + 5] ^= 1;
	vt_save("a_1", file.data, file.size + 10);
	EXPECT(repair() == -EIO, "no error");
	EXPECT(same_file("a_1", file.data, file.size), "a_1");
	snprintf(side, sizeof(side), "repair/a_1.%zu", file.size);
	EXPECT(same_file(side, "xxxxxxxxxx", 10), "%s", side);
	EXPECT(expect_untouched() == -EIO, "the damage is not told again");
	free(file.data);
	restore();
}

/* A header that is wrong costs the index the packet's own entry. */
static void test_header(void)
{
	static const size_t bytes[] = {
		offsetof(struct ltt_packet, stream_id), offsetof(struct ltt_packet, cpu_id),
		offsetof(struct ltt_packet, timestamp_end) + 7,
		offsetof(struct ltt_packet, packet_seq_num) + 7,
	};
	const size_t entry = sizeof(struct ltt_index_entry);
	const size_t header = sizeof(struct ltt_index_header);
	struct contents file = { .size = made[2].size };
	char want[1024];
	unsigned int i;

	file.data = malloc(file.size);
	memcpy(file.data, made[2].data, file.size);
	memcpy(want, made[5].data, made[5].size);
	memmove(want + header, want + header + entry, made[5].size - header - entry);
	for (i = 0; i < ARRAY_SIZE(bytes); i++) {
		file.data[bytes[i]] ^= 0x40;
		vt_save("a_1", file.data, file.size);
		EXPECT(repair() == -EIO, "byte %zu: no error", bytes[i]);
		EXPECT(same_file("a_1", file.data, file.size), "a_1");
		EXPECT(same_file("index/a_1.idx", want, made[5].size - entry),
		       "byte %zu: another index", bytes[i]);
		EXPECT(expect_untouched() == -EIO, "the damage is not told again");
		file.data[bytes[i]] ^= 0x40;
		restore();
	}
	free(file.data);
}

/* Directories that are not ours. */
static void test_foreign(void)
{
	static const char *const texts[] = {
		"", "some notes\n", "first\n};\nsecond", "/* CTF 1.8 */\n\ntypealias integer",
		"/* CTF 1.8 */\n\ntrace { major = 1; minor = 8; byte_order = le; uuid = \"77726974-6572-206f-6620-747261636573\";\n};\n"
		"env { tracer_name = \"lttng-modules\";\n};\nhalf",
		"/* CTF 1.8 */\n\ntrace { major = 1; minor = 8; byte_order = le; uuid = \"77726974-6572-206f-6620-747261636573\";\n};\n"
		"half",
		"/* CTF 1.8 */\n\ntrace { major = 1; minor = 8; byte_order = le; uuid = \"77726974-6572-206f-6620-747261636573\";\n};\n",
		"/* CTF 1.8 */\n\nenv { tracer_name = \"ltt\";\n};\nhalf",
	};
	unsigned int i;

	vt_save("a_0", made[1].data, made[1].size - 1);
	vt_save("config", "x", 1);
	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		vt_save("metadata", texts[i], strlen(texts[i]));
		EXPECT(expect_untouched() == -EBADMSG, "'%s'", texts[i]);
	}
	remove(vt_path("config"));
	restore();
	EXPECT(!expect_untouched(), "a whole trace");
}

/* Files of other traces, and what is no stream. */
static void test_other_files(void)
{
	char *other = malloc(made[1].size);

	memcpy(other, made[1].data, made[1].size);
	other[5] ^= 1;
	vt_save("other_0", other, 40);
	vt_save("b_7", "a", 1);
	EXPECT(expect_untouched() == -EIO, "b_7 should be a stream");
	remove(vt_path("b_7"));
	EXPECT(!expect_untouched(), "other_0 is nobody's");
	remove(vt_path("other_0"));
	EXPECT(!mkfifo(vt_path("b_8"), 0600), "mkfifo");
	EXPECT(expect_untouched() == -EIO, "a FIFO");
	remove(vt_path("b_8"));
	EXPECT(!symlink("index", vt_path("b_8")), "symlink");
	EXPECT(!expect_untouched(), "a link to a directory");
	remove(vt_path("b_8"));
	EXPECT(!symlink("nothing", vt_path("b_8")), "symlink");
	EXPECT(expect_untouched() == -EIO, "a link to nothing");
	remove(vt_path("b_8"));
	/* The only packet of a stream, not whole: from the first bytes on. */
	vt_save("a_9", made[1].data, 10);
	EXPECT(!repair() && same_file("a_9", "", 0) &&
	       same_file("repair/a_9.0", made[1].data, 10), "a_9");
	remove(vt_path("a_9"));
	remove(vt_path("index/a_9.idx"));
	free(other);
	restore();
}

/* Other names of a file, and places where nothing can be put. */
static void test_not_cut(void)
{
	char link_name[128], outside[128];

	/* Nothing in a directory is a stream; what a test leaves is removed with ours. */
	strcpy(link_name, vt_path("elsewhere/link"));
	strcpy(outside, vt_path("elsewhere/a_0"));
	if (mkdir(vt_path("elsewhere"), 0700))
		err(1, "elsewhere");
	vt_save("a_0", made[1].data, made[1].size - 1);
	EXPECT(!link(vt_path("a_0"), link_name), "link");
	EXPECT(expect_untouched() == -EIO, "a hard link");
	remove(link_name);

	vt_save("repair", "no directory", 12);
	EXPECT(expect_untouched() == -EIO, "nowhere to put it");
	remove(vt_path("repair"));

	restore();
	vt_save("elsewhere/a_0", made[1].data, made[1].size - 1);
	remove(vt_path("a_0"));
	EXPECT(!symlink(outside, vt_path("a_0")), "symlink");
	EXPECT(expect_untouched() == -EIO, "a damaged stream behind a link");
	remove(vt_path("a_0"));
	remove(outside);
	remove(vt_path("elsewhere"));
	restore();
}

/* Killed after the copy was made, before the file was cut. */
static void test_again(void)
{
	size_t end, size = made[1].size - 1;
	char side[64];
	struct contents cut = { made[1].data, size };

	end = last_end(&cut, 0, 0);
	vt_save("a_0", made[1].data, size);
	EXPECT(!repair(), "repair");
	vt_save("a_0", made[1].data, size);
	EXPECT(!repair(), "repair again");
	snprintf(side, sizeof(side), "repair/a_0.%zu", end);
	EXPECT(same_file(side, made[1].data + end, size - end), "%s", side);
	snprintf(side, sizeof(side), "repair/a_0.%zu-2", end);
	EXPECT(!exists(side), "a second copy");
	/* Something else that is cut off there. */
	vt_save("a_0", made[1].data, size - 1);
	EXPECT(!repair() && same_file(side, made[1].data + end, size - 1 - end), "%s", side);
	restore();
}

static size_t offset_of(const char *part)
{
	char *at = memmem(made[0].data, made[0].size, part, strlen(part));

	EXPECT(at, "no '%s' in the metadata", part);
	return at ? at - made[0].data : 0;
}

/* Metadata that end too early for what is there: nothing can read it, and that is said. */
static void test_undeclared(void)
{
	size_t size;
	char *text;

	vt_save("metadata", made[0].data, offset_of("stream {\n\tid = 1;"));
	repair();
	EXPECT(expect_untouched() == -EIO, "channel b is not declared");
	EXPECT(same_file("b_0", made[3].data, made[3].size), "b_0");
	remove(vt_path("b_0"));
	EXPECT(!repair(), "nothing is left of b");
	restore();

	vt_save("metadata", made[0].data, offset_of("clock {"));
	EXPECT(repair() == -EIO, "no clock, no channels");
	remove(vt_path("a_0"));
	remove(vt_path("a_1"));
	remove(vt_path("b_0"));
	EXPECT(expect_untouched() == -EIO, "no clock");
	text = vt_load("metadata", &size);
	EXPECT(size <= made[0].size && !memcmp(text, made[0].data, size), "the metadata");
	free(text);
	restore();
}

/* No indexes are no error; what can't be read as their directory is. */
static void test_no_indexes(void)
{
	char away[128];

	strcpy(away, vt_path("notindex"));
	if (rename(vt_path("index"), away))
		err(1, "%s", away);
	EXPECT(!expect_untouched(), "no indexes");
	vt_save("index", "file", 4);
	EXPECT(expect_untouched() == -EIO, "a file");
	remove(vt_path("index"));
	EXPECT(!symlink("notindex", vt_path("index")), "symlink");
	EXPECT(expect_untouched() == -EIO, "a link");
	remove(vt_path("index"));
	if (rename(away, vt_path("index")))
		err(1, "%s", away);
	restore();
}

/* The name under which an index is made is taken: by a file, or a link to one. */
static void test_name_taken(void)
{
	char outside[128];

	remove(vt_path("index/a_0.idx"));
	vt_save("index/.a_0.idx.new", "foreign", 7);
	EXPECT(!repair(), "repair");
	EXPECT(same_file("repair/.a_0.idx.new", "foreign", 7), "it is lost");
	EXPECT(!exists("index/.a_0.idx.new"), "it is still there");
	EXPECT(same_file(names[4], made[4].data, made[4].size), "the index");
	restore();

	remove(vt_path("index/a_0.idx"));
	vt_save("outside", "foreign", 7);
	strcpy(outside, vt_path("outside"));
	EXPECT(!symlink(outside, vt_path("index/.a_0.idx.new")), "symlink");
	EXPECT(!repair(), "repair, with a link");
	EXPECT(same_file("outside", "foreign", 7), "what it pointed to");
	EXPECT(same_file("repair/.a_0.idx.new", "foreign", 7), "the link is lost");
	EXPECT(same_file(names[4], made[4].data, made[4].size), "the index");
	remove(vt_path("outside"));
	restore();

	remove(vt_path("index/a_0.idx"));
	if (mkdir(vt_path("index/.a_0.idx.new"), 0700))
		err(1, "mkdir");
	EXPECT(repair() == -EIO, "a directory");
	EXPECT(exists("index/.a_0.idx.new"), "the directory is lost");
	remove(vt_path("index/.a_0.idx.new"));
	restore();
}

/* While something writes to it, it is left alone. */
static void test_busy(void)
{
	int fd = open(vt_dir, O_RDONLY | O_DIRECTORY);

	vt_save("a_0", made[1].data, made[1].size - 1);
	EXPECT(!flock(fd, LOCK_EX), "flock");
	EXPECT(expect_untouched() == -EBUSY, "it was repaired");
	close(fd);
	EXPECT(!repair(), "it was not repaired");
	restore();
}

static const struct ktap_case cases[] = {
	{ "damage in the middle is told and kept", test_middle },
	{ "a header that is wrong", test_header },
	{ "directories of others", test_foreign },
	{ "files of others", test_other_files },
	{ "what can't be cut off stays", test_not_cut },
	{ "a repair that was interrupted", test_again },
	{ "channels, or a clock, that are not declared", test_undeclared },
	{ "a directory of indexes that is none", test_no_indexes },
	{ "the name of an unfinished index is taken", test_name_taken },
	{ "a directory that is being written", test_busy },
	{ "any damage", test_random },
};

int main(void)
{
	unsigned int i;
	int status;

	/* What is said is said by test_view.sh. */
	if (!freopen("/dev/null", "w", stderr))
		return 1;
	make();
	restore();
	status = ktap_run(cases, ARRAY_SIZE(cases));
	for (i = 0; i < FILES; i++)
		free(made[i].data);
	vt_remove();
	return status;
}
