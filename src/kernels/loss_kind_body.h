/* All that is counted in lanes where losses depend on the label. */
#include "kernels/block_body.h"
#include "kernels/settle_body.h"
#include "kernels/loss_body.h"
#include "kernels/children_body.h"
