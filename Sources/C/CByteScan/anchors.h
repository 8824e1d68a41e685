// SPDX-License-Identifier: MIT

// Finds runs and anchors of a text, 64 bytes at a time: a mask has a bit for each byte of a kind,
// and all further steps are shifts of masks.

#ifndef TAPLINE_ANCHORS_H
#define TAPLINE_ANCHORS_H

#include <string.h>

#include "scan.h"

/// The mask of the bytes of a kind among 64 bytes.
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

static inline tapline_block tapline_is_border(tapline_block b) {
    return (tapline_block)((b < ' ') | (b == '"'));
}

static inline tapline_block tapline_is_mark_or_border(tapline_block b) {
    return tapline_is_mark(b) | tapline_is_border(b);
}

/// The next byte that may begin an escape, or that ends a run of escapes: a control character or a
/// quote.
static inline size_t tapline_next_mark_or_border(const uint8_t *bytes, size_t at, size_t count) {
    return tapline_next(bytes, at, count, tapline_is_mark_or_border);
}

/// The position after the last control character or quote before `end`; `at` if there is none.
static inline size_t tapline_after_border(const uint8_t *bytes, size_t at, size_t end) {
    for (; end - at >= 16; end -= 16) {
        uint32_t bits = tapline_bits(bytes + end - 16, tapline_is_border);
        if (bits != 0) return end - 16 + (size_t)(32 - __builtin_clz(bits));
    }
    while (end > at && bytes[end - 1] >= ' ' && bytes[end - 1] != '"') end--;
    return end;
}

static inline tapline_block tapline_is_mark_or_plus(tapline_block b) {
    return tapline_is_mark(b) | (tapline_block)(b == '+');
}

/// Copies fewer than sixteen bytes.
static inline __attribute__((always_inline)) void
tapline_copy_few(const uint8_t *bytes, size_t count, uint8_t *to) {
    if (count >= 8) {
        // Two overlapping halves.
        uint64_t first = tapline_word(bytes), last = tapline_word(bytes + count - 8);
        memcpy(to, &first, sizeof first);
        memcpy(to + count - 8, &last, sizeof last);
        return;
    }
    for (size_t index = 0; index < count; index++) to[index] = bytes[index];
}

static inline __attribute__((always_inline)) size_t
tapline_copy(const uint8_t *bytes, size_t at, size_t count, uint8_t *to, tapline_kind end) {
    for (; count - at >= 16; at += 16, to += 16) {
        *(tapline_block *)to = *(const tapline_block *)(bytes + at);
        uint32_t bits = tapline_bits(bytes + at, end);
        if (bits != 0) return at + (size_t)__builtin_ctz(bits);
    }
    size_t last = tapline_next(bytes, at, count, end);
    tapline_copy_few(bytes + at, last - at, to);
    return last;
}

/// Copies the bytes before the next byte that may begin an escape, and returns its position.
///
/// The target must have room for all remaining bytes, and may be overwritten beyond the copied
/// ones.
static inline size_t
tapline_copy_to_mark(const uint8_t *bytes, size_t at, size_t count, uint8_t *to) {
    return tapline_copy(bytes, at, count, to, tapline_is_mark);
}

static inline tapline_block tapline_is_backslash(tapline_block b) {
    return (tapline_block)(b == '\\');
}

/// Does the same for escapes that all begin with a backslash.
static inline size_t
tapline_copy_to_backslash(const uint8_t *bytes, size_t at, size_t count, uint8_t *to) {
    return tapline_copy(bytes, at, count, to, tapline_is_backslash);
}

/// Does the same for texts in which a plus sign means a space.
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

static inline tapline_block tapline_is_equals_sign(tapline_block b) {
    return (tapline_block)(b == '=');
}

/// The next equals sign.
static inline size_t tapline_next_equals_sign(const uint8_t *bytes, size_t at, size_t count) {
    return tapline_next(bytes, at, count, tapline_is_equals_sign);
}

static inline tapline_block tapline_is_base64_sign(tapline_block b) {
    return (tapline_block)((b == '+') | (b == '/') | (b == '-') | (b == '_'));
}

/// The next base64 digit that only one of the alphabets has.
static inline size_t tapline_next_base64_sign(const uint8_t *bytes, size_t at, size_t count) {
    return tapline_next(bytes, at, count, tapline_is_base64_sign);
}

static inline tapline_block tapline_is_slash(tapline_block b) {
    return (tapline_block)(b == '/');
}

/// The next slash.
static inline size_t tapline_next_slash(const uint8_t *bytes, size_t at, size_t count) {
    return tapline_next(bytes, at, count, tapline_is_slash);
}

static inline tapline_block tapline_is_base64(tapline_block b) {
    tapline_block letter = (tapline_block)(((b | 0x20) - 'a') < 26);
    tapline_block number = (tapline_block)((b - '/') < 11);
    return letter | number | (tapline_block)((b == '+') | (b == '-') | (b == '_'));
}

static inline tapline_block tapline_is_no_base64(tapline_block b) {
    return ~tapline_is_base64(b);
}

/// The next byte that is not a base64 digit of either alphabet.
static inline size_t tapline_next_no_base64(const uint8_t *bytes, size_t at, size_t count) {
    return tapline_next(bytes, at, count, tapline_is_no_base64);
}

/// A mask of the positions at which `length` consecutive bits are set, 1 to 32.
static inline uint64_t tapline_runs(uint64_t mask, size_t length) {
    uint64_t two = mask & mask >> 1, four = two & two >> 2, eight = four & four >> 4;
    if (length >= 16) {
        uint64_t sixteen = eight & eight >> 8;
        return sixteen & sixteen >> (length - 16);
    }
    if (length >= 8) return eight & eight >> (length - 8);
    if (length >= 4) return four & four >> (length - 4);
    return length >= 2 ? two & two >> (length - 2) : mask;
}

/// The mask of the bytes of a kind from a position to the end of a text, which are fewer than 64.
static inline __attribute__((always_inline)) uint64_t
tapline_last_mask(const uint8_t *bytes, size_t at, size_t count, tapline_kind kind) {
    uint64_t mask = 0;
    size_t place = at;
    for (; count - place >= 16; place += 16) {
        mask |= (uint64_t)tapline_bits(bytes + place, kind) << (place - at);
    }
    if (place == count) return mask;
    uint32_t bits;
    if (count >= 16) {
        bits = tapline_bits(bytes + count - 16, kind) >> (place - (count - 16));
    } else {
        tapline_block last = tapline_short_block(bytes + place, count - place);
        bits = tapline_bits_of(kind(last)) & ((1u << (count - place)) - 1);
    }
    return mask | (uint64_t)bits << (place - at);
}

/// A search for runs of base64 digits that examines each block of the text once.
typedef struct {
    /// The start of the next block, and the start of the run that continues in it.
    size_t next, open;
    /// The start of the current block, the mask of its digits, and the mask of the starts of runs
    /// that also end in it and were not yet returned.
    size_t block;
    uint64_t digits, starts;
} tapline_run_search;

/// The start and end of a run.
typedef struct {
    size_t start, end;
} tapline_run;

/// The next run of at least `length` digits, 1 to 32; a run that ends at zero if there is none.
static inline tapline_run
tapline_next_base64_run(const uint8_t *bytes, tapline_run_search *search, size_t count, size_t length) {
    while (1) {
        if (search->starts != 0) {
            size_t start = (size_t)__builtin_ctzll(search->starts);
            size_t end = start + (size_t)__builtin_ctzll(~(search->digits >> start));
            search->starts &= ~(uint64_t)0 << end;
            return (tapline_run){search->block + start, search->block + end};
        }
        size_t open = search->open, block = search->next;
        if (count < length || open > count - length) return (tapline_run){0, 0};
        if (block == count) {
            search->open = count;
            return (tapline_run){open, count};
        }
        _Bool is_whole = count - block >= 64;
        uint64_t digits = is_whole ? tapline_mask(bytes + block, tapline_is_base64)
                                   : tapline_last_mask(bytes, block, count, tapline_is_base64);
        search->next = is_whole ? block + 64 : count;
        if (~digits == 0) continue;
        // A run that ends in this block began in it or before; a run that continues after the block
        // is left to the next one.
        size_t first = (size_t)__builtin_ctzll(~digits);
        size_t last = 63 - (size_t)__builtin_clzll(~digits);
        uint64_t starts = tapline_runs(digits, length) & ~(uint64_t)0 << first;
        search->starts = starts & (((uint64_t)1 << last) - 1);
        search->block = block;
        search->digits = digits;
        search->open = block + last + 1;
        if (block + first - open >= length) return (tapline_run){open, block + first};
    }
}

/// Masks of the positions of a block at which an anchor begins.
typedef struct {
    /// At signs; of several consecutive ones only the last.
    uint64_t at_sign;
    /// The first digit of a run, and of a run of at least four.
    uint64_t digit, four_digits;
    /// Two capital letters and two digits.
    uint64_t country_digits;
    /// A colon before another colon or a hexadecimal digit.
    uint64_t hex_colon;
} tapline_anchors;

/// The positions of a block for which anchors are known, since the byte before each and three
/// bytes after it are in the block.
#define TAPLINE_ANCHOR_FIRST 1
#define TAPLINE_ANCHOR_COUNT 60

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

/// The anchors of a block of 64 bytes.
static inline tapline_anchors
tapline_find_anchors(const uint8_t *block, _Bool with_colons) {
    uint64_t digit = tapline_mask(block, tapline_is_digit);
    uint64_t capital = tapline_mask(block, tapline_is_capital);
    uint64_t two = (digit >> 2) & (digit >> 3);
    uint64_t at_sign = tapline_mask(block, tapline_is_at_sign);
    tapline_anchors found = {.at_sign = at_sign & ~(at_sign >> 1)};
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
