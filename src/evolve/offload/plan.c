#include "base/compact.h"

#include "evolve/offload/plan.h"

#include <string.h>

#include "base/memory.h"

/* A plan in the making. */
typedef struct {
    ct_query_plan *plan;
    const ct_kd_tree *kd;
    const ct_model_tree *tree;
    ct_kd_path path;
    uint32_t index[2 * CT_TREE_LEAVES]; /* [node of the tree] its number in the plan */
} planning;

void ct_gmt_query_plan_free(ct_query_plan *plan)
{
    ct_free(plan->nodes), ct_free(plan->pieces), ct_free(plan->summands);
    memset(plan, 0, sizeof *plan);
}

/* Room for one more of `n` elements of that size; NULL if there is not enough memory. */
static void *room_for_one(void *memory, uint32_t n, uint32_t *room, size_t size)
{
    if (n < *room) return memory;
    void *more = ct_alloc((2 * (size_t) *room + 64) * size);
    if (!more) return NULL;
    if (n) memcpy(more, memory, n * size);
    ct_free(memory);
    *room = 2 * *room + 64;
    return more;
}

static void add_summand(planning *p, uint32_t summand, int32_t leaf)
{
    CT_ASSERT(leaf >= 0);
    ct_query_plan *plan = p->plan;
    ct_leaf_summand *summands = (ct_leaf_summand *) room_for_one(
        plan->summands, plan->n_summands, &plan->summand_room, sizeof *summands);
    if (!summands) {
        plan->complete = 0;
        return;
    }
    plan->summands = summands;
    summands[plan->n_summands++] = (ct_leaf_summand){summand, leaf};
}

/* ---- nodes ---- */

/* Adds the nodes from `node` down to where the path ends. Returns the number of `node` in the
 * plan. */
static uint32_t add_nodes(planning *p, int32_t node)
{
    ct_query_plan *plan = p->plan;
    const ct_model_node *of = &p->tree->nodes[node];
    const uint32_t index = plan->n_nodes++;
    ct_query_node *to = &plan->nodes[index];
    p->index[node] = index;
    to->test = of->test;
    to->left = to->right = 0;
    to->leaf = -1;
    if (!ct_path_ends(&p->path, p->tree, node)) {
        to->left = add_nodes(p, of->left);
        to->right = add_nodes(p, of->right);
        return index;
    }
    to->test.splitter = CT_NO_NODE;
    if (p->path.off_path[node]) return index;
    to->leaf = (int32_t) plan->n_leaves;
    plan->leaves[plan->n_leaves++] = node;
    return index;
}

/* ---- tiles and larger cells ---- */

static void add_piece(planning *p, uint32_t tile, int32_t node, int32_t leaf)
{
    ct_query_plan *plan = p->plan;
    ct_tile_piece *pieces = (ct_tile_piece *) room_for_one(plan->pieces, plan->n_pieces,
                                                           &plan->piece_room, sizeof *pieces);
    if (!pieces || plan->n_pieces == CT_PIECE_FLAG - 1) {
        plan->complete = 0;
        return;
    }
    plan->pieces = pieces;
    pieces[plan->n_pieces] = (ct_tile_piece){tile, 0, p->index[node], leaf};
    add_summand(p, CT_PIECE_FLAG | plan->n_pieces++, leaf);
}

/* Adds a piece for each leaf below `node` that the tile, cut by the test of `cut`, may have rows
 * in. */
static void add_pieces(planning *p, uint32_t tile, int32_t cut, int32_t node)
{
    node = ct_cell_descends(p->kd, &p->path, p->tree, tile, node);
    if (ct_path_ends(&p->path, p->tree, node)) {
        const int32_t leaf = p->plan->nodes[p->index[node]].leaf;
        if (leaf >= 0) add_piece(p, tile, cut, leaf);
        return;
    }
    add_pieces(p, tile, cut, p->tree->nodes[node].left);
    add_pieces(p, tile, cut, p->tree->nodes[node].right);
}

/* Sends a cell down from a node, and its halves, down to tiles. */
static void add_cells(planning *p, uint32_t cell, int32_t node)
{
    const ct_cell *of = &p->kd->cells[cell];
    if (!p->plan->complete) return;
    node = ct_cell_descends(p->kd, &p->path, p->tree, cell, node);
    if (ct_path_ends(&p->path, p->tree, node)) {
        const int32_t leaf = p->plan->nodes[p->index[node]].leaf;
        if (leaf >= 0) add_summand(p, cell, leaf);
    } else if (of->end - of->begin <= CT_TILE_ROWS) {
        add_pieces(p, cell, node, node);
    } else {
        add_cells(p, cell + 1, node);
        add_cells(p, of->half, node);
    }
}

static int make_room(ct_query_plan *plan, uint32_t n_nodes)
{
    CT_ASSERT(n_nodes > 0);
    if (n_nodes <= plan->node_room) return 1;
    ct_free(plan->nodes);
    plan->nodes = (ct_query_node *) ct_alloc(n_nodes * sizeof *plan->nodes);
    plan->node_room = plan->nodes ? n_nodes : 0;
    return plan->nodes != NULL;
}

void ct_gmt_query_plan_make(ct_query_plan *plan, const ct_kd_tree *kd, const ct_kd_query *query)
{
    planning p;
    p.plan = plan;
    p.kd = kd;
    p.tree = query->tree;
    plan->n_nodes = plan->n_leaves = plan->n_pieces = plan->n_summands = 0;
    plan->complete = make_room(plan, query->tree->room);
    if (!plan->complete) return;
    ct_gmt_kd_path_to(&p.path, query->tree, query->node);
    if (query->n_numbers) p.path.target = query->node;
    add_nodes(&p, 0);
    add_cells(&p, 0, 0);
}
