/*
 * The one header that NVIDIA ships in another wheel (nvidia-cuda-crt, 100 MB with the compiler): the attribute
 * macros that the runtime's own headers need. In plain C they mean nothing.
 */
#ifndef OA_STANDIN_HOST_DEFINES_H
#define OA_STANDIN_HOST_DEFINES_H

#define __host__
#define __device__
#define __global__
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __align__(n) __attribute__((aligned(n)))
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDART_CB
#define __noinline__
#define __forceinline__ inline

#endif
