#include "exact/search/quadrants.h"

#include <string.h>

#include "base/threads.h"

ct_quadrants *ct_quadrants_new(ct_arena *arena, uint32_t n_tests)
{
    size_t n = 2 * (size_t) n_tests;
    ct_quadrants *quadrants = CT_ARENA_NEW(arena, ct_quadrants, 1);
    int64_t *sides = CT_ARENA_ZEROED(arena, int64_t, n),
            *bounds = CT_ARENA_NEW(arena, int64_t, n * n);
    uint8_t *solved = CT_ARENA_ZEROED(arena, uint8_t, n);
    if (!quadrants || !sides || !bounds || !solved) return NULL;
    *quadrants = (ct_quadrants){n, sides, bounds, solved};
    return quadrants;
}

void ct_quadrants_ask(const ct_quadrants *quadrants, ct_team *team, size_t side, int64_t *sides)
{
    ct_team_lock(team);
    for (size_t other = 0; other < quadrants->n; other++)
        sides[other] = quadrants->solved[other] ? quadrants->bounds[other * quadrants->n + side]
                                                : 0;
    ct_team_unlock(team);
}

void ct_quadrants_tell(ct_quadrants *quadrants, ct_team *team, size_t side, const int64_t *sides)
{
    ct_team_lock(team);
    memcpy(quadrants->bounds + side * quadrants->n, sides, quadrants->n * sizeof *sides);
    for (size_t other = 0; other < quadrants->n; other++)
        ct_atomic_write(&quadrants->sides[other],
                        ct_larger_cost(quadrants->sides[other], sides[other]));
    quadrants->solved[side] = 1;
    ct_team_unlock(team);
}
