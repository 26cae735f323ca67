#include "exact/run/part.h"

#include <string.h>

#include "base/memory.h"

enum { FIRST_ROOM = 64 };

static int grow(ct_exact_open *open)
{
    const uint32_t more = open->n ? open->n : FIRST_ROOM;
    const size_t size = sizeof *open->ranges;
    if (!ct_enlarge(&open->ranges, open->n * size, more * size)) return 0;
    open->room = open->n + more;
    return 1;
}

ct_exact_range *ct_open_add(ct_exact_open *open)
{
    if (open->n == open->room && !grow(open)) {
        open->lost = 1;
        return NULL;
    }
    ct_exact_range *range = &open->ranges[open->n++];
    memset(range, 0, sizeof *range);
    open->ends.limit = SIZE_MAX;
    range->at = open->ends.n;
    return range;
}

ct_status ct_part_begin(ct_exact_part *part, uint32_t n_cols, ct_error *error)
{
    if (!part) return CT_OK;
    size_t size = ((size_t) n_cols + 1) * sizeof *part->known;
    CT_ASSERT(!part->known && !part->open.n);
    part->known = (int64_t *) ct_alloc(size);
    if (!part->known)
        return ct_fail(error, CT_NO_MEMORY, "not enough memory for %lu columns",
                       (unsigned long) n_cols);
    memset(part->known, 0, size);
    return CT_OK;
}

void ct_exact_part_free(ct_exact_part *part)
{
    ct_free(part->open.ranges);
    ct_bytes_free(&part->open.ends);
    ct_free(part->known);
    memset(&part->open, 0, sizeof part->open);
    part->known = NULL;
}
