// SPDX-License-Identifier: MIT

#include "regex.h"

#include <stdlib.h>
#include <time.h>

typedef struct cached {
    char *source;
    size_t count;
    tapline_re2_pattern *pattern;
    uint64_t used;
} cached;

struct regex_cache {
    cached entries[MAX_REGEXES];
    uint64_t clock;
};

static void forget(cached *entry) {
    free(entry->source);
    if (entry->pattern != NULL) tapline_re2_free(entry->pattern);
    *entry = (cached){0};
}

void tapline_lua_free_regexes(regex_cache *cache) {
    if (cache == NULL) return;
    for (size_t index = 0; index < MAX_REGEXES; index++) forget(&cache->entries[index]);
    free(cache);
}

static _Noreturn void refuse(lua_State *L, const tapline_re2_error *error) {
    // RE2 quotes a piece of the pattern, which a script may have computed.
    luaL_error(L, "re: %s", error->message[0] == 0 ? "malformed pattern" : error->message);
    abort();
}

static tapline_re2_pattern *compile(lua_State *L, bytes source) {
    const vm *lua = vm_of(L);
    charge(L, 2000 + source.count * 100);
    uint64_t share = lua->limits.memory / MAX_REGEXES;
    tapline_re2_options options = {
        .max_memory = share < 1 << 16 ? 1 << 16 : share > 4 << 20 ? 4 << 20 : (int64_t)share,
        .max_program = MAX_REGEX_PROGRAM,
    };
    tapline_re2_error error;
    tapline_re2_pattern *pattern = tapline_re2_compile(
        (const char *)source.bytes, source.count, options, &error);
    if (pattern == NULL) refuse(L, &error);
    return pattern;
}

const tapline_re2_pattern *tapline_lua_regex_at(lua_State *L, int index) {
    vm *lua = vm_of(L);
    bytes source = tapline_lua_string_argument(L, index, "pattern");
    if (source.count > MAX_REGEX_BYTES) {
        luaL_error(L, "re: pattern is longer than %d bytes", MAX_REGEX_BYTES);
    }
    regex_cache *cache = lua->extras.regexes;
    if (cache == NULL) {
        cache = lua->extras.regexes = calloc(1, sizeof *cache);
        if (cache == NULL) luaL_error(L, "not enough memory");
    }
    cached *place = &cache->entries[0];
    for (size_t next = 0; next < MAX_REGEXES; next++) {
        cached *entry = &cache->entries[next];
        bytes known = {(const uint8_t *)entry->source, entry->count};
        if (entry->pattern != NULL && bytes_equal(known, source)) {
            entry->used = ++cache->clock;
            return entry->pattern;
        }
        if (entry->used < place->used) place = entry;
    }
    char *copy = malloc(source.count + 1);
    if (copy == NULL) luaL_error(L, "not enough memory");
    if (source.count > 0) memcpy(copy, source.bytes, source.count);
    forget(place);
    // Owned by the cache before anything can raise.
    *place = (cached){.source = copy, .count = source.count};
    place->pattern = compile(L, source);
    place->used = ++cache->clock;
    charge(L, (uint64_t)tapline_re2_program_size(place->pattern) * 10);
    return place->pattern;
}

int32_t tapline_lua_regex_groups(const tapline_re2_pattern *pattern) {
    int32_t count = tapline_re2_group_count(pattern) + 1;
    return count > MAX_GROUPS ? MAX_GROUPS : count;
}

/// Charges for a search: RE2 is linear, but with a factor of up to the size of the program.
void tapline_lua_regex_charge(lua_State *L, const tapline_re2_pattern *pattern, size_t count) {
    uint64_t factor = 1 + (uint64_t)tapline_re2_program_size(pattern) / 16;
    charge(L, 20 + count / 2 * factor);
}

static uint64_t nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

bool tapline_lua_regex_search(
    lua_State *L, const tapline_re2_pattern *pattern, bytes text, size_t from,
    tapline_re2_range *ranges, int32_t count) {
    // A search may read far beyond the match that it finds, repeatedly from each position. Its
    // duration is therefore charged, at about ten nanoseconds per instruction. If the work is
    // small, the clock is not read.
    enum { SHORT_WORK = 65536, SHORT_TIME = 20000, NANOSECONDS = 10 };
    const char *start = (const char *)text.bytes;
    charge(L, 16);
    if ((text.count - from) * (size_t)tapline_re2_program_size(pattern) <= SHORT_WORK) {
        return tapline_re2_search(pattern, start, text.count, from, ranges, count);
    }
    uint64_t before = nanoseconds();
    bool found = tapline_re2_search(pattern, start, text.count, from, ranges, count);
    uint64_t lasted = nanoseconds() - before;
    if (lasted > SHORT_TIME) charge(L, lasted / NANOSECONDS);
    return found;
}
