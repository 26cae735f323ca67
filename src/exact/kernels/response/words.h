/* Scans of a response over many rows: what the rows of a word gain at most, before they are listed.
 * For rows without weights.
 *
 * Of the rows of a side in one word of the layout, k others before them with the sum T_k, let N and
 * P be the sums of those below and above the middle. A split behind one of them has a sum of at
 * most t = max(|T_k + N|, |T_k + P|) in size on its left, and so gains no more than
 *
 *   t^2 / (k + 1) + (t + |T|)^2 / (rows behind the last place among them).
 *
 * Sums are exact; slack in the bound is for its own rounding. Words whose bound is above the
 * largest gain found, and which leave a cost below the side's cap, are listed and looked into. So
 * below the cap the answer is that of scan_list(), and above a bound. The cap is what the side
 * needs before the first child is scanned: with what it needs later, bounds of other children say
 * too little to neighbouring thresholds. */
#ifndef CT_EXACT_KERNELS_RESPONSE_WORDS_H
#define CT_EXACT_KERNELS_RESPONSE_WORDS_H

#include <math.h>

#include "exact/kernels/response/lists.h"

static const float BOUND_SLACK = 1 + 0x1p-18F;

/* Sums of z - middle over the members of either side of a word, and over those of them where it is
 * above 0: sums[2 * side], sums[2 * side + 1]. */
#ifdef VEC_LISTS
CT_INLINE void sums_of_word(const int32_t *z, const uint64_t members[2], const listed s[2],
                            int sides, int32_t sums[4])
{
    const vec none = v_fill(0), middle[2] = {l32_set(s[0].middle), l32_set(s[1].middle)};
    vec all[2] = {none, none}, above[2] = {none, none};
    for (unsigned first = 0; first < 64; first += CHUNK) {
        vec rows = l32_load(z + first);
        for (int side = 0; side < 2; side++) {
            if (side == 0 ? sides == RIGHT : sides == LEFT) continue;
            mask32 in = l32_of_bits((uint32_t) (members[side] >> first) & WHOLE_CHUNK);
            vec x = l32_where(l32_sub(rows, middle[side]), in);
            all[side] = l32_add(all[side], x);
            above[side] = l32_add(above[side], l32_max(x, none));
        }
    }
    l32_sums(all[0], above[0], all[1], above[1], sums);
}
#else
CT_INLINE void sums_of_word(const int32_t *z, const uint64_t members[2], const listed s[2],
                            int sides, int32_t sums[4])
{
    (void) sides;
    memset(sums, 0, 4 * sizeof *sums);
    for (int side = 0; side < 2; side++)
        for (uint64_t rest = members[side]; rest; rest &= rest - 1) {
            int32_t x = z[ct_trailing_zeros(rest)] - s[side].middle;
            sums[2 * side] += x;
            sums[2 * side + 1] += x > 0 ? x : 0;
        }
}
#endif

/* Rows of a side that lie before a word, and the sum of z - middle over them. */
typedef struct {
    uint32_t n;
    int64_t sum;
} passed;

/* Notes what bound_words() needs of a side's rows in the word at `i` of the notes. */
CT_INLINE void note_word(const listed *s, ct_word_notes *notes, size_t i, uint64_t members,
                         const int32_t sums[2], passed *before)
{
    const ct_exact_response *response = s->response;
    uint32_t k = before->n, end = k + word_count(members), last = end < s->n ? end : k;
    if (end == s->n && end > k) last = end - 1; /* behind the last row there is no place */
    notes->members[i] = members;
    notes->rows_before[i] = k;
    notes->sum_before[i] = before->sum;
    notes->base[i] = (float) before->sum;
    notes->below[i] = sums[0] - sums[1];
    notes->above[i] = sums[1];
    notes->inverse[i] = last > k ? response->inverse[k + 1] : 0;
    notes->falling[i] = last > k ? response->falling[response->n_rows - s->n + last] : 0;
    before->n = end;
    before->sum += sums[0];
}

CT_INLINE void note_words_of(const scan_job *job, const int32_t *z, int sides, const listed s[2])
{
    const ct_children *all = job->all;
    less_than less = less_make(job->planes, job->words, &all->threshold);
    passed before[2] = {{0, 0}, {0, 0}};
    for (size_t w = job->begin; w < job->end; w += VEC_WORDS) {
        uint64_t keep[VEC_WORDS];
        v_store(keep, v_less(less, w));
        for (size_t i = 0; i < VEC_WORDS; i++) {
            uint64_t set = job->sets[w + i], members[2] = {set & keep[i], set & ~keep[i]};
            int32_t sums[4];
            sums_of_word(z + (w + i) * 64, members, s, sides, sums);
            size_t at = (w + i - job->begin) / CT_WORD_NOTES,
                   in = (w + i - job->begin) % CT_WORD_NOTES;
            if (sides != RIGHT)
                note_word(&s[0], s[0].list->notes + at, in, members[0], sums, &before[0]);
            if (sides != LEFT)
                note_word(&s[1], s[1].list->notes + at, in, members[1], sums + 2, &before[1]);
        }
    }
    CT_ASSERT(sides == RIGHT || (before[0].n == s[0].n && before[0].sum == s[0].sum));
    CT_ASSERT(sides == LEFT || (before[1].n == s[1].n && before[1].sum == s[1].sum));
}

static void note_words(const scan_job *job, const int32_t *z, int sides, const listed s[2])
{
    if (sides == BOTH) note_words_of(job, z, BOTH, s);
    else if (sides == LEFT) note_words_of(job, z, LEFT, s);
    else note_words_of(job, z, RIGHT, s);
}

/* What splits behind rows of each word gain at most; returns the largest. */
#ifdef VEC_LISTS
CT_INLINE vecf bound_notes(const listed *s, ct_word_notes *notes, size_t i)
{
    const vecf whole = f32_size(f32_set((float) s->sum)), slack = f32_set(BOUND_SLACK);
    vecf base = f32_load(notes->base + i);
    vecf low = f32_size(f32_add(base, f32_of(l32_load(notes->below + i)))),
         high = f32_size(f32_add(base, f32_of(l32_load(notes->above + i))));
    vecf left = f32_max(low, high), right = f32_add(left, whole);
    left = f32_mul(f32_mul(left, left), f32_load(notes->inverse + i));
    right = f32_mul(f32_mul(right, right), f32_load(notes->falling + i));
    ROUNDED(left);
    ROUNDED(right);
    vecf most = f32_mul(f32_add(left, right), slack);
    f32_store(notes->most + i, most);
    return most;
}

static float bound_words(const listed *s, size_t n_words)
{
    float most = 0;
    for (ct_word_notes *notes = s->list->notes; n_words; notes++) {
        vecf top = f32_set(0);
        for (size_t i = 0; i < CT_WORD_NOTES; i += CHUNK)
            top = f32_max(top, bound_notes(s, notes, i));
        notes->top = f32_top(top);
        if (notes->top > most) most = notes->top;
        n_words -= n_words < CT_WORD_NOTES ? n_words : CT_WORD_NOTES;
    }
    return most;
}
#else
static float bound_words(const listed *s, size_t n_words)
{
    const float whole = fabsf((float) s->sum);
    float top = 0;
    for (size_t w = 0; w < n_words; w++) {
        ct_word_notes *notes = s->list->notes + w / CT_WORD_NOTES;
        size_t i = w % CT_WORD_NOTES;
        float low = fabsf(notes->base[i] + (float) notes->below[i]),
              high = fabsf(notes->base[i] + (float) notes->above[i]);
        float left = low > high ? low : high, right = left + whole;
        left *= left;
        right *= right;
        ROUNDED(left);
        ROUNDED(right);
        left *= notes->inverse[i];
        right *= notes->falling[i];
        ROUNDED(left);
        ROUNDED(right);
        float most = (left + right) * BOUND_SLACK;
        notes->most[i] = most;
        if (!i || most > notes->top) notes->top = most;
        if (most > top) top = most;
    }
    return top;
}
#endif

/* Forgets what is noted behind the last word, from another child. */
static inline void end_notes(const listed *s, size_t n_words)
{
    if (n_words % CT_WORD_NOTES == 0) return;
    ct_word_notes *notes = s->list->notes + n_words / CT_WORD_NOTES;
    for (size_t i = n_words % CT_WORD_NOTES; i < CT_WORD_NOTES; i++)
        notes->inverse[i] = notes->falling[i] = notes->most[i] = 0;
}

/* Lists the rows of the w-th noted word; see run. */
static run list_noted(const scan_job *job, const child_rows *rows, int side, const listed *s,
                      size_t w)
{
    const ct_word_notes *notes = s->list->notes;
    size_t at = w / CT_WORD_NOTES, i = w % CT_WORD_NOTES;
    uint64_t members[2] = {0, 0};
    uint32_t n[2] = {0, 0};
    members[side] = notes[at].members[i];
    list_word(rows, (job->begin + w) * 64, members, side ? RIGHT : LEFT, rows->ranks != NULL,
              job->all->lists, n);
    run r = run_of(s, 0, notes[at].rows_before[i], n[side], notes[at].sum_before[i]);
    if (rows->ranks && r.places == r.n) { /* the next row may have the same value as the last */
        uint64_t next = 0;
        while (!next) {
            w++;
            next = notes[w / CT_WORD_NOTES].members[w % CT_WORD_NOTES];
        }
        s->list->ranks[r.n] = rows->ranks[(job->begin + w) * 64 + ct_trailing_zeros(next)];
    }
    return r;
}

/* The largest gain of a split behind one of these rows. */
static float look_into_word(const scan_job *job, const child_rows *rows, int side,
                            const listed *s, size_t w)
{
    int32_t sum;
    run r = list_noted(job, rows, side, s, w);
    return s->tied ? scan_run(s, &r, 1, &sum) : scan_run(s, &r, 0, &sum);
}

/* The first word of that bound. */
static inline size_t word_of_bound(const listed *s, float bound)
{
    const ct_word_notes *notes = s->list->notes;
    size_t i = 0;
    while (notes->top != bound) notes++;
    while (notes->most[i] != bound) i++;
    return (size_t) (notes - s->list->notes) * CT_WORD_NOTES + i;
}

/* Looks into the words of a group whose bounds leave a chance to gain more than `found` and to
 * undercut the cap, for which a split must gain more than `spared`. Returns the largest gain, and
 * takes the bounds of the words left into *left. */
static float look_into_words(scan_job *job, const child_rows *rows, int side, const listed *s,
                             size_t group, float found, double spared, float *left)
{
    ct_word_notes *notes = &s->list->notes[group];
    for (size_t i = 0; i < CT_WORD_NOTES; i++) {
        if (notes->most[i] <= found || notes->most[i] <= 0) continue;
        if ((double) notes->most[i] <= spared) {
            if (notes->most[i] > *left) *left = notes->most[i];
            continue;
        }
        size_t w = group * CT_WORD_NOTES + i;
        notes->most[i] = look_into_word(job, rows, side, s, w);
        if (notes->most[i] <= found) continue;
        found = notes->most[i];
        job->best_word[side] = w;
    }
    return found;
}

/* The largest gain, if it leaves a cost below the cap; else no less than that, and the cap is not
 * undercut. Gains of words that were looked into are in place of their bounds then. */
static float most_of_words(scan_job *job, const child_rows *rows, int side, const listed *s)
{
    size_t n_words = job->end - job->begin;
    end_notes(s, n_words);
    float bound = bound_words(s, n_words), left = -1;
    double spared = (double) s->squares - s->margin -
                    (double) job->cap[side] / s->response->scale;
    size_t best = job->best_word[side] = word_of_bound(s, bound);
    if ((double) bound <= spared || bound <= 0) return bound;
    ct_word_notes *notes = s->list->notes;
    float found = look_into_word(job, rows, side, s, best);
    notes[best / CT_WORD_NOTES].most[best % CT_WORD_NOTES] = found;
    for (size_t group = 0; group * CT_WORD_NOTES < n_words; group++) {
        if (notes[group].top <= found) continue;
        if ((double) notes[group].top > spared)
            found = look_into_words(job, rows, side, s, group, found, spared, &left);
        else if (notes[group].top > left) left = notes[group].top;
    }
    return found > left ? found : left;
}

#ifdef CT_DEBUG
/* Whether no split costs less than `error`, as far as gains of the rows in one list tell. */
static int is_below_all(const scan_job *job, int side, const listed *s, int64_t error)
{
    list_sides(job, side ? RIGHT : LEFT);
    float most = scan_list(s);
    return most < 0 || (double) error / s->response->scale <=
                           (double) s->squares - (double) most + s->margin;
}
#endif

/* Lower bounds of the wanted sides' costs, as first_pass_response(). */
static void first_pass_words(scan_job *job, const child_rows *rows, int sides,
                             int64_t error[2])
{
    const listed s[2] = {list_of_side(job, 0), list_of_side(job, 1)};
    note_words(job, rows->z, sides, s);
    for (int side = 0; side < 2; side++) {
        if (side == 0 ? sides == RIGHT : sides == LEFT) continue;
        float most = most_of_words(job, rows, side, &s[side]);
        error[side] = most < 0 ? cost_of_leaf(&s[side]) : cost_of_gain(&s[side], (double) most);
        CT_ASSERT(is_below_all(job, side, &s[side], error[side]));
    }
}

/* The least cost of a split behind a row of the w-th noted word, and below `best`; else `best`. */
static int64_t best_of_word(scan_job *job, const child_rows *rows, int side, const listed *s,
                            size_t w, int64_t best)
{
    const ct_word_notes *notes = &s->list->notes[w / CT_WORD_NOTES];
    float most = notes->most[w % CT_WORD_NOTES];
    if (notes->inverse[w % CT_WORD_NOTES] == 0) return best; /* there is no place for one */
    if (most < 0 || (cost_of_gain(s, (double) most) >= best && !job->all->refine_all)) return best;
    run r = list_noted(job, rows, side, s, w);
    job->refined++;
    return best_in_run(s, &r, 0, r.n - 1, best);
}

/* second_pass_response() for splits of any size: first where the most can be gained. */
static int64_t second_pass_words(scan_job *job, int side, const listed *s)
{
    const child_rows rows = rows_of_child(job);
    const ct_word_notes *notes = s->list->notes;
    size_t n_words = job->end - job->begin, first = job->best_word[side];
    int64_t best = best_of_word(job, &rows, side, s, first, cost_of_leaf(s));
    for (size_t w = 0; w < n_words; w++) {
        if (w % CT_WORD_NOTES == 0 && !job->all->refine_all &&
            cost_of_gain(s, (double) notes[w / CT_WORD_NOTES].top) >= best)
            w += CT_WORD_NOTES - 1;
        else if (w != first) best = best_of_word(job, &rows, side, s, w, best);
    }
    return best;
}

#endif
