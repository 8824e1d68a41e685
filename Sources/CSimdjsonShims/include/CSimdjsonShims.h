// SPDX-License-Identifier: MIT

/// A flat JSON parser on top of simdjson, with a C interface.
///
/// simdjson's vectorised first stage finds every structural character, checks UTF-8 and finds
/// control characters inside strings. A walk over what it found checks the grammar and writes one
/// token for each value and each object key, in document order, into an arena that the parser owns
/// and uses again: once warm, a parse allocates nothing.
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
/// token after the whole value, so skipping costs nothing.
///
/// No function throws, keeps a pointer to its input past the next parse, or reads outside the
/// bytes it was given; no padding is needed. A parser belongs to one thread at a time.

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

/// What a token is. The numbers are part of the interface: Swift mirrors them.
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
    /// A string that had escapes: its bytes are in `strings`, not in the input.
    TAPLINE_JSON_ESCAPED = 1,
    /// A number with a fraction or an exponent.
    TAPLINE_JSON_REAL = 2
};

/// One value, or one key of an object.
typedef struct tapline_json_token {
    /// Where it begins in the input: a string at its first byte after the quote.
    uint32_t offset;
    /// Bytes: of a string after unescaping, of everything else as written in the input.
    uint32_t length;
    /// The index of the token that follows the whole value.
    uint32_t next;
    uint8_t kind;
    uint8_t flags;
    uint16_t reserved;
} tapline_json_token;

// Swift reads tokens as `JSONToken`, which compares its own layout at start.
TAPLINE_JSON_ASSERT(
    sizeof(tapline_json_token) == 16 && offsetof(tapline_json_token, length) == 4 &&
        offsetof(tapline_json_token, next) == 8 && offsetof(tapline_json_token, kind) == 12 &&
        offsetof(tapline_json_token, flags) == 13 && offsetof(tapline_json_token, reserved) == 14,
    "JSONToken of Swift has another layout");

/// Why a parse failed.
enum {
    TAPLINE_JSON_OK = 0,
    /// The input ends inside the document (an unfinished string, array, object or literal).
    TAPLINE_JSON_TRUNCATED = 1,
    /// No value at all.
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
    /// Something stands after the end of the document.
    TAPLINE_JSON_TRAILING = 13,
    TAPLINE_JSON_TOO_DEEP = 14,
    TAPLINE_JSON_TOO_LARGE = 15,
    TAPLINE_JSON_NO_MEMORY = 16,
    /// The simdjson that is loaded indexes documents in a way that is not known here.
    TAPLINE_JSON_UNKNOWN_LIBRARY = 17
};

/// What a parse gives. The pointers are good until the next parse or the parser's end.
typedef struct tapline_json_result {
    const tapline_json_token *tokens;
    uint32_t token_count;
    /// One of the codes above; when it is not OK there are no tokens.
    uint32_t error;
    /// Where in the input the error is.
    size_t error_offset;
    /// The base for strings that are `ESCAPED`: such a string's bytes are `strings + offset`.
    const uint8_t *strings;
} tapline_json_result;

typedef struct tapline_json_parser tapline_json_parser;

/// Makes a parser.
///
/// max_depth: how deep arrays and objects may nest (at least 1).
/// replace_surrogates: half a surrogate pair becomes U+FFFD instead of an error.
/// Returns NULL when there is no memory.
tapline_json_parser *tapline_json_parser_create(uint32_t max_depth, bool replace_surrogates);

void tapline_json_parser_destroy(tapline_json_parser *parser);

/// Parses one document of `length` bytes. White space around it is fine, anything else is not.
void tapline_json_parse(
    tapline_json_parser *parser, const uint8_t *bytes, size_t length,
    tapline_json_result *result);

/// Gives back the arena, when it can hold documents of more than `keep` bytes.
void tapline_json_parser_shrink(tapline_json_parser *parser, size_t keep);

/// The bytes of a token: unescaped for a string, as written for everything else.
static inline const uint8_t *tapline_json_bytes(
    const tapline_json_result *result, const uint8_t *input, const tapline_json_token *token) {
    return ((token->flags & TAPLINE_JSON_ESCAPED) ? result->strings : input) + token->offset;
}

/// Returns whether the simdjson that is loaded indexes a sample document as expected; tried once.
/// Every parse fails where it does not.
bool tapline_json_fits(void);

/// Returns whether this is the index that the sample document has to have.
bool tapline_json_is_sample_index(const uint32_t *index, size_t count);

/// The number of simdjson's implementations for this processor that index the sample in another way.
size_t tapline_json_unfit_kernels(void);

/// The nearest double of a number's text; false when it is too large for a double.
bool tapline_json_to_double(const uint8_t *text, size_t length, double *value);

/// Writes the shortest text that reads back as `value`, which must be finite; returns its length.
/// `text` must have room for 32 bytes.
size_t tapline_json_from_double(double value, uint8_t *text);

/// Whether bytes are valid UTF-8 (RFC 3629).
bool tapline_json_is_utf8(const uint8_t *bytes, size_t length);

#ifdef __cplusplus
}
#endif
