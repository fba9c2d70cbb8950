/*
 * libcublas: a handle, and modes that torch reads back. The products themselves are generated and do nothing. A
 * library of this kind takes no device memory: torch gives it a workspace from its own allocator.
 */
#include <stdlib.h>

typedef struct {
    int math_mode;
    int pointer_mode;
} handle_state;

int cublasCreate_v2(handle_state **handle)
{
    *handle = calloc(1, sizeof **handle);
    return 0;
}

int cublasDestroy_v2(handle_state *handle)
{
    free(handle);
    return 0;
}

int cublasGetMathMode(handle_state *handle, int *mode)
{
    *mode = handle->math_mode;
    return 0;
}

int cublasSetMathMode(handle_state *handle, int mode)
{
    handle->math_mode = mode;
    return 0;
}

int cublasGetPointerMode_v2(handle_state *handle, int *mode)
{
    *mode = handle->pointer_mode;
    return 0;
}

int cublasSetPointerMode_v2(handle_state *handle, int mode)
{
    handle->pointer_mode = mode;
    return 0;
}
