/* Bodies: walks to leaves, and sums of what leaves add, each row's in the order of the trees. */
#ifndef CT_FORGE_OFFLOAD_SUMS_BODY_H
#define CT_FORGE_OFFLOAD_SUMS_BODY_H

#include "forge/offload/planes_body.h"

/* ---- walks ---- */

/* Whether a row goes right: where missing values do, zeros that are missing do too. */
CT_HD uint32_t ct_forge_key_right(const ct_forged_views *v, uint32_t at,
                                  const ct_forge_key_node *node, ct_forge_keyed x)
{
    const ct_forged_view *f = &v->forest;
    const uint32_t missing = !(node->what & CT_FORGE_WALK_NAN_LEFT);
    if (x.is_nan) return missing;
    if (node->what & CT_FORGE_WALK_SET)
        return !ct_forge_ensemble_in_set(&f->sets, f->node_of[at], ct_forge_number_of(v, x));
    if (node->what & CT_FORGE_WALK_ZERO && ct_forge_is_zero(v, x)) return missing;
    return x.key > node->key;
}

/* An item is a row that walks down a tree. */
CT_HD void ct_forge_walk_row(const ct_forged_views *v, size_t item)
{
    const ct_forged_view *f = &v->forest;
    uint32_t row = (uint32_t) item % v->rows.n_rows;
    uint32_t at = f->roots[(uint32_t) item / v->rows.n_rows];
    for (;;) {
        const ct_forge_key_node node = f->nodes[at];
        if (!(node.what & CT_FORGE_WALK_INNER)) break;
        const ct_forge_keyed x = ct_forge_keyed_of(v, node.what & CT_FORGE_WALK_COLUMN, row);
        at = node.next + ct_forge_key_right(v, at, &node, x);
    }
    v->rows.leaves[item] = at;
}

/* ---- sums ---- */

/* The trees of one slice of an output. */
typedef struct {
    uint32_t slice, output, begin, end; /* of `adders` */
    uint32_t which;                     /* of a leaf's values */
} ct_forge_adding;

CT_HD ct_forge_adding ct_forge_adding_of(const ct_forged_views *v, uint32_t which)
{
    const ct_forged_view *f = &v->forest;
    ct_forge_adding a;
    a.output = which % f->n_outputs;
    a.slice = which / f->n_outputs;
    const uint32_t first = f->from[a.output], n = f->to[a.output] - first;
    a.begin = first + n * a.slice / v->rows.n_slices; /* below 2^32: see CT_FORGE_MOST_SLICES */
    a.end = first + n * (a.slice + 1) / v->rows.n_slices;
    a.which = f->leaf_width > 1 ? a.output : 0;
    return a;
}

/* The index of the sum of a row, among all sums. */
CT_HD size_t ct_forge_sum_at(const ct_forged_views *v, uint32_t slice, uint32_t output,
                             uint32_t word, uint32_t bit)
{
    return (((size_t) slice * v->forest.n_outputs + output) * 32 + bit) * v->rows.words + word;
}

/* Sums begin with the base, those of other parts with -0, which adds nothing to any number.
 *
 * The four rows whose leaves share a word. */
#define CT_FORGE_SUM_OF_LEAVES(name, number)                                                       \
    CT_HD void name(const ct_forged_views *v, const ct_forge_adding *a, uint32_t i, uint32_t w)    \
    {                                                                                              \
        const ct_forged_view *f = &v->forest;                                                      \
        const uint32_t words = v->rows.words;                                                      \
        const number begin = a->slice ? (number) -0.0 : (number) f->base[a->output];               \
        number sum[4] = {begin, begin, begin, begin};                                              \
        for (uint32_t k = a->begin; k < a->end; k++) {                                             \
            const uint32_t t = f->adders[k];                                                       \
            const ct_forge_device_network tree = f->networks[t];                                   \
            const number *terms =                                                                  \
                (const number *) f->terms + tree.terms + ((size_t) a->which << tree.bits);         \
            const size_t word = ((size_t) t * CT_FORGE_LEAF_WORDS + i) * words + w;                \
            const uint32_t four = v->rows.leaves[word];                                            \
            for (uint32_t g = 0; g < 4; g++) sum[g] += terms[four >> 8 * g & 255];                 \
        }                                                                                          \
        number *sums = (number *) v->rows.sums;                                                    \
        for (uint32_t g = 0; g < 4; g++)                                                           \
            sums[ct_forge_sum_at(v, a->slice, a->output, w, 8 * g + i)] = sum[g];                  \
    }
CT_FORGE_SUM_OF_LEAVES(ct_narrow_leaves, float)
CT_FORGE_SUM_OF_LEAVES(ct_wide_leaves, double)

/* An item is a slice of an output, for four rows of a word. */
CT_HD void ct_forge_add_leaves(const ct_forged_views *v, size_t item)
{
    const uint32_t words = v->rows.words, w = (uint32_t) item % words;
    const uint32_t which = (uint32_t) item / words, i = which % CT_FORGE_LEAF_WORDS;
    const ct_forge_adding a = ct_forge_adding_of(v, which / CT_FORGE_LEAF_WORDS);
    if (v->forest.wide_sums) ct_wide_leaves(v, &a, i, w);
    else ct_narrow_leaves(v, &a, i, w);
}

#define CT_FORGE_SUM_OF_NODES(name, number)                                                        \
    CT_HD void name(const ct_forged_views *v, const ct_forge_adding *a, uint32_t row)              \
    {                                                                                              \
        const ct_forged_view *f = &v->forest;                                                      \
        number sum = a->slice ? (number) -0.0 : (number) f->base[a->output];                       \
        for (uint32_t k = a->begin; k < a->end; k++) {                                             \
            const uint32_t at = v->rows.leaves[(size_t) f->adders[k] * v->rows.n_rows + row];      \
            sum += ((const number *) f->terms)[(size_t) at * f->leaf_width + a->which];            \
        }                                                                                          \
        number *sums = (number *) v->rows.sums;                                                    \
        sums[ct_forge_sum_at(v, a->slice, a->output, row / 32, row % 32)] = sum;                   \
    }
CT_FORGE_SUM_OF_NODES(ct_narrow_nodes, float)
CT_FORGE_SUM_OF_NODES(ct_wide_nodes, double)

/* An item is a slice of an output, for a row. */
CT_HD void ct_forge_add_nodes(const ct_forged_views *v, size_t item)
{
    const uint32_t row = (uint32_t) item % v->rows.n_rows;
    const ct_forge_adding a = ct_forge_adding_of(v, (uint32_t) item / v->rows.n_rows);
    if (v->forest.wide_sums) ct_wide_nodes(v, &a, row);
    else ct_narrow_nodes(v, &a, row);
}

/* ---- the end ---- */

/* The quotient of two floats is the same, rounded once or by way of doubles. */
#define CT_FORGE_END_SUM(name, number)                                                             \
    CT_HD double name(const ct_forged_views *v, uint32_t output, uint32_t row)                     \
    {                                                                                              \
        const number *sums = (const number *) v->rows.sums;                                        \
        number sum = sums[ct_forge_sum_at(v, 0, output, row / 32, row % 32)];                      \
        for (uint32_t slice = 1; slice < v->rows.n_slices; slice++)                                \
            sum += sums[ct_forge_sum_at(v, slice, output, row / 32, row % 32)];                    \
        return (double) (number) (sum / v->forest.divisor);                                        \
    }
CT_FORGE_END_SUM(ct_end_narrow, float)
CT_FORGE_END_SUM(ct_end_wide, double)

/* An item is an output, for a row. */
CT_HD void ct_forge_end_row(const ct_forged_views *v, size_t item)
{
    const uint32_t row = (uint32_t) item % v->rows.n_rows,
                   output = (uint32_t) item / v->rows.n_rows;
    v->rows.out[item] =
        v->forest.wide_sums ? ct_end_wide(v, output, row) : ct_end_narrow(v, output, row);
}

#endif
