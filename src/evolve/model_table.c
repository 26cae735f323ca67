#include "base/compact.h"

#include "evolve/model_table.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "data/sort.h"
#include "evolve/gram.h"

/* ---- checks ---- */

static ct_status check_splitter(const ct_gmt_model_data *data, uint32_t s, ct_error *error)
{
    uint32_t n_levels = data->n_levels[s];
    const ct_column *column = &data->columns[data->splitters[s]];
    if (!n_levels) return CT_OK;
    if (n_levels > CT_MODEL_BINS)
        return ct_fail(error, CT_BAD_INPUT,
                       "splitter %u has %u levels, but at most %d are possible", s + 1, n_levels,
                       (int) CT_MODEL_BINS);
    for (uint32_t row = 0; row < data->n_rows; row++) {
        double x = ct_column_value(column, row);
        if (!ct_column_missing(column, row) && !(x >= 1 && x <= n_levels))
            return ct_fail(error, CT_BAD_INPUT, "splitter %u has a code that is no level", s + 1);
    }
    return CT_OK;
}

ct_status ct_gmt_model_data_check(const ct_gmt_model_data *data, ct_error *error)
{
    if (data->n_rows < 1 || data->n_rows > INT32_MAX)
        return ct_fail(error, CT_BAD_INPUT, "there must be 1 to 2^31 - 1 rows");
    if (data->n_regressors > CT_MODEL_REGRESSORS)
        return ct_fail(error, CT_BAD_INPUT, "there are %u regressors, but at most %d are possible",
                       data->n_regressors, (int) CT_MODEL_REGRESSORS);
    if (data->no_intercept && !data->n_regressors)
        return ct_fail(error, CT_BAD_INPUT, "models need an intercept or a regressor");
    for (uint32_t r = 0; r < data->n_regressors; r++)
        for (uint32_t row = 0; row < data->n_rows; row++) {
            const ct_column *column = &data->columns[data->regressors[r]];
            if (ct_column_missing(column, row) || !isfinite(ct_column_value(column, row)))
                return ct_fail(error, CT_BAD_INPUT, "regressor %u is not finite in row %u", r + 1,
                               row + 1);
        }
    for (uint32_t row = 0; row < data->n_rows; row++) {
        if (!isfinite(data->response[row]))
            return ct_fail(error, CT_BAD_INPUT, "the response is not finite in row %u", row + 1);
        if (data->weights && !(data->weights[row] > 0 && isfinite(data->weights[row])))
            return ct_fail(error, CT_BAD_INPUT, "the weight of row %u is not above 0 and finite",
                           row + 1);
    }
    for (uint32_t s = 0; s < data->n_splitters; s++) CT_TRY(check_splitter(data, s, error));
    return CT_OK;
}

/* ---- rows z ---- */

static double weight_of(const ct_gmt_model_data *data, uint32_t row)
{
    return data->weights ? data->weights[row] : 1;
}

/* Entry `k` of a row: 0 is the intercept, the last is the response. */
static double entry_of(const ct_gmt_model_data *data, uint32_t k, uint32_t row)
{
    if (k == 0) return !data->no_intercept;
    if (k > data->n_regressors) return data->response[row];
    return ct_column_value(&data->columns[data->regressors[k - 1]], row);
}

/* Writes column k, centred if there is an intercept and scaled to a mean square of 1, times the
 * roots of the weights; the padding behind the last column becomes 0. Returns the mean square
 * before scaling. */
static double write_entry(ct_model_table *table, const ct_gmt_model_data *data, uint32_t k)
{
    double sum = 0, weight = 0, squares = 0, largest = 0;
    for (uint32_t row = 0; row < data->n_rows; row++) weight += weight_of(data, row);
    for (uint32_t row = 0; row < data->n_rows && !data->no_intercept; row++)
        sum += weight_of(data, row) / weight * entry_of(data, k, row);
    for (uint32_t row = 0; row < data->n_rows; row++) {
        double x = entry_of(data, k, row) - sum;
        squares += weight_of(data, row) * (x * x);
        largest = fmax(largest, fabs(entry_of(data, k, row)));
    }
    /* what is left of a constant is rounding */
    int constant = !(squares > 1e-28 * weight * (largest * largest));
    double scale = constant ? 0 : sqrt(weight / squares);
    for (uint32_t row = 0; row < data->n_rows; row++)
        table->z[row * table->width + k] =
            sqrt(weight_of(data, row)) *
            (k == 0 ? entry_of(data, 0, row) : (entry_of(data, k, row) - sum) * scale);
    for (size_t row = 0; k + 1 == table->p && row < data->n_rows; row++)
        for (size_t pad = table->p; pad < table->width; pad++)
            table->z[row * table->width + pad] = 0;
    return constant ? 0 : squares / weight;
}

/* ---- splitters ---- */

/* Ranks a column from its order; rows without a value have no rank. */
static void rank_ordered(ct_splitter *s, const ct_column *column, uint32_t n_rows,
                         const uint32_t *order, uint32_t n_present)
{
    uint32_t rank = 0;
    for (uint32_t i = 0; i < n_present; i++) {
        if (i && ct_column_value(column, order[i]) != ct_column_value(column, order[i - 1])) rank++;
        s->rank[order[i]] = rank;
    }
    for (uint32_t i = n_present; i < n_rows; i++) s->rank[order[i]] = CT_RANK_MISSING;
    s->n_ranks = n_present ? rank + 1 : 0;
}

/* Makes bins of about equally many rows; a value that would fill a bin has it to itself. */
static void cut_bins(ct_splitter *s, const uint32_t *order, uint32_t n_present, uint32_t n_bins)
{
    uint32_t bin = 0, in_bin = 0, done = 0;
    memset(s->first_rank, 0, sizeof s->first_rank);
    for (uint32_t i = 0; i < n_present;) {
        uint32_t end = i, rank = s->rank[order[i]];
        while (end < n_present && s->rank[order[end]] == rank) end++;
        double target = (double) (n_present - done) / (n_bins - bin);
        if (in_bin && bin + 1 < n_bins && in_bin + (end - i) / 2.0 > target) {
            done += in_bin;
            in_bin = 0;
            s->first_rank[++bin] = rank;
        }
        for (uint32_t k = i; k < end; k++) s->bin[order[k]] = (uint8_t) bin;
        in_bin += end - i;
        i = end;
    }
    s->n_bins = n_present ? bin + 1 : 0;
    s->first_rank[s->n_bins] = s->n_ranks;
}

static void rank_levels(ct_splitter *s, const ct_column *column, uint32_t n_rows)
{
    s->n_bins = s->n_ranks = s->n_levels;
    for (uint32_t level = 0; level <= s->n_levels; level++) s->first_rank[level] = level;
    for (uint32_t row = 0; row < n_rows; row++)
        s->rank[row] = ct_column_missing(column, row)
                           ? CT_RANK_MISSING
                           : (uint32_t) ct_column_value(column, row) - 1;
}

static void index_bins(ct_splitter *s, uint32_t n_rows)
{
    uint32_t counts[CT_MODEL_BINS + 1] = {0}, begin = 0;
    for (uint32_t row = 0; row < n_rows; row++) counts[s->bin[row]]++;
    for (uint32_t bin = 0; bin <= s->n_bins; bin++) {
        s->bin_begin[bin] = begin;
        begin += counts[bin];
    }
}

/* NaN cannot be sorted: rows without a value are put behind the others afterwards. */
static int rank_splitter(ct_splitter *s, const ct_column *column, uint32_t n_rows, uint32_t n_bins)
{
    size_t words = n_rows / 64 + 1;
    double *filled = (double *) ct_alloc(n_rows * sizeof *filled);
    uint32_t *order = s->order;
    uint64_t *ties = (uint64_t *) ct_alloc(words * sizeof *ties);
    void *scratch = ct_alloc(ct_sort_scratch(n_rows));
    int fine = filled && ties && scratch;
    if (fine && s->n_levels) rank_levels(s, column, n_rows);
    if (fine && !s->n_levels) {
        ct_column plain = {filled, CT_DOUBLE};
        uint32_t n_present = 0, n_missing = 0;
        memset(ties, 0, words * sizeof *ties);
        for (uint32_t row = 0; row < n_rows; row++)
            filled[row] = ct_column_missing(column, row) ? 0 : ct_column_value(column, row);
        ct_sort_column(&plain, n_rows, scratch, order, ties, NULL, 0);
        uint32_t *missing = (uint32_t *) scratch;
        for (uint32_t i = 0; i < n_rows; i++) {
            if (ct_column_missing(column, order[i])) missing[n_missing++] = order[i];
            else
                order[n_present++] = order[i];
        }
        if (n_missing) memcpy(order + n_present, missing, n_missing * sizeof *missing);
        rank_ordered(s, &plain, n_rows, order, n_present);
        cut_bins(s, order, n_present, n_bins);
    }
    for (uint32_t row = 0; fine && row < n_rows; row++) {
        if (s->rank[row] == CT_RANK_MISSING) s->bin[row] = (uint8_t) s->n_bins;
        else if (s->n_levels) s->bin[row] = (uint8_t) s->rank[row];
    }
    if (fine) index_bins(s, n_rows);
    ct_free(scratch), ct_free(ties), ct_free(filled);
    return fine;
}

/* ---- all ---- */

static ct_status take_memory(ct_model_table *table, uint32_t n_rows, uint32_t n_splitters,
                             uint32_t p, ct_error *error)
{
    memset(table, 0, sizeof *table);
    table->n_rows = n_rows;
    table->p = p;
    table->width = ct_gram_width(p);
    table->size = ct_gram_size(p);
    table->z = (double *) ct_alloc(n_rows * table->width * sizeof *table->z);
    table->splitters = (ct_splitter *) ct_alloc((n_splitters + 1) * sizeof *table->splitters);
    if (!table->z || !table->splitters) return ct_fail(error, CT_NO_MEMORY, "not enough memory");
    for (; table->n_splitters < n_splitters; table->n_splitters++) {
        ct_splitter *s = &table->splitters[table->n_splitters];
        s->rank = (uint32_t *) ct_alloc(n_rows * sizeof *s->rank);
        s->bin = (uint8_t *) ct_alloc(n_rows);
        s->order = (uint32_t *) ct_alloc(n_rows * sizeof *s->order);
        if (s->rank && s->bin && s->order) continue;
        ct_free(s->rank), ct_free(s->bin), ct_free(s->order);
        return ct_fail(error, CT_NO_MEMORY, "not enough memory");
    }
    return CT_OK;
}

typedef struct {
    ct_model_table *table;
    const ct_gmt_model_data *data;
    uint32_t n_bins;
    int64_t failed; /* atomic */
} preparing;

static void set_unit(ct_model_table *table, const ct_gmt_model_data *data, double unit)
{
    double weight = 0;
    for (uint32_t row = 0; row < data->n_rows; row++) weight += weight_of(data, row);
    table->unit = unit > 0 ? unit : 1;
    table->total = unit > 0 ? weight : 0;
}

/* Writes the columns of z, then ranks the splitters. */
static void prepare(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    preparing *all = (preparing *) data;
    ct_model_table *table = all->table;
    (void) worker;
    for (uint64_t i = begin; i < end; i++) {
        if (i < table->p) {
            double unit = write_entry(table, all->data, (uint32_t) i);
            if (i + 1 == table->p) set_unit(table, all->data, unit);
            continue;
        }
        uint32_t s = (uint32_t) (i - table->p);
        table->splitters[s].n_levels = all->data->n_levels[s];
        if (!rank_splitter(&table->splitters[s], &all->data->columns[all->data->splitters[s]],
                           table->n_rows, all->n_bins))
            ct_atomic_write(&all->failed, 1);
    }
}

ct_status ct_gmt_model_table_init(ct_model_table *table, const ct_gmt_model_data *data,
                                  uint32_t n_bins, unsigned threads, ct_error *error)
{
    CT_TRY(take_memory(table, data->n_rows, data->n_splitters, data->n_regressors + 2, error));
    table->first = data->no_intercept != 0;
    table->assign = data->assign;
    preparing all = {table, data, n_bins, 0};
    ct_loop loop = {table->p + table->n_splitters, 1, CT_DYNAMIC, threads, prepare, &all, NULL};
    ct_parallel_for(&loop);
    return all.failed ? ct_fail(error, CT_NO_MEMORY, "not enough memory") : CT_OK;
}

/* Sorts rows by rank, from the lowest digit on; rows of equal rank stay in rising order. */
static int order_ranks(ct_splitter *s, uint32_t n_rows)
{
    uint32_t *from = s->order, *to = (uint32_t *) ct_alloc(n_rows * sizeof *to);
    int passes = 0;
    if (!to) return 0;
    for (uint32_t row = 0; row < n_rows; row++) from[row] = row;
    for (unsigned shift = 0; shift < 32; shift += 8, passes++) {
        uint32_t next[257] = {0};
        for (uint32_t i = 0; i < n_rows; i++) next[(s->rank[i] >> shift & 255) + 1]++;
        for (unsigned digit = 0; digit < 256; digit++) next[digit + 1] += next[digit];
        for (uint32_t i = 0; i < n_rows; i++) to[next[s->rank[from[i]] >> shift & 255]++] = from[i];
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    CT_ASSERT(passes == 4 && from == s->order);
    ct_free(to);
    return 1;
}

/* Joins neighbouring bins, so that there are at most n_bins. */
static void join_bins(ct_splitter *s, uint32_t n_rows, uint32_t n_bins)
{
    uint32_t step = (s->n_bins + n_bins - 1) / n_bins;
    if (s->n_levels || step < 2) return;
    for (uint32_t row = 0; row < n_rows; row++)
        s->bin[row] = (uint8_t) ((s->bin[row] + (s->bin[row] == s->n_bins ? step - 1 : 0)) / step);
    uint32_t joined = (s->n_bins + step - 1) / step;
    for (uint32_t bin = 0; bin < joined; bin++) s->first_rank[bin] = s->first_rank[bin * step];
    s->first_rank[joined] = s->n_ranks;
    s->n_bins = joined;
}

ct_status ct_gmt_model_table_take(ct_model_table *table, const ct_model_table *from,
                                  const uint32_t *rows, uint32_t n_rows, uint32_t n_bins,
                                  ct_error *error)
{
    CT_TRY(take_memory(table, n_rows, from->n_splitters, from->p, error));
    for (uint32_t i = 0; i < n_rows; i++)
        memcpy(table->z + i * table->width, from->z + rows[i] * from->width,
               table->width * sizeof *table->z);
    for (uint32_t s = 0; s < from->n_splitters; s++) {
        ct_splitter *to = &table->splitters[s];
        const ct_splitter *of = &from->splitters[s];
        uint32_t *rank = to->rank;
        uint8_t *bin = to->bin;
        uint32_t *order = to->order;
        *to = *of;
        to->rank = rank;
        to->bin = bin;
        to->order = order;
        for (uint32_t i = 0; i < n_rows; i++)
            rank[i] = of->rank[rows[i]], bin[i] = of->bin[rows[i]];
        join_bins(to, n_rows, n_bins);
        index_bins(to, n_rows);
        if (!order_ranks(to, n_rows)) return ct_fail(error, CT_NO_MEMORY, "not enough memory");
    }
    table->first = from->first;
    table->assign = from->assign;
    table->unit = from->unit;
    table->total = from->total * n_rows / from->n_rows;
    return CT_OK;
}

ct_status ct_gmt_model_table_join(ct_model_table *table, const ct_model_table *of, uint32_t n_bins,
                                  ct_error *error)
{
    *table = *of;
    table->borrows = 1;
    table->n_splitters = 0;
    table->splitters = (ct_splitter *) ct_alloc((of->n_splitters + 1) * sizeof *table->splitters);
    if (!table->splitters) return ct_fail(error, CT_NO_MEMORY, "not enough memory");
    for (; table->n_splitters < of->n_splitters; table->n_splitters++) {
        ct_splitter *s = &table->splitters[table->n_splitters];
        *s = of->splitters[table->n_splitters];
        s->bin = (uint8_t *) ct_alloc(of->n_rows);
        if (!s->bin) return ct_fail(error, CT_NO_MEMORY, "not enough memory");
        memcpy(s->bin, of->splitters[table->n_splitters].bin, of->n_rows);
        join_bins(s, of->n_rows, n_bins);
        index_bins(s, of->n_rows);
    }
    return CT_OK;
}

void ct_gmt_model_table_free(ct_model_table *table)
{
    for (uint32_t s = 0; s < table->n_splitters; s++) {
        ct_free(table->splitters[s].bin);
        if (table->borrows) continue;
        ct_free(table->splitters[s].rank);
        ct_free(table->splitters[s].order);
    }
    ct_free(table->splitters);
    if (!table->borrows) ct_free(table->z);
    memset(table, 0, sizeof *table);
}
