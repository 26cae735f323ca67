/* A CUDA driver without a device: reports VERSION, and cuInit() returns INIT. For
 * tools/test_cuda.sh. */
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

static void *find(const char *name)
{
    if (strcmp(name, "cuInit") == 0) return (void *) cuInit;
    return strcmp(name, "cuDriverGetVersion") == 0 ? (void *) cuDriverGetVersion : (void *) fails;
}

/* What the runtime asks first, in the spelling of CUDA 12 and later and in that of 11, which writes
 * no status. */
int cuGetProcAddress_v2(const char *name, void **address, int version, unsigned long long flags,
                        int *status)
{
    (void) version, (void) flags;
    if (status) *status = 0;
    *address = strcmp(name, "cuGetProcAddress") == 0 ? (void *) cuGetProcAddress_v2 : find(name);
    return 0;
}

int cuGetProcAddress(const char *name, void **address, int version, unsigned long long flags)
{
    (void) version, (void) flags;
    *address = strcmp(name, "cuGetProcAddress") == 0 ? (void *) cuGetProcAddress : find(name);
    return 0;
}
