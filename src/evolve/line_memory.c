#include "evolve/line_memory.h"

#include <string.h>

#include "base/memory.h"

enum { ENTRIES = 1 << 12, SLOTS = 2 * ENTRIES, WORDS = 1 << 18, LONGEST = 1 << 12 };

typedef struct {
    uint64_t hash;
    uint32_t first, length; /* of the key, in `words` */
    ct_line_answer answer;
} entry;

struct ct_line_memory {
    uint32_t n_entries, n_words;
    entry entries[ENTRIES];
    uint32_t slots[SLOTS]; /* entry + 1; 0: free */
    uint64_t words[WORDS];
    uint64_t key[LONGEST]; /* asked for last */
    uint32_t length;       /* LONGEST: too long to be kept */
    uint64_t hash;
};

ct_line_memory *ct_gmt_line_memory_new(void)
{
    ct_line_memory *memory = (ct_line_memory *) ct_alloc(sizeof *memory);
    if (!memory) return NULL;
    memory->n_entries = memory->n_words = 0;
    memset(memory->slots, 0, sizeof memory->slots);
    return memory;
}

void ct_gmt_line_memory_free(ct_line_memory *memory) { ct_free(memory); }

/* ---- keys ---- */

static void put(ct_line_memory *memory, uint64_t word)
{
    if (memory->length < LONGEST) memory->key[memory->length++] = word;
}

static void put_number(ct_line_memory *memory, double number)
{
    uint64_t word;
    memcpy(&word, &number, sizeof word);
    put(memory, word);
}

static void put_test(ct_line_memory *memory, const ct_model_table *table, const ct_gmt_test *test,
                     unsigned side)
{
    CT_ASSERT((uint32_t) test->splitter < table->n_splitters && side < 2);
    uint64_t missing = test->missing_left != 0;
    put(memory, (uint64_t) (uint32_t) test->splitter << 2 | missing << 1 | side);
    if (!table->splitters[test->splitter].n_levels) put(memory, test->cut);
    else
        for (int i = 0; i < CT_LEVEL_WORDS; i++) put(memory, test->levels[i]);
}

static void put_below(ct_line_memory *memory, const ct_model_tree *tree, int32_t node)
{
    const ct_model_node *at = &tree->nodes[node];
    if (ct_gmt_is_leaf(tree, node)) {
        put(memory, UINT64_MAX);
        return;
    }
    put_test(memory, tree->table, &at->test, 0);
    put_below(memory, tree, at->left);
    put_below(memory, tree, at->right);
}

static void write_key(ct_line_memory *memory, const ct_model_tree *tree, int32_t node, double limit,
                      const ct_line_options *options)
{
    memory->length = 0;
    put(memory, (uint64_t) options->open_max << 32 | options->minbucket);
    put(memory, (uint64_t) (uint32_t) options->only << 32 | options->without);
    put(memory, options->min_n);
    put_number(memory, options->lambda);
    put_number(memory, limit);
    put_below(memory, tree, node);
    for (int32_t at = node; tree->nodes[at].parent != CT_NO_NODE; at = tree->nodes[at].parent) {
        const ct_model_node *parent = &tree->nodes[tree->nodes[at].parent];
        put_test(memory, tree->table, &parent->test, parent->right == at);
    }
    memory->hash = memory->length;
    for (uint32_t i = 0; i < memory->length; i++) {
        memory->hash = (memory->hash ^ memory->key[i]) * UINT64_C(0x9e3779b97f4a7c15);
        memory->hash ^= memory->hash >> 29;
    }
}

/* ---- entries ---- */

/* Where the key's entry is, or is to be. */
static uint32_t *slot_of(ct_line_memory *memory)
{
    uint32_t at = (uint32_t) (memory->hash >> 20) % SLOTS;
    for (;; at = (at + 1) % SLOTS) {
        uint32_t number = memory->slots[at];
        if (!number) return &memory->slots[at];
        const entry *e = &memory->entries[number - 1];
        if (e->hash == memory->hash && e->length == memory->length &&
            !memcmp(memory->words + e->first, memory->key, e->length * sizeof *memory->key))
            return &memory->slots[at];
    }
}

const ct_line_answer *ct_gmt_line_memory_find(ct_line_memory *memory, const ct_model_tree *tree,
                                              int32_t node, double limit,
                                              const ct_line_options *options)
{
    CT_ASSERT(node >= 0 && (uint32_t) node < tree->room);
    write_key(memory, tree, node, limit, options);
    uint32_t number = memory->length < LONGEST ? *slot_of(memory) : 0;
    return number ? &memory->entries[number - 1].answer : NULL;
}

void ct_gmt_line_memory_keep(ct_line_memory *memory, const ct_line_answer *answer)
{
    CT_ASSERT(answer);
    if (memory->length == LONGEST) return;
    if (memory->n_entries == ENTRIES || memory->n_words + memory->length > WORDS) {
        memory->n_entries = memory->n_words = 0;
        memset(memory->slots, 0, sizeof memory->slots);
    }
    entry e = {memory->hash, memory->n_words, memory->length, *answer};
    *slot_of(memory) = memory->n_entries + 1;
    memcpy(memory->words + memory->n_words, memory->key, memory->length * sizeof *memory->key);
    memory->n_words += memory->length;
    memory->entries[memory->n_entries++] = e;
}
