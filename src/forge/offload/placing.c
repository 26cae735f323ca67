#include "forge/offload/placing.h"

#include "forge/offload/image.h"

/* Measured on one core with AVX-512 (bench/notes/forge.md): seconds that a row takes for a search,
 * a test and a tree as planes, and for a step of a walk. */
static const double CPU_SEARCH = 4e-10;
static const double CPU_TEST = 1.6e-11;
static const double CPU_TREE = 5e-10;
static const double CPU_DEEP = 1e-8; /* of a tree with walks below its top, and of a code */
static const double CPU_STEP = 3e-9;

/* ESTIMATED from the arithmetic in bench/notes/forge.md, on the side of the CPU; but the first,
 * which is that of an H200. */
static const double DEVICE_OPEN = 0.15;         /* to set the device up and send the trees */
static const double DEVICE_PASS = 2e-4;         /* to start a pass and have it back */
static const double DEVICE_READ = 1e-9;         /* to read a value on the host */
static const double DEVICE_COPY = 5e9;          /* bytes a second, to the device and back */
static const double DEVICE_OPERATION = 1.3e-12; /* of a lane, all lanes at work */
static const double DEVICE_STEP = 1e-10;        /* of a walk */

/* Operations of a lane, counted in what nvcc makes for sm_90: of a search, for a row; of a test, a
 * place of a network, and a tree, for 32 rows; and of a sum, for a row. */
static const double OF_SEARCH = 230, OF_TEST = 16, OF_PLACE = 5, OF_TREE = 130, OF_SUM = 13;

/* Seconds that the CPU takes for a row of all trees, by planes or by walks. */
static double row_on_cpu(const ct_forged *f)
{
    double trees = f->ensemble->n_trees, width = f->ensemble->leaf_width;
    if (!f->has_planes) return trees * (f->mean_depth + 1) * CPU_STEP;
    double deep = 0;
    for (uint32_t t = 0; t < f->ensemble->n_trees; t++) deep += f->trees[t].entry != NULL;
    return f->n_searches * CPU_SEARCH + f->n_tests * CPU_TEST + trees * width * CPU_TREE +
           (deep + f->n_coded) * CPU_DEEP;
}

static double row_on_device(const ct_forged *f)
{
    double trees = f->ensemble->n_trees, width = f->ensemble->leaf_width;
    if (!ct_forge_has_networks(f)) return trees * (f->mean_depth + 1) * DEVICE_STEP;
    double n_inner = 0;
    for (uint32_t t = 0; t < f->ensemble->n_trees; t++) n_inner += 1u << f->trees[t].bits;
    double words = f->n_planes * OF_TEST + n_inner * OF_PLACE + trees * OF_TREE;
    return (f->n_searches * OF_SEARCH + words / 32 + trees * width * OF_SUM) * DEVICE_OPERATION;
}

ct_forged_seconds ct_forged_estimate(const ct_forged *f, uint32_t n_rows, unsigned threads,
                                     int open)
{
    const ct_forge_ensemble *e = f->ensemble;
    double n = n_rows, value = e->number == CT_FORGE_F32 ? sizeof(float) : sizeof(double);
    double bytes = n * (f->n_used * value + e->n_outputs * sizeof(double));
    CT_ASSERT(threads > 0);
    ct_forged_seconds s;
    s.cpu = n * row_on_cpu(f) / threads;
    s.device = (open ? 0 : DEVICE_OPEN) + DEVICE_PASS + bytes / DEVICE_COPY +
               n * (f->n_used * DEVICE_READ / threads + row_on_device(f));
    return s;
}

int ct_forged_pays(const ct_forged *f, uint32_t n_rows, unsigned threads, int open)
{
    CT_ASSERT(n_rows > 0 && threads > 0);
    if (f->ensemble->first_term) return 0;
    ct_forged_seconds s = ct_forged_estimate(f, n_rows, threads, open);
    return s.device < s.cpu;
}
