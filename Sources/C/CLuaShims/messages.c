// SPDX-License-Identifier: MIT

// `ex.request` and `ex.response`.

#include "internal.h"

enum {
    METHOD, URL, SCHEME, HOST, PORT, PATH, QUERY, TARGET,
    STATUS, REASON,
    VERSION, HEADERS, COOKIES, TRAILERS, INTERIM, BODY, BODY_SIZE, BODY_TRUNCATED, JSON, FORM,
    MULTIPART
};

static const char *const all_names[] = {
    "method", "url", "scheme", "host", "port", "path", "query", "target", "status", "reason",
    "version", "headers", "cookies", "trailers", "interim", "body", "body_size", "body_truncated",
    "json", "form", "multipart", NULL,
};
const char *const tapline_lua_request_names[] = {
    "method", "url", "scheme", "host", "port", "path", "query", "target", "version", "headers",
    "cookies", "trailers", "body", "body_size", "body_truncated", "json", "form", "multipart", NULL,
};
const char *const tapline_lua_response_names[] = {
    "status", "reason", "version", "headers", "cookies", "trailers", "interim", "body", "body_size",
    "body_truncated", "json", NULL,
};

/// The user values in which a message's userdata caches its body and JSON value.
enum { CACHED_BODY = 1, CACHED_JSON = 2 };

static bool is_request(lua_State *L, const side *message) { return message == &vm_of(L)->request; }

static const char *name_of(lua_State *L, const side *message) {
    return is_request(L, message) ? "ex.request" : "ex.response";
}

void tapline_lua_check_present(lua_State *L, const side *message) {
    check_exchange(L);
    if (!message->view.present) luaL_error(L, "this exchange has no %s", name_of(L, message) + 3);
}

void tapline_lua_check_writable(lua_State *L, const side *message) {
    tapline_lua_check_present(L, message);
    if (!message->view.writable) {
        luaL_error(
            L, "%s cannot be changed in hook '%s'", name_of(L, message), tapline_lua_hook_names[vm_of(L)->hook]);
    }
}

// MARK: - Bodies

void tapline_lua_check_readable(lua_State *L, const side *message) {
    const char *name = name_of(L, message);
    if (message->view.body.reading == TAPLINE_LUA_BODY_NOT_DECODED) {
        tapline_lua_have_lent(
            L, is_request(L, message) ? TAPLINE_LUA_LENDS_REQUEST_BODY
                                      : TAPLINE_LUA_LENDS_RESPONSE_BODY);
    }
    switch (message->view.body.reading) {
    case TAPLINE_LUA_BODY_STREAMED:
        luaL_error(
            L, "the body of %s is not available; set 'buffer: [%s]' on this stage", name, name + 3);
        break;
    case TAPLINE_LUA_BODY_CUT:
        luaL_error(
            L, "the body of %s was truncated (see body_truncated); raise option "
            "'capture_max_bytes' of the source, or option 'max_buffer' of the stage", name);
        break;
    case TAPLINE_LUA_BODY_CODED:
        luaL_error(L, "the body of %s is encoded and cannot be decoded", name);
        break;
    default: break;
    }
}

/// Pushes a value that the message's userdata caches; returns false and pushes nothing if there is
/// none.
static bool push_cached(lua_State *L, const side *message, int value) {
    if (!message->cached) return false;
    tapline_lua_push_object(L, is_request(L, message) ? OBJECT_REQUEST : OBJECT_RESPONSE);
    if (lua_getiuservalue(L, -1, value) == LUA_TNIL) {
        lua_pop(L, 2);
        return false;
    }
    lua_remove(L, -2);
    return true;
}

/// Caches the value on top of the stack.
static void cache(lua_State *L, side *message, int value) {
    tapline_lua_push_object(L, is_request(L, message) ? OBJECT_REQUEST : OBJECT_RESPONSE);
    lua_pushvalue(L, -2);
    lua_setiuservalue(L, -2, value);
    lua_pop(L, 1);
    message->cached = true;
}

void tapline_lua_drop_cache(lua_State *L, side *message) {
    if (!message->cached) return;
    message->cached = false;
    tapline_lua_push_object(L, is_request(L, message) ? OBJECT_REQUEST : OBJECT_RESPONSE);
    for (int value = CACHED_BODY; value <= CACHED_JSON; value++) {
        lua_pushnil(L);
        lua_setiuservalue(L, -2, value);
    }
    lua_pop(L, 1);
}

static void push_body(lua_State *L, side *message) {
    tapline_lua_check_readable(L, message);
    if (push_cached(L, message, CACHED_BODY)) return;
    push_bytes(L, message->view.body.bytes);
    cache(L, message, CACHED_BODY);
}

static side *side_argument(lua_State *L) {
    vm *lua = vm_of(L);
    const void *object = lua_touserdata(L, 1);
    if (object != NULL && object == lua->objects[OBJECT_REQUEST]) return &lua->request;
    if (object != NULL && object == lua->objects[OBJECT_RESPONSE]) return &lua->response;
    luaL_error(L, "json is called with a colon: write 'ex.request:json()'");
    return NULL;
}

static int message_json(lua_State *L) {
    side *message = side_argument(L);
    tapline_lua_check_present(L, message);
    tapline_lua_check_readable(L, message);
    if (push_cached(L, message, CACHED_JSON)) return 1;
    tapline_lua_json_push(L, message->view.body.bytes);
    cache(L, message, CACHED_JSON);
    return 1;
}

section *tapline_lua_headers_of(lua_State *L, const side *message) {
    vm *lua = vm_of(L);
    return is_request(L, message) ? &lua->request_headers : &lua->response_headers;
}

/// Updates the fields of a message to match its new content.
static void follow_content(lua_State *L, side *message, size_t size) {
    section *headers = tapline_lua_headers_of(L, message);
    size_t count = 0;
    uint8_t *room = tapline_lua_keep_room(L, headers->view.bytes.count + 64);
    entry *entries = tapline_lua_keep_room(L, (headers->view.count + 1) * sizeof *entries);
    size_t made = vm_of(L)->functions.content_replace(
        &headers->view, is_request(L, message), message->view.status, size, entries, room, &count);
    tapline_lua_section fields = {{room, count}, entries, made};
    if (!tapline_lua_section_assign(headers, fields)) tapline_lua_too_large(L, headers);
}

/// Replaces the body. On the wire the fields that describe it are updated; in a record the fields
/// and the size counted on the wire stay as received.
void tapline_lua_replace_body(lua_State *L, side *message, bytes value) {
    vm *lua = vm_of(L);
    tapline_lua_body *body = &message->view.body;
    body->bytes = tapline_lua_keep_bytes(L, value);
    body->reading = TAPLINE_LUA_BODY_READABLE;
    body->truncated = false;
    message->changes |= TAPLINE_LUA_BODY;
    tapline_lua_drop_cache(L, message);
    if (is_request(L, message)) lua->extras.layout = NULL;
    if (lua->hook == TAPLINE_LUA_RECORD) return;
    body->size = (int64_t)value.count;
    body->content_type = (bytes){NULL, 0};
    follow_content(L, message, value.count);
}

static void assign_body(lua_State *L, side *message, int index) {
    bytes value = {NULL, 0};
    if (!lua_isnil(L, index)) value = tapline_lua_text_argument(L, index, "body");
    tapline_lua_replace_body(L, message, value);
}

/// `message.json = value`: the body becomes the JSON text, and on the wire Content-Type is set.
static void assign_json(lua_State *L, side *message, int index) {
    buffer output;
    tapline_lua_buffer_begin(L, &output);
    tapline_lua_json_append(&output, index);
    tapline_lua_replace_body(L, message, (bytes){output.bytes, output.count});
    if (vm_of(L)->hook == TAPLINE_LUA_RECORD) return;
    if (tapline_lua_has_media_kind(L, message, TAPLINE_LUA_MEDIA_JSON)) return;
    section *headers = tapline_lua_headers_of(L, message);
    tapline_lua_set_field(L, headers, "Content-Type", BYTES("application/json"));
}

/// The request's body as a form; nil if its type is not that of a form.
static int message_form(lua_State *L) {
    vm *lua = vm_of(L);
    if (lua_touserdata(L, 1) == NULL || lua_touserdata(L, 1) != lua->objects[OBJECT_REQUEST]) {
        luaL_error(L, "form is called with a colon: write 'ex.request:form()'");
    }
    tapline_lua_check_present(L, &lua->request);
    if (!tapline_lua_has_media_kind(L, &lua->request, TAPLINE_LUA_MEDIA_FORM)) {
        return tapline_lua_give_nil(L, "the body is not a form");
    }
    tapline_lua_check_readable(L, &lua->request);
    tapline_lua_push_object(L, OBJECT_FORM);
    return 1;
}

// MARK: - Reading

static void push_shared(lua_State *L, side *message, int field) {
    const tapline_lua_body *body = &message->view.body;
    switch (field) {
    case VERSION: push_bytes(L, message->view.version); break;
    case HEADERS:
        tapline_lua_push_object(
            L, is_request(L, message) ? OBJECT_REQUEST_HEADERS : OBJECT_RESPONSE_HEADERS);
        break;
    case COOKIES:
        tapline_lua_push_object(
            L, is_request(L, message) ? OBJECT_REQUEST_COOKIES : OBJECT_RESPONSE_COOKIES);
        break;
    case TRAILERS:
        tapline_lua_push_object(
            L, is_request(L, message) ? OBJECT_REQUEST_TRAILERS : OBJECT_RESPONSE_TRAILERS);
        break;
    case INTERIM: tapline_lua_push_interim(L); break;
    case FORM: lua_pushcfunction(L, message_form); break;
    case MULTIPART: lua_pushcfunction(L, tapline_lua_message_multipart); break;
    case BODY: push_body(L, message); break;
    case BODY_SIZE:
        if (body->size < 0) {
            lua_pushnil(L);
        } else {
            lua_pushinteger(L, body->size);
        }
        break;
    case BODY_TRUNCATED: lua_pushboolean(L, body->truncated); break;
    case JSON: lua_pushcfunction(L, message_json); break;
    case STATUS: lua_pushinteger(L, message->view.status); break;
    default: push_bytes(L, message->view.reason); break;
    }
}

static int request_index(lua_State *L) {
    check_exchange(L);
    side *message = &vm_of(L)->request;
    const tapline_lua_message *request = &message->view;
    int field = tapline_lua_field_number(L, 2, "ex.request", tapline_lua_request_names);
    switch (field) {
    case METHOD: push_bytes(L, request->method); break;
    case URL: tapline_lua_push_url(L, request); break;
    case SCHEME: push_bytes(L, request->scheme); break;
    case HOST:
        push_bytes(L, tapline_lua_split_authority(L, request->authority, request->scheme).host);
        break;
    case PORT: {
        int64_t port = tapline_lua_split_authority(L, request->authority, request->scheme).port;
        if (port < 0) {
            lua_pushnil(L);
        } else {
            lua_pushinteger(L, port);
        }
        break;
    }
    case PATH: push_bytes(L, tapline_lua_split_target(L, request->target).path); break;
    case QUERY: tapline_lua_push_object(L, OBJECT_QUERY); break;
    case TARGET: push_bytes(L, request->target); break;
    default: push_shared(L, message, field);
    }
    return 1;
}

static int response_index(lua_State *L) {
    side *message = &vm_of(L)->response;
    tapline_lua_check_present(L, message);
    push_shared(
        L, message, tapline_lua_field_number(L, 2, "ex.response", tapline_lua_response_names));
    return 1;
}

// MARK: - Writing

static void cannot_assign(lua_State *L, const side *message, int field) {
    if (field == HEADERS) {
        luaL_error(L, "headers cannot be assigned; assign one header, as in headers[\"Accept\"]");
    }
    luaL_error(L, "field '%s' of %s cannot be assigned", all_names[field], name_of(L, message));
}

static int request_newindex(lua_State *L) {
    side *message = &vm_of(L)->request;
    tapline_lua_check_writable(L, message);
    int field = tapline_lua_field_number(L, 2, "ex.request", tapline_lua_request_names);
    switch (field) {
    case METHOD: {
        bytes method = tapline_lua_text_argument(L, 3, "method");
        tapline_lua_check_token(L, method, "method");
        message->view.method = tapline_lua_keep_bytes(L, method);
        message->changes |= TAPLINE_LUA_METHOD;
        break;
    }
    case URL: tapline_lua_assign_url(L, message, tapline_lua_text_argument(L, 3, "url")); break;
    case SCHEME:
        tapline_lua_assign_scheme(L, message, tapline_lua_text_argument(L, 3, "scheme"));
        break;
    case HOST: tapline_lua_assign_host(L, message, tapline_lua_text_argument(L, 3, "host")); break;
    case PATH: tapline_lua_assign_path(L, message, tapline_lua_text_argument(L, 3, "path")); break;
    case QUERY:
        tapline_lua_assign_query(
            L, message, lua_isnil(L, 3) ? BYTES("") : tapline_lua_text_argument(L, 3, "query"),
            !lua_isnil(L, 3));
        break;
    case PORT: {
        int exact = 1;
        lua_Integer port = lua_isnil(L, 3) ? -1 : lua_tointegerx(L, 3, &exact);
        if (!exact || port > 65535 || (port < 1 && !lua_isnil(L, 3))) {
            return luaL_error(L, "port is invalid; expected an integer from 1 to 65535");
        }
        tapline_lua_assign_port(L, message, port);
        break;
    }
    case BODY: assign_body(L, message, 3); break;
    case JSON: assign_json(L, message, 3); break;
    default: cannot_assign(L, message, field);
    }
    return 0;
}

static int response_newindex(lua_State *L) {
    side *message = &vm_of(L)->response;
    tapline_lua_check_writable(L, message);
    int field = tapline_lua_field_number(L, 2, "ex.response", tapline_lua_response_names);
    if (field == STATUS) {
        int64_t status = tapline_lua_status_argument(L, 3);
        if (status == message->view.status) return 0;
        // A reason that belongs to another status would be misleading.
        message->view.status = status;
        message->view.reason = vm_of(L)->functions.reason_of(status);
        message->changes |= TAPLINE_LUA_STATUS | TAPLINE_LUA_REASON;
    } else if (field == REASON) {
        bytes reason = tapline_lua_text_argument(L, 3, "reason");
        tapline_lua_check_field_value(L, reason);
        message->view.reason = tapline_lua_keep_bytes(L, reason);
        message->changes |= TAPLINE_LUA_REASON;
    } else if (field == BODY) {
        assign_body(L, message, 3);
    } else if (field == JSON) {
        assign_json(L, message, 3);
    } else {
        cannot_assign(L, message, field);
    }
    return 0;
}

// MARK: - Opening

/// Creates the object of a message. Names have the same numbers for both messages, and each message
/// has only the names that apply to it.
static void make_message(
    lua_State *L, int object, const luaL_Reg *metamethods, const char *const *names) {
    tapline_lua_make_object(L, object, metamethods, NULL, 2);
    tapline_lua_push_object(L, object);
    lua_getmetatable(L, -1);
    lua_newtable(L);
    for (int number = 0; all_names[number] != NULL; number++) {
        for (int known = 0; names[known] != NULL; known++) {
            if (strcmp(names[known], all_names[number]) != 0) continue;
            lua_pushinteger(L, number);
            lua_setfield(L, -2, names[known]);
        }
    }
    luaL_setfuncs(L, metamethods, 1);
    lua_pop(L, 2);
}

void tapline_lua_open_messages(lua_State *L) {
    static const luaL_Reg request[] = {
        {"__index", request_index}, {"__newindex", request_newindex}, {NULL, NULL}};
    static const luaL_Reg response[] = {
        {"__index", response_index}, {"__newindex", response_newindex}, {NULL, NULL}};
    make_message(L, OBJECT_REQUEST, request, tapline_lua_request_names);
    make_message(L, OBJECT_RESPONSE, response, tapline_lua_response_names);
}
