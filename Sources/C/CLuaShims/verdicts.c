// SPDX-License-Identifier: MIT

// `respond`, `drop`, `delay` and `abort`: they create a verdict that the hook must return.

#include "internal.h"

enum { MAX_REASON = 200, MAX_DELAY_SECONDS = 3600 };

/// Creates a verdict of this call. It takes effect only in `give`: a verdict whose creation fails
/// is ignored, even if the script catches the error.
static verdict new_verdict(lua_State *L, const char *name, int32_t kind) {
    vm *lua = vm_of(L);
    if (lua->exchange == NULL) {
        luaL_error(L, "function '%s' is not available outside of a hook", name);
    }
    bool is_message = lua->hook == TAPLINE_LUA_MESSAGE;
    if ((is_message || lua->hook == TAPLINE_LUA_RECORD) && strcmp(name, "drop") != 0 &&
        !(is_message && strcmp(name, "abort") == 0)) {
        luaL_error(
            L, "function '%s' is not available in hook '%s'", name,
            tapline_lua_hook_names[lua->hook]);
    }
    if (lua->verdict.made) {
        luaL_error(L, "a hook can create one verdict per call; this is the second");
    }
    return (verdict){.made = true, .kind = kind, .line = tapline_lua_current_line(L)};
}

/// Makes a complete verdict take effect, and returns it to the script.
static int give(lua_State *L, verdict made) {
    tapline_lua_push_object(L, OBJECT_VERDICT);
    vm_of(L)->verdict = made;
    return 1;
}

static int verdict_drop(lua_State *L) {
    bytes reason = {NULL, 0};
    if (!lua_isnoneornil(L, 1)) reason = tapline_lua_text_argument(L, 1, "reason");
    if (reason.count > MAX_REASON) luaL_error(L, "reason is longer than %d bytes", MAX_REASON);
    verdict made = new_verdict(L, "drop", TAPLINE_LUA_DROP);
    made.reason = tapline_lua_keep_bytes(L, reason);
    return give(L, made);
}

static int verdict_abort(lua_State *L) {
    return give(L, new_verdict(L, "abort", TAPLINE_LUA_ABORT));
}

static int verdict_delay(lua_State *L) {
    int isnum = 0;
    lua_Number seconds = lua_tonumberx(L, 1, &isnum);
    // Written so that NaN is also refused.
    if (!isnum || !(seconds >= 0 && seconds <= MAX_DELAY_SECONDS)) {
        luaL_error(L, "delay is invalid; expected seconds from 0 to %d", MAX_DELAY_SECONDS);
    }
    vm *lua = vm_of(L);
    verdict made = lua->verdict;
    if (lua_isnoneornil(L, 2)) {
        made = new_verdict(L, "delay", TAPLINE_LUA_PROCEED);
    } else if (
        !made.made || made.has_delay || lua_touserdata(L, 2) != lua->objects[OBJECT_VERDICT]) {
        luaL_error(L, "the second argument of delay is not a verdict of the same call");
    }
    made.has_delay = true;
    made.delay = (int64_t)(seconds * 1e6);
    return give(L, made);
}

// MARK: - respond

const char *const tapline_lua_reply_names[] = {
    "status", "reason", "headers", "body", "json", "file", NULL};

/// Pushes a part of the argument of `respond` with raw access, so that no script code runs.
static int reply_part(lua_State *L, const char *name) {
    lua_pushstring(L, name);
    return lua_rawget(L, 1);
}

/// Adds the value on top of the stack: a text, or a list of texts.
static void add_reply_values(lua_State *L, bytes name) {
    int index = lua_gettop(L);
    if (lua_type(L, index) != LUA_TTABLE) {
        tapline_lua_add_reply_field(L, name, tapline_lua_text_argument(L, index, "header value"));
        return;
    }
    lua_Integer count = (lua_Integer)lua_rawlen(L, index);
    for (lua_Integer position = 1; position <= count; position++) {
        charge(L, 4);
        lua_rawgeti(L, index, position);
        tapline_lua_add_reply_field(L, name, tapline_lua_text_argument(L, -1, "header value"));
        lua_pop(L, 1);
    }
}

/// Adds headers from a table of names and values, sent in the order of their names.
static void add_reply_map(lua_State *L, int index) {
    size_t count;
    const bytes *names = tapline_lua_sorted_names(L, index, &count);
    for (size_t position = 0; position < count; position++) {
        push_bytes(L, names[position]);
        lua_rawget(L, index);
        add_reply_values(L, names[position]);
        lua_pop(L, 1);
    }
}

/// Adds headers from a list of pairs, sent in that order.
static void add_reply_list(lua_State *L, int index) {
    lua_Integer count = (lua_Integer)lua_rawlen(L, index);
    for (lua_Integer position = 1; position <= count; position++) {
        charge(L, 4);
        if (lua_rawgeti(L, index, position) != LUA_TTABLE) {
            luaL_error(L, "headers are not a list of pairs; expected {{\"Name\", \"value\"}}");
        }
        lua_rawgeti(L, -1, 1);
        bytes name = tapline_lua_text_argument(L, -1, "header name");
        lua_rawgeti(L, -2, 2);
        add_reply_values(L, name);
        lua_pop(L, 3);
    }
}

static void add_reply_headers(lua_State *L) {
    if (reply_part(L, "headers") != LUA_TNIL) {
        luaL_argexpected(L, lua_istable(L, -1), 1, "headers as a table");
        int index = lua_gettop(L);
        if (lua_rawlen(L, index) > 0) {
            add_reply_list(L, index);
        } else {
            add_reply_map(L, index);
        }
    }
    lua_pop(L, 1);
}

static void set_default_type(lua_State *L, const char *type) {
    if (tapline_lua_section_find(&vm_of(L)->reply_headers, BYTES("Content-Type"), 0) >= 0) return;
    tapline_lua_add_reply_field(
        L, BYTES("Content-Type"), (bytes){(const uint8_t *)type, strlen(type)});
}

/// The body, given in at most one of three forms.
static bytes reply_body(lua_State *L) {
    bytes result = {NULL, 0};
    int json = reply_part(L, "json");
    int file = reply_part(L, "file");
    int body = reply_part(L, "body");
    if ((json != LUA_TNIL) + (file != LUA_TNIL) + (body != LUA_TNIL) > 1) {
        luaL_error(L, "respond has more than one of body, json and file; expected only one");
    }
    int top = lua_gettop(L);
    if (body != LUA_TNIL) {
        result = tapline_lua_keep_bytes(L, tapline_lua_text_argument(L, top, "body"));
    } else if (file != LUA_TNIL) {
        bytes path = tapline_lua_string_argument(L, top - 1, "file");
        result = tapline_lua_read_reply_file(L, path);
        set_default_type(L, tapline_lua_media_type_of(path));
    } else if (json != LUA_TNIL) {
        buffer output;
        tapline_lua_buffer_begin(L, &output);
        tapline_lua_json_append(&output, top - 2);
        result = tapline_lua_keep_bytes(L, (bytes){output.bytes, output.count});
        set_default_type(L, "application/json");
    }
    lua_settop(L, 1);
    return result;
}

static int verdict_respond(lua_State *L) {
    vm *lua = vm_of(L);
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    tapline_lua_check_names(L, 1, "respond", tapline_lua_reply_names);
    verdict made = new_verdict(L, "respond", TAPLINE_LUA_RESPOND);
    section_lend(&lua->reply_headers, (tapline_lua_section){{NULL, 0}, NULL, 0});
    message *reply = &made.reply;
    reply->status = 200;
    if (reply_part(L, "status") != LUA_TNIL) reply->status = tapline_lua_status_argument(L, -1);
    reply->reason = lua->functions.reason_of(reply->status);
    if (reply_part(L, "reason") != LUA_TNIL) {
        bytes reason = tapline_lua_text_argument(L, -1, "reason");
        tapline_lua_check_field_value(L, reason);
        reply->reason = tapline_lua_keep_bytes(L, reason);
    }
    lua_settop(L, 1);
    add_reply_headers(L);
    reply->body.bytes = reply_body(L);
    reply->body.size = (int64_t)reply->body.bytes.count;
    if (reply->body.bytes.count > 0 && !lua->functions.content_allows(reply->status)) {
        luaL_error(
            L, "respond has a body, but a response with status %d cannot have one",
            (int)reply->status);
    }
    return give(L, made);
}

void tapline_lua_open_verdicts(lua_State *L) {
    static const luaL_Reg no_metamethods[] = {{NULL, NULL}};
    tapline_lua_make_object(L, OBJECT_VERDICT, no_metamethods, NULL, 0);
    lua_register(L, "respond", verdict_respond);
    lua_register(L, "drop", verdict_drop);
    lua_register(L, "delay", verdict_delay);
    lua_register(L, "abort", verdict_abort);
}
