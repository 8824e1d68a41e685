// SPDX-License-Identifier: MIT

// `url`: taking URLs apart and putting them together (RFC 3986), and query strings (WHATWG URL §5).

#include "internal.h"

/// The five parts of RFC 3986 §3; those with a flag may be absent, which is not the same as empty.
typedef struct parts {
    bytes scheme, authority, path, query, fragment;
    bool has_authority, has_query, has_fragment;
} parts;

static bool is_letter(uint8_t byte) {
    return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
}

/// How many bytes stand before one of the delimiters, which are text bytes.
static size_t span_before(bytes text, size_t start, const char *delimiters) {
    size_t index = start;
    while (index < text.count &&
           (text.bytes[index] == 0 || strchr(delimiters, text.bytes[index]) == NULL)) {
        index++;
    }
    return index - start;
}

static bytes part_of(bytes text, size_t start, size_t count) {
    return (bytes){text.bytes + start, count};
}

/// RFC 3986 appendix B, written out.
static parts split_url(bytes text) {
    parts result = {0};
    size_t index = 0;
    size_t colon = span_before(text, 0, ":/?#");
    bool has_scheme = colon > 0 && colon < text.count && text.bytes[colon] == ':' &&
        is_letter(text.bytes[0]);
    for (size_t next = 1; has_scheme && next < colon; next++) {
        uint8_t byte = text.bytes[next];
        has_scheme = is_letter(byte) || (byte >= '0' && byte <= '9') || byte == '+' ||
            byte == '-' || byte == '.';
    }
    if (has_scheme) {
        result.scheme = part_of(text, 0, colon);
        index = colon + 1;
    }
    if (text.count - index >= 2 && memcmp(text.bytes + index, "//", 2) == 0) {
        size_t count = span_before(text, index + 2, "/?#");
        result.has_authority = true;
        result.authority = part_of(text, index + 2, count);
        index += 2 + count;
    }
    size_t count = span_before(text, index, "?#");
    result.path = part_of(text, index, count);
    index += count;
    if (index < text.count && text.bytes[index] == '?') {
        count = span_before(text, index + 1, "#");
        result.has_query = true;
        result.query = part_of(text, index + 1, count);
        index += 1 + count;
    }
    if (index < text.count) {
        result.has_fragment = true;
        result.fragment = part_of(text, index + 1, text.count - index - 1);
    }
    return result;
}

static void append_bytes(buffer *output, bytes text) {
    buffer_append(output, text.bytes, text.count);
}

static void append_url(buffer *output, const parts *url) {
    if (url->scheme.count > 0) {
        append_bytes(output, url->scheme);
        buffer_byte(output, ':');
    }
    if (url->has_authority) {
        buffer_append(output, "//", 2);
        append_bytes(output, url->authority);
    }
    append_bytes(output, url->path);
    if (url->has_query) {
        buffer_byte(output, '?');
        append_bytes(output, url->query);
    }
    if (url->has_fragment) {
        buffer_byte(output, '#');
        append_bytes(output, url->fragment);
    }
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
    parts url = split_url(text);
    tapline_lua_authority split = tapline_lua_split_authority(L, url.authority, url.scheme);
    int64_t port = url.has_authority ? split.port : -1;
    bytes host = split.host;
    size_t user = url.has_authority ? (size_t)(host.bytes - url.authority.bytes) : 0;
    const uint8_t *end = url.authority.bytes + url.authority.count;
    bool names_port = url.has_authority && host.bytes + host.count + 1 < end;
    if (names_port && port < 0)
        return tapline_lua_give_nil(L, "url has a port that is no number up to 65535");
    lua_createtable(L, 0, 7);
    set_part(L, "scheme", url.scheme, url.scheme.count > 0);
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

/// A part of the table at 1, as text without what would end it; it stays on the stack.
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
    parts url = {0};
    bytes host = {0}, user = {0}, port = {0};
    part_argument(L, "scheme", ":/?#@[]%", &url.scheme);
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
    // The scheme's own port is left out.
    bool is_usual = has_port &&
        ((bytes_equal(url.scheme, BYTES("https")) && bytes_equal(port, BYTES("443"))) ||
         (bytes_equal(url.scheme, BYTES("http")) && bytes_equal(port, BYTES("80"))));
    buffer authority;
    tapline_lua_buffer_begin(L, &authority);
    if (has_user) {
        append_bytes(&authority, user);
        buffer_byte(&authority, '@');
    }
    append_bytes(&authority, host);
    if (has_port && !is_usual) {
        buffer_byte(&authority, ':');
        append_bytes(&authority, port);
    }
    url.authority = (bytes){authority.bytes, authority.count};
    buffer output;
    tapline_lua_buffer_begin(L, &output);
    append_url(&output, &url);
    tapline_lua_buffer_push(&output);
    return 1;
}

// MARK: - join

/// Takes the last segment and its slash off the output, which began at `start`.
static void drop_segment(buffer *output, size_t start) {
    while (output->count > start && output->bytes[output->count - 1] != '/') output->count--;
    if (output->count > start) output->count--;
}

/// RFC 3986 §5.2.4: appends a path without its dot segments.
static void append_without_dots(buffer *output, bytes path) {
    size_t start = output->count, index = 0;
    while (index < path.count) {
        size_t slash = path.bytes[index] == '/';
        size_t count = span_before(path, index + slash, "/");
        bytes segment = part_of(path, index + slash, count);
        bool is_last = index + slash + count == path.count;
        index += slash + count;
        if (bytes_equal(segment, BYTES("..")) || bytes_equal(segment, BYTES("."))) {
            if (segment.count == 2) drop_segment(output, start);
            if (is_last) buffer_byte(output, '/');
        } else {
            if (slash > 0) buffer_byte(output, '/');
            append_bytes(output, segment);
        }
    }
}

/// RFC 3986 §5.2.2: what a reference means where the base stands.
static int url_join(lua_State *L) {
    bytes base_text = tapline_lua_string_argument(L, 1, "base"),
          text = tapline_lua_string_argument(L, 2, "reference");
    charge(L, (base_text.count + text.count) / 2);
    parts base = split_url(base_text), url = split_url(text);
    if (base.scheme.count == 0) return luaL_error(L, "base is not absolute; expected a scheme");
    buffer path;
    tapline_lua_buffer_begin(L, &path);
    bytes merged = url.path;
    if (url.scheme.count == 0) {
        url.scheme = base.scheme;
        if (!url.has_authority) {
            url.has_authority = base.has_authority;
            url.authority = base.authority;
            if (url.path.count == 0) {
                merged = base.path;
                if (!url.has_query) {
                    url.has_query = base.has_query;
                    url.query = base.query;
                }
            } else if (url.path.bytes[0] != '/') {
                size_t count = base.path.count;
                while (count > 0 && base.path.bytes[count - 1] != '/') count--;
                append_bytes(&path, part_of(base.path, 0, count));
                if (base.has_authority && base.path.count == 0) buffer_byte(&path, '/');
                append_bytes(&path, url.path);
                merged = (bytes){path.bytes, path.count};
            }
        }
    }
    buffer clean;
    tapline_lua_buffer_begin(L, &clean);
    append_without_dots(&clean, merged);
    url.path = (bytes){clean.bytes, clean.count};
    buffer output;
    tapline_lua_buffer_begin(L, &output);
    append_url(&output, &url);
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

/// A list of pairs, in order and with duplicates.
static int url_parse_query(lua_State *L) {
    bytes text = tapline_lua_string_argument(L, 1, "query");
    charge(L, text.count);
    lua_newtable(L);
    int list = lua_gettop(L);
    lua_Integer count = 0;
    for (size_t index = 0; index < text.count; index++) {
        bytes item = part_of(text, index, span_before(text, index, "&"));
        size_t name = span_before(item, 0, "=");
        index += item.count;
        if (item.count == 0) continue;
        lua_createtable(L, 2, 0);
        tapline_lua_push_decoded(L, part_of(item, 0, name), true);
        lua_rawseti(L, -2, 1);
        size_t value = name < item.count ? name + 1 : name;
        tapline_lua_push_decoded(L, part_of(item, value, item.count - value), true);
        lua_rawseti(L, -2, 2);
        lua_rawseti(L, list, ++count);
    }
    return 1;
}

/// Appends `name=value` of the pair on top of the stack.
static void append_pair(buffer *output) {
    lua_State *L = output->L;
    if (lua_type(L, -1) != LUA_TTABLE) {
        luaL_error(L, "query is no list of pairs; expected {{\"name\", \"value\"}}");
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
