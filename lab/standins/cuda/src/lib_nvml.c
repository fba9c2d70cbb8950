/*
 * libnvidia-ml.so.1: how torch counts devices without waking them (torch.cuda.device_count), and how the text of an
 * out-of-memory error names the processes on the device. The toolkit wheel has no nvml.h; the types are declared here
 * as NVML documents them.
 */
#include "core.h"

#include <stdio.h>

typedef enum {
    NVML_SUCCESS = 0,
    NVML_INVALID_ARGUMENT = 2,
    NVML_NOT_SUPPORTED = 3,
    NVML_INSUFFICIENT_SIZE = 7,
} nvml_result;

/* A handle is the device's physical index plus one. */
typedef void *nvml_device;

/* nvmlProcessInfo_v1_t: what the function without a version in its name fills. */
typedef struct {
    unsigned pid;
    unsigned long long bytes;
} nvml_process;

typedef struct {
    unsigned long long total;
    unsigned long long free;
    unsigned long long used;
} nvml_memory;

typedef struct {
    unsigned gpu;
    unsigned memory;
} nvml_utilization;

enum { PROCESSES = 512 };

static int physical(nvml_device device)
{
    return (int)(uintptr_t)device - 1;
}

static nvml_result handle(int index, nvml_device *out)
{
    if (index < 0 || index >= oa_physical_count()) {
        return NVML_INVALID_ARGUMENT;
    }
    *out = (nvml_device)(uintptr_t)(index + 1);
    return NVML_SUCCESS;
}

nvml_result nvmlInit(void)
{
    return NVML_SUCCESS;
}

nvml_result nvmlInit_v2(void)
{
    return NVML_SUCCESS;
}

nvml_result nvmlShutdown(void)
{
    return NVML_SUCCESS;
}

nvml_result nvmlSystemGetCudaDriverVersion_v2(int *version)
{
    *version = OA_CUDA_VERSION;
    return NVML_SUCCESS;
}

nvml_result nvmlDeviceGetCount_v2(unsigned *count)
{
    *count = (unsigned)oa_physical_count();
    return NVML_SUCCESS;
}

nvml_result nvmlDeviceGetHandleByIndex_v2(unsigned index, nvml_device *out)
{
    return handle((int)index, out);
}

nvml_result nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, nvml_device *out)
{
    unsigned bus;
    if (sscanf(bus_id, "%*x:%x", &bus) != 1) {
        return NVML_INVALID_ARGUMENT;
    }
    return handle((int)bus - 1, out);
}

nvml_result nvmlDeviceGetUUID(nvml_device device, char *text, unsigned size)
{
    char uuid[41];
    oa_uuid_text(physical(device), uuid);
    snprintf(text, size, "%s", uuid);
    return NVML_SUCCESS;
}

nvml_result nvmlDeviceGetMemoryInfo(nvml_device device, nvml_memory *out)
{
    out->total = oa_total_bytes();
    out->used = oa_used_by_all(physical(device));
    out->free = out->total - out->used;
    return NVML_SUCCESS;
}

nvml_result nvmlDeviceGetUtilizationRates(nvml_device device, nvml_utilization *out)
{
    *out = (nvml_utilization){0, 0};
    return NVML_SUCCESS;
}

nvml_result nvmlDeviceGetComputeRunningProcesses(nvml_device device, unsigned *count, nvml_process *out)
{
    oa_process list[PROCESSES];
    unsigned room = *count;
    unsigned found = (unsigned)oa_processes(physical(device), list, PROCESSES);
    *count = found;
    if (found > room) {
        return NVML_INSUFFICIENT_SIZE;
    }
    for (unsigned i = 0; i < found; i++) {
        out[i] = (nvml_process){(unsigned)list[i].pid, list[i].bytes};
    }
    return NVML_SUCCESS;
}

/* No links between devices, no fabric. */
nvml_result nvmlDeviceGetNvLinkRemoteDeviceType(nvml_device device, unsigned link, int *type)
{
    return NVML_NOT_SUPPORTED;
}

nvml_result nvmlDeviceGetNvLinkRemotePciInfo_v2(nvml_device device, unsigned link, void *info)
{
    return NVML_NOT_SUPPORTED;
}

/* nvmlGpuFabricInfo_v2_t up to the part that matters. */
typedef struct {
    unsigned version;
    unsigned char cluster_uuid[16];
    nvml_result status;
    unsigned clique;
    unsigned char state; /* 0: no fabric */
} nvml_fabric;

nvml_result nvmlDeviceGetGpuFabricInfoV(nvml_device device, nvml_fabric *out)
{
    out->status = NVML_NOT_SUPPORTED;
    out->clique = 0;
    out->state = 0;
    return NVML_SUCCESS;
}
