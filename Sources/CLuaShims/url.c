// SPDX-License-Identifier: MIT

// The parts of a request target and its authority (RFC 3986 §3, RFC 9112 §3.2), by the rules of
// `URLParts` in the model. Nothing is decoded; what is not assigned stays byte for byte.

#include "internal.h"

static bytes slice(const uint8_t *start, const uint8_t *end) {
    return (bytes){start, (size_t)(end - start)};
}

static const uint8_t *find(const uint8_t *start, const uint8_t *end, uint8_t wanted) {
    const uint8_t *found = start < end ? memchr(start, wanted, (size_t)(end - start)) : NULL;
    return found == NULL ? end : found;
}

static bool is_scheme_byte(uint8_t byte) {
    return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
        (byte >= 'a' && byte <= 'z') || byte == '+' || byte == '-' || byte == '.';
}

/// The length of `scheme`, where the bytes start with `scheme://`; 0 otherwise.
static size_t scheme_length(bytes url) {
    size_t count = 0;
    while (count < url.count && is_scheme_byte(url.bytes[count])) count++;
    bool absolute = count > 0 && url.count - count >= 3 && memcmp(url.bytes + count, "://", 3) == 0;
    return absolute ? count : 0;
}

target_parts tapline_lua_split_target(bytes target) {
    const uint8_t *next = target.bytes, *end = target.bytes + target.count;
    size_t scheme = scheme_length(target);
    if (scheme > 0) {
        next += scheme + 3;
        while (next < end && *next != '/' && *next != '?' && *next != '#') next++;
    }
    target_parts parts = {.prefix = slice(target.bytes, next)};
    const uint8_t *hash = find(next, end, '#');
    const uint8_t *mark = find(next, hash, '?');
    parts.path = slice(next, mark);
    parts.has_query = mark < hash;
    parts.query = parts.has_query ? slice(mark + 1, hash) : slice(hash, hash);
    parts.fragment = slice(hash, end);
    return parts;
}

/// Where the host of an authority begins and ends, without user-info and port.
static void split_authority(bytes authority, const uint8_t **host, const uint8_t **colon) {
    const uint8_t *start = authority.bytes, *end = start + authority.count;
    const uint8_t *from = start;
    for (const uint8_t *next = start; next < end; next++) {
        if (*next == '@') start = next + 1;
        if (*next == ']') from = next;
    }
    *host = start;
    *colon = find(from > start ? from : start, end, ':');
}

bytes tapline_lua_host_of(bytes authority) {
    const uint8_t *host, *colon;
    split_authority(authority, &host, &colon);
    return slice(host, colon);
}

int64_t tapline_lua_port_of(bytes authority, bytes scheme) {
    const uint8_t *host, *colon;
    split_authority(authority, &host, &colon);
    const uint8_t *end = authority.bytes + authority.count;
    if (colon < end && colon + 1 < end) {
        int64_t port = 0;
        for (const uint8_t *next = colon + 1; next < end; next++) {
            if (*next < '0' || *next > '9' || port > 65535) return -1;
            port = port * 10 + (*next - '0');
        }
        return port <= 65535 ? port : -1;
    }
    if (tapline_lua_bytes_equal_ignoring_case(scheme, BYTES("https"))) return 443;
    return tapline_lua_bytes_equal_ignoring_case(scheme, BYTES("http")) ? 80 : -1;
}

void tapline_lua_push_url(lua_State *L, const message *request) {
    bytes target = request->target;
    if (request->scheme.count == 0 || scheme_length(target) > 0) {
        push_bytes(L, target);
        return;
    }
    buffer url;
    tapline_lua_buffer_begin(L, &url);
    buffer_append(&url, request->scheme.bytes, request->scheme.count);
    buffer_append(&url, "://", 3);
    buffer_append(&url, request->authority.bytes, request->authority.count);
    // RFC 9112 §3.3: the path of authority-form and asterisk-form is empty.
    if (!bytes_equal(request->method, BYTES("CONNECT")) && !bytes_equal(target, BYTES("*"))) {
        if (target.count == 0 || target.bytes[0] != '/') buffer_byte(&url, '/');
        buffer_append(&url, target.bytes, target.count);
    }
    tapline_lua_buffer_push(&url);
}

// MARK: - Assigning

/// No part of a URL may hold what would end the request line, or a control character.
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

static void set_target(lua_State *L, side *request, const target_parts *parts) {
    bytes pieces[] = {
        parts->prefix, parts->path, parts->has_query ? BYTES("?") : BYTES(""),
        parts->has_query ? parts->query : BYTES(""), parts->fragment,
    };
    request->view.target = join(L, pieces, 5);
    request->changes |= TAPLINE_LUA_TARGET;
}

/// A new authority goes into an absolute-form target and, on the wire, into the Host field too.
static void set_authority(lua_State *L, side *request, bytes scheme, bytes authority) {
    vm *lua = vm_of(L);
    message *view = &request->view;
    if (!bytes_equal(view->scheme, scheme)) {
        view->scheme = scheme;
        request->changes |= TAPLINE_LUA_SCHEME;
    }
    view->authority = authority;
    request->changes |= TAPLINE_LUA_AUTHORITY;
    target_parts parts = tapline_lua_split_target(view->target);
    if (parts.prefix.count > 0) {
        bytes pieces[] = {scheme, BYTES("://"), authority};
        parts.prefix = join(L, pieces, 3);
        set_target(L, request, &parts);
    }
    // What the script itself put there stays.
    if (lua->hook == TAPLINE_LUA_RECORD || lua->extras.host_assigned) return;
    if (tapline_lua_section_find(&lua->request_headers, BYTES("Host"), 0) < 0) return;
    // The field never has user-info (RFC 9110 §7.2).
    const uint8_t *host, *colon;
    split_authority(authority, &host, &colon);
    bytes field = slice(host, authority.bytes + authority.count);
    tapline_lua_set_field(L, &lua->request_headers, "Host", field);
}

void tapline_lua_assign_url(lua_State *L, side *request, bytes url) {
    check_url_bytes(L, url, "url", "");
    size_t scheme = scheme_length(url);
    if (scheme == 0) {
        luaL_error(L, "url is not absolute; expected 'https://host/path', or set path or query");
    }
    bytes kept = tapline_lua_keep_bytes(L, url);
    target_parts parts = tapline_lua_split_target(kept);
    bytes authority = slice(kept.bytes + scheme + 3, parts.path.bytes);
    if (authority.count == 0) luaL_error(L, "url has no host");
    // What was in absolute form stays so; the fragment is never sent (RFC 9110 §4.2.5).
    bool absolute = scheme_length(request->view.target) > 0;
    if (!absolute) parts.prefix.count = 0;
    if (parts.path.count == 0) {
        // RFC 9112 §3.2.4: the URL of a server as a whole.
        bool whole = !parts.has_query && bytes_equal(request->view.method, BYTES("OPTIONS"));
        parts.path = !whole ? BYTES("/") : absolute ? BYTES("") : BYTES("*");
    }
    parts.fragment.count = 0;
    set_target(L, request, &parts);
    set_authority(L, request, slice(kept.bytes, kept.bytes + scheme), authority);
}

void tapline_lua_assign_scheme(lua_State *L, side *request, bytes scheme) {
    if (!bytes_equal(scheme, BYTES("http")) && !bytes_equal(scheme, BYTES("https"))) {
        luaL_error(L, "scheme is not one; expected http or https");
    }
    set_authority(L, request, tapline_lua_keep_bytes(L, scheme), request->view.authority);
}

void tapline_lua_assign_host(lua_State *L, side *request, bytes host) {
    bool bracketed = host.count > 2 && host.bytes[0] == '[' && host.bytes[host.count - 1] == ']';
    check_url_bytes(L, host, "host", bracketed ? "/?#@" : "/?#@:[]");
    if (host.count == 0) luaL_error(L, "host is empty");
    bytes old = request->view.authority;
    const uint8_t *start, *colon;
    split_authority(old, &start, &colon);
    bytes pieces[] = {
        slice(old.bytes, start), host, slice(colon, old.bytes + old.count)};
    set_authority(L, request, request->view.scheme, join(L, pieces, 3));
}

void tapline_lua_assign_port(lua_State *L, side *request, int64_t port) {
    bytes old = request->view.authority;
    const uint8_t *start, *colon;
    split_authority(old, &start, &colon);
    char digits[8];
    size_t count = 0;
    if (port >= 0) {
        char reversed[8];
        size_t length = 0;
        for (int64_t rest = port; rest > 0; rest /= 10) reversed[length++] = (char)('0' + rest % 10);
        digits[count++] = ':';
        while (length > 0) digits[count++] = reversed[--length];
    }
    bytes pieces[] = {slice(old.bytes, colon), {(const uint8_t *)digits, count}};
    set_authority(L, request, request->view.scheme, join(L, pieces, 2));
}

void tapline_lua_assign_path(lua_State *L, side *request, bytes path) {
    check_url_bytes(L, path, "path", "?#");
    if (path.count == 0 || path.bytes[0] != '/') luaL_error(L, "path does not begin with a slash");
    target_parts parts = tapline_lua_split_target(request->view.target);
    parts.path = path;
    set_target(L, request, &parts);
}

void tapline_lua_assign_query(lua_State *L, side *request, bytes query, bool has_query) {
    check_url_bytes(L, query, "query", "#");
    target_parts parts = tapline_lua_split_target(request->view.target);
    parts.query = query;
    parts.has_query = has_query;
    set_target(L, request, &parts);
}
