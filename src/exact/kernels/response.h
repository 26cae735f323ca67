/* A template, see lane.h: scans where leaves predict the mean of a response; see children.h and
 * exact/cost/response.h.
 *
 * The rows of a side are listed in the child's order. With T and W the sums of w z and w over the
 * side, and T_k and W_k those up to a place, a split there costs as two leaves
 *
 *   Q - ceil(T_k^2 / W_k) - ceil((T - T_k)^2 / (W - W_k)),
 *
 * at least Q - gain - 2, where the gain is the same without rounding. z is counted from the rounded
 * mean of the side, which changes no cost. Pass 1 computes gains in single precision and keeps the
 * largest of each block of 64 rows; without weights from exact sums, one rounding after another, so
 * that all instruction sets come to the same. With q = the side's Q, eps = 2^-24 and R the range of
 * z such a gain is off by no more than 54 eps q + 3 eps n R: T_k is a sum of two rounded numbers,
 * those before the block and those in it, of which either is at most sqrt(k q) or sqrt(64 q) in
 * size; the rest of the side may be one row, beside which the errors in T are n R eps. Pass 2
 * counts in integers wherever that leaves a chance. */
#include "base/simd/rounded.h"
#include "exact/kernels/job.h"

#ifndef CT_KIND
#define CT_LANE 16
#define CT_KIND response
#endif

#ifndef CT_EXACT_KERNELS_RESPONSE_H
#define CT_EXACT_KERNELS_RESPONSE_H

/* A side in the order of a child. */
typedef struct {
    const ct_list *list;
    uint32_t n;                 /* rows */
    int64_t weight, sum, squares; /* of z - middle */
    int32_t middle;
    int tied;                   /* some of their values may be the same */
    double margin;              /* of gains */
    const ct_response *response;
} listed;

static inline listed list_of_side(const scan_job *job, int side)
{
    const ct_children *all = job->all;
    listed s = {&all->lists[side], all->size[side], all->size[side], all->moments[side][0],
                all->moments[side][1], 0, all->rows->tied[job->child], 0, all->rows->response};
    if (all->masses[side]) s.weight = all->masses[side][0];
    if (!s.weight) return s;
    int64_t twice = 2 * s.sum + s.weight, middle = twice / (2 * s.weight);
    if (twice % (2 * s.weight) < 0) middle--;
    s.middle = (int32_t) middle;
    s.squares += (middle * s.weight - 2 * s.sum) * middle;
    s.sum -= middle * s.weight;
    CT_ASSERT(s.squares >= 0 && s.sum <= s.weight / 2 && -s.sum <= s.weight / 2 + 1);
    s.margin = (double) s.squares * 0x1p-18 +
               (double) s.weight * (double) s.response->range * 0x1p-19 + 4;
    return s;
}

/* A cost that no split with such a gain is below. */
static inline int64_t cost_of_gain(const listed *s, double gain)
{
    double cost = (double) s->squares - gain - s->margin;
    return cost > 0 ? (int64_t) cost : 0;
}

/* What the rows cost as one leaf. */
static inline int64_t cost_of_leaf(const listed *s)
{
    return ct_response_cost(s->weight, s->sum, s->squares);
}

/* Whether a split may come behind the row at `place` - 1. */
static inline int may_part(const listed *s, uint32_t place)
{
    if (place >= s->n) return 0;
    return !s->tied || s->list->ranks[place - 1] != s->list->ranks[place];
}

/* One child as it is listed. */
typedef struct {
    const int32_t *z;
    const uint32_t *ranks;  /* NULL: no two rows of the layout have the same value */
    const int64_t *weights; /* NULL: 1 each */
    const uint64_t *places; /* see ct_response */
} child_rows;

#ifdef VEC_LISTS

enum { CHUNK = 2 * VEC_WORDS }; /* rows that are handled at once */
static const uint32_t WHOLE_CHUNK = (UINT32_C(1) << CHUNK) - 1;

/* Appends the rows of a chunk that `bits` names to a list of n; returns how many there are then.
 * Their places are looked up once: before anything is stored. */
CT_INLINE uint32_t append(const ct_list *list, uint32_t n, vec z, vec ranks, int tied,
                          uint32_t bits, const uint64_t *places)
{
    vec front = l32_front(z, bits, places), front_ranks = front;
    if (tied) front_ranks = l32_front(ranks, bits, places);
    l32_store(list->z + n, front);
    if (tied) l32_store((int32_t *) (void *) (list->ranks + n), front_ranks);
    return n + word_count(bits);
}

/* Appends the members of a word at `at`, which are no others than those of the two sides. The sides
 * are written out, here and below, so that their numbers stay in registers. */
CT_INLINE void list_word(const child_rows *rows, size_t at, const uint64_t members[2], int sides,
                         int tied, const ct_list lists[2], uint32_t n[2])
{
    const uint64_t all = members[0] | members[1];
    for (size_t first = 0; first < 64 && all >> first; first += CHUNK) {
        vec z = l32_load(rows->z + at + first), ranks = z;
        if (tied) ranks = l32_load((const int32_t *) (const void *) rows->ranks + at + first);
        if (sides != RIGHT)
            n[0] = append(&lists[0], n[0], z, ranks, tied,
                          (uint32_t) (members[0] >> first) & WHOLE_CHUNK, rows->places);
        if (sides != LEFT)
            n[1] = append(&lists[1], n[1], z, ranks, tied,
                          (uint32_t) (members[1] >> first) & WHOLE_CHUNK, rows->places);
    }
}

#else

CT_INLINE void list_word(const child_rows *rows, size_t at, const uint64_t members[2], int sides,
                         int tied, const ct_list lists[2], uint32_t n[2])
{
    for (int side = 0; side < 2; side++) {
        if (side == 0 ? sides == RIGHT : sides == LEFT) continue;
        for (uint64_t rest = members[side]; rest; rest &= rest - 1, n[side]++) {
            size_t row = at + ct_trailing_zeros(rest);
            lists[side].z[n[side]] = rows->z[row];
            if (tied) lists[side].ranks[n[side]] = rows->ranks[row];
        }
    }
}

#endif

static inline void list_weights(const child_rows *rows, size_t at, uint64_t members, int64_t *to)
{
    for (; members; members &= members - 1) *to++ = rows->weights[at + ct_trailing_zeros(members)];
}

/* Lists the wanted sides of the child that the job is aimed at. */
CT_INLINE void list_sides_of(const scan_job *job, const child_rows *rows, int sides, int tied)
{
    const ct_children *all = job->all;
    less_than less = less_make(job->planes, job->words, &all->threshold);
    const ct_list lists[2] = {all->lists[0], all->lists[1]}; /* here: no store changes them */
    uint32_t n[2] = {0, 0};
    for (size_t w = job->begin; w < job->end; w += VEC_WORDS) {
        uint64_t keep[VEC_WORDS];
        v_store(keep, v_less(less, w));
        for (size_t i = 0; i < VEC_WORDS; i++) {
            uint64_t set = job->sets[w + i], members[2] = {set & keep[i], set & ~keep[i]};
            if (!set) continue;
            if (rows->weights) {
                list_weights(rows, (w + i) * 64, members[0], lists[0].weights + n[0]);
                list_weights(rows, (w + i) * 64, members[1], lists[1].weights + n[1]);
            }
            list_word(rows, (w + i) * 64, members, rows->weights ? BOTH : sides, tied, lists, n);
        }
    }
    CT_ASSERT(sides == RIGHT || n[0] == all->size[0]);
    CT_ASSERT(sides == LEFT || n[1] == all->size[1]);
}

static void list_sides(const scan_job *job, int sides)
{
    const ct_rows *all = job->all->rows;
    size_t start = (size_t) job->child * all->words * 64;
    child_rows rows = {all->z + start, all->tied[job->child] ? all->ranks + start : NULL,
                       job->weights, all->response->places};
    if (!rows.ranks && sides == BOTH) list_sides_of(job, &rows, BOTH, 0);
    else if (!rows.ranks) list_sides_of(job, &rows, sides, 0);
    else if (sides == BOTH) list_sides_of(job, &rows, BOTH, 1);
    else list_sides_of(job, &rows, sides, 1);
}

/* ---- pass 1 ---- */

/* The gain of a split with k rows and the sum t on its left. */
static inline float gain_at(const listed *s, uint32_t k, float t)
{
    float rest = (float) s->sum - t, left = t * t, right = rest * rest;
    ROUNDED(left);
    ROUNDED(right);
    left *= s->response->inverse[k];
    right *= s->response->falling[s->response->n_rows - s->n + k];
    ROUNDED(left);
    ROUNDED(right);
    return left + right;
}

#ifdef VEC_LISTS
/* The largest gain in the block of rows start .. end - 1, many places at once, and the sum of its
 * rows, unless it is the last block. */
CT_INLINE float scan_block(const listed *s, uint32_t start, uint32_t end, float before, int tied,
                           int32_t *sum)
{
    const float *inverse = s->response->inverse + 1,
                *falling = s->response->falling + (s->response->n_rows - s->n) + 1;
    const int32_t *ranks = (const int32_t *) (const void *) s->list->ranks;
    vec within = v_fill(0), middle = l32_set(s->middle);
    vecf base = f32_set(before), all = f32_set((float) s->sum), none = f32_set(-1), most = none;
    for (uint32_t i = start; i < end; i += CHUNK) {
        vec z = l32_sub(l32_load(s->list->z + i), middle);
        within = l32_add(l32_last(within), l32_scan(z));
        vecf left = f32_add(base, f32_of(within)), right = f32_sub(all, left);
        left = f32_mul(f32_mul(left, left), f32_load(inverse + i));
        right = f32_mul(f32_mul(right, right), f32_load(falling + i));
        ROUNDED(left);
        ROUNDED(right);
        vecf gain = f32_add(left, right);
        if (tied)
            gain = f32_where_not(gain, l32_same(l32_load(ranks + i), l32_load(ranks + i + 1)),
                                 none);
        if (i + CHUNK >= s->n) /* no split behind the last row */
            gain = f32_where_not(gain, l32_of_bits((WHOLE_CHUNK << (s->n - 1 - i)) & WHOLE_CHUNK),
                                 none);
        most = f32_max(most, gain);
    }
    *sum = l32_top_lane(within);
    return f32_top(most);
}
#else
CT_INLINE float scan_block(const listed *s, uint32_t start, uint32_t end, float before, int tied,
                           int32_t *sum)
{
    float most = -1;
    (void) tied;
    *sum = 0;
    for (uint32_t i = start; i < end; i++) {
        *sum += s->list->z[i] - s->middle;
        if (!may_part(s, i + 1)) continue;
        float gain = gain_at(s, i + 1, before + (float) *sum);
        if (gain > most) most = gain;
    }
    return most;
}
#endif

/* The largest gain; fills in the blocks. */
CT_INLINE float scan_blocks(const listed *s, int tied)
{
    float most = -1;
    int64_t before = 0;
    for (uint32_t start = 0, block = 0; start < s->n; start += CT_LIST_BLOCK, block++) {
        int32_t sum;
        uint32_t end = start + CT_LIST_BLOCK < s->n ? start + CT_LIST_BLOCK : s->n;
        float gain = scan_block(s, start, end, (float) before, tied, &sum);
        s->list->before[block] = before;
        s->list->most[block] = gain;
        before += sum;
        if (gain > most) most = gain;
    }
    return most;
}

static float scan_list(const listed *s)
{
    return s->tied ? scan_blocks(s, 1) : scan_blocks(s, 0);
}

/* The same of rows with weights. Rounded once, at the end. */
static inline float scan_weighted(const listed *s)
{
    float most = -1;
    int64_t sum = 0, weight = 0;
    for (uint32_t start = 0, block = 0; start < s->n; start += CT_LIST_BLOCK, block++) {
        double most_here = -1;
        s->list->before[block] = sum;
        s->list->weight_before[block] = weight;
        for (uint32_t i = start; i < start + CT_LIST_BLOCK && i < s->n; i++) {
            sum += s->list->weights[i] * (s->list->z[i] - s->middle);
            weight += s->list->weights[i];
            if (!may_part(s, i + 1)) continue;
            double t = (double) sum, rest = (double) (s->sum - sum);
            double left = weight ? t * t / (double) weight : 0,
                   right = s->weight > weight ? rest * rest / (double) (s->weight - weight) : 0;
            ROUNDED(left);
            ROUNDED(right);
            if (left + right > most_here) most_here = left + right;
        }
        s->list->most[block] = (float) most_here;
        if (s->list->most[block] > most) most = s->list->most[block];
    }
    return most;
}

/* ---- pass 2 ---- */

/* A cost that the split at a place of the block is not below, by its gain as in pass 1; `sum` and
 * `weight` are those of the rows on its left. */
static inline int64_t cost_at(const listed *s, uint32_t block, uint32_t place, int64_t sum,
                              int64_t weight)
{
    const ct_list *list = s->list;
    if (!list->weights) {
        float t = (float) list->before[block] + (float) (int32_t) (sum - list->before[block]);
        return cost_of_gain(s, (double) gain_at(s, place, t));
    }
    double t = (double) sum, rest = (double) (s->sum - sum);
    double left = weight ? t * t / (double) weight : 0,
           right = s->weight > weight ? rest * rest / (double) (s->weight - weight) : 0;
    return cost_of_gain(s, left + right);
}

/* The least cost of a split behind the rows `first` to `last` of a block, and below `best`; else
 * `best`. */
static inline int64_t best_in_block(const listed *s, uint32_t block, uint32_t first, uint32_t last,
                                    int64_t best)
{
    const ct_list *list = s->list;
    int64_t sum = list->before[block],
            weight = list->weights ? list->weight_before[block]
                                   : (int64_t) block * CT_LIST_BLOCK;
    for (uint32_t i = block * CT_LIST_BLOCK; i <= last; i++) {
        int64_t w = list->weights ? list->weights[i] : 1;
        sum += w * (list->z[i] - s->middle);
        weight += w;
        if (i < first || !may_part(s, i + 1) || cost_at(s, block, i + 1, sum, weight) >= best)
            continue;
        int64_t cost = s->squares + ct_response_cost(weight, sum, 0) +
                       ct_response_cost(s->weight - weight, s->sum - sum, 0);
        if (cost < best) best = cost;
    }
    return best;
}

/* Blocks that hold places from which to split: behind the rows first .. last. */
typedef struct {
    uint32_t first, last;
} places;

static inline int64_t best_of_block(const listed *s, uint32_t block, places p, int64_t best)
{
    uint32_t start = block * CT_LIST_BLOCK, end = start + CT_LIST_BLOCK - 1;
    return best_in_block(s, block, p.first > start ? p.first : start, p.last < end ? p.last : end,
                         best);
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

static void start_response(scan_job *job) { job->windowed = job->narrowed = 0; }

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
}

static int64_t own_cost_response(const scan_job *job, int64_t cost) { return (void) job, cost; }

static void first_pass_response(scan_job *job, int sides, int64_t error[2])
{
    const ct_rows *rows = job->all->rows;
    job->windowed = job->narrowed = 0;
    list_sides(job, sides);
    for (int side = 0; side < 2; side++) {
        if (side == 0 ? sides == RIGHT : sides == LEFT) continue;
        listed s = list_of_side(job, side);
        float most = rows->weights ? scan_weighted(&s) : scan_list(&s);
        error[side] = most < 0 ? cost_of_leaf(&s) : cost_of_gain(&s, (double) most);
    }
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
    int64_t best = cost_of_leaf(&s), need = job->need[side];
    places p;
    (void) derived;
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

static void in_full_response(scan_job *job, const int64_t need[2], int64_t error[2],
                             int64_t allowed[2])
{
    (void) job, (void) need, (void) error, (void) allowed;
}

/* The sum of a word's members and that of their squares. */
CT_INLINE void word_moments(const ct_split *s, size_t w, int64_t moments[2])
{
    uint64_t members = s->sets[w];
#ifdef VEC_LISTS
    if (!s->weights) {
        vec sums = v_fill(0), squares = v_fill(0);
        for (size_t first = 0; first < 64 && members >> first; first += CHUNK) {
            mask32 in = l32_of_bits((uint32_t) (members >> first) & WHOLE_CHUNK);
            vec z = l32_where(l32_load(s->z + w * 64 + first), in);
            sums = l32_add(sums, z);
            squares = l64_add(squares, l32_squares(z));
        }
        moments[0] = l32_sum(sums);
        moments[1] = l64_sum(squares);
        return;
    }
#endif
    moments[0] = moments[1] = 0;
    for (; members; members &= members - 1) {
        size_t row = w * 64 + ct_trailing_zeros(members);
        int64_t wz = s->weights ? s->weights[row] * s->z[row] : s->z[row];
        moments[0] += wz;
        moments[1] += wz * s->z[row];
    }
}

static void split_response(ct_split *s)
{
    split_sets(s);
    split_masses(s);
    int64_t *moments = s->moments + 2 * s->begin, of_word[2];
    moments[0] = moments[1] = 0;
    for (size_t w = s->begin; w < s->end; w++, moments += 2) {
        word_moments(s, w, of_word);
        moments[2] = moments[0] + of_word[0];
        moments[3] = moments[1] + of_word[1];
    }
}
