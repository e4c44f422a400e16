#include "CSHA256.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

bool garner_sha256_has_instructions(void) {
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSSE3) || !(c & bit_SSE4_1)) return false;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}

// The instructions hold the words of the hash as ABEF and CDGH, the first one highest.
__attribute__((target("sha,ssse3,sse4.1")))
void garner_sha256_add(uint32_t *hash, const uint8_t *blocks, size_t count, const uint32_t *constants) {
    const __m128i big_endian = _mm_set_epi64x(0x0C0D0E0F08090A0B, 0x0405060700010203);
    __m128i dcba = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)hash), 0xB1);
    __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(hash + 4)), 0x1B);
    __m128i abef = _mm_alignr_epi8(dcba, hgfe, 8);
    __m128i cdgh = _mm_blend_epi16(hgfe, dcba, 0xF0);
    for (; count > 0; count--, blocks += 64) {
        const __m128i abef_before = abef, cdgh_before = cdgh;
        // Four words of the message schedule each; those that are used give way to the ones 16 words later.
        __m128i words[4];
        for (int i = 0; i < 4; i++) {
            words[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(blocks + 16 * i)), big_endian);
        }
        for (int i = 0; i < 16; i++) {
            __m128i now = words[i % 4], last = words[(i + 3) % 4];
            __m128i sum = _mm_add_epi32(now, _mm_loadu_si128((const __m128i *)(constants + 4 * i)));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
            __m128i later = _mm_add_epi32(
                _mm_sha256msg1_epu32(now, words[(i + 1) % 4]), _mm_alignr_epi8(last, words[(i + 2) % 4], 4));
            words[i % 4] = _mm_sha256msg2_epu32(later, last);
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    __m128i feba = _mm_shuffle_epi32(abef, 0x1B), dchg = _mm_shuffle_epi32(cdgh, 0xB1);
    _mm_storeu_si128((__m128i *)hash, _mm_blend_epi16(feba, dchg, 0xF0));
    _mm_storeu_si128((__m128i *)(hash + 4), _mm_alignr_epi8(dchg, feba, 8));
}

#else

bool garner_sha256_has_instructions(void) { return false; }

void garner_sha256_add(uint32_t *hash, const uint8_t *blocks, size_t count, const uint32_t *constants) {
    (void)hash, (void)blocks, (void)count, (void)constants;
}

#endif
