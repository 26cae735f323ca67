/* Scans where what a row costs depends on its label: the blocks are words of 64 rows, in 64-bit arithmetic.
 *
 * The mass m_c of class c is the weight of its rows, gain[c][k] what label k spares of it (see ct_costs). Up to a point of
 * g's order label k spares x_k = sum over c of m_c gain[c][k]; with T_k that of the whole side, a split there spares
 * max_i x_i + max_j (T_j - x_j) of what the side costs under each row's dearest label. All x_k grow along the order, so
 * within a block a split spares at most max over i != j of x_i(end) + T_j - x_j(start) (the same label on both sides is
 * the leaf), and at most half of (what one at the start spares + what one at the end spares + what the block's rows cost
 * at most), since a row changes the number by no more than it can cost.
 *
 * Scratch: bounds of the words of either side [2][words], members [class][words] and x [label][words] at the words' ends
 * of the side that was counted; then T of either side and three lists for the labels or classes. The other side follows by
 * subtraction from the row set's own x, which are its lanes (`derived`). */

#ifndef CT_WEIGHT_SUM
typedef int64_t weight_sum;
CT_INLINE weight_sum weight_sum_of(int64_t x) { return x; }
CT_INLINE int64_t weight_sum_total(weight_sum sum) { return sum; }
CT_INLINE weight_sum weight_sum_add(weight_sum sum, uint64_t members, const int64_t *weights)
{
    for (; members; members &= members - 1) sum += weights[ct_trailing_zeros(members)];
    return sum;
}
#endif

/* The sum of the weights of a word's rows that are in `members`. */
CT_INLINE int64_t sum_where(uint64_t members, const int64_t *weights)
{
    return weight_sum_total(weight_sum_add(weight_sum_of(0), members, weights));
}

CT_INLINE int64_t mass_of(uint64_t members, const int64_t *weights)
{
    return weights ? sum_where(members, weights) : (int64_t) word_count(members);
}

CT_INLINE const int64_t *weights_at(const int64_t *weights, size_t word) { return weights ? weights + word * 64 : NULL; }

static uint32_t afford(const uint64_t *sets, uint32_t n_classes, size_t words, const int64_t *gains, const int64_t *weights,
                       int64_t cost)
{
    uint64_t members = 0, fewer = 0; /* fewer: the members below a bit, which cost no more */
    for (uint32_t c = 0; c < n_classes; c++) members |= sets[c * words];
    for (unsigned step = 32, bits = 0; step; step /= 2) {
        uint64_t more = members & ct_low_bits(bits + step) & ~fewer;
        int64_t of_these = 0;
        for (uint32_t c = 0; c < n_classes; c++)
            of_these += mass_of(sets[c * words] & more, weights) * gains[c * (n_classes + 1)];
        if (of_these > cost) continue;
        cost -= of_these;
        fewer |= more;
        bits += step;
    }
    return (uint32_t) word_count(fewer);
}

/* ---- scratch ---- */

CT_INLINE uint64_t *heavy_members(const scan_job *job) { return job->all->scratch + 2 * job->words; }

CT_INLINE int64_t *heavy_sums(const scan_job *job)
{
    return (int64_t *) (void *) (heavy_members(job) + job->all->rows->n_classes * job->words);
}

/* List `i` of five. */
CT_INLINE int64_t *heavy_list(const scan_job *job, unsigned i)
{
    return heavy_sums(job) + job->all->rows->n_classes * (job->words + i);
}

enum { TOTALS, X_LIST = 2, MASS_LIST, REST_LIST };

/* What the labels spare of rows with these masses. */
CT_INLINE int64_t spared(const int64_t *gains, uint32_t n_classes, const int64_t *masses, uint32_t label)
{
    int64_t sum = 0;
    for (uint32_t c = 0; c < n_classes; c++) sum += masses[c] * gains[c * n_classes + label];
    return sum;
}

static void begin64(scan_job *job)
{
    const ct_children *all = job->all;
    job->totals[0] = all->totals[0], job->totals[1] = all->totals[1];
    uint32_t n_classes = all->rows->n_classes;
    int64_t *masses = heavy_list(job, MASS_LIST);
    for (unsigned side = 0; side < 2; side++) {
        job->dearest[side] = 0;
        for (uint32_t c = 0; c < n_classes; c++) {
            masses[c] = all->masses[side] ? all->masses[side][c] : (int64_t) all->totals[side][c];
            job->dearest[side] += masses[c] * all->rows->gains[c * n_classes + c];
        }
        for (uint32_t k = 0; k < n_classes; k++)
            heavy_list(job, TOTALS + side)[k] = spared(all->rows->gains, n_classes, masses, k);
    }
}

/* ---- bounds ---- */

typedef struct {
    int64_t x_end, x_start, rest_end, rest_start, pairs;
} heavy_bound;

CT_INLINE heavy_bound heavy_start(void)
{
    const int64_t lowest = INT64_MIN / 4;
    heavy_bound b = {lowest, lowest, lowest, lowest, lowest};
    return b;
}

/* One more label, which spares x up to the block's end, `gain` of it in the block. */
CT_INLINE void heavy_add(heavy_bound *b, int64_t x, int64_t gain, int64_t total)
{
    int64_t start = x - gain;
    b->pairs = ct_larger64(b->pairs, ct_larger64(x + b->rest_start, total - start + b->x_end));
    b->x_end = ct_larger64(b->x_end, x);
    b->x_start = ct_larger64(b->x_start, start);
    b->rest_end = ct_larger64(b->rest_end, total - x);
    b->rest_start = ct_larger64(b->rest_start, total - start);
}

/* `cost`: what the block's rows cost at most. */
CT_INLINE int64_t heavy_top(const heavy_bound *b, int64_t cost)
{
    int64_t middle = (b->x_start + b->rest_start + b->x_end + b->rest_end + cost) / 2;
    return b->pairs < middle ? b->pairs : middle;
}

/* The bounds of word w: that of the side that is counted, whose members are `keep` (or not, for the right one), and where
 * both are wanted of the other one. */
CT_INLINE void heavy_word(const scan_job *job, const int sides, size_t w, uint64_t keep,
                          int64_t bound[2])
{
    uint32_t n_classes = job->all->rows->n_classes;
    const int64_t *gains = job->all->rows->gains, *weights = weights_at(job->weights, w);
    const int64_t *all_x = (const int64_t *) (const void *) job->lanes;
    int64_t *x = heavy_list(job, X_LIST), *masses = heavy_list(job, MASS_LIST), *rest = heavy_list(job, REST_LIST);
    size_t words = job->words;
    int counted = sides == RIGHT;
    int64_t cost = 0, rest_cost = 0;
    heavy_bound here = heavy_start(), there = heavy_start();
    for (uint32_t c = 0; c < n_classes; c++) {
        uint64_t set = job->sets[c * words + w], members = counted ? set & ~keep : set & keep;
        heavy_members(job)[c * words + w] = members;
        masses[c] = mass_of(members, weights);
        cost += masses[c] * gains[c * n_classes + c];
        if (sides != BOTH) continue;
        rest[c] = mass_of(set ^ members, weights);
        rest_cost += rest[c] * gains[c * n_classes + c];
    }
    for (uint32_t k = 0; k < n_classes; k++) {
        int64_t gain = spared(gains, n_classes, masses, k);
        x[k] += gain;
        heavy_sums(job)[k * words + w] = x[k];
        heavy_add(&here, x[k], gain, heavy_list(job, TOTALS + (unsigned) counted)[k]);
        if (sides != BOTH) continue;
        gain = spared(gains, n_classes, rest, k);
        heavy_add(&there, all_x[k * words + w] - x[k], gain, heavy_list(job, TOTALS + 1)[k]);
    }
    bound[counted] = heavy_top(&here, cost);
    if (sides == BOTH) bound[1] = heavy_top(&there, rest_cost);
}

CT_INLINE void heavy_count(const scan_job *job, const int sides, int64_t error[2])
{
    int64_t top[2] = {0, 0}, *x = heavy_list(job, X_LIST);
    uint32_t n_classes = job->all->rows->n_classes;
    uint64_t keep[VEC_WORDS];
    less_than less = less_make(job->planes, job->words, &job->all->threshold);
    for (uint32_t k = 0; k < n_classes; k++) x[k] = 0;
    for (size_t start = job->begin; start < job->end; start += VEC_WORDS) {
        v_store(keep, v_less(less, start));
        for (size_t i = 0; i < VEC_WORDS; i++) {
            int64_t bound[2] = {0, 0};
            heavy_word(job, sides, start + i, keep[i], bound);
            for (int side = 0; side < 2; side++) {
                job->all->scratch[(size_t) side * job->words + start + i] = (uint64_t) bound[side];
                if (job->ties[start + i]) top[side] = ct_larger64(top[side], bound[side]);
            }
        }
    }
    for (int side = 0; side < 2; side++) error[side] = job->dearest[side] - top[side];
}

/* Pass 1: the wanted sides' errors are at least error[]. */
static void first_pass64(const scan_job *job, int sides, int64_t error[2])
{
    heavy_count(job, sides, error);
}

/* ---- single places ---- */

/* Members of class c of the side in word w. */
CT_INLINE uint64_t heavy_set(const scan_job *job, int derived, uint32_t c, size_t w)
{
    uint64_t members = heavy_members(job)[c * job->words + w];
    return derived ? members ^ job->sets[c * job->words + w] : members;
}

/* x of label k of the side at the end of word w; 0 before the first. */
CT_INLINE int64_t heavy_x(const scan_job *job, int derived, uint32_t k, size_t w)
{
    int64_t x = heavy_sums(job)[k * job->words + w];
    return derived ? ((const int64_t *) (const void *) job->lanes)[k * job->words + w] - x : x;
}

CT_INLINE int64_t heavy_score(const int64_t *x, const int64_t *totals, uint32_t n_classes)
{
    int64_t most = x[0], rest = totals[0] - x[0];
    for (uint32_t k = 1; k < n_classes; k++) {
        most = ct_larger64(most, x[k]);
        rest = ct_larger64(rest, totals[k] - x[k]);
    }
    return most + rest;
}

/* What the best split at a legal place of word w spares. */
static int64_t heavy_block(const scan_job *job, int side, int derived, size_t w)
{
    uint32_t n_classes = job->all->rows->n_classes;
    const int64_t *gains = job->all->rows->gains, *weights = weights_at(job->weights, w);
    const int64_t *totals = heavy_list(job, TOTALS + (unsigned) side);
    int64_t *x = heavy_list(job, X_LIST), best = 0;
    uint64_t done = 0;
    for (uint32_t k = 0; k < n_classes; k++) x[k] = w > job->begin ? heavy_x(job, derived, k, w - 1) : 0;
    for (uint64_t ties = job->ties[w]; ties; ties &= ties - 1) {
        uint64_t upto = ties ^ (ties - 1);
        for (uint32_t c = 0; c < n_classes; c++) {
            uint64_t members = heavy_set(job, derived, c, w) & upto & ~done;
            if (!members) continue;
            int64_t mass = mass_of(members, weights);
            for (uint32_t k = 0; k < n_classes; k++) x[k] += mass * gains[c * n_classes + k];
        }
        done |= upto;
        best = ct_larger64(best, heavy_score(x, totals, n_classes));
    }
    return best;
}

/* What the best split between two words spares. */
static int64_t heavy_ends(const scan_job *job, int side, int derived)
{
    uint32_t n_classes = job->all->rows->n_classes;
    int64_t *x = heavy_list(job, X_LIST), best = 0;
    for (size_t w = job->begin; w < job->end; w++) {
        if (!(job->ties[w] >> 63)) continue;
        for (uint32_t k = 0; k < n_classes; k++) x[k] = heavy_x(job, derived, k, w);
        best = ct_larger64(best, heavy_score(x, heavy_list(job, TOTALS + (unsigned) side), n_classes));
    }
    return best;
}

/* Pass 2 for one side, as in scan_body.h. */
static int64_t refine64(scan_job *job, int side, int derived)
{
    const int64_t *bounds = (const int64_t *) (const void *) (job->all->scratch + (size_t) side * job->words);
    int64_t floor = job->dearest[side] - job->need[side], closed = 0, best = heavy_ends(job, side, derived);
    for (size_t w = job->begin; w < job->end; w++) {
        if (!job->ties[w]) continue;
        if (bounds[w] <= ct_larger64(best, floor) && !job->all->refine_all) {
            closed = ct_larger64(closed, bounds[w]);
            continue;
        }
        best = ct_larger64(best, heavy_block(job, side, derived, w));
        job->refined++;
    }
    return job->dearest[side] - (best > floor ? best : ct_larger64(best, closed));
}

/* Points the job at the weights of child g. */
CT_INLINE void aim_costs(scan_job *job, uint32_t g)
{
    const ct_rows *rows = job->all->rows;
    job->weights = rows->weights ? rows->weights + (size_t) g * rows->words * 64 : NULL;
    job->coarse_planes = rows->coarse_planes ? rows->coarse_planes + g * (rows->coarse->n_planes * rows->words) : NULL;
    job->coarse_bytes = rows->coarse_bytes ? rows->coarse_bytes + (size_t) g * rows->words * 64 : NULL;
}

CT_INLINE void aim_costs64(scan_job *job, uint32_t g) { aim_costs(job, g); }

CT_INLINE int64_t own64(const scan_job *job, int64_t cost)
{
    (void) job;
    return cost;
}

CT_INLINE void settle64(scan_job *job, const int64_t need[2], int64_t error[2], int64_t allowed[2])
{
    (void) job, (void) need, (void) error, (void) allowed;
}

/* ---- sides ---- */

/* What the members of each class before each word weigh. */
static void split_masses(const ct_split *s)
{
    uint32_t n_classes = s->n_classes;
    if (!s->weights) return;
    int64_t *masses = s->masses + s->begin * n_classes;
    for (uint32_t c = 0; c < n_classes; c++) masses[c] = 0;
    for (size_t w = s->begin; w < s->end; w++, masses += n_classes)
        for (uint32_t c = 0; c < n_classes; c++)
            masses[n_classes + c] = masses[c] + sum_where(s->sets[c * s->words + w], s->weights + w * 64);
}

/* One side of a row set: as in split_body.h, with what the labels spare in place of the lanes. */
static void split64(ct_split *s)
{
    uint32_t n_classes = s->n_classes;
    split_sets(s);
    split_masses(s);
    for (size_t w = s->begin; w < s->end; w++) {
        const int64_t *masses = s->weights ? s->masses + w * n_classes : NULL;
        int64_t *x = (int64_t *) (void *) (s->lanes + w);
        for (uint32_t k = 0; k < n_classes; k++) x[k * s->words] = w > s->begin ? x[(int64_t) (k * s->words) - 1] : 0;
        for (uint32_t c = 0; c < n_classes; c++) {
            int64_t mass = masses ? masses[n_classes + c] - masses[c] : (int64_t) word_count(s->sets[c * s->words + w]);
            for (uint32_t k = 0; mass && k < n_classes; k++) x[k * s->words] += mass * s->gains[c * n_classes + k];
        }
    }
}
