/*
 * liboa_standin_core.so: what all stand-in libraries share. Settings from the environment, the list of devices,
 * and the ledger that says how many bytes of each device are taken, by whom.
 *
 * Sizes are bytes. A "physical" device index counts all devices of the machine, as nvidia-smi does; a "visible" one
 * counts those that CUDA_VISIBLE_DEVICES left, as the CUDA runtime does.
 */
#ifndef OA_STANDIN_CORE_H
#define OA_STANDIN_CORE_H

#include <stddef.h>
#include <stdint.h>

#define OA_API __attribute__((visibility("default")))

/* How many devices there can be: part of the shared ledger's layout. */
#define OA_MAX_DEVICES 16

/* Physical memory is handed out in pages of 2 MiB, as on the real device. */
#define OA_PAGE ((size_t)2 << 20)

/* The driver's and the runtime's version: CUDA 13.0. */
#define OA_CUDA_VERSION 13000

/* Bytes held by OA_STANDIN_OTHERS_BYTES belong to this process id, which no Linux process can have (PID_MAX_LIMIT). */
#define OA_OTHERS_PID 4194304

/* One process that holds memory of a device. */
typedef struct {
    int pid;
    size_t bytes;
} oa_process;

/* ---- settings.c ---- */

/* Number of devices of the machine: OA_STANDIN_DEVICES; 0 when OA_STANDIN=off. */
OA_API int oa_physical_count(void);

/* Number of devices CUDA_VISIBLE_DEVICES leaves. Read once per process, as the runtime does. */
OA_API int oa_visible_count(void);

/* Physical index of a visible device; the caller checks the range. */
OA_API int oa_physical_index(int visible);

/* Memory of each device: OA_STANDIN_TOTAL_BYTES. */
OA_API size_t oa_total_bytes(void);

/* Memory of each device held by processes outside of this story: OA_STANDIN_OTHERS_BYTES. */
OA_API size_t oa_others_bytes(void);

/* Copies from device to host up to this size read as zeros: OA_STANDIN_ZERO_D2H. */
OA_API size_t oa_zero_d2h_bytes(void);

/* The 16 bytes of a device's UUID. */
OA_API void oa_uuid(int physical, unsigned char out[16]);

/* The same as text, `GPU-0a57a2d1-0000-4000-8000-0000000000NN`: 41 bytes with the closing zero. */
OA_API void oa_uuid_text(int physical, char out[41]);

/* With OA_STANDIN_TRACE set: one line on stderr about a call that we answer without doing what it asks. */
OA_API void oa_trace(const char *what);

/* ---- ledger.c ---- */

/* Take bytes of a device. 0, or -1 when they do not fit. */
OA_API int oa_take(int physical, size_t bytes);

/* Give bytes of a device back. */
OA_API void oa_give(int physical, size_t bytes);

/* Bytes of a device held by this process. */
OA_API size_t oa_used_here(int physical);

/* Bytes of a device held by everybody: this process, others in the shared ledger, OA_STANDIN_OTHERS_BYTES. */
OA_API size_t oa_used_by_all(int physical);

/* The processes that hold memory of a device, at most `room` of them; returns how many there are. */
OA_API int oa_processes(int physical, oa_process *out, int room);

#endif
