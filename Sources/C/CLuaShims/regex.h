// SPDX-License-Identifier: MIT

/// RE2 with a charged budget; compiled patterns are kept in a bounded cache outside of Lua's
/// memory.

#pragma once

#include "internal.h"

#include <CRE2Shims.h>

enum {
    MAX_REGEXES = 64,
    MAX_REGEX_BYTES = 4096,
    MAX_REGEX_PROGRAM = 5000,
    /// The maximum number of groups, including the whole match.
    MAX_GROUPS = 32,
};

/// The compiled form of the pattern at an index. It is valid until script code runs or another
/// pattern is compiled, either of which may evict it from the cache.
const tapline_re2_pattern *tapline_lua_regex_at(lua_State *L, int index);

/// Charges for reading a number of bytes once.
void tapline_lua_regex_charge(lua_State *L, const tapline_re2_pattern *pattern, size_t count);

/// Searches from a position; the first range is the whole match. A long search is charged by its
/// duration.
bool tapline_lua_regex_search(
    lua_State *L, const tapline_re2_pattern *pattern, bytes text, size_t from,
    tapline_re2_range *ranges, int32_t count);

/// The number of groups, including the whole match.
int32_t tapline_lua_regex_groups(const tapline_re2_pattern *pattern);
