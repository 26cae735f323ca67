/* Rows go down the tree in blocks, level by level, so that the rows of a block do not wait for each
 * other and no branch depends on their values. For that the tree is laid out anew: level by level,
 * the right child behind the left one, leaves as nodes whose left child they are themselves.
 * Integers are made doubles block by block. */
#include "tree/route.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"

enum { BLOCK = 1024, NUMBERS = 1, CODES = 2 };

/* Input 0 is a block of zeros; the others are the caller's columns, from 1. */
typedef struct {
    double threshold; /* NaN: no value is as large */
    uint32_t left;
    uint32_t input : 31, missing_right : 1;
} step;

/* At a split by level. Elsewhere every code goes left, which leaves the answer to the threshold. */
typedef struct {
    const uint8_t *left; /* [n + 1] */
    uint32_t n;
    uint32_t input : 31, missing_left : 1;
} level_split;

typedef struct {
    const ct_column *columns;
    uint32_t n_cols, n_rows, depth, n_steps, n_used, n_integers;
    int by_level;       /* is any split? */
    step *steps;        /* [nodes] */
    level_split *sides; /* [nodes] */
    int32_t *values;    /* [nodes] */
    uint32_t *nodes;    /* [nodes] in the tree */
    uint32_t *used;     /* [n_cols] columns the tree asks, n_used of them */
    uint8_t *uses;      /* [n_cols] how: NUMBERS, CODES */
} plan;

/* What a thread works with. */
typedef struct {
    const double **numbers; /* [n_cols + 1] by input, of the block */
    const int32_t **codes;  /* [n_cols + 1] */
    double *room;           /* [n_integers][BLOCK] */
} scratch;

static const double zeros[BLOCK] = {0};
static const int32_t no_codes[BLOCK] = {0};
static const uint8_t goes_left = 1;

/* ---- the plan ---- */

static void plan_free(plan *p)
{
    ct_free(p->steps);
    ct_free(p->sides);
    ct_free(p->values);
    ct_free(p->nodes);
    ct_free(p->used);
    ct_free(p->uses);
}

static ct_status plan_room(plan *p, uint32_t n_nodes, ct_error *error)
{
    size_t n = n_nodes, n_cols = p->n_cols ? p->n_cols : 1;
    p->steps = (step *) ct_alloc(n * sizeof *p->steps);
    p->sides = (level_split *) ct_alloc(n * sizeof *p->sides);
    p->values = (int32_t *) ct_alloc(n * sizeof *p->values);
    p->nodes = (uint32_t *) ct_alloc(n * sizeof *p->nodes);
    p->used = (uint32_t *) ct_alloc(n_cols * sizeof *p->used);
    p->uses = (uint8_t *) ct_alloc_zeroed(n_cols, 1);
    if (!p->steps || !p->sides || !p->values || !p->nodes || !p->used || !p->uses)
        return ct_fail(error, CT_NO_MEMORY, "no memory to predict with %lu nodes",
                       (unsigned long) n_nodes);
    return CT_OK;
}

static void use_column(plan *p, uint32_t col, uint8_t how)
{
    CT_ASSERT(col < p->n_cols && (how == NUMBERS || how == CODES));
    if (!p->uses[col]) p->used[p->n_used++] = col;
    if (how == NUMBERS && !(p->uses[col] & NUMBERS) && p->columns[col].type == CT_INT32)
        p->n_integers++;
    p->uses[col] |= how;
}

static ct_status add_split(plan *p, const ct_forest *tree, uint32_t at, ct_error *error)
{
    uint32_t node = p->nodes[at], col = (uint32_t) tree->feature[node];
    CT_ASSERT(col < p->n_cols && p->n_steps + 2 <= tree->n_nodes);
    CT_ASSERT(tree->left[node] > node && tree->right[node] > node);
    step *s = &p->steps[at];
    s->left = p->n_steps;
    p->nodes[p->n_steps++] = tree->left[node];
    p->nodes[p->n_steps++] = tree->right[node];
    if (tree->n_levels && tree->n_levels[node]) {
        if (p->columns[col].type != CT_INT32)
            return ct_fail(error, CT_BAD_INPUT, "column %lu must have integer codes of levels",
                           (unsigned long) col + 1);
        uint32_t n = tree->n_levels[node], missing_left = tree->default_left[node] != 0;
        p->sides[at] = (level_split){tree->levels_left[node], n, (col + 1) & INT32_MAX,
                                     missing_left & 1};
        p->by_level = 1;
        use_column(p, col, CODES);
    } else {
        s->threshold = tree->threshold[node];
        s->input = (col + 1) & INT32_MAX;
        s->missing_right = !tree->default_left[node];
        use_column(p, col, NUMBERS);
    }
    return CT_OK;
}

/* The nodes level by level; sound trees have no more of them than there is room. */
static ct_status plan_init(plan *p, const ct_forest *forest, uint32_t tree, const int32_t *values,
                           ct_error *error)
{
    CT_TRY(plan_room(p, forest->n_nodes, error));
    CT_ASSERT(tree < forest->n_trees && forest->roots[tree] < forest->n_nodes);
    p->nodes[0] = forest->roots[tree];
    p->n_steps = 1;
    for (uint32_t at = 0, level_end = 1; at < p->n_steps; at++) {
        if (at == level_end) {
            p->depth++;
            level_end = p->n_steps;
        }
        CT_ASSERT(at < forest->n_nodes && p->nodes[at] < forest->n_nodes);
        p->values[at] = values[p->nodes[at]];
        p->steps[at] = (step){NAN, at, 0, 0};
        p->sides[at] = (level_split){&goes_left, 0, 0, 0};
        if (forest->feature[p->nodes[at]] >= 0) CT_TRY(add_split(p, forest, at, error));
    }
    return CT_OK;
}

/* ---- the rows ---- */

static void walk(const plan *p, const scratch *d, uint32_t n_rows, uint32_t *restrict at)
{
    const step *steps = p->steps;
    const double *const *numbers = d->numbers;
    for (uint32_t level = 0; level < p->depth; level++)
        for (uint32_t i = 0; i < n_rows; i++) {
            CT_ASSERT(at[i] < p->n_steps);
            const step *s = &steps[at[i]];
            double x = numbers[s->input][i];
            at[i] = s->left +
                    ((uint32_t) (x >= s->threshold) | ((uint32_t) isnan(x) & s->missing_right));
        }
}

static void walk_by_level(const plan *p, const scratch *d, uint32_t n_rows, uint32_t *restrict at)
{
    for (uint32_t level = 0; level < p->depth; level++)
        for (uint32_t i = 0; i < n_rows; i++) {
            CT_ASSERT(at[i] < p->n_steps);
            const step *s = &p->steps[at[i]];
            const level_split *by = &p->sides[at[i]];
            double x = d->numbers[s->input][i];
            int32_t code = d->codes[by->input][i];
            uint32_t index = (uint32_t) code - 1;
            uint32_t left = by->left[index < by->n ? index : by->n];
            left = ct_integer_missing(code) ? by->missing_left : left;
            at[i] = s->left + ((uint32_t) (x >= s->threshold) |
                               ((uint32_t) isnan(x) & s->missing_right) | !left);
        }
}

static void set_columns(const plan *p, scratch *d, uint32_t first, uint32_t n_rows)
{
    CT_ASSERT(n_rows > 0 && n_rows <= BLOCK && first + n_rows <= p->n_rows);
    double *room = d->room;
    for (uint32_t k = 0; k < p->n_used; k++) {
        uint32_t col = p->used[k];
        if (p->columns[col].type == CT_DOUBLE) {
            d->numbers[col + 1] = (const double *) p->columns[col].values + first;
            continue;
        }
        const int32_t *x = (const int32_t *) p->columns[col].values + first;
        d->codes[col + 1] = x;
        if (!(p->uses[col] & NUMBERS)) continue;
        for (uint32_t i = 0; i < n_rows; i++) room[i] = ct_integer_number(x[i]);
        d->numbers[col + 1] = room;
        room += BLOCK;
        CT_ASSERT(room <= d->room + (size_t) p->n_integers * BLOCK);
    }
}

typedef struct {
    const plan *p;
    scratch *scratches; /* [workers] */
    int32_t *value_of_row;
} blocks;

static void route_blocks(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    const blocks *b = (const blocks *) data;
    const plan *p = b->p;
    scratch *d = &b->scratches[worker];
    uint32_t at[BLOCK];
    for (uint64_t block = begin; block < end; block++) {
        uint32_t first = (uint32_t) (block * BLOCK),
                 n_rows = p->n_rows - first < BLOCK ? p->n_rows - first : BLOCK;
        set_columns(p, d, first, n_rows);
        memset(at, 0, n_rows * sizeof *at);
        if (p->by_level) walk_by_level(p, d, n_rows, at);
        else walk(p, d, n_rows, at);
        for (uint32_t i = 0; i < n_rows; i++) {
            CT_ASSERT(p->steps[at[i]].left == at[i]); /* a leaf */
            b->value_of_row[first + i] = p->values[at[i]];
        }
    }
}

static ct_status scratch_init(scratch *d, const plan *p)
{
    size_t n = (size_t) p->n_cols + 1;
    d->numbers = (const double **) ct_alloc(n * sizeof *d->numbers);
    d->codes = (const int32_t **) ct_alloc(n * sizeof *d->codes);
    d->room = (double *) ct_alloc(((size_t) p->n_integers * BLOCK + 1) * sizeof *d->room);
    if (!d->numbers || !d->codes || !d->room) return CT_NO_MEMORY;
    d->numbers[0] = zeros;
    d->codes[0] = no_codes;
    return CT_OK;
}

static void scratch_free(scratch *d)
{
    ct_free((void *) d->numbers);
    ct_free((void *) d->codes);
    ct_free(d->room);
}

static ct_status route_rows(const plan *p, scratch *scratches, uint32_t n_workers,
                            int32_t *value_of_row, ct_error *error)
{
    for (uint32_t worker = 0; worker < n_workers; worker++)
        if (scratch_init(&scratches[worker], p) != CT_OK)
            return ct_fail(error, CT_NO_MEMORY, "no memory to predict");
    blocks b = {p, scratches, value_of_row};
    uint64_t n_blocks = p->n_rows / BLOCK + (p->n_rows % BLOCK > 0);
    ct_loop loop = {n_blocks, n_blocks / n_workers + 1, CT_STATIC, n_workers, route_blocks, &b,
                    NULL};
    ct_parallel_for(&loop);
    return CT_OK;
}

ct_status ct_route(const ct_forest *forest, uint32_t tree, const ct_column *columns,
                   uint32_t n_cols, uint32_t n_rows, const int32_t *values, uint32_t n_threads,
                   int32_t *value_of_row, ct_error *error)
{
    CT_ASSERT(tree < forest->n_trees && values && (columns || !n_cols) && (value_of_row ||
              !n_rows));
    plan p = {.columns = columns, .n_cols = n_cols, .n_rows = n_rows};
    uint32_t n_workers = n_threads ? n_threads : 1;
    scratch *scratches = (scratch *) ct_alloc_zeroed(n_workers, sizeof *scratches);
    ct_status status = scratches ? plan_init(&p, forest, tree, values, error)
                             : ct_fail(error, CT_NO_MEMORY, "no memory to predict");
    if (scratches) {
        if (status == CT_OK) status = route_rows(&p, scratches, n_workers, value_of_row, error);
        for (uint32_t worker = 0; worker < n_workers; worker++) scratch_free(&scratches[worker]);
    }
    ct_free(scratches);
    plan_free(&p);
    return status;
}

static ct_status check_node(const ct_forest *forest, uint32_t node, uint32_t n_cols,
                            ct_error *error)
{
    uint32_t left = forest->left[node], right = forest->right[node];
    if ((uint32_t) forest->feature[node] >= n_cols || left <= node || right <= node ||
        left >= forest->n_nodes || right >= forest->n_nodes ||
        (isnan(forest->threshold[node]) && !(forest->n_levels && forest->n_levels[node])))
        return ct_fail(error, CT_BAD_INPUT, "node %lu of the tree is not valid",
                       (unsigned long) node + 1);
    return CT_OK;
}

static ct_status check_child(uint8_t *is_child, uint32_t node, ct_error *error)
{
    if (!is_child[node]++) return CT_OK;
    return ct_fail(error, CT_BAD_INPUT, "node %lu of the tree has two parents",
                   (unsigned long) node + 1);
}

static ct_status check_nodes(const ct_forest *forest, uint32_t n_cols, uint8_t *is_child,
                             ct_error *error)
{
    for (uint32_t node = 0; node < forest->n_nodes; node++) {
        if (forest->feature[node] < 0) continue;
        CT_TRY(check_node(forest, node, n_cols, error));
        CT_TRY(check_child(is_child, forest->left[node], error));
        CT_TRY(check_child(is_child, forest->right[node], error));
    }
    return CT_OK;
}

/* The terms of the linear models. */
static ct_status check_terms(const ct_forest *forest, uint32_t n_cols, ct_error *error)
{
    const uint32_t *first = forest->first_term;
    for (uint32_t node = 0; node < forest->n_nodes; node++)
        if (first[node] > first[node + 1])
            return ct_fail(error, CT_BAD_INPUT, "node %lu of the tree has no valid model",
                           (unsigned long) node + 1);
    if (first[0] != 0 || first[forest->n_nodes] != forest->n_terms)
        return ct_fail(error, CT_BAD_INPUT, "the models of the tree do not have all its terms");
    for (uint32_t k = 0; k < forest->n_terms; k++)
        if (forest->term_column[k] >= n_cols)
            return ct_fail(error, CT_BAD_INPUT, "the tree has a term of column %lu",
                           (unsigned long) forest->term_column[k] + 1);
    return CT_OK;
}

ct_status ct_forest_check(const ct_forest *forest, uint32_t n_cols, ct_error *error)
{
    CT_ASSERT(forest->roots && forest->feature && forest->left && forest->right);
    for (uint32_t tree = 0; tree < forest->n_trees; tree++)
        if (forest->roots[tree] >= forest->n_nodes)
            return ct_fail(error, CT_BAD_INPUT, "a tree has no root");
    if (forest->leaf == CT_LEAF_LINEAR) CT_TRY(check_terms(forest, n_cols, error));
    uint8_t *is_child = (uint8_t *) ct_alloc_zeroed(forest->n_nodes, 1);
    if (!is_child)
        return ct_fail(error, CT_NO_MEMORY, "no memory to check %lu nodes",
                       (unsigned long) forest->n_nodes);
    ct_status status = check_nodes(forest, n_cols, is_child, error);
    ct_free(is_child);
    return status;
}
