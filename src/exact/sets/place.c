#include "exact/sets/place.h"

#include <string.h>

#include "exact/rows/ranks.h"
#include "exact/rows/tests.h"

/* Row sets with a smaller share of the rows of their layout are laid out anew. */
static const double COMPACT_BELOW = 0.5;

/* Two words that rows have at random: splitmix64 (Steele, Lea, Flood, 2014). */
static uint64_t mixed(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static ct_rows_key key_of_all(const ct_rows_key *words, uint32_t n_rows)
{
    ct_rows_key key = {{0, 0}};
    for (uint32_t row = 0; row < n_rows; row++) key = ct_rows_key_sum(key, words[row]);
    return key;
}

static ct_status node_of(ct_worker *worker, ct_layout *layout, ct_place *place)
{
    ct_node *node = CT_ARENA_NEW(&worker->arena, ct_node, 1);
    if (!layout || !node) return ct_worker_no_memory(worker);
    place->node = node;
    const ct_exact_search *search = worker->search;
    /* lists made by counts are of classes, and know no least size of a leaf */
    if (!search->costs->response && search->min_split <= 2) CT_TRY(ct_tests_make(worker, layout));
    CT_TRY(ct_node_whole(worker, &worker->arena, layout, node));
    node->sized = ct_search_is_sized(worker);
    return CT_OK;
}

ct_status ct_place_table(ct_worker *worker, ct_place *place)
{
    CT_ASSERT(worker->search->table && worker->search->table->n_rows > 0);
    const ct_table *table = worker->search->table;
    ct_rows_key *words = CT_ARENA_NEW(&worker->arena, ct_rows_key, table->n_rows);
    if (!words) return ct_worker_no_memory(worker);
    for (uint32_t row = 0; row < table->n_rows; row++)
        words[row] = (ct_rows_key){{mixed(2 * (uint64_t) row), mixed(2 * (uint64_t) row + 1)}};
    memset(place, 0, sizeof *place);
    place->words = words;
    place->key = key_of_all(words, table->n_rows);
    place->is_table = 1;
    return node_of(worker, ct_layout_whole(worker, table, 0), place);
}

static uint64_t members_in(const ct_node *node, uint32_t f, size_t w)
{
    CT_ASSERT(w < node->layout->words);
    const uint64_t *sets = ct_node_sets(node, f);
    uint64_t members = 0;
    for (uint32_t c = 0; c < node->layout->n_classes; c++)
        members |= sets[c * node->layout->words + w];
    return members;
}

/* The rows of a node as they are numbered in a layout of their own: in the order of the first
 * feature. */
static void number_rows(const ct_place *place, uint32_t *rows)
{
    const ct_node *node = place->node;
    uint32_t n = 0;
    for (size_t w = node->rows.begin[0]; w < node->rows.end[0]; w++)
        for (uint64_t rest = members_in(node, 0, w); rest; rest &= rest - 1)
            rows[n++] = ct_place_row(place, 0, w * 64 + ct_trailing_zeros(rest));
    CT_ASSERT(n == node->n_rows);
}

static ct_status lay_out(ct_worker *worker, ct_place *place)
{
    const ct_node *node = place->node;
    uint32_t *rows = CT_ARENA_NEW(&worker->arena, uint32_t, node->n_rows);
    if (!rows) return ct_worker_no_memory(worker);
    number_rows(place, rows);
    place->rows = rows;
    return node_of(worker,
                   ct_layout_part(worker, node->layout, node->rows.sets, NULL, node->rows.begin,
                                  node->rows.end, node->n_rows, 0),
                   place);
}

ct_status ct_place_side(ct_worker *worker, const ct_place *place, uint32_t f, uint32_t t, int side,
                        uint32_t level, int to_count, ct_place *child)
{
    CT_ASSERT(side == 0 || side == 1);
    const ct_node *parent = place->node;
    ct_node *node = CT_ARENA_NEW(&worker->arena, ct_node, 1);
    ct_totals totals[2];
    if (!node) return ct_worker_no_memory(worker);
    for (int i = 0; i < 2; i++)
        if (ct_totals_new(&totals[i], worker->search->costs, &worker->arena) != CT_OK)
            return ct_worker_no_memory(worker);
    ct_node_counts(worker, parent, f, t, &totals[0]);
    ct_totals_rest(&totals[1], &parent->totals, &totals[0], parent->layout->n_classes);
    CT_TRY((to_count ? ct_tests_side : ct_node_side)(worker, &worker->arena, parent, f, t, side,
                                                     &totals[side], node));
    uint32_t global = ct_layout_to_global(parent->layout, f, t);
    *child = *place;
    child->node = node;
    child->path = ct_path_extend(&place->path, f, side, global);
    child->is_table = 0;
    if (level < 2 || to_count) return CT_OK;
    int small = node->n_rows < COMPACT_BELOW * parent->layout->n_rows;
    return small || ct_search_is_sized(worker) ? lay_out(worker, child) : CT_OK;
}

uint32_t ct_place_around(const ct_worker *worker, const ct_place *place, uint32_t f, uint32_t t,
                         uint32_t around[2])
{
    const ct_node *node = place->node;
    size_t start = ct_layout_start(worker, node->layout, f, t);
    uint32_t n_left = 0;
    for (size_t w = node->rows.begin[f]; w < node->rows.end[f]; w++) {
        uint64_t members = members_in(node, f, w), left = members;
        if (w == start / 64) left &= ct_low_bits(start % 64);
        else if (w > start / 64) left = 0;
        n_left += ct_popcount(left);
        if (left) around[0] = ct_place_row(place, f, w * 64 + ct_bit_width(left) - 1);
        if (members == left) continue;
        around[1] = ct_place_row(place, f, w * 64 + ct_trailing_zeros(members & ~left));
        return n_left;
    }
    return n_left;
}
