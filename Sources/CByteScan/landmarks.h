// SPDX-License-Identifier: MIT

// Runs and landmarks of a text, found 64 bytes at a time: a bit for each byte that is of a kind,
// and from then on but shifts of those bits.

#ifndef TAPLINE_LANDMARKS_H
#define TAPLINE_LANDMARKS_H

#include <string.h>

#include "scan.h"

/// A bit for each of 64 bytes that is of a kind.
static inline __attribute__((always_inline)) uint64_t
tapline_mask(const uint8_t *bytes, tapline_kind kind) {
    uint64_t mask = 0;
    for (int part = 0; part < 64; part += 16) {
        mask |= (uint64_t)tapline_bits(bytes + part, kind) << part;
    }
    return mask;
}

static inline tapline_block tapline_is_mark(tapline_block b) {
    return (tapline_block)((b == '%') | (b == '&') | (b == '\\'));
}

/// The next byte that may begin an escape.
static inline size_t tapline_next_mark(const uint8_t *bytes, size_t at, size_t count) {
    return tapline_next(bytes, at, count, tapline_is_mark);
}

static inline tapline_block tapline_is_mark_or_border(tapline_block b) {
    return tapline_is_mark(b) | (tapline_block)((b < ' ') | (b == '"'));
}

/// The next byte that may begin an escape, or ends a run of escapes: a control character, a quote.
static inline size_t tapline_next_mark_or_border(const uint8_t *bytes, size_t at, size_t count) {
    return tapline_next(bytes, at, count, tapline_is_mark_or_border);
}

static inline tapline_block tapline_is_mark_or_plus(tapline_block b) {
    return tapline_is_mark(b) | (tapline_block)(b == '+');
}

static inline __attribute__((always_inline)) size_t
tapline_copy(const uint8_t *bytes, size_t at, size_t count, uint8_t *to, tapline_kind end) {
    for (; count - at >= 16; at += 16, to += 16) {
        *(tapline_block *)to = *(const tapline_block *)(bytes + at);
        uint32_t bits = tapline_bits(bytes + at, end);
        if (bits != 0) return at + (size_t)__builtin_ctz(bits);
    }
    size_t last = tapline_next(bytes, at, count, end);
    while (at < last) *to++ = bytes[at++];
    return last;
}

/// Copies what stands before the next byte that may begin an escape, and tells where that is.
///
/// There has to be room for all that is left, and more of it than is copied may be written to.
static inline size_t
tapline_copy_to_mark(const uint8_t *bytes, size_t at, size_t count, uint8_t *to) {
    return tapline_copy(bytes, at, count, to, tapline_is_mark);
}

/// The same where a plus sign means a blank.
static inline size_t
tapline_copy_to_mark_or_plus(const uint8_t *bytes, size_t at, size_t count, uint8_t *to) {
    return tapline_copy(bytes, at, count, to, tapline_is_mark_or_plus);
}

static inline tapline_block tapline_is_nul(tapline_block b) {
    return (tapline_block)(b == 0);
}

/// The next NUL.
static inline size_t tapline_next_nul(const uint8_t *bytes, size_t at, size_t count) {
    return tapline_next(bytes, at, count, tapline_is_nul);
}

static inline tapline_block tapline_is_base64_sign(tapline_block b) {
    return (tapline_block)((b == '+') | (b == '/') | (b == '-') | (b == '_'));
}

/// The next digit of base64 that only one alphabet has.
static inline size_t tapline_next_base64_sign(const uint8_t *bytes, size_t at, size_t count) {
    return tapline_next(bytes, at, count, tapline_is_base64_sign);
}

static inline tapline_block tapline_is_base64(tapline_block b) {
    tapline_block letter = (tapline_block)(((b | 0x20) - 'a') < 26);
    tapline_block number = (tapline_block)((b - '/') < 11);
    return letter | number | (tapline_block)((b == '+') | (b == '-') | (b == '_'));
}

static inline tapline_block tapline_is_no_base64(tapline_block b) {
    return ~tapline_is_base64(b);
}

/// The next byte that is no digit of base64, of either alphabet.
static inline size_t tapline_next_no_base64(const uint8_t *bytes, size_t at, size_t count) {
    return tapline_next(bytes, at, count, tapline_is_no_base64);
}

/// A bit for each place from which on so many bits are set.
static inline uint64_t tapline_runs(uint64_t mask, size_t length) {
    for (size_t done = 1; done < length;) {
        size_t shift = done < length - done ? done : length - done;
        mask &= mask >> shift;
        done += shift;
    }
    return mask;
}

/// Where the next `length` digits of base64 stand in a row, of which there are 1 to 32; `count`
/// where they do not.
static inline size_t
tapline_next_base64_run(const uint8_t *bytes, size_t at, size_t count, size_t length) {
    while (count - at >= 64) {
        uint64_t runs = tapline_runs(tapline_mask(bytes + at, tapline_is_base64), length);
        if (runs != 0) return at + (size_t)__builtin_ctzll(runs);
        // What begins in the last places of a block is seen whole in the next one.
        at += 64 - (length - 1);
    }
    if (count - at < length) return count;
    uint64_t mask = 0;
    size_t place = 0;
    for (; count - at - place >= 16; place += 16) {
        mask |= (uint64_t)tapline_bits(bytes + at + place, tapline_is_base64) << place;
    }
    size_t rest = count - at - place;
    if (rest > 0) {
        uint8_t last[16] = {0};
        memcpy(last, bytes + at + place, rest);
        mask |= (uint64_t)tapline_bits(last, tapline_is_base64) << place;
    }
    uint64_t runs = tapline_runs(mask, length);
    return runs == 0 ? count : at + (size_t)__builtin_ctzll(runs);
}

/// A bit for each place of a block at which one of these stands or begins.
typedef struct {
    /// At signs.
    uint64_t at_sign;
    /// The first of some digits in a row, and of four at least.
    uint64_t digit, four_digits;
    /// Two capital letters and two digits.
    uint64_t country_digits;
    /// A colon before another one or a hexadecimal digit.
    uint64_t hex_colon;
} tapline_landmarks;

/// How many places of a block can be told: the byte before each and three behind it are there.
#define TAPLINE_LANDMARK_FIRST 1
#define TAPLINE_LANDMARK_COUNT 60

static inline tapline_block tapline_is_at_sign(tapline_block b) {
    return (tapline_block)(b == '@');
}

static inline tapline_block tapline_is_digit(tapline_block b) {
    return (tapline_block)((b - '0') < 10);
}

static inline tapline_block tapline_is_capital(tapline_block b) {
    return (tapline_block)((b - 'A') < 26);
}

static inline tapline_block tapline_is_colon(tapline_block b) {
    return (tapline_block)(b == ':');
}

static inline tapline_block tapline_is_hex(tapline_block b) {
    return tapline_is_digit(b) | (tapline_block)(((b | 0x20) - 'a') < 6);
}

/// What begins at the places of a block of 64 bytes.
static inline tapline_landmarks
tapline_find_landmarks(const uint8_t *block, _Bool with_colons) {
    uint64_t digit = tapline_mask(block, tapline_is_digit);
    uint64_t capital = tapline_mask(block, tapline_is_capital);
    uint64_t two = (digit >> 2) & (digit >> 3);
    tapline_landmarks found = {.at_sign = tapline_mask(block, tapline_is_at_sign)};
    found.digit = digit & ~(digit << 1);
    found.four_digits = found.digit & (digit >> 1) & two;
    found.country_digits = capital & (capital >> 1) & two;
    if (with_colons) {
        uint64_t colon = tapline_mask(block, tapline_is_colon);
        found.hex_colon = colon & ((tapline_mask(block, tapline_is_hex) | colon) >> 1);
    }
    return found;
}

#endif
