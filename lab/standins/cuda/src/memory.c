/*
 * libcudart: memory. Device memory is host memory that costs something only where it is written; the ledger makes it
 * run out as a device's does. Allocations come in 2 MiB pages, as the real runtime's do for anything torch asks for.
 */
#define _GNU_SOURCE
#include "runtime.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- what lies where: blocks in the order of their addresses ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static oa_block *blocks;
static size_t count;
static size_t room;

/* Index of the first block that starts behind an address. */
static size_t first_behind(const char *address)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (blocks[middle].start > address) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

void oa_blocks_add(oa_block block)
{
    pthread_mutex_lock(&lock);
    if (count == room) {
        room = room ? room * 2 : 64;
        blocks = realloc(blocks, room * sizeof *blocks);
        if (!blocks) {
            abort();
        }
    }
    size_t at = first_behind(block.start);
    memmove(blocks + at + 1, blocks + at, (count - at) * sizeof *blocks);
    blocks[at] = block;
    count++;
    pthread_mutex_unlock(&lock);
}

bool oa_blocks_find(const void *address, oa_block *out)
{
    pthread_mutex_lock(&lock);
    size_t behind = first_behind(address);
    bool found = behind && (const char *)address < blocks[behind - 1].start + blocks[behind - 1].size;
    if (found) {
        *out = blocks[behind - 1];
    }
    pthread_mutex_unlock(&lock);
    return found;
}

bool oa_blocks_remove(const void *start, oa_block *out)
{
    pthread_mutex_lock(&lock);
    size_t behind = first_behind(start);
    bool found = behind && blocks[behind - 1].start == (const char *)start;
    if (found) {
        *out = blocks[behind - 1];
        memmove(blocks + behind - 1, blocks + behind, (count - behind) * sizeof *blocks);
        count--;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

void *oa_map(size_t size)
{
    char *all = mmap(NULL, size + OA_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) {
        return NULL;
    }
    char *start = (char *)(((uintptr_t)all + OA_PAGE - 1) / OA_PAGE * OA_PAGE);
    if (start > all) {
        munmap(all, (size_t)(start - all));
    }
    munmap(start + size, OA_PAGE - (size_t)(start - all));
    /* Else one written byte costs 2 MiB of the host's memory where transparent huge pages are on. */
    madvise(start, size, MADV_NOHUGEPAGE);
    return start;
}

/* ---- device memory ---- */

static cudaError_t allocate(void **out, size_t size, int device)
{
    *out = NULL;
    if (!size) {
        return cudaSuccess;
    }
    size_t rounded = (size + OA_PAGE - 1) / OA_PAGE * OA_PAGE;
    if (rounded < size || oa_take(oa_physical_index(device), rounded)) {
        return oa_result(cudaErrorMemoryAllocation);
    }
    char *start = oa_map(rounded);
    if (!start) {
        oa_give(oa_physical_index(device), rounded);
        return oa_result(cudaErrorMemoryAllocation);
    }
    oa_blocks_add((oa_block){start, rounded, device, OA_DEVICE_MEMORY});
    *out = start;
    return cudaSuccess;
}

static cudaError_t release(void *start)
{
    oa_block block;
    if (!start) {
        return cudaSuccess;
    }
    if (!oa_blocks_remove(start, &block)) {
        return oa_result(cudaErrorInvalidValue);
    }
    munmap(block.start, block.size);
    oa_give(oa_physical_index(block.device), block.size);
    return cudaSuccess;
}

OA_API cudaError_t cudaMalloc(void **out, size_t size)
{
    REQUIRE_DEVICE();
    return allocate(out, size, oa_current_device());
}

OA_API cudaError_t cudaMallocManaged(void **out, size_t size, unsigned flags)
{
    REQUIRE_DEVICE();
    return allocate(out, size, oa_current_device());
}

OA_API cudaError_t cudaFree(void *start)
{
    REQUIRE_DEVICE();
    return release(start);
}

OA_API cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    REQUIRE_DEVICE();
    *total = oa_total_bytes();
    *free_bytes = *total - oa_used_by_all(oa_physical_index(oa_current_device()));
    return cudaSuccess;
}

/* ---- the pool behind PYTORCH_CUDA_ALLOC_CONF=backend:cudaMallocAsync: it keeps nothing, so reserved is used ---- */

static size_t pool_peak[OA_MAX_DEVICES];

/* A pool's handle is its visible device's index plus one. */
static int pool_device(cudaMemPool_t pool)
{
    return (int)(uintptr_t)pool - 1;
}

OA_API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    REQUIRE_DEVICE();
    *pool = (cudaMemPool_t)(uintptr_t)(device + 1);
    return cudaSuccess;
}

OA_API cudaError_t cudaMallocAsync(void **out, size_t size, cudaStream_t stream)
{
    REQUIRE_DEVICE();
    int device = oa_current_device();
    cudaError_t error = allocate(out, size, device);
    size_t bytes = oa_used_here(oa_physical_index(device));
    if (bytes > pool_peak[device]) {
        pool_peak[device] = bytes;
    }
    return error;
}

OA_API cudaError_t cudaFreeAsync(void *start, cudaStream_t stream)
{
    REQUIRE_DEVICE();
    return release(start);
}

OA_API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    REQUIRE_DEVICE();
    int device = pool_device(pool);
    switch (attribute) {
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent:
        *(uint64_t *)value = oa_used_here(oa_physical_index(device));
        break;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
        *(uint64_t *)value = pool_peak[device];
        break;
    case cudaMemPoolAttrReleaseThreshold:
        *(uint64_t *)value = 0;
        break;
    default:
        *(int *)value = 1;
    }
    return cudaSuccess;
}

OA_API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    REQUIRE_DEVICE();
    if (attribute == cudaMemPoolAttrReservedMemHigh || attribute == cudaMemPoolAttrUsedMemHigh) {
        pool_peak[pool_device(pool)] = oa_used_here(oa_physical_index(pool_device(pool)));
    }
    return cudaSuccess;
}

OA_API cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list, size_t size)
{
    REQUIRE_DEVICE();
    return cudaSuccess;
}

OA_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
    REQUIRE_DEVICE();
    return cudaSuccess;
}

/* Memory that a graph takes by nodes of its own: none. (torch takes it from its pool while it captures.) */
OA_API cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void *value)
{
    REQUIRE_DEVICE();
    *(uint64_t *)value = 0;
    return cudaSuccess;
}

OA_API cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void *value)
{
    REQUIRE_DEVICE();
    return cudaSuccess;
}

/* ---- pinned host memory ---- */

OA_API cudaError_t cudaHostAlloc(void **out, size_t size, unsigned flags)
{
    REQUIRE_DEVICE();
    if (posix_memalign(out, 4096, size ? size : 1)) {
        return oa_result(cudaErrorMemoryAllocation);
    }
    oa_blocks_add((oa_block){*out, size, oa_current_device(), OA_HOST_MEMORY});
    return cudaSuccess;
}

OA_API cudaError_t cudaFreeHost(void *start)
{
    oa_block block;
    if (start && oa_blocks_remove(start, &block)) {
        free(start);
    }
    return cudaSuccess;
}

OA_API cudaError_t cudaHostRegister(void *start, size_t size, unsigned flags)
{
    REQUIRE_DEVICE();
    oa_blocks_add((oa_block){start, size, oa_current_device(), OA_REGISTERED_MEMORY});
    return cudaSuccess;
}

OA_API cudaError_t cudaHostUnregister(void *start)
{
    oa_block block;
    return oa_blocks_remove(start, &block) ? cudaSuccess : oa_result(cudaErrorInvalidValue);
}

OA_API cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *address)
{
    REQUIRE_DEVICE();
    oa_block block;
    memset(out, 0, sizeof *out);
    if (!oa_blocks_find(address, &block)) {
        out->type = cudaMemoryTypeUnregistered;
        out->device = -1;
        return cudaSuccess;
    }
    bool host = block.kind == OA_HOST_MEMORY || block.kind == OA_REGISTERED_MEMORY;
    out->type = host ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
    out->device = block.device;
    out->devicePointer = (void *)address;
    out->hostPointer = host ? (void *)address : NULL;
    return cudaSuccess;
}

/* ---- copies: done at once, on the calling thread ---- */

/* OA_STANDIN_ZERO_D2H: kernels write nothing, so what `.item()` or `nonzero()` read back is arbitrary; zeros are not. */
static bool reads_as_zero(size_t size, enum cudaMemcpyKind kind)
{
    return kind == cudaMemcpyDeviceToHost && size <= oa_zero_d2h_bytes();
}

OA_API cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
    REQUIRE_DEVICE();
    if (reads_as_zero(size, kind)) {
        memset(to, 0, size);
    } else if (kind != cudaMemcpyDeviceToDevice || to != from) {
        memmove(to, from, size);
    }
    return cudaSuccess;
}

OA_API cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                                   cudaStream_t stream)
{
    return cudaMemcpy(to, from, size, kind);
}

OA_API cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t size,
                                       cudaStream_t stream)
{
    return cudaMemcpy(to, from, size, cudaMemcpyDeviceToDevice);
}

OA_API cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                                     size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    REQUIRE_DEVICE();
    for (size_t row = 0; row < height; row++) {
        memmove((char *)to + row * to_pitch, (const char *)from + row * from_pitch, width);
    }
    return cudaSuccess;
}

OA_API cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t size, size_t offset,
                                      enum cudaMemcpyKind kind)
{
    REQUIRE_DEVICE();
    return cudaSuccess;
}

/* Large fills with zero give the pages back instead of writing them: the host's memory stays small. */
OA_API cudaError_t cudaMemset(void *to, int value, size_t size)
{
    REQUIRE_DEVICE();
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    char *start = (char *)(((uintptr_t)to + page - 1) / page * page);
    char *end = (char *)(((uintptr_t)to + size) / page * page);
    if (value || size < ((size_t)1 << 20)) {
        memset(to, value, size);
        return cudaSuccess;
    }
    memset(to, 0, (size_t)(start - (char *)to));
    madvise(start, (size_t)(end - start), MADV_DONTNEED);
    memset(end, 0, (size_t)((char *)to + size - end));
    return cudaSuccess;
}

OA_API cudaError_t cudaMemsetAsync(void *to, int value, size_t size, cudaStream_t stream)
{
    return cudaMemset(to, value, size);
}
