#include "base/optimised.h"
#include "base/unguarded.h"

#include "policy/kernels.h"

#ifdef CT_HAVE_NEON
#define CT_VEC_NEON
#include "policy/kernels_isa.h"

CT_POLICY_SET(neon);
#endif
