/* The columns of a node drawn at random, their codes read, and the score of a cut in plain C. */
#include "base/optimised.h"
#include "base/unguarded.h"

#include "forest/split/search.h"

#include <string.h>

#include "base/bits.h"
#include "forest/scan/lanes.h"
#include "forest/sample/paths.h"

/* ---- columns drawn ---- */

uint32_t ct_draw_next(ct_split_memory *memory, ct_rng *rng, uint32_t n_drawn)
{
    CT_ASSERT(n_drawn < memory->n_cols);
    uint32_t *columns = memory->columns, rest = memory->n_cols - n_drawn;
    uint32_t place = n_drawn + ct_rng_below(rng, rest), column = columns[place];
    columns[place] = columns[n_drawn];
    columns[n_drawn] = column;
    memory->places[n_drawn] = place;
    return column;
}

void ct_put_back(ct_split_memory *memory, uint32_t n_drawn)
{
    uint32_t *columns = memory->columns;
    while (n_drawn > 0) {
        uint32_t i = --n_drawn, column = columns[i];
        columns[i] = columns[memory->places[i]];
        columns[memory->places[i]] = column;
    }
}

ct_rng ct_pool_rng(const ct_grower *grower, uint32_t tree, uint32_t depth)
{
    return ct_rng_of(grower->options->seed, tree, ct_rng_path(CT_POOL_PATH, depth));
}

uint32_t ct_draw_column(ct_hist_search *s)
{
    return ct_draw_next(s->memory, &s->rng, s->n_drawn++);
}

/* ---- their codes ---- */

/* Four codes are stored as one word: what reads them by vectors waits until all are stored. */
#define LANE_COLUMN(lane)                                                             \
    const uint16_t *from##lane = view->codes + columns[lane] * view->code_stride;     \
    uint16_t *to##lane = to + (lane) * (CT_MEDIUM_ROWS + CT_MEDIUM_PAD);
#define LANE_READ_FOUR(lane)                                                          \
    {                                                                                 \
        const uint64_t four = ct_word_of_four(from##lane[at[0]], from##lane[at[1]],   \
                                              from##lane[at[2]], from##lane[at[3]]) ^ \
                              sides;                                                  \
        memcpy(to##lane + i, &four, sizeof four);                                     \
    }
#define LANE_READ(lane) to##lane[i] = from##lane[at] ^ flip;
#define READ(LANES, PLACE)                                                            \
    {                                                                                 \
        LANES(LANE_COLUMN)                                                            \
        for (uint32_t i = 0; n < 4 && i < n; i++) {                                   \
            const size_t at = PLACE(i);                                               \
            LANES(LANE_READ)                                                          \
        }                                                                             \
        for (uint32_t next = 0; next < n && n >= 4; next += 4) {                      \
            const uint32_t i = next + 4 <= n ? next : n - 4;                          \
            const size_t at[4] = {PLACE(i), PLACE(i + 1), PLACE(i + 2), PLACE(i + 3)}; \
            LANES(LANE_READ_FOUR)                                                     \
        }                                                                             \
    }
#define ROW(i) items[i].row
#define CODE_ROW(i) code_rows[items[i].row]

void ct_read_codes(const ct_hist_search *s, const uint32_t *columns, unsigned lanes, uint16_t flip)
{
    const ct_view *view = s->view;
    const ct_item *items = s->items;
    const uint32_t n = s->task->n, *code_rows = view->code_rows;
    const uint64_t sides = ct_word_of_four(flip, flip, flip, flip);
    uint16_t *to = ct_medium_codes(s, 0);
    CT_ASSERT(lanes && lanes <= CT_LANES && n <= CT_MEDIUM_ROWS);
    if (code_rows) CT_FOR_LANES(lanes, READ, CODE_ROW)
    else CT_FOR_LANES(lanes, READ, ROW)
}

/* ---- scores in plain C ---- */

double ct_plain_score(const ct_hist_search *s, const uint32_t *left, uint32_t size)
{
    const ct_criterion *criterion = s->grower->criterion;
    const uint32_t n_runs = s->task->n_runs, weight = s->task->weight;
    uint32_t right[CT_HIST_CLASSES];
    CT_ASSERT(criterion->side && size <= weight);
    for (uint32_t k = 0; k < n_runs; k++) right[k] = s->runs[k].weight - left[k];
    return criterion->side(left, n_runs, size) + criterion->side(right, n_runs, weight - size) +
           weight * criterion->lift;
}
