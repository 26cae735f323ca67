/* A stack of memory: allocate, remember a mark, release everything since the mark.
 *
 * Order of calls: init, then any alloc/mark/release/trim, then free. Blocks stay valid until their
 * mark is released; the chunks behind them are kept for reuse until ct_arena_free (or
 * ct_arena_trim). Not shared between threads: each worker owns one. */
#ifndef CT_BASE_ARENA_H
#define CT_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

typedef struct ct_arena_chunk ct_arena_chunk;

/* What several arenas together may take, in bytes. Threads may share one. */
typedef struct {
    size_t limit;
    int64_t used; /* atomic */
} ct_budget;

typedef struct {
    ct_arena_chunk *first; /* owned list of chunks, in the order in which they fill */
    ct_arena_chunk *current;
    size_t used;           /* bytes used of the current chunk */
    size_t held;           /* bytes of all chunks */
    ct_budget *budget;     /* borrowed */
} ct_arena;

typedef struct {
    ct_arena_chunk *chunk;
    size_t used;
} ct_arena_mark;

void ct_arena_init(ct_arena *arena, ct_budget *budget);
void ct_arena_free(ct_arena *arena);

/* `count` * `size` uninitialised bytes aligned to CT_ALIGN; NULL if memory or the budget is
 * exhausted. */
void *ct_arena_alloc(ct_arena *arena, size_t count, size_t size);
void *ct_arena_zeroed(ct_arena *arena, size_t count, size_t size);

ct_arena_mark ct_arena_here(const ct_arena *arena);
void ct_arena_release(ct_arena *arena, ct_arena_mark mark);

/* Gives large chunks that hold nothing back before ct_arena_free does. */
void ct_arena_trim(ct_arena *arena);

#define CT_ARENA_NEW(arena, type, count) ((type *) ct_arena_alloc((arena), (count), sizeof(type)))
#define CT_ARENA_ZEROED(arena, type, count)                                                        \
    ((type *) ct_arena_zeroed((arena), (count), sizeof(type)))

#endif
