// SPDX-License-Identifier: MIT

// `re`: regular expressions with RE2, in linear time. The functions resemble Lua's pattern
// functions.

#include "regex.h"

/// The state of a search. The pattern is looked up again after script code has run.
typedef struct search {
    lua_State *L;
    bytes text;
    const tapline_re2_pattern *pattern;
    int32_t groups;
    tapline_re2_range ranges[MAX_GROUPS];
} search;

static void search_begin(search *state, lua_State *L, bytes text, int pattern) {
    state->L = L;
    state->text = text;
    state->pattern = tapline_lua_regex_at(L, pattern);
    state->groups = tapline_lua_regex_groups(state->pattern);
}

static bool search_next(search *state, size_t from) {
    return tapline_lua_regex_search(
        state->L, state->pattern, state->text, from, state->ranges, state->groups);
}

/// Pushes the text of a group; false for a group that did not participate.
static void push_group(const search *state, int32_t group) {
    tapline_re2_range range = state->ranges[group];
    if (range.start < 0) {
        lua_pushboolean(state->L, 0);
        return;
    }
    push_bytes(
        state->L, (bytes){state->text.bytes + range.start, (size_t)(range.end - range.start)});
}

/// Pushes all groups, or the whole match if there are none; returns the number of values.
static int push_groups(const search *state) {
    luaL_checkstack(state->L, MAX_GROUPS + 4, "too many groups");
    if (state->groups == 1) {
        push_group(state, 0);
        return 1;
    }
    for (int32_t group = 1; group < state->groups; group++) push_group(state, group);
    return state->groups - 1;
}

/// The start of a search, from an argument that may count from the end; -1 if it is after the end.
static ptrdiff_t start_argument(lua_State *L, int index, size_t length) {
    lua_Integer start = luaL_optinteger(L, index, 1);
    if (start < 0) start = start < -(lua_Integer)length ? 1 : (lua_Integer)length + start + 1;
    if (start == 0) start = 1;
    return start - 1 > (lua_Integer)length ? -1 : (ptrdiff_t)(start - 1);
}

/// Searches with the arguments text, pattern and start; returns false if there is no match.
static bool search_arguments(search *state, lua_State *L) {
    bytes text = tapline_lua_string_argument(L, 1, "text");
    ptrdiff_t start = start_argument(L, 3, text.count);
    search_begin(state, L, text, 2);
    if (start < 0) return false;
    tapline_lua_regex_charge(L, state->pattern, text.count - (size_t)start);
    return search_next(state, (size_t)start);
}

static int re_match(lua_State *L) {
    search state;
    if (search_arguments(&state, L)) return push_groups(&state);
    lua_pushnil(L);
    return 1;
}

static int re_find(lua_State *L) {
    search state;
    if (!search_arguments(&state, L)) {
        lua_pushnil(L);
        return 1;
    }
    lua_pushinteger(L, state.ranges[0].start + 1);
    lua_pushinteger(L, state.ranges[0].end);
    return 2 + (state.groups > 1 ? push_groups(&state) : 0);
}

/// Returns a table of the groups by number and by name; 0 is the whole match.
static int re_captures(lua_State *L) {
    search state;
    if (!search_arguments(&state, L)) {
        lua_pushnil(L);
        return 1;
    }
    lua_createtable(L, state.groups, 1);
    for (int32_t group = 0; group < state.groups; group++) {
        push_group(&state, group);
        size_t length;
        const char *name = tapline_re2_group_name(state.pattern, group, &length);
        if (group > 0 && name != NULL) {
            lua_pushlstring(L, name, length);
            lua_pushvalue(L, -2);
            lua_rawset(L, -4);
        }
        lua_rawseti(L, -2, group);
    }
    return 1;
}

/// The position after the character at a position; an empty match must not end inside a character.
static size_t next_character(bytes text, size_t position) {
    position++;
    while (position < text.count && (text.bytes[position] & 0xC0) == 0x80) position++;
    return position;
}

// MARK: - gmatch

/// The state of the iteration. An empty match directly after the last match is skipped.
typedef struct iteration {
    size_t next, last;
    bool matched;
} iteration;

static int gmatch_next(lua_State *L) {
    iteration *state = lua_touserdata(L, lua_upvalueindex(3));
    search found;
    search_begin(&found, L, bytes_at(L, lua_upvalueindex(1)), lua_upvalueindex(2));
    while (state->next <= found.text.count && search_next(&found, state->next)) {
        size_t start = (size_t)found.ranges[0].start, end = (size_t)found.ranges[0].end;
        bool repeats = state->matched && end == start && end == state->last;
        state->next = repeats ? next_character(found.text, end) : end;
        if (repeats) continue;
        state->last = end;
        state->matched = true;
        return push_groups(&found);
    }
    state->next = found.text.count + 1;
    return 0;
}

static int re_gmatch(lua_State *L) {
    bytes text = tapline_lua_string_argument(L, 1, "text");
    tapline_lua_regex_charge(L, tapline_lua_regex_at(L, 2), text.count);
    lua_settop(L, 2);
    iteration *state = lua_newuserdatauv(L, sizeof *state, 0);
    *state = (iteration){0};
    lua_pushcclosure(L, gmatch_next, 3);
    return 1;
}

// MARK: - gsub

/// Appends a replacement text with its `%0` to `%9`, as for Lua's patterns.
static void append_template(const search *state, buffer *output) {
    bytes text = bytes_at(state->L, 3);
    charge(state->L, text.count / 16);
    for (size_t index = 0; index < text.count; index++) {
        uint8_t byte = text.bytes[index];
        if (byte != '%') {
            buffer_byte(output, byte);
            continue;
        }
        index++;
        uint8_t what = index < text.count ? text.bytes[index] : 0;
        if (what == '%') {
            buffer_byte(output, '%');
        } else if (what >= '0' && what <= '9') {
            int32_t group = what - '0';
            // Without groups, %1 is the whole match.
            if (group == 1 && state->groups == 1) group = 0;
            if (group >= state->groups) luaL_error(state->L, "re: no group %%%d", (int)group);
            tapline_re2_range range = state->ranges[group];
            if (range.start < 0) continue;
            buffer_append(
                output, state->text.bytes + range.start, (size_t)(range.end - range.start));
        } else {
            luaL_error(state->L, "re: invalid use of '%%' in replacement");
        }
    }
}

/// Appends the replacement of a match.
static void append_replacement(const search *state, buffer *output) {
    lua_State *L = state->L;
    tapline_re2_range whole = state->ranges[0];
    switch (lua_type(L, 3)) {
    case LUA_TFUNCTION:
        lua_pushvalue(L, 3);
        lua_call(L, push_groups(state), 1);
        break;
    case LUA_TTABLE:
        push_group(state, state->groups > 1 ? 1 : 0);
        lua_gettable(L, 3);
        break;
    default: append_template(state, output); return;
    }
    if (!lua_toboolean(L, -1)) {
        buffer_append(output, state->text.bytes + whole.start, (size_t)(whole.end - whole.start));
    } else if (lua_isstring(L, -1)) {
        bytes value = bytes_at(L, -1);
        buffer_append(output, value.bytes, value.count);
    } else {
        luaL_error(L, "re: replacement is a %s", luaL_typename(L, -1));
    }
    lua_pop(L, 1);
}

static int re_gsub(lua_State *L) {
    bytes text = tapline_lua_string_argument(L, 1, "text");
    int type = lua_type(L, 3);
    luaL_argexpected(
        L, type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION || type == LUA_TTABLE,
        3, "string/function/table");
    if (type == LUA_TNUMBER) lua_tolstring(L, 3, NULL);
    lua_Integer most = luaL_optinteger(L, 4, (lua_Integer)text.count + 1);
    lua_settop(L, 3);
    search state;
    search_begin(&state, L, text, 2);
    tapline_lua_regex_charge(L, state.pattern, text.count);
    buffer output;
    tapline_lua_buffer_begin(L, &output);
    size_t position = 0, copied = 0, last = 0;
    lua_Integer count = 0;
    while (count < most && position <= text.count && search_next(&state, position)) {
        size_t start = (size_t)state.ranges[0].start, end = (size_t)state.ranges[0].end;
        if (start == end && count > 0 && end == last) {
            position = next_character(text, end);
            continue;
        }
        buffer_append(&output, text.bytes + copied, start - copied);
        append_replacement(&state, &output);
        position = copied = last = end;
        count++;
        // Script code may have evicted the pattern from the cache.
        if (type == LUA_TFUNCTION || type == LUA_TTABLE) search_begin(&state, L, text, 2);
    }
    buffer_append(&output, text.bytes + copied, text.count - copied);
    tapline_lua_buffer_push(&output);
    lua_pushinteger(L, count);
    return 2;
}

/// A pattern that matches exactly a text.
static int re_quote(lua_State *L) {
    bytes text = tapline_lua_string_argument(L, 1, "text");
    charge(L, text.count / 4);
    buffer output;
    tapline_lua_buffer_begin(L, &output);
    for (size_t index = 0; index < text.count; index++) {
        uint8_t byte = text.bytes[index];
        if (byte == 0) {
            buffer_append(&output, "\\x00", 4);
            continue;
        }
        bool plain = byte >= 0x80 || byte == '_' || (byte >= '0' && byte <= '9') ||
            (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
        if (!plain) buffer_byte(&output, '\\');
        buffer_byte(&output, byte);
    }
    tapline_lua_buffer_push(&output);
    return 1;
}

void tapline_lua_open_regex(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"match", re_match},   {"find", re_find}, {"captures", re_captures},
        {"gmatch", re_gmatch}, {"gsub", re_gsub}, {"quote", re_quote},
        {NULL, NULL},
    };
    luaL_newlib(L, functions);
    lua_setglobal(L, "re");
}
