/* What must hold whenever a kernel is called, and when it returns: assertions, and nothing without
 * CT_DEBUG. Callers say these words, so that kernels stay what is measured. */
#ifndef CT_EXACT_KERNELS_CONDITIONS_H
#define CT_EXACT_KERNELS_CONDITIONS_H

#include "base/status.h"
#include "exact/kernels/kernels.h"

#ifdef CT_DEBUG

enum { CT_WIDEST = 8 }; /* words of the widest vector; bit sets are multiples of it */

static inline void ct_rows_are_sound(const ct_rows *rows)
{
    CT_ASSERT(rows->n_cols > 0 && rows->n_classes > 0 && rows->words > 0);
    CT_ASSERT(rows->words % CT_WIDEST == 0);
    CT_ASSERT(rows->sets && rows->lanes && rows->ties);
    for (uint32_t g = 0; g < rows->n_cols; g++) {
        CT_ASSERT(rows->begin[g] <= rows->end[g] && rows->end[g] <= rows->words);
        CT_ASSERT(rows->begin[g] % CT_WIDEST == 0 && rows->end[g] % CT_WIDEST == 0);
    }
    CT_ASSERT(!(rows->weights || rows->gains) || rows->most);
}

/* One side of the threshold. */
static inline void ct_side_is_sound(const ct_children *c, int side)
{
    const ct_rows *rows = c->rows;
    uint64_t sum = 0;
    for (uint32_t k = 0; k < rows->n_classes; k++) {
        sum += c->totals[side][k];
        CT_ASSERT(!c->masses[side] || c->masses[side][k] >= 0);
    }
    CT_ASSERT(sum == c->size[side]); /* sizes add up */
    CT_ASSERT(c->min_rows[side] >= 1);
    CT_ASSERT(c->min_rows[side] == 1 || 2 * (uint64_t) c->min_rows[side] <= c->size[side]);
    CT_ASSERT(c->far_rows[side] >= 0 && c->floor[side] >= 0);
    CT_ASSERT(c->near[side] && c->far[side] && c->errors[side]);
    for (size_t g = rows->n_cols; g < ct_children_room(rows->n_cols); g++)
        CT_ASSERT(c->near[side][g] >= CT_NO_CHILD);
    for (int i = 0; i < 2; i++) {
        CT_ASSERT(c->first[2 * side + i] >= -1);
        CT_ASSERT(c->first[2 * side + i] < (int32_t) rows->n_cols);
    }
}

static inline void ct_bound_begins(const ct_children *c)
{
    for (int side = 0; side < 2; side++) {
        CT_ASSERT(c->far_rows[side] >= 0 && c->floor[side] >= 0);
        for (uint32_t g = 0; g < c->rows->n_cols; g++) CT_ASSERT(c->near[side][g] >= 0);
    }
}

/* The rows of every feature's cells add up. */
static inline void ct_tallies_are_sound(const ct_children *c)
{
    const ct_tallies *t = &c->tallies;
    CT_ASSERT(t->all && t->left && (t->outer || !c->outer_rows) && c->rows->response);
    for (uint32_t g = 0; g < c->rows->n_cols; g++) {
        uint64_t all = 0, left = 0;
        for (uint32_t i = t->first[g]; i < t->first[g + 1]; i++) {
            all += t->all[i] >> t->shift;
            left += t->left[i] >> t->shift;
        }
        CT_ASSERT(left == c->size[0] && all == (uint64_t) c->size[0] + c->size[1]);
    }
}

static inline void ct_children_begin(const ct_children *c)
{
    ct_rows_are_sound(c->rows);
    for (int side = 0; side < 2; side++) ct_side_is_sound(c, side);
    if (c->tallies.first) {
        ct_tallies_are_sound(c);
    } else {
        CT_ASSERT(c->planes && c->threshold.first < c->threshold.end && c->threshold.end <= 32);
        CT_ASSERT(c->threshold.selector[c->threshold.first] == ~UINT64_C(0)); /* the lowest bit */
    }
    CT_ASSERT(c->scratch && c->active && c->done);
    for (uint32_t g = 0; g < c->rows->n_cols; g++) CT_ASSERT(!c->done[g]);
}

static inline void ct_children_end(const ct_children *c)
{
    for (int side = 0; side < 2; side++) {
        CT_ASSERT(c->best[side] >= -1 && c->best[side] < (int32_t) c->rows->n_cols);
        CT_ASSERT(c->least[side] >= 0 && c->least[side] <= c->least_allowed[side]);
        for (uint32_t g = 0; g < c->rows->n_cols; g++)
            CT_ASSERT(c->errors[side][g] >= c->least[side]);
    }
    for (uint32_t g = 0; g < c->rows->n_cols; g++) CT_ASSERT(!c->done[g]);
}

static inline void ct_split_begins(const ct_exact_split *split)
{
    CT_ASSERT(split->words % CT_WIDEST == 0 && split->n_classes > 0);
    CT_ASSERT(split->begin <= split->end && split->end <= split->words);
    CT_ASSERT(split->parent_sets && split->sets && split->lanes && split->counts && split->members);
    CT_ASSERT(!split->threshold ||
              (split->planes && split->threshold->first < split->threshold->end));
    CT_ASSERT(split->right == 0 || split->right == 1);
    CT_ASSERT(!split->weights == !split->masses);
}

/* Members of classes add up, before every word. */
static inline void ct_split_ends(const ct_exact_split *split)
{
    CT_ASSERT(split->begin <= split->end && split->end <= split->words);
    CT_ASSERT(split->begin % CT_WIDEST == 0 && split->end % CT_WIDEST == 0);
    for (size_t w = split->begin; w <= split->end; w++) {
        uint32_t sum = 0;
        for (uint32_t c = 0; c < split->n_classes; c++) {
            sum += split->counts[w * split->n_classes + c];
            CT_ASSERT(!split->masses || split->masses[w * split->n_classes + c] >= 0);
        }
        CT_ASSERT(sum == split->members[w]);
        CT_ASSERT(w == split->begin || split->members[w] >= split->members[w - 1]);
    }
}

#else

static inline void ct_bound_begins(const ct_children *c) { (void) c; }
static inline void ct_children_begin(const ct_children *c) { (void) c; }
static inline void ct_children_end(const ct_children *c) { (void) c; }
static inline void ct_split_begins(const ct_exact_split *split) { (void) split; }
static inline void ct_split_ends(const ct_exact_split *split) { (void) split; }

#endif

#endif
