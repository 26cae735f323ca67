#include "base/optimised.h"

#include "forge/shap_background.h"

#include <string.h>

#include "forge/shap.h"
#include "forge/shap_pairs.h"
#include "forge/shap_tables.h"

enum { ROWS = 512, MOST_ENTRIES = 1 << 22 }; /* of all tables that are there at a time */

typedef struct {
    double *x;           /* [n_used + special][ROWS] */
    uint32_t *patterns;  /* [depth][ROWS] */
    uint32_t *counts;    /* [n_counts] */
    ct_forge_table_scratch tables;
} worker;

typedef struct {
    ct_forge_patterns *tree;
    ct_forge_pattern_unit *unit;
} unit_of_tree;

/* Trees with tables of one output, and where rows come from. */
typedef struct {
    const ct_forged *forged;
    const ct_column *columns;
    uint32_t n_rows, n_background, n_trees, n_units;
    int interactions, is_counted; /* is_counted: the background, into `counts` */
    ct_forge_patterns *trees; /* [n_trees] */
    unit_of_tree *units;      /* [n_units] */
    size_t n_counts, n_entries;
    uint32_t *counts;
    double *tables, *out;
    worker *workers;
} job;

/* What is asked, and what all trees need. */
typedef struct {
    const ct_column *columns, *background;
    unsigned threads;
    ct_halt *stop;
    ct_forge_shap_common common;
    ct_forge_shap_scratch *scratch;
    ct_forge_pattern_path path;
    const double *weights;
} request;

/* ---- a block of rows ---- */

static void do_step(const ct_forge_pattern_step *s, worker *w, uint32_t n)
{
    CT_ASSERT(n <= ROWS && s->bit < 32);
    const double *x = w->x + (size_t) s->column * ROWS, threshold = s->threshold;
    const uint32_t *from = w->patterns + (size_t) s->from * ROWS;
    uint32_t *to = w->patterns + (size_t) s->to * ROWS;
    uint32_t bit = UINT32_C(1) << s->bit, keep = s->again ? ~bit : UINT32_MAX;
    uint32_t add = s->again ? 0 : bit, right = s->right, nan_left = s->nan_left;
    for (uint32_t row = 0; row < n; row++) {
        uint32_t left = (x[row] <= threshold) | (nan_left & (uint32_t) (x[row] != x[row]));
        uint32_t taken = 0 - (left ^ right);
        to[row] = (from[row] & (keep | taken)) | (add & taken);
    }
}

static void add_entry(const job *j, const ct_forge_pattern_unit *unit, uint32_t entry,
                      size_t feature, const uint32_t *at, uint32_t first, uint32_t n)
{
    CT_ASSERT(entry < unit->width && first + n <= j->n_rows);
    const double *table = j->tables + unit->table + entry;
    double *out = j->out + feature * j->n_rows + first;
    for (uint32_t row = 0; row < n; row++) out[row] += table[at[row]];
}

static void look_up(const job *j, const ct_forge_pattern_unit *unit, uint32_t *at, uint32_t first,
                    uint32_t n)
{
    const ct_forged *f = j->forged;
    const uint32_t *player = unit->players;
    for (uint32_t row = 0; row < n; row++) at[row] *= unit->width;
    for (uint32_t i = 0; i < unit->n_players; i++) {
        if (!j->interactions) add_entry(j, unit, i, f->used[player[i]], at, first, n);
        for (uint32_t h = 0; h < i && j->interactions; h++)
            add_entry(j, unit, ct_forge_pair_slot(h, i),
                      ct_forge_interaction_at(f, player[h], player[i]), at, first, n);
    }
}

static void count(uint32_t *counts, const uint32_t *pattern, uint32_t n)
{
    for (uint32_t row = 0; row < n; row++) counts[pattern[row]]++;
}

/* Counts the patterns of rows of the background, or looks those of rows up. */
static void walk_block(void *data, unsigned number, uint64_t begin, uint64_t end)
{
    const job *j = (const job *) data;
    worker *w = &j->workers[number];
    uint32_t first = (uint32_t) begin, n = (uint32_t) (end - begin);
    ct_forge_shap_load(j->forged, j->columns, first, n, ROWS, w->x);
    for (uint32_t t = 0; t < j->n_trees; t++) {
        const ct_forge_patterns *tree = &j->trees[t];
        ct_forge_shap_answer(j->forged, j->columns, tree->special, tree->n_special, first, n, ROWS,
                             w->x);
        memset(w->patterns, 0, ROWS * sizeof *w->patterns);
        for (uint32_t i = 0; i < tree->n_steps; i++) {
            const ct_forge_pattern_step *s = &tree->steps[i];
            do_step(s, w, n);
            if (s->unit == CT_FORGE_NO_UNIT) continue;
            const ct_forge_pattern_unit *unit = &tree->units[s->unit];
            uint32_t *pattern = w->patterns + (size_t) s->to * ROWS;
            if (j->is_counted) look_up(j, unit, pattern, first, n);
            else count(w->counts + unit->counts, pattern, n);
        }
    }
}

static void do_units(void *data, unsigned number, uint64_t begin, uint64_t end)
{
    const job *j = (const job *) data;
    for (uint64_t i = begin; i < end; i++) {
        ct_forge_pattern_unit *unit = j->units[i].unit;
        ct_forge_unit_table(j->units[i].tree, unit, j->counts + unit->counts, j->n_background,
                            &j->workers[number].tables, j->tables + unit->table);
    }
}

/* ---- some trees ---- */

static void add_counts(job *j, unsigned threads)
{
    memset(j->counts, 0, j->n_counts * sizeof *j->counts);
    for (unsigned i = 0; i < threads; i++)
        for (size_t at = 0; at < j->n_counts; at++) j->counts[at] += j->workers[i].counts[at];
}

static ct_status make_tables(job *j, unsigned threads, ct_arena *arena)
{
    j->counts = CT_ARENA_NEW(arena, uint32_t, j->n_counts);
    j->tables = CT_ARENA_NEW(arena, double, j->n_entries);
    j->units = CT_ARENA_NEW(arena, unit_of_tree, j->n_units);
    if (!j->counts || !j->tables || !j->units) return CT_NO_MEMORY;
    for (unsigned i = 0; i < threads; i++)
        if (!(j->workers[i].counts = CT_ARENA_ZEROED(arena, uint32_t, j->n_counts)))
            return CT_NO_MEMORY;
    j->n_units = 0;
    for (uint32_t t = 0; t < j->n_trees; t++)
        for (uint32_t i = 0; i < j->trees[t].n_units; i++)
            j->units[j->n_units++] = (unit_of_tree){&j->trees[t], &j->trees[t].units[i]};
    return CT_OK;
}

/* Counts patterns, makes tables and looks rows up; then no trees are left. */
static ct_status run_tables(job *j, const request *r, double *expected, ct_arena *arena)
{
    ct_arena_mark here = ct_arena_here(arena);
    ct_status made = make_tables(j, r->threads, arena);
    if (made == CT_OK) {
        ct_loop loop = {j->n_background, ROWS, CT_DYNAMIC, r->threads, walk_block, j, r->stop};
        j->columns = r->background;
        j->is_counted = 0;
        ct_parallel_for(&loop);
        add_counts(j, r->threads);
        loop.n = j->n_units, loop.chunk = 1, loop.work = do_units;
        ct_parallel_for(&loop);
        for (uint32_t i = 0; i < j->n_units; i++) *expected += j->units[i].unit->expected;
        loop.n = j->n_rows, loop.chunk = ROWS, loop.work = walk_block;
        j->columns = r->columns;
        j->is_counted = 1;
        ct_parallel_for(&loop);
    }
    ct_arena_release(arena, here);
    j->n_trees = j->n_units = 0;
    j->n_counts = j->n_entries = 0;
    return made;
}

/* Gives the units of a tree their tables; 0 where these are too large, or pairs take less time. */
static int assign_tables(job *j, ct_forge_patterns *tree)
{
    double entries = 0, pairs = (double) j->n_rows * j->n_background;
    for (uint32_t i = 0; i < tree->n_units; i++) {
        ct_forge_pattern_unit *unit = &tree->units[i];
        unit->width = j->interactions ? ct_forge_pair_count(unit->n_players) : unit->n_players;
        entries += (double) unit->width * (double) ((uint64_t) 1 << unit->bits);
    }
    if (entries > MOST_ENTRIES || entries > 1e5 + 16 * pairs) return 0;
    for (uint32_t i = 0; i < tree->n_units; i++) {
        ct_forge_pattern_unit *unit = &tree->units[i];
        unit->counts = j->n_counts, unit->table = j->n_entries;
        j->n_counts += (size_t) 1 << unit->bits;
        j->n_entries += (size_t) unit->width << unit->bits;
    }
    j->n_units += tree->n_units;
    return 1;
}

static ct_status add_tree(job *j, request *r, uint32_t t, uint32_t k, double *expected,
                          ct_arena *arena)
{
    int fits;
    ct_forge_patterns *tree = &j->trees[j->n_trees];
    ct_forge_shap_edges(&r->common, r->scratch, t, k);
    CT_TRY(ct_forge_patterns_make(tree, r->scratch, &r->path, arena, &fits));
    if (fits && assign_tables(j, tree)) {
        j->n_trees++;
        return CT_OK;
    }
    ct_forge_shap_pairs pairs = {.forged = j->forged, .rows = r->columns,
                                 .background = r->background, .n_rows = j->n_rows,
                                 .n_background = j->n_background, .weights = r->weights,
                                 .threads = r->threads, .interactions = j->interactions,
                                 .stop = r->stop};
    return ct_forge_shap_pairs_add(&pairs, t, k, j->out, expected, arena);
}

static ct_status add_output(job *j, request *r, uint32_t k, double *expected, ct_arena *arena)
{
    const ct_forge_ensemble *e = j->forged->ensemble;
    ct_arena_mark here = ct_arena_here(arena);
    ct_status made = CT_OK;
    *expected = e->base[k];
    for (uint32_t t = 0; t < e->n_trees && made == CT_OK; t++) {
        uint32_t of_leaf = e->leaf_width == 1 ? 0 : k;
        if (e->leaf_width == 1 && e->output_of_tree[t] != k) continue;
        if (e->feature[e->roots[t]] < 0)
            *expected += ct_forge_ensemble_term(e, t, e->roots[t], of_leaf);
        else made = add_tree(j, r, t, of_leaf, expected, arena);
        if (made == CT_OK && j->n_entries > MOST_ENTRIES) {
            made = run_tables(j, r, expected, arena);
            ct_arena_release(arena, here);
        }
    }
    if (made == CT_OK && j->n_trees) made = run_tables(j, r, expected, arena);
    ct_arena_release(arena, here);
    return made;
}

/* ---- all of them ---- */

static ct_status make_request(request *r, job *j, ct_arena *arena)
{
    const ct_forged *f = j->forged;
    size_t depths = (size_t) f->deepest + 1;
    CT_TRY(ct_forge_shap_common_make(&r->common, f, arena));
    CT_TRY(ct_forge_pattern_path_make(&r->path, f->deepest, arena));
    r->scratch = ct_forge_shap_scratch_new(&r->common, arena);
    r->weights = ct_forge_pair_weights(f->deepest < f->n_used ? f->deepest : f->n_used, arena);
    j->trees = CT_ARENA_NEW(arena, ct_forge_patterns, f->ensemble->n_trees);
    j->workers = CT_ARENA_ZEROED(arena, worker, r->threads);
    if (!r->scratch || !r->weights || !j->trees || !j->workers) return CT_NO_MEMORY;
    for (unsigned i = 0; i < r->threads; i++) {
        worker *w = &j->workers[i];
        w->x = CT_ARENA_NEW(arena, double, ((size_t) r->common.n_columns + 1) * ROWS);
        w->patterns = CT_ARENA_NEW(arena, uint32_t, depths * ROWS);
        if (!w->x || !w->patterns) return CT_NO_MEMORY;
        CT_TRY(ct_forge_table_scratch_make(&w->tables, f->deepest, j->interactions, arena));
    }
    return CT_OK;
}

/* Numbers of an output, without its base. */
static size_t entries_of_output(const job *j)
{
    size_t p = j->forged->ensemble->n_features;
    return (j->interactions ? p * p : p) * j->n_rows;
}

static void finish_output(const job *j, double expected)
{
    const ct_forge_ensemble *e = j->forged->ensemble;
    size_t n = entries_of_output(j);
    for (size_t i = 0; i < n; i++) j->out[i] /= e->divisor;
    if (j->interactions) return;
    for (uint32_t row = 0; row < j->n_rows; row++) j->out[n + row] = expected / e->divisor;
}

ct_status ct_forged_shap_background(const ct_forged *f, const ct_column *columns, uint32_t n_rows,
                                    const ct_column *background, uint32_t n_background,
                                    int interactions, const ct_forge_run *run, double *out,
                                    ct_error *error)
{
    CT_ASSERT(run && (out || !n_rows) && (background || !n_background));
    CT_TRY(ct_forge_shap_check(f, error));
    if (!n_background) return ct_fail(error, CT_BAD_INPUT, "the background has no rows");
    if (!n_rows) return CT_OK;
    ct_budget budget = {SIZE_MAX / 2, 0};
    ct_arena arena;
    job j = {.forged = f, .n_rows = n_rows, .n_background = n_background,
             .interactions = interactions};
    request r = {.columns = columns, .background = background, .stop = run->stop,
                 .threads = run->threads ? run->threads : 1};
    size_t width = entries_of_output(&j) + (interactions ? 0 : n_rows);
    ct_arena_init(&arena, &budget);
    ct_status made = make_request(&r, &j, &arena);
    memset(out, 0, f->ensemble->n_outputs * width * sizeof *out);
    for (uint32_t k = 0; k < f->ensemble->n_outputs && made == CT_OK; k++) {
        double expected;
        j.out = out + k * width;
        made = add_output(&j, &r, k, &expected, &arena);
        finish_output(&j, expected);
    }
    ct_arena_free(&arena);
    return made == CT_OK ? CT_OK : ct_fail(error, made, "not enough memory to explain rows");
}
