#include "forge/shap_pairs.h"

#include <string.h>

#include "forge/input.h"

enum { PAIR_ROWS = 1024 }; /* of the background at a time */

typedef enum { NOBODY, ROW, BACKGROUND } owner;

typedef struct {
    const double *x; /* [n_used] */
    const ct_column *columns;
    uint32_t row;
} place;

/* A row, and one of the background; of a worker. */
typedef struct {
    const ct_forge_shap_pairs *pairs;
    uint32_t tree, k, most;
    place of[2];
    uint8_t *owner;    /* [n_used] */
    uint32_t *owned;   /* [most] those that have an owner, of interactions */
    double *x, *added; /* [n_used], of interactions [n_used][n_used] */
} pair;

typedef struct {
    pair *workers;
    uint32_t tree, first, n;
    double *background; /* [n][n_used] */
    double *out;
} job;

double *ct_forge_pair_weights(uint32_t most, ct_arena *arena)
{
    CT_ASSERT(arena);
    size_t width = (size_t) most + 1;
    double *weights = CT_ARENA_ZEROED(arena, double, width * width);
    if (!weights) return NULL;
    for (size_t a = 1; a <= most; a++) {
        weights[a * width] = 1.0 / (double) a;
        for (size_t b = 1; b <= most; b++)
            weights[a * width + b] = weights[a * width + b - 1] * (double) b / (double) (a + b);
    }
    return weights;
}

static int goes_left(const ct_forged *f, const ct_forged_node *node, const place *p)
{
    uint32_t column = node->what & CT_FORGE_WALK_COLUMN;
    if (node->what & (CT_FORGE_WALK_SET | CT_FORGE_WALK_ZERO))
        return ct_forge_ensemble_left(f->ensemble, f->node_of[node - f->nodes],
                                       ct_forge_input(&p->columns[f->used[column]], p->row,
                                                      CT_FORGE_F64));
    double x = p->x[column];
    return x <= node->threshold || (x != x && node->what & CT_FORGE_WALK_NAN_LEFT);
}

/* What the leaves below give each feature that must come from the row, and from the background. */
typedef struct {
    double with, without;
} shares;

static shares leaf_shares(const pair *p, uint32_t at, uint32_t a, uint32_t b)
{
    const ct_forged *f = p->pairs->forged;
    const double *weights = p->pairs->weights;
    size_t width = (size_t) p->most + 1;
    double value = ct_forge_ensemble_term(f->ensemble, p->tree, f->node_of[at], p->k);
    return (shares){a ? value * weights[a * width + b] : 0,
                    b ? -value * weights[b * width + a] : 0};
}

/* A leaf, or a node where the two first part by a feature; column: that one, and the ways. */
typedef struct {
    uint32_t node, column, mine, theirs;
    int leaf;
} fork;

static fork next_fork(const pair *p, uint32_t at)
{
    const ct_forged *f = p->pairs->forged;
    for (;;) {
        const ct_forged_node *node = &f->nodes[at];
        if (!(node->what & CT_FORGE_WALK_INNER)) return (fork){at, 0, 0, 0, 1};
        uint32_t column = node->what & CT_FORGE_WALK_COLUMN;
        uint32_t mine = node->next + !goes_left(f, node, &p->of[0]);
        uint32_t theirs = node->next + !goes_left(f, node, &p->of[1]);
        if (mine != theirs && p->owner[column] == NOBODY)
            return (fork){at, column, mine, theirs, 0};
        at = p->owner[column] == BACKGROUND ? theirs : mine;
    }
}

/* a features are the row's, b the background's: those whose answers differed above. Recursion is
 * as deep as there are features on a path. */
static shares walk(pair *p, uint32_t at, uint32_t a, uint32_t b)
{
    fork next = next_fork(p, at);
    if (next.leaf) return leaf_shares(p, next.node, a, b);
    p->owner[next.column] = ROW;
    shares of_row = walk(p, next.mine, a + 1, b);
    p->owner[next.column] = BACKGROUND;
    shares others = walk(p, next.theirs, a, b + 1);
    p->owner[next.column] = NOBODY;
    p->added[next.column] += of_row.with + others.without;
    return (shares){of_row.with + others.with, of_row.without + others.without};
}

/* The interactions of all features that have an owner, as of shap_tables.c. */
static void add_leaf_pairs(pair *p, uint32_t at, uint32_t a, uint32_t b)
{
    const ct_forged *f = p->pairs->forged;
    const double *weights = p->pairs->weights;
    size_t width = (size_t) p->most + 1, n = f->n_used;
    double value = ct_forge_ensemble_term(f->ensemble, p->tree, f->node_of[at], p->k);
    double of_row = a > 1 ? value * weights[(a - 1) * width + b] : 0;
    double of_others = b > 1 ? value * weights[(b - 1) * width + a] : 0;
    double of_both = a && b ? -value * weights[a * width + b - 1] : 0;
    for (uint32_t j = 1; j < a + b; j++)
        for (uint32_t i = 0; i < j; i++) {
            uint32_t one = p->owned[i], other = p->owned[j];
            p->added[one * n + other] += p->owner[one] != p->owner[other] ? of_both
                : p->owner[one] == ROW                                    ? of_row
                                                                          : of_others;
        }
}

static void walk_pairs(pair *p, uint32_t at, uint32_t a, uint32_t b)
{
    fork next = next_fork(p, at);
    if (next.leaf) {
        add_leaf_pairs(p, next.node, a, b);
        return;
    }
    p->owned[a + b] = next.column;
    p->owner[next.column] = ROW;
    walk_pairs(p, next.mine, a + 1, b);
    p->owned[a + b] = next.column;
    p->owner[next.column] = BACKGROUND;
    walk_pairs(p, next.theirs, a, b + 1);
    p->owner[next.column] = NOBODY;
}

static size_t n_added(const ct_forge_shap_pairs *all)
{
    size_t n = all->forged->n_used;
    return all->interactions ? n * n : n;
}

static void add_row(const job *j, const pair *p, uint32_t row)
{
    const ct_forge_shap_pairs *all = p->pairs;
    const ct_forged *f = all->forged;
    size_t n = n_added(all);
    for (size_t i = 0; i < n; i++) {
        uint32_t one = (uint32_t) (i / f->n_used), other = (uint32_t) (i % f->n_used);
        size_t at = all->interactions ? ct_forge_interaction_at(f, one, other) : f->used[i];
        j->out[at * all->n_rows + row] += p->added[i] / all->n_background;
    }
}

static void do_rows(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    const job *j = (const job *) data;
    pair *p = &j->workers[worker];
    const ct_forge_shap_pairs *all = p->pairs;
    const ct_forged *f = all->forged;
    for (uint32_t row = (uint32_t) begin; row < end; row++) {
        ct_forge_input_rows(f, all->rows, row, 1, p->x);
        p->of[0] = (place){p->x, all->rows, row};
        memset(p->added, 0, n_added(all) * sizeof *p->added);
        for (uint32_t i = 0; i < j->n; i++) {
            p->of[1] = (place){j->background + (size_t) i * f->n_used, all->background,
                               j->first + i};
            if (all->interactions) walk_pairs(p, f->ensemble->roots[p->tree], 0, 0);
            else walk(p, f->ensemble->roots[p->tree], 0, 0);
        }
        add_row(j, p, row);
    }
}

/* Of the rows of the background that are read. */
static double sum_of_background(const job *j)
{
    const pair *p = &j->workers[0];
    const ct_forged *f = p->pairs->forged;
    double sum = 0;
    for (uint32_t i = 0; i < j->n; i++) {
        place of = {j->background + (size_t) i * f->n_used, p->pairs->background, j->first + i};
        uint32_t at = f->ensemble->roots[p->tree];
        while (f->nodes[at].what & CT_FORGE_WALK_INNER)
            at = f->nodes[at].next + !goes_left(f, &f->nodes[at], &of);
        sum += ct_forge_ensemble_term(f->ensemble, p->tree, f->node_of[at], p->k);
    }
    return sum;
}

static ct_status make_workers(job *j, const ct_forge_shap_pairs *pairs, uint32_t k, ct_arena *arena)
{
    size_t n = pairs->forged->n_used;
    const ct_forged *f = pairs->forged;
    j->workers = CT_ARENA_ZEROED(arena, pair, pairs->threads);
    j->background = CT_ARENA_NEW(arena, double, PAIR_ROWS * n);
    if (!j->workers || !j->background) return CT_NO_MEMORY;
    for (unsigned i = 0; i < pairs->threads; i++) {
        pair *p = &j->workers[i];
        p->pairs = pairs;
        p->tree = j->tree, p->k = k;
        p->most = f->deepest < f->n_used ? f->deepest : f->n_used;
        p->owner = CT_ARENA_ZEROED(arena, uint8_t, n);
        p->x = CT_ARENA_NEW(arena, double, n);
        p->owned = CT_ARENA_NEW(arena, uint32_t, (size_t) p->most + 1);
        p->added = CT_ARENA_NEW(arena, double, n_added(pairs));
        if (!p->owner || !p->owned || !p->x || !p->added) return CT_NO_MEMORY;
    }
    return CT_OK;
}

ct_status ct_forge_shap_pairs_add(const ct_forge_shap_pairs *pairs, uint32_t tree, uint32_t k,
                                  double *out, double *expected, ct_arena *arena)
{
    const ct_forged *f = pairs->forged;
    CT_ASSERT(tree < f->ensemble->n_trees && k < f->ensemble->n_outputs);
    CT_ASSERT(pairs->n_background > 0 && pairs->weights);
    ct_arena_mark here = ct_arena_here(arena);
    job j = {NULL, tree, 0, 0, NULL, out};
    double sum = 0;
    ct_status made = make_workers(&j, pairs, k, arena);
    for (; made == CT_OK && j.first < pairs->n_background; j.first += j.n) {
        uint32_t left = pairs->n_background - j.first;
        j.n = left < PAIR_ROWS ? left : PAIR_ROWS;
        ct_forge_input_rows(f, pairs->background, j.first, j.n, j.background);
        sum += sum_of_background(&j);
        ct_loop loop = {pairs->n_rows, 4, CT_DYNAMIC, pairs->threads, do_rows, &j, pairs->stop};
        ct_parallel_for(&loop);
        if (pairs->stop && pairs->stop->stopped) break;
    }
    *expected += sum / pairs->n_background;
    ct_arena_release(arena, here);
    return made;
}
