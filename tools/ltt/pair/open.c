// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: pairs that have begun, by key and by age.
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "pair.h"

/* To look for a key without a copy of it. */
struct wanted {
	const uint8_t *key;
	size_t len;
};

static int compare_bytes(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
	if (a_len != b_len)
		return a_len < b_len ? -1 : 1;
	return a_len ? memcmp(a, b, a_len) : 0;
}

static int compare(const void *a, const void *b)
{
	const struct pair_open *x = a, *y = b;

	return compare_bytes(x->data, x->key_len, y->data, y->key_len);
}

/* tfind() has its key first. */
static int compare_wanted(const void *a, const void *b)
{
	const struct wanted *wanted = a;
	const struct pair_open *open = b;

	return compare_bytes(wanted->key, wanted->len, open->data, open->key_len);
}

static size_t bytes_of(const struct pair_open *open)
{
	return sizeof(*open) + open->key_len + open->line_len;
}

/**
 * pair_table_init() - begin with none
 * @table:	the table
 */
void pair_table_init(struct pair_table *table)
{
	memset(table, 0, sizeof(*table));
	TAILQ_INIT(&table->ages);
}

/**
 * pair_table_find() - look up an open pair
 * @table:	the table
 * @key:	its key
 *
 * Return: the one that began last, or NULL.
 */
struct pair_open *pair_table_find(const struct pair_table *table, const struct pair_bytes *key)
{
	const struct wanted wanted = { .key = key->data, .len = key->len };
	struct pair_open **found = tfind(&wanted, &table->keys, compare_wanted);

	return found ? *found : NULL;
}

/**
 * pair_table_add() - open a pair
 * @table:	the table
 * @key:	its key
 * @line:	the line of its first event
 * @line_len:	bytes of that
 *
 * It is nested in the one of the same key, if there is one. Whatever key and line do not tell
 * is zero.
 *
 * Return: the pair, or NULL: no memory.
 */
struct pair_open *pair_table_add(struct pair_table *table, const struct pair_bytes *key,
				 const char *line, size_t line_len)
{
	struct pair_open *open = malloc(sizeof(*open) + key->len + line_len), **found;

	if (!open)
		return NULL;
	memset(open, 0, sizeof(*open));
	open->key_len = key->len;
	open->line_len = line_len;
	if (key->len)
		memcpy(open->data, key->data, key->len);
	if (line_len)
		memcpy(open->data + key->len, line, line_len);
	found = tsearch(open, &table->keys, compare);
	if (!found) {
		free(open);
		return NULL;
	}
	if (*found != open) {
		open->outer = *found;
		open->outer->inner = open;
		*found = open;
	}
	TAILQ_INSERT_TAIL(&table->ages, open, age);
	table->nr++;
	table->bytes += bytes_of(open);
	return open;
}

/**
 * pair_table_remove() - forget a pair
 * @table:	the table
 * @open:	the pair; freed
 */
void pair_table_remove(struct pair_table *table, struct pair_open *open)
{
	struct pair_open **innermost;

	if (open->outer)
		open->outer->inner = open->inner;
	if (open->inner) {
		open->inner->outer = open->outer;
	} else if (open->outer) {
		innermost = tfind(open, &table->keys, compare);
		*innermost = open->outer;
	} else {
		tdelete(open, &table->keys, compare);
	}
	TAILQ_REMOVE(&table->ages, open, age);
	table->nr--;
	table->bytes -= bytes_of(open);
	free(open);
}

/**
 * pair_table_clear() - forget all pairs
 * @table:	the table
 */
void pair_table_clear(struct pair_table *table)
{
	while (!TAILQ_EMPTY(&table->ages))
		pair_table_remove(table, TAILQ_FIRST(&table->ages));
}
