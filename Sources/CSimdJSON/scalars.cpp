#include "scalars.h"

#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A decimal as digits without leading or trailing zeros and the power of ten of the last digit.
struct Decimal {
    std::string digits;
    long exponent = 0;
    bool operator==(const Decimal &other) const { return digits == other.digits && (digits.empty() || exponent == other.exponent); }
};

Decimal decimal(std::string_view token) {
    Decimal result;
    bool fraction = false;
    size_t i = !token.empty() && token[0] == '-' ? 1 : 0;
    for (; i < token.size() && token[i] != 'e' && token[i] != 'E'; i++) {
        if (token[i] == '.') {
            fraction = true;
            continue;
        }
        if (fraction) result.exponent--;
        if (token[i] != '0' || !result.digits.empty()) result.digits += token[i];
    }
    // Far beyond the exponents of doubles, the exact value does not matter.
    constexpr long far = 1'000'000'000;
    if (i < token.size()) {
        long exponent = strtol(std::string(token.substr(i + 1)).c_str(), nullptr, 10);
        result.exponent += exponent > far ? far : exponent < -far ? -far : exponent;
    }
    while (!result.digits.empty() && result.digits.back() == '0') {
        result.digits.pop_back();
        result.exponent++;
    }
    return result;
}

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
        if (negative && magnitude == 0) number.is_integer = false, number.in_normal_range = true;
        return number;
    }
    if (*p == '.') {
        const char *fraction = ++p;
        while (p < end && is_digit(*p)) p++;
        if (p == fraction) return number;
    }
    const char *mantissa_end = p;
    bool exponent = p < end && (*p == 'e' || *p == 'E');
    if (exponent) {
        if (++p < end && (*p == '+' || *p == '-')) p++;
        const char *digits = p;
        while (p < end && is_digit(*p)) p++;
        if (p == digits) return number;
    }
    if (p != end) return number;
    number.valid = true;
    const char *first = integer_start;
    while (first < mantissa_end && (*first == '0' || *first == '.')) first++;
    for (const char *d = first; d < mantissa_end; d++) number.significant_digits += *d != '.';
    // Without an exponent, 300 characters keep the value between 1e-300 and 1e300.
    number.in_normal_range = !exponent && token.size() < 300;
    if (exponent) number.significant_digits = number.significant_digits > 15 ? number.significant_digits : 16;
    return number;
}

bool round_trips(double real, std::string_view token) {
    char text[40];
    Decimal exact = decimal(token);
    // Fifteen digits always have the requested precision, except for subnormal doubles, which have fewer.
    for (int precision = std::fabs(real) < DBL_MIN ? 1 : 15; precision <= 17; precision++) {
        snprintf(text, sizeof text, "%.*e", precision - 1, real);
        if (strtod(text, nullptr) == real) return decimal(text) == exact;
    }
    return false;
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
