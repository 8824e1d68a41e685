// SPDX-License-Identifier: MIT

// `time`: the host's clock, which is constant during a call, and the formats RFC 3339 and HTTP
// date. Years have four digits.

#include "internal.h"

#include <math.h>

enum { MICROSECONDS = 1000000 };

static const int64_t first_second = -62167219200; // 0000-01-01
static const int64_t last_second = 253402300799;  // 9999-12-31

/// The argument in seconds since 1970 as microseconds, or the time of the call if it is absent;
/// raises for years outside of 0 to 9999.
static int64_t moment_argument(lua_State *L, int index) {
    if (lua_isnoneornil(L, index)) return tapline_lua_current_time(L);
    int is_number = 0;
    lua_Number seconds = lua_tonumberx(L, index, &is_number);
    // Written so that NaN is also refused.
    if (!is_number || !(seconds >= (double)first_second && seconds < (double)last_second + 1)) {
        luaL_error(L, "time is invalid; expected seconds since 1970, in the years 0 to 9999");
    }
    return (int64_t)floor(seconds * MICROSECONDS + 0.5);
}

static int time_now(lua_State *L) {
    lua_pushnumber(L, (lua_Number)tapline_lua_current_time(L) / MICROSECONDS);
    return 1;
}

static int time_epoch(lua_State *L) {
    lua_pushinteger(L, (lua_Integer)floor((double)tapline_lua_current_time(L) / MICROSECONDS));
    return 1;
}

static int time_ms(lua_State *L) {
    lua_pushinteger(L, (lua_Integer)floor((double)tapline_lua_current_time(L) / 1000));
    return 1;
}

static int push_moment(lua_State *L, size_t (*write)(int64_t microseconds, uint8_t *room)) {
    charge(L, 100);
    uint8_t text[32];
    size_t count = write(moment_argument(L, 1), text);
    push_bytes(L, (bytes){text, count});
    return 1;
}

static int time_iso8601(lua_State *L) { return push_moment(L, vm_of(L)->functions.time_write); }

static int time_http(lua_State *L) { return push_moment(L, vm_of(L)->functions.time_write_http); }

static int time_parse(lua_State *L) {
    bytes text = tapline_lua_string_argument(L, 1, "text");
    int64_t result;
    if (!vm_of(L)->functions.time_read(text, &result)) {
        return tapline_lua_give_nil(L, "text is not a time; expected RFC 3339 or an HTTP date");
    }
    lua_pushnumber(L, (lua_Number)result / MICROSECONDS);
    return 1;
}

void tapline_lua_open_time(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"now", time_now},         {"epoch", time_epoch}, {"ms", time_ms},
        {"iso8601", time_iso8601}, {"http", time_http},   {"parse", time_parse},
        {NULL, NULL},
    };
    luaL_newlib(L, functions);
    lua_setglobal(L, "time");
}
