// SPDX-License-Identifier: MIT

// Percent-encoding (RFC 3986 §2.1); in forms and queries a plus sign means a space (WHATWG URL
// §5.1).

#include "internal.h"

static bool has(bytes text, uint8_t byte) {
    return text.count > 0 && memchr(text.bytes, byte, text.count) != NULL;
}

void tapline_lua_push_decoded(lua_State *L, bytes text, bool plus) {
    if (!has(text, '%') && !(plus && has(text, '+'))) {
        push_bytes(L, text);
        return;
    }
    buffer output;
    tapline_lua_buffer_begin(L, &output);
    uint8_t *room = tapline_lua_buffer_room(&output, text.count);
    output.count += vm_of(L)->functions.percent_decode(text, plus, room);
    tapline_lua_buffer_push(&output);
    lua_remove(L, output.slot);
}

void tapline_lua_append_encoded(buffer *output, bytes text) {
    uint8_t *room = tapline_lua_buffer_room(output, text.count * 3);
    output->count += vm_of(output->L)->functions.percent_encode(text, room);
}
