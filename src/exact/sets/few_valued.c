#include "exact/sets/few_valued.h"

#include <string.h>

#include "base/memory.h"
#include "exact/rows/ranks.h"
#include "exact/rows/tests.h"

/* A row set that is counted. */
typedef struct ct_few_valued {
    const ct_node *node;
    ct_exact_task task;
    ct_counting *counting;
    const ct_test_node *tests; /* of that */
    const ct_tests *of_layout;
    ct_rows_key *words;        /* [8 * word + bit] of its rows */
    uint32_t both[2];          /* two tests; */
    void *counts;              /* [class][stride] the rows in both of them and in a third one */
    uint8_t *mask;             /* scratch: [word], */
    uint32_t *of_class;        /* [class] rows of a quadrant, */
    uint32_t *wrong;           /* [test] what its stumps are wrong on, */
    uint32_t *found;           /* [split] and those of a group */
} ct_few_valued;

/* ---- making ---- */

/* The words of rows in the order in which tests have them: by class, in whole words of 8. */
static void set_words(const ct_place *place, ct_rows_key *words)
{
    const ct_node *node = place->node;
    const ct_layout *layout = node->layout;
    for (uint32_t c = 0; c < layout->n_classes; c++) {
        const uint64_t *sets = ct_node_sets(node, 0) + c * layout->words;
        for (size_t w = node->rows.begin[0]; w < node->rows.end[0]; w++)
            for (uint64_t rest = sets[w]; rest; rest &= rest - 1)
                *words++ = place->words[ct_place_row(place, 0, w * 64 + ct_trailing_zeros(rest))];
        words += (8 - node->totals.rows[c] % 8) % 8;
    }
}

static ct_status make_room(ct_worker *worker, ct_few_valued *few)
{
    const ct_triples *t = &few->tests->counts;
    uint32_t n_splits = few->of_layout->first[few->node->layout->n_cols];
    few->words = CT_ARENA_NEW(&worker->arena, ct_rows_key, (size_t) 8 * t->rows.n_words);
    few->counts = CT_ARENA_NEW(&worker->arena, uint8_t,
                               t->n_classes * t->stride * few->tests->lane / 8);
    few->mask = CT_ARENA_NEW(&worker->arena, uint8_t, t->rows.n_words);
    few->of_class = CT_ARENA_NEW(&worker->arena, uint32_t, t->n_classes + t->n_tests + n_splits);
    if (!few->words || !few->counts || !few->mask || !few->of_class)
        return ct_worker_no_memory(worker);
    few->wrong = few->of_class + t->n_classes;
    few->found = few->wrong + t->n_tests;
    few->both[0] = few->both[1] = t->n_tests; /* none yet */
    return CT_OK;
}

ct_status ct_few_valued_make(ct_worker *worker, ct_place *place, uint32_t level, int64_t budget)
{
    CT_ASSERT(!place->few && ct_place_has_tests(place));
    ct_few_valued *few = CT_ARENA_ZEROED(&worker->arena, ct_few_valued, 1);
    if (!few) return ct_worker_no_memory(worker);
    few->node = place->node;
    few->task.depth = level;
    few->task.path = &place->path;
    few->task.cap = few->task.seen = INT64_MAX;
    CT_TRY(ct_counting_new(worker, place->node, &few->task, budget, &few->counting, &few->tests));
    if (!few->counting) return CT_OK;
    few->of_layout = place->node->layout->tests;
    CT_TRY(make_room(worker, few));
    set_words(place, few->words);
    place->few = few;
    return CT_OK;
}

/* ---- rows in quadrants ---- */

/* The mask: which rows are in test i (a = 1) or not, and in test j (b = 1) or not. */
static void set_mask(const ct_few_valued *few, uint32_t i, int a, uint32_t j, int b)
{
    const ct_triples *t = &few->tests->counts;
    uint8_t turn_i = a ? 0 : 0xff, turn_j = b ? 0 : 0xff;
    for (size_t w = 0; w < t->rows.n_words; w++) {
        const uint8_t *bytes = t->rows.bytes + w * t->stride;
        few->mask[w] = (uint8_t) ((bytes[i] ^ turn_i) & (bytes[j] ^ turn_j));
    }
    for (uint32_t c = 0; c < t->n_classes; c++)
        few->mask[t->rows.ends[c] - 1] &= (uint8_t) (0xff >> (8 - t->of_class[c] % 8) % 8);
}

/* The key of the rows of the place that are in test k. */
static ct_rows_key key_of(const ct_place *place, uint32_t k)
{
    const ct_few_valued *few = place->few;
    ct_rows_key key = {{0, 0}};
    if (place->n_tests) set_mask(few, place->tests[0], place->in[0], k, 1);
    else set_mask(few, k, 1, k, 1);
    for (size_t w = 0; w < few->tests->counts.rows.n_words; w++)
        for (unsigned rest = few->mask[w]; rest; rest &= rest - 1)
            key = ct_rows_key_sum(key, few->words[8 * w + ct_trailing_zeros(rest)]);
    return key;
}

/* Counts the rows in both tests and in each third one, unless they are what was counted last. */
static void count_both(ct_worker *worker, const ct_place *place)
{
    CT_ASSERT(place->n_tests > 0);
    ct_few_valued *few = place->few;
    const ct_triples *t = &few->tests->counts;
    if (!memcmp(few->both, place->tests, sizeof few->both)) return;
    set_mask(few, place->tests[0], 1, place->tests[1], 1);
    ct_tests_kernels(worker, few->tests)
        ->count(&t->rows, t->n_classes, t->stride, t->n_tests, few->mask, 1, few->counts,
                t->stride);
    memcpy(few->both, place->tests, sizeof few->both);
    ct_worker_poll(worker, (uint64_t) t->n_tests * t->rows.n_words);
}

/* Rows of class c of a quadrant that are in test k. */
static uint32_t in_third(const ct_place *place, uint32_t c, uint32_t k)
{
    CT_ASSERT(k < place->few->tests->counts.n_tests);
    const ct_few_valued *few = place->few;
    const ct_test_node *tests = few->tests;
    uint32_t both = (uint32_t) ct_triples_at(few->counts, tests->lane,
                                             c * tests->counts.stride + k);
    if (place->in[0] && place->in[1]) return both;
    if (place->in[0]) return ct_tests_pair(tests, c, place->tests[0], k) - both;
    uint32_t other = ct_tests_pair(tests, c, place->tests[1], k) - both;
    if (place->in[1]) return other;
    return ct_tests_single(tests, c, k) - ct_tests_pair(tests, c, place->tests[0], k) - other;
}

/* ---- splits ---- */

typedef struct {
    ct_counted_root of;
    ct_rows_key in; /* of the rows in the test */
} root;

/* Fills in roots[n_tests]; of those above the budget, and of tests that do not part the rows, the
 * value is INT64_MAX. */
static void look_at_tests(const ct_place *place, int64_t budget, root *roots, int64_t *open)
{
    const ct_counting *counting = place->few->counting;
    for (uint32_t k = 0; k < place->few->tests->counts.n_tests; k++) {
        ct_counted_root *r = &roots[k].of;
        int known = 1;
        if (place->n_tests) ct_counting_second(counting, place->tests[0], place->in[0], k, r);
        else known = ct_counting_root(counting, k, r);
        if (!known && r->value <= budget) *open = ct_smaller_cost(*open, r->value);
        int parts = r->rows_in && r->rows_in < place->node->n_rows;
        if (!known || !parts || r->value > budget) r->value = INT64_MAX;
        else roots[k].in = key_of(place, k);
    }
}

/* Split number s of the layout, of feature f, whose test is k. */
static ct_set_split split_of(const ct_place *place, uint32_t f, uint32_t s, uint32_t k,
                             const root *r)
{
    const ct_layout *layout = place->node->layout;
    const ct_tests *tests = place->few->of_layout;
    uint32_t t = s - tests->first[f] + 1;
    int left_in = ct_tests_left_is_in(layout, f, t) !=
                  (place->few->tests->turned[tests->test_of[s]] != 0);
    ct_set_split split = {{f, t, left_in ? r->of.rows_in : place->node->n_rows - r->of.rows_in,
                           {r->of.side[left_in], r->of.side[!left_in]}},
                          r->of.value, r->in, {0, 0}, 0, k, (uint8_t) left_in};
    if (!left_in) split.left = ct_rows_key_rest(place->key, r->in);
    return split;
}

/* Lists the splits of all columns: of thresholds of one column that part the rows alike the last.
 */
static size_t list_splits(const ct_worker *worker, const ct_place *place, const root *roots,
                          ct_set_split *splits)
{
    const ct_few_valued *few = place->few;
    const ct_tests *tests = few->of_layout;
    size_t n = 0;
    for (uint32_t f = 0; f < place->node->layout->n_cols; f++) {
        if (place->is_table && !place->n_tests && !ct_may_be_root(worker, f)) continue;
        for (uint32_t s = tests->first[f]; s < tests->first[f + 1]; s++) {
            int32_t k = few->tests->own[tests->test_of[s]];
            if (k < 0 || roots[k].of.value == INT64_MAX) continue;
            ct_set_split split = split_of(place, f, s, (uint32_t) k, &roots[k]);
            int again = n && splits[n - 1].of.feature == f &&
                        splits[n - 1].of.n_left == split.of.n_left;
            if (again) n--;
            splits[n++] = split;
        }
    }
    return n;
}

ct_status ct_few_valued_splits(ct_worker *worker, const ct_place *place, int64_t budget,
                               ct_set_split **splits, size_t *n, int64_t *open)
{
    CT_ASSERT(place->few);
    const ct_tests *tests = place->few->of_layout;
    uint32_t n_splits = tests->first[place->node->layout->n_cols];
    ct_arena_mark mark = ct_arena_here(&worker->arena);
    root *roots = CT_ARENA_NEW(&worker->arena, root, place->few->tests->counts.n_tests);
    *splits = (ct_set_split *) ct_alloc(n_splits * sizeof **splits);
    *n = 0;
    *open = 0;
    if (!roots || !*splits) return ct_worker_no_memory(worker);
    *open = INT64_MAX;
    look_at_tests(place, budget, roots, open);
    *n = list_splits(worker, place, roots, *splits);
    ct_arena_release(&worker->arena, mark);
    return CT_OK;
}

/* ---- sides ---- */

/* A node that has no rows, but what they count. */
static ct_status set_node(ct_worker *worker, ct_place *child)
{
    const ct_few_valued *few = child->few;
    ct_node *node = CT_ARENA_NEW(&worker->arena, ct_node, 1);
    if (!node) return ct_worker_no_memory(worker);
    *node = *few->node;
    node->n_rows = 0;
    if (ct_totals_new(&node->totals, worker->search->costs, &worker->arena) != CT_OK)
        return ct_worker_no_memory(worker);
    for (uint32_t c = 0, own = 0; c < node->layout->n_classes; c++) {
        if (!few->node->totals.rows[c]) continue; /* no class of its counts */
        node->totals.rows[c] = ct_counting_rows(few->counting, child->tests, child->in, own++);
        node->n_rows += node->totals.rows[c];
    }
    child->node = node;
    return CT_OK;
}

ct_status ct_few_valued_side(ct_worker *worker, const ct_place *place, const ct_set_split *split,
                             int side, ct_place *child)
{
    CT_ASSERT((side == 0 || side == 1) && place->n_tests < 2);
    *child = *place;
    for (unsigned i = child->n_tests++; i < 2; i++) { /* of one test its quadrant with itself */
        child->tests[i] = split->test;
        child->in[i] = (uint8_t) (split->left_in != side);
    }
    return set_node(worker, child);
}

/* ---- splits into two leaves ---- */

static const uint32_t NOT_WANTED = UINT32_MAX;

/* Wrong rows of the stump of test k, of rows of_class[] in all; NOT_WANTED if these are more than
 * `most`, it does not part the rows or both leaves have one label. */
static uint32_t wrong_of(const ct_place *place, uint32_t k, const uint32_t *of_class, uint32_t most)
{
    uint32_t largest[2] = {0, 0}, label[2] = {0, 0}, wrong = 0;
    for (uint32_t c = 0; c < place->few->tests->counts.n_classes; c++) {
        uint32_t in = in_third(place, c, k);
        for (int side = 0; side < 2; side++) {
            uint32_t rows = side ? in : of_class[c] - in;
            wrong += rows;
            if (rows <= largest[side]) continue;
            largest[side] = rows;
            label[side] = c;
        }
    }
    wrong -= largest[0] + largest[1];
    if (wrong > most || !largest[0] || !largest[1] || label[0] == label[1]) return NOT_WANTED;
    return wrong;
}

/* Whether tests k and l part the rows of the mask alike: they differ in all of them, or in none. */
static int part_alike(const ct_few_valued *few, uint32_t k, uint32_t l)
{
    const ct_triples *t = &few->tests->counts;
    unsigned differ = 0, agree = 0;
    for (size_t w = 0; w < t->rows.n_words && !(differ && agree); w++) {
        const uint8_t *bytes = t->rows.bytes + w * t->stride;
        unsigned other = (unsigned) (bytes[k] ^ bytes[l]);
        differ |= other & few->mask[w];
        agree |= ~other & few->mask[w];
    }
    return !(differ && agree);
}

/* The stumps of a group's columns that were found before. */
typedef struct {
    const ct_place *place;
    uint32_t *tests; /* [n] */
    uint32_t n;
    int masked;      /* the mask is that of the place */
} found;

static int is_again(found *of, uint32_t k)
{
    const ct_place *at = of->place;
    const ct_few_valued *few = at->few;
    for (uint32_t i = 0; i < of->n; i++) {
        if (few->wrong[of->tests[i]] != few->wrong[k]) continue;
        if (!of->masked) set_mask(few, at->tests[0], at->in[0], at->tests[1], at->in[1]);
        of->masked = 1;
        if (part_alike(few, of->tests[i], k)) return 1;
    }
    of->tests[of->n++] = k;
    return 0;
}

/* Each split of the columns, where those of one group part the rows alike once. */
static ct_status push_stumps(ct_set_stumps *stumps, ct_worker *worker, const ct_place *place,
                             const uint32_t *groups)
{
    const ct_few_valued *few = place->few;
    const ct_tests *tests = few->of_layout;
    uint32_t n_cols = place->node->layout->n_cols;
    found of = {place, few->found, 0, 0};
    for (uint32_t f = 0; f < n_cols; f++) {
        if (!f || groups[f] != groups[f - 1]) of.n = 0;
        for (uint32_t s = tests->first[f]; s < tests->first[f + 1]; s++) {
            int32_t k = few->tests->own[tests->test_of[s]];
            if (k < 0 || few->wrong[k] == NOT_WANTED) continue;
            if (is_again(&of, (uint32_t) k)) continue;
            ct_set_stump stump = {0};
            stump.cost = worker->search->split_cost +
                         ct_cost_of_units(worker->search->costs, few->wrong[k]);
            stump.n_left = 1;
            CT_TRY(ct_set_stumps_push(stumps, worker, &stump));
        }
    }
    return CT_OK;
}

/* What a stump costs at least, where triples say so. */
static int64_t least_stump(const ct_place *place)
{
    if (place->n_tests < 2) return 0;
    return ct_counting_stump(place->few->counting, place->tests, place->in);
}

ct_status ct_few_valued_stumps(ct_set_stumps *stumps, ct_worker *worker, const ct_place *place,
                               const uint32_t *groups, int64_t budget)
{
    const ct_few_valued *few = place->few;
    const ct_triples *t = &few->tests->counts;
    int64_t most = ct_set_stumps_wrong(worker, place->node, budget);
    stumps->n = 0;
    if (most < 0 || least_stump(place) > budget) return CT_OK;
    count_both(worker, place);
    for (uint32_t c = 0; c < t->n_classes; c++)
        few->of_class[c] = ct_counting_rows(few->counting, place->tests, place->in, c);
    for (uint32_t k = 0; k < t->n_tests; k++)
        few->wrong[k] = wrong_of(place, k, few->of_class, (uint32_t) most);
    return push_stumps(stumps, worker, place, groups);
}
