#include "base/compact.h"

#include "forest/walk/curves.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "forest/walk/members.h"

enum { ROWS = 2048, CELLS = 1 << 20, STEP_BITS = 32 };

typedef struct {
    int64_t *steps;       /* [rows at a time][n_columns] owned */
    uint32_t trees[ROWS]; /* that count, by row */
    int64_t found;
} scratch;

typedef struct {
    const ct_forest_curves_request *request;
    uint32_t rows; /* at a time */
    scratch *scratches;
} plan;

/* Members of one time follow each other, as their ranks are in order of time. */
static void add_steps(const ct_forest_curves_request *request, const uint32_t *members, uint32_t n,
                      uint32_t at_risk, int64_t *steps)
{
    for (uint32_t i = 0; i < n;) {
        const uint32_t time = ct_survival_time(request->survival[ct_hist_rank(members[i])]);
        uint64_t events = 0;
        uint32_t weight = 0;
        for (; i < n; i++) {
            const uint32_t code = request->survival[ct_hist_rank(members[i])];
            if (ct_survival_time(code) != time) break;
            weight += ct_hist_drawn(members[i]);
            if (!ct_survival_censored(code)) events += ct_hist_drawn(members[i]);
        }
        const uint32_t column = request->column_of[time];
        if (events && column < request->n_columns)
            steps[column] += (int64_t) (((events << STEP_BITS) + at_risk / 2) / at_risk);
        at_risk -= weight;
    }
}

static int visit_tree(void *data, unsigned worker, uint32_t number, uint32_t from, uint32_t n,
                      const uint32_t *leaves)
{
    const plan *p = (const plan *) data;
    const ct_forest_curves_request *request = p->request;
    const ct_hist_tree *tree = &request->forest->trees[number];
    scratch *d = &p->scratches[worker];
    if (number == 0) {
        memset(d->steps, 0, (size_t) n * request->n_columns * sizeof *d->steps);
        memset(d->trees, 0, n * sizeof *d->trees);
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t leaf = tree->nodes[leaves[i]].next,
                       begin = leaf ? tree->ends[leaf - 1] : 0, size = tree->ends[leaf] - begin;
        if (request->own &&
            ct_forest_members_have(tree->members + begin, size, request->own[from + i])) {
            d->found++;
            continue;
        }
        d->trees[i]++;
        add_steps(request, tree->members + begin, size, tree->counts[leaf],
                  d->steps + (size_t) i * request->n_columns);
    }
    return 1;
}

static int visit_rows(void *data, unsigned worker, uint32_t from, uint32_t n)
{
    const plan *p = (const plan *) data;
    const ct_forest_curves_request *request = p->request;
    const scratch *d = &p->scratches[worker];
    for (uint32_t i = 0; i < n; i++) {
        int64_t sum = 0;
        for (uint32_t k = 0; k < request->n_columns; k++) {
            sum += d->steps[(size_t) i * request->n_columns + k];
            request->hazards[(size_t) k * request->n_rows + from + i] =
                d->trees[i] ? ldexp((double) sum, -STEP_BITS) / d->trees[i] : NAN;
        }
    }
    return 1;
}

static ct_status walk(plan *p, const ct_hist_code_column *codes, const ct_column *columns,
                      unsigned threads, ct_halt *stop, ct_error *error)
{
    const ct_hist_visitor visitor = {p, p->rows, visit_tree, visit_rows};
    const ct_forest_curves_request *request = p->request;
    const size_t bytes = (size_t) p->rows * request->n_columns * sizeof(int64_t);
    int64_t found = 0;
    for (unsigned i = 0; i < threads; i++)
        if (!(p->scratches[i].steps = (int64_t *) ct_alloc(bytes ? bytes : 1)))
            return ct_fail(error, CT_NO_MEMORY, "no memory to predict");
    CT_TRY(ct_hist_visit(request->forest, codes, columns, request->n_rows, &visitor, threads, stop,
                         error));
    for (unsigned i = 0; i < threads; i++) found += p->scratches[i].found;
    if (request->own && !ct_atomic_read(&stop->stopped) &&
        found != ct_forest_members_rows(request->forest))
        return ct_fail(error, CT_BAD_INPUT, "these are not the rows the forest was grown from");
    return CT_OK;
}

ct_status ct_forest_curves_predict(const ct_forest_curves_request *request,
                                   const ct_hist_code_column *codes, const ct_column *columns,
                                   unsigned threads, ct_halt *stop, ct_error *error)
{
    CT_ASSERT(request->survival && request->column_of && request->hazards);
    const uint32_t rows = CELLS / (request->n_columns + 1) + 1;
    plan p = {request, rows < ROWS ? rows : ROWS, NULL};
    if (!threads) threads = 1;
    p.scratches = (scratch *) ct_alloc_zeroed(threads, sizeof *p.scratches);
    if (!p.scratches) return ct_fail(error, CT_NO_MEMORY, "no memory to predict");
    ct_status status = walk(&p, codes, columns, threads, stop, error);
    for (unsigned i = 0; i < threads; i++) ct_free(p.scratches[i].steps);
    ct_free(p.scratches);
    return status;
}
