/* What makes a schedule illegal: each rule has a name, which errors carry, and a sentence. */
#ifndef CT_FORGE_SCHEDULE_RULES_H
#define CT_FORGE_SCHEDULE_RULES_H

/* The rules, in the order of the papers' tables: name, and what must hold. */
#define CT_FORGE_RULES(RULE)                                                                       \
    RULE(SYNTAX, "syntax", "a statement is directive(arguments), one a line")                      \
    RULE(VERSION, "version", "the first line is 'schedule 1'")                                     \
    RULE(DIRECTIVE, "directive", "the directive is one that is known")                             \
    RULE(ARGUMENTS, "arguments", "a directive gets the arguments that it takes")                   \
    RULE(SIZE, "size", "there are no more statements and loops than can be kept")                  \
    RULE(LOOP, "loop", "the loop is there, and neither tiled nor split already")                   \
    RULE(NAME, "name", "a new loop has a new name of letters, digits and '_'")                     \
    RULE(ONCE, "once", "a directive is given to a loop once, a representation once")               \
    RULE(MARKED, "marked", "tile comes before the directives that say how the loop runs")          \
    RULE(TILE_SIZE, "tile-size", "a tile has at least one iteration")                              \
    RULE(SPLIT_RANGE, "split-range", "a split lies between the loop's start and its stop")         \
    RULE(SPLIT_STEP, "split-step", "a split is a whole number of steps after the start")           \
    RULE(REORDER_TWICE, "reorder-twice", "a loop is listed once")                                  \
    RULE(REORDER_CHAIN, "reorder-chain", "the loops lie one directly within the other")            \
    RULE(REORDER_PERFECT, "reorder-perfect", "only the innermost loop holds several statements")   \
    RULE(FACTOR, "factor", "a factor or depth is within its limits")                               \
    RULE(GPU_ONCE, "gpu-once", "a hardware dimension is bound to one loop")                        \
    RULE(GPU_GRID, "gpu-grid", "loops of the grid lie outside those of the block")                 \
    RULE(GPU_NEST, "gpu-nest", "loops on hardware dimensions lie on one chain without splits")     \
    RULE(GPU_STATIC, "gpu-static", "how often a loop of the block runs is known: tile it first")   \
    RULE(GPU_THREADS, "gpu-threads", "a block has at most 1024 threads, 64 deep in z")             \
    RULE(GPU_PARALLEL, "gpu-parallel", "threads of the CPU and of the GPU are not mixed")          \
    RULE(CACHE_UNIFORM, "cache-uniform", "all threads of a block come to a cache together")        \
    RULE(CACHE_FITS, "cache-fits", "what a cache holds is known and fits 48 kB of shared memory")  \
    RULE(CACHE_TREES, "cache-trees", "trees are cached on a GPU: on the CPU they lie together as " \
                                     "they are")                                                   \
    RULE(INNERMOST, "innermost", "the loop is innermost: it holds nothing but walks")              \
    RULE(LANES, "lanes", "a loop is interleaved or simdized, not both")                            \
    RULE(UNROLL_DEPTH, "unroll-depth", "no tree in range is deeper than the walk is unrolled")     \
    RULE(PEEL_DEPTH, "peel-depth", "no leaf in range is nearer to its root than the walk is "      \
                                   "peeled")                                                       \
    RULE(UNROLL_PEEL, "unroll-peel", "a walk is unrolled or peeled, not both")                     \
    RULE(TREE_LOOP, "tree-loop", "reductions are of loops over trees")                             \
    RULE(CONFLICT, "conflict", "the loop is parallel, so that its iterations add to one sum")      \
    RULE(ONE_REDUCTION, "one-reduction", "a loop's sums are reduced in one way")                   \
    RULE(SHARED_GPU, "shared-gpu", "sums are shared by threads of a block of the GPU")             \
    RULE(SHARED_ONE, "shared-one", "one loop shares sums, and no other loop over trees is "        \
                                   "parallel")                                                     \
    RULE(SHARED_GRID, "shared-grid", "one loop over rows is on the grid, outside")                 \
    RULE(SIMD_ROWS, "simd-rows", "lanes are rows: the loop is over rows")                          \
    RULE(SIMD_WIDTH, "simd-width", "walks have 4, 8 or 16 lanes, planes 64 or 512")                \
    RULE(ORDER, "order", "a row adds its trees in their order, unless sums are reproducible")      \
    RULE(PLANES_NEST, "planes-nest", "planes run as tiles of at most 512 rows > trees > rows")     \
    RULE(PLANES_CPU, "planes-cpu", "planes run on the CPU")                                        \
    RULE(REPRESENT, "represent", "the forest fits the representation")                             \
    RULE(MODELS, "models", "leaves are values, no linear models")

typedef enum {
#define CT_FORGE_RULE_CODE(code, name, sentence) CT_FORGE_RULE_##code,
    CT_FORGE_RULES(CT_FORGE_RULE_CODE)
#undef CT_FORGE_RULE_CODE
    CT_FORGE_N_RULES
} ct_forge_rule;

const char *ct_forge_rule_name(ct_forge_rule rule);
const char *ct_forge_rule_sentence(ct_forge_rule rule);

#endif
