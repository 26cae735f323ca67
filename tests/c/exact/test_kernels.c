/* Every kernel of every instruction set against the plain definition. */
#include "check.h"
#include "base/bits.h"
#include "data/table.h"
#include "exact/kernels/kernels.h"
#include "random.h"

enum { MOST_CLASSES = 41 };

/* A row set in the order of one feature g, with the rank of a root feature f beside it. */
typedef struct {
    uint32_t n, n_classes, n_values;
    size_t words;
    uint32_t *rank;    /* of f, by position in the order of g */
    uint8_t *member;   /* by position */
    int32_t *classes;  /* by position */
    int64_t *gains;    /* [class][label], largest on the diagonal */
    int64_t most[MOST_CLASSES]; /* [class] these */
    int by_label;      /* whether there are others */
    int64_t *losses;   /* what is lacking to the largest */
    int64_t *weights, *masses;
    uint32_t *sums;    /* NULL: quantised costs follow from the others */
    uint64_t *planes, *all, *ties, *sets, *lanes;
    unsigned n_planes;
    ct_arena arena;
    const ct_quantised *quantised;
    int kinds;               /* those that the rows' costs allow, as bits */
    uint64_t *quantised_planes;
    uint8_t *quantised_bytes;
    uint32_t *counts, *members;
    ct_exact_split split;
} sample;

static ct_budget budget = {SIZE_MAX, 0};

static int kinds_of(const sample *s)
{
    const ct_quantised *quantised = s->quantised;
    int64_t sum = 0;
    int any = 1 << CT_ROWS16 | 1 << CT_ROWS32;
    if (quantised->by_label) return any | 1 << CT_LOSSES;
    for (uint32_t j = 0; j < s->n; j++)
        sum += quantised->rows ? quantised->rows[j] : quantised->gains[s->classes[j]];
    return any | 1 << CT_QUANTISED32 | (quantised->exact && sum <= CT_COST_LIMIT) << CT_QUANTISED16;
}

/* Quantised costs of the rows by position, if they have any. */
static void add_quantised(sample *s)
{
    ct_exact_costs costs = {0};
    ct_data data = {s->n, 0, s->n_classes, NULL, s->classes, NULL, NULL, NULL};
    uint32_t *order = (uint32_t *) keep_new(s->n, sizeof *order);
    s->by_label = 0;
    for (uint32_t c = 0; c < s->n_classes; c++) {
        s->most[c] = s->gains[c * (s->n_classes + 1)];
        for (uint32_t k = 0; k < s->n_classes; k++)
            s->by_label |= c != k && s->gains[c * s->n_classes + k];
    }
    costs.n_classes = s->n_classes;
    costs.most = s->most;
    costs.loss = s->by_label ? s->losses : NULL;
    costs.gains = s->by_label ? s->gains : NULL;
    costs.weights = s->weights;
    ct_arena_init(&s->arena, &budget);
    CHECK_OK(ct_quantised_init(&costs, &data, &s->arena, &reason));
    s->quantised = costs.quantised;
    REQUIRE(s->quantised);
    s->kinds = kinds_of(s);
    if (s->quantised->n_planes) {
        s->quantised_planes = (uint64_t *) keep_new(s->quantised->n_planes * s->words, 8);
        s->quantised_bytes = (uint8_t *) keep_new(s->words * 64, 1);
        memcpy(s->quantised_bytes, s->quantised->rows, s->n);
        if (!s->quantised->exact || s->by_label)
            s->sums = (uint32_t *) keep_new((s->words + 1) * s->n_classes, sizeof *s->sums);
        for (uint32_t j = 0; j < s->n; j++) order[j] = j;
        ct_kernels_find("scalar")->planes(s->quantised->rows, order, s->n, s->quantised_planes,
                                          s->words, s->quantised->n_planes);
    }
}

/* Losses of the kinds that are given, or as random as they are: as gains. */
static void choose_losses(rng *r, sample *s)
{
    uint32_t n = s->n_classes, kind = rng_below(r, 6);
    int64_t unit = s->weights || rng_below(r, 3) ? 1
                                                 : (int64_t) 1 << rng_below(r, kind == 4 ? 8 : 25);
    int64_t at_limit = 126 + rng_below(r, 3); /* of bytes */
    for (uint32_t c = 0; kind < 5 && c < n; c++) {
        int64_t *gains = s->gains + c * n, most = 0;
        for (uint32_t k = 0; k < n; k++) {
            int64_t away = c > k ? c - k : k - c, loss = away; /* 0: by distance */
            if (kind == 1) loss = away * away;
            if (kind == 2) loss = c == k ? 0 : rng_below(r, 3); /* also nothing */
            if (kind == 3) loss = c == k ? 0 : rng_below(r, 2) ? at_limit : 1;
            if (kind == 4)
                loss = c == k ? 0 : rng_next(r) >> rng_below(r, 30); /* of any magnitude */
            if (c == 0 && (k == 1 || k == 2))
                loss = k; /* lest they do not depend on the label after all */
            gains[k] = -loss * unit;
            if (loss * unit > most) most = loss * unit;
        }
        for (uint32_t k = 0; k < n; k++) gains[k] += most;
    }
}

/* Costs that fill lanes of 16 bits, nearly all of which a leaf or one split of one side spares. */
static void sharpen(sample *s, rng *r)
{
    uint32_t most = CT_COST_LIMIT / s->n < 255 ? CT_COST_LIMIT / s->n : 255,
             cut = rng_below(r, 2) ? s->n / 2 : s->n;
    memset(s->all, 0, s->n_classes * s->words * sizeof *s->all);
    for (uint32_t c = 0; c < s->n_classes; c++)
        s->gains[c * (s->n_classes + 1)] = s->weights ? 1 : most;
    for (uint32_t j = 0; j < s->n; j++) {
        s->rank[j] = rng_below(r, 200) ? s->n_values - 1 : 0;
        s->classes[j] = (int32_t) (rng_below(r, 100) ? j >= cut : rng_below(r, s->n_classes));
        s->member[j] = 1;
        s->all[(size_t) s->classes[j] * s->words + j / 64] |= UINT64_C(1) << j % 64;
        if (s->weights) s->weights[j] = most - rng_below(r, 2);
    }
}

static sample sample_new(rng *r, uint32_t n, uint32_t n_classes)
{
    sample s = {0};
    s.n = n;
    s.n_classes = n_classes;
    s.n_values = 2 + rng_below(r, rng_below(r, 2) ? n : 5);
    s.words = CT_WORDS(n);
    s.n_planes = ct_bit_width(s.n_values - 1);
    s.rank = (uint32_t *) keep_new(n, sizeof *s.rank);
    s.member = (uint8_t *) keep_new(n, 1);
    s.classes = (int32_t *) keep_new(n, sizeof *s.classes);
    s.planes = (uint64_t *) keep_new(s.n_planes * s.words, 8);
    s.all = (uint64_t *) keep_new(n_classes * s.words, 8);
    s.sets = (uint64_t *) keep_new(n_classes * s.words, 8);
    s.lanes = (uint64_t *) keep_new(n_classes * s.words, 8);
    s.ties = (uint64_t *) keep_new(s.words, 8);
    s.counts = (uint32_t *) keep_new((s.words + 1) * n_classes, sizeof *s.counts);
    s.members = (uint32_t *) keep_new(s.words + 1, sizeof *s.members);
    s.gains = (int64_t *) keep_new((size_t) n_classes * n_classes, sizeof *s.gains);
    s.weights = rng_below(r, 2) ? (int64_t *) keep_new(s.words * 64, sizeof *s.weights) : NULL;
    s.masses = (int64_t *) keep_new((s.words + 1) * n_classes, sizeof *s.masses);
    int by_class = n_classes == 2 || rng_below(r, 2);
    uint32_t most_weight = rng_below(r, 2) ? 8 : 1000;
    int64_t most = 0;
    for (uint32_t c = 0; c < n_classes; c++) {
        /* what a class costs under any wrong label is part of the weights: see
         * ct_exact_costs_init() */
        if (!c || !by_class || !s.weights)
            most = rng_below(r, 4) ? 1 + rng_below(r, 100) : (int64_t) 1 << 30;
        for (uint32_t k = 0; k < n_classes; k++)
            s.gains[c * n_classes + k] = c == k ? most
                                         : by_class || k == (c + 1) % n_classes
                                             ? 0
                                             : rng_below(r, (uint32_t) most);
    }
    if (!by_class) choose_losses(r, &s);
    s.losses = (int64_t *) keep_new((size_t) n_classes * n_classes, sizeof *s.losses);
    for (uint32_t i = 0; i < n_classes * n_classes; i++)
        s.losses[i] = s.gains[i / n_classes * (n_classes + 1)] - s.gains[i];
    for (uint32_t j = 0; s.weights && j < n; j++)
        s.weights[j] = rng_below(r, 5) ? rng_below(r, most_weight) : 0;
    uint32_t keep = 1 + rng_below(r, 10), tie = rng_below(r, 2) ? 1 : 1 + rng_below(r, 40),
             bias = rng_below(r, 2);
    uint32_t first = rng_below(r, 3) ? 0 : rng_below(r, n);
    for (uint32_t j = 0; j < n; j++) {
        s.rank[j] = rng_below(r, s.n_values);
        s.classes[j] = (int32_t) rng_below(r, bias && j < n / 2 ? 1 + n_classes / 2 : n_classes);
        s.member[j] = j >= first && rng_below(r, 10) < keep;
        if (j + 1 < n && !rng_below(r, tie)) s.ties[j / 64] |= UINT64_C(1) << j % 64;
        if (s.member[j]) s.all[(size_t) s.classes[j] * s.words + j / 64] |= UINT64_C(1) << j % 64;
    }
    if (by_class && !rng_below(r, 4)) sharpen(&s, r);
    add_quantised(&s);
    return s;
}

static void make_planes(const ct_kernels *kernels, sample *s, rng *r)
{
    uint32_t *order = (uint32_t *) keep_new(s->n, sizeof *order);
    uint8_t *digits = (uint8_t *) keep_new(s->n, 1);
    for (uint32_t j = 0; j < s->n; j++) order[j] = j;
    for (uint32_t j = s->n; j-- > 1;) {
        uint32_t k = rng_below(r, j + 1), swap = order[j];
        order[j] = order[k];
        order[k] = swap;
    }
    for (unsigned low = 0, count; low < s->n_planes; low += count) {
        count = s->n_planes - low < 8 ? s->n_planes - low : 1 + rng_below(r, 8);
        for (uint32_t j = 0; j < s->n; j++) digits[order[j]] = (uint8_t) (s->rank[j] >> low);
        kernels->planes(digits, order, s->n, s->planes + low * s->words, s->words, count);
    }
    uint32_t wrong = 0;
    for (uint32_t j = 0; j < s->n; j++)
        for (unsigned bit = 0; bit < s->n_planes; bit++)
            wrong += ct_bit(s->planes + bit * s->words, j) == (int) (s->rank[j] >> bit & 1);
    CHECK_INT(wrong, 0);
}

/* Fills sets, lanes and counts with one side of the sample (or all of it, threshold NULL). */
static void make_side(const ct_kernels *kernels, sample *s, const ct_threshold *threshold,
                      int right, int kind)
{
    memset(&s->split, 0, sizeof s->split);
    s->split.threshold = threshold;
    s->split.right = right;
    s->split.words = s->words;
    s->split.n_classes = s->n_classes;
    s->split.planes = s->planes;
    s->split.parent_sets = s->all;
    s->split.end = s->words;
    s->split.sets = s->sets;
    s->split.lanes = s->lanes;
    s->split.counts = s->counts;
    s->split.members = s->members;
    s->split.weights = s->weights;
    s->split.masses = s->masses;
    s->split.quantised = s->quantised;
    s->split.quantised_planes = s->quantised_planes;
    s->split.quantised_bytes = s->quantised_bytes;
    s->split.sums = s->sums;
    kernels->of[kind].split(&s->split);
}

static void check_side(const sample *s, uint32_t t, int right)
{
    uint32_t members = 0;
    size_t begin = s->split.begin, end = s->split.end;
    CHECK(begin % CT_WORD_STEP == 0 && end % CT_WORD_STEP == 0 && begin <= end && end <= s->words);
    for (uint32_t j = 0; j < s->n; j++) {
        int in = s->member[j] && (t == 0 || (s->rank[j] < t) != right);
        size_t w = j / 64;
        if (w < begin || w >= end) {
            CHECK(!in);
            continue;
        }
        if (j % 64 == 0) CHECK_INT(s->members[w], members);
        for (uint32_t c = 0; c < s->n_classes; c++)
            CHECK_INT(ct_bit(s->sets + c * s->words, j), in && (uint32_t) s->classes[j] == c);
        members += (uint32_t) in;
    }
    if (end) CHECK_INT(s->members[end], members);
}

/* The child's lanes, which must be the same on all instruction sets. */
static uint64_t hash_lanes(const sample *s)
{
    uint64_t hash = s->split.begin * 31 + s->split.end;
    for (uint32_t c = 0; c < s->n_classes; c++)
        for (size_t w = s->split.begin; w < s->split.end; w++)
            hash = (hash ^ s->lanes[c * s->words + w]) * UINT64_C(0x100000001b3);
    return hash;
}

static void planes_and_sides(rng *r, uint32_t seed)
{
    sample s = sample_new(r, 1 + rng_below(r, seed % 10 ? 300 : 3000), 2 + rng_below(r, 4));
    uint32_t t = 1 + rng_below(r, s.n_values - 1);
    ct_threshold threshold = ct_threshold_make(t, s.n_planes);
    uint64_t lanes[CT_N_KINDS][3];
    const ct_kernels *kernels;
    for (size_t i = 0; (kernels = ct_kernels_at(i)); i++) {
        make_planes(kernels, &s, r);
        for (int kind = 0; kind < CT_N_KINDS; kind++) {
            if (!(s.kinds >> kind & 1)) continue;
            for (int side = 0; side < 3; side++) {
                int all = side == 2, right = side == 1;
                make_side(kernels, &s, all ? NULL : &threshold, right, kind);
                check_side(&s, all ? 0 : t, right);
                if (i == 0) lanes[kind][side] = hash_lanes(&s);
                CHECK(hash_lanes(&s) == lanes[kind][side]);
            }
        }
    }
    ct_arena_free(&s.arena);
}

/* What a row of the sample at position j spares under a label: with gains, or 1 under its class. */
static int64_t row_gain(const sample *s, int heavy, uint32_t j, uint32_t label)
{
    uint32_t own = (uint32_t) s->classes[j];
    if (!heavy) return own == label;
    return (s->weights ? s->weights[j] : 1) * s->gains[own * s->n_classes + label];
}

/* What the members of one side of threshold t spare under each label; returns what they cost at
 * most. */
static int64_t spare_all(const sample *s, uint32_t t, int right, int heavy, int64_t *total)
{
    int64_t max_cost = 0;
    for (uint32_t k = 0; k < s->n_classes; k++) total[k] = 0;
    for (uint32_t j = 0; j < s->n; j++) {
        if (!s->member[j] || (s->rank[j] < t) == right) continue;
        max_cost += row_gain(s, heavy, j, (uint32_t) s->classes[j]);
        for (uint32_t k = 0; k < s->n_classes; k++) total[k] += row_gain(s, heavy, j, k);
    }
    return max_cost;
}

/* The definition: the least errors of a split at a tie mark with two different labels, one side of
 * threshold t. */
static int64_t least_errors(const sample *s, uint32_t t, int right, int heavy)
{
    int64_t left[MOST_CLASSES] = {0}, total[MOST_CLASSES], best = 0,
            max_cost = spare_all(s, t, right, heavy, total);
    for (uint32_t j = 0; j < s->n; j++) {
        if (s->member[j] && (s->rank[j] < t) != right)
            for (uint32_t k = 0; k < s->n_classes; k++) left[k] += row_gain(s, heavy, j, k);
        if (!ct_bit(s->ties, j)) continue;
        for (uint32_t a = 0; a < s->n_classes; a++)
            for (uint32_t b = 0; b < s->n_classes; b++)
                if (a != b && left[a] + total[b] - left[b] > best)
                    best = left[a] + total[b] - left[b];
    }
    return max_cost - best;
}

static uint32_t count_classes(const sample *s, uint32_t t, int right, uint32_t *totals)
{
    uint32_t size = 0;
    memset(totals, 0, s->n_classes * sizeof *totals);
    for (uint32_t j = 0; j < s->n; j++)
        if (s->member[j] && (s->rank[j] < t) != right) totals[s->classes[j]]++, size++;
    return size;
}

enum { ROOM = 8 }; /* see ct_children_room */

/* The sample as the only child feature, with no bounds from elsewhere. */
typedef struct {
    ct_children children;
    ct_rows rows;
    uint32_t totals[2][MOST_CLASSES], active[MOST_CLASSES], quantised[2 * MOST_CLASSES],
        sums[2][MOST_CLASSES];
    int64_t masses[2][MOST_CLASSES], need[2], errors[2][ROOM];
    uint8_t done;
    uint64_t *scratch;
    int32_t *labels;
} one_child;

static const int64_t no_bound[ROOM] = {0,           CT_NO_CHILD, CT_NO_CHILD, CT_NO_CHILD,
                                       CT_NO_CHILD, CT_NO_CHILD, CT_NO_CHILD, CT_NO_CHILD};

static void one_child_init(one_child *o, const sample *s, uint32_t t, int heavy)
{
    memset(o, 0, sizeof *o);
    ct_children *c = &o->children;
    o->scratch = (uint64_t *) keep_new(ct_children_scratch(s->words, s->n_classes), 8);
    o->rows = (ct_rows){1,
                        s->n_classes,
                        s->words,
                        s->sets,
                        s->lanes,
                        s->ties,
                        &s->split.begin,
                        &s->split.end,
                        s->most,
                        s->by_label ? s->gains : NULL,
                        s->weights,
                        s->quantised,
                        s->quantised_planes,
                        s->quantised_bytes,
                        NULL,
                        0,
                        NULL,
                        NULL,
                        NULL,
                        NULL,
                        NULL, NULL};
    c->rows = &o->rows;
    c->planes = s->planes;
    c->threshold = ct_threshold_make(t, s->n_planes);
    for (int i = 0; i < 4; i++) c->first[i] = i == 1 ? 0 : -1;
    for (int side = 0; side < 2; side++) {
        c->size[side] = count_classes(s, t, side, o->totals[side]);
        c->totals[side] = o->totals[side];
        c->masses[side] = heavy && s->weights ? o->masses[side] : NULL;
        c->sums[side] = s->sums ? o->sums[side] : NULL;
        for (uint32_t j = 0; s->weights && j < s->n; j++) {
            if (!s->member[j] || (s->rank[j] < t) == side) continue;
            o->masses[side][s->classes[j]] += s->weights[j];
            if (s->sums) o->sums[side][s->classes[j]] += s->quantised_bytes[j];
        }
        c->near[side] = c->far[side] = no_bound;
        c->errors[side] = o->errors[side];
    }
    o->labels = (int32_t *) keep_new(ct_children_labels(s->n_classes), sizeof *o->labels);
    c->labels = o->labels;
    c->scratch = o->scratch;
    c->active = o->active;
    c->quantised = o->quantised;
    c->done = &o->done;
}

static int has_no_split(const ct_rows *rows)
{
    for (size_t w = 0; w < rows->words; w++)
        if (rows->ties[w]) return 0;
    return 1;
}

/* One scan for the wanted sides, checked against the exact answers. (Where there is no split, any
 * number is a lower bound.) */
static void check_scan(one_child *o, const ct_kernels *kernels, int kind, const int64_t *exact)
{
    ct_children *c = &o->children;
    memcpy(c->need, o->need, sizeof o->need);
    c->scans = c->refined = c->skipped = 0;
    kernels->of[kind].children(c);
    CHECK(!o->done && c->scans + c->skipped == 1);
    for (int side = 0; side < 2; side++) {
        int64_t error = o->errors[side][0], need = o->need[side];
        CHECK_INT(c->least[side], error);
        if (need <= 0) continue;
        int improves = exact[side] < need;
        CHECK(c->best[side] == (improves ? 0 : -1) &&
              c->need[side] == (improves ? exact[side] : need));
        if (!CHECK(improves ? error == exact[side]
                            : error >= need && (error <= exact[side] || has_no_split(&o->rows))))
            printf("    %s, kind %d, side %d: %.0f, exact %.0f, need %.0f\n", kernels->name, kind,
                   side, (double) error, (double) exact[side], (double) need);
    }
}

static void choose_needs(rng *r, one_child *o, const sample *s, uint32_t t, int heavy)
{
    for (int side = 0; side < 2; side++) {
        int64_t total[MOST_CLASSES], leaf = spare_all(s, t, side, heavy, total), most = 0;
        for (uint32_t k = 0; k < s->n_classes; k++)
            if (total[k] > most) most = total[k];
        o->need[side] = rng_below(r, 4) ? (int64_t) (rng_unit(r) * (double) (leaf - most)) : 0;
    }
}

static void scan_everywhere(rng *r, sample *s)
{
    uint32_t t = 1 + rng_below(r, s->n_values - 1);
    for (int kind = s->n > ct_lane_limit(s->n_classes) ? CT_ROWS32 : CT_ROWS16; kind < CT_N_KINDS;
         kind++) {
        if (!(s->kinds >> kind & 1)) continue;
        int heavy = kind > CT_ROWS32;
        int64_t exact[2] = {least_errors(s, t, 0, heavy), least_errors(s, t, 1, heavy)};
        const ct_kernels *kernels;
        one_child o, first;
        one_child_init(&o, s, t, heavy);
        choose_needs(r, &o, s, t, heavy);
        o.children.refine_all = rng_below(r, 5) == 0;
        o.children.count_all = rng_below(r, 2) == 0;
        for (size_t i = 0; (kernels = ct_kernels_at(i)); i++) {
            make_planes(kernels, s, r);
            make_side(kernels, s, NULL, 0, kind);
            check_scan(&o, kernels, kind, exact);
            if (i == 0) first = o;
            CHECK(!memcmp(o.errors, first.errors, sizeof o.errors) &&
                  o.children.refined == first.children.refined);
        }
    }
}

static void scans(rng *r, uint32_t seed)
{
    uint32_t n_classes = 2 + (seed % 3 ? rng_below(r, 2 + 5 * (uint32_t) (seed % 2))
                                       : rng_below(r, MOST_CLASSES - 2));
    sample s = sample_new(r, 1 + rng_below(r, seed % 20 ? 400 : 5000), n_classes);
    scan_everywhere(r, &s);
    ct_arena_free(&s.arena);
}

static void scans_of_large_sets(rng *r, uint32_t seed)
{
    sample s = sample_new(r, 60000 + rng_below(r, 40000), 2 + seed % 3);
    scan_everywhere(r, &s);
    ct_arena_free(&s.arena);
}

/* All rows at their max_cost, just below and above what lanes hold: 2^29 together, 2^15 for a
 * loss; with weights, the largest of their bytes. */
static void losses_at_the_limits(void)
{
    static const struct {
        uint32_t n;
        int64_t loss, weight;
    } limits[] = {{16383, 32767, 0}, {16385, 32767, 0}, {16384, 32768, 0},
                  {15999, 1, 0},     {8224, 256, 255},  {8225, 256, 255}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        for (uint32_t n_classes = 3; n_classes < 8; n_classes += 2) {
            rng r = {i * 100 + n_classes};
            sample s = sample_new(&r, limits[i].n, n_classes);
            s.weights = NULL, s.sums = NULL, s.quantised_planes = NULL, s.quantised_bytes = NULL;
            ct_arena_free(&s.arena);
            if (limits[i].weight)
                s.weights = (int64_t *) keep_new(s.words * 64, sizeof *s.weights);
            for (uint32_t j = 0; j < s.n; j++) {
                if (s.weights) s.weights[j] = limits[i].weight;
                if (i % 2)
                    s.classes[j] = (int32_t) (j * n_classes / s.n); /* sums as steep as can be */
                s.member[j] = 1;
            }
            memset(s.all, 0, n_classes * s.words * sizeof *s.all);
            for (uint32_t j = 0; j < s.n; j++)
                s.all[(size_t) s.classes[j] * s.words + j / 64] |= UINT64_C(1) << j % 64;
            for (uint32_t k = 0; k < n_classes * n_classes; k++) {
                uint32_t c = k / n_classes, label = k % n_classes;
                s.losses[k] = c == label                     ? 0
                              : (c + 1) % n_classes == label ? limits[i].loss / 2
                                                             : limits[i].loss;
                s.gains[k] = limits[i].loss - s.losses[k];
            }
            add_quantised(&s);
            CHECK(s.quantised && s.quantised->by_label);
            scan_everywhere(&r, &s);
            ct_arena_free(&s.arena);
        }
    }
}

/* Several child features: bounds from the neighbours are honoured, the winner is the last to
 * improve, each is visited once. The children are copies of one sample with other ties. */
static void several_children(rng *r, uint32_t seed)
{
    enum { N = 5 };
    sample s = sample_new(r, 100 + rng_below(r, 300), 2 + rng_below(r, 3));
    uint32_t t = 1 + rng_below(r, s.n_values - 1);
    size_t set = s.n_classes * s.words, begin[N], end[N];
    uint64_t *planes = (uint64_t *) keep_new(N * s.n_planes * s.words, 8),
             *sets = (uint64_t *) keep_new(N * set, 8);
    uint64_t *lanes = (uint64_t *) keep_new(N * set, 8),
             *ties = (uint64_t *) keep_new(N * s.words, 8);
    int64_t exact[N][2], zeros[ROOM] = {0}, far[ROOM] = {0}, errors[2][ROOM];
    uint8_t done[N] = {0};
    for (size_t g = N; g < ROOM; g++) zeros[g] = CT_NO_CHILD;
    const ct_kernels *kernels = ct_kernels_find("auto");
    make_planes(kernels, &s, r);
    make_side(kernels, &s, NULL, 0, CT_ROWS16);
    for (size_t g = 0; g < N; g++) {
        if (g)
            for (size_t w = 0; w < s.words; w++)
                s.ties[w] &= ((uint64_t) rng_next(r) << 32) | rng_next(r);
        for (int side = 0; side < 2; side++) exact[g][side] = least_errors(&s, t, side, 0);
        memcpy(planes + g * s.n_planes * s.words, s.planes, s.n_planes * s.words * 8);
        memcpy(sets + g * set, s.sets, set * 8);
        memcpy(lanes + g * set, s.lanes, set * 8);
        memcpy(ties + g * s.words, s.ties, s.words * 8);
        begin[g] = s.split.begin;
        end[g] = s.split.end;
        far[g] = exact[g][1] + rng_below(r, 2); /* with far_rows 1: never above the truth */
    }
    one_child o;
    one_child_init(&o, &s, t, 0);
    choose_needs(r, &o, &s, t, 0);
    o.rows = (ct_rows){N,   s.n_classes, s.words, sets, lanes, ties, begin,
                       end, NULL,        NULL,    NULL, NULL,  NULL, NULL,
                       NULL, 0,          NULL,    NULL, NULL,  NULL, NULL, NULL};
    ct_children *c = &o.children;
    c->planes = planes;
    c->done = done;
    c->first[0] = (int32_t) rng_below(r, N);
    c->far_rows[0] = c->far_rows[1] = 1;
    memcpy(c->need, o.need, sizeof o.need);
    for (int side = 0; side < 2; side++) {
        c->near[side] = zeros;
        c->far[side] = side ? far : zeros;
        c->errors[side] = errors[side];
    }
    kernels->of[CT_ROWS16].children(c);
    CHECK_INT(c->scans + c->skipped, N);
    for (int side = 0; side < 2; side++) {
        int64_t least = exact[0][side];
        for (size_t g = 0; g < N; g++) {
            CHECK(errors[side][g] <= exact[g][side] &&
                  errors[side][g] >= (side ? far[g] - 1 : 0) && !done[g]);
            if (exact[g][side] < least) least = exact[g][side];
        }
        if (o.need[side] <= 0) continue;
        CHECK_INT(c->need[side], least < o.need[side] ? least : o.need[side]);
        CHECK(c->best[side] >= 0 ? exact[c->best[side]][side] == least : least >= o.need[side]);
    }
    ct_arena_free(&s.arena);
}

/* Each level is found by its name, "auto" is the first and "scalar" the last. */
static void levels(void)
{
    size_t n = 0;
    for (const ct_kernels *kernels; (kernels = ct_kernels_at(n)); n++) {
        CHECK(ct_kernels_find(kernels->name) == kernels);
    }
    REQUIRE(n > 0);
    CHECK(ct_kernels_find("auto") == ct_kernels_at(0));
    CHECK(ct_kernels_find("scalar") == &ct_kernels_scalar &&
          ct_kernels_at(n - 1) == &ct_kernels_scalar);
    CHECK(ct_kernels_find("abacus") == NULL && ct_cpu_find("abacus") == CT_N_SIMD &&
          ct_cpu_has(CT_SIMD_SCALAR));
    for (int level = 0; level < CT_N_SIMD; level++) {
        const char *name = ct_simd_name((ct_simd) level);
        const ct_kernels *kernels = ct_kernels_find(name);
        CHECK((kernels != NULL) == ct_cpu_has((ct_simd) level) &&
              (!kernels || !strcmp(kernels->name, name)));
        n -= kernels != NULL;
    }
    CHECK_INT(n, 0);
#ifdef CT_HAVE_NEON
    CHECK(ct_kernels_at(0) == &ct_kernels_neon);
#else
    CHECK(ct_kernels_find("neon") == NULL);
#endif
}

static const check_case cases[] = {
    {"planes and sides", EACH(planes_and_sides, 0, 300, 60, 60)},
    {"scans", EACH(scans, 400, 1500, 300, 300)},
    {"scans of large sets", EACH(scans_of_large_sets, 9400, 6, 2, 2)},
    {"losses at the limits", losses_at_the_limits},
    {"several children", EACH(several_children, 700, 100, 100, 100)},
    {"levels", levels},
};

CHECK_MAIN(cases)
