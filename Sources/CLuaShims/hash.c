// SPDX-License-Identifier: MIT

// `hash`: digests and authentication codes by OpenSSL's libcrypto, which neither raises nor calls
// back.

#include "internal.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

/// In the order of their numbers, which are upvalues of the functions.
static const char *const digest_names[MAX_DIGESTS] = {"MD5", "SHA1", "SHA256", "SHA384", "SHA512"};

/// Looking one up costs more than hashing a short text with it, so each is kept.
static const EVP_MD *digest_number(lua_State *L, lua_Integer number) {
    vm *lua = vm_of(L);
    if (number < 0 || number >= MAX_DIGESTS) luaL_error(L, "hash is not known");
    if (lua->extras.digests[number] == NULL) {
        lua->extras.digests[number] = EVP_MD_fetch(NULL, digest_names[number], NULL);
    }
    const EVP_MD *digest = lua->extras.digests[number];
    if (digest == NULL) {
        ERR_clear_error();
        luaL_error(L, "hash is not offered by this system's OpenSSL");
    }
    return digest;
}

void tapline_lua_free_digests(vm *lua) {
    for (int number = 0; number < MAX_DIGESTS; number++) {
        EVP_MD_free(lua->extras.digests[number]);
        lua->extras.digests[number] = NULL;
    }
    EVP_MD_CTX_free(lua->extras.digest_context);
    lua->extras.digest_context = NULL;
}

static void push_hex(lua_State *L, bytes value) {
    static const char digits[] = "0123456789abcdef";
    char text[2 * EVP_MAX_MD_SIZE];
    for (size_t index = 0; index < value.count; index++) {
        text[2 * index] = digits[value.bytes[index] >> 4];
        text[2 * index + 1] = digits[value.bytes[index] & 15];
    }
    lua_pushlstring(L, text, 2 * value.count);
}

static void push_encoded(lua_State *L, bytes value, int index) {
    static const char *const encodings[] = {"hex", "raw", "base64", "base64url", NULL};
    switch (tapline_lua_option_argument(L, index, "form", encodings)) {
    case 0: push_hex(L, value); break;
    case 1: push_bytes(L, value); break;
    case 2: tapline_lua_push_base64(L, value, false, true); break;
    default: tapline_lua_push_base64(L, value, true, false); break;
    }
}

static int hash_digest(lua_State *L) {
    bytes text = tapline_lua_string_argument(L, 1, "text");
    const EVP_MD *digest = digest_number(L, lua_tointeger(L, lua_upvalueindex(1)));
    charge(L, 40 + text.count / 4);
    uint8_t result[EVP_MAX_MD_SIZE];
    unsigned count = 0;
    extras *own = &vm_of(L)->extras;
    if (own->digest_context == NULL) own->digest_context = EVP_MD_CTX_new();
    EVP_MD_CTX *context = own->digest_context;
    if (context == NULL || EVP_DigestInit_ex(context, digest, NULL) != 1 ||
        EVP_DigestUpdate(context, text.bytes, text.count) != 1 ||
        EVP_DigestFinal_ex(context, result, &count) != 1) {
        ERR_clear_error();
        return luaL_error(L, "hash failed");
    }
    push_encoded(L, (bytes){result, count}, 2);
    return 1;
}

static int hash_hmac(lua_State *L) {
    bytes key = tapline_lua_string_argument(L, 1, "key"),
          text = tapline_lua_string_argument(L, 2, "text");
    const EVP_MD *digest = digest_number(L, lua_tointeger(L, lua_upvalueindex(1)));
    // Lengths are ints there, and a longer key is hashed first anyway (RFC 2104 §2).
    if (key.count > 1 << 20) return luaL_error(L, "key is longer than 1 MiB");
    charge(L, 120 + (text.count + key.count) / 4);
    uint8_t result[EVP_MAX_MD_SIZE];
    unsigned count = 0;
    if (HMAC(digest, key.bytes, (int)key.count, text.bytes, text.count, result, &count) == NULL) {
        ERR_clear_error();
        return luaL_error(L, "hash failed");
    }
    push_encoded(L, (bytes){result, count}, 3);
    return 1;
}

/// Compares without telling by its time how much is equal.
static int hash_equal(lua_State *L) {
    bytes left = tapline_lua_string_argument(L, 1, "left"),
          right = tapline_lua_string_argument(L, 2, "right");
    charge(L, left.count / 8);
    bool same = left.count == right.count && CRYPTO_memcmp(left.bytes, right.bytes, left.count) == 0;
    lua_pushboolean(L, same);
    return 1;
}

void tapline_lua_open_hash(lua_State *L) {
    static const char *const digests[MAX_DIGESTS] = {"md5", "sha1", "sha256", "sha384", "sha512"};
    static const char *const codes[MAX_DIGESTS] = {
        NULL, "hmac_sha1", "hmac_sha256", "hmac_sha384", "hmac_sha512"};
    lua_newtable(L);
    for (int number = 0; number < MAX_DIGESTS; number++) {
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
