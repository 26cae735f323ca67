#include "base/compact.h"

#include "exact/search/survivors.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "exact/search/branch.h"
#include "exact/search/depth2.h"
#include "exact/search/evaluators.h"

static int grow(ct_survivors *survivors)
{
    uint32_t room = survivors->room ? 2 * survivors->room : 64;
    ct_survivor *of = (ct_survivor *) ct_alloc(room * sizeof *of);
    if (!of) return 0;
    if (survivors->n) memcpy(of, survivors->of, survivors->n * sizeof *of);
    ct_free(survivors->of);
    survivors->of = of;
    survivors->room = room;
    return 1;
}

/* What was evaluated as the search was stopped may not be known to the end. */
void ct_survivors_look(const ct_evaluator *evaluator, uint32_t feature, const ct_candidate *m,
                       int64_t upper)
{
    ct_roots *roots = evaluator->roots;
    ct_survivors *survivors = roots->survivors;
    int64_t total = ct_candidate_total(evaluator->worker, m);
    if (ct_is_halted(evaluator->worker)) {
        ct_survivors_leave(survivors, total);
        return;
    }
    if (upper >= roots->known.best) return;
    if (survivors->n == survivors->room && !grow(survivors)) {
        ct_survivors_leave(survivors, total);
        ct_worker_stop(evaluator->worker, CT_END_MEMORY);
        return;
    }
    survivors->of[survivors->n++] = (ct_survivor){feature, m->threshold, m->n_left,
                                                  {evaluator->upper[0], evaluator->upper[1]}};
}

static int by_place(const void *a, const void *b)
{
    const ct_survivor *x = (const ct_survivor *) a, *y = (const ct_survivor *) b;
    if (x->feature != y->feature) return x->feature < y->feature ? -1 : 1;
    return x->threshold < y->threshold ? -1 : x->threshold > y->threshold;
}

ct_status ct_survivors_find(ct_worker *worker, const ct_node *node, unsigned depth, int64_t budget,
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
