// SPDX-License-Identifier: MIT

#include "internal.h"

#include <math.h>

extern const char json_array_mark;
const char json_array_mark = 0;

static void append_string(buffer *output, bytes text) {
    static const char digits[] = "0123456789abcdef";
    buffer_byte(output, '"');
    size_t plain = 0;
    uint8_t seen = 0;
    for (size_t index = 0; index < text.count; index++) {
        uint8_t byte = text.bytes[index];
        seen |= byte;
        if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
        buffer_append(output, text.bytes + plain, index - plain);
        plain = index + 1;
        char escape[6] = {'\\', (char)byte};
        size_t count = 2;
        switch (byte) {
        case '"':
        case '\\': break;
        case '\b': escape[1] = 'b'; break;
        case '\f': escape[1] = 'f'; break;
        case '\n': escape[1] = 'n'; break;
        case '\r': escape[1] = 'r'; break;
        case '\t': escape[1] = 't'; break;
        default:
            memcpy(escape + 1, "u00", 3);
            escape[4] = digits[byte >> 4];
            escape[5] = digits[byte & 15];
            count = 6;
        }
        buffer_append(output, escape, count);
    }
    if (seen >= 0x80 && !tapline_json_is_utf8(text.bytes, text.count)) {
        luaL_error(output->L, "json: a string is not valid UTF-8");
    }
    buffer_append(output, text.bytes + plain, text.count - plain);
    buffer_byte(output, '"');
}

static void append_number(buffer *output, int index) {
    lua_State *L = output->L;
    uint8_t *room = buffer_room(output, 32);
    if (lua_isinteger(L, index)) {
        lua_Integer value = lua_tointeger(L, index);
        uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
        uint8_t digits[20];
        size_t count = 0;
        do {
            digits[count++] = (uint8_t)('0' + rest % 10);
            rest /= 10;
        } while (rest > 0);
        if (value < 0) *room++ = '-';
        output->count += count + (value < 0);
        while (count > 0) *room++ = digits[--count];
        return;
    }
    double value = lua_tonumber(L, index);
    if (!isfinite(value)) luaL_error(L, "json: a number is not finite");
    output->count += tapline_json_from_double(value, room);
}

static void append_value(buffer *output, int index, int depth);

static bool is_array(lua_State *L, int index) {
    if (!lua_getmetatable(L, index)) return false;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &json_array_mark);
    bool same = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
    return same;
}

static void append_array(buffer *output, int index, int depth) {
    lua_State *L = output->L;
    lua_Unsigned count = lua_rawlen(L, index);
    lua_Unsigned found = 0;
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) found++;
    if (found != count) {
        luaL_error(L, "json: a table has holes, or other keys beside 1 to n; json.null fills holes");
    }
    buffer_byte(output, '[');
    for (lua_Unsigned position = 1; position <= count; position++) {
        charge(L, 1);
        if (position > 1) buffer_byte(output, ',');
        lua_rawgeti(L, index, (lua_Integer)position);
        append_value(output, lua_gettop(L), depth);
        lua_pop(L, 1);
    }
    buffer_byte(output, ']');
}

/// Appends an object with its keys in order of their bytes, so that the text is the same in every
/// run: Lua's own order is not.
static void append_object(buffer *output, int index, int depth) {
    lua_State *L = output->L;
    size_t count = 0;
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING) {
            luaL_error(
                L, "json: a table has a key that is a %s; expected strings, or 1 to n",
                luaL_typename(L, -2));
        }
        count++;
    }
    charge(L, count * 8);
    bytes small[32];
    bytes *keys = small;
    lua_pushnil(L);
    if (count > 32) {
        keys = lua_newuserdatauv(L, count * sizeof *keys, 0);
        lua_replace(L, -2);
    }
    size_t filled = 0;
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        if (filled < count) keys[filled++] = bytes_at(L, -2);
    }
    sort_bytes(keys, filled);
    buffer_byte(output, '{');
    for (size_t position = 0; position < filled; position++) {
        if (position > 0) buffer_byte(output, ',');
        append_string(output, keys[position]);
        buffer_byte(output, ':');
        push_bytes(L, keys[position]);
        lua_rawget(L, index);
        append_value(output, lua_gettop(L), depth);
        lua_pop(L, 1);
    }
    buffer_byte(output, '}');
    lua_pop(L, 1);
}

static void append_value(buffer *output, int index, int depth) {
    lua_State *L = output->L;
    if (depth == 0) luaL_error(L, "json: nested more than %d deep", MAX_JSON_DEPTH);
    luaL_checkstack(L, 8, "json");
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

void json_append(buffer *output, int index) { append_value(output, index, MAX_JSON_DEPTH); }

// MARK: - The library

static int json_decode(lua_State *L) {
    luaL_checktype(L, 1, LUA_TSTRING);
    json_push(L, bytes_at(L, 1));
    return 1;
}

static int json_encode(lua_State *L) {
    luaL_checkany(L, 1);
    buffer output;
    buffer_begin(L, &output);
    json_append(&output, 1);
    buffer_push(&output);
    return 1;
}

/// Marks a table as an array, so that it stays one when it is empty.
static int json_array(lua_State *L) {
    if (lua_isnoneornil(L, 1)) {
        lua_settop(L, 0);
        lua_newtable(L);
    }
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &json_array_mark);
    lua_setmetatable(L, 1);
    return 1;
}

static int null_text(lua_State *L) {
    lua_pushliteral(L, "null");
    return 1;
}

void open_json(lua_State *L) {
    lua_newtable(L);
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_rawsetp(L, LUA_REGISTRYINDEX, &json_array_mark);
    static const luaL_Reg null_metamethods[] = {{"__tostring", null_text}, {NULL, NULL}};
    make_object(L, OBJECT_NULL, null_metamethods, NULL, 0);
    static const luaL_Reg functions[] = {
        {"decode", json_decode}, {"encode", json_encode}, {"array", json_array}, {NULL, NULL},
    };
    luaL_newlib(L, functions);
    push_object(L, OBJECT_NULL);
    lua_setfield(L, -2, "null");
    lua_setglobal(L, "json");
}
