// SPDX-License-Identifier: MIT

// `uuid` (RFC 9562 §5.4 and §5.7), from the lane's generator: for identifiers, not for secrets.

#include "internal.h"

static int push_uuid(lua_State *L, uint64_t high, uint64_t low, uint64_t version) {
    static const char digits[] = "0123456789abcdef";
    high = (high & ~(uint64_t)0xF000) | version << 12;
    low = (low & ~((uint64_t)3 << 62)) | (uint64_t)2 << 62;
    char text[36];
    size_t count = 0;
    for (int index = 0; index < 32; index++) {
        if (index == 8 || index == 12 || index == 16 || index == 20) text[count++] = '-';
        uint64_t half = index < 16 ? high : low;
        text[count++] = digits[half >> (60 - index % 16 * 4) & 15];
    }
    lua_pushlstring(L, text, count);
    return 1;
}

static int uuid_v4(lua_State *L) {
    vm *lua = vm_of(L);
    charge(L, 20);
    uint64_t high = tapline_lua_next_random(lua), low = tapline_lua_next_random(lua);
    return push_uuid(L, high, low, 4);
}

static int uuid_v7(lua_State *L) {
    vm *lua = vm_of(L);
    charge(L, 20);
    uint64_t milliseconds = (uint64_t)(tapline_lua_current_time(L) / 1000);
    uint64_t high = milliseconds << 16 | (tapline_lua_next_random(lua) & 0xFFF),
             low = tapline_lua_next_random(lua);
    return push_uuid(L, high, low, 7);
}

void tapline_lua_open_uuid(lua_State *L) {
    static const luaL_Reg functions[] = {{"v4", uuid_v4}, {"v7", uuid_v7}, {NULL, NULL}};
    luaL_newlib(L, functions);
    lua_setglobal(L, "uuid");
}
