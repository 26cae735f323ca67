#include "base/compact.h"

#include "forge/pack_deep.h"

#include <math.h>
#include <string.h>

#include "data/sort.h"

/* ---- tops ---- */

/* How many rows come to a node: as the source says, or as leaves below stand for. */
static double *weigh(const ct_forged *f, ct_forge_packing *p)
{
    const ct_forge_ensemble *e = f->ensemble;
    double *weight = CT_ARENA_NEW(&p->arena, double, e->n_nodes);
    if (!weight) return NULL;
    for (uint32_t i = e->n_nodes; i-- > 0;)
        if (e->cover) weight[i] = e->cover[i];
        else weight[i] = e->feature[i] < 0 ? 1 : weight[e->left[i]] + weight[e->right[i]];
    return weight;
}

/* The exit with the most rows that is no leaf becomes a test, until there are enough exits. */
static void grow_top(const ct_forge_ensemble *e, uint32_t root, const double *weight,
                     uint8_t *region)
{
    uint32_t exit[CT_FORGE_PLANE_LEAVES] = {root};
    for (uint32_t n = 1; n < CT_FORGE_PLANE_LEAVES; n++) {
        uint32_t best = n;
        for (uint32_t i = 0; i < n; i++)
            if (e->feature[exit[i]] >= 0 && (best == n || weight[exit[i]] > weight[exit[best]]))
                best = i;
        CT_ASSERT(best < n); /* a deep tree has more leaves than exits */
        uint32_t node = exit[best];
        region[node] = CT_FORGE_TOP_TEST;
        region[e->left[node]] = region[e->right[node]] = CT_FORGE_EXIT;
        exit[best] = e->left[node];
        exit[n] = e->right[node];
    }
}

ct_status ct_forge_pack_tops(ct_forged *f, ct_forge_packing *p)
{
    const ct_forge_ensemble *e = f->ensemble;
    p->region = CT_ARENA_ZEROED(&p->arena, uint8_t, e->n_nodes);
    double *weight = weigh(f, p);
    if (!p->region || !weight) return CT_NO_MEMORY;
    for (uint32_t t = 0; t < e->n_trees; t++) {
        uint32_t root = e->roots[t], end = ct_forge_ensemble_end(e, t);
        p->region[root] = CT_FORGE_EXIT;
        if (p->n_leaves[t] > CT_FORGE_PLANE_LEAVES) grow_top(e, root, weight, p->region);
        else
            for (uint32_t i = root; i < end; i++)
                p->region[i] = e->feature[i] < 0 ? CT_FORGE_EXIT : CT_FORGE_TOP_TEST;
    }
    return CT_OK;
}

/* ---- codes ---- */

static int is_walked(const ct_forged *f, const ct_forge_packing *p, uint32_t node)
{
    return f->ensemble->feature[node] >= 0 && p->region[node] != CT_FORGE_TOP_TEST;
}

/* Tests of one column and kind, by threshold. */
typedef struct {
    uint32_t *node, *order;
    double *highest;
    uint64_t *ties;
    void *scratch;
} sorting;

static ct_status sorting_new(ct_forge_packing *p, uint32_t n, sorting *s)
{
    s->node = CT_ARENA_NEW(&p->arena, uint32_t, n);
    s->order = CT_ARENA_NEW(&p->arena, uint32_t, n);
    s->highest = CT_ARENA_NEW(&p->arena, double, n);
    s->ties = CT_ARENA_NEW(&p->arena, uint64_t, n / 64 + 1);
    s->scratch = ct_arena_alloc(&p->arena, ct_sort_scratch(n), 1);
    return s->node && s->order && s->highest && s->ties && s->scratch ? CT_OK : CT_NO_MEMORY;
}

/* A new coded column; NULL where there are too many. */
static ct_forge_ranked_column *add_coded(ct_forged *f, uint32_t column, ct_forge_test_kind kind)
{
    if (f->n_coded == CT_FORGE_CODED_COLUMNS) f->has_planes = 0;
    if (!f->has_planes) return NULL;
    ct_forge_ranked_column *coded = &f->coded[f->n_coded++];
    *coded = (ct_forge_ranked_column){column, kind, 0, NULL, 0};
    return coded;
}

/* In-order numbers of a search tree as of ct_forge_search. */
static ct_status fill_pivots(ct_forged *f, ct_forge_ranked_column *coded, const double *sorted,
                             uint32_t n)
{
    while ((1u << coded->bits) - 1 < n) coded->bits++;
    double *pivots = CT_ARENA_NEW(&f->arena, double, 1u << coded->bits);
    if (!pivots) return CT_NO_MEMORY;
    pivots[0] = 0;
    for (uint32_t level = 0; level < coded->bits; level++)
        for (uint32_t c = 0; c < 1u << level; c++) {
            uint32_t rank = (2 * c + 1) * (1u << (coded->bits - 1 - level)) - 1;
            pivots[(1u << level) + c] = rank < n ? sorted[rank] : INFINITY;
        }
    coded->pivots = pivots;
    return CT_OK;
}

/* Codes of the n tests of a column and kind. Those that no number passes to the left come first:
 * their code is below all of numbers. */
static ct_status code_tests(ct_forged *f, ct_forge_packing *p, const sorting *s, uint32_t n,
                            uint32_t column, ct_forge_test_kind kind)
{
    uint32_t n_all = 0, at = 0;
    double *sorted = s->highest;
    ct_column as_column = {sorted, CT_DOUBLE};
    for (uint32_t i = 0; i < n; i++)
        if (isnan(p->highest[s->node[i]])) {
            uint32_t node = s->node[i];
            s->node[i] = s->node[n_all];
            s->node[n_all++] = node;
        }
    for (uint32_t i = n_all; i < n; i++) sorted[i - n_all] = p->highest[s->node[i]];
    memset(s->ties, 0, (n / 64 + 1) * sizeof *s->ties);
    if (n > n_all) ct_sort_column(&as_column, n - n_all, s->scratch, s->order, s->ties, NULL, 0);
    for (uint32_t i = 0; i < n_all; i++) p->coded_as[s->node[i]] = f->n_coded;
    do {
        double *chosen = CT_ARENA_NEW(&p->arena, double, CT_FORGE_CODED_THRESHOLDS);
        uint32_t m = 0, which = f->n_coded;
        ct_forge_ranked_column *coded = add_coded(f, column, kind);
        if (!chosen) return CT_NO_MEMORY;
        if (!coded) return CT_OK;
        for (; at < n - n_all && m < CT_FORGE_CODED_THRESHOLDS; at++) {
            uint32_t node = s->node[n_all + s->order[at]];
            chosen[m] = p->highest[node];
            p->coded_as[node] = (m + 1) << 16 | which;
            m += s->ties[at / 64] >> (at % 64) & 1 || at + 1 == n - n_all;
        }
        CT_TRY(fill_pivots(f, coded, chosen, m));
    } while (at < n - n_all);
    return CT_OK;
}

/* Walked tests with thresholds, by column and kind: first[key] is where those of a key begin. */
enum { KINDS = 4 };

static uint32_t key_of(const ct_forged *f, const ct_forge_packing *p, uint32_t node)
{
    return p->column_of[f->ensemble->feature[node]] * KINDS + ct_forge_pack_kind(f, p, node);
}

static uint32_t *list_tests(const ct_forged *f, ct_forge_packing *p, uint32_t *node)
{
    const ct_forge_ensemble *e = f->ensemble;
    uint32_t n_keys = f->n_used * KINDS, *first = CT_ARENA_ZEROED(&p->arena, uint32_t, n_keys + 2);
    if (!first) return NULL;
    for (uint32_t i = 0; i < e->n_nodes; i++)
        if (is_walked(f, p, i) && !e->set_size[i]) first[key_of(f, p, i) + 2]++;
    for (uint32_t key = 1; key < n_keys + 2; key++) first[key] += first[key - 1];
    for (uint32_t i = 0; i < e->n_nodes; i++)
        if (is_walked(f, p, i) && !e->set_size[i]) node[first[key_of(f, p, i) + 1]++] = i;
    return first;
}

static ct_status code_numbers(ct_forged *f, ct_forge_packing *p)
{
    const ct_forge_ensemble *e = f->ensemble;
    sorting all;
    CT_TRY(sorting_new(p, e->n_nodes, &all));
    uint32_t *first = list_tests(f, p, all.node);
    if (!first) return CT_NO_MEMORY;
    ct_arena_mark mark = ct_arena_here(&p->arena);
    for (uint32_t key = 0; key < f->n_used * KINDS; key++) {
        sorting some = all;
        some.node += first[key];
        if (first[key + 1] == first[key]) continue;
        CT_TRY(code_tests(f, p, &some, first[key + 1] - first[key], key / KINDS,
                          (ct_forge_test_kind) (key % KINDS)));
        ct_arena_release(&p->arena, mark);
    }
    return CT_OK;
}

static void code_sets(ct_forged *f, const ct_forge_packing *p)
{
    const ct_forge_ensemble *e = f->ensemble;
    for (uint32_t i = 0; i < e->n_nodes; i++) {
        if (!is_walked(f, p, i) || !e->set_size[i]) continue;
        ct_forge_ranked_column *coded = add_coded(f, p->column_of[e->feature[i]],
                                                  CT_FORGE_NAN_LEFT);
        if (!coded) return;
        coded->node = i;
        p->coded_as[i] = f->n_coded - 1;
    }
}

ct_status ct_forge_pack_codes(ct_forged *f, ct_forge_packing *p)
{
    const ct_forge_ensemble *e = f->ensemble;
    int deep = 0;
    for (uint32_t t = 0; t < e->n_trees; t++) {
        deep |= p->n_leaves[t] > CT_FORGE_PLANE_LEAVES;
        if (ct_forge_ensemble_end(e, t) - e->roots[t] > CT_FORGE_DEEP_NODES) f->has_planes = 0;
    }
    if (!deep || !f->has_planes) return CT_OK;
    p->coded_as = CT_ARENA_NEW(&p->arena, uint32_t, e->n_nodes);
    f->coded = CT_ARENA_NEW(&f->arena, ct_forge_ranked_column, CT_FORGE_CODED_COLUMNS);
    if (!p->coded_as || !f->coded) return CT_NO_MEMORY;
    CT_TRY(code_numbers(f, p));
    code_sets(f, p);
    return CT_OK;
}

/* ---- nodes ---- */

/* A leaf in the words of walked nodes: the bits of its term. */
static uint64_t leaf_node(const ct_forge_ensemble *e, uint32_t tree, uint32_t leaf)
{
    double term = ct_forge_ensemble_term(e, tree, leaf, 0);
    float narrow = (float) term;
    uint32_t word;
    uint64_t bits;
    memcpy(&word, &narrow, sizeof word);
    memcpy(&bits, &term, sizeof bits);
    return e->sum == CT_FORGE_F32 ? word : bits;
}

static void set_terms(const ct_forge_ensemble *e, uint32_t tree, uint32_t leaf, void *terms,
                      size_t number)
{
    for (uint32_t k = 0; k < e->leaf_width; k++) {
        double term = ct_forge_ensemble_term(e, tree, leaf, k);
        if (e->sum == CT_FORGE_F32) ((float *) terms)[number * e->leaf_width + k] = (float) term;
        else ((double *) terms)[number * e->leaf_width + k] = term;
    }
}

static uint32_t entry_at(const ct_forge_ensemble *e, uint32_t place, uint32_t node)
{
    return place * CT_FORGE_BLOCK | (e->feature[node] < 0);
}

/* From the exits down by levels, so that children lie side by side: `queue` has the nodes. */
static uint32_t fill_below(const ct_forge_ensemble *e, const ct_forge_packing *p, uint32_t tree,
                           uint32_t *queue, uint32_t end, uint64_t *nodes, void *terms)
{
    uint32_t n_leaves = 0;
    for (uint32_t at = 0; at < end; at++) {
        uint32_t i = queue[at];
        if (e->feature[i] < 0) {
            nodes[at] = terms ? n_leaves : leaf_node(e, tree, i);
            if (terms) set_terms(e, tree, i, terms, n_leaves);
            n_leaves++;
            continue;
        }
        uint32_t next = entry_at(e, end, e->left[i]) | (e->feature[e->right[i]] < 0 ? 2 : 0);
        nodes[at] = (uint64_t) next << 32 | p->coded_as[i];
        queue[end++] = e->left[i];
        queue[end++] = e->right[i];
    }
    return end;
}

ct_status ct_forge_pack_below(ct_forged *f, const ct_forge_packing *p, uint32_t tree,
                              const uint32_t *exits, ct_forge_plane_tree *packed)
{
    const ct_forge_ensemble *e = f->ensemble;
    uint32_t n = 0, root = e->roots[tree];
    uint32_t *entry = CT_ARENA_NEW(&f->arena, uint32_t, CT_FORGE_PLANE_LEAVES);
    const uint32_t tree_end = ct_forge_ensemble_end(e, tree);
    for (uint32_t i = root; i < tree_end; i++) n += p->region[i] != CT_FORGE_TOP_TEST;
    uint64_t *nodes = CT_ARENA_NEW(&f->arena, uint64_t, n);
    size_t size = e->sum == CT_FORGE_F32 ? sizeof(float) : sizeof(double);
    size_t n_terms = (size_t) p->n_leaves[tree] * e->leaf_width;
    void *terms = e->leaf_width > 1 ? ct_arena_alloc(&f->arena, n_terms, size) : NULL;
    if (!entry || !nodes || (e->leaf_width > 1 && !terms)) return CT_NO_MEMORY;
    uint32_t *queue = p->plane_of + root; /* of no more use once the program is made */
    for (uint32_t i = 0; i < CT_FORGE_PLANE_LEAVES; i++) {
        entry[i] = entry_at(e, i, exits[i]);
        queue[i] = exits[i];
    }
    uint32_t end = fill_below(e, p, tree, queue, CT_FORGE_PLANE_LEAVES, nodes, terms);
    CT_ASSERT(end == n);
    (void) end;
    packed->entry = entry;
    packed->nodes = nodes;
    packed->terms = terms;
    return CT_OK;
}
