/* What a node of depth four remembers of its sides and quadrants where columns have few values: the
 * rows on one side of a test, and those that are on a side of another one, too. A quadrant is a
 * side of either test behind the other, where a solve by counts bounds its trees of depth two; what
 * one solve finds out of it, the later one begins with. It also bounds both of its sides. */
#ifndef CT_EXACT_SEARCH_QUADRANTS_H
#define CT_EXACT_SEARCH_QUADRANTS_H

#include "exact/bound/interval.h"
#include "exact/search/team.h"

/* Sides are numbered: 2 t the rows not in test t of the layout, 2 t + 1 those in it. */
typedef struct ct_quadrants {
    size_t n;        /* sides */
    int64_t *sides;  /* [side] atomic: what trees of depth two cost there at least */
    int64_t *bounds; /* [side][side] the same of the rows that are on both, */
    uint8_t *solved; /* [side] if the first has been solved */
} ct_quadrants;

/* Quadrants of which nothing is known yet; NULL if memory ends. */
ct_quadrants *ct_quadrants_new(ct_arena *arena, uint32_t n_tests);

/* Before a side is solved what is known of its sides, and after it what is now; the team may be
 * NULL. */
void ct_quadrants_ask(const ct_quadrants *quadrants, ct_team *team, size_t side, int64_t *sides);
void ct_quadrants_tell(ct_quadrants *quadrants, ct_team *team, size_t side, const int64_t *sides);

#endif
