// SPDX-License-Identifier: MIT

#include "internal.h"

#include <stdio.h>
#include <stdlib.h>

/// The slots at the bottom of the stack between calls.
enum { SLOT_HANDLER = 1, SLOT_EXCHANGE = 2, SLOT_HOOK = 3, SLOT_TOP = SLOT_HOOK + TAPLINE_LUA_HOOKS - 1 };

/// One in this number of calls is timed, because reading the clock twice costs half an empty hook.
enum { CALLS_OF_TIMED = 16 };

const char *const tapline_lua_hook_names[] = {
    "request", "response", "record", "message", "start", "stop"};

// MARK: - Creation

/// Whether no function of the table is missing; C calls them without another check.
static bool is_complete(const tapline_lua_functions *functions) {
    _Static_assert(sizeof(void *) == sizeof(void (*)(void)), "the table has entries of one size");
    void *entries[sizeof *functions / sizeof(void *)];
    memcpy(entries, functions, sizeof entries);
    for (size_t index = 0; index < sizeof entries / sizeof *entries; index++) {
        if (entries[index] == NULL) return false;
    }
    return true;
}

tapline_lua *tapline_lua_create(tapline_lua_limits limits, const tapline_lua_functions *functions) {
    vm *lua = is_complete(functions) ? calloc(1, sizeof *lua) : NULL;
    if (lua == NULL) return NULL;
    lua->limits = limits;
    lua->functions = *functions;
    if (lua->limits.memory > SIZE_MAX / 4) lua->limits.memory = SIZE_MAX / 4;
    lua->memory.limit = (size_t)lua->limits.memory;
    tapline_lua_limits_prepare(lua);
    lua->log = malloc(MAX_LOG_BYTES);
    lua->json = tapline_json_parser_create(MAX_JSON_DEPTH, true);
    if (lua->log == NULL || lua->json == NULL) {
        tapline_lua_destroy(lua);
        return NULL;
    }
    lua->request_headers.is_fields = lua->response_headers.is_fields = true;
    lua->reply_headers.is_fields = true;
    lua->request_headers.noun = lua->response_headers.noun = "header";
    lua->reply_headers.noun = "header";
    lua->tags.noun = "tag";
    lua->vars.noun = "variable";
    return lua;
}

static void close_state(vm *lua) {
    if (lua->L == NULL) return;
    lua->running = false;
    lua_close(lua->L);
    lua->L = NULL;
    tapline_lua_pool_reset(&lua->blocks);
    lua->hooks = 0;
}

void tapline_lua_destroy(tapline_lua *lua) {
    if (lua == NULL) return;
    close_state(lua);
    tapline_lua_coverage_free(lua);
    tapline_lua_section_free(&lua->request_headers);
    tapline_lua_section_free(&lua->response_headers);
    tapline_lua_section_free(&lua->tags);
    tapline_lua_section_free(&lua->vars);
    tapline_lua_section_free(&lua->reply_headers);
    tapline_lua_pool_free(&lua->blocks);
    tapline_lua_arena_free(&lua->memory);
    if (lua->json != NULL) tapline_json_parser_destroy(lua->json);
    tapline_lua_extras_free(lua);
    free(lua->text_changes);
    free(lua->script);
    free(lua->log);
    free(lua);
}

// MARK: - Loading

/// `math.randomseed`. Without arguments, Lua would use an address as the seed and return it.
static int math_randomseed(lua_State *L) {
    if (lua_isnone(L, 1)) {
        lua_pushinteger(L, (lua_Integer)tapline_lua_next_random(vm_of(L)));
        lua_pushinteger(L, (lua_Integer)tapline_lua_next_random(vm_of(L)));
    }
    int count = lua_gettop(L);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, count, LUA_MULTRET);
    return lua_gettop(L);
}

static void open_math(lua_State *L) {
    vm *lua = vm_of(L);
    luaL_requiref(L, LUA_MATHLIBNAME, luaopen_math, 1);
    lua_getfield(L, -1, "randomseed");
    lua_pushcclosure(L, math_randomseed, 1);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, "randomseed");
    int arguments = 0;
    if (lua->has_seed) {
        lua_pushinteger(L, (lua_Integer)lua->seed);
        arguments = 1;
    }
    lua_call(L, arguments, 0);
    lua_pop(L, 1);
}

/// Opens the sandbox's libraries; runs protected, because memory may be exhausted.
static int open_sandbox(lua_State *L) {
    tapline_lua_limits_learn_stacks(L);
    tapline_lua_limits_learn_tables(L);
    tapline_lua_open_base(L);
    tapline_lua_open_coroutines(L);
    tapline_lua_open_strings(L);
    tapline_lua_open_patterns(L);
    tapline_lua_open_tables(L);
    open_math(L);
    luaL_requiref(L, LUA_UTF8LIBNAME, luaopen_utf8, 1);
    tapline_lua_wrap_charged(L, "len", 1);
    lua_getfield(L, -1, "codepoint");
    lua_pushcclosure(L, tapline_lua_utf8_codepoint, 1);
    lua_setfield(L, -2, "codepoint");
    tapline_lua_wrap_charged(L, "offset", 1);
    lua_pop(L, 1);
    tapline_lua_open_json(L);
    tapline_lua_open_verdicts(L);
    tapline_lua_open_exchange(L);
    tapline_lua_open_libraries(L);
    // The table that luaL_requiref fills is useless without Lua's own `require`.
    lua_pushnil(L);
    lua_setfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    return 0;
}

/// Compiles the script with its name, and with its lines numbered from `first_line`.
static int compile(lua_State *L) {
    vm *lua = vm_of(L);
    size_t offset = lua->first_line > 1 ? lua->first_line - 1 : 0;
    uint8_t *text = lua_newuserdatauv(L, offset + lua->script_count + 1, 0);
    memset(text, '\n', offset);
    memcpy(text + offset, lua->script, lua->script_count);
    char name[sizeof lua->name + 2] = "=";
    memcpy(name + 1, lua->name, lua->name_count);
    name[lua->name_count + 1] = 0;
    // The compiler keeps the constants of a script in a table.
    lua->fills_table = true;
    int status = luaL_loadbufferx(
        L, (const char *)text, offset + lua->script_count, name, "t");
    lua->fills_table = false;
    if (status != LUA_OK) {
        tapline_lua_failure_record(lua, status, bytes_at(L, -1));
        return 0;
    }
    if (lua->only_compiles) return 0;
    tapline_lua_coverage_add(L, name + 1);
    lua_pushcclosure(L, tapline_lua_failure_handler, 0);
    lua_insert(L, -2);
    if (lua_pcall(L, 0, 0, -2) != LUA_OK && lua->failure == TAPLINE_LUA_OK) {
        tapline_lua_failure_record(lua, LUA_ERRMEM, (bytes){NULL, 0});
    }
    return 0;
}

/// Notes the hooks that the script defined as globals.
static int collect_hooks(lua_State *L) {
    vm *lua = vm_of(L);
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    for (int hook = 0; hook < TAPLINE_LUA_HOOKS; hook++) {
        lua_pushstring(L, tapline_lua_hook_names[hook]);
        int type = lua_rawget(L, 1);
        if (type == LUA_TFUNCTION) {
            lua->hooks |= 1u << hook;
        } else if (type != LUA_TNIL) {
            return luaL_error(
                L, "hook '%s' is a %s; expected a function", tapline_lua_hook_names[hook],
                lua_typename(L, type));
        }
    }
    return TAPLINE_LUA_HOOKS;
}

/// Runs a C function protected, without arguments; returns false and notes the failure if it
/// raised.
static bool run_protected(vm *lua, lua_CFunction function, int results) {
    lua_State *L = lua->L;
    lua_pushcfunction(L, function);
    int status = lua_pcall(L, 0, results, 0);
    if (status == LUA_OK && lua->failure == TAPLINE_LUA_OK) return true;
    if (lua->failure == TAPLINE_LUA_OK) {
        bytes message = {NULL, 0};
        if (lua_type(L, -1) == LUA_TSTRING) message = bytes_at(L, -1);
        tapline_lua_failure_record(lua, status, message);
    }
    return false;
}

static int32_t make_state(vm *lua) {
    tapline_lua_failure_clear(lua);
    lua->tripped = 0;
    lua->exchange = NULL;
    memset(lua->fields, 0, sizeof lua->fields);
    lua->hooks = 0;
    lua->hook = TAPLINE_LUA_MAIN;
    lua_State *L = lua_newstate(tapline_lua_limits_allocate, lua);
    if (L == NULL) {
        tapline_lua_failure_set(lua, TAPLINE_LUA_NO_STATE, "no memory for a Lua state");
        return lua->failure;
    }
    lua->L = L;
    tapline_lua_extras_begin(lua);
    *(vm **)lua_getextraspace(L) = lua;
    tapline_lua_limits_begin(lua);
    tapline_lua_limits_install_hook(L);
    bool made = run_protected(lua, open_sandbox, 0) && run_protected(lua, compile, 0);
    lua_settop(L, 0);
    if (made) {
        lua_pushcfunction(L, tapline_lua_failure_handler);
        tapline_lua_push_object(L, OBJECT_EXCHANGE);
        made = run_protected(lua, collect_hooks, TAPLINE_LUA_HOOKS);
    }
    if (made && tapline_lua_limits_end_late(lua)) {
        tapline_lua_failure_record(lua, LUA_OK, (bytes){NULL, 0});
        made = false;
    }
    tapline_lua_limits_end(lua);
    if (!made) close_state(lua);
    return lua->failure;
}

int32_t tapline_lua_load(
    tapline_lua *lua, bytes script, bytes name, uint32_t first_line) {
    close_state(lua);
    free(lua->script);
    lua->script = NULL;
    if (script.count > MAX_SCRIPT_BYTES) {
        tapline_lua_failure_set(lua, TAPLINE_LUA_SYNTAX, "the script is larger than 4 MiB");
        return lua->failure;
    }
    lua->script = malloc(script.count + 1);
    if (lua->script == NULL) {
        tapline_lua_failure_set(lua, TAPLINE_LUA_NO_STATE, "no memory for the script");
        return lua->failure;
    }
    if (script.count > 0) memcpy(lua->script, script.bytes, script.count);
    lua->script_count = script.count;
    // Lua shortens longer names in positions (LUA_IDSIZE), which could then not be removed.
    size_t room = LUA_IDSIZE - 1;
    lua->name_count = name.count < room ? name.count : room;
    if (lua->name_count > 0) memcpy(lua->name, name.bytes, lua->name_count);
    lua->first_line = first_line;
    return make_state(lua);
}

int32_t tapline_lua_compile(
    tapline_lua *lua, bytes script, bytes name, uint32_t first_line) {
    lua->only_compiles = true;
    int32_t code = tapline_lua_load(lua, script, name, first_line);
    lua->only_compiles = false;
    return code;
}

int32_t tapline_lua_reload(tapline_lua *lua) {
    close_state(lua);
    if (lua->script == NULL) {
        tapline_lua_failure_set(lua, TAPLINE_LUA_NO_STATE, "there is no script");
        return lua->failure;
    }
    return make_state(lua);
}

// MARK: - Calling

/// Calls a hook with the arguments that were pushed after it; the result stays on the stack.
static bool call_hook(vm *lua, int hook, int arguments, int results) {
    lua_State *L = lua->L;
    if (lua->failure != TAPLINE_LUA_OK || lua->raised) tapline_lua_failure_clear(lua);
    if (lua->tripped != 0) {
        tapline_lua_failure_set(
            lua, TAPLINE_LUA_NO_STATE, "a limit was hit and the script was not reloaded");
        return false;
    }
    lua->hook = hook;
    tapline_lua_limits_begin(lua);
    bool is_timed = lua->calls[hook]++ % CALLS_OF_TIMED == 0;
    uint64_t begun = is_timed ? tapline_lua_clock() : 0;
    int status = lua_pcall(L, arguments, results, SLOT_HANDLER);
    lua->outcome.nanoseconds = is_timed ? (int64_t)(tapline_lua_clock() - begun) : -1;
    if (status == LUA_OK) tapline_lua_limits_end_late(lua);
    tapline_lua_limits_end(lua);
    if (status == LUA_OK && lua->tripped == 0) return true;
    if (lua->failure == TAPLINE_LUA_OK) {
        bool handling = status == LUA_ERRERR && lua->tripped == 0;
        tapline_lua_failure_record(
            lua, status, handling ? BYTES("error in error handling") : (bytes){NULL, 0});
    }
    return false;
}

static int call_start(lua_State *L) {
    tapline_lua_json_push(L, *(bytes *)lua_touserdata(L, 1));
    lua_pushvalue(L, 2);
    lua_pushvalue(L, 3);
    lua_call(L, 1, 0);
    return 0;
}

int32_t tapline_lua_start(tapline_lua *lua, bytes config) {
    if ((lua->hooks & 1u << TAPLINE_LUA_START) == 0 || lua->L == NULL) return TAPLINE_LUA_OK;
    lua_State *L = lua->L;
    lua_pushcfunction(L, call_start);
    lua_pushlightuserdata(L, &config);
    lua_pushvalue(L, SLOT_HOOK + TAPLINE_LUA_START);
    call_hook(lua, TAPLINE_LUA_START, 2, 0);
    lua_settop(L, SLOT_TOP);
    return lua->failure;
}

int32_t tapline_lua_stop(tapline_lua *lua) {
    if ((lua->hooks & 1u << TAPLINE_LUA_STOP) == 0 || lua->L == NULL) return TAPLINE_LUA_OK;
    lua_pushvalue(lua->L, SLOT_HOOK + TAPLINE_LUA_STOP);
    call_hook(lua, TAPLINE_LUA_STOP, 0, 0);
    lua_settop(lua->L, SLOT_TOP);
    return lua->failure;
}

tapline_lua_view tapline_lua_view_of(tapline_lua *lua) {
    return (tapline_lua_view){
        &lua->lent, &lua->request.view, &lua->response.view, &lua->outcome};
}

tapline_lua_bytes tapline_lua_keep(tapline_lua *lua, bytes value) {
    uint8_t *room = value.count == 0 ? NULL : tapline_lua_arena_take(&lua->memory, value.count);
    if (room == NULL) return (bytes){NULL, 0};
    memcpy(room, value.bytes, value.count);
    return (bytes){room, value.count};
}

/// Resets the state of the previous call.
static void begin_call(vm *lua, int hook) {
    if (lua->memory.used > 0) tapline_lua_arena_reset(&lua->memory);
    lua->exchange = &lua->lent;
    bool is_record = hook == TAPLINE_LUA_RECORD;
    lua->request.view.writable = is_record || hook == TAPLINE_LUA_REQUEST;
    lua->response.view.writable = is_record || hook == TAPLINE_LUA_RESPONSE;
    lua->request.changes = lua->response.changes = 0;
    lua->text_change_count = 0;
    lua->has_changed_text = false;
    lua->request_headers.is_own = lua->response_headers.is_own = false;
    lua->tags.is_own = lua->vars.is_own = false;
    lua->refused_change = NULL;
    lua->extras.generation++;
    // The layout was in the memory of the previous call.
    lua->extras.layout = NULL;
    lua->extras.host_assigned = false;
    lua->verdict.made = false;
    lua->verdict.has_delay = false;
    lua->verdict.kind = TAPLINE_LUA_PROCEED;
}

/// Checks that the hook returned the verdict that it created.
static bool accept_result(vm *lua, int hook) {
    lua_State *L = lua->L;
    if (!lua->verdict.made && lua_isnil(L, -1)) return true;
    bool is_verdict = lua_touserdata(L, -1) == lua->objects[OBJECT_VERDICT];
    if (is_verdict && lua->verdict.made) return true;
    char message[160] = "a verdict was created but not returned; write 'return drop()' or similar";
    if (!lua->verdict.made) {
        snprintf(
            message, sizeof message, "hook '%s' returned a %s; expected a verdict or nothing",
            tapline_lua_hook_names[hook],
            is_verdict ? "verdict of another call" : luaL_typename(L, -1));
    }
    tapline_lua_failure_set(lua, TAPLINE_LUA_FAULT, message);
    if (lua->verdict.made) lua->failure_line = lua->verdict.line;
    return false;
}

/// Checks that no change was refused whose error the script ignored.
static bool accept_changes(vm *lua) {
    if (lua->refused_change == NULL) return true;
    tapline_lua_failure_set(lua, TAPLINE_LUA_FAULT, lua->refused_change);
    lua->failure_line = lua->refused_change_line;
    return false;
}

/// The section if the script changed it; otherwise NULL.
static const tapline_lua_section *changed(const section *list) {
    return list->is_own ? &list->view : NULL;
}

static bool has_changed(const vm *lua) {
    return (lua->request.changes | lua->response.changes) != 0 || lua->request_headers.is_own ||
        lua->response_headers.is_own || lua->tags.is_own || lua->vars.is_own ||
        lua->text_change_count > 0 || lua->has_changed_text;
}

int32_t tapline_lua_call(tapline_lua *lua, int32_t hook, tapline_lua_lend lend, void *from) {
    tapline_lua_outcome *outcome = &lua->outcome;
    outcome->is_plain = false;
    outcome->has_logged = true;
    outcome->lent = 0;
    outcome->nanoseconds = -1;
    if (hook < 0 || hook > TAPLINE_LUA_MESSAGE || lua->L == NULL ||
        (lua->hooks & 1u << hook) == 0) {
        tapline_lua_failure_set(lua, TAPLINE_LUA_NO_STATE, "there is no such hook");
        return lua->failure;
    }
    lua_State *L = lua->L;
    begin_call(lua, hook);
    lua->lend = lend;
    lua->lent_from = from;
    lua_pushvalue(L, SLOT_HOOK + hook);
    lua_pushvalue(L, SLOT_EXCHANGE);
    int arguments = 1;
    if (hook == TAPLINE_LUA_MESSAGE) {
        tapline_lua_push_message(L);
        arguments++;
    }
    bool done = call_hook(lua, hook, arguments, 1) && accept_changes(lua) && accept_result(lua, hook);
    lua_settop(L, SLOT_TOP);
    if (lua->request.cached) tapline_lua_drop_cache(L, &lua->request);
    if (lua->response.cached) tapline_lua_drop_cache(L, &lua->response);
    lua->exchange = NULL;
    outcome->lent = lua->lent_parts;
    lua->lent_parts = 0;
    outcome->has_logged = lua->log_lines > 0 || lua->log_lost > 0;
    if (!done) return lua->failure;
    outcome->is_plain = !has_changed(lua) && !lua->verdict.made && !outcome->has_logged;
    if (outcome->is_plain) return TAPLINE_LUA_OK;
    outcome->request_changes = lua->request.changes;
    outcome->response_changes = lua->response.changes;
    outcome->request_headers = changed(&lua->request_headers);
    outcome->response_headers = changed(&lua->response_headers);
    outcome->tags = changed(&lua->tags);
    outcome->vars = changed(&lua->vars);
    outcome->text_changes = lua->text_changes;
    outcome->text_change_count = lua->text_change_count;
    outcome->has_changed_text = lua->has_changed_text;
    outcome->verdict = lua->verdict.made ? lua->verdict.kind : TAPLINE_LUA_PROCEED;
    outcome->delay_microseconds = lua->verdict.has_delay ? lua->verdict.delay : 0;
    outcome->drop_reason = lua->verdict.reason;
    if (lua->verdict.kind == TAPLINE_LUA_RESPOND) {
        outcome->reply = lua->verdict.reply;
        outcome->reply.headers = lua->reply_headers.view;
    }
    return TAPLINE_LUA_OK;
}

// MARK: - Results

uint32_t tapline_lua_hooks(const tapline_lua *lua) { return lua->hooks; }

tapline_lua_failure tapline_lua_last_failure(const tapline_lua *lua) {
    bytes file = {NULL, 0};
    size_t number = (size_t)(lua->failure_line >> LINE_BITS);
    if (number > 0 && number <= lua->extras.module_count) {
        const char *path = lua->extras.modules[number - 1].path;
        file = (bytes){(const uint8_t *)path, strlen(path)};
    }
    return (tapline_lua_failure){
        lua->failure, lua->failure_line & LINE_MASK, file,
        {lua->failure_message.bytes, lua->failure_message.count},
        {lua->failure_detail.bytes, lua->failure_detail.count},
    };
}

tapline_lua_log tapline_lua_logged(const tapline_lua *lua) {
    return (tapline_lua_log){
        {lua->log, lua->log_count}, lua->log_ends, lua->log_levels, lua->log_lines,
        lua->log_lost};
}

void tapline_lua_clear_log(tapline_lua *lua) {
    lua->log_count = lua->log_lines = lua->log_lost = 0;
}

void tapline_lua_seed(tapline_lua *lua, uint64_t seed) {
    lua->seed = seed;
    lua->has_seed = true;
}

size_t tapline_lua_memory_used(const tapline_lua *lua) { return lua->memory_used; }
