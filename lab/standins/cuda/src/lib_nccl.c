/*
 * libnccl: communicators that know their rank and size. Nothing is exchanged: a collective answers as if every rank had
 * sent what this one did, which is enough for DistributedDataParallel to run in several processes. Those that are not
 * written here are generated and do nothing.
 */
#include <stdlib.h>
#include <string.h>

typedef struct {
    int size;
    int rank;
} communicator;

/* ncclUniqueId, passed by value. */
typedef struct {
    char bytes[128];
} unique_id;

static int create(communicator **out, int size, int rank)
{
    *out = malloc(sizeof **out);
    **out = (communicator){size, rank};
    return 0;
}

/* 2.30.7: what torch 2.14.1 is built with counts as major * 10000 + minor * 100 + patch. */
int ncclGetVersion(int *version)
{
    *version = 23007;
    return 0;
}

int ncclGetUniqueId(unique_id *out)
{
    memset(out, 0, sizeof *out);
    return 0;
}

int ncclCommInitRank(communicator **out, int size, unique_id id, int rank)
{
    return create(out, size, rank);
}

int ncclCommInitRankConfig(communicator **out, int size, unique_id id, int rank, void *config)
{
    return create(out, size, rank);
}

int ncclCommInitRankScalable(communicator **out, int size, int rank, int ids, unique_id *list, void *config)
{
    return create(out, size, rank);
}

int ncclCommSplit(communicator *parent, int color, int key, communicator **out, void *config)
{
    return create(out, parent->size, parent->rank);
}

int ncclCommCount(const communicator *c, int *size)
{
    *size = c->size;
    return 0;
}

int ncclCommUserRank(const communicator *c, int *rank)
{
    *rank = c->rank;
    return 0;
}

int ncclCommGetAsyncError(communicator *c, int *error)
{
    *error = 0;
    return 0;
}

int ncclCommDestroy(communicator *c)
{
    free(c);
    return 0;
}

int ncclCommAbort(communicator *c)
{
    free(c);
    return 0;
}

/* Bytes of an element, by ncclDataType_t. */
static size_t element_bytes(int type)
{
    static const unsigned char bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
    return type >= 0 && type < (int)sizeof bytes ? bytes[type] : 0;
}

static int copy(void *to, const void *from, size_t count, int type)
{
    if (to != from) {
        memmove(to, from, count * element_bytes(type));
    }
    return 0;
}

int ncclAllReduce(const void *from, void *to, size_t count, int type, int operation, communicator *c, void *stream)
{
    return copy(to, from, count, type);
}

int ncclBroadcast(const void *from, void *to, size_t count, int type, int root, communicator *c, void *stream)
{
    return copy(to, from, count, type);
}

int ncclReduce(const void *from, void *to, size_t count, int type, int operation, int root, communicator *c,
               void *stream)
{
    return copy(to, from, count, type);
}

int ncclAllGather(const void *from, void *to, size_t count, int type, communicator *c, void *stream)
{
    for (int rank = 0; rank < c->size; rank++) {
        copy((char *)to + (size_t)rank * count * element_bytes(type), from, count, type);
    }
    return 0;
}

int ncclReduceScatter(const void *from, void *to, size_t count, int type, int operation, communicator *c, void *stream)
{
    return copy(to, (const char *)from + (size_t)c->rank * count * element_bytes(type), count, type);
}

const char *ncclGetErrorString(int error)
{
    return error ? "not possible on the CUDA stand-in" : "no error";
}

const char *ncclGetLastError(communicator *c)
{
    return "";
}
