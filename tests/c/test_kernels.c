/* Every kernel of every instruction set against the plain definition. */
#include "check.h"
#include "core/bits.h"
#include "core/table.h"
#include "kernels/kernels.h"
#include "random.h"

static const char *const levels[] = {"scalar", "avx2", "avx512"};
enum { N_LEVELS = sizeof levels / sizeof *levels };

/* A row set in the order of one feature g, with the rank of a root feature f beside it. */
typedef struct {
    uint32_t n, n_classes, n_values;
    size_t words;
    uint32_t *rank;    /* of f, by position in the order of g */
    uint8_t *member;   /* by position */
    int32_t *classes;  /* by position */
    uint64_t *planes, *all, *ties, *sets, *lanes;
    unsigned n_planes;
    uint32_t *counts, *members;
    ct_split split;
} sample;

static void *zeroed(size_t n, size_t size)
{
    void *memory = calloc(n ? n : 1, size);
    if (!memory) exit(1);
    return memory;
}

static sample sample_new(rng *r, uint32_t n, uint32_t n_classes)
{
    sample s = {0};
    s.n = n;
    s.n_classes = n_classes;
    s.n_values = 2 + rng_below(r, rng_below(r, 2) ? n : 5);
    s.words = CT_WORDS(n);
    s.n_planes = ct_bit_width(s.n_values - 1);
    s.rank = (uint32_t *) zeroed(n, sizeof *s.rank);
    s.member = (uint8_t *) zeroed(n, 1);
    s.classes = (int32_t *) zeroed(n, sizeof *s.classes);
    s.planes = (uint64_t *) zeroed(s.n_planes * s.words, 8);
    s.all = (uint64_t *) zeroed(n_classes * s.words, 8);
    s.sets = (uint64_t *) zeroed(n_classes * s.words, 8);
    s.lanes = (uint64_t *) zeroed(n_classes * s.words, 8);
    s.ties = (uint64_t *) zeroed(s.words, 8);
    s.counts = (uint32_t *) zeroed((s.words + 1) * n_classes, sizeof *s.counts);
    s.members = (uint32_t *) zeroed(s.words + 1, sizeof *s.members);
    uint32_t keep = 1 + rng_below(r, 10), tie = rng_below(r, 2) ? 1 : 1 + rng_below(r, 40), bias = rng_below(r, 2);
    uint32_t first = rng_below(r, 3) ? 0 : rng_below(r, n);
    for (uint32_t j = 0; j < n; j++) {
        s.rank[j] = rng_below(r, s.n_values);
        s.classes[j] = (int32_t) rng_below(r, bias && j < n / 2 ? 1 + n_classes / 2 : n_classes);
        s.member[j] = j >= first && rng_below(r, 10) < keep;
        if (j + 1 < n && !rng_below(r, tie)) s.ties[j / 64] |= UINT64_C(1) << j % 64;
        if (s.member[j]) s.all[(size_t) s.classes[j] * s.words + j / 64] |= UINT64_C(1) << j % 64;
    }
    return s;
}

static void sample_free(sample *s)
{
    free(s->rank), free(s->member), free(s->classes), free(s->planes), free(s->all), free(s->ties);
    free(s->sets), free(s->lanes), free(s->counts), free(s->members);
}

static void make_planes(const ct_kernels *kernels, sample *s, rng *r)
{
    uint32_t *order = (uint32_t *) zeroed(s->n, sizeof *order), *by_row = (uint32_t *) zeroed(s->n, sizeof *by_row);
    uint16_t *narrow = (uint16_t *) zeroed(s->n, sizeof *narrow);
    for (uint32_t j = 0; j < s->n; j++) order[j] = j;
    for (uint32_t j = s->n; j-- > 1;) {
        uint32_t k = rng_below(r, j + 1), swap = order[j];
        order[j] = order[k];
        order[k] = swap;
    }
    for (uint32_t j = 0; j < s->n; j++) by_row[order[j]] = s->rank[j], narrow[order[j]] = (uint16_t) s->rank[j];
    if (s->n_values <= 65536 && rng_below(r, 2)) kernels->planes16(narrow, order, s->n, s->planes, s->words, s->n_planes);
    else kernels->planes32(by_row, order, s->n, s->planes, s->words, s->n_planes);
    for (uint32_t j = 0; j < s->n; j++)
        for (unsigned bit = 0; bit < s->n_planes; bit++)
            if (ct_bit(s->planes + bit * s->words, j) == (int) (s->rank[j] >> bit & 1)) CHECK(!"plane bit");
    free(order), free(by_row), free(narrow);
}

/* Fills sets, lanes and counts with one side of the sample (or all of it, threshold NULL). */
static void make_side(const ct_kernels *kernels, sample *s, const ct_threshold *threshold, int right, int wide)
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
    kernels->split[wide](&s->split);
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
        members += in;
    }
    if (end) CHECK_INT(s->members[end], members);
}

static void planes_and_sides(void)
{
    for (int seed = 0; seed < (CHECK_QUICK() ? 20 : 300); seed++) {
        rng r = {(uint64_t) seed};
        sample s = sample_new(&r, 1 + rng_below(&r, seed % 10 ? 300 : 3000), 2 + rng_below(&r, 4));
        uint32_t t = 1 + rng_below(&r, s.n_values - 1);
        ct_threshold threshold = ct_threshold_make(t, s.n_planes);
        for (int i = 0; i < N_LEVELS; i++) {
            const ct_kernels *kernels = ct_kernels_find(levels[i]);
            if (!kernels) continue;
            make_planes(kernels, &s, &r);
            for (int wide = 0; wide < 2; wide++) {
                make_side(kernels, &s, NULL, 0, wide);
                check_side(&s, 0, 0);
                for (int right = 0; right < 2; right++) {
                    make_side(kernels, &s, &threshold, right, wide);
                    check_side(&s, t, right);
                }
            }
        }
        sample_free(&s);
    }
}

/* Ranks above 16 bits. */
static void planes_of_wide_ranks(void)
{
    rng r = {1};
    sample s = sample_new(&r, 70000, 2);
    free(s.planes);
    s.n_values = 70000;
    s.n_planes = ct_bit_width(s.n_values - 1);
    s.planes = (uint64_t *) zeroed(s.n_planes * s.words, 8);
    uint32_t *order = (uint32_t *) zeroed(s.n, sizeof *order);
    for (uint32_t j = 0; j < s.n; j++) s.rank[j] = j, order[j] = s.n - 1 - j;
    for (int i = 0; i < N_LEVELS; i++) {
        const ct_kernels *kernels = ct_kernels_find(levels[i]);
        if (!kernels) continue;
        kernels->planes32(s.rank, order, s.n, s.planes, s.words, s.n_planes);
        for (uint32_t j = 0; j < s.n; j++) {
            uint32_t rank = 0;
            for (unsigned bit = 0; bit < s.n_planes; bit++) rank |= (uint32_t) !ct_bit(s.planes + bit * s.words, j) << bit;
            if (rank != s.n - 1 - j) CHECK_INT(rank, s.n - 1 - j);
        }
    }
    free(order);
    sample_free(&s);
}

/* The definition: the fewest errors of a split at a tie mark with two different labels, one side of threshold t. */
static int32_t least_errors(const sample *s, uint32_t t, int right)
{
    uint32_t left[32] = {0}, total[32] = {0}, size = 0, best = 0;
    for (uint32_t j = 0; j < s->n; j++)
        if (s->member[j] && (s->rank[j] < t) != right) total[s->classes[j]]++, size++;
    for (uint32_t j = 0; j < s->n; j++) {
        if (s->member[j] && (s->rank[j] < t) != right) left[s->classes[j]]++;
        if (!ct_bit(s->ties, j)) continue;
        for (uint32_t a = 0; a < s->n_classes; a++)
            for (uint32_t b = 0; b < s->n_classes; b++)
                if (a != b && left[a] + total[b] - left[b] > best) best = left[a] + total[b] - left[b];
    }
    return (int32_t) (size - best);
}

static void check_scan(const sample *s, const ct_scan *scan, const int32_t *exact, const char *level)
{
    for (int side = 0; side < 2; side++) {
        if (scan->need[side] <= 0) continue;
        int32_t error = scan->error[side];
        int holds = exact[side] < scan->need[side] ? error == exact[side] : error >= scan->need[side] && error <= exact[side];
        if (!CHECK(holds)) printf("    %s, %u rows, side %d: %d, exact %d, need %d\n", level, s->n, side, error, exact[side], scan->need[side]);
    }
}

static uint32_t count_classes(const sample *s, uint32_t t, int right, uint32_t *totals)
{
    uint32_t size = 0;
    memset(totals, 0, s->n_classes * sizeof *totals);
    for (uint32_t j = 0; j < s->n; j++)
        if (s->member[j] && (s->rank[j] < t) != right) totals[s->classes[j]]++, size++;
    return size;
}

static void scan_everywhere(rng *r, sample *s)
{
    uint32_t totals[2][32], active[32], t = 1 + rng_below(r, s->n_values - 1);
    uint64_t *scratch = (uint64_t *) zeroed(ct_scan_scratch(s->words, s->n_classes), 8);
    ct_threshold threshold = ct_threshold_make(t, s->n_planes);
    ct_scan scan = {0}, first = {0};
    int32_t exact[2];
    for (int side = 0; side < 2; side++) {
        scan.size[side] = count_classes(s, t, side, totals[side]);
        scan.totals[side] = totals[side];
        exact[side] = least_errors(s, t, side);
        uint32_t largest = 0;
        for (uint32_t c = 0; c < s->n_classes; c++) if (totals[side][c] > largest) largest = totals[side][c];
        uint32_t leaf = scan.size[side] - largest;
        scan.need[side] = rng_below(r, 6) ? (int32_t) rng_below(r, leaf + 1) : 0;
    }
    for (uint32_t c = 0; c < s->n_classes; c++) active[c] = c;
    scan.threshold = &threshold;
    scan.words = s->words;
    scan.n_classes = s->n_classes;
    scan.active = active;
    scan.n_active = s->n_classes;
    scan.refine_all = rng_below(r, 5) == 0;
    scan.scratch = scratch;
    scan.planes = s->planes;
    scan.sets = s->sets;
    scan.lanes = s->lanes;
    scan.ties = s->ties;
    for (int wide = s->n > ct_lane_limit(s->n_classes); wide < 2; wide++) {
        for (int i = 0, have = 0; i < N_LEVELS; i++) {
            const ct_kernels *kernels = ct_kernels_find(levels[i]);
            if (!kernels) continue;
            make_planes(kernels, s, r);
            make_side(kernels, s, NULL, 0, wide);
            scan.begin = s->split.begin;
            scan.end = s->split.end;
            scan.error[0] = scan.error[1] = 0;
            kernels->scan[wide](&scan);
            check_scan(s, &scan, exact, levels[i]);
            if (!have++) first = scan;
            CHECK(scan.error[0] == first.error[0] && scan.error[1] == first.error[1] && scan.refined == first.refined);
        }
    }
    free(scratch);
}

static void scans(void)
{
    for (int seed = 0; seed < (CHECK_QUICK() ? 50 : 1500); seed++) {
        rng r = {(uint64_t) seed + 400};
        uint32_t n_classes = 2 + (seed % 3 ? rng_below(&r, 2) : rng_below(&r, 29));
        sample s = sample_new(&r, 1 + rng_below(&r, seed % 20 ? 400 : 5000), n_classes);
        scan_everywhere(&r, &s);
        sample_free(&s);
    }
}

static void scans_of_large_sets(void)
{
    for (int seed = 0; seed < (CHECK_QUICK() ? 1 : 6); seed++) {
        rng r = {(uint64_t) seed + 9400};
        sample s = sample_new(&r, 60000 + rng_below(&r, 40000), 2 + (uint32_t) seed % 3);
        scan_everywhere(&r, &s);
        sample_free(&s);
    }
}

/* Two of three classes active: the answer is exact among splits that use these two. */
static void scans_with_two_active_classes(void)
{
    for (int seed = 0; seed < (CHECK_QUICK() ? 20 : 200); seed++) {
        rng r = {(uint64_t) seed + 700};
        sample s = sample_new(&r, 1 + rng_below(&r, 400), 3), two;
        uint32_t active[2] = {0, 2}, totals[2][32], t = 1 + rng_below(&r, s.n_values - 1);
        uint64_t *scratch = (uint64_t *) zeroed(ct_scan_scratch(s.words, 3), 8);
        ct_threshold threshold = ct_threshold_make(t, s.n_planes);
        for (int i = 0; i < N_LEVELS; i++) {
            const ct_kernels *kernels = ct_kernels_find(levels[i]);
            if (!kernels) continue;
            make_planes(kernels, &s, &r);
            make_side(kernels, &s, NULL, 0, 0);
            ct_scan scan = {0};
            int32_t exact[2];
            two = s; /* the same rows without those of class 1 */
            two.member = (uint8_t *) zeroed(s.n, 1);
            for (uint32_t j = 0; j < s.n; j++) two.member[j] = s.member[j] && s.classes[j] != 1;
            for (int side = 0; side < 2; side++) {
                scan.size[side] = count_classes(&s, t, side, totals[side]);
                scan.totals[side] = totals[side];
                exact[side] = least_errors(&two, t, side) + (int32_t) totals[side][1];
                uint32_t larger = totals[side][0] > totals[side][2] ? totals[side][0] : totals[side][2];
                scan.need[side] = (int32_t) rng_below(&r, scan.size[side] - larger + 1);
            }
            free(two.member);
            scan.threshold = &threshold;
            scan.words = s.words;
            scan.n_classes = 3;
            scan.active = active;
            scan.n_active = 2;
            scan.scratch = scratch;
            scan.planes = s.planes;
            scan.sets = s.sets;
            scan.lanes = s.lanes;
            scan.ties = s.ties;
            scan.begin = s.split.begin;
            scan.end = s.split.end;
            kernels->scan[0](&scan);
            check_scan(&s, &scan, exact, levels[i]);
        }
        free(scratch);
        sample_free(&s);
    }
}

static void unknown_levels(void)
{
    CHECK(ct_kernels_find("abacus") == NULL);
    CHECK(ct_kernels_find("scalar") == &ct_kernels_scalar);
    CHECK(ct_kernels_find("auto") != NULL);
}

static const check_case cases[] = {
    {"planes and sides", planes_and_sides},
    {"planes of wide ranks", planes_of_wide_ranks},
    {"scans", scans},
    {"scans of large sets", scans_of_large_sets},
    {"scans with two active classes", scans_with_two_active_classes},
    {"unknown levels", unknown_levels},
};

CHECK_MAIN(cases)
