#include "evolve/triangle.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

static const double TOLERANCE = 1e-7;

/* ---- a triangle from rows ---- */

double ct_gmt_norm(const double *x, uint32_t n)
{
    double largest = 0, squares = 0;
    for (uint32_t i = 0; i < n; i++) squares += x[i] * x[i];
    if (squares > 1e-200 && squares < 1e200) return sqrt(squares);
    squares = 0;
    for (uint32_t i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
    if (!(largest > 0)) return 0;
    for (uint32_t i = 0; i < n; i++) squares += (x[i] / largest) * (x[i] / largest);
    return largest * sqrt(squares);
}

/* Reflects one column by the reflection that column l keeps. */
static void reflect(const double *v, double *y, uint32_t l, uint32_t m)
{
    double dot = 0;
    for (uint32_t i = l; i < m; i++) dot += v[i] * y[i];
    dot /= -v[l];
    for (uint32_t i = l; i < m; i++) y[i] += dot * v[i];
}

/* Reflects the columns of a matrix of m rows (column-major, `m` apart) so that it is upper
 * triangular. */
static void triangularise(double *x, uint32_t m, uint32_t columns)
{
    for (uint32_t j = 0; j < columns && j + 1 < m; j++) {
        double *v = x + (size_t) j * m;
        double length = ct_gmt_norm(v + j, m - j);
        if (!(length > 0)) continue;
        length = copysign(length, v[j]);
        for (uint32_t i = j; i < m; i++) v[i] /= length;
        v[j] += 1;
        for (uint32_t k = j + 1; k < columns; k++) reflect(v, x + (size_t) k * m, j, m);
        v[j] = -length;
        for (uint32_t i = j + 1; i < m; i++) v[i] = 0;
    }
}

void ct_gmt_triangle_fold(double *block, uint32_t m, uint32_t columns, double *to)
{
    triangularise(block, m, columns);
    for (uint32_t j = 0; j < columns; j++)
        for (uint32_t i = 0; i < columns; i++)
            to[j * columns + i] = i <= j ? block[(size_t) j * m + i] : 0;
}

void ct_gmt_triangle_start(double *block, uint32_t m, uint32_t columns, const double *triangle)
{
    memset(block, 0, (size_t) m * columns * sizeof *block);
    for (uint32_t j = 0; j < columns; j++)
        memcpy(block + (size_t) j * m, triangle + j * columns, (j + 1) * sizeof *block);
}

/* ---- a triangle to a model ---- */

ct_status ct_gmt_qr_make(ct_qr *q, uint32_t p, ct_error *error)
{
    const size_t n = p, m = n + 1;
    double *memory = (double *) ct_alloc((m * m + 3 * n + n * n) * sizeof *memory);
    *q = (ct_qr){.p = p, .m = p + 1, .x = memory};
    q->column = (uint32_t *) ct_alloc(n * sizeof *q->column);
    if (!memory || !q->column) {
        ct_gmt_qr_free(q);
        return ct_fail(error, CT_NO_MEMORY, "not enough memory");
    }
    q->diagonal = q->x + m * m;
    q->now = q->diagonal + n;
    q->first = q->now + n;
    q->inverse = q->first + n;
    return CT_OK;
}

void ct_gmt_qr_free(ct_qr *q)
{
    ct_free(q->x), ct_free(q->column);
    memset(q, 0, sizeof *q);
}

/* Moves the column at position l behind the others. */
static void move_last(ct_qr *q, uint32_t l)
{
    uint32_t column = q->column[l];
    double now = q->now[l], first = q->first[l];
    for (uint32_t i = 0; i < q->m; i++) {
        double x = q->x[(size_t) l * q->m + i];
        for (uint32_t j = l; j + 1 < q->p; j++)
            q->x[(size_t) j * q->m + i] = q->x[(size_t) (j + 1) * q->m + i];
        q->x[(size_t) (q->p - 1) * q->m + i] = x;
    }
    for (uint32_t j = l; j + 1 < q->p; j++) {
        q->column[j] = q->column[j + 1];
        q->now[j] = q->now[j + 1], q->first[j] = q->first[j + 1];
    }
    q->column[q->p - 1] = column;
    q->now[q->p - 1] = now, q->first[q->p - 1] = first;
}

/* Updates the norm of what is left of column j below row l; it is computed anew where the update
 * would lose digits. */
static void lower_norm(ct_qr *q, uint32_t j, uint32_t l)
{
    const double *y = q->x + (size_t) j * q->m;
    if (!(q->now[j] > 0)) return;
    double part = fabs(y[l]) / q->now[j], left = fmax(0, 1 - part * part);
    if (left < 1e-6) q->now[j] = ct_gmt_norm(y + l + 1, q->m - l - 1);
    else q->now[j] *= sqrt(left);
}

uint32_t ct_gmt_qr_decompose(ct_qr *q)
{
    uint32_t left = q->p;
    for (uint32_t j = 0; j < q->p; j++) {
        q->column[j] = j;
        q->now[j] = ct_gmt_norm(q->x + (size_t) j * q->m, q->m);
        q->first[j] = q->now[j] > 0 ? q->now[j] : 1;
    }
    for (uint32_t l = 0; l < left && l < q->m; l++) {
        while (l < left && q->now[l] < q->first[l] * TOLERANCE) {
            move_last(q, l);
            left--;
        }
        if (l == left) break;
        double *v = q->x + (size_t) l * q->m, length = ct_gmt_norm(v + l, q->m - l);
        if (!(length > 0)) continue;
        length = copysign(length, v[l]);
        for (uint32_t i = l; i < q->m; i++) v[i] /= length;
        v[l] += 1;
        for (uint32_t j = l + 1; j <= q->p; j++) {
            reflect(v, q->x + (size_t) j * q->m, l, q->m);
            if (j < q->p) lower_norm(q, j, l);
        }
        q->diagonal[l] = -length;
    }
    return left;
}

static double entry_of_r(const ct_qr *q, uint32_t i, uint32_t j)
{
    return i == j ? q->diagonal[i] : q->x[(size_t) j * q->m + i];
}

void ct_gmt_qr_invert(ct_qr *q, uint32_t rank)
{
    CT_ASSERT(rank <= q->p);
    for (uint32_t j = 0; j < rank; j++)
        for (uint32_t i = j + 1; i-- > 0;) {
            double sum = i == j;
            for (uint32_t k = i + 1; k <= j; k++)
                sum -= entry_of_r(q, i, k) * q->inverse[k * q->p + j];
            q->inverse[i * q->p + j] = sum / q->diagonal[i];
        }
}

void ct_gmt_qr_solve(const ct_qr *q, uint32_t rank, double *b)
{
    CT_ASSERT(rank <= q->p);
    const double *y = q->x + (size_t) q->p * q->m;
    memset(b, 0, q->p * sizeof *b);
    for (uint32_t i = rank; i-- > 0;) {
        double sum = y[i];
        for (uint32_t j = i + 1; j < rank; j++) sum -= entry_of_r(q, i, j) * b[q->column[j]];
        b[q->column[i]] = sum / q->diagonal[i];
    }
}
