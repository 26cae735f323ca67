/* Walks through a representation. Before it is included these are defined:
 *
 *   FIRST(m, tree)         where a walk of a tree begins
 *   PLACE(m, tree, i)      where among the nodes that is
 *   CHILD(node, i, right)  where it goes from there
 *
 * It defines `walk` and the texts of the three. */
#include "base/threads.h"
#include "forge/schedule/layout.h"
#include "forge/step.h"

#if defined(__GNUC__)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE static inline
#endif

/* A leaf stays where it is. */
ALWAYS_INLINE uint32_t next_of(const ct_forge_model *m, uint32_t tree, uint32_t i, const double *x,
                               int plain)
{
    uint32_t place = PLACE(m, tree, i);
    const ct_forged_node *node = &m->nodes[place];
    double value = x[node->what & CT_FORGE_WALK_COLUMN];
    uint32_t right = plain ? ct_forge_step_right(node, value)
                           : ct_forge_step_any_right(m->ensemble, m->origin[place], node, value);
    return node->what & CT_FORGE_WALK_INNER ? CHILD(node, i, right) : i;
}

static void add_leaf(const ct_forge_model *m, const ct_forge_walk_call *c, uint32_t tree,
                     int64_t row, uint32_t i)
{
    const double *term = m->terms + (size_t) m->origin[PLACE(m, tree, i)] * m->leaf_width;
    size_t at = (size_t) (row - c->first_sum) * m->n_outputs + m->output[tree];
    for (uint32_t k = 0; k < m->leaf_width; k++) {
        if (m->ensemble->sum == CT_FORGE_F32) ((float *) c->sums)[at + k] += (float) term[k];
        else if (c->atomic) ct_atomic_add_double((double *) c->sums + at + k, term[k]);
        else ((double *) c->sums)[at + k] += term[k];
    }
}

/* `lanes` walks at once; the last ones again where there are fewer. */
ALWAYS_INLINE void walk_by(const ct_forge_model *m, const ct_forge_walk_call *c,
                           const unsigned lanes, const int plain)
{
    for (int64_t done = 0; done < c->n; done += lanes) {
        uint32_t at[CT_FORGE_MOST_LANES], tree[CT_FORGE_MOST_LANES], moved = 1,
                 hops = c->hops + c->peel;
        const double *x[CT_FORGE_MOST_LANES];
        int64_t row[CT_FORGE_MOST_LANES];
        for (unsigned lane = 0; lane < lanes; lane++) {
            int64_t k = done + lane < c->n ? done + lane : c->n - 1;
            tree[lane] = (uint32_t) (c->tree + (c->axis == CT_FORGE_TREES ? k * c->step : 0));
            row[lane] = c->row + (c->axis == CT_FORGE_ROWS ? k * c->step : 0);
            x[lane] = c->x + (row[lane] - c->first_row) * (int64_t) m->n_used;
            at[lane] = FIRST(m, tree[lane]);
        }
        for (uint32_t hop = 0; hop < hops; hop++)
            for (unsigned lane = 0; lane < lanes; lane++)
                at[lane] = next_of(m, tree[lane], at[lane], x[lane], plain);
        while (!c->hops && moved) {
            moved = 0;
            for (unsigned lane = 0; lane < lanes; lane++) {
                uint32_t next = next_of(m, tree[lane], at[lane], x[lane], plain);
                moved |= next ^ at[lane];
                at[lane] = next;
            }
        }
        for (unsigned lane = 0; lane < lanes && done + lane < c->n; lane++)
            add_leaf(m, c, tree[lane], row[lane], at[lane]);
    }
}

static void walk_plain(const ct_forge_model *m, const ct_forge_walk_call *c)
{
    if (c->lanes >= 16) walk_by(m, c, 16, 1);
    else if (c->lanes >= 8) walk_by(m, c, 8, 1);
    else if (c->lanes >= 4) walk_by(m, c, 4, 1);
    else walk_by(m, c, 1, 1);
}

static void walk(const ct_forge_model *m, const ct_forge_walk_call *c)
{
    if (m->plain) walk_plain(m, c);
    else if (c->lanes >= 8) walk_by(m, c, 8, 0);
    else walk_by(m, c, 1, 0);
}

#define TEXT_OF(...) #__VA_ARGS__
#define TEXT(...) TEXT_OF(__VA_ARGS__)
#define FIRST_TEXT TEXT(FIRST(m, tree))
#define PLACE_TEXT TEXT(PLACE(m, tree, i))
#define CHILD_TEXT TEXT(CHILD(node, i, right))
