#include "evolve/offload/plan.h"

#include <string.h>

#include "base/memory.h"

/* A plan under way. */
typedef struct {
    ct_question_plan *plan;
    const ct_row_cells *cells;
    const ct_model_tree *tree;
    ct_cell_way way;
    uint32_t place[2 * CT_TREE_LEAVES]; /* [node of the tree] in the plan */
} planning;

void ct_gmt_question_plan_free(ct_question_plan *plan)
{
    ct_free(plan->nodes), ct_free(plan->pieces), ct_free(plan->parts);
    memset(plan, 0, sizeof *plan);
}

/* Room for one more of `n` elements of that size; NULL: there is none. */
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

static void add_part(planning *p, uint32_t part, int32_t leaf)
{
    CT_ASSERT(leaf >= 0);
    ct_question_plan *plan = p->plan;
    ct_leaf_part *parts = (ct_leaf_part *) room_for_one(plan->parts, plan->n_parts,
                                                        &plan->part_room, sizeof *parts);
    if (!parts) {
        plan->complete = 0;
        return;
    }
    plan->parts = parts;
    parts[plan->n_parts++] = (ct_leaf_part){part, leaf};
}

/* ---- nodes ---- */

/* From the root on, down to where ways end. */
static uint32_t add_nodes(planning *p, int32_t node)
{
    ct_question_plan *plan = p->plan;
    const ct_model_node *of = &p->tree->nodes[node];
    const uint32_t place = plan->n_nodes++;
    ct_question_node *to = &plan->nodes[place];
    p->place[node] = place;
    to->test = of->test;
    to->left = to->right = 0;
    to->leaf = -1;
    if (!ct_way_ends(&p->way, p->tree, node)) {
        to->left = add_nodes(p, of->left);
        to->right = add_nodes(p, of->right);
        return place;
    }
    to->test.splitter = CT_NO_NODE;
    if (p->way.away[node]) return place;
    to->leaf = (int32_t) plan->n_leaves;
    plan->leaves[plan->n_leaves++] = node;
    return place;
}

/* ---- tiles and larger cells ---- */

static void add_piece(planning *p, uint32_t tile, int32_t node, int32_t leaf)
{
    ct_question_plan *plan = p->plan;
    ct_tile_piece *pieces = (ct_tile_piece *) room_for_one(plan->pieces, plan->n_pieces,
                                                           &plan->piece_room, sizeof *pieces);
    if (!pieces || plan->n_pieces == CT_PART_PIECE - 1) {
        plan->complete = 0;
        return;
    }
    plan->pieces = pieces;
    pieces[plan->n_pieces] = (ct_tile_piece){tile, 0, p->place[node], leaf};
    add_part(p, CT_PART_PIECE | plan->n_pieces++, leaf);
}

/* A piece for each leaf that the tile, cut at `cut`, may have rows in; `node`: from there on. */
static void add_pieces(planning *p, uint32_t tile, int32_t cut, int32_t node)
{
    node = ct_cell_falls(p->cells, &p->way, p->tree, tile, node);
    if (ct_way_ends(&p->way, p->tree, node)) {
        const int32_t leaf = p->plan->nodes[p->place[node]].leaf;
        if (leaf >= 0) add_piece(p, tile, cut, leaf);
        return;
    }
    add_pieces(p, tile, cut, p->tree->nodes[node].left);
    add_pieces(p, tile, cut, p->tree->nodes[node].right);
}

/* Sends a cell down from a node, down to tiles. */
static void add_cells(planning *p, uint32_t cell, int32_t node)
{
    const ct_cell *of = &p->cells->cells[cell];
    if (!p->plan->complete) return;
    node = ct_cell_falls(p->cells, &p->way, p->tree, cell, node);
    if (ct_way_ends(&p->way, p->tree, node)) {
        const int32_t leaf = p->plan->nodes[p->place[node]].leaf;
        if (leaf >= 0) add_part(p, cell, leaf);
    } else if (of->end - of->begin <= CT_TILE_ROWS) {
        add_pieces(p, cell, node, node);
    } else {
        add_cells(p, cell + 1, node);
        add_cells(p, of->half, node);
    }
}

static int make_room(ct_question_plan *plan, uint32_t n_nodes)
{
    CT_ASSERT(n_nodes > 0);
    if (n_nodes <= plan->node_room) return 1;
    ct_free(plan->nodes);
    plan->nodes = (ct_question_node *) ct_alloc(n_nodes * sizeof *plan->nodes);
    plan->node_room = plan->nodes ? n_nodes : 0;
    return plan->nodes != NULL;
}

void ct_gmt_question_plan_make(ct_question_plan *plan, const ct_row_cells *cells,
                               const ct_cell_question *question)
{
    planning p;
    p.plan = plan;
    p.cells = cells;
    p.tree = question->tree;
    plan->n_nodes = plan->n_leaves = plan->n_pieces = plan->n_parts = 0;
    plan->complete = make_room(plan, question->tree->room);
    if (!plan->complete) return;
    ct_gmt_cell_way_to(&p.way, question->tree, question->node);
    if (question->n_numbers) p.way.target = question->node;
    add_nodes(&p, 0);
    add_cells(&p, 0, 0);
}
