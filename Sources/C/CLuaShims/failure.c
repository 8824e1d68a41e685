// SPDX-License-Identifier: MIT

// The description of a failure. The message contains nothing that a script computed.

#include "internal.h"

#include <stdlib.h>

static void text_clear(text *output) { output->count = 0; }

static void text_append(text *output, const void *start, size_t count) {
    size_t room = sizeof output->bytes - output->count;
    if (count > room) count = room;
    if (count == 0) return;
    memcpy(output->bytes + output->count, start, count);
    output->count += count;
}

static void text_append_string(text *output, const char *string) {
    text_append(output, string, strlen(string));
}

/// Appends a message without anything that a script computed.
static void append_clean(const vm *lua, text *output, bytes message, bool is_syntax) {
    uint8_t room[TAPLINE_LUA_MESSAGE_BYTES];
    const tapline_lua_functions *functions = &lua->functions;
    text_append(
        output, room, functions->message_clean(functions->words, message, is_syntax, room));
}

void tapline_lua_failure_clear(vm *lua) {
    lua->failure = TAPLINE_LUA_OK;
    lua->failure_line = 0;
    lua->raised = false;
    text_clear(&lua->failure_message);
    text_clear(&lua->failure_detail);
}

void tapline_lua_failure_set(vm *lua, int32_t code, const char *message) {
    tapline_lua_failure_clear(lua);
    lua->failure = code;
    text_append_string(&lua->failure_message, message);
    text_append_string(&lua->failure_detail, message);
}

/// The length of the name of the script or a module at the start of a message; 0 if there is none.
static size_t leading_name(const vm *lua, bytes message) {
    const char *name = lua->name;
    size_t count = lua->name_count;
    for (size_t number = 0; number <= lua->extras.module_count; number++) {
        if (number > 0) {
            name = lua->extras.modules[number - 1].name;
            count = lua->extras.modules[number - 1].name_count;
        }
        if (message.count > count + 1 && message.bytes[count] == ':' &&
            memcmp(message.bytes, name, count) == 0) {
            return count;
        }
    }
    return 0;
}

/// The length of the position `name:line: ` at the start; 0 if there is none.
static size_t position_length(vm *lua, bytes message, int32_t *line) {
    size_t name_count = leading_name(lua, message);
    if (name_count == 0) return 0;
    size_t index = name_count + 1;
    *line = 0;
    while (index < message.count && message.bytes[index] >= '0' && message.bytes[index] <= '9' &&
           *line < 100000000) {
        *line = *line * 10 + (message.bytes[index] - '0');
        index++;
    }
    if (index + 1 >= message.count || message.bytes[index] != ':') return 0;
    char chunk[LUA_IDSIZE + 1] = "=";
    memcpy(chunk + 1, message.bytes, name_count);
    bytes source = {(const uint8_t *)chunk, name_count + 1};
    *line = tapline_lua_line_in_chunk(lua, source, *line);
    return index + (message.bytes[index + 1] == ' ' ? 2 : 1);
}

/// Removes the position from the start, and notes the line.
static bytes without_position(vm *lua, bytes message) {
    int32_t line = 0;
    size_t count = position_length(lua, message, &line);
    if (count > 0) lua->failure_line = line;
    return (bytes){message.bytes + count, message.count - count};
}

void tapline_lua_failure_clean(lua_State *L) {
    // Processing a message takes some microseconds.
    charge(L, 500);
    bytes message = bytes_at(L, -1);
    int32_t line;
    size_t count = position_length(vm_of(L), message, &line);
    text cleaned = {0};
    text_append(&cleaned, message.bytes, count);
    append_clean(
        vm_of(L), &cleaned, (bytes){message.bytes + count, message.count - count}, false);
    lua_pushlstring(L, (const char *)cleaned.bytes, cleaned.count);
    lua_replace(L, -2);
}

void tapline_lua_failure_record(vm *lua, int status, bytes message) {
    text_clear(&lua->failure_message);
    text_clear(&lua->failure_detail);
    if (status == LUA_ERRMEM && lua->tripped == 0) {
        lua->tripped = TAPLINE_LUA_MEMORY;
        lua->tripped_line = lua->refused_line;
    }
    if (lua->tripped != 0) {
        lua->failure = lua->tripped;
        lua->failure_line = lua->tripped_line;
        return;
    }
    bytes rest = without_position(lua, message);
    text_append(&lua->failure_detail, rest.bytes, rest.count);
    if (status == LUA_ERRSYNTAX) {
        lua->failure = TAPLINE_LUA_SYNTAX;
        append_clean(lua, &lua->failure_message, rest, true);
    } else if (lua->raised) {
        lua->failure = TAPLINE_LUA_RAISED;
        text_append_string(&lua->failure_message, "the script raised an error");
    } else {
        lua->failure = TAPLINE_LUA_FAULT;
        append_clean(lua, &lua->failure_message, rest, false);
    }
}

/// The message handler of a call, which runs at the point of the error and thus sees the line.
int tapline_lua_failure_handler(lua_State *L) {
    vm *lua = vm_of(L);
    if (lua->tripped != 0) return 1;
    lua->failure_line = tapline_lua_current_line(L);
    if (lua_type(L, 1) == LUA_TSTRING) {
        tapline_lua_failure_record(lua, LUA_ERRRUN, bytes_at(L, 1));
    } else {
        // Lua itself raises only strings.
        lua->raised = true;
        tapline_lua_failure_record(lua, LUA_ERRRUN, (bytes){NULL, 0});
        text_append_string(&lua->failure_detail, "error object is a ");
        text_append_string(&lua->failure_detail, luaL_typename(L, 1));
    }
    return 1;
}
