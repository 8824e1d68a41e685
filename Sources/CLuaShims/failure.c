// SPDX-License-Identifier: MIT

// What is said of a failure. The message holds nothing that a script computed: of Lua's own
// messages, quoted words stay only where they are names out of the script's text.

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

void failure_clear(vm *lua) {
    lua->failure = TAPLINE_LUA_OK;
    lua->failure_line = 0;
    lua->raised = false;
    text_clear(&lua->failure_message);
    text_clear(&lua->failure_detail);
}

void failure_set(vm *lua, int32_t code, const char *message) {
    failure_clear(lua);
    lua->failure = code;
    text_append_string(&lua->failure_message, message);
    text_append_string(&lua->failure_detail, message);
}

/// The length of the name that a message begins with, the script's or a module's; 0 for none.
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

/// Takes the position `name:line: ` off the front, and notes the line.
static bytes without_position(vm *lua, bytes message) {
    size_t name_count = leading_name(lua, message);
    if (name_count == 0) return message;
    size_t index = name_count + 1;
    int32_t line = 0;
    while (index < message.count && message.bytes[index] >= '0' && message.bytes[index] <= '9' &&
           line < 100000000) {
        line = line * 10 + (message.bytes[index] - '0');
        index++;
    }
    if (index + 1 >= message.count || message.bytes[index] != ':') return message;
    char chunk[LUA_IDSIZE + 1] = "=";
    memcpy(chunk + 1, message.bytes, name_count);
    bytes source = {(const uint8_t *)chunk, name_count + 1};
    lua->failure_line = line_in_chunk(lua, source, line);
    index += message.bytes[index + 1] == ' ' ? 2 : 1;
    return (bytes){message.bytes + index, message.count - index};
}

/// Whether the text before a quote says that a name out of the script, or of ours, follows.
static bool announces_name(const uint8_t *start, size_t count) {
    static const char *const heralds[] = {
        "field ", "(local ", "(global ", "(upvalue ", "(method ", "(for iterator ", " to ",
        "function ", "in table for ", "hook ", "mean ", "set ", "of ", "write ", "with ", "option ",
    };
    for (size_t index = 0; index < sizeof heralds / sizeof *heralds; index++) {
        size_t length = strlen(heralds[index]);
        if (count >= length && memcmp(start + count - length, heralds[index], length) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_name(const uint8_t *start, size_t count) {
    if (count > 64) return false;
    for (size_t index = 0; index < count; index++) {
        uint8_t byte = start[index];
        bool fits = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
            (byte >= '0' && byte <= '9') || byte == '_' || byte == '.' || byte == ':' ||
            byte == '?' || byte == ' ' || byte == '(' || byte == ')' || byte == '[' || byte == ']';
        if (!fits) return false;
    }
    return true;
}

/// Words that Lua itself puts in quotes.
static bool is_word_of_lua(const uint8_t *start, size_t count) {
    static const char *const words[] = {
        "for", "n//0", "n%0", "n%%0", "?", "nil", "boolean", "number", "string", "table", "function",
        "userdata", "thread",
   };
    for (size_t index = 0; index < sizeof words / sizeof *words; index++) {
        if (count == strlen(words[index]) && memcmp(start, words[index], count) == 0) return true;
    }
    return false;
}

/// Copies a message and leaves out what stands in quotes, unless it is a name.
static void append_without_values(text *output, bytes message) {
    size_t index = 0;
    while (index < message.count) {
        uint8_t quote = message.bytes[index];
        if (quote != '\'' && quote != '"') {
            text_append(output, &quote, 1);
            index++;
            continue;
        }
        // A value may itself hold quotes, so only a short name ends at the next one.
        size_t end = index + 1;
        while (end < message.count && message.bytes[end] != quote) end++;
        const uint8_t *word = message.bytes + index + 1;
        size_t length = end - index - 1;
        bool named = end < message.count &&
            (is_word_of_lua(word, length) ||
             (announces_name(message.bytes, index) && is_name(word, length)));
        if (!named) {
            text_append_string(output, "'…'");
            return;
        }
        text_append(output, message.bytes + index, end + 1 - index);
        index = end + 1;
    }
}

void failure_record(vm *lua, int status, bytes message) {
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
        text_append(&lua->failure_message, rest.bytes, rest.count);
    } else if (lua->raised) {
        lua->failure = TAPLINE_LUA_RAISED;
        text_append_string(&lua->failure_message, "the script raised an error");
    } else {
        lua->failure = TAPLINE_LUA_FAULT;
        append_without_values(&lua->failure_message, rest);
    }
}

/// The message handler of a call: runs where the error happened, so that it sees the line.
int failure_handler(lua_State *L) {
    vm *lua = vm_of(L);
    if (lua->tripped != 0) return 1;
    lua->failure_line = current_line(L);
    if (lua_type(L, 1) == LUA_TSTRING) {
        failure_record(lua, LUA_ERRRUN, bytes_at(L, 1));
    } else {
        // Lua itself raises nothing but strings.
        lua->raised = true;
        failure_record(lua, LUA_ERRRUN, (bytes){NULL, 0});
        text_append_string(&lua->failure_detail, "error object is a ");
        text_append_string(&lua->failure_detail, luaL_typename(L, 1));
    }
    return 1;
}
