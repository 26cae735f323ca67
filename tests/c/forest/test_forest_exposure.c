/* Amounts over exposures: a row of a whole exposure grows the trees that as many rows of exposure 1
 * do which share its amount; leaves have rates. */
#include "check.h"
#include "forest_data.h"

typedef struct {
    forest_table t;
    uint32_t *times; /* [row] its exposure */
    double *exposure, *amounts;
    ct_hist_options o;
} insured;

static insured insured_new(uint64_t seed, uint32_t n)
{
    rng r = {seed + 5};
    insured s;
    s.t = forest_table_new(seed, n, 4, 0, seed % 2 ? 0 : 6, 0.1, CT_HIST_CODES);
    s.t.codes->columns[3].is_set = seed % 4 == 2;
    s.times = (uint32_t *) malloc(n * sizeof *s.times);
    s.exposure = (double *) malloc(n * sizeof *s.exposure);
    s.amounts = (double *) malloc(n * sizeof *s.amounts);
    for (uint32_t i = 0; i < n; i++) {
        s.times[i] = 1 + rng_below(&r, 3);
        s.exposure[i] = s.times[i];
        s.amounts[i] = s.times[i] * s.t.numbers[i];
    }
    s.o = forest_options(&s.t, 1);
    s.o.min_n = 1 + (uint32_t) seed % 3;
    s.o.min_bucket = seed % 5 == 4 ? 3 : 1;
    s.o.rule = seed % 6 == 3 ? CT_SPLIT_RANDOM : CT_SPLIT_GINI;
    s.o.oob = 1;
    return s;
}

static void insured_free(insured *s)
{
    forest_table_free(&s->t);
    free(s->times);
    free(s->exposure);
    free(s->amounts);
}

/* Grown from rows that are drawn so often. */
static ct_hist_forest grow(const insured *s, const ct_hist_options *o, const double *numbers,
                           const double *exposure, const uint32_t *drawn)
{
    ct_hist_data data = s->t.data;
    const int32_t *samples[] = {(const int32_t *) drawn};
    ct_hist_forest forest;
    ct_hist_extra extra;
    ct_error error;
    data.numbers = numbers;
    data.exposure = exposure;
    data.drawn = samples;
    CHECK_INT(ct_hist_grow(&data, o, &forest, &extra, &error), CT_OK);
    ct_hist_extra_free(&extra);
    return forest;
}

/* Limits of sizes count draws, so there are none. */
static void as_many_rows(void)
{
    for (uint64_t seed = 0; seed < 36; seed++) {
        const uint32_t n = seed % 3 == 0 ? 2600 : seed % 3 == 1 ? 300 : 40;
        insured s = insured_new(seed, n);
        uint32_t *once = (uint32_t *) malloc(n * sizeof *once);
        double *ones = (double *) malloc(n * sizeof *ones);
        for (uint32_t i = 0; i < n; i++) once[i] = 1, ones[i] = 1;
        s.o.min_n = s.o.min_bucket = 1;
        ct_hist_forest a = grow(&s, &s.o, s.amounts, s.exposure, once),
                       b = grow(&s, &s.o, s.t.numbers, ones, s.times);
        const ct_hist_tree *x = &a.trees[0], *y = &b.trees[0];
        CHECK_INT(x->n_nodes, y->n_nodes);
        for (uint32_t i = 0; i < x->n_nodes && x->n_nodes == y->n_nodes; i++) {
            /* levels that no row of a node has go to the side of more draws */
            const int is_set = (x->nodes[i].next & CT_HIST_SET) != 0;
            CHECK_INT(x->nodes[i].feature, y->nodes[i].feature);
            CHECK(is_set || x->nodes[i].cut == y->nodes[i].cut);
            if (x->nodes[i].feature == CT_HIST_LEAF)
                CHECK(fabs(x->means[x->nodes[i].next] - y->means[y->nodes[i].next]) < 1e-9);
        }
        ct_hist_forest_free(&a);
        ct_hist_forest_free(&b);
        free(once);
        free(ones);
        insured_free(&s);
    }
}

/* Exposures of 1 change nothing but digits: all numbers have few. */
static void ones(void)
{
    for (uint64_t seed = 0; seed < 30; seed++) {
        const uint32_t n = seed % 3 == 0 ? 2600 : seed % 3 == 1 ? 300 : 40;
        insured s = insured_new(seed, n);
        for (uint32_t i = 0; i < n; i++) {
            /* the mean is 0, and nothing is rounded */
            s.t.numbers[i] = i % 2 ? -s.t.numbers[i - 1] : floor(s.t.numbers[i] * 64);
            s.exposure[i] = 1;
        }
        uint32_t *drawn = forest_sample(&s.t.data, &s.o, 0);
        ct_hist_forest a = grow(&s, &s.o, s.t.numbers, s.exposure, drawn),
                       b = grow(&s, &s.o, s.t.numbers, NULL, drawn);
        CHECK_INT(hist_hash(&a), hist_hash(&b));
        ct_hist_forest_free(&a);
        ct_hist_forest_free(&b);
        free(drawn);
        insured_free(&s);
    }
}

/* Rates of leaves and of rows left out, from their definition, with a prior. */
static void rates(void)
{
    for (uint64_t seed = 0; seed < 12; seed++) {
        const uint32_t n = seed % 2 ? 700 : 60;
        insured s = insured_new(seed, n);
        rng r = {seed};
        double events = 0, all = 0;
        for (uint32_t i = 0; i < n; i++) {
            s.exposure[i] = 0.001 + rng_unit(&r);
            s.amounts[i] = rng_below(&r, 4) == 0;
            events += s.amounts[i], all += s.exposure[i];
        }
        ct_hist_data data = s.t.data;
        ct_hist_forest forest;
        ct_hist_extra extra;
        ct_error error;
        data.numbers = s.amounts;
        data.exposure = s.exposure;
        s.o.prior = (double) (seed % 3);
        s.o.n_trees = 2;
        s.o.threads = 1 + (unsigned) seed % 2;
        CHECK_INT(ct_hist_grow(&data, &s.o, &forest, &extra, &error), CT_OK);
        double *told = (double *) calloc(n, sizeof *told);
        for (uint32_t i = 0; i < 2; i++) {
            const ct_hist_tree *tree = &forest.trees[i];
            uint32_t *drawn = forest_sample(&data, &s.o, i), *leaf = (uint32_t *) malloc(4 * n);
            for (uint32_t k = 0; k < n; k++)
                leaf[k] = tree->nodes[raw_leaf(&s.t, tree, k)].next;
            for (uint32_t at = 0; at < tree->n_leaves; at++) {
                double sum = s.o.prior, over = s.o.prior / (events / all);
                for (uint32_t k = 0; k < n; k++) {
                    sum += leaf[k] == at ? drawn[k] * s.amounts[k] : 0;
                    over += leaf[k] == at ? drawn[k] * s.exposure[k] : 0;
                }
                CHECK(fabs(tree->means[at] - sum / over) <= 1e-12 * (1 + sum / over));
            }
            for (uint32_t k = 0; k < n; k++) told[k] += drawn[k] ? 0 : tree->means[leaf[k]];
            free(drawn);
            free(leaf);
        }
        for (uint32_t k = 0; k < n; k++) {
            double own = extra.oob_trees[k] * extra.centre;
            for (uint32_t w = 0; w < extra.out_words; w++)
                own += ldexp(extra.unit, (int) w * 32) *
                       (double) extra.oob_sums[(size_t) k * extra.out_words + w];
            CHECK(fabs(own - told[k]) <= 1e-8 * (1 + told[k]));
        }
        free(told);
        ct_hist_forest_free(&forest);
        ct_hist_extra_free(&extra);
        insured_free(&s);
    }
}

static const check_case cases[] = {
    {"as many rows", as_many_rows},
    {"ones", ones},
    {"rates", rates},
};

CHECK_MAIN(cases)
