// SPDX-License-Identifier: MIT

// `ex`: one userdata for each state, which reads the exchange of the running hook.

#include "internal.h"

// MARK: - Objects

/// The first index of the objects in the registry. They directly follow Lua's own entries, so that
/// they are stored in the array part of the table, which needs no hashing.
enum { FIRST_OBJECT_SLOT = LUA_RIDX_LAST + 2 };

/// Sets metamethods that have the table of names with their numbers as an upvalue.
static void set_metamethods(lua_State *L, const luaL_Reg *metamethods, const char *const *names) {
    lua_newtable(L);
    for (int number = 0; names != NULL && names[number] != NULL; number++) {
        lua_pushinteger(L, number);
        lua_setfield(L, -2, names[number]);
    }
    luaL_setfuncs(L, metamethods, 1);
}

void tapline_lua_make_object(
    lua_State *L, int object, const luaL_Reg *metamethods, const char *const *names, int values) {
    tapline_lua_make_object_of(L, object, 1, metamethods, names, values);
}

void tapline_lua_make_object_of(
    lua_State *L, int object, size_t size, const luaL_Reg *metamethods, const char *const *names,
    int values) {
    vm *lua = vm_of(L);
    lua->objects[object] = lua_newuserdatauv(L, size, values);
    lua_newtable(L);
    set_metamethods(L, metamethods, names);
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
    lua_rawseti(L, LUA_REGISTRYINDEX, FIRST_OBJECT_SLOT + object);
}

void tapline_lua_make_metatable(
    lua_State *L, const void *place, const luaL_Reg *metamethods, const char *const *names) {
    lua_newtable(L);
    set_metamethods(L, metamethods, names);
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_rawsetp(L, LUA_REGISTRYINDEX, place);
}

void tapline_lua_push_object(lua_State *L, int object) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, FIRST_OBJECT_SLOT + object);
}

/// The edit distance between two names, at most 3.
static int distance(const char *left, const char *right) {
    size_t count = strlen(left), other = strlen(right);
    if (count > 24 || other > 24) return 3;
    int row[25];
    for (size_t column = 0; column <= other; column++) row[column] = (int)column;
    for (size_t line = 1; line <= count; line++) {
        int diagonal = row[0];
        row[0] = (int)line;
        for (size_t column = 1; column <= other; column++) {
            int above = row[column];
            int best = diagonal + (left[line - 1] != right[column - 1]);
            if (above + 1 < best) best = above + 1;
            if (row[column - 1] + 1 < best) best = row[column - 1] + 1;
            row[column] = best;
            diagonal = above;
        }
    }
    return row[other] > 3 ? 3 : row[other];
}

/// Raises for an unknown field without showing its name, which a script may have computed.
static void unknown_field(
    lua_State *L, int index, const char *object, const char *const *names) {
    const char *near = NULL;
    int least = 3;
    if (lua_type(L, index) == LUA_TSTRING) {
        const char *wrong = lua_tostring(L, index);
        for (int number = 0; names[number] != NULL; number++) {
            int changes = distance(wrong, names[number]);
            if (changes < least) {
                least = changes;
                near = names[number];
            }
        }
    }
    if (near != NULL) luaL_error(L, "unknown field of %s; did you mean '%s'?", object, near);
    luaL_Buffer list;
    luaL_buffinit(L, &list);
    for (int number = 0; names[number] != NULL; number++) {
        if (number > 0) luaL_addstring(&list, ", ");
        luaL_addstring(&list, names[number]);
    }
    luaL_pushresult(&list);
    luaL_error(L, "unknown field of %s; expected one of %s", object, lua_tostring(L, -1));
}

void tapline_lua_check_names(
    lua_State *L, int index, const char *object, const char *const *names) {
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        bool known = false;
        for (int number = 0; names[number] != NULL && !known; number++) {
            bytes name = {(const uint8_t *)names[number], strlen(names[number])};
            known = lua_type(L, -2) == LUA_TSTRING && bytes_equal(bytes_at(L, -2), name);
        }
        if (!known) unknown_field(L, -2, object, names);
    }
}

int tapline_lua_field_number(
    lua_State *L, int index, const char *object, const char *const *names) {
    // Names are short strings, which Lua interns. Those in the table live as long as the state, so
    // that an address always identifies the same name.
    const void *name = lua_topointer(L, index);
    uintptr_t mixed = (uintptr_t)name >> 4 ^ (uintptr_t)names >> 3;
    field *seen = &vm_of(L)->fields[mixed % FIELDS];
    if (name != NULL && seen->name == name && seen->names == names) return seen->number;
    lua_pushvalue(L, index);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNUMBER) {
        unknown_field(L, index, object, names);
    }
    int number = (int)lua_tointeger(L, -1);
    lua_pop(L, 1);
    *seen = (field){name, names, number};
    return number;
}

void tapline_lua_have_lent(lua_State *L, uint32_t part) {
    vm *lua = vm_of(L);
    if (lua->exchange == NULL) {
        luaL_error(L, "there is no exchange here; 'ex' works only inside a hook that receives it");
    }
    lua->lent_parts |= part;
    lua->lend(lua->lent_from, part);
    if (part != TAPLINE_LUA_LENDS_MESSAGES) return;
    section_lend(&lua->request_headers, lua->request.view.headers);
    section_lend(&lua->response_headers, lua->response.view.headers);
    section_lend(&lua->tags, lua->lent.tags);
    section_lend(&lua->vars, lua->lent.vars);
}

// MARK: - ex

enum {
    ID, SOURCE, STATE, CLIENT, SERVER, STARTED, TIMING, TAGS, VARS, REQUEST, RESPONSE,
    TLS, SERVER_TLS, ORIGINAL, ERROR, CONNECTION, BYTE_COUNTS, MESSAGES, GRPC
};

const char *const tapline_lua_exchange_names[] = {
    "id", "source", "state", "client", "server", "started", "timing", "tags", "vars", "request",
    "response", "tls", "server_tls", "original", "error", "connection", "bytes", "messages",
    "grpc", NULL,
};

/// RFC 9562 §4.
static void push_id(lua_State *L, const tapline_lua_exchange *exchange) {
    static const char digits[] = "0123456789abcdef";
    char text[36];
    size_t count = 0;
    for (int position = 0; position < 16; position++) {
        if (position == 4 || position == 6 || position == 8 || position == 10) text[count++] = '-';
        uint64_t half = position < 8 ? exchange->id_high : exchange->id_low;
        uint8_t byte = (uint8_t)(half >> (56 - position % 8 * 8));
        text[count++] = digits[byte >> 4];
        text[count++] = digits[byte & 15];
    }
    lua_pushlstring(L, text, count);
}

static bool is_of_origin(int field) {
    return field == SOURCE || field == STATE || field == CLIENT || field == SERVER ||
        field == TIMING;
}

static void push_known(lua_State *L, bytes value) {
    if (value.count == 0) {
        lua_pushnil(L);
    } else {
        push_bytes(L, value);
    }
}

static int exchange_index(lua_State *L) {
    check_exchange(L);
    const vm *lua = vm_of(L);
    const tapline_lua_exchange *exchange = lua->exchange;
    int field = tapline_lua_field_number(L, 2, "ex", tapline_lua_exchange_names);
    if (is_of_origin(field)) need_part(L, TAPLINE_LUA_LENDS_ORIGIN);
    switch (field) {
    case ID: push_id(L, exchange); break;
    case SOURCE: push_known(L, exchange->source); break;
    case STATE: push_known(L, exchange->state); break;
    case CLIENT: push_known(L, exchange->client); break;
    case SERVER: push_known(L, exchange->server); break;
    case STARTED: lua_pushnumber(L, (lua_Number)exchange->started / 1e6); break;
    case TIMING: tapline_lua_push_object(L, OBJECT_TIMING); break;
    case TAGS: tapline_lua_push_object(L, OBJECT_TAGS); break;
    case VARS: tapline_lua_push_object(L, OBJECT_VARS); break;
    case REQUEST: tapline_lua_push_object(L, OBJECT_REQUEST); break;
    case TLS: tapline_lua_push_details(L, OBJECT_TLS); break;
    case SERVER_TLS: tapline_lua_push_details(L, OBJECT_SERVER_TLS); break;
    case ORIGINAL: tapline_lua_push_details(L, OBJECT_ORIGINAL); break;
    case ERROR: tapline_lua_push_details(L, OBJECT_ERROR); break;
    case CONNECTION: tapline_lua_push_details(L, OBJECT_CONNECTION); break;
    case BYTE_COUNTS: tapline_lua_push_details(L, OBJECT_BYTES); break;
    case GRPC: tapline_lua_push_details(L, OBJECT_GRPC); break;
    case MESSAGES: tapline_lua_push_object(L, OBJECT_STREAM); break;
    default:
        if (lua->response.view.present) {
            tapline_lua_push_object(L, OBJECT_RESPONSE);
        } else {
            lua_pushnil(L);
        }
    }
    return 1;
}

static int exchange_newindex(lua_State *L) {
    int number = tapline_lua_field_number(L, 2, "ex", tapline_lua_exchange_names);
    return luaL_error(L, "field '%s' of ex cannot be assigned", tapline_lua_exchange_names[number]);
}

// MARK: - ex.timing

const char *const tapline_lua_timing_names[] = {
    "dns_ms", "connect_ms", "tls_ms", "send_ms", "wait_ms", "receive_ms", "total_ms", NULL,
};

static int timing_index(lua_State *L) {
    check_exchange(L);
    const tapline_lua_exchange *exchange = vm_of(L)->exchange;
    int field = tapline_lua_field_number(L, 2, "ex.timing", tapline_lua_timing_names);
    need_part(L, TAPLINE_LUA_LENDS_ORIGIN);
    int64_t length = exchange->timing[field];
    if (length == INT64_MIN) {
        lua_pushnil(L);
    } else {
        lua_pushnumber(L, (lua_Number)length / 1000);
    }
    return 1;
}

static int read_only(lua_State *L) { return luaL_error(L, "ex.timing cannot be changed"); }

void tapline_lua_open_exchange(lua_State *L) {
    static const luaL_Reg exchange[] = {
        {"__index", exchange_index}, {"__newindex", exchange_newindex}, {NULL, NULL}};
    tapline_lua_make_object(L, OBJECT_EXCHANGE, exchange, tapline_lua_exchange_names, 0);
    static const luaL_Reg timing[] = {
        {"__index", timing_index}, {"__newindex", read_only}, {NULL, NULL}};
    tapline_lua_make_object(L, OBJECT_TIMING, timing, tapline_lua_timing_names, 0);
    tapline_lua_open_messages(L);
    tapline_lua_open_headers(L);
    tapline_lua_open_query(L);
    tapline_lua_open_details(L);
    tapline_lua_open_stream(L);
    tapline_lua_open_cookies(L);
    tapline_lua_open_multipart(L);
}
