/*
 * libcudnn: its version and its words. The rest is generated.
 */
#include <stddef.h>

/* 9.24.0: torch refuses one that does not fit what it was compiled with. */
enum { MAJOR = 9, MINOR = 24, PATCH = 0 };

size_t cudnnGetVersion(void)
{
    return MAJOR * 10000 + MINOR * 100 + PATCH;
}

/* libraryPropertyType: 0 major, 1 minor, 2 patch. */
int cudnnGetProperty(int property, int *value)
{
    const int parts[] = {MAJOR, MINOR, PATCH};
    *value = property >= 0 && property < 3 ? parts[property] : 0;
    return 0;
}

size_t cudnnGetCudartVersion(void)
{
    return 13000;
}

const char *cudnnGetErrorString(int status)
{
    return status ? "not possible on the CUDA stand-in" : "CUDNN_STATUS_SUCCESS";
}

void cudnnGetLastErrorString(char *text, size_t size)
{
    if (size) {
        *text = '\0';
    }
}
