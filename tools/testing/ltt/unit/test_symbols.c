// SPDX-License-Identifier: GPL-2.0
/*
 * Names of addresses in modules that come and go, by the kernel's own module_symbols.c.
 * symbols-shim has the modules and the time.
 */
#include "ktap.h"

#include "../../../../kernel/trace/ltt-core/marker/module_symbols.c"
#include "../../../../kernel/trace/ltt-core/marker/symbol_cache.c"

u64 world_time;
struct module *world_modules[4];

#define BASE	0xffffffffa0000000ul

static const char strings[] = "\0first\0last\0alias\0.Lx\0in_init";

#define SYM(_name, _value) { .st_name = _name, .st_shndx = 1, .st_value = _value }

static const Elf_Sym table[] = {
	{ 0 },
	SYM(1, BASE + 0x10),
	SYM(12, BASE + 0x40),	/* of two names the first */
	SYM(7, BASE + 0x40),
	SYM(18, BASE + 0x44),
	SYM(22, BASE + 0x8000),
};

static const struct mod_kallsyms kallsyms = { table, ARRAY_SIZE(table), strings };

static struct module one = {
	.name = "one",
	.kallsyms = &kallsyms,
	.piece = {
		{ BASE, BASE + 0x2000, BASE + 0x1000, false },
		{ BASE + 0x8000, BASE + 0x9000, BASE + 0x9000, true },
	},
};

static struct module two = {
	.name = "two",
	.kallsyms = &kallsyms,
	.piece = { { BASE, BASE + 0x2000, BASE + 0x1000, false }, { .init = true } },
};

static void told(unsigned long state, struct module *mod, u64 time)
{
	world_time = time;
	module_changes(&module_nb, state, mod);
}

static void says(int line, unsigned long addr, const char *letters, u64 ts, const char *want)
{
	static struct ltt_symbol_cache cache;
	char text[LTT_SYMBOL_ROOM];
	int len = ltt_symbol_print(text, sizeof(text), addr, letters, ts), i;

	/* What a reader remembers, or finds the first time, is the same. */
	for (i = 0; i < 3; i++) {
		if (strcmp(text, want) || len != (int)strlen(want))
			ktap_fail(__FILE__, line, "%lx at %llu (%d): got '%s', want '%s'", addr,
				  (unsigned long long)ts, i, text, want);
		strcpy(text, "nothing");
		len = ltt_symbol_print_cached(&cache, text, sizeof(text), addr, letters, ts);
	}
}

#define SAYS(_offset, _letters, _ts, _want)				\
	says(__LINE__, BASE + (_offset), _letters, _ts, _want)

static void file_says(int line, const char *want)
{
	char text[4096];
	struct seq_file m = { .buf = text, .size = sizeof(text) };
	loff_t pos = 0;
	void *v;

	for (v = ltt_module_symbols_seq.start(&m, &pos); v;
	     v = ltt_module_symbols_seq.next(&m, v, &pos)) {
		m.count = v == SEQ_START_TOKEN ? 0 : m.count;
		ltt_module_symbols_seq.show(&m, v);
		if (v == SEQ_START_TOKEN)
			m.count = 0;
	}
	ltt_module_symbols_seq.stop(&m, v);
	text[m.count] = '\0';
	ktap_expect_str(__FILE__, line, text, want);
}

#define CORE	"piece ffffffffa0000000 ffffffffa0002000\n"			\
		"ffffffffa0000010 30 first\n"					\
		"ffffffffa0000040 fc0 alias\n"

static void in_the_same_place(void)
{
	ltt_symbols_init();
	ltt_symbols_get();
	told(MODULE_STATE_COMING, &one, 10);
	SAYS(0x8001, "s", 11, "[one]");		/* there is no kernel to ask */
	told(MODULE_STATE_LIVE, &one, 12);
	SAYS(0x8001, "S", 10, "in_init+0x1/0x1000 [one]");
	SAYS(0x8001, "S", 12, "in_init+0x1/0x1000 [one]");
	SAYS(0x8001, "S", 13, "0xffffffffa0008001");
	told(MODULE_STATE_GOING, &one, 20);
	told(MODULE_STATE_COMING, &two, 30);
	told(MODULE_STATE_LIVE, &two, 31);
	SAYS(0x15, "S", 15, "first+0x5/0x30 [one]");
	SAYS(0x15, "SR", 20, "first+0x5/0x30 [one]");
	SAYS(0x15, "s", 10, "first [one]");
	SAYS(0x40, "B", 15, "first+0x30/0x30 [one]");
	SAYS(0x41, "S", 15, "alias+0x1/0xfc0 [one]");
	SAYS(0x01, "S", 15, "[one]+0x1");
	SAYS(0x15, "S", 9, "0xffffffffa0000015");
	SAYS(0x15, "S", 21, "0xffffffffa0000015");
	SAYS(0x15, "S", 30, "[two]+0x15");
	SAYS(0x15, "S", LTT_SYMBOL_NOW, "[two]+0x15");
	/* A cache has one place for these, and nothing that it knows of the last two. */
	SAYS(0x44, "S", 15, "alias+0x4/0xfc0 [one]");
	says(__LINE__, 0xffff888000001000, "S", 15, "0xffff888000001000");
	says(__LINE__, 0, "S", 15, "(nil)S");	/* as the C library has it */
	EXPECT(ltt_module_symbol(NULL, "two:first") == BASE + 0x10, "two:first");
	EXPECT(ltt_module_symbol(&two, "alias") == BASE + 0x40, "alias");
	EXPECT(!ltt_module_symbol(&two, "one:first"), "one:first");
	file_says(__LINE__, "module one 1 10 20\n" CORE
		  "module one 2 10 12\n"
		  "piece ffffffffa0008000 ffffffffa0009000\n"
		  "ffffffffa0008000 1000 in_init\n"
		  "module two 3 30 -\n" CORE);
	ltt_symbols_put();
	/* Without a trace nobody has gone, and who is there has always been. */
	file_says(__LINE__, "module two 3 0 -\n" CORE);
	told(MODULE_STATE_GOING, &two, 40);
	file_says(__LINE__, "");
	ltt_symbols_exit();
}

/* Again and again for days. */
static void many(void)
{
	unsigned int i;

	ltt_symbols_get();
	for (i = 0; i < 3 * LIVES_MAX; i++) {
		told(MODULE_STATE_COMING, &two, 10 * i);
		told(MODULE_STATE_GOING, &two, 10 * i + 5);
	}
	EXPECT(nr_gone <= LIVES_MAX, "%u are remembered", nr_gone);
	EXPECT(gone_bytes <= SYMBOLS_MAX, "%zu bytes", gone_bytes);
	SAYS(0x15, "S", 10 * (i - 1) + 1, "first+0x5/0x30 [two]");
	SAYS(0x15, "S", 10, "0xffffffffa0000015");
	ltt_symbols_put();
	EXPECT(!nr_gone && !gone_bytes, "%u, %zu bytes are left", nr_gone, gone_bytes);
	ltt_symbols_exit();
}

/* One that was there all the time, and went last, is forgotten last. */
static void first_gone_first_forgotten(void)
{
	static struct module elder;
	unsigned int i;

	elder = (struct module){
		.name = "elder",
		.kallsyms = &kallsyms,
		.piece = { { BASE + 0x20000, BASE + 0x21000, BASE + 0x21000, false } },
	};
	ltt_symbols_get();
	told(MODULE_STATE_COMING, &elder, 1);
	for (i = 0; i < LIVES_MAX; i++) {
		told(MODULE_STATE_COMING, &two, 10 * i + 10);
		told(MODULE_STATE_GOING, &two, 10 * i + 15);
	}
	SAYS(0x15, "S", 11, "first+0x5/0x30 [two]");
	told(MODULE_STATE_GOING, &elder, 10 * i + 10);
	EXPECT(nr_gone == LIVES_MAX, "%u are remembered", nr_gone);
	SAYS(0x20005, "S", 11, "[elder]+0x5");
	SAYS(0x15, "S", 11, "0xffffffffa0000015");
	SAYS(0x15, "S", 21, "first+0x5/0x30 [two]");
	ltt_symbols_put();
	ltt_symbols_exit();
}

/* There was no memory to note that it was coming: it has not been there for ever. */
static void missed_coming(void)
{
	ltt_symbols_get();
	told(MODULE_STATE_LIVE, &one, 12);
	SAYS(0x41, "s", 11, "0xffffffffa0000041");
	told(MODULE_STATE_GOING, &one, 20);
	SAYS(0x41, "s", 11, "0xffffffffa0000041");
	SAYS(0x41, "s", 12, "alias [one]");
	ltt_symbols_put();
	ltt_symbols_exit();
}

/* The code need not be what lies lowest. */
static void pieces(void)
{
	static struct module parted = {
		.name = "parted",
		.kallsyms = &kallsyms,
		.piece = {
			{ BASE + 0x40000, BASE + 0x41000, BASE + 0x41000, false },
			{ BASE + 0x30000, BASE + 0x31000, BASE + 0x31000, false },
		},
	};

	ltt_symbols_get();
	told(MODULE_STATE_COMING, &parted, 1);
	SAYS(0x40005, "S", 2, "[parted]+0x5");
	SAYS(0x30007, "S", 2, "[parted]+0x7");
	SAYS(0x31000, "B", 2, "[parted]+0x1000");
	told(MODULE_STATE_GOING, &parted, 3);
	ltt_symbols_put();
	ltt_symbols_exit();
}

/*
 * A symbol by its name is that of the module that was loaded last, as for the kernel, whether
 * the module was there before us or not; and kallsyms knows labels by their names.
 */
static void by_name(void)
{
	static const char names[] = "\0same\0.Lx\0$d\0L0\0only_old";
#define TABLE(_base)							\
	{								\
		{ 0 }, SYM(1, (_base) + 0x10), SYM(6, (_base) + 0x20),	\
		SYM(10, (_base) + 0x30), SYM(13, (_base) + 0x40),	\
		SYM(1, (_base) + 0x50),					\
	}
	static const Elf_Sym symbols[][6] = {
		TABLE(0x10000), TABLE(0x20000), TABLE(0x30000), TABLE(0x40000),
	};
	static const Elf_Sym old_only[] = {
		{ 0 }, SYM(1, 0x10010), SYM(16, 0x10060),
	};
	static struct mod_kallsyms tables[4];
	static struct module mods[4];
	struct life *life;
	unsigned int i;
	u64 serial = 0;

	for (i = 0; i < 4; i++) {
		tables[i] = (struct mod_kallsyms){ symbols[i], 6, names };
		mods[i].kallsyms = &tables[i];
		snprintf(mods[i].name, sizeof(mods[i].name), "m%u", i);
		mods[i].piece[0].begin = 0x10000 * (i + 1);
		mods[i].piece[0].end = 0x10000 * (i + 1) + 0x1000;
		mods[i].piece[0].symbols_end = mods[i].piece[0].end;
	}
	tables[0] = (struct mod_kallsyms){ old_only, 3, names };
	world_modules[0] = &mods[2];
	world_modules[1] = &mods[1];
	world_modules[2] = &mods[0];
	ltt_symbols_init();
	memset(world_modules, 0, sizeof(world_modules));

	EXPECT(ltt_module_symbol(NULL, "same") == 0x30010, "the newest of those before us: %lx",
	       ltt_module_symbol(NULL, "same"));
	told(MODULE_STATE_COMING, &mods[3], 5);
	told(MODULE_STATE_LIVE, &mods[3], 6);
	EXPECT(ltt_module_symbol(NULL, "same") == 0x40010, "the newest: %lx",
	       ltt_module_symbol(NULL, "same"));
	EXPECT(ltt_module_symbol(&mods[1], "same") == 0x20010, "of one's own");
	EXPECT(ltt_module_symbol(NULL, "m1:same") == 0x20010, "m1:same");
	EXPECT(ltt_module_symbol(NULL, "only_old") == 0x10060, "only_old");
	EXPECT(ltt_module_symbol(NULL, ".Lx") == 0x40020, ".Lx");
	EXPECT(ltt_module_symbol(NULL, "$d") == 0x40030, "$d");
	EXPECT(ltt_module_symbol(NULL, "L0") == 0x40040, "L0");
	EXPECT(!ltt_module_symbol(NULL, "none"), "none");
	i = 0;
	list_for_each_entry(life, &lives, node) {
		EXPECT(life->serial > serial, "serial");
		EXPECT(life->mod == &mods[i], "%s in place %u", life->name, i);
		serial = life->serial;
		i++;
	}
	told(MODULE_STATE_GOING, &mods[3], 7);
	EXPECT(ltt_module_symbol(NULL, "same") == 0x30010, "the newest that is left");
	ltt_symbols_exit();
}

int main(void)
{
	static const struct ktap_case cases[] = {
		{ "modules in the same place", in_the_same_place },
		{ "many modules", many },
		{ "first gone, first forgotten", first_gone_first_forgotten },
		{ "no memory when it came", missed_coming },
		{ "several pieces", pieces },
		{ "by name", by_name },
	};

	return ktap_run(cases, ARRAY_SIZE(cases));
}
