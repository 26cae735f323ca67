/* Random schedules, legal ones for a forest among them, and forests for them. */
#ifndef CT_TEST_SCHEDULE_RANDOM_H
#define CT_TEST_SCHEDULE_RANDOM_H

#include <stdio.h>

#include "ensemble_random.h"
#include "forge/pack.h"
#include "forge/schedule/legal.h"

enum { ANY_ROWS = 160 };

/* Schedules that take several statements to be of use. */
static const char *const any_templates[] = {
    "schedule 1\ntile(batch, b0, b1, 64)\nreorder(b0, tree, b1)\nparallel(b0)\n",
    "schedule 1\ntile(batch, b0, b1, 64)\nreorder(b0, tree, b1)\nsimdize(b1, 64)\n"
    "represent(planes)\n",
    "schedule 1\ntile(batch, b0, b1, 512)\nreorder(b0, tree, b1)\nsimdize(b1, 512)\ncache(b0)\n"
    "parallel(b0)\nrepresent(planes)\n",
    "schedule 1\nreorder(tree, batch)\nsimdize(batch, 8)\n",
    "schedule 1\ntile(batch, b0, b1, 16)\ngpuDimension(b0, grid.x)\ngpuDimension(b1, block.x)\n",
    "schedule 1\ntile(batch, b0, b1, 8)\ntile(tree, t0, t1, 2)\nreorder(b0, b1, t0, t1)\n"
    "gpuDimension(b0, grid.x)\ngpuDimension(b1, block.x)\n",
    "schedule 1\ntile(batch, b0, b1, 8)\ntile(tree, t0, t1, 4)\nreorder(b0, b1, t1, t0)\n"
    "gpuDimension(b0, grid.x)\ngpuDimension(b1, block.x)\ngpuDimension(t1, block.y)\n",
    "schedule 1\nreorder(batch, tree)\ngpuDimension(batch, grid.x)\ngpuDimension(tree, block.x)\n",
    "schedule 1\ntile(batch, b0, b1, 8)\ntile(tree, t0, u, 6)\ntile(u, t1, t2, 3)\n"
    "reorder(b0, t0, b1, t1, t2)\ngpuDimension(b0, grid.x)\ngpuDimension(t0, grid.y)\n"
    "gpuDimension(b1, block.x)\n"};

static inline int any_live_loop(ct_rng *r, const ct_forge_nest *nest)
{
    int loop;
    do loop = (int) ct_rng_below(r, (uint32_t) nest->n_loops);
    while (!nest->loops[loop].live);
    return loop;
}

/* Loops of a path, from some loop on, in any order. */
static inline void any_reorder(ct_rng *r, const ct_forge_nest *nest, ct_forge_statement *s)
{
    int loops[CT_FORGE_MOST_WORDS], n = 0;
    int wanted = 2 + (int) ct_rng_below(r, 3);
    for (int i = any_live_loop(r, nest); i >= 0 && n < wanted; i = nest->loops[i].inner)
        loops[n++] = i;
    for (int i = n - 1; i > 0; i--) {
        int k = (int) ct_rng_below(r, (uint32_t) i + 1), swapped = loops[i];
        loops[i] = loops[k];
        loops[k] = swapped;
    }
    s->n_words = (uint32_t) n;
    for (int i = 0; i < n; i++) strcpy(s->words[i], nest->loops[loops[i]].name);
}

static inline int64_t any_number(ct_rng *r, const ct_forge_nest *nest, ct_forge_directive directive)
{
    static const int64_t widths[] = {4, 8, 16, 64, 512, 3};
    switch (directive) {
    case CT_FORGE_REPRESENT:
        return ct_rng_below(r, nest->n_statements ? CT_FORGE_PLANES : CT_FORGE_N_LAYOUTS);
    case CT_FORGE_GPU: return ct_rng_below(r, CT_FORGE_N_DIMENSIONS);
    case CT_FORGE_UNROLL: return ct_rng_below(r, 18);
    case CT_FORGE_PEEL: return ct_rng_below(r, 4);
    case CT_FORGE_SIMDIZE: return widths[ct_rng_below(r, 6)];
    case CT_FORGE_INTERLEAVE: case CT_FORGE_VECTOR: return ct_rng_below(r, 18);
    default: return ct_rng_below(r, ct_rng_below(r, 2) ? 8 : 70);
    }
}

static inline ct_forge_statement any_statement(ct_rng *r, const ct_forge_nest *nest)
{
    ct_forge_statement s;
    memset(&s, 0, sizeof s);
    s.directive = (ct_forge_directive) ct_rng_below(r, CT_FORGE_N_DIRECTIVES);
    if (ct_rng_below(r, 3) == 0) s.directive = CT_FORGE_TILE;
    s.number = any_number(r, nest, s.directive);
    const char *form = ct_forge_directive_form(s.directive);
    if (form[0] == '*') any_reorder(r, nest, &s);
    else if (form[0] == 'L')
        strcpy(s.words[s.n_words++], nest->loops[any_live_loop(r, nest)].name);
    for (int i = 1; form[0] == 'L' && form[i] == 'n'; i++)
        snprintf(s.words[s.n_words++], CT_FORGE_NAME, "%c%u", "xy"[i - 1],
                 (unsigned) nest->n_statements);
    if (!strchr("kdr", form[strlen(form) - 1])) s.number = 0;
    return s;
}

/* Statements one after the other; those that would make it illegal are left out again. */
static inline void any_schedule(ct_rng *r, const ct_forge_shape *shape, ct_forge_nest *nest)
{
    uint32_t n = ct_rng_below(r, 9);
    uint32_t which = ct_rng_below(r, 2 * sizeof any_templates / sizeof *any_templates);
    ct_forge_nest_begin(nest);
    if (which < sizeof any_templates / sizeof *any_templates &&
        (ct_forge_nest_parse(nest, any_templates[which], NULL) != CT_OK ||
         ct_forge_nest_check(nest, shape, NULL) != CT_OK))
        ct_forge_nest_begin(nest);
    for (uint32_t i = 0; i < n; i++) {
        static ct_forge_nest before;
        before = *nest;
        ct_forge_statement s = any_statement(r, nest);
        if (ct_forge_nest_add(nest, &s, NULL) != CT_OK) continue;
        if (ct_forge_nest_check(nest, shape, NULL) != CT_OK) *nest = before;
    }
}

/* Sums that are exact: what trees add lies on a grid. */
static inline void any_grid(ct_rng *r, any_ensemble *a)
{
    uint32_t zeros = ct_rng_below(r, 8) == 0;
    for (size_t i = 0; i < (size_t) a->ensemble.n_nodes * a->ensemble.leaf_width; i++)
        a->value[i] = zeros ? -0.0 : floor(a->value[i] * 1024) / 1024;
    for (uint32_t k = 0; k < a->ensemble.n_outputs; k++)
        a->base[k] = zeros ? -0.0 : floor(a->base[k] * 1024) / 1024;
    for (uint32_t t = 0; t < a->ensemble.n_trees; t++) a->weight[t] = 1;
}

/* A small forest; sums that are the same in any order, or not. */
static inline void any_forest(ct_rng *r, any_ensemble *a, int any_order)
{
    any_shape s = {1 + ct_rng_below(r, 14), ct_rng_below(r, 7), ct_rng_below(r, 6), 200,
                   ct_rng_below(r, 2) ? 0 : 12, 1 + ct_rng_below(r, 6), 1 + ct_rng_below(r, 3), 0,
                   ct_rng_below(r, 3) ? 0 : 3, ct_rng_below(r, 2),
                   ct_rng_below(r, 2) ? CT_FORGE_LESS : CT_FORGE_LESS_EQUAL,
                   ct_rng_below(r, 2) ? CT_FORGE_F32 : CT_FORGE_F64,
                   any_order || ct_rng_below(r, 2) ? CT_FORGE_F64 : CT_FORGE_F32, 0};
    s.wide = s.n_outputs > 1 && ct_rng_below(r, 2);
    any_draw(r, &s, a);
    if (any_order) any_grid(r, a);
}

/* Rows, [n][n_features]. */
static inline void any_rows(ct_rng *r, const any_ensemble *a, uint32_t n, double *x)
{
    for (size_t i = 0; i < (size_t) n * a->ensemble.n_features; i++) x[i] = any_value(r, a);
}

#endif
