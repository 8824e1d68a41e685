// SPDX-License-Identifier: MIT

// The rarely used details of an exchange, all read-only: TLS, the connection, counted bytes,
// original values, the error, the gRPC call.

#include "internal.h"

const char *const tapline_lua_tls_names[] = {"version", "cipher", "sni", "alpn", NULL};
const char *const tapline_lua_original_names[] = {"method", "url", "status", NULL};
const char *const tapline_lua_error_names[] = {"code", "message", NULL};
const char *const tapline_lua_connection_names[] = {"reused", NULL};
const char *const tapline_lua_bytes_names[] = {"up", "down", "exact", NULL};
const char *const tapline_lua_grpc_names[] = {
    "service", "method", "status", "message", "messages", "left_out", NULL};

/// A userdata with details, whose numbers start at `first`.
typedef struct group {
    int object, first;
    const char *path;
    const char *const *names;
} group;

static const group groups[] = {
    {OBJECT_TLS, TAPLINE_LUA_TLS, "ex.tls", tapline_lua_tls_names},
    {OBJECT_SERVER_TLS, TAPLINE_LUA_SERVER_TLS, "ex.server_tls", tapline_lua_tls_names},
    {OBJECT_ORIGINAL, TAPLINE_LUA_ORIGINAL, "ex.original", tapline_lua_original_names},
    {OBJECT_ERROR, TAPLINE_LUA_ERROR, "ex.error", tapline_lua_error_names},
    {OBJECT_CONNECTION, TAPLINE_LUA_CONNECTION, "ex.connection", tapline_lua_connection_names},
    {OBJECT_BYTES, TAPLINE_LUA_BYTES, "ex.bytes", tapline_lua_bytes_names},
    {OBJECT_GRPC, TAPLINE_LUA_GRPC, "ex.grpc", tapline_lua_grpc_names},
};

enum { GROUPS = sizeof groups / sizeof *groups };

static const tapline_lua_details *details_of(lua_State *L) {
    need_part(L, TAPLINE_LUA_LENDS_DETAILS);
    return &vm_of(L)->exchange->details;
}

static bytes detail_value(const tapline_lua_details *details, size_t position) {
    entry at = details->entries[position];
    return (bytes){details->bytes.bytes + at.start + at.name_count, at.value_count};
}

static bytes detail_name(const tapline_lua_details *details, size_t position) {
    entry at = details->entries[position];
    return (bytes){details->bytes.bytes + at.start, at.name_count};
}

/// Pushes the value of a detail: a number, a boolean, text or what a JSON text means; nil if it is
/// unknown.
static void push_detail(lua_State *L, int number, bytes value) {
    bool is_boolean = number == TAPLINE_LUA_CONNECTION || number == TAPLINE_LUA_BYTES + 2;
    bool is_number = number == TAPLINE_LUA_ORIGINAL + 2 ||
        (number >= TAPLINE_LUA_BYTES && number < TAPLINE_LUA_BYTES + 2) ||
        number == TAPLINE_LUA_GRPC + 5;
    if (value.count == 0) {
        lua_pushnil(L);
    } else if (number == TAPLINE_LUA_GRPC + 4) {
        tapline_lua_json_push(L, value);
    } else if (is_boolean) {
        lua_pushboolean(L, bytes_equal(value, BYTES("true")));
    } else if (is_number) {
        push_bytes(L, value);
        lua_Integer whole = lua_tointeger(L, -1);
        lua_pop(L, 1);
        lua_pushinteger(L, whole);
    } else {
        push_bytes(L, value);
    }
}

static const group *group_argument(lua_State *L) {
    const void *object = lua_touserdata(L, 1);
    for (size_t index = 0; object != NULL && index < GROUPS; index++) {
        if (object == vm_of(L)->objects[groups[index].object]) return &groups[index];
    }
    luaL_error(L, "called with an object of the wrong type");
    return NULL;
}

static int detail_index(lua_State *L) {
    const group *found = group_argument(L);
    const tapline_lua_details *details = details_of(L);
    int number = found->first + tapline_lua_field_number(L, 2, found->path, found->names);
    push_detail(L, number, detail_value(details, (size_t)number));
    return 1;
}

static int detail_newindex(lua_State *L) {
    return luaL_error(L, "%s cannot be changed", group_argument(L)->path);
}

/// Pushes one of the objects; nil if none of its details is known, unless it always exists.
void tapline_lua_push_details(lua_State *L, int object) {
    const group *found = groups;
    while (found->object != object) found++;
    const tapline_lua_details *details = details_of(L);
    bool known = object == OBJECT_ORIGINAL || object == OBJECT_CONNECTION;
    for (size_t index = 0; !known && found->names[index] != NULL; index++) {
        known = detail_value(details, (size_t)found->first + index).count > 0;
    }
    if (known) {
        tapline_lua_push_object(L, object);
    } else {
        lua_pushnil(L);
    }
}

/// Pushes the list of interim responses, a table for each.
void tapline_lua_push_interim(lua_State *L) {
    const tapline_lua_details *details = details_of(L);
    size_t first =
        TAPLINE_LUA_DETAIL_COUNT + details->request_trailers + details->response_trailers;
    charge(L, details->interim);
    lua_newtable(L);
    lua_Integer count = 0, fields = 0;
    for (size_t position = first; position < first + details->interim; position++) {
        bytes name = detail_name(details, position), value = detail_value(details, position);
        if (name.count == 0) {
            if (count > 0) lua_pop(L, 2);
            lua_createtable(L, 0, 3);
            push_bytes(L, value);
            lua_pushinteger(L, lua_tointeger(L, -1));
            lua_setfield(L, -3, "status");
            lua_pop(L, 1);
            // The reason is the next entry. A field of a recording may also have an empty name.
            if (position + 1 < first + details->interim) {
                push_bytes(L, detail_value(details, ++position));
                lua_setfield(L, -2, "reason");
            }
            lua_newtable(L);
            lua_pushvalue(L, -1);
            lua_setfield(L, -3, "headers");
            lua_pushvalue(L, -2);
            lua_rawseti(L, -4, ++count);
            fields = 0;
        } else if (count > 0) {
            lua_createtable(L, 2, 0);
            push_bytes(L, name);
            lua_rawseti(L, -2, 1);
            push_bytes(L, value);
            lua_rawseti(L, -2, 2);
            lua_rawseti(L, -2, ++fields);
        }
    }
    if (count > 0) lua_pop(L, 2);
}

/// The trailers of a message as a section.
tapline_lua_section tapline_lua_trailers_of(lua_State *L, bool is_request) {
    check_exchange(L);
    const tapline_lua_details *details = details_of(L);
    const vm *lua = vm_of(L);
    const side *message = is_request ? &lua->request : &lua->response;
    // Trailers are removed together with their body.
    if (lua->hook != TAPLINE_LUA_RECORD && (message->changes & TAPLINE_LUA_BODY) != 0) {
        return (tapline_lua_section){{NULL, 0}, NULL, 0};
    }
    size_t first = TAPLINE_LUA_DETAIL_COUNT + (is_request ? 0 : details->request_trailers);
    return (tapline_lua_section){
        details->bytes, details->entries + first,
        is_request ? details->request_trailers : details->response_trailers};
}

void tapline_lua_open_details(lua_State *L) {
    static const luaL_Reg metamethods[] = {
        {"__index", detail_index}, {"__newindex", detail_newindex}, {NULL, NULL}};
    for (size_t index = 0; index < GROUPS; index++) {
        tapline_lua_make_object(L, groups[index].object, metamethods, groups[index].names, 0);
    }
}
