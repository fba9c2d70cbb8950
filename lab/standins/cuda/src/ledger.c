/*
 * Who holds how many bytes of which device.
 *
 * Without OA_STANDIN_SHARED every process has the devices to itself. With it, all processes that name the same file
 * share their devices: each has a slot in the file, and what a process holds is given back when it is dead, which its
 * id and start time in /proc tell (a zombie is dead: the driver frees a process's memory when it exits, not when its
 * parent reaps it). The file is opened, locked, mapped and closed again for each change; torch asks for device memory
 * a few hundred times in a run, so that is cheap, and no lock survives its process.
 *
 * Layout of the file, read by bin/nvidia-smi too: the 8 bytes `OASTAND1`, then OA_SLOTS slots (see `slot`).
 */
#define _GNU_SOURCE
#include "core.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define OA_SLOTS 256

typedef struct {
    int32_t pid;
    int32_t unused;
    uint64_t start_ticks; /* field 22 of /proc/PID/stat: tells a reused process id */
    uint64_t bytes[OA_MAX_DEVICES];
} slot;

typedef struct {
    char magic[8];
    slot slots[OA_SLOTS];
} shared;

static const char magic[8] = {'O', 'A', 'S', 'T', 'A', 'N', 'D', '1'};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t used[OA_MAX_DEVICES];
static int slot_index = -1;

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork_parent(void)
{
    pthread_mutex_unlock(&lock);
}

/* A forked child holds nothing: its parent does. */
static void after_fork_child(void)
{
    memset(used, 0, sizeof used);
    slot_index = -1;
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void follow_forks(void)
{
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

static void fail(const char *what, const char *path)
{
    fprintf(stderr, "cuda stand-in: %s %s: %s\n", what, path, strerror(errno));
    exit(2);
}

/* Start time of a live process in clock ticks since boot; 0 when there is none (zombies count as none). */
static uint64_t start_ticks(int pid)
{
    char path[64];
    char text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return 0;
    }
    ssize_t size = read(fd, text, sizeof text - 1);
    close(fd);
    if (size <= 0) {
        return 0;
    }
    text[size] = '\0';
    /* The program's name, in parentheses, may hold anything: fields are counted from the last one. */
    char *after = strrchr(text, ')');
    char state;
    unsigned long long start;
    if (!after || sscanf(after + 1, " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
                         &state, &start) != 2) {
        return 0;
    }
    return state == 'Z' || state == 'X' ? 0 : start;
}

static int is_live(const slot *s)
{
    return s->pid && s->start_ticks == start_ticks(s->pid);
}

/* Maps the shared ledger, locked; NULL when processes share nothing. */
static shared *open_shared(int *fd)
{
    const char *path = getenv("OA_STANDIN_SHARED");
    if (!path || !*path) {
        return NULL;
    }
    *fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (*fd < 0) {
        fail("cannot open", path);
    }
    while (flock(*fd, LOCK_EX)) {
        if (errno != EINTR) {
            fail("cannot lock", path);
        }
    }
    struct stat info;
    if (fstat(*fd, &info) || (info.st_size < (off_t)sizeof(shared) && ftruncate(*fd, sizeof(shared)))) {
        fail("cannot size", path);
    }
    shared *s = mmap(NULL, sizeof(shared), PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
    if (s == MAP_FAILED) {
        fail("cannot map", path);
    }
    memcpy(s->magic, magic, sizeof magic);
    return s;
}

static void close_shared(shared *s, int fd)
{
    if (s) {
        munmap(s, sizeof(shared));
        close(fd);
    }
}

/* This process's slot, taken on first use: a free one, or that of a dead process. */
static slot *own_slot(shared *s)
{
    int pid = getpid();
    if (slot_index >= 0) {
        return &s->slots[slot_index];
    }
    /* An earlier program of the same process (exec keeps id and start time) left its slot: it is ours now. */
    for (int i = 0; i < OA_SLOTS && slot_index < 0; i++) {
        if (s->slots[i].pid == pid) {
            slot_index = i;
        }
    }
    for (int i = 0; i < OA_SLOTS && slot_index < 0; i++) {
        if (!is_live(&s->slots[i])) {
            slot_index = i;
        }
    }
    if (slot_index < 0) {
        errno = ENOSPC;
        fail("no free slot in", getenv("OA_STANDIN_SHARED"));
    }
    slot *own = &s->slots[slot_index];
    memset(own, 0, sizeof *own);
    own->pid = pid;
    own->start_ticks = start_ticks(pid);
    return own;
}

/* Bytes held by other live processes of the shared ledger. */
static size_t used_elsewhere(const shared *s, int physical)
{
    size_t sum = 0;
    for (int i = 0; s && i < OA_SLOTS; i++) {
        const slot *other = &s->slots[i];
        if (other->pid != getpid() && other->bytes[physical] && is_live(other)) {
            sum += other->bytes[physical];
        }
    }
    return sum;
}

int oa_take(int physical, size_t bytes)
{
    int fd = -1;
    int fits = 0;
    pthread_mutex_lock(&lock);
    shared *s = open_shared(&fd);
    size_t taken = used[physical] + used_elsewhere(s, physical) + oa_others_bytes();
    if (taken <= oa_total_bytes() && bytes <= oa_total_bytes() - taken) {
        fits = 1;
        used[physical] += bytes;
        if (s) {
            own_slot(s)->bytes[physical] = used[physical];
        }
    }
    close_shared(s, fd);
    pthread_mutex_unlock(&lock);
    return fits ? 0 : -1;
}

void oa_give(int physical, size_t bytes)
{
    int fd = -1;
    pthread_mutex_lock(&lock);
    used[physical] -= bytes;
    shared *s = open_shared(&fd);
    if (s) {
        own_slot(s)->bytes[physical] = used[physical];
    }
    close_shared(s, fd);
    pthread_mutex_unlock(&lock);
}

size_t oa_used_here(int physical)
{
    pthread_mutex_lock(&lock);
    size_t bytes = used[physical];
    pthread_mutex_unlock(&lock);
    return bytes;
}

size_t oa_used_by_all(int physical)
{
    int fd = -1;
    pthread_mutex_lock(&lock);
    shared *s = open_shared(&fd);
    size_t sum = used[physical] + used_elsewhere(s, physical) + oa_others_bytes();
    close_shared(s, fd);
    pthread_mutex_unlock(&lock);
    return sum < oa_total_bytes() ? sum : oa_total_bytes();
}

static void add_process(oa_process *out, int room, int *count, int pid, size_t bytes)
{
    if (!bytes) {
        return;
    }
    if (*count < room) {
        out[*count] = (oa_process){pid, bytes};
    }
    (*count)++;
}

int oa_processes(int physical, oa_process *out, int room)
{
    int fd = -1;
    int count = 0;
    pthread_mutex_lock(&lock);
    shared *s = open_shared(&fd);
    add_process(out, room, &count, getpid(), used[physical]);
    for (int i = 0; s && i < OA_SLOTS; i++) {
        const slot *other = &s->slots[i];
        if (other->pid != getpid() && other->bytes[physical] && is_live(other)) {
            add_process(out, room, &count, other->pid, other->bytes[physical]);
        }
    }
    add_process(out, room, &count, OA_OTHERS_PID, oa_others_bytes());
    close_shared(s, fd);
    pthread_mutex_unlock(&lock);
    return count;
}
