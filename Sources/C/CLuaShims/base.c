// SPDX-License-Identifier: MIT

// The basic functions that need care: functions that catch errors must let limits through, and
// functions that would allow finalizers or bytecode are left out.

#include "internal.h"

// MARK: - Errors

static int base_error(lua_State *L) {
    int level = (int)luaL_optinteger(L, 2, 1);
    lua_settop(L, 1);
    if (lua_type(L, 1) == LUA_TSTRING && level > 0) {
        luaL_where(L, level);
        lua_insert(L, 1);
        lua_concat(L, 2);
    }
    vm_of(L)->raised = true;
    return lua_error(L);
}

static int base_assert(lua_State *L) {
    if (lua_toboolean(L, 1)) return lua_gettop(L);
    luaL_checkany(L, 1);
    lua_remove(L, 1);
    if (lua_gettop(L) == 0) return luaL_error(L, "assertion failed!");
    lua_settop(L, 1);
    vm_of(L)->raised = true;
    return lua_error(L);
}

/// Raises a limit again; every function that catches errors calls it with its status.
static void let_limits_through(lua_State *L, int status) {
    if (status == LUA_ERRMEM) tapline_lua_trip(L, TAPLINE_LUA_MEMORY);
    tapline_lua_raise_if_tripped(L);
}

/// Finishes a caught error, which is on top of the stack: removes the script's values that Lua put
/// in it, and restores the state of an error that is being raised around the call.
static void settle_error(lua_State *L, bool raised_before) {
    vm *lua = vm_of(L);
    if (!lua->raised && lua_type(L, -1) == LUA_TSTRING) tapline_lua_failure_clean(L);
    lua->raised = raised_before;
}

/// The parts of the context of a protected call: how many values at the bottom of the stack are not
/// results, and whether an error of the script is being raised around the call, as in `__close`.
enum { SKIPPED = 3, RAISED_BEFORE = 4 };

static lua_KContext begin_protected(lua_State *L, int skipped) {
    vm *lua = vm_of(L);
    lua_KContext context = skipped | (lua->raised ? RAISED_BEFORE : 0);
    lua->raised = false;
    return context;
}

/// Returns the results of a protected call: `true` and its results, or `false` and the error.
static int finish_call(lua_State *L, int status, lua_KContext context) {
    bool before = (context & RAISED_BEFORE) != 0;
    let_limits_through(L, status);
    if (status != LUA_OK && status != LUA_YIELD) {
        settle_error(L, before);
        lua_pushboolean(L, 0);
        lua_pushvalue(L, -2);
        return 2;
    }
    vm_of(L)->raised = before;
    return lua_gettop(L) - (int)(context & SKIPPED);
}

static int base_pcall(lua_State *L) {
    luaL_checkany(L, 1);
    lua_pushboolean(L, 1);
    lua_insert(L, 1);
    lua_KContext context = begin_protected(L, 0);
    int status = lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, context, finish_call);
    return finish_call(L, status, context);
}

/// Runs a script's message handler, except for a limit: the handler would run with the instruction
/// hook disabled.
static int guarded_handler(lua_State *L) {
    vm *lua = vm_of(L);
    if (lua->tripped != 0) return 1;
    lua_settop(L, 1);
    if (!lua->raised && lua_type(L, 1) == LUA_TSTRING) tapline_lua_failure_clean(L);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, 1, 1);
    // The handler's result counts as raised by the script.
    lua->raised = true;
    return 1;
}

static int base_xpcall(lua_State *L) {
    int count = lua_gettop(L);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_pushvalue(L, 2);
    lua_pushcclosure(L, guarded_handler, 1);
    lua_replace(L, 2);
    lua_pushboolean(L, 1);
    lua_pushvalue(L, 1);
    lua_rotate(L, 3, 2);
    lua_KContext context = begin_protected(L, 2);
    int status = lua_pcallk(L, count - 2, LUA_MULTRET, 2, context, finish_call);
    return finish_call(L, status, context);
}

// MARK: - Metatables, memory

/// The metatable fields that scripts may not use: finalizers run without the instruction hook, and
/// collecting a table with weak keys takes uninterrupted time that grows with the square of its
/// entries.
static const char *const absent_events[] = {"__gc", "__mode"};

/// Makes Lua look up the field `__mode` under a random name. Lua reads the field in each
/// collection, so that a field set after `setmetatable` would also take effect, unlike a finalizer
/// set so late.
///
/// Lua compares short strings by address and finds them by their bytes. This function changes the
/// bytes of Lua's own string before a script can obtain it; the name in a script is a different
/// string from then on.
static void forget_weakness(lua_State *L) {
    static const char event[] = "__mode";
    vm *lua = vm_of(L);
    lua_pushstring(L, event);
    uint8_t *name = (uint8_t *)(uintptr_t)lua_tostring(L, -1);
    uint64_t random = tapline_lua_clock() ^ (uint64_t)(uintptr_t)lua;
    for (size_t index = 0; event[index] != 0; index++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        name[index] = (uint8_t)(random >> 56) | 0x80;
    }
    lua_pop(L, 1);
    // Another Lua may behave differently, so check that a would-be weak table keeps its entry.
    lua_newtable(L);
    lua_newtable(L);
    lua_pushliteral(L, "kv");
    lua_setfield(L, -2, event);
    lua_setmetatable(L, -2);
    lua_newtable(L);
    lua_rawseti(L, -2, 1);
    lua_gc(L, LUA_GCCOLLECT);
    if (lua_rawgeti(L, -1, 1) != LUA_TTABLE) luaL_error(L, "weak tables cannot be disabled");
    lua_pop(L, 2);
}

static int base_setmetatable(lua_State *L) {
    int type = lua_type(L, 2);
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_argexpected(L, type == LUA_TNIL || type == LUA_TTABLE, 2, "nil or table");
    for (int index = 0; type == LUA_TTABLE && index < 2; index++) {
        lua_pushstring(L, absent_events[index]);
        if (lua_rawget(L, 2) != LUA_TNIL) {
            return luaL_error(L, "metatables with '%s' are not allowed", absent_events[index]);
        }
        lua_pop(L, 1);
    }
    if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL) {
        return luaL_error(L, "cannot change a protected metatable");
    }
    lua_settop(L, 2);
    lua_setmetatable(L, 1);
    return 1;
}

static int base_collectgarbage(lua_State *L) {
    const char *what = luaL_optstring(L, 1, "collect");
    if (strcmp(what, "count") != 0) {
        return luaL_error(L, "collectgarbage supports only \"count\" here");
    }
    lua_pushnumber(L, (lua_Number)vm_of(L)->memory_used / 1024);
    return 1;
}

static int base_tonumber(lua_State *L) {
    size_t length = 0;
    if (lua_type(L, 1) == LUA_TSTRING) lua_tolstring(L, 1, &length);
    charge(L, length);
    return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

static int base_tostring(lua_State *L) {
    luaL_checkany(L, 1);
    tapline_lua_push_text(L, 1);
    return 1;
}

static int base_rawset(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checkany(L, 2);
    luaL_checkany(L, 3);
    lua_settop(L, 3);
    tapline_lua_set_raw_entry(L, 1);
    return 1;
}

void tapline_lua_open_base(lua_State *L) {
    forget_weakness(L);
    luaL_requiref(L, LUA_GNAME, luaopen_base, 1);
    static const char *const removed[] = {"dofile", "loadfile", "load", "warn"};
    for (size_t index = 0; index < sizeof removed / sizeof *removed; index++) {
        lua_pushnil(L);
        lua_setfield(L, -2, removed[index]);
    }
    static const luaL_Reg functions[] = {
        {"error", base_error},
        {"assert", base_assert},
        {"pcall", base_pcall},
        {"xpcall", base_xpcall},
        {"setmetatable", base_setmetatable},
        {"tostring", base_tostring},
        {"rawset", base_rawset},
        {"collectgarbage", base_collectgarbage},
        {NULL, NULL},
    };
    luaL_setfuncs(L, functions, 0);
    lua_getfield(L, -1, "tonumber");
    lua_pushcclosure(L, base_tonumber, 1);
    lua_setfield(L, -2, "tonumber");
    lua_pop(L, 1);
}

// MARK: - Coroutines

static lua_State *thread_argument(lua_State *L) {
    lua_State *thread = lua_tothread(L, 1);
    luaL_argexpected(L, thread != NULL, 1, "coroutine");
    return thread;
}

/// Resumes a coroutine with the arguments on top of the stack; returns the number of results, or -1
/// with the error on top.
static int resume(lua_State *L, lua_State *thread, int arguments) {
    vm *lua = vm_of(L);
    bool raised_before = lua->raised;
    lua->raised = false;
    if (!tapline_lua_reserve_slots(thread, arguments)) {
        lua_pushliteral(L, "too many arguments to resume");
        return -1;
    }
    lua_xmove(L, thread, arguments);
    tapline_lua_limits_follow(L, thread);
    lua_State *before = lua->current;
    int results = 0;
    lua->current = thread;
    int status = lua_resume(thread, L, arguments, &results);
    lua->current = before;
    tapline_lua_limits_follow(thread, L);
    let_limits_through(L, status);
    if (status != LUA_OK && status != LUA_YIELD) {
        lua_xmove(thread, L, 1);
        return -1;
    }
    if (!tapline_lua_reserve_slots(L, results + 1)) {
        lua_pop(thread, results);
        lua_pushliteral(L, "too many results to resume");
        return -1;
    }
    lua_xmove(thread, L, results);
    lua->raised = raised_before;
    return results;
}

/// Closes the pending to-be-closed variables of a coroutine. Lua 5.4.4 does not count the C stack
/// that this uses, so coroutines that close each other would overflow it.
static int reset(lua_State *L, lua_State *thread) {
    vm *lua = vm_of(L);
    if (lua->closing >= 16) return luaL_error(L, "coroutines close each other too deeply");
    lua_State *before = lua->current;
    lua->closing++;
    lua->current = thread;
    int status = lua_resetthread(thread);
    lua->current = before;
    lua->closing--;
    let_limits_through(L, status);
    return status;
}

static int co_create(lua_State *L) {
    luaL_checktype(L, 1, LUA_TFUNCTION);
    // A coroutine starts with its own count, so short ones would never be charged.
    charge(L, 200);
    lua_State *thread = lua_newthread(L);
    tapline_lua_limits_install_hook(thread);
    lua_pushvalue(L, 1);
    lua_xmove(L, thread, 1);
    return 1;
}

static int co_resume(lua_State *L) {
    lua_State *thread = thread_argument(L);
    charge(L, 20);
    bool before = vm_of(L)->raised;
    int results = resume(L, thread, lua_gettop(L) - 1);
    bool resumed = results >= 0;
    if (!resumed) {
        settle_error(L, before);
        results = 1;
    }
    lua_pushboolean(L, resumed);
    lua_insert(L, -(results + 1));
    return results + 1;
}

static int wrapped(lua_State *L) {
    lua_State *thread = lua_tothread(L, lua_upvalueindex(1));
    charge(L, 20);
    int results = resume(L, thread, lua_gettop(L));
    if (results >= 0) return results;
    int status = lua_status(thread);
    if (status != LUA_OK && status != LUA_YIELD) {
        // The coroutine failed with an error, so its to-be-closed variables are closed now.
        status = reset(L, thread);
        if (status != LUA_OK) lua_xmove(thread, L, 1);
    }
    return lua_error(L);
}

static int co_wrap(lua_State *L) {
    co_create(L);
    lua_pushcclosure(L, wrapped, 1);
    return 1;
}

static int co_close(lua_State *L) {
    lua_State *thread = thread_argument(L);
    lua_Debug frame;
    if (thread == L) return luaL_error(L, "cannot close a running coroutine");
    // A coroutine that has resumed another one and waits for it is called normal.
    bool waits = lua_status(thread) == LUA_OK && lua_getstack(thread, 0, &frame) > 0;
    if (waits) return luaL_error(L, "cannot close a normal coroutine");
    charge(L, 20);
    vm *lua = vm_of(L);
    bool before = lua->raised;
    lua->raised = false;
    int status = reset(L, thread);
    lua_pushboolean(L, status == LUA_OK);
    if (status == LUA_OK) {
        lua->raised = before;
        return 1;
    }
    lua_xmove(thread, L, 1);
    settle_error(L, before);
    return 2;
}

void tapline_lua_open_coroutines(lua_State *L) {
    luaL_requiref(L, LUA_COLIBNAME, luaopen_coroutine, 1);
    static const luaL_Reg functions[] = {
        {"create", co_create}, {"resume", co_resume}, {"wrap", co_wrap},
        {"close", co_close},   {NULL, NULL},
    };
    luaL_setfuncs(L, functions, 0);
    lua_pop(L, 1);
}
