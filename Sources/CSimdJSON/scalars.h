// The facts about scalars that simdjson's accessors do not tell: the exactness of numbers, and texts with lone
// surrogates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

inline bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

struct Number {
    bool valid = false;
    bool is_integer = false;
    bool fits_int64 = false;
    int64_t integer = 0;
    /// The rest is for numbers that are no integers: the digits from the first that is not zero, with their point.
    const char *digits = nullptr;
    ptrdiff_t written_digits = 0;
    /// Those without the zeros at the end.
    ptrdiff_t significant_digits = 0;
    /// The number of bytes of those, with the point between them.
    ptrdiff_t significant_bytes = 0;
    /// The power of ten of the first digit.
    long exponent = 0;
};

/// Reads a number by the grammar of RFC 8259, section 6.
Number read_number(std::string_view token);

/// Returns true if the shortest decimal that identifies `real` has the same digits and exponent as `number`.
bool round_trips(double real, const Number &number);

/// Unescapes `text` into `out`, which must have room for `length` bytes, and returns the length of the result. A
/// surrogate without its partner becomes U+FFFD and sets `replaced`. An invalid escape sets `bad` to its place.
size_t unescape(const char *text, size_t length, char *out, bool *replaced, const char **bad);
