#include "base/arena.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/threads.h"

struct ct_arena_chunk {
    ct_arena_chunk *next;
    size_t size; /* usable bytes after the header */
};

enum { HEADER = CT_ALIGN, SMALLEST = 1 << 18, LARGEST_STEP = 1 << 26 };

void ct_arena_init(ct_arena *arena, ct_budget *budget)
{
    CT_ASSERT(budget != NULL);
    memset(arena, 0, sizeof *arena);
    arena->budget = budget;
}

/* Takes `bytes` out of the budget; 0 if there are fewer left. */
static int budget_take(ct_budget *budget, size_t bytes)
{
    if ((uint64_t) ct_atomic_add(&budget->used, (int64_t) bytes) <= budget->limit) return 1;
    ct_atomic_add(&budget->used, -(int64_t) bytes);
    return 0;
}

void ct_arena_free(ct_arena *arena)
{
    CT_ASSERT(arena->budget->used >= (int64_t) arena->held);
    ct_atomic_add(&arena->budget->used, -(int64_t) arena->held);
    for (ct_arena_chunk *chunk = arena->first; chunk;) {
        ct_arena_chunk *next = chunk->next;
        ct_free(chunk);
        chunk = next;
    }
    ct_arena_init(arena, arena->budget);
}

static char *chunk_data(ct_arena_chunk *chunk)
{
    return (char *) chunk + HEADER;
}

/* The next chunk with room for `bytes`: one that an earlier release left behind, or a new one
 * inserted here. Chunks grow with what is held already, so that their number stays logarithmic. */
static ct_arena_chunk *next_chunk(ct_arena *arena, size_t bytes)
{
    CT_ASSERT(bytes % CT_ALIGN == 0);
    ct_arena_chunk *following = arena->current ? arena->current->next : arena->first;
    if (following && following->size >= bytes) return following;
    size_t size = arena->held < SMALLEST       ? SMALLEST
                  : arena->held > LARGEST_STEP ? LARGEST_STEP
                                               : arena->held;
    if (size < bytes) size = bytes;
    CT_ASSERT(size >= bytes);
    if (!budget_take(arena->budget, size)) {
        size = bytes;
        if (!budget_take(arena->budget, size)) return NULL;
    }
    ct_arena_chunk *chunk = (ct_arena_chunk *) ct_alloc(HEADER + size);
    if (!chunk) {
        ct_atomic_add(&arena->budget->used, -(int64_t) size);
        return NULL;
    }
    chunk->size = size;
    chunk->next = following;
    if (arena->current) arena->current->next = chunk;
    else arena->first = chunk;
    arena->held += size;
    CT_ASSERT(arena->held <= (size_t) ct_atomic_read(&arena->budget->used));
    return chunk;
}

void *ct_arena_alloc(ct_arena *arena, size_t count, size_t size)
{
    CT_ASSERT(arena->budget != NULL && size > 0);
    if (size && count > (SIZE_MAX / 2) / size) return NULL;
#ifdef CT_DEBUG
    if (ct_alloc_denied()) return NULL;
#endif
    size_t bytes = (count * size + CT_ALIGN - 1) / CT_ALIGN * CT_ALIGN;
    CT_ASSERT(bytes >= count * size);
    CT_ASSERT(!arena->current || arena->used <= arena->current->size);
    if (!arena->current || bytes > arena->current->size - arena->used) {
        ct_arena_chunk *chunk = next_chunk(arena, bytes);
        if (!chunk) return NULL;
        arena->current = chunk;
        arena->used = 0;
    }
    void *memory = chunk_data(arena->current) + arena->used;
    arena->used += bytes;
    CT_ASSERT(arena->used <= arena->current->size);
    CT_ASSERT((uintptr_t) memory % CT_ALIGN == 0);
#ifdef CT_DEBUG
    ct_alloc_filled(memory, bytes);
#endif
    return memory;
}

void *ct_arena_zeroed(ct_arena *arena, size_t count, size_t size)
{
    void *memory = ct_arena_alloc(arena, count, size);
    if (memory && count) memset(memory, 0, count * size);
    return memory;
}

ct_arena_mark ct_arena_here(const ct_arena *arena)
{
    CT_ASSERT(arena->budget);
    ct_arena_mark mark = {arena->current, arena->used};
    return mark;
}

void ct_arena_release(ct_arena *arena, ct_arena_mark mark)
{
    CT_ASSERT(!mark.chunk || mark.used <= mark.chunk->size);
    CT_ASSERT(mark.chunk != arena->current || mark.used <= arena->used /* of a stack */);
    arena->current = mark.chunk;
    arena->used = mark.chunk ? mark.used : 0;
}

void ct_arena_trim(ct_arena *arena)
{
    ct_arena_chunk **link = arena->current ? &arena->current->next : &arena->first;
    while (*link) {
        ct_arena_chunk *chunk = *link;
        if (chunk->size < LARGEST_STEP) {
            link = &chunk->next;
            continue;
        }
        CT_ASSERT(arena->held >= chunk->size && chunk != arena->current);
        *link = chunk->next;
        arena->held -= chunk->size;
        ct_atomic_add(&arena->budget->used, -(int64_t) chunk->size);
        ct_free(chunk);
    }
}
