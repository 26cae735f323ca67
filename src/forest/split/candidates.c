/* The columns of a node drawn at random, their codes read, and the score of a cut in plain C. */
#include "base/optimised.h"
#include "base/unguarded.h"

#include "forest/split/search.h"

#include <string.h>

#include "base/bits.h"
#include "forest/sample/sample.h"
#include "forest/scan/lanes.h"
#include "forest/sample/paths.h"

/* ---- columns drawn ---- */

void ct_forest_begin_columns(ct_split_memory *memory, const ct_grower *grower)
{
    CT_ASSERT(memory->n_cols == grower->n_cols && grower->data->n_always <= memory->n_cols);
    const ct_hist_data *data = grower->data;
    memory->n_always = data->n_always;
    memory->upto = grower->column_upto;
    for (uint32_t col = 0; col < memory->n_cols; col++) memory->columns[col] = col;
    for (uint32_t i = 0; i < data->n_always; i++) {
        uint32_t at = i;
        while (memory->columns[at] != data->always[i]) at++;
        memory->columns[at] = memory->columns[i];
        memory->columns[i] = data->always[i];
    }
}

static int is_drawn(const ct_split_memory *memory, uint32_t n_drawn, uint32_t column)
{
    for (uint32_t i = 0; i < n_drawn; i++)
        if (memory->columns[i] == column) return 1;
    return 0;
}

static uint32_t weight_of(const ct_split_memory *memory, uint32_t column)
{
    return memory->upto[column] - (column ? memory->upto[column - 1] : 0);
}

/* By weight among those not drawn: some tries of all, since that is mostly enough; else their
 * weights are summed up. */
static uint32_t draw_by_weight(const ct_split_memory *memory, ct_rng *rng, uint32_t n_drawn)
{
    enum { TRIES = 8 };
    const uint32_t n = memory->n_cols;
    uint32_t rest = memory->upto[n - 1], column;
    for (unsigned i = 0; i < TRIES; i++) {
        column = ct_sample_row(memory->upto, n, ct_rng_below(rng, memory->upto[n - 1]));
        if (!is_drawn(memory, n_drawn, column)) return column;
    }
    for (uint32_t i = 0; i < n_drawn; i++) rest -= weight_of(memory, memory->columns[i]);
    uint32_t draw = ct_rng_below(rng, rest);
    for (column = 0;; column++) {
        const uint32_t own = is_drawn(memory, n_drawn, column) ? 0 : weight_of(memory, column);
        CT_ASSERT(column < n);
        if (draw < own) return column;
        draw -= own;
    }
}

uint32_t ct_forest_draw_next(ct_split_memory *memory, ct_rng *rng, uint32_t n_drawn)
{
    CT_ASSERT(n_drawn < memory->n_cols);
    uint32_t *columns = memory->columns, rest = memory->n_cols - n_drawn;
    if (n_drawn < memory->n_always) return columns[memory->places[n_drawn] = n_drawn];
    if (memory->upto) return columns[n_drawn] = draw_by_weight(memory, rng, n_drawn);
    uint32_t place = n_drawn + ct_rng_below(rng, rest), column = columns[place];
    columns[place] = columns[n_drawn];
    columns[n_drawn] = column;
    memory->places[n_drawn] = place;
    return column;
}

void ct_forest_put_back(ct_split_memory *memory, uint32_t n_drawn)
{
    CT_ASSERT(n_drawn <= memory->n_cols);
    uint32_t *columns = memory->columns;
    while (n_drawn > 0 && !memory->upto) {
        uint32_t i = --n_drawn, column = columns[i];
        columns[i] = columns[memory->places[i]];
        columns[memory->places[i]] = column;
    }
}

ct_rng ct_forest_pool_rng(const ct_grower *grower, uint32_t tree, uint32_t depth)
{
    return ct_rng_of(grower->options->seed, tree, ct_rng_path(CT_POOL_PATH, depth));
}

uint32_t ct_forest_draw_column(ct_hist_search *s)
{
    CT_ASSERT(s->n_drawn < s->memory->n_cols);
    return ct_forest_draw_next(s->memory, &s->rng, s->n_drawn++);
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

void ct_forest_read_codes(const ct_hist_search *s, const uint32_t *columns, unsigned lanes,
                          uint16_t flip)
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

double ct_forest_plain_score(const ct_hist_search *s, const uint32_t *left, uint32_t size)
{
    const ct_criterion *criterion = s->grower->criterion;
    const uint32_t n_runs = s->task->n_runs, weight = s->task->weight;
    uint32_t few[CT_HIST_CLASSES], *right = n_runs > CT_HIST_CLASSES ? s->memory->others : few;
    const ct_side_score side = criterion->side ? criterion->side : ct_forest_squares_side;
    CT_ASSERT(size && size < weight);
    for (uint32_t k = 0; k < n_runs; k++) right[k] = s->runs[k].weight - left[k];
    const double *logs = s->grower->logs;
    return side(logs, left, n_runs, size) + side(logs, right, n_runs, weight - size) +
           weight * s->grower->lift;
}
