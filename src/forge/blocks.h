/* Predictions of a block of rows by planes, and of a tile of rows by walks; each worker has scratch
 * memory of its own. */
#ifndef CT_FORGE_BLOCKS_H
#define CT_FORGE_BLOCKS_H

#include "data/data.h"
#include "forge/forged.h"
#include "forge/planes.h"

typedef struct {
    double x[CT_BLOCK];     /* a column that does not lie there as doubles of whole words */
    uint8_t ranks[CT_BLOCK], leaf[CT_BLOCK];
    uint64_t zero[CT_BLOCK_WORDS], same[CT_BLOCK_WORDS];
    uint64_t *table;        /* [n_planes][CT_BLOCK_WORDS] */
    void *sums;             /* [n_outputs][rows] floats or doubles */
    uint32_t rows;          /* as many as are taken at a time: ct_forge_block_rows() */
    uint16_t *codes;        /* [rows / CT_BLOCK][n_coded][CT_BLOCK], with CT_LIST_ROOM around */
    ct_walk_lists lists;
} ct_block_room;

typedef struct {
    uint32_t rows; /* of a tile */
    double *x;     /* [rows][n_used, at least 1] */
    uint32_t *at;  /* [rows, at least CT_FORGE_LANES] places of rows, or of trees */
    void *sums;    /* [n_outputs][rows] */
} ct_forge_tile_room;

/* Rows, or trees, that are walked at a time. */
enum { CT_FORGE_LANES = 8 };

/* Blocks that go through a group of trees before the next does, in rows. */
uint32_t ct_forge_block_rows(const ct_forged *forged);
ct_block_room *ct_block_room_new(const ct_forged *forged, ct_arena *arena);
ct_forge_tile_room *ct_forge_tile_room_new(const ct_forged *forged, ct_arena *arena, uint32_t rows);

/* Rows first .. first + n - 1, room->rows at most, by blocks of `block`; out[output][stride] from
 * `first` on. */
void ct_block_predict(const ct_forged *forged, const ct_forge_planes *planes, ct_block_room *room,
                      const ct_column *columns, uint32_t first, uint32_t n, uint32_t block,
                      double *out, size_t stride);

/* n at most room->rows. */
void ct_tile_predict(const ct_forged *forged, ct_forge_tile_room *room, const ct_column *columns,
                     uint32_t first, uint32_t n, double *out, size_t stride);
/* One row, x[n_features], without columns; nothing is allocated. */
void ct_forge_tile_row(const ct_forged *forged, ct_forge_tile_room *room, const double *x,
                       double *out);
void ct_tile_leaves(const ct_forged *forged, ct_forge_tile_room *room, const ct_column *columns,
                    uint32_t first, uint32_t n, int32_t *out, size_t stride);

#endif
