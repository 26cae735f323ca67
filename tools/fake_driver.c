/* A CUDA driver without a device: reports VERSION, and cuInit() returns INIT. For tools/test_cuda.sh. */
#include <stddef.h>
#include <string.h>

int cuInit(unsigned flags)
{
    (void) flags;
    return INIT;
}

int cuDriverGetVersion(int *version)
{
    *version = VERSION;
    return 0;
}

static int fails(void)
{
    return 999;
}

/* What the runtime asks first, in the spelling of CUDA 12 and later and in that of 11. */
int cuGetProcAddress_v2(const char *name, void **address, int version, unsigned long long flags, int *status)
{
    (void) version, (void) flags;
    if (status) *status = 0;
    if (strcmp(name, "cuInit") == 0)
        *address = (void *) cuInit;
    else if (strcmp(name, "cuDriverGetVersion") == 0)
        *address = (void *) cuDriverGetVersion;
    else if (strcmp(name, "cuGetProcAddress") == 0)
        *address = (void *) cuGetProcAddress_v2;
    else
        *address = (void *) fails;
    return 0;
}

int cuGetProcAddress(const char *name, void **address, int version, unsigned long long flags)
{
    return cuGetProcAddress_v2(name, address, version, flags, NULL);
}
