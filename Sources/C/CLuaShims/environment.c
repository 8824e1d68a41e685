// SPDX-License-Identifier: MIT

// The resources outside of a state: folders, the shared store, the time, random numbers.

#include "internal.h"

#include <stdlib.h>
#include <sys/random.h>

static char *copy_text(bytes text) {
    char *copy = malloc(text.count + 1);
    if (copy == NULL) return NULL;
    if (text.count > 0) memcpy(copy, text.bytes, text.count);
    copy[text.count] = 0;
    return copy;
}

bool tapline_lua_set_environment(tapline_lua *lua, tapline_lua_environment environment) {
    extras *own = &lua->extras;
    free(own->module_folder);
    free(own->file_folder);
    free(own->protected_paths);
    own->protected_paths = copy_text(environment.protected_paths);
    own->protected_count = environment.protected_paths.count;
    own->module_folder = copy_text(environment.module_folder);
    own->file_folder = copy_text(environment.file_folder);
    own->shared = environment.shared;
    // Without the list of protected paths, no file may be read.
    if (own->protected_paths == NULL) {
        free(own->module_folder);
        free(own->file_folder);
        own->module_folder = own->file_folder = NULL;
    }
    return own->module_folder != NULL && own->file_folder != NULL;
}

void tapline_lua_set_time(tapline_lua *lua, int64_t microseconds) {
    lua->extras.now = microseconds;
}

void tapline_lua_set_preview(tapline_lua *lua, bool is_preview) {
    lua->extras.is_preview = is_preview;
    tapline_lua_shared_destroy(lua->extras.changes);
    lua->extras.changes = NULL;
}

int64_t tapline_lua_current_time(lua_State *L) {
    // The script itself, 'start' and 'stop' have no exchange; the time is set before they run.
    if (vm_of(L)->exchange != NULL) need_part(L, TAPLINE_LUA_LENDS_TIME);
    return vm_of(L)->extras.now;
}

// MARK: - Random numbers

/// xoshiro256**, like Lua's own generator; seeded with splitmix64.
uint64_t tapline_lua_next_random(vm *lua) {
    uint64_t *state = lua->extras.random;
    if (!lua->extras.is_seeded) {
        uint64_t seed = lua->seed;
        if (!lua->has_seed && getrandom(&seed, sizeof seed, 0) != sizeof seed) {
            seed = (uint64_t)(uintptr_t)lua ^ (uint64_t)lua->extras.now;
        }
        for (int index = 0; index < 4; index++) {
            seed += 0x9E3779B97F4A7C15u;
            uint64_t mixed = seed;
            mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
            mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
            state[index] = mixed ^ mixed >> 31;
        }
        lua->extras.is_seeded = true;
    }
    uint64_t scrambled = state[1] * 5;
    uint64_t result = (scrambled << 7 | scrambled >> 57) * 9;
    uint64_t shifted = state[1] << 17;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= shifted;
    state[3] = state[3] << 45 | state[3] >> 19;
    return result;
}

// MARK: - Creation

static void free_modules(extras *own) {
    for (size_t index = 0; index < own->module_count; index++) free(own->modules[index].path);
    free(own->modules);
    own->modules = NULL;
    own->module_count = 0;
}

void tapline_lua_extras_begin(vm *lua) {
    free_modules(&lua->extras);
    const tapline_lua_functions *functions = &lua->functions;
    functions->words_clear(functions->words);
    functions->words_note(functions->words, (bytes){lua->script, lua->script_count});
}

void tapline_lua_extras_free(vm *lua) {
    tapline_lua_shared_destroy(lua->extras.changes);
    extras *own = &lua->extras;
    free_modules(own);
    tapline_lua_free_regexes(own->regexes);
    tapline_lua_free_files(own->files);
    free(own->module_folder);
    free(own->file_folder);
    free(own->protected_paths);
}

void tapline_lua_open_libraries(lua_State *L) {
    tapline_lua_open_log(L);
    tapline_lua_open_base64(L);
    tapline_lua_open_url(L);
    tapline_lua_open_hash(L);
    tapline_lua_open_regex(L);
    tapline_lua_open_time(L);
    tapline_lua_open_uuid(L);
    tapline_lua_open_jwt(L);
    tapline_lua_open_shared(L);
    tapline_lua_open_require(L);
}
