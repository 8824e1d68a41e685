// SPDX-License-Identifier: MIT

// `hash`: digests and authentication codes. The algorithm's number is an upvalue of each function.

#include "internal.h"

static int32_t form_argument(lua_State *L, int index) {
    static const char *const forms[] = {
        [TAPLINE_LUA_HEX] = "hex",
        [TAPLINE_LUA_RAW] = "raw",
        [TAPLINE_LUA_BASE64] = "base64",
        [TAPLINE_LUA_BASE64_URL] = "base64url",
        NULL,
    };
    return tapline_lua_option_argument(L, index, "form", forms);
}

static int32_t algorithm_of(lua_State *L) {
    return (int32_t)lua_tointeger(L, lua_upvalueindex(1));
}

static int hash_digest(lua_State *L) {
    bytes text = tapline_lua_string_argument(L, 1, "text");
    int32_t form = form_argument(L, 2);
    charge(L, 40 + text.count / 4);
    uint8_t result[TAPLINE_LUA_HASH_BYTES];
    size_t count = vm_of(L)->functions.hash(algorithm_of(L), text, form, result);
    push_bytes(L, (bytes){result, count});
    return 1;
}

static int hash_hmac(lua_State *L) {
    bytes key = tapline_lua_string_argument(L, 1, "key"),
          text = tapline_lua_string_argument(L, 2, "text");
    int32_t form = form_argument(L, 3);
    // A longer key is hashed first anyway (RFC 2104 §2).
    if (key.count > 1 << 20) return luaL_error(L, "key is longer than 1 MiB");
    charge(L, 120 + (text.count + key.count) / 4);
    uint8_t result[TAPLINE_LUA_HASH_BYTES];
    size_t count = vm_of(L)->functions.hash_with_key(algorithm_of(L), key, text, form, result);
    push_bytes(L, (bytes){result, count});
    return 1;
}

/// Compares in constant time.
static int hash_equal(lua_State *L) {
    bytes left = tapline_lua_string_argument(L, 1, "left"),
          right = tapline_lua_string_argument(L, 2, "right");
    charge(L, left.count / 8);
    lua_pushboolean(L, vm_of(L)->functions.equal_in_constant_time(left, right));
    return 1;
}

void tapline_lua_open_hash(lua_State *L) {
    static const char *const digests[] = {"md5", "sha1", "sha256", "sha384", "sha512", NULL};
    static const char *const codes[] = {
        NULL, "hmac_sha1", "hmac_sha256", "hmac_sha384", "hmac_sha512"};
    lua_newtable(L);
    for (int number = 0; digests[number] != NULL; number++) {
        lua_pushinteger(L, number);
        lua_pushcclosure(L, hash_digest, 1);
        lua_setfield(L, -2, digests[number]);
        if (codes[number] == NULL) continue;
        lua_pushinteger(L, number);
        lua_pushcclosure(L, hash_hmac, 1);
        lua_setfield(L, -2, codes[number]);
    }
    lua_pushcfunction(L, hash_equal);
    lua_setfield(L, -2, "equal");
    lua_setglobal(L, "hash");
}
