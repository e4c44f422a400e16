// A C interface over simdjson: a JSON document, or lines of them, become one flat array of nodes in the source's order.
//
// Nothing is copied that needs no change: a string without escapes points into the caller's bytes, one with
// escapes into the document's own arena. A container is followed by its children; an object's children are
// key, value, key, value, with every key a STRING node. `garner_json_next` steps over a whole value.
#pragma once

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
    /// A number whose decimal digits a double gives back unchanged.
    GARNER_JSON_REAL = 4,
    /// A number that neither holds exactly; only its spelling is kept.
    GARNER_JSON_NUMBER = 5,
    GARNER_JSON_STRING = 6,
    GARNER_JSON_ARRAY = 7,
    GARNER_JSON_OBJECT = 8,
} garner_json_kind;

typedef struct garner_json_node {
    /// A garner_json_kind.
    uint8_t kind;
    /// STRING: 1 when a lone surrogate was replaced by U+FFFD. Otherwise 0.
    uint8_t replaced;
    /// Bytes of `text`.
    uint32_t length;
    /// STRING: its text, unescaped. Otherwise: its spelling in the source, from first byte to last.
    const char *text;
    union {
        int64_t integer;  // INTEGER
        double real;      // REAL
        size_t nodes;     // ARRAY, OBJECT: how many nodes it takes, itself included
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
    /// A string, or a key, is `replaced`.
    GARNER_JSON_REPLACED_SURROGATES = 2,
} garner_json_note;

typedef struct garner_json_document {
    garner_json_node *nodes;
    size_t count;
    char *arena;
    /// All that holds of garner_json_note.
    uint8_t notes;
} garner_json_document;

typedef struct garner_json_failure {
    garner_json_status status;
    /// Where in the source the text stops being JSON, in bytes.
    size_t offset;
    /// A sentence fragment of static lifetime.
    const char *reason;
    /// The line of the failure, from 1, where lines were parsed and it is of one of them. Otherwise 0.
    size_t line;
} garner_json_failure;

/// At least `size` bytes, aligned to 16, of which a former use may have left its own; null where there is no memory.
void *garner_buffer_allocate(size_t size);

/// The same bytes in a buffer of at least `size`; null, and the old buffer as it was, where there is no memory.
void *garner_buffer_grow(void *buffer, size_t size);

/// How many bytes it has.
size_t garner_buffer_size(const void *buffer);

/// Takes back what `garner_buffer_allocate` gave, or null.
void garner_buffer_free(void *buffer);

/// How many readable bytes must follow the source.
size_t garner_json_padding(void);

/// Parses `length` bytes, which must outlive the document and be followed by `garner_json_padding()` more.
/// On failure the document is empty and needs no release.
garner_json_failure garner_json_parse(const char *bytes, size_t length, garner_json_document *document);

/// As `garner_json_parse`, of values that stand on a line each: they become the elements of an array, the first node,
/// whose spelling is all lines. A line ends with LF or CR LF, the last one with the text; those of white space only are
/// skipped.
garner_json_failure garner_json_parse_lines(const char *bytes, size_t length, garner_json_document *document);

void garner_json_release(garner_json_document *document);

/// The node after this value and all that it contains.
static inline const garner_json_node *garner_json_next(const garner_json_node *node) {
    return node + (node->kind >= GARNER_JSON_ARRAY ? node->nodes : 1);
}

#ifdef __cplusplus
}
#endif
