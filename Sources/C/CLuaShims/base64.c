// SPDX-License-Identifier: MIT

// `base64` (RFC 4648 §4 and §5).

#include "internal.h"

void tapline_lua_push_base64(lua_State *L, bytes text, bool url, bool pads) {
    charge(L, text.count / 4);
    buffer output;
    tapline_lua_buffer_begin(L, &output);
    uint8_t *room = tapline_lua_buffer_room(&output, text.count / 3 * 4 + 4);
    output.count = vm_of(L)->functions.base64_encode(text, url, pads, room);
    tapline_lua_buffer_push(&output);
    lua_remove(L, output.slot);
}

bool tapline_lua_push_base64_decoded(lua_State *L, bytes text) {
    charge(L, text.count / 4);
    buffer output;
    tapline_lua_buffer_begin(L, &output);
    uint8_t *room = tapline_lua_buffer_room(&output, text.count / 4 * 3 + 3);
    ptrdiff_t count = vm_of(L)->functions.base64_decode(text, room);
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
