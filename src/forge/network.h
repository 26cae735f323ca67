/* Trees as networks, on the host in vectors and on a device in words. Before it is included these
 * are defined:
 *
 *   vec, v_choose()            rows, a bit each, and a choice of two by a third
 *   network_tests, pick_0()    the answers to all tests, and those to test *o
 *   NETWORK_INLINE             what functions are */

/* pick_k: which of 2^k tests, side by side, the rows come to, given their answers from `b` on. */
#define PICK(k, below)                                                                             \
    NETWORK_INLINE vec pick_##k(network_tests tests, const uint32_t *o, const vec *b)              \
    {                                                                                              \
        vec left = pick_##below(tests, o, b + 1);                                                  \
        return v_choose(b[0], pick_##below(tests, o + (1 << below), b + 1), left);                 \
    }
PICK(1, 0)
PICK(2, 1)
PICK(3, 2)
PICK(4, 3)
PICK(5, 4)
PICK(6, 5)
PICK(7, 6)

/* Answers of levels 0 .. depth - 1. Where depth is constant, the compiler unrolls the network. */
NETWORK_INLINE void network(network_tests tests, const uint32_t *o, unsigned depth, vec *b)
{
    if (depth > 0) b[0] = pick_0(tests, o, b);
    if (depth > 1) b[1] = pick_1(tests, o + 1, b);
    if (depth > 2) b[2] = pick_2(tests, o + 3, b);
    if (depth > 3) b[3] = pick_3(tests, o + 7, b);
    if (depth > 4) b[4] = pick_4(tests, o + 15, b);
    if (depth > 5) b[5] = pick_5(tests, o + 31, b);
    if (depth > 6) b[6] = pick_6(tests, o + 63, b);
    if (depth > 7) b[7] = pick_7(tests, o + 127, b);
}
