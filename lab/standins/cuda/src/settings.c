/*
 * Settings of the stand-in, read once per process from the environment. A value that cannot be read ends the process
 * with one line: a test that believes in 256 MiB and runs on 1 GiB proves nothing.
 */
#define _GNU_SOURCE
#include "core.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* An installation that must never show a device (torch as a CPU build) is compiled with -DOA_FIXED_DEVICES=0. */
#ifndef OA_FIXED_DEVICES
#define OA_FIXED_DEVICES -1
#endif

#define DEFAULT_TOTAL "1G"
#define DEFAULT_DEVICES "1"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int physical_count;
static int visible_count;
static int visible[OA_MAX_DEVICES];
static size_t total_bytes;
static size_t others_bytes;
static size_t zero_d2h_bytes;
static int tracing;

static void refuse(const char *name, const char *value, const char *accepted)
{
    fprintf(stderr, "cuda stand-in: %s=%s is not %s\n", name, value, accepted);
    exit(2);
}

/* The value of a variable; unset and empty are the same. */
static const char *setting(const char *name, const char *fallback)
{
    const char *value = getenv(name);
    return value && *value ? value : fallback;
}

/* `268435456`, `256M`, `256MiB`, `1.5G` as bytes. */
static size_t size_setting(const char *name, const char *fallback)
{
    const char *accepted = "a size: 268435456, 256M, 1.5G";
    const char *text = setting(name, fallback);
    char *end;
    double value = strtod(text, &end);
    if (end == text || value < 0) {
        refuse(name, text, accepted);
    }
    if (*end && strchr("kKmMgG", *end)) {
        int shift = strchr("kK", *end) ? 10 : strchr("mM", *end) ? 20 : 30;
        value *= (double)((size_t)1 << shift);
        end++;
        if (!strcasecmp(end, "ib") || !strcasecmp(end, "b")) {
            return (size_t)value;
        }
    }
    if (*end) {
        refuse(name, text, accepted);
    }
    return (size_t)value;
}

static int read_physical_count(void)
{
    if (OA_FIXED_DEVICES >= 0) {
        return OA_FIXED_DEVICES;
    }
    if (!strcmp(setting("OA_STANDIN", "on"), "off")) {
        return 0;
    }
    const char *text = setting("OA_STANDIN_DEVICES", DEFAULT_DEVICES);
    char *end;
    long count = strtol(text, &end, 10);
    if (end == text || *end || count < 0 || count > OA_MAX_DEVICES) {
        refuse("OA_STANDIN_DEVICES", text, "a number from 0 to 16");
    }
    return (int)count;
}

/* One entry of CUDA_VISIBLE_DEVICES, an index or the start of a UUID, as physical index; -1 when it names none. */
static int parse_visible(const char *entry)
{
    char *end;
    long index = strtol(entry, &end, 10);
    if (end != entry && !*end) {
        return index >= 0 && index < physical_count ? (int)index : -1;
    }
    if (strncmp(entry, "GPU-", 4)) {
        return -1;
    }
    for (int i = 0; i < physical_count; i++) {
        char uuid[41];
        oa_uuid_text(i, uuid);
        if (!strncmp(uuid, entry, strlen(entry))) {
            return i;
        }
    }
    return -1;
}

/* As the runtime reads it: in order, up to the first entry that names no device; a device named twice means none. */
static void read_visible(void)
{
    const char *text = getenv("CUDA_VISIBLE_DEVICES");
    if (!text) {
        visible_count = physical_count;
        for (int i = 0; i < physical_count; i++) {
            visible[i] = i;
        }
        return;
    }
    char copy[1024];
    snprintf(copy, sizeof copy, "%s", text);
    char *rest = copy;
    char *entry;
    while ((entry = strsep(&rest, ","))) {
        while (*entry == ' ') {
            entry++;
        }
        int index = *entry ? parse_visible(entry) : -1;
        if (index < 0) {
            return;
        }
        for (int i = 0; i < visible_count; i++) {
            if (visible[i] == index) {
                visible_count = 0;
                return;
            }
        }
        visible[visible_count++] = index;
    }
}

static void read_all(void)
{
    physical_count = read_physical_count();
    total_bytes = size_setting("OA_STANDIN_TOTAL_BYTES", DEFAULT_TOTAL) / OA_PAGE * OA_PAGE;
    others_bytes = size_setting("OA_STANDIN_OTHERS_BYTES", "0");
    zero_d2h_bytes = size_setting("OA_STANDIN_ZERO_D2H", "0");
    tracing = *setting("OA_STANDIN_TRACE", "") != '\0';
    read_visible();
}

static void ready(void)
{
    pthread_once(&once, read_all);
}

int oa_physical_count(void)
{
    ready();
    return physical_count;
}

int oa_visible_count(void)
{
    ready();
    return visible_count;
}

int oa_physical_index(int index)
{
    ready();
    return visible[index];
}

size_t oa_total_bytes(void)
{
    ready();
    return total_bytes;
}

size_t oa_others_bytes(void)
{
    ready();
    return others_bytes < total_bytes ? others_bytes : total_bytes;
}

size_t oa_zero_d2h_bytes(void)
{
    ready();
    return zero_d2h_bytes;
}

void oa_uuid(int physical, unsigned char out[16])
{
    static const unsigned char base[16] = {0x0a, 0x57, 0xa2, 0xd1, 0, 0, 0x40, 0, 0x80};
    memcpy(out, base, sizeof base);
    out[15] = (unsigned char)physical;
}

void oa_uuid_text(int physical, char out[41])
{
    unsigned char b[16];
    oa_uuid(physical, b);
    char *at = out + sprintf(out, "GPU");
    for (int i = 0; i < 16; i++) {
        if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) {
            *at++ = '-';
        }
        at += sprintf(at, "%02x", b[i]);
    }
}

void oa_trace(const char *what)
{
    ready();
    if (tracing) {
        fprintf(stderr, "cuda stand-in: called %s, which does nothing here\n", what);
    }
}
