// SPDX-License-Identifier: MIT

#include "internal.h"

/// The minimum allocation: content that exceeds the inline bytes is rarely short.
enum { LEAST_ON_HEAP = 2048 };

void tapline_lua_buffer_begin(lua_State *L, buffer *output) {
    luaL_checkstack(L, 8, NULL);
    output->L = L;
    output->bytes = output->small;
    output->capacity = sizeof output->small;
    output->count = 0;
    lua_pushnil(L);
    output->slot = lua_gettop(L);
}

uint8_t *tapline_lua_buffer_room(buffer *output, size_t count) {
    if (output->capacity - output->count < count) {
        lua_State *L = output->L;
        size_t limit = (size_t)vm_of(L)->limits.memory;
        if (count > limit - (output->count < limit ? output->count : limit)) {
            tapline_lua_trip(L, TAPLINE_LUA_MEMORY);
        }
        size_t capacity = output->capacity * 2;
        if (capacity < LEAST_ON_HEAP) capacity = LEAST_ON_HEAP;
        if (capacity < output->count + count) capacity = output->count + count;
        void *grown = lua_newuserdatauv(L, capacity, 0);
        memcpy(grown, output->bytes, output->count);
        lua_replace(L, output->slot);
        output->bytes = grown;
        output->capacity = capacity;
    }
    return output->bytes + output->count;
}

void tapline_lua_buffer_push(buffer *output) {
    lua_pushlstring(output->L, (const char *)output->bytes, output->count);
}
