/* The loop IR as text. */
#include "base/compact.h"

#include <string.h>

#include "forge/schedule/loop_ir.h"

static const char *const hows[] = {"for", "parallel for", "grid for", "block for"};

/* The sum of the loops that make a row, or a tree. */
static void print_sum(const ct_forge_ir *ir, int loop, ct_forge_axis axis, ct_forge_text *text)
{
    int loops[CT_FORGE_MOST_NEST];
    uint32_t n = ct_forge_ir_base(ir->nest, loop, axis, loops);
    if (!n) ct_forge_text_add(text, "0");
    while (n) {
        n--;
        ct_forge_text_add(text, "%s%s", ir->nest->loops[loops[n]].name, n ? " + " : "");
    }
}

static void print_stop(int64_t stop, ct_forge_axis axis, ct_forge_text *text)
{
    if (stop == CT_FORGE_OPEN) ct_forge_text_add(text, axis == CT_FORGE_ROWS ? "N" : "T");
    else ct_forge_text_add(text, "%lld", (long long) stop);
}

static void print_bounds(const ct_forge_ir *ir, const ct_forge_ir_node *node, ct_forge_text *text)
{
    if (node->n_bounds > 1) ct_forge_text_add(text, "min(");
    for (uint32_t i = 0; i < node->n_bounds; i++) {
        const ct_forge_loop_bound *bound = &node->bounds[i];
        if (i) ct_forge_text_add(text, ", ");
        print_stop(bound->constant, ir->nest->loops[node->loop].axis, text);
        for (uint32_t k = 0; k < bound->n_minus; k++)
            ct_forge_text_add(text, " - %s", ir->nest->loops[bound->minus[k]].name);
    }
    if (node->n_bounds > 1) ct_forge_text_add(text, ")");
}

static void print_for(const ct_forge_ir *ir, const ct_forge_ir_node *node, ct_forge_text *text)
{
    const ct_forge_index *index = &ir->nest->loops[node->loop];
    ct_forge_text_add(text, "%s %s = %lld .. ", hows[node->how], index->name,
                      (long long) index->start);
    if (ir->level == CT_FORGE_LOW) print_bounds(ir, node, text);
    else
        print_stop(ct_forge_loop_stop(ir->nest, node->loop, ir->shape->n_trees), index->axis, text);
    if (index->step != 1) ct_forge_text_add(text, " step %lld", (long long) index->step);
    if (index->marked[CT_FORGE_GPU])
        ct_forge_text_add(text, " on %s",
                          ct_forge_dimension_name((int) index->number[CT_FORGE_GPU]));
    ct_forge_text_add(text, index->axis == CT_FORGE_ROWS ? " {  # rows\n" : " {  # trees\n");
}

static void print_sums(const ct_forge_ir *ir, int target, ct_forge_text *text)
{
    if (target == CT_FORGE_TO_RESULT) ct_forge_text_add(text, "sums");
    else if (target == CT_FORGE_TO_SLOTS) ct_forge_text_add(text, "slots[slot]");
    else ct_forge_text_add(text, "partial_%s[%s]", ir->nest->loops[target].name,
                           ir->nest->loops[target].name);
}

static void print_walk(const ct_forge_ir *ir, const ct_forge_ir_node *node, int level,
                       ct_forge_text *text)
{
    if (ir->level == CT_FORGE_LOW) {
        ct_forge_text_line(text, level, "feature = loadFeatureIndex(%s, tree, node)",
                           ct_forge_layout_name((int) ir->nest->layout));
        ct_forge_text_line(text, level, "threshold = loadThreshold(%s, tree, node)",
                           ct_forge_layout_name((int) ir->nest->layout));
    }
    ct_forge_text_add(text, "%*sleaf = walkDecisionTree(tree = ", 4 * level, "");
    print_sum(ir, node->loop, CT_FORGE_TREES, text);
    ct_forge_text_add(text, ", row = ");
    print_sum(ir, node->loop, CT_FORGE_ROWS, text);
    if (node->lanes > 1)
        ct_forge_text_add(text, "; %u %s of %s", (unsigned) node->lanes,
                          node->simd ? "lanes" : "at once", ir->nest->loops[node->loop].name);
    if (node->hops) ct_forge_text_add(text, "; %u hops unrolled", (unsigned) node->hops);
    if (node->peel) ct_forge_text_add(text, "; %u hops peeled", (unsigned) node->peel);
    ct_forge_text_add(text, ")\n");
}

static void print_cache(const ct_forge_ir *ir, const ct_forge_ir_node *node, ct_forge_text *text)
{
    ct_forge_axis axis = node->kind == CT_FORGE_IR_CACHE_ROWS ? CT_FORGE_ROWS : CT_FORGE_TREES;
    ct_forge_text_add(text, axis == CT_FORGE_ROWS ? "cacheRows(" : "cacheTrees(");
    print_sum(ir, node->loop, axis, text);
    ct_forge_text_add(text, ", ");
    print_stop(ct_forge_loop_span(ir->nest, node->loop, axis, ir->shape->n_trees), axis, text);
    ct_forge_text_add(text, ")\n");
}

static void print_reduction(const ct_forge_ir *ir, const ct_forge_ir_node *node,
                            ct_forge_text *text)
{
    const char *atomic = node->atomic ? ", atomic" : "";
    if (node->kind == CT_FORGE_IR_REDUCE) {
        ct_forge_text_add(text, "reduce(");
        print_sums(ir, node->target, text);
        ct_forge_text_add(text, "[row], value(leaf); sum%s)\n", atomic);
        return;
    }
    int in_place = node->target >= 0, loop = node->loop < 0 ? -1 : node->loop;
    ct_forge_text_add(text, in_place ? "reduceDimInplace(" : "reduceDim(");
    print_sums(ir, node->target, text);
    if (loop >= 0) ct_forge_text_add(text, ", partial_%s, rows ", ir->nest->loops[loop].name);
    else ct_forge_text_add(text, ", slots, rows ");
    print_sum(ir, loop, CT_FORGE_ROWS, text);
    ct_forge_text_add(text, " + 0 .. ");
    print_stop(ct_forge_loop_span(ir->nest, loop, CT_FORGE_ROWS, ir->shape->n_trees),
               CT_FORGE_ROWS, text);
    ct_forge_text_add(text, "; sum%s", atomic);
    if (node->added_only) ct_forge_text_add(text, ", where not -0");
    if (node->vector) ct_forge_text_add(text, ", %u lanes", (unsigned) node->vector);
    ct_forge_text_add(text, ")\n");
}

static void print_private(const ct_forge_ir *ir, const ct_forge_ir_node *node, ct_forge_text *text)
{
    if (node->loop < 0) {
        ct_forge_text_add(text, "slots[%lld][row][output] = -0\n",
                          (long long) ct_forge_ir_slots(ir));
        return;
    }
    ct_forge_text_add(text, "partial_%s[%lld][row][output] = -0%s\n",
                      ir->nest->loops[node->loop].name,
                      (long long) ct_forge_loop_trips(ir->nest, node->loop, ir->shape->n_trees),
                      ir->on_gpu ? " in shared memory" : "");
}

static void print_list(const ct_forge_ir *ir, int first, int level, ct_forge_text *text)
{
    for (int i = first; i >= 0; i = ir->nodes[i].next) {
        const ct_forge_ir_node *node = &ir->nodes[i];
        if (node->kind != CT_FORGE_IR_WALK) ct_forge_text_add(text, "%*s", 4 * level, "");
        switch (node->kind) {
        case CT_FORGE_IR_INIT: ct_forge_text_add(text, "sums[row][output] = base[output]\n"); break;
        case CT_FORGE_IR_POST: ct_forge_text_add(text, "margins = sums / divisor\n"); break;
        case CT_FORGE_IR_FOR:
            print_for(ir, node, text);
            print_list(ir, node->inner, level + 1, text);
            ct_forge_text_line(text, level, "}");
            break;
        case CT_FORGE_IR_CACHE_ROWS:
        case CT_FORGE_IR_CACHE_TREES: print_cache(ir, node, text); break;
        case CT_FORGE_IR_WALK: print_walk(ir, node, level, text); break;
        case CT_FORGE_IR_REDUCE:
        case CT_FORGE_IR_REDUCE_DIM: print_reduction(ir, node, text); break;
        case CT_FORGE_IR_PRIVATE: print_private(ir, node, text); break;
        case CT_FORGE_IR_BARRIER: ct_forge_text_add(text, "barrier\n"); break;
        case CT_FORGE_IR_LAUNCH: ct_forge_text_add(text, "launch\n"); break;
        }
    }
}

void ct_forge_ir_print(const ct_forge_ir *ir, ct_forge_text *text)
{
    CT_ASSERT(ir->level <= CT_FORGE_LOW && ir->first < ir->n_nodes);
    static const char *const levels[] = {"high", "mid", "low"};
    ct_forge_text_add(text, "predict(rows[N], trees[%u], %s) -> margins[N][%u] {  # %s\n",
                      (unsigned) ir->shape->n_trees, ct_forge_layout_name((int) ir->nest->layout),
                      (unsigned) ir->shape->n_outputs, levels[ir->level]);
    if (ir->level == CT_FORGE_HIGH) {
        ct_forge_text_line(text, 1, "margins = predictEnsemble(rows; trees, sums %s) under",
                           ir->shape->any_order ? "in any order" : "in their order");
        for (uint32_t i = 0; i < ir->nest->n_statements; i++) {
            ct_forge_text_add(text, "        ");
            ct_forge_statement_print(&ir->nest->statements[i], text);
            ct_forge_text_add(text, "\n");
        }
    } else {
        print_list(ir, ir->first, 1, text);
    }
    ct_forge_text_add(text, "}\n");
}
