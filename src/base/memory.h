/* Every allocation of the C core goes through ct_alloc, so that the tests can make the k-th one
 * fail. What ct_alloc returns is owned by the caller and freed with ct_free. */
#ifndef CT_BASE_MEMORY_H
#define CT_BASE_MEMORY_H

#include <stddef.h>

/* Uninitialised memory aligned to CT_ALIGN bytes, or NULL. */
void *ct_alloc(size_t bytes);
/* `count` * `size` bytes of it, all zero. */
void *ct_alloc_zeroed(size_t count, size_t size);
void ct_free(void *memory);

/* Moves the array whose address is at `place`, of `bytes` bytes, to memory of `more` besides.
 * 0 if memory ends: then it is as it was. */
int ct_enlarge(void *place, size_t bytes, size_t more);

#define CT_ALIGN 64

/* Gives back to the system what the process has freed; where the C library cannot, does nothing. */
void ct_trim(void);

#ifdef CT_DEBUG
/* Makes `count` allocations after the next `after` ones fail; negative: none. Those of arenas count
 * too, whether they need memory or find it held. Returns the number of calls so far. */
long ct_alloc_fail_for(long after, long count);
static inline long ct_alloc_fail_after(long after) { return ct_alloc_fail_for(after, 1); }

/* Counts a call; 1 if it is to fail. */
int ct_alloc_denied(void);

/* From here on new memory, arenas' too, is filled with that byte, so that who reads it before
 * writing comes to other results with another byte; negative: it is as it comes, for valgrind. */
void ct_alloc_fill(int byte);

/* Fills what was just allocated (NULL: nothing). */
void ct_alloc_filled(void *memory, size_t bytes);
#endif

#endif
