// SPDX-License-Identifier: MIT

// `ex.messages`: WebSocket messages and server-sent events. Their texts can be changed in the record.

#include "internal.h"

/// A message of a list, as a script holds it.
typedef struct holder {
    uint64_t generation;
    size_t position;
} holder;

enum { DIRECTION, AT, TYPE, TEXT, SIZE, TRUNCATED };

const char *const message_names[] = {
    "dir", "at_ms", "type", "text", "size", "truncated", NULL};

/// The place of the metatable of messages.
static const char message_mark = 0;

static const tapline_lua_details *stream_of(lua_State *L) {
    const tapline_lua_details *details = details_of(L, "messages");
    if ((vm_of(L)->extras.needs & TAPLINE_LUA_NEEDS_MESSAGES) == 0) {
        luaL_error(L, "field 'messages' is there for scripts in whose text it is written out");
    }
    return details;
}

static void check_list(lua_State *L) {
    if (lua_touserdata(L, 1) != vm_of(L)->objects[OBJECT_STREAM]) {
        luaL_error(L, "called with another object than its own");
    }
}

static int list_index(lua_State *L) {
    check_list(L);
    const tapline_lua_details *details = stream_of(L);
    int exact = 0;
    lua_Integer position = lua_tointegerx(L, 2, &exact);
    if (!exact) return luaL_error(L, "ex.messages is a list; expected a number as in ex.messages[1]");
    if (position < 1 || (lua_Unsigned)position > details->message_count) {
        lua_pushnil(L);
        return 1;
    }
    holder *made = lua_newuserdatauv(L, sizeof *made, 0);
    *made = (holder){vm_of(L)->extras.generation, (size_t)position - 1};
    lua_rawgetp(L, LUA_REGISTRYINDEX, &message_mark);
    lua_setmetatable(L, -2);
    return 1;
}

static int list_newindex(lua_State *L) {
    return luaL_error(L, "ex.messages is a list that cannot be changed; assign to the text of one");
}

static int list_length(lua_State *L) {
    check_list(L);
    lua_pushinteger(L, (lua_Integer)stream_of(L)->message_count);
    return 1;
}

static int list_next(lua_State *L) {
    lua_Integer position = luaL_checkinteger(L, 2);
    if (position < LUA_MAXINTEGER) position++;
    lua_settop(L, 1);
    lua_pushinteger(L, position);
    list_index(L);
    if (lua_isnil(L, -1)) return 1;
    return 2;
}

static int list_pairs(lua_State *L) {
    check_list(L);
    lua_pushcfunction(L, list_next);
    lua_pushvalue(L, 1);
    lua_pushinteger(L, 0);
    return 3;
}

// MARK: - A message

/// The message of the first argument; raises for one that was kept from another call.
static const tapline_lua_stream_message *message_argument(lua_State *L, holder **held) {
    holder *found = lua_touserdata(L, 1);
    bool fits = found != NULL && lua_getmetatable(L, 1);
    if (fits) {
        lua_rawgetp(L, LUA_REGISTRYINDEX, &message_mark);
        fits = lua_rawequal(L, -1, -2);
        lua_pop(L, 2);
    }
    if (!fits) luaL_error(L, "called with another object than its own");
    const tapline_lua_details *details = stream_of(L);
    if (found->generation != vm_of(L)->extras.generation ||
        found->position >= details->message_count) {
        luaL_error(L, "this message belongs to another call; messages are good inside their hook");
    }
    *held = found;
    return &details->messages[found->position];
}

static void push_known_number(lua_State *L, int64_t value, int64_t unknown, bool scales) {
    if (value == unknown) {
        lua_pushnil(L);
    } else if (scales) {
        lua_pushnumber(L, (lua_Number)value / 1000);
    } else {
        lua_pushinteger(L, value);
    }
}

/// The text of a message: what was assigned last, or else what was received.
static bytes text_of(lua_State *L, size_t position, bytes received) {
    const vm *lua = vm_of(L);
    charge(L, lua->edit_count / 16);
    for (size_t index = lua->edit_count; index > 0; index--) {
        const tapline_lua_edit *edit = &lua->edits[index - 1];
        if (edit->section == TAPLINE_LUA_MESSAGES && edit->position == position) return edit->value;
    }
    return received;
}

static int message_index(lua_State *L) {
    holder *held;
    const tapline_lua_stream_message *message = message_argument(L, &held);
    const uint8_t *start = vm_of(L)->exchange->details.bytes.bytes;
    switch (field_number(L, 2, "a message", message_names)) {
    case DIRECTION: lua_pushstring(L, message->is_up ? "up" : "down"); break;
    case AT: push_known_number(L, message->at, INT64_MIN, true); break;
    case TYPE: push_bytes(L, (bytes){start + message->type_start, message->type_count}); break;
    case TEXT:
        push_bytes(L, text_of(L, held->position, (bytes){start + message->start, message->count}));
        break;
    case SIZE: push_known_number(L, message->size, -1, false); break;
    default: lua_pushboolean(L, message->truncated); break;
    }
    return 1;
}

static int message_newindex(lua_State *L) {
    holder *held;
    message_argument(L, &held);
    int field = field_number(L, 2, "a message", message_names);
    if (field != TEXT) {
        return luaL_error(L, "field '%s' of a message cannot be assigned", message_names[field]);
    }
    vm *lua = vm_of(L);
    if (lua->hook != TAPLINE_LUA_RECORD) {
        return luaL_error(L, "messages can be changed in hook 'record' alone");
    }
    bytes text = text_argument(L, 3, "text");
    add_edit_at(
        L, TAPLINE_LUA_MESSAGES, TAPLINE_LUA_SET_AT, held->position, (bytes){NULL, 0}, text);
    return 0;
}

void open_stream(lua_State *L) {
    static const luaL_Reg list[] = {
        {"__index", list_index}, {"__newindex", list_newindex}, {"__len", list_length},
        {"__pairs", list_pairs}, {NULL, NULL},
    };
    make_object(L, OBJECT_STREAM, list, NULL, 0);
    static const luaL_Reg message[] = {
        {"__index", message_index}, {"__newindex", message_newindex}, {NULL, NULL}};
    make_metatable(L, &message_mark, message, message_names);
}
