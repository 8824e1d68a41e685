// SPDX-License-Identifier: MIT

// `string.find`, `match`, `gmatch` and `gsub`, as the reference manual §6.4 describes them.

#define _GNU_SOURCE

#include "pattern.h"

static void matcher_begin(matcher *state, lua_State *L, const pattern *pattern, bytes text) {
    state->L = L;
    state->pattern = pattern;
    state->start = text.bytes;
    state->end = text.bytes + text.count;
    state->steps = 0;
}

/// Pushes one capture; without captures, the first is the whole match.
static void push_capture(
    const matcher *state, uint32_t number, const uint8_t *start, const uint8_t *end) {
    if (number >= state->pattern->captures) {
        if (number != 0) luaL_error(state->L, "invalid capture index %%%d", (int)number + 1);
        lua_pushlstring(state->L, (const char *)start, (size_t)(end - start));
        return;
    }
    const capture *found = &state->captures[number];
    if (found->position) {
        lua_pushinteger(state->L, found->start - state->start + 1);
    } else {
        lua_pushlstring(state->L, (const char *)found->start, (size_t)(found->end - found->start));
    }
}

/// Pushes all captures, or the whole match if there are none; returns the number of values.
static int push_captures(const matcher *state, const uint8_t *start, const uint8_t *end) {
    uint32_t count = state->pattern->captures;
    if (count == 0) count = 1;
    luaL_checkstack(state->L, (int)count + 4, "too many captures");
    for (uint32_t number = 0; number < count; number++) push_capture(state, number, start, end);
    return (int)count;
}

/// The start of a search, from an argument that may count from the end; -1 if it is after the end.
static ptrdiff_t start_argument(lua_State *L, int index, size_t length) {
    lua_Integer start = luaL_optinteger(L, index, 1);
    if (start < 0) {
        start = start < -(lua_Integer)length ? 1 : (lua_Integer)length + start + 1;
    } else if (start == 0) {
        start = 1;
    }
    return start - 1 > (lua_Integer)length ? -1 : (ptrdiff_t)(start - 1);
}

/// Searches for plain bytes; linear, so a single charge suffices.
static int find_plain(lua_State *L, bytes text, bytes wanted, size_t start) {
    charge(L, (text.count - start) / 8 + wanted.count / 8);
    const uint8_t *found = memmem(
        text.bytes + start, text.count - start, wanted.bytes, wanted.count);
    if (found == NULL) {
        lua_pushnil(L);
        return 1;
    }
    lua_pushinteger(L, found - text.bytes + 1);
    lua_pushinteger(L, found - text.bytes + (lua_Integer)wanted.count);
    return 2;
}

static bool has_no_specials(bytes source) {
    for (size_t index = 0; index < source.count; index++) {
        if (strchr("^$*+?.([%-", source.bytes[index]) != NULL && source.bytes[index] != 0) {
            return false;
        }
    }
    return true;
}

static int search(lua_State *L, bool find) {
    luaL_checkstring(L, 1);
    luaL_checkstring(L, 2);
    bytes text = bytes_at(L, 1);
    bytes source = bytes_at(L, 2);
    ptrdiff_t start = start_argument(L, 3, text.count);
    if (start < 0) {
        lua_pushnil(L);
        return 1;
    }
    if (find && (lua_toboolean(L, 4) || (source.count <= 256 && has_no_specials(source)))) {
        return find_plain(L, text, source, (size_t)start);
    }
    matcher state;
    matcher_begin(&state, L, tapline_lua_pattern_compile(L, 2, true), text);
    const uint8_t *position = text.bytes + start;
    do {
        const uint8_t *end = tapline_lua_pattern_match(&state, position);
        if (end == NULL) continue;
        charge(L, state.steps);
        if (!find) return push_captures(&state, position, end);
        lua_pushinteger(L, position - text.bytes + 1);
        lua_pushinteger(L, end - text.bytes);
        return state.pattern->captures == 0 ? 2 : 2 + push_captures(&state, position, end);
    } while (!state.pattern->anchored && position++ < state.end);
    charge(L, state.steps);
    lua_pushnil(L);
    return 1;
}

static int string_find(lua_State *L) { return search(L, true); }

static int string_match(lua_State *L) { return search(L, false); }

// MARK: - gmatch

/// The state of the iteration: the next position to try and the end of the last match.
typedef struct iteration {
    size_t next;
    size_t last;
    bool matched;
} iteration;

static int gmatch_next(lua_State *L) {
    iteration *state = lua_touserdata(L, lua_upvalueindex(3));
    bytes text = bytes_at(L, lua_upvalueindex(1));
    matcher match;
    matcher_begin(&match, L, lua_touserdata(L, lua_upvalueindex(2)), text);
    for (; state->next <= text.count; state->next++) {
        const uint8_t *start = text.bytes + state->next;
        const uint8_t *end = tapline_lua_pattern_match(&match, start);
        if (end == NULL) continue;
        size_t stop = (size_t)(end - text.bytes);
        // An empty match directly after the last match is skipped.
        if (state->matched && stop == state->last) continue;
        charge(L, match.steps);
        state->next = state->last = stop;
        state->matched = true;
        return push_captures(&match, start, end);
    }
    charge(L, match.steps);
    return 0;
}

static int string_gmatch(lua_State *L) {
    luaL_checkstring(L, 1);
    luaL_checkstring(L, 2);
    size_t length = lua_rawlen(L, 1);
    ptrdiff_t start = start_argument(L, 3, length);
    lua_settop(L, 2);
    lua_pushvalue(L, 1);
    tapline_lua_pattern_compile(L, 2, false);
    iteration *state = lua_newuserdatauv(L, sizeof *state, 0);
    *state = (iteration){.next = start < 0 ? length + 1 : (size_t)start};
    lua_pushcclosure(L, gmatch_next, 3);
    return 1;
}

// MARK: - gsub

/// Appends a replacement text with its `%0` to `%9`.
static void append_template(
    const matcher *state, buffer *output, const uint8_t *start, const uint8_t *end) {
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
        } else if (what == '0') {
            buffer_append(output, start, (size_t)(end - start));
        } else if (what >= '1' && what <= '9') {
            push_capture(state, (uint32_t)(what - '1'), start, end);
            bytes value = bytes_at(state->L, -1);
            buffer_append(output, value.bytes, value.count);
            lua_pop(state->L, 1);
        } else {
            luaL_error(state->L, "invalid use of '%%' in replacement string");
        }
    }
}

/// Appends the replacement of a match; returns false if the match is kept.
static bool append_replacement(
    const matcher *state, buffer *output, const uint8_t *start, const uint8_t *end) {
    lua_State *L = state->L;
    switch (lua_type(L, 3)) {
    case LUA_TFUNCTION:
        lua_pushvalue(L, 3);
        lua_call(L, push_captures(state, start, end), 1);
        break;
    case LUA_TTABLE:
        push_capture(state, 0, start, end);
        lua_gettable(L, 3);
        break;
    default:
        append_template(state, output, start, end);
        return true;
    }
    bool replaces = lua_toboolean(L, -1);
    if (!replaces) {
        buffer_append(output, start, (size_t)(end - start));
    } else if (lua_isstring(L, -1)) {
        bytes value = bytes_at(L, -1);
        buffer_append(output, value.bytes, value.count);
    } else {
        luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
    }
    lua_pop(L, 1);
    return replaces;
}

static int string_gsub(lua_State *L) {
    luaL_checkstring(L, 1);
    luaL_checkstring(L, 2);
    int type = lua_type(L, 3);
    luaL_argexpected(
        L, type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION || type == LUA_TTABLE,
        3, "string/function/table");
    if (type == LUA_TNUMBER) lua_tolstring(L, 3, NULL);
    bytes text = bytes_at(L, 1);
    lua_Integer most = luaL_optinteger(L, 4, (lua_Integer)text.count + 1);
    lua_settop(L, 3);
    matcher state;
    matcher_begin(&state, L, tapline_lua_pattern_compile(L, 2, true), text);
    buffer output;
    tapline_lua_buffer_begin(L, &output);
    const uint8_t *position = text.bytes;
    const uint8_t *last = NULL;
    lua_Integer count = 0;
    bool changed = false;
    while (count < most) {
        const uint8_t *end = tapline_lua_pattern_match(&state, position);
        if (end != NULL && end != last) {
            count++;
            changed |= append_replacement(&state, &output, position, end);
            position = last = end;
        } else if (position < state.end) {
            buffer_byte(&output, *position++);
        } else {
            break;
        }
        if (state.pattern->anchored) break;
    }
    charge(L, state.steps);
    if (!changed) {
        lua_pushvalue(L, 1);
    } else {
        buffer_append(&output, position, (size_t)(state.end - position));
        tapline_lua_buffer_push(&output);
    }
    lua_pushinteger(L, count);
    return 2;
}

void tapline_lua_open_patterns(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"find", string_find},     {"match", string_match}, {"gmatch", string_gmatch},
        {"gsub", string_gsub},     {NULL, NULL},
    };
    lua_getglobal(L, LUA_STRLIBNAME);
    luaL_setfuncs(L, functions, 0);
    lua_pop(L, 1);
}
