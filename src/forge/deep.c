#include "forge/deep.h"

#include "base/status.h"

enum { AT_ONCE = 8 };

/* Nodes of the search tree that values reach; NaN passes all to the right. */
static void descend(const double *pivots, unsigned bits, const double *x, uint32_t *place)
{
    for (unsigned k = 0; k < AT_ONCE; k++) place[k] = 1;
    for (unsigned level = 0; level < bits; level++)
        for (unsigned k = 0; k < AT_ONCE; k++)
            place[k] = 2 * place[k] + !(x[k] <= pivots[place[k]]);
}

void ct_forge_deep_codes(const double *x, const ct_forge_ranked_column *column, int narrow,
                         unsigned rows, uint16_t *codes)
{
    int nan_left = column->kind == CT_FORGE_NAN_LEFT || column->kind == CT_FORGE_ZERO_LEFT;
    uint16_t missing = nan_left ? 0 : UINT16_MAX;
    for (unsigned row = 0; row < rows; row += AT_ONCE) {
        double value[AT_ONCE];
        uint32_t place[AT_ONCE];
        for (unsigned k = 0; k < AT_ONCE; k++)
            value[k] = narrow ? (double) (float) x[row + k] : x[row + k];
        descend(column->pivots, column->bits, value, place);
        for (unsigned k = 0; k < AT_ONCE; k++) {
            uint32_t code = place[k] - (1u << column->bits) + 1;
            codes[row + k] = value[k] != value[k] ? missing : (uint16_t) code;
        }
    }
}

void ct_forge_deep_walk(const ct_forge_plane_tree *tree, const uint16_t *codes,
                        const uint8_t *exits, uint32_t n, ct_forge_walk_lists *lists)
{
    uint32_t *open = lists->open[0], *ends = lists->ends, n_open = 0, n_ends = 0;
    for (uint32_t row = 0; row < n; row++) {
        uint32_t entry = tree->entry[exits[row]], leaf = entry & 1;
        open[n_open] = ends[n_ends] = (entry ^ leaf) | row;
        n_open += !leaf;
        n_ends += leaf;
    }
    while (n_open) {
        uint32_t left = 0;
        for (uint32_t i = 0; i < n_open; i++) {
            uint64_t node = tree->nodes[open[i] / CT_FORGE_BLOCK];
            uint32_t row = open[i] % CT_FORGE_BLOCK, next = (uint32_t) (node >> 32);
            uint32_t right = codes[(node & 0xffff) * CT_FORGE_BLOCK + row] > (node >> 16 & 0xffff);
            uint32_t leaf = next >> right & 1;
            open[left] = ends[n_ends] = (next / CT_FORGE_BLOCK + right) * CT_FORGE_BLOCK | row;
            left += !leaf;
            n_ends += leaf;
        }
        n_open = left;
    }
    CT_ASSERT(n_ends == n);
}
