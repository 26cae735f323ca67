/* What a unit of shap_patterns.h adds to its features, or to their pairs (interactions), for each
 * pattern of a row, from how often rows of a background have each pattern. */
#ifndef CT_FORGE_SHAP_TABLES_H
#define CT_FORGE_SHAP_TABLES_H

#include "forge/shap_patterns.h"

/* Memory of a worker. */
typedef struct {
    double *counts;   /* [2^bits] of a leaf's patterns */
    double *sums;     /* [2^bits][bits + 1] */
    double *shares;   /* [2^bits] features or pairs of features */
    uint32_t *edges, *slots;
    int interactions;
} ct_forge_table_scratch;

ct_status ct_forge_table_scratch_make(ct_forge_table_scratch *scratch, uint32_t deepest,
                                      int interactions, ct_arena *arena);

/* How many pairs n features have, and the index of the pair of i and j, which differ. */
static inline uint32_t ct_forge_pair_count(uint32_t n)
{
    return n ? n * (n - 1) / 2 : 0;
}

static inline uint32_t ct_forge_pair_slot(uint32_t i, uint32_t j)
{
    CT_ASSERT(i != j);
    return i < j ? ct_forge_pair_count(j) + i : ct_forge_pair_count(i) + j;
}

/* Fills table[2^bits][width], and unit->expected. n_background: the sum of the counts. */
void ct_forge_unit_table(const ct_forge_patterns *patterns, ct_forge_pattern_unit *unit,
                         const uint32_t *counts, double n_background,
                         ct_forge_table_scratch *scratch, double *table);

#endif
