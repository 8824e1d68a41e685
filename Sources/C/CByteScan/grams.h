// SPDX-License-Identifier: MIT

// Searches for many texts at once by groups of four bytes (Wu and Manber, "A fast algorithm for
// multi-pattern searching", 1994).

#ifndef TAPLINE_GRAMS_H
#define TAPLINE_GRAMS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// The slot of four bytes in a table of 2^(32 - shift) slots; letters in either case have the same.
static inline size_t tapline_gram_slot(const uint8_t *bytes, uint32_t shift) {
    uint32_t gram;
    memcpy(&gram, bytes, sizeof gram);
    return ((gram | 0x20202020u) * 0x9E3779B1u) >> shift;
}

/// The next position, at least three, of the last of four bytes whose slot is zero; `count` if there
/// is none. From other slots, the search goes on as many bytes later as they say.
static inline size_t tapline_next_gram(const uint8_t *bytes, size_t at, size_t count,
                                       const uint8_t *skips, uint32_t shift) {
    while (at < count) {
        size_t skip = skips[tapline_gram_slot(bytes + at - 3, shift)];
        if (skip == 0) return at;
        at += skip;
    }
    return count;
}

#endif
