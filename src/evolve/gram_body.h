/* The kernels of gram.h in the vector types of GCC and Clang: included once by each gram_*.c, which
 * sets VEC_BYTES to the size of its vectors. */
#include "base/simd/rounded.h"

typedef double vec_f64 __attribute__((vector_size(VEC_BYTES), aligned(8)));
typedef int64_t vec_i64 __attribute__((vector_size(VEC_BYTES), aligned(8)));
enum { AHEAD = 12 }; /* rows that are fetched before they are added */
enum { N64 = VEC_BYTES / 8, STEP = N64 < CT_GRAM_STEP ? N64 : CT_GRAM_STEP };
typedef double step_f64 __attribute__((vector_size(8 * STEP), aligned(8)));

#define AT(type, from) (*(type *) (void *) (from))
#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 12")

INLINE void add_columns(double *sums, const uint32_t *bucket, const double *rows_z,
                        const uint32_t *rows, uint32_t n, uint32_t p)
{
    const size_t width = ct_gram_width(p), size = ct_gram_size(p);
    for (uint32_t k = 0; k < n; k++) {
        const double *z = rows_z + width * rows[k],
                     *later = rows_z + width * rows[k + AHEAD < n ? k + AHEAD : k];
        for (size_t j = 0; j < width; j += 8) __builtin_prefetch(later + j);
        double *to = sums + size * bucket[k];
        UNROLL
        for (uint32_t i = 0; i < p; i++) {
            UNROLL
            for (uint32_t j = 0; j <= i; j += STEP) {
                step_f64 product = AT(const step_f64, z + j) * z[i];
                ROUNDED(product);
                AT(step_f64, to + ct_gram_row(i) + j) += product;
            }
        }
    }
}

enum {
    IN_REGISTERS = 8,
    REGISTER_STEPS = (IN_REGISTERS * (IN_REGISTERS + 1) / 2 + IN_REGISTERS * (STEP - 1)) / STEP
};

/* The sum stays in registers if there are at most IN_REGISTERS columns. */
INLINE void sum_columns(double *sum, const double *rows_z, const uint32_t *rows, uint32_t n,
                        uint32_t p)
{
    const size_t width = ct_gram_width(p);
    if (p > IN_REGISTERS) {
        static const uint32_t same[256] = {0};
        for (uint32_t k = 0; k < n; k += 256)
            add_columns(sum, same, rows_z, rows + k, n - k < 256 ? n - k : 256, p);
        return;
    }
    step_f64 s[REGISTER_STEPS] = {{0}};
    UNROLL
    for (uint32_t i = 0, at = 0; i < p; i++)
        UNROLL
        for (uint32_t j = 0; j <= i; j += STEP)
            s[at++] = AT(const step_f64, sum + ct_gram_row(i) + j);
    for (uint32_t k = 0; k < n; k++) {
        const double *z = rows_z + width * rows[k];
        __builtin_prefetch(rows_z + width * rows[k + AHEAD < n ? k + AHEAD : k]);
        UNROLL
        for (uint32_t i = 0, at = 0; i < p; i++)
            UNROLL
            for (uint32_t j = 0; j <= i; j += STEP) {
                step_f64 product = AT(const step_f64, z + j) * z[i];
                ROUNDED(product);
                s[at++] += product;
            }
    }
    UNROLL
    for (uint32_t i = 0, at = 0; i < p; i++)
        UNROLL
        for (uint32_t j = 0; j <= i; j += STEP) AT(step_f64, sum + ct_gram_row(i) + j) = s[at++];
}

/* The lanes from `lane` on, as many as fit a vector. */
INLINE void pivots_of(double *s, uint32_t p, double *sse, double *terms)
{
    vec_f64 rank = {0}, zero = {0};
    vec_f64 squares[CT_GRAM_COLUMNS], column[CT_GRAM_COLUMNS];
    for (uint32_t i = 0; i < p; i++)
        squares[i] = AT(vec_f64, s + (ct_gram_row(i) + i) * CT_GRAM_LANES);
    for (uint32_t j = 0; j + 1 < p; j++) {
        vec_f64 pivot = AT(vec_f64, s + (ct_gram_row(j) + j) * CT_GRAM_LANES);
        vec_i64 used = (vec_i64) (pivot > squares[j] * 1e-10);
        vec_f64 inverse = (vec_f64) ((vec_i64) (1.0 / pivot) & used);
        rank += (vec_f64) ((vec_i64) (zero + 1.0) & used);
        for (uint32_t i = j + 1; i < p; i++) {
            double *row = s + ct_gram_row(i) * CT_GRAM_LANES;
            column[i] = AT(vec_f64, row + j * CT_GRAM_LANES);
            vec_f64 factor = column[i] * inverse;
            for (uint32_t k = j + 1; k <= i; k++) {
                vec_f64 product = factor * column[k];
                ROUNDED(product);
                AT(vec_f64, row + k * CT_GRAM_LANES) -= product;
            }
        }
    }
    vec_f64 left = AT(vec_f64, s + (ct_gram_row(p - 1) + p - 1) * CT_GRAM_LANES);
    AT(vec_f64, sse) = (vec_f64) ((vec_i64) left & (vec_i64) (left > zero));
    AT(vec_f64, terms) = rank;
}

INLINE void pivots_columns(double *s, uint32_t p, double *sse, double *terms)
{
    for (unsigned lane = 0; lane < CT_GRAM_LANES; lane += N64)
        pivots_of(s + lane, p, sse + lane, terms + lane);
}

/* Few columns are known to the compiler, which then has no loop over them. */
#define BY_COLUMNS(p, call)                                                                       \
    switch (p) {                                                                                   \
    case 2: call(2); return;                                                                       \
    case 3: call(3); return;                                                                       \
    case 4: call(4); return;                                                                       \
    case 5: call(5); return;                                                                       \
    case 6: call(6); return;                                                                       \
    case 7: call(7); return;                                                                       \
    case 8: call(8); return;                                                                       \
    case 9: call(9); return;                                                                       \
    case 10: call(10); return;                                                                     \
    case 11: call(11); return;                                                                     \
    case 12: call(12); return;                                                                     \
    default: call(p);                                                                              \
    }

static void add(double *sums, const uint32_t *bucket, const double *z, const uint32_t *rows,
                uint32_t n, uint32_t p)
{
#define ADD(columns) add_columns(sums, bucket, z, rows, n, columns)
    BY_COLUMNS(p, ADD)
}

static void sum(double *to, const double *z, const uint32_t *rows, uint32_t n, uint32_t p)
{
#define SUM(columns) sum_columns(to, z, rows, n, columns)
    BY_COLUMNS(p, SUM)
}

static void pivots(double *s, uint32_t p, double *sse, double *terms)
{
#define PIVOTS(columns) pivots_columns(s, columns, sse, terms)
    BY_COLUMNS(p, PIVOTS)
}

static void join(double *to, const double *more, uint32_t p)
{
    for (size_t i = 0, n = ct_gram_size(p); i < n; i += STEP)
        AT(step_f64, to + i) += AT(const step_f64, more + i);
}

static void join_lanes(double *to, const double *more, double *copy, uint32_t p)
{
    for (size_t row = 0; row < p; row++) {
        const size_t begin = ct_gram_row(row) * CT_GRAM_LANES,
                     end = begin + (row + 1) * CT_GRAM_LANES;
        for (size_t i = begin; i < end; i += CT_GRAM_LANES) {
            UNROLL
            for (size_t lane = 0; lane < CT_GRAM_LANES; lane += N64) {
                vec_f64 sum = AT(vec_f64, to + i + lane) + AT(const vec_f64, more + i + lane);
                AT(vec_f64, to + i + lane) = sum;
                AT(vec_f64, copy + i + lane) = sum;
            }
        }
    }
}
