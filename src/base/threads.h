/* Locks and atomic numbers, by OpenMP where the compiler has it; without it there are no threads to
 * guard against. */
#ifndef CT_BASE_THREADS_H
#define CT_BASE_THREADS_H

#include <stdint.h>

#ifdef _OPENMP
#include <omp.h>
typedef omp_lock_t ct_lock;
#define CT_LOCK(action, lock) omp_##action##_lock(lock)
#else
typedef char ct_lock;
#define CT_LOCK(action, lock) ((void) (lock))
#endif

static inline void ct_lock_init(ct_lock *lock) { CT_LOCK(init, lock); }
static inline void ct_lock_free(ct_lock *lock) { CT_LOCK(destroy, lock); }
static inline void ct_lock_take(ct_lock *lock) { CT_LOCK(set, lock); }
static inline void ct_lock_leave(ct_lock *lock) { CT_LOCK(unset, lock); }

static inline int64_t ct_atomic_read(const int64_t *number)
{
    int64_t value;
#ifdef _OPENMP
#pragma omp atomic read
#endif
    value = *number;
    return value;
}

static inline void ct_atomic_write(int64_t *number, int64_t value)
{
#ifdef _OPENMP
#pragma omp atomic write
#endif
    *number = value;
    (void) value; /* gcc 12 takes no notice of the line above */
}

/* Returns the sum. */
static inline int64_t ct_atomic_add(int64_t *number, int64_t more)
{
    int64_t sum;
#ifdef _OPENMP
#pragma omp atomic capture
#endif
    sum = *number += more;
    return sum;
}

static inline void ct_atomic_add_double(double *number, double more)
{
#ifdef _OPENMP
#pragma omp atomic
#endif
    *number += more;
}

#endif
