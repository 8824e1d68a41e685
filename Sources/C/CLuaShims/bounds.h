// SPDX-License-Identifier: MIT

/// Limits of the work, the time and the memory of a call (limits.c). Part of `internal.h`.

#pragma once

void *tapline_lua_limits_allocate(void *state, void *block, size_t old_size, size_t new_size);
/// Sets the values that depend only on the limits.
void tapline_lua_limits_prepare(vm *lua);
/// Measures how this Lua grows stacks; raises if the method is unknown.
void tapline_lua_limits_learn_stacks(lua_State *L);
/// Measures how this Lua allocates tables; raises if the method is unknown.
void tapline_lua_limits_learn_tables(lua_State *L);
void tapline_lua_limits_begin(vm *lua);
/// Returns whether the call took too long, and trips the state if so.
bool tapline_lua_limits_end_late(vm *lua);
void tapline_lua_limits_end(vm *lua);
/// `lua_seti` and `lua_rawset` for keys that a script chooses.
void tapline_lua_set_entry(lua_State *L, int index, lua_Integer key);
void tapline_lua_set_raw_entry(lua_State *L, int index);
void tapline_lua_limits_install_hook(lua_State *L);
/// Makes the hook interval of `thread` at most as long as that of `L`; called before and after a
/// resume.
void tapline_lua_limits_follow(lua_State *L, lua_State *thread);
/// `lua_checkstack` for counts that a script chooses.
bool tapline_lua_reserve_slots(lua_State *L, int count);
uint64_t tapline_lua_clock(void);
/// The work that is accumulated before it is charged, so that short functions need not read the
/// clock.
enum { MOST_UNCHARGED = 1000 };
/// Charges the accumulated work; raises if a limit is hit or was hit before.
void tapline_lua_charge_added(lua_State *L);
/// Charges work of a number of instructions; raises if a limit is hit.
static inline void charge(lua_State *L, uint64_t work) {
    vm *lua = vm_of(L);
    if (lua->tripped != 0) tapline_lua_charge_added(L);
    lua->uncharged += (int64_t)(work > INT64_MAX / 4 ? INT64_MAX / 4 : work);
    if (lua->uncharged >= MOST_UNCHARGED) tapline_lua_charge_added(L);
}
/// Raises again if a limit was hit before; every function that catches errors must call it.
void tapline_lua_raise_if_tripped(lua_State *L);
_Noreturn void tapline_lua_trip(lua_State *L, int32_t limit);
/// The line of the innermost function of the script; 0 if there is none. For a module's file, the
/// upper bits contain the number of that file (extras.h).
int32_t tapline_lua_current_line(lua_State *L);
