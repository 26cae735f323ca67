#include "exact/search/counting.h"

/* The rows of class c in quadrant (a, b) of tests i and j. */
static uint32_t class_of_quadrant(const ct_counting *x, uint32_t i, uint32_t j, int a, int b,
                                  uint32_t c)
{
    uint32_t in_b = a ? ct_tests_pair(&x->tests, c, i, j) : ct_tests_single(&x->tests, c, j),
             all = a ? ct_tests_single(&x->tests, c, i) : x->tests.counts.of_class[c];
    uint32_t in = b ? in_b : all - in_b;
    return a ? in : in - class_of_quadrant(x, i, j, 1, b, c);
}

uint32_t ct_counting_quadrant(const ct_counting *x, uint32_t i, uint32_t j, int a, int b,
                              uint32_t *largest)
{
    uint32_t rows = 0;
    *largest = 0;
    for (uint32_t c = 0; c < x->tests.counts.n_classes; c++) {
        uint32_t in = class_of_quadrant(x, i, j, a, b, c);
        rows += in;
        if (in > *largest) *largest = in;
    }
    return rows;
}

/* On how many of its rows two leaves are right that the best third test makes of it. */
static int64_t quadrant_hits(const ct_counting *x, uint32_t i, uint32_t j, int a, int b)
{
    const ct_triples *t = &x->tests.counts;
    size_t own = ((size_t) (2 * a + b) * t->n_tests + i) * t->stride + j,
           other = ((size_t) (2 * b + a) * t->n_tests + j) * t->stride + i;
    return ct_larger_cost(ct_triples_at(t->hits, x->tests.lane, own),
                          ct_triples_at(t->hits, x->tests.lane, other));
}

int64_t ct_counting_quadrant_cost(const ct_counting *x, uint32_t i, uint32_t j, int a, int b,
                                  int64_t *leaf)
{
    uint32_t largest, rows = ct_counting_quadrant(x, i, j, a, b, &largest);
    int64_t hits = quadrant_hits(x, i, j, a, b);
    *leaf = ct_cost_of_units(x->worker->search->costs, (int64_t) rows - largest);
    return ct_counting_leaf_or_stump(x, rows, largest, hits);
}

/* Which rows are in the quadrant, and in places without a row. */
static void mask_quadrant(const ct_counting *x, uint32_t i, uint32_t j, int a, int b)
{
    const ct_triples *t = &x->tests.counts;
    uint8_t turn_i = a ? 0 : 0xff, turn_j = b ? 0 : 0xff;
    for (uint32_t w = 0; w < t->rows.n_words; w++) {
        const uint8_t *bytes = t->rows.bytes + w * t->stride;
        x->mask[w] = (uint8_t) ((bytes[i] ^ turn_i) & (bytes[j] ^ turn_j));
    }
}

/* The rows of the quadrant that two leaves of test k of it are right on; -1: one of them has fewer
 * rows than a leaf has. */
static int64_t leaf_hits(const ct_counting *x, uint32_t k, uint32_t rows)
{
    const ct_triples *t = &x->tests.counts;
    uint32_t size = 0, least = x->worker->search->min_bucket;
    int64_t largest[2] = {0, 0};
    for (uint32_t c = 0; c < t->n_classes; c++) {
        uint32_t in = (uint32_t) ct_triples_at(x->counts, x->tests.lane, c * t->stride + k);
        size += in;
        largest[1] = ct_larger_cost(largest[1], in);
        largest[0] = ct_larger_cost(largest[0], x->of_class[c] - in);
    }
    return size < least || rows - size < least ? -1 : largest[0] + largest[1];
}

int32_t ct_counting_third(const ct_counting *x, uint32_t i, uint32_t j, int a, int b,
                          int64_t *wrong)
{
    const ct_triples *t = &x->tests.counts;
    int64_t most = -1;
    int32_t best = CT_NO_TEST;
    uint32_t rows = 0;
    mask_quadrant(x, i, j, a, b);
    for (uint32_t c = 0; c < t->n_classes; c++)
        rows += x->of_class[c] = class_of_quadrant(x, i, j, a, b, c);
    ct_tests_kernels(x->worker, &x->tests)->count(&t->rows, t->n_classes, t->stride, t->n_tests,
                                                  x->mask, 1, x->counts, t->stride);
    for (uint32_t k = 0; k < t->n_tests; k++) {
        int64_t hits = leaf_hits(x, k, rows);
        if (hits < 0 || hits < most ||
            (hits == most && x->tests.test[k] > x->tests.test[best]))
            continue;
        most = hits;
        best = (int32_t) k;
    }
    *wrong = rows - most;
    return best;
}

uint32_t ct_counting_rows(const ct_counting *x, const uint32_t tests[2], const uint8_t in[2],
                          uint32_t c)
{
    return class_of_quadrant(x, tests[0], tests[1], in[0], in[1], c);
}

int64_t ct_counting_stump(const ct_counting *x, const uint32_t tests[2], const uint8_t in[2])
{
    uint32_t largest, rows = ct_counting_quadrant(x, tests[0], tests[1], in[0], in[1], &largest);
    int64_t hits = quadrant_hits(x, tests[0], tests[1], in[0], in[1]);
    return x->worker->search->split_cost + ct_cost_of_units(x->worker->search->costs, rows - hits);
}
