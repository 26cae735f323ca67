#include "base/compact.h"

#include "exact/sets/splits.h"

#include <stdlib.h>
#include <string.h>

#include "exact/search/branch.h"
#include "exact/search/depth2.h"
#include "exact/search/evaluators.h"

static int by_place(const void *a, const void *b)
{
    const ct_survivor *x = (const ct_survivor *) a, *y = (const ct_survivor *) b;
    if (x->feature != y->feature) return x->feature < y->feature ? -1 : 1;
    return x->threshold < y->threshold ? -1 : x->threshold > y->threshold;
}

ct_status ct_set_splits(ct_worker *worker, const ct_node *node, unsigned depth, int64_t budget,
                        const ct_path *path, int is_table, ct_survivors *survivors)
{
    ct_roots roots;
    ct_exact_task task = {0};
    ct_arena_mark mark = ct_arena_here(&worker->arena);
    size_t heap = ct_heap_size(depth);
    int64_t *root_bounds = CT_ARENA_NEW(&worker->arena, int64_t, node->layout->n_cols);
    ct_split_code *tree = CT_ARENA_NEW(&worker->arena, ct_split_code, heap);
    memset(survivors, 0, sizeof *survivors);
    survivors->open = INT64_MAX;
    task.depth = depth;
    task.path = path;
    task.as_side = !is_table;
    task.cap = task.seen = INT64_MAX;
    task.on_cpu = 1;
    ct_status status = root_bounds && tree ? CT_OK : ct_worker_no_memory(worker);
    if (status == CT_OK)
        status = ct_roots_init(&roots, worker, &worker->arena, node, &task, root_bounds, tree);
    roots.survivors = survivors;
    if (status == CT_OK) status = (depth == 2 ? ct_depth2_init : ct_branch_init)(&roots, worker);
    if (status == CT_OK) {
        roots.known.best = budget + 1;
        roots.edge = worker->search->min_bucket;
        ct_evaluators_search(&roots, worker);
    }
    if (status != CT_OK) survivors->open = 0;
    ct_arena_release(&worker->arena, mark);
    if (survivors->n) qsort(survivors->of, survivors->n, sizeof *survivors->of, by_place);
    return status;
}
