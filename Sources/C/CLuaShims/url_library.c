// SPDX-License-Identifier: MIT

// `url`: parsing and building URLs (RFC 3986), and query strings (WHATWG URL §5).

#include "internal.h"

/// Pushes the URL of its parts.
static void push_url(lua_State *L, const tapline_lua_uri *url) {
    buffer output;
    tapline_lua_buffer_begin(L, &output);
    uint8_t *room = tapline_lua_buffer_room(
        &output, url->scheme.count + url->authority.count + url->path.count + url->query.count +
            url->fragment.count + 5);
    output.count = vm_of(L)->functions.uri_write(url, room);
    tapline_lua_buffer_push(&output);
}

// MARK: - parse and build

static void set_part(lua_State *L, const char *name, bytes value, bool present) {
    if (!present) return;
    push_bytes(L, value);
    lua_setfield(L, -2, name);
}

static int url_parse(lua_State *L) {
    bytes text = tapline_lua_string_argument(L, 1, "url");
    charge(L, text.count / 4);
    for (size_t index = 0; index < text.count; index++) {
        uint8_t byte = text.bytes[index];
        if (byte <= 0x20 || byte == 0x7F) return tapline_lua_give_nil(L, "url has a space or control character");
    }
    tapline_lua_uri url = vm_of(L)->functions.uri_split(text);
    tapline_lua_authority split = tapline_lua_split_authority(L, url.authority, url.scheme);
    int64_t port = url.has_authority ? split.port : -1;
    bytes host = split.host;
    size_t user = url.has_authority ? (size_t)(host.bytes - url.authority.bytes) : 0;
    lua_createtable(L, 0, 7);
    set_part(L, "scheme", url.scheme, url.has_scheme);
    set_part(L, "userinfo", (bytes){url.authority.bytes, user - (user > 0)}, user > 0);
    set_part(L, "host", host, url.has_authority);
    if (port >= 0) {
        lua_pushinteger(L, port);
        lua_setfield(L, -2, "port");
    }
    set_part(L, "path", url.path, true);
    set_part(L, "query", url.query, url.has_query);
    set_part(L, "fragment", url.fragment, url.has_fragment);
    return 1;
}

static const char *const url_names[] = {
    "scheme", "userinfo", "host", "port", "path", "query", "fragment", NULL};

/// Reads a part of the table at 1 as text, and raises if it has a character that would end the
/// part. The value stays on the stack.
static bool part_argument(lua_State *L, const char *name, const char *refused, bytes *value) {
    lua_pushstring(L, name);
    if (lua_rawget(L, 1) == LUA_TNIL) return false;
    *value = tapline_lua_text_argument(L, -1, name);
    for (size_t index = 0; index < value->count; index++) {
        uint8_t byte = value->bytes[index];
        if (byte <= 0x20 || byte == 0x7F || strchr(refused, byte) != NULL) {
            luaL_error(
                L, "%s has a character that is not allowed, at byte %d", name, (int)index + 1);
        }
    }
    return true;
}

static int url_build(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    tapline_lua_check_names(L, 1, "url.build", url_names);
    tapline_lua_uri url = {0};
    bytes host = {0}, user = {0}, port = {0};
    part_argument(L, "scheme", ":/?#@[]%", &url.scheme);
    url.has_scheme = url.scheme.count > 0;
    url.has_authority = part_argument(L, "host", "/?#@", &host);
    bool has_user = part_argument(L, "userinfo", "/?#@[]", &user);
    bool has_port = part_argument(L, "port", "/?#@:[].-+", &port);
    part_argument(L, "path", "?#", &url.path);
    url.has_query = part_argument(L, "query", "#", &url.query);
    url.has_fragment = part_argument(L, "fragment", "#", &url.fragment);
    if ((has_user || has_port) && !url.has_authority) {
        return luaL_error(L, "url has userinfo or port, but no host");
    }
    bool relative = url.path.count > 0 && url.path.bytes[0] != '/';
    if (url.has_authority && relative) return luaL_error(L, "path does not begin with a slash");
    // The default port of the scheme is omitted.
    bool is_usual = has_port &&
        ((bytes_equal(url.scheme, BYTES("https")) && bytes_equal(port, BYTES("443"))) ||
         (bytes_equal(url.scheme, BYTES("http")) && bytes_equal(port, BYTES("80"))));
    buffer authority;
    tapline_lua_buffer_begin(L, &authority);
    if (has_user) {
        buffer_append(&authority, user.bytes, user.count);
        buffer_byte(&authority, '@');
    }
    buffer_append(&authority, host.bytes, host.count);
    if (has_port && !is_usual) {
        buffer_byte(&authority, ':');
        buffer_append(&authority, port.bytes, port.count);
    }
    url.authority = (bytes){authority.bytes, authority.count};
    push_url(L, &url);
    return 1;
}

/// Resolves a reference against a base.
static int url_join(lua_State *L) {
    bytes base = tapline_lua_string_argument(L, 1, "base"),
          reference = tapline_lua_string_argument(L, 2, "reference");
    charge(L, (base.count + reference.count) / 2);
    buffer output;
    tapline_lua_buffer_begin(L, &output);
    uint8_t *room = tapline_lua_buffer_room(&output, base.count + reference.count + 1);
    ptrdiff_t count = vm_of(L)->functions.uri_resolve(reference, base, room);
    if (count < 0) return luaL_error(L, "base is not absolute; expected a scheme");
    output.count = (size_t)count;
    tapline_lua_buffer_push(&output);
    return 1;
}

// MARK: - Encoding

static int url_encode(lua_State *L) {
    bytes text = tapline_lua_text_argument(L, 1, "text");
    charge(L, text.count / 2);
    buffer output;
    tapline_lua_buffer_begin(L, &output);
    tapline_lua_append_encoded(&output, text);
    tapline_lua_buffer_push(&output);
    return 1;
}

static int url_decode(lua_State *L) {
    bytes text = tapline_lua_string_argument(L, 1, "text");
    charge(L, text.count / 2);
    tapline_lua_push_decoded(L, text, false);
    return 1;
}

/// Returns a list of pairs, in order and with duplicates.
static int url_parse_query(lua_State *L) {
    bytes text = tapline_lua_string_argument(L, 1, "query"), name, value;
    charge(L, text.count);
    lua_newtable(L);
    lua_Integer count = 0;
    size_t position = 0;
    while (vm_of(L)->functions.query_next(text, &position, &name, &value)) {
        if (name.count == 0 && value.bytes == name.bytes) continue;
        lua_createtable(L, 2, 0);
        tapline_lua_push_decoded(L, name, true);
        lua_rawseti(L, -2, 1);
        tapline_lua_push_decoded(L, value, true);
        lua_rawseti(L, -2, 2);
        lua_rawseti(L, -2, ++count);
    }
    return 1;
}

/// Appends `name=value` of the pair on top of the stack.
static void append_pair(buffer *output) {
    lua_State *L = output->L;
    if (lua_type(L, -1) != LUA_TTABLE) {
        luaL_error(L, "query is not a list of pairs; expected {{\"name\", \"value\"}}");
    }
    lua_rawgeti(L, -1, 1);
    bytes name = tapline_lua_text_argument(L, -1, "name");
    lua_rawgeti(L, -2, 2);
    bytes value = tapline_lua_text_argument(L, -1, "value");
    charge(L, 4 + (name.count + value.count) / 2);
    if (output->count > 0) buffer_byte(output, '&');
    tapline_lua_append_encoded(output, name);
    buffer_byte(output, '=');
    tapline_lua_append_encoded(output, value);
    lua_pop(L, 2);
}

static int url_build_query(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    buffer output;
    tapline_lua_buffer_begin(L, &output);
    lua_Integer count = (lua_Integer)lua_rawlen(L, 1);
    for (lua_Integer position = 1; position <= count; position++) {
        lua_rawgeti(L, 1, position);
        append_pair(&output);
        lua_pop(L, 1);
    }
    tapline_lua_buffer_push(&output);
    return 1;
}

void tapline_lua_open_url(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"parse", url_parse},
        {"build", url_build},
        {"join", url_join},
        {"encode", url_encode},
        {"decode", url_decode},
        {"parse_query", url_parse_query},
        {"build_query", url_build_query},
        {NULL, NULL},
    };
    luaL_newlib(L, functions);
    lua_setglobal(L, "url");
}
