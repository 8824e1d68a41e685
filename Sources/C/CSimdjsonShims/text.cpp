// SPDX-License-Identifier: MIT

#include "walk.h"

#include <cstring>

namespace tapline {
namespace {

/// The length of the well-formed UTF-8 sequence at `at` (RFC 3629 section 4); 0 if it is malformed;
/// -1 if the input ends inside it.
int sequence_length(const uint8_t *bytes, size_t at, size_t length) noexcept {
    const uint8_t lead = bytes[at];
    if (lead < 0x80) { return 1; }
    int count;
    uint8_t low = 0x80, high = 0xBF;
    if (lead >= 0xC2 && lead <= 0xDF) {
        count = 2;
    } else if ((lead & 0xF0) == 0xE0) {
        count = 3;
        if (lead == 0xE0) { low = 0xA0; }
        if (lead == 0xED) { high = 0x9F; }
    } else if (lead >= 0xF0 && lead <= 0xF4) {
        count = 4;
        if (lead == 0xF0) { low = 0x90; }
        if (lead == 0xF4) { high = 0x8F; }
    } else {
        return 0;
    }
    for (int i = 1; i < count; i++) {
        if (at + i == length) { return -1; }
        const uint8_t byte = bytes[at + i];
        if (byte < low || byte > high) { return 0; }
        low = 0x80;
        high = 0xBF;
    }
    return count;
}

/// Four hexadecimal digits, or a number above 0xFFFF.
uint32_t hex4(const uint8_t *bytes) noexcept {
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) {
        const uint8_t byte = bytes[i];
        uint32_t digit;
        if (byte >= '0' && byte <= '9') {
            digit = byte - '0';
        } else if ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'f') {
            digit = (byte | 0x20) - 'a' + 10;
        } else {
            return 0x10000;
        }
        value = value * 16 + digit;
    }
    return value;
}

size_t encode(uint32_t scalar, uint8_t *out) noexcept {
    if (scalar < 0x80) {
        out[0] = static_cast<uint8_t>(scalar);
        return 1;
    }
    if (scalar < 0x800) {
        out[0] = static_cast<uint8_t>(0xC0 | (scalar >> 6));
        out[1] = static_cast<uint8_t>(0x80 | (scalar & 0x3F));
        return 2;
    }
    if (scalar < 0x10000) {
        out[0] = static_cast<uint8_t>(0xE0 | (scalar >> 12));
        out[1] = static_cast<uint8_t>(0x80 | ((scalar >> 6) & 0x3F));
        out[2] = static_cast<uint8_t>(0x80 | (scalar & 0x3F));
        return 3;
    }
    out[0] = static_cast<uint8_t>(0xF0 | (scalar >> 18));
    out[1] = static_cast<uint8_t>(0x80 | ((scalar >> 12) & 0x3F));
    out[2] = static_cast<uint8_t>(0x80 | ((scalar >> 6) & 0x3F));
    out[3] = static_cast<uint8_t>(0x80 | (scalar & 0x3F));
    return 4;
}

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first byte of a word is its lowest");

/// Copies the bytes before the next backslash, and returns their number.
///
/// Copies eight bytes at a time and may write more than it returns, but no more than are left in
/// the text.
size_t copy_to_backslash(const uint8_t *bytes, size_t length, uint8_t *out) noexcept {
    size_t at = 0;
    for (; length - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, bytes + at, sizeof word);
        memcpy(out + at, &word, sizeof word);
        const uint64_t other = word ^ 0x5C5C5C5C5C5C5C5C;
        const uint64_t hits = (other - 0x0101010101010101) & ~other & 0x8080808080808080;
        if (hits != 0) { return at + static_cast<size_t>(__builtin_ctzll(hits)) / 8; }
    }
    for (; at < length && bytes[at] != '\\'; at++) { out[at] = bytes[at]; }
    return at;
}

/// The meaning of a character after a backslash (RFC 8259 section 7); 0 if it is not an escape.
inline uint8_t simple_escape(uint8_t byte) noexcept {
    if (byte == '"') { return byte; }
    switch (byte) {
    case '\\': return '\\';
    case '/': return '/';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return 0;
    }
}

}  // namespace

uint32_t locate_lexical_error(const uint8_t *bytes, size_t length, size_t *where) noexcept {
    bool in_string = false;
    size_t at = 0;
    while (at < length) {
        const uint8_t byte = bytes[at];
        const int count = sequence_length(bytes, at, length);
        if (count <= 0) {
            *where = at;
            return count == 0 ? TAPLINE_JSON_BAD_UTF8 : TAPLINE_JSON_TRUNCATED;
        }
        if (in_string && byte < 0x20) {
            *where = at;
            return TAPLINE_JSON_BAD_CONTROL;
        }
        // A backslash outside a string is a grammar error, but simdjson pairs quotes as if it were
        // an escape; do the same, so that the same quote is reported as open.
        if (byte == '\\' && at + 1 < length && bytes[at + 1] < 0x80) {
            if (in_string && bytes[at + 1] < 0x20) {
                *where = at + 1;
                return TAPLINE_JSON_BAD_CONTROL;
            }
            at += 2;
            continue;
        }
        if (byte == '"') { in_string = !in_string; }
        at += static_cast<size_t>(count);
    }
    *where = length;
    return TAPLINE_JSON_TRUNCATED;
}

long decimal_exponent(const uint8_t *text, size_t length) noexcept {
    long position = 0;
    bool found = false, fraction = false;
    size_t at = text[0] == '-' ? 1 : 0;
    for (; at < length && (text[at] | 0x20) != 'e'; at++) {
        if (text[at] == '.') {
            fraction = true;
        } else if (!found) {
            found = text[at] != '0';
            if (fraction) { position -= 1; }
        } else if (!fraction) {
            position += 1;
        }
    }
    long exponent = 0;
    if (at < length) {
        at += 1;
        const bool negative = text[at] == '-';
        if (text[at] == '-' || text[at] == '+') { at += 1; }
        for (; at < length && exponent < 1000000000; at++) {
            exponent = exponent * 10 + (text[at] - '0');
        }
        if (negative) { exponent = -exponent; }
    }
    return found ? position + exponent : -1;
}

Unescaped unescape(
    const uint8_t *bytes, size_t from, size_t to, uint8_t *out, bool replace_surrogates) noexcept {
    uint8_t *const start = out;
    size_t at = from;
    while (at < to) {
        const size_t run = copy_to_backslash(bytes + at, to - at, out);
        out += run;
        at += run;
        if (at == to) { break; }

        // The closing quote is not escaped, so a character follows each backslash.
        const uint8_t simple = simple_escape(bytes[at + 1]);
        if (simple != 0) {
            *out = simple;
            out += 1;
            at += 2;
            continue;
        }
        if (bytes[at + 1] != 'u' || to - at < 6) { return {0, TAPLINE_JSON_BAD_ESCAPE, at}; }
        uint32_t scalar = hex4(bytes + at + 2);
        size_t width = 6;
        if (scalar > 0xFFFF) { return {0, TAPLINE_JSON_BAD_ESCAPE, at}; }
        if (scalar >= 0xD800 && scalar <= 0xDFFF) {
            uint32_t low = 0;
            if (scalar < 0xDC00 && to - at >= 12 && bytes[at + 6] == '\\'
                && bytes[at + 7] == 'u') {
                low = hex4(bytes + at + 8);
            }
            if (low >= 0xDC00 && low <= 0xDFFF) {
                scalar = 0x10000 + ((scalar - 0xD800) << 10) + (low - 0xDC00);
                width = 12;
            } else if (replace_surrogates) {
                scalar = 0xFFFD;
            } else {
                return {0, TAPLINE_JSON_BAD_SURROGATE, at};
            }
        }
        out += encode(scalar, out);
        at += width;
    }
    return {static_cast<size_t>(out - start), TAPLINE_JSON_OK, 0};
}

}  // namespace tapline
