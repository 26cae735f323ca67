#include "exact/bound/cache.h"

#include <string.h>

#include "base/memory.h"
#include "base/threads.h"

enum { PARTS = 1 << 6, BUCKETS = 1 << 6, MOST_ENTRIES = 1024 };

typedef struct {
    int64_t max_cost;
    int64_t lower;
} entry;

/* All remembered sets of one kind. Entry i has its thresholds at thresholds + i * n; the oldest
 * makes room. */
typedef struct list {
    struct list *next;
    unsigned depth;
    ct_path path; /* its lines; the thresholds do not count */
    uint32_t n_entries, room, oldest;
    entry *entries;
    uint32_t *thresholds;
} list;

/* Lists are dealt out to parts by their hash, so that workers seldom wait for one another. */
typedef struct {
    ct_lock lock;
    ct_arena arena;
    list *buckets[BUCKETS];
} part;

struct ct_bound_cache {
    ct_budget budget;
    part parts[PARTS];
};

ct_path ct_path_extend(const ct_path *path, uint32_t feature, int side, uint32_t threshold)
{
    ct_path extended = *path;
    uint32_t line = 2 * feature + (uint32_t) side, i = 0;
    CT_ASSERT((side == 0 || side == 1) && threshold > 0 && path->n <= CT_MAX_DEPTH);
    while (i < path->n && path->line[i] < line) i++;
    if (i == path->n || path->line[i] != line) {
        for (uint32_t j = path->n; j > i; j--) {
            extended.line[j] = path->line[j - 1];
            extended.threshold[j] = path->threshold[j - 1];
        }
        CT_ASSERT(extended.n < CT_MAX_DEPTH);
        extended.n++;
        extended.line[i] = line;
    }
    CT_ASSERT(i == 0 || extended.line[i - 1] < line);
    CT_ASSERT(path->n < extended.n || (side ? threshold >= path->threshold[i]
                                            : threshold <= path->threshold[i]) /* within */);
    extended.threshold[i] = threshold;
    return extended;
}

ct_bound_cache *ct_bound_cache_new(size_t limit)
{
    ct_bound_cache *cache = (ct_bound_cache *) ct_alloc(sizeof *cache);
    if (!cache) return NULL;
    memset(cache, 0, sizeof *cache);
    cache->budget.limit = limit;
    for (unsigned i = 0; i < PARTS; i++) {
        ct_lock_init(&cache->parts[i].lock);
        ct_arena_init(&cache->parts[i].arena, &cache->budget);
    }
    return cache;
}

void ct_bound_cache_free(ct_bound_cache *cache)
{
    if (!cache) return;
    for (unsigned i = 0; i < PARTS; i++) {
        ct_arena_free(&cache->parts[i].arena);
        ct_lock_free(&cache->parts[i].lock);
    }
    ct_free(cache);
}

static uint32_t hash_of(const ct_path *path, unsigned depth)
{
    uint64_t hash = depth;
    for (uint32_t i = 0; i < path->n; i++)
        hash = (hash + path->line[i] + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t) (hash >> 32);
}

static list *find_list(list *first, const ct_path *path, unsigned depth)
{
    for (list *l = first; l; l = l->next)
        if (l->depth == depth && l->path.n == path->n &&
            !memcmp(l->path.line, path->line, path->n * sizeof *path->line))
            return l;
    return NULL;
}

/* Bit 0: the entry's set contains the path's, bit 1: it is contained in it. The left side of a
 * lower threshold is the smaller set, the right side the larger one. */
static unsigned compare(const ct_path *path, const uint32_t *thresholds)
{
    unsigned relation = 3;
    for (uint32_t i = 0; i < path->n; i++) {
        if (thresholds[i] == path->threshold[i]) continue;
        int smaller = (thresholds[i] < path->threshold[i]) != (int) (path->line[i] & 1);
        relation &= smaller ? 2u : 1u;
    }
    return relation;
}

int64_t ct_bound_cache_find(ct_bound_cache *cache, const ct_path *path, unsigned depth,
                            int64_t max_cost)
{
    uint32_t hash = hash_of(path, depth);
    part *p = &cache->parts[hash / BUCKETS % PARTS];
    CT_ASSERT(path->n > 0 && max_cost >= 0);
    int64_t best = 0;
    ct_lock_take(&p->lock);
    const list *l = find_list(p->buckets[hash % BUCKETS], path, depth);
    for (uint32_t i = 0; l && i < l->n_entries; i++) {
        int64_t bound = l->entries[i].lower;
        if (bound <= best) continue;
        unsigned relation = compare(path, l->thresholds + (size_t) i * path->n);
        CT_ASSERT(relation != 1 || l->entries[i].max_cost >= max_cost); /* it contains this one */
        CT_ASSERT(relation != 2 || l->entries[i].max_cost <= max_cost);
        if (relation == 1) bound -= l->entries[i].max_cost - max_cost;
        if (relation && bound > best) best = bound;
    }
    ct_lock_leave(&p->lock);
    return best;
}

static list *add_list(part *p, list **bucket, const ct_path *path, unsigned depth)
{
    list *l = CT_ARENA_ZEROED(&p->arena, list, 1);
    if (!l) return NULL;
    l->depth = depth;
    l->path = *path;
    l->next = *bucket;
    *bucket = l;
    return l;
}

/* Room for one more entry, in place of the oldest if there may be no more. Returns its place, or
 * MOST_ENTRIES. */
static uint32_t place_for_entry(part *p, list *l)
{
    if (l->n_entries == MOST_ENTRIES) {
        uint32_t place = l->oldest;
        l->oldest = (l->oldest + 1) % MOST_ENTRIES;
        CT_ASSERT(place < l->n_entries);
        return place;
    }
    if (l->n_entries == l->room) {
        uint32_t room = l->room ? 2 * l->room : 16;
        entry *entries = CT_ARENA_NEW(&p->arena, entry, room);
        uint32_t *thresholds = CT_ARENA_NEW(&p->arena, uint32_t, (size_t) room * l->path.n);
        if (!entries || !thresholds) return MOST_ENTRIES;
        if (l->n_entries) {
            memcpy(entries, l->entries, l->n_entries * sizeof *entries);
            memcpy(thresholds, l->thresholds,
                   (size_t) l->n_entries * l->path.n * sizeof *thresholds);
        }
        l->entries = entries;
        l->thresholds = thresholds;
        l->room = room;
    }
    CT_ASSERT(l->n_entries < l->room && l->room <= MOST_ENTRIES);
    return l->n_entries++;
}

void ct_bound_cache_add(ct_bound_cache *cache, const ct_path *path, unsigned depth,
                        int64_t max_cost, int64_t lower)
{
    CT_ASSERT(path->n > 0 && lower <= max_cost);
    if (lower <= 0) return;
    uint32_t hash = hash_of(path, depth);
    part *p = &cache->parts[hash / BUCKETS % PARTS];
    list **bucket = &p->buckets[hash % BUCKETS];
    ct_lock_take(&p->lock);
    list *l = find_list(*bucket, path, depth);
    if (!l) l = add_list(p, bucket, path, depth);
    uint32_t place = l ? place_for_entry(p, l) : MOST_ENTRIES;
    if (place < MOST_ENTRIES) {
        l->entries[place] = (entry){max_cost, lower};
        memcpy(l->thresholds + (size_t) place * path->n, path->threshold,
               path->n * sizeof *path->threshold);
    }
    ct_lock_leave(&p->lock);
}
