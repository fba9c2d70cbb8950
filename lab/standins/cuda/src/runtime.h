/*
 * Inside libcudart: the error of the thread, the current device, and the record of what lies at an address.
 */
#ifndef OA_STANDIN_RUNTIME_H
#define OA_STANDIN_RUNTIME_H

#include "core.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>

/* The library's symbols carry no prototype in C for calls that only compilers make; the rest is checked against theirs. */

/* Remember an error for cudaGetLastError, and return it. Success changes nothing, as in the real runtime. */
cudaError_t oa_result(cudaError_t error);

/* What every call that needs a device asks first: is there one, and is this not a forked child of a process that has
 * used CUDA already (the real runtime answers such a child with an initialization error too). */
cudaError_t oa_check_usable(void);

/* Return from the calling function where the device cannot be used. */
#define REQUIRE_DEVICE()                          \
    do {                                          \
        cudaError_t usable_ = oa_check_usable();  \
        if (usable_ != cudaSuccess) {             \
            return usable_;                       \
        }                                         \
    } while (0)

/* The thread's current device, visible index. */
int oa_current_device(void);

/* What lies at an address. */
typedef enum { OA_DEVICE_MEMORY, OA_MAPPED_MEMORY, OA_HOST_MEMORY, OA_REGISTERED_MEMORY } oa_kind;

typedef struct {
    char *start;
    size_t size;
    int device; /* visible index */
    oa_kind kind;
} oa_block;

void oa_blocks_add(oa_block block);

/* Copy of the block that holds an address; false when there is none. */
bool oa_blocks_find(const void *address, oa_block *out);

/* Remove the block that starts at an address; false when there is none. */
bool oa_blocks_remove(const void *start, oa_block *out);

/* Address space of `size` bytes on a 2 MiB border, that costs memory only where it is written; NULL when there is none. */
void *oa_map(size_t size);

/* The driver's function of a name (driver.c); one that answers "not supported" where we have none. */
void *oa_driver_function(const char *name);

#endif
