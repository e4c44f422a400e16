#pragma once
// The header holds the whole library: nothing is linked.
#define XXH_INLINE_ALL
#include <xxhash.h>

// The header renames its functions by macros, which Swift does not see.
static inline XXH128_hash_t garner_xxh3_128bits(const void *bytes, size_t length, uint64_t seed) {
    return XXH3_128bits_withSeed(bytes, length, seed);
}

// The secret has at least XXH3_SECRET_SIZE_MIN (136) bytes.
static inline XXH128_hash_t garner_xxh3_128bits_with_secret(
    const void *bytes, size_t length, const void *secret, size_t secret_length) {
    return XXH3_128bits_withSecret(bytes, length, secret, secret_length);
}
