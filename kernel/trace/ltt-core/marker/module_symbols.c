// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: names of addresses in modules, also of modules that are gone.
 *
 * DOC: symbols and time
 *
 * An event is shown some time after it was recorded. By then, the module that contained an
 * address may have been removed, and another one may be in its place: the kernel would find
 * no symbol, or the wrong one. So we note the memory of each module, and from when to when
 * it was loaded: its life. An address and the time of its event identify the module. Its
 * init functions have a life of their own, which is shorter.
 *
 * While a module is loaded, its symbols are looked up by the kernel. When it is removed, they
 * are copied if a trace may contain addresses of it. They are dropped with the last
 * trace; the oldest also if there are too many (SYMBOLS_MAX, LIVES_MAX), for instance if a
 * module is loaded again and again for days. Of a module without symbols, only the name is
 * kept.
 *
 * Times are those of the traces' clock, which is the same for all of them. Modules that
 * were loaded before the first trace count as loaded since the beginning of time.
 *
 * Our notifier is called with COMING before any of a module's code runs, with LIVE after
 * its init function, and with GOING after all of its code has run. The module's memory and
 * its table of symbols are freed after that. Hence the @mod of a life may be used with
 * symbols_sem held. Our notifier is the first in the chain: if a later one refuses a
 * module that is COMING, ours is called with GOING.
 */

#include <linux/elf.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/rcupdate.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/ltt/clock.h>
#include <linux/ltt/compat.h>
#include <linux/ltt/module_list.h>
#include <linux/ltt/symbol.h>

#include "registry.h"
#include "symbols.h"

/* Limits on the symbols of removed modules, in bytes, and on the number of these modules. */
#define SYMBOLS_MAX	(8u << 20)
#define LIVES_MAX	4096u

/* Minimum size of a buffer for a text. */
#define SYMBOL_MIN	16

/**
 * struct symbol - a symbol of a module
 * @addr:	where it begins
 * @size:	bytes, as the kernel would report them
 * @name:	its name
 */
struct symbol {
	unsigned long addr;
	unsigned long size;
	const char *name;
};

/**
 * struct symbols - the symbols of a life, in order of their addresses
 * @bytes:	of all of it
 * @nr:		entries of @symbol
 * @symbol:	no two have the same address; followed by the names
 */
struct symbols {
	size_t bytes;
	unsigned int nr;
	struct symbol symbol[];
};

/**
 * struct life - a module, or its init functions, from loading to removal
 * @node:	in lives
 * @gone_node:	in gone, unless @mod
 * @serial:	ascends in lives, once the modules loaded before us have been found
 * @mod:	the module while it is loaded, else NULL
 * @init:	its init functions only
 * @name:	of the module
 * @from:	time of loading by the traces' clock, 0 if there were no traces
 * @to:		time of removal
 * @symbols:	of a removed module; NULL if they were dropped
 * @nr_pieces:	entries of @piece
 * @piece:	its memory, code first
 */
struct life {
	struct list_head node;
	struct list_head gone_node;
	u64 serial;
	const struct module *mod;
	bool init;
	char name[MODULE_NAME_LEN];
	u64 from;
	u64 to;
	struct symbols *symbols;
	unsigned int nr_pieces;
	struct ltt_module_piece piece[LTT_MODULE_PIECES];
};

/* Protects everything below. Innermost; memory may be allocated with it held. */
static DECLARE_RWSEM(symbols_sem);
static LIST_HEAD(lives);		/* in the order in which they were loaded */
static LIST_HEAD(gone);			/* removed modules, in the order of removal */
static u64 last_serial;
static unsigned int nr_traces;		/* in memory */
static unsigned int nr_gone;
static size_t gone_bytes;

/* Grows when a module comes or goes. Read without symbols_sem, too. */
unsigned int ltt_symbol_changes;

/* ---- tables -------------------------------------------------------------------- */

static const struct ltt_module_piece *piece_of(const struct life *life, unsigned long addr)
{
	unsigned int i;

	for (i = 0; i < life->nr_pieces; i++) {
		if (addr >= life->piece[i].begin && addr < life->piece[i].end)
			return &life->piece[i];
	}
	return NULL;
}

/* Does kallsyms skip it? Assembler labels and mapping symbols. */
static bool is_label(const char *name)
{
	return !*name || *name == '$' || !strncmp(name, ".L", 2) || !strncmp(name, "L0", 2);
}

/*
 * Call @each for all symbols of the life's memory that can name an address. When init
 * functions are freed, the table of the core alone replaces the whole one.
 */
static void each_symbol(const struct life *life,
			void (*each)(unsigned long addr, const char *name, void *data),
			void *data)
{
	const struct mod_kallsyms *table;
	const Elf_Sym *sym;
	const char *name;

	rcu_read_lock();
	table = rcu_dereference_raw(life->mod->kallsyms);
	for (sym = table->symtab; sym < table->symtab + table->num_symtab; sym++) {
		name = table->strtab + sym->st_name;
		if (sym->st_shndx != SHN_UNDEF && piece_of(life, sym->st_value) &&
		    !is_label(name))
			each(sym->st_value, name, data);
	}
	rcu_read_unlock();
}

struct need {
	unsigned int nr;
	size_t names;
};

static void count(unsigned long addr, const char *name, void *data)
{
	struct need *need = data;

	need->nr++;
	need->names += strlen(name) + 1;
}

struct copy {
	struct symbols *symbols;
	char *pos;
	char *end;
	unsigned int room;
};

/* The number goes where the size will be. */
static void copy_symbol(unsigned long addr, const char *name, void *data)
{
	struct copy *copy = data;
	struct symbols *symbols = copy->symbols;
	size_t len = strlen(name) + 1;

	if (symbols->nr == copy->room || len > copy->end - copy->pos)
		return;
	memcpy(copy->pos, name, len);
	symbols->symbol[symbols->nr] = (struct symbol) {
		.addr = addr, .size = symbols->nr, .name = copy->pos,
	};
	symbols->nr++;
	copy->pos += len;
}

static int compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->size < y->size ? -1 : x->size > y->size;
}

/* If an address has several names the kernel shows the first; a symbol ends at the next one. */
static void finish(const struct life *life, struct symbols *symbols)
{
	struct symbol *symbol = symbols->symbol, *next;
	unsigned int i, nr = 0;
	unsigned long end;

	sort(symbol, symbols->nr, sizeof(*symbol), compare, NULL);
	for (i = 0; i < symbols->nr; i++) {
		if (!nr || symbol[nr - 1].addr != symbol[i].addr)
			symbol[nr++] = symbol[i];
	}
	symbols->nr = nr;
	for (i = 0; i < nr; i++) {
		end = piece_of(life, symbol[i].addr)->symbols_end;
		next = i + 1 < nr ? &symbol[i + 1] : NULL;
		if (next && next->addr < end)
			end = next->addr;
		symbol[i].size = end - symbol[i].addr;
	}
}

/* The symbols of a module that is loaded; NULL: no memory. */
static struct symbols *symbols_copy(const struct life *life)
{
	struct need need = {};
	struct symbols *symbols;
	struct copy copy;
	size_t bytes;

	each_symbol(life, count, &need);
	bytes = struct_size(symbols, symbol, need.nr) + need.names;
	symbols = kvmalloc(bytes, GFP_KERNEL);
	if (!symbols)
		return NULL;
	symbols->bytes = bytes;
	symbols->nr = 0;
	copy.symbols = symbols;
	copy.room = need.nr;
	copy.pos = (char *)(symbols->symbol + need.nr);
	copy.end = (char *)symbols + bytes;
	each_symbol(life, copy_symbol, &copy);
	finish(life, symbols);
	return symbols;
}

/* The last symbol that begins at @addr or before; NULL if there is none. */
static const struct symbol *symbols_find(const struct symbols *symbols, unsigned long addr)
{
	unsigned int low = 0, high = symbols ? symbols->nr : 0, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (symbols->symbol[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &symbols->symbol[low - 1] : NULL;
}

/* ---- lives --------------------------------------------------------------------- */

static u64 now(void)
{
	return nr_traces ? ltt_clock_now(ltt_clock_current()) : 0;
}

static void forget_symbols(struct life *life)
{
	if (!life->symbols)
		return;
	gone_bytes -= life->symbols->bytes;
	kvfree(life->symbols);
	life->symbols = NULL;
}

static void forget(struct life *life)
{
	forget_symbols(life);
	if (!life->mod) {
		list_del(&life->gone_node);
		nr_gone--;
	}
	list_del(&life->node);
	kfree(life);
}

static void forget_gone(void)
{
	struct life *life, *next;

	list_for_each_entry_safe(life, next, &gone, gone_node)
		forget(life);
}

/* Drop the symbols of the modules that were removed first. */
static void keep_few(void)
{
	struct life *life, *next;

	list_for_each_entry_safe(life, next, &gone, gone_node) {
		if (gone_bytes <= SYMBOLS_MAX && nr_gone <= LIVES_MAX)
			return;
		if (nr_gone > LIVES_MAX)
			forget(life);
		else
			forget_symbols(life);
	}
}

static struct life *life_of(const struct module *mod, bool init)
{
	struct life *life;

	list_for_each_entry(life, &lives, node) {
		if (life->mod == mod && life->init == init)
			return life;
	}
	return NULL;
}

static void begin(const struct module *mod, bool init, u64 from, struct list_head *after)
{
	struct ltt_module_piece piece;
	struct life *life;
	unsigned int i;

	if (life_of(mod, init))
		return;
	/* If there is no memory, addresses in the module have no names. */
	life = kzalloc(sizeof(*life), GFP_KERNEL);
	if (!life)
		return;
	for (i = 0; i < LTT_MODULE_PIECES; i++) {
		ltt_module_piece(mod, i, &piece);
		if (piece.init == init && piece.begin != piece.end)
			life->piece[life->nr_pieces++] = piece;
	}
	if (!life->nr_pieces) {
		kfree(life);
		return;
	}
	life->serial = ++last_serial;
	life->mod = mod;
	life->init = init;
	life->from = from;
	strscpy(life->name, mod->name, sizeof(life->name));
	list_add(&life->node, after);
}

static void end(const struct module *mod, bool init)
{
	struct life *life = life_of(mod, init);

	if (!life)
		return;
	if (!nr_traces) {
		forget(life);
		return;
	}
	life->to = now();
	life->symbols = symbols_copy(life);
	if (life->symbols)
		gone_bytes += life->symbols->bytes;
	life->mod = NULL;
	list_add_tail(&life->gone_node, &gone);
	nr_gone++;
	keep_few();
}

static int module_changes(struct notifier_block *nb, unsigned long state, void *mod)
{
	down_write(&symbols_sem);
	/* Who shows an event of a module's code has seen this: it is before that code has run. */
	WRITE_ONCE(ltt_symbol_changes, ltt_symbol_changes + 1);
	switch (state) {
	case MODULE_STATE_COMING:
		begin(mod, false, now(), lives.prev);
		begin(mod, true, now(), lives.prev);
		break;
	case MODULE_STATE_LIVE:
		/* It may have been COMING before us, or when there was no memory. */
		begin(mod, false, now(), lives.prev);
		end(mod, true);
		break;
	case MODULE_STATE_GOING:
		end(mod, true);
		end(mod, false);
		break;
	}
	up_write(&symbols_sem);
	return NOTIFY_DONE;
}

static struct notifier_block module_nb = {
	.notifier_call = module_changes,
	.priority = INT_MAX,
};

/* From the newest to the oldest, and all before those that our notifier has added. */
static void add_loaded(struct module *mod)
{
	down_write(&symbols_sem);
	begin(mod, false, 0, &lives);
	up_write(&symbols_sem);
}

static void number_lives(void)
{
	struct life *life;

	down_write(&symbols_sem);
	last_serial = 0;
	list_for_each_entry(life, &lives, node)
		life->serial = ++last_serial;
	up_write(&symbols_sem);
}

/**
 * ltt_symbols_init() - start to watch modules being loaded and removed
 *
 * Context: task, sleeps.
 * Return: 0 or a negative errno.
 */
int ltt_symbols_init(void)
{
	int err = register_module_notifier(&module_nb);

	if (err)
		return err;
	ltt_each_module(add_loaded);
	number_lives();
	return 0;
}

/**
 * ltt_symbols_exit() - undo ltt_symbols_init()
 *
 * Context: task, sleeps. There are no traces any more.
 */
void ltt_symbols_exit(void)
{
	struct life *life, *next;

	unregister_module_notifier(&module_nb);
	list_for_each_entry_safe(life, next, &lives, node)
		forget(life);
}

/**
 * ltt_symbols_get() - a trace was added
 *
 * Context: task, sleeps; the clock that it uses is held, see ltt_clock_get().
 */
void ltt_symbols_get(void)
{
	down_write(&symbols_sem);
	nr_traces++;
	up_write(&symbols_sem);
}

/**
 * ltt_symbols_put() - a trace was freed, and has no readers
 *
 * Context: task, sleeps; before ltt_clock_put().
 */
void ltt_symbols_put(void)
{
	struct life *life;

	down_write(&symbols_sem);
	if (!--nr_traces) {
		forget_gone();
		/* The next trace may have another clock. */
		list_for_each_entry(life, &lives, node)
			life->from = 0;
	}
	up_write(&symbols_sem);
}

/* ---- names --------------------------------------------------------------------- */

/**
 * ltt_is_kernels() - is it an address of the kernel?
 * @addr:	the address
 *
 * Where the kernel has the upper half of all addresses, the lower half belongs to programs.
 *
 * Context: any.
 * Return: true if so.
 */
bool ltt_is_kernels(unsigned long addr)
{
	return addr && ((long)addr < 0 || (long)PAGE_OFFSET >= 0);
}
EXPORT_SYMBOL_GPL(ltt_is_kernels);

/**
 * ltt_may_see() - may this reader see an address as it is?
 * @addr:	the address
 *
 * Addresses of programs, always. For those of the kernel, %pK shows zeros where kptr_restrict
 * forbids it, and complains where it cannot tell.
 *
 * Context: task; depends on its rights.
 * Return: true if so.
 */
bool ltt_may_see(unsigned long addr)
{
	char text[2 * sizeof(addr) + 8];

	if (!ltt_is_kernels(addr))
		return true;
	scnprintf(text, sizeof(text), "%pK", (void *)addr);
	return text[0] != 'p' && text[strspn(text, "0")];
}
EXPORT_SYMBOL_GPL(ltt_may_see);

/* The area of modules; not much else is there. */
static bool among_modules(unsigned long addr)
{
#if defined(MODULES_VADDR) && defined(MODULES_END)
	if (addr >= MODULES_VADDR && addr < MODULES_END)
		return true;
#endif
	return is_vmalloc_addr((void *)addr);
}

/*
 * Which module contained @addr at @ts? NULL: none that we know of; then *@taken is set if a
 * module contains it now.
 */
static const struct life *find_life(unsigned long addr, u64 ts, bool *taken)
{
	const struct life *life;

	*taken = false;
	list_for_each_entry_reverse(life, &lives, node) {
		if (!piece_of(life, addr))
			continue;
		if (life->mod)
			*taken = true;
		if (ts == LTT_SYMBOL_NOW ? !!life->mod :
		    ts >= life->from && (life->mod || ts <= life->to))
			return life;
	}
	return NULL;
}

/*
 * As printk() shows it. Return: the length; 0 if there is no symbol, or none of @life. With @any,
 * which module it is of does not matter.
 */
static int ask_kernel(char *buf, size_t size, unsigned long addr, const char *letters,
		      const struct life *life, bool any)
{
	const char *module;
	char format[8];
	int len;

	snprintf(format, sizeof(format), "%%p%s", letters);
	len = snprintf(buf, size, format, (void *)addr);
	if (!strncmp(buf, "0x", 2))
		return 0;
	/* A module without a life has not run yet, so it is not the one of the event. */
	module = strnchr(buf, size, '[');
	if (!life && !any && module && strncmp(module, "[bpf]", 5) &&
	    strncmp(module, "[__builtin__", 12))
		return 0;
	return len;
}

/* The same for a module that was removed. */
static int ask_life(char *buf, size_t size, unsigned long addr, const char *letters,
		    const struct life *life)
{
	unsigned long at = addr - (letters[0] == 'B');
	const struct symbol *symbol = symbols_find(life->symbols, at);

	if (!symbol || at - symbol->addr >= symbol->size)
		return 0;
	if (letters[0] == 's')
		return snprintf(buf, size, "%s [%s]", symbol->name, life->name);
	return snprintf(buf, size, "%s+0x%lx/0x%lx [%s]", symbol->name, addr - symbol->addr,
			symbol->size, life->name);
}

/* What is in no module that we know of may be in one, or in something else, the next time. */
static int print_in_module(char *buf, size_t size, unsigned long addr, const char *letters,
			   u64 ts, struct ltt_symbol_valid *valid)
{
	unsigned long at = addr - (letters[0] == 'B');
	const struct life *life;
	bool taken;
	int len = 0;

	down_read(&symbols_sem);
	life = find_life(at, ts, &taken);
	*valid = (struct ltt_symbol_valid) { .from = U64_MAX, .changes = ltt_symbol_changes };
	if (life) {
		valid->from = life->from;
		valid->to = life->mod ? U64_MAX : life->to;
	}
	if (life && !life->mod)
		len = ask_life(buf, size, addr, letters, life);
	else if (life || !taken)
		len = ask_kernel(buf, size, addr, letters, life, false);
	if (!len && life && letters[0] == 's')
		len = snprintf(buf, size, "[%s]", life->name);
	else if (!len && life)
		len = snprintf(buf, size, "[%s]+0x%lx", life->name,
			       addr - piece_of(life, at)->begin);
	up_read(&symbols_sem);
	return len;
}

/**
 * ltt_symbol_find() - show an address as a symbol, if it has one
 * @buf:	where to put the text
 * @size:	bytes there, SYMBOL_MIN at least
 * @addr:	the address
 * @letters:	as for ltt_symbol_print()
 * @ts:		time of the event, or LTT_SYMBOL_NOW
 * @valid:	set to when this is what the address is shown as
 *
 * Context: task, sleeps.
 * Return: as ltt_symbol_print(); 0 if it has none.
 */
int ltt_symbol_find(char *buf, size_t size, unsigned long addr, const char *letters, u64 ts,
		    struct ltt_symbol_valid *valid)
{
	if (among_modules(addr - (letters[0] == 'B')))
		return print_in_module(buf, size, addr, letters, ts, valid);
	*valid = (struct ltt_symbol_valid) {
		.to = U64_MAX, .changes = READ_ONCE(ltt_symbol_changes),
	};
	return ask_kernel(buf, size, addr, letters, NULL, false);
}

/**
 * ltt_symbol_number() - show an address without a symbol
 * @buf:	where to put the text
 * @size:	bytes there
 * @addr:	the address
 * @may_see:	as it is, see ltt_may_see()
 *
 * Context: any.
 * Return: as ltt_symbol_print().
 */
int ltt_symbol_number(char *buf, size_t size, unsigned long addr, bool may_see)
{
	if (may_see)
		return snprintf(buf, size, "0x%lx", addr);
	return snprintf(buf, size, "%p", (void *)addr);
}

/**
 * ltt_symbol_print() - show an address as the symbol it was when an event was recorded
 * @buf:	where to put the text
 * @size:	bytes there
 * @addr:	the address
 * @letters:	which form: "S", "SR", "s" or "B", as after %p
 * @ts:		time of the event, LTT_SYMBOL_NOW, or LTT_SYMBOL_ATOMIC
 *
 * An address in a module whose symbols have been dropped is shown as [MODULE]+0xOFFSET, the
 * offset in that piece of the module's memory. One without any symbol is shown as it is if
 * the reader may see it, else as %p shows it.
 *
 * Context: task, sleeps; depends on its rights. With LTT_SYMBOL_ATOMIC any, NMI included; then
 * symbols of modules that are gone are not known, and nobody has rights.
 * Return: length of the text; if that is @size or more the text is truncated, and must not
 * be used.
 */
int ltt_symbol_print(char *buf, size_t size, unsigned long addr, const char *letters, u64 ts)
{
	struct ltt_symbol_valid valid;
	bool may_see;
	int len;

	/* What it begins with is looked at. */
	if (size < SYMBOL_MIN)
		return SYMBOL_MIN;
	if (ts == LTT_SYMBOL_ATOMIC)
		len = ask_kernel(buf, size, addr, letters, NULL, true);
	else
		len = ltt_symbol_find(buf, size, addr, letters, ts, &valid);
	if (len)
		return len;
	may_see = ts == LTT_SYMBOL_ATOMIC ? !ltt_is_kernels(addr) : ltt_may_see(addr);
	return ltt_symbol_number(buf, size, addr, may_see);
}
EXPORT_SYMBOL_GPL(ltt_symbol_print);

/**
 * ltt_symbol_print_other() - show an address of an earlier boot
 * @buf:	where to put the text
 * @size:	bytes there
 * @addr:	the address
 * @letters:	which form, as for ltt_symbol_print()
 * @boot:	that boot
 *
 * Nothing is known of its modules.
 *
 * Context: task, sleeps; depends on its rights.
 * Return: as ltt_symbol_print().
 */
int ltt_symbol_print_other(char *buf, size_t size, unsigned long addr, const char *letters,
			   const struct ltt_other_boot *boot)
{
	unsigned long now = addr + boot->shift;
	int len = 0;

	if (size < SYMBOL_MIN)
		return SYMBOL_MIN;
	if (boot->same_build && ltt_is_kernels(addr) && !among_modules(addr) && !among_modules(now))
		len = ask_kernel(buf, size, now, letters, NULL, false);
	return len ?: ltt_symbol_number(buf, size, addr, ltt_may_see(addr));
}
EXPORT_SYMBOL_GPL(ltt_symbol_print_other);

/* ---- symbols by name ------------------------------------------------------------- */

/* Like kallsyms: the first symbol of this name, label or not, wherever it is. */
static unsigned long symbol_value(const struct module *mod, const char *name)
{
	const struct mod_kallsyms *table;
	unsigned long value = 0;
	const Elf_Sym *sym;

	rcu_read_lock();
	table = rcu_dereference_raw(mod->kallsyms);
	for (sym = table->symtab; sym < table->symtab + table->num_symtab; sym++) {
		if (sym->st_shndx != SHN_UNDEF && !strcmp(table->strtab + sym->st_name, name)) {
			value = sym->st_value;
			break;
		}
	}
	rcu_read_unlock();
	return value;
}

/**
 * ltt_module_symbol() - the address of a symbol in a module
 * @first:	a module to look in before all others, or NULL
 * @symbol:	"NAME" or "MODULE:NAME"
 *
 * If several modules have such a symbol, the one loaded last wins, as in the kernel. Modules
 * that are being loaded or unloaded are included. The address becomes stale when the
 * module is unloaded, which this function does not prevent.
 *
 * Context: task, sleeps: there are many symbols.
 * Return: the address, 0 if no module has such a symbol.
 */
unsigned long ltt_module_symbol(const struct module *first, const char *symbol)
{
	const char *colon = strchr(symbol, ':');
	const char *name = colon ? colon + 1 : symbol;
	const struct life *life;
	unsigned long addr = 0;
	unsigned int pass;

	down_read(&symbols_sem);
	for (pass = first ? 0 : 1; pass < 2 && !addr; pass++) {
		list_for_each_entry_reverse(life, &lives, node) {
			if (addr)
				break;
			if (!life->mod || (!pass && life->mod != first))
				continue;
			if (colon && (strlen(life->name) != colon - symbol ||
				      strncmp(life->name, symbol, colon - symbol)))
				continue;
			addr = symbol_value(life->mod, name);
			cond_resched();
		}
	}
	up_read(&symbols_sem);
	return addr;
}
EXPORT_SYMBOL_GPL(ltt_module_symbol);

/* ---- the file -------------------------------------------------------------------- */

/* The life of that serial number, or the next one. */
static struct life *life_at(u64 serial)
{
	struct life *life;

	list_for_each_entry(life, &lives, node) {
		if (life->serial >= serial)
			return life;
	}
	return NULL;
}

static void *seq_begin(struct seq_file *m, loff_t *pos)
{
	down_read(&symbols_sem);
	return *pos ? life_at(*pos) : SEQ_START_TOKEN;
}

static void *seq_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct life *life = v;

	*pos = v == SEQ_START_TOKEN ? 1 : life->serial + 1;
	return life_at(*pos);
}

static void seq_end(struct seq_file *m, void *v)
{
	up_read(&symbols_sem);
}

static void show_symbols(struct seq_file *m, const struct symbols *symbols)
{
	unsigned int i;

	for (i = 0; symbols && i < symbols->nr && !seq_has_overflowed(m); i++)
		seq_printf(m, "%lx %lx %s\n", symbols->symbol[i].addr, symbols->symbol[i].size,
			   symbols->symbol[i].name);
}

/* Not worth sorting if it will not fit: "ADDRESS S NAME" and a newline for each symbol. */
static bool fit(const struct seq_file *m, const struct life *life)
{
	struct need need = {};

	each_symbol(life, count, &need);
	return m->count + need.names + need.nr * (2 * sizeof(long) + 3) < m->size;
}

static int seq_show(struct seq_file *m, void *v)
{
	const struct life *life = v;
	struct symbols *symbols;
	unsigned int i;

	if (v == SEQ_START_TOKEN) {
		seq_puts(m, "# module NAME NUMBER FROM TO, piece BEGIN END, ADDRESS SIZE SYMBOL\n");
		return 0;
	}
	if (!ltt_may_see(life->piece[0].begin))
		return 0;
	seq_printf(m, "module %s %llu %llu ", life->name, life->serial, life->from);
	if (life->mod)
		seq_puts(m, "-\n");
	else
		seq_printf(m, "%llu\n", life->to);
	for (i = 0; i < life->nr_pieces; i++)
		seq_printf(m, "piece %lx %lx\n", life->piece[i].begin, life->piece[i].end);
	if (!life->mod) {
		show_symbols(m, life->symbols);
		return 0;
	}
	if (!fit(m, life)) {
		seq_commit(m, -1);
		return 0;
	}
	symbols = symbols_copy(life);
	if (!symbols)
		return -ENOMEM;
	show_symbols(m, symbols);
	kvfree(symbols);
	return 0;
}

const struct seq_operations ltt_module_symbols_seq = {
	.start = seq_begin,
	.next = seq_next,
	.stop = seq_end,
	.show = seq_show,
};
