// SPDX-License-Identifier: MIT

// `base64` (RFC 4648 §4 and §5).

#include "internal.h"

static const char standard_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char url_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

void tapline_lua_push_base64(lua_State *L, bytes text, bool url, bool pads) {
    const char *digits = url ? url_digits : standard_digits;
    charge(L, text.count / 4);
    buffer output;
    tapline_lua_buffer_begin(L, &output);
    uint8_t *room = tapline_lua_buffer_room(&output, text.count / 3 * 4 + 4);
    const uint8_t *next = text.bytes;
    size_t left = text.count;
    for (; left >= 3; left -= 3, next += 3, room += 4) {
        uint32_t group = (uint32_t)next[0] << 16 | (uint32_t)next[1] << 8 | next[2];
        for (int index = 0; index < 4; index++) {
            room[index] = (uint8_t)digits[group >> (18 - 6 * index) & 63];
        }
    }
    if (left > 0) {
        uint32_t group = (uint32_t)next[0] << 16 | (left > 1 ? (uint32_t)next[1] << 8 : 0);
        for (size_t index = 0; index <= left; index++) {
            *room++ = (uint8_t)digits[group >> (18 - 6 * index) & 63];
        }
        for (; pads && left < 3; left++) *room++ = '=';
    }
    output.count = (size_t)(room - output.bytes);
    tapline_lua_buffer_push(&output);
    lua_remove(L, output.slot);
}

static int digit_value(uint8_t byte) {
    if (byte >= 'A' && byte <= 'Z') return byte - 'A';
    if (byte >= 'a' && byte <= 'z') return byte - 'a' + 26;
    if (byte >= '0' && byte <= '9') return byte - '0' + 52;
    if (byte == '+' || byte == '-') return 62;
    return byte == '/' || byte == '_' ? 63 : -1;
}

/// Fills the room with what the digits stand for; the count of bytes, or -1 where one is none.
static ptrdiff_t decode_digits(bytes text, uint8_t *room) {
    const uint8_t *start = room;
    uint32_t group = 0;
    int held = 0;
    for (size_t index = 0; index < text.count; index++) {
        int value = digit_value(text.bytes[index]);
        if (value < 0) return -1;
        group = group << 6 | (uint32_t)value;
        held += 6;
        if (held >= 8) {
            held -= 8;
            *room++ = (uint8_t)(group >> held);
            group &= (1u << held) - 1;
        }
    }
    return room - start;
}

bool tapline_lua_push_base64_decoded(lua_State *L, bytes text) {
    charge(L, text.count / 4);
    size_t padding = 0;
    while (padding < 2 && text.count > 0 && text.bytes[text.count - 1] == '=') {
        text.count--;
        padding++;
    }
    // One digit alone holds no byte; padding, where there is some, fills up to four.
    if (text.count % 4 == 1 || (padding > 0 && (text.count + padding) % 4 != 0)) return false;
    buffer output;
    tapline_lua_buffer_begin(L, &output);
    ptrdiff_t count = decode_digits(text, tapline_lua_buffer_room(&output, text.count / 4 * 3 + 3));
    if (count < 0) {
        lua_remove(L, output.slot);
        return false;
    }
    output.count = (size_t)count;
    tapline_lua_buffer_push(&output);
    lua_remove(L, output.slot);
    return true;
}

static int base64_encode(lua_State *L) {
    tapline_lua_push_base64(L, tapline_lua_string_argument(L, 1, "text"), false, true);
    return 1;
}

static int base64_encode_url(lua_State *L) {
    tapline_lua_push_base64(
        L, tapline_lua_string_argument(L, 1, "text"), true, lua_toboolean(L, 2));
    return 1;
}

static int base64_decode(lua_State *L) {
    if (tapline_lua_push_base64_decoded(L, tapline_lua_string_argument(L, 1, "text"))) return 1;
    return tapline_lua_give_nil(L, "text is not base64");
}

void tapline_lua_open_base64(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"encode", base64_encode}, {"encode_url", base64_encode_url}, {"decode", base64_decode},
        {NULL, NULL},
    };
    luaL_newlib(L, functions);
    lua_setglobal(L, "base64");
}
