#pragma once
#include <stdlib.h>
#include <sys/resource.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif

// Returns freed buffers beyond `bytes` to the system. Does nothing if the C library is not glibc.
static inline void garner_return_buffers_beyond(int bytes) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, bytes);
#endif
}

// Prevents dumps of this process's memory, which holds secrets. A program that collects dumps gets them whatever the limit is
// (core(5)), so that the process says besides that it must not be dumped.
static inline void garner_forbid_dumps(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_CORE, &limit) == 0) {
        limit.rlim_cur = 0;
        setrlimit(RLIMIT_CORE, &limit);
    }
#ifdef __linux__
    prctl(PR_SET_DUMPABLE, 0);
#endif
}
