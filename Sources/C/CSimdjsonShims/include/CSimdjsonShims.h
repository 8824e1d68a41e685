// SPDX-License-Identifier: MIT

/// A flat JSON parser on top of simdjson, with a C interface.
///
/// simdjson's vectorized first stage finds every structural character, validates UTF-8 and detects
/// control characters inside strings. A walk over its index checks the grammar and writes one token
/// for each value and each object key, in document order, into an arena that the parser owns and
/// reuses: once warmed up, a parse does not allocate.
///
///     {"a":[1,"x"],"b":null}
///
///     token  kind    next     what
///     0      object  7        the whole document
///     1      string  2        key a
///     2      array   5
///     3      number  4        1
///     4      string  5        x
///     5      string  6        key b
///     6      null    7
///
/// To walk an object: `i = index + 1`, and while `i < tokens[index].next`: key `i`, value `i + 1`,
/// then `i = tokens[i + 1].next`. An array is the same without keys. `next` of any token is the
/// token after the whole value, so skipping a value is free.
///
/// No function throws, keeps a pointer to its input past the next parse, or reads outside its
/// input; no padding is needed. A parser may be used by one thread at a time.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define TAPLINE_JSON_ASSERT static_assert
#else
#define TAPLINE_JSON_ASSERT _Static_assert
#endif

/// The kinds of tokens. Swift mirrors the numbers.
enum {
    TAPLINE_JSON_NULL = 0,
    TAPLINE_JSON_FALSE = 1,
    TAPLINE_JSON_TRUE = 2,
    TAPLINE_JSON_NUMBER = 3,
    TAPLINE_JSON_STRING = 4,
    TAPLINE_JSON_ARRAY = 5,
    TAPLINE_JSON_OBJECT = 6
};

/// Flags of a token.
enum {
    /// A string with escapes, whose bytes are in `strings` instead of the input.
    TAPLINE_JSON_ESCAPED = 1,
    /// A number with a fraction or an exponent.
    TAPLINE_JSON_REAL = 2
};

/// One value, or one key of an object.
typedef struct tapline_json_token {
    /// The start in the input; of a string, its first byte after the quote.
    uint32_t offset;
    /// The number of bytes: of a string after unescaping, of everything else as written in the
    /// input.
    uint32_t length;
    /// The index of the token that follows the whole value.
    uint32_t next;
    uint8_t kind;
    uint8_t flags;
    uint16_t reserved;
} tapline_json_token;

// Swift reads tokens as `JSONToken`, which compares its layout at startup.
TAPLINE_JSON_ASSERT(
    sizeof(tapline_json_token) == 16 && offsetof(tapline_json_token, length) == 4 &&
        offsetof(tapline_json_token, next) == 8 && offsetof(tapline_json_token, kind) == 12 &&
        offsetof(tapline_json_token, flags) == 13 && offsetof(tapline_json_token, reserved) == 14,
    "JSONToken of Swift has a different layout");

/// Why a parse failed.
enum {
    TAPLINE_JSON_OK = 0,
    /// The input ends within the document (an incomplete string, array, object or literal).
    TAPLINE_JSON_TRUNCATED = 1,
    /// There is no value.
    TAPLINE_JSON_EMPTY = 2,
    TAPLINE_JSON_BAD_UTF8 = 3,
    /// A control character inside a string.
    TAPLINE_JSON_BAD_CONTROL = 4,
    TAPLINE_JSON_BAD_ESCAPE = 5,
    /// Half a surrogate pair.
    TAPLINE_JSON_BAD_SURROGATE = 6,
    TAPLINE_JSON_BAD_NUMBER = 7,
    TAPLINE_JSON_BAD_LITERAL = 8,
    TAPLINE_JSON_EXPECTED_VALUE = 9,
    TAPLINE_JSON_EXPECTED_KEY = 10,
    TAPLINE_JSON_EXPECTED_COLON = 11,
    TAPLINE_JSON_EXPECTED_COMMA = 12,
    /// There is text after the end of the document.
    TAPLINE_JSON_TRAILING = 13,
    TAPLINE_JSON_TOO_DEEP = 14,
    TAPLINE_JSON_TOO_LARGE = 15,
    TAPLINE_JSON_NO_MEMORY = 16,
    /// The loaded simdjson produces an unknown index format.
    TAPLINE_JSON_UNKNOWN_LIBRARY = 17
};

/// The result of a parse. The pointers are valid until the next parse or the end of the parser.
typedef struct tapline_json_result {
    const tapline_json_token *tokens;
    uint32_t token_count;
    /// One of the codes above; there are tokens only if it is OK.
    uint32_t error;
    /// The offset of the error in the input.
    size_t error_offset;
    /// The base for strings that are `ESCAPED`, whose bytes are at `strings + offset`.
    const uint8_t *strings;
} tapline_json_result;

typedef struct tapline_json_parser tapline_json_parser;

/// Creates a parser.
///
/// max_depth: the maximum nesting depth of arrays and objects (at least 1).
/// replace_surrogates: half a surrogate pair becomes U+FFFD instead of an error.
/// Returns NULL if memory is exhausted.
tapline_json_parser *tapline_json_parser_create(uint32_t max_depth, bool replace_surrogates);

void tapline_json_parser_destroy(tapline_json_parser *parser);

/// Parses one document of `length` bytes, which only white space may surround.
void tapline_json_parse(
    tapline_json_parser *parser, const uint8_t *bytes, size_t length,
    tapline_json_result *result);

/// Frees the arena if it can hold documents of more than `keep` bytes.
void tapline_json_parser_shrink(tapline_json_parser *parser, size_t keep);

/// The bytes of a token: unescaped for a string, as written for all other kinds.
static inline const uint8_t *tapline_json_bytes(
    const tapline_json_result *result, const uint8_t *input, const tapline_json_token *token) {
    return ((token->flags & TAPLINE_JSON_ESCAPED) ? result->strings : input) + token->offset;
}

/// Returns whether the loaded simdjson indexes a sample document as expected, which is tested once.
/// If it does not, every parse fails.
bool tapline_json_fits(void);

/// Returns whether an index is the expected index of the sample document.
bool tapline_json_is_sample_index(const uint32_t *index, size_t count);

/// The number of simdjson's implementations for this processor that index the sample differently.
size_t tapline_json_failing_kernels(void);

/// Converts a number's text to the nearest double; returns false if it is too large for a double.
bool tapline_json_to_double(const uint8_t *text, size_t length, double *value);

/// Writes the shortest text that reads back as `value`, which must be finite; returns its length.
/// `text` must have room for 32 bytes.
size_t tapline_json_from_double(double value, uint8_t *text);

/// Whether bytes are valid UTF-8 (RFC 3629).
bool tapline_json_is_utf8(const uint8_t *bytes, size_t length);

#ifdef __cplusplus
}
#endif
