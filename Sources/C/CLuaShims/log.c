// SPDX-License-Identifier: MIT

// `log`, its levels, and `print`: lines are collected until the call ends.

#include "internal.h"

/// The length of a line cut at the limit, without splitting a UTF-8 character.
static size_t cut_line(const uint8_t *start, size_t count) {
    if (count <= MAX_LOG_LINE) return count;
    count = MAX_LOG_LINE;
    size_t end = count;
    while (end > count - 4 && (start[end] & 0xC0) == 0x80) end--;
    return end;
}

/// Writes a line with the arguments from `first` on.
static int write_line(lua_State *L, int first, uint8_t level) {
    vm *lua = vm_of(L);
    int count = lua_gettop(L);
    buffer line;
    tapline_lua_buffer_begin(L, &line);
    for (int index = first; index <= count && line.count <= MAX_LOG_LINE; index++) {
        if (index > first) buffer_byte(&line, ' ');
        tapline_lua_push_text(L, index);
        size_t length;
        const char *text = lua_tolstring(L, -1, &length);
        // One byte beyond the limit suffices to find the end of the last whole character.
        buffer_append(&line, text, length <= MAX_LOG_LINE ? length : MAX_LOG_LINE + 1);
        lua_pop(L, 1);
    }
    size_t length = line.count > MAX_LOG_LINE ? cut_line(line.bytes, line.count) : line.count;
    if (lua->log_lines == MAX_LOG_LINES || length > MAX_LOG_BYTES - lua->log_count) {
        lua->log_lost++;
        return 0;
    }
    memcpy(lua->log + lua->log_count, line.bytes, length);
    lua->log_count += length;
    lua->log_levels[lua->log_lines] = level;
    lua->log_ends[lua->log_lines++] = (uint32_t)lua->log_count;
    return 0;
}

enum { LEVEL_DEBUG, LEVEL_INFO, LEVEL_WARNING, LEVEL_ERROR };

static int log_debug(lua_State *L) { return write_line(L, 1, LEVEL_DEBUG); }
static int log_info(lua_State *L) { return write_line(L, 1, LEVEL_INFO); }
static int log_warn(lua_State *L) { return write_line(L, 1, LEVEL_WARNING); }
static int log_error(lua_State *L) { return write_line(L, 1, LEVEL_ERROR); }
/// `log(...)`; the first argument is the table itself.
static int log_call(lua_State *L) { return write_line(L, 2, LEVEL_INFO); }

void tapline_lua_open_log(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"debug", log_debug}, {"info", log_info}, {"warn", log_warn}, {"error", log_error},
        {NULL, NULL},
    };
    luaL_newlib(L, functions);
    lua_createtable(L, 0, 2);
    lua_pushcfunction(L, log_call);
    lua_setfield(L, -2, "__call");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
    lua_setglobal(L, "log");
    lua_register(L, "print", log_info);
}
