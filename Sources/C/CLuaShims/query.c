// SPDX-License-Identifier: MIT

// `ex.request.query` and `ex.request:form()`: the items of the query, or of a body that is a form
// (WHATWG URL §5.1), decoded when read. Items that a script does not change keep their exact bytes.

#include "internal.h"

/// The source of items: the query, or a body that is a form.
typedef struct source {
    bytes text;
    bool is_form;
} source;

static source source_argument(lua_State *L) {
    vm *lua = vm_of(L);
    check_exchange(L);
    const void *object = lua_touserdata(L, 1);
    source found = {.is_form = object == lua->objects[OBJECT_FORM]};
    if (object == NULL || (!found.is_form && object != lua->objects[OBJECT_QUERY])) {
        luaL_error(L, "called without its object; write a colon before the method");
    }
    if (found.is_form) {
        tapline_lua_check_readable(L, &lua->request);
        found.text = lua->request.view.body.bytes;
    } else {
        found.text = tapline_lua_split_target(L, lua->request.view.target).query;
    }
    charge(L, found.text.count / 8);
    return found;
}

static bytes name_argument(lua_State *L) {
    if (lua_type(L, 2) != LUA_TSTRING) {
        luaL_error(L, "name is a %s; expected a string", luaL_typename(L, 2));
    }
    return bytes_at(L, 2);
}

static int query_get(lua_State *L) {
    bytes query = source_argument(L).text, wanted = name_argument(L), value;
    size_t position = 0;
    if (vm_of(L)->functions.query_find(query, &position, wanted, &value)) {
        tapline_lua_push_decoded(L, value, true);
    } else {
        lua_pushnil(L);
    }
    return 1;
}

static int query_all(lua_State *L) {
    bytes query = source_argument(L).text, wanted = name_argument(L), value;
    lua_newtable(L);
    size_t position = 0;
    lua_Integer count = 0;
    while (vm_of(L)->functions.query_find(query, &position, wanted, &value)) {
        tapline_lua_push_decoded(L, value, true);
        lua_rawseti(L, -2, ++count);
    }
    return 1;
}

/// Rewrites the query: the first item of the name gets the value, further ones are removed. With
/// `adds` the item is appended instead; without a value the name is removed.
static int rewrite(lua_State *L, const bytes *value, bool adds) {
    vm *lua = vm_of(L);
    source items = source_argument(L);
    bytes query = items.text, name = name_argument(L);
    tapline_lua_check_writable(L, &lua->request);
    size_t most = query.count + 3 * (name.count + (value == NULL ? 0 : value->count)) + 2;
    buffer output;
    tapline_lua_buffer_begin(L, &output);
    uint8_t *room = tapline_lua_buffer_room(&output, most);
    bytes text = {room, lua->functions.query_write(query, name, value, adds, room)};
    if (items.is_form) {
        tapline_lua_replace_body(L, &lua->request, text);
    } else {
        tapline_lua_assign_query(L, &lua->request, text, text.count > 0);
    }
    return 0;
}

static int query_set(lua_State *L) {
    if (lua_isnil(L, 3)) return rewrite(L, NULL, false);
    bytes value = tapline_lua_text_argument(L, 3, "value");
    return rewrite(L, &value, false);
}

static int query_add(lua_State *L) {
    bytes value = tapline_lua_text_argument(L, 3, "value");
    return rewrite(L, &value, true);
}

const luaL_Reg tapline_lua_query_methods[] = {
    {"get", query_get}, {"all", query_all}, {"set", query_set}, {"add", query_add}, {NULL, NULL},
};

static int query_index(lua_State *L) {
    bytes name = name_argument(L);
    for (const luaL_Reg *method = tapline_lua_query_methods; name.count == 3 && method->name;
         method++) {
        if (memcmp(name.bytes, method->name, 3) != 0) continue;
        lua_pushcfunction(L, method->func);
        return 1;
    }
    return query_get(L);
}

/// One step of `pairs`. The initial query is an upvalue, so that a step costs only its item.
static int query_next(lua_State *L) {
    bytes query = bytes_at(L, lua_upvalueindex(2)), name, value;
    size_t position = (size_t)lua_tointeger(L, lua_upvalueindex(1));
    if (!vm_of(L)->functions.query_next(query, &position, &name, &value)) return 0;
    charge(L, (name.count + value.count) / 8);
    lua_pushinteger(L, (lua_Integer)position);
    lua_replace(L, lua_upvalueindex(1));
    tapline_lua_push_decoded(L, name, true);
    tapline_lua_push_decoded(L, value, true);
    return 2;
}

static int query_pairs(lua_State *L) {
    bytes query = source_argument(L).text;
    lua_pushinteger(L, 0);
    push_bytes(L, query);
    lua_pushcclosure(L, query_next, 2);
    lua_pushvalue(L, 1);
    return 2;
}

/// The whole query or form as written.
static int query_text(lua_State *L) {
    push_bytes(L, source_argument(L).text);
    return 1;
}

void tapline_lua_open_query(lua_State *L) {
    static const luaL_Reg metamethods[] = {
        {"__index", query_index}, {"__newindex", query_set}, {"__pairs", query_pairs},
        {"__tostring", query_text}, {NULL, NULL},
    };
    tapline_lua_make_object(L, OBJECT_QUERY, metamethods, NULL, 0);
    tapline_lua_make_object(L, OBJECT_FORM, metamethods, NULL, 0);
}
