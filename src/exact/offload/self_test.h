/* Whether a device computes what its host twin computes. */
#ifndef CT_EXACT_OFFLOAD_SELF_TEST_H
#define CT_EXACT_OFFLOAD_SELF_TEST_H

#include "base/status.h"

/* Runs the search's kernels on CUDA device `device`, with a tiny table, and compares the integers
 * with its host twin's. CT_OK; CT_NO_DEVICE when there is no such device or it does not work;
 * CT_INTERNAL when it answers wrongly. */
ct_status ct_offload_self_test(int device, ct_error *error);

#endif
