#include "forest/walk/members.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"

enum { ROWS = 2048, BUCKETS = 512, ENTRIES = 1 << 23 /* of rows at a time */ };

/* A training row's share of a tree. */
typedef struct {
    uint32_t rank, share;
} entry;

/* The shares that a row has been given, in memory kept for the next one. */
typedef struct {
    entry *entries; /* owned */
    uint32_t n, room, trees;
} shares;

typedef struct {
    shares rows[ROWS];
    shares chosen; /* those of a bucket */
    uint64_t buckets[BUCKETS];
    uint32_t leaf[ROWS], begin[ROWS], first[ROWS]; /* of the tree under way */
    int64_t found; /* rows that were found among those their tree was grown from */
} scratch;

typedef struct {
    const ct_forest_members_request *request;
    scratch *scratches; /* [threads] */
} plan;

/* ---- members ---- */

static int leaf_is_valid(const ct_hist_tree *tree, uint32_t leaf, uint32_t begin, uint32_t n_ranks)
{
    const uint32_t end = tree->ends[leaf];
    uint64_t weight = 0;
    if (end <= begin) return 0;
    for (uint32_t i = begin; i < end; i++) {
        const uint32_t member = tree->members[i];
        if (ct_hist_rank(member) >= n_ranks || !ct_hist_drawn(member) ||
            (i > begin && ct_hist_rank(tree->members[i - 1]) > ct_hist_rank(member)))
            return 0;
        weight += ct_hist_drawn(member);
    }
    return weight == tree->counts[leaf] && weight < UINT64_C(1) << 31;
}

int ct_forest_members_are_valid(const ct_hist_forest *forest, uint32_t n_ranks)
{
    for (uint32_t i = 0; i < forest->n_trees; i++)
        for (uint32_t leaf = 0, begin = 0; leaf < forest->trees[i].n_leaves;
             begin = forest->trees[i].ends[leaf++])
            if (!leaf_is_valid(&forest->trees[i], leaf, begin, n_ranks)) return 0;
    return 1;
}

int64_t ct_forest_members_rows(const ct_hist_forest *forest)
{
    int64_t n = 0;
    for (uint32_t i = 0; i < forest->n_trees; i++) {
        const ct_hist_tree *tree = &forest->trees[i];
        CT_ASSERT(tree->n_leaves > 0 && tree->members && tree->ends);
        const uint32_t all = tree->ends[tree->n_leaves - 1];
        n += all;
        for (uint32_t k = 1; k < all; k++) /* a row in one leaf alone has neighbours there */
            n -= ct_hist_rank(tree->members[k]) == ct_hist_rank(tree->members[k - 1]);
    }
    return n;
}

int ct_forest_members_have(const uint32_t *members, uint32_t n, uint32_t rank)
{
    CT_ASSERT(members || !n);
    uint32_t i = 0;
    while (i < n && ct_hist_rank(members[i]) != rank) i++;
    return i < n;
}

/* ---- shares ---- */

static int room_for(shares *s, uint32_t n)
{
    if (s->n + n <= s->room) return 1;
    const size_t held = s->n * sizeof *s->entries, room = 2 * ((size_t) s->n + n);
    if (room >= UINT32_MAX || !ct_enlarge(&s->entries, held, room * sizeof *s->entries - held))
        return 0;
    s->room = (uint32_t) room;
    return 1;
}

static int give(shares *s, const uint32_t *members, uint32_t n, uint32_t weight)
{
    if (!room_for(s, n)) return 0;
    const uint64_t each = ((UINT64_C(1) << 63) + weight - 1) / weight;
    entry *to = s->entries + s->n;
    uint64_t drawn = 0, before = 0;
    for (uint32_t i = 0; i < n; i++) {
        drawn += ct_hist_drawn(members[i]);
        const uint64_t now = drawn * each >> 32;
        to[i] = (entry){ct_hist_rank(members[i]), (uint32_t) (now - before)};
        before = now;
    }
    CT_ASSERT(before == UINT64_C(1) << CT_MEMBER_UNIT);
    s->n += n;
    s->trees++;
    return 1;
}

static int visit_tree(void *data, unsigned worker, uint32_t number, uint32_t from, uint32_t n,
                      const uint32_t *leaves)
{
    const plan *p = (const plan *) data;
    const ct_forest_members_request *request = p->request;
    const ct_hist_tree *tree = &request->forest->trees[number];
    scratch *d = &p->scratches[worker];
    /* one loop for each look-up that misses the caches, so that many are under way at a time */
    for (uint32_t i = 0; i < n; i++) d->leaf[i] = tree->nodes[leaves[i]].next;
    for (uint32_t i = 0; i < n; i++) d->begin[i] = d->leaf[i] ? tree->ends[d->leaf[i] - 1] : 0;
    for (uint32_t i = 0; i < n; i++) d->first[i] = tree->members[d->begin[i]];
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t leaf = d->leaf[i], begin = d->begin[i], size = tree->ends[leaf] - begin;
        shares *s = &d->rows[i];
        if (number == 0) s->n = s->trees = 0;
        if (request->own &&
            ct_forest_members_have(tree->members + begin, size, request->own[from + i]))
            d->found++;
        else if (!give(s, tree->members + begin, size, tree->counts[leaf])) return 0;
    }
    return 1;
}

/* ---- quantiles ---- */

static int compare(const void *a, const void *b)
{
    const uint32_t one = ((const entry *) a)->rank, other = ((const entry *) b)->rank;
    return (one > other) - (one < other);
}

/* What weights are to sum up to, if each tree may be less by its rounding. */
static uint64_t wanted(double probability, uint32_t trees)
{
    const double all = ceil(ldexp(probability * trees, CT_MEMBER_UNIT)) - trees;
    return all > 1 ? (uint64_t) all : 1;
}

typedef struct {
    uint32_t low, shift; /* ranks of a bucket: those from low on, 2^shift each */
} bucketing;

static bucketing fill_buckets(scratch *d, const shares *s)
{
    bucketing b = {UINT32_MAX, 0};
    uint32_t high = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        const uint32_t rank = s->entries[i].rank;
        b.low = rank < b.low ? rank : b.low;
        high = rank > high ? rank : high;
    }
    while ((high - b.low) >> b.shift >= BUCKETS) b.shift++;
    memset(d->buckets, 0, sizeof d->buckets);
    for (uint32_t i = 0; i < s->n; i++)
        d->buckets[(s->entries[i].rank - b.low) >> b.shift] += s->entries[i].share;
    return b;
}

/* The entries of a bucket, in order. */
static int choose(scratch *d, const shares *s, const bucketing *b, uint32_t bucket)
{
    shares *chosen = &d->chosen;
    chosen->n = 0;
    if (!room_for(chosen, s->n)) return 0;
    for (uint32_t i = 0; i < s->n; i++)
        if ((s->entries[i].rank - b->low) >> b->shift == bucket)
            chosen->entries[chosen->n++] = s->entries[i];
    qsort(chosen->entries, chosen->n, sizeof *chosen->entries, compare);
    return 1;
}

/* The rank of each probability; these increase. */
static int say_quantiles(const ct_forest_members_request *request, scratch *d, const shares *s,
                         int32_t *out)
{
    const bucketing b = fill_buckets(d, s);
    uint64_t before = 0; /* in the buckets before */
    uint32_t bucket = 0, ready = BUCKETS;
    for (uint32_t k = 0; k < request->n_probabilities; k++, out += request->n_rows) {
        const uint64_t want = wanted(request->probabilities[k], s->trees);
        while (before + d->buckets[bucket] < want) before += d->buckets[bucket++];
        if (b.shift && bucket != ready && !choose(d, s, &b, bucket)) return 0;
        ready = bucket;
        if (!b.shift) {
            *out = (int32_t) (b.low + bucket) + 1;
            continue;
        }
        uint64_t sum = before;
        uint32_t i = 0;
        while ((sum += d->chosen.entries[i].share) < want) i++;
        *out = (int32_t) d->chosen.entries[i].rank + 1;
    }
    return 1;
}

static void say_weights(const ct_forest_members_request *request, const shares *s, double *out)
{
    const double all = ldexp(s->trees, CT_MEMBER_UNIT);
    for (uint32_t i = 0; i < s->n; i++)
        out[s->entries[i].rank * (size_t) request->n_rows] += s->entries[i].share / all;
}

static int visit_rows(void *data, unsigned worker, uint32_t from, uint32_t n)
{
    const plan *p = (const plan *) data;
    const ct_forest_members_request *request = p->request;
    scratch *d = &p->scratches[worker];
    for (uint32_t i = 0; i < n; i++) {
        const shares *s = &d->rows[i];
        if (s->trees && request->weights) say_weights(request, s, request->weights + from + i);
        if (s->trees && request->quantiles &&
            !say_quantiles(request, d, s, request->quantiles + from + i))
            return 0;
    }
    return 1;
}

/* ---- all steps ---- */

/* Rows at a time, so that their entries have room. */
static uint32_t rows_at_a_time(const ct_hist_forest *forest)
{
    double entries = 0; /* of a row like those the trees were grown from */
    for (uint32_t i = 0; i < forest->n_trees; i++) {
        const ct_hist_tree *tree = &forest->trees[i];
        double squares = 0;
        for (uint32_t leaf = 0, begin = 0; leaf < tree->n_leaves; begin = tree->ends[leaf++])
            squares += (double) (tree->ends[leaf] - begin) * (tree->ends[leaf] - begin);
        entries += squares / tree->ends[tree->n_leaves - 1];
    }
    return entries * ROWS < ENTRIES ? ROWS : entries < ENTRIES ? (uint32_t) (ENTRIES / entries) : 1;
}

static void empty(const ct_forest_members_request *request)
{
    const size_t n = request->n_rows;
    if (request->quantiles)
        memset(request->quantiles, 0, n * request->n_probabilities * sizeof *request->quantiles);
    for (size_t i = 0; request->weights && i < n * request->n_ranks; i++) request->weights[i] = 0;
}

static void free_scratch(scratch *d)
{
    for (uint32_t i = 0; i < ROWS; i++) ct_free(d->rows[i].entries);
    ct_free(d->chosen.entries);
}

ct_status ct_forest_members_predict(const ct_forest_members_request *request,
                                    const ct_hist_code_column *codes, const ct_column *columns,
                                    unsigned threads, ct_halt *stop, ct_error *error)
{
    CT_ASSERT(request->quantiles || request->weights);
    CT_ASSERT(request->probabilities || !request->quantiles);
    plan p = {request, NULL};
    const ct_hist_visitor visitor = {&p, rows_at_a_time(request->forest), visit_tree, visit_rows};
    int64_t found = 0;
    if (!threads) threads = 1;
    p.scratches = (scratch *) ct_alloc_zeroed(threads, sizeof *p.scratches);
    if (!p.scratches) return ct_fail(error, CT_NO_MEMORY, "no memory to predict");
    empty(request);
    ct_status status = ct_hist_visit(request->forest, codes, columns, request->n_rows, &visitor,
                                     threads, stop, error);
    for (unsigned i = 0; i < threads; i++) {
        found += p.scratches[i].found;
        free_scratch(&p.scratches[i]);
    }
    ct_free(p.scratches);
    if (status == CT_OK && request->own && !ct_atomic_read(&stop->stopped) &&
        found != ct_forest_members_rows(request->forest))
        return ct_fail(error, CT_BAD_INPUT, "these are not the rows the forest was grown from");
    return status;
}
