/* Trees of depth two: the thresholds of one column at the root, many at a time.
 *
 * A wave evaluates some cuts of a column f. For each column g of the children it adds the costs of
 * the rows, in the order of f, to the blocks of g, and at each cut looks for the best splits of
 * both sides. What a side costs is known in coarse costs, up to a cap from which on it need not be.
 * Cuts between two evaluated ones a and b are bounded by
 *
 *   M   rows in fewer rows: the left side costs at least that of a, the right side that of b;
 *   S   what the rows between a cut and a cost by themselves adds to that of a. Of cells of rows in
 *       the order of f this is at least the cost by any two actions, as a stump has no more:
 *       min over pairs of the sum of the cheaper action a row, which needs no columns.
 *
 * Both hold for coarse costs as for exact ones, for S with the price of splits on one part only.
 * What a cut may win by coarse costs is computed again in exact ones (confirm()): at once if it is
 * better than the best tree by more than rounding, else when the best one of all columns is known,
 * to which few are that close. */
#ifndef CT_POLICY_TWO_H
#define CT_POLICY_TWO_H

#include "policy/stump.h"
#include "policy/wave.h"

/* An evaluated cut. Of both sides, left first: coarse costs that they have at least. */
typedef struct {
    uint32_t cut;
    int32_t cost[2];
    int32_t winner[2]; /* as of ct_policy_trial */
    int32_t *by_child; /* as of ct_policy_trial */
    int is_confirmed;  /* its trees were computed in exact costs; or it has none */
} ct_policy_cut;

typedef struct {
    uint32_t n, room;
    ct_policy_cut *cuts;  /* by cut; the first has no rows on the left, the last all */
    int32_t *cells;       /* [n_cells] cost of the rows of each by two actions at least, */
    int32_t *cells_upto;  /* [n_cells + 1] and of all before it */
    int32_t least;        /* coarse costs of the best cut so far */
    int64_t bound;        /* exact costs that no tree with this root is below; INT64_MAX: it is not
                             better than the best one */
} ct_policy_root;

/* First some cuts of a column, which give the best tree a start; then all that may be better, in
 * coarse costs; last those that are within rounding of the best, in exact ones. CT_NO_MEMORY: or
 * stopped; root->bound holds. */
ct_status ct_policy_two_start(ct_policy_worker *worker, ct_policy_scratch *scratch,
                              const ct_policy_rows *set, uint32_t column, ct_policy_best *best,
                              ct_policy_root *root);
ct_status ct_policy_two_finish(ct_policy_worker *worker, ct_policy_scratch *scratch,
                               const ct_policy_rows *set, uint32_t column, ct_policy_best *best,
                               ct_policy_root *root);
ct_status ct_policy_two_confirm(ct_policy_worker *worker, ct_policy_scratch *scratch,
                               const ct_policy_rows *set, uint32_t column, ct_policy_best *best,
                               ct_policy_root *root);

#endif
