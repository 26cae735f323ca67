#include "base/compact.h"

#include "forge/schedule/nest.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *form;
} directives[] = {
    {"tile", "Lnnk"},     {"split", "Lnnk"},   {"reorder", "*"},     {"represent", "r"},
    {"gpuDimension", "Ld"}, {"cache", "L"},    {"parallel", "L"},    {"interleave", "Lk"},
    {"unrollWalk", "Lk"}, {"peelWalk", "Lk"},  {"atomicReduce", "L"}, {"sharedReduce", "L"},
    {"vectorReduce", "Lk"}, {"simdize", "Lk"}};

static const char *const dimensions[] = {"grid.x", "grid.y", "grid.z",
                                         "block.x", "block.y", "block.z"};
static const char *const layouts[] = {"sparse", "array", "reorg", "planes"};

const char *ct_forge_directive_name(ct_forge_directive directive)
{
    CT_ASSERT(directive < CT_FORGE_N_DIRECTIVES);
    return directives[directive].name;
}

const char *ct_forge_directive_form(ct_forge_directive directive)
{
    CT_ASSERT(directive < CT_FORGE_N_DIRECTIVES);
    return directives[directive].form;
}

const char *ct_forge_dimension_name(int dimension) { return dimensions[dimension]; }
const char *ct_forge_layout_name(int layout) { return layouts[layout]; }

static void clear_loop(ct_forge_index *loop, const char *name, ct_forge_axis axis)
{
    memset(loop, 0, sizeof *loop);
    snprintf(loop->name, sizeof loop->name, "%s", name);
    loop->axis = axis;
    loop->stop = CT_FORGE_OPEN;
    loop->step = 1;
    loop->from = loop->outer = loop->inner = loop->next = -1;
    loop->live = 1;
}

void ct_forge_nest_begin(ct_forge_nest *nest)
{
    memset(nest, 0, sizeof *nest);
    clear_loop(&nest->loops[0], "batch", CT_FORGE_ROWS);
    clear_loop(&nest->loops[1], "tree", CT_FORGE_TREES);
    nest->loops[0].inner = 1;
    nest->loops[1].outer = 0;
    nest->n_loops = 2;
}

int ct_forge_nest_find(const ct_forge_nest *nest, const char *name)
{
    CT_ASSERT(name);
    for (int i = 0; i < nest->n_loops; i++)
        if (nest->loops[i].live && !strcmp(nest->loops[i].name, name)) return i;
    return -1;
}

int ct_forge_nest_descends(const ct_forge_nest *nest, int loop, int from)
{
    CT_ASSERT(loop >= 0 && loop < nest->n_loops && from >= 0 && from < nest->n_loops);
    while (loop >= 0 && loop != from) loop = nest->loops[loop].from;
    return loop == from;
}

int ct_forge_nest_concurrent(const ct_forge_nest *nest, int loop)
{
    CT_ASSERT(loop >= 0 && loop < nest->n_loops);
    return nest->loops[loop].marked[CT_FORGE_GPU] || nest->loops[loop].marked[CT_FORGE_PARALLEL];
}

int ct_forge_nest_on_gpu(const ct_forge_nest *nest)
{
    for (int i = 0; i < nest->n_loops; i++)
        if (nest->loops[i].live && nest->loops[i].marked[CT_FORGE_GPU]) return 1;
    return 0;
}

/* The last statement that names a loop, from 1; 0: none does. */
static int last_about(const ct_forge_nest *nest, int loop)
{
    for (uint32_t i = nest->n_statements; loop >= 0 && i > 0; i--)
        for (uint32_t k = 0; k < nest->statements[i - 1].n_words; k++)
            if (!strcmp(nest->statements[i - 1].words[k], nest->loops[loop].name)) return (int) i;
    return 0;
}

ct_status ct_forge_nest_fault(const ct_forge_nest *nest, int statement, int loop,
                              ct_forge_rule rule, ct_error *error, const char *format, ...)
{
    char reason[120], where[48] = "", of[48] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    if (statement <= 0) statement = last_about(nest, loop);
    if (statement > 0 && (uint32_t) statement <= nest->n_statements)
        snprintf(where, sizeof where, "statement %d, %s: ", statement,
                 ct_forge_directive_name(nest->statements[statement - 1].directive));
    if (loop >= 0) snprintf(of, sizeof of, "loop '%s': ", nest->loops[loop].name);
    return ct_fail(error, CT_BAD_INPUT, "%s%s%s (rule %s)", where, of, reason,
                   ct_forge_rule_name(rule));
}

/* ---- the nest ---- */

/* The link that leads to a loop: from its neighbour, from around it, or from outside. */
static int *link_to(ct_forge_nest *nest, int loop)
{
    int outer = nest->loops[loop].outer;
    int *link = outer >= 0 ? &nest->loops[outer].inner : &nest->first;
    while (*link != loop) link = &nest->loops[*link].next;
    return link;
}

static void set_outer(ct_forge_nest *nest, int first, int outer)
{
    for (; first >= 0; first = nest->loops[first].next) nest->loops[first].outer = outer;
}

/* How many loops lie around the deepest walk within, this one counted. */
static int height(const ct_forge_nest *nest, int loop)
{
    int most = 0;
    for (int i = nest->loops[loop].inner; i >= 0; i = nest->loops[i].next) {
        int below = height(nest, i);
        if (below > most) most = below;
    }
    return most + 1;
}

/* The statement under way; errors say it by number and name, and `nest` is a copy. */
typedef struct {
    ct_forge_nest *nest;
    const ct_forge_statement *statement;
    ct_error *error;
} applying;

#define FAULT(s, loop, rule, ...)                                                                 \
    ct_forge_nest_fault((s)->nest, (int) (s)->nest->n_statements, loop,                            \
                        CT_FORGE_RULE_##rule, (s)->error, __VA_ARGS__)

static ct_status find_loop(const applying *s, const char *name, int *loop)
{
    *loop = ct_forge_nest_find(s->nest, name);
    if (*loop >= 0) return CT_OK;
    for (int i = 0; i < s->nest->n_loops; i++)
        if (!strcmp(s->nest->loops[i].name, name))
            return FAULT(s, i, LOOP, "it is no longer there: it was %s",
                         s->nest->loops[i].tile ? "tiled" : "split");
    return FAULT(s, -1, LOOP, "there is no loop '%s'", name);
}

static int is_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char all[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return name[0] && strchr(letters, name[0]) && strspn(name, all) == strlen(name);
}

/* A new loop like another, from which it descends. */
static ct_status new_loop(const applying *s, int from, const char *name, int *made)
{
    ct_forge_nest *nest = s->nest;
    if (!is_name(name) || strlen(name) >= CT_FORGE_NAME)
        return FAULT(s, from, NAME, "'%s' is no name", name);
    for (int i = 0; i < nest->n_loops; i++)
        if (!strcmp(nest->loops[i].name, name))
            return FAULT(s, from, NAME, "there is a loop '%s' already", name);
    if (nest->n_loops == CT_FORGE_MOST_LOOPS)
        return FAULT(s, from, SIZE, "there are more than %d loops", CT_FORGE_MOST_LOOPS);
    *made = nest->n_loops++;
    nest->loops[*made] = nest->loops[from];
    snprintf(nest->loops[*made].name, CT_FORGE_NAME, "%s", name);
    nest->loops[*made].from = from;
    return CT_OK;
}

static ct_status tile(const applying *s)
{
    ct_forge_nest *nest = s->nest;
    int64_t n = s->statement->number;
    int loop, outer, inner;
    CT_TRY(find_loop(s, s->statement->words[0], &loop));
    for (int i = CT_FORGE_GPU; i < CT_FORGE_N_DIRECTIVES; i++)
        if (nest->loops[loop].marked[i])
            return FAULT(s, loop, MARKED, "%s was said of it",
                         ct_forge_directive_name((ct_forge_directive) i));
    if (n < 1 || n > CT_FORGE_MOST_FACTOR || n * nest->loops[loop].step > CT_FORGE_MOST_FACTOR)
        return FAULT(s, loop, TILE_SIZE, "a tile of %lld iterations",
                     (long long) n);
    CT_TRY(new_loop(s, loop, s->statement->words[1], &outer));
    CT_TRY(new_loop(s, loop, s->statement->words[2], &inner));
    ct_forge_index *parent = &nest->loops[loop], *o = &nest->loops[outer], *i = &nest->loops[inner];
    *link_to(nest, loop) = outer;
    o->step = parent->step * n;
    i->start = 0;
    i->stop = parent->step * n;
    o->inner = inner;
    i->outer = outer;
    i->next = -1;
    set_outer(nest, i->inner, inner);
    parent->live = 0;
    parent->tile = n;
    if (height(nest, outer) > CT_FORGE_MOST_NEST)
        return FAULT(s, loop, SIZE, "more than %d loops lie within each other",
                     CT_FORGE_MOST_NEST);
    return CT_OK;
}

/* The loops within `from`, and beside its first one, once more around and within `to`; named with
 * the name of the half at the end. */
static ct_status copy_inner(const applying *s, int from, int to, const char *half)
{
    ct_forge_nest *nest = s->nest;
    int last = -1;
    nest->loops[to].inner = -1;
    for (int i = nest->loops[from].inner; i >= 0; i = nest->loops[i].next) {
        char name[2 * CT_FORGE_NAME + 1];
        int copy;
        snprintf(name, sizeof name, "%s_%s", nest->loops[i].name, half);
        CT_TRY(new_loop(s, i, name, &copy));
        nest->loops[copy].outer = to;
        nest->loops[copy].next = -1;
        if (last < 0) nest->loops[to].inner = copy;
        else nest->loops[last].next = copy;
        last = copy;
        CT_TRY(copy_inner(s, i, copy, half));
    }
    return CT_OK;
}

static void bury(ct_forge_nest *nest, int loop)
{
    nest->loops[loop].live = 0;
    for (int i = nest->loops[loop].inner; i >= 0; i = nest->loops[i].next) bury(nest, i);
}

static ct_status split(const applying *s)
{
    ct_forge_nest *nest = s->nest;
    int64_t k = s->statement->number;
    int loop, first = -1, second = -1;
    CT_TRY(find_loop(s, s->statement->words[0], &loop));
    const ct_forge_index *parent = &nest->loops[loop];
    if (k <= parent->start || k >= parent->stop || k > CT_FORGE_MOST_FACTOR)
        return FAULT(s, loop, SPLIT_RANGE, "%lld is not within %lld and %s",
                     (long long) k, (long long) parent->start,
                     parent->stop == CT_FORGE_OPEN ? "its stop" : "the loop's stop");
    if ((k - parent->start) % parent->step)
        return FAULT(s, loop, SPLIT_STEP, "%lld is no iteration: the loop goes in "
                     "steps of %lld", (long long) k, (long long) parent->step);
    CT_TRY(new_loop(s, loop, s->statement->words[1], &first));
    CT_TRY(new_loop(s, loop, s->statement->words[2], &second));
    CT_ASSERT(first >= 0 && second >= 0);
    nest->loops[first].stop = k;
    nest->loops[second].start = k;
    *link_to(nest, loop) = first;
    nest->loops[first].next = second;
    CT_TRY(copy_inner(s, loop, first, nest->loops[first].name));
    CT_TRY(copy_inner(s, loop, second, nest->loops[second].name));
    bury(nest, loop);
    return CT_OK;
}

static int listed(const int *loops, uint32_t n, int loop)
{
    for (uint32_t i = 0; i < n; i++)
        if (loops[i] == loop) return 1;
    return 0;
}

/* The loops as they lie, outermost first; they must be one directly within the other. */
static ct_status chain_of(const applying *s, const int *loops, uint32_t n, int *chain)
{
    const ct_forge_nest *nest = s->nest;
    int at = loops[0];
    while (listed(loops, n, nest->loops[at].outer)) at = nest->loops[at].outer;
    for (uint32_t i = 0; i < n; i++) {
        chain[i] = at;
        if (i + 1 == n) break;
        int inner = nest->loops[at].inner;
        if (inner >= 0 && nest->loops[inner].next >= 0)
            return FAULT(s, at, REORDER_PERFECT, "it holds several loops");
        if (!listed(loops, n, inner))
            return FAULT(s, at, REORDER_CHAIN, "the loop within it is not listed");
        at = inner;
    }
    return CT_OK;
}

static ct_status reorder(const applying *s)
{
    ct_forge_nest *nest = s->nest;
    int loops[CT_FORGE_MOST_WORDS], chain[CT_FORGE_MOST_WORDS] = {0};
    uint32_t n = s->statement->n_words;
    if (n < 1) return FAULT(s, -1, ARGUMENTS, "no loop is named");
    for (uint32_t i = 0; i < n; i++) {
        CT_TRY(find_loop(s, s->statement->words[i], &loops[i]));
        if (listed(loops, i, loops[i]))
            return FAULT(s, loops[i], REORDER_TWICE, "it is listed twice");
    }
    CT_TRY(chain_of(s, loops, n, chain));
    int outer = nest->loops[chain[0]].outer, next = nest->loops[chain[0]].next;
    int inner = nest->loops[chain[n - 1]].inner, *link = link_to(nest, chain[0]);
    *link = loops[0];
    for (uint32_t i = 0; i < n; i++) {
        nest->loops[loops[i]].outer = i ? loops[i - 1] : outer;
        nest->loops[loops[i]].inner = i + 1 < n ? loops[i + 1] : inner;
        nest->loops[loops[i]].next = i ? -1 : next;
    }
    set_outer(nest, inner, loops[n - 1]);
    return CT_OK;
}

/* The limits of a directive's number. */
static ct_status check_factor(const applying *s, int loop)
{
    int64_t k = s->statement->number, most = CT_FORGE_MOST_LANES;
    switch (s->statement->directive) {
    case CT_FORGE_UNROLL: case CT_FORGE_PEEL: most = CT_FORGE_MOST_HOPS; break;
    case CT_FORGE_INTERLEAVE: case CT_FORGE_VECTOR: break;
    default: return CT_OK;
    }
    if (k >= 1 && k <= most) return CT_OK;
    return FAULT(s, loop, FACTOR, "%lld is not within 1 and %d", (long long) k,
                 (int) most);
}

static ct_status mark(const applying *s)
{
    int loop;
    CT_TRY(find_loop(s, s->statement->words[0], &loop));
    ct_forge_index *index = &s->nest->loops[loop];
    ct_forge_directive directive = s->statement->directive;
    if (index->marked[directive])
        return FAULT(s, loop, ONCE, "that was said already");
    CT_TRY(check_factor(s, loop));
    index->marked[directive] = (int) s->nest->n_statements;
    index->number[directive] = s->statement->number;
    return CT_OK;
}

static ct_status represent(const applying *s)
{
    if (s->nest->layout_statement)
        return FAULT(s, -1, ONCE, "the representation was given already");
    s->nest->layout = (ct_forge_nest_layout) s->statement->number;
    s->nest->layout_statement = (int) s->nest->n_statements;
    return CT_OK;
}

ct_status ct_forge_nest_add(ct_forge_nest *nest, const ct_forge_statement *statement,
                            ct_error *error)
{
    CT_ASSERT(nest->n_statements <= CT_FORGE_MOST_STATEMENTS &&
              statement->n_words <= CT_FORGE_MOST_WORDS);
    ct_forge_nest copy = *nest;
    applying s = {&copy, statement, error};
    if (copy.n_statements == CT_FORGE_MOST_STATEMENTS)
        return ct_forge_nest_fault(nest, 0, -1, CT_FORGE_RULE_SIZE, error,
                                   "more than %d statements", CT_FORGE_MOST_STATEMENTS);
    copy.statements[copy.n_statements++] = *statement;
    switch (statement->directive) {
    case CT_FORGE_TILE: CT_TRY(tile(&s)); break;
    case CT_FORGE_SPLIT: CT_TRY(split(&s)); break;
    case CT_FORGE_REORDER: CT_TRY(reorder(&s)); break;
    case CT_FORGE_REPRESENT: CT_TRY(represent(&s)); break;
    default: CT_TRY(mark(&s)); break;
    }
    *nest = copy;
    return CT_OK;
}
