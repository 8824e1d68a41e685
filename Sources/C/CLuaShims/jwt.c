// SPDX-License-Identifier: MIT

// `jwt.decode` (RFC 7519): the content of a token. It verifies nothing.

#include "internal.h"

/// Pushes the value of a part that is base64 of a JSON object; otherwise returns false and pushes
/// nothing.
static bool push_part(lua_State *L, bytes part) {
    if (part.count == 0 || !tapline_lua_push_base64_decoded(L, part)) return false;
    bytes text = bytes_at(L, -1);
    const char *reason;
    size_t offset;
    // An array would also be decoded as a table.
    size_t blank = strspn(lua_tostring(L, -1), " \t\r\n");
    bool is_object = blank < text.count && text.bytes[blank] == '{';
    if (!is_object || !tapline_lua_json_try_push(L, text, &reason, &offset)) {
        lua_pop(L, 1);
        return false;
    }
    lua_remove(L, -2);
    return true;
}

static int jwt_decode(lua_State *L) {
    bytes token = tapline_lua_string_argument(L, 1, "token");
    charge(L, token.count / 8);
    bytes parts[3];
    size_t count = 0, start = 0;
    for (size_t index = 0; index <= token.count && count < 3; index++) {
        bool ends = index == token.count || (token.bytes[index] == '.' && count < 2);
        if (!ends) continue;
        parts[count++] = (bytes){token.bytes + start, index - start};
        start = index + 1;
    }
    if (count != 3) return tapline_lua_give_nil(L, "token is not a JWT; expected three parts");
    lua_settop(L, 1);
    lua_createtable(L, 0, 3);
    static const char *const names[] = {"header", "payload"};
    for (int index = 0; index < 2; index++) {
        if (!push_part(L, parts[index])) {
            return tapline_lua_give_nil(
                L, "token is not a JWT; a part is not base64 of a JSON object");
        }
        lua_setfield(L, 2, names[index]);
    }
    if (!tapline_lua_push_base64_decoded(L, parts[2])) {
        return tapline_lua_give_nil(L, "token is not a JWT; its signature is not base64");
    }
    lua_setfield(L, 2, "signature");
    return 1;
}

void tapline_lua_open_jwt(lua_State *L) {
    static const luaL_Reg functions[] = {{"decode", jwt_decode}, {NULL, NULL}};
    luaL_newlib(L, functions);
    lua_setglobal(L, "jwt");
}
