/*
 * libcudart: streams and events. All work is done by the time a call returns, so every stream is idle and every event
 * has happened.
 */
#define _GNU_SOURCE
#include "runtime.h"

#include <stdlib.h>
#include <time.h>

typedef struct {
    int priority;
} stream_state;

typedef struct {
    bool recorded;
    double milliseconds;
} event_state;

/* ---- streams ---- */

OA_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    REQUIRE_DEVICE();
    stream_state *state = calloc(1, sizeof *state);
    state->priority = priority;
    *stream = (cudaStream_t)state;
    return cudaSuccess;
}

OA_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

OA_API cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithPriority(stream, 0, 0);
}

OA_API cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    free(stream);
    return cudaSuccess;
}

OA_API cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    REQUIRE_DEVICE();
    /* 0, 1 and 2 are the default streams, not handles of ours. */
    *priority = (uintptr_t)stream > 2 ? ((stream_state *)stream)->priority : 0;
    return cudaSuccess;
}

OA_API cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    REQUIRE_DEVICE();
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
}

OA_API cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    REQUIRE_DEVICE();
    return cudaSuccess;
}

OA_API cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    REQUIRE_DEVICE();
    return cudaSuccess;
}

OA_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    REQUIRE_DEVICE();
    return cudaSuccess;
}

OA_API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *argument)
{
    REQUIRE_DEVICE();
    function(argument);
    return cudaSuccess;
}

OA_API cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void *argument,
                                         unsigned flags)
{
    REQUIRE_DEVICE();
    function(stream, cudaSuccess, argument);
    return cudaSuccess;
}

/* ---- events ---- */

OA_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    REQUIRE_DEVICE();
    *event = calloc(1, sizeof(event_state));
    return cudaSuccess;
}

OA_API cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

OA_API cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    free(event);
    return cudaSuccess;
}

OA_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    REQUIRE_DEVICE();
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    event_state *state = (event_state *)event;
    state->recorded = true;
    state->milliseconds = (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
    return cudaSuccess;
}

OA_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    return cudaEventRecord(event, stream);
}

OA_API cudaError_t cudaEventQuery(cudaEvent_t event)
{
    REQUIRE_DEVICE();
    return cudaSuccess;
}

OA_API cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    REQUIRE_DEVICE();
    return cudaSuccess;
}

OA_API cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    REQUIRE_DEVICE();
    const event_state *first = (event_state *)start;
    const event_state *last = (event_state *)end;
    if (!first->recorded || !last->recorded) {
        return oa_result(cudaErrorInvalidResourceHandle);
    }
    *milliseconds = (float)(last->milliseconds - first->milliseconds);
    return cudaSuccess;
}
