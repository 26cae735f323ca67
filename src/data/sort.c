#include "data/sort.h"

#include <math.h>
#include <string.h>

#include "base/bits.h"

enum { MAX_DIGIT = 11, MAX_PASSES = 4, KEY_AT = 32, ASK_EVERY = 1 << 20 };

/* Who is asked whether to go on. */
typedef struct {
    ct_halt *stop;
    unsigned worker;
} watch;

static int ends(const watch *w) { return ct_halt_now(w->stop, w->worker); }

size_t ct_sort_scratch(uint32_t n_rows)
{
    return 2 * (size_t) n_rows * sizeof(uint64_t);
}

/* ---- items: (key << 32 | row) ---- */

/* One pass: moves the items to `sorted`, stably, by the digit of `mask` at `shift`; 0 if all have
 * the same digit, or the work is to end. */
static int radix_pass(const uint64_t *items, uint64_t *sorted, uint32_t n, unsigned shift,
                      uint64_t mask, uint32_t *count, const watch *w)
{
    CT_ASSERT(n > 0 && shift >= KEY_AT && mask < 1 << MAX_DIGIT && items != sorted);
    if (count[items[0] >> shift & mask] == n) return 0;
    for (uint32_t digit = 0, start = 0; digit <= mask; digit++) {
        uint32_t size = count[digit];
        count[digit] = start;
        start += size;
        CT_ASSERT(start <= n && (digit < mask || start == n)); /* sizes add up */
    }
    for (uint32_t i = 0; i < n;) {
        uint32_t end = n - i < ASK_EVERY ? n : i + ASK_EVERY;
        if (ends(w)) return 0;
        for (; i < end; i++) sorted[count[items[i] >> shift & mask]++] = items[i];
    }
    return 1;
}

/* Sorts the items by key, of which only the lowest `bits` are in use, stably, from the lowest digit
 * on. Narrower digits for few items, whose counts would otherwise be most of the work. Returns
 * whichever buffer holds the result; NULL if the work is to end. */
static uint64_t *radix_sort(uint64_t *items, uint64_t *spare, uint32_t n, unsigned bits,
                            const watch *w)
{
    uint32_t counts[MAX_PASSES][1 << MAX_DIGIT];
    unsigned widest = n < 4096 ? 8 : MAX_DIGIT, passes = (bits + widest - 1) / widest;
    if (!passes) return ends(w) ? NULL : items;
    unsigned width = (bits + passes - 1) / passes;
    CT_ASSERT(bits <= 32 && passes <= MAX_PASSES && width <= MAX_DIGIT);
    uint64_t mask = (UINT64_C(1) << width) - 1;
    for (unsigned pass = 0; pass < passes; pass++)
        memset(counts[pass], 0, (mask + 1) * sizeof counts[pass][0]);
    if (passes == 2)
        for (uint32_t i = 0; i < n; i++)
            counts[0][items[i] >> KEY_AT & mask]++, counts[1][items[i] >> (KEY_AT + width)]++;
    else
        for (uint32_t i = 0; i < n; i++)
            for (unsigned pass = 0; pass < passes; pass++)
                counts[pass][items[i] >> (KEY_AT + pass * width) & mask]++;
    for (unsigned pass = 0; pass < passes; pass++) {
        if (!radix_pass(items, spare, n, KEY_AT + pass * width, mask, counts[pass], w)) continue;
        uint64_t *sorted = spare;
        spare = items;
        items = sorted;
    }
    return ends(w) ? NULL : items;
}

/* ---- ties ---- */

/* Writes the rows of items sorted by keys that stand for the values one to one. Returns the number
 * of values. */
static uint32_t order_by_keys(const uint64_t *items, uint32_t n, uint32_t *order, uint64_t *ties)
{
    CT_ASSERT(n > 0);
    uint32_t n_values = 1;
    for (uint32_t start = 0; start < n; start += 64) {
        uint32_t end = n - start < 64 ? n - start : 64, last = start + end == n;
        uint64_t word = 0;
        for (uint32_t k = 0; k < end - last; k++) {
            CT_ASSERT(items[start + k] < items[start + k + 1]); /* by key, then by row */
            word |= (uint64_t) (items[start + k] >> KEY_AT < items[start + k + 1] >> KEY_AT) << k;
        }
        for (uint32_t k = 0; k < end; k++) {
            CT_ASSERT((uint32_t) items[start + k] < n);
            order[start + k] = (uint32_t) items[start + k];
        }
        ties[start / 64] = word;
        n_values += ct_popcount(word);
    }
    return n_values;
}

static uint32_t ties_of_values(const double *sorted, uint32_t n, uint64_t *ties)
{
    uint32_t n_values = 1;
    for (uint32_t start = 0; start < n; start += 64) {
        uint32_t end = n - start < 64 ? n - start : 64, last = start + end == n;
        uint64_t word = 0;
        for (uint32_t k = 0; k < end - last; k++) {
            CT_ASSERT(sorted[start + k] <= sorted[start + k + 1]);
            word |= (uint64_t) (sorted[start + k] < sorted[start + k + 1]) << k;
        }
        ties[start / 64] = word;
        n_values += ct_popcount(word);
    }
    return n_values;
}

/* Writes the rows of items that are sorted by keys in the order of the values, though several
 * values may share a key: an insertion sort of the values. 0 if that moves too many rows, or the
 * work is to end. `sorted` [n] receives the values. */
static int order_by_values(const uint64_t *items, const double *values, uint32_t n, uint32_t *order,
                           double *sorted, const watch *w)
{
    uint64_t moves_left = 2 * (uint64_t) n;
    double largest = values[(uint32_t) items[0]];
    for (uint32_t j = 0; j < n; j++) {
        uint32_t row = (uint32_t) items[j], i = j;
        CT_ASSERT(row < n);
        if (j % ASK_EVERY == 0 && ends(w)) return 0;
        double value = values[row];
        if (value >= largest) {
            largest = sorted[j] = value;
            order[j] = row;
            continue;
        }
        for (; i && sorted[i - 1] > value; i--) {
            sorted[i] = sorted[i - 1];
            order[i] = order[i - 1];
        }
        CT_ASSERT(i == 0 || sorted[i - 1] <= value);
        if (j - i > moves_left) return 0;
        moves_left -= j - i;
        sorted[i] = value;
        order[i] = row;
    }
    return 1;
}

/* ---- two values ---- */

/* As order_by_keys(), of rows that have one of two values, both of which occur: those that are not
 * `high` come first. Without a branch that would be guessed wrong half of the time. */
static uint32_t order_two(const uint8_t *high, uint32_t n, uint32_t *order, uint64_t *ties)
{
    uint32_t at_high = n, at_low = 0;
    for (uint32_t row = 0; row < n; row++) at_high -= high[row];
    CT_ASSERT(at_high > 0 && at_high < n);
    ties[(at_high - 1) / 64] |= UINT64_C(1) << (at_high - 1) % 64;
    for (uint32_t row = 0; row < n; row++) {
        uint32_t up = high[row];
        order[up ? at_high : at_low] = row;
        at_high += up;
        at_low += 1 - up;
    }
    return 2;
}

/* ---- keys ---- */

typedef struct {
    double low, high;
    int whole; /* all values are whole numbers */
} range;

/* Two accumulators each, so that a comparison need not wait for the one before. */
static range range_of(const double *values, uint32_t n)
{
    double low[2] = {values[0], values[0]}, high[2] = {values[0], values[0]};
    uint32_t i = n % 2, whole = 0;
    for (; i < n; i += 2)
        for (int k = 0; k < 2; k++) {
            double x = values[i + (uint32_t) k];
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
        }
    range r = {low[1] < low[0] ? low[1] : low[0], high[1] > high[0] ? high[1] : high[0], 0};
    CT_ASSERT(r.low <= r.high);
    if (r.low < -9e15 || r.high > 9e15) return r;
    while (whole < n && (double) (int64_t) values[whole] == values[whole]) whole++;
    r.whole = whole == n;
    return r;
}

/* An unsigned code in the order of the doubles. Adding zero turns -0 into +0. */
static uint64_t ordered_code(double value)
{
    uint64_t bits;
    value += 0.0;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

/* The keys below write items[n] and return the items sorted, as radix_sort() does. Larger values
 * never have smaller keys: differences and products are rounded in order. */
static uint64_t *sort_linear(const double *values, uint32_t n, double low, double scale,
                             unsigned bits, uint64_t *items, const watch *w)
{
    CT_ASSERT(scale > 0 && bits <= 32);
    for (uint32_t row = 0; row < n; row++) {
        CT_ASSERT((uint64_t) (int64_t) ((values[row] - low) * scale) >> bits ==
                  0); /* nor negative */
        items[row] = (uint64_t) (int64_t) ((values[row] - low) * scale) << KEY_AT | row;
    }
    return radix_sort(items, items + n, n, bits, w);
}

/* Whether many different values would share one of these keys, as where a few are far larger than
 * all others: looks at some pairs of rows, how many of them agree in the higher half of the bits.
 * The lower half tells the others apart. */
static int keys_are_crowded(const double *values, uint32_t n, double low, double scale,
                            unsigned bits)
{
    enum { PAIRS = 64 };
    uint32_t shared = 0, step = (n - 1) / PAIRS;
    for (uint32_t i = 0; i < PAIRS; i++) {
        double a = values[i * step], b = values[(i + 1) * step];
        uint64_t differ = (uint64_t) (int64_t) ((a - low) * scale) ^
                          (uint64_t) (int64_t) ((b - low) * scale);
        shared += a != b && differ >> bits / 2 == 0;
    }
    return (uint64_t) shared * n > (uint64_t) PAIRS << (bits / 2 + 1);
}

/* By the highest 32 bits in which the codes differ. */
static uint64_t *sort_high_codes(const double *values, uint32_t n, double low, double high,
                                 uint64_t *items, const watch *w)
{
    uint64_t least = ordered_code(low), span = ordered_code(high) - least;
    unsigned width = ct_bit_width(span), shift = width > 32 ? width - 32 : 0;
    CT_ASSERT(ordered_code(low) <= ordered_code(high));
    for (uint32_t row = 0; row < n; row++)
        items[row] = (ordered_code(values[row]) - least) >> shift << KEY_AT | row;
    return radix_sort(items, items + n, n, width - shift, w);
}

/* By all 64 bits of the codes: the low half, then, stably, the high half. */
static uint64_t *sort_codes(const double *values, uint32_t n, uint64_t *items, const watch *w)
{
    for (uint32_t row = 0; row < n; row++) items[row] = ordered_code(values[row]) << KEY_AT | row;
    uint64_t *sorted = radix_sort(items, items + n, n, 32, w);
    for (uint32_t j = 0; sorted && j < n; j++) {
        uint32_t row = (uint32_t) sorted[j];
        sorted[j] = (ordered_code(values[row]) >> KEY_AT << KEY_AT) | row;
    }
    if (!sorted) return NULL;
    return radix_sort(sorted, sorted == items ? items + n : items, n, 32, w);
}

/* Keys that stand for the values. */
static uint32_t order_sorted(const uint64_t *sorted, uint32_t n, uint32_t *order, uint64_t *ties)
{
    return sorted ? order_by_keys(sorted, n, order, ties) : 0;
}

/* Keys of ever more bits, until so few values share one that the order is soon repaired. */
static uint32_t sort_doubles(const double *values, uint32_t n, uint64_t *items, uint32_t *order,
                             uint64_t *ties, const watch *w)
{
    range r = range_of(values, n);
    double span = r.high - r.low;
    if (r.whole && span == 1) {
        uint8_t *high = (uint8_t *) items;
        for (uint32_t row = 0; row < n; row++) high[row] = values[row] > r.low;
        return ends(w) ? 0 : order_two(high, n, order, ties);
    }
    if (r.whole && span <= UINT32_MAX)
        return order_sorted(
            sort_linear(values, n, r.low, 1, ct_bit_width((uint64_t) span), items, w), n, order,
            ties);
    unsigned bits = n < 4096 ? 16 : n < 1 << 21 ? 22 : 32; /* two passes, or three */
    double scale = ((double) (UINT64_C(1) << bits) - 1) / span;
    int linear = isfinite(span) && isfinite(scale) &&
                 !keys_are_crowded(values, n, r.low, scale, bits);
    for (int keys = linear ? 0 : 1;; keys++) {
        uint64_t *sorted = keys == 0   ? sort_linear(values, n, r.low, scale, bits, items, w)
                           : keys == 1 ? sort_high_codes(values, n, r.low, r.high, items, w)
                                       : sort_codes(values, n, items, w);
        if (!sorted) return 0;
        double *sorted_values = (double *) (sorted == items ? items + n : items);
        if (order_by_values(sorted, values, n, order, sorted_values, w))
            return ties_of_values(sorted_values, n, ties);
        if (ends(w)) return 0;
    }
}

static uint32_t sort_integers(const int32_t *values, uint32_t n, uint64_t *items, uint32_t *order,
                              uint64_t *ties, const watch *w)
{
    int32_t low = values[0], high = values[0];
    for (uint32_t row = 1; row < n; row++) {
        low = values[row] < low ? values[row] : low;
        high = values[row] > high ? values[row] : high;
    }
    if ((uint32_t) high - (uint32_t) low == 1) {
        uint8_t *is_high = (uint8_t *) items;
        for (uint32_t row = 0; row < n; row++) is_high[row] = values[row] > low;
        return ends(w) ? 0 : order_two(is_high, n, order, ties);
    }
    for (uint32_t row = 0; row < n; row++)
        items[row] = (uint64_t) ((uint32_t) values[row] - (uint32_t) low) << KEY_AT | row;
    unsigned bits = ct_bit_width((uint32_t) high - (uint32_t) low);
    return order_sorted(radix_sort(items, items + n, n, bits, w), n, order, ties);
}

/* ---- coded columns ---- */

static size_t words_of(uint32_t bits) { return ((size_t) bits + 63) / 64; }

size_t ct_sort_scratch_of(const ct_column *column, uint32_t n_rows)
{
    if (column->type != CT_CODED) return ct_sort_scratch(n_rows);
    CT_ASSERT(column->values);
    uint32_t n = ((const ct_coded_column *) column->values)->n_levels;
    return ct_sort_scratch(n) + words_of(n) * sizeof(uint64_t) +
           (3 * (size_t) n + 1) * sizeof(uint32_t);
}

/* Dense ranks of the levels: rank[n_levels]. Returns how many there are, 0 if the work is to end.
 * `order` [n_levels] and the items are scratch. */
static uint32_t rank_levels(const ct_coded_column *column, uint64_t *items, uint32_t *order,
                            uint32_t *rank, const watch *w)
{
    uint32_t n = column->n_levels;
    uint64_t *ties = items + 2 * (size_t) n;
    memset(ties, 0, words_of(n) * sizeof *ties);
    uint32_t n_ranks = sort_doubles(column->levels, n, items, order, ties, w);
    if (!n_ranks) return 0;
    rank[order[0]] = 0;
    for (uint32_t i = 1; i < n; i++)
        rank[order[i]] = rank[order[i - 1]] + (uint32_t) ct_bit(ties, i - 1);
    return n_ranks;
}

/* `size` [n_ranks] becomes where the rows of each rank begin. Returns how many ranks have rows. */
static uint32_t begin_ranks(uint32_t *size, uint32_t n_ranks, uint32_t n_rows, uint64_t *ties)
{
    uint32_t begin = 0, n_values = 0;
    for (uint32_t r = 0; r < n_ranks; r++) {
        uint32_t end = begin + size[r];
        n_values += size[r] > 0;
        if (size[r] && end < n_rows) ties[(end - 1) / 64] |= UINT64_C(1) << (end - 1) % 64;
        size[r] = begin;
        begin = end;
    }
    CT_ASSERT(begin == n_rows && n_values > 0);
    return n_values;
}

/* Equal levels are one value, levels without rows are none. */
static uint32_t sort_coded(const ct_coded_column *column, uint32_t n_rows, uint64_t *items,
                           uint32_t *order, uint64_t *ties, const watch *w)
{
    uint32_t n = column->n_levels;
    CT_ASSERT(n > 0 && n <= 65536);
    uint32_t *of_levels = (uint32_t *) (items + 2 * (size_t) n + words_of(n)),
             *rank = of_levels + n, *place = rank + n;
    uint32_t n_ranks = rank_levels(column, items, of_levels, rank, w);
    if (!n_ranks) return 0;
    memset(place, 0, n_ranks * sizeof *place);
    for (uint32_t row = 0; row < n_rows; row++) {
        CT_ASSERT(column->codes[row] < n);
        place[rank[column->codes[row]]]++;
    }
    uint32_t n_values = begin_ranks(place, n_ranks, n_rows, ties);
    for (uint32_t row = 0; row < n_rows;) {
        uint32_t end = n_rows - row < ASK_EVERY ? n_rows : row + ASK_EVERY;
        if (ends(w)) return 0;
        for (; row < end; row++) order[place[rank[column->codes[row]]]++] = row;
    }
    return n_values;
}

uint32_t ct_sort_column(const ct_column *column, uint32_t n_rows, void *scratch, uint32_t *order,
                        uint64_t *ties, ct_halt *stop, unsigned worker)
{
    const watch w = {stop, worker};
    uint64_t *items = (uint64_t *) scratch;
    CT_ASSERT(n_rows > 0 && scratch && order && ties);
    if (column->type == CT_CODED)
        return sort_coded((const ct_coded_column *) column->values, n_rows, items, order, ties, &w);
    if (column->type == CT_DOUBLE)
        return sort_doubles((const double *) column->values, n_rows, items, order, ties, &w);
    return sort_integers((const int32_t *) column->values, n_rows, items, order, ties, &w);
}
