/* Forests over pixels against plain loops over the images. */
#include <math.h>

#include "base/memory.h"
#include "check.h"
#include "../forest/forest_hash.h"
#include "pixels/level.h"
#include "random.h"

enum { IMAGES = 3, CHANNELS = 2, CLASSES = 4 };

/* ---- images ---- */

typedef struct {
    ct_pixel images[IMAGES];
    const int16_t *labels[IMAGES];
    double *values;
    int16_t *classes;
    ct_pixel_integrals integrals;
    ct_pixel_source source;
} scenes;

/* Classes come in patches, with a texture each and some noise; every eleventh pixel has none. */
static void paint(rng *r, ct_pixel *image, double *to, int16_t *classes, double high)
{
    for (uint32_t col = 0; col < image->width; col++)
        for (uint32_t row = 0; row < image->height; row++) {
            uint32_t k = (row / 7 + col / 9) % CLASSES, place = col * image->height + row;
            uint32_t lines = (k & 1 ? row : col) % (2 + k / 2) == 0;
            classes[place] = (int16_t) (place % 11 == 3 ? -1 : (int) k);
            for (uint32_t channel = 0; channel < CHANNELS; channel++)
                to[(size_t) channel * image->height * image->width + place] =
                    high * ((double) rng_below(r, 30) + 40 * lines * (channel == 0) - 20);
        }
}

static scenes scenes_new(uint64_t seed, uint32_t radius, double high, ct_simd simd)
{
    static const uint32_t sizes[IMAGES][2] = {{24, 31}, {40, 17}, {9, 40}};
    scenes s;
    rng r = {seed};
    ct_error error;
    double *to = s.values = (double *) malloc(3000 * CHANNELS * sizeof *to);
    int16_t *classes = s.classes = (int16_t *) malloc(3000 * sizeof *classes);
    for (uint32_t i = 0; i < IMAGES; i++) {
        s.images[i] = (ct_pixel){to, sizes[i][0], sizes[i][1]};
        s.labels[i] = classes;
        paint(&r, &s.images[i], to, classes, high);
        to += (size_t) sizes[i][0] * sizes[i][1] * CHANNELS;
        classes += sizes[i][0] * sizes[i][1];
    }
    if (ct_pixel_integrals_init(&s.integrals, s.images, IMAGES, CHANNELS, radius, 1, simd, &error))
        abort();
    return s;
}

static void scenes_free(scenes *s)
{
    ct_pixel_integrals_free(&s->integrals);
    free(s->values);
    free(s->classes);
}

static ct_pixel_options options_new(ct_pixel_policy policy)
{
    ct_pixel_options o;
    memset(&o, 0, sizeof o);
    o.policy = policy;
    o.n_trees = 2;
    o.features = 23;
    o.bins = 19;
    o.depth = 6;
    o.min_n = 3;
    o.seed = 5;
    o.simd = ct_cpu_find("auto");
    o.time_limit = 1e9;
    return o;
}

static ct_pixel_forest grow(const scenes *s, const ct_pixel_options *o)
{
    ct_pixel_forest forest;
    ct_pixel_end end;
    ct_error error;
    ct_pixel_source source = ct_pixel_rectangle_source(&s->integrals);
    if (ct_pixel_grow(&source, s->labels, CLASSES, o, &forest, &end, &error)) abort();
    return forest;
}

/* ---- features ---- */

static int64_t rectangle_by_hand(const ct_pixel *image, const int32_t *w, int32_t row, int32_t col)
{
    int64_t sum = 0;
    for (int32_t c = col + w[3]; c <= col + w[4]; c++)
        for (int32_t r = row + w[1]; r <= row + w[2]; r++)
            if (r >= 0 && c >= 0 && r < (int32_t) image->height && c < (int32_t) image->width)
                sum += (int64_t) image->values[((size_t) w[0] * image->width + (size_t) c) *
                                                   image->height +
                                               (size_t) r];
    return sum;
}

static int64_t value_by_hand(const scenes *s, const ct_pixel_feature *f, uint32_t image,
                             uint32_t place)
{
    int32_t height = (int32_t) s->images[image].height;
    int32_t row = (int32_t) place % height, col = (int32_t) place / height;
    return rectangle_by_hand(&s->images[image], f->words, row, col) -
           rectangle_by_hand(&s->images[image], f->words + 5, row, col);
}

/* Also where the integral images overflow: values of 2^21 and rectangles of up to 81 pixels. */
static void values_are_sums(void)
{
    for (int large = 0; large < 2; large++) {
        scenes s = scenes_new(1, 4, large ? 1 << 16 : 1, ct_cpu_find("auto"));
        ct_pixel_source source = ct_pixel_rectangle_source(&s.integrals);
        ct_rng draws = ct_rng_of(3, 0, 0);
        uint32_t second = 0;
        for (int k = 0; k < 40; k++) {
            ct_pixel_feature f = source.draw(source.self, &draws);
            int wrong = 0;
            CHECK(ct_pixel_rectangle_valid(&s.integrals, &f));
            second += f.words[7] >= f.words[6];
            for (uint32_t i = 0; i < IMAGES; i++) {
                uint32_t height = s.images[i].height, n = height;
                int32_t out[64];
                for (uint32_t col = 0; col < s.images[i].width; col++) {
                    ct_pixel_run run = {col * source.shapes[i].stride, n};
                    ct_pixels pixels = {i, n, 1, &run};
                    source.values(source.self, &f, &pixels, out);
                    for (uint32_t row = 0; row < n; row++)
                        wrong += out[row] != value_by_hand(&s, &f, i, col * height + row);
                }
            }
            CHECK_INT(wrong, 0);
        }
        CHECK(second > 8 && second < 32);
        scenes_free(&s);
    }
}

static void channels_are_clipped(void)
{
    double values[2] = {1e300, -7.6};
    ct_pixel image = {values, 1, 2};
    ct_pixel_integrals all;
    ct_error error;
    ct_pixel_feature left = {{0, 0, 0, 0, 0, 0, 0, -1, 0, 0}};
    REQUIRE(ct_pixel_integrals_init(&all, &image, 1, 1, 1, 4, CT_SIMD_SCALAR, &error) == CT_OK);
    ct_pixel_source source = ct_pixel_rectangle_source(&all);
    ct_pixel_run runs[2] = {{0, 1}, {all.shapes[0].stride, 1}};
    ct_pixels pixels = {0, 2, 2, runs};
    int32_t out[2];
    source.values(source.self, &left, &pixels, out);
    CHECK_INT(out[0], ct_pixel_channel_limit(1));
    CHECK_INT(ct_pixel_channel_limit(1), (1 << 30) / 9);
    CHECK_INT(out[1], -30); /* -30.4 rounded */
    left.words[4] = 2;
    CHECK(!ct_pixel_rectangle_valid(&all, &left));
    ct_pixel_integrals_free(&all);
}

/* ---- kernels ---- */

static void kernels_agree(void)
{
    enum { MOST = 80 };
    uint32_t sums[8][MOST + 8], codes[2][MOST + CT_PIXEL_PAD];
    int32_t out[2][MOST + CT_PIXEL_PAD] = {{0}, {0}};
    rng r = {4};
    for (int level = 0; level < CT_N_SIMD; level++) {
        if (!ct_cpu_has((ct_simd) level)) continue;
        const ct_pixel_kernels *kernels[2] = {&ct_pixel_kernels_scalar,
                                              ct_pixel_kernels_at((ct_simd) level)};
        for (uint32_t n = 1; n < MOST; n++) {
            const uint32_t *corner[8];
            int32_t low = (int32_t) rng_next(&r), high = (int32_t) rng_next(&r);
            int32_t first = low < high ? low : high, second = low < high ? high : low;
            ct_even_bins bins = ct_pixel_even_bins_of(first, second, 2 + rng_below(&r, 255));
            for (uint32_t i = 0; i < 8; i++) {
                for (uint32_t k = 0; k < MOST + 8; k++) sums[i][k] = (uint32_t) rng_next(&r);
                corner[i] = sums[i] + i;
            }
            memset(codes, 0, sizeof codes);
            for (int which = 0; which < 2; which++) {
                kernels[which]->corners(corner, n % 3 ? 8 : 4, n, out[which]);
                out[which][0] = n % 2 ? first : second;
                kernels[which]->even(out[which], n, &bins, 8, codes[which]);
                kernels[which]->between(out[which], n, first, second, 27u << 16, codes[which]);
            }
            CHECK(memcmp(out[0], out[1], n * sizeof **out) == 0);
            CHECK(memcmp(codes[0], codes[1], n * sizeof **codes) == 0);
        }
    }
}

/* Each border is the lowest value of its bin, by one width. */
static void bins_have_borders(void)
{
    static const int32_t ends[][2] = {{-5, 3}, {0, 0}, {-40000, 70000}, {INT32_MIN, INT32_MAX},
                                      {-1, 32766}, {10, 33000}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        for (uint32_t n = 2; n <= CT_PIXEL_BINS; n += 31) {
            ct_pixel_candidate c;
            c.even = ct_pixel_even_bins_of(ends[i][0], ends[i][1], n);
            for (uint32_t bin = 1; bin < n; bin++) {
                ct_pixel_node node = ct_pixel_test(&c, CT_PIXEL_BEST, bin);
                int64_t border = node.low;
                if (border > ends[i][1] || border <= ends[i][0]) continue;
                int32_t values[2] = {(int32_t) border - 1, (int32_t) border};
                uint32_t codes[CT_PIXEL_PAD] = {0};
                ct_pixel_kernels_scalar.even(values, 2, &c.even, 0, codes);
                CHECK(codes[0] < bin && codes[1] >= bin && codes[1] < n);
                CHECK_INT(ct_pixel_next(&node, INT32_MAX), 1);
                CHECK_INT(ct_pixel_next(&node, values[0]), 0);
                CHECK_INT(ct_pixel_next(&node, values[1]), 1);
                CHECK_INT(ct_pixel_next(&node, INT32_MIN), 0);
            }
        }
}

/* ---- trees by brute force ---- */

typedef struct {
    const scenes *s;
    const ct_pixel_options *o;
    const ct_pixel_tree *tree;
    uint32_t n, image[3000], place[3000], node[3000], level[200];
} plain;

static uint32_t pixel_class(const plain *p, uint32_t i)
{
    return (uint32_t) p->s->labels[p->image[i]][p->place[i]];
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;
    return (x > y) - (x < y);
}

/* Tests of a candidate as pairs first <= value < second. Returns how many. */
static uint32_t plain_tests(const plain *p, const int64_t *values, ct_rng *draws,
                            int64_t (*test)[2])
{
    int64_t sample[CT_PIXEL_SAMPLE];
    uint32_t m = p->n < CT_PIXEL_SAMPLE ? p->n : CT_PIXEL_SAMPLE;
    for (uint32_t i = 0; i < m; i++) sample[i] = values[(uint64_t) i * p->n / m];
    if (p->o->policy == CT_PIXEL_RANDOM) {
        int64_t a = sample[ct_rng_below(draws, m)], b = sample[ct_rng_below(draws, m)];
        int64_t tests[3][2] = {{a < b ? a : b, a < b ? b : a}, {a < b ? a : b, INT64_MAX},
                               {a < b ? b : a, INT64_MAX}};
        memcpy(test, tests, sizeof tests);
        return 3;
    }
    qsort(sample, m, sizeof *sample, by_value);
    ct_pixel_candidate c;
    c.even = p->o->has_interval ? ct_pixel_even_bins_of(p->o->low, p->o->high, p->o->bins)
        : ct_pixel_even_bins_of((int32_t) sample[m / 64], (int32_t) sample[m - 1 - m / 64],
                                p->o->bins);
    for (uint32_t bin = 1; bin < p->o->bins; bin++) {
        test[bin - 1][0] = ct_pixel_test(&c, CT_PIXEL_BEST, bin).low;
        test[bin - 1][1] = INT64_MAX;
    }
    return p->o->bins - 1;
}

static double k_log_k(uint64_t k) { return k < 2 ? 0 : (double) k * log((double) k); }

static double plain_score(const plain *p, const int64_t *values, uint32_t node, const int64_t *test)
{
    uint64_t sides[2][CLASSES] = {{0}, {0}}, n[2] = {0, 0}, squares[2] = {0, 0}, most[2] = {0, 0};
    double logs = 0;
    for (uint32_t i = 0; i < p->n; i++)
        if (p->node[i] == node) {
            int right = values[i] >= test[0] && values[i] < test[1];
            sides[right][pixel_class(p, i)]++;
            n[right]++;
        }
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < CLASSES; k++) {
            squares[side] += sides[side][k] * sides[side][k];
            if (sides[side][k] > most[side]) most[side] = sides[side][k];
        }
    for (int k = 0; k < CLASSES; k++) logs += k_log_k(sides[1][k]) + k_log_k(sides[0][k]);
    if (!n[0] || !n[1]) return -HUGE_VAL;
    if (p->o->rule == CT_PIXEL_ENTROPY) return logs - k_log_k(n[1]) - k_log_k(n[0]);
    if (p->o->rule == CT_PIXEL_ERROR) return (double) (most[0] + most[1]);
    return (double) squares[0] / (double) n[0] + (double) squares[1] / (double) n[1];
}

static double leaf_score(const plain *p, uint32_t node, uint32_t *n, int *pure)
{
    uint64_t counts[CLASSES] = {0}, squares = 0, most = 0;
    double logs = 0;
    *n = 0;
    for (uint32_t i = 0; i < p->n; i++)
        if (p->node[i] == node) counts[pixel_class(p, i)]++, ++*n;
    for (int k = 0; k < CLASSES; k++) {
        squares += counts[k] * counts[k];
        logs += k_log_k(counts[k]);
        if (counts[k] > most) most = counts[k];
    }
    *pure = most == *n;
    if (p->o->rule == CT_PIXEL_ENTROPY) return logs - k_log_k(*n) + 1e-9 * *n;
    if (p->o->rule == CT_PIXEL_ERROR) return (double) most;
    return (double) squares / (double) *n;
}

/* Tries all tests of all candidates at the nodes of a level, and sends pixels on. */
static void check_level(plain *p, uint32_t level)
{
    static int64_t values[3000], chosen[200][2];
    ct_pixel_source source = ct_pixel_rectangle_source(&p->s->integrals);
    double best[200];
    uint32_t n, wins[200] = {0};
    ct_pixel_feature feature_of[200];
    uint8_t goes[3000] = {0};
    int pure;
    for (uint32_t node = 0; node < p->tree->n_nodes; node++)
        best[node] = leaf_score(p, node, &n, &pure);
    for (uint32_t c = 0; c < p->o->features; c++) {
        int64_t test[CT_PIXEL_BINS][2];
        ct_rng draws = ct_pixel_rng(p->o->seed, p->tree->number, level, c);
        ct_pixel_feature f = source.draw(source.self, &draws);
        for (uint32_t i = 0; i < p->n; i++)
            values[i] = value_by_hand(p->s, &f, p->image[i], p->place[i]);
        uint32_t n_tests = plain_tests(p, values, &draws, test);
        for (uint32_t node = 0; node < p->tree->n_nodes; node++)
            for (uint32_t t = 0; p->level[node] == level && t < n_tests; t++) {
                double score = plain_score(p, values, node, test[t]);
                if (!(score > best[node])) continue;
                best[node] = score;
                wins[node] = 1;
                feature_of[node] = f;
                memcpy(chosen[node], test[t], sizeof test[t]);
                for (uint32_t i = 0; i < p->n; i++)
                    if (p->node[i] == node)
                        goes[i] = values[i] >= test[t][0] && values[i] < test[t][1];
            }
    }
    for (uint32_t node = 0; node < p->tree->n_nodes; node++) {
        const ct_pixel_node *own = &p->tree->nodes[node];
        if (p->level[node] != level) continue;
        (void) leaf_score(p, node, &n, &pure);
        int splits = wins[node] && level < p->o->depth && n > p->o->min_n && !pure;
        CHECK_INT(own->left != node, splits);
        if (!splits || own->left == node) continue;
        const ct_pixel_feature *told = &p->tree->features[own->feature];
        CHECK(memcmp(told, &feature_of[node], sizeof *told) == 0);
        CHECK_INT(own->low, chosen[node][0]);
        int64_t end = chosen[node][1] == INT64_MAX ? INT64_C(1) << 31 : chosen[node][1];
        CHECK_INT(own->length, end - chosen[node][0]);
        p->level[own->left] = p->level[own->left + 1] = level + 1;
    }
    for (uint32_t i = 0; i < p->n; i++)
        if (p->level[p->node[i]] == level && p->tree->nodes[p->node[i]].left != p->node[i])
            p->node[i] = p->tree->nodes[p->node[i]].left + goes[i];
}

static void check_leaves(const plain *p)
{
    uint32_t *counts = (uint32_t *) calloc(p->tree->n_leaves * CLASSES, sizeof *counts);
    for (uint32_t i = 0; i < p->n; i++) {
        const ct_pixel_node *leaf = &p->tree->nodes[p->node[i]];
        CHECK(leaf->left == p->node[i] && !leaf->length);
        REQUIRE(leaf->low >= 0 && (uint32_t) leaf->low < p->tree->n_leaves);
        counts[(uint32_t) leaf->low * CLASSES + pixel_class(p, i)]++;
    }
    CHECK(memcmp(counts, p->tree->counts, p->tree->n_leaves * CLASSES * sizeof *counts) == 0);
    free(counts);
}

static void trees_by_brute_force(void)
{
    static plain p;
    scenes s = scenes_new(2, 3, 1, ct_cpu_find("auto"));
    for (int way = 0; way < 7; way++) {
        ct_pixel_options o = options_new((ct_pixel_policy) (way % 2));
        o.rule = (ct_pixel_rule) (way / 2 % 3);
        if (way == 6) o.has_interval = 1, o.low = -200, o.high = 900;
        if (CHECK_QUICK()) o.features = 7, o.depth = 3;
        ct_pixel_forest forest = grow(&s, &o);
        for (uint32_t tree = 0; tree < forest.n_trees; tree++) {
            memset(&p, 0, sizeof p);
            p.s = &s, p.o = &o, p.tree = &forest.trees[tree];
            REQUIRE(p.tree->n_nodes < 200 && p.tree->n_nodes > 9);
            for (uint32_t i = 0; i < IMAGES; i++)
                for (uint32_t k = 0; k < s.images[i].height * s.images[i].width; k++)
                    if (s.labels[i][k] >= 0) p.image[p.n] = i, p.place[p.n++] = k;
            for (uint32_t node = 1; node < p.tree->n_nodes; node++) p.level[node] = 999;
            for (uint32_t level = 0; level <= p.tree->depth; level++) check_level(&p, level);
            check_leaves(&p);
        }
        ct_pixel_forest_free(&forest);
    }
    scenes_free(&s);
}

/* ---- whatever the machine ---- */

static void same_in_all_ways(void)
{
    for (int policy = 0; policy < 2; policy++) {
        uint64_t hash = 0;
        for (int way = 0; way < 8; way++) {
            ct_pixel_options o = options_new((ct_pixel_policy) policy);
            o.simd = way == 1 ? CT_SIMD_SCALAR : o.simd;
            scenes s = scenes_new(7, 5, 1, o.simd);
            o.threads = way == 2 ? 2 : way == 3 ? 5 : 1;
            o.block = way == 4 ? 1 : way == 5 ? 100 : 0;
            o.cells = way == 6 ? 1 : way == 7 ? 30000 : 0;
            o.pixels = 300;
            o.depth = 12;
            o.min_n = 1;
            ct_pixel_forest forest = grow(&s, &o);
            if (!way) hash = pixel_hash(&forest);
            CHECK(pixel_hash(&forest) == hash);
            CHECK(forest.trees[0].n_leaves > 20);
            ct_pixel_forest_free(&forest);
            scenes_free(&s);
        }
    }
}

/* Images one at a time: those that are not open have no sums. */
typedef struct {
    scenes *s;
    ct_pixel_integrals integrals;
    long calls, most; /* as many, at most */
} one_by_one;

static int open_one(void *self, uint32_t image)
{
    one_by_one *o = (one_by_one *) self;
    ct_error error;
    if (o->calls++ >= o->most) return 0;
    return !ct_pixel_integrals_open(&o->integrals, image, o->s->images[image].values, 1, &error);
}

static const int16_t *labels_of_one(void *self, uint32_t image)
{
    one_by_one *o = (one_by_one *) self;
    return o->calls++ >= o->most ? NULL : o->s->labels[image];
}

static ct_pixel_forest grow_one_by_one(one_by_one *all, const ct_pixel_options *o,
                                       ct_pixel_end *end)
{
    ct_pixel_forest forest;
    ct_error error;
    ct_pixel_shape shapes[IMAGES];
    ct_pixel_stream stream = {all, open_one, labels_of_one};
    for (uint32_t i = 0; i < IMAGES; i++)
        shapes[i] = (ct_pixel_shape){all->s->images[i].height, all->s->images[i].width, 0};
    if (ct_pixel_integrals_begin(&all->integrals, shapes, IMAGES, CHANNELS, 5, o->simd, &error))
        abort();
    ct_pixel_source source = ct_pixel_rectangle_source(&all->integrals);
    source.stream = &stream;
    if (ct_pixel_grow(&source, NULL, CLASSES, o, &forest, end, &error)) abort();
    ct_pixel_integrals_free(&all->integrals);
    return forest;
}

/* And ended at any call, growing keeps the trees that were complete. */
static void images_one_by_one(void)
{
    scenes s = scenes_new(7, 5, 1, ct_cpu_find("auto"));
    ct_pixel_end end;
    for (int way = 0; way < 4; way++) {
        ct_pixel_options o = options_new((ct_pixel_policy) (way % 2));
        if (way == 2) o.has_interval = 1, o.low = -200, o.high = 900;
        if (way == 3) o.pixels = 40, o.threads = 2, o.cells = 30000, o.block = 100;
        ct_pixel_forest forest = grow(&s, &o);
        one_by_one all = {&s, {0}, 0, 100000};
        ct_pixel_forest same = grow_one_by_one(&all, &o, &end);
        CHECK_INT(end, CT_PIXEL_DONE);
        CHECK(pixel_hash(&same) == pixel_hash(&forest));
        CHECK(all.calls >= IMAGES * (3 + 2 * 2 * (long) o.depth - 2));
        ct_pixel_forest_free(&same);
        for (long most = 0; most < all.calls; most += CHECK_QUICK() ? 7 : 1) {
            one_by_one some = {&s, {0}, 0, most};
            same = grow_one_by_one(&some, &o, &end);
            CHECK_INT(end, CT_PIXEL_INTERRUPTED);
            CHECK(same.n_trees < o.n_trees);
            ct_pixel_forest_free(&same);
        }
        ct_pixel_forest_free(&forest);
    }
    scenes_free(&s);
}

/* A learner that knows the rule of CT_PIXEL_ERROR. */
static uint32_t most_of(const int32_t *cells, uint32_t begin, uint32_t end, uint32_t *n)
{
    uint32_t most = 0;
    *n = 0;
    for (uint32_t k = 0; k < CLASSES; k++, cells += CT_LEARNER_BINS) {
        uint32_t own = 0;
        for (uint32_t bin = begin; bin < end; bin++) own += (uint32_t) cells[bin];
        *n += own;
        if (own > most) most = own;
    }
    return most;
}

static int learn_errors(void *calls, const ct_learner_round *round, ct_learner_answer *answers)
{
    long *left = (long *) calls;
    const int32_t *cells = round->histogram;
    if (left && !(*left)--) return 0;
    for (uint32_t leaf = 0; leaf < round->n_leaves; leaf++) {
        uint32_t best = most_of(cells, 0, CT_LEARNER_BINS, &(uint32_t){0});
        for (uint32_t f = 0; f < round->n_features; f++) {
            for (uint32_t bin = 0; bin + 1 < round->n_bins[f]; bin++) {
                uint32_t below, above;
                uint32_t most = most_of(cells, 0, bin + 1, &below) +
                                most_of(cells, bin + 1, round->n_bins[f], &above);
                CHECK_INT(below + above, round->weights[leaf]);
                if (!below || !above || most <= best) continue;
                best = most;
                answers[leaf] = (ct_learner_answer){(int32_t) f, bin, 0};
            }
            cells += (size_t) CLASSES * CT_LEARNER_BINS;
        }
    }
    return 1;
}

static void learners(void)
{
    scenes s = scenes_new(7, 5, 1, ct_cpu_find("auto"));
    ct_pixel_options o = options_new(CT_PIXEL_BEST);
    ct_pixel_source source = ct_pixel_rectangle_source(&s.integrals);
    ct_error error;
    o.rule = CT_PIXEL_ERROR;
    ct_pixel_forest inside = grow(&s, &o), asked;
    o.learn = learn_errors;
    for (int way = 0; way < 3; way++) {
        o.threads = way == 1 ? 3 : 1;
        o.cells = way == 2 ? 1 : 0; /* one leaf at a time */
        asked = grow(&s, &o);
        CHECK(pixel_hash(&asked) == pixel_hash(&inside));
        ct_pixel_forest_free(&asked);
    }
    for (long most = 0; most < 4; most++) {
        long left = most;
        ct_pixel_end end;
        o.calls = &left;
        CHECK_INT(ct_pixel_grow(&source, s.labels, CLASSES, &o, &asked, &end, &error), CT_OK);
        CHECK_INT(end, CT_PIXEL_INTERRUPTED);
        CHECK_INT(asked.n_trees, 0);
        ct_pixel_forest_free(&asked);
    }
    o.calls = NULL;
    o.policy = CT_PIXEL_RANDOM;
    ct_pixel_end end;
    CHECK_INT(ct_pixel_grow(&source, s.labels, CLASSES, &o, &asked, &end, &error), CT_BAD_INPUT);
    ct_pixel_forest_free(&inside);
    scenes_free(&s);
}

/* So many pixels of each image, not the same for each tree. */
static void pixels_are_drawn(void)
{
    scenes s = scenes_new(3, 2, 1, CT_SIMD_SCALAR);
    ct_pixel_source source = ct_pixel_rectangle_source(&s.integrals);
    ct_pixel_options o = options_new(CT_PIXEL_BEST);
    uint32_t times[3000] = {0}, least = 100, most = 0;
    uint32_t known[IMAGES];
    o.pixels = 200;
    for (uint32_t i = 0; i < IMAGES; i++)
        known[i] = ct_pixel_known_pixels(s.labels[i], &source.shapes[i]);
    for (uint32_t tree = 0; tree < 60; tree++) {
        ct_pixel_tree_pixels pixels;
        REQUIRE(ct_pixel_tree_pixels_init(&pixels, &source, s.labels, known, &o, tree) == CT_OK);
        CHECK_INT(pixels.n, 600);
        for (uint32_t i = 0; i < pixels.n_blocks; i++) {
            const ct_pixels *own = &pixels.blocks[i].pixels;
            for (uint32_t k = 0; k < own->n_runs && own->image == 0; k++)
                for (uint32_t j = 0; j < own->runs[k].n; j++) {
                    uint32_t stride = source.shapes[0].stride, at = own->runs[k].at + j;
                    uint32_t place = at / stride * source.shapes[0].height + at % stride;
                    CHECK(s.labels[0][place] >= 0);
                    times[place]++;
                }
        }
        ct_pixel_tree_pixels_free(&pixels);
    }
    for (uint32_t i = 0; i < s.images[0].height * s.images[0].width; i++) {
        if (s.labels[0][i] < 0) continue;
        least = times[i] < least ? times[i] : least;
        most = times[i] > most ? times[i] : most;
    }
    CHECK(least >= 4 && most <= 36); /* 60 times 200 of 676: 18, 4 sd are 14 */
    scenes_free(&s);
}

/* ---- prediction ---- */

static uint32_t plain_leaf(const scenes *s, const ct_pixel_tree *tree, uint32_t image,
                           uint32_t place)
{
    uint32_t node = 0;
    while (tree->nodes[node].left != node) {
        const ct_pixel_node *own = &tree->nodes[node];
        int64_t value = value_by_hand(s, &tree->features[own->feature], image, place) - own->low;
        node = own->left + (value >= 0 && value < (int64_t) own->length);
    }
    return node;
}

static void outputs(void)
{
    scenes s = scenes_new(8, 3, 1, ct_cpu_find("auto"));
    ct_pixel_source source = ct_pixel_rectangle_source(&s.integrals);
    ct_pixel_options o = options_new(CT_PIXEL_RANDOM);
    o.n_trees = 3;
    ct_pixel_forest forest = grow(&s, &o);
    for (uint32_t image = 0; image < IMAGES; image++) {
        uint32_t n = s.images[image].height * s.images[image].width;
        static int32_t leaves[3 * 3000], votes[CLASSES * 3000], labels[3000];
        static double shares[CLASSES * 3000];
        void *out[] = {leaves, votes, shares, labels};
        ct_error error;
        for (int what = 0; what < 4; what++)
            CHECK_INT(ct_pixel_predict(&forest, &source, image, (ct_pixel_output) what,
                                       1 + (unsigned) what % 2, NULL, out[what], &error), CT_OK);
        for (uint32_t i = 0; i < n; i++) {
            double sum[CLASSES] = {0};
            int32_t vote[CLASSES] = {0}, best = 0;
            for (uint32_t t = 0; t < 3; t++) {
                const ct_pixel_tree *tree = &forest.trees[t];
                uint32_t leaf = plain_leaf(&s, tree, image, i), all = 0, top = 0;
                const uint32_t *counts = tree->counts + (uint32_t) tree->nodes[leaf].low * CLASSES;
                CHECK_INT(leaves[t * n + i], leaf + 1);
                for (uint32_t k = 0; k < CLASSES; k++) {
                    all += counts[k];
                    if (counts[k] > counts[top]) top = k;
                }
                for (uint32_t k = 0; k < CLASSES; k++) sum[k] += (double) counts[k] / all / 3;
                vote[top]++;
            }
            for (int32_t k = 0; k < CLASSES; k++) {
                CHECK_INT(votes[k * (int32_t) n + (int32_t) i], vote[k]);
                CHECK(fabs(shares[(uint32_t) k * n + i] - sum[k]) < 1e-8);
                if (sum[k] > sum[best] + 1e-8) best = k;
            }
            CHECK(fabs(sum[labels[i] - 1] - sum[best]) < 1e-8);
        }
    }
    ct_pixel_forest_free(&forest);
    scenes_free(&s);
}

/* ---- columns ---- */

/* Values of one rectangle feature each, as columns, split as the feature does. */
static void columns_of_values(void)
{
    enum { COLUMNS = 6 };
    scenes s = scenes_new(11, 3, 1, CT_SIMD_SCALAR);
    ct_pixel_shape shapes[IMAGES];
    ct_rng draws = ct_rng_of(1, 1, 1);
    ct_pixel_source source = ct_pixel_rectangle_source(&s.integrals);
    static int32_t numbers[COLUMNS][IMAGES][1000];
    const int32_t *by_image[COLUMNS][IMAGES];
    const int32_t *const *by_column[COLUMNS];
    for (uint32_t k = 0; k < COLUMNS; k++) {
        ct_pixel_feature f = source.draw(source.self, &draws);
        by_column[k] = by_image[k];
        for (uint32_t i = 0; i < IMAGES; i++) {
            uint32_t n = s.images[i].height * s.images[i].width;
            by_image[k][i] = numbers[k][i];
            shapes[i] = (ct_pixel_shape){s.images[i].height, s.images[i].width, s.images[i].height};
            for (uint32_t j = 0; j < n; j++)
                numbers[k][i][j] = (int32_t) value_by_hand(&s, &f, i, j);
        }
    }
    ct_pixel_value_columns columns = {COLUMNS, IMAGES, shapes, by_column};
    ct_pixel_source of_columns = ct_pixel_column_source(&columns);
    ct_pixel_options o = options_new(CT_PIXEL_BEST);
    ct_pixel_forest forest;
    ct_pixel_end end;
    ct_error error;
    REQUIRE(ct_pixel_grow(&of_columns, s.labels, CLASSES, &o, &forest, &end, &error) == CT_OK);
    static int32_t leaves[2 * 3000];
    REQUIRE(ct_pixel_predict(&forest, &of_columns, 1, CT_PIXEL_LEAVES, 1, NULL, leaves, &error) ==
            CT_OK);
    uint32_t n = shapes[1].height * shapes[1].width;
    CHECK(forest.trees[0].n_leaves > 5);
    for (uint32_t t = 0; t < 2; t++)
        for (uint32_t i = 0; i < n; i++) {
            const ct_pixel_tree *tree = &forest.trees[t];
            uint32_t node = 0;
            while (tree->nodes[node].left != node) {
                int32_t column = tree->features[tree->nodes[node].feature].words[0];
                node = ct_pixel_next(&tree->nodes[node], numbers[column][1][i]);
            }
            CHECK_INT(leaves[t * n + i], node + 1);
        }
    ct_pixel_forest_free(&forest);
    scenes_free(&s);
}

/* ---- what can fail ---- */

static int ends(void *calls)
{
    return ++*(int *) calls > 0;
}

static void memory_and_stops(void)
{
    scenes s = scenes_new(3, 3, 1, CT_SIMD_SCALAR);
    ct_pixel_source source = ct_pixel_rectangle_source(&s.integrals);
    ct_pixel_options o = options_new(CT_PIXEL_BEST);
    ct_pixel_forest forest;
    ct_pixel_end end;
    ct_error error;
    ct_status status = CT_NO_MEMORY;
    o.pixels = 60;
    long failures = 0;
    for (; status == CT_NO_MEMORY; failures++) {
        ct_alloc_fail_after(failures);
        status = ct_pixel_grow(&source, s.labels, CLASSES, &o, &forest, &end, &error);
        ct_alloc_fail_after(-1);
        if (status == CT_NO_MEMORY) ct_pixel_forest_free(&forest);
    }
    CHECK(failures > 20);
    CHECK_INT(status, CT_OK);
    ct_pixel_forest_free(&forest);
    int asked = 0;
    o.stop = ends;
    o.calls = &asked;
    CHECK_INT(ct_pixel_grow(&source, s.labels, CLASSES, &o, &forest, &end, &error), CT_OK);
    CHECK_INT(end, CT_PIXEL_INTERRUPTED);
    CHECK_INT(forest.n_trees, 0);
    ct_pixel_forest_free(&forest);
    o.stop = NULL;
    o.bins = 1;
    CHECK_INT(ct_pixel_grow(&source, s.labels, CLASSES, &o, &forest, &end, &error), CT_BAD_INPUT);
    scenes_free(&s);
}

static const check_case cases[] = {
    {"values are sums over rectangles", values_are_sums},
    {"channels are clipped", channels_are_clipped},
    {"kernels agree", kernels_agree},
    {"bins have borders", bins_have_borders},
    {"trees by brute force", trees_by_brute_force},
    {"the same in all ways", same_in_all_ways},
    {"images one by one", images_one_by_one},
    {"learners", learners},
    {"pixels are drawn", pixels_are_drawn},
    {"outputs", outputs},
    {"columns of values", columns_of_values},
    {"memory and stops", memory_and_stops},
};
CHECK_MAIN(cases)
