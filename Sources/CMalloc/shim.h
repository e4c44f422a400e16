#pragma once
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

// Has buffers beyond `bytes` given back to the system when they are freed; does nothing where the C library is not glibc.
static inline void garner_return_buffers_beyond(int bytes) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, bytes);
#endif
}
