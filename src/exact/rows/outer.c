#include "exact/rows/outer.h"

#include "base/bits.h"
#include "exact/rows/planes.h"

/* Outer sets with more rows besides than this share of the side's own cost more than they spare.
 * Measured, see bench/notes/exact.md. */
static const double MOST = 2;

/* The rows of a node in word w of f's order. */
static uint64_t members_in(const ct_node *node, uint32_t f, size_t w)
{
    uint64_t members = 0;
    const uint64_t *sets = ct_node_sets(node, f);
    if (w < node->rows.begin[f] || w >= node->rows.end[f]) return 0;
    for (uint32_t c = 0; c < node->layout->n_classes; c++)
        members |= sets[c * node->layout->words + w];
    return members;
}

static uint64_t outer_in(const ct_node *node, uint32_t f, size_t w)
{
    return node->rows.outer ? node->rows.outer[f * node->layout->words + w] : 0;
}

/* Ranks below a threshold, see ct_threshold: word w of planes[plane][words]. */
static uint64_t below(const uint64_t *planes, size_t words, const ct_threshold *threshold, size_t w)
{
    uint64_t less = planes[threshold->first * words + w];
    for (unsigned i = threshold->first + 1; i < threshold->end; i++) {
        uint64_t plane = planes[i * words + w], selector = threshold->selector[i];
        less = (less & plane) | (selector & (less | plane));
    }
    return less;
}

ct_status ct_outer_side(ct_worker *worker, ct_arena *arena, const ct_node *parent, uint32_t f,
                        uint32_t around, int side, const ct_node *node, ct_outer *outer)
{
    ct_layout *layout = parent->layout;
    size_t words = layout->words;
    *outer = (ct_outer){NULL, 0, 0};
    if (layout->planes.one_at_a_time) return CT_OK; /* those of `around` are not at hand */
    ct_threshold threshold = ct_threshold_make(around ? around : 1, layout->n_planes[f]);
    const uint64_t *planes = around ? ct_planes_of(worker, layout, f, &threshold, NULL) : NULL;
    outer->rows = CT_ARENA_NEW(arena, uint64_t, layout->n_cols * words);
    if (!outer->rows) return ct_worker_no_memory(worker);
    for (uint32_t g = 0; g < layout->n_cols; g++) {
        uint32_t n_rows = 0;
        for (size_t w = 0; w < words; w++) {
            uint64_t rows = members_in(parent, g, w) | outer_in(parent, g, w);
            if (planes) {
                const uint64_t *of_g = planes + (size_t) g * threshold.end * words;
                uint64_t less = below(of_g, words, &threshold, w);
                rows &= side ? ~less : less;
            }
            rows &= ~members_in(node, g, w);
            outer->rows[g * words + w] = rows;
            n_rows += ct_popcount(rows);
        }
        CT_ASSERT(!g || n_rows == outer->n_rows);
        outer->n_rows = n_rows;
        if (n_rows > MOST * node->n_rows) return CT_OK;
    }
    CT_ASSERT(around || node->n_rows + outer->n_rows == parent->n_rows + parent->n_outer);
    outer->sized = 1;
    if (!outer->n_rows) outer->rows = NULL;
    return CT_OK;
}

/* How many rows of the node there are up to the least-th row of its outer set in the order of f, or
 * in that order backwards; *all: how many of the outer set are there, fewer if it has not as many.
 */
static uint32_t rows_upto(const ct_node *node, uint32_t f, uint32_t least, int backwards,
                          uint32_t *all)
{
    size_t words = node->layout->words;
    uint32_t own = 0;
    *all = 0;
    for (size_t i = 0; i < words && *all < least; i++) {
        size_t w = backwards ? words - 1 - i : i;
        uint64_t members = members_in(node, f, w), rows = members | outer_in(node, f, w);
        unsigned n = ct_popcount(rows);
        if (*all + n < least) {
            *all += n;
            own += ct_popcount(members);
            continue;
        }
        for (unsigned j = 0; *all < least; j++) {
            unsigned bit = backwards ? 63 - j : j;
            *all += (uint32_t) (rows >> bit & 1);
            own += (uint32_t) (members >> bit & 1);
        }
    }
    return own;
}

void ct_outer_limits(const ct_node *node, uint32_t f, uint32_t least, uint32_t limits[2])
{
    uint32_t left, right;
    CT_ASSERT(node->sized && least > 0);
    limits[0] = rows_upto(node, f, least, 0, &left);
    limits[1] = node->n_rows - rows_upto(node, f, least, 1, &right);
    if (left < least) limits[0] = limits[1] + 1;
}
