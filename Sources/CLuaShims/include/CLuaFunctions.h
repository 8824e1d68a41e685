// SPDX-License-Identifier: MIT

/// The functions of Swift that libraries of scripts call, so that each format has one reader and one
/// writer.
///
/// C has checked the arguments and charged the script's budget before it calls one of these. A
/// function raises nothing, calls nothing in this module, keeps no pointer, and has returned before C
/// goes on. Where it makes bytes, it writes them into `room`, whose least size is stated with the
/// function, and returns how many it wrote. Any thread that runs a state may call.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Bytes that somebody else owns.
typedef struct tapline_lua_bytes {
    const uint8_t *bytes;
    size_t count;
} tapline_lua_bytes;

/// A name and, right after it, its value. Swift lends `FieldSection.Entry` as this, and compares
/// the layouts at start (`EntryLayout`).
typedef struct tapline_lua_entry {
    uint32_t start;
    uint32_t name_count;
    uint32_t value_count;
} tapline_lua_entry;

_Static_assert(
    sizeof(tapline_lua_entry) == 12 && _Alignof(tapline_lua_entry) == 4 &&
        offsetof(tapline_lua_entry, start) == 0 && offsetof(tapline_lua_entry, name_count) == 4 &&
        offsetof(tapline_lua_entry, value_count) == 8,
    "FieldSection.Entry of Swift has another layout");

/// Names and values in order: header fields, tags, variables.
typedef struct tapline_lua_section {
    tapline_lua_bytes bytes;
    const tapline_lua_entry *entries;
    size_t count;
} tapline_lua_section;

/// The parts of a request target, one after the other; the query is without the question mark, the
/// fragment with the number sign.
typedef struct tapline_lua_target {
    /// Scheme and authority of an absolute-form; otherwise empty.
    tapline_lua_bytes prefix;
    tapline_lua_bytes path, query, fragment;
    bool has_query;
} tapline_lua_target;

typedef struct tapline_lua_authority {
    tapline_lua_bytes host;
    /// What follows the host, with its colon.
    tapline_lua_bytes rest;
    /// The port that is named, or that of the scheme; -1 if there is none.
    int64_t port;
} tapline_lua_authority;

typedef struct tapline_lua_cookie {
    tapline_lua_bytes name, value;
    bool has_value;
} tapline_lua_cookie;

/// A part of a multipart body, by offsets.
typedef struct tapline_lua_part {
    /// Where its head begins, with the rest of the delimiter's line.
    size_t head;
    /// The content.
    size_t start, end;
} tapline_lua_part;

/// The most bytes of a message that are kept.
enum { TAPLINE_LUA_MESSAGE_BYTES = 1024 };

/// What is read of a part's head.
enum {
    TAPLINE_LUA_PART_NAME = 0,
    TAPLINE_LUA_PART_FILENAME = 1,
    TAPLINE_LUA_PART_CONTENT_TYPE = 2
};

/// What a media type says, a bit each.
enum {
    TAPLINE_LUA_MEDIA_JSON = 1,
    TAPLINE_LUA_MEDIA_FORM = 2,
    TAPLINE_LUA_MEDIA_MULTIPART = 4
};
/// The parts of a URI or of a relative reference, without their delimiters; one that is absent is not the
/// same as an empty one.
typedef struct tapline_lua_uri {
    tapline_lua_bytes scheme, authority, path, query, fragment;
    bool has_scheme, has_authority, has_query, has_fragment;
} tapline_lua_uri;

/// Room that the functions for JSON need: for a number, and beyond the bytes of a string.
enum { TAPLINE_LUA_JSON_NUMBER = 32, TAPLINE_LUA_JSON_SLACK = 128 };

/// The forms in which a hash is written.
enum {
    TAPLINE_LUA_HEX = 0,
    TAPLINE_LUA_RAW = 1,
    TAPLINE_LUA_BASE64 = 2,
    TAPLINE_LUA_BASE64_URL = 3,
};

/// The most bytes of a hash in any form.
enum { TAPLINE_LUA_HASH_BYTES = 128 };

typedef struct tapline_lua_functions {
    // The names in the text of a script, and messages without what it computed.

    /// What the functions of this group get; lives as long as the state.
    void *words;
    void (*words_clear)(void *words);
    /// Notes the names in a text, and those of the modules that it requires by a literal.
    void (*words_note)(void *words, tapline_lua_bytes text);
    bool (*words_require)(void *words, tapline_lua_bytes module);
    /// Writes a message of Lua without values, into room for `TAPLINE_LUA_MESSAGE_BYTES`.
    size_t (*message_clean)(
        void *words, tapline_lua_bytes message, bool is_syntax, uint8_t *room);

    // Percent-encoding (RFC 3986 §2.1).

    /// Decodes into as many bytes as the text has at most; a plus sign becomes a space where asked for.
    size_t (*percent_decode)(tapline_lua_bytes text, bool plus_is_space, uint8_t *room);
    /// Encodes all but unreserved characters into at most three times as many bytes.
    size_t (*percent_encode)(tapline_lua_bytes text, uint8_t *room);

    // Request targets (RFC 9112 §3.2) and authorities (RFC 3986 §3.2).

    tapline_lua_target (*target_split)(tapline_lua_bytes target);
    tapline_lua_authority (*authority_split)(tapline_lua_bytes authority, tapline_lua_bytes scheme);
    /// Writes the URL of a request: at most all of its parts and 4 bytes more.
    size_t (*url_write)(
        tapline_lua_bytes method, tapline_lua_bytes scheme, tapline_lua_bytes authority,
        tapline_lua_bytes target, uint8_t *room);

    // Queries and forms (WHATWG URL §5). Names and values are given as written; a position moves to
    // the next item.

    /// Returns false at the end.
    bool (*query_next)(
        tapline_lua_bytes query, size_t *position, tapline_lua_bytes *name, tapline_lua_bytes *value);
    /// The next item whose decoded name is the one that is wanted; returns false if there is none.
    bool (*query_find)(
        tapline_lua_bytes query, size_t *position, tapline_lua_bytes wanted, tapline_lua_bytes *value);
    /// Writes the query anew: the first item of the name gets the value, or goes where that is NULL;
    /// further ones go. With `adds` another item follows all others. At most the bytes of the query,
    /// three times those of name and value, and 2.
    size_t (*query_write)(
        tapline_lua_bytes query, tapline_lua_bytes name, const tapline_lua_bytes *value, bool adds,
        uint8_t *room);

    // Cookie, Set-Cookie and its attributes (RFC 6265 §5.2).

    /// The next pair of a field; returns false at the end.
    bool (*cookie_next)(tapline_lua_bytes field, size_t *position, tapline_lua_cookie *pair);

    // Content and the fields that describe it.

    /// Writes the fields of a message that gets other content on the wire: at most one entry and 64
    /// bytes more than it has. Returns the number of entries, and that of bytes in `count`.
    size_t (*content_replace)(
        const tapline_lua_section *fields, bool is_request, int64_t status, size_t size,
        tapline_lua_entry *entries, uint8_t *room, size_t *count);
    /// Whether an answer of a status may have content.
    bool (*content_allows)(int64_t status);

    // Content types and multipart bodies (RFC 9110 §8.3, RFC 2046 §5.1, RFC 7578).

    /// What the value of Content-Type says, as bits.
    uint32_t (*media_kinds)(tapline_lua_bytes content_type);
    /// Writes the delimiter that a Content-Type names: at most its bytes and 2; returns 0 if it names
    /// none.
    size_t (*multipart_delimiter)(tapline_lua_bytes content_type, uint8_t *room);
    /// Finds the parts of a body and where its last delimiter begins. Writes as many as there is room
    /// for, and returns how many there are; -1 if the body is not what its delimiter promises.
    ptrdiff_t (*multipart_split)(
        tapline_lua_bytes delimiter, tapline_lua_bytes body, tapline_lua_part *parts, size_t capacity,
        size_t *close);
    bool (*multipart_has_delimiter)(tapline_lua_bytes delimiter, tapline_lua_bytes text);
    /// Writes what the head of a part says: at most its bytes; returns -1 if it says nothing.
    ptrdiff_t (*multipart_value)(tapline_lua_bytes head, int32_t what, uint8_t *room);
    /// Writes the fields of a part's head, names in small letters: at most its bytes, and one entry for
    /// every two bytes.
    size_t (*multipart_fields)(
        tapline_lua_bytes head, tapline_lua_entry *entries, uint8_t *room);

    // Base64 (RFC 4648 §4 and §5).

    /// Encodes into four bytes for each three that are begun, in the alphabet for URLs where asked for.
    size_t (*base64_encode)(tapline_lua_bytes value, bool url, bool pads, uint8_t *room);
    /// Decodes a text of either alphabet, padded or not, into three bytes for each four, and three more;
    /// returns -1 for another text.
    ptrdiff_t (*base64_decode)(tapline_lua_bytes text, uint8_t *room);

    // Moments, in microseconds since 1970.

    /// Reads RFC 3339 text or the date of HTTP fields; returns false for another text.
    bool (*time_read)(tapline_lua_bytes text, int64_t *microseconds);
    /// Writes RFC 3339 text, with three digits of fraction or none where these are enough, into 32 bytes.
    size_t (*time_write)(int64_t microseconds, uint8_t *room);
    /// Writes the date of HTTP fields into 32 bytes.
    size_t (*time_write_http)(int64_t microseconds, uint8_t *room);

    // Hashes: MD5, SHA-1, SHA-256, SHA-384 and SHA-512 by the numbers 0 to 4.

    /// Writes the hash of bytes in a form into `TAPLINE_LUA_HASH_BYTES`.
    size_t (*hash)(int32_t algorithm, tapline_lua_bytes value, int32_t form, uint8_t *room);
    /// Writes the authentication code of bytes (RFC 2104) likewise.
    size_t (*hash_with_key)(
        int32_t algorithm, tapline_lua_bytes key, tapline_lua_bytes value, int32_t form,
        uint8_t *room);
    /// Whether both are the same, in a time that depends on their number alone.
    bool (*equal_in_constant_time)(tapline_lua_bytes left, tapline_lua_bytes right);

    // URIs and relative references (RFC 3986).

    tapline_lua_uri (*uri_split)(tapline_lua_bytes text);
    /// Writes parts in order: at most their bytes and 5 more.
    size_t (*uri_write)(const tapline_lua_uri *parts, uint8_t *room);
    /// Writes what a reference stands for in a document with a base URI: at most the bytes of both and
    /// 1 more; returns -1 if the base has no scheme.
    ptrdiff_t (*uri_resolve)(tapline_lua_bytes reference, tapline_lua_bytes base, uint8_t *room);

    // Fields and status codes (RFC 9110 §5 and §15).

    /// The position of the first byte that a token may not hold, or the count.
    size_t (*token_end)(tapline_lua_bytes name);
    /// The position of the first byte that would end a field, or the count.
    size_t (*field_end)(tapline_lua_bytes value);
    /// The registered reason phrase, or an empty one; never freed.
    tapline_lua_bytes (*reason_of)(int64_t status);

    // The JSON of strings and numbers (RFC 8259 §6 and §7).

    /// Writes the content of a string from a position on, which moves to where the room ended: it has as
    /// many bytes as are left of the text, and `TAPLINE_LUA_JSON_SLACK` more, at least. Returns -1 if the
    /// text is not UTF-8.
    ptrdiff_t (*json_escape)(
        tapline_lua_bytes text, size_t *position, uint8_t *room, size_t capacity);
    /// Write a number, the second one finite, into `TAPLINE_LUA_JSON_NUMBER` bytes.
    size_t (*json_integer)(int64_t value, uint8_t *room);
    size_t (*json_double)(double value, uint8_t *room);
} tapline_lua_functions;
