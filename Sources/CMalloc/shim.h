#pragma once
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

// Returns freed buffers beyond `bytes` to the system. Does nothing if the C library is not glibc.
static inline void garner_return_buffers_beyond(int bytes) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, bytes);
#endif
}
