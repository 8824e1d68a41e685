// SPDX-License-Identifier: MIT

// The members of the objects of the interface: the same tables that field access uses.

#include "internal.h"

typedef struct object {
    const char *path;
    const char *const *names;
    const luaL_Reg *methods;
} object;

static const object objects[] = {
    {"ex", tapline_lua_exchange_names, NULL},
    {"ex.timing", tapline_lua_timing_names, NULL},
    {"ex.tls", tapline_lua_tls_names, NULL},
    {"ex.server_tls", tapline_lua_tls_names, NULL},
    {"ex.connection", tapline_lua_connection_names, NULL},
    {"ex.bytes", tapline_lua_bytes_names, NULL},
    {"ex.grpc", tapline_lua_grpc_names, NULL},
    {"ex.original", tapline_lua_original_names, NULL},
    {"ex.error", tapline_lua_error_names, NULL},
    {"ex.request", tapline_lua_request_names, NULL},
    {"ex.request.headers", NULL, tapline_lua_header_methods},
    {"ex.request.trailers", NULL, tapline_lua_trailer_methods},
    {"ex.request.query", NULL, tapline_lua_query_methods},
    {"ex.request.cookies", NULL, tapline_lua_cookie_methods},
    {"ex.response", tapline_lua_response_names, NULL},
    {"ex.response.headers", NULL, tapline_lua_header_methods},
    {"ex.response.trailers", NULL, tapline_lua_trailer_methods},
    {"ex.response.cookies", NULL, tapline_lua_cookie_methods},
    {"form", NULL, tapline_lua_query_methods},
    {"parts", NULL, tapline_lua_list_methods},
    {"part", tapline_lua_part_names, NULL},
    {"cookie", tapline_lua_attribute_names, NULL},
    {"message", tapline_lua_message_names, NULL},
    {"reply", tapline_lua_reply_names, NULL},
};

static bytes bytes_of(const char *text) { return (bytes){(const uint8_t *)text, strlen(text)}; }

size_t tapline_lua_names(size_t index, bytes *path, bytes *names, size_t capacity) {
    if (index >= sizeof objects / sizeof *objects) return 0;
    const object *found = &objects[index];
    *path = bytes_of(found->path);
    size_t count = 0;
    while (count < capacity) {
        const char *name = found->names == NULL ? found->methods[count].name : found->names[count];
        if (name == NULL) break;
        names[count++] = bytes_of(name);
    }
    return count;
}
