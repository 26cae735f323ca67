#include "evolve/split_cache.h"

#include <string.h>

#include "base/memory.h"

enum { ENTRIES = 1 << 12, SLOTS = 2 * ENTRIES, WORDS = 1 << 18, LONGEST = 1 << 12 };

typedef struct {
    uint64_t hash;
    uint32_t first, length; /* of the key, in `words` */
    ct_gmt_split_result result;
} entry;

struct ct_split_cache {
    uint32_t n_entries, n_words;
    entry entries[ENTRIES];
    uint32_t slots[SLOTS]; /* entry + 1; 0: free */
    uint64_t words[WORDS];
    uint64_t key[LONGEST]; /* of the last lookup */
    uint32_t length;       /* of `key`; LONGEST: too long to be stored */
    uint64_t hash;
};

ct_split_cache *ct_gmt_split_cache_new(void)
{
    ct_split_cache *cache = (ct_split_cache *) ct_alloc(sizeof *cache);
    if (!cache) return NULL;
    cache->n_entries = cache->n_words = 0;
    memset(cache->slots, 0, sizeof cache->slots);
    return cache;
}

void ct_gmt_split_cache_free(ct_split_cache *cache) { ct_free(cache); }

/* ---- keys ---- */

static void put(ct_split_cache *cache, uint64_t word)
{
    if (cache->length < LONGEST) cache->key[cache->length++] = word;
}

static void put_number(ct_split_cache *cache, double number)
{
    uint64_t word;
    memcpy(&word, &number, sizeof word);
    put(cache, word);
}

static void put_test(ct_split_cache *cache, const ct_model_table *table, const ct_gmt_test *test,
                     unsigned side)
{
    CT_ASSERT((uint32_t) test->splitter < table->n_splitters && side < 2);
    uint64_t missing = test->missing_left != 0;
    put(cache, (uint64_t) (uint32_t) test->splitter << 2 | missing << 1 | side);
    if (!table->splitters[test->splitter].n_levels)
        put(cache, test->cut);
    else
        for (int i = 0; i < CT_LEVEL_WORDS; i++) put(cache, test->levels[i]);
}

static void put_below(ct_split_cache *cache, const ct_model_tree *tree, int32_t node)
{
    const ct_model_node *at = &tree->nodes[node];
    if (ct_gmt_is_leaf(tree, node)) {
        put(cache, UINT64_MAX);
        return;
    }
    put_test(cache, tree->table, &at->test, 0);
    put_below(cache, tree, at->left);
    put_below(cache, tree, at->right);
}

static void write_key(ct_split_cache *cache, const ct_model_tree *tree, int32_t node, double limit,
                      const ct_gmt_split_options *options)
{
    cache->length = 0;
    put(cache, (uint64_t) options->open_max << 32 | options->minbucket);
    put(cache, (uint64_t) (uint32_t) options->only << 32 | options->without);
    put(cache, options->min_n);
    put_number(cache, options->lambda);
    put_number(cache, limit);
    put_below(cache, tree, node);
    for (int32_t at = node; tree->nodes[at].parent != CT_NO_NODE; at = tree->nodes[at].parent) {
        const ct_model_node *parent = &tree->nodes[tree->nodes[at].parent];
        put_test(cache, tree->table, &parent->test, parent->right == at);
    }
    cache->hash = cache->length;
    for (uint32_t i = 0; i < cache->length; i++) {
        cache->hash = (cache->hash ^ cache->key[i]) * UINT64_C(0x9e3779b97f4a7c15);
        cache->hash ^= cache->hash >> 29;
    }
}

/* ---- entries ---- */

/* Where the key's entry is, or is to be. */
static uint32_t *slot_of(ct_split_cache *cache)
{
    uint32_t at = (uint32_t) (cache->hash >> 20) % SLOTS;
    for (;; at = (at + 1) % SLOTS) {
        uint32_t number = cache->slots[at];
        if (!number) return &cache->slots[at];
        const entry *e = &cache->entries[number - 1];
        if (e->hash == cache->hash && e->length == cache->length &&
            !memcmp(cache->words + e->first, cache->key, e->length * sizeof *cache->key))
            return &cache->slots[at];
    }
}

const ct_gmt_split_result *ct_gmt_split_cache_find(ct_split_cache *cache, const ct_model_tree *tree,
                                                   int32_t node, double limit,
                                                   const ct_gmt_split_options *options)
{
    CT_ASSERT(node >= 0 && (uint32_t) node < tree->room);
    write_key(cache, tree, node, limit, options);
    uint32_t number = cache->length < LONGEST ? *slot_of(cache) : 0;
    return number ? &cache->entries[number - 1].result : NULL;
}

void ct_gmt_split_cache_store(ct_split_cache *cache, const ct_gmt_split_result *result)
{
    CT_ASSERT(result);
    if (cache->length == LONGEST) return;
    if (cache->n_entries == ENTRIES || cache->n_words + cache->length > WORDS) {
        cache->n_entries = cache->n_words = 0;
        memset(cache->slots, 0, sizeof cache->slots);
    }
    entry e = {cache->hash, cache->n_words, cache->length, *result};
    *slot_of(cache) = cache->n_entries + 1;
    memcpy(cache->words + cache->n_words, cache->key, cache->length * sizeof *cache->key);
    cache->n_words += cache->length;
    cache->entries[cache->n_entries++] = e;
}
