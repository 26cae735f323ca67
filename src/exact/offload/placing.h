/* Where depth-two work is done: what it costs on the CPU and on a device, by a model of few
 * numbers. */
#ifndef CT_EXACT_OFFLOAD_PLACING_H
#define CT_EXACT_OFFLOAD_PLACING_H

#include "exact/rows/node.h"

/* Seconds that the search of a row set's root splits takes at depth two, one thread against one
 * queue. */
typedef struct {
    double cpu, device;
} ct_placing;

ct_placing ct_placing_of(uint32_t n_rows, uint32_t n_cols, uint32_t n_classes,
                         uint32_t n_table_rows);

/* Whether the row set is for the worker's device. */
int ct_pays_on_device(const ct_worker *worker, const ct_node *node);

/* Whether a side of n_rows rows of the row set is, as part of that, in a batch with others. */
int ct_pays_in_pool(const ct_worker *worker, const ct_node *node, uint32_t n_rows);

/* Whether a search of such a table is long enough to open a device for it, by what the root alone
 * must take. */
int ct_pays_to_open(uint32_t n_rows, uint32_t n_cols, uint32_t n_classes, unsigned depth);

#endif
