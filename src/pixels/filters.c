#include "pixels/filters.h"

#include <stddef.h>

#include "base/parallel.h"
#include "base/status.h"

typedef struct {
    const double *from;
    uint32_t height, width;
    const ct_pixel_weights *filter;
    double *to;
} filtering;

static uint32_t within(int64_t place, uint32_t n)
{
    return place < 0 ? 0 : place >= (int64_t) n ? n - 1 : (uint32_t) place;
}

static void along_rows(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    const filtering *f = (const filtering *) data;
    const uint32_t radius = f->filter->radius, taps = 2 * radius + 1;
    (void) worker;
    for (uint64_t column = begin; column < end; column++) {
        const double *from = f->from + column * f->height;
        double *to = f->to + column * f->height;
        for (uint32_t row = 0; row < f->height; row++) {
            double sum = 0;
            for (uint32_t k = 0; k < taps; k++)
                sum += f->filter->weights[k] * from[within((int64_t) row + k - radius, f->height)];
            to[row] = sum;
        }
    }
}

static void along_columns(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    const filtering *f = (const filtering *) data;
    const uint32_t radius = f->filter->radius, taps = 2 * radius + 1;
    (void) worker;
    for (uint64_t column = begin; column < end; column++) {
        double *to = f->to + column * f->height;
        for (uint32_t row = 0; row < f->height; row++) to[row] = 0;
        for (uint32_t k = 0; k < taps; k++) {
            const double weight = f->filter->weights[k];
            const double *from =
                f->from + (size_t) within((int64_t) column + k - radius, f->width) * f->height;
            for (uint32_t row = 0; row < f->height; row++) to[row] += weight * from[row];
        }
    }
}

void ct_pixel_filter(const double *from, uint32_t height, uint32_t width,
                     const ct_pixel_weights *rows, const ct_pixel_weights *columns,
                     unsigned threads, double *scratch, double *out)
{
    filtering first = {from, height, width, rows, scratch},
              second = {scratch, height, width, columns, out};
    ct_loop loop = {width, 0, CT_STATIC, threads, along_rows, &first, NULL};
    CT_ASSERT(height && width && scratch != from && scratch != out);
    ct_parallel_for(&loop);
    loop.work = along_columns;
    loop.data = &second;
    ct_parallel_for(&loop);
}
