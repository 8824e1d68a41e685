// SPDX-License-Identifier: MIT

// Percent-encoding (RFC 3986 §2.1); in forms and queries a plus sign is a space (WHATWG URL §5.1).

#include "internal.h"

static int hex_digit(uint8_t byte) {
    if (byte >= '0' && byte <= '9') return byte - '0';
    if (byte >= 'A' && byte <= 'F') return byte - 'A' + 10;
    if (byte >= 'a' && byte <= 'f') return byte - 'a' + 10;
    return -1;
}

uint8_t tapline_lua_decode_byte(bytes text, size_t *position, bool plus) {
    uint8_t byte = text.bytes[*position];
    if (byte == '%' && text.count - *position > 2) {
        int high = hex_digit(text.bytes[*position + 1]), low = hex_digit(text.bytes[*position + 2]);
        if (high >= 0 && low >= 0) {
            *position += 3;
            return (uint8_t)(high << 4 | low);
        }
    }
    *position += 1;
    return plus && byte == '+' ? ' ' : byte;
}

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
