#include "scalars.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

int hexadecimal(const char *text, const char *end) {
    if (end - text < 4) return -1;
    int value = 0;
    for (int i = 0; i < 4; i++) {
        char c = text[i];
        int digit = is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
        if (digit < 0) return -1;
        value = value * 16 + digit;
    }
    return value;
}

char *put_utf8(char *out, uint32_t scalar) {
    if (scalar < 0x80) {
        *out++ = char(scalar);
    } else if (scalar < 0x800) {
        *out++ = char(0xC0 | scalar >> 6);
        *out++ = char(0x80 | (scalar & 0x3F));
    } else if (scalar < 0x10000) {
        *out++ = char(0xE0 | scalar >> 12);
        *out++ = char(0x80 | (scalar >> 6 & 0x3F));
        *out++ = char(0x80 | (scalar & 0x3F));
    } else {
        *out++ = char(0xF0 | scalar >> 18);
        *out++ = char(0x80 | (scalar >> 12 & 0x3F));
        *out++ = char(0x80 | (scalar >> 6 & 0x3F));
        *out++ = char(0x80 | (scalar & 0x3F));
    }
    return out;
}

/// Returns true if `number` is spelled as the shortest decimal of `real` without an exponent, like most numbers of that many digits.
bool is_spelled_plainly(double real, const Number &number) {
    // From 2^53 on, all digits of the double would be written, and not the fewest that identify it.
    if (!(std::fabs(real) < 0x1p53)) return false;
    char text[32];
    auto [end, error] = std::to_chars(text, text + sizeof text, std::fabs(real), std::chars_format::fixed);
    if (error != std::errc()) return false;
    const char *first = text;
    while (first < end && (*first == '0' || *first == '.')) first++;
    return end - first == number.significant_bytes && memcmp(first, number.digits, size_t(end - first)) == 0;
}

}  // namespace

Number read_number(std::string_view token) {
    Number number;
    const char *p = token.data(), *end = p + token.size();
    bool negative = p < end && *p == '-';
    if (negative) p++;
    const char *integer_start = p;
    uint64_t magnitude = 0;
    bool overflow = false;
    while (p < end && is_digit(*p)) {
        overflow |= __builtin_mul_overflow(magnitude, uint64_t(10), &magnitude);
        overflow |= __builtin_add_overflow(magnitude, uint64_t(*p++ - '0'), &magnitude);
    }
    size_t integer_digits = size_t(p - integer_start);
    if (integer_digits == 0 || (*integer_start == '0' && integer_digits > 1)) return number;
    if (p == end) {
        number.valid = number.is_integer = true;
        uint64_t limit = uint64_t(INT64_MAX) + negative;
        // The spelling "-0" is no integer, since Int64 would drop its sign.
        number.fits_int64 = !overflow && magnitude <= limit && !(negative && magnitude == 0);
        number.integer = negative ? int64_t(0 - magnitude) : int64_t(magnitude);
        if (negative && magnitude == 0) number.is_integer = false;
        return number;
    }
    const char *point = p;
    if (*p == '.') {
        const char *fraction = ++p;
        while (p < end && is_digit(*p)) p++;
        if (p == fraction) return number;
    }
    const char *last = p;
    // Far beyond the exponents of doubles, the exact value does not matter.
    constexpr long far = 1'000'000'000;
    long exponent = 0;
    if (p < end && (*p == 'e' || *p == 'E')) {
        bool is_small = ++p < end && *p == '-';
        if (p < end && (*p == '+' || *p == '-')) p++;
        const char *digits = p;
        for (; p < end && is_digit(*p); p++) exponent = exponent < far ? exponent * 10 + (*p - '0') : far;
        if (p == digits) return number;
        if (is_small) exponent = -exponent;
    }
    if (p != end) return number;
    number.valid = true;
    const char *first = integer_start;
    while (first < last && (*first == '0' || *first == '.')) first++;
    if (first == last) return number;
    number.digits = first;
    number.exponent = exponent + (point - first) - (first < point);
    number.written_digits = last - first - (first < point && point < last);
    while (last[-1] == '0' || last[-1] == '.') last--;
    number.significant_bytes = last - first;
    number.significant_digits = number.significant_bytes - (first < point && point < last);
    return number;
}

bool round_trips(double real, const Number &number) {
    if (is_spelled_plainly(real, number)) return true;
    char text[32] = {};  // like 1.7976931348623157e+308
    std::to_chars(text, text + sizeof text, std::fabs(real), std::chars_format::scientific);
    const char *digit = text, *other = number.digits;
    for (ptrdiff_t i = 0; i < number.significant_digits; i++) {
        digit += *digit == '.';
        other += *other == '.';
        if (*digit++ != *other++) return false;
    }
    return *digit == 'e' && strtol(digit + 1, nullptr, 10) == number.exponent;
}

size_t unescape(const char *text, size_t length, char *out, bool *replaced, const char **bad) {
    const char *p = text, *end = text + length;
    char *start = out;
    while (p < end) {
        const char *backslash = static_cast<const char *>(memchr(p, '\\', size_t(end - p)));
        const char *plain_end = backslash ? backslash : end;
        memcpy(out, p, size_t(plain_end - p));
        out += plain_end - p;
        p = plain_end;
        if (p == end) break;
        const char *escape = p++;
        if (p == end) return *bad = escape, 0;
        switch (*p++) {
        case '"': *out++ = '"'; break;
        case '\\': *out++ = '\\'; break;
        case '/': *out++ = '/'; break;
        case 'b': *out++ = '\b'; break;
        case 'f': *out++ = '\f'; break;
        case 'n': *out++ = '\n'; break;
        case 'r': *out++ = '\r'; break;
        case 't': *out++ = '\t'; break;
        case 'u': {
            int unit = hexadecimal(p, end);
            if (unit < 0) return *bad = escape, 0;
            p += 4;
            uint32_t scalar = uint32_t(unit);
            if (unit >= 0xD800 && unit <= 0xDBFF && end - p >= 6 && p[0] == '\\' && p[1] == 'u') {
                int low = hexadecimal(p + 2, end);
                if (low >= 0xDC00 && low <= 0xDFFF) {
                    scalar = 0x10000 + (uint32_t(unit - 0xD800) << 10) + uint32_t(low - 0xDC00);
                    p += 6;
                }
            }
            if (scalar >= 0xD800 && scalar <= 0xDFFF) {
                scalar = 0xFFFD;
                *replaced = true;
            }
            out = put_utf8(out, scalar);
            break;
        }
        default: return *bad = escape, 0;
        }
    }
    return size_t(out - start);
}
