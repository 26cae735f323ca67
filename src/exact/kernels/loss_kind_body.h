/* All that is counted in lanes where losses depend on the label. */
#include "exact/kernels/block_body.h"
#include "exact/kernels/settle_body.h"
#include "exact/kernels/loss_body.h"
#include "exact/kernels/children_body.h"
