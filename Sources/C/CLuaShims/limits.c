// SPDX-License-Identifier: MIT

// Limits the instructions, time and memory of a call.
//
// Lua counts instructions, but does not call its hook inside C functions or while hooks are
// disabled (in finalizers, and in a message handler that runs because a hook raised). Scripts
// therefore have no finalizers, message handlers of scripts do not run for a limit, and every C
// function whose work grows with its arguments charges for it. The allocator charges for memory and
// also reads the clock.
//
// When a table's hash part grows, Lua moves all entries within one instruction. With colliding keys
// this takes time that grows with the square of their number. Hash parts are therefore bounded, and
// the clock is read before each move.
//
// After a limit is hit, the state is `tripped` until the call ends: every instruction and every
// function that catches errors raises again.

#include "internal.h"

#include <stdlib.h>
#include <time.h>

enum {
    /// Instructions between two calls of the hook while the script uses little memory.
    INTERVAL = 1000,
    /// The memory above which one instruction may take long (comparing, copying, scanning).
    LARGE = 256 << 10,
    SHORTEST_INTERVAL = 8,
    /// The accumulated work at which allocations are charged.
    ALLOCATED_WORK = 50000,
    /// The allocated bytes that count as one instruction.
    BYTES_OF_INSTRUCTION = 32,
    /// The slots above which a stack is tracked, and the slot moves that are allowed between two
    /// calls of the hook.
    LONG_STACK = 2048,
    MOVES = 200000000,
    /// The nodes above which hash parts are checked.
    MIN_PLACES = 1024,
};

uint64_t tapline_lua_clock(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint64_t tapline_lua_now(void) { return tapline_lua_clock(); }

#ifdef CLOCK_MONOTONIC_COARSE
#define CHEAP_CLOCK CLOCK_MONOTONIC_COARSE
#else
#define CHEAP_CLOCK CLOCK_MONOTONIC
#endif

/// The same clock at its last tick, for a fifth of the cost; never ahead of `tapline_lua_clock`.
static uint64_t cheap_now(void) {
    struct timespec time;
    clock_gettime(CHEAP_CLOCK, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t sum_or_most(uint64_t left, uint64_t right) {
    return left > UINT64_MAX - right ? UINT64_MAX : left + right;
}

void tapline_lua_limits_prepare(vm *lua) {
    struct timespec tick;
    bool known = clock_getres(CHEAP_CLOCK, &tick) == 0 && tick.tv_sec == 0;
    lua->tick = known ? (uint64_t)tick.tv_nsec : 10000000;
    lua->max_places = 4;
    while (lua->max_places < lua->limits.table && lua->max_places < SIZE_MAX / 64) {
        lua->max_places *= 2;
    }
    lua->min_watched = SIZE_MAX;
    lua->long_bytes = SIZE_MAX;
}

void tapline_lua_limits_begin(vm *lua) {
    uint64_t instructions = lua->limits.instructions;
    lua->budget = instructions > INT64_MAX / 2 ? INT64_MAX / 2 : (int64_t)instructions;
    lua->uncharged = 0;
    lua->deadline = sum_or_most(sum_or_most(cheap_now(), lua->tick), lua->limits.nanoseconds);
    lua->fills_table = false;
    lua->closing = 0;
    lua->current = NULL;
    lua->running = true;
}

void tapline_lua_limits_end(vm *lua) { lua->running = false; }

bool tapline_lua_limits_end_late(vm *lua) {
    if (lua->tripped != 0 || cheap_now() <= lua->deadline) return false;
    lua->tripped = TAPLINE_LUA_TIME;
    lua->tripped_line = 0;
    return true;
}

/// Spends work and the work that `charge` accumulated; returns the limit that was hit, or 0.
static int32_t spend(vm *lua, uint64_t work) {
    if (work > INT64_MAX / 4) work = INT64_MAX / 4;
    lua->budget -= (int64_t)work;
    lua->budget -= lua->uncharged;
    lua->uncharged = 0;
    if (lua->budget < 0) return TAPLINE_LUA_INSTRUCTIONS;
    return tapline_lua_clock() > lua->deadline ? TAPLINE_LUA_TIME : 0;
}

int32_t tapline_lua_current_line(lua_State *L) {
    lua_Debug frame;
    for (int level = 0; level < 200 && lua_getstack(L, level, &frame); level++) {
        lua_getinfo(L, "Sl", &frame);
        if (frame.currentline <= 0) continue;
        bytes chunk = {(const uint8_t *)frame.source, frame.srclen};
        return tapline_lua_line_in_chunk(vm_of(L), chunk, frame.currentline);
    }
    return 0;
}

static void count_hook(lua_State *L, lua_Debug *frame);

/// Sets the instruction hook, and a line hook if lines are counted.
static void set_hook(lua_State *L, int interval) {
    int lines = vm_of(L)->covers ? LUA_MASKLINE : 0;
    lua_sethook(L, count_hook, LUA_MASKCOUNT | lines, interval);
}

_Noreturn void tapline_lua_trip(lua_State *L, int32_t limit) {
    vm *lua = vm_of(L);
    if (lua->tripped == 0) {
        lua->tripped = limit;
        lua->tripped_line = tapline_lua_current_line(L);
    }
    set_hook(L, 1);
    // A value that needs no memory; `tripped` has the limit.
    lua_pushlightuserdata(L, lua);
    lua_error(L);
    abort();
}

void tapline_lua_raise_if_tripped(lua_State *L) {
    vm *lua = vm_of(L);
    if (lua->tripped != 0) tapline_lua_trip(L, lua->tripped);
}

/// The number of instructions that may run between two calls of the hook. With much memory, one
/// instruction may take long. With a long stack, calling a table through a chain of tables in
/// `__call` moves all slots above it once for each table.
static int wanted_interval(const vm *lua) {
    int wanted = INTERVAL;
    if (lua->memory_used > LARGE) {
        wanted = (int)((uint64_t)INTERVAL * LARGE / lua->memory_used);
        if (wanted < SHORTEST_INTERVAL) wanted = SHORTEST_INTERVAL;
    }
    size_t longest = lua->longest_beside;
    for (size_t index = 0; index < LONG_STACKS; index++) {
        if (lua->stacks[index].bytes > longest) longest = lua->stacks[index].bytes;
    }
    if (longest < lua->long_bytes) return wanted;
    uint64_t slots = longest / lua->growth.slot_bytes;
    uint64_t bound = MOVES / (slots * slots / 2);
    if (bound == 0) bound = 1;
    return bound < (uint64_t)wanted ? (int)bound : wanted;
}

/// Updates the memory above which a shorter interval is required.
static void watch_memory(vm *lua) {
    lua->watched = lua->memory_used < LARGE ? LARGE : lua->memory_used + lua->memory_used / 2;
}

/// Shortens the interval of the running code immediately, as it may be within a long interval.
static void look_sooner(vm *lua) {
    lua_State *L = lua->current == NULL ? lua->L : lua->current;
    int interval = wanted_interval(lua);
    if (L != NULL && interval < lua_gethookcount(L)) set_hook(L, interval);
}

static void count_hook(lua_State *L, lua_Debug *frame) {
    vm *lua = vm_of(L);
    if (lua->tripped != 0) tapline_lua_trip(L, lua->tripped);
    if (frame->event == LUA_HOOKLINE) {
        tapline_lua_coverage_count(L, frame);
        return;
    }
    int interval = lua_gethookcount(L);
    int32_t limit = spend(lua, (uint64_t)interval);
    if (limit != 0) tapline_lua_trip(L, limit);
    int wanted = wanted_interval(lua);
    if (wanted != interval) set_hook(L, wanted);
    watch_memory(lua);
}

void tapline_lua_limits_install_hook(lua_State *L) { set_hook(L, INTERVAL); }

void tapline_lua_limits_follow(lua_State *L, lua_State *thread) {
    int interval = lua_gethookcount(L);
    if (interval < lua_gethookcount(thread)) set_hook(thread, interval);
}

void tapline_lua_charge_added(lua_State *L) {
    vm *lua = vm_of(L);
    if (lua->tripped != 0) tapline_lua_trip(L, lua->tripped);
    int32_t limit = spend(lua, 0);
    if (limit != 0) tapline_lua_trip(L, limit);
}

// MARK: - Memory

/// Refuses an allocation. Lua then collects all garbage and tries again, so the limit is not yet
/// hit. The collection takes time, which is charged so that a script at its limit cannot collect
/// forever.
static void *refuse(vm *lua) {
    if (lua->running && lua->tripped == 0) {
        lua->refused_line = tapline_lua_current_line(lua->L);
        int32_t limit = spend(lua, lua->memory_used / (2 * BYTES_OF_INSTRUCTION));
        if (limit != 0) {
            lua->tripped = limit;
            lua->tripped_line = lua->refused_line;
        }
    }
    return NULL;
}

/// The entry that tracks a stack, or a free entry if `block` is NULL; NULL if there is none.
static long_stack *stack_at(vm *lua, const void *block) {
    for (size_t index = 0; index < LONG_STACKS; index++) {
        if (lua->stacks[index].block == block) return &lua->stacks[index];
    }
    return NULL;
}

static bool is_double(const vm *lua, size_t old_size, size_t new_size) {
    size_t extra = lua->growth.extra_bytes;
    return old_size > extra && new_size - extra == 2 * (old_size - extra);
}

// A table that is its own `__call` makes Lua insert it repeatedly below all arguments without
// calling the hook. The work of that call grows with the square of the stack, which grows
// meanwhile, so that the allocator reads the clock. A long chain of tables does the same work
// without growing the stack.

/// Tracks a stack that has grown, moved or shrunk; if there is no free entry, only the size is
/// kept.
static void note_stack(vm *lua, long_stack *place, const void *moved, size_t size) {
    bool is_long = size >= lua->long_bytes;
    if (place == NULL && is_long) place = stack_at(lua, NULL);
    if (place != NULL) *place = is_long ? (long_stack){moved, size} : (long_stack){NULL, 0};
    else if (size > lua->longest_beside) lua->longest_beside = size;
    if (is_long) look_sooner(lua);
}

// A stack grows either by resizing its block, or by freeing it right after allocating a larger one.

/// Handles a freed block; a stack in it has moved to the block that was allocated just before.
static void follow_freed(vm *lua, const void *block, size_t size) {
    long_stack made = lua->made;
    lua->made = (long_stack){NULL, 0};
    long_stack *place = size < lua->long_bytes ? NULL : stack_at(lua, block);
    bool grows = lua->reserves_slots || is_double(lua, size, made.bytes);
    if (made.block != NULL && (place != NULL || grows)) {
        note_stack(lua, place, made.block, made.bytes);
    } else if (place != NULL) {
        *place = (long_stack){NULL, 0};
    }
}

/// Handles a resized block.
static void follow_resized(
    vm *lua, const void *block, size_t old_size, const void *moved, size_t new_size) {
    lua->made = (long_stack){NULL, 0};
    long_stack *place = old_size < lua->long_bytes ? NULL : stack_at(lua, block);
    bool grows = lua->reserves_slots || is_double(lua, old_size, new_size);
    if (place != NULL || (new_size >= lua->long_bytes && grows)) {
        note_stack(lua, place, moved, new_size);
    }
}

bool tapline_lua_reserve_slots(lua_State *L, int count) {
    vm *lua = vm_of(L);
    lua->reserves_slots = true;
    bool done = lua_checkstack(L, count) != 0;
    lua->reserves_slots = false;
    return done;
}

bool tapline_lua_learn_growth(const size_t sizes[5], size_t more, tapline_lua_growth *growth) {
    const size_t slots = sizes[4] - sizes[3], slot = more == 0 ? 0 : slots / more;
    const size_t extra = 2 * sizes[0] - sizes[1];
    if (slot == 0 || slot * more != slots || sizes[0] >= sizes[1] || extra >= sizes[0]) return false;
    if (2 * sizes[1] - sizes[2] != extra || extra % slot != 0 || sizes[0] % slot != 0) return false;
    *growth = (tapline_lua_growth){slot, extra};
    return true;
}

/// The size to which a stack grows at the first count, from `*count` on, that does not fit; stores
/// that count in `*count`. Returns 0 if the growth is not a single allocation.
static size_t grown_size(lua_State *thread, int *count) {
    vm *lua = vm_of(thread);
    lua->learned_count = 0;
    while (lua->learned_count == 0 && *count < LONG_STACK) {
        if (!lua_checkstack(thread, *count)) return 0;
        *count += 1;
    }
    return lua->learned_count == 1 ? lua->learned_size : 0;
}

void tapline_lua_limits_learn_stacks(lua_State *L) {
    vm *lua = vm_of(L);
    lua->growth = (tapline_lua_growth){0, 0};
    lua->long_bytes = SIZE_MAX;
    lua->longest_beside = 0;
    lua->made = (long_stack){NULL, 0};
    memset(lua->stacks, 0, sizeof lua->stacks);
    lua_State *thread = lua_newthread(L);
    size_t sizes[5];
    int count = LUA_MINSTACK;
    // A stack doubles if that is sufficient; otherwise it gets the requested size.
    for (int index = 0; index < 3; index++) sizes[index] = grown_size(thread, &count);
    int asked = count * 5, then = asked * 2 + LUA_MINSTACK;
    const int more = then - asked;
    sizes[3] = grown_size(thread, &asked);
    sizes[4] = grown_size(thread, &then);
    // Releases the stack.
    lua_resetthread(thread);
    lua_pop(L, 1);
    if (!tapline_lua_learn_growth(sizes, (size_t)more, &lua->growth)) {
        luaL_error(L, "this Lua grows stacks in a way that cannot be bounded");
    }
    lua->long_bytes = LONG_STACK * lua->growth.slot_bytes;
}

// MARK: - Tables

/// Notes a limit that was hit in the allocator, which may not raise.
static void note_limit(vm *lua, int32_t limit) {
    lua->tripped = limit;
    lua->tripped_line = tapline_lua_current_line(lua->L);
}

/// Whether the allocation comes from an instruction of the script, or from a function of this
/// module that adds entries to a table. Other C functions allocate buffers of any size.
static bool is_filling_table(const vm *lua) {
    lua_State *L = lua->current == NULL ? lua->L : lua->current;
    lua_Debug frame;
    if (lua->fills_table) return true;
    return lua_getstack(L, 0, &frame) && lua_getinfo(L, "S", &frame) && frame.what[0] != 'C';
}

/// Returns whether a new block without a type may be allocated.
///
/// A hash part is an untyped block with a power of two of nodes. A list constructor in a script
/// with exactly one and a half times a power of two of elements has the same size and thus the same
/// limit.
static bool accept_block(vm *lua, size_t size) {
    if (lua->place_bytes == 0) {
        lua->learned_size = size;
        lua->learned_count++;
        return true;
    }
    size_t places = size / lua->place_bytes;
    bool may_be_part = places * lua->place_bytes == size && (places & (places - 1)) == 0;
    if (!may_be_part || !lua->running) return true;
    int32_t limit = spend(lua, places / BYTES_OF_INSTRUCTION);
    if (limit == 0 && places > lua->max_places && is_filling_table(lua)) limit = TAPLINE_LUA_TABLE;
    if (limit != 0) note_limit(lua, limit);
    return limit == 0;
}

/// The size of the single untyped block that a new table allocates for its entries; 0 if there is
/// not exactly one.
static size_t learn_size(lua_State *L, int list, int places) {
    vm *lua = vm_of(L);
    lua->learned_count = 0;
    lua_createtable(L, list, places);
    lua_pop(L, 1);
    return lua->learned_count == 1 ? lua->learned_size : 0;
}

/// Checks how this Lua allocates tables. It must use one block for the nodes, and the size of a
/// node must not be a power of two, unlike the blocks of growing lists.
void tapline_lua_limits_learn_tables(lua_State *L) {
    vm *lua = vm_of(L);
    lua->place_bytes = 0;
    lua->min_watched = 1;
    size_t bytes = learn_size(L, 0, 64) / 64;
    bool fits = bytes > 0 && (bytes & (bytes - 1)) != 0;
    for (int places = 4; places <= 256; places *= 2) {
        fits = fits && learn_size(L, 0, places) == bytes * (size_t)places;
        fits = fits && learn_size(L, places, 0) != bytes * (size_t)places;
    }
    // A growing hash part doubles.
    lua_createtable(L, 0, 64);
    for (int key = 1; key <= 65; key++) {
        lua->learned_count = 0;
        lua_pushboolean(L, 1);
        lua_rawseti(L, -2, (lua_Integer)key * 1000);
    }
    lua_pop(L, 1);
    fits = fits && lua->learned_count == 1 && lua->learned_size == bytes * 128;
    if (!fits) luaL_error(L, "this Lua allocates tables in a way that cannot be bounded");
    lua->place_bytes = bytes;
    size_t least = lua->max_places < MIN_PLACES ? lua->max_places : MIN_PLACES;
    lua->min_watched = bytes * least;
}

void tapline_lua_set_entry(lua_State *L, int index, lua_Integer key) {
    vm *lua = vm_of(L);
    lua->fills_table = true;
    lua_seti(L, index, key);
    lua->fills_table = false;
}

void tapline_lua_set_raw_entry(lua_State *L, int index) {
    vm *lua = vm_of(L);
    lua->fills_table = true;
    lua_rawset(L, index);
    lua->fills_table = false;
}

size_t tapline_lua_max_entries(const tapline_lua *lua) { return lua->max_places; }

// MARK: - The allocator

void *tapline_lua_limits_allocate(void *state, void *block, size_t old_size, size_t new_size) {
    vm *lua = state;
    // Without a block, `old_size` is the type of the new object; 0 if it has none.
    bool is_untyped = block == NULL && old_size == 0;
    if (block == NULL) old_size = 0;
    if (new_size == 0) {
        lua->memory_used -= old_size;
        if (block == NULL) return NULL;
        if (old_size >= lua->long_bytes || lua->made.block != NULL) follow_freed(lua, block, old_size);
        tapline_lua_pool_give(&lua->blocks, block, old_size);
        return NULL;
    }
    if (new_size > old_size) {
        size_t left = (size_t)lua->limits.memory - lua->memory_used;
        if (lua->running && lua->tripped != 0) return NULL;
        if (new_size - old_size > left) return refuse(lua);
        if (lua->growth.slot_bytes == 0 && (block != NULL || is_untyped)) {
            lua->learned_size = new_size;
            lua->learned_count++;
        }
        if (new_size >= lua->min_watched && is_untyped && !accept_block(lua, new_size)) return NULL;
        lua->allocated += new_size;
        if (lua->allocated >= ALLOCATED_WORK * BYTES_OF_INSTRUCTION && lua->running) {
            int32_t limit = spend(lua, lua->allocated / BYTES_OF_INSTRUCTION);
            lua->allocated = 0;
            if (limit != 0) {
                note_limit(lua, limit);
                return NULL;
            }
        }
    }
    void *result = block == NULL ? tapline_lua_pool_take(&lua->blocks, new_size)
                                 : tapline_lua_pool_resize(&lua->blocks, block, old_size, new_size);
    if (result == NULL) return new_size <= old_size ? block : NULL;
    lua->memory_used += new_size - old_size;
    if (lua->memory_used > lua->watched) {
        watch_memory(lua);
        look_sooner(lua);
    }
    if (block == NULL) {
        bool may_be_stack = is_untyped && new_size >= lua->long_bytes;
        lua->made = may_be_stack ? (long_stack){result, new_size} : (long_stack){NULL, 0};
    } else if (old_size >= lua->long_bytes || new_size >= lua->long_bytes) {
        follow_resized(lua, block, old_size, result, new_size);
    }
    return result;
}
