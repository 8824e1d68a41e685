// SPDX-License-Identifier: MIT

// The table functions, on raw entries and raw lengths: a hostile `__len` or `__index` would make
// loops in C that no instruction hook sees. Work is charged before it is done.

#include "internal.h"

static lua_Integer length_of(lua_State *L, int index) {
    luaL_checktype(L, index, LUA_TTABLE);
    lua_Unsigned length = lua_rawlen(L, index);
    // A table of few, far entries may claim any length; one behind it must still be a number.
    if (length >= LUA_MAXINTEGER) luaL_error(L, "table is too long");
    return (lua_Integer)length;
}

static int table_insert(lua_State *L) {
    lua_Integer end = length_of(L, 1) + 1;
    lua_Integer position = end;
    int count = lua_gettop(L);
    if (count == 3) {
        position = luaL_checkinteger(L, 2);
        luaL_argcheck(L, position >= 1 && position <= end, 2, "position out of bounds");
        charge(L, (uint64_t)(end - position));
        for (lua_Integer index = end; index > position; index--) {
            lua_rawgeti(L, 1, index - 1);
            lua_rawseti(L, 1, index);
        }
    } else if (count != 2) {
        return luaL_error(L, "wrong number of arguments to 'insert'");
    }
    lua_rawseti(L, 1, position);
    return 0;
}

static int table_remove(lua_State *L) {
    lua_Integer length = length_of(L, 1);
    lua_Integer position = luaL_optinteger(L, 2, length);
    if (lua_gettop(L) > 1) {
        bool fits = (position >= 1 && position <= length + 1) || (length == 0 && position == 0);
        luaL_argcheck(L, fits, 2, "position out of bounds");
    }
    lua_rawgeti(L, 1, position);
    if (position < length) charge(L, (uint64_t)(length - position));
    for (; position < length; position++) {
        lua_rawgeti(L, 1, position + 1);
        lua_rawseti(L, 1, position);
    }
    if (position >= 1) {
        lua_pushnil(L);
        lua_rawseti(L, 1, position);
    }
    return 1;
}

static int table_move(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_Integer first = luaL_checkinteger(L, 2);
    lua_Integer last = luaL_checkinteger(L, 3);
    lua_Integer target = luaL_checkinteger(L, 4);
    int into = lua_isnoneornil(L, 5) ? 1 : 5;
    luaL_checktype(L, into, LUA_TTABLE);
    if (last >= first) {
        luaL_argcheck(
            L, first > 0 || last < LUA_MAXINTEGER + first, 3, "too many elements to move");
        lua_Integer count = last - first + 1;
        luaL_argcheck(L, target <= LUA_MAXINTEGER - count + 1, 4, "destination wrap around");
        charge(L, (uint64_t)count);
        // Where the target lies inside what is moved, the end goes first.
        bool backwards = into == 1 && target > first && target <= last;
        for (lua_Integer step = 0; step < count; step++) {
            lua_Integer index = backwards ? count - 1 - step : step;
            lua_rawgeti(L, 1, first + index);
            lua_rawseti(L, into, target + index);
        }
    }
    lua_pushvalue(L, into);
    return 1;
}

static int table_concat(lua_State *L) {
    lua_Integer length = length_of(L, 1);
    size_t separator_length;
    const char *separator = luaL_optlstring(L, 2, "", &separator_length);
    lua_Integer first = luaL_optinteger(L, 3, 1);
    lua_Integer last = luaL_optinteger(L, 4, length);
    buffer output;
    buffer_begin(L, &output);
    for (lua_Integer index = first; index <= last; index++) {
        charge(L, 2 + separator_length / 16);
        int type = lua_rawgeti(L, 1, index);
        if (type != LUA_TSTRING && type != LUA_TNUMBER) {
            return luaL_error(
                L, "invalid value (at index %I) in table for concat; found a %s", index,
                lua_typename(L, type));
        }
        bytes value = bytes_at(L, -1);
        charge(L, value.count / 16);
        buffer_append(&output, value.bytes, value.count);
        lua_pop(L, 1);
        if (index == last) break;
        buffer_append(&output, separator, separator_length);
    }
    buffer_push(&output);
    return 1;
}

static int table_unpack(lua_State *L) {
    lua_Integer length = length_of(L, 1);
    lua_Integer first = luaL_optinteger(L, 2, 1);
    lua_Integer last = luaL_optinteger(L, 3, length);
    if (first > last) return 0;
    uint64_t count = (uint64_t)last - (uint64_t)first;
    if (count >= MAX_VALUES || !lua_checkstack(L, (int)count + 1)) {
        return luaL_error(L, "too many results to unpack");
    }
    charge(L, count + 1);
    for (uint64_t index = 0; index <= count; index++) {
        lua_rawgeti(L, 1, (lua_Integer)((uint64_t)first + index));
    }
    return (int)count + 1;
}

// MARK: - Sorting

/// Whether the entry at one place comes before that at another.
static bool comes_before(lua_State *L, lua_Integer one, lua_Integer other) {
    charge(L, 8);
    bool result;
    if (lua_isnil(L, 2)) {
        lua_rawgeti(L, 1, one);
        lua_rawgeti(L, 1, other);
        result = lua_compare(L, -2, -1, LUA_OPLT);
        lua_pop(L, 2);
    } else {
        lua_pushvalue(L, 2);
        lua_rawgeti(L, 1, one);
        lua_rawgeti(L, 1, other);
        lua_call(L, 2, 1);
        result = lua_toboolean(L, -1);
        lua_pop(L, 1);
    }
    return result;
}

static void swap_entries(lua_State *L, lua_Integer one, lua_Integer other) {
    lua_rawgeti(L, 1, one);
    lua_rawgeti(L, 1, other);
    lua_rawseti(L, 1, one);
    lua_rawseti(L, 1, other);
}

/// Lets the entry at the root of a heap sink to its place among `count` entries.
static void sift(lua_State *L, lua_Integer root, lua_Integer count) {
    while (root * 2 <= count) {
        lua_Integer child = root * 2;
        if (child < count && comes_before(L, child, child + 1)) child++;
        if (!comes_before(L, root, child)) return;
        swap_entries(L, root, child);
        root = child;
    }
}

/// A heap sort: in place, and of n log n steps whatever a comparison function answers.
static int table_sort(lua_State *L) {
    lua_Integer count = length_of(L, 1);
    if (!lua_isnoneornil(L, 2)) luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    luaL_checkstack(L, 8, NULL);
    for (lua_Integer root = count / 2; root >= 1; root--) sift(L, root, count);
    for (lua_Integer end = count; end > 1; end--) {
        swap_entries(L, 1, end);
        sift(L, 1, end - 1);
    }
    return 0;
}

void open_tables(lua_State *L) {
    luaL_requiref(L, LUA_TABLIBNAME, luaopen_table, 1);
    static const luaL_Reg functions[] = {
        {"insert", table_insert}, {"remove", table_remove}, {"move", table_move},
        {"concat", table_concat}, {"unpack", table_unpack}, {"sort", table_sort},
        {NULL, NULL},
    };
    luaL_setfuncs(L, functions, 0);
    lua_pop(L, 1);
}
