/* 64 bits that differ for different forests, all but certainly. */
#ifndef FOREST_HASH_H
#define FOREST_HASH_H

#include <string.h>

#include "forest/hist_forest.h"
#include "pixels/forest.h"

static inline uint64_t mixed(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
}

static inline uint64_t hash_tree(uint64_t hash, const ct_hist_tree *tree, uint32_t n_classes)
{
    hash = mixed(mixed(hash, tree->number), tree->n_nodes);
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        const ct_hist_node *node = &tree->nodes[i];
        hash = mixed(hash,
                     (uint64_t) node->next << 32 | (uint32_t) node->feature << 16 | node->cut);
    }
    for (size_t i = 0; i < (size_t) tree->n_leaves * ct_forest_leaf_width(n_classes); i++)
        hash = mixed(hash, tree->counts[i]);
    for (uint32_t i = 0; tree->means && i < tree->n_leaves; i++) {
        uint64_t bits;
        memcpy(&bits, &tree->means[i], sizeof bits);
        hash = mixed(hash, bits);
    }
    return hash;
}

static inline uint64_t hist_hash(const ct_hist_forest *forest)
{
    uint64_t hash = forest->n_classes;
    for (uint32_t i = 0; i < forest->n_trees; i++)
        hash = hash_tree(hash, &forest->trees[i], forest->n_classes);
    return hash;
}

static inline uint64_t pixel_hash(const ct_pixel_forest *forest)
{
    uint64_t hash = forest->n_classes;
    for (uint32_t i = 0; i < forest->n_trees; i++) {
        const ct_pixel_tree *t = &forest->trees[i];
        hash = mixed(mixed(mixed(hash, t->number), t->n_nodes), t->depth);
        for (uint32_t k = 0; k < t->n_nodes; k++) {
            const ct_pixel_node *node = &t->nodes[k];
            hash = mixed(hash, (uint64_t) node->left << 32 | (uint32_t) node->low);
            hash = mixed(hash, (uint64_t) node->length << 32 | node->feature);
        }
        for (uint32_t k = 0; k < t->n_features; k++)
            for (unsigned word = 0; word < CT_FEATURE_WORDS; word++)
                hash = mixed(hash, (uint32_t) t->features[k].words[word]);
        for (size_t k = 0; k < (size_t) t->n_leaves * forest->n_classes; k++)
            hash = mixed(hash, t->counts[k]);
    }
    return hash;
}

#endif
