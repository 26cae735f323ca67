/* A schedule: statements, and the loop nest that they make of `batch > tree`.
 *
 * A loop runs over rows (it descends from `batch`) or over trees. `tile` and `split` replace it by
 * others, which descend from it; what was replaced stays, since its range bounds theirs: the row of
 * an iteration is the sum of the loops over rows around it, and this sum stays below the stop of
 * each loop that they descend from. That is where remainders come from (ranges.h).
 *
 * What statements do to the nest is checked as they come; what holds for the whole, and for a
 * forest, by legal.h. */
#ifndef CT_FORGE_SCHEDULE_NEST_H
#define CT_FORGE_SCHEDULE_NEST_H

#include <stdint.h>

#include "base/status.h"
#include "forge/schedule/rules.h"
#include "forge/schedule/text.h"

enum {
    CT_FORGE_NAME = 32,             /* bytes of a name, with its zero */
    CT_FORGE_MOST_LOOPS = 64,
    CT_FORGE_MOST_NEST = 16,  /* loops around a walk */
    CT_FORGE_MOST_STATEMENTS = 48,
    CT_FORGE_MOST_WORDS = 16,
    CT_FORGE_MOST_FACTOR = 1 << 24,
    CT_FORGE_MOST_LANES = 16,
    CT_FORGE_MOST_HOPS = 64
};

#define CT_FORGE_OPEN INT64_MAX /* the stop of a loop over as many rows, or trees, as there are */

typedef enum { CT_FORGE_ROWS, CT_FORGE_TREES } ct_forge_axis;

typedef enum {
    CT_FORGE_TILE, CT_FORGE_SPLIT, CT_FORGE_REORDER, CT_FORGE_REPRESENT,
    /* marks of a loop */
    CT_FORGE_GPU, CT_FORGE_CACHE, CT_FORGE_PARALLEL, CT_FORGE_INTERLEAVE, CT_FORGE_UNROLL,
    CT_FORGE_PEEL, CT_FORGE_ATOMIC, CT_FORGE_SHARED, CT_FORGE_VECTOR, CT_FORGE_SIMDIZE,
    CT_FORGE_N_DIRECTIVES
} ct_forge_directive;

typedef enum {
    CT_FORGE_GRID_X, CT_FORGE_GRID_Y, CT_FORGE_GRID_Z,
    CT_FORGE_BLOCK_X, CT_FORGE_BLOCK_Y, CT_FORGE_BLOCK_Z, CT_FORGE_N_DIMENSIONS
} ct_forge_dimension;

typedef enum {
    CT_FORGE_SPARSE, CT_FORGE_ARRAY, CT_FORGE_REORG, CT_FORGE_PLANES, CT_FORGE_N_LAYOUTS
} ct_forge_nest_layout;

typedef struct {
    ct_forge_directive directive;
    uint32_t n_words; /* loops, and what new ones are called */
    char words[CT_FORGE_MOST_WORDS][CT_FORGE_NAME];
    int64_t number;   /* also a ct_forge_dimension, a ct_forge_nest_layout */
} ct_forge_statement;

typedef struct {
    char name[CT_FORGE_NAME];
    ct_forge_axis axis;
    int64_t start, stop, step;
    int from;               /* the loop that it descends from; -1: none */
    int live;               /* in the nest: neither tiled nor split */
    int64_t tile;           /* n of the tile that replaced it, or 0 */
    int outer, inner, next; /* around it, the first within, the next beside it; -1 */
    /* by directive: the statement, from 1, that gave the mark (0: none), and its number */
    int marked[CT_FORGE_N_DIRECTIVES];
    int64_t number[CT_FORGE_N_DIRECTIVES];
} ct_forge_index;

typedef struct {
    uint32_t n_statements;
    ct_forge_statement statements[CT_FORGE_MOST_STATEMENTS];
    int n_loops, first; /* of the outermost loops */
    ct_forge_index loops[CT_FORGE_MOST_LOOPS];
    ct_forge_nest_layout layout;
    int layout_statement; /* that gave the layout, from 1; 0: none did */
} ct_forge_nest;

/* The nest before any statement: batch > tree, walks as sparse nodes. */
void ct_forge_nest_begin(ct_forge_nest *nest);
/* Adds a statement. After a failure the nest is as it was. */
ct_status ct_forge_nest_add(ct_forge_nest *nest, const ct_forge_statement *statement,
                            ct_error *error);

/* From and to text: 'schedule 1', then a statement a line; '#' begins a comment. What is printed
 * parses to the same. */
ct_status ct_forge_nest_parse(ct_forge_nest *nest, const char *text, ct_error *error);
void ct_forge_nest_print(const ct_forge_nest *nest, ct_forge_text *text);
void ct_forge_statement_print(const ct_forge_statement *statement, ct_forge_text *text);

/* The words of the language. */
const char *ct_forge_directive_name(ct_forge_directive directive);
/* Its arguments: L a loop, n a new name, k a number, d a dimension, r a layout, * one or more
 * loops. */
const char *ct_forge_directive_form(ct_forge_directive directive);
const char *ct_forge_dimension_name(int dimension);
const char *ct_forge_layout_name(int layout);

/* A live loop of that name, or -1. */
int ct_forge_nest_find(const ct_forge_nest *nest, const char *name);
/* Whether the loop descends from the other, or is that loop. */
int ct_forge_nest_descends(const ct_forge_nest *nest, int loop, int from);
/* Whether iterations of the loop run at once: on hardware dimensions, or shared among threads. */
int ct_forge_nest_concurrent(const ct_forge_nest *nest, int loop);
static inline int ct_forge_nest_conflicts(const ct_forge_nest *nest, int loop)
{
    return nest->loops[loop].axis == CT_FORGE_TREES && ct_forge_nest_concurrent(nest, loop);
}
int ct_forge_nest_on_gpu(const ct_forge_nest *nest);

/* Says which statement (from 1; 0: the last that names the loop), which loop (-1: none), and which
 * rule, with a reason. */
ct_status ct_forge_nest_fault(const ct_forge_nest *nest, int statement, int loop,
                              ct_forge_rule rule, ct_error *error, const char *format,
                              ...) CT_PRINTF(6, 7);

#endif
