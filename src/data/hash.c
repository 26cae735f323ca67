#include "data/hash.h"

#include <string.h>

static const uint64_t MULTIPLIER = UINT64_C(0x9e3779b97f4a7c15);

uint64_t ct_hash(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * MULTIPLIER;
    return hash ^ hash >> 32;
}

/* The same word for equal values: -0 is 0, and all NaN are alike. */
static inline uint64_t word_of(double value)
{
    uint64_t word;
    value += 0.0;
    memcpy(&word, &value, sizeof word);
    return value == value ? word : UINT64_MAX;
}

uint64_t ct_hash_double(uint64_t hash, double value) { return ct_hash(hash, word_of(value)); }

/* One step of a lane: as ct_hash(), with less to wait for. */
static inline uint64_t lane_step(uint64_t lane, uint64_t word)
{
    lane ^= word;
    return (lane << 32 | lane >> 32) * MULTIPLIER;
}

enum { LANES = 4 }; /* a step waits for the one before it: lanes go side by side */

/* SPEED: `type` is known where this is inlined, so that each type has a loop of its own. */
static inline uint64_t word_at(const ct_column *column, ct_type type, uint32_t row)
{
    if (type == CT_DOUBLE) return word_of(((const double *) column->values)[row]);
    if (type == CT_INT32) return word_of(((const int32_t *) column->values)[row]);
    return word_of(ct_column_value(column, row));
}

static inline uint64_t hash_rows(const ct_column *column, ct_type type, uint32_t n_rows)
{
    uint64_t a = 1, b = 2, c = 3, d = 4;
    uint32_t row = 0;
    for (; n_rows - row >= LANES; row += LANES) {
        a = lane_step(a, word_at(column, type, row));
        b = lane_step(b, word_at(column, type, row + 1));
        c = lane_step(c, word_at(column, type, row + 2));
        d = lane_step(d, word_at(column, type, row + 3));
    }
    for (; row < n_rows; row++) a = lane_step(a, word_at(column, type, row));
    return ct_hash(ct_hash(ct_hash(ct_hash(n_rows, a), b), c), d);
}

uint64_t ct_column_hash(const ct_column *column, uint32_t n_rows)
{
    CT_ASSERT(column->values || !n_rows);
    if (column->type == CT_DOUBLE) return hash_rows(column, CT_DOUBLE, n_rows);
    if (column->type == CT_INT32) return hash_rows(column, CT_INT32, n_rows);
    return hash_rows(column, column->type, n_rows);
}

uint64_t ct_data_hash(const ct_data *data, uint64_t hash)
{
    CT_ASSERT(data->columns && (data->response || data->classes));
    hash = ct_hash(ct_hash(hash, data->n_rows), data->n_cols);
    hash = ct_hash(hash, ct_data_classes(data));
    for (uint32_t col = 0; col < data->n_cols; col++)
        for (uint32_t row = 0; row < data->n_rows; row++)
            hash = ct_hash_double(hash, ct_column_value(&data->columns[col], row));
    for (uint32_t row = 0; row < data->n_rows; row++)
        hash = data->response ? ct_hash_double(hash, data->response[row])
                              : ct_hash(hash, (uint64_t) data->classes[row]);
    for (uint32_t row = 0; data->weights && row < data->n_rows; row++)
        hash = ct_hash_double(hash, data->weights[row]);
    for (size_t i = 0; data->loss && i < (size_t) data->n_classes * data->n_classes; i++)
        hash = ct_hash_double(hash, data->loss[i]);
    return hash;
}
