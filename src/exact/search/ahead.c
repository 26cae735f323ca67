#include "exact/search/ahead.h"

#include "exact/search/features.h"
#include "exact/search/thresholds.h"

/* A candidate and its interval, both under evaluation. */
typedef struct {
    uint32_t feature;
    ct_interval *interval;
    ct_candidate *m;
    int64_t target;
} held_candidate;

struct ct_ahead {
    ct_plane_group *planes;
    held_candidate held[CT_PLANES_TOGETHER];
};

static struct ct_ahead *ahead_of(ct_evaluator *evaluator)
{
    if (evaluator->ahead) return evaluator->ahead;
    struct ct_ahead *ahead = CT_ARENA_NEW(evaluator->arena, struct ct_ahead, 1);
    if (ahead)
        ahead->planes = ct_plane_group_new(evaluator->worker, evaluator->arena,
                                           evaluator->roots->node->layout);
    else ct_worker_stop(evaluator->worker, CT_END_MEMORY);
    if (ahead && ahead->planes) evaluator->ahead = ahead;
    return evaluator->ahead;
}

/* Candidates of the next intervals; closes those that need none. */
static unsigned hold(ct_evaluator *evaluator, held_candidate *held)
{
    unsigned n = 0;
    uint32_t f;
    for (ct_interval *i; n < CT_PLANES_TOGETHER && (i = ct_thresholds_take(evaluator, &f));) {
        ct_candidate *m = ct_thresholds_begin(evaluator, f, i);
        if (m) held[n++] = (held_candidate){f, i, m, evaluator->target};
        else ct_features_give_back(evaluator->roots, i);
    }
    return n;
}

static void make_planes(ct_evaluator *evaluator, const held_candidate *held, unsigned n)
{
    const ct_roots *roots = evaluator->roots;
    ct_plane_group *planes = evaluator->ahead->planes;
    ct_plane_group_clear(planes, roots->node->layout);
    for (unsigned k = 0; k < n; k++) {
        const ct_interval *i = held[k].interval;
        evaluator->target = held[k].target;
        ct_thresholds_count_sides(evaluator, held[k].feature, held[k].m);
        roots->prepare(evaluator, planes, held[k].feature, i->a, i->b, held[k].m);
    }
    ct_plane_group_make(planes, evaluator->worker, roots->node->layout);
}

int ct_ahead_step(ct_evaluator *evaluator)
{
    ct_roots *roots = evaluator->roots;
    struct ct_ahead *ahead = ahead_of(evaluator);
    if (!ahead) return 0;
    unsigned n = hold(evaluator, ahead->held);
    if (!n) return 0;
    ct_team_unlock(roots->work.team);
    make_planes(evaluator, ahead->held, n);
    ct_team_lock(roots->work.team);
    for (unsigned k = 0; k < n; k++) {
        const held_candidate *held = &ahead->held[k];
        evaluator->planes = ct_plane_group_at(ahead->planes, roots->node->layout, k);
        ct_thresholds_evaluate_late(evaluator, held->feature, held->interval, held->m);
        ct_features_give_back(roots, held->interval);
    }
    evaluator->planes = NULL;
    return 1;
}
