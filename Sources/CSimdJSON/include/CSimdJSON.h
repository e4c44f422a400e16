// A C interface to simdjson: a JSON document, or lines of JSON, become one flat array of nodes in the source's order.
//
// Texts are copied only if they change: a string without escapes points into the caller's bytes, one with escapes into
// the document's own arena. A container is followed by its children. An object's children are key, value, key, value,
// with every key a STRING node. `garner_json_next` steps over a whole value.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum garner_json_kind {
    GARNER_JSON_NULL = 0,
    GARNER_JSON_FALSE = 1,
    GARNER_JSON_TRUE = 2,
    /// A number that Int64 holds exactly, written as an integer.
    GARNER_JSON_INTEGER = 3,
    /// A number whose decimal digits a double returns unchanged.
    GARNER_JSON_REAL = 4,
    /// A number that neither holds exactly. Only its spelling is kept.
    GARNER_JSON_NUMBER = 5,
    GARNER_JSON_STRING = 6,
    GARNER_JSON_ARRAY = 7,
    GARNER_JSON_OBJECT = 8,
} garner_json_kind;

/// A node takes 16 bytes, since a large page has millions of them.
typedef struct garner_json_node {
    /// From the lowest bit: 48 bits of the text's address, of which no system uses more unless asked to; eight of the kind; one
    /// that is set if a lone surrogate was replaced by U+FFFD.
    uint64_t head;
    union {
        int64_t integer;  // INTEGER
        double real;      // REAL
        struct {
            /// The length of the text in bytes; for an INTEGER or a REAL see `garner_json_length`.
            uint32_t length;
            /// ARRAY, OBJECT: how many nodes it takes, itself included.
            uint32_t nodes;
        };
    };
} garner_json_node;

typedef enum garner_json_status {
    GARNER_JSON_OK = 0,
    GARNER_JSON_INVALID,
    GARNER_JSON_EMPTY,
    GARNER_JSON_INVALID_UTF8,
    GARNER_JSON_TOO_DEEP,
    GARNER_JSON_TOO_LARGE,
    GARNER_JSON_OUT_OF_MEMORY,
} garner_json_status;

typedef enum garner_json_note {
    /// An object has a key twice.
    GARNER_JSON_DUPLICATE_KEYS = 1,
    /// A string or a key is `replaced`.
    GARNER_JSON_REPLACED_SURROGATES = 2,
} garner_json_note;

typedef struct garner_json_document {
    garner_json_node *nodes;
    size_t count;
    char *arena;
    /// The notes, a set of garner_json_note.
    uint8_t notes;
} garner_json_document;

typedef struct garner_json_failure {
    garner_json_status status;
    /// The offset in the source, in bytes, from which the text is not JSON.
    size_t offset;
    /// The reason, a sentence fragment of static lifetime.
    const char *reason;
    /// The line of the failure, from 1, if lines were parsed and one of them is wrong. Otherwise 0.
    size_t line;
} garner_json_failure;

/// Returns a buffer of at least `size` bytes, aligned to 16, which may hold old data; null if there is no memory.
void *garner_buffer_allocate(size_t size);

/// Returns the same bytes in a buffer of at least `size`. If there is no memory, returns null and keeps the old buffer.
void *garner_buffer_grow(void *buffer, size_t size);

/// Returns the size of the buffer in bytes.
size_t garner_buffer_size(const void *buffer);

/// Releases a buffer from `garner_buffer_allocate`, or does nothing for null.
void garner_buffer_free(void *buffer);

/// Returns the number of readable bytes that must follow the source.
size_t garner_json_padding(void);

/// Parses `length` bytes, which must outlive the document and be followed by `garner_json_padding()` bytes of zero. On
/// failure the document is empty and needs no release.
garner_json_failure garner_json_parse(const char *bytes, size_t length, garner_json_document *document);

/// Parses values that each stand on a line, with the requirements of `garner_json_parse`. They become the elements of
/// an array. The array is the first node, and its spelling is all lines. A line ends with LF or CR LF, and the last one
/// with the text. Blank lines are skipped.
garner_json_failure garner_json_parse_lines(const char *bytes, size_t length, garner_json_document *document);

void garner_json_release(garner_json_document *document);

/// Reads a text of at most 400 bytes that is a number and nothing else. Returns its kind, and NULL for any other text.
/// INTEGER and REAL set the value.
garner_json_kind garner_json_spelled(const char *text, size_t length, garner_json_node *number);

/// Returns whether the bytes are UTF-8.
bool garner_json_is_utf8(const char *bytes, size_t length);

/// Returns the head of a node that has no replaced surrogates.
static inline uint64_t garner_json_head(garner_json_kind kind, const char *text) {
    return (uint64_t)(uintptr_t)text | (uint64_t)kind << 48;
}

/// Returns the kind, a garner_json_kind.
static inline uint8_t garner_json_kind_of(const garner_json_node *node) { return (uint8_t)(node->head >> 48); }

/// Returns true for a STRING in which a lone surrogate was replaced by U+FFFD.
static inline bool garner_json_is_replaced(const garner_json_node *node) { return node->head >> 56; }

/// STRING: the unescaped text. Otherwise: the spelling in the source, from the first byte to the last.
static inline const char *garner_json_text(const garner_json_node *node) {
    return (const char *)(uintptr_t)(node->head & 0xFFFFFFFFFFFF);
}

/// Returns the length of the number that begins here. What follows a number in a document is never part of one.
size_t garner_json_number_length(const char *text);

/// Returns the length of the text in bytes.
static inline size_t garner_json_length(const garner_json_node *node) {
    uint8_t kind = garner_json_kind_of(node);
    // The value of these two has taken the place of the length.
    bool isMeasured = kind == GARNER_JSON_INTEGER || kind == GARNER_JSON_REAL;
    return isMeasured ? garner_json_number_length(garner_json_text(node)) : node->length;
}

/// Returns the node after this value and all that it contains.
static inline const garner_json_node *garner_json_next(const garner_json_node *node) {
    return node + (garner_json_kind_of(node) >= GARNER_JSON_ARRAY ? node->nodes : 1);
}

#ifdef __cplusplus
}
#endif
