/*
 * libnvrtc: compiling a kernel at run time is not possible; the error says why.
 */

int nvrtcVersion(int *major, int *minor)
{
    *major = 13;
    *minor = 0;
    return 0;
}

const char *nvrtcGetErrorString(int error)
{
    return error ? "the CUDA stand-in compiles no kernels" : "NVRTC_SUCCESS";
}
