/* A template, see lane.h: scans where leaves predict the mean of a response; see children.h,
 * exact/cost/response.h, response/lists.h and, for many rows, response/words.h. */
#include "exact/kernels/response/abreast.h"
#include "exact/kernels/response/words.h"

#ifndef CT_KIND
#define CT_LANE 16
#define CT_KIND response
#endif

#ifndef CT_EXACT_KERNELS_RESPONSE_RESPONSE_H
#define CT_EXACT_KERNELS_RESPONSE_RESPONSE_H

/* Blocks that hold places from which to split: behind the rows first .. last. */
typedef struct {
    uint32_t first, last;
} places;

static inline int64_t best_of_block(const listed *s, uint32_t block, places p, int64_t best)
{
    uint32_t start = block * CT_LIST_BLOCK;
    run r = run_of_block(s, block, s->list->before[block]);
    return best_in_run(s, &r, p.first > start ? p.first - start : 0, p.last - start, best);
}

/* The block of the largest gain. */
static inline uint32_t best_block(const listed *s, places p)
{
    uint32_t best = p.first / CT_LIST_BLOCK;
    for (uint32_t block = best; block <= p.last / CT_LIST_BLOCK; block++)
        if (s->list->most[block] > s->list->most[best]) best = block;
    return best;
}

#endif

static int64_t own_cost_response(const scan_job *job, int side, int64_t cost)
{
    return ct_response_needed(job->all->rows->response, cost, weight_of_side(job->all, side));
}

static void start_response(scan_job *job)
{
    job->windowed = job->narrowed = 0;
    job->noted = 0;
    job->child = 0;
    for (int side = 0; side < 2; side++)
        job->cap[side] = own_cost_response(job, side, job->all->need[side]);
}

/* There are no labels to choose from. */
static void choose_response(scan_job *job)
{
    job->n_active = 2;
    job->dropped[0] = job->dropped[1] = INT64_MAX;
}

static void aim_costs_response(scan_job *job, uint32_t g)
{
    const ct_rows *rows = job->all->rows;
    job->weights = rows->weights ? rows->weights + (size_t) g * rows->words * 64 : NULL;
    job->child = g;
    if (rows->abreast) make_cut_planes(job, g);
}

/* Lists the wanted sides and fills in their blocks. */
static void list_and_scan(scan_job *job, int sides, int64_t error[2])
{
    list_sides(job, sides);
    for (int side = 0; side < 2; side++) {
        if (side == 0 ? sides == RIGHT : sides == LEFT) continue;
        listed s = list_of_side(job, side);
        float most = job->weights ? scan_weighted(&s) : scan_list(&s);
        error[side] = most < 0 ? cost_of_leaf(&s) : cost_of_gain(&s, (double) most);
        job->listed |= 1U << side;
    }
}

static void first_pass_response(scan_job *job, int sides, int64_t error[2])
{
    job->windowed = job->narrowed = job->listed = 0;
    job->noted = 0;
    if (job->weights || job->all->size[0] + job->all->size[1] < job->all->word_rows) {
        list_and_scan(job, sides, error);
        return;
    }
    child_rows rows = rows_of_child(job);
    job->noted = 1;
    first_pass_words(job, &rows, sides, error);
}

/* Rows of a side up to a position, or from it on: before the first that is not, in its list. */
static uint32_t rows_upto(const scan_job *job, int side, size_t position)
{
    uint64_t members[VEC_WORDS];
    uint32_t n = 0;
    for (size_t w = job->begin; w < job->end && w * 64 <= position; w += VEC_WORDS) {
        side_words(job, side, 0, w, members);
        for (size_t i = 0; i < VEC_WORDS && (w + i) * 64 <= position; i++) {
            size_t within = position - (w + i) * 64;
            n += (uint32_t) word_count(within < 63 ? members[i] & ct_low_bits((unsigned) within + 1)
                                                   : members[i]);
        }
    }
    return n;
}

/* The places of a side that its window leaves; 0 if there are none. A threshold between two rows of
 * the window may part rows of the outer set alone: such places are in it, too. */
static int places_of(const scan_job *job, int side, uint32_t n, places *p)
{
    uint32_t low = 1, high = n - 1;
    if (job->narrowed >> side & 1) {
        if (job->window[0] >= job->window[1]) return 0;
        low = rows_upto(job, side, job->window[0]);
        high = rows_upto(job, side, job->window[1] - 1);
        if (low < 1) low = 1;
        if (high > n - 1) high = n - 1;
    }
    if (low > high) return 0;
    *p = (places){low - 1, high - 1};
    return 1;
}

/* Exact if below the need: of two leaves, or of the leaf where no place parts the rows. */
static int64_t second_pass_response(scan_job *job, int side, int derived)
{
    listed s = list_of_side(job, side);
    int64_t best = cost_of_leaf(&s), need = job->need[side], error[2];
    places p;
    (void) derived;
    if (!(job->listed >> side & 1)) {
        if (job->noted && !(job->narrowed >> side & 1)) return second_pass_words(job, side, &s);
        list_and_scan(job, side ? RIGHT : LEFT, error);
    }
    if (!places_of(job, side, s.n, &p)) return best;
    uint32_t first = best_block(&s, p);
    int64_t least = cost_of_gain(&s, (double) s.list->most[first]);
    if (s.list->most[first] < 0) return best;
    if (least >= need && !job->all->refine_all) return least;
    best = best_of_block(&s, first, p, best);
    for (uint32_t block = p.first / CT_LIST_BLOCK; block <= p.last / CT_LIST_BLOCK; block++) {
        float most = s.list->most[block];
        if (block == first || most < 0) continue;
        if (cost_of_gain(&s, (double) most) < best || job->all->refine_all)
            best = best_of_block(&s, block, p, best);
        job->refined++;
    }
    return best;
}

/* A cost in scans as a lower bound of the side's. */
static int64_t surely(const ct_children *c, int side, int64_t cost)
{
    return ct_response_surely(c->rows->response, cost, weight_of_side(c, side));
}

static void in_full_response(scan_job *job, const int64_t need[2], int64_t error[2],
                             int64_t allowed[2])
{
    (void) need;
    for (int side = 0; side < 2; side++) {
        error[side] = surely(job->all, side, error[side]);
        allowed[side] = surely(job->all, side, allowed[side]);
    }
}

/* See ct_kernels. */
static void moments_of(uint64_t members, const int32_t *z, const int64_t *weights,
                       int64_t moments[2])
{
#ifdef VEC_LISTS
    if (!weights) {
        vec sums = v_fill(0), squares = v_fill(0);
        for (size_t first = 0; first < 64 && members >> first; first += CHUNK) {
            mask32 in = l32_of_bits((uint32_t) (members >> first) & WHOLE_CHUNK);
            vec rows = l32_where(l32_load(z + first), in);
            sums = l32_add(sums, rows);
            squares = l64_add(squares, l32_squares(rows));
        }
        moments[0] += l32_sum(sums);
        moments[1] += l64_sum(squares);
        return;
    }
#endif
    for (; members; members &= members - 1) {
        size_t row = ct_trailing_zeros(members);
        int64_t wz = weights ? weights[row] * z[row] : z[row];
        moments[0] += wz;
        moments[1] += wz * z[row];
    }
}

static void split_response(ct_exact_split *s)
{
    split_sets(s);
    split_masses(s);
    if (!s->moments) return;
    int64_t *moments = s->moments + 2 * s->begin;
    moments[0] = moments[1] = 0;
    for (size_t w = s->begin; w < s->end; w++, moments += 2) {
        moments[2] = moments[0];
        moments[3] = moments[1];
        if (!s->sets[w]) continue;
        moments_of(s->sets[w], s->z + w * 64, s->weights ? s->weights + w * 64 : NULL,
                   moments + 2);
    }
}
