// SPDX-License-Identifier: MIT

#include "walk.h"

#include <cstring>

namespace tapline {

bool Arena::prepare(uint32_t depth, bool replace) noexcept {
    open = static_cast<uint32_t *>(std::malloc(sizeof(uint32_t) * depth));
    max_depth = depth;
    replace_surrogates = replace;
    return open != nullptr;
}

bool Arena::reserve_tokens(size_t count) noexcept {
    if (count <= token_capacity) { return true; }
    size_t capacity = token_capacity < 256 ? 256 : token_capacity;
    while (capacity < count) { capacity *= 2; }
    std::free(tokens);
    tokens = static_cast<tapline_json_token *>(std::malloc(sizeof(tapline_json_token) * capacity));
    token_capacity = tokens == nullptr ? 0 : capacity;
    return tokens != nullptr;
}

bool Arena::reserve_strings(size_t count) noexcept {
    if (count <= string_capacity) { return true; }
    size_t capacity = string_capacity < 4096 ? 4096 : string_capacity;
    while (capacity < count) { capacity *= 2; }
    std::free(strings);
    strings = static_cast<uint8_t *>(std::malloc(capacity));
    string_capacity = strings == nullptr ? 0 : capacity;
    return strings != nullptr;
}

void Arena::release() noexcept {
    std::free(tokens);
    std::free(strings);
    tokens = nullptr;
    strings = nullptr;
    token_capacity = 0;
    string_capacity = 0;
}

namespace {

inline bool is_space(uint8_t byte) noexcept {
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

/// Everything is inlined into one function, so that the state stays in registers.
#define TAPLINE_INLINE inline __attribute__((always_inline))

/// One walk over the structural characters of a document.
class Walk {
public:
    Walk(
        Arena &arena, const uint8_t *bytes, size_t length, const uint32_t *index,
        size_t index_count) noexcept
        : arena(arena), bytes(bytes), length(length), index(index),
          index_end(index + index_count), tokens(arena.tokens) {}

    TAPLINE_INLINE uint32_t run() noexcept;

    uint32_t token_count = 0;
    size_t error_offset = 0;

private:
    TAPLINE_INLINE uint32_t fail(uint32_t code, size_t offset) noexcept;
    TAPLINE_INLINE uint32_t unexpected(uint32_t code) noexcept;
    TAPLINE_INLINE uint32_t scalar() noexcept;
    TAPLINE_INLINE uint32_t string() noexcept;
    TAPLINE_INLINE uint32_t unescape(tapline_json_token &token, size_t end) noexcept;
    TAPLINE_INLINE uint32_t number(size_t end) noexcept;
    TAPLINE_INLINE uint32_t literal(
        size_t end, const char *text, size_t count, uint8_t kind) noexcept;
    TAPLINE_INLINE size_t scalar_end() const noexcept;
    TAPLINE_INLINE bool at_end() const noexcept { return index == index_end; }
    TAPLINE_INLINE uint8_t current() const noexcept { return bytes[*index]; }

    Arena &arena;
    const uint8_t *bytes;
    size_t length;
    const uint32_t *index;
    const uint32_t *index_end;
    tapline_json_token *tokens;
    /// The next backslash; strings that end before it need no scan.
    size_t next_escape = 0;
};

uint32_t Walk::fail(uint32_t code, size_t offset) noexcept {
    error_offset = offset;
    return code;
}

/// The error for an unexpected character; at the end of the input the document is truncated.
uint32_t Walk::unexpected(uint32_t code) noexcept {
    return at_end() ? fail(TAPLINE_JSON_TRUNCATED, length) : fail(code, *index);
}

/// The end of the scalar that begins at the current index, before any white space that follows it.
size_t Walk::scalar_end() const noexcept {
    size_t end = index + 1 == index_end ? length : index[1];
    while (is_space(bytes[end - 1])) { end -= 1; }
    return end;
}

uint32_t Walk::string() noexcept {
    size_t start = static_cast<size_t>(*index) + 1;
    // The first stage has paired the quotes, so the last character before the next structural
    // character is this string's closing quote.
    size_t end = scalar_end() - 1;
    if (end < start || bytes[end] != '"') { return fail(TAPLINE_JSON_EXPECTED_COMMA, end); }
    auto &token = tokens[token_count];
    token_count += 1;
    token = {
        static_cast<uint32_t>(start), static_cast<uint32_t>(end - start), token_count,
        TAPLINE_JSON_STRING, 0, 0,
    };
    index += 1;
    if (next_escape >= end) { return TAPLINE_JSON_OK; }
    if (next_escape < start) {
        auto *found = static_cast<const uint8_t *>(memchr(bytes + start, '\\', length - start));
        next_escape = found == nullptr ? length : static_cast<size_t>(found - bytes);
        if (next_escape >= end) { return TAPLINE_JSON_OK; }
    }
    return unescape(token, end);
}

uint32_t Walk::unescape(tapline_json_token &token, size_t end) noexcept {
    if (!arena.reserve_strings(length)) { return fail(TAPLINE_JSON_NO_MEMORY, token.offset); }
    auto done = tapline::unescape(
        bytes, token.offset, end, arena.strings + token.offset, arena.replace_surrogates);
    if (done.error != TAPLINE_JSON_OK) { return fail(done.error, done.where); }
    token.length = static_cast<uint32_t>(done.count);
    token.flags = TAPLINE_JSON_ESCAPED;
    return TAPLINE_JSON_OK;
}

uint32_t Walk::number(size_t end) noexcept {
    const size_t start = *index;
    size_t at = start;
    auto digits = [&]() noexcept {
        const size_t first = at;
        while (at < end && static_cast<uint8_t>(bytes[at] - '0') < 10) { at += 1; }
        return at > first;
    };
    // RFC 8259 section 6: number = [ minus ] int [ frac ] [ exp ]
    if (bytes[at] == '-') { at += 1; }
    uint8_t flags = 0;
    bool good = true;
    if (at < end && bytes[at] == '0') {
        at += 1;
    } else {
        good = digits();
    }
    if (good && at < end && bytes[at] == '.') {
        at += 1;
        flags = TAPLINE_JSON_REAL;
        good = digits();
    }
    if (good && at < end && (bytes[at] | 0x20) == 'e') {
        at += 1;
        flags = TAPLINE_JSON_REAL;
        if (at < end && (bytes[at] == '+' || bytes[at] == '-')) { at += 1; }
        good = digits();
    }
    if (!good || at != end) {
        return at == length ? fail(TAPLINE_JSON_TRUNCATED, at) : fail(TAPLINE_JSON_BAD_NUMBER, at);
    }
    auto &token = tokens[token_count];
    token_count += 1;
    token = {
        static_cast<uint32_t>(start), static_cast<uint32_t>(end - start), token_count,
        TAPLINE_JSON_NUMBER, flags, 0,
    };
    index += 1;
    return TAPLINE_JSON_OK;
}

uint32_t Walk::literal(size_t end, const char *text, size_t count, uint8_t kind) noexcept {
    const size_t start = *index;
    if (end - start != count || memcmp(bytes + start, text, count) != 0) {
        const bool cut = end == length && end - start < count
            && memcmp(bytes + start, text, end - start) == 0;
        return cut ? fail(TAPLINE_JSON_TRUNCATED, length) : fail(TAPLINE_JSON_BAD_LITERAL, start);
    }
    auto &token = tokens[token_count];
    token_count += 1;
    token = {
        static_cast<uint32_t>(start), static_cast<uint32_t>(count), token_count, kind, 0, 0,
    };
    index += 1;
    return TAPLINE_JSON_OK;
}

uint32_t Walk::scalar() noexcept {
    switch (current()) {
    case '"':
        return string();
    case 't':
        return literal(scalar_end(), "true", 4, TAPLINE_JSON_TRUE);
    case 'f':
        return literal(scalar_end(), "false", 5, TAPLINE_JSON_FALSE);
    case 'n':
        return literal(scalar_end(), "null", 4, TAPLINE_JSON_NULL);
    case '-': case '0': case '1': case '2': case '3': case '4':
    case '5': case '6': case '7': case '8': case '9':
        return number(scalar_end());
    default:
        return fail(TAPLINE_JSON_EXPECTED_VALUE, *index);
    }
}

/// Checks the grammar of RFC 8259 without recursion; `open` has the open arrays and objects.
uint32_t Walk::run() noexcept {
    uint32_t depth = 0;
    uint32_t code;

value:
    if (at_end()) { return unexpected(TAPLINE_JSON_EXPECTED_VALUE); }
    if (current() == '{' || current() == '[') {
        if (depth == arena.max_depth) { return fail(TAPLINE_JSON_TOO_DEEP, *index); }
        const bool is_object = current() == '{';
        arena.open[depth] = token_count;
        depth += 1;
        tokens[token_count] = {
            *index, 0, 0,
            static_cast<uint8_t>(is_object ? TAPLINE_JSON_OBJECT : TAPLINE_JSON_ARRAY), 0, 0,
        };
        token_count += 1;
        index += 1;
        if (at_end()) { return unexpected(TAPLINE_JSON_EXPECTED_VALUE); }
        if (is_object) {
            if (current() == '}') { goto close; }
            goto key;
        }
        if (current() == ']') { goto close; }
        goto value;
    }
    code = scalar();
    if (code != TAPLINE_JSON_OK) { return code; }

after_value:
    if (depth == 0) {
        return at_end() ? TAPLINE_JSON_OK : fail(TAPLINE_JSON_TRAILING, *index);
    }
    if (at_end()) { return unexpected(TAPLINE_JSON_EXPECTED_COMMA); }
    if (tokens[arena.open[depth - 1]].kind == TAPLINE_JSON_OBJECT) {
        if (current() == '}') { goto close; }
        if (current() != ',') { return unexpected(TAPLINE_JSON_EXPECTED_COMMA); }
        index += 1;
        goto key;
    }
    if (current() == ']') { goto close; }
    if (current() != ',') { return unexpected(TAPLINE_JSON_EXPECTED_COMMA); }
    index += 1;
    goto value;

key:
    if (at_end() || current() != '"') { return unexpected(TAPLINE_JSON_EXPECTED_KEY); }
    code = string();
    if (code != TAPLINE_JSON_OK) { return code; }
    if (at_end() || current() != ':') { return unexpected(TAPLINE_JSON_EXPECTED_COLON); }
    index += 1;
    goto value;

close:
    depth -= 1;
    {
        auto &token = tokens[arena.open[depth]];
        token.length = *index + 1 - token.offset;
        token.next = token_count;
    }
    index += 1;
    goto after_value;
}

}  // namespace

Walked walk(
    Arena &arena, const uint8_t *bytes, size_t length, const uint32_t *index,
    size_t index_count) noexcept {
    Walk walk(arena, bytes, length, index, index_count);
    const uint32_t error = walk.run();
    return {walk.token_count, error, walk.error_offset};
}

}  // namespace tapline
