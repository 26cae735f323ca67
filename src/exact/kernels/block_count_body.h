/* Members of one class in the blocks of a bit set: the first step of every depth-two evaluation.
 *
 * A side of a split is a bit set over the rows in the order of one feature (`mask`), a class another (`members`).
 * Rows go by blocks of 16, four to a word, lowest bits first. The search wants, at the start of every block, how many
 * rows of the class lie on this side before it: a popcount a block and a prefix sum over the blocks. */
#ifndef CT_KERNELS_BLOCK_COUNT_BODY_H
#define CT_KERNELS_BLOCK_COUNT_BODY_H

#include "exact/kernels/team.h"

/* Rows of the class within one block. */
CT_HD uint32_t ct_block_count(const uint64_t *mask, const uint64_t *members, uint32_t block)
{
    uint64_t word = mask[block / 4] & members[block / 4];
    return ct_hd_popcount((uint32_t) (word >> (16 * (block % 4))) & 0xffffu);
}

/* before[b] becomes the rows of the class in the blocks 0 .. b - 1; the return value is the rows in all blocks.
 * Every lane of the team calls it with the same arguments; `mask` and `members` hold (n_blocks + 3) / 4 words. */
CT_HD uint32_t ct_block_prefix(ct_team team, const uint64_t *mask, const uint64_t *members, uint32_t n_blocks,
                               uint32_t *before)
{
    uint32_t sum = 0;
    for (uint32_t start = 0; start < n_blocks; start += team.width) {
        uint32_t block = start + team.lane;
        uint32_t total;
        uint32_t lower = ct_team_scan(team, block < n_blocks ? ct_block_count(mask, members, block) : 0, &total);
        if (block < n_blocks) before[block] = sum + lower;
        sum += total;
    }
    return sum;
}

#endif
