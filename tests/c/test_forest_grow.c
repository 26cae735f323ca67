/* Forests grown on a device against those of the CPU, bit for bit: always on the host twin, and on
 * every device there is, which may be the CPU with CUDA's runtime played (cuda_on_cpu/). */
#include "check.h"
#include "cuda_on_cpu/cuda_on_cpu.h"
#include "forest/offload/grow.h"
#include "forest_data.h"
#include "gpu/device.h"
#include "gpu/twin.h"

enum { TWIN = -1 };

static ct_forest_device device_at(int number)
{
    return (ct_forest_device){number < 0 ? CT_FOREST_TWIN : CT_FOREST_CUDA, number};
}

static void set_memory(int device, size_t bytes)
{
    if (device == TWIN) ct_gpu_twin_memory(bytes);
    else cuda_on_cpu_memory(bytes);
}

static long blocks_left(int device)
{
    return device == TWIN ? ct_gpu_twin_blocks() : cuda_on_cpu_left();
}

typedef struct {
    ct_hist_forest forest;
    ct_hist_extra extra;
    ct_forest_used used;
} grown;

static ct_status grow(const forest_table *t, const ct_hist_options *o,
                      const ct_forest_device *device, grown *g, ct_error *error)
{
    return ct_hist_grow_at(device, &t->data, o, &g->forest, &g->extra, &g->used, error);
}

static void grown_free(grown *g)
{
    ct_hist_forest_free(&g->forest);
    ct_hist_extra_free(&g->extra);
}

/* The first node that differs, for people. */
static void show_difference(const ct_hist_forest *a, const ct_hist_forest *b)
{
    for (uint32_t i = 0; i < a->n_trees && i < b->n_trees; i++) {
        const ct_hist_tree *x = &a->trees[i], *y = &b->trees[i];
        for (uint32_t k = 0; k < x->n_nodes && k < y->n_nodes; k++) {
            if (!memcmp(&x->nodes[k], &y->nodes[k], sizeof x->nodes[k])) continue;
            printf("    tree %u, node %u of %u: %x %u %u; of %u: %x %u %u\n", i, k, x->n_nodes,
                   x->nodes[k].next, x->nodes[k].feature, x->nodes[k].cut, y->n_nodes,
                   y->nodes[k].next, y->nodes[k].feature, y->nodes[k].cut);
            return;
        }
    }
}

static void check_same(const forest_table *t, const ct_hist_options *o, const grown *a,
                       const grown *b)
{
    const size_t cells = (size_t) t->n_rows * (t->n_classes ? t->n_classes : 1);
    CHECK_INT(a->forest.n_trees, b->forest.n_trees);
    if (!CHECK(ct_hist_hash(&a->forest) == ct_hist_hash(&b->forest)))
        show_difference(&a->forest, &b->forest);
    for (uint32_t i = 0; i < a->forest.n_trees && i < b->forest.n_trees; i++)
        CHECK_INT(b->forest.trees[i].depth, a->forest.trees[i].depth);
    CHECK(!memcmp(a->extra.gains, b->extra.gains, t->n_cols * sizeof(int64_t)));
    CHECK(a->extra.gain_unit == b->extra.gain_unit && a->extra.centre == b->extra.centre);
    if (o->oob) {
        CHECK(!memcmp(a->extra.oob_sums, b->extra.oob_sums, cells * sizeof(int64_t)));
        CHECK(!memcmp(a->extra.oob_trees, b->extra.oob_trees, t->n_rows * sizeof(uint32_t)));
    }
    if (o->permutation)
        CHECK(!memcmp(a->extra.harm, b->extra.harm, t->n_cols * sizeof(int64_t)));
    CHECK_INT(a->extra.end, b->extra.end);
}

/* Grows on the CPU and on the device. */
static void check_forest(const forest_table *t, const ct_hist_options *o, int number)
{
    grown a, b;
    ct_error error = {CT_OK, ""};
    const ct_forest_device cpu = {CT_FOREST_CPU, 0}, device = device_at(number);
    CHECK_INT(grow(t, o, &cpu, &a, &error), CT_OK);
    CHECK_INT(grow(t, o, &device, &b, &error), CT_OK);
    if (error.status != CT_OK || b.used.note[0]) printf("    %s %s\n", error.message, b.used.note);
    CHECK(!strcmp(b.used.name, number < 0 ? "twin" : "cuda:0") || number > 0);
    if (b.forest.trees) check_same(t, o, &a, &b);
    grown_free(&a);
    grown_free(&b);
    CHECK_INT(blocks_left(number), 0);
}

/* By one thread where ThreadSanitizer may look, see cuda_on_cpu/tsan.sh. */
static ct_hist_options options_of(const forest_table *t, uint32_t trees, uint32_t mtry)
{
    ct_hist_options o = forest_options(t, trees);
    o.mtry = mtry;
    o.threads = CUDA_ON_CPU() ? 1 : 2;
    o.oob = o.permutation = 1;
    return o;
}

/* Tables of few and of many rows, classes and levels, with missing values. */
static void check_tables(int device)
{
    static const struct {
        uint32_t n_rows, n_cols, n_classes, levels;
        double missing;
        uint32_t mtry, min_n, trees;
    } cases[] = {
        {40, 3, 2, 0, 0, 2, 1, 5},       {60, 4, 3, 6, 0.2, 2, 1, 4},
        {300, 5, 2, 0, 0, 2, 1, 3},      {400, 5, 4, 30, 0.1, 3, 4, 3},
        {700, 12, 3, 0, 0.1, 11, 1, 2},  {900, 4, 30, 0, 0, 2, 2, 2},
        {2500, 4, 2, 0, 0.1, 2, 20, 2},  {2600, 3, 5, 200, 0, 2, 30, 2},
        {120, 4, 0, 0, 0.1, 2, 5, 4},    {1500, 4, 0, 40, 0.1, 2, 5, 2},
        {3000, 3, 0, 0, 0, 2, 50, 2},    {5000, 3, 2, 0, 0.05, 2, 300, 1},
        {1, 1, 2, 0, 0, 1, 1, 2},        {2000, 3, 200, 0, 0, 2, 10, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (CUDA_ON_CPU() && cases[i].n_rows > 1000 && i % 3) continue;
        forest_table t = forest_table_new(i, cases[i].n_rows, cases[i].n_cols, cases[i].n_classes,
                                          cases[i].levels, cases[i].missing, CT_CODES);
        ct_hist_options o = options_of(&t, cases[i].trees, cases[i].mtry);
        o.min_n = cases[i].min_n;
        o.first_tree = (uint32_t) i;
        check_forest(&t, &o, device);
        if (CHECK_FIRST() || check_state.failed) printf("    table %u\n", (unsigned) i);
        forest_table_free(&t);
    }
}

/* Rules, levels without an order, pools, samples of all kinds. */
static void check_settings(int device)
{
    static const ct_split_rule rules[] = {CT_SPLIT_GINI, CT_SPLIT_ENTROPY, CT_SPLIT_ERROR,
                                          CT_SPLIT_RANDOM};
    for (uint32_t kind = 0; kind < 24; kind++) {
        const uint32_t n_classes = kind % 6 == 5 ? 0 : 2 + kind % 3;
        const int sets = kind % 4 == 1;
        if (CUDA_ON_CPU() && kind % 5 == 4) continue;
        forest_table t = forest_table_new(100 + kind, kind % 2 ? 250 : 1300, 6, n_classes,
                                          sets ? 5 : kind % 3 ? 0 : 25, kind % 4 ? 0.1 : 0,
                                          kind % 7 ? CT_CODES : 40);
        ct_hist_options o = options_of(&t, 2, 4);
        double *weights = (double *) malloc(t.n_rows * sizeof *weights);
        o.rule = n_classes || kind % 4 == 3 ? rules[kind % 4] : CT_SPLIT_GINI;
        o.seed = 1000 + kind;
        o.min_n = 1 + kind % 4 * 3;
        o.pool_by_level = kind % 5 == 2;
        if (kind % 6 == 2) o.depth = kind / 6 + 1;
        if (kind % 8 == 3) o.replace = 0, o.sample = t.n_rows * 2 / 3;
        if (kind % 8 == 6) o.sample = t.n_rows * 3;
        for (uint32_t i = 0; i < t.n_rows; i++) weights[i] = i % 7 ? 1 + i % 3 : 0;
        if (kind % 8 == 5) t.data.sampling = weights;
        for (uint32_t col = 0; col < 6; col++) t.codes->columns[col].is_set = sets && col % 3 != 1;
        check_forest(&t, &o, device);
        if (CHECK_FIRST() || check_state.failed) printf("    kind %u\n", kind);
        free(weights);
        forest_table_free(&t);
    }
}

static void tables_on_twin(void) { check_tables(TWIN); }
static void settings_on_twin(void) { check_settings(TWIN); }

static void on_every_device(void)
{
    ct_device_list list;
    ct_device_query(&list);
    if (list.n_devices == 0) SKIP("no device");
    for (int i = 0; i < list.n_devices; i++) {
        check_tables(i);
        check_settings(i);
    }
}

static const check_case cases[] = {
    {"tables on the twin", tables_on_twin},
    {"settings on the twin", settings_on_twin},
    {"tables and settings on every CUDA device", on_every_device},
};
CHECK_MAIN(cases)
