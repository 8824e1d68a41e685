// SPDX-License-Identifier: MIT

// Searches that examine sixteen bytes at a time.
//
// They use the compiler's vector types, for every processor with vector instructions; Swift's own
// vectors are compared element by element. All functions search `count` bytes, start at `at`, which
// is at most `count`, and return `count` if they find nothing.

#ifndef TAPLINE_BYTE_SCAN_H
#define TAPLINE_BYTE_SCAN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "memo.h"

typedef uint8_t tapline_block __attribute__((vector_size(16), aligned(1)));
typedef _Bool tapline_block_bits __attribute__((ext_vector_type(16)));

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first byte of a word is its lowest");

/// The bytes of a block that are of a kind: all bits are set for a matching byte.
typedef tapline_block (*tapline_kind)(tapline_block);

/// The mask of the bytes of a block that are not zero.
static inline __attribute__((always_inline)) uint32_t tapline_bits_of(tapline_block found) {
    tapline_block_bits bits = __builtin_convertvector(found, tapline_block_bits);
    return __builtin_bit_cast(uint16_t, bits);
}

/// The mask of the bytes of a block that are of a kind.
static inline __attribute__((always_inline)) uint32_t
tapline_bits(const uint8_t *bytes, tapline_kind kind) {
    return tapline_bits_of(kind(*(const tapline_block *)bytes));
}

/// Fewer than sixteen bytes as a block, padded with NUL.
static inline __attribute__((always_inline)) tapline_block
tapline_short_block(const uint8_t *bytes, size_t count) {
    uint64_t low, high = 0;
    if (count < 8) {
        low = tapline_short_word(bytes, count);
    } else {
        low = tapline_word(bytes);
        // The last eight bytes, without those that are among the first eight.
        if (count > 8) high = tapline_word(bytes + count - 8) >> (8 * (16 - count));
    }
    uint64_t words[2] = {low, high};
    return *(const tapline_block *)words;
}

static inline __attribute__((always_inline)) size_t
tapline_next(const uint8_t *bytes, size_t at, size_t count, tapline_kind kind) {
    while (count - at >= 16) {
        uint32_t bits = tapline_bits(bytes + at, kind);
        if (bits != 0) return at + (size_t)__builtin_ctz(bits);
        at += 16;
    }
    if (at == count) return count;
    if (count >= 16) {
        // The last sixteen bytes, without those that were looked at.
        uint32_t bits = tapline_bits(bytes + count - 16, kind) >> (at - (count - 16));
        return bits == 0 ? count : at + (size_t)__builtin_ctz(bits);
    }
    tapline_block last = tapline_short_block(bytes + at, count - at);
    size_t found = (size_t)__builtin_ctz(tapline_bits_of(kind(last)) | 1u << 16);
    return found < count - at ? at + found : count;
}

/// The next byte equal to `byte`, found with the C library's search, which is fast for long texts.
static inline size_t
tapline_find(const uint8_t *bytes, size_t at, size_t count, uint8_t byte) {
    const uint8_t *found = memchr(bytes + at, byte, count - at);
    return found == NULL ? count : (size_t)(found - bytes);
}

/// The number of bytes equal to `byte`.
static inline size_t tapline_count(const uint8_t *bytes, size_t count, uint8_t byte) {
    size_t found = 0;
    for (size_t index = 0; index < count; index++) found += bytes[index] == byte;
    return found;
}

/// The next byte equal to one of two bytes.
static inline size_t
tapline_next_either(const uint8_t *bytes, size_t at, size_t count, uint8_t first, uint8_t second) {
    const tapline_block one = first - (tapline_block){0}, two = second - (tapline_block){0};
    while (count - at >= 16) {
        tapline_block b = *(const tapline_block *)(bytes + at);
        uint32_t bits = tapline_bits_of((tapline_block)((b == one) | (b == two)));
        if (bits != 0) return at + (size_t)__builtin_ctz(bits);
        at += 16;
    }
    if (at == count) return count;
    tapline_block b;
    uint32_t past = 0;
    if (count >= 16) {
        // The last sixteen bytes, without those that were looked at.
        b = *(const tapline_block *)(bytes + count - 16);
        past = (uint32_t)(at - (count - 16));
    } else {
        b = tapline_short_block(bytes + at, count - at);
    }
    uint32_t bits = tapline_bits_of((tapline_block)((b == one) | (b == two))) >> past;
    size_t found = (size_t)__builtin_ctz(bits | 1u << 16);
    return found < count - at ? at + found : count;
}

static inline tapline_block tapline_is_quote(tapline_block b) {
    return (tapline_block)((b == '"') | (b == '\\'));
}

/// The next quote or backslash, which ends the plain part of a JSON string.
static inline size_t tapline_next_quote(const uint8_t *bytes, size_t at, size_t count) {
    return tapline_next(bytes, at, count, tapline_is_quote);
}

static inline tapline_block tapline_is_no_number(tapline_block b) {
    // The range from plus to nine contains a comma and a slash in addition to signs, points and
    // digits.
    tapline_block digit = (tapline_block)(((b - '+') <= '9' - '+') & (b != ',') & (b != '/'));
    return (tapline_block) ~(digit | (tapline_block)((b | 0x20) == 'e'));
}

/// The next byte that is not a digit, sign, point or `e`, which ends a number.
static inline size_t tapline_next_no_number(const uint8_t *bytes, size_t at, size_t count) {
    return tapline_next(bytes, at, count, tapline_is_no_number);
}

static inline tapline_block tapline_is_no_blank(tapline_block b) {
    return (tapline_block)((b != ' ') & (b != '\n') & (b != '\r') & (b != '\t'));
}

/// The next byte that is not white space in JSON (RFC 8259 §2).
static inline size_t tapline_next_no_blank(const uint8_t *bytes, size_t at, size_t count) {
    return tapline_next(bytes, at, count, tapline_is_no_blank);
}

/// The bytes of a block that are of a kind together with the byte that follows each. The byte after
/// the last may be missing, which is a NUL. No kind starts with a NUL.
typedef tapline_block (*tapline_pair_kind)(tapline_block, tapline_block);

/// The last bytes of a text from `at` on, fewer than seventeen: a block that begins at `start`,
/// with NUL in place of the bytes before `at` and after the text.
static inline __attribute__((always_inline)) tapline_block
tapline_last_block(const uint8_t *bytes, size_t at, size_t count, size_t *start) {
    if (count >= 16) {
        const tapline_block places = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
        *start = count - 16;
        return *(const tapline_block *)(bytes + *start) & (tapline_block)(places >= (uint8_t)(at - *start));
    }
    *start = at;
    return tapline_short_block(bytes + at, count - at);
}

/// The bytes that follow those of the last block, with a NUL after the last.
static inline __attribute__((always_inline)) tapline_block tapline_shifted(tapline_block last) {
    return __builtin_shufflevector(
        last, (tapline_block){0}, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
}

/// The next byte of a pair kind.
static inline __attribute__((always_inline)) size_t
tapline_next_pair(const uint8_t *bytes, size_t at, size_t count, tapline_pair_kind kind) {
    while (count - at > 16) {
        tapline_block first = *(const tapline_block *)(bytes + at);
        tapline_block second = *(const tapline_block *)(bytes + at + 1);
        uint32_t bits = tapline_bits_of(kind(first, second));
        if (bits != 0) return at + (size_t)__builtin_ctz(bits);
        at += 16;
    }
    if (at == count) return count;
    size_t start;
    tapline_block last = tapline_last_block(bytes, at, count, &start);
    uint32_t bits = tapline_bits_of(kind(last, tapline_shifted(last)));
    return bits == 0 ? count : start + (size_t)__builtin_ctz(bits);
}

static inline tapline_block tapline_is_pair_mark(tapline_block b, tapline_block next) {
    tapline_block code = (tapline_block)((next == 'u') | (next == 'x') | (next == '\\'));
    return (tapline_block)((b == '=') | (b == ':') | (b == ';') | (b == ',') | (b == '|') | (b == '%'))
           | ((tapline_block)(b == '\\') & code);
}

/// The next byte that can separate a name from its value, or can begin its escape: a percent sign,
/// or a backslash followed by a code or by more backslashes.
static inline size_t tapline_next_pair_mark(const uint8_t *bytes, size_t at, size_t count) {
    return tapline_next_pair(bytes, at, count, tapline_is_pair_mark);
}

static inline tapline_block
tapline_is_pair_mark_or_blank(tapline_block b, tapline_block next) {
    return tapline_is_pair_mark(b, next) | (tapline_block)(b == ' ');
}

/// Does the same, and also stops at a blank.
static inline size_t
tapline_next_pair_mark_or_blank(const uint8_t *bytes, size_t at, size_t count) {
    return tapline_next_pair(bytes, at, count, tapline_is_pair_mark_or_blank);
}

static inline tapline_block tapline_is_option(tapline_block b, tapline_block next) {
    return (tapline_block)((b == '-') & ((next == '-') | ((next | 0x20) == 'u')));
}

/// Whether there is a dash followed by another dash or `u`.
static inline _Bool tapline_has_option(const uint8_t *bytes, size_t at, size_t count) {
    return tapline_next_pair(bytes, at, count, tapline_is_option) < count;
}

static inline tapline_block tapline_is_user_option(tapline_block b, tapline_block next) {
    return (tapline_block)((b == '-') & ((next | 0x20) == 'u'));
}

/// The next dash followed by `u`, as in `-u` and `--user`.
static inline size_t tapline_next_user_option(const uint8_t *bytes, size_t at, size_t count) {
    return tapline_next_pair(bytes, at, count, tapline_is_user_option);
}

static inline tapline_block tapline_is_stream_start(tapline_block b, tapline_block next) {
    tapline_block zlib = (tapline_block)((next == 0x01) | (next == 0x5E) | (next == 0x9C) | (next == 0xDA));
    return (tapline_block)(((b == 0x1F) & (next == 0x8B)) | ((b == 0x28) & (next == 0xB5)))
           | ((tapline_block)(b == 0x78) & zlib);
}

/// The next two bytes with which a stream in gzip (RFC 1952), zstd (RFC 8878) or zlib (RFC 1950) may
/// begin.
static inline size_t tapline_next_stream_start(const uint8_t *bytes, size_t at, size_t count) {
    return tapline_next_pair(bytes, at, count, tapline_is_stream_start);
}

static inline tapline_block tapline_is_string_mark(tapline_block b, tapline_block next) {
    return (tapline_block)((b == '\\') | ((next == '"') & ((b == '4') | (b == 'g'))));
}

/// The next backslash, or `4` or `g` before a quote, as in the JSON strings `base64` and `coding`.
static inline size_t tapline_next_string_mark(const uint8_t *bytes, size_t at, size_t count) {
    return tapline_next_pair(bytes, at, count, tapline_is_string_mark);
}

static inline tapline_block tapline_is_scheme(tapline_block b, tapline_block next) {
    b |= 0x20;
    next |= 0x20;
    return (tapline_block)(((b == 'b') & ((next == 'e') | (next == 'a'))) | ((b == 'j') & (next == 'w'))
                           | ((b == 'd') & (next == 'p')) | ((b == 'k') & (next == 'e')));
}

static inline tapline_block tapline_is_credential_mark(tapline_block b, tapline_block next) {
    return (tapline_block)((b == ',') | (b == '\n')) | tapline_is_scheme(b, next);
}

/// The next comma, line end, or two letters that may begin `Bearer`, `Basic`, `JWT` or `DPoP`, or
/// may be within `Token` and `ApiKey`.
static inline size_t tapline_next_credential_mark(const uint8_t *bytes, size_t at, size_t count) {
    return tapline_next_pair(bytes, at, count, tapline_is_credential_mark);
}

static inline tapline_block tapline_is_authority_end(tapline_block b) {
    return (tapline_block)((b <= ' ') | (b == '/') | (b == '?') | (b == '#') | (b == '"') | (b == '<')
                           | (b == '>') | (b == '\\') | (b == '%'));
}

/// The next byte that ends the authority of a URL, or that may begin an escape for one.
static inline size_t tapline_next_authority_end(const uint8_t *bytes, size_t at, size_t count) {
    return tapline_next(bytes, at, count, tapline_is_authority_end);
}

static inline tapline_block tapline_is_user_info_end(tapline_block b) {
    return (tapline_block)((b == '@') | (b == '\\') | (b == '%'));
}

/// The next at sign, or byte that may begin an escape for one.
static inline size_t tapline_next_user_info_end(const uint8_t *bytes, size_t at, size_t count) {
    return tapline_next(bytes, at, count, tapline_is_user_info_end);
}

static inline tapline_block tapline_is_name_hint(tapline_block b) {
    return (tapline_block)((b == '=') | (b == '@') | (b == '%') | (b == '{') | (b == '\\'));
}

static inline tapline_block tapline_is_text_quote(tapline_block b) {
    return (tapline_block)((b == '"') | (b == '\'') | (b == '`'));
}

/// The next quote that begins a text in code.
static inline size_t tapline_next_text_quote(const uint8_t *bytes, size_t at, size_t count) {
    return tapline_next(bytes, at, count, tapline_is_text_quote);
}

/// Hints that a text may contain names with values, or credentials.
enum {
    /// A byte that is used around names in URLs, forms and JSON.
    TAPLINE_HINT_NAME = 1,
    TAPLINE_HINT_COLON = 2,
    /// A dash followed by another dash or `u`.
    TAPLINE_HINT_OPTION = 4,
    /// A comma, a line end, or two letters of the name of a scheme.
    TAPLINE_HINT_CREDENTIAL = 8,
    /// A bracket followed by a quote: a text in a call, or in `config["name"]`.
    TAPLINE_HINT_CODE = 16,
    /// A line end.
    TAPLINE_HINT_LINE = 32,
    /// A quote that can begin a text in code.
    TAPLINE_HINT_QUOTE = 64,
};

/// The bytes of a block that are of each kind.
typedef struct {
    tapline_block name, colon, option, credential, code, line, quote;
} tapline_hint_blocks;

static inline __attribute__((always_inline)) void
tapline_add_hints(tapline_hint_blocks *all, tapline_block b, tapline_block next) {
    all->name |= tapline_is_name_hint(b);
    all->colon |= (tapline_block)(b == ':');
    all->option |= tapline_is_option(b, next);
    all->credential |= tapline_is_credential_mark(b, next);
    tapline_block quote = tapline_is_text_quote(next);
    all->code |= (tapline_block)((b == '(') | (b == '[')) & quote;
    all->quote |= quote;
    all->line |= (tapline_block)(b == '\n');
}

/// All hints of a text, as `TAPLINE_HINT_…` bits.
static inline uint32_t tapline_text_hints(const uint8_t *bytes, size_t at, size_t count) {
    tapline_hint_blocks all = {0};
    // Each block covers the quotes that follow its bytes; the first byte is added here.
    if (at < count) all.quote[0] = tapline_is_text_quote(bytes[at] - (tapline_block){0})[0];
    while (count - at > 16) {
        tapline_add_hints(&all, *(const tapline_block *)(bytes + at),
                          *(const tapline_block *)(bytes + at + 1));
        at += 16;
    }
    if (at < count) {
        size_t start;
        tapline_block last = tapline_last_block(bytes, at, count, &start);
        tapline_add_hints(&all, last, tapline_shifted(last));
    }
    // Most texts have no hints.
    tapline_block any = all.name | all.colon | all.option | all.credential | all.quote;
    if (tapline_bits_of(any) == 0) return 0;
    return (tapline_bits_of(all.name) ? TAPLINE_HINT_NAME : 0)
           | (tapline_bits_of(all.colon) ? TAPLINE_HINT_COLON : 0)
           | (tapline_bits_of(all.option) ? TAPLINE_HINT_OPTION : 0)
           | (tapline_bits_of(all.credential) ? TAPLINE_HINT_CREDENTIAL : 0)
           | (tapline_bits_of(all.code) ? TAPLINE_HINT_CODE : 0)
           | (tapline_bits_of(all.line) ? TAPLINE_HINT_LINE : 0)
           | (tapline_bits_of(all.quote) ? TAPLINE_HINT_QUOTE : 0);
}

static inline tapline_block tapline_is_non_text_control(tapline_block b) {
    tapline_block blank = (tapline_block)((b - '\t') <= '\r' - '\t');
    return (tapline_block)((b < ' ') & (b != 0x1B) & (b != 0x1E)) & ~blank;
}

/// The next control character that does not occur in text; blanks, line ends, terminal escapes and
/// the separators of JSON texts (RFC 7464) do.
static inline size_t tapline_next_non_text_control(const uint8_t *bytes, size_t at, size_t count) {
    return tapline_next(bytes, at, count, tapline_is_non_text_control);
}

static inline tapline_block tapline_is_non_timestamp(tapline_block b) {
    // The range from plus to colon contains a comma and a slash in addition to signs, points,
    // colons and digits.
    tapline_block sign = (tapline_block)(((b - '+') <= ':' - '+') & (b != ',') & (b != '/'));
    return (tapline_block) ~(sign | (tapline_block)((b == 'T') | (b == 'Z') | (b == ' ')));
}

/// The next byte that does not occur in a time such as `2026-11-20T14:03:00+01:00`.
static inline size_t tapline_next_non_timestamp(const uint8_t *bytes, size_t at, size_t count) {
    return tapline_next(bytes, at, count, tapline_is_non_timestamp);
}

static inline tapline_block tapline_is_path_end(tapline_block b) {
    return (tapline_block)((b <= ' ') | (b == '?') | (b == '#') | (b == '"') | (b == '\'') | (b == '<')
                           | (b == '>') | (b == '\\') | (b == '`') | (b == '&'));
}

/// The next byte that ends the path of a URL within a text: a question mark, a blank or a quote.
static inline size_t tapline_next_path_end(const uint8_t *bytes, size_t at, size_t count) {
    return tapline_next(bytes, at, count, tapline_is_path_end);
}

static inline tapline_block tapline_is_code_bracket(tapline_block b, tapline_block next) {
    return (tapline_block)((b == '(') | (b == '['))
           & (tapline_is_text_quote(next) | (tapline_block)(next == '&'));
}

/// Whether there is a bracket followed by a quote, or by the possible start of an HTML reference.
static inline _Bool tapline_has_code_bracket(const uint8_t *bytes, size_t at, size_t count) {
    return tapline_next_pair(bytes, at, count, tapline_is_code_bracket) < count;
}

static inline tapline_block tapline_is_code_sign(tapline_block b) {
    return (tapline_block)((b == '(') | (b == ')') | (b == '[') | (b == ']') | (b == '{') | (b == '}')
                           | (b == ';') | (b == '=') | (b == '|') | (b == '&'));
}

/// The number of brackets, semicolons and operator characters.
static inline size_t tapline_code_signs(const uint8_t *bytes, size_t at, size_t count) {
    size_t signs = 0;
    for (; count - at >= 16; at += 16) {
        signs += (size_t)__builtin_popcount(tapline_bits(bytes + at, tapline_is_code_sign));
    }
    while ((at = tapline_next(bytes, at, count, tapline_is_code_sign)) < count) {
        signs++;
        at++;
    }
    return signs;
}

static inline tapline_block tapline_is_parenthesis(tapline_block b) {
    return (tapline_block)(b == '(');
}

/// The next opening parenthesis.
static inline size_t tapline_next_parenthesis(const uint8_t *bytes, size_t at, size_t count) {
    return tapline_next(bytes, at, count, tapline_is_parenthesis);
}

#endif
