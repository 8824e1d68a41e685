// SPDX-License-Identifier: MIT

// What a state reaches outside of itself: folders, the shared store, the time; and what a script
// seems to need of it.

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

bool tapline_lua_surround(tapline_lua *lua, tapline_lua_surroundings surroundings) {
    extras *own = &lua->extras;
    free(own->module_folder);
    free(own->file_folder);
    free(own->protected_paths);
    own->protected_paths = copy_text(surroundings.protected_paths);
    own->protected_count = surroundings.protected_paths.count;
    own->module_folder = copy_text(surroundings.module_folder);
    own->file_folder = copy_text(surroundings.file_folder);
    own->shared = surroundings.shared;
    // Without the list of what must not be read, nothing is read.
    if (own->protected_paths == NULL) {
        free(own->module_folder);
        free(own->file_folder);
        own->module_folder = own->file_folder = NULL;
    }
    return own->module_folder != NULL && own->file_folder != NULL;
}

void tapline_lua_set_time(tapline_lua *lua, int64_t microseconds) {
    lua->extras.now = microseconds;
    lua->extras.has_now = true;
}

int64_t tapline_lua_current_time(lua_State *L) {
    const extras *own = &vm_of(L)->extras;
    if (!own->has_now) {
        luaL_error(
            L, "the time is not there; it is given to scripts whose text has the word time, uuid or "
            "shared");
    }
    return own->now;
}

// MARK: - Needs

static const struct {
    const char *word;
    uint32_t need;
} needs[] = {
    {"body", TAPLINE_LUA_NEEDS_BODIES},        {"json", TAPLINE_LUA_NEEDS_BODIES},
    {"form", TAPLINE_LUA_NEEDS_BODIES},        {"multipart", TAPLINE_LUA_NEEDS_BODIES},
    {"time", TAPLINE_LUA_NEEDS_TIME},          {"uuid", TAPLINE_LUA_NEEDS_TIME},
    {"shared", TAPLINE_LUA_NEEDS_TIME},        {"tls", TAPLINE_LUA_NEEDS_DETAILS},
    {"server_tls", TAPLINE_LUA_NEEDS_DETAILS}, {"original", TAPLINE_LUA_NEEDS_DETAILS},
    {"error", TAPLINE_LUA_NEEDS_DETAILS},      {"connection", TAPLINE_LUA_NEEDS_DETAILS},
    {"bytes", TAPLINE_LUA_NEEDS_DETAILS},      {"trailers", TAPLINE_LUA_NEEDS_DETAILS},
    {"interim", TAPLINE_LUA_NEEDS_DETAILS},
    {"messages", TAPLINE_LUA_NEEDS_DETAILS | TAPLINE_LUA_NEEDS_MESSAGES},
    {"source", TAPLINE_LUA_NEEDS_ORIGIN},      {"client", TAPLINE_LUA_NEEDS_ORIGIN},
    {"server", TAPLINE_LUA_NEEDS_ORIGIN},      {"state", TAPLINE_LUA_NEEDS_ORIGIN},
    {"timing", TAPLINE_LUA_NEEDS_ORIGIN},
};

static bool is_word_byte(uint8_t byte) {
    return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
        (byte >= 'a' && byte <= 'z') || byte == '_';
}

void tapline_lua_note_needs(vm *lua, bytes text) {
    size_t index = 0;
    while (index < text.count) {
        if (!is_word_byte(text.bytes[index])) {
            index++;
            continue;
        }
        size_t start = index;
        while (index < text.count && is_word_byte(text.bytes[index])) index++;
        bytes word = {text.bytes + start, index - start};
        for (size_t number = 0; number < sizeof needs / sizeof *needs; number++) {
            bytes wanted = {(const uint8_t *)needs[number].word, strlen(needs[number].word)};
            if (!bytes_equal(word, wanted)) continue;
            // The functions `error` and `log.error` are not the field of that name.
            bool is_called = index < text.count && text.bytes[index] == '(';
            bool is_member = !is_called && start > 0 && text.bytes[start - 1] != 0 &&
                strchr(".'\"", text.bytes[start - 1]) != NULL;
            if (needs[number].need == TAPLINE_LUA_NEEDS_DETAILS && !is_member) continue;
            lua->extras.needs |= needs[number].need;
        }
    }
}

uint32_t tapline_lua_needs(const tapline_lua *lua) { return lua->extras.needs; }

// MARK: - Random numbers

/// xoshiro256**, as Lua's own generator; seeded with splitmix64.
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

// MARK: - Life

static void free_modules(extras *own) {
    for (size_t index = 0; index < own->module_count; index++) free(own->modules[index].path);
    free(own->modules);
    own->modules = NULL;
    own->module_count = 0;
}

void tapline_lua_extras_begin(vm *lua) {
    free_modules(&lua->extras);
    lua->extras.needs = 0;
    // What was lent for a module that is not loaded any more is not there either.
    lua->lent.has_details = lua->lent.has_origin = false;
    tapline_lua_note_needs(lua, (bytes){lua->script, lua->script_count});
    tapline_lua_words_clear(lua);
    tapline_lua_words_note(lua, (bytes){lua->script, lua->script_count});
}

void tapline_lua_extras_free(vm *lua) {
    extras *own = &lua->extras;
    free_modules(own);
    tapline_lua_free_regexes(own->regexes);
    tapline_lua_free_files(own->files);
    tapline_lua_free_digests(lua);
    free(own->module_folder);
    free(own->file_folder);
    free(own->protected_paths);
    tapline_lua_words_clear(lua);
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
