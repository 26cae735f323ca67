#include "evolve/split_scratch.h"

#include <string.h>

#include "base/memory.h"
#include "evolve/open_bound.h"
#include "evolve/pieces.h"

static int new_level(ct_bin_level *level, uint32_t room, uint32_t slots, size_t size)
{
    level->room = room;
    level->sums = (double *) ct_alloc(room * slots * size * sizeof(double));
    level->counts = (uint32_t *) ct_alloc(room * slots * sizeof(uint32_t));
    level->order = (uint32_t *) ct_alloc(room * sizeof(uint32_t));
    level->first = (uint32_t *) ct_alloc((room + 1) * sizeof(uint32_t));
    int fine = level->sums && level->counts && level->order && level->first;
    for (int side = 0; side < 2; side++) {
        level->base[side] = (double *) ct_alloc(slots * size * sizeof(double));
        level->base_n[side] = (uint32_t *) ct_alloc(slots * sizeof(uint32_t));
        level->sse[side] = (double *) ct_alloc((room + CT_LEVEL_SUBSETS) * sizeof(double));
        level->terms[side] = (double *) ct_alloc((room + CT_LEVEL_SUBSETS) * sizeof(double));
        level->too_few[side] = (uint8_t *) ct_alloc(room + CT_LEVEL_SUBSETS);
        fine = fine && level->base[side] && level->base_n[side] && level->sse[side] &&
               level->terms[side] && level->too_few[side];
    }
    return fine;
}

ct_split_scratch *ct_gmt_split_scratch_new(const ct_model_table *table, uint32_t leaves_max)
{
    ct_split_scratch *s = (ct_split_scratch *) ct_alloc_zeroed(1, sizeof *s);
    if (!s) return NULL;
    uint32_t bins = 1, slots = leaves_max + CT_SPARE_LEAVES;
    for (uint32_t i = 0; i < table->n_splitters; i++)
        if (table->splitters[i].n_bins > bins) bins = table->splitters[i].n_bins;
    int fine = new_level(&s->levels[s->n_levels++], bins + 1, slots, table->size);
    for (uint64_t most = table->n_rows; fine && most > 1;
         most = (most + CT_SUB_BINS - 1) / CT_SUB_BINS)
        fine = s->n_levels < CT_BIN_LEVELS &&
               new_level(&s->levels[s->n_levels++], 2 * CT_SUB_BINS + 1, slots, table->size);
    for (int side = 0; side < 2; side++) {
        s->leaf[side] = (uint8_t *) ct_alloc(table->n_rows);
        if (s->leaf[side]) memset(s->leaf[side], CT_NOT_IN_NODE, table->n_rows);
    }
    if (ct_pieces(table->n_rows) > 1) {
        s->piece_room = CT_PIECE_ROOM;
        s->piece_sums = (double *) ct_alloc(s->piece_room * sizeof(double));
        s->piece_counts =
            (uint32_t *) ct_alloc((s->piece_room / table->size + 1) * sizeof(uint32_t));
        fine = fine && s->piece_sums && s->piece_counts;
    }
    s->keys = (uint64_t *) ct_alloc(table->n_rows * sizeof *s->keys);
    s->lanes = (double *) ct_alloc(table->size * CT_GRAM_LANES * sizeof(double));
    s->run = (double *) ct_alloc(table->size * sizeof(double));
    s->bound = (double *) ct_alloc(ct_gmt_open_bound_scratch(table->p) * sizeof(double));
    s->subsets = (double *) ct_alloc(CT_LEVEL_SUBSETS * table->size * sizeof(double));
    if (fine && s->leaf[0] && s->leaf[1] && s->keys && s->lanes && s->run && s->bound && s->subsets)
        return s;
    ct_gmt_split_scratch_free(s);
    return NULL;
}

void ct_gmt_split_scratch_free(ct_split_scratch *s)
{
    if (!s) return;
    for (uint32_t i = 0; i < s->n_levels; i++) {
        ct_bin_level *level = &s->levels[i];
        ct_free(level->sums), ct_free(level->counts), ct_free(level->order), ct_free(level->first);
        for (int side = 0; side < 2; side++) {
            ct_free(level->base[side]), ct_free(level->base_n[side]), ct_free(level->sse[side]);
            ct_free(level->terms[side]), ct_free(level->too_few[side]);
        }
    }
    ct_free(s->leaf[0]), ct_free(s->leaf[1]), ct_free(s->keys);
    ct_free(s->piece_sums), ct_free(s->piece_counts);
    ct_free(s->lanes), ct_free(s->run), ct_free(s->bound), ct_free(s->subsets), ct_free(s);
}
