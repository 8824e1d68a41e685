// SPDX-License-Identifier: MIT

// How instructions, time and memory of a call are bounded.
//
// Lua counts instructions, but calls its hook neither inside C functions nor where hooks are off
// (finalizers; a message handler that runs because a hook raised). So scripts get no finalizers,
// message handlers of scripts do not run for a limit, and every C function whose work grows with
// its arguments charges for it. Memory is charged by the allocator, which also looks at the clock.
//
// Once a limit is hit the state is `tripped` until the call is over: every instruction and every
// function that catches errors raises again.

#include "internal.h"

#include <stdlib.h>
#include <time.h>

enum {
    /// Instructions between two calls of the hook while the script uses little memory.
    INTERVAL = 1000,
    /// With this much memory, one instruction may take long (comparing, copying, scanning).
    LARGE = 256 << 10,
    SHORTEST_INTERVAL = 8,
    /// Allocations are charged when they add up to that much work.
    ALLOCATED_WORK = 50000,
    /// Bytes allocated that count as one instruction.
    BYTES_OF_INSTRUCTION = 32,
    /// The slots that a stack may grow to by doubling, the size of a slot, and those that Lua keeps
    /// beside (EXTRA_STACK of its lstate.h).
    MAX_STACK = 49152,
    SLOT_BYTES = 16,
    EXTRA_SLOTS = 5,
};

uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint64_t tapline_lua_now(void) { return now(); }

void limits_begin(vm *lua) {
    uint64_t instructions = lua->limits.instructions;
    lua->budget = instructions > INT64_MAX / 2 ? INT64_MAX / 2 : (int64_t)instructions;
    lua->uncharged = 0;
    lua->deadline = 0;
    lua->closing = 0;
    lua->running = true;
}

void limits_end(vm *lua) { lua->running = false; }

/// Spends work, and what `charge` gathered, and returns the limit that this hit, or 0. The clock
/// starts at its first reading: most calls are over before that and never read it.
static int32_t spend(vm *lua, uint64_t work) {
    if (work > INT64_MAX / 4) work = INT64_MAX / 4;
    lua->budget -= (int64_t)work;
    lua->budget -= lua->uncharged;
    lua->uncharged = 0;
    if (lua->budget < 0) return TAPLINE_LUA_INSTRUCTIONS;
    if (lua->deadline == 0) {
        uint64_t start = now();
        uint64_t length = lua->limits.nanoseconds;
        lua->deadline = length > UINT64_MAX - start ? UINT64_MAX : start + length;
    } else if (now() > lua->deadline) {
        return TAPLINE_LUA_TIME;
    }
    return 0;
}

int32_t current_line(lua_State *L) {
    lua_Debug frame;
    for (int level = 0; level < 200 && lua_getstack(L, level, &frame); level++) {
        lua_getinfo(L, "Sl", &frame);
        if (frame.currentline <= 0) continue;
        bytes chunk = {(const uint8_t *)frame.source, frame.srclen};
        return line_in_chunk(vm_of(L), chunk, frame.currentline);
    }
    return 0;
}

static void count_hook(lua_State *L, lua_Debug *frame);

/// Lines are hooked too where they are counted.
static void set_hook(lua_State *L, int interval) {
    int lines = vm_of(L)->covers ? LUA_MASKLINE : 0;
    lua_sethook(L, count_hook, LUA_MASKCOUNT | lines, interval);
}

_Noreturn void trip(lua_State *L, int32_t limit) {
    vm *lua = vm_of(L);
    if (lua->tripped == 0) {
        lua->tripped = limit;
        lua->tripped_line = current_line(L);
    }
    set_hook(L, 1);
    // A value that needs no memory; `tripped` says the rest.
    lua_pushlightuserdata(L, lua);
    lua_error(L);
    abort();
}

void raise_if_tripped(lua_State *L) {
    vm *lua = vm_of(L);
    if (lua->tripped != 0) trip(L, lua->tripped);
}

static void count_hook(lua_State *L, lua_Debug *frame) {
    vm *lua = vm_of(L);
    if (lua->tripped != 0) trip(L, lua->tripped);
    if (frame->event == LUA_HOOKLINE) {
        coverage_count(L, frame);
        return;
    }
    int interval = lua_gethookcount(L);
    int32_t limit = spend(lua, (uint64_t)interval);
    if (limit != 0) trip(L, limit);
    size_t used = lua->memory_used;
    int wanted = INTERVAL;
    if (used > LARGE) {
        wanted = (int)((uint64_t)INTERVAL * LARGE / used);
        if (wanted < SHORTEST_INTERVAL) wanted = SHORTEST_INTERVAL;
    }
    if (wanted != interval) set_hook(L, wanted);
}

void limits_install_hook(lua_State *L) { set_hook(L, INTERVAL); }

void limits_follow(lua_State *L, lua_State *thread) {
    int interval = lua_gethookcount(L);
    if (interval < lua_gethookcount(thread)) set_hook(thread, interval);
}

void charge(lua_State *L, uint64_t work) {
    vm *lua = vm_of(L);
    if (lua->tripped != 0) trip(L, lua->tripped);
    // Small work is added up, so that a short function costs no reading of the clock.
    lua->uncharged += (int64_t)(work > INT64_MAX / 4 ? INT64_MAX / 4 : work);
    if (lua->uncharged < INTERVAL) return;
    int32_t limit = spend(lua, 0);
    if (limit != 0) trip(L, limit);
}

// MARK: - Memory

/// Refuses memory. Lua then collects all garbage and asks once more, so this is not yet a limit
/// hit; but it costs time, and a script that lives at its limit must not collect for ever.
static void *refuse(vm *lua) {
    if (lua->running && lua->tripped == 0) {
        lua->refused_line = current_line(lua->L);
        int32_t limit = spend(lua, lua->memory_used / (2 * BYTES_OF_INSTRUCTION));
        if (limit != 0) {
            lua->tripped = limit;
            lua->tripped_line = lua->refused_line;
        }
    }
    return NULL;
}

/// Whether a stack would double beyond its bound. A table as the `__call` of itself makes Lua 5.4.4
/// push it again and again, each time below all arguments and without a hook: the work of that one
/// call grows with the square of the stack. Nothing else grows to sizes of this form.
static bool is_long_stack(size_t old_size, size_t new_size) {
    size_t extra = EXTRA_SLOTS * SLOT_BYTES;
    return new_size > (MAX_STACK + EXTRA_SLOTS) * SLOT_BYTES && old_size > extra &&
        new_size - extra == 2 * (old_size - extra);
}

void *limits_allocate(void *state, void *block, size_t old_size, size_t new_size) {
    vm *lua = state;
    if (block == NULL) old_size = 0;
    if (new_size == 0) {
        lua->memory_used -= old_size;
        free(block);
        return NULL;
    }
    if (new_size > old_size) {
        size_t left = (size_t)lua->limits.memory - lua->memory_used;
        if (lua->running && lua->tripped != 0) return NULL;
        if (new_size - old_size > left || is_long_stack(old_size, new_size)) return refuse(lua);
        lua->allocated += new_size;
        if (lua->allocated >= ALLOCATED_WORK * BYTES_OF_INSTRUCTION && lua->running) {
            int32_t limit = spend(lua, lua->allocated / BYTES_OF_INSTRUCTION);
            lua->allocated = 0;
            if (limit != 0) {
                lua->tripped = limit;
                lua->tripped_line = current_line(lua->L);
                return NULL;
            }
        }
    }
    void *result = realloc(block, new_size);
    if (result == NULL) return new_size <= old_size ? block : NULL;
    lua->memory_used += new_size - old_size;
    return result;
}
