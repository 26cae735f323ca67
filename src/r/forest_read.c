/* .Call entries of histogram forests as R has them (see r/forest.c): predictions, a tree spelled
 * out. Nothing of a list is believed. */
#include "base/compact.h"

#include <string.h>

#include "forest/hist_forest.h"
#include "forest/offload/walk.h"
#include "forest/walk/concordance.h"
#include "forest/walk/curves.h"
#include "forest/walk/members.h"
#include "r/callbacks.h"
#include "r/forest.h"

/* ---- a forest from R ---- */

/* n -1: of any length. */
static const int *integers_of(SEXP list, const char *name, R_xlen_t n)
{
    SEXP value = r_element(list, name);
    if (TYPEOF(value) != INTSXP || (n >= 0 && Rf_xlength(value) != n))
        Rf_error("the forest's '%s' is not valid", name);
    return INTEGER_RO(value);
}

/* Whether the tree has a whole list in a place, of classes that there are. */
static int list_is_valid(const ct_hist_forest *forest, const ct_hist_tree *tree, uint32_t place)
{
    if (place >= tree->n_leaves || !tree->counts[place]) return 0;
    const uint32_t *list = tree->counts + place;
    if (list[0] > (tree->n_leaves - place - 1) / 2) return 0;
    for (uint32_t i = 0; i < list[0]; i++)
        if (list[1 + 2 * i] >= forest->n_classes || !list[2 + 2 * i]) return 0;
    return 1;
}

static int leaf_is_valid(const ct_hist_forest *forest, const ct_hist_tree *tree, uint32_t next)
{
    if (!forest->n_classes) return next < tree->n_leaves;
    if ((next & CT_HIST_MIXED) && ct_hist_is_many(forest->n_classes))
        return list_is_valid(forest, tree, next & ~CT_HIST_MIXED);
    if (next & CT_HIST_MIXED) return (next & ~CT_HIST_MIXED) < tree->n_leaves;
    return !(next & CT_HIST_FLAG) &&
           ct_forest_pure_class(next, forest->n_classes) < forest->n_classes;
}

/* Whether every walk ends in a leaf that is there. */
static int node_is_valid(const ct_hist_forest *forest, const ct_hist_tree *tree, uint32_t i)
{
    const ct_hist_node *node = &tree->nodes[i];
    uint32_t left = node->next & CT_HIST_CHILD;
    if (node->feature == CT_HIST_LEAF) return leaf_is_valid(forest, tree, node->next);
    return node->feature < forest->n_cols && left > i && left < tree->n_nodes - 1;
}

/* Whether two integers of a list lie in memory as a node does. */
static int words_are_nodes(void)
{
    const uint32_t words[2] = {1, 2 | UINT32_C(3) << 16};
    ct_hist_node node;
    memcpy(&node, words, sizeof node);
    return sizeof node == sizeof words && node.next == 1 && node.feature == 2 && node.cut == 3;
}

/* The nodes of all trees, borrowed or in memory of the call. */
static ct_hist_node *nodes_from(const int *words, size_t n)
{
    if (words_are_nodes()) return (ct_hist_node *) (void *) words;
    ct_hist_node *nodes = (ct_hist_node *) R_alloc(n, sizeof *nodes);
    for (size_t k = 0; k < n; k++) {
        uint32_t split = (uint32_t) words[2 * k + 1];
        nodes[k] = (ct_hist_node){(uint32_t) words[2 * k], (uint16_t) split,
                                  (uint16_t) (split >> 16)};
    }
    return nodes;
}

static void check_tree(const ct_hist_forest *forest, uint32_t i)
{
    const ct_hist_tree *tree = &forest->trees[i];
    for (uint32_t k = 0; k < tree->n_nodes; k++)
        if (!node_is_valid(forest, tree, k))
            Rf_error("node %u of tree %u of the forest is not valid", k + 1, i + 1);
}

/* The forest of an R list, every node of it checked; memory of the call. */
static ct_hist_forest forest_of(SEXP list, uint32_t n_cols)
{
    ct_hist_forest forest;
    R_xlen_t n_trees = Rf_xlength(r_element(list, "number")), nodes = 0, leaves = 0;
    forest.n_classes = (uint32_t) Rf_asInteger(r_element(list, "n_classes"));
    forest.n_cols = n_cols;
    forest.n_trees = (uint32_t) n_trees;
    if (forest.n_classes > CT_HIST_MOST_CLASSES) Rf_error("the forest has too many classes");
    const int *number = integers_of(list, "number", n_trees),
              *n_nodes = integers_of(list, "n_nodes", n_trees);
    const int *n_leaves = integers_of(list, "n_leaves", n_trees),
              *depth = integers_of(list, "depth", n_trees);
    uint32_t width = ct_forest_leaf_width(forest.n_classes);
    forest.trees = (ct_hist_tree *) R_alloc((size_t) n_trees, sizeof *forest.trees);
    for (R_xlen_t i = 0; i < n_trees; i++) {
        if (n_nodes[i] < 1 || n_leaves[i] < 0) Rf_error("the forest's sizes are not valid");
        nodes += n_nodes[i];
        leaves += n_leaves[i];
    }
    const int *words = integers_of(list, "nodes", 2 * nodes),
              *counts = integers_of(list, "counts", leaves * width);
    ct_hist_node *all = nodes_from(words, (size_t) nodes);
    double *mean = forest.n_classes
                       ? NULL
                       : (double *) r_doubles(r_element(list, "means"), leaves, "means");
    for (R_xlen_t i = 0; i < n_trees; i++) {
        forest.trees[i] = (ct_hist_tree){(uint32_t) number[i],
                                         (uint32_t) n_nodes[i],
                                         (uint32_t) n_leaves[i],
                                         (uint32_t) depth[i],
                                         all,
                                         (uint32_t *) counts,
                                         mean, NULL, NULL};
        check_tree(&forest, (uint32_t) i);
        all += n_nodes[i];
        counts += (R_xlen_t) n_leaves[i] * width;
        if (mean) mean += n_leaves[i];
    }
    return forest;
}

/* The columns of a forest: edges are borrowed, the rest is memory of the call. */
static ct_hist_code_column *edges_from(SEXP list, uint32_t n_cols)
{
    SEXP edges = r_element(list, "edges");
    if (TYPEOF(edges) != VECSXP || (uint32_t) Rf_xlength(edges) != n_cols)
        Rf_error("the columns are not those of the forest");
    ct_hist_code_column *columns =
        (ct_hist_code_column *) R_alloc(n_cols ? n_cols : 1, sizeof *columns);
    memset(columns, 0, n_cols * sizeof *columns);
    for (uint32_t col = 0; col < n_cols; col++) {
        SEXP own = VECTOR_ELT(edges, col);
        if (TYPEOF(own) != REALSXP || Rf_xlength(own) > CT_HIST_CODES)
            Rf_error("the forest's 'edges' are not valid");
        columns[col].n_codes = (uint32_t) Rf_xlength(own);
        columns[col].edges = REAL(own);
    }
    return columns;
}

/* ---- devices ---- */

SEXP r_answer_of(SEXP answer, const ct_gpu_used *used)
{
    static const char *const names[] = {"answer", "device", "device_note"};
    PROTECT(answer);
    SEXP list = PROTECT(r_named_list(names, sizeof names / sizeof *names));
    SET_VECTOR_ELT(list, 0, answer);
    SET_VECTOR_ELT(list, 1, Rf_mkString(used->name));
    SET_VECTOR_ELT(list, 2, Rf_mkString(used->note));
    UNPROTECT(2);
    return list;
}

/* ---- prediction ---- */

/* Shares of the classes as R's matrix, from sums[row][class]. */
static SEXP shares_matrix(const int64_t *sums, uint32_t n_rows, uint32_t width, uint32_t n_trees)
{
    CT_ASSERT(sums && width > 0);
    SEXP out = Rf_allocMatrix(REALSXP, (int) n_rows, (int) width);
    for (size_t row = 0; row < n_rows; row++) {
        double all = 0; /* shares of mixed leaves are rounded down */
        for (uint32_t k = 0; k < width; k++) all += (double) sums[row * width + k];
        double *shares = REAL(out) + row;
        for (uint32_t k = 0; k < width; k++)
            shares[k * (size_t) n_rows] = n_trees ? (double) sums[row * width + k] / all : 0;
    }
    return out;
}

static SEXP votes_matrix(const uint32_t *votes, uint32_t n_rows, uint32_t width)
{
    CT_ASSERT(votes && width > 0);
    SEXP out = Rf_allocMatrix(INTSXP, (int) n_rows, (int) width);
    for (size_t row = 0; row < n_rows; row++)
        for (uint32_t k = 0; k < width; k++)
            INTEGER(out)[row + k * (size_t) n_rows] = (int) votes[row * width + k];
    return out;
}

static SEXP room_for(ct_hist_output what, uint32_t n_rows, const ct_hist_forest *forest, void **out)
{
    SEXP answer = R_NilValue;
    size_t width = forest->n_classes ? forest->n_classes : 1;
    CT_ASSERT(forest->n_classes || (what != CT_HIST_LABELS && what != CT_HIST_VOTES));
    if (what == CT_HIST_LABELS) {
        answer = Rf_allocVector(INTSXP, n_rows);
        *out = INTEGER(answer);
    } else if (what == CT_HIST_LEAVES) {
        answer = Rf_allocMatrix(INTSXP, (int) n_rows, (int) forest->n_trees);
        *out = INTEGER(answer);
    } else if (what == CT_HIST_TREES) {
        answer = Rf_allocMatrix(REALSXP, (int) n_rows, (int) forest->n_trees);
        *out = REAL(answer);
    } else if (!forest->n_classes) {
        answer = Rf_allocVector(REALSXP, n_rows);
        *out = REAL(answer);
    } else {
        *out = R_alloc((size_t) n_rows * width + 1, sizeof(int64_t));
    }
    return answer;
}

/* `what`: 0 shares (numbers: sums over the trees), 1 votes, 2 leaves, 3 what each tree says, 4 the
 * most probable classes. See r_answer_of(). */
SEXP ffi_hist_predict(SEXP list, SEXP columns, SEXP what_, SEXP threads, SEXP device_)
{
    r_columns x = r_columns_of(columns);
    ct_hist_output what = (ct_hist_output) ((unsigned) Rf_asInteger(what_) % 5);
    const unsigned n_threads = r_threads_of(threads);
    const ct_gpu_choice device = r_device(device_);
    ct_hist_forest forest = forest_of(list, x.n_cols);
    ct_hist_code_column *codes = edges_from(list, x.n_cols);
    if ((what == CT_HIST_VOTES || what == CT_HIST_LABELS) && !forest.n_classes)
        Rf_error("trees vote for classes alone");
    void *out = NULL;
    ct_error error;
    ct_gpu_used used;
    r_callbacks calls;
    SEXP answer = PROTECT(room_for(what, x.n_rows, &forest, &out));
    PROTECT(r_callbacks_init(&calls, R_NilValue));
    ct_halt stop = {r_callbacks_stop, &calls, 0, 0};
    ct_status status =
        ct_hist_predict_at(&device, &forest, codes, x.columns, x.n_rows, what,
                           n_threads, &stop, out, &used, &error);
    r_callbacks_end(&calls, status, &error);
    if (answer == R_NilValue)
        answer = what == CT_HIST_SHARES
                     ? shares_matrix((const int64_t *) out, x.n_rows, forest.n_classes,
                                     forest.n_trees)
                     : votes_matrix((const uint32_t *) out, x.n_rows, forest.n_classes);
    UNPROTECT(2);
    return r_answer_of(answer, &used);
}

/* ---- rows of leaves ---- */

/* Members of the trees' leaves, borrowed. */
static void members_from(SEXP list, ct_hist_forest *forest, uint32_t n_ranks)
{
    R_xlen_t leaves = 0, n = 0;
    for (uint32_t i = 0; i < forest->n_trees; i++) leaves += forest->trees[i].n_leaves;
    CT_ASSERT(!forest->n_classes);
    const uint32_t *ends = (const uint32_t *) integers_of(list, "row_ends", leaves);
    const uint32_t *members = (const uint32_t *) integers_of(list, "rows", -1);
    const R_xlen_t all = Rf_xlength(r_element(list, "rows"));
    for (uint32_t i = 0; i < forest->n_trees; i++) {
        ct_hist_tree *tree = &forest->trees[i];
        if (!tree->n_leaves) Rf_error("the forest's sizes are not valid");
        tree->members = (uint32_t *) members + n;
        tree->ends = (uint32_t *) ends;
        ends += tree->n_leaves;
        n += tree->ends[tree->n_leaves - 1];
        if (n > all) break;
    }
    if (n != all || !ct_forest_members_are_valid(forest, n_ranks))
        Rf_error("the forest's 'rows' are not valid");
}

/* `own`, the places of the rows in the order of the response, from 0, or NULL. */
static const uint32_t *own_ranks(SEXP own, uint32_t n_rows)
{
    return own == R_NilValue ? NULL : (const uint32_t *) r_integers(own, n_rows, "own");
}

/* What the rows that leaves have kept say. `asked`: n, how many rows the forest was grown from;
 * own; probabilities, increasing; weights, 0 or 1. A list of `quantiles`, a matrix of places in the
 * order of the response, from 1 (0: none), and `weights`, a matrix with a column a place; or NULL.
 */
SEXP ffi_hist_members(SEXP list, SEXP columns, SEXP asked, SEXP threads)
{
    static const char *const names[] = {"quantiles", "weights"};
    r_columns x = r_columns_of(columns);
    const unsigned n_threads = r_threads_of(threads);
    ct_hist_forest forest = forest_of(list, x.n_cols);
    ct_hist_code_column *codes = edges_from(list, x.n_cols);
    SEXP probabilities = r_element(asked, "probabilities");
    ct_forest_members_request request = {
        .forest = &forest, .n_rows = x.n_rows, .n_ranks = r_count(asked, "n")};
    request.own = own_ranks(r_element(asked, "own"), x.n_rows);
    request.n_probabilities = (uint32_t) Rf_xlength(probabilities);
    request.probabilities = r_doubles_if(probabilities, request.n_probabilities, "probabilities");
    if (forest.n_classes) Rf_error("the forest is one of classes");
    members_from(list, &forest, request.n_ranks);
    SEXP answer = PROTECT(r_named_list(names, sizeof names / sizeof *names));
    if (request.n_probabilities) {
        SET_VECTOR_ELT(answer, 0,
                       Rf_allocMatrix(INTSXP, (int) x.n_rows, (int) request.n_probabilities));
        request.quantiles = INTEGER(VECTOR_ELT(answer, 0));
    }
    if (r_number(asked, "weights") != 0) {
        SET_VECTOR_ELT(answer, 1, Rf_allocMatrix(REALSXP, (int) x.n_rows, (int) request.n_ranks));
        request.weights = REAL(VECTOR_ELT(answer, 1));
    }
    r_callbacks calls;
    ct_error error;
    PROTECT(r_callbacks_init(&calls, R_NilValue));
    ct_halt stop = {r_callbacks_stop, &calls, 0, 0};
    ct_status status = ct_forest_members_predict(&request, codes, x.columns, n_threads,
                                                 &stop, &error);
    r_callbacks_end(&calls, status, &error);
    UNPROTECT(2);
    return answer;
}

/* Integers below `below`, as many as `n` where that is not negative. */
static const uint32_t *counts_below(SEXP list, const char *name, R_xlen_t n, uint32_t below)
{
    const int *values = integers_of(list, name, n);
    for (R_xlen_t i = 0; i < Rf_xlength(r_element(list, name)); i++)
        if ((uint32_t) values[i] >= below) Rf_error("'%s' is not valid", name);
    return (const uint32_t *) values;
}

/* Cumulative hazards of a survival forest, a matrix with a column for each of n_columns. `asked`: n
 * and own as in ffi_hist_members(); survival, column_of and n_columns as in
 * ct_forest_curves_request. */
SEXP ffi_hist_curves(SEXP list, SEXP columns, SEXP asked, SEXP threads)
{
    r_columns x = r_columns_of(columns);
    const unsigned n_threads = r_threads_of(threads);
    ct_hist_forest forest = forest_of(list, x.n_cols);
    ct_hist_code_column *codes = edges_from(list, x.n_cols);
    ct_forest_curves_request request;
    const R_xlen_t n_times = Rf_xlength(r_element(asked, "column_of"));
    if (forest.n_classes) Rf_error("the forest is one of classes");
    request.forest = &forest;
    request.n_rows = x.n_rows;
    request.n_ranks = r_count(asked, "n");
    request.own = own_ranks(r_element(asked, "own"), x.n_rows);
    request.survival = counts_below(asked, "survival", request.n_ranks, 2 * (uint32_t) n_times);
    request.n_columns = r_count(asked, "n_columns");
    request.column_of = counts_below(asked, "column_of", -1, request.n_columns + 1);
    members_from(list, &forest, request.n_ranks);
    SEXP answer = PROTECT(Rf_allocMatrix(REALSXP, (int) x.n_rows, (int) request.n_columns));
    request.hazards = REAL(answer);
    r_callbacks calls;
    ct_error error;
    PROTECT(r_callbacks_init(&calls, R_NilValue));
    ct_halt stop = {r_callbacks_stop, &calls, 0, 0};
    ct_status status = ct_forest_curves_predict(&request, codes, x.columns, n_threads,
                                                &stop, &error);
    r_callbacks_end(&calls, status, &error);
    UNPROTECT(2);
    return answer;
}

/* Harrell's concordance of rows in order of `survival`, with ranks of predictions from 1: the share
 * of the pairs, half of those tied. */
SEXP ffi_concordance(SEXP survival, SEXP ranks)
{
    const R_xlen_t n = Rf_xlength(survival);
    const uint32_t *times = (const uint32_t *) r_integers(survival, n, "survival");
    const int *from_1 = r_integers(ranks, n, "ranks");
    uint32_t *from_0 = (uint32_t *) R_alloc((size_t) n + 1, sizeof *from_0);
    for (R_xlen_t i = 0; i < n; i++) {
        from_0[i] = (uint32_t) from_1[i] - 1;
        if (from_0[i] >= (uint32_t) n) Rf_error("a rank is out of range");
    }
    ct_forest_concordance c;
    if (ct_forest_concordance_of(times, from_0, (uint32_t) n, &c) != CT_OK)
        Rf_error("not enough memory");
    const double pairs = (double) c.pairs;
    return Rf_ScalarReal(c.pairs ? ((double) c.concordant + (double) c.tied / 2) / pairs : R_NaN);
}

/* ---- one tree, spelled out ---- */

static void note_leaf(const ct_hist_forest *forest, const ct_hist_tree *tree, uint32_t i,
                      SEXP counts, SEXP mean)
{
    const ct_hist_node *leaf = &tree->nodes[i];
    uint32_t width = forest->n_classes;
    CT_ASSERT(leaf->feature == CT_HIST_LEAF && leaf_is_valid(forest, tree, leaf->next));
    if (!width) {
        REAL(mean)[i] = tree->means[leaf->next];
        REAL(counts)[i] = tree->counts[leaf->next];
        return;
    }
    double *class_counts = REAL(counts) + i;
    const size_t n = tree->n_nodes, place = leaf->next & ~CT_HIST_MIXED;
    for (uint32_t k = 0; k < width; k++) class_counts[k * n] = 0;
    if (!(leaf->next & CT_HIST_MIXED)) {
        class_counts[ct_forest_pure_class(leaf->next, width) * n] =
            ct_forest_pure_weight(leaf->next, width);
    } else if (ct_hist_is_many(width)) {
        const uint32_t *list = tree->counts + place;
        for (uint32_t k = 0; k < list[0]; k++) class_counts[list[1 + 2 * k] * n] = list[2 + 2 * k];
    } else {
        for (uint32_t k = 0; k < width; k++) class_counts[k * n] = tree->counts[place * width + k];
    }
}

/* The weights, and the mean, of a node are those of its children together. */
static void add_children(const ct_hist_forest *forest, const ct_hist_tree *tree, uint32_t i,
                         SEXP counts, SEXP mean)
{
    uint32_t left = tree->nodes[i].next & CT_HIST_CHILD,
             width = forest->n_classes ? forest->n_classes : 1;
    CT_ASSERT(left > i && left + 1 < tree->n_nodes);
    for (uint32_t k = 0; k < width; k++) {
        double *column = REAL(counts) + (size_t) k * tree->n_nodes;
        column[i] = column[left] + column[left + 1];
    }
    if (forest->n_classes) return;
    const double *weight = REAL(counts);
    double *means = REAL(mean);
    means[i] = (means[left] * weight[left] + means[left + 1] * weight[left + 1]) / weight[i];
}

/* The threshold of a cut: infinite behind the last edge. */
static double edge_of(const ct_hist_code_column *column, uint32_t cut)
{
    return cut < column->n_codes ? column->edges[cut] : R_PosInf;
}

/* Tree `number_` (its place, from 1), one element a node, breadth first: feature (from 1, 0 in
 * leaves), threshold, left and right (from 1), default_left, counts (a matrix; numbers: weights),
 * mean, levels (where a node asks for a set of codes, those that go left as bits; else NA). */
SEXP ffi_hist_tree(SEXP list, SEXP number_)
{
    static const char *const names[] = {"feature",      "threshold", "left", "right",
                                        "default_left", "counts",    "mean", "levels"};
    SEXP edges = r_element(list, "edges");
    uint32_t n_cols = (uint32_t) Rf_xlength(edges), place = (uint32_t) Rf_asInteger(number_) - 1;
    ct_hist_forest forest = forest_of(list, n_cols);
    ct_hist_code_column *codes = edges_from(list, n_cols);
    if (place >= forest.n_trees) Rf_error("there is no such tree");
    const ct_hist_tree *tree = &forest.trees[place];
    int n = (int) tree->n_nodes;
    SEXP out = PROTECT(r_named_list(names, sizeof names / sizeof *names));
    SEXP feature = Rf_allocVector(INTSXP, n);
    SET_VECTOR_ELT(out, 0, feature);
    SEXP threshold = Rf_allocVector(REALSXP, n);
    SET_VECTOR_ELT(out, 1, threshold);
    SEXP left = Rf_allocVector(INTSXP, n);
    SET_VECTOR_ELT(out, 2, left);
    SEXP right = Rf_allocVector(INTSXP, n);
    SET_VECTOR_ELT(out, 3, right);
    SEXP default_left = Rf_allocVector(LGLSXP, n);
    SET_VECTOR_ELT(out, 4, default_left);
    SEXP counts = Rf_allocMatrix(REALSXP, n, forest.n_classes ? (int) forest.n_classes : 1);
    SET_VECTOR_ELT(out, 5, counts);
    SEXP mean = forest.n_classes ? R_NilValue : Rf_allocVector(REALSXP, n);
    SET_VECTOR_ELT(out, 6, mean);
    SEXP levels = Rf_allocVector(INTSXP, n);
    SET_VECTOR_ELT(out, 7, levels);
    for (int i = n - 1; i >= 0; i--) {
        const ct_hist_node *node = &tree->nodes[i];
        int is_leaf = node->feature == CT_HIST_LEAF;
        int is_set = !is_leaf && (node->next & CT_HIST_SET);
        INTEGER(levels)[i] = is_set ? node->cut & CT_HIST_SET_ALL : NA_INTEGER;
        INTEGER(feature)[i] = is_leaf ? 0 : node->feature + 1;
        INTEGER(left)[i] = is_leaf ? 0 : (int) (node->next & CT_HIST_CHILD) + 1;
        INTEGER(right)[i] = is_leaf ? 0 : INTEGER(left)[i] + 1;
        LOGICAL(default_left)[i] = !is_leaf && (node->next & CT_HIST_FLAG) != 0;
        REAL(threshold)[i] = is_leaf || is_set ? NA_REAL
                                               : edge_of(&codes[node->feature], node->cut);
        if (is_leaf) note_leaf(&forest, tree, (uint32_t) i, counts, mean);
        else add_children(&forest, tree, (uint32_t) i, counts, mean);
    }
    UNPROTECT(1);
    return out;
}
