#include "forest/permute.h"

#include <math.h>

#include "forest/paths.h"
#include "forest/walk.h"

/* A row's columns that its path asks about are few: only below the first question about a column
 * can exchanging it change anything, and the walk starts anew there. */

double ct_permute_unit(const ct_grower *g)
{
    double most = g->unit * 8388608.0; /* the largest deviation from the centre */
    return g->n_classes ? 1 : ldexp(most * most, -20);
}

/* How bad it is to predict the leaf for the row. */
static int64_t loss_of(const ct_desk *desk, const ct_hist_tree *tree, uint32_t node, uint32_t row,
                       double unit)
{
    const ct_hist_node *leaf = &tree->nodes[node];
    const ct_hist_data *data = desk->grower->data;
    if (data->n_classes)
        return ct_hist_label(tree, data->n_classes, leaf) != (uint32_t) data->classes[row];
    double off = tree->means[leaf->next] - data->numbers[row];
    return llround(off * off / unit);
}

static uint16_t code_at(const ct_codes *codes, uint32_t row, uint32_t col)
{
    if (codes->by_row) return codes->by_row[row * codes->stride + col];
    return codes->codes[(size_t) col * codes->n_rows + row];
}

/* The leaf of `row` with column `col` from another row, from a node on. */
static uint32_t leaf_with(const ct_codes *codes, const ct_hist_tree *tree, uint32_t node,
                          uint32_t row, uint32_t col, uint32_t other)
{
    while (tree->nodes[node].feature != CT_HIST_LEAF) {
        uint32_t feature = tree->nodes[node].feature;
        node = ct_hist_next(&tree->nodes[node],
                            code_at(codes, feature == col ? other : row, feature));
    }
    return node;
}

/* asked[col]: the last row, from 1, whose path asked about the column. */
static void permute_row(const ct_desk *desk, const ct_hist_tree *tree, uint32_t i, uint32_t other,
                        uint32_t *asked, double unit, int64_t *harm)
{
    const ct_codes *codes = desk->grower->codes;
    uint32_t row = desk->out_row[i], leaf = desk->out_leaf[i], node = 0;
    int64_t loss = loss_of(desk, tree, leaf, row, unit);
    while (node != leaf) {
        uint32_t col = tree->nodes[node].feature;
        uint16_t own = code_at(codes, row, col);
        uint32_t next = ct_hist_next(&tree->nodes[node], own);
        if (asked[col] != i + 1) {
            asked[col] = i + 1;
            if (code_at(codes, other, col) != own) {
                uint32_t now = leaf_with(codes, tree, node, row, col, other);
                if (now != leaf) harm[col] += loss_of(desk, tree, now, row, unit) - loss;
            }
        }
        node = next;
    }
}

int ct_permute(ct_desk *desk, const ct_hist_tree *tree, int64_t *harm)
{
    uint32_t n = desk->n_settled, *shuffled = desk->spare_out, *asked = desk->places;
    double unit = ct_permute_unit(desk->grower);
    ct_rng rng = ct_rng_of(desk->grower->options->seed, tree->number, CT_PERMUTATION_PATH);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t place = ct_rng_below(&rng, i + 1);
        shuffled[i] = shuffled[place];
        shuffled[place] = i;
    }
    for (uint32_t col = 0; col < desk->grower->n_cols; col++) asked[col] = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (i % 1024 == 0 && ct_halt_now(desk->stop, desk->number)) return 0;
        permute_row(desk, tree, i, desk->out_row[shuffled[i]], asked, unit, harm);
    }
    return 1;
}
