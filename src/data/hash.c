#include "data/hash.h"

#include <string.h>

uint64_t ct_hash(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

uint64_t ct_hash_double(uint64_t hash, double value)
{
    uint64_t word;
    value += 0.0; /* -0 and 0 are the same value */
    memcpy(&word, &value, sizeof word);
    return ct_hash(hash, word);
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
