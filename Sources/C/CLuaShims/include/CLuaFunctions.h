// SPDX-License-Identifier: MIT

/// The Swift functions that the script libraries call, so that each format has a single reader and
/// writer.
///
/// C checks the arguments and charges the script's budget before it calls a function. The functions
/// raise no errors, call nothing in this module and keep no pointers. A function that produces
/// bytes writes them into `room`, whose minimum size is documented with the function, and returns
/// their number. They may be called from any thread that runs a state.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Bytes that are not owned.
typedef struct tapline_lua_bytes {
    const uint8_t *bytes;
    size_t count;
} tapline_lua_bytes;

/// A name directly followed by its value. Swift lends `FieldSection.Entry` as this type, and
/// compares the layouts at startup (`EntryLayout`).
typedef struct tapline_lua_entry {
    uint32_t start;
    uint32_t name_count;
    uint32_t value_count;
} tapline_lua_entry;

_Static_assert(
    sizeof(tapline_lua_entry) == 12 && _Alignof(tapline_lua_entry) == 4 &&
        offsetof(tapline_lua_entry, start) == 0 && offsetof(tapline_lua_entry, name_count) == 4 &&
        offsetof(tapline_lua_entry, value_count) == 8,
    "FieldSection.Entry of Swift has a different layout");

/// Names and values in order: header fields, tags, variables.
typedef struct tapline_lua_section {
    tapline_lua_bytes bytes;
    const tapline_lua_entry *entries;
    size_t count;
} tapline_lua_section;

/// The consecutive parts of a request target; the query excludes the question mark, the fragment
/// includes the number sign.
typedef struct tapline_lua_target {
    /// Scheme and authority of a target in absolute-form; otherwise empty.
    tapline_lua_bytes prefix;
    tapline_lua_bytes path, query, fragment;
    bool has_query;
} tapline_lua_target;

typedef struct tapline_lua_authority {
    tapline_lua_bytes host;
    /// The text after the host, including the colon.
    tapline_lua_bytes rest;
    /// The explicit port, or the default port of the scheme; -1 if there is none.
    int64_t port;
} tapline_lua_authority;

typedef struct tapline_lua_cookie {
    tapline_lua_bytes name, value;
    bool has_value;
} tapline_lua_cookie;

/// The offsets of a part of a multipart body.
typedef struct tapline_lua_part {
    /// The start of its head, which includes the rest of the delimiter's line.
    size_t head;
    /// The range of its content.
    size_t start, end;
} tapline_lua_part;

/// The maximum number of bytes of a message that are kept.
enum { TAPLINE_LUA_MESSAGE_BYTES = 1024 };

/// The values that can be read from a part's head.
enum {
    TAPLINE_LUA_PART_NAME = 0,
    TAPLINE_LUA_PART_FILENAME = 1,
    TAPLINE_LUA_PART_CONTENT_TYPE = 2
};

/// The kinds of media types, one bit each.
enum {
    TAPLINE_LUA_MEDIA_JSON = 1,
    TAPLINE_LUA_MEDIA_FORM = 2,
    TAPLINE_LUA_MEDIA_MULTIPART = 4
};
/// The parts of a URI or of a relative reference, without their delimiters. An absent part differs
/// from an empty one.
typedef struct tapline_lua_uri {
    tapline_lua_bytes scheme, authority, path, query, fragment;
    bool has_scheme, has_authority, has_query, has_fragment;
} tapline_lua_uri;

/// The buffer sizes of the JSON functions: for a number, and in addition to the bytes of a string.
enum { TAPLINE_LUA_JSON_NUMBER = 32, TAPLINE_LUA_JSON_SLACK = 128 };

/// The output forms of a hash.
enum {
    TAPLINE_LUA_HEX = 0,
    TAPLINE_LUA_RAW = 1,
    TAPLINE_LUA_BASE64 = 2,
    TAPLINE_LUA_BASE64_URL = 3,
};

/// The maximum size of a hash in any form, in bytes.
enum { TAPLINE_LUA_HASH_BYTES = 128 };

typedef struct tapline_lua_functions {
    // The names in the text of a script, and messages without values that it computed.

    /// The first argument of the functions in this group; lives as long as the state.
    void *words;
    void (*words_clear)(void *words);
    /// Notes the names in a text and the modules that it requires with a literal.
    void (*words_note)(void *words, tapline_lua_bytes text);
    bool (*words_require)(void *words, tapline_lua_bytes module);
    /// Writes a message of Lua without values; `room` has `TAPLINE_LUA_MESSAGE_BYTES` bytes.
    size_t (*message_clean)(
        void *words, tapline_lua_bytes message, bool is_syntax, uint8_t *room);

    // Percent-encoding (RFC 3986 §2.1).

    /// Decodes into at most the size of the text; a plus sign becomes a space if requested.
    size_t (*percent_decode)(tapline_lua_bytes text, bool plus_is_space, uint8_t *room);
    /// Encodes all but unreserved characters into at most three times the size of the text.
    size_t (*percent_encode)(tapline_lua_bytes text, uint8_t *room);

    // Request targets (RFC 9112 §3.2) and authorities (RFC 3986 §3.2).

    tapline_lua_target (*target_split)(tapline_lua_bytes target);
    tapline_lua_authority (*authority_split)(tapline_lua_bytes authority, tapline_lua_bytes scheme);
    /// Writes the URL of a request: at most the size of all parts plus 4 bytes.
    size_t (*url_write)(
        tapline_lua_bytes method, tapline_lua_bytes scheme, tapline_lua_bytes authority,
        tapline_lua_bytes target, uint8_t *room);

    // Queries and forms (WHATWG URL §5). Names and values are returned undecoded; a position
    // advances to the next item.

    /// Reads the next item; returns false at the end.
    bool (*query_next)(
        tapline_lua_bytes query, size_t *position, tapline_lua_bytes *name, tapline_lua_bytes *value);
    /// Finds the next item with a decoded name; returns false if there is none.
    bool (*query_find)(
        tapline_lua_bytes query, size_t *position, tapline_lua_bytes wanted, tapline_lua_bytes *value);
    /// Rewrites the query: the first item of the name gets the value, or is removed if the value is
    /// NULL; further items of the name are removed. With `adds` an item is appended instead. Writes
    /// at most the size of the query, three times the sizes of name and value, and 2 bytes.
    size_t (*query_write)(
        tapline_lua_bytes query, tapline_lua_bytes name, const tapline_lua_bytes *value, bool adds,
        uint8_t *room);

    // Cookie, Set-Cookie and its attributes (RFC 6265 §5.2).

    /// Reads the next pair of a field; returns false at the end.
    bool (*cookie_next)(tapline_lua_bytes field, size_t *position, tapline_lua_cookie *pair);

    // Content and the fields that describe the content.

    /// Writes the fields of a message whose content is replaced on the wire: at most one entry and
    /// 64 bytes more than before. Returns the number of entries, and the number of bytes in
    /// `count`.
    size_t (*content_replace)(
        const tapline_lua_section *fields, bool is_request, int64_t status, size_t size,
        tapline_lua_entry *entries, uint8_t *room, size_t *count);
    /// Whether a response with a status may have content.
    bool (*content_allows)(int64_t status);

    // Content types and multipart bodies (RFC 9110 §8.3, RFC 2046 §5.1, RFC 7578).

    /// The kinds of the media type in a Content-Type value, as bits.
    uint32_t (*media_kinds)(tapline_lua_bytes content_type);
    /// Writes the delimiter for the boundary in a Content-Type: at most its size plus 2 bytes;
    /// returns 0 if there is no boundary.
    size_t (*multipart_delimiter)(tapline_lua_bytes content_type, uint8_t *room);
    /// Finds the parts of a body and the start of its last delimiter. Writes as many parts as fit,
    /// and returns their total number; -1 if the body is malformed.
    ptrdiff_t (*multipart_split)(
        tapline_lua_bytes delimiter, tapline_lua_bytes body, tapline_lua_part *parts, size_t capacity,
        size_t *close);
    bool (*multipart_has_delimiter)(tapline_lua_bytes delimiter, tapline_lua_bytes text);
    /// Writes a value from the head of a part: at most the size of the head; returns -1 if it is
    /// absent.
    ptrdiff_t (*multipart_value)(tapline_lua_bytes head, int32_t what, uint8_t *room);
    /// Writes the fields of a part's head, with lowercase names: at most the size of the head, and
    /// one entry for every two bytes.
    size_t (*multipart_fields)(
        tapline_lua_bytes head, tapline_lua_entry *entries, uint8_t *room);

    // Base64 (RFC 4648 §4 and §5).

    /// Encodes each started group of three bytes as four bytes, in the alphabet for URLs if
    /// requested.
    size_t (*base64_encode)(tapline_lua_bytes value, bool url, bool pads, uint8_t *room);
    /// Decodes text in either alphabet, padded or not, into three bytes for every four, plus three;
    /// returns -1 if the text is not base64.
    ptrdiff_t (*base64_decode)(tapline_lua_bytes text, uint8_t *room);

    // Times, in microseconds since 1970.

    /// Reads RFC 3339 text or an HTTP date; returns false for any other text.
    bool (*time_read)(tapline_lua_bytes text, int64_t *microseconds);
    /// Writes RFC 3339 text into 32 bytes, with no or three fractional digits if these are
    /// sufficient.
    size_t (*time_write)(int64_t microseconds, uint8_t *room);
    /// Writes an HTTP date into 32 bytes.
    size_t (*time_write_http)(int64_t microseconds, uint8_t *room);

    // Hashes: MD5, SHA-1, SHA-256, SHA-384 and SHA-512 have the numbers 0 to 4.

    /// Writes the hash of bytes in a form into `TAPLINE_LUA_HASH_BYTES` bytes.
    size_t (*hash)(int32_t algorithm, tapline_lua_bytes value, int32_t form, uint8_t *room);
    /// Writes the authentication code of bytes (RFC 2104) in the same way.
    size_t (*hash_with_key)(
        int32_t algorithm, tapline_lua_bytes key, tapline_lua_bytes value, int32_t form,
        uint8_t *room);
    /// Whether both are equal; the time depends only on their sizes.
    bool (*equal_in_constant_time)(tapline_lua_bytes left, tapline_lua_bytes right);

    // URIs and relative references (RFC 3986).

    tapline_lua_uri (*uri_split)(tapline_lua_bytes text);
    /// Writes the parts in order: at most their total size plus 5 bytes.
    size_t (*uri_write)(const tapline_lua_uri *parts, uint8_t *room);
    /// Resolves a reference against a base URI: at most the size of both plus 1 byte; returns -1 if
    /// the base has no scheme.
    ptrdiff_t (*uri_resolve)(tapline_lua_bytes reference, tapline_lua_bytes base, uint8_t *room);

    // Fields and status codes (RFC 9110 §5 and §15).

    /// The position of the first byte that is not allowed in a token, or the count.
    size_t (*token_end)(tapline_lua_bytes name);
    /// The position of the first byte that is not allowed in a field value, or the count.
    size_t (*field_end)(tapline_lua_bytes value);
    /// The registered reason phrase, or an empty one; static.
    tapline_lua_bytes (*reason_of)(int64_t status);

    // Strings and numbers in JSON (RFC 8259 §6 and §7).

    /// Writes the content of a string from a position, and advances the position to the first byte
    /// that did not fit. `room` has at least the size of the remaining text plus
    /// `TAPLINE_LUA_JSON_SLACK` bytes. Returns -1 if the text is not UTF-8.
    ptrdiff_t (*json_escape)(
        tapline_lua_bytes text, size_t *position, uint8_t *room, size_t capacity);
    /// Writes a number into `TAPLINE_LUA_JSON_NUMBER` bytes; a floating-point number must be
    /// finite.
    size_t (*json_integer)(int64_t value, uint8_t *room);
    size_t (*json_double)(double value, uint8_t *room);
} tapline_lua_functions;
