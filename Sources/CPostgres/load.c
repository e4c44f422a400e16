#include "CPostgres.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define GARNER_LIBPQ_NAME(result, name, ...) #name,
static const char *const names[] = {GARNER_LIBPQ(GARNER_LIBPQ_NAME)};
enum { COUNT = sizeof(names) / sizeof(names[0]) };

_Static_assert(sizeof(GarnerLibPQ) == COUNT * sizeof(void *), "GarnerLibPQ holds one pointer for each name");

const GarnerLibPQ *garner_libpq_load(const char *library, const char **missing) {
    *missing = NULL;
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return NULL;
    void *functions[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        functions[i] = dlsym(handle, names[i]);
        if (!functions[i]) {
            *missing = names[i];
            dlclose(handle);
            return NULL;
        }
    }
    GarnerLibPQ *loaded = malloc(sizeof(GarnerLibPQ));
    // ISO C has no conversion from an object's pointer to a function's. POSIX demands that their representation is the same.
    if (loaded) memcpy(loaded, functions, sizeof(GarnerLibPQ));
    return loaded;
}
