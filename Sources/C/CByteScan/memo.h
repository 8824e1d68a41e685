// SPDX-License-Identifier: MIT

// Helpers to recognize equal bytes: a hash and a comparison.

#ifndef TAPLINE_MEMO_H
#define TAPLINE_MEMO_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t tapline_word(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

static inline uint64_t tapline_half_word(const uint8_t *bytes) {
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/// Fewer than eight bytes as a word, with the first byte lowest and zeros above the last.
static inline uint64_t tapline_short_word(const uint8_t *bytes, size_t count) {
    if (count >= 4) {
        // Two overlapping halves.
        return tapline_half_word(bytes) | tapline_half_word(bytes + count - 4) << (8 * count - 32);
    }
    if (count == 0) return 0;
    return bytes[0] | (uint64_t)bytes[count >> 1] << (8 * (count >> 1))
        | (uint64_t)bytes[count - 1] << (8 * (count - 1));
}

/// The differing bits of two blocks of sixteen bytes; 0 if they are equal.
static inline uint64_t tapline_difference(const uint8_t *a, const uint8_t *b) {
    return (tapline_word(a) ^ tapline_word(b)) | (tapline_word(a + 8) ^ tapline_word(b + 8));
}

/// Both halves of a product combined, so that each bit depends on all input bits.
static inline uint64_t tapline_fold(uint64_t a, uint64_t b) {
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/// The hash of bytes and of an additional mark.
static inline uint64_t tapline_hash(const uint8_t *bytes, size_t count, uint64_t mark) {
    const uint64_t one = 0x9E3779B97F4A7C15, two = 0xD6E8FEB86659FD93;
    uint64_t hash = (mark << 32 | count) * one;
    if (count >= 16) {
        for (size_t at = 0; count - at > 16; at += 16) {
            hash = tapline_fold(tapline_word(bytes + at) ^ one, tapline_word(bytes + at + 8) ^ hash);
        }
        return tapline_fold(tapline_word(bytes + count - 16) ^ two,
                            tapline_word(bytes + count - 8) ^ hash);
    }
    if (count < 8) return tapline_fold(tapline_short_word(bytes, count) ^ two, hash);
    return tapline_fold(tapline_word(bytes) ^ two, tapline_word(bytes + count - 8) ^ hash);
}

/// Whether `count` bytes are equal.
static inline _Bool tapline_equal(const uint8_t *a, const uint8_t *b, size_t count) {
    if (count >= 16) {
        uint64_t other = tapline_difference(a + count - 16, b + count - 16);
        for (size_t at = 0; count - at > 16; at += 16) other |= tapline_difference(a + at, b + at);
        return other == 0;
    }
    if (count >= 8) {
        return ((tapline_word(a) ^ tapline_word(b))
                | (tapline_word(a + count - 8) ^ tapline_word(b + count - 8))) == 0;
    }
    return tapline_short_word(a, count) == tapline_short_word(b, count);
}

#endif
