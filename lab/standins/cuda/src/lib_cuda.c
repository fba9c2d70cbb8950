/*
 * libcuda.so.1, the driver: the few functions torch calls in it directly. Memory goes through the runtime (memory.c)
 * or by name (driver.c). Loading and launching compiled modules is not possible: the generated rest says so.
 */
#include "core.h"

#include <cuda.h>

CUresult CUDAAPI cuInit(unsigned flags)
{
    return oa_visible_count() ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}

CUresult CUDAAPI cuDriverGetVersion(int *version)
{
    *version = OA_CUDA_VERSION;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGetCount(int *count)
{
    *count = oa_visible_count();
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGet(CUdevice *device, int ordinal)
{
    *device = ordinal;
    return ordinal >= 0 && ordinal < oa_visible_count() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

/* torch asks before it touches a device that it may not want to wake: say that ours is awake. */
CUresult CUDAAPI cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active)
{
    *flags = 0;
    *active = 1;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    static int any;
    *context = (CUcontext)&any;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxGetCurrent(CUcontext *context)
{
    return cuDevicePrimaryCtxRetain(context, 0);
}

CUresult CUDAAPI cuCtxSetCurrent(CUcontext context)
{
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGetErrorString(CUresult error, const char **text)
{
    *text = error == CUDA_ERROR_NOT_SUPPORTED ? "operation not supported" : "unknown error";
    return CUDA_SUCCESS;
}
