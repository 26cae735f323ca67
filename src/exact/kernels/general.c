/* Scans where what a row costs depends on its label and rows have weights, or costs do not fit into
 * few bits: in 64 bits and plain C, a word of 64 rows at a time.
 *
 * The mass m_c of class c is the weight of its rows, gain[c][k] what label k spares of it (see
 * ct_costs). Up to a place in the child's order label k spares x_k = sum over c of m_c gain[c][k];
 * with T_k that of the whole side, a split there spares max_i x_i + max_j (T_j - x_j) of what the
 * side costs with each row under its worst label. All x_k grow along the order, so within a word a
 * split spares at most max over i != j of x_i(end) + T_j - x_j(start) (the same label on both sides
 * is the leaf), and at most half of (what one at the start spares + what one at the end spares +
 * what the word's rows cost at most), since a row changes the number by no more than it can cost.
 *
 * Scratch: T of either side and the lists below, [n_classes] each. */
#include "exact/kernels/job.h"

#define CT_LANE 64
#define CT_KIND general

enum { TOTALS, X = 2, X_END, MASSES, MEMBERS };

static int64_t *list(const scan_job *job, int i)
{
    return (int64_t *) (void *) job->all->scratch + (size_t) i * job->all->rows->n_classes;
}

/* Adds what the labels spare of `mass` rows of class c. */
static void add_spared(const scan_job *job, uint32_t c, int64_t mass, int64_t *x)
{
    const ct_rows *rows = job->all->rows;
    size_t n_classes = rows->n_classes;
    if (!rows->gains) x[c] += mass * rows->most[c];
    for (uint32_t k = 0; rows->gains && mass && k < n_classes; k++)
        x[k] += mass * rows->gains[c * n_classes + k];
}

static void start_general(scan_job *job)
{
    const ct_children *all = job->all;
    uint32_t n_classes = all->rows->n_classes;
    job->windowed = 0;
    memset(list(job, TOTALS), 0, 2 * n_classes * sizeof(int64_t));
    for (int side = 0; side < 2; side++) {
        job->most_cost[side] = 0;
        for (uint32_t c = 0; c < n_classes; c++) {
            int64_t mass = all->masses[side] ? all->masses[side][c]
                                             : (int64_t) all->totals[side][c];
            job->most_cost[side] += mass * all->rows->most[c];
            add_spared(job, c, mass, list(job, TOTALS + side));
        }
    }
}

/* All labels are looked at. */
static void choose_general(scan_job *job)
{
    job->n_active = job->all->rows->n_classes;
    job->dropped[0] = job->dropped[1] = INT64_MAX;
}

static void aim_costs_general(scan_job *job, uint32_t g)
{
    const ct_rows *rows = job->all->rows;
    job->weights = rows->weights ? rows->weights + (size_t) g * rows->words * 64 : NULL;
}

static int64_t own_cost_general(const scan_job *job, int64_t cost) { return (void) job, cost; }

/* Members of the side in word w, by class, and x at the word's end. Returns what they cost at
 * most. */
static int64_t count_word(const scan_job *job, int side, size_t w)
{
    uint32_t n_classes = job->all->rows->n_classes;
    uint64_t keep = v_less(less_make(job->planes, job->words, &job->all->threshold), w);
    int64_t cost = 0, *x_end = list(job, X_END);
    memcpy(x_end, list(job, X), n_classes * sizeof *x_end);
    for (uint32_t c = 0; c < n_classes; c++) {
        uint64_t members = job->sets[c * job->words + w] & (side == RIGHT ? ~keep : keep);
        int64_t mass = mass_of(members, weights_at(job->weights, w));
        ((uint64_t *) list(job, MEMBERS))[c] = members;
        add_spared(job, c, mass, x_end);
        cost += mass * job->all->rows->most[c];
    }
    return cost;
}

/* What a split within the word spares at most; `cost`: what its rows cost at most. */
static int64_t bound_word(const scan_job *job, int side, int64_t cost)
{
    const int64_t lowest = INT64_MIN / 4, *start = list(job, X), *end = list(job, X_END);
    const int64_t *totals = list(job, TOTALS + side);
    int64_t x_start = lowest, x_end = lowest, rest_start = lowest, rest_end = lowest,
            pairs = lowest;
    for (uint32_t k = 0; k < job->all->rows->n_classes; k++) {
        pairs = ct_larger64(pairs, ct_larger64(end[k] + rest_start, totals[k] - start[k] + x_end));
        x_start = ct_larger64(x_start, start[k]);
        x_end = ct_larger64(x_end, end[k]);
        rest_start = ct_larger64(rest_start, totals[k] - start[k]);
        rest_end = ct_larger64(rest_end, totals[k] - end[k]);
    }
    int64_t middle = (x_start + rest_start + x_end + rest_end + cost) / 2;
    return pairs < middle ? pairs : middle;
}

/* What the best split at a legal place of the word spares; x goes along. */
static int64_t best_in_word(const scan_job *job, int side, size_t w)
{
    uint32_t n_classes = job->all->rows->n_classes;
    const int64_t *totals = list(job, TOTALS + side);
    int64_t *x = list(job, X), best = 0;
    uint64_t done = 0;
    for (uint64_t ties = job->ties[w]; ties; ties &= ties - 1) {
        uint64_t upto = ties ^ (ties - 1);
        int64_t most = 0, rest = 0;
        for (uint32_t c = 0; c < n_classes; c++) {
            uint64_t members = ((const uint64_t *) list(job, MEMBERS))[c] & upto & ~done;
            if (members) add_spared(job, c, mass_of(members, weights_at(job->weights, w)), x);
        }
        for (uint32_t k = 0; k < n_classes; k++) {
            most = ct_larger64(most, x[k]);
            rest = ct_larger64(rest, totals[k] - x[k]);
        }
        done |= upto;
        best = ct_larger64(best, most + rest);
    }
    return best;
}

/* All is done in the second pass. */
static void first_pass_general(scan_job *job, int sides, int64_t error[2])
{
    (void) job, (void) sides;
    error[0] = error[1] = 0;
}

static int64_t second_pass_general(scan_job *job, int side, int derived)
{
    uint32_t n_classes = job->all->rows->n_classes;
    int64_t floor = job->most_cost[side] - job->need[side], closed = 0, best = 0;
    (void) derived;
    memset(list(job, X), 0, n_classes * sizeof(int64_t));
    for (size_t w = job->begin; w < job->end; w++) {
        int64_t bound = bound_word(job, side, count_word(job, side, w));
        if (job->ties[w] && (bound > ct_larger64(best, floor) || job->all->refine_all)) {
            best = ct_larger64(best, best_in_word(job, side, w));
            job->refined++;
        } else if (job->ties[w]) {
            closed = ct_larger64(closed, bound);
        }
        memcpy(list(job, X), list(job, X_END), n_classes * sizeof(int64_t));
    }
    return job->most_cost[side] - (best > floor ? best : ct_larger64(best, closed));
}

static void in_full_general(scan_job *job, const int64_t need[2], int64_t error[2],
                            int64_t allowed[2])
{
    (void) job, (void) need, (void) error, (void) allowed;
}

#include "exact/kernels/children.h"

void ct_children_general(ct_children *children)
{
    children_general(children);
}
