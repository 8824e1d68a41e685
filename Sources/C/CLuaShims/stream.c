// SPDX-License-Identifier: MIT

// `ex.messages`: WebSocket messages and server-sent events, whose texts can be changed in the
// record; and the message of the hook `message`.

#include "internal.h"

/// The userdata of a message in a list.
typedef struct holder {
    uint64_t generation;
    size_t position;
} holder;

enum { DIRECTION, AT, TYPE, CODE, TEXT, SIZE, TRUNCATED, JSON, EVENT, ID };

const char *const tapline_lua_message_names[] = {
    "dir", "at_ms", "type", "code", "text", "size", "truncated", "json", "event", "id",
    NULL};

/// The registry key of the metatable of messages.
static const char message_mark = 0;

static const tapline_lua_stream *stream_of(lua_State *L) {
    need_part(L, TAPLINE_LUA_LENDS_STREAM);
    return &vm_of(L)->exchange->stream;
}

static void check_list(lua_State *L) {
    if (lua_touserdata(L, 1) != vm_of(L)->objects[OBJECT_STREAM]) {
        luaL_error(L, "called with an object of the wrong type");
    }
}

static int list_index(lua_State *L) {
    check_list(L);
    const tapline_lua_stream *stream = stream_of(L);
    int exact = 0;
    lua_Integer position = lua_tointegerx(L, 2, &exact);
    if (!exact) return luaL_error(L, "ex.messages is a list; expected a number as in ex.messages[1]");
    if (position < 1 || (lua_Unsigned)position > stream->count) {
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
    return luaL_error(L, "ex.messages is a read-only list; assign the text of a message instead");
}

static int list_length(lua_State *L) {
    check_list(L);
    lua_pushinteger(L, (lua_Integer)stream_of(L)->count);
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

/// A lent message: one of the list, or the message of the hook `message`.
typedef struct lent_message {
    const tapline_lua_stream_message *properties;
    bytes type, text, event, id;
} lent_message;

/// The position of the message of the hook `message`, which is not in the list.
static const size_t current_message = SIZE_MAX;

/// The message in the first argument; raises for a message that was kept from another call.
static lent_message message_argument(lua_State *L, holder **held) {
    vm *lua = vm_of(L);
    holder *found = lua_touserdata(L, 1);
    bool fits = found != NULL && lua_getmetatable(L, 1);
    if (fits) {
        lua_rawgetp(L, LUA_REGISTRYINDEX, &message_mark);
        fits = lua_rawequal(L, -1, -2);
        lua_pop(L, 2);
    }
    if (!fits) luaL_error(L, "called with an object of the wrong type");
    *held = found;
    bool is_good = lua->exchange != NULL && found->generation == lua->extras.generation;
    if (is_good && found->position == current_message) {
        const tapline_lua_exchange *lent = lua->exchange;
        return (lent_message){
            &lent->message, lent->message_type, lent->message_text, lent->message_event,
            lent->message_id};
    }
    const tapline_lua_stream *stream = is_good ? stream_of(L) : NULL;
    if (!is_good || found->position >= stream->count) {
        luaL_error(
            L, "this message belongs to another call; messages are valid only inside their hook");
    }
    const tapline_lua_stream_message *properties = &stream->messages[found->position];
    const uint8_t *start = stream->bytes.bytes;
    const uint8_t *event = start + properties->type_start + properties->type_count;
    return (lent_message){
        properties, {start + properties->type_start, properties->type_count},
        {start + properties->start, properties->count}, {event, properties->event_count},
        {event + properties->event_count, properties->id_count}};
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

/// The text of a message: the last assigned one, or otherwise the received one.
static bytes text_of(lua_State *L, lent_message message, size_t position) {
    const vm *lua = vm_of(L);
    if (position == current_message) return message.text;
    charge(L, lua->text_change_count / 16);
    for (size_t index = lua->text_change_count; index > 0; index--) {
        const tapline_lua_text_change *change = &lua->text_changes[index - 1];
        if (change->position == position) return change->text;
    }
    return message.text;
}

/// Pushes a name, or nil if it is empty.
static void push_name(lua_State *L, bytes name) {
    if (name.count == 0) {
        lua_pushnil(L);
    } else {
        push_bytes(L, name);
    }
}

static int message_json(lua_State *L) {
    holder *held;
    lent_message message = message_argument(L, &held);
    tapline_lua_json_push(L, text_of(L, message, held->position));
    return 1;
}

static int message_index(lua_State *L) {
    holder *held;
    lent_message message = message_argument(L, &held);
    const tapline_lua_stream_message *properties = message.properties;
    switch (tapline_lua_field_number(L, 2, "a message", tapline_lua_message_names)) {
    case DIRECTION: lua_pushstring(L, properties->is_up ? "up" : "down"); break;
    case AT: push_known_number(L, properties->at, INT64_MIN, true); break;
    case TYPE: push_bytes(L, message.type); break;
    case CODE: push_known_number(L, properties->code, -1, false); break;
    case TEXT: push_bytes(L, text_of(L, message, held->position)); break;
    case SIZE: push_known_number(L, properties->size, -1, false); break;
    case JSON: lua_pushcfunction(L, message_json); break;
    case EVENT: push_name(L, message.event); break;
    case ID: push_name(L, message.id); break;
    default: lua_pushboolean(L, properties->truncated); break;
    }
    return 1;
}

/// Raises unless the message may get a text: a message that is too long for the hook is passed on
/// unchanged, and a message of type text that is not UTF-8 would end the connection (RFC 6455
/// §8.1).
static void check_text(lua_State *L, lent_message message, size_t position, bytes text) {
    if (position != current_message) {
        if (vm_of(L)->hook != TAPLINE_LUA_RECORD) {
            luaL_error(
                L, "ex.messages cannot be changed in hook '%s'; expected in hook 'record'",
                tapline_lua_hook_names[vm_of(L)->hook]);
        }
        return;
    }
    if (message.properties->truncated) {
        luaL_error(
            L, "the message is longer than option 'max_buffer' of the stage, so it cannot be "
            "changed; raise the option, or check 'truncated' first");
    }
    if (bytes_equal(message.type, BYTES("text")) &&
        !tapline_json_is_utf8(text.bytes, text.count)) {
        luaL_error(L, "a message of type text must be UTF-8");
    }
}

static int message_newindex(lua_State *L) {
    holder *held;
    lent_message message = message_argument(L, &held);
    int field = tapline_lua_field_number(L, 2, "a message", tapline_lua_message_names);
    if (field != TEXT && field != JSON) {
        return luaL_error(
            L, "field '%s' of a message cannot be assigned", tapline_lua_message_names[field]);
    }
    buffer output;
    bytes text;
    if (field == JSON) {
        tapline_lua_buffer_begin(L, &output);
        tapline_lua_json_append(&output, 3);
        text = (bytes){output.bytes, output.count};
    } else {
        text = tapline_lua_text_argument(L, 3, "text");
    }
    check_text(L, message, held->position, text);
    if (held->position == current_message) {
        vm_of(L)->lent.message_text = tapline_lua_keep_bytes(L, text);
        vm_of(L)->has_changed_text = true;
    } else {
        tapline_lua_change_text(L, held->position, text);
    }
    return 0;
}

void tapline_lua_push_message(lua_State *L) {
    vm *lua = vm_of(L);
    holder *held = lua->objects[OBJECT_MESSAGE];
    *held = (holder){lua->extras.generation, current_message};
    tapline_lua_push_object(L, OBJECT_MESSAGE);
}

/// Creates the userdata for the hook `message`, with the metatable of all messages.
static void make_message(lua_State *L) {
    vm *lua = vm_of(L);
    static const luaL_Reg none[] = {{NULL, NULL}};
    tapline_lua_make_object_of(L, OBJECT_MESSAGE, sizeof(holder), none, NULL, 0);
    tapline_lua_push_object(L, OBJECT_MESSAGE);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &message_mark);
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
    *(holder *)lua->objects[OBJECT_MESSAGE] = (holder){0, current_message};
}

void tapline_lua_open_stream(lua_State *L) {
    static const luaL_Reg list[] = {
        {"__index", list_index}, {"__newindex", list_newindex}, {"__len", list_length},
        {"__pairs", list_pairs}, {NULL, NULL},
    };
    tapline_lua_make_object(L, OBJECT_STREAM, list, NULL, 0);
    static const luaL_Reg message[] = {
        {"__index", message_index}, {"__newindex", message_newindex}, {NULL, NULL}};
    tapline_lua_make_metatable(L, &message_mark, message, tapline_lua_message_names);
    make_message(L);
}
