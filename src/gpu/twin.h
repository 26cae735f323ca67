/* Test controls of the host twin. There is one twin for the whole process, and these settings apply
 * to it. */
#ifndef CT_GPU_TWIN_H
#define CT_GPU_TWIN_H

#include <stddef.h>

/* The k-th call to the twin from now on fails, and all after it; 0: none. Returns how many calls
 * were made since this was last called. */
long ct_gpu_twin_fail_at(long k);
/* How much memory on the device it pretends to have; SIZE_MAX: any. */
void ct_gpu_twin_memory(size_t bytes);
/* How many blocks of memory, streams and events there are now. */
long ct_gpu_twin_blocks(void);

#endif
