#include "base/compact.h"

#include "forge/pack_planes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "forge/pack_deep.h"

/* ---- tests ---- */

typedef struct {
    double highest;
    uint32_t column, node;
    int kind;
} numeric_test;

static int compare_numbers(double a, double b)
{
    if (isnan(a) || isnan(b)) return (b != b) - (a != a); /* NaN first */
    return (a > b) - (a < b);
}

static int compare_tests(const void *x, const void *y)
{
    const numeric_test *a = (const numeric_test *) x, *b = (const numeric_test *) y;
    if (a->column != b->column) return a->column < b->column ? -1 : 1;
    int by_number = compare_numbers(a->highest, b->highest);
    return by_number ? by_number : a->kind - b->kind;
}

/* Tests of tops among nodes begin .. end - 1, by column, threshold, kind; the number of them. */
static uint32_t collect(const ct_forged *f, const ct_forge_packing *p, uint32_t begin, uint32_t end,
                        numeric_test *all)
{
    const ct_forge_ensemble *e = f->ensemble;
    uint32_t n = 0;
    for (uint32_t i = begin; i < end; i++)
        if (p->region[i] == CT_FORGE_TOP_TEST && !e->set_size[i])
            all[n++] = (numeric_test){p->highest[i], p->column_of[e->feature[i]], i,
                                      (int) ct_forge_pack_kind(f, p, i)};
    qsort(all, n, sizeof *all, compare_tests);
    return n;
}

static uint32_t bits_for(uint32_t n)
{
    uint32_t bits = 2;
    while ((1u << bits) - 2 < n) bits++;
    return bits;
}

/* In-order numbers of the search tree: place i of level l holds the ((2 c + 1) 2^(bits - 1 - l))-th
 * smallest, c = i - 2^l. */
static void fill_search(ct_forge_search *s, const float *sorted)
{
    for (uint32_t level = 0; level < s->bits; level++)
        for (uint32_t c = 0; c < 1u << level; c++) {
            uint32_t rank = (2 * c + 1) * (1u << (s->bits - 1 - level)) - 1;
            s->pivots[(1u << level) + c] = rank < s->n ? sorted[rank] : INFINITY;
        }
}

/* One search of the tests begin .. end - 1, which have at most CT_FORGE_RANKS thresholds. */
static ct_status make_search(ct_forged *f, const ct_forge_packing *p, const numeric_test *all,
                             uint32_t begin, uint32_t end, uint32_t n)
{
    CT_ASSERT(begin < end && n > 0);
    ct_forge_search *s = &f->searches[f->n_searches++];
    ct_forge_test *tests = CT_ARENA_NEW(&f->arena, ct_forge_test, end - begin);
    int exact = f->ensemble->number == CT_FORGE_F64;
    memset(s, 0, sizeof *s);
    s->column = all[begin].column;
    s->n = n;
    s->bits = bits_for(n);
    s->first = f->n_planes;
    s->tests = tests;
    s->pivots = CT_ARENA_ZEROED(&f->arena, float, s->bits < 4 ? 16 : 1u << s->bits);
    s->rounded = CT_ARENA_NEW(&f->arena, float, 1u << s->bits);
    s->exact = exact ? CT_ARENA_NEW(&f->arena, double, n) : NULL;
    if (!tests || !s->pivots || !s->rounded || (exact && !s->exact)) return CT_NO_MEMORY;
    uint32_t rank = 0;
    for (uint32_t i = begin; i < end; i++) {
        int fresh = i == begin || compare_numbers(all[i].highest, all[i - 1].highest);
        if (fresh) {
            s->rounded[rank] = (float) all[i].highest;
            if (exact) s->exact[rank] = all[i].highest;
            rank++;
        }
        if (fresh || all[i].kind != all[i - 1].kind) {
            tests[s->n_tests++] = (ct_forge_test){(uint8_t) rank, (uint8_t) all[i].kind};
            if (all[i].kind >= CT_FORGE_ZERO_LEFT) s->any_zero = 1;
            f->n_planes++;
        }
        p->plane_of[all[i].node] = f->n_planes - 1;
    }
    CT_ASSERT(rank == n && n <= CT_FORGE_RANKS);
    for (uint32_t i = n; i < 1u << s->bits; i++) s->rounded[i] = NAN;
    fill_search(s, s->rounded);
    return CT_OK;
}

/* Searches end with their column, or when they are full. */
static ct_status make_searches(ct_forged *f, const ct_forge_packing *p, const numeric_test *all,
                               uint32_t n)
{
    for (uint32_t begin = 0; begin < n;) {
        uint32_t end = begin, thresholds = 0;
        for (; end < n && all[end].column == all[begin].column; end++) {
            int fresh = end == begin || compare_numbers(all[end].highest, all[end - 1].highest);
            if (fresh && thresholds == CT_FORGE_RANKS) break;
            thresholds += (uint32_t) fresh;
        }
        CT_TRY(make_search(f, p, all, begin, end, thresholds));
        begin = end;
    }
    return CT_OK;
}

/* A test of a code: what tells it from others, the column first. */
typedef struct {
    uint32_t key[4], node;
} code_test;

static int compare_codes(const void *x, const void *y)
{
    const code_test *a = (const code_test *) x, *b = (const code_test *) y;
    for (unsigned i = 0; i < 4; i++)
        if (a->key[i] != b->key[i]) return a->key[i] < b->key[i] ? -1 : 1;
    return 0;
}

/* A plane for each distinct test of a code. */
static void make_set_tests(ct_forged *f, const ct_forge_packing *p, uint32_t begin, uint32_t end,
                           code_test *all)
{
    const ct_forge_ensemble *e = f->ensemble;
    uint32_t n = 0;
    for (uint32_t i = begin; i < end; i++)
        if (p->region[i] == CT_FORGE_TOP_TEST && e->set_size[i])
            all[n++] = (code_test){{p->column_of[e->feature[i]], e->set_first[i], e->set_size[i],
                                    e->set_else[i] | 2u * p->nan_left[i]}, i};
    qsort(all, n, sizeof *all, compare_codes);
    for (uint32_t i = 0; i < n; i++) {
        if (!i || compare_codes(&all[i], &all[i - 1]))
            f->set_tests[f->n_set_tests++] =
                (ct_forge_set_test){all[i].key[0], all[i].node, f->n_planes++};
        p->plane_of[all[i].node] = f->n_planes - 1;
    }
}

/* ---- groups ---- */

/* Bytes of nodes below tops of a group, unless it is one tree. */
enum { GROUP_BYTES = 1 << 19 };

static size_t bytes_below(const ct_forged *f, const ct_forge_packing *p, uint32_t tree)
{
    size_t n = ct_forge_ensemble_end(f->ensemble, tree) - f->ensemble->roots[tree];
    if (p->n_leaves[tree] <= CT_FORGE_PLANE_LEAVES) return 0;
    return (n - CT_FORGE_PLANE_LEAVES + 1) * sizeof(uint64_t);
}

static ct_status make_groups(ct_forged *f, const ct_forge_packing *p)
{
    CT_ASSERT(f->ensemble->n_trees > 0);
    uint32_t n_trees = f->ensemble->n_trees;
    size_t bytes = 0;
    f->groups = CT_ARENA_NEW(&f->arena, ct_forge_plane_group, n_trees);
    if (!f->groups) return CT_NO_MEMORY;
    for (uint32_t t = 0; t < n_trees; t++) {
        size_t more = bytes_below(f, p, t);
        if (bytes && bytes + more > GROUP_BYTES) {
            f->groups[f->n_groups++] = (ct_forge_plane_group){t, 0, 0};
            bytes = 0;
        }
        bytes += more;
    }
    f->groups[f->n_groups++] = (ct_forge_plane_group){n_trees, 0, 0};
    return CT_OK;
}

static uint32_t count_sets(const ct_forge_ensemble *e)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->n_nodes; i++) n += e->feature[i] >= 0 && e->set_size[i];
    return n;
}

static ct_status make_tests(ct_forged *f, ct_forge_packing *p)
{
    const ct_forge_ensemble *e = f->ensemble;
    uint32_t begin = 0, most = 1;
    p->plane_of = CT_ARENA_ZEROED(&p->arena, uint32_t, e->n_nodes);
    numeric_test *all = CT_ARENA_NEW(&p->arena, numeric_test, e->n_nodes);
    uint32_t n_sets = count_sets(e);
    code_test *codes = CT_ARENA_NEW(&p->arena, code_test, n_sets);
    CT_TRY(make_groups(f, p));
    size_t n_searches = (size_t) f->n_used * f->n_groups;
    if (n_searches > e->n_nodes) n_searches = e->n_nodes; /* each has a test */
    n_searches += e->n_nodes / CT_FORGE_RANKS + 1;
    f->searches = CT_ARENA_NEW(&f->arena, ct_forge_search, n_searches);
    f->set_tests = CT_ARENA_NEW(&f->arena, ct_forge_set_test, n_sets);
    if (!p->plane_of || !all || !codes || !f->searches || !f->set_tests) return CT_NO_MEMORY;
    for (uint32_t g = 0; g < f->n_groups; g++) {
        uint32_t end = ct_forge_ensemble_end(e, f->groups[g].tree_end - 1);
        f->n_planes = 1;
        CT_TRY(make_searches(f, p, all, collect(f, p, begin, end, all)));
        make_set_tests(f, p, begin, end, codes);
        f->groups[g].search_end = f->n_searches;
        f->groups[g].set_end = f->n_set_tests;
        f->n_tests += f->n_planes - 1;
        if (f->n_planes > most) most = f->n_planes;
        begin = end;
    }
    f->n_planes = most;
    return CT_OK;
}

/* ---- trees ---- */

/* The leaf of number `number` is node `leaf`. */
static void set_term(const ct_forged *f, uint32_t tree, const ct_forge_plane_tree *packed,
                     void *terms, uint32_t number, uint32_t leaf)
{
    CT_ASSERT(number < 1u << packed->bits);
    const ct_forge_ensemble *e = f->ensemble;
    for (uint32_t k = 0; k < e->leaf_width; k++) {
        size_t at = ((size_t) k << packed->bits) + number;
        double term = ct_forge_ensemble_term(e, tree, leaf, k);
        if (e->sum == CT_FORGE_F32) ((float *) terms)[at] = (float) term;
        else ((double *) terms)[at] = term;
    }
}

static void *new_terms(ct_forged *f, const ct_forge_plane_tree *packed)
{
    size_t n = (size_t) f->ensemble->leaf_width << packed->bits;
    return ct_arena_zeroed(&f->arena, n, f->ensemble->sum == CT_FORGE_F32 ? sizeof(float)
                                                                    : sizeof(double));
}

/* Whether all tests of a level are one. */
static int is_symmetric(const uint32_t *program, uint32_t depth)
{
    for (uint32_t level = 0; level < depth; level++) {
        uint32_t first = (1u << level) - 1;
        for (uint32_t i = first + 1; i <= 2 * first; i++)
            if (program[i] != program[first]) return 0;
    }
    return 1;
}

/* Makes a tree perfect: all nodes below a leaf are that leaf, and plane 0 sends all rows left. */
static ct_status make_network(ct_forged *f, const ct_forge_packing *p, uint32_t tree,
                              ct_forge_plane_tree *packed)
{
    const ct_forge_ensemble *e = f->ensemble;
    uint32_t n = 1u << packed->bits, at[2 << CT_FORGE_NETWORK_DEPTH];
    uint32_t *program = CT_ARENA_NEW(&f->arena, uint32_t, n);
    void *terms = new_terms(f, packed);
    if (!program || !terms) return CT_NO_MEMORY;
    at[0] = e->roots[tree];
    for (uint32_t i = 0; i < n - 1; i++) {
        int leaf = e->feature[at[i]] < 0;
        program[i] = leaf ? 0 : p->plane_of[at[i]];
        at[2 * i + 1] = leaf ? at[i] : e->left[at[i]];
        at[2 * i + 2] = leaf ? at[i] : e->right[at[i]];
    }
    for (uint32_t i = 0; i < n; i++) set_term(f, tree, packed, terms, i, at[n - 1 + i]);
    packed->kind = is_symmetric(program, packed->bits) ? CT_FORGE_SYMMETRIC : CT_FORGE_NETWORK;
    packed->program = program;
    packed->terms = terms;
    return CT_OK;
}

/* What a tree of reach is made from: by node, from the root on. */
typedef struct {
    uint32_t set;          /* its rows */
    uint32_t parent;
    uint32_t low, n;       /* numbers of its leaves: low .. low + n - 1, from left to right */
} reached;

/* Whether all leaves below have that bit in their numbers. */
static int all_have(const reached *r, uint32_t bit)
{
    return (r->low >> bit & 1) && r->low >> bit == (r->low + r->n - 1) >> bit;
}

enum { TOP_NODES = 2 * CT_FORGE_PLANE_LEAVES };

/* The nodes of a top, parents first, and where the children of each are among them, 0 of exits. */
typedef struct {
    uint32_t n, node[TOP_NODES], left[TOP_NODES], right[TOP_NODES];
} tree_top;

static void list_top(const ct_forge_ensemble *e, const ct_forge_packing *p, uint32_t tree,
                     tree_top *top)
{
    uint32_t n = 1;
    top->node[0] = e->roots[tree];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t node = top->node[i];
        top->left[i] = top->right[i] = 0;
        if (p->region[node] == CT_FORGE_EXIT) continue;
        CT_ASSERT(n + 2 <= 2 * CT_FORGE_PLANE_LEAVES);
        top->node[top->left[i] = n++] = e->left[node];
        top->node[top->right[i] = n++] = e->right[node];
    }
    top->n = n;
}

static void number_leaves(const tree_top *top, reached *at)
{
    for (uint32_t i = top->n; i-- > 0;)
        at[i].n = top->left[i] ? at[top->left[i]].n + at[top->right[i]].n : 1;
    uint32_t n_inner = 0;
    at[0].set = at[0].low = at[0].parent = 0;
    for (uint32_t i = 0; i < top->n; i++) {
        if (!top->left[i]) continue;
        reached *left = &at[top->left[i]], *right = &at[top->right[i]];
        left->parent = right->parent = i;
        left->low = at[i].low;
        right->low = at[i].low + left->n;
        left->set = 2 * n_inner + 1;
        right->set = 2 * n_inner + 2;
        n_inner++;
    }
}

/* The sets whose union has the rows of leaves with that bit. */
static uint32_t *add_union(const reached *at, uint32_t n, uint32_t bit, uint32_t *next)
{
    uint32_t *count = next++;
    *count = 0;
    for (uint32_t i = 1; i < n; i++)
        if (all_have(&at[i], bit) && !all_have(&at[at[i].parent], bit)) {
            *next++ = at[i].set;
            ++*count;
        }
    return next;
}

/* The tests of a top and the unions that number its exits; where the program ends. */
static uint32_t *write_reach(const ct_forge_packing *p, const tree_top *top, const reached *at,
                             uint32_t bits, uint32_t *next)
{
    for (uint32_t i = 0; i < top->n; i++) {
        if (!top->left[i]) continue;
        *next++ = p->plane_of[top->node[i]];
        *next++ = at[i].set;
    }
    for (uint32_t bit = 0; bit < bits; bit++) next = add_union(at, top->n, bit, next);
    return next;
}

static ct_status set_exits(ct_forged *f, const ct_forge_packing *p, uint32_t tree,
                           const tree_top *top, const reached *at, ct_forge_plane_tree *packed)
{
    uint32_t exits[CT_FORGE_PLANE_LEAVES] = {0};
    for (uint32_t i = 0; i < top->n; i++)
        if (!top->left[i]) exits[at[i].low] = top->node[i];
    if (p->n_leaves[tree] > CT_FORGE_PLANE_LEAVES)
        return ct_forge_pack_below(f, p, tree, exits, packed);
    void *terms = new_terms(f, packed);
    if (!terms) return CT_NO_MEMORY;
    for (uint32_t i = 0; i < p->n_leaves[tree]; i++)
        set_term(f, tree, packed, terms, i, exits[i]);
    packed->terms = terms;
    return CT_OK;
}

static ct_status make_reach(ct_forged *f, const ct_forge_packing *p, uint32_t tree,
                            ct_forge_plane_tree *packed)
{
    tree_top top;
    reached at[2 * CT_FORGE_PLANE_LEAVES];
    uint32_t program[2 * CT_FORGE_PLANE_LEAVES + 8 * (2 * CT_FORGE_PLANE_LEAVES)];
    list_top(f->ensemble, p, tree, &top);
    number_leaves(&top, at);
    uint32_t size = (uint32_t) (write_reach(p, &top, at, packed->bits, program) - program);
    uint32_t *kept = CT_ARENA_NEW(&f->arena, uint32_t, size);
    if (!kept) return CT_NO_MEMORY;
    memcpy(kept, program, size * sizeof *kept);
    packed->kind = CT_FORGE_REACH;
    packed->n_inner = top.n / 2;
    packed->program = kept;
    return set_exits(f, p, tree, &top, at, packed);
}

static uint32_t depth_of(const ct_forge_ensemble *e, const ct_forge_packing *p, uint32_t tree)
{
    uint32_t deepest = 0;
    for (uint32_t i = e->roots[tree]; i < ct_forge_ensemble_end(e, tree); i++)
        if (p->depth[i] > deepest) deepest = p->depth[i];
    return deepest;
}

/* Per vector of rows a place of a network costs a load and a choice, a test of reach about four
 * times that. */
static int network_pays(uint32_t depth, uint32_t n_leaves)
{
    return depth <= CT_FORGE_NETWORK_DEPTH && 1u << depth <= 4 * n_leaves;
}

static ct_status slice_terms(ct_forged *f, ct_forge_plane_tree *packed)
{
    size_t width = f->ensemble->leaf_width, n = (size_t) 1 << packed->bits;
    uint8_t *slices = CT_ARENA_NEW(&f->arena, uint8_t, 8 * width * n);
    if (!slices) return CT_NO_MEMORY;
    for (size_t i = 0; i < width * n; i++) {
        uint64_t term;
        memcpy(&term, (const double *) packed->terms + i, sizeof term);
        for (unsigned byte = 0; byte < 8; byte++)
            slices[(i / n * 8 + byte) * n + i % n] = (uint8_t) (term >> (8 * byte));
    }
    packed->slices = slices;
    return CT_OK;
}

static ct_status make_tree(ct_forged *f, const ct_forge_packing *p, uint32_t tree)
{
    ct_forge_plane_tree *packed = &f->trees[tree];
    uint32_t depth = depth_of(f->ensemble, p, tree);
    packed->output = f->ensemble->output_of_tree[tree];
    if (network_pays(depth, p->n_leaves[tree])) {
        packed->bits = depth;
        CT_TRY(make_network(f, p, tree, packed));
    } else {
        while (packed->bits < 8 && 1u << packed->bits < p->n_leaves[tree]) packed->bits++;
        CT_TRY(make_reach(f, p, tree, packed));
    }
    int sliced = f->ensemble->sum == CT_FORGE_F64 && packed->bits >= CT_FORGE_SLICED_BITS &&
                 !packed->entry;
    return sliced ? slice_terms(f, packed) : CT_OK;
}

ct_status ct_forge_pack_planes(ct_forged *f, ct_forge_packing *p)
{
    CT_ASSERT(f->ensemble->n_trees > 0 && !f->trees);
    CT_TRY(ct_forge_pack_tops(f, p));
    CT_TRY(ct_forge_pack_codes(f, p));
    if (!f->has_planes) return CT_OK;
    CT_TRY(make_tests(f, p));
    f->trees = CT_ARENA_ZEROED(&f->arena, ct_forge_plane_tree, f->ensemble->n_trees);
    if (!f->trees) return CT_NO_MEMORY;
    for (uint32_t t = 0; t < f->ensemble->n_trees; t++)
        CT_TRY(make_tree(f, p, t));
    return CT_OK;
}
