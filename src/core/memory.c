#include "core/memory.h"
#include "core/threads.h"

#include <stdint.h>
#include <stdlib.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

enum { HUGE_PAGE = 2 << 20 };

#ifdef CT_DEBUG
static int64_t calls = 0, failing_call = -1;

long ct_alloc_fail_after(long after)
{
    ct_atomic_write(&failing_call, after < 0 ? -1 : ct_atomic_read(&calls) + after);
    return (long) ct_atomic_read(&calls);
}
#endif

/* malloc with the block's own address kept in the word before the aligned one: C11's aligned_alloc is missing on
 * Windows. Large blocks ask for huge pages: first-touch page faults would otherwise be a large part of short runs. */
void *ct_alloc(size_t bytes)
{
#ifdef CT_DEBUG
    if (ct_atomic_add(&calls, 1) - 1 == ct_atomic_read(&failing_call)) return NULL;
#endif
    size_t align = bytes >= 2 * (size_t) HUGE_PAGE ? (size_t) HUGE_PAGE : (size_t) CT_ALIGN;
    if (bytes > SIZE_MAX - align - sizeof(void *)) return NULL;
    char *block = (char *) malloc(bytes + align + sizeof(void *));
    if (!block) return NULL;
    uintptr_t start = ((uintptr_t) block + sizeof(void *) + align - 1) / align * align;
    ((void **) start)[-1] = block;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (align == (size_t) HUGE_PAGE) (void) madvise((void *) start, bytes / align * align, MADV_HUGEPAGE);
#endif
    return (void *) start;
}

void ct_free(void *memory)
{
    if (memory) free(((void **) memory)[-1]);
}
