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

// A hash of bytes that come part by part: that of all of them together. NULL without memory.
static inline void *garner_xxh3_begin(uint64_t seed) {
    XXH3_state_t *state = XXH3_createState();
    if (state != NULL) XXH3_128bits_reset_withSeed(state, seed);
    return state;
}

static inline void garner_xxh3_add(void *state, const void *bytes, size_t length) {
    if (length > 0) XXH3_128bits_update((XXH3_state_t *)state, bytes, length);
}

// Ends the hash and frees its state.
static inline XXH128_hash_t garner_xxh3_end(void *state) {
    XXH128_hash_t hash = XXH3_128bits_digest((const XXH3_state_t *)state);
    XXH3_freeState((XXH3_state_t *)state);
    return hash;
}
