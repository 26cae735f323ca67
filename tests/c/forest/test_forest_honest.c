/* Honest trees: their splits are those of the one half of the sample, their leaves those of the
 * other, and rows left out are in neither. */
#include "check.h"
#include "forest_data.h"

typedef struct {
    forest_table t;
    uint32_t *ranks; /* of numbers */
    ct_hist_options o;
    ct_hist_forest forest, plain; /* the latter from the half that chooses splits alone */
    ct_hist_extra extra;
    uint32_t **chosen, **filled; /* [tree][row] */
} honest;

enum { TREES = 3 };

static void grow_plain(honest *h)
{
    ct_hist_options o = h->o;
    ct_hist_data data = h->t.data;
    ct_hist_extra extra;
    ct_error error;
    const int32_t *drawn[TREES];
    for (uint32_t i = 0; i < TREES; i++) drawn[i] = (const int32_t *) h->chosen[i];
    data.drawn = drawn;
    data.sampling = NULL;
    o.honesty = 0;
    CHECK_INT(ct_hist_grow(&data, &o, &h->plain, &extra, &error), CT_OK);
    ct_hist_extra_free(&extra);
}

static honest honest_new(uint64_t seed, uint32_t n, uint32_t n_classes, double share)
{
    honest h;
    ct_error error;
    h.t = forest_table_new(seed, n, 4, n_classes, seed % 2 ? 0 : 9, 0.1, CT_HIST_CODES);
    h.ranks = (uint32_t *) malloc(n * sizeof *h.ranks);
    for (uint32_t i = 0; i < n; i++) h.ranks[i] = i;
    if (!n_classes) h.t.data.ranks = h.ranks;
    h.o = forest_options(&h.t, TREES);
    h.o.replace = seed % 3 > 0;
    h.o.sample = h.o.replace ? n : 1 + n / 2;
    h.o.honesty = share;
    h.o.oob = h.o.permutation = 1;
    h.o.min_n = 1 + (uint32_t) seed % 4;
    h.chosen = (uint32_t **) malloc(TREES * sizeof *h.chosen);
    h.filled = (uint32_t **) malloc(TREES * sizeof *h.filled);
    for (uint32_t i = 0; i < TREES; i++) {
        h.chosen[i] = forest_sample(&h.t.data, &h.o, i);
        h.filled[i] = (uint32_t *) malloc(n * sizeof **h.filled);
        ct_hist_halve(h.o.seed, i, share, n, NULL, h.chosen[i], h.filled[i]);
    }
    CHECK_INT(ct_hist_grow(&h.t.data, &h.o, &h.forest, &h.extra, &error), CT_OK);
    grow_plain(&h);
    return h;
}

static void honest_free(honest *h)
{
    for (uint32_t i = 0; i < TREES; i++) {
        free(h->chosen[i]);
        free(h->filled[i]);
    }
    free(h->chosen);
    free(h->filled);
    free(h->ranks);
    ct_hist_forest_free(&h->forest);
    ct_hist_forest_free(&h->plain);
    ct_hist_extra_free(&h->extra);
    forest_table_free(&h->t);
}

/* Rows of a sample are in one half each, shares of them as asked for. */
static void halves(void)
{
    for (uint32_t n = 1; n < 40; n++) {
        for (uint32_t tree = 0; tree < 8; tree++) {
            uint32_t counts[40], kept[40], fills[40], rows = 0, choose = 0, fill = 0;
            for (uint32_t i = 0; i < n; i++) rows += (counts[i] = (i + tree) % 3) > 0;
            if (!rows) continue;
            memcpy(kept, counts, n * sizeof *kept);
            ct_hist_halve(3, tree, 0.3, n, NULL, kept, fills);
            for (uint32_t i = 0; i < n; i++) {
                choose += kept[i] > 0;
                fill += fills[i] > 0;
                CHECK(kept[i] == counts[i] || fills[i] == counts[i]);
                CHECK(rows == 1 || !kept[i] || !fills[i]);
            }
            if (rows == 1) continue;
            CHECK_INT(choose + fill, rows);
            CHECK(choose >= 1 && fill >= 1 && fabs(choose - 0.3 * rows) <= 1);
        }
    }
}

/* Rows of the table which are in the node of a plain tree, of those that fill. */
typedef struct {
    const honest *h;
    uint32_t tree;
} place;

static int goes_left(const forest_table *t, const ct_hist_node *node, uint32_t row)
{
    const double x = t->values[(size_t) node->feature * t->n_rows + row];
    if (x != x) return (node->next & CT_HIST_FLAG) != 0;
    return x < raw_threshold(t->codes, node);
}

static void leaf_has(const place *p, const ct_hist_node *leaf, const uint32_t *rows, uint32_t n)
{
    const forest_table *t = &p->h->t;
    const ct_hist_tree *tree = &p->h->forest.trees[p->tree];
    const uint32_t *filled = p->h->filled[p->tree];
    uint32_t counts[8] = {0}, weight = 0;
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        counts[t->n_classes ? t->classes[rows[i]] : 0] += filled[rows[i]];
        weight += filled[rows[i]];
        sum += filled[rows[i]] * t->numbers[rows[i]];
    }
    if (!t->n_classes) {
        CHECK_INT(tree->counts[leaf->next], weight);
        CHECK(fabs(tree->means[leaf->next] - sum / weight) < 1e-12);
        const uint32_t begin = leaf->next ? tree->ends[leaf->next - 1] : 0;
        CHECK_INT(tree->ends[leaf->next] - begin, n);
        for (uint32_t i = 0; i < n; i++)
            CHECK_INT(tree->members[begin + i], ct_hist_member(rows[i], filled[rows[i]]));
        return;
    }
    for (uint32_t k = 0; k < t->n_classes; k++)
        if (leaf->next & CT_HIST_MIXED)
            CHECK_INT(tree->counts[(leaf->next & ~CT_HIST_MIXED) * t->n_classes + k], counts[k]);
        else
            CHECK_INT(counts[k], k == leaf->next % CT_HIST_CLASSES
                                     ? leaf->next / CT_HIST_CLASSES : 0);
}

/* The node of the honest tree is that of the plain one, or of the first below it both of whose
 * sides have rows that fill; so are all below. */
static void compare(const place *p, uint32_t own, uint32_t plain, const uint32_t *rows, uint32_t n)
{
    const ct_hist_node *a = &p->h->forest.trees[p->tree].nodes[own],
                       *b = &p->h->plain.trees[p->tree].nodes[plain];
    uint32_t *sides = (uint32_t *) malloc(2 * n * sizeof *sides), n_left = 0, n_right = 0;
    CHECK(n > 0);
    if (b->feature == CT_HIST_LEAF) {
        CHECK_INT(a->feature, CT_HIST_LEAF);
        leaf_has(p, a, rows, n);
        free(sides);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        if (goes_left(&p->h->t, b, rows[i])) sides[n_left++] = rows[i];
        else sides[n + n_right++] = rows[i];
    const uint32_t below = b->next & CT_HIST_CHILD;
    if (!n_left || !n_right) {
        compare(p, own, below + !n_left, rows, n);
    } else {
        CHECK(a->feature == b->feature && a->cut == b->cut);
        CHECK_INT(a->next & CT_HIST_FLAG, b->next & CT_HIST_FLAG);
        if (a->feature == b->feature) {
            compare(p, a->next & CT_HIST_CHILD, below, sides, n_left);
            compare(p, (a->next & CT_HIST_CHILD) + 1, below + 1, sides + n, n_right);
        }
    }
    free(sides);
}

static void check_tree(const honest *h, uint32_t tree)
{
    const place p = {h, tree};
    uint32_t *rows = (uint32_t *) malloc(h->t.n_rows * sizeof *rows), n = 0;
    for (uint32_t i = 0; i < h->t.n_rows; i++)
        if (h->filled[tree][i]) rows[n++] = i;
    compare(&p, 0, 0, rows, n);
    free(rows);
}

/* Of rows in neither half; by the trees as they are in the end. */
static void check_out(const honest *h)
{
    for (uint32_t row = 0; row < h->t.n_rows; row++) {
        uint32_t trees = 0;
        double sum = 0;
        for (uint32_t i = 0; i < TREES; i++) {
            if (h->chosen[i][row] || h->filled[i][row]) continue;
            const ct_hist_tree *tree = &h->forest.trees[i];
            trees++;
            if (!h->t.n_classes) sum += tree->means[tree->nodes[raw_leaf(&h->t, tree, row)].next];
        }
        CHECK_INT(h->extra.oob_trees[row], trees);
        if (h->t.n_classes) continue;
        const double own = (double) h->extra.oob_sums[row] * h->extra.unit +
                           trees * h->extra.centre;
        CHECK(fabs(own - sum) < 1e-5);
    }
}

static void trees(void)
{
    for (uint32_t seed = 0; seed < 24; seed++) {
        const uint32_t n = seed % 5 == 0 ? 2500 : seed % 5 == 1 ? 2 : 30 * (seed % 5);
        honest h = honest_new(seed, n, seed % 4 < 2 ? 0 : seed % 4 + 2, seed % 3 ? 0.5 : 0.8);
        for (uint32_t i = 0; i < TREES; i++) check_tree(&h, i);
        check_out(&h);
        honest_free(&h);
    }
}

/* In any number of threads and blocks. */
static void same_forest(void)
{
    honest h = honest_new(5, 3000, 0, 0.5);
    for (unsigned kind = 0; kind < 2; kind++) {
        ct_hist_options o = h.o;
        ct_hist_forest other;
        ct_hist_extra extra;
        ct_error error;
        o.threads = kind + 1;
        o.block = kind ? 100 : 300;
        CHECK_INT(ct_hist_grow(&h.t.data, &o, &other, &extra, &error), CT_OK);
        CHECK_INT(hist_hash(&other), hist_hash(&h.forest));
        for (uint32_t col = 0; col < 4; col++) CHECK(extra.harm[col] == h.extra.harm[col]);
        ct_hist_forest_free(&other);
        ct_hist_extra_free(&extra);
    }
    honest_free(&h);
}

static void memory_ends(void)
{
    int fine = 0;
    forest_table t = forest_table_new(4, 200, 3, 0, 0, 0, CT_HIST_CODES);
    for (long after = 0; !fine && after < 300; after++) {
        ct_hist_options o = forest_options(&t, 2);
        ct_hist_forest forest;
        ct_hist_extra extra;
        ct_error error;
        o.honesty = 0.5;
        ct_status status = MEMORY_FOR(after, ct_hist_grow(&t.data, &o, &forest, &extra, &error));
        fine = status == CT_OK && forest.n_trees == 2;
        CHECK(fine || status == CT_NO_MEMORY || extra.end == CT_HIST_MEMORY);
        ct_hist_forest_free(&forest);
        ct_hist_extra_free(&extra);
    }
    CHECK(fine);
    forest_table_free(&t);
}

static const check_case cases[] = {
    {"halves", halves},
    {"trees", trees},
    {"the same forest", same_forest},
    {"memory ends", memory_ends},
};

CHECK_MAIN(cases)
