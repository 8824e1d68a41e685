// SPDX-License-Identifier: MIT

// Checks of the values that scripts pass, and the memory that keeps them until the call ends.

#include "internal.h"

#include <stdlib.h>

// MARK: - The call's memory

/// Fails the call even if the script catches the error. A partial change would leave the script's
/// view, the applied changes and the fields of a body inconsistent.
static _Noreturn void refuse_change(lua_State *L, const char *message) {
    vm *lua = vm_of(L);
    if (lua->refused_change == NULL) {
        lua->refused_change = message;
        lua->refused_change_line = tapline_lua_current_line(L);
    }
    luaL_error(L, "%s", message);
    abort();
}

void *tapline_lua_keep_room(lua_State *L, size_t count) {
    void *room = tapline_lua_arena_take(&vm_of(L)->memory, count == 0 ? 1 : count);
    if (room == NULL) refuse_change(L, "changes are larger than option 'max_memory' allows");
    return room;
}

bytes tapline_lua_keep_bytes(lua_State *L, bytes value) {
    uint8_t *room = tapline_lua_keep_room(L, value.count);
    if (value.count > 0) memcpy(room, value.bytes, value.count);
    return (bytes){room, value.count};
}

void tapline_lua_change_text(lua_State *L, size_t position, bytes text) {
    vm *lua = vm_of(L);
    if (lua->text_change_count == lua->text_change_capacity) {
        size_t capacity = lua->text_change_capacity == 0 ? 32 : lua->text_change_capacity * 2;
        if (capacity > MAX_TEXT_CHANGES) refuse_change(L, "more than 4096 changed texts in one call");
        tapline_lua_text_change *grown = realloc(lua->text_changes, capacity * sizeof *grown);
        if (grown == NULL) refuse_change(L, "not enough memory");
        lua->text_changes = grown;
        lua->text_change_capacity = capacity;
    }
    // Counted only when complete, because keeping its bytes may raise.
    tapline_lua_text_change made = {position, tapline_lua_keep_bytes(L, text)};
    lua->text_changes[lua->text_change_count++] = made;
}

void tapline_lua_too_large(lua_State *L, const section *list) {
    const vm *lua = vm_of(L);
    refuse_change(
        L, list == &lua->tags   ? "tags are larger than 1 MiB"
            : list == &lua->vars ? "variables are larger than 1 MiB"
                                 : "headers are larger than 1 MiB");
}

void tapline_lua_set_field(lua_State *L, section *list, const char *name, bytes value) {
    bytes field = {(const uint8_t *)name, strlen(name)};
    if (!tapline_lua_section_set(list, field, value)) tapline_lua_too_large(L, list);
}

void tapline_lua_remove_field(lua_State *L, section *list, const char *name) {
    bytes field = {(const uint8_t *)name, strlen(name)};
    if (!tapline_lua_section_remove(list, field)) tapline_lua_too_large(L, list);
}

void tapline_lua_add_reply_field(lua_State *L, bytes name, bytes value) {
    tapline_lua_check_token(L, name, "header name");
    tapline_lua_check_field_value(L, value);
    if (!tapline_lua_section_add(&vm_of(L)->reply_headers, name, value)) {
        luaL_error(L, "headers are larger than 1 MiB");
    }
}

// MARK: - Checks

void tapline_lua_check_token(lua_State *L, bytes name, const char *what) {
    if (name.count == 0) luaL_error(L, "%s is empty", what);
    if (name.count > MAX_NAME_BYTES) luaL_error(L, "%s is longer than %d bytes", what, MAX_NAME_BYTES);
    size_t end = vm_of(L)->functions.token_end(name);
    if (end < name.count) {
        luaL_error(
            L, "%s has a character that is not allowed, at byte %d; expected a token", what,
            (int)end + 1);
    }
}

void tapline_lua_check_field_value(lua_State *L, bytes value) {
    size_t end = vm_of(L)->functions.field_end(value);
    if (end < value.count) {
        luaL_error(L, "header value has a CR, LF or NUL, at byte %d", (int)end + 1);
    }
}

bytes tapline_lua_text_argument(lua_State *L, int index, const char *what) {
    int type = lua_type(L, index);
    if (type != LUA_TSTRING && type != LUA_TNUMBER) {
        luaL_error(L, "%s is a %s; expected a string", what, lua_typename(L, type));
    }
    return bytes_at(L, index);
}

int64_t tapline_lua_status_argument(lua_State *L, int index) {
    int exact = 0;
    lua_Integer status = lua_tointegerx(L, index, &exact);
    // Lower statuses are interim responses (RFC 9110 §15.2), after which a client waits for
    // another.
    if (!exact || status < 200 || status > 999) {
        luaL_error(L, "status is invalid; expected an integer from 200 to 999");
    }
    return status;
}

int tapline_lua_compare_bytes(const void *left, const void *right) {
    const bytes *one = left, *other = right;
    size_t count = one->count < other->count ? one->count : other->count;
    int order = count == 0 ? 0 : memcmp(one->bytes, other->bytes, count);
    if (order != 0) return order;
    return (one->count > other->count) - (one->count < other->count);
}

void tapline_lua_sort_bytes(bytes *list, size_t count) {
    // Most lists are short, for which insertion sort is faster.
    if (count > 24) {
        qsort(list, count, sizeof *list, tapline_lua_compare_bytes);
        return;
    }
    for (size_t next = 1; next < count; next++) {
        bytes moved = list[next];
        size_t place = next;
        for (; place > 0 && tapline_lua_compare_bytes(&moved, &list[place - 1]) < 0; place--) {
            list[place] = list[place - 1];
        }
        list[place] = moved;
    }
}

const bytes *tapline_lua_sorted_names(lua_State *L, int index, size_t *count) {
    size_t found = 0;
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        tapline_lua_string_argument(L, -2, "header name");
        charge(L, 1);
        found++;
    }
    bytes *names = tapline_lua_keep_room(L, found * sizeof *names);
    charge(L, found * 8);
    *count = 0;
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        charge(L, 1);
        names[(*count)++] = bytes_at(L, -2);
    }
    tapline_lua_sort_bytes(names, found);
    return names;
}

// MARK: - For libraries

/// Appends words as `a, b or c`.
static void append_choice(luaL_Buffer *list, const char *const *words) {
    for (int number = 0; words[number] != NULL; number++) {
        if (number > 0) luaL_addstring(list, words[number + 1] == NULL ? " or " : ", ");
        luaL_addstring(list, words[number]);
    }
}

int tapline_lua_option_argument(
    lua_State *L, int index, const char *what, const char *const *options) {
    if (lua_isnoneornil(L, index)) return 0;
    bytes value = tapline_lua_string_argument(L, index, what);
    for (int number = 0; options[number] != NULL; number++) {
        bytes option = {(const uint8_t *)options[number], strlen(options[number])};
        if (bytes_equal(value, option)) return number;
    }
    luaL_Buffer list;
    luaL_buffinit(L, &list);
    append_choice(&list, options);
    luaL_pushresult(&list);
    luaL_error(L, "%s is invalid; expected %s", what, lua_tostring(L, -1));
    return 0;
}

int tapline_lua_give_nil(lua_State *L, const char *message) {
    lua_pushnil(L);
    lua_pushstring(L, message);
    return 2;
}

bytes tapline_lua_string_argument(lua_State *L, int index, const char *what) {
    int type = lua_type(L, index);
    if (type != LUA_TSTRING) {
        luaL_error(L, "%s is a %s; expected a string", what, lua_typename(L, type < 0 ? 0 : type));
    }
    return bytes_at(L, index);
}
