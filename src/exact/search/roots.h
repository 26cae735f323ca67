/* The search over root splits of one row set, the same at every depth from two up.
 *
 * Every root feature is a line of thresholds. Evaluating one gives a candidate; the open intervals
 * between candidates are closed by bounds or split at another candidate until none is left. What an
 * evaluation is depends on the depth: a scan over child features at depth two (depth2.c), the
 * solution of two smaller problems above it (branch.c).
 *
 * The state of a search (ct_roots) is apart from what one thread needs to evaluate (ct_evaluator):
 * the whole table's root is searched by a team (team.h), every other row set by the one worker that
 * came to it, and those who have nothing to do at the root come to help. */
#ifndef CT_EXACT_SEARCH_ROOTS_H
#define CT_EXACT_SEARCH_ROOTS_H

#include "exact/bound/interval.h"
#include "exact/rows/node.h"
#include "exact/rows/spans.h"
#include "exact/rows/planes.h"
#include "exact/rows/tallies.h"
#include "exact/bound/cache.h"
#include "exact/search/team.h"

/* The answer for one row set: relaxed <= the relaxed optimum (see interval.h), proven <= the
 * allowed optimum <= upper, where upper is the cost of a known allowed tree. A finished solve with
 * a cap has either proven == upper < cap, or proven >= min(cap, leaf). Where trees of any leaf size
 * are allowed, relaxed == proven. */
typedef struct {
    int64_t relaxed, proven, upper;
} ct_bounds;

/* A tree of the row set at hand, as a heap, with the costs of the whole and of both sides of its
 * root. */
typedef struct {
    ct_split_code *codes;
    int64_t cost, side[2];
    int settled; /* of the trees with its root it is the one that the rule wants */
} ct_known_tree;

/* What is asked of a solve. */
typedef struct {
    unsigned depth;
    uint32_t leaves;             /* at most; 0: as many as the depth allows */
    /* the same of either side of the root, in a search over root splits */
    uint32_t side_leaves[2];
    /* with few leaves: a lower bound of the trees whose leaves are dealt out to the sides of the
     * root in other ways */
    int64_t elsewhere;
    const ct_path *path;         /* how the row set lies in the table */
    /* what the root of a tree must keep to does not matter, even if this is all of the table */
    int as_side;
    int64_t cap;                 /* costs from here on need not be told apart */
    /* the team's limit by which the cap was set: see ct_thresholds_refresh() */
    int64_t seen;
    int64_t gap;                 /* trees better by no more than this need not be found */
    int on_cpu;                  /* none of it is for a device */
    /* of equal trees, take that of the first feature and its first threshold, and so on down: see
     * settle_ties() in roots.c */
    int first_of_ties;
    int first_sides;             /* the same below the root alone */
    int error_free;              /* trees without errors alone, or none: see error_free.h */
    const ct_known_tree *known;  /* may be NULL */
    const int64_t *root_bounds;  /* [f] proven lower bounds with root feature f; may be NULL */
    /* with counts at depth three: what trees of depth two cost at least on each side of each test
     * of the layout, before and after; may be NULL. See quadrants.h */
    int64_t *sides;
    int every_root;              /* also what bounds rule out, to know the cost of its sides */
    const ct_split_code *hint;   /* a tree of a similar row set, as a heap; may be NULL */
    uint32_t hint_at;            /* its root in that heap */
    uint32_t hint_size;          /* entries of that heap */
} ct_exact_task;

/* Whether the root of its trees is that of the whole tree. */
static inline int ct_is_root(const ct_exact_task *task)
{
    return !task->path->n && !task->as_side;
}

/* An open interval: no threshold between a and b is done with. */
typedef struct ct_interval {
    ct_candidate *a, *b;
    int64_t bound;
    int of_team; /* as in ct_candidate */
    struct ct_interval *next;
} ct_interval;

/* One root feature. */
typedef struct {
    ct_interval *open;    /* a stack */
    /* a stack of those put off: they may hold trees as good as the best one, and none that is
     * better */
    ct_interval *later;
    int begun;            /* it has been taken up */
    int64_t run_cost[2];  /* [side] what leaf_runs.c asked for last, 0: nothing; ... */
    uint32_t run_rows[2]; /* ... and the answer */
    int64_t key;          /* features are searched by this, least first, or by this and a bound */
} ct_exact_feature;

typedef struct ct_roots ct_roots;
typedef struct ct_evaluator ct_evaluator;

/* What one worker needs to evaluate candidates. */
struct ct_evaluator {
    ct_worker *worker;
    ct_arena *arena;        /* of what it keeps while it works here */
    ct_roots *roots;
    int64_t target;         /* costs from here on need not be told apart */
    int64_t seen;           /* see ct_thresholds_refresh() */
    /* trees that are known to cost less need not be counted exactly: see ct_known.unsure */
    int64_t clear;
    /* out: by how much the tree found may cost less than was said, a lower bound of all there */
    int64_t unsure;
    ct_totals totals[2];    /* of both sides of the threshold under evaluation */
    int64_t upper[2];       /* out: costs of the sides' best known trees */
    void *extra;            /* of the evaluations */
    struct ct_ahead *ahead; /* candidates that are prepared together, see ahead.h; NULL: none yet */
    const uint64_t *planes; /* made ahead for the candidate under evaluation; NULL: they are not */
};

/* What is known so far of the trees of a row set, in ct_roots. */
typedef struct {
    /* the least cost known, or the cap if that is less: what a split must stay below */
    int64_t best;
    /* the best tree costs so much less at most, as do all trees with its root's threshold: it is
     * counted exactly when that decides, or at the end; 0: it has been */
    int64_t unsure;
    int64_t *root_bounds;    /* [f] proven lower bound of all trees with root feature f, relaxed */
    /* a lower bound of the allowed trees at all thresholds that are done with */
    int64_t proven;
    /* heap of the best tree once `improved`; before that, of a promising one */
    ct_split_code *tree;
    int settled;             /* as in ct_known_tree */
    int improved;            /* a tree below the leaf and the cap is known; its cost is `best` */
    uint32_t best_threshold; /* its root's, in the layout's ranks */
    int64_t best_side[2];    /* its sides' costs */
    int64_t promising;       /* the least total among the candidates */
    int64_t separate;        /* the largest sum of the two sides' bounds: see ct_roots_close_up */
    int64_t least;           /* a lower bound of every tree, from the class counts */
} ct_known;

/* A root split within a budget, and the costs of the best trees of its sides. */
typedef struct {
    uint32_t feature, threshold, n_left; /* the threshold in the layout's ranks */
    int64_t side[2];
} ct_survivor;

/* A search that looks for all root splits that cost less than `best` of ct_known, which then does
 * not fall. */
typedef struct {
    ct_survivor *of;  /* [n] owned: ct_alloc */
    uint32_t n, room;
    int64_t open;     /* a lower bound of what was left open as the search was stopped */
} ct_survivors;

/* Who works at a row set, in ct_roots. */
typedef struct {
    /* who searches besides, and the lock on all of this; NULL: one worker alone */
    ct_team *team;
    ct_team *reserve;               /* who can be called; NULL: nobody */
    double call_at;                 /* after how much work */
    /* the team searches the whole table; otherwise some of it may have come to help */
    int whole;
    unsigned busy;                  /* evaluations under way */
    unsigned helpers;               /* evaluators that others have here */
    struct ct_roots *next_shared;   /* of the row sets where help is welcome, in ct_team.shared */
} ct_workers;

struct ct_roots {
    ct_known known;
    ct_workers work;
    ct_worker *worker;       /* whose search it is */
    const ct_node *node;
    const ct_exact_task *task;
    ct_arena *arena;         /* of all that is kept until the search ends */
    int64_t cap, seen;       /* see ct_thresholds_refresh() */
    /* thresholds with fewer rows than this on a side need not be looked at, */
    uint32_t edge;
    /* [f][2] nor with fewer or more than these on the left; NULL: with any */
    uint32_t *limits;
    int64_t leaf;            /* cost of the leaf */
    ct_candidate ends[2];    /* before the first row and after the last */
    ct_exact_feature *features; /* [f] */
    ct_spans *spans;         /* what rows between thresholds cost at least; NULL: not asked */
    struct ct_quadrants *quadrants; /* of counted sides; NULL: they are not remembered */
    ct_tally_table *tallies; /* of features with few values, at depth two; NULL: none */
    uint32_t next_whole;     /* the next feature without a candidate, or the first that may be */
    int by_key;              /* those are taken by their keys */
    int32_t current;         /* the feature under search; -1: none */
    int leaf_runs;           /* these are looked for: see leaf_runs.h */
    int ties_now;            /* nothing is put off any more */
    ct_exact_part *part;     /* the search is a part of one, see run/part.h; NULL: all of it */
    double pause_at;         /* of the part, in ct_seconds() */
    int64_t best_before;     /* what was the best cost at its begin */
    ct_survivors *survivors; /* all splits within a budget are looked for; NULL: a best one is */
    int32_t hinted;          /* the feature whose first candidate is the hint's; -1: none */
    ct_candidate *free_candidates;
    ct_interval *free_intervals;
    ct_interval *working;    /* those under evaluation */
    /* Point m lies between a and b; its sides' totals are in `totals`. Sets m->lower and m->proven,
     * m->best_child of either side to -1 where the best known tree is the leaf, and
     * evaluator->upper. Returns the cost of the best allowed tree found there, INT64_MAX if none.
     */
    int64_t (*evaluate)(ct_evaluator *evaluator, uint32_t f, const ct_candidate *a,
    const ct_candidate *b, ct_candidate *m);
    /* Before `evaluate`, for several candidates at a time: adds the planes that it will read to the
     * group. evaluator->target and the totals are in place. NULL: candidates are evaluated one by
     * one. */
    void (*prepare)(ct_evaluator *evaluator, ct_plane_group *group, uint32_t f,
    const ct_candidate *a, const ct_candidate *b, ct_candidate *m);
    /* Finds out what all rows cost one level less deep: the right side of ends[0], the left one of
     * ends[1]. NULL: no. */
    void (*know_ends)(ct_evaluator *evaluator);
    ct_candidate *(*new_candidate)(ct_roots *roots);
    /* sets evaluator->extra, from its arena */
    ct_status (*new_extra)(ct_evaluator *evaluator);
    /* may be NULL */
    void (*end_extra)(ct_evaluator *evaluator);
};

/* Fills in what every depth needs. The caller adds the functions, what the candidates hold at the
 * two ends, and who can be called. The arena lasts as long as the search. Where memory ends, here
 * and below: CT_NO_MEMORY, a stop is asked for, and *tree a leaf. */
ct_status ct_roots_init(ct_roots *roots, ct_worker *worker, ct_arena *arena, const ct_node *node,
                        const ct_exact_task *task, int64_t *root_bounds, ct_split_code *tree);

/* Before the search of all root features, and after it: what is still open is then known by its
 * bounds. */
void ct_roots_open(ct_roots *roots, ct_worker *worker);
ct_bounds ct_roots_close_up(ct_roots *roots, ct_worker *worker);

/* Opening and closing for one worker alone, without batches, a known tree and ties: before any
 * step, and after the last one. What is still open at the end is known by its bounds. */
ct_status ct_roots_begin(ct_evaluator *evaluator, ct_roots *roots, ct_worker *worker);
ct_bounds ct_roots_end(ct_evaluator *evaluator);
/* Takes one interval off and works on it; 0 if none is open. */
int ct_roots_step(ct_evaluator *evaluator);
/* An evaluator at a search that has begun. The arena lasts as long as the evaluator. */
ct_status ct_roots_join(ct_evaluator *evaluator, ct_roots *roots, ct_worker *worker,
                        ct_arena *arena);
/* A lower bound of the trees at the thresholds that are done with or open. Holding the team's lock.
 */
int64_t ct_roots_lower(const ct_roots *roots);
/* What is known at the moment, but for the time, of a ct_roots. Holding the team's lock. */
void ct_roots_progress(const void *roots, ct_exact_progress *progress);

/* `leaves` as a task of that depth has it. */
static inline uint32_t ct_few_leaves(uint32_t leaves, unsigned depth)
{
    return leaves >> depth ? 0 : leaves;
}

static inline size_t ct_heap_size(unsigned depth) { return ((size_t) 1 << depth) - 1; }

#endif
