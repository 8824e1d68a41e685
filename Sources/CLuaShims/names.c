// SPDX-License-Identifier: MIT

// What the objects of the interface have: the very tables that reading a field looks into.

#include "internal.h"

typedef struct object {
    const char *path;
    const char *const *names;
    const luaL_Reg *methods;
} object;

static const object objects[] = {
    {"ex", exchange_names, NULL},
    {"ex.timing", timing_names, NULL},
    {"ex.tls", tls_names, NULL},
    {"ex.server_tls", tls_names, NULL},
    {"ex.connection", connection_names, NULL},
    {"ex.bytes", bytes_names, NULL},
    {"ex.original", original_names, NULL},
    {"ex.error", error_names, NULL},
    {"ex.request", request_names, NULL},
    {"ex.request.headers", NULL, header_methods},
    {"ex.request.trailers", NULL, trailer_methods},
    {"ex.request.query", NULL, query_methods},
    {"ex.request.cookies", NULL, cookie_methods},
    {"ex.response", response_names, NULL},
    {"ex.response.headers", NULL, header_methods},
    {"ex.response.trailers", NULL, trailer_methods},
    {"ex.response.cookies", NULL, cookie_methods},
    {"form", NULL, query_methods},
    {"parts", NULL, list_methods},
    {"part", part_names, NULL},
    {"cookie", attribute_names, NULL},
    {"message", message_names, NULL},
    {"reply", reply_names, NULL},
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
