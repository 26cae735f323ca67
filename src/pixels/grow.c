/* A tree over pixels grown level by level: candidates drawn, blocks of pixels counted, leaves
 * split. */
#include "base/compact.h"

#include "pixels/forest.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "pixels/conditions.h"

/* For streams more cells, so that each image is opened for fewer chunks. */
enum { CANDIDATE_PATH = 2, CELLS = 1 << 22, CELLS_OF_STREAM = 1 << 24, BLOCK = 4096 };

/* A forest under way, and the tree of it. */
typedef struct {
    const ct_pixel_source *source;
    const int16_t *const *labels;
    const ct_pixel_options *options;
    const struct ct_pixel_counter *counter; /* NULL: it cannot, or there is none */
    ct_pixel_forest *forest;
    ct_pixel_end *end;
    ct_halt stop;
    double start;
    unsigned threads;
    ct_pixel_scratch *scratches; /* [threads] */
    size_t room;                 /* cells of a scratch */
    ct_pixel_candidate *candidates;
    int32_t *values;        /* [features][CT_PIXEL_SAMPLE] of the candidates at the sample */
    uint32_t *known;        /* [n_images] pixels with a label */
    uint32_t *number_of;    /* [features] of a level: among those of the tree, or CT_PIXEL_NONE */
    ct_pixel_tree_pixels pixels;
    uint32_t *open_of, *open, *inside; /* [node]; [leaf] its node; [leaf][class] */
    ct_pixel_split *splits;            /* [leaf] */
    uint32_t n_open, room_nodes, room_open, room_features;
    uint32_t *counts;       /* [node][class] */
    ct_pixel_tree tree;     /* n_leaves and counts come last */
} growth;

/* ---- memory ---- */

/* Room for `want` things of `size` bytes in place of `had`, which stay; 0 if memory ends. */
static int widen(void *place, size_t had, size_t want, size_t size)
{
    void *wider = ct_alloc(want * size), *old;
    if (!wider) return 0;
    memcpy(&old, place, sizeof old);
    if (had) memcpy(wider, old, had * size);
    ct_free(old);
    memcpy(place, &wider, sizeof wider);
    return 1;
}

/* Room for the children of all open leaves. */
static int room_for_level(growth *g)
{
    size_t wanted = g->tree.n_nodes + 2 * (size_t) g->n_open, k = g->forest->n_classes;
    if (wanted > g->room_nodes) {
        size_t had = g->tree.n_nodes, want = 2 * wanted;
        if (want > UINT32_MAX / 2 || !widen(&g->tree.nodes, had, want, sizeof *g->tree.nodes) ||
            !widen(&g->counts, had * k, want * k, sizeof *g->counts) ||
            !widen(&g->open_of, had, want, sizeof *g->open_of))
            return 0;
        g->room_nodes = (uint32_t) want;
    }
    if (2 * (size_t) g->n_open > g->room_open) {
        size_t want = 2 * (size_t) g->n_open;
        if (!widen(&g->open, g->room_open ? g->n_open : 0, want, sizeof *g->open) ||
            !widen(&g->inside, 0, want * k, sizeof *g->inside) ||
            !widen(&g->splits, 0, want, sizeof *g->splits))
            return 0;
        g->room_open = (uint32_t) want;
    }
    return 1;
}

/* ---- candidates of a level ---- */

ct_rng ct_pixel_rng(uint64_t seed, uint32_t tree, uint32_t level, uint32_t candidate)
{
    uint64_t path = ct_rng_path(ct_rng_path(ct_rng_path(CANDIDATE_PATH, tree), level), candidate);
    return ct_rng_of(seed, 0, path);
}

/* Some blocks of the tree, and the pixels of the sample that lie in them. */
typedef struct {
    growth *g;
    uint32_t depth;
    ct_pixel_group group;
    uint32_t begin, end;
} looking;

static void in_parallel(growth *g, uint64_t n,
                        void (*work)(void *, unsigned, uint64_t, uint64_t), looking *l)
{
    ct_loop loop = {n, 1, CT_DYNAMIC, g->threads, work, l, &g->stop};
    ct_parallel_for(&loop);
}

static void draw_candidates(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    const looking *l = (const looking *) data;
    const growth *g = l->g;
    const uint32_t m = g->pixels.n_sample;
    (void) worker;
    for (uint64_t i = begin; i < end; i++) {
        ct_pixel_candidate *c = &g->candidates[i];
        ct_rng rng = ct_pixel_rng(g->options->seed, g->tree.number, l->depth, (uint32_t) i);
        c->feature = g->source->draw(g->source->self, &rng);
        c->first = (int32_t) ct_rng_below(&rng, m);
        c->second = (int32_t) ct_rng_below(&rng, m);
    }
}

static void sample_values(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    const looking *l = (const looking *) data;
    const growth *g = l->g;
    (void) worker;
    for (uint64_t i = begin; i < end; i++)
        for (uint32_t k = l->begin; k < l->end; k++)
            g->source->values(g->source->self, &g->candidates[i].feature, &g->pixels.sample[k],
                              &g->values[i * CT_PIXEL_SAMPLE + k]);
}

static void walk_blocks(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    const looking *l = (const looking *) data;
    const growth *g = l->g;
    (void) worker;
    for (uint64_t i = begin; i < end; i++) {
        const ct_pixel_block *block = &g->pixels.blocks[l->group.first + i];
        g->source->walk(g->source->self, g->tree.nodes, g->tree.features, &block->pixels, 1,
                        g->pixels.node_of + block->first);
    }
}

static int has_own_intervals(const growth *g)
{
    return g->options->policy == CT_PIXEL_RANDOM || !g->options->has_interval;
}

/* Down the splits of the level before, and to the values of this one's candidates at the sample:
 * both in one go through the images. */
static void look_at_images(growth *g, looking *l)
{
    const ct_pixel_tree_pixels *p = &g->pixels;
    if (!l->depth && !has_own_intervals(g)) return;
    while (ct_pixel_next_group(g->source, p, &g->stop, &l->group)) {
        const ct_pixel_block *last = &p->blocks[l->group.first + l->group.n - 1];
        const uint32_t behind = last->first + last->pixels.n;
        l->begin = l->end;
        while (l->end < p->n_sample && (uint64_t) l->end * p->n / p->n_sample < behind) l->end++;
        if (l->depth) in_parallel(g, l->group.n, walk_blocks, l);
        if (has_own_intervals(g)) in_parallel(g, g->options->features, sample_values, l);
    }
}

static int ascending(const void *a, const void *b)
{
    int32_t x = *(const int32_t *) a, y = *(const int32_t *) b;
    return (x > y) - (x < y);
}

static void choose_tests(growth *g, uint32_t i)
{
    ct_pixel_candidate *c = &g->candidates[i];
    int32_t *values = g->values + (size_t) i * CT_PIXEL_SAMPLE;
    const uint32_t m = g->pixels.n_sample;
    if (g->options->policy == CT_PIXEL_RANDOM) {
        int32_t a = values[c->first], b = values[c->second];
        c->first = a < b ? a : b;
        c->second = a < b ? b : a;
        return;
    }
    if (g->options->has_interval) {
        c->even = ct_pixel_even_bins_of(g->options->low, g->options->high, g->options->bins);
        return;
    }
    qsort(values, m, sizeof *values, ascending);
    c->even = ct_pixel_even_bins_of(values[m / 64], values[m - 1 - m / 64], g->options->bins);
}

static void choose_all_tests(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    const looking *l = (const looking *) data;
    (void) worker;
    for (uint64_t i = begin; i < end; i++) choose_tests(l->g, (uint32_t) i);
}

/* The candidates of a level; pixels are then where its open leaves are. */
static void find_candidates(growth *g, uint32_t depth)
{
    looking l = {g, depth, {0, 0}, 0, 0};
    CT_ASSERT(g->pixels.n_sample > 0);
    in_parallel(g, g->options->features, draw_candidates, &l);
    look_at_images(g, &l);
    in_parallel(g, g->options->features, choose_all_tests, &l);
}

/* ---- a level ---- */

static int is_leaf(const growth *g, uint32_t node, uint32_t level)
{
    const uint32_t *counts = g->counts + (size_t) node * g->forest->n_classes;
    uint64_t n = 0;
    uint32_t classes = 0;
    for (uint32_t k = 0; k < g->forest->n_classes; k++) {
        n += counts[k];
        classes += counts[k] > 0;
    }
    return level >= g->options->depth || classes < 2 || n <= g->options->min_n;
}

static void add_node(growth *g, uint32_t level)
{
    uint32_t node = g->tree.n_nodes++;
    g->tree.nodes[node] = (ct_pixel_node){node, 0, 0, 0};
    g->open_of[node] = CT_PIXEL_NONE;
    if (is_leaf(g, node, level)) return;
    g->open_of[node] = g->n_open;
    g->open[g->n_open++] = node;
}

/* The candidate's number among the features of the tree. 0 if memory ends. */
static int keep_feature(growth *g, uint32_t candidate, uint32_t *number)
{
    if (g->number_of[candidate] == CT_PIXEL_NONE) {
        uint32_t n = g->tree.n_features;
        if (n == g->room_features) {
            uint32_t want = 2 * n + 64;
            if (!widen(&g->tree.features, n, want, sizeof *g->tree.features)) return 0;
            g->room_features = want;
        }
        g->tree.features[n] = g->candidates[candidate].feature;
        g->number_of[candidate] = g->tree.n_features++;
    }
    *number = g->number_of[candidate];
    return 1;
}

static int split_node(growth *g, const ct_pixel_level *level, uint32_t node, uint32_t leaf,
                      uint32_t depth)
{
    const ct_pixel_split *split = &level->splits[leaf];
    uint32_t k = level->n_classes, left = g->tree.n_nodes, number;
    const uint32_t *inside = level->inside + (size_t) leaf * k;
    const uint32_t *totals = level->totals + (size_t) leaf * k;
    ct_pixel_node *to = &g->tree.nodes[node];
    if (!keep_feature(g, split->candidate, &number)) return 0;
    *to = ct_pixel_test(&g->candidates[split->candidate], g->options->policy, split->test);
    to->left = left;
    to->feature = number;
    for (uint32_t i = 0; i < k; i++) {
        g->counts[(size_t) left * k + i] = totals[i] - inside[i];
        g->counts[((size_t) left + 1) * k + i] = inside[i];
    }
    add_node(g, depth + 1);
    add_node(g, depth + 1);
    g->tree.depth = depth + 1;
    return 1;
}

/* Splits the leaves that were open, in order. */
static int split_nodes(growth *g, const ct_pixel_level *level, const uint32_t *nodes,
                       uint32_t depth)
{
    memset(g->number_of, 0xff, g->options->features * sizeof *g->number_of);
    g->n_open = 0;
    for (uint32_t i = 0; i < level->n_open; i++) {
        g->open_of[nodes[i]] = CT_PIXEL_NONE;
        if (level->splits[i].candidate == CT_PIXEL_NONE) continue;
        if (!split_node(g, level, nodes[i], i, depth)) return 0;
    }
    return 1;
}

/* Nodes and numbers of pixels of the open leaves, which are overwritten while they are split; 0 if
 * memory ends. */
static int grow_level(growth *g, uint32_t depth, uint32_t *nodes, uint32_t *totals)
{
    uint32_t k = g->forest->n_classes;
    ct_pixel_level level = {.source = g->source, .options = g->options, .pixels = &g->pixels,
                            .candidates = g->candidates, .open_of = g->open_of,
                            .n_nodes = g->tree.n_nodes, .n_open = g->n_open, .n_classes = k,
                            .totals = totals, .splits = g->splits, .inside = g->inside,
                            .scratches = g->scratches, .threads = g->threads, .room = g->room,
                            .counter = g->counter, .stop = &g->stop, .tree = g->tree.number,
                            .depth = depth};
    memcpy(nodes, g->open, g->n_open * sizeof *nodes);
    for (uint32_t i = 0; i < g->n_open; i++)
        memcpy(totals + (size_t) i * k, g->counts + (size_t) nodes[i] * k, k * sizeof *totals);
    find_candidates(g, depth);
    if (ct_halt_now(&g->stop, 0)) return 1;
    if (g->counter && !g->counter->begin_level(g->counter->self, &level)) level.counter = NULL;
    if (!ct_pixel_level_search(&level)) return 0;
    g->counter = level.counter;
    if (ct_halt_now(&g->stop, 0)) return 1;
    return split_nodes(g, &level, nodes, depth);
}

/* ---- a tree ---- */

/* Leaves get numbers, in the order of nodes, and their counts move together. */
static int number_leaves(growth *g)
{
    ct_pixel_tree *t = &g->tree;
    uint32_t k = g->forest->n_classes;
    for (uint32_t i = 0; i < t->n_nodes; i++) {
        if (t->nodes[i].left != i) continue;
        t->nodes[i].low = (int32_t) t->n_leaves;
        memmove(g->counts + (size_t) t->n_leaves++ * k, g->counts + (size_t) i * k,
                k * sizeof *g->counts);
    }
    t->counts = g->counts;
    g->counts = NULL;
    return widen(&t->counts, (size_t) t->n_leaves * k, (size_t) t->n_leaves * k,
                 sizeof *t->counts) &&
           widen(&t->nodes, t->n_nodes, t->n_nodes, sizeof *t->nodes);
}

static void count_root(growth *g)
{
    memset(g->counts, 0, g->forest->n_classes * sizeof *g->counts);
    for (uint32_t i = 0; i < g->pixels.n; i++) g->counts[g->pixels.classes[i]]++;
    add_node(g, 0);
}

static int grow_levels(growth *g)
{
    int fine = 1;
    for (uint32_t depth = 0; fine && g->n_open && !ct_halt_now(&g->stop, 0); depth++) {
        uint32_t n = g->n_open;
        uint32_t *nodes = (uint32_t *) ct_alloc(n * sizeof *nodes);
        uint32_t *totals = (uint32_t *) ct_alloc((size_t) n * g->forest->n_classes *
                                                 sizeof *totals);
        fine = nodes && totals && room_for_level(g) && grow_level(g, depth, nodes, totals);
        ct_free(nodes);
        ct_free(totals);
        if (g->tree.depth == depth) break; /* no leaf was split */
    }
    return fine;
}

static void free_tree(ct_pixel_tree *tree)
{
    ct_free(tree->nodes);
    ct_free(tree->features);
    ct_free(tree->counts);
    memset(tree, 0, sizeof *tree);
}

/* What the tree needs besides itself. */
static void clear_tree(growth *g)
{
    ct_pixel_tree_pixels_free(&g->pixels);
    ct_free(g->open_of);
    ct_free(g->open);
    ct_free(g->inside);
    ct_free(g->splits);
    ct_free(g->counts);
    free_tree(&g->tree);
    g->open_of = g->open = g->inside = g->counts = NULL;
    g->splits = NULL;
    g->n_open = g->room_nodes = g->room_open = g->room_features = 0;
}

static int grow_tree(growth *g, uint32_t number)
{
    g->n_open = 1;
    g->tree.number = number;
    const ct_status status = ct_pixel_tree_pixels_init(&g->pixels, g->source, g->labels, g->known,
                                                       g->options, number);
    if (status == CT_BAD_INPUT) return ct_halt_set(&g->stop), 1;
    if (status != CT_OK || !room_for_level(g)) return 0;
    if (g->counter && !g->counter->begin_tree(g->counter->self, &g->pixels)) g->counter = NULL;
    g->n_open = 0;
    count_root(g);
    return grow_levels(g) && (ct_halt_now(&g->stop, 0) || number_leaves(g));
}

/* ---- the forest ---- */

static int check_end(void *data)
{
    growth *g = (growth *) data;
    const ct_pixel_options *o = g->options;
    double seconds = ct_seconds() - g->start;
    if (o->report) o->report(o->calls, g->forest->n_trees, seconds);
    if (o->stop && o->stop(o->calls)) *g->end = CT_PIXEL_INTERRUPTED;
    else if (seconds > o->time_limit) *g->end = CT_PIXEL_TIME;
    return *g->end != CT_PIXEL_DONE;
}

static int make_scratches(growth *g)
{
    const ct_pixel_options *o = g->options;
    size_t pixels = ((o->block ? o->block : BLOCK) + CT_PIXEL_PAD - 1) / CT_PIXEL_PAD *
                    CT_PIXEL_PAD;
    const size_t wanted = o->cells ? o->cells : g->source->stream ? CELLS_OF_STREAM : CELLS;
    g->room = ct_pixel_level_least_cells(o, g->forest->n_classes);
    if (g->room < wanted) g->room = wanted;
    g->scratches = (ct_pixel_scratch *) ct_alloc_zeroed(g->threads, sizeof *g->scratches);
    if (!g->scratches) return 0;
    for (unsigned i = 0; i < g->threads; i++) {
        ct_pixel_scratch *scratch = &g->scratches[i];
        scratch->cells = (uint32_t *) ct_alloc(g->room * sizeof *scratch->cells);
        scratch->values = (int32_t *) ct_alloc_zeroed(pixels, sizeof *scratch->values);
        scratch->codes = (uint32_t *) ct_alloc_zeroed(pixels, sizeof *scratch->codes);
        scratch->slots = (uint32_t *) ct_alloc(pixels * sizeof *scratch->slots);
        if (!scratch->cells || !scratch->values || !scratch->codes || !scratch->slots) return 0;
    }
    return 1;
}

static void free_growth(growth *g)
{
    clear_tree(g);
    for (unsigned i = 0; g->scratches && i < g->threads; i++) {
        ct_free(g->scratches[i].cells);
        ct_free(g->scratches[i].values);
        ct_free(g->scratches[i].codes);
        ct_free(g->scratches[i].slots);
    }
    ct_free(g->scratches);
    ct_free(g->candidates);
    ct_free(g->values);
    ct_free(g->number_of);
    ct_free(g->known);
}

static int can_grow(const growth *g)
{
    const ct_pixel_options *o = g->options;
    const uint32_t n_classes = g->forest->n_classes;
    return n_classes && n_classes <= CT_PIXEL_CLASSES && g->source->n_images && o->n_trees &&
           o->features && o->features <= CT_PIXEL_FEATURES && o->bins >= 2 &&
           o->bins <= CT_PIXEL_BINS && !(o->has_interval && o->low >= o->high) &&
           !(o->learn && (o->policy != CT_PIXEL_BEST || o->bins >= CT_LEARNER_BINS));
}

/* Checks the labels of an image. */
static ct_status look_over(growth *g, uint32_t image, const int16_t *labels, ct_error *error)
{
    const ct_pixel_shape *shape = &g->source->shapes[image];
    const size_t n = (size_t) shape->height * shape->width;
    for (size_t k = 0; k < n; k++)
        if (labels[k] >= (int32_t) g->forest->n_classes)
            return ct_fail(error, CT_BAD_INPUT, "a class is out of range");
    g->known[image] = ct_pixel_known_pixels(labels, shape);
    return CT_OK;
}

static ct_status look_over_all(growth *g, ct_error *error)
{
    const ct_pixel_source *source = g->source;
    const ct_pixel_stream *stream = source->stream;
    uint64_t pixels = 0, known = 0;
    for (uint32_t i = 0; i < source->n_images; i++) {
        pixels += (uint64_t) source->shapes[i].height * source->shapes[i].width;
        if (pixels > INT32_MAX)
            return ct_fail(error, CT_BAD_INPUT, "there are 2^31 pixels or more");
        const int16_t *labels = stream ? stream->labels(stream->self, i) : g->labels[i];
        if (!labels || ct_halt_now(&g->stop, 0)) return ct_halt_set(&g->stop), CT_OK;
        CT_TRY(look_over(g, i, labels, error));
        known += g->known[i];
    }
    return known ? CT_OK : ct_fail(error, CT_BAD_INPUT, "no pixel has a label");
}

static ct_status run(growth *g, ct_error *error)
{
    const ct_pixel_options *o = g->options;
    ct_pixel_forest *forest = g->forest;
    forest->trees = (ct_pixel_tree *) ct_alloc(o->n_trees * sizeof *forest->trees);
    g->candidates = (ct_pixel_candidate *) ct_alloc(o->features * sizeof *g->candidates);
    g->number_of = (uint32_t *) ct_alloc(o->features * sizeof *g->number_of);
    g->values = (int32_t *) ct_alloc_zeroed((size_t) o->features * CT_PIXEL_SAMPLE,
                                            sizeof *g->values);
    int fine = forest->trees && g->candidates && g->number_of && g->values && make_scratches(g);
    while (fine && forest->n_trees < o->n_trees && !ct_halt_now(&g->stop, 0)) {
        fine = grow_tree(g, o->first_tree + forest->n_trees);
        if (fine && !g->stop.stopped) {
            ct_pixel_tree_is_sound(&g->tree);
            forest->trees[forest->n_trees++] = g->tree;
            memset(&g->tree, 0, sizeof g->tree);
        }
        clear_tree(g);
    }
    return fine ? CT_OK : ct_fail(error, CT_NO_MEMORY, "no memory to grow trees");
}

ct_status ct_pixel_grow(const ct_pixel_source *source, const int16_t *const *labels,
                        uint32_t n_classes, const ct_pixel_options *options,
                        ct_pixel_forest *forest, ct_pixel_end *end, ct_error *error)
{
    growth g = {.source = source, .labels = labels, .options = options,
                .counter = options->counter, .forest = forest, .end = end,
                .start = ct_seconds(), .threads = options->threads ? options->threads : 1};
    g.stop = (ct_halt){check_end, &g, 0, 0};
    *forest = (ct_pixel_forest){.n_classes = n_classes};
    *end = CT_PIXEL_DONE;
    if (!can_grow(&g)) return ct_fail(error, CT_BAD_INPUT, "no such forest can be grown");
    g.known = (uint32_t *) ct_alloc(source->n_images * sizeof *g.known);
    ct_status status = g.known ? look_over_all(&g, error)
                               : ct_fail(error, CT_NO_MEMORY, "no memory to grow trees");
    if (status == CT_OK && !g.stop.stopped) status = run(&g, error);
    /* by a learner, or a stream */
    if (g.stop.stopped && *end == CT_PIXEL_DONE) *end = CT_PIXEL_INTERRUPTED;
    free_growth(&g);
    return status;
}

void ct_pixel_forest_free(ct_pixel_forest *forest)
{
    for (uint32_t i = 0; i < forest->n_trees; i++) free_tree(&forest->trees[i]);
    ct_free(forest->trees);
    memset(forest, 0, sizeof *forest);
}
