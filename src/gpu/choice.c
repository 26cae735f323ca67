#include "gpu/choice.h"

#include <stdio.h>

#include "gpu/device.h"

int ct_gpu_wants(const ct_gpu_choice *device, const ct_gpu_cost *cost, ct_gpu_used *used)
{
    snprintf(used->name, sizeof used->name, "cpu");
    used->note[0] = '\0';
    if (device->wish == CT_ON_AUTO) return cost->device < cost->cpu;
    return device->wish != CT_ON_CPU;
}

int ct_gpu_number(const ct_gpu_choice *device)
{
    return device->wish == CT_ON_TWIN ? -1 : device->number;
}

void ct_gpu_done(const ct_gpu_choice *device, ct_gpu_used *used)
{
    CT_ASSERT(device->wish != CT_ON_CPU);
    int number = ct_gpu_number(device);
    if (number < 0) snprintf(used->name, sizeof used->name, "twin");
    else snprintf(used->name, sizeof used->name, "cuda:%d", number);
}

ct_status ct_gpu_without(const ct_gpu_choice *device, const ct_error *why, ct_gpu_used *used,
                         ct_error *error)
{
    CT_ASSERT(why->status != CT_OK);
    ct_device_list list = {0};
    if (device->wish == CT_ON_CUDA) return ct_fail(error, why->status, "%s", why->message);
    if (device->wish == CT_ON_AUTO) ct_device_query(&list);
    if (device->wish != CT_ON_AUTO || list.n_devices)
        snprintf(used->note, sizeof used->note, "%s", why->message);
    return CT_OK;
}
