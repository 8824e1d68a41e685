// SPDX-License-Identifier: MIT

/// How the work, the time and the memory of a call are bounded (limits.c). Part of `internal.h`.

#pragma once

void *tapline_lua_limits_allocate(void *state, void *block, size_t old_size, size_t new_size);
/// Sets what follows from the limits alone.
void tapline_lua_limits_prepare(vm *lua);
/// Learns how this Lua grows stacks; raises if the way is not known.
void tapline_lua_limits_learn_stacks(lua_State *L);
/// Learns how this Lua allocates tables; raises if the way is not known.
void tapline_lua_limits_learn_tables(lua_State *L);
void tapline_lua_limits_begin(vm *lua);
/// Returns whether the call lasted too long; the state is tripped then.
bool tapline_lua_limits_end_late(vm *lua);
void tapline_lua_limits_end(vm *lua);
/// `lua_seti` and `lua_rawset` for keys that a script chooses.
void tapline_lua_set_entry(lua_State *L, int index, lua_Integer key);
void tapline_lua_set_raw_entry(lua_State *L, int index);
void tapline_lua_limits_install_hook(lua_State *L);
/// Looks at least as often after a coroutine as after what resumes it, and the other way round.
void tapline_lua_limits_follow(lua_State *L, lua_State *thread);
/// `lua_checkstack` for counts that a script chooses.
bool tapline_lua_reserve_slots(lua_State *L, int count);
uint64_t tapline_lua_clock(void);
/// Work that is added up before it is charged, so that a short function costs no reading of the
/// clock.
enum { MOST_UNCHARGED = 1000 };
/// Charges what was added up; raises when a limit is hit, or was before.
void tapline_lua_charge_added(lua_State *L);
/// Charges work of that many instructions; raises when a limit is hit.
static inline void charge(lua_State *L, uint64_t work) {
    vm *lua = vm_of(L);
    if (lua->tripped != 0) tapline_lua_charge_added(L);
    lua->uncharged += (int64_t)(work > INT64_MAX / 4 ? INT64_MAX / 4 : work);
    if (lua->uncharged >= MOST_UNCHARGED) tapline_lua_charge_added(L);
}
/// Raises again when a limit was hit before: what every function that catches errors calls.
void tapline_lua_raise_if_tripped(lua_State *L);
_Noreturn void tapline_lua_trip(lua_State *L, int32_t limit);
/// The line of the innermost function of the script; 0 when there is none. In a module's file the
/// upper bits hold the number of that file (extras.h).
int32_t tapline_lua_current_line(lua_State *L);
