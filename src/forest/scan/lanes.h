/* Loops over the rows of a node that look at several candidates in one turn: one text for each
 * number of these, so that what belongs to a lane is in registers. DO(lane) is its part of it. */
#ifndef CT_FOREST_SCAN_LANES_H
#define CT_FOREST_SCAN_LANES_H

#define CT_LANE_1(DO) DO(0)
#define CT_LANE_2(DO) CT_LANE_1(DO) DO(1)
#define CT_LANE_3(DO) CT_LANE_2(DO) DO(2)
#define CT_LANE_4(DO) CT_LANE_3(DO) DO(3)
#define CT_LANE_5(DO) CT_LANE_4(DO) DO(4)
#define CT_LANE_6(DO) CT_LANE_5(DO) DO(5)
#define CT_LANE_7(DO) CT_LANE_6(DO) DO(6)
#define CT_LANE_8(DO) CT_LANE_7(DO) DO(7)

/* TEXT(CT_LANE_<lanes>, ...) for at most four, and for more. */
#define CT_FOR_FOUR_LANES(lanes, TEXT, ...)         \
    switch (lanes) {                                \
    case 1: TEXT(CT_LANE_1, __VA_ARGS__) break;     \
    case 2: TEXT(CT_LANE_2, __VA_ARGS__) break;     \
    case 3: TEXT(CT_LANE_3, __VA_ARGS__) break;     \
    default: TEXT(CT_LANE_4, __VA_ARGS__) break;    \
    }
#define CT_FOR_MORE_LANES(lanes, TEXT, ...)         \
    switch (lanes) {                                \
    case 5: TEXT(CT_LANE_5, __VA_ARGS__) break;     \
    case 6: TEXT(CT_LANE_6, __VA_ARGS__) break;     \
    case 7: TEXT(CT_LANE_7, __VA_ARGS__) break;     \
    default: TEXT(CT_LANE_8, __VA_ARGS__) break;    \
    }
#define CT_FOR_LANES(lanes, TEXT, ...)                          \
    if ((lanes) <= 4) CT_FOR_FOUR_LANES(lanes, TEXT, __VA_ARGS__) \
    else CT_FOR_MORE_LANES(lanes, TEXT, __VA_ARGS__)

#endif
