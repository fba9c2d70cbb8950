/*
 * libcudart: kernels. A launch checks that the device can be used and does nothing else, so device memory keeps what
 * copies and fills have put there. The functions with two underscores are called by code that nvcc has generated.
 */
#define _GNU_SOURCE
#include "runtime.h"

#include <string.h>

/* ---- registration of the kernels in a library ---- */

OA_API void **__cudaRegisterFatBinary(void *binary)
{
    static void *handle;
    return &handle;
}

OA_API void __cudaRegisterFatBinaryEnd(void **handle)
{
}

OA_API void __cudaUnregisterFatBinary(void **handle)
{
}

OA_API void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                                   void *thread_id, void *block_id, void *block, void *grid, int *warp)
{
}

OA_API void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t size,
                              int constant, int global)
{
}

OA_API char __cudaInitModule(void **handle)
{
    return 1;
}

/* ---- launches ---- */

typedef struct {
    dim3 grid;
    dim3 block;
    size_t shared_bytes;
    void *stream;
} launch;

/* `<<<>>>` pushes a configuration that the kernel's own stub pops; launches in arguments nest. */
static __thread launch pending[8];
static __thread int pending_count;

OA_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, void *stream)
{
    if (pending_count == sizeof pending / sizeof *pending) {
        return 1;
    }
    pending[pending_count++] = (launch){grid, block, shared_bytes, stream};
    return 0;
}

OA_API cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream)
{
    if (!pending_count) {
        return oa_result(cudaErrorInvalidValue);
    }
    const launch *last = &pending[--pending_count];
    *grid = last->grid;
    *block = last->block;
    *shared_bytes = last->shared_bytes;
    *(void **)stream = last->stream;
    return cudaSuccess;
}

OA_API cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function)
{
    *kernel = (cudaKernel_t)function;
    return cudaSuccess;
}

OA_API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                                      size_t shared_bytes, cudaStream_t stream)
{
    REQUIRE_DEVICE();
    return cudaSuccess;
}

OA_API cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                                    cudaStream_t stream)
{
    REQUIRE_DEVICE();
    return cudaSuccess;
}

OA_API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments)
{
    REQUIRE_DEVICE();
    return cudaSuccess;
}

OA_API cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                               size_t shared_bytes, cudaStream_t stream)
{
    REQUIRE_DEVICE();
    return cudaSuccess;
}

/* ---- what torch asks about its kernels to choose a launch ---- */

OA_API cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *function)
{
    REQUIRE_DEVICE();
    memset(out, 0, sizeof *out);
    out->maxThreadsPerBlock = 1024;
    out->numRegs = 32;
    out->ptxVersion = 80;
    out->binaryVersion = 80;
    out->maxDynamicSharedSizeBytes = 48 << 10;
    return cudaSuccess;
}

OA_API cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value)
{
    REQUIRE_DEVICE();
    return cudaSuccess;
}

OA_API cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attribute, int value,
                                                   int device)
{
    REQUIRE_DEVICE();
    return cudaSuccess;
}

OA_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int block_size,
                                                                 size_t shared_bytes)
{
    REQUIRE_DEVICE();
    *blocks = 2;
    return cudaSuccess;
}

OA_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function,
                                                                          int block_size, size_t shared_bytes,
                                                                          unsigned flags)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size, shared_bytes);
}

/* Device variables live in no kernel's memory: each gets the same scratch space, 64 KiB as constant memory has. */
OA_API cudaError_t cudaGetSymbolAddress(void **address, const void *symbol)
{
    static char scratch[64 << 10];
    REQUIRE_DEVICE();
    *address = scratch;
    return cudaSuccess;
}
