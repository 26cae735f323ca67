/* libFuzzer: ct_forest_check and ct_route with any tree. It is refused with a message, or every row
 * goes where a walk from the definition leads. */
#include "data/data.h"
#include "tree/forest.h"
#include "tree/route.h"
#include "fuzz_api.h"

enum { MOST_ROWS = 8, MOST_COLS = 4, MOST_NODES = 15, MOST_LEVELS = 3 };

typedef struct {
    uint32_t roots[1], left[MOST_NODES], right[MOST_NODES], n_levels[MOST_NODES];
    int32_t feature[MOST_NODES], values[MOST_NODES];
    double threshold[MOST_NODES];
    uint8_t default_left[MOST_NODES], sides[MOST_NODES][MOST_LEVELS + 1], *levels_left[MOST_NODES];
    ct_forest tree;
} any_tree;

static uint32_t draw_child(fuzz_bytes *b, uint32_t sound)
{
    if (fuzz_rarely(b, 30)) return fuzz_u32(b);
    return fuzz_rarely(b, 20) ? fuzz_below(b, MOST_NODES + 1) : sound;
}

static void draw_tree(fuzz_bytes *b, any_tree *t, uint32_t n_cols)
{
    int levels = fuzz_rarely(b, 3);
    memset(t, 0, sizeof *t);
    t->tree.n_trees = 1;
    t->tree.n_nodes = t->tree.room = 1 + fuzz_below(b, MOST_NODES);
    t->tree.roots = t->roots;
    t->tree.feature = t->feature;
    t->tree.threshold = t->threshold;
    t->tree.left = t->left;
    t->tree.right = t->right;
    t->tree.default_left = t->default_left;
    t->tree.n_levels = levels ? t->n_levels : NULL;
    t->tree.levels_left = levels ? t->levels_left : NULL;
    if (fuzz_rarely(b, 40)) t->roots[0] = fuzz_u32(b);
    for (uint32_t i = 0; i < t->tree.n_nodes; i++) {
        int inner = 2 * i + 2 < t->tree.n_nodes;
        t->values[i] = (int32_t) i;
        t->feature[i] = fuzz_rarely(b, 60) ? (int32_t) fuzz_u32(b)
                        : inner            ? (int32_t) fuzz_below(b, n_cols + 1) - 1
                                           : -1;
        t->threshold[i] = fuzz_double(b);
        t->left[i] = draw_child(b, inner ? 2 * i + 1 : 0);
        t->right[i] = draw_child(b, inner ? 2 * i + 2 : 0);
        t->default_left[i] = (uint8_t) fuzz_below(b, 3);
        t->n_levels[i] = fuzz_below(b, MOST_LEVELS + 1);
        t->levels_left[i] = t->sides[i];
        for (int k = 0; k <= MOST_LEVELS; k++) t->sides[i][k] = (uint8_t) fuzz_below(b, 2);
    }
}

static int goes_left(const any_tree *t, uint32_t node, const ct_column *column, uint32_t row)
{
    double x = ct_column_value(column, row);
    if (isnan(x) || (column->type == CT_INT32 && x == INT32_MIN)) return t->default_left[node] != 0;
    uint32_t n = t->tree.n_levels ? t->n_levels[node] : 0;
    if (!n) return x < t->threshold[node];
    return t->sides[node][x >= 1 && x <= n ? (uint32_t) x - 1 : n];
}

static void check_rows(const any_tree *t, const ct_column *columns, uint32_t n_rows,
                       const int32_t *got)
{
    for (uint32_t row = 0; row < n_rows; row++) {
        uint32_t node = t->roots[0];
        while (t->feature[node] >= 0)
            node = goes_left(t, node, &columns[t->feature[node]], row) ? t->left[node]
                                                                       : t->right[node];
        FUZZ_REQUIRE(got[row] == t->values[node]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_bytes b = {bytes, bytes + size};
    any_tree t;
    double values[MOST_COLS][MOST_ROWS];
    int32_t integers[MOST_COLS][MOST_ROWS], got[MOST_ROWS];
    ct_column columns[MOST_COLS];
    ct_error error = {CT_OK, ""};
    uint32_t n_cols = fuzz_below(&b, MOST_COLS + 1), n_rows = fuzz_below(&b, MOST_ROWS + 1),
             threads = fuzz_below(&b, 3);
    draw_tree(&b, &t, n_cols);
    for (uint32_t col = 0; col < n_cols; col++) {
        int codes = fuzz_rarely(&b, 2);
        for (uint32_t i = 0; i < n_rows; i++) {
            if (codes)
                integers[col][i] = fuzz_rarely(&b, 4) ? (int32_t) fuzz_u32(&b)
                                                      : (int32_t) fuzz_below(&b, 5) - 1;
            else values[col][i] = fuzz_double(&b);
        }
        if (codes) columns[col] = (ct_column){integers[col], CT_INT32};
        else columns[col] = (ct_column){values[col], CT_DOUBLE};
    }
    ct_status status = ct_forest_check(&t.tree, n_cols, &error);
    if (status == CT_OK)
        status = ct_route(&t.tree, 0, columns, n_cols, n_rows, t.values, threads, got, &error);
    if (status == CT_OK) check_rows(&t, columns, n_rows, got);
    else FUZZ_REQUIRE(status == CT_BAD_INPUT && error.status == status && error.message[0]);
    return 0;
}
