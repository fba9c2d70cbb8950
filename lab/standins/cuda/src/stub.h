/*
 * What the generated files are made of: one function for each symbol torch needs and nobody wrote by hand.
 */
#ifndef OA_STANDIN_STUB_H
#define OA_STANDIN_STUB_H

#include "core.h"

/* Does nothing and answers `value`. With OA_STANDIN_TRACE set, its first call is told on stderr. */
#define OA_STUB(name, value)          \
    OA_API long name(void)            \
    {                                 \
        static int told;              \
        if (!told) {                  \
            told = 1;                 \
            oa_trace(#name);          \
        }                             \
        return value;                 \
    }

#endif
