#include "forest/offload/device.h"

#include <stdio.h>

#include "gpu/device.h"

int ct_forest_wants(const ct_forest_device *device, const ct_forest_cost *cost,
                    ct_forest_used *used)
{
    snprintf(used->name, sizeof used->name, "cpu");
    used->note[0] = '\0';
    if (device->wish == CT_FOREST_AUTO) return cost->device < cost->cpu;
    return device->wish != CT_FOREST_CPU;
}

int ct_forest_number(const ct_forest_device *device)
{
    return device->wish == CT_FOREST_TWIN ? -1 : device->number;
}

void ct_forest_done(const ct_forest_device *device, ct_forest_used *used)
{
    CT_ASSERT(device->wish != CT_FOREST_CPU);
    int number = ct_forest_number(device);
    if (number < 0) snprintf(used->name, sizeof used->name, "twin");
    else snprintf(used->name, sizeof used->name, "cuda:%d", number);
}

ct_status ct_forest_without(const ct_forest_device *device, const ct_error *why,
                            ct_forest_used *used, ct_error *error)
{
    CT_ASSERT(why->status != CT_OK);
    ct_device_list list = {0};
    if (device->wish == CT_FOREST_CUDA) return ct_fail(error, why->status, "%s", why->message);
    if (device->wish == CT_FOREST_AUTO) ct_device_query(&list);
    if (device->wish != CT_FOREST_AUTO || list.n_devices)
        snprintf(used->note, sizeof used->note, "%s", why->message);
    return CT_OK;
}
