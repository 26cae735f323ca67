/* A hash that tells apart what happens to be other data. Who wants to can make two of the same
 * hash, and proves nothing by it. */
#ifndef CT_DATA_HASH_H
#define CT_DATA_HASH_H

#include "data/data.h"

uint64_t ct_hash(uint64_t hash, uint64_t word);
uint64_t ct_hash_double(uint64_t hash, double value);

/* The values of a column; NaN are all the same. */
uint64_t ct_column_hash(const ct_column *column, uint32_t n_rows);

/* All values of the data, sound or not, from `hash` on. */
uint64_t ct_data_hash(const ct_data *data, uint64_t hash);

#endif
