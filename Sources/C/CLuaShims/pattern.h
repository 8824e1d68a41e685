// SPDX-License-Identifier: MIT

/// Lua's patterns (reference manual §6.4.1), compiled once and matched under the budget.
///
/// Written for Tapline, because the library's pattern functions can run forever without calling the
/// instruction hook.

#pragma once

#include "internal.h"

enum { MAX_CAPTURES = 32, MAX_PATTERN_BYTES = 4096 };

/// The kinds of nodes.
enum {
    NODE_BYTE,
    NODE_ANY,
    NODE_SET,
    NODE_OPEN,
    NODE_POSITION,
    NODE_CLOSE,
    NODE_BALANCE,
    NODE_FRONTIER,
    NODE_BACK,
    NODE_END,
    NODE_DONE
};

typedef struct node {
    uint8_t kind;
    /// `*`, `+`, `-`, `?` or 0.
    uint8_t quantifier;
    uint8_t first, second;
    /// The index of a set.
    uint32_t set;
} node;

typedef struct byte_set {
    uint64_t bits[4];
} byte_set;

/// A compiled pattern: nodes followed by sets.
typedef struct pattern {
    uint32_t node_count, set_count;
    uint32_t captures;
    bool anchored;
    node *nodes;
    byte_set *sets;
} pattern;

typedef struct capture {
    const uint8_t *start;
    /// NULL while the capture is open, and for a position capture.
    const uint8_t *end;
    bool position;
} capture;

typedef struct matcher {
    lua_State *L;
    const pattern *pattern;
    const uint8_t *start, *end;
    uint64_t steps;
    int depth;
    capture captures[MAX_CAPTURES];
} matcher;

/// Compiles the pattern at an index, or finds its compiled form, and leaves it on the stack.
/// Without `anchors`, `^` at the start matches itself.
const pattern *tapline_lua_pattern_compile(lua_State *L, int index, bool anchors);

/// The end of a match at a position; NULL if there is none. Raises if a limit is hit.
const uint8_t *tapline_lua_pattern_match(matcher *state, const uint8_t *position);

static inline bool set_holds(const byte_set *set, uint8_t byte) {
    return set->bits[byte >> 6] >> (byte & 63) & 1;
}
