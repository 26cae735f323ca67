/* The room where the package was built without CUDA: there is no device, and it says so. */
#include "gpu/device.h"

#include <string.h>

#include "gpu/backend.h"

static const char without_cuda[] = "contree was built without CUDA";

void ct_device_query(ct_device_list *list)
{
    memset(list, 0, sizeof *list);
    memcpy(list->reason, without_cuda, sizeof without_cuda);
}

const ct_backend *ct_backend_cuda(void)
{
    return NULL;
}
