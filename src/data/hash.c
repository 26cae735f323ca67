#include "data/hash.h"

#include <string.h>

static const uint64_t MULTIPLIER = UINT64_C(0x9e3779b97f4a7c15);

uint64_t ct_hash(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * MULTIPLIER;
    return hash ^ hash >> 32;
}

/* Of equal values the same: -0 is 0, and NaN are all alike. */
static inline uint64_t word_of(double value)
{
    uint64_t word;
    value += 0.0;
    memcpy(&word, &value, sizeof word);
    return value == value ? word : UINT64_MAX;
}

uint64_t ct_hash_double(uint64_t hash, double value) { return ct_hash(hash, word_of(value)); }

/* One step of a lane: as ct_hash(), with less to wait for. */
static inline uint64_t lane_step(uint64_t lane, double value)
{
    lane ^= word_of(value);
    return (lane << 32 | lane >> 32) * MULTIPLIER;
}

enum { LANES = 4, BLOCK = 256 }; /* a step waits for the one before it: lanes go side by side */

static void hash_block(uint64_t lanes[LANES], const double *values, uint32_t n)
{
    uint64_t a = lanes[0], b = lanes[1], c = lanes[2], d = lanes[3];
    uint32_t i = 0;
    for (; n - i >= LANES; i += LANES) {
        a = lane_step(a, values[i]);
        b = lane_step(b, values[i + 1]);
        c = lane_step(c, values[i + 2]);
        d = lane_step(d, values[i + 3]);
    }
    for (; i < n; i++) a = lane_step(a, values[i]);
    lanes[0] = a, lanes[1] = b, lanes[2] = c, lanes[3] = d;
}

/* n values from a row on, in `room` unless they lie as doubles. */
static const double *values_at(const ct_column *column, uint32_t row, uint32_t n, double *room)
{
    if (column->type == CT_DOUBLE) return (const double *) column->values + row;
    for (uint32_t i = 0; i < n; i++) room[i] = ct_column_value(column, row + i);
    return room;
}

uint64_t ct_column_hash(const ct_column *column, uint32_t n_rows)
{
    uint64_t lanes[LANES] = {1, 2, 3, 4}, hash = n_rows;
    double room[BLOCK];
    for (uint32_t row = 0, n; row < n_rows; row += n) {
        n = n_rows - row < BLOCK ? n_rows - row : BLOCK;
        hash_block(lanes, values_at(column, row, n, room), n);
    }
    for (uint32_t lane = 0; lane < LANES; lane++) hash = ct_hash(hash, lanes[lane]);
    return hash;
}

uint64_t ct_data_hash(const ct_data *data, uint64_t hash)
{
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
