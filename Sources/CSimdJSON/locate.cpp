#include "locate.h"

#include "scalars.h"

using namespace simdjson;

namespace {

/// Returns the offset of the first byte that is not UTF-8.
size_t first_invalid_utf8(const char *bytes, size_t length) {
    size_t low = 0;
    while (low < length) {
        uint8_t lead = uint8_t(bytes[low]);
        size_t size = lead < 0x80 ? 1 : lead >= 0xC2 && lead < 0xE0 ? 2 : lead >= 0xE0 && lead < 0xF0 ? 3 : lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
        if (size == 0 || low + size > length || !validate_utf8(bytes + low, size)) return low;
        low += size;
    }
    return length;
}

/// Returns the offset of the first control character inside a string, or the start of an unterminated string.
size_t first_bad_string(const char *bytes, size_t length) {
    size_t start = length;
    bool inside = false;
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] == '"') {
            inside = !inside;
            start = i;
        } else if (inside && bytes[i] == '\\') {
            i++;
        } else if (inside && uint8_t(bytes[i]) < 0x20) {
            return i;
        }
    }
    return inside ? start : length;
}

}  // namespace

const char *reason_for(error_code error) {
    switch (error) {
    case NUMBER_ERROR: return "not a JSON number";
    case STRING_ERROR: return "not a JSON string";
    case T_ATOM_ERROR:
    case F_ATOM_ERROR:
    case N_ATOM_ERROR: return "not a JSON value";
    case DEPTH_ERROR: return "nested too deeply";
    case INCOMPLETE_ARRAY_OR_OBJECT: return "an array or object without its end";
    case UNCLOSED_STRING: return "a string without its end";
    case UNESCAPED_CHARS: return "a control character inside a string";
    case UTF8_ERROR: return "not UTF-8";
    case EMPTY: return "no JSON at all";
    default: return "not JSON";
    }
}

garner_json_failure locate(error_code error, const char *bytes, size_t length) {
    const char *reason = reason_for(error);
    switch (error) {
    case EMPTY: return {GARNER_JSON_EMPTY, 0, reason};
    case UTF8_ERROR: return {GARNER_JSON_INVALID_UTF8, first_invalid_utf8(bytes, length), reason};
    case UNCLOSED_STRING:
    case UNESCAPED_CHARS: {
        // simdjson finds these before invalid UTF-8, which may be the reason for unmatched quotes.
        size_t text = first_invalid_utf8(bytes, length), string = first_bad_string(bytes, length);
        if (text < string) return {GARNER_JSON_INVALID_UTF8, text, reason_for(UTF8_ERROR)};
        return {GARNER_JSON_INVALID, string, reason};
    }
    case MEMALLOC: return {GARNER_JSON_OUT_OF_MEMORY, 0, "not enough memory"};
    case CAPACITY: return {GARNER_JSON_TOO_LARGE, length, "too large"};
    default: return {GARNER_JSON_INVALID, 0, reason};
    }
}
