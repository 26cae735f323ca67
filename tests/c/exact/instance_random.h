/* Instances of all shapes from a seed. */
#ifndef CT_TEST_INSTANCE_RANDOM_H
#define CT_TEST_INSTANCE_RANDOM_H

#include "instance.h"
#include "exact/kernels/kernels.h"

/* 1 .. most, every order of magnitude alike; often at the edge of a block, a word or a vector. */
static inline uint32_t random_size(rng *r, uint32_t most)
{
    static const uint32_t edges[] = {16, 32, 64, 128, 256, 512, 1024, 2048};
    uint32_t n = (uint32_t) exp(rng_unit(r) * log(most + 1.0));
    if (rng_below(r, 3) == 0) n = edges[rng_below(r, 8)] + rng_below(r, 3) - 1;
    return n < 1 ? 1 : n > most ? most : n;
}

/* Kinds of column besides those of fill_column: steps as long as a block or a word, neighbouring
 * doubles of any size, sorted rows, a skewed one. */
static inline void fill_other_column(rng *r, double *x, uint32_t n)
{
    uint32_t kind = rng_below(r, 5), length = UINT32_C(8) << rng_below(r, 5);
    double start = ldexp(rng_unit(r) + 0.5, (int) rng_below(r, 1900) - 950);
    for (uint32_t i = 0; i < n; i++) {
        switch (kind) {
        case 0: x[i] = i / length; break;
        case 1: x[i] = start * (1 + rng_below(r, 40) * 2.220446049250313e-16); break;
        case 2: x[i] = -(double) i; break;
        case 3: x[i] = exp(20 * rng_unit(r)) * (rng_below(r, 2) ? 1 : -1); break;
        default: x[i] = floor(n * rng_unit(r) * rng_unit(r)); break;
        }
    }
}

static inline void fill_columns(rng *r, random_table *t)
{
    int awkward = rng_below(r, 4) != 0;
    uint32_t n = t->data.n_rows;
    for (uint32_t col = 0; col < t->data.n_cols; col++) {
        double *x = table_column(t, col);
        uint32_t kind = awkward ? rng_below(r, 6) : 5;
        if (kind == 0 && col) follow_column(r, table_column(t, rng_below(r, col)), x, n);
        else if (kind == 1 && col) memcpy(x, table_column(t, rng_below(r, col)), n * sizeof *x);
        else if (kind < 3) fill_column(r, x, n);
        else if (kind < 5) fill_other_column(r, x, n);
        else for (uint32_t i = 0; i < n; i++) x[i] = rng_unit(r);
    }
}

/* Classes from a random tree, whose thresholds are values of random rows, with noise; or noise
 * alone. Node i of the tree has the children 2 i and 2 i + 1, the root is node 1. */
static inline void fill_classes(rng *r, random_table *t)
{
    enum { LEVELS = 4 };
    uint32_t n = t->data.n_rows, n_classes = t->data.n_classes, levels = 1 + rng_below(r, LEVELS);
    uint32_t col[1 << LEVELS], label[1 << LEVELS], noise = rng_below(r, 3) ? rng_below(r, 40) : 100;
    double cut[1 << LEVELS];
    for (uint32_t i = 0; i < 1 << LEVELS; i++) {
        col[i] = rng_below(r, t->data.n_cols);
        cut[i] = table_column(t, col[i])[rng_below(r, n)];
        label[i] = rng_below(r, n_classes);
    }
    /* noise in which the first classes are more frequent, or all alike */
    int skewed = (int) rng_below(r, 2);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t node = 1, any = rng_below(r, n_classes);
        if (skewed) any = rng_below(r, any + 1);
        for (uint32_t level = 1; level < levels; level++)
            node = 2 * node + (table_column(t, col[node])[i] >= cut[node]);
        uint32_t leaf = 2 * node + (table_column(t, col[node])[i] >= cut[node]);
        t->classes[i] = (int32_t) (rng_below(r, 100) < noise ? any : label[leaf % (1 << LEVELS)]);
    }
}

/* Overwrites some rows with others, class and all or with a class of their own. */
static inline void duplicate_rows(rng *r, random_table *t)
{
    uint32_t share = rng_below(r, 100), with_class = rng_below(r, 2);
    for (uint32_t i = 0; i < t->data.n_rows; i++) {
        if (rng_below(r, 100) >= share) continue;
        uint32_t from = rng_below(r, t->data.n_rows);
        for (uint32_t col = 0; col < t->data.n_cols; col++)
            table_column(t, col)[i] = table_column(t, col)[from];
        if (with_class) t->classes[i] = t->classes[from];
    }
}

/* More classes than there are bits in a word or than leaves can name, where the depth lets that end
 * soon. */
static inline uint32_t random_classes(rng *r, unsigned depth)
{
    uint32_t kind = rng_below(r, 20);
    if (kind < 8) return 2;
    if (kind < 18) return 3 + rng_below(r, 10);
    if (depth > 2) return 20 + rng_below(r, 20);
    return kind == 18 ? 60 + rng_below(r, 10) : 300;
}

static inline random_table random_shape(rng *r, unsigned depth)
{
    static const uint32_t most_rows[] = {3000, 3000, 3000, 250, 150},
                          most_cols[] = {12, 12, 12, 5, 3};
    uint32_t n_cols = 1 + rng_below(r, most_cols[depth]), n_rows = random_size(r, most_rows[depth]);
    if (rng_below(r, 3) == 0) n_rows = 1 + rng_below(r, 12);
    random_table t = table_new(n_rows, n_cols, random_classes(r, depth));
    fill_columns(r, &t);
    fill_classes(r, &t);
    if (rng_below(r, 5) == 0) duplicate_rows(r, &t);
    return t;
}

/* So many copies of each row that the lanes of 16 bits are just wide enough, or too narrow; few
 * columns, few values. Their limits are about the rows of one class, so there may be one that has
 * nearly all. */
static inline random_table random_tall(rng *r)
{
    random_table once = table_random(r, 100 + rng_below(r, 300), 1 + rng_below(r, 2),
                                     2 + rng_below(r, 3), 1);
    uint32_t limit = ct_lane_limit(once.data.n_classes),
             copies = limit / once.data.n_rows + rng_below(r, 4);
    uint32_t rare = 1 + rng_below(r, 30);
    if (rng_below(r, 3) == 0) copies *= 2;
    for (uint32_t i = 0; i < once.data.n_rows; i++)
        if (rare > 5 && rng_below(r, rare)) once.classes[i] = 0;
    random_table t = table_repeat(&once, copies);
    table_free(&once);
    return t;
}

static inline ct_exact_options random_options(rng *r, unsigned depth, uint32_t n_rows)
{
    ct_exact_options options = ct_exact_options_default();
    options.depth = depth;
    if (rng_below(r, 3) == 0) options.complexity = rng_below(r, 32) / 8.0 / n_rows;
    else if (rng_below(r, 6) == 0) options.complexity = rng_unit(r) * rng_unit(r) * 0.1;
    if (rng_below(r, 3) == 0)
        options.min_bucket = 1 + rng_below(r, n_rows / (2 + rng_below(r, 20)) + 1);
    if (rng_below(r, 6) == 0) options.min_split = 1 + rng_below(r, n_rows / 2 + 1);
    if (rng_below(r, 2)) options.max_gap = rng_unit(r) * 0.1 * n_rows;
    if (rng_below(r, 4) == 0) options.max_thresholds = 1 + rng_below(r, 20);
    if (rng_below(r, 4) == 0) options.max_cost = rng_unit(r) * 0.5 * n_rows;
    options.any_of_ties = rng_below(r, 4) == 0;
    options.any_size = options.complexity == 0 && rng_below(r, 3) == 0;
    options.threads = rng_below(r, 5);
    if (rng_below(r, 3) == 0) options.memory_limit = (size_t) exp(8 + rng_unit(r) * 8);
    if (rng_below(r, 2)) options.test_rows = 0;
    if (options.threads % 3 == 1) options.early_after = 0;
    options.plane_budget = rng_below(r, 2) ? 0 : rng_below(r, 100000);
    for (int s = 0; s < CT_EXACT_N_SHORTCUTS; s++)
        options.off |= (rng_below(r, 3) == 0 ? UINT32_C(1) : 0) << s;
    if (rng_below(r, 2)) options.some_rows = 4 + rng_below(r, 12);
    return options;
}

/* Whole weights so far apart that all of one class may be nothing beside a row of another. */
static inline void spread_weights(rng *r, random_table *t)
{
    uint32_t most = 1 + rng_below(r, 34), kind = rng_below(r, 3);
    for (uint32_t i = 0; t->weights && i < t->data.n_rows; i++) {
        if (kind == 0) t->weights[i] = ldexp(1 + rng_below(r, 4), (int) rng_below(r, most));
        else t->weights[i] = i == 0 ? ldexp(3, (int) most) : kind == 1 ? 1 : rng_below(r, 9) / 4.0;
    }
}

static inline instance instance_random(uint64_t seed)
{
    static const unsigned depths[] = {1, 2, 2, 2, 2, 3, 3, 3, 4, 4};
    rng r = {seed * UINT64_C(0xd1342543de82ef95)};
    unsigned depth = depths[rng_below(&r, 10)];
    instance in;
    in.optimum = NAN;
    uint32_t special = rng_below(&r, 40);
    if (depth == 2 && special == 0) in.table = random_tall(&r);
    else if (depth == 3 && special < 20) in.table = table_patchy(&r, 30 + rng_below(&r, 80));
    else in.table = random_shape(&r, depth);
    in.options = random_options(&r, depth, in.table.data.n_rows);
    if (rng_below(&r, 3) == 0) table_add_weights(&in.table, &r);
    if (rng_below(&r, 3) == 0) spread_weights(&r, &in.table);
    if (rng_below(&r, 4) == 0) table_add_loss(&in.table, &r);
    if (rng_below(&r, 5) == 0) table_add_roots(&in.table, &r);
    double scale = dearest_of(&in.table.data) / in.table.data.n_rows;
    in.options.max_gap *= scale;
    in.options.max_cost *= scale;
    return in;
}

#endif
