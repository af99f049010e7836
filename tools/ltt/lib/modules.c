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
 * @farthest:	the greatest @end up to this piece, in the order of @begin
 * @life:	number of the module
 */
struct piece {
	u64 begin;
	u64 end;
	u64 farthest;
	size_t life;
};

/**
 * struct lib_modules - modules, and when they were there
 * @text:	the file, words terminated
 * @timed:	symbols
 * @lives:	modules
 * @pieces:	their memory, sorted by @begin
 */
struct lib_modules {
	char *text;
	struct { size_t nr, room; struct timed *at; } timed;
	struct { size_t nr, room; struct life *at; } lives;
	struct { size_t nr, room; struct piece *at; } pieces;
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
	    !number(&p, 16, &piece.end) || *p || piece.begin >= piece.end)
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

static void sort_pieces(struct lib_modules *modules)
{
	struct piece *piece = modules->pieces.at;
	u64 farthest = 0;
	size_t i;

	if (!modules->pieces.nr)
		return;
	qsort(piece, modules->pieces.nr, sizeof(*piece), compare_pieces);
	for (i = 0; i < modules->pieces.nr; i++) {
		farthest = max(farthest, piece[i].end);
		piece[i].farthest = farthest;
	}
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
	if (!err && merge_lives(new))
		err = lib_fail(error, ENOMEM, file, LIBLTT_NO_OFFSET, "out of memory");
	if (err) {
		lib_modules_free(new);
		return err;
	}
	sort_pieces(new);
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
	free(modules->text);
	free(modules);
}

/* ---- questions --------------------------------------------------------------------- */

/* Which module contained the address at that time? */
static const struct life *find_life(const struct lib_modules *modules, u64 address, u64 time)
{
	size_t low = 0, high = modules->pieces.nr, mid;
	const struct life *life, *found = NULL;
	const struct piece *piece;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (modules->pieces.at[mid].begin <= address)
			low = mid + 1;
		else
			high = mid;
	}
	while (low--) {
		piece = &modules->pieces.at[low];
		if (piece->farthest <= address)
			break;
		life = &modules->lives.at[piece->life];
		/* Of two at the same moment, as of a coarse clock, the later one. */
		if (address < piece->end && time >= life->from && time <= life->to &&
		    (!found || life->from > found->from))
			found = life;
	}
	return found;
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
	const struct life *life = find_life(modules, address, time);

	if (life)
		find_in_life(modules, life, address, symbol);
	return life;
}
