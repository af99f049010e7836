// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: names of kernel addresses, from a copy of /proc/kallsyms.
 *
 * Modules are those of modules.c, which knows when they were there. Older traces do not
 * tell: then they are those of kallsyms at any time.
 *
 * A symbol ends where the next one begins, as for the kernel. That of aliases which
 * the file has first is shown, as the kernel does. Where the last function of a module
 * ends the file doesn't tell: the kernel takes the end of the module's code, which is
 * a whole number of pages.
 */
#include <errno.h>
#include <linux/kernel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../kernel/trace/textout/lib/render_user.h"
#include "symbols.h"

#define PAGE		4096ull
#define KALLSYMS_MAX	(1024u * 1024 * 1024)

/* An address farther than this after a module's last symbol is not in the module. */
#define TAIL_MAX	(1024u * 1024)

/**
 * struct entry - a symbol
 * @address:	where it begins
 * @name:	in lib_symbols.text
 * @module:	in lib_symbols.text, NULL if of the kernel itself
 * @nr:		number of its line
 * @code:	a function
 */
struct entry {
	u64 address;
	const char *name;
	const char *module;
	u32 nr;
	bool code;
};

/**
 * struct table - symbols in the order of their addresses
 * @nr:		entries
 * @room:	entries allocated
 * @entries:	no two of them have the same address, once sorted
 */
struct table {
	size_t nr;
	size_t room;
	struct entry *entries;
};

/**
 * struct lib_symbols - the symbols of a kernel
 * @base:	what the renderer knows
 * @text:	kallsyms, words terminated
 * @kernel:	symbols of the kernel itself
 * @modules:	those of modules; if there is @timed, of what looks like modules
 * @begin:	first address that is the kernel's
 * @end:	address after its last
 * @timed:	modules and when they were there; NULL: unknown
 */
struct lib_symbols {
	struct ltt_symbolizer base;
	char *text;
	struct table kernel;
	struct table modules;
	u64 begin;
	u64 end;
	struct lib_modules *timed;
};

static int add(struct table *table, const struct entry *entry)
{
	int err = lib_grow((void **)&table->entries, table->nr, &table->room, sizeof(*entry));

	if (!err)
		table->entries[table->nr++] = *entry;
	return err;
}

static int compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

/* Sort, and drop all aliases but the first. */
static void sort(struct table *table)
{
	size_t i, nr = 0;

	if (!table->nr)
		return;
	qsort(table->entries, table->nr, sizeof(*table->entries), compare);
	for (i = 0; i < table->nr; i++) {
		if (!nr || table->entries[nr - 1].address != table->entries[i].address)
			table->entries[nr++] = table->entries[i];
	}
	table->nr = nr;
}

/* The last symbol that begins at @address or before; NULL if there is none. */
static const struct entry *find_entry(const struct table *table, u64 address)
{
	size_t low = 0, high = table->nr, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (table->entries[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &table->entries[low - 1] : NULL;
}

static u64 end_in_module(const struct table *table, const struct entry *entry, u64 address)
{
	const struct entry *next = entry + 1;
	u64 page_end = (address | (PAGE - 1)) + 1;

	if (next == table->entries + table->nr || strcmp(next->module, entry->module))
		return page_end;
	return entry->code && !next->code ? min(page_end, next->address) : next->address;
}

static bool find(const struct ltt_symbolizer *base, u64 address, u64 time,
		 struct ltt_symbol *symbol)
{
	const struct lib_symbols *symbols = container_of(base, struct lib_symbols, base);
	const struct entry *entry;
	u64 end;

	if (symbols->timed && lib_modules_find(symbols->timed, address, time, symbol))
		return true;
	if (address >= symbols->begin && address < symbols->end) {
		entry = find_entry(&symbols->kernel, address);
		if (!entry)
			return false;
		end = symbols->end;
		if (entry + 1 < symbols->kernel.entries + symbols->kernel.nr)
			end = min(end, entry[1].address);
	} else {
		entry = find_entry(&symbols->modules, address);
		if (!entry)
			return false;
		end = end_in_module(&symbols->modules, entry, address);
		if (address - entry->address >= TAIL_MAX)
			return false;
		/* Between those there are real modules, at other times. */
		if (symbols->timed && address >= (entry->address | (PAGE - 1)) + 1 &&
		    (entry + 1 == symbols->modules.entries + symbols->modules.nr ||
		     end != entry[1].address))
			return false;
	}
	symbol->name = entry->name;
	symbol->module = entry->module;
	symbol->offset = address - entry->address;
	symbol->size = end - entry->address;
	return true;
}

/* What kallsyms shows as modules, and are none. */
static bool is_module(const char *name)
{
	return strcmp(name, "bpf") && strncmp(name, "__builtin__", 11);
}

/* "ADDRESS TYPE NAME", and in modules "\t[MODULE]". */
static int add_line(void *data, char *line, u32 nr)
{
	struct lib_symbols *symbols = data;
	struct entry entry = { .nr = nr };
	char *p, *tab;

	entry.address = strtoull(line, &p, 16);
	if (p == line || p[0] != ' ' || !p[1] || p[2] != ' ' || !p[3])
		return -EBADMSG;
	entry.code = memchr("tTwW", p[1], 4);
	entry.name = p + 3;
	tab = strchr(p + 3, '\t');
	if (tab) {
		*tab = '\0';
		if (tab[1] != '[' || tab[strlen(tab + 1)] != ']')
			return -EBADMSG;
		tab[strlen(tab + 1)] = '\0';
		entry.module = tab + 2;
		if (symbols->timed && is_module(entry.module))
			return 0;
		return add(&symbols->modules, &entry);
	}
	if (!strcmp(entry.name, "_stext"))
		symbols->begin = entry.address;
	if (!strcmp(entry.name, "_end"))
		symbols->end = entry.address;
	return add(&symbols->kernel, &entry);
}

/* What the file doesn't tell of the kernel's own range. */
static void guess_range(struct lib_symbols *symbols)
{
	const struct table *kernel = &symbols->kernel;

	if (!kernel->nr)
		return;
	if (!symbols->begin)
		symbols->begin = kernel->entries[0].address;
	if (!symbols->end)
		symbols->end = (kernel->entries[kernel->nr - 1].address | (PAGE - 1)) + 1;
}

/**
 * lib_symbols_load() - load the symbols of a trace
 * @file:	name of a copy of /proc/kallsyms
 * @modules:	name of a copy of module_symbols, which need not be there
 * @symbols:	returns the symbols, to be freed by lib_symbols_free(); NULL if the file
 *		holds no addresses, as for a reader who must not see them
 * @error:	what went wrong
 *
 * Return: 0 or a negative errno; -ENOENT: there is no such file.
 */
int lib_symbols_load(const char *file, const char *modules, struct lib_symbols **symbols,
		     struct libltt_problem *error)
{
	struct lib_symbols *new = calloc(1, sizeof(*new));
	size_t size;
	int err;

	*symbols = NULL;
	if (!new)
		return lib_fail(error, ENOMEM, file, LIBLTT_NO_OFFSET, "out of memory");
	new->base.find = find;
	err = lib_modules_load(modules, &new->timed, error);
	if (err == -ENOENT)
		err = 0;
	if (!err)
		err = lib_file_load(file, KALLSYMS_MAX, &new->text, &size, error);
	if (!err)
		err = lib_each_line(new->text, add_line, new, file, "invalid line, not in the format of kallsyms",
				    error);
	if (err) {
		lib_symbols_free(new);
		return err;
	}
	sort(&new->kernel);
	sort(&new->modules);
	guess_range(new);
	/* All of them the same: they are hidden. */
	if (new->kernel.nr + new->modules.nr < 3 && !new->timed) {
		lib_symbols_free(new);
		return 0;
	}
	*symbols = new;
	return 0;
}

/**
 * lib_symbols_free() - free symbols
 * @symbols:	the symbols, or NULL
 */
void lib_symbols_free(struct lib_symbols *symbols)
{
	if (!symbols)
		return;
	free(symbols->kernel.entries);
	free(symbols->modules.entries);
	free(symbols->text);
	lib_modules_free(symbols->timed);
	free(symbols);
}

/* Return: false if there are symbols that cannot be loaded. */
static bool load(struct lib_trace *trace, struct libltt_problem *problem)
{
	char *file, *modules;
	bool good;

	trace->symbols_known = true;
	if (asprintf(&file, "%s/" LIB_SYMBOLS_FILE, trace->dir) < 0)
		return true;
	if (asprintf(&modules, "%s/" LIB_MODULES_FILE, trace->dir) < 0) {
		free(file);
		return true;
	}
	good = !lib_symbols_load(file, modules, &trace->symbols, problem) ||
	       problem->code == ENOENT;
	free(modules);
	free(file);
	return good;
}

/**
 * lib_symbols_use() - let the renderer know the symbols of a trace
 * @ltt:	for reports
 * @trace:	the trace
 * @time:	ns of the trace's clock: that of the event which is shown next
 *
 * They are loaded when they are first needed.
 */
void lib_symbols_use(struct libltt *ltt, struct lib_trace *trace, u64 time)
{
	struct libltt_problem problem;

	if (!trace->symbols_known && !load(trace, &problem))
		lib_report(ltt, LIBLTT_ERROR, problem.code, problem.file, problem.offset, "%s",
			   problem.text);
	ltt_symbolizer = trace->symbols ? &trace->symbols->base : NULL;
	ltt_symbol_time = time;
}

static bool shows_symbols(const struct lib_trace *trace)
{
	const struct lib_channel *channel;
	u32 i, id;

	for (i = 0; i < trace->nr_channels; i++) {
		channel = trace->channels[i];
		for (id = 0; channel && id < channel->nr; id++) {
			if (channel->classes[id] && channel->classes[id]->selected &&
			    channel->classes[id]->symbols)
				return true;
		}
	}
	return false;
}

/**
 * lib_symbols_prepare() - load all symbols that may be needed
 * @ltt:	the traces
 *
 * lib_symbols_use() can be called by several threads afterwards.
 *
 * Return: false if that is impossible; then nothing has been reported, and it is tried again
 * when they are needed.
 */
bool lib_symbols_prepare(struct libltt *ltt)
{
	struct libltt_problem problem;
	struct lib_trace *trace;
	unsigned int i;

	for (i = 0; i < ltt->nr_traces; i++) {
		trace = &ltt->traces[i];
		if (trace->symbols_known || !shows_symbols(trace) || load(trace, &problem))
			continue;
		trace->symbols_known = false;
		return false;
	}
	return true;
}
