/* Whether a loop IR is well-formed: each row and tree once, each sum in a place that it may use. */
#include "base/compact.h"

#include "forge/schedule/loop_ir.h"

typedef struct {
    const ct_forge_ir *ir;
    int around[CT_FORGE_MOST_NEST], n_around; /* loops of FORs under way */
    int private_loops[CT_FORGE_MOST_NEST], n_private;
    int slots, walks;
    ct_error *error;
} verifying;

static ct_status broken(const verifying *v, const char *what)
{
    return ct_fail(v->error, CT_INTERNAL, "the loop IR is not what it should be: %s", what);
}

static int has_axis(const verifying *v, ct_forge_axis axis)
{
    for (int i = 0; i < v->n_around; i++)
        if (v->ir->nest->loops[v->around[i]].axis == axis) return 1;
    return 0;
}

static int has_private(const verifying *v, int loop)
{
    for (int i = 0; i < v->n_private; i++)
        if (v->private_loops[i] == loop) return 1;
    return 0;
}

/* Threads that add to the same sums: each has its own, or all do it by atomic operations. */
static ct_status check_target(const verifying *v, const ct_forge_ir_node *node)
{
    if (node->target >= 0 && !has_private(v, node->target))
        return broken(v, "sums are added to that are not there");
    if (node->target == CT_FORGE_TO_SLOTS && !v->slots) return broken(v, "there are no slots");
    for (int i = v->n_around - 1; i >= 0; i--) {
        int loop = v->around[i];
        if (loop == node->target) return CT_OK;
        if (!ct_forge_nest_conflicts(v->ir->nest, loop) || node->atomic) continue;
        int slot = 0;
        for (int k = 0; k < v->ir->n_slots; k++) slot |= v->ir->slots[k] == loop;
        if (!slot || node->target != CT_FORGE_TO_SLOTS)
            return broken(v, "iterations that run at once add to the same sums");
    }
    return CT_OK;
}

static ct_status check_bounds(const verifying *v, const ct_forge_ir_node *node)
{
    if (v->ir->level < CT_FORGE_LOW) return CT_OK;
    if (!node->n_bounds) return broken(v, "a loop has no bound");
    for (uint32_t i = 0; i < node->n_bounds; i++)
        for (uint32_t k = 0; k < node->bounds[i].n_minus; k++) {
            int found = 0;
            for (int a = 0; a < v->n_around; a++)
                found |= v->around[a] == node->bounds[i].minus[k];
            if (!found) return broken(v, "a bound asks for a loop that is not around it");
        }
    return CT_OK;
}

static ct_status check_list(verifying *v, int first);

static ct_status check_for(verifying *v, const ct_forge_ir_node *node)
{
    if (v->n_around == CT_FORGE_MOST_NEST) return broken(v, "loops lie too deep");
    if (node->inner < 0) return broken(v, "a loop is empty");
    CT_TRY(check_bounds(v, node));
    v->around[v->n_around++] = node->loop;
    int n_private = v->n_private;
    CT_TRY(check_list(v, node->inner));
    v->n_private = n_private;
    v->n_around--;
    return CT_OK;
}

static ct_status check_node(verifying *v, const ct_forge_ir_node *node)
{
    switch (node->kind) {
    case CT_FORGE_IR_FOR: return check_for(v, node);
    case CT_FORGE_IR_WALK:
        v->walks++;
        if (!has_axis(v, CT_FORGE_ROWS) || !has_axis(v, CT_FORGE_TREES))
            return broken(v, "a walk knows no row, or no tree");
        if (node->next < 0 || v->ir->nodes[node->next].kind != CT_FORGE_IR_REDUCE)
            return broken(v, "nobody adds what a walk finds");
        return node->hops && node->peel ? broken(v, "a walk is unrolled and peeled") : CT_OK;
    case CT_FORGE_IR_PRIVATE:
        if (node->loop == CT_FORGE_TO_SLOTS) v->slots = 1;
        else if (v->n_private == CT_FORGE_MOST_NEST) return broken(v, "there are too many sums");
        else v->private_loops[v->n_private++] = node->loop;
        return CT_OK;
    case CT_FORGE_IR_REDUCE: case CT_FORGE_IR_REDUCE_DIM: {
        int lacking = node->kind == CT_FORGE_IR_REDUCE_DIM && node->loop >= 0 &&
                      !has_private(v, node->loop);
        if (lacking) return broken(v, "a dimension is reduced that is not there");
        /* the mid level knows the conflicts before it has resolved them */
        int open = node->kind == CT_FORGE_IR_REDUCE && v->ir->level == CT_FORGE_MID &&
                   !v->n_private && !v->slots && node->target == CT_FORGE_TO_RESULT &&
                   !node->atomic;
        return open ? CT_OK : check_target(v, node);
    }
    default: return CT_OK;
    }
}

static ct_status check_list(verifying *v, int first)
{
    for (int i = first; i >= 0; i = v->ir->nodes[i].next) CT_TRY(check_node(v, &v->ir->nodes[i]));
    return CT_OK;
}

ct_status ct_forge_ir_verify(const ct_forge_ir *ir, ct_error *error)
{
    CT_ASSERT(ir->level <= CT_FORGE_LOW && ir->first < ir->n_nodes);
    verifying v = {ir, {0}, 0, {0}, 0, 0, 0, error};
    if (ir->level == CT_FORGE_HIGH) return CT_OK;
    CT_TRY(check_list(&v, ir->first));
    return v.walks ? CT_OK : broken(&v, "there is no walk");
}
