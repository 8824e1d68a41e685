// SPDX-License-Identifier: MIT

#include "internal.h"

#include <math.h>

extern const char tapline_lua_json_array_mark;
const char tapline_lua_json_array_mark = 0;

static void append_string(buffer *output, bytes text) {
    lua_State *L = output->L;
    buffer_byte(output, '"');
    size_t position = 0;
    while (position < text.count) {
        size_t needed = text.count - position + TAPLINE_LUA_JSON_SLACK;
        if (output->capacity - output->count < needed) tapline_lua_buffer_room(output, needed);
        ptrdiff_t count = vm_of(L)->functions.json_escape(
            text, &position, output->bytes + output->count, output->capacity - output->count);
        if (count < 0) luaL_error(L, "json: a string is not valid UTF-8");
        output->count += (size_t)count;
    }
    buffer_byte(output, '"');
}

static void append_number(buffer *output, int index) {
    lua_State *L = output->L;
    const tapline_lua_functions *functions = &vm_of(L)->functions;
    uint8_t *room = tapline_lua_buffer_room(output, TAPLINE_LUA_JSON_NUMBER);
    if (lua_isinteger(L, index)) {
        output->count += functions->json_integer(lua_tointeger(L, index), room);
        return;
    }
    double value = lua_tonumber(L, index);
    if (!isfinite(value)) luaL_error(L, "json: a number is not finite");
    output->count += functions->json_double(value, room);
}

static void append_value(buffer *output, int index, int depth);

static bool is_array(lua_State *L, int index) {
    if (!lua_getmetatable(L, index)) return false;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &tapline_lua_json_array_mark);
    bool same = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
    return same;
}

/// Appends the elements in iteration order as long as their keys are 1, 2 and so on, which is usual
/// for a list; returns false at another key.
static bool append_list(buffer *output, int index, int depth, lua_Unsigned count) {
    lua_State *L = output->L;
    lua_Unsigned position = 0;
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        position++;
        if (!lua_isinteger(L, -2) || (lua_Unsigned)lua_tointeger(L, -2) != position) {
            lua_pop(L, 2);
            return false;
        }
        if (position > 1) buffer_byte(output, ',');
        append_value(output, lua_gettop(L), depth);
    }
    return position == count;
}

static void append_array(buffer *output, int index, int depth) {
    lua_State *L = output->L;
    lua_Unsigned count = lua_rawlen(L, index);
    charge(L, count);
    buffer_byte(output, '[');
    size_t start = output->count;
    if (!append_list(output, index, depth, count)) {
        lua_Unsigned found = 0;
        for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
            // With colliding keys, each step takes long.
            charge(L, 1);
            found++;
        }
        if (found != count) {
            luaL_error(
                L, "json: a list has holes or keys other than 1 to n; use json.null for holes");
        }
        output->count = start;
        for (lua_Unsigned position = 1; position <= count; position++) {
            if (position > 1) buffer_byte(output, ',');
            lua_rawgeti(L, index, (lua_Integer)position);
            append_value(output, lua_gettop(L), depth);
            lua_pop(L, 1);
        }
    }
    buffer_byte(output, ']');
}

/// A key of an object, and the stack index of its value.
typedef struct member {
    bytes key;
    /// The first eight bytes as a number that sorts in the same order.
    uint64_t head;
    int value;
} member;

static uint64_t head_of(bytes key) {
    uint64_t head = 0;
    for (size_t index = 0; index < 8; index++) {
        head = head << 8 | (index < key.count ? key.bytes[index] : 0);
    }
    return head;
}

static bool is_before(const member *left, const member *right) {
    if (left->head != right->head) return left->head < right->head;
    return tapline_lua_compare_bytes(&left->key, &right->key) < 0;
}

/// The maximum number of members for which an object is sorted on the stack, and of slots in use.
enum { SMALL_OBJECT = 16, SMALL_STACK = 512 };

/// Pushes the keys and values of a small object and sorts them by key. Returns the number of
/// members; -1 without pushing if the object is not small or has keys other than strings.
static int push_members(lua_State *L, int index, member *members) {
    int top = lua_gettop(L), count = 0;
    if (top > SMALL_STACK) return -1;
    luaL_checkstack(L, SMALL_OBJECT * 2 + 4, "json");
    lua_pushnil(L);
    while (lua_next(L, index)) {
        if (count == SMALL_OBJECT || lua_type(L, -2) != LUA_TSTRING) {
            lua_settop(L, top);
            return -1;
        }
        bytes key = bytes_at(L, -2);
        int place = count++;
        member next = {key, head_of(key), top + 2 * count};
        for (; place > 0 && is_before(&next, &members[place - 1]); place--) {
            members[place] = members[place - 1];
        }
        members[place] = next;
        // `lua_next` consumes the key on top; the original stays below its value.
        lua_pushvalue(L, -2);
    }
    return count;
}

static void append_members(buffer *output, const member *members, int count, int depth) {
    for (int position = 0; position < count; position++) {
        if (position > 0) buffer_byte(output, ',');
        append_string(output, members[position].key);
        buffer_byte(output, ':');
        append_value(output, members[position].value, depth);
    }
}

/// Appends the members of an object of any size.
static void append_large_object(buffer *output, int index, int depth) {
    lua_State *L = output->L;
    size_t count = 0;
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING) {
            luaL_error(
                L, "json: a table has a key that is a %s; expected strings, or 1 to n",
                luaL_typename(L, -2));
        }
        charge(L, 1);
        count++;
    }
    charge(L, count * 8);
    bytes *keys = lua_newuserdatauv(L, count * sizeof *keys, 0);
    size_t filled = 0;
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        charge(L, 1);
        if (filled < count) keys[filled++] = bytes_at(L, -2);
    }
    tapline_lua_sort_bytes(keys, filled);
    for (size_t position = 0; position < filled; position++) {
        if (position > 0) buffer_byte(output, ',');
        append_string(output, keys[position]);
        buffer_byte(output, ':');
        push_bytes(L, keys[position]);
        lua_rawget(L, index);
        append_value(output, lua_gettop(L), depth);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/// Appends an object with its keys in bytewise order, so that the text is the same in every run,
/// unlike Lua's own order.
static void append_object(buffer *output, int index, int depth) {
    lua_State *L = output->L;
    int top = lua_gettop(L);
    member members[SMALL_OBJECT];
    buffer_byte(output, '{');
    int count = push_members(L, index, members);
    if (count < 0) {
        append_large_object(output, index, depth);
    } else {
        charge(L, (uint64_t)count * 8);
        append_members(output, members, count, depth);
        lua_settop(L, top);
    }
    buffer_byte(output, '}');
}

static void append_value(buffer *output, int index, int depth) {
    lua_State *L = output->L;
    if (depth == 0) luaL_error(L, "json: nested more than %d deep", MAX_JSON_DEPTH);
    charge(L, 1);
    switch (lua_type(L, index)) {
    case LUA_TBOOLEAN:
        if (lua_toboolean(L, index)) {
            buffer_append(output, "true", 4);
        } else {
            buffer_append(output, "false", 5);
        }
        break;
    case LUA_TNUMBER: append_number(output, index); break;
    case LUA_TSTRING: append_string(output, bytes_at(L, index)); break;
    case LUA_TTABLE:
        luaL_checkstack(L, 8, "json");
        if (lua_rawlen(L, index) > 0 || is_array(L, index)) {
            append_array(output, index, depth - 1);
        } else {
            append_object(output, index, depth - 1);
        }
        break;
    case LUA_TUSERDATA:
        if (lua_touserdata(L, index) == vm_of(L)->objects[OBJECT_NULL]) {
            buffer_append(output, "null", 4);
            break;
        }
        // fall through
    default:
        luaL_error(L, "json: a %s has no JSON form", luaL_typename(L, index));
    }
}

void tapline_lua_json_append(buffer *output, int index) {
    append_value(output, index, MAX_JSON_DEPTH);
}

// MARK: - The library

static int json_decode(lua_State *L) {
    luaL_checktype(L, 1, LUA_TSTRING);
    tapline_lua_json_push(L, bytes_at(L, 1));
    return 1;
}

static int json_encode(lua_State *L) {
    luaL_checkany(L, 1);
    buffer output;
    tapline_lua_buffer_begin(L, &output);
    tapline_lua_json_append(&output, 1);
    tapline_lua_buffer_push(&output);
    return 1;
}

/// Marks a table as an array, so that it stays an array even if it is empty.
static int json_array(lua_State *L) {
    if (lua_isnoneornil(L, 1)) {
        lua_settop(L, 0);
        lua_newtable(L);
    }
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &tapline_lua_json_array_mark);
    lua_setmetatable(L, 1);
    return 1;
}

static int null_text(lua_State *L) {
    lua_pushliteral(L, "null");
    return 1;
}

void tapline_lua_open_json(lua_State *L) {
    lua_newtable(L);
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_rawsetp(L, LUA_REGISTRYINDEX, &tapline_lua_json_array_mark);
    static const luaL_Reg null_metamethods[] = {{"__tostring", null_text}, {NULL, NULL}};
    tapline_lua_make_object(L, OBJECT_NULL, null_metamethods, NULL, 0);
    static const luaL_Reg functions[] = {
        {"decode", json_decode}, {"encode", json_encode}, {"array", json_array}, {NULL, NULL},
    };
    luaL_newlib(L, functions);
    tapline_lua_push_object(L, OBJECT_NULL);
    lua_setfield(L, -2, "null");
    lua_setglobal(L, "json");
}
