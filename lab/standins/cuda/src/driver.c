/*
 * libcudart: the driver's functions that torch asks for by name (c10/cuda/driver_api.h). Real ones are those behind
 * PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True: reserve addresses, create memory, map it there. Their physical
 * memory is only a number in the ledger; the bytes are in the reserved addresses.
 */
#define _GNU_SOURCE
#include "runtime.h"

#include <cuda.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* What a CUmemGenericAllocationHandle points to. */
typedef struct {
    size_t size;
    int device; /* visible index */
} physical_memory;

static CUresult granularity(size_t *out, const CUmemAllocationProp *properties, CUmemAllocationGranularity_flags option)
{
    *out = OA_PAGE;
    return CUDA_SUCCESS;
}

static CUresult reserve_addresses(CUdeviceptr *out, size_t size, size_t alignment, CUdeviceptr wish,
                                  unsigned long long flags)
{
    void *start = oa_map(size);
    *out = (CUdeviceptr)start;
    return start ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult free_addresses(CUdeviceptr start, size_t size)
{
    return munmap((void *)start, size) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

static CUresult create(CUmemGenericAllocationHandle *out, size_t size, const CUmemAllocationProp *properties,
                       unsigned long long flags)
{
    int device = properties->location.id;
    if (device < 0 || device >= oa_visible_count()) {
        return CUDA_ERROR_INVALID_DEVICE;
    }
    if (oa_take(oa_physical_index(device), size)) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    physical_memory *memory = malloc(sizeof *memory);
    *memory = (physical_memory){size, device};
    *out = (CUmemGenericAllocationHandle)(uintptr_t)memory;
    return CUDA_SUCCESS;
}

static CUresult release(CUmemGenericAllocationHandle handle)
{
    physical_memory *memory = (physical_memory *)(uintptr_t)handle;
    oa_give(oa_physical_index(memory->device), memory->size);
    free(memory);
    return CUDA_SUCCESS;
}

static CUresult map(CUdeviceptr start, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                    unsigned long long flags)
{
    const physical_memory *memory = (physical_memory *)(uintptr_t)handle;
    oa_blocks_add((oa_block){(char *)start, size, memory->device, OA_MAPPED_MEMORY});
    return CUDA_SUCCESS;
}

/* One call may cover several mappings that lie side by side. */
static CUresult unmap(CUdeviceptr start, size_t size)
{
    char *at = (char *)start;
    oa_block block;
    while (at < (char *)start + size && oa_blocks_remove(at, &block)) {
        at += block.size;
    }
    madvise((void *)start, size, MADV_DONTNEED);
    return CUDA_SUCCESS;
}

static CUresult set_access(CUdeviceptr start, size_t size, const CUmemAccessDesc *list, size_t count)
{
    return CUDA_SUCCESS;
}

static CUresult address_range(CUdeviceptr *start, size_t *size, CUdeviceptr address)
{
    oa_block block;
    if (!oa_blocks_find((void *)address, &block)) {
        return CUDA_ERROR_NOT_FOUND;
    }
    if (start) {
        *start = (CUdeviceptr)block.start;
    }
    if (size) {
        *size = block.size;
    }
    return CUDA_SUCCESS;
}

static CUresult fill(CUdeviceptr start, unsigned value, size_t count, CUstream stream)
{
    unsigned *at = (unsigned *)start;
    for (size_t i = 0; i < count; i++) {
        at[i] = value;
    }
    return CUDA_SUCCESS;
}

static CUresult write_value(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags)
{
    *(cuuint32_t *)address = value;
    return CUDA_SUCCESS;
}

static CUresult get_device(CUdevice *device, int ordinal)
{
    *device = ordinal;
    return ordinal < oa_visible_count() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

static CUresult get_attribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    /* The driver numbers its attributes as the runtime does. Handle types to share memory across processes: none. */
    return (CUresult)cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute, device);
}

static CUresult current_context(CUcontext *context)
{
    static int any;
    *context = (CUcontext)&any;
    return CUDA_SUCCESS;
}

static CUresult set_context(CUcontext context)
{
    return CUDA_SUCCESS;
}

static CUresult error_string(CUresult error, const char **text)
{
    *text = cudaGetErrorString((cudaError_t)error);
    return CUDA_SUCCESS;
}

#if CUDA_VERSION >= 13000
/* torch 2.14 captures the driver's log of an error with these two; our errors have no log. */
static CUresult register_log(CUlogsCallback function, void *argument, CUlogsCallbackHandle *handle)
{
    static int any;
    if (handle) {
        *handle = (CUlogsCallbackHandle)&any;
    }
    return CUDA_SUCCESS;
}

static CUresult unregister_log(CUlogsCallbackHandle handle)
{
    return CUDA_SUCCESS;
}
#endif

/* Functions that torch looks up and that we do not have: each says so when it is called. */
#define UNSUPPORTED_FUNCTIONS(_)              \
    _(cuCtxFromGreenCtx)                      \
    _(cuCtxPopCurrent)                        \
    _(cuCtxPushCurrent)                       \
    _(cuDevResourceGenerateDesc)              \
    _(cuDevSmResourceSplitByCount)            \
    _(cuDeviceGetDevResource)                 \
    _(cuGreenCtxCreate)                       \
    _(cuGreenCtxDestroy)                      \
    _(cuGreenCtxStreamCreate)                 \
    _(cuMemExportToShareableHandle)           \
    _(cuMemGetAllocationPropertiesFromHandle) \
    _(cuMemImportFromShareableHandle)         \
    _(cuMemRetainAllocationHandle)            \
    _(cuMulticastAddDevice)                   \
    _(cuMulticastBindMem)                     \
    _(cuMulticastCreate)                      \
    _(cuMulticastUnbind)

#define DEFINE_UNSUPPORTED(name)              \
    static CUresult unsupported_##name(void)  \
    {                                         \
        oa_trace(#name);                      \
        return CUDA_ERROR_NOT_SUPPORTED;      \
    }

#define ENTRY_UNSUPPORTED(name) {#name, unsupported_##name},

UNSUPPORTED_FUNCTIONS(DEFINE_UNSUPPORTED)

static CUresult unsupported_other(void)
{
    oa_trace("a driver function torch 2.14 did not ask for");
    return CUDA_ERROR_NOT_SUPPORTED;
}

typedef struct {
    const char *name;
    void *function;
} entry;

static const entry entries[] = {
    {"cuCtxGetCurrent", current_context},
    {"cuCtxSetCurrent", set_context},
    {"cuDeviceGet", get_device},
    {"cuDeviceGetAttribute", get_attribute},
    {"cuGetErrorString", error_string},
#if CUDA_VERSION >= 13000
    {"cuLogsRegisterCallback", register_log},
    {"cuLogsUnregisterCallback", unregister_log},
#endif
    {"cuMemAddressFree", free_addresses},
    {"cuMemAddressReserve", reserve_addresses},
    {"cuMemCreate", create},
    {"cuMemGetAddressRange", address_range},
    {"cuMemGetAllocationGranularity", granularity},
    {"cuMemMap", map},
    {"cuMemRelease", release},
    {"cuMemSetAccess", set_access},
    {"cuMemUnmap", unmap},
    {"cuMemsetD32Async", fill},
    {"cuStreamWriteValue32", write_value},
    UNSUPPORTED_FUNCTIONS(ENTRY_UNSUPPORTED)
};

void *oa_driver_function(const char *name)
{
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        if (!strcmp(entries[i].name, name)) {
            return entries[i].function;
        }
    }
    return unsupported_other;
}

OA_API cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                                    unsigned long long flags,
                                                    enum cudaDriverEntryPointQueryResult *result)
{
    *function = oa_driver_function(name);
    if (result) {
        *result = cudaDriverEntryPointSuccess;
    }
    return cudaSuccess;
}
