#include "evolve/open_bound.h"

#include <math.h>
#include <string.h>

enum { SQUARINGS = 4 };
static const double PIVOT = 1e-9; /* a model that is determined less is not */
static const double ROUNDING = 1e-14; /* of squares, over the least pivot */

size_t ct_gmt_open_bound_scratch(uint32_t p) { return 5 * (size_t) p * p + 3 * (size_t) p; }

static double entry_of(const double *gram, uint32_t i, uint32_t j)
{
    return i < j ? gram[ct_gram_row(j) + i] : gram[ct_gram_row(i) + j];
}

/* Cholesky's triangle of the first k columns. Returns the least share of a column's squares that
 * those before it leave; 0 if it is too small. */
static double factor(const double *gram, uint32_t k, double *triangle)
{
    double least = 1;
    for (uint32_t j = 0; j < k; j++) {
        double *row = triangle + (size_t) j * k;
        for (uint32_t i = 0; i <= j; i++) {
            const double *other = triangle + (size_t) i * k;
            double sum = entry_of(gram, j, i), all = entry_of(gram, j, j);
            for (uint32_t m = 0; m < i; m++) sum -= row[m] * other[m];
            if (i < j) {
                row[i] = sum / other[i];
                continue;
            }
            if (!(sum > PIVOT * all)) return 0;
            least = fmin(least, sum / all);
            row[i] = sqrt(sum);
        }
    }
    return least;
}

static void solve_lower(const double *triangle, uint32_t k, double *x)
{
    for (uint32_t i = 0; i < k; i++) {
        const double *row = triangle + (size_t) i * k;
        double sum = x[i];
        for (uint32_t m = 0; m < i; m++) sum -= row[m] * x[m];
        x[i] = sum / row[i];
    }
}

static void coefficients(const double *gram, const double *triangle, uint32_t k, double *b)
{
    for (uint32_t j = 0; j < k; j++) b[j] = entry_of(gram, k, j);
    solve_lower(triangle, k, b);
    for (uint32_t i = k; i-- > 0;) {
        double sum = b[i];
        for (uint32_t m = i + 1; m < k; m++) sum -= triangle[(size_t) m * k + i] * b[m];
        b[i] = sum / triangle[(size_t) i * k + i];
    }
}

/* The largest eigenvalue of the middle in the metric of a side, at most: by the trace of a power.
 * The powers are symmetric. */
static double largest(const double *triangle, const double *middle, uint32_t k, double *power,
                      double *spare)
{
    double scale = 1;
    for (uint32_t j = 0; j < k; j++) {
        for (uint32_t i = 0; i < k; i++) spare[(size_t) j * k + i] = entry_of(middle, i, j);
        solve_lower(triangle, k, spare + (size_t) j * k);
    }
    for (uint32_t j = 0; j < k; j++) {
        for (uint32_t i = 0; i < k; i++) power[(size_t) j * k + i] = spare[(size_t) i * k + j];
        solve_lower(triangle, k, power + (size_t) j * k);
    }
    for (int squaring = 0;; squaring++) {
        double trace = 0;
        for (uint32_t j = 0; j < k; j++) trace += power[(size_t) j * k + j];
        if (!(trace > 0)) return 0;
        scale *= pow(trace, 1.0 / (1 << squaring));
        if (squaring == SQUARINGS) return scale;
        for (size_t i = 0; i < (size_t) k * k; i++) power[i] /= trace;
        for (uint32_t j = 0; j < k; j++)
            for (uint32_t i = 0; i <= j; i++) {
                double sum = 0;
                for (uint32_t m = 0; m < k; m++)
                    sum += power[(size_t) j * k + m] * power[(size_t) i * k + m];
                spare[(size_t) j * k + i] = spare[(size_t) i * k + j] = sum;
            }
        memcpy(power, spare, (size_t) k * k * sizeof *power);
    }
}

/* The squares of y - c'x over the rows of a matrix; of c'x alone where `y` is 0. */
static double squares(const double *gram, uint32_t k, const double *c, double y)
{
    double sum = y * entry_of(gram, k, k);
    for (uint32_t i = 0; i < k; i++) {
        double inner = -2 * y * entry_of(gram, k, i);
        for (uint32_t j = 0; j < k; j++) inner += entry_of(gram, i, j) * c[j];
        sum += inner * c[i];
    }
    return fmax(0, sum);
}

double ct_gmt_open_bound(const double *left, const double *right, const double *middle, uint32_t p,
                         double *scratch)
{
    const uint32_t k = p - 1;
    const size_t square = (size_t) k * k;
    const double *grams[3] = {left, right, middle}, all = entry_of(middle, k, k);
    double *triangles[3], *b[3], pivot = 1;
    for (int i = 0; i < 3; i++) {
        triangles[i] = scratch + (size_t) i * (square + k);
        b[i] = triangles[i] + square;
        pivot = fmin(pivot, factor(grams[i], k, triangles[i]));
        if (!(pivot > 0)) return 0;
        coefficients(grams[i], triangles[i], k, b[i]);
    }
    double slack = ROUNDING / pivot * all, left_over = squares(middle, k, b[2], 1) - slack;
    if (!(left_over > 0)) return 0;
    for (uint32_t j = 0; j < k; j++) b[0][j] -= b[1][j];
    double u = sqrt(left_over) - sqrt(squares(middle, k, b[0], 0) + slack) / 2;
    if (!(u > 0)) return 0;
    double *power = scratch + 3 * (square + k), *spare = power + square,
           h = largest(triangles[0], middle, k, power, spare) +
               largest(triangles[1], middle, k, power, spare);
    return u * u / (1 + h / 4) * (1 - 1e-9);
}
