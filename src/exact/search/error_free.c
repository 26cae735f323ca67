#include "exact/search/error_free.h"

/* It is not worth a try where the known tree has more errors than FEW and than one in ROWS_AN_ERROR
 * rows, nor at depth two, where that search is as long as one for any tree. */
enum { FEW = 16, ROWS_AN_ERROR = 64 };

static int has_few_errors(const ct_exact_search *search, const ct_known_tree *known)
{
    int64_t units = known->cost >> search->costs->shift;
    return units <= FEW || units <= search->table->n_rows / ROWS_AN_ERROR;
}

int ct_error_free_first(const ct_worker *worker, const ct_exact_task *task, ct_exact_task *first)
{
    const ct_exact_search *search = worker->search;
    int64_t unit = ct_cost_of_units(search->costs, 1);
    *first = *task;
    first->cap = unit;
    first->error_free = 1;
    first->known = NULL;
    return ct_uses(worker, CT_SHORTCUT_ERROR_FREE) && ct_uses(worker, CT_SHORTCUT_CAPS) &&
           !worker->evidence && !task->gap && task->depth > 2 && task->cap > unit &&
           task->known && task->known->cost >= unit && has_few_errors(search, task->known) &&
           search->breaks_ties;
}

void ct_error_free_look(ct_roots *roots, const ct_candidate *m)
{
    int64_t unit = roots->task->cap;
    if (!roots->task->error_free || roots->known.improved) return;
    if (m->lower[0] >= unit && m->lower[1] >= unit)
        roots->known.best = 0; /* which closes all that is open */
}
