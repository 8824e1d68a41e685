// SPDX-License-Identifier: MIT

// Assigns the parts of a request target and its authority (RFC 3986 §3, RFC 9112 §3.2). Nothing is
// decoded, and parts that are not assigned keep their exact bytes.

#include "internal.h"

#include <stdio.h>

static bytes slice(const uint8_t *start, const uint8_t *end) {
    return (bytes){start, (size_t)(end - start)};
}

/// Splits off the scheme and authority of an absolute URL; returns false if it has none.
static bool split_absolute(lua_State *L, bytes url, bytes *scheme, bytes *authority) {
    bytes prefix = tapline_lua_split_target(L, url).prefix;
    if (prefix.count == 0) return false;
    const uint8_t *colon = memchr(prefix.bytes, ':', prefix.count);
    *scheme = slice(prefix.bytes, colon);
    *authority = slice(colon + 3, prefix.bytes + prefix.count);
    return true;
}

void tapline_lua_push_url(lua_State *L, const message *request) {
    buffer url;
    tapline_lua_buffer_begin(L, &url);
    uint8_t *room = tapline_lua_buffer_room(
        &url, request->scheme.count + request->authority.count + request->target.count + 4);
    url.count += vm_of(L)->functions.url_write(
        request->method, request->scheme, request->authority, request->target, room);
    tapline_lua_buffer_push(&url);
}

// MARK: - Assigning

/// Raises if a part of a URL has a control character or a character that would end the request
/// line.
static void check_url_bytes(lua_State *L, bytes value, const char *what, const char *refused) {
    for (size_t index = 0; index < value.count; index++) {
        uint8_t byte = value.bytes[index];
        if (byte <= 0x20 || byte == 0x7F || strchr(refused, byte) != NULL) {
            luaL_error(
                L, "%s has a character that is not allowed, at byte %d", what, (int)index + 1);
        }
    }
}

/// Joins pieces in the call's memory.
static bytes join(lua_State *L, const bytes *pieces, size_t count) {
    size_t total = 0;
    for (size_t index = 0; index < count; index++) total += pieces[index].count;
    uint8_t *room = tapline_lua_keep_room(L, total);
    size_t filled = 0;
    for (size_t index = 0; index < count; index++) {
        if (pieces[index].count == 0) continue;
        memcpy(room + filled, pieces[index].bytes, pieces[index].count);
        filled += pieces[index].count;
    }
    return (bytes){room, total};
}

static void set_target(lua_State *L, side *request, const tapline_lua_target *parts) {
    bytes pieces[] = {
        parts->prefix, parts->path, parts->has_query ? BYTES("?") : BYTES(""),
        parts->has_query ? parts->query : BYTES(""), parts->fragment,
    };
    request->view.target = join(L, pieces, 5);
    request->changes |= TAPLINE_LUA_TARGET;
}

/// Sets a new authority, in an absolute-form target and, on the wire, also in the Host field.
static void set_authority(lua_State *L, side *request, bytes scheme, bytes authority) {
    vm *lua = vm_of(L);
    message *view = &request->view;
    if (!bytes_equal(view->scheme, scheme)) {
        view->scheme = scheme;
        request->changes |= TAPLINE_LUA_SCHEME;
    }
    view->authority = authority;
    request->changes |= TAPLINE_LUA_AUTHORITY;
    tapline_lua_target parts = tapline_lua_split_target(L, view->target);
    if (parts.prefix.count > 0) {
        bytes pieces[] = {scheme, BYTES("://"), authority};
        parts.prefix = join(L, pieces, 3);
        set_target(L, request, &parts);
    }
    // A value assigned by the script is kept.
    if (lua->hook == TAPLINE_LUA_RECORD || lua->extras.host_assigned) return;
    if (tapline_lua_section_find(&lua->request_headers, BYTES("Host"), 0) < 0) return;
    // The field never includes userinfo (RFC 9110 §7.2).
    tapline_lua_authority split = tapline_lua_split_authority(L, authority, scheme);
    bytes field = slice(split.host.bytes, authority.bytes + authority.count);
    tapline_lua_set_field(L, &lua->request_headers, "Host", field);
}

void tapline_lua_assign_url(lua_State *L, side *request, bytes url) {
    check_url_bytes(L, url, "url", "");
    bytes kept = tapline_lua_keep_bytes(L, url), scheme, authority;
    if (!split_absolute(L, kept, &scheme, &authority)) {
        luaL_error(L, "url is not absolute; expected 'https://host/path', or set path or query");
    }
    if (authority.count == 0) luaL_error(L, "url has no host");
    tapline_lua_target parts = tapline_lua_split_target(L, kept);
    // An absolute-form target stays absolute; the fragment is never sent (RFC 9110 §4.2.5).
    bool absolute = tapline_lua_split_target(L, request->view.target).prefix.count > 0;
    if (!absolute) parts.prefix.count = 0;
    if (parts.path.count == 0) {
        // RFC 9112 §3.2.4: the URL refers to the server as a whole.
        bool whole = !parts.has_query && bytes_equal(request->view.method, BYTES("OPTIONS"));
        parts.path = !whole ? BYTES("/") : absolute ? BYTES("") : BYTES("*");
    }
    parts.fragment.count = 0;
    set_target(L, request, &parts);
    set_authority(L, request, scheme, authority);
}

void tapline_lua_assign_scheme(lua_State *L, side *request, bytes scheme) {
    if (!bytes_equal(scheme, BYTES("http")) && !bytes_equal(scheme, BYTES("https"))) {
        luaL_error(L, "scheme is invalid; expected http or https");
    }
    set_authority(L, request, tapline_lua_keep_bytes(L, scheme), request->view.authority);
}

void tapline_lua_assign_host(lua_State *L, side *request, bytes host) {
    bool bracketed = host.count > 2 && host.bytes[0] == '[' && host.bytes[host.count - 1] == ']';
    check_url_bytes(L, host, "host", bracketed ? "/?#@" : "/?#@:[]");
    if (host.count == 0) luaL_error(L, "host is empty");
    bytes old = request->view.authority;
    tapline_lua_authority split = tapline_lua_split_authority(L, old, request->view.scheme);
    bytes pieces[] = {slice(old.bytes, split.host.bytes), host, split.rest};
    set_authority(L, request, request->view.scheme, join(L, pieces, 3));
}

void tapline_lua_assign_port(lua_State *L, side *request, int64_t port) {
    bytes old = request->view.authority;
    tapline_lua_authority split = tapline_lua_split_authority(L, old, request->view.scheme);
    char digits[8] = "";
    if (port >= 0) snprintf(digits, sizeof digits, ":%d", (int)port);
    bytes pieces[] = {
        slice(old.bytes, split.rest.bytes), {(const uint8_t *)digits, strlen(digits)}};
    set_authority(L, request, request->view.scheme, join(L, pieces, 2));
}

void tapline_lua_assign_path(lua_State *L, side *request, bytes path) {
    check_url_bytes(L, path, "path", "?#");
    if (path.count == 0 || path.bytes[0] != '/') luaL_error(L, "path does not begin with a slash");
    tapline_lua_target parts = tapline_lua_split_target(L, request->view.target);
    parts.path = path;
    set_target(L, request, &parts);
}

void tapline_lua_assign_query(lua_State *L, side *request, bytes query, bool has_query) {
    check_url_bytes(L, query, "query", "#");
    tapline_lua_target parts = tapline_lua_split_target(L, request->view.target);
    parts.query = query;
    parts.has_query = has_query;
    set_target(L, request, &parts);
}
