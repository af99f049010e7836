// SPDX-License-Identifier: GPL-2.0
/*
 * libltt: names of addresses in modules, from a copy of LTT's module_symbols, which tells
 * which module had which memory when.
 */
#include <errno.h>
#include <linux/kernel.h>
#include <stdlib.h>
#include <string.h>

#include "../../../kernel/trace/textout/lib/render_user.h"
#include "symbols.h"

#define MODULES_MAX	(1024u * 1024 * 1024)

/* The kernel counts the bytes of a module's memory in 32 bits. */
#define PIECE_MAX	U32_MAX

/* Pieces that are looked at one by one. */
#define BLOCK		16u

/**
 * struct timed - a symbol of a module
 * @address:	where it begins
 * @size:	bytes
 * @name:	in lib_modules.text
 */
struct timed {
	u64 address;
	u64 size;
	const char *name;
};

/**
 * struct life - a module, from loading to removal
 * @name:	in lib_modules.text
 * @number:	tells it from all others
 * @from:	ns of the trace's clock
 * @to:		ns, U64_MAX if it was there at the end
 * @code:	where its code begins
 * @nr_pieces:	pieces of memory that were listed
 * @symbols:	number of its first symbol in lib_modules.timed
 * @nr_symbols:	how many, in the order of their addresses
 */
struct life {
	const char *name;
	u64 number;
	u64 from;
	u64 to;
	u64 code;
	size_t nr_pieces;
	size_t symbols;
	size_t nr_symbols;
};

/**
 * struct piece - a piece of a module's memory
 * @begin:	where it begins
 * @end:	and ends
 * @life:	number of the module
 */
struct piece {
	u64 begin;
	u64 end;
	size_t life;
};

/**
 * struct area - addresses and times that several pieces are within
 * @begin:	where the first one begins
 * @end:	where the last one ends
 * @from:	ns, when the first of their modules came
 * @to:		ns, when the last of these went
 * @latest:	ns, when the last of these came
 *
 * There are none if @begin is not before @end.
 */
struct area {
	u64 begin;
	u64 end;
	u64 from;
	u64 to;
	u64 latest;
};

/**
 * struct lib_modules - modules, and when they were there
 * @text:	the file, words terminated
 * @timed:	symbols
 * @lives:	modules
 * @pieces:	their memory, sorted by @begin
 * @areas:	of the pieces: a tree, from 1 on; the two halves of area N are 2 * N and 2 * N + 1
 * @nr_blocks:	number of the area of the first BLOCK pieces; those of the others follow
 */
struct lib_modules {
	char *text;
	struct { size_t nr, room; struct timed *at; } timed;
	struct { size_t nr, room; struct life *at; } lives;
	struct { size_t nr, room; struct piece *at; } pieces;
	struct area *areas;
	size_t nr_blocks;
};

/**
 * lib_grow() - have room for one more at the end of an array
 * @array:	the array
 * @nr:		entries that are used
 * @room:	entries allocated
 * @size:	bytes of an entry
 *
 * Return: 0 or -ENOMEM.
 */
int lib_grow(void **array, size_t nr, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 1024;
	void *new;

	if (nr < *room)
		return 0;
	new = reallocarray(*array, more, size);
	if (!new)
		return -ENOMEM;
	*array = new;
	*room = more;
	return 0;
}

/**
 * lib_each_line() - call a function for each line of a file
 * @text:	the file; newlines become NULs
 * @add_line:	given a line and its number from 0; returns 0, -EBADMSG or -ENOMEM
 * @data:	for @add_line
 * @file:	its name
 * @wanted:	what is wrong with a line if it is -EBADMSG
 * @error:	what went wrong
 *
 * Return: 0, or what @add_line returned.
 */
int lib_each_line(char *text, int (*add_line)(void *data, char *line, u32 nr), void *data,
		  const char *file, const char *wanted, struct libltt_problem *error)
{
	char *line = text, *end;
	u32 nr = 0;
	int err;

	for (; *line; line = end + 1) {
		end = strchr(line, '\n');
		/* It may have been cut short: a recorder was killed. */
		if (!end)
			break;
		*end = '\0';
		err = add_line(data, line, nr++);
		if (err)
			return lib_fail(error, -err, file, line - text, "%s",
					err == -ENOMEM ? "out of memory" : wanted);
	}
	return 0;
}

#define GROW(_list)							\
	lib_grow((void **)&(_list)->at, (_list)->nr, &(_list)->room, sizeof(*(_list)->at))

/* ---- the file ---------------------------------------------------------------------- */

/* A number at *@p and a blank or the end after it; *@p is moved past them. */
static bool number(char **p, int base, u64 *value)
{
	char *end;

	if (**p == '-' || **p == '+' || **p == ' ')
		return false;
	*value = strtoull(*p, &end, base);
	if (end == *p || (*end && *end != ' '))
		return false;
	*p = end + (*end == ' ');
	return true;
}

/* "NAME NUMBER FROM TO". */
static int add_life(struct lib_modules *modules, char *p)
{
	struct life life = { .name = p, .to = U64_MAX, .symbols = modules->timed.nr };
	int err;

	p = strchr(p, ' ');
	if (!p || p == life.name)
		return -EBADMSG;
	*p++ = '\0';
	if (!number(&p, 10, &life.number) || !number(&p, 10, &life.from) ||
	    (strcmp(p, "-") && (!number(&p, 10, &life.to) || *p)))
		return -EBADMSG;
	err = GROW(&modules->lives);
	if (!err)
		modules->lives.at[modules->lives.nr++] = life;
	return err;
}

/* "BEGIN END". */
static int add_piece(struct lib_modules *modules, char *p)
{
	struct piece piece = { .life = modules->lives.nr - 1 };
	struct life *life;
	int err;

	if (!modules->lives.nr || !number(&p, 16, &piece.begin) ||
	    !number(&p, 16, &piece.end) || *p || piece.begin >= piece.end ||
	    piece.end - piece.begin > PIECE_MAX)
		return -EBADMSG;
	err = GROW(&modules->pieces);
	if (err)
		return err;
	life = &modules->lives.at[piece.life];
	if (!life->nr_pieces++)
		life->code = piece.begin;
	modules->pieces.at[modules->pieces.nr++] = piece;
	return 0;
}

/* "ADDRESS SIZE NAME". */
static int add_timed(struct lib_modules *modules, char *p)
{
	struct timed timed;
	struct life *life;
	int err;

	if (!modules->lives.nr || !number(&p, 16, &timed.address) ||
	    !number(&p, 16, &timed.size) || !*p)
		return -EBADMSG;
	timed.name = p;
	life = &modules->lives.at[modules->lives.nr - 1];
	if (life->nr_symbols && modules->timed.at[modules->timed.nr - 1].address >= timed.address)
		return -EBADMSG;
	err = GROW(&modules->timed);
	if (err)
		return err;
	modules->timed.at[modules->timed.nr++] = timed;
	life->nr_symbols++;
	return 0;
}

static int add_line(void *data, char *line, u32 nr)
{
	struct lib_modules *modules = data;

	(void)nr;
	if (line[0] == '#')
		return 0;
	if (!strncmp(line, "module ", 7))
		return add_life(modules, line + 7);
	if (!strncmp(line, "piece ", 6))
		return add_piece(modules, line + 6);
	return add_timed(modules, line);
}

static int compare_lives(const void *a, const void *b)
{
	const struct life *x = *(const struct life *const *)a, *y = *(const struct life *const *)b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x < y ? -1 : x > y;
}

/*
 * A module that was told of more than once, when it was there and when it had gone: its end
 * is what was told last, its memory and its symbols those that were told. The last time may
 * lack some: a recorder was killed.
 */
static int merge_lives(struct lib_modules *modules)
{
	size_t nr = modules->lives.nr, i;
	struct life **sorted, *life, *last;

	if (!nr)
		return 0;
	sorted = calloc(nr, sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		sorted[i] = &modules->lives.at[i];
	qsort(sorted, nr, sizeof(*sorted), compare_lives);
	for (i = 0; i + 1 < nr; i++) {
		life = sorted[i];
		last = sorted[i + 1];
		if (life->number != last->number)
			continue;
		if (last->nr_pieces < life->nr_pieces) {
			life->to = last->to;
			last = life;
			life = sorted[i + 1];
			sorted[i + 1] = last;
		}
		if (last->nr_symbols < life->nr_symbols) {
			last->symbols = life->symbols;
			last->nr_symbols = life->nr_symbols;
		}
		/* At no time. */
		life->from = U64_MAX;
		life->to = 0;
	}
	free(sorted);
	return 0;
}

static int compare_pieces(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->life < y->life ? -1 : x->life > y->life;
}

static void add_area(struct area *area, const struct area *part)
{
	if (part->begin >= part->end)
		return;
	area->begin = min(area->begin, part->begin);
	area->end = max(area->end, part->end);
	area->from = min(area->from, part->from);
	area->to = max(area->to, part->to);
	area->latest = max(area->latest, part->latest);
}

static void add_to_block(struct lib_modules *modules, size_t nr)
{
	const struct piece *piece = &modules->pieces.at[nr];
	const struct life *life = &modules->lives.at[piece->life];
	const struct area area = { piece->begin, piece->end, life->from, life->to, life->from };

	if (life->from <= life->to)
		add_area(&modules->areas[modules->nr_blocks + nr / BLOCK], &area);
}

static int sort_pieces(struct lib_modules *modules)
{
	size_t nr = modules->pieces.nr, i;

	if (!nr)
		return 0;
	qsort(modules->pieces.at, nr, sizeof(*modules->pieces.at), compare_pieces);
	for (modules->nr_blocks = 1; modules->nr_blocks * BLOCK < nr; modules->nr_blocks *= 2)
		;
	modules->areas = calloc(2 * modules->nr_blocks, sizeof(*modules->areas));
	if (!modules->areas)
		return -ENOMEM;
	for (i = 0; i < 2 * modules->nr_blocks; i++)
		modules->areas[i] = (struct area){ .begin = U64_MAX, .from = U64_MAX };
	for (i = 0; i < nr; i++)
		add_to_block(modules, i);
	for (i = 2 * modules->nr_blocks - 1; i > 1; i--)
		add_area(&modules->areas[i / 2], &modules->areas[i]);
	return 0;
}

/**
 * lib_modules_load() - load the modules of a trace
 * @file:	name of a copy of module_symbols
 * @modules:	returns the modules, to be freed by lib_modules_free()
 * @error:	what went wrong
 *
 * Return: 0 or a negative errno; -ENOENT: there is no such file.
 */
int lib_modules_load(const char *file, struct lib_modules **modules,
		     struct libltt_problem *error)
{
	struct lib_modules *new = calloc(1, sizeof(*new));
	size_t size;
	int err;

	*modules = NULL;
	if (!new)
		return lib_fail(error, ENOMEM, file, LIBLTT_NO_OFFSET, "out of memory");
	err = lib_file_load(file, MODULES_MAX, &new->text, &size, error);
	if (!err)
		err = lib_each_line(new->text, add_line, new, file,
				    "invalid line, not in the format of module_symbols", error);
	if (!err && (merge_lives(new) || sort_pieces(new)))
		err = lib_fail(error, ENOMEM, file, LIBLTT_NO_OFFSET, "out of memory");
	if (err) {
		lib_modules_free(new);
		return err;
	}
	*modules = new;
	return 0;
}

/**
 * lib_modules_free() - free modules
 * @modules:	the modules, or NULL
 */
void lib_modules_free(struct lib_modules *modules)
{
	if (!modules)
		return;
	free(modules->timed.at);
	free(modules->lives.at);
	free(modules->pieces.at);
	free(modules->areas);
	free(modules->text);
	free(modules);
}

/* ---- questions --------------------------------------------------------------------- */

static const struct life *find_in_block(const struct lib_modules *modules, size_t first,
					u64 address, u64 time, const struct life *found)
{
	size_t i = min(first + BLOCK, modules->pieces.nr);
	const struct piece *piece;
	const struct life *life;

	while (i-- > first) {
		piece = &modules->pieces.at[i];
		life = &modules->lives.at[piece->life];
		/* Of two at the same moment, as of a coarse clock, the later one. */
		if (address >= piece->begin && address < piece->end && time >= life->from &&
		    time <= life->to && (!found || life->from > found->from))
			found = life;
	}
	return found;
}

/*
 * Which module contained the address at that time? Pieces of other modules at other times may
 * lie anywhere across it, so only a tree tells without looking at them all.
 */
static const struct life *find_life(const struct lib_modules *modules, size_t nr, u64 address,
				    u64 time, const struct life *found)
{
	const struct area *area = &modules->areas[nr];

	if (address < area->begin || address >= area->end || time < area->from ||
	    time > area->to || (found && area->latest <= found->from))
		return found;
	if (nr >= modules->nr_blocks)
		return find_in_block(modules, (nr - modules->nr_blocks) * BLOCK, address, time,
				     found);
	/* Of those that begin in one place, the later modules come last. */
	found = find_life(modules, 2 * nr + 1, address, time, found);
	return find_life(modules, 2 * nr, address, time, found);
}

static void find_in_life(const struct lib_modules *modules, const struct life *life,
			 u64 address, struct ltt_symbol *symbol)
{
	size_t low = life->symbols, high = low + life->nr_symbols, mid;
	const struct timed *timed = modules->timed.at;

	symbol->module = life->name;
	symbol->name = NULL;
	symbol->offset = address - life->code;
	symbol->size = 0;
	while (low < high) {
		mid = low + (high - low) / 2;
		if (timed[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	/* Later ones may be missing: a recorder was killed. */
	if (low == life->symbols || address - timed[low - 1].address >= timed[low - 1].size)
		return;
	symbol->name = timed[low - 1].name;
	symbol->offset = address - timed[low - 1].address;
	symbol->size = timed[low - 1].size;
}

/**
 * lib_modules_find() - look up an address
 * @modules:	the modules
 * @address:	the address
 * @time:	ns of the trace's clock, when it meant something
 * @symbol:	receives what is known
 *
 * Return: false if no module had the address then.
 */
bool lib_modules_find(const struct lib_modules *modules, u64 address, u64 time,
		      struct ltt_symbol *symbol)
{
	const struct life *life = NULL;

	if (modules->areas)
		life = find_life(modules, 1, address, time, NULL);
	if (life)
		find_in_life(modules, life, address, symbol);
	return life;
}
