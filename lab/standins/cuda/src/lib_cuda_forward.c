/*
 * libcuda.so.1, for older torch (seen in 2.6.0): it looks up in the driver's own library what later ones ask the runtime for by
 * name. Each call goes on to the runtime's table (driver.c), which is loaded by the time any is made. The functions take
 * integers and pointers only, six at the most, so registers go on as they came.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

#define WORDS uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f
typedef int function(WORDS);

static function *find(const char *name)
{
    static const char *const runtimes[] = {"libcudart.so.12", "libcudart.so.13"};
    void *(*look)(const char *) = (void *(*)(const char *))dlsym(RTLD_DEFAULT, "oa_driver_function");
    for (size_t i = 0; !look && i < sizeof runtimes / sizeof *runtimes; i++) {
        void *runtime = dlopen(runtimes[i], RTLD_NOLOAD | RTLD_LAZY);
        look = runtime ? (void *(*)(const char *))dlsym(runtime, "oa_driver_function") : NULL;
    }
    return look ? (function *)look(name) : NULL;
}

#define FORWARD(name)                                   \
    int name(WORDS)                                     \
    {                                                   \
        static function *next;                          \
        if (!next && !(next = find(#name))) {           \
            return 3; /* CUDA_ERROR_NOT_INITIALIZED */  \
        }                                               \
        return next(a, b, c, d, e, f);                  \
    }

FORWARD(cuDeviceGetAttribute)
FORWARD(cuMemAddressFree)
FORWARD(cuMemAddressReserve)
FORWARD(cuMemCreate)
FORWARD(cuMemExportToShareableHandle)
FORWARD(cuMemGetAllocationGranularity)
FORWARD(cuMemImportFromShareableHandle)
FORWARD(cuMemMap)
FORWARD(cuMemRelease)
FORWARD(cuMemSetAccess)
FORWARD(cuMemUnmap)
FORWARD(cuMemsetD32Async)
FORWARD(cuMulticastAddDevice)
FORWARD(cuMulticastBindMem)
FORWARD(cuMulticastCreate)
FORWARD(cuMulticastUnbind)
FORWARD(cuStreamWriteValue32)
