#include "base/memory.h"
#include "base/status.h"
#include "base/threads.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif
#if defined(__GLIBC__)
#include <malloc.h>
#endif

enum { HUGE_PAGE = 2 << 20 };

#ifdef CT_DEBUG
static int64_t calls = 0, first_failing = INT64_MAX, end_failing = INT64_MAX, filling = -1;

long ct_alloc_fail_for(long after, long count)
{
    CT_ASSERT(after < 0 || count >= 0);
    int64_t now = ct_atomic_read(&calls);
    ct_atomic_write(&first_failing, after < 0 ? INT64_MAX : now + after);
    ct_atomic_write(&end_failing,
                    after < 0 || count > INT64_MAX / 2 ? INT64_MAX : now + after + count);
    return (long) now;
}

int ct_alloc_denied(void)
{
    int64_t call = ct_atomic_add(&calls, 1) - 1;
    return call >= ct_atomic_read(&first_failing) && call < ct_atomic_read(&end_failing);
}

void ct_alloc_fill(int byte) { ct_atomic_write(&filling, byte); }

void ct_alloc_filled(void *memory, size_t bytes)
{
    int64_t byte = ct_atomic_read(&filling);
    if (memory && byte >= 0) memset(memory, (int) byte, bytes);
}
#endif

/* malloc with the block's own address kept in the word before the aligned one: C11's aligned_alloc
 * is missing on Windows. Large blocks ask for huge pages: first-touch page faults would otherwise
 * be a large part of short runs. */
void *ct_alloc(size_t bytes)
{
#ifdef CT_DEBUG
    if (ct_alloc_denied()) return NULL;
#endif
    size_t align = bytes >= 2 * (size_t) HUGE_PAGE ? (size_t) HUGE_PAGE : (size_t) CT_ALIGN;
    if (bytes > SIZE_MAX - align - sizeof(void *)) return NULL;
    char *block = (char *) malloc(bytes + align + sizeof(void *));
    if (!block) return NULL;
    uintptr_t start = ((uintptr_t) block + sizeof(void *) + align - 1) / align * align;
    CT_ASSERT(start % align == 0 &&
              start + bytes <= (uintptr_t) block + bytes + align + sizeof(void *));
    ((void **) start)[-1] = block;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (align == (size_t) HUGE_PAGE)
        (void) madvise((void *) start, bytes / align * align, MADV_HUGEPAGE);
#endif
#ifdef CT_DEBUG
    ct_alloc_filled((void *) start, bytes);
#endif
    return (void *) start;
}

void *ct_alloc_zeroed(size_t count, size_t size)
{
    CT_ASSERT(!size || count <= SIZE_MAX / size);
    void *memory = ct_alloc(count * size);
    if (memory) memset(memory, 0, count * size);
    return memory;
}

void ct_free(void *memory)
{
    CT_ASSERT((uintptr_t) memory % CT_ALIGN == 0);
    if (memory) free(((void **) memory)[-1]);
}

int ct_enlarge(void *place, size_t bytes, size_t more)
{
    CT_ASSERT(place && more > 0);
    void *old, *memory = ct_alloc(bytes + more);
    if (!memory) return 0;
    memcpy(&old, place, sizeof old);
    if (bytes) memcpy(memory, old, bytes);
    ct_free(old);
    memcpy(place, &memory, sizeof memory);
    return 1;
}

void ct_trim(void)
{
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}
