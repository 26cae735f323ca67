#include "base/compact.h"

#include "forge/offload/image.h"

#include <math.h>
#include <string.h>

#include "forge/offload/planes_body.h"

/* What is made on the host, and then sent. */
typedef struct {
    const ct_forged *f;
    ct_forged_view *view;
    ct_arena arena;
    ct_forge_upload upload;
    uint32_t *plane_of; /* by that of the forged: the device's */
} making;

static size_t number_size(const making *m)
{
    return m->view->wide_sums ? sizeof(double) : sizeof(float);
}

/* ---- tests ---- */

static uint64_t key_of(const making *m, double threshold)
{
    if (isnan(threshold)) return 0;
    return m->view->wide ? ct_forge_wide_key(threshold) : ct_forge_narrow_key((float) threshold);
}

static void set_keys(const making *m, const ct_forge_search *s, void *keys, uint32_t first)
{
    for (uint32_t i = 0; i < (1u << s->bits) - 1; i++) {
        uint64_t key = i >= s->n ? UINT64_MAX : key_of(m, s->exact ? s->exact[i] : s->rounded[i]);
        if (m->view->wide) ((uint64_t *) keys)[first + i] = key;
        else ((uint32_t *) keys)[first + i] = (uint32_t) key;
    }
}

static ct_status make_keys(making *m)
{
    const ct_forged *f = m->f;
    size_t n = 0, size = m->view->wide ? sizeof(uint64_t) : sizeof(uint32_t);
    for (uint32_t i = 0; i < f->n_searches; i++) n += (1u << f->searches[i].bits) - 1;
    void *keys = ct_arena_alloc(&m->arena, n, size);
    ct_forge_key_search *searches = CT_ARENA_NEW(&m->arena, ct_forge_key_search, f->n_searches);
    if (!keys || !searches) return CT_NO_MEMORY;
    n = 0;
    for (uint32_t i = 0; i < f->n_searches; i++) {
        const ct_forge_search *s = &f->searches[i];
        searches[i] = (ct_forge_key_search){s->column, s->bits, (uint32_t) s->any_zero,
                                            (uint32_t) n};
        set_keys(m, s, keys, (uint32_t) n);
        n += (1u << s->bits) - 1;
    }
    ct_forge_upload_add(&m->upload, &m->view->keys, keys, n, size);
    ct_forge_upload_add(&m->upload, &m->view->searches, searches, f->n_searches, sizeof *searches);
    m->view->n_searches = f->n_searches;
    return CT_OK;
}

/* The tests of a search with this kind and the high half of this rank; their planes are next. */
static void add_group(making *m, uint32_t search, uint32_t kind, uint32_t high,
                      ct_forge_test_group *groups)
{
    const ct_forge_search *s = &m->f->searches[search];
    ct_forge_test_group group = {search, high, kind, 0, m->view->n_planes};
    for (uint32_t i = 0; i < s->n_tests; i++) {
        if (s->tests[i].kind != kind || s->tests[i].rank / 16u != high) continue;
        group.ranks |= 1u << s->tests[i].rank % 16;
        m->plane_of[s->first + i] = m->view->n_planes++;
    }
    if (group.ranks) groups[m->view->n_groups++] = group;
}

static ct_status make_groups(making *m)
{
    const ct_forged *f = m->f;
    ct_forge_test_group *groups = CT_ARENA_NEW(&m->arena, ct_forge_test_group, f->n_planes);
    m->plane_of = CT_ARENA_ZEROED(&m->arena, uint32_t, f->n_planes);
    if (!groups || !m->plane_of) return CT_NO_MEMORY;
    for (uint32_t i = 0; i < f->n_searches; i++)
        for (uint32_t kind = CT_FORGE_NAN_RIGHT; kind <= CT_FORGE_ZERO_RIGHT; kind++)
            for (uint32_t high = 0; high <= f->searches[i].n / 16; high++)
                add_group(m, i, kind, high, groups);
    ct_forge_upload_add(&m->upload, &m->view->groups, groups, m->view->n_groups, sizeof *groups);
    return CT_OK;
}

static ct_status make_code_tests(making *m)
{
    const ct_forged *f = m->f;
    const ct_forge_ensemble *e = f->ensemble;
    ct_forge_code_test *tests = CT_ARENA_NEW(&m->arena, ct_forge_code_test, f->n_set_tests);
    if (!tests) return CT_NO_MEMORY;
    for (uint32_t i = 0; i < f->n_set_tests; i++) {
        const ct_forge_set_test *from = &f->set_tests[i];
        uint32_t none = e->missing[from->node] == CT_FORGE_MISSING_NONE;
        m->plane_of[from->plane] = m->view->n_planes;
        const uint8_t *nan_left = none ? e->set_else : e->default_left;
        tests[i] = (ct_forge_code_test){from->column, from->node, m->view->n_planes++,
                                        nan_left[from->node]};
    }
    ct_forge_upload_add(&m->upload, &m->view->code_tests, tests, f->n_set_tests, sizeof *tests);
    m->view->n_code_tests = f->n_set_tests;
    return CT_OK;
}

static void send_sets(making *m)
{
    const ct_forge_ensemble *e = m->f->ensemble;
    ct_forge_ensemble *sets = &m->view->sets;
    sets->minus_fraction = e->minus_fraction;
    if (!e->n_set_bits) return;
    ct_forge_upload_add(&m->upload, &sets->set_first, e->set_first, e->n_nodes,
                        sizeof *e->set_first);
    ct_forge_upload_add(&m->upload, &sets->set_size, e->set_size, e->n_nodes, sizeof *e->set_size);
    ct_forge_upload_add(&m->upload, &sets->set_else, e->set_else, e->n_nodes, sizeof *e->set_else);
    ct_forge_upload_add(&m->upload, &sets->sets, e->sets, (e->n_set_bits + 7) / 8, sizeof *e->sets);
}

/* ---- networks ---- */

/* A tree of reach becomes a perfect one: its tests with the tests below them on either side, 0:
 * leaves, which have their numbers from left to right. */
typedef struct {
    uint32_t below[CT_FORGE_PLANE_LEAVES][2], depth[CT_FORGE_PLANE_LEAVES];
    uint32_t deepest, n_leaves;
    uint32_t *program, *leaf_at; /* [2^deepest - 1], [2^deepest] */
} perfect_tree;

static void find_below(const ct_forge_plane_tree *tree, perfect_tree *p)
{
    memset(p, 0, sizeof *p);
    for (uint32_t i = 0; i < tree->n_inner; i++) {
        uint32_t source = tree->program[2 * i + 1], parent = (source - 1) / 2;
        if (source) p->below[parent][source % 2 == 0] = i;
        if (source) p->depth[i] = p->depth[parent] + 1;
        if (p->depth[i] + 1 > p->deepest) p->deepest = p->depth[i] + 1;
    }
}

/* Stores a leaf at an address, and at all that are below it. */
static void store_leaf(perfect_tree *p, uint32_t leaf, uint32_t at, uint32_t level)
{
    uint32_t n = 1u << (p->deepest - level), first = at + 1 - (1u << level);
    for (uint32_t i = 0; i < n; i++) p->leaf_at[first * n + i] = leaf;
}

static void store_key(const making *m, const ct_forge_plane_tree *tree, perfect_tree *p,
                      uint32_t test, uint32_t at, uint32_t level)
{
    p->program[at] = m->plane_of[tree->program[2 * test]];
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t below = p->below[test][side], there = 2 * at + 1 + side;
        if (below) store_key(m, tree, p, below, there, level + 1);
        else store_leaf(p, p->n_leaves++, there, level + 1);
    }
}

static uint32_t depth_on_device(const ct_forge_plane_tree *tree)
{
    perfect_tree p;
    if (tree->kind != CT_FORGE_REACH) return tree->bits;
    find_below(tree, &p);
    return p.deepest;
}

/* Tests and terms of a tree behind those of the ones before it. */
static void make_network(const making *m, const ct_forge_plane_tree *tree,
                         const ct_forge_device_network *to, uint32_t *programs, char *terms)
{
    uint32_t leaf_at[1 << CT_FORGE_NETWORK_DEPTH], n = 1u << to->bits;
    perfect_tree p;
    if (tree->kind != CT_FORGE_REACH) {
        for (uint32_t i = 0; i < n - 1; i++)
            programs[to->program + i] = m->plane_of[tree->program[i]];
        for (uint32_t i = 0; i < n; i++) leaf_at[i] = i;
    } else {
        find_below(tree, &p);
        p.program = programs + to->program;
        p.leaf_at = leaf_at;
        store_key(m, tree, &p, 0, 0, 0);
    }
    const char *from = (const char *) tree->terms;
    size_t size = number_size(m);
    for (uint32_t k = 0; k < m->view->leaf_width; k++)
        for (uint32_t i = 0; i < n; i++)
            memcpy(terms + (to->terms + ((size_t) k << to->bits) + i) * size,
                   from + (((size_t) k << tree->bits) + leaf_at[i]) * size, size);
}

static ct_status make_networks(making *m)
{
    const ct_forged *f = m->f;
    uint32_t n_trees = f->ensemble->n_trees;
    size_t n_terms = 0, n_program = 0, size = number_size(m);
    ct_forge_device_network *networks = CT_ARENA_NEW(&m->arena, ct_forge_device_network, n_trees);
    if (!networks) return CT_NO_MEMORY;
    for (uint32_t t = 0; t < n_trees; t++) {
        uint32_t bits = depth_on_device(&f->trees[t]);
        networks[t] = (ct_forge_device_network){bits, (uint32_t) n_program, (uint32_t) n_terms};
        n_program += (1u << bits) - 1;
        n_terms += (size_t) m->view->leaf_width << bits;
    }
    /* those of a tree may lie before what is not yet beyond 32 bits: its end counts */
    if (n_terms > UINT32_MAX || n_program > UINT32_MAX) return CT_BAD_INPUT;
    uint32_t *programs = CT_ARENA_ZEROED(&m->arena, uint32_t, n_program);
    char *terms = (char *) ct_arena_alloc(&m->arena, n_terms, size);
    if (!programs || !terms) return CT_NO_MEMORY;
    for (uint32_t t = 0; t < n_trees; t++)
        make_network(m, &f->trees[t], &networks[t], programs, terms);
    ct_forge_upload_add(&m->upload, &m->view->networks, networks, n_trees, sizeof *networks);
    ct_forge_upload_add(&m->upload, &m->view->programs, programs, n_program, sizeof *programs);
    ct_forge_upload_add(&m->upload, &m->view->terms, terms, n_terms, size);
    return CT_OK;
}

/* ---- walks ---- */

static ct_status make_walks(making *m)
{
    const ct_forged *f = m->f;
    const ct_forge_ensemble *e = f->ensemble;
    size_t n = (size_t) e->n_nodes * e->leaf_width, size = number_size(m);
    void *terms = ct_arena_zeroed(&m->arena, n, size);
    ct_forge_key_node *nodes = CT_ARENA_NEW(&m->arena, ct_forge_key_node, e->n_nodes);
    if (!terms || !nodes) return CT_NO_MEMORY;
    for (uint32_t i = 0; i < e->n_nodes; i++) {
        const ct_forged_node *node = &f->nodes[i];
        const int inner = (node->what & CT_FORGE_WALK_INNER) != 0;
        nodes[i] = (ct_forge_key_node){inner ? key_of(m, node->threshold) : 0,
                                       node->next, node->what};
    }
    for (uint32_t t = 0; t < e->n_trees; t++)
        for (uint32_t i = e->roots[t]; i < ct_forge_ensemble_end(e, t); i++)
            for (uint32_t k = 0; e->feature[f->node_of[i]] < 0 && k < e->leaf_width; k++) {
                double term = ct_forge_ensemble_term(e, t, f->node_of[i], k);
                if (m->view->wide_sums) ((double *) terms)[(size_t) i * e->leaf_width + k] = term;
                else ((float *) terms)[(size_t) i * e->leaf_width + k] = (float) term;
            }
    ct_forge_upload_add(&m->upload, &m->view->nodes, nodes, e->n_nodes, sizeof *nodes);
    ct_forge_upload_add(&m->upload, &m->view->node_of, f->node_of, e->n_nodes, sizeof *f->node_of);
    ct_forge_upload_add(&m->upload, &m->view->roots, e->roots, e->n_trees, sizeof *e->roots);
    ct_forge_upload_add(&m->upload, &m->view->terms, terms, n, size);
    return CT_OK;
}

/* ---- sums ---- */

/* Trees by output; of those that add to all outputs there is one list. */
static ct_status make_adders(making *m)
{
    const ct_forge_ensemble *e = m->f->ensemble;
    uint32_t n = 0, *adders = CT_ARENA_NEW(&m->arena, uint32_t, e->n_trees),
             *from = CT_ARENA_NEW(&m->arena, uint32_t, e->n_outputs),
             *to = CT_ARENA_ZEROED(&m->arena, uint32_t, e->n_outputs);
    if (!adders || !from || !to) return CT_NO_MEMORY;
    for (uint32_t t = 0; t < e->n_trees; t++) to[e->output_of_tree[t]]++;
    for (uint32_t k = 0; k < e->n_outputs; k++) {
        from[k] = n;
        n += to[k];
        to[k] = from[k];
    }
    for (uint32_t t = 0; t < e->n_trees; t++) adders[to[e->output_of_tree[t]]++] = t;
    for (uint32_t k = 0; e->leaf_width > 1 && k < e->n_outputs; k++) from[k] = 0, to[k] = n;
    ct_forge_upload_add(&m->upload, &m->view->adders, adders, e->n_trees, sizeof *adders);
    ct_forge_upload_add(&m->upload, &m->view->from, from, e->n_outputs, sizeof *from);
    ct_forge_upload_add(&m->upload, &m->view->to, to, e->n_outputs, sizeof *to);
    ct_forge_upload_add(&m->upload, &m->view->base, e->base, e->n_outputs, sizeof *e->base);
    return CT_OK;
}

/* ---- all of it ---- */

int ct_forge_has_networks(const ct_forged *f)
{
    return f->has_planes && f->deepest <= CT_FORGE_NETWORK_DEPTH;
}

static ct_status make_all(making *m, int networks)
{
    send_sets(m);
    CT_TRY(make_adders(m));
    if (!networks) return make_walks(m);
    CT_TRY(make_keys(m));
    CT_TRY(make_groups(m));
    CT_TRY(make_code_tests(m));
    return make_networks(m);
}

static ct_status refused(ct_status why, ct_error *error)
{
    if (why == CT_NO_MEMORY)
        return ct_fail(error, why, "not enough memory to lay trees out for a device");
    return ct_fail(error, why, "this many leaves are left to the CPU");
}

ct_status ct_forge_send(const ct_forged *f, ct_forge_way way, int any_order, ct_gpu *gpu,
                        ct_gpu_block *block, ct_forged_view *view, ct_error *error)
{
    CT_ASSERT(gpu && !block->memory);
    const ct_forge_ensemble *e = f->ensemble;
    int networks = ct_forge_has_networks(f) && way != CT_FORGE_WAY_WALK;
    if (e->first_term)
        return ct_fail(error, CT_BAD_INPUT, "linear models of leaves are left to the CPU");
    if (way == CT_FORGE_WAY_PLANES && !networks)
        return ct_fail(error, CT_BAD_INPUT, "a tree has more than %d splits above a leaf",
                       CT_FORGE_NETWORK_DEPTH);
    memset(view, 0, sizeof *view);
    view->n_trees = e->n_trees;
    view->n_used = f->n_used;
    view->n_outputs = e->n_outputs;
    view->leaf_width = e->leaf_width;
    view->wide = e->number == CT_FORGE_F64;
    view->wide_sums = e->sum == CT_FORGE_F64;
    view->divisor = e->divisor;
    view->any_order = any_order && view->wide_sums;
    ct_budget budget = {SIZE_MAX / 2, 0};
    making m = {.f = f, .view = view};
    ct_arena_init(&m.arena, &budget);
    ct_status status = make_all(&m, networks);
    status = status == CT_OK ? ct_forge_upload_send(&m.upload, gpu, block, error)
                             : refused(status, error);
    ct_arena_free(&m.arena);
    return status;
}
