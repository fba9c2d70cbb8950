/*
 * libcudart: capturing a stream into a graph. Kernels do nothing here, so a graph of kernels does nothing either, and
 * what is worth standing in for is memory: while a stream captures, torch takes it from the capture's private pool.
 * Copies and fills that are captured run at once, and not again when the graph is launched.
 */
#define _GNU_SOURCE
#include "runtime.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct capture {
    struct capture *next;
    cudaStream_t stream;
    unsigned long long id;
    cudaGraph_t graph;
} capture;

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static capture *underway;
static atomic_int count; /* of `underway`: asked on every allocation, nearly always 0 */
static unsigned long long last_id;

/* The link that holds the capture of a stream, or the end of the list. The guard is held. */
static capture **find(cudaStream_t stream)
{
    capture **at = &underway;
    while (*at && (*at)->stream != stream) {
        at = &(*at)->next;
    }
    return at;
}

OA_API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    REQUIRE_DEVICE();
    oa_trace("cudaStreamBeginCapture");
    if ((uintptr_t)stream <= 2) { /* the default streams cannot be captured */
        return oa_result(cudaErrorStreamCaptureUnsupported);
    }
    pthread_mutex_lock(&guard);
    capture **at = find(stream);
    cudaError_t result = *at ? cudaErrorIllegalState : cudaSuccess;
    if (!*at) {
        *at = calloc(1, sizeof **at);
        (*at)->stream = stream;
        (*at)->id = ++last_id;
        (*at)->graph = (cudaGraph_t)malloc(1); /* a handle of its own, nothing is in it */
        atomic_fetch_add(&count, 1);
    }
    pthread_mutex_unlock(&guard);
    return oa_result(result);
}

OA_API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    REQUIRE_DEVICE();
    pthread_mutex_lock(&guard);
    capture **at = find(stream), *ended = *at;
    if (ended) {
        *at = ended->next;
        atomic_fetch_sub(&count, 1);
    }
    pthread_mutex_unlock(&guard);
    if (!ended) {
        return oa_result(cudaErrorIllegalState);
    }
    *graph = ended->graph;
    free(ended);
    return cudaSuccess;
}

static cudaError_t capture_info(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
                                cudaGraph_t *graph, size_t *dependency_count)
{
    REQUIRE_DEVICE();
    *status = cudaStreamCaptureStatusNone;
    if (dependency_count) {
        *dependency_count = 0;
    }
    if (atomic_load(&count) == 0) {
        return cudaSuccess;
    }
    pthread_mutex_lock(&guard);
    const capture *found = *find(stream);
    if (found) {
        *status = cudaStreamCaptureStatusActive;
        if (id) {
            *id = found->id;
        }
        if (graph) {
            *graph = found->graph;
        }
    }
    pthread_mutex_unlock(&guard);
    return cudaSuccess;
}

#if CUDART_VERSION >= 13000
OA_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                            unsigned long long *id, cudaGraph_t *graph,
                                            const cudaGraphNode_t **dependencies, const cudaGraphEdgeData **edges,
                                            size_t *dependency_count)
#else
OA_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                            unsigned long long *id, cudaGraph_t *graph,
                                            const cudaGraphNode_t **dependencies, size_t *dependency_count)
#endif
{
    return capture_info(stream, status, id, graph, dependency_count);
}

OA_API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    return capture_info(stream, status, NULL, NULL, NULL);
}

OA_API cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    static __thread enum cudaStreamCaptureMode present = cudaStreamCaptureModeGlobal;
    enum cudaStreamCaptureMode before = present;
    present = *mode;
    *mode = before;
    return cudaSuccess;
}

/* One node, whatever was captured: torch warns of a graph that has none. */
OA_API cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *node_count)
{
    REQUIRE_DEVICE();
    if (nodes && *node_count > 0) {
        nodes[0] = (cudaGraphNode_t)graph;
    }
    *node_count = 1;
    return cudaSuccess;
}

OA_API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    REQUIRE_DEVICE();
    *exec = (cudaGraphExec_t)malloc(1);
    return cudaSuccess;
}

OA_API cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    return oa_check_usable();
}

OA_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    free(exec);
    return cudaSuccess;
}

OA_API cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    free(graph);
    return cudaSuccess;
}
