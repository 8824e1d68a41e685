// SPDX-License-Identifier: MIT

// `headers`, `tags` and `vars`: sections of names and values that scripts use like tables.

#include "internal.h"

/// The section of the userdata in the first argument; raises if the argument is not a section.
static section *section_argument(lua_State *L, side **message) {
    vm *lua = vm_of(L);
    const void *object = lua_touserdata(L, 1);
    *message = NULL;
    check_exchange(L);
    if (object == NULL) luaL_error(L, "called without its object; write a colon before the method");
    if (object == lua->objects[OBJECT_REQUEST_HEADERS]) {
        *message = &lua->request;
        return &lua->request_headers;
    }
    if (object == lua->objects[OBJECT_RESPONSE_HEADERS]) {
        *message = &lua->response;
        tapline_lua_check_present(L, *message);
        return &lua->response_headers;
    }
    if (object == lua->objects[OBJECT_REQUEST_TRAILERS] ||
        object == lua->objects[OBJECT_RESPONSE_TRAILERS]) {
        bool is_request = object == lua->objects[OBJECT_REQUEST_TRAILERS];
        section *trailers = &lua->extras.trailers;
        section_lend(trailers, tapline_lua_trailers_of(L, is_request));
        trailers->is_fields = true;
        trailers->noun = "trailer";
        return trailers;
    }
    if (object == lua->objects[OBJECT_TAGS]) return &lua->tags;
    if (object == lua->objects[OBJECT_VARS]) return &lua->vars;
    luaL_error(L, "called with an object of the wrong type");
    return NULL;
}

static bool is_trailers(const vm *lua, const section *list) {
    return list == &lua->extras.trailers;
}

static bytes name_argument(lua_State *L, const section *list, int index) {
    if (lua_type(L, index) != LUA_TSTRING) {
        luaL_error(
            L, "%s name is a %s; expected a string", list->noun, luaL_typename(L, index));
    }
    return bytes_at(L, index);
}

/// Whether a response's Content-Length describes content that is not sent (RFC 9110 §8.6).
static bool announces_content(const vm *lua, const section *list) {
    return list == &lua->response_headers &&
        (lua->response.view.status == 304 ||
         bytes_equal(lua->request.view.method, BYTES("HEAD")));
}

/// Raises for fields that frame a message on the wire (RFC 9112 §6). They are derived from the body
/// that is sent; different values would let bytes of the body be read as another message.
static void check_framing(lua_State *L, const section *list, bytes name, int index) {
    vm *lua = vm_of(L);
    bool is_length = tapline_lua_bytes_equal_ignoring_case(name, BYTES("Content-Length"));
    if (!is_length && !tapline_lua_bytes_equal_ignoring_case(name, BYTES("Transfer-Encoding")))
        return;
    if (lua->hook == TAPLINE_LUA_RECORD || (is_length && announces_content(lua, list))) return;
    // Writing the current value changes nothing.
    ptrdiff_t position = tapline_lua_section_find(list, name, 0);
    if (position < 0 && lua_isnil(L, index)) return;
    if (position >= 0 && lua_type(L, index) == LUA_TSTRING &&
        bytes_equal(tapline_lua_section_value(list, (size_t)position), bytes_at(L, index))) {
        return;
    }
    luaL_error(
        L, "header %s is derived from the body and cannot be written; assign the body instead",
        is_length ? "Content-Length" : "Transfer-Encoding");
}

/// Checks a name to be written with the value at an index.
static bytes new_name(lua_State *L, const section *list, int index, int value) {
    bytes name = name_argument(L, list, index);
    if (list->is_fields) {
        tapline_lua_check_token(L, name, "header name");
        check_framing(L, list, name, value);
    } else if (name.count == 0 || name.count > MAX_NAME_BYTES) {
        luaL_error(L, "%s name is empty or longer than %d bytes", list->noun, MAX_NAME_BYTES);
    }
    return name;
}

/// Checks a value to be written. Numbers, and booleans in notes, become text.
static bytes new_value(lua_State *L, const section *list, int index) {
    if (!list->is_fields && lua_isboolean(L, index)) {
        return lua_toboolean(L, index) ? BYTES("true") : BYTES("false");
    }
    bytes value = tapline_lua_text_argument(L, index, list->is_fields ? "header value" : "value");
    if (list->is_fields) tapline_lua_check_field_value(L, value);
    return value;
}

static void check_list_writable(lua_State *L, const section *list, const side *message) {
    if (message != NULL) tapline_lua_check_writable(L, message);
    if (is_trailers(vm_of(L), list)) luaL_error(L, "trailers cannot be changed");
}

/// Finishes a change of a name; raises if it did not fit in the section.
static void end_change(lua_State *L, section *list, bytes name, bool done) {
    if (!done) tapline_lua_too_large(L, list);
    if (list == &vm_of(L)->request_headers &&
        tapline_lua_bytes_equal_ignoring_case(name, BYTES("Host"))) {
        vm_of(L)->extras.host_assigned = true;
    }
}

static void set_value(lua_State *L, section *list, bytes name, bytes value) {
    charge(L, list->view.count / 4 + 1);
    end_change(L, list, name, tapline_lua_section_set(list, name, value));
}

static void add_value(lua_State *L, section *list, bytes name, bytes value) {
    charge(L, 1);
    end_change(L, list, name, tapline_lua_section_add(list, name, value));
}

/// Sets a name to the value at an index: nil removes the name, a list sets several values.
static void assign(lua_State *L, section *list, bytes name, int index) {
    if (lua_isnil(L, index)) {
        charge(L, list->view.count / 4 + 1);
        if (tapline_lua_section_find(list, name, 0) < 0) return;
        end_change(L, list, name, tapline_lua_section_remove(list, name));
        return;
    }
    if (!list->is_fields || lua_type(L, index) != LUA_TTABLE) {
        set_value(L, list, name, new_value(L, list, index));
        return;
    }
    lua_Integer count = (lua_Integer)lua_rawlen(L, index);
    if (count < 1 || count > MAX_FIELD_VALUES) {
        luaL_error(L, "header value is a table without texts; expected a list of strings");
    }
    // All values are checked before the first is written, so that a refused value changes nothing.
    for (lua_Integer position = 1; position <= count; position++) {
        lua_rawgeti(L, index, position);
        new_value(L, list, -1);
        lua_pop(L, 1);
    }
    for (lua_Integer position = 1; position <= count; position++) {
        lua_rawgeti(L, index, position);
        bytes value = new_value(L, list, -1);
        if (position == 1) {
            set_value(L, list, name, value);
        } else {
            add_value(L, list, name, value);
        }
        lua_pop(L, 1);
    }
}

static int push_first(lua_State *L, const section *list, int index) {
    charge(L, list->view.count / 4);
    ptrdiff_t position = tapline_lua_section_find(list, name_argument(L, list, index), 0);
    if (position < 0) {
        lua_pushnil(L);
    } else {
        push_bytes(L, tapline_lua_section_value(list, (size_t)position));
    }
    return 1;
}

// MARK: - Methods of headers

static int headers_get(lua_State *L) {
    side *message;
    return push_first(L, section_argument(L, &message), 2);
}

static int headers_all(lua_State *L) {
    side *message;
    const section *list = section_argument(L, &message);
    bytes name = name_argument(L, list, 2);
    lua_newtable(L);
    lua_Integer count = 0;
    ptrdiff_t position = -1;
    while ((position = tapline_lua_section_find(list, name, (size_t)(position + 1))) >= 0) {
        push_bytes(L, tapline_lua_section_value(list, (size_t)position));
        lua_rawseti(L, -2, ++count);
    }
    charge(L, list->view.count / 4);
    return 1;
}

static int headers_set(lua_State *L) {
    side *message;
    section *list = section_argument(L, &message);
    check_list_writable(L, list, message);
    luaL_checkany(L, 3);
    assign(L, list, new_name(L, list, 2, 3), 3);
    return 0;
}

static int headers_add(lua_State *L) {
    side *message;
    section *list = section_argument(L, &message);
    check_list_writable(L, list, message);
    // Index 1 is not a text, so adding the current value is not exempt from the framing check.
    bytes name = new_name(L, list, 2, 1);
    add_value(L, list, name, new_value(L, list, 3));
    return 0;
}

const luaL_Reg tapline_lua_header_methods[] = {
    {"get", headers_get}, {"all", headers_all}, {"set", headers_set}, {"add", headers_add},
    {NULL, NULL},
};

const luaL_Reg tapline_lua_trailer_methods[] = {
    {"get", headers_get}, {"all", headers_all}, {NULL, NULL}};

static lua_CFunction method_named(const vm *lua, const section *list, bytes name) {
    // All methods have three letters, unlike most headers.
    if (name.count != 3) return NULL;
    const luaL_Reg *method =
        is_trailers(lua, list) ? tapline_lua_trailer_methods : tapline_lua_header_methods;
    for (; method->name != NULL; method++) {
        if (memcmp(name.bytes, method->name, 3) == 0) return method->func;
    }
    return NULL;
}

// MARK: - Metamethods

static int section_index(lua_State *L) {
    side *message;
    const section *list = section_argument(L, &message);
    if (list->is_fields) {
        lua_CFunction method = method_named(vm_of(L), list, name_argument(L, list, 2));
        if (method != NULL) {
            lua_pushcfunction(L, method);
            return 1;
        }
    }
    return push_first(L, list, 2);
}

static int section_newindex(lua_State *L) {
    side *message;
    section *list = section_argument(L, &message);
    check_list_writable(L, list, message);
    assign(L, list, new_name(L, list, 2, 3), 3);
    return 0;
}

static int section_length(lua_State *L) {
    side *message;
    lua_pushinteger(L, (lua_Integer)section_argument(L, &message)->view.count);
    return 1;
}

/// One step of `pairs`; the position is an upvalue, because names may repeat.
static int section_next(lua_State *L) {
    side *message;
    const section *list = section_argument(L, &message);
    lua_Integer position = lua_tointeger(L, lua_upvalueindex(1));
    if (position < 0 || (size_t)position >= list->view.count) return 0;
    lua_pushinteger(L, position + 1);
    lua_replace(L, lua_upvalueindex(1));
    push_bytes(L, tapline_lua_section_name(list, (size_t)position));
    push_bytes(L, tapline_lua_section_value(list, (size_t)position));
    return 2;
}

static int section_pairs(lua_State *L) {
    side *message;
    section_argument(L, &message);
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, section_next, 1);
    lua_pushvalue(L, 1);
    return 2;
}

void tapline_lua_open_headers(lua_State *L) {
    static const luaL_Reg metamethods[] = {
        {"__index", section_index}, {"__newindex", section_newindex},
        {"__len", section_length},  {"__pairs", section_pairs},
        {NULL, NULL},
    };
    for (int object = OBJECT_REQUEST_HEADERS; object <= OBJECT_VARS; object++) {
        tapline_lua_make_object(L, object, metamethods, NULL, 0);
    }
    tapline_lua_make_object(L, OBJECT_REQUEST_TRAILERS, metamethods, NULL, 0);
    tapline_lua_make_object(L, OBJECT_RESPONSE_TRAILERS, metamethods, NULL, 0);
}
