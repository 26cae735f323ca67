/* Survival forests: scores, leaves, concordance, and the same trees whatever is chosen. */
#include "check.h"
#include "forest/grow/grow.h"
#include "forest/grow/survival.h"
#include "forest/walk/concordance.h"
#include "forest/walk/curves.h"
#include "forest_data.h"

typedef struct {
    forest_table t;
    uint32_t *ranks, *survival;
} patients;

/* Rows in order of time; times of events are numbered from 1 on. */
static patients patients_new(uint64_t seed, uint32_t n)
{
    rng r = {seed + 99};
    patients p;
    p.t = forest_table_new(seed, n, 4, 0, seed % 2 ? 0 : 20, 0.1, CT_HIST_CODES);
    p.ranks = (uint32_t *) malloc(n * sizeof *p.ranks);
    p.survival = (uint32_t *) malloc(n * sizeof *p.survival);
    uint32_t time = 0, censored = 1;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t more = rng_below(&r, 3) == 0;
        if (more || !time) time++, censored = i == 0 ? 0 : rng_below(&r, 4) == 0;
        else censored |= rng_below(&r, 2);
        if (more && censored) time--; /* nobody has an event: not a time of events */
        p.ranks[i] = i;
        p.survival[i] = 2 * time + censored;
    }
    p.t.data.ranks = p.ranks;
    p.t.data.survival = p.survival;
    p.t.data.n_times = time;
    return p;
}

static void patients_free(patients *p)
{
    forest_table_free(&p->t);
    free(p->ranks);
    free(p->survival);
}

/* The hazard of rows that count so often, up to a time. */
static double hazard_of(const patients *p, const uint32_t *counts, uint32_t time)
{
    double sum = 0;
    for (uint32_t t = 1; t <= time; t++) {
        double events = 0, at_risk = 0;
        for (uint32_t i = 0; i < p->t.n_rows; i++) {
            if (ct_survival_time(p->survival[i]) >= t) at_risk += counts[i];
            if (p->survival[i] == 2 * t) events += counts[i];
        }
        if (events > 0) sum += events / at_risk;
    }
    return sum;
}

static double square(double x) { return x * x; }

/* How good a cut of a column is for rows that count so often. */
static double cut_score(const patients *p, const uint32_t *counts, const double *scores,
                        const double *x, double cut, int missing_left)
{
    double sum[2] = {0, 0}, size[2] = {0, 0};
    for (uint32_t i = 0; i < p->t.n_rows; i++) {
        const int side = x[i] == x[i] ? x[i] >= cut : !missing_left;
        sum[side] += counts[i] * scores[i];
        size[side] += counts[i];
    }
    return size[0] > 0 && size[1] > 0 ? square(sum[0]) / size[0] + square(sum[1]) / size[1] : 0;
}

/* Of small nodes, at which all cuts are looked at, none is better than the one taken. */
static void splits_are_best(void)
{
    uint32_t n_nodes = 0;
    for (uint32_t seed = 0; seed < 12; seed++) {
        patients p = patients_new(seed, 60);
        ct_hist_options o = forest_options(&p.t, 1);
        ct_hist_forest forest;
        ct_hist_extra extra;
        ct_error error;
        o.seed = seed;
        CHECK_INT(ct_hist_grow(&p.t.data, &o, &forest, &extra, &error), CT_OK);
        const ct_hist_tree *tree = &forest.trees[0];
        uint32_t *drawn = forest_sample(&p.t.data, &o, 0), counts[60];
        for (uint32_t node = 0; node < tree->n_nodes; node++) {
            double scores[60], all = 0;
            for (uint32_t i = 0; i < 60; i++) { /* the rows that pass the node */
                uint32_t at = 0;
                while (at != node && tree->nodes[at].feature != CT_HIST_LEAF) {
                    const ct_hist_node *own = &tree->nodes[at];
                    const double x = p.t.values[own->feature * 60 + i];
                    const int left = x == x ? x < raw_threshold(p.t.codes, own)
                                            : (own->next & CT_HIST_FLAG) != 0;
                    at = (own->next & CT_HIST_CHILD) + !left;
                }
                counts[i] = at == node ? drawn[i] : 0;
            }
            for (uint32_t i = 0; i < 60; i++) {
                const uint32_t code = p.survival[i];
                scores[i] = !ct_survival_censored(code) -
                            hazard_of(&p, counts, ct_survival_time(code));
                all += counts[i] * scores[i];
            }
            CHECK(fabs(all) < 1e-9);
            const ct_hist_node *own = &tree->nodes[node];
            if (own->feature == CT_HIST_LEAF) {
                double mean = 0;
                for (uint32_t t = 1; t <= p.t.data.n_times; t++)
                    mean += hazard_of(&p, counts, t) / p.t.data.n_times;
                CHECK(fabs(tree->means[own->next] - mean) < 1e-9);
                continue;
            }
            n_nodes++;
            const double taken = cut_score(&p, counts, scores, p.t.values + own->feature * 60,
                                           raw_threshold(p.t.codes, own),
                                           (own->next & CT_HIST_FLAG) != 0);
            for (uint32_t k = 0; k < 4 * 60 * 2; k++) {
                const double *x = p.t.values + k / 120 * 60;
                CHECK(x[k / 2 % 60] != x[k / 2 % 60] ||
                      cut_score(&p, counts, scores, x, x[k / 2 % 60], k % 2) <= taken + 1e-3);
            }
        }
        free(drawn);
        ct_hist_forest_free(&forest);
        ct_hist_extra_free(&extra);
        patients_free(&p);
    }
    CHECK(n_nodes > 50);
}

static void same_forest(void)
{
    patients p = patients_new(3, 4000);
    uint64_t hash = 0;
    for (int kind = 0; kind < 5; kind++) {
        static const char *const simd[] = {"auto", "scalar", "avx2", "auto", "auto"};
        ct_hist_options o = forest_options(&p.t, 3);
        ct_hist_forest forest;
        ct_hist_extra extra;
        ct_error error;
        o.min_n = 10;
        o.oob = 1;
        o.simd = ct_cpu_find(simd[kind]);
        o.threads = kind == 3 ? 3 : 1;
        o.block = kind == 4 ? 50 : 0;
        CHECK_INT(ct_hist_grow(&p.t.data, &o, &forest, &extra, &error), CT_OK);
        if (!kind) hash = hist_hash(&forest);
        CHECK(hist_hash(&forest) == hash && forest.trees[0].n_leaves > 100);
        ct_hist_forest_free(&forest);
        ct_hist_extra_free(&extra);
    }
    patients_free(&p);
}

static void concordances(void)
{
    for (uint32_t seed = 0; seed < 30; seed++) {
        const uint32_t n = 1 + seed * 3;
        patients p = patients_new(seed, n);
        uint32_t ranks[100];
        rng r = {seed};
        ct_forest_concordance said, known = {0, 0, 0};
        for (uint32_t i = 0; i < n; i++) ranks[i] = rng_below(&r, n);
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = 0; k < n && !ct_survival_censored(p.survival[i]); k++) {
                if (p.survival[k] <= p.survival[i]) continue;
                known.pairs++;
                known.concordant += ranks[k] < ranks[i];
                known.tied += ranks[k] == ranks[i];
            }
        CHECK_INT(ct_forest_concordance_of(p.survival, ranks, n, &said), CT_OK);
        CHECK_INT(said.pairs, known.pairs);
        CHECK_INT(said.concordant, known.concordant);
        CHECK_INT(said.tied, known.tied);
        patients_free(&p);
    }
}

static void memory_ends(void)
{
    int fine = 0;
    patients p = patients_new(1, 300);
    static double hazards[3 * 300];
    uint32_t column_of[301] = {0};
    ct_forest_concordance c;
    for (uint32_t i = 0; i <= 300; i++) column_of[i] = i / 50 < 3 ? i / 50 : 3;
    for (long after = 0; !fine && after < 300; after++) {
        ct_hist_options o = forest_options(&p.t, 2);
        ct_hist_forest forest;
        ct_hist_extra extra;
        ct_error error;
        ct_halt stop = {NULL, NULL, 0, 0};
        const ct_forest_curves_request request = {&forest, 300, 300, p.ranks, p.survival, column_of,
                                                  3, hazards};
        ct_alloc_fail_after(after);
        ct_status status = ct_hist_grow(&p.t.data, &o, &forest, &extra, &error);
        if (status == CT_OK && forest.n_trees == 2)
            status = ct_forest_curves_predict(&request, p.t.codes->columns, p.t.columns, 1, &stop,
                                              &error);
        if (status == CT_OK && forest.n_trees == 2)
            status = ct_forest_concordance_of(p.survival, p.ranks, 300, &c);
        fine = status == CT_OK && forest.n_trees == 2;
        ct_alloc_fail_for(-1, 0);
        CHECK(fine || status == CT_NO_MEMORY || extra.end == CT_HIST_MEMORY);
        ct_hist_forest_free(&forest);
        ct_hist_extra_free(&extra);
    }
    CHECK(fine);
    patients_free(&p);
}

static const check_case cases[] = {
    {"splits are the best", splits_are_best},
    {"the same forest", same_forest},
    {"concordances", concordances},
    {"memory ends", memory_ends},
};

CHECK_MAIN(cases)
