// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: which system does a tracepoint belong to?
 *
 * The tracepoint doesn't know; the trace event that is made of it does. The events of a
 * module can be looked through. The list of those of the kernel's image is not for
 * modules, but an event whose system and name are known can be asked for. So the names
 * are read from the directories of tracefs, mounted for that where nobody sees it, and
 * then the kernel is asked whether the event is that of the tracepoint.
 */
#include <linux/bsearch.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/limits.h>
#include <linux/mount.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include "../module_event.h"
#include "ltt-btf.h"

/* An event, or one of several of this name. */
struct entry {
	const char *name;
	const char *system;
};

/* Names of directories, one after the other, each with its NUL. */
struct names {
	struct dir_context ctx;
	char *text;
	size_t len;
	size_t room;
	int err;
};

struct ltt_btf_systems {
	struct names systems;
	struct names *events;	/* of each of the systems */
	unsigned int nr_systems;
	struct entry *entry;	/* sorted by name */
	unsigned int nr;
};

static bool note_name(struct dir_context *ctx, const char *name, int len, loff_t offset,
		      u64 ino, unsigned int type)
{
	struct names *names = container_of(ctx, struct names, ctx);
	size_t room;
	char *text;

	if (type != DT_DIR || len > NAME_MAX || name[0] == '.')
		return true;
	if (names->len + len + 1 > names->room) {
		room = 2 * names->room + NAME_MAX + 1;
		text = krealloc(names->text, room, GFP_KERNEL);
		if (!text) {
			names->err = -ENOMEM;
			return false;
		}
		names->text = text;
		names->room = room;
	}
	memcpy(names->text + names->len, name, len);
	names->len += len;
	names->text[names->len++] = '\0';
	return true;
}

/* The directories in a directory of tracefs. */
static int read_names(struct vfsmount *root, const char *path, struct names *names)
{
	struct file *file;
	size_t before;
	int err;

	*names = (struct names) { .ctx.actor = note_name };
	file = file_open_root_mnt(root, path, O_RDONLY | O_DIRECTORY, 0);
	if (IS_ERR(file))
		return PTR_ERR(file);
	/* Some file systems return a positive number that means nothing. */
	do {
		before = names->len;
		err = iterate_dir(file, &names->ctx);
		if (err >= 0)
			err = names->err;
	} while (!err && names->len > before);
	fput(file);
	return err;
}

static unsigned int count_names(const struct names *names)
{
	unsigned int nr = 0;
	size_t at;

	for (at = 0; at < names->len; at++)
		nr += !names->text[at];
	return nr;
}

static const char *next_name(const struct names *names, const char *name)
{
	name = name ? name + strlen(name) + 1 : names->text;
	return name && name < names->text + names->len ? name : NULL;
}

static int by_name(const void *a, const void *b)
{
	const struct entry *entry_a = a, *entry_b = b;

	return strcmp(entry_a->name, entry_b->name);
}

static int read_events(struct ltt_btf_systems *systems, struct vfsmount *root)
{
	const char *system = NULL, *name;
	char path[NAME_MAX + 8];
	unsigned int i, nr = 0;
	int err;

	err = read_names(root, "events", &systems->systems);
	if (err)
		return err;
	systems->nr_systems = count_names(&systems->systems);
	systems->events = kvcalloc(systems->nr_systems ?: 1, sizeof(*systems->events),
				   GFP_KERNEL);
	if (!systems->events)
		return -ENOMEM;
	for (i = 0; i < systems->nr_systems; i++) {
		system = next_name(&systems->systems, system);
		snprintf(path, sizeof(path), "events/%s", system);
		err = read_names(root, path, &systems->events[i]);
		/* It may be gone by now. */
		if (err && err != -ENOENT)
			return err;
		nr += count_names(&systems->events[i]);
	}

	systems->entry = kvcalloc(nr ?: 1, sizeof(*systems->entry), GFP_KERNEL);
	if (!systems->entry)
		return -ENOMEM;
	for (system = NULL, i = 0; i < systems->nr_systems; i++) {
		system = next_name(&systems->systems, system);
		for (name = NULL; (name = next_name(&systems->events[i], name));)
			systems->entry[systems->nr++] = (struct entry) { name, system };
	}
	sort(systems->entry, systems->nr, sizeof(*systems->entry), by_name, NULL);
	return 0;
}

/**
 * ltt_btf_systems_read() - note which systems have which events
 *
 * Context: task, may sleep.
 * Return: what ltt_btf_system() wants, to be freed by ltt_btf_systems_free(), or an
 * ERR_PTR().
 */
struct ltt_btf_systems *ltt_btf_systems_read(void)
{
	struct vfsmount *mnt = ltt_btf_mount("tracefs");
	struct ltt_btf_systems *systems;
	int err;

	if (IS_ERR(mnt))
		return ERR_CAST(mnt);
	systems = kzalloc(sizeof(*systems), GFP_KERNEL);
	if (systems)
		err = read_events(systems, mnt);
	else
		err = -ENOMEM;
	kern_unmount(mnt);
	if (!err)
		return systems;
	ltt_btf_systems_free(systems);
	return ERR_PTR(err);
}

/**
 * ltt_btf_systems_free() - undo ltt_btf_systems_read()
 * @systems:	what it returned, an error or NULL included
 *
 * Context: task, may sleep.
 */
void ltt_btf_systems_free(struct ltt_btf_systems *systems)
{
	unsigned int i;

	if (IS_ERR_OR_NULL(systems))
		return;
	for (i = 0; systems->events && i < systems->nr_systems; i++)
		kfree(systems->events[i].text);
	kfree(systems->systems.text);
	kvfree(systems->events);
	kvfree(systems->entry);
	kfree(systems);
}

/* Is the event made of this tracepoint? */
static bool is_event(const char *system, const struct tracepoint *tracepoint)
{
	struct trace_event_file *file;
	bool found;

	file = trace_get_event_file(NULL, system, tracepoint->name);
	if (IS_ERR(file))
		return false;
	found = file->event_call->flags & TRACE_EVENT_FL_TRACEPOINT &&
		file->event_call->tp == tracepoint;
	trace_put_event_file(file);
	return found;
}

/**
 * ltt_btf_system() - the system of a tracepoint in the kernel's image
 * @systems:	what ltt_btf_systems_read() returned, or an error
 * @tracepoint:	the tracepoint
 *
 * Context: task, may sleep.
 * Return: the system's name, which is good as long as @systems; if there is none,
 * LTT_TRACEPOINT_CHANNEL.
 */
const char *ltt_btf_system(struct ltt_btf_systems *systems,
			   const struct tracepoint *tracepoint)
{
	struct entry key = { .name = tracepoint->name }, *entry, *end;

	if (IS_ERR(systems))
		return LTT_TRACEPOINT_CHANNEL;
	entry = bsearch(&key, systems->entry, systems->nr, sizeof(key), by_name);
	if (!entry)
		return LTT_TRACEPOINT_CHANNEL;
	while (entry > systems->entry && !by_name(entry - 1, &key))
		entry--;
	end = systems->entry + systems->nr;
	for (; entry < end && !by_name(entry, &key); entry++) {
		if (is_event(entry->system, tracepoint))
			return entry->system;
	}
	return LTT_TRACEPOINT_CHANNEL;
}

/**
 * ltt_btf_module_system() - the system of a tracepoint in a module
 * @module:	the module
 * @tracepoint:	the tracepoint
 *
 * Context: task; the module does not go meanwhile.
 * Return: the system's name; if there is none, LTT_TRACEPOINT_CHANNEL.
 */
const char *ltt_btf_module_system(const struct module *module,
				  const struct tracepoint *tracepoint)
{
	const struct trace_event_call *call = ltt_module_event(module, tracepoint);

	return call ? call->class->system : LTT_TRACEPOINT_CHANNEL;
}
