/* The lane words of vec_*.h for the current CT_LANE, so that one body serves both widths. */
#undef L
#undef FN
#undef CT_PASTE
#undef CT_PASTE_
#define CT_PASTE_(a, b) a##b
#define CT_PASTE(a, b) CT_PASTE_(a, b)
#define FN(name) CT_PASTE(name, CT_LANE)
#define L(name) CT_PASTE(CT_PASTE(l, CT_LANE), _##name)
