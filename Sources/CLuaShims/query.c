// SPDX-License-Identifier: MIT

// `ex.request.query` and `ex.request:form()`: the items of the query, or of a body that is a form
// (WHATWG URL §5.1), decoded when read. Items that a script does not touch stay as they were written.

#include "internal.h"

typedef struct item {
    bytes raw, name, value;
} item;

/// The next item of a query; false at the end.
static bool next_item(bytes query, size_t *position, item *found) {
    if (*position >= query.count) return false;
    const uint8_t *start = query.bytes + *position, *end = query.bytes + query.count;
    const uint8_t *stop = memchr(start, '&', (size_t)(end - start));
    if (stop == NULL) stop = end;
    const uint8_t *equals = stop > start ? memchr(start, '=', (size_t)(stop - start)) : NULL;
    found->raw = (bytes){start, (size_t)(stop - start)};
    found->name = (bytes){start, (size_t)((equals == NULL ? stop : equals) - start)};
    const uint8_t *value = equals == NULL ? stop : equals + 1;
    found->value = (bytes){value, (size_t)(stop - value)};
    *position = (size_t)(stop - query.bytes) + 1;
    return true;
}

static bool decodes_to(bytes text, bytes wanted) {
    size_t position = 0, index = 0;
    while (position < text.count && index < wanted.count) {
        if (tapline_lua_decode_byte(text, &position, true) != wanted.bytes[index++]) return false;
    }
    return position >= text.count && index == wanted.count;
}

/// Where items are: in the query, or in a body that is a form.
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
        found.text = tapline_lua_split_target(lua->request.view.target).query;
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
    bytes query = source_argument(L).text, wanted = name_argument(L);
    size_t position = 0;
    item found;
    while (next_item(query, &position, &found)) {
        if (!decodes_to(found.name, wanted)) continue;
        tapline_lua_push_decoded(L, found.value, true);
        return 1;
    }
    lua_pushnil(L);
    return 1;
}

static int query_all(lua_State *L) {
    bytes query = source_argument(L).text, wanted = name_argument(L);
    lua_newtable(L);
    int list = lua_gettop(L);
    size_t position = 0;
    lua_Integer count = 0;
    item found;
    while (next_item(query, &position, &found)) {
        if (!decodes_to(found.name, wanted)) continue;
        tapline_lua_push_decoded(L, found.value, true);
        lua_rawseti(L, list, ++count);
    }
    return 1;
}

static void append_separator(buffer *output) {
    if (output->count > 0) buffer_byte(output, '&');
}

static void append_item(buffer *output, bytes name, bytes value) {
    append_separator(output);
    tapline_lua_append_encoded(output, name);
    buffer_byte(output, '=');
    tapline_lua_append_encoded(output, value);
}

/// Writes the query anew: the first item of the name gets the value, further ones go. With `adds`
/// the item is put after all others; without a value the name is removed.
static int rewrite(lua_State *L, const bytes *value, bool adds) {
    vm *lua = vm_of(L);
    source items = source_argument(L);
    bytes query = items.text, wanted = name_argument(L);
    tapline_lua_check_writable(L, &lua->request);
    buffer output;
    tapline_lua_buffer_begin(L, &output);
    bool written = adds || value == NULL;
    size_t position = 0;
    item found;
    while (next_item(query, &position, &found)) {
        if (adds || !decodes_to(found.name, wanted)) {
            append_separator(&output);
            buffer_append(&output, found.raw.bytes, found.raw.count);
        } else if (!written) {
            append_item(&output, wanted, *value);
            written = true;
        }
    }
    if (adds || !written) append_item(&output, wanted, *value);
    bytes text = {output.bytes, output.count};
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

/// One step of `pairs`. The query as it was at the start is an upvalue, so that a step costs no
/// more than its item.
static int query_next(lua_State *L) {
    bytes query = bytes_at(L, lua_upvalueindex(2));
    size_t position = (size_t)lua_tointeger(L, lua_upvalueindex(1));
    item found;
    if (!next_item(query, &position, &found)) return 0;
    charge(L, found.raw.count / 8);
    lua_pushinteger(L, (lua_Integer)position);
    lua_replace(L, lua_upvalueindex(1));
    tapline_lua_push_decoded(L, found.name, true);
    tapline_lua_push_decoded(L, found.value, true);
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

/// The whole as written.
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
