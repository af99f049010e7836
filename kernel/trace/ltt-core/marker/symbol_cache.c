// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: symbols that a reader has shown.
 *
 * The kernel takes thousands of instructions to find a symbol of its own, as its table is
 * compressed, and tens of thousands for one of a large module, whose table it reads from the
 * beginning. A trace shows few of them, again and again: so a reader remembers their texts, in a
 * table in which an address has one place, where the last one stays. A text is right for the events
 * of a module's life, and as long as no module comes or goes. A cache belongs to one reader, so
 * there is nothing to lock.
 */

#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/ltt/symbol.h>

#include "symbols.h"

#define CACHE_BITS	9

/* Room for a text, with its NUL; longer ones are looked up each time. */
#define TEXT_MAX	77

/**
 * struct ltt_symbol_text - a place in the table
 * @addr:	the address
 * @valid:	when it is shown as @text
 * @letters:	in this form, as after %p
 * @len:	bytes of @text, without its NUL; 0: nothing is known
 * @text:	its symbol
 */
struct ltt_symbol_text {
	unsigned long addr;
	struct ltt_symbol_valid valid;
	char letters[2];
	u8 len;
	char text[TEXT_MAX];
};

/* The place for @addr in the form @letters; NULL: no memory. */
static struct ltt_symbol_text *place_of(struct ltt_symbol_cache *cache, unsigned long addr,
					const char *letters)
{
	if (!cache->texts)
		cache->texts = kvcalloc(1 << CACHE_BITS, sizeof(*cache->texts),
					GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!cache->texts)
		return NULL;
	return &cache->texts[hash_long(addr + letters[0], CACHE_BITS)];
}

static bool is_known(const struct ltt_symbol_text *place, unsigned long addr, const char *letters,
		     u64 ts)
{
	return place->len && place->addr == addr &&
	       !memcmp(place->letters, letters, sizeof(place->letters)) &&
	       place->valid.changes == READ_ONCE(ltt_symbol_changes) &&
	       ts >= place->valid.from && ts <= place->valid.to;
}

/* Look it up. Return: the length of its text; 0: there is no symbol. It may be too long. */
static int fill(struct ltt_symbol_text *place, unsigned long addr, const char *letters, u64 ts)
{
	int len;

	place->len = 0;
	len = ltt_symbol_find(place->text, sizeof(place->text), addr, letters, ts, &place->valid);
	if (!len || len >= sizeof(place->text))
		return len;
	memcpy(place->letters, letters, sizeof(place->letters));
	place->addr = addr;
	place->len = len;
	return len;
}

/**
 * ltt_symbol_print_cached() - ltt_symbol_print() for a reader that may show it again
 * @cache:	the reader's
 * @buf:	where to put the text
 * @size:	bytes there
 * @addr:	the address
 * @letters:	as for ltt_symbol_print()
 * @ts:		time of the event, or LTT_SYMBOL_NOW
 *
 * Context: task, sleeps; depends on its rights. One call at a time for a cache.
 * Return: as ltt_symbol_print().
 */
int ltt_symbol_print_cached(struct ltt_symbol_cache *cache, char *buf, size_t size,
			    unsigned long addr, const char *letters, u64 ts)
{
	struct ltt_symbol_text *place = place_of(cache, addr, letters);
	int len;

	if (!place)
		return ltt_symbol_print(buf, size, addr, letters, ts);
	len = is_known(place, addr, letters, ts) ? place->len : fill(place, addr, letters, ts);
	if (!len)
		return ltt_symbol_number(buf, size, addr, ltt_may_see(addr));
	if (len >= sizeof(place->text))
		return ltt_symbol_print(buf, size, addr, letters, ts);
	if (len < size)
		memcpy(buf, place->text, len + 1);
	return len;
}
EXPORT_SYMBOL_GPL(ltt_symbol_print_cached);

/**
 * ltt_symbol_cache_free() - forget all of it
 * @cache:	the cache, which may be used again
 *
 * Context: task, may sleep.
 */
void ltt_symbol_cache_free(struct ltt_symbol_cache *cache)
{
	kvfree(cache->texts);
	cache->texts = NULL;
}
EXPORT_SYMBOL_GPL(ltt_symbol_cache_free);
