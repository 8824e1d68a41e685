// SPDX-License-Identifier: MIT

#pragma once

#include "CSimdjsonShims.h"

#include <cstdlib>

namespace tapline {

/// The memory that a parser reuses for each document.
struct Arena {
    tapline_json_token *tokens = nullptr;
    size_t token_capacity = 0;
    /// Unescaped strings, each at the same offset as in the input; never longer than the input.
    uint8_t *strings = nullptr;
    size_t string_capacity = 0;
    /// The token index of each open array and object.
    uint32_t *open = nullptr;
    uint32_t max_depth = 0;
    bool replace_surrogates = false;

    Arena() = default;
    Arena(const Arena &) = delete;
    Arena &operator=(const Arena &) = delete;
    ~Arena() {
        release();
        std::free(open);
    }

    bool prepare(uint32_t depth, bool replace) noexcept;
    bool reserve_tokens(size_t count) noexcept;
    bool reserve_strings(size_t count) noexcept;
    void release() noexcept;
};

/// The result of a walk.
struct Walked {
    uint32_t token_count;
    uint32_t error;
    size_t error_offset;
};

/// Walks over the structural characters of a document and writes the tokens into the arena, which
/// has room for one token per character.
Walked walk(
    Arena &arena, const uint8_t *bytes, size_t length, const uint32_t *index,
    size_t index_count) noexcept;

/// Finds the first invalid UTF-8, the first control character in a string, or the unterminated
/// string.
uint32_t locate_lexical_error(const uint8_t *bytes, size_t length, size_t *where) noexcept;

/// The decimal exponent of a number's first nonzero digit: 0 for 1.5, 2 for 150, -3 for 0.0015.
long decimal_exponent(const uint8_t *text, size_t length) noexcept;

/// Unescapes [from, to) into `out`; returns the number of bytes, or the error and its position.
struct Unescaped {
    size_t count;
    uint32_t error;
    size_t where;
};
Unescaped unescape(
    const uint8_t *bytes, size_t from, size_t to, uint8_t *out, bool replace_surrogates) noexcept;

}  // namespace tapline
