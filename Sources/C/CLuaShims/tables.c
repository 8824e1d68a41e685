// SPDX-License-Identifier: MIT

// The table functions of the reference manual §6.6, including its rules for metamethods. A hostile
// `__len` or `__index` could create loops in C that do not call the instruction hook, so each step
// is charged.

#include "internal.h"

#include <limits.h>

/// The uses of a table by a function; a value of another type must have the metamethods for them.
enum { READS = 1, WRITES = 2, MEASURES = 4 };

static void check_table(lua_State *L, int index, int uses) {
    static const char *const events[] = {"__index", "__newindex", "__len"};
    if (lua_type(L, index) == LUA_TTABLE) return;
    bool fits = lua_getmetatable(L, index);
    for (int number = 0; fits && number < 3; number++) {
        if ((uses & 1 << number) == 0) continue;
        lua_pushstring(L, events[number]);
        fits = lua_rawget(L, -2) != LUA_TNIL;
        lua_pop(L, 1);
    }
    if (!fits) luaL_checktype(L, index, LUA_TTABLE);
    lua_pop(L, 1);
}

static lua_Integer length_of(lua_State *L, int uses) {
    check_table(L, 1, uses | MEASURES);
    return luaL_len(L, 1);
}

/// Adds two integers; wraps around, like integers in Lua.
static lua_Integer add(lua_Integer value, lua_Integer more) {
    return (lua_Integer)((lua_Unsigned)value + (lua_Unsigned)more);
}

/// Whether a position is from 1 to a length.
static bool is_within(lua_Integer position, lua_Integer length) {
    return (lua_Unsigned)position - 1 < (lua_Unsigned)length;
}

static void copy_entry(lua_State *L, int from, lua_Integer source, int into, lua_Integer target) {
    charge(L, 1);
    lua_geti(L, from, source);
    tapline_lua_set_entry(L, into, target);
}

static int table_insert(lua_State *L) {
    lua_Integer end = add(length_of(L, READS | WRITES), 1);
    lua_Integer position = end;
    int count = lua_gettop(L);
    if (count == 3) {
        position = luaL_checkinteger(L, 2);
        luaL_argcheck(L, is_within(position, end), 2, "position out of bounds");
        for (lua_Integer index = end; index > position; index--) {
            copy_entry(L, 1, index - 1, 1, index);
        }
    } else if (count != 2) {
        return luaL_error(L, "wrong number of arguments to 'insert'");
    }
    tapline_lua_set_entry(L, 1, position);
    return 0;
}

static int table_remove(lua_State *L) {
    lua_Integer length = length_of(L, READS | WRITES);
    lua_Integer position = luaL_optinteger(L, 2, length);
    // A position equal to the length is always allowed, even if the length is 0.
    if (position != length) {
        luaL_argcheck(L, is_within(position, add(length, 1)), 2, "position out of bounds");
    }
    lua_geti(L, 1, position);
    for (; position < length; position++) copy_entry(L, 1, position + 1, 1, position);
    lua_pushnil(L);
    tapline_lua_set_entry(L, 1, position);
    return 1;
}

static int table_move(lua_State *L) {
    lua_Integer first = luaL_checkinteger(L, 2);
    lua_Integer last = luaL_checkinteger(L, 3);
    lua_Integer target = luaL_checkinteger(L, 4);
    int into = lua_isnoneornil(L, 5) ? 1 : 5;
    check_table(L, 1, READS);
    check_table(L, into, WRITES);
    if (last >= first) {
        luaL_argcheck(
            L, first > 0 || last < LUA_MAXINTEGER + first, 3, "too many elements to move");
        lua_Integer count = last - first + 1;
        luaL_argcheck(L, target <= LUA_MAXINTEGER - count + 1, 4, "destination wrap around");
        // If the target is inside the moved range, the last entry is moved first.
        bool backwards = target > first && target <= last && lua_rawequal(L, 1, into);
        for (lua_Integer step = 0; step < count; step++) {
            lua_Integer index = backwards ? count - 1 - step : step;
            copy_entry(L, 1, first + index, into, target + index);
        }
    }
    lua_pushvalue(L, into);
    return 1;
}

static int table_concat(lua_State *L) {
    lua_Integer length = length_of(L, READS);
    size_t separator_length;
    const char *separator = luaL_optlstring(L, 2, "", &separator_length);
    lua_Integer first = luaL_optinteger(L, 3, 1);
    lua_Integer last = luaL_optinteger(L, 4, length);
    buffer output;
    tapline_lua_buffer_begin(L, &output);
    for (lua_Integer index = first; index <= last; index++) {
        charge(L, 2 + separator_length / 16);
        int type = lua_geti(L, 1, index);
        if (type != LUA_TSTRING && type != LUA_TNUMBER) {
            return luaL_error(
                L, "invalid value (at index %I) in table for 'concat'", (LUAI_UACINT)index);
        }
        bytes value = bytes_at(L, -1);
        charge(L, value.count / 16);
        buffer_append(&output, value.bytes, value.count);
        lua_pop(L, 1);
        if (index == last) break;
        buffer_append(&output, separator, separator_length);
    }
    tapline_lua_buffer_push(&output);
    return 1;
}

static int table_unpack(lua_State *L) {
    lua_Integer first = luaL_optinteger(L, 2, 1);
    lua_Integer last = lua_isnoneornil(L, 3) ? luaL_len(L, 1) : luaL_checkinteger(L, 3);
    if (first > last) return 0;
    uint64_t count = (uint64_t)last - (uint64_t)first;
    if (count >= MAX_VALUES || !tapline_lua_reserve_slots(L, (int)count + 1)) {
        return luaL_error(L, "too many results to unpack");
    }
    charge(L, count + 1);
    for (uint64_t index = 0; index <= count; index++) {
        lua_geti(L, 1, (lua_Integer)((uint64_t)first + index));
    }
    return (int)count + 1;
}

// MARK: - Sorting

/// Whether the entry at one position sorts before the entry at another.
static bool comes_before(lua_State *L, lua_Integer one, lua_Integer other) {
    charge(L, 8);
    bool result;
    if (lua_isnil(L, 2)) {
        lua_geti(L, 1, one);
        lua_geti(L, 1, other);
        result = lua_compare(L, -2, -1, LUA_OPLT);
        lua_pop(L, 2);
    } else {
        lua_pushvalue(L, 2);
        lua_geti(L, 1, one);
        lua_geti(L, 1, other);
        lua_call(L, 2, 1);
        result = lua_toboolean(L, -1);
        lua_pop(L, 1);
    }
    return result;
}

static void swap_entries(lua_State *L, lua_Integer one, lua_Integer other) {
    lua_geti(L, 1, one);
    lua_geti(L, 1, other);
    tapline_lua_set_entry(L, 1, one);
    tapline_lua_set_entry(L, 1, other);
}

/// Sifts the entry at the root of a heap down to its position among `count` entries.
static void sift_down(lua_State *L, lua_Integer root, lua_Integer count) {
    while (root * 2 <= count) {
        lua_Integer child = root * 2;
        if (child < count && comes_before(L, child, child + 1)) child++;
        if (!comes_before(L, root, child)) return;
        swap_entries(L, root, child);
        root = child;
    }
}

/// Heapsort: in place, with n log n steps for any result of a comparison function.
static int table_sort(lua_State *L) {
    lua_Integer count = length_of(L, READS | WRITES);
    if (count < 2) return 0;
    luaL_argcheck(L, count < INT_MAX, 1, "array too big");
    if (!lua_isnoneornil(L, 2)) luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    luaL_checkstack(L, 8, NULL);
    for (lua_Integer root = count / 2; root >= 1; root--) sift_down(L, root, count);
    for (lua_Integer end = count; end > 1; end--) {
        swap_entries(L, 1, end);
        sift_down(L, 1, end - 1);
    }
    return 0;
}

void tapline_lua_open_tables(lua_State *L) {
    luaL_requiref(L, LUA_TABLIBNAME, luaopen_table, 1);
    static const luaL_Reg functions[] = {
        {"insert", table_insert}, {"remove", table_remove}, {"move", table_move},
        {"concat", table_concat}, {"unpack", table_unpack}, {"sort", table_sort},
        {NULL, NULL},
    };
    luaL_setfuncs(L, functions, 0);
    lua_pop(L, 1);
}
