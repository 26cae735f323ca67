#include "exact/rows/tests.h"

#include <stdlib.h>

/* ---- the tests of a layout ---- */

/* Where counts of tests pay: the greatest number of values of a column, of splits in all, and of
 * splits of a column on average, by the depth of the search; and where sums do. Measured, see
 * bench/notes/exact.md and regression.md. */
enum {
    MOST_VALUES = 32,
    MOST_SPLITS = 4096,
    SPLITS_AT_TWO = 4,
    SPLITS_AT_THREE = 12,
    SPLITS_SUMMED = 20
};

static int has_two_values(const ct_table *table)
{
    for (uint32_t f = 0; f < table->n_cols; f++)
        if (table->n_values[f] > 2) return 0;
    return 1;
}

/* Whether trees of the table may be counted. With a response their leaves may have a least size
 * where no column of the table has more than two values: facts M and I of bound/interval.h, which
 * do not hold then of bounds that go by the rows of a node alone, are of no use there. Without,
 * bounds are of trees of any sizes (search/sized.h). */
static int may_count(const ct_worker *worker)
{
    const ct_exact_search *search = worker->search;
    if (!ct_uses(worker, CT_SHORTCUT_TRIPLES) || worker->evidence || worker->queue) return 0;
    if (!search->costs->plain && !search->costs->response) return 0;
    return search->min_split <= 2 || search->costs->plain ||
           (ct_search_is_sized(worker) && has_two_values(search->table));
}

static int wanted(const ct_worker *worker, const ct_layout *layout)
{
    const ct_exact_search *search = worker->search;
    uint64_t splits = 0;
    if (!may_count(worker)) return 0;
    for (uint32_t f = 0; f < layout->n_cols; f++) {
        if (layout->n_values[f] > MOST_VALUES) return 0;
        splits += layout->n_values[f] - 1;
    }
    unsigned depth = search->options->depth;
    uint32_t each = depth == 2              ? SPLITS_AT_TWO
                    : search->costs->response ? SPLITS_SUMMED
                    : depth == 3              ? SPLITS_AT_THREE
                                              : MOST_VALUES;
    return splits > 0 && splits <= MOST_SPLITS && splits <= (uint64_t) each * layout->n_cols &&
           splits * search->options->test_rows <= (uint64_t) layout->n_cols * layout->n_rows;
}

/* What making the tests needs besides. */
typedef struct {
    uint32_t *place;   /* [row] in the order of the first feature */
    uint64_t *rows;    /* [set_words] scratch */
    uint32_t *slots;   /* [mask + 1] tests by the hash of their rows, and 1; 0: none */
    uint32_t mask;
} making;

static uint32_t hash_of(const uint64_t *set, size_t words)
{
    uint64_t hash = 0;
    for (size_t w = 0; w < words; w++)
        hash = (hash ^ set[w]) * UINT64_C(0x9e3779b97f4a7c15), hash ^= hash >> 29;
    return (uint32_t) (hash >> 16);
}

/* The test of the rows in place n_tests of the sets, which is a new one or one that is there. */
static uint32_t find_or_add(const making *m, ct_tests *tests)
{
    size_t words = tests->set_words;
    const uint64_t *set = tests->sets + tests->n_tests * words;
    uint32_t slot = hash_of(set, words) & m->mask;
    for (; m->slots[slot]; slot = (slot + 1) & m->mask) {
        uint32_t test = m->slots[slot] - 1;
        if (!memcmp(tests->sets + test * words, set, words * sizeof *set)) return test;
    }
    m->slots[slot] = ++tests->n_tests;
    return tests->n_tests - 1;
}

/* Adds the tests of feature f. Of a test and its complement the one without the first place is
 * kept. */
static void add_feature(const ct_layout *layout, uint32_t f, const making *m, ct_tests *tests)
{
    size_t words = tests->set_words;
    uint32_t split = tests->first[f], t = 0;
    memset(m->rows, 0, words * sizeof *m->rows);
    for (uint32_t j = 0; t + 1 < layout->n_values[f]; j++) {
        uint32_t place = m->place[layout->order[f][j]], known = tests->n_tests;
        m->rows[place / 64] |= UINT64_C(1) << place % 64;
        if (!ct_bit(layout->ties[f], j)) continue;
        uint64_t *set = tests->sets + known * words, turn = UINT64_C(0) - (m->rows[0] & 1);
        for (size_t w = 0; w < words; w++) set[w] = m->rows[w] ^ turn;
        if (turn && layout->n_rows % 64) set[words - 1] &= ct_low_bits(layout->n_rows % 64);
        tests->left_is_in[split] = !turn;
        tests->test_of[split++] = find_or_add(m, tests);
        t++;
        if (tests->n_tests == known) continue;
        tests->feature[known] = f;
        tests->threshold[known] = t;
        tests->left[known] = !turn;
    }
    tests->first[f + 1] = split;
}

/* The records of the rows, from the sets of the tests, blocks of 8 x 8 bits at a time. */
static void write_records(const ct_layout *layout, ct_tests *tests)
{
    tests->words = (tests->n_tests + 63) / 64;
    memset(tests->records, 0, layout->n_rows * tests->words * sizeof *tests->records);
    for (uint32_t row = 0; row < layout->n_rows; row += 8)
        for (uint32_t test = 0; test < tests->n_tests; test += 8) {
            uint64_t block = 0;
            for (uint32_t i = 0; i < 8 && test + i < tests->n_tests; i++)
                block |= (tests->sets[(test + i) * tests->set_words + row / 64] >> row % 64 & 0xff)
                         << 8 * i;
            block = ct_transpose8(block);
            for (uint32_t i = 0; i < 8 && row + i < layout->n_rows; i++)
                tests->records[(row + i) * tests->words + test / 64] |= (block >> 8 * i & 0xff)
                                                                        << test % 64;
        }
}

ct_status ct_tests_make(ct_worker *worker, ct_layout *layout)
{
    ct_arena *arena = &worker->arena;
    making m;
    if (!wanted(worker, layout)) return CT_OK;
    ct_tests *tests = CT_ARENA_ZEROED(arena, ct_tests, 1);
    size_t n_splits = 0;
    for (uint32_t f = 0; f < layout->n_cols; f++) n_splits += layout->n_values[f] - 1;
    uint32_t *numbers = CT_ARENA_ZEROED(arena, uint32_t, 3 * n_splits + layout->n_cols + 1);
    uint8_t *left = CT_ARENA_NEW(arena, uint8_t, 2 * n_splits);
    uint64_t *records = CT_ARENA_NEW(arena, uint64_t, layout->n_rows * ((n_splits + 63) / 64));
    size_t set_words = ((size_t) layout->n_rows + 63) / 64;
    uint64_t *sets = CT_ARENA_NEW(arena, uint64_t, (n_splits + 1) * set_words);
    ct_arena_mark mark = ct_arena_here(arena);
    m.mask = (UINT32_C(2) << ct_bit_width(n_splits)) - 1;
    m.slots = CT_ARENA_ZEROED(arena, uint32_t, (size_t) m.mask + 1);
    m.rows = CT_ARENA_NEW(arena, uint64_t, set_words);
    m.place = CT_ARENA_NEW(arena, uint32_t, layout->n_rows);
    if (!tests || !numbers || !left || !records || !sets || !m.slots || !m.rows || !m.place)
        return ct_worker_no_memory(worker);
    *tests = (ct_tests){.records = records, .set_words = set_words, .sets = sets,
                        .feature = numbers, .threshold = numbers + n_splits,
                        .test_of = numbers + 2 * n_splits, .first = numbers + 3 * n_splits,
                        .left = left, .left_is_in = left + n_splits};
    for (uint32_t j = 0; j < layout->n_rows; j++) m.place[layout->order[0][j]] = j;
    for (uint32_t f = 0; f < layout->n_cols; f++) add_feature(layout, f, &m, tests);
    write_records(layout, tests);
    ct_arena_release(arena, mark);
    layout->tests = tests;
    return CT_OK;
}

/* ---- the tests of a node ---- */

ct_status ct_tests_side(ct_worker *worker, ct_arena *arena, const ct_node *parent, uint32_t f,
                        uint32_t t, int side, const ct_totals *totals, ct_node *node)
{
    const ct_layout *layout = parent->layout;
    const ct_tests *tests = layout->tests;
    const uint64_t *in = tests->sets + tests->test_of[tests->first[f] + t - 1] * tests->set_words;
    uint64_t turn = UINT64_C(0) - (uint64_t) (ct_tests_left_is_in(layout, f, t) == side);
    uint64_t *sets = CT_ARENA_NEW(arena, uint64_t, layout->n_classes * layout->words);
    if (!sets) return ct_worker_no_memory(worker);
    *node = *parent;
    node->rows.sets = sets;
    node->totals = *totals;
    node->leaf_cost = ct_leaf_cost(worker->search->costs, totals);
    node->n_rows = 0;
    for (uint32_t c = 0; c < layout->n_classes; c++) {
        node->n_rows += totals->rows[c];
        const uint64_t *from = ct_node_sets(parent, 0) + c * layout->words;
        for (size_t w = node->rows.begin[0]; w < node->rows.end[0]; w++)
            sets[c * layout->words + w] = w < tests->set_words ? from[w] & (in[w] ^ turn) : 0;
    }
    CT_ASSERT(node->n_rows > 0 && node->n_rows < parent->n_rows);
    return CT_OK;
}

/* The rows of a node by the tests of its layout. */
typedef struct {
    const ct_tests *tests;
    ct_test_rows rows;
    size_t stride;
    uint32_t *of_class;  /* [class] rows, of the classes that have any */
    uint32_t n_classes;
    uint8_t *places;     /* [word] which have a row */
    uint8_t all;         /* all bits */
    void *counts;        /* [class][stride] */
    unsigned lane;
    uint8_t *turn;       /* [test] 0xff where less than half of the rows are not in it, else 0 */
    /* [test] sum of squares of class counts by rows, of both sides; or those of the fewest rows
     * promise most */
    double *promise;
    int smallest_first;
} listing;

/* Lists the places of the members of one class of the node; how many. */
static uint32_t list_class(const ct_node *node, uint32_t c, uint32_t *list)
{
    const uint64_t *sets = ct_node_sets(node, 0) + c * node->layout->words;
    uint32_t n = 0;
    for (size_t w = node->rows.begin[0]; w < node->rows.end[0]; w++)
        for (uint64_t rest = sets[w]; rest; rest &= rest - 1)
            list[n++] = (uint32_t) (w * 64) + ct_trailing_zeros(rest);
    return n;
}

/* Fills in the rows; list[n_rows] is scratch memory. */
static void gather_rows(const ct_worker *worker, const ct_node *node, listing *l, uint32_t *list)
{
    const ct_tests *tests = l->tests;
    uint32_t word = 0;
    for (uint32_t c = 0; c < node->layout->n_classes; c++) {
        uint32_t n = list_class(node, c, list);
        if (!n) continue;
        for (uint32_t i = 0; i < n; i += 8, word++) {
            uint32_t some = n - i < 8 ? n - i : 8;
            uint8_t *bytes = l->rows.bytes + word * l->stride;
            worker->search->kernels->gather(tests->records, tests->words, list + i, some, bytes);
            memset(bytes + 64 * tests->words, 0, l->stride - 64 * tests->words);
            l->places[word] = (uint8_t) ((1U << some) - 1);
        }
        l->of_class[l->n_classes] = n;
        l->rows.ends[l->n_classes++] = word;
    }
    l->rows.n_words = word;
}

static ct_status listing_new(ct_worker *worker, ct_arena *arena, const ct_node *node, listing *l)
{
    uint32_t n_classes = node->layout->n_classes;
    size_t most_words = (size_t) node->n_rows / 8 + n_classes;
    l->tests = node->layout->tests;
    l->stride = 64 * l->tests->words + CT_TEST_BLOCK;
    l->lane = ct_triples_lane(node->n_rows);
    l->n_classes = 0;
    l->rows.ends = CT_ARENA_NEW(arena, uint32_t, n_classes);
    l->rows.bytes = CT_ARENA_NEW(arena, uint8_t, most_words * l->stride);
    l->of_class = CT_ARENA_NEW(arena, uint32_t, n_classes);
    l->places = CT_ARENA_NEW(arena, uint8_t, most_words);
    l->all = 0xff;
    l->counts = CT_ARENA_NEW(arena, uint8_t, n_classes * l->stride * l->lane / 8);
    l->turn = CT_ARENA_NEW(arena, uint8_t, l->tests->n_tests);
    l->promise = CT_ARENA_NEW(arena, double, l->tests->n_tests);
    uint32_t *list = CT_ARENA_NEW(arena, uint32_t, node->n_rows);
    if (!l->rows.ends || !l->rows.bytes || !l->of_class || !l->places || !l->counts ||
        !l->turn || !l->promise || !list)
        return CT_NO_MEMORY;
    gather_rows(worker, node, l, list);
    worker->search->kernels->triples[l->lane / 16].count(&l->rows, l->n_classes, l->stride,
                                                         l->tests->n_tests, &l->all, 0, l->counts,
                                                         l->stride);
    return CT_OK;
}

static uint32_t count_of(const listing *l, uint32_t c, uint32_t test)
{
    uint32_t in = (uint32_t) ct_triples_at(l->counts, l->lane, c * l->stride + test);
    return l->turn[test] ? l->of_class[c] - in : in;
}

/* Turns a test so that no more than half of the rows are in it, and a test and its complement are
 * the same; 0 if it separates nothing. */
static int look_at(listing *l, uint32_t n_rows, uint32_t test)
{
    uint32_t in = 0;
    double squares[2] = {0, 0};
    l->turn[test] = 0;
    for (uint32_t c = 0; c < l->n_classes; c++) in += count_of(l, c, test);
    if (!in || in == n_rows) return 0;
    if (2 * (uint64_t) in > n_rows || (2 * (uint64_t) in == n_rows && l->rows.bytes[test] & 1)) {
        l->turn[test] = 0xff;
        in = n_rows - in;
    }
    for (uint32_t c = 0; c < l->n_classes; c++) {
        double inside = count_of(l, c, test), outside = l->of_class[c] - inside;
        squares[1] += inside * inside;
        squares[0] += outside * outside;
    }
    l->promise[test] = l->smallest_first ? -(double) in
                                         : squares[1] / in + squares[0] / (n_rows - in);
    return 1;
}

static uint8_t byte_of(const listing *l, uint32_t word, uint32_t test)
{
    return (uint8_t) ((l->rows.bytes[word * l->stride + test] ^ l->turn[test]) & l->places[word]);
}

static int same(const listing *l, uint32_t a, uint32_t b)
{
    for (uint32_t c = 0; c < l->n_classes; c++)
        if (count_of(l, c, a) != count_of(l, c, b)) return 0;
    for (uint32_t w = 0; w < l->rows.n_words; w++)
        if (byte_of(l, w, a) != byte_of(l, w, b)) return 0;
    return 1;
}

/* Finds the different tests: their numbers in tests[], in their order; how many. alike[test] is the
 * first that is the same, or CT_NO_TEST. slots[mask + 1] are 0. */
static uint32_t differ(listing *l, uint32_t n_rows, uint32_t *tests, int32_t *alike,
                       uint32_t *slots, uint32_t mask)
{
    uint32_t n = 0;
    for (uint32_t test = 0; test < l->tests->n_tests; test++) {
        alike[test] = CT_NO_TEST;
        if (!look_at(l, n_rows, test)) continue;
        uint32_t slot = 0;
        for (uint32_t c = 0; c < l->n_classes; c++)
            slot = (slot ^ count_of(l, c, test)) * UINT32_C(0x9e3779b1), slot ^= slot >> 15;
        slot &= mask;
        while (slots[slot] && !same(l, slots[slot] - 1, test)) slot = (slot + 1) & mask;
        if (!slots[slot]) {
            slots[slot] = test + 1;
            tests[n++] = test;
        }
        alike[test] = (int32_t) slots[slot] - 1;
    }
    return n;
}

/* Sorts tests by promise, the best first, of equal ones the first: by merging. */
static void sort_tests(const double *promise, uint32_t *tests, uint32_t n, uint32_t *spare)
{
    if (n < 2) return;
    uint32_t half = n / 2, i = 0, j = half;
    sort_tests(promise, tests, half, spare);
    sort_tests(promise, tests + half, n - half, spare);
    for (uint32_t k = 0; k < n; k++) {
        int second = i == half || (j < n && promise[tests[j]] > promise[tests[i]]);
        spare[k] = tests[second ? j++ : i++];
    }
    memcpy(tests, spare, n * sizeof *tests);
}

/* The bytes of the node's own tests, and the records of its rows. */
static void fill_rows(const ct_worker *worker, const listing *l, ct_test_node *tests)
{
    ct_triples *t = &tests->counts;
    for (uint32_t w = 0; w < t->rows.n_words; w++) {
        uint8_t *bytes = t->rows.bytes + w * t->stride, place = l->places[w];
        const uint8_t *from = l->rows.bytes + w * l->stride, *turn = l->turn;
        const uint32_t *test = tests->test;
        for (uint32_t i = 0, n = t->n_tests; i < n; i++)
            bytes[i] = (uint8_t) ((from[test[i]] ^ turn[test[i]]) & place);
        memset(bytes + t->n_tests, 0, t->stride - t->n_tests);
        worker->search->kernels->scatter(bytes, tests->words,
                                         tests->records + 8 * w * tests->words);
    }
}

static ct_status tests_new(ct_arena *arena, const listing *l, ct_test_node *tests)
{
    ct_triples *t = &tests->counts;
    t->stride = ((size_t) t->n_tests + 7) / 8 * 8 + CT_TEST_BLOCK;
    t->n_classes = l->n_classes;
    t->rows.n_words = l->rows.n_words;
    t->rows.ends = l->rows.ends;
    t->of_class = l->of_class;
    tests->lane = l->lane;
    tests->words = ((size_t) t->n_tests + 63) / 64;
    size_t row = t->stride * l->lane / 8;
    t->rows.bytes = CT_ARENA_NEW(arena, uint8_t, t->rows.n_words * t->stride);
    tests->records = CT_ARENA_NEW(arena, uint64_t, 8 * t->rows.n_words * tests->words);
    if (!t->rows.bytes || !tests->records) return CT_NO_MEMORY;
    if (l->smallest_first) return CT_OK; /* pairs are added up, not counted */
    t->singles = CT_ARENA_ZEROED(arena, uint8_t, t->n_classes * row);
    t->pairs = CT_ARENA_ZEROED(arena, uint8_t, t->n_classes * t->n_tests * row);
    return t->singles && t->pairs ? CT_OK : CT_NO_MEMORY;
}

ct_status ct_tests_node(ct_worker *worker, ct_arena *arena, const ct_node *node,
                        ct_test_node *tests)
{
    ct_triples *t = &tests->counts;
    uint32_t n_tests = node->layout->tests->n_tests,
             mask = (UINT32_C(2) << ct_bit_width(n_tests)) - 1;
    listing l;
    l.smallest_first = worker->search->costs->response != NULL;
    memset(tests, 0, sizeof *tests);
    t->n_rows = node->n_rows;
    tests->own = CT_ARENA_NEW(arena, int32_t, n_tests);
    tests->test = CT_ARENA_NEW(arena, uint32_t, n_tests);
    uint32_t *spare = CT_ARENA_NEW(arena, uint32_t, n_tests),
             *slots = CT_ARENA_ZEROED(arena, uint32_t, (size_t) mask + 1);
    int32_t *alike = CT_ARENA_NEW(arena, int32_t, n_tests);
    if (!tests->own || !tests->test || !spare || !slots || !alike ||
        listing_new(worker, arena, node, &l) != CT_OK)
        return ct_worker_no_memory(worker);
    t->n_tests = differ(&l, node->n_rows, tests->test, alike, slots, mask);
    if (t->n_tests > CT_MOST_TESTS) return CT_OK;
    sort_tests(l.promise, tests->test, t->n_tests, spare);
    if (tests_new(arena, &l, tests) != CT_OK) return ct_worker_no_memory(worker);
    for (uint32_t i = 0; i < t->n_tests; i++) tests->own[tests->test[i]] = (int32_t) i;
    tests->turned = l.turn;
    for (uint32_t test = 0; test < n_tests; test++)
        tests->own[test] = alike[test] < 0 ? CT_NO_TEST : tests->own[alike[test]];
    fill_rows(worker, &l, tests);
    if (!l.smallest_first) ct_tests_kernels(worker, tests)->pairs(t);
    return CT_OK;
}
