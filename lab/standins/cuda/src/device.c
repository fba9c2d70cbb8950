/*
 * libcudart: devices, their properties, versions and errors.
 */
#define _GNU_SOURCE
#include "runtime.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* An Ampere data centre card, which every kernel of torch's wheels is built for. */
enum {
    CAPABILITY_MAJOR = 8,
    CAPABILITY_MINOR = 0,
    PROCESSORS = 108,
    WARP = 32,
    THREADS_PER_BLOCK = 1024,
    THREADS_PER_PROCESSOR = 2048,
    BLOCKS_PER_PROCESSOR = 32,
    REGISTERS = 65536,
    SHARED_PER_BLOCK = 48 << 10,
    SHARED_PER_BLOCK_OPTIN = 163 << 10,
    SHARED_PER_PROCESSOR = 164 << 10,
    GRID_X = 0x7fffffff,
    GRID_YZ = 65535,
    BLOCK_Z = 64,
    L2_BYTES = 40 << 20,
    BUS_BITS = 5120,
};

static __thread cudaError_t last_error;
static __thread int current;
static pthread_mutex_t first_use = PTHREAD_MUTEX_INITIALIZER;
static pid_t user_pid;

cudaError_t oa_result(cudaError_t error)
{
    if (error != cudaSuccess) {
        last_error = error;
    }
    return error;
}

/*
 * Do what `torch.backends.cudnn.enabled = False` does: convolutions and recurrent layers then run on torch's own kernels
 * and cuBLAS. A cuDNN that does nothing would have to plan convolutions first, of which torch checks a lot.
 */
static void switch_cudnn_off(void)
{
    void *torch = dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_NOLOAD);
    if (!torch) {
        return;
    }
    void *(*context)(void) = (void *(*)(void))dlsym(torch, "_ZN2at13globalContextEv");
    void (*enable)(void *, bool) = (void (*)(void *, bool))dlsym(torch, "_ZN2at7Context19setUserEnabledCuDNNEb");
    if (context && enable) {
        enable(context(), false);
    }
}

cudaError_t oa_check_usable(void)
{
    if (!oa_visible_count()) {
        return oa_result(cudaErrorNoDevice);
    }
    pthread_mutex_lock(&first_use);
    bool first = !user_pid;
    if (first) {
        user_pid = getpid();
    }
    bool forked = user_pid != getpid();
    pthread_mutex_unlock(&first_use);
    if (first) {
        switch_cudnn_off();
    }
    return forked ? oa_result(cudaErrorInitializationError) : cudaSuccess;
}

int oa_current_device(void)
{
    return current;
}

static bool exists(int device)
{
    return device >= 0 && device < oa_visible_count();
}

/* ---- devices ---- */

OA_API cudaError_t cudaGetDeviceCount(int *count)
{
    *count = oa_visible_count();
    return oa_check_usable();
}

OA_API cudaError_t cudaGetDevice(int *device)
{
    REQUIRE_DEVICE();
    *device = current;
    return cudaSuccess;
}

OA_API cudaError_t cudaSetDevice(int device)
{
    REQUIRE_DEVICE();
    if (!exists(device)) {
        return oa_result(cudaErrorInvalidDevice);
    }
    current = device;
    return cudaSuccess;
}

OA_API cudaError_t cudaDeviceSynchronize(void)
{
    REQUIRE_DEVICE();
    return cudaSuccess;
}

OA_API cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
    REQUIRE_DEVICE();
    if (!exists(device)) {
        return oa_result(cudaErrorInvalidDevice);
    }
    int physical = oa_physical_index(device);
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "CUDA stand-in");
    oa_uuid(physical, (unsigned char *)p->uuid.bytes);
    p->major = CAPABILITY_MAJOR;
    p->minor = CAPABILITY_MINOR;
    p->totalGlobalMem = oa_total_bytes();
    p->multiProcessorCount = PROCESSORS;
    p->warpSize = WARP;
    p->maxThreadsPerBlock = THREADS_PER_BLOCK;
    p->maxThreadsPerMultiProcessor = THREADS_PER_PROCESSOR;
    p->maxBlocksPerMultiProcessor = BLOCKS_PER_PROCESSOR;
    p->maxThreadsDim[0] = THREADS_PER_BLOCK;
    p->maxThreadsDim[1] = THREADS_PER_BLOCK;
    p->maxThreadsDim[2] = BLOCK_Z;
    p->maxGridSize[0] = GRID_X;
    p->maxGridSize[1] = GRID_YZ;
    p->maxGridSize[2] = GRID_YZ;
    p->regsPerBlock = REGISTERS;
    p->regsPerMultiprocessor = REGISTERS;
    p->sharedMemPerBlock = SHARED_PER_BLOCK;
    p->sharedMemPerBlockOptin = SHARED_PER_BLOCK_OPTIN;
    p->sharedMemPerMultiprocessor = SHARED_PER_PROCESSOR;
    p->totalConstMem = 64 << 10;
    p->textureAlignment = 512;
    p->l2CacheSize = L2_BYTES;
    p->memoryBusWidth = BUS_BITS;
    p->pciBusID = physical + 1;
    p->asyncEngineCount = 3;
    p->canMapHostMemory = 1;
    p->concurrentKernels = 1;
    p->cooperativeLaunch = 1;
    p->managedMemory = 1;
    p->memoryPoolsSupported = 1;
    p->unifiedAddressing = 1;
    return cudaSuccess;
}

OA_API cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    REQUIRE_DEVICE();
    if (!exists(device)) {
        return oa_result(cudaErrorInvalidDevice);
    }
    switch (attribute) {
    case cudaDevAttrComputeCapabilityMajor:
        *value = CAPABILITY_MAJOR;
        break;
    case cudaDevAttrComputeCapabilityMinor:
        *value = CAPABILITY_MINOR;
        break;
    case cudaDevAttrMultiProcessorCount:
        *value = PROCESSORS;
        break;
    case cudaDevAttrWarpSize:
        *value = WARP;
        break;
    case cudaDevAttrMaxThreadsPerBlock:
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
        *value = THREADS_PER_BLOCK;
        break;
    case cudaDevAttrMaxBlockDimZ:
        *value = BLOCK_Z;
        break;
    case cudaDevAttrMaxGridDimX:
        *value = GRID_X;
        break;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
        *value = GRID_YZ;
        break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        *value = THREADS_PER_PROCESSOR;
        break;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
        *value = BLOCKS_PER_PROCESSOR;
        break;
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor:
        *value = REGISTERS;
        break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
        *value = SHARED_PER_BLOCK;
        break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = SHARED_PER_BLOCK_OPTIN;
        break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        *value = SHARED_PER_PROCESSOR;
        break;
    case cudaDevAttrL2CacheSize:
        *value = L2_BYTES;
        break;
    case cudaDevAttrGlobalMemoryBusWidth:
        *value = BUS_BITS;
        break;
    case cudaDevAttrClockRate:
        *value = 1410000;
        break;
    case cudaDevAttrMemoryClockRate:
        *value = 1215000;
        break;
    case cudaDevAttrTextureAlignment:
        *value = 512;
        break;
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrCooperativeLaunch:
        *value = 1;
        break;
    default:
        *value = 0;
    }
    return cudaSuccess;
}

OA_API cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device)
{
    REQUIRE_DEVICE();
    if (!exists(device)) {
        return oa_result(cudaErrorInvalidDevice);
    }
    snprintf(text, (size_t)size, "0000:%02x:00.0", oa_physical_index(device) + 1);
    return cudaSuccess;
}

OA_API cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    REQUIRE_DEVICE();
    *can = device != peer;
    return cudaSuccess;
}

OA_API cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    REQUIRE_DEVICE();
    return cudaSuccess;
}

/* ---- versions ---- */

OA_API cudaError_t cudaDriverGetVersion(int *version)
{
    *version = OA_CUDA_VERSION;
    return cudaSuccess;
}

OA_API cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = OA_CUDA_VERSION;
    return cudaSuccess;
}

OA_API cudaError_t cudaProfilerStart(void)
{
    REQUIRE_DEVICE();
    return cudaSuccess;
}

OA_API cudaError_t cudaProfilerStop(void)
{
    REQUIRE_DEVICE();
    return cudaSuccess;
}

/* ---- errors ---- */

typedef struct {
    cudaError_t error;
    const char *name;
    const char *text;
} error_text;

/* Every error the stand-in gives, in the real runtime's words. */
static const error_text error_texts[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
};

static const error_text *describe(cudaError_t error)
{
    static const error_text unknown = {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"};
    for (size_t i = 0; i < sizeof error_texts / sizeof *error_texts; i++) {
        if (error_texts[i].error == error) {
            return &error_texts[i];
        }
    }
    return &unknown;
}

OA_API const char *cudaGetErrorString(cudaError_t error)
{
    return describe(error)->text;
}

OA_API const char *cudaGetErrorName(cudaError_t error)
{
    return describe(error)->name;
}

OA_API cudaError_t cudaGetLastError(void)
{
    cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

OA_API cudaError_t cudaPeekAtLastError(void)
{
    return last_error;
}
