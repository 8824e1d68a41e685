// SPDX-License-Identifier: MIT

// String functions that do work or push values without calling the instruction hook.

#include "internal.h"

/// Calls a library function after charging for the length of its string arguments.
static int charged(lua_State *L) {
    uint64_t work = 0;
    for (int index = lua_gettop(L); index >= 1; index--) {
        if (lua_type(L, index) == LUA_TSTRING) work += lua_rawlen(L, index);
    }
    charge(L, work * (uint64_t)lua_tointeger(L, lua_upvalueindex(2)));
    vm_of(L)->fills_table = false;
    return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

static void wrap_charged_by(
    lua_State *L, const char *name, unsigned factor, lua_CFunction wrapper) {
    lua_getfield(L, -1, name);
    lua_pushinteger(L, (lua_Integer)factor);
    lua_pushcclosure(L, wrapper, 2);
    lua_setfield(L, -2, name);
}

void tapline_lua_wrap_charged(lua_State *L, const char *name, unsigned factor) {
    wrap_charged_by(L, name, factor, charged);
}

/// Calls a library function that creates a string as long as its argument.
static int copied(lua_State *L) {
    if (lua_type(L, 1) == LUA_TSTRING) charge(L, lua_rawlen(L, 1) / 16);
    vm_of(L)->fills_table = false;
    return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

// MARK: - Texts of objects

void tapline_lua_push_text(lua_State *L, int index) {
    int type = lua_type(L, index);
    bool is_object = type == LUA_TTABLE || type == LUA_TUSERDATA || type == LUA_TFUNCTION ||
        type == LUA_TTHREAD || type == LUA_TLIGHTUSERDATA;
    if (is_object && luaL_getmetafield(L, index, "__tostring") == LUA_TNIL) {
        lua_pushstring(L, lua_typename(L, type));
        return;
    }
    if (is_object) lua_pop(L, 1);
    luaL_tolstring(L, index, NULL);
}

/// `string.format`: objects are written as `tostring` does, and addresses (`%p`) as `(null)`.
static int string_format(lua_State *L) {
    size_t count;
    const char *format = luaL_checklstring(L, 1, &count);
    int argument = 1;
    for (size_t index = 0; index < count; index++) {
        if (format[index] != '%') continue;
        index++;
        if (index < count && format[index] == '%') continue;
        while (index < count && format[index] != 0 && strchr("-+ #0123456789.", format[index])) index++;
        argument++;
        if (index >= count || argument > lua_gettop(L)) break;
        if (format[index] == 's') {
            tapline_lua_push_text(L, argument);
        } else if (format[index] == 'p') {
            lua_pushboolean(L, 0);
        } else {
            continue;
        }
        lua_replace(L, argument);
    }
    return charged(L);
}

static int string_rep(lua_State *L) {
    size_t length, separator_length;
    const char *text = luaL_checklstring(L, 1, &length);
    lua_Integer count = luaL_checkinteger(L, 2);
    const char *separator = luaL_optlstring(L, 3, "", &separator_length);
    if (count <= 0 || length + separator_length == 0) {
        lua_pushliteral(L, "");
        return 1;
    }
    if ((uint64_t)count > INT64_MAX / (length + separator_length)) {
        return luaL_error(L, "resulting string too large");
    }
    size_t limit = (size_t)vm_of(L)->limits.memory;
    // A result that can never fit hits the limit immediately, regardless of other memory in use.
    if ((uint64_t)count > limit / (length + separator_length) + 1)
        tapline_lua_trip(L, TAPLINE_LUA_MEMORY);
    size_t total = (size_t)count * length + (size_t)(count - 1) * separator_length;
    charge(L, total / 16);
    buffer output;
    tapline_lua_buffer_begin(L, &output);
    uint8_t *room = tapline_lua_buffer_room(&output, total);
    buffer_append(&output, text, length);
    if (count > 1) buffer_append(&output, separator, separator_length);
    // The existing content is doubled each time.
    while (output.count < total) {
        size_t more = total - output.count < output.count ? total - output.count : output.count;
        memcpy(room + output.count, room, more);
        output.count += more;
    }
    tapline_lua_buffer_push(&output);
    return 1;
}

/// Converts a position that may count from the end into one from 1 to `length + 1`.
static size_t start_position(lua_Integer position, size_t length) {
    if (position > 0) return (size_t)position;
    if (position == 0 || position < -(lua_Integer)length) return 1;
    return length + (size_t)position + 1;
}

static size_t end_position(lua_Integer position, size_t length) {
    if (position > (lua_Integer)length) return length;
    if (position >= 0) return (size_t)position;
    return position < -(lua_Integer)length ? 0 : length + (size_t)position + 1;
}

static int string_byte(lua_State *L) {
    size_t length;
    const char *text = luaL_checklstring(L, 1, &length);
    lua_Integer first = luaL_optinteger(L, 2, 1);
    size_t start = start_position(first, length);
    size_t end = end_position(luaL_optinteger(L, 3, first), length);
    if (start > end) return 0;
    size_t count = end - start + 1;
    if (count > MAX_VALUES) return luaL_error(L, "string slice too long");
    charge(L, count);
    if (!tapline_lua_reserve_slots(L, (int)count)) return luaL_error(L, "string slice too long");
    for (size_t index = 0; index < count; index++) {
        lua_pushinteger(L, (unsigned char)text[start - 1 + index]);
    }
    return (int)count;
}

/// Limits the number of results, each of which takes a slot of the stack.
int tapline_lua_utf8_codepoint(lua_State *L) {
    size_t length;
    luaL_checklstring(L, 1, &length);
    lua_Integer first = luaL_optinteger(L, 2, 1);
    size_t start = start_position(first, length);
    size_t end = end_position(luaL_optinteger(L, 3, first), length);
    if (start <= end && end - start >= MAX_VALUES) return luaL_error(L, "string slice too long");
    size_t most = start <= end ? end - start + 1 : 0;
    charge(L, most);
    if (!tapline_lua_reserve_slots(L, (int)most)) return luaL_error(L, "string slice too long");
    return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

void tapline_lua_open_strings(lua_State *L) {
    luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 1);
    lua_pushnil(L);
    lua_setfield(L, -2, "dump");
    static const luaL_Reg functions[] = {
        {"rep", string_rep}, {"byte", string_byte}, {NULL, NULL},
    };
    luaL_setfuncs(L, functions, 0);
    // A single conversion of `format` may write 400 digits.
    wrap_charged_by(L, "format", 16, string_format);
    tapline_lua_wrap_charged(L, "pack", 4);
    tapline_lua_wrap_charged(L, "packsize", 4);
    tapline_lua_wrap_charged(L, "unpack", 4);
    static const char *const copying[] = {"upper", "lower", "reverse"};
    for (size_t index = 0; index < sizeof copying / sizeof *copying; index++) {
        lua_getfield(L, -1, copying[index]);
        lua_pushcclosure(L, copied, 1);
        lua_setfield(L, -2, copying[index]);
    }
    lua_pop(L, 1);
    // All scripts share the metatable of strings, so they must not change it.
    lua_pushliteral(L, "");
    if (lua_getmetatable(L, -1)) {
        lua_pushboolean(L, 0);
        lua_setfield(L, -2, "__metatable");
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}
