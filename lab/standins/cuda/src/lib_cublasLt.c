/*
 * libcublasLt: descriptors, and one algorithm that needs no workspace, so that torch goes on to call the product.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DESCRIPTOR_BYTES = 64 };

/* cublasLtMatmulHeuristicResult_t: all zeros is a usable algorithm. */
typedef struct {
    uint64_t algorithm[8];
    size_t workspace_bytes;
    int state;
    float waves;
    int reserved[4];
} heuristic;

static int create(void **out)
{
    *out = calloc(1, DESCRIPTOR_BYTES);
    return 0;
}

static int destroy(void *descriptor)
{
    free(descriptor);
    return 0;
}

long cublasLtGetVersion(void)
{
    return 130101;
}

int cublasLtMatmulDescCreate(void **out, int compute, int scale)
{
    return create(out);
}

int cublasLtMatmulDescDestroy(void *descriptor)
{
    return destroy(descriptor);
}

int cublasLtMatmulPreferenceCreate(void **out)
{
    return create(out);
}

int cublasLtMatmulPreferenceDestroy(void *descriptor)
{
    return destroy(descriptor);
}

int cublasLtMatrixLayoutCreate(void **out, int type, uint64_t rows, uint64_t columns, int64_t leading)
{
    return create(out);
}

int cublasLtMatrixLayoutDestroy(void *descriptor)
{
    return destroy(descriptor);
}

int cublasLtMatmulAlgoGetHeuristic(void *handle, void *operation, void *a, void *b, void *c, void *d, void *preference,
                                   int wanted, heuristic *results, int *found)
{
    memset(results, 0, sizeof *results);
    *found = 1;
    return 0;
}
