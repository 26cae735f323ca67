/* The lane words of vec_*.h for the current CT_LANE, and names of its own for the current CT_KIND, so that one body serves
 * all kernels. */
#undef L
#undef MASK
#undef FN
#undef CT_PASTE
#undef CT_PASTE_
#define CT_PASTE_(a, b) a##b
#define CT_PASTE(a, b) CT_PASTE_(a, b)
#define FN(name) CT_PASTE(name, CT_KIND)
#define MASK CT_PASTE(mask, CT_LANE)
#define L(name) CT_PASTE(CT_PASTE(l, CT_LANE), _##name)
