// SPDX-License-Identifier: MIT

// `ex.request.cookies` and `ex.response.cookies` (RFC 6265): views of the fields Cookie and
// Set-Cookie. Values are read and written without decoding.

#include "internal.h"

const char *const tapline_lua_attribute_names[] = {
    "value", "path", "domain", "expires", "max_age", "secure", "http_only", "same_site",
    "partitioned", NULL};
enum { VALUE, PATH, DOMAIN, EXPIRES, MAX_AGE, SECURE, HTTP_ONLY, SAME_SITE, PARTITIONED };

/// The names of the attributes on the wire.
static const char *const wire_names[] = {
    NULL, "Path", "Domain", "Expires", "Max-Age", "Secure", "HttpOnly", "SameSite", "Partitioned"};

static bool is_blank(uint8_t byte) { return byte == ' ' || byte == '\t'; }

// MARK: - The arguments

static bool is_response(lua_State *L) {
    vm *lua = vm_of(L);
    check_exchange(L);
    const void *object = lua_touserdata(L, 1);
    if (object == NULL) luaL_error(L, "called without its object; write a colon before the method");
    if (object == lua->objects[OBJECT_RESPONSE_COOKIES]) {
        tapline_lua_check_present(L, &lua->response);
        return true;
    }
    if (object != lua->objects[OBJECT_REQUEST_COOKIES]) {
        luaL_error(L, "called with an object of the wrong type");
    }
    return false;
}

static bytes name_argument(lua_State *L) {
    return tapline_lua_string_argument(L, 2, "cookie name");
}

/// Checks RFC 6265 §4.1.1, but allows spaces, commas, quotes and non-ASCII bytes, which are in use.
static void check_cookie_text(lua_State *L, bytes text, const char *what) {
    for (size_t index = 0; index < text.count; index++) {
        uint8_t byte = text.bytes[index];
        if (byte < 0x20 || byte == 0x7F || byte == ';') {
            luaL_error(
                L, "%s has a character that is not allowed, at byte %d", what, (int)index + 1);
        }
    }
    if (text.count > 0 && (is_blank(text.bytes[0]) || is_blank(text.bytes[text.count - 1]))) {
        luaL_error(L, "%s begins or ends with a space", what);
    }
}

static section *fields_of(lua_State *L, bool response) {
    vm *lua = vm_of(L);
    return response ? &lua->response_headers : &lua->request_headers;
}

// MARK: - Reading

typedef tapline_lua_cookie pair;

/// An iteration over the cookies of a message.
typedef struct walk {
    const tapline_lua_functions *functions;
    const section *fields;
    bool response;
    /// The field, and for a request the position in its value.
    ptrdiff_t field;
    size_t position;
} walk;

static void walk_begin(walk *state, lua_State *L, bool response) {
    *state = (walk){
        .functions = &vm_of(L)->functions, .fields = fields_of(L, response), .response = response,
        .field = -1};
    charge(L, state->fields->view.count / 2 + state->fields->view.bytes.count / 16);
}

static bytes field_value(const walk *state) {
    return tapline_lua_section_value(state->fields, (size_t)state->field);
}

static bool walk_next(walk *state, pair *found) {
    bytes name = state->response ? BYTES("Set-Cookie") : BYTES("Cookie");
    while (true) {
        if (state->field >= 0 && !state->response &&
            state->functions->cookie_next(field_value(state), &state->position, found)) {
            if (found->name.count + found->value.count == 0) continue;
            return true;
        }
        state->field = tapline_lua_section_find(state->fields, name, (size_t)(state->field + 1));
        if (state->field < 0) return false;
        state->position = 0;
        if (state->response &&
            state->functions->cookie_next(field_value(state), &state->position, found)) {
            return true;
        }
    }
}

/// Pushes the table of a Set-Cookie field.
static void push_attributes(lua_State *L, bytes field) {
    charge(L, field.count / 8);
    lua_newtable(L);
    size_t position = 0;
    pair found;
    const tapline_lua_functions *functions = &vm_of(L)->functions;
    if (!functions->cookie_next(field, &position, &found)) return;
    push_bytes(L, found.value);
    lua_setfield(L, -2, tapline_lua_attribute_names[VALUE]);
    while (functions->cookie_next(field, &position, &found)) {
        for (int number = PATH; number <= PARTITIONED; number++) {
            bytes known = {(const uint8_t *)wire_names[number], strlen(wire_names[number])};
            if (!tapline_lua_bytes_equal_ignoring_case(found.name, known)) continue;
            if (number == SECURE || number == HTTP_ONLY || number == PARTITIONED) {
                lua_pushboolean(L, 1);
            } else {
                push_bytes(L, found.value);
                int exact = 0;
                lua_Integer seconds = lua_tointegerx(L, -1, &exact);
                if (number == MAX_AGE && exact) {
                    lua_pop(L, 1);
                    lua_pushinteger(L, seconds);
                }
            }
            lua_setfield(L, -2, tapline_lua_attribute_names[number]);
        }
    }
}

static void push_cookie(lua_State *L, const walk *state, const pair *found) {
    if (state->response) {
        push_attributes(L, field_value(state));
    } else {
        push_bytes(L, found->value);
    }
}

static int cookies_get(lua_State *L) {
    bytes wanted = name_argument(L);
    walk state;
    walk_begin(&state, L, is_response(L));
    pair found;
    while (walk_next(&state, &found)) {
        if (!bytes_equal(found.name, wanted)) continue;
        push_cookie(L, &state, &found);
        return 1;
    }
    lua_pushnil(L);
    return 1;
}

static int cookies_all(lua_State *L) {
    bytes wanted = name_argument(L);
    walk state;
    walk_begin(&state, L, is_response(L));
    lua_newtable(L);
    lua_Integer count = 0;
    pair found;
    while (walk_next(&state, &found)) {
        if (!bytes_equal(found.name, wanted)) continue;
        push_cookie(L, &state, &found);
        lua_rawseti(L, -2, ++count);
    }
    return 1;
}

/// One step of `pairs` over a list of `{name, value}`, which later changes do not affect.
static int cookies_next(lua_State *L) {
    lua_Integer position = lua_tointeger(L, lua_upvalueindex(2)) + 1;
    lua_pushinteger(L, position);
    lua_replace(L, lua_upvalueindex(2));
    if (lua_rawgeti(L, lua_upvalueindex(1), position) == LUA_TNIL) return 1;
    lua_rawgeti(L, -1, 1);
    lua_rawgeti(L, -2, 2);
    return 2;
}

static int cookies_pairs(lua_State *L) {
    walk state;
    walk_begin(&state, L, is_response(L));
    lua_newtable(L);
    lua_Integer count = 0;
    pair found;
    while (walk_next(&state, &found)) {
        charge(L, 8);
        lua_createtable(L, 2, 0);
        push_bytes(L, found.name);
        lua_rawseti(L, -2, 1);
        push_cookie(L, &state, &found);
        lua_rawseti(L, -2, 2);
        lua_rawseti(L, -2, ++count);
    }
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, cookies_next, 2);
    return 1;
}

// MARK: - Writing

static void append_pair(buffer *output, bytes name, bytes value) {
    buffer_append(output, name.bytes, name.count);
    buffer_byte(output, '=');
    buffer_append(output, value.bytes, value.count);
}

/// Rewrites the field Cookie: the first cookie of the name gets the value, further ones are
/// removed.
static void write_request(lua_State *L, bytes name, const bytes *value) {
    walk state;
    walk_begin(&state, L, false);
    buffer output;
    tapline_lua_buffer_begin(L, &output);
    bool written = value == NULL;
    pair found;
    while (walk_next(&state, &found)) {
        bool same = bytes_equal(found.name, name);
        if (same && written) continue;
        if (output.count > 0) buffer_append(&output, "; ", 2);
        if (same) {
            append_pair(&output, name, *value);
            written = true;
        } else if (found.has_value) {
            append_pair(&output, found.name, found.value);
        } else {
            buffer_append(&output, found.name.bytes, found.name.count);
        }
    }
    if (!written) {
        if (output.count > 0) buffer_append(&output, "; ", 2);
        append_pair(&output, name, *value);
    }
    charge(L, output.count / 8);
    section *fields = fields_of(L, false);
    if (output.count == 0) {
        tapline_lua_remove_field(L, fields, "Cookie");
    } else {
        tapline_lua_set_field(L, fields, "Cookie", (bytes){output.bytes, output.count});
    }
}

/// Appends an attribute from the table at an index, if it is present.
static void append_attribute(buffer *output, int index, int number) {
    lua_State *L = output->L;
    lua_pushstring(L, tapline_lua_attribute_names[number]);
    int type = lua_rawget(L, index);
    bool is_flag = number == SECURE || number == HTTP_ONLY || number == PARTITIONED;
    if (type == LUA_TNIL || (is_flag && !lua_toboolean(L, -1))) {
        lua_pop(L, 1);
        return;
    }
    buffer_append(output, "; ", 2);
    buffer_append(output, wire_names[number], strlen(wire_names[number]));
    if (!is_flag) {
        bytes value = tapline_lua_text_argument(L, -1, tapline_lua_attribute_names[number]);
        check_cookie_text(L, value, tapline_lua_attribute_names[number]);
        buffer_byte(output, '=');
        buffer_append(output, value.bytes, value.count);
    }
    lua_pop(L, 1);
}

/// Appends the whole value of a Set-Cookie field for the argument at 3. If it is a text, the
/// attributes of the previous field are kept.
static void append_set_cookie(buffer *output, bytes name, bytes former) {
    lua_State *L = output->L;
    if (lua_type(L, 3) != LUA_TTABLE) {
        bytes value = tapline_lua_text_argument(L, 3, "cookie value");
        check_cookie_text(L, value, "cookie value");
        append_pair(output, name, value);
        const uint8_t *rest =
            former.count > 0 ? memchr(former.bytes, ';', former.count) : NULL;
        if (rest != NULL) {
            buffer_append(output, rest, (size_t)(former.bytes + former.count - rest));
        }
        return;
    }
    tapline_lua_check_names(L, 3, "a cookie", tapline_lua_attribute_names);
    lua_pushstring(L, tapline_lua_attribute_names[VALUE]);
    lua_rawget(L, 3);
    bytes value = tapline_lua_text_argument(L, -1, "cookie value");
    check_cookie_text(L, value, "cookie value");
    append_pair(output, name, value);
    lua_pop(L, 1);
    for (int number = PATH; number <= PARTITIONED; number++) append_attribute(output, 3, number);
}

/// Writes the Set-Cookie fields of a name: the first gets the value, further ones are removed.
static void write_response(lua_State *L, bytes name, bool removes) {
    section *fields = fields_of(L, true);
    bool written = removes;
    walk state;
    walk_begin(&state, L, true);
    pair found;
    while (walk_next(&state, &found)) {
        if (!bytes_equal(found.name, name)) continue;
        size_t position = (size_t)state.field;
        if (written) {
            if (!tapline_lua_section_remove_at(fields, position)) tapline_lua_too_large(L, fields);
            state.field--;
            continue;
        }
        buffer output;
        tapline_lua_buffer_begin(L, &output);
        append_set_cookie(&output, name, field_value(&state));
        bytes value = {output.bytes, output.count};
        if (!tapline_lua_section_set_at(fields, position, value)) tapline_lua_too_large(L, fields);
        lua_remove(L, output.slot);
        written = true;
    }
    if (written) return;
    buffer output;
    tapline_lua_buffer_begin(L, &output);
    append_set_cookie(&output, name, (bytes){NULL, 0});
    bytes value = {output.bytes, output.count};
    if (!tapline_lua_section_add(fields, BYTES("Set-Cookie"), value))
        tapline_lua_too_large(L, fields);
}

static int cookies_set(lua_State *L) {
    bool response = is_response(L);
    vm *lua = vm_of(L);
    tapline_lua_check_writable(L, response ? &lua->response : &lua->request);
    bytes name = name_argument(L);
    luaL_checkany(L, 3);
    lua_settop(L, 3);
    bool removes = lua_isnil(L, 3);
    if (!removes) tapline_lua_check_token(L, name, "cookie name");
    if (response) {
        write_response(L, name, removes);
    } else if (removes) {
        write_request(L, name, NULL);
    } else {
        bytes value = tapline_lua_text_argument(L, 3, "cookie value");
        check_cookie_text(L, value, "cookie value");
        write_request(L, name, &value);
    }
    return 0;
}

const luaL_Reg tapline_lua_cookie_methods[] = {
    {"get", cookies_get}, {"all", cookies_all}, {"set", cookies_set}, {NULL, NULL}};

static int cookies_index(lua_State *L) {
    bytes name = name_argument(L);
    for (const luaL_Reg *method = tapline_lua_cookie_methods; name.count == 3 && method->name;
         method++) {
        if (memcmp(name.bytes, method->name, 3) != 0) continue;
        lua_pushcfunction(L, method->func);
        return 1;
    }
    return cookies_get(L);
}

void tapline_lua_open_cookies(lua_State *L) {
    static const luaL_Reg metamethods[] = {
        {"__index", cookies_index}, {"__newindex", cookies_set}, {"__pairs", cookies_pairs},
        {NULL, NULL},
    };
    tapline_lua_make_object(L, OBJECT_REQUEST_COOKIES, metamethods, NULL, 0);
    tapline_lua_make_object(L, OBJECT_RESPONSE_COOKIES, metamethods, NULL, 0);
}
