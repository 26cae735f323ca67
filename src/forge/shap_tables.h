/* What a unit of shap_patterns.h adds to its features for each pattern of a row, from how often
 * rows of a background have each pattern. */
#ifndef CT_FORGE_SHAP_TABLES_H
#define CT_FORGE_SHAP_TABLES_H

#include "forge/shap_patterns.h"

/* Of a worker. */
typedef struct {
    double *counts;   /* [2^bits] of a leaf's patterns */
    double *sums;     /* [2^bits][bits + 1] */
    double *shares;   /* [2^bits][bits] */
    uint32_t *edges, *slots;
} ct_table_room;

ct_status ct_table_room_make(ct_table_room *room, uint32_t deepest, ct_arena *arena);

/* Fills table[2^bits][n_players], and unit->expected. n_background: the sum of the counts. */
void ct_unit_table(const ct_patterns *patterns, ct_pattern_unit *unit, const uint32_t *counts,
                   double n_background, ct_table_room *room, double *table);

#endif
