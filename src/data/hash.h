/* A hash that tells different data apart unless someone makes two of the same hash, so that it
 * proves nothing. */
#ifndef CT_DATA_HASH_H
#define CT_DATA_HASH_H

#include "data/data.h"

uint64_t ct_hash(uint64_t hash, uint64_t word);
uint64_t ct_hash_double(uint64_t hash, double value);

/* The values of a column; NaN are all the same. */
uint64_t ct_column_hash(const ct_column *column, uint32_t n_rows);

/* Hashes all values of the data, valid or not, continuing from `hash`. */
uint64_t ct_data_hash(const ct_data *data, uint64_t hash);

#endif
