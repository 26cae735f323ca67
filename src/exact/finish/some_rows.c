#include "base/compact.h"

#include "exact/finish/some_rows.h"

#include <string.h>

#include "base/bits.h"
#include "exact/finish/complete.h"
#include "exact/finish/incumbent.h"
#include "exact/rows/tests.h"
#include "exact/search/solve.h"
#include "tree/route.h"

/* The first round has a share of the rows that may be searched, and each has so many more than the
 * one before. Of a smaller table most rows would be searched, and more than once. Measured, see
 * bench/notes/exact.md. */
enum { SHARE = 4, TABLE_ROWS = 4, LEAST_DEPTH = 4 };

typedef struct {
    ct_worker *worker;
    const ct_node *root;
    const ct_exact_task *task;
    uint8_t *picked;  /* [row] whether it is searched */
    uint32_t n;       /* such rows */
    uint32_t step;    /* about so many more in a round */
    int32_t *labels;  /* [row] what the last tree makes of it */
    int64_t *root_bounds; /* [feature] of the last round */
    ct_known_tree *known;
} some_rows;

int ct_some_rows_apply(const ct_worker *worker, const ct_node *root, const ct_exact_task *task)
{
    const ct_exact_options *options = worker->search->options;
    int64_t unit = ct_cost_of_units(worker->search->costs, 1);
    return ct_uses(worker, CT_SHORTCUT_SOME_ROWS) && task->known && task->known->cost < unit &&
           task->cap > unit && root->layout->tests && worker->search->min_split <= 2 &&
           task->depth >= LEAST_DEPTH && !task->leaves && !task->gap && !options->roots &&
           !options->part && !worker->evidence &&
           options->some_rows >= SHARE && root->n_rows / TABLE_ROWS >= options->some_rows;
}

/* Begins with rows of each class, as many as its share and one. */
static void pick_first(some_rows *s)
{
    const ct_layout *layout = s->root->layout;
    const uint64_t *sets = ct_node_sets(s->root, 0);
    uint32_t every = s->root->n_rows / s->step + 1;
    for (uint32_t c = 0; c < layout->n_classes; c++, sets += layout->words) {
        uint32_t at = 0;
        for (size_t w = 0; w < layout->words; w++)
            for (uint64_t rest = sets[w]; rest; rest &= rest - 1)
                if (at++ % every == 0) {
                    s->picked[layout->order[0][w * 64 + ct_trailing_zeros(rest)]] = 1;
                    s->n++;
                }
    }
}

/* Adds rows that the last tree is wrong on, spread over all of them; *wrong is how many there are.
 */
static void pick_wrong(some_rows *s, uint32_t *wrong)
{
    const int32_t *classes = s->worker->search->table->data->classes;
    uint32_t at = 0, n_rows = s->root->n_rows;
    *wrong = 0;
    for (uint32_t row = 0; row < n_rows; row++) *wrong += s->labels[row] != classes[row];
    uint32_t every = *wrong / s->step + 1;
    for (uint32_t row = 0; row < n_rows; row++) {
        if (s->labels[row] == classes[row] || at++ % every) continue;
        s->n += !s->picked[row];
        s->picked[row] = 1;
    }
}

static ct_layout *lay_out(const some_rows *s)
{
    const ct_node *root = s->root;
    const ct_layout *layout = root->layout;
    ct_arena *arena = &s->worker->arena;
    uint64_t *sets = CT_ARENA_ZEROED(arena, uint64_t, layout->n_cols * layout->n_classes *
                                                          layout->words);
    if (!sets) return NULL;
    for (uint32_t f = 0; f < layout->n_cols; f++) {
        size_t first = f * layout->n_classes * layout->words;
        for (uint32_t from = 0; from < layout->n_rows; from += 64) {
            uint64_t mask = 0;
            for (uint32_t j = from; j < from + 64 && j < layout->n_rows; j++)
                mask |= (uint64_t) s->picked[layout->order[f][j]] << j % 64;
            for (uint32_t c = 0; c < layout->n_classes; c++) {
                size_t w = first + c * layout->words + from / 64;
                sets[w] = root->rows.sets[w] & mask;
            }
        }
    }
    ct_layout *part = ct_layout_part(s->worker, layout, sets, NULL, root->rows.begin,
                                     root->rows.end, s->n, 0);
    return part && ct_tests_make(s->worker, part) == CT_OK ? part : NULL;
}

/* Searches the rows; in the tree that is known they cost no more than all do. Bounds of row sets
 * are remembered with what their rows cost at most, so those of one round are of no use to another.
 */
static void solve(some_rows *s)
{
    ct_worker *worker = s->worker;
    ct_bound_cache *cache = worker->cache;
    ct_node node;
    ct_exact_task task = {0};
    task.depth = s->task->depth;
    task.path = s->task->path;
    task.as_side = 1;
    task.cap = s->task->known->cost + 1;
    task.seen = INT64_MAX;
    task.first_of_ties = s->task->first_of_ties;
    ct_arena_mark mark = ct_arena_here(&worker->arena);
    ct_layout *layout = lay_out(s);
    if (layout && ct_node_whole(worker, &worker->arena, layout, &node) == CT_OK) {
        worker->cache = cache ? ct_bound_cache_new(worker->search->options->memory_limit / 64)
                              : NULL;
        ct_solve(worker, NULL, &node, &task, s->root_bounds, s->known->codes);
        ct_bound_cache_free(worker->cache);
        worker->cache = cache;
        worker->statistics.some_rows++;
    }
    ct_arena_release(&worker->arena, mark);
}

/* What the tree makes of all rows; 0: memory has ended. */
static int label_rows(some_rows *s)
{
    const ct_data *data = s->worker->search->table->data;
    ct_forest tree = {0};
    ct_error error;
    ct_arena_mark mark = ct_arena_here(&s->worker->arena);
    int done = ct_complete(s->worker->search, s->known->codes, &s->worker->arena, NULL, &tree, NULL,
                           &error) == CT_OK &&
               ct_route(&tree, 0, data->columns, data->n_cols, data->n_rows, tree.label, 1,
                        s->labels, &error) == CT_OK;
    ct_arena_release(&s->worker->arena, mark);
    ct_forest_free(&tree);
    return done;
}

/* Whether each column has one threshold. Trees that are best on all rows are best on some of them,
 * so that if the first of the latter is one of the former, it is their first, too. Of more
 * thresholds of a column some may be one on these rows. */
static int has_two_values(const ct_layout *layout)
{
    uint32_t most = 0;
    for (uint32_t f = 0; f < layout->n_cols; f++)
        if (layout->n_values[f] > most) most = layout->n_values[f];
    return most <= 2;
}

static int search(some_rows *s)
{
    uint32_t wrong, before = 0;
    pick_first(s);
    while (s->n > before && s->n <= s->worker->search->options->some_rows) {
        before = s->n;
        solve(s);
        if (ct_is_halted(s->worker) || !label_rows(s)) return 0;
        pick_wrong(s, &wrong);
        if (wrong) continue;
        int found = ct_incumbent_assess(s->worker, s->known);
        s->known->settled = has_two_values(s->root->layout);
        return found;
    }
    return 0;
}

int ct_some_rows_search(ct_worker *worker, const ct_node *root, const ct_exact_task *task,
                        int64_t *root_bounds, ct_known_tree *known)
{
    ct_arena *arena = &worker->arena;
    some_rows s = {.worker = worker, .root = root, .task = task, .root_bounds = root_bounds,
                   .known = known, .step = worker->search->options->some_rows / SHARE};
    known->codes = CT_ARENA_NEW(arena, ct_split_code, ct_heap_size(task->depth));
    s.picked = CT_ARENA_ZEROED(arena, uint8_t, root->n_rows);
    s.labels = CT_ARENA_NEW(arena, int32_t, root->n_rows);
    return known->codes && s.picked && s.labels && search(&s);
}
