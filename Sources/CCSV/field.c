#include "CCSV.h"

#include <string.h>

// Vectors of the compiler: SSE2 on x86-64, NEON on ARM.
typedef uint8_t sixteen __attribute__((vector_size(16)));
typedef uint64_t halves __attribute__((vector_size(16)));

// Copies sixteen bytes. Returns a mask that is not zero where one of them must be in quotes.
static inline halves copy16(uint8_t *output, const uint8_t *text) {
    sixteen bytes;
    memcpy(&bytes, text, 16);
    memcpy(output, &bytes, 16);
    return (halves)((bytes == ',') | (bytes == '"') | (bytes == '\n') | (bytes == '\r'));
}

// As above, for eight bytes (graphics.stanford.edu/~seander/bithacks.html#ValueInWord).
static inline uint64_t has(uint64_t word, uint8_t byte) {
    uint64_t difference = word ^ (0x0101010101010101u * byte);
    return (difference - 0x0101010101010101u) & ~difference & 0x8080808080808080u;
}

static inline uint64_t copy8(uint8_t *output, const uint8_t *text) {
    uint64_t word;
    memcpy(&word, text, 8);
    memcpy(output, &word, 8);
    return has(word, ',') | has(word, '"') | has(word, '\n') | has(word, '\r');
}

// Copies the text. Returns 0 if it may stand without quotes. The last vector may overlap the one before it.
static inline uint64_t copy(uint8_t *output, const uint8_t *text, size_t length) {
    if (length >= 16) {
        halves found = {0, 0};
        size_t place = 0;
        for (; place + 16 <= length; place += 16) found |= copy16(output + place, text + place);
        found |= copy16(output + length - 16, text + length - 16);
        return found[0] | found[1];
    }
    if (length >= 8) return copy8(output, text) | copy8(output + length - 8, text + length - 8);
    uint64_t found = 0;
    for (size_t place = 0; place < length; place++) {
        uint8_t byte = text[place];
        output[place] = byte;
        found |= byte == ',' || byte == '"' || byte == '\n' || byte == '\r';
    }
    return found;
}

size_t garner_csv_field(uint8_t *output, const uint8_t *text, size_t length) {
    if (!copy(output, text, length)) return length;
    uint8_t *end = output;
    *end++ = '"';
    const uint8_t *rest = text, *limit = text + length;
    while (rest < limit) {
        const uint8_t *quote = memchr(rest, '"', (size_t)(limit - rest));
        size_t count = (size_t)((quote ? quote + 1 : limit) - rest);
        memcpy(end, rest, count);
        end += count;
        rest += count;
        if (quote) *end++ = '"';
    }
    *end++ = '"';
    return (size_t)(end - output);
}
