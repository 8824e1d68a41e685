// SPDX-License-Identifier: MIT

// Copies text into JSON strings and from them, sixteen bytes at a time.

#ifndef TAPLINE_ESCAPE_H
#define TAPLINE_ESCAPE_H

#include "scan.h"

/// The result of a copy.
typedef struct {
    /// The number of bytes of the text that were read.
    size_t read;
    /// The number of bytes that were written.
    size_t written;
    /// Whether all bytes read are ASCII.
    _Bool is_ascii;
} tapline_escaped;

/// The maximum size of an escaped block of sixteen bytes, including bytes written beyond its end.
#define TAPLINE_ESCAPE_ROOM 128

static inline tapline_block tapline_is_escaped(tapline_block b) {
    return (tapline_block)((b < 0x20) | (b == '"') | (b == '\\'));
}

/// Writes the escape of a byte that needs one (RFC 8259 §7).
static inline uint8_t *tapline_put_escape(uint8_t *out, uint8_t byte) {
    static const char letters[] = "uuuuuuuubtnufruuuuuuuuuuuuuuuuuu";
    static const char digits[] = "0123456789abcdef";
    *out++ = '\\';
    if (byte >= 0x20) {
        *out++ = byte;
        return out;
    }
    *out++ = (uint8_t)letters[byte];
    if (letters[byte] == 'u') {
        *out++ = '0';
        *out++ = '0';
        *out++ = (uint8_t)digits[byte >> 4];
        *out++ = (uint8_t)digits[byte & 15];
    }
    return out;
}

/// Writes the first `count` bytes of a word; those in `hits` need an escape. May write eight bytes
/// beyond them.
static inline __attribute__((always_inline)) uint8_t *
tapline_put_escaped(uint8_t *out, uint64_t word, uint32_t hits, size_t count) {
    while (hits != 0) {
        uint32_t clean = (uint32_t)__builtin_ctz(hits);
        memcpy(out, &word, sizeof word);
        word >>= 8 * clean;
        out = tapline_put_escape(out + clean, (uint8_t)word);
        word >>= 8;
        hits = hits >> clean >> 1;
        count -= clean + 1;
    }
    memcpy(out, &word, sizeof word);
    return out + count;
}

/// Does the same for a block.
static inline __attribute__((always_inline)) uint8_t *
tapline_put_block(uint8_t *out, tapline_block block, uint32_t hits, size_t count) {
    if (hits == 0) {
        *(tapline_block *)out = block;
        return out + count;
    }
    uint64_t words[2];
    memcpy(words, &block, sizeof words);
    if (count <= 8) return tapline_put_escaped(out, words[0], hits, count);
    out = tapline_put_escaped(out, words[0], hits & 0xFF, 8);
    return tapline_put_escaped(out, words[1], hits >> 8, count - 8);
}

/// Copies text to `out` with the escapes that JSON requires, until its end or until less than
/// `TAPLINE_ESCAPE_ROOM` of the `room` bytes are left.
static inline tapline_escaped
tapline_escape(const uint8_t *text, size_t count, uint8_t *out, size_t room) {
    uint8_t *const start = out;
    size_t at = 0;
    tapline_block all = {0};
    while (count - at >= 16 && room - (size_t)(out - start) >= TAPLINE_ESCAPE_ROOM) {
        tapline_block block = *(const tapline_block *)(text + at);
        all |= block;
        out = tapline_put_block(out, block, tapline_bits_of(tapline_is_escaped(block)), 16);
        at += 16;
    }
    if (count - at < 16 && room - (size_t)(out - start) >= TAPLINE_ESCAPE_ROOM) {
        size_t rest = count - at;
        tapline_block block = tapline_short_block(text + at, rest);
        all |= block;
        uint32_t hits = tapline_bits_of(tapline_is_escaped(block)) & ((1u << rest) - 1);
        out = tapline_put_block(out, block, hits, rest);
        at = count;
    }
    uint64_t words[2];
    memcpy(words, &all, sizeof words);
    uint64_t both = (words[0] | words[1]) & 0x8080808080808080;
    return (tapline_escaped){at, (size_t)(out - start), both == 0};
}

/// Copies a text of at most 32 bytes if it is ASCII and needs no escapes; writes at least 16 bytes.
///
/// Most field names and many values are short plain texts.
static inline __attribute__((always_inline)) _Bool
tapline_copy_plain(const uint8_t *text, size_t count, uint8_t *out) {
    if (count < 16) {
        tapline_block block = tapline_short_block(text, count);
        *(tapline_block *)out = block;
        tapline_block others = tapline_is_escaped(block) | (tapline_block)(block >= 0x80);
        return (tapline_bits_of(others) & ((1u << count) - 1)) == 0;
    }
    if (count > 32) return 0;
    tapline_block first = *(const tapline_block *)text;
    tapline_block last = *(const tapline_block *)(text + count - 16);
    *(tapline_block *)out = first;
    *(tapline_block *)(out + count - 16) = last;
    tapline_block others = tapline_is_escaped(first) | tapline_is_escaped(last);
    return tapline_bits_of(others | (tapline_block)((first | last) >= 0x80)) == 0;
}

#endif
