/* The best cut of nodes of up to eight rows: one vector has eight codes of each of several
 * candidates. Instruction sets bring LOAD_EIGHTS(codes, n); SPREAD_EIGHTS(codes, row), the code of
 * a row in all eight places; HIGHEST_32, EQUAL_32, LOWEST_OF_EIGHTH, LOWEST_ABOVE; and halves of
 * vectors, widened. For the rest see scan_body.h, which includes this. */
enum { EIGHTS = N16 / 8 };

/* Scores of the cuts above all codes, as their bits; -1 where a side is empty. */
typedef struct {
    whole_i32 part[2];
} tiny_scores;

INLINE whole_i32 bits_of(vec_f32 score)
{
    const whole_i32 real = (whole_i32) (score >= 0.0f);
    return ((whole_i32) score & real) | ~real;
}

INLINE vec_u16 tiny_right(const vec_i16 codes, const uint16_t *weights, uint32_t from, uint32_t end)
{
    vec_u16 right = {0};
    for (uint32_t i = from; i < end; i++)
        right = ADD_ABOVE(right, SPREAD_EIGHTS(codes, i), codes, (vec_u16) {0} + weights[i]);
    return right;
}

#define HALF_FLOATS(x, half) TO_F32(WIDEN_HALF(x, half))
#define HALF_SIGNED(x, half) TO_F32(WIDEN_HALF_SIGNED(x, half))

INLINE tiny_scores tiny_pair(const ct_small *node, const vec_i16 codes)
{
    const uint16_t first_total = (uint16_t) node->runs[0].weight,
                   second_total = (uint16_t) node->runs[1].weight;
    const vec_u16 right = tiny_right(codes, node->pairs, 0, node->n), first = right & 255,
                  second = right >> 8, offs = second * first_total - first * second_total,
                  rests = first + second;
    tiny_scores scores;
#define HALF(half)                                                              \
    {                                                                           \
        const vec_f32 off = HALF_SIGNED(offs, half), b = HALF_FLOATS(rests, half), \
                      a = (float) node->weight - b;                             \
        scores.part[half] = bits_of((off * off) / (a * b));                     \
    }
    HALF(0) HALF(1)
#undef HALF
    return scores;
}

INLINE tiny_scores tiny_many(const ct_small *node, const vec_i16 codes)
{
    vec_u16 sizes = {0}, squares = {0}, others = {0};
    tiny_scores scores;
    for (uint32_t k = 0, i = 0; k < node->n_runs; i += node->runs[k].n, k++) {
        const vec_u16 right = tiny_right(codes, node->weights, i, i + node->runs[k].n),
                      left = (uint16_t) node->runs[k].weight - right;
        sizes += left;
        squares += left * left;
        others += right * right;
    }
#define HALF(half)                                                                       \
    {                                                                                    \
        const vec_f32 a = HALF_FLOATS(sizes, half), b = (float) node->weight - a;        \
        scores.part[half] = bits_of((a * HALF_FLOATS(others, half) +                     \
                                     b * HALF_FLOATS(squares, half)) / (a * b));         \
    }
    HALF(0) HALF(1)
#undef HALF
    return scores;
}

/* Of the lanes with the best score the first has the candidate that was drawn first. */
static int tiny_gini(const ct_small *node, ct_small_cut *best)
{
    int32_t most;
    int found = 0;
    uint32_t lanes = 0;
    memcpy(&most, &best->score, sizeof most);
    if (most < 0) most = -1;
    for (uint32_t k = 0; k < node->n_candidates; k += EIGHTS) {
        const vec_i16 codes = LOAD_EIGHTS(node->codes + k, node->n_candidates - k);
        const tiny_scores s = node->n_runs == 2 ? tiny_pair(node, codes) : tiny_many(node, codes);
        const whole_i32 higher = (whole_i32) (s.part[1] > s.part[0]),
                        highest = (s.part[1] & higher) | (s.part[0] & ~higher);
        const int32_t now = HIGHEST_32(highest);
        if (now <= most) continue;
        most = now;
        lanes = EQUAL_32(s.part[0], now) | EQUAL_32(s.part[1], now) << N32;
        best->candidate = k + (uint32_t) __builtin_ctz(lanes) / 8;
        lanes >>= __builtin_ctz(lanes) / 8 * 8;
        found = 1;
    }
    if (!found) return 0;
    memcpy(&best->score, &most, sizeof most);
    best->code = LOWEST_OF_EIGHTH(node->codes[best->candidate], lanes & 255);
    best->next = LOWEST_ABOVE(node->codes[best->candidate], best->code);
    return 1;
}
